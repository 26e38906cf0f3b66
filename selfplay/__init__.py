"""Learning by playing: opponents, trajectories, advantages, trainer and checkpoints."""
