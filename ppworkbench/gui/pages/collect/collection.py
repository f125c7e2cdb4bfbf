"""How a collection begins and when it closes, by itself or by hand."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QDate, QDateTime, QLocale, QTime, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDateTimeEdit,
    QDialog,
    QDialogButtonBox,
    QLineEdit,
    QSpinBox,
    QWidget,
)

from ppworkbench.gui.collecting import LOCAL, PORT, StartRequest
from ppworkbench.gui.dialogs import (
    choose_file,
    ok_cancel,
    resize_dialog,
    save_file,
)
from ppworkbench.gui.export_dialog import typed_path
from ppworkbench.gui.language import tr
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card, Section
from ppworkbench.gui.widgets.controls import Button, Switch
from ppworkbench.gui.widgets.layout import column, line, named, row, scroll_area, show_words, text


class StartCard(Card):
    """The settings of a collection that has not begun, and the button that begins it."""

    start_requested = Signal(object)
    """A :class:`StartRequest`."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._is_known = False
        self.setObjectName("startCollectingCard")
        self._again: StartRequest | None = None
        self.heading = named(text("", "subtitle", wrap=True), "startHeading")
        self.lead = named(text("", "secondary", wrap=True), "startLead")
        self.database = named(QLineEdit(), "collectDatabase", tr("Database"))
        self.choose = named(Button(themes, tr("Choose…"), "open"), "chooseDatabase")
        self.choose.clicked.connect(self._on_choose)
        self.port = named(QSpinBox(), "collectPort", tr("Port"))
        self.port.setRange(1, 65_535)
        self.port.setGroupSeparatorShown(False)
        self.port.setValue(PORT)
        self.others = named(Switch(themes, tr("Allow other devices")), "letOthersIn")
        self.others.toggled.connect(self._follow)
        self.host = named(QComboBox(), "collectHost", tr("Address of this computer"))
        self.warning = named(text("", "warning", wrap=True), "startWarning")
        self.closing = ClosingField(themes)
        self.security = Section(themes, tr("Certificate"), "collectCertificate")
        self.certificate = named(QLineEdit(), "certificateFile", tr("Certificate file"))
        self.key = named(QLineEdit(), "keyFile", tr("Key file"))
        for field, name in ((self.certificate, "chooseCertificate"), (self.key, "chooseKey")):
            field.textChanged.connect(lambda _: self._follow())
            button = named(Button(themes, tr("Choose…"), "open"), name)
            button.clicked.connect(lambda _=False, field=field: self._on_choose_file(field))
            line_ = row(field, button, stretch=0)
            self.security.body.addWidget(text(field.accessibleName(), "label"))
            self.security.body.addLayout(line_)
        self.problem = named(text("", "error", wrap=True, hidden=True), "startProblem")
        self.start = named(
            Button(themes, tr("Start collecting"), "play", "primary"), "startCollecting"
        )
        self.start.clicked.connect(self._on_start)
        self._arrange()
        self.show_again(None)
        self._follow()

    def _arrange(self) -> None:
        place = row(self.database, self.choose, stretch=0)
        inner = QWidget()
        layout = column(
            self.heading,
            self.lead,
            4,
            text(tr("Database"), "label"),
            place,
            row(text(tr("Port"), "label"), self.port, None, spacing=10),
            line(),
            row(self.others, text(tr("Allow other devices"), "label"), self.host, None, spacing=10),
            self.warning,
            self.closing,
            self.security,
            line(),
            self.problem,
            row(self.start, None),
            None,
            parent=inner,
            spacing=8,
        )
        layout.setContentsMargins(16, 14, 16, 14)
        self.body.addWidget(scroll_area(inner), 1)

    @property
    def request(self) -> StartRequest:
        host = self.host.currentText() if self.others.isChecked() else LOCAL
        return StartRequest(
            _place(self.database.text().strip()), host or LOCAL, self.port.value(),
            self.certificate.text().strip(), self.key.text().strip(), self.closing.until,
        )  # fmt: skip

    @request.setter
    def request(self, request: StartRequest) -> None:
        self.database.setText(request.database)
        self.port.setValue(request.port)
        self.others.setChecked(request.host != LOCAL)
        if request.host != LOCAL and self.host.findText(request.host) < 0:
            self.host.insertItem(0, request.host)
        self.host.setCurrentText(request.host)
        self.certificate.setText(request.certificate)
        self.key.setText(request.key)
        self.closing.show_time(request.until)

    @property
    def first(self) -> QWidget:
        """Where typing begins; one press is enough where all is known."""
        return self.database if self._again is None else self.start

    def suggest(self, database: Path, *, anew: bool) -> None:
        """Suggest where answers are stored, unless somebody has typed a place."""
        if self._again is None and (anew or not self.database.text()):
            self.database.setText(str(database))
        self._follow()

    def show_again(self, request: StartRequest | None) -> None:
        """Let the collector of an open collection run again; None is for a new collection."""
        if request == self._again and self.heading.text():
            return
        before, self._again = self._again, request
        is_new = request is None
        self.database.setReadOnly(not is_new)
        self.choose.setVisible(is_new)
        self.heading.setText(tr("Collect on this computer") if is_new else tr("Server stopped"))
        self.lead.setText(
            tr(
                "A small web server hands out the page. Each browser draws its answers before "
                "it sends them; no true answer, address or time of day is stored."
            )
            if is_new
            else tr("The survey is open but cannot be reached. Stored answers are safe.")
        )
        if request is not None:
            self.request = request
        elif before is not None:
            self.database.clear()
            self.closing.show_time("")
        self.show_problem("", is_busy=False)

    def show_addresses(self, addresses: Sequence[str]) -> None:
        """Offer the addresses by which others reach this computer."""
        chosen = self.host.currentText()
        self.host.clear()
        self.host.addItems(list(addresses))
        self.host.setCurrentIndex(max(self.host.findText(chosen), 0))
        self._is_known = True
        self._follow()

    def show_problem(self, words: str, *, is_busy: bool) -> None:
        """Say why it did not begin; the button waits while it does."""
        show_words(self.problem, words)
        if is_busy and self.start.hasFocus():
            # A disabled button would hand it on to whatever comes next.
            self.database.setFocus()
        self.start.setEnabled(not is_busy)
        idle = tr("Start collecting") if self._again is None else tr("Run the collector")
        self.start.setText(tr("Starting…") if is_busy else idle)

    def _follow(self, *_: object) -> None:
        is_on, is_reachable = self.others.isChecked(), self.host.count() > 0
        self.host.setVisible(is_on and is_reachable)
        secure = bool(self.certificate.text().strip() and self.key.text().strip())
        words = ""
        if is_on and not is_reachable and self._is_known:
            words = tr("This computer is in no network; only its own browsers reach the page.")
        elif is_on and not secure:
            words = tr(
                "On this network others could read the randomised answers or change the page."
            )
        show_words(self.warning, words)

    def _on_choose(self) -> None:
        save_file(
            self, tr("Database of the answers"), self.database.text(), "SQLite (*.sqlite)",
            lambda path: self.database.setText(str(path)),
        )  # fmt: skip

    def _on_choose_file(self, field: QLineEdit) -> None:
        choose_file(
            self, field.accessibleName(), field.text(), tr("All files (*)"),
            lambda paths, _: field.setText(str(paths[0])),
        )  # fmt: skip

    def _on_start(self) -> None:
        if not self.request.database:
            self.show_problem(tr("Choose where answers are stored."), is_busy=False)
        elif self.closing.is_past:
            self.closing.show_time(self.closing.until)
            self.closing.time.setFocus()
        else:
            self.start_requested.emit(self.request)


def _place(typed: str) -> str:
    """A whole path, which another process finds too; an address of a database as it is."""
    return typed if not typed or "://" in typed else str(typed_path(typed).absolute())


_USUAL = QTime(18, 0)


def read_time(until: str) -> dt.datetime | None:
    """A time as the collector writes it; None if there is none."""
    with suppress(ValueError):
        return dt.datetime.fromisoformat(until).astimezone()
    return None


def is_over(until: str) -> bool:
    time = read_time(until)
    return time is not None and time <= dt.datetime.now().astimezone()


def closing_words(until: str) -> str:
    """When the collection closes, in a few words; empty if it does not by itself."""
    time = read_time(until)
    if time is None:
        return ""
    clock = f"{time:%H:%M}"
    if time.date() == dt.datetime.now().astimezone().date():
        return tr("closes today, %s") % clock
    return tr("closes %s") % f"{_day(time)}, {clock}"


def _day(time: dt.datetime) -> str:
    return str(QLocale().toString(QDate(time.year, time.month, time.day), "ddd d MMM"))


class ClosingField(QWidget):
    """A switch and, where it is on, a day and a time."""

    changed = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.switch = named(Switch(themes, tr("Close automatically")), "closeByItself")
        self.time = named(QDateTimeEdit(), "closingTime", tr("Closing time"))
        self.time.setCalendarPopup(True)
        self.time.setDisplayFormat("ddd d MMM yyyy  HH:mm")
        # Qt forgets the margins that the style sheet gives it.
        self.time.setMinimumWidth(themes.theme.px(206))
        self.time.setDateTime(QDateTime(QDateTime.currentDateTime().date().addDays(1), _USUAL))
        self.problem = named(text("", "error", wrap=True), "closingProblem")
        line = row(
            self.switch, text(tr("Close automatically"), "label"), self.time, None, spacing=10
        )
        column(line, self.problem, parent=self, spacing=4)
        self.switch.toggled.connect(self._follow)
        self.time.dateTimeChanged.connect(self._follow)
        self._follow()

    @property
    def until(self) -> str:
        """The time as the collector reads it; empty if the switch is off."""
        if not self.switch.isChecked():
            return ""
        return str(self.time.dateTime().toString("yyyy-MM-dd'T'HH:mm"))

    @property
    def is_past(self) -> bool:
        """Whether the time cannot be kept."""
        return is_over(self.until)

    def show_time(self, until: str) -> None:
        """Show another time; empty switches it off and leaves the last one."""
        time = read_time(until)
        self.switch.setChecked(time is not None)
        if time is not None:
            day = QDate(time.year, time.month, time.day)
            self.time.setDateTime(QDateTime(day, QTime(time.hour, time.minute)))
        self._follow()

    def _follow(self, *_: object) -> None:
        self.time.setVisible(self.switch.isChecked())
        past = tr("This time has passed; choose a later one.")
        show_words(self.problem, past if self.is_past else "")
        self.changed.emit()


class ClosingDialog(QDialog):
    """Change when a running collection closes."""

    chosen = Signal(str)

    def __init__(self, themes: ThemeManager, until: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("closingDialog")
        self.setWindowTitle(tr("Closing time"))
        self.field = ClosingField(themes)
        self.field.show_time(until)
        buttons = ok_cancel(self, self._on_accept, tr("Set"))
        self.set_button = buttons.button(QDialogButtonBox.StandardButton.Ok)
        words = tr(
            "The survey closes permanently at this time. Changing it restarts the server; pages "
            "wait and send again."
        )
        said = text(words, "secondary", wrap=True)
        column(said, self.field, None, buttons, parent=self, spacing=12, margin=(18, 16, 18, 14))
        resize_dialog(self, 480, 200)
        self.field.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        self.set_button.setEnabled(not self.field.is_past)

    def _on_accept(self) -> None:
        # The minute may have passed while the dialog was open.
        if self.field.is_past:
            self.field.show_time(self.field.until)
            return
        self.chosen.emit(self.field.until)
        self.accept()
