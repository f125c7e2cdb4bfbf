"""Dialogs are instances that Python owns; none is static or waits in a loop of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILT_BY_QT = {"QFileDialog", "QMessageBox", "QInputDialog", "QColorDialog", "QFontDialog"}
STATIC = (
    "get", "question", "warning", "information", "critical", "about", "saveFileContent",
)  # fmt: skip
LOOPS = {"ppworkbench/gui/app.py", "ppworkbench/gui/window/__main__.py"}
"""Where the event loop of the application is started."""


def sources(folder: str, *words: str) -> Iterator[tuple[str, ast.Module]]:
    """The files in which one of some words stands: to understand all of them takes seconds."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if any(word in source for word in words):
            yield path.relative_to(ROOT).as_posix(), ast.parse(source)


def calls(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Every method that is called, with what it is called on."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield ast.unparse(node.func.value), node.func.attr


def test_that_the_window_uses_no_static_dialog():
    found = [
        f"{name}: {of}.{method}"
        for name, tree in sources("ppworkbench/gui", *BUILT_BY_QT)
        for of, method in calls(tree)
        if of in BUILT_BY_QT and method.startswith(STATIC)
    ]
    assert found == []


def test_that_nothing_waits_in_a_loop_of_its_own():
    found = [
        f"{name}: {of}.{method}"
        for name, tree in sources("ppworkbench/gui", "exec")
        for of, method in calls(tree)
        if method in ("exec", "exec_") and name not in LOOPS
    ]
    assert found == []


@pytest.mark.parametrize("handler", ["event", "childEvent"])
@pytest.mark.parametrize("holder", ["window/main_window.py", "window/shell.py", "pages/page.py"])
def test_that_what_holds_other_windows_hears_no_event_of_their_making(holder, handler):
    """Whoever touches a window there that Qt owns keeps it longer than Qt does."""
    tree = ast.parse((ROOT / "ppworkbench/gui" / holder).read_text(encoding="utf-8"))
    assert handler not in {one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)}


@pytest.mark.slow
def test_that_no_test_replaces_a_dialog():
    found = []
    for name, tree in sources("tests", "setattr"):
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            if node.func.attr == "setattr" and node.args:
                what = ast.unparse(node.args[0])
                if "Dialog" in what or "QMessageBox" in what or "gui.dialogs" in what:
                    found.append(f"{name}: {what}")
    assert found == []
