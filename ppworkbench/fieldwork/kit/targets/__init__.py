"""All targets; a new one is a file here and a line below, where it stands in the order shown."""

from ppworkbench.fieldwork.kit.target import targets as targets
from ppworkbench.fieldwork.kit.targets import (  # noqa: F401 (each registers itself)
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
