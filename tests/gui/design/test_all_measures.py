"""The list of all measures, which grows while it is read."""

import pytest

from ppworkbench.gui.pages.design.measures_dialog import MeasuresDialog
from ppworkbench.gui.pages.design.questionnaire import assess_study


@pytest.fixture
def dialog(qtbot, page, city_study):
    report = assess_study(city_study, lambda done, message: None)
    made = MeasuresDialog(report, page)
    yield made
    made.deleteLater()


def test_that_every_attribute_follows_the_whole(qtbot, dialog, city_study):
    assert dialog.text.toPlainText().startswith("Whole questionnaire")
    dialog.show()
    last = city_study.design.names[-1]
    qtbot.waitUntil(lambda: f"\n{last}\n" in dialog.text.toPlainText())
    lines = dialog.text.toPlainText().splitlines()
    assert [line for line in lines if line in city_study.design.names] == [*city_study.design.names]
    assert lines.count("Information loss") == len(city_study.design.names)
    assert dialog.text.verticalScrollBar().value() == 0


def test_that_many_attributes_are_added_in_pieces(qtbot, dialog, city_study, max_block):
    last = city_study.design.names[-1]
    dialog.show()
    qtbot.waitExposed(dialog)
    with max_block(50):
        qtbot.waitUntil(lambda: f"\n{last}\n" in dialog.text.toPlainText())
