"""One wording for "given, allowed, nearest match", used by every layer that resolves a name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(given: str, known: Iterable[str]) -> str | None:
    """The known name closest to `given`, or None when nothing is close."""
    names = sorted(known)
    exact = [name for name in names if name.casefold() == given.casefold()]
    matches = exact or get_close_matches(given, names, n=1, cutoff=0.5)
    return matches[0] if matches else None


def unknown(kind: str, given: str, known: Iterable[str], limit: int = 20) -> str:
    """A message that names what was given, the nearest match, and what exists (at most `limit` names)."""
    names = sorted(known)
    guess = nearest(given, names)
    hint = f" Did you mean {guess!r}?" if guess else ""
    shown = ", ".join(names[:limit]) + (f", … ({len(names)} in all)" if len(names) > limit else "")
    return f"Unknown {kind} {given!r}.{hint} Known: {shown or 'none'}."
