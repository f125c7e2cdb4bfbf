"""The parameters of the methods, from their declarations, in three parts."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ppworkbench.core.mining import Miner, miners
from ppworkbench.core.params import declarations
from ppworkbench.gui.forms.form import Field, Form
from ppworkbench.gui.pages.mine.methods import relaxed_fields
from ppworkbench.gui.pages.mine.request import FREQUENT, LIKELY
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.layouts import column

_ELSEWHERE = ("min_support", FREQUENT)
"""These have controls of their own on the page."""


class MethodForms(QWidget):
    """One form per method, made when it is first chosen.

    Its own fields are shown here; ``relaxed`` and ``shared`` hold the rest. The fields of
    a form keep working wherever they are put.
    """

    edited = Signal(object)
    """The method with its new parameters."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.relaxed, self.shared = QWidget(), QWidget()
        self.forms: dict[str, Form] = {}
        self._parts: dict[str, tuple[QWidget, ...]] = {}
        self._themes = themes
        self._layouts = [
            column(parent=part, spacing=8) for part in (self, self.relaxed, self.shared)
        ]

    def _make(self, name: str) -> None:
        form = Form(self._themes, miners[name])
        form.setObjectName(f"form-{name}")
        form.edited.connect(lambda params, _gesture: self.edited.emit(params))
        self.forms[name] = form
        self._parts[name] = tuple(QWidget() for _ in self._layouts)
        self._share_out(name, form)

    def _share_out(self, name: str, form: Form) -> None:
        common = {d.name for d in declarations(Miner)}
        own: list[Field | QWidget] = []
        relaxed: list[Field | QWidget] = []
        shared: list[Field | QWidget] = []
        for field_name, field in form.fields.items():
            if field_name in _ELSEWHERE:
                field.hide()
            elif field_name in relaxed_fields(miners[name]):
                relaxed.append(field)
            elif field_name in common or field_name == LIKELY:
                shared.append(field)
            else:
                own.append(field)
        # What is wrong is said where the rest of the form is: it also holds the hidden fields.
        for part, fields, layout in zip(
            self._parts[name], ([*own, form], relaxed, shared), self._layouts, strict=True
        ):
            column(*fields, parent=part, spacing=8)
            layout.addWidget(part)

    def show_miner(self, miner: Miner) -> None:
        """Show a method with its parameters; the others hide."""
        if miner.name not in self.forms:
            self._make(miner.name)
        for name, parts in self._parts.items():
            for part in parts:
                part.setVisible(name == miner.name)
        self.forms[miner.name].show_params(miner)

    def set_reason(self, method: str, name: str, reason: str) -> None:
        """Grey a field out where it has no effect; empty brings it back."""
        field = self.forms[method].fields.get(name)
        if field is not None:
            field.setEnabled(not reason)
            field.setToolTip(reason or field.declaration.info.help)

    def has_own(self, method: str) -> bool:
        """Whether a method has parameters of its own that are shown here."""
        common = {d.name for d in declarations(Miner)} | {*_ELSEWHERE, LIKELY}
        apart = relaxed_fields(miners[method])
        names = [d.name for d in declarations(miners[method])]
        return any(name not in common and name not in apart for name in names)
