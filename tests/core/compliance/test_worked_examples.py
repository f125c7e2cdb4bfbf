"""Published and exact results of models of compliance, bands and lists."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ppworkbench.core.compliance.assess import assess_compliance
from ppworkbench.core.compliance.band import (
    RANDOM,
    SAFE,
    TRUTH,
    behaviour_matrix,
    corrected,
    possible_shares,
    reaching,
)
from ppworkbench.core.compliance.classes import Behaviour, Classes, Estimate, fit_classes
from ppworkbench.core.compliance.models import (
    CDM,
    SLD,
    anchored,
    closed_form,
    extended_crosswise,
    known_share,
    parameters,
    unrelated_question,
)
from ppworkbench.core.compliance.question import ComplianceQuestion
from ppworkbench.core.data.files import read_table
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.matrices.binary import Binary
from ppworkbench.core.design.perturbation import Identity, read_perturbation
from ppworkbench.core.errors import DataError
from ppworkbench.core.reconstruct.pooled import Arm, equality, fit_shares

ANSWERS = ("no", "yes")
FACTOR = 1.959964


def arm(yes: float, n: float, on_yes: float, on_no: float, name: str = "") -> Arm:
    """Reports of "yes" by people with the trait and by those without it."""
    matrix = np.array([[1 - on_no, 1 - on_yes], [on_no, on_yes]])
    return Arm(name, np.array([n - yes, yes], np.float64), matrix)


def told_yes(yes: float, n: float, p: float) -> Arm:
    """Cheater detection: told to say yes with p, else the truth."""
    return arm(yes, n, 1.0, p)


def crosswise(same: float, n: float, p: float) -> Arm:
    """ "Same" is recorded as yes."""
    return arm(same, n, p, 1 - p)


def always_no(*arms: Arm) -> Classes:
    """With a class that says no whatever the device says."""
    return fit_classes(arms, ANSWERS, [Behaviour(0)], [1])


def numbers(*given: Estimate) -> list[float]:
    """Estimates and their standard errors."""
    return [x for one in given for x in (one.estimate, one.standard_error)]


MINARETS = (arm(373, 564, 1.0, 10 / 12), arm(398, 692, 1.0, 2 / 12))


def test_the_stochastic_lie_detector() -> None:
    """As published, with three readings and the test of honesty."""
    found = always_no(*MINARETS)
    assert numbers(*parameters(found, SLD).values()) == pytest.approx(
        [0.870695, 0.041085, 0.635806, 0.017329], abs=1e-6
    )
    assert numbers(*found.readings.values()) == pytest.approx(
        [0.553594, 0.024012, 0.810653, 0.054377, 0.870695, 0.041085], abs=1e-6
    )
    assert numbers(found.estimates[2]) == pytest.approx([0.317102, 0.025348], abs=1e-6)
    assert found.honest_shares[1] == pytest.approx(0.369132, abs=1e-6)
    assert found.honesty is not None
    assert found.honesty.statistic == pytest.approx(249.4578, abs=1e-4)


def test_cheater_detection() -> None:
    """The closed form, and what a test would miss."""
    found = always_no(told_yes(210, 500, 0.2), told_yes(390, 500, 0.8))
    assert numbers(*parameters(found, CDM).values()) == pytest.approx(
        [0.30, 0.030071, 0.60, 0.048028, 0.10, 0.025773], abs=1e-6
    )
    assert numbers(*found.readings.values())[2:] == pytest.approx(
        [0.333333, 0.038875, 0.40, 0.048028], abs=1e-6
    )
    assert found.honesty is not None
    assert found.honesty.statistic == pytest.approx(17.7577, abs=1e-4)
    assert found.honesty.p == pytest.approx(1.25e-5, abs=1e-7)
    assert found.honest_shares[1] == pytest.approx(0.236380, abs=1e-6)
    assert found.power == pytest.approx(0.6721, abs=1e-4)


def test_cheater_detection_outside_the_possible() -> None:
    """On the boundary, the closed form beside it; the likelihood gives the intervals."""
    found = always_no(told_yes(80, 500, 0.2), told_yes(410, 500, 0.8))
    solved = closed_form(found)
    assert solved is not None
    assert list(solved.values()) == pytest.approx([1.10, -0.06, -0.04])
    assert found.fitted.shares == pytest.approx([1, 0, 0])
    assert 2 * (-found.fitted.log_likelihood) > 0
    free = sum(fit_shares([one.with_matrix(np.eye(2))]).log_likelihood for one in found.fitted.arms)
    assert 2 * (free - found.fitted.log_likelihood) == pytest.approx(6.5638, abs=1e-4)
    for one in found.estimates[1:]:
        assert one.low == 0
        assert 0 < one.high < 0.1
        assert np.isnan(one.standard_error)
    assert np.isnan(found.estimates[0].standard_error)
    assert found.fitted.fit is not None
    assert found.fitted.fit.statistic == pytest.approx(6.5638, abs=1e-4)


def test_symmetric_cheater_detection() -> None:
    """Told yes or no."""
    found = always_no(arm(190, 500, 0.75, 0.25), arm(290, 500, 0.9, 0.5))
    assert numbers(*parameters(found, CDM).values()) == pytest.approx(
        [0.30, 0.081172, 0.62, 0.170714, 0.08, 0.093617], abs=1e-6
    )


def test_the_unrelated_question_with_an_unknown_share() -> None:
    """Both shares by two arms."""
    arms = [arm(170, 500, 1, 0), arm(230, 500, 1, 0)]
    found = unrelated_question(arms, (0.7, 0.3), 1, FACTOR)
    assert numbers(*found.parameters.values()) == pytest.approx(
        [0.25, 0.040668, 0.55, 0.042118], abs=1e-6
    )
    with pytest.raises(DataError, match="another probability is missing"):
        unrelated_question(arms, (0.7, 0.7), 1, FACTOR)


def test_the_unrelated_question_outside_the_possible() -> None:
    """The most likely possible shares by a search, the equations beside them."""
    arms = [arm(20, 500, 1, 0), arm(230, 500, 1, 0)]
    found = unrelated_question(arms, (0.7, 0.3), 1, FACTOR)
    assert found.closed_form == pytest.approx({"pi": -0.275, "u": 0.775})
    assert found.boundary
    assert found.fit is not None
    assert found.fit.statistic == pytest.approx(88.3747, abs=1e-4)
    assert found.log_likelihood == pytest.approx(-473.1313, abs=1e-4)
    pi, u = found.parameters.values()
    assert (pi.estimate, pi.low) == (0, 0)
    assert np.isnan(pi.standard_error)
    assert 0 < pi.high < 0.02
    assert u.estimate == pytest.approx(0.529997, abs=1e-6)
    assert 0.47 < u.low < u.estimate < u.high < 0.59


@pytest.mark.parametrize(
    ("arms", "expected", "statistic", "p"),
    [
        ([(114, 172, 1 / 6), (71, 192, 5 / 6)], [0.281593, 0.037607, 0.032582, 0.050132],
         0.421391, 0.5162),
        ([(352, 500, 0.2), (148, 500, 0.8)], [0.16, 0.024059, 0, 0.028871], 0, 1),
        ([(360, 500, 0.2), (190, 500, 0.8)], [0.216667, 0.024782, 0.10, 0.029570], 11.3398,
         0.000759),
    ],
)  # fmt: skip
def test_the_extended_crosswise_model(
    arms: list[tuple[float, float, float]], expected: list[float], statistic: float, p: float
) -> None:
    """One share, the surplus of "same", and the fit."""
    found = extended_crosswise([crosswise(*one) for one in arms], 1, FACTOR)
    assert numbers(*found.parameters.values()) == pytest.approx(expected, abs=1e-6)
    assert found.fit is not None
    assert found.fit.statistic == pytest.approx(statistic, abs=1e-4)
    assert found.fit.p == pytest.approx(p, abs=1e-4)
    assert found.log_likelihood is not None
    assert found.log_likelihood < 0


def test_people_who_always_pick_same() -> None:
    """The surplus as a class of its own."""
    arms = [crosswise(360, 500, 0.2), crosswise(190, 500, 0.8)]
    found = fit_classes(arms, ANSWERS, [Behaviour(1)], [1])
    assert numbers(found.estimates[2]) == pytest.approx([0.10, 0.029570], abs=1e-6)
    assert found.readings["followers"].estimate == pytest.approx(0.185185, abs=1e-6)


def test_a_crosswise_question_with_an_anchor() -> None:
    """Corrected by attention, and the joint table."""
    table = np.array([[148, 425], [311, 1116]], np.float64)
    found = anchored(table, 0.15, 0.15, 0.0, FACTOR).parameters
    assert numbers(found["uncorrected"]) == pytest.approx([0.1950, 0.0144], abs=1e-4)
    assert numbers(found["attentive"], found["pi"]) == pytest.approx(
        [0.772857, 0.026865, 0.105360, 0.022697], abs=1e-6
    )
    assert [found["joint_pi"].estimate, found["joint_attentive"].estimate] == pytest.approx(
        [0.119357, 0.787722], abs=1e-6
    )
    fit = anchored(table, 0.15, 0.15, 0.0, FACTOR).fit
    assert fit is not None
    assert [fit.statistic, fit.p] == pytest.approx([3.3731, 0.0663], abs=1e-4)
    with pytest.raises(DataError, match="no better than by chance"):
        anchored(table[:, ::-1], 0.15, 0.15, 0.0, FACTOR)


def test_three_values_and_people_who_always_say_the_first() -> None:
    """Identified by two arms; answers at random are not."""
    arms = []
    for keep, counts in ((0.8, (505, 279, 216)), (0.5, (437.5, 292.5, 270))):
        matrix = np.full((3, 3), (1 - keep) / 2) + (keep - (1 - keep) / 2) * np.eye(3)
        arms.append(Arm("", np.array(counts, np.float64), matrix))
    found = fit_classes(arms, ("a", "b", "c"), [Behaviour(0)], [2])
    assert found.fitted.shares == pytest.approx([0.45, 0.27, 0.18, 0.10], abs=1e-9)
    assert found.fitted.standard_errors == pytest.approx([0.0614, 0.0214, 0.0198, 0.0389], abs=1e-4)
    assert found.fitted.fit is not None
    assert (found.fitted.fit.statistic, found.fitted.fit.df) == (pytest.approx(0, abs=1e-9), 1)
    with pytest.raises(DataError, match="at random"):
        fit_classes(arms, ("a", "b", "c"), [Behaviour(None)], [2])


def test_that_crosswise_arms_never_show_random_answers() -> None:
    """Whatever the two probabilities; they look like a share nearer to one half."""
    with pytest.raises(DataError, match="differ in another way"):
        fit_classes(
            [crosswise(300, 500, 0.2), crosswise(250, 500, 0.7)], ANSWERS, [Behaviour(None)], [1]
        )
    with pytest.raises(DataError, match="One arm cannot show"):
        fit_classes([crosswise(300, 500, 0.2)], ANSWERS, [Behaviour(0)], [1])


def test_bands_of_one_arm() -> None:
    """Estimates over the share that does not follow, the largest one, and tipping points."""
    same = crosswise(0.6385 * 310, 310, 0.25)
    found = [corrected(same, behaviour_matrix(RANDOM, 2, 0), c, [1]) for c in (0, 0.1, 0.2)]
    assert [one for one, _ in found] == pytest.approx([0.2230, 0.1922, 0.1538], abs=1e-4)
    assert found[0][1] == pytest.approx(0.0546, abs=1e-4)
    assert possible_shares(same, RANDOM, 0) == pytest.approx((0, 0.4460), abs=1e-4)
    assert reaching(same, RANDOM, 0, [1], 0.073) == pytest.approx(0.3513, abs=1e-4)
    forced = arm(831, 2435, 5 / 6, 1 / 6)
    told = {
        behaviour: corrected(forced, behaviour_matrix(behaviour, 2, 0), 0.1, [1])
        for behaviour in (TRUTH, SAFE, RANDOM)
    }
    assert told[SAFE] == pytest.approx((0.318789, 0.016014), abs=1e-6)
    assert [told[RANDOM][0], told[TRUTH][0]] == pytest.approx([0.235455, 0.273247], abs=1e-6)
    assert possible_shares(forced, SAFE, 0) == pytest.approx((0, 0.5905), abs=1e-4)
    assert reaching(forced, SAFE, 0, [1], 0.30) == pytest.approx(0.0693, abs=1e-4)
    known = known_share(forced, np.array([1.0, 0.0]), 0.1, 0.02, [1], FACTOR)
    assert numbers(known) == pytest.approx([0.318789, 0.020401], abs=1e-6)


def test_arms_of_one_survey(shared_data: Path) -> None:
    """Twenty-five devices for one question, by technique and between techniques."""
    table = read_table(shared_data / "rr-ethbe.csv")
    names = ("RRmodel", "expcond", "c_copied", "d_copied")
    copied, technique = table["copied"], table["RRmodel"]
    keys = np.column_stack([np.asarray(table[name].data, np.float64) for name in names])
    keys[np.isnan(keys)] = -1
    answered = copied.data >= 0
    met, place = np.unique(keys[answered], axis=0, return_inverse=True)
    place = place.reshape(-1)
    yes = np.bincount(place, copied.data[answered] == 1, len(met))
    n = np.bincount(place, minlength=len(met))
    arms = [
        arm(yes[g], n[g], c + d, c, technique.attribute.values[int(model)])
        for g, (model, _, c, d) in enumerate(met)
    ]
    assert len(arms) == 25
    pooled = fit_shares(arms)
    assert (pooled.shares[1], pooled.standard_errors[1]) == pytest.approx(
        (0.231163, 0.009424), abs=1e-6
    )
    test = equality(arms)
    assert (test.statistic, test.df, test.p) == (
        pytest.approx(25.2680, abs=1e-4), 24, pytest.approx(0.3913, abs=1e-4),
    )  # fmt: skip
    sets = {}
    for one in arms:
        sets.setdefault(one.name, []).append(one)
    shares = {name: fit_shares(members) for name, members in sets.items()}
    expected = {
        "Crosswise": (0.282815, 0.022107), "DQ": (0.218056, 0.015389),
        "Forced": (0.246359, 0.017777), "UQM": (0.174659, 0.022108),
    }  # fmt: skip
    for name, (share, error) in expected.items():
        found = shares[name]
        assert (found.shares[1], found.standard_errors[1]) == pytest.approx(
            (share, error), abs=1e-6
        )
    between = equality(arms, list(sets.values()))
    assert (between.statistic, between.df, between.p) == (
        pytest.approx(13.1664, abs=1e-4), 3, pytest.approx(0.00429, abs=1e-5),
    )  # fmt: skip


def by_condition(honest: float | str) -> dict[str, object]:
    """The device of the survey on minarets."""
    device = {"type": "lie-detector", "honest": honest}
    return {
        "type": "by",
        "column": "condition",
        "cases": {
            "direct": {"type": "none"},
            "low": device | {"p": 2 / 12},
            "high": device | {"p": 10 / 12},
        },
    }


def test_that_a_lie_detector_is_written_in_one_way() -> None:
    """With a known honesty it is a device of two probabilities, also where an old file has it."""
    unknown = {"type": "lie-detector", "p": 0.25, "honest": "unknown"}
    assert read_perturbation(unknown, "drug").to_json() == unknown
    for honest in (1.0, 0.9):
        old = read_perturbation({"type": "lie-detector", "p": 0.25, "honest": honest}, "drug")
        assert old == Binary(keep_one=honest, keep_zero=0.25)
        assert old.matrix(2) == pytest.approx(np.array([[0.25, 1 - honest], [0.75, honest]]))
    assert read_perturbation({"type": "lie-detector", "p": 0.25}, "drug") == Binary(
        keep_one=1.0, keep_zero=0.25
    )


def test_a_whole_survey_with_a_direct_arm(shared_data: Path) -> None:
    """Classes, the difference to the direct question, and who denies."""
    table = read_table(shared_data / "minarets.csv")
    design = Design(
        tuple(
            DesignedAttribute(
                table[name].attribute,
                read_perturbation(by_condition("unknown"), name) if name == "rrt" else Identity(),
            )
            for name in ("rrt", "condition")
        )
    )
    found = assess_compliance(table, design, ComplianceQuestion("rrt", model=SLD))
    assert numbers(*found.parameters.values()) == pytest.approx(
        [0.870695, 0.041085, 0.635806, 0.017329], abs=1e-6
    )
    direct = found.direct
    assert direct is not None
    assert direct.share.estimate == pytest.approx(0.432877, abs=1e-6)
    assert direct.equality.statistic == pytest.approx(84.0983, abs=1e-4)
    assert direct.pooled == pytest.approx(0.565920, abs=1e-6)
    assert numbers(direct.difference, direct.denying) == pytest.approx(
        [0.437819, 0.048586, 0.502838, 0.037915], abs=1e-6
    )
    assert "55.4 to 87.1 %" in found.sentence
    document = found.to_json()
    assert [one["name"] for one in document["arms"]] == ["direct", "low", "high"]


def test_a_survey_with_an_anchor(shared_data: Path) -> None:
    """From the file to the corrected share."""
    table = read_table(shared_data / "cwise.csv")
    question, anchor = (one.attribute for one in table.columns[:2])
    device = read_perturbation({"type": "related", "theta": 0.15}, question.name)
    design = Design((DesignedAttribute(question, device), DesignedAttribute(anchor, device)))
    asked = ComplianceQuestion(question.name, anchor=(anchor.name, 0.15, 0.0))
    found = assess_compliance(table, design, asked)
    assert numbers(found.parameters["pi"]) == pytest.approx([0.105360, 0.022697], abs=1e-6)
