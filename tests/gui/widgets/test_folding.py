"""Parts of a page that go below each other where enlarged text leaves no room."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QByteArray, QSize, Qt
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from ppworkbench.gui.pages.start.page import CardGrid
from ppworkbench.gui.widgets.layout import column, scroll_area, scrolled, text
from ppworkbench.gui.widgets.sizes import NORMAL
from ppworkbench.gui.widgets.splitter import Splitter, splitter

ACROSS = Qt.Orientation.Horizontal


@pytest.fixture
def enlarge():
    """Enlarges the text of the application, and shrinks it again."""
    before = QApplication.font()

    def to(pixels: int) -> None:
        font = QApplication.font()
        font.setPixelSize(pixels)
        QApplication.setFont(font)
        QApplication.processEvents()

    yield to
    QApplication.setFont(before)


class _Part(QWidget):
    """Needs some room, as a card does."""

    def __init__(self, width: int, height: int = 80) -> None:
        super().__init__()
        self._least = QSize(width, height)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Not less than this."""
        return self._least

    def sizeHint(self) -> QSize:  # noqa: N802
        """Nor more."""
        return self._least


@pytest.fixture
def columns_of(qtbot):
    """Makes columns in a window that stays; as a window they would not get smaller than parts."""
    window = QWidget()
    qtbot.addWidget(window)

    def make(*parts: QWidget, width: int = 600) -> Splitter:
        made = splitter(ACROSS, "columns", *parts)
        made.setParent(window)
        made.resize(width, 400)
        window.show()
        made.show()
        QApplication.processEvents()
        assert isinstance(made, Splitter)
        return made

    return make


def test_that_columns_without_room_for_large_text_fold_and_come_back(columns_of, enlarge):
    enlarge(2 * NORMAL)
    columns = columns_of(_Part(300), _Part(400))
    assert columns.is_folded
    columns.resize(900, 400)
    assert not columns.is_folded
    columns.resize(600, 400)
    assert columns.is_folded


def test_that_columns_of_normal_text_never_fold(columns_of, enlarge):
    enlarge(NORMAL)
    columns = columns_of(_Part(300), _Part(400))
    assert not columns.is_folded


def test_that_shares_of_folded_columns_are_those_side_by_side(columns_of, enlarge):
    enlarge(2 * NORMAL)
    columns = columns_of(_Part(300), _Part(300), width=1012)
    columns.setSizes([300, 700])
    state = columns.saveState()
    columns.resize(500, 400)
    assert columns.is_folded
    assert columns.sizes() == [300, 700]
    assert columns.saveState() == state
    columns.setSizes([600, 400])
    columns.resize(1012, 400)
    assert columns.sizes() == [600, 400]


def test_that_folded_parts_take_a_state_in_each_form_that_qt_takes(columns_of, enlarge):
    columns = columns_of(_Part(250), _Part(250))
    state = columns.saveState()
    enlarge(NORMAL * 2)
    columns.resize(400, 400)
    QApplication.processEvents()
    assert columns.is_folded
    for given in (state, state.data(), bytearray(state.data())):
        assert columns.restoreState(given)
        assert isinstance(columns.saveState(), QByteArray)
        assert columns.saveState() == state


def test_that_folded_parts_are_as_high_as_what_is_in_them(columns_of, enlarge):
    enlarge(2 * NORMAL)
    inside = QWidget()
    column(*(text("words that take a line") for _ in range(20)), parent=inside)
    columns = columns_of(scrolled(inside), _Part(400))
    assert columns.is_folded
    assert columns.minimumSizeHint().height() >= inside.sizeHint().height() + 80


def test_that_the_outer_of_two_splitters_folds_first(columns_of, enlarge):
    enlarge(2 * NORMAL)
    inner = splitter(ACROSS, "inner", _Part(200), _Part(200))
    outer = columns_of(_Part(200), inner, width=500)
    assert outer.is_folded
    assert not inner.is_folded
    outer.resize(300, 400)
    QApplication.processEvents()
    assert inner.is_folded


def test_that_cards_of_the_start_screen_come_below_each_other(qtbot, enlarge):
    enlarge(2 * NORMAL)
    cards = [[_Part(300), _Part(300)], [_Part(300), _Part(300)]]
    grid = CardGrid(cards)
    area = scroll_area(grid)
    qtbot.addWidget(area)
    area.resize(500, 600)
    area.show()
    QApplication.processEvents()
    assert grid.is_folded
    assert len({card.x() for row in cards for card in row}) == 1
    area.resize(900, 600)
    QApplication.processEvents()
    assert not grid.is_folded


def test_that_a_scroll_bar_goes_when_everything_fits_without_it(qtbot):
    words, tall, inside = QLabel(), _Part(200), QWidget()
    words.setWordWrap(True)
    column(words, tall, parent=inside, spacing=0)
    area = scroll_area(inside)
    qtbot.addWidget(area)
    tall.setFixedHeight(600)
    area.resize(300, 300)
    area.show()
    QApplication.processEvents()
    bar = area.verticalScrollBar()
    assert bar.isVisible()
    # A line that breaks only beside the bar.
    narrow, wide = area.viewport().width(), area.maximumViewportSize().width()
    while words.heightForWidth(narrow) == words.heightForWidth(wide):
        words.setText(f"{words.text()} i".strip())
    tall.setFixedHeight(area.height() - words.heightForWidth(wide))
    qtbot.waitUntil(lambda: not bar.isVisible())
    tall.setFixedHeight(600)
    qtbot.waitUntil(bar.isVisible)
