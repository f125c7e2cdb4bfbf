"""The chapters of the help, in the order in which one would read them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Group:
    """One chapter.

    ``files`` are overview pages in ``resources/help``. A folder of the same name as an overview
    holds its pages, one per mechanism, measure or algorithm; they follow it in the order in which
    the overview links to them.
    """

    title: str
    files: tuple[str, ...]


GROUPS = (
    Group("First steps", ("getting-started", "samples")),
    Group(
        "Pages of the window",
        (
            "data-page", "design-page", "explore-page", "survey-page", "mine-page",
            "classify-page", "publish-page", "learn-page",
        ),
    ),
    Group("Mechanisms", ("mechanisms",)),
    Group("Named designs", ("named-designs",)),
    Group("Privacy measures", ("privacy-measures",)),
    Group("Utility measures", ("utility-measures",)),
    Group("Reconstruction", ("reconstruction", "stopping-rules", "assignment")),
    Group("Survey statistics", ("survey-statistics",)),
    Group("Mining", ("mining",)),
    Group("Classification", ("classification", "experiments", "classification-results")),
    Group("Deniable tables", ("deniable-tables",)),
    Group("Attacks", ("attack-lab",)),
    Group(
        "Files and commands",
        (
            "release", "questionnaires", "reports", "design-file", "codebook", "study-file",
            "command-line",
        ),
    ),
)  # fmt: skip
