"""Compares our legal moves with those of py-draughts 1.10.1."""

from loguru import logger

logger.remove()  # It logs every board it makes.

from compare import compare  # noqa: E402
from draughts import AmericanBoard, BrazilianBoard, RussianBoard, StandardBoard  # noqa: E402

BOARDS = {
    "international": StandardBoard,
    "russian": RussianBoard,
    "brazilian": BrazilianBoard,
    "english": AmericanBoard,
}


def their_moves(variant, fen):
    # Their squares count from 0.
    return {
        (
            move.square_list[0] + 1,
            move.square_list[-1] + 1,
            frozenset(square + 1 for square in move.captured_list),
        )
        for move in BOARDS[variant].from_fen(fen).legal_moves
    }


def captures_are_optional(variant, fen, ours, theirs):
    """Its American board adds the quiet moves where there is a capture.

    WCDF Rules of Draughts 1.20: a player who can capture must do so.
    """
    their_captures = {move for move in theirs if move[2]}
    return variant == "english" and bool(their_captures) and ours == their_captures


if __name__ == "__main__":
    compare(
        "py-draughts",
        BOARDS,
        their_moves,
        {"English captures are optional": captures_are_optional},
    )
