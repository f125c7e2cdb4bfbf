"""The list of all measures."""

import pytest

from ppworkbench.gui.pages.design.readouts import MeasuresDialog
from ppworkbench.study.analyses.design import assess_study


@pytest.fixture
def dialog(qtbot, page, city_study):
    report = assess_study(city_study, lambda done, message: None)
    made = MeasuresDialog(report, page)
    yield made
    made.deleteLater()


def test_that_every_attribute_follows_the_whole(qtbot, dialog, city_study):
    assert dialog.text.toPlainText().startswith("Whole questionnaire")
    dialog.show()
    lines = dialog.text.toPlainText().splitlines()
    assert [line for line in lines if line in city_study.design.names] == [*city_study.design.names]
    assert lines.count("Information loss") == len(city_study.design.names)
    assert dialog.text.verticalScrollBar().value() == 0
