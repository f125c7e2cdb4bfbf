"""Everything that can be done, and the search in it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QObject,
)
from PySide6.QtGui import (
    QAction,
    QKeySequence,
    QShortcut,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QMenu,
    QPushButton,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from ppworkbench.gui.keys import plain_text, shown_keys
from ppworkbench.gui.language import speech, tr
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.widgets.controls import Clickable
from ppworkbench.gui.window.shell import PAGES
from ppworkbench.study.language import translatable

if TYPE_CHECKING:
    from ppworkbench.gui.window.layered_window import LayeredWindow
    from ppworkbench.outputs.demonstrations.catalogue import DemonstrationInfo


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
    "undo": translatable("Nothing to undo."),
    "redo": translatable("Nothing to redo."),
}


def menu_commands(window: LayeredWindow) -> Iterator[Command]:
    """Every action of the menus, those of submenus with the way that leads there."""
    for entry in window.menuBar().actions():
        menu = entry.menu()
        if isinstance(menu, QMenu):
            yield from _inside(menu, plain_text(menu.title()))


def _inside(menu: QMenu, place: str) -> Iterator[Command]:
    for action in menu.actions():
        below = action.menu()
        if isinstance(below, QMenu):
            yield from _inside(below, f"{place} › {plain_text(below.title())}")
        elif not action.isSeparator() and action.objectName() != OWN:
            yield _command(action, place)


def _command(action: QAction, place: str) -> Command:
    name = action.objectName()
    page = name.removeprefix("page-")
    words, reason, more = said(action), reason_against(action), ""
    if not action.isEnabled() and name in _NOTHING_THERE:
        reason = tr(_NOTHING_THERE[name])
    if page != name:
        words, more = tr("Go to %s") % words, words
    if action.isCheckable() and action.isChecked():
        more = f"{more} {tr('on')}"
    run = unless_gone(action, action.trigger)
    return Command(f"menu {name or words}", words, place, run, keys_of(action), reason, more)


def said(action: QAction) -> str:
    return plain_text(action.text()).rstrip("…")


def keys_of(action: QAction) -> str:
    return shown_keys(action.shortcut())


def reason_against(action: QAction) -> str:
    """Why an action cannot be used; empty if it can."""
    if action.isEnabled():
        return ""
    return reason_in(plain_text(action.toolTip()), said(action), plain_text(action.text()))


def reason_in(tip: str, *names: str) -> str:
    """What a tip says against a control; one that only repeats its name says nothing."""
    says_nothing = tip.rstrip("….") in ("", *names)
    return tr("Currently not available.") if says_nothing else tip


_PRIMARY = QKeySequence("Ctrl+Enter")
_PRIMARY_KEYS = (_PRIMARY, QKeySequence("Ctrl+Return"))
"""The next step of every page, which has a name of its own on each."""


def front_commands(window: LayeredWindow) -> Iterator[Command]:
    front = window.front
    page = front.front_page
    # A demonstration that begins has no page for a moment.
    if page is not None:
        yield from _actions(page, page.title)
        yield from _shortcuts(page, page.title)
        yield from _buttons(page)
        yield from _lines(page)
    if window.stage is not None:
        yield from _shortcuts(window.stage.panel, tr("Demonstration"))
    yield from _shortcuts(window, tr("Every page"), deep=False)


def other_commands(window: LayeredWindow) -> Iterator[Command]:
    """The next steps of the other pages; the page is shown first."""
    front = window.front
    for entry in PAGES:
        page = front.pages.get(entry.name)
        # What stands in the place of a page has a next step of its own.
        if page is None or entry.name == front.current or entry.lacks(front.store.study):
            continue
        for command in _actions(page, page.title, at_hand=False):
            run = partial(_go_and_do, window, entry.name, command.run)
            yield replace(command, run=run, is_far=True)


def _go_and_do(window: LayeredWindow, page: str, do: Callable[[], object]) -> None:
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


def attribute_commands(window: LayeredWindow) -> Iterator[Command]:
    """Every attribute of the study; one is shown on Design unless the page in front shows it."""
    study = window.front.store.study
    place = tr("Attribute")
    if study.table is not None:
        attributes = [column.attribute for column in study.table.columns]
    else:
        attributes = [designed.attribute for designed in study.design.attributes]
    for attribute in attributes:
        run = partial(_show_attribute, window, attribute.name)
        shown = study.shown(attribute.name)
        more = f"{attribute.name} {attribute.label}"
        yield Command(f"attribute {attribute.name}", shown, place, run, more=more)


def _show_attribute(window: LayeredWindow, name: str) -> None:
    front = window.front
    if front.current not in _ABOUT_ONE:
        front.rail.page_chosen.emit("design" if name in front.store.study.design else "data")
    front.store.select([name])


def demonstration_commands(window: LayeredWindow) -> Iterator[Command]:
    place = tr("Demonstration")
    for head in _heads(speech.language):
        yield Command(f"demonstration {head.name}", head.title, place, partial(_show, window, head))


def _show(window: LayeredWindow, head: DemonstrationInfo) -> None:
    from ppworkbench.gui.demonstrations import open_demonstration

    open_demonstration(window.workbench, head.file)


@lru_cache(maxsize=2)
def _heads(language: str) -> tuple[DemonstrationInfo, ...]:  # noqa: ARG001 (the heads are those of the language)
    from ppworkbench.gui.demonstrations import shipped_heads

    return shipped_heads()


_WITH_DEMONSTRATIONS = frozenset({"start", "learn"})
"""Pages that list the demonstrations themselves."""


def all_commands(window: LayeredWindow) -> list[Command]:
    """Everything that can be done, each thing once."""
    found: dict[tuple[str, str], Command] = {}
    for command in _sources(window):
        found.setdefault((command.words.casefold(), command.place), command)
    return list(found.values())


def _sources(window: LayeredWindow) -> Iterator[Command]:
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
