"""Studies to save, open and damage."""

from __future__ import annotations

import numpy as np
from designs import classic_study

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Identity, Uniform
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.study.study import PriorChoice, Study


def make_study(title: str = "small", rows: int = 6, seed: int = 1) -> Study:
    """A study of every kind of attribute, with a design and a drawn distribution."""
    source = np.random.default_rng(seed)
    attributes = {
        Attribute("sex", Kind.BINARY, ("F", "M")): source.integers(0, 2, rows),
        Attribute("town", Kind.NOMINAL, ("Riverside", "Łódź", "=1+1")): source.integers(0, 3, rows),
        Attribute("mood", Kind.ORDINAL, tuple("12345")): source.integers(-1, 5, rows),
        Attribute("age", Kind.INTEGER, domain=(18, 90)): source.integers(18, 91, rows),
        Attribute("income", Kind.CONTINUOUS, domain=(0, 9)): source.random(rows) * 9,
    }
    columns = tuple(Column(attribute, data) for attribute, data in attributes.items())
    table = Table(columns, "sex", notes=("The separator is a comma.",))
    study = classic_study(table, title)
    study = study.with_perturbations({"town": Uniform(keep=0.55)})
    return study.with_choice("town", PriorChoice("drawn", (3.0, 2.0, 1.0)))


def listed_study() -> Study:
    """True answers, of which one is to be asked by a list."""
    smokes, theft, bicycle, dog = (
        Attribute(name, Kind.BINARY, ("no", "yes"))
        for name in ("smokes", "theft", "owns a bicycle", "has a dog")
    )
    arms = Arms("version", (DesignArm("short", 0.5), DesignArm("long", 0.5)))
    listed = ListQuestion(theft, "thefts", (bicycle.name, dog.name), ("short",), ("long",))
    version = Attribute("version", Kind.NOMINAL, ("short", "long"))
    design = Design(
        (
            DesignedAttribute(smokes, Uniform(keep=0.75)),
            DesignedAttribute(version, Identity()),
            DesignedAttribute(listed.count_attribute, Identity()),
        ),
        arms=arms,
        lists=(listed,),
    )
    source = np.random.default_rng(3)
    columns = (Column(one, source.integers(0, 2, 300)) for one in (smokes, theft, bicycle, dog))
    return Study("Listed", Table(tuple(columns)), design=design)


def noisy_study() -> Study:
    """Two numbers under additive noise."""
    draw = np.random.default_rng(4)
    base = draw.normal(50, 10, 300)
    columns = [
        Column(
            Attribute(name, Kind.CONTINUOUS, domain=(0.0, 100.0)),
            np.clip(base + draw.normal(0, 3, 300), 0, 100),
        )
        for name in ("first", "second")
    ]
    study = classic_study(Table(tuple(columns)), "noisy")
    noise = Additive("normal", sigma=8.0)
    return study.with_perturbations({"first": noise, "second": noise})


def _document(study: Study) -> object:
    """The questionnaire as it is saved, with the short names that it would get."""
    return None if study.questionnaire is None else study.questionnaire.to_json()


def same(one: Study, other: Study) -> bool:
    """Whether two studies say the same."""

    def equal(a: Table | None, b: Table | None) -> bool:
        if a is None or b is None:
            return a is b
        return a.equals(b) and a.notes == b.notes

    return (
        one.title == other.title
        and equal(one.original, other.original)
        and equal(one.distorted, other.distorted)
        and one.design == other.design
        and one.settings == other.settings
        and dict(one.choices) == dict(other.choices)
        and _document(one) == _document(other)
        and dict(one.results) == dict(other.results)
    )
