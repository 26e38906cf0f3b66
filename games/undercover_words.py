"""Words for undercover: pairs of things that many clues fit alike. Our own list."""

from __future__ import annotations

import re

_LISTED = """
apple pear, orange lemon, cherry strawberry, peach apricot, potato carrot, onion garlic, tomato pepper, rice pasta,
bread cake, butter cheese, milk cream, tea coffee, juice lemonade, beer wine, sugar honey, soup stew, pizza burger,
chocolate candy, biscuit pancake, salt mustard, dog wolf, cat lion, horse donkey, cow sheep, goat deer, mouse squirrel,
rabbit hare, eagle hawk, duck swan, chicken turkey, crow pigeon, owl bat, shark whale, crab lobster, frog toad,
snake lizard, bee wasp, butterfly moth, ant spider, turtle snail, car truck, bus train, bicycle motorcycle,
ship submarine, airplane helicopter, rocket satellite, bridge tunnel, road river, lake sea, island mountain,
forest jungle, desert beach, rain snow, wind storm, sun moon, star planet, spring autumn, morning evening, chair sofa,
table desk, bed hammock, lamp candle, window door, wall fence, roof ceiling, stairs ladder, carpet curtain, mirror
photograph, clock calendar, pen pencil, paper blackboard, book newspaper, envelope postcard, knife scissors, fork spoon,
cup bottle, plate bowl, oven fridge, broom sponge, soap shampoo, towel blanket, pillow mattress, shirt jacket, trousers
skirt, hat helmet, shoe boot, sock glove, belt scarf, ring necklace, umbrella raincoat, backpack suitcase, key password,
hammer axe, nail screw, rope chain, violin guitar, piano organ, drum bell, trumpet flute, football basketball, tennis
badminton, chess checkers, swimming diving, skiing skating, doctor nurse, teacher coach, king president, soldier
policeman, painter sculptor, actor singer, farmer gardener, cook waiter, pilot driver, hospital pharmacy, school
university, library museum, cinema theatre, hotel campsite, market supermarket, castle palace, church temple, garden
park, wedding birthday, radio television, telephone telegraph, camera telescope, computer calculator, robot puppet,
ghost vampire, dragon dinosaur, pirate knight, magician clown, gold silver, diamond pearl, wood plastic, glass ice,
fire smoke, balloon kite, doll puzzle, ticket passport, coin banknote, flag anthem
"""

PAIRS: tuple[tuple[str, str], ...] = tuple(
    (first, second) for first, second in (pair.split() for pair in _LISTED.split(","))
)
"""Near words; every word is in one pair alone."""

_WORD = re.compile(r"[^\W_]+(?:['’`][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’`]s?$")


def forms(word: str) -> frozenset[str]:
    """A noun and its plural, case folded."""
    base = word.casefold()
    found = {base, f"{base}s", f"{base}es"}
    if base.endswith("y"):
        found.add(f"{base[:-1]}ies")
    if base.endswith("f"):
        found.add(f"{base[:-1]}ves")
    if base.endswith("fe"):
        found.add(f"{base[:-2]}ves")
    return frozenset(found)


def mentions(text: str, word: str) -> bool:
    """Whether the word stands in the text: whole, in any case, plural or possessive; `ice` is not in `nice`."""
    wanted = forms(word)
    return any(_POSSESSIVE.sub("", found.casefold()) in wanted for found in _WORD.findall(text))
