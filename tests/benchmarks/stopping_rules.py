"""What each stop rule costs when noise is undone: ``python -m tests.benchmarks.stopping_rules``.

Densities x noises x privacy levels; the mean information loss against the true density. Prints a
table in Markdown, which resources/help/stopping-rules.md shows.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from scipy import stats

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import Additive
from ppworkbench.core.reconstruct import count_column, information_loss, reconstruct_counts
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


def losses(name: str, noise: str, level: float, n: int, k: int, seed: int) -> dict[str, float]:
    """The information loss under every rule for one simulated survey."""
    below = cumulated(name)
    drawn = np.random.default_rng(seed).random(n)
    original = np.interp(drawn, below, POINTS)
    perturbation = Additive(noise=noise, range_privacy=level)
    streams = SeededStreams(seed)
    told = Column(NUMBER, perturbation.distort(original, NUMBER, streams.stream("number")))
    counted = count_column(told, NUMBER, perturbation, k)
    truth = np.diff(np.interp(np.linspace(0, 1, k + 1), POINTS, below))
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


def main() -> None:
    """Run the study for the sizes that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--respondents", type=int, nargs="+", default=[10_000])
    parser.add_argument("--bins", type=int, nargs="+", default=[20, 100])
    parser.add_argument("--runs", type=int, default=10)
    args = parser.parse_args()
    began = time.perf_counter()
    for n in args.respondents:
        for k in args.bins:
            study(n, k, args.runs)
    print(f"\n{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
