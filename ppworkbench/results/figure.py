"""Pictures with matplotlib, for whatever leaves the program: files, reports, notebooks.

White ground, one typeface, hatches as vectors: what is written here can be printed.
"""

from __future__ import annotations

import hashlib
import io
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.files import atomic_file
from ppworkbench.core.kernels import library_lock
from ppworkbench.results.looks import Look, look_of, theme_colour, tokens
from ppworkbench.results.picture import MANY, Axis, Mark, Picture, Role, Shape, spread_of
from ppworkbench.results.sheet import Kind
from ppworkbench.results.text import Say, cut, harmless

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZES = {"column": (85.0, 64.0), "page": (175.0, 105.0), "slide": (254.0, 142.875)}
"""Width and height in millimetres: a column and a page of a journal, a slide of 16:9."""
FORMATS = (".png", ".svg", ".pdf")
_PAGE = "report"
_ALL_SIZES = SIZES | {_PAGE: (180.0, 66.0)}
"""Also that of a figure between the texts of a report, which have told its title."""
_INCH, _DOTS, _PIXELS = 25.4, 300, 96
_POINTS, _USUAL_POINTS = {"slide": 14.0, _PAGE: 9.0}, 8.0
_LINE, _AROUND = 5.2, 30.0
"""Millimetres that a line of a list needs, and what stands above and below the list."""
_LONG, _MOST_LABELS = 36, 14
"""Letters of a label, and labels below an axis where not all of them have place."""
_HANDLE = 6
"""Letters that would fit into the place of a mark in the legend."""
_WIDE, _HIGH = 0.6, 1.45
"""A letter's width, and the distance of labels that are turned, in sizes of the font."""
_LANE = 0.3
_HATCH = "////"
_MARKERS = {
    "circle": "o", "square": "s", "triangle": "^", "diamond": "D", "cross": "X", "star": "*",
}  # fmt: skip


_rendering = Lock()
"""The settings of matplotlib are those of all threads."""


def save_picture(picture: Picture, path: Path, size: str = "column", say: Say = str) -> None:
    """Write a picture as PNG, SVG or PDF by its ending, in one of :data:`SIZES`."""
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise ParameterError.saying(
            "A picture is written as {known}, not as {suffix!r}.",
            known=", ".join(FORMATS), suffix=path.suffix, field="path",
        )  # fmt: skip
    if size not in SIZES:
        raise ParameterError.saying(
            "The size {size!r} is unknown; known are {known}.",
            size=size, known=", ".join(SIZES), field="size",
        )  # fmt: skip
    with atomic_file(path) as temporary:
        temporary.write_bytes(picture_bytes(picture, suffix[1:], size, say))


def picture_bytes(picture: Picture, format_: str, size: str = "column", say: Say = str) -> bytes:
    """What a file of a picture holds; nothing in it tells when or by whom it was made."""
    undated = {"svg": {"Date": None, "Creator": None}, "pdf": {"CreationDate": None}}
    _load()
    content = io.BytesIO()
    with _rendering, _style(size):
        figure = picture_figure(picture, size, say)
        figure.savefig(content, format=format_, dpi=_DOTS, metadata=undated.get(format_))
    return content.getvalue()


@dataclass(frozen=True)
class Drawing:
    """A picture on a page as SVG, with its width and height in pixels."""

    svg: str
    width: int
    height: int


def picture_drawing(picture: Picture, say: Say = str) -> Drawing:
    """A picture for a page, which has told its title and has a ground of its own.

    Pages allow no styles beside their own; colours are attributes, which a theme may change.
    """
    text = picture_bytes(picture, "svg", _PAGE, say).decode()
    text = re.sub(r"\s*<metadata>.*?</metadata>|\s*<style.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r'<g id="[^"]*"', "<g", text[text.index("<svg") :])
    # A marker has its colours where it is used: rules of a page do not reach into it.
    text = re.sub(r'(<path id="m[^"]*" d="[^"]*") style="[^"]*"', r"\1", text)
    text = re.sub(r' style="([^"]*)"', lambda found: _attributes(found[1]), text)
    # On a page of many figures every name is that of one thing.
    own = f"f{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    text = re.sub(r'((?: id="|url\(#|href="#))', rf"\g<1>{own}", text)
    head, _, rest = text.partition(">")
    points = [float(one) for one in re.findall(r'(?:width|height)="([\d.]+)pt"', head)]
    width, height = (round(one * _PIXELS / 72) for one in points)
    box = f'viewBox="0 0 {points[0]:g} {points[1]:g}" width="{width}" height="{height}"'
    names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    how = 'font-family="Inter" stroke-linejoin="round" stroke-linecap="butt"'
    return Drawing(f'<svg class="picture" {names} {box} {how}>{rest}', width, height)


def _attributes(style: str) -> str:
    told = ""
    for one in style.split(";"):
        name, _, value = (part.strip() for part in one.partition(":"))
        if name == "font":
            size = re.search(r"[\d.]+px", value)
            name, value = "font-size", size[0] if size else "12px"
        # The page has a typeface.
        if name and name != "font-family":
            told += f' {name}="{value}"'
    return told


def picture_figure(picture: Picture, size: str = "column", say: Say = str) -> Figure:
    """A picture as a figure of its own; ``say`` knows the words of a language."""
    _load()
    from matplotlib.figure import Figure

    width, height = _ALL_SIZES[size]
    needed = _AROUND + _LINE * len(picture.y.labels)
    if size != "slide":
        height = needed if size == _PAGE and picture.y.labels else max(height, needed)
    # About so many letters of the text stand on one line.
    letters = round(width / (0.22 * _POINTS.get(size, _USUAL_POINTS)))
    with _style(size):
        figure = Figure(figsize=(width / _INCH, height / _INCH), layout="constrained")
        axes = figure.subplots()
        draw_picture(picture, axes, say)
        if size == _PAGE:
            figure.patch.set_visible(False)
            axes.patch.set_visible(False)
        else:
            title = textwrap.fill(say(picture.title), letters)
            figure.suptitle(_plain(title), x=0.01, ha="left", weight="bold")
        if picture.note:
            note = _plain(textwrap.fill(say(picture.note), round(1.2 * letters)))
            colour = theme_colour("text2")
            figure.supxlabel(note, x=0.01, ha="left", fontsize="small", color=colour)
    return figure


def draw_picture(picture: Picture, axes: Axes, say: Say = str) -> None:
    """Draw a picture, without its title and note, on axes that somebody has."""
    drawn = {}
    for mark in picture.marks:
        look = look_of(mark.role, picture.series_of(mark))
        handle = _DRAWN[mark.shape](axes, mark, look, picture)
        if mark.shape is not Shape.CELLS:
            _write_words(axes, mark, look, picture)
        name = _plain(harmless(say(mark.name)))
        if handle is not None:
            # Matplotlib leaves out names that begin with a line.
            name = f" {name}" if name.startswith("_") else name
            handle.set_label(name)
            drawn[name] = handle
    _set_axis(axes, "x", picture.x, say)
    _set_axis(axes, "y", picture.y, say)
    axes.spines[["top", "right"]].set_visible(False)
    if len(drawn) > 1:
        longest = max(map(len, drawn)) + _HANDLE
        columns = max(1, int(0.85 * _letters(axes) / longest))
        # Beside the marks there is no place that none of them needs.
        axes.legend(
            list(drawn.values()), list(drawn), loc="lower left", bbox_to_anchor=(0.0, 1.0),
            ncols=min(len(drawn), columns), frameon=False, borderaxespad=0.2, columnspacing=1.2,
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
    from cycler import cycler

    ink, line = theme_colour("text"), theme_colour("axis")
    return mpl.rc_context(
        {
            "font.size": _POINTS.get(size, _USUAL_POINTS), "font.family": "sans-serif",
            "hatch.linewidth": 0.6, "figure.titlesize": "medium", "axes.linewidth": 0.6,
            "text.color": ink, "axes.labelcolor": ink, "xtick.color": line, "ytick.color": line,
            "xtick.labelcolor": ink, "ytick.labelcolor": ink, "axes.edgecolor": line,
            "axes.prop_cycle": cycler(color=[ink]), "figure.facecolor": "white",
            "savefig.facecolor": "auto",
            # Texts stay texts, and the same picture is the same file.
            "svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "ppworkbench",
        }
    )  # fmt: skip


def _plain(text: str) -> str:
    """A text of which matplotlib makes no formula."""
    return text.replace("$", r"\$")


def _letters(axes: Axes) -> float:
    """About how many letters fit side by side into the whole figure."""
    import matplotlib as mpl

    figure = axes.get_figure(root=True)
    assert figure is not None  # noqa: S101 (axes that are drawn on have one)
    return float(figure.get_figwidth() * 72 / (_WIDE * mpl.rcParams["font.size"]))


def _set_axis(axes: Axes, name: str, axis: Axis, say: Say) -> None:
    title = say(axis.title)
    title = f"{title} ({axis.unit})" if axis.unit else title
    if name == "x":
        title = textwrap.fill(title, round(0.8 * _letters(axes)))
    getattr(axes, f"set_{name}label")(_plain(title))
    if axis.labels:
        _set_labels(axes, name, axis.labels)
        if name == "y" and any(axis.notes):
            beside = axes.secondary_yaxis("right")
            beside.set_yticks(range(len(axis.notes)), [_plain(harmless(one)) for one in axis.notes])
            beside.tick_params(length=0)
            beside.spines[:].set_visible(False)
        return
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    scale = getattr(axes, f"{name}axis")
    if axis.is_log:
        getattr(axes, f"set_{name}scale")("log")
        scale.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        scale.set_minor_locator(NullLocator())
    is_share = axis.kind is Kind.SHARE
    # As the language writes numbers, with the minus of print.
    scale.set_major_formatter(
        FuncFormatter(
            lambda at, _: say(
                f"{100 * at + 0.0:,.6g} %" if is_share else f"{at + 0.0:,.10g}"
            ).replace("-", "−")
        )
    )
    if axis.low is not None or axis.high is not None:
        getattr(axes, f"set_{name}lim")(axis.low, axis.high)


def _set_labels(axes: Axes, name: str, labels: tuple[str, ...]) -> None:
    """A tick per thing; below an axis only as many as there is place for."""
    count = len(labels)
    place = _WIDE * _letters(axes)
    is_many = name == "x" and count > place / _HIGH - 2
    step = -(-count // _MOST_LABELS) if is_many else 1
    shown = [
        "\n".join(_plain(cut(harmless(line), _LONG)) for line in one.split("\n"))
        for one in labels[::step]
    ]
    longest = max(map(len, shown), default=0)
    is_turned = name == "x" and _WIDE * longest * len(shown) > place
    turned: dict[str, Any] = {"rotation": 45.0, "ha": "right"} if is_turned else {}
    getattr(axes, f"set_{name}ticks")(range(0, count, step), shown, **turned)
    ends = (count - 0.5, -0.5) if name == "y" else (-0.5, count - 0.5)
    getattr(axes, f"set_{name}lim")(*ends)


def _reach(mark: Mark, middle: Any) -> Any:
    """How far the intervals of a mark go to both sides of its numbers."""
    import numpy as np

    if mark.low is None or mark.high is None:
        return None
    # A number may lie outside of its own interval, where matplotlib takes no length.
    return np.maximum(np.stack([middle - mark.low, mark.high - middle]), 0.0)


def _write_words(axes: Axes, mark: Mark, look: Look, picture: Picture) -> None:
    """Write beside the places of a mark: to the right of its end, or above it."""
    places, numbers = picture.values_of(mark)
    if mark.shape is Shape.BARS:
        places = places + _beside(mark, picture)
    tops = numbers if mark.high is None else mark.high
    for words, place, top in zip(mark.words, places.tolist(), tops.tolist(), strict=False):
        if words:
            at, shift = ((top, place), (6, 0)) if picture.is_lying else ((place, top), (0, 3))
            side = {"va": "center"} if picture.is_lying else {"ha": "center"}
            axes.annotate(
                _plain(harmless(words)), at, shift, textcoords="offset points", color=look.text,
                fontsize="small", **cast(Any, side),
            )  # fmt: skip


def _beside(mark: Mark, picture: Picture) -> float:
    """How far bars stand from the middle of their things."""
    place, count = picture.place_of(mark)
    return (place - (count - 1) / 2) * 0.8 / count


def _dashes(look: Look) -> Any:
    return (0, look.dash) if look.dash else "-"


def _intervals(axes: Axes, mark: Mark, look: Look, picture: Picture) -> Any:
    place, count = picture.place_of(mark)
    places, middle = picture.values_of(mark)
    places = places + (place - (count - 1) / 2) * _LANE
    reach = _reach(mark, middle)
    how: dict[str, Any] = {
        "fmt": _MARKERS[look.marker], "color": look.line, "ecolor": look.text, "capsize": 2.5,
        "markersize": 4,
    }  # fmt: skip
    _mark_ends(axes, mark, look, places, picture)
    if picture.is_lying:
        return axes.errorbar(middle, places, xerr=reach, **how)
    return axes.errorbar(places, middle, yerr=reach, **how)


def _mark_ends(axes: Axes, mark: Mark, look: Look, places: Any, picture: Picture) -> None:
    """Arrows where intervals go on beyond the ends of their axis."""
    axis = picture.x if picture.is_lying else picture.y
    for end, reached, arrow in (
        (axis.low, mark.low, "<" if picture.is_lying else "v"),
        (axis.high, mark.high, ">" if picture.is_lying else "^"),
    ):
        if end is None or reached is None:
            continue
        there = places[reached < end if end == axis.low else reached > end]
        at = [end] * len(there)
        x, y = (at, there) if picture.is_lying else (there, at)
        if not at:
            continue
        axes.plot(x, y, arrow, color=look.text, markersize=4, clip_on=False)


def _bars(axes: Axes, mark: Mark, look: Look, picture: Picture) -> Any:
    import numpy as np

    wide = 0.8 / picture.place_of(mark)[1]
    places, numbers = picture.values_of(mark)
    places = places + _beside(mark, picture)
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


def _dots(axes: Axes, mark: Mark, look: Look, picture: Picture) -> Any:
    """Dots are shifted by their place, never at random, so that they stay put."""
    places, numbers = picture.values_of(mark)
    where = (places + spread_of(places), numbers)
    shown = axes.plot(*(where[::-1] if picture.is_lying else where), ".", color=look.fill)[0]
    for place in sorted(set(places.tolist())):
        middle = float(numbers[places == place].mean())
        ends, mean = (place - 0.34, place + 0.34), (middle, middle)
        axes.plot(*((mean, ends) if picture.is_lying else (ends, mean)), color=look.text)
    return shown


def _line(axes: Axes, mark: Mark, look: Look, picture: Picture) -> Any:
    how: dict[str, Any] = {"color": look.line, "linestyle": _dashes(look), "linewidth": 1.2}
    if mark.low is not None and len(mark.x) > MANY:
        axes.fill_between(mark.x, mark.low, cast(Any, mark.high), facecolor=look.fill, alpha=0.35)
    if mark.low is None or len(mark.x) > MANY:
        return axes.plot(mark.x, mark.y, **how)[0]
    how |= {"marker": _MARKERS[look.marker], "markersize": 3.5, "capsize": 2.0}
    return axes.errorbar(mark.x, mark.y, yerr=_reach(mark, picture.values_of(mark)[1]), **how)


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
    for place, ((i, j), value) in enumerate(np.ndenumerate(mark.y)):
        ink = "white" if value > dark else "black"
        said = _plain(harmless(mark.words[place])) if mark.words else f"{value:,.1f}"
        axes.text(j, i, said, ha="center", va="center", color=ink)


def _rule(axes: Axes, mark: Mark, look: Look, picture: Picture) -> Any:
    stands = picture.stands(mark)
    draw = axes.axvline if stands else axes.axhline
    at = float((mark.x if stands else mark.y)[0])
    return draw(at, color=look.line, linewidth=0.8, linestyle=_dashes(look))


_DRAWN: dict[Shape, Callable[[Axes, Mark, Look, Picture], Any]] = {
    Shape.INTERVALS: _intervals, Shape.BARS: _bars, Shape.POINTS: _points, Shape.DOTS: _dots,
    Shape.LINE: _line, Shape.BAND: _band, Shape.CELLS: _cells, Shape.RULE: _rule,
}  # fmt: skip
