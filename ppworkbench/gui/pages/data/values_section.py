"""The values of a categorical attribute: their order, their counts, renaming and merging."""

from __future__ import annotations

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QPoint, Qt
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.language.text import told
from ppworkbench.gui.pages.data.concerns import alike_values
from ppworkbench.gui.pages.data.corrections import Corrections
from ppworkbench.gui.pages.data.subject import Subject
from ppworkbench.gui.pages.data.values_model import ValuesModel
from ppworkbench.gui.pages.data.values_view import ValuesView
from ppworkbench.gui.pages.data.visible_spaces import visible_spaces
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.icon_button import Button, IconLabel
from ppworkbench.gui.widgets.layouts import column, row, text
from ppworkbench.gui.widgets.wrapping_row import WrappingRow


class ValuesSection(QWidget):
    """Drag, or Alt+Shift with the arrows, changes the order."""

    def __init__(self, themes: ThemeManager, corrections: Corrections) -> None:
        super().__init__()
        self._themes = themes
        self._corrections = corrections
        self._subject: Subject | None = None
        self._to_select: list[str] = []
        self.heading = text("", "strong")
        self.hint = text(self.tr("drag to reorder"), "captionHint")
        self.hint.setToolTip(self.tr("Or press Alt+Shift+Up and Alt+Shift+Down"))
        self.model = ValuesModel()
        self.view = ValuesView(themes, self.model)
        self.problem = text("", "error", wrap=True)
        self.alike = self._alike_line()
        self.merge_button = self._link("mergeValues", self.tr("Merge"), self._on_merge)
        self.rename_button = self._link("renameValue", self.tr("Rename"), self._on_rename)
        self.reverse_button = self._link(
            "reverseValues", self.tr("Reverse the order"), self._on_reverse
        )
        self.missing_button = self._link(
            "markMissing", self.tr("Means no answer"), self._on_mark_missing
        )
        links = WrappingRow(
            self.merge_button,
            self.rename_button,
            self.reverse_button,
            self.missing_button,
            spacing=10,
        )
        column(
            row(self.heading, None, self.hint), self.alike, self.view, self.problem, links,
            parent=self, spacing=6,
        )  # fmt: skip
        self.view.setAccessibleDescription(self.hint.toolTip())
        self.view.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._on_menu)
        self.view.move_requested.connect(self._on_move)
        self.view.selectionModel().selectionChanged.connect(self._follow_selection)
        self.model.rename_requested.connect(self._on_renamed)
        themes.theme_changed.connect(self._fit)
        self.show_problem("")

    def _link(self, object_name: str, words: str, slot: object) -> Button:
        button = Button(self._themes, words, look="link")
        button.setObjectName(object_name)
        button.clicked.connect(lambda *_: slot())  # type: ignore[operator]
        return button

    def _alike_line(self) -> QWidget:
        line = QWidget()
        self.alike_words = text("", "warning", wrap=True)
        self.alike_button = self._link("selectAlike", self.tr("Select them"), self._on_alike)
        layout = row(
            IconLabel(self._themes, "warning", "warningText", 16), self.alike_words,
            self.alike_button, parent=line,
        )  # fmt: skip
        layout.setStretch(1, 1)
        return line

    def show_subject(self, subject: Subject) -> None:
        """Show the values of another attribute, or the same ones after a change."""
        before, self._subject = self._subject, subject
        is_other = before is None or before.name != subject.name
        if before is None or before.column is not subject.column:
            self.show_problem("")
        attribute = subject.attribute
        is_ordinal = attribute.kind is Kind.ORDINAL
        self.heading.setText(self.tr("Order of the answers") if is_ordinal else self.tr("Answers"))
        can_edit = not subject.reason_against
        can_move = can_edit and attribute.k > 1
        self.hint.setText(self.tr("drag to reorder") if can_move else "")
        delegate = self.view.delegate
        delegate.role, delegate.can_move = subject.role, can_move
        counts = None if subject.facts is None else subject.facts.counts
        kept = self._to_select or ([] if is_other else self._chosen_values())
        self.model.show_values(attribute.values, counts, can_edit)
        self._fit()
        self._select(kept)
        self._to_select = []
        self._show_alike(can_edit)
        self._limit()
        self._follow_selection()

    def show_problem(self, sentence: str) -> None:
        """Say why a change was refused; an empty sentence takes it away."""
        self.problem.setText(sentence)
        self.problem.setVisible(bool(sentence))
        self._limit()

    def resizeEvent(self, event: object) -> None:  # noqa: N802
        """Share the width anew."""
        super().resizeEvent(event)  # type: ignore[arg-type]
        self.view.delegate.measure(self.model, self.view.width())
        self._limit()

    def _fit(self) -> None:
        self.view.setMinimumHeight(self.view.sizeHint().height())
        self.view.setMaximumHeight(self.view.full_height)
        self.view.updateGeometry()
        self._limit()
        self.view.delegate.measure(self.model, self.view.width())
        self.view.viewport().update()

    def _limit(self) -> None:
        """Be no higher than all values need, so that no gap opens below them."""
        more = self.view.full_height - self.view.sizeHint().height()
        layout = self.layout()
        if layout is not None and self.width() > 0:
            self.setMaximumHeight(layout.totalHeightForWidth(self.width()) + more)

    def _show_alike(self, can_edit: bool) -> None:
        groups = alike_values(self.model.values) if can_edit else ()
        self.alike.setVisible(bool(groups))
        if groups:
            shown = ", ".join(self.tr("“%s”") % visible_spaces(value) for value in groups[0][:4])
            self.alike_words.setText(self.tr("%s look alike.") % shown)

    def _chosen_values(self) -> list[str]:
        return [self.model.values[i] for i in self.view.chosen_rows() if i < len(self.model.values)]

    def _select(self, values: list[str]) -> None:
        places = {value: place for place, value in enumerate(self.model.values)}
        rows = [places[value] for value in values if value in places]
        if rows == self.view.chosen_rows():
            return
        selection = QItemSelection()
        for place in rows:
            index = self.model.index(place)
            selection.select(index, index)
        flags = QItemSelectionModel.SelectionFlag
        self.view.selectionModel().select(selection, flags.ClearAndSelect)
        if rows:
            first = self.model.index(rows[0])
            self.view.selectionModel().setCurrentIndex(first, flags.NoUpdate)
            self.view.scrollTo(first)

    def _follow_selection(self) -> None:
        if self._subject is None:
            return
        chosen, against = len(self._chosen_values()), self._subject.reason_against
        one = self.tr("Select a value first.")
        several = self.tr("Select two or more values with Shift or Ctrl first.")
        k = self.model.rowCount()
        _allow(self.merge_button, against or ("" if chosen > 1 else several))
        _allow(self.rename_button, against or ("" if chosen == 1 else one))
        _allow(self.missing_button, against or ("" if chosen else one))
        _allow(
            self.reverse_button, against or ("" if k > 1 else self.tr("There is only one value."))
        )

    def _on_move(self, rows: list[int], target: int) -> None:
        if self._subject is not None:
            self._to_select = [self.model.values[row] for row in rows]
            self._corrections.reorder(self._subject.name, self.model.moved(rows, target))

    def _on_reverse(self) -> None:
        if self._subject is not None:
            self._corrections.reorder(self._subject.name, self.model.values[::-1])

    def _on_merge(self) -> None:
        chosen = self._chosen_values()
        if self._subject is not None and len(chosen) > 1:
            self._to_select = chosen[:1]
            self._corrections.merge(self._subject.name, chosen, chosen[0])

    def _on_mark_missing(self) -> None:
        chosen = self._chosen_values()
        if self._subject is not None and chosen:
            self._corrections.mark_missing(self._subject.name, chosen)

    def _on_rename(self) -> None:
        rows = self.view.chosen_rows()
        if rows:
            self.view.edit_row(rows[0])

    def _on_renamed(self, old: str, new: str) -> None:
        if self._subject is not None:
            self._to_select = [new]
            self._corrections.rename_value(self._subject.name, old, new, self._refuse)

    def _refuse(self, error: WorkbenchError) -> None:
        self._to_select = []
        self.show_problem(told(error.message))

    def _on_alike(self) -> None:
        groups = alike_values(self.model.values)
        if groups:
            self._select(list(groups[0]))
            self.view.setFocus()

    def make_menu(self) -> QMenu:
        """The links as a menu, for the right button."""
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        for button in (
            self.merge_button, self.rename_button, self.reverse_button, self.missing_button,
        ):  # fmt: skip
            action = menu.addAction(button.text(), button.click)
            action.setEnabled(button.isEnabled())
            action.setToolTip(button.toolTip())
        return menu

    def _on_menu(self, place: QPoint) -> None:
        show_menu(self.make_menu(), self.view.viewport().mapToGlobal(place))


def _allow(button: Button, reason_against: str) -> None:
    button.setEnabled(not reason_against)
    button.setToolTip(reason_against)
