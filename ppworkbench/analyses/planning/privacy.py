"""What a design protects, and what that costs in accuracy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np

from ppworkbench.analyses.designs.design import measures_of
from ppworkbench.analyses.planning.request import (
    DesignSource,
    Expected,
    Ignoring,
    People,
    PlanningRequest,
    PlanningResult,
    checked_noncompliance,
    device_of,
    drawn_priors,
)
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.release import epsilon_conditions
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Option, Read, Within
from ppworkbench.core.planning import RESPONDENTS
from ppworkbench.core.privacy.assess import assess, assess_arms, assess_attribute
from ppworkbench.core.privacy.belief import meant_places
from ppworkbench.core.privacy.reading import Reading
from ppworkbench.core.privacy.report import ArmsReport, AttributeReport, QuestionnaireReport
from ppworkbench.core.privacy.utility.noncompliance import known_noncompliance
from ppworkbench.core.progress import Progress, silent
from ppworkbench.results.picture import MOST_LINES, Axis, Mark, Picture, Role, Shape
from ppworkbench.results.result import Result
from ppworkbench.results.sheet import Column, Kind, Sheet
from ppworkbench.results.text import aligned, harmless, naming, note_lines

_HEADS = ["measure", "value", "interpretation"]
_COLUMNS = {
    "design": Message("design"), "arm": Message("arm"), "attribute": Message("attribute"),
    "measure": Message("measure"), "part": Message("part"), "value": Message("value"),
    "unit": Message("unit"), "meaning": Message("meaning"),
}  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PrivacyResult(PlanningResult):
    """Measures of every attribute and of the whole questionnaire; ``report`` has them in full."""

    report: QuestionnaireReport | ArmsReport
    half_width: float | None = None
    compared: Mapping[str, Mapping[str, AttributeReport]] = field(default_factory=dict)

    @property
    def _by_arm(self) -> Mapping[str, QuestionnaireReport]:
        return self.report.arms if isinstance(self.report, ArmsReport) else {"": self.report}

    def numbers(self) -> Mapping[str, Any]:
        document = self.report.to_json()
        told = document["arms"] if isinstance(self.report, ArmsReport) else {"": document}
        for arm, report in self._by_arm.items():
            for one in report.attributes:
                self._add_needed(told[arm]["attributes"][one.name], one)
        if self.compared:
            document["compare"] = {
                name: {one.name: self._add_needed(one.to_json(), one) for one in devices.values()}
                for name, devices in self.compared.items()
            }
        return document

    def _add_needed(self, told: dict[str, Any], report: AttributeReport) -> dict[str, Any]:
        needed = self._needed(report)
        if needed is not None:
            told["utility"]["respondents"] = needed
        return told

    def _needed(self, report: AttributeReport) -> float | None:
        return None if self.half_width is None else measures_of(report, self.half_width)["needed"]

    def _needed_words(self, needed: float) -> str:
        if math.isinf(needed):
            return "No number of respondents is enough."
        return (
            f"{_count(needed)} respondents reduce the half-width of each share's 95 % interval to "
            f"{self.half_width:g}."
        )

    def summary(self) -> str:
        report = self.report
        if isinstance(report, ArmsReport):
            shown = self.shown
            parts = [
                f"Arm {harmless(arm)}\n\n{self._report_text(one)}"
                for arm, one in report.arms.items()
            ]
            parts += [harmless(report.sentence), *note_lines(report.warnings, shown, "Warning")]
        else:
            parts = [self._report_text(report)]
        parts += [
            f"{harmless(name)}, compared\n{self._attribute_text(one)}"
            for name, devices in self.compared.items()
            for one in devices.values()
        ]
        return "\n\n".join([*parts, *note_lines(self.remarks)])

    def _report_text(self, report: QuestionnaireReport) -> str:
        parts = [self._attribute_text(one) for one in report.attributes]
        whole = [[one.label, one.text, one.sentence] for one in report.shown_readings]
        parts.append("Whole questionnaire\n" + aligned(_HEADS, whole))
        return "\n\n".join(parts)

    def _attribute_text(self, report: AttributeReport) -> str:
        lines = [f"{harmless(report.attribute.heading)}: {report.perturbation.summary()}"]
        rows = [[r.label, r.text, r.sentence] for r in (*report.privacy, *report.utility.readings)]
        needed = self._needed(report)
        if needed is not None:
            points = f"Respondents for ± {100 * (self.half_width or 0.0):.3g} points"
            rows.append([points, _count(needed), self._needed_words(needed)])
        lines.append(aligned(_HEADS, rows))
        lines += note_lines(report.warnings, naming([report.attribute]), "Warning")
        return "\n".join(lines)

    def sheets(self) -> tuple[Sheet, ...]:
        rows: list[dict[str, Any]] = []
        for arm, report in self._by_arm.items():
            told = [row for one in report.attributes for row in self._rows(one)]
            told += [_row("", reading) for reading in report.readings]
            rows += [{"design": "", "arm": arm} | row for row in told]
        for name, devices in self.compared.items():
            told = [row for one in devices.values() for row in self._rows(one)]
            rows += [{"design": name, "arm": ""} | row for row in told]
        unused = {key for key in ("design", "arm") if not any(row[key] for row in rows)}
        columns = (
            Column(key, head, Kind.NUMBER if key == "value" else Kind.TEXT,
                   [row[key] for row in rows])
            for key, head in _COLUMNS.items() if key not in unused
        )  # fmt: skip
        return (Sheet("measures", Privacy.label, tuple(columns)),)

    def _rows(self, report: AttributeReport) -> list[dict[str, Any]]:
        listed = (*report.privacy, *report.utility.readings)
        rows = [_row(report.name, reading) for reading in listed]
        needed = self._needed(report)
        if needed is None:
            return rows
        told = {"attribute": report.name, "measure": "respondents", "part": "", "value": needed}
        return [*rows, told | {"unit": "", "meaning": self._needed_words(needed)}]

    def pictures(self) -> tuple[Picture, ...]:
        shown = self.shown
        reports = [(arm, one) for arm, whole in self._by_arm.items() for one in whole.attributes]
        for name, devices in self.compared.items():
            reports += [(name, one) for one in devices.values()]
        rows = [
            (harmless(f"{name}: {shown(one.name)}" if name else shown(one.name)), *_exposure(one))
            for name, one in reports[:MOST_LINES]
        ]
        labels = [name if is_belief else f"{name} (guess)" for name, is_belief, *_ in rows]
        before, after = np.array([row[2:] for row in rows], np.float64).reshape(-1, 2).T
        places = np.arange(len(rows), dtype=np.float64)
        way = np.stack([before, after, np.full(len(rows), np.nan)], axis=1).ravel()
        marks = (
            Mark(Shape.LINE, Role.REFERENCE, Message("change"), way, np.repeat(places, 3)),
            Mark(Shape.POINTS, Role.REFERENCE, Message("before"), before, places),
            Mark(Shape.POINTS, Role.ESTIMATE, Message("after a report"), after, places),
        )
        axis = Message(
            "belief in the sensitive answer"
            if all(is_belief for _, is_belief, *_ in rows)
            else "belief in the sensitive answer, or probability of a right guess"
        )
        x = Axis(axis, low=-0.02, high=1.02, kind=Kind.SHARE)
        y = Axis(Message(""), labels=tuple(labels))
        return (Picture("belief", Message("What a report tells"), x, y, marks),)


def _exposure(report: AttributeReport) -> tuple[bool, float, float]:
    """Belief in the sensitive answer before and after a report; without one, the best guess."""
    privacy = report.privacy
    if "belief" not in privacy:
        return False, privacy["prior_guess"].value, privacy["attack_success"].value
    meant = meant_places(report.attribute, report.prior.probabilities)
    return True, float(report.prior.probabilities[meant].sum()), privacy["belief"].value


def _count(needed: float) -> str:
    return "∞" if math.isinf(needed) else f"{needed:,}"


def _row(attribute: str, reading: Reading) -> dict[str, Any]:
    return {
        "attribute": attribute, "measure": reading.name, "part": reading.part,
        "value": reading.value, "unit": reading.unit, "meaning": str(reading.sentence),
    }  # fmt: skip


def _compared(given: Any) -> dict[str, dict[str, Any]]:
    if not isinstance(given, Mapping) or not all(isinstance(o, Mapping) for o in given.values()):
        raise TypeError(Message("it must be mappings of devices by name"))
    return {str(name): dict(devices) for name, devices in given.items()}


@dataclass(frozen=True, kw_only=True)
class Privacy(PlanningRequest):
    """Measure privacy and accuracy of a design.

    An attacker is taken to know the distribution of the true answers; all are equally likely where
    nobody says what to expect.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> design = {"format": "ppworkbench-design", "version": 1, "attributes": {"smokes": {
    ...     "kind": "binary", "values": ["no", "yes"],
    ...     "perturbation": {"type": "uniform", "keep": 0.75}}}}
    >>> other = {"A": {"smokes": {"type": "uniform", "keep": 0.9}}}
    >>> found = pp.privacy(design, compare=other).to_dict()
    >>> round(found["attributes"]["smokes"]["privacy"]["epsilon"], 4)
    1.0986
    >>> round(found["compare"]["A"]["smokes"]["privacy"]["epsilon"], 4)
    2.1972
    """

    name: ClassVar[str] = "privacy"
    label: ClassVar[Message] = Message("Privacy and accuracy of a design")
    leading: ClassVar[tuple[str, ...]] = ("data",)
    finds: ClassVar[type[Result]] = PrivacyResult

    expected: Expected = None
    n: People = None
    noncompliance: Ignoring = None
    half_width: Annotated[
        float | None,
        Within(0, open_low=True),
        Info(
            "Half-width",
            "count the respondents for this half-width of 95 % intervals, e.g. 0.03",
        ),
    ] = None
    compare: Annotated[
        Mapping[str, Mapping[str, Any]] | None,
        Read(_compared, dict, annotation="Mapping[str, Mapping[str, Any]]"),
        Option(on_command_line=False),
        Info(
            "Compare",
            "other devices by any name and by question, as a design file writes them; for designs "
            "without arms",
        ),
    ] = None

    def run(self, source: DesignSource, progress: Progress = silent) -> PrivacyResult:
        design, pilot = source.design, source.pilot(progress)
        priors = pilot.priors | drawn_priors(design, self.expected)
        people = self.n or pilot.rows or RESPONDENTS
        if self.compare and design.has_arms:
            raise DesignError("compare is for designs without arms.", field="compare")
        ignoring = checked_noncompliance(self.noncompliance, design)
        measure = assess_arms if design.has_arms else assess
        report = measure(design, priors, people, ignoring)
        compared = {
            name: {one: _measured(report, design, one, device) for one, device in devices.items()}
            for name, devices in (self.compare or {}).items()
        }
        return PrivacyResult(
            report=report, design=design, half_width=self.half_width, compared=compared,
            remarks=(*epsilon_conditions(design), *pilot.remarks), state=pilot.state,
        )  # fmt: skip


def _measured(
    report: QuestionnaireReport | ArmsReport, design: Design, name: str, given: object
) -> AttributeReport:
    assert not isinstance(report, ArmsReport)  # noqa: S101 (refused before)
    device = device_of(given, design[name].attribute)
    now = report[name]
    ignoring = known_noncompliance(device, now.noncompliance)
    return assess_attribute((now.attribute, device), now.prior, now.utility.n, ignoring)


QUESTION = Privacy
