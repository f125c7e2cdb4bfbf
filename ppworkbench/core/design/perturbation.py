"""What every perturbation is: frozen parameters that fit certain kinds of attributes."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Matrix, Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.channels import (
    NO_NUMBERS,
    NO_SETS,
    NO_VALUES,
    Naming,
    NumberChannel,
    SetChannel,
    ValueChannel,
)
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Params, Within
from ppworkbench.core.registry import Registry
from ppworkbench.core.rng import Stream

CATEGORICAL = frozenset({Kind.BINARY, Kind.NOMINAL, Kind.ORDINAL})
NUMERIC = frozenset({Kind.INTEGER, Kind.CONTINUOUS})


@dataclass(frozen=True)
class _EpsilonRange(Within):
    """The range of an epsilon; few people know by heart which end of it protects."""

    def demand_of(self, number: float) -> str:
        if number < self.low:
            return Message("it must be at least {low:g} (smaller is more private)", low=self.low)
        return Message("it must be at most {high:g} (smaller is more private)", high=self.high)


EPSILON = _EpsilonRange(0.001, 20)
"""A smaller epsilon tells nothing, a larger one nearly everything."""

WEIGHT = Within(1e-12, 1e12, or_zero=True)
"""A weight beside others; the number of people on earth is one."""

perturbations: Registry[type[Perturbation]] = Registry("mechanism type")
row_devices: Registry[type[Perturbation]] = Registry("mechanism type")
"""Devices of files that were collected with them; nobody chooses them in a list."""


@dataclass(frozen=True)
class Perturbation(Params, ABC):
    """The random mechanism of one attribute.

    Whatever the program wants to know about a mechanism it asks here; nobody asks for its class, so
    that a new one needs its own file only. The defaults say that there is nothing special.
    """

    type_name: ClassVar[str] = ""
    kinds: ClassVar[frozenset[Kind]] = frozenset()
    offered_for: ClassVar[frozenset[Kind]] = frozenset()
    """The kinds of attributes for which it can be chosen in a list; all that fit if empty."""
    own_design: ClassVar[str | None] = None
    """The named design that this perturbation is unless another was chosen."""
    is_identity: ClassVar[bool] = False
    """Whether answers are published as they are."""
    moves_to_neighbours: ClassVar[bool] = False
    """Whether an answer that is not kept becomes one near it on the scale of values."""
    file_version: ClassVar[int] = 1
    """The version of design files that knows it."""
    best_algorithm: ClassVar[str] = ""
    """The algorithm of reconstruction that was made for it; mostly there is none."""
    has_check: ClassVar[bool] = False
    """Whether a check question settles the unknown parameter, so that one device is enough."""
    is_factor: ClassVar[bool] = False
    """Whether numbers are multiplied, so that large ones spread more than small ones."""

    def check(self, attribute: Attribute) -> None:
        """Refuse an attribute that this perturbation cannot distort."""
        if attribute.kind not in self.kinds:
            fitting = tuple(map(Message, sorted(self.kinds)))
            raise DesignError.saying(
                "Attribute {attribute!r} is {kind}; the mechanism {type_name!r} "
                "needs {fitting} attributes.",
                kind=Message(attribute.kind),
                type_name=self.type_name,
                fitting=fitting,
                attribute=attribute.name,
                field="type",
            )

    @classmethod
    def start(cls, attribute: Attribute, before: Numbers | None = None) -> Perturbation:  # noqa: ARG003
        """What somebody begins with who chooses the mechanism for an attribute.

        ``before`` is the P-matrix that it takes the place of.
        """
        return cls()

    @classmethod
    def is_offered(cls, kind: Kind) -> bool:
        """Whether it is in the list of mechanisms for attributes of a kind.

        What is a named design is chosen under its name.
        """
        return cls.own_design is None and kind in (cls.offered_for or cls.kinds)

    @classmethod
    def why_not(cls, attribute: Attribute) -> str:  # noqa: ARG003
        """Why the mechanism cannot be chosen for an attribute of its kinds; empty if it can."""
        return ""

    def meant_for(self, attribute: Attribute) -> Perturbation:  # noqa: ARG002
        """The mechanism that a design means where it names this one for an attribute."""
        return self

    @abstractmethod
    def distort(self, data: NDArray[Any], attribute: Attribute, stream: Stream) -> NDArray[Any]:
        """Distort answers independently of each other; missing ones stay missing."""

    def distorted(self, attribute: Attribute) -> Attribute:
        """The attribute of the distorted column: the same unless the answers change in kind."""
        return attribute

    @property
    def design_name(self) -> str | None:
        """The named design that was chosen for it, or that it is."""
        return self.own_design

    def unnamed(self) -> Self:
        """The same without a named design that was chosen."""
        return self

    @abstractmethod
    def summary(self) -> str:
        """The mechanism in a few words, for lists."""

    def in_words(self, attribute: Attribute) -> str:  # noqa: ARG002
        """What happens to an answer, as a sentence, where its kind does not tell already."""
        return Message("Answers are changed at random: {summary}.", summary=self.summary())

    def cautions(self, attribute: Attribute) -> Iterator[str]:  # noqa: ARG002
        """What a designer should be warned of besides the numbers."""
        return iter(())

    def how_to_undo(self) -> str:
        """How an analyst estimates from the distorted answers, in a few words."""
        return Message("see the design")

    def page_words(self, attribute: Attribute) -> tuple[str, Mapping[str, float | str]]:
        """Which sentence tells a respondent what happens, and what is put into it."""
        raise self._not_on_a_page(attribute)

    def page_draw(self, attribute: Attribute) -> dict[str, Any]:
        """The mechanism as the script of a questionnaire page understands it."""
        raise self._not_on_a_page(attribute)

    def _not_on_a_page(self, attribute: Attribute) -> DesignError:
        return DesignError.saying(
            "A questionnaire page cannot randomise {attribute!r} by {type_name!r}; "
            "choose another mechanism.",
            type_name=self.type_name,
            attribute=attribute.name,
            field="type",
        )

    def free_parameters(self, attribute: Attribute) -> tuple[FreeParameter, ...]:  # noqa: ARG002
        """The parameters that a target may determine."""
        return ()

    def at_level(self, level: float) -> Perturbation | None:  # noqa: ARG002
        """The same kind of distortion of numbers at a privacy level in percent, if there is one."""
        return None

    @property
    def columns(self) -> tuple[str, ...]:
        """Other columns, not distorted, that decide which device a row has; mostly none."""
        return ()

    @property
    def unknown(self) -> str:
        """The parameter that has to be estimated from the answers; mostly there is none."""
        return ""

    def cases_of(
        self,
        data: Mapping[str, NDArray[Any]],
        attributes: Mapping[str, Attribute],  # noqa: ARG002
        name: str,
    ) -> Cases:
        """The device of every row, by the columns in ``data`` and their ``attributes``."""
        return Cases(np.zeros(len(data[name]), np.intp), (self,))

    @property
    def reports_sets(self) -> bool:
        """Whether a report names several values, so that there is no P-matrix but a ``naming``."""
        return self.sets is not NO_SETS

    def matrix_for(self, attribute: Attribute) -> Matrix | None:
        """The P-matrix of single answers with values; None for numbers and where sets are told."""
        is_single = attribute.kind.is_categorical and not self.reports_sets
        return self.values.matrix(attribute.k) if is_single else None

    def naming_for(self, attribute: Attribute) -> Naming | None:
        """How sets name the values of an attribute; None where reports are no sets."""
        return self.sets.naming(attribute.k) if self.reports_sets else None

    def why_not_single(self, attribute: Attribute) -> Message | None:  # noqa: ARG002
        """Why what needs single answers cannot be done with the reports; None if it can."""
        return None

    def analyst_note(self, attribute: Attribute) -> Message | None:  # noqa: ARG002
        """What an analyst must know of the reports besides the mechanism; mostly nothing."""
        return None

    @property
    def values(self) -> ValueChannel:
        """How answers of a question with values become reports."""
        return self if isinstance(self, ValueChannel) else NO_VALUES

    @property
    def numbers(self) -> NumberChannel:
        return self if isinstance(self, NumberChannel) else NO_NUMBERS

    @property
    def sets(self) -> SetChannel:
        """How answers become sets of values."""
        return self if isinstance(self, SetChannel) else NO_SETS

    def on_grid(self, attribute: Attribute) -> Self:  # noqa: ARG002
        """The same with a grid where its last digits could tell too much."""
        return self

    def device_use(self, attribute: Attribute) -> DeviceUse | None:  # noqa: ARG002
        """What a device in a respondent's hand decides; None where no device can do it."""
        return None

    def turn_loop(self) -> Perturbation | None:
        """The same with the ends of the scale joined or parted; None where that means nothing."""
        return None

    def made_finite(self, k: int, epsilon: float) -> Perturbation | None:  # noqa: ARG002
        """The same mixed with the even answer until it has this epsilon; None where it needs not.

        A mechanism offers it that is kept for teaching and rules answers out.
        """
        return None

    def epsilon_of(self, attribute: Attribute) -> float:  # noqa: ARG002
        """The local-privacy epsilon of a number; infinite unless a mechanism bounds it."""
        return math.inf

    def epsilon_step_of(self, attribute: Attribute) -> float | None:  # noqa: ARG002
        """Epsilon between neighbours on a scale, where that is smaller than between its ends."""
        return None

    @property
    def simplest(self) -> Perturbation:
        """The same mechanism in the one way in which it is written."""
        return self

    def to_json(self) -> dict[str, Any]:
        """The perturbation as it stands in a design file."""
        return {"type": self.type_name, **super().to_json()}


def read_perturbation(given: Mapping[str, Any], attribute: str) -> Perturbation:
    """Build the perturbation of a design file; errors name the attribute and the field."""
    fields = dict(given)
    type_name = fields.pop("type", None)
    family = row_devices if type_name in row_devices.names else perturbations
    if not isinstance(type_name, str) or type_name not in family:
        known = ", ".join((*perturbations.names, *row_devices.names))
        raise DesignError.saying(
            "Attribute {attribute!r}: the mechanism type {type_name!r} is unknown; "
            "known are {known}.",
            type_name=type_name,
            known=known,
            attribute=attribute,
            field="type",
        )
    try:
        return family[type_name].from_json(fields).simplest
    except (ParameterError, DesignError) as error:
        raise DesignError.saying(
            "Attribute {attribute!r}: {why}",
            why=error.message,
            attribute=attribute,
            field=error.field,
        ) from None


@dataclass(frozen=True, eq=False)
class Cases:
    """The devices that rows have, and which of them each row has; their names if they have any."""

    codes: NDArray[np.intp]
    devices: tuple[Perturbation, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class DeviceUse:
    """What a device in a respondent's hand decides.

    Parameters
    ----------
    scheme
        Which instructions the respondent gets.
    parts
        Names of sets of outcomes and their probabilities; the first is the one that is snapped.
    private
        The probability of the first part with which an answer tells nothing.
    put
        The perturbation with these probabilities, given exactly.
    is_whole
        Whether the parts are all outcomes; else the others mean "otherwise".
    is_separate
        Whether every part has a device of its own.
    is_last
        Whether the part has the last outcomes, so that the first ones mean "otherwise".
    """

    scheme: str
    parts: tuple[tuple[str, float], ...]
    private: float
    put: Callable[[Mapping[str, Fraction]], Perturbation]
    is_whole: bool = False
    is_separate: bool = False
    is_last: bool = False


def single_chance(perturbation: Perturbation, scheme: str, name: str, private: float) -> DeviceUse:
    """The use of a device that decides about one parameter alone."""

    def put(chances: Mapping[str, Fraction]) -> Perturbation:
        return dataclasses.replace(perturbation, **{name: float(chances["truth"])})

    return DeviceUse(scheme, (("truth", float(getattr(perturbation, name))),), private, put)


EVEN = 1e-9
"""Probabilities that differ by less than this are the same."""


def forced_use(
    values: tuple[str, ...],
    truth: float,
    forced: tuple[float, ...],
    put: Callable[[float, tuple[float, ...]], Perturbation],
) -> DeviceUse | None:
    """The use of a device that says "the truth", or which answer to give whatever is true.

    None where nothing is told or all, or where outcomes of a value could not be told from others.
    """
    k = len(values)
    if "truth" in values or "name" in values or k < 2 or not EVEN < truth < 1 - EVEN:
        return None
    # The sensitive answer mostly comes last, and is forced by the lowest outcomes.
    order = range(k - 1, -1, -1) if k == 2 else range(k)
    rest = tuple((values[i], (1 - truth) * forced[i]) for i in order)

    def put_chances(chances: Mapping[str, Fraction]) -> Perturbation:
        told = chances["truth"]
        if told == 1:
            return put(1.0, forced)
        return put(float(told), tuple(float(chances[value] / (1 - told)) for value in values))

    return DeviceUse("forced", (("truth", truth), *rest), 0.0, put_chances, is_whole=True)


@dataclass(frozen=True)
class FreeParameter:
    """One number of a perturbation that a target may determine.

    Parameters
    ----------
    truthful, private
        The ends of the range.
    scale
        How steps are made between the ends: ``linear`` or ``log``.
    whole
        Whether only whole numbers are possible.
    put
        The perturbation with the parameter set to a value.
    now
        The value that the perturbation has; None where another parameter stands in its place.
    at_epsilon
        The value at which epsilon is a wanted one, where a formula tells it.
    label
        What people call it, where the mechanism declares no parameter of this name.
    """

    name: str
    truthful: float
    private: float
    put: Callable[[float], Perturbation]
    scale: str = "linear"
    whole: bool = False
    now: float | None = None
    at_epsilon: Callable[[float], float] | None = None
    label: str = ""

    def position(self, value: float) -> float:
        """Where a value lies on the scale."""
        return math.log(value) if self.scale == "log" else value

    def value(self, position: float) -> float:
        """The value at a place on the scale, kept inside the range."""
        value = math.exp(position) if self.scale == "log" else position
        low, high = sorted((self.truthful, self.private))
        value = min(max(value, low), high)
        return float(round(value)) if self.whole else value


def free_probability(perturbation: Perturbation, name: str, lowest: float) -> FreeParameter:
    """A probability of the truth, from 1 down to where nothing is told."""

    def put(value: float) -> Perturbation:
        return dataclasses.replace(perturbation, **{name: value})

    return FreeParameter(name, 1.0, max(lowest, 0.0), put, now=float(getattr(perturbation, name)))


@perturbations.register("none", "Not randomised", short="None", rank=0, hint="no protection")
@dataclass(frozen=True)
class Identity(Perturbation, ValueChannel, NumberChannel):
    """The answer is published as it is."""

    type_name: ClassVar[str] = "none"
    kinds: ClassVar[frozenset[Kind]] = CATEGORICAL | NUMERIC
    is_identity: ClassVar[bool] = True

    def distort(
        self,
        data: NDArray[Any],
        attribute: Attribute,  # noqa: ARG002 (the interface of all perturbations)
        stream: Stream,  # noqa: ARG002
    ) -> NDArray[Any]:
        return data

    def summary(self) -> str:
        return Message("not randomised")

    def cautions(self, attribute: Attribute) -> Iterator[str]:  # noqa: ARG002
        yield "The true answer is reported: it is not randomised."

    def how_to_undo(self) -> str:
        return Message("no correction needed")

    def page_words(self, attribute: Attribute) -> tuple[str, Mapping[str, float | str]]:  # noqa: ARG002
        return "how_none", {}

    def page_draw(self, attribute: Attribute) -> dict[str, Any]:  # noqa: ARG002
        return {"type": "none"}

    def matrix(self, k: int) -> Numbers:
        return np.eye(k)

    def support(self, attribute: Attribute) -> tuple[float, float]:
        return attribute.domain or (-np.inf, np.inf)

    def unbiased(self, z: Numbers, attribute: Attribute) -> Numbers | None:  # noqa: ARG002
        return z

    def unbiased_variance(self, attribute: Attribute, mean: float, square: float) -> float | None:  # noqa: ARG002
        return max(square - mean**2, 0.0)

    @property
    def exact_share(self) -> float | None:
        return 1.0

    def entropy_privacy(self, attribute: Attribute) -> float | None:
        """One possible deviation of a whole number, an interval of width 0 of a real one."""
        return 1.0 if attribute.kind is Kind.INTEGER else 0.0
