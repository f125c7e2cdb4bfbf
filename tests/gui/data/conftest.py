"""What tests of the Data page share."""

import pytest
from answers import small_table
from designs import classic_study
from kept_pages import take_page

from ppworkbench.gui.pages.data import DataPage


@pytest.fixture
def workbench(kept_workbench):
    return kept_workbench


@pytest.fixture
def files(kept_workbench):
    return kept_workbench.files


@pytest.fixture
def page(qtbot, workbench, files):
    workbench.store.open(classic_study(small_table(), "small"))
    page = take_page(qtbot, workbench, DataPage, files)
    page.resize(1290, 690)
    page.show()
    return page
