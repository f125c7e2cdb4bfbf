"""The ways a study gets out to people, and why some of them do not fit it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ppworkbench.analyses.designs.goals import Goal
from ppworkbench.core.design.procedures import NO_DEVICE, find_procedure
from ppworkbench.core.errors import DesignError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.fieldwork.kit.form import build_form
from ppworkbench.fieldwork.kit.kit import asked_in, target_names
from ppworkbench.fieldwork.kit.nearest import NearestDevice, nearest_devices
from ppworkbench.fieldwork.kit.targets import targets
from ppworkbench.study.study import Study

_MOST_NAMES = 5
"""Questions that a sentence names before it only counts them."""


@dataclass(frozen=True)
class TargetFit:
    """Whether a target of the kit can be written.

    ``faults`` are questions, empty for the whole, and why they cannot be expressed.
    """

    target: str
    label: str
    is_by_hand: bool
    faults: tuple[tuple[str, Message], ...] = ()

    def why(self) -> Message | None:
        """Why it cannot be written, in one sentence with the questions that it is about."""
        if not self.faults:
            return None
        _, why = self.faults[0]
        names = tuple(name for name, other in self.faults if name and other == why)
        if not names:
            return why
        if len(names) <= _MOST_NAMES:
            return Message("{why} ({attributes})", why=why, attributes=names)
        more = len(names) - _MOST_NAMES + 1
        return Message(
            "{why} ({attributes} and {more:,} more)",
            why=why,
            attributes=names[: _MOST_NAMES - 1],
            more=more,
        )


def target_fits(study: Study, language: str = "en") -> tuple[TargetFit, ...]:
    asked = asked_in(study, language)
    forms, general = {}, Message("")
    for by_hand in (True, False):
        try:
            forms[by_hand] = build_form(study.design, asked, (asked.language,), by_hand=by_hand)
        except WorkbenchError as error:
            general = Message(error.message) if type(error.message) is str else error.message
    found = []
    for name in target_names():
        target = targets[name]()
        form = forms.get(target.is_by_hand)
        faults = (("", general),) if form is None else tuple(target.faults(form))
        label = targets.entry(name).label
        found.append(TargetFit(name, label, target.is_by_hand, faults))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class InexactQuestion:
    """A question that no device does exactly, and the nearest ones for a precision."""

    name: str
    half_width: float
    offers: tuple[NearestDevice, ...]


def inexact_questions(study: Study, progress: Progress = silent) -> tuple[InexactQuestion, ...]:
    half_width = Goal.from_json(study.goals).planned_points / 100
    found = []
    for place, name in enumerate(study.design.names):
        progress(place / len(study.design.names), Message("Comparing devices"))
        try:
            find_procedure(study.design, name)
        except DesignError as error:
            if Message.of(error.message).code != NO_DEVICE:
                continue
            offers = nearest_devices(study.design, name, study.prior(name), half_width)
            if offers:
                found.append(InexactQuestion(name, half_width, offers))
    return tuple(found)


def with_nearest(study: Study, chosen: Mapping[str, NearestDevice]) -> Study:
    design = study.design
    for name, one in chosen.items():
        design = design.with_perturbation(name, one.perturbation, one.device)
    return study.with_(design=design)
