"""The LED display: a digit shown by seven segments that fail, among 17 that mean nothing.

L. Breiman, J. Friedman, R. Olshen and C. Stone, "Classification and Regression Trees", 1984,
section 2.6: every segment shows the opposite of what it should with probability ``noise``,
independently of the others. With a noise of 10 % the best possible classifier is right in 74 %
of cases; 17 coins are added as attributes that say nothing about the digit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.message import Message
from ppworkbench.core.rng import SeededStreams

DIGITS = tuple("0123456789")
IRRELEVANT = 17

SEGMENTS: NDArray[np.int8] = np.array(
    [
        [1, 1, 1, 0, 1, 1, 1],
        [0, 0, 1, 0, 0, 1, 0],
        [1, 0, 1, 1, 1, 0, 1],
        [1, 0, 1, 1, 0, 1, 1],
        [0, 1, 1, 1, 0, 1, 0],
        [1, 1, 0, 1, 0, 1, 1],
        [1, 1, 0, 1, 1, 1, 1],
        [1, 0, 1, 0, 0, 1, 0],
        [1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 0, 1, 1],
    ],
    np.int8,
)
"""Which segments light up for each digit, in the order of the places."""

PLACES = (
    "Top segment",
    "Upper left segment",
    "Upper right segment",
    "Middle segment",
    "Lower left segment",
    "Lower right segment",
    "Bottom segment",
)


def led24_table(rows: int = 3_200, noise: float = 0.1, seed: int = 1) -> Table:
    """A table of 7 noisy segments, 17 irrelevant bits and the class ``digit``.

    Every column has a random stream of its own: a longer table begins with the rows of a
    shorter one.

    >>> led24_table(rows=5).names[6:9]
    ('segment7', 'irrelevant1', 'irrelevant2')
    """
    streams = SeededStreams(seed)
    digit = np.floor(10 * streams.stream("digit").random(rows)).astype(np.int8)
    columns = []
    for number, place in enumerate(PLACES, start=1):
        name = f"segment{number}"
        flipped = streams.stream(name).random(rows) < noise
        words = f"The {place.lower()}", place
        columns.append(_bit(name, *words, SEGMENTS[digit, number - 1] ^ flipped))
    for number in range(1, IRRELEVANT + 1):
        name = f"irrelevant{number}"
        words = (
            "A random bit unrelated to the digit",
            Message("Irrelevant bit {number}", number=number),
        )
        columns.append(_bit(name, *words, streams.stream(name).random(rows) < 0.5))
    shown = Attribute(
        "digit",
        Kind.NOMINAL,
        values=DIGITS,
        label="The digit that was to be shown",
        title=Message("Digit"),
    )
    return Table((*columns, Column(shown, digit)), class_name="digit", source="led24")


def _bit(name: str, label: str, title: str, lit: NDArray[np.generic]) -> Column:
    return Column(Attribute(name, Kind.BINARY, values=("0", "1"), label=label, title=title), lit)
