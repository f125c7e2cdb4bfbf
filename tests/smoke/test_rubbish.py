"""What nobody needs any more is deleted where it lives."""

from __future__ import annotations

import json

import pytest


@pytest.mark.slow
def test_that_a_thread_that_works_hard_deletes_nothing_of_qt(run_on_screen):
    done = run_on_screen("rubbish.py")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    deleted = json.loads(done.stdout)
    assert set(deleted) == {"MainThread"}
    assert deleted["MainThread"] > 100
