"""Whether the respondents of a survey followed the device of a question."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import ndtri

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.compliance.band import (
    BEHAVIOURS,
    RANDOM,
    SAFE,
    BandPoint,
    band,
    largest_share,
    reaching,
)
from ppworkbench.core.compliance.classes import (
    NOT_MEASURED,
    Behaviour,
    Classes,
    Estimate,
    fit_classes,
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
    parameters,
    ratio_test,
    unrelated_question,
)
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.perturbation import Cases
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.pooled import Arm, Test, equality, fit_shares
from ppworkbench.core.survey.answers import Answers, distorted_answers

CLASSES, KNOWN, BAND = "classes", "known", "band"
MODELS = (CDM, SLD, ECWM, UNRELATED, ANCHOR)
ALWAYS = "always="
_BAND_STEPS = 13
_FEW = 5


@dataclass(frozen=True)
class Anchor:
    """A second crosswise question whose true share is known."""

    column: str
    p: float
    share: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what tells nothing."""
        for field_name, value in (("anchor-p", self.p), ("anchor-share", self.share)):
            if not 0 <= value <= 1 or abs(value - 0.5) < 1e-9:
                raise ParameterError(
                    "The harmless share and the true share of an anchor lie between 0 and 1, and "
                    "are not one half.",
                    field=field_name,
                )


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
    share, share_error
        How many do not follow, as a validation study says.
    band
        From and to which share of people who do not follow the band is drawn.
    reach
        A value of the estimate of which the tipping point is asked.
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
        if not 0 <= self.share_error < math.inf:
            raise ParameterError("A standard error is not negative.", field="share-se")
        if self.share_error and self.share is None:
            raise ParameterError(
                "The standard error belongs to a share of people who do not follow; give that, "
                "too.",
                field="share-se",
            )
        ways = (self.anchor is not None, self.share is not None, self.model not in ("", ANCHOR))
        if sum(ways) > 1:
            raise ParameterError(
                "An anchor, a share from a validation study and a model are three ways to correct; "
                "choose one.",
                field="model",
            )
        if self.behaviours and (self.anchor is not None or self.model in (ECWM, UNRELATED)):
            raise ParameterError(
                "This model has its own classes of people; leave the behaviour out.",
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

    @property
    def fit(self) -> Test | None:
        """How well the model fits, where something is left to test."""
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
        told = [one for one in self.points if one.behaviour == SAFE and math.isfinite(one.estimate)]
        if not told:
            return Message("Nothing shows who follows the device.")
        ends = [told[0].estimate, told[-1].estimate]
        return Message(
            "If up to {share:.0f} % always gave the safe answer, the share of “{values}” lies "
            "between {low:.1f} % and {high:.1f} %.",
            share=100 * told[-1].share,
            values=values,
            low=100 * min(ends),
            high=100 * max(ends),
        )

    def to_json(self) -> dict[str, Any]:
        """The result for other programs."""
        classes = self.classes
        document: dict[str, Any] = {
            "attribute": self.attribute.name,
            "model": self.model,
            "sensitive": list(self.sensitive),
            "identified": classes is not None or self.named is not None,
            "arms": [{"name": arm.name, "n": arm.n, "counts": arm.counts.tolist()}
                     for arm in self.arms],
            "uncorrected": self.uncorrected.to_json(),
            "classes": [],
            "readings": {},
            "parameters": {name: one.to_json() for name, one in self.parameters.items()},
            "closed_form": None if self.closed_form is None else dict(self.closed_form),
            "boundary": self.is_on_boundary,
            "fit": _test_json(self.fit, "g2"),
            "honesty": None,
            "log_likelihood": None,
            "direct": _direct_json(self.direct),
            "band": [_finite(dataclasses.asdict(point)) for point in self.points],
            "largest_share": dict(self.largest),
            "reach": dict(self.reach),
            "warnings": list(self.remarks),
        }  # fmt: skip
        if classes is not None:
            document["classes"] = [
                {"name": str(name), "share": one.estimate} | _without(one.to_json(), "estimate")
                for name, one in zip(classes.names, classes.estimates, strict=True)
            ]
            document["readings"] = {name: one.to_json() for name, one in classes.readings.items()}
            document["log_likelihood"] = classes.fitted.log_likelihood
            honesty = classes.honesty
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
    return None if test is None else {name: test.statistic, "df": test.df, "p": test.p}


def _direct_json(direct: DirectDifference | None) -> dict[str, Any] | None:
    if direct is None:
        return None
    return {
        "share": direct.share.to_json(), "difference": direct.difference.to_json(),
        "denying": direct.denying.to_json(), "equality": _test_json(direct.equality, "lr"),
        "pooled": direct.pooled, "random": direct.random,
    }  # fmt: skip


def assess_compliance(table: Table, design: Design, question: ComplianceQuestion) -> Compliance:
    """Estimate who follows; where nothing identifies that, draw the band."""
    attribute = _attribute(design, question.attribute)
    extra = () if question.anchor is None else (question.anchor.column,)
    answers = distorted_answers(table, design, design.needed((attribute.name, *extra)))
    arms, thetas, remarks = _arms(answers, design, attribute)
    sensitive = _sensitive(attribute)
    safe = _safe(attribute, question.safe, sensitive)
    factor = float(ndtri(0.5 + question.confidence / 2))
    randomised = tuple(arm for arm in arms if not _is_direct(arm))
    told = randomised or arms
    plain = fit_shares(told)
    weights = np.zeros(attribute.k)
    weights[list(sensitive)] = 1.0
    uncorrected = _plain_estimate(told, plain.shares, plain.covariance, weights, factor)
    values = tuple(attribute.values[place] for place in sensitive)
    found = Compliance(
        attribute, BAND, arms, values, uncorrected, remarks=remarks, confidence=question.confidence
    )
    if question.anchor is not None:
        return _anchored(found, answers, question.anchor, design, sensitive, factor)
    if question.share is not None:
        found = _known(found, told, question, safe, sensitive, factor)
    elif question.model in (ECWM, UNRELATED) and attribute.k != 2:
        raise ParameterError(
            "This model is of two answers; merge values, or ask for classes.", field="model"
        )
    elif question.model == ECWM:
        named = extended_crosswise(list(told), sensitive[0], factor)
        found = dataclasses.replace(found, model=ECWM, named=named, parameters=named.parameters)
    elif question.model == UNRELATED:
        found = _unrelated(found, told, thetas, sensitive, factor)
    elif len(told) > 1 or question.model or question.behaviours:
        found = _by_classes(found, told, question, safe, sensitive)
    if question.reach is not None and len(told) > 1:
        found = dataclasses.replace(
            found,
            remarks=(
                *found.remarks,
                Message("Tipping points are of one arm; several arms estimate the share itself."),
            ),
        )
    return _with_direct(
        _with_band(found, told, question, safe, sensitive, factor), sensitive, factor
    )


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
    answers: Answers, design: Design, attribute: Attribute
) -> tuple[tuple[Arm, ...], tuple[float, ...], tuple[str, ...]]:
    """The reports by device, with the matrix if everybody follows; each device's coin, too."""
    perturbation = design.perturbation(attribute.name)
    known = {name: design[name].attribute for name in perturbation.columns}
    cases: Cases = perturbation.cases_of(answers.data, known, attribute.name)
    found, thetas, remarks = [], [], []
    for place, device in enumerate(cases.devices):
        rows = cases.codes == place
        if not rows.any():
            continue
        matrix, slope = device.matrix_parts(attribute.k)
        matrix = matrix if slope is None else matrix + slope
        counts = np.bincount(answers.data[attribute.name][rows], minlength=attribute.k)
        name = cases.names[place] if cases.names else str(place + 1)
        found.append(Arm(name, counts.astype(np.float64), matrix))
        coin = device.coin
        asks = coin is not None and coin.question == "unrelated"
        thetas.append(coin.theta if coin is not None and asks else math.nan)
        if (found[-1].n * (matrix @ np.full(attribute.k, 1 / attribute.k)) < _FEW).any():
            remarks.append(
                Message("Arm {name!r} has few answers, so its tests are rough.", name=name)
            )
    return tuple(found), tuple(thetas), (*answers.remarks, *remarks)


def _is_direct(arm: Arm) -> bool:
    return bool(np.abs(arm.matrix - np.eye(len(arm.matrix))).max() < 1e-12)


def _sensitive(attribute: Attribute) -> tuple[int, ...]:
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


def _plain_estimate(
    arms: Sequence[Arm], shares: Numbers, covariance: Numbers, weights: Numbers, factor: float
) -> Estimate:
    """The share if everybody follows; of one arm by inversion, which may leave 0 to 1."""
    if len(arms) == 1 and np.linalg.cond(arms[0].matrix) < 1e12:
        slope = np.linalg.solve(arms[0].matrix.T, weights)
        reported = arms[0].counts / arms[0].n
        estimate = float(slope @ reported)
        variance = (float(slope**2 @ reported) - estimate**2) / arms[0].n
    else:
        estimate, variance = float(weights @ shares), float(weights @ covariance @ weights)
        if len(shares) == 2 and (shares <= 0).any():
            # At the end of the range by the likelihood; a covariance there is 0.
            fitted = fit_shares(arms)
            return Classes(fitted, ("", ""), (), ()).estimates[int(np.argmax(weights))]
    error = math.sqrt(max(variance, 0.0))
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
    return dataclasses.replace(
        found, model=question.model or CLASSES, classes=classes, parameters=shown,
        closed_form=closed_form(classes), remarks=tuple(remarks),
    )  # fmt: skip


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
    named = unrelated_question(list(arms), (given[0], given[1]), sensitive[0], factor)
    return dataclasses.replace(
        found, model=UNRELATED, named=named, parameters=named.parameters,
        remarks=(*found.remarks, *named.remarks),
    )  # fmt: skip


def _anchored(
    found: Compliance, answers: Answers, anchor: Anchor, design: Design,
    sensitive: tuple[int, ...], factor: float,
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
    both = answers.data[attribute.name] * 2 + answers.data[anchor.column]
    table = np.bincount(both, minlength=4).reshape(2, 2).astype(np.float64)
    table = table[::-1] if sensitive[0] == 0 else table
    table = table[:, ::-1] if _sensitive(other)[0] == 0 else table
    # "Same" is reported where both statements are true or both are not.
    p = float(matrix[1, 1])
    named = anchored(table, p, anchor.p, anchor.share, factor)
    return dataclasses.replace(
        found, model=ANCHOR, named=named, parameters=named.parameters,
        remarks=(*found.remarks, *named.remarks),
    )  # fmt: skip


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
    one = known_share(
        arms[0], extra[0].column(found.attribute.k), question.share, question.share_error,
        sensitive, factor,
    )  # fmt: skip
    return dataclasses.replace(found, model=KNOWN, parameters={"pi": one})


def _with_band(
    found: Compliance, arms: Sequence[Arm], question: ComplianceQuestion, safe: int,
    sensitive: tuple[int, ...], factor: float,
) -> Compliance:  # fmt: skip
    if len(arms) != 1:
        return found
    arm = arms[0]
    shares = np.linspace(*question.band, _BAND_STEPS).tolist()
    reach = {}
    if question.reach is not None:
        reach = {
            behaviour: reaching(arm, behaviour, safe, sensitive, question.reach)
            for behaviour in BEHAVIOURS
        }
    return dataclasses.replace(
        found, points=band(arm, safe, sensitive, shares, factor),
        largest={behaviour: largest_share(arm, behaviour, safe) for behaviour in BEHAVIOURS},
        reach=reach,
    )  # fmt: skip


def _with_direct(found: Compliance, sensitive: tuple[int, ...], factor: float) -> Compliance:
    """The direct arms against the share that the randomised ones give."""
    direct = [arm for arm in found.arms if _is_direct(arm)]
    others = [arm for arm in found.arms if not _is_direct(arm)]
    if not direct or not others:
        return found
    k = found.attribute.k
    weights = np.zeros(k)
    weights[list(sensitive)] = 1.0
    asked = Arm("", np.sum([arm.counts for arm in direct], axis=0), np.eye(k))
    classes = found.classes
    if classes is None or classes.fitted.at_bound[k:].all():
        variance = found.uncorrected.standard_error**2
        together = fit_shares([*others, asked])
        test = equality([*others, asked], [others, [asked]])
        share = found.uncorrected.estimate
        symmetric = all(np.abs(arm.matrix - arm.matrix[::-1, ::-1]).max() < 1e-9 for arm in others)
        pooled = float(weights @ together.shares)
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
    difference = against_direct(
        share, variance, asked, sensitive, test, pooled, factor, symmetric=symmetric
    )
    return dataclasses.replace(found, direct=difference)
