"""The user guide: all pages of the help with contents and index, as one HTML file."""

from __future__ import annotations

from pathlib import Path

from ppworkbench import __version__
from ppworkbench.core.atomic import write_text
from ppworkbench.core.resources import resource
from ppworkbench.study.help.index import INDEX, by_group, index_text
from ppworkbench.study.help.markup import to_html
from ppworkbench.study.help.page import HelpPage
from ppworkbench.study.help.topic import find_link, slug
from ppworkbench.study.html import Page, css_variables, escaped

TITLE = "ppworkbench user guide"


def guide_html(language: str = "") -> str:
    """The text of the guide; it needs nothing from elsewhere and makes no request."""
    chapters = list(by_group(language))
    contents = "".join(_contents(title, held) for title, held in chapters)
    body = "\n".join(_chapter(title, held, language) for title, held in chapters)
    index = _body(INDEX, index_text(language), language, level=2)
    page = Page(
        TITLE,
        css_variables() + resource("guide", "guide.css").read_text(encoding="utf-8"),
        f'<div class="guide">\n<nav aria-label="Contents"><p class="brand">ppworkbench</p>'
        f'<p class="date">User guide, version {escaped(__version__)}</p>{contents}'
        f'<p><a href="#{INDEX}">Index</a></p></nav>\n'
        f"<main>\n<header><h1>{TITLE}</h1>"
        "<p>Design, apply and undo the random distortion of survey answers.</p></header>\n"
        f'{body}\n<section class="chapter" id="{INDEX}">{index}</section>\n</main>\n</div>',
        language=language if resource("help", language).is_dir() and language else "en",
    )
    return page.to_html()


def write_guide(path: str | Path, language: str = "") -> None:
    """Write the guide as a file, whole or not at all."""
    write_text(path, guide_html(language))


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

    return to_html(text, target, lambda title: _id(file, slug(title)), level)


def _id(file: str, anchor: str = "") -> str:
    place = file.replace("/", "--")
    return f"{place}--{anchor}" if anchor else place
