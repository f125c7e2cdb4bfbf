"""What all tests share: how many examples, public data if there are any, no threads left."""

from __future__ import annotations

import os

# As the program itself does: threads of the linear algebra only wait for each other on a busy
# machine. It has to be said before numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Tests, and programs that they start, run in one locale and time zone on every machine; those
# that are about another one ask for it. It has to be said before Qt is loaded.
os.environ.update(LC_ALL="C.UTF-8", LANG="C.UTF-8", LANGUAGE="", TZ="UTC")
# Pictures of results need no window, and hypothesis no library that could be tested with it.
os.environ.update(MPLBACKEND="Agg", HYPOTHESIS_NO_PLUGINS="1")

import functools
import gc
import gettext
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from examples import pytest_configure, pytest_itemcollected  # noqa: F401 (hooks)
from hypothesis import given
from hypothesis.strategies import none
from patience import PATIENCE

from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.formats import readstat
from ppworkbench.core.data.table import Table

collect_ignore = [
    "disk_faults.py", "page_writers.py", "gui/real_window.py", "smoke/broken_window.py",
    "smoke/dialogs.py", "smoke/leave.py", "smoke/monkey.py", "smoke/monkey_hands.py",
    "smoke/readme_walk.py",
]  # fmt: skip
"""Scripts that run on their own; importing them for their examples would not work."""

if hasattr(time, "tzset"):
    time.tzset()

# For every parser of every command argparse looks through the disk for translations of its few
# words, of which there are none; that would take half of the time in which commands are declared.
gettext.find = functools.cache(gettext.find)

# While tests are collected nothing is made but tests and modules, which stay to the end.
gc.disable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests come first: a walk that began last would leave the other processes idle."""
    items.sort(key=lambda item: ("smoke" not in item.path.parts, item.path.parts))


def pytest_collection_finish() -> None:
    """Let Python collect garbage from here on."""
    gc.enable()


SHARED_DATA = Path(__file__).resolve().parents[1] / "../shared/data"


@pytest.fixture(scope="session", autouse=True)
def _collectors_are_noted_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Collectors of tests, and of programs that they start, are none of the account's own."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))


@pytest.fixture(scope="session", autouse=True)
def use_hypothesis_early() -> None:
    """Let hypothesis find its source of chance before a window is opened.

    It asks the garbage collector who holds it when it is first used. A window sets aside what is
    loaded, so that nobody would be found, and a warning be given in place of the first test.
    """

    @given(none())
    def use(_: None) -> None:
        pass

    use()


@pytest.fixture(scope="session", autouse=True)
def _modules_are_set_aside(use_hypothesis_early: None) -> None:
    """Spare the garbage collector thousands of tests and modules, which stay to the end."""
    gc.collect()
    gc.freeze()
    # Python looks for garbage after every seven hundred new objects; a table has more.
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data beside the checkout."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the public data are not beside the checkout")
    return SHARED_DATA.resolve()


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Table]:
    """Read lines of text as a CSV file."""

    def read_lines(*lines: str) -> Table:
        path = tmp_path / "table.csv"
        path.write_text("\n".join(lines))
        return read_table(path)

    return read_lines


@pytest.fixture
def readstat_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Starting a process for every file of SPSS and Stata would take most of the time."""
    monkeypatch.setattr(readstat, "APART", False)


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    for thread in _new_threads(before):
        thread.join(PATIENCE)
    if left := _new_threads(before):
        pytest.fail(f"the test left threads behind: {', '.join(thread.name for thread in left)}")


def _new_threads(before: set[threading.Thread]) -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one not in before and not one.daemon]
