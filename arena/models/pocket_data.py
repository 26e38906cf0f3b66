"""What the embedded model is made from: play transcripts of scripted bots, and easy generated tasks.

The transcripts mix a random bot with a game's simple `greedy` bot, and nothing in the prompt says which of the two
is playing. So the model learns to answer in form and by the rules, its hidden states must tell positions, cards
and stocks apart (the greedy bot's choices depend on them), and its own play is an average of the two: legal, and
not good. That is the starting point that self-play is meant to improve on.

Every document is a conversation in the very words that a player is given (`arena.prompts`), both with and without
the list of allowed answers.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from arena.prompts import retry_prompt, system_prompt, turn_prompt
from arena.tasks import TASK_FAMILIES, Item, items, task_prompt, task_system
from games import Game, get_game

Message = dict[str, str]
"""`{"role": "system" | "user" | "assistant", "content": text}`"""

MATCHES = {"tic_tac_toe": 14_000, "kuhn_poker": 14_000, "simple_negotiation": 9_000}


@dataclass(frozen=True, kw_only=True)
class Mix:
    """How many documents of which kind.

    Attributes:
        matches: matches by game; each gives one document per seat.
        greedy_share: probability that a seat is played by the greedy bot for a whole match.
        greedy_shares: the same for single games, where it differs.
        legal_share: probability that a document lists the allowed answers.
        fault_share: probability that a question is first answered wrongly, told so, and answered again; only
            the second answer is learnt from.
        tasks: documents per task family.
    """

    matches: Mapping[str, int] = field(default_factory=lambda: dict(MATCHES))
    greedy_share: float = 0.5
    greedy_shares: Mapping[str, float] = field(default_factory=dict)
    legal_share: float = 0.5
    fault_share: float = 0.02
    tasks: int = 7_000


def match_documents(game: Game, seed: int, mix: Mix) -> Iterator[list[Message]]:
    """Play one match between bots and tell it as one conversation per seat.

    An assistant message with an empty `learn` key-value of "no" is context only (a planted fault).
    """
    rng = random.Random(f"pocket/{game.spec.id}/{seed}")
    seats = range(game.spec.seats)
    share = mix.greedy_shares.get(game.spec.id, mix.greedy_share)
    names = ["greedy" if rng.random() < share else "random" for _ in seats]
    bots = [game.bots()[name] for name in names]
    show_legal = rng.random() < mix.legal_share
    talks: list[list[Message]] = [[{"role": "system", "content": system_prompt(game, s)}] for s in seats]
    seen: list[int | None] = [None for _ in seats]
    state = game.new_state(seed)
    while seats_to_move := state.to_move():
        moves = {}
        for seat in seats_to_move:
            observation = state.observe(seat)
            user = turn_prompt(observation, seat, seen=seen[seat], show_legal=show_legal)
            seen[seat] = len(observation.events)
            talks[seat].append({"role": "user", "content": user})
            if rng.random() < mix.fault_share:
                wrong = rng.choice(("[]", "[x]", "ok", "[99]"))
                hint = state.parse(seat, wrong).hint
                if hint:  # in free-form games some of these are legal talk
                    talks[seat].append({"role": "assistant", "content": wrong, "learn": "no"})
                    talks[seat].append({"role": "user", "content": retry_prompt(hint)})
            reply = bots[seat](state, seat, rng)
            talks[seat].append({"role": "assistant", "content": reply})
            move = state.parse(seat, reply).move
            if move is None:
                raise RuntimeError(f"{names[seat]} bot of {game.spec.id} gave an unusable reply: {reply!r}")
            moves[seat] = move
        state.apply(moves)
    yield from (talk for talk in talks if len(talk) > 1)


def task_document(item: Item) -> list[Message]:
    """A task with its answer."""
    return [
        {"role": "system", "content": task_system()},
        {"role": "user", "content": task_prompt(item)},
        {"role": "assistant", "content": f"[{item.answer}]"},
    ]


def documents(mix: Mix, seed: int = 0) -> list[list[Message]]:
    """All training documents, in a shuffled, reproducible order."""
    docs: list[list[Message]] = []
    for game_id, matches in mix.matches.items():
        game = get_game(game_id)
        for match in range(matches):
            docs.extend(match_documents(game, seed * 1_000_000_007 + match, mix))
    for family in sorted(TASK_FAMILIES) if mix.tasks else ():
        docs.extend(task_document(item) for item in items(family, mix.tasks, seed=seed))
    random.Random(f"pocket/shuffle/{seed}").shuffle(docs)
    return docs
