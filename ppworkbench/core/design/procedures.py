"""What a person does by hand to randomise an answer, outcome by outcome.

A mechanism fits if its device never needs to know more than "the truth" or "this answer": a named
device, the truth or a forced answer, a group with one throw, or a numbered slip that is added to a
whole number. Every procedure lists its outcomes, so that what a card says can be compared with the
matrix of the design; one that differs from it is refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.channels import NumberChannel
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.devices import DEVICES, Device, Outcome, exact_device, snap
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.perturbation import DeviceUse, Perturbation
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message

NONE, SLIPS, GROUP = "none", "slips", "group"
MOST_SLIPS = 10
"""Noise of more than this to both sides needs more slips than anybody mixes well."""
SAME = 1e-9
OTHER_TABLE, NO_DEVICE, BY_ARMS = "other-table", "no-device", "by-arms"
"""Codes of why a question cannot be randomised by hand."""
_TRUTH = "truth"

Report = Callable[[int], int]
"""From the place of the true answer to the place of the reported one."""


@dataclass(frozen=True)
class Procedure:
    """What is thrown for a question, and what every outcome means.

    Parameters
    ----------
    scheme
        Which instructions the respondent gets: that of the device's use, ``slips``, ``group``, or
        ``none`` for an answer that is given as it is.
    device
        What is thrown; None for slips and for answers as they are.
    other
        In a group of unrelated answers: what is thrown for each question that is not answered
        truly.
    reach
        The largest number on a slip.
    personal
        The distribution of the harmless answer, which no device makes.
    """

    attribute: Attribute
    scheme: str
    device: Device | None = None
    group: Group | None = None
    other: Device | None = None
    reach: int = 0
    personal: tuple[float, ...] = ()

    @property
    def is_assumed(self) -> bool:
        """Whether its shares are those of a population, which nobody knows exactly."""
        is_natural = self.device is not None and self.device.kind.is_natural
        return is_natural or bool(self.personal)

    def outcomes(self) -> Iterator[tuple[Fraction, Report]]:
        if self.scheme == NONE:
            yield Fraction(1), lambda truth: truth
        elif self.scheme == SLIPS:
            chance = Fraction(1, 2 * self.reach + 1)
            for slip in range(-self.reach, self.reach + 1):
                yield chance, lambda truth, slip=slip: truth + slip  # type: ignore[misc]
        elif self.scheme == "kuk":
            yield from self._two_decks()
        else:
            yield from self._single()

    def matrix(self) -> Numbers:
        """``P[r, c]``, the sum over all outcomes that report r when c is true."""
        k = self.attribute.k
        found = [[Fraction(0)] * k for _ in range(k)]
        for chance, report in self.outcomes():
            for truth in range(k):
                found[report(truth)][truth] += chance
        return np.array([[float(cell) for cell in row] for row in found])

    def slips(self) -> dict[int, Fraction]:
        """What is added to a number, with its probability."""
        return {report(0): chance for chance, report in self.outcomes()}

    def _single(self) -> Iterator[tuple[Fraction, Report]]:
        assert self.device is not None  # noqa: S101 (only slips and plain answers have none)
        meanings = {one: part for part, outcomes in self.device.parts for one in outcomes}
        for outcome, chance in _weights(self.device):
            if chance:
                yield from self._meant(chance, meanings.get(outcome))

    def _meant(self, chance: Fraction, part: str | None) -> Iterator[tuple[Fraction, Report]]:
        """What an outcome of that part makes of an answer; None is "otherwise"."""
        is_truth = part == _TRUTH
        simple: dict[str, Report] = {
            "warner": lambda truth: truth if is_truth else 1 - truth,
            # Both sentences alike is the report of the last value.
            "crosswise": lambda truth: int(bool(truth) is is_truth),
            "triangular": lambda truth: int(bool(truth) or is_truth),
            "mangat": lambda truth: truth if truth or is_truth else 1,
        }
        if self.scheme in simple:
            yield chance, simple[self.scheme]
        elif is_truth:
            yield chance, lambda truth: truth
        elif self.scheme == "forced":
            place = self.attribute.values.index(str(part))
            yield chance, lambda _: place
        elif self.scheme == "unrelated":
            for place, share in enumerate(self.personal):
                yield chance * Fraction(share), lambda _, place=place: place  # type: ignore[misc]
        elif self.group is not None and self.group.type == "related":
            yield chance, lambda truth: 1 - truth
        else:
            yield from self._thrown_again(chance)

    def _thrown_again(self, chance: Fraction) -> Iterator[tuple[Fraction, Report]]:
        assert self.other is not None  # noqa: S101 (groups of unrelated answers have one)
        for part, outcomes in self.other.parts:
            if part != _TRUTH and outcomes:
                place = self.attribute.values.index(part)
                again = self.other.kind.chance(outcomes)
                yield chance * again, lambda _, place=place: place  # type: ignore[misc]

    def _two_decks(self) -> Iterator[tuple[Fraction, Report]]:
        """A card of each deck: the left one counts for the last answer, the right for the first."""
        assert self.device is not None  # noqa: S101 (Kuk's decks)
        (_, left), (_, right) = self.device.parts
        cards = self.device.kind.outcomes
        chance = Fraction(1, len(cards) ** 2)
        for one, other in itertools.product(cards, cards):
            red = int(other in right), int(one in left)
            yield chance, lambda truth, red=red: red[truth]  # type: ignore[misc]


def _weights(device: Device) -> Iterator[tuple[Outcome, Fraction]]:
    """The outcomes of a device with their probabilities; an own share is spread over its part."""
    kind = device.kind
    pairs = zip(kind.outcomes, kind.weights, strict=True)
    if device.share is None:
        yield from pairs
        return
    own = Fraction(device.share)
    inside = set(device.parts[0][1])
    whole = kind.chance(device.parts[0][1])
    for outcome, weight in pairs:
        is_inside = outcome in inside
        yield outcome, weight * (own / whole if is_inside else (1 - own) / (1 - whole))


def find_procedure(design: Design, name: str) -> Procedure:
    """How a question of a design is randomised by hand.

    Raises
    ------
    DesignError
        When no procedure gives the probabilities of the design exactly; its message has a code.
    """
    designed, group = design[name], design.group_of(name)
    if design.has_arms:
        raise _refused(
            name,
            Message(
                "Every arm has a form of its own. Use the page, or print the cards of each arm.",
                code=BY_ARMS,
            ),
        )
    if design.ask is not None:
        raise _refused(
            name,
            Message(
                "Everybody is asked some of the questions. Only the page draws which.", code=BY_ARMS
            ),
        )
    found = _in_group(designed, group) if group is not None else _alone(designed)
    if found.scheme != SLIPS:
        wanted = design.perturbation(name)
        if found.scheme != NONE and not np.allclose(
            found.matrix(), wanted.values.matrix(designed.attribute.k), rtol=0, atol=SAME
        ):
            raise _refused(name, _no_device())
    return found


def is_page_only(mechanism: type[Perturbation], kind: Kind) -> bool:
    """Whether people cannot randomise so by hand, whatever the parameters: only a page can."""
    if mechanism.is_identity is True:
        return False
    if kind.is_numeric:
        usual = NumberChannel.steps_of
        return kind is not Kind.INTEGER or getattr(mechanism, "steps_of", usual) is usual
    return mechanism.device_use is Perturbation.device_use


def _alone(designed: DesignedAttribute) -> Procedure:
    attribute, perturbation = designed.attribute, designed.perturbation
    if perturbation.is_identity:
        return Procedure(attribute, NONE)
    if attribute.kind.is_numeric:
        return Procedure(attribute, SLIPS, reach=_slips(perturbation, attribute))
    use = perturbation.device_use(attribute)
    if use is None:
        raise _refused(attribute.name, _other_table())
    device = designed.device
    if device is None or device.kind.does_anything:
        device = exact_device(perturbation, attribute)
    if device is None:
        raise _refused(attribute.name, _no_device())
    personal: tuple[float, ...] = ()
    if use.scheme == "unrelated":
        coin = perturbation.values.coin
        k = attribute.k
        given = None if coin is None else coin.other
        personal = (1 / k,) * k if given is None else given
    return Procedure(attribute, use.scheme, device, personal=personal)


def _slips(perturbation: Perturbation, attribute: Attribute) -> int:
    """The largest number on a slip, where every number to both sides is equally likely."""
    if attribute.kind is not Kind.INTEGER:
        raise _refused(attribute.name, _other_table())
    steps = perturbation.numbers.steps_of(attribute)
    is_plain = steps is not None and perturbation.numbers.added_noise(attribute) is not None
    if steps is None or not is_plain or not steps.flat or steps.step != 1:
        raise _refused(attribute.name, _other_table())
    if not 1 <= steps.reach <= MOST_SLIPS:
        raise _refused(
            attribute.name,
            Message(
                "Its noise needs slips from −{reach} to {reach}; people mix at most {most}.",
                code=NO_DEVICE,
                reach=steps.reach,
                most=2 * MOST_SLIPS + 1,
            ),
        )
    return steps.reach


def _in_group(designed: DesignedAttribute, group: Group) -> Procedure:
    attribute = designed.attribute
    device = _exact(DeviceUse("", ((_TRUTH, group.theta),), 0.0, lambda _: designed.perturbation))
    if device is None:
        raise _refused(attribute.name, _no_device())
    if group.type == "related":
        return Procedure(attribute, GROUP, device, group)
    shares = dict(group.personal).get(attribute.name) or (1 / attribute.k,) * attribute.k
    other = _dividing(attribute.values, shares)
    if other is None:
        raise _refused(attribute.name, _no_device())
    return Procedure(attribute, GROUP, device, group, other)


_THROWN = ("coin", "two-coins", "die", "ten-sided-die", "card-suit", "two-dice", "deck", "spinner")
"""What groups throw, the simplest first."""


def _exact(use: DeviceUse) -> Device | None:
    for name in _THROWN:
        found = snap(use, DEVICES[name])
        if found is not None and found.is_exact:
            return found.device
    return None


def _dividing(values: Sequence[str], shares: Sequence[float]) -> Device | None:
    if {_TRUTH, "name"} & set(values):
        return None
    for name in _THROWN:
        kind = DEVICES[name]
        counts = np.array(shares) * len(kind.outcomes)
        whole = np.rint(counts).astype(int)
        if kind.is_even and np.abs(counts - whole).max() <= SAME * len(kind.outcomes):
            ends = [0, *itertools.accumulate(whole.tolist())]
            parts = (kind.outcomes[a:b] for a, b in itertools.pairwise(ends))
            size = len(kind.outcomes) if name == "deck" else None
            return Device(name, ((_TRUTH, ()), *zip(values, parts, strict=True)), size)
    return None


def _other_table() -> Message:
    return Message(
        "Too complex for a card. Ask this question on the web page.",
        code=OTHER_TABLE,
    )


def _no_device() -> Message:
    return Message(
        "No coin, die or card gives these probabilities exactly. Choose one of the nearest, or "
        "ask on the web page.",
        code=NO_DEVICE,
    )


def _refused(name: str, why: Message) -> DesignError:
    return DesignError(why, attribute=name, field="device")
