"""Speed of reconstruction beside its peers: ``python -m tests.benchmarks.reconstruction``.

Nominal answers against the iterative Bayesian update of multi-freq-ldpy, where that is installed
(``pip install ppworkbench[bench]``), else against the same update written out here. Numbers against
EM with one row of the channel per record. All times are processor times, ours the best of some, so
that what else the machine does counts little.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from importlib import metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import Additive, Uniform
from ppworkbench.core.reconstruct import count_column, reconstruct, reconstruct_counts
from ppworkbench.core.reconstruct.reconstruction import log_likelihood
from ppworkbench.core.rng import SeededStreams

Numbers = NDArray[np.float64]

EPSILON = 2.0
NUMBER = Attribute("number", Kind.CONTINUOUS, domain=(0.0, 1.0))


def best(runs: int, work: Callable[[], Any]) -> tuple[float, Any]:
    """The shortest of several processor times, and the result."""
    times, result = [], None
    for _ in range(runs):
        began = time.process_time()
        result = work()
        times.append(time.process_time() - began)
    return min(times), result


def peer() -> tuple[str, Callable[[NDArray[Any], int], Numbers]]:
    """The iterative Bayesian update, and whose it is."""
    try:
        from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_IBU

        version = metadata.version("multi-freq-ldpy")
        return f"multi-freq-ldpy {version}", lambda codes, k: GRR_Aggregator_IBU(codes, k, EPSILON)
    except ImportError:
        return "the update written out here", written_out_update


def written_out_update(codes: NDArray[Any], k: int) -> Numbers:
    """The update until no entry changes by more than 1e-12, at most 10,000 times."""
    matrix = Uniform(keep=keep_of(k)).matrix(k)
    shares = np.bincount(codes, minlength=k) / len(codes)
    x = np.full(k, 1 / k)
    for _ in range(10_000):
        new = x * (matrix.T @ (shares / (matrix @ x)))
        if np.abs(new - x).max() < 1e-12:
            return new
        x = new
    return x


def keep_of(k: int) -> float:
    """The probability of a true answer that gives the epsilon."""
    return float(np.exp(EPSILON) / (np.exp(EPSILON) + k - 1))


def nominal(rows: int, runs: int) -> None:
    """Time values with and without answers that nobody gives."""
    whose, update = peer()
    print(f"\nNominal, {rows:,} reports, epsilon {EPSILON:g}; peer: {whose}\n")
    print(
        "| k | zeros | algorithm | ours ms | with intervals ms | peer ms | ratio | more likely by |"
    )
    print("| ---: | --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for k in (5, 20, 100, 200):
        for zeros in (False, True):
            attribute = Attribute("answer", Kind.NOMINAL, tuple(str(i) for i in range(k)))
            generator = np.random.default_rng(k)
            prior = 1 / np.arange(1, k + 1)
            if zeros:
                prior[k // 2 :] = 0
            prior /= prior.sum()
            matrix = Uniform(keep=keep_of(k)).matrix(k)
            codes = generator.choice(k, rows, p=matrix @ prior)
            column = Column(attribute, codes)
            rule = Uniform(keep=keep_of(k))
            ours, found = best(
                runs, lambda c=column, a=attribute, p=rule: reconstruct(c, a, p, confidence=None)
            )
            whole, _ = best(runs, lambda c=column, a=attribute, p=rule: reconstruct(c, a, p))
            theirs, estimate = best(1, lambda c=codes, k=k: update(c, k))
            counts = column.counts.astype(float)
            more = found.log_likelihood - float(log_likelihood(matrix, counts, estimate))
            print(
                f"| {k} | {'yes' if zeros else 'no'} | {found.algorithm} | {1e3 * ours:.1f} | "
                f"{1e3 * whole:.1f} | {1e3 * theirs:.0f} | {ours / theirs:.4f} | {more:.2g} |",
                flush=True,
            )


def per_record_em(told: Numbers, noise: Additive, k: int, iterations: int) -> Numbers:
    """EM with one row of the channel per record, as published; the divisor is the width."""
    edges = np.linspace(0, 1, k + 1)
    rows = -np.diff(noise.noise_of(NUMBER).cdf(told[:, None] - edges), axis=1)
    theta = np.ones(k)
    for _ in range(iterations):
        theta *= ((1 / (rows @ theta)) @ rows) * k / len(told)
    return theta / k


def published_seconds(told: Numbers, noise: Additive, k: int, iterations: int) -> float:
    """The same without keeping the rows: the noise is evaluated anew in every iteration.

    One iteration is timed and multiplied: the others cost the same.
    """
    edges = np.linspace(0, 1, k + 1)
    law = noise.noise_of(NUMBER)
    theta, total = np.ones(k), np.zeros(k)
    began = time.process_time()
    for part in np.array_split(told, 50):
        rows = -np.diff(law.cdf(part[:, None] - edges), axis=1)
        total += (1 / (rows @ theta)) @ rows
    return (time.process_time() - began) * iterations


def numbers(rows: int, k: int, iterations: int, runs: int) -> None:
    """Time EM under noise."""
    print(f"\nEM, {rows:,} records, {k} intervals, {iterations} iterations; peer: per record\n")
    print("| noise | ours ms | rows kept ms | ratio | evaluated anew ms | ratio | L1 difference |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    x = np.random.default_rng(1).beta(2, 5, rows)
    for shape in ("uniform", "normal", "laplace"):
        noise = Additive(noise=shape, range_privacy=100)
        told = noise.distort(x, NUMBER, SeededStreams(1).stream("number"))
        column = Column(NUMBER, told)

        def ours(column: Column = column, noise: Additive = noise) -> Any:
            counted = count_column(column, NUMBER, noise, k)
            return reconstruct_counts(counted, "em", stop=iterations, confidence=None)

        fast, found = best(runs, ours)
        slow, exact = best(1, lambda t=told, p=noise: per_record_em(t, p, k, iterations))
        apart = float(np.abs(found.probability - exact).sum())
        anew = published_seconds(told, noise, k, iterations)
        print(
            f"| {shape} | {1e3 * fast:.0f} | {1e3 * slow:.0f} | {fast / slow:.5f} | "
            f"{1e3 * anew:.0f} | {fast / anew:.5f} | {apart:.1e} |",
            flush=True,
        )


def growth(k: int) -> None:
    """How counting grows with the rows; the rest does not."""
    print("\nGrowth with rows, continuous, normal noise\n")
    print("| rows | counting ms | smooth with intervals ms |")
    print("| ---: | ---: | ---: |")
    noise = Additive(noise="normal", range_privacy=100)
    for rows in (10_000, 100_000, 1_000_000, 10_000_000):
        x = np.random.default_rng(1).beta(2, 5, rows)
        column = Column(NUMBER, noise.distort(x, NUMBER, SeededStreams(1).stream("number")))
        counting, counted = best(3, lambda c=column: count_column(c, NUMBER, noise, k))
        rest, _ = best(3, lambda c=counted: reconstruct_counts(c))
        print(f"| {rows:,} | {1e3 * counting:.1f} | {1e3 * rest:.1f} |", flush=True)


def main() -> None:
    """Run the benchmarks that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--bins", type=int, default=100)
    parser.add_argument("--only", choices=["nominal", "numbers", "growth"])
    args = parser.parse_args()
    print(
        f"numpy {np.__version__}; set OPENBLAS_NUM_THREADS=1 for ratios that do not depend on cores"
    )
    if args.only in (None, "nominal"):
        nominal(args.rows, args.runs)
    if args.only in (None, "numbers"):
        numbers(args.rows, args.bins, 100, args.runs)
    if args.only in (None, "growth"):
        growth(args.bins)


if __name__ == "__main__":
    main()
