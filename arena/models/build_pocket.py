"""Make the embedded model `pocket` from scratch: tokenizer, pretraining, safetensors.

    python -m arena.models.build_pocket --out arena/models/pocket

A Llama-architecture model of about 0.7 million parameters with its own byte-level BPE tokenizer and chat template.
It is trained by transformers' Trainer on what `arena.models.pocket_data` generates, so the whole of it can be made
again on a laptop: half an hour on two slow cores. Equal seeds on the same machine give the same weights.

The tokenizer lets merges run over spaces inside a sentence fragment (as in SuperBPE, arXiv 2503.13423): the rules
and the board phrases that come in every prompt shrink to a few tokens, which is what makes self-play affordable on
a CPU. Digits, brackets, marks, punctuation and line ends always stand alone, so numbers, answers and boards keep
their parts.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.models.pocket_data import Message, Mix, documents

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerFast

SPECIAL = ("<|pad|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>")
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)


@dataclass(frozen=True, kw_only=True)
class Phase:
    """A part of the training: what is learnt from, for how many steps, at what peak learning rate."""

    mix: Mix = field(default_factory=Mix)
    steps: int = 7500
    learning_rate: float = 2e-3


CARDS = Phase(
    mix=Mix(matches={"kuhn_poker": 40_000, "tic_tac_toe": 4_000, "simple_negotiation": 6_000}, tasks=2_000),
    steps=6900,
    learning_rate=1.5e-3,
)
"""Mostly poker: that a card decides what to do is a faint signal among bots that often ignore theirs, and it takes
many short hands until hidden states carry the card to where an action is chosen."""

BLUNT = Phase(
    mix=Mix(
        matches={"kuhn_poker": 1_200, "tic_tac_toe": 1_200, "simple_negotiation": 1_800},
        greedy_shares={"kuhn_poker": 0.15, "tic_tac_toe": 0.15},
        tasks=320,
    ),
    steps=600,
    learning_rate=6e-4,
)
"""Short, and mostly of random play: the habits of a fair player go, what was learnt of cards and squares stays, and
self-play has something to find."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Everything that decides the weights."""

    phases: tuple[Phase, ...] = (Phase(), CARDS, BLUNT)
    seed: int = 0
    vocab: int = 1024
    hidden: int = 128
    layers: int = 4
    heads: int = 4
    kv_heads: int = 2
    intermediate: int = 256
    context: int = 1024
    batch: int = 16
    prompt_weight: float = 0.1
    """Weight of a prompt token's loss beside 1 for an answer's: predicting how a position goes on makes the hidden
    states tell positions apart, and answers stay what is mainly learnt."""


def make_tokenizer(texts: Iterator[str], vocab: int) -> PreTrainedTokenizerFast:
    """Train the byte-level BPE tokenizer; any text encodes, since all 256 bytes are in its alphabet."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    core = Tokenizer(models.BPE())
    alone = pre_tokenizers.Split(Regex(r" ?\[|\b[XO]\b|[\d\]\n.,:;!?>|/()'\"-]"), behavior="isolated")
    core.pre_tokenizer = pre_tokenizers.Sequence(
        [alone, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    core.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab,
        special_tokens=list(SPECIAL),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    core.train_from_iterator(texts, trainer)
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]  # transformers types its models only
        tokenizer_object=core,
        pad_token=SPECIAL[0],
        eos_token=SPECIAL[1],
        extra_special_tokens=list(SPECIAL[2:]),
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )
    tokenizer.chat_template = CHAT_TEMPLATE
    return tokenizer


def encode(tokenizer: Any, doc: Sequence[Message], prompt_weight: float) -> tuple[list[int], list[float]]:
    """Token ids of one conversation, and the weight of each one's loss."""
    ids: list[int] = []
    weights: list[float] = []
    end = tokenizer.eos_token_id
    for message in doc:
        role = tokenizer.convert_tokens_to_ids(f"<|{message['role']}|>")
        body = [*tokenizer.encode(message["content"], add_special_tokens=False), end]
        planted = message.get("learn") == "no"
        weight = 0.0 if planted else 1.0 if message["role"] == "assistant" else prompt_weight
        ids += [role, *body]
        weights += [0.0] + [weight] * len(body)
    return ids, weights


def make_model(recipe: Recipe, tokenizer: PreTrainedTokenizerFast) -> Any:
    """A fresh LlamaForCausalLM with tied embeddings."""
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=recipe.hidden,
        intermediate_size=recipe.intermediate,
        num_hidden_layers=recipe.layers,
        num_attention_heads=recipe.heads,
        num_key_value_heads=recipe.kv_heads,
        max_position_embeddings=recipe.context,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        initializer_range=0.04,
    )
    return LlamaForCausalLM(config)


def train(model: Any, rows: Sequence[tuple[list[int], list[float]]], phase: Phase, recipe: Recipe, out: Path) -> float:
    """One phase of training, by transformers' Trainer; returns the mean training loss.

    Args:
        model: trained in place.
        rows: ids and loss weights per document.
        phase: steps and learning rate.
        recipe: everything else.
        out: folder that Trainer may use.
    """
    import torch
    from transformers import Trainer, TrainingArguments

    def collate(batch: list[dict[str, list[int]]]) -> dict[str, torch.Tensor]:
        width = max(len(row["input_ids"]) for row in batch)

        def pad(key: str, value: float) -> torch.Tensor:
            return torch.tensor([row[key] + [value] * (width - len(row[key])) for row in batch])

        # Padding stands on the right with weight 0, and nothing looks right: no attention mask is needed.
        return {"input_ids": pad("input_ids", model.config.pad_token_id), "weights": pad("weights", 0.0)}

    class WeightedTrainer(Trainer):
        """Trainer whose loss is a weighted mean over tokens."""

        def compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> torch.Tensor:
            weights = inputs["weights"][:, 1:]
            logits = model(input_ids=inputs["input_ids"], use_cache=False).logits[:, :-1]
            losses = torch.nn.functional.cross_entropy(
                logits.transpose(1, 2), inputs["input_ids"][:, 1:], reduction="none"
            )
            loss: torch.Tensor = (losses * weights).sum() / weights.sum()
            return loss

    arguments = TrainingArguments(
        output_dir=str(out),
        max_steps=phase.steps,
        per_device_train_batch_size=recipe.batch,
        learning_rate=phase.learning_rate,
        lr_scheduler_type="cosine",
        warmup_steps=min(200, phase.steps // 10),
        weight_decay=0.05,
        adam_beta2=0.98,
        max_grad_norm=1.0,
        train_sampling_strategy="group_by_length",
        logging_steps=100,
        save_strategy="no",
        report_to=[],
        seed=recipe.seed,
        use_cpu=True,
        dataloader_pin_memory=False,
        remove_unused_columns=False,
    )
    data = [{"input_ids": ids, "weights": weights} for ids, weights in rows]
    trainer = WeightedTrainer(model=model, args=arguments, train_dataset=data, data_collator=collate)
    return float(trainer.train().training_loss)


def phase_rows(recipe: Recipe, number: int, tokenizer: Any) -> list[tuple[list[int], list[float]]]:
    """The encoded documents of a phase.

    Its matches are its own; its tasks may be some of an earlier phase's, since neighbouring seeds share items.
    """
    docs = documents(recipe.phases[number].mix, recipe.seed * len(recipe.phases) + number)
    rows = [encode(tokenizer, doc, recipe.prompt_weight) for doc in docs]
    return [row for row in rows if len(row[0]) <= recipe.context]


def pretrain(recipe: Recipe, out: Path) -> dict[str, Any]:
    """Generate, train, and write the model folder.

    Returns:
        What was made: parameters, and per phase documents, tokens and mean training loss.
    """
    from transformers import set_seed

    first = documents(recipe.phases[0].mix, recipe.seed * len(recipe.phases))
    tokenizer = make_tokenizer((m["content"] for doc in first[:20_000] for m in doc), recipe.vocab)
    set_seed(recipe.seed)  # Trainer and the initial weights draw from the global streams of this process
    model = make_model(recipe, tokenizer)
    made: dict[str, Any] = {"recipe": asdict(recipe), "parameters": model.num_parameters(), "phases": []}
    for number, phase in enumerate(recipe.phases):
        rows = phase_rows(recipe, number, tokenizer)
        loss = train(model, rows, phase, recipe, out)
        tokens = sum(len(ids) for ids, _ in rows)
        made["phases"].append({"documents": len(rows), "tokens": tokens, "train_loss": round(loss, 4)})
    write(model, tokenizer, made, out)
    return made


def write(model: Any, tokenizer: Any, made: dict[str, Any], out: Path) -> None:
    """Save the model folder, with what it was made from."""
    out.mkdir(parents=True, exist_ok=True)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)
    (out / "pocket.json").write_text(json.dumps(made, indent=1, sort_keys=True) + "\n")


def scaled(recipe: Recipe, scale: float) -> Recipe:
    """The same recipe with less of everything that takes time."""

    def smaller(phase: Phase) -> Phase:
        matches = {game: round(n * scale) for game, n in phase.mix.matches.items()}
        mix = replace(phase.mix, matches=matches, tasks=round(phase.mix.tasks * scale))
        return replace(phase, mix=mix, steps=max(1, round(phase.steps * scale)))

    return replace(recipe, phases=tuple(smaller(phase) for phase in recipe.phases))


def main(argv: Sequence[str] | None = None) -> int:
    """Command line of the build."""
    parser = argparse.ArgumentParser(description="Make the embedded model from scratch.")
    parser.add_argument("--out", type=Path, required=True, help="folder to write the model to")
    parser.add_argument("--scale", type=float, default=1.0, help="scales matches, tasks and steps, for a quick try")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)
    made = pretrain(scaled(Recipe(seed=args.seed), args.scale), args.out)
    sys.stdout.write(json.dumps(made, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
