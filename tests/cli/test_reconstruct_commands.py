"""Reconstruction on the command line."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from survey_files import write_survey

from ppworkbench.cli.main import main
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Identity, Uniform
from ppworkbench.core.reconstruct import Source, estimators, reconstruct_file, reconstruct_table

LEVEL = Attribute("level", Kind.ORDINAL, ("low", "mid", "high"))
AGE = Attribute("age", Kind.INTEGER, domain=(18, 60))
CLASS = Attribute("class", Kind.NOMINAL, ("x", "y", "z"))
DESIGN = Design(
    (
        DesignedAttribute(LEVEL, Uniform(keep=0.6)),
        DesignedAttribute(AGE, Additive(noise="uniform", half_width=8)),
        DesignedAttribute(CLASS, Identity()),
    ),
    class_name="class",
)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """An original and a distorted file with their design, in the current folder."""
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(1)
    original = Table(
        (
            Column(LEVEL, generator.choice(3, 2000, p=[0.5, 0.3, 0.2])),
            Column(AGE, np.rint(generator.triangular(18, 30, 60, 2000))),
            Column(CLASS, generator.choice(3, 2000, p=[0.2, 0.2, 0.6])),
        )
    )
    return original, write_survey(tmp_path, original, DESIGN, seed=7)


def answer(capsys, *more):
    status = main(["reconstruct", "distorted.csv", "--design", "design.json", "--json", *more])
    return status, json.loads(capsys.readouterr().out)


def test_that_the_answer_is_the_document_that_is_promised(files, capsys):
    status, document = answer(capsys, "--original", "original.csv")
    assert status == 0
    assert document["rows"] == 2000
    assert list(document["attributes"]) == ["level", "age", "class"]
    level = document["attributes"]["level"]
    assert level["values"] == ["low", "mid", "high"]
    assert level["algorithm"] == "eq"
    assert 0 < level["information_loss"] < 0.1
    age = document["attributes"]["age"]
    assert age["edges"] == [x - 0.5 for x in range(18, 62)]
    for found in document["attributes"].values():
        lengths = {len(found[name]) for name in ("probability", "raw", "low", "high")}
        assert len(lengths) == 1
    assert document["attributes"]["class"]["information_loss"] == 0


@pytest.mark.slow
def test_that_the_file_gives_what_its_table_gives(files, capsys):
    original, distorted = files
    _, document = answer(capsys, "--original", "original.csv")
    table = reconstruct_table(distorted, DESIGN, original=original)
    for name, result in table.items():
        found = document["attributes"][name]
        np.testing.assert_allclose(found["probability"], result.probability, atol=1e-12)
        assert found["information_loss"] == pytest.approx(result.information_loss)


def test_that_attributes_and_the_way_can_be_chosen(files, capsys):
    more = ("--attribute", "age", "--algorithm", "em", "--stop", "12", "--bins", "10")
    _, document = answer(capsys, *more)
    assert list(document["attributes"]) == ["age"]
    age = document["attributes"]["age"]
    assert (age["algorithm"], age["iterations"], len(age["probability"])) == ("em", 12, 10)
    assert "information_loss" not in age
    _, document = answer(capsys, "--stop", "published", "--confidence", "0.5")
    assert document["attributes"]["level"]["algorithm"] == "em-as"
    assert document["attributes"]["level"]["confidence"] == 0.5


def test_that_people_get_a_table(files, capsys):
    status = main(["reconstruct", "distorted.csv", "--design", "design.json"])
    told = capsys.readouterr().out
    assert status == 0
    assert "level: 2,000 answers, algorithm eq" in told
    assert "value   share     low    high" in told
    assert "95\u202f% intervals: multinomial covariance through the inverse of P." in told
    assert "interval" in told


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--stop", "soon"], "it must be published, converged, auto or a number of iterations"),
        (["--bins", "0"], "Bins is 0; it must lie between 1 and 10000"),
        (["--confidence", "1"], "Confidence is 1; it must be above 0 and below 1"),
        (["--algorithm", "magic"], "Algorithm is 'magic'; it must be one of default, eq"),
    ],
)
def test_that_impossible_options_are_refused(files, capsys, more, sentence):
    assert main(["reconstruct", "distorted.csv", "--design", "design.json", *more]) == 2
    assert sentence in capsys.readouterr().err


def test_that_errors_name_the_attribute(files, capsys):
    status, document = answer(capsys, "--attribute", "height")
    assert status == 1
    assert document["attribute"] == "height"
    status, document = answer(capsys, "--algorithm", "eq", "--attribute", "age")
    assert status == 1
    assert document["attribute"] == "age"


def test_that_the_help_names_every_algorithm(capsys):
    assert main(["reconstruct", "--help"]) == 0
    listed = re.search(r"--algorithm \{([^}]*)\}", capsys.readouterr().out)
    assert listed is not None
    names = "".join(listed[1].split()).split("|")
    assert names == ["default", *(entry.name for entry in estimators.ranked)]


@pytest.mark.slow
def test_that_chunks_give_what_the_whole_file_gives(files, monkeypatch):
    from ppworkbench.core.data import chunks

    whole = reconstruct_file(Source("distorted.csv"), DESIGN, original=Source("original.csv"))

    def in_small_pieces(path, options, schema, progress):
        return chunks_of(path, options, schema, rows=300, progress=progress, whole_up_to=0)

    chunks_of = chunks.read_chunks
    monkeypatch.setattr(chunks, "read_chunks", in_small_pieces)
    pieces = reconstruct_file(Source("distorted.csv"), DESIGN, original=Source("original.csv"))
    assert pieces.to_json() == whole.to_json()
