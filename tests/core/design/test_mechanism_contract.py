"""What every mechanism answers, a new one as well, and that nobody asks for its class."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from designs import AGE, COLOURS, LIKERT, SALARY, YES_NO
from new_mechanisms import NEW, Dice, registered

import ppworkbench
from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Custom,
    Design,
    DesignedAttribute,
    MatrixPerturbation,
    NoisePerturbation,
    Perturbation,
    Uniform,
    perturbations,
)
from ppworkbench.core.design.design_file import design_from_json, design_to_json, publishable
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import DesignError
from ppworkbench.core.privacy.assess import assess
from ppworkbench.core.reconstruct import reconstruct
from ppworkbench.core.rng import SeededStreams
from ppworkbench.fieldwork.page.explain import Explainer
from ppworkbench.fieldwork.page.page import mechanism_of
from ppworkbench.outputs.report.study_sections import undo_section

PACKAGE = Path(ppworkbench.__file__).parent
DESIGN = PACKAGE / "core" / "design"
ATTRIBUTES = (YES_NO, COLOURS, LIKERT, AGE, SALARY)
MECHANISMS = (*(entry.item for entry in perturbations), *NEW)
CASES = [
    pytest.param(kind, attribute, id=f"{kind.type_name}-{attribute.name}")
    for kind in MECHANISMS
    for attribute in ATTRIBUTES
    if attribute.kind in kind.kinds and not kind.why_not(attribute)
]
JUDGED = [
    pytest.param(
        *case.values, id=case.id, marks=() if case.values[0] not in before else pytest.mark.slow
    )
    for place, case in enumerate(CASES)
    for before in [{other.values[0] for other in CASES[:place]}]
]
"""Every mechanism for one attribute in every run, and for all of them in the sweeps."""
PEOPLE = 400


@pytest.fixture(autouse=True)
def new_mechanisms() -> Iterator[None]:
    with registered():
        yield


def answers(attribute: Attribute) -> Table:
    draw = np.random.default_rng(5)
    if attribute.kind.is_categorical:
        codes = draw.integers(0, attribute.k, PEOPLE).astype(np.int8)
        codes[:3] = -1
        return Table((Column(attribute, codes),))
    low, high = attribute.domain or (0.0, 1.0)
    numbers = np.rint(draw.uniform(low, high, PEOPLE))
    numbers[:3] = np.nan
    return Table((Column(attribute, numbers),))


def designed(kind: type[Perturbation], attribute: Attribute) -> Design:
    before = None
    if attribute.kind.is_categorical:
        before = Uniform(keep=0.7).matrix(attribute.k)
    return Design((DesignedAttribute(attribute, kind.start(attribute, before)),))


@pytest.mark.parametrize(("kind", "attribute"), CASES)
def test_that_a_mechanism_begins_as_itself_and_survives_a_file(kind, attribute):
    design = designed(kind, attribute)
    perturbation = design[attribute.name].perturbation
    assert type(perturbation) is kind
    assert perturbations[kind.type_name] is kind
    assert perturbation.summary()
    assert perturbation.how_to_undo()
    assert design_from_json(json.loads(json.dumps(design_to_json(design)))) == design


@pytest.mark.parametrize(("kind", "attribute"), CASES)
def test_that_missing_answers_stay_missing_and_the_column_is_as_announced(kind, attribute):
    design, table = designed(kind, attribute), answers(attribute)
    column = distort(table, design, SeededStreams(1))[attribute.name]
    assert column.attribute.kind is design[attribute.name].distorted.kind
    assert column.missing[:3].all()
    assert column.missing_count == 3


@pytest.mark.parametrize(("kind", "attribute"), CASES)
def test_that_published_answers_come_as_often_as_the_channel_says(kind, attribute):
    perturbation = designed(kind, attribute)[attribute.name].perturbation
    stream = SeededStreams(2).stream(attribute.name)
    n = 20_000
    if perturbation.reports_sets:
        naming = perturbation.naming(attribute.k)
        drawn = perturbation.distort(np.zeros(n, np.int8), attribute, stream)
        expected = np.array([naming.g, *[naming.h] * (attribute.k - 1)])
        found = sets.count_named(drawn, attribute.k) / n
    elif attribute.kind.is_categorical:
        matrix = perturbation.matrix(attribute.k)
        drawn = perturbation.distort(np.zeros(n, np.int8), attribute, stream)
        expected, found = matrix[:, 0], np.bincount(drawn, minlength=attribute.k) / n
    elif perturbation.is_identity:
        return
    else:
        low, high = attribute.domain
        x = float(np.rint((low + high) / 2))
        drawn = perturbation.distort(np.full(n, x), attribute, stream)
        edges = perturbation.numbers.interval_edges(attribute)
        if edges is not None:
            drawn = ((edges[:-1] + edges[1:]) / 2)[drawn]
        start, end = perturbation.support(attribute)
        # Between whole numbers, so that no cell begins with one.
        borders = np.floor(np.linspace(start, end, 9)[1:-1]) + 0.5
        expected = perturbation.conditional_cdf(borders, np.full(len(borders), x), attribute)
        found = np.array([(drawn <= border).mean() for border in borders])
    error = np.sqrt(np.clip(expected * (1 - expected), 0, None) / n)
    np.testing.assert_array_less(np.abs(found - expected), 5 * error + 1e-9)


@pytest.mark.parametrize(("kind", "attribute"), CASES)
def test_that_a_free_parameter_leads_to_the_same_mechanism(kind, attribute):
    perturbation = designed(kind, attribute)[attribute.name].perturbation
    for free in perturbation.free_parameters(attribute):
        middle = (free.position(free.truthful) + free.position(free.private)) / 2
        assert type(free.put(free.value(middle))) is kind


@pytest.mark.parametrize(("kind", "attribute"), JUDGED)
def test_that_every_mechanism_is_judged_and_undone(kind, attribute):
    design, table = designed(kind, attribute), answers(attribute)
    report = assess(design).attributes[0]
    assert report.privacy.readings
    assert np.isfinite(report.utility.shares).all()
    assert undo_section(design).blocks
    perturbation = design[attribute.name].perturbation
    reports = distort(table, design, SeededStreams(3))[attribute.name]
    if why := perturbation.numbers.why_only_mean(attribute):
        with pytest.raises(DesignError) as caught:
            reconstruct(reports, attribute, perturbation)
        assert caught.value.message == why
        unbiased = perturbation.unbiased(reports.data[~reports.missing], attribute)
        assert np.isfinite(unbiased).all()
        return
    found = reconstruct(reports, attribute, perturbation)
    assert found.probability.sum() == pytest.approx(1)


@pytest.mark.parametrize(("kind", "attribute"), CASES)
def test_that_a_page_distorts_and_explains_or_refuses_by_name(kind, attribute):
    design = publishable(designed(kind, attribute))
    assert publishable(design) == design
    if kind is Dice:  # the script of the page does not know it
        with pytest.raises(DesignError, match=f"'{attribute.name}' by '{kind.type_name}'"):
            mechanism_of(design, attribute.name)
        return
    assert json.dumps(mechanism_of(design, attribute.name))
    assert Explainer(design, "en").sentence(attribute.name)


# Nobody asks for the class

CONCRETE = {entry.item.__name__ for entry in perturbations} | {
    MatrixPerturbation.__name__,
    NoisePerturbation.__name__,
}


def classes_asked_for(source: str) -> Iterator[str]:
    """Where a source asks whether something is a certain mechanism, by class or by type name."""
    # To understand every source takes seconds; most of them name no mechanism.
    if not any(word in source for word in ("type_name", *CONCRETE)):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "issubclass"):
            asked: list[ast.AST] = [node.args[1]]
        elif isinstance(node, ast.MatchClass):
            asked = [node.cls]
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            named = any(isinstance(one, ast.Attribute) and one.attr == "type_name" for one in sides)
            if named and any(isinstance(one, ast.Constant) for s in sides for one in ast.walk(s)):
                yield ast.unparse(node)
            asked = sides if "type(" in ast.unparse(node) else []
        else:
            continue
        names = {ast.unparse(one).rpartition(".")[2] for part in asked for one in ast.walk(part)
                 if isinstance(one, ast.Name | ast.Attribute)}  # fmt: skip
        if names & CONCRETE:
            yield ast.unparse(node)


def test_that_only_mechanisms_and_presets_know_the_classes_of_mechanisms():
    at_home = {DESIGN / name for name in ("matrices", "noises", "sets", "presets.py")}
    assert all(place.exists() for place in at_home)
    found = [
        f"{path.relative_to(PACKAGE)}: {asked}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if not at_home & {path, *path.parents}
        for asked in classes_asked_for(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "isinstance(p, Retention)",
        "isinstance(p, design.Additive | Identity)",
        "type(p) is Uniform",
        "p.type_name == 'none'",
        "match p:\n    case Ordinal():\n        pass",
    ],
)
def test_that_the_rule_sees_every_way_to_ask(source):
    assert list(classes_asked_for(source))


def test_that_a_custom_matrix_without_one_before_it_begins_as_no_distortion():
    assert Custom.start(COLOURS) == Custom.of(np.eye(4))
