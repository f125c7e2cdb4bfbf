"""What tests of the Design page share."""

import pytest
from window_hands import add_widget

from ppworkbench.gui.pages.design import DesignPage


@pytest.fixture
def page(qtbot, workbench, city_study):
    workbench.store.open(city_study)
    page = DesignPage(workbench)
    add_widget(qtbot, page)
    page.resize(1290, 690)
    page.show()
    return page


@pytest.fixture
def unfolded(page):
    """The page with its matrix in sight, whatever the mechanism."""
    page.matrix.section.button.click()
    return page
