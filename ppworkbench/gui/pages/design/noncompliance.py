"""What happens when some respondents ignore the device."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QSlider

from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.icon_button import IconLabel
from ppworkbench.gui.widgets.kept_width import keep_width
from ppworkbench.gui.widgets.layouts import row
from ppworkbench.gui.widgets.live_label import LiveLabel
from ppworkbench.gui.widgets.segmented import Segmented
from ppworkbench.gui.widgets.slider_row import NumberBox
from ppworkbench.gui.words import number
from ppworkbench.gui.workbench import Workbench


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
            themes, self.tr("What those who ignore the device answer"),
            [("truth", self.tr("answer truly")), ("safe", self.tr("say the safe")),
             ("random", self.tr("at random"))],
        )  # fmt: skip
        self.manner.setObjectName("noncomplianceManner")
        self.manner.chosen.connect(
            lambda manner: self.store.set_settings(noncompliance_manner=manner)
        )
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setObjectName("noncomplianceSlider")
        self.slider.setAccessibleName(self.tr("Share of people who ignore the device"))
        self.slider.setRange(0, 50)
        self.slider.setMaximumWidth(150)
        self.box = NumberBox()
        self.box.setObjectName("noncomplianceBox")
        self.box.setAccessibleName(self.tr("Share of people who ignore the device"))
        self.box.setRange(0, 50)
        self.box.setDecimals(0)
        self.box.setSuffix(" %")
        keep_width(self.box, themes, 70)
        self.slider.sliderPressed.connect(self._on_pressed)
        self.slider.sliderReleased.connect(self._on_released)
        self.slider.valueChanged.connect(self._on_share)
        self.box.valueChanged.connect(self._on_share)
        self.words = LiveLabel(2)
        title = ElidedLabel("strong", self.tr("If some ignore the device"), hugs=True)
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
            return self.tr("Everybody follows the instructions.")
        bias = report.utility.bias
        worst = int(np.argmax(np.abs(bias)))
        points = 100 * float(bias[worst])
        if not np.isfinite(report.utility.half_width).all():
            return self.tr("The distortion cannot be undone, so nothing can be said.")
        label = report.utility.labels[worst].replace("<", "&lt;")
        if abs(points) < 0.05:
            said = self.tr("No share is off by more than 0.1 points.")
        elif points > 0:
            said = self.tr("“%s” looks <b>%s points</b> too frequent.") % (label, number(points, 1))
        else:
            said = self.tr("“%s” looks <b>%s points</b> too rare.") % (label, number(-points, 1))
        return f"{said} {self._included(report)}"

    def _included(self, report: AttributeReport) -> str:
        """Which numbers of the page the share changes."""
        if report.attribute.kind.is_numeric:
            return self.tr("The picture, information loss and needed respondents include it.")
        return self.tr("The picture and the accuracy cards include it.")

    def _on_pressed(self) -> None:
        self._gesture = self.store.new_gesture("ignoring")

    def _on_released(self) -> None:
        self._gesture = ""

    def _on_share(self, value: float) -> None:
        self.store.set_settings(self._gesture or None, noncompliance=round(value) / 100)
