"""The real program from its start to its end: used for a moment, then closed while it works.

Everything is in it that has to be let go of in the right order at the end: pages with plots, a
table on the clipboard, a demonstration, and a job that runs. With the word ``copy`` it is only the
clipboard.
"""

from __future__ import annotations

import sys
import time

from crash import when
from PySide6.QtCore import QTimer

from ppworkbench.core.progress import Progress
from ppworkbench.gui import app
from ppworkbench.gui.demonstrations import open_demonstration
from ppworkbench.gui.widgets.table import copy_rows
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.outputs.demonstrations.catalogue import shipped_files


def work(progress: Progress) -> None:
    """Go on until somebody says stop."""
    while True:
        progress(0.5)
        time.sleep(0.001)


def copy(window: MainWindow) -> None:
    """Copy a table."""
    copy_rows([["a", "b"], ["1", "2"]])
    window.close()


def use(window: MainWindow) -> None:
    """Open a sample, look at two pages and begin a demonstration."""
    window.files.open_sample("city-survey")

    def look() -> None:
        window.show_page("design")
        window.show_page("explore")
        copy_rows([["a", "b"], ["1", "2"]])
        open_demonstration(window.workbench, shipped_files()[0])
        when(lambda: window.stage is not None and window.stage.at >= 0, leave)

    def leave() -> None:
        window.end_demonstration()
        open_demonstration(window.workbench, shipped_files()[1])
        when(lambda: window.stage is not None, end)

    def end() -> None:
        window.workbench.run("Working on", work, lambda _: None)
        window.store.forget_changes()
        QTimer.singleShot(100, window, window.close)

    when(lambda: window.store.study.rows > 0, look)


def main(words: list[str]) -> int:
    """Run the program as its command does, with a hand on its controls."""
    make_window, act = app.make_window, copy if words else use

    def watched(*given: object) -> MainWindow:
        window = make_window(*given)
        when(window.isVisible, lambda: act(window))
        return window

    app.make_window = watched
    return app.run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
