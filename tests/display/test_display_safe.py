"""Nothing that a player says reaches the terminal as more than text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from arena.display.safe import clean, fit, one_line, pad, tail, wrap


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [
        ("plain [bold]markup[/bold] :smile:", "plain [bold]markup[/bold] :smile:"),
        ("\x1b[2J\x1b[1;31mred\x1b[0m", "\\x1b[2J\\x1b[1;31mred\\x1b[0m"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("back\b\b\rspace", "back\\x08\\x08\\x0dspace"),
        ("a\r\nb\tc", "a\nb   c"),
        ("abc\u202edef\u2066", "abc\\u202edef\\u2066"),
        ("zero\u200bwidth\ufeff\u00ad", "zero\\u200bwidth\\ufeff\\xad"),
        ("line\u2028sep", "line\\u2028sep"),
        ("hard\u00a0space\u3000wide", "hard space wide"),
        ("\ud800 lone", "\\ud800 lone"),
        ("tag \U000e0041", "tag \\U000e0041"),
        ("heart ❤️", "heart ❤"),
        ("z" + "\u0301" * 9, "z\u0301\u0301"),
        ("Grüße 你好", "Grüße 你好"),
    ],
)
def test_clean_shows_what_must_not_act(given_text: str, shown: str) -> None:
    assert clean(given_text) == shown


def test_clean_counts_what_it_does_not_show() -> None:
    assert clean("x" * 100_000, 10) == "xxxxxxxxxx… (+99,990 characters)"
    assert clean("x" * 10, 10) == "xxxxxxxxxx"


@settings(max_examples=200)
@given(st.text(st.characters(), max_size=60))
def test_clean_leaves_only_printable_characters_and_line_ends(text: str) -> None:
    shown = clean(text)
    kinds = {unicodedata.category(char) for char in shown if char != "\n"}
    assert not kinds & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert clean(shown) == shown
    shown.encode("utf-8")


def test_one_line_marks_line_ends() -> None:
    assert one_line("a\nb\r\nc") == "a ⏎ b ⏎ c"


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("你好吗", 5, "你好…"), ("你好吗", 4, "你…"), ("a", 0, "")],
)
def test_fit_cuts_by_cells(text: str, width: int, shown: str) -> None:
    assert fit(text, width) == shown


def test_pad_fills_to_the_width() -> None:
    assert pad("你", 4) == "你  "
    assert pad("7", 4, right=True) == "   7"
    assert pad("abcdef", 4) == "abc…"


@settings(max_examples=100)
@given(st.text(st.sampled_from("ab 你好\n"), max_size=80), st.integers(2, 20))
def test_wrapped_lines_fit_and_lose_no_word(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_wrap_breaks_between_words_and_within_long_ones() -> None:
    assert wrap("one two three", 7) == ["one two", "three"]
    assert wrap("abcdefgh ij", 5) == ["abcde", "fgh", "ij"]


def test_tail_says_how_much_is_missing() -> None:
    assert tail(["1", "2", "3"], 3) == ["1", "2", "3"]
    assert tail(["1", "2", "3", "4"], 3) == ["… 2 lines above", "3", "4"]
    assert tail(["1"], 0) == []
