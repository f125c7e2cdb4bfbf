"""Answers that people gave on a survey platform, brought into a study."""

from ppworkbench.fieldwork.responses.add import (
    AddOptions,
    Responses,
    add_to_study,
    check_kit,
    gather,
    known_responses,
    questions_of,
    read_responses,
    study_questions,
)
from ppworkbench.fieldwork.responses.kit_file import Kit, find_kit, read_mapping_or_kit
from ppworkbench.fieldwork.responses.mapping import ColumnChoice, Mapping, write_mapping
from ppworkbench.fieldwork.responses.platforms import platform_label, platforms
from ppworkbench.fieldwork.responses.sources import (
    Source,
    find_export,
    find_files,
    may_hold_answers,
    read_sources,
)

__all__ = [
    "AddOptions",
    "ColumnChoice",
    "Kit",
    "Mapping",
    "Responses",
    "Source",
    "add_to_study",
    "check_kit",
    "find_export",
    "find_files",
    "find_kit",
    "gather",
    "known_responses",
    "may_hold_answers",
    "platform_label",
    "platforms",
    "questions_of",
    "read_mapping_or_kit",
    "read_responses",
    "read_sources",
    "study_questions",
    "write_mapping",
]
