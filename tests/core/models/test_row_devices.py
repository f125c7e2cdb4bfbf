"""Devices that differ from row to row, and one whose parameter is not known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.design_file import design_from_json, design_to_json
from ppworkbench.core.design.perturbation import Identity, read_perturbation
from ppworkbench.core.errors import DataError, DesignError, ParameterError
from ppworkbench.core.models import Regression, RegressionOptions, regress
from tests.core.models.conftest import binary

RANDOMISED = "condition in {low, high}"


def lie_detector(honest: float | str = "unknown") -> dict[str, object]:
    """Two random groups, and one that was asked directly."""
    return {
        "type": "by",
        "column": "condition",
        "cases": {
            "direct": {"type": "none"},
            "low": {"type": "lie-detector", "p": 2 / 12, "honest": honest},
            "high": {"type": "lie-detector", "p": 10 / 12, "honest": honest},
        },
    }


@pytest.fixture(scope="module")
def minarets(shared_data: Path) -> Table:
    """With the centred columns, over all rows, and the group as a number."""
    table = read_table(shared_data / "minarets.csv")
    columns = list(table.columns)
    for name in ("age", "leftRight"):
        data = np.asarray(table[name].data, np.float64)
        data = data - data.mean()
        columns.append(Column(Attribute(f"{name}.c", Kind.CONTINUOUS, domain=(-99, 99)), data))
    sign = np.where(table["condition"].data == 0, -1.0, 1.0)
    columns.append(Column(Attribute("sign", Kind.CONTINUOUS, domain=(-1, 1)), sign))
    return Table(tuple(columns))


def design_by(table: Table, **given: dict[str, object]) -> Design:
    """All columns, some of them randomised."""
    return Design(
        tuple(
            DesignedAttribute(
                one.attribute,
                read_perturbation(given[one.attribute.name], one.attribute.name)
                if one.attribute.name in given
                else Identity(),
            )
            for one in table.columns
        )
    )


def rows(result: Regression) -> list[float]:
    """Estimates and errors, those of the device last."""
    found = [x for one in result.terms for x in (one.estimate, one.standard_error)]
    if result.device is not None:
        found += [result.device.estimate, result.device.standard_error]
    return found


def test_share_and_honesty_of_the_lie_detector(minarets: Table) -> None:
    """Both closed forms, by two groups."""
    result = regress(
        minarets, design_by(minarets, rrt=lie_detector()), "rrt ~ 1", condition=RANDOMISED,
        predict=[{}],
    )  # fmt: skip
    assert result.n == 1256
    assert result.predictions[0].estimate == pytest.approx(0.870695, abs=1e-6)
    assert result.predictions[0].standard_error == pytest.approx(0.041085, abs=1e-6)
    assert rows(result)[-2:] == pytest.approx([0.635806, 0.017329], abs=1e-6)
    # Who does not follow the device is estimated, so the interval does not leave that out.
    assert "non-compliance" not in [one.code for one in result.contents.excludes]
    held = regress(minarets, design_by(minarets, rrt=lie_detector(0.6)), "rrt ~ 1",
                   condition=RANDOMISED)  # fmt: skip
    assert "non-compliance" in [one.code for one in held.contents.excludes]


def test_the_lie_detector_with_predictors(minarets: Table) -> None:
    """As published, and converged; robust errors beside."""
    design = design_by(minarets, rrt=lie_detector())
    formula = "rrt ~ `age.c` * `leftRight.c`"
    result = regress(minarets, design, formula, condition=RANDOMISED, predict=[{}],
                     compare_with="rrt ~ `age.c` + `leftRight.c`")  # fmt: skip
    assert result.log_likelihood == pytest.approx(-821.0840, abs=1e-3)
    assert rows(result) == pytest.approx(
        [1.896365, 0.381163, 0.013601, 0.060759, 0.624465, 0.156849, -0.020390, 0.011642,
         0.651708, 0.017997], abs=1e-4,
    )  # fmt: skip
    assert result.tests[-1].statistic == pytest.approx(1.9996, abs=1e-3)
    assert result.predictions[0].estimate == pytest.approx(0.822576, abs=1e-4)
    robust = regress(
        minarets, design, formula, RegressionOptions(variance="robust"), condition=RANDOMISED
    )
    assert rows(robust)[1::2] == pytest.approx(
        [0.368998, 0.072096, 0.130317, 0.009208, 0.018736], abs=1e-4
    )


def test_randomised_against_direct_rows(minarets: Table) -> None:
    """One model of both, and the test of one share."""
    design = design_by(minarets, rrt=lie_detector())
    result = regress(minarets, design, "rrt ~ sign * `leftRight.c`")
    assert result.log_likelihood == pytest.approx(-1051.4664, abs=1e-3)
    assert rows(result) == pytest.approx(
        [0.765158, 0.178038, 1.055680, 0.178038, 0.477655, 0.080006, 0.096765, 0.080006,
         0.652997, 0.018053], abs=1e-4,
    )  # fmt: skip
    result = regress(minarets, design, "rrt ~ sign", compare_with="rrt ~ 1")
    assert result.tests[-1].statistic == pytest.approx(84.0983, abs=1e-3)
    assert result.device is not None
    assert result.device.p < 1e-6


@pytest.mark.slow
def test_the_lie_detector_among_the_predictors(minarets: Table) -> None:
    """With honesty held, and estimated with all else, the predictor being independent of age."""
    formula = "leftRight ~ rrt + age"
    linear = RegressionOptions("linear", predictors="independent")
    held = design_by(minarets, rrt=lie_detector(0.635806))
    result = regress(minarets, held, formula, linear, condition=RANDOMISED)
    assert rows(result)[2:] == pytest.approx([1.363791, 0.28987, -0.001500, 0.00784], abs=3e-4)
    assert result.sigma == pytest.approx(1.7547, abs=1e-3)
    design = design_by(minarets, rrt=lie_detector())
    result = regress(minarets, design, formula, linear, condition=RANDOMISED)
    assert result.log_likelihood == pytest.approx(-3364.0142, abs=1e-3)
    assert rows(result)[:-1] == pytest.approx(
        [-1.560952, 0.305738, 1.361549, 0.277286, -0.001450, 0.007836, 0.653577], abs=1e-4
    )
    assert result.sigma == pytest.approx(1.749897, abs=1e-4)


@pytest.fixture(scope="module")
def exams(shared_data: Path) -> tuple[Table, Design]:
    """Every row with its own c and d."""
    table = read_table(shared_data / "rr-ethbe.csv")
    names = ("copied", "c_copied", "d_copied", "gender", "riskattitude", "RRmodel")
    table = Table(tuple(table[name] for name in names))
    risk = table["riskattitude"]
    numbers = np.append(np.asarray(risk.attribute.values, np.float64), np.nan)
    number = Column(Attribute("riskattitude", Kind.INTEGER, domain=(0, 10)), numbers[risk.data])
    table = Table(tuple(number if one is risk else one for one in table.columns))
    device = {"type": "rows", "c": "c_copied", "d": "d_copied"}
    return table, design_by(table, copied=device)


def test_every_row_with_its_own_probabilities(exams: tuple[Table, Design]) -> None:
    """By likelihood, with tests and effects, and by inverse weights."""
    table, design = exams
    formula = "copied=1 ~ gender[ref=male] + riskattitude"
    result = regress(table, design, formula, effects=True, predict=[{}],
                     compare_with="copied=1 ~ riskattitude")  # fmt: skip
    assert result.n == 4220
    assert result.log_likelihood == pytest.approx(-2603.5896, abs=1e-3)
    assert rows(result) == pytest.approx(
        [-1.697330, 0.163136, 0.180731, 0.108776, 0.079717, 0.026090], abs=1e-4
    )
    assert result.tests[-1].statistic == pytest.approx(2.7580, abs=1e-3)
    assert result.tests[-1].p == pytest.approx(0.09677, abs=1e-4)
    effects = {one.attribute: (one.estimate, one.standard_error) for one in result.effects}
    assert effects["gender"] == pytest.approx((0.032075, 0.019337), abs=1e-4)
    assert effects["riskattitude"][0] == pytest.approx(0.014082, abs=1e-4)
    assert result.predictions[0].estimate == pytest.approx(0.231055, abs=1e-4)
    inverse = regress(table, design, formula, RegressionOptions(method="inverse"))
    assert rows(inverse) == pytest.approx(
        [-1.689351, 0.181955, 0.187042, 0.119708, 0.090085, 0.028932], abs=1e-4
    )


def test_devices_that_disagree(exams: tuple[Table, Design]) -> None:
    """No interval of one device shows it."""
    table, design = exams
    plain = "copied=1 ~ gender[ref=male] + riskattitude"
    result = regress(table, design, f"{plain} + RRmodel[ref=DQ]", compare_with=plain)
    found = {one.level: one.estimate for one in result.terms if one.term.startswith("RRmodel")}
    errors = {one.level: one.standard_error for one in result.terms}
    assert list(found.values()) == pytest.approx([0.363624, 0.173543, -0.291784], abs=1e-4)
    assert [errors[level] for level in found] == pytest.approx(
        [0.142807, 0.133044, 0.180558], abs=1e-4
    )
    assert result.tests[-1].statistic == pytest.approx(14.4168, abs=1e-3)
    assert result.tests[-1].p == pytest.approx(0.002389, abs=1e-5)


def groups(*chosen: str, seed: int = 3, n: int = 3000, honest: float = 1.0) -> Table:
    """Answers of honest people through a lie detector in some groups, with one predictor."""
    draw = np.random.default_rng(seed)
    x = draw.normal(size=n)
    true = draw.random(n) < 1 / (1 + np.exp(0.8 - 0.7 * x))
    names = ("direct", "low", "high")
    group = np.array([names.index(one) for one in chosen])[draw.integers(len(chosen), size=n)]
    p = np.array([1.0, 2 / 12, 10 / 12])[group]
    told = np.where(true, (draw.random(n) < honest) | (group == 0), draw.random(n) > p)
    return Table((
        Column(binary("rrt"), told.astype(np.int32)),
        Column(Attribute("condition", Kind.NOMINAL, names), group.astype(np.int32)),
        Column(Attribute("x", Kind.CONTINUOUS, domain=(-9, 9)), x),
    ))  # fmt: skip


def test_that_one_group_cannot_tell_honesty() -> None:
    """The sentence says what is missing."""
    table = groups("low")
    with pytest.raises(DataError, match="one that is asked directly, is missing"):
        regress(table, design_by(table, rrt=lie_detector()), "rrt ~ x")


@pytest.mark.slow
def test_that_all_rows_are_honest_where_nobody_lies() -> None:
    """At the end of its range the parameter has no error, and the rest is fitted there."""
    met = set()
    for seed in range(6):
        table = groups("low", "high", seed=seed)
        result = regress(table, design_by(table, rrt=lie_detector()), "rrt ~ x")
        assert result.device is not None
        assert 0.85 < result.device.estimate <= 1
        assert abs(result.terms[1].estimate - 0.7) < 4 * result.terms[1].standard_error
        if result.device.estimate == 1:
            known = regress(table, design_by(table, rrt=lie_detector(1.0)), "rrt ~ x")
            assert rows(known) == pytest.approx(rows(result)[:-2], abs=1e-6)
            assert np.isnan(result.device.standard_error)
            assert result.device.p == 1
            assert any("the end of its range" in one for one in result.remarks)
        met.add(result.device.estimate == 1)
    assert met == {True, False}


def test_that_only_likelihood_estimates_a_device() -> None:
    """Other methods need a device that is known whole."""
    table = groups("low", "high")
    design = design_by(table, rrt=lie_detector())
    for options in (RegressionOptions(method="inverse"), RegressionOptions(penalty="jeffreys")):
        with pytest.raises(ParameterError, match="unknown parameter"):
            regress(table, design, "rrt ~ x", options)


def test_that_a_value_without_a_device_is_named() -> None:
    """With the number of rows; a condition can leave them out."""
    table = groups("direct", "low", "high")
    device = lie_detector(1.0)
    del device["cases"]["direct"]  # type: ignore[attr-defined]
    design = design_by(table, rrt=device)
    with pytest.raises(DataError, match="rows have 'direct' in 'condition'"):
        regress(table, design, "rrt ~ x")
    result = regress(table, design, "rrt ~ x", condition=RANDOMISED)
    assert result.left_out == 0


@pytest.mark.slow
def test_that_one_device_for_all_rows_is_the_ordinary_one() -> None:
    """By a column whose values share a device, with errors of every kind, and the fit's test."""
    table = groups("low", "high")
    case = {"type": "forced", "p_truth": 0.7}
    device = {"type": "by", "column": "condition", "cases": {"low": case, "high": case}}
    ordinary, by_row = design_by(table, rrt=case), design_by(table, rrt=device)
    for variance in ("model", "robust"):
        options = RegressionOptions(variance=variance)
        first, second = (regress(table, one, "rrt ~ x", options) for one in (ordinary, by_row))
        assert rows(second) == pytest.approx(rows(first), abs=1e-8)
    first, second = (
        regress(table, one, "x ~ rrt", RegressionOptions("linear")) for one in (ordinary, by_row)
    )
    assert rows(second) == pytest.approx(rows(first), abs=1e-6)
    fit = regress(table, by_row, "rrt ~ x", fit_replicates=19).fit
    assert fit is not None
    assert sum(group.n for group in fit.groups) == pytest.approx(table.rows, rel=1e-12)


def test_that_other_questions_say_why_they_cannot() -> None:
    """A count, a distortion, and a matrix of a device that differs by row."""
    from ppworkbench.core.design.distort import distort
    from ppworkbench.core.rng import SeededStreams
    from ppworkbench.core.survey.counts import count

    table = groups("low", "high")
    design = design_by(table, rrt=lie_detector())
    with pytest.raises(DesignError, match="which only regression and compliance estimate"):
        count(table, design, "rrt=yes")
    with pytest.raises(DesignError, match="no one transition matrix"):
        design.perturbation("rrt").matrix(2)
    with pytest.raises(DesignError, match="already randomised"):
        distort(table, design, SeededStreams(1))


def test_designs_with_such_devices_are_written_and_read() -> None:
    """Word by word."""
    table = groups("low", "high")
    design = design_by(table, rrt=lie_detector())
    assert design_from_json(design_to_json(design)) == design
    for wrong, words in (
        ({"type": "by", "column": "rrt", "cases": {"no": {"type": "none"}}}, "not randomised"),
        ({"type": "by", "column": "nowhere", "cases": {"no": {"type": "none"}}}, "'nowhere'"),
        ({"type": "by", "column": "condition", "cases": {}}, "every value"),
        ({"type": "by", "column": "condition", "cases": {"low": {"type": "by"}}}, "ordinary"),
        ({"type": "rows", "c": "x"}, "'d' is missing"),
        ({"type": "lie-detector", "p": 2}, "between 0 and 1"),
    ):
        with pytest.raises(DesignError, match=words):
            design_by(table, rrt=wrong)
