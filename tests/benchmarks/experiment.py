"""Three classifiers, ten folds, ten repeats on 1,000 x 20, run from the page: seconds and stalls.

    python tests/benchmarks/experiment.py

Goal: at most two minutes on two cores, with no stall of the window above 50 ms.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parent / "limits"))

import numpy as np
from heartbeat import Heartbeat
from PySide6.QtCore import QSettings

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.gui.application import make_application
from ppworkbench.gui.pages.classify import ClassifyPage
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import Study

ROWS, NUMBERS, VALUES = 1_000, 10, 9
CLASSIFIERS = {"tree", "naive-bayes", "eager-ep"}


def make_table() -> Table:
    """Ten numbers, nine attributes of five values and a class that follows from some of them."""
    source = np.random.default_rng(1)
    numbers = source.normal(size=(ROWS, NUMBERS)).clip(-4, 4)
    values = source.integers(0, 5, (ROWS, VALUES))
    score = numbers[:, 0] + numbers[:, 1] * (values[:, 0] > 2) + source.normal(size=ROWS)
    columns = [
        Column(Attribute(f"n{i}", Kind.CONTINUOUS, domain=(-4, 4)), numbers[:, i])
        for i in range(NUMBERS)
    ]
    columns += [
        Column(Attribute(f"v{i}", Kind.NOMINAL, tuple("abcde")), values[:, i])
        for i in range(VALUES)
    ]
    columns.append(Column(Attribute("class", Kind.BINARY, ("no", "yes")), (score > 0).astype(int)))
    return Table(tuple(columns), "class")


def main() -> None:
    """Run the comparison in the page and tell how long it took."""
    app = make_application([])
    themes = ThemeManager("light")
    themes.apply()
    with tempfile.TemporaryDirectory() as folder:
        settings = QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat)
        workbench = Workbench(settings, themes, Path(folder))
        workbench.store.open(Study.of_table(make_table(), "benchmark"))
        page = ClassifyPage(workbench)
        page.resize(1280, 640)
        page.show()
        page.shown()
        app.processEvents()
        page.choose(
            page.choices.with_(
                folds=10, repeats=10, sweeps=False,
                ticked=frozenset(CLASSIFIERS), references=frozenset(),
            )
        )  # fmt: skip
        page.refresh()
        app.processEvents()
        with Heartbeat() as heartbeat:
            start = time.perf_counter()
            page.run()
            while page.runs.state != "idle":
                app.processEvents()
                time.sleep(0.002)
            seconds = time.perf_counter() - start
        run = page.runs.current
        assert run is not None
        assert run.is_complete
        print(f"{run.done} trainings of {sorted(CLASSIFIERS)} on {ROWS} x {NUMBERS + VALUES + 1}")
        print(
            f"seconds: {seconds:.1f} (goal 120), processors: {os.cpu_count()}, others' load: "
            f"{os.getloadavg()[0]:.1f}"
        )
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"processor seconds of the processes: {used.ru_utime + used.ru_stime:.1f}")
        print(f"largest stall of the window: {heartbeat.largest_work:.0f} ms of its own work")
        for row in page.view.rows:
            print(f"  {row.name:<16} {row.mean:.3f} ± {row.sd:.3f}, {row.seconds:.2f} s a training")
        workbench.jobs.close()


if __name__ == "__main__":
    main()
