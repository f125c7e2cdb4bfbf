"""What can be asked for: every page, and every heading of pages that tell of several things.

A page has the same headings in every language, in the same order. So a heading goes by the key and
the anchor of the English one, and links and the window find it whatever it is called.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from ppworkbench.outputs.help.page import HelpPage, pages, read_pages, without_code

_HEADING = re.compile(r"^#{2,3}\s+(.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Topic:
    """A page, or one heading of it with the text below.

    ``file`` is that of the page, ``anchor`` the heading's name in it (empty for a page).
    """

    key: str
    title: str
    file: str
    text: str
    group: str = ""
    anchor: str = ""

    @property
    def is_page(self) -> bool:
        return not self.anchor


def slug(title: str) -> str:
    """The key of a heading.

    >>> slug("Expected information loss")
    'expected-information-loss'
    >>> slug("Źródło i wiarygodność")
    'zrodlo-i-wiarygodnosc'
    """
    plain = unicodedata.normalize("NFD", title.lower().replace("ł", "l"))
    return re.sub(r"[^a-z0-9]+", "-", re.sub("[\u0300-\u036f]", "", plain)).strip("-")


@cache
def topics(language: str = "") -> tuple[Topic, ...]:
    return tuple(topic for page in pages(language) for topic in _of_page(page, language))


def load_help(language: str = "") -> Iterator[None]:
    """Get all pages and topics ready, with a ``yield`` whenever something else may be done.

    What is known already takes no time.
    """
    spoken = ("", language) if language else ("",)
    for one in spoken:
        for _ in read_pages(one):
            yield
    for one in spoken:
        for page in pages(one):
            _headings(page)
            anchors(page.file, one)
            yield
        topics(one)
        yield


def _of_page(page: HelpPage, language: str) -> Iterator[Topic]:
    yield Topic(page.key, page.title, page.file, page.text, page.group)
    if page.about:
        # Its headings are the same as those of every other page about one thing.
        return
    headings = _headings(page)
    named = anchors(page.file, language)
    ends = [heading.start() for heading in headings[1:]] + [len(page.text)]
    for heading, end in zip(headings, ends, strict=False):
        title = heading.group(1).replace("`", "")
        key = named[heading.group(1)]
        yield Topic(key, title, page.file, page.text[heading.start() : end], page.group, key)


@cache
def _headings(page: HelpPage) -> list[re.Match[str]]:
    return list(_HEADING.finditer(without_code(page.text)))


@cache
def anchors(file: str, language: str = "") -> Mapping[str, str]:
    """The anchors of a page's headings, by what stands in the headings."""
    own, english = (
        [heading.group(1) for page in _by_file(spoken).get(file, ()) for heading in _headings(page)]
        for spoken in (language, "")
    )
    if len(own) != len(english):
        english = own
    return {title: slug(known) for title, known in zip(own, english, strict=True)}


@cache
def _by_file(language: str) -> Mapping[str, list[HelpPage]]:
    found: dict[str, list[HelpPage]] = {}
    for page in pages(language):
        found.setdefault(page.file, []).append(page)
    return found


@cache
def find_topic(key: str, language: str = "") -> Topic | None:
    """The topic of a key or title: the exact one, else one whose key holds all of its words.

    The window asks in English, whatever language it speaks.
    """
    if language:
        found = find_topic(key)
        if found is not None:
            there = _by_place(language)
            return there.get((found.file, found.anchor)) or there[found.file, ""]
    wanted = slug(key)
    known = _pages_first(language)
    for topic in known:
        if topic.key == wanted:
            return topic
    for topic in known:
        if slug(topic.title) == wanted:
            return topic
    words = set(wanted.split("-"))
    for topic in known:
        if words <= set(topic.key.split("-")):
            return topic
    return None


@cache
def _pages_first(language: str) -> tuple[Topic, ...]:
    return tuple(sorted(topics(language), key=lambda topic: not topic.is_page))


def topic_about(family: str, name: str, language: str = "") -> Topic | None:
    """The page about something registered, such as the estimator ``algorithm`` ``eq``.

    >>> topic_about("perturbation", "discretise").title
    'Intervals only'
    """
    for page in pages(language):
        if f"{family} {name}" in page.about:
            return next(_of_page(page, language))
    return None


def key_about(family: str, name: str, otherwise: str) -> str:
    """The key of the page about something registered, or of another page where it has none."""
    found = topic_about(family, name)
    return otherwise if found is None else found.key


def find_link(link: str, file: str, language: str = "") -> Topic | None:
    """The topic that a link in a page leads to: a page, or a heading of one.

    >>> find_link("mechanisms/loop-effect.md", "samples").title
    'Loop effect'
    >>> find_link("../survey-statistics.md#conditions", "mechanisms/uniform").title
    'Conditions'
    """
    name, _, heading = link.partition("#")
    page = file
    if name:
        page = posixpath.normpath(posixpath.join(posixpath.dirname(file), name)).removesuffix(".md")
    return _by_place(language).get((page, slug(heading)))


@cache
def _by_place(language: str) -> dict[tuple[str, str], Topic]:
    return {(topic.file, topic.anchor): topic for topic in reversed(topics(language))}


def search(text: str, language: str = "") -> tuple[Topic, ...]:
    """Topics that hold all words: those with all of them in the title first, then any of them."""
    words = text.lower().split()
    if not words:
        return topics(language)
    hits = [t for t in topics(language) if all(word in t.text.lower() for word in words)]
    return tuple(sorted(hits, key=lambda topic: _rank(topic, words)))


def _rank(topic: Topic, words: list[str]) -> tuple[int, int]:
    title = topic.title.lower()
    held = sum(word in title for word in words)
    return (-held, 0 if title.startswith(words[0]) else 1)
