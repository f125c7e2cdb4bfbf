"""Whether the respondents of a survey followed the device of a question."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.compliance.band import (
    RANDOM,
    SAFE,
    band,
    is_silent,
    plain_share,
    possible_ranges,
    reaching,
)
from ppworkbench.core.compliance.classes import (
    NOT_MEASURED,
    Behaviour,
    Estimate,
    fit_classes,
    interval_factor,
)
from ppworkbench.core.compliance.models import (
    ANCHOR,
    CDM,
    ECWM,
    SLD,
    UNRELATED,
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
from ppworkbench.core.compliance.question import (
    ALWAYS,
    BAND,
    CLASSES,
    DIRECT,
    KNOWN,
    ComplianceQuestion,
)
from ppworkbench.core.compliance.reports import (
    attribute_with_values,
    choose_arms,
    count_cells,
    count_rows,
    read_arms,
    read_sample,
)
from ppworkbench.core.compliance.result import Compliance, is_direct
from ppworkbench.core.data.attribute import Attribute, sensitive_places
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.anchors import Anchor
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.agreement import LEVEL, ArmShares, disagreement
from ppworkbench.core.reconstruct.by_arm import BOUNDARY
from ppworkbench.core.reconstruct.pooled import (
    DRAWN_ROUNDING,
    DRAWS,
    FEWEST_EXPECTED,
    Arm,
    Shares,
    drawn_likelihoods,
    equality,
    fit_shares,
    is_at_bound,
    merge_arms,
    saturated,
    share_slope,
)
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.share_intervals import (
    edge_error,
    edge_fit,
    nearest_edge,
)
from ppworkbench.core.survey.answers import Answers, distorted_answers
from ppworkbench.core.survey.sampled import SurveySample

SIMULATED = "simulated-p"
"""The code of a remark: the p of some test comes from drawn surveys."""
_BAND_STEPS = 13
CUT_BAND = Message(
    "Corrected shares below 0 or above 100 % are impossible: so many cannot have failed to follow, "
    "or chance is at work. Their intervals are cut to what is possible.",
    code="cut-band",
)


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
    question = question.checked_in(design)
    others = count_rows(table, design, question)
    design, chosen = choose_arms(design, question)
    question = _with_anchor(question, design)
    attribute = attribute_with_values(design, question.attribute)
    design.refuse_sets((attribute.name,))
    answers = distorted_answers(table, design, design.needed(question.attributes))
    survey = read_sample(table, design, sampling, options, question.confidence)
    arms, thetas, rows, remarks = read_arms(answers, design, attribute, survey, chosen)
    sensitive = sensitive_places(attribute)
    safe = _safe(attribute, question.safe, sensitive)
    factor = interval_factor(arms, question.confidence)
    told = tuple(arm for arm in arms if not is_direct(arm))
    if not told:
        raise ParameterError.saying(
            "{attribute!r} is not randomised here, so there are no instructions to follow; choose "
            "a randomised question, or give the design of the answers.",
            attribute=attribute.name,
            field="attribute",
        )
    weights = np.zeros(attribute.k)
    weights[list(sensitive)] = 1.0
    uncorrected = _plain_estimate(told, weights, factor)
    values = tuple(attribute.values[place] for place in sensitive)
    remarks = (*remarks, *_outside_remarks(told, weights, uncorrected.estimate))
    found = Compliance(
        attribute, BAND, arms, values, uncorrected, remarks=remarks,
        confidence=question.confidence, rows=others | rows, safe=safe,
        sampling=None if survey is None else survey.frame.sampling,
    )  # fmt: skip
    if question.check is not None:
        found = _anchored(found, answers, question.check, design, sensitive, factor, survey)
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
    found = _with_direct(_with_disagreement(found, told), sensitive, factor)
    return _with_simulated(found, told, seed, progress)


def _with_anchor(question: ComplianceQuestion, design: Design) -> ComplianceQuestion:
    anchor = design.anchor_of(question.attribute)
    has_way = question.model or question.behaviours or question.share is not None
    if anchor is None or has_way or question.anchor:
        return question
    if design.perturbation(question.attribute).columns:
        # Arms show by themselves who follows.
        return question
    return dataclasses.replace(question, anchor=dataclasses.astuple(anchor))


def _safe(attribute: Attribute, given: str, sensitive: Sequence[int]) -> int:
    if given:
        if given not in attribute.values:
            raise _no_value(attribute, given, "safe")
        return attribute.values.index(given)
    return next((place for place in range(attribute.k) if place not in sensitive), 0)


def _no_value(attribute: Attribute, given: str, option: str) -> ParameterError:
    return ParameterError.saying(
        "{attribute!r} has no value {value!r}; it has {values}.",
        value=given,
        values=", ".join(attribute.values),
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
            raise ParameterError.saying(
                "A behaviour is 'safe', 'random' or 'always=VALUE', not {text!r}.",
                text=one,
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
    return plain_share(arms, np.flatnonzero(weights).tolist(), factor)


def _outside_remarks(arms: Sequence[Arm], weights: Numbers, share: float) -> tuple[str, ...]:
    if len(arms) > 1 or 0 <= share <= 1:
        return ()
    (arm,) = arms
    slope = np.asarray(np.linalg.solve(arm.matrix.T, weights), np.float64)
    raw = np.asarray(np.linalg.solve(arm.matrix, arm.counts / arm.n), np.float64)
    error = edge_error(slope, arm.matrix, nearest_edge(raw, weights, share), arm.n)
    return edge_fit(share, error).remarks(below=share < 0)


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
    if len(arms) == 1 and question.behaviours:
        raise DataError.saying(
            "One arm cannot show how many do not follow ({behaviours}): leave the behaviour out "
            "for the band of possible shares, give their share from a validation study, or add an "
            "arm with another probability.",
            behaviours=tuple(question.behaviours),
            field="behaviour",
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
            Message(
                "A share lies at 0, the end of its range: intervals are of the likelihood, and the "
                "test of fit is rough."
            )
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
    attribute, other = found.attribute, attribute_with_values(design, anchor.column)
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
    counts, sampled, _ = count_cells(said * 2 + anchored_by, 4, answers, survey)
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
    possible, reach = possible_ranges(arms, safe), {}
    if question.reach is not None:
        reach = {
            behaviour: reaching(arms, behaviour, safe, sensitive, question.reach)
            for behaviour in possible
        }
    points = band(arms, safe, sensitive, shares, factor, possible)
    told = (CUT_BAND,) if any(one.estimate < 0 or one.estimate > 1 for one in points) else ()
    return dataclasses.replace(
        found, points=points, possible=possible, reach=reach, remarks=(*found.remarks, *told)
    )


def _with_direct(found: Compliance, sensitive: tuple[int, ...], factor: float) -> Compliance:
    """The direct arms against the share that the randomised ones give.

    That is the share by the model, and the one if all followed in any case: a model that ends at
    its bound would hide what the reports say by themselves.
    """
    direct = [arm for arm in found.arms if is_direct(arm)]
    others = [arm for arm in found.arms if not is_direct(arm)]
    if not direct or not others:
        return found
    k = found.attribute.k
    weights = np.zeros(k)
    weights[list(sensitive)] = 1.0
    asked = merge_arms(direct, np.eye(k))
    together = fit_shares([*others, asked])
    symmetric = all(np.abs(arm.matrix - arm.matrix[::-1, ::-1]).max() < 1e-9 for arm in others)
    plain = against_direct(
        found.uncorrected, _plain_slope(others, weights), others, asked, sensitive,
        equality([*others, asked], [others, [asked]]), float(weights @ together.shares),
        factor=factor, symmetric=symmetric,
    )  # fmt: skip
    if not found.has_sampling and is_at_bound([*others, asked], [others, [asked]]):
        found = dataclasses.replace(found, remarks=(*found.remarks, BOUNDARY))
    classes = found.classes
    if classes is None or classes.fitted.at_bound[k:].all():
        return dataclasses.replace(found, direct=plain)
    # By the lie detector those who do not follow have the trait, by the others they do not.
    reading = "high" if found.model == SLD else "low"
    harmless = next((one for one in range(k) if one not in sensitive), 0)
    told = sensitive[0] if reading == "high" else harmless
    column = np.eye(k)[told][:, None]
    matrix = np.hstack([np.eye(k), np.repeat(column, len(classes.extra), axis=1)])
    together = fit_shares([*classes.fitted.arms, asked.with_matrix(matrix)])
    apart = classes.fitted.log_likelihood + fit_shares([asked]).log_likelihood
    by_model = against_direct(
        classes.readings[reading], (weights @ matrix) @ classes.fitted.slope, others, asked,
        sensitive, ratio_test(2 * (apart - together.log_likelihood), k - 1),
        float(weights @ (matrix @ together.shares)), factor=factor, symmetric=False,
    )  # fmt: skip
    return dataclasses.replace(found, direct=by_model, direct_if_all_followed=plain)


def _with_disagreement(found: Compliance, arms: Sequence[Arm]) -> Compliance:
    """The same with a remark where no model says that the randomised arms do not agree."""
    if len(arms) < 2 or found.model not in (BAND, DIRECT):
        return found
    test = equality(arms) if not found.has_sampling else fit_shares(arms).fit
    if test is None or not test.p < LEVEL:
        return found
    own = ArmShares(ArmShares.of({arm.name: [arm] for arm in arms}).own)
    said = disagreement(test.p, own, found.attribute.values)
    return dataclasses.replace(found, remarks=(*found.remarks, said))


def _plain_slope(arms: Sequence[Arm], weights: Numbers) -> Numbers:
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
    if found.has_sampling:
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
