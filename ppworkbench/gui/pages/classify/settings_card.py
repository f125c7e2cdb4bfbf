"""The left column: what to foretell, by whom, compared with what, how often, how private."""

from __future__ import annotations

import dataclasses
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QWidget

from ppworkbench.analyses.experiments.classification import (
    FOREST_TOO,
    HIGHEST_LEVEL,
    LARGER,
    MOST_FOLDS,
    MOST_LEVELS,
    MOST_REPEATS,
    SAME_TREE,
    ClassifySettings,
    class_names,
    offered,
)
from ppworkbench.core.classify import BinningParams, classifiers
from ppworkbench.core.params import declarations
from ppworkbench.gui.language import translate
from ppworkbench.gui.pages.classify.view import (
    PAUSED,
    RUNNING,
    ClassifyView,
    class_hint,
    short_name,
    sweep_hint,
)
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.attribute_box import AttributeBox, offer_attributes
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import IconButton, IconLabel, Switch
from ppworkbench.gui.widgets.form import Form, choice_words
from ppworkbench.gui.widgets.labels import ElidedCheck
from ppworkbench.gui.widgets.layout import (
    column,
    line,
    named,
    reserve_width,
    row,
    scroll_area,
    show_words,
    text,
)
from ppworkbench.gui.widgets.number_fields import CountBox

_TYPE = "reconstruction"
_HIDDEN = (_TYPE, "n_jobs")
"""The first has its place in the row; how many processes are used is not the person's affair."""


class ClassifierRow(QWidget):
    """Shows parameters it is given and tells what a person changes."""

    ticked = Signal(bool)
    edited = Signal(object)

    def __init__(self, themes: ThemeManager, name: str) -> None:
        super().__init__()
        self._themes = themes
        self.name = name
        kind = classifiers[name]
        self.setProperty("helpTopic", kind.help_topic)
        self._params: BinningParams = kind.params_type()
        self.form: Form | None = None
        self.box = ElidedCheck(short_name(name), translate(classifiers.entry(name).label))
        self.box.setObjectName(f"classifier-{name}")
        self.type = self._make_type()
        self.more = IconButton(themes, "gear", self.tr("Settings of %s") % short_name(name), 15)
        self.more.setObjectName(f"settings-{name}")
        self.more.setCheckable(True)
        self.holder = QWidget()
        self._layout = column(parent=self.holder, margin=(8, 4, 0, 8))
        self.holder.hide()
        head = row(self.box, self.type, self.more, spacing=2, stretch=0)
        column(head, self.holder, parent=self, spacing=2)
        self.box.clicked.connect(self.ticked)
        self.type.activated.connect(self._on_type)
        self.more.toggled.connect(self._on_more)
        reserve_width(self.type, themes, 79)

    def _make_type(self) -> QComboBox:
        box = named(QComboBox(), f"reconstruction-{self.name}")
        # Eight of them stand above each other.
        box.setProperty("look", "compact")
        box.setAccessibleName(self.tr("Reconstruction of %s") % short_name(self.name))
        declared = {d.name: d for d in declarations(type(self._params))}
        if _TYPE in declared:
            for choice in declared[_TYPE].choices or ():
                box.addItem(choice_words(choice), choice)
            box.setToolTip(translate(declared[_TYPE].info.help))
        elif "reconstructions" in declared:
            box.addItem(self.tr("several"), "")
            box.setEnabled(False)
            box.setToolTip(self.tr("It combines several types; see its settings."))
        else:
            box.addItem(self.tr("by class"), "")
            box.setEnabled(False)
            box.setToolTip(self.tr("It always reconstructs each class separately."))
        return box

    @property
    def is_open(self) -> bool:
        return self.more.isChecked()

    def show_choice(self, on: bool, params: BinningParams) -> None:
        self._params = params
        self.box.setChecked(on)
        with QSignalBlocker(self.type):
            place = self.type.findData(getattr(params, _TYPE, ""))
            self.type.setCurrentIndex(max(place, 0))
        if self.form is not None and self.form.params != params:
            self.form.show_params(params)

    def _on_type(self, place: int) -> None:
        chosen = self.type.itemData(place)
        if chosen:
            self.edited.emit(dataclasses.replace(self._params, **{_TYPE: chosen}))

    def _on_more(self, is_open: bool) -> None:
        if is_open and self.form is None:
            # A form takes its time to be made, and few are ever looked at.
            self.form = named(Form(self._themes, type(self._params)), f"form-{self.name}")
            for field in _HIDDEN:
                if field in self.form.fields:
                    self.form.fields[field].hide()
            self.form.show_params(self._params)
            self.form.edited.connect(lambda params, _: self.edited.emit(params))
            self._layout.addWidget(self.form)
        self.holder.setVisible(is_open)


WIDTH = 270


class SettingsCard(Card):
    """Shows what is chosen and tells what a person changes."""

    settings_changed = Signal(object)
    """The settings as somebody wants them."""
    help_requested = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._settings = ClassifySettings()
        self._make_controls()
        self._make_sweep()
        self._arrange()
        self._connect()

    def _make_controls(self) -> None:
        words = self.tr("Class")
        self.target = AttributeBox(self._themes, "classifyTarget", words)
        self.target.setPlaceholderText(self.tr("choose a class"))
        self.target_hint = text("", "captionHint", wrap=True)
        self.help = IconButton(self._themes, "question", self.tr("About the classifiers"), 15)
        self.help.setObjectName("classifiersHelp")
        self.rows = {name: ClassifierRow(self._themes, name) for name in offered()}
        self.references = {
            SAME_TREE: QCheckBox(self.tr("same tree, undistorted answers")),
            LARGER: QCheckBox(self.tr("always the majority class")),
            FOREST_TOO: QCheckBox(self.tr("random forest, undistorted")),
        }
        for name, box in self.references.items():
            box.setObjectName(f"reference-{name}")
            box.setAccessibleName(box.text())
        self.folds = CountBox("folds", self.tr("Folds"), 2, MOST_FOLDS)
        self.repeats = CountBox("repeats", self.tr("Repeats"), 1, MOST_REPEATS)

    def _make_sweep(self) -> None:
        self.sweep = named(Switch(self._themes, self.tr("Privacy sweep")), "privacySweep")
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
        row(self.lock, self.lock_note, parent=self.lock_row, spacing=6, stretch=1)
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
        column(
            text(self.tr("Predict"), "strong"), self.target, self.target_hint, 2, line(), 2, head,
            column(*self.rows.values(), spacing=2), 2, line(), 2,
            text(self.tr("Compare with"), "strong"), *self.references.values(), 2, line(), 2,
            text(self.tr("Repeat"), "strong"),
            row(text(self.tr("folds")), self.folds, None, text(self.tr("repeats")), self.repeats),
            2, line(), 2,
            row(text(self.tr("Privacy sweep"), "strong"), self.sweep_help, None, self.sweep,
                spacing=4),
            self.range_row, self.sweep_hint,
            parent=self._groups, spacing=5,
        )  # fmt: skip
        whole = column(self._groups, self.lock_row, None, parent=self.content, spacing=6)
        whole.setContentsMargins(12, 10, 10, 10)
        self.body.addWidget(scroll_area(self.content), 1)

    def _connect(self) -> None:
        self.target.chosen.connect(lambda name: self._change(class_name=name))
        for name, one in self.rows.items():
            one.ticked.connect(
                lambda on, name=name: self._emit(self._settings.with_classifier(name, on))
            )
            one.edited.connect(
                lambda params, name=name: self._emit(self._settings.with_params(name, params))
            )
        for name, box in self.references.items():
            box.clicked.connect(
                lambda on, name=name: self._emit(self._settings.with_reference(name, on))
            )
        self.folds.valueChanged.connect(lambda value: self._change(folds=value))
        self.repeats.valueChanged.connect(lambda value: self._change(repeats=value))
        self.sweep.clicked.connect(lambda _: self._on_sweep())
        for field in (self.low, self.high, self.steps):
            field.valueChanged.connect(lambda _: self._on_sweep())
        self.help.clicked.connect(lambda: self.help_requested.emit("classification"))
        self.sweep_help.clicked.connect(lambda: self.help_requested.emit("experiments"))
        self.keep_at_least(WIDTH, self._themes)
        for field, width in (
            (self.folds, 60), (self.repeats, 60), (self.low, 60), (self.high, 68), (self.steps, 44),
        ):  # fmt: skip
            reserve_width(field, self._themes, width)

    def _emit(self, settings: ClassifySettings) -> None:
        self._settings = settings
        self.settings_changed.emit(settings)

    def _change(self, **changes: Any) -> None:
        self._emit(self._settings.with_(**changes))

    def _on_sweep(self) -> None:
        low = float(self.low.value())
        high = max(float(self.high.value()), low + 1)
        self._change(sweeps=self.sweep.isChecked(), low=low, high=high, steps=self.steps.value())

    # What is shown

    def set_view(self, view: ClassifyView) -> None:
        study, settings = view.study, view.settings
        self._settings = settings
        names, current = class_names(study), settings.class_of(study)
        self.target.offer(offer_attributes(study, names), current)
        self.target.setEnabled(bool(names))
        hint = class_hint(study, current)
        show_words(self.target_hint, hint)
        self._show_settings(settings)
        reason = {
            RUNNING: self.tr("locked during the run"),
            PAUSED: self.tr("paused; cancel to change the settings"),
        }.get(view.state, "")
        self._groups.setEnabled(not reason)
        self._groups.setToolTip(reason)
        self.lock_row.setVisible(bool(reason))
        self.lock_note.setText(reason)

    def _show_settings(self, settings: ClassifySettings) -> None:
        for name, one in self.rows.items():
            one.show_choice(name in settings.ticked, settings.params_of(name))
        for name, box in self.references.items():
            box.setChecked(name in settings.references)
        numbers = (
            (self.folds, settings.folds), (self.repeats, settings.repeats),
            (self.low, int(settings.low)), (self.high, int(settings.high)),
            (self.steps, settings.steps),
        )  # fmt: skip
        for field, value in numbers:
            with QSignalBlocker(field):
                field.setValue(value)
        self.sweep.setChecked(settings.sweeps)
        self.range_row.setVisible(settings.sweeps)
        self.sweep_hint.setText(sweep_hint(settings))
