"""How many frames a second the Design page reaches while a slider is dragged.

Run with ``python tests/benchmarks/live_readouts.py``. Four counts for an attribute of ten values:

- a full frame of numbers: all closed forms, 200 surveys simulated on counts, and the bars of the
  preview painted. Goal: 120 a second.
- everything on the page: also the matrix, the picture of the neighbours, all cards and sentences
  worked out anew and painted. Goal: 60 a second, so that no move takes longer than a screen shows.

- the trade-off alone: the place of the dot, its callout and the chart painted. Goal: 8 ms.
- the share of non-compliance dragged: everything on the page, with the curve of the mechanism
  worked out anew for every share. Goal: 100 ms.

Times are those of the processor, because other programs have no share in them; the frames that the
clock saw stand beside them.
"""

from __future__ import annotations

import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ["QT_QPA_PLATFORM"] = "offscreen"
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
import PySide6
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Ordinal, Uniform
from ppworkbench.core.design.matrices import MatrixPerturbation
from ppworkbench.core.privacy.assess import assess_attribute
from ppworkbench.core.reconstruct.simulate import simulate
from ppworkbench.gui.app import make_window
from ppworkbench.gui.application import make_application
from ppworkbench.gui.charts.histogram import HistogramPlot
from ppworkbench.gui.pages.design.view_card.preview import expected_histogram
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.study.study import Study

K, ROWS, RUNS = 10, 5_000, 200
FRAMES = 300
GOAL_OF_NUMBERS, GOAL_OF_PAGE = 120, 60
GOAL_OF_TRADE = 8
GOAL_OF_SHARE = 100
PARTS = ("readouts", "simulation", "paint")


def study() -> Study:
    """A survey of ten-point scales."""
    source = np.random.default_rng(1)
    values = tuple(str(value + 1) for value in range(K))
    columns = tuple(
        Column(Attribute(f"question {i}", Kind.ORDINAL, values), source.binomial(K - 1, 0.4, ROWS))
        for i in range(12)
    )
    return Study.of_table(Table(columns), "ten points")


class Drag:
    """Moves a slider and takes the time of every part."""

    def __init__(self, app: QApplication, window: MainWindow) -> None:
        self.app, self.window = app, window
        self.parts: dict[str, list[float]] = {}
        self.clock: list[float] = []

    def move(self, perturbation: MatrixPerturbation, gesture: str) -> None:
        """One frame."""
        store = self.window.store
        name = store.current or ""
        began, times = time.perf_counter(), [time.thread_time()]
        store.set_perturbation([name], perturbation, gesture)
        times.append(time.thread_time())
        prior = store.study.prior(name).probabilities
        simulate(perturbation.matrix(K), prior, ROWS, runs=RUNS, algorithm="eq", seed=1)
        times.append(time.thread_time())
        self.app.processEvents()
        times.append(time.thread_time())
        self.clock.append(time.perf_counter() - began)
        for part, spent in zip(PARTS, np.diff(times).tolist(), strict=True):
            self.parts.setdefault(part, []).append(spent)


def measure(drag: Drag, name: str, make: Callable[[float], MatrixPerturbation]) -> None:
    """Drag for a while and print a line."""
    drag.parts, drag.clock = {}, []
    gesture = drag.window.store.new_gesture("drag")
    for frame in range(FRAMES):
        drag.move(make(0.4 + 0.4 * frame / FRAMES), gesture)
    middle = {part: statistics.median(times[20:]) for part, times in drag.parts.items()}
    rate = 1 / sum(middle.values())
    shown = "   ".join(f"{part} {1e3 * spent:5.2f}" for part, spent in middle.items())
    report_numbers(drag, name, make)
    verdict = "met" if rate >= GOAL_OF_PAGE else "MISSED"
    print(f"{'':16} {rate:5.0f} frames/s of the page, goal {GOAL_OF_PAGE} {verdict}; ms: {shown}")
    print(f"{'':16} {1 / statistics.median(drag.clock[20:]):5.0f} frames/s by the clock")
    report_trade_off(drag, make)


def report_numbers(drag: Drag, name: str, make: Callable[[float], MatrixPerturbation]) -> None:
    """Time the closed forms, the simulation and the bars alone, and print a line."""
    study_, attribute = drag.window.store.study, drag.window.store.current or ""
    prior = study_.prior(attribute)
    plot = drag.window.findChild(HistogramPlot, "preview")
    page = drag.window.page("design")
    # Nothing is painted of a view behind another.
    page.views_card.choose("shares")
    drag.app.processEvents()
    spent: list[list[float]] = []
    for frame in range(FRAMES):
        perturbation = make(0.4 + 0.4 * frame / FRAMES)
        times = [time.thread_time()]
        report = assess_attribute((study_.attribute(attribute), perturbation), prior, ROWS)
        times.append(time.thread_time())
        simulate(
            perturbation.matrix(K), prior.probabilities, ROWS, runs=RUNS, algorithm="eq", seed=1
        )
        times.append(time.thread_time())
        plot.show_histogram(expected_histogram(report, attribute, {}))
        plot.viewport().repaint()
        times.append(time.thread_time())
        spent.append(np.diff(times).tolist())
    page.views_card.choose("trade")
    drag.app.processEvents()
    middle = [statistics.median(column) for column in zip(*spent[20:], strict=True)]
    rate = 1 / sum(middle)
    parts = zip(("closed forms", "simulation", "bars"), middle, strict=True)
    shown = "   ".join(f"{part} {1e3 * value:5.2f}" for part, value in parts)
    verdict = "met" if rate >= GOAL_OF_NUMBERS else "MISSED"
    print(f"{name:16} {rate:5.0f} full frames/s, goal {GOAL_OF_NUMBERS} {verdict}; ms: {shown}")


def report_trade_off(drag: Drag, make: Callable[[float], MatrixPerturbation]) -> None:
    """Time the trade-off view alone while the dot moves, and print a line."""
    study_, name = drag.window.store.study, drag.window.store.current or ""
    page, prior = drag.window.page("design"), study_.prior(name)
    spent = []
    for frame in range(FRAMES):
        asked = study_.attribute(name), make(0.4 + 0.4 * frame / FRAMES)
        report = assess_attribute(asked, prior, study_.settings.respondents)
        began = time.thread_time()
        view = replace(page.view, report=report)
        page.trade.set_view(replace(view, trade=page.search.find(view, is_shown=True)))
        page.trade.chart.repaint()
        spent.append(time.thread_time() - began)
    middle = 1e3 * statistics.median(spent[20:])
    verdict = "met" if middle <= GOAL_OF_TRADE else "MISSED"
    print(f"{'':16} {middle:5.2f} ms for the trade-off, goal {GOAL_OF_TRADE} {verdict}")


def report_noncompliance(drag: Drag) -> None:
    """Time frames while the share of non-compliance is dragged, and print a line."""
    store, gesture = drag.window.store, drag.window.store.new_gesture("share")
    store.set_settings(noncompliance_manner="safe")
    spent, clock = [], []
    for frame in range(FRAMES // 3):
        began, start = time.perf_counter(), time.thread_time()
        store.set_settings(gesture, noncompliance=0.005 * (1 + frame % 90))
        drag.app.processEvents()
        spent.append(time.thread_time() - start)
        clock.append(time.perf_counter() - began)
    store.set_settings(noncompliance=0.0)
    middle = 1e3 * statistics.median(spent[20:])
    verdict = "met" if middle <= GOAL_OF_SHARE else "MISSED"
    print(
        f"{'non-compliance':16} {middle:5.2f} ms a frame, goal {GOAL_OF_SHARE} {verdict}; "
        f"{1e3 * statistics.median(clock[20:]):.2f} ms by the clock"
    )


def main() -> None:
    """Print a line per mechanism."""
    app = make_application()
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    print(
        f"Python {platform.python_version()}, PySide6 {PySide6.__version__}, "
        f"numpy {np.__version__}, load {load} on {os.cpu_count()} cores; medians"
    )
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        settings = QSettings(str(place / "s.ini"), QSettings.Format.IniFormat)
        window = make_window(settings, "light", place)
        window.resize(1366, 768)
        window.show()
        window.store.open(study())
        window.show_page("design")
        for _ in range(50):
            app.processEvents()
            time.sleep(0.01)
        drag = Drag(app, window)
        measure(drag, "uniform, k = 10", lambda keep: Uniform(keep=keep))
        measure(drag, "ordinal, k = 10", lambda keep: Ordinal(weights=(keep, 0.1)))
        report_noncompliance(drag)
        window.store.forget_changes()
        window.close()


if __name__ == "__main__":
    main()
