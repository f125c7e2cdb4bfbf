"""An analysis as a call of the Python interface, which every script is written from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ppworkbench.analyses import QUESTIONS, Place
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.message import Message
from ppworkbench.outputs.scripts import PYTHON, SCRIPT_SUFFIXES, STATA, R
from ppworkbench.study.answer_state import AnswerState, state_words
from ppworkbench.study.study import Say
from ppworkbench.version import __version__

_COMMANDS = {PYTHON: "python {file}", R: "Rscript {file}", STATA: "do {file}"}

WIDTH = 92
"""Columns of a script."""

_TITLES = {
    "bundle": Message("Release of a distorted table"),
    "rehearse": Message("Simulated answers"),
    "release": Message("Distorted copy of the answers"),
    "inspect": Message("What the answers hold"),
    "gallery": Message("Published surveys, recomputed"),
}


@dataclass(frozen=True)
class Analysis:
    """One call of the Python interface.

    Parameters
    ----------
    function
        A function of the interface, or a method of its surveys.
    arguments
        What it is given, by name and without defaults.
    survey
        What the survey is made of whose method it is; None for a function.
    """

    function: str
    arguments: Mapping[str, object]
    survey: Mapping[str, object] | None = None

    @property
    def title(self) -> Message:
        place = self.place
        return _TITLES[self.function] if place is None else place.load().label

    @property
    def place(self) -> Place | None:
        """The question that it asks; None for a function that is none yet."""
        return next((one for one in QUESTIONS if one.name == self.function), None)

    @property
    def files(self) -> tuple[str, ...]:
        given = {**(self.survey or {}), **self.arguments}
        named = [given[name] for name in ("study", "data", "design", "original") if name in given]
        return tuple(dict.fromkeys(str(one) for one in named if isinstance(one, str)))


@dataclass(frozen=True)
class Origin:
    """Where a result comes from, for the head of its script.

    Parameters
    ----------
    study
        What the study is called; empty where only files are known.
    state
        What the answers are that were analysed.
    notes
        What else must be known before the script is passed on.
    file
        How the script will be called.
    """

    study: str = ""
    state: AnswerState = AnswerState.NONE
    notes: tuple[str, ...] = ()
    file: str = "script"
    say: Say = field(default=str)


def head(analysis: Analysis, origin: Origin, language: str) -> list[str]:
    """What stands at the top of a script, a paragraph each."""
    say = origin.say
    told = [say(analysis.title)]
    if origin.study:
        told.append(say(Message("Study: {title}.", title=" ".join(origin.study.split()))))
    if origin.state is not AnswerState.NONE:
        told.append(say(Message("Answers: {state}.", state=state_words(origin.state))))
    told.append(say(Message("Written by ppworkbench {version}.", version=__version__)))
    command = _COMMANDS[language].format(file=f"{origin.file}{SCRIPT_SUFFIXES[language]}")
    how = Message("Run it: {command}", command=command)
    if analysis.files:
        how = Message(
            "Run it in the folder of its files ({files}): {command}",
            files=Message.joined(analysis.files, ", "),
            command=command,
        )
    told.append(say(how))
    return [*told, *map(say, origin.notes)]


def sampling_arguments(sampling: Sampling | None, known: Sampling | None) -> dict[str, object]:
    """How people were drawn, as a survey of the interface is told.

    ``known`` are the roles of the design, which are used unless somebody says otherwise.
    """
    if sampling is None:
        return {} if known is None else {"sampling": False}
    given = {
        "weights": sampling.weight,
        "strata": list(sampling.stratum),
        "cluster": sampling.cluster,
        "person": sampling.person,
        "population": sampling.population,
        "replicates": None if sampling.replicates is None else sampling.replicates.to_json(),
    }
    return chosen(given)


def chosen(given: Mapping[str, object]) -> dict[str, object]:
    """What was chosen: neither nothing nor an empty list."""
    return {
        name: value
        for name, value in given.items()
        if value is not None and value is not False and not _is_empty(value)
    }


def _is_empty(value: object) -> bool:
    return isinstance(value, str | Sequence | Mapping) and len(value) == 0
