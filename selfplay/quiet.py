"""Silence for the training libraries: their progress bars and advice are about how we use them, not for our users."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from transformers.utils import logging as transformers_logging


@contextmanager
def quiet_libraries() -> Iterator[None]:
    """Only errors from transformers, TRL and PEFT while inside. Errors that they raise are not touched."""
    verbosity = transformers_logging.get_verbosity()
    bars = transformers_logging.is_progress_bar_enabled()
    transformers_logging.set_verbosity_error()  # type: ignore[no-untyped-call]  # transformers leaves it untyped
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # transformers leaves it untyped
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            yield
    finally:
        transformers_logging.set_verbosity(verbosity)
        if bars:
            transformers_logging.enable_progress_bar()  # type: ignore[no-untyped-call]  # transformers leaves it untyped
