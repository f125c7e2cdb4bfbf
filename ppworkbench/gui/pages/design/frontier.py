"""The best trade between privacy and information loss."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtGui import QBrush, QPen
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QWidget

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation
from ppworkbench.core.privacy.optimiser import EXPOSURES, FrontierPoint
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.goal_seek import MEASURES
from ppworkbench.gui.charts.axes import number_ticks
from ppworkbench.gui.charts.chart import Plot, Rows
from ppworkbench.gui.dialogs import resize_dialog
from ppworkbench.gui.language import told_error, tr, translate
from ppworkbench.gui.numbers import number, significant
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button, ProgressBar
from ppworkbench.gui.widgets.layout import column, row, text
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.analyses.design import FRONTIER_MEASURE, FrontierCurves, search_frontier

_MEASURES = tuple((name, MEASURES[name].title) for name in EXPOSURES if MEASURES[name].is_in_window)


class FrontierPlot(Plot):
    """Loss against privacy: the uniform family, the best matrices, and the design of now."""

    def __init__(self, themes: ThemeManager) -> None:
        self._curves: FrontierCurves | None = None
        self._now: tuple[float, float] | None = None
        self._chosen: int | None = None
        self._items: list[pg.GraphicsObject] = []
        super().__init__(themes, tr("Information loss against privacy"))
        self.rows = self._table
        self.setMinimumHeight(260)

    def show_curves(self, curves: FrontierCurves | None, chosen: int | None) -> None:
        """Draw other curves; ``chosen`` is the point that would be applied."""
        self._curves, self._chosen = curves, chosen
        self.retheme()

    def points(self) -> tuple[FrontierPoint, ...]:
        """The points of the best family."""
        return () if self._curves is None else tuple(self._curves[1].points)

    def nearest(self, point: QPointF) -> int | None:
        """The point of the best family that is nearest to a place in the plot."""
        if not self.points():
            return None
        box = self.getPlotItem().getViewBox()
        here = box.mapViewToScene(point)
        gaps = []
        for one in self.points():
            there = box.mapViewToScene(QPointF(one.privacy, one.information_loss))
            gaps.append((there.x() - here.x()) ** 2 + (there.y() - here.y()) ** 2)
        return int(np.argmin(gaps))

    def retheme(self) -> None:
        """Draw everything in the colours of the theme."""
        for item in self._items:
            self.removeItem(item)
        self._items = []
        if self._curves is None:
            return
        theme = self.themes.theme
        privacy = [point.privacy for curve in self._curves for point in curve.points]
        ticks = number_ticks(min(privacy), max(privacy), 8) if privacy else []
        self.getAxis("bottom").setTicks([ticks])
        for curve, colour, style in zip(
            self._curves, (theme.colour("outline"), theme.colour("accentInk")),
            (Qt.PenStyle.DashLine, Qt.PenStyle.SolidLine), strict=True,
        ):  # fmt: skip
            x = np.array([p.privacy for p in curve.points])
            y = np.array([p.information_loss for p in curve.points])
            pen = QPen(colour, 2, style)
            pen.setCosmetic(True)
            self._items.append(pg.PlotDataItem(x, y, pen=pen, antialias=True))
            ground = QBrush(theme.colour("surface"))
            dots = pg.ScatterPlotItem(x, y, size=8, pen=pg.mkPen(colour, width=1.5), brush=ground)
            self._items.append(dots)
        if self._chosen is not None and self._chosen < len(self.points()):
            one = self.points()[self._chosen]
            pen = pg.mkPen(theme.colour("accent"), width=2)
            fill = QBrush(theme.colour("accentTint"))
            place = [one.privacy], [one.information_loss]
            ring = pg.ScatterPlotItem(*place, size=14, pen=pen, brush=fill)
            self._items.append(ring)
        for item in self._items:
            self.addItem(item)

    def _table(self) -> Rows:
        heads = [
            self.tr("family"), self.tr("privacy"), self.tr("information loss"),
            self.tr("mechanism"),
        ]  # fmt: skip
        if self._curves is None:
            return [heads]
        return [heads] + [
            [
                curve.family,
                f"{p.privacy:.4f}",
                f"{p.information_loss:.4f}",
                p.perturbation.summary(),
            ]
            for curve in self._curves
            for p in curve.points
        ]


class FrontierDialog(QDialog):
    """Works the frontier out as a job; a chosen point becomes the design of the attribute."""

    def __init__(self, workbench: Workbench, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Privacy–accuracy frontier for %s") % name)
        self.workbench = workbench
        self._name = name
        self._chosen: int | None = None
        self._task: PageTask[FrontierCurves] = PageTask(workbench, "frontier", self)
        themes = workbench.themes
        self.measure = QComboBox()
        self.measure.setObjectName("frontierMeasure")
        self.measure.setAccessibleName(self.tr("Privacy measure"))
        # Qt counts the room of enlarged words a little short.
        self.measure.setMinimumContentsLength(max(len(translate(label)) for _, label in _MEASURES))
        for key, label in _MEASURES:
            self.measure.addItem(translate(label), key)
        self.measure.activated.connect(lambda _: self.start())
        self.plot = FrontierPlot(themes)
        self.plot.setObjectName("frontierPlot")
        self.plot.scene().sigMouseClicked.connect(self._on_clicked)
        self.bar = ProgressBar()
        self.state = text("", "hint", wrap=True)
        self.apply = Button(themes, self.tr("Apply"), look="primary")
        self.apply.setObjectName("applyPoint")
        self.apply.setEnabled(False)
        self.apply.clicked.connect(self._on_apply)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.addButton(self.apply, QDialogButtonBox.ButtonRole.ApplyRole)
        buttons.rejected.connect(self.reject)
        legend = self.tr(
            "Dashed: uniform family. Solid: optimal matrices. Lower is more accurate, "
            "further left more private. Click a point to choose it."
        )
        card = Card()
        card.add(self.plot, 1)
        column(
            row(text(self.tr("Privacy measure"), "label"), self.measure, None),
            card, text(legend, "captionHint", wrap=True), self.bar, self.state, buttons,
            parent=self, margin=16, spacing=10,
        ).setStretch(1, 1)  # fmt: skip
        resize_dialog(self, 720, 560)
        self._task.progressed.connect(lambda: self.bar.show_share(self._task.done))
        self._task.finished.connect(self._show)
        self._task.failed.connect(lambda error: self.state.setText(told_error(error)))
        self._task.changed.connect(lambda: self.bar.setVisible(self._task.is_running))
        self.start()

    def start(self) -> None:
        """Work the frontier out for the chosen measure."""
        study = self.workbench.store.study
        attribute = study.design[self._name].attribute
        prior, n = study.prior(self._name), study.settings.respondents
        measure = str(self.measure.currentData())

        self._chosen = None
        self.apply.setEnabled(False)
        self.state.setText(self.tr("Searching…"))
        self._task.start(
            self.tr("Privacy–accuracy frontier for %s") % self._name,
            lambda progress: search_frontier(attribute, prior, n, measure, progress),
        )
        label = self.measure.currentText()
        self.plot.label_axes(bottom=label, left=self.tr("expected information loss"))

    def _show(self, curves: FrontierCurves) -> None:
        self.plot.show_curves(curves, None)
        self.plot.autoRange(padding=0.06)
        self.state.setText(self.tr("Click a point to see its design."))

    def _on_clicked(self, event: object) -> None:
        position = self.plot.getPlotItem().getViewBox().mapSceneToView(event.scenePos())  # type: ignore[attr-defined]
        chosen = self.plot.nearest(position)
        if chosen is not None:
            self.choose(chosen)

    def choose(self, chosen: int) -> None:
        """Mark a point and say what it would mean."""
        self._chosen = chosen
        point = self.plot.points()[chosen]
        self.plot.show_curves(self.plot._curves, chosen)  # noqa: SLF001 (its own plot)
        words = self.tr("%s %s, expected information loss %s: %s")
        self.state.setText(
            words % (self.measure.currentText(), significant(point.privacy),
                     number(point.information_loss, 3), translate(point.perturbation.summary()))
        )  # fmt: skip
        self.apply.setEnabled(True)

    def _on_apply(self) -> None:
        if self._chosen is not None:
            perturbation: Perturbation = self.plot.points()[self._chosen].perturbation
            self.workbench.store.set_perturbation([self._name], perturbation)
            self.accept()

    def done(self, result: int) -> None:
        """Stop the search when the dialog goes away."""
        self._task.drop()
        super().done(result)


_Asked = tuple[Attribute, bytes, int]


class FrontierSearch(QObject):
    """Remembers the last curves: dragging a slider changes the design, not the frontier."""

    changed = Signal()

    def __init__(self, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._asked: _Asked | None = None
        self._found: tuple[_Asked, FrontierCurves] | None = None
        self._work: tuple[Attribute, Prior, int] | None = None
        self._task: PageTask[FrontierCurves] = PageTask(workbench, "compare", self)
        self._task.finished.connect(self._on_found)
        self._task.failed.connect(lambda _: self.changed.emit())
        self._task.stopped.connect(self.changed)
        self._wait = single_shot(self, self._start, 250)

    @property
    def curves(self) -> FrontierCurves | None:
        """The curves of the attribute that was asked for; older ones until new ones are found."""
        if self._found is None or self._asked is None or self._found[0][0] != self._asked[0]:
            return None
        return self._found[1]

    @property
    def is_searching(self) -> bool:
        """Whether other curves are on their way."""
        return self._task.is_running or self._wait.isActive()

    def ask(self, attribute: Attribute, prior: Prior, n: int) -> None:
        """Want the curves of an attribute; nothing happens if they are known or on their way."""
        asked = attribute, prior.probabilities.tobytes(), n
        if asked == self._asked:
            return
        self._asked = asked
        self._task.drop()
        if self._found is not None and self._found[0] == asked:
            self._wait.stop()
            return
        self._work = attribute, prior, n
        self._wait.start()

    def stop(self) -> None:
        """Want nothing any more; what was found stays."""
        self._wait.stop()
        self._task.drop()
        self._asked = None

    def _start(self) -> None:
        assert self._work is not None  # noqa: S101 (asked for)
        attribute, prior, n = self._work
        self._task.start(
            self.tr("Privacy–accuracy frontier for %s") % attribute.name,
            lambda progress: search_frontier(attribute, prior, n, FRONTIER_MEASURE, progress),
        )

    def _on_found(self, curves: FrontierCurves) -> None:
        if self._asked is not None:
            self._found = self._asked, curves
        self.changed.emit()
