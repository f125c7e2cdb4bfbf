"""The user guide: all pages of the help with contents and index, as one HTML file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ppworkbench import __version__
from ppworkbench.core.atomic import write_text
from ppworkbench.core.message import Message
from ppworkbench.core.resources import resource
from ppworkbench.study.help.index import INDEX, by_group, index_text
from ppworkbench.study.help.markup import to_html
from ppworkbench.study.help.topic import anchors, find_link
from ppworkbench.study.html import Page, css_variables
from ppworkbench.study.language.tongue import ENGLISH, Tongue

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


def guide_html(tongue: Tongue = ENGLISH) -> str:
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
            "subtitle": say("Design, apply and undo the random distortion of survey answers."),
        },
        chapters=[
            _Chapter(say(title), tuple(article(p.file, p.title, p.text, 3) for p in held))
            for title, held in by_group(language)
        ],
        index=article(INDEX, say("Index"), index_text(tongue), 2),
    )


def write_guide(path: str | Path, tongue: Tongue = ENGLISH) -> None:
    """Write the guide as a file, whole or not at all."""
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
