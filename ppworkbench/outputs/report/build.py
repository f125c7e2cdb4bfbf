"""From a study to its report."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Params
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.outputs.report.attached_tables import attached_tables
from ppworkbench.outputs.report.attribute_section import attribute_section
from ppworkbench.outputs.report.evidence import Evidence, gather
from ppworkbench.outputs.report.lists import list_sections
from ppworkbench.outputs.report.main_sections import holds_truth, main_sections
from ppworkbench.outputs.report.study_sections import (
    compliance_sections,
    data_section,
    given_paragraph,
    noncompliance_sections,
    plan_sections,
    regression_sections,
    undo_section,
    whole_section,
)
from ppworkbench.outputs.report.translate import spoken
from ppworkbench.study.blocks import Grid, Paragraph, Report, Section
from ppworkbench.study.language import ENGLISH_TONGUE, Language
from ppworkbench.study.release import Point
from ppworkbench.study.state import invented_note, sample_note
from ppworkbench.study.study import Study


@dataclass(frozen=True)
class ReportOptions(Params):
    date: Annotated[str, Info("Date", "Date on the report; today if not set")] = ""


def today() -> str:
    """The day of the calendar on the wall."""
    return dt.datetime.now().astimezone().date().isoformat()


def build_report(
    study: Study,
    options: ReportOptions | None = None,
    *,
    points: Sequence[Point] = (),
    method: Sequence[str] = (),
    table_name: str = "",
    tongue: Language = ENGLISH_TONGUE,
    progress: Progress = silent,
) -> Report:
    """The report of a study; the same study gives the same report apart from its date.

    A study with original answers gives a report for those who may see them. One that came
    distorted, such as a released one, gives a report that may go along with the answers. What
    people read fits on eight sheets of paper; matrices, all measures and long tables are attached.

    Parameters
    ----------
    points
        What a release protects and what it does not.
    method
        Sentences about how the table was made, where the design does not tell.
    table_name
        The file of the answers that goes along with it, where its name is not the usual one.
    tongue
        The language it is written in; what comes from the study stays as it is.
    """
    options = options or ReportOptions()
    date = options.date or today()
    evidence = gather(study, part(progress, 0, 0.8), tongue, table_name)
    sections = main_sections(evidence, points, method, tongue)
    attachments = [*_measures(evidence), data_section(evidence), *noncompliance_sections(evidence)]
    if study.design.attributes:
        attachments.append(Section("Attributes", (given_paragraph(evidence),)))
        names = study.design.without_arms().names
        for number, name in enumerate(names):
            progress(
                0.8 + 0.2 * number / len(names),
                Message("describing {attribute}", attribute=name),
            )
            attachments.append(attribute_section(evidence, name))
        attachments += [
            *list_sections(evidence),
            *regression_sections(evidence),
            *compliance_sections(evidence),
            whole_section(evidence),
            *plan_sections(study),
            undo_section(study.design),
        ]
    made = Report(
        study.title,
        date,
        tuple(sections),
        tuple(attachments),
        attached_tables(evidence),
        invented_note(study) or sample_note(study) or "",
        is_private=holds_truth(evidence),
    )
    return spoken(made, tongue, study)


def _measures(evidence: Evidence) -> list[Section]:
    """The measures of all questions side by side."""
    if not evidence.study.design.attributes:
        return []
    heads = ("Attribute", "Mechanism", "Epsilon", "Attack success", "Information loss")
    rows = tuple(_short(one, evidence.heading(one.name)) for one in evidence.assessment.attributes)
    told = (
        "Attack success: share of correct guesses of an attacker who sees the "
        "reported answer. Information loss: share of answers that the estimate puts "
        "at a wrong value."
    )
    return [Section("Measures", (Grid(heads, rows, right=heads[2:]), Paragraph(told, "hint")))]


def _short(report: AttributeReport, heading: str) -> tuple[str, ...]:
    readings = {reading.name: reading.text for reading in report.privacy}
    loss = next((r.text for r in report.utility.readings if r.name == "information_loss"), "–")
    return (
        heading,
        report.perturbation.summary(),
        readings.get("epsilon", "–"),
        readings.get("attack_success", "–"),
        loss,
    )
