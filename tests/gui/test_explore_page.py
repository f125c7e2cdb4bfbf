"""The Explore page in both directions: the study changes the view, the view changes the study."""

import numpy as np
import pytest
from exploring import make_page, select, settle, small_study, small_table
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QSlider,
    QWidget,
)

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Uniform
from ppworkbench.core.design.distort import distort
from ppworkbench.core.design.group import Group
from ppworkbench.core.reconstruct import reconstruct
from ppworkbench.core.reconstruct.channel import NUMBERS, VALUES
from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.pages.explore.em_path import AUTO, CONVERGED, FIXED, PUBLISHED
from ppworkbench.gui.pages.explore.picture_card import SIDE
from ppworkbench.gui.plots.plot import Plot
from ppworkbench.gui.widgets.segmented import Segmented
from ppworkbench.study.study import Study


@pytest.fixture
def page(qtbot, workbench):
    made = make_page(qtbot, workbench, small_study())
    settle(qtbot, made)
    return made


def shown_shares(page, role):
    whole = page.picture.plot._comparison.histogram
    return next(s.share for s in whole.series if s.role == role)


def offered(page):
    box = page.settings_card.attribute
    return [box.itemData(i) for i in range(box.count())]


# The study changes the view


def test_that_the_page_shows_the_same_draw_as_the_whole_table_has(qtbot, page):
    study = page.store.study
    whole = distort(study.original, study.design, SeededStreams(study.settings.seed))
    counts = whole["town"].counts
    assert shown_shares(page, "distorted") == pytest.approx(counts / counts.sum())
    assert shown_shares(page, "original") == pytest.approx(study.original["town"].counts / 600)


@pytest.mark.parametrize("name", ["town", "pay"])
@pytest.mark.parametrize("rule", [AUTO, PUBLISHED, CONVERGED])
def test_that_the_estimate_is_the_one_the_core_reconstructs(qtbot, page, name, rule):
    select(qtbot, page, name)
    page.settings_card.rule.choose(rule)
    study, run = page.store.study, page.explorer.result.runs[page.showing.view.focus]
    whole = distort(study.original, study.design, SeededStreams(2024))
    steps = None if name == "town" else 40
    if rule == CONVERGED and not run.path.finished:
        rule = run.path.last
    found = reconstruct(
        whole[name],
        study.design[name].attribute,
        study.design[name].perturbation,
        run.method,
        stop=rule,
        bins=steps,
        confidence=None,
        seed=2024,
    )
    assert page.showing.cursor == found.iterations
    assert shown_shares(page, "reconstructed") == pytest.approx(found.probability, abs=1e-9)


def test_that_another_attribute_is_explored_when_it_is_selected(qtbot, page):
    select(qtbot, page, "pay")
    assert page.settings_card.attribute.currentData() == "pay"
    assert page.picture.title.words() == "pay: original, distorted, reconstructed"
    assert "normal noise σ 10" in page.settings_card.summary.text()
    assert "600 answers" in page.settings_card.summary.text()
    assert set(page.explorer.result.runs) == {"em", "as"}


def test_that_a_change_of_the_design_is_distorted_anew(qtbot, page):
    before = shown_shares(page, "distorted")
    page.store.set_perturbation(["town"], Uniform(keep=0.9))
    settle(qtbot, page)
    assert np.abs(shown_shares(page, "distorted") - before).max() > 0.01
    assert "keep 0.9" in page.settings_card.summary.text()
    page.store.undo_stack.undo()
    settle(qtbot, page)
    assert shown_shares(page, "distorted") == pytest.approx(before)


def test_that_a_change_of_another_attribute_leaves_the_draw_alone(qtbot, page):
    draw = page.explorer.result.draw
    page.store.set_perturbation(["vote"], Uniform(keep=0.9))
    settle(qtbot, page)
    assert page.explorer.result.draw is draw


def test_that_the_seed_of_the_study_stands_in_its_box(qtbot, page):
    page.store.set_settings(seed=77)
    settle(qtbot, page)
    assert page.settings_card.seed.value() == 77
    assert page.explorer.result.draw.seed == 77


def test_that_work_waits_until_somebody_looks(qtbot, page):
    page.hide()
    page.store.select(["pay"])
    settle(qtbot, page)
    assert page.explorer.result.draw.subject.name == "town"
    page.show()
    page.shown()
    settle(qtbot, page)
    assert page.explorer.result.draw.subject.name == "pay"


def test_that_only_the_newest_of_many_wishes_is_shown(qtbot, page):
    for seed in range(1, 12):
        page.store.set_settings(seed=seed)
        page._explore()
    settle(qtbot, page)
    assert page.explorer.result.draw.seed == 11


def test_that_a_member_of_a_group_is_distorted_by_its_own_marginal(qtbot, page):
    study = page.store.study
    group = Group(("town",), "unrelated", 0.7)
    design = study.with_perturbations({"town": study.design["known"].perturbation}).design
    grouped = Design(design.attributes, design.class_name, (group,))
    page.store.set_design(grouped, "Group")
    settle(qtbot, page)
    assert page.explorer.result.draw.subject.perturbation == group.marginal("town")
    assert "unrelated question" in page.settings_card.summary.text()


def test_that_another_study_starts_afresh(qtbot, page):
    select(qtbot, page, "pay")
    page.settings_card.steps.setValue(12)
    settle(qtbot, page)
    page.picture.scrubber.buttons["first"].click()
    page.store.open(small_study(300))
    settle(qtbot, page)
    assert page.explorer.result.draw.counted.rows == 300
    select(qtbot, page, "pay")
    assert page.settings_card.steps.value() == 40
    assert page.showing.cursor == page.explorer.result.runs["em"].path.stops[AUTO]


# The view changes the study or the view


def test_that_choosing_an_attribute_selects_it_everywhere(qtbot, page):
    box = page.settings_card.attribute
    assert offered(page) == ["town", "vote", "pay", "age", "only", "gone", "known"]
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert page.store.current == "vote"
    settle(qtbot, page)
    assert page.explorer.result.draw.subject.name == "vote"


def test_that_distort_again_takes_the_next_seed_and_can_be_undone(qtbot, page):
    before = shown_shares(page, "distorted")
    page.primary.trigger()
    settle(qtbot, page)
    assert page.store.study.settings.seed == 2025
    assert page.settings_card.seed.value() == 2025
    assert not np.array_equal(shown_shares(page, "distorted"), before)
    page.store.undo_stack.undo()
    settle(qtbot, page)
    assert shown_shares(page, "distorted") == pytest.approx(before)


def test_that_typing_a_seed_changes_the_study(qtbot, page):
    box = page.settings_card.seed
    box.selectAll()
    qtbot.keyClicks(box, "31")
    assert page.store.study.settings.seed == 2024
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert page.store.study.settings.seed == 31
    settle(qtbot, page)
    assert page.explorer.result.draw.seed == 31


def test_that_letters_are_no_seed(qtbot, page):
    box = page.settings_card.seed
    box.selectAll()
    qtbot.keyClicks(box, "ab-")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert page.store.study.settings.seed in (0, 2024)


def test_that_ticking_an_algorithm_adds_it_and_unticking_removes_it(qtbot, page):
    rows = page.settings_card.methods.rows
    rows["accelerated"].check.click()
    settle(qtbot, page)
    assert set(page.explorer.result.runs) == {"eq", "em-as", "accelerated"}
    words = [words for _, words in page.picture.legend.entries]
    assert any("EM, accelerated" in word for word in words)
    rows["accelerated"].check.click()
    settle(qtbot, page)
    assert set(page.explorer.result.runs) == {"eq", "em-as"}


def test_that_the_last_algorithm_cannot_be_unticked(qtbot, page):
    rows = page.settings_card.methods.rows
    rows["eq"].check.click()
    settle(qtbot, page)
    assert not rows["em-as"].check.isEnabled()
    assert rows["em-as"].check.toolTip() == "One algorithm at least is shown."
    page.choices.tick(VALUES, "em-as", False)
    assert page.choices.ticked(VALUES) == ("em-as",)


def test_that_unticking_the_focus_moves_it_on(qtbot, page):
    rows = page.settings_card.methods.rows
    rows["em-as"].check.click()
    settle(qtbot, page)
    assert rows["eq"].radio.isChecked()
    assert page.showing.view.focus == "eq"


def test_that_the_focus_takes_the_reconstructed_look(qtbot, page):
    rows = page.settings_card.methods.rows
    assert rows["em-as"].sample.look == "reconstructed"
    assert rows["eq"].sample.look == "series 0"
    rows["eq"].radio.click()
    settle(qtbot, page)
    assert rows["eq"].sample.look == "reconstructed"
    assert rows["em-as"].sample.look == "series 1"
    found = page.explorer.result.runs["eq"].path.estimates[-1]
    assert shown_shares(page, "reconstructed") == pytest.approx(found)


def test_that_a_click_on_an_unticked_row_ticks_it_and_brings_it_to_the_front(qtbot, page):
    row = page.settings_card.methods.rows["accelerated"]
    spot = QPoint(row.width() - 60, row.height() // 2)
    qtbot.mouseClick(row, Qt.MouseButton.LeftButton, pos=spot)
    settle(qtbot, page)
    assert row.check.isChecked()
    assert page.showing.view.focus == "accelerated"


def test_that_the_stop_rule_moves_the_cursor(qtbot, page):
    run = page.explorer.result.runs["em-as"]
    scrubber = page.picture.scrubber
    for rule in (PUBLISHED, AUTO, CONVERGED):
        page.settings_card.rule.choose(rule)
        assert page.choices.rule(VALUES) == rule
        assert scrubber.iteration == page.showing.cursor == run.path.stops[rule]
        assert shown_shares(page, "reconstructed") == pytest.approx(
            run.path.at(run.path.stops[rule])
        )


def test_that_the_hint_says_where_the_rule_stops(qtbot, page):
    page.settings_card.rule.choose(PUBLISHED)
    at = page.explorer.result.runs["em-as"].path.stops[PUBLISHED]
    assert f"{at} iterations" in page.settings_card.rule_hint.text()


def test_that_the_fixed_rule_takes_its_number_from_the_box(qtbot, page):
    card = page.settings_card
    assert card.fixed_row.isHidden()
    card.rule.choose(FIXED)
    assert not card.fixed_row.isHidden()
    card.fixed.setValue(3)
    assert page.choices.fixed == 3
    assert page.picture.scrubber.iteration == 3


def test_that_rules_are_kept_apart_for_values_and_numbers(qtbot, page):
    assert page.choices.rule(NUMBERS) == AUTO
    page.settings_card.rule.choose(PUBLISHED)
    select(qtbot, page, "pay")
    assert page.settings_card.rule.current == AUTO
    select(qtbot, page, "town")
    assert page.settings_card.rule.current == PUBLISHED


def test_that_a_rule_without_an_iterated_algorithm_is_grey_and_says_why(qtbot, page):
    page.settings_card.methods.rows["em-as"].check.click()
    settle(qtbot, page)
    rule = page.settings_card.rule
    rule.choose(AUTO)
    assert page.choices.rule(VALUES) == CONVERGED
    assert page.settings_card.rule_hint.text() == "None of the ticked algorithms iterates."
    assert page.likelihood.stack.currentWidget() is page.likelihood.words


def test_that_the_steps_of_the_scale_can_be_chosen(qtbot, page):
    card = page.settings_card
    assert not card.steps.isEnabled()
    assert card.steps.toolTip() == "Values are not cut into steps."
    select(qtbot, page, "pay")
    assert (card.steps.isEnabled(), card.steps.value()) == (True, 40)
    card.steps.setValue(15)
    settle(qtbot, page)
    assert page.explorer.result.draw.counted.k == 15
    assert len(shown_shares(page, "reconstructed")) == 15
    select(qtbot, page, "age")
    assert card.steps.value() == card.steps.maximum() == 43
    select(qtbot, page, "pay")
    assert card.steps.value() == 15


def test_that_the_arrangement_can_be_changed(qtbot, page):
    picture = page.picture
    picture.arrangement.choose(SIDE)
    assert picture.stack.currentWidget() is picture.side
    plots = picture.side.plots
    assert [not p.isHidden() for p in plots] == [True, True, True]
    assert len({p.top for p in plots}) == 1
    page.choices.set_side_by_side(False)
    assert picture.arrangement.current == "overlaid"
    assert picture.stack.currentWidget() is picture.plot


def test_that_numbers_side_by_side_share_their_axis(qtbot, page):
    select(qtbot, page, "pay")
    page.picture.arrangement.choose(SIDE)
    ranges = [p.getPlotItem().getViewBox().viewRange()[0] for p in page.picture.side.plots]
    assert ranges[0] == pytest.approx(ranges[1])
    assert ranges[0] == pytest.approx(ranges[2])


def test_that_the_help_of_stop_rules_can_be_asked_for(qtbot, page):
    with qtbot.waitSignal(page.workbench.help_requested) as asked:
        page.settings_card.help.click()
    assert asked.args == ["stopping-rules"]


def test_that_the_columns_are_remembered(qtbot, page, workbench):
    page.columns.setSizes([300, 600, 360])
    page.columns.splitterMoved.emit(300, 1)
    again = make_page(qtbot, workbench, small_study())
    settle(qtbot, again)
    assert again.columns.saveState() == page.columns.saveState()


# Intervals


@pytest.mark.parametrize("name", ["town", "pay", "age"])
def test_that_the_focus_has_an_interval_at_every_iteration(qtbot, page, name):
    select(qtbot, page, name)
    run = page.explorer.result.runs[page.showing.view.focus]
    assert run.path.deviation is not None
    for iteration in {1, 5, run.path.last}:
        reading = run.at(iteration)
        assert np.all(reading.low <= reading.probability)
        assert np.all(reading.probability <= reading.high)
        assert (reading.high - reading.low).max() > 0


def test_that_intervals_of_converged_em_agree_with_those_of_eq(qtbot, page):
    runs = page.explorer.result.runs
    by_em, by_eq = runs["em-as"].at(10**6), runs["eq"].at(0)
    assert by_em.probability == pytest.approx(by_eq.probability, abs=1e-5)
    # A standard deviation from 100 resamples is off by 7 % itself; four of those are allowed.
    wide = np.array([by_em.high - by_em.low, by_eq.high - by_eq.low])
    inside = (by_eq.low > 0) & (by_em.low > 0)
    assert wide[0, inside] == pytest.approx(wide[1, inside], rel=0.3)


# Nothing to show, or not all


def empty(page):
    assert page.picture.stack.currentWidget() is page.picture.empty
    return page.picture.empty


def test_that_an_undistorted_attribute_sends_people_to_design(qtbot, page):
    select(qtbot, page, "known")
    assert "not distorted" in empty(page).heading.text()
    assert not page.primary.isEnabled()
    assert page.primary.toolTip() == "This attribute is not distorted."
    assert not page.settings_card.methods.isEnabled()
    with qtbot.waitSignal(page.workbench.page_requested) as asked:
        empty(page).button.click()
    assert asked.args == ["design"]
    page.store.set_perturbation(["known"], Uniform(keep=0.7))
    settle(qtbot, page)
    assert page.picture.stack.currentWidget() is page.picture.plot
    assert page.settings_card.methods.isEnabled()


@pytest.mark.parametrize(
    ("name", "words"), [("only", "only one possible answer"), ("gone", "has no answers")]
)
def test_that_nothing_to_reconstruct_is_said_in_words(qtbot, page, name, words):
    select(qtbot, page, name)
    assert words in empty(page).heading.text()
    assert not page.repeat_action.isEnabled()


def test_that_a_study_without_rows_says_so(qtbot, page):
    page.store.open(Study.of_table(small_table(2).take(slice(0, 0)), "none"))
    settle(qtbot, page)
    assert "no answers" in empty(page).heading.text()


def test_that_one_answer_is_shown_with_a_warning(qtbot, page):
    page.store.open(small_study(1))
    settle(qtbot, page)
    for name in ("town", "pay", "age"):
        select(qtbot, page, name)
        assert page.picture.stack.currentWidget() is page.picture.plot
        assert page.settings_card.summary.text().startswith("1 answer,")
        assert "Only one answer" in page.insight.sentence.text()


def test_that_a_singular_matrix_disables_eq_with_the_reason(qtbot, page):
    page.store.set_perturbation(["vote"], Uniform(keep=0.5))
    select(qtbot, page, "vote")
    row = page.settings_card.methods.rows["eq"]
    assert not row.check.isEnabled()
    assert not row.check.isChecked()
    assert "above 0.50" in row.check.toolTip()
    assert set(page.explorer.result.runs) == {"em-as"}
    assert "cannot be undone" in page.insight.sentence.text()
    reading = page.explorer.result.runs["em-as"].at(1)
    assert reading.low.tolist() == [0, 0]
    assert reading.high.tolist() == [1, 1]
    page.store.set_perturbation(["vote"], Uniform(keep=0.8))
    settle(qtbot, page)
    assert page.settings_card.methods.rows["eq"].check.isChecked()


def test_that_eq_has_nothing_to_step_through(qtbot, page):
    page.settings_card.methods.rows["eq"].radio.click()
    settle(qtbot, page)
    scrubber = page.picture.scrubber
    assert not scrubber.slider.isEnabled()
    assert "one step" in scrubber.toolTip()
    assert not page.loss.plot.shown.has_cursor


def test_that_two_hundred_values_are_drawn_as_lines(qtbot, page):
    values = Attribute("code", Kind.NOMINAL, tuple(f"v{i}" for i in range(200)))
    codes = np.random.default_rng(1).integers(0, 200, 900)
    page.store.open(Study.of_table(Table((Column(values, codes),)), "many"))
    settle(qtbot, page)
    assert page.picture.plot._shown.is_numeric
    assert page.picture.plot._cell_words(np.arange(201) - 0.5, 7) == "v7"
    assert len(page.picture.plot.rows()) == 201


def test_that_numbers_outside_the_domain_are_told_and_the_page_goes_on(qtbot, page):
    study = page.store.study
    narrow = Attribute("pay", Kind.CONTINUOUS, domain=(30.0, 50.0))
    noise = Additive(noise="normal", sigma=10.0)
    designed = tuple(
        DesignedAttribute(narrow, noise) if d.name == "pay" else d for d in study.design
    )
    page.store.set_design(Design(designed, study.design.class_name), "Narrow")
    told = []
    page.workbench.error_raised.connect(told.append)
    select(qtbot, page, "pay")
    assert "outside the design's domain" in empty(page).advice.text()
    assert len(told) == 1
    select(qtbot, page, "town")
    assert page.picture.stack.currentWidget() is page.picture.plot


# Answers that came distorted


@pytest.fixture
def collected(qtbot, workbench):
    study = small_study()
    table = distort(study.original, study.design, SeededStreams(1))
    made = make_page(qtbot, workbench, Study.of_distorted(table, study.design, "collected"))
    settle(qtbot, made)
    return made


def test_that_collected_answers_are_reconstructed_without_a_truth(qtbot, collected):
    page = collected
    for name in ("town", "pay", "age"):
        select(qtbot, page, name)
        roles = [s.role for s in page.picture.plot._comparison.histogram.series]
        assert roles == ["distorted", "reconstructed"]
        assert page.loss.stack.currentWidget() is page.loss.words
        assert all(row.loss is None for row in page.losses.model.rows)
        assert page.picture.title.words() == f"{name}: distorted, reconstructed"


def test_that_collected_answers_cannot_be_distorted_again(qtbot, collected):
    assert not collected.primary.isEnabled()
    assert "came distorted" in collected.primary.toolTip()
    assert not collected.repeat_action.isEnabled()
    assert not collected.settings_card.seed.isEnabled()
    assert "came distorted" in collected.settings_card.seed.toolTip()


# Every control


def test_that_every_control_has_a_name_for_scripts_and_for_screen_readers(qtbot, page):
    kinds = (QAbstractButton, QAbstractSpinBox, QComboBox, QSlider, Segmented, Plot)
    controls = [w for w in page.findChildren(QWidget) if isinstance(w, kinds)]
    # A table has a corner button of Qt's own.
    own = [w for w in controls if not isinstance(w.parent(), QAbstractItemView)]
    assert len(own) > 20
    for widget in own:
        words = widget.text() if isinstance(widget, QAbstractButton) else ""
        assert widget.objectName(), widget
        assert widget.accessibleName() or words, widget.objectName()


def test_that_a_change_of_theme_keeps_what_is_shown(qtbot, page):
    before = shown_shares(page, "reconstructed")
    page.themes.choose("dark")
    page.themes.zoom(1.3)
    settle(qtbot, page)
    assert shown_shares(page, "reconstructed") == pytest.approx(before)
    page.themes.zoom(1.0)


def test_that_the_table_goes_to_the_clipboard(qtbot, page):
    page.losses.table.copy()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t") == ["Algorithm, stop", "this draw", "100 draws"]
    assert lines[1].startswith("EM/AS, converged")


def test_that_a_new_draw_does_not_hold_up_the_window(qtbot, page, max_block):
    select(qtbot, page, "pay")
    with max_block(120):
        page.primary.trigger()
        settle(qtbot, page)
    with max_block(60):
        for iteration in range(0, page.picture.scrubber.last, 97):
            page.picture.scrubber.box.setValue(iteration)
            qtbot.wait(5)


def test_that_a_title_without_room_ends_with_dots_and_tells_the_rest(qtbot, page):
    title = page.picture.title
    page.resize(1290, 660)
    assert title.text() == title.words()
    title.setText("a very long question " * 12)
    assert title.text().endswith("…")
    assert title.toolTip() == title.words()
    assert title.accessibleName() == title.words()


def test_that_the_side_columns_give_way_in_a_small_window(qtbot, page):
    wide = page.columns.sizes()
    page.resize(1010, 600)
    small = page.columns.sizes()
    assert small[0] <= wide[0]
    assert small[2] < wide[2]
    assert small[1] > 400
