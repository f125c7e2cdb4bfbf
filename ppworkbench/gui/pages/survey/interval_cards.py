"""Groups that are compared, and quantiles: intervals at the left, numbers at the right."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ppworkbench.analyses.regression.tables import p_value
from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.core.survey.group_differences import Difference, GroupDifferences
from ppworkbench.core.survey.quantiles import QuantileAt, Quantiles
from ppworkbench.gui.charts.intervals import IntervalPlot, IntervalRow, Mark
from ppworkbench.gui.charts.legend import PictureLegend
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import MINUS, number, percent
from ppworkbench.gui.pages.survey.result_cards import (
    SHARES,
    PictureAndNumbers,
    confidence_words,
    interval_marks,
)
from ppworkbench.gui.pages.survey.texts import (
    EstimateFormat,
    below_word,
    compared_words,
    condition_words,
    label_words,
)
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.layout import named, row, scroll_area
from ppworkbench.gui.widgets.provenance import marked_invented

Table = tuple[Sequence[str], Sequence[Sequence[str]]]


class IntervalsCard(PictureAndNumbers):
    """Rows of intervals beside a table; what stands in them, the two kinds below say."""

    def __init__(self, themes: ThemeManager, name: str, plot: str, table: str) -> None:
        super().__init__(themes, name, table, 560)
        self.legend = PictureLegend(themes)
        self.plot = named(IntervalPlot(themes, plot), f"{name}Plot")
        self.lay_out(row(self.legend, None), scroll_area(self.plot))

    def show_rows(
        self, rows: tuple[IntervalRow, ...], figures: EstimateFormat, table: Table
    ) -> None:
        if figures.is_share:
            self.plot.show_rows(rows, figures.text, is_share=True, from_zero=True, limits=SHARES)
        else:
            self.plot.show_rows(rows, figures.text, from_zero=False)
        # Rows that are far apart are hard to compare.
        self.plot.setMaximumHeight(self._themes.theme.px(34 + 52 * len(rows)))
        entries = [("reconstructed", tr("estimate ± 95\u202f%"))]
        looks = {mark.look for one in rows for mark in one.marks}
        if "distorted" in looks:
            entries.append(("distorted", tr("uncorrected")))
        if "original" in looks:
            entries.append(("original", marked_invented(tr("true"))))
        self.legend.show_entries(tuple(entries))
        self.show_table(*table)

    def set_stale(self, words: str) -> None:
        """Mark the answer as one to another question or design."""
        super().set_stale(words)
        self.plot.set_stale(bool(words))


class CompareCard(IntervalsCard):
    """The groups with their intervals, and all differences with their p values."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes, "compare", tr("Estimates by group"), tr("Differences"))

    def show_answer(self, answer: SurveyResult) -> None:
        found, asked, study = answer.result, answer.question, answer.study
        assert isinstance(found, GroupDifferences)  # noqa: S101 (other answers have other cards)
        figures = EstimateFormat.of_share()
        if not asked.value:
            figures = EstimateFormat.of_number(study.design[asked.of].attribute)
        by = study.design[asked.by].attribute
        words = dict(zip(found.labels, label_words(found.labels, by), strict=True))
        self.heading.setText(_compared(answer, words))
        rows = tuple(
            IntervalRow(words[label], (), "", tr("none"))
            if value is None
            else IntervalRow(
                words[label],
                interval_marks(value),
                tr("n = %s") % number(people),
                figures.with_reach(value),
            )
            for label, people, value in zip(found.labels, found.people, found.groups, strict=True)
        )
        self.reading.setText(_clearest(found, figures, words))
        heads = (
            self.tr("Difference"), self.tr("Estimate"), confidence_words(found.confidence),
            self.tr("p", "probability"), self.tr("p (Holm)"),
        )  # fmt: skip
        table = [
            (
                f"{words[one.a]} {MINUS} {words[one.b]}",
                _difference(one.estimate, figures), _ends(one, figures),
                p_text(one.p), p_text(one.p_holm),
            )
            for one in found.differences
        ]  # fmt: skip
        self.show_rows(rows, figures, (heads, table))
        self.remarks.say(answer.remarks)


def _compared(answer: SurveyResult, words: dict[str, str]) -> str:
    """What is compared, between which groups, with which of them and among whom."""
    asked, shown = answer.question, answer.study.shown
    told = tr("%s by %s") % (compared_words(asked, shown), shown(asked.by))
    if asked.reference:
        told = tr("%s, each against %s") % (told, words.get(asked.reference, asked.reference))
    if asked.condition.tests:
        told = tr("%s, where %s") % (told, condition_words(asked.condition, shown))
    return told


def _clearest(found: GroupDifferences, figures: EstimateFormat, words: dict[str, str]) -> str:
    """The difference that is farthest from chance, as a sentence."""
    known = [one for one in found.differences if math.isfinite(one.estimate)]
    if not known:
        return tr("There is no difference to estimate.")
    # Groups that are too small for a test have a difference all the same.
    one = min(known, key=lambda one: one.p if math.isfinite(one.p) else math.inf)
    told = (
        words[one.a], words[one.b], _difference(one.estimate, figures), percent(found.confidence),
        _ends(one, figures),
    )  # fmt: skip
    if not math.isfinite(one.p):
        if figures.is_share:
            return tr("%s minus %s: difference %s points, %s interval %s; not tested.") % told
        return tr("%s minus %s: difference %s, %s interval %s; not tested.") % told
    if figures.is_share:
        said = tr("%s minus %s: difference %s points, %s interval %s; p = %s, %s after Holm.")
    else:
        said = tr("%s minus %s: difference %s, %s interval %s; p = %s, %s after Holm.")
    return said % (*told, p_text(one.p), p_text(one.p_holm))


def _difference(value: float, figures: EstimateFormat) -> str:
    """A difference; of shares in points, without a unit."""
    return figures.bare(value) if math.isfinite(value) else "–"


def _ends(one: Difference, figures: EstimateFormat) -> str:
    if not (math.isfinite(one.low) and math.isfinite(one.high)):
        return "–"
    return tr("%s to %s") % (figures.bare(one.low), figures.bare(one.high))


def p_text(p: float) -> str:
    """A p value as publications write it."""
    return translate(p_value(p))


class QuantileCard(IntervalsCard):
    """The quantiles of a number with their intervals."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes, "quantile", tr("Quantiles"), tr("Quantiles in numbers"))
        self.columns.setSizes([10_000, themes.theme.px(500)])

    def show_answer(self, answer: SurveyResult) -> None:
        found, study = answer.result, answer.study
        assert isinstance(found, Quantiles)  # noqa: S101 (other answers have other cards)
        of = study.shown(found.of)
        if found.condition.tests:
            whom = condition_words(found.condition, study.shown)
            self.heading.setText(self.tr("Quantiles of %s, where %s") % (of, whom))
        else:
            self.heading.setText(self.tr("Quantiles of %s") % of)
        figures = EstimateFormat.of_number(study.design[found.of].attribute)
        rows = tuple(
            IntervalRow(_name(one), _quantile_marks(one), "", figures.text(_known(one)))
            for one in found.quantiles
        )
        # The numbers stand in the table; the sentence says whom they are about.
        whom = found.sample.sentence if found.sample is not None else found.sentence
        self.reading.setText(translate(whom))
        is_known = any(one.true is not None for one in found.quantiles)
        heads = [
            self.tr("Below it"), self.tr("Estimate"), confidence_words(found.confidence),
            self.tr("Uncorrected"), *([self.tr("True")] if is_known else []),
        ]  # fmt: skip
        write = figures.text
        table = [
            [
                below_word(one.at), write(_known(one)),
                tr("%s to %s") % (write(one.low), write(one.high)), write(one.naive),
                *([write(one.true)] if is_known else []),
            ]
            for one in found.quantiles
        ]  # fmt: skip
        self.show_rows(rows, figures, (heads, table))
        self.remarks.say(answer.remarks)


def _name(one: QuantileAt) -> str:
    share = below_word(one.at)
    return tr("%s (median)") % share if one.at == 0.5 else share


def _known(one: QuantileAt) -> float | None:
    """The quantile; None where nearly everything fits the answers."""
    return None if one.limits is not None and one.limits.says_nothing else one.estimate


def _quantile_marks(one: QuantileAt) -> tuple[Mark, ...]:
    marks = []
    if _known(one) is not None:
        marks.append(Mark("reconstructed", tr("estimate"), one.estimate, one.low, one.high))
    if one.naive is not None:
        marks.insert(0, Mark("distorted", tr("uncorrected"), one.naive))
    if one.true is not None:
        marks.append(Mark("original", marked_invented(tr("true")), one.true))
    return tuple(marks)
