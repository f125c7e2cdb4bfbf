"""The editor of a numeric attribute: what is added to a number, or put in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtWidgets import QStackedWidget, QWidget

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Perturbation, perturbations
from ppworkbench.gui.forms.form import Form
from ppworkbench.gui.language.text import told
from ppworkbench.gui.pages.design.additive_panel import AdditivePanel
from ppworkbench.gui.pages.design.aim_row import AimRow
from ppworkbench.gui.pages.design.apply import apply_to_selection, offered, refusals
from ppworkbench.gui.pages.design.journey import Journey
from ppworkbench.gui.pages.design.noise_panels import (
    DiscretisePanel,
    MultiplicativePanel,
    RetentionPanel,
)
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.layouts import line, text
from ppworkbench.gui.widgets.segmented import Segmented
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.help import key_about


class NoiseEditor(Card):
    """Reads the study, writes through it."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench.tr("What is added"))
        self.workbench = workbench
        self.store = workbench.store
        themes = workbench.themes
        self.segments = Segmented(themes, self.tr("What is added"), _choices(Kind.INTEGER))
        self.segments.setObjectName("noiseMechanism")
        self.segments.chosen.connect(self._on_segment)
        self.head.addWidget(self.segments)
        # The choices say enough where there is no room for both.
        self.title_label.setMinimumWidth(1)
        self.additive = AdditivePanel(themes)
        self.multiplicative = MultiplicativePanel(themes)
        self.retention = RetentionPanel(themes)
        self.discretise = DiscretisePanel(themes)
        self.stack = QStackedWidget()
        nothing = text(
            self.tr("Numbers are published as they are; nothing protects them."), "secondary",
            wrap=True,
        )  # fmt: skip
        self._noise_panels: dict[str, Any] = {
            "additive": self.additive,
            "multiplicative": self.multiplicative,
            "retention": self.retention,
            "discretise": self.discretise,
        }
        self._forms: dict[str, Form] = {}
        self._panels: dict[str, QWidget] = {"none": nothing, **self._noise_panels}
        for panel in self._panels.values():
            self.stack.addWidget(panel)
        for panel in self._noise_panels.values():
            panel.changed.connect(self._on_changed)
        self.aim = AimRow(workbench)
        self.problem = text("", "warning", wrap=True)
        self.problem.hide()
        self.journey = Journey(workbench)
        self.body.addWidget(self.stack, 1)
        self.body.addWidget(self.problem)
        self.body.addWidget(self.aim)
        self.body.addWidget(line())
        self.body.addWidget(self.journey)
        self._bottom = QWidget()
        self.body.addWidget(self._bottom)

    def ask_for_help(self) -> None:
        """Ask for the page about the mechanism that is chosen."""
        topic = key_about("perturbation", self.segments.current, "mechanisms")
        self.workbench.help_requested.emit(topic)

    def refresh(self) -> None:
        """Show the current attribute as the study has it."""
        name = self.store.current
        if name is None or name not in self.store.study.design:
            return
        attribute = self.store.study.design[name].attribute
        if not attribute.kind.is_numeric:
            return
        perturbation = self.store.study.design.perturbation(name)
        segment = perturbation.type_name
        self.segments.set_choices(_choices(attribute.kind))
        self.segments.set_current(segment)
        self.segments.set_disabled(refusals(attribute))
        panel = self._panel(segment)
        self.stack.setCurrentWidget(panel)
        drawn = segment == "additive"
        # Only the curve grows with the window; the other panels stay at their height.
        self.stack.setMaximumHeight(16_777_215 if drawn else max(panel.sizeHint().height(), 90))
        self.body.setStretchFactor(self.stack, 1 if drawn else 0)
        self.body.setStretchFactor(self._bottom, 0 if drawn else 1)
        if segment in self._noise_panels:
            self._noise_panels[segment].show_noise(perturbation, attribute)
        elif segment in self._forms:
            self._forms[segment].show_params(perturbation)
        self.problem.hide()
        self.aim.refresh()
        self.journey.refresh()

    def _panel(self, segment: str) -> QWidget:
        """Where a mechanism is edited: its own panel, or a form of its parameters."""
        if segment not in self._panels:
            form = Form(self.workbench.themes, perturbations[segment])
            form.edited.connect(lambda made, gesture: self._on_changed(lambda _: made, gesture))
            self._forms[segment] = self._panels[segment] = form
            self.stack.addWidget(form)
        return self._panels[segment]

    def _on_changed(self, build: Callable[[Attribute], Perturbation], gesture: str) -> None:
        problem = apply_to_selection(self.workbench, build, gesture)
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))

    def _on_segment(self, segment: str) -> None:
        self._on_changed(perturbations[segment].start, "")


def _choices(kind: Kind) -> list[tuple[str, str]]:
    return [(entry.name, told(entry.title)) for entry in offered(kind)]
