"""Walks through the window and prints what is wrong with it.

PYTHONPATH=tests python -m layout_check --size 1366x768 --theme dark --scale 1.3 --language pl
PYTHONPATH=tests python -m layout_check --shortened --language pl
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from layout_check.fault import Fault
from layout_check.walk import Walk, find_shortened, take_walk
from ppworkbench.gui.application import make_application
from ppworkbench.gui.tour import View
from ppworkbench.gui.tour.stops import STOPS

SIZES = ((1100, 700), (1366, 768), (1920, 1080))
"""The smallest window, a small screen, a usual one."""


def main() -> int:
    """Look at every stop; faults decide over success."""
    args = _parser().parse_args()
    stops = [s for s in STOPS if not args.stop or s.name.startswith(tuple(args.stop))]
    if args.out is not None:
        args.out.mkdir(parents=True, exist_ok=True)
    view = View(*_size(args.size), args.theme, args.language)
    if args.shortened:
        scales = tuple(map(float, args.scales.split(",")))
        return _tell_shortened(find_shortened(make_application(), view, stops, SIZES, scales))
    walk = take_walk(
        make_application(), view, stops, scale=args.scale, dark_too=args.dark_too,
        larger=_size(args.larger) if args.larger else None, pictures=args.out,
    )  # fmt: skip
    if args.json:
        sys.stdout.write(json.dumps(dataclasses.asdict(walk)) + "\n")
        return 0
    return _tell(walk)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="layout_check", description=__doc__)
    parser.add_argument("--size", default="1366x768", help="size of the window")
    parser.add_argument("--larger", default="", help="look at every stop at this size, too")
    parser.add_argument("--theme", default="light", choices=("light", "dark"))
    parser.add_argument("--dark-too", action="store_true", help="look at pages in both colours")
    parser.add_argument("--scale", type=float, default=1.0, help="enlargement of text")
    parser.add_argument("--language", default="en", help="language of the window, such as pl")
    parser.add_argument("--stop", action="append", help="only stops whose name begins so")
    parser.add_argument("--out", type=Path, help="folder for pictures")
    parser.add_argument("--shortened", action="store_true", help="only look for cut headings")
    parser.add_argument("--scales", default="1,1.5,2", help="enlargements for --shortened")
    parser.add_argument("--json", action="store_true", help="all that was seen, as JSON")
    return parser


def _size(text: str) -> tuple[int, int]:
    width, height = map(int, text.split("x"))
    return width, height


def _tell(walk: Walk) -> int:
    found: dict[str, list[str]] = {}
    for seen in (walk.faults, walk.unreached, walk.dark, walk.figures):
        for stop, faults in seen.items():
            for fault in faults:
                found.setdefault(fault, []).append(stop)
    for fault, stops in found.items():
        shown = ", ".join(stops[:3]) + (", …" if len(stops) > 3 else "")
        sys.stdout.write(f"[{shown}] {fault}\n")
    sys.stdout.write(f"{len(found)} faults at {len(walk.sizes)} stops\n")
    return 1 if found else 0


def _tell_shortened(found: Iterable[tuple[str, Fault]]) -> int:
    texts = set()
    for place, fault in found:
        texts.add((fault.path, fault.text))
        sys.stdout.write(f"[{place}] {fault}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{len(texts)} shortened texts\n")
    return 1 if texts else 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # Nobody waits for the widgets of a walk to be taken apart one by one.
    os._exit(code)
