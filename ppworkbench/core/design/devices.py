"""Devices that people can use: coins, dice, cards, birthdays, and what they can do exactly.

A probability that was wished for is snapped to a set of outcomes of the device, on the private side
unless the nearest is wanted. A design stores the outcomes; probabilities are fractions of them.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design.perturbation import DeviceUse, Identity, Perturbation
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message

Outcome = int | str
_TRUTH = "truth"
_SAME = 1e-9
_STEP = 1e-4
"""By so much a share is moved at most to see what depends on it."""
_OWN = ("share", "standard_error")
_MOST_ERROR = 0.5
"""A share that is known no better than this is not known."""
_MOST_CARDS = 1000
DECK = 20
"""Cards of a deck where nobody says how many."""
MOST_DEVICES = 2
"""More different devices than this confuse respondents."""

_RESPONDENT = Message("the respondent alone")
_REGISTER = Message("perhaps a register; ask about somebody the surveyor does not know")


@dataclass(frozen=True)
class DeviceKind:
    """What a device can do and what it asks of people.

    ``weights`` are the probabilities of the ``outcomes``, all alike if not given. A set of outcomes
    begins with the first of them. ``is_natural`` marks shares of a population, which are estimates;
    ``is_counted`` a device whose outcomes are so many equal cards or sectors. ``seconds`` is
    a rough guide.
    """

    name: str
    label: Message
    outcomes: tuple[Outcome, ...]
    objects: Message
    weights: tuple[Fraction, ...] = ()
    known_to: Message = _RESPONDENT
    burden: str = "low"
    steps: int = 1
    seconds: int = 5
    has_sum: bool = False
    is_natural: bool = False
    is_counted: bool = False

    def __post_init__(self) -> None:
        count = len(self.outcomes)
        if count and not self.weights:
            object.__setattr__(self, "weights", (Fraction(1, count),) * count)

    @cached_property
    def is_even(self) -> bool:
        return len(set(self.weights)) == 1

    @property
    def does_anything(self) -> bool:
        """Whether it draws with any probability, as a computer does."""
        return not self.outcomes

    def resized(self, size: int | None) -> DeviceKind:
        if size is None or size == len(self.outcomes):
            return self
        return dataclasses.replace(self, outcomes=tuple(range(1, size + 1)), weights=())

    def chance(self, outcomes: tuple[Outcome, ...]) -> Fraction:
        if self.is_even:
            return Fraction(len(outcomes), len(self.outcomes))
        known = dict(zip(self.outcomes, self.weights, strict=True))
        return sum((known[one] for one in outcomes), Fraction(0))

    def probabilities(self) -> tuple[float, ...]:
        return tuple(float(one) for one in itertools.accumulate(self.weights[:-1]))


def _coins(tosses: int, name: str, label: Message) -> DeviceKind:
    faces = tuple("".join(one) for one in itertools.product("HT", repeat=tosses))
    return DeviceKind(name, label, faces, Message("coins"), steps=tosses, seconds=5 * tosses)


def _natural(name: str, label: Message, start: int, cumulated: list[Fraction]) -> DeviceKind:
    weights = (after - before for before, after in itertools.pairwise((Fraction(0), *cumulated)))
    return DeviceKind(
        name,
        label,
        tuple(range(start, start + len(cumulated))),
        Message("nothing"),
        tuple(weights),
        known_to=_REGISTER,
        seconds=8,
        is_natural=True,
    )


_QUARTERS = 1461
"""Quarter days of a mean year of 365.25 days."""
_MONTHS = (124, 113, 124, 120, 124, 120, 124, 124, 120, 124, 120, 124)
_DAYS = (*(48,) * 28, 45, 44, 28)
"""Quarter days of a mean year that lie in a month, or on a day of the month."""


def _cumulated(quarters: tuple[int, ...]) -> list[Fraction]:
    return [Fraction(total, _QUARTERS) for total in itertools.accumulate(quarters)]


_DIGITS: tuple[Outcome, ...] = tuple(range(10))
_SUITS = ("hearts", "diamonds", "clubs", "spades")
_KINDS = (
    _coins(1, "coin", Message("Coin")),
    _coins(2, "two-coins", Message("Two coins")),
    _coins(3, "three-coins", Message("Three coins")),
    DeviceKind("die", Message("Die"), tuple(range(1, 7)), Message("dice")),
    DeviceKind(
        "two-dice",
        Message("Sum of two dice"),
        tuple(range(2, 13)),
        Message("dice"),
        tuple(Fraction(6 - abs(7 - total), 36) for total in range(2, 13)),
        burden="medium",
        steps=2,
        seconds=12,
        has_sum=True,
    ),
    DeviceKind("ten-sided-die", Message("Ten-sided die"), _DIGITS, Message("dice")),
    DeviceKind("banknote", Message("Last digit of a banknote"), _DIGITS, Message("a banknote")),
    DeviceKind(
        "phone-number",
        Message("Last digit of a phone number"),
        _DIGITS,
        Message("nothing"),
        known_to=Message("the respondent; a phone number may be known"),
        seconds=8,
    ),
    DeviceKind("card-suit", Message("Suit of a playing card"), _SUITS, Message("cards")),
    DeviceKind(
        "card-colour", Message("Colour of a playing card"), ("red", "black"), Message("cards")
    ),
    DeviceKind(
        "card-rank", Message("Rank of a playing card"), tuple(range(1, 14)), Message("cards")
    ),
    _natural("birthday-month", Message("Month of a birthday"), 1, _cumulated(_MONTHS)),
    _natural("birthday-day", Message("Day of the month of a birthday"), 1, _cumulated(_DAYS)),
    # Differences of these fractions add up again to the very doubles that log10 gives.
    _natural(
        "house-number",
        Message("First digit of a house number"),
        1,
        [Fraction(math.log10(1 + digit)) for digit in range(1, 10)],
    ),
    DeviceKind(
        "spinner",
        Message("Spinner or cut-out disc"),
        tuple(range(1, 101)),
        Message("a disc"),
        burden="medium",
        seconds=10,
        is_counted=True,
    ),
    DeviceKind(
        "deck",
        Message("Deck of marked cards"),
        tuple(range(1, DECK + 1)),
        Message("cards"),
        burden="high",
        seconds=15,
        is_counted=True,
    ),
    DeviceKind(
        "page",
        Message("Questionnaire page"),
        (),
        Message("a computer"),
        known_to=Message("the server of the page, which must be trusted"),
        burden="none",
        steps=0,
        seconds=0,
    ),
)
DEVICES: Mapping[str, DeviceKind] = {kind.name: kind for kind in _KINDS}
"""All devices by name."""


@dataclass(frozen=True)
class Device:
    """A device of one question: which outcomes mean what.

    >>> die = Device("die", (("truth", (2, 3, 4, 5)), ("yes", (1,)), ("no", (6,))))
    >>> die.chance("truth")
    Fraction(2, 3)
    >>> die.to_json()
    {'name': 'die', 'truth': [2, 3, 4, 5], 'yes': [1], 'no': [6]}
    """

    name: str
    parts: tuple[tuple[str, tuple[Outcome, ...]], ...] = ()
    size: int | None = None
    """How many cards a deck has."""
    share: float | None = None
    """The share of people with these outcomes, where somebody knows it better than the table."""
    standard_error: float | None = None
    """How far that share is known; it goes into the intervals of estimates."""

    def __post_init__(self) -> None:
        if self.kind.is_counted:
            # Cards and sectors are all alike, and a file has only their numbers: the parts take
            # them in turn. A second deck has cards of its own, so it may begin anywhere.
            cards = itertools.cycle(self.kind.outcomes)
            parts = ((part, tuple(itertools.islice(cards, len(o)))) for part, o in self.parts)
            object.__setattr__(self, "parts", tuple(parts))

    @property
    def kind(self) -> DeviceKind:
        return DEVICES[self.name].resized(self.size)

    def outcomes(self, part: str) -> tuple[Outcome, ...]:
        return dict(self.parts)[part]

    def chance(self, part: str) -> Fraction:
        if self.share is not None:
            return Fraction(self.share)
        return self.kind.chance(self.outcomes(part))

    def with_share(self, share: float | None, standard_error: float | None) -> Device:
        """The same outcomes with a share that is known from elsewhere, and how well.

        >>> month = Device("birthday-month", (("truth", (1, 2, 3)),))
        >>> float(month.with_share(0.26, 0.01).chance("truth"))
        0.26
        """
        if (share, standard_error) != (None, None) and not self.kind.is_natural:
            raise ParameterError.saying(
                "The shares of the device {device!r} are exact; only birthdays and digits of "
                "a population can have own ones.",
                device=self.name,
                field="share",
            )
        if (share, standard_error) != (None, None) and len(self.parts) > 1:
            raise ParameterError.saying(
                "An own share serves a device with one set of outcomes; this one has {count}.",
                count=len(self.parts),
                field="share",
            )
        if share is not None and not 0 < share < 1:
            raise ParameterError.saying(
                "The own share is {share:g}; it must be above 0 and below 1.",
                share=share,
                field="share",
            )
        if standard_error is not None and not 0 <= standard_error < _MOST_ERROR:
            raise ParameterError.saying(
                "The standard error of the own share is {error:g}; it must be at least 0 and "
                "below {most:g}.",
                error=standard_error,
                most=_MOST_ERROR,
                field="standard_error",
            )
        return dataclasses.replace(self, share=share, standard_error=standard_error or None)

    @property
    def step(self) -> float:
        """How far the share can be moved to both sides; 0 for what everybody or nobody has."""
        share = float(self.chance(self.parts[0][0]))
        return min(_STEP, share / 2, (1 - share) / 2)

    def moved(self, by: float) -> Device:
        """The same with a share that is larger by so much, to see what depends on it."""
        return dataclasses.replace(self, share=float(self.chance(self.parts[0][0])) + by)

    def spread(self, perturbation: Perturbation, attribute: Attribute) -> Numbers | None:
        """The change of the matrix with one standard error of the share; None if it is exact.

        Every matrix is linear in the share of its device, so a difference is the derivative.
        """
        if self.standard_error is None or not self.step:
            return None
        step = self.step
        ends = (self.moved(by).applied(perturbation, attribute) for by in (step, -step))
        more, less = (one.values.matrix(attribute.k) for one in ends)
        return np.asarray((more - less) * (self.standard_error / (2 * step)), np.float64)

    def to_json(self) -> dict[str, Any]:
        kind = self.kind
        result: dict[str, Any] = {"name": self.name}
        if self.size is not None:
            result["cards"] = self.size
        for part, outcomes in self.parts:
            result[part] = len(outcomes) if kind.is_counted else list(outcomes)
        own = {"share": self.share, "standard_error": self.standard_error}
        return result | {field: value for field, value in own.items() if value is not None}

    @classmethod
    def from_json(cls, given: Any, attribute: str) -> Device:
        name = given.get("name") if isinstance(given, Mapping) else None
        if not isinstance(given, Mapping) or not isinstance(name, str) or name not in DEVICES:
            raise _wrong(
                attribute,
                Message(
                    "the device must be an object with a name; known are {known}",
                    known=", ".join(DEVICES),
                ),
            )
        fields = dict(given)
        name, size = str(fields.pop("name")), None
        if name == "deck":
            size = fields.pop("cards", DECK)
            if not isinstance(size, int) or isinstance(size, bool) or not 2 <= size <= _MOST_CARDS:
                raise _wrong(
                    attribute,
                    Message(
                        "a deck has 2 to {most} cards, not {size!r}", most=_MOST_CARDS, size=size
                    ),
                )
        kind = DEVICES[name].resized(size)
        # Only the devices of a population have own shares; elsewhere these are names of answers.
        own = [fields.pop(field, None) for field in _OWN] if kind.is_natural else [None, None]
        if any(one is not None and (_is_bool(one) or not _is_number(one)) for one in own):
            raise _wrong(attribute, Message("the own share of the device must be a number"))
        parts = tuple((part, _outcomes(kind, some, attribute)) for part, some in fields.items())
        try:
            return cls(name, parts, size).with_share(*own)
        except ParameterError as error:
            raise DesignError(error.message, attribute=attribute, field="device") from None

    def applied(self, perturbation: Perturbation, attribute: Attribute) -> Perturbation:
        """The perturbation with the probabilities of the device; an error if it does not fit."""
        if self.kind.does_anything:
            return perturbation
        use = use_of(perturbation, attribute)
        wanted = {part for part, _ in use.parts}
        given = {part for part, _ in self.parts}
        if given != wanted:
            raise _wrong(
                attribute.name,
                Message(
                    "the device must say the outcomes of {wanted!r}",
                    wanted=tuple(part for part, _ in use.parts),
                ),
            )
        chances = {part: self.chance(part) for part, _ in self.parts}
        if not use.is_separate:
            listed = [one for _, outcomes in self.parts for one in outcomes]
            is_whole = sum(chances.values()) == 1
            if not self.kind.is_counted and len(set(listed)) < len(listed):
                raise _wrong(attribute.name, Message("an outcome of the device has two meanings"))
            if sum(chances.values()) > 1 or (use.is_whole and not is_whole):
                raise _wrong(
                    attribute.name, Message("every outcome of the device must have one meaning")
                )
        return use.put(chances)


def _outcomes(kind: DeviceKind, given: Any, attribute: str) -> tuple[Outcome, ...]:
    if kind.is_counted and isinstance(given, int) and not isinstance(given, bool):
        if 0 <= given <= len(kind.outcomes):
            return kind.outcomes[:given]
    elif isinstance(given, list) and not kind.is_counted:
        is_known = all(isinstance(one, int | str) and one in kind.outcomes for one in given)
        if is_known and len(set(given)) == len(given) and True not in map(_is_bool, given):
            return tuple(given)
    raise _wrong(
        attribute,
        Message(
            "{given!r} are no outcomes of the device {device!r}",
            given=str(given)[:60],
            device=kind.name,
        ),
    )


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _wrong(attribute: str, what: Message) -> DesignError:
    return DesignError.saying(
        "Attribute {attribute!r}: {what}.", what=what, attribute=attribute, field="device"
    )


def use_of(perturbation: Perturbation, attribute: Attribute) -> DeviceUse:
    """What a device has to decide; an error where no device does it."""
    use = perturbation.device_use(attribute)
    if use is None:
        raise _wrong(
            attribute.name,
            Message(
                "no device that people can use does the mechanism {type_name!r}; choose a named "
                "design",
                type_name=perturbation.type_name,
            ),
        )
    return use


@dataclass(frozen=True)
class Snapped:
    """A wished-for probability, and what a device makes of it."""

    kind: DeviceKind
    device: Device
    exact: float
    snapped: float

    @property
    def is_exact(self) -> bool:
        return abs(self.exact - self.snapped) <= _SAME


def snap(use: DeviceUse, kind: DeviceKind, *, nearest: bool = False) -> Snapped | None:
    """The outcomes of a device that come closest on the private side; None if there are none.

    ``nearest`` allows the other side as well.

    Examples
    --------
    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design.matrices import Forced
    >>> asked = Attribute("drug", Kind.BINARY, ("no", "yes"))
    >>> found = snap(use_of(Forced(p_truth=0.7143), asked), DEVICES["die"])
    >>> found.device.to_json()
    {'name': 'die', 'truth': [2, 3, 4, 5], 'yes': [1], 'no': [6]}
    """
    exact = use.parts[0][1]
    if kind.does_anything:
        return Snapped(kind, Device(kind.name), exact, exact)
    best: tuple[float, Device, float] | None = None
    for device in _candidates(use, kind):
        chance = float(device.chance(use.parts[0][0]))
        told, wished = chance - use.private, exact - use.private
        if abs(told) <= _SAME:
            continue
        is_private = told * wished > 0 and abs(told) <= abs(wished) + _SAME
        if not nearest and not is_private:
            continue
        distance = abs(chance - exact)
        if best is None or distance < best[0] - _SAME:
            best = distance, device, chance
    return None if best is None else Snapped(kind, best[1], exact, best[2])


def _candidates(use: DeviceUse, kind: DeviceKind) -> Iterator[Device]:
    size = len(kind.outcomes) if kind.name == "deck" else None
    if use.is_separate:
        yield from _two_decks(use, kind, size)
    elif not use.is_whole:
        part, m = use.parts[0][0], len(kind.outcomes)
        is_last = use.is_last and kind.weights == kind.weights[::-1]
        for count in range(1, m):
            chosen = kind.outcomes[m - count :] if is_last else kind.outcomes[:count]
            yield Device(kind.name, ((part, chosen),), size)
    elif not kind.is_natural:
        yield from _divided(use, kind, size)


def _divided(use: DeviceUse, kind: DeviceKind, size: int | None) -> Iterator[Device]:
    """Every outcome has a meaning: the truth, or one of the answers at their given proportion."""
    (truth, wished), *others = use.parts
    shares = np.array([chance for _, chance in others]) / max(1 - wished, _SAME)
    names = [name for name, _ in others]
    if wished >= 1 - _SAME:
        shares = np.full(len(others), 1 / len(others))
    outcomes, m = kind.outcomes, len(kind.outcomes)
    for kept in range(m):
        counts = shares * (m - kept)
        whole = np.rint(counts).astype(int)
        if kind.is_even and np.abs(counts - whole).max() > 1e-6:
            continue
        if len(others) == 2:
            # The first answer forced by the low outcomes, the other one by the high ones.
            low, high = (int(whole[0]), int(whole[1])) if kind.is_even else ((m - kept) // 2,) * 2
            if low + high != m - kept:
                continue
            forced: tuple[tuple[Outcome, ...], ...] = (outcomes[:low], outcomes[m - high :])
            rest = outcomes[low : m - high]
        elif kind.is_even:
            ends = list(itertools.accumulate(whole.tolist(), initial=0))
            forced = tuple(outcomes[a:b] for a, b in itertools.pairwise(ends))
            rest = outcomes[ends[-1] :]
        else:
            continue
        device = Device(kind.name, ((truth, rest), *zip(names, forced, strict=True)), size)
        told = np.array([float(device.chance(name)) for name in names])
        if np.abs(told - shares * told.sum()).max() <= _SAME:
            yield device


def _two_decks(use: DeviceUse, kind: DeviceKind, size: int | None) -> Iterator[Device]:
    """Each part has its own deck; both are moved towards each other, so that less is told."""
    if not kind.is_counted:
        return
    (one, first), (other, second) = use.parts
    m = len(kind.outcomes)
    inward = (math.floor, math.ceil) if first > second else (math.ceil, math.floor)
    counts = [round_(round(m * p, 9)) for round_, p in zip(inward, (first, second), strict=True)]
    if (counts[0] - counts[1]) * (first - second) > 0:
        yield Device(
            kind.name,
            ((one, kind.outcomes[: counts[0]]), (other, kind.outcomes[: counts[1]])),
            size,
        )


def snap_to(
    name: str, perturbation: Perturbation, attribute: Attribute, *, nearest: bool = False
) -> tuple[Snapped, Perturbation]:
    """The outcomes of one device for a question, and the perturbation that they make."""
    ParameterError.unless_known(
        "There is no device {name!r}; known are {known}.", name, DEVICES, field="device"
    )
    use = use_of(perturbation, attribute)
    found = snap(use, DEVICES[name], nearest=nearest)
    if found is None:
        raise unreachable(DEVICES[name], use.parts[0][1])
    return found, found.device.applied(perturbation, attribute)


def reach_probability(probability: float, *, nearest: bool = False) -> tuple[Snapped, ...]:
    """What every device makes of one probability; an error if none reaches it.

    The private side is that of less truth.
    """
    if not 0 < probability < 1:
        raise ParameterError.saying(
            "The probability is {probability:g}; it must be above 0 and below 1.",
            probability=probability,
            field="probability",
        )
    use = DeviceUse("", ((_TRUTH, probability),), 0.0, lambda _: Identity())
    tried = (snap(use, kind, nearest=nearest) for kind in DEVICES.values())
    found = tuple(one for one in tried if one is not None)
    if all(one.kind.does_anything for one in found):
        raise ParameterError.saying(
            "No device reaches a probability of {probability:.4g} or less; only a "
            "questionnaire page does.",
            probability=probability,
            field="probability",
        )
    return found


def unreachable(kind: DeviceKind, probability: float) -> ParameterError:
    return ParameterError.saying(
        "The device {device!r} reaches no probability on the private side of "
        "{probability:.4g}; choose another device or the nearest probability.",
        device=kind.name,
        probability=probability,
        field="device",
    )


_USUAL = {
    "forced": ("die", "two-dice", "ten-sided-die", "coin"),
    "warner": ("spinner", "die"),
    "crosswise": ("birthday-month", "birthday-day", "card-suit"),
    "triangular": ("birthday-month", "birthday-day", "card-suit"),
    "unrelated": ("two-coins", "coin", "die"),
    "kuk": ("deck",),
}


@lru_cache(256)
def exact_device(perturbation: Perturbation, attribute: Attribute) -> Device | None:
    """The most usual device that does a mechanism exactly; None if there is none.

    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design.matrices import Forced
    >>> exact_device(Forced(p_truth=2 / 3), Attribute("a", Kind.BINARY, ("no", "yes"))).name
    'die'
    """
    use = perturbation.device_use(attribute)
    if use is None:
        return None
    for name in dict.fromkeys((*_USUAL.get(use.scheme, ()), *DEVICES)):
        found = snap(use, DEVICES[name])
        if found is None or not found.is_exact or not found.device.parts:
            continue
        made = found.device.applied(perturbation, attribute)
        k = attribute.k
        if np.allclose(made.values.matrix(k), perturbation.values.matrix(k), atol=_SAME):
            return found.device
    return None
