"""A page of the help in another language tells what the English one tells, at the same places."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from ppworkbench.core.files import resource
from ppworkbench.outputs.help.guide import guide_html
from ppworkbench.outputs.help.page import LINK, pages, without_code
from ppworkbench.outputs.help.topic import anchors, find_link, find_topic, topics
from ppworkbench.study.language import Language

ROOT = resource("help")
LANGUAGES = sorted(path.name for path in ROOT.iterdir() if len(path.name) == 2)
PAGES = [
    pytest.param(path.parent.relative_to(ROOT).parts[0], path, id=str(path.relative_to(ROOT)))
    for language in LANGUAGES
    for path in sorted((ROOT / language).rglob("*.md"))
]
_CODE = re.compile(r"^```.*?^```$|^ {4}\S.*?$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"`([^`]+)`")
_ROW = re.compile(r"^\|.*\|$", re.MULTILINE)


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def english_of(language: str, path: Path) -> str:
    return text_of(ROOT / path.relative_to(ROOT / language))


def names_of(text: str) -> set[str]:
    return {" ".join(name.split()) for name in _NAME.findall(text)}


def front_of(text: str) -> str:
    found = re.match(r"---\n.*?\n---\n", text, re.DOTALL)
    return found.group() if found else ""


@pytest.mark.parametrize(("language", "path"), PAGES)
def test_that_a_page_has_the_shape_of_the_english_one(language: str, path: Path) -> None:
    text, english = text_of(path), english_of(language, path)
    assert front_of(text) == front_of(english)
    assert _CODE.findall(text) == _CODE.findall(english)
    plain, known = without_code(text), without_code(english)
    levels = re.compile(r"^#+(?= )", re.MULTILINE)
    assert levels.findall(plain) == levels.findall(known)
    assert Counter(link for _, link in LINK.findall(plain)) == Counter(
        link for _, link in LINK.findall(known)
    )
    columns = [row.replace("\\|", "").count("|") for row in _ROW.findall(plain)]
    assert columns == [row.replace("\\|", "").count("|") for row in _ROW.findall(known)]
    assert names_of(plain) == names_of(known)


@pytest.mark.parametrize("language", LANGUAGES)
def test_that_no_page_is_left_in_english(language: str) -> None:
    assert [
        page.file for page in pages() if not (ROOT / language / f"{page.file}.md").is_file()
    ] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_that_links_and_topics_lead_to_the_same_places(language: str) -> None:
    for page in pages(language):
        for _, link in LINK.findall(page.text):
            there, known = find_link(link, page.file, language), find_link(link, page.file)
            assert there is not None, (page.file, link)
            assert known is not None
            assert (there.file, there.anchor) == (known.file, known.anchor)
    places = [(topic.file, topic.anchor, topic.key) for topic in topics(language)]
    assert places == [(topic.file, topic.anchor, topic.key) for topic in topics()]
    asked = find_topic("what-a-release-does-not-protect", language)
    assert asked is not None
    assert asked.file == "release"


@pytest.mark.parametrize("language", LANGUAGES)
def test_that_a_section_is_called_the_same_on_every_page(language: str) -> None:
    called: dict[str, set[str]] = {}
    for page in pages(language):
        if page.about and (ROOT / language / f"{page.file}.md").is_file():
            for title, anchor in anchors(page.file, language).items():
                called.setdefault(anchor, set()).add(title)
    assert {anchor: titles for anchor, titles in called.items() if len(titles) > 1} == {}


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_that_the_guide_leads_from_place_to_place(language: str) -> None:
    guide = guide_html(Language(language, lambda text: f"[{text}]"))
    ids = re.findall(r' id="([^"]+)"', guide)
    assert len(ids) == len(set(ids))
    links = [link.removeprefix("#") for link in re.findall(r'href="([^"]+)"', guide)]
    assert set(links) <= set(ids)
    assert f'<html lang="{language}"' in guide
    assert "<h2>[First steps]</h2>" in guide
    formulas = [page.file for page in pages() if "formula" in anchors(page.file).values()]
    assert guide.count('<section class="formula">') == len(formulas)
