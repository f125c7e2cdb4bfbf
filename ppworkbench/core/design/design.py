"""The distortion of a whole questionnaire: all an analyst must know besides the data."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import shorten
from ppworkbench.core.design.devices import Device
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.design.presets import named_design
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message

_ROUNDED = 1e-6
"""How far a probability that somebody rounded may lie from that of its device."""


@dataclass(frozen=True)
class DesignedAttribute:
    """An attribute, how it is distorted, and what becomes of missing answers.

    ``missing_is_value`` makes a missing answer one of the values, distorted with the rest.
    """

    attribute: Attribute
    perturbation: Perturbation
    missing_is_value: bool = False
    device: Device | None = None
    """What the respondent has in hand; its outcomes decide about the probabilities."""

    def __post_init__(self) -> None:
        """Refuse a perturbation that does not fit, and forget what a design does not hold."""
        given = self.attribute
        public = Attribute(
            given.name,
            given.kind,
            values=given.values,
            domain=given.domain,
            sensitive=given.sensitive,
            title=given.title,
            unit=given.unit,
        )
        object.__setattr__(self, "attribute", public)
        self.perturbation.check(public)
        self._drop_other_name()
        self._keep_to_device()
        if self.missing_is_value and MISSING_VALUE not in public.values:
            raise DesignError(
                Message(
                    "Attribute {attribute!r}: “missing” can be a value only if "
                    "{missing_value!r} is one of the values.",
                    attribute=given.name,
                    missing_value=MISSING_VALUE,
                ),
                attribute=given.name,
                field="missing",
            )

    def _drop_other_name(self) -> None:
        """Forget a named design that a change of parameters has led away from."""
        one = self.perturbation
        unnamed = one.unnamed()
        if unnamed is not one and named_design(one, self.attribute.values) is None:
            object.__setattr__(self, "perturbation", unnamed)

    def _keep_to_device(self) -> None:
        """Take the exact probabilities of the device, or forget one that they have left."""
        if self.device is None:
            return
        try:
            exact = self.device.applied(self.perturbation, self.attribute)
        except DesignError:
            exact = None
        if exact is None or not _is_close(exact, self.perturbation, self.attribute):
            object.__setattr__(self, "device", None)
        elif exact != self.perturbation:
            object.__setattr__(self, "perturbation", exact)

    @property
    def name(self) -> str:
        """The attribute's name."""
        return self.attribute.name

    @property
    def distorted(self) -> Attribute:
        """The attribute of the distorted column."""
        return self.perturbation.distorted(self.attribute)


def _is_close(exact: Perturbation, given: Perturbation, attribute: Attribute) -> bool:
    if exact == given:
        return True
    return np.allclose(exact.matrix(attribute.k), given.matrix(attribute.k), 0, _ROUNDED)


@dataclass(frozen=True)
class Design:
    """Perturbations of all attributes, groups that share a coin, the class and the sampling.

    ``sampling`` says which columns tell how people were drawn; they may be no part of the design,
    and those that are go undistorted.
    """

    attributes: tuple[DesignedAttribute, ...]
    class_name: str | None = None
    groups: tuple[Group, ...] = ()
    sampling: Sampling | None = None

    def __post_init__(self) -> None:
        """Refuse names that stand twice or nowhere, and groups that overlap or do not fit."""
        if len(self._index) != len(self.attributes):
            names = [designed.name for designed in self.attributes]
            twice = next(name for name in names if names.count(name) > 1)
            raise DesignError(
                Message("Attribute {twice!r} is in the design twice.", twice=twice), attribute=twice
            )
        if self.class_name is not None and self.class_name not in self._index:
            raise DesignError(
                Message(
                    "The class {class_name!r} is not one of the attributes.",
                    class_name=self.class_name,
                ),
                field="class",
            )
        seen: set[str] = set()
        for group in self.groups:
            for name in group.attributes:
                self._check_member(group, name, name in seen)
                seen.add(name)
        for name in () if self.sampling is None else self.sampling.columns:
            self._check_role(name, name in seen)
        for designed in self.attributes:
            for column in designed.perturbation.columns:
                self._check_column(designed.name, column, column in seen)

    def _check_member(self, group: Group, name: str, again: bool) -> None:
        if again:
            raise DesignError(
                Message("Attribute {attribute!r} is in two groups.", attribute=name), attribute=name
            )
        designed = self[name]
        if not designed.perturbation.is_identity:
            raise DesignError(
                Message(
                    "Attribute {attribute!r} is in a group; its own mechanism must be 'none'.",
                    attribute=name,
                ),
                attribute=name,
                field="perturbation",
            )
        group.marginal(name).check(designed.attribute)

    def _check_role(self, name: str, is_in_group: bool) -> None:
        if name not in self or (self[name].perturbation.is_identity and not is_in_group):
            return
        raise DesignError(
            Message(
                "Attribute {attribute!r} is randomised, so it cannot have a sampling role.",
                attribute=name,
            ),
            attribute=name,
            field="sampling",
        )

    def _check_column(self, name: str, column: str, is_in_group: bool) -> None:
        if column in self and self[column].perturbation.is_identity and not is_in_group:
            return
        raise DesignError(
            Message(
                "The device of {attribute!r} differs by {column!r}, which must be an attribute of "
                "the design that is not randomised.",
                attribute=name,
                column=column,
            ),
            attribute=name,
            field="perturbation",
        )

    @cached_property
    def _index(self) -> dict[str, int]:
        return {designed.name: i for i, designed in enumerate(self.attributes)}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all designed attributes."""
        return tuple(self._index)

    def __contains__(self, name: object) -> bool:
        """Whether the attribute is designed."""
        return name in self._index

    def __iter__(self) -> Iterator[DesignedAttribute]:
        """The designed attributes in order."""
        return iter(self.attributes)

    def __getitem__(self, name: str) -> DesignedAttribute:
        """The designed attribute of that name."""
        if name not in self._index:
            raise DesignError(
                Message(
                    "The design has no attribute {attribute!r}; it has {names}.",
                    attribute=name,
                    names=shorten(self.names),
                ),
                attribute=name,
            )
        return self.attributes[self._index[name]]

    def group_of(self, name: str) -> Group | None:
        """The group that the attribute is in."""
        return next((group for group in self.groups if name in group.attributes), None)

    def perturbation(self, name: str) -> Perturbation:
        """How a single attribute is distorted, alone or as a member of its group."""
        group = self.group_of(name)
        return self[name].perturbation if group is None else group.marginal(name)

    def needed(self, names: Iterable[str]) -> tuple[str, ...]:
        """These attributes, and the columns that decide about their devices."""
        asked = tuple(names)
        known = (self[name].perturbation.columns for name in asked if name in self)
        return tuple(dict.fromkeys((*asked, *(column for found in known for column in found))))

    @property
    def original_schema(self) -> tuple[Attribute, ...]:
        """The attributes as they are answered."""
        return tuple(designed.attribute for designed in self.attributes)

    @property
    def distorted_schema(self) -> tuple[Attribute, ...]:
        """The attributes as they are published."""
        return tuple(designed.distorted for designed in self.attributes)

    def with_perturbation(
        self, name: str, perturbation: Perturbation, device: Device | None = None
    ) -> Self:
        """The same design with one attribute distorted in another way, by another device if given.

        The device of before stays where the probabilities are still those of its outcomes.
        """
        before = self[name]
        changed = dataclasses.replace(
            before, perturbation=perturbation, device=device or before.device
        )
        listed = tuple(changed if d.name == name else d for d in self.attributes)
        return dataclasses.replace(self, attributes=listed)
