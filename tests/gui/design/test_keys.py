"""The Design page without a mouse, and for those who do not see it."""

import numpy as np
import pytest
from designing import perturbation, select
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QGuiApplication

from ppworkbench.core.design import Custom
from ppworkbench.gui.charts import matrix
from ppworkbench.gui.charts.matrix import LARGEST, without_names
from ppworkbench.gui.pages.design.editors.matrix_editor import MatrixImportDialog
from ppworkbench.gui.pages.design.editors.noise_editor import NoisePlot
from ppworkbench.gui.pages.design.view_card.preview import DrawnBars
from ppworkbench.gui.widgets import labels

pytestmark = pytest.mark.usefixtures("own_page")

CTRL = Qt.KeyboardModifier.ControlModifier
CYCLE = "0 0.2 0.8\n0.8 0 0.2\n0.2 0.8 0"


@pytest.fixture
def listened(monkeypatch):
    """A screen reader that listens; there is none without a window system."""
    for module in (labels, matrix):
        monkeypatch.setattr(module, "has_screen_reader", lambda: True)


def test_that_a_matrix_is_copied_and_pasted_by_keys_in_one_step(page, qtbot, dialogs):
    select(page, "home")
    grid, k = page.matrix.grid, page.matrix.grid.k
    before, steps = perturbation(page, "home"), page.store.undo_stack.count()
    qtbot.keyClick(grid, Qt.Key.Key_C, CTRL)
    copied = QGuiApplication.clipboard().mimeData()
    assert len(copied.text().splitlines()) == k + 1
    assert f"<td>{grid.values[0]}</td>" in copied.html()
    qtbot.keyClick(grid, Qt.Key.Key_V, CTRL)
    dialogs.cancel()
    assert page.store.undo_stack.count() == steps
    qtbot.keyClick(grid, Qt.Key.Key_V, CTRL)
    dialog = dialogs.front(MatrixImportDialog)
    dialog.rows.click()
    dialog.accept()
    assert np.allclose(perturbation(page, "home").matrix(k), before.matrix(k).T, atol=1e-6)
    assert page.store.undo_stack.count() == steps + 1
    page.store.undo_stack.undo()
    assert perturbation(page, "home") == before
    for bad, why in (
        ("hello", "no matrix"),
        ("0.5 0.5\n0.5 half", "“half”"),
        ("0.5 0.5\n0.5 0.5", str(k)),
        ("", "no matrix"),
        ("0.1 " * (LARGEST // 3), "too large"),
    ):
        QGuiApplication.clipboard().setText(bad)
        qtbot.keyClick(grid, Qt.Key.Key_V, CTRL)
        assert why in page.matrix.problem.text()
        assert page.matrix.problem.text().count(".") == 1
        assert not dialogs.is_open
    assert perturbation(page, "home") == before


def test_that_names_that_look_like_numbers_are_no_part_of_a_matrix():
    named = "becomes\t1\t2\n1\t0,9\t0,2\n2\t0,1\t0,8"
    assert without_names(named, ("1", "2")) == "0,9\t0,2\n0,1\t0,8"
    assert without_names(CYCLE, ("a", "b", "c")) == CYCLE


def test_that_escape_leaves_a_cell_as_it_is(page, qtbot):
    select(page, "district")
    grid, before = page.matrix.grid, page.matrix.grid.matrix.copy()
    grid.setFocus()
    qtbot.keyClick(grid, Qt.Key.Key_Return)
    qtbot.keyClicks(grid._editor, "0.9")
    qtbot.keyClick(grid._editor, Qt.Key.Key_Escape)
    assert not grid._editor.isVisible()
    assert np.array_equal(grid.matrix, before)
    assert not isinstance(perturbation(page, "district"), Custom)


@pytest.mark.slow
def test_that_arrows_do_what_handles_and_bars_do(page, qtbot, workbench):
    select(page, "income")
    plot = page.noise.findChild(NoisePlot)
    width = plot._scale
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    assert plot._scale > width
    qtbot.keyClick(plot, Qt.Key.Key_PageDown)
    assert plot._scale < width
    assert len(plot.rows()) > 20
    bars = DrawnBars(workbench.themes)
    qtbot.addWidget(bars)
    bars.show_shares(np.array([0.5, 0.3, 0.2]), ("a", "b", "c"))
    gestures = []
    bars.drawn.connect(lambda _, gesture: gestures.append(gesture))
    qtbot.keyClick(bars, Qt.Key.Key_Right)
    qtbot.keyClick(bars, Qt.Key.Key_Up)
    qtbot.keyClick(bars, Qt.Key.Key_Up)
    assert bars._shares[1] == pytest.approx(0.32)
    assert len(set(gestures)) == 2
    assert bars.rows()[2] == ["b", "32.0\u202f%"]


@pytest.mark.slow
def test_that_screen_readers_are_told_once_and_walk_the_matrix(page, qtbot, listened, monkeypatch):
    said = []
    monkeypatch.setattr(labels, "announce", lambda _, sentence: said.append(sentence))
    select(page, "district")
    slider = page.matrix.panel("uniform").slider.slider
    for position in (300, 400, 500):
        slider.setValue(position)
    qtbot.waitUntil(lambda: bool(said))
    assert len(said) == 1
    assert "5 in 10" in said[0]
    grid = page.matrix.grid
    grid.setFocus()
    table = QAccessible.queryAccessibleInterface(grid._table)
    assert table.role() == QAccessible.Role.Table
    cells = grid._table.cells
    assert cells.rowCount() == grid.k
    across = Qt.Orientation.Horizontal
    assert cells.headerData(0, across) == f"True answer {grid.values[0]}"
    assert cells.index(0, 0).data() == "0.500"
    select(page, "trust_council")
    assert cells.rowCount() == 8
