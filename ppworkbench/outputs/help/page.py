"""The pages of the help: Markdown files, some of which say what they are about.

A page about something that the program can do begins with lines such as::

    ---
    about: perturbation forced, named design forced-response
    ---

and has the sections "In plain words", "Formula", "When to use", "Limits" and "Reference". Index,
search and guide are made from these pages.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ppworkbench.core.files import resource


@dataclass(frozen=True)
class Group:
    """One chapter.

    ``files`` are overview pages in ``resources/help``. A folder of the same name as an overview
    holds its pages, one per mechanism, measure or algorithm; they follow it in the order in which
    the overview links to them.
    """

    title: str
    files: tuple[str, ...]


GROUPS = (
    Group("First steps", ("getting-started", "samples")),
    Group(
        "Pages of the window",
        (
            "data-page", "design-page", "collect-page", "explore-page", "survey-page",
            "mine-page", "classify-page", "publish-page", "learn-page", "validation-gallery",
        ),
    ),
    Group("Mechanisms", ("mechanisms",)),
    Group("Named designs", ("named-designs",)),
    Group("Privacy measures", ("privacy-measures", "privacy-budget")),
    Group("Utility measures", ("utility-measures", "planning", "respondent-devices")),
    Group("Reconstruction", ("reconstruction", "stopping-rules", "assignment")),
    Group(
        "Survey statistics",
        (
            "survey-statistics", "arms", "sampling", "regression", "compliance-models",
            "list-experiments",
        ),
    ),
    Group("Mining", ("mining",)),
    Group("Classification", ("classification", "experiments", "classification-results")),
    Group("Deniable tables", ("deniable-tables",)),
    Group("Attacks", ("attack-lab",)),
    Group(
        "Files and commands",
        (
            "release", "questionnaires", "deployment-kit", "reports", "design-file", "codebook",
            "study-file", "command-line", "python", "scripts", "terms",
        ),
    ),
)  # fmt: skip


LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_FENCE = re.compile(r"^```.*?^```[^\n]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class HelpPage:
    """One page.

    Parameters
    ----------
    file
        Where it lies below ``resources/help``, without its ending: ``mechanisms/uniform``.
    group
        The title of its chapter.
    about
        What it explains, as ``family name``: ``perturbation uniform``.
    text
        The Markdown without what stands before the title.
    """

    file: str
    title: str
    group: str
    about: tuple[str, ...]
    text: str

    @property
    def key(self) -> str:
        """The name under which the window asks for the page."""
        return posixpath.basename(self.file)

    def section(self, title: str) -> str:
        """The text below a heading; empty if there is none."""
        found = re.search(
            rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", self.text, re.MULTILINE | re.DOTALL
        )
        return found.group(1).strip() if found else ""


def page_path(file: str, language: str = "") -> Path:
    """Where a page lies: in the folder of the language if it is there, else in English.

    >>> page_path("mechanisms/uniform").name
    'uniform.md'
    """
    own = resource("help", language, f"{file}.md")
    return own if language and own.is_file() else resource("help", f"{file}.md")


@cache
def pages(language: str = "") -> tuple[HelpPage, ...]:
    return tuple(read_pages(language))


def read_pages(language: str = "") -> Iterator[HelpPage]:
    """All pages in reading order, each read from its file only once."""
    for group in GROUPS:
        for overview in group.files:
            for file in (overview, *_members(overview)):
                yield _read(file, group.title, language)


@cache
def _members(overview: str) -> tuple[str, ...]:
    return tuple(_find_members(overview))


def _find_members(overview: str) -> Iterator[str]:
    """The pages of an overview's folder in the order of its links, others after them by name."""
    folder = resource("help", overview)
    if not folder.is_dir():
        return
    there = {f"{overview}/{path.stem}" for path in folder.glob("*.md")}
    text = page_path(overview).read_text(encoding="utf-8")
    linked = (link.partition("#")[0].removesuffix(".md") for _, link in LINK.findall(text))
    yield from dict.fromkeys(file for file in linked if file in there)
    yield from sorted(there - {link.removesuffix(".md") for _, link in LINK.findall(text)})


@cache
def _read(file: str, group: str, language: str) -> HelpPage:
    content = page_path(file, language).read_text(encoding="utf-8")
    front = _FRONT.match(content)
    text = content[front.end() :] if front else content
    about = ""
    if front:
        fields = dict(line.split(": ", 1) for line in front.group(1).splitlines())
        about = fields.get("about", "")
    title = text.partition("\n")[0].removeprefix("# ").strip().replace("`", "")
    return HelpPage(file, title, group, tuple(filter(None, about.split(", "))), text)


def without_code(text: str) -> str:
    """The text with blanks in place of its code, so that places stay the same."""
    return _FENCE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
