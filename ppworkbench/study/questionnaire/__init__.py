"""A questionnaire page that randomises answers at the respondent, in one HTML file."""

from ppworkbench.study.questionnaire.explain import languages
from ppworkbench.study.questionnaire.model import PageModel, Screen, page_model
from ppworkbench.study.questionnaire.page import (
    QuestionnaireOptions,
    missing_words,
    preview_html,
    questionnaire_html,
    served_page,
    write_questionnaire,
)
from ppworkbench.study.questionnaire.texts import Texts, read_texts, texts_of

__all__ = [
    "PageModel",
    "QuestionnaireOptions",
    "Screen",
    "Texts",
    "languages",
    "missing_words",
    "page_model",
    "preview_html",
    "questionnaire_html",
    "read_texts",
    "served_page",
    "texts_of",
    "write_questionnaire",
]
