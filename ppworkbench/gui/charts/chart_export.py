"""Charts as pictures, as numbers and on the clipboard."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QEvent,
    QIODevice,
    QObject,
    QPoint,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QFontMetrics, QGuiApplication, QIcon, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QMenu,
    QWidget,
)
from shiboken6 import isValid

from ppworkbench.core.data.delimited.writer import escape_formula
from ppworkbench.core.files import write_bytes
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.charts.looks import draw_swatch
from ppworkbench.gui.dialogs import save_file
from ppworkbench.gui.numbers import for_people, number
from ppworkbench.gui.theme import ThemeManager, clear_pixmap, smooth_painter
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.cells import CellDelegate
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.layout import column, named, row, text
from ppworkbench.gui.widgets.provenance import (
    draw_note,
    grab_noted,
    invented_words,
    note_height,
)
from ppworkbench.gui.widgets.table import TextModel, TextTable, add_script_menu, copy_rows

Rows = Sequence[Sequence[str]]


def picture_menu(
    picture: QWidget,
    rows: Callable[[], Rows],
    add_scripts: Callable[[QMenu], None] | None = None,
) -> QMenu:
    """A menu that offers to copy or save a widget's picture and its numbers.

    ``add_scripts`` adds those of the picture; without it, those of the page are offered.
    """
    menu = QMenu(picture)
    menu.addAction(
        picture.tr("Copy chart"), lambda: QGuiApplication.clipboard().setPixmap(grab_noted(picture))
    )
    menu.addAction(picture.tr("Copy data"), lambda: copy_rows(rows()))
    menu.addSeparator()

    def ask(suffix: str, save: Callable[[Path], None]) -> None:
        ask_for_file(picture, f"picture.{suffix}", save)

    menu.addAction(
        picture.tr("Save as PNG…"),
        lambda: ask("png", lambda path: save_png(grab_noted(picture).toImage(), path)),
    )
    menu.addAction(
        picture.tr("Save as SVG…"), lambda: ask("svg", lambda path: save_svg(picture, path))
    )
    menu.addAction(
        picture.tr("Save data as CSV…"),
        lambda: ask("csv", lambda path: save_rows(rows(), path)),
    )
    if add_scripts is None:
        add_script_menu(menu, picture)
    else:
        menu.addSeparator()
        add_scripts(menu)
    return menu


def ask_for_file(parent: QWidget, suggestion: str, save: Callable[[Path], None]) -> None:
    kinds = f"*{Path(suggestion).suffix}"
    save_file(parent, parent.tr("Save"), suggestion, kinds, save)


def save_png(image: QImage, path: Path) -> None:
    """Save a picture at twice its size on the screen."""
    image.setDevicePixelRatio(1)
    larger = image.scaledToWidth(image.width() * 2, Qt.TransformationMode.SmoothTransformation)
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    larger.save(buffer, "PNG")  # type: ignore[call-overload]  # the stubs want bytes
    write_bytes(path, bytes(data.data()))


def save_svg(widget: QWidget, path: Path) -> None:
    """Save what a widget shows as lines."""
    data = QByteArray()
    buffer = QBuffer(data)
    generator = QSvgGenerator()
    # Given a file, Qt would not tell when it cannot be written.
    generator.setOutputDevice(buffer)
    area = widget.rect().adjusted(0, 0, 0, note_height(widget))
    generator.setSize(area.size())
    generator.setViewBox(area)
    generator.setTitle(widget.accessibleName())
    painter = QPainter(generator)
    # A plot is a view of a scene, which has another method of that name.
    QWidget.render(widget, painter, QPoint())
    draw_note(painter, widget)
    painter.end()
    write_bytes(path, bytes(data.data()))


def save_rows(rows: Rows, path: Path) -> None:
    """Save a table as CSV; no cell is a formula to a spreadsheet."""
    text = io.StringIO(newline="")
    words = invented_words()
    rows = [[words], *rows] if words else rows
    csv.writer(text).writerows([escape_formula(cell) for cell in row] for row in rows)
    write_bytes(path, text.getvalue().encode())


class Picture:
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
        """Heads, and what is shown of the numbers."""
        few: Callable[[], Rows] = getattr(self.widget, "few_rows", self.all_rows)
        return few() or [[]]

    @property
    def is_cut(self) -> bool:
        """Whether the picture has more numbers than are shown."""
        widget: Any = self.widget
        return hasattr(widget, "few_rows") and bool(len(self.rows) - 1 < widget.total)

    @cached_property
    def looks(self) -> tuple[str, ...]:
        """How each column is drawn in the picture; empty where it is not told."""
        told: tuple[str, ...] = getattr(self.widget, "head_looks", tuple)()
        return told


def pictures_of(page: QWidget) -> list[Picture]:
    """Every picture in sight, in the order in which they were made."""
    found = []
    widgets: Iterable[QWidget] = page.findChildren(QWidget)
    for widget in widgets:
        rows = _teller(widget)
        if rows is not None and widget.isVisible() and widget.accessibleName():
            found.append(Picture(widget, rows))
    return found


def picture_meant(pictures: list[Picture], focused: QWidget | None) -> Picture | None:
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
        """The name of a column, and how its numbers are drawn in the picture."""
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
        self, themes: ThemeManager, pictures: list[Picture], first: Picture, parent: QWidget
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
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        # Fusion names it in the language of the system, not of the window.
        close = buttons.button(QDialogButtonBox.StandardButton.Close)
        close.setText(self.tr("Close"))
        foot = row(self.count, None, self.copy, self.save, buttons)
        column(
            self.title, self.choice, self.table, foot, parent=self, spacing=12, margin=16
        ).setStretch(2, 1)

    def _show(self, picture: Picture) -> None:
        if not isValid(picture.widget):
            self.reject()
            return
        self._watch(picture)
        picture.forget()
        self._fill(picture)
        self._fit_columns()
        self.table.setCurrentIndex(self.model.index(0, 0))
        self.table.clearSelection()

    def _watch(self, picture: Picture) -> None:
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
        """Look at the numbers again soon after the picture was drawn."""
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
            self.table.setCurrentIndex(self.model.index(chosen.row(), chosen.column()))

    def _fill(self, picture: Picture) -> None:
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
        ask_for_file(self, "numbers.csv", lambda path: save_rows(self._shown.all_rows(), path))


def left_columns(rows: Rows) -> frozenset[int]:
    """Columns of words, which stand at the left; numbers stand at the right."""
    words = {
        place
        for cells in rows[:_LOOKED_AT]
        for place, cell in enumerate(cells)
        if not _NUMBER.fullmatch(cell.strip())
    }
    return frozenset({0} | words)
