"""`solver` and `mcts`: known values, no look at hidden cards, and refusals with a reason."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pyspiel
import pytest
from arena_helpers import Pennies

from arena.pairing import round_robin
from arena.players import equilibrium, induction
from arena.players.factory import PlayerFactory
from arena.players.mcts import MctsPlayer, say
from arena.players.solver import SolverPlayer, solve
from arena.runner import run_matches
from arena.types import MatchRecord
from games import get_game
from games.openspiel import SpielState

FACTORY = PlayerFactory()


def meet(game: str, players: list[str], pairs: int, seed: int = 1, **params: Any) -> list[MatchRecord]:
    async def collect() -> list[MatchRecord]:
        specs = round_robin(players, [get_game(game, params)], pairs=pairs, seed=seed)
        return [record async for record in run_matches(specs, FACTORY)]

    records = asyncio.run(collect())
    assert all(record.error is None for record in records)
    return records


def returns(records: list[MatchRecord], player: str, seat: int) -> list[float]:
    return [record.returns[seat] for record in records if record.spec.players[seat] == player]


@pytest.mark.parametrize("opponent", ["random", "greedy", "mcts:30"])
def test_the_solver_never_loses_at_tic_tac_toe(opponent: str) -> None:
    records = meet("tic_tac_toe", ["solver", opponent], pairs=60)
    assert min(returns(records, "solver", 0) + returns(records, "solver", 1)) >= 0


def test_the_solver_never_loses_at_tic_tac_toe_against_every_possible_opponent() -> None:
    game = get_game("tic_tac_toe")
    policy = solve(game)  # type: ignore[arg-type]
    seen: set[tuple[str, int]] = set()

    def walk(state: Any, mine: int) -> None:
        key = (str(state.pyspiel_state), mine)
        if key in seen:
            return
        seen.add(key)
        if not state.to_move():
            assert state.returns()[mine] >= 0
            return
        (seat,) = state.to_move()
        chosen = {action for action, _ in policy(state, seat)}
        for move in state.legal(seat):
            if seat != mine or move.action in chosen:
                after = state.clone()
                after.apply({seat: move})
                walk(after, mine)

    for mine in (0, 1):
        walk(game.new_state(0), mine)
    assert len(seen) > 1000


def test_two_solvers_draw_at_tic_tac_toe_and_do_not_repeat_one_game() -> None:
    async def collect() -> list[MatchRecord]:
        from arena.types import MatchSpec

        specs = [MatchSpec(game="tic_tac_toe", seed=seed, players=("solver", "solver")) for seed in range(30)]
        return [record async for record in run_matches(specs, FACTORY)]

    records = asyncio.run(collect())
    assert {record.returns for record in records} == {(0.0, 0.0)}
    assert len({tuple(t.move.answer for t in r.turns if t.move) for r in records}) > 10


def kuhn_policy() -> tuple[Any, pyspiel.TabularPolicy]:
    """The solver's own probabilities at each of the 12 information states, asked through the player's seam."""
    game = get_game("kuhn_poker")
    policy = solve(game)  # type: ignore[arg-type]
    table: dict[str, list[tuple[int, float]]] = {}

    def walk(node: Any) -> None:
        if node.is_terminal():
            return
        if not node.is_chance_node():
            seat = node.current_player()
            state = SpielState(game, node, 0)  # type: ignore[arg-type]
            found = policy(state, seat)
            view = node.information_state_string(seat)
            assert table.setdefault(view, found) == found  # nothing but the own view decides
            assert sum(p for _, p in found) == pytest.approx(1)
        for action in node.legal_actions():
            walk(node.child(action))

    walk(game.pyspiel_game.new_initial_state())  # type: ignore[attr-defined]
    assert len(table) == 12
    return game, pyspiel.TabularPolicy(table)


def test_the_kuhn_solver_is_an_equilibrium_worth_minus_one_eighteenth() -> None:
    game, policy = kuhn_policy()
    root = game.pyspiel_game.new_initial_state()
    values = pyspiel.expected_returns(root, policy, -1, True)
    assert values[0] == pytest.approx(-1 / 18, abs=1e-3)
    assert values[0] == -values[1]
    assert pyspiel.nash_conv(game.pyspiel_game, policy) < 1e-3


def test_sampled_kuhn_matches_agree_with_exact_values() -> None:
    game = get_game("kuhn_poker").pyspiel_game  # type: ignore[attr-defined]
    exact = pyspiel.expected_returns(game.new_initial_state(), pyspiel.UniformRandomPolicy(game), -1, True)[0]
    assert exact == pytest.approx(0.125)

    async def collect(player: str, number: int) -> list[float]:
        from arena.types import MatchSpec

        specs = (MatchSpec(game="kuhn_poker", seed=seed, players=(player, player)) for seed in range(number))
        return [record.returns[0] async for record in run_matches(specs, FACTORY)]

    for player, value in (("random", exact), ("solver", -1 / 18)):
        got = asyncio.run(collect(player, 4000))
        error = (sum((x - value) ** 2 for x in got) / len(got) / len(got)) ** 0.5
        assert abs(sum(got) / len(got) - value) < 3.5 * error


def test_the_solver_wins_nim_from_the_winning_side() -> None:
    records = meet("openspiel/nim", ["solver", "mcts:20"], pairs=5)  # misère 1-3-5-7: lost for the first to move
    assert min(returns(records, "solver", 1)) == 1.0


class Node:
    """A hand-made game tree: a number is an end, a dict of actions a decision or (player -1) a draw with chances."""

    def __init__(self, tree: Any, player: int = 0) -> None:
        self.tree, self.player = tree, player

    def __str__(self) -> str:
        return str(self.tree)

    def is_terminal(self) -> bool:
        return not isinstance(self.tree, dict)

    def is_chance_node(self) -> bool:
        return self.player < 0

    def current_player(self) -> int:
        return self.player

    def legal_actions(self) -> list[int]:
        return list(range(len(self.tree["to"])))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return list(enumerate(self.tree["p"]))

    def returns(self) -> tuple[float, float]:
        return self.tree, -self.tree

    def child(self, action: int) -> Node:
        below = self.tree["to"][action]
        return Node(below, below["player"] if isinstance(below, dict) else -4)


def test_backward_induction_averages_chance_and_alternates_best_replies() -> None:
    reply = {"player": 1, "to": [3.0, -1.0]}  # worth -1: the second seat chooses
    dice = {"player": -1, "p": [0.25, 0.75], "to": [reply, 1.0]}  # worth 0.5
    root = Node({"player": 0, "to": [0.25, dice]})
    values = induction.position_values(root)
    assert values[induction.position_key(root)] == 0.5
    assert sorted(values.values()) == [-1.0, 0.5, 0.5]


@pytest.mark.parametrize(
    ("game", "player", "reason"),
    [
        ("openspiel/connect_four", "solver", "is too large to solve here (limit 100,000 positions)"),
        ("openspiel/chess", "solver", "is too large to solve here"),
        ("openspiel/liars_dice", "solver", "is too large to solve here"),
        ("openspiel/pig(horizon=12,winscore=6,diceoutcomes=2)", "solver", "has positions that repeat"),
        ("simple_negotiation", "solver", "is not played on OpenSpiel's rules"),
        ("openspiel/tiny_hanabi", "solver", "is not a two-player game of opposed interests"),
        ("kuhn_poker", "mcts:10", "hides information, and the search would see it"),
        ("simple_negotiation", "mcts:10", "is not played on OpenSpiel's rules"),
        ("repeated_rps", "mcts:10", "has simultaneous moves, which the search cannot make; solver plays such"),
        ("goofspiel", "solver", "positions); it may be solved with less of num_cards"),
        ("openspiel/matrix_pd", "solver", "is not a two-player game of opposed interests"),
        ("openspiel/blackjack", "solver", "is not a two-player game of opposed interests"),
        ("openspiel/chinese_checkers(players=3)", "solver", "hides nothing, so it has no single solution"),
        ("openspiel/markov_soccer(horizon=10)", "solver", "has no information states in OpenSpiel"),
        ("repeated_rps", "solver", None),
        ("openspiel/matrix_rps", "solver", None),
        ("tic_tac_toe", "solver", None),
        ("tic_tac_toe", "mcts:10", None),
        ("openspiel/leduc_poker", "solver", None),
        ("kuhn_poker", "random", None),
        ("kuhn_poker", "greedy", None),
    ],
)
def test_refusals_say_why(game: str, player: str, reason: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    game, _, listed = game.rstrip(")").partition("(")
    loaded = get_game(game, {k: int(v) for k, v in (pair.split("=") for pair in listed.split(",") if pair)})
    if "limit" not in (reason or ""):
        monkeypatch.setattr(induction, "MAX_POSITIONS", 12_000)
        monkeypatch.setattr(equilibrium, "MAX_HISTORIES", 12_000)  # leduc has 9,457; keeps the test quick
    answer = FACTORY.refusal(player, loaded)
    if reason is None:
        assert answer is None
    else:
        assert answer is not None
        assert reason in answer
        assert answer.startswith(game)


def test_three_seats_are_solved_where_an_equilibrium_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equilibrium, "ITERATIONS", (200, 600))
    rules = get_game("kuhn_poker", {"players": 3}).pyspiel_game  # type: ignore[attr-defined]
    table = equilibrium.equilibrium(rules)
    assert pyspiel.nash_conv(rules, pyspiel.TabularPolicy(dict(table))) < 1e-3
    monkeypatch.setattr(equilibrium, "MAX_NASH_CONV", 1e-9)
    with pytest.raises(induction.NotSolvableError, match="has 3 players, and CFR\\+ found no equilibrium"):
        equilibrium.equilibrium(rules)


def test_tic_tac_toe_is_worth_nothing_and_nim_is_known() -> None:
    values = {}
    for name, params in (("tic_tac_toe", {}), ("nim", {}), ("nim", {"is_misere": False, "pile_sizes": "1;2;4"})):
        root = pyspiel.load_game(name, params).new_initial_state()
        values[name, bool(params)] = induction.position_value(induction.position_values(root), root)
    assert values == {("tic_tac_toe", False): 0.0, ("nim", False): -1.0, ("nim", True): 1.0}


def exact(game: Any) -> tuple[Any, pyspiel.TabularPolicy]:
    """The game with turns, and what the solver does at each of its information states, asked through the states."""
    rules = equilibrium.with_turns(game.pyspiel_game)
    policy = solve(game)
    table: dict[str, list[tuple[int, float]]] = {}

    def walk(state: Any) -> None:
        for seat in state.to_move():
            found = policy(state, seat)
            node = solver_node(rules, state, seat)
            assert table.setdefault(node.information_state_string(seat), found) == found
        if not state.to_move():
            return
        for joint in itertools.product(*(state.legal(seat) for seat in state.to_move())):
            child = state.clone()
            child.apply(dict(zip(state.to_move(), joint, strict=True)))
            walk(child)

    walk(game.new_state(0))
    return rules, pyspiel.TabularPolicy(table)


def solver_node(rules: Any, state: Any, seat: int) -> Any:
    node = rules.new_initial_state()
    for action in state.to_json()["history"]:
        node.apply_action(action)
    while node.current_player() != seat:
        node.apply_action(node.legal_actions()[-1])  # another choice than the solver's own: it must not matter
    return node


def test_goofspiel_is_solved_by_its_game_with_turns() -> None:
    game = get_game("goofspiel", {"num_cards": 3, "points_order": "descending"})
    rules, policy = exact(game)
    assert pyspiel.nash_conv(rules, policy) < 1e-3
    values = pyspiel.expected_returns(rules.new_initial_state(), policy, -1, True)
    assert values[0] == pytest.approx(0, abs=1e-4)  # a symmetric game


def test_leduc_and_liars_dice_are_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equilibrium, "ITERATIONS", (200, 400))
    for name, params, value in (("leduc_poker", {}, -0.0856), ("liars_dice", {"dice_sides": 3}, None)):
        rules = get_game(name, params).pyspiel_game  # type: ignore[attr-defined]
        policy = pyspiel.TabularPolicy(dict(equilibrium.equilibrium(rules)))
        assert pyspiel.nash_conv(rules, policy) < 0.02
        found = pyspiel.expected_returns(rules.new_initial_state(), policy, -1, True)[0]
        assert value is None or found == pytest.approx(value, abs=2e-3)


def test_rock_paper_scissors_is_played_one_third_each_in_every_round() -> None:
    game = get_game("repeated_rps")
    state = game.new_state(0)
    policy = solve(game)  # type: ignore[arg-type]
    for _ in range(2):
        for seat in (0, 1):
            assert dict(policy(state, seat)) == pytest.approx({0: 1 / 3, 1: 1 / 3, 2: 1 / 3}, abs=1e-6)  # type: ignore[arg-type]
        state.apply({seat: state.legal(seat)[seat] for seat in (0, 1)})  # type: ignore[index]
    records = meet("repeated_rps", ["solver", "greedy"], pairs=2)
    assert all(len(record.turns) == 10 for record in records)


def test_a_solution_is_kept_on_disk_and_a_damaged_file_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path))
    monkeypatch.setattr(equilibrium, "ITERATIONS", (50, 50))
    rules = pyspiel.load_game("kuhn_poker")
    table = equilibrium.equilibrium(rules)
    (file,) = (tmp_path / "solver").iterdir()
    monkeypatch.setattr(equilibrium, "_solved", None)  # from now on, only the file can answer
    assert equilibrium.equilibrium(rules) == table
    monkeypatch.undo()
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path))
    monkeypatch.setattr(equilibrium, "ITERATIONS", (50, 50))
    for damage in ("", "[1]", '{"0": 3}'):
        file.write_text(damage, encoding="utf-8")
        assert equilibrium.equilibrium(rules) == table
    monkeypatch.setenv("ARENA_CACHE", "/dev/null/nowhere")
    assert equilibrium.equilibrium(rules) == table


def test_where_solutions_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert equilibrium.cache_folder() == Path("/somewhere/selfplay-arena/solver")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert equilibrium.cache_folder() == Path.home() / ".cache/selfplay-arena/solver"


def test_games_outside_openspiel_are_refused_and_never_half_played() -> None:
    pennies = Pennies()
    assert "OpenSpiel" in (SolverPlayer("solver").refusal(pennies) or "")
    assert "OpenSpiel" in (MctsPlayer("mcts:3", 3).refusal(pennies) or "")
    state = pennies.new_state(0)
    for player in (SolverPlayer("solver"), MctsPlayer("mcts:3", 3)):
        with pytest.raises(TypeError, match="OpenSpiel games only"):
            player.reply(state, 0, random.Random("x"))
    with pytest.raises(ValueError, match="action 5 is not legal"):
        say(state, 0, 5)


def test_more_simulations_play_better() -> None:
    records = meet("tic_tac_toe", ["mcts:200", "random"], pairs=20)
    scores = Counter(returns(records, "mcts:200", 0) + returns(records, "mcts:200", 1))
    assert scores[-1.0] <= 1
    assert scores[1.0] >= 32


def test_search_depends_on_its_own_stream_alone() -> None:
    game = get_game("tic_tac_toe")
    player = MctsPlayer("mcts:10", 10)
    state = game.new_state(0)
    replies = [player.reply(state, 0, random.Random(f"{i}")) for i in range(20)]
    assert replies == [player.reply(state, 0, random.Random(f"{i}")) for i in range(20)]
    assert len(set(replies)) > 1
