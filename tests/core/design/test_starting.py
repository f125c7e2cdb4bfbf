"""The design that a study begins with."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from ppworkbench.core.data.attribute import FROM_DATA, Attribute, Kind, rounded_domain
from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.samples import load_sample, samples
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, SquareWave, Subset, Uniform
from ppworkbench.core.design.distort import distort
from ppworkbench.core.design.procedures import find_procedure
from ppworkbench.core.design.starting import (
    follow,
    starting_attributes,
    starting_design,
    starting_perturbation,
)
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.itemsets import item_data
from ppworkbench.core.planning.alternatives import device_choices
from ppworkbench.core.privacy.questionnaire import total_epsilon
from ppworkbench.core.privacy.spending import epsilon_of
from ppworkbench.core.publish import publish
from ppworkbench.core.rng import SeededStreams

SAMPLE_FILES = sorted((Path(__file__).parents[3] / "resources" / "samples").glob("*.csv"))


@pytest.mark.parametrize("width", [5e-247, 1e-60, 1e-9, 1.0, 1e12, 1e60])
def test_that_numbers_of_any_range_have_a_design_to_begin_with(width):
    attribute = Attribute("x", Kind.CONTINUOUS, domain=(0.0, width))
    table = Table((Column(attribute, np.array([0.0, width / 2, width])),))
    distorted = distort(table, starting_design(table), SeededStreams(1))
    assert np.isfinite(distorted["x"].data).all()


def _finite_start(table: Table) -> bool:
    """Whether the total is finite; every question is looked at on the way."""
    design = starting_design(table, epsilon=1.0)
    for one in design:
        assert epsilon_of(design, one.name) <= 1 + 1e-6
        if one.attribute.domain_source == FROM_DATA:
            data = table[one.name].data[~table[one.name].missing]
            assert one.attribute.domain == rounded_domain(data.min(), data.max())
    return math.isfinite(total_epsilon(design))


@pytest.mark.parametrize("name", [entry.name for entry in samples])
def test_that_the_starting_design_of_every_sample_has_a_finite_total(name):
    assert _finite_start(load_sample(name))


@pytest.mark.parametrize("path", SAMPLE_FILES, ids=lambda path: path.stem)
def test_that_the_starting_design_of_every_sample_file_has_a_finite_total(path):
    assert _finite_start(read_table(path))


@pytest.mark.parametrize("k", [1, 2, 5, 6])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_that_values_are_kept_as_often_as_epsilon_allows(k, epsilon):
    kind = Kind.BINARY if k == 2 else Kind.ORDINAL
    attribute = Attribute("q", kind, tuple(map(str, range(k))))
    found = starting_perturbation(attribute, epsilon)
    assert isinstance(found, Uniform)
    assert found.keep == pytest.approx(math.exp(epsilon) / (math.exp(epsilon) + k - 1))


def test_that_a_set_is_reported_of_a_long_list_unless_records_are_to_be_learnt_from():
    attribute = Attribute("job", Kind.NOMINAL, tuple(map(str, range(11))))
    assert starting_perturbation(attribute) == Subset(epsilon=1.0)
    assert isinstance(starting_perturbation(attribute, 2.0), Uniform)
    answers = Column(attribute, np.arange(11, dtype=np.int8))
    income = Column(Attribute("income", Kind.BINARY, ("low", "high")), np.zeros(11, np.int8))
    table = Table((answers, income))
    assert starting_design(table)["job"].perturbation == Subset(epsilon=1.0)
    classed = starting_design(table.with_(class_name="income"))
    assert isinstance(classed["job"].perturbation, Uniform)


@pytest.mark.parametrize("kind", [Kind.INTEGER, Kind.CONTINUOUS])
def test_that_numbers_start_with_a_square_wave(kind):
    attribute = Attribute("age", kind, domain=(0, 100))
    assert starting_perturbation(attribute) == SquareWave(epsilon=1.0)
    wide = attribute.with_(domain=(0, 1e9))
    assert starting_perturbation(wide, 2.0).epsilon_of(wide) == pytest.approx(2.0)


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6, 7, 8])
def test_that_the_first_mechanism_of_values_is_what_a_device_gives_exactly(k):
    kind = Kind.BINARY if k == 2 else Kind.NOMINAL
    attribute = Attribute("q", kind, tuple(map(str, range(k))))
    found = starting_perturbation(attribute)
    design = Design((DesignedAttribute(attribute, found),))
    assert find_procedure(design, "q").device is not None
    assert found.keep == pytest.approx(starting_perturbation(attribute, 1.0).keep, abs=0.03)


def test_that_a_yes_no_question_begins_with_two_coins():
    attribute = Attribute("q", Kind.BINARY, ("no", "yes"))
    designed = DesignedAttribute(attribute, starting_perturbation(attribute))
    _, choices = device_choices(designed, None, 0.03)
    coins = next(one for one in choices if one.snapped.kind.name == "two-coins")
    assert coins.perturbation == designed.perturbation == Uniform(keep=0.75)


def test_that_only_what_is_marked_as_sensitive_is_randomised():
    city = load_sample("city-survey")
    marked = [one.name for one in city.attributes if one.sensitive]
    design = starting_design(city)
    assert list(design.randomised) == marked
    assert list(starting_design(city, epsilon=1.0).names) == list(design.names)
    assert len(starting_design(city, epsilon=1.0).randomised) == len(design.names)
    plain = [one for one in city.attributes if not one.sensitive]
    assert all(not one.perturbation.is_identity for one in starting_attributes(plain))


def test_that_a_new_question_beside_marked_ones_is_asked_openly():
    asked = Attribute("drugs", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
    other = Attribute("car", Kind.BINARY, ("no", "yes"))
    design = follow(Design(starting_attributes([asked])), [asked, other], None)
    assert design.randomised == ("drugs",)
    design = follow(Design(()), [other], None)
    assert design.randomised == ("car",)
    # What was randomised before stays so.
    assert follow(design, [other, asked], None).randomised == ("car", "drugs")


def test_that_the_class_is_an_answer_like_any_other():
    table = load_sample("iris")
    design = starting_design(table)
    assert design.class_name == table.class_name
    assert not design[table.class_name].perturbation.is_identity


def test_that_sets_of_a_collected_file_are_left_out_and_refused_where_answers_are_needed():
    job = Attribute("job", Kind.NOMINAL, tuple("abcdef"))
    sex = Attribute("sex", Kind.BINARY, ("F", "M"))
    table = Table((Column(job, np.arange(60) % 6), Column(sex, np.arange(60) % 2)))
    design = Design((DesignedAttribute(job, Subset(size=2)), DesignedAttribute(sex, Uniform())))
    collected = distort(table, design, SeededStreams(1))
    assert starting_design(collected).names == ("sex",)
    for refused in (
        lambda: publish(collected, "job"),
        lambda: publish(collected, "sex"),
        lambda: item_data(collected, None, ["job"]),
    ):
        with pytest.raises(WorkbenchError, match="'job' are sets of values, and this needs single"):
            refused()
    assert publish(collected, "sex", features=()).tree is not None
    assert [item.name for item in item_data(collected).items] == ["sex=F", "sex=M"]
