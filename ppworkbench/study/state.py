"""What may be done with the answers of a study, so that nobody takes drawn ones for true ones."""

from __future__ import annotations

import numpy as np

from ppworkbench.core.data.table import Column, Table, list_attributes
from ppworkbench.core.design import Design, DesignedAttribute
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.study.answer_state import (
    SOURCES,
    AnswerState,
    invented_sentence,
    noted,
    state_words,
    without_findings,
)
from ppworkbench.study.study import Study, worded_as

_NOT_RELEASED = "invented-answers"


def sources_of(study: Study) -> tuple[str, ...]:
    """Where the answers of a study came from, as far as it knows."""
    return noted(study.results, SOURCES)


def invented_note(study: Study) -> Message | None:
    """The sentence for pictures, tables and files made from a study; None if it is a real one."""
    return invented_sentence(study.rows) if study.state is AnswerState.INVENTED else None


def parts_meaning(study: Study) -> Message:
    """What the sample is for and what is done with all rows, as a sentence."""
    parts = study.parts
    assert parts is not None  # noqa: S101 (asked of a sample only)
    if not study.has_reported_parts:
        return Message(
            "All pages show a sample of the folder {address}; exporting distorted data distorts "
            "all of its rows ({engine}).",
            address=parts.address,
            engine=parts.engine,
        )
    return Message(
        "Tables, privacy and design show a sample of the folder {address}; Survey, Explore and "
        "Mine estimate from all of its rows ({engine}).",
        address=parts.address,
        engine=parts.engine,
    )


def sample_note(study: Study) -> Message | None:
    """What is said of numbers that come from a sample; None where the table is all there is."""
    if study.parts is None:
        return None
    return Message(
        "All numbers here come from a sample of {count:,} of {rows:,} rows of the folder "
        "{address}.",
        count=study.rows,
        rows=study.parts.rows,
        address=study.parts.address,
    )


def why_not_released(study: Study) -> Message | None:
    """Why a study's answers cannot be given away; None if they can."""
    if study.state is AnswerState.NONE:
        return Message("There are no answers to release yet.")
    if study.state is AnswerState.INVENTED:
        return Message("A table of simulated answers cannot be released.", code=_NOT_RELEASED)
    return None


def why_not_bundled(study: Study) -> Message:
    if study.original is None:
        return Message(
            "A bundle holds a whole table, and this one is a sample. The parts hold reported "
            "answers already; give away their folder."
        )
    return Message(
        "A bundle holds a whole table, and this one is a sample of a folder of parts. Export "
        "distorted parts instead."
    )


def refuse_invented(study: Study) -> None:
    why = why_not_released(study)
    if why is not None and study.state is AnswerState.INVENTED:
        raise DataError(why)


def why_not_rehearsed(study: Study) -> Message | None:
    """Why invented respondents cannot walk through a study; None if they can."""
    if not study.design.attributes:
        return Message("There are no questions to simulate answers to yet.")
    if study.state in (AnswerState.REPORTED, AnswerState.TRUE):
        return Message(
            "The study holds {state}, which are never mixed with simulated ones. Simulate its "
            "design in another study.",
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


def with_state(study: Study, state: AnswerState) -> Study:
    """The study with its answers taken for reported ones instead of true ones, or the reverse."""
    if state is study.state:
        return study
    if study.state is AnswerState.INVENTED:
        raise DataError("Invented answers never become real ones. Add responses instead.")
    if study.table is None:
        raise DataError("There are no answers yet. Add responses first.")
    if state not in (AnswerState.REPORTED, AnswerState.TRUE):
        raise DataError("Answers from people are either randomised or true.")
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
    from ppworkbench.core.design.distort import published_attribute
    from ppworkbench.core.design.fit import check_columns, fit_column

    check_columns(table, design)
    others = [name for name in table.names if name not in design]
    if others:
        raise DataError.saying(
            "{listed} are not in the design, so they cannot be corrected. Delete these columns "
            "first.",
            listed=list_attributes(others, quoted=True),
            attribute=others[0],
        )
    columns = []
    for one in design:
        column = table[one.name]
        if one.why_not_single is not None:
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
        attribute = worded_as(one.attribute, column.attribute)
        columns.append(Column(attribute, fit_collected(table, one)))
    return table.with_(columns=tuple(columns))


def _support(design: Design, one: DesignedAttribute) -> tuple[float, float]:
    """Where a reported number can lie under any of the devices of an attribute."""
    if not one.attribute.kind.is_numeric:
        return -np.inf, np.inf
    devices = design.versions.devices(one.name, one.perturbation).values()
    ends = [device.numbers.support(one.attribute) for device in devices]
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    # A published number is rounded to a grid, which may lead a little beyond.
    slack = 1e-3 * (high - low)
    return low - slack, high + slack


def _check_range(column: Column, low: float, high: float) -> None:
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
