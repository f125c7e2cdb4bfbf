"""Results of attacks in words, marks and rows."""

from __future__ import annotations

from ppworkbench.core.attacks import BestGuess, Filtering, RepeatedQuestion
from ppworkbench.gui.pages.explore.attack.filter_shown import show_filter
from ppworkbench.gui.pages.explore.attack.guess_shown import show_guess
from ppworkbench.gui.pages.explore.attack.link_shown import show_link
from ppworkbench.gui.pages.explore.attack.picture import Shown
from ppworkbench.gui.pages.explore.attack.repeat_shown import show_repeat
from ppworkbench.gui.pages.explore.attack.work import Found


def show(found: Found) -> Shown:
    """The picture of a result."""
    if isinstance(found, BestGuess):
        return show_guess(found)
    if isinstance(found, RepeatedQuestion):
        return show_repeat(found)
    if isinstance(found, Filtering):
        return show_filter(found)
    return show_link(found)
