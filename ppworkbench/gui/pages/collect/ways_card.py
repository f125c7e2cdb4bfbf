"""The ways a study gets out to people: cards, paper, pages and survey platforms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QSizePolicy, QWidget

from ppworkbench.gui.language import tr
from ppworkbench.gui.theme import ThemeManager, smooth_painter
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button, IconLabel
from ppworkbench.gui.widgets.layout import (
    column,
    line,
    named,
    row,
    scroll_area,
    show_words,
    text,
)

_BADGE = 24
_TWO_COLUMNS = 380
"""Width of the card above which two ways stand side by side."""


@dataclass(frozen=True)
class WayOut:
    """One way out as its card shows it.

    Parameters
    ----------
    target
        What the writer of kits calls it; empty for what is only refused.
    group
        A: the device stays with the respondent; B: the page draws before it sends; C: refused.
    refused
        Why it cannot be written; empty if it can.
    """

    target: str
    title: str
    hint: str
    icon: str
    group: str
    refused: str = ""


class ClassBadge(QWidget):
    """A letter in a rounded square."""

    def __init__(self, themes: ThemeManager, letter: str) -> None:
        super().__init__()
        self._themes, self._letter = themes, letter
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Class %s") % letter)
        self.setToolTip(self.accessibleName())
        themes.theme_changed.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:  # noqa: N802
        side = self._themes.theme.px(_BADGE)
        return QSize(side, side)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the square and its letter: tinted for A, sunken for B, open for C."""
        theme = self._themes.theme
        painter = smooth_painter(self)
        fill, edge, ink = {
            "A": ("accentTint", "accentLine", "accentInk"),
            "B": ("sunken", "outline", "text2"),
        }.get(self._letter, ("surface", "border", "text3"))
        painter.setPen(QPen(theme.colour(edge), 1))
        painter.setBrush(theme.colour(fill))
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(box, 5, 5)
        painter.setPen(theme.colour(ink))
        painter.setFont(theme.font("body", "semibold"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._letter)


class _WayFrame(QFrame):
    """One way: what it is, its class, and a button, or why it is refused."""

    def __init__(self, themes: ThemeManager, way: WayOut, *, is_above: bool = False) -> None:
        super().__init__()
        self.way = way
        refused = tr("refused, see above") if way.refused and is_above else way.refused
        name = way.target or "refused"
        self.setObjectName(f"way-{name}")
        self.setProperty("look", "card" if not way.refused else "note")
        self.setAccessibleName(way.title)
        head = row(
            IconLabel(themes, way.icon, "text2" if not way.refused else "text3", 17),
            text(way.title, "strong", wrap=True),
            ClassBadge(themes, way.group),
            spacing=8,
        )
        head.setStretch(1, 1)
        self.words = named(text(refused or way.hint, "hint", wrap=True), f"words-{name}")
        if way.refused:
            self.setToolTip(way.refused)
        self.export = named(Button(themes, tr("Export…"), look="link"), f"export-{name}")
        self.export.setAccessibleName(tr("Export %s…") % way.title)
        layout = column(head, self.words, None, row(self.export, None), parent=self, spacing=4)
        layout.setContentsMargins(11, 8, 9, 8)
        self.export.setVisible(not way.refused)


class WaysCard(Card):
    """Cards of all ways, and what their classes mean."""

    export_requested = Signal(str)
    add_requested = Signal()
    type_requested = Signal()
    design_requested = Signal()
    nearest_requested = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self.setObjectName("waysOut")
        self._themes = themes
        self._shown: tuple[WayOut, ...] | None = None
        self._frames: list[_WayFrame] = []
        self._columns = 0
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(8)
        self.note = named(text("", "warning", wrap=True), "waysNote")
        self.note.hide()
        self.design = named(Button(themes, tr("Go to Design"), "arrow-right"), "waysToDesign")
        self.design.clicked.connect(self.design_requested)
        self.design.hide()
        self.nearest = named(Button(themes, tr("Nearest devices…"), "dice"), "waysNearest")
        self.nearest.clicked.connect(self.nearest_requested)
        self.nearest.hide()
        self.add_responses = named(Button(themes, tr("Add responses…"), "plus"), "addResponses")
        self.add_responses.clicked.connect(self.add_requested)
        self.type_answers = named(
            Button(themes, tr("Type in paper answers…"), "edit"), "typeAnswers"
        )
        self.type_answers.clicked.connect(self.type_requested)
        inner = QWidget()
        layout = column(
            column(
                text(tr("Other ways out"), "strong"),
                text(tr("the same design on paper and on other platforms"), "hint", wrap=True),
                spacing=1,
            ),
            self.note,
            row(self.nearest, self.design, None),
            self._grid,
            line(),
            self._legend(
                "A",
                tr("The device stays with the respondent"),
                tr("cards, a die, a birthday: nobody else sees the draw"),
            ),
            self._legend(
                "B",
                tr("The page draws before it sends"),
                tr("who serves the page could change it"),
            ),
            line(),
            text(tr("Answers from elsewhere come back by “Add responses…”."), "hint", wrap=True),
            row(self.add_responses, self.type_answers, None),
            None,
            parent=inner,
            spacing=8,
        )
        layout.setContentsMargins(14, 12, 14, 12)
        self.area = scroll_area(inner)
        self.body.addWidget(self.area, 1)

    def _legend(self, letter: str, title: str, words: str) -> QWidget:
        holder = QWidget()
        said = column(text(title, "strong", wrap=True), text(words, "hint", wrap=True), spacing=1)
        layout = row(ClassBadge(self._themes, letter), said, parent=holder, spacing=10)
        layout.setStretch(1, 1)
        return holder

    @property
    def ways(self) -> tuple[WayOut, ...]:
        return self._shown or ()

    def show_ways(
        self, ways: Sequence[WayOut], note: str = "", *, has_nearest: bool = False
    ) -> None:
        """Show other ways; nothing is made anew where they are the same."""
        self.nearest.setVisible(has_nearest)
        if (tuple(ways), note) == (self._shown, self.note.text()):
            return
        self._shown = tuple(ways)
        show_words(self.note, note)
        self.design.setVisible(bool(note))
        for frame in self._frames:
            self._grid.removeWidget(frame)
            frame.hide()
            frame.deleteLater()
        self._frames = []
        for way in self._shown:
            frame = _WayFrame(self._themes, way, is_above=way.refused == note)
            frame.export.clicked.connect(
                lambda _=False, target=way.target: self.export_requested.emit(target)
            )
            self._frames.append(frame)
        self._columns = 0
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Put the ways side by side where there is room."""
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        columns = max(self.width() // self._themes.theme.px(_TWO_COLUMNS // 2), 1)
        columns = min(columns, 4)
        if columns == self._columns:
            return
        self._columns = columns
        for place, frame in enumerate(self._frames):
            self._grid.addWidget(frame, place // columns, place % columns)
        for place in range(4):
            self._grid.setColumnStretch(place, 1 if place < columns else 0)
