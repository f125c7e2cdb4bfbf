"""What the answers of a study are, so that nobody takes drawn answers for true ones.

A person says it, nobody guesses it: a table of numbers looks the same before and after a device.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.table import Column, Table, list_attributes
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.message import Message

if TYPE_CHECKING:
    from ppworkbench.core.design import Design, DesignedAttribute
    from ppworkbench.study.study import Study

RESPONSES = "responses"
"""Among the results of a study: which responses it has. Unlike others it can be undone."""


SOURCES = "sources"
"""Among them: the kinds of places that the answers came from."""
KEPT = "kept"
"""Among them: columns that came with the answers and that nobody was asked."""
DIRECT = "direct"
"""A source: true answers, which were randomised when they were released."""


def sources_of(study: Study) -> tuple[str, ...]:
    """Where the answers of a study came from, as far as it knows."""
    return _noted(study, SOURCES)


def kept_columns(study: Study) -> tuple[str, ...]:
    """Columns that were taken over with the answers, such as a weight, and are no questions."""
    return tuple(name for name in _noted(study, KEPT) if name in study.design)


def _noted(study: Study, what: str) -> tuple[str, ...]:
    noted = study.results.get(RESPONSES)
    found = noted.get(what) if isinstance(noted, Mapping) else None
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()


class AnswerState(StrEnum):
    """Where the answers of a study come from.

    ``REPORTED`` answers were randomised before anybody stored them; ``INVENTED`` ones belong to a
    rehearsal and say nothing about people; ``TRUE`` ones were asked directly.
    """

    NONE = "none"
    INVENTED = "invented"
    REPORTED = "reported"
    TRUE = "true"


_WORDS = {
    AnswerState.NONE: Message("no answers yet"),
    AnswerState.INVENTED: Message("invented answers"),
    AnswerState.REPORTED: Message("reported answers"),
    AnswerState.TRUE: Message("true answers"),
}
_MEANINGS = {
    AnswerState.NONE: Message("Nobody has answered yet."),
    AnswerState.INVENTED: Message("Made up for a rehearsal from the expected answers."),
    AnswerState.REPORTED: Message("Randomised by a device or a page before they were stored."),
    AnswerState.TRUE: Message("Asked directly; the design randomises them."),
}
_NOT_RELEASED = "invented-answers"
_WORKED_OUT = frozenset({"survey", "mine", "classify", "compliance", "publish"})
"""What pages keep of answers; all else of the results belongs to the design."""


def state_words(state: AnswerState) -> Message:
    """What the answers are, in two or three words.

    >>> state_words(AnswerState.REPORTED)
    'reported answers'
    """
    return _WORDS[state]


def analysed_state(state: AnswerState, *, uses_original: bool) -> AnswerState:
    """What the answers were that a method looked at; invented ones are invented in every form.

    >>> str(analysed_state(AnswerState.TRUE, uses_original=False))
    'reported'
    """
    if state is AnswerState.INVENTED:
        return state
    return AnswerState.TRUE if uses_original else AnswerState.REPORTED


def state_meaning(state: AnswerState) -> Message:
    """What the words mean, as a sentence."""
    return _MEANINGS[state]


def collected_words(answers: int) -> Message:
    """What a study without answers has whose collection has some.

    >>> collected_words(140)
    '140 collected, not taken over'
    """
    return Message("{count:,} collected, not taken over", count=answers)


def collected_meaning() -> Message:
    """What these words mean, as a sentence."""
    return Message(
        "Collected answers lie in their database; “Take over the answers” on Collect brings them "
        "into the study."
    )


def invented_sentence(rows: int) -> Message:
    """What stands over everything that was made from invented answers.

    >>> invented_sentence(500)
    '500 invented respondents. Nothing here is about real people.'
    """
    if rows == 1:
        return Message("1 invented respondent. Nothing here is about real people.")
    return Message("{count:,} invented respondents. Nothing here is about real people.", count=rows)


def invented_note(study: Study) -> Message | None:
    """The sentence for pictures, tables and files made from a study; None if it is a real one."""
    return invented_sentence(study.rows) if study.state is AnswerState.INVENTED else None


def why_not_released(study: Study) -> Message | None:
    """Why a study's answers cannot be given away; None if they can."""
    if study.state is AnswerState.NONE:
        return Message("There are no answers to release yet.")
    if study.state is AnswerState.INVENTED:
        return Message("A table of invented answers cannot be released.", code=_NOT_RELEASED)
    return None


def refuse_invented(study: Study) -> None:
    """Refuse to release answers that were invented."""
    why = why_not_released(study)
    if why is not None and study.state is AnswerState.INVENTED:
        raise DataError(why)


def why_not_rehearsed(study: Study) -> Message | None:
    """Why invented respondents cannot walk through a study; None if they can."""
    if not study.design.attributes:
        return Message("There are no questions to rehearse yet.")
    if study.state in (AnswerState.REPORTED, AnswerState.TRUE):
        return Message(
            "The study holds {state}, which are never mixed with invented ones. Rehearse its "
            "design in a study of its own.",
            state=state_words(study.state),
        )
    return None


def why_no_next_wave(study: Study) -> Message | None:
    """Why there is no wave to plan after this one; None if there can be."""
    if not study.design.attributes:
        return Message("There are no questions to ask again yet.")
    if study.state in (AnswerState.NONE, AnswerState.INVENTED):
        return Message("Nobody has answered yet; this wave is still being planned.")
    return None


def without_invented(study: Study) -> Study:
    """The study without invented answers and what was found in them; real ones stay.

    Whoever adds real answers calls this first: the two are never mixed.
    """
    if study.state is not AnswerState.INVENTED:
        return study
    return study.with_(original=None, invented=False, results=without_findings(study.results))


def without_findings(results: Mapping[str, object]) -> Mapping[str, object]:
    """What pages keep, without what they found in the answers."""
    if not results.keys() & _WORKED_OUT:
        return results
    return MappingProxyType(
        {name: value for name, value in results.items() if name not in _WORKED_OUT}
    )


def with_state(study: Study, state: AnswerState) -> Study:
    """The study with its answers taken for reported ones instead of true ones, or the reverse.

    Raises
    ------
    DataError
        When the answers cannot be that, with the reason.
    """
    if state is study.state:
        return study
    if study.state is AnswerState.INVENTED:
        raise DataError("Invented answers never become real ones. Add responses instead.")
    if study.table is None:
        raise DataError("There are no answers yet. Add responses first.")
    if state not in (AnswerState.REPORTED, AnswerState.TRUE):
        raise DataError("Real answers are either reported or true.")
    if study.original is not None and study.distorted is not None:
        raise DataError("The study holds both true and reported answers already.")
    if state is AnswerState.REPORTED:
        table = _reported_table(study.table, study.design)
        return study.with_(original=None, distorted=table)
    return study.with_(original=_true_table(study.table, study.design), distorted=None)


def why_not_state(study: Study, state: AnswerState) -> Message | None:
    """Why the answers cannot be of a state; None if they can be or are."""
    try:
        with_state(study, state)
    except WorkbenchError as error:
        return Message.of(error.message)
    return None


def _reported_table(table: Table, design: Design) -> Table:
    """The columns of a table as the design publishes them."""
    from ppworkbench.core.design.distort import published_attribute
    from ppworkbench.core.design.fit import check_columns, fit_column

    check_columns(table, design)
    others = [name for name in table.names if name not in design]
    if others:
        raise DataError.saying(
            "{listed} are not in the design, so nobody knows how they were reported; delete "
            "these columns first.",
            listed=list_attributes(others, quoted=True),
            attribute=others[0],
        )
    columns = []
    for one in design:
        column = table[one.name]
        if one.perturbation.reports_sets:
            raise DataError.saying(
                "Reports of {attribute!r} are sets of values, but the table has single answers.",
                attribute=one.name,
            )
        low, high = _support(design, one)
        _check_range(column, low, high)
        columns.append(Column(published_attribute(column.attribute, one), fit_column(column, one)))
    return table.with_(columns=tuple(columns), class_name=design.class_name)


def _true_table(table: Table, design: Design) -> Table:
    """The columns of a table as people would have answered a direct question."""
    from ppworkbench.core.design.fit import fit_collected

    columns = []
    for column in table:
        if column.name not in design:
            columns.append(column)
            continue
        one = design[column.name]
        if column.is_set:
            raise DataError.saying(
                "{attribute!r} holds sets of values, which are no true answers.",
                attribute=one.name,
            )
        if one.attribute.domain is not None:
            _check_range(column, *one.attribute.domain)
        attribute = _with_words(one.attribute, column.attribute)
        columns.append(Column(attribute, fit_collected(table, one)))
    return table.with_(columns=tuple(columns))


def _with_words(attribute: Attribute, told: Attribute) -> Attribute:
    return attribute.with_(
        label=told.label, title=told.title or attribute.title, unit=told.unit or attribute.unit
    )


def _support(design: Design, one: DesignedAttribute) -> tuple[float, float]:
    """Where a reported number can lie under any of the devices of an attribute."""
    if not one.attribute.kind.is_numeric:
        return -np.inf, np.inf
    arms = () if design.arms is None else design.arms.members
    devices = [arm.device(one.name, one.perturbation) for arm in arms] or [one.perturbation]
    ends = [device.support(one.attribute) for device in devices if device is not None]
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    # A published number is rounded to a grid, which may lead a little beyond.
    slack = 1e-3 * (high - low)
    return low - slack, high + slack


def _check_range(column: Column, low: float, high: float) -> None:
    """Refuse numbers that cannot be such answers."""
    if not column.attribute.kind.is_numeric:
        return
    present = column.data[~column.missing]
    outside = int(np.count_nonzero((present < low) | (present > high)))
    if outside:
        raise DataError.saying(
            "{attribute!r} has {count:,} number(s) outside of {low:.6g} to {high:.6g}, which "
            "cannot be such answers.",
            attribute=column.name,
            count=outside,
            low=low,
            high=high,
        )
