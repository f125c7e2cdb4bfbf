"""The bottom line: facts about the study at the left, the most important job at the right."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from ppworkbench.gui.jobs import JobState
from ppworkbench.gui.theme import set_rules
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.icon_button import IconButton, IconLabel
from ppworkbench.gui.widgets.layouts import row, text, vertical_line
from ppworkbench.gui.widgets.progress_bar import ProgressBar
from ppworkbench.gui.words import duration, number
from ppworkbench.gui.workbench import Workbench


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
        """Open the list of jobs."""
        self.list_requested.emit()


class StatusBar(QFrame):
    """Data set, rows, attributes, seed, saved; and the job bar."""

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
        parts: list[QWidget | int | None] = []
        for position, label in enumerate(self.facts.values()):
            parts.append(label)
            if position < len(self._rules):
                parts.append(self._rules[position])
        self.jobs = JobBar(workbench)
        layout = row(*parts, None, self.jobs, parent=self, spacing=10)
        layout.setContentsMargins(14, 0, 12, 0)
        for changed in (
            self._store.study_opened,
            self._store.data_changed,
            self._store.settings_changed,
            self._store.file_changed,
        ):
            changed.connect(self._follow)
        self._themes.theme_changed.connect(self._colour)
        self._colour()
        self._follow()

    def _follow(self) -> None:
        study = self._store.study
        facts = self.facts
        if study.is_empty:
            facts["data"].setText(self.tr("Nothing open"))
            facts["rows"].setText(self.tr("works offline, nothing leaves this computer"))
            for name in ("attributes", "seed", "saved"):
                facts[name].setText("")
        else:
            facts["data"].setText(study.title)
            rows = self.tr("1 row") if study.rows == 1 else self.tr("%s rows") % number(study.rows)
            facts["rows"].setText(rows if study.table is not None else self.tr("no data yet"))
            count = len(study.attributes)
            words = self.tr("1 attribute") if count == 1 else self.tr("%s attributes")
            facts["attributes"].setText(words if count == 1 else words % number(count))
            facts["seed"].setText(self.tr("seed %s, this study only") % study.settings.seed)
            facts["saved"].setText(self._saved())
        shown = [bool(label.text()) for label in facts.values()]
        for rule, after in zip(self._rules, shown[1:], strict=True):
            rule.setVisible(after)

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
        self.setFixedHeight(theme.px(theme.tokens.size("statusBar")))
        surface, border = theme.hex("surface"), theme.hex("border")
        frame = f"background: {surface}; border: none; border-top: 1px solid {border};"
        set_rules(self, f"#statusBar {{ {frame} }}")
