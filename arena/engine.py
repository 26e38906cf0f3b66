"""`play_match`: the only turn loop there is.

A reply that cannot be used is data, not a crash: it is answered with what was wrong, and after the allowed retries
it forfeits. The engine never makes a move for a player. A player that raises voids the match, which is then owed
again; it is never a loss.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence

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
from games import Game, Issue, Move, Seat, State, get_game

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
    spec: MatchSpec, game: Game, state: State, player: Player, talk: Conversation, turn: int
) -> tuple[tuple[Attempt, ...], Move | None]:
    """Ask one seat until it gives a usable answer or has no retries left."""
    user = talk.question(state, show_legal=spec.show_legal)
    attempts: list[Attempt] = []
    for attempt in range(spec.retries + 1):
        request = ActRequest(
            match_key=spec.match_key,
            game=game,
            seed=spec.seed,
            seat=talk.seat,
            turn=turn,
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


class _Watched:
    """An observer that may fail: it is dropped at its first error, and the match goes on."""

    def __init__(self, observer: Observer | None) -> None:
        self._observer = observer

    def call(self, method: str, *args: object) -> None:
        if self._observer is None:
            return
        try:
            getattr(self._observer, method)(*args)
        except Exception:  # noqa: BLE001 - a display must never cost a match; the error is logged in full
            logger.exception("An observer failed and is dropped for the rest of this match.")
            self._observer = None


async def play_match(
    spec: MatchSpec, players: Sequence[Player], observer: Observer | None = None, *, game: Game | None = None
) -> MatchRecord:
    """Play one match to its end.

    Args:
        spec: what to play.
        players: one per seat, in seat order.
        observer: told of the start, every turn and the end.
        game: the loaded game, if the caller has it.

    Returns:
        The record; VOID, with the error, where a player or the rules raised.
    """
    game = game or get_game(spec.game, spec.params)
    if len(players) != game.spec.seats or len(spec.players) != game.spec.seats:
        raise ValueError(f"{spec.game} has {game.spec.seats} seats; got {len(players)} players.")
    watched = _Watched(observer)
    watched.call("match_started", spec)
    start = time.perf_counter()
    talks = [Conversation(game, seat) for seat in range(game.spec.seats)]
    turns: list[Turn] = []

    def record(returns: tuple[float, ...], outcome: str, ended: Ended, **rest: object) -> MatchRecord:
        made = MatchRecord(
            spec=spec,
            systems=tuple(talk.system for talk in talks),
            turns=tuple(turns),
            returns=returns,
            outcome=outcome,
            ended=ended,
            duration_s=time.perf_counter() - start,
            **rest,  # type: ignore[arg-type]  # fault and error, passed by name below
        )
        watched.call("match_ended", made)
        return made

    try:
        state = game.new_state(spec.seed)
        ply = 0
        while to_move := state.to_move():
            first = len(turns)
            answers = await asyncio.gather(
                *(ask(spec, game, state, players[seat], talks[seat], first + i) for i, seat in enumerate(to_move))
            )
            for i, (seat, (attempts, move)) in enumerate(zip(to_move, answers, strict=True)):
                turns.append(Turn(index=first + i, ply=ply, seat=seat, attempts=attempts, move=move))
            failed = next((turn for turn in turns[first:] if turn.move is None), None)
            if failed is None:
                state.apply({turn.seat: turn.move for turn in turns[first:] if turn.move is not None})
            for turn in turns[first:]:
                watched.call("turn_played", spec, turn, state)
            if failed is not None:
                fault = Fault(seat=failed.seat, issue=failed.attempts[-1].issue)
                return record(game.forfeit_returns(failed.seat), "forfeit", Ended.FORFEIT, fault=fault)
            ply += 1
        return record(state.returns(), state.outcome(), Ended.TERMINAL)
    except Exception as error:  # noqa: BLE001 - whatever broke is in the record, and the match is owed again
        logger.debug("match %s void", spec.match_key, exc_info=True)
        return record((), "void", Ended.VOID, error=f"{type(error).__name__}: {error}")
    finally:
        for seat, player in enumerate(players):
            player.forget(spec.match_key, seat)
