"""What people use to randomise: the devices of a question, what each costs, and which is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ppworkbench.analyses.designs.goals import Goal
from ppworkbench.core.design import Design, Perturbation
from ppworkbench.core.design.devices import Device, DeviceKind, use_of
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.planning.alternatives import DeviceChoice, device_choices, needed_with
from ppworkbench.core.planning.questionnaire import device_warnings
from ppworkbench.core.privacy.belief import meant_places
from ppworkbench.fieldwork.page.cards import Card, cards_of, needs_card
from ppworkbench.fieldwork.page.pictures import Picture
from ppworkbench.study.questionnaire.texts import Texts, texts_of
from ppworkbench.study.study import Study

PAGE = "page"
"""The device of a question that the questionnaire page randomises."""
SHIFT = 0.02
"""How far an assumed share may be wrong, to show what that does to the estimate."""


@dataclass(frozen=True, eq=False)
class DeviceOffer:
    """A device that can do a question.

    Parameters
    ----------
    exact, snapped
        The probability of the design, and what the device makes of it.
    respondents, extra
        How many people the goal needs with the device, and how many more that is.
    """

    kind: DeviceKind
    device: Device
    perturbation: Perturbation
    exact: float
    snapped: float
    respondents: float
    extra: float

    @property
    def name(self) -> str:
        return self.kind.name

    @property
    def is_page(self) -> bool:
        """Whether people use nothing, and the page draws."""
        return self.kind.does_anything

    @property
    def fraction(self) -> str:
        """The probability as people would count it; empty where it is no fraction of outcomes."""
        return "" if self.is_page else fraction_text(self.device)


@dataclass(frozen=True, eq=False)
class DeviceOffers:
    name: str
    exact: float
    respondents: float
    half_width: float
    offers: tuple[DeviceOffer, ...]

    def find(self, name: str) -> DeviceOffer | None:
        return next((one for one in self.offers if one.name == name), None)


def can_have_device(study: Study, name: str) -> bool:
    if name not in study.design or study.design.group_of(name) is not None:
        return False
    designed = study.design[name]
    return designed.perturbation.device_use(designed.attribute) is not None


def offer_devices(study: Study, name: str, *, nearest: bool = False) -> DeviceOffers:
    """What every device makes of a question; the study's goal says for which precision."""
    designed = study.design[name]
    half_width = Goal.from_json(study.goals).planned_points / 100
    prior = study.prior(name)
    exact, choices = device_choices(designed, prior, half_width, nearest=nearest)
    use = designed.perturbation.device_use(designed.attribute)
    wished = 1.0 if use is None else use.parts[0][1]
    offers = [_offer(one, exact) for one in choices]
    device = designed.device
    if device is not None:
        # What was chosen is exact, also where an own share is none of the device's steps.
        chosen = DeviceOffer(device.kind, device, designed.perturbation, wished, wished, exact, 0.0)
        offers = [chosen if one.name == device.name else one for one in offers]
    return DeviceOffers(name, wished, exact, half_width, tuple(offers))


def _offer(one: DeviceChoice, exact: float) -> DeviceOffer:
    snapped = one.snapped
    return DeviceOffer(
        snapped.kind, snapped.device, one.perturbation, snapped.exact, snapped.snapped,
        one.respondents, one.respondents - exact,
    )  # fmt: skip


def with_own_share(
    study: Study, offers: DeviceOffers, offer: DeviceOffer, share: float | None, error: float | None
) -> DeviceOffer:
    """A device with a share that somebody knows better; an error if it cannot be one."""
    attribute = study.design[offers.name].attribute
    device = offer.device.with_share(share, error)
    made = device.applied(offer.perturbation, attribute)
    (part, _), *_others = device.parts
    needed = needed_with(attribute, made, study.prior(offers.name), offers.half_width)
    return replace(
        offer, device=device, perturbation=made, snapped=float(device.chance(part)),
        respondents=needed, extra=needed - offers.respondents,
    )  # fmt: skip


def burden_sentence(kind: DeviceKind) -> Message:
    """What a device asks of people; the time is a rough guide."""
    template = {
        "low": "low, about {seconds} s; needs: {objects}",
        "medium": "medium, about {seconds} s; needs: {objects}",
        "high": "high, about {seconds} s; needs: {objects}",
    }.get(kind.burden, "none; needs: {objects}")
    if kind.has_sum:
        template = "medium, about {seconds} s and a sum; needs: {objects}"
    return Message(template, seconds=kind.seconds, objects=kind.objects)


def fraction_text(device: Device) -> str:
    """The probability of the first part in outcomes of the device, not reduced.

    >>> fraction_text(Device("die", (("truth", (2, 3, 4, 5)),)))
    '4/6'
    >>> fraction_text(Device("two-dice", (("truth", (2, 3, 4)),)))
    '6/36'
    """
    kind = device.kind
    if kind.is_natural or kind.does_anything or not device.parts:
        return ""
    part, outcomes = device.parts[0]
    if kind.is_even:
        return f"{len(outcomes)}/{len(kind.outcomes)}"
    whole = max(weight.denominator for weight in kind.weights)
    return f"{device.chance(part) * whole}/{whole}"


def device_sentence(design: Design, name: str) -> Message:
    device = design[name].device
    if device is None:
        return Message("Randomised by the page")
    if device.kind.does_anything:
        return Message("None: the questionnaire page draws")
    return _told(device)


def share_shift(study: Study, name: str, by: float = SHIFT) -> float | None:
    """How far the estimate of the sensitive answers moves if an assumed share is larger by so much.

    With the assumed matrix P, the true one Q and the expected shares of the answers it is the sum
    of P^-1 Q shares - shares over the sensitive answers. None where the shares of the device are
    exact, or nothing can be estimated.
    """
    designed = study.design[name]
    device, attribute = designed.device, designed.attribute
    if device is None or not device.kind.is_natural:
        return None
    expected = study.prior(name).probabilities
    use = use_of(designed.perturbation, attribute)
    chances = {part: device.chance(part) for part, _ in device.parts}
    first = device.parts[0][0]
    rest = sum(chances.values()) - chances[first]
    moved = {
        part: chance + Fraction(by) if part == first else chance - Fraction(by) * chance / rest
        for part, chance in chances.items()
    }
    if not all(0 <= chance <= 1 for chance in moved.values()):
        return None
    assumed, true = (use.put(one).values.matrix(attribute.k) for one in (chances, moved))
    try:
        change = np.linalg.solve(assumed, true @ expected) - expected
    except np.linalg.LinAlgError:
        return None
    return float(change[meant_places(attribute, expected)].sum())


def share_sentence(study: Study, name: str) -> Message | None:
    """What an assumed share that is not quite right does to the estimate; None for exact ones."""
    shifts = [share_shift(study, name, by) for by in (SHIFT, -SHIFT)]
    found = [abs(one) for one in shifts if one is not None]
    if not found:
        return None
    attribute = study.design[name].attribute
    places = meant_places(attribute, study.prior(name).probabilities)
    return Message(
        "The share is assumed: ± {points:g} points in it change the estimate of “{answers}” by "
        "± {change:.1f} points.",
        points=100 * SHIFT,
        answers=", ".join(attribute.values[place] for place in places),
        change=100 * max(found),
    )


def _told(device: Device) -> Message:
    """A device with the outcomes of its parts."""
    kind = device.kind
    counted = kind.is_counted
    parts = [
        _part_told(part, f"{len(some)}" if counted else _outcomes_told(some))
        for part, some in device.parts
        if some
    ]
    listed = Message.joined(parts, ", ")
    if kind.is_natural:
        (part, _), *_others = device.parts
        share = float(device.chance(part))
        if device.standard_error is not None:
            return Message(
                "{device}: {outcomes}, share {share:.3g} ± {error:.2g}",
                device=kind.label, outcomes=listed, share=share, error=device.standard_error,
            )  # fmt: skip
        return Message(
            "{device}: {outcomes}, share {share:.3g}",
            device=kind.label, outcomes=listed, share=share,
        )  # fmt: skip
    if counted:
        return Message(
            "{device} ({size}): {outcomes}",
            device=kind.label, size=len(kind.outcomes), outcomes=listed,
        )  # fmt: skip
    return Message("{device}: {outcomes}", device=kind.label, outcomes=listed)


def _part_told(part: str, outcomes: str) -> Message:
    if part == "truth":
        return Message("{outcomes} truth", outcomes=outcomes)
    return Message("{outcomes} “{answer}”", outcomes=outcomes, answer=part)


def _outcomes_told(outcomes: Sequence[int | str]) -> str:
    numbers = [one for one in outcomes if isinstance(one, int)]
    if len(numbers) == len(outcomes) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]}–{numbers[-1]}"
    return "+".join(map(str, outcomes))


def with_device(study: Study, name: str, offer: DeviceOffer) -> Study:
    design = study.design.with_perturbation(name, offer.perturbation, offer.device)
    return study.with_(design=design)


def find_device_warning(design: Design) -> str:
    """What to say of too many different devices in a questionnaire; empty if they are few."""
    return next(iter(device_warnings(design)), "")


def device_picture(study: Study, name: str, offer: DeviceOffer, language: str) -> Picture | None:
    """The picture of the card that a device would have; None for the page, which has none."""
    if offer.is_page:
        return None
    design = with_device(study, name, offer).design
    alone = Design((design[name],))
    try:
        (card,) = cards_of(alone, (language,), _texts(study), (name,))
    except WorkbenchError:
        return None
    return card.picture


def study_cards(study: Study, languages: Sequence[str], arms: Sequence[str] = ()) -> list[Card]:
    """The cards of all questions that have an exact device; those without one have none."""
    found: list[Card] = []
    design, texts = study.design, _texts(study)
    for name in questions_with_cards(design):
        try:
            found += cards_of(design, languages, texts, (name,), arms)
        except WorkbenchError:
            continue
    return found


def questions_with_cards(design: Design) -> tuple[str, ...]:
    """The questions that people randomise by hand in some arm, lists among them."""
    versions = design.plain_designs().values()
    names = [
        name
        for name in design.names
        if any(name in own and needs_card(own, own[name]) for own in versions)
    ]
    return (*names, *(one.name for one in design.lists))


def questions_without_device(study: Study) -> tuple[str, ...]:
    """The questions that get no card, because no device does their probabilities exactly."""
    have = {card.attribute for card in study_cards(study, ("en",))}
    return tuple(name for name in questions_with_cards(study.design) if name not in have)


def _texts(study: Study) -> Texts:
    return texts_of(study.attributes)


def exact_share(device: Device) -> Fraction:
    """The share of the table, whatever somebody knows better."""
    (_, outcomes), *_others = device.parts
    return device.kind.chance(outcomes)
