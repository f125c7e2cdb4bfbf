"""What tests of the Design page share."""

import pytest
from kept_pages import take_page

from ppworkbench.gui.pages.design import DesignPage


@pytest.fixture
def workbench(kept_workbench):
    return kept_workbench


@pytest.fixture
def page(qtbot, workbench, city_study):
    workbench.store.open(city_study)
    page = take_page(qtbot, workbench, DesignPage)
    page.resize(1290, 690)
    page.show()
    return page


@pytest.fixture
def unfolded(page):
    """The page with its matrix in sight, whatever the mechanism."""
    page.matrix.section.button.click()
    return page
