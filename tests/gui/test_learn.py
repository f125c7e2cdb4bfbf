"""Demonstrations over the live pages: they run, and the user's study comes back untouched."""

from __future__ import annotations

from pathlib import Path

import pytest
from demonstrating import FORMAT, SMOKERS
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QFileDialog, QLineEdit, QWidget
from studies import make_study

from ppworkbench.core.design import Uniform
from ppworkbench.core.errors import DataError
from ppworkbench.gui.language.speech import ENGLISH, LANGUAGES, speech
from ppworkbench.gui.learn.controls import press, read, write
from ppworkbench.gui.learn.entries import DemonstrationCard, DemonstrationRow
from ppworkbench.gui.learn.folding import FEWEST
from ppworkbench.gui.learn.opening import open_demonstration
from ppworkbench.gui.learn.panel import WIDTH
from ppworkbench.gui.learn.seen import own_files, seen
from ppworkbench.gui.learn.step_text import plain
from ppworkbench.gui.widgets.segmented import Segmented
from ppworkbench.gui.widgets.slider_row import SliderRow
from ppworkbench.study.demonstrations.figures.accuracies import Accuracy
from ppworkbench.study.demonstrations.figures.deniability import PublishedGroups
from ppworkbench.study.demonstrations.figures.itemsets import Mining
from ppworkbench.study.demonstrations.heads import shipped_files
from ppworkbench.study.recovery import recoverable

LEFT = Qt.MouseButton.LeftButton
_STEPS = """
[[step]]
title = "One"
text = "There are {n}."
page = "design"
attribute = "smokes"
design.smokes = {type = "uniform", keep = 0.8}
controls = {respondents = 500}
[[step.look]]
at = "matrix"
text = "Here."
[[step.figure]]
name = "n"
label = "Smokers"
calculate = "share"
with = {attribute = "smokes", value = "yes", of = "expected"}
digits = 0
[[step.try]]
label = "Keep less"
design.smokes = {type = "uniform", keep = 0.6}
[[step]]
title = "Two"
text = "More."
settings = {seed = 7}
controls = {respondents = 900}
"""
OWN = f"""{FORMAT}
title = "My own"
line = "Two steps."
{SMOKERS}
{_STEPS}"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.toml"
    path.write_text(OWN, encoding="utf-8")
    return path


@pytest.fixture
def quick(monkeypatch):
    """Numbers that take long are worked out elsewhere; trainings stay in this process."""
    for kind in (Accuracy, PublishedGroups, Mining):
        monkeypatch.setattr(kind, "calculate", lambda *_: 1.0)
    monkeypatch.setattr("ppworkbench.core.experiment.run.ALONE", 1_000.0)
    monkeypatch.setattr("ppworkbench.gui.pages.explore.page.DRAWS", 10)
    monkeypatch.setattr(
        "ppworkbench.gui.learn.stage.write",
        lambda widget, value: write(widget, 2 if widget.objectName() == "folds" else value),
    )
    # Intervals of every iteration belong to the tests of that page.
    monkeypatch.setattr(
        "ppworkbench.gui.pages.explore.explorer.Explorer.measure_deviation", lambda *_: None
    )


@pytest.fixture
def start(window, qtbot):
    """Start a demonstration and wait until its first step is set up."""

    def begin(path: Path):
        open_demonstration(window.workbench, path)
        qtbot.waitUntil(lambda: window.stage is not None, timeout=20_000)
        arranged(window, qtbot)
        return window.stage

    return begin


def arranged(window, qtbot) -> None:
    stage = window.stage
    qtbot.waitUntil(lambda: stage.arrangement.is_over, timeout=30_000)


def settled(window, qtbot) -> None:
    stage = window.stage
    arranged(window, qtbot)
    qtbot.waitUntil(
        lambda: stage.workbench.jobs.is_idle and not stage.numbers.is_busy, timeout=60_000
    )
    QTest.qWait(20)
    stage.badges.follow()


# All of them, unattended


@pytest.fixture
def spoken(path: Path):
    """The language of the file; those of other languages lie in a folder of theirs."""
    language = path.parent.name
    speech.choose(language if language in LANGUAGES else ENGLISH)
    yield
    speech.choose(ENGLISH)


@pytest.mark.parametrize(
    "path", [*shipped_files(), shipped_files("pl")[-1]], ids=lambda path: "-".join(path.parts[-2:])
)
@pytest.mark.usefixtures("spoken")
def test_that_a_demonstration_runs_from_its_first_step_to_its_last(
    window, qtbot, start, quick, path
):
    mine = make_study("mine")
    window.store.open(mine)
    stage = start(path)
    for place, step in enumerate(stage.demonstration.steps):
        if place:
            qtbot.mouseClick(stage.panel.next, LEFT)
        settled(window, qtbot)
        assert stage.at == place
        assert stage.panel.problem.text() == ""
        assert not stage.shell.banner.isVisible(), stage.shell.banner.label.text()
        assert stage.shell.current == stage._setup.page
        assert [badge.number for badge in stage.badges.shown] == list(range(1, len(step.looks) + 1))
        assert "…" not in stage.panel.words.text()
        assert all(label.text() not in ("…", "–") for label in stage.panel.figures.ours.values())
    qtbot.mouseClick(stage.panel.next, LEFT)
    assert window.stage is None
    assert window.store.study is mine
    assert path.stem in seen(window.workbench.settings)


def test_that_everything_to_try_can_be_tried(window, qtbot, start, quick):
    stage = start(shipped_files()[0])
    for place, step in enumerate(stage.demonstration.steps):
        if not step.tries:
            continue
        stage.go(place)
        qtbot.mouseClick(stage.panel.tries[0], LEFT)
        arranged(window, qtbot)
        assert stage.panel.problem.text() == ""


# The user's own study


def test_that_the_users_study_comes_back_exactly_as_it_was(window, qtbot, start, own, tmp_path):
    store = window.store
    mine = make_study("mine")
    store.open(mine, tmp_path / "mine.ppw")
    window.show_page("design")
    store.select(["age", "town"])
    store.set_perturbation(["town"], Uniform(keep=0.7))
    store.set_results("mine", {"kept": 1})
    before = (store.study, store.path, store.selected, store.document, store.is_modified)
    steps = (store.undo_stack.count(), store.undo_stack.index())
    columns = window.page("design").findChild(QWidget, "designColumns")
    shown = [columns.widget(place).isHidden() for place in range(columns.count())]

    stage = start(own)
    qtbot.mouseClick(stage.panel.next, LEFT)
    settled(window, qtbot)
    stage.workbench.store.set_perturbation(["smokes"], Uniform(keep=0.9))
    window.menus.actions["zoomReset"].trigger()
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert store.study is before[0]
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(window, Qt.Key.Key_Escape)

    assert window.stage is None
    assert window.layers.currentWidget() is window.shell
    assert window.current == "design"
    after = (store.study, store.path, store.selected, store.document, store.is_modified)
    assert after == before
    assert (store.undo_stack.count(), store.undo_stack.index()) == steps
    assert [columns.widget(place).isHidden() for place in range(columns.count())] == shown
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert store.study.design.perturbation("town") == mine.design.perturbation("town")


def test_that_a_crash_in_a_demonstration_leaves_the_users_work_to_be_restored(
    window, qtbot, start, own, state_folder, wait_idle
):
    window.store.open(make_study("precious"), unsaved=True)
    start(own)
    window.files.autosave()
    wait_idle()
    # A crash gives the lock back and nothing else.
    window.files._recovery._lock.release()
    [left] = recoverable(state_folder / "recovery")
    assert left.title == "precious"


def test_that_jobs_of_the_user_go_on_during_a_demonstration(window, qtbot, start, own):
    import threading

    gate, results = threading.Event(), []
    window.store.open(make_study())
    window.workbench.run("long", lambda _: gate.wait(20), results.append)
    start(own)
    window.end_demonstration()
    gate.set()
    qtbot.waitUntil(lambda: results == [True])


def test_that_files_are_out_of_reach_while_a_demonstration_runs(window, start, own):
    window.store.open(make_study())
    names = ("open", "start", "save", "saveAs", "saveDesign", "export")
    start(own)
    assert not any(window.menus.actions[name].isEnabled() for name in names)
    window.end_demonstration()
    assert all(window.menus.actions[name].isEnabled() for name in names)


def test_that_opening_another_study_ends_the_demonstration(window, start, own):
    start(own)
    window.store.open(make_study("other"))
    assert window.stage is None
    assert window.current == "data"


def test_that_the_theme_can_change_after_a_demonstration(window, qtbot, start, own):
    start(own)
    window.end_demonstration()
    qtbot.waitUntil(lambda: not window.findChildren(QWidget, "learnPanel"))
    QTest.qWait(60)
    QApplication.processEvents()
    window.workbench.themes.choose("dark")
    window.workbench.themes.choose("light")
    assert not window.banner.isVisible()


# Steps


def test_that_steps_go_on_and_back_with_what_they_set(window, qtbot, start, own):
    stage = start(own)
    settled(window, qtbot)
    respondents = stage.shell.page("design").findChild(QWidget, "respondents")
    assert respondents.value() == 500
    assert stage.panel.figures.ours["n"].text() == "38"
    assert "<b>38</b>" in stage.panel.words.text()
    assert not stage.panel.back.isEnabled()
    QTest.keyClick(window, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    settled(window, qtbot)
    assert (stage.at, respondents.value()) == (1, 900)
    assert stage.workbench.store.study.settings.seed == 7
    assert stage.panel.next.text() == "Finish"
    qtbot.mouseClick(stage.panel.back, LEFT)
    settled(window, qtbot)
    assert (stage.at, respondents.value()) == (0, 500)
    assert stage.workbench.store.study.settings.seed != 7


def test_that_ours_follows_what_is_tried_while_the_text_keeps_its_numbers(
    window, qtbot, start, own
):
    stage = start(own)
    settled(window, qtbot)
    qtbot.mouseClick(stage.panel.tries[0], LEFT)
    settled(window, qtbot)
    assert stage.panel.figures.ours["n"].text() == "46"
    stage.workbench.store.set_perturbation(["smokes"], Uniform(keep=1.0))
    qtbot.waitUntil(lambda: stage.panel.figures.ours["n"].text() == "30", timeout=5_000)
    assert "<b>38</b>" in stage.panel.words.text()


def test_that_badges_leave_with_the_page_and_frames_follow_the_pointer(window, qtbot, start, own):
    stage = start(own)
    settled(window, qtbot)
    assert len(stage.badges.shown) == 1
    stage.panel.looks.rows[0].pointed.emit(True)
    assert stage.badges.frame.isVisible()
    stage.panel.looks.rows[0].pointed.emit(False)
    assert not stage.badges.frame.isVisible()
    qtbot.mouseClick(stage.shell.rail.buttons["data"], LEFT)
    stage.badges.follow()
    assert stage.badges.shown == ()
    assert stage.shell.current == "data"


def test_that_a_name_that_is_not_there_is_told_with_file_and_step(
    window, qtbot, start, own, monkeypatch
):
    own.write_text(OWN.replace("controls = {respondents = 500}", "controls = {respondets = 5}"))
    open_demonstration(window.workbench, own)
    qtbot.waitUntil(lambda: window.stage is not None and window.stage.shell.current == "design")
    stage = window.stage
    monkeypatch.setattr("ppworkbench.gui.learn.arrangement._MOST_TRYING", 0.1)
    qtbot.waitUntil(lambda: bool(stage.panel.problem.text()))
    assert stage.panel.problem.text().startswith("own.toml, step 1: The page Design has nothing")
    window.end_demonstration()
    monkeypatch.undo()
    own.write_text(OWN.replace("controls = {respondents = 500}", "controls = {mechanism = 'x'}"))
    stage = start(own)
    qtbot.waitUntil(lambda: bool(stage.panel.problem.text()))
    assert "has no choice 'x'" in stage.panel.problem.text()


def test_that_a_narrow_window_gives_up_a_column_that_nobody_speaks_of(window, qtbot, start, own):
    window.resize(1366, 768)
    stage = start(own)
    settled(window, qtbot)
    columns = stage.shell.page("design").findChild(QWidget, "designColumns")
    room = window.width() - stage.shell.rail.width() - WIDTH
    assert room < FEWEST
    hidden = [columns.widget(place).isHidden() for place in range(columns.count())]
    # The matrix is in the first of them; the readouts make room.
    assert hidden == [False, True]
    window.resize(1700, 900)
    qtbot.waitUntil(lambda: not columns.widget(1).isHidden())


def test_that_learn_in_the_rail_leads_out_of_the_demonstration(window, qtbot, start, own):
    stage = start(own)
    assert stage.shell.rail.buttons["learn"].isChecked()
    qtbot.mouseClick(stage.shell.rail.buttons["learn"], LEFT)
    assert window.stage is None
    assert window.current == "learn"


# The Learn page and the start screen


def test_that_the_learn_page_lists_and_starts_all_and_ticks_what_was_seen(window, qtbot, own):
    window.show_page("learn")
    page = window.page("learn")
    assert [card.head.file for card in page.cards] == list(shipped_files())
    window.workbench.settings.setValue("learn/seen", ["1-coin"])
    page.shown()
    assert [not card._done.isHidden() for card in page.cards] == [True] + [False] * 8
    page.start_next()
    qtbot.waitUntil(lambda: window.stage is not None)
    assert window.stage.demonstration.name == "2-loop"
    window.end_demonstration()
    assert window.current == "learn"


def test_that_a_file_of_ones_own_is_opened_and_listed(window, qtbot, own, monkeypatch):
    window.show_page("learn")
    page = window.page("learn")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(own), ""))
    page.open_action.trigger()
    qtbot.waitUntil(lambda: window.stage is not None)
    assert window.stage.demonstration.title == "My own"
    window.end_demonstration()
    assert own_files(window.workbench.settings) == (own,)
    assert [card.head.title for card in page.own_cards] == ["My own"]
    own.unlink()
    page.shown()
    assert page.own_cards == []


def test_that_a_bad_file_of_ones_own_is_told_in_the_banner(window, qtbot, own, wait_idle):
    own.write_text(OWN.replace('page = "design"', 'page = "x"'))
    window.show_page("learn")
    window.page("learn").open_own(own)
    wait_idle()
    assert window.stage is None
    assert "own.toml, step 1: 'page' is 'x'" in window.banner.label.text()
    assert own_files(window.workbench.settings) == ()


def test_that_the_start_screen_starts_a_demonstration(window, qtbot):
    rows = window.pages["start"].findChildren(DemonstrationRow)
    assert len(rows) == 9
    qtbot.keyClick(rows[0], Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.stage is not None)
    assert window.stage.demonstration.name == "1-coin"
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert window.current == "start"


# Controls


def test_that_controls_of_every_kind_are_set_and_read(qtbot, workbench):
    page = QWidget()
    qtbot.addWidget(page)
    row, box, line, tick = SliderRow("x", 0, 10), QComboBox(), QLineEdit(page), QCheckBox(page)
    segments = Segmented(workbench.themes, "s", [("a", "A"), ("b", "B")])
    box.addItem("One", "one")
    box.addItem("Two", "two")
    told: list[object] = []
    row.moved.connect(lambda value, _: told.append(value))
    box.activated.connect(told.append)
    line.textEdited.connect(told.append)
    tick.toggled.connect(told.append)
    segments.chosen.connect(told.append)
    for widget, value in ((row, 3), (box, "two"), (line, "text"), (tick, True), (segments, "b")):
        qtbot.addWidget(widget)
        write(widget, value)
    assert told == [3.0, 1, "text", True, "b"]
    assert [read(w) for w in (row, box, line, tick, segments)] == [3.0, "Two", "text", True, "b"]
    assert read(page) is None
    for widget, value in ((row, "x"), (box, "three"), (tick, "yes"), (segments, "c"), (page, 1)):
        with pytest.raises(DataError):
            write(widget, value)
    assert not press([page], "nothing")


def test_that_cards_tell_their_title_to_screen_readers(window):
    window.show_page("learn")
    for card in window.page("learn").findChildren(DemonstrationCard):
        assert card.accessibleName() == card.head.title
        assert card.focusPolicy() == Qt.FocusPolicy.StrongFocus
    assert plain("**A** {n}", {}) == "A …"
