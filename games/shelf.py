"""What is on the shelf: the written games and their variants, by id. Data only, so that names can be listed at once."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from games.types import ParamValue

ZERO_SUM: dict[str, str] = {
    "backgammon": "games.backgammon:Backgammon",
    "battleship": "games.battleship:Battleship",
    "breakthrough": "games.breakthrough:Breakthrough",
    "checkers": "games.checkers:Checkers",
    "chess": "games.chess:Chess",
    "connect_four": "games.connect_four:ConnectFour",
    "dark_hex": "games.dark_hex:DarkHex",
    "dots_and_boxes": "games.dots_and_boxes:DotsAndBoxes",
    "go": "games.go:Go",
    "goofspiel": "games.goofspiel:Goofspiel",
    "hex": "games.hex:Hex",
    "kuhn_poker": "games.kuhn_poker:KuhnPoker",
    "leduc_poker": "games.leduc_poker:LeducPoker",
    "liars_dice": "games.liars_dice:LiarsDice",
    "nim": "games.nim:Nim",
    "othello": "games.othello:Othello",
    "pig": "games.pig:Pig",
    "repeated_rps": "games.repeated_rps:RepeatedRps",
    "phantom_ttt": "games.phantom_ttt:PhantomTicTacToe",
    "tic_tac_toe": "games.tic_tac_toe:TicTacToe",
}
"""Zero-sum games on OpenSpiel's rules: id to `module:class`. The class declares `PARAMS` and takes those in force."""

SOCIAL: dict[str, str] = {
    "adversarial_taboo": "games.adversarial_taboo:AdversarialTaboo",
    "bargaining": "games.bargaining:Bargaining",
    "dont_say_it": "games.dont_say_it:DontSayIt",
    "iterated_prisoners_dilemma": "games.iterated_prisoners_dilemma:IteratedPrisonersDilemma",
    "simple_negotiation": "games.simple_negotiation:SimpleNegotiation",
    "truth_and_deception": "games.truth_and_deception:TruthAndDeception",
    "two_dollar": "games.two_dollar:TwoDollar",
    "undercover": "games.undercover:Undercover",
    "werewolf": "games.werewolf:Werewolf",
}
"""Social language games on our own rules: talk, deals, roles, votes."""

WRITTEN: dict[str, str] = {**ZERO_SUM, **SOCIAL}
"""All of them."""

VARIANTS: Mapping[str, tuple[str, Mapping[str, ParamValue]]] = MappingProxyType(
    {
        "adversarial_taboo-abstract": ("adversarial_taboo", {"words": "abstract"}),
        "dont_say_it-hardcore": ("dont_say_it", {"turns": 30, "words": "rare"}),
        "simple_negotiation-random_value": ("simple_negotiation", {"value_low": 1, "value_high": 100}),
        "truth_and_deception-generated": ("truth_and_deception", {"facts": "generated"}),
        "two_dollar-variable_sum": ("two_dollar", {"pot_low": 100, "pot_high": 1000}),
        "iterated_prisoners_dilemma-chicken": (
            "iterated_prisoners_dilemma",
            {"choices": "Swerve/Straight", "reward": 3, "temptation": 5, "sucker": 1, "punishment": 0},
        ),
        "iterated_prisoners_dilemma-stag_hunt": (
            "iterated_prisoners_dilemma",
            {"choices": "Stag/Hare", "reward": 4, "temptation": 3, "sucker": 0, "punishment": 2},
        ),
        "bargaining-small_pools": ("bargaining", {"items_low": 3, "items_high": 4}),
        "werewolf-changed_roles": ("werewolf", {"players": 8, "wolves": 2, "seers": 2, "doctors": 0}),
        "undercover-blank": ("undercover", {"blank": True}),
        "undercover-eight": ("undercover", {"players": 8}),
    }
)
"""Id of a variant (`dont_say_it-hardcore`) to its game's id and the defaults that it changes.

A variant is a game of its own: it is listed, rated, and held out from training under its own id.
"""
