"""Privacy and accuracy as cards, with the change since a pinned design."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QLineEdit,
    QListWidget,
    QTextBrowser,
    QWidget,
)

from ppworkbench.analyses.designs.design import (
    MORE_IS_BETTER,
    Z95,
    belief_of,
    direct_half_width,
    direct_loss,
    direct_respondents,
    measure_keys,
    measures_of,
)
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.privacy.belief import SensitiveBelief
from ppworkbench.core.privacy.reading import Reading
from ppworkbench.core.privacy.report import AttributeReport, QuestionnaireReport
from ppworkbench.core.privacy.utility.goal_seek import aimed_at, measured
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.dialogs import close_buttons, resize_dialog
from ppworkbench.gui.language import own_words, told_error, tr, translate
from ppworkbench.gui.numbers import (
    in_unit,
    number,
    percent,
    probability,
    read_number,
    read_share,
    signed,
    significant,
    trimmed,
)
from ppworkbench.gui.pages.design.noncompliance import (
    mark_words,
    mean_bias_words,
)
from ppworkbench.gui.pages.design.pins import PinBar
from ppworkbench.gui.pages.design.texts import belief_label, change_words, safe
from ppworkbench.gui.pages.design.view import DesignView
from ppworkbench.gui.theme import Theme, ThemeManager, set_rules
from ppworkbench.gui.widgets.card import Card, ReadoutCard, share_lines
from ppworkbench.gui.widgets.controls import ChoiceBox, IconLabel
from ppworkbench.gui.widgets.layout import column, named, reserve_width, row, text
from ppworkbench.study.study import Study


class Readouts(QWidget):
    """Three cards of privacy over three of accuracy, equal in size."""

    help_requested = Signal(str)
    noncompliance_cleared = Signal()
    """Everybody shall follow the instructions again."""

    def __init__(self, themes: ThemeManager, pin_bar: PinBar) -> None:
        super().__init__()
        self._name = ""
        topics = ("attack-success", "belief-in-the-sensitive-answer", "epsilon",
                  "information-loss", "standard-error", "needed-respondents")  # fmt: skip
        self.cards = [ReadoutCard(themes, topic) for topic in topics]
        for card in self.cards:
            card.setObjectName(f"card-{card.topic}")
            card.help_requested.connect(self.help_requested)
            card.mark_taken.connect(self.noncompliance_cleared)
        privacy, accuracy = QGridLayout(), QGridLayout()
        for grid, cards in ((privacy, self.cards[:3]), (accuracy, self.cards[3:])):
            grid.setSpacing(10)
            for place, card in enumerate(cards):
                grid.addWidget(card, 0, place)
                grid.setColumnStretch(place, 1)
        privacy_head = row(
            IconLabel(themes, "shield", "text2", 15), text(self.tr("Privacy"), "strong"),
            pin_bar,
        )  # fmt: skip
        privacy_head.setStretch(2, 1)
        accuracy_head = row(
            IconLabel(themes, "target", "text2", 15), text(self.tr("Accuracy"), "strong"), None
        )
        column(privacy_head, privacy, accuracy_head, accuracy, parent=self, spacing=5)

    def set_view(self, view: DesignView) -> None:
        values = measures_of(view.report, view.target)
        self._show_privacy(view.report)
        self._show_loss(view)
        self._show_interval(view.report)
        self._show_needed(view, values["needed"])
        self._show_marks(view.report)
        self._show_changes(values, view.pin_values)
        self._fit_cards(afresh=view.name != self._name)
        self._name = view.name

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit_cards(afresh=event.size().width() != event.oldSize().width())

    def _fit_cards(self, *, afresh: bool = False) -> None:
        for cards in (self.cards[:3], self.cards[3:]):
            share_lines(cards, afresh=afresh)

    def _show_marks(self, report: AttributeReport) -> None:
        """Mark the cards while some ignore the device, those too that cannot include it."""
        words = mark_words(report.noncompliance)
        for card in self.cards:
            is_of_noise = card.topic in _OF_NOISE and report.attribute.kind.is_numeric
            if not words:
                card.set_mark("", "")
            elif is_of_noise:
                card.set_mark("info", self.tr("Non-compliance is not included: a measure of the "
                                              "noise alone."))  # fmt: skip
            else:
                card.set_mark("people", words)

    # Privacy

    def _show_privacy(self, report: AttributeReport) -> None:
        guess, second, epsilon = self.cards[:3]
        privacy = report.privacy
        success = privacy["attack_success"].value
        blind = privacy["prior_guess"].value
        reading = self.tr("correct %s times in 100; %s without the report")
        guess.say(
            self.tr("Attack success", "short"), percent(success),
            reading % (number(100 * success), number(100 * blind)),
        )  # fmt: skip
        belief = belief_of(report)
        if belief is not None:
            second.topic = "belief-in-the-sensitive-answer"
            second.say(belief_label(belief), probability(belief.after), self._belief(belief))
        else:
            self._show_range(second, report)
        self._show_epsilon(epsilon, report)

    def _belief(self, belief: SensitiveBelief) -> str:
        """The belief before any report, and after which one it is highest."""
        before = probability(belief.before)
        if not belief.marked:
            return self.tr("%s before; the rarest answer, none is marked") % before
        if belief.rise <= 1e-12:
            return self.tr("%s before; no report raises it") % before
        return self.tr("%s before; highest after “%s”") % (before, belief.reported)

    def _show_range(self, card: ReadoutCard, report: AttributeReport) -> None:
        card.topic = "range-privacy"
        if "range_percent" in report.privacy:
            level = report.privacy["range_percent"]
            flat = significant(level.value / 100 * report.attribute.width)
            words = self.tr("like uniform uncertainty over %s") % flat
            words = _of_noise(words, report)
            card.say(self.tr("Range privacy", "short"), percent(level.value / 100), words)
        else:
            card.say_not_applicable(
                self.tr("Range privacy", "short"), self.tr("for additive noise only")
            )

    def _show_epsilon(self, card: ReadoutCard, report: AttributeReport) -> None:
        label = self.tr("Epsilon (local DP)")
        if "epsilon" not in report.privacy:
            card.say_not_applicable(label, self.tr("not randomised"))
            return
        reading = report.privacy["epsilon"]
        if math.isinf(reading.value):
            numeric = report.attribute.kind.is_numeric
            words = self.tr("no bound: some answers are ruled out")
            if report.perturbation.is_identity:
                words = self.tr("no bound: not randomised")
            elif report.perturbation.numbers.exact_share is not None:
                words = self.tr("no bound without a grid; a release uses one")
            elif numeric:
                words = self.tr("no bound for this noise; Laplace noise has one")
            card.say(label, "∞", _of_noise(words, report))
            return
        times = significant(math.exp(min(reading.value, 50.0)), 2)
        words = self.tr("a report is at most %s × as likely under another true answer") % times
        card.say(label, number(reading.value, 2), _of_noise(words, report))

    # Accuracy

    def _show_loss(self, view: DesignView) -> None:
        report, card, label = view.report, self.cards[3], self.tr("Information loss")
        expected, direct = report.utility.information_loss, number(direct_loss(report), 3)
        if math.isinf(expected):
            card.say(label, "∞", self.tr("not estimable: singular matrix"))
            return
        words = self.tr("expected; %s if asked directly") % direct
        if report.noncompliance is not None:
            share = percent(report.noncompliance.share)
            words = self.tr("%s with non-compliance; %s if asked directly") % (share, direct)
            if report.noncompliance.corrected:
                words = self.tr("corrected for %s with non-compliance; %s if asked directly")
                words = words % (share, direct)
        elif view.simulated is not None:
            words = self.tr("expected; %s simulated, %s if asked directly")
            words = words % (number(view.simulated, 3), direct)
        card.say(label, number(expected, 3), words)

    def _show_interval(self, report: AttributeReport) -> None:
        interval, utility = self.cards[4], report.utility
        if math.isinf(utility.information_loss):
            interval.say(self.tr("Widest 95\u202f% interval"), "∞", self.tr("not estimable"))
            return
        if utility.mean_standard_error is not None:
            half = Z95 * utility.mean_standard_error
            mean = utility.mean
            plain = Z95 * math.sqrt(mean.direct / utility.n) if mean is not None else 0.0
            unit = own_words(report.attribute.unit)
            words = self.tr("95\u202f%% interval of the mean; ± %s if asked directly")
            words = words % in_unit(significant(plain), unit)
            if abs(utility.mean_bias) > 1e-3 * half:
                words = self.tr("bias %s; covers the truth %s times in 100") % (
                    mean_bias_words(report), number(100 * utility.mean_coverage)
                )  # fmt: skip
            interval.topic = "error-of-the-mean"
            interval.say(self.tr("Precision of the mean"), f"± {significant(half)}", words, unit)
            return
        worst = utility.worst
        half = float(utility.half_width[worst])
        plain = direct_half_width(report, worst)
        label = utility.labels[worst]
        words = self.tr("for “%s”; ± %s if asked directly") % (label, number(100 * plain, 1))
        off = 100 * float(utility.bias[worst])
        if report.noncompliance is not None and report.noncompliance.corrected:
            words = self.tr("for “%s”, corrected; ± %s if asked directly")
            words = words % (label, number(100 * plain, 1))
        if abs(off) >= 0.05:
            held = float(utility.coverage[worst])
            words = self.tr("bias %s for “%s”; covers the truth %s times in 100") % (
                signed(off, 1), label, number(100 * held)
            )  # fmt: skip
        interval.topic = "standard-error"
        interval.say(
            self.tr("Widest 95\u202f% interval"),
            f"± {number(100 * half, 1)}",
            words,
            self.tr("points"),
        )

    def _show_needed(self, view: DesignView, needed: float) -> None:
        card = self.cards[5]
        label = self.tr("Respondents for ± %s") % trimmed(100 * view.target, 1)
        direct = direct_respondents(view.report, view.target)
        bias = Z95 * float(np.abs(view.report.utility.bias).max())
        if math.isinf(needed) and bias >= view.target:
            words = self.tr("no sample size is enough: the bias alone is ± %s points")
            card.say(label, "∞", words % number(100 * bias, 1))
        elif math.isinf(needed):
            card.say(label, "∞", self.tr("no sample size is enough"))
        else:
            words = self.tr("%s if asked directly") % number(direct)
            card.say(label, number(needed), words)

    def _show_changes(self, values: dict[str, float], pin: Mapping[str, float] | None) -> None:
        numeric = "belief" not in values
        for card, key in zip(self.cards, measure_keys(numeric), strict=True):
            before = pin.get(key) if pin else None
            now = values.get(key)
            if before is None or now is None or not math.isfinite(before + now):
                card.set_change("")
                continue
            change = now - before
            if abs(change) < 5e-4 * max(abs(before), 1e-9):
                card.set_change("")
                continue
            card.set_change(change_words(key, change), (change > 0) == (key in MORE_IS_BETTER))


_OF_NOISE = ("epsilon", "range-privacy")
"""Measures of a number that depend on its noise alone."""


def _of_noise(words: str, report: AttributeReport) -> str:
    """What a card says of the noise of a number, which people may or may not add."""
    if report.noncompliance is None or report.attribute.kind.is_categorical:
        return words
    return tr("%s; non-compliance not included") % words


class MeasuresDialog(QDialog):
    """Begins with the whole questionnaire; the attributes follow, and a list goes to each."""

    def __init__(
        self, theme: Theme, study: Study, report: QuestionnaireReport, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("All measures"))
        names = [study.shown(one.name) if one.name in study.design else one.name
                 for one in report.attributes]  # fmt: skip
        self.list = named(QListWidget(), "measuresOf", self.tr("Attributes"))
        self.list.addItems([self.tr("Whole questionnaire"), *names])
        self.list.setCurrentRow(0)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for place in range(self.list.count()):
            self.list.item(place).setToolTip(self.list.item(place).text())
        self.list.setFixedWidth(theme.px(206))
        chosen = f"background: {theme.hex('accentTint')}; color: {theme.hex('accentInk')};"
        set_rules(
            self.list,
            "QListWidget::item { padding: 4px 8px; border-radius: 6px; }"
            f"QListWidget::item:selected {{ {chosen} }}",
        )
        self.text = named(QTextBrowser(), "allMeasuresText", self.tr("All measures"))
        self.text.document().setDocumentMargin(10)
        self.text.setHtml(self._html(theme, study, report, names))
        self.list.currentRowChanged.connect(lambda place: self.text.scrollToAnchor(f"of-{place}"))
        card = Card(padding=4)
        card.add(self.text, 1)
        body = row(self.list, card, spacing=10)
        body.setStretch(1, 1)
        column(body, close_buttons(self), parent=self, margin=14, spacing=10).setStretch(0, 1)
        resize_dialog(self, 1000, 620)

    def _html(
        self, theme: Theme, study: Study, report: QuestionnaireReport, names: list[str]
    ) -> str:
        def said(warnings: Iterable[str]) -> list[str]:
            return [translate(study.titled(warning)) for warning in warnings]

        whole = self.tr("Whole questionnaire")
        included = [mark_words(report.noncompliance)] if report.noncompliance else []
        sections = [
            _section(
                theme,
                "of-0",
                whole,
                "",
                report.shown_readings,
                [*included, *said(report.warnings)],
            )
        ]
        for place, (one, shown) in enumerate(zip(report.attributes, names, strict=True), 1):
            column_name = "" if shown.casefold() == one.name.casefold() else one.name
            readings = (*one.privacy, *one.utility.readings)
            sections.append(
                _section(theme, f"of-{place}", shown, column_name, readings, said(one.warnings))
            )
        return "".join(sections)


def _section(
    theme: Theme,
    anchor: str,
    title: str,
    column_name: str,
    readings: Iterable[Reading],
    warnings: Iterable[str],
) -> str:
    """A heading and a table whose columns are as wide in every section."""
    quiet, line = theme.hex("text2"), theme.hex("border")
    rows = "".join(
        f"<tr><td width='27%' style='border-bottom: 1px solid {line}'>"
        f"{safe(tr(reading.label, 'measure'))}</td>"
        f"<td width='15%' align='right' style='border-bottom: 1px solid {line}'>"
        f"<b>{safe(translate(reading.text))}</b></td>"
        f"<td width='58%' style='border-bottom: 1px solid {line}; color: {quiet};"
        f" padding-left: 14px'>{safe(translate(reading.sentence))}</td></tr>"
        for reading in readings
    )
    caption = f" <span style='color:{quiet}; font-weight:400'>{safe(column_name)}</span>"
    ink = theme.hex("warningText")
    said = "".join(
        f"<p style='color:{ink}; margin: 6px 4px'>⚠ {safe(warning)}</p>" for warning in warnings
    )
    return (
        f"<h3 style='margin: 14px 4px 4px 4px'><a name='{anchor}'>{safe(title)}</a>"
        f"{caption if column_name else ''}</h3>"
        f"<table width='100%' cellpadding='5' cellspacing='0'>{rows}</table>{said}"
    )


class TargetRow(QWidget):
    """A measure and a value to aim for: Enter solves; an unreachable one says what is."""

    solved = Signal(object)
    """The design with the value that was typed."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._view: DesignView | None = None
        measures = [(name, translate(measure.title)) for name, measure in aimed_at()]
        self.measure = named(ChoiceBox(self.tr("Target measure"), measures), "aimMeasure")
        # The list changes with the kind of attribute, its width does not.
        self.measure.setMinimumContentsLength(
            max(len(translate(measure.title)) for _, measure in aimed_at())
        )
        self.measure.activated.connect(self._on_measure)
        self.value = named(QLineEdit(), "aimValue", self.tr("Target value"))
        reserve_width(self.value, themes, 76)
        self._shown = ""
        """The value of now as it stands in the field until somebody types another."""
        self.value.returnPressed.connect(self._on_entered)
        self.warning_icon = IconLabel(themes, "warning", "warningText", 15)
        self.warning = text("", "warning", wrap=True)
        self._warning_row = QWidget()
        line = row(self.warning_icon, self.warning, parent=self._warning_row, spacing=6)
        line.setStretch(1, 1)
        self._warning_row.hide()
        self._soon = single_shot(self, self._show_value, 60)
        column(
            row(text(self.tr("Target"), "label"), self.measure, self.value, None),
            self._warning_row, parent=self, spacing=4,
        )  # fmt: skip

    def set_view(self, view: DesignView) -> None:
        """Show the value of now and offer only measures that apply."""
        self._view = view
        self._warning_row.hide()
        free = bool(view.perturbation.free_parameters(view.attribute))
        is_set = view.perturbation.reports_sets
        self.setEnabled(free and not is_set)
        why = "" if free else self.tr("This mechanism has no free parameter.")
        self.setToolTip(self.tr("Reports are sets: set epsilon itself.") if is_set else why)
        asked = view.attribute, view.perturbation
        self.measure.set_choices(
            [(name, translate(one.title)) for name, one in aimed_at() if one.applies_to(*asked)]
        )
        if not self._soon.isActive():
            self._soon.start()

    def _on_measure(self) -> None:
        self._warning_row.hide()
        self._soon.start()

    def _show_value(self) -> None:
        """Work the value of now out; a few times a second are enough while a slider moves."""
        view = self._view
        is_typing = self.value.hasFocus() and self.value.text() != self._shown
        if view is None or is_typing:
            return
        if view.perturbation.reports_sets:
            self._shown = "–"
            self.value.setText(self._shown)
            return
        try:
            now = measured(self.measure.current, view.question, view.perturbation)
            self._shown = significant(now * self._unit)
        except WorkbenchError:
            self._shown = "–"
        if self._shown != self.value.text():
            self.value.setText(self._shown)

    def _on_entered(self) -> None:
        from ppworkbench.core.privacy.utility.goal_seek import Target, seek

        view = self._view
        if view is None:
            return
        if self.value.text() == self._shown:
            # What is shown is rounded; solving for it would change the design.
            self._warning_row.hide()
            return
        wanted = self._typed()
        if wanted is None:
            self._warn(self.tr("Type a number, such as 0.05."))
            return
        question, perturbation = view.question, view.perturbation
        parameter = perturbation.free_parameters(view.attribute)[0].name
        try:
            target = Target(self.measure.current, wanted)
            solved = seek(
                view.attribute, perturbation, parameter, target, question.prior, question.n,
                noncompliance=question.noncompliance,
            )  # fmt: skip
        except WorkbenchError as error:
            self._warn(told_error(error, view.study))
            return
        self.value.clearFocus()
        self.solved.emit(solved)

    @property
    def _unit(self) -> float:
        """What a value is multiplied by before it is shown: half-widths are told in points."""
        return 100.0 if self.measure.current == "half_width" else 1.0

    def _typed(self) -> float | None:
        content = self.value.text()
        if self.measure.current == "half_width":
            points = read_number(content.strip().lstrip("±").strip())
            return None if points is None else points / self._unit
        if self.measure.current == "range_privacy":
            return read_number(content.rstrip("% "))
        return read_share(content)

    def _warn(self, sentence: str) -> None:
        self.warning.setText(sentence)
        self._warning_row.show()
