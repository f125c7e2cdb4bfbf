"""What a PDF says to screen readers: its parts in order, their words, its outline and language.

Qt writes none of this. Whoever paints a page sets a mark before every part (:meth:`Tags.begin`): a
rectangle far outside of the page, whose place in the file shows where the part begins. Afterwards
:func:`tagged` puts operators of ISO 32000 in the place of the marks and adds the tree of the parts.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

_FAR = -9000
_MARK = re.compile(rb"-\d{4,} -9000 1 1 re\nf\n")


@dataclass(eq=False)
class Element:
    """A part of a document by the names of ISO 32000: ``P``, ``H1``, ``Table``, ``Figure`` …

    ``kids`` are parts of it, and numbers of page and mark of what is painted. ``box`` is the place
    of a figure in points from the lower left corner of its page.
    """

    role: str
    words: str = ""
    kids: list[Element | tuple[int, int]] = field(default_factory=list)
    box: tuple[float, float, float, float] | None = None

    def add(self, role: str, words: str = "") -> Element:
        made = Element(role, words)
        self.kids.append(made)
        return made

    def walk(self) -> Iterator[Element]:
        yield self
        for kid in self.kids:
            if isinstance(kid, Element):
                yield from kid.walk()


@dataclass(eq=False)
class Bookmark:
    """A line of the outline: what it says, and where it leads to in points from below."""

    words: str
    level: int
    page: int
    top: float


class Tags:
    """The parts of a document while it is painted."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.document = Element("Document")
        self.bookmarks: list[Bookmark] = []
        self.pages: list[list[Element | None]] = []

    def begin_page(self) -> None:
        self.pages.append([])

    def begin(self, painter: QPainter, element: Element | None) -> None:
        """What is painted from here on belongs to a part; to none if it only looks nice."""
        marks = self.pages[-1]
        if element is not None:
            element.kids.append((len(self.pages) - 1, sum(one is not None for one in marks)))
        painter.fillRect(QRectF(_FAR - len(marks), _FAR, 1, 1), QColor("black"))
        marks.append(element)


def tagged(content: bytes, tags: Tags) -> bytes:
    """The file with what was noted; as it is where its marks are not those that were set."""
    objects, trailer = _objects(content)
    root, info = (
        int(re.findall(rb"/%s (\d+) 0 R" % name, trailer)[0]) for name in (b"Root", b"Info")
    )
    pages_of = int(re.findall(rb"/Pages (\d+) 0 R", objects[root])[0])
    kids = re.findall(rb"/Kids\s*\[(.*?)\]", objects[pages_of], re.DOTALL)[0]
    pages = [int(number) for number in re.findall(rb"(\d+) 0 R", kids)]
    if len(pages) != len(tags.pages):
        return content
    for place, number in enumerate(pages):
        body = objects[number]
        stream = int(re.findall(rb"/Contents (\d+) 0 R", body)[0])
        marked = _marked(objects[stream], tags.pages[place])
        if marked is None:
            return content
        objects[stream] = marked
        own = b"/Type /Page\n/StructParents %d\n/Tabs /S\n" % place
        objects[number] = body.replace(b"/Type /Page\n", own, 1)
    tree = _Tree(objects, pages, tags)
    said = b"/Type /Catalog\n" + tree.catalogue
    objects[root] = objects[root].replace(b"/Type /Catalog\n", said, 1)
    name = re.findall(rb"/ID \[.*?\]", trailer, re.DOTALL)
    return _file(objects, b"/Root %d 0 R\n/Info %d 0 R\n%s" % (root, info, b"".join(name)))


def _objects(content: bytes) -> tuple[dict[int, bytes], bytes]:
    """What a file of Qt holds by number, without the words around it, and its trailer."""
    start = int(re.findall(rb"startxref\s+(\d+)", content)[-1])
    table, _, trailer = content[start:].partition(b"trailer")
    entries = re.findall(rb"(\d{10}) \d{5} ([nf])", table)
    begins = {number: int(at) for number, (at, kind) in enumerate(entries) if kind == b"n"}
    ends = sorted([*begins.values(), start])
    found = {}
    for number, begin in begins.items():
        end = ends[ends.index(begin) + 1]
        found[number] = content[begin:end].partition(b"obj")[2].rpartition(b"endobj")[0].strip()
    return found, trailer


def _marked(stream: bytes, marks: Sequence[Element | None]) -> bytes | None:
    """The content of a page with operators in the place of marks; None if these are others."""
    # What is packed may end like a line, and ends where it says so.
    drawn = zlib.decompressobj().decompress(stream.partition(b"stream\n")[2])
    found = _MARK.findall(drawn)
    wanted = [b"%d -9000 1 1 re\nf\n" % (_FAR - place) for place in range(len(marks))]
    if found != wanted:
        return None
    number = 0
    for place, (mark, element) in enumerate(zip(wanted, marks, strict=True)):
        if element is None:
            told = b"/Artifact BMC\n"
        else:
            told = b"/%s <</MCID %d>> BDC\n" % (element.role.encode(), number)
            number += 1
        drawn = drawn.replace(mark, (b"EMC\n" if place else b"") + told, 1)
    packed = zlib.compress(drawn + b"EMC\n" * bool(marks))
    return b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed)


def _text(words: str) -> bytes:
    return b"<FEFF" + words.encode("utf-16-be", "replace").hex().upper().encode() + b">"


class _Tree:
    """The objects of parts and outline, added to those of the file."""

    def __init__(self, objects: dict[int, bytes], pages: Sequence[int], tags: Tags) -> None:
        self._objects, self._pages = objects, pages
        self._numbers: dict[Element, int] = {}
        root = self._next()
        for element in tags.document.walk():
            self._numbers[element] = self._next()
        self._add(tags.document, root)
        parents = [
            b"%d [%s]" % (place, b" ".join(self._link(one) for one in marks if one is not None))
            for place, marks in enumerate(tags.pages)
        ]
        objects[root] = b"<< /Type /StructTreeRoot /K %s /ParentTree << /Nums [%s] >> >>" % (
            self._link(tags.document), b"\n".join(parents),
        )  # fmt: skip
        self.catalogue = b"/MarkInfo << /Marked true >>\n/StructTreeRoot %d 0 R\n" % root
        self.catalogue += b"/Lang (%s)\n" % tags.language.encode()
        self.catalogue += b"/ViewerPreferences << /DisplayDocTitle true >>\n"
        if tags.bookmarks:
            outline = self._next()
            self._outline(outline, tags.bookmarks)
            self.catalogue += b"/Outlines %d 0 R\n/PageMode /UseOutlines\n" % outline

    def _next(self) -> int:
        number = max(self._objects) + 1
        self._objects[number] = b""
        return number

    def _link(self, element: Element) -> bytes:
        return b"%d 0 R" % self._numbers[element]

    def _add(self, element: Element, parent: int) -> None:
        kids, number = [], self._numbers[element]
        for kid in element.kids:
            if isinstance(kid, Element):
                self._add(kid, number)
                kids.append(self._link(kid))
            else:
                kids.append(b"<< /Type /MCR /Pg %d 0 R /MCID %d >>" % (self._pages[kid[0]], kid[1]))
        told = b"/Type /StructElem /S /%s /P %d 0 R /K [%s]" % (
            element.role.encode(), parent, b" ".join(kids),
        )  # fmt: skip
        if element.role == "TH":
            told += b" /A << /O /Table /Scope /Column >>"
        if element.words:
            told += b" /Alt %s" % _text(element.words)
        if element.box is not None:
            sides = b" ".join(b"%.2f" % side for side in element.box)
            told += b" /A << /O /Layout /Placement /Block /BBox [%s] >>" % sides
        self._objects[number] = b"<< %s >>" % told

    def _outline(self, root: int, lines: Sequence[Bookmark]) -> None:
        """Two levels: chapters, and their sections."""
        numbers = [self._next() for _ in lines]
        above = [root] * len(lines)
        chapter = root
        for place, line in enumerate(lines):
            if line.level > 1 and chapter != root:
                above[place] = chapter
            else:
                chapter = numbers[place]
        for place, (line, number) in enumerate(zip(lines, numbers, strict=True)):
            same = [n for n, parent in zip(numbers, above, strict=True) if parent == above[place]]
            at = same.index(number)
            told = b"/Title %s /Parent %d 0 R" % (_text(line.words), above[place])
            told += b" /Dest [%d 0 R /XYZ 0 %.2f null]" % (self._pages[line.page], line.top)
            if at:
                told += b" /Prev %d 0 R" % same[at - 1]
            if at + 1 < len(same):
                told += b" /Next %d 0 R" % same[at + 1]
            self._objects[number] = b"<< %s%s >>" % (told, _ends(numbers, above, number))
        self._objects[root] = b"<< /Type /Outlines%s >>" % _ends(numbers, above, root)


def _ends(numbers: Sequence[int], above: Sequence[int], parent: int) -> bytes:
    """The first and the last line below another one, and how many there are."""
    below = [number for number, one in zip(numbers, above, strict=True) if one == parent]
    if not below:
        return b""
    return b" /First %d 0 R /Last %d 0 R /Count %d" % (below[0], below[-1], len(below))


def _file(objects: dict[int, bytes], trailer: bytes) -> bytes:
    made, places = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"), []
    for number in sorted(objects):
        places.append((number, len(made)))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, objects[number])
    start, size = len(made), max(objects) + 1
    known = dict(places)
    made += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        at = known.get(number)
        made += b"0000000000 00000 f \n" if at is None else b"%010d 00000 n \n" % at
    made += b"trailer\n<< /Size %d\n%s >>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer, start)
    return bytes(made)
