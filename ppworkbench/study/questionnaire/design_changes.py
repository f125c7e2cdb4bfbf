"""How a change of the questions is carried into design and data, and what it does to them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute, Kind, MissingPolicy
from ppworkbench.core.data.missing import more_codes
from ppworkbench.core.data.table import Column, Table, code_type, list_attributes
from ppworkbench.core.design import Design, DesignedAttribute, Perturbation
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.matrices import Custom
from ppworkbench.core.design.starting import EPSILON_EACH, starting_perturbation
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.questionnaire.document import Question, Questionnaire, refuse_twice
from ppworkbench.study.study import Study, described_design

# What an edit does to mechanisms


def consequences(before: Study, after: Study) -> tuple[Message, ...]:
    """What becomes of mechanisms and answers between two states, for people to read beforehand."""
    found: list[Message] = []
    if before.state is AnswerState.INVENTED and after.state is AnswerState.NONE:
        found.append(
            Message(
                "This removes the {count} simulated answers. Simulate again afterwards.",
                count=before.rows,
            )
        )
    old, new = before.design, after.design
    for designed in old:
        # A member of a group that is dissolved is told of below.
        if designed.name in new and old.group_of(designed.name) is None:
            found += _changed_mechanism(designed, new[designed.name])
    found += [
        Message(
            "{attributes} do not share one draw any more; each goes on as it was.",
            attributes=list_attributes(
                [name for name in group.attributes if name in new], quoted=True
            ),
        )
        for group in old.groups
        if group.attributes[0] not in {name for g in new.groups for name in g.attributes}
        and any(name in new for name in group.attributes)
    ]
    left = {name for name, _ in new.anchors}
    found += [
        Message("The check question of {attribute!r} is not used any more.", attribute=name)
        for name, _ in old.anchors
        if name not in left and name in new
    ]
    return tuple(found)


def _changed_mechanism(before: DesignedAttribute, after: DesignedAttribute) -> list[Message]:
    name, now = before.name, after.perturbation
    if before.attribute.kind is not after.attribute.kind and _is_start(before):
        return []
    if type(before.perturbation) is not type(now) and not _is_start(before):
        was = before.perturbation.summary()
        if before.attribute.k < after.attribute.k:
            return [
                Message(
                    "The {before} of {attribute!r} has no row for the new answer; it becomes: "
                    "{after}.",
                    before=was,
                    attribute=name,
                    after=now.summary(),
                )
            ]
        return [
            Message(
                "{attribute!r}: {before} no longer fits and is replaced by {after}.",
                before=was,
                attribute=name,
                after=now.summary(),
            )
        ]
    if before.device is not None and after.device is None:
        return [
            Message(
                "The device of {attribute!r} does not give its probabilities any more; choose "
                "another on Design.",
                attribute=name,
            )
        ]
    return []


def _is_start(designed: DesignedAttribute) -> bool:
    given = designed.attribute
    # Older studies began with an epsilon of 1 to the last digit.
    starts = (
        starting_perturbation(given, epsilon, single=single)
        for single in (False, True)
        for epsilon in (None, EPSILON_EACH)
    )
    return designed.device is None and designed.perturbation in starts


# Answers beside which questions are added


def is_answered(study: Study, name: str) -> bool:
    """Whether people have answered a question; of a folder of parts nobody knows."""
    if study.table is None or study.state is AnswerState.INVENTED:
        return False
    return study.has_parts or not (name in study.table and study.table[name].missing.all())


def with_answers(after: Study, before: Study) -> Study:
    """The study after an edit with the answers from before it, which lack what was not asked yet.

    Only questions that nobody had answered may have changed.
    """
    table = before.table
    assert table is not None  # noqa: S101 (it has answers)
    is_reported = before.original is None
    gone = {one.name for one in before.design if one.name not in after.design}
    asked = {name for name in before.design.names if not is_answered(before, name)}
    kept = [one for one in table if one.name not in gone | asked]
    names = {one.name for one in kept} | set(before.design.drawn_columns)
    refuse_twice((*after.design.names, *(names - set(before.design.names))))
    fresh = [
        _missing_column(one.distorted if is_reported else one.attribute, table.rows)
        for one in after.design
        if one.name not in names
    ]
    changed = table.with_(columns=(*kept, *fresh))
    return after.with_(**{"distorted" if is_reported else "original": changed})


def _missing_column(attribute: Attribute, rows: int) -> Column:
    if attribute.kind is Kind.SET:
        return Column(attribute, sets.all_missing(rows, attribute.k))
    if attribute.kind.is_categorical:
        return Column(attribute, np.full(rows, -1, code_type(attribute.k)))
    return Column(attribute, np.full(rows, np.nan))


# How a change is carried into design and data


def asked_of(study: Study) -> Questionnaire:
    assert study.questionnaire is not None  # noqa: S101 (every edit begins by giving it one)
    return study.questionnaire


def with_question(study: Study, asked: Questionnaire, changed: Question) -> Study:
    listed = tuple(changed if one.name == changed.name else one for one in asked.questions)
    return study.with_(questionnaire=dataclasses.replace(asked, questions=listed))


def typed_attributes(study: Study) -> tuple[Attribute, ...]:
    """All attributes of a study without data, with the policy that their design stands for."""
    return tuple(_as_typed(designed) for designed in study.design)


def _as_typed(designed: DesignedAttribute) -> Attribute:
    policy = MissingPolicy.VALUE if designed.missing_is_value else MissingPolicy.LEAVE
    return designed.attribute.with_(missing=policy)


def question_attribute(study: Study, name: str) -> Attribute:
    return _as_typed(study.design[name])


def asked_values(attribute: Attribute) -> tuple[str, ...]:
    if attribute.missing is not MissingPolicy.VALUE:
        return attribute.values
    return tuple(value for value in attribute.values if value != MISSING_VALUE)


def of_values(attribute: Attribute, values: tuple[str, ...]) -> Attribute:
    if attribute.missing is MissingPolicy.VALUE:
        values = (*values, MISSING_VALUE)
    return attribute.with_(values=values)


def retyped_question(study: Study, attribute: Attribute) -> Study:
    """The study with other answers to one question; what still fits stays."""
    before = study.design[attribute.name]
    listed = [attribute if a.name == attribute.name else a for a in typed_attributes(study)]
    after = study.with_attributes(listed)
    if not _is_start(before):
        return after
    # A mechanism that nobody chose keeps its epsilon rather than its probabilities.
    single = study.design.class_name is not None
    fresh = starting_perturbation(after.design[attribute.name].attribute, single=single)
    if after.design.group_of(attribute.name) is not None:
        return after
    return after.with_perturbations({attribute.name: fresh})


def ordered(study: Study, attributes: Mapping[str, Attribute], asked: Questionnaire) -> Study:
    order = [name for name in asked.names if name in attributes]
    rest = [name for name in attributes if name not in set(order)]
    listed = [attributes[name] for name in (*order, *rest)]
    # The questionnaire goes along in one step, as it follows the design at once.
    without = study.with_(questionnaire=None).with_attributes(listed)
    return without.with_(questionnaire=asked)


def with_weights(after: Study, before: Study, name: str, weights: tuple[float, ...]) -> Study:
    """The study after an edit, with what was expected before; nothing where it does not fit."""
    choice = before.choices.get(name)
    if choice is None or not weights or len(weights) != after.design[name].attribute.k:
        return after
    return after.with_choice(name, dataclasses.replace(choice, weights=weights))


def with_designed(design: Design, changed: DesignedAttribute) -> Design:
    listed = tuple(changed if one.name == changed.name else one for one in design)
    return dataclasses.replace(design, attributes=listed)


def described(study: Study, name: str, **words: str) -> Study:
    design = described_design(
        study.design, lambda one: one.with_(**words) if one.name == name else one
    )
    return _with_columns(study.with_(design=design), name, words)


def labelled(study: Study, name: str, label: str) -> Study:
    return _with_columns(study, name, {"label": label})


def _with_columns(study: Study, name: str, words: Mapping[str, str]) -> Study:
    tables = {}
    for which in ("original", "distorted"):
        table: Table | None = getattr(study, which)
        if table is not None and name in table:
            tables[which] = table.described(name, **words)
    return study.with_(**tables) if tables else study


def with_value(table: Table, name: str, value: str) -> Table:
    column = table[name]
    attribute = column.attribute
    if value in attribute.values:
        raise DataError.saying(
            "{attribute!r} has an answer {value!r} already.", attribute=name, value=value
        )
    kind = Kind.NOMINAL if attribute.kind is Kind.BINARY else attribute.kind
    codes = more_codes(attribute, value)
    changed = attribute.with_(values=(*attribute.values, value), codes=codes, kind=kind)
    data = column.data.astype(code_type(changed.k))
    return table.replace(column.with_(attribute=changed, data=data))


def without_value(table: Table, name: str, value: str) -> Table:
    column = table[name]
    attribute = column.attribute
    place = attribute.values.index(value)
    count = int(column.counts[place])
    if count:
        raise DataError.saying(
            "{count} people answered {value!r}; merge it with another answer on Answers instead.",
            count=count,
            value=value,
            attribute=name,
        )
    if attribute.k <= 2:
        raise DataError.saying("A question needs at least 2 answers.", attribute=name)
    left = tuple(one for one in attribute.values if one != value)
    codes = tuple(code for at, code in enumerate(attribute.codes) if at != place)
    moved = np.append(np.arange(attribute.k) - (np.arange(attribute.k) > place), -1)
    changed = attribute.with_(values=left, codes=codes)
    data = moved[column.data].astype(code_type(changed.k))
    return table.replace(column.with_(attribute=changed, data=data))


def reordered(design: Design, name: str, order: Sequence[int]) -> Design:
    """The design with the answers of one question in another order.

    An ordered scale is meant as it is listed; else every answer keeps its probabilities.
    """
    designed = design[name]
    before = designed.attribute
    now = before.with_(values=tuple(before.values[at] for at in order))

    def permuted(given: Perturbation) -> Perturbation:
        if before.kind is Kind.ORDINAL or given.is_identity:
            return given
        matrix = given.matrix_for(before)
        if matrix is None:
            return given
        moved = matrix[np.ix_(order, order)]
        return given if np.array_equal(matrix, moved) else Custom.of(moved)

    changed = dataclasses.replace(
        designed, attribute=now, perturbation=permuted(designed.perturbation)
    )
    groups = tuple(_reordered_group(group, name, order) for group in design.groups)
    listed = tuple(changed if one.name == name else one for one in design)
    arms = design.versions.with_devices(lambda own, one: permuted(one) if own == name else one)
    return dataclasses.replace(design, attributes=listed, groups=groups, arms=arms)


def _reordered_group(group: Group, name: str, order: Sequence[int]) -> Group:
    personal = tuple(
        (own, tuple(weights[at] for at in order) if own == name else weights)
        for own, weights in group.personal
    )
    return dataclasses.replace(group, personal=personal)
