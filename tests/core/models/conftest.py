"""Tables and designs for regressions, without a file."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.perturbation import Identity, Perturbation, read_perturbation

FORCED = {"type": "forced", "p_truth": 2 / 3}
UNIFORM = {"type": "uniform", "keep": 0.6}


def binary(name: str) -> Attribute:
    """A question that is answered by no or yes."""
    return Attribute(name, Kind.BINARY, ("no", "yes"))


def table_of(columns: Mapping[Attribute, ArrayLike]) -> Table:
    """A table of codes and numbers."""
    return Table(
        tuple(
            Column(one, np.asarray(data, np.int32 if one.kind.is_categorical else np.float64))
            for one, data in columns.items()
        )
    )


def design_of(
    columns: Mapping[Attribute, ArrayLike], **mechanisms: Mapping[str, object] | Perturbation
) -> Design:
    """A design in which the named attributes are distorted."""
    return Design(
        tuple(
            DesignedAttribute(one, _mechanism(mechanisms.get(one.name), one.name))
            for one in columns
        )
    )


def _mechanism(given: Mapping[str, object] | Perturbation | None, name: str) -> Perturbation:
    if given is None:
        return Identity()
    return given if isinstance(given, Perturbation) else read_perturbation(given, name)
