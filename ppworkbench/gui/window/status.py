"""What stands below the pages and over them: status bar, list of jobs and toast."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.collecting import RESULTS, Collecting
from ppworkbench.gui.jobs import Job, JobState
from ppworkbench.gui.language import told_error, translate
from ppworkbench.gui.numbers import duration, number
from ppworkbench.gui.theme import set_rules
from ppworkbench.gui.widgets.controls import (
    IconButton,
    IconLabel,
    ProgressBar,
)
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import clear, line, row, text, vertical_line
from ppworkbench.gui.window.chrome import StateChip
from ppworkbench.gui.window.collectors import RunningCollectors, count_words, server_words
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.parts.study_parts import sample_words
from ppworkbench.study.study import Study


class JobBar(QWidget):
    """Name, bar, time left and cancel of the newest running job; a click opens the list."""

    list_requested = Signal()

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._jobs = workbench.jobs
        themes = workbench.themes
        self.icon = IconLabel(themes, "clock", "text3", 15)
        self.label = text(self.tr("No jobs running"), "captionHint")
        self.bar = ProgressBar(120)
        self.left = text("", "captionHint")
        self.cancel = IconButton(themes, "close", self.tr("Cancel this job"), 12)
        self.cancel.setObjectName("cancelJob")
        self.cancel.clicked.connect(self._on_cancel)
        row(self.icon, self.label, self.bar, self.left, self.cancel, parent=self)
        self.setAccessibleName(self.tr("Jobs"))
        self.setToolTip(self.tr("Show all jobs (Ctrl+J)"))
        self._jobs.jobs_changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        running = self._jobs.running
        job = running[-1] if running else None
        for widget in (self.bar, self.left, self.cancel):
            widget.setVisible(job is not None)
        self.icon.setVisible(job is None)
        if job is None:
            failed = any(j.state is JobState.FAILED for j in self._jobs.jobs[-1:])
            self.label.setText(self.tr("Last job failed") if failed else self.tr("No jobs running"))
            return
        more = f" (+{len(running) - 1})" if len(running) > 1 else ""
        self.label.setText(job.name + more)
        self.bar.show_share(job.done)
        seconds = job.seconds_left
        self.left.setText("" if seconds is None else self.tr("%s left") % duration(seconds))

    def _on_cancel(self) -> None:
        if self._jobs.running:
            self._jobs.running[-1].cancel()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002, N802
        self.list_requested.emit()


class _Sign(QPushButton):
    """Words in the status bar that lead somewhere, while there is something to say."""

    def __init__(self, workbench: Workbench, name: str, go: Callable[[], object]) -> None:
        super().__init__()
        self._themes = workbench.themes
        self.setObjectName(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.clicked.connect(go)
        self._themes.theme_changed.connect(self.follow)

    def follow(self, *_: object) -> None:
        words, tip, colour = self._told()
        self.setVisible(bool(words) and self.parent() is not None)
        if not words:
            return
        self.setText(words)
        self.setToolTip(tip)
        theme = self._themes.theme
        size = theme.font("caption", "semibold").pixelSize()
        set_rules(
            self,
            f"QPushButton {{ color: {theme.hex(colour)}; background: transparent; border: none;"
            f" padding: 0; min-height: 0; font-size: {size}px; font-weight: 600; }}"
            f"QPushButton:focus {{ border-bottom: 1px solid {theme.hex('focus')}; }}"
            "QPushButton:hover { text-decoration: underline; }",
        )

    def _told(self) -> tuple[str, str, str]:
        """Words, what they mean, and their colour; no words where there is nothing to say."""
        raise NotImplementedError


class CollectingSign(_Sign):
    """Says on every page that answers are being collected; a click goes to Collect."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(
            workbench, "collectingSign", lambda: workbench.page_requested.emit("collect")
        )
        self._collecting = Collecting.find(workbench)
        if self._collecting is not None:
            self._collecting.changed.connect(self.follow)
        self.follow()

    def _told(self) -> tuple[str, str, str]:
        collecting = self._collecting
        if collecting is None or not collecting.is_open:
            return "", "", ""
        count, colour = collecting.shown, "warningText"
        answers = self.tr("1 answer") if count == 1 else self.tr("%s answers") % number(count)
        if not collecting.is_served:
            words, tip = self.tr("Collector stopped"), self.tr("Nobody reaches the page now.")
        elif collecting.state == "paused":
            words, tip = self.tr("Collecting paused"), self.tr("No answers are taken now.")
        else:
            words, tip = self.tr("Collecting"), self.tr("Answers are taken now.")
            colour = "good" if collecting.state == "open" else colour
        return f"{words} · {answers}", tip, colour


class CollectorsSign(_Sign):
    """How many collectors run for other studies; a click lists them."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(
            workbench, "collectorsSign", lambda: workbench.action_requested.emit("collectors")
        )
        self._collectors = RunningCollectors.find(workbench)
        workbench.store.study_opened.connect(self.follow)
        workbench.store.results_changed.connect(self.follow)
        if self._collectors is not None:
            self._collectors.changed.connect(self.follow)
        self.follow()

    def _told(self) -> tuple[str, str, str]:
        others = () if self._collectors is None else self._collectors.others
        words = count_words(len(others)) if others else ""
        return words, "\n".join(map(server_words, others)), "warningText"


class StatusBar(QFrame):
    """Data set, rows, attributes, seed, saved; a collection that is open; and the job bar."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._store = workbench.store
        self._themes = workbench.themes
        self._instead = ""
        self.setObjectName("statusBar")
        # Words can be cut short, numbers cannot.
        self.facts: dict[str, QLabel] = {
            "data": ElidedLabel("caption", hugs=True),
            "rows": text("", "caption"),
            "attributes": text("", "caption"),
            "seed": ElidedLabel("caption", hugs=True),
            "saved": ElidedLabel("caption", hugs=True),
        }
        self._rules = [vertical_line() for _ in range(4)]
        for rule in self._rules:
            rule.setFixedHeight(14)
        self.state = StateChip(workbench, "statusState")
        parts: list[QWidget | int | None] = [self.state]
        for position, label in enumerate(self.facts.values()):
            parts.append(label)
            if position < len(self._rules):
                parts.append(self._rules[position])
        self.collecting = CollectingSign(workbench)
        self.collectors = CollectorsSign(workbench)
        self.jobs = JobBar(workbench)
        layout = row(
            *parts, None, self.collectors, self.collecting, self.jobs, parent=self, spacing=10
        )
        self.collecting.follow()
        self.collectors.follow()
        running = RunningCollectors.find(workbench)
        if running is not None:
            running.changed.connect(self._follow)
        self._running = running
        layout.setContentsMargins(14, 0, 12, 0)
        for changed in (
            self._store.study_opened,
            self._store.data_changed,
            self._store.settings_changed,
            self._store.file_changed,
        ):
            changed.connect(self._follow)
        self._themes.follow(self._colour)
        self._follow()

    def _follow(self) -> None:
        study = self._store.study
        facts = self.facts
        self.state.setVisible(not study.is_empty)
        if study.is_empty:
            facts["data"].setText(self.tr("No study open"))
            offline = self.tr("works offline, nothing leaves this computer")
            is_reached = self._running is not None and bool(self._running.servers)
            facts["rows"].setText("" if is_reached else offline)
            for name in ("attributes", "seed", "saved"):
                facts[name].setText("")
        else:
            facts["data"].setText(study.title)
            rows = self.tr("1 row") if study.rows == 1 else self.tr("%s rows") % number(study.rows)
            if study.parts is not None:
                rows = translate(sample_words(study.rows, study.parts))
            # The chip says that there are no answers.
            facts["rows"].setText(rows if study.table is not None else "")
            facts["attributes"].setText(self._counted(study))
            facts["seed"].setText(self.tr("seed %s, for this study only") % study.settings.seed)
            facts["saved"].setText(self._saved())
        shown = [bool(label.text()) for label in facts.values()]
        for label, is_shown in zip(facts.values(), shown, strict=True):
            label.setVisible(is_shown)
        for rule, after in zip(self._rules, shown[1:], strict=True):
            rule.setVisible(after)

    def _counted(self, study: Study) -> str:
        """How many questions there are, or attributes of a table that was opened."""
        is_asked = study.questionnaire is not None or study.table is None or study.invented
        if is_asked or RESULTS in study.results:
            count = len(study.asked_attributes())
            return self.tr("1 question") if count == 1 else self.tr("%s questions") % number(count)
        count = len(study.attributes)
        return self.tr("1 attribute") if count == 1 else self.tr("%s attributes") % number(count)

    def replace_saved(self, words: str) -> None:
        """Say this where it would say whether the study is saved."""
        self._instead = words
        self._follow()

    def _saved(self) -> str:
        if self._instead:
            return self._instead
        if self._store.path is None:
            return self.tr("not saved yet")
        return self.tr("unsaved changes") if self._store.is_modified else self.tr("saved")

    def _colour(self) -> None:
        theme = self._themes.theme
        self.setFixedHeight(theme.length("statusBar"))
        surface, border = theme.hex("surface"), theme.hex("border")
        frame = f"background: {surface}; border: none; border-top: 1px solid {border};"
        set_rules(self, f"#statusBar {{ {frame} }}")


_ICONS = {
    JobState.QUEUED: ("clock", "text3"),
    JobState.RUNNING: ("refresh", "accentInk"),
    JobState.DONE: ("check", "good"),
    JobState.FAILED: ("error", "bad"),
    JobState.CANCELLED: ("close", "text3"),
}
_SHOWN = 12


class JobList(QFrame):
    """A popup over the status bar: running jobs with cancel, and what became of the others."""

    def __init__(self, workbench: Workbench, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._workbench = workbench
        self.setProperty("look", "card")
        self.setObjectName("jobList")
        self.setAccessibleName(self.tr("List of jobs"))
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(14, 12, 14, 12)
        self.setMinimumWidth(420)
        workbench.jobs.jobs_changed.connect(self._follow)

    def open_above(self, widget: QWidget) -> None:
        """Show the list with its lower right corner over a widget."""
        self._fill()
        self.adjustSize()
        corner = widget.mapToGlobal(QPoint(widget.width(), 0))
        self.move(corner - QPoint(self.width(), self.height() + 6))
        self.show()

    def _follow(self) -> None:
        if self.isVisible():
            self._fill()

    def _fill(self) -> None:
        clear(self._rows)
        self._rows.addWidget(text(self.tr("Jobs"), "strong"))
        jobs = self._workbench.jobs.jobs[::-1][:_SHOWN]
        if not jobs:
            self._rows.addWidget(text(self.tr("No jobs yet."), "hint"))
        for position, job in enumerate(jobs):
            if position:
                self._rows.addWidget(line())
            self._rows.addWidget(self._job_row(job))

    def _job_row(self, job: Job) -> QWidget:
        holder = QWidget()
        icon, colour = _ICONS[job.state]
        parts: list[QWidget | int | None] = [
            IconLabel(self._workbench.themes, icon, colour, 16),
            text(job.name, "label"),
            None,
        ]
        if job.state.is_over:
            parts.append(text(self._outcome(job), "hint"))
        else:
            bar = ProgressBar(90)
            bar.show_share(job.done)
            cancel = IconButton(self._workbench.themes, "close", self.tr("Cancel"), 12)
            cancel.clicked.connect(job.cancel)
            message = self._workbench.store.study.titled(job.message)
            parts += [bar, text(translate(message), "hint"), cancel]
        row(*parts, parent=holder)
        return holder

    def _outcome(self, job: Job) -> str:
        if job.state is JobState.DONE:
            return self.tr("done in %s") % duration(job.seconds)
        if job.state is JobState.CANCELLED:
            return self.tr("stopped")
        known = isinstance(job.error, WorkbenchError)
        study = self._workbench.store.study
        reason = told_error(job.error, study) if known else self.tr("internal error")
        return self.tr("failed: %s") % (reason if len(reason) <= 60 else reason[:57] + "…")


_SHOWN_FOR = 6_000


class Toast(QFrame):
    """One sentence over the lower edge of the page, with "Undo" where it can be undone."""

    undo_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("toast")
        self.label = text("")
        self.button = QPushButton(self.tr("Undo"))
        self.button.setProperty("look", "link")
        self.button.clicked.connect(self._on_undo)
        row(self.label, self.button, parent=self, spacing=14).setContentsMargins(14, 6, 14, 6)
        self._timer = single_shot(self, self.hide, _SHOWN_FOR)
        parent.installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def say(self, message: str, undoable: bool, text_colour: str, background: str) -> None:
        set_rules(
            self,
            f"#toast {{ background: {text_colour}; border-radius: 8px; }}"
            f"#toast QLabel, #toast QPushButton {{ color: {background}; }}",
        )
        self.label.setText(message)
        self.button.setVisible(undoable)
        self.adjustSize()
        self._place()
        self.show()
        self.raise_()
        self._timer.start()

    def _place(self) -> None:
        parent = self.parentWidget()
        if parent is not None:
            x = (parent.width() - self.width()) // 2
            self.move(x, parent.height() - self.height() - 16)

    def _on_undo(self) -> None:
        self.hide()
        self.undo_requested.emit()
