r"""Reading a reply: the last explicit answer counts, and nothing is ever guessed.

An answer is what stands in square brackets or in a LaTeX box: `[bet]`, `[ Bet ]`, `[bet].`, `\boxed{bet}`,
`\boxed{\text{bet}}`. Words outside brackets, quoted lines (`> …`) and board drawings are never answers. When
several stand in the final position (nothing but connectives between them) and differ, the reply is ambiguous.
All patterns are linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from games.types import Issue, Move, Parsed

_BRACKET = re.compile(r"\[([^\[\]]{0,2000})\]")
_BOX = re.compile(r"\\boxed\s*\{")
_WRAPPER = re.compile(r"\\(?:text|mathrm|mathbf|textbf)\s*\{([^{}]*)\}")
_CONNECTIVE = re.compile(r"(?:[\s.,;:/&|*`$\\]|\b(?:or|and|maybe|perhaps|then|else)\b)*", re.IGNORECASE)
_SPACE = re.compile(r"\s+")
MAX_LENGTH = 100_000
"""Only the end of a longer reply is read: the last answer counts anyway."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One explicit answer in a reply: its content and where it stands."""

    text: str
    start: int
    end: int


def normalise(text: str) -> str:
    """What two spellings of the same answer have in common: case, spaces, text wrappers, a closing stop."""
    text = _WRAPPER.sub(r"\1", text)
    return _SPACE.sub(" ", text).strip().strip(".").strip().casefold()


def _box_end(text: str, start: int) -> int | None:
    """Index of the brace that closes the one before `start`, or None when it never closes."""
    depth = 1
    for match in re.finditer(r"[{}]", text[start:]):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return start + match.start()
    return None


def _without_quotes(text: str) -> str:
    """Blank out quoted lines, keeping every position."""
    if ">" not in text:
        return text
    return "\n".join(" " * len(line) if line.lstrip().startswith(">") else line for line in text.split("\n"))


def find_answers(text: str) -> list[Answer]:
    """Every explicit answer, in order; an outer box wins over what stands inside it."""
    text = _without_quotes(text)
    found: list[Answer] = []
    position = 0
    for match in _BOX.finditer(text):
        if match.start() < position:
            continue
        end = _box_end(text, match.end())
        if end is None:
            break
        inner = text[match.end() : end].strip()
        if inner.startswith("[") and inner.endswith("]"):
            inner = inner[1:-1]
        found.append(Answer(text=inner, start=match.start(), end=end + 1))
        position = end + 1
    boxes = list(found)
    found += [
        Answer(text=m.group(1), start=m.start(), end=m.end())
        for m in _BRACKET.finditer(text)
        if not any(box.start <= m.start() < box.end for box in boxes)
    ]
    return sorted(found, key=lambda answer: answer.start)


def final_answers(text: str) -> tuple[Answer, ...]:
    """The answers in the final position: the last one, and those joined to it by nothing but connectives."""
    answers = find_answers(text)
    if not answers:
        return ()
    first = len(answers) - 1
    while first > 0 and _CONNECTIVE.fullmatch(text, answers[first - 1].end, answers[first].start):
        first -= 1
    return tuple(answers[first:])


def _has_open_answer(text: str) -> bool:
    """Whether the reply breaks off inside an answer."""
    return text.rfind("[") > text.rfind("]") or any(_box_end(text, m.end()) is None for m in _BOX.finditer(text))


def final_answer(raw: str, *, truncated: bool = False, example: str = "") -> Answer | Parsed:
    """The one answer in the final position, or why there is none.

    Args:
        raw: the reply.
        truncated: whether it hit the token limit.
        example: a legal answer to show in the hint, without brackets.
    """
    text = raw[-MAX_LENGTH:]
    form = f" Give it in square brackets, for example [{example}]." if example else " Give it in square brackets."
    final = final_answers(text)
    if truncated and (not final or _has_open_answer(text[final[-1].end :])):
        return Parsed(raw=raw, issue=Issue.TRUNCATED, hint="The reply was cut off before an answer." + form)
    if not final:
        if _has_open_answer(text):
            return Parsed(raw=raw, issue=Issue.MALFORMED, hint="The answer's bracket is not closed." + form)
        return Parsed(raw=raw, issue=Issue.NO_ANSWER, hint="There is no answer." + form)
    if len({normalise(answer.text) for answer in final}) > 1:
        given = " ".join(f"[{answer.text[:40]}]" for answer in final[:4])
        return Parsed(raw=raw, issue=Issue.MALFORMED, hint=f"{given} is more than one answer; give exactly one.")
    return final[-1]


def parse_choice(
    raw: str, legal: Mapping[str, Move], known: Mapping[str, object] | frozenset[str], *, truncated: bool = False
) -> Parsed:
    """Read a reply whose answer is one of a list.

    Args:
        raw: the reply.
        legal: legal moves by normalised answer (aliases may point to the same move).
        known: normalised answers that exist somewhere in the game: ILLEGAL rather than MALFORMED.
        truncated: whether the reply hit the token limit.
    """
    example = next(iter(legal.values())).answer if legal else ""
    found = final_answer(raw, truncated=truncated, example=example)
    if isinstance(found, Parsed):
        return found
    key = normalise(found.text)
    move = legal.get(key)
    if move is not None:
        return Parsed(raw=raw, issue=Issue.OK, move=move)
    shown = found.text.strip()[:40]
    options = list(dict.fromkeys(move.answer for move in legal.values()))
    allowed = " ".join(f"[{answer}]" for answer in options[:40])
    if key in known:
        return Parsed(raw=raw, issue=Issue.ILLEGAL, hint=f"[{shown}] is not allowed now. Allowed: {allowed}.")
    return Parsed(raw=raw, issue=Issue.MALFORMED, hint=f"[{shown}] is not an answer here. Allowed: {allowed}.")
