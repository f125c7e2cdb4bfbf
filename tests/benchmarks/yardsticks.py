"""Accuracy of the classifiers beside the published figures, on the public sets of the papers.

    python tests/benchmarks/yardsticks.py --repeats 5 [--only australian,diabetes] [--slow]

Ten folds; distortion inside each training fold; original test records. Numbers: additive uniform
noise of 100, 150 and 200 % range privacy, or retention replacement. Values are kept with 1 / (1 +
level) under noise and with p under retention, and otherwise replaced by any value with the same
probability; ``--diagonal`` takes the same number as the probability that a value is published as
it is. "p 0.8" and "p 0.55": numbers in five equally filled intervals, then every attribute
distorted as values (P[v, v] = p). ``--slow`` adds the meta-learner. ``--intervals`` compares lazy
patterns by how numbers are divided. One line per set and design, ready for
``resources/help/classification-results.md``.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

from ppworkbench.core.classify import Classifier, classifiers
from ppworkbench.core.classify.randomised_accuracy import estimate_accuracy
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Group,
    Identity,
    Perturbation,
    Retention,
    Uniform,
    Unrelated,
)
from ppworkbench.core.design.distort import distort
from ppworkbench.core.design.noises.base import domain_of
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.rng import SeededStreams

DATA = Path(__file__).resolve().parents[2] / "../shared/data"
FOLDS = 10
NAMES = ["tree", "naive-bayes", "weighted-bayes", "eager-ep", "lazy-ep", "panel"]

# (set, distortion, level): the best published figure and where it is from.
PUBLISHED: dict[tuple[str, str, float], tuple[float, str]] = {
    ("australian", "noise", 1.0): (0.857, "meta"),
    ("australian", "noise", 1.5): (0.800, "lazy JEP"),
    ("australian", "noise", 2.0): (0.696, "meta"),
    ("credit-g", "noise", 1.0): (0.725, "meta"),
    ("credit-g", "noise", 2.0): (0.689, "meta"),
    ("diabetes", "noise", 1.0): (0.739, "meta"),
    ("diabetes", "noise", 1.5): (0.611, "lazy JEP"),
    ("diabetes", "noise", 2.0): (0.716, "meta"),
    ("breast", "noise", 1.0): (0.965, "eager EP"),
    ("breast", "noise", 1.5): (0.954, "eager EP"),
    ("breast", "noise", 2.0): (0.942, "lazy JEP"),
    ("iris", "noise", 1.0): (0.905, "lazy JEP"),
    ("iris", "noise", 1.5): (0.815, "lazy JEP"),
    ("iris", "noise", 2.0): (0.855, "lazy JEP"),
    ("wine", "noise", 1.0): (0.882, "eager EP"),
    ("wine", "noise", 1.5): (0.704, "lazy JEP"),
    ("wine", "noise", 2.0): (0.768, "lazy JEP"),
    ("australian", "retention", 0.5): (0.859, "meta"),
    ("australian", "retention", 0.3): (0.844, "meta"),
    ("australian", "retention", 0.15): (0.745, "meta"),
    ("credit-g", "retention", 0.5): (0.723, "meta"),
    ("credit-g", "retention", 0.3): (0.703, "meta"),
    ("credit-g", "retention", 0.15): (0.683, "meta"),
    ("diabetes", "retention", 0.5): (0.730, "meta"),
    ("diabetes", "retention", 0.3): (0.712, "meta"),
    ("diabetes", "retention", 0.15): (0.671, "meta"),
    ("australian", "p", 0.8): (0.817, "eager EP"),
    ("australian", "p", 0.55): (0.675, "eager EP"),
    ("credit-g", "p", 0.8): (0.673, "eager EP"),
    ("credit-g", "p", 0.55): (0.637, "eager EP"),
    ("diabetes", "p", 0.8): (0.671, "eager EP"),
    ("diabetes", "p", 0.55): (0.606, "eager EP"),
    ("breast", "p", 0.8): (0.964, "eager EP"),
    ("breast", "p", 0.55): (0.944, "eager EP"),
    ("iris", "p", 0.8): (0.858, "eager EP"),
    ("iris", "p", 0.55): (0.676, "eager EP"),
    ("wine", "p", 0.8): (0.862, "eager EP"),
    ("wine", "p", 0.55): (0.663, "eager EP"),
    ("mushroom", "p", 0.8): (0.889, "eager EP"),
    ("mushroom", "p", 0.55): (0.739, "eager EP"),
}

# How attributes became questions, the coin, theta, and the published accuracy on adult.
GROUPED = [
    ("values", "unrelated", 0.5, "0.81"),
    ("values", "unrelated", 0.7, "0.82"),
    ("median", "unrelated", 0.5, "0.81"),
    ("median", "unrelated", 0.7, "0.82"),
    ("median", "related", 0.51, "0.66"),
    ("median", "related", 0.6, "0.81"),
    ("median", "related", 0.7, "0.82"),
    ("mid-range", "unrelated", 0.5, "0.81"),
    ("mid-range", "related", 0.51, "0.66"),
    ("mid-range", "related", 0.7, "0.82"),
]


_LOW, _HIGH = "low", "high"


def in_halves(table: Table, at: str = "mid-range") -> Table:
    """Every attribute with two values, cut at the middle of its range or at its median.

    The values of a categorical attribute are taken in their order; the middle of its range is where
    half of the values are passed, the median where half of the records are. Attributes of two
    values, and the class, stay. Words of the papers ("the median point of the range") fit both.
    """
    kept = table.class_name
    median = at == "median"
    columns = (c if c.name == kept or c.attribute.k == 2 else _halved(c, median) for c in table)
    return table.with_(columns=tuple(columns))


def _halved(column: Column, median: bool) -> Column:
    attribute = column.attribute
    known = column.data[~column.missing]
    if median:
        limit = float(np.median(known)) if len(known) else 0.0
    elif column.is_categorical:
        limit = (attribute.k - 1) / 2
    else:
        low, high = domain_of(attribute)
        limit = (low + high) / 2
    above = column.data > limit
    made = Attribute(attribute.name, Kind.BINARY, (_LOW, _HIGH), label=attribute.label)
    return Column(made, np.where(column.missing, -1, above))


def load(name: str) -> Table:
    """A public set with missing answers filled in by mean or mode, as in the thesis."""
    import pandas as pd

    path = DATA / f"{name}.csv"
    frame = pd.read_csv(path, na_values="?", keep_default_na=False, dtype=str)
    schema = json.loads((DATA / f"{name}.schema.json").read_text(encoding="utf-8"))
    listed = schema.get("attributes") or [
        {"name": c, "kind": "nominal", "values": sorted(frame[c].dropna().unique())} for c in frame
    ]
    columns = tuple(_column(frame[a["name"]].to_numpy(object), a) for a in listed)
    return Table(columns, schema.get("class_attribute", "class"))


def _column(cells: np.ndarray, declared: dict[str, object]) -> Column:
    name, kind = str(declared["name"]), Kind(str(declared["kind"]))
    absent = np.array([not isinstance(cell, str) for cell in cells])
    if kind.is_categorical:
        values = tuple(str(v) for v in declared["values"])  # type: ignore[attr-defined]
        place = {value: code for code, value in enumerate(values)}
        codes = np.array([place.get(cell, -1) for cell in cells])
        codes[codes < 0] = np.bincount(codes[codes >= 0]).argmax()
        kind = Kind.BINARY if len(values) == 2 else Kind.NOMINAL
        return Column(Attribute(name, kind, values), codes)
    numbers = np.array(
        [np.nan if gone else float(c) for c, gone in zip(cells, absent, strict=True)]
    )
    mean = float(np.nanmean(numbers))
    numbers[absent] = round(mean) if kind is Kind.INTEGER else mean
    domain = (float(numbers.min()), float(numbers.max()))
    return Column(Attribute(name, kind, domain=domain), numbers)


def in_five_intervals(table: Table) -> Table:
    """Numbers as values: five intervals with equally many records."""
    columns = []
    for column in table:
        if column.is_categorical:
            columns.append(column)
            continue
        inner = np.unique(np.quantile(column.data, [0.2, 0.4, 0.6, 0.8]))
        kept, codes = np.unique(np.searchsorted(inner, column.data), return_inverse=True)
        kind = Kind.BINARY if len(kept) == 2 else Kind.NOMINAL
        made = Attribute(column.name, kind, tuple(str(v) for v in range(len(kept))))
        columns.append(Column(made, codes))
    return table.with_(columns=tuple(columns))


def design_for(table: Table, distortion: str, level: float, diagonal: bool) -> Design:
    """The distortion of the papers, as far as they tell it."""

    def choose(attribute: Attribute) -> Perturbation:
        if attribute.name == table.class_name:
            return Identity()
        if distortion == "p":
            return Uniform(keep=level)
        if attribute.kind.is_numeric:
            noise = distortion == "noise"
            return Additive(range_privacy=100 * level) if noise else Retention(keep=level)
        keep = 1 / (1 + level) if distortion == "noise" else level
        return Uniform(keep=keep) if diagonal else Unrelated(theta=keep)

    attributes = tuple(DesignedAttribute(a, choose(a)) for a in table.attributes)
    return Design(attributes, table.class_name)


def methods(name: str, distortion: str, level: float, slow: bool) -> dict[str, Classifier]:
    """The classifiers of one line, with the parameters that the thesis used for its own."""
    gentle = distortion == "p" and level > 0.6
    eager = {"min_support": 0.05 if gentle else 0.2, "growth": 5.0 if distortion == "p" else 2.0}
    settings = {"eager-ep": eager}
    if name == "credit-g":
        eager["min_support"] = max(eager["min_support"], 0.1)
    labels = [*NAMES, "meta"]
    left_out = {"credit-g": {"lazy-ep"}, "mushroom": {"lazy-ep", "tree", "panel"}}.get(name, set())
    if not slow:
        left_out = left_out | {"meta"}
    return {
        label: classifiers[label](**settings.get(label, {}))
        for label in labels
        if label not in left_out
    }


def folds_of(classes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Stratified folds."""
    fold = np.empty(len(classes), np.intp)
    start = 0
    for code in np.unique(classes):
        rows = rng.permutation(np.flatnonzero(classes == code))
        fold[rows] = (np.arange(len(rows)) + start) % FOLDS
        start += len(rows)
    return fold


def measure(
    table: Table, design: Design, models: dict[str, Classifier], repeats: int, seed: int = 0
) -> dict[str, np.ndarray]:
    """The accuracy of every repeat for every classifier."""
    assert table.class_name is not None
    classes = table[table.class_name].data
    right = {name: np.zeros(repeats) for name in models}
    for repeat in range(repeats):
        fold = folds_of(classes, np.random.default_rng(seed + repeat))
        for number in range(FOLDS):
            train, test = (
                table.take(np.flatnonzero(chosen)) for chosen in (fold != number, fold == number)
            )
            seen = distort(train, design, SeededStreams(1000 * (seed + repeat) + number))
            for name, model in models.items():
                try:
                    model.set_params(design=design).fit(seen)
                    right[name][repeat] += model.score(test) * test.rows / table.rows
                except WorkbenchError:
                    right[name][repeat] = np.nan
    return right


def grouped_questions(repeats: int) -> None:
    """MRR naive Bayes on adult: one coin for all questions and the class, 80 % for training."""
    whole = load("adult")
    print("| questions | theta | published | accuracy | estimated on randomised records |")
    print("| --- | --- | --- | --- | --- |")
    for asked, coin, theta, figure in GROUPED:
        table = whole if asked == "values" else in_halves(whole, at=asked)
        if asked == "values":
            numeric = [c.name for c in whole if not c.is_categorical]
            halved = in_halves(whole.select([*numeric, "income"]), at="median")
            table = whole.replace(*(halved[name] for name in numeric))
        attributes = tuple(DesignedAttribute(a, Identity()) for a in table.attributes)
        design = Design(attributes, "income", (Group(table.names, coin, theta),))
        scores, told = [], []
        for repeat in range(repeats):
            rows = np.random.default_rng(repeat).permutation(table.rows)
            train, test = (
                table.take(rows[: table.rows * 4 // 5]),
                table.take(rows[-table.rows // 5 :]),
            )
            model = classifiers["mrr-naive-bayes"](design=design)
            model.fit(distort(train, design, SeededStreams(repeat)))
            scores.append(model.score(test))
            randomised = distort(test, design, SeededStreams(1000 + repeat))
            told.append(estimate_accuracy(model, randomised, design, draws=3).accuracy)
        mean = f"{np.mean(scores):.3f} ± {np.std(scores):.3f}"
        rest = f"{mean} | {np.mean(told):.3f} ± {np.std(told):.3f} |"
        print(f"| {asked}, {coin} | {theta} | {figure} | {rest}", flush=True)


# Table 6.7 of the thesis, which does not tell into how many intervals a number was divided.
LAZY = {
    "iris": (0.905, 0.815, 0.855),
    "wine": (0.749, 0.704, 0.768),
    "breast": (0.940, 0.894, 0.942),
    "diabetes": (0.682, 0.611, 0.658),
}
INTERVALS = {
    "5, equal frequency": {"bins": 5, "binning": "equal-frequency"},
    "5, equal width": {"bins": 5, "binning": "equal-width"},
    "6, equal width": {"bins": 6, "binning": "equal-width"},
}


def lazy_by_intervals(repeats: int, wanted: set[str], seed: int) -> None:
    """Lazy patterns under noise of 100, 150 and 200 % with different intervals."""
    print(f"| set | published | {' | '.join(INTERVALS)} |")
    print("| --- " * (len(INTERVALS) + 2) + "|")
    for name, published in LAZY.items():
        if wanted and name not in wanted:
            continue
        table = load(name)
        found: dict[str, list[str]] = {label: [] for label in INTERVALS}
        for level in (1.0, 1.5, 2.0):
            models = {label: classifiers["lazy-ep"](**given) for label, given in INTERVALS.items()}
            design = design_for(table, "noise", level, diagonal=False)
            for label, each in measure(table, design, models, repeats, seed).items():
                found[label].append(f"{each.mean():.3f}")
        cells = " | ".join(" / ".join(each) for each in found.values())
        told = " / ".join(f"{figure:.3f}" for figure in published)
        print(f"| {name} | {told} | {cells} |", flush=True)


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--distortion", default="")
    parser.add_argument("--seed", type=int, default=0, help="other folds and draws")
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--diagonal", action="store_true")
    parser.add_argument("--intervals", action="store_true", help="lazy patterns by intervals")
    args = parser.parse_args()
    if not DATA.is_dir():
        sys.exit("The public data are not beside the checkout.")
    if args.only == "adult":
        grouped_questions(args.repeats)
        return
    wanted = set(filter(None, args.only.split(",")))
    if args.intervals:
        lazy_by_intervals(args.repeats, wanted, args.seed)
        return
    names = [*NAMES, *(["meta"] * args.slow)]
    print(f"| set | distortion | published best | {' | '.join(names)} | best of ours |")
    print("| --- " * (len(names) + 4) + "|")
    for (name, distortion, level), (figure, source) in PUBLISHED.items():
        if (wanted and name not in wanted) or args.distortion not in ("", distortion):
            continue
        start = time.perf_counter()
        table = load(name)
        table = in_five_intervals(table) if distortion == "p" else table
        repeats = 1 if name == "mushroom" else args.repeats
        models = methods(name, distortion, level, args.slow)
        design = design_for(table, distortion, level, args.diagonal)
        found = measure(table, design, models, repeats, args.seed)
        cells = [
            f"{found[n].mean():.3f} ± {found[n].std():.3f}" if n in found else "–" for n in names
        ]
        best = max(float(np.nanmean(v)) for v in found.values())
        mark = "**" if best > figure else ""
        level_text = f"{100 * level:.0f} %" if distortion == "noise" else f"{level:g}"
        line = (
            f"| {name} | {distortion} {level_text} | {figure:.3f} {source} | {' | '.join(cells)} | "
        )
        print(line + f"{mark}{best:.3f}{mark} |", flush=True)
        print(f"{name} took {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
