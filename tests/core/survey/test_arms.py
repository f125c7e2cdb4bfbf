"""Counts, means, distributions and tables of a survey with several versions."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import pytest
from examples import sweep
from scipy.special import fdtrc

from ppworkbench.analyses.estimates.request import estimate, estimate_by_arm
from ppworkbench.analyses.survey.questions import Question
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    ByColumn,
    ByProbabilities,
    Design,
    DesignedAttribute,
    Forced,
    Identity,
    Uniform,
)
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import DataError, DesignError, ParameterError
from ppworkbench.core.itemsets import item_data
from ppworkbench.core.message import Message
from ppworkbench.core.models import RegressionOptions, regress
from ppworkbench.core.reconstruct import ReconstructOptions, reconstruct_table
from ppworkbench.core.reconstruct.agreement import DISAGREEMENT, MEAN
from ppworkbench.core.reconstruct.by_arm import BOUNDARY, DeviceCounter
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.sampling.reconstruction import reconstruct_sample
from ppworkbench.core.sampling.variance import covariance_between
from ppworkbench.core.survey.arm_equality import arm_equality
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.core.survey.counts import Count, count
from ppworkbench.core.survey.crosstabs import crosstab
from ppworkbench.core.survey.distributions import distribution
from ppworkbench.core.survey.group_differences import compare
from ppworkbench.core.survey.means import mean
from ppworkbench.core.survey.participants import participants
from ppworkbench.study.distorted_cache import Answers

DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"))
TOWN = Attribute("town", Kind.NOMINAL, ("a", "b", "c"))
PAY = Attribute("pay", Kind.CONTINUOUS, domain=(0, 100))
ARMS = Arms(
    "version",
    (
        DesignArm("A", 0.4),
        DesignArm("B", 0.4, (("drug", Forced(p_truth=0.5)), ("town", Uniform(keep=0.9)))),
        DesignArm("direct", 0.2, (("drug", Identity()),), ("pay",)),
    ),
)


def design(arms: Arms | None = ARMS) -> Design:
    """Three questions."""
    return Design(
        (
            DesignedAttribute(DRUG, Forced(p_truth=0.75)),
            DesignedAttribute(TOWN, Uniform(keep=0.7)),
            DesignedAttribute(PAY, Additive(noise="normal", sigma=8.0)),
        ),
        arms=arms,
    )


def people(n: int, seed: int = 1) -> Table:
    """More drugs in town a, more pay without them."""
    random = np.random.default_rng(seed)
    town = random.choice(3, n, p=[0.5, 0.3, 0.2]).astype(np.int8)
    drug = (random.random(n) < np.array([0.4, 0.2, 0.1])[town]).astype(np.int8)
    pay = np.clip(50 - 10 * drug + random.normal(0, 10, n), 0, 100)
    return Table((Column(DRUG, drug), Column(TOWN, town), Column(PAY, pay)))


@pytest.fixture(scope="module")
def true() -> Table:
    return people(12_000)


@pytest.fixture(scope="module")
def told(true: Table) -> Table:
    return distort(true, design(), SeededStreams(5))


def test_that_joint_estimates_come_near_the_truth(true: Table, told: Table) -> None:
    drug, town, pay = (true[name].data for name in ("drug", "town", "pay"))
    both = count(told, design(), "drug = yes and town = a")
    expected = np.count_nonzero((drug == 1) & (town == 0))
    assert abs(both.value.estimate - expected) < 3.5 * both.value.standard_error
    assert both.respondents == true.rows
    found = distribution(told, design(), "drug", "town = a")
    share = found.shares[1]
    assert abs(share.estimate - drug[town == 0].mean()) < 3.5 * share.standard_error
    table = crosstab(told, design(), "drug", "town")
    cell = table.cells[1][0]
    assert abs(cell.estimate - expected) < 3.5 * cell.standard_error
    assert table.raw.sum() == pytest.approx(true.rows)
    middle = mean(told, design(), "pay", "drug = yes")
    asked = told["version"].data != 2
    wanted = pay[asked & (drug == 1)].mean()
    assert abs(middle.value.estimate - wanted) < 3.5 * middle.value.standard_error
    assert middle.respondents == np.count_nonzero(asked)


@pytest.mark.slow
def test_that_errors_are_those_of_repeated_draws() -> None:
    """Estimates of a count over many draws spread as their standard errors say, without bias."""
    true, asked = people(900, 3), design()
    wanted = np.count_nonzero((true["drug"].data == 1) & (true["town"].data == 0))
    found = [
        count(distort(true, asked, SeededStreams(seed)), asked, "drug=yes and town=a").value
        for seed in range(150)
    ]
    middle = np.mean([one.estimate for one in found])
    spread = np.std([one.estimate for one in found])
    claimed = np.mean([one.standard_error for one in found])
    assert abs(middle - wanted) < 3.5 * spread / np.sqrt(150)
    # The claimed error also has the chance of who was asked, which is the same in all draws.
    assert 0.8 * claimed < spread < 1.1 * claimed


def test_that_not_asked_is_not_missing(told: Table) -> None:
    found = mean(told, design(), "pay")
    not_asked = int(np.count_nonzero(told["version"].data == 2))
    said = [str(one) for one in found.remarks]
    assert any(f"{not_asked:,} of 12,000 records are of arms that do not ask 'pay'" in one
               for one in said)  # fmt: skip
    assert not any("no answer" in one for one in said)
    pay = told["pay"].data.copy()
    pay[np.flatnonzero(told["version"].data == 0)[:7]] = np.nan
    found = mean(told.replace(told["pay"].with_(data=pay)), design(), "pay")
    assert any("7 of 12,000 records have no answer" in str(one) for one in found.remarks)


def test_that_the_truth_beside_is_of_those_who_were_asked(true: Table, told: Table) -> None:
    assert mean(told, design(), "pay", original=true).value.true is None
    assert count(told, design(), "drug = yes", original=true).value.true == np.count_nonzero(
        true["drug"].data
    )
    known = Table((*true.columns, told["version"]))
    asked = told["version"].data != 2
    found = count(told, design(), "pay > 50", original=known)
    assert found.value.true == np.count_nonzero((true["pay"].data > 50) & asked)


def test_that_a_pair_that_no_arm_asks_together_is_named() -> None:
    arms = Arms(
        "version",
        (DesignArm("A", 0.5, (), ("town",)), DesignArm("B", 0.5, (), ("drug",))),
    )
    asked = design(arms)
    told = distort(people(300), asked, SeededStreams(1))
    with pytest.raises(DataError) as caught:
        crosstab(told, asked, "drug", "town", "pay > 20")
    assert str(caught.value.message) == (
        "No arm asks both 'drug' and 'town', so nothing can be estimated about them together."
    )
    assert count(told, asked, "drug = yes").respondents == np.count_nonzero(
        told["version"].data == 0
    )


def test_that_one_arm_is_a_plain_survey(told: Table) -> None:
    own = ARMS.take(told, ["B"])
    alone = design().of_arm("B")
    assert alone.arms is None
    single = Arms("version", (DesignArm("B", 1.0, ARMS["B"].perturbations),))
    for asked in ("drug = yes", "drug = yes and town = a", "town in {a, b}"):
        first = count(own, alone, asked).value
        second = count(own, design(single), asked).value
        assert second.estimate == pytest.approx(first.estimate, abs=1e-8)
        assert second.standard_error == pytest.approx(first.standard_error, abs=1e-8)


def test_that_devices_by_a_column_or_in_columns_are_undone_the_same_way(told: Table) -> None:
    cases = tuple((arm.name, arm.device("drug", Forced(p_truth=0.75))) for arm in ARMS.members)
    by = ByColumn("version", tuple((name, one) for name, one in cases if one is not None))
    shown = design()["version"]
    plain = Design((DesignedAttribute(DRUG, by), shown))
    # By row, as every question about several attributes.
    met = "drug = yes and version in {A, B, direct}"
    first = count(told, plain, "drug = yes").value
    assert count(told, design(), met).value.estimate == pytest.approx(first.estimate)
    keep = np.array([0.75, 0.5, 1.0])[told["version"].data]
    numbers = [Attribute(name, Kind.CONTINUOUS, domain=(0, 1)) for name in ("c", "d")]
    with_columns = Table(
        (*told.columns, Column(numbers[0], (1 - keep) / 2), Column(numbers[1], keep))
    )
    rows = Design(
        (
            DesignedAttribute(DRUG, ByProbabilities("c", "d")),
            *(DesignedAttribute(one, Identity()) for one in numbers),
        )
    )
    second = count(with_columns, rows, "drug = yes").value
    assert second.estimate == pytest.approx(first.estimate)
    assert second.standard_error == pytest.approx(first.standard_error)


def test_that_sampling_weights_go_with_arms(true: Table, told: Table) -> None:
    weights = np.where(true["town"].data == 0, 2.0, 1.0)
    weight = Attribute("weight", Kind.CONTINUOUS, domain=(0, 5))
    table = Table((*told.columns, Column(weight, weights)))
    sampling = Sampling(weight="weight")
    found = count(table, design(), "drug = yes", sampling=sampling, options=SamplingOptions())
    assert found.share is not None
    wanted = weights @ true["drug"].data / weights.sum()
    assert abs(found.share.estimate - wanted) < 3.5 * found.share.standard_error
    shares = distribution(table, design(), "town", sampling=sampling)
    assert shares.shares[0].estimate == pytest.approx(
        weights @ (true["town"].data == 0) / weights.sum(), abs=0.03
    )
    for name, of in (("drug", 1), ("town", 0)):
        pooled = reconstruct_sample(table, design(), sampling, names=[name])[name].found
        told_of = distribution(table, design(), name, sampling=sampling).shares[of]
        assert told_of.estimate == pytest.approx(pooled.probability[of], abs=1e-9)
        assert (told_of.low, told_of.high) == pytest.approx((pooled.low[of], pooled.high[of]))
        assert told_of.standard_error == pytest.approx(pooled.standard_error[of])
    assert found.share.standard_error == pytest.approx(
        distribution(table, design(), "drug", sampling=sampling).shares[1].standard_error
    )


def test_that_one_question_is_pooled_as_its_reconstruction_is(told: Table) -> None:
    counter = DeviceCounter.of("drug", design())
    counter.add(told, ARMS.read(told))
    pooled = counter.reconstruct(0.95, None)
    one = distribution(told, design(), "drug").shares[1]
    assert one.estimate == pytest.approx(pooled.probability[1])
    assert one.standard_error == pytest.approx(pooled.standard_error[1])
    assert (one.low, one.high) == pytest.approx((pooled.low[1], pooled.high[1]))
    number = count(told, design(), "drug = yes").value
    assert number.estimate == pytest.approx(told.rows * pooled.probability[1])
    assert number.low == pytest.approx(told.rows * pooled.low[1])
    by_row = count(told, design(), "drug = yes and town in {a, b, c}").value
    assert number.standard_error < by_row.standard_error


@pytest.mark.parametrize(
    "question",
    [
        Question("count"),
        Question("mean", of="pay"),
        Question("distribution", of="town"),
        Question("crosstab", of="drug", by="town"),
    ],
)
def test_that_every_arm_is_estimated_and_tested(told: Table, question: Question) -> None:
    asked = question
    if question.statistic == "count":
        asked = question.with_(condition=parse_condition("drug = yes"))
    found = estimate_by_arm(asked.request, Answers(told), design())
    names = ["A", "B"] if question.of == "pay" else ["A", "B", "direct"]
    assert list(found.results) == names
    own = estimate(asked.request, Answers(ARMS.take(told, ["B"])), design().of_arm("B"))
    assert found.results["B"].to_json() == own.to_json()
    assert found.equality is not None
    assert found.equality.p > 0.001
    sizes = {"count": 1, "mean": 1, "distribution": 2, "crosstab": 5}
    assert found.equality.df == sizes[question.statistic] * (len(names) - 1)
    name = "wald" if question.statistic in ("mean", "crosstab") else "lr"
    assert set(found.to_json()["equality"]) - {"warnings"} == {name, "df", "p"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("surveys", "least", "most"), [(60, 1, 14), pytest.param(200, 8, 36, marks=pytest.mark.slow)]
)
def test_that_the_test_of_equality_is_level(surveys: int, least: int, most: int) -> None:
    """Of surveys with equal arms, about 1 in 10 has a p below 0.1; unequal ones are found."""
    asked, low = design(), 0
    for seed in range(surveys):
        told = distort(people(400, seed), asked, SeededStreams(seed))
        parts = [
            distribution(ARMS.take(told, [arm]), asked.of_arm(arm), "drug") for arm in ARMS.names
        ]
        test = arm_equality(parts)
        assert test is not None
        low += test.p < 0.1
    assert least <= low <= most
    drug = told["drug"].data.copy()
    drug[told["version"].data == 2] = 1
    other = told.replace(told["drug"].with_(data=drug))
    test = arm_equality([
        count(ARMS.take(other, [arm]), asked.of_arm(arm), "drug=yes") for arm in ARMS.names
    ])  # fmt: skip
    assert test is None or test.p < 1e-6


def contradicting(n: int = 1000) -> tuple[Table, Design]:
    """Half of the people by forced answers, half directly; by them 50 % and 10 % say yes."""
    arms = Arms(
        "version",
        (DesignArm("forced", 0.5), DesignArm("direct", 0.5, (("drug", Identity()),))),
    )
    asked = Design((DesignedAttribute(DRUG, Forced(p_truth=0.5)),), arms=arms)
    told = [np.repeat([0, 1], [n // 2, n // 2]), np.repeat([0, 1], [9 * n // 10, n // 10])]
    version = Attribute("version", Kind.NOMINAL, ("forced", "direct"))
    return Table(
        (
            Column(DRUG, np.concatenate(told).astype(np.int8)),
            Column(version, np.repeat([0, 1], n).astype(np.int8)),
        )
    ), asked


def disagreements(remarks: Sequence[str]) -> list[str]:
    """The remarks that arms do not agree."""
    return [one for one in remarks if isinstance(one, Message) and one.code == DISAGREEMENT]


@pytest.mark.parametrize("sampling", [None, Sampling()])
def test_that_pooled_arms_that_contradict_each_other_are_remarked(
    sampling: Sampling | None,
) -> None:
    table, asked = contradicting()
    number = count(table, asked, "drug = yes", sampling=sampling)
    shares = distribution(table, asked, "drug", sampling=sampling)
    for found in (number, shares):
        (said,) = disagreements(found.remarks)
        assert "forced 50.0 %, direct 10.0 %" in said
        assert "the mean of their own estimates is 30.0 %" in said
    if sampling is None:
        whole = reconstruct_table(table, asked, ["drug"])["drug"]
    else:
        sampled = reconstruct_sample(table, asked, sampling, names=["drug"])["drug"]
        whole = dataclasses.replace(sampled.found, warnings=sampled.remarks)
    (said,) = disagreements(whole.warnings)
    assert "“yes” forced 50.0 %, direct 10.0 %" in said
    # 1000 people by each device: 2 (l_forced + l_direct - l_pooled) of all reports.
    p = DeviceCounter.of("drug", asked)
    p.add(table, asked.arms.read(table))
    test, _ = p.equality()
    assert test is not None
    assert test.p < 1e-20


@pytest.mark.parametrize("sampling", [None, Sampling()])
def test_that_the_mean_of_the_arms_own_estimates_can_be_asked_for(
    sampling: Sampling | None,
) -> None:
    table, asked = contradicting()
    found = count(table, asked, "drug = yes", sampling=sampling, pooling=MEAN)
    assert found.value.estimate == pytest.approx(600)
    # By the forced device half of the reports are true; the direct arm adds p (1 - p) / n.
    error = np.sqrt((0.25 / 0.5**2 / 1000 + 0.09 / 1000) / 4)
    share = distribution(table, asked, "drug", sampling=sampling, pooling=MEAN).shares[1]
    assert share.estimate == pytest.approx(0.3)
    # Under a sampling whoever answers in which arm is chance as well.
    assert share.standard_error == pytest.approx(error, rel=1e-6 if sampling is None else 0.05)
    assert share.standard_error >= error - 1e-12
    (said,) = disagreements(found.remarks)
    assert "Shown is the mean" in said
    if sampling is None:
        whole = reconstruct_table(table, asked, ["drug"], ReconstructOptions(pooling=MEAN))["drug"]
    else:
        settings = ReconstructOptions(pooling=MEAN)
        whole = reconstruct_sample(
            table, asked, sampling, names=["drug"], settings=settings
        )["drug"].found  # fmt: skip
    assert whole.probability[1] == pytest.approx(0.3)
    assert (whole.low[1], whole.high[1]) == pytest.approx((share.low, share.high))
    with pytest.raises(ParameterError, match="Arms are pooled by likelihood or by mean"):
        count(table, asked, "drug = yes", pooling="own")


def test_that_arms_that_agree_are_pooled_without_a_remark(told: Table) -> None:
    for found in (count(told, design(), "drug = yes"), distribution(told, design(), "town")):
        assert not disagreements(found.remarks)
    one = count(told, design(), "drug = yes").value
    own = count(told, design(), "drug = yes", pooling=MEAN).value
    assert own.standard_error > one.standard_error
    assert abs(own.estimate - one.estimate) < 3 * own.standard_error


@pytest.mark.parametrize(
    "question", [Question("mean", of="pay"), Question("crosstab", of="drug", by="town")]
)
def test_that_other_statistics_of_arms_that_do_not_agree_are_remarked(
    told: Table, question: Question
) -> None:
    assert not disagreements(estimate(question.request, Answers(told), design()).remarks)
    is_b = told["version"].data == 1
    drug = np.where(is_b, 1, told["drug"].data).astype(np.int8)
    pay = np.where(is_b, told["pay"].data + 10, told["pay"].data)
    other = told.replace(told["drug"].with_(data=drug))
    other = other.replace(other["pay"].with_(data=pay))
    found = estimate(question.request, Answers(other), design())
    assert len(disagreements(found.remarks)) == 1


def test_that_an_arm_beyond_its_bound_makes_every_test_rough() -> None:
    table, asked = contradicting()
    drug = table["drug"].data.copy()
    drug[:1000] = np.repeat([0, 1], [850, 150])
    beyond = table.replace(table["drug"].with_(data=drug))
    for one in (
        Question("count", parse_condition("drug = yes")),
        Question("distribution", of="drug"),
    ):
        for sampling in (None, Sampling()):
            for answers, is_rough in ((table, False), (beyond, True)):
                test = estimate_by_arm(
                    one.request, Answers(answers), asked, sampling=sampling
                ).equality
                assert test is not None
                assert (BOUNDARY in test.remarks) == is_rough
                assert (str(BOUNDARY) in test.sentence) == is_rough
                assert ("warnings" in test.to_json()) == is_rough


def test_that_a_regression_goes_through_arms(told: Table) -> None:
    found = regress(told, design(), "drug ~ town", RegressionOptions("logistic"))
    assert found.n == told.rows
    effect = next(one for one in found.terms if one.level == "b")
    wanted = np.log(0.2 / 0.8) - np.log(0.4 / 0.6)
    assert abs(effect.estimate - wanted) < 3.5 * effect.standard_error
    paid = regress(told, design(), "drug ~ pay", RegressionOptions("logistic"))
    assert paid.n == np.count_nonzero(told["version"].data != 2)


def test_that_other_statistics_take_the_row_s_own_device(told: Table) -> None:
    differences = compare(told, design(), "drug", "town", value="yes")
    group = differences.groups[0]
    assert group is not None
    assert abs(group.estimate - 0.4) < 3.5 * group.standard_error
    listed = participants(told, design(), "drug = yes", size=10)
    assert (told["version"].data[listed.rows] == 2).all()


def test_that_bad_data_are_refused(told: Table) -> None:
    some = told.take(np.flatnonzero(told["version"].data < 2))
    with pytest.raises(DataError, match="no rows of the arm 'direct'"):
        count(some, design(), "drug = yes")
    with pytest.raises(DataError, match="no column 'version', which tells the arm"):
        count(told.select(["drug", "town"]), design(), "drug = yes")
    strange = Attribute("version", Kind.NOMINAL, ("A", "B", "direct", "old"))
    data = told["version"].data.copy()
    data[:3] = 3
    with pytest.raises(DataError, match="'version' is 'old' in 3 rows, which is no arm"):
        count(told.replace(Column(strange, data)), design(), "drug = yes")


def test_that_a_number_with_another_noise_is_asked_by_arm(told: Table) -> None:
    noise = Additive(noise="normal", sigma=3.0)
    arms = Arms("version", (DesignArm("A", 0.5), DesignArm("B", 0.5, (("pay", noise),))))
    asked = design(arms)
    answers = distort(people(500), asked, SeededStreams(2))
    for ask in (
        lambda: mean(answers, asked, "pay"),
        lambda: count(answers, asked, "pay > 50"),
        lambda: regress(answers, asked, "drug ~ pay"),
    ):
        with pytest.raises(DesignError, match="one arm at a time; choose an arm"):
            ask()
    own = mean(arms.take(answers, ["B"]), asked.of_arm("B"), "pay")
    assert own.value.estimate == pytest.approx(47, abs=3)


def test_that_mining_needs_one_version(told: Table) -> None:
    with pytest.raises(DesignError, match="arms"):
        item_data(told, design())


def schools(seed: int, *, by_school: bool) -> Table:
    """Answers of 60 schools that differ much, with versions within schools or school by school."""
    random = np.random.default_rng(seed)
    school = np.repeat(np.arange(60), 12)
    share = np.clip(random.beta(1.0, 2.0, 60), 0.02, 0.98)[school]
    drug = (random.random(len(school)) < share).astype(np.int8)
    # One school has a single version, or each pupil of a school draws one.
    place = random.permutation(60)[school] if by_school else random.permutation(len(school))
    version = np.searchsorted([0.4, 0.8], place / (place.max() + 1), side="right")
    cluster = Attribute("school", Kind.NOMINAL, tuple(map(str, range(60))))
    shown = design()["version"].attribute
    true = Table((
        Column(DRUG, drug), Column(TOWN, np.zeros(len(drug), np.int8)),
        Column(PAY, np.full(len(drug), 50.0)), Column(shown, version.astype(np.int8)),
    ))  # fmt: skip
    told = distort(true, design(), SeededStreams(seed))
    return Table((*told.columns, Column(cluster, school.astype(np.int8))))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("surveys", "least", "most"), [(50, 1, 12), pytest.param(150, 6, 28, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("by_school", sweep([False, True], quick=1))
def test_that_the_test_of_equality_is_level_with_clusters(
    by_school: bool, surveys: int, least: int, most: int
) -> None:
    """Pupils of one school answer alike: that must make the test neither too shy nor too bold."""
    asked = Question("count", parse_condition("drug = yes"))
    low = 0
    for seed in range(surveys):
        answers = Answers(schools(seed, by_school=by_school))
        found = estimate_by_arm(
            asked.request, answers, design(), sampling=Sampling(cluster="school")
        )
        assert found.equality is not None
        low += found.equality.p < 0.1
    assert least <= low <= most


def test_that_few_clusters_make_the_test_of_equality_careful() -> None:
    """Eight schools tell the errors of one difference roughly, and those of nine not at all."""
    table = schools(4, by_school=True)
    few = table.take(np.flatnonzero(np.isin(table["school"].data, np.arange(8))))
    many = Attribute("colour", Kind.NOMINAL, tuple("abcdefghij"))
    colours = np.random.default_rng(4).integers(0, 10, few.rows).astype(np.int8)
    few = Table((*few.columns, Column(many, colours)))
    whole = design()
    whole = dataclasses.replace(
        whole, attributes=(*whole.attributes, DesignedAttribute(many, Uniform(keep=0.8)))
    )
    sampling, arms = Sampling(cluster="school"), ("A", "B")
    asked = Question("count", parse_condition("drug = yes"), arms=arms)
    found = estimate_by_arm(asked.request, Answers(few), whole, sampling=sampling).equality
    assert found is not None
    met = few["version"].data < 2
    degrees = len(np.unique(few["school"].data[met])) - 1
    assert found.p == pytest.approx(fdtrc(1, degrees, found.statistic))
    every = Question("distribution", of="colour", arms=arms)
    assert estimate_by_arm(every.request, Answers(few), whole, sampling=sampling).equality is None
    assert estimate_by_arm(every.request, Answers(few), whole).equality is not None


def test_that_an_arm_is_a_part_of_the_sample(told: Table) -> None:
    """Rows of other arms stay where it matters how people were drawn, and nowhere else."""
    asked, whole = Question("count", parse_condition("drug = yes")), design()
    answers = Answers(told)
    own = count(ARMS.take(told, ["B"]), whole.of_arm("B"), asked.condition)
    found = estimate(asked.with_(arms=("B",)).request, answers, whole)
    assert found.to_json() == own.to_json()
    weight = Attribute("weight", Kind.CONTINUOUS, domain=(0, 5))
    weighted = Table((*told.columns, Column(weight, np.ones(told.rows))))
    drawn = estimate(
        asked.with_(arms=("B",)).request,
        Answers(weighted),
        whole,
        sampling=Sampling(weight="weight"),
    )
    assert isinstance(drawn, Count)
    assert drawn.share is not None
    assert drawn.respondents == own.respondents
    assert drawn.share.estimate == pytest.approx(own.value.estimate / own.respondents)
    # A share of a part has the error that it has by itself; a number also varies with the part.
    assert drawn.share.standard_error == pytest.approx(
        own.value.standard_error / own.respondents, rel=0.01
    )
    assert drawn.value.standard_error > 1.01 * own.value.standard_error
    with pytest.raises(ParameterError, match="not two arms"):
        estimate_by_arm(asked.with_(arms=("B",)).request, answers, whole)


def test_that_arms_share_what_their_clusters_share() -> None:
    """Wald's statistic is that of the difference, whose variance has the covariance in it."""
    table, sampling = schools(4, by_school=False), Sampling(cluster="school")
    asked = Question("count", parse_condition("drug = yes"), arms=("A", "B"))
    found = estimate_by_arm(asked.request, Answers(table), design(), sampling=sampling)
    one, two = (found.results[arm] for arm in ("A", "B"))
    assert isinstance(one, Count)
    assert isinstance(two, Count)
    assert one.sampled is not None
    assert two.sampled is not None
    joint = covariance_between([one.sampled, two.sampled])
    assert joint[0, 1] > 0
    assert one.share is not None
    assert two.share is not None
    apart = one.share.estimate - two.share.estimate
    variance = one.share.standard_error**2 + two.share.standard_error**2 - 2 * joint[0, 1]
    assert found.equality is not None
    assert found.equality.statistic == pytest.approx(apart**2 / variance)
