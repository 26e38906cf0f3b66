"""CFR+: an equilibrium of a small zero-sum game with something hidden, or with simultaneous moves.

By OpenSpiel (O. Tammelin, "Solving large imperfect information games using CFR+", 2014). Simultaneous moves are made
one after the other, unseen, which is the same game. With two seats the average policy converges to an equilibrium; with
more there is no such theorem (N. A. Risk and D. Szafron, "Using counterfactual regret minimization to create
competitive multiplayer poker agents", 2010), so NashConv is measured and a policy that is no equilibrium is not used.

A solution is kept on disk (in `$ARENA_CACHE`, else `$XDG_CACHE_HOME/selfplay-arena`, else `~/.cache/selfplay-arena`)
under a digest of the rules and of how it was computed; a file that cannot be read or written is done without.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, TypeAlias

from arena.players.induction import TOO_LARGE, NotSolvableError

logger = logging.getLogger(__name__)

MAX_HISTORIES = 300_000
"""Nodes of the game tree beyond which a game counts as too large. Liar's dice has 294,883 with one die each."""

MAX_TOGETHER = 50_000
"""The same for simultaneous moves, whose tree OpenSpiel walks several times more slowly."""

NODE_VISITS = 10_000_000
"""Work spent: histories times iterations, about six seconds; the largest games take about a minute."""

ITERATIONS = (200, 5_000)
"""Iterations at least and at most."""

MAX_NASH_CONV = 0.01
"""Per unit of the range of returns: what counts as an equilibrium where convergence is not proved."""

_METHOD = "cfr+ average, 1"
"""Changes whenever equal numbers would no longer come out."""

Table: TypeAlias = Mapping[str, list[tuple[int, float]]]
"""Actions with their probabilities, by information state."""


def with_turns(rules: Any) -> Any:
    """The same game without simultaneous moves: seats move one after the other and do not see it."""
    import pyspiel

    together = rules.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    return pyspiel.convert_to_turn_based(rules) if together else rules


def count_histories(rules: Any) -> int:
    """Number of nodes of the tree of a game with turns. Raises NotSolvableError where they are too many."""
    together = rules.get_type().short_name == "turn_based_simultaneous_game"
    limit = min(MAX_HISTORIES, MAX_TOGETHER) if together else MAX_HISTORIES
    count = 0
    waiting = [rules.new_initial_state()]
    while waiting:
        node = waiting.pop()
        count += 1
        if count > limit:
            raise NotSolvableError(f"{TOO_LARGE} (limit {limit:,} positions)")
        if not node.is_terminal():
            waiting += [node.child(action) for action in node.legal_actions()]
    return count


def equilibrium(rules: Any) -> Table:
    """The average policy of CFR+ in a game with turns, from disk where it was computed before.

    Raises:
        NotSolvableError: too large, or (more than two seats) not an equilibrium.
    """
    histories = count_histories(rules)
    low, high = ITERATIONS
    iterations = min(max(NODE_VISITS // histories, low), high)
    file = cache_folder() / f"{_digest(rules, iterations)}.json"
    table = _stored(file)
    if table is None:
        logger.info("Solving %s (%s histories, %s iterations), once.", rules, f"{histories:,}", f"{iterations:,}")
        table = _solved(rules, iterations)
        _store(file, table)
    if rules.num_players() > 2:
        import pyspiel

        gap = pyspiel.nash_conv(rules, pyspiel.TabularPolicy(dict(table)))
        if gap > MAX_NASH_CONV * (rules.max_utility() - rules.min_utility()):
            raise NotSolvableError(
                f"has {rules.num_players()} players, and CFR+ found no equilibrium (NashConv {gap:.3g})"
            )
    return table


def _solved(rules: Any, iterations: int) -> Table:
    import pyspiel

    solver = pyspiel.CFRPlusSolver(rules)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    found: dict[str, list[tuple[int, float]]] = solver.tabular_average_policy().policy_table()
    return {key: [(int(action), float(p)) for action, p in choices] for key, choices in found.items()}


# --- disk ----------------------------------------------------------------------------------------------------------


def cache_folder() -> Path:
    """Where solutions are kept."""
    if own := os.environ.get("ARENA_CACHE"):
        return Path(own) / "solver"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "selfplay-arena" / "solver"


def _digest(rules: Any, iterations: int) -> str:
    identity = f"{_METHOD}\n{version('open_spiel')}\n{rules}\n{iterations}"
    return hashlib.sha256(identity.encode()).hexdigest()[:32]


def _stored(file: Path) -> Table | None:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return {key: [(int(action), float(p)) for action, p in choices] for key, choices in found.items()}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, AttributeError):
        logger.debug("%s cannot be read; solving anew.", file, exc_info=True)
        return None


def _store(file: Path, table: Table) -> None:
    """Whole or not at all, so that processes that solve the same game at the same time do no harm."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=file.parent, suffix=".tmp", delete=False, encoding="utf-8") as out:
            json.dump(table, out)
        os.replace(out.name, file)
    except OSError:
        logger.debug("%s cannot be written; the solution is kept in memory only.", file, exc_info=True)
