"""When a collection closes by itself: the field for it, a dialog that changes it, and its words."""

from __future__ import annotations

import datetime as dt
from contextlib import suppress

from PySide6.QtCore import QDate, QDateTime, QLocale, QTime, Signal
from PySide6.QtWidgets import QDateTimeEdit, QDialog, QDialogButtonBox, QWidget

from ppworkbench.gui.dialogs import resize_dialog
from ppworkbench.gui.language import tr
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.controls import Switch
from ppworkbench.gui.widgets.layout import column, named, row, show_words, text

_USUAL = QTime(18, 0)


def read_time(until: str) -> dt.datetime | None:
    """A time as the collector writes it; None if there is none."""
    with suppress(ValueError):
        return dt.datetime.fromisoformat(until).astimezone()
    return None


def is_over(until: str) -> bool:
    """Whether a time has passed."""
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
        self.switch = named(Switch(themes, tr("Close by itself")), "closeByItself")
        self.time = named(QDateTimeEdit(), "closingTime", tr("Closing time"))
        self.time.setCalendarPopup(True)
        self.time.setDisplayFormat("ddd d MMM yyyy  HH:mm")
        # Qt forgets the margins that the style sheet gives it.
        self.time.setMinimumWidth(themes.theme.px(206))
        self.time.setDateTime(QDateTime(QDateTime.currentDateTime().date().addDays(1), _USUAL))
        self.problem = named(text("", "error", wrap=True), "closingProblem")
        line = row(self.switch, text(tr("Close by itself"), "label"), self.time, None, spacing=10)
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
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.set_button = buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.set_button.setText(tr("Set"))
        buttons.accepted.connect(self._on_accept)
        buttons.rejected.connect(self.reject)
        words = tr(
            "At that time the collection closes for good, as by “Close…”. To change it the "
            "collector restarts; pages keep their answers meanwhile and send them again."
        )
        said = text(words, "secondary", wrap=True)
        layout = column(said, self.field, None, buttons, parent=self, spacing=12)
        layout.setContentsMargins(18, 16, 18, 14)
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
