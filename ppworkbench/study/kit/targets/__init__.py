"""All targets; a new one is a file here and a line below, where it stands in the order shown."""

from ppworkbench.study.kit.target import targets
from ppworkbench.study.kit.targets import (
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
