"""Figures of distributions and regressions as SVG, in the colours and patterns of the three roles.

The colours stand in the drawing itself, so that any viewer shows it; classes let a page change them
for a dark theme.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.message import Message
from ppworkbench.results.looks import role_colours
from ppworkbench.study.blocks import Figure
from ppworkbench.study.html import escaped

Say = Callable[[str], str]

WIDTH, HEIGHT = 680, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 8, 26, 40
_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25)
_MOST_MARKS = 30
"""With more intervals than this, they are drawn as a band."""
_INK, _GRID = "#474F5E", "#E4E7ED"
_LABELS = {"reconstructed": "reconstructed, 95 %"}
"""Words of a legend that are others than those of the role."""


@dataclass(frozen=True, eq=False)
class Shares:
    """One distribution: shares per value, or per interval between ``edges``; perhaps intervals."""

    role: str
    shares: Numbers
    low: Numbers | None = None
    high: Numbers | None = None
    edges: Numbers | None = None


def bars_figure(labels: tuple[str, ...], series: tuple[Shares, ...], say: Say = str) -> Figure:
    """Grouped bars, one group for each value; ``say`` knows the words in the report's language."""
    top = _top(max(float(_highest(s)) for s in series))
    parts = [*_axis(top, say), _legend(series, say)]
    slot = (WIDTH - _LEFT - _RIGHT) / len(labels)
    wide = min(26.0, 0.8 * slot / len(series))
    for place, label in enumerate(labels):
        middle = _LEFT + (place + 0.5) * slot
        start = middle - wide * len(series) / 2
        for i, one in enumerate(series):
            parts.append(_bar(one, place, start + i * wide, wide, top))
        parts.append(_tick(middle, label, slot, len(labels) > 8))
    return Figure(_svg(parts), _summary(labels, series, say), WIDTH, HEIGHT)


def curves_figure(series: tuple[Shares, ...], say: Say = str) -> Figure:
    """Step lines over a number's axis, as share for each interval of equal width."""
    edges = np.concatenate([s.edges for s in series if s.edges is not None])
    low, high = float(edges.min()), float(edges.max())
    width = next(float(np.median(np.diff(s.edges))) for s in series if s.edges is not None)
    scaled = [_scaled(one, width) for one in series]
    top = _top(max(float(_highest(s)) for s in scaled))
    parts = [*_axis(top, say), _legend(series, say)]

    def x(value: float) -> float:
        return _LEFT + (value - low) / (high - low) * (WIDTH - _LEFT - _RIGHT)

    parts += [_tick(x(tick), say(f"{tick + 0.0:g}"), 80, False) for tick in _ticks(low, high)]
    parts += [_steps(one, x, top) for one in scaled]
    first = series[-1]
    assert first.edges is not None  # noqa: S101 (all curves have edges)
    middle = (first.edges[:-1] + first.edges[1:]) / 2
    mean = float(middle @ first.shares / max(float(first.shares.sum()), 1e-300))
    summary = say(
        Message(
            "The mean of the {role} distribution is about {mean:.4g}.", role=first.role, mean=mean
        )
    )
    return Figure(_svg(parts), summary, WIDTH, HEIGHT)


def _scaled(one: Shares, width: float) -> Shares:
    assert one.edges is not None  # noqa: S101 (all curves have edges)
    factor = width / np.diff(one.edges)
    low = None if one.low is None else one.low * factor
    high = None if one.high is None else one.high * factor
    return Shares(one.role, one.shares * factor, low, high, one.edges)


def _highest(one: Shares) -> float:
    return float(np.max(one.shares if one.high is None else np.maximum(one.shares, one.high)))


def _step(highest: float) -> float:
    """The distance of the lines of the axis: a round number, so that there are at most five."""
    found = (one for one in _STEPS if highest <= 5 * one)
    return next(found, 0.25)


def _top(highest: float) -> float:
    """The top of the axis: the first line above."""
    step = _step(highest)
    return float(min(step * max(np.ceil(highest / step - 1e-9), 1), 1.0))


def _y(share: float, top: float) -> float:
    return HEIGHT - _BOTTOM - min(max(share / top, 0.0), 1.0) * (HEIGHT - _TOP - _BOTTOM)


def _ticks(low: float, high: float) -> list[float]:
    raw = (high - low) / 6
    power = 10.0 ** np.floor(np.log10(raw))
    step = float(next(power * m for m in (1, 2, 5, 10) if power * m >= raw))
    return [float(t) for t in np.arange(np.ceil(low / step) * step, high + step * 1e-9, step)]


def _axis(top: float, say: Say) -> list[str]:
    parts = []
    step = _step(top)
    for part in range(round(top / step) + 1):
        share = step * part
        y = _y(share, top)
        parts.append(
            f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" '
            f'stroke="{_GRID}" stroke-width="1"/>'
        )
        parts.append(_text(_LEFT - 8, y + 4, say(f"{100 * share:.3g} %"), "end"))
    return parts


def _text(x: float, y: float, text: str, anchor: str, turn: str = "") -> str:
    return (
        f'<text class="ink" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{_INK}"{turn} '
        f'font-family="Inter" font-size="12">{escaped(text)}</text>'
    )


def _tick(x: float, label: str, slot: float, crowded: bool) -> str:
    most = max(int(slot / 6.6), 2) if not crowded else 9
    short = label if len(label) <= most else label[: most - 1] + "…"
    y = HEIGHT - _BOTTOM + 18
    if not crowded:
        return _text(x, y, short, "middle")
    turn = f' transform="rotate(-35 {x:.1f} {y:.1f})"'
    return _text(x + 4, y, short, "end", turn)


def _box(role: str, x: float, y: float, wide: float, high: float) -> str:
    """A bar in the manner of its role: solid, hatched, or open with an outline."""
    colours = role_colours(role)
    wide, high = max(wide, 1.0), max(high, 0.0)
    place = f'x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}"'
    if role == "original":
        return f'<rect class="original-bar" {place} fill="{colours["fill"]}"/>'
    bar = (
        f'<rect class="{role}-bar" {place} fill="{colours["tint"]}" stroke="{colours["line"]}" '
        f'stroke-width="{1 if role == "distorted" else 2}"/>'
    )
    return bar + _hatch(x, y, wide, high) if role == "distorted" else bar


def _hatch(x: float, y: float, wide: float, high: float) -> str:
    """Lines of 45 degrees inside of a bar; drawn one by one, since viewers differ in patterns."""
    path = ""
    for along in np.arange(_PITCH, wide + high, _PITCH):
        # The line x + y = along, from the left or lower side to the upper or right one.
        low, right = min(along, high), min(along, wide)
        path += f"M{x + along - low:.1f} {y + low:.1f}L{x + right:.1f} {y + along - right:.1f}"
    colour = role_colours("distorted")["line"]
    return f'<path class="distorted-hatch" d="{path}" stroke="{colour}" stroke-width="1.6"/>'


def _bar(one: Shares, place: int, x: float, wide: float, top: float) -> str:
    y = _y(float(one.shares[place]), top)
    bottom = HEIGHT - _BOTTOM
    inset = 1.0 if one.role == "original" else 1.5
    drawn = _box(one.role, x + inset, y, wide - 2 * inset, bottom - y)
    if one.low is None or one.high is None:
        return drawn
    middle = x + wide / 2
    low, high = _y(float(one.low[place]), top), _y(float(one.high[place]), top)
    colour = role_colours(one.role)["text"]
    return drawn + (
        f'<path class="{one.role}-interval" d="M{middle:.1f} {low:.1f}V{high:.1f}'
        f'M{middle - 4:.1f} {high:.1f}h8M{middle - 4:.1f} {low:.1f}h8" stroke="{colour}" '
        'stroke-width="1.5" fill="none"/>'
    )


_PITCH = 7.0
_DASHES = {"original": "", "distorted": "1.5 4", "reconstructed": "7 3"}


def _steps(one: Shares, x: Callable[[float], float], top: float) -> str:
    assert one.edges is not None  # noqa: S101 (all curves have edges)
    colours = role_colours(one.role)
    path = f"M{x(float(one.edges[0])):.1f} {_y(0, top):.1f}"
    for share, edge in zip(one.shares, one.edges[1:], strict=True):
        path += f"V{_y(float(share), top):.1f}H{x(float(edge)):.1f}"
    path += f"V{_y(0, top):.1f}"
    dash = f' stroke-dasharray="{_DASHES[one.role]}"' if _DASHES[one.role] else ""
    fill = colours["tint"] if one.role == "original" else "none"
    line = (
        f'<path class="{one.role}-curve" d="{path}" fill="{fill}" fill-opacity="0.6" '
        f'stroke="{colours["line"]}" stroke-width="2"{dash}/>'
    )
    if one.low is None or one.high is None:
        return line
    if len(one.shares) > _MOST_MARKS:
        return _band(one, x, top) + line
    marks = ""
    for left, right, low, high in zip(
        one.edges[:-1], one.edges[1:], one.low, one.high, strict=True
    ):
        middle = x(float(left + right) / 2)
        marks += f"M{middle:.1f} {_y(float(low), top):.1f}V{_y(float(high), top):.1f}"
    return line + (
        f'<path class="{one.role}-interval" d="{marks}" stroke="{colours["text"]}" '
        'stroke-width="1.5" fill="none"/>'
    )


def _band(one: Shares, x: Callable[[float], float], top: float) -> str:
    """The intervals as one area."""
    assert one.edges is not None  # noqa: S101 (all curves have edges)
    assert one.low is not None  # noqa: S101 (only drawn where there are intervals)
    assert one.high is not None  # noqa: S101
    middle = (one.edges[:-1] + one.edges[1:]) / 2
    above = [
        f"{x(float(m)):.1f} {_y(float(s), top):.1f}" for m, s in zip(middle, one.high, strict=True)
    ]
    below = [
        f"{x(float(m)):.1f} {_y(float(s), top):.1f}" for m, s in zip(middle, one.low, strict=True)
    ]
    path = "M" + "L".join(above + below[::-1]) + "Z"
    colour = role_colours(one.role)["line"]
    return f'<path class="{one.role}-band" d="{path}" fill="{colour}" fill-opacity="0.25"/>'


def role_word(role: str, series: Sequence[Shares]) -> str:
    """What shares of a role are called beside the others.

    Without the true answers nothing was distorted here: the others are what people reported.
    """
    has_truth = any(one.role == "original" for one in series)
    return "reported" if role == "distorted" and not has_truth else role


def _legend(series: tuple[Shares, ...], say: Say) -> str:
    words = {one.role: role_word(one.role, series) for one in series}
    return _keys({role: say(_LABELS.get(word, word)) for role, word in words.items()})


def _keys(labels: Mapping[str, str]) -> str:
    """A box and a label for each role."""
    parts, x = [], float(_LEFT)
    for role, label in labels.items():
        parts.append(_box(role, x, 4, 14, 12))
        parts.append(_text(x + 20, 14, label, "start"))
        x += 34 + 6.6 * len(label)
    return "".join(parts)


def _svg(parts: list[str], height: int = HEIGHT) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}">' + "".join(parts) + "</svg>"
    )


def _summary(labels: tuple[str, ...], series: tuple[Shares, ...], say: Say) -> str:
    said = []
    for place, label in enumerate(labels[:20]):
        shares = ", ".join(
            f"{say(role_word(s.role, series))} {100 * s.shares[place]:.0f} %" for s in series
        )
        said.append(f"{label}: {shares}")
    return "; ".join(said) + "."


@dataclass(frozen=True)
class ForestRow:
    """An effect with its interval; what was reported and what is true beside it, where known.

    Numbers that are not finite are left out of the drawing.
    """

    label: str
    estimate: float
    low: float
    high: float
    uncorrected: float | None = None
    true: float | None = None

    @property
    def points(self) -> tuple[float, ...]:
        """The numbers without the interval."""
        given = (self.estimate, self.uncorrected, self.true)
        return tuple(one for one in given if one is not None and math.isfinite(one))


_ROW, _LABELLED, _LETTERS = 30, 250, 36
_REACHED = WIDTH - _RIGHT - 8
_RATIOS = (1, 2, 5)
_FAR = 4.0
"""An interval is drawn up to so many times the width of the points, then cut."""


def forest_figure(
    rows: Sequence[ForestRow],
    axis: str,
    confidence: float,
    *,
    ratios: bool,
    say: Say = str,
    pitch: int = _ROW,
) -> Figure:
    """Effects under each other around the line of no effect.

    Parameters
    ----------
    axis
        What the numbers are, in the language of the report.
    ratios
        Whether they are ratios, which are drawn on a logarithmic axis around 1.
    pitch
        Pixels from one row to the next.
    """
    none = 1.0 if ratios else 0.0
    scale = math.log if ratios else float
    low, high = _reach(rows, none, scale)
    height = _TOP + pitch * len(rows) + _BOTTOM + 14
    bottom = height - _BOTTOM - 14

    def x(value: float) -> float:
        if ratios and value <= 0:
            return _LABELLED
        share = (scale(value) - low) / (high - low)
        return _LABELLED + min(max(share, 0.0), 1.0) * (_REACHED - _LABELLED)

    ticks = _ratio_ticks(low, high) if ratios else _ticks(low, high)
    parts = [_keys(_forest_labels(rows, confidence, say))]
    for tick in ticks:
        parts.append(_upright(x(tick), _TOP, bottom, _GRID, "grid"))
        parts.append(_text(x(tick), bottom + 16, say(f"{tick + 0.0:g}"), "middle"))
    parts.append(_upright(x(none), _TOP, bottom, _INK, "none-line"))
    parts.append(_text((_LABELLED + WIDTH) / 2, bottom + 36, axis, "middle"))
    for place, row in enumerate(rows):
        y = _TOP + pitch * (place + 0.5)
        short = row.label if len(row.label) <= _LETTERS else row.label[: _LETTERS - 1] + "…"
        parts.append(_text(_LABELLED - 10, y + 4, short, "end"))
        parts.append(_forest_row(row, x, y))
    return Figure(_svg(parts, height), _forest_summary(rows, say), WIDTH, height)


def _forest_labels(rows: Sequence[ForestRow], confidence: float, say: Say) -> dict[str, str]:
    labels = {"reconstructed": say(Message("estimate, {level:g} %", level=100 * confidence))}
    if any(row.uncorrected is not None for row in rows):
        labels["distorted"] = say(Message("uncorrected"))
    if any(row.true is not None for row in rows):
        labels["original"] = say(Message("from true answers"))
    return labels


def _reach(
    rows: Sequence[ForestRow], none: float, scale: Callable[[float], float]
) -> tuple[float, float]:
    """The ends of the axis, on its own scale."""
    every = [scale(one) for row in rows for one in row.points if none == 0 or one > 0]
    low, high = min([*every, scale(none)]), max([*every, scale(none)])
    width = max(high - low, 1e-9)
    ends = [
        scale(end)
        for row in rows
        for end in (row.low, row.high)
        if math.isfinite(end) and (none == 0 or end > 0)
    ]
    low = max(min([*ends, low]), low - _FAR * width)
    high = min(max([*ends, high]), high + _FAR * width)
    margin = 0.04 * max(high - low, 1e-9)
    return low - margin, high + margin


def _ratio_ticks(low: float, high: float) -> list[float]:
    """Round ratios; where these are too far apart, round steps."""
    first, last = math.floor(low / math.log(10)), math.ceil(high / math.log(10))
    found = [
        one * 10.0**power
        for power in range(first, last + 1)
        for one in _RATIOS
        if low <= math.log(one * 10.0**power) <= high
    ]
    if len(found) > 9:
        found = [one for one in found if f"{one:e}".startswith("1.")]
    # The axis is in logarithms, the ticks are ratios.
    return found if len(found) > 2 else _ticks(math.exp(low), math.exp(high))


def _upright(x: float, top: float, bottom: float, colour: str, name: str) -> str:
    return (
        f'<line class="{name}" x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}" '
        f'stroke="{colour}" stroke-width="1"/>'
    )


def _forest_row(row: ForestRow, x: Callable[[float], float], y: float) -> str:
    parts = []
    if math.isfinite(row.low) and math.isfinite(row.high):
        colour = role_colours("reconstructed")["text"]
        left, right = x(row.low), x(row.high)
        # An arrow tells that the interval goes on.
        first = "l5 -4m-5 4l5 4" if left <= _LABELLED else "m0 -4v8"
        last = "l-5 -4m5 4l-5 4" if right >= _REACHED else "m0 -4v8"
        parts.append(
            f'<path class="reconstructed-interval" d="M{left:.1f} {y:.1f}H{right:.1f}'
            f'M{left:.1f} {y:.1f}{first}M{right:.1f} {y:.1f}{last}" stroke="{colour}" '
            'stroke-width="1.5" fill="none"/>'
        )
    marks = (("reconstructed", row.estimate, 0.0), ("distorted", row.uncorrected, 9.0),
             ("original", row.true, -9.0))  # fmt: skip
    for role, value, lower in marks:
        if value is not None and math.isfinite(value):
            parts.append(_box(role, x(value) - 4, y + lower - 4, 8, 8))
    return "".join(parts)


def _forest_summary(rows: Sequence[ForestRow], say: Say) -> str:
    said = [
        say(
            Message(
                "{label}: {estimate:.3g} ({low:.3g} to {high:.3g})",
                label=row.label,
                estimate=row.estimate,
                low=row.low,
                high=row.high,
            )
        )
        for row in rows[:20]
    ]
    return "; ".join(said) + "."
