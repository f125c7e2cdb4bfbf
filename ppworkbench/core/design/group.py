"""Multi-variant randomised response: one coin for a group of questions.

One coin per respondent and group decides whether the whole group is answered truly. Otherwise, in
the unrelated model, every answer of the group comes from the personal data, and in the related
model every answer is reversed (Zhan and Matwin 2007). A single attribute of a group is distorted as
if by an unrelated or related question of its own; only together do its answers share the coin.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.design.matrices import MatrixPerturbation, Related, Unrelated
from ppworkbench.core.design.sampler import MatrixSampler
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.rng import Stream, Streams

_KNOWN = ("attributes", "type", "theta", "personal")


@dataclass(frozen=True)
class Group:
    """Attributes that share one coin.

    ``personal`` holds, for the unrelated model, the distribution of the personal answer of each
    attribute that is not uniform.
    """

    attributes: tuple[str, ...]
    type: str
    theta: float
    personal: tuple[tuple[str, tuple[float, ...]], ...] = ()

    TYPES: ClassVar[tuple[str, ...]] = ("unrelated", "related")

    def __post_init__(self) -> None:
        if self.type not in self.TYPES:
            raise self._error(
                Message(
                    "has the type {kind!r}; it must be 'unrelated' or 'related'", kind=self.type
                ),
                "type",
            )
        if not self.attributes or len(set(self.attributes)) != len(self.attributes):
            raise self._error(Message("must list one or more different attributes"), "attributes")
        for name, _ in self.personal:
            if self.type == "related":
                raise self._error(Message("is related and takes no personal answers"), "personal")
            if name not in self.attributes:
                raise self._error(
                    Message("has personal answers for {name!r}, which is not in it", name=name),
                    "personal",
                )
        try:
            for name in self.attributes:
                self.marginal(name)
        except (ParameterError, DesignError) as error:
            raise DesignError.saying(
                "The group of {attributes!r} is not possible: {why}",
                attributes=self.attributes,
                why=error.message,
                field=error.field,
            ) from None

    def _error(self, what: str, field: str | None) -> DesignError:
        return DesignError.saying(
            "The group of {attributes!r} {what}.",
            attributes=self.attributes,
            what=what,
            field=field,
        )

    def marginal(self, name: str) -> MatrixPerturbation:
        if self.type == "related":
            return Related(theta=self.theta)
        return Unrelated(theta=self.theta, personal=dict(self.personal).get(name))

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        for name in given:
            DesignError.unless_known(
                "A group has the unknown field {name!r}; known are {known}.", name, _KNOWN,
                field=name,
            )  # fmt: skip
        for name in ("attributes", "type", "theta"):
            if name not in given:
                raise DesignError.saying("A group lacks the field {name!r}.", name=name, field=name)
        attributes, theta, personal = given["attributes"], given["theta"], given.get("personal", {})
        if not isinstance(attributes, list) or not all(isinstance(a, str) for a in attributes):
            raise DesignError("A group's attributes must be a list of names.", field="attributes")
        if isinstance(theta, bool) or not isinstance(theta, int | float):
            raise DesignError("A group's theta must be a number.", field="theta")
        if not isinstance(personal, Mapping):
            raise DesignError(
                "A group's personal answers must be listed by name.", field="personal"
            )
        if not all(isinstance(weights, list) for weights in personal.values()):
            raise DesignError(
                "A group's personal answers must be a list of probabilities for each name.",
                field="personal",
            )
        listed = tuple((name, tuple(weights)) for name, weights in personal.items())
        return cls(tuple(attributes), str(given["type"]), float(theta), listed)

    def to_json(self) -> dict[str, Any]:
        result: dict[str, Any] = {
            "attributes": list(self.attributes),
            "type": self.type,
            "theta": self.theta,
        }
        if self.personal:
            result["personal"] = {name: list(weights) for name, weights in self.personal}
        return result


class GroupSampler:
    def __init__(self, group: Group, values: Mapping[str, int], streams: Streams) -> None:
        self._group = group
        self._coin = streams.stream("group", *group.attributes)
        self._answers: dict[str, tuple[MatrixSampler, Stream]] = {}
        for name in group.attributes:
            k = values[name]
            # With theta 0 the marginal is what happens when the coin says "not the truth".
            other = Group(
                (name,), group.type, 0.0, tuple(p for p in group.personal if p[0] == name)
            )
            matrix = other.marginal(name).matrix(k)
            self._answers[name] = MatrixSampler(matrix), streams.stream(name)

    def draw(self, columns: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Distort the codes of all columns of the group with one coin per record."""
        rows = len(next(iter(columns.values())))
        truth = self._coin.random(rows) < self._group.theta
        result = {}
        for name, data in columns.items():
            sampler, stream = self._answers[name]
            result[name] = np.where(truth, data, sampler.draw(data, stream)).astype(data.dtype)
        return result
