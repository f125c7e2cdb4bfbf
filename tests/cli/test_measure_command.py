"""Non-compliance on the command line of ``measure``: its options, and what is refused."""

from __future__ import annotations

import json

import pytest

from ppworkbench.cli.main import main
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Forced
from ppworkbench.core.design.design_file import write_design

DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
VOTED = Attribute("voted", Kind.BINARY, ("no", "yes"), sensitive=("no",))
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))


@pytest.fixture
def design(tmp_path):
    path = tmp_path / "design.json"
    asked = (
        DesignedAttribute(DRUG, Forced(p_truth=2 / 3)),
        DesignedAttribute(VOTED, Forced(p_truth=2 / 3)),
        DesignedAttribute(AGE, Additive(half_width=10)),
    )
    write_design(Design(asked), path)
    return str(path)


def measure(capsys, design, *words):
    assert main(["measure", "--design", design, *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)["attributes"]


def test_that_safe_answers_are_the_harmless_ones_unless_given(design, capsys):
    told = measure(capsys, design, "--non-compliance", "0.1")
    assert {name: one["non_compliance"]["safe"] for name, one in told.items()} == {
        "drug": "no", "voted": "yes", "age": "18",
    }  # fmt: skip
    given = ("--non-compliance", "0.1", "--safe", "drug=yes", "--safe", "age=40")
    told = measure(capsys, design, *given)
    assert {name: one["non_compliance"]["safe"] for name, one in told.items()} == {
        "drug": "yes", "voted": "yes", "age": "40",
    }  # fmt: skip
    # A tenth says 40 where 54 is the mean.
    assert told["age"]["non_compliance"]["mean_bias"] == pytest.approx(0.1 * (40 - 54))


def test_that_a_correction_takes_the_bias_away(design, capsys):
    plain = measure(capsys, design)
    assert "non_compliance" not in plain["drug"]
    biased = measure(capsys, design, "--non-compliance", "0.1")["drug"]
    known = measure(capsys, design, "--non-compliance", "0.1", "--corrected")["drug"]
    assert biased["non_compliance"]["bias"][1] < 0
    assert biased["non_compliance"]["coverage"][1] < 0.95
    assert known["non_compliance"]["bias"] == [0.0, 0.0]
    assert known["utility"]["standard_error"][1] > plain["drug"]["utility"]["standard_error"][1]


def test_that_the_bias_is_told_in_words(design, capsys):
    words = ["measure", "--design", design, "--non-compliance", "0.1", "--behaviour", "random"]
    assert main(words) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "Non-compliance is not included: it is a measure of the noise alone." in told
    assert main([*words[:-1], "safe"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    for label in ("Bias of the estimate", "Root mean square error", "Coverage of the interval"):
        assert label in told


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--behaviour", "safe"], 2, "need --non-compliance"),
        (["--corrected"], 2, "need --non-compliance"),
        (["--non-compliance", "1"], 1, "at least 0 and below 1"),
        (["--non-compliance", "0.1", "--safe", "maybe"], 1, "no answer 'maybe'"),
        (["--non-compliance", "0.1", "--safe", "drug=maybe"], 1, "no answer 'maybe'"),
        (["--non-compliance", "0.1", "--safe", "age=old"], 1, "must be a number"),
        (["--non-compliance", "0.1", "--safe", "age=nan"], 1, "must be a number"),
        (["--non-compliance", "0.1", "--safe", "age=400"], 1, "lies between"),
        (["--non-compliance", "0.1", "--behaviour", "lie"], 2, "it must be one of"),
    ],
)
def test_that_wrong_non_compliance_is_refused_in_one_sentence(design, capsys, words, status, said):
    try:
        found = main(["measure", "--design", design, *words])
    except SystemExit as end:
        found = end.code
    captured = capsys.readouterr()
    assert found == status
    assert said in captured.err + captured.out
