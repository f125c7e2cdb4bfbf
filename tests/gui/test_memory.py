"""What is closed is gone."""

from __future__ import annotations

import gc
import weakref

import shiboken6

from ppworkbench.gui.pages.survey import SurveyPage
from ppworkbench.gui.pages.survey.question_card import QuestionCard


def test_that_the_question_of_a_survey_goes_with_its_page(workbench):
    # Boxes without a parent stayed, because functions of the card listen to them; and they kept
    # the card, the study and the theme of every window and every demonstration that was closed.
    page = SurveyPage(workbench)
    card = weakref.ref(page.findChild(QuestionCard))
    assert card() is not None
    shiboken6.delete(page)
    del page
    gc.collect()
    assert card() is None
