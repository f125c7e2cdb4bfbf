"""Who followed the device of a question, and who has the sensitive item of a list."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ppworkbench.api.pictures import draw_intervals
from ppworkbench.api.survey_results import SurveyResult
from ppworkbench.core.message import Message, titled
from ppworkbench.results.text import (
    Naming,
    aligned,
    equals_p,
    harmless,
    note_lines,
    short_number,
    short_p,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from ppworkbench.core.compliance.assess_list import ListResult
    from ppworkbench.core.compliance.classes import Estimate
    from ppworkbench.core.compliance.result import Compliance


class ComplianceResult(SurveyResult):
    """How many people followed the device, and what that does to the estimate."""

    found: Compliance

    def summary(self) -> str:
        """The result for people, as the command line prints it."""
        return _text(self.found, self._shown)

    def to_frame(self) -> pd.DataFrame:
        """One row per estimate: if all followed, classes of people, readings and parameters."""
        import pandas as pd

        rows = [_row(name, one) for name, one in _listed(self.found)]
        return pd.DataFrame(rows)

    def _draw(self, axes: Axes) -> None:
        _draw_estimates(axes, _listed(self.found))


def _draw_estimates(axes: Axes, listed: Sequence[tuple[str, Estimate]]) -> None:
    draw_intervals(axes, [str(name) for name, _ in listed], [one for _, one in listed])
    axes.set_xlabel("share")


def _row(name: str, one: Estimate) -> dict[str, Any]:
    return {
        "estimated": name, "estimate": one.estimate, "low": one.low, "high": one.high,
        "standard_error": one.standard_error,
    }  # fmt: skip


def _listed(found: Compliance) -> list[tuple[str, Estimate]]:
    """All estimates with what they are of."""
    rows: list[tuple[str, Estimate]] = [("if all followed", found.uncorrected)]
    classes = found.classes
    if classes is not None:
        rows += zip(map(str, classes.names), classes.estimates, strict=True)
        rows += [(f"share, {name}", one) for name, one in classes.readings.items()]
    return rows + [(name, one) for name, one in found.parameters.items() if name != "uncorrected"]


def _text(found: Compliance, shown: Naming) -> str:
    told = [harmless(titled(found.sentence, shown)), _arms(found)]
    classes = found.classes
    told.append(_estimates(_listed(found)))
    if classes is not None and found.honesty is not None:
        told.append(
            Message(
                "Test that everybody follows: {name} = {lr}, p {p}; 5 % who do not would have been "
                "noticed with probability {power:.2f}.",
                name="LR" if found.sampling is None else "Wald",
                lr=short_number(found.honesty.statistic),
                p=equals_p(found.honesty.p),
                power=classes.power,
            )
        )
    if found.fit is not None and not math.isfinite(found.fit.p):
        told.append(
            Message(
                "Fit of the model, on the boundary: G² = {g2}.",
                g2=short_number(found.fit.statistic),
            )
        )
    elif found.fit is not None:
        told.append(
            Message(
                "Fit of the model: {name} = {g2} on {df}, p {p}.",
                name="G²" if found.sampling is None else "Wald",
                g2=short_number(found.fit.statistic),
                df=found.fit.df,
                p=equals_p(found.fit.p),
            )
        )
    told += [_direct(found), _band_table(found), found.contents.sentence]
    told += ["\n".join(note_lines(found.remarks, shown))]
    return "\n\n".join(text for text in told if text)


def _arms(found: Compliance) -> str:
    heads = ["answers", *found.attribute.values]
    rows = [
        [
            arm.name,
            f"{found.rows.get(arm.name, arm.n):,.0f}",
            *(f"{count:,.0f}" for count in arm.counts),
        ]
        for arm in found.arms
    ]
    return aligned(["arm", *heads], rows, right=heads)


def _estimates(rows: Sequence[tuple[str, Estimate]]) -> str:
    heads = ["estimate", "low", "high", "standard error"]
    cells = [
        [name, *map(short_number, (one.estimate, one.low, one.high, one.standard_error))]
        for name, one in rows
    ]
    return aligned(["", *heads], cells, right=heads)


def _direct(found: Compliance) -> str:
    if found.direct is None:
        return ""
    rows, lines = [("asked directly", found.direct.share)], []
    ways = (("", found.direct), (", if all followed", found.direct_if_all_followed))
    for suffix, direct in ways:
        if direct is None:
            continue
        rows += [(f"difference{suffix}", direct.difference),
                 (f"deny when asked{suffix}", direct.denying)]  # fmt: skip
        about = "Test of one share for both" + suffix
        lines.append(
            Message(
                "{about}: {name} = {lr} on {df}, p {p}.",
                about=about,
                name="LR" if found.sampling is None else "Wald",
                lr=short_number(direct.equality.statistic),
                df=direct.equality.df,
                p=equals_p(direct.equality.p),
            )
        )
        if direct.random is not None and 0 < direct.random < 1:
            lines.append(
                Message(
                    "{share:.1f} % of answers at random would explain the whole difference.",
                    share=100 * direct.random,
                )
            )
    return "\n\n".join([_estimates(rows), *lines])


def _band_table(found: Compliance) -> str:
    if not found.points:
        return ""
    heads = ["estimate", "low", "high"]
    shares = list(dict.fromkeys(one.share for one in found.points))[::4]
    shown = [one for one in found.points if one.share in shares]
    rows = [
        [
            f"{100 * one.share:.0f} %, {_behaviour(found, one.behaviour)}",
            *map(short_number, (one.estimate, one.low, one.high)),
        ]
        for one in shown
    ]
    lines = [aligned(["if so many do not follow", *heads], rows, right=heads)]
    possible = [
        [
            _behaviour(found, name),
            *map(short_number, span or (None, None)),
            short_number(found.reach.get(name)),
        ]
        for name, span in found.possible.items()
    ]
    heads = ["smallest possible share", "largest possible share", "tipping point"]
    lines.append(aligned(["behaviour", *heads], possible, right=heads))
    return "\n\n".join(lines)


def _behaviour(found: Compliance, name: str) -> str:
    from ppworkbench.core.compliance.band import OTHER

    return f"always {found.always_value(name)}" if name == OTHER else name


class ListItemResult(SurveyResult):
    """How many people have the sensitive item of a list."""

    found: ListResult

    def summary(self) -> str:
        """The result for people, as the command line prints it."""
        return _list_text(self.found, self._shown)

    def to_frame(self) -> pd.DataFrame:
        """One row per estimate of the share, and of those who leave the item out."""
        import pandas as pd

        return pd.DataFrame([_row(name, one) for name, one in _list_estimates(self.found)])

    def _draw(self, axes: Axes) -> None:
        _draw_estimates(axes, _list_estimates(self.found))


def _list_text(found: ListResult, shown: Naming) -> str:
    told = [
        harmless(titled(found.sentence, shown)),
        _counts(found),
        _estimate_table(found),
        _types(found),
        Message(
            "Test that no share is negative, as it must be if the sensitive item does not change "
            "the answers to the others: p {p}.",
            p=equals_p(found.design_effect_p),
        ),
        _assumption(found),
        _coefficients(found),
        _privacy(found),
        found.contents.sentence,
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


def _list_estimates(found: ListResult) -> list[tuple[str, Estimate]]:
    """All estimates with what they are of."""
    from ppworkbench.core.compliance.assess_list import MODELS

    rows: list[tuple[str, Estimate]] = [("difference in means", found.difference)]
    model = found.model
    if model is not None:
        rows.append((MODELS[found.inquiry.method], model.share))
        rows += [(f"leave it out, {end}", one) for end, one in model.leaving_out.items()]
    if found.direct is not None:
        rows.append(("with the direct question", found.direct))
    if found.double is not None:
        rows.append(("both lists", found.double.share))
    return rows


def _estimate_table(found: ListResult) -> str:
    heads = ["estimate", "low", "high", "standard error"]
    cells = [
        [name, *map(_number, (one.estimate, one.low, one.high, one.standard_error))]
        for name, one in _list_estimates(found)
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


def _assumption(found: ListResult) -> str:
    if found.model is None or not math.isfinite(found.model.assumption_p):
        return ""
    return Message(
        "Test that people with the sensitive item have as many harmless ones as others, as the "
        "likelihood assumes: p {p}.",
        p=equals_p(found.model.assumption_p),
    )


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
