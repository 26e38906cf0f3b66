"""The embedded model: what ships, and that the script that made it still makes one."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from arena.models.build_pocket import Phase, Recipe, encode, make_tokenizer, pretrain
from arena.models.pocket_data import Mix, documents
from arena.models.registry import EMBEDDED, load_base
from arena.players.factory import PlayerFactory
from arena.prompts import turn_prompt
from arena.types import ActRequest, Completion, Exchange, Sampling
from games import Game, Issue, get_game

TINY = Recipe(
    phases=(
        Phase(mix=Mix(matches={"tic_tac_toe": 6, "kuhn_poker": 6, "simple_negotiation": 6}, tasks=4), steps=4),
        Phase(mix=Mix(matches={"kuhn_poker": 8}, tasks=0), steps=2, learning_rate=1e-3),
    ),
    vocab=400,
    hidden=32,
    layers=2,
    intermediate=64,
    batch=4,
)


def test_what_ships_is_small_and_plain() -> None:
    folder = EMBEDDED["pocket"]
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 4_000_000
    assert {path.suffix for path in folder.iterdir()} == {".safetensors", ".json", ".jinja"}
    base = load_base("pocket")
    assert type(base.model).__name__ == "LlamaForCausalLM"
    assert 300_000 <= base.model.num_parameters() <= 1_500_000


@given(st.text(max_size=80))
def test_any_text_encodes_and_comes_back(text: str) -> None:
    tokenizer = load_cached().tokenizer
    assert tokenizer.decode(tokenizer.encode(text, add_special_tokens=False)) == text


def load_cached():  # type: ignore[no-untyped-def]  # only the tests above and below use it
    if not hasattr(load_cached, "base"):
        load_cached.base = load_base("pocket")  # type: ignore[attr-defined]  # cache on the function
    return load_cached.base  # type: ignore[attr-defined]  # cache on the function


def test_a_tiny_version_is_rebuilt_the_same_twice(tmp_path: Path) -> None:
    made = [pretrain(TINY, tmp_path / name) for name in ("one", "two")]
    assert made[0] == made[1]
    one, two = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("one", "two"))
    assert one == two
    assert json.loads((tmp_path / "one" / "pocket.json").read_text())["recipe"]["phases"][0]["steps"] == 4
    base = load_base(str(tmp_path / "one"))
    assert base.model.config.hidden_size == 32


def test_documents_are_reproducible_and_weighted() -> None:
    docs = documents(TINY.phases[0].mix)
    assert docs == documents(TINY.phases[0].mix)
    tokenizer = make_tokenizer((m["content"] for doc in docs for m in doc), 400)
    planted = next(doc for doc in documents(Mix(matches={"kuhn_poker": 60}, tasks=0)) if any("learn" in m for m in doc))
    ids, weights = encode(tokenizer, planted, 0.1)
    assert len(ids) == len(weights)
    assert set(weights) == {0.0, 0.1, 1.0}
    learnt = [i for i, weight in zip(ids, weights, strict=True) if weight == 1.0]
    assert learnt[-1] == tokenizer.eos_token_id


def test_it_answers_by_the_rules_in_at_least_95_percent_of_positions() -> None:
    """Asked along matches of bots, so that its own faults end nothing; no list of legal answers is shown."""
    player = PlayerFactory(model="pocket")("base")

    async def ask_along(game: Game, seed: int) -> list[Issue]:
        state, rng = game.new_state(seed), random.Random(f"along/{seed}")
        bots = [game.bots()[rng.choice(["random", "greedy"])] for _ in range(2)]
        talks: list[list[Exchange]] = [[], []]
        seen: list[int | None] = [None, None]
        found = []
        while to_move := state.to_move():
            seat = to_move[0]
            observation = state.observe(seat)
            user = turn_prompt(observation, seat, seen=seen[seat], show_legal=False)
            seen[seat] = len(observation.events)
            request = ActRequest(
                match_key=f"along-{seed}", stream=f"along-{seed}",
                game=game, seed=seed, seat=seat, turn=len(found), attempt=0,
                system=game.rules(seat), user=user, history=tuple(talks[seat]), sampling=Sampling(max_tokens=32),
            )  # fmt: skip
            said = await player.act(request)
            found.append(state.parse(seat, said.text).issue)
            reply = bots[seat](state, seat, rng)
            talks[seat].append(Exchange(user=user, completion=Completion(text=reply)))
            move = state.parse(seat, reply).move
            assert move is not None
            state.apply({seat: move})
        return found

    async def many(game: Game) -> list[list[Issue]]:
        return await asyncio.gather(*(ask_along(game, 10**7 + seed) for seed in range(60)))

    games = [get_game(game_id) for game_id in ("kuhn_poker", "tic_tac_toe", "simple_negotiation")]
    issues = {game.spec.id: [issue for found in asyncio.run(many(game)) for issue in found] for game in games}
    legal = {game_id: sum(issue is Issue.OK for issue in found) / len(found) for game_id, found in issues.items()}
    everything = [issue for found in issues.values() for issue in found]
    assert sum(issue is Issue.OK for issue in everything) / len(everything) >= 0.95, legal
    assert min(legal.values()) >= 0.9, legal
