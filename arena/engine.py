"""`play_match`: the only turn loop there is.

A reply that cannot be used is data, not a crash: it is answered with what was wrong, and after the allowed retries
it forfeits. The engine never makes a move for a player. A player that raises voids the match, which is then owed
again; it is never a loss.

The texts of every turn are built for scripted players too, although they do not read them: a record then tells any
match the same way, whoever played it, and the cost is a tenth of a scripted match.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Sequence

from arena.observers import GuardedObserver
from arena.prompts import retry_prompt, system_prompt, turn_prompt
from arena.types import (
    ActRequest,
    Attempt,
    Ended,
    Exchange,
    Fault,
    Finish,
    MatchRecord,
    MatchSpec,
    Observer,
    Player,
    Turn,
)
from games import Game, Issue, Move, Seat, State, Utility, get_game

logger = logging.getLogger(__name__)


class Conversation:
    """What one seat was told and what it replied, so that each message tells only what is new."""

    def __init__(self, game: Game, seat: Seat) -> None:
        self.seat = seat
        self.system = system_prompt(game, seat)
        self.history: list[Exchange] = []
        self.seen: int | None = None

    def question(self, state: State, *, show_legal: bool) -> str:
        """The next message for this seat, marking its events as told."""
        observation = state.observe(self.seat)
        text = turn_prompt(observation, self.seat, seen=self.seen, show_legal=show_legal)
        self.seen = len(observation.events)
        return text


async def ask(
    spec: MatchSpec, game: Game, state: State, player: Player, talk: Conversation, index: int
) -> tuple[tuple[Attempt, ...], Move | None]:
    """Ask one seat until it gives a usable answer or has no retries left.

    Args:
        spec: the match.
        game: its loaded game.
        state: the position; not changed here.
        player: who answers.
        talk: the seat's conversation, which grows by every attempt.
        index: number of this question in the match.

    Returns:
        All attempts, and the move of the last one, None where it was unusable as well.
    """
    user = talk.question(state, show_legal=spec.show_legal)
    attempts: list[Attempt] = []
    for attempt in range(spec.retries + 1):
        request = ActRequest(
            match_key=spec.match_key,
            stream=spec.stream,
            game=game,
            seed=spec.seed,
            seat=talk.seat,
            turn=index,
            attempt=attempt,
            system=talk.system,
            user=user,
            history=tuple(talk.history),
            sampling=spec.sampling,
            state=state.clone() if player.scripted else None,
        )
        completion = await player.act(request)
        parsed = state.parse(talk.seat, completion.text, truncated=completion.finish is Finish.LENGTH)
        attempts.append(Attempt(user=user, completion=completion, issue=parsed.issue, hint=parsed.hint))
        talk.history.append(Exchange(user=user, completion=completion))
        if parsed.issue is Issue.OK:
            return tuple(attempts), parsed.move
        user = retry_prompt(parsed.hint)
    return tuple(attempts), None


async def ask_all(
    spec: MatchSpec,
    game: Game,
    state: State,
    players: Sequence[Player],
    talks: Sequence[Conversation],
    ply: int,
    first: int,
) -> list[Turn]:
    """Ask every seat that is to move, all at the same time; turns in seat order, numbered from `first`."""
    seats = state.to_move()
    asked = [ask(spec, game, state, players[seat], talks[seat], first + i) for i, seat in enumerate(seats)]
    if len(asked) == 1:
        answers = [await asked[0]]
    else:
        # Wait for all of them even if one raises: nobody may still be thinking in a match that is over.
        done = await asyncio.gather(*asked, return_exceptions=True)
        answers = []
        for result in done:
            if isinstance(result, BaseException):
                raise result
            answers.append(result)
    return [
        Turn(index=first + i, ply=ply, seat=seat, attempts=attempts, move=move)
        for i, (seat, (attempts, move)) in enumerate(zip(seats, answers, strict=True))
    ]


def limit_returns(game: Game) -> tuple[float, ...]:
    """Returns of a match stopped by its turn limit: nobody gains. Equal shares of a fixed sum, else 0 within bounds."""
    spec = game.spec
    if spec.utility is Utility.CONSTANT_SUM:
        return (spec.return_sum / spec.seats,) * spec.seats
    return (min(max(0.0, spec.min_return), spec.max_return),) * spec.seats


def _blamed(spec: MatchSpec, turns: Sequence[Turn]) -> Turn | None:
    """Whose unusable answer ends the match; where several seats failed together, drawn, so that no seat is favoured."""
    failed = [turn for turn in turns if turn.move is None]
    if len(failed) < 2:
        return failed[0] if failed else None
    return random.Random(f"{spec.seed}/{spec.stream}/blame").choice(failed)


async def play_match(
    spec: MatchSpec, players: Sequence[Player], observer: Observer | None = None, *, game: Game | None = None
) -> MatchRecord:
    """Play one match to its end.

    Args:
        spec: what to play.
        players: one per seat, in seat order.
        observer: told of the start, every turn and the end; dropped if it raises.
        game: the loaded game, if the caller has it.

    Returns:
        The record; VOID, with type and message of the error, where a player or the rules raised.

    Raises:
        ValueError: not one player per seat.
        asyncio.CancelledError: the match was cancelled; observers see it end VOID.
    """
    game = game or get_game(spec.game, spec.params)
    seats = game.spec.seats
    if len(players) != seats or len(spec.players) != seats:
        raise ValueError(f"{spec.game} has {seats} seats; got {len(players)} players for {len(spec.players)} names.")
    watched = GuardedObserver.around(observer)
    watched.match_started(spec)
    start = time.perf_counter()
    talks: list[Conversation] = []
    turns: list[Turn] = []
    state: State | None = None

    def finish(
        ended: Ended,
        outcome: str,
        returns: tuple[float, ...] = (),
        *,
        fault: Fault | None = None,
        error: str | None = None,
    ) -> MatchRecord:
        record = MatchRecord(
            spec=spec,
            systems=tuple(talk.system for talk in talks),
            turns=tuple(turns),
            returns=returns,
            outcome=outcome,
            ended=ended,
            fault=fault,
            error=error,
            roles=() if state is None else state.roles(),
            measures={} if state is None or ended is not Ended.TERMINAL else state.measures(),
            duration_s=round(time.perf_counter() - start, 6),
        )
        watched.match_ended(record)
        return record

    try:
        talks += [Conversation(game, seat) for seat in range(seats)]
        state = game.new_state(spec.seed)
        ply = 0
        while state.to_move():
            if spec.turn_limit is not None and len(turns) >= spec.turn_limit:
                return finish(Ended.TURN_LIMIT, "turn_limit", limit_returns(game))
            made = await ask_all(spec, game, state, players, talks, ply, len(turns))
            turns += made
            failed = _blamed(spec, made)
            if failed is None:
                state.apply({turn.seat: turn.move for turn in made if turn.move is not None})
            for turn in made:
                watched.turn_played(spec, turn, state)
            if failed is not None:
                fault = Fault(seat=failed.seat, issue=failed.attempts[-1].issue)
                return finish(Ended.FORFEIT, "forfeit", state.forfeit_returns(failed.seat), fault=fault)
            ply += 1
        return finish(Ended.TERMINAL, state.outcome(), state.returns())
    except asyncio.CancelledError:
        finish(Ended.VOID, "void", error="cancelled")
        raise
    except Exception as error:
        logger.debug("match %s is void", spec.match_key, exc_info=True)
        return finish(Ended.VOID, "void", error=f"{type(error).__name__}: {error}")
    finally:
        for seat, player in enumerate(players):
            _forget(player, spec.match_key, seat)


def _forget(player: Player, match_key: str, seat: Seat) -> None:
    try:
        player.forget(match_key, seat)
    except Exception:
        logger.exception("%s failed to forget match %s; the match stands.", player.name, match_key)
