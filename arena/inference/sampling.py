"""Drawing tokens from logits with random numbers that belong to the request, not to the process.

The number for token t of a reply is a hash of the reply's own key and t. So what a request draws depends on its
logits alone: not on the order of requests, the size of the batch, or anything drawn before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from arena.types import Sampling

if TYPE_CHECKING:
    import torch

_SCALE = 2.0**-53


def uniform(stream_key: str, index: int) -> float:
    """A number in [0, 1), the `index`-th of the stream named `stream_key` (53 bits of BLAKE2b)."""
    digest = hashlib.blake2b(f"{stream_key}#{index}".encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) * _SCALE


def sampling_log_probs(logits: torch.Tensor, sampling: Sequence[Sampling]) -> torch.Tensor:
    """Log-probabilities under each row's sampling distribution.

    Args:
        logits: (B, V), any float type.
        sampling: B settings; temperature 0 means the distribution at temperature 1 (the draw is then greedy).

    Returns:
        (B, V) float64; −inf where top-k or top-p cut a token off.
    """
    import torch

    scale = torch.tensor([s.temperature or 1.0 for s in sampling], dtype=torch.float64, device=logits.device)
    logits = logits.double() / scale[:, None]
    for top_k, top_p in {(s.top_k, s.top_p) for s in sampling if s.top_k or s.top_p < 1.0}:
        rows = [row for row, s in enumerate(sampling) if (s.top_k, s.top_p) == (top_k, top_p)]
        logits[rows] = _cut(logits[rows], top_k, top_p)
    return torch.log_softmax(logits, dim=-1)


def _cut(logits: torch.Tensor, top_k: int, top_p: float) -> torch.Tensor:
    """(B, V) with the tokens outside top-k and top-p set to −inf; the likeliest always stays."""
    import torch

    ordered, order = torch.sort(logits, dim=-1, descending=True, stable=True)
    drop = torch.zeros_like(ordered, dtype=torch.bool)
    if top_k:
        drop[:, top_k:] = True
    if top_p < 1.0:
        mass = torch.softmax(ordered, dim=-1)
        drop |= mass.cumsum(-1) - mass >= top_p  # what lies before a token reaches top-p without it
    drop[:, 0] = False
    return torch.empty_like(logits).scatter_(1, order, ordered.masked_fill(drop, -torch.inf))


def draw(log_probs: torch.Tensor, sampling: Sequence[Sampling], points: Sequence[float]) -> torch.Tensor:
    """Token per row: the likeliest at temperature 0, else by inverse distribution function at `points`.

    Args:
        log_probs: (B, V) from `sampling_log_probs`.
        sampling: B settings.
        points: B numbers in [0, 1).

    Returns:
        (B,) token ids.
    """
    import torch

    cumulative = log_probs.exp().cumsum(-1)
    # Scaled by the last entry, which rounding may leave a little off one. A point is at most 1 − 2⁻⁵³, so the target
    # stays below that entry, and the first one above it is a token of positive probability.
    target = torch.tensor(points, dtype=torch.float64, device=log_probs.device)[:, None] * cumulative[:, -1:]
    drawn = torch.searchsorted(cumulative, target, right=True).squeeze(-1)
    greedy = torch.tensor([s.temperature == 0 for s in sampling], device=log_probs.device)
    return torch.where(greedy, log_probs.argmax(-1), drawn)
