"""The privacy budget of a study: what the bar shows, and what sharing out changes."""

import math
from dataclasses import replace

import numpy as np
import pytest

from ppworkbench.analyses.planning.study_budget import (
    BudgetBuilder,
    belief_bounds,
    belief_total,
    find_budget_repair,
    make_finite,
    share_study,
    with_budget,
)
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.design import (
    Design,
    DesignedAttribute,
    Geometric,
    Group,
    Identity,
    Laplace,
    Ordinal,
    SquareWave,
    Uniform,
)
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.privacy.questionnaire import total_epsilon
from ppworkbench.core.privacy.spending import distorted_epsilon
from ppworkbench.study.study import Study


def yes_no(name, perturbation, sensitive=()):
    return DesignedAttribute(
        Attribute(name, Kind.BINARY, ("no", "yes"), sensitive=sensitive), perturbation
    )


def study_of(*designed, budget=None, groups=()):
    return Study(design=Design(tuple(designed), groups=groups, budget=budget))


def many(count):
    return study_of(*(yes_no(f"q{i}", Geometric(epsilon=0.1 + 0.01 * i)) for i in range(count)))


def view_of(study):
    return BudgetBuilder().build(study.design)


def test_that_segments_tell_epsilon_and_share_of_the_budget():
    study = study_of(
        yes_no("a", Geometric(epsilon=1.0)), yes_no("b", Geometric(epsilon=2.0)),
        yes_no("c", Identity()), budget=DesignBudget(total=4.0),
    )  # fmt: skip
    view = view_of(study)
    assert [one.epsilon for one in view.segments] == pytest.approx([1.0, 2.0])
    assert view.shares == pytest.approx({"a": 0.25, "b": 0.5})
    assert (view.spent, view.free, view.over) == pytest.approx((3.0, 1.0, 0.0))
    assert view.undistorted == ("c",)
    assert str(view.sentences[0]).endswith("at most 21-fold.")
    assert str(view.sentences[-1]) == "1 question is not randomised."


def test_that_without_a_total_shares_are_of_what_is_spent():
    view = view_of(study_of(yes_no("a", Geometric(epsilon=1)), yes_no("b", Geometric(epsilon=3))))
    assert view.shares == pytest.approx({"a": 0.25, "b": 0.75})
    assert view.free == 0


def test_that_an_overspent_budget_tells_by_how_much():
    view = view_of(study_of(yes_no("a", Geometric(epsilon=1.3)), budget=DesignBudget(total=1.0)))
    assert view.over == pytest.approx(0.3)
    assert view.free == 0


def test_that_a_group_with_one_coin_counts_once():
    group = Group(("a", "b"), "unrelated", 0.6)
    view = view_of(study_of(yes_no("a", Identity()), yes_no("b", Identity()), groups=(group,)))
    assert [one.names for one in view.segments] == [("a", "b")]
    assert view.spent == pytest.approx(1.9459, abs=1e-4)
    assert set(view.shares) == {"a", "b"}


def test_that_people_who_are_asked_some_questions_spend_the_worst_of_them():
    budget = DesignBudget(total=4.0, ask=2)
    study = study_of(
        *(yes_no(name, Geometric(epsilon=e)) for name, e in (("a", 1), ("b", 2), ("c", 3))),
        budget=budget,
    )
    view = view_of(study)
    assert view.spent == pytest.approx(5.0)
    assert view.over == pytest.approx(1.0)
    assert view.ask == 2


def test_that_waves_add_up():
    study = study_of(yes_no("a", Geometric(epsilon=1)), budget=DesignBudget(waves=3))
    assert view_of(study).spent == pytest.approx(3.0)
    kept = study_of(yes_no("a", Geometric(epsilon=1)), budget=DesignBudget(waves=3, memoise=True))
    assert view_of(kept).spent == pytest.approx(2.0)


def test_that_the_budget_is_the_total_of_the_questionnaire():
    study = many(6)
    assert view_of(study).spent == pytest.approx(total_epsilon(study.design))


def test_that_only_changed_questions_are_worked_out_again(monkeypatch):
    from ppworkbench.analyses.planning import study_budget as module

    asked = []
    real = module.epsilon_of
    monkeypatch.setattr(module, "epsilon_of", lambda d, n: asked.append(n) or real(d, n))
    builder, study = BudgetBuilder(), many(50)
    builder.build(study.design)
    assert len(asked) == 50
    asked.clear()
    view = builder.build(study.with_perturbations({"q7": Geometric(epsilon=2.0)}).design)
    assert asked == ["q7"]
    assert view.segments[7].epsilon == pytest.approx(2.0)


def test_that_a_question_with_ruled_out_answers_is_named_and_repaired():
    scale = Attribute("mood", Kind.ORDINAL, tuple("abcde"))
    study = study_of(
        yes_no("a", Geometric(epsilon=1)),
        DesignedAttribute(scale, Ordinal(weights=(0.6, 0.2), loop=False)),
    )
    view = view_of(study)
    assert math.isinf(view.spent)
    assert math.isinf(view.shares["mood"])
    assert "a" not in view.shares
    repair = find_budget_repair(study, view)
    assert repair.names == ("mood",)
    assert "“Uniform” makes it finite" in repair.sentence
    assert view_of(repair.study).spent == pytest.approx(2.0, abs=1e-6)
    assert find_budget_repair(repair.study, view_of(repair.study)) is None


def test_that_a_related_group_becomes_finite_as_an_unrelated_one():
    group = Group(("a", "b"), "related", 0.7)
    study = study_of(yes_no("a", Identity()), yes_no("b", Identity()), groups=(group,))
    assert math.isinf(view_of(study).spent)
    assert math.isfinite(view_of(make_finite(study)).spent)


def test_that_every_mechanism_of_the_sample_becomes_finite():
    study = Study.of_table(load_sample("city-survey"), "city-survey")
    assert math.isfinite(view_of(make_finite(study)).spent)


# Sharing out


@pytest.mark.parametrize("rule", ["equal", "weights", "sum", "max"])
def test_that_sharing_out_spends_the_total_and_leaves_the_study_alone(rule):
    study = study_of(
        yes_no("a", Geometric(epsilon=1)), yes_no("b", Uniform(keep=0.9)), yes_no("c", Identity())
    )
    found = share_study(study, DesignBudget(total=3.0, rule=rule))
    assert found.refusal == ""
    assert found.spent[1] == pytest.approx(3.0, abs=1e-6)
    assert found.undistorted == ("c",)
    assert [one.name for one in found.rows] == ["a", "b"]
    assert view_of(found.study).spent == pytest.approx(3.0, abs=1e-6)
    assert found.study.design["c"].perturbation == Identity()
    assert found.study.design.budget.total == 3.0
    assert study.design.budget is None


def test_that_a_locked_question_keeps_its_epsilon_and_weights_count():
    study = study_of(*(yes_no(name, Geometric(epsilon=1)) for name in "abc"))
    budget = DesignBudget(total=4.0, rule="weights", locked=("a",), weights=(("b", 2.0),))
    found = share_study(study, budget)
    assert [one.epsilons[1] for one in found.rows] == pytest.approx([1.0, 2.0, 1.0], abs=1e-6)
    assert [one.is_locked for one in found.rows] == [True, False, False]


def test_that_locks_that_spend_too_much_are_refused_in_a_sentence():
    study = study_of(yes_no("a", Geometric(epsilon=5.2)), yes_no("b", Geometric(epsilon=1)))
    found = share_study(study, DesignBudget(total=4.0, locked=("a",)))
    assert found.study is None
    assert found.refusal == (
        "The locked questions spend 5.2 of a total of 4; unlock one or raise the total."
    )
    assert [one.epsilons for one in found.rows] == [
        (pytest.approx(5.2), None), (pytest.approx(1.0), None)
    ]  # fmt: skip


def test_that_asking_fewer_questions_tells_whole_variances():
    study = study_of(*(yes_no(f"q{i}", Geometric(epsilon=0.5)) for i in range(8)))
    found = share_study(study, DesignBudget(total=4.0, ask=2))
    by_ask = {one.ask: one for one in found.splits}
    assert by_ask[2].variance == pytest.approx(1.7241, abs=1e-4)
    assert by_ask[8].variance == pytest.approx(4.1677, abs=1e-4)
    assert by_ask[1].pair is None
    assert [one.epsilons[1] for one in found.rows] == pytest.approx([2.0] * 8, abs=1e-6)


def test_that_a_belief_and_a_total_translate_into_each_other():
    asked = yes_no("drug", Geometric(epsilon=1), sensitive=("yes",))
    study = study_of(asked)
    from ppworkbench.study.study import PriorChoice

    study = study.with_choice("drug", PriorChoice("drawn", (0.9, 0.1)))
    total = belief_total(study, 0.5)
    assert total == pytest.approx(2.1972, abs=1e-4)
    assert belief_bounds(study, total) == pytest.approx((0.1, 0.5))
    assert belief_bounds(study_of(yes_no("drug", Geometric(epsilon=1))), 1.0) is None


def test_that_a_budget_alone_changes_no_mechanism():
    study = many(3)
    changed = with_budget(study, DesignBudget(total=9.0))
    assert changed.design.attributes == study.design.attributes
    assert view_of(changed).total == 9.0
    assert with_budget(changed, replace(changed.design.budget, total=None)).design.budget is None


def test_that_shares_sum_to_one_without_a_total():
    shares = view_of(many(20)).shares
    assert np.sum(list(shares.values())) == pytest.approx(1.0)


def test_that_numbers_take_part_in_sharing_out():
    age = DesignedAttribute(
        Attribute("age", Kind.INTEGER, domain=(18, 90)), SquareWave(epsilon=1.0)
    )
    found = share_study(study_of(yes_no("a", Uniform(keep=0.8)), age), DesignBudget(total=2.5))
    assert found.refusal == ""
    assert found.spent[1] == pytest.approx(2.5, abs=1e-3)
    assert found.rows[1].is_number


def test_that_the_unit_of_a_number_does_not_decide_what_it_gets():
    def shared(high):
        pay = Attribute("pay", Kind.INTEGER, domain=(0, high))
        made = study_of(yes_no("a", Uniform(keep=0.8)), DesignedAttribute(pay, Laplace(epsilon=1)))
        return share_study(made, DesignBudget(total=2.0)).rows[1].epsilons[1]

    assert shared(1_000) == pytest.approx(shared(100_000), rel=0.02)
    assert 0.5 < shared(1_000) < 1.5


def test_that_arms_share_out_without_what_no_arm_randomises():
    direct, omitted = ("open", Identity()), ("plain",)
    arms = Arms("arm", (
        DesignArm("A", 0.5, (("a", Geometric(epsilon=2.0)), direct)),
        DesignArm("B", 0.5, (direct,), omitted),
    ))  # fmt: skip
    column = Attribute("arm", Kind.NOMINAL, ("A", "B"))
    designed = (
        yes_no("a", Geometric(epsilon=1.0)), yes_no("b", Geometric(epsilon=1.0)),
        yes_no("plain", Identity()), yes_no("open", Geometric(epsilon=1.0)),
        DesignedAttribute(column, Identity()),
    )  # fmt: skip
    study = Study(design=Design(designed, arms=arms))
    found = share_study(study, DesignBudget(total=1.0))
    assert found.refusal == ""
    assert found.undistorted == ("plain", "open")
    shared = found.study.design
    assert shared.names == study.design.names
    for arm in ("A", "B"):
        plain = shared.of_arm(arm)
        assert distorted_epsilon(plain) == pytest.approx(1.0)
        assert plain["open"].perturbation.is_identity
        assert ("plain" in plain) == (arm == "A")
