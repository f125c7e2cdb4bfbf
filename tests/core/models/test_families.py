"""What every family of models answers, a new one as well, and that nobody asks for its class."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ppworkbench
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.message import Message
from ppworkbench.core.models import parse_formula, problem
from ppworkbench.core.models.effects import Averages, effects_of, predictions_of
from ppworkbench.core.models.estimating import fit_by_inverse_weights, fit_by_likelihood
from ppworkbench.core.models.families import FAMILIES, OF_NUMBERS, OF_VALUES, families_for
from ppworkbench.core.models.family import Curve, Family, OutcomeChange
from ppworkbench.core.models.likelihood import Likelihood
from tests.core.models.conftest import design_of, table_of
from tests.regression_surveys import CASES, V, survey


@pytest.mark.parametrize(
    ("kind", "models"),
    [
        (Kind.BINARY, ("logistic",)),
        (Kind.NOMINAL, ("multinomial",)),
        (Kind.ORDINAL, ("ordinal", "multinomial")),
        (Kind.INTEGER, ("poisson", "linear")),
        (Kind.CONTINUOUS, ("linear",)),
    ],
)
def test_that_an_outcome_is_offered_its_models(kind: Kind, models: tuple[str, ...]) -> None:
    """The first one is proposed."""
    assert families_for(kind) == models


@pytest.mark.parametrize("family", [*OF_VALUES, *OF_NUMBERS])
def test_that_a_family_suits_either_values_or_numbers(family: type[Family]) -> None:
    """Its list says which, and what it gives has to agree."""
    assert family.gives_shares == (family in OF_VALUES)
    assert {kind.is_categorical for kind in family.offered_for} == {family.gives_shares}
    assert family.takes_ratios or not family.takes_odds


@pytest.mark.parametrize("name", sorted(CASES))
def test_that_slopes_of_the_mean_are_its_derivatives(name: str) -> None:
    """Effects and predictions have their errors from them."""
    table, design = survey(CASES[name], "y", np.random.default_rng(4), 200)
    family = problem.make_problem(table, design, parse_formula("y ~ v"), name).likelihood.family
    eta = np.linspace(-1.1, 1.3, 5)[:, None] + np.arange(family.predictors)
    slopes = family.mean_slope(eta)
    for k in range(family.predictors):
        step = np.zeros(family.predictors)
        step[k] = 1e-6
        apart = (family.mean(eta + step) - family.mean(eta - step)) / 2e-6
        np.testing.assert_allclose(slopes[:, :, k], apart, atol=1e-8)


@pytest.mark.parametrize("name", sorted(CASES))
def test_that_coefficients_have_labels_and_starts(name: str) -> None:
    """As many as the family maps to linear predictors."""
    table, design = survey(CASES[name], "y", np.random.default_rng(4), 200)
    found = problem.make_problem(table, design, parse_formula("y ~ v + x"), name).likelihood
    labels = found.family.coefficient_labels(found.coding.labels, found.coding.intercept)
    assert len(labels) == found.coefficients
    assert len(set(labels)) == found.coefficients
    assert len(found.family.start(found)) == found.coefficients + found.own


class Exponential(Family):
    """A waiting time with the mean ``exp(x beta)``."""

    name = "exponential"
    title = Message("exponential regression")
    offered_for = frozenset({Kind.CONTINUOUS})

    def mean(self, eta: Numbers) -> Numbers:
        return np.exp(eta)

    def mean_slope(self, eta: Numbers) -> Numbers:
        return np.exp(eta)[..., None]

    def curve(self, eta: Numbers, reported: NDArray[Any], own: Numbers) -> Curve:
        times = reported * np.exp(-eta[..., 0])
        return Curve(-eta[..., 0] - times, (times - 1)[..., None], times[..., None, None])

    def start(self, likelihood: Likelihood) -> Numbers:
        return np.zeros(likelihood.coding.size)

    @classmethod
    def effect_message(cls, moved: OutcomeChange) -> Message:
        return moved.change


def test_that_a_new_family_is_a_class_and_a_line_in_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fits, effects and predictions know it by what it answers."""
    monkeypatch.setitem(FAMILIES, Exponential.name, Exponential)
    monkeypatch.setattr(problem, "OF_NUMBERS", (*OF_NUMBERS, Exponential))
    random = np.random.default_rng(17)
    v = random.normal(size=4000)
    columns = {
        Attribute("y", Kind.CONTINUOUS, domain=(0, 500)): random.exponential(np.exp(0.5 + 0.3 * v)),
        V: v,
    }
    made = problem.make_problem(
        table_of(columns), design_of(columns), parse_formula("y ~ v"), "exponential"
    )
    fitted = fit_by_likelihood(made.likelihood)
    errors = np.sqrt(np.diag(fitted.inverse))
    assert np.abs(fitted.theta - [0.5, 0.3]).max() < 4 * errors.max()
    assert errors.max() < 0.02
    again = fit_by_inverse_weights(made, fitted.theta)
    np.testing.assert_allclose(again.theta, fitted.theta, atol=1e-7)
    averages = Averages(made, fitted, fitted.inverse, 1.96)
    (effect,) = effects_of(averages)
    mean = float(np.exp(fitted.theta[0] + fitted.theta[1] * v).mean())
    assert effect.estimate == pytest.approx(fitted.theta[1] * mean, rel=1e-6)
    (told,) = predictions_of(averages, [{"v": "1"}])
    assert told.estimate == pytest.approx(float(np.exp(fitted.theta.sum())))
    assert told.high - told.estimate == pytest.approx(told.estimate - told.low)


CLASSES = "|".join(sorted({one.__name__ for one in FAMILIES.values()} | {"Categorical"}))
ASKED = re.compile(
    rf"isinstance\([^)]*\b({CLASSES})\b|\bmodel (==|!=|in|not in) \(?\"({'|'.join(FAMILIES)})\""
)


def test_that_nobody_asks_for_the_class_of_a_family_or_its_name() -> None:
    """What differs between families is an answer of theirs."""
    package = Path(ppworkbench.__file__).parent
    at_home = package / "core" / "models" / "families"
    sources = {
        path: path.read_text(encoding="utf-8")
        for path in package.rglob("*.py")
        if at_home not in path.parents
    }
    found = [
        f"{path.relative_to(package)}: {line.strip()}"
        for path, source in sources.items()
        if "core.models" in source
        for line in source.splitlines()
        if ASKED.search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "if isinstance(likelihood.family, Categorical):",
        "isinstance(family, Linear | Poisson)",
        'found.model == "linear"',
        'if problem.model in ("poisson", "linear"):',
    ],
)
def test_that_the_rule_sees_who_asks(line: str) -> None:
    """As it was written before families answered."""
    assert ASKED.search(line)
