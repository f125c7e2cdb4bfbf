"""Warnings: what a number alone would not tell the designer."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation
from ppworkbench.core.design.matrices import NEARLY_SINGULAR
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.reading import percent, plain


def cautions(
    attribute: Attribute,
    perturbation: Perturbation,
    prior: Prior,
    condition: float | None,
    missing_is_value: bool,
) -> tuple[str, ...]:
    """The warnings of one attribute; ``condition`` is that of its P-matrix, if it has one."""
    found = list(_about_matrix(condition))
    found += perturbation.cautions(attribute)
    if prior.missing > 0 and not missing_is_value:
        found.append(
            Message(
                "{missing} of the answers are missing and stay missing: that somebody "
                "did not answer is published as it is and can itself disclose.",
                missing=percent(prior.missing),
            )
        )
    return tuple(found)


def _about_matrix(condition: float | None) -> Iterator[str]:
    if condition is None or condition <= NEARLY_SINGULAR:
        return
    if math.isinf(condition):
        yield (
            "The matrix is singular: EQ will not work and EM is not identified, because different "
            "true distributions give the same published one."
        )
    else:
        yield (
            Message(
                "The matrix is nearly singular (condition number {condition}): EQ will "
                "not work and EM is not identified in practice.",
                condition=plain(condition),
            )
        )
