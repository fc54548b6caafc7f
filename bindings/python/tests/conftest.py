"""Tables that scripts/python makes: Russian, international and English draughts, 3 pieces."""

import os
from pathlib import Path
from typing import Iterator

import pytest

import damabase


@pytest.fixture(scope="session")
def directory() -> Path:
    return Path(os.environ["DAMABASE_TEST_TABLES"])


@pytest.fixture
def russian(directory: Path) -> Iterator[damabase.Tablebase]:
    with damabase.open_tablebase(directory, "russian") as tables:
        yield tables
