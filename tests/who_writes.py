"""Who of the program writes: what its text says, and what it is seen to do."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import ppworkbench

PROGRAM = Path(ppworkbench.__file__).parent
_WAYS = {
    "atomic_file", "write_text", "write_bytes", "open_chunk_writer", "RotatingFileHandler",
    "QSaveFile", "QFile", "NamedTemporaryFile", "mkstemp", "TemporaryDirectory",
    "copyfile", "copy", "copyfileobj", "rmtree", "touch", "rename", "open_private",
    "temporary_folder", "make_temporary_folder", "make_private_folder",
}  # fmt: skip
"""Settings are Qt's own affair."""
_MODES = frozenset("wax+")
_CALLS = re.compile(rf"\b(?:{'|'.join(sorted(_WAYS))}|open|ZipFile)\s*\(")
"""What a text holds that may write; to understand all others takes seconds."""


class Watch:
    """Notes the files of the program that have a hand in opening something below a folder."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self._folder = ""
        # It cannot be taken away again, so this is for programs of their own.
        sys.addaudithook(self._note)

    @contextmanager
    def below(self, folder: Path) -> Iterator[None]:
        """Watch a folder for a while."""
        self._folder = str(folder)
        try:
            yield
        finally:
            self._folder = ""

    def _note(self, event: str, given: tuple[Any, ...]) -> None:
        if not self._folder or event != "open" or not str(given[0]).startswith(self._folder):
            return
        frame: FrameType | None = sys._getframe()
        while frame is not None:
            path = Path(frame.f_code.co_filename)
            if path.is_relative_to(PROGRAM):
                self.seen.add(path.relative_to(PROGRAM).as_posix())
            frame = frame.f_back


def files_that_write() -> set[str]:
    """Files of the program in whose text something is written."""
    texts = ((path, path.read_text(encoding="utf-8")) for path in PROGRAM.rglob("*.py"))
    return {
        path.relative_to(PROGRAM).as_posix()
        for path, text in texts
        if _CALLS.search(text) and any(map(_writes, ast.walk(ast.parse(text))))
    }


def _writes(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    if name in _WAYS:
        # A dictionary is copied without words.
        return name != "copy" or len(node.args) > 1
    words = [*node.args, *(keyword.value for keyword in node.keywords)]
    said = [word.value for word in words if isinstance(word, ast.Constant)]
    modes = [word for word in said if isinstance(word, str) and 0 < len(word) < 4]
    return name in ("open", "ZipFile") and any(_MODES & {*mode} for mode in modes)
