"""The line over a page: its title and question, undo and redo, and the next step."""

from __future__ import annotations

from PySide6.QtGui import QAction, QUndoStack
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.icon_button import Button, IconButton
from ppworkbench.gui.widgets.layouts import row, text, vertical_line


class ActionButton(Button):
    """A button that shows and triggers an action."""

    def __init__(self, themes: ThemeManager, action: QAction, look: str) -> None:
        super().__init__(themes, action.text(), str(action.property("iconName") or ""), look)
        self._action = action
        self.setObjectName(f"{action.objectName()}Button" if action.objectName() else "")
        self.clicked.connect(action.trigger)
        action.changed.connect(self.follow)
        self.follow()

    def follow(self) -> None:
        """Look like the action."""
        self.setText(self._action.text())
        self.setEnabled(self._action.isEnabled())
        # Shown without a parent it would be a window of its own for a moment.
        self.setHidden(not self._action.isVisible() if self.parent() else True)
        self.setToolTip(self._action.toolTip() if self._action.toolTip() != self.text() else "")

    def retire(self) -> None:
        """Disappear at once; the action may still change before the button is deleted."""
        self._action.changed.disconnect(self.follow)
        self.hide()
        self.deleteLater()


class Header(QWidget):
    """Rebuilt whenever another page comes to the front."""

    def __init__(self, themes: ThemeManager, undo_stack: QUndoStack) -> None:
        super().__init__()
        self._themes = themes
        self.title = text("", "title")
        self.question = ElidedLabel("hint")
        self.undo = IconButton(themes, "undo", self.tr("Undo"))
        self.redo = IconButton(themes, "redo", self.tr("Redo"))
        self.undo.setObjectName("undoButton")
        self.redo.setObjectName("redoButton")
        self.undo.clicked.connect(undo_stack.undo)
        self.redo.clicked.connect(undo_stack.redo)
        undo_stack.canUndoChanged.connect(self.undo.setEnabled)
        undo_stack.canRedoChanged.connect(self.redo.setEnabled)
        undo_stack.undoTextChanged.connect(self._on_undo_named)
        undo_stack.redoTextChanged.connect(self._on_redo_named)
        self.undo.setEnabled(False)
        self.redo.setEnabled(False)
        self._rule = vertical_line()
        self._rule.setFixedHeight(20)
        self._buttons: list[ActionButton] = []
        self._layout = row(
            self.title, 12, self.question, self.undo, self.redo, self._rule, parent=self
        )
        self._layout.setStretch(2, 1)
        self._layout.setContentsMargins(16, 8, 16, 8)
        self.setFixedHeight(themes.theme.px(themes.theme.tokens.size("header")))
        themes.theme_changed.connect(self._resize)

    def show_page(self, page: Page) -> None:
        """Show title, question and actions of a page."""
        self.title.setText(page.title)
        self.question.setText(page.question)
        for button in self._buttons:
            self._layout.removeWidget(button)
            button.retire()
        self._buttons = [ActionButton(self._themes, a, "secondary") for a in page.secondary]
        if page.primary.text():
            self._buttons.append(ActionButton(self._themes, page.primary, "primary"))
        before: QWidget = self.redo
        for button in self._buttons:
            self._layout.addWidget(button)
            button.follow()
            # They are younger than the page, and Tab would come to them last.
            QWidget.setTabOrder(before, button)
            before = button
        self._rule.setVisible(bool(self._buttons))

    def _on_undo_named(self, step: str) -> None:
        self.undo.setToolTip(self.tr("Undo: %s") % step if step else self.tr("Undo"))

    def _on_redo_named(self, step: str) -> None:
        self.redo.setToolTip(self.tr("Redo: %s") % step if step else self.tr("Redo"))

    def _resize(self) -> None:
        self.setFixedHeight(self._themes.theme.px(self._themes.theme.tokens.size("header")))
