"""All targets; a new one is a file here and a line below, where it stands in the order shown."""

from ppworkbench.fieldwork.kit.target import targets
from ppworkbench.fieldwork.kit.targets import (
    cards,
    limesurvey,
    paper,
    qualtrics,
    redcap,
    snippets,
    surveyjs,
    text,
    xlsform,
)

__all__ = [
    "cards",
    "limesurvey",
    "paper",
    "qualtrics",
    "redcap",
    "snippets",
    "surveyjs",
    "targets",
    "text",
    "xlsform",
]
