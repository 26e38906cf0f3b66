"""How losses are averaged, and what is measured beside them.

TRL divides each micro-batch's loss by the size of that micro-batch, which is right when all are equal. Here the number
of rows varies and micro-batches hold rows of one length, so each loss is weighted back to that of the whole batch:

    dr_grpo              sum over all sampled tokens / (trajectories × tokens_per_trajectory)
    grpo, sapo           mean over all rows of the mean over the row's sampled tokens
    luspo                mean over all rows of the sum over the row's sampled tokens
    dapo, cispo, vespo   mean over all sampled tokens
    bnpo                 the same: TRL's differs from dapo only by averaging within each micro-batch

The gradient then depends neither on padding nor on the number of micro-batches and ranks; with dr_grpo and the means
over all tokens not on how turns are packed into rows either (where the ratio is one per token).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from selfplay.sections import OptimSettings


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Rows and learner's tokens of a batch or of a micro-batch."""

    rows: int
    tokens: int


def weight(loss_type: str, part: Sizes, whole: Sizes, *, parts: int, trajectories: int) -> float:
    """What a micro-batch's loss as TRL computes it must be multiplied by.

    Args:
        loss_type: TRL's name.
        part: the micro-batch, padding rows included: TRL counts them.
        whole: the update's batch, on all ranks.
        parts: micro-batches in an update, on all ranks: DDP takes the mean over ranks, TRL that over a rank's own.
        trajectories: (finished match, learner's seat) with at least one reply.
    """
    if loss_type == "dr_grpo":
        return part.rows * parts / trajectories
    if loss_type in ("grpo", "sapo", "luspo"):
        return part.rows * parts / whole.rows
    if loss_type == "bnpo":
        return part.tokens * parts / whole.tokens
    return 1.0


def k3(log_ratio: torch.Tensor) -> torch.Tensor:
    """exp(x) − x − 1: an estimate of KL(π‖q) from samples of π with x = log q − log π, never negative."""
    log_ratio = log_ratio.double()
    return torch.expm1(log_ratio) - log_ratio


def clipped(log_ratio: torch.Tensor, optim: OptimSettings) -> torch.Tensor:
    """1.0 where a token's probability ratio to the sampler is outside what the loss lets through, else 0.0."""
    ratio = log_ratio.double().exp()
    if optim.loss_type == "cispo":
        return (ratio > optim.epsilon_high).double()
    low, high = 1 - optim.epsilon, 1 + (optim.epsilon_high or optim.epsilon)
    return ((ratio < low) | (ratio > high)).double()
