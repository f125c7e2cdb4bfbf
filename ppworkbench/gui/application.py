"""The one QApplication, with its log, its garbage collector and the loading of modules.

Python's garbage collector deletes objects that only hold each other in whichever thread and place
the next object happens to be made. Qt's are often among them, and Qt breaks down over a timer or an
item of a scene that another thread deletes. So it runs in the window's thread and nowhere else.

The rest of the program is loaded after the window has come up, in its thread, a module at a time
while nothing else is to be done; jobs begin after that. Threads that load side by side break
packages apart (see ``core.kernels``), and two threads may not make classes of Qt at once.
"""

from __future__ import annotations

import gc
import importlib
import io
import locale
import logging
import logging.handlers
import os
import pkgutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QCoreApplication, QObject, QStandardPaths, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from ppworkbench.core.files import make_private_folder
from ppworkbench.core.progress import Progress
from ppworkbench.version import __version__

_EVERY = 100
"""Milliseconds after which it is looked whether a search is due, by Python's own measure."""
_REST = 100
"""How many times as long as a search through everything took the next one waits at least."""


class GuiCollector(QObject):
    """Searches as often as Python would, but where Qt's objects live."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._thorough_after = 0.0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._search)
        self.start()

    def start(self) -> None:
        gc.disable()
        self._timer.start(_EVERY)

    def stop(self) -> None:
        self._timer.stop()
        gc.enable()

    def _search(self) -> None:
        due = [made > most for made, most in zip(gc.get_count(), gc.get_threshold(), strict=True)]
        began = time.monotonic()
        if due[2] and began > self._thorough_after:
            gc.collect()
            ended = time.monotonic()
            self._thorough_after = ended + _REST * (ended - began)
        elif due[1]:
            gc.collect(1)
        elif due[0]:
            gc.collect(0)


def make_application(arguments: Sequence[str] = ()) -> QApplication:
    """The one QApplication, with its names set and scaling left exact."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    policy = Qt.HighDpiScaleFactorRoundingPolicy.PassThrough
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(policy)
    QCoreApplication.setOrganizationName("ppworkbench")
    QCoreApplication.setApplicationName("ppworkbench")
    QCoreApplication.setApplicationVersion(__version__)
    app = QApplication(["ppworkbench", *arguments])
    # Qt gives the system's locale to the C library, too; libraries that read and write files with
    # it would then expect a decimal comma.
    locale.setlocale(locale.LC_NUMERIC, "C")
    GuiCollector(app)
    return app


def state_folder() -> Path:
    place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppLocalDataLocation)
    folder = Path(place)
    # Where nothing can be written the program remembers nothing, but opens all the same.
    with suppress(OSError):
        make_private_folder(folder)
    return folder


def log_path() -> Path:
    return state_folder() / "ppworkbench.log"


class _LogFile(logging.handlers.RotatingFileHandler):
    """A file that only its owner can read: what an error says may quote an answer."""

    def _open(self) -> io.TextIOWrapper:
        def private(name: str, flags: int) -> int:
            return os.open(name, flags, 0o600)

        return open(self.baseFilename, "a", encoding=self.encoding, opener=private)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Go on without a log where none can be written."""


def start_log() -> None:
    """Write warnings and errors of the program to a file of at most a megabyte."""
    try:
        handler = _LogFile(
            log_path(), maxBytes=1_000_000, backupCount=1, encoding="utf-8", delay=True
        )
    except OSError:
        return
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger("ppworkbench")
    root.setLevel(logging.INFO)
    root.addHandler(handler)


LIBRARIES = (
    "pyarrow.compute",
    "pyarrow.parquet",
    "pyarrow.csv",
    "pyarrow.feather",
    "pyqtgraph",
    "numpy.testing",
    "numpy.f2py",
    "scipy.special",
    "scipy.linalg",
    "scipy.fft",
    "scipy.sparse.linalg",
    "scipy.spatial.transform",
    "scipy.optimize",
    "jinja2",
    "markdown_it",
)
"""What takes long, cut as finely as can be; what a user comes across first stands first."""
_TABLES = "pandas"
"""Takes half a second and cannot be cut, so that a thread loads it. Nobody imports a module inside
it: the window and the thread never hold what the other one waits for."""
PAGES = tuple(
    f"ppworkbench.gui.pages.{name}"
    for name in ("data", "design", "explore", "survey", "mine", "classify", "publish")
)
_LAYERS = (
    "data", "design", "privacy", "reconstruct", "itemsets", "sampling", "survey", "mining",
    "classify", "publish", "models", "compliance", "planning",
)  # fmt: skip
"""The core from below: whatever is loaded first brings with it all that it stands on."""
_BELOW_PAGES = tuple(
    f"ppworkbench.{name}"
    for name in (*(f"core.{one}" for one in _LAYERS), "core", "study", "gui.widgets", "gui.charts")
)
"""What pages stand on, loaded module by module: a page would load most of it at once."""
_APART = ("__main__", "api", "cli")
_TURN = 10
"""Milliseconds after which the loader looks whether its thread is ready."""
_PAUSE = 0.02
"""Seconds of loading after which the window has its turn."""
_MANY = 20

_kept = 0


class Loader(QObject):
    """Loads pandas in a thread, then module after module between the events of the window."""

    done = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = threading.Thread(target=importlib.import_module, args=(_TABLES,))
        self._modules = _load_everything()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._go_on)

    def start(self) -> None:
        """Begin with the next round of the event loop."""
        self._thread.start()
        self._timer.start(_TURN)

    def wait(self) -> None:
        """Let the thread come to its end: Python cannot load a library while it ends itself."""
        self._thread.join()

    def _go_on(self) -> None:
        if self._thread.is_alive():
            return
        self._timer.setInterval(0)
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
    # pyqtgraph asks for every class of Qt at once, and each is made when it is first asked for.
    for module in (QtCore, QtGui, QtWidgets):
        for name in dir(module):
            getattr(module, name)
            yield name
    for name in (_TABLES, *LIBRARIES):
        importlib.import_module(name)
        yield name
    for name in _BELOW_PAGES:
        yield from _load_below(name)
    for name in PAGES:
        importlib.import_module(name)
        yield name
    yield from _load_below("ppworkbench")


def _load_below(package: str) -> Iterator[str]:
    folders = importlib.import_module(package).__path__
    for found in pkgutil.iter_modules(folders, f"{package}."):
        if found.name.rpartition(".")[2] in _APART:
            continue
        importlib.import_module(found.name)
        yield found.name
        if found.ispkg:
            yield from _load_below(found.name)


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
    from ppworkbench.gui.language import tongue
    from ppworkbench.outputs.help.topic import load_help
    from ppworkbench.study.about import versions

    parse_numerals(pa.array(["no number"]), NumberFormat())
    for _ in load_help(tongue().foreign):
        progress(1.0)
    versions()


def single_shot(
    parent: QObject, slot: Callable[[], object] | None = None, milliseconds: int = 0
) -> QTimer:
    """A timer that has to be started; starting it anew puts it off.

    Without milliseconds it answers several signals of one change once, after the last of them, or
    goes on with long work when the window has been painted. With some, what takes a blink is not
    shown to be running, and what somebody types is looked at when they pause. Whatever can be shown
    at once needs no timer.
    """
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    if slot is not None:
        timer.timeout.connect(slot)
    return timer
