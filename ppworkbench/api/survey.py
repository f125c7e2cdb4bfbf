"""Statistics of randomised answers: shares, means, distributions, tables, comparisons, models."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeVar

from ppworkbench.analyses.arguments import check_arguments
from ppworkbench.analyses.conditions import answer_of, as_condition, condition_named, condition_of
from ppworkbench.analyses.source import OPEN, Source
from ppworkbench.api.questions import SurveyMethods
from ppworkbench.api.survey_results import (
    AnswerShareResult,
    ComparisonResult,
    CountResult,
    DistributionResult,
    MeanResult,
    ParticipantsResult,
    RatioResult,
    ShareResult,
    SurveyResult,
    TableResult,
)
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import check_confidence
from ppworkbench.core.progress import part

if TYPE_CHECKING:
    from ppworkbench.analyses.survey.questions import Question
    from ppworkbench.core.data.table import Table
    from ppworkbench.core.survey import Condition
    from ppworkbench.core.survey.parted import PartedAnswers

R = TypeVar("R", bound=SurveyResult)

JOINT = "joint"


def check_estimate_options(given: Mapping[str, Any]) -> None:
    """Refuse values of other types; which numbers and words have a meaning is known below."""
    if not isinstance(given.get("confidence", 0.95), Real):
        raise ParameterError(
            f"confidence must be a number, not {given['confidence']!r}.", field="confidence"
        )
    check_confidence(float(given.get("confidence", 0.95)))
    if not isinstance(given.get("sharpest", "auto"), Real | str):
        raise ParameterError(
            f"sharpest must be 'auto', 'none' or a number, not {given['sharpest']!r}.",
            field="sharpest",
        )


def check_keywords(given: Mapping[str, Any], question: Question) -> None:
    """Refuse keywords that a question does not know."""
    kind = question.kind
    if given.get("method", question.method) != question.method and kind.why_only_joint:
        raise ParameterError(kind.why_only_joint, field="method")
    unknown = next((name for name in given if name not in ("method", *kind.takes)), None)
    if unknown is not None:
        raise ParameterError(
            f"There is no parameter {unknown!r}; there are confidence and sharpest.", field=unknown
        )


class Survey(SurveyMethods, Source):
    """Randomised answers, their design, and how the respondents were drawn.

    Parameters
    ----------
    data
        Reported answers: a DataFrame with the answers as values, a table of :func:`read`, or the
        path of a file. A file is read anew for every question; read it once to ask many. A folder
        of Parquet parts, or its fsspec address, is counted where it lies; quantiles, comparisons,
        correlations, and what takes weights, strata or clusters, bring the different records of
        the columns that they need together, of up to 20,000,000 rows.
    design
        The design of the answers, its JSON values or the path of its file. A file that was written
        with its codebook brings its own. Without one no answer is taken as randomised, and results
        are those of an ordinary survey; folders of parts need one.
    weights, person
        The columns that tell how many people a row stands for, and who answered in several waves.
    strata, cluster
        One or several columns whose combinations are the strata; that of the first-stage units.
    population
        First-stage units in the population of the stratum, or the sampled fraction: a column, or
        one number for all.
    replicates
        Replicate weights as ``{"columns": [...], "method": "jk1"}``, used in place of strata and
        clusters.
    sampling
        Whether the roles are used that the design names; a :class:`Sampling` takes their place.
        Roles that are given by name go before both.
    options
        How the sampling is used: ``target``, ``lonely``, ``interval``, ``degrees_of_freedom``.
    original
        True answers of the same people, for comparison in trials.
    reading
        How files are read, as the keywords of :func:`read`.
    seed
        Where everything starts that is drawn.
    engine
        Who works on a folder of parts: ``"local"``, ``"local:4"`` or ``"dask://HOST:PORT"``.
    progress
        Called with the share that is done and what is being done; may raise to stop.

    Examples
    --------
    >>> import pandas as pd
    >>> design = {"format": "ppworkbench-design", "version": 1, "attributes": {"fare_evasion": {
    ...     "kind": "binary", "values": ["no", "yes"], "sensitive": ["yes"],
    ...     "perturbation": {"type": "uniform", "keep": 0.75}}}}
    >>> answers = pd.DataFrame({"fare_evasion": ["yes"] * 40 + ["no"] * 60})
    >>> found = Survey(answers, design).share("fare_evasion")
    >>> round(found.estimate, 3), round(found.standard_error, 3)
    (0.3, 0.098)
    """

    without_design = OPEN

    def __repr__(self) -> str:
        """The design and the roles."""
        roles = "" if self.sampling is None else f", sampling {self.sampling.to_json()}"
        return f"<Survey of {', '.join(self.design.names[:6])}{roles}>"

    @check_arguments
    def count(
        self,
        where: str | Condition,
        *,
        method: str = JOINT,
        arms: Sequence[str] = (),
        by_arm: bool = False,
        **more: Any,
    ) -> CountResult:
        """Estimate how many people meet a condition.

        Parameters
        ----------
        where
            A condition such as ``"sex = F and 18 <= age < 30 and district in {north, east}"``.
        method
            ``"joint"``, unbiased, or ``"sequential"``, as published.
        arms, by_arm
            Which arms of the design count (all if none are named), and whether every arm is told
            by itself, too.
        **more
            ``confidence`` of the interval (0.95), ``sharpest``, the narrowest peak of a number
            under noise that intervals allow, and ``pooling`` of arms with different devices:
            ``"likelihood"``, one share for all, or ``"mean"``, that of their own estimates.
        """
        return self._ask(
            CountResult, "count", where, method=method, arms=arms, by_arm=by_arm, **more
        )

    @check_arguments
    def share(
        self,
        what: str | Condition,
        where: str | Condition | None = None,
        *,
        method: str = JOINT,
        arms: Sequence[str] = (),
        by_arm: bool = False,
        **more: Any,
    ) -> ShareResult | AnswerShareResult:
        """Estimate a share: of everybody, or of those who meet another condition.

        Parameters
        ----------
        what
            A condition such as ``"fare_evasion = yes"``, or just the name of an attribute one of
            whose answers is marked as sensitive, for the share of that answer.
        where
            Among whom the share is taken; then ``what`` must be one answer to one attribute.
        method, arms, by_arm, **more
            As for :meth:`count`.
        """
        asked = condition_of(what, self.design)
        if where is None:
            return self._ask(
                ShareResult, "count", asked, method=method, arms=arms, by_arm=by_arm, **more
            )
        name, value = answer_of(asked, self.design)
        found = self._ask(
            AnswerShareResult, "distribution", where, of=name, method=method, arms=arms,
            by_arm=by_arm, **more,
        )  # fmt: skip
        return dataclasses.replace(found, value=value)

    @check_arguments
    def mean(
        self,
        of: str,
        where: str | Condition | None = None,
        *,
        method: str = JOINT,
        arms: Sequence[str] = (),
        by_arm: bool = False,
        **more: Any,
    ) -> MeanResult:
        """Estimate the mean of a number; parameters as for :meth:`count`."""
        return self._ask(
            MeanResult, "mean", where, of=of, method=method, arms=arms, by_arm=by_arm, **more
        )

    @check_arguments
    def ratio(
        self,
        of: str,
        by: str,
        where: str | Condition | None = None,
        *,
        arms: Sequence[str] = (),
        **more: Any,
    ) -> RatioResult:
        """Estimate the total of a number divided by the total of another, ``by``."""
        return self._ask(RatioResult, "ratio", where, of=of, by=by, arms=arms, **more)

    @check_arguments
    def distribution(
        self,
        of: str,
        where: str | Condition | None = None,
        *,
        bins: int | None = None,
        method: str = JOINT,
        arms: Sequence[str] = (),
        by_arm: bool = False,
        **more: Any,
    ) -> DistributionResult:
        """Estimate how the answers to an attribute are distributed.

        Parameters
        ----------
        bins
            Into how many parts a number is cut.
        """
        return self._ask(
            DistributionResult, "distribution", where, of=of, bins=bins, method=method, arms=arms,
            by_arm=by_arm, **more,
        )  # fmt: skip

    @check_arguments
    def table(
        self,
        rows: str,
        columns: str,
        where: str | Condition | None = None,
        *,
        bins: int | None = None,
        test: str = "rao-scott",
        arms: Sequence[str] = (),
        by_arm: bool = False,
        **more: Any,
    ) -> TableResult:
        """Estimate the cross table of two attributes.

        Parameters
        ----------
        test
            How independence is tested: ``"rao-scott"`` (second order) or ``"adjusted-wald"``.
        """
        return self._ask(
            TableResult, "crosstab", where, of=rows, by=columns, bins=bins, test=test, arms=arms,
            by_arm=by_arm, **more,
        )  # fmt: skip

    @check_arguments
    def compare(
        self,
        of: str,
        by: str | None = None,
        where: str | Condition | None = None,
        *,
        against: str | None = None,
        reference: str | None = None,
        bins: int | None = None,
        arms: Sequence[str] = (),
        **more: Any,
    ) -> ComparisonResult:
        """Compare a mean or a share between groups of people, or two answers of the same people.

        Parameters
        ----------
        of
            A number whose mean is compared, or ``"name=value"`` for the share of an answer.
        by
            The attribute whose values are the groups.
        against
            In place of groups, ``"name=value"`` of another answer of the same people.
        reference
            The group that all others are compared with; all pairs are compared without it.
        """
        if (by is None) == (against is None):
            raise ParameterError(
                "Say what is compared: groups by the values of an attribute (by), or another "
                "answer of the same people (against).",
                field="by",
            )
        if against is not None:
            if reference or bins is not None:
                raise ParameterError(
                    "Two answers of the same people have neither a reference nor bins; leave "
                    "them out.",
                    field="reference" if reference else "bins",
                )
            unknown = next((name for name in more if name != "confidence"), None)
            if unknown is not None:
                raise ParameterError(
                    f"There is no parameter {unknown!r} for two answers; there is confidence.",
                    field=unknown,
                )
            return self._compare_answers(of, against, where, arms, **more)
        of, value = self._compared(of)
        return self._ask(
            ComparisonResult, "compare", where, of=of, value=value, by=by,
            reference=reference or "", bins=bins, arms=arms, **more,
        )  # fmt: skip

    @check_arguments
    def participants(
        self,
        where: str | Condition,
        *,
        size: int | None = None,
        draw: str = "highest",
        method: str = JOINT,
        arms: Sequence[str] = (),
        **more: Any,
    ) -> ParticipantsResult:
        """List who probably meets a condition: the most probable ones, or a random draw."""
        return self._ask(
            ParticipantsResult, "participants", where, size=size, draw=draw, method=method,
            seed=self.seed or 0, arms=arms, **more,
        )  # fmt: skip

    def _ask(
        self,
        kind: type[R],
        statistic: str,
        where: str | Condition | None,
        *,
        by_arm: bool = False,
        arms: Sequence[str] = (),
        **asked: Any,
    ) -> R:
        """Read what a question needs and estimate."""
        from ppworkbench.analyses.survey.answers import (
            estimate,
            estimate_by_arm,
            put_together,
        )
        from ppworkbench.analyses.survey.questions import (
            Question,
            check_attributes,
            within_arms,
        )
        from ppworkbench.study.distorted_cache import Answers

        own = ("confidence", "bins", "sharpest")
        how = {name: asked.pop(name) for name in own if name in asked}
        check_estimate_options(how)
        check_keywords(asked, Question(statistic))
        question = Question(statistic, as_condition(where), arms=tuple(arms), **asked)
        # What the design does not know is told before a large file is read.
        names = check_attributes(question, within_arms(question, self.design))
        drawn: dict[str, Any] = {"sampling": self.sampling, "options": self.options}
        chosen: dict[str, Any] = {"seed": self.seed or 0, **drawn, **how}
        original = None
        answers: Answers | PartedAnswers
        if self.parted is not None:
            answers = put_together(question, self.parted, self.design, **drawn)
        else:
            given = self.answers(names, part(self.progress, 0.0, 0.5))
            original = given.original
            answers = Answers(given.table, original)
        found = estimate(
            question, answers, self.design, progress=part(self.progress, 0.5, 1.0), **chosen
        )
        apart = estimate_by_arm(question, answers, self.design, **chosen) if by_arm else None
        remarks = self.remarks
        if question.arms or by_arm:
            remarks += self._without_arms(original)
        if remarks:
            found = dataclasses.replace(found, remarks=(*remarks, *found.remarks))
        return kind(found, self.design, apart)

    def _without_arms(self, original: Table | None) -> tuple[str, ...]:
        """That nobody knows the true answers of an arm, unless these tell the arm, too."""
        arms = self.design.arms
        if arms is None or original is None or arms.column in original:
            return ()
        return (
            Message(
                "The true answers have no column {column!r}, so those of single arms are not "
                "known.",
                column=arms.column,
            ),
        )

    def _compare_answers(
        self,
        of: str,
        against: str,
        where: str | Condition | None,
        arms: Sequence[str],
        confidence: float = 0.95,
    ) -> ComparisonResult:
        from ppworkbench.core.survey import compare_answers

        check_estimate_options({"confidence": confidence})
        design = self.design.within_arms(tuple(arms)) if arms else self.design
        first = condition_named(of, self.design, "of")
        second = condition_named(against, self.design, "against")
        among = as_condition(where)
        names = [*first.attributes, *second.attributes, *among.attributes]
        given = self.answers(names, part(self.progress, 0.0, 0.5))
        found = compare_answers(
            given.table, design, first, second, condition=among, confidence=confidence,
            sampling=given.sampling, options=self.options,
            progress=part(self.progress, 0.5, 1.0),
        )  # fmt: skip
        found = dataclasses.replace(found, remarks=(*given.remarks, *found.remarks))
        return ComparisonResult(found, self.design)

    def _compared(self, text: str) -> tuple[str, str]:
        """The attribute and the value of ``name=value``; a name may have an equals sign itself."""
        from ppworkbench.core.models import split_value

        return split_value(text, self.design)
