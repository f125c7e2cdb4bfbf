"""The window survives a random walk, and the walk notices when it does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from patience import PATIENCE

from ppworkbench.fieldwork.collector.control import find_server, stop_server

PROGRAM = Path(__file__).with_name("monkey.py")
PATIENTLY = ("--answers-within", str(PATIENCE))


def walk(*words: str, **surroundings: str) -> subprocess.CompletedProcess[str]:
    """Let the monkey walk, with a screen of its own where one can be had."""
    platform = "xcb" if shutil.which("Xvfb") else "offscreen"
    return subprocess.run(
        [sys.executable, str(PROGRAM), "--platform", platform, *words],
        env=os.environ | surroundings, capture_output=True, text=True, check=False,
        timeout=4 * PATIENCE,
    )  # fmt: skip


@pytest.mark.slow
def test_that_the_window_survives_400_random_steps():
    done = walk("--steps", "400", "--seed", "1", *PATIENTLY)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("400 steps")


def test_that_a_walk_stops_the_collectors_that_its_windows_left(tmp_path):
    hands = str(PROGRAM.with_name("serving_window.py"))
    done = walk("--steps", "3", "--hands", hands, "--keep", str(tmp_path / "kept"), *PATIENTLY)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("3 steps")
    place = tmp_path / "kept" / "home" / "answers.sqlite"
    assert place.exists()
    try:
        assert find_server(place) is None
    finally:
        stop_server(place)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("slot", "ValueError: a fault in a slot"),
        ("job", "ValueError: a fault in a job"),
        ("banner", "Internal error."),
        ("crash", "Segmentation fault"),
        ("hang", "The window does not answer for 2.0 s."),
    ],
)
def test_that_the_walk_ends_at_a_fault_and_tells_what_led_to_it(how, said):
    hands = str(PROGRAM.with_name("broken_window.py"))
    # One that hangs does so for an hour: it is the one that nobody has to wait for.
    patience = () if how == "hang" else PATIENTLY
    done = walk("--steps", "100000", "--seed", "5", "--hands", hands, *patience, BROKEN=how)
    assert done.returncode == 1, done.stdout + done.stderr
    assert said in done.stdout
    assert "last steps\n  step " in done.stdout
    assert "--seed 5" in done.stdout
