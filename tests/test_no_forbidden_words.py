"""Words that do not belong into the program: a promise it cannot keep, paths of one machine."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROMISE = re.compile("(?<!not )(?<!nie oznacza )anon[iy]m", re.IGNORECASE)
"""A file may say what randomised answers are not, and nothing else about it."""
OTHERS = {
    "resources/kit/platform_names.json": ("anonymized=Y", "Anonymize responses"),
}
"""What survey platforms call settings of their own, in the only file that may hold it."""
BINARY = {".feather", ".parquet", ".png", ".sav", ".xlsx"}
MACHINE = re.compile(r"(?<![\w.])/(work|root|home|Users|tmp)/")


@cache
def shipped():
    """The text files that reach a user, and what they hold."""
    files = [ROOT / name for name in ("README.md", "CHANGELOG.md", "pyproject.toml")]
    for folder in ("ppworkbench", "resources", "icons", "packaging"):
        files += [one for one in (ROOT / folder).rglob("*") if one.is_file()]
    texts = [one for one in files if "__pycache__" not in one.parts and one.suffix not in BINARY]
    return [(one, one.read_text("utf-8", "replace")) for one in texts]


@pytest.mark.parametrize("forbidden", [PROMISE, MACHINE], ids=["promise", "machine"])
def test_that_no_shipped_file_holds_a_forbidden_word(forbidden):
    # Distorted answers can still point at a person; nothing here may call them otherwise.
    held = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file, text in shipped()
        # Most hold none; to look at each of their lines takes ten times as long.
        if forbidden.search(text)
        for number, line in enumerate(text.splitlines(), 1)
        if forbidden.search(_own(file, line))
    ]
    assert held == []


def _own(file: Path, line: str) -> str:
    """The line without names that others gave."""
    for name in OTHERS.get(file.relative_to(ROOT).as_posix(), ()):
        line = line.replace(f'"{name}"', "")
    return line


@pytest.mark.parametrize(
    ("forbidden", "line"),
    [(PROMISE, "fully Anonymous answers"), (PROMISE, "anonymised"), (MACHINE, "open('/home/a/b')")],
)
def test_that_the_search_finds_what_it_is_for(forbidden, line):
    assert forbidden.search(line)
