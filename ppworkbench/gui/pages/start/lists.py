"""Recent studies, samples and demonstrations: lists of the start screen."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QVBoxLayout

from ppworkbench.gui.files import FileActions
from ppworkbench.gui.language.text import later, told
from ppworkbench.gui.learn.entries import DemonstrationRow
from ppworkbench.gui.learn.opening import open_demonstration, shipped_heads
from ppworkbench.gui.learn.seen import seen
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.clickable import Clickable
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.icon_button import Button, IconLabel
from ppworkbench.gui.widgets.layouts import column, row, text
from ppworkbench.gui.words import number
from ppworkbench.gui.workbench import Workbench

SAMPLES = (
    (
        "city-survey",
        "people",
        later("City survey"),
        5_000,
        later("Likert, sensitive yes/no, age, income; with a class"),
    ),
    (
        "consultation",
        "questionnaire",
        later("Consultation"),
        7,
        later("the seven-row example table of the papers"),
    ),
    (
        "baskets",
        "mine",
        later("Baskets"),
        1_000,
        later("shopping transactions, one column per item"),
    ),
    ("led24", "kind-binary", "LED 24", 3_200, later("display segments with noise; class: digit")),
    ("weather", "classify", later("Weather"), 14, later("the Saturday morning table")),
    ("iris", "kind-continuous", later("Iris"), 150, later("flower measurements; class: species")),
    (
        "wine",
        "kind-continuous",
        later("Wine"),
        178,
        later("chemical measurements; class: cultivar"),
    ),
)


class ListRow(Clickable):
    """Two lines with an icon and a note at the right; a click or Enter opens it."""

    def __init__(
        self, workbench: Workbench, icon_name: str, title: str, line: str, note: str = ""
    ) -> None:
        super().__init__(workbench.themes, title, line)
        words = column(ElidedLabel("label", title), ElidedLabel("captionHint", line), spacing=0)
        layout = row(
            IconLabel(workbench.themes, icon_name, "text2", 18), words,
            text(note, "captionHint"), parent=self, spacing=12,
        )  # fmt: skip
        layout.setStretch(1, 1)
        layout.setContentsMargins(6, 4, 6, 4)
        self.setMinimumHeight(44)


class _ListCard(Card):
    def __init__(self, workbench: Workbench, icon_name: str, title: str, hint: str) -> None:
        super().__init__(padding=16)
        self.workbench = workbench
        self.head.addWidget(IconLabel(workbench.themes, icon_name, "text", 16))
        self.head.addWidget(text(title, "strong"))
        self.head.addStretch(1)
        self.note = ElidedLabel("captionHint", hint, hugs=True)
        self.head.addWidget(self.note)
        # As high as with a button, so that the heads of all lists are in line.
        self.head.addStrut(workbench.theme.px(24))
        self.body.addLayout(self.head)
        self.list = QVBoxLayout()
        self.list.setSpacing(2)
        self.body.addLayout(self.list)
        self.body.addStretch(1)

    def add_row(self, entry: ListRow, opened: Callable[[], None]) -> None:
        """Append a row."""
        entry.clicked.connect(opened)
        self.list.addWidget(entry)

    def clear(self) -> None:
        """Remove all rows."""
        while self.list.count():
            item = self.list.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()


class RecentCard(_ListCard):
    """The studies that were opened last."""

    def __init__(self, workbench: Workbench, files: FileActions) -> None:
        super().__init__(workbench, "clock", workbench.tr("Recent studies"), "")
        self._files = files
        self.clear_button = Button(workbench.themes, self.tr("Clear list"), look="link")
        self.clear_button.setObjectName("clearRecent")
        self.clear_button.clicked.connect(files.clear_recent)
        self.head.addWidget(self.clear_button)
        files.recent_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the list as it is now."""
        self.clear()
        recent = self._files.recent()
        self.clear_button.setVisible(bool(recent))
        for one in recent[:6]:
            facts = told(one.summary)
            entry = ListRow(self.workbench, "file", one.title, facts, _when(one.when))
            entry.setToolTip(one.path)
            self.add_row(entry, lambda path=one.path: self._files.open_paths([path]))
        if not recent:
            advice = self.tr(
                "Studies that you save appear here. Drop a table, a design or a study anywhere "
                "on this window to open it."
            )
            self.list.addWidget(text(advice, "hint", wrap=True))
            kinds = ".csv  .xlsx  .sav  .dta  .parquet  .arff  .json  .basket  .ppw"
            self.list.addWidget(text(kinds, "captionHint", wrap=True))


class SampleCard(_ListCard):
    """The built-in data sets."""

    def __init__(self, workbench: Workbench, files: FileActions) -> None:
        title, hint = workbench.tr("Sample data"), workbench.tr("made by code, no real people")
        super().__init__(workbench, "data", title, hint)
        for name, icon_name, label, rows, line in SAMPLES:
            count = self.tr("%s rows") % number(rows)
            entry = ListRow(workbench, icon_name, self.tr(label), self.tr(line), count)
            entry.setObjectName(f"sample-{name}")
            self.add_row(entry, lambda name=name: files.open_sample(name))


class DemonstrationList(_ListCard):
    """The demonstrations of the program; each sets the pages up step by step, on a copy."""

    def __init__(self, workbench: Workbench) -> None:
        title, hint = workbench.tr("Demonstrations"), workbench.tr("4 to 8 steps each")
        super().__init__(workbench, "learn", title, hint)
        self.list.setSpacing(1)
        self.rows: list[DemonstrationRow] = []
        for place, head in enumerate(shipped_heads(), 1):
            entry = DemonstrationRow(workbench.themes, place, head)
            entry.clicked.connect(lambda path=head.file: open_demonstration(workbench, path))
            self.list.addWidget(entry)
            self.rows.append(entry)
        self.refresh()

    def refresh(self) -> None:
        """Tick what was seen to its end."""
        done = seen(self.workbench.settings)
        for entry in self.rows:
            entry.show_seen(entry.head.name in done)


def _when(stamp: float) -> str:
    """The day in words, or the date."""
    days = (time.time() - stamp) / 86_400
    clock = time.localtime(stamp)
    if days < 1 and clock.tm_yday == time.localtime().tm_yday:
        return f"{clock.tm_hour}:{clock.tm_min:02d}"
    months = QLocale().monthName(clock.tm_mon, QLocale.FormatType.ShortFormat)
    return f"{clock.tm_mday} {months}"
