"""The real window on a real window system, from the start screen to a reconstruction."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys

import pytest
from patience import PATIENCE


def answer(done) -> dict:
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
def test_that_a_person_gets_from_a_sample_to_a_reconstruction(run_on_screen, tmp_path):
    folder = tmp_path / "seen"
    folder.mkdir()
    seen = answer(run_on_screen("walk.py", str(folder)))
    # Qt falls back to a stand-in with no more than a warning.
    assert seen["platform"] == "xcb"
    assert seen["active"] is True
    assert seen["after sample"] == ["data", 5_000]
    before, after, steps = seen["drag"]
    assert after < before
    assert steps == 1
    assert seen["loop"] is True
    assert seen["loop after undo"] is False
    assert seen["weights after second undo"] == before
    assert seen["page"] == "explore"
    assert seen["error"] == ""
    assert seen["closed"] is True
    assert seen["left"] == []
    for name in ("start", "data", "design", "design-loop", "explore"):
        picture = folder / f"{name}.png"
        width, height = struct.unpack(">II", picture.read_bytes()[16:24])
        assert (width, height) == (1366, 768)
        # A window that shows one colour only makes a file of a few kilobytes.
        assert picture.stat().st_size > 30_000


@pytest.mark.slow
def test_that_the_five_minutes_of_the_readme_are_what_the_window_does(run_on_screen, tmp_path):
    folder = tmp_path / "seen"
    folder.mkdir()
    seen = answer(run_on_screen("readme_walk.py", str(folder)))
    assert seen["platform"] == "xcb"
    assert seen["not followed"] == {}
    assert seen["error"] == ""
    assert seen["estimate"].endswith("%")
    assert {"README.txt", "report.html"} <= set(seen["bundle"])
    assert any(name.endswith("-design.json") for name in seen["bundle"])
    assert seen["closed"] is True


@pytest.mark.parametrize("arguments", [[], ["--help"]])
def test_that_without_a_display_the_program_says_what_to_do(arguments):
    hidden = ("DISPLAY", "WAYLAND_DISPLAY")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        [sys.executable, "-m", "ppworkbench", *arguments],
        env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert "tour" in done.stdout + done.stderr
    assert done.returncode == (0 if arguments else 2)
