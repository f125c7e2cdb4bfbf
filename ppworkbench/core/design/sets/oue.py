"""Optimised unary encoding: every value is named or not, independently of the others.

Drawing happens in whole numbers: a random byte decides about a value, and where it lies on the
border 53 more bits do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.sets import Sets
from ppworkbench.core.design.perturbation import Naming, perturbations
from ppworkbench.core.design.sets.base import SetPerturbation
from ppworkbench.core.message import Message
from ppworkbench.core.rng import Stream

_LOW_BITS = 53
_BITS = 8 + _LOW_BITS
_CHUNK = 1 << 20
"""Values decided about at once."""


@perturbations.register(
    "oue",
    "Optimised unary encoding",
    short="Unary encoding",
    rank=35,
    hint="shares of very long lists, each answer named by itself",
)
@dataclass(frozen=True)
class UnaryEncoding(SetPerturbation):
    """The true value is named with 1/2, every other one with ``1 / (e^ε + 1)`` (Wang et al. 2017).

    >>> naming = UnaryEncoding(epsilon=1.0).naming(20)
    >>> naming.g, round(naming.h, 4), round(float(naming.variance(0.0)), 4)
    (0.5, 0.2689, 3.6827)
    """

    type_name: ClassVar[str] = "oue"

    def naming(self, k: int) -> Naming:  # noqa: ARG002 (the same for any number of values)
        """How often the true value is named, and any other one."""
        return _naming(self.epsilon)

    def summary(self) -> str:
        """The mechanism in a few words."""
        return Message("unary encoding, epsilon {epsilon:.3g}", epsilon=self.epsilon)

    def page_draw(self, attribute: Attribute) -> dict[str, Any]:
        """The chance of another value in 53 bits, rounded so that epsilon is not exceeded."""
        cells = -(-other_cells(self.epsilon) >> (_BITS - 53))
        return {"type": "oue", "count": attribute.k, "other": cells / 2.0**53}

    def distort(self, data: NDArray[Any], attribute: Attribute, stream: Stream) -> Sets:
        """Draw a set for every code; -1 becomes a missing answer."""
        return draw_encoded(data, attribute.k, other_cells(self.epsilon), stream)


def other_cells(epsilon: float) -> int:
    """How many of 2⁶¹ equally likely outcomes name a value that is not true."""
    return math.ceil(2.0**_BITS / (math.exp(epsilon) + 1))


@lru_cache(maxsize=512)
def _naming(epsilon: float) -> Naming:
    cells = other_cells(epsilon)
    h = cells / 2.0**_BITS
    return Naming(0.5, h, None, g_pair=h / 2, h_pair=h * h, odds=((1 << _BITS) - cells) / cells)


def draw_encoded(data: NDArray[Any], k: int, cells: int, stream: Stream) -> Sets:
    """Draw a set for every code; other values are named with ``cells`` in 2⁶¹."""
    high, low = divmod(cells, 1 << _LOW_BITS)
    out = np.empty((len(data), sets.width(k)), np.uint8)
    many = max(_CHUNK // k, 1)
    for start in range(0, len(data), many):
        codes = data[start : start + many]
        noise = stream.bytes(len(codes) * k).reshape(len(codes), k)
        named = noise < high
        rows, values = np.nonzero(noise == high)
        named[rows, values] = stream.random(len(rows)) * 2.0**_LOW_BITS < low
        there = np.flatnonzero(codes >= 0)
        true = codes[there].astype(np.intp)
        named[there, true] = noise[there, true] < 128
        out[start : start + many] = sets.pack(named, codes < 0)
    return out
