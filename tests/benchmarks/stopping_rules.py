"""What each stop rule costs when noise is undone: ``python -m tests.benchmarks.stopping_rules``.

Densities x noises x privacy levels; the mean information loss against the true density. Prints a
table in Markdown, which resources/help/stopping-rules.md shows. ``--charges`` compares what *auto*
may charge for a degree of freedom, for values under a matrix and for numbers under noise.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator

import numpy as np
from scipy import stats

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import Additive, Uniform
from ppworkbench.core.reconstruct import count_column, information_loss, reconstruct_counts
from ppworkbench.core.reconstruct.channel import CountedChannel
from ppworkbench.core.reconstruct.stopping import average_iterations, charge_for
from ppworkbench.core.rng import SeededStreams

NUMBER = Attribute("number", Kind.CONTINUOUS, domain=(0.0, 1.0))
POINTS = np.linspace(0, 1, 20_001)

DENSITIES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "uniform": lambda x: x,
    "bimodal": lambda x: (stats.norm(0.3, 0.1).cdf(x) + stats.norm(0.7, 0.1).cdf(x)) / 2,
    "skewed": stats.beta(2, 8).cdf,
    "peaked": lambda x: 0.3 * x + 0.7 * stats.norm(0.4, 0.02).cdf(x),
}
RULES = {
    "published": {"algorithm": "em", "stop": "published"},
    "converged": {"algorithm": "accelerated"},
    "auto": {"algorithm": "em", "stop": "auto"},
    "smooth": {"algorithm": "smooth"},
}


def cumulated(name: str) -> np.ndarray:
    """The distribution function of a density on [0, 1], at the points."""
    below = DENSITIES[name](POINTS)
    return (below - below[0]) / (below[-1] - below[0])


def draw_number(
    name: str, noise: str, level: float, n: int, k: int, seed: int
) -> tuple[CountedChannel, np.ndarray]:
    """The reports of one simulated survey about a number, and the true shares of the bins."""
    below = cumulated(name)
    drawn = np.random.default_rng(seed).random(n)
    original = np.interp(drawn, below, POINTS)
    perturbation = Additive(noise=noise, range_privacy=level)
    streams = SeededStreams(seed)
    told = Column(NUMBER, perturbation.distort(original, NUMBER, streams.stream("number")))
    truth = np.diff(np.interp(np.linspace(0, 1, k + 1), POINTS, below))
    return count_column(told, NUMBER, perturbation, k), truth


def losses(name: str, noise: str, level: float, n: int, k: int, seed: int) -> dict[str, float]:
    """The information loss under every rule for one simulated survey."""
    counted, truth = draw_number(name, noise, level, n, k, seed)
    found = {}
    for rule, choice in RULES.items():
        result = reconstruct_counts(counted, **choice, confidence=None, seed=seed)
        found[rule] = float(information_loss(truth, result.probability))
    return found


def study(n: int, k: int, runs: int) -> None:
    """Print the table for one number of respondents and of intervals."""
    print(f"\nn = {n:,}, {k} intervals, mean of {runs} surveys\n")
    print("| density | noise | privacy | " + " | ".join(RULES) + " |")
    print("| --- | --- | ---: | " + " | ".join("---:" for _ in RULES) + " |")
    means = []
    for name in DENSITIES:
        for noise in ("uniform", "normal"):
            for level in (50, 100, 200):
                each = [losses(name, noise, level, n, k, seed) for seed in range(runs)]
                mean = [float(np.mean([one[rule] for one in each])) for rule in RULES]
                means.append(mean)
                shown = " | ".join(f"{value:.3f}" for value in mean)
                print(f"| {name} | {noise} | {level} % | {shown} |", flush=True)
    shown = " | ".join(f"**{value:.3f}**" for value in np.mean(means, axis=0))
    print(f"| **mean** | | | {shown} |")


CHARGES: dict[str, Callable[[int, float], float]] = {
    "1 (Akaike)": lambda k, n: 1.0,
    "ln(k - 1)": lambda k, n: max(1.0, float(np.log(max(k - 1, 1)))),
    "½ ln n (Schwarz)": lambda k, n: 0.5 * float(np.log(n)),
    "auto": charge_for,
}
Draw = tuple[np.ndarray, np.ndarray, float, np.ndarray]
"""Channel, counts, respondents and true shares."""


def value_draws(spread: float, n: int, runs: int, seed: int = 1) -> Iterator[Draw]:
    """Questions with 2 to 12 values under uniform matrices; small spreads are unequal shares."""
    generator = np.random.default_rng(seed)
    for k in (2, 3, 5, 8, 12):
        for keep in (0.2, 0.3, 0.5, 0.7, 0.9):
            if abs(keep - 1 / k) < 0.06:
                continue
            matrix = Uniform(keep=keep).matrix(k)
            for _ in range(runs):
                truth = generator.dirichlet(np.full(k, spread))
                yield matrix, generator.multinomial(n, matrix @ truth).astype(float), n, truth


def number_draws(k: int, n: int, runs: int) -> Iterator[Draw]:
    """The densities of the other table in k bins."""
    for name in DENSITIES:
        for noise in ("uniform", "normal"):
            for level in (50, 100, 200):
                for seed in range(runs):
                    counted, truth = draw_number(name, noise, level, n, k, seed)
                    yield counted.matrix, counted.usable, n, truth


def losses_by_charge(
    draws: Iterator[Draw], charges: dict[str, Callable[[int, float], float]]
) -> dict[str, float]:
    """The mean loss under every charge, after the last iteration, and of every draw's best."""
    found: dict[str, list[float]] = {name: [] for name in (*charges, "last", "best")}
    for matrix, counts, n, truth in draws:
        # Freedom is rewarded, so the whole way is kept and its end is the last iteration.
        way = average_iterations(matrix, counts, n, charge=-100.0).estimates
        each = np.asarray(information_loss(truth, way))
        found["last"].append(float(each[-1]))
        found["best"].append(float(each[1:].min()))
        for name, charge in charges.items():
            mean = average_iterations(matrix, counts, n, charge=charge(matrix.shape[1], n))
            found[name].append(float(information_loss(truth, mean.probability)))
    return {name: float(np.mean(each)) for name, each in found.items()}


def compare_charges(runs: int) -> None:
    """Print the loss over that of the best iteration, for values and for numbers."""
    names = [*CHARGES, "last"]
    print("| answers | n | " + " | ".join(names) + " |")
    print("| --- | ---: | " + " | ".join("---:" for _ in names) + " |")
    settings = [
        *(
            (f"values, spread {spread:g}", n, lambda s=spread, n=n: value_draws(s, n, runs))
            for spread in (0.3, 1.0, 3.0, 20.0)
            for n in (200, 1000, 10_000)
        ),
        *(
            (f"numbers, {k} bins", n, lambda k=k, n=n: number_draws(k, n, runs))
            for k in (20, 64)
            for n in (400, 1000, 10_000)
        ),
    ]
    for label, n, draws in settings:
        found = losses_by_charge(draws(), CHARGES)
        shown = " | ".join(f"{found[name] / found['best']:.2f}" for name in names)
        print(f"| {label} | {n:,} | {shown} |", flush=True)


def main() -> None:
    """Run the study for the sizes that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--respondents", type=int, nargs="+", default=[10_000])
    parser.add_argument("--bins", type=int, nargs="+", default=[20, 100])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--charges", action="store_true")
    args = parser.parse_args()
    began = time.perf_counter()
    if args.charges:
        compare_charges(args.runs)
        return
    for n in args.respondents:
        for k in args.bins:
            study(n, k, args.runs)
    print(f"\n{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
