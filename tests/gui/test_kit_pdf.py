"""Cards and questionnaires on paper have their size, their words and their marks."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import zlib

import pytest
from kits import designed, every_procedure, question, small

from ppworkbench.core.design import Design, Uniform
from ppworkbench.gui.kit_pdf import print_kit
from ppworkbench.study.kit import KitOptions, write_kit
from ppworkbench.study.kit.form import build_form
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.questionnaire.pictures import PRINT

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


def test_that_the_same_kit_is_the_same_file(paper, tmp_path):
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
        made = subprocess.run([*command, str(path)], capture_output=True, check=True, timeout=60)
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
