"""What a regression found: a tidy table of coefficients, and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.json_values import finite_fields, finite_or_none
from ppworkbench.core.message import Message
from ppworkbench.core.models.coding import INTERCEPT, THRESHOLD
from ppworkbench.core.models.families import FAMILIES
from ppworkbench.core.models.family import Family
from ppworkbench.core.models.formula import Formula
from ppworkbench.core.sampling.results import IntervalContents
from ppworkbench.core.survey.conditions.condition import Condition
from ppworkbench.core.survey.estimates import amount


def exponential(x: float) -> float:
    """The ratio that a coefficient on the logarithmic scale means; infinite where none is held.

    >>> exponential(0.0), exponential(1000.0), exponential(math.nan)
    (1.0, inf, nan)
    """
    return math.inf if x >= 700 else math.exp(x)


@dataclass(frozen=True)
class Interval:
    estimate: float
    low: float
    high: float

    def to_json(self) -> dict[str, Any]:
        return finite_fields(self, "estimate", "low", "high")


@dataclass(frozen=True)
class Coefficient:
    """One row of the table.

    Parameters
    ----------
    term, level
        What is multiplied, and the value that it stands for beside the reference.
    outcome
        The value of the outcome that it is about, where there are more than two.
    naive
        The same from the reported answers taken for true ones.
    true
        The same from the original answers, where they are known.
    people
        How many records report the value that it stands for; None for a number.
    """

    term: str
    level: str
    outcome: str
    estimate: float
    standard_error: float
    statistic: float
    degrees_of_freedom: float
    p: float
    low: float
    high: float
    odds_ratio: Interval | None = None
    naive: float | None = None
    true: float | None = None
    people: int | None = None

    @property
    def label(self) -> Message:
        is_own = self.term in (INTERCEPT, THRESHOLD)
        said = Message(self.term) if is_own else Message("{attribute}", attribute=self.term)
        if self.level:
            said = Message("{term}[{value}]", term=said, value=self.level)
        if self.outcome:
            said = Message("{outcome}: {term}", outcome=self.outcome, term=said)
        return said

    def to_json(self) -> dict[str, Any]:
        row: dict[str, Any] = {"term": self.term}
        if self.level:
            row["level"] = self.level
        if self.outcome:
            row["outcome"] = self.outcome
        row |= finite_fields(
            self, "estimate", "standard_error", "statistic", "degrees_of_freedom", "p", "low",
            "high",
        )  # fmt: skip
        if self.people is not None:
            row["people"] = self.people
        if self.odds_ratio is not None:
            row["odds_ratio"] = self.odds_ratio.to_json()
        row |= finite_fields(self, "naive")
        return row if self.true is None else row | finite_fields(self, "true")


_ESTIMATED = ("estimate", "standard_error", "low", "high")


@dataclass(frozen=True)
class DeviceParameter:
    """A parameter of an attribute's device that was estimated; p is that of its being 1."""

    attribute: str
    parameter: str
    estimate: float
    standard_error: float
    low: float
    high: float
    p: float

    def to_json(self) -> dict[str, Any]:
        return {"parameter": self.parameter, **finite_fields(self, *_ESTIMATED, "p")}


@dataclass(frozen=True)
class Effect:
    """How the expected outcome moves, on average, with one predictor.

    ``level`` is the value that takes the place of the reference; empty for a number, of which the
    effect is that of one unit more.
    """

    attribute: str
    level: str
    outcome: str
    estimate: float
    standard_error: float
    low: float
    high: float

    def to_json(self) -> dict[str, Any]:
        named = {"attribute": self.attribute, "level": self.level or None}
        return {**named, "outcome": self.outcome or None, **finite_fields(self, *_ESTIMATED)}


@dataclass(frozen=True)
class Prediction:
    """The expected outcome if everybody had some values; ``given`` tells which."""

    given: Mapping[str, str]
    outcome: str
    estimate: float
    standard_error: float
    low: float
    high: float

    def to_json(self) -> dict[str, Any]:
        named = {"given": dict(self.given), "outcome": self.outcome or None}
        return {**named, **finite_fields(self, *_ESTIMATED)}


WALD, LIKELIHOOD_RATIO = "wald", "lr"


@dataclass(frozen=True)
class Test:
    """Whether some terms could do without: ``df`` and, under a sampling, ``denominator``."""

    terms: tuple[str, ...]
    kind: str
    statistic: float
    df: int
    p: float
    denominator: float = math.inf

    def to_json(self) -> dict[str, Any]:
        return {
            "terms": list(self.terms),
            "kind": self.kind,
            "statistic": finite_or_none(self.statistic),
            "df": self.df,
            "denominator_df": finite_or_none(self.denominator),
            "p": finite_or_none(self.p),
        }


@dataclass(frozen=True)
class FitGroup:
    """Rows with about the same expected report: how many, how many expected, how many came."""

    label: str
    n: float
    expected: float
    reported: float

    def to_json(self) -> dict[str, Any]:
        return {
            "label": self.label, "n": self.n, "expected": self.expected, "reported": self.reported,
        }  # fmt: skip


@dataclass(frozen=True)
class FitTest:
    """Pearson's distance between reported and expected answers, judged by simulated surveys."""

    statistic: float
    groups: tuple[FitGroup, ...]
    replicates: int
    p: float

    def to_json(self) -> dict[str, Any]:
        return {
            "statistic": self.statistic, "groups": [group.to_json() for group in self.groups],
            "replicates": self.replicates, "p": self.p,
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Regression:
    """A fitted model.

    Parameters
    ----------
    covariance
        Of the coefficients, in the order of the table.
    aic
        None under a sampling and where there is no likelihood.
    smallest
        The predictor and its value that fewest of the fitted records report, and how many do.
    draws
        How many draws of a bootstrap the errors come from; None for other errors.
    """

    formula: Formula
    model: str
    method: str
    variance: str
    condition: Condition
    n: int
    left_out: int
    iterations: int
    log_likelihood: float | None
    aic: float | None
    terms: tuple[Coefficient, ...]
    covariance: Numbers
    confidence: float
    target: str
    contents: IntervalContents
    sigma: float | None = None
    device: DeviceParameter | None = None
    effects: tuple[Effect, ...] = ()
    predictions: tuple[Prediction, ...] = ()
    tests: tuple[Test, ...] = ()
    fit: FitTest | None = None
    remarks: tuple[str, ...] = ()
    smallest: tuple[str, str, int] | None = None
    draws: int | None = None

    @property
    def family(self) -> type[Family]:
        """What the model is asked about: shares or means, odds, ratios, thresholds."""
        return FAMILIES[self.model]

    @property
    def sentence(self) -> str:
        effects = {term.label for term in self.formula.terms}
        told = [one for one in self.terms if one.term in effects and math.isfinite(one.p)]
        counted = Message("Fitted to {n:,} records.", n=self.n)
        if not told:
            return counted
        first = min(told, key=lambda one: one.p)
        odds = first.odds_ratio
        if odds is None:
            said = Message(
                "{label}: {estimate}, {level:g} % interval {low} to {high}.",
                label=first.label,
                estimate=amount(first.estimate),
                level=100 * self.confidence,
                low=amount(first.low),
                high=amount(first.high),
            )
        else:
            said = Message(
                "{label}: odds ratio {estimate}, {level:g} % interval {low} to {high}.",
                label=first.label,
                estimate=amount(odds.estimate),
                level=100 * self.confidence,
                low=amount(odds.low),
                high=amount(odds.high),
            )
        return Message.joined((counted, said))

    def to_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "model": self.model,
            "formula": str(self.formula),
            "method": self.method,
            "variance": self.variance,
            "draws": self.draws,
            "condition": str(self.condition),
            "n": self.n,
            "left_out": self.left_out,
            "converged": True,
            "iterations": self.iterations,
            "log_likelihood": finite_or_none(self.log_likelihood),
            "aic": finite_or_none(self.aic),
            "terms": [term.to_json() for term in self.terms],
            "covariance": [[finite_or_none(float(x)) for x in row] for row in self.covariance],
            "device": {} if self.device is None else {self.device.attribute: self.device.to_json()},
            "effects": [effect.to_json() for effect in self.effects],
            "predictions": [one.to_json() for one in self.predictions],
            "tests": [test.to_json() for test in self.tests],
            "fit": None if self.fit is None else self.fit.to_json(),
            "confidence": self.confidence,
            "target": self.target,
            "contains": list(self.contents.contains),
            "excludes": list(self.contents.excludes),
            "remarks": list(self.remarks),
        }
        return document if self.sigma is None else document | {"sigma": self.sigma}
