"""Boards of the packages pydraughts and py-draughts as positions."""

from typing import Any

import pytest

import damabase

draughts: Any = pytest.importorskip("draughts")

#: pydraughts names its boards by the variant, py-draughts has a class for each.
IS_PYDRAUGHTS = not hasattr(draughts, "StandardBoard")


def board(variant: str, fen: str) -> Any:
    if IS_PYDRAUGHTS:
        names = {"international": "standard"}
        return draughts.Board(variant=names.get(variant, variant), fen=fen)
    names = {"international": "StandardBoard", "russian": "RussianBoard", "english": "AmericanBoard"}
    return getattr(draughts, names[variant]).from_fen(fen)


@pytest.mark.parametrize(
    ("variant", "fen"),
    [
        ("international", "W:WK46,W31:BK5"),
        ("international", "B:W31,32:BK5"),
        ("english", "W:WK29,K30:BK6"),
        ("english", "B:W29:BK6,12"),
        # pydraughts takes 8x8 numbers its own way, so its FENs here have letters.
        ("russian", "W:WKa1,Kc1:BKd6" if IS_PYDRAUGHTS else "W:WK29,K30:BK10"),
        ("russian", "B:Wa1,c1:BKd6" if IS_PYDRAUGHTS else "B:W29,30:BK10"),
    ],
)
def test_a_game_is_played_out_on_their_board(directory: Any, variant: str, fen: str) -> None:
    fen = fen.replace(",W", ",")
    theirs = board(variant, fen)
    with damabase.open_tablebase(directory, variant) as tables:
        value = tables.probe_dtw(theirs)
        # Their legal moves lead where ours do, and what they lead to has the value of our moves.
        moves = {move.wld for move in tables.moves(theirs)}
        assert max(moves) == value.wld
        ours = sorted(tables.probe(move.fen) for move in tables.moves(theirs))
        led_to = []
        for move in list(theirs.legal_moves()) if IS_PYDRAUGHTS else list(theirs.legal_moves):
            theirs.push(move)
            led_to.append(tables.probe(theirs))
            theirs.pop()
        assert sorted(led_to) == ours
