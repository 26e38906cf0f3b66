"""stdout is the result: for people, or as JSON with a schema."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

SCHEMA = 1

Json = Annotated[bool, typer.Option("--json", help="Print the result as a JSON object.")]
"""The `--json` option."""

Params = Annotated[list[str] | None, typer.Option("--param", "-p", metavar="KEY=VALUE", help="A game parameter.")]
"""The `--param` option."""


def print_json(**values: Any) -> None:
    """One JSON object, its schema first."""
    obj = {"schema": SCHEMA, **values}
    sys.stdout.write(json.dumps(obj, indent=1, ensure_ascii=not _utf8(), default=str) + "\n")


def say(text: str = "") -> None:
    """A line of the result. The text must be clean."""
    sys.stdout.write(text + "\n")


def tell(text: str = "") -> None:
    """A line about what goes on, on stderr. The text must be clean."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def params_from(pairs: list[str] | None) -> Mapping[str, Any]:
    """Game parameters from `key=value` words.

    Raises:
        UsageError: a word without `=`.
    """
    from arena.config import parse_value
    from arena.errors import UsageError

    made: dict[str, Any] = {}
    for pair in pairs or []:
        key, separator, text = pair.partition("=")
        if not separator or not key:
            raise UsageError(f"Parameter {pair!r} is not of the form key=value (like players=3).")
        made[key.strip()] = parse_value(text.strip())
    return made


def _utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
