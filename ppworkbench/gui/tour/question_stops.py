"""States of the questionnaire editor that a tour takes pictures of."""

from __future__ import annotations

from ppworkbench.gui.language import speech, tr
from ppworkbench.gui.pages.data import DataPage
from ppworkbench.gui.tour.studies import page_named
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
