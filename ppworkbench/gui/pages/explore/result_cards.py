"""Pictures, curves and what to see in them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLabel, QWidget

from ppworkbench.analyses.experiments.draws import Draw
from ppworkbench.analyses.experiments.repeats import Losses, losses_picture
from ppworkbench.analyses.experiments.runs import Run
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.message import Message
from ppworkbench.gui.charts.comparison import ComparisonPlot
from ppworkbench.gui.charts.curves import Curve, CurvePlot, Curves
from ppworkbench.gui.charts.legend import PictureLegend
from ppworkbench.gui.charts.looks import is_series, series_look
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.charts.shares import Histogram, fits_bars
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number, percent, significant
from ppworkbench.gui.pages.explore.scrubber import Scrubber
from ppworkbench.gui.pages.explore.view import ResultView, title_of
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card, EmptyReason, EmptyState
from ppworkbench.gui.widgets.controls import IconLabel, Segmented
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import column, line, named, row, stack, text
from ppworkbench.gui.widgets.provenance import marked_invented
from ppworkbench.gui.widgets.sizes import is_large_text
from ppworkbench.results.picture import Axis, Interval, Shares, answers_note, intervals
from ppworkbench.results.sheet import Kind

_EARLY = 0.22
"""The likelihood is shown from this share of the logarithmic scale on; before, it leaps."""


def comparison(view: ResultView) -> Histogram:
    """What was counted and estimated, the other algorithms last."""
    draw, readings = view.result.draw, view.readings
    focus, edges = readings.get(view.focus), _edges(draw)
    series = [] if draw.original is None else [Shares("original", draw.original, edges)]
    distorted_edges = edges if draw.distorted_edges is None else draw.distorted_edges
    series.append(Shares("distorted", draw.distorted, distorted_edges))
    if focus is not None:
        series.append(Shares("reconstructed", focus.probability, edges, focus.low, focus.high))
    for name in view.others:
        if name in readings:
            one, look = readings[name], series_look(view.places[name])
            shares = one.probability, edges, one.low, one.high
            series.append(Shares(look, *shares, title_of(name)))
    return _histogram(view, tuple(series))


def distorted_words(draw: Draw) -> str:
    """What the distorted shares are: of sets, those that name a value, and what chance alone names.

    A value that is nobody's answer is still named as often as that.
    """
    if not draw.sets:
        # Without the true answers these are what people reported, and nothing was drawn here.
        return tr("reported") if draw.original is None else marked_invented(tr("distorted"))
    return tr("named in sets (%s by chance)") % percent(_by_chance(draw) or 0.0)


def _by_chance(draw: Draw) -> float | None:
    """How often sets name a value that is not the true one; None where reports are no sets."""
    if not draw.sets:
        return None
    # Arms may name others more or less often.
    rows = max(sum(one.rows for one in draw.sets), 1)
    return sum(one.rows * one.naming.h for one in draw.sets) / rows


def _histogram(view: ResultView, series: tuple[Shares, ...]) -> Histogram:
    draw = view.result.draw
    names = {
        "original": marked_invented(tr("original")),
        "distorted": distorted_words(draw),
        "reconstructed": title_of(view.focus),
    }
    values, n = draw.counted.values, draw.counted.rows
    note = answers_note(n, 0.95)
    if values is not None:
        labels, many = (values, ()) if fits_bars(len(values)) else ((), values)
        return Histogram(
            series, labels, names=names, base=_by_chance(draw), about=view.axis, values=many,
            note=note,
        )  # fmt: skip
    domain = draw.explored.attribute.domain
    return Histogram(series, (), domain, view.axis, names, about=view.axis, note=note)


def apart(whole: Histogram) -> dict[str, Histogram]:
    """The same in one picture per role; other algorithms go with the reconstructed one."""
    others = tuple(one for one in whole.series if is_series(one.role))
    return {
        one.role: replace(whole, series=(one, *(others if one.role == "reconstructed" else ())))
        for one in whole.series
        if not is_series(one.role)
    }


def x_range(whole: Histogram) -> tuple[float, float] | None:
    """The range that all pictures side by side share; None where there are bars."""
    edges = [one.edges for one in whole.series if one.edges is not None]
    if not edges:
        return None
    return min(float(e[0]) for e in edges), max(float(e[-1]) for e in edges)


def cell_width(whole: Histogram) -> float | None:
    """The width of the cells for which heights are drawn; None where there are bars."""
    first = whole.series[0].edges
    return None if first is None else float(np.median(np.diff(first)))


def highest(whole: Histogram) -> float:
    """The largest height of all, which pictures side by side must have room for."""
    width, found = cell_width(whole), [0.0]
    for one in whole.series:
        if width is not None and one.edges is not None:
            found.append(float((one.share * width / np.diff(one.edges)).max(initial=0.0)))
        else:
            found.append(float((one.share if one.high is None else one.high).max(initial=0.0)))
    return max(found)


def legend_entries(view: ResultView) -> tuple[tuple[str, str], ...]:

    def interval(name: str) -> str:
        shown = name == view.focus or view.result.draw.counted.values is not None
        return tr(" ± 95\u202f%") if shown and view.readings[name].low is not None else ""

    entries = []
    if view.result.draw.original is not None:
        entries.append(("original", marked_invented(tr("original"))))
    entries.append(("distorted", distorted_words(view.result.draw)))
    if view.focus in view.result.runs:
        words = tr("reconstructed by %s") % title_of(view.focus)
        entries.append(("reconstructed", words + interval(view.focus)))
    others = ((view.look(n), tr("by %s") % title_of(n) + interval(n)) for n in view.others)
    return (*entries, *others)


def _edges(draw: Draw) -> Numbers | None:
    values = draw.counted.values
    if values is None:
        return draw.counted.x_edges
    if fits_bars(len(values)):
        return None
    return np.arange(len(values) + 1, dtype=np.float64) - 0.5


def loss_curves(view: ResultView) -> Curves:
    runs = _in_order(view)
    curves, levels = [], []
    for run in runs:
        if run.trace.losses is None:
            continue
        look, name = view.look(run.method), title_of(run.method)
        if run.trace.last == 0:
            levels.append((look, name, float(run.trace.losses[-1])))
        else:
            curves.append(Curve(look, name, run.trace.iterations, run.trace.losses))
    # The level start lies before the first iteration and would make all the rest look flat.
    seen = [float(c.values[c.iterations >= 1].max(initial=0.0)) for c in curves]
    seen += [value for *_, value in levels]
    focus = view.result.runs.get(view.focus)
    note = None
    if focus is not None and focus.trace.last > 0 and focus.trace.lowest is not None:
        note = (focus.trace.lowest, tr("minimum at %s") % number(focus.trace.lowest))
    top = max(seen, default=1.0)
    # Names stand above their levels.
    high = max(top * (1.35 if levels else 1.12), 0.01)
    cursor = focus is not None and focus.trace.last > 0
    return Curves(tuple(curves), _last(runs), 0.0, high, note, tuple(levels), cursor)


def likelihood_curves(view: ResultView) -> Curves:
    """The log-likelihood over the iterations, each relative to its own end."""
    runs = [run for run in _in_order(view) if run.trace.last > 0]
    curves = tuple(
        Curve(
            view.look(run.method),
            title_of(run.method),
            run.trace.iterations,
            _relative(run.trace.log_likelihood),
        )
        for run in runs
    )
    if not curves:
        return Curves()
    last = _last(runs)
    early = max(1, round((last + 1) ** _EARLY))
    low = min(curve.at(early) for curve in curves)
    low = min(low, -1.0) if np.isfinite(low) else -12.0
    cursor = runs[0].method == view.focus
    return Curves(curves, last, low * 1.05, -low * 0.06, has_cursor=cursor)


def _relative(values: Numbers) -> Numbers:
    with np.errstate(invalid="ignore"):
        found: Numbers = values - values[-1]
    return np.nan_to_num(found, nan=0.0, neginf=-1e9, posinf=0.0)


def _in_order(view: ResultView) -> list[Run]:
    """The run in focus first, then the others."""
    runs = view.result.runs
    names = [view.focus, *view.others] if view.focus in runs else view.others
    return [runs[name] for name in names]


def _last(runs: list[Run]) -> int:
    return max([run.trace.last for run in runs], default=1) or 1


OVERLAID, SIDE = "overlaid", "side"


class SideBySide(QWidget):
    """One picture per distribution, all on the same scale; made when somebody asks for them."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._top = 0.0
        self.plots: list[ComparisonPlot] = []
        self.titles: list[QLabel] = []

    def _make(self) -> None:
        layout = row(parent=self, spacing=10)
        for role in ("original", "distorted", "reconstructed"):
            plot = named(ComparisonPlot(self._themes, role), f"{role}Plot")
            title = text(role, "caption")
            self.plots.append(plot)
            self.titles.append(title)
            part = column(title, plot, spacing=2, stretch=1)
            layout.addLayout(part, 1)

    def show_comparison(self, whole: Histogram, words: dict[str, str], fresh: bool) -> None:
        """Show one picture per role; with ``fresh`` the scale may shrink."""
        if not self.plots:
            self._make()
        shown = apart(whole)
        self._top = max(highest(whole), 0.0 if fresh else self._top)
        reach = x_range(whole)
        for plot, title in zip(self.plots, self.titles, strict=True):
            role = plot.objectName().removesuffix("Plot")
            here = role in shown
            plot.setVisible(here)
            title.setVisible(here)
            if not here:
                continue
            title.setText(words.get(role, role))
            plot.setAccessibleName(words.get(role, role))
            plot.x_range, plot.cell_width = reach, cell_width(whole)
            plot.forget_scale(self._top)
            plot.show_histogram(shown[role])


class PictureCard(Card):
    """Switches between one picture, several, and words where there is nothing to draw."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=14)
        self.title = ElidedLabel("strong", lines=2)
        self.updating = text(self.tr("updating"), "badge", hidden=True)
        self.arrangement = Segmented(
            themes,
            self.tr("Layout"),
            [(OVERLAID, self.tr("Overlaid")), (SIDE, self.tr("Side by side"))],
        )
        self.arrangement.setObjectName("arrangement")
        self.legend = PictureLegend(themes)
        self.plot = ComparisonPlot(themes, self.tr("Original, distorted and reconstructed"))
        self.plot.setObjectName("comparisonPlot")
        self.side = SideBySide(themes)
        self.empty = EmptyState(themes, "explore", "", "", self.tr("Go to Design"))
        self.empty.button.setObjectName("exploreEmptyAction")
        self.stack = stack(self.plot, self.side, self.empty)
        self.scrubber = Scrubber(themes)
        self.rule = line()
        head = self._head = row(self.title, self.updating, self.arrangement, spacing=6, stretch=0)
        head.setAlignment(self.arrangement, Qt.AlignmentFlag.AlignTop)
        self.body.setSpacing(6)
        self.body.addLayout(head)
        self.body.addWidget(self.legend)
        self.body.addWidget(self.stack, 1)
        self.body.addWidget(self.rule)
        self.body.addWidget(self.scrubber)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """In a narrow card the arrangement stands below the title, which would be cut beside it."""
        super().resizeEvent(event)
        is_narrow = self.width() < 2 * self.arrangement.sizeHint().width()
        below, beside = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self._head.setDirection(below if is_narrow else beside)

    def show_picture(
        self,
        whole: Histogram,
        entries: tuple[tuple[str, str], ...],
        *,
        side: bool,
        fresh: bool,
    ) -> None:
        """Draw; with ``fresh`` the axis may shrink, else it only grows."""
        self.arrangement.set_current(SIDE if side else OVERLAID)
        self.legend.show_entries(entries, lines=whole.is_numeric)
        self._show_frame(True)
        if side:
            self.side.show_comparison(whole, dict(entries), fresh)
            self.stack.setCurrentWidget(self.side)
            return
        if fresh:
            self.plot.forget_scale()
        self.plot.show_histogram(whole)
        self.stack.setCurrentWidget(self.plot)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Let keys that the pictures have no use for step through the iterations."""
        if self.scrubber.isHidden() or not self.scrubber.slider.take_key(event):
            super().keyPressEvent(event)

    def show_empty(self, reason: EmptyReason) -> None:
        self.empty.show_reason(reason)
        self.stack.setCurrentWidget(self.empty)
        self._show_frame(False)

    def _show_frame(self, shown: bool) -> None:
        for widget in (self.legend, self.arrangement, self.rule, self.scrubber):
            widget.setVisible(shown)


class CurveCard(Card):
    """A plot under its title, or a sentence where there is nothing to plot."""

    def __init__(self, themes: ThemeManager, title: str, name: str, digits: int | None) -> None:
        super().__init__(title, " ", padding=12, title_lines=2)
        self._themes = themes

        def words(value: float) -> str:
            return significant(value, 3) if digits is None else number(value, digits)

        self.plot = named(CurvePlot(themes, title, words), name)
        self.words = text("", "hint", wrap=True, align=Qt.AlignmentFlag.AlignCenter)
        self.words.setContentsMargins(16, 0, 16, 0)
        self.stack = stack(self.plot, self.words)
        self.body.setSpacing(4)
        self.body.addWidget(self.stack, 1)

    def sizeHint(self) -> QSize:  # noqa: N802
        px = self._themes.theme.px
        return QSize(px(260), px(205))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        least = super().minimumSizeHint()
        readable = QSize(0, self._themes.theme.px(150))
        return least.expandedTo(readable) if is_large_text(self) else least

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Leave the hint out where it would push the title out."""
        super().resizeEvent(event)
        self._fit_hint()

    def _fit_hint(self) -> None:
        # What a label asks for does not tell how long its words are: it may be shortened.
        labels = (self.title_label, self.hint_label)
        words = sum(one.fontMetrics().horizontalAdvance(one.words()) for one in labels)
        self.hint_label.setVisible(self.width() >= words + 40)

    def show_curves(self, curves: Curves, hint: str) -> None:
        self.hint_label.setText(hint)
        self._fit_hint()
        self.plot.show_curves(curves)
        self.stack.setCurrentWidget(self.plot)

    def show_words(self, words: str, hint: str = "") -> None:
        self.hint_label.setText(hint)
        self._fit_hint()
        self.words.setText(words)
        self.stack.setCurrentWidget(self.words)


_MOST, _PER_ROW = 90, 64
"""Rows that are further apart cannot be compared."""


class SpreadCard(Card):
    """Dots per algorithm, or how to get them."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=14)
        self._themes = themes
        self._most = _MOST
        self.title = text("", "strong")
        chart = PictureChart(themes, self.tr("Spread of information loss"), least=(140, 60))
        self.plot = named(chart, "spreadPlot")
        self.words = text("", "hint", wrap=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.stack = stack(self.plot, self.words)
        self.body.setSpacing(4)
        self.top = row(self.title, None)
        self.body.addLayout(self.top)
        self.body.addWidget(self.stack, 1)
        self.setMinimumHeight(120)
        themes.theme_changed.connect(self._fit)

    def show_losses(self, losses: Sequence[Losses], draws: int, *, stale: bool) -> None:
        self.title.setText(self.tr("Spread over %s draws") % draws)
        self.plot.set_stale(stale)
        self.plot.set_picture(losses_picture(losses), lambda value: number(value, 3))
        self._most = _MOST + _PER_ROW * len(losses)
        self._fit()
        self.stack.setCurrentWidget(self.plot)

    def show_words(self, words: str, draws: int) -> None:
        self.title.setText(self.tr("Spread over %s draws") % draws)
        self.words.setText(words)
        self.plot.set_picture(None)
        self._most = 2 * _MOST
        self._fit()
        self.stack.setCurrentWidget(self.words)

    def _fit(self) -> None:
        self.setMaximumHeight(self._themes.theme.px(self._most))


class ArmsCard(Card):
    """One value in every arm of the questionnaire, and whether all arms agree."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=14)
        self._themes = themes
        self.title = ElidedLabel("strong")
        chart = PictureChart(themes, self.tr("Estimates by arm"), least=(220, 110))
        self.plot = named(chart, "armsPlot")
        self.sentence = named(text("", "captionHint", wrap=True, selectable=True), "armsAgree")
        self.body.setSpacing(4)
        self.body.addWidget(self.title)
        self.body.addWidget(self.plot)
        self.body.addWidget(self.sentence)
        self.hide()

    def show_arms(self, draw: Draw) -> None:
        """Show every arm of a draw; nothing where there are no arms."""
        found = draw.by_arm
        self.setVisible(found is not None)
        if found is None:
            return
        attribute = draw.explored.attribute
        value = next(iter((*attribute.sensitive, *reversed(attribute.values))))
        place = attribute.values.index(value)
        self.title.setText(self.tr("“%s” by arm") % value)
        labels, shares = [], []
        for arm, one in found.arms.items():
            ends = (None if end is None else float(end[place]) for end in (one.low, one.high))
            low, high = (math.nan if end is None else end for end in ends)
            shares.append(Interval(float(one.probability[place]), low, high))
            labels.append(f"{arm}\n{self.tr('%s answers') % number(one.rows)}")
        made = intervals(
            "arms", Message(""), Axis(Message(""), low=0.0, kind=Kind.SHARE), labels, shares
        )
        notes = tuple(percent(one.estimate, 1) for one in shares)
        self.plot.set_picture(replace(made, y=replace(made.y, notes=notes)))
        self.plot.setFixedHeight(self._themes.theme.px(34 + 44 * len(shares)))
        remarks = [translate(one) for one in found.remarks]
        said = translate(found.sentence) or self.tr("One arm only asks this question.")
        self.sentence.setText(" ".join([said, *remarks]))


class InsightCard(Card):
    """A sentence or two that fit what is shown."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=14)
        head = row(
            IconLabel(themes, "info", "accentInk", 16),
            text(self.tr("Interpretation"), "strong"),
            None,
        )
        self.sentence = named(text("", "secondary", wrap=True), "whatToSee")
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.body.addLayout(head)
        self.body.addWidget(self.sentence, 1)

    def say(self, words: str) -> None:
        self.sentence.setText(words)
        self.setVisible(bool(words))
