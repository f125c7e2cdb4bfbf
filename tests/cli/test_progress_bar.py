"""The bar of progress on a terminal, and the key that interrupts the work."""

from __future__ import annotations

import io
import os
import signal
import threading

import pytest

from ppworkbench.cli import progress_bar as module
from ppworkbench.cli.progress_bar import bar_line, progress_bar
from ppworkbench.core.progress import Cancelled


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(module, "FIRST_DRAWN_AFTER", 0.0)
    monkeypatch.setattr(module, "DRAWN_EVERY", 0.0)


@pytest.mark.usefixtures("at_once")
def test_that_nothing_is_drawn_into_a_pipe():
    pipe = io.StringIO()
    with progress_bar(pipe) as progress:
        progress(0.5, "reading")
    assert pipe.getvalue() == ""


@pytest.mark.usefixtures("at_once")
def test_that_a_terminal_shows_the_share_and_is_left_clean():
    terminal = Terminal()
    with progress_bar(terminal) as progress:
        progress(0.5, "reading a long name")
        progress(1.0, "done")
    frames = terminal.getvalue().split("\r")
    assert "50 % reading a long name" in frames[1]
    assert frames[2].rstrip().endswith("100 % done")
    assert len(frames[2]) == len(frames[1]), "the rest of a longer line must be wiped"
    assert frames[-2].strip() == frames[-1] == ""


@pytest.mark.usefixtures("at_once")
def test_that_the_terminal_is_left_clean_after_an_error():
    terminal = Terminal()

    def work():
        with progress_bar(terminal) as progress:
            progress(0.5)
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        work()
    assert terminal.getvalue().endswith("\r")


def test_that_quick_work_shows_no_bar():
    terminal = Terminal()
    with progress_bar(terminal) as progress:
        progress(0.5)
    assert terminal.getvalue() == ""


@pytest.mark.usefixtures("at_once")
def test_that_a_message_from_a_file_moves_no_cursor():
    terminal = Terminal()
    with progress_bar(terminal) as progress:
        progress(0.5, "reading \x1b[2J")
    assert "\x1b" not in terminal.getvalue()


def interrupt():
    signal.raise_signal(signal.SIGINT)


def test_that_an_interrupt_stops_the_work_at_its_next_report():
    steps = []

    def work():
        with progress_bar(io.StringIO()) as progress:
            interrupt()
            steps.append("after the interrupt")
            progress(0.5)
            steps.append("after the report")

    with pytest.raises(Cancelled):
        work()
    assert steps == ["after the interrupt"]


def test_that_work_which_does_not_report_again_counts_as_stopped():
    with pytest.raises(Cancelled), progress_bar(io.StringIO()):
        interrupt()


def test_that_a_second_interrupt_does_not_wait():
    def work():
        with progress_bar(io.StringIO()):
            interrupt()
            interrupt()

    with pytest.raises(KeyboardInterrupt):
        work()


@pytest.mark.parametrize("error", [None, ValueError])
def test_that_interrupts_are_as_before_afterwards(error):
    before = signal.getsignal(signal.SIGINT)
    try:
        with progress_bar(io.StringIO()):
            assert signal.getsignal(signal.SIGINT) is not before
            if error:
                raise error
    except ValueError:
        pass
    assert signal.getsignal(signal.SIGINT) is before


def test_that_another_thread_may_use_a_bar_too():
    seen = []

    def work():
        with progress_bar(io.StringIO()) as progress:
            progress(1.0)
            seen.append("done")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == ["done"]


@pytest.mark.parametrize("done", [0.0, 0.4, 1.0])
def test_that_the_bar_keeps_its_length(done):
    assert len(bar_line(done, "x")) == len("[") + 24 + len("] 100 % x")


@pytest.mark.usefixtures("at_once")
def test_that_a_line_is_never_wider_than_the_terminal(monkeypatch):
    monkeypatch.setattr(module.shutil, "get_terminal_size", lambda: os.terminal_size((30, 24)))
    terminal = Terminal()
    with progress_bar(terminal) as progress:
        progress(0.5, "a very long message about a very long file name")
    assert max(map(len, terminal.getvalue().split("\r"))) < 30
