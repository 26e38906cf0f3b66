"""Time of an environment step beside TextArena, in one run: what a match costs when the players cost nothing.

    pip install 'selfplay-arena[textarena]' && make bench

A step is: the seat's observation, reading its reply, making the move. Both play random legal matches of the game of the
same name; choosing the replies is not timed. `bare` is TextArena's environment as it is, `default` is what its `make`
gives, with the wrappers that keep the conversation. Batches of both take turns, and the best batch of each counts.
"""

from __future__ import annotations

import importlib.util
import random
import time
from collections.abc import Callable
from typing import Any

import pytest

from games import Game, State, get_game
from games.words import COMMON

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(importlib.util.find_spec("textarena") is None, reason="TextArena is not installed"),
]

BATCHES = 9
STEPS = 400
"""Least number of steps in a batch."""


def _tic_tac_toe(inner: Any, rng: random.Random) -> str:
    board = inner.game_state["board"]
    return f"[{rng.choice([3 * row + column for row in range(3) for column in range(3) if not board[row][column]])}]"


def _kuhn(inner: Any, rng: random.Random) -> str:
    return f"[{rng.choice(list(inner.game_state['current_legal_action_tree']))}]"


def _connect_four(inner: Any, rng: random.Random) -> str:
    return f"[col {rng.choice([n for n, cell in enumerate(inner.game_state['board'][0]) if cell == '.'])}]"


def _liars_dice(inner: Any, rng: random.Random) -> str:
    bid = inner.game_state["current_bid"]
    if bid["quantity"] and rng.random() < 0.3:
        return "[Call]"
    return f"[Bid: {bid['quantity'] + 1}, {max(bid['face_value'], rng.randint(1, 6))}]"


def _negotiation(inner: Any, rng: random.Random) -> str:
    offer = inner.game_state["current_offer"]
    if offer and offer["from_player"] != inner.current_player_id:
        return "Not for me. [Deny]"
    return "How about this? [Offer: 1 Wheat -> 1 Wood]"


def _two_dollar(inner: Any, rng: random.Random) -> str:
    return f"I think this is fair. [Propose] $1.{rng.randrange(10)}0"


def _talk(inner: Any, rng: random.Random) -> str:
    return "I wonder what you think about the weather of today."


THEIRS: dict[str, tuple[str, Callable[[Any, random.Random], str]]] = {
    "tic_tac_toe": ("TicTacToe-v0", _tic_tac_toe),
    "kuhn_poker": ("KuhnPoker-v0", _kuhn),
    "connect_four": ("ConnectFour-v0", _connect_four),
    "liars_dice": ("LiarsDice-v0", _liars_dice),
    "dont_say_it": ("DontSayIt-v0", _talk),
    "simple_negotiation": ("SimpleNegotiation-v0", _negotiation),
    "two_dollar": ("TwoDollar-v0", _two_dollar),
}
PARAMS: dict[str, dict[str, int]] = {"liars_dice": {"numdice": 5}}
"""As many dice as TextArena deals."""

SAME_WORDS: dict[str, Callable[[State, int], str]] = {
    "dont_say_it": lambda state, seat: "I wonder what you think about the weather of today.",
}
"""Replies of ours, where the bots of the game would say something of another length."""

AT_MOST = {
    **dict.fromkeys(("tic_tac_toe", "kuhn_poker", "connect_four", "liars_dice"), 0.5),
    **dict.fromkeys(("dont_say_it", "simple_negotiation", "two_dollar"), 1.0),
}
"""Our time as a share of TextArena's bare environment."""


def ours(game: Game, batch: int) -> tuple[float, int]:
    """Seconds and steps of one batch of matches."""
    spent, steps, match = 0.0, 0, 0
    say = SAME_WORDS.get(game.spec.id)
    while steps < STEPS:
        rng = random.Random(f"{batch}/{match}")
        state = game.new_state(1000 * batch + match)
        match += 1
        while movers := state.to_move():
            (seat,) = movers
            reply = say(state, seat) if say else game.bots()["random"](state, seat, rng)
            begun = time.perf_counter()
            state.observe(seat)
            parsed = state.parse(seat, reply)
            assert parsed.move is not None
            state.apply({seat: parsed.move})
            spent += time.perf_counter() - begun
            steps += 1
    return spent, steps


def theirs(name: str, choose: Callable[[Any, random.Random], str], batch: int) -> tuple[float, int]:
    """The same of TextArena."""
    import textarena

    spent, steps, match = 0.0, 0, 0
    while steps < STEPS:
        rng = random.Random(f"{batch}/{match}")
        environment = textarena.make(name)
        environment.reset(num_players=2, seed=1000 * batch + match)
        match += 1
        done = False
        while not done:
            reply = choose(environment.state, rng)
            begun = time.perf_counter()
            environment.get_observation()
            done, _ = environment.step(action=reply)
            spent += time.perf_counter() - begun
            steps += 1
    return spent, steps


@pytest.fixture(scope="module", autouse=True)
def words() -> None:
    """DontSayIt wants word lists that need a download; ours stand in. They play no part in a step."""
    import nltk
    from nltk.corpus import words as corpus

    nltk.download = lambda *args, **settings: False
    nltk.pos_tag = lambda texts: [(text, "NN") for text in texts]
    corpus.words = lambda *args: [word for group in COMMON.values() for word in group]


@pytest.mark.parametrize("game_id", THEIRS)
def test_step(game_id: str) -> None:
    name, choose = THEIRS[game_id]
    game = get_game(game_id, PARAMS.get(game_id))
    best: dict[str, float] = {}
    for batch in range(BATCHES):
        measured = {"ours": ours(game, batch), "bare": theirs(f"{name}-raw", choose, batch)}
        measured["default"] = theirs(name, choose, batch)
        for who, (spent, steps) in measured.items():
            best[who] = min(best.get(who, 1.0), spent / steps)
    micro = {who: f"{1e6 * seconds:7.1f}" for who, seconds in best.items()}
    ratio = best["ours"] / best["bare"]
    print(
        f"\n{game_id:20} ours {micro['ours']} µs a step, TextArena bare {micro['bare']}, default {micro['default']}: "
        f"ratio {ratio:.2f} to bare, {best['ours'] / best['default']:.2f} to default (at most {AT_MOST[game_id]})"
    )
    assert ratio <= AT_MOST[game_id]
