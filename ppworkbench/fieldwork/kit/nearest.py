"""Devices that come nearest to a question which none does exactly, each with the changed design."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute, Perturbation
from ppworkbench.core.design.devices import DEVICES, Device, DeviceKind
from ppworkbench.core.design.noises import Additive
from ppworkbench.core.design.perturbation import DeviceUse
from ppworkbench.core.design.procedures import MOST_SLIPS, find_procedure
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.planning.alternatives import device_choices, needed_with
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.spending import epsilon_of

HALF_WIDTH = 0.05
"""The precision for which people are counted where nobody says it."""
_MOST = 3
_BY_COUNTS = ("coin", "two-coins", "three-coins", "die", "ten-sided-die", "card-suit", "deck",
              "spinner")  # fmt: skip


@dataclass(frozen=True, eq=False)
class NearestDevice:
    """A device that can do a question after a small change.

    Parameters
    ----------
    label
        What is thrown or drawn.
    difference
        How far a probability of the design moves at most.
    epsilon
        The epsilon of the question with the device.
    respondents
        How many answers the precision needs; infinite where nothing can be estimated, nan for a
        number, whose precision depends on its unit.
    design
        The design with the change made.
    """

    label: Message
    device: Device | None
    perturbation: Perturbation
    difference: float
    epsilon: float
    respondents: float
    design: Design


def nearest_devices(
    design: Design, name: str, prior: Prior | None = None, half_width: float = HALF_WIDTH
) -> tuple[NearestDevice, ...]:
    """The three devices that come nearest to a question; none where a card cannot do it at all.

    Every offer can be written on a card exactly as its design says.
    """
    designed = design[name]
    if design.group_of(name) is not None or designed.perturbation.is_identity:
        return ()
    if designed.attribute.kind.is_numeric:
        offers = _slip_offers(design, designed)
    else:
        offers = _device_offers(design, designed, prior, half_width)
    found: list[NearestDevice] = []
    for one in sorted(offers, key=lambda offer: offer.difference):
        is_new = all(one.label != other.label for other in found)
        if is_new and _can_be_done(one.design, name):
            found.append(one)
    return tuple(found[:_MOST])


def _can_be_done(design: Design, name: str) -> bool:
    try:
        find_procedure(design, name)
    except WorkbenchError:
        return False
    return True


def _device_offers(
    design: Design, designed: DesignedAttribute, prior: Prior | None, half_width: float
) -> Iterator[NearestDevice]:
    attribute, perturbation = designed.attribute, designed.perturbation
    use = perturbation.device_use(attribute)
    if use is None:
        return
    wanted = perturbation.values.matrix(attribute.k)
    _, choices = device_choices(designed, prior, half_width, nearest=True)
    made = [(one.snapped.device, one.perturbation, one.respondents) for one in choices]
    made += [
        (device, changed, needed_with(attribute, changed, prior, half_width))
        for device, changed in _by_counts(use, perturbation, attribute)
    ]
    for device, changed, needed in made:
        # What is only assumed is no device that gives shares exactly.
        if device.kind.does_anything or device.kind.is_natural:
            continue
        result = design.with_perturbation(attribute.name, changed, device)
        difference = float(np.abs(changed.values.matrix(attribute.k) - wanted).max())
        yield NearestDevice(
            device.kind.label, device, changed, difference,
            epsilon_of(result, attribute.name), needed, result,
        )  # fmt: skip


def _by_counts(
    use: DeviceUse, perturbation: Perturbation, attribute: Attribute
) -> Iterator[tuple[Device, Perturbation]]:
    """Forced answers whose shares are rounded to outcomes, the largest remainders first."""
    if use.scheme != "forced":
        return
    for name in _BY_COUNTS:
        kind = DEVICES[name]
        device = _rounded(use, kind)
        try:
            if device is not None:
                yield device, device.applied(perturbation, attribute)
        except WorkbenchError:
            continue


def _rounded(use: DeviceUse, kind: DeviceKind) -> Device | None:
    shares = np.array([share for _, share in use.parts]) * len(kind.outcomes)
    counts = np.floor(shares).astype(int)
    for place in np.argsort(counts - shares)[: len(kind.outcomes) - int(counts.sum())]:
        counts[place] += 1
    if counts[0] in (0, len(kind.outcomes)):
        return None
    # As on every card: the first forced answer by the lowest outcomes, the truth after them.
    order = [1, 0, *range(2, len(counts))] if len(counts) == 3 else [*range(1, len(counts)), 0]
    taken, parts, size = 0, {}, len(kind.outcomes)
    for place in order:
        parts[place] = kind.outcomes[taken : taken + int(counts[place])]
        taken += int(counts[place])
    named = tuple((part, parts[place]) for place, (part, _) in enumerate(use.parts))
    return Device(kind.name, named, size if kind.name == "deck" else None)


def _slip_offers(design: Design, designed: DesignedAttribute) -> Iterator[NearestDevice]:
    attribute = designed.attribute
    noise = designed.perturbation.numbers.added_noise(attribute)
    if attribute.kind is not Kind.INTEGER or noise is None:
        return
    spread = math.sqrt(noise.variance)
    for reach in range(1, MOST_SLIPS + 1):
        changed = Additive(noise="uniform", half_width=float(reach), integer="staircase")
        result = design.with_perturbation(attribute.name, changed)
        yield NearestDevice(
            Message("Slips from −{reach} to {reach}", reach=reach),
            None,
            changed,
            abs(math.sqrt(reach * (reach + 1) / 3) - spread),
            epsilon_of(result, attribute.name),
            math.nan,
            result,
        )
