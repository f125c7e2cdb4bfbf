"""A questionnaire page that randomises answers at the respondent, in one HTML file."""

from ppworkbench.study.questionnaire.options import QuestionnaireOptions
from ppworkbench.study.questionnaire.page import questionnaire_html, write_questionnaire
from ppworkbench.study.questionnaire.texts import Texts, read_texts, texts_of
from ppworkbench.study.questionnaire.words import languages

__all__ = [
    "QuestionnaireOptions",
    "Texts",
    "languages",
    "questionnaire_html",
    "read_texts",
    "texts_of",
    "write_questionnaire",
]
