"""A study file gives back what was put in, and a bad one is refused in a sentence."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mutants import damaged
from strategies import tables
from studies import make_study, same

from ppworkbench.core.data.table import Table
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Cancelled, StoppableProgress
from ppworkbench.core.rng import SeededStreams
from ppworkbench.study import study_file
from ppworkbench.study.migrate import VERSION, migrated
from ppworkbench.study.study import PriorChoice, Study
from ppworkbench.study.study_file import open_study, save_study


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "small.ppw"
    save_study(make_study(), path)
    return path


def repack(path, changes, packing=zipfile.ZIP_STORED):
    """Write the study again with some members changed, added or (None) left out."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members |= changes
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, content in members.items():
            if content is not None:
                archive.writestr(name, content)


def refusal(path):
    """The one sentence in which a file is refused."""
    with pytest.raises(DataError) as caught:
        open_study(path)
    error = caught.value
    assert error.message.startswith(path.name)
    assert error.message.endswith(".")
    assert "\n" not in error.message
    assert error.file == str(path)
    return error.message


def test_that_a_study_comes_back_as_it_was_saved(saved):
    assert same(open_study(saved), make_study())


def test_that_a_study_of_distorted_answers_comes_back(tmp_path):
    study = make_study(rows=40)
    answers = distort(study.original, study.design, SeededStreams(3))
    analyst = Study.of_distorted(answers, study.design, "collected")
    save_study(analyst, tmp_path / "a.ppw")
    back = open_study(tmp_path / "a.ppw")
    assert same(back, analyst)
    assert back.original is None


def test_that_a_questionnaire_without_data_comes_back(tmp_path):
    study = make_study().with_(original=None, questions={"age": "How old are you?"})
    save_study(study, tmp_path / "a.ppw")
    assert same(open_study(tmp_path / "a.ppw"), study)


def test_that_an_empty_study_comes_back(tmp_path):
    save_study(Study(), tmp_path / "a.ppw")
    assert same(open_study(tmp_path / "a.ppw"), Study())


def test_that_results_of_pages_come_back(tmp_path):
    study = make_study().with_results("classify", {"runs": [{"accuracy": 0.71, "best": None}]})
    study = study.with_results("mine", ["ł", 3])
    save_study(study, tmp_path / "a.ppw")
    assert same(open_study(tmp_path / "a.ppw"), study)


def test_that_a_study_saved_before_there_were_results_has_none(saved):
    with zipfile.ZipFile(saved) as archive:
        assert "results.json" not in archive.namelist()
    assert dict(open_study(saved).results) == {}


@pytest.mark.parametrize("content", [b"[1]", b"{", b'{"a": NaN}', b"\xff"])
def test_that_damaged_results_are_refused(saved, content):
    repack(saved, {"results.json": content})
    assert "results.json" in refusal(saved)


@pytest.mark.parametrize("value", [float("inf"), {1, 2}, np.float64("nan")])
def test_that_results_which_are_no_plain_values_are_refused_before_the_file_is_touched(
    saved, value
):
    before = saved.read_bytes()
    with pytest.raises(DataError, match="page mine"):
        save_study(make_study("other").with_results("mine", value), saved)
    assert saved.read_bytes() == before


def test_that_results_too_large_to_be_read_again_are_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(study_file, "_LARGEST_TEXT", 8_000)
    with pytest.raises(DataError, match="too large"):
        save_study(make_study().with_results("mine", "x" * 1_000), tmp_path / "a.ppw")
    assert not (tmp_path / "a.ppw").exists()


@settings(max_examples=60)
@given(table=tables(), title=st.text(max_size=20), seed=st.integers(0, 2**63 - 1))
def test_that_any_table_comes_back(tmp_path_factory, table: Table, title, seed):
    path = tmp_path_factory.mktemp("any") / "a.ppw"
    study = Study.of_table(table, title)
    study = study.with_(settings=study.settings.__class__(seed=seed))
    save_study(study, path)
    back = open_study(path)
    assert same(back, study)
    assert back.original.class_name == table.class_name


def test_that_many_rows_are_written_in_pieces_and_come_back(tmp_path, monkeypatch):
    monkeypatch.setattr(study_file, "_ROWS_AT_ONCE", 100)
    monkeypatch.setattr(study_file, "_BYTES_AT_ONCE", 1_000)
    study = make_study(rows=1_234)
    seen = []
    save_study(study, tmp_path / "a.ppw", lambda done, message="": seen.append(done))
    assert len(seen) > 12
    assert seen == sorted(seen)
    assert same(open_study(tmp_path / "a.ppw"), study)


def test_that_saving_and_opening_can_be_cancelled(saved, monkeypatch):
    monkeypatch.setattr(study_file, "_ROWS_AT_ONCE", 1)
    before = saved.read_bytes()
    progress = StoppableProgress(lambda done, message: progress.stop() if done > 0.2 else None)
    with pytest.raises(Cancelled):
        save_study(make_study("other"), saved, progress)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["small.ppw"]
    progress = StoppableProgress(lambda done, message: progress.stop() if done > 0.2 else None)
    with pytest.raises(Cancelled):
        open_study(saved, progress)


def test_that_a_study_file_holds_no_machine_path_and_no_code(saved):
    with zipfile.ZipFile(saved) as archive:
        assert set(archive.namelist()) == {"study.json", "design.json", "original.parquet"}
        content = b"".join(archive.read(name) for name in archive.namelist())
    assert b"/home" not in content
    assert str(saved.parent).encode() not in content


def test_that_the_seed_is_not_in_the_design(saved):
    with zipfile.ZipFile(saved) as archive:
        assert b"seed" not in archive.read("design.json")
        assert json.loads(archive.read("study.json"))["settings"]["seed"] == 2024


def test_that_the_former_version_is_kept_as_a_backup(saved):
    save_study(make_study("second"), saved)
    save_study(make_study("third"), saved)
    assert open_study(saved).title == "third"
    assert open_study(saved.with_suffix(".ppw~")).title == "second"
    assert {path.name for path in saved.parent.iterdir()} == {"small.ppw", "small.ppw~"}


def test_that_a_link_to_a_study_stays_a_link(saved):
    link = saved.with_name("link.ppw")
    link.symlink_to(saved)
    save_study(make_study("through the link"), link)
    assert link.is_symlink()
    assert open_study(saved).title == "through the link"


def test_that_there_is_no_file_to_open_is_said(tmp_path):
    assert "No such file" in refusal(tmp_path / "absent.ppw")


@pytest.mark.parametrize("content", [b"", b"PK", b"hello world" * 100, b"PK\x05\x06" + bytes(18)])
def test_that_what_is_no_zip_is_refused(tmp_path, content):
    path = tmp_path / "bad.ppw"
    path.write_bytes(content)
    assert "not a study" in refusal(path)


def test_that_a_folder_is_refused(tmp_path):
    path = tmp_path / "folder.ppw"
    path.mkdir()
    assert "folder" in refusal(path)


def test_that_a_newer_version_is_refused_by_its_number(saved):
    document = {"format": "ppworkbench-study", "version": VERSION + 1}
    repack(saved, {"study.json": json.dumps(document)})
    assert f"version {VERSION + 1}, made by a newer ppworkbench" in refusal(saved)


@pytest.mark.parametrize("version", [0, -1, "1", None, True, 1.5])
def test_that_a_version_which_is_no_number_is_refused(version):
    with pytest.raises(DataError, match="version is not a number"):
        migrated({"version": version})


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("{", "study.json is damaged"),
        ("[]", "not a study"),
        ('"x"', "not a study"),
        ("null", "not a study"),
        ("{}", "not a study"),
        ('{"format": "other", "version": 1}', "not a study"),
        ("[" * 100_000, "study.json is damaged"),
    ],
)
def test_that_what_describes_no_study_is_refused(saved, document, words):
    repack(saved, {"study.json": document})
    assert words in refusal(saved)


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ('"title": 3', "study.json is damaged"),
        ('"settings": []', "study.json is damaged"),
        ('"settings": {"seed": -1}', "Seed is -1"),
        ('"settings": {"colour": "red"}', "'colour' is not known"),
        ('"questions": 1', "study.json is damaged"),
        ('"notes": "x"', "study.json is damaged"),
        ('"expected": {"town": 1}', "expected distribution in study.json is damaged"),
        ('"expected": {"town": {"source": "x"}}', "expected distribution in study.json is damaged"),
    ],
)
def test_that_a_damaged_description_is_refused(saved, part, words):
    repack(saved, {"study.json": '{"format": "ppworkbench-study", "version": 1, ' + part + "}"})
    assert words in refusal(saved)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ("[1, 2]", "3 values but 2 probabilities"),
        ("[1, -2, 3]", "the probability -2 at position 2"),
        ("[0, 0, 0]", "only probabilities of 0"),
        ("[NaN, 1, 1]", "study.json is damaged"),
        ('["a", 1, 1]', "expected distribution in study.json is damaged"),
        ("3", "expected distribution in study.json is damaged"),
        ("[1e999, 1, 1]", "the probability inf at position 1"),
    ],
)
def test_that_an_impossible_drawn_distribution_is_refused(saved, weights, words):
    head = '{"format": "ppworkbench-study", "version": 1, "expected": {"town": '
    drawn = '{"source": "drawn", "weights": ' + weights + "}}}"
    repack(saved, {"study.json": head + drawn})
    assert words in refusal(saved)


@pytest.mark.parametrize("missing", ["study.json", "design.json"])
def test_that_a_study_without_one_of_its_parts_is_refused(saved, missing):
    repack(saved, {missing: None})
    assert "not a study" in refusal(saved)


@pytest.mark.parametrize(
    "name", ["../evil.txt", "/etc/evil", "study.json/../../x", "evil.pkl", "a\\b"]
)
def test_that_a_member_which_studies_do_not_have_is_refused_and_never_written(saved, name):
    repack(saved, {name: b"evil"})
    before = set(saved.parent.parent.rglob("*"))
    assert "files that a study does not have" in refusal(saved)
    assert set(saved.parent.parent.rglob("*")) == before


def test_that_the_same_member_twice_is_refused(saved):
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(saved, "a") as archive:
        archive.writestr("study.json", "{}")
    assert "files that a study does not have" in refusal(saved)


def test_that_a_zip_bomb_is_refused_before_it_is_unpacked(saved):
    repack(saved, {"study.json": bytes(65 * 2**20)}, zipfile.ZIP_DEFLATED)
    assert saved.stat().st_size < 200_000
    assert "too large" in refusal(saved)


def test_that_packed_data_are_refused(saved):
    repack(saved, {}, zipfile.ZIP_DEFLATED)
    assert "packed in a way" in refusal(saved)


def test_that_a_table_which_promises_too_many_cells_is_refused(saved, monkeypatch):
    monkeypatch.setattr(study_file, "_MOST_CELLS", 29)
    assert "too large" in refusal(saved)
    monkeypatch.setattr(study_file, "_MOST_CELLS", 30)
    open_study(saved)


def test_that_a_table_which_unpacks_to_too_many_bytes_is_refused(saved, monkeypatch):
    monkeypatch.setattr(study_file, "_LARGEST_TABLE", 10_000)
    text = pa.table({"sex": pa.array(["x" * 5_000_000])})
    file = io.BytesIO()
    pq.write_table(text, file, compression="zstd")
    assert len(file.getvalue()) < 5_000
    repack(saved, {"original.parquet": file.getvalue()})
    assert "too large" in refusal(saved)


def test_that_a_table_without_a_codebook_is_refused(saved):
    file = io.BytesIO()
    pq.write_table(pa.table({"sex": ["F", "M"]}), file)
    repack(saved, {"original.parquet": file.getvalue()})
    assert "lacks its codebook" in refusal(saved)


def test_that_data_and_design_which_do_not_fit_are_refused(tmp_path, saved):
    other = make_study()
    fewer = Study.of_table(other.original.select(["sex", "age"]), "fewer")
    save_study(fewer, tmp_path / "fewer.ppw")
    with zipfile.ZipFile(tmp_path / "fewer.ppw") as archive:
        table = archive.read("original.parquet")
    repack(saved, {"original.parquet": table})
    assert "do not fit" in refusal(saved)


def test_that_distorted_answers_of_other_values_are_refused(tmp_path):
    study = make_study()
    analyst = Study.of_distorted(study.original, study.design, "collected")
    save_study(analyst, tmp_path / "a.ppw")
    with zipfile.ZipFile(tmp_path / "a.ppw") as archive:
        design = archive.read("design.json").decode()
    repack(tmp_path / "a.ppw", {"design.json": design.replace("Riverside", "Hillcrest")})
    assert "do not fit" in refusal(tmp_path / "a.ppw")


def open_mutants(folder, count: int, seed: int, *, inside: bool) -> tuple[int, int]:
    """Open damaged copies of a study; how many opened and how many were refused.

    ``inside`` damages one member and packs it again properly, so that the damage gets past the
    checksums of the zip.
    """
    source = np.random.default_rng(seed)
    path = folder / "mutant.ppw"
    save_study(make_study(rows=30), path)
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    opened, refusals = 0, []
    for _ in range(count):
        if inside:
            name = list(members)[int(source.integers(0, len(members)))]
            path.write_bytes(content)
            repack(path, {name: damaged(members[name], source)})
        else:
            path.write_bytes(damaged(content, source))
        try:
            study = open_study(path)
            for one in study.design:
                study.prior(one.name)
            opened += 1
        except DataError as error:
            refusals.append(error.message)
    assert all(said.endswith(".") and "\n" not in said for said in refusals), refusals
    return opened, len(refusals)


@pytest.mark.parametrize("inside", [False, True])
def test_that_a_damaged_study_opens_or_is_refused_in_a_sentence(tmp_path, inside):
    opened, refused = open_mutants(tmp_path, 200, 1, inside=inside)
    assert opened + refused == 200
    assert refused > 100


@pytest.mark.slow
@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("seed", range(2, 7))
def test_that_thousands_of_damaged_studies_open_or_are_refused(tmp_path, seed, inside):
    opened, refused = open_mutants(tmp_path, 400, seed, inside=inside)
    assert opened + refused == 400


def test_that_a_choice_for_an_attribute_that_is_gone_does_no_harm(saved):
    study = make_study().with_choice("gone", PriorChoice("drawn", (1.0,)))
    save_study(study, saved)
    assert open_study(saved).choices["gone"] == PriorChoice("drawn", (1.0,))
