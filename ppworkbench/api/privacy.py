"""What a design protects, and what that costs in accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ppworkbench.api.arguments import check_arguments
from ppworkbench.api.inputs import AnswerSource, Data, DesignLike, refuse_reported, settings
from ppworkbench.api.pictures import MOST_LINES, draw_changes
from ppworkbench.api.result import Result
from ppworkbench.api.text import (
    RESPONDENTS,
    TRUE,
    UNUSED_SAMPLING,
    aligned,
    harmless,
    naming,
    note_lines,
)
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.progress import Progress, silent

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from ppworkbench.core.design.design import Design
    from ppworkbench.core.privacy.prior import Prior
    from ppworkbench.core.privacy.reading import Reading
    from ppworkbench.core.privacy.report import ArmsReport, AttributeReport, QuestionnaireReport
    from ppworkbench.core.privacy.utility.noncompliance import NonCompliance


@check_arguments
def privacy(
    design: DesignLike,
    data: Data | None = None,
    *,
    expected: Mapping[str, Sequence[float] | str] | None = None,
    n: int | None = None,
    noncompliance: NonCompliance | Mapping[str, Any] | float | None = None,
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
    reading, progress
        As for :class:`Survey`.

    Examples
    --------
    >>> design = {"format": "ppworkbench-design", "version": 1, "attributes": {"smokes": {
    ...     "kind": "binary", "values": ["no", "yes"],
    ...     "perturbation": {"type": "uniform", "keep": 0.75}}}}
    >>> found = privacy(design).to_dict()["attributes"]["smokes"]["privacy"]
    >>> round(found["epsilon"], 4)
    1.0986
    """
    from ppworkbench.core.privacy.assess import assess, assess_arms

    chosen = as_design(design)
    pilot = read_pilot(chosen, data, reading, progress)
    priors = pilot.priors | drawn_priors(chosen, expected)
    ignoring = noncompliance_of(noncompliance)
    respondents = n or pilot.rows or RESPONDENTS
    report: QuestionnaireReport | ArmsReport
    if chosen.arms is None:
        report = assess(chosen, priors, respondents, ignoring)
    else:
        report = assess_arms(chosen, priors, respondents, ignoring)
    return PrivacyResult(report, chosen, pilot.remarks, pilot.state)


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
    return Pilot(priors, table.rows, remarks, TRUE)


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


@dataclass(frozen=True, eq=False, repr=False)
class PrivacyResult(Result):
    """Measures of every attribute and of the whole questionnaire; ``report`` has them in full."""

    report: QuestionnaireReport | ArmsReport
    design: Design
    remarks: tuple[str, ...] = ()
    state: str = ""

    @property
    def _by_arm(self) -> Mapping[str, QuestionnaireReport]:
        from ppworkbench.core.privacy.report import ArmsReport

        return self.report.arms if isinstance(self.report, ArmsReport) else {"": self.report}

    def _document(self) -> Mapping[str, Any]:
        document = self.report.to_json()
        return document | {"remarks": list(self.remarks)} if self.remarks else document

    def summary(self) -> str:
        """The measures for people, as the command line prints them."""
        from ppworkbench.core.privacy.report import ArmsReport

        report = self.report
        if isinstance(report, ArmsReport):
            shown = naming(one.attribute for one in self.design)
            parts = [
                f"Arm {harmless(arm)}\n\n{_report_text(one)}" for arm, one in report.arms.items()
            ]
            parts += [harmless(report.sentence), *note_lines(report.warnings, shown, "Warning")]
        else:
            parts = [_report_text(report)]
        return "\n\n".join([*parts, *note_lines(self.remarks)])

    def to_frame(self) -> pd.DataFrame:
        """One row per measure; those of the whole questionnaire have no attribute."""
        import pandas as pd

        rows = []
        for arm, report in self._by_arm.items():
            known = {"arm": arm} if arm else {}
            for one in report.attributes:
                listed = (*one.privacy, *one.utility.readings)
                rows += [known | _row(one.name, reading) for reading in listed]
            rows += [known | _row("", reading) for reading in report.readings]
        return pd.DataFrame(rows)

    def _draw(self, axes: Axes) -> None:
        shown = naming(one.attribute for one in self.design)
        rows = [
            (harmless(f"{arm}: {shown(one.name)}" if arm else shown(one.name)), *_exposure(one))
            for arm, report in self._by_arm.items()
            for one in report.attributes
        ][:MOST_LINES]
        labels = [name if is_belief else f"{name} (guess)" for name, is_belief, *_ in rows]
        draw_changes(axes, labels, [row[2] for row in rows], [row[3] for row in rows])
        axes.set_xlabel(
            "belief in the sensitive answer"
            if all(is_belief for _, is_belief, *_ in rows)
            else "belief in the sensitive answer, or probability of a right guess"
        )


def _exposure(report: AttributeReport) -> tuple[bool, float, float]:
    """Belief in the sensitive answer before and after a report; without one, the best guess."""
    from ppworkbench.core.privacy.belief import meant_places

    privacy = report.privacy
    if "belief" not in privacy:
        return False, privacy["prior_guess"].value, privacy["attack_success"].value
    meant = meant_places(report.attribute, report.prior.probabilities)
    return True, float(report.prior.probabilities[meant].sum()), privacy["belief"].value


def _row(attribute: str, reading: Reading) -> dict[str, Any]:
    return {
        "attribute": attribute, "measure": reading.name, "part": reading.part,
        "value": reading.value, "unit": reading.unit, "meaning": str(reading.sentence),
    }  # fmt: skip


def _report_text(report: QuestionnaireReport) -> str:
    parts = [_attribute_text(one) for one in report.attributes]
    whole = [[reading.label, reading.text, reading.sentence] for reading in report.shown_readings]
    parts.append("Whole questionnaire\n" + aligned(["measure", "value", "interpretation"], whole))
    return "\n\n".join(parts)


def _attribute_text(report: AttributeReport) -> str:
    lines = [f"{harmless(report.attribute.heading)}: {report.perturbation.summary()}"]
    rows = [[r.label, r.text, r.sentence] for r in (*report.privacy, *report.utility.readings)]
    lines.append(aligned(["measure", "value", "interpretation"], rows))
    lines += note_lines(report.warnings, naming([report.attribute]), "Warning")
    return "\n".join(lines)
