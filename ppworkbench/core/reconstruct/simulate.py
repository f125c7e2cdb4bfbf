"""Many simulated surveys at once: on counts, never on records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppworkbench.core.arrays import Numbers, project
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.reconstruct.algorithms.accelerated import maximise
from ppworkbench.core.reconstruct.assign import apportion
from ppworkbench.core.reconstruct.channel import solve
from ppworkbench.core.reconstruct.estimator import iterate_many
from ppworkbench.core.reconstruct.reconstruction import information_loss
from ppworkbench.core.reconstruct.stopping import StopRule, stop_rule
from ppworkbench.core.rng import SeededStreams

ALGORITHMS = ("default", "eq", "em")

_TOLERANCE = 1e-7
"""Far below what differs from one simulated survey to the next."""


@dataclass(frozen=True, eq=False)
class Simulation:
    """Estimates from simulated surveys, one row each.

    Parameters
    ----------
    shares
        Proportions of distorted answers.
    raw
        The unbiased solutions; None where the channel is not square.
    estimates
        The reconstructed distributions.
    losses
        The information loss of each survey.
    """

    prior: Numbers
    n: int
    shares: Numbers
    raw: Numbers | None
    estimates: Numbers
    losses: Numbers

    @property
    def mean_loss(self) -> float:
        return float(self.losses.mean())

    @property
    def mean(self) -> Numbers:
        return np.asarray(self.estimates.mean(axis=0))


def simulate(  # noqa: PLR0913 (keywords with defaults)
    matrix: Numbers,
    prior: Numbers,
    n: int,
    runs: int = 200,
    *,
    algorithm: str = "default",
    stop: StopRule | str | int = "converged",
    same_respondents: bool = False,
    seed: int = 0,
) -> Simulation:
    """Simulate surveys of n respondents and reconstruct every one.

    Parameters
    ----------
    matrix
        The channel: a P-matrix, or that of a grid.
    prior
        The distribution of the original answers.
    algorithm
        ``eq``, ``em`` (with a stop) or ``default``: EQ, and where it has negative entries the
        maximum-likelihood estimate.
    stop
        ``published``, ``converged``, a rule or a number of iterations, for ``em``.
    same_respondents
        Ask the same n respondents in every survey, so that only the draw of the distortion
        differs; else every survey also draws its respondents from the prior.

    Examples
    --------
    >>> from ppworkbench.core.design import Uniform
    >>> runs = simulate(Uniform(keep=0.8).matrix(3), np.array([0.5, 0.3, 0.2]), n=1000, seed=1)
    >>> bool(0.01 < runs.mean_loss < 0.03)
    True
    """
    if algorithm not in ALGORITHMS:
        raise ParameterError.saying(
            "Simulations know the algorithms {algorithms}, not {algorithm!r}.",
            algorithms=", ".join(ALGORITHMS),
            algorithm=algorithm,
            field="algorithm",
        )
    if n < 1 or runs < 1:
        raise ParameterError("A simulation needs at least 1 respondent and 1 run.", field="n")
    prior = np.asarray(prior, np.float64) / np.sum(prior)
    generator = SeededStreams(seed).generator("simulated surveys")
    shares = _draw(matrix, prior, n, runs, same_respondents, generator) / n
    square = matrix.shape[0] == matrix.shape[1]
    raw = solve(matrix, shares) if square else None
    if algorithm == "eq":
        if raw is None:
            raise ParameterError(
                "EQ needs as many distorted bins as original ones; use EM.", field="algorithm"
            )
        estimates = project(raw)
    elif algorithm == "em":
        estimates = iterate_many(matrix, shares, _plain_rule(stop), n)
    else:
        estimates = _likeliest(matrix, shares, raw)
    return Simulation(prior, n, shares, raw, estimates, information_loss(prior, estimates))


def _plain_rule(stop: StopRule | str | int) -> StopRule:
    rule = stop_rule(stop)
    if rule is None or rule.name == "auto":
        raise ParameterError(
            "Simulations stop by the published rule, on convergence or after a number of "
            "iterations.",
            field="stop",
        )
    return rule


def _draw(
    matrix: Numbers,
    prior: Numbers,
    n: int,
    runs: int,
    same: bool,
    generator: np.random.Generator,
) -> Numbers:
    if not same:
        return _multinomial(n, matrix @ prior, runs, generator)
    whole = apportion(prior, n)
    counts = np.zeros((runs, len(matrix)))
    for value in np.flatnonzero(whole):
        counts += _multinomial(int(whole[value]), matrix[:, value], runs, generator)
    return counts


def _multinomial(n: int, weights: Numbers, runs: int, generator: np.random.Generator) -> Numbers:
    # Rounding may bring the sum a hair above 1, which numpy refuses.
    return generator.multinomial(n, weights / weights.sum(), size=runs).astype(np.float64)


def _likeliest(matrix: Numbers, shares: Numbers, raw: Numbers | None) -> Numbers:
    """The solution where it is a distribution, else the maximum-likelihood estimate."""
    if raw is None:
        return maximise(matrix, shares, _TOLERANCE).probability
    estimates = raw.copy()
    negative = np.flatnonzero(raw.min(axis=1) < 0)
    if len(negative):
        estimates[negative] = maximise(matrix, shares[negative], _TOLERANCE).probability
    return estimates
