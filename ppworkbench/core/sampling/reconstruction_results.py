"""A distribution reconstructed from a sample, with the parts of its error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.sampling_roles import WALD
from ppworkbench.core.reconstruct.agreement import SetTests
from ppworkbench.core.reconstruct.pooled import Test
from ppworkbench.core.reconstruct.reconstruction import Reconstruction
from ppworkbench.core.sampling.results import SampleSummary, finite_or_none


@dataclass(frozen=True, eq=False)
class SampledReconstruction:
    """A reconstructed distribution with the parts of its error.

    Parameters
    ----------
    interval
        The kind of the intervals of shares.
    device_errors, sampling_errors, sampling_effects
        By cell of the distribution; None where the intervals come from an effective number.
    effective_n
        How many independent answers would tell as much.
    by_arm
        Every arm by itself, where that was asked for.
    not_asked
        How many records are of arms that do not ask the attribute.
    """

    found: Reconstruction
    sample: SampleSummary
    degrees_of_freedom: float
    effective_n: float
    interval: str = WALD
    device_errors: Numbers | None = None
    sampling_errors: Numbers | None = None
    sampling_effects: Numbers | None = None
    remarks: tuple[str, ...] = ()
    by_arm: SampledArms | None = None
    not_asked: int = 0

    def to_json(self) -> dict[str, Any]:
        """The result in plain lists and numbers."""
        parts = {
            "standard_error_device": self.device_errors,
            "standard_error_sampling": self.sampling_errors,
            "sampling_effect": self.sampling_effects,
        }
        return {
            **self.found.to_json(),
            **self.sample.to_json(),
            "degrees_of_freedom": finite_or_none(self.degrees_of_freedom),
            "interval": self.interval,
            **{
                name: [finite_or_none(number) for number in numbers.tolist()]
                for name, numbers in parts.items()
                if numbers is not None
            },
            "effective_n": finite_or_none(self.effective_n),
            "remarks": list(self.remarks),
            **({"not_asked": self.not_asked} if self.not_asked else {}),
            **({} if self.by_arm is None else self.by_arm.to_json()),
        }


@dataclass(frozen=True, eq=False)
class SampledArms:
    """Every arm by itself, as a part of the sample, and Wald's test that all are the same.

    ``equality`` is None for a number, and where a single arm asks the question.
    """

    arms: Mapping[str, SampledReconstruction]
    equality: Test | None
    remarks: tuple[str, ...] = ()
    sets: SetTests | None = None

    def to_json(self) -> dict[str, Any]:
        """What a result of the whole is given in addition."""
        shown = ("rows", "missing", "values", "edges", "probability", "raw", "standard_error",
                 "low", "high", "warnings", "weighted_n", "degrees_of_freedom", "effective_n",
                 "remarks")  # fmt: skip
        documents = {name: one.to_json() for name, one in self.arms.items()}
        test, equality = self.equality, None
        if test is not None:
            equality = wald_to_json(test)
            if self.remarks:
                equality["warnings"] = list(self.remarks)
        return {
            "arms": {
                name: {field: document[field] for field in shown if field in document}
                for name, document in documents.items()
            },
            "equality": equality,
            **({} if self.sets is None else {"sets": self.sets.to_json()}),
        }


def wald_to_json(test: Test) -> dict[str, Any]:
    """Wald's test for other programs."""
    return {"wald": test.statistic, "df": test.df, "p": finite_or_none(test.p)}
