"""What a design promises and what would be published."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.design import Design
from ppworkbench.core.privacy.assess import assess, assess_asked
from ppworkbench.core.privacy.belief import SensitiveBelief, meant_places
from ppworkbench.core.privacy.prior import Prior, sliced_edges
from ppworkbench.core.privacy.report import AttributeReport, QuestionnaireReport
from ppworkbench.core.privacy.sets import belief_in_report
from ppworkbench.core.privacy.utility.channel import estimated_shares
from ppworkbench.core.privacy.utility.noncompliance import (
    BEHAVIOURS,
    NonCompliance,
    ignoring_numbers,
    is_answer,
    sum_errors,
)
from ppworkbench.core.privacy.utility.planning import needed_respondents
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.results.picture import Shares
from ppworkbench.study.study import Study

# Reports


def report_of(study: Study, name: str) -> AttributeReport:
    """All readouts of an attribute by its usual device, alone or as a member of its group."""
    designed = replace(study.design[name], perturbation=study.design.usual_device(name))
    n, ignoring = study.settings.respondents, noncompliance_of(study)
    return assess_asked(study.design, designed, study.prior(name), n, ignoring)


def question_names(design: Design) -> tuple[str, ...]:
    """The attributes that are questions: no roles of the sampling, no column of the arms."""
    others = {*design.roles, *design.versions.columns}
    return tuple(name for name in design.names if name not in others)


def noncompliance_of(study: Study) -> NonCompliance | None:
    """How many are expected to ignore the device; None if nobody is.

    A safe answer that a question no longer has gives way to the usual one.
    """
    settings, design = study.settings, study.design
    if settings.noncompliance == 0 or settings.noncompliance_manner not in BEHAVIOURS:
        return None
    safe = tuple(
        (name, answer)
        for name, answer in settings.safe_answers
        if name in design and is_answer(design[name].attribute, answer)
    )
    return NonCompliance(
        settings.noncompliance,
        settings.noncompliance_manner,
        corrected=settings.noncompliance_corrected,
        own_safe=safe,
    )


def assess_study(study: Study, progress: Progress = silent) -> QuestionnaireReport:
    """Readouts of all attributes and of the whole, by the usual devices."""
    design = study.design.without_arms()
    priors, names = {}, design.names
    for place, name in enumerate(names):
        progress(0.3 * place / len(names), name)
        priors[name] = study.prior(name)
    settings, rest = study.settings, part(progress, 0.3, 1.0)
    ignoring = noncompliance_of(study)
    return assess(design, priors, settings.respondents, ignoring, rest)


# The six measures of the cards


Z95 = 1.959964
MORE_IS_BETTER = frozenset({"range"})


def measures_of(report: AttributeReport, target: float) -> dict[str, float]:
    """The numbers of one design; a measure that does not apply is left out.

    Parameters
    ----------
    target
        The half-width of every share's interval that the needed respondents bring about.
    """
    privacy, utility = report.privacy, report.utility
    values = {"attack": privacy["attack_success"].value}
    for key, name in (("belief", "belief"), ("range", "range_percent"),
                      ("epsilon", "epsilon")):  # fmt: skip
        if name in privacy:
            values[key] = privacy[name].value
    values["loss"] = utility.information_loss
    if math.isinf(utility.information_loss):
        values["interval"] = math.inf
    elif utility.mean_standard_error is not None:
        values["interval"] = Z95 * utility.mean_standard_error
    else:
        values["interval"] = 100 * float(utility.half_width[utility.worst])
    values["needed"] = needed_respondents(
        utility.variances, target, "half-width", bias=utility.bias
    )
    return values


def measure_keys(numeric: bool) -> tuple[str, ...]:
    second = "range" if numeric else "belief"
    return ("attack", second, "epsilon", "loss", "interval", "needed")


def direct_loss(report: AttributeReport) -> float:
    shares = report.utility.shares
    spread = np.sqrt(shares * (1 - shares) / report.utility.n)
    return float(0.5 * np.sqrt(2 / np.pi) * spread.sum())


def direct_half_width(report: AttributeReport, value: int) -> float:
    share = float(report.utility.shares[value])
    return Z95 * math.sqrt(share * (1 - share) / report.utility.n)


def direct_respondents(report: AttributeReport, target: float) -> float:
    shares = report.utility.shares
    return needed_respondents(shares * (1 - shares), target, "half-width")


@lru_cache(8)  # A frame of the window asks several times for the belief of one report.
def belief_of(report: AttributeReport) -> SensitiveBelief | None:
    """Belief in the sensitive answers; None for numbers, and where there is one answer only."""
    if report.attribute.kind.is_numeric or report.attribute.k < 2:
        return None
    return belief_in_report(
        report.perturbation, report.attribute, report.prior.probabilities, report.answering
    )


@dataclass(frozen=True)
class SensitivePrecision:
    """How exactly the share of the sensitive answers together will be known."""

    values: tuple[str, ...]
    share: float
    standard_error: float
    bias: float

    @property
    def half_width(self) -> float:
        return Z95 * self.standard_error

    @property
    def rmse(self) -> float:
        return math.hypot(self.standard_error, self.bias)


def sensitive_precision(report: AttributeReport) -> SensitivePrecision | None:
    """Precision of the share of the sensitive answers; None where there is no belief in them."""
    attribute, prior = report.attribute, report.prior.probabilities
    if attribute.kind.is_numeric or attribute.k < 2:
        return None
    places = meant_places(attribute, prior)
    channel, estimator = estimated_shares(attribute, report.perturbation, report.prior)
    variance, bias = sum_errors(attribute, channel, estimator, places, report.noncompliance)
    return SensitivePrecision(
        tuple(attribute.values[place] for place in places),
        float(prior[places].sum()),
        math.sqrt(variance / report.utility.n),
        bias,
    )


def simulated_loss(report: AttributeReport, progress: Progress = silent) -> float:
    """The mean loss of 200 simulated surveys on counts, which checks the closed form."""
    from ppworkbench.core.reconstruct.simulate import simulate

    assert report.matrix is not None  # noqa: S101 (the page asks for values only)
    progress(0.0)
    # EQ, clipped: a tenth of the time of the likeliest estimate, and nearly its loss.
    return simulate(
        report.matrix,
        report.prior.probabilities,
        report.utility.n,
        runs=200,
        algorithm="eq",
        seed=1,
    ).mean_loss


# What the survey will show

_CELLS = 160


def expected_shares(report: AttributeReport) -> tuple[Shares, ...]:
    """Original (or drawn) answers, what will be published, and what will be read back."""
    found = _of_values if report.attribute.kind.is_categorical else _of_numbers
    return tuple(found(report))


def _of_values(report: AttributeReport) -> Iterator[Shares]:
    prior, matrix = report.prior.probabilities, report.answering
    distorted = prior if matrix is None else matrix @ prior
    naming = report.perturbation.naming_for(report.attribute)
    if naming is not None:
        # The share of sets that name each value; more than one is named, so they add up to more.
        distorted = naming.named(prior)
    estimated = prior + report.utility.bias
    yield Shares("original", prior)
    yield Shares("distorted", distorted)
    half = report.utility.half_width
    # Where the matrix cannot be undone, nothing is known, least of all the truth.
    if np.isfinite(half).all():
        low, high = (np.clip(estimated + way * half, 0.0, 1.0) for way in (-1, 1))
        shown = np.clip(estimated, 0.0, 1.0)
        yield Shares("reconstructed", shown, low=low, high=high)


def _of_numbers(report: AttributeReport) -> Iterator[Shares]:
    prior, attribute, perturbation = report.prior, report.attribute, report.perturbation
    edges = prior.edges
    assert edges is not None  # noqa: S101 (numeric priors have edges)
    yield Shares("original", prior.probabilities, edges)
    if perturbation.is_identity:
        shares = _with_ignoring(report, prior.probabilities, edges, edges)
        yield Shares("distorted", shares, edges)
    elif attribute.width > 0:
        yield _published(report, edges)
    utility = report.utility
    if utility.edges is not None and np.isfinite(utility.half_width).all():
        shares = np.clip(utility.shares + utility.bias, 0.0, 1.0)
        low = np.clip(shares - utility.half_width, 0.0, 1.0)
        high = np.clip(shares + utility.half_width, 0.0, 1.0)
        yield Shares("reconstructed", shares, utility.edges, low, high)


def _published(report: AttributeReport, edges: Numbers) -> Shares:
    attribute, perturbation = report.attribute, report.perturbation
    z_edges = perturbation.numbers.interval_edges(attribute)
    if z_edges is None:
        low, high = perturbation.numbers.support(attribute)
        # Noise without an end would leave most of the picture empty.
        low = max(low, edges[0] - attribute.width)
        high = min(high, edges[-1] + attribute.width)
        if attribute.kind is Kind.INTEGER:
            step = max(1, int(np.ceil((high - low) / _CELLS)))
            z_edges = np.arange(np.floor(low), np.ceil(high) + step + 1, step) - 0.5
        else:
            z_edges = np.linspace(low, high, _CELLS + 1)
    channel = perturbation.numbers.channel(edges, z_edges, attribute)
    published = channel @ report.prior.probabilities
    return Shares("distorted", _with_ignoring(report, published, edges, z_edges), z_edges)


def _with_ignoring(
    report: AttributeReport, published: Numbers, edges: Numbers, z_edges: Numbers
) -> Numbers:
    """What is published when a share of people answers in a way of its own."""
    ignoring = report.noncompliance
    if ignoring is None:
        return published
    other = ignoring_numbers(report.attribute, edges, z_edges, ignoring)
    said = other @ report.prior.probabilities
    return np.asarray((1 - ignoring.share) * published + ignoring.share * said)


def redrawn(shares: Numbers, chosen: int, share: float) -> Numbers:
    """The distribution with one share set and the others in their old proportions.

    >>> redrawn(np.array([0.5, 0.3, 0.2]), 0, 0.75).round(3).tolist()
    [0.75, 0.15, 0.1]
    """
    share = min(max(share, 0.0), 1.0)
    if len(shares) == 1:
        return np.ones(1)
    result = shares.copy()
    rest = 1.0 - float(shares[chosen])
    others = np.arange(len(shares)) != chosen
    if rest > 1e-12:
        result[others] = shares[others] * (1 - share) / rest
    else:
        result[others] = (1 - share) / (len(shares) - 1)
    result[chosen] = share
    return result / float(result.sum())


def drawn_slices(prior: Prior, attribute: Attribute, slices: int) -> tuple[float, ...]:
    """The shares of a prior of numbers in so many equal parts of the domain."""
    assert prior.edges is not None  # noqa: S101 (numeric priors have edges)
    edges = sliced_edges(attribute, slices)
    cumulated = np.concatenate([[0.0], np.cumsum(prior.probabilities)])
    return tuple(np.diff(np.interp(edges, prior.edges, cumulated)).tolist())


# Other designs


def edited_column(column: Numbers, row: int, value: float, locked: set[int]) -> Numbers | None:
    """The column with one cell set and the unlocked others rescaled to sum 1.

    None when the locked cells leave no room.

    >>> edited_column(np.array([0.5, 0.3, 0.2]), 0, 0.7, set()).round(2).tolist()
    [0.7, 0.18, 0.12]
    """
    fixed = sorted(locked - {row})
    free = [i for i in range(len(column)) if i != row and i not in locked]
    result = column.copy()
    result[row] = value
    left = 1 - value - float(column[fixed].sum())
    if left < -1e-9 or (not free and left > 1e-9):
        return None
    if free:
        weight = float(column[free].sum())
        left = max(left, 0.0)
        result[free] = column[free] * left / weight if weight > 0 else left / len(free)
    return result / float(result.sum())
