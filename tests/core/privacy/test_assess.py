"""Reports of attributes: what applies, what is said, what is warned of, and the JSON."""

from __future__ import annotations

import ast
import json
import math
from pathlib import Path

import numpy as np
import pytest

from ppworkbench.core import privacy
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Binary,
    Custom,
    Design,
    DesignedAttribute,
    Discretise,
    Forced,
    Group,
    Identity,
    Multiplicative,
    Ordinal,
    Perturbation,
    Related,
    Retention,
    Uniform,
    Unrelated,
)
from ppworkbench.core.errors import DataError, DesignError, ParameterError
from ppworkbench.core.files import resource
from ppworkbench.core.privacy import reinterrogation
from ppworkbench.core.privacy.assess import assess, assess_attribute, priors_of
from ppworkbench.core.privacy.prior import Prior

DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"))
LIKERT = Attribute("likert", Kind.ORDINAL, ("--", "-", "0", "+", "++"))
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))
SALARY = Attribute("salary", Kind.CONTINUOUS, domain=(1, 10_000))

ALWAYS = {"attack_success", "prior_guess", "epsilon", "entropy", "conditional", "conditional_loss"}
VALUES = ALWAYS | {"belief", "worst_posterior", "belief_rise", "amplification"}
NOISE = ALWAYS | {"range_percent", "agrawal_srikant"}

EXAMPLES: list[tuple[Attribute, Perturbation, set[str]]] = [
    (DRUG, Binary(keep_one=0.5, keep_zero=0.87), VALUES | {"basic"}),
    (DRUG, Unrelated(theta=0.7, personal=(0.5, 0.5)), VALUES | {"basic", "pse"}),
    (DRUG, Forced(p_truth=0.7), VALUES | {"basic", "pse"}),
    (DRUG, Related(theta=0.7), VALUES | {"basic"}),
    (DRUG, Identity(), VALUES | {"basic"}),
    (LIKERT, Ordinal(weights=(0.6, 0.2)), VALUES),
    (LIKERT, Unrelated(theta=0.5), VALUES),
    (AGE, Additive(noise="uniform", half_width=10), NOISE),
    (AGE, Retention(keep=0.5), ALWAYS),
    (AGE, Identity(), ALWAYS),
    (SALARY, Additive(noise="normal", range_privacy=100), NOISE),
    (SALARY, Additive(noise="laplace", scale=5000), NOISE),
    (SALARY, Multiplicative(sigma=0.3), ALWAYS | {"range_percent"}),
    (SALARY, Discretise(intervals=5), NOISE),
]


@pytest.mark.parametrize(("attribute", "perturbation", "names"), EXAMPLES)
def test_that_a_report_has_the_measures_that_apply_and_no_others(
    attribute: Attribute, perturbation: Perturbation, names: set[str]
) -> None:
    report = assess_attribute(DesignedAttribute(attribute, perturbation), None, 500)
    assert set(report.privacy.to_json()) == names
    assert (report.matrix is not None) == attribute.kind.is_categorical
    assert report.utility.n == 500


def test_that_the_json_is_what_measure_prints() -> None:
    design = Design(
        (
            DesignedAttribute(DRUG, Unrelated(theta=0.7, personal=(0.5, 0.5))),
            DesignedAttribute(AGE, Additive(noise="normal", sigma=5)),
        )
    )
    printed = assess(design).to_json()
    assert set(printed) == {"attributes", "questionnaire"}
    drug, age = printed["attributes"]["drug"], printed["attributes"]["age"]
    assert drug["matrix"] == pytest.approx(np.array([[0.85, 0.15], [0.15, 0.85]]))
    assert drug["privacy"]["epsilon"] == pytest.approx(math.log(0.85 / 0.15))
    assert {"information_loss", "standard_error", "condition"} <= set(drug["utility"])
    assert "matrix" not in age
    assert age["privacy"]["epsilon"] == math.inf
    assert list(age["privacy"]["agrawal_srikant"]) == ["0.5", "0.95", "0.999"]
    assert age["privacy"]["agrawal_srikant"]["0.95"] == pytest.approx(19.6849, abs=1e-3)
    whole = printed["questionnaire"]
    assert whole["epsilon"] == math.inf
    assert len(whole["right_at_least"]) == len(whole["blind_at_least"]) == 3
    json.dumps(printed)


def test_that_the_sentences_say_what_the_numbers_mean() -> None:
    prior = Prior.from_weights(DRUG, [0.88, 0.12])
    report = assess_attribute((DRUG, Related(theta=0.7)), prior).privacy
    after = 0.7 * 0.12 / (0.7 * 0.12 + 0.3 * 0.88)
    assert "belief in the true answer “yes” changes from 12 % to 24 %" in (
        report["belief_rise"].sentence
    )
    assert report["belief_rise"].value == pytest.approx(after - 0.12)
    assert "sees “no” guesses correctly in 94 % of cases" in report["attack_success"].sentence
    assert report["attack_success"].text == "88 %"
    assert "smaller is more private" in report["epsilon"].sentence
    assert "2.33-fold" in report["epsilon"].sentence


def test_that_ruled_out_answers_are_said_to_make_epsilon_infinite() -> None:
    report = assess_attribute((LIKERT, Ordinal(weights=(0.6, 0.2)))).privacy
    assert report["epsilon"].value == math.inf
    assert report["epsilon"].text == "∞"
    assert report["epsilon"].sentence.startswith("∞ (some answers are ruled out)")


def test_that_a_breach_is_told_only_of_rare_answers() -> None:
    rare = Prior.from_weights(DRUG, [0.95, 0.05])
    report = assess_attribute((DRUG, Related(theta=0.99)), rare).privacy
    after = 0.99 * 0.05 / (0.99 * 0.05 + 0.01 * 0.95)
    assert report["breach"].value == pytest.approx(after)
    assert report["breach"].sentence.endswith(": a breach.")
    mild = assess_attribute((DRUG, Related(theta=0.6)), rare).privacy
    assert mild["breach"].sentence.endswith("no breach of 50 %.")
    assert "breach" not in assess_attribute((DRUG, Related(theta=0.6))).privacy


@pytest.mark.parametrize(
    ("attribute", "perturbation", "words"),
    [
        (LIKERT, Uniform(keep=0.2), "singular: EQ has no solution and EM is not identified"),
        (DRUG, Custom(((0.5001, 0.5), (0.4999, 0.5))), "nearly singular"),
        (DRUG, Identity(), "not randomised"),
        (SALARY, Discretise(intervals=5), "Nothing is random"),
        (SALARY, Retention(keep=0.5), "last digit"),
        (SALARY, Additive(noise="laplace", scale=5), "on a grid"),
        (SALARY, Additive(noise="uniform", half_width=5), "ends of its range"),
    ],
)
def test_that_a_design_with_a_catch_is_warned_of(
    attribute: Attribute, perturbation: Perturbation, words: str
) -> None:
    assert any(words in said for said in assess_attribute((attribute, perturbation)).warnings)


@pytest.mark.parametrize(
    ("attribute", "perturbation"),
    [
        (LIKERT, Uniform(keep=0.6)),
        (AGE, Retention(keep=0.5)),
        (SALARY, Retention(keep=0.5, grid=10)),
        (SALARY, Retention(keep=0.0)),
        (SALARY, Additive(noise="laplace", scale=5, grid=1)),
        (AGE, Additive(noise="laplace", scale=5)),
        (SALARY, Additive(noise="uniform", half_width=5, truncate=True)),
        (SALARY, Additive(noise="normal", sigma=5)),
    ],
)
def test_that_a_design_without_a_catch_is_not_warned_of(
    attribute: Attribute, perturbation: Perturbation
) -> None:
    assert assess_attribute((attribute, perturbation)).warnings == ()


def test_that_missing_answers_are_warned_of_unless_they_are_a_value() -> None:
    column = Column(DRUG, np.array([0, 1, -1, -1]))
    left = assess_attribute((DRUG, Related(theta=0.7)), Prior.from_column(column))
    assert any("50 % of the answers are missing" in said for said in left.warnings)
    answer = Attribute("drug", Kind.NOMINAL, ("no", "yes", "missing"))
    designed = DesignedAttribute(answer, Uniform(keep=0.6), missing_is_value=True)
    kept = assess_attribute(designed, Prior.from_column(column, answer))
    assert kept.warnings == ()


def test_that_a_prior_over_other_values_is_refused() -> None:
    for prior in (Prior.uniform(LIKERT), Prior.uniform(AGE)):
        with pytest.raises(DesignError, match="prior covers other values"):
            assess_attribute((DRUG, Related(theta=0.7)), prior)
    with pytest.raises(DesignError, match="'likert' is ordinal"):
        assess_attribute((LIKERT, Related(theta=0.7)))


def test_that_priors_come_from_the_columns_that_the_design_knows() -> None:
    table = Table((Column(DRUG, np.array([0, 0, 0, 1])), Column(LIKERT, np.array([0, 1, 2, 3]))))
    design = Design(
        (DesignedAttribute(DRUG, Related(theta=0.7)), DesignedAttribute(AGE, Identity()))
    )
    priors = priors_of(table, design)
    assert list(priors) == ["drug"]
    assert assess(design, priors)["drug"].privacy["prior_guess"].value == 0.75
    with pytest.raises(DesignError, match="likert"):
        assess(design, {"likert": Prior.uniform(LIKERT)})
    wrong = Table((Column(DRUG.with_(values=("ja", "nein")), np.array([0, 1, 1, 1])),))
    with pytest.raises(DataError, match="ja, nein"):
        priors_of(wrong, design)


def test_that_a_measure_that_does_not_apply_is_named() -> None:
    report = assess_attribute((LIKERT, Uniform(keep=0.6)))
    with pytest.raises(ParameterError, match="'basic' does not apply"):
        report.privacy["basic"]


def test_that_every_reading_has_its_page_of_help() -> None:
    files = resource("help", "privacy-measures").glob("*.md")
    pages = [file.read_text(encoding="utf-8").partition("\n# ")[2] for file in files]
    titles = {page.partition("\n")[0] for page in pages}
    rare = Prior.from_weights(DRUG, [0.95, 0.05])
    pair = Group(("drug",), "unrelated", 0.7)
    whole = assess(Design((DesignedAttribute(DRUG, Identity()),), groups=(pair,)), {"drug": rare})
    shown = {reading.label for reading in (*whole.readings, *whole.groups[0].readings)}
    shown |= {reading.label for reading in whole["drug"].privacy}
    for attribute, perturbation, _ in EXAMPLES:
        shown |= {one.label for one in assess_attribute((attribute, perturbation)).privacy}
    shown |= {reinterrogation.LABEL, "Deniability"}
    assert shown == titles
    for page in pages:
        assert "anonymous" not in page.lower()
        for part in ("In plain words", "Formula", "When to use", "Limits", "Reference"):
            assert f"\n## {part}\n" in page, page.partition("\n")[0]


def test_that_the_program_uses_every_file_of_the_package() -> None:
    folder = Path(privacy.__file__).parent
    imported = set()
    for file in folder.parents[1].rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                imported |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
    for file in folder.glob("[!_]*.py"):
        assert f"ppworkbench.core.privacy.{file.stem}" in imported, file.name
