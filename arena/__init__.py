"""Match engine, players, records, ratings and the command line."""

__version__ = "0.1.0"
