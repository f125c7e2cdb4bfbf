"""Hints that show a newcomer around."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QEvent,
    QObject,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QPainterPath,
    QPaintEvent,
    QPen,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from ppworkbench.gui.application import single_shot
from ppworkbench.gui.language import tr
from ppworkbench.gui.theme import ThemeManager, smooth_painter
from ppworkbench.gui.widgets.controls import Button, IconButton, IconLabel
from ppworkbench.gui.widgets.labels import Frame
from ppworkbench.gui.widgets.layout import column, named, row, text
from ppworkbench.study.language import translatable

if TYPE_CHECKING:
    from ppworkbench.gui.window.layered_window import LayeredWindow
    from ppworkbench.gui.window.shell import Shell


@dataclass(frozen=True)
class Hint:
    """One call-out: the name of the widget it points at, a title, and a sentence or two."""

    target: str
    title: str
    text: str


HINTS: dict[str, tuple[Hint, ...]] = {
    "start": (
        Hint("tableFirst", translatable("Choose a start"),
             translatable("A questionnaire, a table or teaching: each card opens the right page.")),
        Hint("sample-city-survey", translatable("No data yet?"),
             translatable("Open a sample. Your files stay unchanged.")),
        Hint("demonstration-1-coin", translatable("Demonstrations"),
             translatable("12 demonstrations show on the real pages how randomised surveys work.")),
    ),
    "data": (
        Hint("attributes", translatable("Check the kinds first"),
             translatable("The program inferred a kind for every attribute and gives the reason. "
                          "All later steps depend on it.")),
        Hint("kind", translatable("Change a kind"),
             translatable("Choose another kind here. Ctrl+Z restores the old one.")),
        Hint("goToDesignButton", translatable("Next step"),
             translatable("The filled button, or Ctrl+Enter, is the next step on every page.")),
    ),
    "design": (
        Hint("attributes", translatable("Choose an attribute"),
             translatable("Each has its own mechanism. Select several with Shift or Ctrl to change "
                          "them together.")),
        Hint("mechanism", translatable("Choose a mechanism"),
             translatable("Matrix, chart and measures follow at once. Ctrl+Z reverts a step.")),
        Hint("card-attack-success", translatable("Privacy and accuracy"),
             translatable("Privacy is above, accuracy below. The ? of a card explains its "
                          "measure.")),
    ),
    "collect": (
        Hint("startCollecting", translatable("Ask people"),
             translatable("A page on this computer draws each answer before it is sent.")),
        Hint("waysOut", translatable("Other ways to ask"),
             translatable("Cards, paper and survey platforms ask by the same design.")),
    ),
    "explore": (
        Hint("comparisonPlot", translatable("Three distributions"),
             translatable("Solid bars: true answers. Hatched: distorted. Open: reconstructed.")),
        Hint("methods", translatable("Compare algorithms"),
             translatable("Select algorithms to compare; the focused one is in the chart.")),
        Hint("exploreView", translatable("The attacker's view"),
             translatable("“Attack” shows what the same answers disclose.")),
    ),
    "survey": (
        Hint("statistic", translatable("Choose a statistic"),
             translatable("Share, mean, distribution, cross table or regression.")),
        Hint("addCondition", translatable("Add conditions"),
             translatable("Conditions refer to the true answers.")),
        Hint("estimateButton", translatable("Estimate"),
             translatable("Every estimate has an interval; quote both.")),
    ),
    "mine": (
        Hint("chooseItemsButton", translatable("Choose the items"),
             translatable("An item is a value of an attribute. Fewer items run faster.")),
        Hint("minSupport", translatable("Minimum support"),
             translatable("Start high. Rare sets are many and their estimates imprecise.")),
        Hint("mineNowButton", translatable("Mine"),
             translatable("Supports are estimated for the true answers, with intervals.")),
    ),
    "classify": (
        Hint("classifyTarget", translatable("What should be predicted?"),
             translatable("The class is an attribute; the others predict it.")),
        Hint("classifier-tree", translatable("Select classifiers"),
             translatable("All are trained on the same distorted records.")),
        Hint("privacySweep", translatable("Accuracy against privacy"),
             translatable("The sweep repeats the experiment at several privacy levels.")),
    ),
    "publish": (
        Hint("publishMode", translatable("Two kinds of release"),
             translatable("Distort the attributes, or make one sensitive column deniable.")),
        Hint("publishChecks", translatable("Before release"),
             translatable("The list shows what is OK and what to check.")),
    ),
    "learn": (
        Hint("demonstration-1-coin", translatable("Your study is unchanged"),
             translatable("A demonstration uses a copy. Esc returns to your study.")),
        Hint("startNextButton", translatable("Next demonstration"),
             translatable("Starts the first demonstration that you have not finished.")),
    ),
}  # fmt: skip


BELOW, ABOVE, RIGHT, LEFT = "below", "above", "right", "left"
ARROW = 9
"""How far the arrow reaches out of the box, in pixels."""
_HALF, _CORNER = 8, 20


@dataclass(frozen=True)
class Spot:
    """The side of the target on which a box stands, and where along it the arrow comes out."""

    side: str
    box: QRect
    along: int

    def arrow(self, body: QRectF) -> tuple[QPointF, QPointF, QPointF]:
        """The tip of the arrow and its two feet on the edge of the box."""
        if self.side in (BELOW, ABOVE):
            x = min(max(float(self.along), body.left() + _CORNER), body.right() - _CORNER)
            foot = body.top() + 1 if self.side == BELOW else body.bottom() - 1
            tip = body.top() - ARROW if self.side == BELOW else body.bottom() + ARROW
            return QPointF(x, tip), QPointF(x - _HALF, foot), QPointF(x + _HALF, foot)
        y = min(max(float(self.along), body.top() + _CORNER), body.bottom() - _CORNER)
        foot = body.left() + 1 if self.side == RIGHT else body.right() - 1
        tip = body.left() - ARROW if self.side == RIGHT else body.right() + ARROW
        return QPointF(tip, y), QPointF(foot, y - _HALF), QPointF(foot, y + _HALF)


def best_spot(target: QRect, size: QSize, room: QRect) -> Spot:
    """The first side with room for the box; where none has, the box covers a part of the target."""
    for side in (BELOW, RIGHT, LEFT, ABOVE):
        spot = _beside(side, target, size, room)
        if room.contains(spot.box) and not spot.box.adjusted(7, 7, -7, -7).intersects(target):
            return spot
    # A large target, such as a table: stand inside of it.
    inside = QRect(target.center() - QPoint(size.width() // 2, 0), size)
    return _spot(BELOW, target, _pushed(inside, room))


def _beside(side: str, target: QRect, size: QSize, room: QRect) -> Spot:
    middle = target.center()
    corner = {
        BELOW: QPoint(middle.x() - size.width() // 2, target.bottom() - 4),
        ABOVE: QPoint(middle.x() - size.width() // 2, target.top() - size.height() + 4),
        RIGHT: QPoint(target.right() - 4, middle.y() - size.height() // 2),
        LEFT: QPoint(target.left() - size.width() + 4, middle.y() - size.height() // 2),
    }[side]
    box = QRect(corner, size)
    pushed = _pushed(box, room)
    # Pushed along the target it still points at it; pushed towards it it would cover it.
    box = (
        QRect(QPoint(pushed.x(), box.y()), size)
        if side in (BELOW, ABOVE)
        else QRect(QPoint(box.x(), pushed.y()), size)
    )
    return _spot(side, target, box)


def _spot(side: str, target: QRect, box: QRect) -> Spot:
    middle = target.center()
    along = middle.x() - box.x() if side in (BELOW, ABOVE) else middle.y() - box.y()
    return Spot(side, box, along)


def _pushed(box: QRect, room: QRect) -> QRect:
    x = min(max(box.x(), room.left()), room.right() + 1 - box.width())
    y = min(max(box.y(), room.top()), room.bottom() + 1 - box.height())
    return QRect(QPoint(x, y), box.size())


_WIDTH, _RADIUS, _SHADOW = 316, 10.0, 6


class HintBubble(QWidget):
    """One hint: title, sentence, where in the row of hints it stands, and what to do with it."""

    def __init__(self, themes: ThemeManager, parent: QWidget) -> None:
        super().__init__(parent)
        self._themes = themes
        self.setObjectName("hintBubble")
        self._spot = Spot(BELOW, QRect(), 0)
        self._where = QRect(), QRect()
        self.title = text("", "strong", wrap=True)
        self.says = text("", "secondary", wrap=True)
        self.count = text("", "captionHint")
        self.close_button = IconButton(themes, "close", self.tr("Close (Esc)"), 14)
        self.close_button.setObjectName("hintClose")
        self.off_button = named(Button(themes, self.tr("Turn hints off"), look="link"), "hintsOff")
        self.next_button = named(Button(themes, self.tr("Next"), look="primary"), "hintNext")
        head = row(IconLabel(themes, "lightbulb", "accentInk", 18), self.title, self.close_button)
        head.setStretch(1, 1)
        head.setAlignment(self.close_button, Qt.AlignmentFlag.AlignTop)
        self._body = column(
            head, self.says, row(self.count, None, self.off_button, 4, self.next_button),
            parent=self, spacing=8,
        )  # fmt: skip
        themes.theme_changed.connect(self.update)
        self.hide()

    def say(self, title: str, words: str, count: str, *, is_last: bool) -> None:
        self.title.setText(title)
        self.says.setText(words)
        self.count.setText(count)
        self.next_button.setText(self.tr("OK") if is_last else self.tr("Next"))
        self.setAccessibleName(title)
        self.setAccessibleDescription(words)

    def place(self, target: QRect, room: QRect) -> None:
        """Stand beside the target, inside of the room, with the arrow at the target's middle."""
        self._where = target, room
        px = self._themes.theme.px
        edge = ARROW + _SHADOW
        self._body.setContentsMargins(edge + px(14), edge + px(12), edge + px(10), edge + px(12))
        width = px(_WIDTH) + 2 * edge
        height = self._body.heightForWidth(width)
        size = QSize(width, height if height > 0 else self.sizeHint().height())
        self._spot = best_spot(target, size, room)
        self.setGeometry(self._spot.box)
        self.update()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Measure again: only now the parts know their style, and the sentence might be cut."""
        super().showEvent(event)
        self.place(*self._where)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme = self._themes.theme
        painter = smooth_painter(self)
        shape = self._shape()
        shade = theme.colour("scrim")
        for step in range(_SHADOW):
            shade.setAlpha(10 if theme.is_dark else 5)
            painter.setPen(QPen(shade, 2.0 * (step + 1), j=Qt.PenJoinStyle.RoundJoin))
            painter.drawPath(shape.translated(0, 1.5))
        painter.setPen(QPen(theme.colour("accentInk"), 1.2))
        painter.setBrush(theme.colour("surface"))
        painter.drawPath(shape)

    def _shape(self) -> QPainterPath:
        edge = ARROW + _SHADOW
        body = QRectF(self.rect()).adjusted(edge, edge, -edge, -edge)
        box, arrow = QPainterPath(), QPainterPath()
        box.addRoundedRect(body, _RADIUS, _RADIUS)
        tip, left, right = self._spot.arrow(body)
        arrow.moveTo(left)
        arrow.lineTo(tip)
        arrow.lineTo(right)
        arrow.closeSubpath()
        return box.united(arrow)


def within(widget: QWidget, over: QWidget) -> QRect:
    """Where a widget is seen, in the coordinates of another one around it."""
    corner: Any = widget.mapTo(over, QPoint(0, 0))  # a QPoint, for which the stubs say QPointF
    return QRect(corner, widget.size())


_ON, _SEEN = "hints/on", "hints/seen"
_DELAY = 500
"""Milliseconds after which a page has settled, and a page that was only passed through is gone."""


class Hints(QObject):
    """The hints of one window.

    They belong to the user's own pages; a demonstration has a shell that they do not watch. Nothing
    is shown before :meth:`start`, so that tests and pictures of the window have none.
    """

    switched = Signal(bool)

    def __init__(self, window: LayeredWindow) -> None:
        super().__init__(window)
        self._window = window
        self._settings = window.workbench.settings
        self._started = False
        self._shell: Shell | None = None
        self._page, self._place, self._told = "", 0, 0
        self.bubble: HintBubble | None = None
        self._ring: Frame | None = None
        self._timer = single_shot(self, self._begin, _DELAY)

    @property
    def is_on(self) -> bool:
        return bool(self._settings.value(_ON, True, bool))

    @property
    def seen(self) -> set[str]:
        return set(str(self._settings.value(_SEEN, "")).split())

    @property
    def is_shown(self) -> bool:
        return self.bubble is not None and isValid(self.bubble) and self.bubble.isVisible()

    # What the window says

    def watch(self, shell: Shell) -> None:
        """Show hints over the pages of a shell, the only one that has any."""
        self.hide()
        self._shell, self.bubble, self._ring = shell, None, None
        shell.page_shown.connect(self._on_page)
        shell.installEventFilter(self)

    def start(self) -> None:
        self._started = True
        if self._shell is not None:
            self._on_page(self._shell.current)

    def set_on(self, on: bool) -> None:
        """Turn the hints on, all of them anew, or off."""
        self._settings.setValue(_ON, on)
        self.hide()
        if on:
            self._settings.setValue(_SEEN, "")
            self.start()
        self.switched.emit(on)

    def dismiss(self) -> bool:
        """Close the hints of the page; False if there were none."""
        if not self.is_shown:
            return False
        self._remember()
        self.hide()
        return True

    def hide(self) -> None:
        self._timer.stop()
        for part in (self.bubble, self._ring):
            if part is not None and isValid(part):
                part.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Keep the hint beside its widget when either of them changes its size or place."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move) and self.is_shown:
            # Layouts place from the outside in, and Qt does not say when the last one has: on the
            # way there the widget can lie outside of what is seen, and its hint would be taken off.
            QTimer.singleShot(0, self, self._put)
        return super().eventFilter(watched, event)

    # One hint after the other

    def _on_page(self, name: str) -> None:
        if self.is_shown:
            self._remember()
        self.hide()
        if self._started and self.is_on and name in HINTS and name not in self.seen:
            self._page = name
            self._timer.start()

    def _begin(self) -> None:
        if self._window.stage is not None or self._shell is None:
            return
        self._place, self._told = -1, 0
        self._next()

    def _next(self) -> None:
        """Show the next hint whose widget is there; after the last one the page is done with."""
        hints = HINTS[self._page]
        self._place += 1
        while self._place < len(hints) and self._target(hints[self._place]) is None:
            self._place += 1
        if self._place >= len(hints):
            self._remember()
            self.hide()
            return
        self._show(hints[self._place])

    def _show(self, hint: Hint) -> None:
        hints = HINTS[self._page]
        if self.bubble is None or not isValid(self.bubble):
            self._make()
        assert self.bubble is not None  # noqa: S101 (made by now)
        left = [one for one in hints[self._place + 1 :] if self._target(one) is not None]
        self._told += 1
        count = tr("%s of %s") % (self._told, self._told + len(left))
        self.bubble.say(tr(hint.title), tr(hint.text), count, is_last=not left)
        target = self._target(hint)
        if target is not None:
            # Installed again on the same widget it is still called once.
            target.installEventFilter(self)
        self._put()
        self._meet_keyboard()
        event = QAccessibleEvent(self.bubble, QAccessible.Event.Alert)
        QAccessible.updateAccessibility(event)

    def _make(self) -> None:
        themes, shell = self._window.workbench.themes, self._shell
        assert shell is not None  # noqa: S101 (there is a page)
        self._ring = Frame(themes, shell)
        self.bubble = HintBubble(themes, shell)
        self.bubble.next_button.clicked.connect(self._next)
        self.bubble.close_button.clicked.connect(self.dismiss)
        self.bubble.off_button.clicked.connect(self._on_off)

    def _put(self) -> None:
        if self._shell is None or self.bubble is None or self._ring is None:
            return
        target = self._target(HINTS[self._page][self._place])
        if target is None:
            self.hide()
            return
        seen = within(target, self._shell).intersected(self._shell.rect())
        self._ring.setGeometry(seen.adjusted(-4, -4, 4, 4))
        self.bubble.place(seen, self._shell.rect().adjusted(4, 4, -4, -4))
        for part in (self._ring, self.bubble):
            part.show()
            part.raise_()

    def _target(self, hint: Hint) -> QWidget | None:
        """The widget of a hint, if the page shows it now."""
        assert self._shell is not None  # noqa: S101 (there is a page)
        for place in (self._shell.stack.currentWidget(), self._shell.header):
            widgets: Iterable[QWidget] = place.findChildren(QWidget, hint.target)
            for found in widgets:
                if found.isVisible() and not found.visibleRegion().isEmpty():
                    return found
        return None

    def _meet_keyboard(self) -> None:
        """Be the next stop of Tab, or have the focus where nothing else has it."""
        assert self.bubble is not None  # noqa: S101 (made by now)
        stops = (self.bubble.next_button, self.bubble.off_button, self.bubble.close_button)
        focus = QApplication.focusWidget()
        if focus is None:
            stops[0].setFocus()  # type: ignore[unreachable]  # None, unknown to the stubs
        elif focus.window() is self._window and focus not in stops:
            for before, after in pairwise((focus, *stops)):
                QWidget.setTabOrder(before, after)

    def _remember(self) -> None:
        self._settings.setValue(_SEEN, " ".join(sorted(self.seen | {self._page})))

    def _on_off(self) -> None:
        self.set_on(False)
        said = tr("Hints are off. Turn them on with “Show hints” in the Help menu.")
        self._window.workbench.show_toast(said)
