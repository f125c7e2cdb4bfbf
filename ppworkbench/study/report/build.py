"""From a study to its report."""

from __future__ import annotations

import datetime as dt
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata

from ppworkbench import __version__
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Params
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.language.tongue import ENGLISH, Tongue
from ppworkbench.study.release_checks import Point, undistorted
from ppworkbench.study.report.attribute_part import attribute_section
from ppworkbench.study.report.blocks import Block, Grid, Paragraph, Points, Report, Section
from ppworkbench.study.report.evidence import Evidence, gather
from ppworkbench.study.report.spoken import spoken
from ppworkbench.study.report.undo import undo_section
from ppworkbench.study.study import Study

LIBRARIES = ("numpy", "scipy", "pandas", "pyarrow")
KEEP_IT = (
    "This report shows the distribution of the true answers and the seed of the study. Seed and "
    "design together undo the distortion: keep it where you keep the true answers, and release the "
    "report of a bundle instead."
)
NO_SEED = (
    "There is no seed in this report: the answers were drawn from the operating system's "
    "randomness, or came distorted. Nothing here was taken from the true answers."
)


@dataclass(frozen=True)
class ReportOptions(Params):
    """What a person may say about a report."""

    date: Annotated[str, Info("Date", "Date on the report; today if not set")] = ""


def build_report(
    study: Study,
    options: ReportOptions | None = None,
    *,
    points: Sequence[Point] = (),
    method: Sequence[str] = (),
    tongue: Tongue = ENGLISH,
    progress: Progress = silent,
) -> Report:
    """The report of a study; the same study gives the same report apart from its date.

    A study with original answers gives a report for those who may see them. One that came
    distorted, such as a released one, gives a report that may go along with the answers.

    Parameters
    ----------
    points
        What a release protects and what it does not.
    method
        Sentences about how the table was made, where the design does not tell.
    tongue
        The language it is written in; what comes from the study stays as it is.
    """
    options = options or ReportOptions()
    date = options.date or dt.datetime.now().astimezone().date().isoformat()
    evidence = gather(study, part(progress, 0, 0.8), tongue)
    sections = [_overview(evidence, method), *_protection(points, tongue), _data(evidence)]
    if study.design.attributes:
        sections.append(Section("Attribute by attribute", (_given(evidence),)))
        for number, name in enumerate(study.design.names):
            progress(
                0.8 + 0.2 * number / len(study.design.names),
                Message("describing {name}", name=name),
            )
            sections.append(attribute_section(evidence, name))
        sections += [_whole(evidence), undo_section(study.design, file_stem(study.title))]
    sections.append(_versions(study))
    return spoken(Report(study.title, date, tuple(sections)), tongue, study)


def _overview(evidence: Evidence, method: Sequence[str]) -> Section:
    study = evidence.study
    people = (
        Message("{smallest:,} people", smallest=evidence.distorted.rows)
        if evidence.distorted.rows
        else Message("Nobody yet")
    )
    bare = undistorted(study.design)
    count = len(study.design.attributes)
    said = Message(
        "{people}, {count} attributes; {distorted} of them are distorted.",
        people=people,
        count=count,
        distorted=count - len(bare),
    )
    blocks: list[Block] = [Paragraph(said, "lead"), *map(Paragraph, method)]
    if evidence.original is not None:
        blocks.append(Paragraph(KEEP_IT, "warning"))
    if count:
        heads = ("Attribute", "Mechanism", "Epsilon", "Attacker's best guess", "Expected error")
        rows = tuple(_short(one) for one in evidence.assessment.attributes)
        blocks.append(Grid(heads, rows, right=heads[2:]))
        told = (
            "Best guess: how often an attacker who sees one answer guesses the true one. Expected "
            "error: the share of answers that an estimate from so many people puts into the wrong "
            "place."
        )
        blocks.append(Paragraph(told, "hint"))
    return Section("In short", tuple(blocks))


def _short(report: AttributeReport) -> tuple[str, ...]:
    readings = {reading.name: reading.text for reading in report.privacy}
    loss = next((r.text for r in report.utility.readings if r.name == "information_loss"), "–")
    return (
        report.name,
        report.perturbation.summary(),
        readings.get("epsilon", "–"),
        readings.get("attack_success", "–"),
        loss,
    )


def _protection(points: Sequence[Point], tongue: Tongue) -> list[Section]:
    if not points:
        return []
    looks = {True: "good", False: "bad", None: "info"}
    items = tuple((looks[point.good], point.said(tongue)) for point in points)
    return [Section("What is protected and what is not", (Points(items),))]


def _data(evidence: Evidence) -> Section:
    study = evidence.study
    shown = evidence.original if evidence.original is not None else evidence.distorted
    rows = []
    for attribute in study.attributes or shown.attributes:
        if attribute.name not in study.design and attribute.name not in shown:
            continue
        possible = (
            Message("{low:g} to {high:g}", low=attribute.domain[0], high=attribute.domain[1])
            if attribute.domain is not None
            else ", ".join(attribute.values)
        )
        missing = f"{shown[attribute.name].missing_count:,}" if attribute.name in shown else "–"
        kind = str(attribute.kind)
        rows.append((attribute.name, attribute.label, kind, possible, missing))
    heads = ("Attribute", "Question", "Kind", "Possible answers", "Missing")
    kind = Message("original" if evidence.original is not None else "distorted")
    said = (
        Message("{rows:,} rows of {kind} answers.", rows=shown.rows, kind=kind)
        if shown.rows
        else "There are no answers yet."
    )
    left_out = [name for name in shown.names if name not in study.design]
    blocks: list[Block] = [Paragraph(said), Grid(heads, tuple(rows), right=("Missing",))]
    if left_out and study.design.attributes:
        names = ", ".join(left_out)
        blocks.append(
            Paragraph(
                Message("Not in the design, and never published: {names}.", names=names), "hint"
            )
        )
    return Section("Data", tuple(blocks))


def _given(evidence: Evidence) -> Paragraph:
    n = evidence.distorted.rows or evidence.study.settings.respondents
    return Paragraph(
        Message(
            "Measures hold for {n:,} respondents, and if {prior_sentence}. In "
            "matrices a column is a true answer, a row what it becomes.",
            n=n,
            prior_sentence=evidence.prior_sentence,
        ),
        "hint",
    )


def _whole(evidence: Evidence) -> Section:
    assessment = evidence.assessment
    heads = ("Measure", "Value", "What it means")
    rows = tuple((r.label, r.text, r.sentence) for r in assessment.readings)
    blocks: list[Block] = [Grid(heads, rows, right=("Value",))]
    for group in assessment.groups:
        told = tuple((r.label, r.text, r.sentence) for r in group.readings)
        caption = Message("Sharing one coin: {attributes}", attributes=", ".join(group.attributes))
        blocks.append(Grid(heads, told, right=("Value",), caption=caption))
    blocks += [Paragraph(warning, "warning") for warning in assessment.warnings]
    return Section("The whole questionnaire", tuple(blocks))


def _versions(study: Study) -> Section:
    rows = [("ppworkbench", __version__), ("Python", platform.python_version())]
    rows += [(name, metadata.version(name)) for name in LIBRARIES]
    blocks: list[Block] = []
    if study.original is not None:
        rows.append(("seed of the study", str(study.settings.seed)))
        blocks.append(
            Paragraph("With these versions and the seed the distorted answers come out the same.")
        )
    else:
        blocks.append(Paragraph(NO_SEED))
    blocks.append(Grid(("Program", "Version"), tuple(rows)))
    return Section("Versions and seed" if study.original is not None else "Versions", tuple(blocks))
