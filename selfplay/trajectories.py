"""From records to training rows.

A seat's replies form its trajectory. Consecutive replies share a row while each prompt extends the last prompt and
reply token for token; otherwise a new row starts. Only tokens that the learner sampled carry loss: not the rules, not
the observations, not another seat's words, not the tokens of a frozen opponent. Ids come from the record as sampled;
text is never tokenised again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from arena.types import MatchRecord
from games import Game, Seat


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One sampled reply of a trajectory.

    Attributes:
        decision: which of the seat's decisions it belongs to, from 0; a retry belongs to the same one.
        prompt_ids: tokens it was conditioned on. ids: tokens sampled, end of turn included.
        logprobs: of each of `ids`, under the sampling distribution (nats).
    """

    decision: int
    prompt_ids: tuple[int, ...]
    ids: tuple[int, ...]
    logprobs: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Trajectory:
    """What the learner said in one seat of one match, in order."""

    match_key: str
    game: str
    role: str
    seat: Seat
    replies: tuple[Reply, ...]


@dataclass(frozen=True, kw_only=True)
class Row:
    """One training sequence.

    Attributes:
        match_key, game, role, seat: where it comes from.
        prompt_ids: tokens before the first sampled one.
        completion_ids: from the first sampled token on, other tokens in between included.
        loss_mask: 1 where the learner sampled the token, 0 elsewhere; as long as `completion_ids`.
        logprobs: log-probability under the sampling distribution where the mask is 1, 0.0 elsewhere.
        decisions: for each completion token, the seat's decision that it belongs to (or leads up to).
    """

    match_key: str
    game: str
    role: str
    seat: Seat
    prompt_ids: tuple[int, ...]
    completion_ids: tuple[int, ...]
    loss_mask: tuple[int, ...]
    logprobs: tuple[float, ...]
    decisions: tuple[int, ...]

    @property
    def length(self) -> int:
        """Tokens in all."""
        return len(self.prompt_ids) + len(self.completion_ids)


def trajectories(record: MatchRecord, game: Game, learners: Collection[str]) -> Iterator[Trajectory]:
    """The learner's trajectories in a match, by seat.

    Args:
        record: the match, from memory or read back from disk.
        game: its loaded game.
        learners: snapshot names that count as the learner; replies by any other are never trained on.
    """
    for seat, role in enumerate(record.roles_in(game)):
        replies = []
        for decision, turn in enumerate(turn for turn in record.turns if turn.seat == seat):
            for attempt in turn.attempts:
                said = attempt.completion
                if said.snapshot in learners and said.ids:
                    replies.append(
                        Reply(decision=decision, prompt_ids=said.prompt_ids, ids=said.ids, logprobs=said.logprobs)
                    )
        if replies:
            yield Trajectory(
                match_key=record.spec.match_key,
                game=game.spec.id,
                role=role,
                seat=seat,
                replies=tuple(replies),
            )


def rows(trajectory: Trajectory) -> Iterator[Row]:
    """The training rows of a trajectory: as few as its prompts allow."""
    packed: list[Reply] = []
    for reply in trajectory.replies:
        if packed and not _extends(reply, packed[-1]):
            yield _row(trajectory, packed)
            packed = []
        packed.append(reply)
    if packed:
        yield _row(trajectory, packed)


def _extends(reply: Reply, last: Reply) -> bool:
    """Whether the prompt starts with the last prompt and reply. The row so far is exactly these."""
    middle = len(last.prompt_ids)
    prompt = reply.prompt_ids
    return prompt[:middle] == last.prompt_ids and prompt[middle : middle + len(last.ids)] == last.ids


def _row(trajectory: Trajectory, replies: list[Reply]) -> Row:
    first = replies[0].prompt_ids
    mask: list[int] = []
    logprobs: list[float] = []
    decisions: list[int] = []
    for reply in replies:
        between = len(reply.prompt_ids) - len(first) - len(mask)
        mask += [0] * between + [1] * len(reply.ids)
        logprobs += [0.0] * between + list(reply.logprobs)
        decisions += [reply.decision] * (between + len(reply.ids))
    whole = replies[-1].prompt_ids + replies[-1].ids
    return Row(
        match_key=trajectory.match_key,
        game=trajectory.game,
        role=trajectory.role,
        seat=trajectory.seat,
        prompt_ids=first,
        completion_ids=whole[len(first) :],
        loss_mask=tuple(mask),
        logprobs=tuple(logprobs),
        decisions=tuple(decisions),
    )
