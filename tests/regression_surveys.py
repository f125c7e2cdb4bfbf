"""Simulated surveys for regressions: true coefficients, and answers sent through devices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.anchors import Anchor
from ppworkbench.core.design.design import Design
from ppworkbench.core.models import Regression, RegressionOptions, regress
from tests.core.models.conftest import FORCED, UNIFORM, binary, design_of, table_of

V = Attribute("v", Kind.CONTINUOUS, domain=(-10, 10))
STEPS = Attribute("v", Kind.INTEGER, domain=(-10, 10))
X = binary("x")
THREE = ("a", "b", "c")
CHANNELS = {
    "forced": np.array([[5 / 6, 1 / 6], [1 / 6, 5 / 6]]),
    "uniform": np.full((3, 3), 0.2) + 0.4 * np.eye(3),
}
NOISE = {"type": "additive", "noise": "laplace", "scale": 1.5}
BLUR = {"type": "additive", "noise": "normal", "sigma": 0.7}


def seen(codes: np.ndarray, channel: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Answers sent through a channel."""
    edges = np.cumsum(channel, axis=0)[:, codes]
    return (random.random(len(codes)) >= edges).sum(axis=0)


def chosen(shares: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """One value of each row's distribution."""
    return (random.random(len(shares))[:, None] >= np.cumsum(shares, axis=1)).sum(axis=1)


def logit(eta: np.ndarray) -> np.ndarray:
    """The probability that belongs to log odds."""
    return 1 / (1 + np.exp(-eta))


@dataclass(frozen=True)
class Case:
    """A model with its true coefficients, and how its outcome is drawn."""

    outcome: Attribute
    truth: tuple[float, ...]
    draw: Callable[[np.ndarray, np.ndarray, np.random.Generator], np.ndarray]
    channel: str = ""


def _three(v: np.ndarray, x: np.ndarray) -> np.ndarray:
    eta = np.column_stack([0 * v, -0.2 + 0.5 * v + 0.6 * x, 0.3 - 0.4 * v - 0.5 * x])
    return np.exp(eta) / np.exp(eta).sum(axis=1, keepdims=True)


def _ordered(v: np.ndarray, x: np.ndarray) -> np.ndarray:
    below = logit(np.array([-0.8, 0.7]) - (0.6 * v + 0.7 * x)[:, None])
    return np.diff(below, prepend=0, append=1, axis=1)


CASES = {
    "logistic": Case(
        binary("y"), (-0.4, 0.7, 0.8),
        lambda v, x, random: (random.random(len(v)) < logit(-0.4 + 0.7 * v + 0.8 * x)).astype(int),
        "forced",
    ),
    "multinomial": Case(
        Attribute("y", Kind.NOMINAL, THREE), (-0.2, 0.5, 0.6, 0.3, -0.4, -0.5),
        lambda v, x, random: chosen(_three(v, x), random), "uniform",
    ),
    "ordinal": Case(
        Attribute("y", Kind.ORDINAL, THREE), (-0.8, 0.7, 0.6, 0.7),
        lambda v, x, random: chosen(_ordered(v, x), random), "uniform",
    ),
    "linear": Case(
        Attribute("y", Kind.CONTINUOUS, domain=(-50, 50)), (1.0, 0.5, -0.8),
        lambda v, x, random: 1 + 0.5 * v - 0.8 * x + random.normal(size=len(v)), "noise",
    ),
    "poisson": Case(
        Attribute("y", Kind.INTEGER, domain=(0, 200)), (0.5, 0.4, 0.3),
        lambda v, x, random: random.poisson(np.exp(0.5 + 0.4 * v + 0.3 * x)).astype(float),
        "noise",
    ),
}  # fmt: skip


def survey(
    case: Case, distorted: str, random: np.random.Generator, n: int, *, whole: bool = False
) -> tuple[Table, Design]:
    """A table and its design; x goes together with v.

    Parameters
    ----------
    distorted
        Which of y, x and v are: ``"yx"``.
    whole
        Whether v takes whole numbers only, so that rows can be merged.
    """
    v = random.normal(size=n)
    v = np.rint(v) if whole else v
    x = (random.random(n) < logit(0.3 + 0.8 * v)).astype(int)
    y = case.draw(v, x, random)
    mechanisms: dict = {}
    if "y" in distorted:
        if case.channel == "noise":
            mechanisms["y"] = NOISE
            y = y + random.laplace(scale=1.5, size=n)
            if case.outcome.kind is Kind.INTEGER:
                mechanisms["y"] = NOISE | {"integer": "round"}
                y = np.rint(y)
        else:
            mechanisms["y"] = FORCED if case.channel == "forced" else UNIFORM
            y = seen(y, CHANNELS[case.channel], random)
    if "x" in distorted:
        mechanisms["x"] = FORCED
        x = seen(x, CHANNELS["forced"], random)
    if "v" in distorted:
        mechanisms["v"] = BLUR
        v = v + BLUR["sigma"] * random.normal(size=n)
    columns = {case.outcome: y, STEPS if whole else V: v, X: x}
    return table_of(columns), design_of(columns, **mechanisms)


HARMLESS = 0.15
"""The share of the harmless statement of both crosswise questions."""
ATTENTION = {"y": ("trait=yes ~ x", (-1.5, 0.8)), "x": ("v ~ trait + x", (1.0, 1.5, 0.5))}
"""Formulas with the trait as outcome and as predictor, and their true coefficients."""


def attention_survey(
    random: np.random.Generator, n: int, attentive: float | tuple[float, float] = 0.8,
    *, alike: bool = True,
) -> tuple[Table, Design]:  # fmt: skip
    """Crosswise answers to a trait and to a check question that is true of nobody.

    Parameters
    ----------
    attentive
        The share of people who attend, or that of those without and with x.
    alike
        Whether who attends to one question attends to the other.
    """

    def crosswise(true: np.ndarray) -> np.ndarray:
        attends = together if alike else random.random(n) < share
        told = np.where(random.random(n) < HARMLESS, true, 1 - true)
        return np.where(attends, told, random.integers(0, 2, n))

    x = random.integers(0, 2, n)
    share = np.broadcast_to(attentive, 2)[x]
    together = random.random(n) < share
    trait = (random.random(n) < logit(-1.5 + 0.8 * x)).astype(int)
    v = 1.0 + 1.5 * trait + 0.5 * x + random.normal(size=n)
    columns = {
        binary("trait"): crosswise(trait), binary("anchor"): crosswise(np.zeros(n, int)), X: x,
        Attribute("v", Kind.CONTINUOUS, domain=(-20, 20)): v,
    }  # fmt: skip
    device = {"type": "uniform", "keep": HARMLESS}
    design = design_of(columns, trait=device, anchor=device)
    return table_of(columns), replace(design, anchors=(("trait", Anchor("anchor", HARMLESS)),))


def two_peaks(n: int, random: np.random.Generator) -> tuple[Table, Design]:
    """A number far from normal, with as much normal noise as it varies, and who says yes by it."""
    x = np.where(random.random(n) < 0.5, -1, 1) + 0.4 * random.normal(size=n)
    columns = {
        binary("y"): (random.random(n) < logit(x)).astype(int), V: x + random.normal(size=n)
    }  # fmt: skip
    return table_of(columns), design_of(columns, v=BLUR | {"sigma": 1})


def holds(result: Regression, truth: tuple[float, ...]) -> list[bool]:
    """Which intervals hold the true coefficients."""
    return [one.low <= true <= one.high for one, true in zip(result.terms, truth, strict=True)]


def coverage(
    name: str, distorted: str, draws: int, n: int, *, method: str = "ml", whole: bool = False
) -> np.ndarray:
    """How often the 95 % intervals of each coefficient hold the truth."""
    case, random = CASES[name], np.random.default_rng(7)
    options = RegressionOptions(method=method, model=name)
    held = []
    for _ in range(draws):
        table, design = survey(case, distorted, random, n, whole=whole)
        held.append(holds(regress(table, design, "y ~ v + x", options), case.truth))
    return np.mean(held, axis=0)
