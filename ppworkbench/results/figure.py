"""Pictures with matplotlib, for whatever leaves the program: files, reports, notebooks.

White ground, one typeface, hatches as vectors: what is written here can be printed.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.files import atomic_file
from ppworkbench.core.kernels import library_lock
from ppworkbench.results.looks import Look, look_of, theme_colour, tokens
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape
from ppworkbench.results.text import Say, cut, harmless

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZES = {"column": (85.0, 64.0), "page": (175.0, 105.0), "slide": (254.0, 142.875)}
"""Width and height in millimetres: a column and a page of a journal, a slide of 16:9."""
FORMATS = (".png", ".svg", ".pdf")
_INCH, _DOTS, _POINTS = 25.4, 300, {"slide": 14.0}
_USUAL_POINTS = 8.0
_LINE = 5.2
"""Millimetres that a line of a list needs."""
_LONG, _MOST_LABELS, _TOGETHER = 36, 14, 48
"""Letters of a label, labels below an axis, and letters in all of them that fit side by side."""
_LANE = 0.3
_HATCH = "////"
_MARKERS = {
    "circle": "o", "square": "s", "triangle": "^", "diamond": "D", "cross": "X", "star": "*",
}  # fmt: skip


def save_picture(picture: Picture, path: Path, size: str = "column", say: Say = str) -> None:
    """Write a picture as PNG, SVG or PDF by its ending, in one of :data:`SIZES`."""
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise ParameterError.saying(
            "A picture is written as {known}, not as {suffix!r}.",
            known=", ".join(FORMATS), suffix=path.suffix, field="path",
        )  # fmt: skip
    figure = picture_figure(picture, size, say)
    # Nothing tells when or by whom a file was made.
    undated = {".svg": {"Date": None, "Creator": None}, ".pdf": {"CreationDate": None}}
    with atomic_file(path) as temporary, _style(size):
        figure.savefig(
            temporary, format=suffix[1:], dpi=_DOTS, facecolor="white", metadata=undated.get(suffix)
        )


def picture_figure(picture: Picture, size: str = "column", say: Say = str) -> Figure:
    """A picture as a figure of its own; ``say`` knows the words of a language."""
    if size not in SIZES:
        raise ParameterError.saying(
            "The size {size!r} is unknown; known are {known}.",
            size=size, known=", ".join(SIZES), field="size",
        )  # fmt: skip
    _load()
    from matplotlib.figure import Figure

    width, height = SIZES[size]
    if size != "slide":
        height = max(height, 30 + _LINE * len(picture.y.labels))
    # About so many letters of the text stand on one line.
    letters = round(width / (0.22 * _POINTS.get(size, _USUAL_POINTS)))
    with _style(size):
        figure = Figure(figsize=(width / _INCH, height / _INCH), layout="constrained")
        draw_picture(picture, figure.subplots(), say)
        title = textwrap.fill(say(picture.title), letters)
        figure.suptitle(_plain(title), x=0.01, ha="left", weight="bold")
        if picture.note:
            note = _plain(textwrap.fill(say(picture.note), letters))
            colour = theme_colour("text2")
            figure.supxlabel(note, x=0.01, ha="left", fontsize="small", color=colour)
    return figure


def draw_picture(picture: Picture, axes: Axes, say: Say = str) -> None:
    """Draw a picture, without its title and note, on axes that somebody has."""
    drawn = {}
    for mark in picture.marks:
        look = look_of(mark.role, picture.series_of(mark))
        handle = _DRAWN[mark.shape](axes, mark, look, picture)
        name = _plain(harmless(say(mark.name)))
        if handle is not None:
            # Matplotlib leaves out names that begin with a line.
            drawn[f" {name}" if name.startswith("_") else name] = handle
    _set_axis(axes, "x", picture.x, say)
    _set_axis(axes, "y", picture.y, say)
    axes.spines[["top", "right"]].set_visible(False)
    if len(drawn) > 1:
        # Beside the marks there is no place that none of them needs.
        axes.legend(
            list(drawn.values()), list(drawn), loc="lower left", bbox_to_anchor=(0.0, 1.0),
            ncols=min(len(drawn), 3), frameon=False, borderaxespad=0.2, columnspacing=1.2,
            handletextpad=0.5,
        )  # fmt: skip


def new_axes() -> Axes:
    """Axes of a figure of their own, for notebooks."""
    _load()
    from matplotlib import pyplot as plt

    return plt.subplots(layout="constrained")[1]


def _load() -> None:
    """Import what draws; the first import is the slow one, and perhaps of a job."""
    with library_lock:
        import matplotlib.figure  # noqa: F401


def _style(size: str) -> Any:
    import matplotlib as mpl

    return mpl.rc_context(
        {
            "font.size": _POINTS.get(size, _USUAL_POINTS), "font.family": "sans-serif",
            "hatch.linewidth": 0.6, "figure.titlesize": "medium", "axes.linewidth": 0.6,
            # Texts stay texts, and the same picture is the same file.
            "svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "ppworkbench",
        }
    )  # fmt: skip


def _plain(text: str) -> str:
    """A text of which matplotlib makes no formula."""
    return text.replace("$", r"\$")


def _set_axis(axes: Axes, name: str, axis: Axis, say: Say) -> None:
    title = say(axis.title)
    getattr(axes, f"set_{name}label")(_plain(f"{title} ({axis.unit})" if axis.unit else title))
    if axis.labels:
        _set_labels(axes, name, axis.labels)
    elif axis.low is not None or axis.high is not None:
        getattr(axes, f"set_{name}lim")(axis.low, axis.high)
    if axis.is_log:
        getattr(axes, f"set_{name}scale")("log")


def _set_labels(axes: Axes, name: str, labels: tuple[str, ...]) -> None:
    """A tick per thing; below an axis only as many as there is place for."""
    count = len(labels)
    step = 1 if name == "y" else -(-count // _MOST_LABELS)
    shown = [_plain(cut(harmless(one), _LONG)) for one in labels[::step]]
    is_turned = name == "x" and sum(map(len, shown)) > _TOGETHER
    turned: dict[str, Any] = {"rotation": 45.0, "ha": "right"} if is_turned else {}
    getattr(axes, f"set_{name}ticks")(range(0, count, step), shown, **turned)
    ends = (count - 0.5, -0.5) if name == "y" else (-0.5, count - 0.5)
    getattr(axes, f"set_{name}lim")(*ends)


def _numbers(mark: Mark, picture: Picture) -> tuple[Any, Any]:
    """The places of a mark along the axis of things, and its numbers."""
    return (mark.y, mark.x) if picture.is_lying else (mark.x, mark.y)


def _reach(mark: Mark, middle: Any) -> Any:
    """How far the intervals of a mark go to both sides of its numbers."""
    import numpy as np

    return None if mark.low is None else np.stack([middle - mark.low, mark.high - middle])


def _dashes(look: Look) -> Any:
    return (0, look.dash) if look.dash else "-"


def _intervals(axes: Axes, mark: Mark, look: Look, picture: Picture) -> Any:
    place, count = picture.place_of(mark)
    places, middle = _numbers(mark, picture)
    places = places + (place - (count - 1) / 2) * _LANE
    reach = _reach(mark, middle)
    how: dict[str, Any] = {
        "fmt": _MARKERS[look.marker], "color": look.line, "ecolor": look.text, "capsize": 2.5,
        "markersize": 4,
    }  # fmt: skip
    if picture.is_lying:
        return axes.errorbar(middle, places, xerr=reach, **how)
    return axes.errorbar(places, middle, yerr=reach, **how)


def _bars(axes: Axes, mark: Mark, look: Look, picture: Picture) -> Any:
    import numpy as np

    place, count = picture.place_of(mark)
    wide = 0.8 / count
    places, numbers = _numbers(mark, picture)
    places = places + (place - (count - 1) / 2) * wide
    is_endless = np.isinf(numbers)
    how: dict[str, Any] = {
        "color": look.fill, "edgecolor": look.line, "hatch": _HATCH if look.is_hatched else "",
        "linewidth": 0.7, "ecolor": look.text, "capsize": 2.0,
        "xerr" if picture.is_lying else "yerr": _reach(mark, numbers),
    }  # fmt: skip
    draw = axes.barh if picture.is_lying else axes.bar
    for at in places[is_endless].tolist():
        where = (0.0, at) if picture.is_lying else (at, 0.0)
        axes.annotate("∞", where, (4, 4), textcoords="offset points", va="center")
    return draw(places, np.where(is_endless, 0.0, numbers), wide, **how)


def _points(axes: Axes, mark: Mark, look: Look, _: Picture) -> Any:
    return axes.plot(
        mark.x, mark.y, _MARKERS[look.marker], color=look.line, markerfacecolor="none", markersize=4
    )[0]


def _line(axes: Axes, mark: Mark, look: Look, picture: Picture) -> Any:
    how: dict[str, Any] = {"color": look.line, "linestyle": _dashes(look), "linewidth": 1.2}
    if mark.low is None:
        return axes.plot(mark.x, mark.y, **how)[0]
    how |= {"marker": _MARKERS[look.marker], "markersize": 3.5, "capsize": 2.0}
    return axes.errorbar(mark.x, mark.y, yerr=_reach(mark, _numbers(mark, picture)[1]), **how)


def _band(axes: Axes, mark: Mark, look: Look, _: Picture) -> Any:
    low, high = cast(Any, (mark.low, mark.high))  # A band has both.
    return axes.fill_between(
        mark.x, low, high, facecolor=look.fill, edgecolor=look.line, linewidth=0.0,
        alpha=0.35 if mark.role is Role.SERIES else None, hatch=_HATCH if look.is_hatched else None,
    )  # fmt: skip


def _cells(axes: Axes, mark: Mark, look: Look, _: Picture) -> None:  # noqa: ARG001
    import numpy as np
    from matplotlib.colors import LinearSegmentedColormap

    heat = tokens()["data"]["heat"]["light"]
    cells = np.clip(mark.y, 0, None)
    axes.imshow(cells, LinearSegmentedColormap.from_list("heat", heat), aspect="auto")
    dark = 0.6 * max(float(np.nanmax(cells, initial=0.0)), 1e-12)
    for (i, j), value in np.ndenumerate(mark.y):
        ink = "white" if value > dark else "black"
        axes.text(j, i, f"{value:,.1f}", ha="center", va="center", color=ink)


def _rule(axes: Axes, mark: Mark, look: Look, picture: Picture) -> Any:
    draw = axes.axvline if picture.is_lying else axes.axhline
    at = float(_numbers(mark, picture)[1][0])
    return draw(at, color=look.line, linewidth=0.8, linestyle=_dashes(look))


_DRAWN: dict[Shape, Callable[[Axes, Mark, Look, Picture], Any]] = {
    Shape.INTERVALS: _intervals, Shape.BARS: _bars, Shape.POINTS: _points, Shape.LINE: _line,
    Shape.BAND: _band, Shape.CELLS: _cells, Shape.RULE: _rule,
}  # fmt: skip
