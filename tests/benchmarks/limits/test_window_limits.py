"""How long the window, its jobs and its larger parts keep a person waiting."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from patience import PATIENCE, until_stopped
from PySide6.QtWidgets import QApplication
from slowness import Stopwatch, milliseconds_of_work
from studies import make_study

from ppworkbench.gui.jobs import JobState
from ppworkbench.gui.widgets.attribute_box import AttributeBox, AttributeTicks

STEP, PAGE = 100, 400
"""Milliseconds that the window may work at a stretch, painting apart: for a step, and for another
theme or language or a page that is shown for the first time."""


def test_that_a_cancelled_job_stops(workbench, qtbot, within):
    job = workbench.run("long", until_stopped, lambda _: None)
    qtbot.waitUntil(lambda: job.state is JobState.RUNNING)
    watch = Stopwatch()
    job.cancel()
    qtbot.waitUntil(lambda: job.state.is_over)
    within({"cancel": watch.milliseconds}, 500)


def test_that_closing_stops_what_runs(workbench, qtbot, within):
    job = workbench.run("long", until_stopped, lambda _: None)
    qtbot.waitUntil(lambda: job.state is JobState.RUNNING)
    watch = Stopwatch()
    assert workbench.jobs.close()
    within({"close": watch.milliseconds}, 500)


def test_that_the_window_stays_alive_while_jobs_work(workbench, qtbot, max_block):
    def work(progress):
        for step in range(400):
            sum(range(20_000))
            progress(step / 400)

    made = [workbench.run("busy", work, lambda _: None) for _ in range(3)]
    with max_block(STEP) as heartbeat:
        qtbot.waitUntil(lambda: all(job.state.is_over for job in made))
    assert heartbeat.beats > 5


def test_that_the_window_speaks_another_language(window, open_city, wait_idle, max_block):
    window.show_page("design")
    wait_idle()
    with max_block(PAGE):
        window.speak("pl")
    wait_idle()


def test_that_the_palette_opens(window, within):
    window.store.open(make_study())
    palette = window.menus

    def open_palette() -> None:
        palette.actions["palette"].trigger()
        QApplication.processEvents()

    work = []
    for _ in range(3):
        work.append(milliseconds_of_work(open_palette))
        palette.palette.close()
        QApplication.processEvents()
    within({"open": min(work)}, 50)


def test_that_the_gallery_is_shown(window, max_block):
    window.show_page("learn")
    with max_block(PAGE):
        window.show_page("learn/gallery")
        for _ in range(5):
            QApplication.processEvents()


def test_that_thousands_of_attributes_are_offered(qtbot, workbench, max_block):
    box = AttributeBox(workbench.themes, "box", "Attribute")
    qtbot.addWidget(box)
    box.show()
    offered = [(f"question {i}", "nominal", f"Question {i}?", "") for i in range(5_000)]
    with max_block(STEP):
        box.offer(offered, "question 4000")


def test_that_thousands_of_ticks_are_shown(qtbot, workbench, max_block):
    splits = AttributeTicks(workbench.themes, "splits", "Split by", rows=7)
    qtbot.addWidget(splits)
    splits.show()
    features = [(f"question {i}", "nominal", "", f"Title {i}") for i in range(5_000)]
    with max_block(STEP):
        splits.show_attributes(features, {name for name, *_ in features} - {"question 7"})


LOADING = """
import sys, time
from pathlib import Path
from PySide6.QtCore import QSettings, QTimer
from ppworkbench.gui.app import make_ready, make_window
from ppworkbench.gui.application import make_application
app = make_application()
folder = Path(sys.argv[1])
window = make_window(QSettings(str(folder / "s.ini"), QSettings.Format.IniFormat), None, folder)
window.show()
make_ready(window)
ready = window.workbench.jobs.start("Ready", lambda progress: None)
ready.ended.connect(lambda: QTimer.singleShot(500, lambda: (window.close(), app.quit())))
longest, at = 0.0, time.thread_time()
def beat():
    global longest, at
    longest, at = max(longest, time.thread_time() - at), time.thread_time()
clock = QTimer(); clock.timeout.connect(beat); clock.start(0)
app.exec()
print(1000 * longest)
"""


def test_that_the_program_is_loaded_in_short_parts(tmp_path, within):
    done = subprocess.run(
        [sys.executable, "-c", LOADING, str(tmp_path)],
        capture_output=True, text=True, check=True, timeout=PATIENCE,
    )  # fmt: skip
    # Pandas and pyqtgraph take a third of a second each and cannot be cut.
    within({"longest stretch": float(done.stdout)}, 600)


least: dict[tuple[str, str], float] = {}
"""The least work that a step has taken so far, in whichever try."""


@pytest.mark.parametrize(
    "word",
    [
        pytest.param("first", id="pages seen for the first time"),
        pytest.param("again", id="pages seen before"),
        pytest.param("changes", id="another theme, larger type, a demonstration"),
    ],
)
def test_that_the_window_is_not_deaf_with_a_hundred_thousand_rows(home, tmp_path, within, word):
    program = Path(__file__).with_name("watch.py")
    done = subprocess.run(
        [sys.executable, str(program), str(tmp_path), word],
        env=home, capture_output=True, text=True, check=True, timeout=2 * PATIENCE,
    )  # fmt: skip
    watched = json.loads(done.stdout.splitlines()[-1])
    assert watched["platform"] == "xcb"
    for name, step in watched["steps"].items():
        least[word, name] = min(round(step["work"]), least.get((word, name), math.inf))
    work = {name: least[word, name] for name in watched["steps"]}
    within(work, STEP if word == "again" else PAGE)
