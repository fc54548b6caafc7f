"""Whole endgames played by `damabase hub` through the Hub clients of other packages.

Run by scripts/hub with pydraughts and with py-draughts (each in an environment of its own, since both
install a module `draughts`). The tables are those of the environment variable DAMABASE_DIR; what they
say is asked of `damabase probe`.
"""

import json
import os
import random
import subprocess

import draughts
import pytest

DAMABASE = os.environ["DAMABASE"]
#: pydraughts names its boards by the variant, py-draughts has a class for each.
IS_PYDRAUGHTS = not hasattr(draughts, "StandardBoard")


def probe(fen):
    run = subprocess.run(
        [DAMABASE, "probe", "international", fen, "--json"], capture_output=True, text=True, check=True
    )
    return json.loads(run.stdout)


class WithPydraughts:
    """Plays on a board of pydraughts."""

    def __init__(self, fen):
        from draughts.engine import HubEngine, Limit

        self.board = draughts.Board(fen=fen)
        self.engine = HubEngine([DAMABASE, "hub"])
        assert self.engine.id["name"] == "Damabase"
        assert "normal" in self.engine.variants
        self.engine.configure({"variant": "normal", "profile": "fmjd100-2018"})
        self.engine.init()
        self.engine.ping()
        self.limit = Limit(movetime=1)

    def fen(self):
        return self.board.fen

    def engine_move(self):
        result = self.engine.play(self.board, self.limit, False)
        assert result.info["message"]
        return result.move

    def legal_moves(self):
        return list(self.board.legal_moves())

    def push(self, move):
        self.board.push(move)

    def close(self):
        self.engine.quit()
        self.engine.p.wait(timeout=10)
        self.engine.p.stdin.close()
        self.engine.p.stdout.close()


class WithPyDraughts:
    """Plays on a board of py-draughts."""

    def __init__(self, fen):
        from draughts.engines import HubEngine as Theirs

        class HubEngine(Theirs):
            def _read_line(self, timeout=1.0):
                # Theirs asks the system first whether there is something to read, and so misses a
                # line that came together with the one before.
                return self.process.stdout.readline().strip()

        self.board = draughts.StandardBoard.from_fen(fen)
        self.engine = HubEngine(DAMABASE, time_limit=1.0)
        self.engine.start()
        assert self.engine.info.name == "Damabase"
        assert self.engine.params["variant"].values[0] == "normal"
        assert self.engine.ping()

    def fen(self):
        return self.board.fen

    def engine_move(self):
        move, score = self.engine.get_best_move(self.board, with_evaluation=True)
        assert -100 <= score <= 100
        return move

    def legal_moves(self):
        return list(self.board.legal_moves)

    def push(self, move):
        self.board.push(move)

    def close(self):
        self.engine.quit()


def table(fen):
    return (WithPydraughts if IS_PYDRAUGHTS else WithPyDraughts)(fen)


def play(fen, defender):
    """Plays until a side has no move, the engine for the side to move, and tells how many plies that
    took."""
    game = table(fen)
    try:
        value = probe(game.fen())
        plies = 0
        while game.legal_moves():
            engines_turn = plies % 2 == 0
            if engines_turn or defender == "engine":
                move = game.engine_move()
            else:
                move = defender.choice(game.legal_moves())
            game.push(move)
            plies += 1
            now = probe(game.fen())
            if value["wld"] == "win":
                assert now["wld"] == ("loss" if engines_turn else "win")
                # However the defender plays, each ply brings the end nearer.
                assert plies + now["dtw"] <= value["dtw"]
            if plies == 40:
                return value, None
        return value, plies
    finally:
        game.close()


#: Won for the side to move. The clients play on 10x10 only: that of py-draughts refuses other boards,
#: and that of pydraughts there numbers the squares of positions and of moves differently.
WON = [
    "W:WK9,14:B3,33",
    "B:W24,49:BK34",
    "W:WK12:B6,20,K34",
    "B:WK19,32,39:BK35",
    "W:W6,K18,27:B38",
    "B:W35,46:B5,13",
    "W:WK18,K47:B14,44",
]


@pytest.mark.parametrize("fen", WON)
def test_a_won_endgame_is_won_in_the_plies_of_the_tables(fen):
    value, plies = play(fen, "engine")
    assert value["wld"] == "win", "the position was to be a won one"
    # Best play of both sides: not a ply more, not a ply less.
    assert plies == value["dtw"]


@pytest.mark.parametrize("fen", WON)
def test_any_defence_loses(fen):
    for seed in range(3):
        value, plies = play(fen, random.Random(seed))
        assert plies is not None and plies <= value["dtw"]


@pytest.mark.parametrize("fen", ["B:WK2,K24:BK40", "W:WK43:B1,K23", "B:WK17,34:BK23,33"])
def test_a_drawn_endgame_is_held(fen):
    for defender in ["engine", random.Random(1)]:
        value, plies = play(fen, defender)
        assert value["wld"] == "draw"
        # If it ends at all, the last move is the engine's.
        assert plies is None or (plies % 2 == 1 and defender != "engine")


def test_what_is_not_covered_is_said(caplog):
    fen = "W:WK46,K47,K48:BK2,K3,K4"
    game = table(fen)
    try:
        if IS_PYDRAUGHTS:
            # The text is in the log; the move is a legal one.
            from draughts.engine import Limit

            result = game.engine.play(game.board, Limit(movetime=1), False)
            assert result.move.pdn_move in [move.pdn_move for move in game.legal_moves()]
            assert "not covered: after " in caplog.text
            assert "no wld table of KKKvKKK for international" in caplog.text
        else:
            with pytest.raises(RuntimeError, match="not covered: after .*KKKvKKK for international"):
                game.engine_move()
    finally:
        game.close()
