"""One classifier of the list: tick, kind of reconstruction, and its settings to fold out."""

from __future__ import annotations

import dataclasses

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from ppworkbench.core.classify import BinningParams, classifiers
from ppworkbench.core.params import declarations
from ppworkbench.gui.forms.choice_words import choice_words
from ppworkbench.gui.forms.form import Form
from ppworkbench.gui.language.text import told
from ppworkbench.gui.pages.classify.words import short_name
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.elided_check import ElidedCheck
from ppworkbench.gui.widgets.icon_button import IconButton
from ppworkbench.gui.widgets.layouts import column, row

_TYPE = "reconstruction"
_HIDDEN = (_TYPE, "n_jobs")
"""The first has its place in the row; how many processes are used is not the person's affair."""


class ClassifierRow(QWidget):
    """Shows parameters it is given and tells what a person changes."""

    ticked = Signal(str, bool)
    edited = Signal(str, object)

    def __init__(self, themes: ThemeManager, name: str) -> None:
        super().__init__()
        self._themes = themes
        self.name = name
        kind = classifiers[name]
        self.setProperty("helpTopic", kind.help_topic)
        self._params: BinningParams = kind.params_type()
        self.form: Form | None = None
        self.box = ElidedCheck(short_name(name), told(classifiers.entry(name).label))
        self.box.setObjectName(f"classifier-{name}")
        self.type = self._make_type()
        self.more = IconButton(themes, "gear", self.tr("Settings of %s") % short_name(name), 15)
        self.more.setObjectName(f"settings-{name}")
        self.more.setCheckable(True)
        self.holder = QWidget()
        self._layout = column(parent=self.holder)
        self._layout.setContentsMargins(8, 4, 0, 8)
        self.holder.hide()
        head = row(self.box, self.type, self.more, spacing=2)
        head.setStretch(0, 1)
        column(head, self.holder, parent=self, spacing=2)
        self.box.clicked.connect(lambda on: self.ticked.emit(self.name, on))
        self.type.activated.connect(self._on_type)
        self.more.toggled.connect(self._on_more)
        themes.theme_changed.connect(self._restyle)
        self._restyle()

    def _make_type(self) -> QComboBox:
        box = QComboBox()
        box.setObjectName(f"reconstruction-{self.name}")
        # Eight of them stand above each other.
        box.setProperty("look", "compact")
        box.setAccessibleName(self.tr("Reconstruction of %s") % short_name(self.name))
        declared = {d.name: d for d in declarations(type(self._params))}
        if _TYPE in declared:
            for choice in declared[_TYPE].choices or ():
                box.addItem(choice_words(choice), choice)
            box.setToolTip(told(declared[_TYPE].info.help))
        elif "reconstructions" in declared:
            box.addItem(self.tr("several"), "")
            box.setEnabled(False)
            box.setToolTip(self.tr("It combines several types; they are among its settings."))
        else:
            box.addItem(self.tr("by class"), "")
            box.setEnabled(False)
            box.setToolTip(self.tr("It always reconstructs each class by itself."))
        return box

    @property
    def is_open(self) -> bool:
        """Whether the settings are folded out."""
        return self.more.isChecked()

    def show_choice(self, on: bool, params: BinningParams) -> None:
        """Show a tick and parameters."""
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
            self.edited.emit(self.name, dataclasses.replace(self._params, **{_TYPE: chosen}))

    def _on_more(self, is_open: bool) -> None:
        if is_open and self.form is None:
            # A form takes its time to be made, and few are ever looked at.
            self.form = Form(self._themes, type(self._params))
            self.form.setObjectName(f"form-{self.name}")
            for field in _HIDDEN:
                if field in self.form.fields:
                    self.form.fields[field].hide()
            self.form.show_params(self._params)
            self.form.edited.connect(lambda params, _: self.edited.emit(self.name, params))
            self._layout.addWidget(self.form)
        self.holder.setVisible(is_open)

    def _restyle(self) -> None:
        self.type.setFixedWidth(self._themes.theme.px(79))
