"""What the survey is expected to show, large and as a strip, and bars to draw the answers."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QStackedWidget, QWidget

from ppworkbench.analyses.designs.design import drawn_slices, expected_shares, redrawn
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.prior import Prior, sliced_edges
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.charts.histogram import HistogramPlot
from ppworkbench.gui.charts.legend import PictureLegend
from ppworkbench.gui.charts.shares import Histogram
from ppworkbench.gui.dialogs import ask_number
from ppworkbench.gui.language import own_words, tr
from ppworkbench.gui.numbers import percent, with_unit
from ppworkbench.gui.pages.design.texts import interval_words
from ppworkbench.gui.pages.design.view import DesignView
from ppworkbench.gui.theme import ThemeManager, smooth_painter
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Segmented
from ppworkbench.gui.widgets.layout import column, named, reserve_least, text
from ppworkbench.results.picture import answers_note
from ppworkbench.results.text import naming
from ppworkbench.study.study import PriorChoice


class DrawnBars(QWidget):
    """Bars with handles: dragging one rescales the others in proportion."""

    drawn = Signal(object, str)

    _drags = 0

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._shares: Numbers = np.ones(2) / 2
        self._labels: tuple[str, ...] = ("", "")
        self._chosen = 0
        self._gesture = ""
        self._held: tuple[float, float] = (0.0, 0.0)
        """Where the pointer took hold of a bar, and the share that it had there."""
        self._is_dragged = False
        self._top = 0.6
        self.setObjectName("drawnBars")
        self.setAccessibleName(self.tr("Expected distribution"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setToolTip(
            self.tr(
                "Drag a bar or use the arrow keys; double-click or press Enter to type a percentage"
            )
        )
        themes.theme_changed.connect(self.update)

    def show_shares(self, shares: Numbers, labels: tuple[str, ...]) -> None:
        self._shares, self._labels = shares, labels
        self._chosen = min(self._chosen, len(shares) - 1)
        if not self._gesture:
            self._top = min(1.0, max(0.3, float(shares.max()) * 1.35))
        self._describe()
        self.update()

    def _describe(self) -> None:
        chosen = self._chosen
        self.setAccessibleDescription(
            f"{self._labels[chosen]}: {percent(float(self._shares[chosen]))}"
        )

    def rows(self) -> list[list[str]]:
        shares = [percent(share, 1) for share in self._shares.tolist()]
        cells = [list(pair) for pair in zip(self._labels, shares, strict=True)]
        return [[self.tr("answer"), self.tr("expected share")], *cells]

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(400, 170)

    def _area(self) -> QRectF:
        return QRectF(8, 20, self.width() - 16, self.height() - 44)

    def _bar(self, i: int) -> QRectF:
        area = self._area()
        pitch = area.width() / len(self._shares)
        height = area.height() * min(float(self._shares[i]) / self._top, 1.0)
        width = min(pitch * 0.7, 60.0)
        left = area.left() + i * pitch + (pitch - width) / 2
        return QRectF(left, area.bottom() - height, width, height)

    def _at(self, position: QPointF) -> int:
        area = self._area()
        pitch = area.width() / len(self._shares)
        return int(np.clip((position.x() - area.left()) // pitch, 0, len(self._shares) - 1))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Take hold of the bar under the pointer; only a drag changes it."""
        DrawnBars._drags += 1
        self._gesture, self._is_dragged = f"draw {DrawnBars._drags}", False
        self._chosen = self._at(event.position())
        self._held = event.position().y(), float(self._shares[self._chosen])
        self._describe()
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        start, share = self._held
        risen = start - event.position().y()
        self._is_dragged |= abs(risen) >= QApplication.startDragDistance()
        if self._gesture and self._is_dragged:
            share += risen / self._area().height() * self._top
            self.set_share(self._chosen, share, self._gesture)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002, N802
        self._gesture = ""
        self.show_shares(self._shares, self._labels)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._chosen = self._at(event.position())
        self._type()

    def _type(self) -> None:
        now = float(self._shares[self._chosen]) * 100
        title, label = self.tr("Expected share"), self._labels[self._chosen]
        chosen = self._chosen
        ask_number(
            self, self._themes, title, f"{label}, %", now, (0.0, 100.0),
            lambda percent: self.set_share(chosen, percent / 100, ""),
        )  # fmt: skip

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrows choose a bar and move its top; Enter types a percentage."""
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            step = 1 if key == Qt.Key.Key_Right else -1
            self._chosen = int(np.clip(self._chosen + step, 0, len(self._shares) - 1))
            self._describe()
            self.update()
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            rise = 0.01 if key == Qt.Key.Key_Up else -0.01
            if not event.isAutoRepeat():
                DrawnBars._drags += 1
            share = float(self._shares[self._chosen]) + rise
            self.set_share(self._chosen, share, f"draw key {DrawnBars._drags}")
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._type()
        else:
            super().keyPressEvent(event)

    def set_share(self, chosen: int, share: float, gesture: str) -> None:
        """Give one answer a share; the others keep their proportions."""
        new = redrawn(self._shares, chosen, share)
        self._shares = new
        self._describe()
        self.update()
        self.drawn.emit(new, gesture)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme = self._themes.theme
        role = theme.role("original")
        painter = smooth_painter(self)
        area = self._area()
        painter.setFont(theme.font("caption"))
        metrics = painter.fontMetrics()
        pitch = area.width() / len(self._shares)
        for i, share in enumerate(self._shares.tolist()):
            bar = self._bar(i)
            painter.setPen(QPen(role.line, 1))
            painter.setBrush(role.tint)
            painter.drawRect(bar)
            focused = self.hasFocus() and i == self._chosen
            painter.setPen(QPen(theme.colour("focus") if focused else role.line, 2))
            painter.setBrush(theme.colour("surface"))
            painter.drawRoundedRect(QRectF(bar.left() - 3, bar.top() - 4, bar.width() + 6, 8), 4, 4)
            painter.setPen(theme.colour("text2"))
            if pitch >= 26:
                above = QRectF(bar.center().x() - pitch / 2, bar.top() - 22, pitch, 16)
                painter.drawText(above, Qt.AlignmentFlag.AlignCenter, percent(share))
            if pitch >= 18:
                below = QRectF(bar.center().x() - pitch / 2 + 2, area.bottom() + 5, pitch - 4, 16)
                label = metrics.elidedText(
                    self._labels[i], Qt.TextElideMode.ElideRight, int(below.width())
                )
                painter.drawText(below, Qt.AlignmentFlag.AlignCenter, label)
        painter.setPen(QPen(theme.colour("axis"), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())


def expected_histogram(report: AttributeReport, unit: str, names: dict[str, str]) -> Histogram:
    """The picture of what is expected; ``unit`` stands below an axis of numbers."""
    series, attribute = expected_shares(report), report.attribute
    about, note = naming((attribute,))(attribute.name), Message("")
    if any(one.low is not None for one in series):
        note = answers_note(report.utility.n, 0.95, is_expected=True)
    if attribute.kind.is_categorical:
        is_set = report.perturbation.reports_sets
        base = report.perturbation.sets.naming(attribute.k).h if is_set else None
        values = attribute.values
        return Histogram(series, values, names=names, base=base, about=about, note=note)
    about = with_unit(about, own_words(attribute.unit))
    domain = attribute.domain
    return Histogram(series, domain=domain, unit=unit, names=names, about=about, note=note)


def show_expected(view: DesignView, legend: PictureLegend, plot: HistogramPlot) -> bool:
    """Show what is expected of an attribute; whether anything can be reconstructed."""
    study, report = view.study, view.report
    is_data = study.choice(report.name).source == "data"
    names = {
        "original": tr("original") if is_data else tr("expected original"),
        "distorted": tr("named in sets") if view.perturbation.reports_sets else tr("distorted"),
        "reconstructed": tr("reconstructed ± 95\u202f%"),
    }
    expected = expected_histogram(report, study.shown(report.name), names)
    drawn = {one.role for one in expected.series}
    entries = tuple((role, words) for role, words in names.items() if role in drawn)
    legend.show_entries(entries, lines=report.attribute.kind.is_numeric)
    plot.show_histogram(expected)
    return "reconstructed" in drawn


class ShareStrip(QWidget):
    """The expected shares in small, below another picture."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._view: DesignView | None = None
        self.legend = PictureLegend(themes)
        self.plot = named(HistogramPlot(themes, self.tr("Expected shares")), "shareStrip")
        # The room above the highest bar is a share of the height: too little for half a number.
        item = self.plot.getPlotItem()
        left, top, right, bottom = item.getContentsMargins()
        item.setContentsMargins(left, top + 5, right, bottom)
        # A few times a second are enough beside a dot that is dragged.
        self._soon = single_shot(self, self._show, 80)
        column(self.legend, self.plot, parent=self, spacing=0).setStretch(1, 1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(400, self._themes.theme.px(120))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(160, self.sizeHint().height())

    def set_view(self, view: DesignView) -> None:
        """Show the expectation of the current attribute soon; another one at once."""
        is_other = self._view is None or self._view.name != view.name
        self._view = view
        if not self.isVisible():
            return
        if is_other:
            self._show()
        elif not self._soon.isActive():
            self._soon.start()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Catch up with what changed while there was no room."""
        super().showEvent(event)
        self._show()

    def _show(self) -> None:
        if self._view is not None and self.isVisible():
            show_expected(self._view, self.legend, self.plot)


_SLICES = 12
"""Equal parts of a numeric domain that can be drawn."""
_MOST_DRAWN = 30
"""Whole numbers up to so many are drawn one by one."""


def _slices(attribute: Attribute) -> int:
    values = int(attribute.width) + 1
    return values if attribute.kind is Kind.INTEGER and values <= _MOST_DRAWN else _SLICES


class Preview(Card):
    """A histogram of the three roles, or bars to draw on."""

    choice_made = Signal(object, str)
    """Which answers are expected, and the gesture that it is a part of."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(tr("Expected results"))
        self._view: DesignView | None = None
        self.source = Segmented(
            themes, self.tr("Source of expected answers"),
            [("data", self.tr("Data")), ("drawn", self.tr("Draw")),
             ("uniform", self.tr("Uniform"))],
        )  # fmt: skip
        self.source.setObjectName("priorSource")
        self.source.chosen.connect(self._on_source)
        self.head.addWidget(self.source)
        self.legend = PictureLegend(themes)
        self.plot = named(HistogramPlot(themes, self.tr("Expected results")), "preview")
        self._themes = themes
        reserve_least(self.plot, themes, height=120)
        self.bars = DrawnBars(themes)
        self.bars.drawn.connect(self._on_drawn)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.plot)
        self.stack.addWidget(self.bars)
        self.edit = Segmented(
            themes, self.tr("Draw or view"),
            [("draw", self.tr("Draw")), ("look", self.tr("View"))],
        )  # fmt: skip
        self.edit.setObjectName("drawOrLook")
        self.edit.chosen.connect(lambda _: self._choose_view())
        self.absent = text("", "warning", wrap=True)
        self.absent.hide()
        self.body.addWidget(self.legend)
        self.body.addWidget(self.absent)
        self.body.addWidget(self.stack, 1)
        self.head.insertWidget(self.head.count() - 1, self.edit)
        # The tab says enough where there is no room for all three.
        self.title_label.setMinimumWidth(1)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Leave the heading out where it would be cut; the tab says the same."""
        super().resizeEvent(event)
        self._fit_title()

    def _fit_title(self) -> None:
        beside = (self.source,) if self.edit.isHidden() else (self.edit, self.source)
        self.show_title_beside(*beside)

    def set_view(self, view: DesignView) -> None:
        """Show the expectation of the current attribute, once the card is in front."""
        self._view = view
        if self.isVisible():
            self._show(view)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Catch up with what changed while another card was in front."""
        super().showEvent(event)
        if self._view is not None:
            self._show(self._view)

    def _show(self, view: DesignView) -> None:
        study, choice = view.study, view.study.choice(view.name)
        self.source.set_current(choice.source)
        no_data = {"data": self.tr("There are no answers to take the distribution from.")}
        self.source.set_disabled({} if study.data_prior(view.name) is not None else no_data)
        self.edit.setVisible(choice.source == "drawn")
        self._fit_title()
        is_complete = show_expected(view, self.legend, self.plot)
        self.absent.setText("" if is_complete else self._why_absent(view.report))
        labels, weights = _drawing(view.attribute, choice)
        self.bars.show_shares(weights, labels)
        self._choose_view()

    def _why_absent(self, report: AttributeReport) -> str:
        if report.matrix is None:
            return self.tr(
                "Nothing can be reconstructed: the reported numbers carry too little information."
            )
        return self.tr("Nothing can be reconstructed: the matrix is singular.")

    def _choose_view(self) -> None:
        drawing = self.source.current == "drawn" and self.edit.current == "draw"
        self.stack.setCurrentWidget(self.bars if drawing else self.plot)
        self.legend.setVisible(not drawing)
        self.absent.setVisible(not drawing and bool(self.absent.text()))

    def _on_source(self, source: str) -> None:
        view = self._view
        if view is None:
            return
        weights = view.study.choices.get(view.name, PriorChoice()).weights
        if source == "drawn" and not weights:
            # Drawing begins with what is expected now.
            weights = _drawn_weights(view.study.prior(view.name), view.attribute)
        self.choice_made.emit(PriorChoice(source, weights), "")

    def _on_drawn(self, shares: Numbers, gesture: str) -> None:
        weights = tuple(float(share) for share in shares)
        self.choice_made.emit(PriorChoice("drawn", weights), gesture)


def _drawing(attribute: Attribute, choice: PriorChoice) -> tuple[tuple[str, ...], Numbers]:
    if attribute.kind.is_categorical:
        labels = attribute.values
    else:
        edges = sliced_edges(attribute, len(choice.weights) or _slices(attribute))
        shown = Prior.from_weights(attribute, np.ones(len(edges) - 1), edges)
        labels = tuple(interval_words(shown.label(i)) for i in range(len(edges) - 1))
    weights = np.array(choice.weights, np.float64)
    if len(weights) != len(labels) or weights.sum() <= 0:
        weights = np.ones(len(labels))
    return labels, weights / weights.sum()


def _drawn_weights(prior: Prior, attribute: Attribute) -> tuple[float, ...]:
    if prior.edges is None:
        return tuple(prior.probabilities.tolist())
    return drawn_slices(prior, attribute, _slices(attribute))
