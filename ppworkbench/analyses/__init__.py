"""Questions that can be asked of answers: one file each, with its request, its run, its result.

:data:`QUESTIONS` is the only list of them. Commands, functions of ``pp``, methods of surveys,
scripts and the window read it; a question is loaded when somebody asks it.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ppworkbench.analyses.request import Request


@dataclass(frozen=True)
class Place:
    """A question by name: where it lives, and what the list of commands says of it.

    Parameters
    ----------
    name
        What the function or the method of a survey is called.
    module
        The file of ``analyses`` whose ``QUESTION`` it is.
    of_survey
        Whether it is a method of a survey in Python; else it is a function.
    command
        What the command is called, where that has another name.
    """

    name: str
    summary: str
    module: str
    of_survey: bool = False
    command: str = ""

    @property
    def word(self) -> str:
        """What the command is called."""
        return self.command or self.name

    def load(self) -> type[Request]:
        """The request."""
        module = importlib.import_module(f"ppworkbench.analyses.{self.module}")
        found: type[Request] = module.QUESTION
        return found


QUESTIONS = (
    Place("share", "estimate which share of people meet a condition", "share", of_survey=True),
    Place("count", "estimate how many people meet a condition", "count", of_survey=True),
    Place("mean", "estimate a mean", "mean", of_survey=True),
    Place("ratio", "estimate the ratio of two totals", "ratio", of_survey=True),
    Place("quantile", "estimate quantiles of a number", "quantile", of_survey=True),
    Place("distribution", "estimate a distribution", "distribution", of_survey=True),
    Place("table", "estimate a cross table", "table", of_survey=True, command="crosstab"),
    Place("compare", "compare groups of respondents, or two answers", "compare", of_survey=True),
    Place("participants", "list probable members of a group", "participants", of_survey=True),
    Place("regress", "fit a regression to randomised answers", "regress", of_survey=True),
    Place("correlate", "estimate correlations of randomised answers", "correlate", of_survey=True),
    Place(
        "compliance", "estimate how many followed the device", "compliance.request",
        of_survey=True,
    ),
    Place(
        "list_item", "estimate the sensitive item of a list", "list_item", of_survey=True,
        command="list",
    ),
    Place("mine", "find frequent itemsets and rules in a file", "mine"),
)  # fmt: skip


def place_of(name: str) -> Place:
    """The question of that name in Python."""
    return next(one for one in QUESTIONS if one.name == name)
