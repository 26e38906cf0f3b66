"""What runs, how far it is, how long it will take, and what is wrong."""

from __future__ import annotations

from rich.text import Text

from arena.display.draw import bar, duration, line, percent, plural, spread
from arena.display.model import LiveModel
from arena.display.safe import one_line

_STATUS = {
    "running": ("running", "bold green"),
    "done": ("done", "bold green"),
    "interrupted": ("interrupted", "bold yellow"),
    "failed": ("failed", "bold red"),
    "died": ("died", "bold red"),
}


def header(model: LiveModel, width: int, now_s: float) -> list[Text]:
    """Name and facts; progress; what goes on; the banner, if there is one."""
    lines = [_name(model, width), _progress(model, width, now_s), _activity(model, width)]
    if model.banner:
        lines.append(line((" ▲ " + one_line(model.banner), "bold reverse"), width=width))
    return lines


def _name(model: LiveModel, width: int) -> Text:
    opened = model.opened
    facts = [f"seed {opened['seed']}"] if opened.get("seed") is not None else []
    facts += [str(opened["device"])] if opened.get("device") else []
    facts += [f"{key} {value}" for key, value in dict(opened.get("details") or {}).items()]
    word, style = _STATUS.get(model.status, (model.status, "bold"))
    left = Text.assemble((f" arena {one_line(model.kind)} ", "bold"), (one_line(model.title), "bold cyan"))
    while True:
        told = one_line(" · ".join(facts))
        right = Text.assemble((told, "dim"), "  " if told else "", (one_line(word), style), " ")
        if not facts or left.cell_len + right.cell_len + 2 <= width:
            return spread(left, right, width)
        facts.pop()


def _progress(model: LiveModel, width: int, now_s: float) -> Text:
    elapsed = duration(model.elapsed_s(now_s))
    unit = f" {one_line(model.unit)}" if model.unit else ""
    if not model.total:
        done = f"{model.done:,}{unit}  " if model.done else ""
        return line(f" {done}{elapsed}", width=width)
    share = model.done / model.total
    eta = model.eta_s(now_s)
    left = "" if eta is None or eta < 0.5 else f"  ETA {duration(eta)}"
    words = f"  {model.done:,}/{model.total:,}{unit}  {int(100 * share)} %  {elapsed}{left} "
    room = max(4, width - len(words) - 1)
    return line(" ", bar(share, room), words, width=width)


def _activity(model: LiveModel, width: int) -> Text:
    counts = model.counts
    facts: list[str] = []
    if counts.get("matches"):
        facts.append(plural(counts["matches"], "match", "matches"))
    if model.invalid is not None:
        facts.append(f"invalid {percent(model.invalid)}")
    if counts.get("forfeits"):
        facts.append(plural(counts["forfeits"], "forfeit"))
    if counts.get("void"):
        facts.append(f"{counts['void']:,} void")
    if model.snapshots:
        facts.append(f"snapshot @{model.snapshots[-1].rpartition('@')[2]}")
    now = " · ".join(part for part in (model.stage, model.stage_note, model.note) if part)
    if model.status != "running":
        now = model.message
    left = Text.assemble(" ", (one_line(now), "italic" if model.status == "running" else "bold"))
    return spread(left, Text(one_line(" · ".join(facts)) + " "), width)
