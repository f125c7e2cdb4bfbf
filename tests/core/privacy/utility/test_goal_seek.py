"""Goal seeking turns a measure around."""

from __future__ import annotations

import math

import pytest
from designs import AGE, COLOURS, LIKERT, SALARY, YES_NO
from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st

from ppworkbench.core.design import (
    Additive,
    Binary,
    Custom,
    Discretise,
    Forced,
    Identity,
    Multiplicative,
    Ordinal,
    Related,
    Retention,
    Uniform,
    Unrelated,
)
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.goal_seek import (
    MEASURES,
    Question,
    Target,
    free_parameters,
    measured,
    seek,
)
from ppworkbench.core.progress import Cancelled, StoppableProgress

MATRICES = [
    (YES_NO, Uniform(), "keep"),
    (YES_NO, Binary(keep_one=0.7, keep_zero=0.8), "keep_one"),
    (YES_NO, Binary(keep_one=0.7, keep_zero=0.8), "keep_zero"),
    (YES_NO, Related(), "theta"),
    (COLOURS, Uniform(), "keep"),
    (COLOURS, Unrelated(theta=0.5, personal=(0.1, 0.2, 0.3, 0.4)), "theta"),
    (COLOURS, Forced(), "p_truth"),
    (LIKERT, Ordinal(weights=(0.6, 0.2), loop=True), "r0"),
    (LIKERT, Ordinal(weights=(0.6, 0.2), loop=False), "r1"),
    (LIKERT, Ordinal(weights=(0.6, 0.1, 0.1), loop=True), "r0"),
]
UTILITY = ("information_loss", "standard_error", "respondents")
PRIORS = {2: (0.7, 0.3), 4: (0.4, 0.3, 0.2, 0.1), 5: (0.1, 0.25, 0.3, 0.2, 0.15)}


def prior_of(attribute):
    return Prior.from_weights(attribute, PRIORS[attribute.k]) if attribute.k else None


@given(
    st.sampled_from(MATRICES),
    st.sampled_from([*UTILITY, "epsilon", "attack_success", "worst_posterior", "conditional"]),
    st.floats(0.02, 0.98),
    st.sampled_from([200, 5000]),
)
def test_that_the_measure_of_what_is_found_is_the_target(case, measure, place, n):
    attribute, perturbation, name = case
    prior = prior_of(attribute)
    question = Question(attribute, prior, n)
    free = next(f for f in free_parameters(perturbation, attribute) if f.name == name)
    start, end = free.position(free.truthful), free.position(free.private)
    hidden = free.put(free.value(start + place * (end - start)))
    value = measured(measure, question, hidden)
    # A pole at a singular matrix is no target, and an epsilon without bound none either.
    assume(0 < value < 1e6)
    found = seek(attribute, perturbation, name, Target(measure, value), prior, n)
    assert measured(measure, question, found) == pytest.approx(value, rel=1e-6)


NOISES = [
    (SALARY, Additive(noise="uniform", half_width=100), "half_width"),
    (SALARY, Additive(noise="normal", sigma=100), "sigma"),
    (SALARY, Additive(noise="laplace", scale=100), "scale"),
    (AGE, Additive(noise="normal", sigma=5), "sigma"),
    (AGE, Additive(noise="uniform", half_width=5, integer="round"), "half_width"),
    (SALARY, Multiplicative(sigma=0.1), "sigma"),
    (SALARY, Multiplicative(noise="truncated-normal", sigma=0.1), "sigma"),
]


@pytest.mark.parametrize(("attribute", "perturbation", "name"), NOISES)
@pytest.mark.parametrize("level", [12.0, 30.0, 70.0])
def test_that_noise_is_found_for_a_range_privacy(attribute, perturbation, name, level):
    found = seek(attribute, perturbation, name, Target("range_privacy", level))
    reached = measured("range_privacy", Question(attribute), found)
    assert reached == pytest.approx(level, rel=1e-6)
    assert type(found) is type(perturbation)


# The loss falls smoothly with the share that is kept; more examples would tell nothing new.
@pytest.mark.slow
@examples(0.5)
@given(st.floats(0.05, 0.6))
def test_that_retention_is_found_for_an_information_loss(loss):
    found = seek(SALARY, Retention(), "keep", Target("information_loss", loss))
    reached = measured("information_loss", Question(SALARY), found)
    assert reached == pytest.approx(loss, rel=1e-6)


@pytest.mark.parametrize("error", [200.0, 1000.0])
def test_that_noise_is_found_for_the_error_of_a_mean(error):
    target = Target("mean_standard_error", error)
    found = seek(SALARY, Additive(noise="normal", range_privacy=50), "sigma", target)
    assert found.range_privacy is None
    assert measured("mean_standard_error", Question(SALARY), found) == pytest.approx(error)


@pytest.mark.parametrize(("measure", "value"), [("attack_success", 0.08), ("conditional", 2000.0)])
@pytest.mark.parametrize(
    "case", [(SALARY, Additive(noise="normal", sigma=9), "sigma"), (SALARY, Retention(), "keep")]
)
def test_that_numbers_are_aimed_at_what_an_attacker_learns(case, measure, value):
    attribute, perturbation, name = case
    found = seek(attribute, perturbation, name, Target(measure, value))
    assert measured(measure, Question(attribute), found) == pytest.approx(value, rel=1e-6)


def test_that_laplace_noise_for_an_epsilon_is_range_over_epsilon():
    found = seek(SALARY, Additive(noise="laplace", scale=1), "scale", Target("epsilon", 2.0))
    assert found.scale == pytest.approx(9900 / 2)


def test_that_keep_for_an_epsilon_is_that_of_k_ary_randomised_response():
    found = seek(COLOURS, Uniform(), "keep", Target("epsilon", 1.5))
    assert found.keep == pytest.approx(math.exp(1.5) / (math.exp(1.5) + 3))


def test_that_an_epsilon_of_zero_is_the_fair_draw():
    found = seek(COLOURS, Uniform(), "keep", Target("epsilon", 0.0))
    assert found.keep == 0.25


def test_that_respondents_are_counted_for_the_given_error():
    target = Target("respondents", 3000.0, error=0.03)
    found = seek(YES_NO, Related(), "theta", target)
    wanted = Target("standard_error", 0.03)
    assert found.theta == pytest.approx(seek(YES_NO, Related(), "theta", wanted, n=3000).theta)


@pytest.mark.parametrize(
    ("attribute", "perturbation", "name"),
    [
        (AGE, Additive(half_width=5), "half_width"),
        (SALARY, Discretise(intervals=3), "intervals"),
        (AGE, Discretise(intervals=3), "intervals"),
    ],
)
def test_that_a_whole_parameter_is_the_nearest_to_the_target(attribute, perturbation, name):
    question = Question(attribute)

    def gap(candidate):
        return abs(math.log(measured("range_privacy", question, candidate) / 17.0))

    found = seek(attribute, perturbation, name, Target("range_privacy", 17.0))
    best = getattr(found, name)
    assert best == int(best)
    free = next(f for f in free_parameters(perturbation, attribute) if f.name == name)
    assert gap(found) == min(gap(free.put(value)) for value in range(1, 60))


def test_that_the_truthful_branch_is_chosen():
    # Warner's theta and 1 - theta are equally private.
    found = seek(YES_NO, Related(theta=0.1), "theta", Target("epsilon", 1.0))
    assert found.theta > 0.5


@pytest.mark.parametrize(
    ("attribute", "perturbation", "name", "target", "sentence"),
    [
        (COLOURS, Uniform(), "keep", Target("attack_success", 0.1), "it can be from 0.25 to 1"),
        (COLOURS, Uniform(), "keep", Target("information_loss", 0.001), "to infinity"),
        (LIKERT, Ordinal(), "r0", Target("epsilon", 1.0), "it is infinity for every r0"),
        (
            SALARY,
            Additive(noise="normal", sigma=1),
            "sigma",
            Target("epsilon", 1.0),
            "it is infinity for every sigma",
        ),
    ],
)
def test_that_an_unreachable_target_is_told_with_what_can_be_reached(
    attribute, perturbation, name, target, sentence
):
    with pytest.raises(ParameterError) as caught:
        seek(attribute, perturbation, name, target)
    assert sentence in caught.value.message
    assert caught.value.attribute == attribute.name
    assert caught.value.field == name


@pytest.mark.parametrize(
    ("attribute", "perturbation", "name", "sentence"),
    [
        (COLOURS, Uniform(), "theta", "the free parameters are keep"),
        (YES_NO, Custom(((0.9, 0.2), (0.1, 0.8))), "keep", "no free parameter"),
        (YES_NO, Identity(), "keep", "no free parameter"),
    ],
)
def test_that_an_unknown_parameter_is_refused(attribute, perturbation, name, sentence):
    with pytest.raises(ParameterError, match=sentence):
        seek(attribute, perturbation, name, Target("epsilon", 1.0))


def test_that_a_measure_that_does_not_apply_is_refused():
    with pytest.raises(ParameterError, match="not defined for the mechanism 'uniform'"):
        seek(COLOURS, Uniform(), "keep", Target("range_privacy", 50))
    with pytest.raises(ParameterError, match="known are belief"):
        measured("charm", Question(COLOURS), Uniform())


def test_that_seeking_can_be_stopped():
    progress = StoppableProgress()
    progress.stop()
    with pytest.raises(Cancelled):
        seek(COLOURS, Uniform(), "keep", Target("epsilon", 1.0), progress=progress)


@pytest.mark.parametrize("measure", MEASURES)
def test_that_every_measure_applies_to_some_perturbation(measure):
    asked = [(COLOURS, Uniform(keep=0.6)), (SALARY, Additive(noise="laplace", scale=50))]
    values = []
    for attribute, perturbation in asked:
        try:
            values.append(measured(measure, Question(attribute), perturbation))
        except ParameterError:
            continue
    assert values
    assert all(value > 0 for value in values)
