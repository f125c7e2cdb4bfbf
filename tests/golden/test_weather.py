"""Quinlan's 14 Saturday mornings: cells, counts, gains and emerging patterns.

J. R. Quinlan, "Induction of decision trees", 1986, table 1 and the gains of its section 4;
P. Andruszkiewicz, thesis, 2011, table 2.1 and the supports of its example of CAEP.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.data.table import Table

CLASS_P = [
    ("overcast", "hot", "high", "false"),
    ("rain", "mild", "high", "false"),
    ("rain", "cool", "normal", "false"),
    ("overcast", "cool", "normal", "true"),
    ("sunny", "cool", "normal", "false"),
    ("rain", "mild", "normal", "false"),
    ("sunny", "mild", "normal", "true"),
    ("overcast", "mild", "high", "true"),
    ("overcast", "hot", "normal", "false"),
]
CLASS_N = [
    ("sunny", "hot", "high", "false"),
    ("sunny", "hot", "high", "true"),
    ("rain", "cool", "normal", "true"),
    ("sunny", "mild", "high", "false"),
    ("rain", "mild", "high", "true"),
]


@pytest.fixture
def weather() -> Table:
    return load_sample("weather")


def mornings(table: Table, of_class: str) -> list[tuple[str, ...]]:
    frame = table.to_frame()
    chosen = frame[frame["class"] == of_class].drop(columns="class")
    return [tuple(str(cell) for cell in row) for row in chosen.to_numpy()]


def entropy(counts: np.ndarray) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def gain(table: Table, name: str) -> float:
    target, column = table["class"], table[name]
    left = 0.0
    for code, count in enumerate(column.counts):
        inside = target.take(column.data == code)
        left += count / table.rows * entropy(inside.counts)
    return entropy(target.counts) - left


def test_that_each_class_has_the_printed_mornings_in_order(weather: Table) -> None:
    assert weather.rows == 14
    assert mornings(weather, "P") == CLASS_P
    assert mornings(weather, "N") == CLASS_N


def test_that_nine_mornings_suit_and_five_do_not(weather: Table) -> None:
    assert dict(zip(weather["class"].attribute.values, weather["class"].counts, strict=True)) == {
        "P": 9,
        "N": 5,
    }
    assert entropy(weather["class"].counts) == pytest.approx(0.940, abs=0.0005)


@pytest.mark.parametrize(
    ("name", "printed"),
    # Quinlan prints 0.246 and 0.151 for the first and third: he subtracts rounded entropies.
    [("outlook", 0.2467), ("temperature", 0.0292), ("humidity", 0.1518), ("windy", 0.0481)],
)
def test_that_the_gains_are_quinlans(weather: Table, name: str, printed: float) -> None:
    assert gain(weather, name) == pytest.approx(printed, abs=0.0001)


@pytest.mark.parametrize(
    ("pattern", "support_n", "growth"),
    [
        ({"sunny"}, 0.6, 2.7),
        ({"high"}, 0.8, 2.4),
        ({"sunny", "mild"}, 0.2, 1.8),
        ({"sunny", "high"}, 0.6, math.inf),
        ({"sunny", "true"}, 0.2, 1.8),
        ({"mild", "high"}, 0.4, 1.8),
        ({"high", "true"}, 0.4, 3.6),
        ({"sunny", "mild", "high"}, 0.2, math.inf),
        ({"sunny", "high", "true"}, 0.2, math.inf),
        ({"mild", "high", "true"}, 0.2, 1.8),
    ],
)
def test_that_patterns_emerge_in_class_n_as_printed(
    weather: Table, pattern: set[str], support_n: float, growth: float
) -> None:
    in_n = np.mean([pattern <= set(morning) for morning in mornings(weather, "N")])
    in_p = np.mean([pattern <= set(morning) for morning in mornings(weather, "P")])
    assert in_n == pytest.approx(support_n)
    assert (in_n / in_p if in_p else math.inf) == pytest.approx(growth)


def test_that_the_table_is_the_public_one(weather: Table, shared_data: Path) -> None:
    lines = (shared_data / "weather.nominal.csv").read_text(encoding="utf-8").split()
    words = {"rainy": "rain", "TRUE": "true", "FALSE": "false", "yes": "P", "no": "N"}
    public = [tuple(words.get(cell, cell) for cell in line.split(",")) for line in lines[1:]]
    ours = [tuple(str(cell) for cell in row) for row in weather.to_frame().to_numpy()]
    assert ours == public
