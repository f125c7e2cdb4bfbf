"""Privacy and accuracy as cards, with the change since a pinned design."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLineEdit,
    QListWidget,
    QSlider,
    QTextBrowser,
    QWidget,
)

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.privacy.belief import SensitiveBelief
from ppworkbench.core.privacy.reading import Reading
from ppworkbench.core.privacy.report import AttributeReport, QuestionnaireReport
from ppworkbench.core.privacy.utility.goal_seek import Question, aimed_at, measured
from ppworkbench.core.privacy.utility.noncompliance import coverage
from ppworkbench.core.progress import Progress, part
from ppworkbench.gui.dialogs import resize_dialog, show_dialog
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import (
    in_unit,
    number,
    percent,
    read_number,
    read_share,
    signed,
    significant,
    trimmed,
)
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.design.goals import GoalRow
from ppworkbench.gui.pages.design.pins import PinBar
from ppworkbench.gui.pages.design.texts import belief_label, change_words
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.theme import Theme, set_rules
from ppworkbench.gui.widgets.card import Card, ReadoutCard, share_lines
from ppworkbench.gui.widgets.controls import Button, IconLabel, NumberBox, Segmented
from ppworkbench.gui.widgets.labels import LiveLabel
from ppworkbench.gui.widgets.layout import (
    column,
    line,
    reserve_width,
    row,
    text,
)
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.analyses.design import (
    MORE_IS_BETTER,
    Z95,
    assess_study,
    belief_of,
    direct_half_width,
    direct_loss,
    direct_respondents,
    measure_keys,
    measures_of,
    noncompliance_of,
)
from ppworkbench.study.analyses.trade_off import Light, light_of


class Readouts(QWidget):
    """Three cards of privacy over three of accuracy, equal in size."""

    def __init__(self, workbench: Workbench, pin_bar: PinBar, goal: GoalRow) -> None:
        super().__init__()
        self.workbench = workbench
        self.pin_bar = pin_bar
        self._goal = goal
        self.store = workbench.store
        self._pin_values: dict[str, float] | None = None
        self._values: dict[str, float] = {}
        themes = workbench.themes
        topics = ("attack-success", "belief-in-the-sensitive-answer", "epsilon",
                  "information-loss", "standard-error", "needed-respondents")  # fmt: skip
        self.cards = [ReadoutCard(themes, topic) for topic in topics]
        for card in self.cards:
            card.setObjectName(f"card-{card.topic}")
            card.help_requested.connect(workbench.help_requested)
        goal.changed.connect(self._on_goal)
        self._build(themes)

    def _build(self, themes: object) -> None:
        themes = self.workbench.themes
        privacy, accuracy = QGridLayout(), QGridLayout()
        for grid, cards in ((privacy, self.cards[:3]), (accuracy, self.cards[3:])):
            grid.setSpacing(10)
            for place, card in enumerate(cards):
                grid.addWidget(card, 0, place)
                grid.setColumnStretch(place, 1)
        privacy_head = row(
            IconLabel(themes, "shield", "text2", 15), text(self.tr("Privacy"), "strong"),
            self.pin_bar,
        )  # fmt: skip
        privacy_head.setStretch(2, 1)
        accuracy_head = row(
            IconLabel(themes, "target", "text2", 15), text(self.tr("Accuracy"), "strong"), None
        )
        column(privacy_head, privacy, accuracy_head, accuracy, parent=self, spacing=5)
        self._report: AttributeReport | None = None

    def _on_goal(self) -> None:
        if self._report is not None:
            self._values = measures_of(self._report, self._goal.target)
            self._show_needed(self._report)
            self._show_changes()
            self._fit_cards()

    def show_report(self, report: AttributeReport) -> None:
        """Show all numbers of the current attribute."""
        is_other = self._report is None or self._report.name != report.name
        self._report = report
        self._values = measures_of(report, self._goal.target)
        self._show_privacy(report)
        self._show_accuracy(report)
        self._show_needed(report)
        self._show_changes()
        self._fit_cards(afresh=is_other)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Break the lines of the cards anew."""
        super().resizeEvent(event)
        self._fit_cards(afresh=event.size().width() != event.oldSize().width())

    def _fit_cards(self, *, afresh: bool = False) -> None:
        for cards in (self.cards[:3], self.cards[3:]):
            share_lines(cards, afresh=afresh)

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
            second.say(belief_label(belief), percent(belief.after), self._belief(belief))
        else:
            self._show_range(second, report)
        self._show_epsilon(epsilon, report)

    def _belief(self, belief: SensitiveBelief) -> str:
        """The belief before any report, and after which one it is highest."""
        before = percent(belief.before)
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
            if report.perturbation.exact_share is not None:
                words = self.tr("no bound without a grid; a release uses one")
            elif numeric:
                words = self.tr("no bound for this noise; Laplace noise has one")
            card.say(label, "∞", words)
            return
        times = significant(math.exp(min(reading.value, 50.0)), 2)
        words = self.tr("a report is at most %s × as likely under another true answer")
        card.say(label, number(reading.value, 2), words % times)

    # Accuracy

    def _show_accuracy(self, report: AttributeReport) -> None:
        loss, interval, _ = self.cards[3:]
        utility = report.utility
        direct = direct_loss(report)
        if math.isinf(utility.information_loss):
            loss.say(self.tr("Information loss"), "∞", self.tr("not estimable: singular matrix"))
            interval.say(self.tr("Widest 95\u202f% interval"), "∞", self.tr("not estimable"))
            return
        words = self.tr("expected; %s if asked directly") % number(direct, 3)
        if report.noncompliance is not None:
            parts = (percent(report.noncompliance.share), number(direct, 3))
            words = self.tr("%s with non-compliance; %s if asked directly") % parts
        loss.say(self.tr("Information loss"), number(utility.information_loss, 3), words)
        if utility.mean_standard_error is not None:
            half = Z95 * utility.mean_standard_error
            mean = utility.mean
            plain = Z95 * math.sqrt(mean.direct / utility.n) if mean is not None else 0.0
            words = self.tr("95\u202f%% interval of the mean; ± %s if asked directly")
            interval.topic = "error-of-the-mean"
            interval.say(
                self.tr("Precision of the mean"),
                f"± {significant(half)}",
                words % in_unit(significant(plain), report.attribute.unit),
                report.attribute.unit,
            )
            return
        worst = utility.worst
        half = float(utility.half_width[worst])
        plain = direct_half_width(report, worst)
        label = utility.labels[worst]
        words = self.tr("for “%s”; ± %s if asked directly") % (label, number(100 * plain, 1))
        off = 100 * float(utility.bias[worst])
        if abs(off) >= 0.05:
            held = float(coverage(utility.bias, utility.standard_error)[worst])
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

    def _show_needed(self, report: AttributeReport) -> None:
        card = self.cards[5]
        label = self.tr("Respondents for ± %s points") % trimmed(100 * self._goal.target, 1)
        needed = self._values["needed"]
        direct = direct_respondents(report, self._goal.target)
        if math.isinf(needed):
            card.say(label, "∞", self.tr("no sample size is enough"))
        else:
            words = self.tr("respondents; %s if asked directly") % number(direct)
            card.say(label, number(needed), words)

    def show_simulation(self, loss: float | None) -> None:
        """Say what 200 simulated surveys lost on average with the likeliest estimate."""
        report = self._report
        if loss is None or report is None or math.isinf(report.utility.information_loss):
            return
        direct = number(direct_loss(report), 3)
        words = self.tr("expected; %s simulated, %s if asked directly")
        card = self.cards[3]
        card.say(card.label, card.number, words % (number(loss, 3), direct))
        self._fit_cards()

    # Changes since the pin

    def compare_with(self, values: dict[str, float] | None) -> None:
        """Show the change of every number since a design with these ones; None for no change."""
        if values != self._pin_values:
            self._pin_values = values
            self._show_changes()

    def _show_changes(self) -> None:
        pin = self._pin_values
        numeric = "belief" not in self._values
        for card, key in zip(self.cards, measure_keys(numeric), strict=True):
            before = pin.get(key) if pin else None
            now = self._values.get(key)
            if before is None or now is None or not math.isfinite(before + now):
                card.set_change("")
                continue
            change = now - before
            if abs(change) < 5e-4 * max(abs(before), 1e-9):
                card.set_change("")
                continue
            card.set_change(change_words(key, change), (change > 0) == (key in MORE_IS_BETTER))


class MeasuresDialog(QDialog):
    """Begins with the whole questionnaire; the attributes follow, and a list goes to each."""

    def __init__(self, workbench: Workbench, report: QuestionnaireReport, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("All measures"))
        study = workbench.store.study
        names = [study.shown(one.name) if one.name in study.design else one.name
                 for one in report.attributes]  # fmt: skip
        self.list = QListWidget()
        self.list.setObjectName("measuresOf")
        self.list.setAccessibleName(self.tr("Attributes"))
        self.list.addItems([self.tr("Whole questionnaire"), *names])
        self.list.setCurrentRow(0)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for place in range(self.list.count()):
            self.list.item(place).setToolTip(self.list.item(place).text())
        self.list.setFixedWidth(workbench.theme.px(206))
        theme = workbench.theme
        chosen = f"background: {theme.hex('accentTint')}; color: {theme.hex('accentInk')};"
        set_rules(
            self.list,
            "QListWidget::item { padding: 4px 8px; border-radius: 6px; }"
            f"QListWidget::item:selected {{ {chosen} }}",
        )
        self.text = QTextBrowser()
        self.text.setObjectName("allMeasuresText")
        self.text.setAccessibleName(self.tr("All measures"))
        self.text.document().setDocumentMargin(10)
        self.text.setHtml(self._html(workbench.theme, report, names))
        self.list.currentRowChanged.connect(lambda place: self.text.scrollToAnchor(f"of-{place}"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        card = Card(padding=4)
        card.add(self.text, 1)
        body = row(self.list, card, spacing=10)
        body.setStretch(1, 1)
        column(body, buttons, parent=self, margin=14, spacing=10).setStretch(0, 1)
        resize_dialog(self, 1000, 620)

    def _html(self, theme: Theme, report: QuestionnaireReport, names: list[str]) -> str:
        whole = self.tr("Whole questionnaire")
        sections = [_section(theme, "of-0", whole, "", report.readings, report.warnings)]
        for place, (one, shown) in enumerate(zip(report.attributes, names, strict=True), 1):
            column_name = "" if shown.casefold() == one.name.casefold() else one.name
            readings = (*one.privacy, *one.utility.readings)
            sections.append(
                _section(theme, f"of-{place}", shown, column_name, readings, one.warnings)
            )
        return "".join(sections)


def _section(
    theme: Theme,
    anchor: str,
    title: str,
    column_name: str,
    readings: Iterable[Reading],
    warnings: tuple[str, ...],
) -> str:
    """A heading and a table whose columns are as wide in every section."""
    quiet, line = theme.hex("text2"), theme.hex("border")
    rows = "".join(
        f"<tr><td width='27%' style='border-bottom: 1px solid {line}'>"
        f"{_escaped(tr(reading.label, 'measure'))}</td>"
        f"<td width='15%' align='right' style='border-bottom: 1px solid {line}'>"
        f"<b>{_escaped(translate(reading.text))}</b></td>"
        f"<td width='58%' style='border-bottom: 1px solid {line}; color: {quiet};"
        f" padding-left: 14px'>{_escaped(translate(reading.sentence))}</td></tr>"
        for reading in readings
    )
    caption = f" <span style='color:{quiet}; font-weight:400'>{_escaped(column_name)}</span>"
    ink = theme.hex("warningText")
    said = "".join(
        f"<p style='color:{ink}; margin: 6px 4px'>⚠ {_escaped(translate(warning))}</p>"
        for warning in warnings
    )
    return (
        f"<h3 style='margin: 14px 4px 4px 4px'><a name='{anchor}'>{_escaped(title)}</a>"
        f"{caption if column_name else ''}</h3>"
        f"<table width='100%' cellpadding='5' cellspacing='0'>{rows}</table>{said}"
    )


def _escaped(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;")


class TargetRow(QWidget):
    """A measure and a value to aim for: Enter solves; an unreachable one says what is."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.workbench = workbench
        self.store = workbench.store
        self.measure = QComboBox()
        self.measure.setObjectName("aimMeasure")
        self.measure.setAccessibleName(self.tr("Target measure"))
        for name, measure in aimed_at():
            self.measure.addItem(translate(measure.title), name)
        # The list changes with the kind of attribute, its width does not.
        self.measure.setMinimumContentsLength(
            max(len(translate(measure.title)) for _, measure in aimed_at())
        )
        self.measure.activated.connect(lambda _: self.refresh())
        self.value = QLineEdit()
        self.value.setObjectName("aimValue")
        self.value.setAccessibleName(self.tr("Target value"))
        reserve_width(self.value, workbench.themes, 76)
        self._shown = ""
        """The value of now as it stands in the field until somebody types another."""
        self.value.returnPressed.connect(self._on_entered)
        self.warning_icon = IconLabel(workbench.themes, "warning", "warningText", 15)
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

    def refresh(self) -> None:
        """Show the value of now and offer only measures that apply."""
        found = self._subject()
        self._warning_row.hide()
        if found is None:
            return
        attribute, perturbation = found
        free = bool(perturbation.free_parameters(attribute))
        self.setEnabled(free)
        self.setToolTip("" if free else self.tr("This mechanism has no free parameter."))
        self._offer(attribute)
        if not self._soon.isActive():
            self._soon.start()

    def _show_value(self) -> None:
        """Work the value of now out; a few times a second are enough while a slider moves."""
        found = self._subject()
        is_typing = self.value.hasFocus() and self.value.text() != self._shown
        if found is None or is_typing:
            return
        attribute, perturbation = found
        name = self.store.current or ""
        study = self.store.study
        question = Question(
            attribute, study.prior(name), study.settings.respondents,
            noncompliance=noncompliance_of(study.settings),
        )  # fmt: skip
        try:
            now = measured(str(self.measure.currentData()), question, perturbation)
            self._shown = significant(now * self._unit)
        except WorkbenchError:
            self._shown = "–"
        if self._shown != self.value.text():
            self.value.setText(self._shown)

    def _offer(self, attribute: Attribute) -> None:
        """List the measures that the attribute can have; the chosen one stays if it is there."""
        offered = [(name, one) for name, one in aimed_at() if one.applies_to(attribute)]
        listed = [self.measure.itemData(place) for place in range(self.measure.count())]
        if listed == [name for name, _ in offered]:
            return
        chosen = self.measure.currentData()
        with QSignalBlocker(self.measure):
            self.measure.clear()
            for name, one in offered:
                self.measure.addItem(translate(one.title), name)
            self.measure.setCurrentIndex(max(self.measure.findData(chosen), 0))

    def _subject(self) -> tuple[Attribute, Perturbation] | None:
        name = self.store.current
        design = self.store.study.design
        if name is None or name not in design:
            return None
        return design[name].attribute, design.perturbation(name)

    def _on_entered(self) -> None:
        from ppworkbench.core.privacy.utility.goal_seek import Target, seek
        from ppworkbench.gui.pages.design.attribute_list import apply_to_selection

        found = self._subject()
        if found is None:
            return
        if self.value.text() == self._shown:
            # What is shown is rounded; solving for it would change the design.
            self._warning_row.hide()
            return
        attribute, perturbation = found
        wanted = self._typed()
        if wanted is None:
            self._warn(self.tr("Type a number, such as 0.05."))
            return
        parameter = perturbation.free_parameters(attribute)[0].name
        study = self.store.study
        prior = study.prior(self.store.current or "")
        try:
            target = Target(str(self.measure.currentData()), wanted)
            solved = seek(
                attribute, perturbation, parameter, target, prior, study.settings.respondents,
                noncompliance=noncompliance_of(study.settings),
            )  # fmt: skip
        except WorkbenchError as error:
            self._warn(translate(error.message))
            return
        self.value.clearFocus()
        apply_to_selection(self.workbench, lambda _: solved)

    @property
    def _unit(self) -> float:
        """What a value is multiplied by before it is shown: half-widths are told in points."""
        return 100.0 if self.measure.currentData() == "half_width" else 1.0

    def _typed(self) -> float | None:
        content = self.value.text()
        if self.measure.currentData() == "half_width":
            points = read_number(content.strip().lstrip("±").strip())
            return None if points is None else points / self._unit
        if self.measure.currentData() == "range_privacy":
            return read_number(content.rstrip("% "))
        return read_share(content)

    def _warn(self, sentence: str) -> None:
        self.warning.setText(sentence)
        self._warning_row.show()


_KEPT = 200
"""Reports of more attributes are not kept: looking through them for rubbish would be felt."""


class QuestionnaireSummary(QWidget):
    """Two sentences, kept up to date by a quiet job."""

    assessed = Signal(object)
    """The badges of all attributes: attack success, prior guess and information loss."""
    judged = Signal(object)
    """The lights of all attributes, by name."""

    def __init__(self, workbench: Workbench, goal: GoalRow) -> None:
        super().__init__()
        self.workbench = workbench
        self._goal = goal
        self.report: QuestionnaireReport | None = None
        self._task: PageTask[tuple[QuestionnaireReport, dict[str, Light]]] = PageTask(
            workbench, "questionnaire", self, quiet=True
        )
        self._task.finished.connect(self._on_assessed)
        goal.changed.connect(self.refresh)
        self._all_task: PageTask[QuestionnaireReport] = PageTask(workbench, "all measures", self)
        self._all_task.finished.connect(self._open)
        self.guess = text("", wrap=True)
        self.epsilon = text("", wrap=True)
        self.all = Button(workbench.themes, self.tr("All measures"), look="link")
        self.all.setObjectName("allMeasures")
        self.all.clicked.connect(self._on_all)
        column(
            line(), text(self.tr("Whole questionnaire"), "strong"), self.guess, self.epsilon,
            self.all, parent=self, spacing=6,
        ).setContentsMargins(14, 0, 14, 10)  # fmt: skip
        for label in (self.guess, self.epsilon):
            label.setProperty("type", "caption")

    def refresh(self) -> None:
        """Work out the whole in the background; the latest wins."""
        study, goal = self.workbench.store.study, self._goal.goal
        if not study.design.attributes:
            return

        def work(progress: Progress) -> tuple[QuestionnaireReport, dict[str, Light]]:
            report = assess_study(study, part(progress, 0.0, 0.9))
            return report, {one.name: light_of(one, goal) for one in report.attributes}

        self._task.start(self.tr("Whole questionnaire"), work)

    def _on_assessed(self, found: tuple[QuestionnaireReport, dict[str, Light]]) -> None:
        report, lights = found
        self.judged.emit(lights)
        self._show(report)

    def _show(self, report: QuestionnaireReport) -> None:
        self.report = report if len(report.attributes) <= _KEPT else None
        self.assessed.emit(
            {
                one.name: (
                    one.privacy["attack_success"].value,
                    one.privacy["prior_guess"].value,
                    one.utility.information_loss,
                )
                for one in report.attributes
            }
        )
        right = sum(report.right_at_least[1:])
        blind = sum(report.blind_at_least[1:])
        total = len(report.attributes)
        words = self.tr("<b>%s of %s</b> answers guessed correctly; %s from the prior alone")
        self.guess.setText(words % (number(right, 1), total, number(blind, 1)))
        values = {reading.name: reading for reading in report.readings}
        epsilon = values.get("epsilon")
        if epsilon is None:
            return
        shown = "∞" if math.isinf(epsilon.value) else number(epsilon.value, 1)
        unbounded = sum(
            1
            for one in report.attributes
            if "epsilon" in one.privacy and math.isinf(one.privacy["epsilon"].value)
        )
        rest = (
            self.tr("in total: %s attributes have no finite bound") % unbounded
            if unbounded
            else self.tr("in total; smaller is more private")
        )
        self.epsilon.setText(f"<b>ε = {shown}</b> {rest}")

    def _on_all(self) -> None:
        if self.report is not None:
            self._open(self.report)
        else:
            study = self.workbench.store.study
            name = self.tr("Whole questionnaire")
            self._all_task.start(name, lambda progress: assess_study(study, progress))

    def _open(self, report: QuestionnaireReport) -> None:
        dialog = MeasuresDialog(self.workbench, report, self.window())
        show_dialog(dialog, self.workbench.themes)


class NonComplianceCard(Card):
    """A share, a manner, and the bias they cause."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(padding=10)
        self.workbench = workbench
        self.store = workbench.store
        themes = workbench.themes
        self._report: AttributeReport | None = None
        self._gesture = ""
        self.manner = Segmented(
            themes, self.tr("Answers of those who do not comply"),
            [("truth", self.tr("answer truthfully")), ("safe", self.tr("give the safe answer")),
             ("random", self.tr("at random"))],
        )  # fmt: skip
        self.manner.setObjectName("noncomplianceManner")
        self.manner.chosen.connect(
            lambda manner: self.store.set_settings(noncompliance_manner=manner)
        )
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setObjectName("noncomplianceSlider")
        self.slider.setAccessibleName(self.tr("Share not following the instructions"))
        self.slider.setRange(0, 50)
        self.slider.setMaximumWidth(150)
        self.box = NumberBox()
        self.box.setObjectName("noncomplianceBox")
        self.box.setAccessibleName(self.tr("Share not following the instructions"))
        self.box.setRange(0, 50)
        self.box.setDecimals(0)
        self.box.setSuffix(" %")
        reserve_width(self.box, themes, 70)
        self.slider.sliderPressed.connect(self._on_pressed)
        self.slider.sliderReleased.connect(self._on_released)
        self.slider.valueChanged.connect(self._on_share)
        self.box.valueChanged.connect(self._on_share)
        self.words = LiveLabel(2)
        title = text(self.tr("Non-compliance"), "strong")
        head = row(IconLabel(themes, "people", "text2", 17), title, None, self.manner)
        below = row(self.slider, self.box, self.words, spacing=10)
        below.setStretch(2, 1)
        self.body.addLayout(head)
        self.body.addLayout(below)

    def show_report(self, report: AttributeReport) -> None:
        """Show the bias for the current attribute."""
        self._report = report
        settings = self.store.study.settings
        share = round(100 * settings.noncompliance)
        with QSignalBlocker(self.slider):
            self.slider.setValue(share)
        self.box.show_value(share)
        self.manner.set_current(settings.noncompliance_manner)
        self.words.set_text(self._sentence(report))

    def _sentence(self, report: AttributeReport) -> str:
        if report.noncompliance is None:
            return self.tr("All respondents follow the instructions.")
        bias = report.utility.bias
        worst = int(np.argmax(np.abs(bias)))
        points = 100 * float(bias[worst])
        if not np.isfinite(report.utility.half_width).all():
            return self.tr("The matrix is singular; nothing can be estimated.")
        label = report.utility.labels[worst].replace("<", "&lt;")
        if abs(points) < 0.05:
            said = self.tr("No share is biased by more than 0.1 points.")
        elif points > 0:
            said = self.tr("“%s” is overestimated by <b>%s points</b>.") % (
                label,
                number(points, 1),
            )
        else:
            said = self.tr("“%s” is underestimated by <b>%s points</b>.") % (
                label,
                number(-points, 1),
            )
        return f"{said} {self._included(report)}"

    def _included(self, report: AttributeReport) -> str:
        """Which numbers of the page the share changes."""
        if report.attribute.kind.is_numeric:
            return self.tr("Chart, information loss and respondents needed include it.")
        return self.tr("The chart and the accuracy cards include it.")

    def _on_pressed(self) -> None:
        self._gesture = self.store.new_gesture("ignoring")

    def _on_released(self) -> None:
        self._gesture = ""

    def _on_share(self, value: float) -> None:
        self.store.set_settings(self._gesture or None, noncompliance=round(value) / 100)
