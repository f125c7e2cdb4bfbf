"""Models of randomised answers: regressions and correlations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ppworkbench.api.pictures import draw_intervals
from ppworkbench.core.message import titled
from ppworkbench.results.result import Result
from ppworkbench.results.text import (
    REPORTED,
    Naming,
    aligned,
    equals_p,
    harmless,
    naming,
    note_lines,
    short_number,
    short_p,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from ppworkbench.core.data.table import Table
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.models import Correlations, Regression
    from ppworkbench.study.study import Study


def predicted_values(text: str) -> dict[str, str]:
    """The values of a prediction, from ``"sex=F; age=30"``."""
    from ppworkbench.analyses.regression.questions import read_values

    return read_values(text)


@dataclass(frozen=True, eq=False, repr=False)
class ModelResult(Result):
    """A model; ``found`` holds the numbers in full, ``notes`` what the reading had to say."""

    found: Any
    design: Design
    notes: tuple[str, ...] = ()
    state = REPORTED

    @property
    def remarks(self) -> tuple[str, ...]:
        """What must be known to read the numbers, one sentence each."""
        return tuple(map(str, (*self.notes, *self.found.remarks)))

    def _document(self) -> Mapping[str, Any]:
        document: dict[str, Any] = self.found.to_json()
        return document

    @property
    def _shown(self) -> Naming:
        return naming(one.attribute for one in self.design)

    def _ending(self) -> list[str]:
        remarks = (*self.notes, *self.found.remarks)
        return [self.found.contents.sentence, "\n".join(note_lines(remarks, self._shown))]


@dataclass(frozen=True, eq=False, repr=False)
class RegressionResult(ModelResult):
    """Coefficients with intervals, and what was asked for besides them."""

    found: Regression
    table: Table | None = None

    def summary(self) -> str:
        """The result for people, as the command line prints it."""
        found = self.found
        heads = ["estimate", "low", "high", "standard error", "p"]
        has_odds = any(one.odds_ratio is not None for one in found.terms)
        heads += ["odds ratio"] if has_odds else []
        heads += ["uncorrected"]
        has_true = any(one.true is not None for one in found.terms)
        has_people = any(one.people is not None for one in found.terms)
        heads += [*(["true"] if has_true else []), *(["people"] if has_people else [])]
        rows = []
        for one in found.terms:
            more = [None if one.odds_ratio is None else one.odds_ratio.estimate] * has_odds
            more += [one.naive, *([one.true] if has_true else [])]
            people = "" if one.people is None else f"{one.people:,}"
            cells = [*_four(one), short_p(one.p), *map(short_number, more), people]
            rows.append([one.label, *cells][: len(heads) + 1])
        said = harmless(titled(found.sentence, self._shown))
        # The outcome may have chosen the model, and a coefficient means something else in each.
        named = str(found.family.title)
        said = f"{named[0].upper()}{named[1:]}. {said}"
        told = [said, aligned(["term", *heads], rows, right=heads)]
        told += _device_table(found)
        told += _more_tables(found)
        return "\n\n".join(text for text in (*told, *self._ending()) if text)

    def to_frame(self) -> pd.DataFrame:
        """One row per coefficient."""
        import pandas as pd

        names = (
            "term", "level", "outcome", "estimate", "standard_error", "statistic",
            "degrees_of_freedom", "p", "low", "high", "naive", "people",
        )  # fmt: skip
        rows = []
        for one in self.found.terms:
            row = {name: getattr(one, name) for name in names}
            if one.odds_ratio is not None:
                row["odds_ratio"] = one.odds_ratio.estimate
            rows.append(row if one.true is None else row | {"true": one.true})
        return pd.DataFrame(rows)

    def to_csv(self) -> str:
        """The table of coefficients as CSV, with all digits."""
        from ppworkbench.analyses.regression.tables import model_csv

        return model_csv(self.found, self._study())

    def to_latex(self) -> str:
        """The table of coefficients as LaTeX, rounded as for a paper."""
        from ppworkbench.analyses.regression.tables import model_latex

        return model_latex(self.found, self._study())

    def _study(self) -> Study:
        """A study that lends its words to tables; it takes no device that differs by row."""
        from ppworkbench.core.data.table import Table
        from ppworkbench.core.design.design import Design, DesignedAttribute
        from ppworkbench.core.design.identity import Identity
        from ppworkbench.study.study import Study

        plain = Design(tuple(DesignedAttribute(one.attribute, Identity()) for one in self.design))
        return Study.of_distorted(self.table or Table(()), plain, "")

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

    def _draw(self, axes: Axes) -> None:
        from ppworkbench.core.models.coding import INTERCEPT

        # The intercept has the scale of the outcome, which would hide all others.
        terms = [one for one in self.found.terms if one.term != INTERCEPT]
        terms = terms or list(self.found.terms)
        draw_intervals(axes, [one.label for one in terms], terms, zero=True)
        axes.set_xlabel("coefficient")


class CorrelationResult(ModelResult):
    """Correlations of pairs with intervals."""

    found: Correlations

    def summary(self) -> str:
        """The result for people, as the command line prints it."""
        found = self.found
        heads = ["correlation", "low", "high", "standard error", "uncorrected"]
        heads += ["true"] if any(one.true is not None for one in found.correlations) else []
        rows = [
            [f"{one.a} and {one.b}", *map(short_number, (one.estimate, one.low, one.high,
             one.standard_error, one.naive, one.true))][: len(heads) + 1]
            for one in found.correlations
        ]  # fmt: skip
        said = harmless(titled(found.sentence, self._shown))
        told = [said, aligned(["", *heads], rows, right=heads)]
        return "\n\n".join(text for text in (*told, *self._ending()) if text)

    def to_frame(self) -> pd.DataFrame:
        """One row per pair."""
        import pandas as pd

        names = ("a", "b", "estimate", "low", "high", "standard_error", "naive", "true")
        rows = [{name: getattr(one, name) for name in names} for one in self.found.correlations]
        frame = pd.DataFrame(rows)
        return frame if frame["true"].notna().any() else frame.drop(columns="true")

    def _draw(self, axes: Axes) -> None:
        pairs = self.found.correlations
        draw_intervals(axes, [f"{one.a} and {one.b}" for one in pairs], pairs, zero=True)
        axes.set_xlabel("correlation")


def _device_table(found: Regression) -> list[str]:
    """The unknown parameter of a device, tested against 1."""
    one = found.device
    if one is None:
        return []
    heads = ["estimate", "low", "high", "standard error", "p of 1"]
    row = [f"{one.attribute}: {one.parameter}", *_four(one), short_p(one.p)]
    return [aligned(["device", *heads], [row], right=heads)]


def _more_tables(found: Regression) -> list[str]:
    """What was asked for besides the coefficients."""
    tables = []
    numbers = ["estimate", "low", "high", "standard error"]
    if found.effects:
        rows = [
            [f"{one.attribute}[{one.level}]" if one.level else one.attribute, one.outcome,
             *_four(one)]
            for one in found.effects
        ]  # fmt: skip
        tables.append(aligned(["average effect", "outcome", *numbers], rows, right=numbers))
    if found.predictions:
        rows = [
            ["; ".join(f"{k}={v}" for k, v in one.given.items()), one.outcome, *_four(one)]
            for one in found.predictions
        ]
        tables.append(aligned(["everybody with", "outcome", *numbers], rows, right=numbers))
    if found.tests:
        heads = ["statistic", "df", "p"]
        rows = [
            [" + ".join(one.terms), one.kind, short_number(one.statistic), str(one.df),
             short_p(one.p)]
            for one in found.tests
        ]  # fmt: skip
        tables.append(aligned(["terms together", "test", *heads], rows, right=heads))
    if found.fit is not None:
        tables.append(
            f"Fit: X² = {short_number(found.fit.statistic)}, p {equals_p(found.fit.p)} by "
            f"{found.fit.replicates} simulated surveys."
        )
    return tables


def _four(one: Any) -> list[str]:
    return [short_number(x) for x in (one.estimate, one.low, one.high, one.standard_error)]
