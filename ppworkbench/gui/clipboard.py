"""Tables for other programs."""

from __future__ import annotations

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
