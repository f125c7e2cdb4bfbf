"""Privacy and accuracy as cards, with the change since a pinned design."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QSpinBox, QWidget

from ppworkbench.core.design import Retention
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.privacy.utility.respondents import needed_respondents
from ppworkbench.gui.widgets.icon_button import IconLabel
from ppworkbench.gui.widgets.layouts import column, row, text
from ppworkbench.gui.widgets.readout_card import ReadoutCard
from ppworkbench.gui.words import number, percent, signed, significant
from ppworkbench.gui.workbench import Workbench

_Z95 = 1.959964


@dataclass(frozen=True)
class Pin:
    """The numbers of a design that others are compared with."""

    label: str
    values: dict[str, float]


class Readouts(QWidget):
    """Three cards of privacy over three of accuracy, equal in size."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.workbench = workbench
        self.store = workbench.store
        self.pin: Pin | None = None
        self._values: dict[str, float] = {}
        themes = workbench.themes
        topics = ("attack-success", "worst-posterior", "epsilon",
                  "information-loss", "standard-error", "needed-respondents")  # fmt: skip
        self.cards = [ReadoutCard(themes, topic) for topic in topics]
        for card in self.cards:
            card.setObjectName(f"card-{card.topic}")
            card.help_requested.connect(workbench.help_requested)
        self.pinned = text("", "captionHint")
        self.respondents = QSpinBox()
        self.respondents.setObjectName("respondents")
        self.respondents.setAccessibleName(self.tr("Respondents"))
        self.respondents.setRange(1, 100_000_000)
        self.respondents.setGroupSeparatorShown(True)
        self.respondents.setKeyboardTracking(False)
        self.respondents.setSingleStep(100)
        self.respondents.setFixedWidth(104)
        self.respondents.valueChanged.connect(
            lambda value: self.store.set_settings(respondents=value)
        )
        self.points = QDoubleSpinBox()
        self.points.setObjectName("targetPoints")
        self.points.setAccessibleName(self.tr("Wanted half-width in points"))
        self.points.setRange(0.1, 50.0)
        self.points.setDecimals(1)
        self.points.setValue(3.0)
        self.points.setPrefix("± ")
        self.points.setKeyboardTracking(False)
        self.points.setFixedWidth(76)
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
            IconLabel(themes, "shield", "text2", 15), text(self.tr("Privacy"), "strong"), None,
            self.pinned,
        )  # fmt: skip
        accuracy_head = row(
            IconLabel(themes, "target", "text2", 15), text(self.tr("Accuracy with"), "strong"),
            self.respondents, text(self.tr("respondents"), "strong"), None,
            text(self.tr("aim"), "captionHint"), self.points,
        )  # fmt: skip
        column(privacy_head, privacy, accuracy_head, accuracy, parent=self, spacing=5)
        self.points.valueChanged.connect(lambda _: self._refresh_needed())
        self._report: AttributeReport | None = None

    def show_report(self, report: AttributeReport) -> None:
        """Show all numbers of the current attribute."""
        self._report = report
        respondents = self.store.study.settings.respondents
        if respondents != self.respondents.value():
            with QSignalBlocker(self.respondents):
                self.respondents.setValue(respondents)
        self._values = {}
        self._show_privacy(report)
        self._show_accuracy(report)
        self._refresh_needed()
        self._show_changes()

    # Privacy

    def _show_privacy(self, report: AttributeReport) -> None:
        guess, suspicion, epsilon = self.cards[:3]
        privacy = report.privacy
        success = privacy["attack_success"].value
        blind = privacy["prior_guess"].value
        self._values["attack"] = success
        reading = self.tr("right %s times in 100; %s without the answer")
        guess.say(
            self.tr("Attacker's best guess"), percent(success),
            reading % (number(100 * success), number(100 * blind)),
        )  # fmt: skip
        if "worst_posterior" in privacy:
            worst = privacy["worst_posterior"]
            self._values["posterior"] = worst.value
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
            self._values["range"] = level.value
            flat = significant(level.value / 100 * report.attribute.width)
            words = self.tr("as uncertain as a flat guess over %s") % flat
            card.say(self.tr("Range privacy"), number(level.value), words, "%")
        else:
            card.say_not_applicable(
                self.tr("Range privacy"), self.tr("only where noise is added to a number")
            )

    def _show_epsilon(self, card: ReadoutCard, report: AttributeReport) -> None:
        label = self.tr("Epsilon (local DP)")
        if "epsilon" not in report.privacy:
            card.say_not_applicable(label, self.tr("nothing is randomised"))
            return
        reading = report.privacy["epsilon"]
        self._values["epsilon"] = reading.value
        if math.isinf(reading.value):
            numeric = report.attribute.kind.is_numeric
            words = self.tr("no bound: some answers are ruled out")
            if isinstance(report.perturbation, Retention):
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
        self._values["loss"] = utility.information_loss
        if math.isinf(utility.information_loss):
            loss.say(self.tr("Information loss"), "∞", self.tr("this distortion cannot be undone"))
            interval.say(self.tr("Widest 95 % interval"), "∞", self.tr("nothing can be read back"))
            self._values["interval"] = math.inf
            return
        words = self.tr("expected; %s if asked directly") % number(direct, 3)
        loss.say(self.tr("Information loss"), number(utility.information_loss, 3), words)
        if utility.mean_standard_error is not None:
            half = _Z95 * utility.mean_standard_error
            self._values["interval"] = half
            mean = utility.mean
            plain = _Z95 * math.sqrt(mean.direct / utility.n) if mean is not None else 0.0
            words = self.tr("95 %% interval of the mean; ± %s if asked directly")
            interval.topic = "error-of-the-mean"
            interval.say(
                self.tr("Mean known to"), f"± {significant(half)}", words % significant(plain)
            )
            return
        worst = utility.worst
        half = float(utility.half_width[worst])
        plain = self._direct_half(report, worst)
        self._values["interval"] = 100 * half
        words = self.tr("for “%s”; ± %s if asked directly")
        interval.topic = "standard-error"
        interval.say(
            self.tr("Widest 95 % interval"), f"± {number(100 * half, 1)}",
            words % (utility.labels[worst], number(100 * plain, 1)), self.tr("points"),
        )  # fmt: skip

    def _refresh_needed(self) -> None:
        report = self._report
        if report is None:
            return
        card = self.cards[5]
        target = self.points.value() / 100
        label = self.tr("Needed for ± %s pts") % number(self.points.value(), 1)
        needed = needed_respondents(report.utility.variances, target, "half-width")
        shares = report.utility.shares
        direct = needed_respondents(shares * (1 - shares), target, "half-width")
        self._values["needed"] = needed
        if math.isinf(needed):
            card.say(label, "∞", self.tr("no number of respondents is enough"))
        else:
            words = self.tr("respondents; %s if asked directly") % number(direct)
            card.say(label, number(needed), words)
        self._show_changes()

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
        return _Z95 * math.sqrt(share * (1 - share) / report.utility.n)

    # Changes since the pin

    def pin_now(self, label: str) -> None:
        """Compare with the design of now from here on; a second call with nothing unpins."""
        self.pin = Pin(label, dict(self._values))
        self._show_changes()

    def unpin(self) -> None:
        """Compare with nothing."""
        self.pin = None
        self._show_changes()

    def _show_changes(self) -> None:
        pin = self.pin
        self.pinned.setText(self.tr("change since %s") % pin.label if pin else "")
        keys = ("attack", "posterior" if "posterior" in self._values else "range", "epsilon",
                "loss", "interval", "needed")  # fmt: skip
        more_is_better = {"range"}
        for card, key in zip(self.cards, keys, strict=True):
            before = pin.values.get(key) if pin else None
            now = self._values.get(key)
            if before is None or now is None or not math.isfinite(before + now):
                card.set_change("")
                continue
            change = now - before
            if abs(change) < 5e-4 * max(abs(before), 1e-9):
                card.set_change("")
                continue
            good = (change > 0) == (key in more_is_better)
            card.set_change(_change_words(key, change), good)


def _change_words(key: str, change: float) -> str:
    if key in ("attack", "posterior"):
        return f"{signed(100 * change)} pts"
    if key == "loss":
        return signed(change, 3)
    if key == "needed":
        return signed(change)
    return signed(change, 1 if abs(change) < 100 else 0)
