"""Reports of progress, and the stop that they carry back."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from patience import PATIENCE

from ppworkbench.core.progress import Cancelled, StoppableProgress, part, silent


def test_that_silent_progress_says_nothing_and_never_stops():
    assert silent(0.5, "half") is None


@given(st.lists(st.floats(0, 1.5)))
def test_that_reports_never_fall_and_end_at_one(shares):
    seen = []
    progress = StoppableProgress(lambda done, message: seen.append(done))
    for share in shares:
        progress(share)
    assert seen == sorted(seen)
    assert all(0 <= done <= 1 for done in seen)
    assert len(seen) == len(shares)


def test_that_the_message_is_passed_on():
    seen = []
    StoppableProgress(lambda done, message: seen.append((done, message)))(0.5, "reading")
    assert seen == [(0.5, "reading")]


def test_that_progress_without_a_listener_can_be_stopped_too():
    progress = StoppableProgress()
    progress(0.1)
    assert not progress.stopped
    progress.stop()
    assert progress.stopped
    with pytest.raises(Cancelled):
        progress(0.2)


def test_that_a_stopped_report_reaches_nobody():
    seen = []
    progress = StoppableProgress(lambda done, message: seen.append(done))
    progress.stop()
    with pytest.raises(Cancelled):
        progress(0.2)
    assert seen == []


def test_that_another_thread_can_stop_the_work():
    progress = StoppableProgress()
    began = threading.Event()
    ended = []

    def work():
        try:
            while True:
                progress(0.0)
                began.set()
        except Cancelled:
            ended.append("cancelled")

    worker = threading.Thread(target=work)
    worker.start()
    assert began.wait(PATIENCE)
    progress.stop()
    worker.join(PATIENCE)
    assert ended == ["cancelled"]


def test_that_parts_of_the_work_add_up_to_the_whole():
    seen = []

    def progress(done, message=""):
        seen.append((done, message))

    first, second = part(progress, 0.0, 0.25), part(progress, 0.25, 1.0)
    first(0.0, "read")
    first(1.0, "read")
    second(1 / 3, "count")
    part(second, 0.5, 1.0)(1.0, "write")
    assert seen == [(0.0, "read"), (0.25, "read"), (0.5, "count"), (1.0, "write")]
