"""What a question is asked of: answers wherever they are, their design, how people were drawn."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from ppworkbench.analyses.arguments import check_arguments
from ppworkbench.analyses.inputs import (
    AnswerSource,
    Data,
    DesignLike,
    design_for,
    given_options,
    holds_reports,
    refuse_absent,
    refuse_reported,
    refuse_values,
    refuse_with_parts,
    sampling_options,
    sampling_roles,
    survey_design,
)
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.sampling_roles import ReplicateRole, Sampling, SamplingOptions
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.results.text import REPORTED, Naming, naming

if TYPE_CHECKING:
    from ppworkbench.core.data.table import Table
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.engines import Engine
    from ppworkbench.core.survey.parted import PartedAnswers

REFUSED, OPEN, UNCORRECTED = "refused", "open", "uncorrected"
"""What answers without a design are: refused, not randomised, or counted as they are."""


@dataclass(frozen=True, eq=False)
class SurveyAnswers:
    """The answers that a question needs: reported ones, true ones where known, and their roles."""

    table: Table
    original: Table | None
    sampling: Sampling | None
    remarks: tuple[str, ...]


class Source:
    """Answers, their design and their sampling.

    Parameters
    ----------
    without_design
        What answers are that bring no design: :data:`REFUSED`, :data:`OPEN` or
        :data:`UNCORRECTED`.
    """

    without_design = REFUSED

    @check_arguments
    def __init__(  # noqa: PLR0913 (keywords with defaults)
        self,
        data: Data,
        design: DesignLike | None = None,
        *,
        weights: str | None = None,
        strata: str | Sequence[str] | None = None,
        cluster: str | None = None,
        person: str | None = None,
        population: str | float | None = None,
        replicates: ReplicateRole | Mapping[str, Any] | None = None,
        sampling: Sampling | Mapping[str, Any] | bool = True,
        options: SamplingOptions | Mapping[str, Any] | None = None,
        original: Data | None = None,
        reading: ReadOptions | Mapping[str, Any] | None = None,
        seed: int | None = None,
        engine: Engine | str | None = None,
        progress: Progress = silent,
    ) -> None:
        refuse_values(strata)
        how = given_options(ReadOptions, reading)
        self.data = AnswerSource(data, how)
        self.known_design, said = self._design(design, progress)
        self.original = None if original is None else AnswerSource(original, how, name="original")
        self.seed, self.reading, self.progress = seed, how, progress
        self.options = sampling_options(options)
        roles = {
            "weight": weights, "stratum": strata, "cluster": cluster, "person": person,
            "population": population,
            "replicates": replicates.to_json() if isinstance(replicates, ReplicateRole)
            else replicates,
        }  # fmt: skip
        named = {role: value for role, value in roles.items() if value is not None}
        self.sampling, more = sampling_roles(self.known_design, sampling, named)
        self.remarks = (*said, *more)
        self.parted: PartedAnswers | None = self.data.parted(engine, part(progress, 0.0, 0.5))
        if self.parted is not None:
            refuse_with_parts(compared=original is not None)

    def _design(
        self, given: DesignLike | None, progress: Progress
    ) -> tuple[Design | None, tuple[str, ...]]:
        if self.without_design == OPEN:
            return survey_design(self.data, given, progress)
        if given is None and self.without_design == UNCORRECTED:
            return None, ()
        return (design_for(self.data, None) if given is None else as_design(given)), ()

    @property
    def design(self) -> Design:
        """The design; a question that can do without one asks for ``known_design``."""
        if self.known_design is None:
            raise ParameterError("Give the design of the answers.", field="design")
        return self.known_design

    @property
    def shown(self) -> Naming:
        """What people call the attributes of the design."""
        return naming(one.attribute for one in self.known_design or ())

    @property
    def drawn(self) -> dict[str, Any]:
        """How people were drawn, as keywords of the library."""
        return {"sampling": self.sampling, "options": self.options}

    @cached_property
    def uncorrected_state(self) -> str:
        """What answers are that are counted as they are: only a codebook says they are reports."""
        where = self.data.path if self.data.parts is None else self.data.parts.address
        return REPORTED if where is not None and holds_reports(where) else ""

    def with_progress(self, progress: Progress) -> Self:
        """The same that tells somebody else how far a question has come."""
        found = copy.copy(self)
        found.progress = progress
        return found

    @check_arguments
    def answers(self, asked: Sequence[str], progress: Progress = silent) -> SurveyAnswers:
        """The answers that a question about some attributes needs, with the roles of the columns.

        What the design does not know is left for the analysis to refuse.
        """
        design, roles = self.design, () if self.sampling is None else self.sampling.columns
        needed = design.needed(asked, self.sampling)
        published = [design[name].distorted for name in needed if name in design]

        def wanted(columns: Sequence[str]) -> Sequence[str]:
            refuse_absent(roles, columns)
            return [name for name in columns if name in needed or name in roles]

        if self.parted is not None:
            refuse_absent(roles, self.parted.parts.names)
            table = self.parted.rows(design, asked, self.sampling)
        else:
            table = self.data.read(published, wanted, part(progress, 0.0, 0.8))
        original = None
        if self.original is not None:
            refuse_reported(self.original.path)
            original = self.original.read_true(design, asked, part(progress, 0.8, 1.0))
            if original.rows != table.rows:
                raise DataError(
                    f"There are {original.rows:,} true answers and {table.rows:,} reported "
                    "ones; give both of the same people.",
                    field="original",
                )
        return SurveyAnswers(table, original, self.sampling, self.remarks)
