"""What was learnt: exact play, reasoning benchmarks and their statistics."""
