"""The user guide: all pages of the help with contents and index, as one HTML file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from ppworkbench.core.files import resource, write_text
from ppworkbench.core.message import Message
from ppworkbench.outputs.help.markup import to_html
from ppworkbench.outputs.help.page import GROUPS, HelpPage, pages
from ppworkbench.outputs.help.topic import Topic, anchors, find_link, slug
from ppworkbench.study.html import Page, css_variables
from ppworkbench.study.language import ENGLISH_TONGUE, Language
from ppworkbench.version import __version__

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


def index_topic(tongue: Language = ENGLISH_TONGUE) -> Topic:
    return Topic(INDEX, tongue.say("Index"), INDEX, index_text(tongue))


def index_text(tongue: Language = ENGLISH_TONGUE) -> str:
    say, language = tongue.say, tongue.foreign
    lines = [f"# {say('Index')}", "", f"## {say('By chapter')}"]
    for title, held in by_group(language):
        lines += ["", f"### {say(title)}", *(Entry(page.title, page).markdown for page in held)]
    lines += ["", f"## {say('From A to Z')}"]
    for letter, entries in groupby(from_a_to_z(language), _letter):
        lines += ["", f"### {letter}", *(entry.markdown for entry in entries)]
    return "\n".join([*lines, ""])


TITLE = "ppworkbench user guide"


@dataclass(frozen=True)
class _Article:
    id: str
    title: str
    html: str


@dataclass(frozen=True)
class _Chapter:
    title: str
    articles: tuple[_Article, ...]


def guide_html(tongue: Language = ENGLISH_TONGUE) -> str:
    """The text of the guide; it needs nothing from elsewhere and makes no request."""
    say, language = tongue.say, tongue.foreign

    def article(file: str, title: str, text: str, level: int) -> _Article:
        return _Article(_id(file), title, _body(file, text, language, level))

    style = resource("guide", "guide.css").read_text(encoding="utf-8")
    page = Page(say(TITLE), css_variables() + style, language=tongue.code)
    return page.to_html(
        "guide/guide.html",
        words={
            "contents": say("Contents"),
            "version": say(Message("User guide, version {version}", version=__version__)),
            "subtitle": say("Design and analyse randomised surveys."),
        },
        chapters=[
            _Chapter(say(title), tuple(article(p.file, p.title, p.text, 3) for p in held))
            for title, held in by_group(language)
        ],
        index=article(INDEX, say("Index"), index_text(tongue), 2),
    )


def write_guide(path: str | Path, tongue: Language = ENGLISH_TONGUE) -> None:
    write_text(path, guide_html(tongue))


def _body(file: str, text: str, language: str, level: int) -> str:
    def target(link: str) -> str | None:
        found = find_link(link, file, language)
        if found is None:
            return None
        return f"#{_id(found.file, found.anchor)}"

    named = anchors(file, language)

    def anchor(title: str) -> str:
        return _id(file, named.get(title) or title.lower().replace(" ", "-"))

    return to_html(text, target, anchor, level)


def _id(file: str, anchor: str = "") -> str:
    place = file.replace("/", "--")
    return f"{place}--{anchor}" if anchor else place
