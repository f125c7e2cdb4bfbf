"""The guide for contributors shows how things are added: every example is carried out in a copy."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from recipes import ROOT

GUIDE = ROOT / "CONTRIBUTING.md"
FENCE = re.compile(r"^```(python|diff|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PLACE = re.compile(r"# (ppworkbench/\S+)")


def examples() -> dict[str, list[tuple[str, str]]]:
    """The blocks of code below each heading that ends with a trial, with their languages."""
    chapters = re.split(r"^## ", GUIDE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    found = {chapter.partition("\n")[0]: FENCE.findall(chapter) for chapter in chapters}
    return {name: blocks for name, blocks in found.items() if ("pycon" in dict(blocks))}


def hunks(block: str) -> Iterator[tuple[str, str, str]]:
    """The file of each change of a block, the lines that it finds, and those it leaves."""
    for change in re.split(r"^(?=# ppworkbench/)", block, flags=re.MULTILINE):
        if change:
            place, _, lines = change.partition("\n")
            old = [line[1:] for line in lines.splitlines() if line[0] in " -"]
            new = [line[1:] for line in lines.splitlines() if line[0] in " +"]
            yield place.removeprefix("# "), "\n".join(old) + "\n", "\n".join(new) + "\n"


def carry_out(language: str, block: str, root: Path) -> None:
    """Write the file of a block, or change files as it says."""
    if language == "python":
        place = PLACE.match(block)
        assert place is not None, block
        path = root / place[1]
        assert not path.exists(), place[1]
        path.write_text(block.partition("\n")[2], encoding="utf-8")
        return
    for name, old, new in hunks(block):
        text = (root / name).read_text(encoding="utf-8")
        assert f"\n{text}".count(f"\n{old}") == 1, (name, old)
        changed = f"\n{text}".replace(f"\n{old}", f"\n{new}")
        (root / name).write_text(changed[1:], encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program with everything that the guide adds."""
    root = tmp_path_factory.mktemp("copy")
    for name in ("ppworkbench", "resources", "icons"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, root / name, ignore=ignored)
    for blocks in examples().values():
        for language, block in blocks:
            if language != "pycon":
                carry_out(language, block, root)
    return root


def test_that_the_guide_shows_how_all_kinds_of_things_are_added() -> None:
    kinds = (
        "mechanism", "miner", "measure", "file format", "question", "chart", "page",
        "survey statistic",
    )  # fmt: skip
    assert {f"A new {kind}" for kind in kinds} <= set(examples())


@pytest.mark.slow
@pytest.mark.parametrize("name", examples())
def test_that_what_the_guide_adds_does_what_it_shows(name: str, copy: Path) -> None:
    trial = copy / f"{name.replace(' ', '-')}.txt"
    [shown] = [block for language, block in examples()[name] if language == "pycon"]
    trial.write_text(shown, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "doctest", trial.name],
        cwd=copy, env={**os.environ, "PYTHONPATH": str(copy)}, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.stdout == ""
    assert done.returncode == 0
