"""Charts that people take away, clumsily: twice, over other files, to places without a way in."""

from __future__ import annotations

import csv

import pytest
from exploring import settle
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMenu, QMessageBox

from ppworkbench.gui.charts.chart_export import figure_of, pictures_of


def choose(menu: QMenu, name: str) -> None:
    """Trigger an entry of the menu of a chart."""
    next(one for one in menu.actions() if one.text() == name).trigger()


@pytest.fixture
def chart(page):
    """A chart of the page that is drawn anew."""
    found = (one.widget for one in pictures_of(page))
    return next(one for one in found if getattr(one, "picture", None) is not None)


@pytest.fixture
def told(page):
    """What the window says of files, in toasts and as errors."""
    said: list[str] = []
    page.workbench.toast_requested.connect(lambda words, *_: said.append(words))
    page.workbench.error_raised.connect(lambda error: said.append(str(error)))
    return said


def test_that_a_chart_is_called_after_what_it_shows(qtbot, page, chart, dialogs):
    choose(chart.make_menu(), "Save as PDF…")
    name = dialogs.front(QFileDialog).findChild(QLineEdit, "fileNameEdit").text()
    dialogs.cancel()
    assert name.endswith(".pdf")
    assert name.isascii()
    words = name.removesuffix(".pdf").split("-")
    drawn = figure_of(chart)
    assert drawn is not None
    title = str(drawn.title)
    assert words[0] in title
    assert words[-1] in title
    choose(chart.make_menu(), "Save data as CSV…")
    assert dialogs.front(QFileDialog).findChild(QLineEdit, "fileNameEdit").text() == (
        name.removesuffix("pdf") + "csv"
    )
    dialogs.cancel()


@pytest.fixture
def over(qapp):
    """Says yes where Qt's own dialog asks whether to replace a file; what it asked."""
    asked: list[str] = []

    def answer() -> None:
        box = QApplication.activeModalWidget()
        if isinstance(box, QMessageBox) and box.button(QMessageBox.StandardButton.Yes):
            asked.append(box.text())
            box.button(QMessageBox.StandardButton.Yes).click()

    timer = QTimer()
    timer.timeout.connect(answer)
    timer.start(20)
    yield asked
    timer.stop()


def test_that_a_cancelled_chart_writes_nothing_and_the_next_one_is_written(
    qtbot, page, chart, dialogs, told, over, tmp_path
):
    choose(chart.make_menu(), "Save as SVG…")
    dialogs.cancel()
    for _ in range(2):
        choose(chart.make_menu(), "Save as SVG…")
        # Without an ending, and the second time over the first one.
        dialogs.choose(tmp_path / "mine")
        qtbot.waitUntil((tmp_path / "mine.svg").exists)
        settle(qtbot, page)
    assert [one.name for one in tmp_path.glob("mine*")] == ["mine.svg"]
    assert told == ["Saved as mine.svg.", "Saved as mine.svg."]
    assert len(over) == 1
    assert "mine.svg" in over[0]


def test_that_data_beside_a_chart_replace_a_file_only_when_asked(
    qtbot, page, chart, dialogs, told, tmp_path
):
    choose(chart.make_menu(), "Save with data (CSV)")
    beside = tmp_path / "a.csv"
    beside.write_text("mine")
    choose(chart.make_menu(), "Save as PNG…")
    dialogs.choose(tmp_path / "a.png")
    assert dialogs.answer("Cancel") == "a.csv exists. Replace it?"
    settle(qtbot, page)
    assert beside.read_text() == "mine"
    assert not (tmp_path / "a.png").exists()
    choose(chart.make_menu(), "Save as PNG…")
    dialogs.choose(tmp_path / "a.png")
    dialogs.answer("Replace")
    settle(qtbot, page)
    assert told == ["Saved as a.png, a.csv."]
    with beside.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [list(row) for row in chart.rows()]
    choose(chart.make_menu(), "Save with data (CSV)")
    choose(chart.make_menu(), "Save as PNG…")
    dialogs.choose(tmp_path / "b.png")
    settle(qtbot, page)
    assert not (tmp_path / "b.csv").exists()


@pytest.mark.parametrize("entry", ["Save as PNG…", "Save data as CSV…"])
def test_that_a_place_without_a_way_in_is_one_sentence_and_loses_nothing(
    qtbot, page, chart, dialogs, told, tmp_path, entry
):
    suffix = ".png" if "PNG" in entry else ".csv"
    with qtbot.capture_exceptions() as caught:
        choose(chart.make_menu(), entry)
        dialogs.choose(tmp_path / "nowhere" / f"a{suffix}")
        settle(qtbot, page)
    # What a slot raises is shown by the program.
    sentences = [*told, *(str(error) for _, error, _ in caught)]
    assert len(sentences) == 1
    assert "cannot be written" in sentences[0]
    assert not list(tmp_path.glob("nowhere*"))


def test_that_a_copied_chart_is_dots_for_print_and_lines(qtbot, page, chart, told):
    for _ in range(2):
        QGuiApplication.clipboard().clear()
        choose(chart.make_menu(), "Copy chart")
        qtbot.waitUntil(lambda: not QGuiApplication.clipboard().image().isNull())
        settle(qtbot, page)
        data = QGuiApplication.clipboard().mimeData()
        shown = QImage(QGuiApplication.clipboard().image())
        assert shown.width() == int(175 / 25.4 * 300)
        assert round(shown.dotsPerMeterX() * 0.0254) == 300
        assert bytes(data.data("image/png")).startswith(b"\x89PNG")
        lines = bytes(data.data("image/svg+xml")).decode()
        assert "<svg " in lines
        assert "<text" in lines
    assert told == ["Copied.", "Copied."]
