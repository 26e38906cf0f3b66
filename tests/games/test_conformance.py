"""The conformance suite passes what keeps the contract, and finds each single way of breaking it."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from pile_game import PileGame, PileState

from games import (
    Dynamics,
    Event,
    GameOverError,
    IllegalMoveError,
    Information,
    Issue,
    Move,
    Observation,
    Parsed,
    Utility,
    get_game,
)
from games.conformance import CHECKS, PER_CHECK, Finding, check_game
from games.openspiel import generic_ids


@pytest.mark.parametrize(
    ("game_id", "params"),
    [
        ("tic_tac_toe", {}),
        ("kuhn_poker", {}),
        ("kuhn_poker", {"players": 3}),
        ("simple_negotiation", {}),
        ("simple_negotiation", {"turns": 5, "value_low": 17, "value_high": 4 * 17, "stock_low": 0, "stock_high": 33}),
        ("openspiel/connect_four", {}),
        ("openspiel/leduc_poker", {}),
        ("openspiel/liars_dice", {}),
        ("openspiel/hex", {"board_size": 3}),
        ("openspiel/pig", {"winscore": 20}),
        ("openspiel/tiny_hanabi", {}),
        ("openspiel/bargaining", {}),
        ("openspiel/phantom_ttt", {}),
    ],
)
def test_games_pass(game_id: str, params: dict[str, Any]):
    assert check_game(get_game(game_id, params), seeds=range(4), matches=40) == []


SLOW = {"openspiel/bridge", "openspiel/crazyhouse"}  # ten seconds each; `arena games check` takes them


@pytest.mark.parametrize("part", range(4))
def test_every_game_of_openspiel_starts_and_restores(part: int):
    """A glance at all of them: one position, its text, one move, and back from JSON under the parameters in force."""
    for game_id in sorted(set(generic_ids()) - SLOW)[part::4]:
        game = get_game(game_id)
        assert get_game(game_id, game.spec.params) is game
        state = game.new_state(1)
        moves = {}
        for seat in state.to_move():
            seen = state.observe(seat)
            assert seen.ask
            assert seen.legal
            moves[seat] = state.parse(seat, f"I say [{seen.legal[-1]}].").move
            assert moves[seat] is not None, game_id
        state.apply(moves)
        copy = game.state_from_json(state.to_json())
        assert [copy.observe(s) for s in copy.to_move()] == [state.observe(s) for s in state.to_move()]


@pytest.mark.parametrize("game_id", ["tic_tac_toe", "kuhn_poker"])
def test_ten_thousand_games_keep_their_sums_bounds_and_classes(game_id: str):
    game = get_game(game_id)
    rng = random.Random("ten thousand")
    outcomes = set()
    for seed in range(10_000):
        state = game.new_state(seed)
        while seats := state.to_move():
            state.apply({seats[0]: rng.choice(state.legal(seats[0]))})
        returns = state.returns()
        assert sum(returns) == 0
        assert max(map(abs, returns)) <= game.spec.max_return
        outcomes.add(state.outcome())
    assert outcomes == set(game.spec.outcomes)


def test_a_third_partys_game_passes():
    for stones in (2, 7, 20):
        assert check_game(PileGame({"stones": stones}), seeds=range(3), matches=30) == []


def broken(**attributes: Any) -> PileGame:
    """The pile game with some attributes of its class replaced; can be pickled like any other class."""
    name = f"Broken{len(globals())}"
    globals()[name] = type(name, (PileGame,), {**attributes, "__module__": __name__})
    return globals()[name]({"stones": 7})


class Leaky(PileState):
    shared: ClassVar[list[Event]] = []

    def __init__(self, game: PileGame, seed: int) -> None:
        super().__init__(game, seed)
        self.events = self.shared  # one list for all matches


class AfterTheEnd(PileState):
    def apply(self, moves: Any) -> None:
        if not self.left:
            self.taken.append(1)  # turns the winner
            return
        super().apply(moves)


class MovesBeforeRefusing(PileState):
    def apply(self, moves: Any) -> None:
        try:
            super().apply(moves)
        except IllegalMoveError:
            self.left -= 1
            raise


class TakesAnything(PileState):
    def apply(self, moves: Any) -> None:
        if self.left and set(moves) != set(self.to_move()):
            moves = {self.to_move()[0]: self.legal(self.to_move()[0])[0]}
        super().apply(moves)


class Unsummed(PileState):
    def returns(self) -> tuple[float, ...]:
        first, second = super().returns()
        return first, second / 2


class OutOfBounds(PileState):
    def returns(self) -> tuple[float, ...]:
        return tuple(3 * value for value in super().returns())


class ThreeReturns(PileState):
    def returns(self) -> tuple[float, ...]:
        return (*super().returns(), 0.0)


class SurpriseOutcome(PileState):
    def outcome(self) -> str:
        self.returns()
        return "win"


class Early(PileState):
    def returns(self) -> tuple[float, ...]:
        return (0.0, 0.0) if self.left else super().returns()


class GlobalLuck(PileState):
    def __init__(self, game: PileGame, seed: int) -> None:
        super().__init__(game, seed)
        random.seed(seed)
        self.luck = [random.randrange(10) for _ in range(2)]


class Unseeded(PileState):
    def __init__(self, game: PileGame, seed: int) -> None:
        super().__init__(game, seed)
        self.luck = [random.SystemRandom().randrange(10**9) for _ in range(2)]


class Forgetful(PileState):
    def to_json(self) -> dict[str, Any]:
        return {"seed": self.seed, "taken": self.taken[:-1]}


class SharedClone(PileState):
    def clone(self) -> PileState:
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        return copy


class Rewritten(PileState):
    def take(self, stones: int) -> None:
        super().take(stones)
        self.events[:] = [Event(text=f"{len(self.taken)} moves were made.")]


class Winner(PileState):
    def observe(self, seat: int) -> Observation:
        seen = super().observe(seat)
        return Observation(facts=seen.facts, events=seen.events, board=f"{self.luck}", ask=seen.ask, legal=seen.legal)


class ShowsAll(PileState):
    def render(self, seat: int | None) -> str:
        return super().render(None)


class AsksAll(PileState):
    def observe(self, seat: int) -> Observation:
        seen = super().observe(seat)
        return Observation(facts=seen.facts, events=seen.events, board="\x1b[1m", ask="Move.", legal=("take 1",))


class FirstWord(PileState):
    def parse(self, seat: int, text: str, *, truncated: bool = False) -> Parsed:
        for move in self.legal(seat):
            if move.answer in text:
                return Parsed(raw=text, issue=Issue.OK, move=move)
        return super().parse(seat, text)


class FirstAnswer(PileState):
    def parse(self, seat: int, text: str, *, truncated: bool = False) -> Parsed:
        parsed = super().parse(seat, text.split("]")[0] + "]" * ("]" in text), truncated=truncated)
        return Parsed(raw=text, issue=parsed.issue, move=parsed.move, hint=parsed.hint)


class Guesses(PileState):
    def parse(self, seat: int, text: str, *, truncated: bool = False) -> Parsed:
        parsed = super().parse(seat, text, truncated=truncated)
        if parsed.move is None and self.legal(seat):
            return Parsed(raw=text, issue=Issue.OK, move=self.legal(seat)[0])
        return parsed


class Silent(PileState):
    def parse(self, seat: int, text: str, *, truncated: bool = False) -> Parsed:
        parsed = super().parse(seat, text, truncated=truncated)
        return Parsed(raw=text.strip(), issue=parsed.issue, move=parsed.move)


class ParsingMoves(PileState):
    def parse(self, seat: int, text: str, *, truncated: bool = False) -> Parsed:
        self.events.append(Event(text="Somebody spoke."))
        return super().parse(seat, text, truncated=truncated)


class Crashes(PileState):
    def parse(self, seat: int, text: str, *, truncated: bool = False) -> Parsed:
        if "GAME" in text:
            raise ZeroDivisionError
        return super().parse(seat, text, truncated=truncated)


class TwoAlike(PileState):
    def legal(self, seat: int) -> tuple[Move, ...]:
        return tuple(Move(answer="take 1", action=move.action) for move in super().legal(seat))


class Unsayable(PileState):
    def legal(self, seat: int) -> tuple[Move, ...]:
        return tuple(Move(answer=f"take {move.action}]", action=move.action) for move in super().legal(seat))


class Stuck(PileState):
    def legal(self, seat: int) -> tuple[Move, ...]:
        return () if self.left < 3 else super().legal(seat)


class Endless(PileState):
    def take(self, stones: int) -> None:
        self.taken.append(stones)


class RefusesOwn(PileState):
    def apply(self, moves: Any) -> None:
        if self.left and any(move.action == 2 for move in moves.values()):
            raise IllegalMoveError("pile: never two")
        super().apply(moves)


@pytest.mark.parametrize(
    ("state", "check", "message"),
    [
        (Leaky, "determinism", "two matches with the same seed and moves differ"),
        (AfterTheEnd, "endings", "a move of player 0 after the end is accepted"),
        (AfterTheEnd, "endings", "a move after the end changed the state"),
        (MovesBeforeRefusing, "wrong moves", "refused moves changed the state"),
        (TakesAnything, "wrong moves", "are accepted where (0,) are to move"),
        (Unsummed, "endings", "of a zero-sum game add up to"),
        (OutOfBounds, "endings", "return 3.0 is outside -1.0 … 1.0"),
        (ThreeReturns, "endings", "3 returns for 2 seats"),
        (SurpriseOutcome, "endings", "outcome 'win' is not among the declared ('p0', 'p1')"),
        (Early, "endings", "returns() answers while the game is not over"),
        (GlobalLuck, "global random numbers", "the global generator of random was used"),
        (Unseeded, "determinism", "two matches with the same seed and moves differ"),
        (Forgetful, "round trip", "a state restored from JSON differs: to_move, observe, legal"),
        (SharedClone, "clone", "moves in a clone changed the original"),
        (Rewritten, "events", "events of player 0 were changed"),
        (Winner, "hidden information", "the view of player 0 depends on what it must not know"),
        (ShowsAll, "hidden information", "the picture for player 0 depends on what it must not know"),
        (AsksAll, "observations", "is asked 'Move.' while"),
        (AsksAll, "observations", "is not for reading"),
        (FirstWord, "own answers", "a quoted line counts as an answer"),
        (FirstWord, "own answers", "is not reported as ambiguous"),
        (FirstAnswer, "own answers", "legal reply 'Not [x?]."),
        (Guesses, "hostile replies", "is taken for the move"),
        (Guesses, "own answers", "is not reported as truncated"),
        (Silent, "hostile replies", "does not keep the raw text"),
        (Silent, "hostile replies", "the player is not told why"),
        (ParsingMoves, "hostile replies", "parsing a reply changed the state"),
        (Crashes, "hostile replies", "raised ZeroDivisionError"),
        (TwoAlike, "observations", "two legal moves of player 0 have the same answer"),
        (Unsayable, "own answers", "cannot stand in brackets"),
        (Stuck, "endings", "is to move and has no legal move"),
        (Endless, "endings", "the game goes on after 7 turns"),
        (RefusesOwn, "own answers", "is understood, and its move refused"),
    ],
)
def test_each_way_of_breaking_the_contract_is_found(state: type[PileState], check: str, message: str):
    findings = check_game(broken(state_class=state), seeds=range(4), matches=20)
    assert any(finding.check == check and message in finding.message for finding in findings), findings


class BothAtOnce(PileState):
    """Both seats show one or two fingers at the same time, `stones` times; the pile shrinks by one each time."""

    def to_move(self) -> tuple[int, ...]:
        return (0, 1) if self.left else ()

    def legal(self, seat: int) -> tuple[Move, ...]:
        return tuple(Move(answer=f"show {n}", action=n) for n in (1, 2)) if self.left and seat in (0, 1) else ()

    def apply(self, moves: Any) -> None:
        if not self.left:
            raise GameOverError("pile: over")
        if set(moves) != {0, 1} or any(move not in self.legal(0) for move in moves.values()):
            raise IllegalMoveError("pile: both seats show one or two")
        self.take(sum(move.action for move in moves.values()))

    def take(self, stones: int) -> None:
        self.events.append(Event(text=f"{stones} fingers."))
        self.taken.append(stones)
        self.left -= 1

    def returns(self) -> tuple[float, ...]:
        if self.left:
            raise GameOverError("pile: not over")
        return (1.0, -1.0) if sum(self.taken) % 2 else (-1.0, 1.0)


class Fingers(PileGame):
    state_class = BothAtOnce
    moves_per_stone: ClassVar[int] = 2

    def __init__(self, params: Any) -> None:
        super().__init__(params)
        turns = self.moves_per_stone * params["stones"]
        self.spec = replace(self.spec, dynamics=Dynamics.SIMULTANEOUS, max_turns=turns)

    def rules(self, seat: int) -> str:
        return super().rules(seat).replace("take 1", "show 1")


class FewerFingers(Fingers):
    moves_per_stone = 1


def test_games_with_simultaneous_moves_are_held_to_the_same_contract():
    assert check_game(Fingers({"stones": 4}), seeds=range(3), matches=20) == []
    findings = check_game(FewerFingers({"stones": 4}), seeds=range(3), matches=20)
    assert [finding.message for finding in findings] == ["8 turns were taken; at most 4 are declared"]


class Shouty(PileGame):
    def rules(self, seat: int) -> str:
        return "Take stones." if seat else "Take stones, you go first. You are player 0. Say [take 9]."


class Gift(PileGame):
    def forfeit_returns(self, seat: int) -> tuple[float, ...]:
        return (-1.5, 0.5)


class Bargain(PileGame):
    def forfeit_returns(self, seat: int) -> tuple[float, ...]:
        return (-1.0, 1.0)


class Peeking(PileGame):
    def bots(self) -> Any:
        def peek(state: PileState, seat: int, rng: Any) -> str:
            return "[take 1]" if state.luck[1 - seat] % 2 else f"[{state.legal(seat)[-1].answer}]"

        def mute(state: PileState, seat: int, rng: Any) -> str:
            return "..."

        return {"peek": peek, "mute": mute}


@pytest.mark.parametrize(
    ("game", "check", "message"),
    [
        (Shouty, "rules by seat", "the rules for player 1 do not say who it is"),
        (Shouty, "rules by seat", "differ from those for player 0 by more than its name"),
        (Shouty, "rules by parameter", "the rules do not mention stones=7"),
        (Shouty, "rules by parameter", "the rules are the same for stones=7 and stones=6"),
        (Shouty, "examples", "the example [take 9] for player 0 was never legal"),
        (Gift, "facts", "forfeit of player 0: return -1.5 is outside -1.0 … 1.0"),
        (Gift, "facts", "add up to -1.0"),
        (Bargain, "facts", "player 1 forfeits for 1.0, better than its worst return -1.0"),
        (Peeking, "facts", "there is no bot named random"),
        (Peeking, "endings", "bot mute replied '...' as player"),
        (Peeking, "hidden information", "bot peek as player"),
    ],
)
def test_faults_of_texts_forfeits_and_bots_are_found(game: type[PileGame], check: str, message: str):
    findings = check_game(game({"stones": 7}), seeds=range(4), matches=20)
    assert any(finding.check == check and message in finding.message for finding in findings), findings


@pytest.mark.parametrize(
    ("facts", "check", "message"),
    [
        ({"roles": ()}, "facts", "there are no roles"),
        ({"min_return": 2.0}, "facts", "return bounds 2.0 … 1.0 are no range"),
        ({"max_return": float("inf")}, "facts", "are no range"),
        ({"outcomes": ("p0", "p0")}, "facts", "are empty or repeated"),
        ({"max_turns": 0}, "facts", "max_turns is 0"),
        ({"max_turns": 4}, "endings", "the game goes on after 4 turns"),
        ({"utility": Utility.COOPERATIVE}, "endings", "of a cooperative game differ"),
    ],
)
def test_wrong_declarations_are_found(facts: dict[str, Any], check: str, message: str):
    findings = check_game(broken(facts=facts), seeds=range(4), matches=20)
    assert any(finding.check == check and message in finding.message for finding in findings), findings


def test_a_constant_sum_must_be_constant():
    class Odd(PileState):
        def returns(self) -> tuple[float, ...]:
            return (1.0, 0.0) if super().returns()[0] > 0 else (0.5, 0.0)

    facts = {"utility": Utility.CONSTANT_SUM, "min_return": 0.0, "return_sum": 1.0}
    findings = check_game(broken(facts=facts, state_class=Odd), matches=20)
    assert any("constant-sum game add up to 0.5, not 1" in finding.message for finding in findings)


def test_information_keys_are_held_to_both_promises():
    class Blind(PileState):
        def information_key(self, seat: int) -> str:
            return "always the same"

    class Finer(PileState):
        def information_key(self, seat: int) -> str:
            return f"{self.luck} {self.taken}"

    for state, message in ((Blind, "sees different things in the same"), (Finer, "is told the same in different")):
        found = [str(finding) for finding in check_game(broken(state_class=state), matches=60)]
        assert any("hidden information" in text and message in text for text in found), found


def test_findings_read_well_and_are_few():
    findings = check_game(broken(state_class=Endless), matches=50)
    assert all(sum(f.check == check for f in findings) <= PER_CHECK for check in CHECKS)
    assert str(Finding(check="clone", message="a clone differs", seed=3)) == "clone (seed 3): a clone differs"
    assert str(Finding(check="facts", message="there are no roles")) == "facts: there are no roles"
    with pytest.raises(ValueError, match="at least one seed"):
        check_game(PileGame({"stones": 7}), seeds=())


def test_perfect_information_has_nothing_to_vary():
    game = get_game("tic_tac_toe")
    assert game.spec.information is Information.PERFECT
    assert game.variants(game.new_state(0), 0, random.Random(0)) == ()
    assert PileGame({"stones": 3}).new_state(0).information_key(0) is None
