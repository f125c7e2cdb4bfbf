"""Lists: published results, properties, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from ppworkbench.core.compliance.assess_list import ListInquiry, assess_list
from ppworkbench.core.compliance.list_likelihood import (
    CEILING,
    CONTRADICTED,
    FLOOR,
    UNKNOWN,
    fit_likelihood,
)
from ppworkbench.core.compliance.list_models import (
    AT_BOUND,
    ListRows,
    fit_least_squares,
    fit_linear,
)
from ppworkbench.core.compliance.lists import (
    ListCounts,
    beliefs,
    double_list,
    exposed,
    independent_items,
    list_variance,
    type_table,
    with_direct_question,
)
from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.design_file import design_from_json
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message

pytestmark = pytest.mark.thorough

FACTOR = 1.959964
SHORT = np.array([8, 132, 222, 227.0])
RACE = ListCounts(SHORT, np.array([19, 123, 229, 219, 34.0]))
OTHER = ListCounts(SHORT, np.array([9, 78, 172, 184, 139.0]))
TERMS = ("(intercept)",)


def race_design(**changes: Any) -> Design:
    """The design of the data ``list-race``."""
    yes_no = {"kind": "binary", "values": ["no", "yes"]}
    attributes = {
        "age": {"kind": "integer", "domain": [18, 99]}, "south": yes_no, "male": yes_no,
        "college": yes_no,
    }  # fmt: skip
    asked = {
        "count": "count", "items": ["gas", "sport", "firms"], "short": ["short"],
        "long": ["long"],
    }  # fmt: skip
    return design_from_json(
        {
            "format": "ppworkbench-design",
            "version": 2,
            "attributes": {**attributes, **changes},
            "arms": {
                "column": "list",
                "members": {"short": {"share": 0.5}, "long": {"share": 0.5}},
            },
            "lists": {"neighbour": asked},
        }
    )


def test_the_difference_and_the_types_of_people() -> None:
    """As published, with the test of a design effect."""
    found = RACE.difference(FACTOR)
    assert [found.estimate, found.standard_error] == pytest.approx([0.067797, 0.049578], abs=1e-6)
    types, p = type_table(RACE)
    assert [one.share for one in types] == pytest.approx(
        [-0.016866, 0.010127, 0.020050, 0.054487, 0.030449, 0.213982, 0.356860, 0.330912], abs=1e-6
    )
    assert [one.standard_error for one in types[:3]] == pytest.approx(
        [0.008370, 0.024276, 0.028080], abs=1e-6
    )
    assert types[0].p == pytest.approx(0.0219, abs=1e-4)
    assert p == pytest.approx(0.1539, abs=1e-4)
    assert RACE.ceiling == pytest.approx(0.385, abs=5e-4)
    assert [one.sensitive for one in types] == [True] * 4 + [False] * 4


def test_a_second_item_with_the_same_short_list() -> None:
    """No type is negative."""
    found = OTHER.difference(FACTOR)
    assert [found.estimate, found.standard_error] == pytest.approx([0.494740, 0.054252], abs=1e-6)
    assert type_table(OTHER)[1] == 1


def log_likelihood(counts: ListCounts, theta: np.ndarray) -> float:
    """The likelihood written out: the log odds of the share, and a weight for each count."""
    p, f = 1 / (1 + math.exp(-theta[0])), np.exp(np.append(0.0, theta[1:]))
    f /= f.sum()
    long = (1 - p) * np.append(f, 0.0) + p * np.append(0.0, f)
    return float(counts.short @ np.log(f) + counts.long @ np.log(long))


@pytest.mark.parametrize("counts", [RACE, OTHER])
def test_that_the_likelihood_without_predictors_is_at_its_highest(counts: ListCounts) -> None:
    """As a general search of the likelihood finds it, with the interval of a likelihood ratio."""
    fitted = fit_likelihood(ListRows.of_counts(counts), TERMS, FACTOR)
    best = minimize(lambda theta: -log_likelihood(counts, theta), np.zeros(4))
    share = 1 / (1 + math.exp(-best.x[0]))
    assert fitted.share.estimate == pytest.approx(share, abs=1e-4)
    assert fitted.log_likelihood == pytest.approx(-best.fun, abs=1e-4)
    for end in (fitted.share.low, fitted.share.high):
        odds = math.log(end / (1 - end))
        held = minimize(
            lambda theta, odds=odds: -log_likelihood(counts, np.append(odds, theta)), best.x[1:]
        )
        assert 2 * (held.fun - best.fun) == pytest.approx(FACTOR**2, abs=1e-2)
    error = 1 / math.sqrt(_curvature(counts, best.x)) * share * (1 - share)
    assert fitted.share.standard_error == pytest.approx(error, rel=0.02)


def _curvature(counts: ListCounts, theta: np.ndarray) -> float:
    """How sharply the likelihood falls as the share moves and the rest follows."""
    step = 0.02

    def rest(odds: float) -> float:
        found = minimize(
            lambda theta: -log_likelihood(counts, np.append(odds, theta)), theta[1:], tol=1e-9
        )
        return float(found.fun)

    middle = rest(theta[0])
    return (rest(theta[0] + step) + rest(theta[0] - step) - 2 * middle) / step**2


UNEQUAL = [(0.95, 0.05, 0.5), (0.9, 0.1, 0.5), (0.5, 0.5, 0.5)]


def long_shares(harmless: np.ndarray, share: float) -> np.ndarray:
    """The counts of the long list if the item has nothing to do with the others."""
    return (1 - share) * np.append(harmless, 0.0) + share * np.append(0.0, harmless)


@pytest.mark.parametrize("items", UNEQUAL)
def test_that_rare_and_common_items_do_not_mislead(items: tuple[float, ...]) -> None:
    """The advice of one rare and one common item leaves a fifth a fifth, by every method."""
    harmless = independent_items(items)
    counts = ListCounts(harmless * 1e5, long_shares(harmless, 0.2) * 1e5)
    rows = ListRows.of_counts(counts)
    assert counts.difference(FACTOR).estimate == pytest.approx(0.2)
    for fit in (fit_likelihood, fit_linear, fit_least_squares):
        assert fit(rows, TERMS, FACTOR).share.estimate == pytest.approx(0.2, abs=1e-5)
    assert fit_likelihood(rows, TERMS, FACTOR).assumption_p > 0.99


@pytest.mark.parametrize("items", UNEQUAL[:2])
def test_that_intervals_cover_the_truth_with_unequal_items(items: tuple[float, ...]) -> None:
    """Of 40 draws 34 or more, which 95 % miss three times in a thousand."""
    harmless, rng = independent_items(items), np.random.default_rng(3)
    long, hits = long_shares(harmless, 0.2), np.zeros(2)
    for _ in range(40):
        drawn = [rng.multinomial(300, one).astype(np.float64) for one in (harmless, long)]
        counts = ListCounts(*drawn)
        fitted = fit_likelihood(ListRows.of_counts(counts), TERMS, FACTOR)
        found = counts.difference(FACTOR), fitted.share
        hits += [one.low <= 0.2 <= one.high for one in found]
    assert hits.min() >= 34


def test_that_the_difference_is_estimated_where_nothing_is_chosen() -> None:
    """With predictors, too; no model stands beside it unless it is asked for."""
    table, design = people(600), race_design()
    assert ListInquiry("neighbour").way == "difference"
    plain = assess_list(table, design, ListInquiry("neighbour"))
    assert plain.model is None
    assert plain.share == plain.difference
    model = assess_list(table, design, ListInquiry("neighbour", predictors=("south",))).model
    assert model is not None
    assert model.log_likelihood is None


def test_that_a_likelihood_that_the_counts_contradict_is_marked() -> None:
    """Carriers have another number of harmless items, so the result keeps to the difference."""
    harmless, carriers = independent_items((0.9, 0.1, 0.5)), independent_items((0.9, 0.1, 0.9))
    short = 0.8 * harmless + 0.2 * carriers
    long = 0.8 * np.append(harmless, 0.0) + 0.2 * np.append(0.0, carriers)
    halves = [np.rint(2000 * one).astype(int) for one in (short, long)]
    numbers = np.concatenate([np.repeat(np.arange(len(one)), one) for one in halves])
    heard = np.repeat([0, 1], [one.sum() for one in halves])
    design = race_design()
    data = dict.fromkeys(("age", "south", "male", "college"), np.zeros(len(heard), np.int64))
    data |= {"count": numbers, "list": heard}
    table = Table(tuple(Column(design[name].attribute, one) for name, one in data.items()))
    found = assess_list(table, design, ListInquiry("neighbour", "ml"))
    assert found.model is not None
    assert found.model.is_contradicted
    assert CONTRADICTED in [one.code for one in found.remarks]  # type: ignore[attr-defined]
    assert found.share == found.difference
    assert found.difference.estimate == pytest.approx(0.2, abs=2e-3)
    assert "contradict" in found.sentence
    assert found.to_json()["assumption_p"] == found.model.assumption_p


def test_that_a_list_says_what_its_interval_includes() -> None:
    """As other results do; weights may be wrong themselves."""
    table, design = people(300), race_design()
    found = assess_list(table, design, ListInquiry("neighbour")).to_json()
    assert [one.code for one in found["contains"]] == ["sampling"]
    assert [one.code for one in found["excludes"]] == ["non-compliance", "non-response"]
    weighted = assess_list(
        table, design, ListInquiry("neighbour"), sampling=Sampling(weight="age")
    ).to_json()
    assert "weights" in [one.code for one in weighted["excludes"]]


def test_that_the_ends_of_a_list_leave_no_doubt() -> None:
    """Belief after each number, and how many people are exposed by theirs."""
    share = RACE.difference(FACTOR).estimate
    assert beliefs(share, RACE.short_shares) == pytest.approx(
        [0, 0.0044, 0.0415, 0.0664, 1], abs=1e-4
    )
    no, yes = exposed(share, RACE.short_shares)
    assert (no, yes) == pytest.approx(((1 - share) * 8 / 589, share * 227 / 589))


def test_what_is_planned() -> None:
    """n times the variance at a share of 0.2 with three items of one half."""
    assert list_variance(0.2, 0.75, 0.5) == pytest.approx(3.32)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(1, 60), min_size=3, max_size=6),
    st.floats(0.05, 0.95),
    st.integers(0, 2**31),
)
def test_that_least_squares_without_predictors_are_the_difference(
    short: list[int], share: float, seed: int
) -> None:
    """Whatever the list."""
    harmless = np.array(short) / sum(short)
    long = share * np.append(0, harmless) + (1 - share) * np.append(harmless, 0)
    drawn = np.random.default_rng(seed).multinomial(400, long).astype(np.float64)
    counts = ListCounts(np.array(short, np.float64) * 3, drawn)
    difference = counts.difference(FACTOR)
    if not 0.02 < difference.estimate < 0.98:
        return
    found = fit_least_squares(ListRows.of_counts(counts), TERMS, FACTOR).share
    assert found.estimate == pytest.approx(difference.estimate, abs=1e-6)
    assert found.standard_error == pytest.approx(difference.standard_error, rel=0.2)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
# From five numbers on, the weights of the test are drawn.
@example([20, 4, 0, 9, 31], 1)
@given(st.lists(st.integers(0, 60), min_size=3, max_size=4), st.integers(0, 2**31))
def test_that_shares_of_types_make_up_everybody(short: list[int], seed: int) -> None:
    """Those with the item add up to the difference, and all of them to 1."""
    counts = np.array(short, np.float64) + 1
    drawn = np.random.default_rng(seed).multinomial(
        200, np.full(len(short) + 1, 1 / (len(short) + 1))
    )
    halves = ListCounts(counts, drawn + 1.0)
    types, p = type_table(halves)
    assert sum(one.share for one in types) == pytest.approx(1)
    with_item = sum(one.share for one in types if one.sensitive)
    assert with_item == pytest.approx(halves.difference(FACTOR).estimate)
    assert 0 <= p <= 1


def test_that_a_share_at_the_bound_has_no_standard_error() -> None:
    """Nobody who hears the long list counts more than the others."""
    same = ListCounts(np.array([20, 60, 60, 20.0]), np.array([30, 65, 50, 15, 0.0]))
    likelihood = fit_likelihood(ListRows.of_counts(same), TERMS, FACTOR)
    assert likelihood.share.low == 0
    assert 0.01 < likelihood.share.high < 0.2
    for fitted in (likelihood, fit_least_squares(ListRows.of_counts(same), TERMS, FACTOR)):
        assert fitted.share.estimate == pytest.approx(0, abs=1e-5)
        assert math.isnan(fitted.share.standard_error)
        assert [one.code for one in fitted.remarks] == [AT_BOUND]  # type: ignore[attr-defined]


def test_that_people_who_leave_the_item_out_at_an_end_are_found() -> None:
    """From the expected counts of a model with half of them leaving it out."""
    harmless = np.array([math.comb(4, y) * 0.6**y * 0.4 ** (4 - y) for y in range(5)])
    p, u, low = 0.4, 0.5, 0.3
    long = (1 - p) * np.append(harmless, 0) + p * np.append(0, harmless)
    moved_up, moved_down = p * u * harmless[-1], p * low * harmless[0]
    long += np.array([moved_down, -moved_down, 0, 0, moved_up, -moved_up])
    counts = ListCounts(harmless * 1e6, long * 1e6)
    fitted = fit_likelihood(ListRows.of_counts(counts), TERMS, FACTOR, (CEILING, FLOOR))
    assert fitted.share.estimate == pytest.approx(p, abs=1e-4)
    assert fitted.leaving_out[CEILING].estimate == pytest.approx(u, abs=1e-3)
    assert fitted.leaving_out[FLOOR].estimate == pytest.approx(low, abs=1e-3)
    none = fit_likelihood(ListRows.of_counts(RACE), TERMS, FACTOR, (CEILING,))
    assert none.leaving_out[CEILING].estimate == 0
    assert math.isnan(none.leaving_out[CEILING].standard_error)


def test_that_a_share_that_nothing_tells_about_is_no_number() -> None:
    """Everybody has all of the harmless items, so nobody has none of them."""
    certain = ListCounts(np.array([0, 0, 0, 90.0]), np.array([0, 0, 0, 0, 90.0]))
    fitted = fit_likelihood(ListRows.of_counts(certain), TERMS, FACTOR, (CEILING, FLOOR))
    assert fitted.leaving_out[CEILING].estimate == 0
    assert math.isnan(fitted.leaving_out[FLOOR].estimate)
    assert UNKNOWN in [one.code for one in fitted.remarks]  # type: ignore[attr-defined]


def test_that_a_share_that_is_negative_for_certain_is_found() -> None:
    """All of the short list say 3, and all of the long one 1."""
    types, p = type_table(
        ListCounts(np.array([0, 0, 0, 90.0]), np.array([0, 90.0, 0, 0, 0])),
    )
    assert {one.share: one.p for one in types} == {0: 1, -1: 0, 1: 1}
    assert p == 0
    long = np.array([True, True, False, False])
    apart = double_list(np.array([2, 2, 1, 1.0]), np.array([1, 1, 1, 1.0]), long, FACTOR)
    assert apart.p == 0


def test_that_two_lists_are_compared_and_put_together() -> None:
    """Everybody hears one of them long."""
    rng = np.random.default_rng(5)
    n = 20_000
    is_long = rng.random(n) < 0.5
    item = rng.random(n) < 0.3
    first = rng.binomial(3, 0.5, n) + (item & is_long)
    second = rng.binomial(4, 0.4, n) + (item & ~is_long)
    found = double_list(first.astype(float), second.astype(float), is_long, FACTOR)
    s = (first - second).astype(float)
    expected = (s[is_long].mean() - s[~is_long].mean()) / 2
    error = 0.5 * math.sqrt(
        s[is_long].var(ddof=1) / is_long.sum() + s[~is_long].var(ddof=1) / (~is_long).sum()
    )
    assert found.share.estimate == pytest.approx(expected)
    assert found.share.standard_error == pytest.approx(error)
    assert found.first == pytest.approx(first[is_long].mean() - first[~is_long].mean())
    assert found.second == pytest.approx(second[~is_long].mean() - second[is_long].mean())
    assert found.p > 0.01
    assert found.share.low < 0.3 < found.share.high


def test_that_those_who_admit_count_as_having_the_item() -> None:
    """pi = d + (1 - d) times the difference among the others."""
    deniers = RACE.difference(FACTOR)
    found = with_direct_question(100, 400, deniers, FACTOR)
    assert found.estimate == pytest.approx(0.25 + 0.75 * deniers.estimate)
    assert found.standard_error < deniers.standard_error


def people(n: int = 3000, seed: int = 1) -> Table:
    """Answers of a list whose item goes with the south."""
    design, rng = race_design(), np.random.default_rng(seed)
    south = rng.integers(0, 2, n)
    arm = rng.integers(0, 2, n)
    item = rng.random(n) < np.where(south, 0.5, 0.15)
    count = rng.binomial(3, 0.5, n) + item * arm
    data = {
        "age": rng.integers(18, 90, n), "south": south, "male": rng.integers(0, 2, n),
        "college": rng.integers(0, 2, n), "count": count, "list": arm,
    }  # fmt: skip
    return Table(tuple(Column(design[name].attribute, column) for name, column in data.items()))


def test_that_a_regression_finds_who_has_the_item() -> None:
    """By both methods, with the mean of all as the share."""
    table = people()
    for method in ("ml", "nls"):
        inquiry = ListInquiry("neighbour", method, ("south", "male"))
        model = assess_list(table, race_design(), inquiry).model
        assert model is not None
        found = {(one.part, one.term): one for one in model.coefficients}
        slope = found["sensitive", "south[yes]"]
        assert not model.is_contradicted
        truth = math.log(0.5 / 0.5) - math.log(0.15 / 0.85)
        assert abs(slope.estimate - truth) < 3 * slope.standard_error
        assert slope.standard_error < 1
        assert abs(found["control", "male[yes]"].estimate) < 0.3
        assert model.share.low < 0.325 < model.share.high


def test_that_a_linear_regression_is_the_difference_within_groups() -> None:
    """With one yes/no predictor: estimates, and standard errors from the four sample variances."""
    table, design = people(400), race_design()
    found = assess_list(table, design, ListInquiry("neighbour", predictors=("south",)))
    assert found.model is not None
    south, heard, numbers = (table[name].data for name in ("south", "list", "count"))
    means, squares = {}, {}
    for group in (0, 1):
        cells = [numbers[(south == group) & (heard == arm)] for arm in (0, 1)]
        means[group] = cells[1].mean() - cells[0].mean()
        squares[group] = sum(one.var(ddof=1) / len(one) for one in cells)
    base, slope = found.model.coefficients[:2]
    assert base.estimate == pytest.approx(means[0])
    assert base.standard_error == pytest.approx(math.sqrt(squares[0]))
    assert slope.estimate == pytest.approx(means[1] - means[0])
    assert slope.standard_error == pytest.approx(math.sqrt(squares[0] + squares[1]))
    everybody = (south == 0).mean() * means[0] + (south == 1).mean() * means[1]
    assert found.model.share.estimate == pytest.approx(everybody)


def test_that_somebody_alone_in_a_group_is_not_certain() -> None:
    """The only one of the south who hears the long list has an error all the same."""
    table, design = people(200), race_design()
    south = np.where(table["list"].data == 1, 0, table["south"].data)
    south[np.flatnonzero(table["list"].data == 1)[0]] = 1
    changed = table.replace(table["south"].with_(data=south))
    found = assess_list(changed, design, ListInquiry("neighbour", predictors=("south",))).model
    assert found is not None
    assert found.coefficients[1].standard_error > 0.5


def test_that_weights_go_into_a_linear_regression() -> None:
    """Weights of one change nothing, a weight of two is a second record, replicates agree."""
    table, design = people(300), race_design()
    inquiry = ListInquiry("neighbour", predictors=("male", "age"))
    plain = assess_list(table, design, inquiry).model
    twice = np.flatnonzero(table["south"].data == 1)
    doubled = table.take(np.concatenate([np.arange(300), twice]))
    every = Column(table["age"].attribute.with_(name="one"), np.ones(300))
    weight = Column(table["age"].attribute.with_(name="w"), 1.0 + (table["south"].data == 1))
    weighted = table.with_(columns=(*table.columns, weight, every))
    one = assess_list(weighted, design, inquiry, sampling=Sampling(weight="one")).model
    two = assess_list(weighted, design, inquiry, sampling=Sampling(weight="w")).model
    again = assess_list(doubled, design, inquiry).model
    assert plain is not None
    assert one is not None
    assert two is not None
    assert again is not None
    for left, right in ((plain, one), (two, again)):
        assert [a.estimate for a in left.coefficients] == pytest.approx(
            [a.estimate for a in right.coefficients]
        )
        assert left.share.estimate == pytest.approx(right.share.estimate)
    assert [a.standard_error for a in one.coefficients] == pytest.approx(
        [a.standard_error for a in plain.coefficients], rel=0.03
    )
    assert one.share.standard_error == pytest.approx(plain.share.standard_error, rel=0.03)


def test_that_a_weighted_linear_regression_is_that_of_r() -> None:
    """``svyglm(count ~ (south + age) * list)`` of R's survey 4, with clusters in strata."""
    table, design, place = people(300), race_design(), np.arange(300)
    drawn = {"w": 1.0 + place % 3, "c": place // 10, "s": place // 100}
    like = table["age"].attribute
    added = (
        Column(like.with_(name=name, domain=(0, 30)), values.astype(np.float64))
        for name, values in drawn.items()
    )
    found = assess_list(
        table.with_(columns=(*table.columns, *added)),
        design,
        ListInquiry("neighbour", predictors=("south", "age")),
        sampling=Sampling(weight="w", cluster="c", stratum=("s",)),
    )
    assert found.model is not None
    estimates = [one.estimate for one in found.model.coefficients]
    errors = [one.standard_error for one in found.model.coefficients]
    assert estimates == pytest.approx(
        [0.252570232458, 0.183674317576, 0.003815570841, 1.409630120949, -0.24021814831,
         0.003345109088], rel=1e-8,
    )  # fmt: skip
    assert errors == pytest.approx(
        [0.349427397205, 0.218131441383, 0.005415289242, 0.273438328458, 0.192364722431,
         0.003853671331], rel=1e-8,
    )  # fmt: skip
    difference = found.difference
    assert (difference.estimate, difference.standard_error) == pytest.approx(
        (0.5276872964, 0.14136543157), rel=1e-8
    )


def test_that_weights_of_one_change_nothing_and_clusters_widen() -> None:
    """Linearised errors of a simple random sample are those of the formula."""
    table, design = people(), race_design()
    inquiry = ListInquiry("neighbour", "difference")
    plain = assess_list(table, design, inquiry)
    sampled = assess_list(table, design, inquiry, sampling=Sampling())
    assert sampled.difference.estimate == pytest.approx(plain.difference.estimate)
    assert sampled.difference.standard_error == pytest.approx(
        plain.difference.standard_error, rel=2e-3
    )
    assert sampled.design_effect_p == pytest.approx(plain.design_effect_p, abs=0.02)
    clustered = assess_list(table, design, inquiry, sampling=Sampling(cluster="age"))
    assert clustered.difference.standard_error != pytest.approx(plain.difference.standard_error)
    with pytest.raises(ParameterError, match="by the difference in means alone"):
        assess_list(table, design, ListInquiry("neighbour", "ml"), sampling=Sampling(weight="age"))


def test_that_weights_stand_for_people() -> None:
    """A weight of two is the same as a second record."""
    table, design = people(300), race_design()
    twice = np.flatnonzero(table["south"].data == 1)
    doubled = table.take(np.concatenate([np.arange(300), twice]))
    weight = Column(table["age"].attribute.with_(name="w"), 1.0 + (table["south"].data == 1))
    weighted = table.with_(columns=(*table.columns, weight))
    inquiry = ListInquiry("neighbour", "difference")
    found = assess_list(weighted, design, inquiry, sampling=Sampling(weight="w"))
    assert found.difference.estimate == pytest.approx(
        assess_list(doubled, design, inquiry).difference.estimate
    )
    assert found.model is None


def test_that_people_without_weight_make_no_half() -> None:
    """One person of the short list with a weight, or none, have no variance."""
    table, design = people(300), race_design()
    short = table["list"].data == 0
    inquiry = ListInquiry("neighbour", "difference")
    for kept in (0, 1):
        weights = np.where(short & (np.cumsum(short) > kept), 0.0, 1.0)
        weight = Column(table["age"].attribute.with_(name="w", domain=(0, 1)), weights)
        weighted = table.with_(columns=(*table.columns, weight))
        with pytest.raises(DataError, match="two people with a weight above 0"):
            assess_list(weighted, design, inquiry, sampling=Sampling(weight="w"))


def test_that_a_predictor_must_differ_among_people_with_the_same_list() -> None:
    """All who hear the long list live in the south, so it tells nothing about the item."""
    table, design = people(300), race_design()
    for arm in (0, 1):
        alike = np.where(table["list"].data == arm, 1, table["south"].data)
        changed = table.replace(table["south"].with_(data=alike))
        for method in ("difference", "ml", "nls"):
            with pytest.raises(DataError, match="Among people who hear the same list"):
                assess_list(changed, design, ListInquiry("neighbour", method, ("south",)))


def test_that_a_direct_question_is_used() -> None:
    """Those who say yes openly count."""
    table, design = people(), race_design()
    found = assess_list(table, design, ListInquiry("neighbour", "difference", direct="south"))
    assert found.direct is not None
    deniers = table.take(np.flatnonzero(table["south"].data == 0))
    among = assess_list(deniers, design, ListInquiry("neighbour", "difference")).difference
    open_share = float((table["south"].data == 1).mean())
    expected = open_share + (1 - open_share) * among.estimate
    assert found.direct.estimate == pytest.approx(expected)


def test_that_what_cannot_be_is_refused_in_a_sentence() -> None:
    """Counts with their row, predictors, methods and lists."""
    table, design = people(50), race_design()
    wrong = table["count"].data.copy()
    row = int(np.flatnonzero(table["list"].data == 0)[2])
    wrong[row] = 4
    broken = table.replace(table["count"].with_(data=wrong))
    with pytest.raises(DataError, match=f"Row {row + 1} of 'count' says 4, but its list has 3"):
        assess_list(broken, design, ListInquiry("neighbour"))
    with pytest.raises(ParameterError, match="'count' is part of the list"):
        assess_list(table, design, ListInquiry("neighbour", predictors=("count",)))
    with pytest.raises(ParameterError, match="part of the likelihood"):
        ListInquiry("neighbour", "nls", ceiling=True)
    with pytest.raises(ParameterError, match="Method is 'best'"):
        ListInquiry("neighbour", "best")
    with pytest.raises(ParameterError, match="no list that asks 'south'"):
        assess_list(table, design, ListInquiry("south"))
    forced = {
        "kind": "binary", "values": ["no", "yes"],
        "perturbation": {"type": "forced", "p_truth": 0.7},
    }  # fmt: skip
    with pytest.raises(ParameterError, match="'south' is randomised"):
        assess_list(table, race_design(south=forced), ListInquiry("neighbour", "ml", ("south",)))
    alone = table.take(np.flatnonzero(table["list"].data == 0))
    with pytest.raises(DataError, match="no rows of the arm 'long'"):
        assess_list(alone, design, ListInquiry("neighbour"))


def test_the_published_regressions(shared_data: Path) -> None:
    """Those of Imai (2011), table 1, and the chapter's numbers, from the data themselves."""
    table, design = read_table(shared_data / "list-race.csv"), race_design()
    plain = assess_list(table, design, ListInquiry("neighbour"))
    assert plain.difference.estimate == pytest.approx(0.067797, abs=1e-6)
    assert plain.people == (589, 624)
    predictors = ("south", "age", "male", "college")
    ml = assess_list(table, design, ListInquiry("neighbour", "ml", predictors)).model
    nls = assess_list(table, design, ListInquiry("neighbour", "nls", predictors)).model
    assert ml is not None
    assert nls is not None
    # The published likelihood takes all items as equally likely: half an error apart, no more.
    published = [-5.508, 1.676, 0.0636, 0.846, -0.315]
    for one, value in zip(ml.coefficients[:5], published, strict=True):
        assert abs(one.estimate - value) < 0.5 * one.standard_error
    found = [(one.estimate, one.standard_error) for one in nls.coefficients[:2]]
    assert [one for pair in found for one in pair] == pytest.approx(
        [-7.084, 3.669, 2.490, 1.268], abs=2e-3
    )


def expected_list(
    items: Sequence[tuple[float, ...]], sensitive: Sequence[float], n: float, linked: float = 0.0
) -> ListRows:
    """As many people of each kind as are expected; by group, its items and its share.

    ``linked`` of the people with the sensitive item have all of the others, too.
    """
    numbers, is_long, groups, people = [], [], [], []
    for group, (chances, share) in enumerate(zip(items, sensitive, strict=True)):
        harmless = independent_items(chances)
        carriers = (1 - linked) * harmless + linked * np.eye(len(harmless))[-1]
        short = (1 - share) * harmless + share * carriers
        long = (1 - share) * np.append(harmless, 0.0) + share * np.append(0.0, carriers)
        for place, counts in enumerate((short, long)):
            numbers += list(range(len(counts)))
            is_long += [bool(place)] * len(counts)
            groups += [float(group)] * len(counts)
            people += list(n * counts)
    x = np.column_stack([np.ones(len(groups)), groups])
    return ListRows(np.array(numbers, float), np.array(is_long), x, np.array(people), len(items[0]))


@pytest.mark.parametrize(
    "items",
    [[(0.95, 0.05, 0.5), (0.8, 0.2, 0.5)], [(0.9, 0.1, 0.5), (0.5, 0.5, 0.5)]],
    ids=["rare and common", "one alone"],
)
def test_that_harmless_items_may_move_apart_with_a_predictor(
    items: list[tuple[float, ...]],
) -> None:
    """The likelihood finds the sensitive item's own coefficient, and nothing speaks against it."""
    sensitive = [0.15, 0.405]
    found = fit_likelihood(expected_list(items, sensitive, 1000), ("(intercept)", "x"), FACTOR)
    odds = [math.log(share / (1 - share)) for share in sensitive]
    slope = found.coefficients[1]
    assert slope.estimate == pytest.approx(odds[1] - odds[0], abs=0.1 * slope.standard_error)
    assert found.share.estimate == pytest.approx(np.mean(sensitive), abs=1e-3)
    assert found.assumption_p > 0.9
    assert not found.is_contradicted


def test_that_the_counts_of_groups_contradict_items_that_go_together() -> None:
    """By name: the counts where groups are large, the share against the linear one elsewhere."""
    items = [(0.5, 0.5, 0.5), (0.6, 0.6, 0.6)]
    rows = expected_list(items, [0.2, 0.4], 1000, linked=0.8)
    found = fit_likelihood(rows, ("(intercept)", "x"), FACTOR)
    (said,) = [one for one in found.remarks if Message.of(one).code == CONTRADICTED]
    assert "chi-square test of all counts" in said
    assert found.is_contradicted
    random = np.random.default_rng(2)
    age = random.normal(size=3000).round(2)
    has = random.random(3000) < 1 / (1 + np.exp(1 - age))
    harmless = np.where(has, 3, random.binomial(3, 0.4, 3000))
    long = random.random(3000) < 0.5
    counts = (harmless + (has & long)).astype(np.float64)
    rows = ListRows.merged(counts, long, np.column_stack([np.ones(3000), age]), 3)
    found = fit_likelihood(rows, ("(intercept)", "age"), FACTOR)
    assert "Hausman" in found.assumption_test
    assert found.is_contradicted
