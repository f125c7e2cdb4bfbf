"""Copying what is chosen in a table, as text and as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QAbstractItemModel, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QTableView

from ppworkbench.gui.clipboard import copy_rows

_AT_ONCE = 2_000
"""Cells that are read before the window is given a chance to paint."""
_MOST = 40_000
"""Cells that are copied at most: more would halt the window when they reach the clipboard."""


def copy_chosen(view: QTableView) -> None:
    """Put the chosen cells on the clipboard with the heads of their columns.

    All of a table where nothing is chosen, or the current row of a large one.

    Many cells are read in pieces, and arrive a moment later.
    """
    for old in view.findChildren(_Copying):
        old.stop()
    _Copying(view).start()


def _chosen(view: QTableView) -> tuple[list[int], list[int]]:
    """Rows and columns that are chosen, or all that are seen."""
    model = view.model()
    columns = [c for c in range(model.columnCount()) if not view.isColumnHidden(c)]
    marked = view.selectionModel().selection()
    if marked.isEmpty() and model.rowCount() * len(columns) <= _AT_ONCE:
        rows = [r for r in range(model.rowCount()) if not view.isRowHidden(r)]
    elif marked.isEmpty():
        # Nobody means all of a large table without choosing it.
        rows = [max(view.currentIndex().row(), 0)]
    else:
        spans = [(s.top(), s.bottom(), s.left(), s.right()) for s in marked]
        rows = sorted({r for top, bottom, _, _ in spans for r in range(top, bottom + 1)})
        across = {c for _, _, left, right in spans for c in range(left, right + 1)}
        columns = [c for c in columns if c in across]
    return rows[: _MOST // max(len(columns), 1)], columns


class _Copying(QTimer):
    """Reads a table piece by piece; belongs to it."""

    def __init__(self, view: QTableView) -> None:
        super().__init__(view)
        self._rows: list[list[str]] = []
        self._work = self._read(view.model(), *_chosen(view))
        self.setInterval(0)
        self.timeout.connect(self._go_on)

    def start(self) -> None:  # type: ignore[override]
        """Read the first piece at once, the others when there is time."""
        super().start()
        self._go_on()

    def _go_on(self) -> None:
        if next(self._work, self) is self:
            self.stop()
            copy_rows(self._rows)
            self.deleteLater()

    def _read(
        self, model: QAbstractItemModel, rows: Sequence[int], columns: Sequence[int]
    ) -> Iterator[None]:
        across = Qt.Orientation.Horizontal
        self._rows.append([_one_line(model.headerData(c, across)) for c in columns])
        read = 0
        for row in rows:
            self._rows.append([_one_line(model.index(row, c).data()) for c in columns])
            read += len(columns)
            if read > _AT_ONCE:
                read = 0
                yield


def _one_line(cell: object) -> str:
    """A cell without breaks, which would begin other cells in a spreadsheet."""
    words = "" if cell is None else str(cell)
    return " ".join(words.splitlines()).replace("\t", " ")


def let_copy(view: QTableView) -> None:
    """Let Ctrl+C copy what is chosen; Qt would copy the words of one cell."""
    view.installEventFilter(_CopyKey(view))


class _CopyKey(QObject):
    """Belongs to its table."""

    def __init__(self, view: QTableView) -> None:
        super().__init__(view)
        self._view = view

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Copy, whatever else the table does with keys."""
        if (
            event.type() == QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
            and event.matches(QKeySequence.StandardKey.Copy)
        ):
            copy_chosen(self._view)
            return True
        return super().eventFilter(watched, event)
