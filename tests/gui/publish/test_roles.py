"""Weights, strata and clusters in a release: kept, coarsened or omitted, and what they tell."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QSpinBox
from role_studies import drawn_study

from ppworkbench.core.data.files import read_table
from ppworkbench.gui.pages.publish.bundle_dialog import ReleaseDialog
from ppworkbench.outputs.publication import COARSEN, DENIABLE, DISTORTED, DROP, KEEP

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def study():
    return drawn_study()


@pytest.fixture
def distorted(page, act):
    act(lambda: page.settings_card.mode.choose(DISTORTED))
    return page


def choose(page, name, how, act):
    """Select a column in the list and press one of the three choices."""
    names = list(page.store.study.design.names)
    act(lambda: page.distorted.view.selectRow(names.index(name)))
    control = page.distorted.role
    assert control.isVisible()

    for x in range(3, control.width(), 6):
        if control.current != how:
            act(lambda x=x: QTest.mouseClick(control, LEFT, pos=QPoint(x, control.height() // 2)))
    assert control.current == how


def reported(page):
    model = page.distorted.model
    names = page.store.study.design.names
    return {name: model.index(place, 2).data() for place, name in enumerate(names)}


def told(page):
    return [f"{point.sentence}: {point.detail}" for point in page.bundle.list.points]


@pytest.mark.slow
def test_that_every_role_is_kept_coarsened_or_omitted(distorted, act, workbench):
    page = distorted
    assert reported(page)["pw"] == "weight, not randomised"
    assert any("can be singled out by" in line for line in told(page))
    choose(page, "pw", COARSEN, act)
    assert reported(page)["pw"] == "weight, coarsened"
    assert any("the sum of the weights is kept" in line for line in told(page))
    choose(page, "village", DROP, act)
    assert reported(page)["village"] == "omitted"
    assert page.plan.role_release("village") == DROP
    assert any("lack strata or clusters" in line for line in told(page))
    assert any("stays" in line and "standard error" in line for line in told(page))
    choose(page, "village", KEEP, act)
    assert page.plan.role_release("village") == KEEP
    # What was chosen is kept with the study.
    assert workbench.store.study.results["publish"]["coarsened"] == ["pw"]


def test_that_other_attributes_are_omitted_as_before(distorted, act):
    act(lambda: distorted.distorted.view.selectRow(0))
    assert not distorted.distorted.role.isVisible()
    assert distorted.distorted.leave_out.isVisible()


@pytest.mark.slow
def test_that_the_bundle_is_written_as_chosen(distorted, act, qtbot, workbench, tmp_path):
    workbench.settings.setValue("files/folder", str(tmp_path))
    choose(distorted, "pw", COARSEN, act)
    distorted.bundle.report.setChecked(False)
    distorted.export()
    dialog = opened_dialog()
    assert not dialog.findChild(QLineEdit, "bundleConfirm").isVisible()
    act(lambda: qtbot.mouseClick(dialog.export, LEFT))
    table = read_table(tmp_path / "drawn-release" / "drawn.csv")
    assert len(set(table["pw"].data)) < 45


def opened_dialog():
    QApplication.processEvents()
    return next(w for w in QApplication.topLevelWidgets() if isinstance(w, ReleaseDialog))


@pytest.mark.slow
def test_that_a_weight_that_tells_the_answer_needs_a_typed_word(show, act, qtbot):
    page = show(drawn_study(telling=True))
    act(lambda: page.settings_card.mode.choose(DISTORTED))
    assert any("gives" in line and "away" in line for line in told(page))
    page.export()
    dialog = opened_dialog()
    field = dialog.findChild(QLineEdit, "bundleConfirm")
    assert field.isVisible()
    warning = dialog.warning
    assert "the best guess is right 100 % of the time" in warning.text().replace("\u202f", " ")
    assert "from the reported answer" in warning.text()
    assert "protects nothing" not in warning.text()
    for label in dialog.findChildren(QLabel):
        if label.isVisible() and label.wordWrap():
            assert label.height() >= label.heightForWidth(label.width()), label.text()
    assert not dialog.export.isEnabled()
    qtbot.keyClicks(field, "no ticke")
    assert not dialog.export.isEnabled()
    qtbot.keyClicks(field, "t")
    assert dialog.export.isEnabled()
    assert dialog.options.confirm == ("ticket",)
    dialog.reject()


def box_of(page, name) -> QComboBox:
    """The choice of a column beside a deniable table."""
    return page.settings_card.findChild(QComboBox, f"roleRelease {name}")


def pick(page, name, how, act):
    """Choose by the keys, as people do."""
    box = box_of(page, name)
    assert box.isVisible()
    places = {KEEP: 0, COARSEN: 1, DROP: 2}

    def keys():
        box.setFocus()
        step = places[how] - box.currentIndex()
        for _ in range(abs(step)):
            QTest.keyClick(box, Qt.Key.Key_Down if step > 0 else Qt.Key.Key_Up)

    act(keys)
    assert box_of(page, name).currentData() == how


@pytest.mark.slow
def test_that_a_person_chooses_the_group_size_and_takes_it_back(distorted, act, workbench):
    page, store = distorted, workbench.store
    spin = page.settings_card.findChild(QSpinBox, "leastRows")
    assert spin.isVisible()
    assert not page.settings_card.roles.boxes
    choose(page, "pw", COARSEN, act)
    assert any("at least 10 rows" in line for line in told(page))
    for size in (25, 40):
        act(lambda size=size: (spin.setFocus(), spin.setValue(size)))
        QTest.keyClick(spin, Qt.Key.Key_Return)
        assert any(f"at least {size} rows" in line for line in told(page))
        assert f"{size}" in page.distorted.role.toolTip()
    assert store.study.settings.least_rows == 40
    act(store.undo_stack.undo)
    assert spin.value() == 25
    assert any("at least 25 rows" in line for line in told(page))
    act(store.undo_stack.redo)
    assert spin.value() == 40
    # All steps of the arrows until the field is left are one step back.
    act(lambda: [QTest.keyClick(spin, Qt.Key.Key_Up) for _ in range(3)])
    assert store.study.settings.least_rows == 43
    act(store.undo_stack.undo)
    assert store.study.settings.least_rows == 40


@pytest.mark.slow
def test_that_a_deniable_table_treats_its_roles_in_any_order(page, act, workbench):
    assert page.settings_card.sensitive.currentText() == "No ticket"
    assert page.settings_card.splits.model.names == ["pw", "region", "village"]
    assert any("can be singled out by" in line for line in told(page))
    pick(page, "village", DROP, act)
    pick(page, "pw", COARSEN, act)
    pick(page, "pw", KEEP, act)
    pick(page, "pw", COARSEN, act)
    assert page.settings_card.splits.model.names == ["region"]
    assert page.subject.plan.excluded == {"pw", "village"}
    lines = told(page)
    assert any("the sum of the weights is kept" in line for line in lines)
    assert any("Not released: village" in line for line in lines)
    assert any("Share with" in line and "becomes" in line for line in lines)
    # The same choice holds for the other kind of release, and back again.
    act(lambda: page.settings_card.mode.choose(DISTORTED))
    assert reported(page)["village"] == "omitted"
    assert not page.settings_card.roles.boxes
    act(lambda: page.settings_card.mode.choose(DENIABLE))
    assert box_of(page, "village").currentData() == DROP
    pick(page, "village", KEEP, act)
    assert page.settings_card.splits.model.names == ["region", "village"]


@pytest.mark.slow
def test_that_a_deniable_bundle_is_written_as_chosen(page, act, qtbot, workbench, tmp_path):
    workbench.settings.setValue("files/folder", str(tmp_path))
    pick(page, "pw", COARSEN, act)
    pick(page, "region", DROP, act)
    page.bundle.report.setChecked(False)
    page.export()
    dialog = opened_dialog()
    act(lambda: qtbot.mouseClick(dialog.export, LEFT))
    table = read_table(tmp_path / "drawn-release" / "drawn.csv")
    assert table.names == ("ticket", "pw", "village")
    assert len(set(table["pw"].data)) < 45


@pytest.mark.slow
def test_that_a_telling_weight_of_a_deniable_table_needs_a_typed_word(show, act, qtbot):
    page = show(drawn_study(telling=True))
    act(page.settings_card.split_none.click)
    assert any("gives" in line and "away" in line for line in told(page))
    page.export()
    dialog = opened_dialog()
    assert not dialog.export.isEnabled()
    qtbot.keyClicks(dialog.findChild(QLineEdit, "bundleConfirm"), "No ticket")
    assert dialog.export.isEnabled()
    dialog.reject()
