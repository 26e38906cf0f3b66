"""Whether a word is said: whole, in any case, singular or plural, possessive or not.

The rule, the same in every game that listens for a word: a word is a run of letters and digits, and everything else
(spaces, hyphens, apostrophes, markup) ends it, so `ice` is in `ice-cream` and `ice's` but not in `nice`. Its regular
English plural counts, and an irregular one instead where it has one. Nothing else does: neither verbs (`fished`) nor
compounds written as one word (`sandbox` is not `sand`).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from types import MappingProxyType

IRREGULAR = MappingProxyType(
    {
        "calf": ("calves",),
        "child": ("children",),
        "deer": (),
        "die": ("dice",),
        "dwarf": ("dwarfs", "dwarves"),
        "elf": ("elves",),
        "fish": ("fishes",),
        "foot": ("feet",),
        "goose": ("geese",),
        "half": ("halves",),
        "hoof": ("hooves", "hoofs"),
        "knife": ("knives",),
        "leaf": ("leaves",),
        "life": ("lives",),
        "loaf": ("loaves",),
        "louse": ("lice",),
        "mouse": ("mice",),
        "ox": ("oxen",),
        "person": ("persons", "people"),
        "quiz": ("quizzes",),
        "scarf": ("scarves", "scarfs"),
        "sheep": (),
        "shelf": ("shelves",),
        "thief": ("thieves",),
        "tooth": ("teeth",),
        "wharf": ("wharves", "wharfs"),
        "wife": ("wives",),
        "wolf": ("wolves",),
    }
)
"""Plurals that no rule gives; they also apply to words that end in one (`policeman` by `man`)."""


def plurals(word: str) -> tuple[str, ...]:
    """Plurals of a singular noun, case folded.

    Only real ones: `hat` has no form `hates`, and `car` none in `cares`.
    """
    base = word.casefold()
    if base in IRREGULAR:
        return IRREGULAR[base]
    if base.endswith("man") and not base.endswith("human"):
        return (f"{base[:-2]}en",)
    if base.endswith(("s", "x", "z", "ch", "sh")):
        return (f"{base}es",)
    before = base[-2:-1]
    if base.endswith("y") and before not in "aeiou":
        return (f"{base[:-1]}ies",)
    if base.endswith("o") and before not in "aeiou":
        return f"{base}es", f"{base}s"
    return (f"{base}s",)


@lru_cache(maxsize=4096)
def forms(word: str) -> tuple[str, ...]:
    """A noun and its plurals, case folded."""
    return word.casefold(), *plurals(word)


def mentions(text: str, word: str) -> bool:
    """Whether the word is said in the text, by the rule above."""
    said = plain(text)
    for form in forms(word):
        if form in said:  # far quicker than the pattern, and seldom so
            return _pattern(word).search(said) is not None
    return False


def plain(text: str) -> str:
    """The text as it is listened to: case folded, compatible letters made one, invisible characters left out."""
    if text.isascii():
        return text.lower()
    letters = (letter for letter in unicodedata.normalize("NFKC", text) if unicodedata.category(letter) != "Cf")
    return "".join(letters).casefold()


@lru_cache(maxsize=4096)
def _pattern(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, forms(word)))})(?![^\W_])")
