"""The match in focus: who sits where, the board or the dialogue, how each reply was taken, and how it ended."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.text import Text

from arena.display.draw import beside, height_to, line, plural, rule, seat_style, signed
from arena.display.model import LiveModel, Say, ShownMatch
from arena.display.safe import clean, one_line, wrap

SPEECH_LINES = 6
"""Lines of one reply at most."""

_MIN_TALK = 26
"""Columns that the replies need beside a board."""


_SEAT_OR_DRAW = re.compile(r"p\d+|draw|")
"""Outcomes that the returns tell as well."""


def match_panel(model: LiveModel, width: int, height: int | None = None) -> list[Text]:
    """The match in focus.

    Args:
        model: the state.
        width: columns.
        height: exactly so many lines; as many as are needed, if None.
    """
    match = model.match
    if match is None:
        return height_to([], height or 0)
    head = [_title(match, width), *_seats(match, width)]
    foot = [_verdict(match, width)] if match.end is not None else []
    room = None if height is None else max(0, height - len(head) - len(foot))
    lines = [*head, *_body(match, width, room), *foot]
    return lines if height is None else height_to(lines, height)


def _title(match: ShownMatch, width: int) -> Text:
    title = Text.assemble(
        (one_line(match.game), "bold"), (f"  match {one_line(match.key)[:8]}  seed {match.seed}", "dim")
    )
    return rule(title, width)


def _seats(match: ShownMatch, width: int) -> list[Text]:
    seats = []
    for seat, name in enumerate(match.players):
        role = f" {one_line(match.roles[seat])}" if seat < len(match.roles) else ""
        seats.append(
            Text.assemble((f"P{seat}{role}", f"bold {seat_style(seat)}"), " ", (one_line(name), seat_style(seat)))
        )
    together = Text("   ").join(seats)
    if together.cell_len + 1 <= width or len(seats) > 3:
        return [line(" ", together, width=width)]
    return [line(" ", seat, width=width) for seat in seats]


def _body(match: ShownMatch, width: int, height: int | None) -> list[Text]:
    board = [one_line(row) for row in clean(match.board).split("\n")] if match.board else []
    widest = max((len(row) for row in board), default=0)
    if board and widest + 5 + _MIN_TALK <= width and widest <= width // 2:
        board_lines = [line(" ", row, width=widest + 2) for row in board]
        talk = _talk(match, width - widest - 5)
        if height is not None:
            board_lines = board_lines[:height]
            talk = _last(talk, height, width - widest - 5)
        return beside(board_lines, talk, widest + 2, width, gap=3)
    wrapped = [line(" ", (row, "dim"), width=width) for text in board for row in wrap(text, width - 2)]
    talk = _talk(match, width - 1)
    if height is not None and talk:
        wrapped = wrapped[: max(height // 3, min(len(wrapped), 4))] if height > 6 else []
        talk = _last(talk, height - len(wrapped), width)
    return [*(line(" ", row, width=width) for row in talk), *wrapped][:height]


def _last(lines: Sequence[Text], height: int, width: int) -> list[Text]:
    """The latest lines that fit; the first says how many do not."""
    if len(lines) <= height:
        return list(lines)
    if height < 2:
        return list(lines[-height:]) if height > 0 else []
    missing = len(lines) - height + 1
    return [line((f"… {missing} lines above", "dim"), width=width), *lines[-(height - 1) :]]


def _talk(match: ShownMatch, width: int) -> list[Text]:
    """All replies. Those that are nothing but their move share lines."""
    lines = [line((f"… followed from turn {match.joined + 1} on", "dim"), width=width)] if match.joined else []
    flow: Text | None = None
    for say in match.turns:
        if _bare(say):
            piece = Text.assemble(
                (f"P{say.seat}", f"bold {seat_style(say.seat)}"), " ", f"[{one_line(say.move or '')}]"
            )
            if flow is not None and flow.cell_len + 2 + piece.cell_len <= width:
                flow = Text.assemble(flow, "  ", piece)
                lines[-1] = flow
            else:
                flow = line(piece, width=width)
                lines.append(flow)
        else:
            flow = None
            lines += say_lines(say, width)
    return lines


def _bare(say: Say) -> bool:
    return len(say.tries) == 1 and say.move is not None and say.tries[0]["said"].strip() == f"[{say.move}]"


def say_lines(say: Say, width: int, limit: int | None = SPEECH_LINES) -> list[Text]:
    """One turn: every try in the player's words, and what it was taken for."""
    who = (f"P{say.seat}", f"bold {seat_style(say.seat)}")
    cost = f"  {say.tokens} tokens, {say.latency_s:.1f} s" if say.tokens else ""
    if _bare(say):
        return [line(who, f" [{one_line(say.move or '')}]", (cost, "dim"), width=width)]
    indent = "   "
    lines: list[Text] = []
    for attempt in say.tries:
        if attempt.get("thought"):
            thought = wrap(clean(attempt["thought"]), width - 6)
            lines += [line(indent, (f"~ {row}", "dim italic"), width=width) for row in _cut(thought, limit)]
        style = "" if attempt["issue"] == "ok" else "dim"
        said = _cut(wrap(clean(attempt["said"]).strip() or "(nothing)", width - 4), limit)
        lines += [line(indent, (row, style), width=width) for row in said]
        if attempt["issue"] != "ok":
            verdict = f"✗ {attempt['issue'].replace('_', ' ')}: {one_line(attempt['hint'])}"
            lines += [line(indent, (row, "red"), width=width) for row in wrap(verdict, width - 4)]
    if say.move is not None:
        taken = one_line(say.move) or "talk only"
        lines.append(line(indent, ("→ ", "dim"), (taken, "bold"), (cost, "dim"), width=width))
    lines[0] = line(who, " ", lines[0][len(indent) :], width=width)
    return lines


def _cut(lines: list[str], limit: int | None) -> list[str]:
    if limit is None or len(lines) <= limit:
        return lines
    return [*lines[: limit - 1], f"… {len(lines) - limit + 1} more lines"]


def _verdict(match: ShownMatch, width: int) -> Text:
    return line(" ▸ ", *verdict(match), width=width)


def verdict(match: ShownMatch) -> list[tuple[str, str]]:
    """How a match ended, in words: texts and their styles."""
    end = match.end
    if end is None:
        return [("in play", "dim")]
    turns = end.get("turns", len(match.turns))
    length = (f"  {plural(turns, 'turn')}", "dim")
    if end["ended"] == "void":
        return [(f"void, to be played again: {one_line(str(end.get('error')))}", "bold red"), length]
    returns = [float(value) for value in end["returns"]]
    payoff = "  ".join(
        f"P{seat} {signed(value, 0 if value == int(value) else 2)}" for seat, value in enumerate(returns)
    )
    fault = end.get("fault")
    if end["ended"] == "forfeit" and fault:
        seat, issue = int(fault["seat"]), str(fault["issue"]).replace("_", " ")
        return [(f"P{seat} forfeits ({one_line(issue)})", f"bold {seat_style(seat)}"), (f"   {payoff}", ""), length]
    best = max(returns, default=0.0)
    winners = [seat for seat, value in enumerate(returns) if value == best]
    if len(winners) == 1 and len(returns) > 1:
        words, style = f"P{winners[0]} wins", f"bold {seat_style(winners[0])}"
    else:
        words, style = ("draw" if len(winners) == len(returns) else "shared first place"), "bold"
    named = str(end.get("outcome", ""))
    if end["ended"] == "terminal" and not _SEAT_OR_DRAW.fullmatch(named):  # a team's name, or that there was no deal
        words, style = one_line(named.replace("_", " ")), "bold"
    if end["ended"] == "turn_limit":
        words, style = "stopped at the turn limit", "bold"
    return [(words, style), (f"   {payoff}", ""), length]
