"""Cards and questionnaires on paper have their size, their words and their marks."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import zlib

import pytest
from kits import designed, every_procedure, question, small
from patience import PATIENCE
from PySide6.QtGui import QFont, QFontMetricsF

from ppworkbench.core.design import Design, Forced, Identity, Related, Uniform
from ppworkbench.fieldwork.kit.form import build_form
from ppworkbench.fieldwork.kit.kit import KitOptions, write_kit
from ppworkbench.fieldwork.page.pictures import PRINT
from ppworkbench.gui.pdf.kit import print_kit
from ppworkbench.gui.pdf.report import printed_font
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.study.questionnaire.document import Questionnaire

_LETTER = re.compile("[a-zA-Z]")
A4, A6 = (595, 842), (297, 420)


@pytest.fixture(scope="module")
def paper(tmp_path_factory, qapp):
    folder = tmp_path_factory.mktemp("paper") / "kit"
    design, asked = small()
    options = KitOptions(("cards", "paper"), ("en", "pl"))
    result = write_kit(design, asked, folder, options, print_pdf=print_kit)
    assert not result.refused
    return folder


def sizes(path):
    """Width and height of all pages in points."""
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)", path.read_bytes())
    return {(round(float(wide)), round(float(high))) for wide, high in boxes}


def page_count(path):
    return len(re.findall(rb"/Type\s*/Page\b[^s]", path.read_bytes()))


@pytest.mark.slow
def test_that_pages_are_a6_or_a4(paper):
    for code in ("en", "pl"):
        assert sizes(paper / f"cards.{code}.pdf") == {A6}
        assert sizes(paper / f"cards-to-cut.{code}.pdf") == {A4}
        assert sizes(paper / f"interviewer.{code}.pdf") == {A4}
        assert sizes(paper / f"paper.{code}.pdf") == {A4}
    assert page_count(paper / "cards.en.pdf") == 4
    assert page_count(paper / "cards-to-cut.en.pdf") == 1


def test_that_a_long_question_fits_on_one_card(qapp, tmp_path):
    words = "Within the last 12 months, have you on your own or with others taken anything? "
    asked = dataclasses.replace(
        question("long", ("never", "once", "often")), text={"en": words * 6}
    )
    design = Design((designed(asked, Uniform(keep=0.7), "die"),))
    form = Questionnaire(("en",), (asked,), {"en": "City"})
    options = KitOptions(("cards",), ("en",))
    write_kit(design, form, tmp_path / "kit", options, print_pdf=print_kit)
    assert page_count(tmp_path / "kit" / "cards.en.pdf") == 1


def page_texts(path):
    """What a reader of PDF sees on every page, without blanks."""
    pages = []
    for number in range(1, page_count(path) + 1):
        command = ["pdftotext", "-f", str(number), "-l", str(number), "-layout", str(path), "-"]
        made = subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE)
        pages.append("".join(made.stdout.decode().split()))
    return pages


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="reads the words of a PDF")
@pytest.mark.parametrize("code", ["en", "pl"])
def test_that_a_card_that_is_too_long_says_that_it_goes_on(qapp, tmp_path, code):
    words = "Within the last 12 months, have you on your own or with others taken anything? "
    asked = dataclasses.replace(
        question("long", ("bad", "fair", "good", "great")),
        text={"en": words * 20, "pl": words * 20},
    )
    short = question("mood", ("bad", "fair", "good", "great"))
    design = Design(tuple(designed(one, Uniform(keep=0.7)) for one in (short, asked)))
    form = Questionnaire(("en", "pl"), (short, asked), {"en": "City", "pl": "Miasto"})
    options = KitOptions(("cards",), (code,))
    write_kit(design, form, tmp_path / "kit", options, print_pdf=print_kit)
    first, *middle, last = page_texts(tmp_path / "kit" / f"cards.{code}.pdf")
    label, goes_on = {
        "en": ("Question2", "continuedonthenextcard"),
        "pl": ("Pytanie2", "ciągdalszynanastępnejkarcie"),
    }[code]
    assert goes_on not in first
    assert middle
    assert all(f"{label},{goes_on}" in page for page in middle)
    assert goes_on not in last
    parts = len(middle) + 1
    assert f"{parts}/{parts}" in last
    assert label in last


def long_form():
    """Two short questions around one of three pages, then one with more answers than a page."""
    words = " ".join(f"w{number:04d}" for number in range(900))
    values = ("bad", "fair", "good", "great")
    before, after = question("before", values), question("after", values)
    long = dataclasses.replace(question("long", values), text={"en": words})
    many = question("many", tuple(f"answer{number:03d}" for number in range(60)))
    asked = (before, long, after, many, question("last"))
    design = Design(tuple(designed(one, Uniform(keep=0.7)) for one in asked[:3])
                    + tuple(designed(one, Identity()) for one in asked[3:]))  # fmt: skip
    return design, Questionnaire(("en",), asked, {"en": "City"})


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="reads the words of a PDF")
def test_that_every_line_of_a_long_question_stands_in_the_file_once(qapp, tmp_path):
    options = KitOptions(("cards", "paper"), ("en",))
    write_kit(*long_form(), tmp_path / "kit", options, print_pdf=print_kit)
    for name in ("cards.en.pdf", "paper.en.pdf"):
        printed = "".join(page_texts(tmp_path / "kit" / name))
        words = re.findall(r"w\d{4}", printed)
        assert sorted(words) == [f"w{number:04d}" for number in range(900)], name


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="reads the words of a PDF")
def test_that_a_question_longer_than_a_page_shares_its_first_and_last_page(qapp, tmp_path):
    options = KitOptions(("paper",), ("en",))
    write_kit(*long_form(), tmp_path / "kit", options, print_pdf=print_kit)
    pages = page_texts(tmp_path / "kit" / "paper.en.pdf")
    (first,) = (page for page in pages if "2.w0000" in page)
    assert "1.Haveyoueverdonebefore?" in first
    (last,) = (page for page in pages if "w0899" in page)
    assert "3.Haveyoueverdoneafter?" in last
    assert "5.Haveyoueverdonelast?" in pages[-1]
    assert "Answer059" in pages[-1]


def test_that_a_language_is_printed_from_its_own_side(qapp, tmp_path):
    texts = {"en": "Did you ride without a ticket?", "ar": "هل ركبت بدون تذكرة؟"}
    asked = question("ride", ("bad", "fair", "good", "great"))
    answers = tuple(
        dataclasses.replace(one, text={**one.text, "ar": "نعم"}) for one in asked.answers
    )
    asked = dataclasses.replace(asked, text=texts, answers=answers)
    design = Design((designed(asked, Uniform(keep=0.7)),))
    form = Questionnaire(("en", "ar"), (asked,), {"en": "City", "ar": "مدينة"})
    jobs = {}
    options = KitOptions(("cards", "paper"), ("en", "ar"))
    write_kit(
        design, form, tmp_path / "kit", options,
        print_pdf=lambda job, path: jobs.setdefault(path.name, job) and path.touch(),
    )  # fmt: skip
    assert jobs["paper.ar.pdf"].direction == "rtl"
    assert jobs["paper.en.pdf"].direction == "ltr"
    # The program's own words are English here, and are not set from the other side.
    assert '<p class="do" dir="ltr">' in jobs["paper.ar.pdf"].blocks[1]
    assert f'<p class="heading" dir="rtl">{texts["ar"]}</p>' in jobs["cards.ar.pdf"].blocks[0]
    assert jobs["cards.ar.pdf"].direction == "ltr"


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_that_the_same_kit_is_the_same_file_under_every_theme(theme, paper, tmp_path):
    ThemeManager(theme).apply()
    design, asked = small()
    options = KitOptions(("cards", "paper"), ("en", "pl"))
    write_kit(design, asked, tmp_path / "kit", options, print_pdf=print_kit)
    for file in sorted(paper.iterdir()):
        assert (tmp_path / "kit" / file.name).read_bytes() == file.read_bytes(), file.name


def test_that_nothing_marks_a_sheet(paper):
    content = (paper / "paper.en.pdf").read_bytes()
    assert b"D:20000101000000Z" in content
    streams = re.findall(rb"stream\r?\n(.*?)endstream", content, re.DOTALL)
    plain = b"".join(zlib.decompress(one) for one in streams if one[:1] == b"\x78")
    assert plain
    assert b"/home" not in content + plain


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gs") is None, reason="reads the words of a PDF")
def test_that_the_words_of_every_card_are_printed(qapp, tmp_path):
    design, asked = every_procedure()
    options = KitOptions(("cards",), ("en", "pl"))
    write_kit(design, asked, tmp_path / "kit", options, print_pdf=print_kit)
    form = build_form(design, asked, ("en", "pl"))
    for code in ("en", "pl"):
        path = tmp_path / "kit" / f"cards.{code}.pdf"
        command = ["gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=txtwrite", "-sOutputFile=-"]
        made = subprocess.run(
            [*command, str(path)], capture_output=True, check=True, timeout=PATIENCE
        )
        # Signs and accents have shapes which a reader of PDF may not know.
        printed = "".join(_LETTER.findall(made.stdout.decode()))
        for card in (one for one in form.cards if one.language == code):
            for line in (*card.sentences, *card.steps, card.nobody, card.example):
                for word in re.findall(r"[a-zA-Z]{3,}(?= )", line):
                    assert word in printed, line


def test_that_a_face_of_a_die_has_its_pips():
    form = build_form(*every_procedure(), ("en",))
    (card,) = (one for one in form.cards if one.names == ("forced",))
    drawn = [tile.to_svg(PRINT).count("<circle") for tile in card.picture.tiles]
    assert drawn == [1, 2, 3, 4, 5, 6]
    for one in form.cards:
        if one.picture is not None:
            colours = set(re.findall(r'fill="(#\w+|\w+)"', one.picture.to_svg(PRINT)))
            # Black, white and grey alone.
            assert all(len({c[1:3], c[3:5], c[5:7]}) == 1 for c in colours), colours
            assert one.picture.size(PRINT)[0] <= 344


_LONG = ("never in my life", "once or twice a year", "about once every month", "every week or more")


@pytest.mark.parametrize(
    ("values", "mechanism", "device"),
    [
        (_LONG, Uniform(keep=0.7), None),
        (_LONG, Uniform(keep=0.625), None),
        (("no, I have never done that", "yes, at least once"), Forced(p_truth=2 / 3), "die"),
        (("no, I have never done that", "yes, at least once"), Forced(p_truth=0.7), "deck"),
    ],
)
def test_that_long_answers_stand_below_their_tiles_in_full(qapp, values, mechanism, device):
    asked = question("trips", values)
    design = Design((designed(asked, mechanism, device),))
    form = build_form(design, Questionnaire(("en",), (asked,), {"en": "City"}), ("en",))
    picture = form.cards[0].picture
    below = {" ".join(tile.meaning.split()) for tile in picture.tiles}
    assert below == {"truth", *(value.capitalize() for value in values)}
    assert picture.size(PRINT)[0] <= 344
    font = QFont(["Inter", "sans-serif"])
    font.setPixelSize(14)
    room = QFontMetricsF(font)
    for tile in picture.tiles:
        for line in tile.meaning.split("\n"):
            assert room.horizontalAdvance(line) <= tile.width + 4, line


def test_that_an_answer_of_a_paragraph_leaves_room_for_the_card(qapp):
    asked = question("trips", tuple(f"{one} {'and a word ' * 40}" for one in "abcd"))
    design = Design((designed(asked, Uniform(keep=0.7)),))
    form = build_form(design, Questionnaire(("en",), (asked,), {"en": "City"}), ("en",))
    assert form.cards[0].picture.size(PRINT)[1] <= 300


def test_that_a_card_of_three_coins_fits_on_one_page_and_its_faces_into_their_tiles(qapp, tmp_path):
    asked = question("ride")
    design = Design((designed(asked, Related(theta=0.625), "three-coins"),))
    form = Questionnaire(("pl",), (asked,), {"pl": "Miasto"})
    write_kit(design, form, tmp_path / "kit", KitOptions(("cards",)), print_pdf=print_kit)
    assert page_count(tmp_path / "kit" / "cards.pl.pdf") == 1
    (card,) = build_form(design, form, ("pl",)).cards
    for tile in card.picture.tiles:
        size = re.search(rf'font-size="([\d.]+)"[^>]*>{tile.face}<', tile.to_svg(PRINT))[1]
        font = QFont(["Inter", "sans-serif"])
        font.setPixelSize(round(float(size)))
        assert float(size) >= 13.4, "10 points"
        assert QFontMetricsF(font).horizontalAdvance(tile.face) <= tile.width - 2


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="reads the words of a PDF")
def test_that_signs_beside_digits_are_found_in_the_file(qapp, tmp_path):
    words = "Between 2026-11-17 and 18:30 (or 3-4): 100 % (all 7)?"
    asked = dataclasses.replace(question("ride"), text={"en": words})
    design = Design((designed(asked, Forced(p_truth=2 / 3), "die"),))
    form = Questionnaire(("en",), (asked,), {"en": "City"})
    options = KitOptions(("cards", "paper"), ("en",))
    write_kit(design, form, tmp_path / "kit", options, print_pdf=print_kit)
    for name in ("cards.en.pdf", "paper.en.pdf"):
        assert "".join(words.split()) in "".join(page_texts(tmp_path / "kit" / name)), name


def test_that_letters_which_join_keep_their_shapes(qapp):
    joined = QFont(["Inter", "Noto Sans", "Sans Serif"], 10)
    assert printed_font(10, "هل ركبت بدون تذكرة؟").styleStrategy() == joined.styleStrategy()
    assert printed_font(10, "Zażółć: (3-4)").styleStrategy() != joined.styleStrategy()
