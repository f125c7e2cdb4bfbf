"""A number with the sentence that says what it means."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ppworkbench.core.message import Message

BOUNDLESS = 20.0
"""An epsilon from which on the factor of the odds, 485 million and more, tells people nothing."""


@dataclass(frozen=True)
class Reading:
    """One readout.

    Parameters
    ----------
    name
        The key in JSON results.
    label
        What people call the measure; also the heading of its help in ``privacy-measures.md``.
    sentence
        What the value means, in plain language.
    unit
        ``%`` if the value is already in percent, ``share`` for a probability, ``answers`` or
        ``width`` for an entropy privacy, empty for a bare number.
    part
        The key within ``name`` where a measure has several values.
    """

    name: str
    label: str
    value: float
    sentence: str
    unit: str = ""
    part: str = ""

    @property
    def text(self) -> Message:
        """The value as it is shown, with its unit.

        >>> Reading("epsilon", "Epsilon", math.inf, "").text
        '∞'
        >>> Reading("attack_success", "Attack success", 0.713, "", "share").text
        '71 %'
        """
        if math.isinf(self.value):
            return Message("∞")
        if self.unit == "share":
            return percent(self.value)
        if self.unit == "answers":
            return answers(self.value)
        shown = plain(self.value)
        return Message("{shown} %", shown=shown) if self.unit == "%" else shown


def odds_factor(epsilon: float) -> Message:
    """How many times odds may grow, rounded up.

    >>> odds_factor(1.0), odds_factor(10.4)
    ('2.8', '32,860')
    """
    factor = math.exp(epsilon)
    if factor >= 10:
        return Message("{factor:,}", factor=math.ceil(factor - 1e-9))
    return Message("{factor:.2g}", factor=math.ceil(10 * factor - 1e-9) / 10)


def percent(share: float) -> Message:
    """A probability in percent, never rounded to certainty.

    >>> percent(0.5), percent(0.0042), percent(0.99951), percent(0.999999), percent(1.0)
    ('50 %', '0.4 %', '99.95 %', 'more than 99.99 %', '100 %')
    """
    from_certainty = min(share, 1 - share)
    # Beyond this only rounding error is left of a certainty.
    if from_certainty < 1e-12:
        return Message("0 %" if share < 0.5 else "100 %")
    if from_certainty < 1e-4:
        return Message("less than 0.01 %") if share < 0.5 else Message("more than 99.99 %")
    digits = 0 if from_certainty >= 0.0095 else 1 if from_certainty >= 0.001 else 2
    return Message(f"{{percent:.{digits}f}} %", percent=100 * share)


def answers(number: float) -> Message:
    """A number of equally likely answers.

    >>> answers(5.3114), answers(1.0)
    ('5.31 answers', '1 answer')
    """
    shown = plain(number)
    return (
        Message("{shown} answer", shown=shown)
        if shown == "1"
        else Message("{shown} answers", shown=shown)
    )


def plain(number: float) -> Message:
    """A number with three digits that matter, and never with an exponent.

    Whole numbers are counts and stay exact.

    >>> plain(5.3114), plain(12345.6), plain(0.00123), plain(0.0), plain(math.inf)
    ('5.31', '12300', '0.00123', '0', '∞')
    >>> plain(26363.0), plain(0.0000123)
    ('26363', '0.0000123')
    """
    if math.isinf(number):
        return Message("∞")
    if math.isnan(number) or number == 0 or 1e-4 <= abs(number) < 999.5:
        return Message("{number:.3g}", number=number)
    if float(number).is_integer():
        return Message("{number:.0f}", number=number)
    decimals = 2 - math.floor(math.log10(abs(number)))
    return Message(f"{{number:.{max(decimals, 0)}f}}", number=round(number, decimals))
