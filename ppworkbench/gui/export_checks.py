"""What somebody should know before distorted data leave this computer, point by point."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ppworkbench.core.data.table import Table, shorten
from ppworkbench.core.design import Design
from ppworkbench.gui.language.text import later, told, tr
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.icon_button import IconLabel
from ppworkbench.gui.widgets.layouts import column, row, text
from ppworkbench.study.release_checks import (
    Point,
    has_grid,
    left_out,
    undistorted,
    visibly_missing,
    with_ranges,
)

SEED_SENTENCE = later(
    "A seed and the design together undo the distortion. Use the operating system's randomness for "
    "release."
)
"""The sentence that stands wherever a seed can be chosen for an export."""

_ICONS = {
    True: ("check", "good", later("in order")),
    False: ("warning", "warningText", later("look at this")),
    None: ("info", "text3", later("to know")),
}


def checks(table: Table, design: Design, *, seeded: bool, shuffled: bool) -> list[Point]:
    """The points to look at before this table is published under this design."""
    points = [_randomness(seeded), _undistorted(design)]
    absent = left_out(design, table)
    if absent:
        said = tr("%s: left out, because the design does not list them") % _list(absent, 4)
        points.append(Point(None, said))
    points += _missing(table, design)
    if not seeded and has_grid(design):
        detail = tr("so that their last digits tell nothing; the grid is in the design")
        points.append(Point(True, tr("Numbers are rounded to a published grid"), detail))
    if not shuffled:
        detail = tr("row order can link records to people or to other tables")
        points.append(Point(False, tr("Rows stay in their order"), detail))
    ranged = with_ranges(design)
    if ranged:
        detail = tr("a range taken from the data is its smallest and largest answer")
        said = tr("The ranges of %s are published with the design") % _list(ranged, 3)
        points.append(Point(None, said, detail))
    return points


def _randomness(seeded: bool) -> Point:
    if seeded:
        return Point(False, tr("Whoever learns the seed can undo the distortion"))
    return Point(True, tr("No seed is written anywhere"), tr("nobody can repeat the draws"))


def _undistorted(design: Design) -> Point:
    bare = undistorted(design)
    if not bare:
        return Point(True, tr("Every published attribute is distorted"))
    if len(bare) == 1:
        said = tr("%s is published as it is") % bare[0]
    else:
        said = tr("%s are published as they are") % _list(bare, 4)
    return Point(False, said, tr("undistorted attributes together often point at one person"))


def _missing(table: Table, design: Design) -> list[Point]:
    bare = visibly_missing(design, table)
    if not bare:
        return []
    detail = tr("whether someone skipped a question can itself give an answer away")
    return [Point(False, tr("Missing answers of %s stay missing") % _list(bare, 4), detail)]


def _list(names: Sequence[str], most: int) -> str:
    return told(shorten(names, most))


class CheckList(QWidget):
    """The points under each other, with a tick or a triangle."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.points: list[Point] = []
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(10)
        self.setAccessibleName(tr("Before you release it"))

    def say(self, points: list[Point]) -> None:
        """Show these points."""
        if points == self.points:
            return
        self.points = points
        while self._rows.count():
            item = self._rows.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for point in points:
            self._rows.addWidget(self._row(point))
        self._rows.addStretch(1)
        spoken = (
            f"{tr(_ICONS[p.good][2])}: {told(p.sentence)}. {told(p.detail)}".strip() for p in points
        )
        self.setAccessibleDescription(" ".join(spoken))

    def _row(self, point: Point) -> QWidget:
        holder = QWidget()
        name, colour, _ = _ICONS[point.good]
        sentence = text(told(point.sentence), "label", wrap=True)
        words = column(sentence, spacing=0)
        if point.detail:
            words.addWidget(text(told(point.detail), "captionHint", wrap=True))
        icon = column(IconLabel(self._themes, name, colour, 16), None, spacing=0)
        icon.setContentsMargins(0, 1, 0, 0)
        row(icon, words, parent=holder, spacing=10).setStretch(1, 1)
        return holder
