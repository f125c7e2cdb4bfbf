"""A table and a formula made ready for fitting: rows merged, devices found, cells laid out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Numbers, weighted_counts
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.matrices.base import condition_number
from ppworkbench.core.design.noises.distribution import MANY_STEPS, AddedNoise
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.design.row_devices import refuse_noise_by_row
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.models.attention import Attention, attention_of
from ppworkbench.core.models.coding import (
    Coding,
    Scaling,
    collinear_columns,
    make_coding,
    value_place,
)
from ppworkbench.core.models.estimating import Problem
from ppworkbench.core.models.families import FAMILIES, OF_NUMBERS, OF_VALUES, families_for
from ppworkbench.core.models.family import Family
from ppworkbench.core.models.formula import CENTER, SCALE, Formula
from ppworkbench.core.models.hidden_cells import SeenPredictors, hidden_cells
from ppworkbench.core.models.likelihood import Likelihood
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.survey.answers import (
    Answers,
    Asked,
    PartedSource,
    distorted_answers,
    meeting,
    merged_answers,
)
from ppworkbench.core.survey.answers import taken_for_true as at_face_value
from ppworkbench.core.survey.conditions.condition import EVERYBODY, Condition
from ppworkbench.core.survey.conditions.regions import regions_of
from ppworkbench.core.survey.factors.devices import Devices, DevicesFactor, devices_of
from ppworkbench.core.survey.factors.factor import Factor, GroupFactor
from ppworkbench.core.survey.factors.grids import smooth_factor
from ppworkbench.core.survey.inquiry import coded, factors_of

MOST_CELLS = 4096
SMALL_COUNT = 20
"""Whole numbers from 0 to so many are taken for counts if nobody says otherwise."""
CHOSEN_MODEL, WEAK_DEVICE = "chosen-model", "weak-device"
"""Codes of remarks."""
WEAK = 20.0
"""Condition number from which on a device is said to be weak: so much larger do errors become."""
NUMBER_CELLS = 40
"""Cells of a number under noise among the predictors."""
_MERGED = 1 << 22
_AT_ONCE = 1 << 20
"""Rows that are merged between two reports of progress."""
FEW_REPORTS = 10


def offered_models(formula: Formula, attribute: Attribute) -> tuple[str, ...]:
    """The models that a formula can be fitted with, the proposed one first."""
    # One value against all others is an outcome of two.
    found = families_for(Kind.BINARY if formula.value else attribute.kind)
    if attribute.kind is not Kind.INTEGER or _is_small_count(attribute):
        return found
    return tuple(sorted(found, key=lambda name: FAMILIES[name].is_for_counts))


def _is_small_count(attribute: Attribute) -> bool:
    """Whether whole numbers begin with none and stay so small that steps between them matter."""
    low, high = attribute.domain or (0.0, math.inf)
    return low == 0 and high <= SMALL_COUNT


def _choice_words(attribute: Attribute, model: str) -> str:
    low, high = attribute.domain or (math.nan, math.nan)
    if FAMILIES[model].is_for_counts:
        return Message(
            "{attribute!r} is a whole number from {low:g} to {high:g}: it is fitted as a small "
            "count, by a Poisson model; choose a linear model for differences of the mean.",
            attribute=attribute.name,
            low=low,
            high=high,
            code=CHOSEN_MODEL,
        )
    return Message(
        "{attribute!r} is a whole number from {low:g} to {high:g}: it is fitted by a linear "
        "model; choose a Poisson model for a count.",
        attribute=attribute.name,
        low=low,
        high=high,
        code=CHOSEN_MODEL,
    )


def make_problem(  # noqa: PLR0913 (keywords with defaults)
    table: Table | PartedSource,
    design: Design,
    formula: Formula,
    model: str = "",
    condition: Condition = EVERYBODY,
    weights: Numbers | None = None,
    *,
    exact: bool = False,
    independent: bool = False,
    progress: Progress = silent,
) -> Problem:
    """Find devices, cells and columns; refuse what cannot be fitted, with the reason.

    Parameters
    ----------
    weights
        How much each record of the table counts; all alike if not given.
    exact
        Whether numbers under noise are needed to their last digit, not by the cell that they are
        in; every record is then a row of its own, and its reported numbers are among the data.
    independent
        Whether the true values of distorted predictors have nothing to do with the other ones.
    """
    attributes = _attributes(formula, design)
    design.refuse_sets(attributes)
    model, said = _model(formula, attributes[formula.outcome], model)
    progress(0.0, "fitting")
    attention = attention_of(design, formula)
    answers = _answers(table, design, formula, condition, attention)
    progress(0.0, "fitting")
    asked = [
        Asked(
            attributes[name],
            attention.device if attention and attention.attribute == name
            else design.perturbation(name),
            moment=not attributes[name].kind.is_categorical,
        )
        for name in formula.attributes
    ]  # fmt: skip
    for one in asked:
        refuse_noise_by_row(one.perturbation, one.attribute)
    distorted = tuple(one.name for one in asked if not one.perturbation.is_identity
                      or design.group_of(one.name) is not None)  # fmt: skip
    hidden_factors = _hidden_factors(asked[1:], design, answers, distorted)
    # Taken as they are, numbers under noise have no cells.
    is_plain = exact and all(factor.is_number for factor in hidden_factors)
    is_plain &= not any(map(_differs, asked[1:]))
    if not is_plain:
        _check_cells(hidden_factors, asked[1:])
    inquiry = coded(answers, hidden_factors, progress)
    answers = inquiry.answers
    by_row = tuple(
        DevicesFactor.of(replace(one, split=True, moment=False), answers, design)
        for one in asked[1:]
        if _differs(one)
    )
    factors: tuple[Factor, ...] = (*inquiry.factors, *by_row)
    reports = (*inquiry.codes, *(factor.codes(answers.data) for factor in by_row))
    progress(0.0, "fitting")
    outcome = _outcome(asked[0], answers, design, formula, model, distorted)
    names = [name for name in formula.predictors if is_plain or name not in distorted]
    keys = [outcome.key, *(_key(answers.data[name], attributes[name]) for name in names)]
    has_numbers = any(factor.is_number for factor in factors)
    for factor, codes in zip(factors, reports, strict=True):
        keys.append(None if exact and has_numbers else (codes, len(factor.channel)))
    checked = np.zeros(0, np.intp)
    if attention is not None:
        checked = np.asarray(answers.data[attention.anchor.column], np.intp)
        keys.append((checked, 2))
    counted = answers.counts if weights is None else weights[answers.rows]
    first, place, merged = _merge(keys, counted, progress)
    coding = make_coding(formula, attributes, _scalings(formula, answers, attributes, distorted))
    data = {name: answers.data[name][first] for name in names}
    hidden, cell_weights = None, None
    if factors and not is_plain:
        # How many people there are, whatever the unit of their weights.
        unit = float(merged.sum()) / answers.n
        seen = SeenPredictors(
            formula, attributes, {} if independent else data, merged / (unit or 1.0)
        )
        hidden, cell_weights = hidden_cells(seen, factors, [found[first] for found in reports])
        hidden = replace(hidden, ridge=hidden.ridge * unit)
    likelihood = Likelihood(
        coding, outcome.reported[first], merged, data, hidden, family=outcome.family,
        check=None if attention is None else attention.moves[checked[first]],
    )  # fmt: skip
    likelihood, dropped = _independent(likelihood)
    # Numbers in one cell are not the same number, which matters where they are taken at their word.
    each, counts = (slice(None), counted) if has_numbers else (first, merged)
    taken = {name: at_face_value(name, answers, design)[each] for name in formula.predictors}
    naive = Likelihood(
        likelihood.coding, outcome.naive[each], counts, taken, family=outcome.naive_family
    )
    noise = {
        name: found
        for name in formula.predictors
        if name in distorted
        and not attributes[name].kind.is_categorical
        and (found := _added(design.perturbation(name), attributes[name])) is not None
    }
    people = answers.counts if has_numbers else weighted_counts(place, answers.counts, len(merged))
    weak = [_weak_words(one, answers, design) for one in asked if one.name in distorted]
    remarks = (
        *said, *inquiry.remarks, *outcome.remarks, *filter(None, weak), *dropped,
        *(() if attention is None else (attention.remark(),)),
    )  # fmt: skip
    return Problem(
        formula, model, attributes, distorted, likelihood, naive, place, answers.rows,
        answers.total, outcome.weights, cell_weights, outcome.is_quasi, noise,
        tuple(dict.fromkeys(remarks)),
        _smallest(asked[1:], answers, first, place), _unknown(asked), times=answers.times,
        sizes=naive.coding.group_sizes(taken, people),
    )  # fmt: skip


def _attributes(formula: Formula, design: Design) -> dict[str, Attribute]:
    for name in formula.attributes:
        if name not in design:
            known = ", ".join(itertools.islice((one.attribute.name for one in design), 12))
            raise ParameterError.saying(
                "The design has no attribute {attribute!r}; it has {known}.",
                known=known,
                attribute=name,
                field="formula",
            )
    return {name: design[name].attribute for name in formula.attributes}


def _model(formula: Formula, outcome: Attribute, wanted: str) -> tuple[str, tuple[str, ...]]:
    """The model, and what is said about one that nobody chose."""
    possible = offered_models(formula, outcome)
    if formula.value:
        if not outcome.kind.is_categorical:
            raise ParameterError.saying(
                "{attribute!r} is a number; take '={value}' away, or explain a share of an "
                "attribute with values.",
                value=formula.value,
                attribute=outcome.name,
                field="formula",
            )
        value_place(outcome, formula.value)
    model = wanted or possible[0]
    if model not in possible:
        raise ParameterError.saying(
            "A {model} model does not suit {attribute!r}; possible: {possible}.",
            model=model,
            possible=", ".join(possible),
            attribute=outcome.name,
            field="model",
        )
    if FAMILIES[model].has_thresholds and not formula.intercept:
        raise ParameterError(
            "An ordinal model has thresholds, so the formula cannot leave out the intercept; "
            "take '0 +' away.",
            field="formula",
        )
    if wanted or outcome.kind is not Kind.INTEGER:
        return model, ()
    return model, (_choice_words(outcome, model),)


def _answers(
    table: Table | PartedSource, design: Design, formula: Formula, condition: Condition,
    attention: Attention | None,
) -> Answers:  # fmt: skip
    regions = regions_of(condition, design)
    for name in regions:
        if not design.perturbation(name).is_identity or design.group_of(name) is not None:
            raise ParameterError.saying(
                "{attribute!r} is randomised, so it cannot say who is in the regression; take "
                "it as a predictor instead.",
                attribute=name,
                field="condition",
            )
    check = () if attention is None else (attention.anchor.column,)
    names = dict.fromkeys((*formula.attributes, *regions, *check))
    if isinstance(table, Table):
        answers = distorted_answers(table, design, names)
    else:
        answers = merged_answers(table, design, names)
    if regions:
        lacking = answers.total - answers.n
        answers = answers.keep(meeting(answers.data, regions, len(answers.rows)))
        # Who is not asked about does not lack an answer.
        answers = replace(answers, total=answers.n + lacking)
        if not answers.n:
            raise DataError.saying(
                "Nobody meets {condition}; widen the condition.",
                condition=condition,
                field="condition",
            )
    return answers


def _hidden_factors(
    asked: Sequence[Asked], design: Design, answers: Answers, distorted: tuple[str, ...]
) -> tuple[Factor, ...]:
    """The devices of the distorted predictors; every value of each is a target of its own."""
    values = [
        replace(one, split=True, moment=False)
        for one in asked
        if one.name in distorted and one.attribute.kind.is_categorical and not _differs(one)
    ]
    numbers = [
        smooth_factor(one, answers.data[one.name], NUMBER_CELLS)
        for one in asked
        if one.name in distorted and not one.attribute.kind.is_categorical
    ]
    return (*factors_of(values, design, answers), *numbers)


def _check_cells(factors: Sequence[Factor], asked: Sequence[Asked]) -> None:
    cells = math.prod(one.attribute.k for one in asked if _differs(one))
    for factor in factors:
        cells *= factor.channel.shape[1]
    if cells > MOST_CELLS:
        raise ParameterError.saying(
            "The randomised predictors have {cells:,} combinations of values together; at "
            "most {most:,} can be fitted. Leave one out.",
            cells=cells,
            most=MOST_CELLS,
            field="formula",
        )


@dataclass(frozen=True, eq=False)
class _Outcome:
    family: Family
    naive_family: Family
    reported: NDArray[Any]
    naive: NDArray[Any]
    key: tuple[NDArray[Any], int] | None
    weights: Numbers | None
    is_quasi: bool
    remarks: tuple[str, ...] = ()


def _outcome(
    asked: Asked, answers: Answers, design: Design, formula: Formula, model: str,
    distorted: tuple[str, ...],
) -> _Outcome:  # fmt: skip
    attribute, name = asked.attribute, asked.name
    group = design.group_of(name)
    if group is not None and any(design.group_of(one) == group for one in formula.predictors):
        raise ParameterError.saying(
            "{attribute!r} and a predictor are randomised together, so their answers are wrong "
            "together; leave that predictor out.",
            attribute=name,
            field="formula",
        )
    if not attribute.kind.is_categorical:
        return _number_outcome(asked, answers, design, model, is_distorted=name in distorted)
    if group is None:
        devices = devices_of(asked, answers, design)
    else:
        together = GroupFactor((replace(asked, split=True),), group).channel
        devices = Devices(np.zeros(len(answers.rows), np.intp), together[None], None)
    seen = np.asarray(answers.data[name], np.intp)
    values = attribute.values
    if formula.value:
        place = value_place(attribute, formula.value)
        devices = _beside(devices, place, attribute)
        seen = (seen == place).astype(np.intp)
        values = ("", formula.value)
    kind = next(one for one in OF_VALUES if one.name == model)
    family = kind(devices.channel, values, devices.slope)
    reported = devices.reports(seen)
    remarks: tuple[str, ...] = ()
    counts = np.bincount(seen, answers.times, len(values))
    if counts[counts > 0].min() < FEW_REPORTS * max(len(formula.terms), 1):
        remarks += (
            Message(
                "Fewer than {few} reports of the rarest answer for each coefficient; intervals "
                "need larger numbers.",
                few=FEW_REPORTS,
            ),
        )
    return _Outcome(
        family, family.true(), reported, seen, (reported, len(family.channel)),
        None if devices.slopes is not None else devices.weights, is_quasi=False, remarks=remarks,
    )  # fmt: skip


def _differs(asked: Asked) -> bool:
    """Whether the device is another from row to row, or is not known whole."""
    return bool(asked.perturbation.columns or asked.perturbation.unknown)


def _smallest(
    asked: Sequence[Asked], answers: Answers, first: Codes | slice, place: Codes
) -> tuple[str, str, int] | None:
    # Merged rows report the same, so that all records need to be counted only once.
    held = answers.times if isinstance(first, slice) else np.bincount(place, answers.times)
    found = [
        (int(count), one.name, value)
        for one in asked
        if one.attribute.kind.is_categorical
        for value, count in zip(
            one.attribute.values,
            np.bincount(answers.data[one.name][first], held, one.attribute.k),
            strict=True,
        )
    ]
    if not found:
        return None
    count, name, value = min(found, key=lambda one: one[0])
    return name, value, count


def _unknown(asked: Sequence[Asked]) -> tuple[str, str]:
    unknown = [one.name for one in asked if one.perturbation.unknown]
    if len(unknown) > 1:
        raise ParameterError.saying(
            "The devices of {first!r} and {second!r} both have an unknown parameter; only one "
            "can be estimated at a time.",
            first=unknown[0],
            second=unknown[1],
            attribute=unknown[1],
            field="formula",
        )
    return next(
        ((one.name, one.perturbation.unknown) for one in asked if one.perturbation.unknown),
        ("", ""),
    )


def _weak_words(asked: Asked, answers: Answers, design: Design) -> str:
    """A remark where the best device of an attribute hardly tells its answers apart."""
    if not asked.attribute.kind.is_categorical or design.group_of(asked.name) is not None:
        return ""
    devices = devices_of(asked, answers, design)
    # As they are if everybody does as they are told.
    known = devices.channels if devices.slopes is None else devices.channels + devices.slopes
    condition = min(map(condition_number, known))
    if condition < WEAK:
        return ""
    return Message(
        "The device of {attribute!r} hardly tells its answers apart (condition number "
        "{condition:,.0f}): it makes the errors about so many times as large as those of a direct "
        "question, and a small mistake in its probabilities moves the coefficients far.",
        attribute=asked.name,
        condition=condition,
        code=WEAK_DEVICE,
    )


def _beside(devices: Devices, place: int, attribute: Attribute) -> Devices:
    """The devices of one value against all others, where it does not matter which they are."""
    others = np.delete(devices.channels[:, place], place, axis=1)
    if np.ptp(others, axis=1).max() > 1e-9:
        raise ParameterError.saying(
            "The device of {attribute!r} treats the other answers differently, so one value "
            "alone cannot be explained; explain the whole attribute.",
            attribute=attribute.name,
            field="formula",
        )
    miss, hit = others.mean(axis=1), devices.channels[:, place, place]
    channels = np.array([[1 - miss, 1 - hit], [miss, hit]]).transpose(2, 0, 1)
    if devices.slopes is None:
        return Devices(devices.codes, channels, None)
    miss = np.delete(devices.slopes[:, place], place, axis=1).mean(axis=1)
    hit = devices.slopes[:, place, place]
    slopes = np.array([[-miss, -hit], [miss, hit]]).transpose(2, 0, 1)
    return Devices(devices.codes, channels, slopes)


def _number_outcome(
    asked: Asked, answers: Answers, design: Design, model: str, *, is_distorted: bool
) -> _Outcome:
    family = next(one for one in OF_NUMBERS if one.name == model)()
    naive = at_face_value(asked.name, answers, design).astype(np.float64)
    reported, remarks = naive, ()
    if is_distorted:
        found = asked.perturbation.numbers.unbiased(answers.data[asked.name], asked.attribute)
        if found is None:
            raise ParameterError.saying(
                "The noise of {attribute!r} has no simple correction, so it cannot be "
                "explained by a regression; choose added noise for it.",
                attribute=asked.name,
                field="formula",
            )
        reported = np.asarray(found, np.float64)
    else:
        family.check_reports(reported, asked.name)
    key = None if is_distorted else _key(reported, asked.attribute)
    return _Outcome(family, family, reported, naive, key, None, is_distorted, remarks)


def _added(perturbation: Perturbation, attribute: Attribute) -> AddedNoise | None:
    """What is added to a number; noise on whole numbers is rounded and varies more."""
    plain = perturbation.numbers.added_noise(attribute)
    if plain is None or attribute.kind is not Kind.INTEGER:
        return plain
    stepped = perturbation.numbers.steps_of(attribute)
    return plain if stepped is None or stepped.reach > MANY_STEPS else stepped


def _key(data: NDArray[Any], attribute: Attribute) -> tuple[NDArray[Any], int] | None:
    """Codes by which rows are merged, and how many there may be; None where each is its own."""
    if attribute.kind.is_categorical:
        return data, attribute.k
    if attribute.kind is not Kind.INTEGER or not len(data):
        return None
    low = float(data.min())
    return (data - low).astype(np.intp), int(float(data.max()) - low) + 1


def _merge(
    keys: Sequence[tuple[NDArray[Any], int] | None], weights: Numbers, progress: Progress
) -> tuple[Codes | slice, Codes, Numbers]:
    """Rows with equal keys as one: the first of each, the merged row of all, and the weights.

    Where none are merged the rows are named by a slice, so that nobody copies them.
    """
    n = len(weights)
    room = 1
    for key in keys:
        room = _MERGED + 1 if key is None else min(room * key[1], _MERGED + 1)
    if room > _MERGED:
        return slice(None), np.arange(n, dtype=np.intp), weights
    place = np.empty(n, np.intp)
    counts = np.zeros(room)
    for start in range(0, n, _AT_ONCE):
        progress(0.0, "fitting")
        rows = slice(start, start + _AT_ONCE)
        combined = np.zeros(len(weights[rows]), np.intp)
        for codes, count in filter(None, keys):
            combined *= count
            combined += codes[rows]
        place[rows] = combined
        counts += np.bincount(combined, minlength=room)
    met = np.flatnonzero(counts)
    places = np.zeros(room, np.intp)
    places[met] = np.arange(len(met))
    first = np.empty(len(met), np.intp)
    merged = np.zeros(len(met))
    # Backwards, so that the first row of each stays.
    for start in reversed(range(0, n, _AT_ONCE)):
        progress(0.0, "fitting")
        rows = slice(start, start + _AT_ONCE)
        found = place[rows] = places[place[rows]]
        first[found[::-1]] = np.arange(start + len(found) - 1, start - 1, -1)
        merged += weighted_counts(found, weights[rows], len(met))
    return first, place, merged


def _scalings(
    formula: Formula, answers: Answers, attributes: Mapping[str, Attribute],
    distorted: tuple[str, ...],
) -> dict[str, Scaling]:  # fmt: skip
    found = {}
    for variable in (one for term in formula.terms for one in term.variables):
        if variable.function not in (CENTER, SCALE):
            continue
        if variable.name in distorted:
            raise ParameterError.saying(
                "{attribute!r} is randomised, so its true mean is not known and {term} has "
                "no meaning; take the attribute itself.",
                term=variable.label,
                attribute=variable.name,
                field="formula",
            )
        if not attributes[variable.name].kind.is_categorical:
            found[variable.name] = _scaling(answers.data[variable.name], answers.times)
    return found


def _scaling(data: Numbers, times: Numbers | None) -> Scaling:
    if times is None:
        return Scaling(float(data.mean()), float(data.std(ddof=1)))
    mean = float(np.average(data, weights=times))
    return Scaling(mean, math.sqrt(float(times @ (data - mean) ** 2) / (float(times.sum()) - 1)))


def _independent(likelihood: Likelihood) -> tuple[Likelihood, tuple[str, ...]]:
    matrix = likelihood.whole_matrix
    if matrix is None:
        matrix = likelihood.matrix(slice(0, min(likelihood.rows, 100_000)))
    weights = likelihood.weights[: len(matrix)]
    if matrix.ndim == 3:
        weights = np.repeat(weights, matrix.shape[1])
        matrix = matrix.reshape(-1, matrix.shape[2])
    dropped = collinear_columns(matrix, weights)
    if not dropped:
        return likelihood, ()
    labels = likelihood.coding.labels
    remarks = tuple(
        Message(
            "{term} follows from the columns before it, or nobody has it, and is left out.",
            term=str(labels[place]),
        )
        for place in dropped
    )
    coding: Coding = likelihood.coding.without(set(dropped))
    if not coding.size:
        raise DataError("Nothing is left that varies; choose other predictors.", field="formula")
    return replace(likelihood, coding=coding), remarks
