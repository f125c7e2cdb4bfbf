"""Dialogs are opened for real, cancelled, opened again and accepted."""

from __future__ import annotations

import pytest


def tried(done) -> list[str]:
    """What was tried, when all of it went well."""
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    *lines, over = done.stdout.splitlines()
    assert over == "over"
    assert len(lines) == len(set(lines)) > 5
    return lines


@pytest.mark.slow
def test_that_dialogs_can_be_cancelled_and_then_accepted(run_on_screen):
    assert all(line.startswith("twice ") for line in tried(run_on_screen("dialogs.py")))


@pytest.mark.slow
@pytest.mark.parametrize("platform", ["xcb", "offscreen"])
def test_that_every_dialog_can_be_cancelled_and_accepted_many_times(run_on_screen, home, platform):
    home["QT_QPA_PLATFORM"] = platform
    lines = tried(run_on_screen("dialogs.py", "--all"))
    assert lines[-1] == "in both orders"
    assert len(lines) > 20
