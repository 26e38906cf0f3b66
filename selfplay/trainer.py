"""`RoleConditionedTrainer`: TRL's GRPO trainer, fed by matches instead of prompts.

TRL asks one method for a generated and scored batch. This one plays the update's matches there and returns their
rows: ids, masks, the sampler's log-probabilities, role-conditioned advantages, and the reference's log-probabilities
(adapter off, or the magnet in its place). The loss, clipping, optimisation, accumulation and distribution are TRL's
and transformers'.

How losses are averaged, whatever the micro-batches, stands in `losses`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset  # type: ignore[import-untyped]  # it publishes no types
from transformers import PrinterCallback, ProgressCallback, TrainerCallback
from trl import GRPOTrainer
from trl.trainer.utils import add_fused_lm_head, disable_dropout_in_model, use_adapter

from arena.models.registry import BaseModel
from selfplay import adapter as adapters
from selfplay.arguments import arguments, lora_config, never_called
from selfplay.batching import Batch, Share, part, shares, to_batch
from selfplay.cadence import Cadence
from selfplay.config import SelfPlayConfig
from selfplay.losses import Sizes, clipped, k3, weight
from selfplay.metrics import Group, TokenStats
from selfplay.packing import Packed, make_packs
from selfplay.ranks import Ranks
from selfplay.rollouts import ALONE, Rollout

ADAPTER = "default"
"""PEFT's name of the adapter that learns."""


@dataclass(frozen=True, kw_only=True)
class Trained:
    """What an update reports.

    Attributes:
        update: updates done, this one included.
        loss, grad_norm, learning_rate: of its last optimiser step; the norm is before clipping.
        tokens: sums over the learner's tokens and the update's passes, per (game, role).
    """

    update: int
    loss: float
    grad_norm: float
    learning_rate: float
    tokens: dict[Group, TokenStats]


class RoleConditionedTrainer(GRPOTrainer):  # type: ignore[misc]  # trl publishes no types
    """Trains a LoRA adapter on the matches that `rollout` plays.

    Args:
        base: the base model; its modules are wrapped in place.
        config: the run's config.
        scratch: folder for half-written checkpoints.
        rollout: plays the matches of update n (n optimiser steps taken).
        on_update: called after every optimiser step.
        on_checkpoint: called with the folder of a complete trainer checkpoint, to add to it and publish it.
        save_now: asked after update n whether to write a checkpoint.
        stop_now: asked after every update whether to save and end there.
        magnet: folder of the snapshot that is the reference of update n, None for the base model.
        name: of the run, for trackers.
        trackers: callbacks that get what is logged, with the numbers of `tracked`.
        tracked: asked after `on_update`, for the numbers that go with the step.
        ranks: the processes that train together; `rollout` gives all of them the same rows.
    """

    def __init__(
        self,
        base: BaseModel,
        config: SelfPlayConfig,
        *,
        scratch: Path,
        rollout: Callable[[int], Rollout],
        on_update: Callable[[Trained], None],
        on_checkpoint: Callable[[int, Path], None],
        save_now: Callable[[int], bool],
        stop_now: Callable[[], bool],
        magnet: Callable[[int], Path | None] = lambda update: None,
        name: str = "",
        trackers: Sequence[TrainerCallback] = (),
        tracked: Callable[[], Mapping[str, float]] = dict,
        ranks: Ranks = ALONE,
    ) -> None:
        self._optim = config.optim
        self._ranks = ranks
        self._temperature = config.sampling.temperature
        self._magnet = magnet
        self._magnet_weights: tuple[Path, dict[str, torch.Tensor]] | None = None
        self._rollout = rollout
        self._on_update = on_update
        self._tracked = tracked
        self._stop_now = stop_now
        self._on_checkpoint = on_checkpoint
        self._shares: list[Share] = []
        self._trajectories = 0
        self._packed: Packed | None = None
        self._columns: tuple[torch.Tensor, ...] | None = None
        self._logps: torch.Tensor | None = None
        self._entropies: torch.Tensor | None = None
        self._micro_batches: list[Batch] = []
        self._groups: Sequence[Group] = ()
        self._sums = torch.zeros(0, 5, dtype=torch.float64)
        disable_dropout_in_model(base.model)
        super().__init__(
            model=base.model,
            reward_funcs=never_called,
            args=arguments(config, base, scratch, name),
            # One epoch of placeholders, as many as all updates consume: matches are the data.
            train_dataset=Dataset.from_dict(
                {"prompt": [""] * (config.updates * config.optim.passes * config.optim.micro_batches * ranks.size)}
            ),
            processing_class=base.tokenizer,
            peft_config=lora_config(config),
            callbacks=list(trackers),
        )
        self.model.get_base_model().base_model.register_forward_hook(self._only_predictors)
        for callback in (ProgressCallback, PrinterCallback):
            self.remove_callback(callback)
        self.add_callback(Cadence(save_now, stop_now, steps=config.optim.passes))

    @property
    def update(self) -> int:
        """Updates done: optimiser steps, unless the matches of an update are passed over several times."""
        return int(self.state.global_step) // self._optim.passes

    # --- TRL's seam ------------------------------------------------------------------------------------------------

    def _generate_and_score_completions(self, inputs: Any) -> Batch:
        """Play the update's matches; all their rows as one padded batch, in the order of their packs."""
        self.model.eval()
        rollout = self._rollout(self.update)
        device = self.accelerator.device
        packs = make_packs(rollout.rows)
        order = [index for pack in packs for index in pack.rows]
        rows = [rollout.rows[i] for i in order]
        self._groups = sorted({(row.game, row.role) for row in rows})
        self._sums = torch.zeros(len(self._groups), 5, dtype=torch.float64)
        batch = to_batch(
            rows,
            [rollout.advantages[i] for i in order],
            [self._groups.index((row.game, row.role)) for row in rows],
            pad_id=self.processing_class.pad_token_id,
            device=device,
        )
        self._shares = shares(
            rollout.rows,
            packs,
            self.args.steps_per_generation,
            pad_id=self.processing_class.pad_token_id,
            device=device,
            rank=self._ranks.rank,
            ranks=self._ranks.size,
        )
        self._trajectories = rollout.trajectories
        if self.beta != 0.0:
            batch["ref_per_token_logps"] = self._reference(batch["old_per_token_logps"])
        self.model.train()
        return batch

    def _prepare_inputs(self, generation_batch: Any) -> Batch:
        """One micro-batch. TRL would shuffle the rows with the global generator and cut them into equal parts."""
        position: int = self._step % self.args.steps_per_generation
        if position == 0 and self.state.global_step % self._optim.passes == 0:
            batch = self._generate_and_score_completions(generation_batch)
            self._micro_batches = [self._micro_batch(batch, share) for share in self._shares]
        return self._micro_batches[position]

    def _micro_batch(self, batch: Batch, share: Share) -> Batch:
        """A share of the batch, with the weight that undoes TRL's division by its own size."""
        micro = part(batch, share.first, share.first + share.rows, share.height)
        micro["packed"] = share.packed
        micro["weight"] = (
            0.0
            if share.empty
            else weight(
                self.loss_type,
                Sizes(rows=share.height, tokens=int(micro["tool_mask"].sum())),
                Sizes(rows=batch["prompt_ids"].shape[0], tokens=int(batch["num_items_in_batch"])),
                parts=self.args.steps_per_generation * self._ranks.size,
                trajectories=self._trajectories,
            )
        )
        if share.empty:
            micro["tool_mask"] = torch.zeros_like(micro["tool_mask"])
        return micro

    @torch.no_grad()
    def _reference(self, like: torch.Tensor) -> torch.Tensor:
        """Log-probabilities (R, T) of the learner's tokens under the reference; 0 elsewhere."""
        made = torch.zeros_like(like)
        with self._as_reference():
            for share in self._shares:
                if not share.empty:
                    rows = slice(share.first, share.first + share.rows)
                    made[rows] = self._score(self.model, share.packed, made[rows].shape)[0]
        return made

    def _as_reference(self) -> AbstractContextManager[Any]:
        """Within this context the model is the reference of the coming update."""
        folder = self._magnet(self.update)
        model = self.accelerator.unwrap_model(self.model)
        if folder is None:
            made: AbstractContextManager[Any] = use_adapter(model, adapter_name=None)
            return made
        if self._magnet_weights is None or self._magnet_weights[0] != folder:
            self._magnet_weights = folder, adapters.read(folder)
        return adapters.holding(model, ADAPTER, self._magnet_weights[1])

    def _score(self, model: Any, packed: Packed, shape: Sequence[int], **inputs: Any) -> tuple[Any, Any, Any]:
        """Log-probabilities and entropies (rows, T) of the learner's tokens, 0 elsewhere; and the model's own loss."""
        self._columns = tuple(packed.source)
        try:
            with self.accelerator.autocast():
                out = model(
                    input_ids=packed.input_ids,
                    attention_mask=packed.mask,
                    position_ids=packed.position_ids,
                    shift_labels=packed.labels[None],
                    fused_lm_head=True,
                    **inputs,
                )
        finally:
            self._columns = None

        def unpack(values: torch.Tensor) -> torch.Tensor:
            return values.new_zeros(*shape).index_put(tuple(packed.target), values[0])

        return unpack(out.log_probs), unpack(out.entropy), out.aux_loss

    def _only_predictors(self, module: Any, args: Any, output: Any) -> Any:
        """Forward hook of the backbone: hand TRL's head only the hidden states that predict the learner's tokens."""
        if self._columns is not None:
            output.last_hidden_state = output.last_hidden_state[self._columns][None]
        return output

    def _get_per_token_logps_and_entropies(
        self, model: Any, input_ids: Any, attention_mask: Any, logits_to_keep: int, **kwargs: Any
    ) -> tuple[Any, Any, Any]:
        """As TRL's, from the micro-batch's packs; and 0 outside the loss mask.

        TRL multiplies other tokens by 0 after exponentiating the differences of their log-probabilities. A token that
        the learner never samples can be so improbable that this overflows, and infinity times 0 is not a number.
        """
        assert self._packed is not None, "called within _compute_loss"
        inputs = {"output_router_logits": True} if kwargs.get("compute_aux_loss") else {}
        made = self._score(model, self._packed, (input_ids.shape[0], logits_to_keep), **inputs)
        self._logps, self._entropies = made[0].detach(), made[1]
        return made

    def _compute_loss(self, model: Any, inputs: Batch) -> torch.Tensor:
        self._packed = inputs["packed"]
        try:
            loss: torch.Tensor = super()._compute_loss(model, inputs) * inputs["weight"]
            if self._optim.entropy_bonus and self._entropies is not None:
                # TRL's own bonus is a mean per micro-batch; this one is a mean over the whole batch.
                bonus = (self._entropies * inputs["tool_mask"]).sum() / inputs["num_items_in_batch"].clamp(min=1)
                loss = loss - self._optim.entropy_bonus * bonus * self._ranks.size  # DDP takes the mean over ranks
            self._sum_tokens(inputs)
        finally:
            self._packed = self._logps = self._entropies = None
        return loss

    @torch.no_grad()
    def _sum_tokens(self, inputs: Batch) -> None:
        """Add this micro-batch to the sums per (game, role), in the order of `TokenStats`."""
        assert self._logps is not None, "the forward pass has just run"
        assert self._entropies is not None, "the forward pass has just run"
        mask = inputs["tool_mask"].double()
        reference = inputs.get("ref_per_token_logps", self._logps)
        to_sampler = self._logps - inputs["old_per_token_logps"]
        values = torch.stack(
            [
                mask,
                self._entropies.double() * mask,
                k3(reference - self._logps) * mask,
                k3(to_sampler) * mask,
                clipped(to_sampler, self._optim) * mask,
            ]
        ).sum(-1)
        self._sums.index_add_(0, inputs["groups"].cpu(), values.T.cpu())

    # --- transformers' hooks ---------------------------------------------------------------------------------------

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Report the step. The history that transformers keeps in memory is dropped: metrics.jsonl has it."""
        complete = "loss" in logs and self.state.global_step % self._optim.passes == 0
        if complete:
            sums = torch.stack(self._ranks.exchange(self._sums)).sum(0)
            self._on_update(
                Trained(
                    update=self.update,
                    loss=float(logs["loss"]),
                    grad_norm=float(logs["grad_norm"]),
                    learning_rate=float(logs["learning_rate"]),
                    tokens={
                        group: TokenStats(*values) for group, values in zip(self._groups, sums.tolist(), strict=True)
                    },
                )
            )
            logs = {**logs, **self._tracked()}
        super().log(logs, start_time)
        self.state.log_history.clear()
        if complete and self._stop_now():  # also where the update itself was the reason
            self.control.should_save = self.control.should_training_stop = True

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        super()._save_checkpoint(model, trial)
        step = self.state.global_step
        self._on_checkpoint(self.update, Path(self.args.output_dir) / f"checkpoint-{step}")

    def checkpoint(self) -> None:
        """Write a checkpoint of the state after the last complete update."""
        self._save_checkpoint(self.model, trial=None)

    def load_adapter(self, folder: Path, *, fresh_optimiser: bool = False) -> None:
        """Put the weights of a checkpoint or snapshot into the adapter that learns.

        Args:
            folder: with the adapter's file.
            fresh_optimiser: forget its moments too; they belong to the weights that are given up.
        """
        adapters.put(self.accelerator.unwrap_model(self.model), ADAPTER, adapters.read(folder))
        if fresh_optimiser:
            wrapped: Any = self.optimizer
            wrapped.optimizer.state.clear()

    def sample_at(self, temperature: float) -> None:
        """Train what is sampled at this temperature from now on."""
        if temperature != self._temperature:
            self.temperature = self._temperature = temperature
            add_fused_lm_head(
                self.accelerator.unwrap_model(self.model).get_base_model(),
                temperature=temperature,
                cast_lm_head_to_fp32=self.args.cast_lm_head_to_fp32,
                outputs=("log_probs", "entropy"),
            )

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        """Only the adapter that learns: transformers would save the frozen opponents loaded beside it as well."""
        self.accelerator.unwrap_model(self.model).save_pretrained(
            output_dir or self.args.output_dir, selected_adapters=[ADAPTER], save_embedding_layers=False
        )

    def create_model_card(self, *args: Any, **kwargs: Any) -> None:
        """None: a checkpoint is for resuming, and snapshots say what they are."""
