"""How many people have the sensitive item of a list, as a question of its own."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ppworkbench.analyses.estimates.request import AnswersRequest, EstimateInput
from ppworkbench.analyses.estimates.result import Numbers, SurveyResult, finite_numbers
from ppworkbench.core.compliance.assess_list import (
    DIFFERENCE,
    ML,
    MODELS,
    NLS,
    ListInquiry,
    assess_list,
)
from ppworkbench.core.compliance.list_models import SENSITIVE
from ppworkbench.core.data.sampling_roles import POPULATION
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.models.coding import INTERCEPT
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.sampling.results import methods_of_sampling
from ppworkbench.results.picture import (
    Axis,
    Interval,
    Mark,
    Picture,
    Role,
    Shape,
    intervals,
)
from ppworkbench.results.sheet import Column, Kind, Sheet, interval_columns
from ppworkbench.results.text import equals_p, short_number

if TYPE_CHECKING:
    from ppworkbench.analyses.source import Source
    from ppworkbench.core.compliance.assess_list import ListResult
    from ppworkbench.core.compliance.classes import Estimate
    from ppworkbench.core.design.design import Design
    from ppworkbench.study.study import Study


_METHODS = {
    DIFFERENCE: Message(
        "The counts of both lists were regressed on the predictors (linear regression, standard "
        "errors robust to unequal variances); the difference of the coefficients is that of the "
        "sensitive item."
    ),
    ML: Message(
        "The model gives every number of harmless items a probability of its own, takes it as "
        "independent of the sensitive item, and was fitted by maximum likelihood (after Imai 2011)."
    ),
    NLS: Message(
        "The model was fitted by two-step nonlinear least squares, with sandwich standard errors "
        "of both steps (Imai 2011)."
    ),
}


class ListItemResult(SurveyResult):
    """How many people have the sensitive item of a list."""

    found: ListResult
    main: ClassVar[str] = "estimates"

    def sheets(self) -> tuple[Sheet, ...]:
        listed = self._listed()
        called = Column("estimated", Message("share"), Kind.TEXT, [name for name, _ in listed])
        level = self.found.inquiry.confidence
        numbers = interval_columns([one for _, one in listed], level=level)
        estimates = Sheet("estimates", Message("Estimates"), (called, *numbers))
        made = [self._said(), estimates, self._types()]
        return (*made, *self._coefficients(), self._belief())

    @property
    def contents(self) -> Message:
        return self.found.contents.sentence

    def figure(self, name: str) -> Estimate | None:
        """The difference in means."""
        return self.found.difference if name == "difference" else None

    def asked(self) -> ListInquiry:
        """With the method that was used, which need not be the one that was chosen."""
        return self.found.inquiry

    def kept(self) -> tuple[Numbers, int]:
        share = self.found.share
        told = (100 * share.estimate, 100 * share.low, 100 * share.high, None, None)
        return finite_numbers(*told), 1

    def own_methods(self, study: Study) -> tuple[str, ...]:
        """What was asked of whom, and how it was estimated."""
        found, inquiry = self.found, self.found.inquiry
        parts = [
            Message(
                "{attribute} was asked by a list experiment: {short:,} respondents counted "
                "{items} harmless items, {long:,} the same with the sensitive one.",
                attribute=found.question.name,
                short=found.people[0],
                long=found.people[1],
                items=found.question.size,
            ),
            Message.of(found.sentence),
        ]
        if found.model is not None:
            parts.append(_METHODS[inquiry.way])
            if math.isfinite(found.model.assumption_p):
                p = found.model.assumption_p
                parts.append(
                    Message(
                        "The test of this assumption ({test}) gives p = {p:.3f}.",
                        test=found.model.assumption_test,
                        p=p,
                    )
                )
        if inquiry.predictors:
            parts.append(Message("Its predictors are {names}.", names=inquiry.predictors))
        parts.append(
            Message(
                "The test that the sensitive item does not change the answers to the others (Blair "
                "and Imai 2012) gives p = {p:.3f}.",
                p=found.design_effect_p,
            )
        )
        if found.counts.covariance is not None:
            parts += methods_of_sampling(study.sampling)
        return tuple(study.titled(one) for one in parts)

    def _listed(self) -> list[tuple[str, Estimate]]:
        found, model = self.found, self.found.model
        rows: list[tuple[str, Estimate]] = [(Message("difference in means"), found.difference)]
        if model is not None:
            rows.append((MODELS[found.inquiry.way], model.share))
            rows += [
                (Message("leave it out, {end}", end=end), one)
                for end, one in model.leaving_out.items()
            ]
        if found.direct is not None:
            rows.append((Message("with the direct question"), found.direct))
        if found.double is not None:
            rows.append((Message("both lists"), found.double.share))
        return rows

    def _said(self) -> Sheet:
        found = self.found
        halves = (found.counts.short, found.counts.long)
        columns = [
            Column("said", Message("said"), Kind.TEXT, ["short list", "long list"]),
            Column("people", Message("people"), Kind.COUNT, list(found.people)),
        ]
        for count in range(found.question.size + 2):
            people = [float(one[count]) if count < len(one) else math.nan for one in halves]
            head = Message("{count}", count=count)
            columns.append(Column(str(count), head, Kind.COUNT, people))
        return Sheet("said", Message("Numbers of items"), tuple(columns))

    def _types(self) -> Sheet:
        found, size = self.found, self.found.question.size
        columns = [Column("harmless", Message("harmless items"), Kind.COUNT, range(size + 1))]
        halves = (
            ("with", found.types[: size + 1],
             (Message("with it"), Message("± with"), Message("p with"))),
            ("without", found.types[size + 1 :],
             (Message("without it"), Message("± without"), Message("p without"))),
        )  # fmt: skip
        for key, types, heads in halves:
            columns += [
                _numbers(key, heads[0], [one.share for one in types]),
                _numbers(f"{key}_error", heads[1], [one.standard_error for one in types]),
                Column(f"{key}_p", heads[2], Kind.P, [one.p for one in types]),
            ]
        return Sheet("types", Message("Kinds of people"), tuple(columns))

    def _coefficients(self) -> tuple[Sheet, ...]:
        found = self.found
        if found.model is None or not found.inquiry.predictors:
            return ()
        terms = found.model.coefficients
        columns = (
            Column("item", Message("item"), Kind.TEXT, [one.part for one in terms]),
            Column("term", Message("term"), Kind.TEXT, [one.term for one in terms]),
            _numbers("estimate", Message("estimate"), [one.estimate for one in terms]),
            _numbers("error", Message("standard error"), [one.standard_error for one in terms]),
        )
        return (Sheet("coefficients", Message("Coefficients"), columns),)

    def _belief(self) -> Sheet:
        belief = self.found.belief
        columns = (
            Column("said", Message("after the number"), Kind.COUNT, range(len(belief))),
            Column("belief", Message("belief"), Kind.PERCENT, [100 * one for one in belief],
                   unit="%"),
        )  # fmt: skip
        return Sheet("belief", Message("What a number tells"), columns)

    def readings(self) -> tuple[str, ...]:
        found, model, said = self.found, self.found.model, []
        if found.double is not None:
            said.append(
                Message(
                    "Alone the lists give {first} and {second}; test that they agree: p {p}.",
                    first=short_number(found.double.first),
                    second=short_number(found.double.second), p=equals_p(found.double.p),
                )
            )  # fmt: skip
        said.append(
            Message(
                "Test that no share is negative, as it must be if the sensitive item does not "
                "change the answers to the others: p {p}.",
                p=equals_p(found.design_effect_p),
            )
        )
        if model is not None and math.isfinite(model.assumption_p):
            said.append(
                Message(
                    "Test that people with the sensitive item have as many harmless ones as "
                    "others, as the likelihood assumes ({test}): p {p}.",
                    p=equals_p(model.assumption_p),
                    test=model.assumption_test,
                )
            )
        said.append(
            Message(
                "Epsilon is ∞: 0 says no for sure, {most} says yes for sure. About {no:.1f} % of "
                "the people with the long list show that they lack the item, {yes:.1f} % that "
                "they have it.",
                most=len(found.belief) - 1, no=100 * found.exposed[0], yes=100 * found.exposed[1],
            )
        )  # fmt: skip
        return (*said, found.contents.sentence)

    def _interviewed(self) -> tuple[int, float]:
        return sum(self.found.people), self.found.inquiry.confidence

    def pictures(self) -> tuple[Picture, ...]:
        listed = self._listed()
        note = self.note()
        labels, numbers = [name for name, _ in listed], [one for _, one in listed]
        title, axis = Message("Share with the item"), Axis(Message("share"), kind=Kind.SHARE)
        drawn = intervals("estimates", title, axis, labels, numbers, note=note)
        return (drawn, self._counts(), *self._effects(note))

    def _counts(self) -> Picture:
        """Two bars for every number; below them how likely the item is after it."""
        import numpy as np

        found = self.found
        halves = (
            (Message("short list"), found.counts.short_shares),
            (Message("long list"), found.counts.long_shares),
        )
        marks = tuple(
            Mark(
                Shape.BARS, Role.SERIES, name, np.arange(1.0 * len(shares)),
                np.asarray(shares, np.float64), series=place,
                words=tuple(Message("{share:.0f} %", share=100 * one) for one in shares),
            )
            for place, (name, shares) in enumerate(halves)
        )  # fmt: skip
        labels = tuple(
            Message("{count}\n{belief:.0f} %", count=count, belief=100 * belief)
            for count, belief in enumerate(found.belief)
        )
        below = Message(
            "Belief in “{value}” after each count of the long list", value=found.question.sensitive
        )
        across, up = Axis(below, labels=labels), Axis(Message("share"), kind=Kind.SHARE)
        return Picture("counts", Message("Counts by list"), across, up, marks)

    def _effects(self, note: Message) -> tuple[Picture, ...]:
        model, inquiry = self.found.model, self.found.inquiry
        if model is None or not inquiry.predictors:
            return ()
        own = [one for one in model.coefficients if one.part == SENSITIVE]
        ends = [one for one in own if one.term != INTERCEPT]
        reached = [
            Interval(one.estimate, one.estimate - 1.96 * one.standard_error,
                     one.estimate + 1.96 * one.standard_error)
            for one in ends
        ]  # fmt: skip
        axis = Message("coefficient, log odds")
        if inquiry.way == DIFFERENCE:
            axis = Message("change of the share")
        labels = [one.term for one in ends]
        title = Message("Who has the item?")
        return (
            intervals("coefficients", title, Axis(axis), labels, reached, note=note, zero=True),
        )


def _numbers(key: str, head: Message, values: Sequence[float]) -> Column:
    return Column(key, head, Kind.NUMBER, values)


@dataclass(frozen=True, kw_only=True)
class ListItem(ListInquiry, AnswersRequest):
    """Estimate how many people have the sensitive item of a list.

    Examples
    --------
    >>> import pandas as pd, ppworkbench as pp
    >>> design = {"format": "ppworkbench-design", "version": 2, "attributes": {
    ...     "half": {"kind": "nominal", "values": ["a", "b"], "perturbation": {"type": "none"}},
    ...     "said": {"kind": "integer", "domain": [0, 3], "perturbation": {"type": "none"}},
    ...     "theft": {"kind": "binary", "values": ["no", "yes"], "perturbation": {"type": "none"}}},
    ...     "arms": {"column": "half", "members": {"a": {"share": 0.5}, "b": {"share": 0.5}}},
    ...     "lists": {"theft": {"count": "said", "items": ["a dog", "a cat"], "short": ["a"],
    ...     "long": ["b"]}}}
    >>> answers = pd.DataFrame({"half": ["a"] * 5 + ["b"] * 5, "said": [0, 1, 1, 1, 2] * 2})
    >>> answers.loc[9, "said"] = 3
    >>> float(pp.Survey(answers, design).list_item("theft").to_frame()["estimate"].round(2)[0])
    0.2
    """

    name: ClassVar[str] = "list_item"
    label: ClassVar[Message] = Message("Sensitive item of a list")
    leading: ClassVar[tuple[str, ...]] = ("attribute",)
    unused: ClassVar[tuple[str, ...]] = ("original",)
    finds: ClassVar[type[SurveyResult]] = ListItemResult
    statistic: ClassVar[str] = "list"
    short: ClassVar[Message] = Message("List")
    hint: ClassVar[Message] = Message("How many have the sensitive item of a list?")
    # It needs all of its people and both of its versions.
    takes: ClassVar[tuple[str, ...]] = ("inquiry", "target")
    own_question: ClassVar[str] = "inquiry"
    why_none: ClassVar[Message] = Message(
        "The design asks no question by a list; make one on Design."
    )

    @classmethod
    def is_offered(cls, design: Design) -> bool:
        return bool(design.lists)

    def why_not(self, design: Design) -> Message | None:
        try:
            design.list_of(self.attribute)
        except WorkbenchError as error:
            return Message.of(error.message)
        return None

    def read_columns(self, design: Design) -> tuple[str, ...]:
        """Its counts, those of a second list, and others by name."""
        second = (design.list_of(self.second).count,) if self.second else ()
        direct = (self.direct,) if self.direct else ()
        return (design.list_of(self.attribute).count, *self.predictors, *direct, *second)

    def by(self, method: str) -> ListItem:
        """The same by another method, without what that method does not have."""
        is_ml = method == ML
        ceiling, floor = self.ceiling and is_ml, self.floor and is_ml
        return dataclasses.replace(self, method=method, ceiling=ceiling, floor=floor)

    def estimate(self, given: EstimateInput) -> ListResult:
        """Under a sampling by the difference in means, which alone knows it."""
        is_population = given.options is None or given.options.target == POPULATION
        is_sampled = given.sampling is not None and is_population
        return assess_list(
            given.table, given.design, self.by(DIFFERENCE) if is_sampled else self,
            sampling=given.sampling, sampling_options=given.options, progress=given.progress,
        )  # fmt: skip

    def run(self, source: Source, progress: Progress = silent) -> ListItemResult:
        given = source.answers(self.read_columns(source.design), part(progress, 0.0, 0.6))
        found = assess_list(
            given.table, source.design, self, sampling=source.sampling,
            sampling_options=source.options, progress=part(progress, 0.6, 1.0),
        )  # fmt: skip
        found = dataclasses.replace(found, remarks=(*given.remarks, *found.remarks))
        return ListItemResult(self, found, source.design)


QUESTION = ListItem
