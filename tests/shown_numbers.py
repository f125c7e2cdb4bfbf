"""What a page shows of a figure of a demonstration, read as a person reads it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from PySide6.QtWidgets import QLabel, QTableView, QWidget

from ppworkbench.gui.window.demonstration_player import find, read
from ppworkbench.outputs.demonstrations import calculations as of

_NUMBER = re.compile(r"[−-]?\d[\d,]*(?:\.\d+)?")
ERRORS = 1.96
"""Standard errors in the half-width of an interval."""


class Reading(NamedTuple):
    """A number as it is written, and how far rounding may have taken it."""

    value: float
    rounding: float


def readings(words: str) -> list[Reading]:
    """All numbers of a text; percentages stay as they are written."""
    found = []
    for match in _NUMBER.findall(words.replace("\u202f", " ")):
        plain = match.replace(",", "").replace("−", "-")
        decimals = len(plain.partition(".")[2])
        found.append(Reading(float(plain), 0.5 * 10.0**-decimals))
    return found


def one_of(words: str, place: int = 0, factor: float = 1.0) -> Reading:
    """One number of a text, in other units."""
    value, rounding = readings(words)[place]
    return Reading(factor * value, factor * rounding)


class ShownPage:
    """The page of a step, and what stands on it."""

    def __init__(self, stage: Any) -> None:
        self.stage = stage
        self.name = stage.shell.current
        self.page = stage.shell.page(self.name)

    def part(self, *names: str) -> Any:
        """The first part of the page that is there, by object name."""
        return next(part for name in names if (part := find([self.page], name)) is not None)

    def chart(self, *names: str) -> dict[str, list[str]]:
        """The rows of a chart by their first cell, the head as ''."""
        shown = [self.part(name) for name in names if find([self.page], name) is not None]
        chart = next((one for one in shown if one.isVisible()), shown[0])
        return {row[0]: row for row in chart.rows()}

    def table(self, name: str) -> list[list[str]]:
        """The texts of a table."""
        model = self.page.findChild(QTableView, name).model()
        return [
            [str(model.index(row, column).data() or "") for column in range(model.columnCount())]
            for row in range(model.rowCount())
        ]

    def row(self, name: str, start: str) -> list[str]:
        """The row of a table whose first cell begins so."""
        return next(row for row in self.table(name) if row[0].startswith(start))

    def card(self, name: str) -> tuple[str, str]:
        """The number of a card behind its title, and what stands below."""
        card = self.part(name)
        return card.accessibleName().rpartition(": ")[2], card.accessibleDescription()

    def everything(self) -> str:
        """All words and numbers that are seen, or told to those who do not see."""
        said = []
        for part in self.page.findChildren(QWidget):
            if part.isVisible():
                said += [part.accessibleName(), part.accessibleDescription()]
                said += [part.text()] if isinstance(part, QLabel) else []
                said += [str(part.rows())] if callable(getattr(part, "rows", None)) else []
                said += [str(self.table(part.objectName()))] if isinstance(part, QTableView) else []
        return " ".join(said)

    def words(self, name: str) -> str:
        """The words of a label, or what a chart tells those who do not see it."""
        part = self.part(name)
        return part.text() if isinstance(part, QLabel) else part.accessibleDescription()


Read = Callable[[ShownPage, Any], Reading | None]


def _share(page: ShownPage, asked: of.Share) -> Reading | None:
    charts = {"design": ("preview", "shareStrip"), "explore": ("comparisonPlot",)}
    rows = page.chart(*charts.get(page.name, ("beforeAfter",)))
    # Before anybody has answered, Design shows what is to be expected.
    drawn = of.EXPECTED if page.name == "design" else of.DISTORTED
    heads = {of.ORIGINAL: "original", drawn: "distorted"}
    algorithms = {"eq": "EQ", "em-as": "EM/AS", "default": "EM/AS"}
    if asked.of == of.RECONSTRUCTED:
        heads[asked.of] = algorithms[asked.algorithm]
    if asked.of not in heads:
        return None
    return one_of(rows[asked.value][rows[""].index(heads[asked.of])])


def _belief(page: ShownPage, asked: of.Belief) -> Reading:
    card = page.part("card-belief-in-the-sensitive-answer")
    assert f"“{asked.true}”" in card.accessibleName()
    return one_of(page.card("card-belief-in-the-sensitive-answer")[0])


def _transition(page: ShownPage, asked: of.Transition) -> Reading:
    rows = page.chart("matrix")
    column = rows["reported answer"].index(f"true “{asked.true}”")
    return one_of(rows[asked.reported][column])


def _noise(page: ShownPage, asked: of.NoiseProbability) -> Reading:
    rows = page.chart("noisePlot")
    value = float(rows[str(asked.shift)][1])
    if asked.against is not None:
        value /= float(rows[str(asked.against)][1])
    return Reading(value, 1e-6)


def _width(page: ShownPage, asked: of.Width) -> Reading:
    sigma, half = readings(page.words("noisePlot"))[0], readings(page.words("noisePlot"))[-1]
    width = Reading(2 * half.value, 2 * half.rounding)
    return Reading(width.value / sigma.value, 1e-4) if asked.in_sigmas else width


def _standard_error(page: ShownPage, asked: of.StandardError) -> Reading:
    value, below = page.card("card-standard-error")
    return one_of(below if asked.direct else value, factor=1 / ERRORS)


def _respondents(page: ShownPage, asked: of.Respondents) -> Reading:
    title = page.part("card-needed-respondents").accessibleName()
    assert readings(title)[0].value == asked.points
    value, below = page.card("card-needed-respondents")
    return one_of(below if asked.direct else value)


_SHORT = {"em": "EM", "as": "AS", "em-as": "EM/AS", "eq": "EQ"}


def _run(page: ShownPage, asked: of.Loss | of.Iterations) -> list[str]:
    """How far an algorithm went, and what it lost in this draw."""
    sheet, name = page.part("losses").sheet, _SHORT[asked.algorithm]
    title = name if asked.algorithm == "eq" else f"{name}, {asked.stop}"
    row = list(sheet["algorithm"].values).index(title)
    return [sheet["iterations"].values[row], f"{sheet['loss'].values[row]:.3f}"]


def _loss(page: ShownPage, asked: of.Loss) -> Reading:
    if asked.stop is not None and asked.stop.isdigit():
        rows = page.chart("lossPlot")
        column = rows["iteration"].index(_SHORT[asked.algorithm])
        return one_of(rows[asked.stop][column])
    return one_of(_run(page, asked)[1])


def _iterations(page: ShownPage, asked: of.Iterations) -> Reading:
    return one_of(_run(page, asked)[0])


def _mining(page: ShownPage, asked: of.Mining) -> Reading | None:
    if read(page.part("miningMethod")) != asked.method:
        return None
    columns = {"support_error": 2, "false_negative": 3, "false_positive": 4, "f1": 5}
    return one_of(page.row("sizeErrors", str(asked.size))[columns[asked.what]])


_CLASSIFIERS = {
    "tree": "Decision tree", "majority": "Majority", "lazy-ep": "Lazy patterns",
    "eager-ep": "Eager patterns", "naive-bayes": "Naive Bayes",
}  # fmt: skip


def _accuracy(page: ShownPage, asked: of.Accuracy) -> Reading | None:
    if asked.level not in (None, 100):
        return None
    label = "Undistorted tree" if asked.undistorted else _CLASSIFIERS[asked.classifier]
    row = page.row("resultsTable", label)
    assert not row[5] or readings(row[5])[-1].value == asked.folds
    return one_of(row[2], factor=100)


def _groups(page: ShownPage, asked: of.PublishedGroups) -> Reading | None:
    if asked.what == "whole":
        return None
    if asked.what == "accuracy":
        return one_of(page.words("predictedAccuracy"))
    if asked.what == "weakest":
        return one_of(page.words("publishChecks").partition("weakest: ")[2])
    heads = [one.text() for one in page.page.findChildren(QLabel) if one.isVisible()]
    return one_of(next(words for words in heads if re.fullmatch(r"\d+ groups", words)))


def _regression(page: ShownPage, asked: of.RegressionTerm) -> Reading | None:
    if asked.direct:
        return None
    study = page.stage.workbench.store.study
    heads, *rows = page.part("coefficientsChart").rows()
    name = f"{study.shown(asked.term)}: {asked.level}"
    row = next(one for one in rows if one[0].startswith(name))
    called = {
        "estimate": "estimate", "low": "estimate, low", "high": "estimate, high",
        "naive": "uncorrected", "true": "true",
    }  # fmt: skip
    if asked.what in called:
        return one_of(row[heads.index(called[asked.what])])
    label = f"{study.shown(asked.term)}[{asked.level}]"
    return one_of(page.row("coefficientsTable", label)[3])


def _compliance(page: ShownPage, asked: of.ComplianceShare) -> Reading:
    if asked.what == "followed":
        return readings(page.words("complianceWords"))[0]
    if asked.what == "largest":
        return one_of(page.words("bandSentence").partition("at most ")[2])
    if asked.what == "band":
        page.part("bandPlot").dragged.emit("share", asked.share)
        at, estimate, *_ = readings(page.words("bandSentence"))
        assert at.value == 100 * asked.share
        return estimate
    if asked.what == "p":
        assert "p < 0.001" in page.everything()
        return Reading(0.0005, 0.0005)
    called = {"uncorrected": "if all followed"}.get(asked.what, f"share, {asked.what}")
    return one_of(page.row("estimatesTable", called)[1])


def _budget(page: ShownPage, asked: of.QuestionnaireBudget) -> Reading | None:
    if asked.what == "total":
        return one_of(page.words("budgetEpsilon"))
    if asked.what == "factor":
        return one_of(page.words("budgetWords"))
    budget = page.stage.workbench.store.study.design.budget
    shared = (None, None) if budget is None else (budget.total, budget.ask)
    if shared != (asked.total, asked.ask) or (budget is not None and budget.rule != asked.rule):
        return None
    if asked.what == "epsilon":
        return one_of(page.card("card-epsilon")[0])
    return one_of(page.card("card-standard-error")[0], factor=1 / ERRORS)


def _nowhere(page: ShownPage, asked: of.Calculation) -> None:
    """Means over many draws and measures of a table of one's own are on no page."""


READERS: dict[type[of.Calculation], Read] = {
    of.Share: _share, of.Belief: _belief, of.Transition: _transition, of.NoiseProbability: _noise,
    of.Width: _width, of.StandardError: _standard_error, of.Respondents: _respondents,
    of.Loss: _loss, of.Iterations: _iterations, of.Mining: _mining, of.Accuracy: _accuracy,
    of.PublishedGroups: _groups, of.RegressionTerm: _regression, of.ComplianceShare: _compliance,
    of.QuestionnaireBudget: _budget, of.MeanLoss: _nowhere, of.Measure: _nowhere,
    of.DeniabilityOf: _nowhere,
}  # fmt: skip
