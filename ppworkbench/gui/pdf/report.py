"""Reports and cards on paper: a PDF of A4 pages, laid out by Qt without a window."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QIODevice,
    QMarginsF,
    QPointF,
    QRect,
    QRectF,
    QSizeF,
    QUuid,
)
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QGuiApplication,
    QPageLayout,
    QPageSize,
    QPainter,
    QPalette,
    QPdfWriter,
    QPyTextObject,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer

from ppworkbench.core.files import write_bytes
from ppworkbench.fieldwork.page.cards import Card, card_words
from ppworkbench.fieldwork.page.pictures import Picture
from ppworkbench.gui.theme import between
from ppworkbench.study.blocks import MARKS, Figure, Report
from ppworkbench.study.html import render

_SHAPED = re.compile("[\u0300-\u036f\u0590-\u1dff\u200c\u200d\ua800-\uabff\ufb1d-\ufeff]")
"""Letters that join or stand above others: those of Arabic, of Indian scripts and such."""
_SCALE = 0.85
_DPI = 96
_STYLE = """
body { color: #1B1F27; font-size: 9.5pt; }
h1 { font-size: 22pt; margin: 0; } h2 { font-size: 15pt; margin: 22px 0 6px 0; }
h3 { font-size: 11.5pt; margin: 0 0 4px 0; } p { margin: 0 0 6px 0; }
.hint { color: #636B7A; font-size: 8.5pt; } .lead { color: #474F5E; }
.warning { color: #6B4500; }
.banner { background-color: #FFE9B8; color: #6B4500; font-weight: 600; }
.note { background-color: #EEF1F8; } .number { text-align: right; }
th { background-color: #EDEFF4; text-align: left; } td, th { font-size: 8.5pt; }
pre { font-size: 8pt; }
"""
_CARD_STYLE = """
body { color: #1B1F27; } p { font-size: 14pt; margin: 0 0 8px 0; }
h1 { font-size: 19pt; margin: 0 0 16px 0; }
.version, .prepare { color: #474F5E; font-size: 9pt; } .prepare { margin: 18px 0 0 0; }
.sentence { font-style: italic; }
.picture { margin: 18px 0; } .box { font-size: 16pt; margin: 0 0 10px 0; }
.why { font-weight: 600; margin: 18px 0 0 0; } .warning { margin: 18px 0 0 0; }
"""
_ENLARGED = 1.2
"""Pictures of devices are read at arm's length."""
_BOX = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 22 22"><rect x="2" y="3" width="17" '
    'height="17" fill="none" stroke="#1B1F27" stroke-width="1.5"/></svg>'
)
"""A box to tick, which not every font has."""
_METADATA = (
    "<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?>"
    "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/><?xpacket end='w'?>"
)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def print_report(report: Report, path: str | Path) -> None:
    """Print a report to a PDF file, whole or not at all; it may run in a job."""
    figures: dict[str, Figure] = {}
    text = _report_html(report, figures)
    foot = f"{report.title} · {report.date}"
    if report.banner:
        foot = f"{report.banner} · {foot}"
    paper = _Paper(report.title, text, figures, _STYLE, report.date, foot, report.is_private)
    _print(paper, path)


def print_cards(cards: Sequence[Card], path: str | Path) -> None:
    """Print cards to a PDF file, each on a page of its own, whole or not at all."""
    figures = {"box": Figure(_BOX, "", 22, 22)}

    def name_picture(picture: Picture) -> str:
        name = f"picture{len(figures)}"
        size = round(_ENLARGED * picture.width), round(_ENLARGED * picture.height)
        figures[name] = Figure(picture.to_svg(), picture.text, *size)
        return name

    html = render("cards/paper.html", cards=cards, name_picture=name_picture)
    title = card_words(cards[0].language)["title"]
    _print(_Paper(title, without_ends(html), figures, _CARD_STYLE), path)


@dataclass(frozen=True)
class _Paper:
    """What is printed: HTML with figures by name, and a line at the foot of every page."""

    title: str
    html: str
    figures: Mapping[str, Figure]
    style: str
    date: str = ""
    foot: str = ""
    is_private: bool = False


def _print(paper: _Paper, path: str | Path) -> None:
    ensure_application()
    document = QTextDocument()
    document.setDefaultFont(printed_font(10, paper.html))
    document.setDefaultStyleSheet(paper.style)
    drawings = Drawings(paper.figures)
    document.documentLayout().registerHandler(QTextFormat.ObjectTypes.ImageObject, drawings)
    document.setHtml(paper.html)
    # Given a file, Qt would not tell when the disk is full.
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    device = QPdfWriter(buffer)
    device.setTitle(paper.title)
    device.setCreator("ppworkbench")
    device.setResolution(_DPI)
    size = QPageSize(QPageSize.PageSizeId.A4)
    margins = QMarginsF(16, 16, 16, 16)
    portrait = QPageLayout.Orientation.Portrait
    layout = QPageLayout(size, portrait, margins, QPageLayout.Unit.Millimeter)
    device.setPageLayout(layout)
    name_document(device, paper.title, paper.date)
    _paint(document, device, paper)
    write_bytes(path, dated(bytes(content.data()), paper.date), private=paper.is_private)


def name_document(device: QPdfWriter, title: str, date: str) -> None:
    """Tell the file what it is, without the hour and the random name that Qt would give it."""
    device.setDocumentXmpMetadata(QByteArray(_METADATA.encode()))
    name = QUuid.createUuidV5(QUuid(), f"{title} {date}".encode())
    if hasattr(device, "setDocumentId"):
        device.setDocumentId(name)


def dated(content: bytes, date: str) -> bytes:
    """The file with the date of the report in the place of this second, byte for byte.

    Qt 6.8.0 also writes a number where the dictionary of these dates should end.
    """
    day = date.replace("-", "").encode() if _DAY.fullmatch(date) else b"20000101"
    content = re.sub(rb"\(D:\d{14}[^)]", b"(D:" + day + b"000000Z", content)
    return content.replace(b"/Trapped /False\n2\nendobj", b"/Trapped /False\n>>endobj")


def break_at_pages(document: QTextDocument) -> None:
    """Make two paragraphs of one that goes on on the next page.

    Of a paragraph Qt also paints the last line before the painted area. Nobody would see it, but
    whoever copies the text or has it read aloud would get it twice.
    """
    layout, height = document.documentLayout(), document.pageSize().height()
    document.pageCount()
    block = document.begin()
    while block.isValid():
        # Qt rounds, so that a line may begin a little before its page.
        top = layout.blockBoundingRect(block).top() + 1
        lines = [block.layout().lineAt(place) for place in range(block.layout().lineCount())]
        first = (top + lines[0].y()) // height if lines else 0
        end = next((one for one in lines if (top + one.y()) // height > first), None)
        if end is not None and block.textList() is None:
            cursor = QTextCursor(block)
            cursor.setPosition(block.position() + end.textStart())
            before, after = block.blockFormat(), block.blockFormat()
            before.setBottomMargin(0)
            after.setTopMargin(0)
            after.setTextIndent(0)
            cursor.insertBlock(after)
            QTextCursor(block).setBlockFormat(before)
            document.setPageSize(document.pageSize())
        block = block.next()


def draw_page(painter: QPainter, document: QTextDocument, number: int, size: QSizeF) -> None:
    """One page of a document at the painter's origin, and nothing of the lines beside it."""
    page = QRectF(QPointF(0, number * size.height()), size)
    painter.save()
    painter.translate(-page.topLeft())
    painter.setClipRect(page)
    context = QAbstractTextDocumentLayout.PaintContext()
    # Words without a colour of their own would have that of the window, which is light on dark.
    ink = QPalette()
    ink.setColor(QPalette.ColorRole.Text, QColor("black"))
    context.palette = ink  # type: ignore[attr-defined]  # not in the stubs
    # What only touches the page is painted too.
    context.clip = page.adjusted(0, 1, 0, -1)  # type: ignore[attr-defined]  # not in the stubs
    document.documentLayout().draw(painter, context)
    painter.restore()


def printed_font(size: int, words: str) -> QFont:
    """The font of a PDF whose every sign can be found and copied.

    Beside digits and capitals the font has other shapes of hyphens, colons and brackets, which a
    reader of PDF does not take for signs. Words of scripts whose letters join keep their shapes.
    """
    font = QFont(["Inter", "Noto Sans", "Sans Serif"], size)
    if not _SHAPED.search(words):
        font.setStyleStrategy(QFont.StyleStrategy.PreferNoShaping)
    return font


def ensure_application() -> None:
    """Fonts need an application; where there is none, one without a screen will do."""
    if QGuiApplication.instance() is None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        from ppworkbench.gui.application import make_application

        make_application()


def _paint(document: QTextDocument, writer: QPdfWriter, paper: _Paper) -> None:
    """Page after page, with the title and the number at the foot of each."""
    area = QRectF(writer.pageLayout().paintRectPixels(_DPI))
    foot = 26.0
    document.documentLayout().setPaintDevice(writer)
    page = QRectF(0, 0, area.width(), area.height() - foot)
    document.setPageSize(page.size())
    _keep_headings(document, page.height())
    break_at_pages(document)
    painter = QPainter(writer)
    count = document.pageCount()
    for number in range(count):
        if number:
            writer.newPage()
        draw_page(painter, document, number, page.size())
        if not paper.foot:
            continue
        painter.setPen(QColor("#636B7A"))
        painter.setFont(printed_font(8, paper.foot))
        said = f"{paper.foot} · {number + 1} / {count}"
        painter.drawText(QRectF(0, page.height() + 8, area.width(), 16), said)
    painter.end()


def _keep_headings(document: QTextDocument, height: float) -> None:
    """Let no heading stand at the foot of a page while what it heads begins the next one."""
    layout = document.documentLayout()
    # Qt loses what comes after a changed block that it has not laid out yet.
    document.pageCount()
    block = document.begin()
    while block.isValid():
        after = block.next()
        if block.blockFormat().headingLevel() and after.isValid():
            ends = layout.blockBoundingRect(block).top(), layout.blockBoundingRect(after).bottom()
            if int(ends[0] // height) != int((ends[1] - 1) // height):
                cursor = QTextCursor(block)
                format_ = block.blockFormat()
                format_.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
                cursor.setBlockFormat(format_)
                document.setPageSize(document.pageSize())
        block = after


class Drawings(QPyTextObject):
    """Draws the figures of a document as lines, not as pixels."""

    def __init__(self, figures: Mapping[str, Figure]) -> None:
        super().__init__()
        self._figures = figures

    def intrinsicSize(self, document: QTextDocument, place: int, format: QTextFormat) -> QSizeF:  # noqa: N802, A002, ARG002
        figure = self._figures[format.toImageFormat().name()]
        return QSizeF(figure.width, figure.height) * _SCALE

    def drawObject(  # noqa: N802
        self,
        painter: QPainter,
        rectangle: QRectF | QRect,
        document: QTextDocument,  # noqa: ARG002
        place: int,  # noqa: ARG002
        format: QTextFormat,  # noqa: A002
    ) -> None:
        figure = self._figures[format.toImageFormat().name()]
        QSvgRenderer(QByteArray(figure.svg.encode())).render(painter, rectangle)


def _report_html(report: Report, figures: dict[str, Figure]) -> str:
    """The document; figures are gathered by the names that it knows them by."""

    def name_figure(figure: Figure) -> str:
        name = f"figure{len(figures)}"
        figures[name] = figure
        return name

    html = render(
        "report/paper.html", report=report, marks=MARKS, shade=_shade, name_figure=name_figure
    )
    return without_ends(html)


def without_ends(html: str) -> str:
    """Without ends of lines, which Qt would show as blanks in the size of the document."""
    return re.sub(r">\n+", ">", html)


def _shade(probability: float) -> str:
    """The style of a cell of the matrix: violet of growing depth, and ink to be read on it."""
    fill = between(QColor("white"), QColor("#5B3FB5"), probability).name()
    ink = "#ffffff" if probability > 0.75 else "#000000"
    return f"background-color: {fill}; color: {ink};"
