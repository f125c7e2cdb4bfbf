"""The pages of the help as sources of the site, in MyST Markdown.

Pages of the help know less Markdown than MyST does: an underscore is always an index, a backslash
only itself, and HTML is text. What would mean something else to MyST is escaped.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from ppworkbench.outputs.help.markup import formulas_to_html
from ppworkbench.outputs.help.page import GROUPS, HelpPage, pages
from ppworkbench.outputs.help.topic import find_link, slug
from ppworkbench.study.language import Language

HELP = "help"
_FENCE = re.compile(r"(^```.*?^```[^\n]*$)", re.MULTILINE | re.DOTALL)
_PIECE = re.compile(r"(`[^`]+`)|\[((?:[^\[\]`]|`[^`]*`)+)\]\(([^)\s]+)\)")
_SIGN = re.compile(r"_|\\(?!\|)")
"""What MyST would read as emphasis or as an escape; a pipe in a table is escaped in both."""


def write_help(folder: Path, language: Language) -> None:
    """Write all pages of the help below a folder of sources."""
    for page in pages(language.foreign):
        path = folder / HELP / f"{page.file}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = to_myst(page, language.foreign) + _contents(_members(page, language.foreign))
        path.write_text(text, encoding="utf-8")


def chapters(language: Language) -> str:
    """The contents of all chapters of the help, for the first page of the site."""
    return "".join(
        _contents([f"{HELP}/{file}" for file in group.files], language.say(group.title))
        for group in GROUPS
    )


def _contents(entries: list[str], caption: str = "") -> str:
    if not entries:
        return ""
    said = f":caption: {caption}\n" if caption else ""
    listed = "\n".join(entries)
    return f"\n```{{toctree}}\n:hidden:\n{said}\n{listed}\n```\n"


def _members(page: HelpPage, language: str) -> list[str]:
    return [one.file for one in pages(language) if one.file.startswith(f"{page.file}/")]


def to_myst(page: HelpPage, language: str = "") -> str:
    """The text of a page in MyST Markdown."""
    parts = _FENCE.split(page.text)
    parts[::2] = [_set_text(text, page.file, language) for text in parts[::2]]
    return "".join(parts)


def _set_text(text: str, file: str, language: str) -> str:
    done, end = [], 0
    for found in _PIECE.finditer(text):
        done.append(_set_words(text[end : found.start()]))
        code, words, link = found.groups()
        if code:
            done.append(code)
        else:
            inner = _set_text(words, file, language)
            done.append(f"[{inner}]({_address(link, file, language)})")
        end = found.end()
    return "".join([*done, _set_words(text[end:])])


def _set_words(text: str) -> str:
    return _SIGN.sub(r"\\\g<0>", formulas_to_html(text))


def _address(link: str, file: str, language: str) -> str:
    """Where a link leads; headings go by what they are called in the language of the page."""
    topic = find_link(link, file, language)
    if topic is None:
        raise ValueError(f"resources/help/{file}.md links to {link}, which is not there.")
    page = posixpath.relpath(f"{topic.file}.md", posixpath.dirname(file) or ".")
    return page + (f"#{slug(topic.title)}" if topic.anchor else "")
