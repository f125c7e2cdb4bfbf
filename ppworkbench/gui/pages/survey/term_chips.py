"""Predictors as chips, one of which can be removed, and a list from which others are added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QListView, QMenu, QSizePolicy, QWidget

from ppworkbench.gui.pages.survey.phrase_chip import OPENING_KEYS, PhraseChip
from ppworkbench.gui.pages.survey.texts import Phrase
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.attribute_box import Offered, OfferedModel
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.layout import WrappingRow, column, named, text

_WIDEST = 360


@dataclass(frozen=True)
class ShownTerm:
    """What a chip says of one side of a formula, and what its tooltip tells about it."""

    phrase: Phrase
    kind: str
    tip: str
    is_randomised: bool = False


class TermChip(PhraseChip):
    """One side of a formula: a predictor can be removed, the outcome opens."""

    open_requested = Signal()

    def __init__(self, themes: ThemeManager, *, can_be_removed: bool) -> None:
        super().__init__(themes, _WIDEST, has_cross=can_be_removed)
        if can_be_removed:
            self.setAccessibleDescription(self.tr("Delete removes it."))
        else:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
            self.setAccessibleDescription(self.tr("Enter chooses another outcome."))

    def show_term(self, term: ShownTerm) -> None:
        self.show_phrase(term.phrase, term.kind, is_randomised=term.is_randomised)
        mask = self.tr("randomised") if term.is_randomised else ""
        self.setToolTip("\n".join(words for words in (term.tip, mask) if words))
        self.setAccessibleName(f"{self.words}, {mask}" if mask else self.words)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self._has_cross:
            self.open_requested.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        has_control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if event.key() in OPENING_KEYS and not self._has_cross and not has_control:
            self.open_requested.emit()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        menu = QMenu(self)
        if self._has_cross:
            menu.addAction(self.tr("Remove"), self.remove_requested.emit)
        else:
            menu.addAction(self.tr("Edit…"), self.open_requested.emit)
        menu.popup(event.globalPos())


class Popover(QFrame):
    """A small window below a control."""

    def __init__(self, parent: QWidget, name: str, words: str) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setObjectName(name)
        self.setProperty("look", "popover")
        self.setAccessibleName(words)

    def open_below(self, anchor: QWidget) -> None:
        """Show it, above its control where the screen ends."""
        self.adjustSize()
        corner = anchor.mapToGlobal(QPoint(0, anchor.height() + 4))
        area = anchor.screen().availableGeometry()
        y = corner.y()
        if y + self.height() > area.bottom():
            y = max(anchor.mapToGlobal(QPoint(0, -4)).y() - self.height(), area.top())
        self.move(min(corner.x(), area.right() - self.width()), y)
        self.show()


class AttributePicker(Popover):
    """A list of attributes, of which those stay that fit what is typed above it."""

    chosen = Signal(str)

    def __init__(self, themes: ThemeManager, parent: QWidget) -> None:
        super().__init__(parent, "predictorPicker", "")
        self.setAccessibleName(self.tr("Add a predictor"))
        self._offered: list[Offered] = []
        self.field = named(QLineEdit(), "predictorFilter", self.tr("Filter attributes"))
        self.field.setPlaceholderText(self.tr("Filter attributes"))
        self.field.textChanged.connect(self._filter)
        self.field.returnPressed.connect(self._take)
        self.list = named(QListView(), "predictorList", self.tr("Attributes"))
        self.list.setUniformItemSizes(True)
        self._model = OfferedModel(themes, self)
        self.list.setModel(self._model)
        self.list.clicked.connect(lambda _: self._take())
        self.list.activated.connect(lambda _: self._take())
        px = themes.theme.px
        self.list.setFixedSize(px(280), px(220))
        column(self.field, self.list, parent=self, margin=10)

    def offer(self, attributes: Sequence[Offered], anchor: QWidget) -> None:
        """Let somebody choose one of these."""
        self._offered = list(attributes)
        with QSignalBlocker(self.field):
            self.field.clear()
        self._filter()
        self.open_below(anchor)
        self.field.setFocus()

    def _filter(self) -> None:
        typed = self.field.text().strip().casefold()
        shown = [one for one in self._offered if any(typed in word.casefold() for word in one)]
        self._model.offer(shown)
        self.list.setCurrentIndex(self._model.index(0))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            step = 1 if event.key() == Qt.Key.Key_Down else -1
            place = self.list.currentIndex().row() + step
            if 0 <= place < self._model.rowCount():
                self.list.setCurrentIndex(self._model.index(place))
        else:
            super().keyPressEvent(event)

    def _take(self) -> None:
        if not self.isVisible():
            # Where one click activates, the list tells of it twice.
            return
        name = self.list.currentIndex().data(Qt.ItemDataRole.UserRole)
        if name:
            self.close()
            self.chosen.emit(str(name))


class TermsRow(QWidget):
    """Chips of predictors between other fields, as many to a line as fit.

    One stop of the Tab key for all chips; arrows walk to the neighbours.

    Parameters
    ----------
    name
        What its chips are called, with their place behind it.
    before, after
        Fields to the left and to the right of the predictors.
    offered
        The attributes that can be added.
    """

    removed = Signal(int)
    added = Signal(str)

    def __init__(
        self, themes: ThemeManager, name: str, offered: Callable[[], Sequence[Offered]],
        before: Sequence[QWidget], after: Sequence[QWidget] = (),
    ) -> None:  # fmt: skip
        super().__init__()
        self._themes, self._name, self._offered = themes, name, offered
        self._picker: AttributePicker | None = None
        self.terms: list[TermChip] = []
        self.add_button = Button(themes, self.tr("Add", "a predictor"), "plus", "add")
        named(self.add_button, f"add{name[0].upper()}{name[1:]}", self.tr("Add a predictor"))
        self.add_button.clicked.connect(self._on_add)
        self._before, self._after = (*before, text(self.tr("explained by"), "label")), after
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._flow = WrappingRow(spacing=8, line_spacing=6)
        self.setLayout(self._flow)
        self._lay_out()

    def show_terms(self, terms: Sequence[ShownTerm]) -> None:
        wanted, before = len(terms), len(self.terms)
        for chip in self.terms[wanted:]:
            chip.hide()
            chip.deleteLater()
        del self.terms[wanted:]
        # New widgets are dear, so those that are there say something else.
        self.terms += [self._chip(place) for place in range(len(self.terms), wanted)]
        for chip, term in zip(self.terms, terms, strict=True):
            chip.show_term(term)
        if wanted != before:
            self._lay_out()
        self._flow.invalidate()
        self.updateGeometry()

    def _chip(self, place: int) -> TermChip:
        chip = named(TermChip(self._themes, can_be_removed=True), f"{self._name}{place}")
        chip.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        chip.remove_requested.connect(lambda: self._on_remove(place))
        chip.walk_requested.connect(lambda step: self.focus_chip(place + step))
        return chip

    def _lay_out(self) -> None:
        while self._flow.count():
            self._flow.takeAt(0)
        for item in (*self._before, *self.terms, self.add_button, *self._after):
            self._flow.addWidget(item)
        for chip in self.terms:
            chip.show()

    def focus_chip(self, place: int) -> None:
        """Give a chip the keyboard; before the first may stand the outcome, behind the last Add."""
        outcome = [one for one in self._before if isinstance(one, TermChip)]
        chips: list[QWidget] = [*outcome, *self.terms, self.add_button]
        place = min(max(place + len(outcome), 0), len(chips) - 1)
        chips[place].setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_remove(self, place: int) -> None:
        had_focus = self.terms[place].hasFocus()
        self.removed.emit(place)
        if had_focus:
            self.focus_chip(min(place, len(self.terms) - 1))

    def _on_add(self) -> None:
        if self._picker is None:
            self._picker = AttributePicker(self._themes, self)
            self._picker.chosen.connect(self._on_picked)
        self._picker.offer(self._offered(), self.add_button)

    def _on_picked(self, name: str) -> None:
        self.added.emit(name)
        self.add_button.setFocus(Qt.FocusReason.OtherFocusReason)
