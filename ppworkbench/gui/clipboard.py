"""Tables for other programs."""

from __future__ import annotations

import atexit
from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication


def copy_rows(rows: Sequence[Sequence[str]], sentence: str = "") -> None:
    """Put a table on the clipboard, as text for spreadsheets and as HTML for documents."""
    lines = ["\t".join(row) for row in rows]
    cells = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    data = QMimeData()
    data.setText("\n".join([sentence, *lines] if sentence else lines))
    told = f"<p>{escape(sentence)}</p>" if sentence else ""
    data.setHtml(f"{told}<table>{cells}</table>")
    QGuiApplication.clipboard().setMimeData(data)


def _let_go() -> None:
    """Take back what is made by Python before Python ends.

    Without a window system the clipboard is Qt's own: nobody else can read it, and it deletes what
    lies on it when the process is all but over.
    """
    if QGuiApplication.instance() is not None and QGuiApplication.platformName() in _QT_ALONE:
        QGuiApplication.clipboard().clear()


_QT_ALONE = ("offscreen", "minimal")
atexit.register(_let_go)
