"""All that somebody should look at before a release, in the order in which it matters."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ppworkbench.core.data.table import Column, Table, list_attributes
from ppworkbench.core.design import Design
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.questionnaire import total_epsilon
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.release import (
    DESCRIBE,
    Point,
    Topic,
    in_order,
    undistorted,
    without_attributes,
)
from ppworkbench.study.state import why_not_released
from ppworkbench.study.study import Study

RELEASES = "releases"
"""Among the results of a study: how often its true answers were released."""
FEW = 5
"""People of a value; fewer can often be told by it."""
_FREE_TEXT = 0.5
"""Share of the answers that differ from each other; more is a text that people wrote."""
_LONGEST = 120
"""Letters of what somebody wrote, in a line of the list."""
_MANY_VALUES = 20
"""Values below which no column is taken for free text."""


def release_checklist(
    study: Study,
    points: Iterable[Point],
    as_answered: Iterable[str],
    released: Table | None = None,
    design: Design | None = None,
) -> tuple[Point, ...]:
    """What a release protects and what it does not, with what else is to be known of it.

    Parameters
    ----------
    points
        What the design, the groups or the sampling say.
    as_answered
        The attributes that are released as people answered them.
    released
        The table that a recipient has; the one of the study for what its owner looks at before.
    design
        The design that is released; None for a table that was made in another way.
    """
    table = study.table if released is None else released
    if why_not_released(study) is not None:
        table = None
    told = [_about_state(study), _about_people(study, table), *points]
    if released is None:
        # That is between the owner and the study.
        told += about_releases(study, design)
    if table is not None:
        told += _about_rare_values(table, as_answered)
    told += [_about_description(study), _about_files()]
    return in_order(told)


def releases_of(study: Study) -> int:
    """How often the true answers of a study were released, as far as it knows."""
    known = study.results.get(RELEASES)
    return known if isinstance(known, int) and known > 0 else 0


def about_releases(study: Study, design: Design | None) -> list[Point]:
    """What several releases of the same true answers tell together.

    A study remembers those of the window only: a command writes nothing into its file. So the one
    that adds to them is told of before it is made.
    """
    if study.state is not AnswerState.TRUE:
        return []
    before = releases_of(study)
    spent = 0.0 if design is None else _spent(design)
    total = Message("epsilon of what is randomised is {total:.2f} in total",
                    total=spent * (before + 1 if before else 2))  # fmt: skip
    if not spent or math.isinf(spent):
        total = Message("every release draws anew, and all can be compared")
    detail = Message("{sentence}; give the first one again", sentence=total)
    if before:
        said = Message("The true answers were released before")
        return [Point(False, said, detail, topic=Topic.BUDGET)]
    said = Message("Another release of the same true answers adds to this one")
    return [Point(None, said, detail, topic=Topic.BUDGET)]


def _spent(design: Design) -> float:
    """Epsilon of all that is randomised, in the arm that spends most."""
    bare = undistorted(design)
    if len(bare) == len(design.names):
        return 0.0
    drawn = without_attributes(design, bare)
    if not drawn.has_arms:
        return total_epsilon(drawn)
    return max(total_epsilon(drawn.of_arm(name)) for name in drawn.versions.names)


def first_open(points: Iterable[Point]) -> Point | None:
    return next((point for point in points if point.is_open), None)


def _about_state(study: Study) -> Point:
    if study.state is AnswerState.REPORTED:
        said = Message("The answers are reported ones")
        detail = Message("randomised before anybody stored them")
        return Point(True, said, detail, topic=Topic.STATE)
    if study.state is AnswerState.TRUE:
        said = Message("The answers of the study are true ones")
        return Point(True, said, Message("the release protects them"), topic=Topic.STATE)
    if study.state is AnswerState.INVENTED:
        said = Message("The answers are simulated")
        detail = Message("a table of simulated answers cannot be released")
        return Point(False, said, detail, topic=Topic.STATE)
    detail = Message("design, codebook and page can be exported")
    return Point(None, Message("There are no answers yet"), detail, topic=Topic.STATE)


def _about_people(study: Study, table: Table | None) -> Point:
    """Who was asked and how many; their true number cannot be hidden."""
    who = study.description.population.strip()
    if table is None:
        said = Message("Nobody was asked yet")
        return Point(None, said, _own_words(who), topic=Topic.PEOPLE)
    said = (
        Message("1 person answered")
        if table.rows == 1
        else Message("{rows:,} people answered", rows=table.rows)
    )
    detail = Message("the number of rows is the true number of respondents")
    if who:
        detail = Message("{who}; {sentence}", who=_own_words(who), sentence=detail)
    return Point(None, said, detail, topic=Topic.PEOPLE)


def _own_words(text: str) -> str:
    """What somebody wrote, without a full stop, as the end of a line."""
    words = " ".join(text.split()).rstrip(".")
    cut = words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1].rstrip()}…"
    return Message("{text}", text=cut) if text else ""


def _about_rare_values(table: Table, as_answered: Iterable[str]) -> list[Point]:
    open_columns = [table[name] for name in as_answered if name in table]
    if not open_columns:
        return []
    free = [column.name for column in open_columns if _is_free_text(column)]
    rare = [one.name for one in open_columns if one.name not in free and _has_rare_values(one)]
    points = []
    if free:
        listed = list_attributes(free, 4)
        said = (
            Message("{listed} looks like free text", listed=listed)
            if len(free) == 1
            else Message("{listed} look like free text", listed=listed)
        )
        detail = Message("words that people wrote can name them")
        points.append(Point(False, said, detail, topic=Topic.RARE))
    if rare:
        listed = list_attributes(rare, 4)
        said = (
            Message("{listed} has rare values", listed=listed)
            if len(rare) == 1
            else Message("{listed} have rare values", listed=listed)
        )
        detail = Message("fewer than {few} people gave one of them; merge or omit it", few=FEW)
        points.append(Point(False, said, detail, topic=Topic.RARE))
    if not points:
        said = Message("No rare values among unprotected answers")
        detail = Message("at least {few} people gave each", few=FEW)
        points.append(Point(True, said, detail, topic=Topic.RARE))
    return points


def _is_free_text(column: Column) -> bool:
    known = int((~column.missing).sum())
    if not column.is_categorical or column.is_set or column.attribute.k < _MANY_VALUES or not known:
        return False
    return int(np.count_nonzero(column.counts)) > _FREE_TEXT * known


def _has_rare_values(column: Column) -> bool:
    if not column.is_categorical or column.is_set:
        return False
    counts = np.asarray(column.counts)
    return bool(((counts > 0) & (counts < FEW)).any())


def _about_description(study: Study) -> Point:
    gaps = study.description.gaps()
    if not gaps:
        return Point(True, Message("The survey is described"), topic=Topic.METADATA)
    said = Message("Not described: {fields}", fields=tuple(map(Message, gaps)))
    detail = Message("archives require it")
    return Point(None, said, detail, DESCRIBE, Topic.METADATA)


def _about_files() -> Point:
    said = Message("README.txt lists all files with their digests")
    return Point(True, said, "SHA-256", topic=Topic.FILES)
