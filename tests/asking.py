"""Small studies and ways to wait, for the tests of the Survey page."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from designs import classic_study
from kept_pages import take_page
from PySide6.QtWidgets import QApplication

from ppworkbench.analyses.survey.questions import Question
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.edits import set_title
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Retention, Uniform
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.pages.survey import SurveyPage
from ppworkbench.gui.pages.survey.texts import phrase_words
from ppworkbench.results.picture import Interval, Role
from ppworkbench.study.renaming import retyped
from ppworkbench.study.study import Study

PEOPLE = 400
CONDITION = "vote = yes and town in {Ash, Cedar}"


def small_table(people: int = PEOPLE) -> Table:
    """An attribute of each kind; the towns vote differently."""
    draw = np.random.default_rng(11)
    town = draw.choice(4, people, p=(0.4, 0.3, 0.2, 0.1))
    vote = (draw.random(people) < np.array([0.2, 0.4, 0.6, 0.8])[town]).astype(int)
    attributes = (
        Attribute("town", Kind.NOMINAL, ("Ash", "Beech", "Cedar", "Old Oak"), label="Where?"),
        Attribute("vote", Kind.BINARY, ("no", "yes"), label="Are you for it?"),
        Attribute("mood", Kind.ORDINAL, ("bad", "fair", "good")),
        Attribute("age", Kind.INTEGER, domain=(18, 60)),
        Attribute("pay", Kind.CONTINUOUS, domain=(0.0, 100.0)),
    )
    data = (
        town,
        vote,
        draw.choice(3, people),
        draw.integers(18, 61, people).astype(float),
        np.clip(draw.normal(40, 12, people), 0, 100),
    )
    return Table(tuple(Column(a, d) for a, d in zip(attributes, data, strict=True)))


def small_study(people: int = PEOPLE) -> Study:
    """The small table under a design that can be undone well."""
    study = classic_study(small_table(people), "small")
    return study.with_perturbations(
        {
            "town": Uniform(keep=0.8),
            "vote": Uniform(keep=0.9),
            "mood": Uniform(keep=0.8),
            "age": Retention(keep=0.7),
            "pay": Retention(keep=0.7),
        }
    )


def titled_study(**titles: str) -> Study:
    """The small study with titles for some of its columns."""
    study = small_study()
    table = study.original
    assert table is not None
    for name, title in titles.items():
        table = set_title(table, name, title)
    return retyped(study, table)


def distorted_study(people: int = PEOPLE) -> Study:
    """The same as an analyst has it: distorted answers and their design, no truth."""
    study = small_study(people)
    assert study.original is not None
    told = distort(study.original, study.design, SeededStreams(3))
    return Study.of_distorted(told, study.design, "told")


def make_page(qtbot, workbench, study: Study) -> SurveyPage:
    """The page, shown, on a study."""
    workbench.store.open(study)
    page = take_page(qtbot, workbench, SurveyPage, dressed=True)
    page.resize(1290, 660)
    page.show()
    page.shown()
    return page


def settle(qtbot, page: SurveyPage) -> None:
    """Wait until the question is asked and no job is under way."""
    qtbot.waitUntil(lambda: not page.is_about_to_ask and page.workbench.jobs.is_idle)
    # What an answer puts off to the next event.
    QApplication.processEvents()


def ask(qtbot, page: SurveyPage, condition: str = "", **more: object) -> None:
    """Ask a question and wait for its answer."""
    page.model.set(Question(condition=parse_condition(condition)).with_(**more))
    settle(qtbot, page)


def asked_questions(page: SurveyPage) -> list[Question]:
    """What the page lists as asked so far."""
    return [row.question for row in page.asked.rows]


def past_rows(page: SurveyPage) -> list[list[str]]:
    """What was asked so far as it is read: condition, statistic, estimate, interval, …"""
    return page.asked.table.texts()[1:]


def reopened(page: SurveyPage) -> list[int]:
    """The rows whose answer is shown."""
    return [*page.asked.table.looks.chosen]


def set_condition(page: SurveyPage, text: str) -> None:
    """Choose a condition behind the page's back."""
    page.model.set_condition(parse_condition(text))


def chips(page: SurveyPage) -> list[str]:
    """The condition as its chips say it."""
    return [phrase_words(chip.test) for chip in page.card.bar.chips]


def told_rows(page: SurveyPage, sheet: str) -> list[list[str]]:
    """The rows of a table of the answer, as they are read."""
    table = page.results.found.sheets[sheet].table
    model = table.model()
    return [
        [model.index(row, place).data() for place in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


@dataclass(frozen=True)
class Line:
    """One line of a picture as it is read."""

    name: str
    caption: str
    note: str
    is_strong: bool
    marks: dict[Role, Interval]

    @property
    def only(self) -> Interval:
        (mark,) = self.marks.values()
        return mark


def lines(chart: PictureChart) -> list[Line]:
    """The lines of a picture, the first on top."""
    picture, found = chart.picture, []
    assert picture is not None
    for place, label in enumerate(picture.y.labels):
        marks = {}
        for one in picture.marks:
            for at in np.flatnonzero((one.y == place) & np.isfinite(one.x)):
                low, high = (np.nan if e is None else float(e[at]) for e in (one.low, one.high))
                marks[one.role] = Interval(float(one.x[at]), low, high)
        name, _, caption = label.partition("\n")
        note = picture.y.notes[place]
        found.append(Line(name, caption, note, place in picture.y.strong, marks))
    return found
