"""What people see first: three ways in, by what they have."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QLocale, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QGridLayout, QSizePolicy, QVBoxLayout, QWidget

from ppworkbench.gui.charts.looks import outline_pen, role_brush
from ppworkbench.gui.demonstrations import DemonstrationRow, open_demonstration, seen, shipped_heads
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.theme import ThemeManager, set_fill, smooth_painter
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button, Clickable, IconLabel
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import WrappingRow, clear, column, named, row, scroll_area, text
from ppworkbench.gui.widgets.sizes import is_large_text
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.language import translatable

SAMPLES = (
    (
        "city-survey",
        "people",
        translatable("City survey"),
        5_000,
        translatable("Likert, sensitive yes/no, age, income; with a class"),
    ),
    (
        "consultation",
        "questionnaire",
        translatable("Consultation"),
        7,
        translatable("7-row textbook example"),
    ),
    (
        "baskets",
        "mine",
        translatable("Baskets"),
        1_000,
        translatable("shopping transactions, one column per item"),
    ),
    (
        "led24",
        "kind-binary",
        "LED 24",
        3_200,
        translatable("display segments with noise; class: digit"),
    ),
    (
        "weather",
        "classify",
        translatable("Weather"),
        14,
        translatable("the Saturday morning table"),
    ),
    (
        "iris",
        "kind-continuous",
        translatable("Iris"),
        150,
        translatable("flower measurements; class: species"),
    ),
    (
        "wine",
        "kind-continuous",
        translatable("Wine"),
        178,
        translatable("chemical measurements; class: cultivar"),
    ),
)


class ListRow(Clickable):
    """Two lines with an icon and a note at the right; a click or Enter opens it."""

    def __init__(
        self, workbench: Workbench, icon_name: str, title: str, line: str, note: str = ""
    ) -> None:
        super().__init__(workbench.themes, title, line)
        words = column(
            text(title, "label", wrap=True), text(line, "captionHint", wrap=True), spacing=0
        )
        row(
            IconLabel(workbench.themes, icon_name, "text2", 18), words,
            text(note, "captionHint"), parent=self, spacing=12, stretch=1, margin=(6, 4, 6, 4),
        )  # fmt: skip
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
        entry.clicked.connect(opened)
        self.list.addWidget(entry)


_KINDS = ".csv  .xlsx  .sav  .dta  .parquet  .arff  .json  .basket  .ppw  .toml"


class DropZone(Clickable):
    """Takes files that are dropped on it; a click asks for them."""

    dropped = Signal(list)
    """The names of the files."""

    def __init__(self, themes: ThemeManager) -> None:
        words = tr("Drop a data file, a study or a questionnaire here")
        super().__init__(themes, words, _KINDS)
        self.setObjectName("dropZone")
        self.setToolTip(self.tr("Drop files here, or click to choose them"))
        self.setAcceptDrops(True)
        self._is_over = False
        label = text(words, "label", wrap=True)
        kinds = text(_KINDS, "captionHint", wrap=True)
        for one in (label, kinds):
            one.setAlignment(Qt.AlignmentFlag.AlignCenter)
        mark = IconLabel(themes, "open", "accentInk", 20)
        column(row(None, mark, None), label, kinds, parent=self, spacing=4, margin=(12, 12, 12, 12))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        if event.mimeData().hasUrls():
            event.acceptProposedAction()
            self._show_over(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:  # noqa: ARG002, N802
        self._show_over(False)

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        self._show_over(False)
        names = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if names:
            event.acceptProposedAction()
            self.dropped.emit(names)

    def _show_over(self, is_over: bool) -> None:
        self._is_over = is_over
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw a dashed frame, filled while files are over it."""
        super().paintEvent(event)
        theme = self._themes.theme
        painter = smooth_painter(self)
        painter.setPen(
            QPen(
                theme.colour("accentInk" if self._is_over else "outline"), 1.4, Qt.PenStyle.DashLine
            )
        )
        painter.setBrush(theme.colour("accentTint") if self._is_over else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(2, 2, -2, -2), 8, 8)


class RecentCard(_ListCard):
    """The studies that were opened last, and a place for files that are dropped."""

    def __init__(self, workbench: Workbench, files: FileActions) -> None:
        super().__init__(workbench, "clock", workbench.tr("Recent studies"), "")
        self._files = files
        self.clear_button = Button(workbench.themes, self.tr("Clear list"), look="link")
        self.clear_button.setObjectName("clearRecent")
        self.clear_button.clicked.connect(files.clear_recent)
        self.head.addWidget(self.clear_button)
        self.drop_zone = DropZone(workbench.themes)
        self.drop_zone.clicked.connect(files.open_dialog)
        self.drop_zone.dropped.connect(files.open_paths)
        self.body.addWidget(self.drop_zone)
        files.recent_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        clear(self.list)
        recent = self._files.recent()
        self.clear_button.setVisible(bool(recent))
        for one in recent[:6]:
            facts = translate(one.summary)
            entry = ListRow(self.workbench, "file", one.title, facts, _when(one.when))
            entry.setToolTip(one.path)
            self.add_row(entry, partial(self._files.open_paths, [one.path]))
        if not recent:
            self.list.addWidget(text(self.tr("Saved studies appear here."), "hint", wrap=True))


class SampleCard(_ListCard):
    """The built-in data sets."""

    def __init__(self, workbench: Workbench, files: FileActions) -> None:
        title, hint = workbench.tr("Sample data"), workbench.tr("synthetic data")
        super().__init__(workbench, "data", title, hint)
        for name, icon_name, label, rows, line in SAMPLES:
            count = self.tr("%s rows") % number(rows)
            entry = ListRow(workbench, icon_name, self.tr(label), self.tr(line), count)
            entry.setObjectName(f"sample-{name}")
            entry.setToolTip(self.tr("Open this sample as a new study: %s") % self.tr(line))
            self.add_row(entry, partial(files.open_sample, name))


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
        done = seen(self.workbench.settings)
        for entry in self.rows:
            entry.show_seen(entry.head.name in done)


def _when(stamp: float) -> str:
    days = (time.time() - stamp) / 86_400
    clock = time.localtime(stamp)
    if days < 1 and clock.tm_yday == time.localtime().tm_yday:
        return f"{clock.tm_hour}:{clock.tm_min:02d}"
    months = QLocale().monthName(clock.tm_mon, QLocale.FormatType.ShortFormat)
    return f"{clock.tm_mday} {months}"


class EntryCard(Card):
    """Icon and title, a sentence, a picture, two actions."""

    def __init__(
        self,
        themes: ThemeManager,
        icon_name: str,
        title: str,
        sentence: str,
        first: str,
        second: str,
        picture: str,
    ) -> None:
        super().__init__(padding=16)
        badge = QFrame()
        badge.setProperty("look", "iconBadge")
        badge.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        row(IconLabel(themes, icon_name, "accentInk", 20), parent=badge, margin=8)
        heading = text(title, "subtitle", wrap=True)
        words = text(sentence, "secondary", wrap=True, align=Qt.AlignmentFlag.AlignTop)
        words.setMinimumHeight(themes.theme.px(54))
        self.first = named(Button(themes, first), f"{picture}First")
        self.second = named(Button(themes, second, look="link"), f"{picture}Second")
        head = row(badge, heading, spacing=12, stretch=1)
        middle = row(words, Sketch(themes, picture), spacing=12, stretch=0)
        buttons = WrappingRow(self.first, self.second, spacing=14, line_spacing=4)
        self.body.addLayout(column(head, middle, buttons, spacing=10))


class Sketch(QWidget):
    """A picture of 100 by 56: drawn bars, a table, or the three roles."""

    def __init__(self, themes: ThemeManager, kind: str) -> None:
        super().__init__()
        self._themes, self._kind = themes, kind
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self.update)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(102, 60)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        painter = smooth_painter(self)
        if self._kind == "table":
            self._table(painter)
        elif self._kind == "bars":
            self._drawn_bars(painter)
        else:
            self._triple(painter)

    def _base(self, painter: QPainter) -> None:
        painter.setPen(QPen(self._themes.theme.colour("axis"), 1))
        painter.drawLine(2, 57, 100, 57)

    def _drawn_bars(self, painter: QPainter) -> None:
        role = self._themes.theme.role("original")
        for i, height in enumerate((16, 26, 46, 36, 21)):
            box = QRectF(8 + i * 18, 57 - height, 12, height)
            painter.setPen(QPen(role.line, 1))
            painter.setBrush(role.tint)
            painter.drawRect(box)
            painter.setPen(QPen(role.line, 1.6))
            painter.setBrush(self._themes.theme.colour("surface"))
            painter.drawRoundedRect(QRectF(box.left() - 2, box.top() - 3, 16, 6), 3, 3)
        self._base(painter)

    def _table(self, painter: QPainter) -> None:
        theme = self._themes.theme
        painter.setPen(QPen(theme.colour("outline"), 1))
        painter.setBrush(theme.colour("surface"))
        frame = QRectF(6.5, 4.5, 90, 52)
        painter.drawRoundedRect(frame, 5, 5)
        set_fill(painter, theme.colour("sunken"))
        painter.drawRect(QRectF(7, 9, 89, 8))
        grey = QColor(theme.colour("outline"))
        grey.setAlpha(130)
        painter.setBrush(grey)
        for line in range(3):
            for cell, width in enumerate((18, 24, 14)):
                painter.drawRoundedRect(QRectF(14 + cell * 29, 23 + line * 11, width, 4), 2, 2)

    def _triple(self, painter: QPainter) -> None:
        theme = self._themes.theme
        for group, heights in enumerate(((22, 30, 17), (46, 36, 44), (32, 38, 29))):
            for i, (role, height) in enumerate(
                zip(("original", "distorted", "reconstructed"), heights, strict=True)
            ):
                painter.setPen(outline_pen(theme, role))
                painter.setBrush(role_brush(theme, role))
                painter.drawRect(QRectF(7 + group * 32 + i * 9, 57 - height, 7, height))
        self._base(painter)


class CardGrid(QWidget):
    """Rows of cards, the last of which takes the free room."""

    def __init__(self, rows: Sequence[Sequence[QWidget]]) -> None:
        super().__init__()
        self._rows = rows
        self._is_folded = False
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(16, 4, 16, 12)
        self._grid.setSpacing(12)
        self._arrange()

    @property
    def is_folded(self) -> bool:
        """Whether there is but one column."""
        return self._is_folded

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As narrow as the widest card, if it can fold."""
        least = super().minimumSizeHint()
        if is_large_text(self):
            cards = [card for row in self._rows for card in row]
            least.setWidth(max(card.minimumSizeHint().width() for card in cards) + self._margins)
        return least

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return done

    @property
    def _margins(self) -> int:
        margins = self._grid.contentsMargins()
        return margins.left() + margins.right()

    def _fit(self) -> None:
        fold = is_large_text(self) and self._least_across() > self.width()
        if fold != self._is_folded:
            self._is_folded = fold
            self._arrange()
            self.updateGeometry()

    def _least_across(self) -> int:
        columns = zip(*self._rows, strict=True)
        widths: list[int] = [
            max(card.minimumSizeHint().width() for card in cards) for cards in columns
        ]
        return sum(widths) + self._grid.spacing() * (len(widths) - 1) + self._margins

    def _arrange(self) -> None:
        cards = [(card, r, c) for r, line in enumerate(self._rows) for c, card in enumerate(line)]
        last = len(cards) - 1 if self._is_folded else len(self._rows) - 1
        for place, (card, r, c) in enumerate(cards):
            self._grid.removeWidget(card)
            where = (place, 0) if self._is_folded else (r, c)
            self._grid.addWidget(card, *where)
        for place in range(len(cards)):
            self._grid.setRowStretch(place, int(place == last))
            self._grid.setColumnStretch(place, int(place < (1 if self._is_folded else 3)))


class StartPage(Page):
    """Entry cards over recent studies, samples and demonstrations."""

    name = "start"

    def __init__(self, workbench: Workbench, files: FileActions) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Start")
        self.question = self.tr("What would you like to do? You can also drop a file here.")
        self.set_primary("openPrimary", self.tr("Open…"), "open", files.open_dialog)
        self._build()
        files.recent_changed.connect(self._offer_recovery)
        self._offer_recovery()

    def _build(self) -> None:
        themes, tr = self.themes, self.tr
        self.questionnaire = EntryCard(
            themes, "questionnaire", tr("Plan a new survey"),
            tr("List the questions, draw the expected answers, and see privacy and "
                "precision before the survey."),
            tr("New questionnaire"), tr("Open a design…"), "bars",
        )  # fmt: skip
        self.table = EntryCard(
            themes, "data", tr("Open existing answers"),
            tr("CSV, Excel, SPSS, Stata, Parquet, ARFF or baskets. Check the kinds and "
                "labels that were read."),
            tr("Open data…"), tr("Randomised answers and their design…"), "table",
        )  # fmt: skip
        self.teaching = EntryCard(
            themes, "learn", tr("Teaching"),
            tr("Demonstrations step by step, on sample data and with text large enough for "
                "a projector."),
            tr("Show demonstrations"), tr("Larger text"), "triple",
        )  # fmt: skip
        self.questionnaire.first.clicked.connect(lambda *_: self.files.new_questionnaire())
        self.questionnaire.second.clicked.connect(self.files.open_dialog)
        self.table.first.clicked.connect(self.files.open_dialog)
        self.table.second.clicked.connect(lambda *_: self.files.open_dialog(distorted=True))
        self.teaching.first.clicked.connect(lambda *_: self.workbench.page_requested.emit("learn"))
        self.teaching.second.clicked.connect(self._on_larger)
        self._add_hints()
        self.recent = RecentCard(self.workbench, self.files)
        self.samples = SampleCard(self.workbench, self.files)
        self.demonstrations = DemonstrationList(self.workbench)
        self.banner = Banner(themes)
        ways = (self.questionnaire, self.table, self.teaching)
        self.grid = CardGrid((ways, (self.recent, self.samples, self.demonstrations)))
        column(self.banner, scroll_area(self.grid), parent=self, spacing=0, stretch=1)

    def _add_hints(self) -> None:
        tr = self.tr
        hints = {
            self.questionnaire.first: tr("Type or paste the questions; no data are needed."),
            self.questionnaire.second: tr(
                "Open a design file and change how answers are randomised."
            ),
            self.table.first: tr("Open a file of true answers; the file itself is not changed."),
            self.table.second: tr(
                "Choose the randomised answers and their design together to estimate the truth."
            ),
            self.teaching.first: tr("Go to the list of all demonstrations."),
            self.teaching.second: tr("Larger text in 2 steps; a third click: normal."),
        }
        for button, hint in hints.items():
            button.setToolTip(hint)
            button.setAccessibleDescription(hint)

    def shown(self) -> None:
        super().shown()
        self.recent.refresh()
        self.demonstrations.refresh()

    def _on_larger(self) -> None:
        themes = self.themes
        themes.zoom(1.0 if themes.scale >= 1.39 else themes.scale + 0.2)
        self.workbench.settings.setValue("view/scale", themes.scale)

    def _offer_recovery(self) -> None:
        found = self.files.recoverable()
        if not found:
            self.banner.hide()
            return
        newest = found[0]
        self.banner.say(
            "info",
            self.tr("“%s” was not saved before the program ended unexpectedly.") % newest.title,
            self.tr("It can be restored."),
            (self.tr("Restore"), lambda: self.files.open_recovered(newest)),
            (self.tr("Discard"), lambda: self.files.discard_recovered(newest)),
            closable=False,
        )
