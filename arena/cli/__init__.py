"""The command line. Modules here import nothing heavy at the top, so that help answers at once."""
