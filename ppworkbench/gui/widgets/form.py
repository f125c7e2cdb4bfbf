"""A form for a parameter set: one control per declaration, nothing written by hand."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QSpinBox, QWidget

from ppworkbench.core.errors import ParameterError, WorkbenchError
from ppworkbench.core.params import Declaration, Params, declarations
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import as_typed, plainly
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.controls import Switch
from ppworkbench.gui.widgets.layout import column, named, row, text
from ppworkbench.gui.widgets.number_fields import SliderRow


def choice_words(choice: str) -> str:
    """A choice in the language of the window; a name that is none of ours stays as it is."""
    words = {
        "first": tr("first", "choice"),
        "random": tr("random", "choice"),
        "probably": tr("probably", "choice"),
        "surely": tr("surely", "choice"),
        "possibly": tr("possibly", "choice"),
        "equal-width": tr("equal-width", "choice"),
        "equal-frequency": tr("equal-frequency", "choice"),
        "bayes": tr("bayes", "choice"),
        "published": tr("published", "choice"),
        "worst": tr("smallest worst variance"),
        "absorb": tr("reported as the end"),
        "normalise": tr("spread over the scale"),
        "lognormal": tr("lognormal"),
        "truncated-normal": tr("truncated normal"),
        "none": tr("none"),
        "global": tr("global"),
        "by-class": tr("by class"),
        "local": tr("local"),
        "local-all": tr("local, all"),
        "weighted": tr("weighted", "choice"),
        "simple": tr("simple", "choice"),
        "auto": tr("auto", "choice"),
        "unbiased": tr("unbiased", "choice"),
        "binary": tr("binary", "choice"),
        "posterior": tr("posterior", "choice"),
    }
    return words.get(choice, choice)


class Field(QWidget):
    """The control of one parameter. ``edited`` tells the new value and the gesture."""

    edited = Signal(object, str)

    def __init__(self, declaration: Declaration) -> None:
        super().__init__()
        self.declaration = declaration
        self.setObjectName(f"field-{declaration.name}")
        self.setToolTip(translate(declaration.info.help))

    @property
    def label(self) -> str:
        return translate(self.declaration.info.label)

    def show_value(self, value: Any) -> None:
        """Show a value without announcing it; every kind of control does it in its own way."""


class SliderField(Field):
    def __init__(self, declaration: Declaration) -> None:
        super().__init__(declaration)
        within = declaration.within
        assert within is not None  # noqa: S101 (chosen for bounded numbers)
        decimals = 2 if within.high - within.low <= 10 else 1
        self.slider = SliderRow(
            self.label, within.low, within.high, decimals=decimals,
            suffix=f" {translate(declaration.info.unit)}" if declaration.info.unit else "",
            is_share=within.high == 1,
        )  # fmt: skip
        self.slider.set_names(declaration.name)
        self.slider.moved.connect(lambda value, gesture: self.edited.emit(value, gesture))  # noqa: PLW0108 (the types differ)
        column(self.slider, parent=self)

    def show_value(self, value: Any) -> None:
        self.slider.set_value(float(value))


class SpinField(Field):
    def __init__(self, declaration: Declaration) -> None:
        super().__init__(declaration)
        self.box = QSpinBox()
        within = declaration.within
        assert within is not None  # noqa: S101 (chosen for bounded numbers)
        self.box.setRange(int(max(within.low, -(2**31))), int(within.high))
        self.box.setKeyboardTracking(False)
        self.box.setObjectName(declaration.name)
        self.box.setAccessibleName(self.label)
        self.box.valueChanged.connect(lambda value: self.edited.emit(value, ""))
        row(text(self.label, "label"), None, self.box, parent=self)

    def show_value(self, value: Any) -> None:
        with QSignalBlocker(self.box):
            self.box.setValue(int(value))


class SwitchField(Field):
    def __init__(self, themes: ThemeManager, declaration: Declaration) -> None:
        super().__init__(declaration)
        self.switch = named(Switch(themes, self.label), declaration.name)
        self.switch.clicked.connect(lambda checked: self.edited.emit(checked, ""))
        row(self.switch, text(self.label, "label"), None, parent=self)

    def show_value(self, value: Any) -> None:
        self.switch.setChecked(bool(value))


class ChoiceField(Field):
    def __init__(self, declaration: Declaration) -> None:
        super().__init__(declaration)
        self.box = named(QComboBox(), declaration.name, self.label)
        for choice in declaration.choices or ():
            self.box.addItem(choice_words(choice), choice)
        self.box.activated.connect(lambda _: self.edited.emit(self.box.currentData(), ""))
        row(text(self.label, "label"), None, self.box, parent=self)

    def show_value(self, value: Any) -> None:
        with QSignalBlocker(self.box):
            self.box.setCurrentIndex(self.box.findData(str(value)))


class TextField(Field):
    """Anything else: typed, and read by the declaration."""

    def __init__(self, declaration: Declaration) -> None:
        super().__init__(declaration)
        self.box = named(QLineEdit(), declaration.name, self.label)
        self._shown = ""
        self.problem = text("", "error", wrap=True, hidden=True)
        self.box.editingFinished.connect(self._on_finished)
        if declaration.optional:
            self.box.setPlaceholderText(self.tr("not set"))
        column(
            row(text(self.label, "label"), self.box), self.problem,
            parent=self, spacing=2,
        )  # fmt: skip

    def show_value(self, value: Any) -> None:
        self._shown = as_typed(value)
        self.box.setText(self._shown)
        self.problem.hide()

    def _on_finished(self) -> None:
        typed = self.box.text().strip()
        if typed == self._shown:
            # Whoever only passes through must not round the number to what is shown of it.
            self.problem.hide()
            return
        try:
            nothing = not typed and self.declaration.optional
            value = None if nothing else self.declaration.parse(plainly(typed, self.declaration))
        except ParameterError as error:
            self.say(error.message)
            return
        self.problem.hide()
        self._shown = typed
        self.edited.emit(value, "")

    def say(self, problem: str) -> None:
        self.problem.setText(translate(problem))
        self.problem.show()


class Form(QWidget):
    """Controls for every declared parameter. ``edited`` tells the new set and the gesture."""

    edited = Signal(object, str)

    def __init__(self, themes: ThemeManager, declared: type[Params]) -> None:
        super().__init__()
        self.declared = declared
        self._params: Params | None = None
        self.fields: dict[str, Field] = {}
        for declaration in declarations(declared):
            if declaration.depth > 1 or not declaration.info.in_forms:
                continue  # A matrix has an editor of its own.
            field = _field(themes, declaration)
            field.edited.connect(
                lambda value, gesture, name=declaration.name: self._on_edited(name, value, gesture)
            )
            self.fields[declaration.name] = field
        self.problem = text("", "error", wrap=True, hidden=True)
        column(*self.fields.values(), self.problem, parent=self, spacing=8)

    @property
    def params(self) -> Params | None:
        return self._params

    def show_params(self, params: Params) -> None:
        self._params = params
        self.problem.hide()
        for name, field in self.fields.items():
            field.show_value(getattr(params, name))

    def _on_edited(self, name: str, value: Any, gesture: str) -> None:
        if self._params is None:
            return
        given = {d.name: getattr(self._params, d.name) for d in declarations(self.declared)}
        try:
            params = self.declared(**(given | {name: value}))
        except WorkbenchError as error:
            self._refuse(self.fields[name], error)
            return
        self._params = params
        self.problem.hide()
        self.edited.emit(params, gesture)

    def _refuse(self, field: Field, error: WorkbenchError) -> None:
        """Say what is wrong; what was typed stays to be corrected, a slider goes back."""
        if isinstance(field, TextField):
            field.say(error.message)
            return
        field.show_value(getattr(self._params, field.declaration.name))
        self.problem.setText(translate(error.message))
        self.problem.show()


def _field(themes: ThemeManager, declaration: Declaration) -> Field:
    if declaration.type is bool and not declaration.many:
        return SwitchField(themes, declaration)
    if declaration.choices and not declaration.many and not declaration.optional:
        return ChoiceField(declaration)
    bounded = declaration.within is not None and declaration.within.high < 1e6
    if declaration.type is float and bounded and not (declaration.many or declaration.optional):
        return SliderField(declaration)
    small = declaration.within is not None and declaration.within.high < 2**31
    if declaration.type is int and small and not (declaration.many or declaration.optional):
        return SpinField(declaration)
    return TextField(declaration)
