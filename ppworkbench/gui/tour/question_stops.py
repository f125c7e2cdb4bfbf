"""States of the questionnaire editor that a tour takes pictures of."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from PySide6.QtWidgets import QApplication

from ppworkbench.core.data.table import Column as TableColumn
from ppworkbench.core.data.table import Table
from ppworkbench.core.files import make_temporary_folder
from ppworkbench.gui.language import speech, tr
from ppworkbench.gui.pages.data import DataPage
from ppworkbench.gui.tour.collect_stops import asked_study
from ppworkbench.gui.tour.studies import LONGEST_WAIT, page_named
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.study.questionnaire import edits
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.questionnaire.pasted import questions_of_text
from ppworkbench.study.study import Study

_LIST = """In which district do you live?: Old Town, Harbour, Riverside, Garden Hill, Station, North
How old are you?: 18 to 90
In the last 12 months, have you ridden without a ticket?: yes*, no
How often do you have six or more drinks on one day?: never, rarely, monthly, weekly*, daily*
Have you worked for cash without declaring it?: yes*, no
Do you support the new school?: yes, no"""
_TICKET = "in_the_last_12"
_EXPORT = """id,submitdate,lastpage,startlanguage,seed,ticket,district,age group,e-mail
1,2026-11-09 10:00:00,3,en,1,A1,A2,A1,a@example.org
2,2026-11-09 11:00:00,3,en,2,A2,A3,A2,b@example.org
3,,1,en,3,A1,,,
4,2026-11-10 12:00:00,3,en,4,A1,A1,A3,c@example.org
5,2026-11-10 13:00:00,3,en,5,A2,-oth-,A1,d@example.org
"""


def _open(window: MainWindow, study: Study) -> DataPage:
    window.store.forget_changes()
    window.store.open(study)
    window.show_page("data/questions")
    return page_named(window, DataPage)


def show_no_questions(window: MainWindow) -> None:
    """A questionnaire before its first question."""
    _open(window, Study(title="New", questionnaire=Questionnaire((speech.language,), ())))


def show_questions(window: MainWindow) -> None:
    """Six questions, of which one is edited; some have no translation yet."""
    language = speech.language
    asked = questions_of_text(_LIST, language, (tr("yes"), tr("no")))
    study = edits.add_questions(Study(title="City survey"), asked, language=language)
    study = edits.set_title(study, _TICKET, "Rode without a ticket", language)
    study = edits.rename_question(study, _TICKET, "ticket", language)
    study = edits.set_expected_share(study, "ticket", "yes", 0.2, language)
    study = edits.add_language(study, "en" if language == "pl" else "pl", language)
    _open(window, study)
    window.store.select(["ticket"])


def show_number_question(window: MainWindow) -> None:
    """The same with a number, its range and its unit."""
    show_questions(window)
    window.store.select(["how_old_are_you"])


def show_phone(window: MainWindow) -> None:
    """The telephone alone, where it is a tab."""
    show_questions(window)
    page = page_named(window, DataPage).questions
    assert page is not None  # noqa: S101 (made when it was shown)
    page.tabs.choose("phone")


def leave_phone(window: MainWindow) -> None:
    """Back to the editor."""
    page = page_named(window, DataPage).questions
    assert page is not None  # noqa: S101 (made when it was shown)
    page.tabs.choose("edit")
    window.store.forget_changes()


def show_languages(window: MainWindow) -> None:
    """Every text by language, with gaps."""
    show_questions(window)
    page = page_named(window, DataPage).questions
    assert page is not None  # noqa: S101 (made when it was shown)
    page.show_languages()


def _answered(state: str) -> Study:
    """Three questions with answers of a state."""
    study = asked_study()
    random = np.random.default_rng(4)
    columns = [
        TableColumn(one.attribute, random.integers(one.attribute.k, size=240).astype(np.int8))
        for one in study.design
    ]
    table = Table(tuple(columns))
    if state == "reported":
        return study.with_(distorted=table)
    return study.with_(original=table, invented=state == "invented")


def show_state(state: str) -> Callable[[MainWindow], None]:
    """The questions of a study whose answers are invented, reported or true."""

    def show(window: MainWindow) -> None:
        _open(window, _answered(state))

    return show


def show_adding(window: MainWindow) -> None:
    """Responses that a platform exported, before they are added; one answer means nothing yet."""
    study = asked_study()
    window.store.forget_changes()
    window.store.open(study)
    window.show_page("collect")
    folder = window.workbench.folder or make_temporary_folder()
    path = folder / "responses.csv"
    path.write_text(_EXPORT, encoding="utf-8")
    dialog = window.files.responses.add_paths([path])
    dialog.state.buttons["reported"].click()
    _wait_for(lambda: dialog.responses is not None)


def show_unfit(window: MainWindow) -> None:
    """A file that answers other questions."""
    window.store.forget_changes()
    window.store.open(asked_study())
    window.show_page("collect")
    folder = window.workbench.folder or make_temporary_folder()
    path = folder / "cars.csv"
    path.write_text("brand,doors\nA,3\nB,5\n", encoding="utf-8")
    dialog = window.files.responses.add_paths([path])
    dialog.state.buttons["reported"].click()
    _wait_for(lambda: bool(dialog.problem.text()))


def _wait_for(is_done: Callable[[], bool]) -> None:
    limit = time.monotonic() + LONGEST_WAIT
    while not is_done() and time.monotonic() < limit:
        QApplication.processEvents()
        time.sleep(0.01)
