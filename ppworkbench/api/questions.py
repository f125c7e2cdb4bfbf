"""The questions as functions of ``pp`` and methods of surveys; editors read ``questions.pyi``."""

from __future__ import annotations

from ppworkbench.analyses import QUESTIONS
from ppworkbench.api.calls import Method, function_of

SurveyMethods = type("SurveyMethods", (), {p.name: Method(p) for p in QUESTIONS if p.of_survey})


def __getattr__(name: str) -> object:
    for place in QUESTIONS:
        if place.name == name and not place.of_survey:
            return function_of(place)
    raise AttributeError(name)
