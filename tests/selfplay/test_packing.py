from __future__ import annotations

import random

import pytest
import torch
from selfplay_helpers import row

from selfplay.batching import cuts, part, shares, to_batch
from selfplay.packing import common_prefix, make_packs, to_packed
from selfplay.trajectories import Row


def random_rows(seed: int, count: int = 17) -> list[Row]:
    """Rows of three families that begin alike, some with several turns."""
    rng = random.Random(seed)
    stems = [[rng.randrange(3, 40) for _ in range(rng.randrange(8, 30))] for _ in range(3)]
    made = []
    for _ in range(count):
        prompt = [*rng.choice(stems), *(rng.randrange(3, 40) for _ in range(rng.randrange(1, 4)))]
        mask = [1] * rng.randrange(1, 4)
        for _ in range(rng.randrange(3)):
            mask += [0] * rng.randrange(1, 6) + [1] * rng.randrange(1, 4)
        made.append(row(prompt, [rng.randrange(3, 40) for _ in mask], mask))
    return made


@pytest.mark.parametrize(
    ("a", "b", "limit", "length"),
    [("abc", "abd", 9, 2), ("ab", "abc", 9, 2), ("abc", "abc", 2, 2), ("x", "y", 1, 0), ("", "", 0, 0)],
)
def test_common_prefix(a: str, b: str, limit: int, length: int) -> None:
    assert common_prefix([ord(c) for c in a], [ord(c) for c in b], limit) == length


@pytest.mark.parametrize("seed", range(20))
def test_packs_hold_every_row_once_and_share_only_what_is_common(seed: int) -> None:
    rows = random_rows(seed)
    packs = make_packs(rows)
    assert sorted(i for pack in packs for i in pack.rows) == list(range(len(rows)))
    for pack in packs:
        prefixes = {rows[i].prompt_ids[: pack.shared] for i in pack.rows}
        assert len(prefixes) == 1
        assert all(pack.shared < len(rows[i].prompt_ids) for i in pack.rows)
        assert pack.length == pack.shared + sum(rows[i].length - pack.shared for i in pack.rows)
    assert [pack.length for pack in packs] == sorted(pack.length for pack in packs)
    assert sum(pack.length for pack in packs) < sum(r.length for r in rows)


def test_rows_with_nothing_in_common_stay_alone() -> None:
    packs = make_packs([row([1, 2, 3, 4], [5], [1]), row([9, 8, 7, 6], [5], [1])])
    assert [pack.rows for pack in packs] == [(0,), (1,)]


@pytest.mark.parametrize("seed", range(3))
def test_packed_log_probabilities_are_those_of_each_row_alone(tiny: str, seed: int) -> None:
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(tiny)
    rows = random_rows(seed)
    packs = make_packs(rows)
    assert any(len(pack.rows) > 2 for pack in packs)
    packed = to_packed(rows, packs, pad_id=0, device="cpu")
    order = [i for pack in packs for i in pack.rows]
    with torch.no_grad():
        logits = model(
            input_ids=packed.input_ids, attention_mask=packed.mask, position_ids=packed.position_ids
        ).logits.log_softmax(-1)
        assert torch.isfinite(logits).all()  # padding sees itself
        found = logits[tuple(packed.source)].gather(1, packed.labels[:, None]).squeeze(1)
        for (number, t), value in zip(packed.target.T.tolist(), found.tolist(), strict=True):
            alone = rows[order[number]]
            ids = torch.tensor([alone.prompt_ids + alone.completion_ids])
            column = len(alone.prompt_ids) + t - 1
            plain = model(input_ids=ids).logits.log_softmax(-1)[0, column, alone.completion_ids[t]]
            assert value == pytest.approx(float(plain), abs=1e-5)
    assert packed.labels.numel() == sum(sum(r.loss_mask) for r in rows)


@pytest.mark.parametrize(
    ("lengths", "parts", "expected"),
    [
        ([1, 1, 1, 1], 2, [(0, 2), (2, 4)]),
        ([1, 1, 1, 9], 2, [(0, 3), (3, 4)]),
        ([1, 1, 9], 3, [(0, 1), (1, 2), (2, 3)]),
        ([9, 1, 1], 3, [(0, 1), (1, 2), (2, 3)]),
        ([5], 3, [(0, 1), (1, 1), (1, 1)]),
        ([2, 2, 2], 1, [(0, 3)]),
    ],
)
def test_cuts_are_even_and_complete(lengths: list[int], parts: int, expected: list[tuple[int, int]]) -> None:
    assert cuts(lengths, parts) == expected


def test_batches_have_trls_layout_and_parts_drop_foreign_padding() -> None:
    rows = [row([1, 2], [3], [1]), row([4, 5, 6], [7, 8, 9], [1, 0, 1])]
    batch = to_batch(rows, [(0.5,), (1.0, 0.0, 2.0)], [0, 1], pad_id=0, device="cpu")
    assert batch["prompt_ids"].tolist() == [[0, 1, 2], [4, 5, 6]]
    assert batch["prompt_mask"].tolist() == [[0, 1, 1], [1, 1, 1]]
    assert batch["completion_ids"].tolist() == [[3, 0, 0], [7, 8, 9]]
    assert batch["completion_mask"].tolist() == [[1, 0, 0], [1, 1, 1]]
    assert batch["tool_mask"].tolist() == [[1, 0, 0], [1, 0, 1]]
    assert batch["advantages"].tolist() == [[0.5, 0, 0], [1, 0, 2]]
    assert batch["old_per_token_logps"].tolist() == [[-3, 0, 0], [-3, 0, -3]]
    assert int(batch["num_items_in_batch"]) == 3
    first = part(batch, 0, 1)
    assert first["prompt_ids"].tolist() == [[1, 2]]
    assert first["completion_ids"].tolist() == [[3]]
    assert int(first["num_items_in_batch"]) == 3


def test_shares_cover_all_rows_and_mark_the_empty_ones() -> None:
    rows = random_rows(1)
    packs = make_packs(rows)
    made = shares(rows, packs, len(packs), pad_id=0, device="cpu")
    assert [share.first for share in made] == [sum(s.rows for s in made[:i]) for i in range(len(packs))]
    assert sum(share.rows for share in made) == len(rows)
    assert not any(share.empty for share in made)
    few = shares(rows[:1], make_packs(rows[:1]), 3, pad_id=0, device="cpu")
    assert sorted(share.empty for share in few) == [False, True, True]
    assert all(share.rows == 1 for share in few)


def test_ranks_share_neighbouring_packs_and_pad_to_the_same_height() -> None:
    rows = random_rows(1, 60)
    packs = make_packs(rows)
    assert len(packs) > 4
    of = [shares(rows, packs, 2, pad_id=0, device="cpu", rank=rank, ranks=2) for rank in range(2)]
    turns = [share for pair in zip(*of, strict=True) for share in pair]
    assert [share.first for share in turns] == [sum(s.rows for s in turns[:i]) for i in range(4)]
    assert sum(share.rows for share in turns) == len(rows)
    for a, b in zip(*of, strict=True):
        assert a.height == b.height == max(a.rows, b.rows)


def test_rows_of_padding_are_masked() -> None:
    batch = to_batch([row([1, 2], [3], [1])], [(0.5,)], [0], pad_id=0, device="cpu")
    padded = part(batch, 0, 1, 3)
    assert padded["prompt_ids"].tolist() == [[1, 2], [0, 0], [0, 0]]
    assert padded["tool_mask"].tolist() == [[1], [0], [0]]
    assert padded["advantages"].tolist() == [[0.5], [0], [0]]
