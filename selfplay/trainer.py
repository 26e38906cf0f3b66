"""`RoleConditionedTrainer`: TRL's GRPO trainer, fed by matches instead of prompts.

TRL asks one method for a generated and scored batch. This one plays the update's matches there and returns their
rows: ids, masks, the sampler's log-probabilities, role-conditioned advantages, and the reference's log-probabilities
(adapter off). The loss, clipping, optimisation, accumulation and distribution are TRL's and transformers'.

How losses are averaged. TRL divides each micro-batch's loss by the size of that micro-batch, which is right when all
are equal. Here the number of rows varies and micro-batches hold rows of one length, so each loss is weighted back:

    dr_grpo  sum over all sampled tokens / (trajectories × tokens_per_trajectory)
    grpo     mean over all rows of the mean over the row's sampled tokens
    dapo     mean over all sampled tokens

The gradient then depends neither on padding nor on the number of micro-batches; with dr_grpo and dapo not on how
turns are packed into rows either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset  # type: ignore[import-untyped]  # it publishes no types
from transformers import PrinterCallback, ProgressCallback
from trl import GRPOTrainer
from trl.trainer.utils import disable_dropout_in_model, use_adapter

from arena.models.registry import BaseModel
from selfplay.arguments import arguments, lora_config, never_called
from selfplay.batching import Batch, Share, part, shares, to_batch
from selfplay.cadence import Cadence
from selfplay.config import SelfPlayConfig
from selfplay.metrics import Group, TokenStats
from selfplay.packing import Packed, make_packs
from selfplay.rollouts import Rollout

ADAPTER = "default"
"""PEFT's name of the adapter that learns."""


@dataclass(frozen=True, kw_only=True)
class Trained:
    """What an optimiser step reports.

    Attributes:
        update: optimiser steps taken, this one included.
        loss, grad_norm, learning_rate: of the step; the norm is before clipping.
        tokens: sums over the learner's tokens, per (game, role).
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
    ) -> None:
        self._rollout = rollout
        self._on_update = on_update
        self._on_checkpoint = on_checkpoint
        self._shares: list[Share] = []
        self._trajectories = 0
        self._packed: Packed | None = None
        self._columns: tuple[torch.Tensor, ...] | None = None
        self._logps: torch.Tensor | None = None
        self._entropies: torch.Tensor | None = None
        self._micro_batches: list[Batch] = []
        self._groups: Sequence[Group] = ()
        self._sums = torch.zeros(0, 4, dtype=torch.float64)
        disable_dropout_in_model(base.model)
        super().__init__(
            model=base.model,
            reward_funcs=never_called,
            args=arguments(config, base, scratch),
            # One epoch of placeholders, as many as all updates consume: matches are the data.
            train_dataset=Dataset.from_dict({"prompt": [""] * (config.updates * config.optim.micro_batches)}),
            processing_class=base.tokenizer,
            peft_config=lora_config(config),
        )
        self.model.get_base_model().base_model.register_forward_hook(self._only_predictors)
        for callback in (ProgressCallback, PrinterCallback):
            self.remove_callback(callback)
        self.add_callback(Cadence(save_now, stop_now))

    # --- TRL's seam ------------------------------------------------------------------------------------------------

    def _generate_and_score_completions(self, inputs: Any) -> Batch:
        """Play the update's matches; all their rows as one padded batch, in the order of their packs."""
        self.model.eval()
        rollout = self._rollout(self.state.global_step)
        self.model.train()
        device = self.accelerator.device
        packs = make_packs(rollout.rows)
        order = [index for pack in packs for index in pack.rows]
        rows = [rollout.rows[i] for i in order]
        self._groups = sorted({(row.game, row.role) for row in rows})
        self._sums = torch.zeros(len(self._groups), 4, dtype=torch.float64)
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
        )
        self._trajectories = rollout.trajectories
        if self.beta != 0.0:
            batch["ref_per_token_logps"] = self._reference(batch["old_per_token_logps"])
        return batch

    def _prepare_inputs(self, generation_batch: Any) -> Batch:
        """One micro-batch. TRL would shuffle the rows with the global generator and cut them into equal parts."""
        position: int = self._step % self.args.steps_per_generation
        if position == 0:
            batch = self._generate_and_score_completions(generation_batch)
            self._micro_batches = [self._micro_batch(batch, share) for share in self._shares]
        return self._micro_batches[position]

    def _micro_batch(self, batch: Batch, share: Share) -> Batch:
        """A share of the batch, with the weight that undoes TRL's division by its own size."""
        micro = part(batch, share.first, share.first + share.rows)
        micro["packed"] = share.packed
        undo = share.rows * self.args.steps_per_generation
        weights = {"dr_grpo": undo / self._trajectories, "grpo": undo / batch["prompt_ids"].shape[0]}
        micro["weight"] = 0.0 if share.empty else weights.get(self.loss_type, 1.0)
        if share.empty:
            micro["tool_mask"] = torch.zeros_like(micro["tool_mask"])
        return micro

    @torch.no_grad()
    def _reference(self, like: torch.Tensor) -> torch.Tensor:
        """Log-probabilities (R, T) of the learner's tokens under the base model; 0 elsewhere."""
        made = torch.zeros_like(like)
        with use_adapter(self.accelerator.unwrap_model(self.model), adapter_name=None):
            for share in self._shares:
                if not share.empty:
                    rows = slice(share.first, share.first + share.rows)
                    made[rows] = self._score(self.model, share.packed, made[rows].shape)[0]
        return made

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
        self._logps, self._entropies = made[0].detach(), made[1].detach()
        return made

    def _compute_loss(self, model: Any, inputs: Batch) -> torch.Tensor:
        self._packed = inputs["packed"]
        try:
            loss: torch.Tensor = super()._compute_loss(model, inputs)
            self._sum_tokens(inputs)
        finally:
            self._packed = self._logps = self._entropies = None
        weight: float = inputs["weight"]
        return loss * weight

    @torch.no_grad()
    def _sum_tokens(self, inputs: Batch) -> None:
        """Add this micro-batch to the sums per (game, role): tokens, entropy, KL to reference, KL to sampler."""
        assert self._logps is not None, "the forward pass has just run"
        assert self._entropies is not None, "the forward pass has just run"
        mask = inputs["tool_mask"].double()
        reference = inputs.get("ref_per_token_logps", self._logps)
        values = torch.stack(
            [
                mask,
                self._entropies.double() * mask,
                k3(reference - self._logps) * mask,
                k3(self._logps - inputs["old_per_token_logps"]) * mask,
            ]
        ).sum(-1)
        self._sums.index_add_(0, inputs["groups"].cpu(), values.T.cpu())

    # --- transformers' hooks ---------------------------------------------------------------------------------------

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Report the step. The history that transformers keeps in memory is dropped: metrics.jsonl has it."""
        super().log(logs, start_time)
        self.state.log_history.clear()
        if "loss" in logs:
            self._on_update(
                Trained(
                    update=self.state.global_step,
                    loss=float(logs["loss"]),
                    grad_norm=float(logs["grad_norm"]),
                    learning_rate=float(logs["learning_rate"]),
                    tokens={
                        group: TokenStats(*sums) for group, sums in zip(self._groups, self._sums.tolist(), strict=True)
                    },
                )
            )

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        super()._save_checkpoint(model, trial)
        step = self.state.global_step
        self._on_checkpoint(step, Path(self.args.output_dir) / f"checkpoint-{step}")

    def checkpoint(self) -> None:
        """Write a checkpoint of the state after the last complete update."""
        self._save_checkpoint(self.model, trial=None)

    def load_adapter(self, checkpoint: Path) -> None:
        """Put a checkpoint's weights into the adapter that learns."""
        self._load_from_checkpoint(str(checkpoint))

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        """Only the adapter that learns: transformers would save the frozen opponents loaded beside it as well."""
        self.accelerator.unwrap_model(self.model).save_pretrained(
            output_dir or self.args.output_dir, selected_adapters=[ADAPTER], save_embedding_layers=False
        )

    def create_model_card(self, *args: Any, **kwargs: Any) -> None:
        """None: a checkpoint is for resuming, and snapshots say what they are."""


def k3(log_ratio: torch.Tensor) -> torch.Tensor:
    """exp(x) − x − 1: an estimate of KL(π‖q) from samples of π with x = log q − log π, never negative."""
    log_ratio = log_ratio.double()
    return torch.expm1(log_ratio) - log_ratio
