"""Privacy and accuracy as cards, with the change since a pinned design."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QSpinBox, QWidget

from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.privacy.utility.noncompliance import coverage
from ppworkbench.core.privacy.utility.respondents import needed_respondents
from ppworkbench.gui.pages.design.measures import (
    MORE_IS_BETTER,
    Z95,
    change_words,
    measure_keys,
    measured,
)
from ppworkbench.gui.pages.design.pin_bar import PinBar
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.icon_button import IconLabel
from ppworkbench.gui.widgets.kept_width import keep_width
from ppworkbench.gui.widgets.layouts import column, row, text
from ppworkbench.gui.widgets.readout_card import ReadoutCard
from ppworkbench.gui.widgets.slider_row import NumberBox
from ppworkbench.gui.words import number, percent, signed, significant
from ppworkbench.gui.workbench import Workbench


class Readouts(QWidget):
    """Three cards of privacy over three of accuracy, equal in size."""

    target_changed = Signal()
    """Another number of points is aimed at."""

    def __init__(self, workbench: Workbench, pin_bar: PinBar) -> None:
        super().__init__()
        self.workbench = workbench
        self.pin_bar = pin_bar
        self.store = workbench.store
        self._pin_values: dict[str, float] | None = None
        self._values: dict[str, float] = {}
        themes = workbench.themes
        topics = ("attack-success", "worst-posterior", "epsilon",
                  "information-loss", "standard-error", "needed-respondents")  # fmt: skip
        self.cards = [ReadoutCard(themes, topic) for topic in topics]
        for card in self.cards:
            card.setObjectName(f"card-{card.topic}")
            card.help_requested.connect(workbench.help_requested)
        self.respondents = QSpinBox()
        self.respondents.setObjectName("respondents")
        self.respondents.setAccessibleName(self.tr("Respondents"))
        self.respondents.setRange(1, 100_000_000)
        self.respondents.setGroupSeparatorShown(True)
        self.respondents.setKeyboardTracking(False)
        self.respondents.setSingleStep(100)
        keep_width(self.respondents, workbench.themes, 104)
        self.respondents.valueChanged.connect(
            lambda value: self.store.set_settings(respondents=value)
        )
        self.points = NumberBox()
        self.points.setObjectName("targetPoints")
        self.points.setAccessibleName(self.tr("Wanted half-width in points"))
        self.points.setRange(0.1, 50.0)
        self.points.setDecimals(1)
        self.points.setAlignment(Qt.AlignmentFlag.AlignLeft)
        self.points.setValue(3.0)
        self.points.setPrefix("± ")
        keep_width(self.points, workbench.themes, 80)
        self.points.setToolTip(self.tr("Wanted half-width of every share's 95 % interval, points"))
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
            IconLabel(themes, "target", "text2", 15),
            ElidedLabel("strong", self.tr("Accuracy with"), hugs=True), self.respondents,
            ElidedLabel("strong", self.tr("respondents"), hugs=True), None,
            text(self.tr("aim"), "captionHint"), self.points,
        )  # fmt: skip
        column(privacy_head, privacy, accuracy_head, accuracy, parent=self, spacing=5)
        self.points.valueChanged.connect(self._on_points)
        self._report: AttributeReport | None = None

    @property
    def target(self) -> float:
        """The wanted half-width of every share's interval, as a share."""
        return self.points.value() / 100

    def _on_points(self) -> None:
        if self._report is not None:
            self._values = measured(self._report, self.target)
            self._show_needed(self._report)
            self.target_changed.emit()

    def show_report(self, report: AttributeReport) -> None:
        """Show all numbers of the current attribute."""
        self._report = report
        respondents = self.store.study.settings.respondents
        if respondents != self.respondents.value():
            with QSignalBlocker(self.respondents):
                self.respondents.setValue(respondents)
        self._values = measured(report, self.target)
        self._show_privacy(report)
        self._show_accuracy(report)
        self._show_needed(report)
        self._show_changes()

    # Privacy

    def _show_privacy(self, report: AttributeReport) -> None:
        guess, suspicion, epsilon = self.cards[:3]
        privacy = report.privacy
        success = privacy["attack_success"].value
        blind = privacy["prior_guess"].value
        reading = self.tr("right %s times in 100; %s without the answer")
        guess.say(
            self.tr("Attacker's best guess", "short"), percent(success),
            reading % (number(100 * success), number(100 * blind)),
        )  # fmt: skip
        if "worst_posterior" in privacy:
            worst = privacy["worst_posterior"]
            suspicion.topic = "worst-posterior"
            suspicion.say(
                self.tr("Strongest suspicion"), percent(worst.value), self._suspicion(report)
            )
        else:
            self._show_range(suspicion, report)
        self._show_epsilon(epsilon, report)

    def _suspicion(self, report: AttributeReport) -> str:
        """The report that betrays most, and how far belief moves."""
        matrix = report.matrix
        assert matrix is not None  # noqa: S101 (only P-matrices have this measure)
        prior = report.prior.probabilities
        joint = matrix * prior
        seen = joint.sum(axis=1, keepdims=True)
        after = np.divide(joint, seen, out=np.zeros_like(joint), where=seen > 0)
        reported, answered = np.unravel_index(int(np.argmax(after)), after.shape)
        words = self.tr("“%s” reported: belief %s → %s")
        value = report.attribute.values[int(reported)]
        before = percent(float(prior[int(answered)]))
        return words % (value, before, percent(float(after[reported, answered])))

    def _show_range(self, card: ReadoutCard, report: AttributeReport) -> None:
        card.topic = "range-privacy"
        if "range_percent" in report.privacy:
            level = report.privacy["range_percent"]
            flat = significant(level.value / 100 * report.attribute.width)
            words = self.tr("as uncertain as a flat guess over %s") % flat
            card.say(self.tr("Range privacy", "short"), percent(level.value / 100), words)
        else:
            card.say_not_applicable(
                self.tr("Range privacy", "short"), self.tr("only where noise is added to a number")
            )

    def _show_epsilon(self, card: ReadoutCard, report: AttributeReport) -> None:
        label = self.tr("Epsilon (local DP)")
        if "epsilon" not in report.privacy:
            card.say_not_applicable(label, self.tr("nothing is randomised"))
            return
        reading = report.privacy["epsilon"]
        if math.isinf(reading.value):
            numeric = report.attribute.kind.is_numeric
            words = self.tr("no bound: some answers are ruled out")
            if report.perturbation.exact_share is not None:
                words = self.tr("no bound for exact numbers; a release uses a grid")
            elif numeric:
                words = self.tr("no bound for this noise; Laplace noise has one")
            card.say(label, "∞", words)
            return
        times = significant(math.exp(min(reading.value, 50.0)), 2)
        words = self.tr("any report at most %s × as likely from another person")
        card.say(label, number(reading.value, 2), words % times)

    # Accuracy

    def _show_accuracy(self, report: AttributeReport) -> None:
        loss, interval, _ = self.cards[3:]
        utility = report.utility
        direct = self._direct_loss(report)
        if math.isinf(utility.information_loss):
            loss.say(self.tr("Information loss"), "∞", self.tr("this distortion cannot be undone"))
            interval.say(self.tr("Widest 95 % interval"), "∞", self.tr("nothing can be read back"))
            return
        words = self.tr("expected; %s if asked directly") % number(direct, 3)
        if report.noncompliance is not None:
            parts = (percent(report.noncompliance.share), number(direct, 3))
            words = self.tr("%s ignoring; %s if asked directly") % parts
        loss.say(self.tr("Information loss"), number(utility.information_loss, 3), words)
        if utility.mean_standard_error is not None:
            half = Z95 * utility.mean_standard_error
            mean = utility.mean
            plain = Z95 * math.sqrt(mean.direct / utility.n) if mean is not None else 0.0
            words = self.tr("95 %% interval of the mean; ± %s if asked directly")
            interval.topic = "error-of-the-mean"
            interval.say(
                self.tr("Mean known to"), f"± {significant(half)}", words % significant(plain)
            )
            return
        worst = utility.worst
        half = float(utility.half_width[worst])
        plain = self._direct_half(report, worst)
        label = utility.labels[worst]
        words = self.tr("for “%s”; ± %s if asked directly") % (label, number(100 * plain, 1))
        off = 100 * float(utility.bias[worst])
        if abs(off) >= 0.05:
            held = float(coverage(utility.bias, utility.standard_error)[worst])
            words = self.tr("off by %s for “%s”; holds the truth %s times in 100") % (
                signed(off, 1), label, number(100 * held)
            )  # fmt: skip
        interval.topic = "standard-error"
        interval.say(
            self.tr("Widest 95 % interval"), f"± {number(100 * half, 1)}", words, self.tr("points")
        )

    def _show_needed(self, report: AttributeReport) -> None:
        card = self.cards[5]
        label = self.tr("Needed for ± %s pts") % number(self.points.value(), 1)
        needed = self._values["needed"]
        shares = report.utility.shares
        direct = needed_respondents(shares * (1 - shares), self.target, "half-width")
        if math.isinf(needed):
            card.say(label, "∞", self.tr("no number of respondents is enough"))
        else:
            words = self.tr("respondents; %s if asked directly") % number(direct)
            card.say(label, number(needed), words)

    def show_simulation(self, loss: float | None) -> None:
        """Say what 200 simulated surveys lost on average with the likeliest estimate."""
        report = self._report
        if loss is None or report is None or math.isinf(report.utility.information_loss):
            return
        direct = number(self._direct_loss(report), 3)
        words = self.tr("expected; %s simulated, %s if asked directly")
        card = self.cards[3]
        card.say(card.label, card.number, words % (number(loss, 3), direct))

    def _direct_loss(self, report: AttributeReport) -> float:
        shares = report.utility.shares
        spread = np.sqrt(shares * (1 - shares) / report.utility.n)
        return float(0.5 * np.sqrt(2 / np.pi) * spread.sum())

    def _direct_half(self, report: AttributeReport, worst: int) -> float:
        share = float(report.utility.shares[worst])
        return Z95 * math.sqrt(share * (1 - share) / report.utility.n)

    # Changes since the pin

    def compare_with(self, values: dict[str, float] | None) -> None:
        """Show the change of every number since a design with these ones; None for no change."""
        if values != self._pin_values:
            self._pin_values = values
            self._show_changes()

    def _show_changes(self) -> None:
        pin = self._pin_values
        numeric = "posterior" not in self._values
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
