"""Every dialog is opened for real, cancelled, opened again and accepted, in both orders."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("platform", ["xcb", pytest.param("offscreen", marks=pytest.mark.slow)])
def test_that_every_dialog_can_be_cancelled_and_accepted_many_times(run_on_screen, home, platform):
    home["QT_QPA_PLATFORM"] = platform
    done = run_on_screen("dialogs.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    *opened, in_order, over = done.stdout.splitlines()
    assert len(opened) == len(set(opened)) > 20
    assert (in_order, over) == ("in both orders", "over")
