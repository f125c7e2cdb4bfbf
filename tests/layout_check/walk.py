"""A walk through every page and dialog, and all that is looked at on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtGui import QAction, QShortcut
from PySide6.QtWidgets import QApplication, QDialog, QSplitter, QWidget

from layout_check.clipped import clipped_texts
from layout_check.fault import Fault
from layout_check.figures import figure_faults
from layout_check.named import nameless
from layout_check.placed import misplaced
from layout_check.shortened import shortened_texts
from layout_check.tabbed import tab_walk, unreached
from ppworkbench.core.publish import CurveOptions
from ppworkbench.gui.keys import menu_actions
from ppworkbench.gui.tour import View, open_window, picture, result_stops
from ppworkbench.gui.tour.stops import STOPS, Stop
from ppworkbench.gui.tour.studies import settle
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.gui.window.shell import PAGES
from ppworkbench.gui.window.shortcuts_dialog import shortcut_map

FLOATING = frozenset({"Toast", "Badge"})
SIDEWAYS = frozenset({"RowsView", "TreeView"})
WIDE = SIDEWAYS | {"QTableView"}
"""The same where text was enlarged: tables keep all of their columns."""
STILL = frozenset({"PageRoom"})
"""The columns of a page scroll, the page itself does not; unless text was enlarged."""
QUIET = 0.12
_FEW = CurveOptions(minimums=(0.1, 0.4), folds=2, most_people=300)


@dataclass
class Walk:
    """What was seen on the way, by the names of the stops."""

    faults: dict[str, list[str]] = field(default_factory=dict)
    unreached: dict[str, list[str]] = field(default_factory=dict)
    dark: dict[str, list[str]] = field(default_factory=dict)
    sizes: dict[str, tuple[int, int]] = field(default_factory=dict)
    columns: dict[str, list[int]] = field(default_factory=dict)
    """The columns that Tab goes through, one number for every control."""
    twice: dict[str, list[str]] = field(default_factory=dict)
    """Keys that do two things on a page."""
    figures: dict[str, list[str]] = field(default_factory=dict)
    """What is wrong with charts that leave the program."""
    menu_keys: list[str] = field(default_factory=list)
    listed_keys: list[str] = field(default_factory=list)


def take_walk(
    app: QApplication,
    view: View,
    stops: Sequence[Stop] = STOPS,
    *,
    scale: float = 1.0,
    larger: tuple[int, int] | None = None,
    dark_too: bool = False,
    pictures: Path | None = None,
) -> Walk:
    """Visit the stops; dialogs come last.

    With ``dark_too`` the later half of stops is seen in dark colours, and so is every page.
    """
    seen, drawn = Walk(), set[str]()
    result_stops._FEW = _FEW
    late = [stop for stop in stops if stop.name.startswith(("dialog-", "learn-step"))]
    with open_window(view) as window:
        window.workbench.themes.zoom(scale)
        early = [stop for stop in stops if stop not in late]
        for group in (early, late):
            for place, stop in enumerate(group):
                if dark_too and place == len(group) // 2:
                    _choose(app, window, "dark")
                _visit(app, window, stop, seen, larger, pictures, drawn)
            if group is early:
                _note_keys(window, seen)
            if dark_too and group is early:
                _visit_dark(app, window, seen)
                _choose(app, window, view.theme)
    return seen


def find_shortened(
    app: QApplication,
    view: View,
    stops: Sequence[Stop],
    sizes: Sequence[tuple[int, int]],
    scales: Sequence[float],
) -> Iterator[tuple[str, Fault]]:
    """Headings and readings that are shortened, and where: stop, size and scale of text.

    Colours do not change the width of a word, so that one theme tells of both.
    """
    result_stops._FEW = _FEW
    with open_window(view) as window:
        for stop in stops:
            settle(window, quiet=QUIET)
            stop.arrange(window)
            settle(window, busy=stop.busy, quiet=QUIET)
            for scale in scales:
                window.workbench.themes.zoom(scale)
                for size in sizes:
                    window.resize(*size)
                    _lay_out(app)
                    place = f"{stop.name} {size[0]}x{size[1]} {scale:g}"
                    for root in _roots(window):
                        yield from ((place, fault) for fault in shortened_texts(root))
            window.workbench.themes.zoom(1.0)
            window.resize(view.width, view.height)
            stop.leave(window)


def _choose(app: QApplication, window: MainWindow, theme: str) -> None:
    window.workbench.themes.choose(theme)
    settle(window, quiet=QUIET)


def _visit(
    app: QApplication,
    window: MainWindow,
    stop: Stop,
    seen: Walk,
    larger: tuple[int, int] | None,
    pictures: Path | None,
    drawn: set[str],
) -> None:
    settle(window, quiet=QUIET)
    stop.arrange(window)
    settle(window, busy=stop.busy, quiet=QUIET)
    _lay_out(app)
    if pictures is not None:
        picture(window).save(str(pictures / f"{stop.name}.png"))
    small = window.size()
    seen.sizes[stop.name] = small.toTuple()
    _note(seen.faults, stop.name, _faults_at_rest(app, window, stop.busy))
    front = _roots(window)[-1]
    _note(seen.figures, stop.name, figure_faults(window, drawn, pictures))
    reached = tab_walk(front)
    _note(seen.unreached, stop.name, unreached(front, reached))
    if front is window:
        seen.columns[stop.name] = _columns(window, reached)
    if larger is not None:
        window.resize(*larger)
        _lay_out(app)
        _note(seen.faults, f"{stop.name}, larger", _faults_at_rest(app, window, stop.busy))
        window.resize(small)
    stop.leave(window)


def _visit_dark(app: QApplication, window: MainWindow, seen: Walk) -> None:
    for page in PAGES:
        window.show_page(page.name)
        settle(window, quiet=QUIET)
        _lay_out(app)
        _note(seen.dark, page.name, _faults_at_rest(app, window))


def _lay_out(app: QApplication) -> None:
    """A widget that changes asks its parent for another place, and that one asks its own."""
    for _ in range(6):
        app.processEvents()


def _faults_at_rest(app: QApplication, window: MainWindow, busy: bool = False) -> list[Fault]:
    """What is wrong and stays so: on a loaded machine timers of the layout may still be due."""
    found = list(faults_at(window))
    if found:
        settle(window, busy=busy, quiet=4 * QUIET)
        _lay_out(app)
        found = list(faults_at(window))
    return found


def faults_at(window: MainWindow) -> Iterator[Fault]:
    """What is wrong with the looks and names of the window and the dialogs in front of it."""
    is_enlarged = window.workbench.themes.scale > 1.0
    still, sideways = (frozenset[str](), WIDE) if is_enlarged else (STILL, SIDEWAYS)
    for root in _roots(window):
        yield from clipped_texts(root)
        yield from misplaced(root, FLOATING, sideways, still)
        yield from nameless(root)


def _roots(window: MainWindow) -> list[QWidget]:
    return [window, *(dialog for dialog in window.findChildren(QDialog) if dialog.isVisible())]


def _note(where: dict[str, list[str]], name: str, faults: Iterable[Fault]) -> None:
    told = [str(fault) for fault in faults]
    if told:
        where[name] = told


def _columns(window: MainWindow, reached: list[QWidget]) -> list[int]:
    page = window.front.front_page
    assert page is not None
    splitters = [one for one in page.findChildren(QSplitter) if one.isVisible()]
    if not splitters:
        return []
    outer = splitters[0]
    parts = [outer.widget(place) for place in range(outer.count())]
    return [
        place
        for stop in reached
        for place, part in enumerate(parts)
        if part is stop or part.isAncestorOf(stop)
    ]


def _note_keys(window: MainWindow, seen: Walk) -> None:
    actions = [action for _, action in menu_actions(window.menuBar())]
    menus = Counter(key.toString() for action in actions for key in action.shortcuts())
    seen.menu_keys = sorted(menus)
    told = {one for group in shortcut_map(window) for key in group.keys for one in _each(key.keys)}
    seen.listed_keys = sorted(told)
    for name, page in window.shell.pages.items():
        taken = menus + _page_keys(page, set(actions))
        twice = [keys for keys, times in taken.items() if times > 1]
        if twice:
            seen.twice[name] = twice


def _page_keys(page: QWidget, menus: set[QAction]) -> Counter[str]:
    """How often keys are taken on a page; shortcuts that say they do the same count once."""
    own = [one for one in page.findChildren(QAction) if one not in menus]
    shortcuts = [one for one in page.findChildren(QShortcut) if one.whatsThis()]
    told = {(one.key().toString(), one.whatsThis()) for one in shortcuts}
    keys = [key.toString() for action in own for key in action.shortcuts()]
    return Counter([*keys, *(key for key, _ in told)])


def _each(keys: str) -> list[str]:
    return keys.split(", ")
