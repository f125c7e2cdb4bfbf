"""Jobs: the latest wins, nothing stale arrives, a stop takes effect, no thread is left."""

from __future__ import annotations

import gc
import threading
import time
import weakref

import pytest
from patience import PATIENCE, until_stopped
from PySide6.QtCore import QSizeF, Qt, QTimer
from PySide6.QtGui import QTextDocument

from ppworkbench.core.errors import DataError
from ppworkbench.gui.jobs import _WORKERS, JobRunner, JobState


@pytest.fixture
def jobs(workbench) -> JobRunner:
    return workbench.jobs


def job_threads() -> int:
    return sum(thread.name.startswith("job thread") for thread in threading.enumerate())


def test_that_a_result_arrives_in_the_thread_of_the_window(workbench, qtbot):
    seen = []

    def work(progress):
        return threading.current_thread()

    job = workbench.run(
        "one", work, lambda result: seen.append((result, threading.current_thread()))
    )
    assert seen == []
    qtbot.waitUntil(lambda: bool(seen))
    [(worker, receiver)] = seen
    assert worker is not threading.main_thread()
    assert receiver is threading.main_thread()
    assert job.state is JobState.DONE
    assert job.done == 1.0


def test_that_others_have_their_turn_between_two_results(workbench, qtbot):
    seen, ended = [], threading.Barrier(3)

    def work(progress):
        ended.wait(PATIENCE)

    def done(_):
        seen.append("result")
        QTimer.singleShot(0, workbench, lambda: seen.append("turn"))

    for name in ("one", "two"):
        workbench.run(name, work, done)
    ended.wait(PATIENCE)
    # Nothing is shown meanwhile, so that both of them wait.
    time.sleep(0.05)
    qtbot.waitUntil(lambda: len(seen) == 4)
    assert seen == ["result", "turn"] * 2


def test_that_the_latest_job_of_a_key_wins_and_the_former_never_lands(workbench, qtbot):
    landed = []
    gate = threading.Event()

    def slow(progress):
        gate.wait(PATIENCE)
        return "stale"

    first = workbench.run("first", slow, landed.append, key="live")
    second = workbench.run("second", lambda progress: "fresh", landed.append, key="live")
    qtbot.waitUntil(lambda: second.state.is_over)
    gate.set()
    qtbot.waitUntil(lambda: first.state.is_over)
    assert landed == ["fresh"]
    assert first.state is JobState.CANCELLED


def test_that_a_result_which_waits_for_the_window_is_dropped_when_it_is_overtaken(workbench, qtbot):
    landed = []
    posted = threading.Event()

    def note(report):
        if report[1].is_over:
            posted.set()

    workbench.jobs._reported.connect(note, Qt.ConnectionType.DirectConnection)
    first = workbench.run("first", lambda progress: "stale", landed.append, key="live")
    # The result lies in the queue of the window's thread now.
    assert posted.wait(PATIENCE)
    second = workbench.run("second", lambda progress: "fresh", landed.append, key="live")
    qtbot.waitUntil(lambda: first.state.is_over and second.state.is_over)
    assert landed == ["fresh"]


def test_that_jobs_of_other_keys_do_not_disturb_each_other(workbench, qtbot):
    landed = []
    for key in ("a", "b", None, None):
        workbench.run("x", lambda progress, key=key: key, landed.append, key=key)
    qtbot.waitUntil(lambda: len(landed) == 4)
    assert sorted(landed, key=str) == [None, None, "a", "b"]


def test_that_numbers_never_jump_backwards_under_a_storm_of_live_jobs(workbench, qtbot):
    landed = []

    def work(progress, number):
        progress(0.5)
        time.sleep(0.002 * (number % 3))
        progress(0.9)
        return number

    for number in range(200):
        workbench.run("live", lambda p, n=number: work(p, n), landed.append, key="live", quiet=True)
        if number % 10 == 0:
            qtbot.wait(1)
    qtbot.waitUntil(lambda: workbench.jobs.is_idle)
    assert landed == sorted(landed)
    assert landed[-1] == 199
    assert workbench.jobs.jobs == ()


def test_that_a_cancelled_job_stops(workbench, qtbot):
    landed = []
    job = workbench.run("long", until_stopped, landed.append)
    qtbot.waitUntil(lambda: job.state is JobState.RUNNING)
    job.cancel()
    qtbot.waitUntil(lambda: job.state.is_over)
    assert job.state is JobState.CANCELLED
    assert landed == []


def test_that_a_job_tells_its_progress(workbench, qtbot):
    told = []

    def work(progress):
        for step in range(5):
            progress(step / 5, f"step {step}")
            time.sleep(0.06)

    job = workbench.run("told", work, lambda _: None)
    job.progressed.connect(lambda done, message: told.append((done, message)))
    qtbot.waitUntil(lambda: job.state.is_over)
    assert len(told) >= 3
    assert told == sorted(told)
    assert told[-1][1].startswith("step")


def test_that_the_time_left_is_told_from_the_share_that_is_done(workbench, qtbot):
    begun = threading.Event()

    def work(progress):
        begun.wait(PATIENCE)
        until_stopped(progress)

    job = workbench.run("long", work, lambda _: None)
    assert job.seconds_left is None
    begun.set()
    qtbot.waitUntil(lambda: job.done == 0.5)
    before, left, after = job.seconds, job.seconds_left, job.seconds
    assert before <= left <= after
    job.cancel()
    qtbot.waitUntil(lambda: job.state.is_over)
    assert job.seconds_left is None


@pytest.mark.parametrize("error", [DataError("The file is empty."), ZeroDivisionError("x")])
def test_that_a_failed_job_says_so_and_the_next_one_runs(workbench, qtbot, error, caplog):
    failed, landed = [], []

    def work(progress):
        raise error

    workbench.error_raised.connect(failed.append)
    job = workbench.run("bad", work, landed.append)
    qtbot.waitUntil(lambda: job.state.is_over)
    assert job.state is JobState.FAILED
    assert failed == [error]
    assert job.error is error
    assert ("the job bad failed" in caplog.text) is isinstance(error, ZeroDivisionError)
    workbench.run("good", lambda progress: 1, landed.append)
    qtbot.waitUntil(lambda: landed == [1])


def test_that_a_failure_of_an_overtaken_job_is_not_told(workbench, qtbot):
    failed = []
    gate = threading.Event()

    def work(progress):
        gate.wait(PATIENCE)
        raise DataError("The old file is empty.")

    workbench.error_raised.connect(failed.append)
    first = workbench.run("first", work, lambda _: None, key="open")
    second = workbench.run("second", lambda progress: 1, lambda _: None, key="open")
    gate.set()
    qtbot.waitUntil(lambda: first.state.is_over and second.state.is_over)
    assert failed == []


def test_that_a_hundred_queued_and_cancelled_jobs_leave_no_thread(workbench, jobs, qtbot):
    made = [workbench.run(f"job {i}", until_stopped, lambda _: None) for i in range(100)]
    assert job_threads() <= _WORKERS
    for job in made:
        job.cancel()
    qtbot.waitUntil(lambda: jobs.is_idle)
    assert {job.state for job in made} == {JobState.CANCELLED}
    assert jobs.close(PATIENCE)
    assert job_threads() == 0


def test_that_closing_stops_what_runs_and_refuses_what_comes(workbench, jobs, qtbot):
    landed = []
    job = workbench.run("long", until_stopped, landed.append)
    qtbot.waitUntil(lambda: job.state is JobState.RUNNING)
    assert jobs.close(PATIENCE)
    assert job_threads() == 0
    late = workbench.run("late", lambda progress: 1, landed.append)
    assert late.state is JobState.CANCELLED
    qtbot.wait(20)
    assert landed == []


def test_that_a_job_which_does_not_stop_is_reported(workbench, jobs, qtbot):
    gate = threading.Event()
    job = workbench.run("deaf", lambda progress: gate.wait(PATIENCE), lambda _: None)
    qtbot.waitUntil(lambda: job.state is JobState.RUNNING)
    assert not jobs.close(0.05)
    gate.set()
    assert jobs.close(PATIENCE)


def test_that_only_jobs_of_the_study_are_disowned_when_another_is_opened(workbench, jobs, qtbot):
    landed = []
    gate = threading.Event()

    def work(progress):
        gate.wait(PATIENCE)
        return "saved"

    page = workbench.run("page", until_stopped, landed.append)
    save = workbench.run("save", work, landed.append)
    save.outlives_study = True
    jobs.disown_all()
    gate.set()
    qtbot.waitUntil(lambda: jobs.is_idle)
    assert page.state is JobState.CANCELLED
    assert landed == ["saved"]


def test_that_quiet_jobs_are_not_listed_and_the_list_has_an_end(workbench, jobs, qtbot):
    workbench.run("quiet", lambda progress: 1, lambda _: None, quiet=True)
    assert jobs.jobs == ()
    assert not jobs.is_idle
    for number in range(60):
        workbench.run(f"job {number}", lambda progress: 1, lambda _: None)
    qtbot.waitUntil(lambda: jobs.is_idle)
    workbench.run("last", lambda progress: 1, lambda _: None)
    assert len(jobs.jobs) <= 51
    assert jobs.jobs[-1].name == "last"
    qtbot.waitUntil(lambda: jobs.is_idle)


def test_that_a_finished_job_keeps_nothing_of_its_work_alive(workbench, qtbot):
    class Table:
        pass

    table = Table()
    gone = weakref.ref(table)
    job = workbench.run("big", lambda progress, table=table: 1, lambda _: None)
    del table
    qtbot.waitUntil(lambda: job.state.is_over)

    def is_gone():
        gc.collect()
        return gone() is None

    qtbot.waitUntil(is_gone)


def test_that_the_window_hears_events_while_jobs_work(workbench, qtbot):
    is_heard = threading.Event()

    def work(progress):
        while not is_heard.is_set():
            sum(range(20_000))
            progress(0.5)
        return "heard"

    landed = []
    for _ in range(_WORKERS + 1):
        workbench.run("busy", work, landed.append)
    # None of them ends before the window has noticed this.
    QTimer.singleShot(20, is_heard.set)
    qtbot.waitUntil(lambda: len(landed) == _WORKERS + 1)
    assert set(landed) == {"heard"}


def test_that_a_document_can_be_laid_out_in_a_job(workbench, wait_idle, qtlog):
    def work(_):
        document = QTextDocument()
        document.setHtml("<p>word</p>" * 3_000)
        document.setPageSize(QSizeF(500, 700))
        return document.pageCount()

    pages = []
    workbench.run("print", work, pages.append)
    wait_idle()
    assert pages[0] > 10
    assert not [one.message for one in qtlog.records if "QBasicTimer" in one.message]
