"""Charts as pictures, as numbers and on the clipboard."""

from __future__ import annotations

import csv
import dataclasses
import io
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QEvent, QMimeData, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QActionGroup, QFontMetrics, QGuiApplication, QIcon, QImage
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QComboBox,
    QDialog,
    QMenu,
    QWidget,
)
from shiboken6 import isValid

from ppworkbench.core.files import write_bytes
from ppworkbench.core.formulas import escape_formula
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.charts.looks import draw_swatch
from ppworkbench.gui.dialogs import ask_to_replace, close_buttons, save_file
from ppworkbench.gui.language import tongue, tr
from ppworkbench.gui.numbers import for_people, number
from ppworkbench.gui.theme import ThemeManager, clear_pixmap, smooth_painter
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.cells import CellDelegate
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.layout import column, named, row, text
from ppworkbench.gui.widgets.provenance import invented_words
from ppworkbench.gui.widgets.table import TextModel, TextTable, add_script_menu, copy_rows
from ppworkbench.results.picture import Picture
from ppworkbench.results.text import Say
from ppworkbench.study.bundle_target import file_stem

Rows = Sequence[Sequence[str]]


_SIZE, _USUAL, _NUMBERS = "charts/size", "page", "charts/numbers"


class _Jobs(Protocol):
    """What a chart needs of the workbench that it belongs to."""

    settings: Any
    toast_requested: Any

    def run(
        self, name: str, work: Callable[[Progress], Any], done: Callable[[Any], None]
    ) -> Any: ...


def jobs_of(widget: QWidget) -> _Jobs | None:
    """The workbench of the page or window around a widget; none in a plain dialog."""
    around: QWidget | None = widget
    while around is not None:
        found: _Jobs | None = getattr(around, "workbench", None)
        if found is not None:
            return found
        around = around.parentWidget()
    return None


def add_figure_actions(
    menu: QMenu, widget: QWidget, picture: Picture, rows: Callable[[], Rows]
) -> None:
    """Offer to save a picture in a size that can be printed, and its numbers beside it."""
    menu.addAction(tr("Save as PNG…"), lambda: _ask(widget, picture, "png", rows))
    menu.addAction(tr("Save as SVG…"), lambda: _ask(widget, picture, "svg", rows))
    menu.addAction(tr("Save as PDF…"), lambda: _ask(widget, picture, "pdf", rows))
    beside = menu.addAction(tr("Save with data (CSV)"))
    beside.setCheckable(True)
    beside.setChecked(_has_numbers(widget))
    beside.triggered.connect(lambda chosen: _choose(widget, _NUMBERS, chosen))
    sizes, group, chosen = menu.addMenu(tr("Figure size")), QActionGroup(menu), _size(widget)
    for name, words in (
        ("column", tr("One column (85 mm)")),
        ("page", tr("Two columns (175 mm)")),
        ("slide", tr("Slide (16:9)")),
        ("slide-dark", tr("Slide (16:9), dark")),
    ):
        action = sizes.addAction(words)
        action.setCheckable(True)
        action.setChecked(name == chosen)
        action.triggered.connect(lambda _, name=name: _choose(widget, _SIZE, name))
        group.addAction(action)


def copy_figure(widget: QWidget, picture: Picture) -> None:
    """Put a picture on the clipboard as files have it, in dots and in lines."""

    def work(drawn: Picture, size: str, say: Say) -> tuple[bytes, bytes]:
        from ppworkbench.results.figure import picture_bytes

        return picture_bytes(drawn, "png", size, say), picture_bytes(drawn, "svg", size, say)

    def done(found: tuple[bytes, bytes]) -> None:
        data, (dots, lines) = QMimeData(), found
        data.setImageData(QImage.fromData(dots))
        data.setData("image/png", dots)
        data.setData("image/svg+xml", lines)
        QGuiApplication.clipboard().setMimeData(data)

    _draw(widget, picture, tr("Copying the chart"), work, done, tr("Copied."))


def _ask(widget: QWidget, picture: Picture, suffix: str, rows: Callable[[], Rows]) -> None:
    def write(path: Path, numbers: Path | None) -> None:
        told = [] if numbers is None else rows()

        def work(drawn: Picture, size: str, say: Say) -> None:
            from ppworkbench.results.figure import save_picture

            save_picture(drawn, path, size, say)
            if numbers is not None:
                save_rows(told, numbers, private=drawn.holds_truth)

        names = ", ".join(one.name for one in (path, numbers) if one is not None)
        title, said = tr("Writing %s") % path.name, tr("Saved as %s.") % names
        _draw(widget, picture, title, work, lambda _: None, said)

    def save(path: Path) -> None:
        numbers = path.with_suffix(".csv") if _has_numbers(widget) else None
        if numbers is not None and numbers.exists():
            # The dialog has asked about the picture.
            ask_to_replace(widget, None, numbers, lambda: write(path, numbers))
        else:
            write(path, numbers)

    save_file(widget, tr("Save chart"), file_name(widget, picture, suffix), f"*.{suffix}", save)


def file_name(widget: QWidget, picture: Picture | None, suffix: str) -> str:
    """What a file of a chart is called first: as the chart is, in letters that every system has."""
    title = "" if picture is None else str(tongue().say(picture.title))
    return f"{file_stem(title or widget.accessibleName() or tr('chart'))}.{suffix}"


def _draw(
    widget: QWidget,
    picture: Picture,
    title: str,
    work: Callable[[Picture, str, Say], Any],
    done: Callable[[Any], None],
    said: str,
) -> None:
    """Draw a picture in a job: the first takes a second, since matplotlib is loaded."""
    say, size, words = tongue().say, _size(widget), invented_words()
    note = Message.joined([one for one in (Message.of(words), picture.note) if one], " ")
    marks = tuple(one for one in picture.marks if one.name not in picture.handles)
    drawn = dataclasses.replace(picture, note=note, marks=marks, handles=())
    workbench = jobs_of(widget)
    if workbench is None:
        done(work(drawn, size, say))
        return

    def tell(found: Any) -> None:
        done(found)
        workbench.toast_requested.emit(said, False)

    workbench.run(title, lambda _: work(drawn, size, say), tell)


def _size(widget: QWidget) -> str:
    workbench = jobs_of(widget)
    return _USUAL if workbench is None else str(workbench.settings.value(_SIZE, _USUAL))


def _has_numbers(widget: QWidget) -> bool:
    workbench = jobs_of(widget)
    return workbench is not None and bool(workbench.settings.value(_NUMBERS, False, bool))


def _choose(widget: QWidget, what: str, value: object) -> None:
    workbench = jobs_of(widget)
    if workbench is not None:
        workbench.settings.setValue(what, value)


def figure_of(chart: QWidget) -> Picture | None:
    """The chart as files and the clipboard have it; none where it shows nothing.

    Its title names the question that the card or the page around it is about (``figure_subject``).
    """
    found: object = getattr(chart, "figure", None) or getattr(chart, "picture", None)
    if not isinstance(found, Picture):
        return None
    if getattr(chart, "holds_truth", False):
        found = dataclasses.replace(found, of_truth=True)
    around: QWidget | None = chart
    subject = ""
    while around is not None and not subject:
        subject, around = getattr(around, "figure_subject", ""), around.parentWidget()
    if not subject or subject in found.title:
        return found
    title = Message("{title}: {question}", title=found.title, question=subject)
    return dataclasses.replace(found, title=title)


def picture_menu(
    chart: QWidget, rows: Callable[[], Rows], add_scripts: Callable[[QMenu], None] | None = None
) -> QMenu:
    """A menu that offers to copy or save a chart, drawn anew for paper, and its numbers.

    ``add_scripts`` adds the scripts of the chart; without it, those of the page are offered.
    """
    menu, drawn = QMenu(chart), figure_of(chart)
    if drawn is not None:
        menu.addAction(chart.tr("Copy chart"), lambda: copy_figure(chart, drawn))
    menu.addAction(chart.tr("Copy data"), lambda: copy_rows(rows()))
    menu.addSeparator()
    if drawn is not None:
        add_figure_actions(menu, chart, drawn, rows)
    menu.addAction(
        chart.tr("Save data as CSV…"),
        lambda: ask_for_file(
            chart, file_name(chart, drawn, "csv"), lambda path: _save_told(chart, rows(), path)
        ),
    )
    if add_scripts is None:
        add_script_menu(menu, chart)
    else:
        menu.addSeparator()
        add_scripts(menu)
    return menu


def ask_for_file(parent: QWidget, suggestion: str, save: Callable[[Path], None]) -> None:
    kinds = f"*{Path(suggestion).suffix}"
    save_file(parent, parent.tr("Save"), suggestion, kinds, save)


def _save_told(widget: QWidget, rows: Rows, path: Path) -> None:
    told = figure_of(widget) or widget
    save_rows(rows, path, private=bool(getattr(told, "holds_truth", False)))
    workbench = jobs_of(widget)
    if workbench is not None:
        workbench.toast_requested.emit(tr("Saved as %s.") % path.name, False)


def save_rows(rows: Rows, path: Path, *, private: bool = False) -> None:
    """Save a table as CSV; no cell is a formula to a spreadsheet."""
    text = io.StringIO(newline="")
    words = invented_words()
    rows = [[words], *rows] if words else rows
    csv.writer(text).writerows([escape_formula(cell) for cell in row] for row in rows)
    write_bytes(path, text.getvalue().encode(), private=private)


class ChartNumbers:
    """A picture with its numbers, which are asked for when they are needed.

    A picture of very many numbers has ``few_rows``, which gives the first of them.
    """

    def __init__(self, widget: QWidget, rows: Callable[[], Rows]) -> None:
        self.widget = widget
        self.all_rows = rows
        self.name = widget.accessibleName()

    def forget(self) -> None:
        """Ask for the numbers anew: the picture has been drawn since."""
        self.name = self.widget.accessibleName()
        for known in ("rows", "looks"):
            self.__dict__.pop(known, None)

    @cached_property
    def rows(self) -> Rows:
        few: Callable[[], Rows] = getattr(self.widget, "few_rows", self.all_rows)
        return few() or [[]]

    @property
    def is_cut(self) -> bool:
        """Whether the picture has more numbers than are shown."""
        widget: Any = self.widget
        return hasattr(widget, "few_rows") and bool(len(self.rows) - 1 < widget.total)

    @cached_property
    def looks(self) -> tuple[str, ...]:
        told: tuple[str, ...] = getattr(self.widget, "head_looks", tuple)()
        return told


def pictures_of(page: QWidget) -> list[ChartNumbers]:
    found = []
    widgets: Iterable[QWidget] = page.findChildren(QWidget)
    for widget in widgets:
        rows = _teller(widget)
        if rows is not None and widget.isVisible() and widget.accessibleName():
            found.append(ChartNumbers(widget, rows))
    return found


def picture_meant(pictures: list[ChartNumbers], focused: QWidget | None) -> ChartNumbers | None:
    """The picture that has the focus, else the largest one that shows something."""
    for one in pictures:
        if focused is not None and (one.widget is focused or one.widget.isAncestorOf(focused)):
            return one
    by_size = sorted(pictures, key=lambda one: -one.widget.width() * one.widget.height())
    return next((one for one in by_size if len(one.rows) > 1), None)


def _teller(widget: QWidget) -> Callable[[], Rows] | None:
    rows = getattr(widget, "rows", None)
    return rows if callable(rows) and not isinstance(widget, Card) else None


_NUMBER = re.compile(r"[-−+]?[\d\s.,\u202f\xa0]+(e[-+−]?\d+)?[\s\u202f\xa0]?%?|[–∞]?")
_WIDEST_COLUMN = 320
_FOLLOWS = 100
"""Milliseconds after which the table follows its picture."""
_LOOKED_AT = 60
"""Rows that are measured to find how wide a column has to be."""


class NumbersModel(TextModel):
    """Heads carry the swatch of what they stand for in the picture."""

    looks: tuple[str, ...] = ()

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role == Qt.ItemDataRole.DecorationRole and orientation == Qt.Orientation.Horizontal:
            look = self.looks[section] if section < len(self.looks) else ""
            return self._swatch(look) if look else None
        return super().headerData(section, orientation, role)

    def _swatch(self, look: str) -> QIcon:
        ratio = 2.0
        drawn = clear_pixmap(QSize(14, 14), ratio)
        painter = smooth_painter(drawn)
        draw_swatch(painter, self._themes.theme, look, QRectF(1.5, 2.5, 11, 9))
        painter.end()
        return QIcon(drawn)


class NumbersDialog(QDialog):
    """A table with the numbers of one picture of a page, and a way to the other pictures."""

    def __init__(
        self,
        themes: ThemeManager,
        pictures: list[ChartNumbers],
        first: ChartNumbers,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._themes = themes
        self._pictures = pictures
        self._shown = first
        self.setObjectName("numbers")
        self.setWindowTitle(self.tr("Chart data"))
        self.choice = named(QComboBox(), "numbersPicture", self.tr("Chart"))
        self.choice.addItems([one.name for one in pictures])
        self.title = text(first.name, "subtitle", wrap=True)
        self.model = NumbersModel(themes, parent=self)
        self.table = TextTable(themes, "numbersTable", first.name)
        self.table.setModel(self.model)
        # Drawn by the style sheet, a screenful would take too long.
        self._delegate = CellDelegate(themes, self.model, pad=TextTable.PAD)
        self.table.setItemDelegate(self._delegate)
        self._drawn = single_shot(self, self._follow, _FOLLOWS)
        self._watched: QWidget | None = None
        self.finished.connect(self._watch_nothing)
        self._arrange()
        self.choice.setCurrentIndex(pictures.index(first))
        self.choice.currentIndexChanged.connect(lambda place: self._show(self._pictures[place]))
        self._show(first)
        self._size()
        self.table.setFocus()

    def _arrange(self) -> None:
        is_choice = len(self._pictures) > 1
        self.title.setVisible(not is_choice)
        self.choice.setVisible(is_choice)
        self.count = text("", "captionHint")
        self.copy = named(Button(self._themes, self.tr("Copy"), "copy"), "copyNumbers")
        self.copy.setToolTip(self.tr("Copy the selected rows, or all (Ctrl+C)"))
        self.copy.clicked.connect(self.table.copy)
        self.save = named(Button(self._themes, self.tr("Save as CSV…"), "export"), "saveNumbers")
        self.save.clicked.connect(self._on_save)
        foot = row(self.count, None, self.copy, self.save, close_buttons(self))
        column(
            self.title, self.choice, self.table, foot, parent=self, spacing=12, margin=16
        ).setStretch(2, 1)

    def _show(self, picture: ChartNumbers) -> None:
        if not isValid(picture.widget):
            self.reject()
            return
        self._watch(picture)
        picture.forget()
        self._fill(picture)
        self._fit_columns()
        self.table.setCurrentIndex(self.model.index(0, 0))
        self.table.clearSelection()

    def _watch(self, picture: ChartNumbers) -> None:
        """Be told when a picture is drawn: a job may give it other numbers meanwhile."""
        self._watch_nothing()
        widget = picture.widget
        inner = widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget
        self._watched = inner
        inner.installEventFilter(self)
        inner.destroyed.connect(self._drawn.start)

    def _watch_nothing(self) -> None:
        if self._watched is not None and isValid(self._watched):
            self._watched.removeEventFilter(self)
            self._watched.destroyed.disconnect(self._drawn.start)
        self._watched = None
        self._drawn.stop()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Paint and not self._drawn.isActive():
            self._drawn.start()
        return super().eventFilter(watched, event)

    def _follow(self) -> None:
        """Show other numbers if the picture has them; without a picture there are none."""
        if not isValid(self._shown.widget):
            self.reject()
            return
        before = self._shown.rows
        self._shown.forget()
        if self._shown.rows != before:
            chosen = self.table.currentIndex()
            self._fill(self._shown)
            self._fit_columns()
            self.table.setCurrentIndex(self.model.index(chosen.row(), chosen.column()))

    def _fill(self, picture: ChartNumbers) -> None:
        self._shown = picture
        self.title.setText(picture.name)
        self.table.setAccessibleName(picture.name)
        self.model.looks = picture.looks
        heads, *rows = picture.rows
        self.model.left = left_columns(rows)
        self.model.show_rows(heads, [[for_people(cell) for cell in row] for row in rows])
        told = self.tr("The first %s rows; the file has all.") if picture.is_cut else self.tr(
            "Rows: %s"
        )  # fmt: skip
        self.count.setText(told % number(len(rows)))

    def _fit_columns(self) -> None:
        """Measure words before the style sheet has looked at the table."""
        theme, head = self._themes.theme, self.table.horizontalHeader()
        body, caption = QFontMetrics(theme.font()), QFontMetrics(theme.font("caption", "semibold"))
        looked_at = self.model.rows[:_LOOKED_AT]
        for section, shown in enumerate(self.model.columns):
            look = section < len(self.model.looks) and self.model.looks[section]
            title = caption.horizontalAdvance(shown.title) + (24 if look else 4)
            widths = [body.horizontalAdvance(cells[section]) for cells in looked_at]
            # Words of a cell are shortened with dots, a head would begin in the middle of a word.
            widest = min(max(widths, default=0), theme.px(_WIDEST_COLUMN))
            head.resizeSection(section, max(title, widest) + 22)
        head.setStretchLastSection(True)

    def _size(self) -> None:
        """As large as the numbers need, within the window."""
        px, window = self._themes.theme.px, self.parentWidget().window()
        sections = range(self.model.columnCount())
        wide = sum(self.table.horizontalHeader().sectionSize(section) for section in sections)
        width = min(max(wide + 60, px(460)), window.width() - 120)
        high = self.model.rowCount() * px(26) + px(170)
        self.resize(width, min(max(high, px(300)), window.height() - 120))

    def _on_save(self) -> None:
        widget, rows = self._shown.widget, self._shown.all_rows
        name = file_name(widget, figure_of(widget), "csv")
        ask_for_file(self, name, lambda path: _save_told(widget, rows(), path))


def left_columns(rows: Rows) -> frozenset[int]:
    """Columns of words, which stand at the left; numbers stand at the right."""
    words = {
        place
        for cells in rows[:_LOOKED_AT]
        for place, cell in enumerate(cells)
        if not _NUMBER.fullmatch(cell.strip())
    }
    return frozenset({0} | words)
