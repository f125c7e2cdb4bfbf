"""A program that is closed ends, with success and without a word."""

from __future__ import annotations

import pytest


@pytest.mark.slow
def test_that_the_program_ends_well_whatever_it_was_doing(run_on_screen):
    done = run_on_screen("leave.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout + done.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize("milliseconds", [0, 300, 1500])
def test_that_the_program_ends_well_while_it_is_still_being_loaded(run_on_screen, milliseconds):
    done = run_on_screen("leave_early.py", str(milliseconds))
    assert done.returncode == 0, done.stderr
    assert done.stdout + done.stderr == ""


@pytest.mark.slow
def test_that_what_was_copied_does_no_harm_without_a_window_system(run_on_screen, home):
    # Then the clipboard is one of Qt's, which outlives Python.
    home["QT_QPA_PLATFORM"] = "offscreen"
    done = run_on_screen("leave.py", "copy")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
