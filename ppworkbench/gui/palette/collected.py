"""All commands of the window, those of the page in front first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ppworkbench.gui.palette.command import Command
from ppworkbench.gui.palette.menu_commands import menu_commands
from ppworkbench.gui.palette.page_commands import front_commands, other_commands
from ppworkbench.gui.palette.study_commands import attribute_commands, demonstration_commands

if TYPE_CHECKING:
    from ppworkbench.gui.main_window import MainWindow

_WITH_DEMONSTRATIONS = frozenset({"start", "learn"})
"""Pages that list the demonstrations themselves."""


def all_commands(window: MainWindow) -> list[Command]:
    """Everything that can be done, each thing once."""
    found: dict[tuple[str, str], Command] = {}
    for command in _sources(window):
        found.setdefault((command.words.casefold(), command.place), command)
    return list(found.values())


def _sources(window: MainWindow) -> Iterator[Command]:
    yield from front_commands(window)
    yield from menu_commands(window)
    yield from other_commands(window)
    yield from attribute_commands(window)
    if window.stage is None and window.current not in _WITH_DEMONSTRATIONS:
        yield from demonstration_commands(window)
