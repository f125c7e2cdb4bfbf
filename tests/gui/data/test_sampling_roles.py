"""Columns that tell how people were drawn: chosen, offered, refused and undone."""

import numpy as np
import pytest
from answers import small_table
from designs import classic_study
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QPushButton

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import ReplicateRole, Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Uniform
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.pages.data.attribute_table import Field
from ppworkbench.gui.pages.data.view import AT_ONCE
from ppworkbench.study.sampling import suggested_roles
from ppworkbench.study.study import Study


def sampled_table(rows=60, pw=None, **renamed):
    """The small table with columns of a sampling, none of which has a role yet."""
    place = np.arange(rows)
    weight = 1.0 + place % 5 if pw is None else np.asarray(pw, float)
    more = (
        Column(Attribute(renamed.get("pw", "pw"), Kind.CONTINUOUS, domain=(-9, 99)), weight),
        Column(Attribute("strat", Kind.NOMINAL, ("low", "mid", "top")), place % 3),
        Column(Attribute("psu", Kind.INTEGER, domain=(0, 99_999)), 1.0 * (place // 6)),
        Column(Attribute("repw1", Kind.CONTINUOUS, domain=(0, 99)), weight * 1.5),
        Column(Attribute("repw2", Kind.CONTINUOUS, domain=(0, 99)), weight * (place % 2)),
    )
    base = small_table(60).take(place % 60)
    return Table((*base.columns, *more), base.class_name)


@pytest.fixture
def page(page):
    page.store.open(classic_study(sampled_table(), "sampled"))
    return page


def choose_role(page, key, *names):
    """Select columns and take a role from the list, as a person does."""
    if names:
        page.store.select(names)
    box = page.inspector.role.findChild(QComboBox, "samplingRole")
    place = box.findData(key)
    assert place >= 0
    assert key not in box.refused
    box.showPopup()
    QTest.keyClick(box.view(), Qt.Key.Key_Home)
    for _ in range(box.count()):
        if box.view().currentIndex().row() == place:
            break
        QTest.keyClick(box.view(), Qt.Key.Key_Down)
    QTest.keyClick(box.view(), Qt.Key.Key_Return)


def offer(page):
    """The button of the line that offers a role; None while there is no such line."""
    button = page.role_offer.findChild(QPushButton, "bannerAction")
    return button if page.role_offer.isVisible() else None


def badges(page):
    column = page.attributes.model.columns[Field.NAME]
    return {one.name: column.badge(one) for one in page.attributes.model.rows}


def test_that_a_role_is_chosen_shown_and_undone_in_one_step(page):
    assert not page.store.study.design.perturbation("pw").is_identity
    choose_role(page, "weight", "pw")
    assert page.store.study.sampling == Sampling("pw")
    assert page.store.study.design.perturbation("pw").is_identity
    assert badges(page)["pw"] == "weight"
    assert page.store.undo_stack.count() == 1
    page.store.undo_stack.undo()
    assert page.store.study.sampling is None
    assert not page.store.study.design.perturbation("pw").is_identity
    assert badges(page)["pw"] == ""
    assert page.inspector.role.role.currentData() == ""


def test_that_a_column_without_its_role_is_distorted_as_at_first(page):
    page.store.open(Study.of_table(sampled_table(), "sampled"))
    before = page.store.study.design
    choose_role(page, "stratum", "strat")
    choose_role(page, "", "strat")
    assert page.store.study.sampling is None
    assert page.store.study.design == before


def test_that_the_weight_moves_and_strata_are_crossed(page):
    choose_role(page, "weight", "pw")
    choose_role(page, "weight", "repw1")
    choose_role(page, "stratum", "strat")
    choose_role(page, "stratum", "town")
    assert page.store.study.sampling == Sampling("repw1", ("strat", "town"))
    assert page.store.undo_stack.count() == 4


def test_that_what_cannot_be_a_weight_is_refused_with_a_sentence(page):
    weights = np.ones(60)
    weights[6] = -1
    page.store.open(classic_study(sampled_table(pw=weights), "negative"))
    problem = page.inspector.role.problem
    choose_role(page, "weight", "pw")
    assert problem.isVisible()
    assert problem.text() == "Row 7 of “pw” is negative; weights cannot be."
    assert page.store.study.sampling is None
    assert page.store.undo_stack.count() == 0
    assert page.inspector.role.role.currentData() == ""
    choose_role(page, "weight", "town")
    assert problem.text() == "Row 1 of “town” is not a number."
    page.store.select(["age"])
    assert not problem.isVisible()


def test_that_names_are_offered_one_after_the_other_and_never_applied_unasked(page, qtbot):
    assert page.store.study.sampling is None
    told = []
    for _ in range(3):
        told.append(offer(page).text())
        qtbot.mouseClick(offer(page), Qt.MouseButton.LeftButton)
    assert told == ["Use pw as weight", "Use strat as stratum", "Use psu as cluster"]
    assert page.store.study.sampling == Sampling("pw", ("strat",), "psu")
    assert offer(page).text() == "Select 2 columns"
    qtbot.mouseClick(offer(page), Qt.MouseButton.LeftButton)
    assert set(page.store.selected) == {"repw1", "repw2"}
    choose_role(page, "replicates jk1")
    assert page.store.study.sampling.replicates == ReplicateRole(("repw1", "repw2"), "jk1")
    assert offer(page) is None
    assert page.store.undo_stack.count() == 4


def test_that_an_offer_that_was_closed_stays_away_until_another_study(page, qtbot):
    qtbot.mouseClick(page.role_offer.close_button, Qt.MouseButton.LeftButton)
    page.store.select(["psu"])
    assert offer(page) is None
    page.store.open(classic_study(sampled_table(), "again"))
    assert offer(page) is not None
    page.store.open(classic_study(small_table(), "plain"))
    assert offer(page) is None


def test_that_replicates_need_all_their_columns_and_fay_has_a_factor(page):
    page.store.select(["repw1"])
    box = page.inspector.role.role
    assert "replicates fay" in box.refused
    choose_role(page, "replicates fay", "repw1", "repw2")
    assert page.inspector.role.factor.isVisible()
    page.inspector.role.factor.setValue(0.5)
    assert page.store.study.sampling.replicates == ReplicateRole(("repw1", "repw2"), "fay", 0.5)
    choose_role(page, "", "repw1")
    assert page.store.study.sampling is None


def test_that_a_cluster_with_very_many_names_joins_the_design(page):
    rows = 300
    names = tuple(f"village {place}" for place in range(rows))
    village = Column(Attribute("village", Kind.NOMINAL, names), np.arange(rows))
    mood = Column(Attribute("mood", Kind.NOMINAL, ("bad", "good")), np.arange(rows) % 2)
    page.store.open(classic_study(Table((village, mood)), "villages"))
    assert "village" not in page.store.study.design
    choose_role(page, "cluster", "village")
    assert page.store.study.design.perturbation("village").is_identity
    choose_role(page, "", "village")
    assert "village" not in page.store.study.design


def test_that_long_tables_are_checked_in_the_background(page, wait_idle):
    page.store.open(classic_study(sampled_table(AT_ONCE + 60), "long"))
    wait_idle()
    choose_role(page, "weight", "pw")
    assert page.store.study.sampling is None
    wait_idle()
    assert page.store.study.sampling == Sampling("pw")


def test_that_randomised_columns_of_distorted_answers_get_no_role(page):
    study = classic_study(sampled_table(), "told").with_perturbations({"strat": Uniform(keep=0.5)})
    kept = study.with_sampling(Sampling("pw"))
    told = distort(kept.original, kept.design, SeededStreams(1))
    page.store.open(Study.of_distorted(told, kept.design, "told"))
    choose_role(page, "stratum", "strat")
    assert "is randomised" in page.inspector.role.problem.text()
    assert page.store.study.sampling == Sampling("pw")
    assert dict(suggested_roles(page.store.study)) == {}
    choose_role(page, "", "pw")
    assert page.store.study.sampling is None
    assert page.store.study.design.perturbation("pw").is_identity
    assert dict(suggested_roles(page.store.study)) == {"weight": ("pw",)}
