"""The left column: what to foretell, by whom, compared with what, how often, how private."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from ppworkbench.gui.pages.classify.choices import (
    FOREST_TOO,
    HIGHEST_LEVEL,
    LARGER,
    MOST_FOLDS,
    MOST_LEVELS,
    MOST_REPEATS,
    SAME_TREE,
    Choices,
)
from ppworkbench.gui.pages.classify.classifier_row import ClassifierRow
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.attribute_box import AttributeBox
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.count_box import CountBox
from ppworkbench.gui.widgets.icon_button import IconButton, IconLabel
from ppworkbench.gui.widgets.layouts import Item, column, line, row, scroll_area, text
from ppworkbench.gui.widgets.switch import Switch

WIDTH = 270
_GAP = 5
_HALF = 5
"""Classifiers whose rows have a style sheet together."""


class SettingsCard(Card):
    """Knows no study: it shows what it is given and tells what a person does."""

    class_chosen = Signal(str)
    ticked = Signal(str, bool)
    params_edited = Signal(str, object)
    referred = Signal(str, bool)
    folding_chosen = Signal(int, int)
    """Folds and repeats."""
    sweep_chosen = Signal(bool, float, float, int)
    """Whether to sweep, the lowest and the highest level, and how many."""
    help_requested = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._make_controls()
        self._make_sweep()
        self._arrange()
        self._connect()

    def _make_controls(self) -> None:
        words = self.tr("Attribute to be foretold")
        self.target = AttributeBox(self._themes, "classifyTarget", words)
        self.target.setPlaceholderText(self.tr("choose an attribute"))
        self.target_hint = text("", "captionHint", wrap=True)
        self.help = IconButton(self._themes, "question", self.tr("About the classifiers"), 15)
        self.help.setObjectName("classifiersHelp")
        self.rows: dict[str, ClassifierRow] = {}
        self._lists = [QWidget(), QWidget()]
        for half in self._lists:
            column(parent=half, spacing=2)
        self.references = {
            SAME_TREE: QCheckBox(self.tr("same tree, undistorted answers")),
            LARGER: QCheckBox(self.tr("always the larger class")),
            FOREST_TOO: QCheckBox(self.tr("random forest, undistorted")),
        }
        for name, box in self.references.items():
            box.setObjectName(f"reference-{name}")
            box.setAccessibleName(box.text())
        self.folds = CountBox("folds", self.tr("Folds"), 2, MOST_FOLDS)
        self.repeats = CountBox("repeats", self.tr("Repeats"), 1, MOST_REPEATS)

    def _make_sweep(self) -> None:
        self.sweep = Switch(self._themes, self.tr("Privacy sweep"))
        self.sweep.setObjectName("privacySweep")
        self.low = CountBox("sweepLow", self.tr("Lowest level"), 0, HIGHEST_LEVEL)
        self.high = CountBox("sweepHigh", self.tr("Highest level"), 1, HIGHEST_LEVEL)
        for box in (self.low, self.high):
            box.setSuffix("\u202f%")
        self.steps = CountBox("sweepSteps", self.tr("Number of levels"), 2, MOST_LEVELS)
        self.sweep_hint = text("", "captionHint", wrap=True)
        self.sweep_help = IconButton(self._themes, "question", self.tr("About the levels"), 15)
        self.sweep_help.setObjectName("sweepHelp")

    def _arrange(self) -> None:
        self.lock = IconLabel(self._themes, "lock", "text3", 15)
        self.lock_note = text("", "captionHint", wrap=True)
        self.lock_row = QWidget()
        lock = row(self.lock, self.lock_note, parent=self.lock_row, spacing=6)
        lock.setStretch(1, 1)
        self.lock_row.hide()
        self.range_row = QWidget()
        row(
            self.low, text(self.tr("to"), "captionHint"), self.high, None,
            text(self.tr("levels", "sweep"), "captionHint"), self.steps,
            parent=self.range_row, spacing=4,
        )  # fmt: skip
        head = row(
            text(self.tr("Classifiers"), "strong"), self.help, None,
            text(self.tr("reconstruct"), "captionHint"), 38, spacing=4,
        )  # fmt: skip
        self.content = QWidget()
        self._groups = QWidget()
        rows = QWidget()
        column(*self._lists, parent=rows, spacing=2)
        column(
            _group(
                text(self.tr("Predict"), "strong"), self.target, self.target_hint, 2, line(), 2,
                head,
            ),
            rows,
            _group(
                2, line(), 2,
                text(self.tr("Compare with"), "strong"), *self.references.values(), 2, line(), 2,
                text(self.tr("Repeat"), "strong"),
                row(text(self.tr("folds")), self.folds, None, text(self.tr("repeats")),
                    self.repeats),
            ),
            _group(
                2, line(), 2,
                row(text(self.tr("Privacy sweep"), "strong"), self.sweep_help, None, self.sweep,
                    spacing=4),
                self.range_row, self.sweep_hint,
            ),
            parent=self._groups, spacing=_GAP,
        )  # fmt: skip
        whole = column(self._groups, self.lock_row, None, parent=self.content, spacing=6)
        whole.setContentsMargins(12, 10, 10, 10)
        self.body.addWidget(scroll_area(self.content), 1)

    def _connect(self) -> None:
        self.target.chosen.connect(self.class_chosen)
        for name, box in self.references.items():
            box.clicked.connect(lambda on, name=name: self.referred.emit(name, on))
        for box in (self.folds, self.repeats):
            box.valueChanged.connect(
                lambda _: self.folding_chosen.emit(self.folds.value(), self.repeats.value())
            )
        self.sweep.clicked.connect(lambda _: self._tell_sweep())
        for box in (self.low, self.high, self.steps):
            box.valueChanged.connect(lambda _: self._tell_sweep())
        self.help.clicked.connect(lambda: self.help_requested.emit("classification"))
        self.sweep_help.clicked.connect(lambda: self.help_requested.emit("experiments"))
        self._themes.theme_changed.connect(self._restyle)
        self._restyle()

    def _tell_sweep(self) -> None:
        self.sweep_chosen.emit(
            self.sweep.isChecked(), float(self.low.value()), float(self.high.value()),
            self.steps.value(),
        )  # fmt: skip

    def add_classifier(self, name: str) -> None:
        """Put a classifier below the others; each takes its time to be made."""
        made = ClassifierRow(self._themes, name)
        made.ticked.connect(self.ticked)
        made.edited.connect(self.params_edited)
        self.rows[name] = made
        half = self._lists[len(self.rows) > _HALF]
        half.layout().addWidget(made)

    # What is shown

    def show_targets(self, targets: Sequence[tuple[str, str]], current: str | None) -> None:
        """Offer (name, kind) pairs."""
        self.target.offer([(name, kind, "") for name, kind in targets], current)

    def show_target_hint(self, hint: str) -> None:
        """Say what is odd about the chosen class."""
        self.target_hint.setText(hint)
        self.target_hint.setVisible(bool(hint))

    def show_choices(self, choices: Choices, hint: str) -> None:
        """Show everything but the class."""
        for name, one in self.rows.items():
            one.show_choice(name in choices.ticked, choices.params_of(name))
        for name, box in self.references.items():
            box.setChecked(name in choices.references)
        numbers = (
            (self.folds, choices.folds), (self.repeats, choices.repeats),
            (self.low, int(choices.low)), (self.high, int(choices.high)),
            (self.steps, choices.steps),
        )  # fmt: skip
        for box, value in numbers:
            with QSignalBlocker(box):
                box.setValue(value)
        self.sweep.setChecked(choices.sweeps)
        self.range_row.setVisible(choices.sweeps)
        self.sweep_hint.setText(hint)

    def set_locked(self, reason: str) -> None:
        """Lock every control while a run needs them as they are; empty unlocks."""
        self._groups.setEnabled(not reason)
        self._groups.setToolTip(reason)
        self.lock_row.setVisible(bool(reason))
        self.lock_note.setText(reason)

    def _restyle(self) -> None:
        theme = self._themes.theme
        self.keep_at_least(theme.px(WIDTH))
        for box in (self.folds, self.repeats):
            box.setFixedWidth(theme.px(60))
        self.low.setFixedWidth(theme.px(60))
        self.high.setFixedWidth(theme.px(68))
        self.steps.setFixedWidth(theme.px(44))


def _group(*items: Item) -> QWidget:
    """Settings that have a style sheet together."""
    holder = QWidget()
    column(*items, parent=holder, spacing=_GAP)
    return holder
