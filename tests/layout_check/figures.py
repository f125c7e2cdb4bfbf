"""Charts as files and the clipboard get them: is every text whole, and none on another one?"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from PySide6.QtWidgets import QWidget

from layout_check.fault import Fault, path_of, seen_in
from ppworkbench.gui.charts.chart_export import figure_of
from ppworkbench.gui.language import tongue
from ppworkbench.results.figure import SIZES, picture_bytes, picture_figure
from ppworkbench.results.picture import Picture, Role, Shape

Say = Callable[[str], str]
_TOUCH = 2.0
"""Pixels by which boxes may overlap: there is room above and below letters."""


def figure_faults(root: QWidget, seen: set[str], folder: Path | None) -> Iterator[Fault]:
    """What is wrong with the charts below a widget that were not ``seen``; files go to a folder."""
    for widget in seen_in(root):
        picture = figure_of(widget)
        if picture is None:
            continue
        marks = tuple(one for one in picture.marks if one.name not in picture.handles)
        drawn, say = dataclasses.replace(picture, marks=marks, handles=()), tongue().say
        svg = picture_bytes(drawn, "svg", "column", say).decode()
        if svg in seen:
            continue
        seen.add(svg)
        ET.fromstring(svg)
        wanted = any(one.role is Role.REPORTED and one.shape is Shape.BARS for one in marks)
        told = [f"{text} in size {size}" for size in SIZES for text in faults(drawn, size, say)]
        told += (
            ["bars of what was reported have no hatch"] if wanted and "<pattern" not in svg else []
        )
        told += ["nothing is told to who cannot see it"] if "<desc></desc>" in svg else []
        yield from (Fault("figure", path_of(widget), text) for text in told)
        if folder is not None:
            for kind in ("png", "svg", "pdf"):
                file = folder / f"figure-{len(seen):02d}-{picture.name}.{kind}"
                file.write_bytes(picture_bytes(drawn, kind, "column", say))


def faults(picture: Picture, size: str, say: Say) -> Iterator[str]:
    """Texts that lie on each other, or reach beyond the page."""
    figure = picture_figure(picture, size, say)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer, page, hidden = canvas.get_renderer(), figure.bbox, _hidden_labels(figure)
    boxes = [
        (text.get_text(), _letters(text, renderer))
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and id(text) not in hidden
    ]
    for words, box in boxes:
        inside = page.x0 - 1 <= box.x0 <= box.x1 <= page.x1 + 1
        if not (inside and page.y0 - 1 <= box.y0 <= box.y1 <= page.y1 + 1):
            yield f"{words!r} is cut"
    for (first, one), (second, other) in combinations(boxes, 2):
        wide = min(one.x1, other.x1) - max(one.x0, other.x0)
        high = min(one.y1, other.y1) - max(one.y0, other.y0)
        if min(wide, high) > _TOUCH:
            yield f"{first!r} lies on {second!r}"


def _letters(text: Text, renderer: Any) -> Bbox:
    """The box of a text; of one that is turned, that of its end: its whole box is mostly empty."""
    box = text.get_window_extent(renderer)
    if not text.get_rotation() % 90:
        return box
    high = text.get_fontsize() * renderer.dpi / 72
    return Bbox.from_bounds(box.x1 - high, box.y1 - high, high, high)


def _hidden_labels(figure: Figure) -> set[int]:
    """Labels of ticks beyond the ends of an axis, which are there and are not drawn."""
    hidden = set()
    for axis in figure.findobj(Axis):
        drawn = {id(tick) for tick in axis._update_ticks()}
        for tick in (*axis.majorTicks, *axis.minorTicks):
            if id(tick) not in drawn or not axis.axes.axison:
                hidden |= {id(tick.label1), id(tick.label2)}
    return hidden
