"""Questions that can be asked of answers: one file each, with its request, its run, its result.

A room holds what belongs together: ``estimates`` the statistics of true answers, ``regression``
and ``compliance`` their models, ``survey`` what a study asks and keeps of these, ``planning`` and
``designs`` what is asked before there are answers, ``collecting`` what is watched while they come,
``mining`` itemsets, ``experiments`` what randomises true answers itself.

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
        What function or method of a survey are called, and the file whose ``QUESTION`` it is.
    room
        The folder of that file in ``analyses``, or ``outputs`` for what makes a release.
    of_survey
        Whether it is a method of a survey in Python; else it is a function.
    command
        What the command is called, where that has another name.
    switch
        The option of that command that asks this question in place of another.
    """

    name: str
    summary: str
    room: str
    of_survey: bool = False
    command: str = ""
    switch: str = ""

    @property
    def word(self) -> str:
        return self.command or self.name

    def load(self) -> type[Request]:
        room = self.room if self.room == "outputs" else f"analyses.{self.room}"
        module = importlib.import_module(f"ppworkbench.{room}.{self.name}")
        found: type[Request] = module.QUESTION
        return found


QUESTIONS = (
    Place("reconstruct", "estimate the true distributions of a distorted file", "estimates"),
    Place("share", "estimate which share of people meet a condition", "estimates", of_survey=True),
    Place("count", "estimate how many people meet a condition", "estimates", of_survey=True),
    Place("mean", "estimate a mean", "estimates", of_survey=True),
    Place("ratio", "estimate the ratio of two totals", "estimates", of_survey=True),
    Place("quantile", "estimate quantiles of a number", "estimates", of_survey=True),
    Place("distribution", "estimate a distribution", "estimates", of_survey=True),
    Place("table", "estimate a cross table", "estimates", of_survey=True, command="crosstab"),
    Place("compare", "compare groups of respondents, or two answers", "estimates", of_survey=True),
    Place("participants", "list probable members of a group", "estimates", of_survey=True),
    Place("regress", "fit a regression to randomised answers", "regression", of_survey=True),
    Place("correlate", "estimate correlations of randomised answers", "estimates", of_survey=True),
    Place("compliance", "estimate compliance with the instructions", "compliance", of_survey=True),
    Place(
        "list_item", "estimate the sensitive item of a list",
        "estimates", of_survey=True, command="list",
    ),
    Place("optimise", "find optimal transition matrices", "planning"),
    Place("privacy", "measure privacy and accuracy", "planning", command="measure"),
    Place("plan", "find the sample size for the aims of a survey", "planning"),
    Place(
        "allocate", "find the best shares of the arms",
        "planning", command="plan", switch="allocate",
    ),
    Place("budget", "show or divide the privacy budget", "planning"),
    Place(
        "repeat", "distort and reconstruct many times, and show the information loss",
        "experiments",
    ),
    Place("classify", "compare classifiers trained on distorted records", "experiments"),
    Place("attack", "try what an attacker learns from distorted answers", "experiments"),
    Place(
        "trade_off", "show the privacy–precision trade-off of a question",
        "planning", command="trade-off",
    ),
    Place("mine", "find frequent itemsets and rules in a file", "mining"),
    Place("publish", "write a table with a deniable sensitive column", "outputs"),
    Place(
        "accuracy_curve", "measure the accuracy that deniable tables leave",
        "outputs", command="accuracy-curve",
    ),
)  # fmt: skip


def place_of(name: str) -> Place:
    """The question of that name in Python."""
    return next(one for one in QUESTIONS if one.name == name)
