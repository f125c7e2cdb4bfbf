"""The real program, closed so many milliseconds after its window was shown.

It imports nothing but the window: what the program loads meanwhile must not be there already.
"""

from __future__ import annotations

import sys

from PySide6.QtCore import QTimer

from ppworkbench.gui import app
from ppworkbench.gui.window.main_window import MainWindow


def main(milliseconds: int) -> int:
    """Run the program as its command does, and leave."""
    make_window = app.make_window

    def watched(*given: object) -> MainWindow:
        assert "pandas" not in sys.modules
        window = make_window(*given)
        QTimer.singleShot(milliseconds, window, window.close)
        return window

    app.make_window = watched
    return app.run()


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
