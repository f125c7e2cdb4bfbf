"""Whole tables reconstructed, with what is told of every attribute."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Discretise,
    Group,
    Identity,
    SquareWave,
    Uniform,
)
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.params import declarations
from ppworkbench.core.progress import Cancelled
from ppworkbench.core.reconstruct import (
    ReconstructOptions,
    estimators,
    reconstruct,
    reconstruct_table,
)
from ppworkbench.core.rng import SeededStreams

SEX = Attribute("sex", Kind.BINARY, ("F", "M"))
DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"))
LEVEL = Attribute("level", Kind.ORDINAL, ("low", "mid", "high"))
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))
PAY = Attribute("pay", Kind.CONTINUOUS, domain=(0, 5000))
CLASS = Attribute("class", Kind.NOMINAL, ("x", "y", "z"))

DESIGN = Design(
    (
        DesignedAttribute(SEX, Identity()),
        DesignedAttribute(DRUG, Identity()),
        DesignedAttribute(LEVEL, Uniform(keep=0.6)),
        DesignedAttribute(AGE, Additive(noise="uniform", half_width=8)),
        DesignedAttribute(PAY, Discretise(intervals=8)),
        DesignedAttribute(CLASS, Identity()),
    ),
    class_name="class",
    groups=(Group(("sex", "drug"), "unrelated", 0.7),),
)


def survey(n=3000, seed=1):
    generator = np.random.default_rng(seed)
    return Table(
        (
            Column(SEX, generator.choice(2, n, p=[0.3, 0.7])),
            Column(DRUG, generator.choice(2, n, p=[0.9, 0.1])),
            Column(LEVEL, generator.choice(3, n, p=[0.5, 0.3, 0.2])),
            Column(AGE, np.rint(generator.triangular(18, 30, 90, n))),
            Column(PAY, generator.uniform(0, 5000, n)),
            Column(CLASS, generator.choice(3, n, p=[0.2, 0.2, 0.6])),
        ),
        class_name="class",
    )


@pytest.fixture(scope="module")
def original():
    return survey()


@pytest.fixture(scope="module")
def distorted(original):
    return distort(original, DESIGN, SeededStreams(7))


@pytest.fixture(scope="module")
def found(original, distorted):
    """Every attribute, reconstructed."""
    return reconstruct_table(distorted, DESIGN, original=original)


@pytest.mark.slow
def test_that_a_whole_table_is_reconstructed(found):
    assert tuple(found) == DESIGN.names
    for name, result in found.items():
        assert result.information_loss < 0.12, name
        assert result.rows == 3000
    assert found["sex"].algorithm == "eq"
    assert found["age"].algorithm == "smooth"


def test_that_members_of_a_group_are_undone_by_their_marginal(original, distorted):
    result = reconstruct_table(distorted, DESIGN, ["sex"])["sex"]
    told = distorted["sex"].counts / 3000
    np.testing.assert_allclose(result.raw, (told - 0.3 * 0.5) / 0.7, atol=1e-12)


def test_that_what_was_not_distorted_is_exact(original, distorted):
    found = reconstruct_table(distorted, DESIGN, ["class", "pay"], original=original)
    assert found["class"].information_loss == 0
    assert found["pay"].information_loss == 0
    assert found["class"].probability.tolist() == (original["class"].counts / 3000).tolist()


def test_that_the_original_may_be_a_distribution(distorted):
    result = reconstruct(
        distorted["level"], LEVEL, Uniform(keep=0.6), original=np.array([0.5, 0.3, 0.2])
    )
    assert result.information_loss == pytest.approx(
        0.5 * np.abs(result.probability - [0.5, 0.3, 0.2]).sum()
    )
    with pytest.raises(DataError, match="3 numbers that sum to 1"):
        reconstruct(distorted["level"], LEVEL, Uniform(keep=0.6), original=np.array([0.5, 0.3]))
    with pytest.raises(DataError, match="no original answers"):
        reconstruct(
            distorted["level"], LEVEL, Uniform(keep=0.6), original=Column(LEVEL, np.array([-1]))
        )


def test_that_the_trace_tells_the_loss_of_every_iteration(original, distorted):
    result = reconstruct(
        distorted["level"], LEVEL, Uniform(keep=0.6), "em-as", stop=9, original=original["level"]
    )
    assert result.trace.losses.shape == (10,)
    assert result.trace.losses[-1] == pytest.approx(result.information_loss)
    assert result.trace.log_likelihood[-1] == pytest.approx(result.log_likelihood)


def test_that_a_stop_without_an_algorithm_asks_for_the_iteration(distorted):
    for stop, names in (("published", ("em-as", "em")), ("converged", ("eq", "accelerated"))):
        found = reconstruct_table(
            distorted, DESIGN, ["level", "age"], ReconstructOptions(stop=stop)
        )
        assert (found["level"].algorithm, found["age"].algorithm) == names


def test_that_intervals_can_be_left_out(distorted):
    result = reconstruct(distorted["level"], LEVEL, Uniform(keep=0.6), confidence=None)
    assert result.low is result.high is result.covariance is None
    assert "low" not in result.to_json()


def test_that_the_result_is_plain_json(found):
    for name, result in found.items():
        document = json.loads(json.dumps(result.to_json(), allow_nan=False))
        cells = "values" if name in ("sex", "drug", "level", "class") else "edges"
        wanted = {"algorithm", "iterations", cells, "probability", "raw", "low", "high"}
        assert wanted | {"information_loss"} <= set(document)
        assert len(document["probability"]) == len(document[cells]) - (cells == "edges")


def test_that_whole_numbers_begin_at_0_and_not_below():
    ages = Attribute("age", Kind.INTEGER, domain=(0, 20))
    design = Design((DesignedAttribute(ages, SquareWave(epsilon=2.0)),))
    table = Table((Column(ages, np.arange(21.0)),))
    reports = distort(table, design, SeededStreams(1))
    assert reconstruct_table(reports, design)["age"].labels[:2] == ("0", "1")


def test_that_cells_have_labels_for_people(found, distorted):
    assert found["level"].labels == ("low", "mid", "high")
    assert found["age"].labels[:2] == ("18", "19")
    assert found["pay"].labels[0] == "0 to 625"
    wide = reconstruct_table(distorted, DESIGN, ["age"], ReconstructOptions(bins=8))["age"]
    assert wide.labels[0] == "18 to 26"


def test_that_progress_rises_and_cancels(distorted):
    seen = []
    reconstruct_table(distorted, DESIGN, progress=lambda done, message="": seen.append(done))
    assert seen == sorted(seen)
    assert seen[-1] == 1

    def stop(done, message=""):
        if done > 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        reconstruct_table(distorted, DESIGN, progress=stop)


def test_that_unknown_attributes_are_refused(distorted):
    with pytest.raises((DataError, DesignError), match="'height'"):
        reconstruct_table(distorted, DESIGN, ["height"])


def test_that_options_name_every_algorithm():
    offered = {one.name: one for one in declarations(ReconstructOptions)}["algorithm"].choices
    assert set(offered) == {"default", *estimators.names}
    assert ReconstructOptions().algorithm == "default"
