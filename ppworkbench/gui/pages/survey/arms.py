"""Arms of a questionnaire: which of them count, and each by itself beside the estimate."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QWidget

from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.analyses.survey.questions import Question, pools_arms
from ppworkbench.analyses.survey.statistic import LabelledEstimates
from ppworkbench.core.reconstruct.agreement import LIKELIHOOD, MEAN
from ppworkbench.core.survey.estimates import Estimate
from ppworkbench.gui.charts.intervals import IntervalPlot, IntervalRow
from ppworkbench.gui.charts.legend import PictureLegend
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.survey.result_cards import SHARES, interval_marks
from ppworkbench.gui.pages.survey.texts import EstimateFormat, label_words
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Switch
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import WrappingRow, named, row, scroll_area, text
from ppworkbench.gui.widgets.provenance import marked_invented
from ppworkbench.study.study import Study


class ArmBar(QWidget):
    """A tick for every arm, and switches that tell each of them by itself, or take their mean."""

    changed = Signal(dict)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._ticks: list[QCheckBox] = []
        self.label = text(self.tr("Arms"), "label")
        self.chosen = named(QWidget(), "arms", self.tr("Arms"))
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.chosen.setSizePolicy(policy)
        self._row = WrappingRow(spacing=10, line_spacing=4)
        self.chosen.setLayout(self._row)
        self.switch = named(Switch(themes, self.tr("By arm")), "byArm")
        self.switch.clicked.connect(lambda on: self.changed.emit({"by_arm": on}))
        self.switch_label = text(self.tr("By arm"), "label")
        self.mean = named(Switch(themes, self.tr("Mean of arms")), "meanOfArms")
        self.mean.setToolTip(
            self.tr("The mean of the arms' own estimates in place of one share for all of them")
        )
        self.mean.clicked.connect(
            lambda on: self.changed.emit({"pooling": MEAN if on else LIKELIHOOD})
        )
        self.mean_label = text(self.tr("Mean of arms"), "label")
        layout = row(
            self.label, self.chosen, self.mean_label, self.mean, self.switch_label, self.switch,
            parent=self,
        )  # fmt: skip
        layout.setStretch(1, 1)
        self.hide()

    def show_question(self, asked: Question, study: Study) -> None:
        """Show which arms count; nothing where the design has none."""
        names = study.design.versions.choices
        self.setVisible(bool(names))
        if not names:
            return
        if [tick.text() for tick in self._ticks] != [_literal(name) for name in names]:
            self._offer(names)
        chosen = asked.arms or names
        for tick, name in zip(self._ticks, names, strict=True):
            with QSignalBlocker(tick):
                tick.setChecked(name in chosen)
            is_last = tuple(chosen) == (name,)
            tick.setEnabled(not is_last)
            tick.setToolTip(self.tr("At least one arm must count.") if is_last else "")
        why = ""
        if "by_arm" not in asked.kind.takes:
            why = self.tr("This statistic is not told arm by arm; choose one arm after another.")
        elif len(chosen) < 2:
            why = self.tr("One arm cannot be compared; choose another one as well.")
        with QSignalBlocker(self.switch):
            self.switch.setChecked(asked.by_arm and not why)
        self.switch.setEnabled(not why)
        self.switch.setToolTip(why or self.tr("Each arm by itself, and whether they agree"))
        with QSignalBlocker(self.mean):
            self.mean.setChecked(asked.pooling == MEAN)
        is_pooled = len(chosen) > 1 and pools_arms(asked, study.design)
        for widget in (self.mean, self.mean_label):
            widget.setVisible(is_pooled)

    def _offer(self, names: tuple[str, ...]) -> None:
        for tick in self._ticks:
            self._row.removeWidget(tick)
            tick.hide()
            tick.deleteLater()
        self._ticks = []
        for name in names:
            tick = QCheckBox(_literal(name))
            tick.setObjectName(f"arm {name}")
            tick.setAccessibleName(self.tr("Arm %s") % name)
            tick.clicked.connect(lambda: self._on_ticked(names))
            self._row.addWidget(tick)
            self._ticks.append(tick)

    def _on_ticked(self, names: tuple[str, ...]) -> None:
        pairs = zip(names, self._ticks, strict=True)
        chosen = tuple(name for name, tick in pairs if tick.isChecked())
        # All arms are no choice, so that a new one counts as well.
        self.changed.emit({"arms": () if len(chosen) == len(names) else chosen})


def _literal(name: str) -> str:
    """A name whose ampersands do not stand for keys."""
    return name.replace("&", "&&")


@dataclass(frozen=True)
class ArmRows:
    """The rows of the picture and how their numbers are written."""

    rows: tuple[IntervalRow, ...]
    figures: EstimateFormat


class ArmsCard(Card):
    """Every arm as a row with its interval, and the test that all are the same in words."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._shown: SurveyResult | None = None
        self.setObjectName("surveyArms")
        self.heading = ElidedLabel("strong")
        self.body.addWidget(self.heading)
        self.legend = PictureLegend(themes)
        self.body.addLayout(row(self.legend, None))
        self.plot = named(IntervalPlot(themes, self.tr("Estimates by arm")), "armPlot")
        self.area = scroll_area(self.plot)
        self.body.addWidget(self.area, 1)
        self.sentence = named(text("", "secondary", wrap=True), "armEquality")
        self.body.addWidget(self.sentence)
        themes.theme_changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def _restyle(self) -> None:
        self.setMinimumWidth(self._themes.theme.px(300))

    def show_answer(self, answer: SurveyResult | None) -> None:
        """Show the arms of an answer; the card goes where it has none."""
        has_arms = answer is not None and answer.question.by_arm
        self.setVisible(has_arms)
        if answer is None or not has_arms or answer is self._shown:
            return
        self._shown = answer
        self.heading.setText(self.tr("By arm"))
        apart = answer.by_arm
        self.area.setVisible(apart is not None)
        self.legend.setVisible(apart is not None)
        if apart is None:
            self.sentence.setText(translate(answer.no_arms))
            return
        found = arm_rows(answer)
        is_share = found.figures.is_share
        self.plot.show_rows(
            found.rows, found.figures.text, is_share=is_share, from_zero=is_share,
            limits=SHARES if is_share else None,
        )  # fmt: skip
        # Rows that are far apart are hard to compare.
        self.plot.setMaximumHeight(self._themes.theme.px(34 + 52 * len(found.rows)))
        self.plot.setMinimumHeight(self._themes.theme.px(34 + 22 * len(found.rows)))
        entries = [("reconstructed", tr("estimate ± 95\u202f%")), ("distorted", tr("uncorrected"))]
        if any(mark.look == "original" for one in found.rows for mark in one.marks):
            entries.append(("original", marked_invented(tr("true"))))
        self.legend.show_entries(tuple(entries))
        self.sentence.setText(self._agreement(answer))

    def _agreement(self, answer: SurveyResult) -> str:
        apart = answer.by_arm
        assert apart is not None  # noqa: S101 (seen by the caller)
        if len(apart.results) == 1:
            (only,) = apart.results
            return self.tr("Only the arm %s asks for this, so there is nothing to compare.") % only
        if apart.equality is None:
            return self.tr("The errors of these estimates allow no test that all arms are equal.")
        return translate(apart.equality.sentence)

    def set_stale(self, stale: bool) -> None:
        """Dim rows that belong to another question or design."""
        self.plot.set_stale(stale)


def arm_rows(answer: SurveyResult) -> ArmRows:
    """One row for every arm, or for every value or cell in every arm, the same ones together."""
    apart, study, asked = answer.by_arm, answer.study, answer.question
    assert apart is not None  # noqa: S101 (only such answers are shown by arm)
    figures = EstimateFormat.of_share()
    if not answer.kind.is_share:
        figures = EstimateFormat.of_number(study.design[asked.of].attribute)
    told = {
        arm: _labelled(answer.kind.arm_estimates(found), study)
        for arm, found in apart.results.items()
    }
    sizes = {arm: answer.kind.respondents(found) for arm, found in apart.results.items()}
    labels = list(next(iter(told.values()), {}))
    rows = []
    for label in labels:
        for arm, estimates in told.items():
            value = estimates[label]
            name = tr("%s: %s") % (label, arm) if label else arm
            size = "" if label else tr("%s answers") % number(sizes[arm])
            rows.append(IntervalRow(name, interval_marks(value), size, figures.with_reach(value)))
    return ArmRows(tuple(rows), figures)


def _labelled(estimates: LabelledEstimates, study: Study) -> dict[str, Estimate]:
    """The numbers of one arm under the values that they belong to, bins of numbers translated."""

    def words(name: str, value: str) -> str:
        return label_words((value,), study.design[name].attribute)[0]

    return {
        ", ".join(words(name, value) for name, value in values): estimate
        for values, estimate in estimates.items()
    }
