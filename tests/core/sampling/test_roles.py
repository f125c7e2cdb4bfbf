"""Roles of columns: files, suggestions, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sampled_answers import CLUSTER, STRATUM, WEIGHT, twelve_answers

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import (
    ReplicateRole,
    Sampling,
    SamplingOptions,
    suggest_roles,
)
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.sampling.sample import SampleReader
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.distributions import distribution

NAMES = st.sampled_from(["a", "b", "c", "d"])


@given(
    st.builds(
        lambda weight, stratum, cluster, population, replicates: Sampling(
            weight and f"w{weight}", tuple(f"s{one}" for one in stratum), cluster and f"c{cluster}",
            population, replicates,
        ),
        st.none() | NAMES,
        st.lists(NAMES, unique=True),
        st.none() | NAMES,
        st.none() | st.just("fpc") | st.floats(0.1, 1e6),
        st.none()
        | st.builds(
            ReplicateRole,
            st.lists(NAMES, min_size=2, unique=True).map(tuple),
            st.sampled_from(["brr", "jk1", "jkn", "bootstrap"]),
        ),
    )
)  # fmt: skip
def test_that_roles_are_read_back_from_json(sampling):
    assert Sampling.from_json(sampling.to_json()) == sampling


def test_that_a_single_stratum_need_not_be_a_list():
    assert Sampling.from_json({"stratum": "region"}).stratum == ("region",)


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        {"weights": "w"},
        {"weight": 3},
        {"stratum": [1]},
        {"population": True},
        {"population": -1},
        {"replicates": ["r1", "r2"]},
        {"replicates": {"columns": ["r1"], "method": "brr"}},
        {"replicates": {"columns": ["r1", "r2"], "method": "magic"}},
        {"replicates": {"columns": ["r1", "r2"], "method": "fay", "fay": 1}},
        {"weight": "a", "cluster": "a"},
    ],
)
def test_that_roles_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ParameterError):
        Sampling.from_json(wrong)


def test_that_names_suggest_roles_and_nothing_else_does():
    found = suggest_roles(["age", "pw", "wgt", "psu", "strat", "fpc", "repw1", "repw2", "width"])
    assert found == {
        "weight": ("pw", "wgt"),
        "cluster": ("psu",),
        "stratum": ("strat",),
        "population": ("fpc",),
        "replicates": ("repw1", "repw2"),
    }


def table_of(**changed):
    columns = {
        "stratum": Column(STRATUM, np.array([0, 0, 1, 1])),
        "cluster": Column(CLUSTER, np.array([1.0, 2, 1, 2])),
        "weight": Column(WEIGHT, np.array([1.0, 2, 3, 4])),
    }
    for name, data in changed.items():
        attribute = columns[name].attribute if name in columns else WEIGHT.with_(name=name)
        columns[name] = Column(attribute, np.array(data))
    return Table(tuple(columns.values()))


@pytest.mark.parametrize(
    ("changed", "column", "row"),
    [
        ({"weight": [1, np.nan, 1, 1]}, "weight", 2),
        ({"weight": [1, 1, -1, 1]}, "weight", 3),
        ({"stratum": [0, 0, 1, -1]}, "stratum", 4),
        ({"cluster": [np.nan, 1, 1, 1]}, "cluster", 1),
        ({"fpc": [5.0, 5, 9, 8]}, "fpc", 4),
        ({"fpc": [5.0, 0, 9, 9]}, "fpc", 2),
    ],
)
def test_that_a_wrong_entry_is_named_by_row_and_column(changed, column, row):
    table = table_of(**changed)
    population = "fpc" if "fpc" in changed else None
    reader = SampleReader(Sampling("weight", ("stratum",), "cluster", population))
    with pytest.raises(DataError) as error:
        reader.read(table)
    assert (error.value.attribute, error.value.row) == (column, row)


def test_that_a_text_is_no_weight():
    words = Attribute("weight", Kind.NOMINAL, ("1.5", "heavy"))
    table = Table((Column(words, np.array([0, 1])),))
    with pytest.raises(DataError) as error:
        SampleReader(Sampling("weight")).read(table)
    assert error.value.row == 2


def test_that_weights_that_are_all_zero_are_refused():
    reader = SampleReader(Sampling("weight"))
    reader.read(table_of(weight=[0.0, 0, 0, 0]))
    with pytest.raises(DataError, match="0"):
        reader.frame()


def test_that_a_population_smaller_than_the_sample_is_refused():
    reader = SampleReader(Sampling("weight", ("stratum",), "cluster", "fpc"))
    reader.read(table_of(fpc=[1.5, 1.5, 9, 9]))
    with pytest.raises(DataError) as error:
        reader.frame()
    assert error.value.attribute == "fpc"


def test_that_entries_up_to_one_are_the_sampled_fraction():
    reader = SampleReader(Sampling("weight", ("stratum",), "cluster", "fpc"))
    reader.read(table_of(fpc=[0.5, 0.5, 1, 1]))
    assert reader.frame().fractions.tolist() == [0.5, 1.0]


def test_that_clusters_need_names_within_their_stratum_only():
    reader = SampleReader(Sampling(stratum=("stratum",), cluster="cluster"))
    assert len(set(reader.read(table_of()).clusters.tolist())) == 4
    assert reader.frame().sizes.tolist() == [2, 2]


def test_that_several_columns_are_crossed_to_strata():
    reader = SampleReader(Sampling(stratum=("stratum", "cluster")))
    reader.read(table_of())
    assert reader.frame().labels == ("N, 1", "N, 2", "S, 1", "S, 2")


def test_that_pieces_are_numbered_like_the_whole():
    roles = Sampling("weight", ("stratum", "region"), "cluster")
    random = np.random.default_rng(2)
    number = Attribute("region", Kind.INTEGER, domain=(0, 9))
    region = Column(number, random.integers(0, 3, 50).astype(float))
    table = Table((
        Column(STRATUM, random.integers(0, 2, 50)),
        Column(CLUSTER, random.integers(1, 6, 50).astype(float)),
        Column(WEIGHT, random.random(50)),
        region,
    ))  # fmt: skip
    whole, parts = SampleReader(roles), SampleReader(roles)
    expected = whole.read(table)
    found = [parts.read(table.take(slice(start, start + 7))) for start in range(0, 50, 7)]

    def pairs(strata, clusters):
        return len({*zip(strata.tolist(), clusters.tolist(), strict=True)})

    strata = np.concatenate([one.strata for one in found])
    clusters = np.concatenate([one.clusters for one in found])
    # The same rows are together, whatever the numbers are.
    assert pairs(expected.clusters, clusters) == expected.clusters.max() + 1 == clusters.max() + 1
    assert pairs(expected.strata, strata) == strata.max() + 1
    assert sorted(whole.frame().sizes) == sorted(parts.frame().sizes)


def test_that_a_randomised_column_has_no_role():
    table, design = twelve_answers()
    with pytest.raises(ParameterError) as error:
        count(table, design, "z = a", sampling=Sampling(stratum=("z",)))
    assert error.value.attribute == "z"


def test_that_the_sequential_method_refuses_a_sampling():
    table, design = twelve_answers()
    for ask in (
        lambda: count(table, design, "z = a", "sequential", sampling=Sampling("weight")),
        lambda: distribution(table, design, "z", "", "sequential", sampling=Sampling("weight")),
    ):
        with pytest.raises(ParameterError) as error:
            ask()
        assert error.value.field == "method"


def test_that_single_clusters_can_be_refused():
    clusters = [1, 1, 2, 2, 3, 3, 4, 4, 4, 4, 4, 4]
    roles = Sampling("weight", ("stratum",), "cluster")
    with pytest.raises(DataError, match="S"):
        count(
            *twelve_answers(clusters=clusters), "z = a", sampling=roles,
            options=SamplingOptions(lonely="fail"),
        )  # fmt: skip
