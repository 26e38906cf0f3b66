"""DEPT's options, and what they may be."""

from __future__ import annotations

from dataclasses import dataclass

_CHOICES = {
    "ema_from": ("batch", "match"),
    "bounds": ("game", "role"),
    "bounds_from": ("match", "batch"),
    "slow_read": ("pre", "post"),
    "classes": ("game", "seen"),
}


@dataclass(frozen=True, kw_only=True)
class Options:
    """DEPT's options, checked; see `DualScaleTraining`."""

    alpha_fast: float
    alpha_slow: float
    ema_from: str
    bounds: str
    bounds_from: str
    window: int
    min_span: float
    slow_read: str
    classes: str
    strength: float

    def __post_init__(self) -> None:
        for name in ("alpha_fast", "alpha_slow"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must lie in [0, 1).")
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be {' or '.join(map(repr, allowed))}.")
        if not 0 <= self.strength <= 1:
            raise ValueError(f"strength is {self.strength}; it must lie in [0, 1].")
        for name in ("window", "min_span"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must not be negative.")
