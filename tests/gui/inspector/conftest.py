"""What tests of the inspector of the Data page share."""

import pytest
from answers import small_table

from ppworkbench.gui.pages.data import DataPage
from ppworkbench.study.study import Study


@pytest.fixture
def page(qtbot, workbench):
    workbench.store.open(Study.of_table(small_table(), "small"))
    page = DataPage(workbench)
    qtbot.addWidget(page)
    page.resize(1290, 760)
    page.show()
    qtbot.waitExposed(page)
    return page


@pytest.fixture
def inspector(page):
    return page.inspector
