"""How fast and how well itemsets are mined from distorted baskets.

- speed: our miners on distorted T10.I8.D100k.N100 (minimum support 0.005, p 0.5, q 0.87), with and
  without compiled loops, beside pyfim, mlxtend and efficient-apriori on the original;
- growth with records, items and the length of sets;
- accuracy by length of every method, as Markdown; with ``--data FOLDER`` also on groceries, led24
  and dna-train from that folder.

Times are processor times of one thread, the best of several runs. Peers are no dependencies: give
the folder that they are installed in with ``--peers FOLDER`` (a target folder or a site-packages).
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.generators.quest import QuestParams, quest_baskets
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.data.transactions import ABSENT_PRESENT, Transactions
from ppworkbench.core.design import Binary, Design, DesignedAttribute
from ppworkbench.core.design.distort import distort
from ppworkbench.core.itemsets import ItemData, Itemsets, SetList, item_data, supports
from ppworkbench.core.itemsets.search import KERNELS
from ppworkbench.core.mining import (
    Apriori,
    Mask,
    Miner,
    Mmask,
    ShrinkageMask,
    length_errors,
    mine,
)
from ppworkbench.core.rng import SeededStreams

NAME, MINIMUM, P, Q = "T10.I8.D100k.N100", 0.005, 0.5, 0.87


def best(work: Callable[[], object], repeats: int = 5) -> float:
    """The shortest of several runs, in processor seconds: the others were disturbed."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def published(original: Table, seed: int = 1, p: float = P, q: float = Q) -> ItemData:
    """The items of a table of zeros and ones after distortion."""
    keep = Binary(keep_one=p, keep_zero=q)
    design = Design(tuple(DesignedAttribute(column.attribute, keep) for column in original))
    return item_data(distort(original, design, SeededStreams(seed)), design)


def with_loops() -> None:
    """Compile the inner loops, so that the time for it is not measured."""
    for kernel in KERNELS:
        kernel.compile()


def without_loops() -> None:
    for kernel in KERNELS:
        kernel.compiled = None


def speed(peers_too: bool) -> None:
    baskets = quest_baskets(QuestParams.parse(NAME))
    original = baskets.to_table()
    plain, data = item_data(original), published(original)
    work: dict[str, Miner] = {
        "MASK": Mask(min_support=MINIMUM),
        "shrinkage MASK": ShrinkageMask(min_support=MINIMUM),
        "MMASK 3": Mmask(min_support=MINIMUM),
    }
    with_loops()
    ours = {"Apriori, undistorted": best(lambda: mine(plain, Apriori(min_support=MINIMUM)))}
    for name, miner in work.items():
        ours[name] = best(lambda: mine(data, miner), 5 if name == "MASK" else 2)  # noqa: B023
    without_loops()
    ours["MASK, numpy only"] = best(lambda: mine(data, Mask(min_support=MINIMUM)), 3)
    with_loops()
    print(f"{NAME}, minimum support {MINIMUM}; p {P}, q {Q}; numpy {np.__version__}")
    for name, seconds in ours.items():
        print(f"  ours: {name:22} {seconds * 1e3:8.0f} ms")
    print(f"  MASK / our plain mining: {ours['MASK'] / ours['Apriori, undistorted']:.2f}")
    for peer, seconds in peers(baskets, original) if peers_too else ():
        print(
            f"  {peer}, undistorted: {seconds:.2f} s; MASK is {ours['MASK'] / seconds:.4f} x, "
            f"without compiled loops {ours['MASK, numpy only'] / seconds:.4f} x"
        )


def peers(baskets: Transactions, original: Table) -> Iterator[tuple[str, float]]:
    """The peers that are installed, on the original, and the time that they take."""
    listed = baskets.indices.tolist()
    borders = baskets.indptr.tolist()
    rows = [listed[a:b] for a, b in pairwise(borders)]
    found = load("fim", "pyfim")
    if found:
        for name in ("fpgrowth", "eclat", "apriori"):
            run = getattr(found, name)
            seconds = best(lambda: run(rows, supp=100 * MINIMUM, zmin=1, report="a"), 3)  # noqa: B023
            yield f"{label('pyfim')} {name}", seconds
    found = load("mlxtend.frequent_patterns", "mlxtend")
    if found:
        import pandas as pd

        frame = pd.DataFrame({column.name: column.data.astype(bool) for column in original})
        seconds = best(lambda: found.fpgrowth(frame, min_support=MINIMUM), 1)
        yield f"{label('mlxtend')} fpgrowth", seconds
    found = load("efficient_apriori", "efficient-apriori")
    if found:
        # Too slow for the whole table: a tenth of the records.
        tenth = [tuple(row) for row in rows[: len(rows) // 10]]
        run = found.itemsets_from_transactions
        seconds = 10 * best(lambda: run(tenth, MINIMUM, max_length=4), 1)
        yield f"{label('efficient-apriori')} to length 4, from a tenth", seconds


def load(module: str, distribution: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        print(f"  {distribution}: not installed")
        return None


def label(distribution: str) -> str:
    return f"{distribution} {importlib.metadata.version(distribution)}"


def growth() -> None:
    print("growth with records: seconds, and microseconds per candidate and 1,000 records")
    for rows in (12_500, 25_000, 50_000, 100_000, 200_000):
        data = published(quest_baskets(QuestParams(rows, 100, 10, 8)).to_table())
        result = mine(data, Mask(min_support=MINIMUM, max_length=3))
        taken = best(lambda: mine(data, Mask(min_support=MINIMUM, max_length=3)), 3)  # noqa: B023
        each = taken * 1e9 / sum(level.candidates for level in result.levels) / rows
        print(f"  {rows:>8,} {taken:7.3f} {each:7.3f}")
    print("growth with items: candidates, seconds, microseconds per candidate")
    for items in (50, 100, 200, 400):
        data = published(quest_baskets(QuestParams(20_000, items, 10, 6)).to_table())
        miner = Mask(min_support=0.01, max_length=3)
        count = sum(level.candidates for level in mine(data, miner).levels)
        taken = best(lambda: mine(data, miner), 3)  # noqa: B023
        print(f"  {items:>8,} {count:>10,} {taken:7.3f} {taken / count * 1e6:7.2f}")
    print("growth with length: microseconds per set of that many items")
    rng = np.random.default_rng(1)
    shown = rng.random((18, 20_000)) < 0.9
    columns = tuple(
        Column(Attribute(f"i{i:02d}", Kind.BINARY, values=ABSENT_PRESENT), row.astype(np.int8))
        for i, row in enumerate(shown)
    )
    data = published(Table(columns), p=0.9, q=0.9)
    result = mine(data, Mask(min_support=0.01, max_length=10))
    for level in result.levels:
        print(f"  {level.length:>8} {level.seconds / max(level.candidates, 1) * 1e6:7.2f}")


def tables(folder: Path | None) -> None:
    """Accuracy by length, as Markdown."""
    for name, table, minimum in datasets(folder):
        data, truth = published(table), item_data(table)
        true = mine(truth, Apriori(min_support=minimum)).itemsets
        print(f"\n### {name}, {table.rows:,} records, minimum support {minimum:g}\n")
        print(
            "| method | length | true | found | ρ % | σ- % | σ+ % | f | F1 | 90 % interval holds |"
        )
        print("| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |")
        for label_, miner in methods(minimum).items():
            found = mine(data, miner).itemsets
            errors = length_errors(found, true)
            for i, length in enumerate(errors.lengths.tolist()):
                if errors.true[i] or errors.found[i]:
                    cells = [
                        label_, length, errors.true[i], errors.found[i],
                        *map(one_digit, (errors.support_error[i], errors.false_negative[i],
                                         errors.false_positive[i])),
                        errors.correct[i], f"{errors.f1[i]:.2f}", coverage(found, truth, length),
                    ]  # fmt: skip
                    print("| " + " | ".join(map(str, cells)) + " |")


def methods(minimum: float) -> dict[str, Miner]:
    return {
        "MASK": Mask(min_support=minimum),
        "MMASK 2": Mmask(min_support=minimum, r_threshold=2),
        "MMASK 3": Mmask(min_support=minimum, r_threshold=3),
        "shrinkage": ShrinkageMask(min_support=minimum),
    }


def one_digit(number: float) -> str:
    return "-" if np.isnan(number) else f"{number:.1f}"


def coverage(found: Itemsets, truth: ItemData, length: int) -> str:
    """The share of intervals of found sets that hold the truth, of at most 3,000 sets."""
    places, members = found.of_length(length)
    if not len(places):
        return "-"
    chosen = np.linspace(0, len(places) - 1, min(3_000, len(places))).astype(int)
    actual = supports(truth, SetList.of(truth.items, members[chosen].tolist())).raw
    at = places[chosen]
    if np.isnan(found.low[at]).all():
        return "-"
    held = (found.low[at] <= actual + 1e-12) & (actual <= found.high[at] + 1e-12)
    return f"{100 * held.mean():.0f} %"


def datasets(folder: Path | None) -> Iterator[tuple[str, Table, float]]:
    yield NAME, quest_baskets(QuestParams.parse(NAME)).to_table(), MINIMUM
    if folder is None:
        return
    yield "groceries", read_table(folder / "groceries.basket"), 0.01
    for name, minimum in (("led24", 0.1), ("dna-train", 0.05)):
        table = read_table(folder / f"{name}.csv")
        chosen = [c for c in table if set(c.attribute.values) == set(ABSENT_PRESENT)]
        yield name, Table(tuple(chosen)), minimum


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help="speed, peers, growth, tables (default: all)")
    parser.add_argument("--peers", type=Path, help="folder that the peers are installed in")
    parser.add_argument("--data", type=Path, help="folder with groceries, led24 and dna-train")
    args = parser.parse_args()
    if args.peers:
        # Behind our own libraries, so that both sides run on the same numpy.
        sys.path.append(str(args.peers))
    parts = args.parts or ["speed", "peers", "growth", "tables"]
    with_loops()
    if {"speed", "peers"} & set(parts):
        speed("peers" in parts)
    if "growth" in parts:
        growth()
    if "tables" in parts:
        tables(args.data)


if __name__ == "__main__":
    main()
