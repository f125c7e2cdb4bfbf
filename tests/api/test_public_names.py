"""What ``import ppworkbench`` offers, and what it loads."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import ppworkbench as pp
from ppworkbench.api.result import Result

SOURCE = Path(pp.__file__)


def test_that_every_public_name_is_there() -> None:
    assert {name: getattr(pp, name) is not None for name in pp.__all__} == dict.fromkeys(
        pp.__all__, True
    )
    assert set(pp.__all__) <= set(dir(pp))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        pp.nothing  # noqa: B018 (asked for its error)


def test_that_types_and_places_of_public_names_agree() -> None:
    tree = ast.parse(SOURCE.read_text("utf-8"))
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {
        alias.asname or alias.name: node.module
        for node in guarded.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert typed == pp._PLACES
    assert sorted(typed) == sorted(pp.__all__)


def test_that_the_package_is_typed() -> None:
    assert (SOURCE.parent / "py.typed").is_file()


def test_that_importing_the_package_loads_no_library() -> None:
    code = "import sys, ppworkbench; print([n for n in ('numpy', 'pandas') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_that_every_public_thing_is_documented() -> None:
    lacking = [name for name in pp.__all__ if not getattr(pp, name).__doc__]
    assert lacking == []
    for name in pp.__all__:
        thing = getattr(pp, name)
        if isinstance(thing, type) and issubclass(thing, Result | pp.Survey | pp.Design):
            methods = [m for m in vars(thing) if not m.startswith("_")]
            assert [m for m in methods if not getattr(thing, m).__doc__] == []
