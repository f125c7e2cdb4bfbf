"""The command palette: everything that can be done, found by typing."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import (
    QAction,
    QColor,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QShortcut,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QDialog,
    QLineEdit,
    QListView,
    QMenu,
    QPushButton,
    QStackedLayout,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from ppworkbench.gui.keys import plain_text, shown_keys
from ppworkbench.gui.language import speech, tr
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.shell import PAGES
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.controls import Clickable
from ppworkbench.gui.widgets.labels import announce
from ppworkbench.gui.widgets.layout import column, line, row, text
from ppworkbench.study.language import translatable

if TYPE_CHECKING:
    from ppworkbench.gui.main_window import MainWindow
    from ppworkbench.study.demonstrations.catalogue import DemonstrationInfo


@dataclass(frozen=True)
class Command:
    """Something that can be done.

    Parameters
    ----------
    key
        What it is called among those used lately; the same in every language.
    words
        Its name.
    place
        Where else it is to be found: a menu, or a page.
    keys
        The keys that do the same.
    reason
        Why it cannot be done now; empty when it can.
    more
        Other words by which it may be searched for.
    is_far
        Whether another page has to be shown first; of two that fit the near one is meant.
    """

    key: str
    words: str
    place: str
    run: Callable[[], object] = field(compare=False)
    keys: str = ""
    reason: str = ""
    more: str = ""
    is_far: bool = False

    @property
    def can_run(self) -> bool:
        """Whether it can be done now."""
        return not self.reason


def unless_gone(thing: QObject, act: Callable[[], object]) -> Callable[[], None]:
    """Do something with a control or an action, unless it has gone since the palette was opened."""

    def run() -> None:
        if isValid(thing):
            act()

    return run


OWN = "palette"
"""The action that opens the palette, which it need not offer itself."""
_NOTHING_THERE = {
    "undo": translatable("There is nothing to undo."),
    "redo": translatable("There is nothing to redo."),
}


def menu_commands(window: MainWindow) -> Iterator[Command]:
    """Every action of the menus, those of submenus with the way that leads there."""
    for entry in window.menuBar().actions():
        menu = entry.menu()
        if isinstance(menu, QMenu):
            yield from _inside(window, menu, plain_text(menu.title()))


def _inside(window: MainWindow, menu: QMenu, place: str) -> Iterator[Command]:
    for action in menu.actions():
        below = action.menu()
        if isinstance(below, QMenu):
            yield from _inside(window, below, f"{place} › {plain_text(below.title())}")
        elif not action.isSeparator() and action.objectName() != OWN:
            yield _command(window, action, place)


def _command(window: MainWindow, action: QAction, place: str) -> Command:
    name = action.objectName()
    page = name.removeprefix("page-")
    words, reason, more = said(action), reason_against(action), ""
    if not action.isEnabled() and name in _NOTHING_THERE:
        reason = tr(_NOTHING_THERE[name])
    if page != name:
        words, more = tr("Go to %s") % words, words
        reason = missing_for(window, page)
    if action.isCheckable() and action.isChecked():
        more = f"{more} {tr('on')}"
    run = unless_gone(action, action.trigger)
    return Command(f"menu {name or words}", words, place, run, keys_of(action), reason, more)


def said(action: QAction) -> str:
    """The name of an action, without what menus need."""
    return plain_text(action.text()).rstrip("…")


def keys_of(action: QAction) -> str:
    """The first of an action's keys."""
    return shown_keys(action.shortcut())


def reason_against(action: QAction) -> str:
    """Why an action cannot be used; empty if it can."""
    if action.isEnabled():
        return ""
    return reason_in(plain_text(action.toolTip()), said(action), plain_text(action.text()))


def reason_in(tip: str, *names: str) -> str:
    """What a tip says against a control; one that only repeats its name says nothing."""
    says_nothing = tip.rstrip("….") in ("", *names)
    return tr("This cannot be done now.") if says_nothing else tip


def missing_for(window: MainWindow, page: str) -> str:
    """Why a page cannot be used yet; empty if it can."""
    study = window.front.store.study
    missing = next(entry for entry in PAGES if entry.name == page).missing(study)
    return tr(missing) if missing else ""


_PRIMARY = QKeySequence("Ctrl+Enter")
_PRIMARY_KEYS = (_PRIMARY, QKeySequence("Ctrl+Return"))
"""The next step of every page, which has a name of its own on each."""


def front_commands(window: MainWindow) -> Iterator[Command]:
    """All that can be done on the page in front."""
    front = window.front
    page = front.pages.get(front.current)
    # A demonstration that begins has no page for a moment.
    if page is not None:
        yield from _actions(page, page.title)
        yield from _shortcuts(page, page.title)
        yield from _buttons(page)
        yield from _lines(page)
    if window.stage is not None:
        yield from _shortcuts(window.stage.panel, tr("Demonstration"))
    yield from _shortcuts(window, tr("Every page"), deep=False)


def other_commands(window: MainWindow) -> Iterator[Command]:
    """The next steps of the other pages; the page is shown first."""
    front = window.front
    for entry in PAGES:
        page = front.pages.get(entry.name)
        if page is None or entry.name == front.current:
            continue
        missing = missing_for(window, entry.name)
        for command in _actions(page, page.title, at_hand=False):
            run = partial(_go_and_do, window, entry.name, command.run)
            reason = missing or command.reason
            yield replace(command, run=run, reason=reason, is_far=True)


def _go_and_do(window: MainWindow, page: str, do: Callable[[], object]) -> None:
    window.front.rail.page_chosen.emit(page)
    do()


def _actions(page: Page, place: str, *, at_hand: bool = True) -> Iterator[Command]:
    named = [page.primary, *page.secondary]
    for action in named if not at_hand else (*named, *_more_actions(page, named)):
        words = said(action)
        if not words or not action.isVisible():
            continue
        keys = keys_of(action)
        if action is page.primary and at_hand:
            keys = shown_keys(_PRIMARY)
        key = f"{page.name} {action.objectName() or words}"
        run = unless_gone(action, action.trigger)
        yield Command(key, words, place, run, keys, reason_against(action))


def _more_actions(page: Page, named: list[QAction]) -> Iterator[QAction]:
    """Actions that have keys; others belong to menus of single widgets."""
    actions: Iterable[QAction] = page.findChildren(QAction)
    for action in actions:
        if action not in named and not action.shortcut().isEmpty():
            yield action


def _shortcuts(owner: QWidget, place: str, *, deep: bool = True) -> Iterator[Command]:
    seen = set()
    found = owner.findChildren(QShortcut) if deep else owner.children()
    for shortcut in found:
        if not isinstance(shortcut, QShortcut):
            continue
        words = shortcut.whatsThis()
        if words and words not in seen and shortcut.key() not in _PRIMARY_KEYS:
            seen.add(words)
            keys = shown_keys(shortcut.key())
            run = unless_gone(shortcut, shortcut.activated.emit)
            yield Command(f"key {keys}", words, place, run, keys)


def _buttons(page: Page) -> Iterator[Command]:
    """Buttons in sight; one that has no name of its own is told by what its tip says."""
    for kind in (QPushButton, QToolButton):
        buttons: Iterable[QAbstractButton] = page.findChildren(kind)
        for button in buttons:
            if not button.objectName() or not button.isVisible() or button.isCheckable():
                continue
            words = (button.text() or button.accessibleName()).rstrip("…")
            if not words:
                continue
            reason = "" if button.isEnabled() else reason_in(button.toolTip(), words)
            key = f"{page.name} {button.objectName()}"
            run = unless_gone(button, button.click)
            yield Command(key, words, page.title, run, "", reason)


def _lines(page: Page) -> Iterator[Command]:
    """Whole lines and cards that are clicked: samples, recent studies, demonstrations."""
    lines: Iterable[Clickable] = page.findChildren(Clickable)
    for one in lines:
        words = one.accessibleName()
        if words and one.isVisible():
            key = f"{page.name} {one.objectName() or words}"
            more = one.accessibleDescription()
            run = unless_gone(one, one.clicked.emit)
            yield Command(key, words, page.title, run, more=more)


_ABOUT_ONE = frozenset({"data", "design"})
"""Pages that show the attribute that is selected."""


def attribute_commands(window: MainWindow) -> Iterator[Command]:
    """Every attribute of the study; one is shown on Design unless the page in front shows it."""
    study = window.front.store.study
    place = tr("Attribute")
    if study.table is not None:
        attributes = [column.attribute for column in study.table.columns]
    else:
        attributes = [designed.attribute for designed in study.design.attributes]
    for attribute in attributes:
        run = partial(_show_attribute, window, attribute.name)
        yield Command(
            f"attribute {attribute.name}", attribute.name, place, run, more=attribute.label
        )


def _show_attribute(window: MainWindow, name: str) -> None:
    front = window.front
    if front.current not in _ABOUT_ONE:
        front.rail.page_chosen.emit("design" if name in front.store.study.design else "data")
    front.store.select([name])


def demonstration_commands(window: MainWindow) -> Iterator[Command]:
    """Every demonstration."""
    place = tr("Demonstration")
    for head in _heads(speech.language):
        yield Command(f"demonstration {head.name}", head.title, place, partial(_show, window, head))


def _show(window: MainWindow, head: DemonstrationInfo) -> None:
    from ppworkbench.gui.demonstrations import open_demonstration

    open_demonstration(window.workbench, head.file)


@lru_cache(maxsize=2)
def _heads(language: str) -> tuple[DemonstrationInfo, ...]:  # noqa: ARG001 (the heads are those of the language)
    from ppworkbench.gui.demonstrations import shipped_heads

    return shipped_heads()


_WITH_DEMONSTRATIONS = frozenset({"start", "learn"})
"""Pages that list the demonstrations themselves."""


def all_commands(window: MainWindow) -> list[Command]:
    """Everything that can be done, each thing once."""
    found: dict[tuple[str, str], Command] = {}
    for command in _sources(window):
        found.setdefault((command.words.casefold(), command.place), command)
    return list(found.values())


def _sources(window: MainWindow) -> Iterator[Command]:
    yield from front_commands(window)
    yield from menu_commands(window)
    yield from other_commands(window)
    yield from attribute_commands(window)
    if window.stage is None and window.current not in _WITH_DEMONSTRATIONS:
        yield from demonstration_commands(window)


_PLAIN = {"ł": "l", "đ": "d", "ø": "o", "ı": "i"}
"""Letters that Unicode does not take apart."""
_LOOSE = 3
"""Letters that are left out between two typed ones, on average, at most."""


@dataclass(frozen=True)
class Match:
    """How well a name fits, and which of its letters were typed."""

    score: float
    places: tuple[int, ...] = ()


@lru_cache(maxsize=4096)
def folded(words: str) -> str:
    """Small letters without accents; as many as before, so that places stay the same.

    >>> folded("Żółty Ślad")
    'zolty slad'
    """
    return "".join(_plain(letter) for letter in words)


def _plain(letter: str) -> str:
    small = letter.lower()[:1] or letter
    return _PLAIN.get(small) or unicodedata.normalize("NFKD", small)[0]


def match(typed: str, words: str, more: str = "") -> Match | None:
    """Compare what was typed with a name; None if it does not fit.

    Every typed word has to be found: at the start of a word of the name best, in the middle of one
    worse, as letters in the right order worse still, and in ``more``, which is not shown, worst.

    >>> match("exp dat", "Export distorted data").places
    (0, 1, 2, 17, 18, 19)
    >>> match("xyz", "Export distorted data") is None
    True
    """
    score, places = 0.0, set[int]()
    name, beside = folded(words), folded(more)
    for part in folded(typed).split():
        found = _find(part, name)
        if found is not None:
            score += found.score
            places.update(found.places)
        elif part in beside:
            score += 20
        else:
            return None
    # Of names that fit equally well the shorter one is meant.
    return Match(score - len(name) / 100, tuple(sorted(places)))


def _find(part: str, name: str) -> Match | None:
    place = _start_of_word(part, name)
    if place >= 0:
        return Match(100 - min(place, 40) / 4, tuple(range(place, place + len(part))))
    place = name.find(part)
    if place >= 0:
        return Match(60 - min(place, 40) / 4, tuple(range(place, place + len(part))))
    return _scattered(part, name)


def _start_of_word(part: str, name: str) -> int:
    place = name.find(part)
    while place > 0 and name[place - 1].isalnum():
        place = name.find(part, place + 1)
    return place


def _scattered(part: str, name: str) -> Match | None:
    """The letters in their order, with as few others in between as can be."""
    if len(part) < 2:
        return None
    best: tuple[int, ...] | None = None
    for start, letter in enumerate(name):
        if letter == part[0] and (start == 0 or not name[start - 1].isalnum()):
            places = _from(start, part, name)
            if places and (best is None or places[-1] - places[0] < best[-1] - best[0]):
                best = places
    if best is None or best[-1] - best[0] >= _LOOSE * len(part) + len(part):
        return None
    return Match(40 - (best[-1] - best[0]) / 2, best)


def _from(start: int, part: str, name: str) -> tuple[int, ...]:
    places = [start]
    for letter in part[1:]:
        place = name.find(letter, places[-1] + 1)
        if place < 0:
            return ()
        places.append(place)
    return tuple(places)


Index = QModelIndex | QPersistentModelIndex
FOUND = int(Qt.ItemDataRole.UserRole)
_AT_FIRST = 20
"""Commands that the list measures at once; more are in sight only after scrolling."""


@dataclass(frozen=True)
class Found:
    """A command, and the letters of its name that were typed."""

    command: Command
    places: tuple[int, ...] = ()


def find(commands: Sequence[Command], typed: str, lately: Sequence[str]) -> list[Found]:
    """Commands that fit; those used lately first, then those that can be done now.

    With nothing typed all of them fit.
    """
    order = {key: place for place, key in enumerate(lately)}
    if not typed.strip():
        last = len(order)
        ranked = sorted(commands, key=lambda one: (not one.can_run, order.get(one.key, last)))
        return [Found(command) for command in ranked]
    scored = []
    for command in commands:
        fit = match(typed, command.words, f"{command.place} {command.more}")
        if fit is not None:
            score = fit.score + _bonus(command, order)
            scored.append((score, Found(command, fit.places)))
    return [found for _, found in sorted(scored, key=lambda one: -one[0])]


def _bonus(command: Command, lately: Container[str]) -> float:
    used = 8 if command.key in lately else 0
    return used - (10 if command.is_far else 0) - (0 if command.can_run else 30)


def spoken(command: Command) -> str:
    """A command for those who do not see the list."""
    parts = (command.words, command.place, command.keys, command.reason)
    return ", ".join(part for part in parts if part)


class Matches(QAbstractListModel):
    """What the list of the palette shows."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.found: list[Found] = []
        self._rows = 0

    def show_found(self, found: list[Found]) -> None:
        """Show other commands."""
        self.beginResetModel()
        self.found = found
        self._rows = min(len(found), _AT_FIRST)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of commands that the list knows of by now."""
        return 0 if parent.isValid() else self._rows

    def canFetchMore(self, parent: Index) -> bool:  # noqa: N802
        """Whether there are more commands below."""
        return not parent.isValid() and self._rows < len(self.found)

    def fetchMore(self, parent: Index) -> None:  # noqa: ARG002, N802
        """Let the list know of the rest; somebody scrolls."""
        self.reach(len(self.found) - 1)

    def reach(self, row: int) -> None:
        """Let the list know of a row."""
        if row >= self._rows:
            self.beginInsertRows(QModelIndex(), self._rows, len(self.found) - 1)
            self._rows = len(self.found)
            self.endInsertRows()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One command; the delegate asks for all of it."""
        if not index.isValid():
            return None
        found = self.found[index.row()]
        if role == FOUND:
            return found
        if role == Qt.ItemDataRole.DisplayRole:
            return found.command.words
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken(found.command)
        if role == Qt.ItemDataRole.ToolTipRole:
            return found.command.reason or None
        return None

    def count(self) -> str:
        """How many there are, in words."""
        return tr("Found: %s") % len(self.found)


ROW = 34
_TWO_LINES = 46
_PAD = 12
_GAP = 10
_KEYS = 88
"""Room for the keys, so that what stands left of them begins at one line."""


class RowDelegate(QStyledItemDelegate):
    """Typed letters stand out; a command that cannot be used is grey with its reason below.

    Words are drawn at a point: within a box Qt would lay each of them out as a paragraph.
    """

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._metrics: dict[tuple[str, str], QFontMetrics] = {}
        themes.theme_changed.connect(self._forget)

    def _forget(self) -> None:
        self._metrics.clear()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002, N802
        """A line, or two where there is a reason."""
        found: Found = index.data(FOUND)
        return QSize(120, self._themes.theme.px(ROW if found.command.can_run else _TWO_LINES))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one command."""
        found: Found = index.data(FOUND)
        told: Any = option  # the stubs leave its fields out
        theme, state = self._themes.theme, told.state
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        box = QRectF(told.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("accentTint" if chosen else "hover"))
            painter.drawRoundedRect(box.adjusted(4, 1, -4, -1), 6, 6)
        inside = box.adjusted(_PAD, 0, -_PAD, 0)
        line = QRectF(inside)
        if not found.command.can_run:
            line.setHeight(theme.px(26))
            line.translate(0, theme.px(2))
        line.setRight(self._draw_keys(painter, line, found.command.keys))
        line.setRight(self._draw_place(painter, line, found))
        self._draw_name(painter, line, found, chosen)
        if not found.command.can_run:
            self._draw_reason(painter, inside, found.command.reason)
        painter.restore()

    def _measure(self, style: str, weight: str = "regular") -> QFontMetrics:
        key = style, weight
        if key not in self._metrics:
            self._metrics[key] = QFontMetrics(self._themes.theme.font(style, weight))
        return self._metrics[key]

    def _write(
        self, painter: QPainter, left: float, line: QRectF, words: str, ink: QColor, *font: str
    ) -> None:
        """Write words in the middle of a line."""
        metrics = self._measure(*font)
        base = line.center().y() + (metrics.ascent() - metrics.descent()) / 2
        painter.setFont(self._themes.theme.font(*font))
        painter.setPen(ink)
        painter.drawText(QPointF(left, base), words)

    def _draw_keys(self, painter: QPainter, line: QRectF, keys: str) -> float:
        """Draw the keys at the right end, where room is kept for them; where it begins."""
        theme = self._themes.theme
        edge = line.right() - theme.px(_KEYS) - _GAP
        if not keys:
            return edge
        width = self._measure("caption", "medium").horizontalAdvance(keys) + 14
        height = theme.px(19)
        badge = QRectF(line.right() - width, line.center().y() - height / 2, width, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("sunken"))
        painter.drawRoundedRect(badge, 6, 6)
        ink = theme.colour("text2")
        self._write(painter, badge.left() + 7, badge, keys, ink, "caption", "medium")
        return min(edge, badge.left() - _GAP)

    def _draw_place(self, painter: QPainter, line: QRectF, found: Found) -> float:
        """Draw where else the command is; where it begins."""
        name = self._measure("body", "semibold").horizontalAdvance(found.command.words)
        most = max(line.width() - name - _GAP, line.width() / 4)
        words, width = self._cut(found.command.place, most, "caption")
        left = line.right() - width
        self._write(painter, left, line, words, self._themes.theme.colour("text2"), "caption")
        return left - _GAP

    def _draw_name(self, painter: QPainter, line: QRectF, found: Found, chosen: bool) -> None:
        theme = self._themes.theme
        ink = theme.colour("text" if found.command.can_run else "text3")
        marked = theme.colour("accentInk") if found.command.can_run or chosen else ink
        words, _ = self._cut(found.command.words, line.width(), "body", "semibold")
        x = line.left()
        for piece, is_typed in pieces(words, found.places):
            font = ("body", "semibold" if is_typed else "regular")
            self._write(painter, x, line, piece, marked if is_typed else ink, *font)
            x += self._measure(*font).horizontalAdvance(piece)

    def _draw_reason(self, painter: QPainter, inside: QRectF, reason: str) -> None:
        theme = self._themes.theme
        height = theme.px(18)
        line = QRectF(inside.left(), inside.bottom() - height - theme.px(3), inside.width(), height)
        words, _ = self._cut(reason, line.width(), "caption")
        self._write(painter, line.left(), line, words, theme.colour("text2"), "caption")

    def _cut(self, words: str, room: float, *font: str) -> tuple[str, int]:
        """As many words as there is room for, and how wide they are."""
        metrics = self._measure(*font)
        width = metrics.horizontalAdvance(words)
        if width <= room:
            return words, width
        words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, int(room))
        return words, metrics.horizontalAdvance(words)


def pieces(words: str, places: tuple[int, ...]) -> list[tuple[str, bool]]:
    """A name cut where typed letters begin and end.

    >>> pieces("Export", (0, 1))
    [('Ex', True), ('port', False)]
    """
    typed = set(places)
    cut: list[tuple[str, bool]] = []
    for place, letter in enumerate(words):
        is_typed = place in typed
        if cut and cut[-1][1] == is_typed:
            cut[-1] = (cut[-1][0] + letter, is_typed)
        else:
            cut.append((letter, is_typed))
    return cut


_LATELY = "palette/lately"
_REMEMBERED = 6
_WIDTH, _HEIGHT = 620, 430
_BELOW = 84
"""How far below the window's upper edge it opens."""
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -8, Qt.Key.Key_PageDown: 8}


class PaletteDialog(QDialog):
    """Type, choose with the arrows, Enter does it, Esc closes."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)
        self._window = window
        self._themes = window.workbench.themes
        self._settings = window.workbench.settings
        self._commands: list[Command] = []
        self.setObjectName("palette")
        self.setWindowTitle(self.tr("Command palette"))
        self.setAccessibleName(self.tr("Command palette"))
        self.field = QLineEdit()
        self.field.setObjectName("paletteField")
        self.field.setAccessibleName(self.tr("What do you want to do?"))
        self.field.setPlaceholderText(self.tr("What do you want to do?"))
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._search)
        self.list = QListView()
        self.matches = Matches(self)
        self._make_list()
        self.nothing = text(self.tr("Nothing is called like that."), "hint")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.count = text("", "captionHint")
        self._arrange()
        self._themes.theme_changed.connect(self._restyle)
        self._restyle()
        self._themes.dress(self)

    def _make_list(self) -> None:
        self.list.setObjectName("paletteList")
        self.list.setAccessibleName(self.tr("Commands"))
        self.list.setModel(self.matches)
        self._delegate = RowDelegate(self._themes)
        self.list.setItemDelegate(self._delegate)
        self.list.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.list.installEventFilter(self)
        self.list.setMouseTracking(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.clicked.connect(self._on_clicked)
        self.list.selectionModel().currentChanged.connect(self._on_current)

    def _arrange(self) -> None:
        self._stack = QStackedLayout()
        self._stack.addWidget(self.list)
        self._stack.addWidget(self.nothing)
        keys = text(self.tr("↑ ↓ choose, Enter does it, Esc closes"), "captionHint")
        foot = row(keys, None, self.count)
        foot.setContentsMargins(14, 6, 14, 8)
        head = row(self.field)
        head.setContentsMargins(10, 10, 10, 8)
        layout = column(head, line(), self._stack, line(), foot, parent=self, spacing=0, margin=1)
        layout.setStretch(2, 1)

    def _restyle(self) -> None:
        theme = self._themes.theme
        set_rules(
            self,
            f"#palette {{ background: {theme.hex('surface')};"
            f" border: 1px solid {theme.hex('outline')}; }}"
            f"#paletteField {{ min-height: {theme.px(30)}px;"
            f" font-size: {theme.font('subtitle').pixelSize()}px; }}",
        )

    # Opening

    def open_anew(self) -> None:
        """Collect what can be done now, and show it."""
        self._commands = all_commands(self._window)
        with QSignalBlocker(self.field):
            self.field.clear()
        self._search("")
        self._place()
        self.show()
        self.activateWindow()
        self.field.setFocus()

    def _place(self) -> None:
        px, window = self._themes.theme.px, self._window
        width = min(px(_WIDTH), window.width() - 80)
        height = min(px(_HEIGHT), window.height() - _BELOW - 60)
        self.setFixedSize(width, height)
        corner = QPoint((window.width() - width) // 2, _BELOW)
        self.move(window.mapToGlobal(corner))

    # Searching

    def type(self, words: str) -> None:
        """Search as if somebody typed."""
        self.field.setText(words)

    def _search(self, typed: str) -> None:
        self.matches.show_found(find(self._commands, typed, self._lately()))
        is_any = bool(self.matches.found)
        self._stack.setCurrentWidget(self.list if is_any else self.nothing)
        self.count.setText(self.matches.count())
        if is_any:
            self.list.setCurrentIndex(self.matches.index(0))
            self.list.scrollToTop()
        else:
            announce(self.field, self.nothing.text())

    def _lately(self) -> list[str]:
        kept: Any = self._settings.value(_LATELY, [])
        return [str(key) for key in kept or []]

    def _on_current(self, current: QModelIndex, _: QModelIndex) -> None:
        if current.isValid():
            words = spoken(self.matches.found[current.row()].command)
            self.field.setAccessibleDescription(words)
            announce(self.field, words)

    # Keys and pointer

    def event(self, event: QEvent) -> bool:
        """Close when somebody turns to the window.

        A modal window would do without this, but then Qt tells every widget of the window.
        """
        if event.type() == QEvent.Type.WindowDeactivate and self.isVisible():
            self.reject()
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Let arrows move the choice in the list, wherever the focus is."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            step = _STEPS.get(Qt.Key(event.key()))
            if step is not None:
                self._step(step)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.do_chosen()
                return True
        return super().eventFilter(watched, event)

    def _step(self, step: int) -> None:
        last = len(self.matches.found) - 1
        if last < 0:
            return
        here = self.list.currentIndex().row()
        # A single step leads from the end to the start, and the other way round.
        around = (here + step) % (last + 1)
        place = around if abs(step) == 1 else min(max(here + step, 0), last)
        self.matches.reach(place)
        self.list.setCurrentIndex(self.matches.index(place))

    def _on_clicked(self, _: QModelIndex) -> None:
        self.do_chosen()

    def do_chosen(self) -> None:
        """Close and do what is chosen; what cannot be done says why and leaves it open."""
        index = self.list.currentIndex()
        if not index.isValid():
            return
        command = self.matches.found[index.row()].command
        if not command.can_run:
            announce(self.field, command.reason)
            return
        lately = [command.key, *(key for key in self._lately() if key != command.key)]
        self._settings.setValue(_LATELY, lately[:_REMEMBERED])
        self.accept()
        self._window.activateWindow()
        # The window has the focus again by then, where it was before.
        QTimer.singleShot(0, self._window, command.run)
