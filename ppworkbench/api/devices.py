"""Coins, dice, cards and birthdays: what respondents randomise their answers with."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ppworkbench.analyses.arguments import check_arguments
from ppworkbench.analyses.inputs import Data, DesignLike
from ppworkbench.analyses.planning.request import read_pilot
from ppworkbench.api import HALF_WIDTH
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.design.devices import DEVICES, reach_probability, snap_to, use_of
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.results.result import Result
from ppworkbench.results.text import aligned, harmless, note_lines

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.core.data.options import ReadOptions
    from ppworkbench.core.design import Design
    from ppworkbench.core.design.devices import DeviceKind, Snapped

OTHER_ARMS = Message(
    "Respondents are those of a survey where everybody answers by the design's own device."
)


@check_arguments
def devices(  # noqa: PLR0913 (keywords with defaults)
    design: DesignLike | None = None,
    attribute: str | None = None,
    *,
    probability: float | None = None,
    nearest: bool = False,
    half_width: float = HALF_WIDTH,
    use: str | None = None,
    share: float | None = None,
    share_se: float | None = None,
    out: str | os.PathLike[str] | None = None,
    data: Data | None = None,
    reading: ReadOptions | Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> DevicesResult:
    """List devices, alone or with what they make of a probability or of a question.

    Parameters
    ----------
    design, attribute
        A design and one of its questions, to see how near each device comes and how many more
        people that takes.
    probability
        A probability to reach, in place of a question.
    nearest
        Take the nearest probability; otherwise the nearest that is at least as private.
    half_width
        The precision for which people are counted, as half an interval of 95 %.
    use
        The device to put into the design, which is ``design`` of the result.
    share, share_se
        For birthdays and house numbers: the share of people with the outcomes, and its standard
        error.
    out
        A file for the design with the device.
    data, reading, progress
        True answers of a pilot, and how they are read: as for :func:`privacy`.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> found = pp.devices(probability=0.7).to_frame().set_index("device")
    >>> found.loc[["die", "ten-sided-die"], "probability"].round(4).tolist()
    [0.6667, 0.7]
    """
    if (design is None) != (attribute is None):
        raise ParameterError("A design and an attribute need each other.", field="attribute")
    if use is None and (share, share_se, out) != (None, None, None):
        raise ParameterError("share, share_se and out need a device to use.", field="use")
    if design is None or attribute is None:
        if use is not None:
            raise ParameterError("A device to use needs a design.", field="use")
        return _list() if probability is None else _for_probability(probability, nearest)
    from ppworkbench.core.design.design_file import write_design
    from ppworkbench.core.planning.alternatives import device_choices

    chosen = as_design(design)
    designed = chosen[attribute]
    exact_use = use_of(designed.perturbation, designed.attribute)
    pilot = read_pilot(chosen, data, reading, progress)
    exact, choices = device_choices(
        designed, pilot.priors.get(attribute), half_width, nearest=nearest
    )
    rows = [
        {
            "device": one.snapped.kind.name, "outcomes": _outcomes(one.snapped),
            "probability": one.snapped.snapped, "respondents": one.respondents,
            "more": one.respondents - exact, "burden": one.snapped.kind.burden,
        }
        for one in choices
    ]  # fmt: skip
    head = (
        f"{harmless(designed.attribute.heading)}: probability {exact_use.parts[0][1]:.6g}, "
        f"{_people(exact)} respondents for ± {100 * half_width:g} points"
    )
    document: dict[str, Any] = {
        "attribute": attribute,
        "exact": exact_use.parts[0][1],
        "respondents": exact,
        "half_width": half_width,
        "devices": {one.snapped.kind.name: one.to_json() for one in choices},
    }
    if use is not None:
        snapped, made = snap_to(use, designed.perturbation, designed.attribute, nearest=nearest)
        device = snapped.device.with_share(share, share_se)
        made = device.applied(made, designed.attribute)
        chosen = chosen.with_perturbation(attribute, made, device)
        document["device"] = device.to_json()
    if out is not None:
        write_design(chosen, os.fspath(out))
        document["file"] = os.fspath(out)
    remarks = (*pilot.remarks, OTHER_ARMS) if chosen.has_arms else pilot.remarks
    return DevicesResult(document, tuple(rows), head, chosen, remarks, pilot.state)


@dataclass(frozen=True, eq=False, repr=False)
class DevicesResult(Result):
    """Devices, one a row; ``design`` has the one that was to be used."""

    document: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]
    head: str = ""
    design: Design | None = None
    remarks: tuple[str, ...] = ()
    state: str = ""

    def _document(self) -> Mapping[str, Any]:
        told = dict(self.document)
        return told | {"remarks": list(self.remarks)} if self.remarks else told

    def summary(self) -> str:
        """The devices for people, as the command line prints them."""
        heads = [_HEADS.get(name, name) for name in self.rows[0]] if self.rows else []
        cells = [[_cell(name, one) for name, one in row.items()] for row in self.rows]
        numbers = [name for name in heads if name in _NUMBERS]
        lines = [self.head] if self.head else []
        lines.append(aligned(heads, cells, right=numbers))
        if "file" in self.document:
            lines.append(f"Wrote {harmless(self.document['file'])}.")
        return "\n\n".join(["\n".join(lines), *note_lines(self.remarks)])

    def to_frame(self) -> pd.DataFrame:
        """One row per device."""
        import pandas as pd

        return pd.DataFrame(list(self.rows))


_HEADS = {"label": "what it is", "known_to": "who knows the outcome", "seconds": "time"}
_NUMBERS = ("probability", "respondents", "more")


def _cell(name: str, value: Any) -> object:
    if name == "probability":
        return f"{value:.6g}"
    if name in ("respondents", "more"):
        return _people(value)
    if name == "seconds":
        return f"{value} s" if value else "–"
    return value


def _list() -> DevicesResult:
    rows = [
        {
            "device": kind.name, "label": kind.label, "probabilities": _reach(kind),
            "known_to": kind.known_to, "burden": kind.burden, "seconds": kind.seconds,
        }
        for kind in DEVICES.values()
    ]  # fmt: skip
    return DevicesResult({"devices": [_kind(kind) for kind in DEVICES.values()]}, rows)


def _kind(kind: DeviceKind) -> dict[str, Any]:
    return {
        "name": kind.name,
        "label": kind.label,
        "probabilities": "any" if kind.does_anything else list(kind.probabilities()),
        "known_to": kind.known_to,
        "burden": kind.burden,
        "objects": kind.objects,
        "steps": kind.steps,
        "sums": kind.has_sum,
        "seconds": kind.seconds,
        "natural": kind.is_natural,
    }


def _reach(kind: DeviceKind) -> str:
    if kind.does_anything:
        return "any"
    if kind.name == "spinner":
        return "whole per cent"
    if kind.is_even:
        return f"j/{len(kind.outcomes)}"
    chances = kind.probabilities()
    return f"{chances[0]:.3g} to {chances[-1]:.3g}"


def _for_probability(probability: float, nearest: bool) -> DevicesResult:
    found = reach_probability(probability, nearest=nearest)
    rows = [
        {
            "device": one.kind.name, "outcomes": _outcomes(one), "probability": one.snapped,
            "burden": one.kind.burden,
        }
        for one in found
    ]  # fmt: skip
    reached = {
        one.kind.name: {"snapped": one.snapped, "outcomes": one.device.to_json()} for one in found
    }
    document = {
        "probability": probability,
        "devices": {name: reached.get(name) for name in DEVICES},
    }
    return DevicesResult(document, rows)


def _outcomes(one: Snapped) -> str:
    told = one.device.to_json()
    parts = [
        f"{part}: {', '.join(map(str, some)) if isinstance(some, list) else some}"
        for part, some in told.items()
        if part not in ("name", "cards")
    ]
    return harmless("; ".join(parts)) or "any"


def _people(number: float) -> str:
    return f"{number:,.0f}" if math.isfinite(number) else "∞"
