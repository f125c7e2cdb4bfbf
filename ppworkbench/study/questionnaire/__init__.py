"""A questionnaire page that randomises answers at the respondent, in one HTML file."""

from ppworkbench.study.questionnaire.explain import languages
from ppworkbench.study.questionnaire.page import (
    QuestionnaireOptions,
    Texts,
    questionnaire_html,
    read_texts,
    texts_of,
    write_questionnaire,
)

__all__ = [
    "QuestionnaireOptions",
    "Texts",
    "languages",
    "questionnaire_html",
    "read_texts",
    "texts_of",
    "write_questionnaire",
]
