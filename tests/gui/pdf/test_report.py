"""Reports on paper, and the look at one before it leaves."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import zlib
from itertools import pairwise
from pathlib import Path

import pytest
from large_reports import city_with_arms, many_questions
from patience import PATIENCE
from studies import make_study

from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import silent
from ppworkbench.gui.pages.publish.bundle_card import write_preview
from ppworkbench.gui.pages.publish.bundle_dialog import Subject
from ppworkbench.gui.pdf.report import print_report
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.outputs.bundle import BundleOptions
from ppworkbench.outputs.handover.checklist import release_checklist
from ppworkbench.outputs.report import ReportOptions, build_report
from ppworkbench.study.blocks import Figure, Grid, Listing, Paragraph, Report, Section
from ppworkbench.study.language import tongue_of
from ppworkbench.study.release import release_points, undistorted
from ppworkbench.study.study import Study


@pytest.fixture(scope="module")
def report():
    return build_report(make_study("Small survey", rows=120), ReportOptions(date="2024-05-01"))


@pytest.mark.slow
def test_that_the_same_report_gives_the_same_bytes_under_every_theme(qapp, report, tmp_path):
    for name, theme in (("a.pdf", "dark"), ("b.pdf", "light")):
        ThemeManager(theme).apply()
        print_report(report, tmp_path / name)
    first, second = ((tmp_path / name).read_bytes() for name in ("a.pdf", "b.pdf"))
    assert first == second
    assert first.startswith(b"%PDF-1.7")
    assert 2 <= len(re.findall(rb"/Type /Page\b(?!s)", first)) <= 8


@pytest.mark.slow
def test_that_figures_are_drawn_as_lines(qapp, report, tmp_path):
    print_report(report, tmp_path / "a.pdf")
    content = (tmp_path / "a.pdf").read_bytes()
    assert b"/Subtype /Image" not in content
    streams = re.findall(rb"stream\r?\n(.*?)endstream", content, re.DOTALL)
    drawn = b"".join(unpacked(stream) for stream in streams)
    # The outline of reconstructed bars, #0F9488, as the page draws it.
    assert b"0.05882" in drawn


@pytest.mark.slow
def test_that_a_title_with_marks_of_html_is_text_on_paper(qapp, report, tmp_path):
    for name, title in (("a.pdf", "<h3>x</h3>" * 3), ("b.pdf", "[h3]x[/h3]" * 3)):
        print_report(dataclasses.replace(report, title=title), tmp_path / name)
    pages = [
        len(re.findall(rb"/Type /Page\b(?!s)", (tmp_path / name).read_bytes()))
        for name in ("a.pdf", "b.pdf")
    ]
    # Every heading of this level would begin a page.
    assert pages[0] == pages[1]


def pages(path: Path) -> int:
    return len(re.findall(rb"/Type /Page\b(?!s)", path.read_bytes()))


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "pl"])
@pytest.mark.parametrize("make", [city_with_arms, many_questions])
def test_that_no_report_has_more_than_ten_pages(qapp, tmp_path, make, language):
    study = make(rows=300)
    points = release_checklist(
        study, release_points(study.design, study.original), undistorted(study.design)
    )
    made = build_report(study, points=points, tongue=tongue_of(language))
    print_report(made, tmp_path / "a.pdf")
    assert 3 <= pages(tmp_path / "a.pdf") <= 10
    assert made.attachments
    assert {table.name for table in made.tables} == {
        "report-shares.csv", "report-measures.csv", "report-matrices.csv"
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gs") is None, reason="reads the words of a PDF")
def test_that_every_chapter_is_printed(qapp, tmp_path):
    made = build_report(city_with_arms())
    print_report(made, tmp_path / "a.pdf")
    command = ["gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=txtwrite", "-sOutputFile=-"]
    read = subprocess.run(
        [*command, str(tmp_path / "a.pdf")], capture_output=True, check=True, timeout=PATIENCE
    )
    lines = [" ".join(line.split()) for line in read.stdout.decode().splitlines()]
    assert [section.title for section in made.sections if section.title not in lines] == []


def unpacked(stream: bytes) -> bytes:
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return b""


def test_that_a_pdf_that_cannot_be_written_is_one_sentence(qapp, report, tmp_path):
    with pytest.raises(DataError, match="cannot be written"):
        print_report(report, tmp_path / "absent" / "a.pdf")


@pytest.mark.slow
def test_that_a_preview_shows_what_a_recipient_will_see(tmp_path):
    path = write_preview(
        Subject(make_study(rows=60)), BundleOptions(), str(tmp_path / "report.html"), silent
    )
    shown = Path(path).read_text(encoding="utf-8")
    assert "This report contains no seed" in shown
    assert "No seed is saved" in shown


@dataclasses.dataclass
class Part:
    """A part by its role, with the parts in it, and how often something is painted for it."""

    role: str
    parts: list[Part]
    painted: int


@dataclasses.dataclass
class Read:
    """A PDF as a screen reader finds it: its objects by number, and the pages' contents."""

    objects: dict[int, bytes]

    @classmethod
    def of(cls, path: Path) -> Read:
        found = re.findall(rb"(\d+) 0 obj\n(.*?)\nendobj\n", path.read_bytes(), re.DOTALL)
        return cls({int(number): body for number, body in found})

    def one(self, kind: str) -> bytes:
        (found,) = (body for body in self.objects.values() if f"/Type /{kind}".encode() in body)
        return found

    def elements(self, role: str) -> list[bytes]:
        begin = f"<< /Type /StructElem /S /{role} ".encode()
        return [body for body in self.objects.values() if body.startswith(begin)]

    def tree(self) -> list[Part]:
        """The parts in the order in which they are read."""
        (root,) = re.findall(rb"/K (\d+) 0 R", self.one("StructTreeRoot"))
        found: list[Part] = []

        def add(number: int) -> Part:
            body = self.objects[number]
            kids = re.search(rb"/K \[(.*?)\](?: /A| /Alt| >>$)", body, re.DOTALL)[1]
            without = re.sub(rb"<<.*?>>", b"", kids)
            painted = kids.count(b"/Type /MCR")
            part = Part(re.search(rb"/S /(\w+)", body)[1].decode(), [], painted)
            found.append(part)
            part.parts.extend(add(int(one)) for one in re.findall(rb"(\d+) 0 R", without))
            return part

        add(int(root))
        return found

    def contents(self) -> list[bytes]:
        numbers = re.findall(
            rb"(\d+) 0 R", re.search(rb"/Kids\s*\[(.*?)\]", self.one("Pages"), re.DOTALL)[1]
        )
        pages = [self.objects[int(number)] for number in numbers]
        streams = [self.objects[int(re.search(rb"/Contents (\d+)", one)[1])] for one in pages]
        return [unpacked_stream(one) for one in streams]


def unpacked_stream(body: bytes) -> bytes:
    stream = body.partition(b"stream\n")[2]
    return zlib.decompressobj().decompress(stream) if b"/FlateDecode" in body else stream


def words_of(text: bytes) -> str:
    return bytes.fromhex(text.decode()).decode("utf-16")


@pytest.fixture(scope="module")
def city():
    study = Study.of_table(load_sample("city-survey", rows=300), "city-survey")
    return build_report(study, ReportOptions(date="2024-05-01"), tongue=tongue_of("pl"))


@pytest.fixture
def printed(qapp, city, tmp_path):
    print_report(city, tmp_path / "a.pdf")
    return tmp_path / "a.pdf"


def test_that_a_pdf_tells_its_language_outline_and_parts(printed, city):
    read = Read.of(printed)
    catalogue = read.one("Catalog")
    for told in (b"/MarkInfo << /Marked true >>", b"/Lang (pl)", b"/StructTreeRoot", b"/Outlines"):
        assert told in catalogue
    lines = [re.match(rb"<< /Title <FEFF(\w*)>", body) for body in read.objects.values()]
    outline = [bytes.fromhex(one[1].decode()).decode("utf-16-be") for one in lines if one]
    assert outline == [section.title for section in city.sections]
    assert len(read.elements("H1")) == 1
    levels = [section.level for section in city.sections]
    assert len(read.elements("H2")) == levels.count(2)
    assert len(read.elements("H3")) == levels.count(3)


def test_that_a_viewer_shows_the_title_and_goes_through_the_parts_in_order(printed, city):
    read = Read.of(printed)
    assert b"/ViewerPreferences << /DisplayDocTitle true >>" in read.one("Catalog")
    sheets = [body for body in read.objects.values() if b"/Type /Page\n" in body]
    assert sheets
    assert all(b"/Tabs /S\n" in sheet and b"/StructParents " in sheet for sheet in sheets)
    metadata = printed.read_bytes()
    assert f">{city.title}</rdf:li>".encode() in metadata
    roles = [one.role for one in read.tree()]
    assert roles[0] == "Document"
    depths = [int(role[1]) for role in roles if re.fullmatch(r"H\d", role)]
    assert depths[0] == 1
    # No level of a heading is left out.
    assert all(after <= before + 1 for before, after in pairwise(depths))


def test_that_parts_stand_where_they_may(printed):
    allowed = {
        "Document": {"P", "H1", "H2", "H3", "L", "Table", "Figure"}, "L": {"LI"},
        "LI": {"Lbl", "LBody"}, "Table": {"Caption", "TR"}, "TR": {"TH", "TD"},
    }  # fmt: skip
    parts = Read.of(printed).tree()
    for part in parts:
        below = {one.role for one in part.parts}
        assert below <= allowed.get(part.role, set()), part.role
        # What has no part of its own is painted somewhere.
        assert part.parts or part.painted, part.role
    for row in (one for one in parts if one.role == "Table"):
        lines = [len(one.parts) for one in row.parts if one.role == "TR"]
        assert len(set(lines)) == 1


def test_that_fonts_are_embedded_and_their_signs_can_be_copied(printed):
    read = Read.of(printed)
    fonts = [body for body in read.objects.values() if b"/Subtype /Type0" in body]
    assert fonts
    for font in fonts:
        (signs,) = re.findall(rb"/ToUnicode (\d+) 0 R", font)
        assert b"beginbf" in unpacked_stream(read.objects[int(signs)])
        (below,) = re.findall(rb"/DescendantFonts \[(\d+) 0 R", font)
        (told,) = re.findall(rb"/FontDescriptor (\d+) 0 R", read.objects[int(below)])
        assert re.search(rb"/FontFile[23]? \d+ 0 R", read.objects[int(told)])
    used = b"".join(read.contents())
    assert re.search(rb"/F\d+ [\d.]+ Tf", used)


def test_that_every_figure_has_words_and_every_table_heads(printed, city):
    read = Read.of(printed)
    blocks = [block for section in city.sections for block in section.blocks]
    alternatives = [re.search(rb"/Alt <(\w+)>", one) for one in read.elements("Figure")]
    figures = [block for block in blocks if isinstance(block, Figure)]
    assert [words_of(one[1]) for one in alternatives] == [one.summary for one in figures]
    grids = [block for block in blocks if isinstance(block, Grid)]
    assert len(read.elements("Table")) == len(grids) == 5
    heads = read.elements("TH")
    assert len(heads) == sum(len(grid.heads) for grid in grids)
    assert all(b"/Scope /Column" in one for one in heads)
    assert len(read.elements("TD")) == sum(len(grid.heads) * len(grid.rows) for grid in grids)


def test_that_all_that_is_painted_belongs_to_a_part_or_is_an_ornament(printed):
    read = Read.of(printed)
    numbers = dict(
        re.findall(rb"(\d+) \[([^\]]*)\]", read.one("StructTreeRoot").partition(b"/Nums")[2])
    )
    contents = read.contents()
    assert len(contents) == len(numbers) <= 10
    for place, content in enumerate(contents):
        marks = re.findall(rb"BDC\n|BMC\n|EMC\n|BT\n", content)
        is_open = False
        for mark in marks:
            assert is_open == (mark in (b"EMC\n", b"BT\n"))
            is_open = mark in (b"BDC\n", b"BMC\n", b"BT\n")
        assert not is_open
        told = [int(number) for number in re.findall(rb"/MCID (\d+)", content)]
        assert told == list(range(len(told)))
        assert numbers[str(place).encode()].count(b"0 R") == len(told)
        assert b"-9000 1 1 re" not in content


def test_that_no_page_is_nearly_empty(printed):
    for content in Read.of(printed).contents():
        lines = [float(y) for y in re.findall(rb"Tm\n[\d.]+ -([\d.]+) Td", content)]
        *_, lowest, _foot = sorted(lines)
        assert lowest > 60 + (1122 - 126) / 3


@pytest.mark.parametrize("rows", range(38, 60, 3))
def test_that_the_last_rows_of_a_table_are_not_alone(qapp, tmp_path, rows):
    grid = Grid(("Name", "Number"), tuple((f"row {n}", str(n)) for n in range(rows)), ("Number",))
    made = Report("Long", "2024-05-01", (Section("Rows", (grid,)),))
    print_report(made, tmp_path / "a.pdf")
    *_, last = Read.of(tmp_path / "a.pdf").contents()
    lines = [float(y) for y in re.findall(rb"Tm\n[\d.]+ -([\d.]+) Td", last)]
    *_, lowest, _foot = sorted(lines)
    assert lowest > 60 + (1122 - 126) / 3


def test_that_a_short_listing_is_on_one_page(qapp, tmp_path):
    lines = "\n".join(f"command {number}" for number in range(5))
    words = tuple(Paragraph("Words.") for _ in range(36))
    made = Report("Long", "2024-05-01", (Section("Do", (*words, Listing(lines, "Commands"))),))
    print_report(made, tmp_path / "a.pdf")
    counts = [one.count(b"/P <<") for one in Read.of(tmp_path / "a.pdf").contents()]
    assert len(counts) == 2
    assert counts[1] >= 6
