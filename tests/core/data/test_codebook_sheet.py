"""The codebook for people: everything that is in it, and nothing that runs."""

from __future__ import annotations

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind, MissingCode, MissingPolicy
from ppworkbench.core.data.chunk_writer import open_chunk_writer
from ppworkbench.core.data.codebook import Codebook, codebook_sheet, sheet_path
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.data.table import Column, Table

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
        "- means no answer: 9 (refused)",
        "- from 18 to 90",
        "- missing answers: filled in before an analysis",
        "- the class that classifiers predict",
        "- distorted by: uniform, keep 0.6",
        "- trust, age: one coin for all, related, theta 0.7",
    ):
        assert said in text, said


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
