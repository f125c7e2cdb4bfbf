"""How long the window is deaf with a table of 2,000 columns, and with 200 answers to a question.

Run with ``python tests/benchmarks/heavy_load.py``. Prints for everything that is done the longest
stretch in which the thread of the window worked without listening, in milliseconds of the
processor; the goal is 50, painting apart.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from heartbeat import Heartbeat
from PySide6.QtCore import QEvent, QSettings
from PySide6.QtWidgets import QApplication

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Ordinal, Uniform
from ppworkbench.gui.app import make_application, make_ready, make_window
from ppworkbench.gui.main_window import MainWindow
from ppworkbench.study.study import Study

PAGES = ("data", "design", "explore", "survey", "mine", "classify", "publish")
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

    def __init__(self, app: QApplication, window: MainWindow) -> None:
        self.app, self.window = app, window
        self.found: dict[str, float] = {}

    def settle(self) -> None:
        """Work until nothing is under way any more."""
        quiet = time.monotonic()
        while time.monotonic() - quiet < 0.15:
            self.app.processEvents()
            self.app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            if not self.window.workbench.jobs.is_idle or not self.window.is_prepared:
                quiet = time.monotonic()
            time.sleep(0.001)

    def step(self, name: str, action: Callable[[], object]) -> None:
        """Do something, wait for its end, and print the longest stretch of work."""
        began = time.monotonic()
        with Heartbeat() as heartbeat:
            start = time.thread_time()
            action()
            direct = 1000 * (time.thread_time() - start)
            self.settle()
        self.found[name] = max(direct, heartbeat.largest_work)
        print(
            f"{name:34} {self.found[name]:7.0f} ms at a stretch, {direct:6.0f} at once, "
            f"{time.monotonic() - began:5.1f} s by the clock",
            flush=True,
        )


def walk_wide(load: Load, path: Path) -> None:
    """Open the wide table and look at every page."""
    window = load.window
    load.step("open 2,000 columns", lambda: window.files.open_paths([str(path)]))
    for page in PAGES:
        load.step(f"wide: first {page}", lambda page=page: window.show_page(page))
    for page in PAGES:
        load.step(f"wide: {page} again", lambda page=page: window.show_page(page))
    for page in ("data", "design", "explore", "survey"):
        window.show_page(page)
        load.settle()
        for place in (1_000, 1_001, 1_002, 1_003):
            name = window.store.study.attributes[place].name
            load.step(f"wide: {page} {name}", lambda name=name: window.store.select([name]))
    window.show_page("design")
    window.store.select(["town 1002"])
    load.settle()
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
    window.show_page("design")
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
    app = make_application()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        settings = QSettings(str(place / "s.ini"), QSettings.Format.IniFormat)
        window = make_window(settings, "light", place)
        window.resize(1366, 768)
        window.show()
        load = Load(app, window)
        load.step("get ready", lambda: make_ready(window))
        chosen = sys.argv[1:]
        if not chosen or "many" in chosen:
            walk_many(load)
        if not chosen or "wide" in chosen:
            walk_wide(load, wide_csv(place / "wide.csv"))
        window.store.forget_changes()
        window.close()
    slow = {name: ms for name, ms in load.found.items() if ms > 50}
    print(f"{len(slow)} of {len(load.found)} above 50 ms")


if __name__ == "__main__":
    main()
