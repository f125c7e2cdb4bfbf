"""Reports and cards on paper: a PDF of A4 pages, drawn by Qt without a window."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import zip_longest
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
    QTextLayout,
    QTextOption,
)
from PySide6.QtSvg import QSvgRenderer

from ppworkbench.core.files import write_bytes
from ppworkbench.fieldwork.page.cards import Card, card_words
from ppworkbench.fieldwork.page.pictures import Picture
from ppworkbench.gui.pdf.tags import Bookmark, Element, Tags, tagged
from ppworkbench.study.blocks import (
    MARKS,
    Block,
    Facts,
    Figure,
    Grid,
    Heat,
    Listing,
    Paragraph,
    Points,
    Report,
    Section,
)
from ppworkbench.study.html import render

WIDE, HIGH = 793.7, 1122.5
"""A sheet of A4 in pixels, 96 of them an inch."""
_LEFT, _TOP, _FOOT = 64.0, 60.0, 66.0
_ROOM = WIDE - 2 * _LEFT
_SHEET = HIGH - _TOP - _FOOT
_LEAST_FILLED, _WELL_FILLED = 1 / 3, 0.4
"""A last page with less than this of a page gets so much, where the page before can spare it."""
_WHOLE = 8
"""Rows of a table that stays on one page, and lines of a listing that does."""
_POINT = 72 / 96
_INK, _HINT, _WARNING, _LINE, _PALE = "#1B1F27", "#5A6270", "#6B4500", "#D8DCE4", "#EDEFF4"
_PAD, _ROW_PAD = 6.0, 3.0
_LABELS = 150.0
"""The width of the labels of facts."""
_INDENT = 18.0


@dataclass(frozen=True)
class Look:
    size: float
    ink: str = _INK
    is_bold: bool = False
    before: float = 0.0
    after: float = 6.0
    ground: str = ""
    is_code: bool = False


_LOOKS = {
    "": Look(9.5), "lead": Look(10, "#474F5E"), "hint": Look(8.5, _HINT),
    "warning": Look(9.5, _WARNING), "note": Look(9.5, ground="#EEF1F8"),
    "key": Look(13, is_bold=True, after=10), "banner": Look(9.5, _WARNING, ground="#FFE9B8"),
    "caption": Look(9, is_bold=True, before=6, after=4), "code": Look(8, after=2, is_code=True),
    "title": Look(22, is_bold=True, after=2), "cell": Look(8.5, after=0),
    "head": Look(8.5, is_bold=True, after=0), "label": Look(8.5, _HINT, after=0),
    "h2": Look(15, is_bold=True, before=20, after=6),
    "h3": Look(11.5, is_bold=True, before=12, after=4),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Strip:
    """A line, a row or a picture: how high it is, what paints it, and what it stays with.

    ``again`` is painted above it where it begins a page, as the head of a table is.
    """

    height: float
    paint: Callable[[QPainter, Tags, float], None]
    keep: bool = False
    before: float = 0.0
    again: Strip | None = None


class Typesetter:
    """Lays a report out for a device and paints it there.

    Everything becomes strips of a known height, one above the other. A strip may ask to stay with
    the next one: headings and captions with what they head, the first rows of a table with its
    head, the values of a question, and the last two lines or rows with each other.
    """

    def __init__(
        self, report: Report, device: QPdfWriter, tags: Tags, font: Callable[[str], QFont]
    ) -> None:
        self._report, self._device, self._tags, self._font = report, device, tags, font

    def paint(self) -> None:
        pages = _balanced([*_pages([*self._strips()], _SHEET)], _SHEET)
        report, painter = self._report, QPainter(self._device)
        foot = " · ".join(filter(None, (report.banner, report.title, report.date)))
        for number, strips in enumerate(pages):
            if number:
                self._device.newPage()
            self._tags.begin_page()
            top = _TOP
            for place, strip in enumerate(strips):
                if not place and strip.again is not None:
                    strip.again.paint(painter, self._tags, top)
                    top += strip.again.height
                top += strip.before if place else 0.0
                strip.paint(painter, self._tags, top)
                top += strip.height
            self._tags.begin(painter, None)
            said = f"{foot} · {number + 1} / {len(pages)}"
            layout = self._layout(said, _LOOKS["hint"], _ROOM)
            layout.draw(painter, QPointF(_LEFT, HIGH - _FOOT + 20))
        painter.end()

    # Text

    def _layout(
        self, text: str, look: Look, width: float, *, is_right: bool = False
    ) -> QTextLayout:
        font = self._font(text)
        if look.is_code:
            font.setFamilies(["DejaVu Sans Mono", "Menlo", "Consolas", "monospace"])
        font.setPointSizeF(look.size)
        font.setWeight(QFont.Weight.DemiBold if look.is_bold else QFont.Weight.Normal)
        layout = QTextLayout(_BEFORE_PERCENT.sub("\u00a0", text), font, self._device)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        top = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            shift = width - line.naturalTextWidth() if is_right else 0.0
            line.setPosition(QPointF(shift, top))
            top += line.height() * 1.12
        layout.endLayout()
        return layout

    def _lines(
        self, text: str, look: Look, element: Element, left: float = 0.0, *, keep: bool = False
    ) -> Iterator[Strip]:
        """A strip for every line; the first two and the last two stay together."""
        padding = _PAD if look.ground else 0.0
        layout = self._layout(text, look, _ROOM - left - 2 * padding)
        count = layout.lineCount()
        for place in range(count):
            line = layout.lineAt(place)
            height = line.height() * 1.12 + (look.after if place == count - 1 else 0.0)

            def paint(
                painter: QPainter, tags: Tags, top: float, place: int = place,
                height: float = height,
            ) -> None:  # fmt: skip
                line = layout.lineAt(place)
                if look.ground:
                    tags.begin(painter, None)
                    painter.fillRect(QRectF(_LEFT, top - 2, _ROOM, height), QColor(look.ground))
                tags.begin(painter, element)
                painter.setPen(QColor(look.ink))
                line.draw(painter, QPointF(_LEFT + left + padding, top - line.y()))

            is_last = place == count - 1
            near = place in (0, count - 2) and not is_last
            yield Strip(height, paint, near or (keep and is_last), look.before * (not place))

    # Blocks

    def _strips(self) -> Iterator[Strip]:
        report, document = self._report, self._tags.document
        if report.banner:
            yield from self._lines(report.banner, _LOOKS["banner"], document.add("P"))
        yield from self._lines(report.kind, _LOOKS["hint"], document.add("P"), keep=True)
        yield from self._lines(report.title, _LOOKS["title"], document.add("H1"), keep=True)
        yield from self._lines(report.date, _LOOKS["hint"], document.add("P"))
        for section in report.sections:
            yield from self._heading(section)
            for block, after in zip_longest(section.blocks, section.blocks[1:]):
                # What leads to a table or a figure stays with it.
                keep = isinstance(after, Grid | Figure)
                keep |= isinstance(block, Paragraph) and isinstance(after, Points)
                yield from self._block(block, keep=keep)

    def _heading(self, section: Section) -> Iterator[Strip]:
        element = self._tags.document.add(f"H{section.level}")
        first, *others = self._lines(section.title, _LOOKS[f"h{section.level}"], element, keep=True)

        def paint(painter: QPainter, tags: Tags, top: float) -> None:
            above = (HIGH - top + 10) * _POINT
            page = len(tags.pages) - 1
            tags.bookmarks.append(Bookmark(section.title, section.level - 1, page, above))
            first.paint(painter, tags, top)

        yield replace(first, paint=paint, keep=True)
        yield from others

    def _block(self, block: Block, *, keep: bool = False) -> Iterator[Strip]:
        if isinstance(block, Paragraph | Points | Listing):
            yield from self._words(block, keep=keep)
        elif isinstance(block, Facts):
            yield from self._facts(block)
        elif isinstance(block, Grid):
            yield from self._table(block)
        elif isinstance(block, Heat):
            rows = tuple((name, *said) for name, said in zip(block.rows, block.texts, strict=True))
            heads = (block.corner, *block.columns)
            yield from self._table(Grid(heads, rows, block.columns, title=block.title))
        else:
            yield self._figure(block)
            yield from self._lines(block.title, _LOOKS["caption"], self._tags.document.add("P"))

    def _words(self, block: Paragraph | Points | Listing, *, keep: bool) -> Iterator[Strip]:
        document = self._tags.document
        if isinstance(block, Points):
            listed = document.add("L")
            for look, text in block.items:
                body = listed.add("LI").add("LBody")
                yield from self._lines(f"{MARKS[look]} {text}", _LOOKS[""], body, keep=keep)
        elif isinstance(block, Listing):
            if block.title:
                yield from self._lines(block.title, _LOOKS["hint"], document.add("P"), keep=True)
            lines = block.text.splitlines()
            for place, line in enumerate(lines, start=1):
                near = len(lines) <= _WHOLE and place < len(lines)
                yield from self._lines(line, _LOOKS["code"], document.add("P"), keep=near)
        elif block.text:
            yield from self._lines(block.text, _LOOKS[block.look], document.add("P"), keep=keep)

    def _figure(self, figure: Figure) -> Strip:
        shrunk = min(1.0, _ROOM / figure.width)
        width, height = figure.width * shrunk, figure.height * shrunk
        element = self._tags.document.add("Figure", figure.summary)

        def paint(painter: QPainter, tags: Tags, top: float) -> None:
            ends = _LEFT, HIGH - top - height, _LEFT + width, HIGH - top
            element.box = tuple(end * _POINT for end in ends)  # type: ignore[assignment]  # of four
            tags.begin(painter, element)
            drawn = QSvgRenderer(QByteArray(figure.svg.encode()))
            drawn.render(painter, QRectF(_LEFT, top, width, height))

        return Strip(height, paint, keep=True, before=4.0)

    def _facts(self, facts: Facts) -> Iterator[Strip]:
        listed = self._tags.document.add("L")
        widths = _LABELS, _ROOM - _LABELS
        for place, (label, words) in enumerate(facts.rows):
            item = listed.add("LI")
            cells = [
                (self._layout(label, _LOOKS["label"], _LABELS - _PAD), item.add("Lbl"), _HINT),
                (self._layout(words, _LOOKS["cell"], widths[1]), item.add("LBody"), _INK),
            ]
            row = _row(cells, widths, "")
            is_last = place == len(facts.rows) - 1
            yield replace(row, before=0.0 if place else 6.0, height=row.height + 8.0 * is_last)

    def _table(self, grid: Grid) -> Iterator[Strip]:
        """Its caption, its head and its rows; no row is cut and none stands alone on a page."""
        table = self._tags.document.add("Table")
        if grid.title:
            caption = table.add("Caption")
            yield from self._lines(grid.title, _LOOKS["caption"], caption, keep=True)
        widths = self._widths(grid)
        right = [head in grid.right for head in grid.heads]
        heads = [
            (self._layout(text, _LOOKS["head"], width - 2 * _PAD, is_right=is_right), text)
            for text, width, is_right in zip(grid.heads, widths, right, strict=True)
        ]
        first = table.add("TR")
        cells = [(layout, first.add("TH"), _INK) for layout, _ in heads]
        yield replace(_row(cells, widths, _PALE), keep=True)
        again = _row([(layout, None, _INK) for layout, _ in heads], widths, _PALE)
        for place, texts in enumerate(grid.rows):
            row = table.add("TR")
            cells = [
                (self._layout(text, _LOOKS["cell"], width - 2 * _PAD, is_right=is_right),
                 row.add("TD"), _INK)
                for text, width, is_right in zip(texts, widths, right, strict=True)
            ]  # fmt: skip
            # The last row stays with what is said below the table.
            is_near = place in (0, len(grid.rows) - 2)
            is_near |= place == len(grid.rows) - 1 and bool(grid.caption)
            is_near |= len(grid.rows) <= _WHOLE and place < len(grid.rows) - 1
            # The values of a question stay together.
            is_near |= not all(after[0] for after in grid.rows[place + 1 : place + 2])
            made = _row(cells, widths, "")
            room = 8.0 * (place == len(grid.rows) - 1 and not grid.caption)
            yield replace(made, height=made.height + room, keep=is_near, again=again)
        if grid.caption:
            look = replace(_LOOKS["hint"], before=4)
            yield from self._lines(grid.caption, look, self._tags.document.add("P"))

    def _widths(self, grid: Grid) -> list[float]:
        """Columns as wide as their texts; where there is no room, long texts are broken."""
        wide, least = [], []
        for place, head in enumerate(grid.heads):
            texts = [(text, "cell") for text in {row[place] for row in grid.rows}]
            words = [
                (word, look) for text, look in (*texts, (head, "head")) for word in text.split()
            ]
            longest = max([self._needed(word, look) for word, look in words] or [0.0])
            # A head may have two lines.
            half = self._needed(head, "head") / 2 + _PAD
            cells = [self._needed(text, look) for text, look in texts]
            wide.append(max([longest, half, *cells]))
            # Numbers stay on one line.
            least.append(max([longest, *cells]) if head in grid.right else longest)
        room, given = _ROOM, sum(wide)
        if given <= room:
            # Columns of texts take what is left.
            texts_of = [n for n, head in enumerate(grid.heads) if head not in grid.right]
            texts_of = texts_of or [*range(len(wide))]
            for place in texts_of:
                wide[place] += (room - given) / len(texts_of)
            return wide
        least = [min(one, room / len(wide)) for one in least]
        spare, asked = room - sum(least), given - sum(least)
        return [low + (full - low) * spare / asked for low, full in zip(least, wide, strict=True)]

    def _needed(self, text: str, look: str) -> float:
        layout = self._layout(text, _LOOKS[look], 1e6)
        return (layout.lineAt(0).naturalTextWidth() if text else 0.0) + 2 * _PAD + 1


def _row(
    cells: Sequence[tuple[QTextLayout, Element | None, str]], widths: Sequence[float], ground: str
) -> Strip:
    """Texts beside each other with a thin line below; those of no element are told before."""
    height = max(layout.boundingRect().height() for layout, _, _ in cells) + 2 * _ROW_PAD

    def paint(painter: QPainter, tags: Tags, top: float) -> None:
        tags.begin(painter, None)
        if ground:
            painter.fillRect(QRectF(_LEFT, top, _ROOM, height), QColor(ground))
        painter.fillRect(QRectF(_LEFT, top + height - 0.5, _ROOM, 0.5), QColor(_LINE))
        left = _LEFT
        for (layout, element, ink), width in zip(cells, widths, strict=True):
            tags.begin(painter, element)
            painter.setPen(QColor(ink))
            layout.draw(painter, QPointF(left + _PAD, top + _ROW_PAD))
            left += width

    return Strip(height, paint)


def _groups(strips: Sequence[Strip]) -> list[list[Strip]]:
    """Strips by what stays together."""
    groups: list[list[Strip]] = [[]]
    for strip in strips:
        groups[-1].append(strip)
        if not strip.keep:
            groups.append([])
    return [*filter(None, groups)]


def _used(page: Sequence[Strip]) -> float:
    """How high the strips of a page are."""
    first, *others = page
    above = 0.0 if first.again is None else first.again.height
    return above + first.height + sum(one.before + one.height for one in others)


def _balanced(pages: list[list[Strip]], height: float) -> list[list[Strip]]:
    """The same pages, of which the last one has more than a few lines of a page before it."""
    if len(pages) < 2 or _used(pages[-1]) >= _LEAST_FILLED * height:
        return pages
    *others, before, last = pages
    enough = _WELL_FILLED * height
    for moved in reversed(_groups(before)[1:]):
        shorter, longer = before[: -len(moved)], [*moved, *last]
        if _used(last) >= enough or _used(shorter) < enough or _used(longer) > height:
            break
        before, last = shorter, longer
    return [*others, before, last]


def _pages(strips: Sequence[Strip], height: float) -> Iterator[list[Strip]]:
    """Strips in pages; those that stay with the next one begin a page with it."""
    page: list[Strip] = []
    used = 0.0
    for group in _groups(strips):
        needed = sum(one.height + one.before for one in group)
        if page and used + needed > height:
            yield page
            page, used = [], 0.0
        for one in group:
            # A group that is longer than a page is cut.
            if page and used + one.before + one.height > height:
                yield page
                page, used = [], 0.0
            if page:
                used += one.before
            elif one.again is not None:
                used += one.again.height
            used += one.height
            page.append(one)
    if page:
        yield page


_BEFORE_PERCENT = re.compile(r"(?<=\d) (?=%)")
_SHAPED = re.compile("[\u0300-\u036f\u0590-\u1dff\u200c\u200d\ua800-\uabff\ufb1d-\ufeff]")
"""Letters that join or stand above others: those of Arabic, of Indian scripts and such."""
_SCALE = 0.85
DPI = 96
_CARD_FOOT = 26.0
"""Pixels that stay empty below cards."""
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
    "<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta xmlns:x='adobe:ns:meta/'>"
    "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description "
    "rdf:about='' xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:title><rdf:Alt>"
    "<rdf:li xml:lang='x-default'>%s</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF>"
    "</x:xmpmeta><?xpacket end='w'?>"
)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def print_report(report: Report, path: str | Path) -> None:
    """Print a report to a PDF file, whole or not at all; it may run in a job."""
    ensure_application()
    content = QByteArray()
    device = pdf_writer(content, report.title, report.date)
    tags = Tags(report.language)
    Typesetter(report, device, tags, lambda words: printed_font(10, words)).paint()
    made = tagged(dated(bytes(content.data()), report.date), tags)
    write_bytes(path, made, private=report.is_private)


def print_cards(cards: Sequence[Card], path: str | Path) -> None:
    """Print cards to a PDF file, each on a page of its own, whole or not at all."""
    figures = {"box": Figure(_BOX, "", 22, 22)}

    def name_picture(picture: Picture) -> str:
        name = f"picture{len(figures)}"
        size = round(_ENLARGED * picture.width), round(_ENLARGED * picture.height)
        figures[name] = Figure(picture.to_svg(), picture.text, *size)
        return name

    html = without_ends(render("cards/paper.html", cards=cards, name_picture=name_picture))
    ensure_application()
    document = QTextDocument()
    document.setDefaultFont(printed_font(10, html))
    document.setDefaultStyleSheet(_CARD_STYLE)
    drawings = Drawings(figures)
    document.documentLayout().registerHandler(QTextFormat.ObjectTypes.ImageObject, drawings)
    document.setHtml(html)
    content = QByteArray()
    _paint(document, pdf_writer(content, card_words(cards[0].language)["title"], margin=16))
    write_bytes(path, dated(bytes(content.data()), ""))


def pdf_writer(
    content: QByteArray, title: str, date: str = "", margin: float = 0.0, size: str = "A4"
) -> QPdfWriter:
    """What prints sheets into memory; of a file, Qt would not tell when the disk is full.

    The file is told what it is, without the hour and the random name that Qt would give it.
    """
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    device = QPdfWriter(buffer)
    buffer.setParent(device)
    device.setTitle(title)
    device.setCreator("ppworkbench")
    device.setResolution(DPI)
    paper, margins = (
        QPageSize(QPageSize.PageSizeId[size]),
        QMarginsF(margin, margin, margin, margin),
    )
    portrait = QPageLayout.Orientation.Portrait
    device.setPageLayout(QPageLayout(paper, portrait, margins, QPageLayout.Unit.Millimeter))
    device.setDocumentXmpMetadata(QByteArray((_METADATA % escape(title)).encode()))
    name = QUuid.createUuidV5(QUuid(), f"{title} {date}".encode())
    if hasattr(device, "setDocumentId"):
        device.setDocumentId(name)
    return device


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


def _paint(document: QTextDocument, writer: QPdfWriter) -> None:
    area = QRectF(writer.pageLayout().paintRectPixels(DPI))
    document.documentLayout().setPaintDevice(writer)
    document.setPageSize(QSizeF(area.width(), area.height() - _CARD_FOOT))
    break_at_pages(document)
    painter = QPainter(writer)
    for number in range(document.pageCount()):
        if number:
            writer.newPage()
        draw_page(painter, document, number, document.pageSize())
    painter.end()


class Drawings(QPyTextObject):
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


def without_ends(html: str) -> str:
    """Without ends of lines, which Qt would show as blanks in the size of the document."""
    return re.sub(r">\n+", ">", html)
