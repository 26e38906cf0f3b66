"""Word lists of the talk games, by kind of thing: common things, rare things, and ideas. Our own compilation.

Words of a group are near words: many questions and clues fit them alike. Every word is one singular noun, and
stands in one group of its list alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

Groups: TypeAlias = Mapping[str, tuple[str, ...]]
"""What the words of a group are (`kind of fruit`, to go after "a" or "some") to the words."""


def _groups(listed: str) -> Groups:
    lines = [line.partition(":") for line in listed.strip().splitlines()]
    return MappingProxyType({name.strip(): tuple(words.split()) for name, _, words in lines})


COMMON: Groups = _groups(
    """
    kind of fruit: apple pear banana orange lemon cherry peach grape mango melon strawberry plum
    kind of vegetable: carrot potato onion cabbage pumpkin cucumber lettuce spinach radish broccoli celery mushroom
    dish or snack: soup pizza pancake sandwich salad omelette noodle sausage biscuit cake pie burger
    farm or house animal: dog cat horse cow sheep goat pig rabbit donkey chicken hamster goose
    wild animal: lion tiger elephant monkey wolf lynx fox giraffe zebra camel kangaroo squirrel
    creature of the air: eagle owl parrot pigeon sparrow butterfly bee mosquito bat crow seagull dragonfly
    creature of the water: shark whale dolphin crab octopus salmon frog turtle crocodile lobster jellyfish penguin
    hand tool: hammer spanner axe shovel screwdriver ladder rake broom sieve needle drill wrench
    piece of clothing: shirt jacket coat skirt sock shoe hat glove scarf belt sweater apron
    piece of furniture: table chair bed sofa desk wardrobe bench shelf cradle drawer stool mattress
    part of a building: door window roof wall stair balcony chimney kitchen cellar garage attic corridor
    vehicle: car bus train bicycle truck tractor boat ship airplane helicopter tram motorcycle
    musical instrument: piano guitar violin drum flute trumpet harp organ accordion clarinet cello bell
    part of nature: river mountain forest island lake desert beach volcano waterfall cave valley glacier
    sort of weather: rain snow wind storm fog lightning thunder hail rainbow cloud frost drought
    part of the body: ankle foot knee elbow nose ear tooth tongue shoulder finger stomach heart
    object in a bag: purse wallet umbrella pencil notebook mirror ticket coin passport lipstick comb bottle
    public place: school hospital library museum market church stadium airport bakery cinema prison bank
    """
)
"""Common concrete nouns."""

RARE: Groups = _groups(
    """
    old instrument of science: astrolabe sextant abacus theodolite metronome barometer periscope gyroscope sundial
    unusual animal: axolotl pangolin okapi narwhal quokka tapir ocelot lemur capybara marmoset cassowary platypus
    unusual piece of clothing: cravat fez toga poncho doublet monocle cummerbund kilt sari bonnet tunic galosh
    unusual musical instrument: dulcimer zither bassoon oboe lute balalaika theremin glockenspiel harpsichord ocarina
    part of an old building: buttress gargoyle portcullis parapet minaret turret cupola belfry cloister drawbridge
    unusual thing to eat: kumquat rutabaga artichoke persimmon tamarind lychee parsnip truffle marzipan saffron
    unusual vehicle: gondola catamaran kayak dirigible rickshaw palanquin schooner trawler toboggan velocipede
    stone or metal: obsidian malachite amethyst opal basalt quartz pewter tungsten jasper cobalt
    tool of a craft: anvil awl gimlet chisel loom mandrel pestle spindle trowel whetstone
    old weapon or armour: halberd crossbow catapult scimitar gauntlet rapier trebuchet musket javelin visor
    """
)
"""Rare concrete nouns."""

ABSTRACT: Groups = _groups(
    """
    feeling: envy pride nostalgia boredom gratitude remorse jealousy anger joy grief shame disgust
    virtue: patience courage loyalty honesty modesty generosity kindness discipline mercy diligence
    vice: greed laziness cruelty vanity arrogance cowardice hypocrisy gluttony malice deceit
    idea of public life: freedom justice democracy equality revolution monarchy citizenship treaty tyranny privacy
    power of the mind: memory curiosity wisdom imagination intuition logic concentration instinct willpower intelligence
    idea of time and chance: luck fate delay habit future eternity coincidence childhood deadline destiny
    """
)
"""Ideas: nothing that one can touch."""

LISTS: Mapping[str, Groups] = MappingProxyType({"common": COMMON, "rare": RARE, "abstract": ABSTRACT})
"""Lists by name."""


def words_of(groups: Groups) -> tuple[str, ...]:
    """All words of a list, in order."""
    return tuple(word for words in groups.values() for word in words)


def group_of(groups: Groups, word: str) -> str:
    """Name of the group that holds the word.

    Raises:
        KeyError: no group does.
    """
    for name, words in groups.items():
        if word in words:
            return name
    raise KeyError(word)
