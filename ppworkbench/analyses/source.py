"""What a question is asked of: answers wherever they are, their design, how people were drawn."""

from __future__ import annotations

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
    refuse_absent,
    refuse_reported,
    refuse_values,
    refuse_with_parts,
    sampling_options,
    sampling_roles,
    survey_design,
)
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.sampling_roles import UNUSED_SAMPLING as NOT_USED
from ppworkbench.core.data.sampling_roles import (
    ReplicateRole,
    Sampling,
    SamplingOptions,
    role_columns,
)
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.files import InputFiles
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.results.text import REPORTED, Naming, naming

if TYPE_CHECKING:
    from ppworkbench.core.data.table import Table
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.engines import Engine
    from ppworkbench.core.survey.parted import PartedAnswers
    from ppworkbench.study.distorted_cache import DistortedCache
    from ppworkbench.study.study import Study

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
    is_of_truth = False
    """Whether the answers themselves are the true ones, for what counts these."""

    @classmethod
    def of_study(
        cls, study: Study, answers: DistortedCache, progress: Progress = silent, *,
        with_sampling: bool = True, of_truth: bool = False,
    ) -> Self:  # fmt: skip
        """The answers of a study, or the parts that they are a sample of; call it in a job."""
        roles: Any = (with_sampling and study.sampling) or False
        # Files are asked about without a study, and need not wait for what reads one.
        from ppworkbench.study.parts.study_parts import estimated_words
        from ppworkbench.study.sampling import unused_in

        parts, original = study.reported_parts, None
        if parts is not None:
            study.design.refuse_arms()
            progress(0.0, Message("Looking at the parts"))
            parts.open()
            found = cls(
                parts.address, study.design, sampling=roles, engine=parts.worker, progress=progress
            )
            found.remarks += (estimated_words(parts),)
        else:
            known = answers.of(study, progress)
            data, original = known.distorted, known.original
            if of_truth and original is not None:
                data, original = original, None
            found = cls(data, study.design, sampling=roles, original=original)
            found.is_of_truth = of_truth
        if not with_sampling:
            others = (one for one in found.remarks if one != NOT_USED)
            found.remarks = (*unused_in(study), *others)
        return found

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
        return naming(one.attribute for one in self.known_design or ())

    @property
    def drawn(self) -> dict[str, Any]:
        return {"sampling": self.sampling, "options": self.options}

    @cached_property
    def uncorrected_state(self) -> str:
        """What answers are that are counted as they are: only a codebook says they are reports."""
        return REPORTED if self.data.holds_reports else ""

    @check_arguments
    def answers(self, asked: Sequence[str], progress: Progress = silent) -> SurveyAnswers:
        """The answers that a question about some attributes needs, with the roles of the columns.

        What the design does not know is left for the analysis to refuse.
        """
        design, roles = self.design, role_columns(self.sampling)
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


class TrueSource:
    """True answers, for questions that need no design."""

    @check_arguments
    def __init__(
        self,
        data: Data,
        *,
        reading: ReadOptions | Mapping[str, Any] | None = None,
        seed: int | None = None,
        progress: Progress = silent,
    ) -> None:
        self.data = AnswerSource(data, given_options(ReadOptions, reading))
        self.path, self.seed, self.progress = self.data.path, seed, progress
        self._reads = InputFiles(() if self.path is None else (self.path,))

    def table(self, progress: Progress = silent) -> Table:
        """The answers; reported ones are refused."""
        refuse_reported(self.path)
        return self.data.whole(progress=progress)

    @property
    def sampling(self) -> Sampling | None:
        codebook = self.data.codebook
        return None if codebook is None else codebook.sampling
