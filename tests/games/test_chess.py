"""Chess: notation is read exactly, the position is told whole, and every ending is OpenSpiel's."""

from __future__ import annotations

import random

import pyspiel
import pytest
from games_helpers import play, say

from games import Issue, get_game
from games.chess_state import CASTLING_ACTIONS, ChessState
from games.conformance import check_game

GAME = get_game("chess")
DRAWN = get_game("chess", {"chess960": True})


def after(moves: str, game=GAME) -> ChessState:
    state = game.new_state(0)
    say(state, *(f"[{move}]" for move in moves.split()))
    assert isinstance(state, ChessState)
    return state


def at(fen: str) -> ChessState:
    """A position that no match needs to reach; only for looking at it."""
    return ChessState(GAME, GAME.pyspiel_game.new_initial_state(fen), 0)


def test_the_seam_to_openspiels_numbers_and_texts():
    """What this file's game reads of pyspiel: colours by seat, castling numbers, piece types, coordinates, SAN."""
    state = pyspiel.load_game("chess").new_initial_state()
    assert state.current_player() == 1  # White is player 1, and moves first
    board = state.board()
    moves = {a: pyspiel.chess.action_to_move(a, board) for a in state.legal_actions()}
    assert {a: (m.to_lan(), state.action_to_string(a)) for a, m in list(moves.items())[:3]} == {
        89: ("a2a3", "a3"),
        90: ("a2a4", "a4"),
        652: ("b1a3", "Na3"),
    }
    kinds = pyspiel.chess.PieceType
    names = (kinds.EMPTY, kinds.KING, kinds.QUEEN, kinds.ROOK, kinds.BISHOP, kinds.KNIGHT, kinds.PAWN)
    assert [kind.value for kind in names] == list(range(7))
    castling = at("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").pyspiel_state
    assert {a: castling.action_to_string(a) for a in castling.legal_actions() if a > 4671} == CASTLING_ACTIONS


def test_every_action_and_text_round_trip_along_random_matches():
    """Coordinates, SAN and action ids name the same move, for both colours, and none names two."""
    for seed in range(6):
        rng = random.Random(seed)
        state = GAME.new_state(seed)
        while seats := state.to_move():
            (seat,) = seats
            moves = state.legal(seat)
            assert len({move.answer for move in moves}) == len(moves)
            move = rng.choice(moves)
            san = state.pyspiel_state.action_to_string(move.action)
            for text in (move.answer, san, san.rstrip("+#"), f"{move.answer[:2]}-{move.answer[2:]}"):
                assert state.parse(seat, f"[{text}]").move == move, text
            state.apply({seat: move})


def test_shortened_notation_is_read_exactly_where_it_is_unambiguous():
    """Piece, part of the origin and target: one legal move fits, or the reply is refused as ambiguous."""
    refused = 0
    for seed in range(4):
        rng = random.Random(seed)
        state = GAME.new_state(seed)
        while seats := state.to_move():
            (seat,) = seats
            moves = [move for move in state.described() if move.piece != "P" and not move.castling]
            for move in rng.sample(moves, min(6, len(moves))):
                for part in ("", move.origin[0], move.origin[1], move.origin):
                    fits = {
                        other.action
                        for other in moves
                        if (other.piece, other.target) == (move.piece, move.target)
                        and part in ("", *other.origin, other.origin)
                    }
                    if move.piece == "B" and part == move.origin[1]:  # also coordinates with a capital
                        answer = f"b{part}{move.target}"
                        fits |= {m.action for m in state.legal(seat) if m.answer == answer and not move.takes}
                    parsed = state.parse(seat, f"[{move.piece}{part}{'x' if move.takes else ''}{move.target}]")
                    if len(fits) == 1:
                        assert parsed.move is not None, parsed
                        assert parsed.move.action == move.action
                    else:
                        refused += 1
                        assert parsed.issue is Issue.MALFORMED
            state.apply({seat: rng.choice(state.legal(seat))})
    assert refused > 20


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("bxc4", "b3c4"),
        ("Bxc4", "e2c4"),
        ("bc4", "b3c4"),
        ("Bc4", "e2c4"),
        ("b3xc4", "b3c4"),
        ("Be2xc4", "e2c4"),
        ("Bexc4", "e2c4"),
        ("Nhf3", "h2f3"),
        ("N2f3", "h2f3"),
        ("nhf3", "h2f3"),
        ("N1f3", "g1f3"),
        ("O-O", "e1g1"),
        ("0-0", "e1g1"),
        ("a8=Q", "a7a8q"),
        ("a8N", "a7a8n"),
        ("A7A8Q", "a7a8q"),
        ("a7-a8=R+", "a7a8r"),
        ("a7xb8=Q", "a7b8q"),
    ],
)
def test_notations(text: str, meaning: str):
    state = at("1n2k3/P7/8/8/2p5/1P6/4B2N/4K1NR w K - 0 1")
    if meaning == "e1g1":
        state = at("1n2k3/P7/8/8/2p5/1P6/4B2N/4K2R w K - 0 1")
    for reply in (f"I play [{text}].", f"[[{text}]]", f"\\boxed{{\\text{{{text}}}}}", f"**[ {text}. ]**"):
        parsed = state.parse(1, reply)
        assert parsed.move is not None, parsed
        assert parsed.move.answer == meaning


@pytest.mark.parametrize(
    ("text", "issue", "told"),
    [
        ("Nf3", Issue.MALFORMED, "[Nf3] fits more than one move: [g1f3] [h2f3]."),
        ("a8", Issue.MALFORMED, "fits more than one move: [a7a8r] [a7a8b] [a7a8n] [a7a8q]."),
        ("Nxf3", Issue.ILLEGAL, "[Nxf3] is not allowed now."),
        ("e2e5", Issue.ILLEGAL, "[e2e5] is not allowed now."),
        ("O-O-O", Issue.ILLEGAL, "not allowed now"),
        ("Bc4-d9", Issue.MALFORMED, "not an answer here"),
        ("i2i4", Issue.MALFORMED, "not an answer here"),
        ("knight to f3", Issue.MALFORMED, "not an answer here"),
        ("Bb7", Issue.ILLEGAL, "not allowed now"),
    ],
)
def test_refusals(text: str, issue: Issue, told: str):
    parsed = at("1n2k3/P7/8/8/2p5/1P6/4B2N/4K1NR w K - 0 1").parse(1, f"[{text}]")
    assert parsed.issue is issue
    assert told in parsed.hint


def test_a_capital_b_is_a_bishop_unless_only_coordinates_fit():
    both = at("4k3/8/8/8/8/8/8/1NB1K3 w - - 0 1")  # knight b1 and bishop c1 both reach d2
    assert both.parse(1, "[b1d2]").move.answer == "b1d2"
    assert both.parse(1, "[B1D2]").move.answer == "b1d2"
    assert both.parse(1, "[Bd2]").move.answer == "c1d2"
    parsed = both.parse(1, "[B1d2]")
    assert (parsed.issue, parsed.hint) == (Issue.MALFORMED, "[B1d2] fits more than one move: [b1d2] [c1d2].")
    assert both.parse(1, "[B1c3]").move.answer == "b1c3"  # no bishop goes there
    assert both.parse(1, "[E1e2]").move.answer == "e1e2"


def test_what_a_player_sees():
    state = after("e2e4 e7e5 d1h5 b8c6 f1c4 g8f6")
    assert state.observe(1).events[-2].text == "White: f1c4 (Bc4)."
    say(state, "[Qxf7#]")
    assert state.observe(0).events[-1].text == "White: h5f7 (Qxf7#)."
    assert state.board(0) == (
        "8 r . b q k b . r\n7 p p p p . Q p p\n6 . . n . . n . .\n5 . . . . p . . .\n4 . . B . P . . .\n"
        "3 . . . . . . . .\n2 P P P P . P P P\n1 R N B . K . N R\n  a b c d e f g h\nCheckmate: Black has lost."
    )
    assert (state.returns(), state.outcome()) == ((-1.0, 1.0), "p1")
    state = after("e2e4 a7a6 e4e5 d7d5")
    assert state.board(1).endswith("\nWhite to move. Castling rights: KQkq. En passant square: d6.")
    say(state, "[exd6]")
    assert state.board(1).endswith("\nBlack to move. Castling rights: KQkq.")
    assert after("f2f3 e7e5 g2g4 d8h4").outcome() == "p0"
    assert "White to move, in check." in after("f2f3 e7e5 a2a3 d8h4").board(0)
    assert after("f2f3 e7e5 a2a3 d8h4").clone().board(0) == after("f2f3 e7e5 a2a3 d8h4").board(0)


def test_draws():
    back_and_forth = "b1c3 b8c6 c3b1 c6b8 "
    state = after(back_and_forth)
    assert state.board(0).endswith("Plies without capture or pawn move: 4 of 100. This position has come up 2 times.")
    state = after(back_and_forth * 2)
    assert (state.returns(), state.outcome()) == ((0.0, 0.0), "draw")
    assert state.board(0).endswith("Draw: the position has come up 3 times.")
    assert at("4k3/8/8/8/8/8/8/4K1N1 w - - 0 1").board(0).endswith("Draw: too little material to mate.")
    assert at("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").board(0).endswith("Draw: stalemate.")
    state = at("4k3/8/8/8/8/8/8/4K2R w - - 99 80")
    state.step(state.parse(1, "[h1h2]").move.action)
    assert state.outcome() == "draw"
    assert state.board(0).endswith("Draw: 50 moves by each side without capture or pawn move.")


def test_the_fiftieth_move_can_still_mate():
    state = at("7k/8/6K1/8/8/8/8/R7 w - - 99 80")
    state.step(state.parse(1, "[Ra8#]").move.action)
    assert state.outcome() == "p1"


def test_castling_and_promotion_are_made_as_written():
    state = after("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1")
    assert state.observe(0).events[-1].text == "White: e1g1 (O-O)."
    assert state.cells()["g1"] == "K"
    assert state.cells()["f1"] == "R"
    state = after("a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7 h7h6 b7a8n")
    assert state.cells()["a8"] == "N"


def test_parity_with_openspiel_on_random_trajectories():
    for seed in range(15):
        state = GAME.new_state(seed)
        reference = pyspiel.load_game("chess").new_initial_state()
        rng = random.Random(f"parity/{seed}")
        while not reference.is_terminal():
            seat = reference.current_player()
            assert state.to_move() == (seat,)
            assert [move.action for move in state.legal(seat)] == reference.legal_actions()
            assert state.legal(1 - seat) == ()
            move = rng.choice(state.legal(seat))
            state.apply({seat: move})
            reference.apply_action(move.action)
        assert list(state.returns()) == reference.returns()
        assert state.to_move() == ()


def test_chess960_draws_its_start_and_names_castling():
    starts = {DRAWN.new_state(seed).board(0) for seed in range(30)}
    assert len(starts) >= 28
    state = DRAWN.new_state(3)
    rank = state.board(0).split("\n")[7][2:]
    assert state.facts(0) == f"Back ranks at the start, a to h: {rank}."
    assert sorted(rank.split()) == sorted("RNBQKBNR")
    assert GAME.new_state(3).facts(0) == ""
    named = 0
    for seed in range(60):
        state, rng = DRAWN.new_state(seed), random.Random(seed)
        for _ in range(40):
            if not state.to_move():
                break
            (seat,) = state.to_move()
            answers = [move.answer for move in state.legal(seat)]
            assert len(set(answers)) == len(answers)
            named += "O-O" in answers
            state.apply({seat: rng.choice(state.legal(seat))})
    assert named > 20


def test_greedy_mates_takes_and_keeps():
    greedy = GAME.bots()["greedy"]
    rng = random.Random(0)
    assert greedy(at("7k/8/6K1/8/8/8/8/Rn6 w - - 0 1"), 1, rng) == "[a1a8]"  # mate, not the knight
    assert greedy(at("4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 1"), 1, rng) == "[c3d5]"
    guarded = at("4k3/8/2p5/3p4/8/2Q5/8/4K3 w - - 0 1")
    assert greedy(guarded, 1, rng) != "[c3d5]"
    for seed in range(20):  # the rook is attacked and nothing can be won: it leaves, and not into an attack
        assert greedy(at("4k3/8/1p6/2R5/8/8/8/4K3 w - - 0 1"), 1, random.Random(seed))[:3] == "[c5"
    with pytest.raises(TypeError):
        greedy(get_game("tic_tac_toe").new_state(0), 0, rng)


def test_greedy_beats_random():
    wins = [play(GAME, seed, ("greedy", "random")).returns()[0] for seed in range(6)]
    assert sum(wins) >= 5


def test_conformance():
    assert check_game(GAME, seeds=range(2), matches=4) == []
    assert check_game(DRAWN, seeds=range(2), matches=4) == []
