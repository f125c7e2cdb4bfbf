"""Regressions on randomised answers: what an answer or a number goes together with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from ppworkbench.analyses.estimates.request import (
    SHARED,
    AnswersRequest,
    Arms,
    EstimateInput,
    Where,
    describe_arms,
)
from ppworkbench.analyses.estimates.result import Numbers, SurveyResult
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.models.formula import Formula, parse_formula
from ppworkbench.core.models.regress import RegressionOptions
from ppworkbench.core.params import Info, Option, Part, Read
from ppworkbench.core.survey.conditions.condition import EVERYBODY
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape, intervals
from ppworkbench.results.sheet import Column, Kind, Sheet
from ppworkbench.results.text import equals_p, short_number

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from ppworkbench.analyses.regression.tables import TermRow
    from ppworkbench.core.data.table import Table
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.models import Coefficient, Regression
    from ppworkbench.core.models.results import Interval
    from ppworkbench.study.study import Study

_REPLICATES = 199
"""So many surveys are simulated to judge a fit."""
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

    @property
    def contents(self) -> Message:
        return self.found.contents.sentence

    def kept(self) -> tuple[Numbers, int]:
        return (len(self.found.terms),), 0

    def headline(self, study: Study) -> str:
        from ppworkbench.analyses.regression.tables import headline

        return headline(self.found, study)

    def own_methods(self, study: Study) -> tuple[str, ...]:
        from ppworkbench.analyses.regression.tables import model_methods

        said = model_methods(self.request.options, self.found, study)
        return (*said, *describe_arms(study.design, self.request.arms))

    def write(self, path: Path, study: Study, table: Table, **how: Any) -> bool:  # noqa: ARG002
        from ppworkbench.analyses.regression.tables import model_latex
        from ppworkbench.core.files import write_text

        if path.suffix.lower() != ".tex":
            return False
        note = f"% {how['note']}\n" * bool(how["note"])
        text = note + model_latex(self.found, study, how["say"])
        write_text(path, text, private=self.is_private)
        return True

    def readings(self) -> tuple[str, ...]:
        contents, fit = self.found.contents.sentence, self.found.fit
        if fit is None:
            return (contents,)
        said = Message(
            "Fit: X² = {statistic}, p {p} by {replicates} simulated surveys.",
            statistic=short_number(fit.statistic), p=equals_p(fit.p), replicates=fit.replicates,
        )  # fmt: skip
        return (said, contents)

    def sheets(self) -> tuple[Sheet, ...]:
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

        odds = [one.odds_ratio for one in terms]
        has_people = any(one.people is not None for one in terms)
        columns = [
            _words("label", Message("term"), [one.label for one in terms]),
            column("term", Message("term"), Kind.TEXT, is_detail=True),
            column("level", Message("level"), Kind.TEXT, is_detail=True),
            Column("reference", Message("reference"), Kind.TEXT, self._references, is_detail=True),
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
            ratio = _number("odds_ratio", Message("odds ratio"), _of(odds, "estimate"))
            columns.append(replace(ratio, low="odds_ratio_low", high="odds_ratio_high"))
            columns += [
                Column(f"odds_ratio_{end}", head, Kind.NUMBER, _of(odds, end), is_detail=True)
                for end, head in (
                    ("low", Message("odds ratio, low")), ("high", Message("odds ratio, high")),
                )
            ]  # fmt: skip
        if any(one.true is not None for one in terms):
            columns.append(column("true", Message("true")))
        return Sheet("coefficients", Message("Coefficients"), tuple(columns))

    def pictures(self) -> tuple[Picture, ...]:
        """A point with its interval for each coefficient, and what is expected.

        Odds ratios and ratios of means stand on a logarithmic axis, where there are such.
        """
        found, is_ratio = self.found, self.found.family.takes_ratios
        # The intercept has the scale of the outcome, which would hide all others.
        rows = [row for row in self._rows if not row.is_constant] or list(self._rows)
        drawn: list[Any] = [row.coefficient for row in rows]
        axis, title = Message("coefficient"), Message("Coefficients of {formula}")
        if is_ratio:
            has_odds = drawn[0].odds_ratio is not None
            drawn = [_as_ratio(one) for one in drawn]
            axis, title = (
                Message("Ratio of means (logarithmic axis)"),
                Message("Ratios of means, {formula}"),
            )
            if has_odds:
                axis, title = (
                    Message("Odds ratio (logarithmic axis)"),
                    Message("Odds ratios of {formula}"),
                )
        low, high = _reach(drawn, is_ratio=is_ratio)
        said = Message(title.template, formula=str(found.formula))
        across = Axis(axis, low=low, high=high, is_log=is_ratio)
        note, labels = self.note(), [row.full_label for row in rows]
        forest = intervals("coefficients", said, across, labels, drawn, note=note, zero=True)
        outcomes = dict.fromkeys(one.outcome for one in found.predictions)
        return (forest, *map(self._expected, outcomes))

    def _expected(self, outcome: str) -> Picture:
        """The predictions of an outcome: a line with its band over a number, else a row each."""
        import numpy as np

        found = self.found
        told = [one for one in found.predictions if one.outcome == outcome]
        kind = Kind.SHARE if found.family.gives_shares else Kind.NUMBER
        title = Message("Predictions of {formula}", formula=str(found.formula))
        note = self.note()
        by = {name for one in told for name in one.given}
        name = next(iter(by), "")
        is_line = len(by) == 1 and len(told) > 1 and name in self.design
        if not is_line or self.design[name].attribute.kind.is_categorical:
            labels = ["; ".join(one.given.values()) for one in told]
            axis = Axis(Message("prediction"), kind=kind, low=0.0 if kind is Kind.SHARE else None)
            return intervals(_name_of(outcome), title, axis, labels, told, note=note)
        x = np.array([float(one.given[name]) for one in told])
        y, low, high = (
            np.array([getattr(one, key) for one in told]) for key in ("estimate", "low", "high")
        )
        up = Axis(Message("prediction"), kind=kind)
        if kind is Kind.SHARE:
            top = float(np.where(np.isfinite(high), high, y).max())
            up = replace(up, low=0.0, high=min(1.12 * top, 1.0))
        across = Axis(Message("{attribute}", attribute=name), self.design[name].attribute.unit)
        line = Mark(Shape.LINE, Role.ESTIMATE, Message("prediction"), x, y, low, high)
        return Picture(_name_of(outcome), title, across, up, (line,), note)

    def to_csv(self) -> str:
        """The table of coefficients as CSV, with all digits."""
        from ppworkbench.results.files import to_csv

        return to_csv(self._coefficients())

    def to_latex(self) -> str:
        """The table of coefficients as LaTeX, rounded as for a paper."""
        from ppworkbench.analyses.regression.tables import model_latex

        return model_latex(self.found, self._study)

    def files(self) -> dict[str, str]:
        return {"csv": self.to_csv(), "latex": self.to_latex()}

    @cached_property
    def _references(self) -> list[str]:
        """For each coefficient the value that its own is compared with."""
        return [row.reference for row in self._rows]

    @cached_property
    def _rows(self) -> tuple[TermRow, ...]:
        from ppworkbench.analyses.regression.tables import term_rows

        return term_rows(self.found, self._study)

    @cached_property
    def _study(self) -> Study:
        """A study that lends its words to tables; it takes no device that differs by row."""
        from ppworkbench.core.data.table import Table
        from ppworkbench.core.design.design import Design, DesignedAttribute
        from ppworkbench.core.design.perturbation import Identity
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


def _name_of(outcome: str) -> str:
    return " ".join(filter(None, ("predictions", outcome)))


_FAR = 4.0
"""An interval is drawn up to so many times the width of the points; then it ends in an arrow."""


@dataclass(frozen=True)
class _Drawn:
    """A coefficient as the ratio that it means."""

    estimate: float
    low: float
    high: float
    naive: float | None
    true: float | None


def _as_ratio(one: Coefficient) -> _Drawn:
    from ppworkbench.core.models.results import exponential

    def ratio(x: float | None) -> float:
        return math.nan if x is None else exponential(x)

    return _Drawn(*map(ratio, (one.estimate, one.low, one.high, one.naive, one.true)))


def _reach(drawn: Sequence[Any], *, is_ratio: bool) -> tuple[float, float]:
    """The ends of the axis: no difference, all points, and of intervals what is not far away."""
    import numpy as np

    points = [1.0 if is_ratio else 0.0]
    points += [x for one in drawn for x in (one.estimate, one.naive, one.true) if x is not None]
    ends = [x for one in drawn for x in (one.low, one.high)]
    with np.errstate(all="ignore"):
        middle, far = (np.log(one) if is_ratio else np.array(one) for one in (points, ends))
    middle, far = middle[np.isfinite(middle)], far[np.isfinite(far)]
    first, last = float(middle.min()), float(middle.max())
    width = max(last - first, 1e-9)
    low = max(float(far.min(initial=first)), first - _FAR * width)
    high = min(float(far.max(initial=last)), last + _FAR * width)
    margin = 0.04 * max(high - low, 1e-9)
    low, high = low - margin, high + margin
    return (math.exp(low), math.exp(high)) if is_ratio else (low, high)


def _words(key: str, head: Message, values: Sequence[str]) -> Column:
    return Column(key, head, Kind.TEXT, values)


def _number(key: str, head: Message, values: Sequence[float | None]) -> Column:
    return Column(key, head, Kind.NUMBER, values)


def _numbers(found: Sequence[Any]) -> tuple[Column, ...]:
    return tuple(_number(key, head, [getattr(one, key) for one in found]) for key, head in _ENDS)


def _of(found: Sequence[Interval | None], end: str) -> list[float | None]:
    return [None if one is None else getattr(one, end) for one in found]


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
    is_list = isinstance(given, Sequence) and not isinstance(given, str)
    if not is_list or not all(isinstance(one, str | Mapping) for one in given):
        raise TypeError(Message("it must be a list of texts as in 'sex=F; age=30'"))
    return tuple(
        read_values(one) if isinstance(one, str) else {k: str(v) for k, v in one.items()}
        for one in given
    )


def read_values(text: str) -> dict[str, str]:
    """What everybody is given, as in ``sex=F; age=30``.

    >>> read_values("sex=F; age=30")
    {'sex': 'F', 'age': '30'}
    """
    found = {}
    for pair in text.split(";"):
        name, sign, value = pair.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise ParameterError.saying(
                "Values are given as in 'sex=F; age=30', not {text!r}.",
                text=text.strip(),
                field="predict",
            )
        found[name.strip().strip("`")] = value.strip()
    return found


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
    finds: ClassVar[type[SurveyResult]] = RegressionResult
    statistic: ClassVar[str] = "regression"
    short: ClassVar[Message] = Message("Regression")
    hint: ClassVar[Message] = Message("What does an answer go together with?")
    takes: ClassVar[tuple[str, ...]] = (*SHARED, "model")
    spelled: ClassVar[Mapping[str, str]] = {"condition": "where"}
    own_question: ClassVar[str] = "model"
    why_none: ClassVar[Message] = Message("Choose the attribute that is explained.")
    is_from_counts: ClassVar[bool] = True
    kept_numbers: ClassVar[int] = 1
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

    @property
    def plain(self) -> Regress:
        """The same of everybody, without what is told beside the coefficients."""
        return Regress(formula=self.formula, options=self.options)

    def untestable(self, design: Design) -> Sequence[str]:
        """What is randomised is a predictor, never a test."""
        tested = (name for name in self.where.attributes if name in design)
        return [name for name in tested if not design.perturbation(name).is_identity]

    def needs(self, design: Design) -> tuple[str, ...]:
        """The attributes that are asked about, and their check questions."""
        anchors = (design.anchor_of(name) for name in self.formula.attributes)
        checks = (one.column for one in anchors if one is not None)
        return tuple(dict.fromkeys((*self.read_columns(design), *checks)))

    def read_columns(self, design: Design) -> tuple[str, ...]:  # noqa: ARG002
        return tuple(dict.fromkeys((*self.formula.attributes, *self.where.attributes)))

    def estimate(self, given: EstimateInput) -> Regression:
        from ppworkbench.core.models import regress

        return regress(
            given.source, given.design, self.formula, self.options, condition=self.where,
            effects=self.effects, predict=self.predict, compare_with=self.compare_with,
            fit_replicates=_REPLICATES * self.fit, original=given.original, seed=given.seed,
            sampling=given.sampling, sampling_options=given.options, progress=given.progress,
        )  # fmt: skip


QUESTION = Regress
