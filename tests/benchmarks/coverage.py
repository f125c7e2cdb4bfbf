"""How often worst-case bounds hold the truth of a population, and how wide they are.

``python tests/benchmarks/coverage.py [--draws 100] [--data FOLDER] [case …]`` prints one row per
case: the coverage of the bins (the lowest bin in brackets), of ``x < t``, of ``x < t`` and a value
that is kept with 0.6, of the mean given ``x < t``, of the median and of the 90 % quantile, each
with its mean width. In brackets stands how many times that is the width that was reached before,
with its standard error: widths of single draws differ by a quarter (the mean of gamma l100 is 1.26
times as wide in the first 2 draws and 1.05 times in 100). t is the rounded 40 % quantile. A case
is a population and its noise: n, l, u for normal, Laplace and uniform noise, range privacy in
percent, t truncated.

The second attribute of *gamma* and *income* is told by the share of one category alone, "a with
1/(1+e^((x-40)/12))" and "a with .5 and .15". It has the categories a, b, c here, as the
worked examples of sampling and of regression with 0.6 have; who is not a is b or c by the toss of a
coin. With a and not a alone, 0.6 is so close to a toss that the widths of 0.42 and 0.43 that are
asked for in gamma n50 and l100 cannot be had: functions chosen with knowledge of the population,
and the largest h that ``auto`` allows, still give 0.45 and 0.51. With three categories they give
0.41 and 0.46 at h = 2, which is about what ``auto`` finds.

``--losses`` prints the errors of estimates instead: half the L1 distance of the bins from the
truth with its standard error, and that of EM's rule "auto" over that of the best iteration, once
where every survey has its own best one and once where all have the same. Surveys differ much: the
first dozen of gamma n50 has the two worst of 200 in it, so a dozen tells little. ``--first`` takes
others.

``--shares`` prints instead how often the interval of a share through a two-valued device holds the
truth, by exact enumeration of all reports: the lowest coverage over true shares 0 to 0.5 and 30 to
500 people, where that is, and the narrowest interval.

``--joint`` prints how often the interval of a joint share holds the truth: of the people who would
answer yes (1, 5 or 20 %) in a group of half of them, over draws of 50 and of 200 people, where the
group is known and where it is randomised as well.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Custom,
    Design,
    DesignedAttribute,
    Forced,
    Identity,
    Uniform,
)
from ppworkbench.core.reconstruct import count_column, information_loss, reconstruct_counts
from ppworkbench.core.reconstruct.stopping import checkpoints
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.share_intervals import Line, share_interval
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.distributions import distribution
from ppworkbench.core.survey.means import mean
from ppworkbench.core.survey.quantiles import quantile

N = 1000
CATEGORIES = 3
NOISES = {"n": "normal", "l": "laplace", "u": "uniform"}
CASES = (
    "adult n50", "adult u50", "gamma n50", "gamma l100", "income n50", "income n100",
)  # fmt: skip

WIDTHS = {
    "adult n50": (0.40, 0.31, 0.07, 6.98, 13.2, 15.1),
    "adult u50": (0.25, 0.23, 0.06, 4.66, 9.66, 11.2),
    "gamma n50": (0.26, 0.44, 0.42, 12.8, 19.9, 28.6),
    "gamma l100": (0.28, 0.43, 0.43, 14.5, 19.9, 32.5),
    "income n50": (0.23, 0.38, 0.32, 13.1, 25.6, 26.3),
    "income n100": (0.36, 0.54, 0.34, 18.7, 39.4, 52.3),
}
"""Mean widths over 100 other draws, in the order of the columns; 1.15 times as wide is allowed."""
DEVICES = {
    "none": Line(),
    "keep .5/.99": Line(0.01, 0.49),
    "keep .9/.99": Line(0.01, 0.89),
    "forced 2/3": Line(1 / 6, 2 / 3),
    "Warner .7": Line(0.3, 0.4),
    "crosswise .15": Line(0.15, 0.7),
    "unrelated .7, .1": Line(0.03, 0.7),
}
TRUE_SHARES = np.unique([*np.linspace(0, 0.05, 26), *np.linspace(0.05, 0.5, 91)])
PEOPLE = (*range(30, 100, 3), *range(100, 501, 20))


@dataclass(frozen=True, eq=False)
class Population:
    """True numbers and one answer each; ``edges`` are the bins if they are not 8 equal ones."""

    attribute: Attribute
    numbers: NDArray[np.float64]
    values: tuple[str, ...]
    value: NDArray[np.int64]
    edges: tuple[float, ...] | None = None


YES = Attribute("yes", Kind.BINARY, ("no", "yes"))
GROUP = Attribute("group", Kind.BINARY, ("a", "b"))
PAIRS = {
    "keep .5/.99": Custom(((0.99, 0.5), (0.01, 0.5))), "forced 2/3": Forced(p_truth=2 / 3),
    "keep 0.7": Uniform(keep=0.7), "none": Identity(),
}  # fmt: skip
JOINT = [*itertools.product((50, 200), (0.01, 0.05, 0.2))]


def categories(
    has: NDArray[np.bool_], generator: np.random.Generator
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """The categories, and an answer of everybody: the first for those who have it, else another."""
    others = generator.integers(1, CATEGORIES, len(has))
    return tuple("abcdefgh"[:CATEGORIES]), np.where(has, 0, others)


def gamma(_: Path | None) -> Population:
    """A skewed number: shape 4, scale 9, cut to 0-120."""
    generator = np.random.default_rng(20)
    x = generator.gamma(4, 9, 250_000)
    x = x[x <= 120][:200_000]
    has = generator.random(len(x)) < 1 / (1 + np.exp((x - 40) / 12))
    attribute = Attribute("gamma", Kind.CONTINUOUS, domain=(0, 120))
    return Population(attribute, x, *categories(has, generator))


def income(_: Path | None) -> Population:
    """Two peaks, of 60 and 40 %, cut to 0-150."""
    generator = np.random.default_rng(21)
    first = generator.random(250_000) < 0.6
    low = np.exp(generator.normal(np.log(18), 0.35, len(first)))
    high = np.exp(generator.normal(np.log(62), 0.22, len(first)))
    x = np.where(first, low, high)
    has = generator.random(len(x)) < np.where(first, 0.5, 0.15)
    kept = x <= 150
    attribute = Attribute("income", Kind.CONTINUOUS, domain=(0, 150))
    return Population(attribute, x[kept], *categories(has[kept], generator))


def adult(folder: Path | None) -> Population:
    """Age and marital status of the census file."""
    if folder is None or not (folder / "adult.csv").exists():
        raise FileNotFoundError("adult.csv is not in the folder of data")
    with (folder / "adult.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    name = next(one for one in rows[0] if one.replace("_", "-").startswith("marital"))
    ages = np.array([float(row["age"]) for row in rows])
    status = [row[name] for row in rows]
    values = tuple(sorted(set(status)))
    codes = np.array([values.index(one) for one in status])
    attribute = Attribute("age", Kind.INTEGER, domain=(17, 90))
    return Population(attribute, ages, values, codes, (16.5, 25.5, 30.5, 40.5, 50.5, 90.5))


POPULATIONS: dict[str, Callable[[Path | None], Population]] = {
    "gamma": gamma,
    "income": income,
    "adult": adult,
}


def noise_of(words: str) -> Additive:
    """The noise that a case names."""
    level = float(words[1:].rstrip("t"))
    return Additive(noise=NOISES[words[0]], range_privacy=level, truncate=words.endswith("t"))


class Case:
    """A population under a noise, asked again and again."""

    def __init__(self, name: str, folder: Path | None) -> None:
        people, words = name.split()
        self.population = POPULATIONS[people](folder)
        number = self.population.attribute
        answer = Attribute("value", Kind.NOMINAL, self.population.values)
        self.design = Design(
            (
                DesignedAttribute(number, noise_of(words)),
                DesignedAttribute(answer, Uniform(keep=0.6)),
            )
        )
        self.limit = round(float(np.quantile(self.population.numbers, 0.4)))
        x, has = self.population.numbers, self.population.value == 0
        below = x < self.limit
        self.true = {
            "x < t": below.mean(),
            "x < t & value": (below & has).mean(),
            "mean": x[below].mean(),
            "median": np.quantile(x, 0.5, method="inverted_cdf"),
            "90 %": np.quantile(x, 0.9, method="inverted_cdf"),
        }

    def draw(self, seed: int, n: int = N) -> Table:
        """Answers of a sample with replacement, distorted."""
        chosen = np.random.default_rng(seed).integers(0, len(self.population.numbers), n)
        streams = SeededStreams(seed)
        columns = []
        for designed, data in zip(
            self.design.attributes, (self.population.numbers, self.population.value), strict=True
        ):
            told = designed.perturbation.distort(
                data[chosen], designed.attribute, streams.stream(designed.attribute.name)
            )
            columns.append(Column(designed.attribute, told))
        return Table(tuple(columns))

    def ask(self, table: Table) -> dict[str, tuple[float, float]]:
        """The intervals of all questions."""
        x, d, t = self.population.attribute.name, self.design, self.limit
        first = self.population.values[0]
        share = count(table, d, f"{x} < {t}").value
        joint = count(table, d, f"{x} < {t} and value = '{first}'").value
        middle = mean(table, d, x, f"{x} < {t}").value
        half, most = quantile(table, d, x, (0.5, 0.9)).quantiles
        return {
            "x < t": (share.low / N, share.high / N),
            "x < t & value": (joint.low / N, joint.high / N),
            "mean": (middle.low, middle.high),
            "median": (half.low, half.high),
            "90 %": (most.low, most.high),
        }

    def bin_loss(self, table: Table) -> float:
        """Half the L1 distance between the estimated bins and those of the population."""
        name = self.population.attribute.name
        found = distribution(table, self.design, name, bins=self.population.edges or 8)
        true = np.histogram(self.population.numbers, np.asarray(found.edges))[0]
        shares = np.array([one.estimate for one in found.shares])
        return float(np.abs(shares - true / true.sum()).sum() / 2)

    def em_losses(self, table: Table) -> tuple[float, NDArray[np.float64]]:
        """The loss of EM under the rule "auto", and after each number of iterations it averages."""
        number = self.population.attribute
        noise = self.design.perturbation(number.name)
        cells = None if number.kind is Kind.INTEGER else 64
        counted = count_column(table[number.name], number, noise, cells)
        found = reconstruct_counts(counted, algorithm="em", stop="auto", confidence=None)
        true = np.histogram(self.population.numbers, np.asarray(found.edges))[0]
        true = true / true.sum()
        # Finer cells of Z than these cost time and make no difference to the best loss.
        merged = counted.merged(200)
        matrix, share = merged.matrix, merged.shares
        across = np.ascontiguousarray(matrix.T)
        x, losses, done = np.full(matrix.shape[1], 1 / matrix.shape[1]), [], 0
        for target in checkpoints(2000):
            for _ in range(int(target) - done):
                x = x * (across @ (share / np.maximum(matrix @ x, 1e-300)))
            x = x / x.sum()
            done = int(target)
            losses.append(float(information_loss(true, x)))
        return float(information_loss(true, found.probability)), np.array(losses)

    def bins(self, table: Table) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Which of the bins are held, and the widths of their intervals."""
        name = self.population.attribute.name
        found = distribution(table, self.design, name, bins=self.population.edges or 8)
        edges = np.asarray(found.edges)
        true = np.histogram(self.population.numbers, edges)[0] / len(self.population.numbers)
        low, high = (
            np.array([getattr(one, end) for one in found.shares]) for end in ("low", "high")
        )
        return (low <= true) & (true <= high), high - low


def compared(widths: NDArray[np.float64], reached: float) -> str:
    """How many times as wide as before the draws are on average, with the standard error."""
    if np.isnan(reached):
        return ""
    error = widths.std() / np.sqrt(len(widths))
    return f" ({widths.mean() / reached:.2f} ± {error / reached:.2f})"


def measure(name: str, folder: Path | None, seeds: range) -> str:
    """One row of the table."""
    case = Case(name, folder)
    held: dict[str, list[bool]] = {key: [] for key in case.true}
    widths: dict[str, list[float]] = {key: [] for key in case.true}
    bins, spans = [], []
    start = time.process_time()
    for seed in seeds:
        table = case.draw(seed)
        for key, (low, high) in case.ask(table).items():
            held[key].append(bool(low <= case.true[key] <= high))
            widths[key].append(high - low)
        inside, width = case.bins(table)
        bins.append(inside)
        spans.append(width)
    seconds = (time.process_time() - start) / len(seeds)
    before = WIDTHS.get(name, (np.nan,) * 6)
    each = np.mean(spans, axis=1)
    lowest = np.mean(bins, axis=0).min()
    told = f"{np.mean(bins):.3f} (lowest {lowest:.3f}); {each.mean():.2f}"
    cells = [told + compared(each, before[0])]
    cells += [
        f"{np.mean(held[key]):.3f}; {np.mean(widths[key]):.3g}"
        f"{compared(np.array(widths[key]), reached)}"
        for key, reached in zip(held, before[1:], strict=True)
    ]
    return f"| {name} | {' | '.join(cells)} | {seconds:.2f} s |"


def measure_losses(name: str, folder: Path | None, seeds: range, n: int) -> str:
    """One row of the table of losses."""
    case = Case(name, folder)
    tables = [case.draw(seed, n) for seed in seeds]
    bins = np.array([case.bin_loss(table) for table in tables])
    found = [case.em_losses(table) for table in tables]
    auto = np.mean([one for one, _ in found])
    path = np.array([losses for _, losses in found])
    own, common = path.min(axis=1).mean(), path.mean(axis=0).min()
    cells = [f"{bins.mean():.3f} ± {bins.std() / np.sqrt(len(bins)):.3f}", f"{auto:.3f}"]
    cells += [f"{best:.3f} | {auto / best:.2f}" for best in (own, common)]
    return f"| {name} | {n:,} | {' | '.join(cells)} |"


def share_limits(n: int, line: Line) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ends of the intervals for all numbers of reports of n people, as a survey finds them."""
    found = []
    for reported in np.arange(n + 1) / n:
        error = math.sqrt(reported * (1 - reported) / (n - 1)) / line.slope
        share = line.true(float(reported))
        found.append(share_interval("auto", share, error, 1.959964, line=line, size=n))
    return np.array([one.low for one in found]), np.array([one.high for one in found])


def print_shares() -> None:
    """One row per device: the lowest coverage, where it is, and the narrowest interval."""
    for name, line in DEVICES.items():
        lowest, narrowest = (1.0, 0, 0.0), 1.0
        for n in PEOPLE:
            low, high = share_limits(n, line)
            reports = binom.pmf(np.arange(n + 1), n, (line.low + line.slope * TRUE_SHARES)[:, None])
            held = (low <= TRUE_SHARES[:, None]) & (TRUE_SHARES[:, None] <= high)
            coverage = (reports * held).sum(axis=1)
            worst = int(coverage.argmin())
            lowest = min(lowest, (float(coverage[worst]), n, float(TRUE_SHARES[worst])))
            narrowest = min(narrowest, float((high - low).min()))
        print(f"{name:18} {lowest[0]:.4f} at n {lowest[1]}, share {lowest[2]:.3f}; "
              f"narrowest {narrowest:.4f}", flush=True)  # fmt: skip


def print_joint(draws: int, first: int) -> None:
    """One row per pair of devices: the coverage by people and share, and its largest error."""
    print(f"| yes | group | {' | '.join(f'n {n}, {share:.0%}' for n, share in JOINT)} |")
    print(f"| --- | --- |{' ---: |' * len(JOINT)}")
    for (yes, asked), (group, known) in itertools.product(PAIRS.items(), PAIRS.items()):
        design = Design((DesignedAttribute(YES, asked), DesignedAttribute(GROUP, known)))
        cells = []
        for n, share in JOINT:
            truths = [
                asked.values.matrix(2) @ [1 - share, share],
                known.values.matrix(2) @ [0.5, 0.5],
            ]
            drawn = np.random.default_rng([first, n]).multinomial(n, np.kron(*truths), draws)
            surveys, times = np.unique(drawn, axis=0, return_counts=True)
            held = 0
            for counts, often in zip(surveys, times, strict=True):
                codes = np.repeat(np.arange(4), counts)
                table = Table((Column(YES, codes // 2), Column(GROUP, codes % 2)))
                found = count(table, design, "yes = yes and group = b").share
                held += often * (found.low - 1e-12 <= share / 2 <= found.high + 1e-12)
            cells.append(f"{held / draws:.3f}")
        print(f"| {yes} | {group} | {' | '.join(cells)} |", flush=True)
    print(f"Standard error at 0.95: {math.sqrt(0.95 * 0.05 / draws):.3f}.")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", default=CASES)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="seed of the first draw")
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--losses", action="store_true")
    parser.add_argument("--shares", action="store_true")
    parser.add_argument("--joint", action="store_true")
    parser.add_argument("--respondents", type=int, default=N, help="of the table of losses")
    given = parser.parse_args()
    if given.shares:
        print_shares()
        return
    if given.joint:
        print_joint(given.draws, given.first)
        return
    seeds = range(given.first, given.first + given.draws)
    if given.losses:
        print("| case | n | bins | EM auto | each one's best | ratio | best for all | ratio |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
        for name in given.cases:
            print(measure_losses(name, given.data, seeds, given.respondents), flush=True)
        return
    print("| case | bins | x < t | x < t & value | mean given x < t | median | 90 % | time |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in given.cases:
        try:
            print(measure(name, given.data, seeds), flush=True)
        except FileNotFoundError as error:
            print(f"| {name} | not measured: {error} |")


if __name__ == "__main__":
    main()
