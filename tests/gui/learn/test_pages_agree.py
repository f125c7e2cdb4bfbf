"""What a demonstration says and what its page shows are the same."""

from __future__ import annotations

import pytest
from demonstrations_shown import settled
from PySide6.QtWidgets import QLabel, QTableView
from shown_numbers import readings

from ppworkbench.core.privacy.agrawal_srikant import agrawal_srikant_widths
from ppworkbench.outputs.demonstrations.catalogue import shipped_files

FILES = {path.stem.partition("-")[0]: path for path in shipped_files()}


@pytest.fixture
def play(window, qtbot, start):
    """Go to a step of a demonstration (both counted from 1) and wait for its numbers."""

    def begin(number: int, step: int):
        stage = start(FILES[str(number)])
        stage.go(step - 1)
        settled(window, qtbot)
        assert stage.panel.problem.text() == ""
        return stage

    return begin


def shown_table(page, name: str) -> list[list[str]]:
    """The texts of a table of a page."""
    model = page.findChild(QTableView, name).model()
    return [
        [str(model.index(row, column).data() or "") for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


@pytest.mark.slow
def test_that_patterns_are_compared_with_the_intervals_that_the_page_uses(play, monkeypatch):
    monkeypatch.setattr("ppworkbench.core.experiment.engines.ALONE", 1_000.0)
    stage = play(7, 3)
    rows = shown_table(stage.shell.page("classify"), "resultsTable")
    for name, label in (("lazy", "Lazy patterns"), ("eager", "Eager patterns")):
        percent = float(stage.panel.figures.ours[name].text().split("\u202f")[0])
        [row] = [one for one in rows if one[0].startswith(label)]
        assert float(row[2].split()[0]) == pytest.approx(percent / 100, abs=5e-4)


def figure(stage, name: str) -> float:
    """A number of the panel, without its unit."""
    return float(stage.panel.figures.ours[name].text().split("\u202f")[0])


@pytest.mark.slow
def test_that_the_loss_of_too_many_iterations_is_that_of_the_page(play):
    stage = play(4, 5)
    result = stage.shell.page("explore").result
    trace = result.runs["em"].trace
    assert figure(stage, "many") == pytest.approx(trace.loss_at(2000), abs=6e-4)
    assert figure(stage, "few") == pytest.approx(trace.loss_at(trace.stops["auto"]), abs=6e-4)
    assert figure(stage, "many") > figure(stage, "few")


@pytest.mark.slow
def test_that_the_predicted_accuracy_is_that_of_the_page(play, qtbot):
    stage = play(8, 3)
    shown = stage.shell.page("publish").findChild(QLabel, "predictedAccuracy")
    qtbot.waitUntil(lambda: f"{figure(stage, 'accuracy'):.1f}" in shown.text())


@pytest.mark.slow
def test_that_the_band_shows_the_behaviour_that_is_spoken_of(play):
    assert play(11, 3)._find_look("bandBehaviour").current == "random"


@pytest.mark.slow
@pytest.mark.parametrize(("step", "total", "ask"), [(2, 4, None), (3, 4, 1), (4, 10, None)])
def test_that_the_design_has_the_budget_that_is_spoken_of(play, step, total, ask):
    budget = play(12, step).workbench.store.study.design.budget
    assert (budget.total, budget.ask) == (total, ask)


@pytest.mark.slow
def test_that_pointing_at_a_place_brings_it_onto_a_small_projected_screen(window, play):
    window.resize(1366, 768)
    window.workbench.themes.project(True)
    try:
        stage = play(2, 2)
        for place, look in enumerate(stage.step.looks):
            stage.panel.pointed.emit(place)
            seen = stage._find_look(look.at).visibleRegion().boundingRect()
            assert seen.height() >= min(stage._find_look(look.at).height(), 40), look.at
    finally:
        window.workbench.themes.project(False)


@pytest.mark.slow
def test_that_the_noise_is_as_wide_as_the_measure_says(play):
    stage = play(5, 1)
    plot = stage._find_look("noisePlot")
    half = readings(plot.accessibleDescription())[-1]
    study = stage.workbench.store.study
    widths = dict(
        agrawal_srikant_widths(study.design.perturbation("age"), study.design["age"].attribute)
    )
    assert half.value == pytest.approx(widths[0.95] / 2, abs=half.rounding)
    assert sum(float(p) for shift, p in plot.rows()[1:] if abs(float(shift)) <= half.value) >= 0.95
