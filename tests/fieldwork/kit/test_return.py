"""What a platform exports of a kit's form comes back as the same answers, without guesses."""

from __future__ import annotations

import csv
import dataclasses
import json
import shutil
import warnings
from collections import Counter

import pytest
from examples import sweep
from kits import ROWS, designed, every_procedure, number, question, small

from ppworkbench.cli.main import main
from ppworkbench.core.data.files import read_table
from ppworkbench.core.design import Additive, Design, Forced, Identity
from ppworkbench.core.design.design_file import publishable
from ppworkbench.core.errors import DataError
from ppworkbench.fieldwork.kit.kit import KitOptions, write_kit
from ppworkbench.fieldwork.kit.paper import paper_questions, paper_responses
from ppworkbench.fieldwork.responses.add import AddOptions, questions_of, read_responses
from ppworkbench.fieldwork.responses.draft import make_draft
from ppworkbench.fieldwork.responses.kit_file import Kit, find_kit, read_mapping_or_kit
from ppworkbench.fieldwork.responses.sources import read_sources
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.study import Study

TARGETS = ("xlsform", "redcap", "limesurvey", "qualtrics", "surveyjs", "text")
SCRIPTS = ("snippets-surveyjs", "snippets-qualtrics", "snippets-limesurvey")


@pytest.fixture(scope="module")
def kit(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kits") / "kit"
    design, asked = small()
    result = write_kit(design, asked, folder, KitOptions((*TARGETS, "snippets"), ("en", "pl")))
    assert not result.refused
    return folder


def exported(target, cells, is_text, given=ROWS):
    """Rows as the target's platform exports them: names, answers by code or text."""
    columns = {name: one["targets"][target] for name, one in cells["questions"].items()}

    def cell(name, value):
        column = columns[name]
        if "codes" not in column:
            return str(value)
        texts = {v: text for text, v in reversed(column["texts"].items())}
        codes = {v: code for code, v in column["codes"].items()}
        return texts[value] if is_text else codes[value]

    names = {name: one["column"] for name, one in columns.items()}
    rows = [{names[name]: cell(name, value) for name, value in row.items()} for row in given]
    return list(names.values()), rows


def platform_file(target, path, names, rows):
    """What the platform puts around the answers."""
    head: list[list[str]] = []
    before: dict[str, list[str]] = {}
    behind: dict[str, list[str]] = {}
    delimiter = ","
    if target == "xlsform":
        delimiter = ";"
        names, rows = (
            [f"g_{name}/{name}" if name != "open" else name for name in names],
            [{(f"g_{k}/{k}" if k != "open" else k): v for k, v in row.items()} for row in rows],
        )
        behind = {"_uuid": [f"u{i}" for i in range(9)], "_submission_time": ["2026-01-01"] * 9}
    elif target == "redcap":
        before = {"record_id": [str(i) for i in range(1, 9)]}
        behind = {"survey_complete": ["2"] * 9}
    elif target == "limesurvey":
        before = {
            "id": [str(i) for i in range(1, 9)], "submitdate": ["1980-01-01 00:00:00"] * 9,
            "lastpage": ["1"] * 9, "startlanguage": ["en"] * 9, "seed": ["7"] * 9,
        }  # fmt: skip
    elif target == "qualtrics":
        before = {
            "ResponseId": [f"R_{i}" for i in range(9)], "Status": ["IP Address"] * 9,
            "Finished": ["True"] * 9,
        }  # fmt: skip
        every = [*before, *names]
        head = [every, [json.dumps({"ImportId": name}) for name in every]]
    elif target == "text":
        before = {"Timestamp": ["2026/01/01 10:00:00 AM GMT+1"] * 9}
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, delimiter=delimiter)
        lines.writerow([*before, *names, *behind])
        lines.writerows(head)
        for place, row in enumerate(rows):
            lines.writerow(
                [
                    *(cells[place] for cells in before.values()),
                    *(row[name] for name in names),
                    *(cells[place] for cells in behind.values()),
                ]
            )


def counted(table):
    columns = [table[name] for name in ROWS[0]]
    texts = [
        [c.attribute.values[int(v)] if c.attribute.values else int(v) for v in c.data]
        for c in columns
    ]
    return Counter(zip(*texts, strict=True))


WANTED = Counter(tuple(row.values()) for row in ROWS)


@pytest.mark.parametrize("is_text", [False, True], ids=["codes", "texts"])
@pytest.mark.parametrize("target", TARGETS)
def test_that_filled_forms_come_back_as_the_same_rows(kit, target, is_text, tmp_path):
    if target == "text" and not is_text:
        pytest.skip("such a form has no codes")
    said = json.loads((kit / "kit.json").read_text(encoding="utf-8"))
    path = tmp_path / "answers.csv"
    platform_file(target, path, *exported(target, said, is_text))
    design = publishable(small()[0])
    options = AddOptions("reported", mapping=read_mapping_or_kit(kit / "kit.json"))
    found = read_responses([path], design, questions_of(design, {}, {}), options)
    assert counted(found.table) == WANTED
    assert not found.unfit


@pytest.mark.parametrize("target", SCRIPTS)
def test_that_drawn_answers_come_back_as_the_same_rows(kit, target, tmp_path):
    said = json.loads((kit / "kit.json").read_text(encoding="utf-8"))
    path = tmp_path / "answers.csv"
    platform_file(target.partition("-")[2], path, *exported(target, said, is_text=False))
    design = publishable(small()[0])
    options = AddOptions("reported", mapping=read_mapping_or_kit(kit / "kit.json"))
    found = read_responses([path], design, questions_of(design, {}, {}), options)
    assert counted(found.table) == WANTED


def test_that_the_command_finds_the_kit_beside_the_file(kit, tmp_path, capsys):
    folder = tmp_path / "kit"
    shutil.copytree(kit, folder)
    said = json.loads((folder / "kit.json").read_text(encoding="utf-8"))
    # Nothing but the kit could know what "not true" or 1 means.
    platform_file("redcap", folder / "answers.csv", *exported("redcap", said, is_text=True))
    words = ["add", folder / "design.json", folder / "answers.csv", "--state", "reported"]
    assert main([*map(str, words), "--out", str(tmp_path / "out.csv"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["columns"]["warner"] == "warner"
    assert counted(read_table(tmp_path / "out.csv")) == WANTED


def test_that_a_form_in_another_language_is_known_by_its_wording(kit, tmp_path):
    said = json.loads((kit / "kit.json").read_text(encoding="utf-8"))
    names, rows = exported("text", said, is_text=True)
    polish = {
        one["targets"]["text"]["column"]: one["targets"]["text"]["also"][0]
        for one in said["questions"].values()
    }
    rows = [{polish[name]: cell for name, cell in row.items()} for row in rows]
    path = tmp_path / "answers.csv"
    platform_file("text", path, [polish[name] for name in names], rows)
    design = publishable(small()[0])
    options = AddOptions("reported", mapping=read_mapping_or_kit(kit / "kit.json"))
    found = read_responses([path], design, questions_of(design, {}, {}), options)
    assert counted(found.table) == WANTED


def test_that_a_kit_beside_a_file_of_another_form_is_no_obstacle(kit, tmp_path):
    design = publishable(small()[0])
    shutil.copy(kit / "kit.json", tmp_path / "kit.json")
    path = tmp_path / "typed.csv"
    path.write_text("forced,warner,mood,age,open,more\nno,yes,good,44,man,x\n", encoding="utf-8")
    beside = find_kit([path], design)
    assert isinstance(beside, Kit)
    assert not beside.is_chosen
    options = AddOptions("reported", mapping=beside)
    found = read_responses([path], design, questions_of(design, {}, {}), options)
    assert found.table.rows == 1


def test_that_a_draft_in_the_window_is_filled_by_the_kit_beside_the_file(kit, tmp_path):
    design, asked = small()
    shutil.copy(kit / "kit.json", tmp_path / "kit.json")
    said = json.loads((kit / "kit.json").read_text(encoding="utf-8"))
    path = tmp_path / "answers.csv"
    platform_file("qualtrics", path, *exported("qualtrics", said, is_text=True))
    study = Study("City", design=design, questionnaire=asked)
    draft = make_draft(read_sources([path], design), study, AddOptions("reported"))
    assert draft.problem is None
    assert counted(draft.responses.table) == WANTED
    assert not any(one.open_rows for one in draft.questions)


def test_that_paper_answers_come_back_as_the_same_rows(tmp_path):
    design, asked = small()
    # The sheets have the order of the questionnaire, which need not be that of the design.
    asked = dataclasses.replace(asked, questions=asked.questions[::-1])
    options = KitOptions(("paper",), ("en", "pl"))
    write_kit(design, asked, tmp_path / "kit", options, print_pdf=lambda _job, path: path.touch())
    said = json.loads((tmp_path / "kit" / "kit.json").read_text(encoding="utf-8"))["questions"]
    study = Study("City", design=design, questionnaire=asked)
    questions = paper_questions(study)
    assert [one.name for one in questions] == list(said) == list(asked.names)
    sheets = []
    for row in ROWS:
        sheet = {}
        for one in questions:
            codes = said[one.name]["targets"]["paper"].get("codes", {})
            typed = next((code for code, value in codes.items() if value == row[one.name]), "")
            sheet[one.name] = one.value(typed) if typed else str(row[one.name])
        sheets.append(sheet)
    found = paper_responses(study, sheets, "reported")
    assert counted(found.table) == WANTED
    # What is ticked on the sheet is what whoever types in reads.
    (warner,) = (one for one in questions if one.name == "warner")
    assert warner.texts == ("not true (No)", "true (Yes)")


def kit_of(folder, target, *questions):
    """The kit of some questions for one target, and the design."""
    design = publishable(Design(tuple(designed(one, Identity()) for one in questions)))
    asked = Questionnaire(("en", "pl"), questions, {"en": "City", "pl": "Miasto"})
    write_kit(design, asked, folder / "kit", KitOptions((target,), ("en", "pl")))
    return read_mapping_or_kit(folder / "kit" / "kit.json"), design


def read_with(kit, design, path):
    """The rows of a file as texts, in some order, and what was said."""
    options = AddOptions("reported", mapping=kit)
    found = read_responses([path], design, questions_of(design, {}, {}), options)
    assert not found.unfit
    assert not found.unfinished
    values = [[column.attribute.values[place] for place in column.data] for column in found.table]
    return sorted(zip(*values, strict=True)), found.notes


def counting(name):
    """A question whose answers are digits, which could be codes as well."""
    asked = question(name, ("0", "1", "2", "3"))
    answers = (dataclasses.replace(one, text={"en": one.value, "pl": one.value})
               for one in asked.answers)  # fmt: skip
    return dataclasses.replace(asked, answers=tuple(answers))


GOOGLE = """Timestamp,Have you ever done children?,Have you ever done open?
2026/01/01 10:00:00 AM,1,Man
2026/01/01 11:00:00 AM,2,Woman
"""


@pytest.mark.parametrize(
    ("target", "rows"),
    [
        ("redcap", "record_id,children,open,survey_complete\n1,1,Man,2\n2,2,Woman,2\n"),
        ("xlsform", "children;open;_uuid;_submission_time\n1;Man;a;x\n2;Woman;b;x\n"),
        ("text", GOOGLE),
    ],
)  # fmt: skip
def test_that_answers_which_are_digits_are_texts_where_the_file_has_texts(target, rows, tmp_path):
    chosen, design = kit_of(
        tmp_path, target, counting("children"), question("open", ("woman", "man"))
    )
    path = tmp_path / "answers.csv"
    path.write_text(rows, encoding="utf-8")
    found, _ = read_with(chosen, design, path)
    assert found == [("1", "man"), ("2", "woman")]
    path.write_text(rows.replace("Woman", "1").replace("Man", "2"), encoding="utf-8")
    if target != "text":
        found, notes = read_with(chosen, design, path)
        assert found == [("0", "man"), ("1", "woman")]
        assert not any("could be values or codes" in one for one in notes)


def test_that_a_file_which_could_be_codes_or_texts_is_said_to_be_so(tmp_path):
    chosen, design = kit_of(tmp_path, "redcap", counting("children"))
    path = tmp_path / "answers.csv"
    path.write_text("record_id,children,survey_complete\n1,1,2\n2,2,2\n", encoding="utf-8")
    found, notes = read_with(chosen, design, path)
    assert found == [("0",), ("1",)]
    assert any("could be values or codes; they were read as codes" in one for one in notes)


@pytest.mark.parametrize(
    "name",
    sweep(
        ["task complete", "record_id", "id", "seed", "submitdate", "status", "Finished", "KEY"],
        quick=("record_id", "id", "KEY"),
    ),
)
@pytest.mark.parametrize("target", ["redcap", "limesurvey", "qualtrics", "xlsform"])
def test_that_names_of_a_platform_s_own_columns_lose_no_row(target, name, tmp_path):
    rows = tuple({name: value, "open": "man"} for value in ("no", "yes", "yes"))
    chosen, design = kit_of(tmp_path, target, question(name), question("open", ("woman", "man")))
    said = json.loads((tmp_path / "kit" / "kit.json").read_text(encoding="utf-8"))
    path = tmp_path / "answers.csv"
    platform_file(target, path, *exported(target, said, is_text=False, given=rows))
    found, _ = read_with(chosen, design, path)
    assert found == [("no", "man"), ("yes", "man"), ("yes", "man")]


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("redcap", "Record ID,{pipe},{open},Complete?\n1,a/b,Man,Complete\n2,C,Woman,Complete\n"),
        ("xlsform", "Group/{pipe},{open},_uuid,_submission_time\n1,Man,x,1\n2,Woman,y,1\n"),
    ],
)
def test_that_labels_for_names_are_known_to_the_kit(target, text, tmp_path):
    pipe = question("pipe", ("a|b", "c"), text="Either/or - or else. Which?")
    chosen, design = kit_of(tmp_path, target, pipe, question("open", ("woman", "man")))
    path = tmp_path / "answers.csv"
    told = {"pipe": "Either/or - or else. Which?", "open": "Have you ever done open?"}
    path.write_text(text.format_map(told), encoding="utf-8")
    if target == "xlsform":
        path.write_text(path.read_text().replace("1,Man", "A|b,Man").replace("2,W", "C,W"))
    assert read_with(chosen, design, path)[0] == [("a|b", "man"), ("c", "woman")]


def test_that_the_window_reads_files_of_two_languages_by_the_kit(kit, tmp_path):
    design, asked = small()
    shutil.copy(kit / "kit.json", tmp_path / "kit.json")
    said = json.loads((kit / "kit.json").read_text(encoding="utf-8"))
    names, rows = exported("text", said, is_text=True)
    columns = {name: one["targets"]["text"] for name, one in said["questions"].items()}
    platform_file("text", tmp_path / "english.csv", names, rows[:2])
    polish = {one["column"]: one["also"][0] for one in columns.values()}
    words = {"No": "Nie", "Yes": "Tak", "not true": "nieprawda", "true": "prawda"}
    rows = [{polish[n]: words.get(cell, cell) for n, cell in row.items()} for row in rows[2:]]
    platform_file("text", tmp_path / "polish.csv", [polish[name] for name in names], rows)
    study = Study("City", design=design, questionnaire=asked)
    files = [tmp_path / "english.csv", tmp_path / "polish.csv"]
    draft = make_draft(read_sources(files, design), study, AddOptions("reported"))
    assert draft.problem is None
    assert counted(draft.responses.table) == WANTED


@pytest.mark.parametrize("is_text", [False, True], ids=["codes", "labels"])
def test_that_redcap_projects_of_two_languages_are_told_apart(kit, is_text, tmp_path):
    said = json.loads((kit / "kit.json").read_text(encoding="utf-8"))
    names, rows = exported("redcap", said, is_text=is_text)
    files = []
    for code, some in (("en", rows[:2]), ("pl", rows[2:])):
        with (kit / f"redcap.{code}.csv").open(encoding="utf-8", newline="") as file:
            _, first, *_ = csv.reader(file)
        record = first[4] if is_text else first[0]
        path = tmp_path / f"{code}.csv"
        platform_file("redcap", path, names, some)
        path.write_text(path.read_text(encoding="utf-8").replace("record_id", record, 1))
        files.append(path)
    design = publishable(small()[0])
    chosen = read_mapping_or_kit(kit / "kit.json")
    # Both projects count their records from 1.
    options = AddOptions("reported", mapping=chosen)
    files.append(tmp_path / "later.csv")
    shutil.copy(files[1], files[2])
    found = read_responses(files, design, questions_of(design, {}, {}), options)
    assert counted(found.table) == WANTED
    assert found.known == 2
    assert any("Another survey can have the same ids" in note for note in found.notes)


def test_that_a_kit_of_another_design_is_refused(kit, tmp_path):
    design = publishable(every_procedure()[0])
    path = tmp_path / "answers.csv"
    path.write_text("forced\nno\n", encoding="utf-8")
    chosen = read_mapping_or_kit(kit / "kit.json")
    with pytest.raises(DataError, match="belongs to another design"):
        read_responses([path], design, (), AddOptions("reported", mapping=chosen))
    design = publishable(small()[0])
    with pytest.raises(DataError, match="add them as reported"):
        read_responses([path], design, (), AddOptions("true", mapping=chosen))
    asked = questions_of(design, {}, {})
    with pytest.raises(DataError, match="under the name that the kit gave it"):
        read_responses([path], design, asked, AddOptions("reported", mapping=chosen))


def test_that_a_damaged_kit_is_refused(kit, tmp_path):
    given = json.loads((kit / "kit.json").read_text(encoding="utf-8"))
    path = tmp_path / "kit.json"
    for key, value in (("version", 2), ("questions", 5), ("targets", {"x": 1}), ("digest", None)):
        changed = {**given, key: value}
        if value is None:
            del changed[key]
        path.write_text(json.dumps(changed), encoding="utf-8")
        with pytest.raises(DataError, match=r"kit\.json"):
            read_mapping_or_kit(path)


def test_that_a_cell_which_is_no_answer_is_counted(kit, tmp_path):
    said = json.loads((kit / "kit.json").read_text(encoding="utf-8"))
    names, rows = exported("redcap", said, is_text=False)
    rows[0]["mood"] = "9"
    path = tmp_path / "answers.csv"
    platform_file("redcap", path, names, rows)
    design = publishable(small()[0])
    options = AddOptions("reported", mapping=read_mapping_or_kit(kit / "kit.json"))
    found = read_responses([path], design, questions_of(design, {}, {}), options)
    assert found.unfit == (("mood", "9", 1),)
    assert found.table.rows == len(ROWS) - 1


@pytest.mark.slow
@pytest.mark.parametrize("languages", [("en",), ("en", "pl")])
def test_that_pyxform_converts_the_form_without_a_warning(languages, tmp_path):
    xls2xform = pytest.importorskip("pyxform.xls2xform")
    design, asked = every_procedure()
    write_kit(design, asked, tmp_path / "kit", KitOptions(("xlsform",), languages))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        made = xls2xform.convert(
            str(tmp_path / "kit" / "xlsform.xlsx"),
            validate=shutil.which("java") is not None,
            pretty_print=False,
        )
    assert made.warnings == []
    assert made.xform.count("<select1") == 12
    assert "field-list" in made.xform
    for word in ("deviceid", "audit", "geopoint", "<start", "<end"):
        assert word not in made.xform


@pytest.mark.slow
def test_that_pyxform_takes_texts_with_marks_and_a_form_without_answers(tmp_path):
    xls2xform = pytest.importorskip("pyxform.xls2xform")
    text = "<script>alert(1)</script> \"q\" 'a'\tb\nc & zażółć مرحبا =1+1 *x*"
    strange = dataclasses.replace(question("strange"), text={"en": text, "pl": text})
    for place, (asked, mechanism) in enumerate(
        ((strange, Forced(p_truth=2 / 3)), (number("age"), Additive(half_width=3)))
    ):
        design = Design((designed(asked, mechanism),))
        form = Questionnaire(("en", "pl"), (asked,), {"en": "مرحبا 2026", "pl": "Łódź"})
        folder = tmp_path / str(place)
        write_kit(design, form, folder, KitOptions(("xlsform",), ("en", "pl")))
        made = xls2xform.convert(
            str(folder / "xlsform.xlsx"),
            validate=shutil.which("java") is not None,
            pretty_print=False,
        )
        assert made.warnings == []
        assert "<script>" not in made.xform


OWN = (
    "status", "finished", "progress", "id", "seed", "token", "submitdate", "startdate", "record_id",
    "survey_complete", "uuid", "key", "start", "end", "today", "username", "instanceid",
    "timestamp",
)  # fmt: skip
"""Names that platforms have for columns of their own."""


@pytest.mark.parametrize("target", TARGETS)
def test_that_a_question_may_be_called_what_a_platform_calls_its_own(target, tmp_path):
    asked = Questionnaire(("en",), tuple(question(name, ("0", "1")) for name in OWN))
    design = Design(tuple(designed(one, Identity()) for one in asked.questions))
    write_kit(design, asked, tmp_path / "kit", KitOptions((target,), ("en",)))
    given = [dict.fromkeys(OWN, "0"), dict.fromkeys(OWN, "1"), dict.fromkeys(OWN[:9], "1")]
    given[2] |= dict.fromkeys(OWN[9:], "0")
    said = json.loads((tmp_path / "kit" / "kit.json").read_text(encoding="utf-8"))
    path = tmp_path / "kit" / "answers.csv"
    platform_file(target, path, *exported(target, said, target == "text", given))
    options = AddOptions("reported", mapping=find_kit([path], design))
    found = read_responses([path], design, questions_of(design, {}, {}), options)
    assert found.table.rows == len(given)
    rows = zip(*(found.table[name].data for name in OWN), strict=True)
    wanted = [tuple(int(row[name]) for name in OWN) for row in given]
    assert sorted(tuple(map(int, row)) for row in rows) == sorted(wanted)
    # In the window the kit is found beside the file.
    draft = make_draft(read_sources([path], design), Study(design=design), AddOptions("reported"))
    assert (draft.unfinished, draft.preview, draft.problem) == (0, 0, None)
    assert draft.responses is not None
    assert draft.responses.table.rows == len(given)


def test_that_a_question_is_no_status_where_the_platform_exports_none(tmp_path):
    asked = Questionnaire(("en",), tuple(question(one, ("0", "1")) for one in ("status", "end")))
    design = Design(tuple(designed(one, Identity()) for one in asked.questions))
    write_kit(design, asked, tmp_path, KitOptions(("qualtrics",), ("en",)))
    said = json.loads((tmp_path / "kit.json").read_text(encoding="utf-8"))
    given = [{"status": "0", "end": "1"}, {"status": "1", "end": "0"}]
    names, rows = exported("qualtrics", said, is_text=False, given=given)
    path = tmp_path / "answers.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(names)
        lines.writerow(names)
        lines.writerow([json.dumps({"ImportId": f"QID{place}"}) for place in range(len(names))])
        lines.writerows([row[name] for name in names] for row in rows)
    draft = make_draft(read_sources([path], design), Study(design=design), AddOptions("reported"))
    assert (draft.platform, draft.preview, draft.statuses) == ("qualtrics", 0, ())
    assert draft.responses is not None
    assert draft.responses.table.rows == len(given)
