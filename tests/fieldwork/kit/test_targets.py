"""Every target writes what its platform reads, and refuses by name what it cannot say."""

from __future__ import annotations

import csv
import dataclasses
import html
import io
import json
import re

import pytest
from examples import sweep
from kits import every_procedure, question, small
from openpyxl import load_workbook

from ppworkbench.core.design import Design, DesignedAttribute, Forced, Identity, Ordinal
from ppworkbench.core.design.design_file import design_digest
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.files import resource
from ppworkbench.fieldwork.kit.form import build_form
from ppworkbench.fieldwork.kit.hand_cards import kit_words
from ppworkbench.fieldwork.kit.kit import KitOptions, asked_in, target_names, write_kit
from ppworkbench.fieldwork.kit.targets.limesurvey import COLUMNS as LIMESURVEY
from ppworkbench.fieldwork.kit.targets.redcap import COLUMNS as REDCAP
from ppworkbench.fieldwork.page.cards import card_languages
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.study import Study

PRINTED = ("cards", "paper")
WRITTEN = tuple(name for name in target_names() if name not in (*PRINTED, "snippets"))
STRANGE = "<script>alert(1)</script> \"q\" 'a'\tb\nc & ; zażółć مرحبا =1+1"
MARKS = {"xlsform": "${", "limesurvey": "{", "qualtrics": "[[", "surveyjs": "{"}
REFUSED = {
    "${x}": {"xlsform", "limesurvey", "qualtrics", "surveyjs", "snippets"},
    "{x}": {"limesurvey", "surveyjs", "snippets"},
    "[[x]]": {"qualtrics", "snippets"},
    "a|b": set(),
    STRANGE: set(),
}
"""Which targets refuse a question with such a text; all others ask it."""


def written(folder, targets, languages=("en", "pl"), source=None):
    design, asked = source or small()
    result = write_kit(design, asked, folder / "kit", KitOptions(tuple(targets), languages))
    assert not result.refused
    return folder / "kit"


def strange(text=STRANGE, answer="a|b"):
    """Texts that mean something to one of the platforms."""
    one = question("strange", text=text)
    answers = (
        dataclasses.replace(one.answers[0], text={"en": answer, "pl": answer}),
        dataclasses.replace(one.answers[1], text={"en": f"={answer}", "pl": f"={answer}"}),
    )
    one = dataclasses.replace(one, answers=answers, text={"en": text, "pl": text})
    design = Design((DesignedAttribute(one.attribute("en"), Forced(p_truth=2 / 3)),))
    return design, Questionnaire(("en", "pl"), (one,), {"en": "A", "pl": "B"})


def test_that_all_targets_of_the_chapter_are_there():
    assert target_names() == (
        "cards", "paper", "xlsform", "redcap", "limesurvey", "qualtrics", "surveyjs", "text",
        "page", "snippets",
    )  # fmt: skip


def test_that_all_languages_have_the_same_words():
    english = kit_words("en")
    for language in card_languages():
        words = kit_words(language)
        assert set(words) == set(english)
        for key, text in english.items():
            assert sorted(re.findall(r"\{\w+\}", words[key])) == sorted(
                re.findall(r"\{\w+\}", text)
            )


def test_that_the_kit_says_which_column_and_code_means_what(tmp_path):
    folder = written(tmp_path, WRITTEN)
    design, _ = small()
    kit = json.loads((folder / "kit.json").read_text(encoding="utf-8"))
    assert kit["format"] == "ppworkbench-kit"
    assert kit["digest"] == design_digest(design)
    assert (folder / kit["design"]).exists()
    for name, one in kit["questions"].items():
        assert re.fullmatch(r"[a-z][a-z0-9_]{0,25}", one["short"])
        assert {"redcap", "xlsform", "limesurvey", "qualtrics"} <= set(one["targets"]), name
    # What is ticked on the card is a word of the device; it stands for a value of the design.
    assert kit["questions"]["warner"]["targets"]["redcap"] == {
        "column": "warner",
        "codes": {"1": "no", "2": "yes"},
        "texts": {"not true": "no", "nieprawda": "no", "true": "yes", "prawda": "yes"},
        "also": ["Have you ever done warner?", "Czy kiedyś: warner?"],
    }
    assert kit["questions"]["age"]["targets"]["limesurvey"] == {"column": "age"}


def redcap_rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_that_a_redcap_dictionary_has_18_columns_and_plain_codes(tmp_path):
    folder = written(tmp_path, ["redcap"])
    rows = redcap_rows(folder / "redcap.en.csv")
    assert tuple(rows[0]) == REDCAP
    assert len(REDCAP) == 18
    assert rows[0]["Variable / Field Name"] == "record_id"
    by_name = {row["Variable / Field Name"]: row for row in rows}
    assert by_name["forced"]["Choices, Calculations, OR Slider Labels"] == "1, No | 2, Yes"
    assert by_name["forced"]["Field Type"] == "radio"
    assert by_name["forced"]["Required Field?"] == "y"
    assert by_name["card_forced"]["Field Type"] == "descriptive"
    # A slip is added, so that more can be reported than is true.
    number = by_name["age"]
    assert number["Text Validation Type OR Show Slider Number"] == "integer"
    assert (number["Text Validation Min"], number["Text Validation Max"]) == ("13", "95")
    assert "card_open" not in by_name


def test_that_redcap_says_first_what_uploading_does(tmp_path):
    design, asked = strange()
    options = KitOptions(("redcap",), ("en",))
    result = write_kit(design, asked, tmp_path / "kit", options)
    assert "replaces all fields" in result.notes[0]
    assert "'strange'" in result.notes[1]
    rows = redcap_rows(tmp_path / "kit" / "redcap.en.csv")
    (row,) = (row for row in rows if row["Variable / Field Name"] == "strange")
    assert row["Choices, Calculations, OR Slider Labels"] == "1, a/b | 2, =a/b"
    assert html.unescape(row["Field Label"]) == STRANGE
    assert "<script>" not in (tmp_path / "kit" / "redcap.en.csv").read_text(encoding="utf-8")


def test_that_no_cell_of_a_csv_begins_a_formula(tmp_path):
    written(tmp_path, ["redcap"], ("en",), strange("=HYPERLINK(1)"))
    for row in redcap_rows(tmp_path / "kit" / "redcap.en.csv"):
        assert not any(cell.startswith(("=", "+", "@")) for cell in row.values())


def limesurvey_rows(path):
    text = path.read_bytes().decode("utf-8-sig")
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter="\t"))


def test_that_a_limesurvey_file_has_equal_rows_in_every_language(tmp_path):
    rows = limesurvey_rows(written(tmp_path, ["limesurvey"]) / "limesurvey.txt")
    assert tuple(rows[0]) == LIMESURVEY
    settings = {row["name"]: row["text"] for row in rows if row["class"] == "S"}
    assert settings == {
        "language": "en", "additional_languages": "pl", "anonymized": "Y", "datestamp": "N",
        "ipaddr": "N", "refurl": "N", "savetimings": "N",
    }  # fmt: skip
    keys = ("id", "related_id", "class", "type/scale", "name", "mandatory", "min_num_value_n")
    english, polish = (
        [
            tuple(row[key] for key in keys if key != "name" or row["class"] != "G")
            for row in rows
            if row["class"] in "GQA" and row["language"] == code
        ]
        for code in ("en", "pl")
    )
    assert english == polish
    questions = {row["name"]: row for row in rows if row["class"] == "Q"}
    assert questions["cardforced"]["type/scale"] == "X"
    assert (questions["forced"]["type/scale"], questions["age"]["type/scale"]) == ("L", "N")
    assert questions["age"]["max_num_value_n"] == "95"
    answers = [row for row in rows if row["class"] == "A" and row["language"] == "pl"]
    assert [row["name"] for row in answers[:2]] == ["A1", "A2"]
    assert all(row["type/scale"] == "0" for row in answers)
    # Every group, question and answer is where its parent says.
    identifiers = {row["id"] for row in rows if row["class"] in "GQ"}
    assert {row["related_id"] for row in answers} <= identifiers


def test_that_limesurvey_codes_are_letters_and_digits(tmp_path):
    design, asked = every_procedure()
    write_kit(design, asked, tmp_path / "kit", KitOptions(("limesurvey",)))
    rows = limesurvey_rows(tmp_path / "kit" / "limesurvey.txt")
    codes = [row["name"] for row in rows if row["class"] == "Q"]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[a-z][a-z0-9]{0,19}", code) for code in codes)


def test_that_texts_of_strangers_stay_text_in_limesurvey(tmp_path):
    rows = limesurvey_rows(written(tmp_path, ["limesurvey"], source=strange()) / "limesurvey.txt")
    (row,) = (
        r for r in rows if r["class"] == "Q" and r["name"] == "strange" and r["language"] == "en"
    )
    assert html.unescape(row["text"].replace("<br />", "\n")) == STRANGE.replace("\t", " ")
    assert "<script" not in row["text"]


def qualtrics_questions(text):
    """Questions of the Advanced Format by their id: type, text, and choices by code."""
    assert text.startswith("[[AdvancedFormat]]\n")
    found = {}
    for block in re.split(r"^\[\[Question:", text, flags=re.MULTILINE)[1:]:
        kind, rest = block.split("]]\n", 1)
        name = re.match(r"\[\[ID:(.*?)\]\]\n", rest)[1]
        body = rest.split("]]\n", 1)[1].split("\n[[Block:")[0]
        said, _, choices = body.partition("\n[[AdvancedChoices]]\n")
        pairs = re.findall(r"\[\[Choice:(\d+)\]\]\n(.*)", choices)
        found[name] = kind, said.strip(), {int(code): text for code, text in pairs}
    return found


def test_that_qualtrics_gets_blocks_cards_and_coded_choices(tmp_path):
    folder = written(tmp_path, ["qualtrics"])
    text = (folder / "qualtrics.txt").read_text(encoding="utf-8")
    found = qualtrics_questions(text)
    assert found["card_forced"][0] == "DB"
    kind, said, choices = found["forced"]
    assert kind == "MC:SingleAnswer:Vertical"
    assert said.startswith("Have you ever done forced?")
    assert choices == {1: "No", 2: "Yes"}
    assert found["age"][0] == "TE:SingleLine"
    assert text.count("[[Block:") == 2
    told = (folder / "qualtrics-checklist.txt").read_text(encoding="utf-8")
    assert "Anonymize responses" in told
    assert "from 13 to 95" in told
    assert "Force response: forced" in told
    assert "Czy kiedyś: forced?" in told


def test_that_texts_of_strangers_stay_text_in_qualtrics(tmp_path):
    folder = written(tmp_path, ["qualtrics"], source=strange())
    _, said, choices = qualtrics_questions((folder / "qualtrics.txt").read_text(encoding="utf-8"))[
        "strange"
    ]
    assert html.unescape(said.replace("<br>", "\n")).startswith(STRANGE)
    assert choices == {1: "a|b", 2: "=a|b"}


def test_that_many_answers_become_a_list_to_choose_from(tmp_path):
    one = question("town", tuple(f"town {place}" for place in range(13)))
    design = Design((DesignedAttribute(one.attribute("en"), Identity()),))
    asked = Questionnaire(("en", "pl"), (one,))
    folder = written(tmp_path, WRITTEN, ("en",), (design, asked))
    assert redcap_rows(folder / "redcap.en.csv")[1]["Field Type"] == "dropdown"
    rows = limesurvey_rows(folder / "limesurvey.txt")
    assert [row["type/scale"] for row in rows if row["class"] == "Q"] == ["!"]
    found = qualtrics_questions((folder / "qualtrics.txt").read_text(encoding="utf-8"))
    assert found["town"][0] == "MC:DropDown"
    survey = json.loads((folder / "surveyjs.json").read_text(encoding="utf-8"))
    assert survey["pages"][0]["elements"][0]["type"] == "dropdown"


def test_that_surveyjs_has_all_languages_and_escaped_cards(tmp_path):
    folder = written(tmp_path, ["surveyjs"], source=strange("<b>bold</b>"))
    survey = json.loads((folder / "surveyjs.json").read_text(encoding="utf-8"))
    card, asked = survey["pages"][0]["elements"]
    assert (card["type"], asked["type"]) == ("html", "radiogroup")
    assert asked["isRequired"] is True
    assert asked["title"] == {"default": "<b>bold</b>", "pl": "<b>bold</b>"}
    assert [choice["value"] for choice in asked["choices"]] == [1, 2]
    assert asked["choices"][0]["text"] == {"default": "a|b", "pl": "a|b"}
    assert set(card["html"]) == {"default", "pl"}
    assert "<b>" not in card["html"]["default"]


def test_that_a_workbook_holds_texts_and_no_formulas(tmp_path):
    folder = written(tmp_path, ["xlsform"], source=strange(f"={STRANGE}"))
    book = load_workbook(folder / "xlsform.xlsx")
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.value]
    assert all(cell.data_type == "s" for cell in cells)
    survey = [[cell.value for cell in row] for row in book["survey"].iter_rows()]
    heads = survey[0]
    assert heads[:4] == ["type", "name", "label::English (en)", "label::Polski (pl)"]
    (row,) = (row for row in survey if row[1] == "strange")
    assert row[2].replace("\r", "") == f"={STRANGE}"
    assert [row[0] for row in survey if row[0]][2:] == [
        "note", "select_one strange", "end_group"
    ]  # fmt: skip
    choices = [[cell.value for cell in row] for row in book["choices"].iter_rows()]
    assert choices[1:] == [["strange", "1", "a|b", "a|b"], ["strange", "2", "=a|b", "=a|b"]]
    settings = [[cell.value for cell in row] for row in book["settings"].iter_rows()]
    assert settings[0] == ["form_title", "form_id", "version", "default_language"]
    assert settings[1][3] == "English (en)"


def test_that_plain_text_has_everything_numbered(tmp_path):
    folder = written(tmp_path, ["text"])
    for code, yes in (("en", "Yes"), ("pl", "Tak")):
        text = (folder / f"questions.{code}.txt").read_text(encoding="utf-8")
        assert f"2) {yes}" in text
        assert re.search(r"^5\. ", text, re.MULTILINE)
        assert kit_words(code)["nobody"] in text


@pytest.mark.parametrize(("target", "mark"), MARKS.items())
def test_that_a_text_with_a_platforms_mark_is_refused_by_name(tmp_path, target, mark):
    design, asked = strange(f"What is {mark}x}}?")
    options = KitOptions((*MARKS, "redcap"), ("en",))
    result = write_kit(design, asked, tmp_path / "kit", options)
    assert (target, "strange") in [(one.target, one.attribute) for one in result.refused]
    # What others can say does not stop for it.
    assert "redcap.en.csv" in [one.file for one in result.files]


def json_texts(value):
    """All texts of a document."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in json_texts(part)]


def shown_texts(paths):
    """All that files show, without what only marks text as text."""
    shown = []
    for path in paths:
        if path.suffix == ".xlsx":
            rows = (row for sheet in load_workbook(path) for row in sheet.values)
            shown += [str(cell).replace("_x000D_", "") for row in rows for cell in row if cell]
        elif path.suffix == ".json":
            shown += json_texts(json.loads(path.read_text(encoding="utf-8")))
        else:
            shown.append(html.unescape(path.read_text(encoding="utf-8")))
    return "\n".join(shown)


def squeezed(text):
    """A text without line ends and blanks, which every format has ways of its own to write."""
    return re.sub(r"<br ?/?>|\\[nt]|\s", "", text).replace('\\"', '"').replace('""', '"')


@pytest.mark.parametrize("text", sweep(REFUSED, quick=2))
@pytest.mark.parametrize("target", target_names())
def test_that_a_target_asks_the_texts_of_strangers_or_names_them(tmp_path, target, text):
    jobs = []
    options = KitOptions((target,), ("en", "pl"))
    result = write_kit(
        *strange(text), tmp_path / "kit", options, print_pdf=lambda job, path: jobs.append(job)
    )
    if target in REFUSED[text]:
        assert {(one.target, one.attribute) for one in result.refused} == {(target, "strange")}
        return
    assert not result.refused
    printed = " ".join(block for job in jobs for block in job.blocks)
    assert "<script" not in printed
    files = [tmp_path / "kit" / one.file for one in result.files if one.target == target]
    assert files
    shown = html.unescape(printed) if target in PRINTED else shown_texts(files)
    assert squeezed(text) in squeezed(shown)


@pytest.mark.parametrize("target", [name for name in WRITTEN if name not in ("page", "snippets")])
def test_that_a_mechanism_without_a_card_is_refused_and_the_page_is_not(tmp_path, target):
    one = question("mood", ("bad", "fair", "good"))
    design = Design((DesignedAttribute(one.attribute("en"), Ordinal(weights=(0.7, 0.15))),))
    asked = Questionnaire(("en", "pl"), (one,))
    result = write_kit(design, asked, tmp_path / "kit", KitOptions((target, "page")))
    ((name, attribute, why),) = ((r.target, r.attribute, r.why) for r in result.refused)
    assert (name, attribute) == (target, "mood")
    assert why == "Too complex for a card. Ask this question on the web page."
    assert "page.html" in [one.file for one in result.files]


def test_that_random_functions_of_platforms_are_refused(tmp_path):
    design, asked = small()
    options = KitOptions(("redcap-random", "xlsform-random"))
    result = write_kit(design, asked, tmp_path / "kit", options)
    assert [one.target for one in result.refused] == ["redcap-random", "xlsform-random"]
    assert "protects nobody" in result.refused[0].why
    assert not result.files
    assert not (tmp_path / "kit").exists()
    with pytest.raises(ParameterError, match="no target called"):
        write_kit(design, asked, tmp_path / "kit", KitOptions(("fax-random",)))


def test_that_a_language_with_gaps_is_refused_and_the_gaps_are_named(tmp_path):
    design, asked = small()
    first = dataclasses.replace(asked.questions[0], text={"en": "Only English?"})
    asked = dataclasses.replace(asked, questions=(first, *asked.questions[1:]))
    with pytest.raises(DataError, match=r"'pl' has gaps: 'forced: text'|gaps: forced: text"):
        write_kit(design, asked, tmp_path / "kit", KitOptions(("text",), ("en", "pl")))
    with pytest.raises(DataError, match="has no language 'de'"):
        write_kit(design, asked, tmp_path / "kit", KitOptions(("text",), ("de",)))
    assert not (tmp_path / "kit").exists()


def test_that_a_language_without_own_words_takes_those_of_the_main_one(tmp_path):
    one = question("drug")
    words = {"pl": "Pytanie", "de": "Frage"}
    answers = tuple(dataclasses.replace(answer, text=words) for answer in one.answers)
    one = dataclasses.replace(one, text=words, answers=answers)
    design = Design((DesignedAttribute(one.attribute("pl"), Forced(p_truth=2 / 3)),))
    asked = Questionnaire(("pl", "de"), (one,))
    result = write_kit(design, asked, tmp_path / "kit", KitOptions(("text",), ("pl", "de")))
    assert any("'de'" in note and "'pl'" in note for note in result.notes)
    text = (tmp_path / "kit" / "questions.de.txt").read_text(encoding="utf-8")
    assert "Frage" in text
    assert kit_words("pl")["nobody"] in text


def test_that_without_a_printer_only_paper_is_refused(tmp_path):
    design, asked = small()
    result = write_kit(design, asked, tmp_path / "kit", KitOptions((*PRINTED, "text")))
    assert [one.target for one in result.refused] == [*PRINTED]
    assert "questions.en.txt" in [one.file for one in result.files]


def test_that_questionnaire_and_design_must_fit(tmp_path):
    design, asked = small()
    other = dataclasses.replace(asked, questions=(question("other"),))
    with pytest.raises(DataError, match="'other', which is not in the design"):
        write_kit(design, other, tmp_path / "kit")
    first = asked.questions[0]
    fewer = dataclasses.replace(first, answers=first.answers[:1])
    other = dataclasses.replace(asked, questions=(fewer, *asked.questions[1:]))
    with pytest.raises(DataError, match="'yes' in the design, but not in the questionnaire"):
        write_kit(design, other, tmp_path / "kit")


def test_that_a_study_without_a_questionnaire_asks_in_the_words_of_its_design():
    design, asked = small()
    study = Study(design=design, title="City")
    found = asked_in(study)
    assert found.names == asked.names
    assert asked_in(study.with_(questionnaire=asked)) is asked


def test_that_every_card_has_an_example_and_says_that_nobody_sees():
    for group in ("unrelated", "related"):
        form = build_form(*every_procedure(group), ("en", "pl"))
        assert not form.refusals
        assert len(form.cards) == 2 * 11
        for card in form.cards:
            assert card.nobody
            assert card.why or card.warnings
            assert card.example
            assert "{" not in " ".join((*card.lines, card.prepare))


def test_that_a_later_question_of_a_group_uses_the_same_throw():
    form = build_form(*every_procedure(), ("en",))
    items = {item.name: item for item in form.items}
    assert items["first of two"].cards
    assert not items["second of two"].cards
    assert items["second of two"].notes["en"][0] == (
        "Use the throw that you made for “Have you ever done first of two?”."
    )


def test_that_styles_print_nothing_below_10_points():
    for name in ("cards.css", "cards-compact.css", "cards-long.css", "paper.css"):
        text = resource("kit", name).read_text(encoding="utf-8")
        sizes = [float(size) for size in re.findall(r"font-size: ([\d.]+)pt", text)]
        assert min(sizes) >= 10
        assert max(sizes) >= 14
