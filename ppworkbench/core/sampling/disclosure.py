"""What the columns that tell how people were drawn disclose about people and their answers.

Where the true answers are at hand, guesses are compared with them. Where only reported answers
are, guesses are made from the reports of *other* rows and judged by contributions that are
unbiased for the true answer, ``E[h_v(z_i)] = 1 if the true answer is v``; the share of right
guesses is then unbiased as well, because each row is randomised on its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.data.sampling_roles import LEAST_ROWS, Sampling
from ppworkbench.core.data.table import Table
from ppworkbench.core.privacy.attack import attack_success
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.sampling.release import group_means, read_numbers

_EPSILON = 1e-9
_MANY = 12
"""From so many columns on, one sum is sorted instead of each of them."""
_BLOCK = 100_000
"""Groups of rows and reports that are looked at together."""


@dataclass(frozen=True)
class RoleGuess:
    """How often the best guess of a true answer is right.

    Parameters
    ----------
    columns
        The role columns that tell most.
    from_roles, from_prior, from_device
        Shares of right guesses: from these columns alone, from the distribution of the answers
        alone, and from the reported answer.
    standard_error
        Of the first share where it is estimated from reported answers; 0 where the true answers
        are known.
    """

    attribute: str
    columns: tuple[str, ...]
    from_roles: float
    from_prior: float
    from_device: float
    rows: int
    standard_error: float = 0.0

    @property
    def is_estimated(self) -> bool:
        return self.standard_error > 0

    @property
    def tells(self) -> bool:
        """Whether the columns tell more than the distribution does, beyond chance."""
        p = self.from_prior
        error = self.standard_error or float(np.sqrt(max(p * (1 - p), 0.0) / max(self.rows, 1)))
        return self.from_roles > p + max(3 * error, 0.02)

    @property
    def is_open(self) -> bool:
        """Whether too few reports are there to see columns that give the answer away."""
        reach = self.from_prior + 3 * self.standard_error
        return self.is_estimated and not self.tells and reach > self.from_device

    @property
    def gives_away(self) -> bool:
        """Whether the columns tell at least as much as the report does."""
        return self.tells and self.from_roles >= self.from_device - _EPSILON


@dataclass(frozen=True)
class RoleDisclosure:
    """Rows whose role columns nobody shares, the smallest group that does, and guesses.

    Parameters
    ----------
    follow
        Attributes whose *reported* answers the columns tell: they were worked out from them, and
        what they tell about the true ones is what the report does.
    unjudged
        Attributes about which nothing can be said without the true answers.
    """

    rows: int
    unique: int
    smallest: int
    guesses: tuple[RoleGuess, ...] = ()
    follow: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Reports:
    """Numbers of reported answers, below 0 where one is missing, and the matrix behind them."""

    codes: Codes
    matrix: Numbers


def role_disclosure(
    table: Table,
    sampling: Sampling,
    truths: Mapping[str, Codes],
    guesses: Mapping[str, tuple[float, float]],
    reports: Mapping[str, Reports | None] | None = None,
) -> RoleDisclosure:
    """What the role columns of a table tell about people.

    Parameters
    ----------
    truths
        Numbers of the true answers row by row, below 0 where an answer is missing.
    guesses
        How often the prior's best guess is right, and that from the reported answer.
    reports
        Reported answers of attributes whose true answers are not known; None where their device
        has no matrix.

    Notes
    -----
    A guess from a group of rows is the most frequent answer of its *other* rows, so that a row
    that is alone tells nothing about itself.
    """
    # Persons are labels of nothing but themselves.
    roles = sampling.without([sampling.person] if sampling.person else ()) or Sampling()
    groupings = list(_groupings(table, roles))
    sizes = np.bincount(_combined(table, roles.columns))
    sizes = sizes[sizes > 0]
    found = []
    for name, codes in truths.items():
        from_prior, from_device = guesses[name]
        best, columns = from_prior, tuple[str, ...]()
        for group, of in groupings:
            right = best_guess(group, codes)
            if right > best:
                best, columns = right, of
        found.append(RoleGuess(name, columns, best, from_prior, from_device, table.rows))
    follow, unjudged = [], []
    for name, reported in (reports or {}).items():
        guess = None if reported is None else _judge(name, reported, groupings)
        if guess is None:
            unjudged.append(name)
        elif guess.from_roles > 1 + 3 * guess.standard_error:
            # More than all guesses are right: the columns go by the report, not by the answer.
            follow.append(name)
        else:
            found.append(guess)
    return RoleDisclosure(
        table.rows, int(np.count_nonzero(sizes == 1)), int(sizes.min(initial=table.rows)),
        tuple(found), tuple(follow), tuple(unjudged),
    )  # fmt: skip


def _judge(
    name: str, reported: Reports, groupings: Iterable[tuple[Codes, tuple[str, ...]]]
) -> RoleGuess | None:
    """The best guess of answers of which only reports are known; None where they tell nothing."""
    matrix, codes = reported.matrix, reported.codes
    n = int(np.count_nonzero(codes >= 0))
    if not n or np.linalg.matrix_rank(matrix) < matrix.shape[1]:
        return None
    weights = np.asarray(np.linalg.pinv(matrix).T, np.float64)
    shares = np.bincount(codes[codes >= 0], minlength=len(matrix)) / n
    prior = np.clip(shares @ weights, 0.0, None)
    prior = prior / prior.sum()
    expected = attack_success(Joint.of(matrix, prior))
    best, error, columns = expected.prior_guess, 0.0, tuple[str, ...]()
    for group, of in groupings:
        right, its_error = guess_by_reports(group, codes, weights, prior)
        error = error or its_error
        if right > best:
            best, error, columns = right, its_error, of
    # An error of 0 would say that the answers are known.
    error = max(error, _EPSILON)
    return RoleGuess(name, columns, best, expected.prior_guess, expected.success, n, error)


def guess_by_reports(
    groups: Codes, codes: Codes, weights: Numbers, prior: Numbers
) -> tuple[float, float]:
    """The share of right guesses from the reports of the others in a group, and its error.

    Parameters
    ----------
    weights
        ``weights[z, v]`` is unbiased for "the true answer is v" where z was reported.
    prior
        The shares of the true answers; they count as much as the device adds noise.

    >>> kept = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> guess_by_reports(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]), kept, np.full(2, 0.5))
    (1.0, 0.0)
    """
    known = codes >= 0
    reports = len(weights)
    pairs, counts = np.unique(
        groups[known].astype(np.int64) * reports + codes[known], return_counts=True
    )
    n = int(counts.sum())
    if not n:
        return 0.0, 0.0
    group, report = pairs // reports, pairs % reports
    frequency = np.bincount(report, counts, minlength=reports) / n
    noise = float(frequency @ (weights**2).sum(axis=1)) - 1
    believed = max(noise, _EPSILON) / max(1 - float(prior @ prior), _EPSILON) * prior
    first = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    total = squares = 0.0
    start = 0
    while start < len(pairs):
        # Whole groups: a block ends where a group does.
        after = int(np.searchsorted(first, start + _BLOCK))
        stop = int(first[after]) if after < len(first) else len(pairs)
        part = slice(start, stop)
        inner = first[(first >= start) & (first < stop)] - start
        each = weights[report[part]]
        sums = np.add.reduceat(counts[part, None] * each, inner, axis=0)
        sizes = np.diff(np.append(inner, stop - start))
        others = np.repeat(sums, sizes, axis=0) - each + believed
        right = each[np.arange(len(each)), others.argmax(axis=1)]
        total += float(counts[part] @ right)
        squares += float(counts[part] @ right**2)
        start = stop
    mean = total / n
    return mean, float(np.sqrt(max(squares / n - mean**2, 0.0) / n))


def best_guess(groups: Codes, codes: Codes) -> float:
    """The share of rows whose answer is the most frequent one of the others in their group.

    >>> best_guess(np.array([0, 0, 0, 1, 1, 1]), np.array([1, 1, 1, 0, 0, 0]))
    1.0
    """
    known = codes >= 0
    groups, codes = groups[known], codes[known]
    n = len(codes)
    if not n:
        return 0.0
    width = int(codes.max()) + 1
    share = np.bincount(codes, minlength=width) / n
    pairs, counts = np.unique(groups.astype(np.int64) * width + codes, return_counts=True)
    group, value = pairs // width, pairs % width
    # Ties are broken by how frequent an answer is among all.
    score = counts + 1e-6 * share[value]
    order = np.lexsort((-score, group))
    group, value, counts, score = group[order], value[order], counts[order], score[order]
    first = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    last = np.append(first[1:], len(group)) - 1
    second = np.where(last > first, score[np.minimum(first + 1, len(score) - 1)], 0.0)
    alone = (counts[first] == 1) & (last == first)
    right = (score[first] - 1 > second) & ~alone
    hits = float(counts[first][right].sum())
    hits += float(np.count_nonzero(alone & (value[first] == int(np.argmax(share)))))
    return hits / n


def _groupings(table: Table, sampling: Sampling) -> Iterator[tuple[Codes, tuple[str, ...]]]:
    weight = sampling.weight
    if weight is not None:
        # Weights that are all different are compared with their neighbours.
        near = group_means(read_numbers(table, weight), LEAST_ROWS)
        grouped = np.unique(near, return_inverse=True)[1]
        yield grouped, (weight,)
        if sampling.stratum:
            strata = _combined(table, sampling.stratum)
            yield _paired(grouped, strata), (weight, *sampling.stratum)
    named = [name for name in (sampling.cluster, sampling.population) if isinstance(name, str)]
    parts: list[tuple[str, ...]] = [sampling.stratum, *((name,) for name in named)]
    if sampling.replicates is not None:
        parts.append(sampling.replicates.columns)
    for part in parts:
        if part:
            yield _combined(table, part), part
    if len(sampling.columns) > 1:
        yield _combined(table, sampling.columns), sampling.columns


def _combined(table: Table, names: Iterable[str]) -> Codes:
    names = tuple(names)
    codes: Codes = np.zeros(table.rows, np.intp)
    if len(names) > _MANY:
        # Rows that differ in one of many columns differ in a sum with odd factors as well.
        factors = np.sqrt(np.arange(2, len(names) + 2))
        total = sum(f * table[n].data for f, n in zip(factors, names, strict=True))
        return np.asarray(np.unique(np.asarray(total), return_inverse=True)[1], np.intp)
    for name in names:
        own = np.unique(table[name].data, return_inverse=True)[1]
        codes = _paired(codes, own)
    return codes


def _paired(one: Collection[int] | Codes, other: Codes) -> Codes:
    first = np.asarray(one, np.int64)
    pairs = first * (int(other.max(initial=0)) + 1) + other
    return np.asarray(np.unique(pairs, return_inverse=True)[1], np.intp)
