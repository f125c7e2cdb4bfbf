"""Statistics with a question of their own kind: regressions, compliance and lists of items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from ppworkbench.analyses import lists
from ppworkbench.analyses.compliance import questions as compliance
from ppworkbench.analyses.compliance.request import ComplianceRequest
from ppworkbench.analyses.compliance.sentences import (
    compliance_methods,
    followed,
    in_words,
)
from ppworkbench.analyses.compliance.tables import compliance_rows, write_compliance
from ppworkbench.analyses.list_item import ListItem
from ppworkbench.analyses.regress import Regress
from ppworkbench.analyses.regression.questions import fit_model
from ppworkbench.analyses.regression.tables import (
    headline,
    model_methods,
    model_rows,
    write_model,
)
from ppworkbench.analyses.request import Request
from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.analyses.survey.history import finite_numbers
from ppworkbench.analyses.survey.methods import describe_arms
from ppworkbench.analyses.survey.questions import (
    COMPLIANCE,
    LIST,
    REGRESSION,
    Question,
    compliance_of,
    model_of,
)
from ppworkbench.analyses.survey.statistic import (
    SHARED,
    EstimateInput,
    Numbers,
    Statistic,
    statistics,
)
from ppworkbench.analyses.survey.tables import Rows
from ppworkbench.core.compliance.assess_list import ListResult
from ppworkbench.core.compliance.classes import Estimate
from ppworkbench.core.compliance.result import Compliance
from ppworkbench.core.design import Design
from ppworkbench.core.message import Message
from ppworkbench.core.models import Regression
from ppworkbench.core.progress import Progress
from ppworkbench.study.release import describe_devices
from ppworkbench.study.study import Say


@statistics.register(
    REGRESSION, Message("Regression"), hint="What does an answer go together with?", rank=70
)
class RegressionStatistic(Statistic[Regression]):
    """What an answer or a number goes together with."""

    takes = (*SHARED, "model")
    asks = "regress"
    own_question = "model"
    is_from_counts = True
    kept_numbers = 1

    def problem(self, asked: Question, design: Design) -> str:  # noqa: ARG002
        return Message("Choose the attribute that is explained.") if asked.model is None else ""

    def untestable(self, asked: Question, design: Design) -> Sequence[str]:
        """What is randomised is a predictor, never a test."""
        tested = (name for name in asked.condition.attributes if name in design)
        return [name for name in tested if not design.perturbation(name).is_identity]

    def own_columns(self, asked: Question, design: Design) -> tuple[str, ...]:  # noqa: ARG002
        return model_of(asked).attributes

    def estimate(self, asked: Question, given: EstimateInput) -> Regression:
        return fit_model(
            model_of(asked), given.answers, given.design,
            seed=given.seed, progress=given.progress, **given.drawn,
        )  # fmt: skip

    def contents(self, result: Regression, answer: SurveyResult) -> Message:  # noqa: ARG002
        return result.contents.sentence

    def kept(self, result: Regression, answer: SurveyResult) -> tuple[Numbers, int]:  # noqa: ARG002
        return (len(result.terms),), 0

    def headline(self, result: Regression, answer: SurveyResult) -> str:
        return headline(result, answer.study)

    def own_methods(self, result: Regression, answer: SurveyResult) -> tuple[str, ...]:
        said = model_methods(model_of(answer.question), result, answer.study)
        return (*said, *describe_arms(answer))

    def rows(self, result: Regression, answer: SurveyResult) -> Rows:
        return model_rows(result, answer.study)

    def write(
        self,
        result: Regression,
        answer: SurveyResult,
        path: Path,
        *,
        say: Say,
        note: str,
        progress: Progress,  # noqa: ARG002
    ) -> bool:
        """Write a table for programs or for a paper."""
        write_model(result, answer.study, path, say, note)
        return True

    def request(self, asked: Question) -> Request:
        return Regress.of(model_of(asked), asked.arms)


@statistics.register(
    COMPLIANCE, Message("Compliance"), hint="Did people follow the instructions?", rank=80
)
class ComplianceStatistic(Statistic[Compliance]):
    """How many people followed the instructions, by a model of those who did not."""

    # It needs all of its people, and has its own choice of arms.
    takes = ("compliance",)
    asks = "compliance"
    own_question = "compliance"
    why_only_population = Message("Compliance is estimated about the population.")
    kept_numbers = 3

    def contents(self, result: Compliance, answer: SurveyResult) -> Message | None:  # noqa: ARG002
        """Those who do not follow are included where a model estimates them."""
        return result.contents.sentence

    def problem(self, asked: Question, design: Design) -> str:
        return compliance.problem_of_compliance(asked.compliance, design)

    def own_columns(self, asked: Question, design: Design) -> tuple[str, ...]:
        """The question, and the one it is anchored to."""
        return compliance.columns_of(compliance_of(asked), design)

    def estimate(self, asked: Question, given: EstimateInput) -> Compliance:
        return compliance.assess(
            compliance_of(asked), given.rows, given.design,
            seed=given.seed, progress=given.progress, **given.drawn,
        )  # fmt: skip

    def figure(self, result: Compliance, name: str) -> Estimate | None:
        return result.parameters.get(name)

    def people_by_arm(self, result: Compliance) -> Mapping[str, int]:
        return result.rows

    def kept(self, result: Compliance, answer: SurveyResult) -> tuple[Numbers, int]:  # noqa: ARG002
        """The share of those who followed, else the share if all followed."""
        one = followed(result)
        if one is None:
            return finite_numbers(result.uncorrected.estimate, math.nan, math.nan), 0
        return finite_numbers(one.estimate, one.low, one.high), 0

    def headline(self, result: Compliance, answer: SurveyResult) -> str:
        return answer.study.titled(in_words(result))

    def own_methods(self, result: Compliance, answer: SurveyResult) -> tuple[str, ...]:
        how = describe_devices((result.attribute.name,), answer.study.design)
        return compliance_methods(result, answer.study, how)

    def rows(self, result: Compliance, answer: SurveyResult) -> Rows:  # noqa: ARG002
        return compliance_rows(result)

    def write(
        self,
        result: Compliance,
        answer: SurveyResult,  # noqa: ARG002
        path: Path,
        *,
        say: Say,
        note: str,
        progress: Progress,  # noqa: ARG002
    ) -> bool:
        """Write a table in the words of its readers."""
        write_compliance(result, path, say, note)
        return True

    def request(self, asked: Question) -> Request:
        return ComplianceRequest.of(compliance_of(asked))


@statistics.register(
    LIST, Message("List"), hint="How many have the sensitive item of a list?", rank=90
)
class ListStatistic(Statistic[ListResult]):
    """How many people have the sensitive item of a list."""

    # It needs all of its people and both of its versions.
    takes = ("inquiry", "target")
    asks = "list_item"
    own_question = "inquiry"

    def is_offered(self, design: Design) -> bool:
        return bool(design.lists)

    def problem(self, asked: Question, design: Design) -> str:
        return lists.problem_of_list(asked.inquiry, design)

    def own_columns(self, asked: Question, design: Design) -> tuple[str, ...]:
        """The counts of items, and attributes that they may go together with."""
        return () if asked.inquiry is None else lists.columns_of(asked.inquiry, design)

    def estimate(self, asked: Question, given: EstimateInput) -> ListResult:
        return lists.ask_list(
            asked.inquiry, given.rows, given.design, progress=given.progress, **given.drawn
        )

    def figure(self, result: ListResult, name: str) -> Estimate | None:
        return result.difference if name == "difference" else None

    def contents(self, result: ListResult, answer: SurveyResult) -> Message:  # noqa: ARG002
        return result.contents.sentence

    def kept(self, result: ListResult, answer: SurveyResult) -> tuple[Numbers, int]:  # noqa: ARG002
        """The share of those with the item, in percent."""
        share = result.share
        told = (100 * share.estimate, 100 * share.low, 100 * share.high, None, None)
        return finite_numbers(*told), 1

    def own_methods(self, result: ListResult, answer: SurveyResult) -> tuple[str, ...]:
        return lists.list_methods(result, answer.study)

    def rows(self, result: ListResult, answer: SurveyResult) -> Rows:  # noqa: ARG002
        return lists.list_rows(result)

    def request(self, asked: Question) -> Request:
        assert asked.inquiry is not None  # noqa: S101 (the question has no problem)
        return ListItem.of(asked.inquiry)

    def call(self, result: ListResult, answer: SurveyResult) -> tuple[str, dict[str, object]]:  # noqa: ARG002
        """The list as it was asked, which need not be the method that was chosen."""
        return self.asks, ListItem.of(result.inquiry).changed()
