"""What a self-play run's report says: facts, curves, tables and matches, gathered from the files of the run.

Files are read with care: a run may be going on, be older than this program, or have been changed; what is not there is
left out. Texts are raw here; whoever writes them out escapes them (`report_page`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.cli.sheet import Column, Sheet
from arena.display.draw import percent, signed
from arena.display.svg import Series
from arena.display.telemetry import SIGNALS, number_of, part_of
from arena.errors import RecordError
from arena.jsonl import read_json_lines
from arena.rundir import RunDir

Line = Mapping[str, Any]

SHOWN_MATCHES = 6
"""Matches of impasses that are told turn by turn."""

TURNS, TEXT = 24, 400
"""Turns of such a match, and characters of a reply, at most."""


@dataclass(frozen=True, kw_only=True)
class Chart:
    """One curve sheet: title, name of the vertical axis, lines over updates."""

    title: str
    y_label: str
    series: Sequence[Series]


@dataclass(frozen=True, kw_only=True)
class Told:
    """A match as text: its key, a heading, and (who, what it said) by turn."""

    key: str
    heading: str
    turns: Sequence[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class Report:
    """Everything about a run.

    Attributes:
        name: of the run. facts: (what, which) about it.
        charts: over updates. roles, impasses, snapshots, evaluations: tables, possibly without rows.
        matches: those that show impasses best.
    """

    name: str
    facts: Sequence[tuple[str, str]]
    charts: Sequence[Chart]
    roles: Sheet
    impasses: Sheet
    snapshots: Sheet
    evaluations: Sheet
    matches: Sequence[Told]


def gather(run: RunDir) -> Report:
    """Read a self-play run.

    Raises:
        RecordError: run.json, metrics.jsonl or matches.jsonl is damaged; names file and line.
    """
    lines = [line for line in read_json_lines(run.metrics) if _is_update(line)]
    episodes = _episodes(lines)
    keys = list(dict.fromkeys(key for episode in episodes for key in episode.matches[:1]))[:SHOWN_MATCHES]
    return Report(
        name=run.name,
        facts=_facts(run.read(), lines),
        charts=[chart for chart in _charts(lines) if chart.series],
        roles=_roles(lines),
        impasses=_impasses(episodes),
        snapshots=_snapshots(run),
        evaluations=_evaluations(run),
        matches=list(_matches(run, keys)),
    )


def _is_update(line: Line) -> bool:
    return isinstance(line.get("update"), int) and math.isfinite(number_of(line, "update"))


def _facts(info: Mapping[str, Any], lines: Sequence[Line]) -> list[tuple[str, str]]:
    config = part_of(info, "config")
    estimator, optim = part_of(config, "estimator"), part_of(config, "optim")
    options = part_of(estimator, "options")
    told = ", ".join(f"{key} {value}" for key, value in options.items())
    games = config.get("games")
    names = [str(game.get("id")) for game in games if isinstance(game, Mapping)] if isinstance(games, list) else []
    last = lines[-1] if lines else {}
    seconds = [number_of(line, "total_s") for line in lines]
    command = info.get("command")
    return [
        ("status", str(info.get("status", "?"))),
        (
            "updates",
            f"{last.get('update', 0)} of {config.get('updates', '?')}, {config.get('matches', '?')} matches each",
        ),
        ("games", ", ".join(names)),
        ("model", str(config.get("model", "?"))),
        ("estimator", str(estimator.get("name", "?")) + (f" ({told})" if told else "")),
        ("KL weight, learning rate", f"{optim.get('beta', '?')}, {optim.get('learning_rate', '?')}"),
        ("seed, device", f"{info.get('seed', '?')}, {info.get('device', '?')}"),
        ("time", f"{sum(s for s in seconds if math.isfinite(s)):.0f} s"),
        ("command", " ".join(map(str, command)) if isinstance(command, list) else "?"),
        ("commit", str(info.get("git_commit") or "–")),
        ("versions", ", ".join(f"{key} {value}" for key, value in part_of(info, "versions").items())),
    ]


# --- curves --------------------------------------------------------------------------------------------------------


def _charts(lines: Sequence[Line]) -> Iterator[Chart]:
    games = list(dict.fromkeys(game for line in lines for game in part_of(line, "games")))
    for game in games:
        roles = list(dict.fromkeys(role for line in lines for role in part_of(_game(line, game), "roles")))
        for key, name in (("win", "wins"), ("draw", "draws"), ("invalid", "unusable replies")):
            yield Chart(
                title=f"{game}: {name}",
                y_label="share",
                series=_series(
                    {role: [(line, number_of(_role(line, game, role), key)) for line in lines] for role in roles}
                ),
            )
        yield Chart(
            title=f"{game}: λ",
            y_label="λ",
            series=_series(
                {role: [(line, number_of(_role(line, game, role), "lambda")) for line in lines] for role in roles}
            ),
        )
    for title, y_label, name in (
        ("Outcome entropy", "H", "outcome_entropy"),
        ("Advantage spread", "standard deviation", "advantage_spread"),
        ("Reply length", "tokens", "reply_tokens"),
    ):
        yield Chart(
            title=title,
            y_label=y_label,
            series=_series({game: [(line, number_of(_signals(line, game), name)) for line in lines] for game in games}),
        )
    yield Chart(title="KL", y_label="nats a token", series=_series(_own(lines, "kl", "sampler_kl")))
    yield Chart(title="Entropy of the policy", y_label="nats a token", series=_series(_own(lines, "entropy")))
    tokens = {"sampled": [(line, number_of(part_of(line, "tokens"), "sampled")) for line in lines]}
    yield Chart(title="Tokens sampled", y_label="tokens an update", series=_series(tokens))


def _own(lines: Sequence[Line], *names: str) -> dict[str, list[tuple[Line, float]]]:
    return {name: [(line, number_of(line, name)) for line in lines] for name in names}


def _series(named: Mapping[str, Sequence[tuple[Line, float]]]) -> list[Series]:
    """Lines that have a point."""
    made = [Series(name, [(float(line["update"]), value) for line, value in told]) for name, told in named.items()]
    return [one for one in made if any(math.isfinite(y) for _, y in one.points)]


def _game(line: Line, game: str) -> Mapping[str, Any]:
    return part_of(part_of(line, "games"), game)


def _role(line: Line, game: str, role: str) -> Mapping[str, Any]:
    return part_of(part_of(_game(line, game), "roles"), role)


def _signals(line: Line, game: str) -> Mapping[str, Any]:
    return part_of(part_of(part_of(line, "impasse"), "signals"), game)


# --- tables --------------------------------------------------------------------------------------------------------


def _roles(lines: Sequence[Line]) -> Sheet:
    """The last update by game and role."""
    last = lines[-1] if lines else {}
    rows = []
    for game in part_of(last, "games"):
        for role in part_of(_game(last, game), "roles"):
            told = _role(last, game, role)
            shares = [_share(number_of(told, key)) for key in ("win", "draw", "loss", "invalid", "forfeit")]
            numbers = [_number(number_of(told, key)) for key in ("reply_tokens", "entropy", "kl", "lambda")]
            mean = number_of(told, "mean_return")
            rows.append([game, role, signed(mean) if math.isfinite(mean) else "–", *shares, *numbers])
    heads = ("return", "win", "draw", "loss", "invalid", "forfeit", "reply tokens", "entropy", "KL", "λ")
    columns = [Column("game"), Column("role"), *(Column(head, right=True) for head in heads)]
    return Sheet(title=f"By game and role, update {last.get('update', '–')}", columns=columns, rows=rows)


@dataclass(kw_only=True)
class _Episode:
    """A signal of a game that lasted, from the update that first showed it to the last one that named it."""

    game: str
    signal: str
    since: int
    until: int
    value: float
    threshold: float
    matches: list[str]
    answers: list[str]


def _episodes(lines: Sequence[Line]) -> list[_Episode]:
    found: dict[tuple[str, str, int], _Episode] = {}
    for line in lines:
        impasse = part_of(line, "impasse")
        stuck = impasse.get("stuck")
        for told in stuck if isinstance(stuck, list) else []:
            if not isinstance(told, Mapping) or not isinstance(told.get("since"), int):
                continue
            game, signal, since = str(told.get("game")), str(told.get("signal")), int(told["since"])
            keys = told.get("matches")
            matches = [str(key) for key in keys] if isinstance(keys, list) else []
            episode = found.setdefault(
                (game, signal, since),
                _Episode(game=game, signal=signal, since=since, until=0, value=0, threshold=0, matches=[], answers=[]),
            )
            episode.until = line["update"]
            episode.value, episode.threshold = number_of(told, "value"), number_of(told, "threshold")
            episode.matches = matches or episode.matches
            if impasse.get("answer"):
                episode.answers.append(f"{impasse['answer']} ({line['update']})")
    return list(found.values())


def _impasses(episodes: Sequence[_Episode]) -> Sheet:
    names = {**SIGNALS, "reply_change": "change of length"}
    rows = [
        [
            episode.game,
            names.get(episode.signal, episode.signal),
            f"{episode.since}–{episode.until}",
            _number(episode.value),
            _number(episode.threshold),
            ", ".join(episode.answers) or "–",
            " ".join(episode.matches) or "–",
        ]
        for episode in episodes
    ]
    columns = [
        Column("game"),
        Column("signal"),
        Column("updates"),
        Column("last value", right=True),
        Column("threshold", right=True),
        Column("answers (update)"),
        Column("matches"),
    ]
    return Sheet(title="Impasses", columns=columns, rows=rows)


def _snapshots(run: RunDir) -> Sheet:
    from arena.snapshots import list_snapshots

    rows = []
    for snapshot in list_snapshots(run):
        games = snapshot.info.get("games")
        trained = ", ".join(map(str, games)) if isinstance(games, list) else "–"
        rows.append([snapshot.name, str(snapshot.step), str(snapshot.info.get("parent", "–")), trained])
    columns = [Column("name"), Column("updates", right=True), Column("parent"), Column("games")]
    return Sheet(title="Snapshots", columns=columns, rows=rows)


def _evaluations(run: RunDir) -> Sheet:
    rows = []
    for path in sorted((run.path / "eval").glob("*/summary.json")):
        try:
            results = json.loads(path.read_text(encoding="utf-8"))["results"]
            for told in results:
                low, high = number_of(told, "low"), number_of(told, "high")
                interval = f"{low:.3f} – {high:.3f}" if math.isfinite(low) and math.isfinite(high) else "exact"
                rows.append(
                    [
                        str(told["player"]),
                        str(told["benchmark"]),
                        _number(number_of(told, "value")),
                        interval,
                        str(told["n"]),
                    ]
                )
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            rows.append(["?", str(path.parent.name), "–", "cannot be read", "–"])
    heads = [Column("player"), Column("benchmark"), *(Column(n, right=True) for n in ("value", "95 %", "n"))]
    return Sheet(title="Evaluations", columns=heads, rows=rows)


# --- matches -------------------------------------------------------------------------------------------------------


def _matches(run: RunDir, keys: Sequence[str]) -> Iterator[Told]:
    """The matches of these keys, in that order."""
    if not keys:
        return
    found = {str(obj.get("key")): obj for obj in read_json_lines(run.matches) if obj.get("key") in keys}
    for key in keys:
        if key in found:
            try:
                yield _told(key, found[key])
            except (LookupError, TypeError, ValueError, AttributeError) as error:
                raise RecordError(f"{run.matches}: match {key} is no record ({error!r}). Restore the file.") from error


def _told(key: str, obj: Mapping[str, Any]) -> Told:
    players, returns = obj["spec"]["players"], " ".join(f"{value:+g}" for value in obj["returns"])
    turns = []
    for turn in obj["turns"]:
        said = [_cut(str(attempt["text"])) for attempt in turn["attempts"]]
        turns += [(f"P{turn['seat']}", text) for text in said]
    left = len(turns) - TURNS
    if left > 0:
        turns = [*turns[:TURNS], ("…", f"{left} more")]
    heading = f"{obj['spec']['game']}: {' against '.join(map(str, players))}; {obj['outcome']}, returns {returns}"
    return Told(key=key, heading=heading, turns=turns)


def _cut(text: str) -> str:
    return text if len(text) <= TEXT else f"{text[:TEXT]}… (+{len(text) - TEXT:,} characters)"


def _number(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else "–"


def _share(value: float) -> str:
    return percent(value) if math.isfinite(value) else "–"
