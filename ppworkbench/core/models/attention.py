r"""Check questions in a regression: people who do not attend answer at random.

Of the people with an *anchor*, a second question whose true share is known, a share t attends to
both; the others tick either answer with one half. A report z of the anchored attribute then has

    Pr(z | true c) = t P[z, c] + (1 - t) / 2,    Pr(anchor = a) = t alpha[a] + (1 - t) / 2

with alpha what an attentive person says to the anchor. Both are linear in t, which is estimated
with the coefficients from the product of the two, for an outcome as for a predictor. Somebody who
does not attend to one question may attend to the other, so the product is taken for a
pseudo-likelihood: estimates hold in both cases, and errors come from the sums of each person's own
scores (sandwich). Without predictors the estimates are the bias-corrected crosswise ones.

References
----------
Y. Atsusaka and R. T. Stevenson (2023), A bias-corrected estimator for the crosswise model with
inattentive respondents, *Political Analysis* 31.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind, sensitive_places
from ppworkbench.core.design.anchors import Anchor
from ppworkbench.core.design.channels import ValueChannel
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.perturbation import CATEGORICAL, Perturbation
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.models.formula import Formula
from ppworkbench.core.rng import Stream

ATTENTIVE = "attentive"
"""The unknown parameter: the share of people who attend."""
CORRECTED_BY_ANCHOR = "attention"
"""Code of the remark on it."""


@dataclass(frozen=True)
class Attended(Perturbation, ValueChannel):
    """A device with two answers, followed by an unknown share of people; the others guess."""

    device: Perturbation

    kinds: ClassVar[frozenset[Kind]] = CATEGORICAL
    has_check: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """The device was checked where it was made."""

    @property
    def unknown(self) -> str:
        return ATTENTIVE

    def matrix_parts(self, k: int) -> tuple[Numbers, Numbers | None]:
        guess = np.full((k, k), 1 / k)
        return guess, self.device.values.matrix(k) - guess

    def matrix(self, k: int) -> Numbers:
        return self.device.values.matrix(k)

    def distort(self, data: NDArray[Any], attribute: Attribute, stream: Stream) -> NDArray[Any]:
        return self.device.distort(data, attribute, stream)

    def summary(self) -> str:
        return self.device.summary()


@dataclass(frozen=True)
class Attention:
    """The anchored attribute of a formula, its device, and its check question."""

    attribute: str
    device: Attended
    anchor: Anchor
    column: Attribute

    @property
    def moves(self) -> Numbers:
        """For every answer to the check question, by how much attention moves it from one half."""
        p, share = self.anchor.p, self.anchor.share
        # "Same" is reported where both statements are true or both are not.
        same = p * share + (1 - p) * (1 - share)
        place = sensitive_places(self.column)[0]
        return np.where(np.arange(2) == place, same - 0.5, 0.5 - same)

    def remark(self) -> str:
        return Message(
            "The check question {column!r} tells how many people attend to {attribute!r}; the "
            "coefficients are corrected for the others, who are taken to answer at random and to "
            "be as many in every group.",
            column=self.anchor.column,
            attribute=self.attribute,
            code=CORRECTED_BY_ANCHOR,
        )


def attention_of(design: Design, formula: Formula) -> Attention | None:
    """The check question of an attribute of the formula; None where none has any."""
    found = [name for name in formula.attributes if design.anchor_of(name) is not None]
    if not found:
        return None
    if len(found) > 1:
        raise ParameterError.saying(
            "{first!r} and {second!r} both have a check question, and only one can be used at "
            "a time; leave one of them out, or take its check question out of the design.",
            first=found[0],
            second=found[1],
            attribute=found[1],
            field="formula",
        )
    name = found[0]
    anchor = design.anchor_of(name)
    assert anchor is not None  # noqa: S101 (asked for above)
    device = design.perturbation(name)
    if device.columns or device.unknown or design.group_of(name) is not None:
        raise ParameterError.saying(
            "{attribute!r} has a check question, but not one known device of its own for all "
            "people; take the check question out of the design, or choose one arm.",
            attribute=name,
            field="formula",
        )
    return Attention(name, Attended(device), anchor, design[anchor.column].attribute)


def nobody_attends() -> DataError:
    """Said where the check question is answered by chance."""
    return DataError(
        "The anchor question is answered no better than by chance, so nothing can be corrected.",
        field="anchor",
    )
