"""Loading the rest of the program after the window has come up.

Everything is loaded in the thread of the window, a module at a time while nothing else is to be
done, and jobs begin after that. Threads that load side by side break packages apart (see
``core.library_lock``), and classes of Qt may not be made by two threads at once.
"""

from __future__ import annotations

import gc
import importlib
import pkgutil
import sys
import time
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer, Signal

import ppworkbench
from ppworkbench.core.progress import Progress

LIBRARIES = (
    "pyarrow.compute",
    "pandas",
    "pyarrow.parquet",
    "pyarrow.csv",
    "pyarrow.feather",
    "pyqtgraph",
    "scipy.special",
    "scipy.linalg",
    "scipy.sparse.linalg",
    "scipy.spatial",
    "scipy.optimize",
    "jinja2",
    "markdown_it",
)
"""What takes long, cut as finely as can be; what a user comes across first stands first."""
PAGES = tuple(
    f"ppworkbench.gui.pages.{name}"
    for name in ("data", "design", "explore", "survey", "mine", "classify", "publish")
)
_APART = ("__main__", "cli")
_PAUSE = 0.02
"""Seconds of loading after which the window has its turn."""
_MANY = 20

_kept = 0


class Loader(QObject):
    """Loads module after module between the events of the window."""

    done = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._modules = _load_everything()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._go_on)

    def start(self) -> None:
        """Begin with the next round of the event loop."""
        self._timer.start(0)

    def _go_on(self) -> None:
        limit = time.perf_counter() + _PAUSE
        for _ in self._modules:
            if time.perf_counter() > limit:
                return
        self._timer.stop()
        keep_modules()
        self.done.emit()


def load_everything() -> None:
    """Load all of it at once: for whoever starts jobs without a loader."""
    for _ in _load_everything():
        pass


def _load_everything() -> Iterator[str]:
    """Load what the program stands on, then its modules; yields the name of each."""
    for name in (*LIBRARIES, *PAGES):
        importlib.import_module(name)
        yield name
    yield from _load_below(ppworkbench.__path__, "ppworkbench.")


def _load_below(folders: list[str], prefix: str) -> Iterator[str]:
    for found in pkgutil.iter_modules(folders, prefix):
        if found.name.rpartition(".")[2] in _APART:
            continue
        module = importlib.import_module(found.name)
        yield found.name
        if found.ispkg:
            yield from _load_below(list(module.__path__), f"{found.name}.")


def keep_modules() -> None:
    """Tell the garbage collector that modules which were loaded by now stay for good.

    Looking through all of them for rubbish would halt the window for a tenth of a second every
    now and then.
    """
    global _kept  # noqa: PLW0603 (there is one interpreter)
    if len(sys.modules) > _kept + _MANY:
        _kept = len(sys.modules)
        gc.freeze()


def read_ahead(progress: Progress) -> None:
    """Read what the window shows at a click: the help, and what the program is made of.

    A number is read, too: the first time pyarrow makes what it reads them with.
    """
    import pyarrow as pa

    from ppworkbench.core.data.numerals import NumberFormat, parse_numerals
    from ppworkbench.gui.language.text import tongue
    from ppworkbench.study.about import versions
    from ppworkbench.study.help import load_help

    parse_numerals(pa.array(["no number"]), NumberFormat())
    for _ in load_help(tongue().foreign):
        progress(1.0)
    versions()
