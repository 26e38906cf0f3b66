"""The state of a backgammon match: rolls told, moves written as steps, both sides on one numbering."""

from __future__ import annotations

from games.backgammon_notation import BAR, OFF, Step, read, written
from games.openspiel import SpielState
from games.parsing import final_answer, tidy
from games.types import Event, Issue, Move, Parsed, Seat

MARKS = "XO"
_SPIEL_BAR = 100


class BackgammonState(SpielState):
    """One match."""

    _steps: dict[int, tuple[Step, ...]] | None = None

    # --- position ------------------------------------------------------------------------------------------------

    def points(self, seat: Seat) -> dict[int, int]:
        """The seat's checkers by point; `BAR` holds those that were hit."""
        board = self.pyspiel_state.board
        found = {24 - place: count for place in range(24) if (count := board(seat, place))}
        bar = board(seat, _SPIEL_BAR)
        return {BAR: bar, **found} if bar else found

    def off(self, seat: Seat) -> int:
        """How many checkers the seat has borne off."""
        return 15 - sum(self.points(seat).values())

    def _line(self, name: str) -> str:
        """What stands after `name:` in OpenSpiel's picture."""
        return str(self.pyspiel_state).split(f"\n{name}:", 1)[1].split("\n", 1)[0].strip()

    def dice(self) -> tuple[int, ...]:
        """The roll to be played now, larger first; empty at the end."""
        return tuple(sorted(map(int, self._line("Dice")), reverse=True))

    # --- moves ---------------------------------------------------------------------------------------------------

    def steps(self) -> dict[int, tuple[Step, ...]]:
        """Legal moves as steps, by the first of the actions that mean the same."""
        if self._steps is None:
            seat = self.pyspiel_state.current_player()
            found: dict[tuple[Step, ...], int] = {}
            for action in self.pyspiel_state.legal_actions():
                found.setdefault(self._steps_of(seat, action), action)
            self._steps = {action: steps for steps, action in found.items()}
        return self._steps

    def _steps_of(self, seat: Seat, action: int) -> tuple[Step, ...]:
        """In the order in which the checkers stand, those furthest from home first."""
        steps = []
        for half in self.pyspiel_state.spiel_move_to_checker_moves(seat, action):
            if half.pos < 0:
                continue
            entry = 25 if seat == 0 else 0
            origin = BAR if half.pos == _SPIEL_BAR else 24 - half.pos
            start = entry if origin == BAR else origin
            target = start - half.num if seat == 0 else start + half.num
            steps.append((origin, target if 1 <= target <= 24 else OFF))
        return tuple(sorted(steps, key=lambda step: _distance(seat, step), reverse=True))

    def answers(self, seat: Seat) -> dict[int, str]:
        """Written steps by action; moves that mean the same are listed once."""
        return {action: written(steps) for action, steps in self.steps().items()}

    def answer(self, seat: Seat, action: int) -> str:
        """Written steps of a legal action."""
        return written(self._steps_of(seat, action))

    def parse(self, seat: Seat, text: str, *, truncated: bool = False) -> Parsed:
        """Read a reply: as shown, else steps in any order, joined (`24/22/21`), repeated (`8/5(2)`), starred."""
        parsed = super().parse(seat, text, truncated=truncated)
        if parsed.issue not in (Issue.MALFORMED, Issue.ILLEGAL) or not self.legal(seat):
            return parsed
        found = final_answer(text, truncated=truncated)
        given = None if isinstance(found, Parsed) else read(tidy(found.text))
        if given is None:
            return parsed
        order = tuple(sorted(given, key=lambda step: _distance(seat, step), reverse=True))
        for action, steps in self.steps().items():
            if steps in (order, self._joined(seat, given)):
                return Parsed(raw=text, issue=Issue.OK, move=Move(answer=written(steps), action=action))
        return parsed._replace(issue=Issue.ILLEGAL, hint=parsed.hint.replace("not an answer here", "not allowed now"))

    def _joined(self, seat: Seat, given: tuple[Step, ...]) -> tuple[Step, ...] | None:
        """Both dice with one checker, written as one step, where it does not matter which die comes first."""
        if len(given) != 1:
            return None
        ((origin, target),) = given
        routes = [s for s in self.steps().values() if len(s) == 2 and s[0] == (origin, s[1][0]) and s[1][1] == target]
        hits = [route for route in routes if self.points(1 - seat).get(route[0][1]) == 1]
        return routes[0] if routes and not hits else None

    def action_event(self, seat: Seat, action: int) -> Event:
        """The steps, hits marked with a star."""
        blots = {point for point, count in self.points(1 - seat).items() if count == 1}
        told = []
        for step in self._steps_of(seat, action):
            told.append(written((step,)) + ("*" if step[1] in blots else ""))
            blots.discard(step[1])
        return Event(text=f"Player {seat}: {' '.join(told) or 'no move possible'}.")

    def step(self, action: int) -> None:
        """A move, or a roll, which everyone is told."""
        chance = self.pyspiel_state.is_chance_node()
        super().step(action)
        self._steps = None
        if chance and not self.pyspiel_state.is_terminal():
            first, second = self.dice()
            opening = " and starts" if len(self.pyspiel_state.history()) == 1 else ""
            self._events.append(
                Event(text=f"Player {self.pyspiel_state.current_player()} rolled {first} and {second}{opening}.")
            )

    # --- text ----------------------------------------------------------------------------------------------------

    def board(self, seat: Seat) -> str:
        """Each side's checkers by point in the order of its march, then the dice."""
        return "\n".join([*(self._side(side) for side in (0, 1)), self._status()])

    def _side(self, seat: Seat) -> str:
        points = self.points(seat)
        places = sorted((p for p in points if p != BAR), reverse=seat == 0)
        told = " ".join(f"{point}:{points[point]}" for point in places)
        return f"{MARKS[seat]} (point:checkers) {told or '-'}; bar {points.get(BAR, 0)}, off {self.off(seat)}."

    def _status(self) -> str:
        seats = self.to_move()
        if not seats:
            result = self.pyspiel_state.returns()[0]
            return f"Player {int(result < 0)} has won." if result else "Draw: the turns have run out."
        first, second = self.dice()
        again = ", second half of the double" if self._line("Extra turn") == "1" else ""
        return f"Player {seats[0]} plays {first} and {second}{again}."

    def render(self, seat: Seat | None) -> str:
        """The board as people lay it out, then the lines of `board`."""
        names: dict[int, str] = {}
        for side in (0, 1):
            names |= {point: f"{MARKS[side]}{count}" for point, count in self.points(side).items()}
        halves = (range(13, 25), range(12, 0, -1))
        numbers, checkers = (
            [[cell(p).rjust(3) for p in half] for half in halves] for cell in (str, lambda p: names.get(p, "."))
        )
        rows = [numbers[0], checkers[0], checkers[1], numbers[1]]
        return "\n".join([*(f"{''.join(row[:6])} |{''.join(row[6:])}" for row in rows), self.board(0)])


def _distance(seat: Seat, step: Step) -> tuple[int, int]:
    """How far a step's checker still has to go, and from where it goes then."""
    origin, target = step
    if seat == 0:
        return 25 if origin == BAR else origin, 0 if target == OFF else target
    return 25 if origin == BAR else 25 - origin, 0 if target == OFF else 25 - target
