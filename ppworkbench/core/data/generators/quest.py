"""Baskets in the manner of IBM's Quest generator.

Baskets are filled from a pool of patterns, sets of items that people like to buy together, as
described in R. Agrawal and R. Srikant, "Fast algorithms for mining association rules", VLDB
1994, section 2.4.3, and named after their sizes: ``T10.I8.D100k.N100`` has baskets of about 10
items, patterns of about 8, 100,000 baskets and 100 items.

Where the article is silent we do as the program did that its authors gave away: lengths are one
plus a Poisson number, so that none is 0; some items are more popular than others (weights are
exponential); an empty basket is filled again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.generators.draws import exponential, normal, poisson
from ppworkbench.core.data.transactions import Transactions
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.params import Annotated, Info, Params, Within
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.rng import SeededStreams

_NUMBER = r"(\d+(?:\.\d+)?)"
_COUNT = r"(\d+(?:\.\d+)?[kKmM]?)"
_NAME = re.compile(
    rf"T{_NUMBER}\.?I{_NUMBER}\.?D{_COUNT}(?:\.?N{_COUNT})?(?:\.?L{_COUNT})?", re.ASCII
)
_UNITS = {"k": 1_000, "m": 1_000_000}


@dataclass(frozen=True)
class QuestParams(Params):
    """Sizes and tendencies of the baskets; the defaults are those of the article.

    >>> QuestParams.parse("T10.I8.D100k.N100").transactions
    100000
    >>> str(QuestParams(transactions=1500, items=50, length=10, pattern=4))
    'T10.I4.D1500.N50'
    """

    transactions: Annotated[
        int, Within(1, 100_000_000), Info("Transactions", "Number of baskets (D)")
    ] = 1_000
    items: Annotated[int, Within(1, 1_000_000), Info("Items", "Number of items (N)")] = 50
    length: Annotated[
        float, Within(1, 10_000), Info("Length", "Average number of items in a basket (T)")
    ] = 10.0
    pattern: Annotated[
        float,
        Within(1, 1_000),
        Info("Pattern", "Average number of items in a set that is bought together (I)"),
    ] = 4.0
    patterns: Annotated[
        int,
        Within(1, 100_000),
        Info("Patterns", "Number of sets that are bought together (L)"),
    ] = 2_000
    correlation: Annotated[
        float,
        Within(0, 1),
        Info("Correlation", "Average share of items that a pattern shares with the previous one"),
    ] = 0.5
    corruption: Annotated[
        float,
        Within(0, 1),
        Info("Corruption", "Average probability of dropping another item of a pattern"),
    ] = 0.5
    corruption_variance: Annotated[
        float, Within(0, 1), Info("Corruption variance", "How much patterns differ in corruption")
    ] = 0.1
    uneven: Annotated[bool, Info("Uneven items", "Some items are more popular than others")] = True

    def __str__(self) -> str:
        """The name of a data set of these sizes; L only where it is not the usual 2,000."""
        name = f"T{_short(self.length)}.I{_short(self.pattern)}"
        name += f".D{_counted(self.transactions)}.N{_counted(self.items)}"
        return name if self.patterns == 2_000 else f"{name}.L{_counted(self.patterns)}"

    @staticmethod
    def names(name: str) -> bool:
        """Whether a text has the form of such a name."""
        return _NAME.fullmatch(name.strip()) is not None

    @classmethod
    def parse(cls, name: str) -> Self:
        """Read the sizes from a name such as ``T10.I8.D100k.N100`` or ``T10I8D100kN100``.

        A name without N means 1,000 items, as in the article; one without L 2,000 patterns.
        """
        found = _NAME.fullmatch(name.strip())
        if found is None:
            raise ParameterError.saying(
                "{name!r} is not a basket data set; write for example T10.I8.D100k.N100.",
                name=name,
                field="name",
            )
        length, pattern, transactions, items, patterns = found.groups()
        return cls(
            transactions=_whole(transactions, name),
            items=_whole(items or "1k", name),
            length=float(length),
            pattern=float(pattern),
            patterns=_whole(patterns or "2k", name),
        )


def _short(number: float) -> str:
    return repr(int(number)) if number.is_integer() else repr(number)


def _counted(count: int) -> str:
    for letter, unit in reversed(_UNITS.items()):
        if count % unit == 0:
            return f"{count // unit}{letter}"
    return str(count)


def _whole(text: str, name: str) -> int:
    unit = _UNITS.get(text[-1].lower(), 1)
    number = float(text[:-1] if unit > 1 else text) * unit
    if not number.is_integer():
        raise ParameterError.saying(
            "{text} in {name!r} is not a whole number; write for example D1500 or D1.5k.",
            text=text,
            name=name,
            field="name",
        )
    return int(number)


_BLOCK = 1 << 16
_CHAIN_LENGTH = 64
_HELD_CELLS = 1 << 25
_PATIENCE = 50


@dataclass(frozen=True, eq=False)
class PatternPool:
    """The patterns that baskets are filled from.

    Parameters
    ----------
    items
        One row per pattern, padded with -1.
    sizes
        How many items each pattern has.
    cumulative
        Cumulative probabilities of picking each pattern.
    corruption
        Probability, for each pattern, that one more item is dropped.
    """

    items: NDArray[np.int32]
    sizes: NDArray[np.int64]
    cumulative: NDArray[np.float64]
    corruption: NDArray[np.float64]


def quest_baskets(params: QuestParams, seed: int = 1, progress: Progress = silent) -> Transactions:
    """Generate baskets.

    The same seed gives the same baskets; a larger number of baskets begins with the same whole
    blocks of 65,536. A pattern that does not fit goes in nevertheless half of the time, so
    baskets are a little longer than T on average when patterns are nearly as long as baskets.

    >>> baskets = quest_baskets(QuestParams(transactions=500, items=40, length=6, pattern=3))
    >>> len(baskets), len(baskets.items)
    (500, 40)
    """
    streams = SeededStreams(seed)
    pool = make_patterns(params, streams.generator("quest", "patterns"))
    rows: list[NDArray[np.int64]] = []
    items: list[NDArray[np.int32]] = []
    for start in range(0, params.transactions, _BLOCK):
        progress(start / params.transactions, "Filling baskets")
        count = min(_BLOCK, params.transactions - start)
        filler = _Filler(pool, params, streams.generator("quest", "baskets", str(start)), count)
        block_rows, block_items = filler.fill()
        rows.append(block_rows + start)
        items.append(block_items)
    digits = len(str(params.items))
    names = [f"item{number:0{digits}d}" for number in range(1, params.items + 1)]
    result = Transactions.from_pairs(
        names, params.transactions, np.concatenate(rows), np.concatenate(items)
    )
    progress(1.0, "Filling baskets")
    return result


def make_patterns(params: QuestParams, rng: np.random.Generator) -> PatternPool:
    """Make the pool: each pattern shares some items with the one before it.

    The share is exponential with mean ``correlation``; the other items are drawn by popularity.
    The weights of patterns are exponential, their corruption levels normal.
    """
    count = params.patterns
    weights = exponential(rng.random(params.items)) if params.uneven else np.ones(params.items)
    sizes = np.minimum(1 + poisson(rng.random(count), params.pattern - 1), params.items)
    shares = params.correlation * exponential(rng.random(count))
    inherited = np.minimum(np.rint(shares * sizes), sizes).astype(np.int64)
    items = np.full((count, int(sizes.max())), -1, np.int32)
    previous = np.empty(0, np.int32)
    for i in range(count):
        kept = previous[np.argsort(rng.random(len(previous)))[: inherited[i]]]
        # The smallest of exponential times with rates w is the next item drawn by weight w.
        times = exponential(rng.random(params.items)) / weights
        times[kept] = np.inf
        fresh = int(sizes[i]) - len(kept)
        drawn = np.argsort(times)[:fresh] if fresh else np.empty(0, np.int64)
        previous = np.concatenate([kept, drawn]).astype(np.int32)
        items[i, : sizes[i]] = previous
    popularity = exponential(rng.random(count))
    levels = params.corruption + np.sqrt(params.corruption_variance) * normal(rng.random(count))
    cumulative = np.cumsum(popularity) / popularity.sum()
    return PatternPool(items, sizes, cumulative, np.clip(levels, 0.0, 1.0))


@dataclass(eq=False)
class _Filler:
    """Fills one block of baskets.

    A pattern that does not fit may move to the next basket, so baskets depend on their
    predecessor. Many short chains of baskets are filled side by side, one pattern per chain and
    step, which keeps the rule inside a chain and the work in whole arrays.
    """

    pool: PatternPool
    params: QuestParams
    rng: np.random.Generator
    count: int
    rows: list[NDArray[np.int64]] = field(default_factory=list)
    items: list[NDArray[np.int32]] = field(default_factory=list)

    def __post_init__(self) -> None:
        chains = min(-(-self.count // _CHAIN_LENGTH), max(1, _HELD_CELLS // self.params.items))
        borders = np.arange(chains + 1, dtype=np.int64) * self.count // chains
        self.row, self.stop = borders[:-1].copy(), borders[1:]
        self.held = np.zeros((chains, self.params.items), np.bool_)
        self.size = np.zeros(chains, np.int64)
        self.idle = np.zeros(chains, np.int64)
        self.moved = np.full(chains, -1, np.int64)
        self.target = self._targets(chains)

    def fill(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        alive = np.arange(len(self.row))
        while len(alive):
            self._step(alive)
            alive = alive[self.row[alive] < self.stop[alive]]
        return np.concatenate(self.rows), np.concatenate(self.items)

    def _targets(self, count: int) -> NDArray[np.int64]:
        lengths = 1 + poisson(self.rng.random(count), self.params.length - 1)
        return np.minimum(lengths, self.params.items)

    def _step(self, chains: NDArray[np.int64]) -> None:
        """Offer one pattern to the basket at the head of each chain."""
        fresh = np.searchsorted(self.pool.cumulative, self.rng.random(len(chains)), side="right")
        fresh = np.minimum(fresh, len(self.pool.sizes) - 1)
        pattern = np.where(self.moved[chains] >= 0, self.moved[chains], fresh)
        kept = self._corrupted_sizes(pattern)
        fits = self.size[chains] + kept <= self.target[chains]
        taken = fits | (self.rng.random(len(chains)) < 0.5)
        self._add(chains[taken], pattern[taken], kept[taken])
        self.moved[chains] = np.where(taken, -1, pattern)
        full = self.size[chains] >= self.target[chains]
        # A basket that nothing new gets into any more would otherwise never close.
        stuck = self.idle[chains] >= _PATIENCE
        self._close(chains[~taken | full | stuck])

    def _corrupted_sizes(self, pattern: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many items stay when items are dropped while a uniform number is below c.

        At least d items are dropped with probability c^d, so d = floor(log u / log c).
        """
        level = np.clip(self.pool.corruption[pattern], 1e-300, 1 - 2.0**-53)
        dropped = np.floor(np.log1p(-self.rng.random(len(pattern))) / np.log(level))
        sizes = self.pool.sizes[pattern]
        return sizes - np.minimum(dropped, sizes).astype(np.int64)

    def _add(
        self, chains: NDArray[np.int64], pattern: NDArray[np.int64], kept: NDArray[np.int64]
    ) -> None:
        items = self.pool.items[pattern]
        order = np.where(items < 0, 2.0, self.rng.random(items.shape))
        ranked = np.pad(np.sort(order, axis=1), ((0, 0), (0, 1)), constant_values=3.0)
        border = np.take_along_axis(ranked, kept[:, None], axis=1)
        line, place = np.nonzero((order < border) & (items >= 0))
        chosen = items[line, place]
        owner = chains[line]
        new = ~self.held[owner, chosen]
        owner, chosen = owner[new], chosen[new]
        self.held[owner, chosen] = True
        added = np.bincount(owner, minlength=len(self.row))[chains]
        self.size[chains] += added
        self.idle[chains] = np.where(added > 0, 0, self.idle[chains] + 1)
        self.rows.append(self.row[owner])
        self.items.append(chosen)

    def _close(self, chains: NDArray[np.int64]) -> None:
        empty = (self.size[chains] == 0) & (self.idle[chains] < _PATIENCE)
        self.row[chains] += ~empty
        self.held[chains] = False
        self.size[chains] = 0
        self.idle[chains] = 0
        self.target[chains] = self._targets(len(chains))
