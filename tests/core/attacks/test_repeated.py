"""Repeated asking: all counts, simulated people, and answers that are kept."""

import numpy as np
import pytest
from examples import sweep
from scipy.stats import binom

from ppworkbench.core.attacks import repeated_asking, repeated_question
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.privacy.attack import attack_success
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.progress import Cancelled

WARNER = np.array([[0.7, 0.3], [0.3, 0.7]])
LIKERT = np.full((5, 5), 0.1) + 0.5 * np.eye(5)
PRIOR = np.array([0.1, 0.2, 0.4, 0.2, 0.1])


def test_that_two_answers_follow_the_binomial():
    found = repeated_asking(WARNER, np.array([0.2, 0.8]), times=(1, 5, 40))
    for m, point in zip(found.times, found.fresh, strict=True):
        yes = np.arange(m + 1)
        joint = np.array([0.2 * binom.pmf(yes, m, 0.7), 0.8 * binom.pmf(yes, m, 0.3)])
        assert point.value == pytest.approx(joint.max(axis=0).sum())
        assert point.error == 0


def test_that_simulated_people_agree_with_all_counts(monkeypatch):
    exact = repeated_asking(LIKERT, PRIOR, times=(1, 2, 5))
    monkeypatch.setattr("ppworkbench.core.attacks.repeated._MOST_COUNTS", 0)
    drawn = repeated_asking(LIKERT, PRIOR, 4, times=(1, 2, 5), people=4000)
    for one, other in zip(exact.fresh, drawn.fresh, strict=True):
        assert other.error > 0
        assert abs(one.value - other.value) < 4 * other.error


def test_that_one_answer_is_what_a_kept_answer_tells():
    found = repeated_asking(LIKERT, PRIOR)
    assert found.fresh[0].value == pytest.approx(found.memoised)
    assert found.memoised == pytest.approx(attack_success(Joint.of(LIKERT, PRIOR)).success)
    assert found.blind == pytest.approx(0.4)


def test_that_fresh_noise_wears_off():
    found = repeated_asking(LIKERT, PRIOR)
    values = [point.value for point in found.fresh]
    assert values == sorted(values)
    assert values[-1] > 0.999


def test_that_an_answer_without_information_never_wears_off():
    found = repeated_asking(np.full((2, 2), 0.5), np.array([0.3, 0.7]))
    assert [point.value for point in found.fresh] == pytest.approx([0.7] * 8)


def test_that_the_truth_needs_to_be_asked_only_once():
    found = repeated_asking(np.eye(3), np.array([0.5, 0.25, 0.25]))
    assert found.memoised == 1.0
    assert [point.value for point in found.fresh] == pytest.approx([1.0] * 8)


def test_that_the_same_seed_gives_the_same_people():
    wide = np.full((40, 40), 0.5 / 40) + 0.5 * np.eye(40)
    prior = np.full(40, 1 / 40)
    first, again, other = (
        repeated_asking(wide, prior, seed, times=(1, 20), people=300) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize("name", sweep(["age", "pay"], quick=1))
def test_that_numbers_start_where_one_report_leaves_them(attacked, name):
    table, distorted, design = attacked
    found = repeated_question(table[name], distorted[name], design[name], 2)
    once = found.asking.fresh[0]
    assert abs(once.value - found.asking.memoised) < 4 * once.error
    assert found.slices == 12
    assert found.epsilon == float("inf")
    assert found.asking.fresh[-1].value > found.asking.memoised + 0.4


def test_that_values_state_their_epsilon(attacked):
    table, distorted, design = attacked
    found = repeated_question(table["town"], distorted["town"], design["town"])
    assert found.epsilon == pytest.approx(np.log(3))


def test_that_times_must_rise():
    with pytest.raises(ParameterError):
        repeated_asking(WARNER, np.array([0.5, 0.5]), times=(3, 2))


def test_that_asking_can_be_stopped_between_two_times():
    def stop(done, message=""):
        if message.endswith(" 7"):
            raise Cancelled

    wide = np.full((40, 40), 1 / 40)
    with pytest.raises(Cancelled):
        repeated_asking(wide, np.full(40, 1 / 40), people=50, progress=stop)
