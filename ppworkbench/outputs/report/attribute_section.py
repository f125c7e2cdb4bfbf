"""The section of one attribute: its device, its readings and its distribution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.table import Column
from ppworkbench.core.design.fit import fit_column
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.reading import Reading, percent
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.reconstruct import Reconstruction
from ppworkbench.outputs.report.evidence import Evidence
from ppworkbench.outputs.report.figure import bars_picture, curves_picture, drawn, role_word
from ppworkbench.results.picture import Shares
from ppworkbench.study.blocks import Block, Grid, Heat, Paragraph, Section
from ppworkbench.study.release import devices_of

MOST_CELLS = 12
"""A larger matrix is in the design file; on paper nobody could read it."""
MOST_BARS = 30


def attribute_section(evidence: Evidence, name: str) -> Section:
    report = evidence.assessment[name]
    blocks: list[Block] = [Paragraph(evidence.explained(name), "lead")]
    asked = evidence.study.attribute(name)
    if asked.label and asked.label != asked.shown:
        blocks.insert(0, Paragraph(f"“{asked.label}”", "hint"))
    group = evidence.study.design.group_of(name)
    if group is not None:
        others = tuple(other for other in group.attributes if other != name)
        blocks.append(
            Paragraph(
                Message("Grouped with: {others}.", others=others or Message("no other attribute")),
                "hint",
            )
        )
    found = evidence.reconstructed.get(name)
    if found is not None and found.rows:
        blocks += _distribution(evidence, found)
    if name in evidence.refused:
        blocks.append(Paragraph(evidence.refused[name], "warning"))
    blocks += _by_arm(evidence, name)
    blocks += _matrix(report)
    blocks.append(_readings("Privacy", tuple(report.privacy)))
    blocks.append(_readings("Accuracy", tuple(report.utility.readings)))
    warned = dict.fromkeys([*report.warnings, *(found.warnings if found is not None else ())])
    blocks += [Paragraph(warning, "warning") for warning in warned]
    if name in evidence.sampled:
        blocks += [Paragraph(remark, "hint") for remark in evidence.sampled[name].remarks]
    return Section(evidence.heading(name), tuple(blocks), level=3)


def _by_arm(evidence: Evidence, name: str) -> list[Block]:
    names = evidence.study.design.versions.choices
    if not names:
        return []
    devices, found = devices_of(evidence.study.design, name), evidence.by_arm.get(name)
    rows = []
    for arm in names:
        device = devices.get(arm, devices.get(""))
        how = Message("not asked") if device is None else device.summary()
        alone = None if found is None else found.arms.get(arm)
        if alone is None:
            rows.append((arm, how, "–", "–"))
            continue
        shares = tuple(
            Message("{value} {share:.1f} %", value=value, share=100 * float(share))
            for value, share in zip(alone.labels, alone.estimate, strict=True)
        )
        listed = shares if len(shares) <= MOST_CELLS else (*shares[:MOST_CELLS], Message("…"))
        rows.append((arm, how, f"{alone.rows:,}", Message("{listed}", listed=listed)))
    heads = ("Arm", "Mechanism", "Answers", "Estimate")
    blocks: list[Block] = [Grid(heads, tuple(rows), right=("Answers",))]
    if found is not None and found.sentence:
        told = Message.joined((found.sentence, *found.remarks))
        blocks.append(Paragraph(told))
    return blocks


def _readings(title: str, readings: tuple[Reading, ...]) -> Grid:
    rows = tuple((reading.label, reading.text, reading.sentence) for reading in readings)
    return Grid((title, "Value", "Interpretation"), rows, right=("Value",))


def _matrix(report: AttributeReport) -> list[Block]:
    matrix, values = report.matrix, report.attribute.values
    if matrix is None or len(values) < 2:
        return []
    if len(values) > MOST_CELLS:
        size = f"{len(values)} × {len(values)}"
        return [
            Paragraph(
                Message(
                    "The transition matrix has {size} cells; it follows from the design.", size=size
                ),
                "hint",
            )
        ]
    cells = tuple(tuple(float(cell) for cell in row) for row in matrix)
    texts = tuple(tuple(f"{cell:.3g}" for cell in row) for row in cells)
    return [Heat(values, values, cells, texts)]


def _distribution(evidence: Evidence, found: Reconstruction) -> list[Block]:
    name = found.attribute.name
    shown = evidence.study.shown(name)
    designed = evidence.study.design[name]
    distorted = evidence.distorted[name]
    original = None if evidence.original is None else evidence.original[name]
    if found.values is not None:
        told, truth = reported_shares(evidence, found)
        labels = found.values
        series = _series(found, truth, told)
        picture = bars_picture(shown, labels, series) if len(labels) <= MOST_BARS else None
    else:
        series = _numbers(found, original, distorted, designed.attribute, evidence)
        labels = found.labels
        picture = curves_picture(shown, designed.attribute.unit, series)
    figures = [] if picture is None else [drawn(picture, evidence.tongue.say)]
    return [*figures, _table(found, series, labels)]


def reported_shares(
    evidence: Evidence, found: Reconstruction
) -> tuple[Numbers | None, Numbers | None]:
    """The shares of the reported and, where they are known, of the true values.

    Of reports that are sets there are none.
    """
    name, weights = found.attribute.name, evidence.weights
    column = evidence.distorted[name]
    told = None if column.is_set else _shares(column.data, found.k, weights)
    if evidence.original is None:
        return told, None
    designed = evidence.study.design[name]
    return told, _shares(fit_column(evidence.original[name], designed), found.k, weights)


def _shares(codes: NDArray[np.integer], k: int, weights: Numbers | None) -> Numbers:
    known = codes >= 0
    counted = None if weights is None else weights[known]
    counts = np.bincount(codes[known], counted, k).astype(np.float64)
    return np.asarray(counts / max(counts.sum(), 1.0), np.float64)


def _series(
    found: Reconstruction, truth: Numbers | None, told: Numbers | None
) -> tuple[Shares, ...]:
    estimate = Shares("reconstructed", found.estimate, found.edges, found.low, found.high)
    first = () if truth is None else (Shares("original", truth, edges=found.edges),)
    second = () if told is None else (Shares("distorted", told, edges=found.edges),)
    return (*first, *second, estimate)


def _numbers(
    found: Reconstruction,
    original: Column | None,
    distorted: Column,
    attribute: Attribute,
    evidence: Evidence,
) -> tuple[Shares, ...]:
    edges = found.edges
    assert edges is not None  # noqa: S101 (numbers are estimated in intervals)
    wide = evidence.study.design.perturbation(attribute.name).numbers.interval_edges(attribute)
    if wide is not None:
        counts = _shares(distorted.data, len(wide) - 1, evidence.weights)
        told = Shares("distorted", counts, edges=wide)
    else:
        wide = _widened(edges, distorted.data[~distorted.missing])
        told = Shares("distorted", _histogram(distorted, wide, evidence.weights), edges=wide)
    estimate = Shares("reconstructed", found.probability, edges, found.low, found.high)
    if original is None:
        return told, estimate
    true = _histogram(original, edges, evidence.weights)
    return Shares("original", true, edges=edges), told, estimate


def _histogram(column: Column, edges: Numbers, weights: Numbers | None) -> Numbers:
    known = ~column.missing
    counted = None if weights is None else weights[known]
    counts = np.histogram(column.data[known], edges, weights=counted)[0].astype(np.float64)
    return np.asarray(counts / max(counts.sum(), 1.0), np.float64)


def _widened(edges: Numbers, data: Numbers) -> Numbers:
    """The intervals, continued to where distorted numbers lie."""
    if not len(data):
        return edges
    step = float(np.median(np.diff(edges)))
    # A rounding error beyond an end is no reason for another interval.
    before = min(int(np.ceil(max(float(edges[0] - data.min()), 0) / step - 1e-6)), 200)
    after = min(int(np.ceil(max(float(data.max() - edges[-1]), 0) / step - 1e-6)), 200)
    return np.concatenate(
        [
            edges[0] - step * np.arange(before, 0, -1),
            edges,
            edges[-1] + step * np.arange(1, after + 1),
        ]
    )


def _table(found: Reconstruction, series: tuple[Shares, ...], labels: tuple[str, ...]) -> Grid:
    same = [one for one in series if len(one.share) == len(labels)]
    heads = ["Interval" if found.values is None else "Value"]
    heads += [role_word(one.role, series).capitalize() for one in same]
    rows = [
        [label, *(f"{100 * one.share[i]:.1f} %" for one in same)] for i, label in enumerate(labels)
    ]
    if found.low is not None and found.high is not None:
        heads.append("95\u202f% interval")
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
        caption.append(
            Message("Information loss: {wrong} of the answers at a wrong value.", wrong=wrong)
        )
    return Grid(
        tuple(heads),
        tuple(map(tuple, rows)),
        tuple(heads[1:]),
        Message.joined(caption),
        len(labels) > 12,
    )
