"""Whether what is on file still has the shape of a match record; it may have been edited since it was written.

Everything that reads records asks here first, so that it may rely on types and lengths. Fields of newer versions are
passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arena.types import Ended, Finish
from games import Issue
from games.types import ParamValue

_Issue = Annotated[Issue, Field(strict=False)]  # stored as its text, which strict mode would refuse
_Count = Annotated[int, Field(ge=0)]


class _Stored(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, allow_inf_nan=False)


class _Spec(_Stored):
    game: str
    params: dict[str, ParamValue]
    seed: int
    players: list[str] = Field(min_length=1)
    pair: str


class _Fault(_Stored):
    seat: _Count
    issue: _Issue


class _Result(_Stored):
    """What lists and ratings need of a record."""

    key: str = Field(pattern=r"\A[0-9a-f]{1,16}\z")
    spec: _Spec
    ended: Annotated[Ended, Field(strict=False)]
    outcome: str
    returns: list[float]
    fault: _Fault | None
    error: str | None
    roles: list[str] = []
    measures: dict[str, float] = {}
    turns: list[Any]


class _Move(_Stored):
    answer: str
    action: int | None
    speech: str


class _Attempt(_Stored):
    user: str
    issue: _Issue
    hint: str
    text: str
    thought: str = ""
    finish: Annotated[Finish, Field(strict=False)]
    snapshot: str | None = None
    extends: _Count = 0
    prompt_ids: list[int] = []
    ids: list[int] = []
    logprobs: list[float] = []
    latency_s: float
    cached_tokens: int = 0


class _Turn(_Stored):
    index: int
    ply: int
    seat: _Count
    move: _Move | None
    attempts: list[_Attempt] = Field(min_length=1)


class _Sampling(_Stored):
    temperature: float
    top_p: float
    top_k: int
    max_tokens: int


class _FullSpec(_Spec):
    show_legal: bool
    retries: int
    sampling: _Sampling
    turn_limit: int | None
    tag: str


class _Record(_Result):
    """All of a record."""

    spec: _FullSpec
    systems: list[str]
    turns: list[_Turn]
    duration_s: float


def problem(obj: Mapping[str, Any], *, whole: bool = True) -> str | None:
    """What is wrong with a stored record, or None.

    Args:
        obj: a line of matches.jsonl.
        whole: look at the turns as well, not only at what lists and ratings need.
    """
    try:
        stored = (_Record if whole else _Result).model_validate(dict(obj))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        if first["type"] == "missing":
            return f"{where} is missing"
        shown = repr(first.get("input"))
        return f"{where} is {shown if len(shown) <= 40 else shown[:37] + '…'}: {first['msg'].lower()}"
    seats = len(stored.spec.players)
    expected = 0 if stored.ended is Ended.VOID else seats
    if len(stored.returns) != expected:
        return f"returns has {len(stored.returns)} numbers for {seats} players and a match that ended {stored.ended}"
    if stored.fault is not None and stored.fault.seat >= seats:
        return f"fault.seat is {stored.fault.seat}, of {seats} players"
    if isinstance(stored, _Record) and any(turn.seat >= seats for turn in stored.turns):
        return f"a turn is of a seat beyond the {seats} players"
    return None
