"""The commands of packaging/dev.py (``run``, ``test``, ``lint`` ...) and their environments.

Makes a virtual environment in .venv and installs the project there with the libraries of the lock
files, once; later starts only look whether anything has changed. Tests with other versions or
another Python have an environment of their own. Uses nothing but the standard library.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import near_tests
import system_packages
import versions
from versions import Stop

ROOT = Path(__file__).resolve().parents[1]
VERSION = "import sys; print(*sys.version_info[:2])"
NO_TESTS = 5
"""What pytest answers if there was nothing to run."""
USAGE = """usage: python3 packaging/dev.py COMMAND [arguments]

  run [arguments]    start the workbench, or its command line with these arguments
  test [arguments]   run the tests; the arguments go to pytest, such as -m slow for long sweeps
      --near         only those that files changed since main can reach over imports
      --quick        only those of the core that are quick: about a minute
      --versions V   with these libraries: locked (the lock files), lowest or newest
      --python P     with this Python: 3.11, 3.12 or 3.13
                     Both make an environment of their own, such as .venv-lowest-3.13.
  bench [arguments]  measure times and say which miss their limits; arguments go to pytest
  bench NAME [...]   run a benchmark of tests/benchmarks, such as coverage, with its own arguments
  lint               check the sources without running them: ruff, mypy, import contracts
  docs [--out F]     build and check the documentation site, in build/site or another folder
  lock               make the lock files anew with the newest versions that pyproject.toml allows
  stubs              write the signatures of all questions for editors, after one has changed
"""

QUICK = ("tests/core", "-m", "not slow and not thorough")
"""What pytest is told in order to try the core in about a minute."""

KEEPING_BYTECODE = {"PYTHONDONTWRITEBYTECODE": ""}
"""Tests start the program hundreds of times, and every start would compile all of it where the
system is told to keep no bytecode. It stays in its usual place: the libraries have theirs there
since they were installed."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment with the project and its libraries."""

    folder: Path
    versions: str = "locked"
    python: str = sys.executable

    def program(self, name: str) -> str:
        """The path of a program in it."""
        if os.name == "nt":
            return str(self.folder / "Scripts" / f"{name}.exe")
        return str(self.folder / "bin" / name)

    @property
    def stamp(self) -> Path:
        """The note of what was installed."""
        return self.folder / "ppworkbench-installed.json"


def main(arguments: list[str]) -> int:
    """Carry out a command and return the exit status."""
    commands = {
        "run": run, "test": test, "bench": bench, "lint": lint, "docs": docs, "lock": lock,
        "stubs": stubs,
    }  # fmt: skip
    if not arguments or arguments[0] not in commands:
        print(USAGE, end="")
        return 0 if arguments and arguments[0] in {"-h", "--help"} else 2
    try:
        return commands[arguments[0]](arguments[1:])
    except Stop as reason:
        print(f"dev.py: {reason}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def run(arguments: list[str]) -> int:
    """Start the workbench; without arguments its window or, failing that, pictures of it."""
    system_packages.ensure()
    environment = Environment(ROOT / ".venv")
    ensure_installed(environment, frozenset())
    command = [environment.program("ppworkbench"), *arguments]
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
    """Run the tests, say which failed."""
    began = time.monotonic()
    tested, arguments = chosen_environment(arguments)
    if "--near" in arguments:
        near = tests_near()
        if not near:
            return 0
        arguments = [*(one for one in arguments if one != "--near"), *near]
    if "--quick" in arguments:
        arguments = [*QUICK, *(one for one in arguments if one != "--quick")]
    system_packages.ensure(screen_for_tests=True)
    system_packages.ensure_browser()
    ensure_installed(tested, frozenset({"test"}))
    with a_display() as display:
        print("pytest ...", flush=True)
        environment = display | KEEPING_BYTECODE
        passed = tests_pass(pytest_run(tested, arguments), environment, chosen=bool(arguments))
    return conclude({"pytest": passed}, began)


def tests_near() -> list[str]:
    """The files of tests that changed files can reach; says how many, and what tells nothing."""
    found, unclear = near_tests.near_tests(ROOT, near_tests.changed_files(ROOT))
    if unclear:
        print(f"No test follows from the imports of {', '.join(unclear)}.")
    print(f"{len(found)} file(s) with tests are near to what has changed.", flush=True)
    return found


def bench(arguments: list[str]) -> int:
    """Measure times beside their limits, or run the benchmark that is named."""
    name = arguments[0] if arguments and not arguments[0].startswith("-") else ""
    modules = sorted(file.stem for file in (ROOT / "tests" / "benchmarks").glob("*.py"))
    if name and name not in modules:
        raise Stop(f"there is no benchmark {name!r}; there are {', '.join(modules)}.")
    environment = Environment(ROOT / ".venv")
    system_packages.ensure(screen_for_tests=True)
    ensure_installed(environment, frozenset({"test"}))
    command = [environment.program("python"), "-m"]
    if name:
        command += [f"tests.benchmarks.{name}", *arguments[1:]]
    else:
        # Alone, one after the other: whatever runs beside them would be measured, too.
        command += ["pytest", "-q", *arguments, "tests/benchmarks/limits"]
    with a_display() as display:
        paths = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
        surroundings = display | KEEPING_BYTECODE | {"PYTHONPATH": paths}
        return subprocess.call(command, cwd=ROOT, env=surroundings)


def lint(arguments: list[str]) -> int:
    """Check the sources without running them, say which checks failed."""
    if arguments:
        raise Stop("lint takes no arguments; it looks at all sources.")
    began = time.monotonic()
    # What the checks say depends on their own version, so they are made with the locked ones.
    environment = Environment(ROOT / ".venv")
    ensure_installed(environment, frozenset({"test"}))
    checks = source_checks(environment)
    print(f"{', '.join(checks)} ...", flush=True)
    # mypy takes longest; the others are done while it reads the libraries.
    with ThreadPoolExecutor(2) as beside:
        faults = dict(zip(checks, beside.map(fault_of, checks.values()), strict=True))
    for name, fault in faults.items():
        if fault is not None:
            print(f"{name}:\n{fault}", flush=True)
    return conclude({name: fault is None for name, fault in faults.items()}, began)


def conclude(passed: dict[str, bool], began: float) -> int:
    """Say in a last line what failed, or that nothing did; return the exit status."""
    failed = [name for name, is_good in passed.items() if not is_good]
    seconds = f"{time.monotonic() - began:.0f} s"
    if failed:
        print(f"\nFAILED: {', '.join(failed)} ({seconds}).")
        return 1
    print(f"\nAll checks passed: {', '.join(passed)} ({seconds}).")
    return 0


def chosen_environment(arguments: list[str]) -> tuple[Environment, list[str]]:
    """The environment that arguments of ``test`` ask for, and the arguments for pytest."""
    parser = argparse.ArgumentParser("dev.py test", add_help=False, allow_abbrev=False)
    parser.add_argument("--versions", choices=versions.CHOICES)
    parser.add_argument("--python", metavar="VERSION")
    asked, others = parser.parse_known_args(arguments)
    if asked.versions is None and asked.python is None:
        return Environment(ROOT / ".venv"), others
    python = asked.python or f"{sys.version_info[0]}.{sys.version_info[1]}"
    choice = asked.versions or "locked"
    folder = ROOT / f".venv-{choice}-{python}"
    return Environment(folder, choice, versions.find_python(python)), others


def docs(arguments: list[str]) -> int:
    """Run the notebooks, build the documentation site and check it."""
    environment = Environment(ROOT / ".venv")
    ensure_installed(environment, frozenset({"docs"}))
    builder = ROOT / "packaging" / "docs" / "build_site.py"
    return subprocess.call([environment.program("python"), str(builder), *arguments])


def lock(arguments: list[str]) -> int:
    """Make the lock files anew."""
    if arguments:
        raise Stop("lock takes no arguments; versions are bounded in pyproject.toml.")
    environment = Environment(ROOT / ".venv-lock")
    make_environment(environment)
    install(environment, ["--upgrade", "uv"])
    versions.lock([environment.program("uv")])
    print("The lock files are made; now run: python3 packaging/dev.py lint, then test")
    return 0


def stubs(arguments: list[str]) -> int:
    """Write the stub of the questions from their declarations."""
    if arguments:
        raise Stop("stubs takes no arguments; it follows the declarations.")
    environment = Environment(ROOT / ".venv")
    ensure_installed(environment, frozenset({"test"}))
    writer = "packaging/question_stub.py"
    subprocess.run([environment.program("python"), writer], cwd=ROOT, check=True)
    ruff, place = environment.program("ruff"), "ppworkbench/api/questions.pyi"
    # Formatted first: a signature on one line would be refused as too long.
    subprocess.run([ruff, "format", "--quiet", place], cwd=ROOT, check=True)
    subprocess.run([ruff, "check", "--quiet", "--fix", place], cwd=ROOT, check=True)
    return subprocess.call([ruff, "format", place], cwd=ROOT)


def source_checks(environment: Environment) -> dict[str, list[str]]:
    """The calls of all that looks at the sources without running them, the longest first."""
    return {
        "mypy": [environment.program("mypy")],
        "ruff check": [environment.program("ruff"), "check"],
        "ruff format": [environment.program("ruff"), "format", "--check"],
        "lint-imports": [environment.program("lint-imports")],
    }


def pytest_run(tested: Environment, arguments: list[str]) -> list[str]:
    """The call of pytest: tests side by side, without the sweeps unless they are asked for."""
    # One more than there are processors: tests of the window wait for its timers half of the time.
    workers = str(min(4, (os.cpu_count() or 1) + 1))
    call = [tested.program("python"), "-m", "pytest", "-q", "-n", workers, "--dist", "worksteal"]
    return [*call, *([] if "-m" in arguments else ["-m", "not slow"]), *arguments]


def fault_of(command: list[str]) -> str | None:
    """What a check says when it fails; nothing when it passes."""
    done = subprocess.run(
        command, cwd=ROOT, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return done.stdout if done.returncode else None


def tests_pass(command: list[str], environment: dict[str, str], chosen: bool) -> bool:
    """Whether tests pass; among those that were chosen there may be none."""
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


def ensure_installed(environment: Environment, extras: frozenset[str]) -> None:
    """Install the project with these extras, unless that was done and nothing changed."""
    stamp = read_stamp(environment)
    if is_current(environment, stamp, extras):
        return
    make_environment(environment)
    extras = extras | frozenset(stamp.get("extras", ()))
    folder = environment.folder.name
    print(f"Installing ppworkbench into {folder}; the first time this takes minutes.", flush=True)
    install(environment, versions.what_to_install(environment.versions, extras))
    # Its libraries are there, and so is what builds it: nothing else is fetched.
    install(environment, ["--no-deps", "--no-build-isolation", "--editable", str(ROOT)])
    note = {"fingerprint": fingerprint(environment, extras), "extras": sorted(extras)}
    environment.stamp.write_text(json.dumps(note))


def install(environment: Environment, what: list[str]) -> None:
    """Install with pip."""
    command = [environment.program("python"), "-m", "pip", "install", "--quiet", *what]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise Stop(
            "pip could not install what is needed; is the network reachable? "
            f"({reason_of_pip(done.stderr)})"
        )


def reason_of_pip(said: str) -> str:
    """The one line of what pip said that tells why it failed."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line[len("ERROR:") :].strip() for line in lines if line.startswith("ERROR:")]
    return (errors or lines or ["it did not say why"])[-1].rstrip(".")


def fingerprint(environment: Environment, extras: frozenset[str]) -> str:
    """A hash of everything an installation depends on."""
    files = [ROOT / "pyproject.toml"]
    if environment.versions == "locked":
        files += versions.lock_files(extras)
    # A Python that is replaced by another of its name leaves the environment without libraries.
    parts = [sys.version.encode(), environment.python.encode(), str(ROOT).encode()]
    return hashlib.sha256(b"\0".join([*(file.read_bytes() for file in files), *parts])).hexdigest()


def read_stamp(environment: Environment) -> dict[str, Any]:
    """What was installed last; empty when nothing was or the note of it is damaged."""
    try:
        stamp = json.loads(environment.stamp.read_text())
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def is_current(environment: Environment, stamp: dict[str, Any], extras: frozenset[str]) -> bool:
    """Whether the installation that the stamp tells of serves for these extras."""
    # What the newest versions are is known only to the network.
    if environment.versions == "newest" or not Path(environment.program("python")).exists():
        return False
    installed = frozenset(stamp.get("extras", ()))
    return extras <= installed and stamp.get("fingerprint") == fingerprint(environment, installed)


def make_environment(environment: Environment) -> None:
    """Make a virtual environment; an old one of another Python is made anew."""
    if environment_serves(environment):
        return
    if not ask_python(environment.python, "import ensurepip; print('there')"):
        version = ask_python(
            environment.python, "import sys; print('%d.%d' % sys.version_info[:2])"
        )
        package = f"python{version}-venv"
        if not (hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get")):
            raise Stop(f"Python's venv is incomplete; install it: sudo apt-get install {package}")
        system_packages.install_with_apt([package])
    done = subprocess.run(
        [environment.python, "-m", "venv", "--clear", str(environment.folder)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        said = (done.stdout + done.stderr).strip()
        raise Stop(f"the environment {environment.folder.name} cannot be made: {said}")


def environment_serves(environment: Environment) -> bool:
    """Whether there is a working pip under the wanted version of Python."""
    ask = "import sys; print(*sys.version_info[:2])"
    wanted = ask_python(environment.python, ask)
    return (
        bool(wanted) and ask_python(environment.program("python"), f"import pip; {ask}") == wanted
    )


def ask_python(python: str, question: str) -> str:
    """What a Python prints; nothing when it is not there or fails."""
    try:
        done = subprocess.run([python, "-c", question], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
