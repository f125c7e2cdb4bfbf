"""What stands beside and above the pages: rail and header."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QFontMetrics, QIcon, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QFrame,
    QMenu,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from ppworkbench.gui.application import single_shot
from ppworkbench.gui.collecting import Collecting, answer_words, sample_answer_words
from ppworkbench.gui.language import translate
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.theme import (
    ThemeManager,
    icon,
    set_fill,
    set_outline,
    set_rules,
    smooth_painter,
)
from ppworkbench.gui.widgets.controls import (
    Button,
    IconButton,
    Segmented,
)
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import line, named, row, text, vertical_line
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.answer_state import AnswerState

_MARGIN = 8
_BAR = 3
_LEAST_ICON = 18
_LOW, _GAP, _LOW_GAP = 740, 8, 4
"""The height of a low window, and the room between two pages of the rail: 62 and 58 px a page."""


class RailButton(QAbstractButton):
    def __init__(self, themes: ThemeManager, icon_name: str, text: str) -> None:
        super().__init__()
        self._themes = themes
        self._icon_name = icon_name
        self._stale = False
        self.setText(text)
        self.setAccessibleName(text)
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        themes.theme_changed.connect(self.update)

    def set_stale(self, stale: bool) -> None:
        self._stale = stale
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(max(self._themes.theme.px(60), self.word_width()), self._themes.theme.px(54))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(self.sizeHint().width(), self._word_height() + _LEAST_ICON + 8)

    def _word_height(self) -> int:
        return QFontMetrics(self._themes.theme.font("caption", "semibold")).height()

    def word_width(self) -> int:
        bold = QFontMetrics(self._themes.theme.font("caption", "semibold"))
        return bold.horizontalAdvance(self.text()) + 4

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme = self._themes.theme
        painter = smooth_painter(self)
        box = QRectF(self.rect())
        if self.isChecked() or (self.underMouse() and self.isEnabled()):
            set_fill(painter, theme.colour("accentTint" if self.isChecked() else "hover"))
            painter.drawRoundedRect(box, 8, 8)
        if self.isChecked():
            painter.setBrush(theme.colour("accentInk"))
            # Beside the icon: a long word below it takes the whole width.
            part = box.height() / 7
            painter.drawRoundedRect(QRectF(0, part, _BAR, 3 * part), _BAR / 2, _BAR / 2)
        if self.hasFocus():
            set_outline(painter, theme.colour("focus"))
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 7, 7)
        colour = "accentInk" if self.isChecked() else "text2"
        if not self.isEnabled():
            colour = "textDisabled"
        # In a low window the icon gives way, never the word.
        word = max(self._word_height(), theme.px(18))
        size = min(theme.px(22), max(self.height() - word - 8, _LEAST_ICON))
        above = min(theme.px(8), max((self.height() - word - size) / 2, 2))
        spot = QRectF(box.center().x() - size / 2, box.top() + above, size, size)
        icon(self._icon_name, theme.colour(colour)).paint(painter, spot.toRect())
        if self._stale:
            set_fill(painter, theme.colour("warningLine"))
            painter.drawEllipse(QRectF(spot.right(), spot.top() - 3, 7, 7))
        weight = "semibold" if self.isChecked() else "regular"
        font = theme.font("caption", weight)
        painter.setFont(font)
        painter.setPen(theme.colour(colour))
        below = min(theme.px(4), self.height() - spot.bottom() - word)
        label = QRectF(box.left(), box.bottom() - below - word, box.width(), word)
        painter.drawText(label, Qt.AlignmentFlag.AlignCenter, self.text())


class Rail(QFrame):
    page_chosen = Signal(str)

    def __init__(
        self,
        themes: ThemeManager,
        pages: Sequence[tuple[str, str]],
        last: Sequence[tuple[str, str]],
    ) -> None:
        super().__init__()
        self._themes = themes
        self.setObjectName("rail")
        self.setAccessibleName(self.tr("Pages"))
        self.buttons: dict[str, RailButton] = {}
        self._group = QButtonGroup(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN, 8, _MARGIN, 8)
        layout.setSpacing(_GAP)
        for page in pages:
            layout.addWidget(self._add(*page))
        layout.addStretch(1)
        if last:
            layout.addWidget(line())
        for page in last:
            layout.addWidget(self._add(*page))
        themes.follow(self._resize)

    def _add(self, name: str, text: str) -> RailButton:
        button = named(RailButton(self._themes, name, text), f"{name}Button")
        button.clicked.connect(lambda: self.page_chosen.emit(name))
        self._group.addButton(button)
        self.buttons[name] = button
        return button

    def show_page(self, name: str) -> None:
        """Mark a page as the one in front; an unknown name marks none."""
        self._group.setExclusive(False)
        for key, button in self.buttons.items():
            button.setChecked(key == name)
        self._group.setExclusive(name in self.buttons)

    def mark(self, name: str) -> None:
        """Mark another page beside the one in front."""
        self._group.setExclusive(False)
        self.buttons[name].setChecked(True)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Let the pages stand closer together in a low window."""
        super().resizeEvent(event)
        self.layout().setSpacing(_LOW_GAP if self.window().height() < _LOW else _GAP)

    def _resize(self) -> None:
        theme = self._themes.theme
        words = max((button.word_width() for button in self.buttons.values()), default=0)
        self.setFixedWidth(max(theme.length("rail"), words + 2 * _MARGIN))
        surface, border = theme.hex("surface"), theme.hex("border")
        set_rules(
            self,
            f"#rail {{ background: {surface}; border: none; border-right: 1px solid {border}; }}",
        )


class ActionButton(Button):
    """A button that shows and triggers an action."""

    def __init__(self, themes: ThemeManager, action: QAction, look: str) -> None:
        super().__init__(themes, action.text(), str(action.property("iconName") or ""), look)
        self.action = action
        self._icon_width = 0
        """What the icon took while it is left out."""
        self._icon_left_out = QIcon()
        self.setObjectName(f"{action.objectName()}Button" if action.objectName() else "")
        self.clicked.connect(action.trigger)
        action.changed.connect(self.follow)
        self.follow()

    def follow(self) -> None:
        self.setText(self.action.text())
        self.show_icon(str(self.action.property("iconName") or ""))
        self.setEnabled(self.action.isEnabled())
        # Shown without a parent it would be a window of its own for a moment.
        self.setHidden(not self.action.isVisible() if self.parent() else True)
        self.setToolTip(self.action.toolTip() if self.action.toolTip() != self.text() else "")

    @property
    def icon_width(self) -> int:
        """How much narrower it is without the icon that it does without now."""
        return 0 if self.isHidden() else self._icon_width

    def set_icon_shown(self, is_shown: bool) -> None:
        """Do without the icon in a narrow window: words are never cut."""
        if is_shown and self._icon_width:
            self.setIcon(self._icon_left_out)
            self._icon_width = 0
        elif not is_shown and not self.icon().isNull():
            before, self._icon_left_out = self.sizeHint().width(), self.icon()
            self.setIcon(QIcon())
            self._icon_width = before - self.sizeHint().width()

    def retire(self) -> None:
        """Disappear at once; the action may still change before the button is deleted."""
        self.action.changed.disconnect(self.follow)
        self.hide()
        self.deleteLater()


class CopyArrow(IconButton):
    """Opens the menu of all kinds that a button beside it may copy as."""

    def __init__(self, themes: ThemeManager, action: QAction, menu: QMenu) -> None:
        super().__init__(themes, "chevron-down", menu.title(), 14)
        self._action, self._menu = action, menu
        self.setObjectName(f"{action.objectName()}Menu")
        self.clicked.connect(self._open)
        action.changed.connect(self.follow)

    def follow(self) -> None:
        self.setEnabled(self._action.isEnabled())
        self.setHidden(not self._action.isVisible() if self.parent() else True)

    def retire(self) -> None:
        """Disappear at once; the action may still change before the button is deleted."""
        self._action.changed.disconnect(self.follow)
        self.hide()
        self.deleteLater()

    def _open(self) -> None:
        self._menu.popup(self.mapToGlobal(self.rect().bottomLeft()))


_CHIP_PAD = 8


class StateChip(QPushButton):
    """What the answers of the study are, in two words; a click tells more."""

    changed = Signal()
    """It says something else, which may need more room."""

    _INKS: ClassVar[Mapping[AnswerState, tuple[str, str, str]]] = {
        AnswerState.NONE: ("text2", "sunken", "border"),
        AnswerState.INVENTED: ("warningText", "warningBg", "warningLine"),
        AnswerState.REPORTED: ("text", "sunken", "outline"),
        AnswerState.TRUE: ("text", "surface", "outline"),
    }

    def __init__(self, workbench: Workbench, name: str, *, with_sample: bool = False) -> None:
        super().__init__()
        self._workbench = workbench
        self._words_of = sample_answer_words if with_sample else answer_words
        self._state = AnswerState.NONE
        self._words = ""
        self._is_stacked = False
        self.setObjectName(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._on_clicked)
        store = workbench.store
        for changed in (store.study_opened, store.data_changed, store.design_changed):
            changed.connect(self.follow)
        workbench.themes.theme_changed.connect(self._colour)
        collecting = Collecting.find(workbench)
        if collecting is not None:
            collecting.changed.connect(self.follow)
        self.follow()

    def follow(self) -> None:
        study = self._workbench.store.study
        words, meaning = self._words_of(self._workbench)
        said = translate(words)
        is_same = study.state is self._state and said == self._words
        self.setEnabled(not study.is_empty)
        if is_same:
            return
        self._state, self._words = study.state, said
        self.setAccessibleName(self.tr("Kind of answers: %s") % said)
        self.setToolTip(translate(meaning))
        self._colour()
        self.updateGeometry()
        self.changed.emit()

    @property
    def words(self) -> str:
        return self._words

    @property
    def flat_width(self) -> int:
        """The width that it has in one line."""
        font = self._workbench.themes.theme.font("caption", "semibold")
        return QFontMetrics(font).horizontalAdvance(self._words) + 2 * _CHIP_PAD + 2

    def set_stacked(self, is_stacked: bool) -> None:
        """Take two lines, so that nothing beside it is cut in a narrow window."""
        if is_stacked != self._is_stacked:
            self._is_stacked = is_stacked
            self._colour()

    def _on_clicked(self) -> None:
        from ppworkbench.gui.rehearsal import open_state

        open_state(self._workbench, self.window(), self._words_of(self._workbench))

    def _colour(self) -> None:
        theme = self._workbench.themes.theme
        ink, ground, edge = (theme.hex(name) for name in self._INKS[self._state])
        font = theme.font("caption", "semibold")
        self.setFont(font)
        mark = ", " if ", " in self._words else " "
        lines = self._words.rsplit(mark, 1)
        self.setText(f"{mark.rstrip()}\n".join(lines) if self._is_stacked else self._words)
        high = QFontMetrics(font).height() * (2 if self._is_stacked else 1) + 4
        box = f"border-radius: {min(high // 2, 10)}px; padding: 0 {_CHIP_PAD}px;"
        set_rules(
            self,
            f"QPushButton {{ color: {ink}; background: {ground}; border: 1px solid {edge}; {box}"
            f" min-height: {high}px; max-height: {high}px; font-size: {font.pixelSize()}px;"
            " font-weight: 600; }"
            f"QPushButton:focus {{ border-color: {theme.hex('focus')}; }}",
        )


class Header(QWidget):
    """Rebuilt whenever another page comes to the front."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        themes, undo_stack = workbench.themes, workbench.store.undo_stack
        self._themes = themes
        self.title = text("", "title")
        self.state = StateChip(workbench, "answerState", with_sample=True)
        self.switch = named(Segmented(themes, self.tr("Part of the page"), []), "subPages")
        self.switch.chosen.connect(self._on_switched)
        self.switch.hide()
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
        self._shown: list[ActionButton | CopyArrow] = []
        self._page: Page | None = None
        self._layout = row(
            self.title, self.state, 8, self.switch, self.question, self.undo, self.redo,
            self._rule, parent=self,
        )  # fmt: skip
        self._layout.setStretchFactor(self.question, 1)
        self._layout.setContentsMargins(16, 8, 16, 8)
        self.setFixedHeight(themes.theme.length("header"))
        themes.theme_changed.connect(self._resize)
        # The layout knows the sizes of what has come only when it has been shown.
        self._later = single_shot(self, self._fit)
        self.state.changed.connect(self._later.start)

    def show_page(self, page: Page) -> None:
        self.title.setText(page.title)
        self.question.setText(page.question)
        self._show_switch(page)
        for old in self._shown:
            self._layout.removeWidget(old)
            old.retire()
        self._buttons = [ActionButton(self._themes, a, "secondary") for a in page.secondary]
        if page.primary.text():
            self._buttons.append(ActionButton(self._themes, page.primary, "primary"))
        self._shown = []
        for button in self._buttons:
            self._shown.append(button)
            if page.copies is not None and button.action is page.copies[0]:
                self._shown.append(CopyArrow(self._themes, *page.copies))
        before: QWidget = self.redo
        for part in self._shown:
            self._layout.addWidget(part)
            part.follow()
            # They are younger than the page, and Tab would come to them last.
            QWidget.setTabOrder(before, part)
            before = part
        self._rule.setVisible(bool(self._buttons))
        self._fit()
        self._later.start()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def _fit(self) -> None:
        own = 0 if self.state.isHidden() else self.state.sizeHint().width()
        left_out = sum(button.icon_width for button in self._buttons)
        others = self._layout.minimumSize().width() - own + left_out
        is_stacked = others + self.state.flat_width > self.width()
        self.state.set_stacked(is_stacked)
        chip = self.state.sizeHint().width() if is_stacked else self.state.flat_width
        for button in self._buttons:
            button.set_icon_shown(others + chip <= self.width())

    def _show_switch(self, page: Page) -> None:
        if self._page is not page:
            if self._page is not None and isValid(self._page):
                self._page.sub_page_changed.disconnect(self._on_sub_page)
            self._page = page
            page.sub_page_changed.connect(self._on_sub_page)
        self.switch.set_choices(page.sub_pages)
        self.switch.set_current(page.sub_page)
        self.switch.setVisible(len(page.sub_pages) > 1)

    def _on_sub_page(self, key: str) -> None:
        self.switch.set_current(key)
        if self._page is not None:
            self.question.setText(self._page.question)

    def _on_switched(self, key: str) -> None:
        if self._page is not None:
            self._page.show_sub_page(key)

    def _on_undo_named(self, step: str) -> None:
        self.undo.setToolTip(self.tr("Undo: %s") % step if step else self.tr("Undo"))

    def _on_redo_named(self, step: str) -> None:
        self.redo.setToolTip(self.tr("Redo: %s") % step if step else self.tr("Redo"))

    def _resize(self) -> None:
        self.setFixedHeight(self._themes.theme.length("header"))
