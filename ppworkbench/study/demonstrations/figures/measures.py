"""Numbers of the privacy and utility readouts."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info
from ppworkbench.core.progress import Progress, silent
from ppworkbench.study.demonstrations.figures.calculation import (
    Calculation,
    calculations,
    place_of,
)
from ppworkbench.study.readouts import report_of
from ppworkbench.study.study import Study


@calculations.register("measure", "A privacy or utility measure")
@dataclass(frozen=True)
class Measure(Calculation):
    """A readout of the Design page by its name in ``measure --json``."""

    attribute: Annotated[str, Info("Attribute")]
    measure: Annotated[str, Info("Measure")]
    percent: Annotated[bool, Info("In percent")] = False

    def calculate(self, study: Study, progress: Progress = silent) -> float:  # noqa: ARG002
        """The value of the readout."""
        return (100 if self.percent else 1) * self._value(study)

    def _value(self, study: Study) -> float:
        report = report_of(study, self.attribute)
        if self.measure in report.privacy:
            return float(report.privacy[self.measure].value)
        for reading in report.utility.readings:
            if reading.name == self.measure:
                return float(reading.value)
        known = [one.name for one in (*report.privacy, *report.utility.readings)]
        raise ParameterError(
            Message(
                "There is no measure {measure!r} of {attribute!r}; known are {known}.",
                measure=self.measure,
                attribute=self.attribute,
                known=", ".join(dict.fromkeys(known)),
            ),
            field="measure",
        )


@calculations.register("standard-error", "Standard error of an estimated share")
@dataclass(frozen=True)
class StandardError(Calculation):
    """The standard error of one value's share with the study's number of respondents."""

    attribute: Annotated[str, Info("Attribute")]
    value: Annotated[str, Info("Value")]
    percent: Annotated[bool, Info("In points")] = False
    direct: Annotated[bool, Info("Asked directly, without distortion")] = False

    def calculate(self, study: Study, progress: Progress = silent) -> float:  # noqa: ARG002
        """Warner's formula, in general form."""
        utility = report_of(study, self.attribute).utility
        place = place_of(study, self.attribute, self.value)
        share = float(utility.shares[place])
        found = float(utility.standard_error[place])
        if self.direct:
            found = (share * (1 - share) / utility.n) ** 0.5
        return 100 * found if self.percent else found


@calculations.register("belief", "Belief in a true answer after a reported one, in percent")
@dataclass(frozen=True)
class Belief(Calculation):
    """How many in 100 of those who report one answer truly have another, or the same."""

    attribute: Annotated[str, Info("Attribute")]
    true: Annotated[str, Info("True answer")]
    reported: Annotated[str, Info("Reported answer")]

    def calculate(self, study: Study, progress: Progress = silent) -> float:  # noqa: ARG002
        """Bayes' rule with the expected distribution."""
        report = report_of(study, self.attribute)
        if report.matrix is None:
            raise DataError(
                Message("{attribute!r} has no matrix.", attribute=self.attribute),
                attribute=self.attribute,
            )
        row = report.matrix[place_of(study, self.attribute, self.reported)]
        joint = row * report.prior.probabilities
        place = place_of(study, self.attribute, self.true)
        return float(100 * joint[place] / joint.sum())
