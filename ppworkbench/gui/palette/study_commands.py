"""What there is to go to: the attributes of the study and the demonstrations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from ppworkbench.gui.language.speech import speech
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.palette.command import Command

if TYPE_CHECKING:
    from ppworkbench.gui.main_window import MainWindow
    from ppworkbench.study.demonstrations.heads import Head

_ABOUT_ONE = frozenset({"data", "design"})
"""Pages that show the attribute that is selected."""


def attribute_commands(window: MainWindow) -> Iterator[Command]:
    """Every attribute of the study; one is shown on Design unless the page in front shows it."""
    study = window.front.store.study
    place = tr("Attribute")
    if study.table is not None:
        attributes = [column.attribute for column in study.table.columns]
    else:
        attributes = [designed.attribute for designed in study.design.attributes]
    for attribute in attributes:
        run = partial(_show_attribute, window, attribute.name)
        yield Command(
            f"attribute {attribute.name}", attribute.name, place, run, more=attribute.label
        )


def _show_attribute(window: MainWindow, name: str) -> None:
    front = window.front
    if front.current not in _ABOUT_ONE:
        front.rail.page_chosen.emit("design" if name in front.store.study.design else "data")
    front.store.select([name])


def demonstration_commands(window: MainWindow) -> Iterator[Command]:
    """Every demonstration."""
    place = tr("Demonstration")
    for head in _heads(speech.language):
        yield Command(f"demonstration {head.name}", head.title, place, partial(_show, window, head))


def _show(window: MainWindow, head: Head) -> None:
    from ppworkbench.gui.learn.opening import open_demonstration

    open_demonstration(window.workbench, head.file)


@lru_cache(maxsize=2)
def _heads(language: str) -> tuple[Head, ...]:  # noqa: ARG001 (the heads are those of the language)
    from ppworkbench.gui.learn.opening import shipped_heads

    return shipped_heads()
