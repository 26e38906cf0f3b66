"""Reading replies: the last explicit answer counts, and nothing is ever guessed (faults 10 to 15 of this field)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.parsing import MAX_LENGTH, final_answer, find_answers, normalise, parse_choice
from games.types import Issue, Move, Parsed

MOVES = (Move(answer="check", action=0), Move(answer="bet", action=1))
SQUARES = tuple(Move(answer=str(square), action=square) for square in range(9))


def read(text: str, moves: tuple[Move, ...] = MOVES, *, truncated: bool = False) -> Parsed:
    return parse_choice(text, moves, lambda: {"fold", "call"}, aliases={"pass": 0}, truncated=truncated)


def answer(text: str, moves: tuple[Move, ...] = MOVES) -> str | None:
    move = read(text, moves).move
    return None if move is None else move.answer


@pytest.mark.parametrize(
    "text",
    [
        "[bet]",
        "[Bet]",
        "[ bet ]",
        "[BET].",
        "[bet.]",
        "**[bet]**",
        "[\nbet\n]",
        "[[bet]]",
        r"\boxed{bet}",
        r"\boxed {bet}",
        r"\boxed{ Bet }.",
        r"\boxed{\text{bet}}",
        r"\boxed{\mathbf{\text{ bet }}}",
        "\\boxed{\n  bet\n}",
        r"$\boxed{bet}$",
        r"\boxed{[bet]}",
        r"\boxed{\text{[bet]}}",
        r"[\boxed{bet}]",
        r"\boxed{\boxed{bet}}",
        "I hold a King.\nSo: [bet]",
        "[bet] because I hold a King.",
        "[check] was my first idea. With a King it is better to act: [bet]",
        "not [check], I play [bet]",
        "[bet] [bet]",
        '"[bet]"',
        '"I am strong. [bet]"',
        '{"move": "[bet]"}',
        "[bet]\n> [check]",
        "]bet[ [bet]",
        "[some unfinished [bet]",
    ],
)
def test_these_all_mean_bet(text: str):
    assert answer(text) == "bet"


@pytest.mark.parametrize(
    ("text", "issue"),
    [
        ("", Issue.NO_ANSWER),
        ("   \n", Issue.NO_ANSWER),
        ("bet", Issue.NO_ANSWER),
        ("bet or check", Issue.NO_ANSWER),
        ("(bet)", Issue.NO_ANSWER),
        ("【bet】", Issue.NO_ANSWER),
        ("> [bet]", Issue.NO_ANSWER),
        ("  > [bet]", Issue.NO_ANSWER),
        ('You said "go on, [bet]".', Issue.NO_ANSWER),
        ("You said “go on, [bet]”.", Issue.NO_ANSWER),
        ("Allowed: [bet]", Issue.NO_ANSWER),
        (r"\boxed bet", Issue.NO_ANSWER),
        ("[bett]", Issue.MALFORMED),
        ("[bet or check]", Issue.MALFORMED),
        ("[alphabet]", Issue.MALFORMED),
        ("[]", Issue.MALFORMED),
        ("[bet [check]]", Issue.MALFORMED),
        ("[bet", Issue.MALFORMED),
        (r"\boxed{bet", Issue.MALFORMED),
        ("[bet] or [", Issue.MALFORMED),
        ("[bet] hmm, rather [check", Issue.MALFORMED),
        ("[bet] or [check]", Issue.MALFORMED),
        ("[bet] [check]", Issue.MALFORMED),
        ("Either [bet], or maybe [check]!", Issue.MALFORMED),
        ("[bet]/[check]", Issue.MALFORMED),
        (r"[bet] \boxed{check}", Issue.MALFORMED),
        ("[fold]", Issue.ILLEGAL),
        ("[Fold.]", Issue.ILLEGAL),
    ],
)
def test_these_are_no_move_and_say_why(text: str, issue: Issue):
    parsed = read(text)
    assert (parsed.issue, parsed.move, parsed.raw) == (issue, None, text)
    assert parsed.hint


def test_an_alias_is_understood_and_never_offered():
    assert answer("[pass]") == "check"
    assert "pass" not in read("[x]").hint


def test_hints_name_the_fault_and_what_is_allowed():
    assert read("[fold]").hint == "[fold] is not allowed now. Allowed: [check] [bet]."
    assert read("[bett]").hint == "[bett] is not an answer here. Allowed: [check] [bet]."
    assert read("[bet] or [check]").hint == "[bet] [check] is more than one answer; give exactly one."
    assert read("well").hint == "There is no answer. Give it in square brackets, for example [check]."
    assert read("[bet").hint == "The answer's bracket is not closed. Give it in square brackets, for example [check]."


def test_truncated_only_where_no_answer_was_complete():
    assert read("I think", truncated=True).issue is Issue.TRUNCATED
    assert read("", truncated=True).issue is Issue.TRUNCATED
    assert read("I think [be", truncated=True).issue is Issue.TRUNCATED
    assert read("I think [bet] or rather [che", truncated=True).issue is Issue.TRUNCATED
    assert read("[bet] because the other", truncated=True).issue is Issue.OK
    assert read("[bett] because", truncated=True).issue is Issue.MALFORMED
    assert read("[fold] because", truncated=True).issue is Issue.ILLEGAL


def test_an_illegal_answer_is_never_replaced_by_a_legal_one_nearby():
    # in prose, in an earlier answer, in a quotation, in a drawn board
    assert read("The squares 1 and 2 are free. [9]", SQUARES).issue is Issue.MALFORMED
    assert read("[4] is good, but I take [9]", SQUARES).issue is Issue.MALFORMED
    assert read('You wrote "[4] is free". [9]', SQUARES).issue is Issue.MALFORMED
    assert read("0 1 2\n3 X 5\n[fold]", SQUARES).issue is Issue.ILLEGAL


def test_digits_of_other_scripts_and_signs_are_not_guessed():
    for text in ("[４]", "[٤]", "[½]", "[-4]", "[4.0]", "[.4]", "[04]", "[four]", "[4 5]", "[4,5]"):
        assert read(text, SQUARES).issue is Issue.MALFORMED, text


def test_case_counts_only_where_it_must():
    pawn_and_bishop = (Move(answer="bxc3", action=1), Move(answer="Bxc3", action=2), Move(answer="Nf6", action=3))
    assert [read(f"[{text}]", pawn_and_bishop).move for text in ("bxc3", "Bxc3", "nf6")] == list(pawn_and_bishop)
    ambiguous = read("[BXC3]", pawn_and_bishop)
    assert ambiguous.issue is Issue.MALFORMED
    assert "upper and lower case" in ambiguous.hint


def test_a_seat_that_is_not_to_move_is_told_so():
    assert read("[bet]", ()).hint.endswith("It is not your turn.")


def test_only_the_end_of_an_endless_reply_is_read():
    assert answer("[check] " + "x" * MAX_LENGTH + " [bet]") == "bet"
    assert read("[bet]" + "x" * MAX_LENGTH).issue is Issue.NO_ANSWER


def test_positions_are_those_of_the_text():
    text = r"I say \boxed{a} then [b]."
    found = find_answers(text).answers
    assert [(each.text, text[each.start : each.end]) for each in found] == [("a", r"\boxed{a}"), ("b", "[b]")]


@given(st.text(alphabet='[]{}\\boxed>"“” \nab4.,or', max_size=60))
@settings(max_examples=400, deadline=None)
def test_no_soup_of_brackets_crashes_or_becomes_two_things(text: str):
    parsed = read(text, SQUARES)
    assert (parsed.move is not None) == (parsed.issue is Issue.OK)
    assert bool(parsed.hint) == (parsed.issue is not Issue.OK)
    found = find_answers(text)
    assert all(a.end <= b.start for a, b in zip(found.answers, found.answers[1:], strict=False))
    if parsed.move is not None:
        assert normalise(found.answers[-1].text) == parsed.move.answer


@given(st.text(max_size=200), st.sampled_from(SQUARES))
@settings(max_examples=200, deadline=None)
def test_whatever_is_said_before_the_last_answer_counts(noise: str, move: Move):
    clean = noise.replace("[", "(").replace("]", ")").replace("\\", "/").replace('"', "'").replace("“", "'")
    assert answer(f"{clean}\nso I play [{move.answer}]", SQUARES) == move.answer


@given(st.text(max_size=300), st.booleans())
@settings(max_examples=300, deadline=None)
def test_any_text_gives_one_verdict(text: str, truncated: bool):
    parsed = final_answer(text, truncated=truncated)
    if isinstance(parsed, Parsed):
        assert parsed.issue in {Issue.NO_ANSWER, Issue.MALFORMED, Issue.TRUNCATED}
        assert (parsed.issue is Issue.TRUNCATED) <= truncated


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "]" * 100_000,
        "[]" * 50_000,
        "[" * 50_000 + "]" * 50_000,
        "\\boxed{" * 14_000,
        "\\boxed{" * 12_000 + "}" * 12_000,
        "\\boxed{4}" * 11_000,
        "[4] \\boxed{5} " * 7_000,
        "[4]" + " " * 99_990 + "x[5]",
        "[4]" + " or" * 33_000 + "[5]",
        "[" + "\\text{" * 16_000,
        '"' * 100_000,
        'a "' * 33_000,
        (" " * 999 + "\n") * 100,
        "Allowed: " * 11_000,
    ],
    ids=lambda text: text[:12],
)
def test_a_hundred_kilobytes_are_read_in_linear_time(text: str):
    start = time.process_time()
    read(text, SQUARES)
    assert time.process_time() - start < 1.0  # quadratic steps would take minutes
