"""A label whose words change with every frame asks for more room only where they need it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ppworkbench.gui.widgets.labels import LiveLabel


class Requests(QObject):
    """Counts how often the layout of a widget is asked to be made anew."""

    def __init__(self, watched: QWidget) -> None:
        super().__init__(watched)
        self.count = 0
        watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        self.count += event.type() == QEvent.Type.LayoutRequest
        return super().eventFilter(watched, event)


def test_that_only_words_that_need_another_line_move_what_is_around(qtbot):
    box, label = QWidget(), LiveLabel(2)
    layout = QVBoxLayout(box)
    layout.addWidget(label)
    layout.addStretch()
    qtbot.addWidget(box)
    box.resize(320, 300)
    box.show()
    qtbot.waitExposed(box)
    label.set_text("<b>In words.</b> 8 in 10 report the true answer.")
    qtbot.wait(20)
    height, requests = label.height(), Requests(box)
    label.set_text("<b>In words.</b> 7 in 10 report the true answer.")
    qtbot.wait(20)
    assert (label.height(), requests.count) == (height, 0)
    label.set_text("<b>In words.</b> " + "8 in 10 report the true answer. " * 6)
    qtbot.waitUntil(lambda: label.height() > height)
    assert label.label.heightForWidth(label.width()) <= label.height()
