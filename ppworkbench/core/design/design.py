"""The distortion of a whole questionnaire: all an analyst must know besides the data."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling, role_columns, without_roles
from ppworkbench.core.data.table import shorten
from ppworkbench.core.design.anchors import Anchor, Anchors, check_anchors, fitting_anchors
from ppworkbench.core.design.arms import ONE_VERSION, Arms, DesignArm
from ppworkbench.core.design.budget import DesignBudget, Parts
from ppworkbench.core.design.devices import Device
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.identity import Identity
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.design.presets import named_design
from ppworkbench.core.errors import DesignError, ParameterError
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
            domain_source=given.domain_source,
            outside=given.outside,
        )
        object.__setattr__(self, "attribute", public)
        object.__setattr__(self, "perturbation", self.perturbation.meant_for(public))
        self.perturbation.check(public)
        self._drop_other_name()
        self._keep_to_device()
        if self.missing_is_value and MISSING_VALUE not in public.values:
            raise DesignError.saying(
                "Attribute {attribute!r}: “missing” can be a value only if "
                "{missing_value!r} is one of the values.",
                missing_value=MISSING_VALUE,
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
    def share_spread(self) -> Numbers | None:
        """What one standard error of the device's share changes in the matrix; None if nothing."""
        if self.device is None:
            return None
        return self.device.spread(self.perturbation, self.attribute)

    @property
    def why_not_single(self) -> Message | None:
        """Why what needs single answers cannot be done with the reports; None if it can."""
        if not self.perturbation.reports_sets:
            return None
        return Message(
            "Reports of {attribute!r} are sets of values, and this needs single answers; "
            "leave the attribute out or choose another mechanism.",
            attribute=self.name,
        )

    @property
    def distorted(self) -> Attribute:
        """The attribute of the distorted column."""
        return self.perturbation.distorted(self.attribute)


def _is_close(exact: Perturbation, given: Perturbation, attribute: Attribute) -> bool:
    if exact == given:
        return True
    k = attribute.k
    return np.allclose(exact.values.matrix(k), given.values.matrix(k), 0, _ROUNDED)


@dataclass(frozen=True)
class Design:
    """Perturbations of all attributes, groups that share a coin, class, sampling, arms and lists.

    ``sampling`` says which columns tell how people were drawn; they may be no part of the design,
    and those that are go undistorted. ``arms`` are versions of the questionnaire; their column is
    an attribute of the design, undistorted, and becomes one where it is not listed. So does the
    count of each of the ``lists``; the question behind a list is no attribute, as no column has it.
    ``anchors`` are the check questions of some of the questions. ``budget`` is the total that the
    questions share; with its ``ask`` each respondent gets some of them only.
    """

    attributes: tuple[DesignedAttribute, ...]
    class_name: str | None = None
    groups: tuple[Group, ...] = ()
    sampling: Sampling | None = None
    arms: Arms | None = None
    lists: tuple[ListQuestion, ...] = ()
    anchors: Anchors = ()
    budget: DesignBudget | None = None

    def __post_init__(self) -> None:
        """Refuse names that stand twice or nowhere, groups that overlap, and arms that do not fit.

        The column of the arms and the counts of lists become attributes.
        """
        if not self.has_arms:
            # Also what was made of the one version of a design without arms.
            object.__setattr__(self, "arms", None)
        self._add_drawn_columns()
        if len(self._index) != len(self.attributes):
            names = [designed.name for designed in self.attributes]
            twice = next(name for name in names if names.count(name) > 1)
            raise DesignError.saying(
                "Attribute {twice!r} is in the design twice.", twice=twice, attribute=twice
            )
        if self.class_name is not None and self.class_name not in self._index:
            raise DesignError.saying(
                "The class {class_name!r} is not one of the attributes.",
                class_name=self.class_name,
                field="class",
            )
        grouped = self._check_groups()
        for name in self.roles:
            self._check_role(name, name in grouped)
        for designed in self.attributes:
            for column in designed.perturbation.columns:
                self._check_column(designed.name, column, column in grouped)
        if self.has_arms:
            self._check_arms(self.versions, grouped)
        for one in self.lists:
            self._check_list(one, grouped)
        check_anchors(self.anchors, self.original_schema)
        (self.budget or DesignBudget()).check_names(self.names)

    def _add_drawn_columns(self) -> None:
        shown = {one.count: one.count_attribute for one in self.lists}
        for column in self.versions.columns:
            shown[column] = Attribute(column, Kind.NOMINAL, self.versions.names)
        known = {one.name for one in self.attributes}
        added = tuple(
            DesignedAttribute(one, Identity()) for name, one in shown.items() if name not in known
        )
        if added:
            object.__setattr__(self, "attributes", (*self.attributes, *added))

    def _check_list(self, asked: ListQuestion, grouped: set[str]) -> None:
        asked.check_arms(self.versions)
        names = [other.name for other in self.lists]
        counts = [other.count for other in self.lists]
        if asked.name in self._index or names.count(asked.name) > 1:
            raise DesignError(
                Message(
                    "{attribute!r} is asked by a list, so it cannot be asked in another way, too.",
                    attribute=asked.name,
                ),
                attribute=asked.name,
                field="lists",
            )
        designed = self[asked.count]
        is_plain = designed.perturbation.is_identity and asked.count not in grouped
        told = designed.attribute
        if not is_plain or (told.kind, told.domain) != (
            Kind.INTEGER,
            asked.count_attribute.domain,
        ):
            raise DesignError(
                Message(
                    "{column!r} holds the counts of the list of {attribute!r}, so it must be "
                    "integer, from 0 to {most}, and not randomised.",
                    column=asked.count,
                    attribute=asked.name,
                    most=asked.size + 1,
                ),
                attribute=asked.count,
                field="lists",
            )
        if counts.count(asked.count) > 1:
            raise DesignError(
                Message("Two lists have the same counts {column!r}.", column=asked.count),
                attribute=asked.count,
                field="lists",
            )

    def _check_groups(self) -> set[str]:
        seen: set[str] = set()
        for group in self.groups:
            for name in group.attributes:
                self._check_member(group, name, name in seen)
                seen.add(name)
        return seen

    def _check_arms(self, arms: Arms, grouped: set[str]) -> None:
        self._check_arm_column(arms, arms.column in grouped)
        checked = tuple(self._checked_arm(arm, grouped) for arm in arms.members)
        object.__setattr__(self, "arms", dataclasses.replace(arms, members=checked))
        for name in self.names:
            self._check_asked(name, arms)

    def _check_arm_column(self, arms: Arms, is_in_group: bool) -> None:
        designed = self[arms.column]
        if not designed.perturbation.is_identity or is_in_group:
            raise DesignError(
                Message(
                    "{column!r} tells the arm of every respondent, so it cannot be randomised.",
                    column=arms.column,
                ),
                attribute=arms.column,
                field="perturbation",
            )
        lacking = [name for name in arms.names if name not in designed.attribute.values]
        if lacking:
            raise DesignError(
                Message(
                    "The arm {arm!r} is not one of the values of {column!r}.",
                    arm=lacking[0],
                    column=arms.column,
                ),
                attribute=arms.column,
                field="values",
            )

    def _checked_arm(self, arm: DesignArm, grouped: set[str]) -> DesignArm:
        """The arm with devices that fit its attributes."""
        for name in arm.named:
            if name not in self._index or name in self.versions.columns:
                raise DesignError(
                    Message(
                        "The arm {arm!r} names {attribute!r}, which is no question of the design.",
                        arm=arm.name,
                        attribute=name,
                    ),
                    attribute=name,
                    field="arms",
                )
            if name in grouped or self[name].perturbation.columns:
                raise DesignError(
                    Message(
                        "The arm {arm!r} cannot change {attribute!r}, which is randomised together "
                        "with other columns.",
                        arm=arm.name,
                        attribute=name,
                    ),
                    attribute=name,
                    field="arms",
                )
        devices = tuple((name, self._fitting(arm, name, one)) for name, one in arm.perturbations)
        return dataclasses.replace(arm, perturbations=devices)

    def _fitting(self, arm: DesignArm, name: str, device: Perturbation) -> Perturbation:
        usual = self[name]
        own = dataclasses.replace(usual, perturbation=device)
        if device.columns or own.distorted != usual.distorted:
            raise DesignError(
                Message(
                    "The device of {attribute!r} in the arm {arm!r} must publish the same answers "
                    "as in the design, for every row alike.",
                    arm=arm.name,
                    attribute=name,
                ),
                attribute=name,
                field="arms",
            )
        return own.perturbation

    def _check_asked(self, name: str, arms: Arms) -> None:
        if all(name in arm.omit for arm in arms.members):
            raise DesignError(
                Message(
                    "All arms omit {attribute!r}; remove it from the design, or let an arm ask it.",
                    attribute=name,
                ),
                attribute=name,
                field="arms",
            )

    def why_not_single(self, names: Iterable[str] | None = None) -> Message | None:
        """Why what needs single answers cannot be done with some attributes; None if it can.

        Asked for all attributes if none are named; names that the design lacks are passed over.
        """
        asked = self.names if names is None else names
        reasons = (self[name].why_not_single for name in asked if name in self)
        return next((why for why in reasons if why is not None), None)

    def refuse_sets(self, names: Iterable[str] | None = None) -> None:
        """Refuse attributes whose reports are sets, where single answers are needed."""
        why = self.why_not_single(names)
        if why is not None:
            raise DesignError(why, field="type")

    def _check_member(self, group: Group, name: str, again: bool) -> None:
        if again:
            raise DesignError.saying("Attribute {attribute!r} is in two groups.", attribute=name)
        designed = self[name]
        if not designed.perturbation.is_identity:
            raise DesignError.saying(
                "Attribute {attribute!r} is in a group; it has no mechanism of its own.",
                attribute=name,
                field="perturbation",
            )
        group.marginal(name).check(designed.attribute)

    def _check_role(self, name: str, is_in_group: bool) -> None:
        if name not in self or (self[name].perturbation.is_identity and not is_in_group):
            return
        raise DesignError.saying(
            "Attribute {attribute!r} is randomised, so it cannot have a sampling role.",
            attribute=name,
            field="sampling",
        )

    def _check_column(self, name: str, column: str, is_in_group: bool) -> None:
        if column in self and self[column].perturbation.is_identity and not is_in_group:
            return
        raise DesignError.saying(
            "The device of {attribute!r} differs by {column!r}, which must be an attribute of "
            "the design that is not randomised.",
            column=column,
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
        return name in self._index

    def __iter__(self) -> Iterator[DesignedAttribute]:
        return iter(self.attributes)

    def __getitem__(self, name: str) -> DesignedAttribute:
        if name not in self._index:
            raise DesignError.saying(
                "The design has no attribute {attribute!r}; it has {names}.",
                names=shorten(self.names),
                attribute=name,
            )
        return self.attributes[self._index[name]]

    def list_of(self, name: str) -> ListQuestion:
        """The list that asks this question."""
        for one in self.lists:
            if one.name == name:
                return one
        if not self.lists:
            raise ParameterError("The design has no list.", attribute=name, field="attribute")
        raise ParameterError(
            Message(
                "The design has no list that asks {attribute!r}; its lists ask {names}.",
                attribute=name,
                names=shorten([one.name for one in self.lists]),
            ),
            attribute=name,
            field="attribute",
        )

    def question(self, name: str) -> DesignedAttribute:
        """A question that people are asked: an attribute, or the item behind a list."""
        for one in self.lists:
            if one.name == name:
                return DesignedAttribute(one.attribute, Identity())
        return self[name]

    def anchor_of(self, name: str) -> Anchor | None:
        """The check question of a question."""
        return dict(self.anchors).get(name)

    def anchors_among(self, kept: Iterable[DesignedAttribute]) -> Anchors:
        """The anchors that are left where only some attributes are, or others."""
        return fitting_anchors(self.anchors, (one.attribute for one in kept))

    @cached_property
    def randomised(self) -> tuple[str, ...]:
        """The questions that are randomised, by whatever device of whatever arm."""
        return tuple(name for name in self.names if not self.perturbation(name).is_identity)

    @cached_property
    def parts(self) -> Parts:
        """What a respondent is asked or not asked as a whole; all else is asked of everybody."""
        budget = self.budget or DesignBudget()
        return budget.parts(self.randomised, (group.attributes for group in self.groups))

    @property
    def ask(self) -> int | None:
        """How many of its parts each respondent gets; None where that is all of them.

        The budget may want more than are left since a question is not randomised any more.
        """
        ask = None if self.budget is None else self.budget.ask
        return None if ask is None or ask >= len(self.parts) else ask

    @property
    def repeats_draws(self) -> bool:
        """Whether later waves of a person repeat the report of the same true answer."""
        return self.budget is not None and self.budget.waves > 1 and self.budget.memoise

    def budget_among(self, changed: Design) -> Design:
        """A design that was made from this one, with what is left of this one's budget."""
        if self.budget is None:
            return changed
        return dataclasses.replace(changed, budget=self.budget.among(changed.names))

    @property
    def drawn_columns(self) -> tuple[str, ...]:
        """The columns that distorting makes where data lack them: arms and counts of lists."""
        return (*self.versions.columns, *(one.count for one in self.lists))

    @property
    def versions(self) -> Arms:
        """The arms, or the one version of the questionnaire that everybody has."""
        return ONE_VERSION if self.arms is None else self.arms

    @property
    def has_arms(self) -> bool:
        """Whether a column tells who has which version."""
        return bool(self.versions.columns)

    @property
    def roles(self) -> tuple[str, ...]:
        """The columns that tell how people were drawn."""
        return role_columns(self.sampling)

    def role_of(self, name: str) -> str:
        """What a column tells about the sampling; empty where it tells nothing."""
        return (self.sampling or Sampling()).role_of(name)

    @property
    def weight(self) -> str | None:
        """The column that says how many people each row stands for."""
        return (self.sampling or Sampling()).weight

    def group_of(self, name: str) -> Group | None:
        """The group that the attribute is in."""
        return next((group for group in self.groups if name in group.attributes), None)

    def perturbation(self, name: str) -> Perturbation:
        """How a single attribute is distorted: alone, as a member of its group, or by arm."""
        return self.versions.device(name, self.usual_device(name))

    def usual_device(self, name: str) -> Perturbation:
        """How an attribute is distorted where no arm departs from it: alone, or in its group."""
        group = self.group_of(name)
        return self[name].perturbation if group is None else group.marginal(name)

    def is_undistorted(self, names: Iterable[str]) -> bool:
        """Whether these attributes are all reported as they are."""
        return all(self.perturbation(name).is_identity for name in names)

    def needed(self, names: Iterable[str], sampling: Sampling | None = None) -> tuple[str, ...]:
        """These attributes, and the columns that decide about their devices.

        With a sampling also those of its columns that have roles in the design, too: they keep
        the kind that it gives them.
        """
        roles = role_columns(sampling)
        asked = (*names, *(one for one in self.roles if one in roles))
        known = (self[name].perturbation.columns for name in asked if name in self)
        arms = self.versions.columns
        return tuple(dict.fromkeys((*asked, *(one for found in known for one in found), *arms)))

    def plain_designs(self) -> dict[str, Design]:
        """The plain design of every arm; without arms the design itself under no name."""
        return {arm: self.of_arm(arm) for arm in self.versions.choices} or {"": self}

    def of_arm(self, name: str) -> Design:
        """The plain design of one arm: its own devices, and only the questions that it asks."""
        return self.of_arms((name,))

    def of_arms(self, names: Iterable[str]) -> Design:
        """The design of some arms alone; of a single one it has no arms any more."""
        if not self.has_arms:
            raise ParameterError(
                "The design has no arms, so none of them can be chosen.", field="arm"
            )
        kept = self.versions.only(names)
        gone = {n for n in self.names if all(n in arm.omit for arm in kept.members)}
        usual = [one for one in self.attributes if one.name not in gone]
        if len(kept.members) > 1:
            class_name = None if self.class_name in gone else self.class_name
            arms = kept.without(gone)
            lists = tuple(
                found
                for one in self.lists
                if one.count not in gone and (found := one.only(kept.names)) is not None
            )
            return self.budget_among(
                Design(
                    tuple(usual),
                    class_name,
                    self.groups,
                    self.sampling,
                    arms,
                    lists,
                    self.anchors_among(usual),
                )
            )
        (only,) = kept.members
        own = dict(only.perturbations)
        listed = tuple(
            dataclasses.replace(one, perturbation=own.get(one.name, one.perturbation))
            for one in usual
        )
        # The column stays where a device differs by it.
        if all(kept.column not in one.perturbation.columns for one in listed):
            listed = tuple(one for one in listed if one.name != kept.column)
            gone.add(kept.column)
        class_name = None if self.class_name in gone else self.class_name
        alone = Design(
            listed, class_name, self.groups, self.sampling, anchors=self.anchors_among(listed)
        )
        return self.budget_among(alone)

    def within_arms(self, names: Iterable[str]) -> Design:
        """The design of some arms for answers of all of them, which stay in the sample.

        Only the chosen arms count, as in :meth:`of_arms`; the rows of the others are needed to
        tell how much a part of a sample varies, and keep the numbers of the rows.
        """
        alone = self.of_arms(names)
        versions = self.versions
        kept = versions.only(names)
        others = (*(name for name in versions.names if name not in kept.names),
                  *versions.left_out)  # fmt: skip
        if not others:
            return self
        arms = alone.arms or Arms(kept.column, (DesignArm(kept.names[0], 1.0),))
        listed = alone.attributes
        if kept.column not in alone:
            listed = (*listed, self[kept.column])
        return dataclasses.replace(
            alone, attributes=listed, arms=dataclasses.replace(arms, left_out=others)
        )

    def without_arms(self) -> Design:
        """The plain design that arms depart from: the usual device of every question."""
        if not self.has_arms:
            return self
        column = self.versions.column
        listed = tuple(one for one in self.attributes if one.name != column)
        class_name = None if self.class_name == column else self.class_name
        sampling = without_roles(self.sampling, {column})
        anchors = self.anchors_among(listed)
        plain = Design(listed, class_name, self.groups, sampling, anchors=anchors)
        return self.budget_among(plain)

    def refuse_arms(self) -> None:
        """Refuse a design with arms where there must be one version of every question."""
        if not self.has_arms:
            return
        raise DesignError(
            Message(
                "The design has the arms {arms}, and this takes one version for everybody; arms "
                "are for planning, asking, distorting, measuring, reconstruction, regression, "
                "compliance, lists and survey statistics.",
                arms=self.versions.names,
            ),
            field="arms",
        )

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
        return self._with(changed)

    def without_device(self, name: str) -> Self:
        """The same design with nothing said of what the respondents to one question use."""
        return self._with(dataclasses.replace(self[name], device=None))

    def _with(self, changed: DesignedAttribute) -> Self:
        listed = tuple(changed if d.name == changed.name else d for d in self.attributes)
        return dataclasses.replace(self, attributes=listed)

    def uncertain_shares(self, names: Iterable[str]) -> dict[str, tuple[float, float]]:
        """The standard errors of devices' shares that are estimates, and how far these can move."""
        found = {name: self[name].device for name in names if name in self}
        return {
            name: (device.standard_error, device.step)
            for name, device in found.items()
            if device is not None and device.standard_error and device.step
        }

    def with_moved_share(self, name: str, by: float) -> Self:
        """The same design if the share of a question's device were larger by so much."""
        one = self[name]
        if one.device is None:
            return self
        device = one.device.moved(by)
        moved = device.applied(one.perturbation, one.attribute)
        return self._with(dataclasses.replace(one, perturbation=moved, device=device))
