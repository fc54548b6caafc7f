"""Endgame tables of the draughts family: exact values of every position with a few pieces.

    with damabase.open_tablebase("tables", "russian") as tables:
        tables.probe_wld("W:WK29,K30,K31:BK6")      # 1: the side to move wins

A *position* is a FEN as in PDN 3.0, or an object with a ``fen``, such as the boards of pydraughts
and py-draughts. Counters in a FEN matter to probe_budget only. A *value* is that of the side to
move: 1 win, 0 draw, -1 loss. Distances are in plies, the moves of one side.

Everything may be used from several threads at once.
"""

from __future__ import annotations

from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Protocol,
    Tuple,
    Type,
    TypeVar,
    Union,
)

from damabase import _damabase
from damabase._errors import DamagedTableError, MissingTableError

if TYPE_CHECKING:
    from os import PathLike

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Budget",
    "DamagedTableError",
    "Distance",
    "MissingTableError",
    "Move",
    "Position",
    "Tablebase",
    "Value",
    "open_tablebase",
]

DEFAULT_CACHE_BYTES = 64 << 20

T = TypeVar("T")
D = TypeVar("D")


class _Board(Protocol):
    @property
    def fen(self) -> str: ...


#: A FEN, or an object with one.
Position = Union[str, _Board]


class Distance(NamedTuple):
    """A value, and in how many plies; None for a draw."""

    wld: int
    plies: Optional[int]


class Value(NamedTuple):
    """All that is known of a position: its value, and the plies to the end of the game and to the
    next capture or man move. Plies are None for a draw, and where there is no table of them."""

    wld: int
    dtw: Optional[int]
    dtc: Optional[int]


class Budget(NamedTuple):
    """What a position with counters is worth under draw rules. Plies are None where they are not
    known, or where nothing counts."""

    #: "win", "cursed-win" (won in theory, but a draw is due before), "draw", "blessed-loss", "loss";
    #: None where it is not known.
    value: Optional[str]
    #: The value if nobody counted: 1, 0 or -1.
    in_theory: int
    #: Whether the win or loss counts if enough plies are left; None for draws, and where that is not
    #: known.
    possible: Optional[bool]
    #: The plies that must be left for that.
    budget: Optional[int]
    #: Plies left on the counter that decides: the one that has least left, or, where several
    #: decide, the one that could be greater by to_spare and no more.
    left: Optional[int]
    #: Plies left beyond those that are needed, for wins and losses that count.
    to_spare: Optional[int]
    #: The name of that counter.
    decided_by: Optional[str]


class Move(NamedTuple):
    """A legal move, with its value for the side that makes it; distances count this move too."""

    #: As PDN writes it, in the notation of the game.
    text: str
    #: Square numbers, from 1.
    origin: int
    destination: int
    captured: Tuple[int, ...]
    promotes: bool
    #: The position that follows.
    fen: str
    wld: int
    dtw: Optional[int]
    dtc: Optional[int]


def open_tablebase(
    directory: Union[str, PathLike[str]],
    variant: Optional[str] = None,
    *,
    cache_bytes: int = DEFAULT_CACHE_BYTES,
    mapped: bool = False,
) -> Tablebase:
    """Opens the tables in DIRECTORY/VARIANT.

    variant is "international", "russian", "brazilian", "english", or the number that is PDN's
    GameType; where the directory has tables of one game only, it may be left out. For the other
    arguments see Tablebase. Raises FileNotFoundError where there are no tables, ValueError where
    there are several games to choose from.
    """
    if variant is None:
        games = _damabase.games(directory)
        if len(games) > 1:
            raise ValueError(f"tables of several games in {directory}: {', '.join(games)}; name one")
        if not games:
            raise FileNotFoundError(f"no tables in {directory}")
        variant = games[0]
    tables = Tablebase(variant, cache_bytes=cache_bytes, mapped=mapped)
    if tables.add_directory(directory) == 0:
        raise FileNotFoundError(f"no tables of {tables.variant} in {directory}")
    return tables


class Tablebase:
    """The tables of one game, without tables at first.

    cache_bytes is the memory that decoded parts of tables take at most. With mapped, files are read
    from memory that the system maps to them, which is faster; no program may then change or shorten
    the files in place while they are open (Damabase itself replaces files by renaming).
    """

    def __init__(
        self,
        variant: str,
        *,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        mapped: bool = False,
    ) -> None:
        self._tables = _damabase.Tables(variant, cache_bytes, mapped)

    @property
    def variant(self) -> str:
        """The name of the game."""
        return self._tables.variant

    def add_directory(self, directory: Union[str, PathLike[str]]) -> int:
        """Adds the tables in DIRECTORY/VARIANT, and returns how many came. Of a table that is
        there already, the first counts; a directory that is not there is empty. Files are opened
        when they are first needed."""
        return self._tables.add_directory(directory)

    def close(self) -> None:
        """Gives back files and memory. Later calls raise ValueError."""
        self._tables.close()

    def __enter__(self) -> Tablebase:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<damabase.Tablebase {self.variant}>"

    @property
    def max_pieces(self) -> int:
        """The greatest number of pieces up to which every position has a value; 0 for none."""
        return self._tables.max_pieces()

    def covers(self, slice: str) -> bool:
        """Whether every position with some material ("KKMvK") has a value, and all its moves."""
        return self._tables.covers(slice)

    def tables(self) -> List[str]:
        """The names of all tables, "KKMvK.wld", by kind of value and material."""
        return self._tables.names()

    def probe_wld(self, position: Position) -> int:
        """1, 0 or -1: whether the side to move wins, draws or loses, draw counters aside.

        Raises ValueError for what is no position, MissingTableError, DamagedTableError, OSError.
        """
        return self._tables.wld(_fen(position))

    def probe_dtw(self, position: Position) -> Distance:
        """The value, and the plies to the end of the game, if the winner hurries and the loser
        delays. Raises as probe_wld does."""
        return Distance(*self._tables.dtw(_fen(position)))

    def probe_dtc(self, position: Position) -> Distance:
        """The value, and the plies to the next capture or man move, or the end of the game, if the
        winner hurries and the loser delays. Raises as probe_wld does."""
        return Distance(*self._tables.dtc(_fen(position)))

    def probe(self, position: Position) -> Value:
        """All that is known of a position. Raises as probe_wld does; a distance whose table is not
        there is no error."""
        return Value(*self._tables.value(_fen(position)))

    def probe_budget(
        self,
        position: Position,
        profile: Union[str, PathLike[str], None] = None,
        counters: Optional[Mapping[str, int]] = None,
    ) -> Budget:
        """What a position is worth under draw rules, with the counters of the FEN (":H12",
        ":CC16=4"), or those given, in plies by name; those of the FEN do not matter then. Counters
        without a value are as at the start of a game from the position.

        profile is a name, as `damabase profiles` lists them, or the path (not as a str) of a file
        with rules of your own; by default the rules that are usual for the game. Needs tables of wld
        and budget; where one of budgets is missing, the value is None unless it follows otherwise.
        Raises as probe_wld does, and ValueError for a profile that is not there or for another game,
        and for counters that do not run in the position.
        """
        if profile is not None and not isinstance(profile, str):
            with open(profile, encoding="utf-8") as file:
                # A line break tells a text from a name.
                profile = file.read() + "\n"
        given = None if counters is None else list(counters.items())
        return Budget(*self._tables.budget(_fen(position), profile, given))

    def get_budget(
        self,
        position: Position,
        profile: Union[str, PathLike[str], None] = None,
        counters: Optional[Mapping[str, int]] = None,
        default: Union[D, None] = None,
    ) -> Union[Budget, D, None]:
        """probe_budget, or the default where a table is missing."""
        try:
            return self.probe_budget(position, profile, counters)
        except MissingTableError:
            return default

    def get_wld(self, position: Position, default: Union[D, None] = None) -> Union[int, D, None]:
        """probe_wld, or the default where a table is missing."""
        return _or_default(self.probe_wld, position, default)

    def get_dtw(
        self, position: Position, default: Union[D, None] = None
    ) -> Union[Distance, D, None]:
        """probe_dtw, or the default where a table is missing."""
        return _or_default(self.probe_dtw, position, default)

    def get_dtc(
        self, position: Position, default: Union[D, None] = None
    ) -> Union[Distance, D, None]:
        """probe_dtc, or the default where a table is missing."""
        return _or_default(self.probe_dtc, position, default)

    def get(self, position: Position, default: Union[D, None] = None) -> Union[Value, D, None]:
        """probe, or the default where a table is missing."""
        return _or_default(self.probe, position, default)

    def moves(self, position: Position) -> List[Move]:
        """Every legal move with its value, best first: wins before draws before losses, then quick
        wins and slow losses first. Empty where the game is over. Raises as probe_wld does."""
        return [
            Move(text, origin, destination, tuple(captured), promotes, fen, *value)
            for text, origin, destination, captured, promotes, fen, value in self._tables.moves(
                _fen(position)
            )
        ]

    def probe_wld_many(
        self,
        white_men: ArrayLike,
        white_kings: ArrayLike,
        black_men: ArrayLike,
        black_kings: ArrayLike,
        white_to_move: ArrayLike = True,
        *,
        default: Optional[int] = None,
    ) -> NDArray[np.int8]:
        """The values of many positions as an array of int8. Runs without the interpreter's lock.

        The pieces are arrays of sets of squares as unsigned integers, square n at bit n - 1,
        White's men at the high numbers; white_to_move is an array of booleans. They are broadcast
        to one shape, which is that of the result. A position whose table is missing gets the
        default, which is from -128 to 127; without one, MissingTableError is raised. Otherwise
        raises as probe_wld does, and names the place of the first position at fault.
        """
        import numpy as np

        pieces, white, shape = _arrays(white_men, white_kings, black_men, black_kings, white_to_move)
        values = self._tables.wld_many(pieces, white, default)
        return np.frombuffer(values, dtype=np.int8).reshape(shape).copy()

    def probe_dtw_many(
        self,
        white_men: ArrayLike,
        white_kings: ArrayLike,
        black_men: ArrayLike,
        black_kings: ArrayLike,
        white_to_move: ArrayLike = True,
        *,
        default: Optional[int] = None,
    ) -> Tuple[NDArray[np.int8], NDArray[np.int32]]:
        """The values of many positions, and the plies to the end of the game, -1 for a draw and
        where the default stands for the value. Arguments and errors as for probe_wld_many."""
        return self._distances(
            "dtw", (white_men, white_kings, black_men, black_kings, white_to_move), default
        )

    def probe_dtc_many(
        self,
        white_men: ArrayLike,
        white_kings: ArrayLike,
        black_men: ArrayLike,
        black_kings: ArrayLike,
        white_to_move: ArrayLike = True,
        *,
        default: Optional[int] = None,
    ) -> Tuple[NDArray[np.int8], NDArray[np.int32]]:
        """The values of many positions, and the plies to the next capture or man move, as
        probe_dtw_many has them."""
        return self._distances(
            "dtc", (white_men, white_kings, black_men, black_kings, white_to_move), default
        )

    def _distances(
        self, metric: str, arrays: Tuple[ArrayLike, ...], default: Optional[int]
    ) -> Tuple[NDArray[np.int8], NDArray[np.int32]]:
        import numpy as np

        pieces, white, shape = _arrays(*arrays)
        wld, plies = self._tables.distance_many(metric, pieces, white, default)
        return (
            np.frombuffer(wld, dtype=np.int8).reshape(shape).copy(),
            np.frombuffer(plies, dtype=np.int32).reshape(shape).copy(),
        )


def _fen(position: Position) -> str:
    if isinstance(position, str):
        return position
    fen = getattr(position, "fen", None)
    if not isinstance(fen, str):
        kind = type(position).__name__
        raise TypeError(f"a position is a FEN or has a fen, which {kind} has not")
    return fen


def _or_default(
    probe: Callable[[Position], T], position: Position, default: Union[D, None]
) -> Union[T, D, None]:
    try:
        return probe(position)
    except MissingTableError:
        return default


def _arrays(
    *arrays: ArrayLike,
) -> Tuple[Tuple[bytes, bytes, bytes, bytes], bytes, Tuple[int, ...]]:
    import numpy as np

    def squares(sets: Any) -> NDArray[np.uint64]:
        array = np.asarray(sets)
        if array.dtype.kind == "i" and (array < 0).any():
            raise ValueError("a set of squares is not negative")
        if array.dtype.kind not in "iu" and array.size > 0:
            raise TypeError(f"sets of squares are integers, not {array.dtype}")
        return array.astype(np.uint64)

    *given, white_to_move = arrays
    sets = np.broadcast_arrays(*map(squares, given), np.asarray(white_to_move, dtype=np.bool_))
    men, kings, black_men, black_kings, white = (array.tobytes() for array in sets)
    return (men, kings, black_men, black_kings), white, sets[0].shape
