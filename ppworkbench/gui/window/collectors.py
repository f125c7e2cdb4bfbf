"""The collectors that run for this account, whichever study they belong to: known, seen, stopped.

A collector is a process of its own. It outlives its window, so that every window tells of all that
run, also those that another one or a command has started.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QDateTime, QLocale, QObject, QTimer, Signal
from PySide6.QtWidgets import QDialog, QPushButton, QVBoxLayout, QWidget

from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Progress
from ppworkbench.gui.collecting import LOCAL, Collecting
from ppworkbench.gui.dialogs import close_buttons, resize_dialog
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number
from ppworkbench.gui.widgets.layout import clear, column, line, named, row, scroll_area, text
from ppworkbench.gui.workbench import Workbench

if TYPE_CHECKING:
    from ppworkbench.fieldwork.collector.serving import ListedServer

_FIRST, _EVERY = 500, 5_000
"""Milliseconds until somebody looks, and between two looks."""


class RunningCollectors(QObject):
    """All collectors of the account, looked for again and again."""

    changed = Signal()

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self._workbench = workbench
        self.servers: tuple[ListedServer, ...] = ()
        """Those that ran when they were last looked for."""
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.look)
        self._timer.start(_FIRST)

    @classmethod
    def of(cls, workbench: Workbench) -> RunningCollectors:
        return cls.find(workbench) or cls(workbench)

    @classmethod
    def find(cls, workbench: Workbench) -> RunningCollectors | None:
        """Those that a window looks for, if it does: a demonstration tells of none."""
        found: object = workbench.findChild(cls)
        return found if isinstance(found, cls) else None

    @property
    def others(self) -> tuple[ListedServer, ...]:
        """Those that do not collect for the study in front, which tells of its own."""
        collecting = Collecting.find(self._workbench)
        request = None if collecting is None else collecting.request
        if request is None or not self.servers:
            return self.servers
        from ppworkbench.fieldwork.collector.serving import record_path

        own = record_path(request.database)
        return tuple(one for one in self.servers if one.record != own)

    def end(self) -> None:
        """Look no more: the window is closed."""
        self._timer.stop()

    def look(self) -> None:
        """Look in a job which ones run."""
        self._timer.setInterval(_EVERY)

        def work(progress: Progress) -> tuple[ListedServer, ...]:
            from ppworkbench.fieldwork.collector.serving import running_servers

            progress(0.0)
            return running_servers()

        job = self._workbench.run("", work, self._on_found, key="collectors", quiet=True)
        job.outlives_study = True

    def _on_found(self, servers: tuple[ListedServer, ...]) -> None:
        if servers != self.servers:
            self.servers = servers
            self.changed.emit()

    def stop(self, one: ListedServer) -> None:
        """End a collector; its collection stays open and can go on later."""

        def work(progress: Progress) -> None:
            from ppworkbench.fieldwork.collector.serving import stop_listed

            progress(0.0)
            if not stop_listed(one):
                raise DataError(tr("The collector did not end in time; try again."))

        job = self._workbench.run(tr("Stopping the collector"), work, lambda _: None)
        job.outlives_study = True
        job.ended.connect(self.look)


def count_words(count: int) -> str:
    return tr("1 collector runs") if count == 1 else tr("%s collectors run") % number(count)


def server_words(one: ListedServer) -> str:
    """What a collector is called and where people reach it."""
    return f"{one.name} – {one.server.address}"


def _reach_words(one: ListedServer) -> str:
    if one.server.host == LOCAL:
        return tr("only this computer reaches it")
    return tr("others reach it")


class CollectorsDialog(QDialog):
    """The running collectors with where they are reached, and a button that stops each."""

    def __init__(self, workbench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("collectorsDialog")
        self.setWindowTitle(tr("Running collectors"))
        self.collectors = RunningCollectors.of(workbench)
        words = tr(
            "Each runs in a process of its own, also while no window is open. Stopped, nobody "
            "reaches its page any longer; the collection and its answers stay, and its study can "
            "run it again."
        )
        self._held = QWidget()
        self._rows = QVBoxLayout(self._held)
        self._rows.setContentsMargins(0, 0, 0, 0)
        column(
            text(words, "secondary", wrap=True), scroll_area(self._held), close_buttons(self),
            parent=self, margin=16, spacing=10, stretch=1,
        )  # fmt: skip
        resize_dialog(self, 560, 320)
        self.collectors.changed.connect(self._fill)
        self._fill()
        self.collectors.look()

    def _fill(self) -> None:
        clear(self._rows)
        servers = self.collectors.servers
        if not servers:
            self._rows.addWidget(named(text(tr("No collector is running."), "hint"), "noCollector"))
        for place, one in enumerate(servers):
            if place:
                self._rows.addWidget(line())
            self._rows.addWidget(self._row(one))
        self._rows.addStretch(1)

    def _row(self, one: ListedServer) -> QWidget:
        holder = QWidget()
        said = tr("Stop %s") % server_words(one)
        stop = named(QPushButton(tr("Stop the collector")), "stopCollector", said)
        stop.clicked.connect(lambda: self._stop(stop, one))
        started = QDateTime.fromMSecsSinceEpoch(int(1_000 * one.server.started))
        since = QLocale().toString(started, "ddd d MMM, HH:mm")
        address = text(f"{one.server.address} · {_reach_words(one)}", "label", selectable=True)
        told = tr("since %s") % since
        where = text(f"{told} · {one.folder}" if one.folder else told, "caption", wrap=True)
        words = column(text(one.name, "strong"), address, where, spacing=2)
        row(words, stop, parent=holder, spacing=12, stretch=0)
        return holder

    def _stop(self, button: QPushButton, one: ListedServer) -> None:
        button.setEnabled(False)
        self.collectors.stop(one)
