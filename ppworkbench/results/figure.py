"""Pictures with matplotlib, for whatever leaves the program: files, reports, notebooks.

White ground, one typeface, hatches as vectors: what is written here can be printed.
"""

from __future__ import annotations

import hashlib
import html
import io
import math
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.files import atomic_file
from ppworkbench.core.kernels import library_lock
from ppworkbench.results.looks import Look, look_of, theme_colour, tokens
from ppworkbench.results.picture import MANY, Axis, Mark, Picture, Role, Shape, spread_of
from ppworkbench.results.sheet import Kind
from ppworkbench.results.text import Say, cut, harmless, picture_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SLIDE = (254.0, 142.875)
SIZES = {
    "column": (85.0, 64.0), "page": (175.0, 105.0), "slide": _SLIDE, "slide-dark": _SLIDE,
}  # fmt: skip
"""Width and height in millimetres: a column and a page of a journal, slides of 16:9."""
FORMATS = (".png", ".svg", ".pdf")
_PAGE = "report"
_ALL_SIZES = SIZES | {_PAGE: (180.0, 66.0)}
"""Also that of a figure between the texts of a report, which have told its title."""
_INCH, _DOTS, _PIXELS = 25.4, 300, 96
_POINTS, _USUAL_POINTS = {"slide": 14.0, "slide-dark": 14.0, _PAGE: 9.0}, 8.0
_LINE, _AROUND, _LEAST = 5.2, 30.0, 30.0
"""Millimetres that a line of a list needs, what stands above and below it, and marks at least."""
_PLENTY = 3.0
_READABLE, _WIDEST, _ABOVE = 5.0, 600.0, 10.0
"""The least type of boxes in points; how wide a figure gets for it, and the place of its title."""
_LONG, _LONGEST, _MOST_LABELS = 36, 90, 14
"""Letters of a line and of a label, and labels below an axis where not all of them have place."""
_MOST_TICKS, _MOST_LINES, _TURNED, _SMALLEST = 7, 4, 18, 0.6
_NAMED = 0.76
"""How much of a line a name in the legend takes at most."""
_HANDLE = 6
"""Letters that would fit into the place of a mark in the legend."""
_LEADING = 1.2
"""The distance of lines of a label, in sizes of the font."""
_WIDE, _HIGH = 0.6, 1.45
"""A letter's width, and the distance of labels that are turned, in sizes of the font."""
_TINY = 1e-7
"""Numbers below this are written with an exponent."""
_LANE = 0.3
_FOOT = 0.12
_TOGETHER, _LEGEND = 0.06, 2
"""Rules that are nearer have their names at other ends; names of a legend that have place."""
_HATCH = "////"
_IN_GREY: tuple[Any, ...] = (
    "-",
    (0, (6, 1.5, 1.5, 1.5)),
    (0, (9, 2.5)),
    (0, (1.5, 1.5)),
    (0, (6, 1.5, 1.5, 1.5, 1.5, 1.5)),
)
"""How lines of series differ where there are no colours."""
_MARKERS = {
    "circle": "o", "square": "s", "triangle": "^", "diamond": "D", "cross": "X", "star": "*",
}  # fmt: skip


_rendering = Lock()
"""The settings of matplotlib are those of all threads."""


def save_picture(
    picture: Picture, path: Path, size: str = "column", say: Say = str, *, private: bool = False
) -> None:
    """Write a picture as PNG, SVG or PDF by its ending, in one of :data:`SIZES`.

    A new file can be read by its owner only where it is ``private`` or shows true numbers.
    """
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
    with atomic_file(path, private=private or picture.holds_truth) as temporary:
        temporary.write_bytes(picture_bytes(picture, suffix[1:], size, say))


def picture_bytes(picture: Picture, format_: str, size: str = "column", say: Say = str) -> bytes:
    """What a file of a picture holds, with its words for those who cannot see it.

    Nothing in it tells when or by whom it was made.
    """
    title, words = harmless(say(picture.title)), picture_words(picture, say)
    known: dict[str, dict[str, str | None]] = {
        "png": {"Title": title, "Description": words},
        "svg": {"Title": title, "Description": words, "Date": None, "Creator": None},
        "pdf": {"Title": title, "Subject": words, "CreationDate": None},
    }
    _load()
    content = io.BytesIO()
    with _rendering, _style(size):
        figure = picture_figure(picture, size, say)
        # A slide that needs more room is the same picture of finer dots.
        wide = _SLIDE[0] / _INCH / figure.get_figwidth() if size.startswith("slide") else 1.0
        figure.savefig(content, format=format_, dpi=wide * _DOTS, metadata=known.get(format_))
    if format_ != "svg" or size == _PAGE:
        return content.getvalue()
    # Screen readers know this element, and not the metadata.
    described = f"</title>\n <desc>{html.escape(words)}</desc>".encode()
    written = content.getvalue().replace(b"</title>", described, 1)
    return written.replace(b"<svg ", b'<svg role="img" ', 1)


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
    if not size.startswith("slide"):
        height = needed if size == _PAGE and picture.y.labels else max(height, needed)
        width, height = _room_for_boxes(picture, width, height)
    # About so many letters of the text stand on one line.
    letters = round(width / (0.22 * _POINTS.get(size, _USUAL_POINTS)))
    with _style(size):
        figure = Figure(figsize=(width / _INCH, height / _INCH), layout="constrained")
        axes = figure.subplots()
        draw_picture(picture, axes, say, _theme(size))
        if size == _PAGE:
            figure.patch.set_visible(False)
            axes.patch.set_visible(False)
        else:
            title = textwrap.fill(say(picture.title), letters)
            figure.suptitle(_plain(title), x=0.01, ha="left", weight="bold")
        if picture.note:
            note = _plain(textwrap.fill(say(picture.note), round(1.2 * letters)))
            colour = theme_colour("text2", _theme(size))
            figure.supxlabel(note, x=0.01, ha="left", fontsize="small", color=colour)
        _make_room(figure, axes, lines=len(picture.y.labels), grows=not size.startswith("slide"))
    return figure


def _room_for_boxes(picture: Picture, width: float, height: float) -> tuple[float, float]:
    """A width and a height at which the words of all boxes can be read."""
    types = [_type_of(one) for one in picture.marks if one.shape is Shape.BOXES]
    if not types or min(types) <= 0:
        return width, height
    across, up = (
        cast(float, one.high) - cast(float, one.low) for one in (picture.x, picture.y)
    )  # fmt: skip
    unit = _READABLE / min(types) / 72 * _INCH
    wider = min(max(unit * across, width), _WIDEST)
    return wider, max(wider / across * up + _ABOVE, height)


def _type_of(boxes: Mark) -> float:
    """The size of type with which the words of boxes fill them, as a multiple of their unit."""
    import numpy as np

    low, high = cast(Any, (boxes.low, boxes.high))  # Boxes have both.
    letters = [max(map(len, words.split("\n"))) for words in boxes.words]
    return float(np.min((high - low) / np.maximum(letters, 1), initial=1e3)) / _WIDE


def _make_room(figure: Figure, axes: Axes, lines: int, *, grows: bool) -> None:
    """Give marks the height that they need beside all texts, and begin the legend at the left.

    A slide keeps its shape: it gets larger in both directions, and all type on it smaller.
    """
    legend = axes.get_legend()
    # Only words that are long or stand above each other need a look.
    turned = [one for one in axes.get_xticklabels() if one.get_rotation()]
    if not (turned or lines or (legend is not None and len(legend.get_texts()) > _LEGEND)):
        return
    width, height = figure.get_size_inches()
    # Where there is plenty of room, texts take what they need.
    figure.set_figheight(_PLENTY * height)
    figure.draw_without_rendering()
    room = axes.get_position()
    ticks = axes.yaxis.get_major_ticks() if lines else ()
    within = 1 + max((one.get_text().count("\n") for one in axes.texts), default=0)
    high = [max(1 + one.label1.get_text().count("\n"), within) for one in ticks]
    needed = max(_LEAST, _LINE * sum(high)) / _INCH + _PLENTY * height * (1 - room.height)
    larger = max(needed / height, 1.0)
    figure.set_size_inches(width if grows else larger * width, larger * height)
    if legend is not None and lines:
        start = (0.01 - room.x0) / room.width
        legend.set_bbox_to_anchor((start, 1.0), transform=axes.transAxes)


def _theme(size: str) -> str:
    return "dark" if size.endswith("dark") else "light"


def draw_picture(picture: Picture, axes: Axes, say: Say = str, theme: str = "light") -> None:
    """Draw a picture, without its title and note, on axes that somebody has."""
    picture, drawn = picture.said(say), {}
    for mark in picture.marks:
        look = look_of(mark.role, picture.series_of(mark), theme)
        handle = _DRAWN[mark.shape](axes, mark, look, picture)
        if mark.shape not in {Shape.CELLS, Shape.BOXES, Shape.PEOPLE}:
            _write_words(axes, mark, look, picture)
        name = _plain(harmless(say(mark.name)))
        is_named = mark.shape is Shape.RULE and picture.names_rules
        is_named = is_named or mark.name in picture.handles
        if handle is not None and name and not is_named:
            # Matplotlib leaves out names that begin with a line.
            name = f" {name}" if name.startswith("_") else name
            name = _lines(name, round(_NAMED * _letters(axes)))
            handle.set_label(name)
            drawn[name] = handle
    _set_axis(axes, "x", picture.x, say, is_lying=picture.is_lying)
    _set_axis(axes, "y", picture.y, say)
    _name_rules(axes, picture, say, theme)
    axes.spines[["top", "right"]].set_visible(False)
    if len(drawn) > 1 or (drawn and picture.names_rules):
        columns = _columns(axes, list(drawn))
        # Beside the marks there is no place that none of them needs.
        axes.legend(
            list(drawn.values()), list(drawn), loc="lower left", bbox_to_anchor=(0.0, 1.0),
            ncols=min(len(drawn), columns), frameon=False, borderaxespad=0.2, columnspacing=1.2,
            handletextpad=0.5,
        )  # fmt: skip


def _columns(axes: Axes, names: list[str]) -> int:
    """As many columns of a legend as there is place for."""
    longest = max(len(line) for name in names for line in name.split("\n")) + _HANDLE
    return max(1, int(0.85 * _letters(axes) / longest))


def _name_rules(axes: Axes, picture: Picture, say: Say, theme: str) -> None:
    low, high = axes.get_ylim()
    for rule in picture.rules if picture.names_rules else ():
        end, is_above = picture.end_of(rule, _TOGETHER * abs(high - low))
        axes.annotate(
            _plain(harmless(say(rule.name))), (end, float(rule.y[0])),
            (2 - 4 * end, 2 if is_above else -2), xycoords=axes.get_yaxis_transform(),
            textcoords="offset points", ha=("left", "right")[end],
            va="bottom" if is_above else "top", fontsize="small",
            bbox={"facecolor": axes.get_facecolor(), "edgecolor": "none", "alpha": 0.8, "pad": 0.4},
            color=look_of(rule.role, picture.series_of(rule), theme).text,
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

    theme, points = _theme(size), _POINTS.get(size, _USUAL_POINTS)
    ink, line = theme_colour("text", theme), theme_colour("axis", theme)
    ground = "white" if theme == "light" else theme_colour("surface", theme)
    return mpl.rc_context(
        {
            "font.size": points, "font.family": "sans-serif",
            "hatch.linewidth": 0.075 * points, "figure.titlesize": "medium",
            "axes.linewidth": 0.075 * points,
            # Numbers of both axes meet at the corner.
            "xtick.major.pad": 0.45 * points, "ytick.major.pad": 0.45 * points,
            "text.color": ink, "axes.labelcolor": ink, "xtick.color": line, "ytick.color": line,
            "xtick.labelcolor": ink, "ytick.labelcolor": ink, "axes.edgecolor": line,
            "axes.prop_cycle": cycler(color=[ink]), "figure.facecolor": ground,
            "axes.facecolor": ground,
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


def _set_axis(axes: Axes, name: str, axis: Axis, say: Say, *, is_lying: bool = False) -> None:
    title = say(axis.title)
    if axis.unit:
        title = f"{title} ({say(axis.unit)})" if title else say(axis.unit)
    if name == "x":
        title = textwrap.fill(title, round(0.8 * _letters(axes)))
    # Beside long names of things the title of the numbers is wider than they are.
    is_wider = name == "x" and is_lying and not axis.labels
    end: dict[str, Any] = {"loc": "right"} if is_wider else {}
    getattr(axes, f"set_{name}label")(_plain(title), **end)
    if axis.kind is Kind.TEXT:
        getattr(axes, f"set_{name}lim")(axis.low, axis.high)
        getattr(axes, f"set_{name}ticks")([])
        axes.set_aspect("equal")
        axes.spines[:].set_visible(False)
        return
    if axis.labels:
        _set_things(axes, name, axis)
        return
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

    scale = getattr(axes, f"{name}axis")
    if axis.is_log:
        getattr(axes, f"set_{name}scale")("log")
    if axis.low is not None or axis.high is not None:
        getattr(axes, f"set_{name}lim")(axis.low, axis.high)
    ends = getattr(axes, f"get_{name}lim")()

    def words(at: float, _: object = None) -> str:
        """As the language writes numbers, with the minus of print."""
        said = f"{100 * at + 0.0:,.6g} %" if axis.kind is Kind.SHARE else f"{at + 0.0:,.10g}"
        if "e-" in said and abs(at) > _TINY:
            # Beside 0.0001 nobody reads 5e-05.
            said = f"{at:.12f}".rstrip("0")
        return say(said).replace("-", "−")

    scale.set_major_formatter(FuncFormatter(words))
    digits = 1 if axis.is_log else 2 if axis.kind is Kind.SHARE else 3
    longest = max(len(words(float(f"{end:.{digits}g}"))) for end in ends)
    if axis.is_log:
        low, high = (end or 1.0 for end in ends)
        wide = 3 * abs(math.log10(high / low)) * (longest + 1)
        is_crowded = name == "x" and wide > 0.75 * _letters(axes)
        scale.set_major_locator(LogLocator(subs=(1.0,) if is_crowded else (1.0, 2.0, 5.0)))
        scale.set_minor_locator(NullLocator())
        return
    places = 0.75 * _letters(axes) / (longest + digits) if name == "x" else _MOST_TICKS
    count = int(min(max(places, 2), _MOST_TICKS))
    is_whole = axis.kind is Kind.COUNT
    scale.set_major_locator(MaxNLocator(count, steps=[1, 2, 5, 10], integer=is_whole))


def _set_things(axes: Axes, name: str, axis: Axis) -> None:
    """Names of things, and notes at the other end of their lines."""
    notes = axis.notes if name == "y" else ()
    longest = max(len(line) for one in axis.labels for line in one.split("\n"))
    beside, most = max(map(len, notes), default=0), _LONG
    if longest + beside > 0.5 * _letters(axes):
        most = round((0.27 if beside else 0.45) * _letters(axes))
    _set_labels(axes, name, axis.labels, most)
    if beside:
        other = axes.secondary_yaxis("right")
        told = [_plain(_lines(harmless(one), most)) for one in notes]
        other.set_yticks(range(len(notes)), told)
        other.tick_params(length=0)
        other.spines[:].set_visible(False)


def _set_labels(axes: Axes, name: str, labels: tuple[str, ...], most: int) -> None:
    """A tick per thing; below an axis only as many as there is place for.

    Words of more letters than ``most`` go on in a new line; so do those that are turned.
    """
    count = len(labels)
    place = _WIDE * _letters(axes)
    is_many = name == "x" and count > place / _HIGH - 2
    step = -(-count // _MOST_LABELS) if is_many else 1
    lines = [[cut(harmless(line), _LONGEST) for line in one.split("\n")] for one in labels[::step]]
    longest = max((len(line) for one in lines for line in one), default=0)
    is_turned = False
    if name == "x" and _WIDE * longest * len(lines) > place:
        most = max(int(0.75 * _letters(axes) / len(lines)), 1)
        words = [word for one in lines for line in one for word in _joined(line).split(" ")]
        is_turned = max(map(len, words)) > most or longest > _MOST_LINES * most
        most = _TURNED if is_turned else most
    shown = ["\n".join(_plain(_lines(line, most)) for line in one) for one in lines]
    turned: dict[str, Any] = {"rotation": 45.0, "ha": "right"} if is_turned else {}
    getattr(axes, f"set_{name}ticks")(range(0, count, step), shown, **turned)
    if name == "y" and not axes.get_ylabel():
        _stand_alone(axes, shown)
    ends = (count - 0.5, -0.5) if name == "y" else (-0.5, count - 0.5)
    getattr(axes, f"set_{name}lim")(*ends)


def _stand_alone(axes: Axes, labels: Sequence[str]) -> None:
    """Write every line of labels of several lines as a text of its own.

    In a file whose texts stay texts the lines of one text are put by their widths in the typeface
    of here; in another one they would end at different places.
    """
    import matplotlib as mpl

    points = float(mpl.rcParams["font.size"])
    away = mpl.rcParams["ytick.major.size"] + mpl.rcParams["ytick.major.pad"]
    for place, (label, whole) in enumerate(zip(labels, axes.get_yticklabels(), strict=True)):
        lines = label.split("\n")
        if len(lines) == 1:
            continue
        # It still tells :func:`_make_room` how many lines there are.
        whole.set_visible(False)
        for number, line in enumerate(lines):
            up = ((len(lines) - 1) / 2 - number) * _LEADING * points
            axes.annotate(
                line, (0, place), (-away, up), xycoords=axes.get_yaxis_transform(), ha="right",
                va="center", textcoords="offset points", annotation_clip=False,
            )  # fmt: skip


def _lines(text: str, most: int) -> str:
    """A text on lines of so many letters; a sign stays with what it belongs to."""
    if len(text) <= most:
        return text
    return textwrap.fill(_joined(text), most)


def _joined(text: str) -> str:
    return re.sub("([+±]) ", "\\1\u202f", text)


def _reach(mark: Mark, middle: Any) -> Any:
    """How far the intervals of a mark go to both sides of its numbers."""
    import numpy as np

    if mark.low is None or mark.high is None:
        return None
    # A number may lie outside of its own interval, where matplotlib takes no length.
    return np.maximum(np.stack([middle - mark.low, mark.high - middle]), 0.0)


def _boxes(axes: Axes, mark: Mark, look: Look, picture: Picture) -> None:
    """Words in frames, in one type that is small enough for each of them."""
    import matplotlib as mpl

    axes.set_axis_off()
    figure = axes.get_figure(root=True)
    assert figure is not None  # noqa: S101 (axes that are drawn on have one)
    unit = 72 * figure.get_figwidth() / (cast(float, picture.x.high) - cast(float, picture.x.low))
    # Few words between the boxes are no larger than those of the most boxes.
    most = max((one for one in picture.marks if one.shape is mark.shape), key=lambda m: len(m.x))
    size = min(unit * min(map(_type_of, (mark, most))), mpl.rcParams["font.size"])
    frame = {"boxstyle": "round,pad=0.3", "facecolor": axes.get_facecolor(), "edgecolor": look.line}
    for words, x, y in zip(mark.words, mark.x.tolist(), mark.y.tolist(), strict=True):
        axes.text(
            x, y, "\n".join(_plain(harmless(one)) for one in words.split("\n")), ha="center",
            va="center", fontsize=size,
            color=theme_colour("text", look.theme), bbox=frame | {"linewidth": 0.6},
        )  # fmt: skip


def _write_words(axes: Axes, mark: Mark, look: Look, picture: Picture) -> None:
    """Write beside the places of a mark: to the right of its end, or above it."""
    import matplotlib as mpl

    places, numbers = picture.values_of(mark)
    scale = 0.83
    if mark.shape is Shape.BARS:
        count = len(picture.things.labels) * picture.place_of(mark)[1]
        places = places + _beside(mark, picture)
        longest = max(map(len, mark.words), default=0)
        if longest and not picture.is_lying:
            axes.margins(y=0.12)
            scale = min(scale, max(0.5 * _letters(axes) / (count * longest), _SMALLEST))
    tops = numbers if mark.high is None else mark.high
    ground: Any = None
    if mark.shape is not Shape.BARS:
        # Lines run below the words.
        ground = {"facecolor": axes.get_facecolor(), "edgecolor": "none", "alpha": 0.8, "pad": 0.6}
    found = zip(mark.words, places.tolist(), tops.tolist(), strict=False)
    for number, (words, place, top) in enumerate(found):
        if words:
            at, shift = ((top, place), (6, 0)) if picture.is_lying else ((place, top), (0, 3))
            side = {"va": "center"} if picture.is_lying else {"ha": "center"}
            is_below = mark.shape is Shape.POINTS and picture.is_dip(mark, number)
            if is_below and not _is_at_foot(picture.numbers, top):
                shift, side = (0, -4), {"ha": "center", "va": "top"}
            axes.annotate(
                _plain(harmless(words)), at, shift, textcoords="offset points", color=look.text,
                fontsize=scale * mpl.rcParams["font.size"], bbox=ground, **cast(Any, side),
            )  # fmt: skip


def _is_at_foot(axis: Axis, value: float) -> bool:
    """Whether words below a number would lie on the other axis."""
    if axis.low is None or axis.high is None:
        return False
    return value - axis.low < _FOOT * (axis.high - axis.low)


def _beside(mark: Mark, picture: Picture) -> float:
    """How far bars stand from the middle of their things."""
    place, count = picture.place_of(mark)
    return (place - (count - 1) / 2) * 0.8 / count


def _sized(length: float) -> float:
    """The width of a line or the size of a marker beside the type: a slide has larger ones."""
    import matplotlib as mpl

    return length * float(mpl.rcParams["font.size"]) / _USUAL_POINTS


def _dashes(look: Look) -> Any:
    return (0, look.dash) if look.dash else "-"


def _intervals(axes: Axes, mark: Mark, look: Look, picture: Picture) -> Any:
    place, count = picture.place_of(mark)
    places, middle = picture.values_of(mark)
    places = places + (place - (count - 1) / 2) * _LANE
    reach = _reach(mark, middle)
    how: dict[str, Any] = {
        "fmt": _MARKERS[look.marker], "color": look.line, "ecolor": look.text,
        "capsize": _sized(2.5), "markersize": _sized(4), "elinewidth": _sized(1.2),
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
        axes.plot(x, y, arrow, color=look.text, markersize=_sized(4), clip_on=False)


def _bars(axes: Axes, mark: Mark, look: Look, picture: Picture) -> Any:
    import numpy as np

    wide = 0.8 / picture.place_of(mark)[1]
    places, numbers = picture.values_of(mark)
    places = places + _beside(mark, picture)
    is_endless = np.isinf(numbers)
    how: dict[str, Any] = {
        "color": look.fill, "edgecolor": look.line, "hatch": _HATCH if look.is_hatched else "",
        # A series is drawn in one dark colour, on which an interval of its own is not seen.
        "linewidth": _sized(0.7), "capsize": _sized(2.0),
        "error_kw": {"elinewidth": _sized(1.2)},
        "ecolor": theme_colour("text", look.theme) if mark.role is Role.SERIES else look.text,
        "xerr" if picture.is_lying else "yerr": _reach(mark, numbers),
    }  # fmt: skip
    draw = axes.barh if picture.is_lying else axes.bar
    for at in places[is_endless].tolist():
        where = (0.0, at) if picture.is_lying else (at, 0.0)
        axes.annotate("∞", where, (4, 4), textcoords="offset points", va="center")
    return draw(places, np.where(is_endless, 0.0, numbers), wide, **how)


def _points(axes: Axes, mark: Mark, look: Look, picture: Picture) -> Any:
    pairs = ((picture.x, mark.x), (picture.y, mark.y))
    is_inside = all(
        (one.low is None or (at >= one.low).all()) and (one.high is None or (at <= one.high).all())
        for one, at in pairs
    )
    return axes.plot(
        mark.x, mark.y, _MARKERS[look.marker], color=look.line, markerfacecolor="none",
        # One at the end of an axis is drawn whole, one beyond it not at all.
        markersize=_sized(4), clip_on=not is_inside, zorder=4,
    )[0]  # fmt: skip


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
    if picture.x.is_log and mark.low is None:
        mark = replace(mark, x=mark.x[mark.x > 0], y=mark.y[mark.x > 0])
    how: dict[str, Any] = {"color": look.line, "linestyle": _dashes(look), "linewidth": _sized(1.2)}
    if mark.low is not None and len(mark.x) > MANY:
        axes.fill_between(mark.x, mark.low, cast(Any, mark.high), facecolor=look.fill, alpha=0.35)
    if mark.low is None or len(mark.x) > MANY:
        if mark.role is Role.SERIES and not look.dash:
            how["linestyle"] = _IN_GREY[picture.series_of(mark) % len(_IN_GREY)]
        return axes.plot(mark.x, mark.y, **how)[0]
    how |= {"marker": _MARKERS[look.marker], "markersize": _sized(3.5), "capsize": _sized(2.0)}
    return axes.errorbar(mark.x, mark.y, yerr=_reach(mark, picture.values_of(mark)[1]), **how)


def _band(axes: Axes, mark: Mark, look: Look, _: Picture) -> Any:
    low, high = cast(Any, (mark.low, mark.high))  # A band has both.
    fill, alpha = look.fill, 0.35 if mark.role is Role.SERIES else None
    if mark.role is Role.REFERENCE:
        # It has no fill of its own, and stays in the background.
        fill, alpha = look.line, 0.14
    return axes.fill_between(
        mark.x, low, high, facecolor=fill, edgecolor=look.line, linewidth=0.0, alpha=alpha,
        hatch=_HATCH if look.is_hatched else None,
    )  # fmt: skip


def _cells(axes: Axes, mark: Mark, look: Look, _: Picture) -> None:
    import matplotlib as mpl
    import numpy as np
    from matplotlib.colors import LinearSegmentedColormap

    heat = tokens()["data"]["heat"][look.theme]
    cells = np.clip(mark.y, 0, None)
    axes.imshow(cells, LinearSegmentedColormap.from_list("heat", heat), aspect="auto")
    strong = 0.6 * max(float(np.nanmax(cells, initial=0.0)), 1e-12)
    inks = ("black", "white") if look.theme == "light" else ("white", "black")
    words = mark.words or [f"{value:,.1f}" for value in np.ravel(mark.y).tolist()]
    told = ["\n".join(_plain(harmless(one)) for one in said.split("\n")) for said in words]
    # Half of the width belongs to the names of the rows.
    letters = 0.5 * _letters(axes) / mark.y.shape[1]
    if max(map(len, told)) > letters:
        told = [one.replace(" ± ", "\n± ") for one in told]
    longest = max(len(line) for one in told for line in one.split("\n"))
    scale = min(1.0, max(letters / max(longest, 1), _SMALLEST))
    for place, ((i, j), value) in enumerate(np.ndenumerate(mark.y)):
        if told[place]:
            axes.text(
                j, i, told[place], ha="center", va="center", color=inks[bool(value > strong)],
                fontsize=scale * mpl.rcParams["font.size"],
            )  # fmt: skip


def _people(axes: Axes, mark: Mark, look: Look, _: Picture) -> Any:
    """Heads over shoulders, with what is written on their chests."""
    from matplotlib.patches import Ellipse, FancyBboxPatch

    how: dict[str, Any] = {
        "facecolor": look.fill, "edgecolor": look.line, "linewidth": _sized(0.5),
        "hatch": _HATCH if look.is_hatched else None,
    }  # fmt: skip
    shown = None
    for x, y, words in zip(mark.x, mark.y, mark.words or [""] * len(mark.x), strict=True):
        axes.add_patch(Ellipse((x, y + 0.27), 0.3, 0.3, **how))
        shoulders = "round,pad=0,rounding_size=0.15"
        shown = axes.add_patch(
            FancyBboxPatch((x - 0.32, y - 0.4), 0.64, 0.5, boxstyle=shoulders, **how)
        )
        if words:
            plate = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
            axes.text(
                x, y - 0.15, words, ha="center", va="center", fontsize="xx-small",
                bbox=cast(Any, plate if look.is_hatched else None),
                color="white" if mark.role is Role.TRUE else theme_colour("text"),
            )  # fmt: skip
    return shown


def _rule(axes: Axes, mark: Mark, look: Look, picture: Picture) -> Any:
    stands = picture.stands(mark)
    draw = axes.axvline if stands else axes.axhline
    at = float((mark.x if stands else mark.y)[0])
    return draw(at, color=look.line, linewidth=_sized(0.8), linestyle=_dashes(look))


_DRAWN: dict[Shape, Callable[[Axes, Mark, Look, Picture], Any]] = {
    Shape.INTERVALS: _intervals, Shape.BARS: _bars, Shape.POINTS: _points, Shape.DOTS: _dots,
    Shape.LINE: _line, Shape.BAND: _band, Shape.CELLS: _cells, Shape.PEOPLE: _people,
    Shape.RULE: _rule, Shape.BOXES: _boxes,
}  # fmt: skip
