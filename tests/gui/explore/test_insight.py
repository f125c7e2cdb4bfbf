"""The sentences that fit what is shown."""

import numpy as np
import pytest
from designs import classic_study
from exploring import make_page, select, shown_shares, small_study
from scipy.signal import find_peaks

from ppworkbench.analyses.experiments.draws import ExploredColumn, explored_column, simulate
from ppworkbench.analyses.experiments.iterations import RULES
from ppworkbench.analyses.experiments.runs import reconstruct_draw
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Uniform
from ppworkbench.gui.pages.explore.draws import keys_of, loss_sheet
from ppworkbench.gui.pages.explore.result_cards import likelihood_curves, loss_curves
from ppworkbench.gui.pages.explore.view import (
    ResultView,
    distortion_words,
    interpret,
    likelihood_hint,
    rule_words,
)

PLACES = {"eq": 0, "em-as": 1, "em": 0, "as": 1, "accelerated": 2, "smooth": 3}


def result_of(name, methods, people=600, seed=3, **changes):
    study = small_study(people).with_perturbations(changes)
    draw = simulate(explored_column(study, name), seed)
    return reconstruct_draw(draw, methods, {})


@pytest.fixture(autouse=True)
def _application(qapp):
    """Translations need one."""


def test_that_a_matrix_that_cannot_be_undone_is_told():
    result = result_of("vote", ("em-as",), vote=Uniform(keep=0.5))
    assert "matrix is singular" in interpret(result, "em-as")


def test_that_magnified_errors_are_told_as_a_number():
    result = result_of("vote", ("em-as",), vote=Uniform(keep=0.53))
    words = interpret(result, "em-as")
    assert "errors grow 17-fold" in words


def test_that_few_answers_are_told():
    assert "Only 7 answers" in interpret(result_of("town", ("eq",), people=7), "eq")


def test_that_a_negative_estimate_is_named():
    rare = Attribute("rare", Kind.NOMINAL, ("often", "seldom", "never"))
    column = Column(rare, [0] * 380 + [1] * 20)
    study = classic_study(Table((column,)), "rare")
    study = study.with_perturbations({"rare": Uniform(keep=0.5)})
    for seed in range(20):
        draw = simulate(explored_column(study, "rare"), seed)
        result = reconstruct_draw(draw, ("eq",), {})
        if result.runs["eq"].raw[2] < -0.01:
            break
    words = interpret(result, "eq")
    assert "“never”" in words
    assert "−" in words


def test_that_more_iterations_of_noise_are_said_to_follow_the_noise():
    words = interpret(result_of("pay", ("em",)), "em")
    assert "More iterations raise the likelihood but not the accuracy" in words
    assert "“" in words


def test_that_an_early_stop_is_said_to_remember_the_start():
    far = Attribute("far", Kind.NOMINAL, tuple("abcdefgh"))
    column = Column(far, [0] * 4000 + [1] * 900 + [2] * 100)
    study = classic_study(Table((column,)), "far")
    study = study.with_perturbations({"far": Uniform(keep=0.3)})
    draw = simulate(explored_column(study, "far"), 1)
    words = interpret(reconstruct_draw(draw, ("em-as",), {}), "em-as")
    assert "depends on its uniform start" in words


def test_that_one_lucky_iteration_is_no_argument_against_convergence():
    saved = Attribute("saved", Kind.NOMINAL, tuple("abcde"))
    column = Column(saved, np.repeat(np.arange(5), [1200, 200, 120, 100, 380]))
    study = classic_study(Table((column,)), "saved")
    study = study.with_perturbations({"saved": Uniform(keep=0.3)})
    told = 0
    for seed in range(12):
        result = reconstruct_draw(simulate(explored_column(study, "saved"), seed), ("em-as",), {})
        trace = result.runs["em-as"].trace
        auto, published, late = (trace.loss_at(trace.stops[rule]) for rule in RULES)
        if late < 1.1 * min(auto, published):
            told += 1
            assert "follows the noise" not in interpret(result, "em-as")
    assert told > 3


def test_that_an_unknown_truth_is_told():
    study = small_study()
    explored = explored_column(study, "pay")
    draw = simulate(ExploredColumn(explored.column, explored.designed, False, explored.steps), 1)
    result = reconstruct_draw(draw, ("em", "smooth"), {})
    assert "Without true answers" in interpret(result, "em")
    assert "Without true answers" in interpret(result, "smooth")
    assert loss_curves(ResultView(result, "em", PLACES)).curves == ()


@pytest.mark.parametrize("method", ["accelerated", "smooth"])
def test_that_every_algorithm_for_numbers_has_its_sentence(method):
    result = result_of("pay", (method,))
    assert len(interpret(result, method)) > 40


def test_that_the_hint_promises_rising_only_where_it_rises():
    result = result_of("pay", ("em", "accelerated", "smooth"))
    assert likelihood_hint(result.runs["em"]) == "always rises"
    assert likelihood_hint(result.runs["smooth"]) == ""
    falls = result.runs["accelerated"].trace.log_likelihood
    promised = likelihood_hint(result.runs["accelerated"]) == "always rises"
    assert promised == bool((falls[1:] >= falls[:-1] - 1e-6).all())


@pytest.mark.slow
def test_that_the_focus_has_a_row_for_every_rule_and_others_for_the_chosen_one():
    view = ResultView(result_of("pay", ("em", "as", "smooth")), "em", PLACES, rule="published")
    keys = [(key.method, key.rule) for key in keys_of(view)]
    assert keys == [
        ("em", "published"),
        ("em", "auto"),
        ("em", "converged"),
        ("as", "published"),
        ("smooth", ""),
    ]
    sheet = loss_sheet(view, None)
    assert sheet["algorithm"].values[0] == "EM, published"
    assert sheet["iterations"].values[2] == "3,300 iterations, not converged"
    losses = sheet["loss"]
    assert losses.best
    assert all(losses.values[row] <= min(losses.values) + 5e-4 for row in losses.best)
    assert rule_words("fixed") == "fixed"


def test_that_curves_show_the_lowest_loss_and_levels_of_what_is_not_iterated():
    view = ResultView(result_of("town", ("eq", "em-as")), "em-as", PLACES)
    curves = loss_curves(view)
    assert [curve.name for curve in curves.curves] == ["EM/AS"]
    assert [name for _, name, _ in curves.levels] == ["EQ"]
    assert curves.note[0] == view.result.runs["em-as"].trace.lowest
    rising = likelihood_curves(view)
    assert rising.curves[0].at(rising.last) == pytest.approx(0.0, abs=1e-9)
    assert rising.low < 0 < rising.high


def test_that_the_size_of_noise_is_told_in_the_attributes_own_unit():

    study = small_study().with_perturbations(
        {
            "pay": Additive(noise="laplace", scale=2.5),
            "age": Additive(noise="uniform", half_width=4),
        }
    )
    assert distortion_words(explored_column(study, "pay")) == "Laplace noise, scale 2.50"
    assert distortion_words(explored_column(study, "age")) == "uniform noise ± 4.00"
    assert distortion_words(explored_column(study, "town")) == "keep 0.6"


def peaks(shares: np.ndarray) -> int:
    """How many modes a distribution has that stand out by 3 % of the highest."""
    padded = np.concatenate([[0.0], shares, [0.0]])
    return len(find_peaks(padded, prominence=0.03 * shares.max())[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "noise"),
    [
        ("income", "uniform"),
        pytest.param("income", "normal", marks=pytest.mark.slow),
        pytest.param("age", "normal", marks=pytest.mark.slow),
        pytest.param("age", "uniform", marks=pytest.mark.slow),
    ],
)
def test_that_the_first_view_of_a_number_shows_no_peak_that_the_truth_lacks(
    qtbot, workbench, name, noise
):
    study = classic_study(load_sample("city-survey"), "city-survey")
    study = study.with_perturbations({name: Additive(noise=noise, range_privacy=50)})
    page = make_page(qtbot, workbench, study)
    for seed in (2024, 1):
        page.store.set_settings(seed=seed)
        select(qtbot, page, name)
        # Single years of age vary by chance; over 13 years they have one mode.
        years = 13 if name == "age" else 1
        truth = np.convolve(shown_shares(page, "original"), np.ones(years) / years, "valid")
        assert peaks(shown_shares(page, "reconstructed")) == peaks(truth) == 1


def test_that_the_smoothing_of_a_number_is_told_in_words():
    result = result_of("pay", ("smooth",))
    freedom = result.runs["smooth"].freedom
    assert 2 < freedom < 20
    assert f"degrees of freedom: about {freedom:.0f}; bins: 40" in interpret(result, "smooth")
