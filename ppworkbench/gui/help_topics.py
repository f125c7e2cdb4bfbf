"""The help texts: Markdown files in ``resources/help`` with a topic under every heading."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ppworkbench.core.resources import resource

_HEADING = re.compile(r"^(#{1,3})\s+(.+?)\s*$", re.MULTILINE)

_ORDER = (
    "getting-started", "data-page", "design-page", "explore-page", "attack-lab", "survey-page",
    "mine-page", "classify-page", "publish-page", "learn-page",
    "mechanisms", "named-designs",
    "privacy-measures", "utility-measures", "optimiser", "reconstruction", "stopping-rules",
    "survey-statistics", "mining", "classification", "decision-tree", "meta-learning",
    "experiments", "deniable-tables", "assignment", "samples", "release",
    "questionnaires", "reports",
    "design-file", "codebook", "study-file", "command-line",
)  # fmt: skip
"""Pages in the order in which one would read them; others follow by name."""


@dataclass(frozen=True)
class Topic:
    """One heading with the text below it."""

    key: str
    title: str
    file: str
    text: str

    @property
    def is_page(self) -> bool:
        """Whether this is a whole page rather than a heading of one."""
        return self.key == self.file


def slug(title: str) -> str:
    """The key of a heading.

    >>> slug("Expected information loss")
    'expected-information-loss'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


@cache
def topics() -> tuple[Topic, ...]:
    """All topics of all help files, in order."""
    found = []
    for path in sorted(resource("help").glob("*.md"), key=_rank):
        content = path.read_text(encoding="utf-8")
        headings = list(_HEADING.finditer(content))
        for heading, after in zip(headings, [*headings[1:], None], strict=True):
            # A page's own title keeps the whole page, so that it can be read from top to bottom.
            whole = len(heading.group(1)) == 1
            end = len(content) if whole or after is None else after.start()
            title = heading.group(2).replace("`", "")
            key = path.stem if whole else slug(title)
            found.append(Topic(key, title, path.stem, content[heading.start() : end]))
    return tuple(found)


def _rank(path: Path) -> tuple[int, str]:
    known = path.stem in _ORDER
    return (_ORDER.index(path.stem) if known else len(_ORDER), path.stem)


def find_topic(key: str) -> Topic | None:
    """The topic of a key: the exact one, else one whose key holds all of its words."""
    wanted = slug(key)
    for topic in topics():
        if topic.key == wanted:
            return topic
    words = set(wanted.split("-"))
    for topic in topics():
        if words <= set(topic.key.split("-")):
            return topic
    return None


def find_link(link: str, file: str) -> Topic | None:
    """The topic that a link in a help file leads to: a page, or a heading of one.

    >>> find_link("mechanisms.md#loop-effect", "samples").title
    'Loop effect'
    """
    name, _, heading = link.partition("#")
    page = name.removesuffix(".md") or file
    key = slug(heading) or page
    return next((t for t in topics() if (t.file, t.key) == (page, key)), None)


def search(text: str) -> tuple[Topic, ...]:
    """Topics that hold all words, those with a word in the title first."""
    words = text.lower().split()
    if not words:
        return topics()
    hits = [t for t in topics() if all(word in t.text.lower() for word in words)]
    return tuple(sorted(hits, key=lambda t: not any(word in t.title.lower() for word in words)))
