"""Codebooks: attributes as JSON, beside files, from friends and strangers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from strategies import tables

from ppworkbench.core.data import codebook as module
from ppworkbench.core.data.attribute import Attribute, Kind, MissingCode, MissingPolicy
from ppworkbench.core.data.chunk_writer import open_chunk_writer
from ppworkbench.core.data.codebook import (
    Codebook,
    Stored,
    attribute_from_json,
    attribute_to_json,
    codebook_sheet,
    find_sidecar,
    read_codebook,
    sheet_path,
    sidecar_path,
)
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError

LIKERT = Attribute(
    "trust",
    Kind.ORDINAL,
    values=("low", "mid", "high"),
    label="Trust in people",
    title="Trust",
    unit="points",
    codes=(1.0, 2.0, "3"),
    missing_codes=(MissingCode(8.0, "do not know"), MissingCode(".a")),
    missing_ranges=((-float("inf"), -1.0),),
    measure="ordinal",
    missing=MissingPolicy.IMPUTE,
    reason="the file says so",
)


@given(tables())
def test_that_every_attribute_survives_the_way_through_json(table: Table) -> None:
    for attribute in table.attributes:
        assert (
            attribute_from_json(json.loads(json.dumps(attribute_to_json(attribute)))) == attribute
        )


def test_that_all_fields_and_infinite_ranges_survive() -> None:
    stored = (Stored("trust_", (1.0, 2.0, 3.0), (8.0, None)),)
    given = Codebook((LIKERT,), "trust", stored, {"any": [1, {"thing": None}]}, ("A note.",))
    assert Codebook.from_text(given.to_text()) == given


def test_that_a_design_is_handed_through_untouched() -> None:
    design = {"b": 1, "a": {"deep": [1.5, "x", None, True]}}
    back = Codebook.from_text(Codebook((LIKERT,), design=design).to_text())
    assert back.design == design


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"kind": "likert"}, "kind", "'likert' is not one of"),
        ({"values": "low"}, "values", "must be a list"),
        ({"values": [1, 2]}, "values", "every entry must be text"),
        ({"codes": [True, 1, 2]}, "codes", "must be a number"),
        ({"codes": [1e400, 1, 2]}, "codes", "too large"),
        ({"domain": [1]}, "domain", "a lowest and a highest"),
        ({"missing_codes": [3]}, "missing_codes", "a code and its label"),
        ({"missing_codes": [{"label": "x"}]}, "missing_codes", "must be a number"),
        ({"missing_ranges": [[1, 2, 3]]}, "missing_ranges", "a lowest and a highest"),
        ({"number_labels": [[1, 2]]}, "number_labels", "a number and its label"),
        ({"measure": "interval"}, "measure", "'interval' is not one of"),
        ({"missing": "forget"}, "missing", "'forget' is not one of"),
        ({"label": None}, "label", "must be text"),
        ({"reason": 5}, "reason", "must be text"),
    ],
)
def test_that_a_wrong_field_is_named_with_its_attribute(
    change: dict[str, Any], field: str, words: str
) -> None:
    with pytest.raises(DataError, match=words) as caught:
        attribute_from_json(attribute_to_json(LIKERT) | change)
    assert (caught.value.attribute, caught.value.field) == ("trust", field)
    assert "'trust'" in caught.value.message


def test_that_an_impossible_attribute_is_refused_in_its_own_words() -> None:
    with pytest.raises(DataError, match="is listed twice"):
        attribute_from_json({"name": "x", "kind": "nominal", "values": ["a", "a"]})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not valid JSON"),
        ("[]", "must be a JSON object"),
        ("{}", "'format'"),
        ('{"format": "other", "version": 1}', "'format'"),
        ('{"format": "ppworkbench-codebook", "version": 2}', "reads version 1"),
        ('{"format": "ppworkbench-codebook", "version": 1}', "'attributes'"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": NaN}', "NaN is not a JSON number"),
        ('{"a": "\\ud800"}', "half a character"),
        ('{"format": "ppworkbench-codebook", "version": true, "attributes": []}', "whole number"),
    ],
)
def test_that_a_text_that_is_no_codebook_is_refused_with_a_sentence(text: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        Codebook.from_text(text)


@examples(2.5)
@given(st.data())
def test_that_a_damaged_codebook_is_read_or_refused(data: st.DataObject) -> None:
    text = Codebook((LIKERT,), "trust", (Stored("t", (1.0, 2.0, 3.0), (8.0, 9.0)),)).to_text()
    place = data.draw(st.integers(0, len(text) - 1))
    piece = data.draw(st.text(max_size=3) | st.sampled_from(["null", "[]", "{}", "-1", '"']))
    length = data.draw(st.integers(0, 20))
    message = "."
    try:
        Codebook.from_text(text[:place] + piece + text[place + length :])
    except DataError as error:
        message = error.message
    assert message.endswith(".")


def test_that_two_attributes_of_one_name_and_unknown_classes_are_refused() -> None:
    twice = Codebook((LIKERT,)).to_json()
    twice["attributes"] *= 2
    with pytest.raises(DataError, match="same name"):
        Codebook.from_json(twice)
    with pytest.raises(DataError, match="name of an attribute"):
        Codebook.from_json(Codebook((LIKERT,)).to_json() | {"class": "age"})


def test_that_a_codebook_lies_beside_its_file_and_formats_do_not_share_one(tmp_path: Path) -> None:
    csv, sav = tmp_path / "survey.csv", tmp_path / "survey.sav"
    assert sidecar_path(csv).name == "survey.codebook.json"
    assert find_sidecar(csv) is None
    sidecar_path(csv).write_text(Codebook((LIKERT,)).to_text(), encoding="utf-8")
    assert find_sidecar(csv) == sidecar_path(csv)
    assert find_sidecar(sav) is None


def test_that_faults_of_a_codebook_file_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x.codebook.json"
    path.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(DataError, match=r"x\.codebook\.json: the codebook is not UTF-8"):
        read_codebook(path)
    path.write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match=r"x\.codebook\.json: The codebook is not valid JSON"):
        read_codebook(path)
    path.unlink()
    with pytest.raises(DataError, match="cannot be read"):
        read_codebook(path)


def test_that_a_codebook_of_absurd_size_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGEST", 1000)
    path = tmp_path / "x.codebook.json"
    path.write_text(" " * 2000, encoding="utf-8")
    with pytest.raises(DataError, match="may have at most"):
        read_codebook(path)


TRUST = Attribute(
    "trust",
    Kind.ORDINAL,
    ("not at all", "a lot"),
    label="How much do you trust the council?",
    codes=(1.0, 2.0),
    missing_codes=(MissingCode(9.0, "refused"),),
)
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90), missing=MissingPolicy.IMPUTE)
TABLE = Table((Column(TRUST, np.array([0, 1])), Column(AGE, np.array([20.0, 30.0]))), "trust")
DESIGN = {
    "attributes": {"trust": {"perturbation": {"type": "uniform", "keep": 0.6}}},
    "groups": [{"attributes": ["trust", "age"], "type": "related", "theta": 0.7}],
}
ALSO = WriteOptions(readable_codebook=True)


def test_that_the_sheet_tells_what_the_codebook_tells():
    text = codebook_sheet(Codebook((TRUST, AGE), "trust", design=DESIGN), "x.csv", 2)
    for said in (
        "# Codebook of x.csv",
        "x.csv has 2 columns and 2 rows. The answers are distorted",
        "How much do you trust the council?",
        "| 1 | not at all |",
        "- missing code: 9 (refused)",
        "- from 18 to 90",
        "- missing answers: imputed before an analysis",
        "- the class",
        "- mechanism: uniform, keep 0.6",
        "- trust, age: randomised together, related, theta 0.7",
    ):
        assert said in text, said


def test_that_a_title_leads_the_sheet_and_the_column_is_its_caption():
    income = Attribute(
        "v17", Kind.CONTINUOUS, domain=(0, 900), label="Income?", title="Income", unit="euros"
    )
    lines = codebook_sheet(Codebook((income,)), "x.csv").splitlines()
    start = lines.index("## Income")
    assert lines[start + 2] == "Income?"
    assert "- column: v17" in lines
    assert "- from 0 to 900 euros" in lines


def test_that_labels_cannot_become_markup():
    nasty = Attribute("a|b", Kind.BINARY, ("<script>", "# head\n## two"), label="[x](y)")
    text = codebook_sheet(Codebook((nasty,)), "x.csv")
    assert "<script>" not in text.replace("\\<script\\>", "")
    assert "\n## two" not in text
    assert "\\[x\\]" in text


@pytest.mark.parametrize("name", ["x.csv", "x.sav", "x.xlsx", "x.parquet", "x.arff"])
def test_that_the_sheet_lies_beside_the_table_when_it_is_asked_for(tmp_path, name):
    path = tmp_path / name
    write_table(TABLE, path)
    assert not sheet_path(path).exists()
    write_table(TABLE, path, ALSO)
    assert "## trust" in sheet_path(path).read_text(encoding="utf-8")
    # A sheet of a former file would tell of columns that are gone.
    write_table(TABLE, path)
    assert not sheet_path(path).exists()


def test_that_tables_written_in_chunks_have_their_sheet_too(tmp_path):
    for name in ("x.csv", "x.parquet"):
        path = tmp_path / name
        with open_chunk_writer(path, ALSO, DESIGN) as writer:
            writer.write(TABLE)
            writer.write(TABLE)
        assert "2 columns and 4 rows" in sheet_path(path).read_text(encoding="utf-8")
        with open_chunk_writer(path) as writer:
            writer.write(TABLE)
        assert not sheet_path(path).exists()


def test_that_a_failed_write_keeps_the_former_sheet(tmp_path, monkeypatch):
    path = tmp_path / "x.csv"
    write_table(TABLE, path, ALSO)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    target = type(path)
    real = target.replace

    def refuse(self, other):
        if str(other).endswith(".codebook.json") and ".tmp" not in str(other):
            raise OSError(28, "No space left on device")
        return real(self, other)

    monkeypatch.setattr(target, "replace", refuse)
    with pytest.raises(Exception, match="No space"):
        write_table(TABLE.select(["age"]), path, ALSO)
    monkeypatch.undo()
    after = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    assert set(before) >= set(after)
    assert "## trust" in after["x.codebook.md"].decode()
