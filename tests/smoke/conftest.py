"""A screen of the tests' own: a virtual X server, so that nobody's real screen is touched."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def display() -> Iterator[str]:
    """The name of an X display; skipped only where no X server can be had."""
    if not sys.platform.startswith("linux"):
        pytest.skip("X11 is the window system of Linux")
    if shutil.which("Xvfb") is None:
        if not os.environ.get("DISPLAY"):
            pytest.skip("there is no X display, and Xvfb is not installed")
        yield os.environ["DISPLAY"]
        return
    reader, writer = os.pipe()
    # The server picks a free number and writes it into the pipe once it can be used.
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1920x1200x24", "-nolisten", "tcp"],
        pass_fds=[writer], stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(writer)
    try:
        with os.fdopen(reader, encoding="ascii") as pipe:
            number = pipe.readline().strip()
        if not number:
            pytest.skip("Xvfb is installed but does not start")
        yield f":{number}"
    finally:
        server.terminate()
        server.wait()


@pytest.fixture
def home(display: str, tmp_path: Path) -> dict[str, str]:
    """The surroundings of a program on the screen, in a home of its own."""
    folder = tmp_path / "home"
    folder.mkdir()
    environment = os.environ | {
        "DISPLAY": display,
        "QT_QPA_PLATFORM": "xcb",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)]),
    }
    return environment | {
        name: str(folder) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")
    }


@pytest.fixture
def run_on_screen(home: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a program of this folder on the screen and wait for its end."""

    def run(program: str, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(TESTS / "smoke" / program), *words],
            env=home, capture_output=True, text=True, check=False, timeout=600,
        )  # fmt: skip

    return run


@pytest.fixture
def start_on_screen(home: dict[str, str]) -> Callable[..., subprocess.Popen[str]]:
    """Start a program of this folder on the screen; whoever starts it has to end it."""

    def start(program: str, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, str(TESTS / "smoke" / program), *words],
            env=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    return start
