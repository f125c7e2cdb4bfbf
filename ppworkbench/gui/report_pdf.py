"""Reports on paper: a PDF of A4 pages, laid out by Qt without a window."""

from __future__ import annotations

import os
import re
from html import escape
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRectF, QSizeF, QUuid
from PySide6.QtGui import (
    QColor,
    QFont,
    QGuiApplication,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QPyTextObject,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer

from ppworkbench.core.atomic import write_bytes
from ppworkbench.study.report.blocks import (
    Block,
    Figure,
    Grid,
    Heat,
    Listing,
    Paragraph,
    Points,
    Report,
)

_SCALE = 0.85
_DPI = 96
_STYLE = """
body { color: #1B1F27; font-size: 9.5pt; }
h1 { font-size: 22pt; margin: 0; } h2 { font-size: 15pt; margin: 22px 0 6px 0; }
h3 { font-size: 11.5pt; margin: 0 0 4px 0; page-break-before: always; } p { margin: 0 0 6px 0; }
.hint { color: #636B7A; font-size: 8.5pt; } .lead { color: #474F5E; }
.warning { color: #6B4500; } .number { text-align: right; }
th { background-color: #EDEFF4; text-align: left; } td, th { font-size: 8.5pt; }
pre { font-size: 8pt; }
"""
_METADATA = (
    "<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?>"
    "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/><?xpacket end='w'?>"
)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MARKS = {"good": "✓", "bad": "!", "info": "i", "": "•"}


def print_report(report: Report, path: str | Path) -> None:
    """Print a report to a PDF file, whole or not at all; it may run in a job."""
    ensure_application()
    document = QTextDocument()
    document.setDefaultFont(QFont(["Inter", "Noto Sans", "Sans Serif"], 10))
    document.setDefaultStyleSheet(_STYLE)
    writer = _Writer()
    text = writer.written(report)
    drawings = _Drawings(writer.figures)
    document.documentLayout().registerHandler(QTextFormat.ObjectTypes.ImageObject, drawings)
    document.setHtml(text)
    # Given a file, Qt would not tell when the disk is full.
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    device = QPdfWriter(buffer)
    device.setTitle(report.title)
    device.setCreator("ppworkbench")
    device.setResolution(_DPI)
    size = QPageSize(QPageSize.PageSizeId.A4)
    margins = QMarginsF(16, 16, 16, 16)
    portrait = QPageLayout.Orientation.Portrait
    layout = QPageLayout(size, portrait, margins, QPageLayout.Unit.Millimeter)
    device.setPageLayout(layout)
    _name(device, report)
    _paint(document, device, report)
    write_bytes(path, _dated(content.data(), report.date))


def _name(device: QPdfWriter, report: Report) -> None:
    """Tell the file what it is, without the hour and the random name that Qt would give it."""
    device.setDocumentXmpMetadata(QByteArray(_METADATA.encode()))
    name = QUuid.createUuidV5(QUuid(), f"{report.title} {report.date}".encode())
    if hasattr(device, "setDocumentId"):
        device.setDocumentId(name)


def _dated(content: bytes, date: str) -> bytes:
    """The file with the date of the report in the place of this second, byte for byte.

    Qt 6.8.0 also writes a number where the dictionary of these dates should end.
    """
    day = date.replace("-", "").encode() if _DAY.fullmatch(date) else b"20000101"
    content = re.sub(rb"\(D:\d{14}[^)]", b"(D:" + day + b"000000Z", content)
    return content.replace(b"/Trapped /False\n2\nendobj", b"/Trapped /False\n>>endobj")


def ensure_application() -> None:
    """Fonts need an application; where there is none, one without a screen will do."""
    if QGuiApplication.instance() is None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        from ppworkbench.gui.application import make_application

        make_application()


def _paint(document: QTextDocument, writer: QPdfWriter, report: Report) -> None:
    """Page after page, with the title and the number at the foot of each."""
    area = QRectF(writer.pageLayout().paintRectPixels(_DPI))
    foot = 26.0
    document.documentLayout().setPaintDevice(writer)
    page = QRectF(0, 0, area.width(), area.height() - foot)
    document.setPageSize(page.size())
    painter = QPainter(writer)
    count = document.pageCount()
    for number in range(count):
        if number:
            writer.newPage()
        painter.save()
        painter.translate(0, -number * page.height())
        document.drawContents(painter, QRectF(0, number * page.height(), *page.size().toTuple()))
        painter.restore()
        painter.setPen(QColor("#636B7A"))
        painter.setFont(QFont(document.defaultFont().families(), 8))
        said = f"{report.title} · {report.date} · {number + 1} / {count}"
        painter.drawText(QRectF(0, page.height() + 8, area.width(), 16), said)
    painter.end()


class _Drawings(QPyTextObject):
    """Draws the figures of a document as lines, not as pixels."""

    def __init__(self, figures: dict[str, Figure]) -> None:
        super().__init__()
        self._figures = figures

    def intrinsicSize(self, document: QTextDocument, place: int, format: QTextFormat) -> QSizeF:  # noqa: N802, A002, ARG002
        """The size of a figure in the text."""
        figure = self._figures[format.toImageFormat().name()]
        return QSizeF(figure.width, figure.height) * _SCALE

    def drawObject(  # noqa: N802
        self,
        painter: QPainter,
        rectangle: QRectF,
        document: QTextDocument,  # noqa: ARG002
        place: int,  # noqa: ARG002
        format: QTextFormat,  # noqa: A002
    ) -> None:
        """Draw a figure at its place."""
        figure = self._figures[format.toImageFormat().name()]
        QSvgRenderer(QByteArray(figure.svg.encode())).render(painter, rectangle)


class _Writer:
    """Writes blocks in the HTML that Qt's documents understand."""

    def __init__(self) -> None:
        self.figures: dict[str, Figure] = {}

    def written(self, report: Report) -> str:
        """The whole document."""
        parts = [
            f'<p class="hint">{escape(report.kind)}</p><h1>{escape(report.title)}</h1>',
            f'<p class="hint">{escape(report.date)}</p>',
        ]
        for section in report.sections:
            parts.append(f"<h{section.level}>{escape(section.title)}</h{section.level}>")
            parts += [self._block(block) for block in section.blocks]
        return "".join(parts)

    def _block(self, block: Block) -> str:
        if isinstance(block, Paragraph):
            return f'<p class="{block.look}">{escape(block.text)}</p>'
        if isinstance(block, Points):
            rows = tuple((_MARKS[look], text) for look, text in block.items)
            return "".join(f"<p><b>{mark}</b>&nbsp; {escape(text)}</p>" for mark, text in rows)
        if isinstance(block, Grid):
            return self._grid(block)
        if isinstance(block, Heat):
            return self._heat(block)
        if isinstance(block, Figure):
            return self._figure(block)
        return self._listing(block)

    def _grid(self, grid: Grid) -> str:
        right = [head in grid.right for head in grid.heads]
        heads = "".join(
            f'<th align="{"right" if flush else "left"}">{escape(head)}</th>'
            for head, flush in zip(grid.heads, right, strict=True)
        )
        rows = "".join(
            "<tr>"
            + "".join(
                f'<td align="{"right" if flush else "left"}">{escape(cell)}</td>'
                for cell, flush in zip(row, right, strict=True)
            )
            + "</tr>"
            for row in grid.rows
        )
        caption = f'<p class="hint">{escape(grid.caption)}</p>' if grid.caption else ""
        if grid.folded:
            return caption
        return f"{_table(f'<thead><tr>{heads}</tr></thead>{rows}')}{caption}"

    def _heat(self, heat: Heat) -> str:
        heads = "".join(f'<th align="center">{escape(label)}</th>' for label in heat.columns)
        rows = ""
        for label, cells, texts in zip(heat.rows, heat.cells, heat.texts, strict=True):
            shades = "".join(map(_heat_cell, cells, texts))
            rows += f"<tr><td>{escape(label)}</td>{shades}</tr>"
        corner = f'<th align="left">{escape(heat.corner)}</th>'
        return _table(f"<thead><tr>{corner}{heads}</tr></thead>{rows}", wide=False)

    def _figure(self, figure: Figure) -> str:
        name = f"figure{len(self.figures)}"
        self.figures[name] = figure
        return f'<p><img src="{name}"></p>'

    def _listing(self, listing: Listing) -> str:
        title = f'<p class="hint">{escape(listing.title)}</p>' if listing.title else ""
        return f"{title}<pre>{escape(listing.text)}</pre>"


def _table(inner: str, *, wide: bool = True) -> str:
    width = ' width="100%"' if wide else ""
    return (
        f'<table{width} cellspacing="0" cellpadding="3" border="1" '
        f'style="border-collapse: collapse; border-color: #D8DCE4;">{inner}</table>'
        '<p style="font-size: 4pt;">&nbsp;</p>'
    )


def _heat_cell(probability: float, text: str) -> str:
    """A cell of the matrix: violet of growing depth, and ink that can be read on it."""
    pale, deep = QColor("white"), QColor("#5B3FB5")
    mixed = [
        round(a + (b - a) * probability)
        for a, b in zip(pale.getRgb()[:3], deep.getRgb()[:3], strict=True)  # type: ignore[index]
    ]
    ink = "#ffffff" if probability > 0.75 else "#000000"
    fill = "#{:02x}{:02x}{:02x}".format(*mixed)
    style = f"background-color: {fill}; color: {ink};"
    return f'<td align="center" style="{style}">{escape(text)}</td>'
