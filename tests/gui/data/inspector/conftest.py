"""What tests of the inspector of the Data page share."""

import pytest


@pytest.fixture
def page(page):
    page.resize(1290, 760)
    return page


@pytest.fixture
def inspector(page):
    return page.inspector
