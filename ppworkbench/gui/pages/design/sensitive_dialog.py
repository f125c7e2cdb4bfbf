"""Marking the sensitive answers of a questionnaire; what has none may be asked openly."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from ppworkbench.core.design import Identity
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.dialogs import ok_cancel, resize_dialog
from ppworkbench.gui.language import told_error
from ppworkbench.gui.theme import Theme
from ppworkbench.gui.widgets.layout import column, named, text
from ppworkbench.study.study import Study

_FEW = 2
"""Answers of a question that are in sight at once."""


def is_unmarked(study: Study) -> bool:
    """Whether every question is randomised because nobody marked a sensitive answer."""
    unasked = set(study.undistorted_columns)
    asked = [one for one in study.design if one.name not in unasked]
    return (
        any(one.attribute.kind.is_categorical for one in asked)
        and not any(one.attribute.sensitive for one in asked)
        and not any(study.design.usual_device(one.name).is_identity for one in asked)
    )


class SensitiveDialog(QDialog):
    """Ticks answers of all questions; the other questions are asked openly if that is wanted."""

    marked = Signal(object)
    """The study with the marks."""

    def __init__(self, theme: Theme, study: Study, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Sensitive answers"))
        self.setObjectName("sensitiveDialog")
        self._study = study
        self.tree = named(QTreeWidget(), "sensitiveTree", self.tr("Sensitive answers"))
        self.tree.setHeaderHidden(True)
        self._row = QSize(0, theme.px(24))
        """Boxes are higher than a line of text."""
        self._answers: dict[str, list[QTreeWidgetItem]] = {}
        unasked = set(study.undistorted_columns)
        for one in study.design:
            if one.name not in unasked and one.attribute.kind.is_categorical:
                self._add_question(one.name, one.attribute.values)
        self.others = named(
            QCheckBox(self.tr("Ask the other questions openly, without randomising")), "askOthers"
        )
        self.others.setChecked(True)
        self.problem = named(text("", "error", wrap=True), "sensitiveProblem")
        self.problem.hide()
        lead = text(
            self.tr("Tick the answers that nobody should have to admit."), "secondary", wrap=True
        )
        buttons = ok_cancel(self, self._on_accept, self.tr("Mark"))
        self.accept_button = buttons.button(QDialogButtonBox.StandardButton.Ok)
        column(
            lead, self.tree, self.others, self.problem, buttons, parent=self, margin=16, spacing=10
        ).setStretch(1, 1)
        resize_dialog(self, theme.px(460), theme.px(520))

    def _add_question(self, name: str, values: tuple[str, ...]) -> None:
        question = QTreeWidgetItem(self.tree, [self._study.shown(name)])
        question.setSizeHint(0, self._row)
        self._answers[name] = []
        for value in values:
            item = QTreeWidgetItem(question, [value])
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(0, Qt.CheckState.Unchecked)
            item.setSizeHint(0, self._row)
            self._answers[name].append(item)
        question.setExpanded(len(values) <= _FEW)

    def tick(self, name: str, value: str) -> None:
        """Mark an answer, as a click on its box does."""
        for item in self._answers[name]:
            if item.text(0) == value:
                item.setCheckState(0, Qt.CheckState.Checked)

    def _on_accept(self) -> None:
        study, marked = self._study, set[str]()
        try:
            for name, items in self._answers.items():
                chosen = [
                    one.text(0) for one in items if one.checkState(0) is Qt.CheckState.Checked
                ]
                if chosen:
                    study = study.with_sensitive(name, chosen)
                    marked.add(name)
            if marked and self.others.isChecked():
                others = [one.name for one in study.design if one.name not in marked]
                study = study.without_groups_of(others)
                study = study.with_perturbations(dict.fromkeys(others, Identity()))
        except WorkbenchError as error:
            self.problem.setText(told_error(error, study))
            self.problem.show()
            return
        if marked:
            self.marked.emit(study)
        self.accept()
