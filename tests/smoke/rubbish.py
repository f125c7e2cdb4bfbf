"""Makes rubbish of Qt's objects while another thread works hard; prints who deleted it."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import Counter

from PySide6.QtCore import QObject, QRectF, QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsObject, QGraphicsScene, QStyleOptionGraphicsItem, QWidget

from ppworkbench.gui.application import make_application

SECONDS = 3.0


class Item(QGraphicsObject):
    """Something in a scene."""

    def boundingRect(self) -> QRectF:  # noqa: N802
        return QRectF(0, 0, 5, 5)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        pass


class Witness:
    """Tells which thread deleted it."""

    def __init__(self, told: Counter[str]) -> None:
        self._told = told

    def __del__(self) -> None:
        self._told[threading.current_thread().name] += 1


def in_a_circle(thing: QObject, told: Counter[str]) -> None:
    """Make it hold itself, so that only a search finds it when nobody else holds it."""
    thing.itself, thing.witness = thing, Witness(told)  # type: ignore[attr-defined]


def main() -> None:
    """Make rubbish for some seconds."""
    app = make_application()
    over = threading.Event()

    def work_hard() -> None:
        while not over.is_set():
            [[number] for number in range(2000)]

    worker = threading.Thread(target=work_hard, name="worker")
    worker.start()
    told: Counter[str] = Counter()
    scene = QGraphicsScene()
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        timer = QTimer()
        timer.start(1)
        item = Item()
        scene.addItem(item)
        scene.removeItem(item)
        for thing in (timer, item):
            in_a_circle(thing, told)
        app.processEvents()
    over.set()
    worker.join()
    sys.stdout.write(json.dumps(dict(told)))


if __name__ == "__main__":
    main()
