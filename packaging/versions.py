"""Which versions of the libraries are installed: those of the lock files, the lowest, the newest.

The lock files at the top of the checkout name one version of everything, with hashes, for every
system and Python that we support. ``python3 packaging/dev.py lock`` makes them anew with uv.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
CHOICES = ("locked", "lowest", "newest")
# By uv's names. Windows on arm64 has no wheels of Qt and pyarrow; Python for x86-64 runs there too.
SYSTEMS = (
    "x86_64-manylinux_2_36",
    "aarch64-manylinux_2_36",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
)
EXTRAS = ("test", "build", "docs")
HEADER = "# Made by `python3 packaging/dev.py lock`; the bounds stand in pyproject.toml.\n"


class Stop(Exception):  # noqa: N818 (a reason, shown as it is)
    """A reason to give up, in one sentence."""


def project() -> dict[str, Any]:
    """What pyproject.toml declares."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def lock_files(extras: Iterable[str]) -> list[Path]:
    """The lock files that together hold the program and these extras."""
    names = ["requirements.lock", *(f"requirements-{extra}.lock" for extra in sorted(extras))]
    return [ROOT / name for name in names]


def locked_names(file: Path) -> list[str]:
    """The names of what a lock file holds."""
    return re.findall(r"(?m)^([\w.-]+)==", file.read_text(encoding="utf-8"))


def what_to_install(choice: str, extras: Iterable[str]) -> list[str]:
    """Arguments for pip that install the libraries of a choice; nothing is ever compiled."""
    if choice == "locked":
        files = [argument for file in lock_files(extras) for argument in ("-r", str(file))]
        return ["--only-binary", ":all:", "--require-hashes", *files]
    declared = project()
    wanted = [*declared["build-system"]["requires"], *declared["project"]["dependencies"]]
    for extra in sorted(extras):
        wanted += declared["project"]["optional-dependencies"][extra]
    if choice == "lowest":
        return ["--only-binary", ":all:", *map(at_its_lowest, wanted)]
    return ["--only-binary", ":all:", "--upgrade", "--upgrade-strategy", "eager", *wanted]


def at_its_lowest(requirement: str) -> str:
    """A requirement that only the lowest version meets.

    >>> at_its_lowest("pyqtgraph>=0.13.7,<0.15"), at_its_lowest("dask[distributed]>=2024.6")
    ('pyqtgraph==0.13.7', 'dask[distributed]==2024.6')
    """
    return re.sub(r">=([^,;\s]+)[^;]*", r"==\1", requirement)


def find_python(version: str) -> str:
    """The path of the Python of a version such as 3.13."""
    if version not in PYTHONS:
        raise Stop(f"ppworkbench runs on Python {listed(PYTHONS)}, not on {version!r}.")
    if version == f"{sys.version_info[0]}.{sys.version_info[1]}":
        return sys.executable
    ask = "import sys; print(sys.executable, '%d.%d' % sys.version_info[:2], sep='\\n')"
    for command in ([f"python{version}"], ["py", f"-{version}"]):
        found = shutil.which(command[0])
        if found is None:
            continue
        # A name on the path may be a stand-in that finds no such Python.
        answer = subprocess.run(
            [found, *command[1:], "-c", ask], capture_output=True, text=True, check=False
        ).stdout.splitlines()
        if answer[1:] == [version]:
            return answer[0]
    raise Stop(f"there is no Python {version} here; install it, so that python{version} starts.")


def listed(words: Iterable[str]) -> str:
    """Words in a sentence: "3.11, 3.12 or 3.13"."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def lock(uv: list[str]) -> None:
    """Make the lock files anew with the newest versions that the bounds allow."""
    compiling = [
        *uv, "pip", "compile", "pyproject.toml", "-", "--quiet", "--universal",
        "--python-version", PYTHONS[0], "--no-header", "--no-annotate",
        # One version for all, not one for each Python or system.
        "--fork-strategy", "fewest",
    ]  # fmt: skip
    tools = "\n".join(project()["build-system"]["requires"])
    extras = [argument for extra in EXTRAS for argument in ("--extra", extra)]
    with tempfile.TemporaryDirectory() as folder:
        together = Path(folder, "all.txt")
        together.write_text(call([*compiling, *extras], tools), encoding="utf-8")
        compiling += ["--generate-hashes", "--constraints", str(together)]
        program, *others = lock_files(EXTRAS)
        program.write_text(HEADER + call(compiling, tools), encoding="utf-8", newline="\n")
        held = [f"--no-emit-package={name}" for name in locked_names(program)]
        for extra, file in zip(sorted(EXTRAS), others, strict=True):
            text = call([*compiling, *held, "--extra", extra], tools)
            file.write_text(HEADER + text, encoding="utf-8", newline="\n")
    check_systems(uv)


def check_systems(uv: list[str]) -> None:
    """Hold that everything locked has a wheel for each system and Python."""
    files = [argument for file in lock_files(EXTRAS) for argument in ("-r", str(file))]
    trying = [
        *uv,
        "pip",
        "install",
        "--no-config",
        "--quiet",
        "--dry-run",
        "--target",
        "build/nowhere",
    ]
    trying += ["--only-binary", ":all:", "--require-hashes", "--no-deps", *files]
    for python in PYTHONS:
        for system in SYSTEMS:
            call([*trying, "--python-version", python, "--python-platform", system])


def call(command: list[str], text: str = "") -> str:
    """What a command of uv prints; one that fails ends the work with its reason."""
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, check=False, cwd=ROOT
    )
    if done.returncode:
        raise Stop(f"uv could not make the lock files:\n{done.stderr.strip()}")
    return done.stdout
