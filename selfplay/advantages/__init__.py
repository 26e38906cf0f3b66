"""Advantage estimators, one a file, all fed the same rollouts."""
