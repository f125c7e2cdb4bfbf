"""A bundle is enough to estimate from, and holds nothing of the original answers."""

from __future__ import annotations

import dataclasses
import re
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from designs import classic_study
from examples import sweep

from ppworkbench.core.data.attribute import FROM_DATA, Attribute, Kind, MissingCode
from ppworkbench.core.data.codebook import read_codebook
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Ordinal, Uniform
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.design_file import read_design
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.reconstruct import ReconstructOptions, reconstruct_table
from ppworkbench.fieldwork.opening import open_anything
from ppworkbench.outputs.bundle import (
    FORMATS,
    BundleOptions,
    PublishedTable,
    planned_study,
    released_study,
    write_bundle,
)
from ppworkbench.study.bundle_target import new_folder
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.questionnaire.texts import Texts
from ppworkbench.study.release import Point
from ppworkbench.study.study import Study, described_design

ROWS = 3_000
SEED = 987_654_321
MARKER = "Zyzzyva Quillfeather"
NUMBER = 4_321.987654
AGE = 77


def make_study(rows=ROWS):
    """Answers with markers: a name, a number of many digits, a seed, a note of the reader."""
    source = np.random.default_rng(5)
    names = Attribute("name", Kind.NOMINAL, (MARKER, "Quidnunc"), reason=MARKER)
    mood = Attribute(
        "mood",
        Kind.ORDINAL,
        ("bad", "so", "good"),
        label="How are you?",
        missing_codes=(MissingCode("-9", MARKER),),
    )
    smokes = Attribute("smokes", Kind.BINARY, ("no", "yes"))
    income = Attribute("income", Kind.CONTINUOUS, domain=(0, 10_000))
    pay = np.round(source.gamma(4, 700, rows).clip(0, 9_999), 2)
    pay[0] = NUMBER
    columns = (
        Column(names, (np.arange(rows) > 0).astype(np.int8)),
        Column(mood, source.choice(3, rows, p=[0.2, 0.5, 0.3])),
        Column(smokes, source.choice(2, rows, p=[0.75, 0.25])),
        Column(income, pay),
    )
    table = Table(columns, source=f"/data/{MARKER}.csv", notes=(MARKER,))
    design = Design(
        (
            DesignedAttribute(mood, Ordinal(weights=(0.7, 0.15), loop=False)),
            DesignedAttribute(smokes, Uniform(keep=0.8)),
            DesignedAttribute(income, Additive(noise="normal", sigma=500.0)),
        )
    )
    study = classic_study(table, "Health survey").with_(design=design)
    return study.with_(settings=study.settings.__class__(respondents=rows, seed=SEED))


def contents(folder):
    """All that the files hold, also what is packed inside of them."""
    found = {}
    for path in folder.iterdir():
        data = path.read_bytes()
        found[path.name] = data
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for member in archive.namelist():
                    found[f"{path.name}/{member}"] = archive.read(member)
        if path.suffix == ".parquet":
            table = pq.read_table(path)
            found[f"{path.name}/inside"] = repr((table.to_pylist(), table.schema.metadata)).encode()
    return found


@pytest.mark.usefixtures("readstat_here")
@pytest.mark.parametrize("suffix", sweep(FORMATS, quick=(".csv", ".sav")))
def test_that_an_analyst_can_estimate_from_the_bundle_alone(tmp_path, suffix):
    study = make_study()
    options = BundleOptions(format=suffix, report=False)
    bundle = write_bundle(study, tmp_path / "out", options)
    assert {file.name for file in bundle.files} == {p.name for p in (tmp_path / "out").iterdir()}
    received = open_anything([tmp_path / "out" / f"Health-survey{suffix}"])
    assert received.original is None
    assert received.rows == ROWS
    assert received.label("mood") == "How are you?"
    assert received.design == read_design(tmp_path / "out" / "Health-survey-design.json")
    settings = ReconstructOptions("eq", confidence=0.999999)
    found = reconstruct_table(received.distorted, received.design, ["mood", "smokes"], settings)
    for name, estimate in found.items():
        counts = study.original[name].counts
        assert np.all(estimate.low * ROWS <= counts), name
        assert np.all(counts <= estimate.high * ROWS), name


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".parquet"])
def test_that_the_budget_is_in_the_bundle(tmp_path, suffix):
    study = make_study(200)
    budget = DesignBudget(
        total=4.0, rule="max", weights=(("mood", 2.0),), locked=("smokes",), ask=2, waves=2,
        linked=True,
    )  # fmt: skip
    design = dataclasses.replace(study.design, budget=budget)
    options = BundleOptions(format=suffix, report=False)
    write_bundle(study.with_(design=design), tmp_path / "out", options)
    received = open_anything([tmp_path / "out" / f"Health-survey{suffix}"])
    assert received.design.budget == budget
    assert read_design(tmp_path / "out" / "Health-survey-design.json").budget == budget
    missing = sum(received.distorted[name].missing for name in received.design.names)
    assert set(missing.tolist()) == {1}


def test_that_nothing_of_the_original_is_in_the_bundle(tmp_path):
    study = make_study()
    options = BundleOptions(questionnaire=True, language="pl")
    write_bundle(study, tmp_path / "out", options)
    held = contents(tmp_path / "out")
    assert set(held) == {
        "Health-survey.csv", "Health-survey.codebook.json", "Health-survey.ddi.xml",
        "Health-survey-design.json", "report.html", "questionnaire.html", "README.txt",
        "datapackage.json", "FOR-ANALYSTS.txt", "report-shares.csv", "report-measures.csv",
        "report-matrices.csv",
    }  # fmt: skip
    for marker in (MARKER, str(NUMBER), "4321.98", str(SEED), f"{SEED:,}", "Quidnunc"):
        for name, data in held.items():
            assert marker.encode() not in data, f"{marker} in {name}"
    true = {f"{value:.15g}" for value in study.original["income"].data}
    sent = [line.split(",")[2] for line in held["Health-survey.csv"].decode().splitlines()[1:]]
    # Noise of 500 on a grid of 0.1 hits one of 3,000 numbers of two digits now and then.
    assert len(set(sent) & true) < 100


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".xlsx", ".parquet", ".sav"])
def test_that_no_format_carries_the_original_along(tmp_path, suffix):
    write_bundle(make_study(200), tmp_path / "out", BundleOptions(format=suffix, report=False))
    for name, data in contents(tmp_path / "out").items():
        assert MARKER.encode() not in data, name
        assert str(SEED).encode() not in data, name


def test_that_the_rows_are_in_another_order_than_the_original(tmp_path):
    study = make_study(400)
    design = Design((DesignedAttribute(study.original["income"].attribute, Identity()),))
    write_bundle(study.with_(design=design), tmp_path / "out", BundleOptions(report=False))
    received = open_anything([tmp_path / "out" / "Health-survey.csv"]).distorted["income"].data
    true = study.original["income"].data
    assert sorted(received) == sorted(true)
    assert abs(np.corrcoef(received, true)[0, 1]) < 0.3


def test_that_two_bundles_are_drawn_anew(tmp_path):
    study = make_study(300)
    texts = []
    for name in ("a", "b"):
        write_bundle(study, tmp_path / name, BundleOptions(report=False))
        texts.append((tmp_path / name / "Health-survey.csv").read_text(encoding="utf-8"))
    assert texts[0] != texts[1]


def test_that_the_report_of_a_bundle_is_made_of_the_released_answers_alone(tmp_path):
    write_bundle(make_study(), tmp_path / "out")
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "This report contains no seed" in report
    assert "original" not in re.sub(r"<style>.*?</style>", "", report, flags=re.DOTALL).replace(
        "original answers", ""
    ).replace("original distribution", "")
    assert "No seed is saved" in report


def test_that_the_report_of_a_bundle_tells_what_was_asked_of_released_columns(tmp_path):
    asked = [
        {"question": {"statistic": "crosstab", "of": "smokes", "by": "mood"}, "true": MARKER},
        {"question": {"statistic": "count", "condition": "mood = good and smokes = yes"}},
        {"question": {"statistic": "mean", "of": "income"}},
    ]
    study = make_study(400).with_results("survey", {"asked": asked})
    write_bundle(study, tmp_path / "out", BundleOptions(leave_out=("income",)))
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Analyses" in report
    assert "mood = good and smokes = yes" in report
    assert "income" not in report
    assert MARKER.encode() not in b"".join(contents(tmp_path / "out").values())


@pytest.mark.slow
@pytest.mark.parametrize("suffix", sweep([".sav", ".xlsx"], quick=1))
def test_that_the_report_names_the_file_that_the_bundle_has(tmp_path, suffix):
    write_bundle(make_study(200), tmp_path / "out", BundleOptions(format=suffix))
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    [table] = [one.name for one in (tmp_path / "out").glob(f"*{suffix}")]
    design = f"{Path(table).stem}-design.json"
    assert (tmp_path / "out" / design).exists()
    assert f"ppworkbench reconstruct {table} --design {design}" in report
    assert f"{Path(table).stem}.csv" not in report


def test_that_the_checklist_tells_what_is_protected_and_what_is_not(tmp_path):
    study = make_study(100)
    bare = DesignedAttribute(study.original["smokes"].attribute, Identity())
    listed = tuple(bare if d.name == "smokes" else d for d in study.design)
    bundle = write_bundle(
        study.with_(design=Design(listed)), tmp_path / "out", BundleOptions(report=False)
    )
    text = (tmp_path / "out" / "README.txt").read_text(encoding="utf-8")
    assert "[!] smokes is not randomised" in text
    assert "[x] No seed is saved" in text
    # Its owner is told what else the table has; recipients are not.
    assert "name: omitted" not in text
    assert "[i] name: omitted" in [p.line()[: len("[i] name: omitted")] for p in bundle.points]
    assert text.index("What is protected") < text.index("What is not protected")
    assert [p.good for p in bundle.points].count(False) == 1


def test_that_a_zip_holds_the_same_files_without_their_times(tmp_path):
    bundle = write_bundle(make_study(100), tmp_path / "out.zip", BundleOptions(report=False))
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        assert sorted(archive.namelist()) == sorted(file.name for file in bundle.files)
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert [path.name for path in tmp_path.iterdir()] == ["out.zip"]


@pytest.mark.parametrize("made", [".csv", None], ids=["answers", "no answers"])
def test_that_values_and_bounds_read_off_the_data_are_confirmed_by_name(tmp_path, made):
    study = make_study()
    asked = described_design(study.design, lambda one: one.with_(domain_source=FROM_DATA))
    study = study.with_(design=asked)
    if made is None:
        study = planned_study(study, asked)

    def warned(name, *public):
        told = write_bundle(study, tmp_path / name, BundleOptions(report=False, public=public))
        said = [one.sentence for one in told.points if not one.good]
        return [one for one in said if "read off the data" in one or "taken from the data" in one]

    values = "The values of {} may be read off the data".format
    bounds = "The bounds of income are taken from the data"
    assert warned("a") == [values("mood, smokes"), bounds]
    assert warned("b", "mood") == [values("smokes"), bounds]
    assert warned("c", "mood", "smokes", "income") == []
    with pytest.raises(DesignError, match="no attribute 'moon'") as caught:
        warned("d", "moon")
    assert caught.value.field == "public"


def test_that_left_out_attributes_are_nowhere(tmp_path):
    study = make_study(100)
    members = ("mood", "smokes")
    plain = tuple(
        DesignedAttribute(d.attribute, Identity()) if d.name in members else d for d in study.design
    )
    study = study.with_(design=Design(plain, None, (Group(members, "unrelated", 0.6),)))
    options = BundleOptions(leave_out=("smokes",))
    bundle = write_bundle(study, tmp_path / "out", options)
    assert bundle.design.names == ("mood", "income")
    assert bundle.design.group_of("mood").attributes == ("mood",)
    header = (tmp_path / "out" / "Health-survey.csv").read_text().splitlines()[0]
    assert header == "mood,income"
    with pytest.raises(DesignError, match="Nothing is left"):
        write_bundle(study, tmp_path / "b", BundleOptions(leave_out=study.design.names))
    with pytest.raises(DesignError, match="no attribute 'height'"):
        write_bundle(study, tmp_path / "b", BundleOptions(leave_out=("height",)))


def test_that_answers_that_came_distorted_are_passed_on_shuffled(tmp_path):
    study = released_study(make_study(300))
    write_bundle(study, tmp_path / "out", BundleOptions(report=False))
    received = open_anything([tmp_path / "out" / "Health-survey.csv"])
    assert received.design == study.design
    before, after = (s.distorted["income"].data for s in (study, received))
    assert sorted(before) == sorted(after)
    assert before.tolist() != after.tolist()


def test_that_a_table_made_otherwise_is_released_with_what_is_said_of_it(tmp_path):
    study = make_study(200)
    table = study.original.select(["mood", "smokes"])
    published = PublishedTable(table, (Point(True, "Every group is deniable"),), ("Made so.",))
    bundle = write_bundle(study, tmp_path / "out", published=published)
    assert bundle.design is None
    codebook = read_codebook(tmp_path / "out" / "Health-survey.codebook.json")
    assert codebook.design is None
    assert [a.label for a in codebook.attributes] == ["How are you?", ""]
    text = (tmp_path / "out" / "README.txt").read_text(encoding="utf-8")
    assert "Made so." in text
    assert "[x] Every group is deniable" in text
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Made so." in report
    for name, data in contents(tmp_path / "out").items():
        assert MARKER.encode() not in data, name
        assert str(SEED).encode() not in data, name


def test_that_an_empty_study_has_nothing_to_release(tmp_path):
    with pytest.raises(DataError, match="nothing to release yet"):
        write_bundle(Study(title="x"), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_that_a_folder_with_something_in_it_is_not_touched(tmp_path):
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(DataError, match="is not empty"):
        write_bundle(make_study(20), tmp_path)
    with pytest.raises(DataError, match="is a file"):
        write_bundle(make_study(20), tmp_path / "mine.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_that_an_empty_folder_is_filled(tmp_path):
    (tmp_path / "out").mkdir()
    write_bundle(make_study(20), tmp_path / "out", BundleOptions(report=False))
    assert (tmp_path / "out" / "README.txt").exists()


def test_that_a_fault_leaves_nothing_behind(tmp_path):
    study = make_study(50)
    narrow = Attribute("income", Kind.CONTINUOUS, domain=(0, 1))
    design = Design((DesignedAttribute(narrow, Additive(noise="normal", sigma=1.0)),))
    for target in (tmp_path / "out", tmp_path / "out.zip"):
        with pytest.raises(DesignError, match="outside the domain"):
            write_bundle(study.with_(design=design), target)
    with pytest.raises(DataError, match="cannot be written"):
        write_bundle(study, tmp_path / "absent" / "out")
    assert list(tmp_path.iterdir()) == []


def test_that_a_full_disk_is_one_sentence(tmp_path):
    with (
        pytest.raises(DataError, match=r"out cannot be written: No space"),
        new_folder(tmp_path / "out"),
    ):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_that_a_printer_gets_the_report_of_the_bundle(tmp_path):
    printed = []

    def print_pdf(report, path):
        printed.append(report.title)
        path.write_bytes(b"%PDF")

    bundle = write_bundle(make_study(60), tmp_path / "out", print_pdf=print_pdf)
    assert printed == ["Health survey"]
    assert "report.pdf" in [file.name for file in bundle.files]


def test_that_markers_would_be_found(tmp_path):
    # The search above proves something only if it finds what is there.
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a.txt").write_text(MARKER)
    with zipfile.ZipFile(tmp_path / "x" / "b.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inside", MARKER * 9)
    pq.write_table(pa.table({"a": [MARKER] * 9}), tmp_path / "x" / "c.parquet")
    held = contents(tmp_path / "x")
    found = {name for name, data in held.items() if MARKER.encode() in data}
    assert found >= {"a.txt", "b.xlsx/inside", "c.parquet/inside"}


def test_that_the_page_of_a_bundle_speaks_the_languages_of_the_questionnaire(tmp_path):
    study = make_study(200)
    asked = Questionnaire.of_design(study.design, Texts({"smokes": "Do you smoke?"}), "en")

    def polish(one):
        answers = tuple(
            dataclasses.replace(answer, text={**answer.text, "pl": f"{answer.value} pl"})
            for answer in one.answers
        )
        return dataclasses.replace(one, text={**one.text, "pl": "Palisz?"}, answers=answers)

    both = dataclasses.replace(
        asked, languages=("en", "pl", "de"), questions=tuple(map(polish, asked.questions))
    )
    options = BundleOptions(questionnaire=True, language="pl", leave_out=("income",))
    write_bundle(study.with_(questionnaire=both), tmp_path / "bundle", options)
    page = (tmp_path / "bundle" / "questionnaire.html").read_text(encoding="utf-8")
    assert '<html lang="pl"' in page
    assert re.findall(r'lang="(..)" value', page) == ["pl", "en"]
    assert "Palisz?" in page
    assert "Do you smoke?" in page
    assert '"name": "income"' not in page
