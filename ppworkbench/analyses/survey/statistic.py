"""What the program asks of a survey statistic, answered for one that is not special."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.analyses import place_of
from ppworkbench.analyses.command_line import command_of
from ppworkbench.analyses.request import Request
from ppworkbench.core.compliance.classes import Estimate as ClassEstimate
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.worst_case import Limits
from ppworkbench.core.registry import Registry
from ppworkbench.core.sampling.results import SampleSummary
from ppworkbench.core.survey.answers import as_table
from ppworkbench.core.survey.estimates import Estimate
from ppworkbench.core.survey.parted import PartedAnswers
from ppworkbench.core.survey.sampled import StatedResult, stated_contents
from ppworkbench.study.distorted_cache import Answers, distorted_of, original_of
from ppworkbench.study.study import Say, Study

if TYPE_CHECKING:
    from ppworkbench.analyses.survey.answers import SurveyResult
    from ppworkbench.analyses.survey.questions import Question

SHARED = ("condition", "target", "arms")
"""What matters to most statistics: who is asked about, and whose answers count."""
Numbers = tuple[float | None, ...]
LabelledEstimates = Mapping[tuple[tuple[str, str], ...], Estimate]
"""Estimates under the attributes and values that they belong to."""
_OF_ESTIMATE = 5
"""Estimate, the two ends of its interval, face value and truth."""


class Result(Protocol):
    """What every statistic finds: a frozen dataclass with a sentence and its JSON."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader has to know beside the numbers."""

    @property
    def sentence(self) -> str:
        """The result in words."""

    def to_json(self) -> dict[str, Any]:
        """The result for other programs."""


class SampledResult(Result, StatedResult, Protocol):
    """A result that tells whom it is about, where a sampling is used."""


@dataclass(frozen=True, eq=False)
class EstimateInput:
    """What a statistic is estimated from, and how.

    Parameters
    ----------
    design
        That of the arms whose answers count.
    seed
        Where the draws of the sequential method start; the question has that of participants.
    bins
        Into how many bins distributions and cross tables cut a number.
    sharpest
        The sharpest feature of a number under noise: ``auto``, ``none`` or a number.
    sampling, options
        How people were drawn, and how that is used.
    """

    answers: Answers | PartedAnswers
    design: Design
    seed: int = 0
    confidence: float = 0.95
    bins: int | None = None
    sharpest: str = "auto"
    sampling: Sampling | None = None
    options: SamplingOptions | None = None
    progress: Progress = silent

    @property
    def source(self) -> Table | PartedAnswers:
        """The reported answers, or the parts that they are counted in."""
        return distorted_of(self.answers)

    @property
    def table(self) -> Table:
        """The reported answers as single records; refuse parts."""
        return as_table(self.source)

    @property
    def rows(self) -> Answers:
        """The answers as single records; refuse parts."""
        if isinstance(self.answers, PartedAnswers):
            as_table(self.answers)
        assert isinstance(self.answers, Answers)  # noqa: S101 (the others were refused)
        return self.answers

    @property
    def drawn(self) -> dict[str, Any]:
        """How people were drawn, as keywords."""
        return {"sampling": self.sampling, "options": self.options}

    @property
    def shared(self) -> dict[str, Any]:
        """What estimates of a condition have in common, as keywords."""
        told = {"confidence": self.confidence, "progress": self.progress}
        return {"original": original_of(self.answers), **told, **self.drawn}

    @property
    def noisy(self) -> dict[str, Any]:
        """What numbers under noise need in addition, as keywords."""
        return {"sharpness": self.sharpest, "seed": self.seed}


R = TypeVar("R", bound=Result)
S = TypeVar("S", bound=SampledResult)


class Statistic(ABC, Generic[R]):
    """What can be asked of answers: what it needs, how it is found, and how it is told.

    ``R`` is what it finds. The window, commands, reports and studies ask these questions; no other
    code asks for the name of a statistic or for the class of a result.
    """

    takes: ClassVar[tuple[str, ...]]
    """The fields of a question that matter to it."""
    own_question: ClassVar[str] = ""
    """The field that holds a question of its own kind, asked by a form of its own."""
    is_from_counts: ClassVar[bool] = False
    """Whether counts of a folder of parts are enough; others take all of its rows."""
    why_no_parts: ClassVar[str] = ""
    """Why a folder of parts is not asked at all."""
    why_only_population: ClassVar[str] = ""
    """Why it is not told of the people who answered alone."""
    only_numbers: ClassVar[bool] = False
    """Whether it tells about attributes that are numbers only."""
    needs_condition: ClassVar[bool] = False
    """Whether there is nothing to estimate of everybody."""
    is_number: ClassVar[bool] = False
    """Whether it is one number, which can be split, and told by another method or target."""
    is_share: ClassVar[bool] = True
    """Whether its numbers are shares of people, not numbers of an attribute."""
    has_interval: ClassVar[bool] = True
    has_readings: ClassVar[bool] = False
    """Whether it is told with the readings of those who did not follow the instructions."""
    lists_people: ClassVar[bool] = False
    """Whether it guesses about single people: then it belongs to the attacks, and is not kept."""
    asks: ClassVar[str] = ""
    """The request that asks it."""
    kept_numbers: ClassVar[int] = _OF_ESTIMATE
    """So many numbers stand for it in the list of what was asked."""

    # What is asked

    @property
    def why_only_joint(self) -> str:
        """Why there is no sequential method; empty if there is."""
        if "method" in self.takes:
            return ""
        return Message("This statistic has no sequential method.")

    def is_offered(self, design: Design) -> bool:  # noqa: ARG002
        return True

    def can_be_of(self, attribute: Attribute) -> bool:
        return attribute.kind.is_numeric or not self.only_numbers

    def can_be_by(self, attribute: Attribute) -> bool:  # noqa: ARG002
        """Whether it can tell of another attribute by this one."""
        return True

    def can_be_split(self, asked: Question, by: str) -> bool:  # noqa: ARG002
        """Whether an answer can be told for every value of an attribute."""
        return False

    def steps(self, asked: Question) -> int:
        """How many attributes the sequential method reconstructs one by one."""
        return len(asked.condition.attributes) + 1

    def problem(self, asked: Question, design: Design) -> str:  # noqa: ARG002
        """Why a question cannot be asked, apart from attributes that are missing; empty if not."""
        return ""

    def untestable(self, asked: Question, design: Design) -> Sequence[str]:  # noqa: ARG002
        """The attributes that a condition must not test here."""
        return ()

    def own_columns(self, asked: Question, design: Design) -> tuple[str, ...]:  # noqa: ARG002
        """The columns of a question of its own kind."""
        return ()

    # How it is found

    @abstractmethod
    def estimate(self, asked: Question, given: EstimateInput) -> R:
        """Ask the answers."""

    def find_true(
        self, result: R, study: Study, original: Table  # noqa: ARG002
    ) -> NDArray[np.bool_] | None:  # fmt: skip
        """For every record of the result whether its true answers meet the condition."""
        return None

    # What it tells

    def number(self, result: R) -> Estimate | None:  # noqa: ARG002
        """The one number of a result; None where there are several."""
        return None

    def figure(self, result: R, name: str) -> Estimate | ClassEstimate | None:  # noqa: ARG002
        """A number of a result as publications call it; None where there is none of that name."""
        return None

    def limits(self, result: R) -> Limits | None:  # noqa: ARG002
        """The worst-case bounds of the one number."""
        return None

    def sample(self, result: R) -> SampleSummary | None:  # noqa: ARG002
        """Whom a result is about; None where nothing is said about the sampling."""
        return None

    def contents(self, result: R, answer: SurveyResult) -> Message | None:  # noqa: ARG002
        """Which errors the intervals include and leave out."""
        return None

    def respondents(self, result: R) -> int:  # noqa: ARG002
        """How many people one number was found from; none where there are several."""
        return 0

    def arm_estimates(self, result: R) -> LabelledEstimates:  # noqa: ARG002
        """Numbers that arms are compared by; counts as shares, for arms differ in size."""
        return {}

    def people_by_arm(self, result: R) -> Mapping[str, int]:  # noqa: ARG002
        """How many people answered in each arm, where a form of its own tells it."""
        return {}

    @abstractmethod
    def kept(self, result: R, answer: SurveyResult) -> tuple[Numbers, int]:
        """The numbers for the list of what was asked, and with how many decimals."""

    def headline(self, result: R, answer: SurveyResult) -> str:  # noqa: ARG002
        """An answer as a sentence."""
        return answer.sentence

    def described(self, asked: Question, whom: str) -> Message:  # noqa: ARG002
        """What was estimated of whom, as the beginning of a sentence."""
        return Message("")

    def told_numbers(self, result: R, answer: SurveyResult) -> tuple[str, ...]:  # noqa: ARG002
        """What the methods section says of the numbers."""
        return ()

    def own_methods(self, result: R, answer: SurveyResult) -> tuple[str, ...]:  # noqa: ARG002
        """A methods section of its own; empty where that of all estimates serves."""
        return ()

    @abstractmethod
    def rows(self, result: R, answer: SurveyResult) -> list[list[str]]:
        """The numbers of an answer under their names."""

    def write(
        self,
        result: R,  # noqa: ARG002
        answer: SurveyResult,  # noqa: ARG002
        path: Path,  # noqa: ARG002
        *,
        say: Say,  # noqa: ARG002
        note: str,  # noqa: ARG002
        progress: Progress,  # noqa: ARG002
    ) -> bool:
        """Write an answer in a form of its own, below a note, which may be empty.

        False where the table of its rows is all there is to write.
        """
        return False

    # Other ways to ask the same

    def request(self, asked: Question) -> Request:
        """The same question as commands and scripts ask it."""
        kind: Any = place_of(self.asks).load()
        request: Request = kind.of_question(asked)
        return request

    def command(self, asked: Question, table: str, design: str) -> str:
        """The command line that asks the same of files."""
        told = command_of(self.request(asked), table, design, target=asked.target)
        return f"{told} --seed {asked.seed}" if "seed" in self.takes else told

    def call(self, result: R, answer: SurveyResult) -> tuple[str, dict[str, object]]:  # noqa: ARG002
        """The function of the Python interface that asks the same, and its arguments by name."""
        asked = answer.question
        return self.asks, self.request(
            asked.with_(by_arm=False) if answer.no_arms else asked
        ).changed()


class SampledStatistic(Statistic[S]):
    """A statistic whose result tells whom it is about, where a sampling is used."""

    def sample(self, result: S) -> SampleSummary | None:
        return result.sample

    def contents(self, result: S, answer: SurveyResult) -> Message | None:  # noqa: ARG002
        """The errors of the sample, else those of randomised answers alone."""
        contents = stated_contents(result)
        return None if contents is None else contents.sentence


def among(what: Message, whom: str) -> Message:
    """What was estimated, and of whom where not of everybody."""
    return Message("{what} among those with {whom}", what=what, whom=whom) if whom else what


statistics: Registry[type[Statistic[Any]]] = Registry("statistic")
"""Everything that can be asked of answers."""
