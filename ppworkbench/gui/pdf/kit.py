"""Cards and questionnaires of a kit on paper: A6, A4, or four cards on A4 with marks to cut."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import (
    QByteArray,
    QLineF,
    QPointF,
    QRectF,
    QSizeF,
    Qt,
)
from PySide6.QtGui import (
    QColor,
    QPainter,
    QPdfWriter,
    QPen,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextOption,
)

from ppworkbench.core.files import write_bytes
from ppworkbench.fieldwork.kit.target import PdfJob
from ppworkbench.gui.pdf.report import (
    DPI,
    Drawings,
    break_at_pages,
    dated,
    draw_page,
    ensure_application,
    pdf_writer,
    printed_font,
    without_ends,
)

_INCH = 25.4
_SIZES = {"A4": (210.0, 297.0), "A6": (105.0, 148.5)}
_MARGINS = {"A4": 18.0, "A6": 7.0}
_MARK = 5.0
"""The length of a mark to cut, in millimetres."""
_FOOT = 22.0
_BETWEEN = 12.0
"""The room between two questions."""
_LEAST_BEGINNING = 0.4
"""The share of a page below which a question that goes on begins on the next one."""


def print_kit(job: PdfJob, path: str | Path) -> None:
    """Print pages to a file, whole or not at all; it may run in a job."""
    ensure_application()
    content = QByteArray()
    writer = pdf_writer(content, job.title, size="A4" if job.is_cut else job.size)
    _Printer(job, writer).paint()
    write_bytes(path, dated(bytes(content.data()), ""))


def _pixels(millimetres: float) -> float:
    return millimetres / _INCH * DPI


def _push_down(document: QTextDocument, distance: float) -> None:
    """Let a document begin below the top of its first page."""
    if not distance:
        return
    cursor = QTextCursor(document)
    cursor.insertBlock()
    cursor.movePosition(QTextCursor.MoveOperation.Start)
    # A margin above the first block would be left out.
    room = QTextBlockFormat()
    room.setLineHeight(distance, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    cursor.setBlockFormat(room)
    document.setPageSize(document.pageSize())


class _Printer:
    """Lays pages out, one or four on a sheet."""

    def __init__(self, job: PdfJob, writer: QPdfWriter) -> None:
        self._job, self._writer = job, writer
        width, height = _SIZES[job.size]
        margin = _MARGINS[job.size]
        foot = _FOOT if job.is_flowing else 0.0
        self._page = QRectF(
            _pixels(margin),
            _pixels(margin),
            _pixels(width - 2 * margin),
            _pixels(height - 2 * margin) - foot,
        )
        self._drawings = Drawings(job.figures)

    def paint(self) -> None:
        painter = QPainter(self._writer)
        documents = [self._document(block) for block in self._job.blocks]
        if self._job.is_flowing:
            self._paint_flow(painter, documents)
        else:
            self._paint_pages(painter, documents)
        painter.end()

    def _paint_pages(self, painter: QPainter, documents: Sequence[QTextDocument]) -> None:
        """Every block on pages of its own, one or four on a sheet."""
        labels = self._job.labels or ("",) * len(documents)
        for document in documents:
            break_at_pages(document)
        pages = [
            (document, label, number)
            for document, label in zip(documents, labels, strict=True)
            for number in range(document.pageCount())
        ]
        for place, (document, label, number) in enumerate(pages):
            origin = self._origin(place)
            if place and origin == self._origin(0):
                self._writer.newPage()
            if self._job.is_cut and origin == self._origin(0):
                self._draw_marks(painter)
            self._draw(painter, document, number, origin)
            parts = document.pageCount()
            if parts > 1:
                # Parts of a card that are cut apart must be known to belong together.
                self._draw_number(painter, number + 1, parts, origin)
                goes_on = self._job.continued if number + 1 < parts else ""
                self._draw_foot(painter, ", ".join(filter(None, (label, goes_on))), origin)

    def _paint_flow(self, painter: QPainter, documents: Sequence[QTextDocument]) -> None:
        """One block below the other; one that does not fit begins a new page."""
        pages: list[list[tuple[QTextDocument, int, float]]] = [[]]
        down, height = 0.0, self._page.height()
        for document in documents:
            is_long = document.pageCount() > 1
            if not is_long:
                document.setPageSize(QSizeF(self._page.width(), -1))
            # What is longer than a page is broken in any case, but not right after its beginning.
            needed = height * _LEAST_BEGINNING if is_long else document.size().height()
            if down and down + needed > height:
                pages.append([])
                down = 0.0
            if not is_long:
                pages[-1].append((document, 0, down))
                down += document.size().height() + _BETWEEN
                continue
            _push_down(document, down)
            break_at_pages(document)
            pages[-1].append((document, 0, 0.0))
            parts = document.pageCount()
            pages += [[(document, part, 0.0)] for part in range(1, parts)]
            end = document.documentLayout().blockBoundingRect(document.lastBlock()).bottom()
            down = end - (parts - 1) * height + _BETWEEN
        for number, page in enumerate(pages, 1):
            if number > 1:
                self._writer.newPage()
            for document, part, top in page:
                self._draw(painter, document, part, QPointF(0, top))
            self._draw_number(painter, number, len(pages), QPointF(0, 0))

    def _draw(
        self, painter: QPainter, document: QTextDocument, number: int, origin: QPointF
    ) -> None:
        painter.save()
        painter.translate(origin + self._page.topLeft())
        draw_page(painter, document, number, self._page.size())
        painter.restore()

    def _document(self, block: str) -> QTextDocument:
        """A block, as small as it must be for its page."""
        for style in (self._job.style, *self._job.compact):
            found = self._styled(block, style)
            if found.pageCount() == 1:
                break
        return found

    def _styled(self, block: str, style: str) -> QTextDocument:
        document = QTextDocument()
        document.setDefaultFont(printed_font(10, block))
        option = QTextOption()
        if self._job.direction == "rtl":
            option.setTextDirection(Qt.LayoutDirection.RightToLeft)
        document.setDefaultTextOption(option)
        document.setDocumentMargin(0)
        document.setDefaultStyleSheet(style)
        document.documentLayout().registerHandler(
            QTextFormat.ObjectTypes.ImageObject, self._drawings
        )
        document.setHtml(without_ends(re.sub(r"\n+<", "<", block)))
        document.documentLayout().setPaintDevice(self._writer)
        document.setPageSize(self._page.size())
        return document

    def _origin(self, place: int) -> QPointF:
        if not self._job.is_cut:
            return QPointF(0, 0)
        width, height = _SIZES["A6"]
        down, right = divmod(place % 4, 2)
        return QPointF(_pixels(right * width), _pixels(down * height))

    def _draw_marks(self, painter: QPainter) -> None:
        """Short lines at the edges and a cross in the middle, where the sheet is cut."""
        painter.save()
        painter.setPen(QPen(QColor("#000000"), 0.6))
        painter.drawLines([*self._marks()])
        painter.restore()

    def _marks(self) -> Iterator[QLineF]:
        width, height = (_pixels(one) for one in _SIZES["A4"])
        length, x, y = _pixels(_MARK), width / 2, height / 2
        yield QLineF(x, 0, x, length)
        yield QLineF(x, height - length, x, height)
        yield QLineF(0, y, length, y)
        yield QLineF(width - length, y, width, y)
        yield QLineF(x - length, y, x + length, y)
        yield QLineF(x, y - length, x, y + length)

    def _draw_number(self, painter: QPainter, page: int, pages: int, origin: QPointF) -> None:
        self._draw_foot(painter, f"{page} / {pages}", origin, is_end=True)

    def _draw_foot(
        self, painter: QPainter, words: str, origin: QPointF, *, is_end: bool = False
    ) -> None:
        """Words below a page, where its lines begin or end."""
        painter.setPen(QColor("#000000"))
        painter.setFont(printed_font(10, words))
        bottom = QRectF(self._page.left(), self._page.bottom() + 4, self._page.width(), _FOOT)
        is_right = is_end != (self._job.direction == "rtl")
        side = Qt.AlignmentFlag.AlignRight if is_right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(bottom.translated(origin), side, words)
