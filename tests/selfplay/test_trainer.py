"""What reaches the weights: the right tokens, with the right signs, whatever the batch is cut into."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from selfplay_helpers import kuhn_config, rollout, row
from test_packing import random_rows

from arena.models.registry import load_base
from selfplay.config import OptimSettings
from selfplay.quiet import quiet_libraries
from selfplay.ranks import Ranks
from selfplay.rollouts import ALONE, Rollout
from selfplay.trainer import RoleConditionedTrainer
from selfplay.trajectories import Row

L = 16  # tokens_per_trajectory


class OneOf(Ranks):
    """One of several ranks, in this process: what it computes is what that rank would, up to the exchange."""

    def __init__(self, rank: int, size: int) -> None:
        self.rank, self.size = rank, size


def trainer(tiny: str, tmp_path: Path, played: Rollout, ranks: Ranks = ALONE, **optim: Any) -> RoleConditionedTrainer:
    """A trainer whose every update is `played`, its adapter moved off zero so that all gradients exist."""
    config = kuhn_config(tiny, optim=OptimSettings(tokens_per_trajectory=L, **optim))
    with quiet_libraries():
        made = RoleConditionedTrainer(
            load_base(tiny, device="cpu"),
            config,
            scratch=tmp_path,
            rollout=lambda update: played,
            on_update=lambda trained: None,
            on_checkpoint=lambda update, folder: None,
            save_now=lambda update: False,
            stop_now=lambda: False,
            ranks=ranks,
        )
    generator = torch.Generator().manual_seed(1)
    for name, parameter in made.model.named_parameters():
        if "lora_B" in name:
            parameter.data = 0.3 * torch.randn(parameter.shape, generator=generator)
    return made


def step(made: RoleConditionedTrainer) -> tuple[float, dict[str, torch.Tensor]]:
    """Loss and gradients of one update, accumulated as transformers does."""
    made.create_optimizer()
    parts = made.args.gradient_accumulation_steps
    made.current_gradient_accumulation_steps = parts
    loss = sum(float(made.training_step(made.model, None, None)) for _ in range(parts))
    return loss, {n: p.grad.clone() for n, p in made.model.named_parameters() if p.grad is not None}


def plain(
    made: RoleConditionedTrainer, rows: Sequence[Row], advantages: Sequence[float], loss_type: str, beta: float
) -> torch.Tensor:
    """The objective written out row by row, without padding, packing or TRL."""
    model = made.model
    sums, tokens, means = [], 0, []
    for r, advantage in zip(rows, advantages, strict=True):
        ids = torch.tensor([r.prompt_ids + r.completion_ids])
        own = torch.tensor(r.loss_mask).bool()
        labels = torch.tensor(r.completion_ids)[:, None]
        first = len(r.prompt_ids) - 1
        logps = model(input_ids=ids).logits[0, first:-1].log_softmax(-1).gather(1, labels).squeeze(1)[own]
        with torch.no_grad(), model.disable_adapter():
            ref = model(input_ids=ids).logits[0, first:-1].log_softmax(-1).gather(1, labels).squeeze(1)[own]
        old = torch.tensor(r.logprobs)[own]
        ratio = torch.exp(logps - old)
        objective = torch.minimum(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
        kl = torch.exp(ref - logps) - (ref - logps) - 1
        loss = -objective + beta * kl * ratio
        sums.append(loss.sum())
        means.append(loss.mean())
        tokens += len(old)
    if loss_type == "dr_grpo":
        return torch.stack(sums).sum() / (len(rows) * L)
    return torch.stack(means).mean() if loss_type == "grpo" else torch.stack(sums).sum() / tokens


ADVANTAGES = [(-1) ** i * (0.3 + 0.1 * i) for i in range(17)]


@pytest.mark.parametrize("loss_type", ["dr_grpo", "grpo", "dapo"])
def test_loss_and_gradient_equal_the_formula_however_the_batch_is_cut(
    tiny: str, tmp_path: Path, loss_type: str
) -> None:
    rows = random_rows(5)
    played = rollout(rows, ADVANTAGES)
    reference = trainer(tiny, tmp_path, played, beta=0.2, loss_type=loss_type, micro_batches=1)
    expected = plain(reference, rows, ADVANTAGES, loss_type, 0.2)
    expected.backward()
    gradients = {n: p.grad.clone() for n, p in reference.model.named_parameters() if p.grad is not None}
    assert max(float(g.abs().max()) for g in gradients.values()) > 1e-3
    for parts in (1, 3, 12):  # more parts than packs leave some empty
        loss, found = step(trainer(tiny, tmp_path, played, beta=0.2, loss_type=loss_type, micro_batches=parts))
        assert loss == pytest.approx(expected.item(), abs=1e-5)
        assert found.keys() == gradients.keys()
        for name, gradient in found.items():
            torch.testing.assert_close(gradient, gradients[name], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("loss_type", ["dr_grpo", "grpo", "bnpo", "luspo"])
@pytest.mark.parametrize("count", [17, 2])  # the fewer rows leave ranks with nothing of their own
def test_the_mean_gradient_of_two_ranks_is_that_of_one(tiny: str, tmp_path: Path, loss_type: str, count: int) -> None:
    played = rollout(random_rows(5, count), ADVANTAGES[:count])
    options: dict[str, Any] = {"beta": 0.2, "loss_type": loss_type, "entropy_bonus": 0.1}
    options |= {"importance": "sequence"} if loss_type == "luspo" else {}
    loss, gradients = step(trainer(tiny, tmp_path, played, micro_batches=1, **options))
    parts = [step(trainer(tiny, tmp_path, played, OneOf(rank, 2), micro_batches=2, **options)) for rank in range(2)]
    assert sum(part for part, _ in parts) / 2 == pytest.approx(loss, abs=1e-5)
    assert max(float(gradient.abs().max()) for gradient in gradients.values()) > 1e-3
    for name, gradient in gradients.items():
        mean = (parts[0][1][name] + parts[1][1][name]) / 2
        torch.testing.assert_close(mean, gradient, atol=1e-5, rtol=1e-5)


def test_only_the_learners_sampled_tokens_receive_gradient(tiny: str, tmp_path: Path) -> None:
    """Perturb what every position tells the head; only the predictors of sampled tokens may matter, exactly."""
    rows = [
        row([7, 8, 9], [10, 1, 11, 12, 6, 1], [1, 1, 0, 0, 1, 1]),
        row([7, 8, 13], [9, 1], [1, 1], role="second"),
    ]
    made = trainer(tiny, tmp_path, rollout(rows, [1.0, -0.5]), beta=0.3, micro_batches=1)
    noise: list[torch.Tensor] = []

    def perturb(module: Any, args: Any, output: torch.Tensor) -> torch.Tensor:
        if output.requires_grad:
            noise.append(torch.zeros_like(output, requires_grad=True))
            return output + noise[-1]
        return output

    made.model.get_base_model().base_model.norm.register_forward_hook(perturb)
    step(made)
    assert len(noise) == 1
    assert noise[0].grad is not None
    touched = (noise[0].grad != 0).any(-1)
    # One pack: 7 8 | 9 10 <eos> 11 12 6 <eos> | 13 9 <eos>; a token is predicted by the column before it.
    assert touched.shape == (1, 12)
    assert touched[0].nonzero().squeeze(1).tolist() == [2, 3, 6, 7, 9, 10]


def test_a_zero_advantage_without_kl_moves_nothing(tiny: str, tmp_path: Path) -> None:
    rows = random_rows(2)
    loss, gradients = step(trainer(tiny, tmp_path, rollout(rows, [0.0] * 17), beta=0.0))
    assert loss == 0.0
    assert all(not gradient.any() for gradient in gradients.values())


def test_a_positive_advantage_makes_what_was_said_likelier(tiny: str, tmp_path: Path) -> None:
    r = row([7, 8, 9], [10, 1], [1, 1])
    made = trainer(tiny, tmp_path, rollout([r], [1.0]), beta=0.0, epsilon=1e6, micro_batches=1)
    ids = torch.tensor([r.prompt_ids + r.completion_ids])

    def likelihood() -> float:
        with torch.no_grad():
            logps = made.model(input_ids=ids).logits[0, 2:4].log_softmax(-1)
        return float(logps[0, 10] + logps[1, 1])

    before = likelihood()
    made.create_optimizer()
    for _ in range(5):
        step(made)
        made.optimizer.step()
        made.optimizer.zero_grad()
    assert likelihood() > before + 0.1


def test_rows_added_with_weightless_tokens_change_nothing_else(tiny: str, tmp_path: Path) -> None:
    """A longer row elsewhere in the batch pads the others; their gradient stays the same."""
    rows = random_rows(3)
    longer = [*rows, row([3] * 40, [5] * 30, [0] * 30)]
    base = step(trainer(tiny, tmp_path, rollout(rows, ADVANTAGES), beta=0.1, micro_batches=2))
    padded = step(trainer(tiny, tmp_path, rollout(longer, [*ADVANTAGES, 0.0], trajectories=17), beta=0.1,
                          micro_batches=2))  # fmt: skip
    assert padded[0] == pytest.approx(base[0], abs=1e-6)
    for name, gradient in base[1].items():
        torch.testing.assert_close(padded[1][name], gradient, atol=1e-5, rtol=1e-4)


def test_one_row_of_several_turns_equals_one_row_a_turn(tiny: str, tmp_path: Path) -> None:
    whole = row([7, 8, 9], [10, 1, 11, 12, 6, 1], [1, 1, 0, 0, 1, 1])
    turns = [row([7, 8, 9], [10, 1], [1, 1]), row([7, 8, 9, 10, 1, 11, 12], [6, 1], [1, 1])]
    for loss_type in ("dr_grpo", "dapo"):
        packed = step(trainer(tiny, tmp_path, rollout([whole], [0.7]), beta=0.2, loss_type=loss_type))
        apart = step(trainer(tiny, tmp_path, rollout(turns, [0.7, 0.7], 1), beta=0.2, loss_type=loss_type))
        assert packed[0] == pytest.approx(apart[0], abs=1e-6)
        for name, gradient in packed[1].items():
            torch.testing.assert_close(apart[1][name], gradient, atol=1e-5, rtol=1e-4)


def test_improbable_foreign_tokens_do_not_break_the_loss(tiny: str, tmp_path: Path) -> None:
    """With exp(difference) of an untrained token the loss would overflow to infinity, and 0 × infinity is NaN."""
    rows = [row([7, 8, 9], [10, 1, 11, 12, 6, 1], [1, 1, 0, 0, 1, 1])]
    made = trainer(tiny, tmp_path, rollout(rows, [1.0]), beta=0.2)
    for name, parameter in made.model.named_parameters():
        if "lora_B" in name:
            parameter.data *= 1e4
    loss, gradients = step(made)
    assert torch.isfinite(torch.tensor(loss))
    assert all(torch.isfinite(gradient).all() for gradient in gradients.values())


def test_token_sums_are_exact_per_role(tiny: str, tmp_path: Path) -> None:
    rows = random_rows(4)
    roles = [Row(**{**vars(r), "role": ("first", "second")[i % 2]}) for i, r in enumerate(rows)]
    made = trainer(tiny, tmp_path, rollout(roles, ADVANTAGES), beta=0.1, micro_batches=3)
    entropy = [0.0, 0.0]
    with torch.no_grad():
        for i, r in enumerate(roles):
            logps = made.model(input_ids=torch.tensor([r.prompt_ids + r.completion_ids])).logits[0].log_softmax(-1)
            each = -(logps.exp() * logps).sum(-1)[len(r.prompt_ids) - 1 : -1]
            entropy[i % 2] += float(each[torch.tensor(r.loss_mask).bool()].sum())
    step(made)
    assert made._groups == [("kuhn_poker", "first"), ("kuhn_poker", "second")]
    for index in (0, 1):
        assert float(made._sums[index, 0]) == sum(sum(r.loss_mask) for r in roles[index::2])
        assert float(made._sums[index, 1]) == pytest.approx(entropy[index], rel=1e-5)
    assert (made._sums[:, 2:4] > 0).all()


def test_only_the_adapter_is_trainable(tiny: str, tmp_path: Path) -> None:
    made = trainer(tiny, tmp_path, rollout(random_rows(1), ADVANTAGES), beta=0.1)
    step(made)  # the reference pass switches the adapter off and on again
    for name, parameter in made.model.named_parameters():
        assert parameter.requires_grad == (".default." in name), name
    assert set(made.model.peft_config) == {"default"}
