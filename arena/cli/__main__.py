"""`python -m arena.cli`, for where the `arena` script is not on the path."""

from arena.cli.app import main

main()
