"""Reconstruction of weighted answers: the same numbers as shares, and cautious ones under noise."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from examples import sweep
from sampled_answers import twelve_answers

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Forced,
    Identity,
    Uniform,
)
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.noises import Discretise
from ppworkbench.core.errors import DataError
from ppworkbench.core.reconstruct import ReconstructOptions, Source, reconstruct
from ppworkbench.core.reconstruct.by_arm import DeviceCounter
from ppworkbench.core.sampling.reconstruction import reconstruct_sample
from ppworkbench.core.survey.distributions import distribution

ROLES = Sampling(weight="weight", stratum=("stratum",), cluster="cluster")
ANSWER = Attribute("answer", Kind.NOMINAL, tuple("uvw"))
NUMBER = Attribute("number", Kind.CONTINUOUS, domain=(0, 100))
CLUSTER = Attribute("cluster", Kind.INTEGER, domain=(0, 1000))
WEIGHT = Attribute("weight", Kind.CONTINUOUS, domain=(0, 10))


def replaced(table, *columns):
    """The table with other columns of some names."""
    new = {column.name: column for column in columns}
    return Table(tuple(new.get(column.name, column) for column in table.columns))


def clustered(seed=0, clusters=40, size=25, keep=0.5):
    """Answers and numbers that are alike within clusters, with weights that depend on them."""
    random = np.random.default_rng(seed)
    home = np.repeat(np.arange(clusters), size)
    middle = random.normal(50, 10, clusters)[home]
    number = np.clip(random.normal(middle, 5), 0, 100)
    answer = (number > 55).astype(int) + (number > 60)
    original = Table(
        (
            Column(ANSWER, answer),
            Column(NUMBER, number),
            Column(CLUSTER, home.astype(float)),
            Column(WEIGHT, np.where(answer > 0, 3.0, 1.0)),
        )
    )
    design = Design(
        (
            DesignedAttribute(ANSWER, Uniform(keep=keep)),
            DesignedAttribute(NUMBER, Additive(noise="normal", sigma=8.0)),
            DesignedAttribute(CLUSTER, Identity()),
            DesignedAttribute(WEIGHT, Identity()),
        )
    )
    other = (answer + random.integers(1, 3, len(home))) % 3
    told = np.where(random.random(len(home)) < keep, answer, other)
    noisy = number + random.normal(0, 8, len(home))
    distorted = replaced(original, Column(ANSWER, told), Column(NUMBER, noisy))
    return distorted, original, design


def test_that_values_have_the_numbers_of_their_distribution():
    table, design = twelve_answers(population={"N": 12, "S": 10})
    roles = dataclasses.replace(ROLES, population="fpc")
    for options in (None, SamplingOptions(target="respondents"), SamplingOptions(interval="logit")):
        found = reconstruct_sample(table, design, roles, options, ["z", "y"])
        for name in ("z", "y"):
            one = found[name].found
            shares = distribution(
                table, design, name, bins=one.edges, sampling=roles, options=options
            ).shares
            assert one.standard_error == pytest.approx([s.standard_error for s in shares])
            assert one.low == pytest.approx([s.low for s in shares])
            assert one.high == pytest.approx([s.high for s in shares])
            device = [s.details.standard_error_device for s in shares]
            assert found[name].device_errors == pytest.approx(device)


def test_that_a_simple_random_sample_has_the_numbers_of_everybody():
    distorted, _, design = clustered()
    found = reconstruct_sample(distorted, design, None, SamplingOptions(), ["answer", "number"])
    for name in ("answer", "number"):
        plain = reconstruct(distorted[name], design[name].attribute, design.perturbation(name))
        assert found[name].found.probability == pytest.approx(plain.probability, abs=1e-9)
        # The variance of a sample has n - 1 in place of n.
        assert found[name].found.low == pytest.approx(plain.low, abs=1e-3)
        assert found[name].found.high == pytest.approx(plain.high, abs=1e-3)


def test_that_a_value_estimated_at_zero_still_has_an_interval():
    table, design = twelve_answers()
    # Hardly anybody says b, fewer than would by chance.
    codes = np.where(table["z"].data == 1, 0, table["z"].data)
    codes[0] = 1
    table = replaced(table, Column(table["z"].attribute, codes))
    found = reconstruct_sample(table, design, ROLES, names=["z"])["z"].found
    assert found.raw.min() < 0
    place = int(np.argmin(found.probability))
    assert found.probability[place] == pytest.approx(0, abs=1e-6)
    assert found.high[place] > 0.1


def test_that_published_intervals_have_the_numbers_of_their_distribution():
    distorted, _, design = clustered()
    roles = Sampling("weight", (), "cluster")
    wide = Discretise(intervals=4)
    design = Design(
        tuple(DesignedAttribute(NUMBER, wide) if one.name == "number" else one for one in design)
    )
    numbers = np.clip(distorted["number"].data, 0, 99.9) // 25
    table = replaced(distorted, Column(wide.distorted(NUMBER), numbers.astype(int)))
    own = reconstruct_sample(table, design, roles, names=["number"])["number"]
    shares = distribution(table, design, "number", bins=own.found.edges, sampling=roles).shares
    assert own.found.standard_error == pytest.approx([s.standard_error for s in shares])


@pytest.mark.slow
def test_that_clusters_widen_the_bounds_of_a_number_under_noise():
    distorted, _, design = clustered()
    roles = Sampling("weight", (), "cluster")
    settings = ReconstructOptions(bins=4)
    alone = Sampling("weight")
    narrow = reconstruct_sample(distorted, design, alone, names=["number"], settings=settings)
    wide = reconstruct_sample(distorted, design, roles, names=["number"], settings=settings)
    narrow, wide = narrow["number"], wide["number"]
    assert narrow.found.probability.sum() == pytest.approx(1)
    assert wide.effective_n < 0.7 * narrow.effective_n
    assert (wide.found.high - wide.found.low).mean() > (narrow.found.high - narrow.found.low).mean()
    assert "effective-number" in [getattr(line, "code", "") for line in wide.remarks]
    assert wide.degrees_of_freedom == 39


@pytest.mark.slow
def test_that_weights_move_the_distribution_of_a_number_under_noise():
    distorted, original, design = clustered(clusters=80, size=50)
    roles = Sampling("weight", (), "cluster")
    found = reconstruct_sample(
        distorted, design, roles, names=["number", "answer"],
        settings=ReconstructOptions(bins=10), original=original,
    )  # fmt: skip
    plain = reconstruct(
        distorted["number"], NUMBER, design.perturbation("number"), bins=10,
        original=original["number"],
    )  # fmt: skip
    true = np.histogram(original["number"].data, 10, (0, 100), weights=original["weight"].data)[0]
    loss = 0.5 * np.abs(found["number"].found.probability - true / true.sum()).sum()
    assert found["number"].found.information_loss == pytest.approx(loss, abs=1e-9)
    assert loss < 0.05
    assert 0.5 * np.abs(plain.probability - true / true.sum()).sum() > 2 * loss
    assert found["answer"].found.information_loss < 0.1


def test_that_rules_of_stopping_take_the_effective_number():
    distorted, _, design = clustered(size=250)
    settings = ReconstructOptions("em-as", "published")
    plain = reconstruct(
        distorted["answer"], ANSWER, design.perturbation("answer"), "em-as", stop="published"
    )
    roles = Sampling(cluster="cluster")
    found = reconstruct_sample(distorted, design, roles, names=["answer"], settings=settings)
    assert found["answer"].effective_n < 0.5 * distorted.rows
    # Fewer answers are worth fewer iterations.
    assert found["answer"].found.iterations < plain.iterations


@pytest.mark.parametrize("suffix", sweep(["csv", "parquet"], quick=1))
def test_that_a_file_in_chunks_has_the_numbers_of_the_table(tmp_path, monkeypatch, suffix):
    distorted, original, design = clustered()
    told, true = tmp_path / f"told.{suffix}", tmp_path / f"true.{suffix}"
    write_table(distorted, told)
    write_table(original, true)
    roles = Sampling("weight", (), "cluster")
    monkeypatch.setattr("ppworkbench.core.data.chunks.ROWS", 300)
    whole = reconstruct_sample(distorted, design, roles, original=original)
    found = reconstruct_sample(Source(told), design, roles, original=Source(true))
    assert found.rows == distorted.rows
    assert set(found.attributes) == {"answer", "number"}
    for name, one in found.attributes.items():
        assert one.found.probability == pytest.approx(whole[name].found.probability)
        assert one.found.standard_error == pytest.approx(whole[name].found.standard_error)
        loss = pytest.approx(whole[name].found.information_loss)
        assert one.found.information_loss == loss


def test_that_original_answers_need_their_weights():
    distorted, original, design = clustered()
    with pytest.raises(DataError, match="weight"):
        reconstruct_sample(
            distorted, design, Sampling("weight"), original=original.select(["answer", "number"])
        )


def test_that_missing_answers_stay_in_the_sampling():
    distorted, _, design = clustered()
    answers = distorted["answer"].data.copy()
    answers[:30] = -1
    table = replaced(distorted, Column(ANSWER, answers))
    roles = Sampling("weight", (), "cluster")
    found = reconstruct_sample(table, design, roles, names=["answer"])["answer"]
    shares = distribution(table, design, "answer", sampling=roles)
    assert found.found.missing == 30
    assert found.sample.n == shares.sample.n == 970
    errors = [share.standard_error for share in shares.shares]
    assert found.found.standard_error == pytest.approx(errors)


DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"))
VERSION = Attribute("version", Kind.NOMINAL, ("A", "B"))


def in_arms(rows=400, seed=3):
    """Answers in two arms with weights and clusters, and the design of these."""
    random = np.random.default_rng(seed)
    version = np.arange(rows) % 2
    truth = random.random(rows) < 0.3
    is_true = random.random(rows) < np.where(version == 0, 0.8, 0.4)
    columns = {
        "version": Column(VERSION, version),
        "drug": Column(DRUG, np.where(is_true, truth, 1).astype(int)),
        "weight": Column(WEIGHT, random.integers(1, 4, rows).astype(float)),
        "cluster": Column(CLUSTER, np.arange(rows).astype(float)),
    }
    arms = (DesignArm("A", 0.5), DesignArm("B", 0.5, (("drug", Forced(0.4, (0.0, 1.0))),)))
    design = Design(
        tuple(
            DesignedAttribute(columns[name].attribute, device)
            for name, device in (("version", Identity()), ("drug", Forced(0.8, (0.0, 1.0))),
                                 ("weight", Identity()), ("cluster", Identity()))
        ),
        arms=Arms("version", arms),
    )  # fmt: skip
    return Table(tuple(columns.values())), design


def counted_plainly(table, design):
    """The pooled distribution of people who were drawn one by one."""
    counter = DeviceCounter.of("drug", design)
    counter.add(table, design.arms.read(table))
    return counter.reconstruct(0.95, None)


def test_that_arms_are_pooled_by_weight_and_errors_by_cluster():
    table, design = in_arms()
    weight = table["weight"].data.astype(int)
    many = table.take(np.repeat(np.arange(table.rows), weight))
    told = reconstruct_sample(
        table, design, Sampling(weight="weight"), names=["drug"], by_arm=True
    )["drug"]
    repeated = reconstruct_sample(
        many, design, Sampling(cluster="cluster"), names=["drug"], by_arm=True
    )["drug"]
    plain = counted_plainly(many, design)
    assert told.found.probability == pytest.approx(plain.probability)
    assert told.found.standard_error == pytest.approx(repeated.found.standard_error)
    assert (told.found.standard_error > plain.standard_error).all()
    assert told.by_arm.equality.df == 1
    assert told.by_arm.equality.statistic == pytest.approx(repeated.by_arm.equality.statistic)
    assert list(told.to_json()["arms"]) == ["A", "B"]
    assert set(told.to_json()["equality"]) == {"wald", "df", "p"}


def test_that_the_error_of_pooled_arms_is_that_of_the_information_for_people_drawn_one_by_one():
    table, design = in_arms(rows=20_000)
    told = reconstruct_sample(table, design, Sampling(), names=["drug"])["drug"].found
    plain = counted_plainly(table, design)
    assert told.probability == pytest.approx(plain.probability)
    assert told.standard_error == pytest.approx(plain.standard_error, rel=0.03)


def test_that_a_chosen_arm_of_a_sample_gives_what_by_arm_says():
    table, design = in_arms()
    roles = Sampling(weight="weight")
    told = reconstruct_sample(table, design, roles, names=["drug"], by_arm=True)["drug"]
    alone = reconstruct_sample(table, design, roles, names=["drug"], arms=["B"])["drug"]
    assert alone.found.low == pytest.approx(told.by_arm.arms["B"].found.low)
    assert alone.found.rows == 200
