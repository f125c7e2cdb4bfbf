"""Ways to use the Mine page and to wait for it."""

from __future__ import annotations

from dataclasses import replace

from kept_pages import take_page

from ppworkbench.gui.pages.mine import MinePage
from ppworkbench.gui.pages.mine.view import SETS
from ppworkbench.study.study import Study


def make_page(qtbot, workbench, study: Study) -> MinePage:
    """The page, shown, on a study."""
    workbench.store.open(study)
    page = take_page(qtbot, workbench, MinePage)
    page.resize(1290, 660)
    page.show()
    page.shown()
    settle(qtbot, page)
    return page


def settle(qtbot, page: MinePage) -> None:
    """Wait until nothing is due and no job is under way."""
    qtbot.waitUntil(
        lambda: (
            not (page._due.isActive() or page._later.isActive()) and page.workbench.jobs.is_idle
        ),
    )


def choose(page: MinePage, **changes: object) -> None:
    """Change some settings."""
    page.choose(replace(page.settings, **changes))


def look_at(page: MinePage, view: str) -> None:
    """Look at itemsets, rules or runs."""
    page.look_at(replace(page.state, view=view))


def mine(qtbot, page: MinePage) -> None:
    """Mine with the settings of now, and wait for the result."""
    page.primary.trigger()
    settle(qtbot, page)


def names(page: MinePage, view: str = SETS) -> list[str]:
    """What the first column of a table says."""
    model = page.results.table_of(view).model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def type_filter(qtbot, page: MinePage, words: str) -> None:
    """Type into the filter as a person would."""
    page.results.filter.clear()
    qtbot.keyClicks(page.results.filter, words)
    settle(qtbot, page)
