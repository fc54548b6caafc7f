"""Compares our legal moves with those of pydraughts 0.6.7.

Its known faults are in the draw rules, which are not compared here.
"""

from compare import compare
from draughts.core.game import Game

NAMES = {
    "international": "standard",
    "russian": "russian",
    "brazilian": "brazilian",
    "english": "english",
}


def their_moves(variant, fen):
    # A move is a list of jumps [from, to], its captures a list of squares or [None].
    moves, captures = Game(NAMES[variant], fen).legal_moves()
    return {
        (move[0][0], move[-1][1], frozenset(square for square in taken if square is not None))
        for move, taken in zip(moves, captures)
    }


if __name__ == "__main__":
    compare("pydraughts", NAMES, their_moves, named_exceptions={})
