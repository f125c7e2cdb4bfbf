"""How often 95 % intervals of regressions hold the truth, and how often the fit test errs.

    python -m tests.benchmarks.regression_coverage [--surveys 1000] [--simulations 300] [case …]

Simulated surveys of 3,000 people: every model with a randomised outcome (y), a randomised predictor
(x), both, and a predictor with normal noise (v) by the closed correction; besides, 4,000 people
whose number has two peaks and as much noise as it varies, and 2,000 of whom 80 % attend to a
crosswise question and its check question. One row per case: the share of intervals
that hold, by coefficient. All must lie within 93-97 %, and a true model must be rejected at 5 % in
5 ± 3 % of the simulations; else the exit status is 1. Seeds are fixed.

Three standard deviations of chance are 2.1 % in 1,000 surveys. With fewer surveys the limits are
widened to what chance allows.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np

from ppworkbench.core.models import RegressionOptions, regress
from tests.regression_surveys import (
    ATTENTION,
    CASES,
    attention_survey,
    coverage,
    holds,
    survey,
    two_peaks,
)

N = 3000
CORRECTED = ("linear", "poisson", "logistic")
"""Models with a closed correction of normal noise."""
PEAKS, CHECKED = "peaks", "checked"


def limits(level: float, margin: float, draws: int) -> tuple[float, float]:
    """What is allowed, and never less than three standard deviations of chance."""
    margin = max(margin, 3 * math.sqrt(level * (1 - level) / draws))
    return level - margin, level + margin


def intervals(name: str, distorted: str, draws: int) -> bool:
    """Print one row; False if an interval holds too rarely or too often."""
    start = time.process_time()
    noisy = "v" in distorted
    method = "corrected" if noisy else "ml"
    if name == PEAKS:
        random, options = np.random.default_rng(7), RegressionOptions(method="corrected")
        found = (regress(*two_peaks(4000, random), "y ~ v", options) for _ in range(draws))
        held = np.mean([holds(one, (0.0, 1.0)) for one in found], axis=0)
    elif name == CHECKED:
        random, (formula, truth) = np.random.default_rng(7), ATTENTION[distorted]
        found = (regress(*attention_survey(random, 2000), formula) for _ in range(draws))
        held = np.mean([holds(one, truth) for one in found], axis=0)
    else:
        held = coverage(name, distorted, draws, N, method=method, whole=not noisy)
    low, high = limits(0.95, 0.02, draws)
    good = bool(((held >= low) & (held <= high)).all())
    shares = " ".join(f"{100 * share:5.1f}" for share in held)
    spent = time.process_time() - start
    print(f"{name:12} {distorted:3} {shares:36} {'' if good else 'MISSED':7} {spent:5.0f} s",
          flush=True)  # fmt: skip
    return good


def fit_size(name: str, distorted: str, simulations: int) -> bool:
    """Print how often the fit test rejects a true model; False if that is not about 5 %."""
    random = np.random.default_rng(17)
    rejected = 0
    start = time.process_time()
    for number in range(simulations):
        table, design = survey(CASES[name], distorted, random, N, whole=True)
        fit = regress(table, design, "y ~ v + x", fit_replicates=99, seed=number).fit
        assert fit is not None
        rejected += fit.p <= 0.05
    low, high = limits(0.05, 0.03, simulations)
    good = low <= rejected / simulations <= high
    spent = time.process_time() - start
    print(f"fit test of {name} {distorted}: {100 * rejected / simulations:.1f} % rejected "
          f"{'' if good else 'MISSED':7} {spent:5.0f} s", flush=True)  # fmt: skip
    return good


def main() -> int:
    """Print the table; 1 if something misses."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--surveys", type=int, default=1000)
    parser.add_argument("--simulations", type=int, default=300)
    parser.add_argument("cases", nargs="*", metavar="case", help="model:distorted, logistic:yx")
    given = parser.parse_args()
    every = [f"{name}:{distorted}" for name in CASES for distorted in ("y", "x", "yx")]
    every += [f"{name}:v" for name in (*CORRECTED, PEAKS)]
    every += [f"{CHECKED}:{distorted}" for distorted in ATTENTION]
    good = True
    for case in given.cases or every:
        if given.surveys:
            good &= intervals(*case.split(":"), given.surveys)
    for case in given.cases or ("logistic:y", "ordinal:y"):
        if given.simulations and case.split(":")[0] in CASES:
            good &= fit_size(*case.split(":"), given.simulations)
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
