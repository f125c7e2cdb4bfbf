"""Keys that several pages have: another attribute, and the filter of a table."""

from __future__ import annotations

from ppworkbench.gui.keys import add_key
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.widgets.attribute_box import AttributeBox
from ppworkbench.gui.widgets.filter_bar import open_filter


def add_attribute_keys(page: Page, box: AttributeBox) -> None:
    """Let Alt with the arrows choose another attribute, wherever the focus is."""
    add_key(page, "Alt+Up", tr("Previous attribute"), lambda: box.step(-1))
    add_key(page, "Alt+Down", tr("Next attribute"), lambda: box.step(1))


def add_filter_key(page: Page) -> None:
    """Let Ctrl+F filter the table that has the focus, else the largest one of the page."""

    def search() -> None:
        if not open_filter(page, page.themes):
            said = tr("There is no list or table to filter here yet.")
            page.workbench.toast_requested.emit(said, False)

    add_key(page, "Ctrl+F", tr("Filter the table"), search)
