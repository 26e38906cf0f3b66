"""Easy generated reasoning tasks, from the `reasoning-gym` package, in the one wording that everyone uses.

reasoning-gym draws item number i of a data set with seed s from `Random(s + i)`: what decides an item is that sum. The
embedded model is pretrained on sums below `EVALUATION_SEED`; evaluation has those from there on, a block of
`EVALUATION_SEED` for each of its own seeds, so that no two of its seeds share an item. Families with few possible
questions repeat some all the same; how many of its questions stood in the training data, evaluation reports.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from games.errors import GameError
from games.suggest import unknown

EVALUATION_SEED = 1_000_000
"""First seed that belongs to evaluation; smaller ones may be trained on. Also the most items of one evaluation."""


class UnknownTaskError(GameError, KeyError):
    """A task family that does not exist."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, kw_only=True)
class TaskFamily:
    """A reasoning-gym data set at a set difficulty.

    Attributes:
        name: our name for it. dataset: reasoning-gym's. settings: its difficulty.
        summary: one line for people.
    """

    name: str
    dataset: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    summary: str = ""


@dataclass(frozen=True, kw_only=True)
class Item:
    """One question with its reference answer; `entry` is what reasoning-gym's scorer needs."""

    family: str
    index: int
    seed: int
    question: str
    answer: str
    entry: Mapping[str, Any]


def _family(name: str, summary: str, **settings: Any) -> tuple[str, TaskFamily]:
    return name, TaskFamily(name=name, dataset=name, settings=MappingProxyType(settings), summary=summary)


TASK_FAMILIES: Mapping[str, TaskFamily] = MappingProxyType(
    dict(
        [
            _family(
                "chain_sum",
                "add and subtract two numbers of one or two digits",
                min_terms=2,
                max_terms=2,
                min_digits=1,
                max_digits=2,
            ),
            _family(
                "gcd", "greatest common divisor of two numbers", min_numbers=2, max_numbers=2, min_value=1, max_value=60
            ),
            _family("letter_counting", "count a letter in a word", min_words=1, max_words=1),
            _family("spell_backward", "spell a short word backward", min_word_len=3, max_word_len=4),
            _family("syllogism", "does the conclusion follow, yes or no"),
        ]
    )
)


@lru_cache(maxsize=64)
def _dataset(family: str, n: int, seed: int) -> Any:
    if family not in TASK_FAMILIES:
        raise UnknownTaskError(unknown("task family", family, TASK_FAMILIES))
    import reasoning_gym

    spec = TASK_FAMILIES[family]
    return reasoning_gym.create_dataset(spec.dataset, size=n, seed=seed, **spec.settings)


def items(family: str, n: int, seed: int) -> list[Item]:
    """`n` items of a family; equal arguments give equal items, and so do equal sums of seed and index.

    Raises:
        UnknownTaskError: no such family.
        ValueError: items for training that would run into those of evaluation.
    """
    if seed < EVALUATION_SEED < seed + n:
        raise ValueError(f"{n} items from seed {seed} on reach into evaluation's, which begin at {EVALUATION_SEED}.")
    data = _dataset(family, n, seed)
    made = []
    for index in range(n):
        entry = data[index]
        made.append(
            Item(
                family=family,
                index=index,
                seed=seed,
                question=str(entry["question"]).strip(),
                answer=str(entry["answer"]),
                entry=entry,
            )
        )
    return made


def evaluation_items(family: str, n: int, seed: int) -> list[Item]:
    """`n` items for evaluation; seeds have no items in common, and none with training.

    Raises:
        UnknownTaskError: no such family.
        ValueError: more than `EVALUATION_SEED` items, or a negative seed.
    """
    if not 0 <= n <= EVALUATION_SEED or seed < 0:
        raise ValueError(f"{n} items with seed {seed}: evaluation has 0 to {EVALUATION_SEED:,} items, seeds from 0 on.")
    return items(family, n, EVALUATION_SEED * (1 + seed))


def score(item: Item, answer: str | None) -> float:
    """reasoning-gym's own score in [0, 1] for an answer; None scores 0. Only 1 means right."""
    if answer is None:
        return 0.0
    return float(_dataset(item.family, 1, EVALUATION_SEED).score_answer(answer, dict(item.entry)))


def task_system() -> str:
    """The instruction in front of every task."""
    return "Answer the question. Give the answer in brackets, like [7]."


def task_prompt(item: Item) -> str:
    """The question as it is asked."""
    return item.question
