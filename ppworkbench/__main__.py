"""Start the workbench: with a command the command line, else the window, with files if given."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path

WINDOW = "ppworkbench.gui.app"


def main(argv: Sequence[str] | None = None) -> int:
    """Run what was asked for and return the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _use_one_thread_for_algebra()
    missing = _missing(arguments)
    if arguments and not missing and not are_files(arguments):
        # Imported here so that the window does not wait for the command line, nor it for Qt.
        try:
            from ppworkbench.cli.main import main as run_command

            return run_command(arguments)
        except KeyboardInterrupt:
            # Before the command had begun.
            return 130
    obstacle = missing or _obstacle()
    if obstacle:
        print(f"ppworkbench: {obstacle}", file=sys.stderr)  # noqa: T201
        return 2
    return int(importlib.import_module(WINDOW).run(arguments))


def are_files(arguments: Sequence[str]) -> bool:
    """Whether these are files to open, as a file manager passes them; no command has a dot.

    A folder of parts is opened as well, beside its design if that is given.
    """
    return all(_is_file(name) or _is_folder_of_parts(name) for name in arguments)


def _missing(arguments: Sequence[str]) -> str:
    """Which of the files to open is not there, in a sentence; empty where it is a command."""
    first = arguments[0] if arguments else "-"
    if first.startswith("-") or "://" in first or not Path(first).suffix:
        return ""
    for name in arguments:
        # Path.exists() raises where a name is too long.
        if not os.path.exists(name):  # noqa: PTH110
            path = Path(name)
            return f"There is no file {path.name[:80]} in {path.absolute().parent}."
    return ""


def _is_file(name: str) -> bool:
    return "." in Path(name).name and Path(name).is_file()


def _is_folder_of_parts(name: str) -> bool:
    # A command that is no folder shall not wait for the libraries of tables.
    if "://" not in name and not Path(name).is_dir():
        return False
    from ppworkbench.core.data.parts import has_parts

    return has_parts(name)


def _use_one_thread_for_algebra() -> None:
    """Matrices here are small: a second thread of BLAS only waits for the first.

    BLAS reads this when numpy is imported, so it has to be said before.
    """
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        os.environ.setdefault(name, "1")


def _obstacle() -> str:
    """Why the window cannot open, in a sentence; empty when it can."""
    if importlib.util.find_spec("PySide6") is None:
        return "The window needs PySide6, which is not installed; see ppworkbench --help."
    if not has_display():
        return (
            "There is no display for the window; see ppworkbench --help, or take "
            "pictures of it with ppworkbench tour --out DIR."
        )
    return ""


def has_display() -> bool:
    """Whether the system has somewhere to show a window."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


if __name__ == "__main__":
    sys.exit(main())
