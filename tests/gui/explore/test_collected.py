"""Answers that are already distorted: explored without a truth; and every control has a name."""

from __future__ import annotations

import pytest
from exploring import iterate, make_page, select, settle, shown_shares, small_study
from layout_check.named import unnamed
from PySide6.QtGui import QGuiApplication

from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.study.study import Study


@pytest.fixture
def collected(qtbot, workbench):
    study = small_study()
    table = distort(study.original, study.design, SeededStreams(1))
    made = make_page(qtbot, workbench, Study.of_distorted(table, study.design, "collected"))
    settle(qtbot, made)
    return made


@pytest.mark.slow
def test_that_collected_answers_are_reconstructed_without_a_truth(qtbot, collected):
    page = collected
    for name in ("town", "pay", "age"):
        select(qtbot, page, name)
        roles = [s.role for s in page.picture.plot._roles]
        assert roles == ["distorted", "reconstructed"]
        assert page.loss.stack.currentWidget() is page.loss.words
        assert set(page.losses.table.sheet["loss"].values) == {None}
        assert page.picture.title.words() == f"Distribution of {name}"


def test_that_collected_answers_cannot_be_distorted_again(collected):
    assert not collected.primary.isEnabled()
    assert "are already randomised" in collected.primary.toolTip()
    assert not collected.repeat_action.isEnabled()
    assert not collected.settings_card.seed.isEnabled()
    assert "are already randomised" in collected.settings_card.seed.toolTip()


def test_that_every_control_has_a_name_for_scripts_and_for_screen_readers(page):
    assert unnamed(page, hidden=True) == []


def test_that_a_change_of_theme_keeps_what_is_shown(qtbot, page):
    before = shown_shares(page, "reconstructed")
    page.themes.choose("dark")
    page.themes.zoom(1.3)
    settle(qtbot, page)
    assert shown_shares(page, "reconstructed") == pytest.approx(before)
    page.themes.zoom(1.0)


def test_that_the_table_goes_to_the_clipboard(page):
    page.losses.table.copy()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t") == ["Algorithm, stop", "Iterations", "this draw"]
    assert lines[1].startswith("EM/AS, converged")


@pytest.mark.slow
def test_that_a_new_draw_is_iterated_as_well(qtbot, page):
    select(qtbot, page, "pay")
    iterate(qtbot, page)
    page.primary.trigger()
    settle(qtbot, page)
    assert page.picture.scrubber.last > 1000


def test_that_a_long_title_goes_on_in_a_second_line_and_tells_what_has_no_room(page):
    title = page.picture.title
    page.resize(1290, 660)
    assert title.text() == title.words()
    # One and a half lines and more than two, in whatever font there is.
    lines = title.width() / title.fontMetrics().horizontalAdvance("a question ")
    title.setText(("a question " * round(1.5 * lines)).strip())
    first, second = title.text().split("\n")
    assert f"{first} {second}" == title.words()
    assert title.toolTip() == ""
    title.setText(("a question " * round(3 * lines)).strip())
    assert title.text().endswith("…")
    assert title.toolTip() == title.words()
    assert title.accessibleName() == title.words()


def test_that_the_side_columns_give_way_in_a_small_window(page):
    wide = page.columns.sizes()
    page.resize(1010, 600)
    small = page.columns.sizes()
    assert small[0] <= wide[0]
    assert small[2] < wide[2]
    assert small[1] > 400
