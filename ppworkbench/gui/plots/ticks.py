"""Round numbers for axes, written by the locale."""

from __future__ import annotations

import math

from ppworkbench.gui.words import MINUS, number, with_mark

Ticks = list[tuple[float, str]]


def number_ticks(low: float, high: float, most: int = 7) -> Ticks:
    """At most so many round numbers between low and high.

    >>> [value for value, _ in number_ticks(-300, 8200, 5)]
    [0.0, 2000.0, 4000.0, 6000.0, 8000.0]
    """
    if not high > low or not math.isfinite(high - low):
        return []
    rough = (high - low) / max(most, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= rough * 0.999)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if step / 10.0**-decimals % 1 > 1e-6:
        decimals += 1
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [(i * step, number(i * step + 0.0, decimals)) for i in range(first, last + 1)]


def short_number(value: float) -> str:
    """A number with as many decimals as it has, six digits at most.

    >>> short_number(15000.0), short_number(0.25), short_number(90.0)
    ('15,000', '0.25', '90')
    """
    text = f"{value:.6g}"
    if "e" in text or "n" in text:
        return with_mark(text).replace("-", MINUS)
    return number(value, len(text.partition(".")[2]))


def decade_ticks(last: float) -> Ticks:
    """1, 10, 100, … up to the last number, at their logarithms."""
    decades = range(math.floor(math.log10(max(last, 1.0)) + 1e-9) + 1)
    return [(float(d), number(10.0**d)) for d in decades]
