"""Files of the folder ``packaging``, which is no package of Python's."""

from __future__ import annotations

import importlib.util
import sys
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


@cache
def program_texts() -> dict[str, str]:
    """All texts of the program that are translated, and where they are said; takes seconds."""
    found: dict[str, str] = load_recipe("texts").texts(("gui", "core", "study"))
    return found
