"""How long all privacy and utility readouts of one attribute take while a slider is dragged.

Run with ``python tests/benchmarks/readouts.py``. Every run has another parameter, so that nothing
is remembered from the run before. Goal: less than 1 ms at k = 10, less than 50 ms at k = 200.

One thread unless OPENBLAS_NUM_THREADS says otherwise: on a busy machine the threads of a small
decomposition wait for each other. At k = 200 nearly all of the time is one singular value
decomposition, so a bare one is printed beside it, and the load, without which no figure means much.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path

# Read when numpy is loaded, hence before the imports below.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Additive, Multiplicative, Ordinal, Perturbation, Uniform
from ppworkbench.core.privacy.assess import assess_attribute, privacy_readings
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.assess import assess_utility

GOALS = {10: 1.0, 200: 50.0}
"""Milliseconds by number of values."""


def best(work: Callable[[int], object], runs: int) -> float:
    """The shortest time of many runs in milliseconds; the first runs warm up."""
    found = []
    for run in range(runs + 3):
        start = time.perf_counter()
        work(run)
        found.append(time.perf_counter() - start)
    return 1e3 * min(found[3:])


def print_row(
    name: str, attribute: Attribute, make: Callable[[int], Perturbation], runs: int
) -> None:
    """Measure one attribute and print a line."""
    prior = Prior.uniform(attribute)

    def privacy(run: int) -> None:
        privacy_readings(attribute, make(run), prior)

    def utility(run: int) -> None:
        # Other parameters than those of privacy, so that the matrix is built anew.
        assess_utility(attribute, make(run + 10_000), prior, 1000)

    def everything(run: int) -> None:
        assess_attribute((attribute, make(run + 20_000)), prior)

    all_of_it = best(everything, runs)
    goal = GOALS.get(attribute.k)
    verdict = (
        "" if goal is None else f"  goal {goal:g} ms {'met' if all_of_it < goal else 'MISSED'}"
    )
    print(
        f"{name:32} privacy {best(privacy, runs):8.3f} ms   utility {best(utility, runs):8.3f} ms"
        f"   all {all_of_it:8.3f} ms{verdict}"
    )


def keep(run: int) -> float:
    """A parameter that differs from run to run."""
    return 0.5 + 1e-6 * run


def main() -> None:
    """Print the table."""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    print(
        f"Python {platform.python_version()}, numpy {np.__version__}, "
        f"{os.environ['OPENBLAS_NUM_THREADS']} BLAS thread(s), load {load} on "
        f"{os.cpu_count()} cores; best of N"
    )
    for k in (2, 10, 20, 200):
        asked = Attribute("asked", Kind.ORDINAL, tuple(str(i) for i in range(k)))
        runs = 20 if k == 200 else 200
        print_row(f"uniform, k = {k}", asked, lambda run: Uniform(keep=keep(run)), runs)
        if k > 2:
            print_row(
                f"ordinal, k = {k}", asked, lambda run: Ordinal(weights=(keep(run), 0.2)), runs
            )
    bare = best(lambda run: np.linalg.svd(Uniform(keep=keep(run + 30_000)).matrix(200)), 20)
    print(f"{'bare decomposition, k = 200':32} {bare:8.3f} ms")
    salary = Attribute("salary", Kind.CONTINUOUS, domain=(1, 10_000))
    age = Attribute("age", Kind.INTEGER, domain=(18, 90))
    for noise, scale in (("uniform", "half_width"), ("normal", "sigma"), ("laplace", "scale")):
        for attribute, size in ((salary, 2000.0), (age, 15.0)):
            print_row(
                f"{noise} noise, {attribute.kind}",
                attribute,
                lambda run, noise=noise, scale=scale, size=size: Additive(
                    noise=noise, **{scale: size * keep(run)}
                ),
                50,
            )
    print_row("multiplicative, continuous", salary, lambda run: Multiplicative(sigma=keep(run)), 50)


if __name__ == "__main__":
    main()
