"""Estimated support against the true one, point by point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent

from ppworkbench.gui.pages.mine.listing import RAW, SUPPORT, TRUE, Listing
from ppworkbench.gui.pages.mine.points_item import PointsItem
from ppworkbench.gui.pages.mine.words import points, share
from ppworkbench.gui.plots.hover_box import draw_hover_box
from ppworkbench.gui.plots.plot import Plot, Rows
from ppworkbench.gui.plots.ticks import number_ticks
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.words import number

_NEAR = 12.0
"""Pixels from the pointer to a point that is still meant."""
_MOST_ROWS = 100_000
_FEW_ROWS = 1_000


@dataclass(frozen=True, eq=False)
class Cloud:
    """The rows of a listing whose truth is known."""

    listing: Listing
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
        self._cloud: Cloud | None = None
        self._hover: tuple[QPointF, int] | None = None
        self._chosen = -1
        self._item = PointsItem()
        super().__init__(themes, name)
        self.addItem(self._item)
        self.rows = self._table
        self.hovered.connect(self._on_hovered)
        for side in ("left", "bottom"):
            self.getAxis(side).setStyle(tickTextOffset=5, hideOverlappingLabels=False)
        self.getPlotItem().setContentsMargins(0, 6, 14, 0)

    def sizeHint(self) -> QSize:  # noqa: N802
        """About square."""
        return QSize(240, 170)

    @property
    def cloud(self) -> Cloud | None:
        """What is shown."""
        return self._cloud

    @property
    def chosen(self) -> int:
        """The place of the point in front, -1 for none."""
        return self._chosen

    def show_listing(self, listing: Listing | None, *, stale: bool = False) -> None:
        """Show another listing; one without truth shows nothing."""
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
        """Draw again in the new colours."""
        self._item.set_theme(self.themes.theme)
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
        parts = (listing.values[TRUE], listing.values[SUPPORT], listing.low, listing.high)
        found = [tuple(float(numbers[place]) for numbers in parts) for place in sorted(shown)]
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
        """Choose the point under the pointer."""
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
            entries.append(("distorted", self.tr("raw, uncorrected")))
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
            found.append(("distorted", self.tr("raw"), share(float(listing.values[RAW][place]))))
        found.append(("original", self.tr("true"), share(float(listing.values[TRUE][place]))))
        return found

    # Words

    def summary(self) -> str:
        """The picture in a sentence, for screen readers."""
        cloud = self._cloud
        if cloud is None or not len(cloud.rows):
            return ""
        values, rows = cloud.listing.values, cloud.rows
        off = np.abs(values[SUPPORT][rows] - values[TRUE][rows]).mean()
        words = self.tr("%s itemsets; estimates are %s points off on average")
        told = words % (number(len(rows)), points(float(off)))
        if RAW not in values:
            return told
        raw = np.abs(values[RAW][rows] - values[TRUE][rows]).mean()
        return self.tr("%s, raw counts %s points") % (told, points(float(raw)))

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
        head = {TRUE: self.tr("true"), SUPPORT: self.tr("estimated"), RAW: self.tr("raw")}
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
