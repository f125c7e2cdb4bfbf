"""Walks the tour and prints what is wrong with the window at each stop.

PYTHONPATH=tests python -m layout_check --size 1366x768 --theme dark --scale 1.3
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from layout_check.walk import faults_at
from ppworkbench.gui.main_window import MainWindow
from ppworkbench.gui.tour import View, take_tour
from ppworkbench.gui.tour_stops import STOPS, Stop


def main() -> int:
    """Look at every stop; the number of faults decides over success."""
    parser = argparse.ArgumentParser(prog="layout_check", description=__doc__)
    parser.add_argument("--size", default="1366x768", help="size of the window")
    parser.add_argument("--theme", default="light", choices=("light", "dark"))
    parser.add_argument("--scale", type=float, default=1.0, help="enlargement of text")
    parser.add_argument("--language", default="en", help="language of the window, such as pl")
    parser.add_argument("--stop", action="append", help="only stops whose name begins so")
    parser.add_argument("--out", type=Path, help="folder for pictures")
    args = parser.parse_args()
    width, height = map(int, args.size.split("x"))
    stops = [s for s in STOPS if not args.stop or s.name.startswith(tuple(args.stop))]
    found: dict[str, list[str]] = {}

    def enlarge(window: MainWindow) -> None:
        window.workbench.themes.zoom(args.scale)

    def look(window: MainWindow, stop: Stop) -> None:
        if stop.arrange is enlarge:
            return
        for fault in faults_at(window):
            found.setdefault(str(fault), []).append(stop.name)

    with tempfile.TemporaryDirectory() as folder:
        view = View(width, height, args.theme)
        walk = [Stop("enlarge", enlarge), *stops]
        take_tour(args.out or Path(folder), [view], walk, visited=look)
    for line, where in found.items():
        shown = ", ".join(where[:3]) + (", …" if len(where) > 3 else "")
        sys.stdout.write(f"[{shown}] {line}\n")
    sys.stdout.write(f"{len(found)} faults at {len(stops)} stops\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
