"""The list of all measures."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor

from ppworkbench.analyses.designs.design import assess_study
from ppworkbench.gui.pages.design.readouts import MeasuresDialog


@pytest.fixture
def dialog(qtbot, page, workbench, city_study):
    report = assess_study(city_study, lambda done, message: None)
    made = MeasuresDialog(workbench.theme, city_study, report, page)
    yield made
    made.deleteLater()


@pytest.mark.slow
def test_that_every_attribute_follows_the_whole(qtbot, dialog, city_study):
    assert dialog.text.toPlainText().startswith("Whole questionnaire")
    dialog.show()
    lines = dialog.text.toPlainText().splitlines()
    titles = [dialog.list.item(place).text() for place in range(1, dialog.list.count())]
    assert titles == [city_study.shown(name) for name in city_study.design.names]
    for name, title in zip(city_study.design.names, titles, strict=True):
        assert (title if title.casefold() == name else f"{title} {name}") in lines
    assert lines.count("Information loss") == len(city_study.design.names)
    assert dialog.text.verticalScrollBar().value() == 0


def test_that_the_list_goes_to_an_attribute(qtbot, dialog, city_study):
    dialog.show()
    qtbot.waitExposed(dialog)
    dialog.list.setFocus()
    for _ in range(3):
        qtbot.keyClick(dialog.list, Qt.Key.Key_Down)
    assert dialog.list.currentRow() == 3
    block = dialog.text.document().begin()
    while block.text() != city_study.shown(city_study.design.names[2]):
        block = block.next()
    assert abs(dialog.text.cursorRect(QTextCursor(block)).top()) <= 20
    assert not dialog.text.horizontalScrollBar().isVisible()
