"""Optimised unary encoding: every value is named or not, independently of the others.

Drawing happens in whole numbers. The bits of eight values are drawn at once, as if none of them
were true, from two random bytes and, where these decide nothing, from further ones; a coin then
decides about the true value.
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
from ppworkbench.core.design.channels import Naming
from ppworkbench.core.design.perturbation import perturbations
from ppworkbench.core.design.sets.base import SetPerturbation, WeightedDraw, whole_numbers
from ppworkbench.core.message import Message
from ppworkbench.core.rng import Stream

_BITS = 61
_CHUNK = 1 << 20
"""Values decided about at once: the working arrays then stay in the processor's cache."""


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
        return _naming(self.epsilon)

    def summary(self) -> str:
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


@lru_cache(maxsize=64)
def _byte_draw(cells: int) -> WeightedDraw:
    """The draw of which of eight values, none of them true, are named: their bits, plus 1."""
    others = (1 << _BITS) - cells
    named = [pattern.bit_count() for pattern in range(256)]
    weights = [cells**count * others ** (8 - count) for count in named]
    return WeightedDraw(weights, np.arange(1, 257, dtype=np.uint16))


def draw_encoded(data: NDArray[Any], k: int, cells: int, stream: Stream) -> Sets:
    """Draw a set for every code; other values are named with ``cells`` in 2⁶¹."""
    out = np.zeros((len(data), sets.width(k)), np.uint8)
    draw, blocks = _byte_draw(cells), -(-k // 8)
    many = max(_CHUNK // k, 1)
    for start in range(0, len(data), many):
        codes, part = data[start : start + many], out[start : start + many]
        drawn = whole_numbers(stream.bytes(2 * len(codes) * (blocks + 1)), draw.bits)
        numbers = drawn.reshape(len(codes), blocks + 1)
        others = draw.draw(numbers[:, :blocks], stream)
        for block in range(blocks):
            part[:, block] = others[:, block] - np.uint16(1)
        # Values behind the last one were drawn as well.
        part[:, blocks - 1] &= np.uint8(255 >> (8 * blocks - k))
        # The true value is named by a coin of its own, whatever was drawn in its place.
        true = np.maximum(codes, 0).astype(np.intp)
        place = np.arange(0, part.size, part.shape[1]) + (true >> 3)
        bit, coin = (true & 7).astype(np.uint8), numbers[:, blocks].astype(np.uint8)
        flat = part.reshape(-1)
        drawn = flat.take(place, mode="clip")
        flat[place] = drawn ^ (drawn >> bit ^ coin) % np.uint8(2) << bit
        part[codes < 0] = sets.all_missing(1, k)
    return out
