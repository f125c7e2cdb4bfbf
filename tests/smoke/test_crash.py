"""Killed without a warning, the real program loses no more than what came after its last copy."""

from __future__ import annotations

import pytest
from patience import until


def copies(folder):
    """The copies that are whole; a temporary name begins with a dot."""
    return {path.stem: path for path in folder.rglob("recovery/[!.]*.ppw")}


@pytest.mark.slow
def test_that_killed_programs_offer_their_studies_at_the_next_start(
    start_on_screen, run_on_screen, tmp_path
):
    programs = []
    try:
        programs += [start_on_screen("crash.py", "change") for _ in range(2)]
        for program in programs:
            assert program.stdout.readline() == "changed\n"
        until(lambda: len(copies(tmp_path)) == 2)
    finally:
        for program in programs:
            program.kill()
            program.communicate()
    # Two programs at once keep their copies apart.
    before = copies(tmp_path)
    assert {int(name.split("-")[0]) for name in before} == {p.pid for p in programs}
    done = run_on_screen("crash.py", "restore")
    assert done.returncode == 0, done.stderr
    offered, restored = done.stdout.splitlines()
    assert offered.startswith("offered True")
    assert "“city-survey” was not saved" in offered
    assert restored == "restored True 5000 True"
    # It ended as it should: of what it restored nothing stays behind, the other is still offered.
    [(left, path)] = copies(tmp_path).items()
    assert left in before
    assert {file.stem for file in path.parent.iterdir()} == {left}
