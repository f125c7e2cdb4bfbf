"""A cluster that loses a worker in the middle gives what this process gives, to the last byte."""

from __future__ import annotations

import re
from contextlib import nullcontext

import pytest
from lost_workers import local_cluster, losing_a_worker
from part_files import city_answers, write_parts

from ppworkbench.cli.main import main
from ppworkbench.core.data.parts import open_parts
from ppworkbench.core.design.design_file import write_design

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]
ROWS = 160_000
PARTS = 16


@pytest.fixture
def cluster():
    with local_cluster(4) as made:
        yield made


@pytest.fixture
def survey(tmp_path):
    original, design = city_answers(ROWS)
    write_design(design, tmp_path / "design.json")
    cuts = [place * ROWS // PARTS + 7 * place for place in range(1, PARTS)]
    write_parts(tmp_path / "true", original, cuts)
    return tmp_path


def told(capsys, *words) -> str:
    assert main([*map(str, words), "--json"]) == 0
    return capsys.readouterr().out


def without_seconds(printed: str) -> str:
    """What a command printed without the time that it took, which only mining tells."""
    return re.sub(r'"seconds": [0-9.e-]+', "", printed)


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_that_a_killed_worker_changes_no_byte_of_what_is_distorted_and_estimated(
    survey, cluster, capsys
):
    design = ["--design", survey / "design.json"]
    engine = ["--engine", cluster.scheduler_address.replace("tcp", "dask")]
    words = ["distort", survey / "true", *design, "--seed", 9, "--out"]
    told(capsys, *words, survey / "here")
    with losing_a_worker(cluster):
        told(capsys, *words, survey / "there", *engine)
    assert len(files(survey / "here")) == PARTS
    assert files(survey / "here") == files(survey / "there")
    with losing_a_worker(cluster):
        told(capsys, "distort", survey / "true", *design, "--out", survey / "secure", *engine)
    assert files(survey / "secure").keys() == files(survey / "here").keys()
    assert open_parts(str(survey / "secure")).rows == ROWS
    questions = [
        ["reconstruct"],
        ["count", "--where", "sex = female and district in {'Old Town', Northfield}"],
        ["mean", "--of", "income", "--where", "sex = female"],
        ["distribution", "--of", "district"],
        ["crosstab", "--of", "sex", "--by", "district"],
        ["regress", "--formula", "sex ~ district"],
        ["mine", "--attribute", "sex", "--attribute", "district", "--min-support", 0.02],
    ]
    for name, *more in questions:
        words = [name, survey / "here", *more, *design]
        expected = told(capsys, *words)
        loses = name in ("reconstruct", "mean", "mine")
        with losing_a_worker(cluster) if loses else nullcontext():
            found = told(capsys, *words, *engine)
        assert without_seconds(found) == without_seconds(expected)
