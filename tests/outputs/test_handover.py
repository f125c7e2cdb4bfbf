"""Descriptions that go along with a release are read by others, and their numbers are right."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shlex
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from arm_studies import original_study
from designs import ALL_CASES, SET_CASES, classic_study
from studies import listed_study, make_study

from ppworkbench.cli.main import main
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Identity,
    Related,
    Uniform,
)
from ppworkbench.core.design.devices import Device
from ppworkbench.core.errors import DataError
from ppworkbench.fieldwork.opening import open_anything
from ppworkbench.outputs.bundle import BundleOptions, released_study, write_bundle
from ppworkbench.outputs.handover.checklist import first_open, release_checklist
from ppworkbench.outputs.handover.ddi import ddi_text
from ppworkbench.outputs.handover.delivery import Delivery
from ppworkbench.outputs.handover.for_analysts import analysts_text, worked_numbers
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.description import SurveyDescription
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.language import tongue_of
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.questionnaire.texts import texts_of
from ppworkbench.study.release import Topic, release_points, undistorted
from ppworkbench.study.study import Study

SCHEMA = os.environ.get("PPWORKBENCH_DDI_SCHEMA", "")
"""The folder of codebook.xsd of DDI-Codebook 2.5, which is not passed on with the program."""
NASTY = '<script>alert("1")</script>\t&amp; ${x} {y} [[z]] a|b\x0b Łódź שלום\n=1+1'
FIELDS = SurveyDescription(
    "A. Author", "The archive", "10.1/x", "en", "About health.", "Adults of a town.", "Cards"
)
ORDER = {
    "codeBook": ["docDscr", "stdyDscr", "fileDscr", "dataDscr"],
    "docDscr": ["citation"],
    "stdyDscr": ["citation", "stdyInfo", "method"],
    "citation": ["titlStmt", "rspStmt", "prodStmt", "distStmt"],
    "titlStmt": ["titl", "parTitl", "IDNo"],
    "rspStmt": ["AuthEnty"],
    "prodStmt": ["software"],
    "distStmt": ["distrbtr"],
    "stdyInfo": ["abstract", "sumDscr"],
    "sumDscr": ["universe"],
    "method": ["dataColl"],
    "dataColl": ["sampProc", "collMode", "resInstru"],
    "fileDscr": ["fileTxt"],
    "fileTxt": ["fileName", "dimensns"],
    "dimensns": ["caseQnty", "varQnty"],
    "dataDscr": ["var"],
    "var": ["labl", "qstn", "catgry", "concept", "derivation", "varFormat", "notes"],
    "qstn": ["preQTxt", "qstnLit"],
    "catgry": ["catValu", "labl", "catStat"],
    "derivation": ["drvdesc", "drvcmd"],
}
"""The elements that are written, in the order of the schema's sequences."""


def validate(path: Path) -> Any:
    """What frictionless says of a description; to import it takes long."""
    import frictionless

    return frictionless.validate(str(path))


def parse(text: str) -> ET.Element:
    """The root of a file, its elements checked for their order."""
    root = ET.fromstring(text)
    for element in root.iter():
        name = plain(element)
        places = [ORDER[name].index(plain(child)) for child in element]
        assert places == sorted(places), name
    assert root.tag == "{ddi:codebook:2_5}codeBook"
    assert root.get("version") == "2.5"
    assert found(root, "stdyDscr/citation/titlStmt/titl")
    assert all(variable.get("name") for variable in root.iter("{ddi:codebook:2_5}var"))
    identifiers = [element.get("ID") for element in root.iter() if element.get("ID")]
    assert len(set(identifiers)) == len(identifiers)
    return root


def plain(element: ET.Element) -> str:
    return element.tag.removeprefix("{ddi:codebook:2_5}")


def found(root: ET.Element, path: str) -> list[str]:
    steps = "/".join(f"{{ddi:codebook:2_5}}{step}" for step in path.split("/"))
    return [element.text or "" for element in root.findall(steps)]


def text_of(folder: Path, suffix: str) -> str:
    (path,) = (path for path in folder.iterdir() if path.name.endswith(suffix))
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def study() -> Study:
    return make_study("Small survey", rows=300).with_(description=FIELDS)


@pytest.fixture(scope="module")
def folder(study, tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("bundle") / "out"
    write_bundle(study, target, BundleOptions(report=False))
    return target


def delivery_of(study: Study, **changes: object) -> Delivery:
    """What a recipient of a study would have."""
    got = released_study(study)
    made = Delivery(
        study.title, got.distorted, got.design, got.state, "data.csv", "data-design.json",
        "2024-05-01", study.description, study.questionnaire,
    )  # fmt: skip
    return dataclasses.replace(made, **changes)


def test_that_the_ddi_file_says_what_is_known_in_the_order_of_the_schema(study, folder):
    root = parse(text_of(folder, ".ddi.xml"))
    assert found(root, "stdyDscr/citation/titlStmt/titl") == ["Small survey"]
    assert found(root, "stdyDscr/citation/rspStmt/AuthEnty") == ["A. Author"]
    assert found(root, "stdyDscr/citation/distStmt/distrbtr") == ["The archive"]
    assert found(root, "stdyDscr/stdyInfo/abstract") == ["About health."]
    assert found(root, "stdyDscr/method/dataColl/collMode") == ["Cards"]
    assert found(root, "fileDscr/fileTxt/dimensns/caseQnty") == ["300"]
    assert len(found(root, "dataDscr/var")) == len(study.design.names)
    assert set(found(root, "dataDscr/var/concept")) == {"reported answers", "as answered"}
    assert found(root, "dataDscr/var/catgry/catStat") == []
    (town,) = (v for v in root.iter("{ddi:codebook:2_5}var") if v.get("name") == "town")
    told = json.loads(found(town, "derivation/drvcmd")[0])
    assert np.array(told["P"]).sum(axis=0) == pytest.approx([1, 1, 1])
    assert "true answer c is reported as r" in told["orientation"]
    assert found(town, "catgry/catValu")[2] == "'=1+1"


def test_that_counts_are_there_when_asked_for(study):
    root = parse(ddi_text(delivery_of(study), counts=True))
    (sex,) = (v for v in root.iter("{ddi:codebook:2_5}var") if v.get("name") == "sex")
    assert sum(map(int, found(sex, "catgry/catStat"))) == 300


@pytest.mark.slow
def test_that_any_text_can_be_described(tmp_path):
    name, value = NASTY.partition("\x0b")[0], NASTY.replace("\x0b", "")
    asked = Attribute(name, Kind.NOMINAL, (value, "=b", "c"), label=NASTY)
    table = Table((Column(asked, np.arange(30) % 3),))
    told = dataclasses.replace(FIELDS, abstract=NASTY, author=NASTY)
    study = classic_study(table, "Nasty").with_(description=told)
    root = parse(ddi_text(delivery_of(study, title=NASTY)))
    assert found(root, "stdyDscr/stdyInfo/abstract") == [NASTY.replace("\x0b", "\ufffd")]
    write_bundle(study, tmp_path / "out", BundleOptions(report=False))
    parse(text_of(tmp_path / "out", ".ddi.xml"))
    assert validate(tmp_path / "out" / "datapackage.json").valid


def test_that_languages_of_the_questionnaire_are_parallel(study):
    asked = Questionnaire.of_design(study.design, texts_of(study.attributes), "en", "Small survey")
    first, *others = asked.questions
    first = dataclasses.replace(first, text={"en": "Which?", "pl": "Która?"})
    both = dataclasses.replace(
        asked, languages=("en", "pl"), questions=(first, *others),
        title={"en": "Small survey", "pl": "Mała ankieta"},
    )  # fmt: skip
    root = parse(ddi_text(delivery_of(study.with_(questionnaire=both))))
    assert found(root, "stdyDscr/citation/titlStmt/parTitl") == ["Mała ankieta"]
    (variable,) = (v for v in root.iter("{ddi:codebook:2_5}var") if v.get("name") == first.name)
    assert found(variable, "qstn/qstnLit") == ["Which?", "Która?"]
    assert len(found(variable, "qstn/preQTxt")) == 2


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".sav", ".dta", ".csv", ".xlsx", ".parquet"])
def test_that_the_ddi_file_names_what_the_cells_of_the_file_hold(tmp_path, suffix):
    values = ("bus, tram", "=car", "on foot")
    attribute = Attribute("way to work & back", Kind.NOMINAL, values)
    table = Table((Column(attribute, np.repeat(np.arange(3), 20)),))
    design = Design((DesignedAttribute(attribute, Uniform(keep=0.7)),))
    study = Study.of_distorted(table, design, "Ways")
    options = BundleOptions(format=suffix, report=False, escape_formulas=True)
    write_bundle(study, tmp_path / "out", options)
    (file,) = (path for path in (tmp_path / "out").iterdir() if path.suffix == suffix)
    (variable,) = parse(text_of(tmp_path / "out", ".ddi.xml")).iter("{ddi:codebook:2_5}var")
    read = {
        ".sav": pd.read_spss, ".dta": pd.read_stata, ".csv": pd.read_csv,
        ".xlsx": pd.read_excel, ".parquet": pd.read_parquet,
    }[suffix]  # fmt: skip
    plain_codes = {".sav": {"convert_categoricals": False}, ".dta": {"convert_categoricals": False}}
    frame = read(file, **plain_codes.get(suffix, {}))
    assert list(frame.columns) == [variable.get("name")]
    held = {
        str(int(cell)) if isinstance(cell, float | int) else str(cell) for cell in frame.iloc[:, 0]
    }
    assert {one.text for one in variable.iter("{ddi:codebook:2_5}catValu")} == held
    assert [one.text for one in variable.iterfind("{*}catgry/{*}labl")] == list(values)
    (command,) = variable.iter("{ddi:codebook:2_5}drvcmd")
    assert set(json.loads(command.text)["rows"]) == held
    (form,) = variable.iter("{ddi:codebook:2_5}varFormat")
    assert form.get("type") == ("numeric" if suffix in (".sav", ".dta") else "character")
    lines = text_of(tmp_path / "out", "FOR-ANALYSTS.txt")
    coded = suffix in (".sav", ".dta")
    assert f"{variable.get('name')}: " in lines
    assert ("1 = bus, tram" in lines) is coded


def test_that_a_language_that_is_no_code_is_left_out():
    study = make_study("Small survey", rows=30)
    told = dataclasses.replace(FIELDS, language="Polish and English")
    text = ddi_text(delivery_of(study.with_(description=told)))
    parse(text)
    assert "Polish and English" not in text


@pytest.mark.slow
@pytest.mark.skipif(not SCHEMA, reason="PPWORKBENCH_DDI_SCHEMA names no folder with codebook.xsd")
@pytest.mark.parametrize("make", [make_study, listed_study, original_study])
def test_that_the_ddi_file_keeps_to_the_schema(make, tmp_path):
    etree = pytest.importorskip("lxml.etree", reason="lxml reads the schema")
    schema = etree.XMLSchema(etree.parse(Path(SCHEMA) / "codebook.xsd"))
    study = make().with_(description=FIELDS, title=f"Łódź {NASTY}")
    for format_, counts in ((".csv", True), (".sav", False)):
        target = tmp_path / format_.removeprefix(".")
        write_bundle(study, target, BundleOptions(format=format_, report=False, counts=counts))
        (file,) = target.glob("*.ddi.xml")
        schema.validate(etree.parse(file))
        assert not schema.error_log, schema.error_log
    planned = study.with_(original=None, distorted=None)
    write_bundle(planned, tmp_path / "planned", BundleOptions(report=False))
    (file,) = (tmp_path / "planned").glob("*.ddi.xml")
    schema.validate(etree.parse(file))
    assert not schema.error_log, schema.error_log


def test_that_the_package_is_valid_and_keeps_its_promises(folder):
    file = folder / "datapackage.json"
    report = validate(file)
    assert report.valid, report.flatten(["note", "message"])
    told = json.loads(file.read_text(encoding="utf-8"))
    assert re.fullmatch(r"[a-z0-9._-]+", told["name"])
    assert told["created"].endswith("T00:00:00Z")
    assert told["state"] == "reported"
    assert "profile" not in told
    table = told["resources"][0]
    assert table["profile"] == "tabular-data-resource"
    assert all("constraints" in field for field in table["schema"]["fields"])
    assert {one["path"] for one in told["resources"]} == {
        path.name for path in folder.iterdir() if path.name not in (file.name, "README.txt")
    }


def test_that_a_changed_table_breaks_the_package(folder, tmp_path):
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    table = tmp_path / "Small-survey.csv"
    lines = table.read_text(encoding="utf-8").splitlines()
    table.write_text("\n".join([*lines, lines[1]]), encoding="utf-8")
    assert not validate(tmp_path / "datapackage.json").valid


@pytest.mark.slow
def test_that_the_command_in_the_text_runs_and_gives_its_numbers(tmp_path, monkeypatch, capsys):
    study = make_study("Small survey", rows=400)
    write_bundle(study, tmp_path / "out", BundleOptions(report=False))
    monkeypatch.chdir(tmp_path / "out")
    text = text_of(tmp_path / "out", "FOR-ANALYSTS.txt")
    (command,) = (line.strip() for line in text.splitlines() if line.startswith("    ppworkbench"))
    words = shlex.split(command)
    assert words[0] == "ppworkbench"
    assert main([*words[1:], "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["attributes"]
    received = open_anything([Path("Small-survey.csv")])
    given = Delivery(
        "Small survey", received.distorted, received.design, received.state, "Small-survey.csv",
        "Small-survey-design.json",
    )  # fmt: skip
    worked = {one.attribute: one for one in worked_numbers(given)}
    assert len(worked) >= 3
    for one in worked.values():
        assert f"{one.estimate:.4f}" in text or f"{one.estimate:.6g}" in text
        attribute = received.design[one.attribute].attribute
        if attribute.kind.is_categorical:
            share = told[one.attribute]["probability"][-1]
            assert share == pytest.approx(one.estimate, abs=1e-6)


def case_study(attribute, perturbation):
    """A study of one column under one mechanism."""
    source = np.random.default_rng(7)
    if attribute.kind.is_categorical:
        data = source.integers(0, attribute.k, 80)
    else:
        data = np.rint(source.uniform(*attribute.domain, 80))
    table = Table((Column(attribute, data),))
    return Study("Case", table, design=Design((DesignedAttribute(attribute, perturbation),)))


def test_that_every_mechanism_can_be_described():
    for attribute, perturbation in ALL_CASES:
        given = delivery_of(case_study(attribute, perturbation))
        parse(ddi_text(given, counts=True))
        text = analysts_text(given)
        assert "nan" not in text.replace("finance", ""), perturbation
        assert attribute.name in text
        assert worked_numbers(given), perturbation


def test_that_sets_are_worked_out_by_their_formula():
    attribute, perturbation = SET_CASES[0]
    given = delivery_of(case_study(attribute, perturbation))
    (worked,) = worked_numbers(given)
    naming = perturbation.naming(attribute.k)
    named = float(np.mean([attribute.values[-1] in text.split("|") for text in cells(given)]))
    assert worked.estimate == pytest.approx((named - naming.h) / (naming.g - naming.h))


def cells(given: Delivery) -> list[str]:
    from ppworkbench.core.data import sets

    column = given.table.columns[0]
    return [text or "" for text in sets.to_texts(column.data, list(column.attribute.values))]


def test_that_arms_are_told_apart(tmp_path):
    write_bundle(original_study(400), tmp_path / "out", BundleOptions(report=False))
    root = parse(text_of(tmp_path / "out", ".ddi.xml"))
    commands = [json.loads(one) for one in found(root, "dataDscr/var/derivation/drvcmd")]
    assert any("arms" in one for one in commands)
    assert "differ by arm" in text_of(tmp_path / "out", "FOR-ANALYSTS.txt")


def test_that_a_number_of_one_arm_names_it():
    got = original_study(400)
    text = analysts_text(delivery_of(got))
    assert "(drug, arm A)" in text
    assert "(job)" in text


def test_that_what_was_asked_by_a_list_is_worked_out(tmp_path, monkeypatch, capsys):
    study = listed_study()
    write_bundle(study, tmp_path / "out", BundleOptions(report=False))
    monkeypatch.chdir(tmp_path / "out")
    text = text_of(tmp_path / "out", "FOR-ANALYSTS.txt")
    commands = [line.strip() for line in text.splitlines() if line.startswith("    ppworkbench")]
    assert len(commands) == 2
    assert main([*shlex.split(commands[1])[1:], "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert f"= {told['difference']:.4f}." in " ".join(text.split())
    assert "The probabilities differ by arm" not in text
    notes = " ".join(found(parse(text_of(tmp_path / "out", ".ddi.xml")), "dataDscr/var/notes"))
    assert "owns a bicycle, has a dog" in notes
    readme = text_of(tmp_path / "out", "README.txt")
    assert readme.count("asked by a list") == 1


def test_that_the_text_says_that_rows_have_weights():
    weight = Attribute("w", Kind.CONTINUOUS, domain=(0.5, 3))
    smokes = Attribute("smokes", Kind.BINARY, ("no", "yes"))
    design = Design(
        (DesignedAttribute(smokes, Uniform(keep=0.8)), DesignedAttribute(weight, Identity())),
        sampling=Sampling(weight="w"),
    )
    table = Table((Column(smokes, np.array([0, 1, 1])), Column(weight, np.array([2.0, 1.0, 1.0]))))
    given = Delivery("Weighted", table, design, AnswerState.REPORTED, "a.csv", "d.json")
    text = analysts_text(given)
    assert "0.5000 of the reports" in text
    assert "weights in w" in text


def test_that_a_text_for_answers_to_come_says_so(study):
    given = delivery_of(study, table=None, file="", state=AnswerState.NONE)
    assert "There are no answers yet" in analysts_text(given)


def test_that_attached_tables_are_valid_whatever_their_first_rows(tmp_path):
    """Intervals of numbers may begin with a hundred rows of 0, which look like whole numbers."""
    age = Attribute("age", Kind.INTEGER, domain=(0, 150))
    smokes = Attribute("smokes", Kind.BINARY, ("no", "yes"))
    source = np.random.default_rng(2)
    table = Table(
        (Column(age, source.integers(0, 151, 300)), Column(smokes, source.integers(0, 2, 300)))
    )
    noise = Additive(noise="normal", sigma=20.0, integer="round")
    design = Design((DesignedAttribute(age, noise), DesignedAttribute(smokes, Uniform(keep=0.8))))
    write_bundle(Study("Ages", table, design=design), tmp_path / "out", BundleOptions())
    report = validate(tmp_path / "out" / "datapackage.json")
    assert report.valid, report.flatten(["note", "message"])


def test_that_the_text_is_there_in_polish(study):
    text = analysts_text(delivery_of(study, tongue=tongue_of("pl")))
    # The window writes numbers as the reader does, which it must find as numbers in a sum, too.
    sums = [one.sentence.args["terms"] for one in worked_numbers(delivery_of(study))
            if "terms" in one.sentence.args]  # fmt: skip
    assert sums
    for part in sums[0].args.values():
        assert part == "…" or isinstance(part.args["share"], float)
    assert "(-" not in text, "a minus is no hyphen"
    for english in ("One command", "Columns in order", "reported answers", "share ="):
        assert english not in text


def test_that_documents_can_be_left_out(study, tmp_path):
    options = BundleOptions(report=False, documents=False)
    write_bundle(study, tmp_path / "out", options)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        "Small-survey.csv", "Small-survey.codebook.json", "Small-survey.codebook.md",
        "Small-survey-design.json", "README.txt",
    }  # fmt: skip


def test_that_the_digests_are_those_of_the_files(folder):
    import hashlib

    listed = re.findall(r"^([0-9a-f]{64})  (\S+)$", text_of(folder, "README.txt"), re.MULTILINE)
    assert {name for _, name in listed} == {p.name for p in folder.iterdir()} - {"README.txt"}
    for digest, name in listed:
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


@pytest.mark.parametrize("invented", [False, True])
def test_that_a_study_without_real_answers_gives_all_but_a_table(study, tmp_path, invented):
    planned = Study("Plan", design=study.design)
    if invented:
        planned = study.with_(title="Plan", invented=True)
    bundle = write_bundle(planned, tmp_path / "out", BundleOptions(questionnaire=True))
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        "Plan.codebook.json", "Plan-design.json", "report.html", "questionnaire.html", "README.txt",
        "Plan.ddi.xml", "datapackage.json", "FOR-ANALYSTS.txt", "report-measures.csv",
        "report-matrices.csv",
    }  # fmt: skip
    assert bundle.rows == 0
    assert validate(tmp_path / "out" / "datapackage.json").valid
    root = parse(text_of(tmp_path / "out", ".ddi.xml"))
    assert found(root, "fileDscr") == []
    assert len(found(root, "dataDscr/var")) == len(study.design.names)
    told = text_of(tmp_path / "out", "codebook.json")
    assert ("simulated answers" if invented else "no answers yet") in told
    why = "simulated answers cannot be released" if invented else "no answers to release yet"
    assert why in text_of(tmp_path / "out", "README.txt")
    if invented:
        assert study.original["town"].attribute.label in text_of(tmp_path / "out", "codebook.json")


def test_that_invented_answers_are_not_published_in_another_way(study, tmp_path):
    from ppworkbench.outputs.bundle import PublishedTable

    made = PublishedTable(study.original)
    with pytest.raises(DataError, match="simulated answers cannot be released"):
        write_bundle(study.with_(invented=True), tmp_path / "out", published=made)
    assert list(tmp_path.iterdir()) == []


def checklist(study: Study):
    design = study.design
    return release_checklist(study, release_points(design, study.original), undistorted(design))


def test_that_the_checklist_keeps_its_order(study):
    points = checklist(study)
    assert [point.topic for point in points] == sorted(point.topic for point in points)
    assert points[0].topic is Topic.STATE
    assert points[1].said() == (
        "300 people answered: Adults of a town; the number of rows is the true number of "
        "respondents."
    )
    assert points[2].topic is Topic.BUDGET
    assert points[-1].topic is Topic.FILES
    assert first_open(checklist(study.with_(invented=True))).topic is Topic.STATE


def test_that_gaps_are_the_last_thing_that_is_open(study):
    attribute = Attribute("a", Kind.BINARY, ("no", "yes"))
    table = Table((Column(attribute, np.arange(40) % 2),))
    design = Design((DesignedAttribute(attribute, Related(theta=0.8)),))
    plain_study = Study("x", table, design=design)
    gap = first_open(checklist(plain_study))
    assert gap.topic is Topic.METADATA
    assert "Author" in gap.sentence
    assert first_open(checklist(plain_study.with_(description=FIELDS))) is None


def test_that_rare_values_and_free_text_are_found_where_nothing_randomises_them():
    town = Attribute("town", Kind.NOMINAL, ("a", "b", "c"))
    words = Attribute("words", Kind.NOMINAL, tuple(f"text {i}" for i in range(80)))
    data = np.zeros(100, np.int64)
    data[:3] = 1
    table = Table((Column(town, data), Column(words, np.arange(100) % 80)))

    def said(perturbation):
        listed = tuple(DesignedAttribute(one, perturbation) for one in (town, words))
        points = checklist(Study("x", table, design=Design(listed)))
        return [str(one.sentence) for one in points if one.topic is Topic.RARE]

    assert said(Identity()) == ["words looks like free text", "town has rare values"]
    assert said(Uniform(keep=0.5)) == []


def test_that_assumed_shares_of_devices_are_told():
    asked = Attribute("a", Kind.BINARY, ("no", "yes"))
    month = Device("birthday-month", (("truth", tuple(range(1, 10))),))
    use = Related(theta=0.75)
    design = Design((DesignedAttribute(asked, month.applied(use, asked), device=month),))
    (point,) = (one for one in release_points(design) if one.topic is Topic.DEVICE)
    assert point.good is False
    assert "assumed" in point.sentence
    known = dataclasses.replace(month, standard_error=0.01)
    design = Design((DesignedAttribute(asked, known.applied(use, asked), device=known),))
    (point,) = (one for one in release_points(design) if one.topic is Topic.DEVICE)
    assert point.good is None


def test_that_the_description_is_saved_with_the_study(study, tmp_path):
    save_study(study, tmp_path / "a.ppw")
    assert open_study(tmp_path / "a.ppw").description == FIELDS
    assert SurveyDescription.from_json({"author": 5, "mode": "Cards"}).mode == "Cards"
    assert SurveyDescription.from_json(None) == SurveyDescription()
