"""What tests of the Publish page share."""

from __future__ import annotations

import pytest
from designs import classic_study
from kept_pages import take_page
from publish_tables import smokers
from publishing import settle

from ppworkbench.gui.pages.publish import PublishPage
from ppworkbench.study.study import Study


@pytest.fixture
def workbench(kept_workbench):
    return kept_workbench


@pytest.fixture
def study() -> Study:
    return classic_study(smokers(600), "smokers")


@pytest.fixture
def errors(workbench):
    seen = []
    workbench.error_raised.connect(seen.append)
    return seen


@pytest.fixture
def show(workbench, qtbot, wait_idle, errors):
    """Show the page on a study and wait until it is up to date."""

    def make(study):
        workbench.store.open(study)
        page = take_page(qtbot, workbench, PublishPage)
        page.resize(1290, 660)
        page.show()
        page.shown()
        settle(wait_idle)
        return page

    yield make
    assert errors == []


@pytest.fixture
def page(show, study):
    return show(study)


@pytest.fixture
def act(page, qtbot, wait_idle):
    """Do something and wait for what comes of it."""

    def do(action):
        action()
        settle(wait_idle)

    return do
