"""Codebooks: attributes as JSON, beside files, from friends and strangers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import tables

from ppworkbench.core.data import codebook as module
from ppworkbench.core.data.attribute import Attribute, Kind, MissingCode, MissingPolicy
from ppworkbench.core.data.codebook import (
    Codebook,
    Stored,
    attribute_from_json,
    attribute_to_json,
    find_sidecar,
    read_codebook,
    sidecar_path,
)
from ppworkbench.core.data.table import Table
from ppworkbench.core.errors import DataError

LIKERT = Attribute(
    "trust",
    Kind.ORDINAL,
    values=("low", "mid", "high"),
    label="Trust in people",
    codes=(1.0, 2.0, "3"),
    missing_codes=(MissingCode(8.0, "do not know"), MissingCode(".a")),
    missing_ranges=((-float("inf"), -1.0),),
    measure="ordinal",
    missing=MissingPolicy.IMPUTE,
    reason="the file says so",
)


@settings(max_examples=100)
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


@settings(max_examples=300)
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
    with pytest.raises(DataError, match="is not read"):
        read_codebook(path)
