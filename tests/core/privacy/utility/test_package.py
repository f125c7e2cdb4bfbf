"""The package of utility measures is whole."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import pytest

PACKAGES = ["utility", "optimiser"]


@pytest.mark.parametrize("name", PACKAGES)
def test_that_every_file_is_imported_by_its_package(name):
    package = importlib.import_module(f"ppworkbench.core.privacy.{name}")
    files = [one.name for one in pkgutil.iter_modules(package.__path__) if not one.ispkg]
    assert files
    for file in files:
        assert f"{package.__name__}.{file}" in sys.modules


@pytest.mark.parametrize("name", PACKAGES)
def test_that_all_public_names_exist(name):
    package = importlib.import_module(f"ppworkbench.core.privacy.{name}")
    assert package.__all__
    assert all(hasattr(package, one) for one in package.__all__)
