"""The package against what the command says of the same tables."""

import json
import os
import pickle
import random
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any, Dict, List

import pytest

import damabase

SQUARES = {"russian": 32, "english": 32, "international": 50}


def random_fens(variant: str, number: int, seed: int = 1) -> List[str]:
    """Sound positions with one to three pieces, most of them with captures among them."""
    squares, row = SQUARES[variant], 4 if SQUARES[variant] == 32 else 5
    random_numbers = random.Random(seed)
    fens = []
    for _ in range(number):
        pieces: Dict[str, List[str]] = {"W": [], "B": []}
        for square in random_numbers.sample(range(1, squares + 1), random_numbers.randint(1, 3)):
            colour = random_numbers.choice("WB")
            promoted = square <= row if colour == "W" else square > squares - row
            king = promoted or random_numbers.random() < 0.5
            pieces[colour].append(f"{'K' if king else ''}{square}")
        side = random_numbers.choice("WB")
        fens.append(f"{side}:W{','.join(pieces['W'])}:B{','.join(pieces['B'])}")
    return fens


def answers(directory: Path, variant: str, fens: List[str], *more: str) -> List[Any]:
    """What the command says, one answer for each position."""
    run = subprocess.run(
        [os.environ["DAMABASE"], "probe", variant, "-", "--dir", str(directory), *more],
        input="\n".join(fens),
        capture_output=True,
        text=True,
    )
    found = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(found) == len(fens), run.stderr
    return found


#: Of Russian draughts: nine slices, of four metrics.
NUMBER = 36
WLD = {"loss": -1, "draw": 0, "win": 1}


@pytest.mark.parametrize("variant", ["russian", "international", "english"])
@pytest.mark.parametrize("mapped", [False, True])
def test_values_are_those_of_the_command(directory: Path, variant: str, mapped: bool) -> None:
    fens = random_fens(variant, 1500)
    with damabase.open_tablebase(directory, variant, mapped=mapped) as tables:
        for fen, answer in zip(fens, answers(directory, variant, fens)):
            wld, dtw, dtc = WLD[answer["wld"]], answer["dtw"], answer["dtc"]
            assert tables.probe_wld(fen) == wld
            assert tables.probe_dtw(fen) == (wld, dtw)
            assert tables.probe_dtc(fen).plies == dtc
            assert tables.probe(fen) == damabase.Value(wld, dtw, dtc)
            moves = tables.moves(fen)
            expected = [(m["move"], WLD[m["wld"]], m["dtw"], m["dtc"]) for m in answer["moves"]]
            assert [(m.text, m.wld, m.dtw, m.dtc) for m in moves] == expected
            for move in moves:
                assert -tables.probe_wld(move.fen) == move.wld
                assert bool(move.captured) == ("x" in move.text)


def test_a_move_names_its_squares(russian: damabase.Tablebase) -> None:
    (move,) = russian.moves("B:W26:B22")
    assert move[:6] == ("c3xe1", 22, 31, (26,), True, "W:W:BK31")
    assert (move.wld, move.dtw) == (1, 1)
    assert russian.moves("W:W:BK31") == []


def test_many_at_once_are_as_one_by_one(directory: Path) -> None:
    np = pytest.importorskip("numpy")
    for variant in ["russian", "international"]:
        fens = random_fens(variant, 2000, seed=2)
        with damabase.open_tablebase(directory, variant) as tables:
            sets = np.zeros((4, len(fens)), dtype=np.uint64)
            white_to_move = np.array([fen[0] == "W" for fen in fens])
            for place, fen in enumerate(fens):
                for side, part in enumerate(fen.split(":")[1:]):
                    for piece in filter(None, part[1:].split(",")):
                        king = piece.startswith("K")
                        number = int(piece.lstrip("K"))
                        sets[2 * side + king, place] |= np.uint64(1 << (number - 1))
            arrays: Any = [*sets, white_to_move]
            wld = tables.probe_wld_many(*arrays)
            assert wld.dtype == np.int8
            assert wld.tolist() == [tables.probe_wld(fen) for fen in fens]
            for many, one in [
                (tables.probe_dtw_many, tables.probe_dtw),
                (tables.probe_dtc_many, tables.probe_dtc),
            ]:
                values, plies = many(*arrays)
                assert values.tolist() == wld.tolist()
                assert plies.dtype == np.int32
                expected = [one(fen).plies for fen in fens]
                assert plies.tolist() == [-1 if n is None else n for n in expected]
            # Shapes and kinds of arrays.
            grid = tables.probe_wld_many(*[array.reshape(2, 1000) for array in arrays])
            assert grid.tolist() == wld.reshape(2, 1000).tolist()
            every_other = tables.probe_wld_many(*[array[::2].astype(np.int64) for array in arrays])
            assert every_other.tolist() == wld[::2].tolist()
    assert wld.flags.writeable


def test_many_at_once_tell_what_is_wrong(russian: damabase.Tablebase) -> None:
    np = pytest.importorskip("numpy")
    sets = np.zeros((4, 3), dtype=np.uint64)
    sets[1], sets[3] = 1 << 28, 1 << 5
    assert russian.probe_wld_many(*sets).shape == (3,)
    assert russian.probe_wld_many(0, 1 << 28, 0, 1 << 5).shape == ()
    assert russian.probe_wld_many([], [], [], [], []).shape == (0,)
    bad = sets.copy()
    bad[1, 2] = 1 << 32
    with pytest.raises(ValueError, match="position 2: unsound position: a piece stands off"):
        russian.probe_wld_many(*bad)
    bad[1, 2] = 1 << 5
    with pytest.raises(ValueError, match="position 2: unsound position: two pieces"):
        russian.probe_dtw_many(*bad, default=0)
    with pytest.raises(TypeError, match="integers, not float64"):
        russian.probe_wld_many(*sets.astype(float))
    with pytest.raises(ValueError, match="not negative"):
        russian.probe_wld_many(*(sets.astype(np.int64) - 1))
    sets[1, 1], sets[3, 1] = 0b1111, 1 << 31
    with pytest.raises(damabase.MissingTableError, match="KKKKvK"):
        russian.probe_wld_many(*sets)
    assert russian.probe_wld_many(*sets, default=-9).tolist()[1] == -9
    values, plies = russian.probe_dtw_many(*sets, default=9)
    assert (values[1], plies[1]) == (9, -1)


def test_values_under_draw_rules_are_those_of_the_command(directory: Path) -> None:
    fens = [
        f"{fen}:C{name}={plies}"
        for fen in random_fens("international", 400, seed=4)
        for name, plies in [("Q25", 7), ("C5", 6), ("C5", 10), ("C16", 0)]
    ]
    with damabase.open_tablebase(directory, "international") as tables:
        values = set()
        more = ["--profile", "fmjd100-2018"]
        for fen, answer in zip(fens, answers(directory, "international", fens, *more)):
            if "error" in answer:
                with pytest.raises(ValueError, match="is not on in this position"):
                    tables.probe_budget(fen, "fmjd100-2018")
                continue
            found = tables.probe_budget(fen, "fmjd100-2018")
            assert found == tables.get_budget(fen)
            assert found.value == answer["value"]
            assert found.budget == answer["budget"]
            assert (found.left, found.to_spare) == (answer["plies_left"], answer["plies_to_spare"])
            assert found.possible == {"exact": True, "never": False}.get(answer["budget_state"])
            by = answer["decided_by"]
            assert found.decided_by == (by and by["counter"])
            values.add(found.value)
        assert values >= {"win", "cursed-win", "draw", "loss"}
        # Counters beside the FEN stand for those in it.
        bare = "W:WK2,6:BK50"
        late = tables.probe_budget(bare + ":CC5=2")
        assert (late.value, late.in_theory, late.budget, late.left) == ("cursed-win", 1, 9, 8)
        assert tables.probe_budget(bare, counters={"C5": 2}) == late
        assert tables.probe_budget(bare + ":H3", counters={"C5": 2}) == late
        assert tables.probe_budget(bare + ":CC5=2", counters={}) == tables.probe_budget(bare)
        assert tables.probe_budget(bare) == ("win", 1, True, 9, 10, 1, "C5")
        for fen, name, text in [(bare, "C6", "C6"), ("W:W31:B1", "C5", "is not on in this position")]:
            with pytest.raises(ValueError, match=text):
                tables.probe_budget(fen, counters={name: 1})
        assert tables.get_budget("W:WK1,K2,K3:BK50,K49", default=3) == 3
        for name, text in [("nobody", "unknown draw profile 'nobody'"), ("wcdf", "international")]:
            with pytest.raises(ValueError, match=text):
                tables.probe_budget(bare, name)


def test_draw_rules_of_ones_own_are_read_from_a_file(directory: Path, tmp_path: Path) -> None:
    run = [os.environ["DAMABASE"], "profiles", "fmjd100-2018", "--toml"]
    text = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    file = tmp_path / "mine.toml"
    file.write_text(text.replace('"fmjd100-2018"', '"mine"'))
    with damabase.open_tablebase(directory, "international") as tables:
        mine = tables.probe_budget("W:WK2,6:BK50", file, {"C5": 2})
        assert mine == tables.probe_budget("W:WK2,6:BK50", "fmjd100-2018", {"C5": 2})
        file.write_text("name = 3")
        with pytest.raises(ValueError, match="line 1"):
            tables.probe_budget("W:WK2,6:BK50", file)
        with pytest.raises(FileNotFoundError):
            tables.probe_budget("W:WK2,6:BK50", tmp_path / "nothing.toml")


def test_values_under_several_counters_are_those_of_the_command(tmp_path: Path) -> None:
    """FMJD-64: three counters run where three pieces play against a king on the long diagonal."""
    command = [os.environ["DAMABASE"], "generate", "russian", "--slice", "KKMvK", "--dir", str(tmp_path)]
    subprocess.run(command + ["--metric", "wld,budget", "--progress", "none"], check=True)
    random_numbers = random.Random(8)
    fens = []
    for _ in range(300):
        king, one, two, man = random_numbers.sample(range(5, 33), 4)
        side, plies = random_numbers.choice("WB"), random_numbers.randrange(30)
        fens.append(f"{side}:WK{one},K{two},{man}:BK{king}:CK15={plies}:CB45={plies + 10}")
    values = set()
    with damabase.open_tablebase(tmp_path, "russian") as tables:
        for fen, answer in zip(fens, answers(tmp_path, "russian", fens, "--profile", "fmjd64")):
            found = tables.probe_budget(fen)
            assert (found.value, found.budget) == (answer["value"], answer["budget"])
            assert (found.left, found.to_spare) == (answer["plies_left"], answer["plies_to_spare"])
            by = answer["decided_by"]
            assert found.decided_by == (by and by["counter"])
            values.add((found.value, answer["budget_state"]))
    assert values >= {("win", "several"), ("cursed-win", "several"), ("loss", "several")}


def test_a_missing_table_is_named(russian: damabase.Tablebase, directory: Path) -> None:
    with pytest.raises(KeyError) as caught:
        russian.probe_wld("B:W22,K1,K2,K3:B18")
    error = caught.value
    assert isinstance(error, damabase.MissingTableError)
    assert str(error) == (
        "no wld table of KKKvM for russian, needed because of the move d4xb2; looked in "
        f"{directory / 'russian'}"
    )
    assert (error.slice, error.metric, error.move) == ("KKKvM", "wld", "18x25")
    assert error.directories == [directory / "russian"]
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    fen = "W:WK1,K2,K3,K4:BK30"
    assert russian.get_wld(fen) is None
    assert russian.get_wld(fen, 7) == 7
    assert russian.get_dtw(fen, default="?") == "?"
    assert russian.get_dtc(fen) is None
    assert russian.get(fen) is None
    assert russian.get("W:WK29:BK22") == russian.probe("W:WK29:BK22")
    with pytest.raises(ValueError):
        russian.get_wld("nonsense", 7)


def test_what_is_no_position_is_a_value_error(russian: damabase.Tablebase) -> None:
    for fen, text in [
        ("", "column 1"),
        ("W:WK33:BK1", "square 33 is not on the board"),
        ("W:W1:BK2", "promotion row"),
        ("W:WK1:BK1", "two pieces on square"),
    ]:
        with pytest.raises(ValueError, match=f"bad FEN: .*{text}"):
            russian.probe(fen)
    for nothing in [None, 7, object()]:
        with pytest.raises(TypeError, match="a position is a FEN or has a fen"):
            russian.probe_wld(nothing)  # type: ignore[arg-type]


def test_directories_are_counted(directory: Path, tmp_path: Path) -> None:
    part = tmp_path / "part"
    (part / "russian").mkdir(parents=True)
    shutil.copy(directory / "russian" / "KvK.wld", part / "russian")
    tables = damabase.Tablebase("25")
    assert (tables.variant, tables.max_pieces, tables.tables()) == ("russian", 0, [])
    assert tables.add_directory(tmp_path / "nowhere") == 0
    assert tables.add_directory(part) == 1
    assert tables.add_directory(str(part)) == 0
    assert tables.tables() == ["KvK.wld"]
    # One of the tables is there already.
    assert tables.add_directory(directory) == NUMBER - 1
    assert tables.max_pieces == 3
    assert tables.covers("KKvM") and not tables.covers("KKvKK")
    assert repr(tables) == "<damabase.Tablebase russian>"


def test_the_game_may_be_left_out_where_it_is_clear(directory: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="several games in .*: international, russian, english"):
        damabase.open_tablebase(directory)
    with pytest.raises(FileNotFoundError, match="no tables in"):
        damabase.open_tablebase(tmp_path)
    with pytest.raises(FileNotFoundError, match="no tables of brazilian in"):
        damabase.open_tablebase(directory, "brazilian")
    with pytest.raises(ValueError, match="unknown variant 'chess'"):
        damabase.open_tablebase(directory, "chess")
    shutil.copytree(directory / "english", tmp_path / "english")
    assert damabase.open_tablebase(tmp_path).variant == "english"


def test_closed_is_closed(directory: Path) -> None:
    with damabase.open_tablebase(directory, "russian") as tables:
        assert tables.probe_wld("W:WK29:BK22") == 1
    with pytest.raises(ValueError, match="the tablebase is closed"):
        tables.probe_wld("W:WK29:BK22")
    with pytest.raises(ValueError, match="the tablebase is closed"):
        tables.add_directory(directory)
    tables.close()


def test_damage_is_told(directory: Path, tmp_path: Path) -> None:
    shutil.copytree(directory / "russian", tmp_path / "russian")
    path = tmp_path / "russian" / "KvK.wld"
    path.write_bytes(path.read_bytes()[:-1])
    with damabase.open_tablebase(tmp_path, "russian") as tables:
        with pytest.raises(damabase.DamagedTableError, match="KvK.wld: ") as caught:
            tables.probe_wld("W:WK29:BK4")
        assert caught.value.path == path
        assert tables.probe_wld("W:WK29,K30:BK4") == 1
        (tmp_path / "russian" / "KvM.wld").unlink()
        with pytest.raises(OSError, match="KvM.wld"):
            tables.probe_wld("W:WK29:B5")


def test_threads_share_a_tablebase(directory: Path) -> None:
    fens = random_fens("russian", 300, seed=3)
    with damabase.open_tablebase(directory, "russian") as tables:
        expected = [tables.probe_wld(fen) for fen in fens]
    wrong: List[str] = []
    with damabase.open_tablebase(directory, "russian", cache_bytes=4096) as tables:

        def work() -> None:
            wrong.extend(fen for fen, wld in zip(fens, expected) if tables.probe_wld(fen) != wld)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        tables.add_directory(directory)
        for thread in threads:
            thread.join()
    assert not wrong
