"""Compares the first draw of random games with that of py-draughts 1.10.1.

Plays endings of international draughts at random, lets `damabase adjudicate` find their draws under
fmjd100-2018, and compares ply and rules. Its counts of 16 and 5 moves go on when the stronger side is
left with men only, which is in neither class, and count that time when a man becomes a king again;
games in which that happens are only counted.

    draws_with_py_draughts.py DAMABASE GAMES SEED
"""

import json
import random
import subprocess
import sys
import tempfile

from loguru import logger

logger.remove()  # It logs every board it makes.

from draughts import StandardBoard  # noqa: E402

# Long enough for the 25-move rule.
PLIES = 80


def ending(rng):
    """A few pieces, mostly kings, against one."""
    squares = rng.sample(range(1, 51), rng.choice([3, 4, 4, 5]))
    king = lambda square, odds, row: "K" if rng.random() < odds or square in row else ""  # noqa: E731
    white = [king(s, 0.6, range(1, 6)) + str(s) for s in squares[1:]]
    black = king(squares[0], 0.8, range(46, 51)) + str(squares[0])
    return f"{rng.choice('WB')}:W{','.join(white)}:B{black}"


def play(rng, fen):
    """The moves of a game, and the ply and the rules of its first draw, or None."""
    board, moves, first = StandardBoard.from_fen(fen), [], None
    while len(moves) < PLIES:
        legal = list(board.legal_moves)
        if not legal:
            break
        move = rng.choice(legal)
        moves.append(str(move))
        board.push(move)
        rules = [
            ("Q25", board.is_25_moves_rule),
            ("C16", board.is_16_moves_rule),
            ("C5", board.is_5_moves_rule),
            ("repetition", board.is_threefold_repetition),
        ]
        names = [name for name, is_due in rules if is_due]
        if first is None and names and list(board.legal_moves):
            first = (len(moves), names)
    return moves, first


def class_was_left(game):
    """Whether a count of 16 or 5 moves went off."""
    on = [{"C16", "C5"} & set(ply["counters"]) for ply in [game["start"]] + game["plies"]]
    return any(before and not after for before, after in zip(on, on[1:]))


def main():
    damabase, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    texts, theirs = [], []
    while len(texts) < count:
        fen = ending(rng)
        moves, first = play(rng, fen)
        if moves:
            texts.append(f'[GameType "20"]\n[FEN "{fen}"]\n{" ".join(moves)} *\n')
            theirs.append(first)
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/games.pdn"
        with open(path, "w") as file:
            file.write("\n".join(texts))
        options = ["--profile", "fmjd100-2018", "--json", "--dir", folder]
        command = [damabase, "adjudicate", path, *options]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
    agree = drawn = known = 0
    wrong = []
    for game, first, text in zip(json.loads(run.stdout)["games"], theirs, texts):
        ours = game["first_draw"] and (game["first_draw"]["ply"], game["first_draw"]["counters"])
        if ours == first:
            agree += 1
            drawn += ours is not None
        elif class_was_left(game):
            known += 1
        else:
            wrong.append(f"ours {ours}, theirs {first}\n{text}")
    print(
        f"py-draughts: {agree} games with the same first draw ({drawn} drawn), "
        f"{known} in which its counts go on where ours end"
    )
    for text in wrong[:5]:
        print(text)
    # A comparison of games without draws would prove nothing.
    return 1 if wrong or drawn < count // 20 else 0


if __name__ == "__main__":
    sys.exit(main())
