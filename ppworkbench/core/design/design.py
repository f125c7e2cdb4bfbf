"""The distortion of a whole questionnaire: all an analyst must know besides the data."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

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
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.design.perturbation import Identity, Perturbation
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
        return self.perturbation.why_not_single(self.attribute)

    @property
    def distorted(self) -> Attribute:
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
        _add_drawn_columns(self)
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
        grouped = _check_groups(self)
        for name in self.roles:
            _check_role(self, name, name in grouped)
        for designed in self.attributes:
            for column in designed.perturbation.columns:
                _check_column(self, designed.name, column, column in grouped)
        if self.has_arms:
            _check_arms(self, self.versions, grouped)
        for one in self.lists:
            _check_list(self, one, grouped)
        check_anchors(self.anchors, self.original_schema)
        (self.budget or DesignBudget()).check_names(self.names)

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

    @cached_property
    def _index(self) -> dict[str, int]:
        return {designed.name: i for i, designed in enumerate(self.attributes)}

    @property
    def names(self) -> tuple[str, ...]:
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
        for one in self.lists:
            if one.name == name:
                return one
        if not self.lists:
            raise ParameterError("The design has no list.", attribute=name, field="attribute")
        raise ParameterError.saying(
            "The design has no list that asks {attribute!r}; its lists ask {names}.",
            names=shorten([one.name for one in self.lists]),
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
        return dict(self.anchors).get(name)

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

    def among(self, kept: Iterable[DesignedAttribute], **changes: Any) -> Design:
        """The design of these attributes, with what is left of class, anchors and budget.

        ``changes`` are other groups, roles, arms or lists.
        """
        listed = tuple(kept)
        has_class = any(one.name == self.class_name for one in listed)
        anchors = fitting_anchors(self.anchors, (one.attribute for one in listed))
        changed = dataclasses.replace(
            self, attributes=listed, class_name=self.class_name if has_class else None,
            anchors=anchors, budget=None, **changes,
        )  # fmt: skip
        if self.budget is None:
            return changed
        return dataclasses.replace(changed, budget=self.budget.among(changed.names))

    @property
    def drawn_columns(self) -> tuple[str, ...]:
        """The columns that distorting makes where data lack them: arms and counts of lists."""
        return (*self.versions.columns, *(one.count for one in self.lists))

    @property
    def versions(self) -> Arms:
        return ONE_VERSION if self.arms is None else self.arms

    @property
    def has_arms(self) -> bool:
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
        return next((group for group in self.groups if name in group.attributes), None)

    def perturbation(self, name: str) -> Perturbation:
        """How a single attribute is distorted: alone, as a member of its group, or by arm."""
        return self.versions.device(name, self.usual_device(name))

    def usual_device(self, name: str) -> Perturbation:
        """How an attribute is distorted where no arm departs from it: alone, or in its group."""
        group = self.group_of(name)
        return self[name].perturbation if group is None else group.marginal(name)

    def is_undistorted(self, names: Iterable[str]) -> bool:
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
            lists = tuple(
                found
                for one in self.lists
                if one.count not in gone and (found := one.only(kept.names)) is not None
            )
            return self.among(usual, arms=kept.without(gone), lists=lists)
        (only,) = kept.members
        own = dict(only.perturbations)
        listed = tuple(
            dataclasses.replace(one, perturbation=own.get(one.name, one.perturbation))
            for one in usual
        )
        # The column stays where a device differs by it.
        if all(kept.column not in one.perturbation.columns for one in listed):
            listed = tuple(one for one in listed if one.name != kept.column)
        return self.among(listed, arms=None, lists=())

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
        listed = (one for one in self.attributes if one.name != column)
        sampling = without_roles(self.sampling, {column})
        return self.among(listed, sampling=sampling, arms=None, lists=())

    def refuse_arms(self) -> None:
        if not self.has_arms:
            return
        raise DesignError.saying(
            "The design has the arms {arms}, and this takes one version for everybody; arms "
            "are for planning, asking, distorting, measuring, reconstruction, regression, "
            "compliance, lists and survey statistics.",
            arms=self.versions.names,
            field="arms",
        )

    @property
    def original_schema(self) -> tuple[Attribute, ...]:
        return tuple(designed.attribute for designed in self.attributes)

    @property
    def distorted_schema(self) -> tuple[Attribute, ...]:
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


def _add_drawn_columns(design: Design) -> None:
    shown = {one.count: one.count_attribute for one in design.lists}
    for column in design.versions.columns:
        shown[column] = Attribute(column, Kind.NOMINAL, design.versions.names)
    known = {one.name for one in design.attributes}
    added = tuple(
        DesignedAttribute(one, Identity()) for name, one in shown.items() if name not in known
    )
    if added:
        object.__setattr__(design, "attributes", (*design.attributes, *added))


def _check_list(design: Design, asked: ListQuestion, grouped: set[str]) -> None:
    asked.check_arms(design.versions)
    names = [other.name for other in design.lists]
    counts = [other.count for other in design.lists]
    if asked.name in design or names.count(asked.name) > 1:
        raise DesignError.saying(
            "{attribute!r} is asked by a list, so it cannot be asked in another way, too.",
            attribute=asked.name,
            field="lists",
        )
    designed = design[asked.count]
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
        raise DesignError.saying(
            "Two lists have the same counts {column!r}.",
            column=asked.count,
            attribute=asked.count,
            field="lists",
        )


def _check_groups(design: Design) -> set[str]:
    seen: set[str] = set()
    for group in design.groups:
        for name in group.attributes:
            _check_member(design, group, name, name in seen)
            seen.add(name)
    return seen


def _check_arms(design: Design, arms: Arms, grouped: set[str]) -> None:
    _check_arm_column(design, arms, arms.column in grouped)
    checked = tuple(_checked_arm(design, arm, grouped) for arm in arms.members)
    object.__setattr__(design, "arms", dataclasses.replace(arms, members=checked))
    for name in design.names:
        _check_asked(name, arms)


def _check_arm_column(design: Design, arms: Arms, is_in_group: bool) -> None:
    designed = design[arms.column]
    if not designed.perturbation.is_identity or is_in_group:
        raise DesignError.saying(
            "{column!r} tells the arm of every respondent, so it cannot be randomised.",
            column=arms.column,
            attribute=arms.column,
            field="perturbation",
        )
    lacking = [name for name in arms.names if name not in designed.attribute.values]
    if lacking:
        raise DesignError.saying(
            "The arm {arm!r} is not one of the values of {column!r}.",
            arm=lacking[0],
            column=arms.column,
            attribute=arms.column,
            field="values",
        )


def _checked_arm(design: Design, arm: DesignArm, grouped: set[str]) -> DesignArm:
    for name in arm.named:
        if name not in design or name in design.versions.columns:
            raise DesignError.saying(
                "The arm {arm!r} names {attribute!r}, which is no question of the design.",
                arm=arm.name,
                attribute=name,
                field="arms",
            )
        if name in grouped or design[name].perturbation.columns:
            raise DesignError.saying(
                "The arm {arm!r} cannot change {attribute!r}, which is randomised together "
                "with other columns.",
                arm=arm.name,
                attribute=name,
                field="arms",
            )
    devices = tuple((name, _fitting(design, arm, name, one)) for name, one in arm.perturbations)
    return dataclasses.replace(arm, perturbations=devices)


def _fitting(design: Design, arm: DesignArm, name: str, device: Perturbation) -> Perturbation:
    usual = design[name]
    own = dataclasses.replace(usual, perturbation=device)
    if device.columns or own.distorted != usual.distorted:
        raise DesignError.saying(
            "The device of {attribute!r} in the arm {arm!r} must publish the same answers "
            "as in the design, for every row alike.",
            arm=arm.name,
            attribute=name,
            field="arms",
        )
    return own.perturbation


def _check_asked(name: str, arms: Arms) -> None:
    if all(name in arm.omit for arm in arms.members):
        raise DesignError.saying(
            "All arms omit {attribute!r}; remove it from the design, or let an arm ask it.",
            attribute=name,
            field="arms",
        )


def _check_member(design: Design, group: Group, name: str, again: bool) -> None:
    if again:
        raise DesignError.saying("Attribute {attribute!r} is in two groups.", attribute=name)
    designed = design[name]
    if not designed.perturbation.is_identity:
        raise DesignError.saying(
            "Attribute {attribute!r} is in a group; it has no mechanism of its own.",
            attribute=name,
            field="perturbation",
        )
    group.marginal(name).check(designed.attribute)


def _check_role(design: Design, name: str, is_in_group: bool) -> None:
    if name not in design or (design[name].perturbation.is_identity and not is_in_group):
        return
    raise DesignError.saying(
        "Attribute {attribute!r} is randomised, so it cannot have a sampling role.",
        attribute=name,
        field="sampling",
    )


def _check_column(design: Design, name: str, column: str, is_in_group: bool) -> None:
    if column in design and design[column].perturbation.is_identity and not is_in_group:
        return
    raise DesignError.saying(
        "The device of {attribute!r} differs by {column!r}, which must be an attribute of "
        "the design that is not randomised.",
        column=column,
        attribute=name,
        field="perturbation",
    )
