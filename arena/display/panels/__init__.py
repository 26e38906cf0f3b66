"""The parts of a view, one a file. Each takes the model and a width, and gives lines."""
