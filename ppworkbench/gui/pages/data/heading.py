"""Name and question of the inspected attribute, and editing them in place."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.language.text import told
from ppworkbench.gui.pages.data.corrections import Corrections
from ppworkbench.gui.pages.data.subject import Subject
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.icon_button import Button, IconButton, IconLabel
from ppworkbench.gui.widgets.layouts import column, row, text
from ppworkbench.gui.words import number


class Heading(QWidget):
    """The pencil opens two fields; Enter keeps them, Esc leaves things as they were."""

    def __init__(self, themes: ThemeManager, corrections: Corrections) -> None:
        super().__init__()
        self._corrections = corrections
        self._subject: Subject | None = None
        self.icon = IconLabel(themes, "kind-nominal", "accentInk", 18)
        self.name = text("", "subtitle", wrap=True)
        self.question = text("", "hint", wrap=True)
        self.edit_button = IconButton(themes, "edit", self.tr("Rename"), 15)
        self.edit_button.setObjectName("renameAttribute")
        self.edit_button.clicked.connect(self.start_editing)
        self.name_field = self._field("attributeName", self.tr("Name"))
        self.question_field = self._field("attributeQuestion", self.tr("Question as it was asked"))
        self.problem = text("", "error", wrap=True)
        self.keep_button = Button(themes, self.tr("Keep", "verb"))
        self.keep_button.setObjectName("keepName")
        self.keep_button.clicked.connect(self._on_keep)
        self.cancel_button = Button(themes, self.tr("Cancel"), look="link")
        self.cancel_button.setObjectName("cancelName")
        self.cancel_button.clicked.connect(lambda *_: self._show_editor(False))
        self._reader = QWidget()
        line = row(self.icon, self.name, self.edit_button, spacing=8)
        line.setStretch(1, 1)
        column(line, self.question, parent=self._reader, spacing=4)
        self._editor = QWidget()
        column(
            self.name_field,
            self.question_field,
            self.problem,
            row(self.keep_button, self.cancel_button, None),
            parent=self._editor,
            spacing=6,
        )
        column(self._reader, self._editor, parent=self, spacing=0)
        self._show_editor(False)

    def show_subject(self, subject: Subject) -> None:
        """Show another attribute; what was being typed about the last one is dropped."""
        if self._subject is None or subject.names != self._subject.names:
            self._show_editor(False)
        self._subject = subject
        self.edit_button.setVisible(subject.is_single)
        self.edit_button.setEnabled(not subject.reason_against)
        self.edit_button.setToolTip(subject.reason_against or self.tr("Rename"))
        if subject.is_single:
            self.icon.show_icon(f"kind-{subject.attribute.kind.value}")
            self.name.setText(subject.name)
            label = subject.attribute.label
            self.question.setText(self.tr("“%s”") % label if label else "")
            self.question.setVisible(bool(label))
            return
        self.icon.show_icon("data")
        self.name.setText(self.tr("%s attributes") % number(len(subject.names)))
        listed = ", ".join(subject.names[:6])
        rest = len(subject.names) - 6
        more = self.tr("%s and %s more") % (listed, number(rest))
        self.question.setText(more if rest > 0 else listed)
        self.question.show()

    def start_editing(self) -> None:
        """Open the fields."""
        if self._subject is not None and self.edit_button.isEnabled():
            self.name_field.setText(self._subject.name)
            self.question_field.setText(self._subject.attribute.label)
            self._show_editor(True)
            self.name_field.setFocus()
            self.name_field.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Esc leaves the fields."""
        if event.key() == Qt.Key.Key_Escape and self._editor.isVisibleTo(self):
            self._show_editor(False)
        else:
            super().keyPressEvent(event)

    def _field(self, object_name: str, name: str) -> QLineEdit:
        field = QLineEdit()
        field.setObjectName(object_name)
        field.setAccessibleName(name)
        field.setPlaceholderText(name)
        field.returnPressed.connect(self._on_keep)
        return field

    def _show_editor(self, shown: bool) -> None:
        self._reader.setVisible(not shown)
        self._editor.setVisible(shown)
        self.problem.setText("")
        self.problem.hide()

    def _on_keep(self) -> None:
        subject = self._subject
        if subject is None:
            return
        new, label = self.name_field.text().strip(), self.question_field.text().strip()
        if label != subject.attribute.label:
            self._corrections.set_label(subject.name, label)
        if new != subject.name:
            self._corrections.rename_attribute(subject.name, new, self._refuse)
        if not self.problem.text():
            self._show_editor(False)

    def _refuse(self, error: WorkbenchError) -> None:
        self._show_editor(True)
        self.problem.setText(told(error.message))
        self.problem.show()
