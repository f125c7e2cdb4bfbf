"""What tests of the Data page share."""

import pytest
from answers import small_table
from designs import classic_study
from window_hands import add_widget

from ppworkbench.gui.pages.data import DataPage


@pytest.fixture
def page(qtbot, workbench, files):
    workbench.store.open(classic_study(small_table(), "small"))
    page = DataPage(workbench, files)
    add_widget(qtbot, page)
    page.resize(1290, 690)
    page.show()
    return page
