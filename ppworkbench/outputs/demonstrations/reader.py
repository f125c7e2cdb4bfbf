"""Reading demonstration files, described in ``resources/help/learn-page.md``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ppworkbench.core.data.attribute import QUESTION_KINDS, Attribute, Kind
from ppworkbench.core.design import Perturbation
from ppworkbench.core.design.budget import EQUAL, RULES, DesignBudget
from ppworkbench.core.design.perturbation import read_perturbation
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.outputs.demonstrations.calculations import calculations
from ppworkbench.outputs.demonstrations.catalogue import Section, head_of, read_text, top_section
from ppworkbench.outputs.demonstrations.demonstration import (
    PAGES,
    DataSource,
    Demonstration,
    Figure,
    Look,
    MixtureComponent,
    OwnAttribute,
    OwnData,
    SampleData,
    Setup,
    Step,
    Try,
)
from ppworkbench.study.study import StudySettings

MOST_LOOKS = 4
_MOST_PEOPLE = 1_000_000
_TOP = ("format", "version", "title", "line", "minutes", "sources", "data", "step")
_SETUP = (
    "data", "page", "attribute", "design", "budget", "expected", "settings", "controls", "do",
)  # fmt: skip
_STEP = ("title", "text", *_SETUP, "look", "try", "figure")
_NAMED = re.compile(r"\{([^{}]*)\}")


def read_demonstration(path: Path) -> Demonstration:
    """Read a demonstration; a mistake is a DataError of one sentence with file and step."""
    top = top_section(read_text(path), path)
    top.only(*_TOP)
    head = head_of(top)
    steps = tuple(_step(section) for section in top.sections("step", "step"))
    if not steps:
        raise top.saying("it has no step; write [[step]] and what it shows.", "step")
    data = _data(top.section("data", Message("the data")))
    if data is not None:
        first = Setup(**{**vars(steps[0].setup), "data": steps[0].setup.data or data})
        steps = (Step(**{**vars(steps[0]), "setup": first}), *steps[1:])
    if steps[0].setup.data is None:
        raise top.saying("it has no data; write [data] and a sample or attributes.", "data")
    if not steps[0].setup.page:
        raise top.saying("step 1 needs a page.", "page")
    return Demonstration(
        head.file, head.title, head.line, head.minutes, steps, top.texts("sources")
    )


def _step(section: Section) -> Step:
    section.only(*_STEP)
    figures = tuple(_figure(one) for one in section.sections("figure", "figure"))
    looks = tuple(_look(one) for one in section.sections("look", "look"))
    if len(looks) > MOST_LOOKS:
        raise section.saying(
            "{count} places to point at are too many; use at most {most_looks}.",
            count=len(looks),
            most_looks=MOST_LOOKS,
        )
    tries = tuple(_try(one) for one in section.sections("try", "try"))
    step = Step(section.text("title"), section.text("text"), _setup(section), looks, tries, figures)
    names = [figure.name for figure in figures]
    for name in names:
        if names.count(name) > 1:
            raise section.saying("two figures are called {name!r}; rename one.", name=name)
    for name in _NAMED.findall(step.text + "".join(look.text for look in looks)):
        if name not in names:
            raise section.saying(
                "the text uses {{{name}}}, but there is no such figure.", name=name
            )
    return step


def _setup(section: Section) -> Setup:
    return Setup(
        data=_data(section.section("data", Message("the data"))),
        page=section.one_of("page", PAGES),
        attribute=section.text("attribute", ""),
        design=_design(section),
        budget=_budget(section.section("budget", Message("the budget"))),
        expected=_expected(section),
        settings=_settings(section),
        controls=_controls(section),
        action=section.text("do", ""),
    )


def _try(section: Section) -> Try:
    section.only("label", *_SETUP)
    return Try(section.text("label"), _setup(section))


def _look(section: Section) -> Look:
    section.only("at", "text", "x", "y")
    look = Look(
        section.text("at"), section.text("text"), section.number("x", 0.5), section.number("y", 0.0)
    )
    if not (0 <= look.x <= 1 and 0 <= look.y <= 1):
        raise section.saying("'x' and 'y' are shares of the widget's size, from 0 to 1.")
    return look


def _figure(section: Section) -> Figure:
    section.only(
        "name", "label", "calculate", "with", "published", "source", "digits", "unit",
    )  # fmt: skip
    try:
        calculation = calculations[section.text("calculate")].from_json(section.table("with"))
    except WorkbenchError as error:
        raise section.attempt(error) from None
    published = section.number("published") if "published" in section else None
    if published is not None and not section.text("source", ""):
        raise section.saying("a published figure needs its 'source'.", "source")
    if published is not None and not section.text("label", ""):
        raise section.saying("a published figure needs a 'label'.", "label")
    return Figure(
        section.text("name"),
        calculation,
        section.text("label", ""),
        published,
        section.text("source", ""),
        section.whole("digits", 3),
        section.text("unit", ""),
    )


def _design(section: Section) -> Mapping[str, Perturbation]:
    found: dict[str, Perturbation] = {}
    for name, given in section.table("design").items():
        if not isinstance(given, dict):
            raise section.saying(
                "the design of {name!r} must be {{type = …}}.", "design", name=name
            )
        try:
            found[name] = read_perturbation(given, name)
        except WorkbenchError as error:
            raise section.attempt(error) from None
    return found


def _budget(section: Section | None) -> DesignBudget | None:
    if section is None:
        return None
    section.only("total", "rule", "ask")
    ask = section.whole("ask", low=1) if "ask" in section else None
    try:
        return DesignBudget(section.number("total"), section.one_of("rule", RULES, EQUAL), ask=ask)
    except WorkbenchError as error:
        raise section.attempt(error) from None


def _expected(section: Section) -> Mapping[str, tuple[float, ...]]:
    given = section.section("expected", Message("the expected answers"))
    if given is None:
        return {}
    found = {name: given.numbers(name) for name in section.table("expected")}
    for name, weights in found.items():
        if not weights or min(weights) < 0 or sum(weights) <= 0:
            raise given.saying(
                "{name!r} needs weights that are not negative, one per value.", name, name=name
            )
    return found


def _settings(section: Section) -> Mapping[str, Any]:
    given = section.table("settings")
    try:
        StudySettings.from_json(given)
    except WorkbenchError as error:
        raise section.attempt(error) from None
    return given


def _controls(section: Section) -> Mapping[str, bool | int | float | str]:
    given = section.table("controls")
    for name, value in given.items():
        if not isinstance(value, bool | int | float | str):
            raise section.saying(
                "the control {name!r} must be set to a text, a number, true or false.",
                name,
                name=name,
            )
    return given


def _data(section: Section | None) -> DataSource | None:
    if section is None:
        return None
    if "sample" in section:
        section.only("sample", "sizes", "seed")
        seed = section.whole("seed") if "seed" in section else None
        return _checked_sample(
            section, SampleData(section.text("sample"), section.table("sizes"), seed)
        )
    section.only("people", "seed", "attribute", "reported")
    attributes = tuple(_attribute(one) for one in section.sections("attribute", "attribute"))
    if not attributes:
        raise section.saying("name a 'sample', or write [[data.attribute]] for a table of its own.")
    names = [one.attribute.name for one in attributes]
    if len(set(names)) < len(names):
        raise section.saying("two attributes have the same name.")
    usual = max((round(sum(one.counts)) for one in attributes), default=0) or 1_000
    people = section.whole("people", usual, 1)
    if people > _MOST_PEOPLE:
        raise section.saying(
            "{people:,} respondents are too many; use at most {most_people:,}.",
            "people",
            people=people,
            most_people=_MOST_PEOPLE,
        )
    _check_split(section, attributes)
    return OwnData(
        people, attributes, section.whole("seed", 1), section.flag("reported", default=False)
    )


def _check_split(section: Section, attributes: tuple[OwnAttribute, ...]) -> None:
    """Refuse counts by an attribute that is not there, or without some of its values."""
    known = {one.attribute.name: one for one in attributes}
    for one in attributes:
        if not one.by:
            continue
        other = known.get(one.by)
        values = () if other is None or other.by else other.attribute.values
        listed = tuple(value for value, _ in one.counts_by)
        if not values or set(listed) != set(values):
            raise section.saying(
                "{name!r} needs the field 'counts_by' for every value of another attribute.",
                name=one.attribute.name,
            )


def _checked_sample(section: Section, data: SampleData) -> SampleData:
    from ppworkbench.core.data.generators.quest import QuestParams
    from ppworkbench.core.data.samples import samples

    try:
        if not QuestParams.names(data.sample):
            samples[data.sample].sizes.from_json(data.sizes)
    except WorkbenchError as error:
        raise section.attempt(error) from None
    return data


def _attribute(section: Section) -> OwnAttribute:
    section.only(
        "name", "kind", "label", "title", "unit", "values", "counts", "domain", "humps", "by",
        "counts_by",
    )  # fmt: skip
    name = section.text("name")
    kind = Kind(section.one_of("kind", QUESTION_KINDS, Kind.NOMINAL))
    values, counts, domain = (
        section.texts("values"),
        section.numbers("counts"),
        section.numbers("domain"),
    )
    humps = tuple(_hump(one) for one in section.sections("humps", "hump"))
    if kind.is_categorical:
        if len(counts) != len(values) or not values or min(counts) < 0 or sum(counts) <= 0:
            raise section.saying(
                "{name!r} needs 'values' and as many 'counts', not negative.", name=name
            )
    elif len(domain) != 2 or not humps:
        raise section.saying("{name!r} needs a 'domain' of two numbers and 'humps'.", name=name)
    try:
        made = Attribute(
            name,
            kind,
            values if kind.is_categorical else (),
            (domain[0], domain[1]) if kind.is_numeric else None,
            label=section.text("label", ""),
            title=section.text("title", ""),
            unit=section.text("unit", ""),
        )
    except WorkbenchError as error:
        raise section.attempt(error) from None
    split = section.section("counts_by", Message("the counts by another attribute"))
    by = section.text("by", "")
    if split is None or not by:
        return OwnAttribute(made, counts if kind.is_categorical else (), humps)
    counts_by = tuple((value, split.numbers(value)) for value in section.table("counts_by"))
    for value, given in counts_by:
        if len(given) != len(values) or min(given) < 0 or sum(given) <= 0:
            raise split.saying(
                "{name!r} needs as many counts as values, not negative.", value, name=name
            )
    return OwnAttribute(made, counts, humps, by, counts_by)


def _hump(section: Section) -> MixtureComponent:
    section.only("share", "mean", "sd")
    hump = MixtureComponent(section.number("share"), section.number("mean"), section.number("sd"))
    if hump.share <= 0 or hump.sd <= 0:
        raise section.saying("'share' and 'sd' must be above 0.")
    return hump
