"""The user guide: all pages of the help with contents and index, as one HTML file."""

from __future__ import annotations

from pathlib import Path

from ppworkbench import __version__
from ppworkbench.core.atomic import write_text
from ppworkbench.core.message import Message
from ppworkbench.core.resources import resource
from ppworkbench.study.help.index import INDEX, by_group, index_text
from ppworkbench.study.help.markup import to_html
from ppworkbench.study.help.page import HelpPage
from ppworkbench.study.help.topic import anchors, find_link
from ppworkbench.study.html import Page, css_variables, escaped
from ppworkbench.study.language.tongue import ENGLISH, Tongue

TITLE = "ppworkbench user guide"


def guide_html(tongue: Tongue = ENGLISH) -> str:
    """The text of the guide; it needs nothing from elsewhere and makes no request."""
    language = tongue.foreign
    chapters = [(tongue.say(title), held) for title, held in by_group(language)]
    contents = "".join(_contents(title, held) for title, held in chapters)
    body = "\n".join(_chapter(title, held, language) for title, held in chapters)
    index = _body(INDEX, index_text(tongue), language, level=2)

    def said(text: str) -> str:
        return escaped(tongue.say(text))

    version = Message("User guide, version {version}", version=__version__)
    page = Page(
        tongue.say(TITLE),
        css_variables() + resource("guide", "guide.css").read_text(encoding="utf-8"),
        f'<div class="guide">\n<nav aria-label="{said("Contents")}">'
        f'<p class="brand">ppworkbench</p>'
        f'<p class="date">{said(version)}</p>{contents}'
        f'<p><a href="#{INDEX}">{said("Index")}</a></p></nav>\n'
        f"<main>\n<header><h1>{said(TITLE)}</h1>"
        f"<p>{said('Design, apply and undo the random distortion of survey answers.')}</p>"
        "</header>\n"
        f'{body}\n<section class="chapter" id="{INDEX}">{index}</section>\n</main>\n</div>',
        language=tongue.code,
    )
    return page.to_html()


def write_guide(path: str | Path, tongue: Tongue = ENGLISH) -> None:
    """Write the guide as a file, whole or not at all."""
    write_text(path, guide_html(tongue))


def _contents(title: str, held: tuple[HelpPage, ...]) -> str:
    items = "".join(
        f'<li><a href="#{_id(page.file)}">{escaped(page.title)}</a></li>' for page in held
    )
    return f"<details><summary>{escaped(title)}</summary><ul>{items}</ul></details>"


def _chapter(title: str, held: tuple[HelpPage, ...], language: str) -> str:
    articles = "\n".join(
        f'<article id="{_id(page.file)}">{_body(page.file, page.text, language, level=3)}</article>'
        for page in held
    )
    return f'<section class="chapter"><h2>{escaped(title)}</h2>\n{articles}\n</section>'


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
