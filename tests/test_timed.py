"""The way in which tests that measure time are run."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

CONFTEST = """
import pytest
from timed import pytest_collection_modifyitems, pytest_runtest_protocol

def pytest_configure(config):
    config.addinivalue_line("markers", "timed: measures time")

made = []

@pytest.fixture
def tries():
    return made

@pytest.fixture
def max_block(tries):
    tries.append(1)
    return len(tries)
"""


@pytest.fixture
def outcome(pytester: pytest.Pytester):
    """Run a test of some text on its own, and count what became of it."""

    def run(text: str) -> dict[str, int]:
        pytester.makeconftest(CONFTEST)
        pytester.makepyfile("import pytest\n" + text)
        return pytester.runpytest_inprocess("-p", "no:cacheprovider").parseoutcomes()

    return run


@pytest.mark.slow
def test_that_a_test_which_is_quick_at_its_third_try_passes(outcome):
    assert outcome("def test_it(max_block): assert max_block == 3") == {"passed": 1}


def test_that_a_test_which_is_always_slow_fails(outcome):
    assert outcome("def test_it(max_block): assert max_block > 3") == {"failed": 1}


ONE_TOO_FEW = "def test_it(tries):\n    tries.append(1)\n    assert len(tries) == 2\n"


def test_that_a_test_which_measures_nothing_is_tried_once(outcome):
    assert outcome(ONE_TOO_FEW) == {"failed": 1}


def test_that_a_marked_test_is_tried_again(outcome):
    assert outcome("@pytest.mark.timed\n" + ONE_TOO_FEW) == {"passed": 1}
