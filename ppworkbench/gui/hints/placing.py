"""Where a call-out stands beside what it points at."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize

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
