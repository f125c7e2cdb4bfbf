"""Typing a target for a measure and letting the parameter be solved for it."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.privacy.utility.goal_seek.measures import (
    MEASURES,
    Question,
    aimed_at,
    measured,
)
from ppworkbench.gui.language.text import told
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.widgets.icon_button import IconLabel
from ppworkbench.gui.widgets.kept_width import keep_width
from ppworkbench.gui.widgets.layouts import column, row, text
from ppworkbench.gui.words import read_number, read_share, significant
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.readouts import noncompliance_of


class AimRow(QWidget):
    """A measure and a value to aim for: Enter solves; an unreachable one says what is."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.workbench = workbench
        self.store = workbench.store
        self.measure = QComboBox()
        self.measure.setObjectName("aimMeasure")
        self.measure.setAccessibleName(self.tr("Measure to aim for"))
        for name, measure in aimed_at():
            self.measure.addItem(told(measure.title), name)
        self.measure.activated.connect(lambda _: self.refresh())
        self.value = QLineEdit()
        self.value.setObjectName("aimValue")
        self.value.setAccessibleName(self.tr("Value to aim for"))
        keep_width(self.value, workbench.themes, 76)
        self._shown = ""
        """The value of now as it stands in the field until somebody types another."""
        self.value.returnPressed.connect(self._on_entered)
        self.warning_icon = IconLabel(workbench.themes, "warning", "warningText", 15)
        self.warning = text("", "warning", wrap=True)
        self._warning_row = QWidget()
        line = row(self.warning_icon, self.warning, parent=self._warning_row, spacing=6)
        line.setStretch(1, 1)
        self._warning_row.hide()
        self._soon = single_shot(self, self._show_value, 60)
        column(
            row(text(self.tr("Aim for"), "label"), self.measure, self.value, None),
            self._warning_row, parent=self, spacing=4,
        )  # fmt: skip

    def refresh(self) -> None:
        """Show the value of now and offer only measures that apply."""
        found = self._subject()
        self._warning_row.hide()
        if found is None:
            return
        attribute, perturbation = found
        free = bool(perturbation.free_parameters(attribute))
        self.setEnabled(free)
        self.setToolTip("" if free else self.tr("This mechanism has no parameter to solve for."))
        numeric = attribute.kind.is_numeric
        self._offer(numeric)
        if not self._soon.isActive():
            self._soon.start()

    def _show_value(self) -> None:
        """Work the value of now out; a few times a second are enough while a slider moves."""
        found = self._subject()
        is_typing = self.value.hasFocus() and self.value.text() != self._shown
        if found is None or is_typing:
            return
        attribute, perturbation = found
        name = self.store.current or ""
        study = self.store.study
        question = Question(
            attribute, study.prior(name), study.settings.respondents,
            noncompliance=noncompliance_of(study.settings),
        )  # fmt: skip
        try:
            now = measured(str(self.measure.currentData()), question, perturbation)
            self._shown = significant(now)
        except WorkbenchError:
            self._shown = "–"
        if self._shown != self.value.text():
            self.value.setText(self._shown)

    def _offer(self, numeric: bool) -> None:
        position = self.measure.findData("range_privacy")
        if numeric == (position >= 0):
            return
        with QSignalBlocker(self.measure):
            if numeric:
                self.measure.addItem(told(MEASURES["range_privacy"].title), "range_privacy")
            else:
                self.measure.removeItem(position)

    def _subject(self) -> tuple[Attribute, Perturbation] | None:
        name = self.store.current
        design = self.store.study.design
        if name is None or name not in design:
            return None
        return design[name].attribute, design.perturbation(name)

    def _on_entered(self) -> None:
        from ppworkbench.core.privacy.utility.goal_seek.seek import Target, seek
        from ppworkbench.gui.pages.design.apply import apply_to_selection

        found = self._subject()
        if found is None:
            return
        if self.value.text() == self._shown:
            # What is shown is rounded; solving for it would change the design.
            self._warning_row.hide()
            return
        attribute, perturbation = found
        wanted = self._typed()
        if wanted is None:
            self._warn(self.tr("Type a number, such as 0.05."))
            return
        parameter = perturbation.free_parameters(attribute)[0].name
        study = self.store.study
        prior = study.prior(self.store.current or "")
        try:
            target = Target(str(self.measure.currentData()), wanted)
            solved = seek(
                attribute, perturbation, parameter, target, prior, study.settings.respondents,
                noncompliance=noncompliance_of(study.settings),
            )  # fmt: skip
        except WorkbenchError as error:
            self._warn(told(error.message))
            return
        self.value.clearFocus()
        apply_to_selection(self.workbench, lambda _: solved)

    def _typed(self) -> float | None:
        content = self.value.text()
        if self.measure.currentData() == "range_privacy":
            return read_number(content.rstrip("% "))
        return read_share(content)

    def _warn(self, sentence: str) -> None:
        self.warning.setText(sentence)
        self._warning_row.show()
