"""A report as a Word document, for those who edit it; python-docx is used here only."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppworkbench.core.files import write_bytes
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
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from docx.document import Document

_WIDTH = 17.0
"""Centimetres between the margins of a sheet of A4."""
_LETTER, _BOLD, _PADDING = 0.19, 0.225, 0.4
"""Centimetres of letters in the widest font that may stand in, and of the sides of a cell."""
_INK, _PALE, _LINE, _HINT, _WARNING = "1B1F27", "EDEFF4", "D8DCE4", "5A6270", "6B4500"
_LOOKS = {"hint": (9.0, _HINT), "warning": (10.0, _WARNING), "key": (13.0, _INK)}
"""Size and colour of paragraphs that look different from others."""
_CELL = "Table Text"
_BEFORE_PERCENT = re.compile(r"(?<=\d) (?=%)")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_word(report: Report, path: str | Path) -> None:
    """Write what a report has on paper, whole or not at all; the same report, the same bytes."""
    content = io.BytesIO()
    _document(report).save(content)
    write_bytes(path, _timeless(content.getvalue()), private=report.is_private)


def _timeless(content: bytes) -> bytes:
    """The same archive without the hour at which it was packed."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as given, zipfile.ZipFile(packed, "w") as made:
        for name in given.namelist():
            made.writestr(zipfile.ZipInfo(name), given.read(name), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _document(report: Report) -> Document:
    import docx
    from docx.shared import Cm

    document = docx.Document()
    section = document.sections[0]
    section.page_width, section.page_height = Cm(21.0), Cm(29.7)
    section.left_margin = section.right_margin = section.top_margin = section.bottom_margin = Cm(2)
    _set_styles(document, report.language)
    known, day = document.core_properties, report.date
    known.title, known.language = _plain(report.title)[:255], report.language
    known.author = "ppworkbench"
    known.comments = known.last_modified_by = ""
    known.created = known.modified = (
        dt.datetime.fromisoformat(day) if _DAY.fullmatch(day) else dt.datetime(2000, 1, 1)  # noqa: DTZ001
    )
    _add_foot(document, " · ".join(filter(None, (report.banner, report.title, report.date))))
    if report.banner:
        _add_paragraph(document, Paragraph(report.banner, "warning"))
    document.add_paragraph(_plain(report.title), style="Title")
    document.add_paragraph(_plain(f"{report.kind} · {report.date}"), style="Subtitle")
    for part in report.sections:
        document.add_heading(_plain(part.title), level=part.level - 1)
        for block, after in zip_longest(part.blocks, part.blocks[1:]):
            _add(document, block)
            # What leads to a table or a figure stays with it.
            if isinstance(block, Paragraph) and block.text and isinstance(after, Grid | Figure):
                document.paragraphs[-1].paragraph_format.keep_with_next = True
    return document


def _plain(text: str) -> str:
    """A text without signs that no XML may hold."""
    return _NOT_XML.sub("", text)


def _set_styles(document: Document, language: str) -> None:
    from docx.enum.style import WD_STYLE_TYPE
    from docx.oxml.ns import qn
    from docx.shared import Pt, RGBColor

    cell: Any = document.styles.add_style(_CELL, WD_STYLE_TYPE.PARAGRAPH)
    cell.base_style = document.styles["Normal"]
    cell.paragraph_format.space_before = cell.paragraph_format.space_after = Pt(1.5)
    cell.paragraph_format.line_spacing = 1.0
    sizes = {"Normal": 10.0, "Title": 24.0, "Subtitle": 10.0, "Heading 1": 16.0, _CELL: 9.0}
    for name, size in {**sizes, "Heading 2": 12.5, "Caption": 9.5}.items():
        style: Any = document.styles[name]
        style.font.size, style.font.color.rgb = Pt(size), RGBColor.from_string(_INK)
        style.font.name, style.font.italic = "Calibri", False
        fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
        for theme in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
            fonts.attrib.pop(qn(f"w:{theme}"), None)
    for name in ("Heading 1", "Heading 2", "Caption"):
        style = document.styles[name]
        style.paragraph_format.keep_with_next = True
        style.paragraph_format.space_after = Pt(4)
    for spoken in document.styles.element.iter(qn("w:lang")):
        spoken.set(qn("w:val"), language)


def _add_foot(document: Document, words: str) -> None:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    line = document.sections[0].footer.paragraphs[0]
    line.add_run(_plain(f"{words} · "))
    number = OxmlElement("w:fldSimple")
    number.set(qn("w:instr"), "PAGE")
    line._p.append(number)  # noqa: SLF001 (the library has no fields)


def _add(document: Document, block: Block) -> None:
    if isinstance(block, Paragraph):
        _add_paragraph(document, block)
    elif isinstance(block, Points):
        for look, text in block.items:
            mark = "" if look == "" else f"{MARKS[look]} "
            document.add_paragraph(_plain(f"{mark}{text}"), style="List Bullet")
    elif isinstance(block, Facts):
        _add_table(document, (), block.rows, frozenset())
    elif isinstance(block, Grid):
        _add_caption(document, block.title)
        right = frozenset(n for n, head in enumerate(block.heads) if head in block.right)
        _add_table(document, block.heads, block.rows, right)
        _add_paragraph(document, Paragraph(block.caption, "hint"))
    elif isinstance(block, Heat):
        _add_caption(document, block.title)
        rows = [(name, *texts) for name, texts in zip(block.rows, block.texts, strict=True)]
        numbers = frozenset(range(1, len(block.columns) + 1))
        _add_table(document, (block.corner, *block.columns), rows, numbers)
    elif isinstance(block, Figure):
        _add_figure(document, block)
    elif isinstance(block, Listing):
        _add_paragraph(document, Paragraph(block.title, "hint"))
        line = document.add_paragraph().add_run(_plain(block.text))
        line.font.name = "Consolas"


def _add_paragraph(document: Document, block: Paragraph) -> None:
    from docx.shared import Pt, RGBColor

    if not block.text:
        return
    words = document.add_paragraph()
    words.paragraph_format.space_after = Pt(6)
    if block.look == "note":
        _shade(words._p.get_or_add_pPr())  # noqa: SLF001 (nor colours of paragraphs)
    run = words.add_run(_BEFORE_PERCENT.sub("\u00a0", _plain(block.text)))
    if block.look in _LOOKS:
        size, ink = _LOOKS[block.look]
        run.font.size, run.font.color.rgb = Pt(size), RGBColor.from_string(ink)
        run.bold = block.look == "key"


def _add_caption(document: Document, words: str) -> None:
    document.add_paragraph(_plain(words), style="Caption")


def _add_figure(document: Document, figure: Figure) -> None:
    """A picture with its words for screen readers, and its caption below; else its words."""
    from docx.shared import Cm

    if figure.to_png is None:
        _add_paragraph(document, Paragraph(figure.summary, "note"))
    else:
        width = Cm(min(_WIDTH, figure.width / 96 * 2.54))
        drawn = document.add_picture(io.BytesIO(figure.to_png()), width=width)
        drawn._inline.docPr.set("descr", _plain(figure.summary))  # noqa: SLF001 (nor alternative texts)
        document.paragraphs[-1].paragraph_format.keep_with_next = True
    caption = document.add_paragraph(_plain(figure.title), style="Caption")
    caption.paragraph_format.keep_with_next = False


def _add_table(
    document: Document,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: frozenset[int],
) -> None:
    """A table whose head is repeated on every page and whose rows are never cut."""
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.oxml import OxmlElement
    from docx.shared import Cm, Pt

    lines = [heads, *rows] if heads else [*rows]
    if not lines:
        return
    table = document.add_table(len(lines), len(lines[0]))
    table.autofit = False
    _add_lines(table)
    widths = [Cm(width) for width in _widths(lines, right)]
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width
    for number, (row, texts) in enumerate(zip(table.rows, lines, strict=True)):
        how = row._tr.get_or_add_trPr()  # noqa: SLF001 (nor repeated heads)
        how.append(OxmlElement("w:cantSplit"))
        is_head = bool(heads) and not number
        if is_head:
            how.append(OxmlElement("w:tblHeader"))
        # The first rows stay with the head, the values of a question and the last two rows with
        # each other.
        is_kept = number < 2 or number == len(lines) - 2
        is_kept |= not all(after[0] for after in lines[number + 1 : number + 2])
        for place, (cell, text) in enumerate(zip(row.cells, texts, strict=True)):
            cell.width = widths[place]
            words = cell.paragraphs[0]
            words.style = document.styles[_CELL]
            words.add_run(_plain(text)).bold = is_head
            words.paragraph_format.keep_with_next = is_kept and number < len(lines) - 1
            if place in right:
                words.alignment = WD_ALIGN_PARAGRAPH.RIGHT
            if is_head:
                _shade(cell._tc.get_or_add_tcPr())  # noqa: SLF001 (nor colours)
    below = document.add_paragraph(style=_CELL).paragraph_format
    below.line_spacing = Pt(6)


def _shade(properties: Any) -> None:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    shade = OxmlElement("w:shd")
    shade.set(qn("w:val"), "clear")
    shade.set(qn("w:fill"), _PALE)
    properties.append(shade)


def _add_lines(table: Any) -> None:
    """Thin lines below the rows of a table."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    borders = OxmlElement("w:tblBorders")
    for side in ("bottom", "insideH"):
        line = OxmlElement(f"w:{side}")
        for name, value in {"val": "single", "sz": "4", "space": "0", "color": _LINE}.items():
            line.set(qn(f"w:{name}"), value)
        borders.append(line)
    # Word wants the parts of these properties in their order.
    table._tbl.tblPr.insert_element_before(  # noqa: SLF001 (nor lines)
        borders, "w:shd", "w:tblLayout", "w:tblCellMar", "w:tblLook"
    )


def _widths(lines: Sequence[Sequence[str]], right: frozenset[int]) -> list[float]:
    """The columns in centimetres: no word and no number is broken where there is room for all."""
    least, wide = [], []
    for place, (head, *texts) in enumerate(zip(*lines, strict=True)):
        # The words of a head may stand below each other.
        parts = texts if place in right else [word for text in texts for word in text.split()]
        longest = _BOLD * max(map(len, head.split()), default=0)
        least.append(_PADDING + max(longest, _LETTER * max(map(len, parts), default=0)))
        full = max(_BOLD * len(head), _LETTER * max(map(len, texts), default=0))
        wide.append(_PADDING + full)
    if sum(least) >= _WIDTH:
        return [_WIDTH * one / sum(least) for one in least]
    if sum(wide) <= _WIDTH:
        return [_WIDTH * one / sum(wide) for one in wide]
    spare, asked = _WIDTH - sum(least), sum(wide) - sum(least)
    pairs = zip(least, wide, strict=True)
    return [low + (full - low) * spare / asked for low, full in pairs]
