"""Named models of compliance, with the parameters that the literature gives them.

References
----------
M. Moshagen, J. Musch and E. Erdfelder (2012), A stochastic lie detector, *Behavior Research
Methods* 44; D. W. Heck, A. Hoffmann and M. Moshagen (2018), Detecting nonadherence without loss in
efficiency: a simple extension of the crosswise model, *Behavior Research Methods* 50; Y. Atsusaka
and R. T. Stevenson (2023), A bias-corrected estimator for the crosswise model with inattentive
respondents, *Political Analysis* 31; B. G. Greenberg and others (1969), The unrelated question
randomized response model, *Journal of the American Statistical Association* 64.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.compliance.classes import Classes, Estimate, summed_share
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.by_arm import BOUNDARY
from ppworkbench.core.reconstruct.pooled import (
    Arm,
    SampledCounts,
    Shares,
    Test,
    count_covariance,
    fit_shares,
    is_at_bound,
    saturated,
    share_slope,
    wald_test,
)

CDM, SLD, ECWM, UNRELATED, ANCHOR = "cdm", "sld", "ecwm", "unrelated", "anchor"
_SAME = 1e-9


def parameters(classes: Classes, model: str) -> dict[str, Estimate]:
    q, covariance, factor = classes.fitted.shares, classes.fitted.covariance, classes.factor
    carrier, other, gone = classes.sensitive[0], 1 - classes.sensitive[0], 2

    def told(estimate: float, slope: Numbers) -> Estimate:
        return _estimate(estimate, float(slope @ covariance @ slope), factor)

    unit = np.eye(len(q))
    if model == CDM:
        places = {"pi": carrier, "beta": other, "gamma": gone}
        return {name: classes.estimates[place] for name, place in places.items()}
    pi = float(q[carrier] + q[gone])
    t = float(q[carrier]) / max(pi, 1e-300)
    slope = (unit[carrier] * (1 - t) - unit[gone] * t) / max(pi, 1e-300)
    found = {"pi": told(pi, unit[carrier] + unit[gone]), "t": told(t, slope)}
    if classes.fitted.is_on_boundary:
        found["pi"] = summed_share(classes.fitted, (carrier, gone), factor)

    def honest(matrix: Numbers, share: float) -> Numbers:
        told_by = share * matrix[:, carrier] + (1 - share) * matrix[:, gone]
        return np.column_stack([matrix[:, other], told_by])

    # A ratio near the end of its range is not normal at all.
    low, high = classes.possible(honest, t)
    error = math.nan if classes.fitted.at_bound.any() else found["t"].standard_error
    found["t"] = Estimate(t, error, low, high)
    return found


def closed_form(classes: Classes) -> dict[str, float] | None:
    """Shares by solving the equations alone; None where there are not as many as classes."""
    arms = classes.fitted.arms
    rows = [np.ones(len(classes.fitted.shares))]
    right = [1.0]
    for arm in arms:
        for row, count in zip(arm.matrix[1:], arm.counts[1:], strict=True):
            rows.append(row)
            right.append(float(count) / arm.n)
    if len(rows) != len(rows[0]):
        return None
    found = np.linalg.solve(np.array(rows), np.array(right))
    return dict(zip(map(str, classes.names), found.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class NamedFit:
    parameters: Mapping[str, Estimate]
    fit: Test | None
    boundary: bool
    remarks: tuple[str, ...] = ()
    log_likelihood: float | None = None
    closed_form: Mapping[str, float] | None = None


def extended_crosswise(arms: list[Arm], sensitive: int, factor: float) -> NamedFit:
    """One share from arms with mirrored harmless questions, and whether they agree.

    ``delta`` is the surplus of people who always pick "same" over those who always pick
    "different"; it is known of the first pair of arms that are each other's mirror.
    """
    pair = _mirrored(arms)
    symmetric = all(np.abs(arm.matrix - arm.matrix[::-1, ::-1]).max() < _SAME for arm in arms)
    if pair is None or not symmetric:
        raise DataError(
            "The extended crosswise model needs crosswise arms whose harmless shares are p and "
            "1 − p.",
            field="model",
        )
    fitted = fit_shares(arms)
    pi = summed_share(fitted, (sensitive,), factor)
    told = {"pi": dataclasses.replace(pi, low=max(pi.low, 0.0), high=min(pi.high, 1.0))}
    first, second = (arms[place] for place in pair)
    shares = [float(arm.counts[sensitive]) / arm.n for arm in (first, second)]
    spread = _share_spread((first, second), sensitive)
    told["delta"] = _estimate(sum(shares) - 1, float(spread.sum()), factor, bounded=False)
    at_bound = is_at_bound(arms, [[arm] for arm in arms])
    return NamedFit(
        told, fitted.fit, fitted.is_on_boundary, (BOUNDARY,) if at_bound else (),
        fitted.log_likelihood,
    )  # fmt: skip


def _share_spread(arms: Sequence[Arm], value: int) -> Numbers:
    counts = count_covariance(arms)
    if counts is None:
        return np.diag([float(arm.share_covariance[value, value]) for arm in arms])
    slope, first = np.zeros((len(arms), len(counts))), 0
    for place, arm in enumerate(arms):
        slope[place, first : first + len(arm.counts)] = share_slope(arm)[value]
        first += len(arm.counts)
    return np.asarray(slope @ counts @ slope.T)


def _mirrored(arms: list[Arm]) -> tuple[int, int] | None:
    for first, one in enumerate(arms):
        for second in range(first + 1, len(arms)):
            if np.abs(one.matrix - arms[second].matrix[::-1]).max() < _SAME:
                return first, second
    return None


def unrelated_question(
    arms: list[Arm], thetas: tuple[float, float], sensitive: int, factor: float
) -> NamedFit:
    """The sensitive share and the harmless one.

    Two arms ask the sensitive question with different probabilities ``thetas``; their answers are
    two. Where the equations leave 0 to 1, the shares are the most likely possible ones.
    """
    first, second = thetas
    if abs(first - second) < _SAME:
        raise DataError(
            "Both arms ask the sensitive question with the same probability, so its share cannot "
            "be told from the harmless one; an arm with another probability is missing.",
            field="arms",
        )
    shares = np.array([float(arm.counts[sensitive]) / arm.n for arm in arms])
    spread = _share_spread(arms, sensitive)
    apart = first - second
    slopes = {
        "pi": np.array([1 - second, -(1 - first)]) / apart,
        "u": np.array([-second, first]) / apart,
    }
    raw = {name: float(slope @ shares) for name, slope in slopes.items()}
    if all(0 <= value <= 1 for value in raw.values()):
        told = {
            name: _estimate(raw[name], float(slope @ spread @ slope), factor)
            for name, slope in slopes.items()
        }
        return NamedFit(told, None, False, (), saturated(arms), raw)
    # People by what they would say to both questions; only the two margins matter.
    unit = np.eye(2)[:, ::-1] if sensitive == 0 else np.eye(2)
    fitted = fit_shares([
        arm.with_matrix(np.column_stack([
            theta * unit[:, own] + (1 - theta) * unit[:, other]
            for own in (0, 1) for other in (0, 1)
        ]))
        for arm, theta in zip(arms, thetas, strict=True)
    ])  # fmt: skip
    told = {
        "pi": summed_share(fitted, (2, 3), factor), "u": summed_share(fitted, (1, 3), factor)
    }  # fmt: skip
    remarks = (outside_remark(tuple(raw), tuple(raw.values())),)
    return NamedFit(told, fitted.fit, True, remarks, fitted.log_likelihood, raw)


def outside_remark(names: Sequence[str], shares: Sequence[float]) -> Message:
    return Message(
        "The equations alone give {shares}, outside 0 to 1; shown are the most likely possible "
        "shares, on the boundary.",
        shares=Message.joined(
            [
                Message("{name}: {share:.4g}", name=name, share=share)
                for name, share in zip(names, shares, strict=True)
            ],
            "; ",
        ),
    )


def merge_answers(arms: Sequence[Arm], values: Sequence[int]) -> list[Arm]:
    """The same reports with two answers: none of some values, or one of them."""
    chosen = np.zeros(len(arms[0].counts))
    chosen[list(values)] = 1.0
    merge = np.vstack([1 - chosen, chosen])
    spread, merged = count_covariance(arms), []
    for place, arm in enumerate(arms):
        known = None
        if spread is not None and arm.sampled is not None:
            every = np.kron(np.eye(len(arms)), merge)
            degrees = arm.sampled.degrees
            known = SampledCounts(np.asarray(every @ spread @ every.T), degrees, (2 * place,))
        merged.append(Arm(arm.name, merge @ arm.counts, np.eye(2), known))
    return merged


def anchored(
    table: Numbers, p: float, anchor_p: float, anchor_share: float, factor: float,
    sampled: SampledCounts | None = None,
) -> NamedFit:  # fmt: skip
    """A crosswise share corrected by an anchor question whose true share is known.

    Parameters
    ----------
    table
        How many reported "different" and "same", to the question (rows) and the anchor (columns).
    p, anchor_p
        The shares of the harmless statements.
    """
    for name, value in (("p", p), ("anchor-p", anchor_p)):
        if abs(value - 0.5) < _SAME:
            raise ParameterError(
                "A harmless share of one half tells nothing about the answers; it must be another.",
                field=name,
            )
    n = float(table.sum())
    cells = table / n
    same, anchor = float(cells[1].sum()), float(cells[:, 1].sum())
    scale = (anchor_p - 0.5) * (2 * anchor_share - 1)
    attentive = (anchor - 0.5) / scale
    if attentive <= 0:
        raise DataError(
            "The anchor question is answered no better than by chance, so nothing can be "
            "corrected; check its harmless share and its true share.",
            field="anchor",
        )
    slope = 2 * p - 1
    pi = 0.5 + (same - 0.5) / (attentive * slope)
    # How many said "same" to the question, and how many to the anchor.
    summed = np.array([[0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]])
    spread = Arm("", table.ravel().astype(np.float64), np.eye(4), sampled).share_covariance
    covariance = summed @ spread @ summed.T
    by_both = np.array([1 / (attentive * slope), -(same - 0.5) / (attentive**2 * slope) / scale])
    naive = 0.5 + (same - 0.5) / slope
    told = {
        "pi": _estimate(pi, float(by_both @ covariance @ by_both), factor),
        "attentive": _estimate(attentive, float(covariance[1, 1]) / scale**2, factor),
        "uncorrected": _estimate(naive, float(covariance[0, 0]) / slope**2, factor),
    }
    outside = not (0 <= pi <= 1 and attentive <= 1)
    joint, fitted = _one_attention(table, p, anchor_p, anchor_share, sampled)
    told |= {f"joint_{name}": _estimate(value, math.nan, factor) for name, value in joint.items()}
    return NamedFit(told, fitted.fit, outside, log_likelihood=fitted.log_likelihood)


def _one_attention(
    table: Numbers,
    p: float,
    anchor_p: float,
    anchor_share: float,
    sampled: SampledCounts | None,
) -> tuple[dict[str, float], Shares]:
    """The whole table by one share of attentive people, who answer both questions by the device."""
    on_anchor = anchor_p * anchor_share + (1 - anchor_p) * (1 - anchor_share)
    anchor = np.array([1 - on_anchor, on_anchor])
    yes, no = np.array([1 - p, p]), np.array([p, 1 - p])
    matrix = np.column_stack([
        np.outer(no, anchor).ravel(), np.outer(yes, anchor).ravel(), np.full(4, 0.25),
    ])  # fmt: skip
    fitted = fit_shares([Arm("", table.ravel().astype(np.float64), matrix, sampled)])
    attentive = float(fitted.shares[:2].sum())
    share = float(fitted.shares[1]) / max(attentive, 1e-300)
    return {"pi": share, "attentive": attentive}, fitted


@dataclass(frozen=True)
class DirectDifference:
    """A randomised share against the direct one.

    ``denying`` is the share of carriers who deny when asked directly; ``random`` the share of
    random answers under the device that would explain the whole difference.
    """

    share: Estimate
    difference: Estimate
    denying: Estimate
    equality: Test
    pooled: float
    random: float | None


def against_direct(  # noqa: PLR0913 (one number each)
    told: Estimate, slope: Numbers, others: Sequence[Arm], direct: Arm, sensitive: Sequence[int],
    equality: Test, pooled: float, *, factor: float, symmetric: bool,
) -> DirectDifference:  # fmt: skip
    """What the difference between the two ways of asking says.

    Under a sampling both may be answers from the same clusters: one linearisation of both, by how
    the randomised share changes with the counts of its arms (``slope``), gives their covariance
    and takes the place of the test.
    """
    share, variance, covariance = told.estimate, told.standard_error**2, 0.0
    chosen = np.zeros(len(direct.counts))
    chosen[list(sensitive)] = 1.0
    plain = float(chosen @ direct.counts) / direct.n
    spread = float(chosen @ direct.share_covariance @ chosen)
    shared = count_covariance([*others, direct])
    if shared is not None and direct.sampled is not None:
        size, by_direct = len(slope), chosen @ share_slope(direct)
        covariance = float(slope @ shared[:size, size:] @ by_direct)
        both = np.concatenate([slope, -by_direct])
        apart = np.array([[float(both @ shared @ both)]])
        equality = wald_test(np.array([share - plain]), apart, 1, direct.sampled.degrees)
    denying = Estimate(math.nan, math.nan, math.nan, math.nan)
    if share > _SAME:
        by_both = (plain / share**2) ** 2 * variance + spread / share**2
        by_both -= 2 * plain / share**3 * covariance
        denying = _estimate(1 - plain / share, by_both, factor, bounded=False)
    random = None
    if symmetric and len(direct.counts) == 2 and abs(1 - 2 * plain) > _SAME:
        random = 1 - (1 - 2 * share) / (1 - 2 * plain)
    return DirectDifference(
        _estimate(plain, spread, factor),
        _estimate(share - plain, variance + spread - 2 * covariance, factor, bounded=False),
        denying,
        equality, pooled, random,
    )  # fmt: skip


def known_share(
    arm: Arm,
    behaviour: Numbers,
    share: float,
    error: float,
    sensitive: Sequence[int],
    factor: float,
) -> Estimate:
    """The corrected share when a validation study says how many do not follow.

    Its own error is added: ``P_c = (1 - c) P + c M``.
    """
    matrix = (1 - share) * arm.matrix + share * behaviour[:, None]
    if np.linalg.cond(matrix) > 1e12:
        raise DataError(
            "So many do not follow the device that the reports say nothing; take a smaller share.",
            field="share",
        )
    inverse = np.linalg.inv(matrix)
    reported = arm.counts / arm.n
    x = inverse @ reported
    spread = arm.share_covariance
    by_share = -inverse @ (behaviour[:, None] - arm.matrix) @ x
    chosen = list(sensitive)
    weights = inverse[chosen].sum(axis=0)
    variance = float(weights @ spread @ weights) + float(by_share[chosen].sum()) ** 2 * error**2
    return _estimate(float(x[chosen].sum()), variance, factor)


def ratio_test(statistic: float, df: int) -> Test:
    return Test(max(statistic, 0.0), df, float(chdtrc(df, max(statistic, 0.0))))


def _estimate(estimate: float, variance: float, factor: float, *, bounded: bool = True) -> Estimate:
    error = math.sqrt(variance) if variance >= 0 else math.nan
    low, high = estimate - factor * error, estimate + factor * error
    # An estimate outside the possible is shown as it is, with all of its interval.
    if bounded and 0 <= estimate <= 1:
        low, high = max(low, 0.0), min(high, 1.0)
    return Estimate(estimate, error, low, high)
