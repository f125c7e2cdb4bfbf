"""Where a bundled program starts: as the workbench, or as one of its own helper processes.

Outside a bundle such processes are started with the interpreter. A bundle has none, so they are
started with the program itself, which finds out here what it was started for. Only the three
commands that are named here are understood; nothing is run that stands on the command line.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

READER = "--read-statistics-file"
READER_FILE = "ppworkbench/core/data/formats/readstat_process.py"
WORKER = "joblib.externals.loky.backend.popen_loky_posix"
TRACKER = re.compile(
    r"from joblib\.externals\.loky\.backend\.resource_tracker import main; ?"
    r"main\((\d+), (True|False|0|1)\)"
)


def main() -> int:
    """Do what the program was started for and return the exit status."""
    leave_the_system_its_libraries()
    # Windows starts the processes of an experiment this way.
    multiprocessing.freeze_support()
    if helped(sys.argv):
        return 0
    from ppworkbench.__main__ import main as start

    return start()


def leave_the_system_its_libraries() -> None:
    """Undo what the bundle's start set, so that a browser or viewer gets its own libraries.

    The loader of this process has read the variable already; the bundle's own processes set it
    again when they start.
    """
    if not hasattr(sys, "_MEIPASS"):
        return
    for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
        before = os.environ.pop(f"{name}_ORIG", None)
        os.environ.pop(name, None)
        if before is not None:
            os.environ[name] = before


def helped(arguments: Sequence[str]) -> bool:
    """Act as a helper process where these arguments ask for one; False where they do not."""
    words = list(arguments[1:])
    if words[:1] == [READER] and len(words) == 2:
        sys.argv = [arguments[0], words[1]]
        runpy.run_path(str(shipped_folder() / READER_FILE), run_name="__main__")
        return True
    if words[:2] == ["-m", WORKER]:
        sys.argv = [arguments[0], *words[2:]]
        runpy.run_module(WORKER, run_name="__main__")
        return True
    # Flags of the interpreter may stand before -c.
    asked = TRACKER.fullmatch(words[-1]) if words[-2:-1] == ["-c"] else None
    if asked is None:
        return False
    from joblib.externals.loky.backend.resource_tracker import main as track

    track(int(asked[1]), asked[2] in {"True", "1"})
    return True


def shipped_folder() -> Path:
    """Where the bundle keeps its files; in a checkout, the checkout."""
    return Path(getattr(sys, "_MEIPASS", Path(__file__).resolve().parents[1]))


if __name__ == "__main__":
    sys.exit(main())
