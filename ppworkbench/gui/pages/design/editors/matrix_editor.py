"""The editor of an attribute with values: mechanism, sliders and the matrix."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from ppworkbench.analyses.design import edited_column
from ppworkbench.analyses.mechanisms import matrix_before
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Custom, Perturbation, Uniform, perturbations
from ppworkbench.core.design.presets import named_design
from ppworkbench.core.privacy.assess import matrix_of
from ppworkbench.gui.charts.matrix import MatrixGrid, short_probability
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.numbers import percent as whole_percent
from ppworkbench.gui.pages.design.devices.device_card import DeviceLine
from ppworkbench.gui.pages.design.editors.examples import ValueJourney
from ppworkbench.gui.pages.design.editors.matrix_exchange import MatrixExchange
from ppworkbench.gui.pages.design.editors.matrix_panels import (
    BinaryPanel,
    DevicesPanel,
    KeepPanel,
    NeighboursPanel,
)
from ppworkbench.gui.pages.design.editors.mechanism_advice import MechanismAdviceLines, reason_of
from ppworkbench.gui.pages.design.readouts import TargetRow
from ppworkbench.gui.pages.design.texts import hints, offered, refusals
from ppworkbench.gui.pages.design.view import DesignView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card, Section
from ppworkbench.gui.widgets.controls import ChoiceBox, IconButton
from ppworkbench.gui.widgets.form import Form
from ppworkbench.gui.widgets.labels import ElidedLabel, LiveLabel, announce
from ppworkbench.gui.widgets.layout import line, named, row, show_words, text
from ppworkbench.outputs.help import key_about

Vector = NDArray[np.float64]


def percent(share: float) -> str:
    """A percentage with a digit after the point where it would be lost otherwise."""
    return whole_percent(share, 0 if abs(100 * share - round(100 * share)) < 0.05 else 1)


def column_reading(
    speaker: QObject,
    perturbation: Perturbation,
    matrix: Vector,
    values: tuple[str, ...],
    chosen: int,
) -> str:
    """What happens to one true answer, and what was normalised."""
    column = matrix[:, chosen]
    order = [i for i in np.argsort(-column) if i != chosen and column[i] > 0]
    stays = speaker.tr("%s report it") % percent(float(column[chosen]))
    moves = [
        speaker.tr("%s report “%s”") % (percent(float(column[i])), values[i]) for i in order[:3]
    ]
    if len(order) > 3:
        rest = float(column[order[3:]].sum())
        moves.append(speaker.tr("%s report another value") % percent(rest))
    sentence = speaker.tr("<b>True answer “%s”:</b> %s.") % (
        _safe(values[chosen]), _safe(", ".join([stays, *moves]))
    )  # fmt: skip
    sums = perturbation.values.end_weights()
    if sums is not None and len(values) > 1:
        total, inner = sums
        if abs(total - inner) > 1e-9:
            sentence += " " + speaker.tr(
                "The end columns sum to %s and are rescaled to 1; there the answer is "
                "kept with probability %s."
            ) % (number(total, 2), short_probability(float(matrix[0, 0])))
    return sentence


def _safe(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;")


P = TypeVar("P", KeepPanel, BinaryPanel, NeighboursPanel, DevicesPanel)
_DEVICES = "devices"
_OPEN = ("ordinal", "custom")
"""Mechanisms whose matrix is in sight from the beginning: there it says what a slider does not."""
_RANK_OF_DEVICES = 30
"""Named designs have a place of their own among the mechanisms."""


class MatrixEditor(Card):
    """Everything about the current attribute's P-matrix."""

    mechanism_chosen = Signal(object, str)
    """A function that makes the mechanism of an attribute, and the gesture it is a part of."""
    matrix_typed = Signal(object)
    """A matrix for the current attribute alone."""
    matrix_copied = Signal()
    failed = Signal(object)
    """The exception of a matrix file that cannot be read."""
    help_requested = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(tr("Randomisation"))
        self._themes = themes
        self._view: DesignView | None = None
        self._locked: dict[str, frozenset[tuple[int, int]]] = {}
        self._fitted: tuple[str, str, tuple[str, ...]] | None = None
        self._wants_matrix = False
        """Whether somebody unfolded the matrix of a mechanism that does without it."""
        self.segments = ChoiceBox(self.tr("Randomisation"), self._choices(Kind.NOMINAL))
        self.segments.setObjectName("mechanism")
        self.segments.chosen.connect(self._on_segment)
        self.head.addWidget(self.segments)
        # The choices say enough where there is no room for both.
        self.title_label.setMinimumWidth(1)
        self.stack = QStackedWidget()
        plain = self.tr("Answers are not randomised.")
        custom = self.tr(
            "Type in the matrix below, lock cells with L, or paste a matrix from a spreadsheet."
        )
        self._panels: dict[str, QWidget] = {
            "none": text(plain, "secondary", wrap=True),
            "custom": text(custom, "secondary", wrap=True),
        }
        for panel in self._panels.values():
            self.stack.addWidget(panel)
        self._forms: dict[str, Form] = {}
        self.stack.installEventFilter(self)
        self.naming = named(text("", "secondary", wrap=True), "setNaming")
        self.advice = MechanismAdviceLines(themes)
        self.advice.chosen.connect(self._apply)
        self.device = DeviceLine(themes)
        self.aim = TargetRow(themes)
        self.aim.solved.connect(self._apply)
        self.problem = text("", "warning", wrap=True)
        self.problem.hide()
        self._build_matrix()

    # Panels are made for the first attribute that needs them: all of them took a quarter of the
    # page's first showing.

    @cached_property
    def keep(self) -> KeepPanel:
        """Where the share of kept answers is chosen."""
        return self._added("uniform", KeepPanel(self._themes))

    @cached_property
    def pq(self) -> BinaryPanel:
        """Where the two shares of a yes-or-no question are chosen."""
        return self._added("binary", BinaryPanel())

    @cached_property
    def neighbours(self) -> NeighboursPanel:
        """Where the weights of the neighbours on a scale are chosen."""
        made = self._added("ordinal", NeighboursPanel(self._themes))
        made.turned.connect(self._fit_soon)
        made.help_requested.connect(self.help_requested)
        return made

    @cached_property
    def devices(self) -> DevicesPanel:
        """Where a named design is chosen."""
        return self._added(_DEVICES, DevicesPanel(self._themes))

    def _added(self, segment: str, panel: P) -> P:
        panel.changed.connect(self._apply)
        self._panels[segment] = panel
        self.stack.addWidget(panel)
        return panel

    def _build_matrix(self) -> None:
        themes = self._themes
        self.grid = MatrixGrid(themes)
        self.grid.column_selected.connect(lambda _: self._show())
        self.grid.cell_edited.connect(self._on_cell)
        self.grid.cell_refused.connect(self._refuse)
        self.grid.lock_toggled.connect(self._on_lock)
        self.exchange = MatrixExchange(themes, self.grid)
        self.exchange.copied.connect(self.matrix_copied)
        self.exchange.failed.connect(self.failed)
        self.exchange.read.connect(self._apply)
        self.exchange.refused.connect(self._refuse)
        self.unlock = IconButton(themes, "unlock", self.tr("Unlock all cells"), 16)
        self.unlock.setObjectName("unlockCells")
        self.unlock.clicked.connect(self._on_unlock)
        self.load = IconButton(themes, "import", self.tr("Load matrix from file"), 16)
        self.load.setObjectName("importMatrix")
        self.load.clicked.connect(self.exchange.load)
        self.copy = named(IconButton(themes, "copy", self.tr("Copy matrix"), 16), "copyMatrix")
        self.copy.clicked.connect(self.exchange.copy)
        self.reading = LiveLabel(2)
        self.body.addWidget(self.stack)
        self.body.addWidget(self.naming)
        self.body.addWidget(self.advice)
        self.body.addWidget(self.device)
        self.body.addWidget(self.aim)
        self.body.addWidget(self.problem)
        self.body.addWidget(line())
        self.section = Section(themes, self.tr("Transition matrix"), "showMatrix")
        self.section.body.addLayout(
            row(ElidedLabel("captionHint", self.tr("type to edit a cell, L locks it"), hugs=True),
                None, self.unlock, self.load, self.copy, spacing=6)
        )  # fmt: skip
        self.section.body.addWidget(self.grid, 1)
        self.section.body.addWidget(self.reading)
        stretching = self.section.layout()
        assert isinstance(stretching, QVBoxLayout)  # noqa: S101 (a column)
        stretching.setStretch(1, 1)
        self.section.button.clicked.connect(self._on_folded)
        self.body.addWidget(self.section)
        self.section.toggled.connect(
            lambda is_open: self.body.setStretchFactor(self.section, int(is_open))
        )
        self.journey: ValueJourney | None = None
        self.body.addStretch(0)

    def ask_for_help(self) -> None:
        """Ask for the page about the mechanism that is chosen."""
        if self.segments.current == _DEVICES:
            topic = key_about("named design", self.devices.chosen, "named-designs")
        else:
            topic = key_about("perturbation", self.segments.current, "mechanisms")
        self.help_requested.emit(topic)

    def set_roomy(self, roomy: bool) -> None:
        """Have larger cells and one answer's journey, for a wide window."""
        self.grid.set_roomy(roomy)
        if roomy and self.journey is None:
            self.journey = ValueJourney(self._themes)
            self.body.insertWidget(self.body.count() - 1, self.journey)
        if self.journey is not None:
            self.journey.setHidden(not roomy)
            self._show_journey()

    def _show_journey(self) -> None:
        if self.section.isHidden():
            return
        if self.journey is not None and not self.journey.isHidden():
            self.journey.show_column(self.grid.values, self.grid.chances, self.grid.column)

    def _choices(self, kind: Kind) -> list[tuple[str, str]]:
        ranked = [(entry.rank, entry.name, translate(entry.title)) for entry in offered(kind)]
        ranked.append((_RANK_OF_DEVICES, _DEVICES, self.tr("Named designs")))
        return [(name, title) for _, name, title in sorted(ranked, key=lambda one: one[0])]

    # Showing the study

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.show_title_beside(self.segments)

    def set_view(self, view: DesignView) -> None:
        """Show the mechanism of an attribute with values."""
        self._view = view
        self._show()
        self.advice.set_view(view, has_form=self.segments.current in self._forms)
        told = [reason_of(view.perturbation.type_name), self.advice.toolTip()]
        self.segments.setToolTip("\n".join(words for words in told if words))
        self.device.set_view(view)
        self.aim.set_view(view)

    def _show(self) -> None:
        view = self._view
        if view is None:
            return
        attribute, perturbation = view.attribute, view.perturbation
        segment = _segment(perturbation, attribute.values)
        self.segments.set_choices(self._choices(attribute.kind))
        self.segments.set_hints(hints(attribute.kind))
        self.show_title_beside(self.segments)
        self.segments.set_disabled(refusals(attribute))
        self.segments.set_current(segment)
        panel, is_set = self._panel(segment), perturbation.reports_sets
        if not is_set:
            # Before it comes to the front: each part that appears there lays the card out anew.
            self._show_matrix(view, segment)
        self.stack.setCurrentWidget(panel)
        self.section.setHidden(is_set)
        show_words(self.naming, translate(perturbation.in_words(attribute)) if is_set else "")
        if is_set:
            self._forms[segment].show_params(perturbation)
        shown = segment, perturbation.type_name, attribute.values
        if shown != self._fitted:
            self._fitted = shown
            is_open = self._wants_matrix or segment in _OPEN
            self.section.button.setChecked(is_open and not is_set)
            self._fit_stack()
            # A form that was made just now knows its height only after it was laid out.
            self._fit_soon()
        self._show_journey()
        if not self.grid.is_editing:
            self.problem.hide()

    def _show_matrix(self, view: DesignView, segment: str) -> None:
        """Show the matrix, and the panel that changes it."""
        attribute, perturbation = view.attribute, view.perturbation
        matrix = matrix_of(attribute, perturbation)
        self.grid.locked = self._locked.get(view.name, frozenset())
        self.grid.show_matrix(matrix, attribute.values)
        self._show_panel(segment, perturbation, matrix)
        self.reading.set_text(
            column_reading(self, perturbation, matrix, attribute.values, self.grid.column)
        )

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Give the panel in front the height of its new type, once all of it has that."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and getattr(self, "_fitted", None) is not None:
            self._fit_soon()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Make room for a sentence that appears in the panel in front."""
        if watched is self.stack and event.type() == QEvent.Type.LayoutRequest:
            self._fit_soon()
        return super().eventFilter(watched, event)

    def _on_folded(self, is_open: bool) -> None:
        if self.segments.current not in _OPEN:
            self._wants_matrix = is_open

    def _fit_soon(self) -> None:
        # A height that is set while the layout asks for one would make it ask again. Panels in a
        # column, which needs no height set, make the page lose its columns after a projection.
        QTimer.singleShot(0, self, self._fit_stack)

    def _fit_stack(self) -> None:
        """Give the panel in front its own height, not that of the tallest."""
        current = self.stack.currentWidget()
        layout = current.layout()
        if layout is not None:
            layout.activate()
        height = max(current.sizeHint().height(), current.minimumSizeHint().height())
        if current.hasHeightForWidth():
            height = max(height, current.heightForWidth(self.stack.width()))
        self.stack.setFixedHeight(height)

    def _panel(self, segment: str) -> QWidget:
        """Where a mechanism is edited: its own panel, or a form of its parameters."""
        own = {"uniform": "keep", "binary": "pq", "ordinal": "neighbours", _DEVICES: "devices"}
        if segment in own:
            panel: QWidget = getattr(self, own[segment])
            return panel
        if segment not in self._panels:
            form = Form(self._themes, perturbations[segment])
            form.edited.connect(self._apply)
            self._forms[segment] = self._panels[segment] = form
            self.stack.addWidget(form)
        return self._panels[segment]

    def _show_panel(self, segment: str, perturbation: Any, matrix: np.ndarray) -> None:
        values = self.grid.values
        shown: dict[str, Callable[[], None]] = {
            "uniform": lambda: self.keep.show_keep(perturbation, len(values)),
            "binary": lambda: self.pq.show_binary(perturbation, values),
            "ordinal": lambda: self.neighbours.show_weights(
                perturbation, len(values), matrix, self.grid.column
            ),
        }
        if perturbation.type_name in shown:
            shown[perturbation.type_name]()
        if segment == _DEVICES:
            self.devices.show_values(values, perturbation)
        elif segment in self._forms:
            self._forms[segment].show_params(perturbation)

    # Changing the design

    def show_problem(self, sentence: str) -> None:
        """Say why the attribute cannot be distorted like that; empty if it can."""
        show_words(self.problem, sentence)

    def _apply(self, perturbation: Perturbation, gesture: str = "") -> None:
        def build(_: Attribute) -> Perturbation:
            return perturbation

        self.mechanism_chosen.emit(build, gesture)

    def _on_segment(self, segment: str) -> None:
        if self._view is None:
            return
        attribute, perturbation = self._view.attribute, self._view.perturbation
        before = matrix_before(attribute, perturbation)
        if segment == _DEVICES:
            # Other matrices are no device; a uniform one can be the beginning of one.
            start = Uniform.start(attribute, before)
            is_matrix = not perturbation.is_identity and not perturbation.reports_sets
            like = is_matrix and self.devices.like(attribute.values, before)
            uniform = start.values.matrix(attribute.k)
            self._apply(like or self.devices.like(attribute.values, uniform) or start)
            return
        self._apply(perturbations[segment].start(attribute, before))

    def _on_cell(self, row_: int, column: int, value: float) -> None:
        view = self._view
        if view is None:
            return
        matrix = matrix_of(view.attribute, view.perturbation)
        locked = {r for r, c in self._locked.get(view.name, frozenset()) if c == column}
        changed = edited_column(matrix[:, column], row_, value, locked)
        if changed is None:
            self._refuse(self.tr("The locked cells already sum to 1; unlock one."))
            return
        new = matrix.copy()
        new[:, column] = changed
        self.matrix_typed.emit(Custom.of(new))

    def _on_lock(self, row_: int, column: int) -> None:
        if self._view is not None:
            name = self._view.name
            self._locked[name] = self._locked.get(name, frozenset()) ^ {(row_, column)}
            self._show()

    def _on_unlock(self) -> None:
        if self._view is not None:
            self._locked.pop(self._view.name, None)
            self._show()

    def _refuse(self, sentence: str) -> None:
        self.show_problem(sentence)
        announce(self.grid, sentence)


def _segment(perturbation: Perturbation, values: tuple[str, ...]) -> str:
    """Where a perturbation is edited: at its device if one was chosen."""
    if named_design(perturbation, values) is not None:
        return _DEVICES
    return perturbation.type_name
