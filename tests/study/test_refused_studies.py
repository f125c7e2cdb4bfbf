"""Study files of strangers: what is wrong with one is one sentence, and nothing of it gets out."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from damage import damaged
from damaged_studies import refusal, repack
from designs import classic_study
from examples import sweep
from studies import make_study

from ppworkbench.core.errors import DataError
from ppworkbench.study.files import study_file
from ppworkbench.study.files.study_file import VERSION, check_version, open_study, save_study
from ppworkbench.study.study import Study


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
        check_version({"version": version})


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
        ('"settings": {"colour": "red"}', "'colour' is unknown"),
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
        ("[1e999, 1, 1]", "study.json is damaged"),
    ],
)
def test_that_an_impossible_drawn_distribution_is_refused(saved, weights, words):
    head = '{"format": "ppworkbench-study", "version": 1, "expected": {"town": '
    drawn = '{"source": "drawn", "weights": ' + weights + "}}}"
    repack(saved, {"study.json": head + drawn})
    assert words in refusal(saved)


@pytest.mark.parametrize("content", [b"[1]", b"{", b'{"a": NaN}', b"\xff"])
def test_that_damaged_results_are_refused(saved, content):
    repack(saved, {"results.json": content})
    assert "results.json" in refusal(saved)


@pytest.mark.parametrize("missing", ["study.json", "design.json"])
def test_that_a_study_without_one_of_its_parts_is_refused(saved, missing):
    repack(saved, {missing: None})
    assert "not a study" in refusal(saved)


@pytest.mark.parametrize(
    "name", sweep(["../evil.txt", "/etc/evil", "study.json/../../x", "evil.pkl", "a\\b"], quick=2)
)
def test_that_a_member_which_studies_do_not_have_is_refused_and_never_written(saved, name):
    repack(saved, {name: b"evil"})
    before = set(saved.parent.parent.rglob("*"))
    assert "unknown files" in refusal(saved)
    assert set(saved.parent.parent.rglob("*")) == before


def test_that_the_same_member_twice_is_refused(saved):
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(saved, "a") as archive:
        archive.writestr("study.json", "{}")
    assert "unknown files" in refusal(saved)


def test_that_a_zip_bomb_is_refused_before_it_is_unpacked(saved):
    repack(saved, {"study.json": bytes(65 * 2**20)}, zipfile.ZIP_DEFLATED)
    assert saved.stat().st_size < 200_000
    assert "too large" in refusal(saved)


def test_that_packed_data_are_refused(saved):
    repack(saved, {}, zipfile.ZIP_DEFLATED)
    assert "unsupported compression" in refusal(saved)


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
    assert "has no codebook" in refusal(saved)


def test_that_a_codebook_of_other_columns_is_named_as_the_reason(saved):
    with zipfile.ZipFile(saved) as archive:
        table = pq.read_table(pa.BufferReader(archive.read("original.parquet")))
    file = io.BytesIO()
    renamed = table.rename_columns(["s", *table.column_names[1:]])
    pq.write_table(renamed.replace_schema_metadata(table.schema.metadata), file)
    repack(saved, {"original.parquet": file.getvalue()})
    said = refusal(saved)
    assert "The columns are not those of the codebook" in said
    assert "s, sex" in said


def test_that_data_and_design_which_do_not_fit_are_refused(tmp_path, saved):
    other = make_study()
    fewer = classic_study(other.original.select(["sex", "age"]), "fewer")
    save_study(fewer, tmp_path / "fewer.ppw")
    with zipfile.ZipFile(tmp_path / "fewer.ppw") as archive:
        table = archive.read("original.parquet")
    repack(saved, {"original.parquet": table})
    assert "do not match" in refusal(saved)


def test_that_distorted_answers_of_other_values_are_refused(tmp_path):
    study = make_study()
    analyst = Study.of_distorted(study.original, study.design, "collected")
    save_study(analyst, tmp_path / "a.ppw")
    with zipfile.ZipFile(tmp_path / "a.ppw") as archive:
        design = archive.read("design.json").decode()
    repack(tmp_path / "a.ppw", {"design.json": design.replace("Riverside", "Hillcrest")})
    assert "do not match" in refusal(tmp_path / "a.ppw")


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


@pytest.mark.parametrize("inside", sweep([False, True], quick=1))
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
