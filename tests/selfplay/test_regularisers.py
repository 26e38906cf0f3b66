"""Loss types, ratio caps, the entropy bonus, the magnet and the temperature, against formulas written out."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from selfplay_helpers import rollout, row
from test_packing import random_rows
from test_trainer import ADVANTAGES, step, trainer

from arena.errors import SnapshotError
from selfplay import adapter as adapters
from selfplay.losses import clipped
from selfplay.sections import OptimSettings
from selfplay.trainer import ADAPTER, RoleConditionedTrainer
from selfplay.trajectories import Row

OPTIONS = {
    "cispo": {"epsilon_high": 5.0},
    "luspo": {"importance": "sequence"},
}


def logps_of(made: RoleConditionedTrainer, r: Row, temperature: float = 1.0) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probabilities of the learner's tokens of a row, and the entropies where they were sampled."""
    ids = torch.tensor([r.prompt_ids + r.completion_ids])
    own = torch.tensor(r.loss_mask).bool()
    full = (made.model(input_ids=ids).logits[0, len(r.prompt_ids) - 1 : -1] / temperature).log_softmax(-1)
    labels = torch.tensor(r.completion_ids)[:, None]
    return full.gather(1, labels).squeeze(1)[own], -(full.exp() * full).sum(-1)[own]


def gradients_of(made: RoleConditionedTrainer, objective: torch.Tensor) -> dict[str, torch.Tensor]:
    named = [(name, p) for name, p in made.model.named_parameters() if p.requires_grad]
    found = torch.autograd.grad(objective, [p for _, p in named])
    return {name: gradient for (name, _), gradient in zip(named, found, strict=True)}


def close(one: dict[str, torch.Tensor], two: dict[str, torch.Tensor]) -> None:
    assert one.keys() == two.keys()
    for name, gradient in one.items():
        torch.testing.assert_close(two[name], gradient, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("loss_type", ["bnpo", "cispo", "sapo", "luspo", "vespo"])
def test_the_number_of_micro_batches_changes_nothing(tiny: str, tmp_path: Path, loss_type: str) -> None:
    played = rollout(random_rows(5), ADVANTAGES)
    options = {"beta": 0.1, "loss_type": loss_type, "entropy_bonus": 0.05, **OPTIONS.get(loss_type, {})}
    one = step(trainer(tiny, tmp_path, played, micro_batches=1, **options))
    for parts in (3, 7):
        many = step(trainer(tiny, tmp_path, played, micro_batches=parts, **options))
        assert many[0] == pytest.approx(one[0], abs=1e-5)
        close(one[1], many[1])


def test_bnpo_over_the_whole_batch_is_dapo(tiny: str, tmp_path: Path) -> None:
    played = rollout(random_rows(5), ADVANTAGES)
    one = step(trainer(tiny, tmp_path, played, loss_type="bnpo", micro_batches=3))
    two = step(trainer(tiny, tmp_path, played, loss_type="dapo", micro_batches=2))
    assert one[0] == pytest.approx(two[0], abs=1e-6)
    close(one[1], two[1])


def test_cispo_caps_the_weight_and_keeps_every_tokens_gradient(tiny: str, tmp_path: Path) -> None:
    rows = random_rows(5)
    made = trainer(
        tiny, tmp_path, rollout(rows, ADVANTAGES), beta=0.0, loss_type="cispo", epsilon_high=1.5, micro_batches=2
    )
    total, tokens, beyond = torch.zeros(()), 0, 0
    for r, advantage in zip(rows, ADVANTAGES, strict=True):
        logps, _ = logps_of(made, r)
        old = torch.tensor(r.logprobs)[torch.tensor(r.loss_mask).bool()]
        ratio = (logps - old).exp().detach()
        total = total - (ratio.clamp(max=1.5) * advantage * logps).sum()
        tokens += len(logps)
        beyond += int((ratio > 1.5).sum())
    expected = gradients_of(made, total / tokens)
    loss, gradients = step(made)
    assert loss == pytest.approx((total / tokens).item(), abs=1e-5)
    close(expected, gradients)
    assert 0 < beyond < tokens
    assert float(made._sums[:, 4].sum()) == beyond


def test_a_cap_holds_the_ratio_that_a_negative_advantage_is_multiplied_by(tiny: str, tmp_path: Path) -> None:
    rows = [Row(**{**vars(r), "logprobs": tuple(-9.0 * own for own in r.loss_mask)}) for r in random_rows(3)]
    advantages = [-1.0] * len(rows)
    free = trainer(tiny, tmp_path, rollout(rows, advantages), beta=0.0, loss_type="dapo", micro_batches=2)
    capped = trainer(tiny, tmp_path, rollout(rows, advantages), beta=0.0, loss_type="dapo", ratio_cap=2.0)
    assert step(free)[0] > 10
    loss, gradients = step(capped)
    total, tokens = torch.zeros(()), 0
    for r in rows:
        logps, _ = logps_of(capped, r)
        ratio = (logps + 9.0).exp()
        total = total + torch.maximum(ratio.clamp(max=2.0), ratio.clamp(0.8, 1.2)).sum()
        tokens += len(logps)
    assert loss == pytest.approx(total.item() / tokens, rel=1e-4)
    close(gradients_of(capped, total / tokens), gradients)


def test_the_entropy_bonus_is_the_mean_entropy_of_the_batch(tiny: str, tmp_path: Path) -> None:
    rows = random_rows(4)
    made = trainer(tiny, tmp_path, rollout(rows, [0.0] * len(rows)), beta=0.0, entropy_bonus=0.5, micro_batches=3)
    entropies = torch.cat([logps_of(made, r)[1] for r in rows])
    expected = gradients_of(made, -0.5 * entropies.mean())
    loss, gradients = step(made)
    assert loss == pytest.approx(-0.5 * entropies.mean().item(), abs=1e-5)
    close(expected, gradients)


def test_clipped_counts_what_the_loss_does_not_let_through() -> None:
    ratios = torch.tensor([0.7, 0.9, 1.0, 1.25, 1.4]).log()
    assert clipped(ratios, OptimSettings()).tolist() == [1, 0, 0, 1, 1]
    assert clipped(ratios, OptimSettings(epsilon_high=0.3)).tolist() == [1, 0, 0, 0, 1]
    assert clipped(ratios, OptimSettings(loss_type="cispo", epsilon_high=1.2)).tolist() == [0, 0, 0, 1, 1]


def saved(made: RoleConditionedTrainer, folder: Path, factor: float) -> Path:
    """The trainer's adapter as a snapshot's file, scaled."""
    from safetensors.torch import save_file

    folder.mkdir()
    tensors = {name: (factor * p.detach()).contiguous() for name, p in adapters.parameters(made.model, ADAPTER).items()}
    save_file(tensors, str(folder / "adapter_model.safetensors"))
    return folder


def test_the_magnet_is_the_reference_and_leaves_the_adapter_alone(tiny: str, tmp_path: Path) -> None:
    rows = random_rows(4)
    made = trainer(tiny, tmp_path, rollout(rows, [0.0] * len(rows)), beta=0.5, micro_batches=2)
    before = {name: p.detach().clone() for name, p in made.model.named_parameters()}
    made._magnet = lambda update: saved(made, tmp_path / "same", 1.0)
    loss, gradients = step(made)
    assert loss == pytest.approx(0.0, abs=1e-6)  # drawn to where it is
    assert all(gradient.abs().max() < 1e-5 for gradient in gradients.values())
    far = saved(made, tmp_path / "far", 3.0)
    made._magnet = lambda update: far
    made.optimizer.zero_grad()
    loss, _ = step(made)
    assert loss > 1e-3
    kl = torch.zeros(())
    for r in rows:
        logps, _ = logps_of(made, r)
        with torch.no_grad(), adapters.holding(made.model, ADAPTER, adapters.read(far)):
            reference, _ = logps_of(made, r)
        old = torch.tensor(r.logprobs)[torch.tensor(r.loss_mask).bool()]
        ratio = (logps - old).exp()
        kl = kl + (((reference - logps).exp() - (reference - logps) - 1) * ratio).sum()
    assert loss == pytest.approx(0.5 * kl.item() / (len(rows) * 16), rel=1e-4)
    for name, p in made.model.named_parameters():
        assert torch.equal(p, before[name]), name
        assert p.requires_grad == (".default." in name), name


def test_weights_of_another_adapter_are_refused(tiny: str, tmp_path: Path) -> None:
    made = trainer(tiny, tmp_path, rollout(random_rows(1), ADVANTAGES))
    tensors = dict(adapters.parameters(made.model, ADAPTER))
    tensors.pop(sorted(tensors)[0])
    with pytest.raises(SnapshotError, match="another adapter"):
        adapters.put(made.model, ADAPTER, tensors)


def test_going_back_restores_weights_and_forgets_the_moments(tiny: str, tmp_path: Path) -> None:
    made = trainer(tiny, tmp_path, rollout(random_rows(1), ADVANTAGES), beta=0.1)
    folder = saved(made, tmp_path / "kept", 1.0)
    kept = adapters.read(folder)
    step(made)
    made.optimizer = made.accelerator.prepare(made.optimizer)
    made.optimizer.step()
    changed = adapters.parameters(made.model, ADAPTER)
    assert any(not torch.equal(changed[name], kept[name]) for name in kept)
    made.load_adapter(folder, fresh_optimiser=True)
    assert all(torch.equal(changed[name], kept[name]) for name in kept)  # in the very parameters that are trained
    assert made.optimizer.state_dict()["state"] == {}


def test_another_temperature_is_trained_as_it_is_sampled(tiny: str, tmp_path: Path) -> None:
    r = row([7, 8, 9], [10, 1], [1, 1])
    made = trainer(tiny, tmp_path, rollout([r], [1.0]), beta=0.0, epsilon=1e6, micro_batches=1)
    for temperature in (2.0, 0.5, 1.0):
        made.sample_at(temperature)
        logps, entropies = logps_of(made, r, temperature)
        loss, _ = step(made)
        assert loss == pytest.approx(-(logps + 3.0).exp().sum().item() / 16, rel=1e-5)
        assert float(made._sums[0, 1]) == pytest.approx(entropies.sum().item(), rel=1e-5)
        made.optimizer.zero_grad()
