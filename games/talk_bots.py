"""Phrases of the scripted talkers. None holds a word of the lists, so saying one never loses a match."""

from __future__ import annotations

from games.types import RandomStream

SMALL_TALK = (
    "Hello there.",
    "I see what you mean.",
    "That is an interesting thing to say.",
    "Tell me more.",
    "I would rather not say.",
    "What do you think?",
    "Let us talk of something else.",
    "You go first.",
    "Maybe so.",
    "I have no idea.",
)


def small_talk(rng: RandomStream) -> str:
    """Something that gives nothing away."""
    return str(rng.choice(SMALL_TALK))


def article(noun: str) -> str:
    """The noun after `a` or `an`."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def ask_for(kind: str, rng: RandomStream) -> str:
    """A question whose answers are the words of a group."""
    question = str(
        rng.choice(("Can you name {}?", "Tell me {} that you like.", "Which is {} that you often think of?"))
    )
    return question.format(article(kind))
