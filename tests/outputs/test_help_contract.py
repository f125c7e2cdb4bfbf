"""Everything that the program can do has a page in the help, and every page is complete."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

import ppworkbench.core
from ppworkbench.analyses.survey.questions import statistics
from ppworkbench.core.attacks import attacks
from ppworkbench.core.classify.classifier import classifiers
from ppworkbench.core.classify.pattern_items import ESTIMATES
from ppworkbench.core.classify.tree.params import RECONSTRUCTIONS
from ppworkbench.core.design import Additive, Multiplicative, perturbations
from ppworkbench.core.design.presets import presets
from ppworkbench.core.experiment import results
from ppworkbench.core.files import resource
from ppworkbench.core.itemsets.items import ItemOptions
from ppworkbench.core.mining.miner import miners
from ppworkbench.core.params import declarations
from ppworkbench.core.privacy.optimiser import FAMILIES
from ppworkbench.core.privacy.utility.goal_seek import MEASURES
from ppworkbench.core.privacy.utility.noncompliance import BEHAVIOURS
from ppworkbench.core.publish.accuracy_curve import learners
from ppworkbench.core.publish.options import MANNERS
from ppworkbench.core.publish.ratings import distances
from ppworkbench.core.reconstruct import estimators
from ppworkbench.core.reconstruct.stopping import StopRule
from ppworkbench.core.registry import Registry
from ppworkbench.core.survey.estimates import methods
from ppworkbench.core.survey.participants import draws
from ppworkbench.outputs.help.page import GROUPS, LINK, HelpPage, pages
from ppworkbench.outputs.help.topic import find_link, find_topic, slug, topic_about

CORE = Path(ppworkbench.core.__file__).parent

SECTIONS = ("In plain words", "Formula", "When to use", "Limits", "Reference")
"""What every page about a mechanism, a measure or an algorithm tells."""

EXPLAINED: dict[str, Registry] = {
    "perturbation": perturbations,
    "named design": presets,
    "algorithm": estimators,
    "mining method": miners,
    "classifier": classifiers,
    "survey method": methods,
    "draw": draws,
    "distance": distances,
    "learner": learners,
    "attack": attacks,
}
NOT_EXPLAINED = {"format", "sample"}
"""Registries whose members have no page each: their overviews tell of them."""


def options_of(params: type, field: str) -> tuple[str, ...]:
    declared = next(one for one in declarations(params) if one.name == field)
    assert declared.choices
    return declared.choices


@cache
def measures() -> tuple[str, ...]:
    """The names of all readings that the core makes, found in its sources."""
    sources = [path.read_text(encoding="utf-8") for path in (CORE / "privacy").rglob("*.py")]
    made = sum(len(re.findall(r"\bReading\(\n? *\S", source)) for source in sources)
    named = [name for source in sources for name in re.findall(r'\bReading\(\s*"(\w+)"', source)]
    assert made == len(named), "a reading whose name is no plain text"
    return tuple(sorted(set(named)))


def registered() -> Iterator[tuple[str, str]]:
    """Everything that must have a page, as family and name."""
    listed: dict[str, Iterable[str]] = {
        family: registry.names for family, registry in EXPLAINED.items()
    }
    listed |= {
        "measure": measures(),
        "stop": [rule.name for rule in StopRule.__subclasses__()],
        "metric": ("accuracy", *results.MEASURES),
        "pattern estimate": ESTIMATES,
        "tree reconstruction": RECONSTRUCTIONS,
        "behaviour": BEHAVIOURS,
        "manner": MANNERS,
        "optimiser family": FAMILIES,
        "transform": options_of(ItemOptions, "transform"),
        "noise": options_of(Additive, "noise"),
        "factor": options_of(Multiplicative, "noise"),
        "integer rule": options_of(Additive, "integer"),
        "statistic": list(statistics),
        "assignment": ("values", "numbers"),
        "mining error": ("support_error", "false_negative", "false_positive", "f1"),
    }
    for family, names in listed.items():
        for name in names:
            yield family, name


@pytest.mark.parametrize(("family", "name"), list(registered()))
def test_that_what_is_registered_has_a_page_with_every_section(family: str, name: str) -> None:
    found = topic_about(family, name)
    assert found is not None, f"no page in resources/help is about {family} {name}"
    page = page_of(found.file)
    assert [title for title in SECTIONS if not page.section(title)] == []


@pytest.mark.parametrize("name", MEASURES)
def test_that_what_can_be_aimed_at_has_a_page(name: str) -> None:
    assert topic_about("measure", name) or topic_about("goal", name)


def test_that_every_registry_is_explained_or_known_not_to_be() -> None:
    families = {
        family
        for path in CORE.rglob("*.py")
        if path.name != "registry.py" or path.parent != CORE
        for family in re.findall(r'\bRegistry\("([^"]+)"\)', path.read_text(encoding="utf-8"))
    }
    assert families == {one.family for one in EXPLAINED.values()} | NOT_EXPLAINED


def test_that_no_page_is_about_something_that_does_not_exist() -> None:
    known = {f"{family} {name}" for family, name in registered()}
    known |= {f"goal {name}" for name in MEASURES}
    own = ("option ", "group ", "rule ", "method ", "publish ")
    told = [about for page in pages() for about in page.about if not about.startswith(own)]
    assert [about for about in told if about not in known] == []
    assert len(told) == len(set(told))


def page_of(file: str) -> HelpPage:
    return next(page for page in pages() if page.file == file)


PAGES = [pytest.param(page, id=page.file) for page in pages()]


@pytest.mark.parametrize("page", PAGES)
def test_that_a_page_is_whole(page: HelpPage) -> None:
    assert page.text.startswith(f"# {page.title}") or "`" in page.text.partition("\n")[0]
    assert bool(page.about) == ("/" in page.file), "pages in folders say what they are about"
    if page.about:
        assert [title for title in SECTIONS if not page.section(title)] == []
    for _, link in LINK.findall(page.text):
        assert find_link(link, page.file) is not None, link
    assert find_topic(page.key) is not None
    assert find_topic(page.key).file == page.file


def test_that_no_page_is_out_of_reach() -> None:
    """Every file belongs to a chapter, and every page of a folder is linked from its overview."""
    root = resource("help")
    files = {path.relative_to(root).with_suffix("").as_posix() for path in root.rglob("*.md")}
    languages = {path.name for path in root.iterdir() if len(path.name) == 2}
    files = {file for file in files if file.partition("/")[0] not in languages}
    assert files == {page.file for page in pages()}
    assert len({page.key for page in pages()}) == len(files)
    overviews = [file for group in GROUPS for file in group.files]
    assert [file for file in files if "/" not in file and file not in overviews] == []
    for page in pages():
        folder, _, _ = page.file.rpartition("/")
        if folder:
            links = [link for _, link in LINK.findall(page_of(folder).text)]
            assert f"{page.file}.md" in links, page.file


def test_that_pages_are_called_as_the_program_calls_what_they_are_about() -> None:
    for name in perturbations.names:
        found = topic_about("perturbation", name)
        assert found is not None
        told = set(slug(perturbations.entry(name).label).split("-"))
        assert told <= set(slug(found.title).split("-")), name


@pytest.mark.parametrize("name", presets.names)
def test_that_a_named_design_has_its_author_as_reference(name: str) -> None:
    found = topic_about("named design", name)
    assert found is not None
    author = presets[name].reference.split()[0].rstrip(",")
    assert author in page_of(found.file).section("Reference")


@pytest.mark.parametrize("name", estimators.names)
def test_that_an_algorithm_is_the_key_of_its_page(name: str) -> None:
    found = topic_about("algorithm", name)
    assert found is not None
    assert found.key == name


@pytest.mark.parametrize("name", classifiers.names)
def test_that_a_classifier_knows_its_page(name: str) -> None:
    found = topic_about("classifier", name)
    assert found is not None
    assert classifiers[name].help_topic == found.key


@pytest.mark.parametrize("folder", ["help", "help/pl"])
@pytest.mark.parametrize("name", ["iris", "wine", "breast"])
def test_that_lazy_patterns_have_one_figure_for_their_default_on_the_page_of_results(folder, name):
    page = resource(*folder.split("/"), "classification-results.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in page.replace(",", ".").splitlines()
        if line.startswith("|")
    ]
    columns = next(row for row in rows if "lazy-ep" in row)
    each = [
        row[columns.index("lazy-ep")]
        for row in rows
        if len(row) == len(columns) and row[0] == name and row[1].endswith("%")
    ]
    own = next(row[2] for row in rows if row[0].endswith(f"JEP: {name}"))
    intervals = next(row[2] for row in rows if row[0] == name and len(row) == 5)
    assert " / ".join(each) == own == intervals
