"""Make a bundle that runs without Python: python3 packaging/build_bundle.py [--out FOLDER].

It makes an environment of its own from the lock files, draws the icons, runs PyInstaller with
ppworkbench.spec and adds the licences of what is in the bundle. Tested on Linux only, where
packaging/build_linux.py goes on to a Debian package.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import versions

ROOT = Path(__file__).resolve().parents[1]
SPEC = ROOT / "packaging" / "ppworkbench.spec"
# Libraries of requirements.lock that install a checkout and are not in the bundle; nor is pip.
NOT_BUNDLED = {
    "hatchling",
    "pathspec",
    "pip",
    "pluggy",
    "tomlkit",
    "trove-classifiers",
}

STRIPPED = (
    "_internal/libpython3*.so.*",
    "_internal/python3*/lib-dynload/*.so",
    "_internal/llvmlite/binding/*.so",
)


def main() -> int:
    """Build into the folder that was asked for."""
    folder: Path = options(__doc__ or "").parse_args().out.resolve()
    print(f"The bundle is in {build(folder)}")
    return 0


def options(description: str) -> argparse.ArgumentParser:
    """What can be asked for: the folder for everything that is built."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "installers", metavar="FOLDER")
    return parser


def build(out: Path) -> Path:
    """Make the bundle and return its folder."""
    python = make_environment(out / "environment")
    icons = out / "icons"
    # The pictures are drawn by Qt, which is in the environment and perhaps not here.
    offscreen = dict(os.environ, QT_QPA_PLATFORM="offscreen")
    run([python, str(ROOT / "packaging" / "draw_icons.py"), str(icons)], offscreen)
    places = ["--distpath", str(out / "dist"), "--workpath", str(out / "work")]
    quiet = ["--noconfirm", "--clean", "--log-level", "WARN"]
    # Found by another checkout's name on the path, its files would be mixed with these.
    environment = dict(os.environ, PPWORKBENCH_ICONS=str(icons), PYTHONDONTWRITEBYTECODE="1")
    environment.pop("PYTHONPATH", None)
    run([python, "-m", "PyInstaller", *quiet, *places, str(SPEC)], environment)
    bundle = out / "dist" / "ppworkbench"
    if sys.platform.startswith("linux"):
        strip(bundle)
    _, tools = versions.lock_files(["build"])
    left_out = sorted({*NOT_BUNDLED, *versions.locked_names(tools)})
    licences = str(bundle / "licences")
    run([python, str(ROOT / "packaging" / "licences.py"), licences, *left_out])
    shutil.copy(ROOT / "LICENSE", bundle / "licences" / "ppworkbench.txt")
    return bundle


def strip(bundle: Path) -> None:
    """Drop the symbols for debuggers from the largest libraries that have any.

    Not from those that came patched in wheels: some do not stand it.
    """
    libraries = [path for pattern in STRIPPED for path in bundle.glob(pattern)]
    if shutil.which("strip") and libraries:
        run(["strip", "--strip-unneeded", *map(str, libraries)])


def make_environment(folder: Path) -> str:
    """An environment with what the program needs and PyInstaller; its Python."""
    wanted = versions.what_to_install("locked", ["build"])
    locks = [file.read_text(encoding="utf-8") for file in versions.lock_files(["build"])]
    stamp = folder / "made-for.json"
    made_for = hashlib.sha256(json.dumps([locks, sys.version]).encode()).hexdigest()
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if stamp.exists() and stamp.read_text() == made_for:
        return str(python)
    run([sys.executable, "-m", "venv", "--clear", str(folder)])
    run([str(python), "-m", "pip", "install", "--quiet", *wanted])
    stamp.write_text(made_for)
    return str(python)


def run(command: list[str], environment: dict[str, str] | None = None) -> None:
    """Run a step; one that fails ends the build."""
    print("+ " + " ".join(command[:8]) + (" ..." if len(command) > 8 else ""), flush=True)
    done = subprocess.run(command, env=environment, cwd=ROOT, check=False)
    if done.returncode:
        sys.exit(f"build: this step failed with status {done.returncode}: {command[:4]}")


if __name__ == "__main__":
    sys.exit(main())
