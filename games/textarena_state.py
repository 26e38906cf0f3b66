"""One match in an environment of TextArena: its messages as observations, its verdicts as issues."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from games.errors import GameOverError, IllegalMoveError
from games.parsing import find_answers
from games.types import Event, Issue, Json, Move, Observation, Parsed, RandomStream, Seat, State

if TYPE_CHECKING:
    from games.textarena import TextArenaGame

LONGEST = 10_000
"""Characters of a reply that an environment is given: some read in more than linear time."""

_REASON = re.compile(r"Reason:\s*(.*?)\s*(?:Please resubmit.*)?$", re.DOTALL)


class TextArenaState(State):
    """One match.

    Attributes:
        seed: of the match.
        environment: TextArena's; never shown to a player.
        moves: replies that were made, verbatim.
    """

    def __init__(self, game: TextArenaGame, seed: int, environment: Any) -> None:
        self._game = game
        self.seed = seed
        self.environment = environment
        self.moves: list[str] = []

    @property
    def game(self) -> TextArenaGame:
        """The game this is a state of."""
        return self._game

    def to_move(self) -> tuple[Seat, ...]:
        """TextArena's current player."""
        inner = self.environment.state
        if inner.done or len(self.moves) >= self._game.spec.max_turns:
            return ()
        return (int(inner.current_player_id),)

    def legal(self, seat: Seat) -> tuple[Move, ...] | None:
        """Free text while the seat is to move."""
        return None if seat in self.to_move() else ()

    def parse(self, seat: Seat, text: str, *, truncated: bool = False) -> Parsed:
        """Try the reply on a copy, and report what the environment makes of it."""
        answered = bool(find_answers(text).answers)
        if truncated and not answered:
            return Parsed(raw=text, issue=Issue.TRUNCATED, hint="The reply was cut off before an answer in brackets.")
        if not text.strip():
            return Parsed(raw=text, issue=Issue.NO_ANSWER, hint="The reply is empty. Answer in brackets.")
        if len(text) > LONGEST:
            hint = f"The reply has {len(text):,} characters; at most {LONGEST:,} are read. Be shorter."
            return Parsed(raw=text, issue=Issue.MALFORMED, hint=hint)
        if seat not in self.to_move():
            return Parsed(raw=text, issue=Issue.ILLEGAL, hint="It is not your turn.")
        reason = self.refusal(text)
        if reason is None:
            return Parsed(raw=text, issue=Issue.OK, move=Move(answer="", speech=text))
        return Parsed(raw=text, issue=Issue.ILLEGAL if answered else Issue.NO_ANSWER, hint=reason)

    def refusal(self, text: str) -> str | None:
        """Why the environment does not accept this reply of the current player, or None."""
        trial = self.clone()
        seat = int(trial.environment.state.current_player_id)
        heard = len(trial.environment.state.observations[seat])
        try:
            trial.make(text)
        except Exception as error:  # noqa: BLE001 - an environment that fails on a reply has not understood it
            return f"The environment cannot read this ({type(error).__name__}). Answer in brackets, as the rules say."
        inner = trial.environment.state
        if not getattr(inner, "error_count", 0) and not inner.game_info[seat].get("invalid_move"):
            return None
        told = [str(text) for _, text, kind in inner.observations[seat][heard:] if _kind(kind) == "GAME_ADMIN"]
        told += [str(inner.game_info[seat].get("reason", ""))]
        found = _REASON.search(told[0])
        return (found[1] if found else told[0]).strip() or "This is not allowed. Answer as the rules say."

    def apply(self, moves: Mapping[Seat, Move]) -> None:
        """Make the move of the seat to move."""
        name, seats = self._game.spec.id, self.to_move()
        if not seats:
            raise GameOverError(f"{name}: the game is over; no move can be made.")
        if set(moves) != set(seats):
            raise IllegalMoveError(f"{name}: player {seats[0]} is to move; moves came from {sorted(moves)}.")
        text = moves[seats[0]].speech
        reason = self.refusal(text) if text.strip() else "The reply is empty."
        if reason is not None:
            raise IllegalMoveError(f"{name}: player {seats[0]}: {reason}")
        self.make(text)

    def make(self, text: str) -> None:
        """Give the environment a reply, with random numbers of its own for this step."""
        from games.textarena import isolated

        with isolated(f"{self.seed}/{len(self.moves)}"):
            self.environment.step(text)
        self.moves.append(text)

    def rewards(self) -> tuple[float, ...]:
        """TextArena's rewards by seat; 0 where it names none."""
        if self.to_move():
            raise GameOverError(f"{self._game.spec.id}: the game is not over yet.")
        inner = self.environment.state
        given = (inner.rewards or {}) if inner.done else {}
        return tuple(float(given.get(seat, 0.0)) for seat in range(self._game.spec.seats))

    def returns(self) -> tuple[float, ...]:
        """Rewards cut to −1 … 1; for two seats half their difference."""
        cut = tuple(min(1.0, max(-1.0, reward)) for reward in self.rewards())
        if len(cut) != 2:
            return cut
        half = (cut[0] - cut[1]) / 2
        return half, -half

    def outcome(self) -> str:
        """Who alone got most, or `draw`; one seat alone has `solved` it or not."""
        returns = self.returns()
        if len(returns) == 1:
            return "solved" if returns[0] == 1.0 else "unsolved"
        best = [seat for seat, value in enumerate(returns) if value == max(returns)]
        return f"p{best[0]}" if len(best) == 1 else "draw"

    def measures(self) -> Mapping[str, float]:
        """The rewards as TextArena gave them."""
        return {f"payoff/{seat}": reward for seat, reward in enumerate(self.rewards())}

    def observe(self, seat: Seat) -> Observation:
        """The prompt as facts, messages as events, the last board as board."""
        facts, board, events = [], "", []
        for sender, text, kind in self.environment.state.observations[seat]:
            if _kind(kind) == "PROMPT":
                facts.append(str(text).strip())
            elif _kind(kind) == "GAME_BOARD":
                board = str(text).strip()
            else:
                spoken = _kind(kind) == "PLAYER_ACTION" and sender in range(self._game.spec.seats)
                events.append(Event(text=str(text), speaker=sender if spoken else None))
        return Observation(
            facts="\n".join(facts),
            events=tuple(events),
            board=board,
            ask="Your move." if seat in self.to_move() else "",
        )

    def render(self, seat: Seat | None) -> str:
        """The board as the seat sees it; for None all boards that differ."""
        seats = range(self._game.spec.seats) if seat is None else (seat,)
        return "\n\n".join(dict.fromkeys(self.observe(s).board for s in seats))

    def to_json(self) -> Json:
        """Seed and replies."""
        return {"seed": self.seed, "moves": list(self.moves)}

    def clone(self) -> TextArenaState:
        """A copy of the whole environment."""
        twin = TextArenaState(self._game, self.seed, copy.deepcopy(self.environment))
        twin.moves = list(self.moves)
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._game, self.to_json())


def _restore(game: TextArenaGame, obj: Json) -> TextArenaState:
    return game.state_from_json(obj)


def _kind(kind: Any) -> str:
    """Name of a message's type; some environments give a text by mistake."""
    return str(getattr(kind, "name", kind))


def bracket_bot(state: State, seat: Seat, rng: RandomStream) -> str:
    """Something in brackets from what the seat was told, tried out until one is allowed; the newest first.

    Where no such thing is allowed it says so in words, which most environments refuse.
    """
    seen = state.observe(seat)
    recent = [seen.board, *(event.text for event in reversed(seen.events[-6:])), seen.facts]
    options = list(dict.fromkeys(answer.text for text in recent for answer in find_answers(text).answers))
    while options:
        reply = f"[{options.pop(rng.randrange(min(len(options), 12)))}]"
        if state.parse(seat, reply).issue is Issue.OK:
            return reply
    return "I have nothing to add."
