"""The editor of a numeric attribute: what is added to a number, or put in its place."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QStackedWidget, QWidget

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Additive,
    Discretise,
    Identity,
    Multiplicative,
    Perturbation,
    Retention,
)
from ppworkbench.gui.pages.design.additive_panel import AdditivePanel
from ppworkbench.gui.pages.design.aim_row import AimRow
from ppworkbench.gui.pages.design.apply import apply_to_selection
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

_SEGMENT_OF = {
    "none": "none",
    "additive": "additive",
    "multiplicative": "multiplicative",
    "retention": "retention",
    "discretise": "discretise",
}


class NoiseEditor(Card):
    """Reads the study, writes through it."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench.tr("What is added"))
        self.workbench = workbench
        self.store = workbench.store
        themes = workbench.themes
        choices = [
            ("none", self.tr("None")),
            ("additive", self.tr("Add noise")),
            ("multiplicative", self.tr("Multiply")),
            ("retention", self.tr("Replace")),
            ("discretise", self.tr("Intervals")),
        ]
        self.segments = Segmented(themes, self.tr("What is added"), choices)
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
        self._panels: dict[str, QWidget] = {
            "none": nothing,
            "additive": self.additive,
            "multiplicative": self.multiplicative,
            "retention": self.retention,
            "discretise": self.discretise,
        }
        for panel in self._panels.values():
            self.stack.addWidget(panel)
        for source in (self.additive, self.multiplicative, self.retention, self.discretise):
            source.changed.connect(self._on_changed)
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
        segment = _SEGMENT_OF.get(perturbation.type_name, "none")
        self.segments.set_current(segment)
        self.segments.set_disabled(self._disabled(attribute))
        self.stack.setCurrentWidget(self._panels[segment])
        drawn = segment == "additive"
        # Only the curve grows with the window; the other panels stay at their height.
        self.stack.setMaximumHeight(
            16_777_215 if drawn else max(self._panels[segment].sizeHint().height(), 90)
        )
        self.body.setStretchFactor(self.stack, 1 if drawn else 0)
        self.body.setStretchFactor(self._bottom, 0 if drawn else 1)
        if isinstance(perturbation, Additive):
            self.additive.show_noise(perturbation, attribute)
        elif isinstance(perturbation, Multiplicative):
            self.multiplicative.show_noise(perturbation, attribute)
        elif isinstance(perturbation, Retention):
            self.retention.show_noise(perturbation, attribute)
        elif isinstance(perturbation, Discretise):
            self.discretise.show_noise(perturbation, attribute)
        self.problem.hide()
        self.aim.refresh()
        self.journey.refresh()

    def _disabled(self, attribute: Attribute) -> dict[str, str]:
        reasons = {}
        if attribute.domain is not None and attribute.domain[0] <= 0:
            reasons["multiplicative"] = self.tr(
                "Multiplying needs a domain above 0; a 0 would stay 0 and give itself away."
            )
        if attribute.width <= 0:
            reason = self.tr("The domain is one point; widen it on the Data page.")
            reasons |= dict.fromkeys(("retention", "discretise"), reason)
        return reasons

    def _on_changed(self, build: Callable[[Attribute], Perturbation], gesture: str) -> None:
        problem = apply_to_selection(self.workbench, build, gesture)
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))

    def _on_segment(self, segment: str) -> None:
        def build(attribute: Attribute) -> Perturbation:
            rule = "staircase" if attribute.kind is Kind.INTEGER else None
            size: dict[str, float] = {"range_privacy": 50.0}
            if attribute.width <= 0:
                size = {"half_width" if rule else "sigma": 1.0}
            starts: dict[str, Callable[[], Perturbation]] = {
                "none": Identity,
                "additive": lambda: Additive(
                    noise="normal" if rule is None else "uniform", integer=rule,
                    **size,
                ),
                "multiplicative": lambda: Multiplicative(sigma=0.2),
                "retention": lambda: Retention(keep=0.5),
                "discretise": lambda: Discretise(intervals=5),
            }  # fmt: skip
            return starts[segment]()

        self._on_changed(build, "")
