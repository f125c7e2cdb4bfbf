"""Surveys that were really collected by randomised response; see the schemas for their sources."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.design import Custom, Design, DesignedAttribute, Related, Unrelated
from ppworkbench.core.reconstruct import reconstruct
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.crosstabs import crosstab
from ppworkbench.core.survey.participants import participants

ZERO_ONE = ("0", "1")


def schema_of(shared_data, name):
    return json.loads((shared_data / f"{name}.schema.json").read_text(encoding="utf-8"))


def read(shared_data, name, *attributes):
    return read_table(shared_data / f"{name}.csv", ReadOptions(missing_codes=("?",)), attributes)


def alone(attribute, perturbation):
    return Design((DesignedAttribute(attribute, perturbation),))


def moment(answers, c, d):
    """The textbook estimate of pi from Pr(yes) = c + d pi, with its standard error."""
    share = answers.mean()
    error = np.sqrt(share * (1 - share) / (len(answers) - 1)) / abs(d)
    return (share - c) / d, error


@pytest.fixture
def students(shared_data):
    distortion = schema_of(shared_data, "rr-students")["distortion"]
    attributes = [Attribute(name, Kind.BINARY, ("no", "yes")) for name in distortion["alpha"]]
    design = Design(
        tuple(
            DesignedAttribute(
                attribute,
                Unrelated(
                    theta=distortion["p"],
                    personal=(
                        1 - distortion["alpha"][attribute.name],
                        distortion["alpha"][attribute.name],
                    ),
                ),
            )
            for attribute in attributes
        )
    )
    return read(shared_data, "rr-students", *attributes), design, distortion


def test_that_unrelated_questions_give_the_moment_estimates(students):
    table, design, distortion = students
    for name, published in distortion["moment_estimate_of_pi_computed_here"].items():
        found = count(table, design, f"{name} = yes")
        alpha = distortion["alpha"][name]
        pi, error = moment(table[name].data, 0.5 * alpha, 0.5)
        assert found.respondents == 710
        assert found.value.estimate / 710 == pytest.approx(pi)
        assert found.value.estimate / 710 == pytest.approx(published, abs=1e-4)
        assert found.value.standard_error / 710 == pytest.approx(error)
        again = reconstruct(table[name], design[name].attribute, design.perturbation(name))
        assert again.raw[1] == pytest.approx(pi)


def test_that_joint_counts_of_students_agree_with_their_margins(students):
    table, design, _ = students
    pair = crosstab(table, design, "copied", "drug")
    for name, margin in (("copied", pair.raw.sum(axis=1)), ("drug", pair.raw.sum(axis=0))):
        alone_count = count(table, design, f"{name} = yes").value.estimate
        assert margin[1] == pytest.approx(alone_count)
    both = count(table, design, "copied = yes and drug = yes")
    assert both.value.estimate == pytest.approx(pair.raw[1, 1])
    assert both.value.low < both.value.estimate < both.value.high


def test_that_students_can_be_listed_by_their_posterior(students):
    table, design, _ = students
    found = participants(table, design, "copied = yes and fought = yes", size=20)
    answers = [[int(table[name].data[row]) for name in ("copied", "fought")] for row in found.rows]
    # Twice yes is the best witness; there are more than 20 of them.
    assert answers == [[1, 1]] * 20


def test_that_warner_s_design_gives_the_moment_estimate(shared_data):
    distortion = schema_of(shared_data, "rr-warner")["distortion"]
    z = Attribute("z", Kind.BINARY, ("no", "yes"))
    table = read(shared_data, "rr-warner", z)
    found = count(table, alone(z, Related(theta=distortion["p"])), "z = yes")
    published = distortion["moment_estimate_of_pi_computed_here"]
    assert found.value.estimate / 125 == pytest.approx(published, abs=1e-9)
    _, error = moment(table["z"].data, 0.3, 0.4)
    assert found.value.standard_error / 125 == pytest.approx(error)
    # Warner (1965): the variance has a part of sampling and a part of the coin.
    expected = np.sqrt(0.45 * 0.55 / 124 + 0.7 * 0.3 / 0.4**2 / 124)
    assert found.value.standard_error / 125 == pytest.approx(expected)


def test_that_crosswise_and_direct_answers_on_plagiarism_are_each_undone(shared_data):
    response = Attribute("response", Kind.BINARY, ZERO_ONE)
    question = Attribute("question", Kind.BINARY, ("partial plagiarism", "severe plagiarism"))
    model = Attribute("RRmodel", Kind.BINARY, ("DQ", "Crosswise"))
    table = read(shared_data, "rr-plagiarism", response, question, model)
    crosswise = table["RRmodel"].data == 1
    assert crosswise.sum() == 620
    for asked in (0, 1):
        rows = np.flatnonzero(crosswise & (table["question"].data == asked))
        part = table.take(rows)
        # Both answers alike with p = 0.25: Pr(1) = 0.75 - 0.5 pi.
        found = count(part, alone(response, Related(theta=0.25)), "response = 1")
        pi, error = moment(part["response"].data, 0.75, -0.5)
        assert found.value.estimate / len(rows) == pytest.approx(pi)
        assert found.value.standard_error / len(rows) == pytest.approx(error)
        direct = table.take(np.flatnonzero(~crosswise & (table["question"].data == asked)))
        told = count(direct, alone(response, Custom(rows=((1, 0), (0, 1)))), "response = 1")
        assert told.value.estimate == direct["response"].data.sum()


POOLED = {
    "copied": {"Crosswise": 0.283, "DQ": 0.218, "Forced": 0.246, "UQM": 0.175},
    "drugs": {"Crosswise": 0.095, "DQ": 0.029, "Forced": -0.004, "UQM": 0.045},
    "ghostwritten": {"Crosswise": 0.048, "DQ": 0.015, "Forced": -0.020, "UQM": 0.019},
}
"""The schema's own pooled estimates."""


@pytest.mark.slow
def test_that_five_designs_in_one_survey_are_each_undone(shared_data):
    models = Attribute("RRmodel", Kind.NOMINAL, ("DQ", "Forced", "UQM", "Crosswise"))
    for name, expected in POOLED.items():
        answer = Attribute(name, Kind.BINARY, ZERO_ONE)
        numbers = [
            Attribute(f"{letter}_{name}", Kind.CONTINUOUS, domain=(-1, 1)) for letter in "cd"
        ]
        table = read(shared_data, "rr-ethbe", answer, models, *numbers)
        c, d = (table[one.name].data for one in numbers)
        for position, model in enumerate(models.values):
            rows = np.flatnonzero(table["RRmodel"].data == position)
            share, remarks = pooled(table.take(rows), answer, c[rows], d[rows])
            undone = d[rows] * (table[name].data[rows] - c[rows])
            assert share == pytest.approx(undone.sum() / (d[rows] ** 2).sum())
            assert share == pytest.approx(expected[model], abs=6e-4)
            if model == "Forced" and expected[model] < 0:
                assert any("treat it as 0" in remark for remark in remarks)


def pooled(table, answer, c, d):
    """The least-squares share: counts of those with one coin, weighted by what it tells."""
    total, base, remarks = 0.0, 0.0, []
    for pair in np.unique(np.stack([c, d]), axis=1).T:
        rows = np.flatnonzero((c == pair[0]) & (d == pair[1]))
        yes_if_no, yes_if_yes = pair[0], min(pair.sum(), 1.0)
        coin = Custom(rows=((1 - yes_if_no, 1 - yes_if_yes), (yes_if_no, yes_if_yes)))
        found = count(table.take(rows), alone(answer, coin), f"{answer.name} = 1")
        total += pair[1] ** 2 * found.value.estimate
        base += pair[1] ** 2 * len(rows)
        remarks += found.remarks
    return total / base, remarks
