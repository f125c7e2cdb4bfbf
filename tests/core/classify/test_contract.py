"""What every registered classifier does, whatever it is."""

from __future__ import annotations

import pickle
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples import sweep
from learnable import CLASS, class_column, design_by, distorted, mixed_table, moderate_design
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier

import ppworkbench.core.classify as package
from ppworkbench.core.classify import Classifier, classifiers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, Discretise, Retention, Uniform
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.params import declarations
from ppworkbench.core.progress import Cancelled, StoppableProgress

ORIGINAL = mixed_table(120)
DESIGN = moderate_design(ORIGINAL)
DISTORTED = distorted(ORIGINAL, DESIGN)

Matrix = NDArray[np.float64]
every_classifier = pytest.mark.parametrize("name", classifiers.names)
on_odd_records = pytest.mark.parametrize(
    "name", sweep(classifiers.names, quick=set(classifiers.names) - {"meta", "panel"})
)
"""Those of many classifiers, of which each is tried, take longest."""


def made(name: str, design: Design | None = None, **changes: Any) -> Classifier[Any]:
    """The classifier of that name, smaller than by default where it would be slow."""
    cls = classifiers[name]
    known = {declaration.name for declaration in declarations(cls.params_type)}
    small = {"members": 2, "bagged": 1, "boosted": 1, "trees": 5, "algorithms": ("AS.EA", "EM.EQ")}
    if name != "meta":
        del small["algorithms"]
    smaller = {key: value for key, value in small.items() if key in known}
    return cls(**smaller, design=None if cls.is_reference else design, **changes)


def training_for(name: str) -> Table:
    """Distorted records, or original ones for those that know of no distortion."""
    return ORIGINAL if classifiers[name].is_reference else DISTORTED


@cache
def trained(name: str) -> Classifier[Any]:
    """The classifier of that name after training, for tests that leave it as it is."""
    return made(name, DESIGN).fit(training_for(name))


def foretold(name: str, table: Table, design: Design) -> Matrix:
    """What it foretells of the records after it has learnt from them distorted."""
    records = table if classifiers[name].is_reference else distorted(table, design)
    return made(name, design).fit(records).predict_proba(table)


def is_distribution(found: Matrix, table: Table) -> bool:
    """Whether every record has a probability for each class of the table."""
    shape = (table.rows, len(np.unique(table[CLASS].data)))
    return found.shape == shape and found.min() >= 0 and np.allclose(found.sum(axis=1), 1)


def test_that_every_file_that_registers_a_classifier_is_imported_by_the_package() -> None:
    folder = Path(package.__path__[0])
    registering = {
        path.stem for path in folder.rglob("*.py") if "\n@classifiers.register(" in path.read_text()
    }
    imported = {cls.__module__.rpartition(".")[2] for cls in (e.item for e in classifiers)}
    assert registering
    assert registering == imported


@every_classifier
def test_that_defaults_learn_and_foretell_classes_of_the_training_set(name: str) -> None:
    model = trained(name)
    assert set(model.predict(ORIGINAL)) <= {"A", "B"}
    assert list(model.classes_) == ["A", "B"]
    assert model.n_features_in_ == 5
    assert list(model.feature_names_in_) == ["age", "income", "region", "mood", "smokes"]


@every_classifier
def test_that_probabilities_are_distributions_and_the_largest_is_foretold(name: str) -> None:
    model = trained(name)
    found = model.predict_proba(ORIGINAL)
    assert is_distribution(found, ORIGINAL)
    assert (model.predict(ORIGINAL) == model.classes_[found.argmax(axis=1)]).all()


@every_classifier
def test_that_the_same_seed_gives_the_same_classifier(name: str) -> None:
    one = made(name, DESIGN, random_state=7).fit(training_for(name))
    other = made(name, DESIGN, random_state=7).fit(training_for(name))
    assert np.array_equal(one.predict_proba(ORIGINAL), other.predict_proba(ORIGINAL))


@every_classifier
def test_that_parameters_go_round_and_clones_are_untrained_twins(name: str) -> None:
    model = made(name, DESIGN, random_state=3)
    twin = clone(model)
    assert type(twin) is type(model)
    assert twin.get_params() == model.get_params()
    assert all(twin.get_params()[key] is value for key, value in model.get_params().items())
    assert not hasattr(clone(model.fit(training_for(name))), "classes_")
    changed = model.set_params(random_state=4)
    assert changed is model
    assert model.get_params()["random_state"] == 4
    assert is_classifier(model)


@every_classifier
def test_that_the_declaration_goes_through_json(name: str) -> None:
    declared = classifiers[name].params_type
    assert declared.from_json(declared().to_json()) == declared()


@every_classifier
def test_that_a_trained_classifier_can_be_sent_to_another_process(name: str) -> None:
    model = trained(name)
    received = pickle.loads(pickle.dumps(model))
    assert np.array_equal(received.predict_proba(ORIGINAL), model.predict_proba(ORIGINAL))


@every_classifier
def test_that_a_stop_cancels_the_training(name: str) -> None:
    progress = StoppableProgress()
    progress.stop()
    with pytest.raises(Cancelled):
        made(name, DESIGN).fit(training_for(name), progress=progress)


@every_classifier
def test_that_an_unknown_parameter_is_refused_in_one_sentence(name: str) -> None:
    with pytest.raises(WorkbenchError, match="has no parameter 'colour'"):
        classifiers[name](colour="red")


@pytest.mark.parametrize("name", [e.name for e in classifiers if not e.item.is_reference])
def test_that_frames_give_what_tables_give(name: str) -> None:
    model = trained(name)
    labels = DISTORTED.to_frame()[CLASS].astype(str).to_numpy()
    framed = made(name, DESIGN).fit(DISTORTED.to_frame().drop(columns=CLASS), labels)
    expected = model.predict_proba(ORIGINAL)
    assert np.allclose(framed.predict_proba(ORIGINAL.to_frame()), expected)


@every_classifier
def test_that_one_class_is_foretold_for_everybody(name: str) -> None:
    table = ORIGINAL.replace(class_column(np.ones(ORIGINAL.rows, int)))
    model = made(name, moderate_design(table)).fit(distorted(table, moderate_design(table)))
    assert set(model.predict(table)) == {"B"}


@on_odd_records
def test_that_a_class_may_have_one_record(name: str) -> None:
    codes = np.zeros(ORIGINAL.rows, int)
    codes[5] = 1
    table = ORIGINAL.replace(class_column(codes))
    assert is_distribution(foretold(name, table, moderate_design(table)), table)


@on_odd_records
def test_that_an_attribute_may_be_constant(name: str) -> None:
    always = Column(Attribute("country", Kind.NOMINAL, ("here",)), np.zeros(ORIGINAL.rows, int))
    year = Attribute("year", Kind.INTEGER, domain=(2020, 2020))
    same = Column(year, np.full(ORIGINAL.rows, 2020.0))
    table = ORIGINAL.with_(columns=(always, same, *ORIGINAL.columns))
    assert is_distribution(foretold(name, table, moderate_design(table)), table)


@on_odd_records
def test_that_an_attribute_may_have_two_hundred_categories(name: str) -> None:
    values = tuple(f"place {code}" for code in range(200))
    codes = np.random.default_rng(2).integers(0, 200, ORIGINAL.rows)
    places = Column(Attribute("place", Kind.NOMINAL, values), codes)
    table = ORIGINAL.with_(columns=(places, *ORIGINAL.columns))
    assert is_distribution(foretold(name, table, design_by(table, _keep_often)), table)


@on_odd_records
def test_that_records_may_be_identical(name: str) -> None:
    table = ORIGINAL.take(np.zeros(40, int)).replace(class_column(np.arange(40) % 2))
    assert is_distribution(foretold(name, table, moderate_design(table)), table)


@on_odd_records
def test_that_missing_answers_are_filled_in(name: str) -> None:
    columns = []
    for column in training_for(name):
        data = column.data.copy()
        if column.name != CLASS:
            data[::7] = -1 if column.is_categorical else np.nan
        columns.append(Column(column.attribute, data))
    gappy = Table(tuple(columns), CLASS)
    found = made(name, DESIGN).fit(gappy).predict_proba(gappy if name == "tree" else ORIGINAL)
    assert np.allclose(found.sum(axis=1), 1)


@on_odd_records
def test_that_any_kind_of_distortion_can_be_learnt_from(name: str) -> None:
    assert is_distribution(foretold(name, ORIGINAL, design_by(ORIGINAL, _other)), ORIGINAL)


def _keep_often(attribute: Attribute) -> Any:
    return Uniform(keep=0.9) if attribute.kind.is_categorical else Retention(keep=0.8)


def _other(attribute: Attribute) -> Any:
    if attribute.kind is Kind.CONTINUOUS:
        return Discretise(intervals=6)
    return Retention(keep=0.5) if attribute.kind is Kind.INTEGER else Uniform(keep=0.9)
