"""`arena play`: one match, here and now, between any players, a person among them."""

from __future__ import annotations

import secrets
from typing import Annotated

import typer

from arena.cli.output import Json, Params, params_from, print_json, say, tell

EPILOG = """Examples:

  arena play tic_tac_toe --seat0 human --seat1 greedy

  arena play kuhn_poker --seat0 random --seat1 solver --seed 7

  arena play simple_negotiation --seat0 demo@latest --seat1 base

  arena play openspiel/connect_four --seat0 mcts:200 --seat1 random --json
"""

_PLAYER_HELP = "Player: human, random, greedy, mcts:1000, solver, base, RUN@000120, RUN@latest."


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("play", epilog=EPILOG)(play)


def _seat(number: int, *, hidden: bool = True) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        f"--seat{number}", metavar="PLAYER", hidden=hidden, help=_PLAYER_HELP if number == 0 else "Likewise."
    )
    return option


def play(
    game: Annotated[str, typer.Argument(metavar="GAME", help="Id of a game; `arena games list` shows them.")],
    seat0: Annotated[str, _seat(0, hidden=False)] = "human",
    seat1: Annotated[str, _seat(1, hidden=False)] = "random",
    seat2: Annotated[str | None, _seat(2)] = None,
    seat3: Annotated[str | None, _seat(3)] = None,
    seat4: Annotated[str | None, _seat(4)] = None,
    seat5: Annotated[str | None, _seat(5)] = None,
    seat6: Annotated[str | None, _seat(6)] = None,
    seat7: Annotated[str | None, _seat(7)] = None,
    seat8: Annotated[str | None, _seat(8)] = None,
    seat9: Annotated[str | None, _seat(9)] = None,
    params: Params = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Of the match; drawn and shown if not given.")] = None,
    retries: Annotated[int, typer.Option(min=0, max=100, help="Second chances after an unusable reply.")] = 1,
    temperature: Annotated[float, typer.Option(min=0, max=10, help="Of models; 0 is greedy.")] = 1.0,
    max_tokens: Annotated[int, typer.Option(min=1, help="Tokens of a model's reply at most.")] = 64,
    model: Annotated[str, typer.Option(help="Base model under `base` and snapshots.")] = "pocket",
    device: Annotated[str, typer.Option(help="Where models run: auto, cpu, cuda.")] = "auto",
    as_json: Json = False,
) -> None:
    """Play one match. Further seats (--seat2, --seat3, …) are `random` if not given."""
    import asyncio

    from arena.cli.transcript import Narrator, Transcript
    from arena.engine import play_match
    from arena.errors import ArenaError, UsageError
    from arena.players.factory import PlayerFactory
    from arena.records import record_to_json
    from arena.types import Ended, MatchSpec, Sampling
    from games import get_game

    loaded = get_game(game, params_from(params))
    seats = loaded.spec.seats
    named = (seat0, seat1, seat2, seat3, seat4, seat5, seat6, seat7, seat8, seat9)
    beyond = [f"--seat{number}" for number in range(max(seats, 2), len(named)) if named[number] is not None]
    if beyond:
        raise UsageError(f"{game} has seats 0 to {seats - 1}; {', '.join(beyond)} cannot be filled.")
    factory = PlayerFactory(model=model, device=device)
    chosen = ["random" if name is None else name for name in named[:seats]] + ["random"] * (seats - len(named))
    players = [factory(name) for name in chosen]
    for player in players:
        reason = player.refusal(loaded)
        if reason is not None:
            raise UsageError(f"{player.name} cannot play {game}: {reason}.")
    spec = MatchSpec(
        game=loaded.spec.id,
        params=loaded.spec.params,
        seed=secrets.randbelow(1_000_000) if seed is None else seed,
        players=tuple(player.name for player in players),
        retries=retries,
        sampling=Sampling(temperature=temperature, max_tokens=max_tokens),
        tag="play",
    )
    with_person = any(player.name == "human" for player in players)
    start = loaded.new_state(spec.seed)
    transcript = None if as_json or with_person else Transcript(spec, start.roles())
    if with_person:
        others = ", ".join(f"{number} {name}" for number, name in enumerate(spec.players) if name != "human")
        tell(f"{loaded.spec.title}, seed {spec.seed}. Other seats: {others or 'none'}. /help shows what you can type.")
    watch = Narrator(transcript, start) if transcript is not None else None
    if transcript is not None:
        transcript.board(start.render(None))
    record = asyncio.run(play_match(spec, players, watch, game=loaded))
    if as_json:
        print_json(match=record_to_json(record))
    elif with_person:
        from arena.cli.replay import write_match

        say()
        write_match(record, loaded)
    if record.ended is Ended.VOID:
        raise ArenaError(f"The match is void: {record.error}")
