"""From results to what the plots draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.gui.language.text import tr
from ppworkbench.gui.pages.explore.draw import Draw
from ppworkbench.gui.pages.explore.methods import title_of
from ppworkbench.gui.pages.explore.runs import Reading, Result, Run
from ppworkbench.gui.plots.comparison import Comparison, Estimate, fits_bars
from ppworkbench.gui.plots.curve_plot import Curve, Curves
from ppworkbench.gui.plots.histogram import Histogram, Shares
from ppworkbench.gui.plots.series import series_look
from ppworkbench.gui.words import number

Numbers = NDArray[np.float64]

_EARLY = 0.22
"""The likelihood is shown from this share of the logarithmic scale on; before, it leaps."""


@dataclass(frozen=True)
class View:
    """Which results are shown how: the one in focus, and every algorithm's place in the list."""

    result: Result
    focus: str
    places: Mapping[str, int]
    question: str = ""

    def look(self, method: str) -> str:
        """How an algorithm is drawn."""
        return "reconstructed" if method == self.focus else series_look(self.places[method])

    @property
    def others(self) -> list[str]:
        """The algorithms that are shown besides the one in focus, in the order of the list."""
        names = (name for name in self.result.runs if name != self.focus)
        return sorted(names, key=lambda name: self.places[name])


def comparison(view: View, readings: Mapping[str, Reading]) -> Comparison:
    """The three distributions, with those of the other algorithms."""
    draw, focus = view.result.draw, readings.get(view.focus)
    series = []
    if draw.original is not None:
        series.append(Shares("original", draw.original, _edges(draw)))
    distorted_edges = _edges(draw) if draw.distorted_edges is None else draw.distorted_edges
    series.append(Shares("distorted", draw.distorted, distorted_edges))
    if focus is not None:
        shares = Shares("reconstructed", focus.probability, _edges(draw), focus.low, focus.high)
        series.append(shares)
    others = tuple(
        Estimate(
            title_of(name),
            view.places[name],
            readings[name].probability,
            _edges(draw),
            readings[name].low,
            readings[name].high,
        )
        for name in view.others
        if name in readings
    )
    return Comparison(_histogram(view, tuple(series)), others, _many_values(draw))


def _histogram(view: View, series: tuple[Shares, ...]) -> Histogram:
    draw = view.result.draw
    names = {
        "original": tr("original"),
        "distorted": tr("distorted"),
        "reconstructed": title_of(view.focus),
    }
    values = draw.counted.values
    if values is not None:
        labels = values if fits_bars(len(values)) else ()
        return Histogram(series, labels, names=names)
    return Histogram(series, (), draw.subject.attribute.domain, view.question, names)


def apart(whole: Comparison) -> list[Comparison]:
    """The same in one picture per distribution; other algorithms go with the reconstructed one."""
    found = []
    shown = whole.histogram
    for shares in shown.series:
        own = Histogram((shares,), shown.labels, shown.domain, shown.unit, shown.names)
        extras = whole.estimates if shares.role == "reconstructed" else ()
        found.append(Comparison(own, extras, whole.values))
    return found


def x_range(whole: Comparison) -> tuple[float, float] | None:
    """The range that all pictures side by side share; None where there are bars."""
    edges = [s.edges for s in whole.histogram.series if s.edges is not None]
    if not edges or not whole.histogram.is_numeric:
        return None
    return min(float(e[0]) for e in edges), max(float(e[-1]) for e in edges)


def cell_width(whole: Comparison) -> float | None:
    """The width of the cells for which heights are drawn; None where there are bars."""
    first = whole.histogram.series[0].edges
    numeric = whole.histogram.is_numeric and first is not None
    return float(np.median(np.diff(first))) if numeric else None


def highest(whole: Comparison) -> float:
    """The largest height of all, which pictures side by side must have room for."""
    width = cell_width(whole)
    shown = [(s.share, s.edges, s.high) for s in whole.histogram.series]
    shown += [(e.share, e.edges, e.high) for e in whole.estimates]
    found = [0.0]
    for share, edges, high in shown:
        if width is not None and edges is not None:
            found.append(float((share * width / np.diff(edges)).max(initial=0.0)))
        else:
            found.append(float((share if high is None else high).max(initial=0.0)))
    return max(found)


def legend_entries(view: View, readings: Mapping[str, Reading]) -> tuple[tuple[str, str], ...]:
    """The legend of the picture, in the order of the roles."""

    def interval(name: str) -> str:
        shown = name == view.focus or view.result.draw.counted.values is not None
        return tr(" ± 95 %") if shown and readings[name].low is not None else ""

    entries = []
    if view.result.draw.original is not None:
        entries.append(("original", tr("original")))
    entries.append(("distorted", tr("distorted")))
    if view.focus in view.result.runs:
        words = tr("reconstructed by %s") % title_of(view.focus)
        entries.append(("reconstructed", words + interval(view.focus)))
    others = ((view.look(n), tr("by %s") % title_of(n) + interval(n)) for n in view.others)
    return (*entries, *others)


def _edges(draw: Draw) -> Numbers | None:
    values = draw.counted.values
    if values is None:
        return draw.counted.x_edges
    return None if fits_bars(len(values)) else np.arange(len(values) + 1) - 0.5


def _many_values(draw: Draw) -> tuple[str, ...]:
    values = draw.counted.values
    return () if values is None or fits_bars(len(values)) else values


def loss_curves(view: View) -> Curves:
    """The information loss over the iterations."""
    runs = _in_order(view)
    curves, levels = [], []
    for run in runs:
        if run.path.losses is None:
            continue
        look, name = view.look(run.method), title_of(run.method)
        if run.path.last == 0:
            levels.append((look, name, float(run.path.losses[-1])))
        else:
            curves.append(Curve(look, name, run.path.iterations, run.path.losses))
    # The level start lies before the first iteration and would make all the rest look flat.
    seen = [float(c.values[c.iterations >= 1].max(initial=0.0)) for c in curves]
    seen += [value for *_, value in levels]
    focus = view.result.runs.get(view.focus)
    note = None
    if focus is not None and focus.path.last > 0 and focus.path.lowest is not None:
        note = (focus.path.lowest, tr("lowest at %s") % number(focus.path.lowest))
    top = max(seen, default=1.0)
    high = max(top * 1.12, 0.01)
    cursor = focus is not None and focus.path.last > 0
    return Curves(tuple(curves), _last(runs), 0.0, high, note, tuple(levels), cursor)


def likelihood_curves(view: View) -> Curves:
    """The log-likelihood over the iterations, each relative to its own end."""
    runs = [run for run in _in_order(view) if run.path.last > 0]
    curves = tuple(
        Curve(
            view.look(run.method),
            title_of(run.method),
            run.path.iterations,
            _relative(run.path.log_likelihood),
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
        found = values - values[-1]
    return np.nan_to_num(found, nan=0.0, neginf=-1e9, posinf=0.0)


def _in_order(view: View) -> list[Run]:
    """The run in focus first, then the others."""
    runs = view.result.runs
    names = [view.focus, *view.others] if view.focus in runs else view.others
    return [runs[name] for name in names]


def _last(runs: list[Run]) -> int:
    return max([run.path.last for run in runs], default=1) or 1
