"""Word lists and the rule by which a word counts as said."""

from __future__ import annotations

import pytest

from games.inflection import IRREGULAR, forms, mentions, plurals
from games.words import ABSTRACT, COMMON, LISTS, RARE, group_of, words_of


def test_lists_are_large_and_near_words_stand_together():
    assert (len(words_of(COMMON)), len(words_of(RARE)), len(words_of(ABSTRACT))) == (216, 103, 62)
    assert all(len(words) >= 9 for groups in LISTS.values() for words in groups.values())
    assert group_of(COMMON, "plum") == "kind of fruit"
    with pytest.raises(KeyError, match="plumbing"):
        group_of(COMMON, "plumbing")


def test_no_word_is_another_one_or_its_plural():
    everything = [word for groups in LISTS.values() for word in words_of(groups)]
    assert all(word.isascii() and word.islower() and word.isalpha() for word in everything)
    said = [form for word in everything for form in forms(word)]
    assert len(said) == len(set(said))


def test_names_of_groups_give_no_word_away():
    names = " ".join(name for groups in LISTS.values() for name in groups)
    assert not [word for groups in LISTS.values() for word in words_of(groups) if mentions(names, word)]


@pytest.mark.parametrize(
    ("word", "plural"),
    [
        ("river", ("rivers",)),
        ("hat", ("hats",)),
        ("bus", ("buses",)),
        ("church", ("churches",)),
        ("fox", ("foxes",)),
        ("cherry", ("cherries",)),
        ("donkey", ("donkeys",)),
        ("roof", ("roofs",)),
        ("wolf", ("wolves",)),
        ("knife", ("knives",)),
        ("potato", ("potatoes", "potatos")),
        ("radio", ("radios",)),
        ("mouse", ("mice",)),
        ("policeman", ("policemen",)),
        ("sheep", ()),
        ("ICE", ("ices",)),
    ],
)
def test_plurals(word: str, plural: tuple[str, ...]):
    assert plurals(word) == plural
    assert all(mentions(f"Two {form}.", word) for form in plural)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("ice", "ice"),
        ("ICE!", "ice"),
        ("I like ice-cream", "ice"),
        ("the ice's edge", "ice"),
        ("the ice’s edge", "ice"),
        ("all the foxes' dens", "fox"),
        ("**ice**, _ice_", "ice"),
        ("[ice]", "ice"),
        ("on\nice\n", "ice"),
        ("Ｉｃｅ", "ice"),  # fullwidth
        ("i\u200bc\u00ade", "ice"),  # with characters that nobody sees
        ("die STRASSE", "straße"),  # Unicode case folding
        ("Cafe\u0301s", "café"),  # composed or not
        ("ЛЕС", "лес"),
        ("1 apple2 apple", "apple"),
    ],
)
def test_said(text: str, word: str):
    assert mentions(text, word)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "ice"),
        ("nice", "ice"),
        ("icy", "ice"),
        ("iced tea", "ice"),
        ("ice2", "ice"),
        ("i c e", "ice"),
        ("iсe", "ice"),  # a Cyrillic letter: another word
        ("He hates cares.", "hat"),
        ("He cares.", "car"),
        ("sandbox", "box"),
        ("mouses", "mouse"),
        ("cafe", "café"),
    ],
)
def test_not_said(text: str, word: str):
    assert not mentions(text, word)


def test_irregular_plurals_are_no_other_word():
    assert not set(IRREGULAR) & {form for plural in IRREGULAR.values() for form in plural}
