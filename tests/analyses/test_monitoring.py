"""Monitoring: days and sums, skips, and reports that fit the design or cannot."""

import datetime as dt
import math

import numpy as np
import pytest

from ppworkbench.analyses.collecting.monitoring import (
    DISAGREES,
    FEWEST,
    IMPOSSIBLE,
    DayCount,
    count_days,
    monitor,
    needed_total,
)
from ppworkbench.analyses.designs.design import measures_of, report_of
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Uniform
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.study.study import PriorChoice, Study

RODE = Attribute("rode", Kind.BINARY, ("yes", "no"))
PLACE = Attribute("place", Kind.NOMINAL, ("bus", "tram", "train"))


@pytest.fixture
def asked():
    """Two questions with drawn expectations and no answers."""
    design = Design(
        (DesignedAttribute(RODE, Uniform(keep=0.7)), DesignedAttribute(PLACE, Uniform(keep=0.6)))
    )
    study = Study("rides", design=design)
    study = study.with_choice("rode", PriorChoice("drawn", (0.3, 0.7)))
    return study.with_choice("place", PriorChoice("drawn", (0.5, 0.3, 0.2)))


def answered(study, rode, place, seed=3):
    """Reported answers of people whose true ones have these shares."""
    source = np.random.default_rng(seed)
    truth = Table(
        (
            Column(RODE, source.choice(2, 1000, p=rode).astype(np.int8)),
            Column(PLACE, source.choice(3, 1000, p=place).astype(np.int8)),
        )
    )
    return distort(truth, study.design, SeededStreams(seed))


def coded(study, rode, place):
    return Table((Column(RODE, np.array(rode, np.int8)), Column(PLACE, np.array(place, np.int8))))


def test_that_answers_as_expected_give_no_line(asked):
    found = monitor(asked, answered(asked, (0.3, 0.7), (0.5, 0.3, 0.2)))
    assert found.answers == 1000
    assert found.lines == ()
    rode = found.questions[0]
    assert rode.p > 0.001
    matrix = report_of(asked, "rode").answering
    assert [one.expected for one in rode.shares] == pytest.approx(list(matrix @ [0.3, 0.7]))
    assert sum(one.share for one in rode.shares) == pytest.approx(1)


def test_that_another_truth_than_drawn_is_told_with_its_chi_square(asked):
    found = monitor(asked, answered(asked, (0.6, 0.4), (0.5, 0.3, 0.2)))
    (line,) = found.lines
    assert line.code == DISAGREES
    assert "1 degree of freedom" in line
    assert line.args["attribute"] == "rode"
    counts = np.array([one.count for one in found.questions[0].shares])
    meant = np.array([one.expected for one in found.questions[0].shares]) * 1000
    assert found.questions[0].statistic == pytest.approx(((counts - meant) ** 2 / meant).sum())
    assert found.questions[0].degrees == 1


def test_that_reports_which_no_truth_explains_are_told_apart(asked):
    # Nobody can report "yes" less often than the device makes those say it whose truth is "no".
    table = coded(asked, [0] * 20 + [1] * 980, [0] * 500 + [1] * 300 + [2] * 200)
    found = monitor(asked, table)
    assert found.questions[0].line.code == IMPOSSIBLE


def test_that_without_a_drawn_expectation_nothing_is_expected(asked):
    bare = asked.with_(choices={})
    found = monitor(bare, answered(bare, (0.6, 0.4), (0.5, 0.3, 0.2)))
    assert all(share.expected is None for one in found.questions for share in one.shares)
    assert found.lines == ()
    table = coded(bare, [0] * 20 + [1] * 980, [0] * 500 + [1] * 300 + [2] * 200)
    assert [line.code for line in monitor(bare, table).lines] == [IMPOSSIBLE]


def test_that_few_answers_are_compared_with_nothing(asked):
    table = coded(asked, [0] * (FEWEST - 1), [0] * (FEWEST - 1))
    found = monitor(asked, table)
    assert found.lines == ()
    assert found.questions[0].p is None


def test_that_skips_are_counted_and_raise_the_needed_total(asked):
    table = coded(asked, [0, 1, -1, -1] * 25, [0, 1, 2, 0] * 25)
    found = monitor(asked, table)
    assert (found.questions[0].skips, found.questions[1].skips) == (50, 0)
    alone = needed_total(asked)
    target = 0.03
    wanted = max(measures_of(report_of(asked, n), target)["needed"] for n in ("rode", "place"))
    assert alone.answers == wanted
    rode = measures_of(report_of(asked, "rode"), target)["needed"]
    assert found.needed.answers == max(math.ceil(rode / 0.5), wanted)


def test_that_days_are_filled_and_summed_and_times_are_not_known():
    found = count_days({"2026-11-03": 2, "2026-11-01": 5, "no day": 9, "2026-11-01T10:00": 4})
    assert [(one.day, one.answers, one.total) for one in found] == [
        (dt.date(2026, 11, 1), 5, 5),
        (dt.date(2026, 11, 2), 0, 5),
        (dt.date(2026, 11, 3), 2, 7),
    ]


def test_that_the_pace_of_a_week_says_when_enough_have_answered(asked):
    table = coded(asked, [0, 1] * 50, [0, 1] * 50)
    days = {f"2026-11-{day:02}": 10 for day in range(1, 11)}
    found = monitor(asked, table, days, {"token": 3, "closed": 7, "origin": 0})
    assert found.refused == (("closed", 7), ("token", 3))
    assert found.days_to_go == math.ceil((found.needed.answers - 100) / 10)
    assert found.days[-1] == DayCount(dt.date(2026, 11, 10), 10, 100)


def test_that_numbers_are_compared_in_a_few_cells():
    from ppworkbench.core.design import starting

    age = Attribute("age", Kind.INTEGER, domain=(18, 90))
    device = starting.starting_perturbation(age, single=False)
    study = Study("ages", design=Design((DesignedAttribute(age, device),)))
    study = study.with_choice("age", PriorChoice("drawn", (1.0, 2.0, 1.0)))
    ages = np.random.default_rng(1).triangular(18, 54, 90, 2000).round()
    table = distort(Table((Column(age, ages),)), study.design, SeededStreams(4))
    (found,) = monitor(study, table).questions
    assert 2 <= len(found.shares) <= 8
    assert sum(one.count for one in found.shares) == 2000
    assert sum(one.expected for one in found.shares) == pytest.approx(1)
