"""Finds text that is cut off, or shortened where nothing tells the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from PySide6.QtCore import QModelIndex, QRect, QSize
from PySide6.QtGui import QFont, QFontMetrics, Qt, QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QRadioButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionComboBox,
    QStyleOptionHeaderV2,
    QStyleOptionSpinBox,
    QTabBar,
    QTableView,
    QToolButton,
    QWidget,
)

from layout_check.fault import Fault, fault, seen_in

SLACK = 1
"""Pixels by which rounding may be off."""
_MADE_BY_QT = (QAbstractSpinBox, QComboBox, QLineEdit, QTabBar, QHeaderView)
"""Their parts are looked at with the whole."""
_BREAKS = re.compile(r"[\s\u200b]+|(?<=-)")
"""Where Qt may begin another line."""
_TAGS = re.compile(r"<[^>]+>")


def clipped_texts(root: QWidget) -> Iterator[Fault]:
    """All text of a widget and the widgets in it that cannot be read as a whole."""
    for widget in seen_in(root):
        if isinstance(widget.parentWidget(), _MADE_BY_QT):
            continue
        for kind, look in _LOOKS:
            if isinstance(widget, kind):
                yield from look(widget)
                break
        yield from _squeezed(widget)


def _squeezed(widget: QWidget) -> Iterator[Fault]:
    """Smaller than the widget says that it can be; a limit that somebody set counts for more."""
    if isinstance(widget, QLabel | QHeaderView | QTabBar) or widget.isWindow():
        return
    least, own = widget.minimumSizeHint(), widget.minimumSize()
    if widget.layout() is not None:
        # A layout of wrapping labels asks for the height of a width that it does not have.
        least.setHeight(0)
    least = QSize(own.width() or least.width(), own.height() or least.height())
    least = least.boundedTo(widget.maximumSize())
    if _is_larger(least, widget.geometry().size()):
        yield fault("squeezed", widget, widget.accessibleName(), least)


def _is_larger(hint: QSize, size: QSize) -> bool:
    return hint.width() > size.width() + SLACK or hint.height() > size.height() + SLACK


def _plain(words: str) -> str:
    return _TAGS.sub("", words)


def _is_told(words: str, tooltip: str) -> bool:
    said = " ".join(_plain(words).rstrip("…").split())
    return said[:40] in " ".join(_plain(tooltip).split())


def _label(label: QLabel) -> Iterator[Fault]:
    words = label.text()
    if not words:
        return
    if "…" in words[-1:] and _is_told(words, label.toolTip()):
        return
    needed = label.sizeHint()
    if label.wordWrap():
        width = label.width()
        needed = QSize(_longest_word(label), label.heightForWidth(width))
    if _is_larger(needed, label.size()) and not _is_told(words, label.toolTip()):
        yield fault("clipped", label, _plain(words), needed)


def _longest_word(label: QLabel) -> int:
    margins = label.width() - label.contentsRect().width()
    if Qt.mightBeRichText(label.text()):
        document = QTextDocument()
        document.setDefaultFont(label.font())
        document.setDocumentMargin(0)
        document.setHtml(label.text())
        words = document.toPlainText()
    else:
        words = label.text()
    metrics = label.fontMetrics()
    widths = (metrics.horizontalAdvance(word) for word in _BREAKS.split(words))
    return max(widths, default=0) + margins


def _button(button: QAbstractButton) -> Iterator[Fault]:
    if isinstance(button, QToolButton):
        style = button.toolButtonStyle()
        if style == Qt.ToolButtonStyle.ToolButtonIconOnly and not button.icon().isNull():
            return
    if button.text() and _is_larger(button.sizeHint(), button.size()):
        yield fault("clipped", button, button.text(), button.sizeHint())


def _combo(box: QComboBox) -> Iterator[Fault]:
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    control, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
    room = box.style().subControlRect(control, option, part, box).size()
    icon = 0 if option.currentIcon.isNull() else option.iconSize.width() + 4
    yield from _line(box, box.currentText(), room - QSize(icon, 0))


def _spin(box: QAbstractSpinBox) -> Iterator[Fault]:
    option = QStyleOptionSpinBox()
    box.initStyleOption(option)
    control, part = QStyle.ComplexControl.CC_SpinBox, QStyle.SubControl.SC_SpinBoxEditField
    yield from _line(box, box.text(), box.style().subControlRect(control, option, part, box).size())


def _edit(edit: QLineEdit) -> Iterator[Fault]:
    margins = edit.textMargins()
    # Qt keeps two pixels on each side of the text free.
    room = QSize(edit.contentsRect().width() - margins.left() - margins.right() - 4, edit.height())
    if not edit.text():
        yield from _line(edit, edit.placeholderText(), room)


def _line(widget: QWidget, words: str, room: QSize) -> Iterator[Fault]:
    metrics = widget.fontMetrics()
    needed = QSize(metrics.horizontalAdvance(words), metrics.height())
    if words and _is_larger(needed, room) and not _is_told(words, widget.toolTip()):
        yield fault("clipped", widget, words, needed, room)


def _header(header: QHeaderView) -> Iterator[Fault]:
    if header.model() is None or header.orientation() != Qt.Orientation.Horizontal:
        return
    for place in range(header.count()):
        start, length = header.sectionViewportPosition(place), header.sectionSize(place)
        is_seen = start + length > 0 and start < header.viewport().width()
        if is_seen and not header.isSectionHidden(place):
            yield from _section(header, place)


def _section(header: QHeaderView, place: int) -> Iterator[Fault]:
    option = QStyleOptionHeaderV2()
    header.initStyleOption(option)
    header.initStyleOptionForIndex(option, place)
    option.rect = QRect(0, 0, header.sectionSize(place), header.height())
    element = QStyle.SubElement.SE_HeaderLabel
    room = header.style().subElementRect(element, option, header).size()
    told = header.model().headerData(place, header.orientation(), Qt.ItemDataRole.ToolTipRole)
    needed = _block(option.fontMetrics, option.text)
    if option.text and _is_larger(needed, room) and not _is_told(option.text, str(told or "")):
        yield fault("clipped", header, option.text, needed, room)


def _block(metrics: QFontMetrics, words: str) -> QSize:
    lines = words.split("\n")
    return QSize(max(metrics.horizontalAdvance(line) for line in lines), metrics.height())


def _tabs(bar: QTabBar) -> Iterator[Fault]:
    for place in range(bar.count()):
        words = bar.tabText(place)
        needed = bar.fontMetrics().horizontalAdvance(words)
        if needed > bar.tabRect(place).width() + SLACK:
            size = bar.tabRect(place).size()
            yield fault("clipped", bar, words, QSize(needed, 0), size)


def _items(view: QAbstractItemView) -> Iterator[Fault]:
    model, window = view.model(), view.viewport().rect()
    if model is None or not isinstance(view, QTableView | QListView):
        return
    for index in _indexes_seen(view):
        words = index.data(Qt.ItemDataRole.DisplayRole)
        box = view.visualRect(index)
        if not isinstance(words, str) or not words or not window.intersects(box):
            continue
        if type(view.itemDelegateForIndex(index)).paint is not QStyledItemDelegate.paint:
            # What is drawn by hand need not be the words that are read out.
            continue
        font = index.data(Qt.ItemDataRole.FontRole)
        metrics = QFontMetrics(font) if isinstance(font, QFont) else view.fontMetrics()
        needed = _block(metrics, words)
        told = str(index.data(Qt.ItemDataRole.ToolTipRole) or "")
        if _is_larger(needed, box.size()) and not _is_told(words, told):
            yield fault("clipped", view, words, needed, box.size())


def _indexes_seen(view: QTableView | QListView) -> Iterator[QModelIndex]:
    model, root = view.model(), view.rootIndex()
    rows = model.rowCount(root)
    columns = model.columnCount(root) if isinstance(view, QTableView) else 1
    first = view.indexAt(view.viewport().rect().topLeft()).row()
    for row in range(max(first, 0), min(rows, max(first, 0) + 60)):
        if isinstance(view, QTableView) and view.isRowHidden(row):
            continue
        for column in range(columns):
            if not (isinstance(view, QTableView) and view.isColumnHidden(column)):
                yield model.index(row, column, root)


def _nothing(widget: QWidget) -> Iterator[Fault]:
    return iter(())


_LOOKS: tuple[tuple[type | tuple[type, ...], Callable[..., Iterator[Fault]]], ...] = (
    (QLabel, _label),
    ((QPushButton, QToolButton, QCheckBox, QRadioButton), _button),
    (QComboBox, _combo),
    (QAbstractSpinBox, _spin),
    (QLineEdit, _edit),
    (QHeaderView, _header),
    (QTabBar, _tabs),
    (QAbstractItemView, _items),
    (QWidget, _nothing),
)
