r"""Reading a reply: the last explicit answer counts, and nothing is ever guessed.

An answer is what stands in square brackets or in a LaTeX box: `[bet]`, `[ Bet ]`, `[bet].`, `\boxed{bet}`,
`\boxed{\text{bet}}`, over several lines and nested. Words outside brackets are never answers, and neither are
quotations (`> …` lines, words in double quotes) or a repeated list of what is allowed. When several answers stand in
the final position (nothing but connectives between them) and differ, the reply is ambiguous. An answer that was begun
after the last complete one makes the reply unreadable rather than the earlier one valid.

Every step is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from games.types import Issue, Move, Parsed

Span: TypeAlias = tuple[int, int]
MAX_LENGTH = 100_000
"""Characters read: only the end of a longer reply, where the last answer stands anyway."""

SHORT = 100
"""Characters of a reply that may be one answer and nothing else."""

_SIMPLE = re.compile(r"\s*(\[[^\[\]{}\\\n]*\])[\s.]*", re.DOTALL)
_BRACE = re.compile(r"\\boxed\s*\{|[{}]")
_BRACKET = re.compile(r"[\[\]]")
_QUOTED_LINE = re.compile(r"^[^\S\n]*>", re.MULTILINE)
_WRAPPER = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|boxed)\s*\{([^{}]*)\}")
_SPACE = re.compile(r"\s+")
_CONNECTIVE = re.compile(
    r"(?:[^\w\[\]]++|\b(?:or|and|maybe|perhaps|then|else|either|also|alternatively|vs)\b)*+", re.IGNORECASE
)
# The alternative `kept` is no quotation: a whole line in quotes, or an answer alone in quotes.
_QUOTED = re.compile(
    r"""^[^\S\n]*>[^\n]*
    | (?P<kept> ^[^\S\n]*"[^"\n]*"[^\S\n]*$ | ^[^\S\n]*“[^”\n]*”[^\S\n]*$
              | "\s*\[[^\]"\n]*\]\s*" | “\s*\[[^\]”\n]*\]\s*” )
    | "[^"\n]*" | “[^”\n]*”
    | \bAllowed:[^\n]*""",
    re.VERBOSE | re.MULTILINE,
)


class Answer(NamedTuple):
    """One explicit answer in a reply: its content, and where it stands in the text that was read."""

    text: str
    start: int
    end: int


class Found(NamedTuple):
    """All explicit answers of a reply in order, and whether another was begun after them but never closed."""

    answers: tuple[Answer, ...]
    broken_off: bool


def normalise(text: str) -> str:
    """What two spellings of the same answer have in common: case, spaces, LaTeX wrappers, a closing full stop."""
    return tidy(text).casefold()


def tidy(text: str) -> str:
    """`normalise` with the case kept."""
    return _tidy_short(text) if len(text) <= 100 else _tidy(text)  # the cache must not hold long replies


def _tidy(text: str) -> str:
    for _ in range(3):  # \text{\mathbf{bet}}; deeper nesting is nobody's answer
        text, changed = _WRAPPER.subn(r"\1", text)
        if not changed:
            break
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):  # \boxed{[bet]}, [[bet]]
        text = text[1:-1]
    return _SPACE.sub(" ", text).strip().rstrip(". ")


_tidy_short = lru_cache(maxsize=8192)(_tidy)


def find_answers(text: str) -> Found:
    """Every explicit answer in order; an outer one wins over what stands inside it."""
    simple = _SIMPLE.fullmatch(text)
    if simple is not None:
        return Found((_answer(text, simple.span(1)),), False)
    if "[" not in text and "\\boxed" not in text:
        return Found((), False)
    if _may_quote(text):
        text = _QUOTED.sub(_blank, text)
    boxes, open_box = _boxes(text)
    brackets, open_bracket = _brackets(text, boxes)
    spans: list[Span] = []
    for span in sorted(boxes + brackets):
        if not spans or span[0] >= spans[-1][1]:
            spans.append(span)
    end = spans[-1][1] if spans else 0
    answers = tuple(_answer(text, span) for span in spans)
    return Found(answers=answers, broken_off=max(open_box, open_bracket) >= end)


def _answer(text: str, span: Span) -> Answer:
    start, end = span
    inner = start + 1 if text[start] == "[" else text.index("{", start) + 1
    return Answer(text[inner : end - 1], start, end)


def _may_quote(text: str) -> bool:
    """Whether `_QUOTED` is worth a search: false only where it finds nothing."""
    if '"' in text or "“" in text or "Allowed:" in text:
        return True
    return ">" in text and _QUOTED_LINE.search(text) is not None


def _blank(quotation: re.Match[str]) -> str:
    """Spaces of the same length, so that positions stay."""
    return quotation.group() if quotation["kept"] else " " * len(quotation.group())


def _boxes(text: str) -> tuple[list[Span], int]:
    r"""Outermost `\boxed{…}`, and where the last unclosed one begins (-1: none)."""
    found: list[Span] = []
    stack: list[tuple[int, bool]] = []  # of open braces: where, and whether a box
    if "\\boxed" not in text:
        return found, -1
    for token in _BRACE.finditer(text):
        if token.group() != "}":
            stack.append((token.start(), token.group() != "{"))
        elif stack:
            start, is_box = stack.pop()
            if is_box:
                _add_outermost(found, (start, token.end()))
    return found, max((start for start, is_box in stack if is_box), default=-1)


def _brackets(text: str, boxes: list[Span]) -> tuple[list[Span], int]:
    """Outermost `[…]` outside boxes, and where the last unclosed one begins (-1: none)."""
    found: list[Span] = []
    stack: list[int] = []
    box = 0
    for token in _BRACKET.finditer(text):
        where = token.start()
        while box < len(boxes) and boxes[box][1] <= where:
            box += 1
        if box < len(boxes) and boxes[box][0] <= where:
            continue
        if text[where] == "[":
            stack.append(where)
        elif stack:
            _add_outermost(found, (stack.pop(), where + 1))
    return found, stack[-1] if stack else -1


def _add_outermost(found: list[Span], span: Span) -> None:
    """Add a span that closes now; it may swallow earlier ones."""
    while found and found[-1][0] > span[0]:
        found.pop()
    found.append(span)


def final_answer(raw: str, *, truncated: bool = False, example: str = "") -> Answer | Parsed:
    """The one answer in the final position, or why there is none.

    Args:
        raw: the reply. Positions in the answer count from the start of its last MAX_LENGTH characters.
        truncated: whether it hit the token limit.
        example: a legal answer to show in the hint, without brackets.
    """
    text = raw[-MAX_LENGTH:]
    found = find_answers(text)
    form = f" Give it in square brackets, for example [{example}]." if example else " Give it in square brackets."
    if found.broken_off or not found.answers:
        if truncated:
            return Parsed(raw=raw, issue=Issue.TRUNCATED, hint="The reply was cut off before an answer." + form)
        if found.broken_off:
            return Parsed(raw=raw, issue=Issue.MALFORMED, hint="The answer's bracket is not closed." + form)
        return Parsed(raw=raw, issue=Issue.NO_ANSWER, hint="There is no answer." + form)
    final = in_final_position(text, found.answers)
    if len({normalise(answer.text) for answer in final}) > 1:
        given = " ".join(f"[{shown(answer.text)}]" for answer in final[:4])
        return Parsed(raw=raw, issue=Issue.MALFORMED, hint=f"{given} is more than one answer; give exactly one.")
    return final[-1]


def in_final_position(text: str, answers: tuple[Answer, ...]) -> tuple[Answer, ...]:
    """The last answer, and those joined to it by nothing but connectives."""
    first = len(answers) - 1
    while first > 0 and _CONNECTIVE.fullmatch(text, answers[first - 1].end, answers[first].start):
        first -= 1
    return answers[first:]


def shown(text: str) -> str:
    """An answer as repeated in a hint: one line, at most 40 characters."""
    return _SPACE.sub(" ", text[:40]).strip()


def parse_choice(
    raw: str,
    legal: Iterable[Move],
    known: Callable[[], Collection[str]],
    *,
    aliases: Mapping[str, int] | None = None,
    truncated: bool = False,
) -> Parsed:
    """Read a reply whose answer is one of a list.

    Case counts only where two legal answers differ in nothing else (chess: `bxc3`, `Bxc3`).

    Args:
        raw: the reply.
        legal: legal moves.
        known: gives the normalised answers that exist somewhere in the game (those are ILLEGAL when they are not
            legal now, anything else is MALFORMED); asked only when it is needed.
        aliases: further spellings, by action.
        truncated: whether the reply hit the token limit.
    """
    moves = tuple(legal)
    if len(raw) <= SHORT and (alone := _SIMPLE.fullmatch(raw)) is not None:  # nothing but one answer, spelt as listed
        inner = alone[1][1:-1]
        for move in moves:
            if move.answer == inner:
                return Parsed(raw=raw, issue=Issue.OK, move=move)
    found = final_answer(raw, truncated=truncated, example=moves[0].answer if moves else "")
    if isinstance(found, Parsed):
        return found
    exact, folded = tidy(found.text), normalise(found.text)
    matches = [move for move in moves if tidy(move.answer) == exact] or [
        move for move in moves if normalise(move.answer) == folded
    ]
    if not matches and aliases:
        wanted = {action for alias, action in aliases.items() if normalise(alias) == folded}
        matches = [move for move in moves if move.action in wanted]
    if len(matches) == 1:
        return Parsed(raw=raw, issue=Issue.OK, move=matches[0])
    answer = f"[{shown(found.text)}]"
    allowed = f"Allowed: {' '.join(f'[{move.answer}]' for move in moves[:40])}." if moves else "It is not your turn."
    if matches:
        hint = f"{answer} fits more than one move; mind upper and lower case. {allowed}"
        return Parsed(raw=raw, issue=Issue.MALFORMED, hint=hint)
    if folded in known():
        return Parsed(raw=raw, issue=Issue.ILLEGAL, hint=f"{answer} is not allowed now. {allowed}")
    return Parsed(raw=raw, issue=Issue.MALFORMED, hint=f"{answer} is not an answer here. {allowed}")
