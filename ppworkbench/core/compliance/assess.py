"""Whether the respondents of a survey followed the device of a question."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.compliance.band import (
    BEHAVIOURS,
    RANDOM,
    SAFE,
    TRUTH,
    BandPoint,
    band,
    band_point,
    is_silent,
    largest_share,
    reaching,
)
from ppworkbench.core.compliance.classes import (
    NOT_MEASURED,
    Behaviour,
    Classes,
    Estimate,
    fit_classes,
    interval_factor,
    summed_share,
)
from ppworkbench.core.compliance.models import (
    ANCHOR,
    CDM,
    ECWM,
    SLD,
    UNRELATED,
    DirectDifference,
    NamedFit,
    against_direct,
    anchored,
    closed_form,
    extended_crosswise,
    known_share,
    merge_answers,
    outside_remark,
    parameters,
    ratio_test,
    unrelated_question,
)
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.sampling_roles import RESPONDENTS, Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.anchors import Anchor
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.perturbation import Cases
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.models.linearised import covariance_of_sums, degrees_of_freedom
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.pooled import (
    DRAWN_ROUNDING,
    DRAWS,
    FEWEST_EXPECTED,
    Arm,
    SampledCounts,
    Shares,
    Test,
    count_covariance,
    drawn_likelihoods,
    equality,
    fit_shares,
    merge_arms,
    saturated,
    share_slope,
    wald_test,
)
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.survey.answers import Answers, distorted_answers
from ppworkbench.core.survey.inquiry import SHARE_EXACT
from ppworkbench.core.survey.sampled import SurveySample

CLASSES, KNOWN, DIRECT, BAND = "classes", "known", "direct", "band"
MODELS = (CDM, SLD, ECWM, UNRELATED, ANCHOR, DIRECT, BAND)
ALWAYS = "always="
SIMULATED = "simulated-p"
"""The code of a remark: the p of some test comes from drawn surveys."""
_BAND_STEPS = 13


@dataclass(frozen=True)
class ComplianceQuestion:
    """What is asked about an attribute.

    Parameters
    ----------
    behaviours
        Classes of people who do not follow: ``safe``, ``random`` or ``always=VALUE``.
    safe
        The answer that nobody minds giving; the first that is not sensitive if empty.
    model
        A named model; by the arms and the behaviours if empty.
    anchor
        Its check question; that of the design where nothing else is asked for.
    share, share_error
        How many do not follow, as a validation study says.
    band
        From and to which share of people who do not follow the band is drawn.
    reach
        A value of the estimate of which the tipping point is asked.
    arms
        The names of the arms that are used; all of them if empty.
    """

    attribute: str
    behaviours: tuple[str, ...] = ()
    safe: str = ""
    model: str = ""
    anchor: Anchor | None = None
    share: float | None = None
    share_error: float = 0.0
    band: tuple[float, float] = (0.0, 0.3)
    reach: float | None = None
    confidence: float = 0.95
    arms: tuple[str, ...] = ()

    @property
    def attributes(self) -> tuple[str, ...]:
        """The question, and its check question."""
        return (self.attribute, *(() if self.anchor is None else (self.anchor.column,)))

    def __post_init__(self) -> None:
        """Refuse shares that are none."""
        low, high = self.band
        if not 0 <= low < high < 1:
            raise ParameterError(
                "The band goes from one share to a larger one below 1, as in 0:0.3.", field="band"
            )
        if self.share is not None and not 0 <= self.share < 1:
            raise ParameterError(
                "The share of people who do not follow must be at least 0 and below 1.",
                field="share",
            )
        if self.reach is not None and not 0 <= self.reach <= 1:
            raise ParameterError("A value to reach lies between 0 and 1.", field="reach")
        if not 0 <= self.share_error < math.inf:
            raise ParameterError("A standard error is not negative.", field="share-se")
        if self.share_error and self.share is None:
            raise ParameterError(
                "The standard error belongs to a share of people who do not follow; give that, "
                "too.",
                field="share-se",
            )
        named = self.model not in ("", ANCHOR)
        ways = (self.anchor is not None, self.share is not None, named)
        if sum(ways) > 1:
            raise ParameterError(
                "An anchor, a share from a validation study and a model are three ways to correct; "
                "choose one.",
                field="model",
            )
        has_own = self.anchor is not None or self.model in (ECWM, UNRELATED, DIRECT, BAND)
        if self.behaviours and has_own:
            raise ParameterError(
                "This model has its own classes of people; leave the behaviour out.",
                field="behaviour",
            )
        if self.share is not None and len(self.behaviours) > 1:
            raise ParameterError(
                "A share from a validation study is that of one behaviour; give one of them.",
                field="behaviour",
            )
        if self.model == ANCHOR and self.anchor is None:
            raise ParameterError("Name the anchor question and its harmless share.", field="anchor")


@dataclass(frozen=True, eq=False)
class Compliance:
    """What the arms, the anchor or the band say.

    Parameters
    ----------
    sensitive
        The answers whose share is estimated.
    uncorrected
        That share if everybody follows.
    arms
        With effective counts under a sampling: as many as a simple random sample would need.
    rows
        How many people answered in each arm of the question, also in those that are not used.
    honesty
        Whether everybody may follow, where classes were asked about.
    safe
        The place of the answer that nobody minds giving.
    sampling
        How people were drawn, where that was taken into account.
    """

    attribute: Attribute
    model: str
    arms: tuple[Arm, ...]
    sensitive: tuple[str, ...]
    uncorrected: Estimate
    classes: Classes | None = None
    named: NamedFit | None = None
    parameters: Mapping[str, Estimate] = field(default_factory=dict)
    closed_form: Mapping[str, float] | None = None
    direct: DirectDifference | None = None
    points: tuple[BandPoint, ...] = ()
    largest: Mapping[str, float] = field(default_factory=dict)
    reach: Mapping[str, float | None] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    confidence: float = 0.95
    rows: Mapping[str, int] = field(default_factory=dict)
    honesty: Test | None = None
    simulated_fit: Test | None = None
    log_likelihood: float | None = None
    safe: int = 0
    sampling: Sampling | None = None

    @property
    def randomised(self) -> tuple[Arm, ...]:
        """The arms that have a device; all of them where none has one."""
        return tuple(arm for arm in self.arms if not is_direct(arm)) or self.arms

    @property
    def factor(self) -> float:
        """How many standard errors an interval reaches to each side."""
        return interval_factor(self.arms, self.confidence)

    def at_share(self, behaviour: str, share: float) -> BandPoint:
        """The estimate if so many do not follow."""
        places = [self.attribute.values.index(value) for value in self.sensitive]
        return band_point(self.randomised, behaviour, self.safe, places, share, self.factor)

    @property
    def fit(self) -> Test | None:
        """How well the model fits, where something is left to test."""
        if self.simulated_fit is not None:
            return self.simulated_fit
        if self.named is not None:
            return self.named.fit
        return None if self.classes is None else self.classes.fitted.fit

    @property
    def is_on_boundary(self) -> bool:
        """Whether some share ended at an end of its range."""
        if self.named is not None:
            return self.named.boundary
        return self.classes is not None and self.classes.fitted.is_on_boundary

    @property
    def sentence(self) -> str:
        """The answer in plain words."""
        values = " / ".join(self.sensitive)
        if self.classes is not None and self.classes.extra:
            gone = sum(one.estimate for one in self.classes.estimates[self.attribute.k :])
            readings = self.classes.readings
            return Message(
                "About {followed:.0f} of 100 followed the device. The share of “{values}” is "
                "{low:.1f} to {high:.1f} %, depending on who the others are; uncorrected it is "
                "{plain:.1f} %.",
                followed=100 * (1 - gone),
                values=values,
                low=100 * readings["low"].estimate,
                high=100 * readings["high"].estimate,
                plain=100 * self.uncorrected.estimate,
            )
        if "pi" in self.parameters:
            one = self.parameters["pi"]
            return Message(
                "The share of “{values}” is {share:.1f} %, {level:g} % interval {low:.1f} to "
                "{high:.1f} %; uncorrected it is {plain:.1f} %.",
                values=values,
                share=100 * one.estimate,
                level=100 * self.confidence,
                low=100 * one.low,
                high=100 * one.high,
                plain=100 * self.uncorrected.estimate,
            )
        return self.band_sentence(SAFE)

    def band_sentence(self, behaviour: str) -> Message:
        """From where to where the estimate goes if so many do not follow, as far as possible."""
        told = [one for one in self.points
                if one.behaviour == behaviour and math.isfinite(one.estimate)]  # fmt: skip
        if not told:
            return Message("Nothing shows who follows the device.")
        most = self.largest.get(behaviour, 1.0)
        possible = [one for one in told if one.share <= most + 1e-9] or told[:1]
        if len(possible) < len(told) and possible[-1].share < most:
            possible.append(self.at_share(behaviour, most))
        ends = sorted((possible[0].estimate, possible[-1].estimate))
        return Message(
            "If up to {share:.0f} % {did}, the share of “{values}” lies between {low:.1f} % and "
            "{high:.1f} %.",
            share=100 * possible[-1].share,
            did=self.behaviour_did(behaviour),
            values=" / ".join(self.sensitive),
            low=100 * ends[0],
            high=100 * ends[1],
        )

    def behaviour_did(self, behaviour: str) -> Message:
        """What people who do not follow did."""
        if behaviour == RANDOM:
            return Message("answered at random")
        if behaviour == TRUTH:
            return Message("told the truth regardless")
        return Message("always said “{value}”", value=self.attribute.values[self.safe])

    def to_json(self) -> dict[str, Any]:
        """The result for other programs."""
        classes = self.classes
        document: dict[str, Any] = {
            "attribute": self.attribute.name,
            "model": self.model,
            "sensitive": list(self.sensitive),
            "identified": classes is not None or self.named is not None,
            "arms": [{"name": arm.name, "n": self.rows.get(arm.name, arm.n),
                      "counts": arm.counts.tolist()} for arm in self.arms],
            "uncorrected": self.uncorrected.to_json(),
            "classes": [],
            "readings": {},
            "parameters": {name: one.to_json() for name, one in self.parameters.items()},
            "closed_form": None if self.closed_form is None else dict(self.closed_form),
            "boundary": self.is_on_boundary,
            "fit": _test_json(self.fit, "g2"),
            "honesty": None,
            "log_likelihood": self.log_likelihood,
            "direct": _direct_json(self.direct),
            "band": [_finite(dataclasses.asdict(point)) for point in self.points],
            "largest_share": dict(self.largest),
            "reach": dict(self.reach),
            "warnings": list(self.remarks),
        }  # fmt: skip
        if self.sampling is not None:
            document["sampling"] = self.sampling.to_json()
        if classes is not None:
            document["classes"] = [
                {"name": str(name), "share": one.estimate} | _without(one.to_json(), "estimate")
                for name, one in zip(classes.names, classes.estimates, strict=True)
            ]
            document["readings"] = {name: one.to_json() for name, one in classes.readings.items()}
            honesty = self.honesty
            if honesty is not None:
                document["honesty"] = {
                    "lr": honesty.statistic, "p": honesty.p, "power_at_5_percent": classes.power,
                }  # fmt: skip
        return document


def _without(given: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in given.items() if key != name}


def _finite(given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in given.items()
    }


def _test_json(test: Test | None, name: str) -> dict[str, Any] | None:
    if test is None:
        return None
    return _finite({name: test.statistic, "df": test.df, "p": test.p})


def _direct_json(direct: DirectDifference | None) -> dict[str, Any] | None:
    if direct is None:
        return None
    return {
        "share": direct.share.to_json(), "difference": direct.difference.to_json(),
        "denying": direct.denying.to_json(), "equality": _test_json(direct.equality, "lr"),
        "pooled": direct.pooled, "random": direct.random,
    }  # fmt: skip


def assess_compliance(
    table: Table,
    design: Design,
    question: ComplianceQuestion,
    *,
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Compliance:
    """Estimate who follows; draw the band, which holds where nothing identifies that.

    Parameters
    ----------
    sampling, options
        How people were drawn, and how that is used.
    seed
        Where the surveys start that are drawn for tests of few answers.
    """
    progress(0.0)
    others = _rows_of_arms(table, design, question)
    design, chosen = _of_arms(design, question)
    question = _with_anchor(question, design)
    attribute = _attribute(design, question.attribute)
    extra = () if question.anchor is None else (question.anchor.column,)
    answers = distorted_answers(table, design, design.needed((attribute.name, *extra)))
    survey = _survey(table, design, sampling, options, question.confidence)
    arms, thetas, rows, remarks = _arms(answers, design, attribute, survey, chosen)
    sensitive = sensitive_places(attribute)
    safe = _safe(attribute, question.safe, sensitive)
    factor = interval_factor(arms, question.confidence)
    randomised = tuple(arm for arm in arms if not is_direct(arm))
    told = randomised or arms
    weights = np.zeros(attribute.k)
    weights[list(sensitive)] = 1.0
    uncorrected = _plain_estimate(told, weights, factor)
    values = tuple(attribute.values[place] for place in sensitive)
    found = Compliance(
        attribute, BAND, arms, values, uncorrected, remarks=remarks,
        confidence=question.confidence, rows=others | rows, safe=safe,
        sampling=None if survey is None else survey.frame.sampling,
    )  # fmt: skip
    if question.anchor is not None:
        found = _anchored(found, answers, question.anchor, design, sensitive, factor, survey)
    elif question.share is not None:
        found = _known(found, told, question, safe, sensitive, factor)
    elif question.model == ECWM and attribute.k != 2:
        raise ParameterError(
            "This model is of two answers; merge values, or ask for classes.", field="model"
        )
    elif question.model == ECWM:
        named = extended_crosswise(list(told), sensitive[0], factor)
        found = _with_named(found, ECWM, named)
    elif question.model == UNRELATED:
        found = _unrelated(found, told, thetas, sensitive, factor)
    elif question.model == DIRECT:
        found = _directly(found)
    elif question.model != BAND and (len(told) > 1 or question.model or question.behaviours):
        found = _by_classes(found, told, question, safe, sensitive)
    progress(0.2)
    found = _with_band(found, told, question, safe, sensitive, factor)
    progress(0.4)
    found = _with_direct(found, sensitive, factor)
    return _with_simulated(found, told, seed, progress)


def _rows_of_arms(table: Table, design: Design, question: ComplianceQuestion) -> dict[str, int]:
    """How many answered in every arm, where only some are chosen."""
    arms = design.arms
    names = (question.attribute, "" if arms is None else arms.column)
    if not question.arms or arms is None or any(name not in table for name in names):
        return {}
    versions, answered = table[arms.column], ~table[question.attribute].missing
    places = {name: place for place, name in enumerate(versions.attribute.values)}
    return {
        name: int(np.count_nonzero(answered & (versions.data == places[name])))
        for name in arms.asking((question.attribute,))
        if name in places
    }


def _of_arms(design: Design, question: ComplianceQuestion) -> tuple[Design, tuple[str, ...]]:
    """The design of the chosen arms, and what is left to choose: devices by another column."""
    chosen, arms = question.arms, design.arms
    if not chosen or arms is None:
        return design, chosen
    by_others = set(design.perturbation(question.attribute).columns) - {arms.column}
    if by_others and not set(chosen) & set(arms.names):
        return design, chosen
    _refuse_unknown(chosen, arms.asking(question.attributes))
    return design.within_arms(chosen), ()


def _with_anchor(question: ComplianceQuestion, design: Design) -> ComplianceQuestion:
    """The question with the anchor of the design, where nothing else was asked for."""
    anchor = design.anchor_of(question.attribute)
    has_way = question.model or question.behaviours or question.share is not None
    if anchor is None or has_way or question.anchor is not None:
        return question
    if design.perturbation(question.attribute).columns:
        # Arms show by themselves who follows.
        return question
    return dataclasses.replace(question, anchor=anchor)


def _survey(
    table: Table,
    design: Design,
    sampling: Sampling | None,
    options: SamplingOptions | None,
    confidence: float,
) -> SurveySample | None:
    if options is not None and options.target == RESPONDENTS:
        raise ParameterError(
            "Compliance is estimated about the population; for the people who answered turn the "
            "sampling off.",
            field="target",
        )
    if sampling is None:
        return None
    return SurveySample.read(table, design, sampling, options, confidence=confidence)


def _attribute(design: Design, name: str) -> Attribute:
    attribute = design[name].attribute
    if not attribute.kind.is_categorical:
        raise ParameterError(
            Message(
                "{attribute!r} is a number; compliance is estimated of answers with values.",
                attribute=name,
            ),
            attribute=name,
            field="attribute",
        )
    return attribute


def _arms(
    answers: Answers,
    design: Design,
    attribute: Attribute,
    survey: SurveySample | None,
    chosen: Sequence[str],
) -> tuple[tuple[Arm, ...], tuple[float, ...], dict[str, int], tuple[str, ...]]:
    """The reports by device, with the matrix if everybody follows; each device's coin, too."""
    perturbation = design.perturbation(attribute.name)
    known = {name: design[name].attribute for name in perturbation.columns}
    cases: Cases = perturbation.cases_of(answers.data, known, attribute.name)
    reports, k = answers.data[attribute.name], attribute.k
    names = [cases.names[place] if cases.names else str(place + 1)
             for place in range(len(cases.devices))]  # fmt: skip
    if len(names) == 1 and design.arms is not None and len(design.arms.members) == 1:
        names = list(design.arms.names)
    rows = {name: int(np.count_nonzero(cases.codes == place)) for place, name in enumerate(names)}
    _refuse_unknown(chosen, names)
    used = [place for place, name in enumerate(names)
            if rows[name] and (not chosen or name in chosen)]  # fmt: skip
    if not used:
        raise DataError("The chosen arms have no answers.", field="arms")
    codes = cases.codes * k + reports
    counts, sampled, remarks = _counted(codes, len(names) * k, answers, survey)
    found, thetas = [], []
    for place in used:
        device = cases.devices[place]
        matrix, slope = device.matrix_parts(k)
        matrix = matrix if slope is None else matrix + slope
        own = None if sampled is None else dataclasses.replace(sampled, starts=(place * k,))
        found.append(Arm(names[place], counts[place * k : (place + 1) * k], matrix, own))
        coin = device.coin
        asks = coin is not None and coin.question == "unrelated"
        thetas.append(coin.theta if coin is not None and asks else math.nan)
        if not found[-1].n:
            raise DataError(
                Message("All answers of the arm {name!r} have weight 0.", name=names[place]),
                field="arms",
            )
    exact = (SHARE_EXACT,) if design.uncertain_shares((attribute.name,)) else ()
    return tuple(found), tuple(thetas), rows, (*answers.remarks, *remarks, *exact)


def _refuse_unknown(chosen: Sequence[str], names: Sequence[str]) -> None:
    for name in chosen:
        if name not in names:
            raise ParameterError(
                Message(
                    "The question has no arm {arm!r}; it has {names}.",
                    arm=name,
                    names=", ".join(names),
                ),
                field="arm",
            )


def _counted(
    codes: Codes, cells: int, answers: Answers, survey: SurveySample | None
) -> tuple[Numbers, SampledCounts | None, tuple[str, ...]]:
    """How often each cell was reported.

    Weighted counts are brought to the size of the simple random sample that would say as much, so
    that likelihoods of them are about right; covariances are those of the sampling itself.
    """
    if survey is None:
        return np.bincount(codes, minlength=cells).astype(np.float64), None, ()
    weights, frame = survey.weights(answers.rows), survey.frame
    counts = np.bincount(codes, weights, cells)
    total = float(counts.sum())
    if total <= 0:
        raise DataError("All answers to this question have weight 0.", field="weight")

    def values(part: slice) -> Numbers:
        placed = np.zeros((len(codes[part]), cells))
        placed[np.arange(len(placed)), codes[part]] = weights[part]
        return placed

    remarks: tuple[str, ...] = ()
    replicates = survey.sample.replicates
    if frame.replicate_scale is not None and replicates is not None:
        drawn = replicates[answers.rows]
        again = np.array([np.bincount(codes, column, cells) for column in drawn.T])
        covariance = ((again - counts).T * frame.replicate_scale) @ (again - counts)
    else:
        covariance, remarks = covariance_of_sums(values, survey, answers.rows, finite=False)
    if frame.has_population:
        remarks += (
            Message(
                "The size of the population is not used here, so the errors are on the safe side."
            ),
        )
    shares = counts / total
    slope = (np.eye(cells) - shares[:, None]) / total
    by_sampling = float(np.trace(slope @ covariance @ slope.T))
    simple = float(shares @ (1 - shares)) / len(codes)
    effect = by_sampling / simple if simple > 0 and by_sampling > 0 else 1.0
    scale = len(codes) / effect / total
    degrees = degrees_of_freedom(survey, answers.rows)
    known = SampledCounts(np.asarray(covariance * scale**2, np.float64), degrees, (0,))
    return np.asarray(counts * scale, np.float64), known, remarks


def is_direct(arm: Arm) -> bool:
    """Whether an arm asks without a device."""
    return bool(np.abs(arm.matrix - np.eye(len(arm.matrix))).max() < 1e-12)


def sensitive_places(attribute: Attribute) -> tuple[int, ...]:
    """The marked values, or the last: most lists begin with the harmless one."""
    marked = tuple(attribute.values.index(value) for value in attribute.sensitive)
    return marked or (attribute.k - 1,)


def _safe(attribute: Attribute, given: str, sensitive: Sequence[int]) -> int:
    if given:
        if given not in attribute.values:
            raise _no_value(attribute, given, "safe")
        return attribute.values.index(given)
    return next((place for place in range(attribute.k) if place not in sensitive), 0)


def _no_value(attribute: Attribute, given: str, option: str) -> ParameterError:
    return ParameterError(
        Message(
            "{attribute!r} has no value {value!r}; it has {values}.",
            attribute=attribute.name,
            value=given,
            values=", ".join(attribute.values),
        ),
        attribute=attribute.name,
        field=option,
    )


def _behaviours(attribute: Attribute, given: Sequence[str], safe: int) -> tuple[Behaviour, ...]:
    found: list[Behaviour] = []
    for one in given or (SAFE,):
        if one == SAFE:
            found.append(Behaviour(safe))
        elif one == RANDOM:
            found.append(Behaviour(None))
        elif one.startswith(ALWAYS):
            value = one.removeprefix(ALWAYS)
            if value not in attribute.values:
                raise _no_value(attribute, value, "behaviour")
            found.append(Behaviour(attribute.values.index(value)))
        else:
            raise ParameterError(
                Message(
                    "A behaviour is 'safe', 'random' or 'always=VALUE', not {text!r}.", text=one
                ),
                field="behaviour",
            )
    return tuple(dict.fromkeys(found))


def _plain_estimate(arms: Sequence[Arm], weights: Numbers, factor: float) -> Estimate:
    """The share if everybody follows; of one arm by inversion, which may leave 0 to 1."""
    if is_silent(arms):
        raise DataError(
            "The device gives the same reports whatever is true, so nothing can be estimated; "
            "check its probabilities.",
            field="perturbation",
        )
    if len(arms) > 1:
        return summed_share(fit_shares(arms), np.flatnonzero(weights).tolist(), factor)
    slope = np.linalg.solve(arms[0].matrix.T, weights)
    estimate = float(slope @ (arms[0].counts / arms[0].n))
    error = math.sqrt(max(float(slope @ arms[0].share_covariance @ slope), 0.0))
    return Estimate(estimate, error, estimate - factor * error, estimate + factor * error)


def _by_classes(
    found: Compliance, arms: Sequence[Arm], question: ComplianceQuestion, safe: int,
    sensitive: tuple[int, ...],
) -> Compliance:  # fmt: skip
    attribute = found.attribute
    extra = _behaviours(attribute, question.behaviours, safe)
    named = question.model in (CDM, SLD)
    if named and (attribute.k != 2 or len(extra) != 1 or extra[0].value in (None, sensitive[0])):
        raise ParameterError(
            "This model is of two answers, and of people who always give the safe one.",
            field="model",
        )
    classes = fit_classes(arms, attribute.values, extra, sensitive, question.confidence)
    remarks = list(found.remarks)
    if classes.honesty is None:
        remarks.append(
            Message("The answers vary too little, or in too few clusters, for a test of honesty.")
        )
    errors = classes.fitted.standard_errors[attribute.k :]
    for one, error in zip(extra, errors, strict=True):
        if error > NOT_MEASURED:
            remarks.append(
                Message(
                    "The class {name} is not measured by this design: its standard error is "
                    "{error:.2f}.",
                    name=one.name(attribute.values),
                    error=float(error),
                )
            )
    if classes.fitted.is_on_boundary:
        remarks.append(
            Message("A share lies at 0, the end of its range; intervals are of the likelihood.")
        )
    shown = parameters(classes, question.model) if named else {}
    solved = closed_form(classes)
    if solved is not None and not all(-1e-9 <= share <= 1 + 1e-9 for share in solved.values()):
        remarks.append(outside_remark(classes.names, tuple(solved.values())))
    return dataclasses.replace(
        found, model=question.model or CLASSES, classes=classes, parameters=shown,
        closed_form=solved, remarks=tuple(remarks), honesty=classes.honesty,
        log_likelihood=classes.fitted.log_likelihood,
    )  # fmt: skip


def _with_named(found: Compliance, model: str, named: NamedFit) -> Compliance:
    return dataclasses.replace(
        found, model=model, named=named, parameters=named.parameters,
        closed_form=named.closed_form, log_likelihood=named.log_likelihood,
        remarks=(*found.remarks, *named.remarks),
    )  # fmt: skip


def _directly(found: Compliance) -> Compliance:
    direct = [is_direct(arm) for arm in found.arms]
    if not any(direct) or all(direct):
        raise DataError(
            "The comparison with direct questions needs an arm that asks directly and one with a "
            "device.",
            field="model",
        )
    return dataclasses.replace(found, model=DIRECT)


def _unrelated(
    found: Compliance, arms: Sequence[Arm], thetas: Sequence[float], sensitive: tuple[int, ...],
    factor: float,
) -> Compliance:  # fmt: skip
    given = [theta for theta, arm in zip(thetas, found.arms, strict=True) if arm in arms]
    if len(arms) != 2 or not all(math.isfinite(theta) for theta in given):
        raise DataError(
            "The unrelated question with an unknown share needs two arms whose device is "
            "'unrelated', with different probabilities of the sensitive question.",
            field="model",
        )
    thetas = given[0], given[1]

    def of(places: Sequence[int]) -> NamedFit:
        return unrelated_question(merge_answers(arms, places), thetas, 1, factor)

    named = of(sensitive)
    told, values = dict(named.parameters), found.attribute.values
    if len(values) > 2:
        by_value = {value: of([place]).parameters for place, value in enumerate(values)}
        told |= {f"{name}={value}": shown[name] for name in ("pi", "u")
                 for value, shown in by_value.items()}  # fmt: skip
    return _with_named(found, UNRELATED, dataclasses.replace(named, parameters=told))


def _anchored(
    found: Compliance, answers: Answers, anchor: Anchor, design: Design,
    sensitive: tuple[int, ...], factor: float, survey: SurveySample | None,
) -> Compliance:  # fmt: skip
    attribute, other = found.attribute, _attribute(design, anchor.column)
    matrix = found.arms[0].matrix
    symmetric = len(found.arms) == 1 and attribute.k == other.k == 2
    if not symmetric or np.abs(matrix - matrix[::-1, ::-1]).max() > 1e-9:
        raise DataError(
            "An anchor corrects one crosswise question by another; both have two answers and one "
            "device for all.",
            field="anchor",
        )
    said, anchored_by = answers.data[attribute.name], answers.data[anchor.column]
    said = 1 - said if sensitive[0] == 0 else said
    anchored_by = 1 - anchored_by if sensitive_places(other)[0] == 0 else anchored_by
    counts, sampled, _ = _counted(said * 2 + anchored_by, 4, answers, survey)
    # "Same" is reported where both statements are true or both are not.
    p = float(matrix[1, 1])
    named = anchored(counts.reshape(2, 2), p, anchor.p, anchor.share, factor, sampled)
    return _with_named(found, ANCHOR, named)


def _known(
    found: Compliance, arms: Sequence[Arm], question: ComplianceQuestion, safe: int,
    sensitive: tuple[int, ...], factor: float,
) -> Compliance:  # fmt: skip
    if len(arms) != 1:
        raise ParameterError(
            "A share from a validation study corrects one arm; choose one, or let the arms "
            "estimate the share.",
            field="share",
        )
    extra = _behaviours(found.attribute, question.behaviours, safe)
    assert question.share is not None  # noqa: S101 (asked for)
    column = extra[0].column(found.attribute.k)
    one = known_share(arms[0], column, question.share, question.share_error, sensitive, factor)
    mixed = (1 - question.share) * arms[0].matrix + question.share * column[:, None]
    fitted = fit_shares([arms[0].with_matrix(mixed)])
    return dataclasses.replace(
        found, model=KNOWN, parameters={"pi": one}, log_likelihood=fitted.log_likelihood
    )


def _with_band(
    found: Compliance, arms: Sequence[Arm], question: ComplianceQuestion, safe: int,
    sensitive: tuple[int, ...], factor: float,
) -> Compliance:  # fmt: skip
    if is_direct(arms[0]):
        return found
    shares = np.linspace(*question.band, _BAND_STEPS).tolist()
    reach = {}
    if question.reach is not None:
        reach = {
            behaviour: reaching(arms, behaviour, safe, sensitive, question.reach)
            for behaviour in BEHAVIOURS
        }
    return dataclasses.replace(
        found, points=band(arms, safe, sensitive, shares, factor),
        largest={behaviour: largest_share(arms, behaviour, safe) for behaviour in BEHAVIOURS},
        reach=reach,
    )  # fmt: skip


def _with_direct(found: Compliance, sensitive: tuple[int, ...], factor: float) -> Compliance:
    """The direct arms against the share that the randomised ones give."""
    direct = [arm for arm in found.arms if is_direct(arm)]
    others = [arm for arm in found.arms if not is_direct(arm)]
    if not direct or not others:
        return found
    k = found.attribute.k
    weights = np.zeros(k)
    weights[list(sensitive)] = 1.0
    asked = merge_arms(direct, np.eye(k))
    classes = found.classes
    if classes is None or classes.fitted.at_bound[k:].all():
        variance = found.uncorrected.standard_error**2
        together = fit_shares([*others, asked])
        test = equality([*others, asked], [others, [asked]], only_possible=together.is_on_boundary)
        share = found.uncorrected.estimate
        symmetric = all(np.abs(arm.matrix - arm.matrix[::-1, ::-1]).max() < 1e-9 for arm in others)
        pooled = float(weights @ together.shares)
        slope = _plain_slope(others, weights)
    else:
        # By the lie detector those who do not follow have the trait, by the others they do not.
        reading = "high" if found.model == SLD else "low"
        one = classes.readings[reading]
        share, variance, symmetric = one.estimate, one.standard_error**2, False
        harmless = next((one for one in range(k) if one not in sensitive), 0)
        told = sensitive[0] if reading == "high" else harmless
        column = np.eye(k)[told][:, None]
        matrix = np.hstack([np.eye(k), np.repeat(column, len(classes.extra), axis=1)])
        whole = [*classes.fitted.arms, asked.with_matrix(matrix)]
        together = fit_shares(whole)
        apart = classes.fitted.log_likelihood + fit_shares([asked]).log_likelihood
        test = ratio_test(2 * (apart - together.log_likelihood), k - 1)
        pooled = float(weights @ (matrix @ together.shares))
        slope = (weights @ matrix) @ classes.fitted.slope
    shared, covariance = count_covariance([*others, asked]), 0.0
    if shared is not None:
        # One linearisation of both, which may be answers from the same clusters.
        size = len(slope)
        by_direct = weights @ share_slope(asked)
        covariance = float(slope @ shared[:size, size:] @ by_direct)
        plain = float(weights @ asked.counts) / asked.n
        both = np.concatenate([slope, -by_direct])
        assert asked.sampled is not None  # noqa: S101 (the counts have a covariance)
        spread = np.array([[float(both @ shared @ both)]])
        test = wald_test(np.array([share - plain]), spread, 1, asked.sampled.degrees)
    difference = against_direct(
        share, variance, asked, sensitive, test, pooled, factor, symmetric=symmetric,
        covariance=covariance,
    )  # fmt: skip
    return dataclasses.replace(found, direct=difference)


def _plain_slope(arms: Sequence[Arm], weights: Numbers) -> Numbers:
    """How the share if everybody follows changes with the counts."""
    if len(arms) == 1:
        return np.asarray(np.linalg.solve(arms[0].matrix.T, weights) @ share_slope(arms[0]))
    return np.asarray(weights @ fit_shares(arms).slope)


def _with_simulated(
    found: Compliance, arms: Sequence[Arm], seed: int, progress: Progress
) -> Compliance:
    """The same with drawn p values where too few answers are expected for chi-square.

    Under a sampling nothing can be drawn, as nobody knows how clusters differ.
    """
    classes, k = found.classes, found.attribute.k
    fitted = fit_shares(arms) if classes is None else classes.fitted
    expected = [arm.n * (arm.matrix @ fitted.shares) for arm in fitted.arms]
    few = min(float(one[one > 0].min()) for one in expected)
    tested = found.model in (CLASSES, CDM, SLD, ECWM)
    if few >= FEWEST_EXPECTED or not tested:
        return found
    if found.sampling is not None:
        rough = Message("Some answers are so few that the tests are rough.")
        return dataclasses.replace(found, remarks=(*found.remarks, rough))
    changes: dict[str, Any] = {}
    if found.fit is not None:
        p = _drawn_p(fitted, None, found.fit.statistic, seed, progress)
        changes["simulated_fit"] = dataclasses.replace(found.fit, p=p)
    progress(0.7)
    if found.honesty is not None and classes is not None:
        honest = fit_shares([arm.with_matrix(arm.matrix[:, :k]) for arm in fitted.arms])
        p = _drawn_p(honest, fitted.arms, found.honesty.statistic, seed, progress)
        changes["honesty"] = dataclasses.replace(found.honesty, p=p)
    if not changes:
        return found
    said = Message(
        "Fewer than 5 answers are expected somewhere, so p comes from {draws:,} simulated surveys.",
        draws=DRAWS,
        code=SIMULATED,
    )
    return dataclasses.replace(found, remarks=(*found.remarks, said), **changes)


def _drawn_p(
    null: Shares, wider: Sequence[Arm] | None, statistic: float, seed: int, progress: Progress
) -> float:
    """How often surveys drawn from a model speak as much against it; ``wider`` is the other.

    Without one, free shares in every arm.
    """
    generator = SeededStreams(seed).generator("compliance")
    drawn = []
    for arm in null.arms:
        chance = arm.matrix @ null.shares
        counts = generator.multinomial(round(arm.n), chance / chance.sum(), DRAWS)
        drawn.append(counts.astype(np.float64))
    progress(0.45)
    together = drawn_likelihoods(null.arms, drawn, null.shares)
    progress(0.6)
    if wider is None:
        parts = [saturated([Arm("", one, np.eye(len(one)))]) for counts in drawn for one in counts]
        apart = np.array(parts).reshape(len(drawn), DRAWS).sum(axis=0)
    else:
        start = np.zeros(wider[0].matrix.shape[1])
        start[: len(null.shares)] = null.shares
        apart = drawn_likelihoods(wider, drawn, start)
    as_large = np.count_nonzero(2 * (apart - together) >= statistic - DRAWN_ROUNDING)
    return float((1 + as_large) / (1 + DRAWS))
