"""What the cards of the page are given to show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.gui.language import tr
from ppworkbench.study.data_checks import ColumnSummary, DataWarning, find_not_asked
from ppworkbench.study.study import Study

AT_ONCE = 50_000
"""So many answers are looked through faster than anybody notices; more of them are a job."""


def known_missing(column: Column) -> int | None:
    """How many answers of a column are missing; None where they would have to be counted long."""
    if len(column) <= AT_ONCE or "missing_count" in vars(column):
        return column.missing_count
    return None


@dataclass(frozen=True, eq=False)
class Selection:
    """The selected attributes, the current one in detail.

    Parameters
    ----------
    summary
        What is known of the current column; None while it is being found out.
    impossible
        The kinds that the attributes cannot have, and why.
    opened
        How the current column was understood when the file was opened; None where that cannot be
        taken back.
    reason_against
        Why nothing can be corrected; empty when it can.
    sampling
        The roles that columns have.
    """

    table: Table
    names: tuple[str, ...]
    summary: ColumnSummary | None
    impossible: Mapping[Kind, str]
    opened: Column | None = None
    reason_against: str = ""
    sampling: Sampling | None = None

    @property
    def role(self) -> str:
        """Whether the answers are original or distorted."""
        return "distorted" if self.reason_against else "original"

    @property
    def column(self) -> Column:
        return self.table[self.names[0]]

    @property
    def attribute(self) -> Attribute:
        return self.column.attribute

    @property
    def name(self) -> str:
        """The name of the current attribute."""
        return self.names[0]

    @property
    def sampling_role(self) -> str:
        """The sampling role of all selected columns; empty where they have none or several."""
        roles = {
            "" if self.sampling is None else self.sampling.role_of(name) for name in self.names
        }
        return roles.pop() if len(roles) == 1 else ""

    @property
    def is_single(self) -> bool:
        """Whether only one attribute is selected."""
        return len(self.names) == 1

    @cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        """All selected attributes."""
        return tuple(self.table[name].attribute for name in self.names)

    @property
    def is_changed(self) -> bool:
        """Whether the only attribute is no longer what it was taken for, whatever the reason."""
        if self.opened is None or not self.is_single or self.reason_against:
            return False
        return self.opened.attribute.with_(reason="") != self.attribute.with_(reason="")


@dataclass(frozen=True, eq=False)
class DataView:
    """A study as the page shows it.

    Parameters
    ----------
    document
        Another object for every document that is opened.
    opened
        The table as it was understood when it was opened.
    selected
        The names of the selected attributes, the current one first.
    selection
        What is selected in detail; None without answers.
    warnings
        What there is to look at in the original answers.
    suggestions
        Sampling roles that the names of columns suggest, with these columns.
    """

    study: Study = field(default_factory=Study)
    document: object = None
    opened: Table | None = None
    selected: tuple[str, ...] = ()
    selection: Selection | None = None
    warnings: tuple[DataWarning, ...] = ()
    suggestions: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def table(self) -> Table | None:
        """The original answers, or the distorted ones where nobody has others."""
        return self.study.table

    @property
    def not_asked(self) -> Mapping[str, NDArray[np.bool_]]:
        """The cells that are empty because a version of the questionnaire does not ask."""
        return find_not_asked(self.study)

    def missing(self, column: Column) -> int | None:
        """How many answers of those who were asked are missing; None while that is not known."""
        found, silent = known_missing(column), self.not_asked.get(column.name)
        if found is None or silent is None:
            return found
        return found - int(np.count_nonzero(silent))

    @property
    def is_distorted(self) -> bool:
        """Whether there are only distorted answers."""
        return self.study.original is None and self.study.distorted is not None


def why_not_editable(study: Study) -> str:
    """Why nothing can be corrected now; empty when it can."""
    if study.original is not None:
        return ""
    return tr("These answers are distorted; their kinds and values come from the design.")
