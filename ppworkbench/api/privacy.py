"""What a design protects, and what that costs in accuracy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ppworkbench.analyses.arguments import check_arguments
from ppworkbench.analyses.inputs import AnswerSource, Data, DesignLike, refuse_reported, settings
from ppworkbench.api import RESPONDENTS
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.sampling_roles import UNUSED_SAMPLING
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.results.picture import MOST_LINES, Axis, Mark, Picture, Role, Shape
from ppworkbench.results.result import Result
from ppworkbench.results.text import TRUE, aligned, harmless, naming, note_lines

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.core.data.attribute import Attribute
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.design.perturbation import Perturbation
    from ppworkbench.core.privacy.prior import Prior
    from ppworkbench.core.privacy.reading import Reading
    from ppworkbench.core.privacy.report import ArmsReport, AttributeReport, QuestionnaireReport
    from ppworkbench.core.privacy.utility.noncompliance import NonCompliance


@check_arguments
def privacy(  # noqa: PLR0913 (keywords with defaults)
    design: DesignLike,
    data: Data | None = None,
    *,
    expected: Mapping[str, Sequence[float] | str] | None = None,
    n: int | None = None,
    noncompliance: NonCompliance | Mapping[str, Any] | float | None = None,
    half_width: float | None = None,
    compare: Mapping[str, Mapping[str, Any]] | None = None,
    reading: ReadOptions | Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> PrivacyResult:
    """Measure privacy and accuracy of a design.

    Parameters
    ----------
    design
        The design, its JSON values or the path of its file.
    data
        True answers, of a pilot for instance, whose distribution an attacker is taken to know; all
        answers are equally likely without them.
    expected
        By attribute, weights per value that take the place of the data, or ``"uniform"``.
    n
        The number of respondents; the rows of the data, else 1,000.
    noncompliance
        How many do not follow the instructions: a share, or ``{"share": 0.1, "behaviour": "safe"}``
        with ``behaviour`` among truth, safe and random.
    half_width
        The half-width of every share's 95 % interval for which respondents are counted.
    compare
        Other devices by any name and by question, as a design file writes them; for designs
        without arms.
    reading, progress
        As for :class:`Survey`.

    Examples
    --------
    >>> design = {"format": "ppworkbench-design", "version": 1, "attributes": {"smokes": {
    ...     "kind": "binary", "values": ["no", "yes"],
    ...     "perturbation": {"type": "uniform", "keep": 0.75}}}}
    >>> other = {"A": {"smokes": {"type": "uniform", "keep": 0.9}}}
    >>> found = privacy(design, compare=other).to_dict()
    >>> round(found["attributes"]["smokes"]["privacy"]["epsilon"], 4)
    1.0986
    >>> round(found["compare"]["A"]["smokes"]["privacy"]["epsilon"], 4)
    2.1972
    """
    from ppworkbench.core.design.release import epsilon_conditions
    from ppworkbench.core.privacy.assess import assess, assess_arms

    chosen = as_design(design)
    pilot = read_pilot(chosen, data, reading, progress)
    priors = pilot.priors | drawn_priors(chosen, expected)
    ignoring = noncompliance_of(noncompliance)
    respondents = n or pilot.rows or RESPONDENTS
    if half_width is not None and not half_width > 0:
        raise ParameterError(f"half_width must be above 0, not {half_width:g}.", field="half_width")
    if compare and chosen.has_arms:
        raise DesignError("compare is for designs without arms.", field="compare")
    measure = assess_arms if chosen.has_arms else assess
    report = measure(chosen, priors, respondents, ignoring)
    compared = {
        name: {one: _measured_instead(report, chosen, one, given) for one, given in devices.items()}
        for name, devices in (compare or {}).items()
    }
    remarks = (*epsilon_conditions(chosen), *pilot.remarks)
    return PrivacyResult(report, chosen, remarks, pilot.state, half_width, compared)


def _measured_instead(
    report: QuestionnaireReport | ArmsReport, design: Design, name: str, given: object
) -> AttributeReport:
    """The measures of a question with another device, for the same people and answers."""
    from ppworkbench.core.privacy.assess import assess_attribute
    from ppworkbench.core.privacy.report import ArmsReport
    from ppworkbench.core.privacy.utility.noncompliance import known_noncompliance

    assert not isinstance(report, ArmsReport)  # noqa: S101 (refused before)
    device = device_of(given, design[name].attribute)
    now = report[name]
    ignoring = known_noncompliance(device, now.noncompliance)
    return assess_attribute((now.attribute, device), now.prior, now.utility.n, ignoring)


def device_of(given: object, attribute: Attribute) -> Perturbation:
    """A device of a question as a design file writes it, ``{"type": "uniform", "keep": 0.8}``."""
    from ppworkbench.core.design.design import DesignedAttribute
    from ppworkbench.core.design.perturbation import Perturbation, read_perturbation

    if isinstance(given, Perturbation):
        device = given
    elif not isinstance(given, Mapping):
        raise ParameterError(
            f"A device of {attribute.name!r} must be written as in a design file, as in "
            f"{{'type': 'uniform', 'keep': 0.8}}, not {given!r}.",
            field="compare",
        )
    else:
        device = read_perturbation(given, attribute.name)
    return DesignedAttribute(attribute, device).perturbation


def noncompliance_of(
    given: NonCompliance | Mapping[str, Any] | float | None,
) -> NonCompliance | None:
    """How many do not follow the instructions, from a share, keywords or an object."""
    from ppworkbench.core.privacy.utility.noncompliance import NonCompliance, check_share

    if isinstance(given, int | float):
        given = {"share": given}
    found = settings(NonCompliance, given) if isinstance(given, Mapping) else given
    if found is not None:
        check_share(found.share)
    return found


@dataclass(frozen=True)
class Pilot:
    """The distributions of true answers, how many rows these have, and what a result says of them.

    Without answers there are no distributions, and a result has no state.
    """

    priors: dict[str, Prior] = field(default_factory=dict)
    rows: int = 0
    remarks: tuple[str, ...] = ()
    state: str = ""


def read_pilot(
    design: Design,
    data: Data | None,
    reading: ReadOptions | Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> Pilot:
    """The true answers of a pilot; their sampling is not used."""
    from ppworkbench.core.design.release import giveaway_notes
    from ppworkbench.core.privacy.assess import priors_of

    if data is None:
        return Pilot()
    how = reading if isinstance(reading, ReadOptions) else settings(ReadOptions, reading or {})
    source = AnswerSource(data, how)
    refuse_reported(source.path)
    # Answers of a pilot need not know of arms and lists.
    made = set(design.drawn_columns)
    schema = [one for one in design.original_schema if one.name not in made]
    table = source.whole(schema, progress)
    priors = priors_of(table.select(one for one in table.names if one not in made), design)
    remarks = () if design.sampling is None else (UNUSED_SAMPLING,)
    return Pilot(priors, table.rows, (*remarks, *giveaway_notes(table, design)), TRUE)


def drawn_priors(
    design: Design, expected: Mapping[str, Sequence[float] | str] | None
) -> dict[str, Prior]:
    """The distributions that somebody expects, by attribute."""
    from ppworkbench.core.privacy.prior import Prior, drawn_prior

    priors = {}
    for name, weights in (expected or {}).items():
        attribute = design.question(name).attribute
        if isinstance(weights, str):
            if weights != "uniform":
                raise ParameterError(
                    f"expected of {name!r} must be weights or 'uniform', not {weights!r}.",
                    field="expected",
                )
            found = Prior.uniform(attribute)
        else:
            found = drawn_prior(attribute, tuple(float(one) for one in weights))
        priors[attribute.name] = found
    return priors


_HEADS = ["measure", "value", "interpretation"]


@dataclass(frozen=True, eq=False, repr=False)
class PrivacyResult(Result):
    """Measures of every attribute and of the whole questionnaire; ``report`` has them in full."""

    report: QuestionnaireReport | ArmsReport
    design: Design
    remarks: tuple[str, ...] = ()
    state: str = ""
    half_width: float | None = None
    compared: Mapping[str, Mapping[str, AttributeReport]] = field(default_factory=dict)

    @property
    def _by_arm(self) -> Mapping[str, QuestionnaireReport]:
        from ppworkbench.core.privacy.report import ArmsReport

        return self.report.arms if isinstance(self.report, ArmsReport) else {"": self.report}

    def _document(self) -> Mapping[str, Any]:
        from ppworkbench.core.privacy.report import ArmsReport

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
        return document | {"remarks": list(self.remarks)} if self.remarks else document

    def _add_needed(self, told: dict[str, Any], report: AttributeReport) -> dict[str, Any]:
        """Add the respondents for the wanted half-width to the document of a question."""
        needed = self._needed(report)
        if needed is not None:
            told["utility"]["respondents"] = needed
        return told

    def _needed(self, report: AttributeReport) -> float | None:
        from ppworkbench.analyses.design import measures_of

        return None if self.half_width is None else measures_of(report, self.half_width)["needed"]

    def _needed_words(self, needed: float) -> str:
        if math.isinf(needed):
            return "No number of respondents is enough."
        return (
            f"{_count(needed)} respondents reduce the half-width of each share's 95 % interval to "
            f"{self.half_width:g}."
        )

    def summary(self) -> str:
        """The measures for people, as the command line prints them."""
        from ppworkbench.core.privacy.report import ArmsReport

        report = self.report
        if isinstance(report, ArmsReport):
            shown = naming(one.attribute for one in self.design)
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

    def to_frame(self) -> pd.DataFrame:
        """One row per measure; those of the whole questionnaire have no attribute."""
        import pandas as pd

        rows = []
        for arm, report in self._by_arm.items():
            known = {"arm": arm} if arm else {}
            for one in report.attributes:
                rows += [known | row for row in self._rows(one)]
            rows += [known | _row("", reading) for reading in report.readings]
        if self.compared:
            rows = [{"design": ""} | row for row in rows]
        rows += [
            {"design": name} | row
            for name, devices in self.compared.items()
            for one in devices.values()
            for row in self._rows(one)
        ]
        return pd.DataFrame(rows)

    def _rows(self, report: AttributeReport) -> list[dict[str, Any]]:
        listed = (*report.privacy, *report.utility.readings)
        rows = [_row(report.name, reading) for reading in listed]
        needed = self._needed(report)
        if needed is None:
            return rows
        told = {"attribute": report.name, "measure": "respondents", "part": "", "value": needed}
        return [*rows, told | {"unit": "", "meaning": self._needed_words(needed)}]

    def pictures(self) -> tuple[Picture, ...]:
        """What is believed before and after a report."""
        import numpy as np

        shown = naming(one.attribute for one in self.design)
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
        x, y = Axis(axis, low=-0.02, high=1.02), Axis(Message(""), labels=tuple(labels))
        return (Picture("belief", Message("What a report tells"), x, y, marks),)


def _exposure(report: AttributeReport) -> tuple[bool, float, float]:
    """Belief in the sensitive answer before and after a report; without one, the best guess."""
    from ppworkbench.core.privacy.belief import meant_places

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
