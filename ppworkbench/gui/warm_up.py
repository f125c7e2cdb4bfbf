"""Loading what will be needed soon, while the user looks at the start screen."""

from __future__ import annotations

import gc
import importlib
import sys

from ppworkbench.core.progress import Progress

MODULES = (
    "pandas",
    "pyarrow.parquet",
    "ppworkbench.core.data.samples",
    "ppworkbench.study.opening",
    "pyqtgraph",
    "ppworkbench.gui.pages.data",
    "scipy.optimize",
    "ppworkbench.core.privacy.utility.goal_seek",
    "ppworkbench.gui.pages.design",
    "ppworkbench.core.reconstruct.simulate",
    "ppworkbench.gui.pages.explore",
    "ppworkbench.gui.pages.explore.attack",
    "ppworkbench.gui.pages.survey",
    "ppworkbench.gui.pages.mine",
    "ppworkbench.gui.pages.classify",
    "ppworkbench.gui.pages.publish",
    "ppworkbench.gui.palette.dialog",
    "ppworkbench.gui.plots.numbers_dialog",
)
"""In the order in which a user comes across them. None of them makes a widget when it is loaded."""


_kept = 0
_MANY = 20


def keep_modules() -> None:
    """Tell the garbage collector that modules which were loaded by now stay for good.

    Looking through all of them for rubbish would halt the window for a tenth of a second every
    now and then.
    """
    global _kept  # noqa: PLW0603 (there is one interpreter)
    if len(sys.modules) > _kept + _MANY:
        _kept = len(sys.modules)
        gc.freeze()


def load_modules(progress: Progress) -> None:
    """Import one module after the other; a user who is faster finds the rest not loaded yet."""
    for done, name in enumerate(MODULES):
        progress(done / len(MODULES), name)
        importlib.import_module(name)
        keep_modules()
    _read_numerals()
    _read_texts(progress)
    keep_modules()


def _read_numerals() -> None:
    """Read a number: the first time pyarrow makes what it reads them with."""
    import pyarrow as pa

    from ppworkbench.core.data.numerals import NumberFormat, parse_numerals

    parse_numerals(pa.array(["no number"]), NumberFormat())


def _read_texts(progress: Progress) -> None:
    """Read the help, and the versions of what the program is made of."""
    from ppworkbench.gui.language.text import tongue
    from ppworkbench.study.about import versions
    from ppworkbench.study.help import load_help

    for _ in load_help(tongue().foreign):
        progress(1.0)
    versions()
