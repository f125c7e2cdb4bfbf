"""How long the Design, Explore, Survey and Classify pages keep a person waiting."""

from __future__ import annotations

import statistics

import pytest
from asking import ask
from asking import make_page as make_survey_page
from classifying import make_study
from exploring import iterate, select, settle, small_study
from exploring import make_page as make_explore_page
from gui.explore.test_repeats import few, slow
from PySide6.QtWidgets import QSlider
from slowness import Stopwatch, milliseconds_of_work

from ppworkbench.analyses.designs.arms import start_arms, with_arm, with_own_devices
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute, Forced, Uniform
from ppworkbench.core.experiment.engines import InProcess
from ppworkbench.gui.pages.classify import ClassifyPage
from ppworkbench.gui.pages.design import DesignPage
from ppworkbench.study.study import Study

STEP = 100


@pytest.fixture
def show_design(qtbot, workbench):
    """Show the Design page of a study."""

    def show(study: Study, part: str = "") -> DesignPage:
        workbench.store.open(study)
        page = DesignPage(workbench)
        qtbot.addWidget(page)
        page.resize(1290, 690)
        page.show()
        if part:
            page.show_sub_page(part)
        qtbot.wait(50)
        return page

    return show


def forty(device: object) -> Design:
    """Forty questions asked with one device."""
    asked = (Attribute(f"q{i}", Kind.BINARY, ("no", "yes"), sensitive=("yes",)) for i in range(40))
    return Design(tuple(DesignedAttribute(one, device) for one in asked))


def test_that_a_step_of_40_questions_and_4_arms_is_shown(show_design, within):
    study = start_arms(Study(design=forty(Uniform(keep=0.8))))
    for _ in range(2):
        study = with_arm(study)
    for place, arm in enumerate(study.design.arms.names):
        changes = {f"q{number}": Uniform(keep=0.6 + 0.05 * place) for number in range(40)}
        study = with_own_devices(study, arm, changes)
    page = show_design(study, "arms")
    slider = page.views.currentWidget().arms.rows[0].share.slider

    def drag(position: int) -> None:
        slider.setValue(position)
        page.grab()

    slider.setSliderDown(True)
    work = [milliseconds_of_work(drag, position) for position in range(300, 400, 10)]
    slider.setSliderDown(False)
    within({"slowest step": max(work)}, STEP)


def test_that_the_plan_of_forty_questions_follows_a_slider(show_design, within):
    plan = show_design(Study("many", design=forty(Forced(p_truth=0.7))), "plan").views
    plan = plan.currentWidget()
    slider = plan.people.findChild(QSlider, "planNSlider")

    def drag(position: int) -> None:
        slider.setValue(position)
        plan.repaint()

    work = [milliseconds_of_work(drag, position) for position in range(300, 700, 40)]
    within({"slowest step": max(work)}, STEP)


def test_that_a_share_of_noncompliance_is_dragged(show_design, city_study, within):
    page = show_design(city_study)
    page.store.select(["fare_evasion"])
    page.store.set_perturbation(["fare_evasion"], Forced(p_truth=2 / 3))
    slider = page.noncompliance.share.slider
    slider.sliderPressed.emit()
    work = [milliseconds_of_work(slider.setValue, value) for value in range(20, 620, 20)]
    slider.sliderReleased.emit()
    within({"usual step": statistics.median(work)}, STEP)


@pytest.fixture
def explore(qtbot, workbench):
    made = make_explore_page(qtbot, workbench, small_study())
    settle(qtbot, made)
    return made


def test_that_answers_are_drawn_anew_and_iterations_followed(qtbot, explore, max_block):
    select(qtbot, explore, "pay")
    iterate(qtbot, explore)
    with max_block(120):
        explore.primary.trigger()
        settle(qtbot, explore)
    with max_block(STEP):
        for iteration in range(0, explore.picture.scrubber.last, 97):
            explore.picture.scrubber.box.setValue(iteration)
            qtbot.wait(5)


def test_that_draws_are_repeated(qtbot, explore, few, max_block):
    select(qtbot, explore, "pay")
    iterate(qtbot, explore)
    with max_block(STEP):
        explore.repeat()
        settle(qtbot, explore)


def test_that_repeated_draws_are_cancelled(qtbot, explore, slow, within):
    explore.repeat_action.trigger()
    qtbot.waitUntil(lambda: "mean" in {one.key for one in explore.losses.table.sheet.columns})
    watch = Stopwatch()
    explore.cancel_action.trigger()
    qtbot.waitUntil(lambda: not explore.draws.task.is_running)
    within({"cancel": watch.milliseconds}, 500)


def test_that_questions_are_asked(qtbot, workbench, city_study, max_block):
    page = make_survey_page(qtbot, workbench, city_study)
    condition = "fare_evasion = yes and district in {Riverside, Harbour}"
    ask(qtbot, page, condition)
    with max_block(STEP):
        ask(qtbot, page, "car = yes and district = Harbour")
        page.model.set_text("sex = female and car = yes")


def test_that_classifiers_are_compared(qtbot, workbench, wait_idle, max_block):
    page = ClassifyPage(workbench)
    qtbot.addWidget(page)
    page.resize(1280, 640)
    page.runs.engine = InProcess()
    workbench.store.open(make_study())
    page.choose(page.choices.with_(folds=2, low=0.0, high=100.0, steps=2))
    page.show()
    page.shown()
    wait_idle()
    with max_block(200):
        page.run()
        wait_idle()
    assert page.runs.current.is_complete
