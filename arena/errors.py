"""Errors with the exit code that the command line gives them."""

from __future__ import annotations


class ArenaError(Exception):
    """Base of every expected failure; its text is shown to the user as it is, without a traceback."""

    exit_code = 1


class UsageError(ArenaError, ValueError):
    """The request cannot be understood: an unknown name, a bad config, an impossible combination."""

    exit_code = 2


class ConfigError(UsageError):
    """A config file or override that is refused; names the key, what was given and what is allowed."""


class UnknownPlayerError(UsageError, KeyError):
    """A player name that nothing answers to."""

    def __str__(self) -> str:
        return str(self.args[0])


class RunNotFoundError(UsageError, FileNotFoundError):
    """No run directory at the given path or name."""

    def __str__(self) -> str:
        return str(self.args[0])


class RunBusyError(ArenaError, RuntimeError):
    """Another process is writing to the run directory."""


class RecordError(ArenaError, ValueError):
    """A record file that cannot be read as records."""


class SnapshotError(ArenaError, ValueError):
    """A snapshot that is missing, incomplete, altered, or made for another base model."""


class UnknownSnapshotError(UsageError, SnapshotError):
    """No such snapshot in an existing run; names those there are."""


class Interrupted(ArenaError):  # noqa: N818 - like KeyboardInterrupt, it is no error
    """Ctrl-C: state is saved; the message holds the command that continues."""

    exit_code = 130
