"""What the editors of answers and of numbers have in common: a list, a panel, a goal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from ppworkbench.analyses.designs.mechanisms import (
    MechanismFigures,
    advise,
    sets_advice,
)
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Perturbation, perturbations
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number, significant
from ppworkbench.gui.pages.design.readouts import TargetRow
from ppworkbench.gui.pages.design.texts import hints, offered, refusals
from ppworkbench.gui.pages.design.view import DesignView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button, ChoiceBox, Clickable
from ppworkbench.gui.widgets.form import Form
from ppworkbench.gui.widgets.labels import ElidedLabel, LiveLabel
from ppworkbench.gui.widgets.layout import column, named, reserve_width, row, show_words, text
from ppworkbench.gui.widgets.number_fields import SliderRow, number_box
from ppworkbench.outputs.help.topic import key_about


class MechanismPanel(QWidget):
    """Where one mechanism is set; those without a panel have the form of their parameters."""

    changed = Signal(object, str)
    """A function that makes the mechanism of an attribute, and the gesture it is a part of."""
    help_requested = Signal(str)

    def set_view(self, view: DesignView, chosen: int) -> None:
        """Show a design; ``chosen`` is the true answer whose column is selected."""
        raise NotImplementedError

    def _choose(self, perturbation: Perturbation, gesture: str = "") -> None:
        self.changed.emit(lambda _: perturbation, gesture)


class SliderPanel(MechanismPanel):
    """One slider, and what its value means.

    ``read`` gives the value and the words of a mechanism, ``make`` the mechanism of a value.
    """

    def __init__(
        self,
        name: str,
        slider: SliderRow,
        read: Callable[[Any, Attribute], tuple[float, str]],
        make: Callable[[Any, float], Perturbation],
        *above: QWidget,
    ) -> None:
        super().__init__()
        self._shown: Any = None
        self._read, self._make = read, make
        self.slider = slider
        slider.set_names(name)
        slider.moved.connect(self._on_moved)
        self.note = LiveLabel(1, "captionHint")
        column(*above, slider, self.note, None, parent=self, spacing=6)

    def set_view(self, view: DesignView, chosen: int) -> None:  # noqa: ARG002
        self._shown = view.perturbation
        value, note = self._read(view.perturbation, view.attribute)
        self.slider.set_value(value)
        self.note.set_text(note)

    def _on_moved(self, value: float, gesture: str) -> None:
        self._choose(self._make(self._shown, value), gesture)


def reason_of(type_name: str) -> str:
    """Why somebody takes a mechanism, as a line of its own."""
    words = translate(perturbations.entry(type_name).hint) if type_name in perturbations else ""
    return words[:1].upper() + words[1:]


class _FiguresRow(Clickable):
    """One mechanism and its two figures; pressing it takes the mechanism."""

    def __init__(self, themes: ThemeManager, place: int) -> None:
        super().__init__(themes, "", "")
        self.setObjectName(f"comparedMechanism{place}")
        self.setMinimumHeight(themes.theme.px(24))
        self.title = ElidedLabel("body")
        self.share = text("", "body")
        self.mean = text("", "body")
        for one in (self.share, self.mean):
            reserve_width(one, themes, 96)
        line = row(self.title, self.share, self.mean, parent=self, spacing=8)
        line.setStretch(0, 1)
        line.setContentsMargins(6, 3, 6, 3)

    def show_figures(self, shown: MechanismFigures) -> None:
        title = translate(shown.title)
        self.title.setText(tr("%s (chosen)") % title if shown.is_current else title)
        share = tr("± %s points") % number(100 * shown.share, 1)
        mean = tr("± %s") % significant(shown.mean)
        self.share.setText(share)
        self.mean.setText(mean)
        self.setAccessibleName(title)
        self.setAccessibleDescription(
            tr("%s: a share %s, the mean score %s.") % (title, share, mean)
        )


class MechanismAdviceLines(QWidget):
    """The reason for the chosen mechanism, figures of others, and presses that take them."""

    chosen = Signal(object)
    """A mechanism for the question is wanted."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._view: DesignView | None = None
        self._compared: tuple[MechanismFigures, ...] = ()
        self.reason = named(text("", "captionHint", wrap=True), "mechanismReason")
        self.sets = named(text("", "captionHint", wrap=True), "setsReason")
        self.rows = [_FiguresRow(themes, place) for place in range(2)]
        for place, one in enumerate(self.rows):
            one.clicked.connect(lambda place=place: self._on_row(place))
        self.heading = ElidedLabel("captionHint")
        heads = [text(words, "captionHint") for words in (tr("share"), tr("mean score"))]
        for head in heads:
            reserve_width(head, themes, 96)
        self.table = QWidget()
        top = row(self.heading, *heads, spacing=8)
        top.setStretch(0, 1)
        top.setContentsMargins(6, 0, 6, 0)
        column(top, *self.rows, parent=self.table, spacing=0)
        self.warning = text(
            tr("Some answers are ruled out, so epsilon is infinite."), "warning", wrap=True
        )
        self.epsilon = number_box(
            themes, "finiteEpsilon", tr("Wanted epsilon"), 0.01, 20, decimals=2, step=0.1,
            prefix="ε ", width=90,
        )  # fmt: skip
        self.epsilon.show_value(1.0)
        self.finite = named(Button(themes, tr("Make epsilon finite")), "makeFinite")
        self.finite.setToolTip(tr("Adds uniform noise until ε is reached"))
        self.finite.clicked.connect(self._on_finite)
        self.repair = QWidget()
        column(
            self.warning, row(self.finite, self.epsilon, None, spacing=8), parent=self.repair,
            spacing=4,
        )  # fmt: skip
        column(self.reason, self.sets, self.table, self.repair, parent=self, spacing=4)

    def set_view(self, view: DesignView, *, has_form: bool) -> None:
        """Show what helps to choose the mechanism of the question.

        A panel of its own tells already what a mechanism is for; a form of parameters does not.
        """
        self._view = view
        advice = advise(view.report)
        sets = sets_advice(view.report)
        show_words(self.reason, reason_of(view.perturbation.type_name) if has_form else "")
        show_words(self.sets, translate(sets.words) if sets.is_due else "")
        self.setToolTip(translate(sets.words))
        self._compared = advice.compared
        # Beside an open matrix there is room for the repair only, which matters more.
        self.table.setVisible(bool(advice.compared) and advice.finite is None)
        self.heading.setText(tr("At ε = %s") % number(advice.epsilon, 2))
        for one, shown in zip(self.rows, advice.compared, strict=False):
            one.show_figures(shown)
        self.repair.setVisible(advice.finite is not None)
        parts = (self.reason, self.sets, self.table, self.repair)
        self.setHidden(all(part.isHidden() for part in parts))
        self._reserve_lines()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._reserve_lines()

    def _reserve_lines(self) -> None:
        """Ask for the height of wrapped words; else the cards below would be squeezed."""
        for label in (self.reason, self.sets, self.warning):
            needed = label.heightForWidth(self.width()) if label.text() else 0
            if needed != label.minimumHeight():
                label.setMinimumHeight(max(needed, 0))

    def _on_row(self, place: int) -> None:
        if place < len(self._compared) and not self._compared[place].is_current:
            self.chosen.emit(self._compared[place].perturbation)

    def _on_finite(self) -> None:
        if self._view is None:
            return
        made = self._view.perturbation.made_finite(self._view.attribute.k, self.epsilon.value())
        if made is not None:
            self.chosen.emit(made)


class MechanismEditor(Card):
    """The mechanisms to choose from, where the chosen one is set, and a measure to aim for."""

    mechanism_chosen = Signal(object, str)
    """A function that makes the mechanism of an attribute, and the gesture it is a part of."""
    help_requested = Signal(str)
    panels: ClassVar[Mapping[str, Callable[[ThemeManager], MechanismPanel]]] = {}
    """What makes the panels of mechanisms that have one of their own."""

    def __init__(
        self, themes: ThemeManager, title: str, name: str, kind: Kind, nothing: str
    ) -> None:
        super().__init__(title)
        self._themes = themes
        self.segments = named(ChoiceBox(title, self._choices(kind)), name)
        self.segments.chosen.connect(self._on_segment)
        self.head.addWidget(self.segments)
        # The choices say enough where there is no room for both.
        self.title_label.setMinimumWidth(1)
        self.stack = QStackedWidget()
        self._panels: dict[str, QWidget] = {}
        self._add_panel("none", text(nothing, "secondary", wrap=True))
        self.aim = TargetRow(themes)
        self.aim.solved.connect(self._apply)
        self.problem = text("", "warning", wrap=True)
        self.problem.hide()

    def _choices(self, kind: Kind) -> list[tuple[str, str]]:
        return [(entry.name, translate(entry.title)) for entry in offered(kind)]

    def _add_panel(self, segment: str, panel: QWidget) -> None:
        self._panels[segment] = panel
        self.stack.addWidget(panel)

    def panel(self, segment: str) -> QWidget:
        """Where a mechanism is edited: its own panel, or a form of its parameters.

        It is made for the first attribute that needs it: all of them took a quarter of the page's
        first showing.
        """
        if segment in self.panels and segment not in self._panels:
            panel = self.panels[segment](self._themes)
            panel.changed.connect(self.mechanism_chosen)
            panel.help_requested.connect(self.help_requested)
            self._add_panel(segment, panel)
        elif segment not in self._panels:
            form = Form(self._themes, perturbations[segment])
            form.edited.connect(self._apply)
            self._add_panel(segment, form)
        return self._panels[segment]

    def _show_panel(self, segment: str, view: DesignView, chosen: int = 0) -> QWidget:
        """Where a mechanism is edited, with the design of now."""
        panel = self.panel(segment)
        if isinstance(panel, MechanismPanel):
            panel.set_view(view, chosen)
        elif isinstance(panel, Form):
            panel.show_params(view.perturbation)
        return panel

    def _offer(self, view: DesignView, segment: str) -> None:
        kind = view.attribute.kind
        self.segments.set_choices(self._choices(kind))
        self.segments.set_hints(hints(kind))
        self.show_title_beside(self.segments)
        self.segments.set_disabled(refusals(view.attribute))
        self.segments.set_current(segment)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.show_title_beside(self.segments)

    def set_view(self, view: DesignView) -> None:
        raise NotImplementedError

    def ask_for_help(self) -> None:
        topic = key_about("perturbation", self.segments.current, "mechanisms")
        self.help_requested.emit(topic)

    def show_problem(self, sentence: str) -> None:
        """Say why the attribute cannot be distorted like that; empty if it can."""
        show_words(self.problem, sentence)

    def _apply(self, perturbation: Perturbation, gesture: str = "") -> None:
        self.mechanism_chosen.emit(lambda _: perturbation, gesture)

    def _on_segment(self, segment: str) -> None:
        self.mechanism_chosen.emit(perturbations[segment].start, "")
