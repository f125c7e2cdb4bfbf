"""A hundred people, their true answers and one random draw of what they report."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ppworkbench.core.arrays import Mask, Numbers
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.belief import meant_places
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.rng import SeededStreams
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape
from ppworkbench.results.sheet import Kind

PEOPLE = 100
_ACROSS = 10
_MOST_NAMED = 100
"""Answers whose numbers fit on a chest."""


def whole_people(shares: Numbers, count: int = PEOPLE) -> tuple[int, ...]:
    """So many people by their shares, by the largest remainders.

    >>> whole_people(np.array([0.335, 0.335, 0.33]), 10)
    (4, 3, 3)
    """
    exact = shares / shares.sum() * count
    whole = np.floor(exact + 1e-9).astype(int)
    # A stable order gives the first of equal remainders the person that is left.
    order = np.argsort(-(exact - whole), kind="stable")
    whole[order[: count - int(whole.sum())]] += 1
    return tuple(whole.tolist())


@dataclass(frozen=True)
class PeopleDraw:
    """One draw; every person has the same place in ``true`` and ``reported``.

    ``belief`` is the average over all draws: how likely the true answer is a sensitive one after
    a sensitive report, and ``other`` after any other report.
    """

    answers: tuple[str, ...]
    sensitive: tuple[int, ...]
    marked: bool
    true: tuple[int, ...]
    reported: tuple[int, ...]
    before: float
    belief: float
    other: float

    @cached_property
    def truly(self) -> tuple[bool, ...]:
        return tuple(answer in self.sensitive for answer in self.true)

    @cached_property
    def reports(self) -> tuple[bool, ...]:
        return tuple(answer in self.sensitive for answer in self.reported)

    @property
    def hits(self) -> int:
        return sum(one and two for one, two in zip(self.truly, self.reports, strict=True))


def has_people(report: AttributeReport) -> bool:
    """Whether the question has answers that people can be counted by."""
    attribute = report.attribute
    return attribute.k >= 2 and report.perturbation.matrix_for(attribute) is not None


def draw_people(report: AttributeReport, seed: int, number: int) -> PeopleDraw:
    """The draw of that number; the same number gives the same luck to every design.

    Each person keeps one random number, so that a design that changes a little changes few reports.
    """
    attribute, shares = report.attribute, report.prior.probabilities
    matrix = np.eye(attribute.k) if report.answering is None else report.answering
    true = np.repeat(np.arange(attribute.k), whole_people(shares))
    luck = SeededStreams(seed).generator("people", attribute.name, str(number)).random(len(true))
    cumulated = np.cumsum(matrix, axis=0)[:, true]
    reported = np.minimum((luck[None, :] >= cumulated).sum(axis=0), attribute.k - 1)
    places = meant_places(attribute, shares)
    joint = matrix * shares
    inside, outside = joint[places].sum(axis=0), np.delete(joint, places, axis=0).sum(axis=0)
    return PeopleDraw(
        attribute.values,
        tuple(places),
        bool(attribute.sensitive),
        tuple(true.tolist()),
        tuple(reported.tolist()),
        float(shares[places].sum()),
        _share(inside, places),
        _share(outside, places),
    )


def _share(reports: Numbers, places: list[int]) -> float:
    total = float(reports.sum())
    return float(reports[places].sum()) / total if total > 0 else 0.0


def _grid(
    places: Numbers, answers: tuple[int, ...], strong: Mask, role: Role, shift: float
) -> list[Mark]:
    """People in lines of ten, those with a sensitive answer in the look of their role."""
    x, y = shift + places % _ACROSS, -(places // _ACROSS)
    words = [str(one + 1) if max(answers) < _MOST_NAMED else "" for one in answers]
    name = Message("sensitive answer") if role is Role.TRUE else Message("sensitive report")
    looks = ((~strong, Role.REFERENCE, Message("other answer")), (strong, role, name))
    return [
        Mark(Shape.PEOPLE, look, called, x[some], y[some],
             words=tuple(words[place] for place in np.flatnonzero(some)))
        for some, look, called in looks
    ]  # fmt: skip


def _people(name: str, title: Message, marks: list[Mark], note: Message, wide: int) -> Picture:
    lines = 1 - min((float(mark.y.min()) for mark in marks if len(mark.y)), default=0.0)
    across = Axis(Message(""), low=-0.5, high=wide - 0.5, kind=Kind.TEXT)
    down = Axis(Message(""), low=0.5 - lines, high=0.5, kind=Kind.TEXT)
    return Picture(name, title, across, down, tuple(marks), note)


def _diamonds(x: Numbers, y: Numbers) -> Mark:
    name = Message("the true answer is sensitive")
    return Mark(Shape.POINTS, Role.TRUE, name, x + 0.34, y + 0.3)


def people_picture(draw: PeopleDraw) -> Picture:
    """True answers beside one draw of the reports, everybody in the same place."""
    places = np.arange(len(draw.true), dtype=np.float64)
    truly, reports = np.array(draw.truly), np.array(draw.reports)
    after = _ACROSS + 1.0
    hit = places[truly]
    marks = [
        *_grid(places, draw.true, truly, Role.TRUE, 0.0),
        *_grid(places, draw.reported, reports, Role.REPORTED, after),
        _diamonds(after + hit % _ACROSS, -(hit // _ACROSS)),
    ]
    note = Message(
        "Left: true answers, {before} of {count} sensitive; right: reported answers, {after} "
        "report it, true for {hits}.",
        before=int(truly.sum()), count=len(truly), after=int(reports.sum()), hits=draw.hits,
    )  # fmt: skip
    title = Message("100 people, true and reported answers")
    return _people("people", title, marks, note, 2 * _ACROSS + 1)


def reporters_picture(draw: PeopleDraw, across: int) -> Picture:
    """Everybody who reports a sensitive answer; those of whom it is true stand first."""
    count = sum(draw.reports)
    places = np.arange(count, dtype=np.float64)
    x, y, hits = places % across, -(places // across), draw.hits
    marks = [
        Mark(Shape.PEOPLE, Role.REPORTED, Message("sensitive report"), x, y),
        _diamonds(x[:hits], y[:hits]),
    ]
    title = Message("{count} report it in this draw; it is true for {hits}", count=count, hits=hits)
    return _people("reporters", title, marks, title, across)
