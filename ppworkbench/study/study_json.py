"""The part of a study that is neither data nor design, as JSON values."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design
from ppworkbench.core.design.fit import check_columns, fit_column
from ppworkbench.core.errors import DataError, DesignError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.study.migrate import VERSION
from ppworkbench.study.settings import StudySettings
from ppworkbench.study.study import PRIOR_SOURCES, PriorChoice, Study

FORMAT = "ppworkbench-study"


def study_to_json(study: Study) -> dict[str, Any]:
    """Title, settings, expected distributions and the reader's notes."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": study.title,
        "settings": study.settings.to_json(),
        "questions": dict(study.questions),
        "expected": {
            name: {"source": choice.source, "weights": list(choice.weights)}
            for name, choice in study.choices.items()
        },
        "notes": [] if study.table is None else list(study.table.notes),
        "messages": _messages(study),
    }


def _messages(study: Study) -> list[Any]:
    """The notes and reasons that can be said in other languages; the files have their texts."""
    tables = [table for table in (study.original, study.distorted) if table is not None]
    said = [text for table in tables for text in table.notes]
    said += [column.attribute.reason for table in tables for column in table]
    found = {text: text for text in said if isinstance(text, Message) and (text.args or text.code)}
    return [message.to_json() for message in found.values()]


def _known_messages(given: Mapping[str, Any]) -> dict[str, Message]:
    listed = given.get("messages", [])
    try:
        found = [Message.from_json(one) for one in listed]
    except (TypeError, ValueError):
        return {}
    return {str(message): message for message in found}


def _with_messages(table: Table, notes: tuple[str, ...], known: Mapping[str, Message]) -> Table:
    columns = tuple(
        column.with_(attribute=column.attribute.with_(reason=known[column.attribute.reason]))
        if column.attribute.reason in known
        else column
        for column in table
    )
    return table.with_(columns=columns, notes=notes)


def study_from_json(given: Mapping[str, Any], design: Design, tables: Mapping[str, Table]) -> Study:
    """Put a study together; parts that do not fit each other are an error."""
    title, notes = given.get("title", ""), given.get("notes", [])
    questions, expected = _mapping(given, "questions"), _mapping(given, "expected")
    if not isinstance(title, str) or not isinstance(notes, list):
        raise _damaged()
    known = _known_messages(given)
    said = tuple(known.get(str(note), str(note)) for note in notes)
    original, distorted = (
        None if name not in tables else _with_messages(tables[name], said, known)
        for name in ("original", "distorted")
    )
    _check_fit(design, original, distorted)
    choices = {str(name): _choice(choice, str(name), design) for name, choice in expected.items()}
    return Study(
        title=title,
        original=original,
        distorted=distorted,
        design=design,
        settings=StudySettings.from_json(_mapping(given, "settings")),
        choices=MappingProxyType(choices),
        questions=MappingProxyType({str(k): str(v) for k, v in questions.items()}),
    )


def results_from_json(given: Any) -> Mapping[str, object]:
    """What pages keep, by their names; every page judges its own part when it reads it."""
    if not isinstance(given, Mapping):
        raise DataError("its part results.json is damaged.")
    return MappingProxyType({str(name): value for name, value in given.items()})


def _damaged() -> DataError:
    return DataError("its part study.json is damaged.")


def _mapping(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = given.get(name, {})
    if not isinstance(found, Mapping):
        raise _damaged()
    return found


def _choice(given: Any, name: str, design: Design) -> PriorChoice:
    if not isinstance(given, Mapping) or given.get("source") not in PRIOR_SOURCES:
        raise DataError("an expected distribution in study.json is damaged.")
    weights = given.get("weights", [])
    if not isinstance(weights, list) or not all(isinstance(w, int | float) for w in weights):
        raise DataError("an expected distribution in study.json is damaged.")
    choice = PriorChoice(given["source"], tuple(float(w) for w in weights))
    if weights and name in design:
        from ppworkbench.core.privacy.prior import Prior

        Prior.from_weights(design[name].attribute, choice.weights)
    return choice


def _check_fit(design: Design, original: Table | None, distorted: Table | None) -> None:
    """Refuse data that the design is not made for: every page would stumble over them."""
    try:
        if original is not None:
            check_columns(original, design)
            for designed in design:
                fit_column(original[designed.name], designed)
        if distorted is not None:
            check_columns(distorted, design)
            for designed in design:
                _check_published(distorted[designed.name], designed.distorted.values)
    except WorkbenchError as error:
        raise DataError(
            Message("its data and its design do not fit: {why}", why=error.message),
            attribute=error.attribute,
        ) from error


def _check_published(column: Column, values: tuple[str, ...]) -> None:
    if column.attribute.values != values:
        odd = itertools.chain(
            set(column.attribute.values) ^ set(values), [Message("another order")]
        )
        raise DesignError(
            Message(
                "Attribute {attribute!r} was published with other values ({value}).",
                attribute=column.name,
                value=next(odd),
            ),
            attribute=column.name,
        )
