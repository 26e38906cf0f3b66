"""What DEPT remembers of a game, and what it reads from one batch (the formulas stand in `dept`)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from selfplay.advantages.base import MatchResult
from selfplay.advantages.dept_options import Options
from selfplay.advantages.scaling import mean

Bounds = tuple[float, float]
"""Lowest and highest value."""


@dataclass(frozen=True, kw_only=True)
class RoleReading:
    """One role after a batch; `slow_before` is what λ = 0 subtracts, the spreads are standard deviations."""

    fast: float
    slow: float
    slow_before: float
    sigma: float
    lam: float
    v_min: float
    v_max: float
    spread_before: float = 0.0
    spread_after: float = 0.0


@dataclass(kw_only=True)
class Reading:
    """A game after a batch.

    Attributes:
        shares: P, the share of each outcome class.
        entropy: H, normalised to [0, 1].
        dominant: the one most common class, None where there is none.
        roles: those that played.
    """

    shares: Mapping[str, float]
    entropy: float
    dominant: str | None
    roles: dict[str, RoleReading] = field(default_factory=dict)

    def baseline(self, role: str, result: MatchResult) -> float:
        """What is subtracted from a return of this role."""
        read = self.roles[role]
        if result.fault_seat is not None or result.outcome not in result.outcomes:
            return read.slow_before
        asymmetric = read.v_max if result.outcome == self.dominant else read.v_min
        return (1 - read.lam) * read.slow_before + read.lam * asymmetric

    def of_game(self) -> dict[str, float | str | None]:
        """Telemetry of the game."""
        shares = {f"share_{name}": share for name, share in self.shares.items()}
        return {"outcome_entropy": self.entropy, "dominant": self.dominant, **shares}

    def of_role(self, role: str) -> dict[str, float]:
        """Telemetry of a role."""
        read = self.roles[role]
        return {
            "baseline": read.slow_before,
            "fast": read.fast,
            "slow": read.slow,
            "sigma": read.sigma,
            "lambda": read.lam,
            "v_min": read.v_min,
            "v_max": read.v_max,
            "spread_before": read.spread_before,
            "spread_after": read.spread_after,
        }


@dataclass(kw_only=True)
class GameState:
    """What lasts between batches.

    Attributes:
        fast, slow: moving averages by role.
        by_match: averages stepped match by match, by role; the bounds come from them.
        extremes: lowest and highest value of every remembered batch, by role.
        seen: outcome classes that have occurred.
    """

    fast: dict[str, float] = field(default_factory=dict)
    slow: dict[str, float] = field(default_factory=dict)
    by_match: dict[str, float] = field(default_factory=dict)
    extremes: dict[str, list[Bounds]] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)

    def fold(self, batch: Sequence[MatchResult], options: Options, *, reshaping: bool) -> Reading:
        """Take a batch of this game's matches in canonical order, and read what their advantages need."""
        played = returns_by_role(batch)
        before = {role: self.slow.get(role, 0.0) for role in played}
        for role, matches in played.items():
            self._step(role, [value for _, value in matches], options)
            self._stretch(role, [value for regular, value in matches if regular], options)
        reading = self._outcomes(batch, options)
        narrowed = math.sqrt(max(0.0, 1.0 - reading.entropy)) if reading.dominant is not None else 0.0
        for role in played:
            fast, slow = self.fast[role], self.slow[role]
            sigma = 1 - math.tanh(abs(fast - slow))
            v_min, v_max = self._bounds(role, options)
            reading.roles[role] = RoleReading(
                fast=fast,
                slow=slow,
                slow_before=slow if options.slow_read == "post" else before[role],
                sigma=sigma,
                lam=sigma * narrowed * options.strength if reshaping else 0.0,
                v_min=v_min,
                v_max=v_max,
            )
        return _with_spreads(reading, batch)

    def _step(self, role: str, values: Sequence[float], options: Options) -> None:
        """Step the two averages with the role's returns, one a match."""
        for value in [mean(values)] if options.ema_from == "batch" else values:
            for averages, alpha in ((self.fast, options.alpha_fast), (self.slow, options.alpha_slow)):
                averages[role] = alpha * averages.get(role, 0.0) + (1 - alpha) * value

    def _stretch(self, role: str, values: Sequence[float], options: Options) -> None:
        """Widen the bounds by what the averages reached in this batch; forfeits are not among `values`."""
        reached = [0.0]
        for value in values:
            before = self.by_match.get(role, 0.0)
            self.by_match[role] = options.alpha_fast * before + (1 - options.alpha_fast) * value
            reached.append(self.by_match[role])
        if options.bounds_from == "batch":
            reached = [0.0, self.fast[role]]
        kept = [*self.extremes.get(role, []), (min(reached), max(reached))]
        if options.window:
            self.extremes[role] = kept[-options.window :]
        else:
            self.extremes[role] = [(min(low for low, _ in kept), max(high for _, high in kept))]

    def _bounds(self, role: str, options: Options) -> Bounds:
        """V_min and V_max."""
        roles = [role] if options.bounds == "role" else list(self.extremes)
        low = min(bound for name in roles for bound, _ in self.extremes[name])
        high = max(bound for name in roles for _, bound in self.extremes[name])
        if high - low < options.min_span:
            middle = (low + high) / 2
            low, high = middle - options.min_span / 2, middle + options.min_span / 2
        return low, high

    def _outcomes(self, batch: Sequence[MatchResult], options: Options) -> Reading:
        """Shares, normalised entropy and the dominant one of the outcome classes; matches outside them do not count."""
        counts = Counter(r.outcome for r in batch if r.fault_seat is None and r.outcome in r.outcomes)
        allowed = batch[0].outcomes if options.classes == "game" else ()
        self.seen = [*self.seen, *(name for name in sorted(counts) if name not in self.seen)]
        total = counts.total()
        shares = {name: counts[name] / total for name in sorted({*allowed, *counts})} if total else {}
        number = len(allowed) if options.classes == "game" else len(self.seen)
        entropy = math.fsum(-share * math.log(share) for share in shares.values() if share > 0)
        # Where only one class is possible, or none occurred, there is nothing to be stuck in: H = 1.
        single = total and options.classes == "seen"
        normalised = min(1.0, max(0.0, entropy / math.log(number))) if total and number > 1 else 1.0 - bool(single)
        most = max(counts.values(), default=0)
        leaders = [name for name in sorted(counts) if counts[name] == most]
        return Reading(shares=shares, entropy=normalised, dominant=leaders[0] if len(leaders) == 1 else None)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "fast": dict(self.fast),
            "slow": dict(self.slow),
            "by_match": dict(self.by_match),
            "extremes": {role: [list(bound) for bound in bounds] for role, bounds in self.extremes.items()},
            "seen": list(self.seen),
        }

    @classmethod
    def from_json(cls, obj: Mapping[str, Any]) -> GameState:
        """Inverse of `to_json`."""
        return cls(
            fast={str(role): float(value) for role, value in obj["fast"].items()},
            slow={str(role): float(value) for role, value in obj["slow"].items()},
            by_match={str(role): float(value) for role, value in obj["by_match"].items()},
            extremes={str(role): [(float(a), float(b)) for a, b in kept] for role, kept in obj["extremes"].items()},
            seen=[str(name) for name in obj["seen"]],
        )


def returns_by_role(batch: Sequence[MatchResult]) -> dict[str, list[tuple[bool, float]]]:
    """By role, one (ended by the rules, return) a match, in order; seats that share a role give their mean."""
    played: dict[str, list[tuple[bool, float]]] = {}
    for result in batch:
        values: dict[str, list[float]] = {}
        for seat, role in enumerate(result.roles):
            if result.counts(seat):
                values.setdefault(role, []).append(result.returns[seat])
        for role, mine in values.items():
            played.setdefault(role, []).append((result.fault_seat is None, mean(mine)))
    return played


def _with_spreads(reading: Reading, batch: Sequence[MatchResult]) -> Reading:
    """Add the standard deviations of a role's advantages as RAE would give them, and as they are."""
    for role, read in list(reading.roles.items()):
        returns, made = [], []
        for result in batch:
            for seat, name in enumerate(result.roles):
                if name == role and result.counts(seat):
                    returns.append(result.returns[seat] - read.slow_before)
                    made.append(result.returns[seat] - reading.baseline(role, result))
        spreads = {"spread_before": _spread(returns), "spread_after": _spread(made)}
        reading.roles[role] = RoleReading(**{**vars(read), **spreads})
    return reading


def _spread(values: Sequence[float]) -> float:
    middle = mean(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / len(values))
