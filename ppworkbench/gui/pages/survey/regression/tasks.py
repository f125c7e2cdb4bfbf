"""What is told of a regression beside its coefficients: predictions, and whether it fits."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Signal

from ppworkbench.analyses.regression.answers import (
    JudgedFit,
    ModelPredictions,
    judge_fit,
    own_predictions,
    predict_by,
)
from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.analyses.survey.questions import Question
from ppworkbench.core.progress import Progress
from ppworkbench.gui.language import tr
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.survey.regression.cards import ModelState
from ppworkbench.gui.workbench import Workbench


class RegressionTasks(QObject):
    """Predicts by one predictor and tests the fit, both of the answer that is shown."""

    changed = Signal()
    """There is something else to show."""

    def __init__(self, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._source = workbench.answers
        self._answer: SurveyResult | None = None
        self._by = ""
        """The predictor that somebody chose to predict by."""
        self._predictions: ModelPredictions | None = None
        self._judged: JudgedFit | None = None
        self._predicting: PageTask[ModelPredictions] = PageTask(
            workbench, "survey prediction", self
        )
        self._judging: PageTask[JudgedFit] = PageTask(workbench, "survey fit", self)
        self._predicting.finished.connect(self._on_predicted)
        self._predicting.stopped.connect(self._on_prediction_stopped)
        self._predicting.changed.connect(self.changed)
        self._judging.finished.connect(self._on_judged)

    @property
    def tasks(self) -> tuple[PageTask[Any], ...]:
        """The work that may take long, so that people can stop it."""
        return self._predicting, self._judging

    def reset(self) -> None:
        """Forget the study before."""
        self._answer = self._predictions = self._judged = None
        self._by = ""
        for task in self.tasks:
            task.drop()

    def take(self, answer: SurveyResult | None) -> None:
        """Be about another answer."""
        if answer is not self._answer:
            self._judged = None
            self._judging.drop()
        self._answer = answer
        self._predict()

    def attribute_of(self, asked: Question | None) -> str:
        """The predictor to predict by: what somebody chose, if it is one, else the first."""
        model = None if asked is None else asked.model
        known = () if model is None else model.formula.predictors
        return self._by if self._by in known else next(iter(known), "")

    def state(self, answer: SurveyResult | None) -> ModelState:
        """What there is to show beside an answer."""
        if answer is None or answer.question.model is None:
            return ModelState()
        made, judged = self._predictions, self._judged
        return ModelState(
            self.attribute_of(answer.question),
            made if made is not None and made.answer is answer else None,
            self._predicting.is_running,
            judged if judged is not None and judged.answer is answer else None,
            self._judging.is_running,
        )

    def choose(self, by: str) -> None:
        """Predict by another predictor."""
        self._by = by
        self._predict()
        self.changed.emit()

    def _predict(self) -> None:
        """Predict by the chosen predictor, unless the answer holds that already."""
        answer = self._answer
        by = "" if answer is None else self.attribute_of(answer.question)
        made = self._predictions
        if answer is not None and (made is None or made.answer is not answer or made.by != by):
            made = own_predictions(answer)
        if answer is None or not by or (made is not None and made.by == by):
            self._predictions = made
            self._predicting.drop()
            return
        source = self._source

        def work(progress: Progress) -> ModelPredictions:
            return predict_by(by, answer, source, progress)

        self._predicting.start(tr("Predicting by %s") % answer.study.shown(by), work)

    def _on_predicted(self, found: ModelPredictions) -> None:
        if found.answer is self._answer:
            self._predictions = found

    def _on_prediction_stopped(self) -> None:
        made = self._predictions
        if made is not None and made.answer is self._answer:
            # What is still shown is what is chosen.
            self._by = made.by

    def judge(self) -> None:
        """Simulate surveys from the regression on the page."""
        answer, source = self._answer, self._source
        if answer is None or answer.question.model is None:
            return

        def work(progress: Progress) -> JudgedFit:
            return judge_fit(answer, source, progress)

        self._judging.start(tr("Testing the fit"), work)
        self.changed.emit()

    def _on_judged(self, found: JudgedFit) -> None:
        if found.answer is self._answer:
            self._judged = found
            self.changed.emit()
