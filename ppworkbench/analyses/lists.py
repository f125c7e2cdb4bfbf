"""Lists of a study: making one of a question, asking about it, and telling what was found."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

from ppworkbench.core.compliance.assess_list import (
    DIFFERENCE,
    ML,
    MODELS,
    NLS,
    ListInquiry,
    ListResult,
    assess_list,
    usual_method,
)
from ppworkbench.core.compliance.classes import Estimate
from ppworkbench.core.compliance.list_likelihood import CEILING
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import POPULATION, Sampling, SamplingOptions
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.design.starting import starting_perturbation
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.sampling.results import describe_roles
from ppworkbench.study.distorted_cache import Answers
from ppworkbench.study.study import Study

SHORT_ARM, LONG_ARM = "short", "long"
"""Names of the arms that are made with a list where there are none."""
Rows = list[list[str]]


# Making a list


def can_be_list(attribute: Attribute) -> bool:
    """Whether a question can be an item of a list: it has two answers."""
    return attribute.kind is Kind.BINARY and attribute.k == 2


def free_name(wanted: str, study: Study) -> str:
    """A name like this that no column has."""
    taken = {*study.design.names, *(one.name for one in study.attributes)}
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name


def list_arms(study: Study) -> Arms:
    """The arms that can hear a list: those of the design, else two halves to be made."""
    if study.design.has_arms:
        return study.design.versions
    column = free_name("version", study)
    return Arms(column, (DesignArm(SHORT_ARM, 0.5), DesignArm(LONG_ARM, 0.5)))


def proposed_list(study: Study, name: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """A column for the counts, and which arms hear the short and the long list at first."""
    names = list_arms(study).names
    half = max(len(names) // 2, 1)
    return free_name(f"{name}_count", study), names[:half], names[half:]


def with_list(study: Study, question: ListQuestion) -> Study:
    """The same study with a question asked by a list, in place of its list of before.

    Neither the question nor an item with a column of its own is published beside the count:
    together they would tell the answer. A design without arms gets two.

    Raises
    ------
    DesignError
        Where the list is none; its field says what.
    """
    design = study.design
    before = {one.name: one for one in design.lists}
    gone = {question.name, *question.items}
    if question.name in before and before[question.name].count != question.count:
        gone.add(before[question.name].count)
    gone |= {question.count} if question.name in before else set()
    arms = list_arms(study)
    kept = tuple(
        one
        for one in design
        if one.name not in gone or (one.name in design.roles or one.name == arms.column)
    )
    groups = study.without_groups_of(gone).design.groups
    others = tuple(one for one in design.lists if one.name != question.name)
    changed = Design(
        kept, None if design.class_name in gone else design.class_name, groups, design.sampling,
        arms.without(gone), (*others, question), design.anchors_among(kept),
    )  # fmt: skip
    return study.with_(design=design.budget_among(changed))


def without_list(study: Study, name: str) -> Study:
    """The same study with the question of a list asked by itself again."""
    design, question = study.design, study.design.list_of(name)
    attribute = question.attribute
    if study.original is not None and name in study.original:
        attribute = study.original[name].attribute
    asked = DesignedAttribute(attribute, starting_perturbation(attribute))
    kept = tuple(one for one in design if one.name != question.count)
    arms = design.versions.without({question.count})
    lists = tuple(one for one in design.lists if one.name != name)
    return study.with_(
        design=design.budget_among(
            Design(
                (*kept, asked),
                design.class_name,
                design.groups,
                design.sampling,
                arms,
                lists,
                design.anchors_among(kept),
            )
        )
    )


# Asking


def list_title(question: ListQuestion, study: Study) -> str:
    """What people call the question behind a list."""
    shown = study.shown(question.name)
    return question.attribute.title or shown if shown == question.name else shown


def first_inquiry(study: Study) -> ListInquiry | None:
    """What is asked first: the first list."""
    lists = study.design.lists
    return ListInquiry(lists[0].name) if lists else None


def predictors_for(study: Study) -> tuple[str, ...]:
    """The attributes that may go together with the item of a list: not randomised ones."""
    design = study.design
    drawn = set(design.drawn_columns)
    return tuple(
        name for name in design.names
        if name not in drawn and design.perturbation(name).is_identity
    )  # fmt: skip


def fitting_inquiry(inquiry: ListInquiry | None, study: Study) -> ListInquiry | None:
    """The same inquiry where the study still has its list; else the first that there is."""
    known = {one.name for one in study.design.lists}
    if inquiry is None or inquiry.attribute not in known:
        return first_inquiry(study)
    offered = predictors_for(study)
    kept = tuple(name for name in inquiry.predictors if name in offered)
    return inquiry if kept == inquiry.predictors else dataclasses.replace(inquiry, predictors=kept)


def with_method(inquiry: ListInquiry, method: str) -> ListInquiry:
    """The inquiry by another method, without what that method does not have."""
    is_ml = method == ML
    return dataclasses.replace(
        inquiry,
        method=method,
        ceiling=inquiry.ceiling and is_ml,
        floor=inquiry.floor and is_ml,
    )


def problem_of_list(inquiry: ListInquiry | None, design: Design) -> str:
    """Why a list cannot be asked about, as one sentence; empty if it can."""
    if inquiry is None:
        return Message("The design asks no question by a list; make one on Design.")
    try:
        design.list_of(inquiry.attribute)
    except WorkbenchError as error:
        return error.message
    return ""


def columns_of(inquiry: ListInquiry, design: Design) -> tuple[str, ...]:
    """The columns that tell of a list: its counts, those of a second one, and others by name."""
    second = (design.list_of(inquiry.second).count,) if inquiry.second else ()
    direct = (inquiry.direct,) if inquiry.direct else ()
    return (design.list_of(inquiry.attribute).count, *inquiry.predictors, *direct, *second)


def ask_list(
    inquiry: ListInquiry | None,
    answers: Answers,
    design: Design,
    *,
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
    progress: Progress = silent,
) -> ListResult:
    """What a list tells; under a sampling by the difference in means, which alone knows it."""
    assert inquiry is not None  # noqa: S101 (the question has no problem)
    is_population = options is None or options.target == POPULATION
    if sampling is not None and is_population:
        inquiry = with_method(inquiry, DIFFERENCE)
    return assess_list(
        answers.distorted, design, inquiry, sampling=sampling, sampling_options=options,
        progress=progress,
    )  # fmt: skip


def inquiry_to_json(inquiry: ListInquiry) -> dict[str, Any]:
    """An inquiry as a study keeps it; what was not asked for is left out."""
    usual = ListInquiry(inquiry.attribute)
    kept = {
        field.name: value
        for field in dataclasses.fields(inquiry)
        if (value := getattr(inquiry, field.name)) != getattr(usual, field.name)
    }
    listed = {"predictors": list(inquiry.predictors)} if inquiry.predictors else {}
    return {"attribute": inquiry.attribute, **kept, **listed}


def inquiry_from_json(given: Mapping[str, Any]) -> ListInquiry:
    """An inquiry that was kept; what cannot be one is a TypeError or a KeyError.

    Older programs kept the likelihood without a name; it stays where only it can answer.
    """
    predictors = given.get("predictors", ())
    if not isinstance(predictors, list | tuple):
        raise TypeError(str(predictors))
    ceiling, floor = bool(given.get("ceiling", False)), bool(given.get("floor", False))
    method = str(given.get("method", usual_method(leaving_out=ceiling or floor)))
    return ListInquiry(
        str(given["attribute"]), method, tuple(map(str, predictors)), ceiling, floor,
        str(given.get("second", "")), str(given.get("direct", "")),
    )  # fmt: skip


# Telling


_METHODS = {
    DIFFERENCE: Message(
        "The counts of both lists were regressed on the predictors (linear regression, standard "
        "errors robust to unequal variances); the difference of the coefficients is that of the "
        "sensitive item."
    ),
    ML: Message(
        "The model gives every number of harmless items a probability of its own, takes it as "
        "independent of the sensitive item, and was fitted by maximum likelihood (after Imai 2011)."
    ),
    NLS: Message(
        "The model was fitted by two-step nonlinear least squares, with sandwich standard errors "
        "of both steps (Imai 2011)."
    ),
}


def list_methods(found: ListResult, study: Study) -> tuple[str, ...]:
    """Sentences for a methods section: what was asked of whom, and how it was estimated."""
    question, inquiry = found.question, found.inquiry
    parts = [
        Message(
            "{attribute} was asked by a list experiment: {short:,} respondents counted "
            "{items} harmless items, {long:,} the same with the sensitive one.",
            attribute=question.name,
            short=found.people[0],
            long=found.people[1],
            items=question.size,
        ),
        Message.of(found.sentence),
    ]
    if found.model is not None:
        parts.append(_METHODS[inquiry.method])
        if math.isfinite(found.model.assumption_p):
            parts.append(
                Message(
                    "The test of this assumption gives p = {p:.3f}.", p=found.model.assumption_p
                )
            )
    if inquiry.predictors:
        parts.append(Message("Its predictors are {names}.", names=inquiry.predictors))
    parts.append(
        Message(
            "The test that the sensitive item does not change the answers to the others (Blair and "
            "Imai 2012) gives p = {p:.3f}.",
            p=found.design_effect_p,
        )
    )
    if study.sampling is not None and found.counts.covariance is not None:
        roles = Message.joined(describe_roles(study.sampling), ", ")
        parts.append(Message("The sampling was taken into account: {roles}.", roles=roles))
    return tuple(study.titled(one) for one in parts)


def end_name(name: str) -> str:
    """Who may leave the item out, in a few words."""
    if name == CEILING:
        return Message("Left out by carriers with all items")
    return Message("Left out by carriers with no item")


def list_rows(found: ListResult) -> Rows:
    """All numbers under their names, for other programs."""
    heads = ["part", "term", "estimate", "low", "high", "standard error", "p"]
    table = [heads, ["difference", "", *_numbers(found.difference), ""]]
    model = found.model
    if model is not None:
        table.append(
            [MODELS[found.inquiry.method], "", *_numbers(model.share), *_cells(model.assumption_p)]
        )
        for end, value in model.leaving_out.items():
            table.append(["left out", end, *_numbers(value), ""])
    for one in found.types:
        who = "with the item" if one.sensitive else "without the item"
        cells = _cells(one.share, math.nan, math.nan, one.standard_error, one.p)
        table.append([who, str(one.count), *cells])
    table.append(["design effect", "", "", "", "", "", *_cells(found.design_effect_p)])
    for count, belief in enumerate(found.belief):
        table.append(["belief after", str(count), *_cells(belief), "", "", "", ""])
    for half, counts in (("short list", found.counts.short), ("long list", found.counts.long)):
        for count, people in enumerate(counts.tolist()):
            table.append([half, str(count), *_cells(people), "", "", "", ""])
    if model is not None and found.inquiry.predictors:
        for term in model.coefficients:
            cells = _cells(term.estimate, math.nan, math.nan, term.standard_error)
            table.append([term.part, term.term, *cells, ""])
    return table


def _numbers(value: Estimate) -> list[str]:
    return _cells(value.estimate, value.low, value.high, value.standard_error)


def _cells(*numbers: float) -> list[str]:
    return [f"{number:.10g}" if math.isfinite(number) else "" for number in numbers]


_MODEL_NAMES = {
    DIFFERENCE: Message("Linear regression"),
    NLS: Message("Least squares"),
    ML: Message("Likelihood"),
}


def share_rows(found: ListResult) -> Sequence[tuple[str, Estimate]]:
    """The estimates of the share with their names, the one that leans on least first."""
    rows: list[tuple[str, Estimate]] = [(Message("Difference in means"), found.difference)]
    model = found.model
    if model is not None:
        rows.append((_MODEL_NAMES[found.inquiry.method], model.share))
    if found.direct is not None:
        rows.append((Message("With the direct question"), found.direct))
    if found.double is not None:
        rows.append((Message("Both lists"), found.double.share))
    return rows
