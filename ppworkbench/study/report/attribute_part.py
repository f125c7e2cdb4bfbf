"""The part of a report about one attribute: in words, in a picture, in numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.table import Column
from ppworkbench.core.design.fit import fit_column
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.reading import Reading, percent
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.reconstruct import Reconstruction
from ppworkbench.study.report.blocks import Block, Grid, Heat, Paragraph, Section
from ppworkbench.study.report.evidence import Evidence
from ppworkbench.study.report.figure import Shares, bars_figure, curves_figure

Numbers = NDArray[np.float64]
MOST_CELLS = 12
"""A larger matrix is in the design file; on paper nobody could read it."""
MOST_BARS = 30


def attribute_section(evidence: Evidence, name: str) -> Section:
    """All about one attribute."""
    report = evidence.assessment[name]
    blocks: list[Block] = [Paragraph(evidence.explained(name), "lead")]
    group = evidence.study.design.group_of(name)
    if group is not None:
        others = tuple(other for other in group.attributes if other != name)
        blocks.append(
            Paragraph(
                Message(
                    "Shares its coin with: {others}.", others=others or Message("nothing else")
                ),
                "hint",
            )
        )
    found = evidence.reconstructed.get(name)
    if found is not None and found.rows:
        blocks += _distribution(evidence, found)
    blocks += _matrix(report)
    blocks.append(_readings("What it protects", tuple(report.privacy)))
    blocks.append(_readings("What it costs", tuple(report.utility.readings)))
    warned = dict.fromkeys([*report.warnings, *(found.warnings if found is not None else ())])
    blocks += [Paragraph(warning, "warning") for warning in warned]
    return Section(evidence.heading(name), tuple(blocks), level=3)


def _readings(title: str, readings: tuple[Reading, ...]) -> Grid:
    rows = tuple((reading.label, reading.text, reading.sentence) for reading in readings)
    return Grid((title, "Value", "What it means"), rows, right=("Value",))


def _matrix(report: AttributeReport) -> list[Block]:
    matrix, values = report.matrix, report.attribute.values
    if matrix is None or len(values) < 2:
        return []
    if len(values) > MOST_CELLS:
        size = f"{len(values)} × {len(values)}"
        return [
            Paragraph(
                Message("The P-matrix has {size} cells; it follows from the design.", size=size),
                "hint",
            )
        ]
    cells = tuple(tuple(float(cell) for cell in row) for row in matrix)
    texts = tuple(tuple(f"{cell:.3g}" for cell in row) for row in cells)
    return [Heat(values, values, cells, texts)]


def _distribution(evidence: Evidence, found: Reconstruction) -> list[Block]:
    name = found.attribute.name
    designed = evidence.study.design[name]
    distorted = evidence.distorted[name]
    original = None if evidence.original is None else evidence.original[name]
    if found.values is not None:
        truth = None if original is None else _shares(fit_column(original, designed), found.k)
        told = _shares(distorted.data, found.k)
        labels = found.values
        series = _series(found, truth, told)
        drawn = len(labels) <= MOST_BARS
        picture = bars_figure(labels, series, evidence.tongue.say) if drawn else None
    else:
        series = _numbers(found, original, distorted, designed.attribute, evidence)
        labels = found.labels
        picture = curves_figure(series, evidence.tongue.say)
    return [*([picture] if picture is not None else []), _table(found, series, labels)]


def _shares(codes: NDArray[np.integer], k: int) -> Numbers:
    counts = np.bincount(codes[codes >= 0], minlength=k).astype(np.float64)
    return np.asarray(counts / max(counts.sum(), 1.0), np.float64)


def _series(found: Reconstruction, truth: Numbers | None, told: Numbers) -> tuple[Shares, ...]:
    estimate = Shares("reconstructed", found.probability, found.low, found.high, found.edges)
    first = () if truth is None else (Shares("original", truth, edges=found.edges),)
    return (*first, Shares("distorted", told, edges=found.edges), estimate)


def _numbers(
    found: Reconstruction,
    original: Column | None,
    distorted: Column,
    attribute: Attribute,
    evidence: Evidence,
) -> tuple[Shares, ...]:
    edges = found.edges
    assert edges is not None  # noqa: S101 (numbers are estimated in intervals)
    wide = evidence.study.design.perturbation(attribute.name).interval_edges(attribute)
    if wide is not None:
        told = Shares("distorted", _shares(distorted.data, len(wide) - 1), edges=wide)
    else:
        wide = _widened(edges, distorted.data[~distorted.missing])
        told = Shares("distorted", _histogram(distorted, wide), edges=wide)
    estimate = Shares("reconstructed", found.probability, found.low, found.high, edges)
    if original is None:
        return told, estimate
    return Shares("original", _histogram(original, edges), edges=edges), told, estimate


def _histogram(column: Column, edges: Numbers) -> Numbers:
    counts = np.histogram(column.data[~column.missing], edges)[0].astype(np.float64)
    return np.asarray(counts / max(counts.sum(), 1.0), np.float64)


def _widened(edges: Numbers, data: Numbers) -> Numbers:
    """The intervals, continued to where distorted numbers lie."""
    if not len(data):
        return edges
    step = float(np.median(np.diff(edges)))
    before = min(int(np.ceil(max(float(edges[0] - data.min()), 0) / step)), 200)
    after = min(int(np.ceil(max(float(data.max() - edges[-1]), 0) / step)), 200)
    return np.concatenate(
        [
            edges[0] - step * np.arange(before, 0, -1),
            edges,
            edges[-1] + step * np.arange(1, after + 1),
        ]
    )


def _table(found: Reconstruction, series: tuple[Shares, ...], labels: tuple[str, ...]) -> Grid:
    same = [one for one in series if len(one.shares) == len(labels)]
    heads = ["Interval" if found.values is None else "Value"]
    heads += [one.role.capitalize() for one in same]
    rows = [
        [label, *(f"{100 * one.shares[i]:.1f} %" for one in same)] for i, label in enumerate(labels)
    ]
    if found.low is not None and found.high is not None:
        heads.append("95 % interval")
        for i, row in enumerate(rows):
            row.append(
                Message(
                    "{low:.1f} to {high:.1f} %", low=100 * found.low[i], high=100 * found.high[i]
                )
            )
    caption = [
        Message(
            "Estimated by {algorithm} from {rows:,} answers.",
            algorithm=found.algorithm,
            rows=found.rows,
        )
    ]
    if found.missing:
        caption.append(Message("Missing answers: {missing:,}.", missing=found.missing))
    if found.information_loss is not None:
        wrong = percent(found.information_loss)
        caption.append(Message("Counted in the wrong place: {wrong} of the answers.", wrong=wrong))
    return Grid(
        tuple(heads),
        tuple(map(tuple, rows)),
        tuple(heads[1:]),
        Message.joined(caption),
        len(labels) > 12,
    )
