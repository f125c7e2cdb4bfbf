"""The sensitive item of a list, of which people tell only how many items they have."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ppworkbench.api.survey_results import SurveyResult
from ppworkbench.api.text import (
    Naming,
    aligned,
    equals_p,
    harmless,
    note_lines,
    short_number,
    short_p,
)
from ppworkbench.core.message import Message, titled

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.core.compliance.assess_list import ListResult
    from ppworkbench.core.compliance.classes import Estimate


class ListItemResult(SurveyResult):
    """How many people have the sensitive item of a list."""

    found: ListResult

    def summary(self) -> str:
        """The result for people, as the command line prints it."""
        return _text(self.found, self._shown)

    def to_frame(self) -> pd.DataFrame:
        """One row per estimate of the share, and of those who leave the item out."""
        import pandas as pd

        rows: list[dict[str, Any]] = [
            {
                "estimated": name, "estimate": one.estimate, "low": one.low, "high": one.high,
                "standard_error": one.standard_error,
            }
            for name, one in _listed(self.found)
        ]  # fmt: skip
        return pd.DataFrame(rows)


def _text(found: ListResult, shown: Naming) -> str:
    told = [
        harmless(titled(found.sentence, shown)),
        _counts(found),
        _estimates(found),
        _types(found),
        Message(
            "Test that no share is negative, as it must be if the sensitive item does not change "
            "the answers to the others: p {p}.",
            p=equals_p(found.design_effect_p),
        ),
        _coefficients(found),
        _privacy(found),
        "\n".join(note_lines(found.remarks, shown)),
    ]
    return "\n\n".join(text for text in told if text)


def _counts(found: ListResult) -> str:
    size = found.question.size
    heads = ["people", *map(str, range(size + 2))]
    rows = [
        [name, f"{n:,}", *(f"{count:,.0f}" for count in counts), *[""] * (size + 2 - len(counts))]
        for name, n, counts in (
            ("short list", found.people[0], found.counts.short),
            ("long list", found.people[1], found.counts.long),
        )
    ]
    return aligned(["said", *heads], rows, right=heads)


def _listed(found: ListResult) -> list[tuple[str, Estimate]]:
    """All estimates with what they are of."""
    rows: list[tuple[str, Estimate]] = [("difference in means", found.difference)]
    model = found.model
    if model is not None:
        name = "least squares" if model.log_likelihood is None else "likelihood"
        rows.append((name, model.share))
        rows += [(f"leave it out, {end}", one) for end, one in model.leaving_out.items()]
    if found.direct is not None:
        rows.append(("with the direct question", found.direct))
    if found.double is not None:
        rows.append(("both lists", found.double.share))
    return rows


def _estimates(found: ListResult) -> str:
    heads = ["estimate", "low", "high", "standard error"]
    cells = [
        [name, *map(_number, (one.estimate, one.low, one.high, one.standard_error))]
        for name, one in _listed(found)
    ]
    table = aligned(["share", *heads], cells, right=heads)
    if found.double is None:
        return table
    return "\n\n".join(
        [
            table,
            Message(
                "Alone the lists give {first} and {second}; test that they agree: p {p}.",
                first=short_number(found.double.first),
                second=short_number(found.double.second),
                p=equals_p(found.double.p),
            ),
        ]
    )


def _number(value: float) -> str:
    return short_number(value) if math.isfinite(value) else "-"


def _types(found: ListResult) -> str:
    size = found.question.size
    heads = ["with it", "±", "p", "without it", "± ", "p "]
    rows = []
    for count in range(size + 1):
        cells = [str(count)]
        for one in (found.types[count], found.types[size + 1 + count]):
            cells += [short_number(one.share), short_number(one.standard_error), short_p(one.p)]
        rows.append(cells)
    return aligned(["harmless items", *heads], rows, right=heads)


def _coefficients(found: ListResult) -> str:
    if found.model is None or not found.inquiry.predictors:
        return ""
    heads = ["estimate", "standard error"]
    rows = [
        [one.part, harmless(one.term), _number(one.estimate), _number(one.standard_error)]
        for one in found.model.coefficients
    ]
    return aligned(["item", "term", *heads], rows, right=heads)


def _privacy(found: ListResult) -> str:
    heads = [str(count) for count in range(len(found.belief))]
    rows = [["belief", *(f"{100 * one:.1f} %" for one in found.belief)]]
    words = Message(
        "Epsilon is ∞: 0 says no for sure, {most} says yes for sure. About {no:.1f} % of the "
        "people with the long list show that they lack the item, {yes:.1f} % that they have it.",
        most=len(found.belief) - 1,
        no=100 * found.exposed[0],
        yes=100 * found.exposed[1],
    )
    return "\n\n".join([aligned(["after the number", *heads], rows, right=heads), words])
