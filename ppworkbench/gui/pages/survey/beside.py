"""What is told beside an answer: its split, its other intervals, predictions, and its fit."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from ppworkbench.analyses.survey.answers import SharperInterval, SurveyResult, sharper_intervals
from ppworkbench.analyses.survey.questions import Question
from ppworkbench.analyses.survey.regressions import (
    JudgedFit,
    ModelPredictions,
    judge_fit,
    own_predictions,
    predict_by,
)
from ppworkbench.analyses.survey.splits import SplitResult, first_split, split_by, split_choices
from ppworkbench.core.progress import Progress
from ppworkbench.gui.language import tr
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.workbench import Workbench


@dataclass(frozen=True)
class Beside:
    """What there is to show beside an answer.

    Parameters
    ----------
    by
        What the answer is split by; empty where it cannot be.
    split
        Rows of this answer, or still those of an earlier one.
    sharper
        Intervals for narrower peaks of a number under noise, once asked for.
    predicted_by
        The predictor by which the outcome of a regression is predicted; empty where there is none.
    predictions
        Those of this regression, or None while they are on their way.
    judged
        How well a regression fits; None before somebody asked.
    """

    by: str = ""
    split: SplitResult | None = None
    is_splitting: bool = False
    sharper: tuple[SharperInterval, ...] = ()
    predicted_by: str = ""
    predictions: ModelPredictions | None = None
    is_predicting: bool = False
    judged: JudgedFit | None = None
    is_judging: bool = False


class BesideTasks(QObject):
    """Works it out for the answer that is shown; of another answer nothing arrives any more."""

    changed = Signal()
    """There is something else to show."""

    def __init__(self, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._source = workbench.answers
        self._answer: SurveyResult | None = None
        self._found = Beside()
        self.by = self._predicted_by = ""
        """What somebody chose to split and to predict by."""

        def task(key: str, field: str, *, quiet: bool = False) -> PageTask[Any]:
            made: PageTask[Any] = PageTask(workbench, key, self, quiet=quiet)
            made.finished.connect(lambda found: self._keep(**{field: found}))
            made.changed.connect(self.changed)
            return made

        self._splitting = task("survey split", "split", quiet=True)
        self._sharpening = task("survey peaks", "sharper")
        self._predicting = task("survey prediction", "predictions")
        self._judging = task("survey fit", "judged")
        self._predicting.stopped.connect(self._on_prediction_stopped)

    @property
    def slow(self) -> tuple[PageTask[Any], ...]:
        """The work that may take long, so that people can stop it."""
        return self._predicting, self._judging

    def _keep(self, **found: Any) -> None:
        self._found = dataclasses.replace(self._found, **found)

    def reset(self) -> None:
        self.by = self._predicted_by = ""
        self._answer, self._found = None, Beside()
        for task in (self._splitting, self._sharpening, *self.slow):
            task.drop()

    def take(self, answer: SurveyResult | None) -> None:
        """Be about another answer."""
        if answer is not self._answer:
            self._sharpening.drop()
            self._judging.drop()
            self._keep(sharper=(), judged=None, predictions=None)
        self._answer = answer
        self._split()
        self._predict()

    @property
    def now(self) -> Beside:
        """What there is to show now."""
        answer = self._answer
        return dataclasses.replace(
            self._found, by=self._split_attribute, is_splitting=self._splitting.is_running,
            predicted_by="" if answer is None else self.predictor_of(answer.question),
            is_predicting=self._predicting.is_running, is_judging=self._judging.is_running,
        )  # fmt: skip

    # The split

    @property
    def _split_attribute(self) -> str:
        """What somebody chose, as long as it fits; empty for none."""
        answer = self._answer
        # The arms take the place of the split.
        if answer is None or not answer.kind.is_number or answer.question.by_arm:
            return ""
        design = answer.study.design
        if self.by in split_choices(answer.question, design):
            return self.by
        return first_split(answer.question, design)

    def choose_split(self, by: str) -> None:
        self.by = by
        self._split()
        self.changed.emit()

    def _split(self) -> None:
        answer, by, split = self._answer, self._split_attribute, self._found.split
        if answer is None or not by:
            self._keep(split=None)
            self._splitting.drop()
            return
        study, question, source = answer.study, answer.question, self._source
        if split is not None and split.question != question:
            self._keep(split=None)
        elif split is not None and split.study is study and split.by == by:
            self._splitting.drop()
            return
        self._splitting.start(
            tr("Splitting by %s") % study.shown(by),
            lambda progress: split_by(by, question, study, source, progress),
            is_listed=study.has_reported_parts,
        )

    # Other intervals

    def sharpen(self) -> None:
        """Find the intervals for narrower peaks of a number under noise."""
        if not self._sharpening.is_running:
            self._start(self._sharpening, tr("Narrower peaks"), sharper_intervals)

    # Regressions

    def predictor_of(self, asked: Question) -> str:
        """The predictor to predict by: what somebody chose, if it is one, else the first."""
        known = () if asked.model is None else asked.model.formula.predictors
        return self._predicted_by if self._predicted_by in known else next(iter(known), "")

    def choose_predictor(self, by: str) -> None:
        self._predicted_by = by
        self._predict()
        self.changed.emit()

    def _predict(self) -> None:
        """Predict by the chosen predictor, unless the answer holds that already."""
        answer, made = self._answer, self._found.predictions
        by = "" if answer is None else self.predictor_of(answer.question)
        if answer is not None and (made is None or made.by != by):
            made = own_predictions(answer)
        if answer is None or not by or (made is not None and made.by == by):
            self._keep(predictions=made)
            self._predicting.drop()
            return
        self._start(
            self._predicting, tr("Predicting by %s") % answer.study.shown(by),
            lambda *given: predict_by(by, *given),
        )  # fmt: skip

    def _on_prediction_stopped(self) -> None:
        if self._found.predictions is not None:
            # What is still shown is what is chosen.
            self._predicted_by = self._found.predictions.by

    def judge(self) -> None:
        """Simulate surveys from the regression on the page."""
        if self._answer is not None and self._answer.question.model is not None:
            self._start(self._judging, tr("Testing the fit"), judge_fit)

    def _start(self, task: PageTask[Any], title: str, find: Callable[..., Any]) -> None:
        """Work something out from the answer."""
        answer, source = self._answer, self._source

        def work(progress: Progress) -> Any:
            return find(answer, source, progress)

        if answer is not None:
            task.start(title, work)
