"""How long the window is deaf with a table of 2,000 columns, and with 200 answers to a question.

    python tests/benchmarks/heavy_load.py [many] [wide] [--frames 6] [--above 30]

Prints for everything that is done the longest stretch of work in which nothing that a person does
would be noticed, in milliseconds of processor time without painting, painting in the same stretch,
and the lines of the program that it went into; the goal is 50, painting apart.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent / "limits"))

import numpy as np
from observed import Observed

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Ordinal, Uniform
from ppworkbench.study.study import Study

PAGES = ("data", "design", "collect", "explore", "survey", "mine", "classify", "publish")
COLUMNS, ROWS, ANSWERS = 2_000, 500, 200


def wide_csv(path: Path) -> Path:
    """Two thousand questions of all kinds."""
    source = np.random.default_rng(1)
    columns = {}
    for i in range(COLUMNS):
        if i % 4 == 0:
            columns[f"age {i}"] = source.integers(18, 90, ROWS).astype(str)
        elif i % 4 == 1:
            columns[f"likes {i}"] = np.array(["yes", "no"])[source.integers(0, 2, ROWS)]
        elif i % 4 == 2:
            columns[f"town {i}"] = np.array(["A", "B", "C"])[source.integers(0, 3, ROWS)]
        else:
            columns[f"income {i}"] = np.round(source.random(ROWS) * 1_000, 2).astype(str)
    lines = [",".join(columns), *(",".join(row) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def many_answers() -> Study:
    """A question with two hundred answers in order, and one without an order."""
    source = np.random.default_rng(1)
    values = tuple(f"{value + 1}" for value in range(ANSWERS))
    towns = tuple(f"town {value + 1}" for value in range(ANSWERS))
    columns = (
        Column(Attribute("score", Kind.ORDINAL, values), source.integers(0, ANSWERS, 5_000)),
        Column(Attribute("town", Kind.NOMINAL, towns), source.integers(0, ANSWERS, 5_000)),
        Column(Attribute("sex", Kind.BINARY, ("F", "M")), source.integers(0, 2, 5_000)),
    )
    return Study.of_table(Table(columns), "many answers")


class Load:
    """A window and what it takes."""

    def __init__(self, folder: Path, frames: int, above: float) -> None:
        self.seen = Observed(folder, stacks=frames > 0)
        self.window = self.seen.window
        self._frames, self._above = frames, above
        self.found: dict[str, float] = {}

    def step(self, name: str, action: Callable[[], object]) -> None:
        """Do something, wait for its end, and print the longest stretch of work."""
        self.seen.step(name, action)
        stretch = self.seen.steps[name]
        self.found[name] = stretch.work
        print(f"{name:34} {stretch.work:5.0f} ms of work, {stretch.painting:4.0f} of painting")
        if stretch.work >= self._above:
            for spent, where in stretch.frames(self._frames, 5):
                print(f"{'':16}{spent:5.0f}  {where}")
        sys.stdout.flush()


def walk_wide(load: Load, path: Path) -> None:
    """Open the wide table and look at every page."""
    window = load.window
    # Nobody is there to say whether what was done before is to be saved.
    window.store.forget_changes()
    load.step("open 2,000 columns", lambda: window.files.open_paths([str(path)]))
    for page in PAGES:
        load.step(f"wide: first {page}", lambda page=page: window.show_page(page))
    for page in PAGES:
        load.step(f"wide: {page} again", lambda page=page: window.show_page(page))
    for page in ("data", "design", "explore", "survey"):
        load.step(f"wide: to {page}", lambda page=page: window.show_page(page))
        for place in (1_000, 1_001, 1_002, 1_003):
            name = window.store.study.attributes[place].name
            load.step(f"wide: {page} {name}", lambda name=name: window.store.select([name]))
    load.step("wide: to design again", lambda: window.show_page("design"))
    load.step("wide: one town", lambda: window.store.select(["town 1002"]))
    gesture = window.store.new_gesture("drag")
    for keep in (0.5, 0.55, 0.6):
        load.step(
            f"wide: drag to {keep}",
            lambda keep=keep: window.store.set_perturbation(
                ["town 1002"], Uniform(keep=keep), gesture
            ),
        )
    load.step("wide: undo", window.store.undo_stack.undo)
    target = path.with_suffix(".ppw")
    window.store.mark_saved(target, window.store.study)
    load.step("wide: save", window.files.save)


def walk_many(load: Load) -> None:
    """Design with two hundred answers."""
    window = load.window
    load.step("open 200 answers", lambda: window.store.open(many_answers()))
    for page in PAGES:
        load.step(f"200: {page}", lambda page=page: window.show_page(page))
    load.step("200: to design", lambda: window.show_page("design"))
    for name in ("town", "score"):
        load.step(f"200: select {name}", lambda name=name: window.store.select([name]))
        gesture = window.store.new_gesture("drag")
        for place, keep in enumerate((0.5, 0.52, 0.54, 0.56)):
            changed = Uniform(keep=keep) if name == "town" else Ordinal(weights=(keep, 0.1))
            load.step(
                f"200: drag {name} {place}",
                lambda name=name, c=changed, g=gesture: window.store.set_perturbation([name], c, g),
            )
        grid = window.pages["design"].matrix.grid
        load.step(f"200: edit a cell of {name}", lambda grid=grid: grid.cell_edited.emit(3, 2, 0.2))
        load.step(f"200: lock a cell of {name}", lambda grid=grid: grid.lock_toggled.emit(3, 2))
    load.step("200: undo", window.store.undo_stack.undo)


def main() -> None:
    """Print a line for everything."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("parts", nargs="*", choices=["many", "wide", []])
    reader.add_argument("--frames", type=int, default=0, help="lines where the time went")
    reader.add_argument("--above", type=float, default=30.0, help="milliseconds worth their lines")
    words = reader.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        load = Load(place, words.frames, words.above)
        from ppworkbench.gui.app import make_ready

        load.seen.step("get ready", lambda: make_ready(load.window))
        if not words.parts or "many" in words.parts:
            walk_many(load)
        if not words.parts or "wide" in words.parts:
            walk_wide(load, wide_csv(place / "wide.csv"))
        load.seen.end()
    slow = {name: ms for name, ms in load.found.items() if ms > 50}
    print(f"{len(slow)} of {len(load.found)} above 50 ms")


if __name__ == "__main__":
    main()
