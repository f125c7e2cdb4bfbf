"""A report as one HTML file."""

from __future__ import annotations

from pathlib import Path

from ppworkbench.core.atomic import write_text
from ppworkbench.core.resources import resource
from ppworkbench.study.html import Page, css_variables, escaped
from ppworkbench.study.report.blocks import (
    Block,
    Figure,
    Grid,
    Heat,
    Listing,
    Paragraph,
    Points,
    Report,
    Section,
)

_MARKS = {"good": "✓", "bad": "!", "info": "i", "": "•"}
_SHADES = 20
"""Steps of the heat map, each a class of the style sheet."""


def report_html(report: Report) -> str:
    """The text of the page; it needs nothing from elsewhere and makes no request."""
    style = css_variables() + _style() + _heat_style()
    contents = "".join(
        f'<li><a href="#part{place}">{escaped(section.title)}</a></li>'
        for place, section in enumerate(report.sections)
        if section.level == 2
    )
    parts = "\n".join(_section(one, place) for place, one in enumerate(report.sections))
    body = (
        f'<main>\n<header><p class="kind">{escaped(report.kind)}</p>'
        f"<h1>{escaped(report.title)}</h1>"
        f'<p class="date">{escaped(report.date)}</p></header>\n'
        f'<nav aria-label="{escaped(report.contents)}"><ul>{contents}</ul></nav>\n{parts}\n</main>'
    )
    return Page(report.title, style, body, language=report.language).to_html()


def _style() -> str:
    return resource("report", "report.css").read_text(encoding="utf-8")


def write_report(report: Report, path: str | Path) -> None:
    """Write the page as a file, whole or not at all."""
    write_text(path, report_html(report))


def _section(section: Section, place: int) -> str:
    blocks = "\n".join(_block(block) for block in section.blocks)
    head = f"<h{section.level}>{escaped(section.title)}</h{section.level}>"
    return f'<section class="level{section.level}" id="part{place}">{head}\n{blocks}\n</section>'


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        look = f' class="{block.look}"' if block.look else ""
        return f"<p{look}>{escaped(block.text)}</p>"
    if isinstance(block, Points):
        return _points(block)
    if isinstance(block, Grid):
        return _grid(block)
    if isinstance(block, Heat):
        return _heat(block)
    if isinstance(block, Figure):
        return f'<figure role="img" aria-label="{escaped(block.summary)}">{block.svg}</figure>'
    return _listing(block)


def _points(points: Points) -> str:
    items = "".join(
        f'<li class="{look or "plain"}"><span aria-hidden="true">{_MARKS[look]}</span>'
        f"{escaped(text)}</li>"
        for look, text in points.items
    )
    return f'<ul class="points">{items}</ul>'


def _grid(grid: Grid) -> str:
    right = [head in grid.right for head in grid.heads]
    heads = "".join(_cell("th", *pair) for pair in zip(grid.heads, right, strict=True))
    rows = "".join(
        "<tr>" + "".join(_cell("td", *pair) for pair in zip(row, right, strict=True)) + "</tr>"
        for row in grid.rows
    )
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    if grid.folded:
        said = escaped(grid.caption)
        return f'<details><summary>{said}</summary><div class="wide">{table}</div></details>'
    caption = f'<p class="hint">{escaped(grid.caption)}</p>' if grid.caption else ""
    return f'<div class="wide">{table}</div>{caption}'


def _cell(tag: str, text: str, right: bool) -> str:
    look = ' class="number"' if right else ""
    return f"<{tag}{look}>{escaped(text)}</{tag}>"


def _heat(heat: Heat) -> str:
    heads = "".join(f'<th scope="col">{escaped(label)}</th>' for label in heat.columns)
    rows = "".join(
        f'<tr><th scope="row">{escaped(label)}</th>{"".join(map(_heat_cell, cells, texts))}</tr>'
        for label, cells, texts in zip(heat.rows, heat.cells, heat.texts, strict=True)
    )
    return (
        '<div class="wide"><table class="heat"><thead><tr>'
        f'<th class="corner">{escaped(heat.corner)}</th>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _heat_cell(probability: float, text: str) -> str:
    if probability == 0:
        return '<td class="none">0</td>'
    shade = min(int(probability * _SHADES), _SHADES - 1)
    return f'<td class="shade{shade}">{escaped(text)}</td>'


def _heat_style() -> str:
    """One rule for each shade: violet of growing depth, and ink that can be read on it."""
    rules = []
    for shade in range(_SHADES):
        share = round(100 * (shade + 0.5) / _SHADES)
        ink = "#fff" if share > 75 else "var(--on-pale)"
        mix = f"color-mix(in srgb, #5B3FB5 {share}%, var(--surface))"
        rules.append(f".shade{shade} {{ background: {mix}; color: {ink}; }}\n")
    return "".join(rules)


def _listing(listing: Listing) -> str:
    text = f"<pre>{escaped(listing.text)}</pre>"
    title = escaped(listing.title)
    if listing.folded:
        return f"<details><summary>{title}</summary>{text}</details>"
    return (f'<p class="hint">{title}</p>' if title else "") + text
