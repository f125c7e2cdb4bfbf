"""Estimated against true supports, a point for each itemset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QTransform
from PySide6.QtWidgets import QStackedWidget

from ppworkbench.analyses.mining.tables import RAW, SUPPORT, TRUE, ItemsetTable
from ppworkbench.core.arrays import Numbers
from ppworkbench.gui.charts.axes import number_ticks
from ppworkbench.gui.charts.chart import PixelItem, Plot, Rows, draw_hover_box
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.mine.texts import points, share, truth_words
from ppworkbench.gui.pages.mine.view import MineView
from ppworkbench.gui.theme import ThemeManager, clear_pixmap, set_outline, smooth_painter
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import named, text
from ppworkbench.gui.widgets.provenance import marked_invented

_GRAIN = 3.0
"""Points nearer to each other than so many pixels are drawn as one: a picture of a hundred thousand
itemsets takes no longer than one of a thousand."""
_RADIUS = 3.4
_FEW = 600
"""So many marks are drawn in a moment."""


class PointsItem(PixelItem):
    """All points of a plot as one item."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._x, self._y, self._raw = np.empty(0), np.empty(0), np.empty(0)
        self._reach = 1.0
        self._bounds = QRectF(0, 0, 1, 1)
        self._grid: tuple[float, ...] = ()
        self._chosen: tuple[tuple[float, float, float, float], ...] = ()
        self._picture: tuple[tuple[Any, ...], QPixmap] | None = None
        self.is_stale = False

    def show_points(
        self, x: Numbers, y: Numbers, raw: Numbers, reach: float, grid: tuple[float, ...]
    ) -> None:
        """Draw other points; ``raw`` may be empty."""
        self._x, self._y, self._raw = x, y, raw
        self._reach, self._grid = reach, grid
        self._picture = None
        self.cover(QRectF(0, 0, reach, reach))

    def choose(self, chosen: tuple[tuple[float, float, float, float], ...]) -> None:
        """Bring some points to the front, each as x, y and the ends of its interval."""
        self._chosen = chosen
        self.update()

    def draw(self, painter: QPainter, to_device: QTransform) -> None:
        """Grid and line first, then raw rings, then the estimates."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_lines(painter, to_device)
        self._draw_cloud(painter, to_device)
        for one in self._chosen:
            self._draw_chosen(painter, to_device, one)

    def _draw_cloud(self, painter: QPainter, device: QTransform) -> None:
        """All points; many of them are drawn once and kept as a picture."""
        if len(self._x) < _FEW:
            self._draw_raw(painter, device)
            self._draw_estimates(painter, device)
            return
        ratio = painter.device().devicePixelRatioF()
        area = device.mapRect(self.boundingRect()).adjusted(-8, -8, 8, 8).toAlignedRect()
        key = (device.m11(), device.m22(), device.dx(), device.dy(), ratio, self.is_stale)
        if self._picture is None or self._picture[0] != key:
            picture = clear_pixmap(area.size(), ratio)
            inner = smooth_painter(picture)
            inner.translate(-area.topLeft())
            self._draw_raw(inner, device)
            self._draw_estimates(inner, device)
            inner.end()
            self._picture = key, picture
        painter.drawPixmap(area.topLeft(), self._picture[1])

    def draw_mark(self, painter: QPainter, role: str, at: QPointF, *, rimmed: bool = False) -> None:
        """Draw one mark of a role; a rim of the ground keeps neighbours apart."""
        if role == "distorted":
            set_outline(painter, QPen(self._ink(role), 1.4))
            painter.drawEllipse(at, _RADIUS - 0.6, _RADIUS - 0.6)
            return
        rim = QPen(self._themes.theme.colour("surface"), 0.8)
        painter.setPen(rim if rimmed else Qt.PenStyle.NoPen)
        painter.setBrush(self._ink(role))
        painter.drawEllipse(at, _RADIUS + 0.2, _RADIUS + 0.2)

    def _ink(self, role: str) -> QColor:
        theme = self._themes.theme
        return theme.colour("outline") if self.is_stale else theme.role(role).fill

    def _draw_lines(self, painter: QPainter, device: QTransform) -> None:
        painter.setPen(QPen(self._themes.theme.colour("grid"), 1))
        reach = self._reach
        for value in self._grid:
            for start, end in (((value, 0.0), (value, reach)), ((0.0, value), (reach, value))):
                painter.drawLine(QLineF(device.map(QPointF(*start)), device.map(QPointF(*end))))
        painter.setPen(QPen(self._themes.theme.colour("outline"), 1.2))
        painter.drawLine(QLineF(device.map(QPointF(0, 0)), device.map(QPointF(reach, reach))))

    def _draw_raw(self, painter: QPainter, device: QTransform) -> None:
        if len(self._raw):
            self._draw_marks(painter, "distorted", thinned(self._x, self._raw, device))

    def _draw_estimates(self, painter: QPainter, device: QTransform) -> None:
        self._draw_marks(painter, "reconstructed", thinned(self._x, self._y, device))

    def _draw_marks(self, painter: QPainter, role: str, points: Numbers) -> None:
        if len(points) < _FEW:
            for x, y in points.tolist():
                self.draw_mark(painter, role, QPointF(x, y), rimmed=True)
            return
        # A picture of a mark is put down ten times faster than a circle is drawn.
        ratio = painter.device().devicePixelRatioF()
        side = 2 * _RADIUS + 4
        stamp = QPixmap(round(side * ratio), round(side * ratio))
        stamp.setDevicePixelRatio(ratio)
        stamp.fill(Qt.GlobalColor.transparent)
        inner = smooth_painter(stamp)
        self.draw_mark(inner, role, QPointF(side / 2, side / 2), rimmed=True)
        inner.end()
        for x, y in (points - side / 2).tolist():
            painter.drawPixmap(QPointF(x, y), stamp)

    def _draw_chosen(
        self, painter: QPainter, device: QTransform, one: tuple[float, float, float, float]
    ) -> None:
        x, y, low, high = one
        at = device.map(QPointF(x, y))
        painter.setPen(QPen(self._themes.theme.colour("text"), 1.5))
        if np.isfinite(low) and np.isfinite(high):
            ends = [device.map(QPointF(x, min(max(v, 0.0), self._reach))).y() for v in (low, high)]
            painter.drawLine(QLineF(at.x(), ends[0], at.x(), ends[1]))
            for end in ends:
                painter.drawLine(QLineF(at.x() - 4, end, at.x() + 4, end))
        painter.setBrush(self._ink("reconstructed"))
        painter.drawEllipse(at, _RADIUS + 1.6, _RADIUS + 1.6)


def thinned(x: Numbers, y: Numbers, device: QTransform) -> Numbers:
    """Points in pixels, one of those that share a grain."""
    if not len(x):
        return np.empty((0, 2))
    across = x * device.m11() + device.dx()
    down = y * device.m22() + device.dy()
    if len(x) >= _FEW:
        # Cells are marked on a grid, which is ten times faster than to sort the points.
        columns = np.round((across - across.min()) / _GRAIN).astype(np.intp)
        rows = np.round((down - down.min()) / _GRAIN).astype(np.intp)
        wide = int(columns.max()) + 1
        marked = np.zeros((int(rows.max()) + 1) * wide, bool)
        marked[rows * wide + columns] = True
        cells = np.flatnonzero(marked)
        across = across.min() + _GRAIN * (cells % wide)
        down = down.min() + _GRAIN * (cells // wide)
    return np.column_stack([across, down])


_NEAR = 12.0
"""Pixels from the pointer to a point that is still meant."""
_MOST_ROWS = 100_000
_FEW_ROWS = 1_000


@dataclass(frozen=True, eq=False)
class Cloud:
    """The rows of a listing whose truth is known."""

    listing: ItemsetTable
    rows: np.ndarray

    @property
    def reach(self) -> float:
        """Where the axes end."""
        values = self.listing.values
        parts = [values[name][self.rows] for name in (SUPPORT, RAW, TRUE) if name in values]
        highest = max((float(np.nanmax(part, initial=0.0)) for part in parts), default=0.0)
        return min(max(highest * 1.05, 0.002), 1.0)


class TruthPlot(Plot):
    """A point under the pointer tells its numbers; a click chooses it."""

    place_chosen = Signal(int)
    """The place in the listing of the point that was clicked."""

    def __init__(self, themes: ThemeManager, name: str) -> None:
        self._shown: tuple[ItemsetTable | None, bool] = None, False
        self._cloud: Cloud | None = None
        self._hover: tuple[QPointF, int] | None = None
        self._chosen = -1
        self._item = PointsItem(themes)
        super().__init__(themes, name)
        self.addItem(self._item)
        self.rows = self._table
        self.hovered.connect(self._on_hovered)
        for side in ("left", "bottom"):
            self.getAxis(side).setStyle(tickTextOffset=5, hideOverlappingLabels=False)
        self.getPlotItem().setContentsMargins(0, 6, 14, 0)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(240, 170)

    @property
    def chosen(self) -> int:
        """The place of the point in front, -1 for none."""
        return self._chosen

    def show_listing(self, listing: ItemsetTable | None, *, stale: bool = False) -> None:
        """Show another listing; one without truth shows nothing."""
        if self._shown == (listing, stale):
            return
        self._shown = listing, stale
        self._hover, self._chosen = None, -1
        self._item.is_stale = stale
        if listing is None or TRUE not in listing.values:
            self._cloud = None
        else:
            self._cloud = Cloud(listing, np.flatnonzero(np.isfinite(listing.values[TRUE])))
        self._redraw()
        self.setAccessibleDescription(self.summary())

    def choose(self, place: int) -> None:
        """Bring a point of the listing to the front without announcing it; -1 for none."""
        if place != self._chosen:
            self._chosen = place
            self._mark()

    def retheme(self) -> None:
        self.label_axes(bottom=self.tr("true support"))
        size = self.themes.theme.font("caption").pixelSize()
        self.getAxis("bottom").setHeight(2 * size + 13)
        self._redraw()

    def _redraw(self) -> None:
        cloud = self._cloud
        if cloud is None:
            self._item.show_points(np.empty(0), np.empty(0), np.empty(0), 1.0, ())
            return
        reach, values, rows = cloud.reach, cloud.listing.values, cloud.rows
        ticks = number_ticks(0.0, 100 * reach, 7)
        named = [(value / 100, f"{words} %") for value, words in ticks]
        self.setXRange(0.0, reach, padding=0.0)
        self.setYRange(0.0, reach, padding=0.0)
        for side in ("left", "bottom"):
            self.getAxis(side).setTicks([named])
        raw = values[RAW][rows] if RAW in values else np.empty(0)
        grid = tuple(value for value, _ in named)
        estimate = np.clip(values[SUPPORT][rows], 0.0, 1.0)
        self._item.show_points(values[TRUE][rows], estimate, raw, reach, grid)
        self._mark()

    def _mark(self) -> None:
        shown = {self._chosen, self._hover[1] if self._hover is not None else -1} - {-1}
        cloud = self._cloud
        if cloud is None:
            self._item.choose(())
            return
        listing = cloud.listing
        true, estimate, low, high = (
            listing.values[TRUE], listing.values[SUPPORT], listing.low, listing.high,
        )  # fmt: skip
        found = [
            (float(true[place]), float(estimate[place]), float(low[place]), float(high[place]))
            for place in sorted(shown)
        ]
        self._item.choose(tuple(one for one in found if np.isfinite(one[0])))

    # Pointer

    def place_at(self, point: QPointF) -> int:
        """The place of the estimate or raw point that is meant by a point; -1 for none."""
        cloud = self._cloud
        if cloud is None or not len(cloud.rows):
            return -1
        box = self.getPlotItem().getViewBox()
        size = box.viewPixelSize()
        values, rows = cloud.listing.values, cloud.rows
        across = ((values[TRUE][rows] - point.x()) / size[0]) ** 2
        nearest, best = -1, _NEAR**2
        for name in (SUPPORT, RAW):
            if name in values:
                away = across + ((values[name][rows] - point.y()) / size[1]) ** 2
                place = int(np.argmin(away))
                if away[place] < best:
                    nearest, best = int(rows[place]), float(away[place])
        return nearest

    def _on_hovered(self, point: QPointF | None) -> None:
        before = self._hover
        self._hover = None
        if point is not None:
            place = self.place_at(point)
            if place >= 0:
                position = self.getPlotItem().getViewBox().mapViewToScene(point)
                self._hover = QPointF(self.mapFromScene(position)), place
        if (before is None) != (self._hover is None) or self._hover is not None:
            self._mark()
            self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        box = self.getPlotItem().getViewBox()
        place = self.place_at(box.mapSceneToView(self.mapToScene(event.position().toPoint())))
        if place >= 0:
            self.place_chosen.emit(place)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw the plot, and the box of values at the pointer."""
        super().paintEvent(event)
        if self._cloud is None:
            return
        painter = QPainter(self.viewport())
        self._draw_legend(painter)
        if self._hover is None:
            painter.end()
            return
        at, place = self._hover
        size = self.viewport().size()
        title = painter.fontMetrics().elidedText(
            self._cloud.listing.name(place), Qt.TextElideMode.ElideRight, size.width() - 40
        )
        draw_hover_box(painter, self.themes.theme, at, size, title, self._entries(place))
        painter.end()

    def _draw_legend(self, painter: QPainter) -> None:
        """In the upper left corner: where estimates are frequent and the truth is not."""
        assert self._cloud is not None  # noqa: S101 (seen by the caller)
        theme, values = self.themes.theme, self._cloud.listing.values
        corner = self.mapFromScene(self.getPlotItem().getViewBox().sceneBoundingRect().topLeft())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font("caption"))
        entries = [("reconstructed", self.tr("estimated"))]
        if RAW in values:
            entries.append(("distorted", self.tr("uncorrected")))
        step = painter.fontMetrics().height() + 3
        for line, (role, words) in enumerate(entries):
            at = QPointF(corner.x() + 14, corner.y() + 8 + step * (line + 0.5))
            self._item.draw_mark(painter, role, at)
            painter.setPen(theme.colour("text2"))
            area = QRectF(at.x() + 10, at.y() - step / 2, 200, step)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, words)

    def _entries(self, place: int) -> list[tuple[str, str, str]]:
        assert self._cloud is not None  # noqa: S101 (seen by the caller)
        listing = self._cloud.listing
        estimate = share(float(listing.values[SUPPORT][place]))
        if np.isfinite(listing.low[place]):
            ends = points(float(listing.low[place])), points(float(listing.high[place]))
            estimate = self.tr("%s (%s to %s)") % (estimate, *ends)
        found = [("reconstructed", self.tr("estimated"), estimate)]
        if RAW in listing.values:
            found.append(
                ("distorted", self.tr("uncorrected"), share(float(listing.values[RAW][place])))
            )
        found.append(
            (
                "original",
                marked_invented(self.tr("true")),
                share(float(listing.values[TRUE][place])),
            )
        )
        return found

    # Words

    def summary(self) -> str:
        cloud = self._cloud
        if cloud is None or not len(cloud.rows):
            return ""
        values, rows = cloud.listing.values, cloud.rows
        off = np.abs(values[SUPPORT][rows] - values[TRUE][rows]).mean()
        words = self.tr("%s itemsets; mean absolute error %s points")
        told: str = words % (number(len(rows)), points(float(off)))
        if RAW not in values:
            return told
        raw = np.abs(values[RAW][rows] - values[TRUE][rows]).mean()
        both: str = self.tr("%s, uncorrected %s points")
        return both % (told, points(float(raw)))

    @property
    def total(self) -> int:
        """How many rows the table has."""
        return 0 if self._cloud is None else len(self._cloud.rows)

    def few_rows(self) -> Rows:
        """As many rows of the table as can be written without anybody noticing."""
        return self._table(_FEW_ROWS)

    def _table(self, most: int = _MOST_ROWS) -> Rows:
        cloud = self._cloud
        if cloud is None:
            return []
        listing = cloud.listing
        names = [name for name in (TRUE, SUPPORT, RAW) if name in listing.values]
        head = {
            TRUE: marked_invented(self.tr("true")),
            SUPPORT: self.tr("estimated"),
            RAW: self.tr("uncorrected"),
        }
        rows = [
            [
                listing.name(place),
                *(f"{listing.values[name][place]:.6g}" for name in names),
                f"{listing.low[place]:.6g}",
                f"{listing.high[place]:.6g}",
            ]
            for place in cloud.rows[:most].tolist()
        ]
        ends = [self.tr("interval from"), self.tr("interval to")]
        return [[self.tr("itemset"), *(head[name] for name in names), *ends], *rows]


class TruthCard(Card):
    """One point per itemset; the plot is a part of its own."""

    place_chosen = Signal(int)
    """The place in the listing of the point that was clicked."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=14)
        self.body.setSpacing(2)
        self.add(text(self.tr("Estimated against true support"), "strong"))
        self.hint = ElidedLabel("captionHint", lines=2)
        self.hint.setText(self.tr("one point per itemset; original answers known"))
        self.add(self.hint)
        self.words = named(text("", "hint", wrap=True), "truthWords")
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.plot = named(TruthPlot(themes, self.tr("Estimated against true support")), "truthPlot")
        self.plot.place_chosen.connect(self.place_chosen)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.words)
        self.stack.addWidget(self.plot)
        self.body.addWidget(self.stack, 1)
        self.setMinimumHeight(themes.theme.px(190))

    def set_view(self, view: MineView) -> None:
        """Show how far the itemsets are from the truth, or why nobody knows."""
        words = truth_words(view.run)
        listing = None if words or view.run is None else view.run.sets
        self.plot.show_listing(listing, stale=view.is_stale)
        self.plot.choose(view.chosen)
        self.words.setText(words)
        self.hint.setVisible(listing is not None)
        self.stack.setCurrentWidget(self.words if listing is None else self.plot)
