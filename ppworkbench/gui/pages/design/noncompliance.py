"""Non-compliance on the Design page: the line that sets it, and the mark of what includes it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute, Kind
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.privacy.utility.noncompliance import (
    NOT_OF_SETS,
    NonCompliance,
    is_answer,
    usual_safe,
)
from ppworkbench.gui.language import own_words, tr, translate
from ppworkbench.gui.numbers import in_unit, number, percent, significant
from ppworkbench.gui.pages.design.view import DesignView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button, ChoiceBox, IconButton, IconLabel, Switch
from ppworkbench.gui.widgets.labels import LiveLabel
from ppworkbench.gui.widgets.layout import WrappingRow, named, reserve_width, row, text
from ppworkbench.gui.widgets.number_fields import SliderRow, number_box

_MOST = 50
"""Percent of respondents that the window offers; a study may hold more."""
_SAME = 1e-9
_SHOWN = 0.05
"""Points of bias that are told."""


def behaviour_words(behaviour: str) -> str:
    return {
        "truth": tr("answer truthfully"),
        "safe": tr("give the safe answer"),
        "random": tr("answer at random"),
    }[behaviour]


def mark_words(ignoring: NonCompliance | None) -> str:
    """What the mark of a card tells; empty where everybody follows the instructions."""
    if ignoring is None:
        return ""
    words = tr("Includes non-compliance: %s %s; estimates are not corrected for it.")
    if ignoring.corrected:
        words = tr("Includes non-compliance: %s %s; estimates are corrected for it.")
    return words % (percent(ignoring.share), behaviour_words(ignoring.behaviour))


class NonComplianceMark(Button):
    """Tells that numbers beside it include non-compliance; a click sets the share to 0.

    ``is_bare`` leaves the share to the tooltip, where there is room for the icon only.
    """

    def __init__(self, themes: ThemeManager, name: str, *, is_bare: bool = False) -> None:
        super().__init__(themes, "", "people", look="link")
        self.setObjectName(name)
        self._is_bare = is_bare
        self.hide()

    def show_noncompliance(self, ignoring: NonCompliance | None) -> None:
        """Show the share, or nothing where everybody follows the instructions."""
        self.setVisible(ignoring is not None)
        if ignoring is None:
            return
        words = f"{mark_words(ignoring)} {tr('Click to set it to 0.')}"
        self.setText("" if self._is_bare else percent(ignoring.share))
        self.setToolTip(words)
        self.setAccessibleName(words)


class NonComplianceLine(Card):
    """Share, behaviour, safe answer and correction in one line, and the bias they cause."""

    share_chosen = Signal(float, str)
    """The share of respondents, and the gesture that it is a part of."""
    safe_chosen = Signal(object)
    """The safe answer of the current attribute; None for the usual one."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=6)
        self._attribute: Attribute | None = None
        words = self.tr("Share not following the instructions")
        self.share = SliderRow(words, 0, _MOST, decimals=0, suffix=" %", is_bare=True)
        self.share.set_names("noncompliance")
        reserve_width(self.share.slider, themes, 72)
        for part in (self.share.slider, self.share.box):
            part.setToolTip(words)
        self.share.moved.connect(
            lambda value, gesture: self.share_chosen.emit(round(value) / 100, gesture)
        )
        manners = [(one, behaviour_words(one)) for one in ("truth", "safe", "random")]
        words = self.tr("Answers of those who do not comply")
        self.manner = named(ChoiceBox(words, manners), "noncomplianceManner")
        self._make_safe(themes)
        self.corrected = named(Switch(themes, self.tr("Correct estimates")), "correctedEstimates")
        self.corrected.setToolTip(
            self.tr("Estimate with the share of non-compliance taken into account")
        )
        self.clear = IconButton(themes, "close", self.tr("Set non-compliance to 0"), 14)
        self.clear.setObjectName("clearNonCompliance")
        self.words = LiveLabel(2, "caption")
        # Controls go to a second line before the sentence has no room for its words.
        self.words.setMinimumWidth(themes.theme.px(146))
        controls = QWidget()
        title, switch = QWidget(), QWidget()
        row(
            IconLabel(themes, "people", "text2", 17),
            text(self.tr("Non-compliance"), "strong"), parent=title, spacing=8,
        )  # fmt: skip
        row(
            self.corrected, text(self.tr("corrected"), "secondary"), self.clear, parent=switch,
            spacing=6,
        )  # fmt: skip
        controls.setLayout(
            WrappingRow(
                title, self.share, self.manner, self._safe, switch, spacing=8, line_spacing=4
            )
        )
        line = row(controls, self.words, spacing=12)
        line.setStretch(1, 1)
        self.body.addLayout(line)

    def _make_safe(self, themes: ThemeManager) -> None:
        words = self.tr("Safe answer")
        self.safe = named(ChoiceBox(words, []), "safeAnswer")
        self.safe.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.safe.setMinimumContentsLength(5)
        self.safe.setToolTip(words)
        self.safe.chosen.connect(self._choose_safe)
        self.safe_number = number_box(themes, "safeNumber", words, 0, 100, width=96)
        self.safe_number.valueChanged.connect(lambda value: self._choose_safe(f"{value:.15g}"))
        self._safe = QWidget()
        row(self.safe, self.safe_number, parent=self._safe, spacing=0)

    # Showing

    def set_view(self, view: DesignView) -> None:
        settings = view.study.settings
        share = round(100 * settings.noncompliance)
        if share > self.share.box.maximum():
            self.share.set_range(0, share)
        self.share.set_value(share)
        self.manner.set_current(settings.noncompliance_manner)
        self._offer_answers(view.attribute)
        self._show_safe(view.attribute, settings.safe_answer(view.name))
        self._safe.setVisible(settings.noncompliance_manner == "safe")
        self.corrected.setChecked(settings.noncompliance_corrected)
        self.clear.setEnabled(share > 0)
        self.words.set_text(bias_sentence(view.report, share > 0))

    def _offer_answers(self, attribute: Attribute) -> None:
        if attribute == self._attribute:
            return
        self._attribute = attribute
        numeric = attribute.kind.is_numeric
        self.safe.setVisible(not numeric)
        self.safe_number.setVisible(numeric)
        if numeric:
            with QSignalBlocker(self.safe_number):
                self.safe_number.setDecimals(0 if attribute.kind is Kind.INTEGER else 2)
                self.safe_number.setRange(*(attribute.domain or (0.0, 0.0)))
            return
        self.safe.set_choices([(one, one) for one in attribute.values if one != MISSING_VALUE])

    def _show_safe(self, attribute: Attribute, chosen: str | None) -> None:
        fits = chosen is not None and is_answer(attribute, chosen)
        answer = chosen if fits and chosen is not None else usual_safe(attribute)
        if attribute.kind.is_numeric:
            self.safe_number.show_value(float(answer))
        else:
            self.safe.set_current(answer)

    # Choosing

    def _choose_safe(self, answer: str) -> None:
        attribute = self._attribute
        if attribute is not None:
            # The usual answer goes along when other answers are marked as sensitive.
            self.safe_chosen.emit(None if answer == usual_safe(attribute) else answer)


def bias_sentence(report: AttributeReport, is_any: bool) -> str:
    """What non-compliance does to the estimates of a question, and where it is not included."""
    ignoring, utility = report.noncompliance, report.utility
    if is_any and report.perturbation.reports_sets:
        return translate(NOT_OF_SETS)
    if ignoring is None:
        return tr("All respondents follow the instructions.")
    if not np.isfinite(utility.half_width).all():
        return tr("The matrix is singular; nothing can be estimated.")
    # Of two answers the biases are equal but for rounding, which must not choose what is said.
    sizes = np.abs(utility.bias)
    is_worst = sizes > sizes.max() - _SAME
    worst = int(np.argmax(np.where(is_worst, utility.bias, -np.inf)))
    points = 100 * float(utility.bias[worst])
    label = utility.labels[worst].replace("<", "&lt;")
    if ignoring.corrected:
        said = tr("Corrected estimates are unbiased if the share is right.")
    elif abs(points) < _SHOWN:
        said = tr("No share is biased by more than 0.1 points.")
    elif points > 0:
        said = tr("“%s” is overestimated by <b>%s points</b>.") % (label, number(points, 1))
    else:
        said = tr("“%s” is underestimated by <b>%s points</b>.") % (label, number(-points, 1))
    if report.attribute.kind.is_numeric:
        return f"{said} {tr('Epsilon and range privacy do not include it.')}"
    return said


def mean_bias_words(report: AttributeReport) -> str:
    """How far the mean of a number is off on average, with its unit."""
    off = report.utility.mean_bias
    sign = "−" if off < 0 else "+"
    return in_unit(f"{sign}{significant(abs(off))}", own_words(report.attribute.unit))
