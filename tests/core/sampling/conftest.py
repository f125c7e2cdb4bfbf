"""The public samples."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.table import Table


@pytest.fixture
def read_shared(shared_data: Path) -> Callable[[str], Table]:
    """Read a public sample."""

    def read(name: str) -> Table:
        path = shared_data / f"{name}.csv"
        if not path.is_file():
            pytest.skip(f"{name} is not among the public data")
        return read_table(path)

    return read
