"""Arms of a study: edits, privacy, precision, and people who do not follow."""

import math
from dataclasses import replace

import numpy as np
import pytest

from ppworkbench.analyses.designs.arms import (
    AS_DESIGNED,
    DIRECT,
    OMITTED,
    OWN,
    arms_view,
    class_precisions,
    proposed_column,
    start_arms,
    version_study,
    with_arm,
    with_arm_moved,
    with_arms,
    with_column,
    with_name,
    with_own_devices,
    with_share,
    with_shares,
    with_treatment,
    without_arm,
)
from ppworkbench.analyses.designs.design import report_of
from ppworkbench.analyses.estimates.lists import with_list
from ppworkbench.core.compliance.classes import Behaviour
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Additive,
    Binary,
    Design,
    DesignedAttribute,
    Forced,
    Group,
    Identity,
    Related,
    Uniform,
)
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.privacy.epsilon import joint_epsilon
from ppworkbench.core.privacy.questionnaire import total_epsilon
from ppworkbench.study.study import PriorChoice, Study

YES_NO = ("no", "yes")


WARNER = Related(theta=0.7)


def questionnaire(*names, device=WARNER):
    asked = tuple(DesignedAttribute(Attribute(name, Kind.BINARY, YES_NO), device) for name in names)
    return Study(design=Design(asked))


@pytest.fixture
def study():
    return start_arms(questionnaire("drug", "theft", "tax"))


def shares(study):
    return [arm.share for arm in study.design.arms.members]


def names(study):
    return study.design.arms.names


# Edits


def test_that_arms_start_as_equal_halves_with_a_column_that_no_attribute_has(study):
    assert (names(study), shares(study)) == (("A", "B"), [0.5, 0.5])
    assert study.design.arms.column == "version"
    taken = questionnaire("version", "version 2")
    assert proposed_column(taken) == "version 3"
    assert start_arms(taken).design.arms.column == "version 3"


def test_that_the_other_shares_give_way_in_proportion(study):
    study = with_share(with_arm(study), 0, 0.25)
    study = with_share(study, 1, 0.5)
    assert shares(study)[1] == pytest.approx(0.5)
    assert shares(study)[0] / shares(study)[2] == pytest.approx(0.25 / 0.375)
    for wanted in (0.0, 1.0, 0.37):
        study = with_share(study, 0, wanted)
        assert math.fsum(shares(study)) == pytest.approx(1, abs=1e-12)
        assert min(shares(study)) > 0


def test_that_arms_are_added_copied_moved_and_deleted(study):
    study = with_treatment(study, "B", "drug", OMITTED)
    copied = with_arm(study, copied=1)
    assert names(copied) == ("A", "B", "C")
    assert copied.design.arms["C"].omit == ("drug",)
    assert shares(copied) == [0.5, 0.25, 0.25]
    assert names(with_arm_moved(copied, 2, -1)) == ("A", "C", "B")
    assert names(with_arm_moved(copied, 0, -1)) == ("A", "B", "C")
    left = without_arm(copied, 1)
    assert (names(left), shares(left)) == (("A", "C"), pytest.approx([2 / 3, 1 / 3]))
    with pytest.raises(WorkbenchError, match="All arms omit 'drug'"):
        without_arm(left, 0)


def test_that_the_last_arm_takes_the_column_with_it(study):
    plain = without_arm(without_arm(study, 1), 0)
    assert plain.design.arms is None
    assert plain.design.names == ("drug", "theft", "tax")
    assert with_arms(study, None).design.names == ("drug", "theft", "tax")


def test_that_the_column_follows_names_of_arms_and_its_own(study):
    study = with_name(with_column(study, "form"), 1, "long")
    assert study.design["form"].attribute.values == ("A", "long")
    assert "version" not in study.design.names


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda study: with_name(study, 0, " "), "needs a name"),
        (lambda study: with_name(study, 0, "B"), "two arms 'B'"),
        (lambda study: with_column(study, ""), "needs a name"),
        (lambda study: with_column(study, "drug"), "cannot be randomised"),
    ],
)
def test_that_bad_input_is_told_in_one_sentence(study, change, sentence):
    with pytest.raises(WorkbenchError, match=sentence):
        change(study)


def test_that_a_question_is_asked_in_four_ways(study):
    def treatment(changed):
        return arms_view(changed).questions[0].treatments

    assert treatment(study) == (AS_DESIGNED, AS_DESIGNED)
    own = with_treatment(study, "B", "drug", OWN)
    assert treatment(own) == (AS_DESIGNED, OWN)
    assert own.design.arms["B"].perturbations == (("drug", Related(theta=0.7)),)
    other = with_own_devices(own, "B", {"drug": Uniform(keep=0.9)})
    assert with_treatment(other, "B", "drug", OWN).design == other.design
    assert treatment(with_treatment(other, "B", "drug", DIRECT)) == (AS_DESIGNED, DIRECT)
    omitted = with_treatment(other, "B", "drug", OMITTED)
    assert treatment(omitted) == (AS_DESIGNED, OMITTED)
    assert treatment(with_own_devices(omitted, "B", {"drug": Uniform(keep=0.9)})) == (
        AS_DESIGNED, OWN,
    )  # fmt: skip
    assert treatment(with_treatment(omitted, "B", "drug", AS_DESIGNED)) == (AS_DESIGNED,) * 2


def test_that_the_best_shares_leave_nobody_without_people(study):
    found = with_shares(with_arm(study), {"A": 1.0, "B": 0.0})
    assert shares(found)[2] == pytest.approx(1 / 3)
    assert shares(found)[1] == pytest.approx(2 / 3 * 0.01 / 1.01)


# One version


def test_that_a_version_is_the_plain_design_of_its_arm(study):
    study = with_own_devices(study, "B", {"drug": Uniform(keep=0.9)})
    study = with_share(study, 1, 0.25)
    assert version_study(study).design["drug"].perturbation == Related(theta=0.7)
    version = version_study(study, "B")
    assert version.design.arms is None
    assert version.design.names == ("drug", "theft", "tax")
    assert version.design["drug"].perturbation == Uniform(keep=0.9)
    assert version.settings.respondents == 250
    assert report_of(version, "drug").utility.n == 250
    plain = questionnaire("drug")
    assert version_study(plain) is plain


# What the arms mean


def test_that_splitting_has_the_numbers_of_the_chapter():
    def device(epsilon):
        return Uniform(keep=math.exp(epsilon) / (1 + math.exp(epsilon)))

    asked = tuple(f"q{place}" for place in range(8))
    study = questionnaire(*asked, device=device(0.5))
    for name in asked:
        study = study.with_choice(name, PriorChoice("drawn", (0.8, 0.2)))
    members = tuple(
        DesignArm(f"arm {name}", 1 / 8, ((name, device(4.0)),),
                  tuple(other for other in asked if other != name))
        for name in asked
    )  # fmt: skip
    view = arms_view(with_arms(study, Arms("version", members)))
    question = view.questions[0]
    assert question.unsplit_variance == pytest.approx(4.0777, abs=5e-5)
    assert question.variance == pytest.approx(1.4320, abs=5e-5)
    assert question.respondents == 125
    assert len(view.apart) == 8 * 7 // 2
    assert view.largest.epsilon == pytest.approx(4)


def test_that_epsilon_is_summed_over_the_questions_an_arm_asks(study):
    study = with_own_devices(study, "B", {"drug": Related(theta=0.9)})
    study = with_treatment(study, "B", "tax", OMITTED)
    first, second = arms_view(study).arms
    one = math.log(0.7 / 0.3)
    assert first.epsilon == pytest.approx(3 * one)
    assert second.epsilon == pytest.approx(math.log(9) + one)
    assert (first.asked, second.asked) == (3, 2)
    largest = arms_view(study).largest
    assert largest.name == "B"
    assert largest.epsilon == pytest.approx(total_epsilon(_without_column(study)))


def _without_column(study):
    """The column of the arms is no answer, so it has no epsilon."""
    version = version_study(study, "B").design
    kept = tuple(one for one in version if one.name != "tax")
    return Design(kept)


def test_that_a_direct_question_has_no_bound_but_an_unrandomised_one_does_not_count(study):
    study = study.with_perturbations({"tax": Identity()})
    assert math.isfinite(arms_view(study).arms[0].epsilon)
    direct = arms_view(with_treatment(study, "B", "drug", DIRECT)).arms[1]
    assert math.isinf(direct.epsilon)
    assert direct.direct == ("drug",)
    ruled_out = study.with_perturbations({"drug": Binary(keep_one=1.0, keep_zero=0.5)})
    arm = arms_view(ruled_out).arms[0]
    assert (arm.unbounded, arm.bounded) == (1, pytest.approx(math.log(0.7 / 0.3)))


def test_that_a_group_counts_once():
    study = questionnaire("drug", "theft", "tax", device=Identity())
    design = Design(study.design.attributes, groups=(Group(("drug", "theft"), "unrelated", 0.7),))
    armed = start_arms(study.with_(design=design))
    view = arms_view(armed)
    values = {"drug": 2, "theft": 2}
    assert view.arms[0].epsilon == pytest.approx(joint_epsilon(armed.design.groups[0], values))
    assert [one.is_fixed for one in view.questions] == [True, True, False]
    with pytest.raises(WorkbenchError, match="together with other columns"):
        with_treatment(armed, "A", "drug", DIRECT)


def test_that_pairs_that_no_arm_asks_together_are_named(study):
    assert arms_view(study).apart == ()
    study = with_treatment(study, "A", "drug", OMITTED)
    study = with_treatment(study, "B", "theft", OMITTED)
    assert arms_view(study).apart == (("drug", "theft"),)


def test_that_numbers_have_respondents_but_no_points():
    income = Attribute("income", Kind.CONTINUOUS, domain=(0, 10_000))
    asked = DesignedAttribute(income, Additive(noise="normal", sigma=500))
    study = start_arms(Study(design=Design((asked,))))
    (question,) = arms_view(study).questions
    assert question.respondents == 1000
    assert question.half_width is None
    assert class_precisions(study, "income") == ()


# People who do not follow


def test_that_a_class_is_measured_before_there_are_data():
    study = questionnaire("drug", device=Binary(keep_one=1.0, keep_zero=0.8))
    study = with_own_devices(start_arms(study), "B", {"drug": Binary(keep_one=1, keep_zero=0.2)})
    study = study.with_choice("drug", PriorChoice("drawn", (2, 1)))
    study = study.with_(settings=replace(study.settings, noncompliance=0.1))
    found = {one.behaviour: one for one in class_precisions(study, "drug")}
    assert found[Behaviour(0)].standard_error == pytest.approx(0.025773, abs=1e-6)
    assert found[Behaviour(0)].is_measured


def test_that_identified_is_not_enough():
    study = questionnaire("drug", device=Forced(p_truth=2 / 3))
    study = study.with_choice("drug", PriorChoice("drawn", (0.75, 0.25)))
    near = Binary(keep_one=0.75 + 1 / 6, keep_zero=1 - 1 / 6)
    study = with_own_devices(start_arms(study), "B", {"drug": near})
    found = {one.behaviour: one for one in class_precisions(study, "drug")}
    assert found[Behaviour(0)].standard_error > 0.15
    assert not found[Behaviour(0)].is_measured


def test_that_warner_never_tells_random_answers(study):
    study = with_own_devices(study, "B", {"drug": Related(theta=0.9)})
    found = {one.behaviour: one for one in class_precisions(study, "drug")}
    assert found[Behaviour(None)].standard_error is None
    assert found[Behaviour(0)].standard_error is not None
    alone = with_treatment(study, "A", "drug", OMITTED)
    assert class_precisions(alone, "drug") == ()
    assert np.isfinite(found[Behaviour(1)].standard_error)


def test_that_a_renamed_arm_is_renamed_in_lists_too():
    gun = Attribute("gun", Kind.BINARY, YES_NO)
    study = start_arms(Study(design=Design((DesignedAttribute(gun, Uniform(keep=0.8)),))))
    asked = with_list(study, ListQuestion(gun, "count", ("car", "dog"), ("A",), ("B",)))
    renamed = with_name(asked, 0, "long form").design
    assert renamed.arms.names == ("long form", "B")
    assert renamed.lists[0].short == ("long form",)
