"""A report as one HTML file."""

from __future__ import annotations

from pathlib import Path

from ppworkbench.core.files import resource, write_text
from ppworkbench.study.html import Page, css_variables
from ppworkbench.study.report.blocks import MARKS, Report

_SHADES = 20
"""Steps of the heat map, each a class of the style sheet."""


def report_html(report: Report) -> str:
    """The text of the page; it needs nothing from elsewhere and makes no request."""
    style = resource("report", "report.css").read_text(encoding="utf-8")
    page = Page(report.title, css_variables() + style + _heat_style(), language=report.language)
    return page.to_html("report/report.html", report=report, marks=MARKS, shade=_shade)


def write_report(report: Report, path: str | Path) -> None:
    """Write the page as a file, whole or not at all."""
    write_text(path, report_html(report))


def _shade(probability: float) -> int:
    return min(int(probability * _SHADES), _SHADES - 1)


def _heat_style() -> str:
    """One rule for each shade: violet of growing depth, and ink that can be read on it."""
    rules = []
    for shade in range(_SHADES):
        share = round(100 * (shade + 0.5) / _SHADES)
        ink = "#fff" if share > 75 else "var(--on-pale)"
        mix = f"color-mix(in srgb, #5B3FB5 {share}%, var(--surface))"
        rules.append(f".shade{shade} {{ background: {mix}; color: {ink}; }}\n")
    return "".join(rules)
