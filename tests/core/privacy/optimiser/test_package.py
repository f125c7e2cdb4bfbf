"""The package of the optimiser is whole."""

from __future__ import annotations

import pkgutil
import sys

from ppworkbench.core.privacy import optimiser


def test_that_every_file_is_imported_by_its_package():
    files = [one.name for one in pkgutil.iter_modules(optimiser.__path__) if not one.ispkg]
    assert files
    for file in files:
        assert f"{optimiser.__name__}.{file}" in sys.modules


def test_that_all_public_names_exist():
    assert optimiser.__all__
    assert all(hasattr(optimiser, one) for one in optimiser.__all__)
