"""What can go wrong. Wrong arguments are ValueErrors, failures of the system OSErrors."""

from __future__ import annotations

from pathlib import Path
from typing import List, Optional


class MissingTableError(KeyError):
    """A table is needed that is not there. The text names it, the move, and the directories."""

    def __init__(
        self,
        message: str,
        slice: str,
        metric: str,
        move: Optional[str],
        directories: List[Path],
    ) -> None:
        super().__init__(message, slice, metric, move, directories)
        self.message = message
        #: The material: kings K and men M of both sides, "KKMvK".
        self.slice = slice
        #: "wld", "dtw" or "dtc".
        self.metric = metric
        #: The move of the probed position that makes the table necessary, by square numbers; None
        #: where it is the position's own table.
        self.move = move
        #: The directories that were searched.
        self.directories = directories

    def __str__(self) -> str:
        return self.message


class DamagedTableError(Exception):
    """A table file is damaged, or a table of something else."""

    def __init__(self, message: str, path: Path) -> None:
        super().__init__(message, path)
        self.message = message
        #: The file.
        self.path = path

    def __str__(self) -> str:
        return self.message
