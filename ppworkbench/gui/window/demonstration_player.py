"""Sets pages up for the steps of a demonstration."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QSettings, QTimer, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QSpinBox,
    QWidget,
)

from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.files import folder_of
from ppworkbench.core.progress import Progress
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.jobs import JobRunner
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.widgets.controls import Segmented
from ppworkbench.gui.widgets.layout import column, reveal
from ppworkbench.gui.widgets.number_fields import SliderRow
from ppworkbench.gui.window.demonstration_panel import Badges, FigureCalculator, Panel
from ppworkbench.gui.window.places import hide_columns, unfold
from ppworkbench.gui.window.shell import MakePage, Shell
from ppworkbench.gui.workbench import Workbench
from ppworkbench.outputs.demonstrations.arrange import base_study, joined, setup_at, with_setup
from ppworkbench.outputs.demonstrations.demonstration import (
    DataSource,
    Demonstration,
    Setup,
    Step,
    Try,
    Value,
)
from ppworkbench.study.study import Study

_EVERY = 20
"""Milliseconds between two looks; timers of the pages have run in between."""
_LOOKS = 2
"""Looks between two tasks."""
_MOST_WAITING = 4.0
"""Seconds that a job may keep a patient task waiting."""
_MOST_TRYING = 10.0


@dataclass(frozen=True)
class Task:
    """Something to do; ``act`` gives False if it cannot be done yet.

    ``refusal`` is the sentence if it cannot be done at all. A ``patient`` task lets jobs end first.
    """

    act: Callable[[], bool]
    refusal: str = ""
    patient: bool = False


class SetupRunner(QObject):
    """A queue of tasks. Pages make widgets and results when they get to it, so a task is tried
    until it can be done.
    """

    ended = Signal()
    failed = Signal(object)
    """The error of a task, or the sentence that it would have needed more time."""

    def __init__(self, jobs: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._tasks: deque[Task] = deque()
        self._looks = 0
        self._since = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY)
        self._timer.timeout.connect(self._go_on)

    @property
    def is_over(self) -> bool:
        return not self._timer.isActive()

    def begin(self, tasks: Sequence[Task]) -> None:
        """Do these instead of what was left to do."""
        self._tasks = deque(tasks)
        self._rest()
        self._timer.start()

    def stop(self) -> None:
        self._tasks.clear()
        self._timer.stop()

    def _rest(self) -> None:
        self._looks, self._since = 0, time.monotonic()

    def _go_on(self) -> None:
        self._looks += 1
        if self._looks < _LOOKS:
            return
        if not self._tasks:
            self._timer.stop()
            self.ended.emit()
            return
        task, waited = self._tasks[0], time.monotonic() - self._since
        if task.patient and not self._jobs.is_idle and waited < _MOST_WAITING:
            return
        try:
            done = task.act()
        except WorkbenchError as error:
            self._give_up(error)
            return
        if done:
            # A task may have begun something else in the meantime.
            if self._tasks and self._tasks[0] is task:
                self._tasks.popleft()
            self._rest()
        elif waited > _MOST_TRYING:
            self._give_up(WorkbenchError(task.refusal))

    def _give_up(self, error: WorkbenchError) -> None:
        self.stop()
        self.failed.emit(error)


class HiddenPages:
    """A workbench and a shell of their own.

    The settings lie in a folder that goes with it.
    """

    def __init__(self, users: Workbench, make_page: MakePage) -> None:
        # A folder of Qt's would stay behind when the program ends while it is in use.
        file = folder_of(self) / "demonstration.ini"
        settings = QSettings(str(file), QSettings.Format.IniFormat)
        self.workbench = Workbench(settings, users.themes, users.folder)
        self.shell = Shell(self.workbench, make_page, leads=False)


_PAUSE = 50
"""Milliseconds between two looks at whether jobs have ended."""


class DemonstrationPlayer(QWidget):
    """Covers the user's shell. Nothing of it is saved, and nothing of the user's is touched: the
    store, the jobs, the settings and the pages are other objects.
    """

    ended = Signal()
    finished = Signal(object)
    """The demonstration was seen to its end."""
    step_ready = Signal(int)
    """A step is set up as its file says."""

    def __init__(
        self, users: Workbench, demonstration: Demonstration, backstage: HiddenPages
    ) -> None:
        super().__init__()
        self.demonstration = demonstration
        # Held because the folder of its settings goes with it.
        self._backstage = backstage
        self.workbench, self.shell = backstage.workbench, backstage.shell
        self.panel = Panel(users.themes, demonstration)
        users.themes.apply_theme(self.panel)
        self.badges = Badges(users.themes, self.shell.stack)
        self.calculator = FigureCalculator(self.workbench, self)
        self.arrangement = SetupRunner(self.workbench.jobs, self)
        self.at = -1
        self._base: tuple[DataSource, Study] | None = None
        self._setup = Setup()
        self._before: dict[tuple[str, str], Value] = {}
        # The page knows its own width only when the resizing is over.
        self._fold_due = single_shot(self, self._fold)
        users.themes.theme_changed.connect(self._fold_due.start)
        # A timer of its own goes with it when the window is closed meanwhile.
        self._deletion_due = single_shot(self, self._delete_when_idle, _PAUSE)
        # In line with the cards of the page and the buttons over it.
        held = column(self.panel, margin=(0, 4, 16, 12))
        self.shell.beside.addLayout(held)
        column(self.shell, parent=self)
        self._listen()

    def _listen(self) -> None:
        shell, panel = self.shell, self.panel
        shell.page_shown.connect(self._on_page_shown)
        shell.status.replace_saved(self.tr("demonstration copy; your study is unchanged"))
        panel.next.clicked.connect(lambda: self.go(self.at + 1))
        panel.back.clicked.connect(lambda: self.go(self.at - 1))
        panel.close_button.clicked.connect(self.ended)
        panel.try_wanted.connect(self.try_out)
        panel.pointed.connect(self.badges.frame_look)
        self.calculator.found.connect(panel.show_values)
        self.arrangement.ended.connect(self._on_arranged)
        self.arrangement.failed.connect(lambda error: self._on_problem(translate(error.message)))

    # Steps

    @property
    def step(self) -> Step:
        return self.demonstration.steps[max(self.at, 0)]

    def begin(self) -> None:
        self.go(0)

    def go(self, at: int) -> None:
        """Show a step; after the last one the demonstration is over."""
        if at >= len(self.demonstration.steps):
            self.finished.emit(self.demonstration)
            self.ended.emit()
            return
        if at < 0:
            return
        self.at = at
        self.panel.show_step(at)
        self._arrange(setup_at(self.demonstration, at))

    def try_out(self, one: Try) -> None:
        """Set up some more, as a button of the step says."""
        self.panel.show_problem("")
        self._arrange(joined(self._setup, one.setup))

    def _arrange(self, setup: Setup) -> None:
        self.calculator.stop()
        self.badges.clear()
        self._unfold()
        self._setup = setup
        page = self._names(setup.page)
        tasks = [
            Task(self._open_data, self.tr("The data could not be generated.")),
            Task(self._show_study),
            Task(self._show_page),
        ]
        unset = {
            name: value
            for (of, name), value in self._before.items()
            if of == setup.page and name not in setup.controls
        }
        for name, value in (unset | dict(setup.controls)).items():
            refusal = self.tr("The page %s has no control “%s” to set now.")
            tasks.append(Task(partial(self._set, name, value), refusal % (page, name)))
        if setup.action:
            refusal = self.tr("The page %s has no button “%s” to press now.")
            act = partial(self._press, setup.action)
            tasks.append(Task(act, refusal % (page, setup.action), patient=True))
        self.arrangement.begin(tasks)

    def _names(self, page: str) -> str:
        button = self.shell.rail.buttons.get(page)
        return page if button is None else button.text()

    # Tasks

    def _open_data(self) -> bool:
        data = self._setup.data
        assert data is not None  # noqa: S101 (the reader asks for data)
        if self._base is not None and self._base[0] == data:
            return True
        title = self.demonstration.title

        def work(progress: Progress) -> Study:
            return base_study(data, title, progress)

        def done(study: Study) -> None:
            self._base = data, study

        if self.workbench.jobs.is_idle:
            self.workbench.run(self.tr("Generating data"), work, done, key="learn data", quiet=True)
        return False

    def _show_study(self) -> bool:
        assert self._base is not None  # noqa: S101 (made by the task before)
        _, base = self._base
        store = self.workbench.store
        wanted = with_setup(base, self._setup)
        if store.study.original is not base.original:
            self._before.clear()
            store.open(wanted)
        else:
            now = store.study
            same = (
                now.design == wanted.design
                and dict(now.choices) == dict(wanted.choices)
                and now.settings == wanted.settings
            )
            if not same:
                store.apply(wanted.with_(results=now.results), self.tr("Next step"))
        store.undo_stack.clear()
        if self._setup.attribute:
            wanted.attribute(self._setup.attribute)
            store.select([self._setup.attribute])
        return True

    def _show_page(self) -> bool:
        if self.shell.current != self._setup.page:
            self.shell.show_page(self._setup.page)
        self._fold()
        return True

    def _set(self, name: str, value: Value) -> bool:
        widget = find(self._places, name)
        if widget is None or not widget.isEnabled():
            return False
        now = read(widget)
        if now is not None:
            self._before.setdefault((self._setup.page, name), now)
        write(widget, value)
        return True

    def _press(self, name: str) -> bool:
        return press(self._places, name)

    @property
    def _places(self) -> list[QWidget]:
        return [self.shell.page(self._setup.page), self.shell.header]

    def _on_arranged(self) -> None:
        self._reveal()
        self._fold()
        self._show_badges()
        self.calculator.work_out(self.step.figures)
        self.step_ready.emit(self.at)

    def _on_problem(self, sentence: str) -> None:
        where = self.tr("%s, step %s: %s")
        self.panel.show_problem(where % (self.demonstration.file.name, self.at + 1, sentence))
        self._show_badges()
        self.calculator.work_out(self.step.figures)

    # Around the page

    def _show_badges(self) -> None:
        self.badges.show_looks(self.step.looks, self._find_look)

    def _reveal(self) -> None:
        """Open sections and views that hide what the step speaks of, the first of it last."""
        for look in reversed(self.step.looks):
            widget = self._find_look(look.at)
            if widget is not None:
                reveal(widget)

    def _find_look(self, name: str) -> QWidget | None:
        if self.shell.current != self._setup.page:
            return None
        return find(self._places, name)

    def _unfold(self) -> None:
        for page in self.shell.pages.values():
            unfold(page)

    def _fold(self) -> None:
        self._unfold()
        if self._setup.page not in self.shell.pages:
            return
        theme = self.workbench.theme
        names = [look.at for look in self.step.looks]
        names += [name for one in self.step.tries for name in one.setup.controls]
        spoken_of = [find(self._places[:1], name) for name in names]
        room = self.shell.width() - self.shell.rail.width() - self.panel.width() - 12
        page = self.shell.pages[self._setup.page]
        hide_columns(page, [one for one in spoken_of if one is not None], room, theme.scale)

    def _on_page_shown(self, name: str) -> None:  # noqa: ARG002
        words = self.tr("Demonstration copy; your study is unchanged")
        self.shell.header.question.setText(words)
        self.shell.rail.mark("learn")

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.panel.fit(self.width())
        self._fold_due.start()

    def close_down(self) -> None:
        """Begin nothing any more, and delete everything once the last job has ended."""
        self._fold_due.stop()
        self.arrangement.stop()
        self.badges.clear()
        self.calculator.stop()
        self.shell.close_down()
        self._delete_when_idle()

    def _delete_when_idle(self) -> None:
        """Delete the pages and the study; jobs hold on to them and may need a moment to stop."""
        if self.workbench.jobs.close(0.0):
            self.workbench.deleteLater()
            self.deleteLater()
        else:
            self._deletion_due.start()


def find(places: Sequence[QWidget], name: str) -> QWidget | None:
    """The first widget of that name; a visible one if several are called so."""
    found: list[QWidget] = []
    for place in places:
        found += place.findChildren(QWidget, name)
    return next((one for one in found if one.isVisible()), found[0] if found else None)


def read(widget: QWidget) -> Value | None:
    """What a control shows; None if it is no control."""
    if isinstance(widget, SliderRow):
        return widget.value
    if isinstance(widget, QSpinBox | QDoubleSpinBox | QAbstractSlider):
        return widget.value()
    if isinstance(widget, Segmented):
        return widget.current
    if isinstance(widget, QAbstractButton) and widget.isCheckable():
        return widget.isChecked()
    if isinstance(widget, QComboBox):
        return widget.currentText()
    return widget.text() if isinstance(widget, QLineEdit) else None


def write(widget: QWidget, value: Value) -> None:
    """Set a control, so that it tells of it as if a person had done it."""
    name = widget.objectName()
    if isinstance(widget, SliderRow):
        write(widget.box, value)
    elif isinstance(widget, QDoubleSpinBox):
        widget.setValue(_number(name, value))
    elif isinstance(widget, QSpinBox | QAbstractSlider):
        widget.setValue(round(_number(name, value)))
    elif isinstance(widget, Segmented):
        _choose_segment(widget, str(value))
    elif isinstance(widget, QAbstractButton) and widget.isCheckable():
        _check(widget, value)
    elif isinstance(widget, QComboBox):
        _choose(widget, value)
    elif isinstance(widget, QLineEdit):
        widget.setText(str(value))
        widget.textEdited.emit(str(value))
        widget.editingFinished.emit()
    else:
        raise DataError(tr("%s cannot be set.") % repr(name))


def press(places: Sequence[QWidget], name: str) -> bool:
    """Press a button or an action; False while there is none or it is disabled."""
    for place in places:
        actions: Iterable[QAction] = place.findChildren(QAction, name)
        for action in actions:
            if action.isEnabled():
                action.trigger()
                return True
        button: QAbstractButton | None = place.findChild(QAbstractButton, name)
        if button is not None and button.isEnabled():
            button.click()
            return True
    return False


def _number(name: str, value: Value) -> float:
    if isinstance(value, bool | str):
        raise DataError(tr("%s needs a number, not %s.") % (repr(name), repr(value)))
    return float(value)


def _choose_segment(widget: Segmented, key: str) -> None:
    if key not in widget.keys:
        raise _refused(widget.objectName(), key, widget.keys)
    widget.choose(key)


def _check(widget: QAbstractButton, value: Value) -> None:
    if not isinstance(value, bool):
        name = widget.objectName()
        refusal = tr("%s is on or off; set it to true or false, not %s.")
        raise DataError(refusal % (repr(name), repr(value)))
    if widget.isChecked() != value:
        widget.click()


def _choose(widget: QComboBox, value: Value) -> None:
    for place in range(widget.count()):
        if value in (widget.itemData(place), widget.itemText(place)):
            if place != widget.currentIndex():
                widget.setCurrentIndex(place)
                widget.activated.emit(place)
            return
    listed = [widget.itemText(place) for place in range(widget.count())]
    raise _refused(widget.objectName(), value, listed)


def _refused(name: str, value: Value, known: Sequence[str]) -> DataError:
    refusal = tr("%s has no choice %s; it has %s.")
    return DataError(refusal % (repr(name), repr(value), ", ".join(known)))
