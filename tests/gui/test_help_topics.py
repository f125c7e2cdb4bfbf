"""Every "?" leads somewhere, everything registered is explained, and no link is dead."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from pytestqt.qtbot import QtBot

import ppworkbench.core.privacy
from ppworkbench.core.design import perturbations
from ppworkbench.core.design.presets import presets
from ppworkbench.core.privacy.assess import assess
from ppworkbench.core.reconstruct import estimators
from ppworkbench.gui.help_topics import find_link, find_topic, search, slug, topics
from ppworkbench.gui.help_viewer import _PAGES, HelpViewer
from ppworkbench.gui.page_list import PAGES, START
from ppworkbench.gui.pages.design import DesignPage
from ppworkbench.gui.widgets.readout_card import ReadoutCard
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import Study

ROOT = Path(__file__).resolve().parents[2]
HELP = ROOT / "resources" / "help"
LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")


# What the window asks for


def asked_topics() -> Iterator[tuple[str, str]]:
    """Every topic that the sources of the window name, with the file that does."""
    for path in sorted((ROOT / "ppworkbench" / "gui").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for text in _named(node):
                yield text, path.name


def _named(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call):
        called = ast.unparse(node.func)
        if called.endswith(("help_requested.emit", "show_help", "show_topic", "find_topic")):
            yield from _texts(node.args[:1])
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


def test_that_the_search_of_the_sources_finds_known_topics() -> None:
    found = {topic for topic, _ in asked_topics()}
    assert {"loop-effect", "epsilon", "range-privacy", "needed-respondents"} <= found


@pytest.mark.parametrize(("topic", "source"), sorted(set(asked_topics())))
def test_that_a_topic_which_the_window_names_exists(topic: str, source: str) -> None:
    assert find_topic(topic) is not None, f"{source} asks for {topic!r}"


@pytest.mark.parametrize("page", [START.name, *(page.name for page in PAGES)])
def test_that_every_page_has_a_page_of_help(page: str) -> None:
    found = find_topic(_PAGES.get(page, page))
    assert found is not None
    assert found.is_page


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
        assert found.file in ("privacy-measures", "utility-measures"), topic
    qtbot.waitUntil(lambda: workbench.jobs.is_idle, timeout=30_000)


# What must be explained


@pytest.mark.parametrize("name", perturbations.names)
def test_that_every_perturbation_has_a_topic(name: str) -> None:
    found = find_topic(perturbations.entry(name).label)
    assert found is not None
    assert found.file == "mechanisms"


@pytest.mark.parametrize("name", presets.names)
def test_that_every_named_design_has_a_topic_with_its_reference(name: str) -> None:
    words = set(name.split("-"))
    found = [t for t in topics() if t.file == "named-designs" and words <= set(t.key.split("-"))]
    assert found
    author = presets[name].reference.split()[0].rstrip(",")
    assert any(author in one.text or "**Reference.** As for" in one.text for one in found)


@pytest.mark.parametrize("name", estimators.names)
def test_that_every_estimator_has_a_topic(name: str) -> None:
    found = find_topic(name)
    assert found is not None
    assert (found.key, found.file) == (name, "reconstruction")


def privacy_labels() -> set[str]:
    """What the modules of privacy measures call their readings."""
    found = set()
    for module in pkgutil.walk_packages(
        ppworkbench.core.privacy.__path__, "ppworkbench.core.privacy."
    ):
        held = vars(importlib.import_module(module.name))
        found |= {v for k, v in held.items() if k.endswith("LABEL") and isinstance(v, str)}
    return found


@pytest.mark.parametrize("label", sorted(privacy_labels()))
def test_that_every_privacy_measure_has_a_topic_of_its_name(label: str) -> None:
    found = find_topic(slug(label))
    assert found is not None
    assert (found.key, found.file) == (slug(label), "privacy-measures")


def test_that_every_reading_of_a_design_has_a_topic(city_study: Study) -> None:
    report = assess(city_study.design)
    readings = [*report.readings]
    for one in report.attributes:
        readings += [*one.privacy, *one.utility.readings]
    for label in {reading.label for reading in readings}:
        found = find_topic(slug(label))
        assert found is not None, label
        assert found.file in ("privacy-measures", "utility-measures"), label


# The texts themselves


def test_that_no_two_topics_share_a_key() -> None:
    keys = [topic.key for topic in topics() if topic.key != "references"]
    assert {key for key in keys if keys.count(key) > 1} == set()


def test_that_a_short_key_finds_the_measure_and_not_a_heading_that_holds_the_word() -> None:
    for key, file in (("epsilon", "privacy-measures"), ("information-loss", "utility-measures")):
        found = find_topic(key)
        assert found is not None
        assert found.file == file


PAGES_OF_HELP = sorted(HELP.glob("*.md"))


@pytest.mark.parametrize("path", PAGES_OF_HELP, ids=[path.stem for path in PAGES_OF_HELP])
def test_that_every_link_of_a_page_resolves(path: Path) -> None:
    for link in LINK.findall(path.read_text(encoding="utf-8")):
        assert find_link(link, path.stem) is not None, link


def test_that_a_dead_link_is_noticed() -> None:
    assert find_link("mechanisms.md#no-such-heading", "samples") is None
    assert find_link("no-such-page.md", "samples") is None


@pytest.mark.parametrize("path", PAGES_OF_HELP, ids=[path.stem for path in PAGES_OF_HELP])
def test_that_a_page_begins_with_its_title_and_has_no_stray_headings(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert len(re.findall(r"^# ", text, re.MULTILINE)) == 1
    # Inside of code a line that begins with # would become a topic.
    for block in re.findall(r"^```.*?^```$", text, re.MULTILINE | re.DOTALL):
        assert not re.search(r"^#{1,3}\s", block, re.MULTILINE)


# The viewer


@pytest.fixture
def viewer(workbench: Workbench, qtbot: QtBot) -> HelpViewer:
    """The help window."""
    made = HelpViewer(workbench)
    qtbot.addWidget(made)
    return made


def test_that_the_viewer_shows_and_marks_a_topic(viewer: HelpViewer) -> None:
    viewer.show_topic("loop-effect")
    assert "ring" in viewer.browser.toPlainText()
    chosen = viewer.list.currentItem()
    assert chosen is not None
    assert chosen.data(Qt.ItemDataRole.UserRole).key == "loop-effect"


def test_that_a_link_in_the_viewer_leads_to_its_topic(viewer: HelpViewer) -> None:
    viewer.show_topic("design")
    viewer.browser.anchorClicked.emit(QUrl("mechanisms.md#groups"))
    assert viewer.browser.toPlainText().startswith("Groups")
    viewer.browser.anchorClicked.emit(QUrl("no-such-page.md"))
    assert viewer.browser.toPlainText().startswith("Groups")


def test_that_searching_lists_topics_with_the_words_and_titles_first(viewer: HelpViewer) -> None:
    viewer.field.setText("loop")
    assert viewer.list.count() == len(search("loop")) > 0
    first = viewer.list.item(0)
    assert first is not None
    assert "loop" in first.text().lower()
    viewer.field.setText("qwertyuiop")
    assert viewer.list.count() == 0
