"""The calculations whose figures demonstrations show."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ppworkbench.analyses.compliance.compliance import ComplianceRequest
from ppworkbench.analyses.designs.design import report_of
from ppworkbench.analyses.estimates.request import estimate
from ppworkbench.analyses.regression.regress import Regress
from ppworkbench.core.arrays import Matrix
from ppworkbench.core.classify.binning import EQUAL_FREQUENCY, EQUAL_WIDTH
from ppworkbench.core.compliance.band import RANDOM, SAFE
from ppworkbench.core.compliance.question import BAND
from ppworkbench.core.compliance.result import Compliance
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.missing import apply_missing_policies
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import Design, Identity, Perturbation
from ppworkbench.core.design.budget import RULES, DesignBudget
from ppworkbench.core.design.distort import distort
from ppworkbench.core.design.fit import fit_column
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.experiment import Experiment, Plan, Setting, Sweep, run_experiment, summarise
from ppworkbench.core.experiment.engines import InProcess
from ppworkbench.core.itemsets import SetList, item_data, supports
from ppworkbench.core.mining import Apriori, length_errors, mine, miners
from ppworkbench.core.models import parse_formula
from ppworkbench.core.models.coding import ColumnLabel
from ppworkbench.core.params import Annotated, Info, OneOf, Params, Within
from ppworkbench.core.planning.budget import budget_of, share_design
from ppworkbench.core.planning.sharing import BudgetSettings
from ppworkbench.core.privacy.utility.planning import needed_respondents
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.publish import (
    DeniabilityOptions,
    DeniabilityTree,
    Sample,
    deniabilities,
    make_tree,
    own_prediction,
    whole_deniability,
)
from ppworkbench.core.reconstruct import Reconstruction, reconstruct, simulate
from ppworkbench.core.registry import Registry
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.survey.counts import count
from ppworkbench.outputs.publication import QUICK_FOLDS, predict_accuracy
from ppworkbench.study.distorted_cache import DistortedCache, distorted_answers
from ppworkbench.study.study import Study


@dataclass(frozen=True)
class Calculation(Params, ABC):
    """A number that follows from a study. ``quick`` ones are worked out again at every change."""

    quick: ClassVar[bool] = True

    @abstractmethod
    def calculate(self, study: Study, progress: Progress = silent) -> float:
        """Work the number out."""


calculations: Registry[type[Calculation]] = Registry("calculation")


@dataclass(frozen=True)
class OfQuestion(Calculation):
    """A number that is about one question."""

    attribute: Annotated[str, Info("Attribute")]

    def device(self, study: Study) -> tuple[Attribute, Perturbation]:
        return study.design[self.attribute].attribute, study.design.perturbation(self.attribute)

    def matrix(self, study: Study) -> Matrix:
        """The P-matrix; an error where nothing is randomised, or a number is."""
        attribute, perturbation = self.device(study)
        if perturbation.is_identity or not attribute.kind.is_categorical:
            raise DataError.saying("{attribute!r} has no matrix.", attribute=self.attribute)
        return perturbation.values.matrix(attribute.k)

    def place(self, study: Study, value: str) -> int:
        return place_of(study, self.attribute, value)


def place_of(study: Study, name: str, value: str) -> int:
    values = study.design[name].attribute.values
    if value not in values:
        raise DataError.saying(
            "{name!r} has no value {value!r}; its values are {values}.",
            name=name,
            value=value,
            values=", ".join(values),
            attribute=name,
        )
    return values.index(value)


@calculations.register("accuracy", "Accuracy of a classifier in percent")
@dataclass(frozen=True)
class Accuracy(Calculation):
    """Cross-validated accuracy, in percent, at a level of privacy or with the study's design."""

    quick = False

    classifier: Annotated[str, Info("Classifier")]
    level: Annotated[float | None, Within(0, 10_000), Info("Level of range privacy", unit="%")] = (
        None
    )
    folds: Annotated[int, Within(2, 20), Info("Folds")] = 5
    repeats: Annotated[int, Within(1, 100), Info("Repeats")] = 1
    undistorted: Annotated[bool, Info("Trained on undistorted records")] = False
    bins: Annotated[int | None, Within(2, 200), Info("Intervals")] = None
    binning: Annotated[str | None, OneOf((EQUAL_WIDTH, EQUAL_FREQUENCY)), Info("Division")] = None

    def calculate(self, study: Study, progress: Progress = silent) -> float:
        table = study.original
        if table is None:
            return float("nan")
        chosen = {"bins": self.bins, "binning": self.binning}
        given = {name: value for name, value in chosen.items() if value is not None}
        setting = Setting.of(self.classifier, undistorted=self.undistorted, **given)
        plan = Plan(folds=self.folds, repeats=self.repeats, seed=study.settings.seed)
        sweep = Sweep() if self.level is None else Sweep(levels=(self.level,))
        experiment = Experiment.of(table, study.design, (setting,), plan=plan, sweep=sweep)
        results = run_experiment(experiment, engine=InProcess(), progress=progress)
        [summary] = summarise(results).values()
        return 100 * summary.accuracy.mean


@calculations.register("deniability-of", "Deniability of some shares in percent")
@dataclass(frozen=True)
class DeniabilityOf(Calculation):
    """How uncertain an answer is in a group with these shares."""

    shares: Annotated[tuple[float, ...], Within(0), Info("Shares")]

    def calculate(self, study: Study, progress: Progress = silent) -> float:  # noqa: ARG002
        """The entropy of the shares in percent of the largest possible."""
        counts = 1e6 * np.array(self.shares) / sum(self.shares)
        return 100 * float(deniabilities(counts, len(counts)))


@calculations.register("published-groups", "Result of a deniable release")
@dataclass(frozen=True)
class PublishedGroups(Calculation):
    """The groups of a deniable table: how deniable, how many, and what accuracy they predict."""

    quick = False

    sensitive: Annotated[str, Info("Sensitive attribute")]
    what: Annotated[str, OneOf(("whole", "weakest", "groups", "accuracy")), Info("What")] = (
        "accuracy"
    )
    minimum: Annotated[float, Within(0, 1), Info("Minimum deniability")] = 0.1
    cuts: Annotated[int, Within(1, 2_000), Info("Cut points per number")] = 4

    def calculate(self, study: Study, progress: Progress = silent) -> float:
        if study.original is None:
            raise DataError("The demonstration has no original answers.")
        table = apply_missing_policies(study.original).table
        sample = Sample.of(table, self.sensitive, None, progress)
        if self.what == "whole":
            return 100 * whole_deniability(sample)
        options = DeniabilityOptions(min_deniability=self.minimum, cuts=self.cuts)
        tree = make_tree(sample, options, progress)
        if self.what == "groups":
            return float(len(tree.leaves))
        if self.what == "weakest":
            return 100 * _weakest(tree, sample)
        # From people who were left out, as the page tells it in the end.
        found = predict_accuracy(
            table, self.sensitive, options, features=None, folds=QUICK_FOLDS, progress=progress
        )
        return 100 * (own_prediction(tree) if found is None else found)


def _weakest(tree: DeniabilityTree, sample: Sample) -> float:
    return min(float(deniabilities(leaf.counts, sample.outcomes)) for leaf in tree.leaves)


@calculations.register("support", "Support of a set of items")
@dataclass(frozen=True)
class Support(Calculation):
    """The share of the baskets that hold all items, in percent: true, as seen, or estimated."""

    items: Annotated[tuple[str, ...], Info("Items")]
    of: Annotated[str, OneOf(("original", "distorted", "reconstructed")), Info("Of which")] = (
        "reconstructed"
    )

    def calculate(self, study: Study, progress: Progress = silent) -> float:
        """The support in percent, by the product form where it is estimated."""
        answers = distorted_answers(study, part(progress, 0.0, 0.5))
        if self.of == "original":
            data = item_data(answers.original or answers.distorted)
        elif self.of == "distorted":
            data = item_data(answers.distorted)
        else:
            data = item_data(answers.distorted, study.design)
        known = {item.name: place for place, item in enumerate(data.items)}
        for name in self.items:
            if name not in known:
                raise DataError.saying(
                    "There is no item {name!r} among {known}…",
                    name=name,
                    known=", ".join(list(known)[:8]),
                )
        sets = SetList.of(data.items, [tuple(known[name] for name in self.items)])
        return 100 * float(supports(data, sets, part(progress, 0.5, 1.0)).raw[0])


@calculations.register("mining", "Errors of a mining method by set size")
@dataclass(frozen=True)
class Mining(Calculation):
    """How a miner compares with the truth, for sets of some number of items."""

    quick = False

    method: Annotated[str, Info("Method")]
    size: Annotated[int, Within(1, 20), Info("Items in a set")]
    min_support: Annotated[float, Within(0, 1, open_low=True), Info("Minimum support")]
    what: Annotated[
        str,
        OneOf(("support_error", "false_negative", "false_positive", "f1", "true", "found")),
        Info("What"),
    ] = "support_error"

    def calculate(self, study: Study, progress: Progress = silent) -> float:
        answers = distorted_answers(study, part(progress, 0.0, 0.1))
        if answers.original is None:
            raise DataError("The demonstration has no original answers.")
        found = mine(
            item_data(answers.distorted, study.design),
            miners[self.method](min_support=self.min_support, max_length=self.size),
            progress=part(progress, 0.1, 0.6),
        )
        truth = mine(
            item_data(answers.original, study.design, original=True),
            Apriori(min_support=self.min_support, max_length=self.size),
            progress=part(progress, 0.6, 1.0),
        )
        errors = length_errors(found.itemsets, truth.itemsets)
        at = np.flatnonzero(errors.lengths == self.size)
        return float(getattr(errors, self.what)[at[0]]) if len(at) else float("nan")


ORIGINAL, EXPECTED = "original", "expected"
DISTORTED, RECONSTRUCTED = "distorted", "reconstructed"


def columns_of(study: Study, name: str) -> tuple[Column, Column]:
    """The original answers to one question, and the distorted ones of the study's draw."""
    if study.original is None:
        raise DataError("The demonstration has no original answers.")
    designed = study.design[name]
    truth = Column(designed.attribute, fit_column(study.original[name], designed))
    alone = Design((designed,))
    table = study.original.select([name])
    return truth, distort(table, alone, SeededStreams(study.settings.seed))[name]


@calculations.register("share", "Share of an answer in percent")
@dataclass(frozen=True)
class Share(OfQuestion):
    """The share of one answer in percent: true, reported in the draw that all pages show or to be
    expected in any, or estimated.
    """

    value: Annotated[str, Info("Value")]
    of: Annotated[
        str, OneOf((ORIGINAL, EXPECTED, DISTORTED, RECONSTRUCTED)), Info("Of which answers")
    ] = ORIGINAL
    algorithm: Annotated[str, Info("Algorithm")] = "default"
    stop: Annotated[str | None, Info("Stop")] = None

    def calculate(self, study: Study, progress: Progress = silent) -> float:
        place = self.place(study, self.value)
        truth, reported = columns_of(study, self.attribute)
        attribute, perturbation = self.device(study)
        if self.of == RECONSTRUCTED:
            found = reconstruct(
                reported, attribute, perturbation, self.algorithm, stop=self.stop,
                confidence=None, progress=progress,
            )  # fmt: skip
            return 100 * float(found.probability[place])
        if self.of == EXPECTED:
            shares = truth.counts / max(truth.counts.sum(), 1)
            shares = perturbation.values.matrix(len(shares)) @ shares
            return 100 * float(shares[place])
        counts = (truth if self.of == ORIGINAL else reported).counts
        return 100 * float(counts[place] / max(counts.sum(), 1))


@calculations.register("mean-loss", "Mean information loss over many draws")
@dataclass(frozen=True)
class MeanLoss(OfQuestion):
    """The same respondents distorted and reconstructed again and again; for values only."""

    algorithm: Annotated[str, OneOf(("default", "eq", "em")), Info("Algorithm")] = "em"
    stop: Annotated[str, Info("Stop")] = "published"
    draws: Annotated[int, Within(1, 1_000), Info("Draws")] = 200

    def calculate(self, study: Study, progress: Progress = silent) -> float:
        matrix = self.matrix(study)
        truth = columns_of(study, self.attribute)[0]
        progress(0.1)
        runs = simulate(
            matrix,
            truth.counts / max(truth.counts.sum(), 1),
            int(truth.counts.sum()),
            self.draws,
            algorithm=self.algorithm,
            stop=self.stop,
            same_respondents=True,
            seed=study.settings.seed,
        )
        return runs.mean_loss


@dataclass(frozen=True)
class _OneDraw(OfQuestion):
    """A reconstruction of the draw that all pages show."""

    algorithm: Annotated[str, Info("Algorithm")] = "default"
    stop: Annotated[str | None, Info("Stop")] = None
    steps: Annotated[int | None, Within(2, 500), Info("Bins")] = None

    def result(self, study: Study, progress: Progress) -> Reconstruction:
        truth, reported = columns_of(study, self.attribute)
        return reconstruct(
            reported,
            *self.device(study),
            self.algorithm,
            stop=int(self.stop) if self.stop and self.stop.isdigit() else self.stop,
            bins=self.steps,
            confidence=None,
            original=truth,
            seed=study.settings.seed,
            progress=progress,
        )


@calculations.register("loss", "Information loss of one draw")
@dataclass(frozen=True)
class Loss(_OneDraw):
    """Half the distance between the true and the reconstructed distribution."""

    def calculate(self, study: Study, progress: Progress = silent) -> float:
        return _known(self.result(study, progress).information_loss)


@calculations.register("iterations", "Iterations until the rule stops")
@dataclass(frozen=True)
class Iterations(_OneDraw):
    """After how many iterations the stop rule ends."""

    def calculate(self, study: Study, progress: Progress = silent) -> float:
        return float(self.result(study, progress).iterations)


@calculations.register("measure", "A privacy or utility measure")
@dataclass(frozen=True)
class Measure(OfQuestion):
    """A readout of the Design page by its name in ``measure --json``."""

    measure: Annotated[str, Info("Measure")]
    percent: Annotated[bool, Info("In percent")] = False

    def calculate(self, study: Study, progress: Progress = silent) -> float:  # noqa: ARG002
        return (100 if self.percent else 1) * self._value(study)

    def _value(self, study: Study) -> float:
        report = report_of(study, self.attribute)
        if self.measure in report.privacy:
            return float(report.privacy[self.measure].value)
        for reading in report.utility.readings:
            if reading.name == self.measure:
                return float(reading.value)
        known = [one.name for one in (*report.privacy, *report.utility.readings)]
        raise ParameterError.saying(
            "There is no measure {measure!r} of {attribute!r}; known are {known}.",
            measure=self.measure,
            attribute=self.attribute,
            known=", ".join(dict.fromkeys(known)),
            field="measure",
        )


@calculations.register("standard-error", "Standard error of an estimated share")
@dataclass(frozen=True)
class StandardError(OfQuestion):
    """The standard error of one value's share with the study's number of respondents."""

    value: Annotated[str, Info("Value")]
    percent: Annotated[bool, Info("In points")] = False
    direct: Annotated[bool, Info("Asked directly, without distortion")] = False

    def calculate(self, study: Study, progress: Progress = silent) -> float:  # noqa: ARG002
        utility = report_of(study, self.attribute).utility
        place = self.place(study, self.value)
        share = float(utility.shares[place])
        found = float(utility.standard_error[place])
        if self.direct:
            found = (share * (1 - share) / utility.n) ** 0.5
        return 100 * found if self.percent else found


@calculations.register("budget", "Privacy budget of a questionnaire")
@dataclass(frozen=True)
class QuestionnaireBudget(Calculation):
    """What all answers of one person disclose, or how precise one is, with a total shared out.

    Without a total the design stays as it is. ``ask`` is how many questions each person is asked.
    """

    what: Annotated[str, OneOf(("total", "factor", "epsilon", "error")), Info("What")] = "total"
    attribute: Annotated[str, Info("Attribute")] = ""
    total: Annotated[float | None, Within(0, 1000, open_low=True), Info("Total")] = None
    rule: Annotated[str, OneOf(RULES), Info("Rule")] = "equal"
    ask: Annotated[int | None, Within(1), Info("Questions asked of each person")] = None

    def calculate(self, study: Study, progress: Progress = silent) -> float:  # noqa: ARG002
        """Epsilon, the factor of the odds, or a standard error in points."""
        design = replace(study.design, budget=DesignBudget(ask=self.ask))
        priors = {one.name: study.prior(one.name) for one in design}
        if self.total is not None:
            design = share_design(design, BudgetSettings(self.total, self.rule), priors)
        found = budget_of(design, priors, study.settings.respondents)
        if self.what in ("total", "factor"):
            return found.distorted if self.what == "total" else float(np.exp(found.distorted))
        design[self.attribute]
        question = next(one for one in found.questions if one.name == self.attribute)
        return question.epsilon if self.what == "epsilon" else 100 * question.error


@calculations.register("belief", "Belief in a true answer after a report, in percent")
@dataclass(frozen=True)
class Belief(OfQuestion):
    """How many in 100 of those who report one answer truly have another, or the same."""

    true: Annotated[str, Info("True answer")]
    reported: Annotated[str, Info("Reported answer")]

    def calculate(self, study: Study, progress: Progress = silent) -> float:  # noqa: ARG002
        report = report_of(study, self.attribute)
        if report.matrix is None:
            raise DataError.saying("{attribute!r} has no matrix.", attribute=self.attribute)
        joint = report.matrix[self.place(study, self.reported)] * report.prior.probabilities
        return float(100 * joint[self.place(study, self.true)] / joint.sum())


@calculations.register("transition", "Probability that a true answer is reported as another")
@dataclass(frozen=True)
class Transition(OfQuestion):
    true: Annotated[str, Info("True answer")]
    reported: Annotated[str, Info("Reported answer")]

    def calculate(self, study: Study, progress: Progress = silent) -> float:  # noqa: ARG002
        matrix = self.matrix(study)
        return float(matrix[self.place(study, self.reported), self.place(study, self.true)])


@calculations.register("noise-probability", "Probability of a noise value")
@dataclass(frozen=True)
class NoiseProbability(OfQuestion):
    """How likely a shift is, for a true answer in the middle; ``against`` divides by another's."""

    shift: Annotated[int, Info("Noise value")]
    against: Annotated[int | None, Info("Against")] = None

    def calculate(self, study: Study, progress: Progress = silent) -> float:  # noqa: ARG002
        """Pr(Z = x + shift | X = x), or its ratio to another shift's."""
        attribute, perturbation = self.device(study)
        if perturbation.is_identity or attribute.domain is None:
            raise DataError.saying("{attribute!r} has no noise.", attribute=self.attribute)
        middle = np.rint(sum(attribute.domain) / 2)

        def chance(shift: int) -> float:
            ends = middle + shift + np.array([-0.5, 0.5])
            low, high = perturbation.numbers.conditional_cdf(ends, np.full(2, middle), attribute)
            return float(high - low)

        found = chance(self.shift)
        return found if self.against is None else found / chance(self.against)


@calculations.register("width", "Width of the interval that contains the true number")
@dataclass(frozen=True)
class Width(OfQuestion):
    """The interval that holds the true number with some confidence, in units or in sigmas."""

    confidence: Annotated[float, Info("Confidence")] = 0.95
    in_sigmas: Annotated[bool, Info("In standard deviations")] = False

    def calculate(self, study: Study, progress: Progress = silent) -> float:  # noqa: ARG002
        attribute, perturbation = self.device(study)
        width = perturbation.numbers.interval_width(self.confidence, attribute)
        if width is None:
            raise DataError.saying("{attribute!r} has no noise.", attribute=self.attribute)
        return float(width) / (_sigma(perturbation, attribute) if self.in_sigmas else 1.0)


def _sigma(perturbation: Perturbation, attribute: Attribute) -> float:
    noise = perturbation.numbers.noise_of(attribute)
    if noise is None:
        raise DataError("Only additive noise has a standard deviation.")
    return noise.scale


@calculations.register("respondents", "Respondents for a half-width in points")
@dataclass(frozen=True)
class Respondents(OfQuestion):
    """The smallest number of respondents whose 95 % interval is ± so many points."""

    points: Annotated[float, Within(0, 100, open_low=True), Info("Half-width in points")] = 3.0
    value: Annotated[str, Info("Value; the worst one if it is not given")] = ""
    direct: Annotated[bool, Info("Asked directly, without distortion")] = False

    def calculate(self, study: Study, progress: Progress = silent) -> float:  # noqa: ARG002
        utility = report_of(study, self.attribute).utility
        variances = utility.shares * (1 - utility.shares) if self.direct else utility.variances
        place = self.place(study, self.value) if self.value else None
        return float(
            needed_respondents(np.asarray(variances), self.points / 100, "half-width", place)
        )


EstimateNumber = Annotated[
    str, OneOf(("estimate", "low", "high", "standard_error", "naive", "true")), Info("What")
]


def _known(value: float | None) -> float:
    return float("nan") if value is None else float(value)


@calculations.register("count", "Respondents who meet a condition")
@dataclass(frozen=True)
class People(Calculation):
    """What the Survey page answers to a count."""

    condition: Annotated[str, Info("Condition")]
    what: EstimateNumber = "estimate"
    method: Annotated[str, OneOf(("joint", "sequential")), Info("Method")] = "joint"

    def calculate(self, study: Study, progress: Progress = silent) -> float:
        answers = distorted_answers(study)
        found = count(
            answers.distorted, study.design, self.condition, self.method,
            original=answers.original, progress=progress,
        )  # fmt: skip
        return _known(getattr(found.value, self.what))


@calculations.register("regression", "A coefficient of a regression")
@dataclass(frozen=True)
class RegressionTerm(Calculation):
    """What the Survey page finds of one coefficient, or of its odds ratio."""

    formula: Annotated[str, Info("Formula")]
    term: Annotated[str, Info("Term")]
    level: Annotated[str, Info("Value")] = ""
    what: EstimateNumber = "estimate"
    odds_ratio: Annotated[bool, Info("As an odds ratio")] = False
    direct: Annotated[bool, Info("Asked directly, without distortion")] = False

    def calculate(self, study: Study, progress: Progress = silent) -> float:
        formula = parse_formula(self.formula)
        if self.direct:
            study = study.with_perturbations(dict.fromkeys(formula.attributes, Identity()))
        asked = Regress(formula=formula)
        found = estimate(asked, distorted_answers(study), study.design, progress=progress)
        row = next(
            (one for one in found.terms if (one.term, one.level) == (self.term, self.level)), None
        )
        if row is None:
            known = ", ".join(one.label for one in found.terms)
            raise ParameterError.saying(
                "The regression has no coefficient of {term!r}; it has {known}.",
                term=str(ColumnLabel(self.term, self.level)),
                known=known,
                field="term",
            )
        value = _known(getattr(row, self.what))
        return float(np.exp(value)) if self.odds_ratio else value


@calculations.register("compliance", "Who followed the instructions, in percent")
@dataclass(frozen=True)
class ComplianceShare(OfQuestion):
    """What the Survey page tells of compliance: a share in percent, or a p value."""

    what: Annotated[
        str,
        OneOf(("uncorrected", "followed", "low", "followers", "high", "p", "band", "largest")),
        Info("What"),
    ] = "followed"
    arms: Annotated[tuple[str, ...], Info("Arms")] = ()
    share: Annotated[float, Within(0, 1), Info("Share who do not follow")] = 0.0
    random: Annotated[bool, Info("They answer at random")] = False

    def calculate(self, study: Study, progress: Progress = silent) -> float:
        """The share in percent; not a number where there is none."""
        is_band = self.what in ("uncorrected", "band", "largest")
        asked = ComplianceRequest(
            attribute=self.attribute, behaviours=() if is_band else (SAFE,),
            model=BAND if is_band else "", arms=self.arms,
        )  # fmt: skip
        answers = DistortedCache().of(study)
        found: Compliance = estimate(asked, answers, study.design, progress=progress)
        behaviour = RANDOM if self.random else SAFE
        if self.what == "band":
            return 100 * found.at_share(behaviour, self.share).estimate
        if self.what == "largest":
            span = found.possible[behaviour]
            return float("nan") if span is None else 100 * span[1]
        if self.what == "uncorrected":
            return 100 * found.uncorrected.estimate
        if self.what == "p":
            return float("nan") if found.honesty is None else found.honesty.p
        one = found.followed
        if one is None or found.classes is None:
            return float("nan")
        told = one if self.what == "followed" else found.classes.readings[self.what]
        return 100 * told.estimate
