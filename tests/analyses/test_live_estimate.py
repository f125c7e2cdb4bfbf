"""The estimate that moves while answers arrive."""

from __future__ import annotations

import math
from types import MappingProxyType

import numpy as np
import pytest
from asked_studies import asked_study, reported_rows

from ppworkbench.analyses.collecting.live import (
    LivePoint,
    LiveTarget,
    Watch,
    live_estimate,
    live_point,
    live_targets,
    needs_rows,
    shown_days,
    table_of_counts,
)
from ppworkbench.analyses.survey.answers import answer_question
from ppworkbench.analyses.survey.questions import COUNT, Question
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.survey.conditions.condition import as_condition
from ppworkbench.fieldwork.collector.control import start_collection
from ppworkbench.study.distorted_cache import DistortedCache

YES = LiveTarget("ticket", ("yes",))


def table_of(rows):
    design = asked_study().design
    return Table(
        tuple(
            Column(
                one.attribute,
                np.array([one.attribute.values.index(row[one.name]) for row in rows], np.int8),
            )
            for one in design
        )
    )


def test_that_the_marked_answer_is_watched_first():
    targets = live_targets(asked_study())
    assert targets[0] == YES
    assert [one.name for one in targets] == ["ticket", "town", "transport"]


def test_that_counts_give_the_estimate_of_the_survey_page():
    study, rows = asked_study(), reported_rows(200)
    counts = np.array([sum(row["ticket"] == value for row in rows) for value in ("no", "yes")])
    live = live_point(study.design, table_of_counts(study.design, "ticket", counts), YES)
    taken = study.with_(distorted=table_of(rows))
    asked = Question(COUNT, as_condition("ticket = yes"))
    found = answer_question(asked, taken, DistortedCache())
    value = found.result.value
    assert live.answers == 200
    assert live.estimate == pytest.approx(value.estimate / 200)
    assert (live.low, live.high) == pytest.approx((value.low / 200, value.high / 200))


def test_that_skips_are_not_counted_as_answers():
    study = asked_study()
    table = table_of_counts(study.design, "ticket", np.array([30, 10]), missing=60)
    assert live_point(study.design, table, YES).answers == 40


def test_that_the_band_narrows_with_the_root_of_the_answers():
    study = asked_study()
    assert live_estimate(study, YES, [LivePoint(100, 0.2, 0.1, 0.3)]).needed is None
    study = study.with_(goals=MappingProxyType({"points": 3.0}))
    found = live_estimate(study, YES, [LivePoint(100, 0.2, 0.1, 0.3)])
    answers, low, high = found.band(400)
    assert answers[-1] == 400
    assert high[-1] - low[-1] == pytest.approx(0.1)
    assert found.needed == math.ceil(100 * (0.1 / found.wanted) ** 2 - 1e-9)
    assert live_estimate(study, YES, [LivePoint(20, 0.2, 0.1, 0.3)]).is_tiny


def test_that_only_simple_questions_are_estimated_from_counts():
    design = asked_study().design
    assert not needs_rows(design, YES)
    assert needs_rows(design, LiveTarget("ticket"))


def test_that_days_show_no_more_than_the_step():
    days = {"2026-11-01": 4, "2026-11-03": 9}
    assert shown_days(days, 10) == {"2026-11-01": 4, "2026-11-03": 6}
    assert shown_days(days, 0) == {}
    assert shown_days(days, 13) == days


def test_that_watching_an_empty_collection_shows_nothing_yet(tmp_path):
    study = asked_study()
    with start_collection(tmp_path / "answers.sqlite", study.design) as collection:
        seen = Watch(collection).look(study, YES)
    assert seen.status.shown == 0
    assert seen.estimate is not None
    assert seen.estimate.now is None
    assert seen.monitoring is not None
    assert seen.monitoring.days == ()
