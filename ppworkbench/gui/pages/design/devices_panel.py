"""Named designs with their own parameters and the recipe in words."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from ppworkbench.core.design import Perturbation
from ppworkbench.core.design.perturbation import Numbers
from ppworkbench.core.design.presets import Preset, named_design, presets
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.forms.form import Form
from ppworkbench.gui.language.text import told
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.layouts import column, row, text


class DevicesPanel(QWidget):
    """A list of devices, the form of the chosen one, and what the respondent does."""

    changed = Signal(object, str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._values: tuple[str, ...] = ("no", "yes")
        self._chosen = "warner"
        self._preset: Preset | None = None
        self.choice = QComboBox()
        self.choice.setObjectName("device")
        self.choice.setAccessibleName(self.tr("Device"))
        self.choice.activated.connect(self._on_chosen)
        self.recipe = text("", "secondary", wrap=True)
        self.reference = text("", "captionHint")
        self._form_place = column()
        self.form: Form | None = None
        self._layout = column(
            row(text(self.tr("Device"), "label"), self.choice, None), self._form_place,
            self.recipe, self.reference, None, parent=self, spacing=8,
        )  # fmt: skip

    @property
    def chosen(self) -> str:
        """The name of the device that is shown."""
        return self._chosen

    def show_values(self, values: tuple[str, ...], perturbation: Perturbation) -> None:
        """Show the device that was chosen for the perturbation."""
        self._values = values
        self._offer()
        found = named_design(perturbation, values)
        if found is None:
            return
        self._chosen = found.name
        if not self._is_same(found.preset):
            self._show(found.preset)
        with QSignalBlocker(self.choice):
            self.choice.setCurrentIndex(self.choice.findData(found.name))

    def like(self, values: tuple[str, ...], matrix: Numbers) -> Perturbation | None:
        """The same matrix as a device: the one that was last shown if it can do it."""
        self._values = values
        names = self._names()
        for name in (*(n for n in (self._chosen, "kuk") if n in names), *names):
            preset = presets[name].recognise(matrix)
            if preset is not None:
                return preset.perturbation(values)
        return None

    def _is_same(self, preset: Preset) -> bool:
        if self._preset is None or type(self._preset) is not type(preset):
            return False
        try:
            k = len(self._values)
            before = self._preset.perturbation(self._values).matrix(k)
            return bool(abs(before - preset.perturbation(self._values).matrix(k)).max() < 1e-9)
        except WorkbenchError:
            return False

    def _names(self) -> list[str]:
        two = len(self._values) == 2
        return [e.name for e in presets if two or not e.item.two_values]

    def _offer(self) -> None:
        names = self._names()
        shown = [self.choice.itemData(i) for i in range(self.choice.count())]
        if names == shown:
            return
        with QSignalBlocker(self.choice):
            self.choice.clear()
            for name in names:
                self.choice.addItem(told(presets.entry(name).label), name)
        if self._chosen not in names:
            self._chosen = names[0]

    def _on_chosen(self) -> None:
        self._chosen = str(self.choice.currentData())
        self._show(presets[self._chosen]())
        self._emit("")

    def _show(self, preset: Preset) -> None:
        self._preset = preset
        if self.form is None or self.form.declared is not type(preset):
            if self.form is not None:
                self._form_place.removeWidget(self.form)
                self.form.deleteLater()
            self.form = Form(self._themes, type(preset))
            self.form.edited.connect(self._on_edited)
            self._form_place.addWidget(self.form)
        self.form.show_params(preset)
        self._tell()

    def _tell(self) -> None:
        if self._preset is not None:
            self.recipe.setText(told(self._preset.recipe(self._values)))
            self.reference.setText(self._preset.reference)

    def _on_edited(self, params: Preset, gesture: str) -> None:
        self._preset = params
        self._emit(gesture)

    def _emit(self, gesture: str) -> None:
        if self._preset is None:
            return
        try:
            perturbation = self._preset.perturbation(self._values)
            self._tell()
        except WorkbenchError as error:
            self.recipe.setText(told(error.message))
            return
        self.changed.emit(perturbation, gesture)
