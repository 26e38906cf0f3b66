"""`arena play` and `arena replay` of games in which several seats move at the same time."""

from __future__ import annotations

from collections.abc import Callable

from cli_helpers import Done

Arena = Callable[..., Done]


def test_the_position_is_shown_when_all_have_moved_and_seats_by_their_dealt_roles(arena: Arena) -> None:
    words = [f"--seat{seat}={'greedy' if seat % 2 else 'random'}" for seat in range(6)]
    done = arena("play", "werewolf", *words, "--seed", "3")
    assert done.code == 0
    lines = done.out.splitlines()
    assert sorted(line.split()[1] for line in lines[2:8]) == sorted(
        f"{role}:" for role in ("doctor", "seer", "villager", "villager", "villager", "wolf")
    )
    night = lines.index("    Night 1")
    day = lines.index("    Day 1")
    told = [line for line in lines[night:day] if line.startswith("P")]
    assert sorted(line.split()[1] for line in told) == ["[Inspect:", "[Kill:", "[Protect:"]
