"""Releasing weights, strata, clusters and replicates: groups, labels, and what they tell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sampled_answers import twelve_answers

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import BOOTSTRAP, ReplicateRole, Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.sampling.disclosure import (
    Reports,
    best_guess,
    guess_by_reports,
    role_disclosure,
)
from ppworkbench.core.sampling.release import (
    RoleTreatment,
    group_means,
    merge_small,
    release_roles,
)
from ppworkbench.core.survey.counts import count

ROLES = Sampling("weight", ("stratum",), "cluster")
SEEDED = SeededStreams(4)


def numbers(name: str, data, high: float = 1000.0) -> Column:
    return Column(Attribute(name, Kind.CONTINUOUS, domain=(0, high)), np.asarray(data, float))


def released(sampling=ROLES, coarsened=(), dropped=(), least=10, **twelve):
    table, design = twelve_answers(**twelve)
    made = release_roles(table, sampling, RoleTreatment(coarsened, dropped, least), SEEDED)
    return table, design, made


@given(st.lists(st.integers(0, 30), min_size=1, max_size=80), st.integers(2, 12))
def test_that_coarsened_weights_keep_their_sum_and_order_in_groups_that_are_large(given, least):
    weights = np.array(given, float)
    means = group_means(weights, least)
    assert means.sum() == pytest.approx(weights.sum())
    assert np.bincount(np.unique(means, return_inverse=True)[1]).min() >= min(least, len(weights))
    order = np.argsort(weights, kind="stable")
    assert (np.diff(means[order]) >= -1e-12).all()


@given(st.lists(st.integers(0, 9), min_size=1, max_size=80), st.integers(2, 12))
def test_that_merged_strata_are_large_and_never_split(given, least):
    codes = np.array(given)
    merged = merge_small(codes, least)
    assert np.bincount(merged).min() >= min(least, len(codes))
    for code in np.unique(codes):
        assert len(np.unique(merged[codes == code])) == 1
    large = np.bincount(codes)[codes] >= least
    if least <= len(codes) and large.all():
        assert len(np.unique(merged)) == len(np.unique(codes))


def test_that_labels_are_random_but_the_estimate_is_the_same():
    table, design, made = released(coarsened=("stratum", "cluster"), least=2)
    theirs = made.apply(table)
    assert set(theirs["cluster"].data) == {1, 2, 3, 4, 5}
    mine = count(table, design, "z = b", sampling=ROLES)
    other = count(theirs, made.designed(design), "z = b", sampling=made.sampling)
    assert other.share.estimate == pytest.approx(mine.share.estimate)
    assert other.share.standard_error == pytest.approx(mine.share.standard_error)


def test_that_small_strata_merge_and_a_single_one_is_no_role():
    _, _, made = released(coarsened=("stratum",), least=10)
    assert made.sampling == Sampling("weight", (), "cluster")
    assert "stratum" in made.gone
    assert made.target.code == "population"


def test_that_clusters_get_other_labels_where_strata_run_together():
    # Cluster 1 is one village in the north and another one in the south.
    clusters = [1, 1, 2, 2, 3, 3, 1, 1, 1, 2, 2, 2]
    table, _, made = released(clusters=clusters, dropped=("stratum",))
    assert len(np.unique(made.apply(table)["cluster"].data)) == 5


def test_that_without_weights_only_respondents_can_be_told_about():
    _, _, made = released(dropped=("weight",))
    assert made.target.code == "respondents"
    assert made.sampling == Sampling(None, ("stratum",), "cluster")
    assert made.gone == ("weight",)
    assert any("Not released: weight" in note for note in made.notes)


def test_that_the_population_is_summed_over_merged_strata():
    sampling = Sampling("weight", ("stratum",), "cluster", "fpc")
    table, _, made = released(
        sampling, coarsened=("stratum",), population={"N": 12, "S": 10}, least=10
    )
    assert set(made.apply(table)["fpc"].data) == {22.0}
    _, _, made = released(sampling, dropped=("cluster",), population={"N": 12, "S": 10})
    assert made.sampling.population is None


def test_that_replicates_are_made_anew_from_what_is_released():
    table, _ = twelve_answers()
    base = table["weight"].data
    weights = [numbers(f"repw{k}", base * (1 + k % 2)) for k in range(1, 5)]
    table = table.with_(columns=(*table.columns, *weights))
    names = tuple(column.name for column in weights)
    sampling = Sampling("weight", ("stratum",), "cluster", None, ReplicateRole(names, "brr"))
    made = release_roles(
        table, sampling, RoleTreatment((*names, "weight"), ("cluster",), 4), SEEDED
    )
    role = made.sampling.replicates
    assert role.method == BOOTSTRAP
    assert role.columns[:4] == names
    assert len(role.columns) == 50
    theirs = made.apply(table)
    # The mean of many replicates is the weight itself.
    mean = np.mean([theirs[name].data for name in role.columns], axis=0)
    assert mean.sum() == pytest.approx(theirs["weight"].data.sum(), rel=0.2)
    assert (
        release_roles(table, sampling, RoleTreatment((), ("weight",)), SEEDED).sampling.replicates
        is None
    )


def test_that_a_column_without_a_role_is_refused():
    with pytest.raises(ParameterError):
        released(coarsened=("z",))


def test_that_a_weight_made_of_the_answer_gives_it_away_and_another_does_not():
    draw = np.random.default_rng(1)
    secret = (draw.random(500) < 0.3).astype(np.intp)
    table = Table((numbers("w", np.where(secret, 12.0, 8.0) + draw.integers(0, 3, 500)),))
    found = role_disclosure(table, Sampling("w"), {"secret": secret}, {"secret": (0.7, 0.8)})
    (guess,) = found.guesses
    assert guess.from_roles == pytest.approx(1.0)
    assert guess.gives_away
    assert guess.columns == ("w",)
    table = Table((numbers("w", draw.integers(8, 15, 500)),))
    found = role_disclosure(table, Sampling("w"), {"secret": secret}, {"secret": (0.7, 0.8)})
    assert not found.guesses[0].tells


def test_that_a_row_alone_in_its_group_tells_nothing_about_itself():
    codes = np.array([0, 1, 0, 1, 1])
    assert best_guess(np.arange(5), codes) == pytest.approx(0.6)


def test_that_unique_rows_and_the_smallest_group_are_counted():
    table = Table((numbers("w", [1, 1, 2, 3, 3, 3]),))
    found = role_disclosure(table, Sampling("w"), {}, {})
    assert (found.unique, found.smallest, found.rows) == (1, 1, 6)


KEEP_SIX = np.full((3, 3), 0.2) + 0.4 * np.eye(3)


def reported_answers(seed: int, rows: int, tells: float):
    """True answers that a stratum of ten agrees with that often, and what is reported of them."""
    draw = np.random.default_rng(seed)
    stratum = draw.integers(0, 10, rows)
    true = np.where(draw.random(rows) < tells, stratum % 3, draw.integers(0, 3, rows))
    reported = np.where(draw.random(rows) < 0.4, true, draw.integers(0, 3, rows))
    return stratum, true, reported


@pytest.mark.parametrize("tells", [0.0, 0.5, 1.0])
def test_that_guesses_are_judged_by_reports_as_they_are_by_the_truth(tells):
    stratum, true, reported = reported_answers(3, 20_000, tells)
    weights = np.linalg.pinv(KEEP_SIX).T
    right, error = guess_by_reports(stratum, reported, weights, np.full(3, 1 / 3))
    assert right == pytest.approx(best_guess(stratum, true), abs=4 * error)
    assert error < 0.02


def test_that_without_true_answers_a_telling_stratum_shows_and_another_does_not():
    for tells, gives_away in ((1.0, True), (0.0, False)):
        stratum, _, reported = reported_answers(5, 4_000, tells)
        table = Table((numbers("stratum", stratum),))
        seen = {"z": Reports(reported, KEEP_SIX), "y": None}
        found = role_disclosure(table, Sampling(stratum=("stratum",)), {}, {}, seen)
        (guess,) = found.guesses
        assert guess.is_estimated
        assert guess.gives_away is gives_away
        assert guess.from_device == pytest.approx(0.6, abs=0.03)
        assert found.unjudged == ("y",)


def test_that_a_column_made_of_the_reports_is_not_taken_for_one_made_of_the_truth():
    _, _, reported = reported_answers(5, 4_000, 0.0)
    table = Table((numbers("stratum", reported),))
    seen = {"z": Reports(reported, KEEP_SIX)}
    found = role_disclosure(table, Sampling(stratum=("stratum",)), {}, {}, seen)
    assert found.follow == ("z",)
    assert not found.guesses


def test_that_a_device_that_cannot_be_inverted_is_not_judged():
    table = Table((numbers("stratum", [1, 1, 2, 2]),))
    seen = {"z": Reports(np.array([0, 1, 0, 1]), np.full((2, 2), 0.5))}
    found = role_disclosure(table, Sampling(stratum=("stratum",)), {}, {}, seen)
    assert found.unjudged == ("z",)
