"""How the numbers of an answer are written."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.survey.estimates import Estimate
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.words import THIN, number

_FEW = 100
"""Below so many respondents a count is shown with a decimal."""


@dataclass(frozen=True)
class Figures:
    """Counts, shares or numbers of an attribute: scale, decimals and unit."""

    decimals: int = 0
    is_share: bool = False

    @classmethod
    def of_count(cls, respondents: int) -> Figures:
        """Whole people, unless there are very few."""
        return cls(1 if respondents < _FEW else 0)

    @classmethod
    def of_number(cls, attribute: Attribute) -> Figures:
        """Three digits of the range of an attribute count."""
        width = attribute.width
        if not width > 0:
            return cls(2)
        return cls(min(max(0, 2 - math.floor(math.log10(width))), 6))

    @classmethod
    def of_share(cls) -> Figures:
        """Percentages."""
        return cls(1, True)

    def text(self, value: float | None) -> str:
        """One number; a dash where there is none."""
        if value is None or not math.isfinite(value):
            return "–"
        if self.is_share:
            return f"{self.bare(value)}{THIN}%"
        return self.bare(value)

    def bare(self, value: float) -> str:
        """The number without its unit."""
        scaled = 100 * value if self.is_share else value
        rounded = round(scaled, self.decimals) + 0.0
        return number(rounded, self.decimals)

    def interval(self, value: Estimate) -> str:
        """The two ends of an interval; a dash where a single record gives none."""
        if not math.isfinite(value.standard_error):
            return "–"
        return tr("%s to %s") % (self.bare(value.low), self.bare(value.high))

    def with_reach(self, value: Estimate) -> str:
        """An estimate with half its interval: "45 ± 9 %"."""
        reach = (value.high - value.low) / 2
        if not math.isfinite(reach):
            return self.text(value.estimate)
        coarse = Figures(0, True) if self.is_share else self
        tail = f"{THIN}%" if self.is_share else ""
        return f"{coarse.bare(value.estimate)} ± {coarse.bare(reach)}{tail}"
