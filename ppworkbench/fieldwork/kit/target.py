"""What every target of a kit is: a way to ask the questions, and the columns that come back."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

from ppworkbench.core.files import resource, write_bytes, write_text
from ppworkbench.core.message import Message
from ppworkbench.core.registry import Registry
from ppworkbench.fieldwork.kit.form import Form, Item
from ppworkbench.fieldwork.kit.hand_cards import FOLDER
from ppworkbench.fieldwork.page.page import QuestionnaireOptions
from ppworkbench.fieldwork.responses.kit_file import KitColumn, texts_to_values
from ppworkbench.fieldwork.responses.platforms import TABLE
from ppworkbench.study.blocks import Figure
from ppworkbench.study.language import Language


@dataclass(frozen=True)
class PdfJob:
    """Pages to print: blocks of HTML, each beginning on a page of its own unless they flow.

    Parameters
    ----------
    figures
        Drawings by the names that the blocks know them by.
    size
        The paper, ``A4`` or ``A6``.
    is_cut
        Whether four pages of A6 stand on one of A4, with marks where to cut.
    direction
        ``ltr`` or ``rtl``.
    """

    title: str
    blocks: tuple[str, ...]
    figures: Mapping[str, Figure]
    style: str
    size: str = "A4"
    is_cut: bool = False
    direction: str = "ltr"
    compact: tuple[str, ...] = ()
    """Styles of a block that is longer than its page, tried one after the other."""
    is_flowing: bool = False
    """Whether blocks follow each other on numbered pages, each kept together."""
    labels: tuple[str, ...] = ()
    """What blocks are called at the foot of their pages, where they have more than one."""
    continued: str = ""
    """What stands at the foot of a page whose block goes on, such as one that is cut off."""


PrintPdf = Callable[[PdfJob, Path], None]
"""Prints to a file; the window's libraries do it."""


class Output:
    """The files of one target, and what they say about the way back."""

    def __init__(
        self,
        folder: Path,
        print_pdf: PrintPdf | None,
        tongue: Language,
        page: QuestionnaireOptions,
    ) -> None:
        self._folder, self._print = folder, print_pdf
        self.tongue, self.page = tongue, page
        self.files: list[str] = []
        self.notes: list[Message] = []
        self.columns: dict[str, dict[str, KitColumn]] = {}
        """By platform, empty for the target's own, and question."""

    def path(self, name: str) -> Path:
        self.files.append(name)
        return self._folder / name

    def text(self, name: str, content: str, *, bom: bool = False) -> None:
        mark = "\ufeff" if bom else ""
        if bom:
            write_bytes(self.path(name), (mark + content).encode())
        else:
            write_text(self.path(name), content)

    def pdf(self, name: str, job: PdfJob) -> None:
        assert self._print is not None  # noqa: S101 (a target without it is refused before)
        self._print(job, self.path(name))

    def note(self, message: Message) -> None:
        if message not in self.notes:
            self.notes.append(message)

    def answered(
        self,
        item: Item,
        column: str,
        code: Callable[[int], str] | None = str,
        also: tuple[str, ...] = (),
        written: Callable[[str], str] = str,
    ) -> None:
        """Say which column answers a question, perhaps by other names, and by which codes.

        Without a ``code`` the platform exports texts alone; ``written`` is how it has a text.
        """
        if not item.choices:
            self._note("", item, KitColumn(column, also=also))
            return
        pairs = (
            (spelled, choice.value)
            for choice in item.choices
            for text in choice.text.values()
            for spelled in (text, written(text))
            if spelled
        )
        codes = {} if code is None else {code(one.code): one.value for one in item.choices}
        self._note("", item, KitColumn(column, codes, texts_to_values(pairs), also))

    def reported(self, item: Item, platform: str, column: str, codes: Mapping[str, str]) -> None:
        """Say which column of a platform holds drawn answers, by codes alone; none for numbers."""
        self._note(platform, item, KitColumn(column, codes))

    def _note(self, platform: str, item: Item, column: KitColumn) -> None:
        self.columns.setdefault(platform, {})[item.name] = column

    def said(self, message: str) -> str:
        return self.tongue.say(message)


class Target(ABC):
    """One target; a new one is a file with a class of this kind and a line in the list."""

    name: ClassVar[str]
    platform: ClassVar[str] = TABLE
    """The platform that exports its answers."""
    is_by_hand: ClassVar[bool] = True
    """Whether people randomise themselves, so that the answers given are the reported ones."""
    needs_printer: ClassVar[bool] = False
    marks: ClassVar[tuple[tuple[str, Message], ...]] = ()
    """What may stand in no text, because it would be read as something else, and why."""

    def faults(self, form: Form) -> Iterator[tuple[str, Message]]:
        """What cannot be expressed: the question, and why."""
        if self.is_by_hand:
            yield from form.refusals
        for mark, why in self.marks:
            yield from _marked_texts(form, mark, why)

    @abstractmethod
    def write(self, form: Form, out: Output) -> None:
        """Write the files of the target."""


targets: Registry[type[Target]] = Registry("target")


@cache
def platform_names(key: str) -> tuple[str, ...]:
    """What a platform calls its columns and settings, which nobody translates."""
    text = resource(FOLDER, "platform_names.json").read_text(encoding="utf-8")
    return tuple(json.loads(text)[key])


def _marked_texts(form: Form, mark: str, why: Message) -> Iterator[tuple[str, Message]]:
    """Questions with a text that holds a mark which the target reads as something else."""
    seen = set()
    for name, text in form.texts():
        if mark in text and name not in seen:
            seen.add(name)
            yield name, why


def unique(wanted: str, taken: set[str], longest: int = 26) -> str:
    """A name that is not taken yet; clashes are numbered.

    >>> unique("age", {"age"}), unique("age", set())
    ('age_2', 'age')
    """
    number, name = 1, wanted[:longest]
    while name in taken:
        number += 1
        end = f"_{number}"
        name = f"{wanted[: longest - len(end)]}{end}"
    taken.add(name)
    return name
