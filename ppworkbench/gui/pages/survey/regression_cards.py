"""Regressions: coefficients, predictions, tests, standard errors and checks."""

from __future__ import annotations

import dataclasses
import math

from ppworkbench.analyses.regression.tables import VARIANCE_WORDS
from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.analyses.survey.regressions import (
    VARIANCES,
    JudgedFit,
    ModelPredictions,
    randomised,
    why_no_fit_test,
    why_no_variance,
)
from ppworkbench.core.models import Regression
from ppworkbench.core.survey.estimates import ROUGHLY_TESTED
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.survey.answer_cards import (
    AnswerActions,
    AnswerCard,
    AnswerView,
    ByCard,
    PictureCard,
    SentenceCard,
    SheetCard,
    Sign,
    SurveyView,
)
from ppworkbench.gui.pages.survey.texts import p_text, variance_word
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import MarkedLines
from ppworkbench.gui.widgets.controls import Button, ChoiceBox, Segmented
from ppworkbench.gui.widgets.layout import named, row, show_words, text
from ppworkbench.results.result import Result
from ppworkbench.results.sheet import Sheet

_DOUBT = 0.05


class CoefficientsCard(SheetCard):
    """The coefficients; those of randomised predictors have a mask."""

    is_wide = True

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes, "coefficients", rows=12, details=("reference",))

    def sign(self, answer: SurveyResult, sheet: Sheet) -> Sign | None:
        design, terms = answer.study.design, answer.result.formula.terms
        hidden = {
            term.label for term in terms if randomised([one.name for one in term.variables], design)
        }
        if not hidden:
            return None
        labels = sheet["term"].values
        return lambda place: ("mask" if labels[place] in hidden else "", "warningText")


class PredictionCard(ByCard):
    """What is expected by one predictor, all others as they were observed."""

    def __init__(self, themes: ThemeManager, actions: AnswerActions) -> None:
        super().__init__(themes, "prediction", tr("Predict by"), actions.predictor_chosen)
        self._answer: SurveyResult | None = None
        self._shown: ModelPredictions | None = None
        self.outcome = named(ChoiceBox(self.tr("Predicted answer"), ()), "predictionOutcome")
        self.outcome.chosen.connect(self._draw)
        self.head.insertWidget(self.head.indexOf(self.by), self.outcome)
        self.keep_at_least(themes.theme.px(270))

    def show_answer(self, answer: SurveyResult, told: Result) -> None:
        """Wait for the predictions."""

    def show_beside(self, answer: SurveyResult, view: SurveyView) -> None:
        beside, study = view.beside, answer.study
        self._answer, self._shown = answer, beside.predictions
        formula = answer.result.formula
        self.offer(tr("by %s"), formula.predictors, beside.predicted_by, study)
        self.by.setVisible(bool(formula.predictors))
        rows = () if self._shown is None else self._shown.rows
        outcomes = list(dict.fromkeys(one.outcome for one in rows if one.outcome))
        # What was seen before, the marked answer, else the last.
        marked = study.design[formula.outcome].attribute.sensitive
        wanted = (self.outcome.current, *marked, *outcomes[::-1])
        self.outcome.set_choices([(value, value) for value in outcomes])
        self.outcome.set_current(next((value for value in wanted if value in outcomes), ""))
        self.outcome.setVisible(len(outcomes) > 1)
        self.busy.setVisible(beside.is_predicting)
        self._draw()

    def _draw(self) -> None:
        answer, shown = self._answer, self._shown
        if answer is None or not isinstance(answer.result, Regression):
            return
        rows = () if shown is None else shown.rows
        self.show_absent("" if rows else self._why_absent(answer, answer.result, shown))
        if not rows:
            self.title_label.setText(self.tr("Predictions"))
            show_words(self.note, "")
            return
        told = answer.told.of(dataclasses.replace(answer.result, predictions=rows))
        names = filter(None, ("predictions", self.outcome.current))
        self.show_picture(told.picture(" ".join(names)), answer.study.titled)
        # Of what is said in the card beside it; a figure that leaves says it, too.
        self.title_label.setText(self.tr("Predictions"))

    def _why_absent(
        self, answer: SurveyResult, found: Regression, shown: ModelPredictions | None
    ) -> str:
        if not found.formula.predictors:
            return tr("Add a predictor to see predictions.")
        if shown is not None and shown.refusal:
            return translate(answer.study.titled(shown.refusal))
        if shown is not None:
            return tr("Nothing can be predicted by this predictor.")
        if self.busy.isHidden():
            return tr("Cancelled. Choose a predictor above to predict again.")
        return tr("Computing…")


class ChecksCard(AnswerCard):
    """Where standard errors come from, what speaks for the numbers, and what against them."""

    def __init__(self, themes: ThemeManager, actions: AnswerActions) -> None:
        super().__init__(self.tr("Standard errors"))
        self.variance = Segmented(
            themes, self.tr("Standard errors"), [(one, variance_word(one)) for one in VARIANCES]
        )
        self.variance.setObjectName("regressionVariance")
        self.variance.chosen.connect(actions.variance_chosen)
        self.body.addLayout(row(self.variance, None))
        self.words = named(text("", "secondary", wrap=True), "errorWords")
        self.add(self.words)
        self.fit_button = named(Button(themes, self.tr("Test the fit"), "", "link"), "testFit")
        self.fit_button.clicked.connect(actions.fit_requested)
        self.body.addLayout(row(text(self.tr("Checks"), "strong"), None, self.fit_button))
        self._lines = MarkedLines(themes, 4)
        self.body.addLayout(self._lines)
        self.body.addStretch(1)

    @property
    def texts(self) -> list[str]:
        return self._lines.texts

    def show_answer(self, answer: SurveyResult, told: Result) -> None:  # noqa: ARG002
        found = answer.result
        assert isinstance(found, Regression)  # noqa: S101 (other answers have other cards)
        self.variance.set_current(found.variance)
        reasons = why_no_variance(answer.question, answer.study)
        self.variance.set_disabled({key: translate(why) for key, why in reasons.items()})
        words = translate(VARIANCE_WORDS[found.variance])
        degrees = next((one.degrees_of_freedom for one in found.terms), math.inf)
        if degrees <= 0:
            words += f" {self.tr('Too few clusters for standard errors.')}"
        elif math.isfinite(degrees):
            words += f" {self.tr('t with %s degrees of freedom.') % number(degrees)}"
        self.words.setText(words)

    def show_beside(self, answer: SurveyResult, view: SurveyView) -> None:
        """Show the checks, and whether the fit can be tested."""
        is_judging = view.beside.is_judging
        self._lines.show_lines(check_lines(answer, answer.result, view.beside.judged))
        why = why_no_fit_test(answer)
        self.fit_button.setEnabled(why is None and not is_judging)
        self.fit_button.setText(self.tr("Testing…") if is_judging else self.tr("Test the fit"))
        tip = self.tr("Compare reported and expected answers in 199 simulated surveys.")
        self.fit_button.setToolTip(tip if why is None else translate(why))


def check_lines(
    answer: SurveyResult, found: Regression, judged: JudgedFit | None
) -> list[tuple[str, str]]:
    """What was checked, the doubts last."""
    lines: list[tuple[str, str]] = []
    if found.smallest is not None:
        name, value, count = found.smallest
        where = f"{answer.study.shown(name)}: {value}"
        said = tr("smallest group %s, %s respondents") % (where, number(count))
        if count == 1:
            said = tr("smallest group %s, 1 respondent") % where
        lines.append(("good" if count >= ROUGHLY_TESTED else "doubt", said))
    if judged is not None and judged.test is not None:
        p = p_text(judged.test.p)
        said = tr("fit by tenths of predicted share: %s") % f"p {'' if p[0] == '<' else '= '}{p}"
        lines.append(("good" if judged.test.p >= _DOUBT else "doubt", said))
    if judged is not None and judged.refusal:
        lines.append(("doubt", translate(judged.refusal)))
    return lines + [("doubt", translate(remark)) for remark in answer.remarks]


class RegressionView(AnswerView):
    """All cards of a regression."""

    def __init__(self, themes: ThemeManager, actions: AnswerActions) -> None:
        self.words = SentenceCard(themes, "regression", actions)
        self.coefficients = CoefficientsCard(themes)
        self.forest = PictureCard(themes, "coefficients")
        self.prediction = PredictionCard(themes, actions)
        self.tests = SheetCard(themes, "tests", rows=4)
        self.device = SheetCard(themes, "device")
        self.checks = ChecksCard(themes, actions)
        super().__init__(
            themes, "regressionView", self.words, self.coefficients, self.forest,
            self.prediction, self.checks, self.tests, self.device,
        )  # fmt: skip
