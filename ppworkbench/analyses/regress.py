"""Regressions on randomised answers: what an answer or a number goes together with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from ppworkbench.analyses.survey_request import AnswersRequest, Arms, SurveyResult, Where
from ppworkbench.core.message import Message
from ppworkbench.core.models.formula import Formula, parse_formula
from ppworkbench.core.models.regress import RegressionOptions
from ppworkbench.core.params import Info, Option, Part, Read
from ppworkbench.core.survey.conditions.condition import EVERYBODY
from ppworkbench.results.picture import Axis, Picture, interval_note, intervals
from ppworkbench.results.sheet import Column, Kind, Sheet
from ppworkbench.results.text import equals_p, short_number

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.analyses.regression.questions import ModelQuestion
    from ppworkbench.analyses.survey.questions import Question
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.models import Regression
    from ppworkbench.study.study import Study

_ENDS = (
    ("estimate", Message("estimate")), ("low", Message("low")), ("high", Message("high")),
    ("standard_error", Message("standard error")),
)  # fmt: skip


class RegressionResult(SurveyResult):
    """Coefficients with intervals, and what was asked for besides them."""

    request: Regress
    found: Regression

    def sentence(self) -> str:
        """The clearest effect, and by which model: a coefficient means something else in each."""
        named = str(self.found.family.title)
        return Message(
            "{model}. {found}", model=f"{named[0].upper()}{named[1:]}", found=self.found.sentence
        )

    def readings(self) -> tuple[str, ...]:
        """How the model fits, and what the intervals hold."""
        contents, fit = self.found.contents.sentence, self.found.fit
        if fit is None:
            return (contents,)
        said = Message(
            "Fit: X² = {statistic}, p {p} by {replicates} simulated surveys.",
            statistic=short_number(fit.statistic), p=equals_p(fit.p), replicates=fit.replicates,
        )  # fmt: skip
        return (said, contents)

    def sheets(self) -> tuple[Sheet, ...]:
        """The coefficients, and what was asked for besides them."""
        found = self.found
        made = [self._coefficients()]
        if found.device is not None:
            one = found.device
            names = [f"{one.attribute}: {one.parameter}"]
            tested = Column("p", Message("p of 1"), Kind.P, [one.p])
            columns = (_words("device", Message("device"), names), *_numbers([one]), tested)
            made.append(Sheet("device", Message("Parameter of the device"), columns))
        if found.effects:
            names = [f"{e.attribute}[{e.level}]" if e.level else e.attribute for e in found.effects]
            called = Message("average effect")
            title = Message("Average effects")
            made.append(_beside("effects", title, called, names, found.effects))
        if found.predictions:
            names = ["; ".join(f"{k}={v}" for k, v in e.given.items()) for e in found.predictions]
            called = Message("everybody with")
            title = Message("Predictions")
            made.append(_beside("predictions", title, called, names, found.predictions))
        if found.tests:
            tests = found.tests
            columns = (
                _words("terms", Message("terms together"), [" + ".join(t.terms) for t in tests]),
                _words("test", Message("test"), [one.kind for one in tests]),
                _number("statistic", Message("statistic"), [one.statistic for one in tests]),
                Column("df", Message("df"), Kind.COUNT, [one.df for one in tests]),
                Column("p", Message("p"), Kind.P, [one.p for one in tests]),
            )
            made.append(Sheet("tests", Message("Joint tests"), columns))
        return tuple(made)

    def _coefficients(self) -> Sheet:
        terms = self.found.terms

        def column(key: str, head: Message, kind: Kind = Kind.NUMBER, **more: Any) -> Column:
            return Column(key, head, kind, [getattr(one, key) for one in terms], **more)

        odds = [None if one.odds_ratio is None else one.odds_ratio.estimate for one in terms]
        has_people = any(one.people is not None for one in terms)
        columns = [
            _words("label", Message("term"), [one.label for one in terms]),
            column("term", Message("term"), Kind.TEXT, is_detail=True),
            column("level", Message("level"), Kind.TEXT, is_detail=True),
            column("outcome", Message("outcome"), Kind.TEXT, is_detail=True),
            column("estimate", Message("estimate"), low="low", high="high"),
            column("standard_error", Message("standard error")),
            column("statistic", Message("statistic"), is_detail=True),
            column("degrees_of_freedom", Message("df"), is_detail=True),
            column("p", Message("p"), Kind.P),
            column("low", Message("low")),
            column("high", Message("high")),
            column("naive", Message("uncorrected")),
            column("people", Message("people"), Kind.COUNT, is_detail=not has_people),
        ]
        if any(one is not None for one in odds):
            columns.append(_number("odds_ratio", Message("odds ratio"), odds))
        if any(one.true is not None for one in terms):
            columns.append(column("true", Message("true")))
        return Sheet("coefficients", Message("Coefficients"), tuple(columns))

    def pictures(self) -> tuple[Picture, ...]:
        """A point with its interval for each coefficient."""
        from ppworkbench.core.models.coding import INTERCEPT

        found = self.found
        # The intercept has the scale of the outcome, which would hide all others.
        terms = [one for one in found.terms if one.term != INTERCEPT] or list(found.terms)
        title = Message("Coefficients of {formula}", formula=str(found.formula))
        note = interval_note(found.n, found.confidence)
        labels = [one.label for one in terms]
        drawn = intervals(
            "coefficients", title, Axis(Message("coefficient")), labels, terms, note=note, zero=True
        )
        return (drawn,)

    def to_csv(self) -> str:
        """The table of coefficients as CSV, with all digits."""
        from ppworkbench.analyses.regression.tables import model_csv

        return model_csv(self.found, self._study)

    def to_latex(self) -> str:
        """The table of coefficients as LaTeX, rounded as for a paper."""
        from ppworkbench.analyses.regression.tables import model_latex

        return model_latex(self.found, self._study)

    def files(self) -> dict[str, str]:
        """The texts of the files that a command writes."""
        return {"csv": self.to_csv(), "latex": self.to_latex()}

    @cached_property
    def _study(self) -> Study:
        """A study that lends its words to tables; it takes no device that differs by row."""
        from ppworkbench.core.data.table import Table
        from ppworkbench.core.design.design import Design, DesignedAttribute
        from ppworkbench.core.design.identity import Identity
        from ppworkbench.study.study import Study

        plain = Design(tuple(DesignedAttribute(one.attribute, Identity()) for one in self.design))
        return Study.of_distorted(Table(()), plain, "")

    def effects(self) -> pd.DataFrame:
        """One row per average effect, where these were asked for."""
        import pandas as pd

        return pd.DataFrame([one.to_json() for one in self.found.effects])

    def predictions(self) -> pd.DataFrame:
        """One row per prediction, with a column for each value that everybody was given."""
        import pandas as pd

        numbers = ("outcome", "estimate", "low", "high", "standard_error")
        rows = [
            dict(one.given) | {name: getattr(one, name) for name in numbers}
            for one in self.found.predictions
        ]
        return pd.DataFrame(rows)


def _words(key: str, head: Message, values: Sequence[str]) -> Column:
    return Column(key, head, Kind.TEXT, values)


def _number(key: str, head: Message, values: Sequence[float | None]) -> Column:
    return Column(key, head, Kind.NUMBER, values)


def _numbers(found: Sequence[Any]) -> tuple[Column, ...]:
    return tuple(_number(key, head, [getattr(one, key) for one in found]) for key, head in _ENDS)


def _beside(
    name: str, title: Message, head: Message, names: Sequence[str], found: Sequence[Any]
) -> Sheet:
    """Numbers for each outcome beside the coefficients."""
    outcome = _words("outcome", Message("outcome"), [one.outcome for one in found])
    return Sheet(name, title, (_words(name, head, names), outcome, *_numbers(found)))


def _formula(given: Any) -> Formula:
    if not isinstance(given, str | Formula):
        raise TypeError(Message("it must be a formula as text"))
    return parse_formula(given) if isinstance(given, str) else given


def _predictions(given: Any) -> tuple[Mapping[str, str], ...]:
    from ppworkbench.analyses.regression.questions import read_values

    if isinstance(given, str | Mapping) or not isinstance(given, Sequence):
        raise TypeError(Message("it must be a list of texts as in 'sex=F; age=30'"))
    return tuple(
        read_values(one) if isinstance(one, str) else {k: str(v) for k, v in one.items()}
        for one in given
    )


def _written(given: Sequence[Mapping[str, str]]) -> list[str]:
    return ["; ".join(f"{name}={value}" for name, value in one.items()) for one in given]


@dataclass(frozen=True, kw_only=True)
class Regress(AnswersRequest):
    """Fit a regression to the randomised answers.

    Examples
    --------
    >>> import pandas as pd, ppworkbench as pp
    >>> answers = pd.DataFrame({"age": [1, 2, 3, 4], "hours": [2.0, 4.1, 5.9, 8.0]})
    >>> found = pp.Survey(answers).regress("hours ~ age")
    >>> float(found.to_frame()["estimate"].round(2)[1])
    1.98
    """

    name: ClassVar[str] = "regress"
    label: ClassVar[Message] = Message("Regression on randomised answers")
    leading: ClassVar[tuple[str, ...]] = ("formula", "where")
    statistic: ClassVar[str] = "regression"
    finds: ClassVar[type[SurveyResult]] = RegressionResult
    keeps_partial: ClassVar[bool] = True
    files: ClassVar[Mapping[str, str]] = {
        "csv": "write the table of coefficients as CSV",
        "latex": "write the table, rounded, as LaTeX",
    }

    formula: Annotated[
        Formula,
        Read(_formula, annotation="str | Formula"),
        Option(metavar="FORMULA"),
        Info("Formula", "what is explained by what, e.g. 'drug=yes ~ sex + age + sex:age'"),
    ]
    where: Annotated[
        Where, Info("Where", "condition on answers that are not randomised, e.g. 18 <= age < 30")
    ] = EVERYBODY
    effects: Annotated[bool, Info("Effects", "add average effects of the predictors")] = False
    predict: Annotated[
        tuple[Mapping[str, str], ...],
        Read(_predictions, _written, annotation="Sequence[str | Mapping[str, object]]"),
        Option(metavar="VALUES", is_repeated=True),
        Info(
            "Predictions",
            "expected outcome if everybody had these values, e.g. 'sex=F; age=30'; may be given "
            "several times",
        ),
    ] = ()
    compare_with: Annotated[
        Formula | None,
        Read(_formula, annotation="str | Formula"),
        Option(metavar="FORMULA"),
        Info("Compared with", "formula with fewer terms, which this one is tested against"),
    ] = None
    fit: Annotated[bool, Info("Fit", "judge the fit by surveys simulated from the model")] = False
    options: Annotated[
        RegressionOptions, Part("regression", is_open=True), Info("Options", "how it is fitted")
    ] = RegressionOptions()  # noqa: RUF009 (frozen)
    arms: Arms = ()

    @classmethod
    def of(cls, model: ModelQuestion, arms: tuple[str, ...] = ()) -> Regress:
        """The same as studies keep it."""
        return cls(
            formula=model.formula, where=model.condition, effects=model.effects,
            predict=model.predict, compare_with=model.compare_with, fit=model.fit,
            options=model.options, arms=arms,
        )  # fmt: skip

    def question(self, design: Design) -> Question:  # noqa: ARG002
        """The same as studies keep it."""
        from ppworkbench.analyses.regression.questions import ModelQuestion
        from ppworkbench.analyses.survey.questions import Question

        model = ModelQuestion(
            self.formula, self.options, self.where, self.effects, self.predict, self.compare_with,
            self.fit,
        )  # fmt: skip
        return Question(self.statistic, self.where, model=model, arms=self.arms)

    def needs(self, design: Design) -> tuple[str, ...]:
        """The attributes that are asked about, and their check questions."""
        model = self.question(design).model
        assert model is not None  # noqa: S101 (it was just made)
        return model.columns(design)


QUESTION = Regress
