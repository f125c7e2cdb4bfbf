"""Every "?" leads somewhere, everything registered is explained, and no link is dead."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

import ppworkbench.core.privacy
from ppworkbench.analyses.survey.questions import statistics
from ppworkbench.core.attacks import attacks
from ppworkbench.core.privacy.assess import assess
from ppworkbench.gui.help_window import _PAGES
from ppworkbench.gui.keys import show_help_here
from ppworkbench.gui.pages.design import DesignPage
from ppworkbench.gui.widgets.card import ReadoutCard
from ppworkbench.gui.window.shell import PAGES, START
from ppworkbench.gui.workbench import Workbench
from ppworkbench.outputs.help.page import pages, without_code
from ppworkbench.outputs.help.topic import find_link, find_topic, slug, topic_about, topics
from ppworkbench.study.study import Study

ROOT = Path(__file__).resolve().parents[3]

ASKS = re.compile(r"help_requested|show_help|show_topic|find_topic|ReadoutCard|topics? =|key_about")
"""What a source holds that may name a topic; parsing all others would take seconds."""


@cache
def asked_topics() -> tuple[tuple[str, str], ...]:
    """Every topic that the sources of the window name, with the file that does."""
    found = set()
    for path in sorted((ROOT / "ppworkbench" / "gui").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if ASKS.search(source):
            nodes = ast.walk(ast.parse(source))
            found |= {(text, path.name) for node in nodes for text in _named(node)}
    return tuple(sorted(found))


def _named(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call):
        called = ast.unparse(node.func)
        if called.endswith(("help_requested.emit", "show_help", "show_topic", "find_topic")):
            yield from _texts(node.args[:1])
        elif called == "key_about":
            yield from _texts(node.args[2:])
        elif called.endswith("ReadoutCard"):
            yield from _texts(node.args[1:])
    elif isinstance(node, ast.Assign):
        named = [ast.unparse(target).rpartition(".")[2] for target in node.targets]
        if any(name in ("topic", "topics") for name in named):
            yield from _texts([node.value])


def _texts(nodes: list[ast.expr]) -> Iterator[str]:
    for node in nodes:
        listed = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
        for one in listed:
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                yield one.value


# What the window asks for


@pytest.mark.slow
def test_that_the_search_of_the_sources_finds_known_topics() -> None:
    found = {topic for topic, _ in asked_topics()}
    assert {"loop-effect", "epsilon", "range-privacy", "needed-respondents"} <= found


def test_that_every_topic_which_the_window_names_exists() -> None:
    # One test: to find their names while tests are collected would hold up every process.
    assert [asked for asked in asked_topics() if find_topic(asked[0]) is None] == []


@pytest.mark.parametrize("page", [START.name, *(page.name for page in PAGES)])
def test_that_every_page_has_a_page_of_help(page: str) -> None:
    found = find_topic(_PAGES.get(page, page))
    assert found is not None
    assert found.is_page


@pytest.mark.slow
def test_that_every_card_of_the_design_page_leads_to_its_measure(
    workbench: Workbench, open_city: Study, qtbot: QtBot
) -> None:
    page = DesignPage(workbench)
    qtbot.addWidget(page)
    asked: list[str] = []
    workbench.help_requested.connect(asked.append)
    for name in open_city.design.names:
        workbench.store.select([name])
        page.refresh()
        for card in page.findChildren(ReadoutCard):
            card.help_requested.emit(card.topic)
    assert len(set(asked)) >= 7
    for topic in set(asked):
        found = find_topic(topic)
        assert found is not None, topic
        assert found.group in ("Privacy measures", "Utility measures"), topic
        assert found.is_page
    qtbot.waitUntil(lambda: workbench.jobs.is_idle)


def privacy_labels() -> set[str]:
    """What the modules of privacy measures call their readings."""
    found = set()
    for module in pkgutil.walk_packages(
        ppworkbench.core.privacy.__path__, "ppworkbench.core.privacy."
    ):
        held = vars(importlib.import_module(module.name))
        found |= {v for k, v in held.items() if k.endswith("LABEL") and isinstance(v, str)}
    return found


# What must be explained


@pytest.mark.parametrize("label", sorted(privacy_labels()))
def test_that_every_privacy_measure_has_a_topic_of_its_name(label: str) -> None:
    found = find_topic(slug(label))
    assert found is not None
    assert slug(found.title) == slug(label)
    assert found.group == "Privacy measures"


def test_that_every_reading_of_a_design_has_a_topic(city_study: Study) -> None:
    report = assess(city_study.design)
    readings = [*report.readings]
    for one in report.attributes:
        readings += [*one.privacy, *one.utility.readings]
    for label in {reading.label for reading in readings}:
        found = find_topic(slug(label))
        assert found is not None, label
        assert slug(found.title) == slug(label)
        assert found.group in ("Privacy measures", "Utility measures"), label


# The texts themselves


def test_that_no_two_topics_share_a_key() -> None:
    keys = [topic.key for topic in topics()]
    assert {key for key in keys if keys.count(key) > 1} == set()


def test_that_a_short_key_finds_the_measure_and_not_a_heading_that_holds_the_word() -> None:
    for key, group in (("epsilon", "privacy-measures"), ("information-loss", "utility-measures")):
        found = find_topic(key)
        assert found is not None
        assert found.file == f"{group}/{key}"


def test_that_a_dead_link_is_noticed() -> None:
    assert find_link("mechanisms.md#no-such-heading", "samples") is None
    assert find_link("no-such-page.md", "samples") is None


def test_that_a_page_begins_with_its_only_title() -> None:
    for page in pages():
        assert page.text.startswith("# "), page.file
        assert len(re.findall(r"^# ", without_code(page.text), re.MULTILINE)) == 1, page.file


# What a page asks for while it is used


def test_that_the_attacks_and_statistics_of_the_window_have_pages() -> None:
    for key in attacks.names:
        assert topic_about("attack", key) is not None, key
    for key in list(statistics):
        assert topic_about("statistic", key) is not None, key


def test_that_the_mechanism_of_an_attribute_has_its_help(
    workbench: Workbench, open_city: Study, qtbot: QtBot
) -> None:
    asked: list[str] = []
    workbench.help_requested.connect(asked.append)
    page = DesignPage(workbench)
    qtbot.addWidget(page)
    workbench.store.select(["district"])
    page.words.help.click()
    page.matrix.segments.set_current("devices")
    page.words.help.click()
    workbench.store.select(["income"])
    page.words.help.click()
    show_help_here(page.noise.segments, asked.append, "design")
    assert asked == ["uniform", "related-question-warner", "additive-noise", "additive-noise"]
    qtbot.waitUntil(lambda: workbench.jobs.is_idle)
