"""From what a seat may see to the words a player is given. Every player (model, person, evaluation) gets these.

The moderator's lines and the players' words never mix: speech is quoted line by line, so a line that a player
forges to look like the moderator's stays inside the quotation.
"""

from __future__ import annotations

from games.types import Event, Game, Observation, Seat


def system_prompt(game: Game, seat: Seat) -> str:
    """The rules as told to `seat`; the first message of its conversation."""
    return game.rules(seat)


def quote(text: str) -> str:
    """Mark every line of a player's words as speech."""
    return "\n".join(f"> {line}" for line in text.splitlines() or [""])


def event_text(event: Event, seat: Seat) -> str:
    """One event as told to `seat`."""
    if event.speaker is None:
        return event.text
    who = "You" if event.speaker == seat else f"Player {event.speaker}"
    verb = "said" if event.speaker == seat else "says"
    return f"{who} {verb}:\n{quote(event.text)}"


def turn_prompt(observation: Observation, seat: Seat, *, seen: int | None = None, show_legal: bool = True) -> str:
    """The message for one turn.

    Args:
        observation: everything the seat knows now.
        seat: whom the message is for.
        seen: how many of its events earlier messages already told; None starts the conversation, with the facts.
            A seat's own words are not repeated to it, since they stand in the conversation as its reply.
        show_legal: add the list of allowed answers, where there is one.
    """
    start = seen is None
    parts = [observation.facts] if start else []
    parts += [event_text(event, seat) for event in observation.events[seen or 0 :] if start or event.speaker != seat]
    parts += [observation.board, observation.ask]
    if show_legal and observation.legal is not None:
        parts.append("Allowed: " + " ".join(f"[{answer}]" for answer in observation.legal))
    return "\n".join(part for part in parts if part)


def retry_prompt(hint: str) -> str:
    """The message after an unusable reply: what was wrong, and to answer again."""
    return f"That answer cannot be used. {hint} Answer again."
