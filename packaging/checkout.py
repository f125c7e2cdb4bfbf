"""The two commands of packaging/dev.py, ``run`` and ``test``, and the environment they need.

Makes a virtual environment in .venv and installs the project there, once; later starts only
look whether anything has changed. Uses nothing but the standard library.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import system_packages

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
STAMP = VENV / "ppworkbench-installed.json"
NO_TESTS = 5
"""What pytest answers if there was nothing to run."""
USAGE = """usage: python3 packaging/dev.py COMMAND [arguments]

  run [arguments]    start the workbench, or its command line with these arguments
  test [arguments]   run every check; the arguments go to pytest
"""


class Stop(Exception):  # noqa: N818 (a reason, shown as it is)
    """A reason to give up, in one sentence."""


def main(arguments: list[str]) -> int:
    """Carry out a command and return the exit status."""
    if not arguments or arguments[0] not in {"run", "test"}:
        print(USAGE, end="")
        return 0 if arguments and arguments[0] in {"-h", "--help"} else 2
    try:
        return {"run": run, "test": test}[arguments[0]](arguments[1:])
    except Stop as reason:
        print(f"dev.py: {reason}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def run(arguments: list[str]) -> int:
    """Start the workbench; without arguments its window or, failing that, pictures of it."""
    system_packages.ensure()
    ensure_installed(frozenset())
    command = [program("ppworkbench"), *arguments]
    obstacle = "" if arguments else what_keeps_the_window_shut()
    if obstacle:
        print(f"{obstacle} A tour of pictures instead, which takes a minute.", flush=True)
        command += ["tour", "--force", "--out", str(ROOT / "build" / "tour")]
    if os.name != "nt":
        os.execv(command[0], command)  # In its place, so that signals reach the program itself.
    return subprocess.call(command)


def what_keeps_the_window_shut() -> str:
    """Why no window can open, in a sentence; empty when one can."""
    has_screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if sys.platform.startswith("linux") and not has_screen:
        return "There is no display to open a window on."
    return ""


def test(arguments: list[str]) -> int:
    """Run all checks, say which failed."""
    began = time.monotonic()
    system_packages.ensure(screen_for_tests=True)
    system_packages.ensure_browser()
    ensure_installed(frozenset({"test"}))
    checks = {
        "ruff check": [program("ruff"), "check"],
        "ruff format": [program("ruff"), "format", "--check"],
        "mypy": [program("mypy")],
        "lint-imports": [program("lint-imports")],
        **pytest_runs(arguments),
    }
    failed = []
    with a_display() as environment:
        for name, command in checks.items():
            print(f"{name} ...", flush=True)
            if name.startswith("pytest"):
                passed = tests_pass(command, environment, chosen=bool(arguments))
            else:
                passed = passes(command, environment)
            if not passed:
                failed.append(name)
    seconds = f"{time.monotonic() - began:.0f} s"
    if failed:
        print(f"\nFAILED: {', '.join(failed)} ({seconds}).")
        return 1
    print(f"\nAll checks passed: {', '.join(checks)} ({seconds}).")
    return 0


def pytest_runs(arguments: list[str]) -> dict[str, list[str]]:
    """The calls of pytest: most tests side by side, then alone those that measure time."""
    pytest = [program("python"), "-m", "pytest", "-q"]
    # One more than there are processors: tests of the window wait for its timers half of the time.
    workers = str(min(4, (os.cpu_count() or 1) + 1))
    spread = ["-n", workers, "--dist", "worksteal"]
    if "-m" in arguments:
        return {"pytest": [*pytest, *spread, *arguments]}
    return {
        "pytest": [*pytest, *spread, "-m", "not timed", *arguments],
        "pytest of times": [*pytest, "-m", "timed", *(arguments or files_of_times())],
    }


def files_of_times() -> list[str]:
    """The tests among which those are that measure time: looking through all takes a while."""
    tests = sorted((ROOT / "tests").rglob("test_*.py"))
    texts = ((file, file.read_text(encoding="utf-8")) for file in tests)
    return [str(file) for file, text in texts if "max_block" in text or "mark.timed" in text]


def passes(command: list[str], environment: dict[str, str]) -> bool:
    """Whether a check passes; what it says is shown only when it fails."""
    done = subprocess.run(
        command, cwd=ROOT, env=environment, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    if done.returncode:
        print(done.stdout, flush=True)
    return done.returncode == 0


def tests_pass(command: list[str], environment: dict[str, str], chosen: bool) -> bool:
    """Whether tests pass; a choice of tests may leave nothing for one of the calls of pytest."""
    status = subprocess.call(command, cwd=ROOT, env=environment)
    return status == 0 or (chosen and status == NO_TESTS)


@contextlib.contextmanager
def a_display() -> Iterator[dict[str, str]]:
    """An environment with a screen: the one that is there, else a virtual one (Xvfb)."""
    environment = dict(os.environ)
    # As the program itself does: pytest runs in several processes, each needs one thread only.
    environment.setdefault("OPENBLAS_NUM_THREADS", "1")
    linux = sys.platform.startswith("linux")
    if not linux or "DISPLAY" in environment or not shutil.which("Xvfb"):
        yield environment
        return
    reader, writer = os.pipe()
    # The server picks a free number and writes it into the pipe once it can be used.
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1920x1200x24"]
    server = subprocess.Popen(
        [*command, "-nolisten", "tcp"], pass_fds=[writer], stderr=subprocess.DEVNULL
    )
    os.close(writer)
    try:
        with os.fdopen(reader, encoding="ascii") as pipe:
            number = pipe.readline().strip()
        if number:
            environment["DISPLAY"] = f":{number}"
        environment.pop("WAYLAND_DISPLAY", None)
        yield environment
    finally:
        server.terminate()
        server.wait()


def program(name: str) -> str:
    """The path of a program in the virtual environment."""
    if os.name == "nt":
        return str(VENV / "Scripts" / f"{name}.exe")
    return str(VENV / "bin" / name)


def ensure_installed(extras: frozenset[str]) -> None:
    """Install the project with these extras, unless that was done and nothing changed."""
    wanted = fingerprint()
    stamp = read_stamp()
    if is_current(stamp, wanted, extras):
        return
    make_environment()
    extras = extras | frozenset(stamp.get("extras", ()))
    print("Installing ppworkbench into .venv; the first time this takes minutes.", flush=True)
    target = str(ROOT) + (f"[{','.join(sorted(extras))}]" if extras else "")
    install = [program("python"), "-m", "pip", "install", "--quiet", "--editable", target]
    done = subprocess.run(install, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise Stop(
            "pip could not install what is needed; is the network reachable? "
            f"({reason_of_pip(done.stderr)})"
        )
    STAMP.write_text(json.dumps({"fingerprint": wanted, "extras": sorted(extras)}))


def reason_of_pip(said: str) -> str:
    """The one line of what pip said that tells why it failed."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line[len("ERROR:") :].strip() for line in lines if line.startswith("ERROR:")]
    return (errors or lines or ["it did not say why"])[-1].rstrip(".")


def fingerprint() -> str:
    """A hash of everything an installation depends on, but for the extras."""
    parts = [(ROOT / "pyproject.toml").read_bytes(), sys.version.encode(), str(ROOT).encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def read_stamp() -> dict[str, Any]:
    """What was installed last; empty when nothing was or the note of it is damaged."""
    try:
        stamp = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def is_current(stamp: dict[str, Any], wanted: str, extras: frozenset[str]) -> bool:
    """Whether the installation that the stamp tells of serves for these extras."""
    if stamp.get("fingerprint") != wanted or not Path(program("python")).exists():
        return False
    return extras <= set(stamp.get("extras", ()))


def make_environment() -> None:
    """Make the virtual environment; an old one of another Python is made anew."""
    if importlib.util.find_spec("ensurepip") is None:
        package = f"python3.{sys.version_info[1]}-venv"
        if not (hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get")):
            raise Stop(f"Python's venv is incomplete; install it: sudo apt-get install {package}")
        system_packages.install_with_apt([package])
    if environment_serves():
        return
    done = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", str(VENV)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise Stop(f"the environment .venv cannot be made: {(done.stdout + done.stderr).strip()}")


def environment_serves() -> bool:
    """Whether .venv has a working pip under this version of Python."""
    ask = "import pip, sys; print(*sys.version_info[:2])"
    try:
        done = subprocess.run(
            [program("python"), "-c", ask], capture_output=True, text=True, check=False
        )
    except OSError:
        return False
    return done.stdout.split() == [str(part) for part in sys.version_info[:2]]
