"""The left column of the Design page: attributes with mechanism and small histogram."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    QStringListModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QMenu,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from ppworkbench.analyses.designs.goals import MET, MISSED, OPEN, PLAIN
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import number, percent, significant, trimmed
from ppworkbench.gui.pages.design.texts import light_words
from ppworkbench.gui.pages.design.view import ListView
from ppworkbench.gui.theme import Theme, ThemeManager, icon, set_fill
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import IconButton, filter_field, open_search
from ppworkbench.gui.widgets.labels import role_word
from ppworkbench.gui.widgets.layout import column, named, row, text
from ppworkbench.study.study import Study

Index = QModelIndex | QPersistentModelIndex
_LIGHTS = {
    MET: ("check", "good"), MISSED: ("warning", "warningText"), PLAIN: ("minus", "text3"),
    OPEN: ("", "text3"),
}  # fmt: skip
"""Icon and colour of a light; without goals there is only the precision."""

SUMMARY = Qt.ItemDataRole.UserRole + 1
KIND = Qt.ItemDataRole.UserRole + 2
SHARES = Qt.ItemDataRole.UserRole + 3
DISTORTED = Qt.ItemDataRole.UserRole + 4
BADGE = Qt.ItemDataRole.UserRole + 5
LIGHT = Qt.ItemDataRole.UserRole + 6
_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class AttributeModel(QStringListModel):
    """Reads the view when it is asked; keeps only the names that pass the filter.

    Qt keeps them, too: to lay out a list it asks thousands of times how many there are.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view = ListView()
        self._filter = ""
        self.names: list[str] = []

    def set_filter(self, words: str) -> None:
        self._filter = words.lower().strip()
        self._reload()

    def set_view(self, view: ListView) -> None:
        """Show other attributes; what is said of them is read when it is drawn."""
        before, self._view = self._view, view
        if _are_others(before.study, view.study):
            self._reload()

    def _reload(self) -> None:
        study = self._view.study
        names = [
            name
            for name in study.design.names
            if not self._filter
            or self._filter in name.lower()
            or self._filter in study.shown(name).lower()
            or self._filter in study.label(name).lower()
        ]
        shown = [study.shown(name) for name in names]
        if names != self.names or shown != self.stringList():
            self.names = names
            self.setStringList(shown)

    def flags(self, index: Index) -> Qt.ItemFlag:  # noqa: ARG002
        return _FLAGS

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        answers: dict[int, Callable[[str], Any]] = {
            Qt.ItemDataRole.DisplayRole: self._shown,
            SUMMARY: self._summary,
            KIND: lambda name: self._view.study.design[name].attribute.kind.value,
            SHARES: lambda name: self._view.study.prior(name).probabilities,
            DISTORTED: self._is_distorted,
            BADGE: self._badge,
            LIGHT: self._light,
            Qt.ItemDataRole.ToolTipRole: self._tip,
            Qt.ItemDataRole.AccessibleTextRole: self._spoken,
        }
        answer = answers.get(role)
        if not index.isValid() or answer is None:
            return None
        return answer(self.names[index.row()])

    def facts(self, name: str) -> tuple[object, ...]:
        """What the row of an attribute is drawn from."""
        view, design = self._view, self._view.study.design
        return (
            design[name], view.study.choices.get(name), view.lights.get(name),
            design.group_of(name), view.role(name), self._badge(name),
        )  # fmt: skip

    def _light(self, name: str) -> tuple[str, str, str] | None:
        """Icon, colour and words of an attribute's light, if it is known."""
        light, role = self._view.lights.get(name), self._view.role(name)
        if role:
            return *_LIGHTS[PLAIN], self._summary(name)
        return None if light is None else (*_LIGHTS[light.state], light_words(light))

    def _shown(self, name: str) -> str:
        return self._view.study.shown(name)

    def _spoken(self, name: str) -> str:
        light, share = self._light(name), self._badge(name)
        said = [self._shown(name), self._summary(name), *([light[2]] if light else [])]
        return ", ".join([*said, *([self.tr("%s of the budget") % share] if share else [])])

    def _badge(self, name: str) -> str:
        share = self._view.shares.get(name)
        if share is None:
            return ""
        return "∞" if math.isinf(share) else percent(share)

    def _tip(self, name: str) -> str:
        study, light = self._view.study, self._light(name)
        lines = [study.shown(name), study.label(name), name, self._summary(name)]
        label = "\n".join(dict.fromkeys([*lines, *([light[2]] if light else [])]))
        known = self._view.badges.get(name)
        if name in self._view.shares:
            label = self.tr("%s\nShare of the privacy budget: %s") % (label, self._badge(name))
        if known is None:
            return label
        words = self.tr("%s\nAttack success %s, prior guess %s; information loss %s")
        return words % (label, percent(known[0]), percent(known[1]), significant(known[2]))

    def _summary(self, name: str) -> str:
        design, role = self._view.study.design, self._view.role(name)
        if role:
            return self.tr("%s, not randomised") % role_word(role)
        group = design.group_of(name)
        if group is not None:
            return self.tr("group of %s, theta %s") % (
                len(group.attributes),
                trimmed(group.theta, 3),
            )
        return translate(design[name].perturbation.summary())

    def _is_distorted(self, name: str) -> bool:
        return not self._view.study.design.usual_device(name).is_identity


def _are_others(before: Study, after: Study) -> bool:
    """Whether attributes came, went or are called something else."""
    one, other = before.design.attributes, after.design.attributes
    return (
        before.original is not after.original
        or before.distorted is not after.distorted
        or len(one) != len(other)
        or any(a.attribute is not b.attribute for a, b in zip(one, other, strict=True))
    )


_NAME_LINES = 2
_LINE = 16
"""Pixels from one line of a name to the next."""
_ANY_WIDTH = 16_777_215
"""Qt's word for no limit of a width."""


class AttributeDelegate(QStyledItemDelegate):
    """Icon of the kind, name, mechanism, and the expected answers as small bars.

    Long names take a second line. A folded list has no room for words: icon and light only.
    """

    def __init__(self, themes: ThemeManager, view: QListView) -> None:
        super().__init__()
        self._themes, self._view = themes, view
        self.is_folded = False
        self._broken: dict[object, list[str]] = {}

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002, N802
        """Rows of two lines, or three where the name needs two of them."""
        px = self._themes.theme.px
        if self.is_folded:
            return QSize(px(40), px(38))
        if self._view.uniformItemSizes():
            return QSize(120, px(46 + _LINE))
        lines = self.name_lines(str(index.data()), self._view.viewport().width())
        return QSize(120, px(46 + _LINE * (len(lines) - 1)))

    def name_lines(self, name: str, width: int) -> list[str]:
        """A name in the lines that it takes in a row of that width."""
        theme = self._themes.theme
        key = name, width, theme.scale
        if key not in self._broken:
            if len(self._broken) > _MANY:
                self._broken.clear()
            # Bold, so that no row changes its height when it is selected.
            metrics = QFontMetrics(theme.font("body", "semibold"))
            self._broken[key] = _break_name(name, metrics, width - theme.px(44) - 26 - theme.px(16))
        return self._broken[key]

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        from ppworkbench.gui.widgets.cells import draw_mini_bars

        theme = self._themes.theme
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(option.rect).adjusted(4, 1, -4, -1)  # type: ignore[attr-defined]  # not in the stubs
        state: QStyle.StateFlag = option.state  # type: ignore[attr-defined]  # not in the stubs
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            set_fill(painter, theme.colour("accentTint" if selected else "hover"))
            painter.drawRoundedRect(box, 6, 6)
        ink = theme.colour("accentInk" if selected else "text2")
        side = theme.px(16)
        if self.is_folded:
            self._draw_folded(painter, box, side, ink, index)
            painter.restore()
            return
        spot = QRectF(box.left() + 8, box.center().y() - side / 2, side, side)
        icon(f"kind-{index.data(KIND)}", ink).paint(painter, spot.toRect())
        left = box.left() + 18 + side
        room = box.right() - theme.px(44) - left
        painter.setPen(theme.colour("text"))
        painter.setFont(theme.font("body", "semibold" if selected else "medium"))
        lines = self.name_lines(str(index.data()), self._view.viewport().width())
        top, high = box.top() + 5, theme.px(_LINE)
        if self._view.uniformItemSizes() and len(lines) == 1:
            top += high / 2
        for place, words in enumerate(lines):
            self._line(painter, QRectF(left, top + place * high, room + 2, theme.px(18)), words)
        painter.setPen(theme.colour("text2" if selected else "text3"))
        painter.setFont(theme.font("caption"))
        below = QPointF(left, top - 5 + (len(lines) - 1) * high)
        badge = self._draw_light(painter, theme, index, below, box.right())
        if index.data(DISTORTED):
            fill = theme.role("original").fill
        else:
            fill = theme.colour("textDisabled")
        # No higher than the name: words below it may need the whole width.
        wide = theme.px(30)
        bars = QRectF(box.right() - 8 - wide, box.top() + 8, wide, theme.px(14))
        draw_mini_bars(painter, bars, index.data(SHARES), fill)
        painter.setPen(theme.colour("text2" if selected else "text3"))
        painter.setFont(theme.font("caption"))
        across = theme.px(52)
        corner = QRectF(box.right() - 6 - across, box.bottom() - theme.px(19), across, theme.px(16))
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(corner, flags, badge)
        painter.restore()

    def _draw_folded(
        self, painter: QPainter, box: QRectF, side: int, ink: QColor, index: Index
    ) -> None:
        spot = QRectF(box.left() + 2, box.center().y() - side / 2, side, side)
        icon(f"kind-{index.data(KIND)}", ink).paint(painter, spot.toRect())
        light = index.data(LIGHT)
        if light is not None and light[0]:
            theme = self._themes.theme
            small = theme.px(13)
            mark = QRectF(box.right() - 2 - small, box.center().y() - small / 2, small, small)
            icon(light[0], theme.colour(light[1])).paint(painter, mark.toRect())

    def _draw_light(
        self, painter: QPainter, theme: Theme, index: Index, corner: QPointF, right: float
    ) -> str:
        """Draw what is below the name; the badge that has room beside it."""
        badge, light = str(index.data(BADGE) or ""), index.data(LIGHT)
        metrics, whole = painter.fontMetrics(), right - 6 - corner.x()
        if light is not None and badge:
            needed = metrics.horizontalAdvance(light[2]) + theme.px(24)
            # What a goal lacks is said in full; the badge is also in the tooltip.
            badge = badge if needed + metrics.horizontalAdvance(badge) <= whole else ""
        beside = metrics.horizontalAdvance(badge) + theme.px(8) if badge else 0
        area = QRectF(corner.x(), corner.y() + theme.px(23), whole - beside, theme.px(16))
        if light is None:
            self._line(painter, area, index.data(SUMMARY))
            return badge
        name, colour, words = light
        if not name:
            self._line(painter, area, words)
            return badge
        mark = QRectF(area.left(), area.center().y() - theme.px(6), theme.px(12), theme.px(12))
        icon(name, theme.colour(colour)).paint(painter, mark.toRect())
        self._line(painter, area.adjusted(theme.px(16), 0, 0, 0), words)
        return badge

    def _line(self, painter: QPainter, area: QRectF, content: str) -> None:
        words = painter.fontMetrics().elidedText(
            content, Qt.TextElideMode.ElideRight, int(area.width())
        )
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, words)


def _break_name(name: str, metrics: QFontMetrics, width: int) -> list[str]:
    """A name in at most two lines, broken at spaces and underscores."""
    if metrics.horizontalAdvance(name) <= width:
        return [name]
    first = ""
    for piece in re.findall(r"[^\s_-]+[\s_-]*|[\s_-]+", name):
        if metrics.horizontalAdvance((first + piece).rstrip()) > width:
            break
        first += piece
    if not first:
        # One long word: as many letters as there is room for.
        count = 1
        while count < len(name) and metrics.horizontalAdvance(name[: count + 1]) <= width:
            count += 1
        first = name[:count]
    rest = metrics.elidedText(name[len(first) :], Qt.TextElideMode.ElideRight, width)
    return [first.rstrip(), rest][:_NAME_LINES]


_MANY = 200
"""In longer lists all rows have the same height: Qt would ask for that of every one."""
_FOLDED, _UNFOLDED, _ICONS = 50, 212, 44
"""Widths of a list in a narrow window: folded, unfolded to be searched, and of the icons."""


class AttributeList(Card):
    """Several attributes can be selected; the first selected one is edited.

    In a narrow window it is folded to icons; the filter unfolds it as long as it is open.
    """

    folded = Signal()
    """It was folded or unfolded, and needs another width."""
    selected = Signal(object)
    """The names that were selected, the current one first."""
    group_requested = Signal()
    ungroup_requested = Signal()
    """The selected attributes shall share a draw, or none of them any longer."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._view = ListView()
        self.model = AttributeModel(self)
        self.count = text("", "badge")
        self.search_button = IconButton(themes, "search", self.tr("Filter (Ctrl+F)"), 16)
        self.search_button.setObjectName("filterAttributes")
        self.search_button.setCheckable(True)
        self.search_button.toggled.connect(self._on_search)
        self.head.setContentsMargins(14, 8, 8, 4)
        self.head.setSpacing(6)
        self.count.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._title = text(self.tr("Attributes"), "strong")
        self.head.addWidget(self._title)
        self.head.addWidget(self.count)
        self.head.addStretch(1)
        self.head.addWidget(self.search_button)
        self.body.setSpacing(0)
        self.body.addLayout(self.head)
        self.filter = filter_field("attributeFilter", self.tr("Filter attributes"))
        self.filter.textChanged.connect(self.model.set_filter)
        self.filter.textChanged.connect(lambda words: open_search(self.search_button, words))
        self.filter.returnPressed.connect(self._on_filter_entered)
        self.filter.hide()
        self.body.addWidget(self.filter)
        self._is_narrow = False
        self._make_view(themes)
        self.body.addWidget(self.view, 1)
        self.view.selectionModel().selectionChanged.connect(self._on_selected)
        self.model.modelReset.connect(self._follow)
        # A few times a second are enough for the small print beside a slider that is dragged.
        self._redraw = single_shot(self, self._draw_changed, 80)
        self._drawn: dict[str, tuple[object, ...]] = {}
        # The summary below grows once it is worked out, and must not push the selection out.
        self.view.verticalScrollBar().rangeChanged.connect(
            self._show_selected, Qt.ConnectionType.QueuedConnection
        )
        self._foot: QWidget | None = None
        self.of_selection: tuple[QAction, ...] = ()
        """What else the menu of the list offers to do with the selection."""
        self.folded_foot = QWidget()
        self.folded_foot.hide()
        themes.theme_changed.connect(self._on_theme)

    def _make_view(self, themes: ThemeManager) -> None:
        self.view = named(QListView(), "attributes", self.tr("Attributes"))
        self.view.setModel(self.model)
        self._delegate = AttributeDelegate(themes, self.view)
        self.view.setItemDelegate(self._delegate)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setMouseTracking(True)
        self.view.setResizeMode(QListView.ResizeMode.Adjust)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(
            lambda spot: show_menu(self.make_menu(), self.view.viewport().mapToGlobal(spot))
        )

    def set_foot(self, foot: QWidget, *folded: QWidget) -> None:
        """Show something below the list, and something small in its place while it is folded."""
        self._foot = foot
        self.body.addWidget(foot)
        small = column(*(row(None, one, None) for one in folded), parent=self.folded_foot)
        small.setContentsMargins(0, 4, 0, 8)
        self.body.addWidget(self.folded_foot)

    @property
    def is_folded(self) -> bool:
        """Whether only icons are seen."""
        return self._delegate.is_folded

    @property
    def is_narrow(self) -> bool:
        """Whether the window has no room for names; the width is fixed then."""
        return self._is_narrow

    def set_narrow(self, narrow: bool) -> None:
        """Fold to icons in a narrow window."""
        if narrow != self._is_narrow:
            self._is_narrow = narrow
            self._fit()

    def _on_theme(self) -> None:
        if self._is_narrow:
            self._fit()

    def _fit(self) -> None:
        folded = self._is_narrow and not self.search_button.isChecked()
        self._delegate.is_folded = folded
        px = self._themes.theme.px
        if self._is_narrow:
            self.setFixedWidth(px(_FOLDED if folded else _UNFOLDED))
        else:
            self.setMinimumWidth(0)
            self.setMaximumWidth(_ANY_WIDTH)
        for part in (self._title, self.count):
            part.setHidden(folded)
        if self._foot is not None:
            self._foot.setHidden(folded)
        self.folded_foot.setHidden(not folded)
        bars = Qt.ScrollBarPolicy
        self.view.setVerticalScrollBarPolicy(
            bars.ScrollBarAlwaysOff if folded else bars.ScrollBarAsNeeded
        )
        # A list asks for more than the icons need.
        self.view.setMinimumWidth(px(_ICONS) if folded else 0)
        self.view.scheduleDelayedItemsLayout()
        self.folded.emit()

    def _show_selected(self) -> None:
        self.view.scrollTo(self.view.currentIndex())

    def _draw_changed(self) -> None:
        """Draw those rows again that differ; to repaint all would be felt in a drag."""
        before = self._drawn
        self._drawn = {name: self.model.facts(name) for name in self.model.names}
        for place, (name, facts) in enumerate(self._drawn.items()):
            if facts != before.get(name):
                # Not dataChanged: a list view would lay out all of its rows again.
                self.view.update(self.model.index(place))

    def make_menu(self) -> QMenu:
        menu = QMenu(self)
        study = self._view.study
        names = tuple(n for n in self._view.selected if n in study.design)
        group = menu.addAction(self.tr("Group…"))
        group.triggered.connect(self.group_requested)
        group.setObjectName("makeGroup")
        categorical = all(study.design[n].attribute.kind.is_categorical for n in names)
        drawn = any(self._view.role(n) for n in names)
        group.setEnabled(len(names) >= 2 and categorical and not drawn)
        group.setToolTip(self.tr("Select 2 or more categorical attributes."))
        leave = menu.addAction(self.tr("Ungroup"))
        leave.triggered.connect(self.ungroup_requested)
        leave.setObjectName("leaveGroup")
        leave.setEnabled(any(study.design.group_of(n) is not None for n in names))
        menu.addSeparator()
        menu.addActions(self.of_selection)
        return menu

    def _on_search(self, shown: bool) -> None:
        self.filter.setVisible(shown)
        if self._is_narrow:
            self._fit()
        if shown:
            self.filter.setFocus()
        else:
            self.filter.clear()

    def _on_filter_entered(self) -> None:
        """Choose the first attribute that passes the filter."""
        if self.model.names:
            self.selected.emit(self.model.names[:1])

    def step(self, by: int) -> None:
        """Choose the next or previous attribute, whatever the filter hides."""
        names, selected = self._view.study.design.names, self._view.selected
        if selected and selected[0] in names:
            place = names.index(selected[0]) + by
            self.selected.emit([names[min(max(place, 0), len(names) - 1)]])

    def set_view(self, view: ListView) -> None:
        before, self._view = self._view, view
        self.model.set_view(view)
        if not self._redraw.isActive():
            self._redraw.start()
        if view.selected != before.selected:
            self._follow()

    def _follow(self) -> None:
        self.count.setText(number(len(self._view.study.design.names)))
        self.view.setUniformItemSizes(len(self.model.names) > _MANY)
        selection = QItemSelection()
        current = QModelIndex()
        for name in self._view.selected:
            if name in self.model.names:
                index = self.model.index(self.model.names.index(name))
                selection.select(index, index)
                current = index if not current.isValid() else current
        chooser = self.view.selectionModel()
        chooser.blockSignals(True)
        chooser.select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        if current.isValid():
            flag = QItemSelectionModel.SelectionFlag.NoUpdate
            chooser.setCurrentIndex(current, flag)
            self.view.scrollTo(current)
        chooser.blockSignals(False)
        self.view.viewport().update()

    def _on_selected(self) -> None:
        rows = self.view.selectionModel().selectedIndexes()
        names = [self.model.names[index.row()] for index in rows]
        current = self.view.selectionModel().currentIndex()
        if current.isValid() and current.row() < len(self.model.names):
            first = self.model.names[current.row()]
            if first in names:
                names.remove(first)
                names.insert(0, first)
        if names:
            self.selected.emit(names)
