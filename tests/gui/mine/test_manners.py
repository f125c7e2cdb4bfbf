"""The Mine page has names, follows the theme and is made in short parts."""

from __future__ import annotations

from layout_check.named import unnamed
from mining_page import choose, look_at, make_page, settle
from mining_studies import survey_study, survey_table

from ppworkbench.core.design import Design
from ppworkbench.gui.pages.mine import MinePage
from ppworkbench.gui.pages.mine.view import RUNS
from ppworkbench.study.study import Study


def test_that_every_control_has_a_name_for_tests_and_for_screen_readers(mined):
    assert unnamed(mined, hidden=True) == []


def test_that_the_page_follows_the_theme(qtbot, mined):
    light = mined.grab().toImage()
    mined.themes.choose("dark")
    qtbot.wait(1)
    assert mined.grab().toImage() != light
    look_at(mined, RUNS)
    mined.grab()
    mined.errors.view.choose("chart")
    mined.grab()


def test_that_items_can_be_chosen_once_the_page_is_shown(qtbot, workbench):
    workbench.store.open(survey_study(200))
    made = MinePage(workbench)
    qtbot.addWidget(made)
    made.resize(1290, 660)
    made.show()
    made.shown()
    settle(qtbot, made)
    assert made.settings_card.choose.isEnabled()


def test_that_help_about_the_methods_is_asked_for(qtbot, page):
    for method, topic in (("shrinkage", "shrinkage-mask"), ("mmask", "mmask")):
        choose(page, method=method)
        with qtbot.waitSignal(page.workbench.help_requested) as caught:
            page.settings_card.help.click()
        assert caught.args == [topic]


def test_that_a_design_without_attributes_offers_nothing(qtbot, workbench):
    table = survey_table(40)
    page = make_page(qtbot, workbench, Study("bare", table, design=Design(())))
    assert page.settings_card.item_count.text() == "0 of 0"
    assert not page.settings_card.choose.isEnabled()
    assert page.view.empty is not None
