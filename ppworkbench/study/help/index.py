"""The index of the help, made from its pages: by chapter, and from A to Z."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from ppworkbench.study.help.groups import GROUPS
from ppworkbench.study.help.page import HelpPage, pages
from ppworkbench.study.help.topic import Topic, slug
from ppworkbench.study.language.tongue import ENGLISH, Tongue

INDEX = "index"
"""The key and file of the index, which no file holds."""
_BEHIND = str.maketrans({
    "ą": "a{", "ć": "c{", "ę": "e{", "ł": "l{", "ń": "n{", "ó": "o{", "ś": "s{", "ź": "z{",
    "ż": "z|",
})  # fmt: skip
"""Letters that come behind another one in the alphabet, as something that is sorted there."""


@dataclass(frozen=True)
class Entry:
    """One line of the index: what it says and the page it leads to.

    ``is_name`` marks a name of design files and commands, such as ``discretise``.
    """

    words: str
    page: HelpPage
    is_name: bool = False

    @property
    def markdown(self) -> str:
        """The line as a link."""
        if self.is_name:
            return f"- `{self.words}`: [{self.page.title}]({self.page.file}.md)"
        return f"- [{self.words}]({self.page.file}.md)"


def by_group(language: str = "") -> Iterator[tuple[str, tuple[HelpPage, ...]]]:
    """Every chapter by its English title, with its pages in reading order."""
    for group in GROUPS:
        yield group.title, tuple(p for p in pages(language) if p.group == group.title)


def from_a_to_z(language: str = "") -> tuple[Entry, ...]:
    """Every page by its title, and again by names of what it is about that its title hides."""
    entries = []
    for page in pages(language):
        entries.append(Entry(_listed(page.title), page))
        entries += [Entry(name, page, True) for name in _hidden_names(page)]
    return tuple(sorted(entries, key=lambda entry: (_order(entry.words), entry.is_name)))


def _order(words: str) -> str:
    return re.sub(r"[^a-z0-9{|]+", "-", words.lower().translate(_BEHIND)).strip("-")


def _letter(entry: Entry) -> str:
    return next(sign for sign in entry.words if sign.isalnum()).upper()


def _listed(title: str) -> str:
    """A title without its article, which nobody looks for."""
    bare = re.sub(r"^(The|A) (?=\w)", "", title)
    return bare[:1].upper() + bare[1:]


def _hidden_names(page: HelpPage) -> Iterator[str]:
    told = slug(page.title)
    for name in dict.fromkeys(about.rpartition(" ")[2] for about in page.about):
        if slug(name) not in told:
            yield name


def index_topic(tongue: Tongue = ENGLISH) -> Topic:
    """The index as a topic that can be shown like any other."""
    return Topic(INDEX, tongue.say("Index"), INDEX, index_text(tongue))


def index_text(tongue: Tongue = ENGLISH) -> str:
    """The index as Markdown."""
    say, language = tongue.say, tongue.foreign
    lines = [f"# {say('Index')}", "", f"## {say('By chapter')}"]
    for title, held in by_group(language):
        lines += ["", f"### {say(title)}", *(Entry(page.title, page).markdown for page in held)]
    lines += ["", f"## {say('From A to Z')}"]
    for letter, entries in groupby(from_a_to_z(language), _letter):
        lines += ["", f"### {letter}", *(entry.markdown for entry in entries)]
    return "\n".join([*lines, ""])
