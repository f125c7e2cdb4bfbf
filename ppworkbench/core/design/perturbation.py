"""What every perturbation is: frozen parameters that fit certain kinds of attributes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Params
from ppworkbench.core.registry import Registry
from ppworkbench.core.rng import Stream

CATEGORICAL = frozenset({Kind.BINARY, Kind.NOMINAL, Kind.ORDINAL})
NUMERIC = frozenset({Kind.INTEGER, Kind.CONTINUOUS})

perturbations: Registry[type[Perturbation]] = Registry("perturbation type")


@dataclass(frozen=True)
class Perturbation(Params, ABC):
    """The random mechanism of one attribute."""

    type_name: ClassVar[str] = ""
    kinds: ClassVar[frozenset[Kind]] = frozenset()

    def check(self, attribute: Attribute) -> None:
        """Refuse an attribute that this perturbation cannot distort."""
        if attribute.kind not in self.kinds:
            fitting = tuple(map(Message, sorted(self.kinds)))
            raise DesignError(
                Message(
                    "Attribute {attribute!r} is {kind}; the perturbation {type_name!r} is "
                    "for {fitting} attributes.",
                    attribute=attribute.name,
                    kind=Message(attribute.kind),
                    type_name=self.type_name,
                    fitting=fitting,
                ),
                attribute=attribute.name,
                field="type",
            )

    @abstractmethod
    def distort(self, data: NDArray[Any], attribute: Attribute, stream: Stream) -> NDArray[Any]:
        """Distort answers independently of each other; missing ones stay missing."""

    def distorted(self, attribute: Attribute) -> Attribute:
        """The attribute of the distorted column: the same unless the answers change in kind."""
        return attribute

    @abstractmethod
    def summary(self) -> str:
        """The mechanism in a few words, for lists."""

    def to_json(self) -> dict[str, Any]:
        """The perturbation as it stands in a design file."""
        return {"type": self.type_name, **super().to_json()}


def read_perturbation(given: Mapping[str, Any], attribute: str) -> Perturbation:
    """Build the perturbation of a design file; errors name the attribute and the field."""
    fields = dict(given)
    type_name = fields.pop("type", None)
    if not isinstance(type_name, str) or type_name not in perturbations:
        known = ", ".join(perturbations.names)
        raise DesignError(
            Message(
                "Attribute {attribute!r}: the perturbation type {type_name!r} is not "
                "known; known are {known}.",
                attribute=attribute,
                type_name=type_name,
                known=known,
            ),
            attribute=attribute,
            field="type",
        )
    try:
        return perturbations[type_name].from_json(fields)
    except (ParameterError, DesignError) as error:
        raise DesignError(
            Message(
                "Attribute {attribute!r}, perturbation {type_name!r}: {why}",
                attribute=attribute,
                type_name=type_name,
                why=error.message,
            ),
            attribute=attribute,
            field=error.field,
        ) from None
