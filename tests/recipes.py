"""Files of the folder ``packaging``, which is no package of Python's."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGING = ROOT / "packaging"
SPEC = PACKAGING / "ppworkbench.spec"
LINUX = PACKAGING / "linux"
MIME_TYPE = "application/x-ppworkbench"


def load_recipe(name: str) -> ModuleType:
    """A file of the folder as a fresh module."""
    spec = importlib.util.spec_from_file_location(name, PACKAGING / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look for the module that they are in.
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class ProgramTexts:
    """What stands in the sources of the program."""

    translated: dict[str, str]
    """All texts that are translated, and where they are said."""
    strings: dict[str, tuple[str, ...]]
    """Every string of a file that is not a docstring."""


@cache
def program_texts() -> ProgramTexts:
    """All texts of the program; takes seconds, so that every file is read once for all tests."""
    recipe = load_recipe("texts")
    translated, strings = {}, {}
    for file in sorted(recipe.PACKAGE.rglob("*.py")):
        place = file.relative_to(recipe.PACKAGE).as_posix()
        strings[place] = tuple(_strings_of(recipe.syntax_of(file)))
        if place.startswith(tuple(f"{folder}/" for folder in recipe.WINDOW + recipe.CORE)):
            for text in recipe.texts_of(file):
                translated.setdefault(text, place)
    return ProgramTexts(translated, strings)


@cache
def command_strings() -> frozenset[str]:
    """Every string of the commands that is not a docstring."""
    recipe = load_recipe("texts")
    files = sorted((recipe.PACKAGE / "cli").rglob("*.py"))
    return frozenset(text for file in files for text in _strings_of(recipe.syntax_of(file)))


def _strings_of(nodes: tuple[ast.AST, ...]) -> Iterator[str]:
    documented = set()
    # What is around a string comes before it.
    for node in nodes:
        if isinstance(node, ast.Expr):
            documented.add(id(node.value))
            continue
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in documented:
            yield node.value
