"""Arms: groups of respondents, drawn at random, each with its own version of a questionnaire.

The arm of a respondent stands in a column of the data. It is not secret and never randomised.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.table import Column, Table, list_attributes, shorten
from ppworkbench.core.design.perturbation import Perturbation, read_perturbation
from ppworkbench.core.design.row_devices import ByColumn
from ppworkbench.core.errors import DataError, DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.rng import Stream

_ROUNDING = 1e-6
"""By so much may shares that were typed miss a sum of 1."""
_FIELDS = ("column", "members")
_ARM_FIELDS = ("share", "perturbations", "omit")


@dataclass(frozen=True)
class DesignArm:
    """One version of a questionnaire.

    Parameters
    ----------
    name
        The value of the arms' column.
    share
        The part of the respondents who get this version, for drawing and planning.
    perturbations
        The devices that differ from those of the design, by attribute.
    omit
        The questions that this version does not ask.
    """

    name: str
    share: float
    perturbations: tuple[tuple[str, Perturbation], ...] = ()
    omit: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a name or share that is none, and a question both changed and left out."""
        if not self.name.strip():
            raise DesignError("An arm needs a name, which stands in its column.", field="arms")
        if not (math.isfinite(self.share) and 0 < self.share <= 1):
            raise DesignError.saying(
                "The share of the arm {arm!r} is {share:g}; it must be above 0 and at most 1.",
                arm=self.name,
                share=self.share,
                field="arms",
            )
        for name, _ in self.perturbations:
            if name in self.omit:
                raise DesignError.saying(
                    "The arm {arm!r} both omits {attribute!r} and has a device for it.",
                    arm=self.name,
                    attribute=name,
                    field="arms",
                )

    @property
    def named(self) -> tuple[str, ...]:
        """The attributes that the arm treats in its own way."""
        return (*(name for name, _ in self.perturbations), *self.omit)

    def device(self, name: str, usual: Perturbation) -> Perturbation | None:
        """The device of an attribute in this arm; None where it is not asked."""
        return None if name in self.omit else dict(self.perturbations).get(name, usual)

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"share": self.share}
        if self.perturbations:
            found["perturbations"] = {name: one.to_json() for name, one in self.perturbations}
        if self.omit:
            found["omit"] = list(self.omit)
        return found

    @classmethod
    def from_json(cls, name: str, given: Any) -> Self:
        if not isinstance(given, Mapping) or set(given) - set(_ARM_FIELDS):
            raise _wrong(name, Message("must be an object with share, perturbations and omit"))
        share, changed, omit = (given.get(field) for field in _ARM_FIELDS)
        if isinstance(share, bool) or not isinstance(share, int | float):
            raise _wrong(name, Message("needs a share between 0 and 1"))
        changed, omit = {} if changed is None else changed, [] if omit is None else omit
        if not isinstance(changed, Mapping) or not all(
            isinstance(one, Mapping) for one in changed.values()
        ):
            raise _wrong(name, Message("must have its perturbations as an object of mechanisms"))
        if not isinstance(omit, list) or not all(isinstance(one, str) for one in omit):
            raise _wrong(name, Message("must list what it omits as names"))
        devices = tuple((key, read_perturbation(one, key)) for key, one in changed.items())
        return cls(name, float(share), devices, tuple(dict.fromkeys(omit)))


def split_devices(
    devices: Mapping[str, Perturbation],
) -> tuple[dict[str, Perturbation], Arms]:
    """Devices that differ by a column as those of arms, with equal shares.

    Returns the usual device of every attribute, too: that of the first arm.
    """
    usual: dict[str, Perturbation] = {}
    own: dict[str, dict[str, Perturbation]] = {}
    column = ""
    for name, device in devices.items():
        usual[name] = device
        if isinstance(device, ByColumn):
            column = device.column
            usual[name] = device.cases[0][1]
            for arm, one in device.cases:
                own.setdefault(arm, {})[name] = one
    if not own:
        return usual, ONE_VERSION
    members = tuple(DesignArm(arm, 1 / len(own), tuple(own[arm].items())) for arm in own)
    return usual, Arms(column, members)


@dataclass(frozen=True)
class Arms:
    """All versions of a questionnaire, and the column that tells who got which.

    ``left_out`` are arms of the data that do not count: their rows only stay in the sample, because
    the errors of a part of a sample depend on how all of it was drawn. No design file has them.
    """

    column: str
    members: tuple[DesignArm, ...]
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.members:
            raise DesignError("A design with arms needs at least one of them.", field="arms")
        if len(set(self.names)) < len(self.names):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise DesignError.saying("There are two arms {arm!r}.", arm=twice, field="arms")
        total = math.fsum(arm.share for arm in self.members)
        if abs(total - 1) > _ROUNDING:
            raise DesignError.saying(
                "The shares of the arms sum to {total:.6g}; they must sum to 1.",
                total=total,
                field="arms",
            )

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(arm.name for arm in self.members)

    @property
    def columns(self) -> tuple[str, ...]:
        """The column of the arms; none where everybody has the same version."""
        return (self.column,)

    @property
    def choices(self) -> tuple[str, ...]:
        """The names of the arms that can be chosen; none where everybody has the same version."""
        return self.names

    def __getitem__(self, name: str) -> DesignArm:
        for arm in self.members:
            if arm.name == name:
                return arm
        raise ParameterError.saying(
            "The design has no arm {arm!r}; it has {names}.",
            arm=name,
            names=shorten(self.names),
            field="arm",
        )

    def device(self, name: str, usual: Perturbation) -> Perturbation:
        """The device of an attribute: the usual one, or another for every arm that asks it."""
        asked = self.devices(name, usual)
        if all(device == usual for device in asked.values()):
            return usual
        return ByColumn(self.column, tuple(asked.items()))

    def devices(self, name: str, usual: Perturbation) -> dict[str, Perturbation]:
        """The device of an attribute in every arm that asks it; without arms under no name."""
        found = {arm.name: arm.device(name, usual) for arm in self.members}
        return {arm: device for arm, device in found.items() if device is not None}

    def asking(self, names: Iterable[str]) -> tuple[str, ...]:
        """The arms that ask all of these questions; an error names what no arm asks together."""
        wanted = tuple(names)
        found = tuple(arm.name for arm in self.members if not set(wanted) & set(arm.omit))
        if found:
            return found
        for first, second in combinations(wanted, 2):
            if all({first, second} & set(arm.omit) for arm in self.members):
                raise DataError.saying(
                    "No arm asks both {first!r} and {second!r}, so nothing can be estimated "
                    "about them together.",
                    first=first,
                    second=second,
                    attribute=second,
                    field="arms",
                )
        raise DataError.saying(
            "No arm asks all of {questions}, so nothing can be estimated about them together.",
            questions=list_attributes(wanted, quoted=True),
            field="arms",
        )

    def read(self, table: Table) -> NDArray[np.intp]:
        """The places of the rows' arms as :meth:`codes` has them; the table must have a column."""
        if self.column not in table:
            raise DataError.saying(
                "The data have no column {column!r}, which tells the arm of every row.",
                column=self.column,
                attribute=self.column,
                field="arms",
            )
        return self.codes(table[self.column])

    def take(self, table: Table, names: Iterable[str]) -> Table:
        listed = [self.names.index(self[name].name) for name in names]
        return table.take(np.flatnonzero(np.isin(self.read(table), listed)))

    def ask_everybody(self, names: Iterable[str]) -> bool:
        """Whether all rows count that answer these questions."""
        return not self.left_out and len(self.asking(names)) == len(self.members)

    def rows_asked(
        self, table: Table, names: Iterable[str]
    ) -> tuple[NDArray[np.bool_] | None, int, NDArray[np.int64]]:
        """Which rows have an arm that asks all of these questions, None where all of them do.

        And how many are of arms that do not count, and how many each arm has.
        """
        wanted = self.asking(names)
        codes, count = self.read(table), len(self.members)
        met = np.bincount(codes[codes >= 0], minlength=count + 1)
        # Codes behind those of the arms are of arms that do not count, negative ones of nobody.
        if len(wanted) == count and not met[count]:
            return None, 0, met[:count]
        counts = [*(name in wanted for name in self.names), False]
        return np.append(counts, True)[codes], int(met[count]), met[:count]

    def not_asked(self, table: Table) -> dict[str, NDArray[np.bool_]]:
        """Which rows are of arms that do not ask a question, for every question with such rows.

        Nothing where the table does not tell the arm.
        """
        if self.column not in table:
            return {}
        codes = self.read(table)
        found = {}
        for name in dict.fromkeys(name for arm in self.members for name in arm.omit):
            silent = [place for place, arm in enumerate(self.members) if name in arm.omit]
            rows = np.isin(codes, silent)
            if name in table and rows.any():
                found[name] = rows
        return found

    def codes(self, column: Column) -> NDArray[np.intp]:
        """The place of every row's arm: -1 where the cell is empty, the end for arms left out.

        Raises
        ------
        DataError
            Where a value is no arm: which one, and in how many rows.
        """
        if not column.is_categorical:
            raise DataError.saying(
                "The column {column!r} holds the arms, so it must be categorical.",
                column=self.column,
                attribute=self.column,
                field="kind",
            )
        values, listed = column.attribute.values, self.names
        place = {name: len(listed) for name in self.left_out}
        place |= {name: code for code, name in enumerate(listed)}
        places = [place.get(one, -2) for one in values]
        found: NDArray[np.intp] = np.array([*places, -1], np.intp)[column.data]
        strange = found == -2
        if strange.any():
            first = int(np.argmax(strange))
            value = values[int(column.data[first])]
            raise DataError.saying(
                "{column!r} is {value!r} in {count:,} rows, which is no arm of the design; the "
                "arms are {names}.",
                column=self.column,
                value=value,
                count=int(np.count_nonzero(column.data == column.data[first])),
                names=shorten(listed),
                attribute=self.column,
                row=first,
            )
        return found

    def refuse_empty(self, rows: NDArray[np.int64]) -> None:
        """Refuse data that have no rows of some arm; ``rows`` are their numbers."""
        for name, count in zip(self.names, rows.tolist(), strict=True):
            if not count:
                raise DataError.saying(
                    "The data have no rows of the arm {arm!r}; choose the other arms, or take "
                    "it out of the design.",
                    arm=name,
                    attribute=self.column,
                    field="arms",
                )

    def draw(self, n: int, stream: Stream) -> NDArray[np.intp]:
        ends = np.cumsum([arm.share for arm in self.members])
        places = np.searchsorted(ends / ends[-1], stream.random(n), side="right")
        return np.asarray(np.minimum(places, len(ends) - 1), np.intp)

    def only(self, names: Iterable[str]) -> Arms:
        """Some of the arms, with shares of what they have together."""
        chosen = [self[name] for name in dict.fromkeys(names)]
        total = math.fsum(arm.share for arm in chosen)
        kept = tuple(dataclasses.replace(arm, share=arm.share / total) for arm in chosen)
        return Arms(self.column, kept)

    def with_devices(self, change: Callable[[str, Perturbation], Perturbation]) -> Arms:
        return self._with_members(
            dataclasses.replace(
                arm,
                perturbations=tuple((name, change(name, one)) for name, one in arm.perturbations),
            )
            for arm in self.members
        )

    def renamed(self, call: Callable[[str], str]) -> Arms:
        arms = self._with_members(
            dataclasses.replace(
                arm,
                perturbations=tuple((call(name), one) for name, one in arm.perturbations),
                omit=tuple(map(call, arm.omit)),
            )
            for arm in self.members
        )
        return dataclasses.replace(arms, column=call(self.column))

    def _with_members(self, members: Iterable[DesignArm]) -> Arms:
        return dataclasses.replace(self, members=tuple(members))

    def without(self, names: Iterable[str]) -> Arms:
        gone = set(names)
        return self._with_members(
            dataclasses.replace(
                arm,
                perturbations=tuple(pair for pair in arm.perturbations if pair[0] not in gone),
                omit=tuple(name for name in arm.omit if name not in gone),
            )
            for arm in self.members
        )

    def to_json(self) -> dict[str, Any]:
        return {"column": self.column, "members": {arm.name: arm.to_json() for arm in self.members}}

    @classmethod
    def from_json(cls, given: Any) -> Self:
        if not isinstance(given, Mapping) or set(given) - set(_FIELDS):
            raise DesignError(
                "The field 'arms' must be an object with a column and members.", field="arms"
            )
        column, members = given.get("column"), given.get("members")
        if not isinstance(column, str) or not column.strip():
            raise DesignError("The field 'arms' needs the name of a column.", field="arms")
        if not isinstance(members, Mapping) or not members:
            raise DesignError("The field 'arms' needs an object of members.", field="arms")
        return cls(column, tuple(DesignArm.from_json(*item) for item in members.items()))


class _Everybody(DesignArm):
    def __post_init__(self) -> None:
        """Nothing to refuse: it needs no name, because no column tells it."""


EVERYBODY = _Everybody("", 1.0)


@dataclass(frozen=True)
class OneVersion(Arms):
    """A questionnaire that is the same for everybody: one arm without a name, in no column."""

    column: str = ""
    members: tuple[DesignArm, ...] = (EVERYBODY,)

    @property
    def columns(self) -> tuple[str, ...]:
        return ()

    @property
    def choices(self) -> tuple[str, ...]:
        return ()

    def read(self, table: Table) -> NDArray[np.intp]:
        return np.zeros(table.rows, np.intp)

    def take(self, table: Table, names: Iterable[str]) -> Table:  # noqa: ARG002
        return table

    def rows_asked(
        self,
        table: Table,
        names: Iterable[str],  # noqa: ARG002
    ) -> tuple[NDArray[np.bool_] | None, int, NDArray[np.int64]]:
        return None, 0, np.array([table.rows])

    def refuse_empty(self, rows: NDArray[np.int64]) -> None:
        """Nobody was assigned to it, so that data without rows are no sign of a wrong design."""

    def renamed(self, call: Callable[[str], str]) -> Arms:  # noqa: ARG002
        return self


ONE_VERSION = OneVersion()


def _wrong(name: str, what: str) -> DesignError:
    return DesignError.saying("The arm {arm!r} {what}.", arm=name, what=what, field="arms")
