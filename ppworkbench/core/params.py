"""Parameters declared once.

A frozen dataclass that derives from :class:`Params` and annotates its fields is the only
declaration a parameter needs: it validates on construction, turns into JSON and back, gives
the command line its options and the window its forms.

>>> @dataclass(frozen=True)
... class Example(Params):
...     keep: Annotated[float, Within(0, 1), Info("Keep", "Probability of the true answer")] = 0.5
>>> Example(keep=1.5)
Traceback (most recent call last):
...
ppworkbench.core.errors.ParameterError: Keep is 1.5; it must lie between 0 and 1.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from numbers import Integral, Real
from typing import Annotated, Any, Self

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.registry import Registry

__all__ = [
    "Annotated", "Declaration", "Info", "Member", "OneOf", "Option", "Params", "Part", "Read",
    "Within", "declarations",
]  # fmt: skip


@dataclass(frozen=True)
class Info:
    """How a parameter is called and what it means, for people."""

    label: str
    help: str = ""
    unit: str = ""
    in_forms: bool = True
    """Whether a person sets it in a form, or by choosing something else."""
    item: str = ""
    """What errors call it inside a sentence; of a list, one number whose place they name."""


@dataclass(frozen=True)
class Within:
    """The range of a number, or of every number in a tuple."""

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    or_zero: bool = False
    """Whether 0 is allowed besides the range."""

    def holds(self, number: float) -> bool:
        """Whether a number lies in the range; NaN and infinities never do."""
        try:
            if not math.isfinite(number):
                return False
        except OverflowError:  # a whole number that is no double
            return False
        if self.or_zero and number == 0:
            return True
        above = number > self.low if self.open_low else number >= self.low
        below = number < self.high if self.open_high else number <= self.high
        return above and below

    def __str__(self) -> str:
        return self.demand.removeprefix("it must ")

    def demand_of(self, number: float) -> str:  # noqa: ARG002 (for ranges with a better end)
        """What a number that lies outside must be."""
        return self.demand

    @property
    def demand(self) -> str:
        """What a number must be, as a whole phrase that can be said in other languages."""
        low, high = self.low, self.high
        if self.or_zero:
            return Message("it must be 0 or lie between {low:g} and {high:g}", low=low, high=high)
        if math.isinf(self.low) and math.isinf(self.high):
            return Message("it must be a finite number")
        if math.isinf(self.high):
            return (
                Message("it must be above {low:g}", low=low)
                if self.open_low
                else Message("it must be at least {low:g}", low=low)
            )
        if math.isinf(self.low):
            return (
                Message("it must be below {high:g}", high=high)
                if self.open_high
                else Message("it must be at most {high:g}", high=high)
            )
        return {
            (False, False): Message("it must lie between {low:g} and {high:g}", low=low, high=high),
            (True, False): Message(
                "it must be above {low:g} and at most {high:g}", low=low, high=high
            ),
            (False, True): Message(
                "it must be at least {low:g} and below {high:g}", low=low, high=high
            ),
            (True, True): Message(
                "it must be above {low:g} and below {high:g}", low=low, high=high
            ),
        }[self.open_low, self.open_high]


@dataclass(frozen=True)
class OneOf:
    """The allowed words of a text parameter, or the family whose names they are."""

    choices: tuple[str, ...] | Registry[Any]

    @property
    def names(self) -> tuple[str, ...]:
        """The words; a family may have grown since."""
        if isinstance(self.choices, Registry):
            return tuple(entry.name for entry in self.choices.ranked)
        return self.choices


@dataclass(frozen=True)
class Read:
    """A value with a text form of its own, such as a condition.

    ``parse`` makes it of what somebody gives, or raises a TypeError, a ValueError or an error of
    the program that says what is wrong; ``write`` gives the text back. A list of chosen items is
    no option of a command line.
    """

    parse: Callable[[Any], Any]
    write: Callable[[Any], Any] = str
    on_command_line: bool = True
    annotation: str = ""
    """The type of what may be given, where signatures cannot name the type of the value."""


@dataclass(frozen=True)
class Option:
    """How a command line spells a parameter; a repeated one gives a value of a list each time.

    ``on_command_line`` is off for what a command has no word for.
    """

    flag: str = ""
    metavar: str = ""
    is_repeated: bool = False
    group: str = ""
    """The heading of the help below which it stands; its place among the others if empty."""
    is_required: bool = False
    """Whether a command asks for it though a call need not give it."""
    on_command_line: bool = True
    help: str = ""
    """What the help says where a form says it shorter."""
    is_updated: bool = False
    """Whether it names a file that a command goes on with."""
    family: Registry[Any] | None = None
    """The family that its values choose from; what the chosen ones declare are options, too."""
    either: str = ""
    """Of the options that share this word a command needs one."""
    is_output: bool = False
    """Whether it names a file that the question writes."""
    is_table: bool = False
    """Whether that file is a table, beside which a codebook may lie."""


@dataclass(frozen=True)
class Part:
    """Parameters inside parameters: a group of options, a section of a form, a nested object.

    ``switch`` names the flag that turns an optional part on. The keywords of an open one stand
    beside those of the whole.
    """

    title: str
    switch: str = ""
    is_open: bool = False
    keys: tuple[str, ...] = ()
    """What is meant by a number, or by a list of numbers, in place of parameters by name."""


@dataclass(frozen=True)
class Member:
    """One of a registered family, with parameters of its own beside those of the request.

    ``flag`` is the word that chooses it: ``--method mask``, ``method="mask"``.
    """

    family: Registry[Any]
    flag: str = "method"


_LARGEST: dict[Any, float] = {float: 1e100, int: 2**128}
"""No number may be larger, whatever its declaration says: squared twice it would overflow."""
_SINGLE: dict[Any, str] = {
    float: Message("it must be a number"),
    int: Message("it must be a whole number"),
    bool: Message("it must be yes or no"),
    str: Message("it must be a text"),
}
_LISTS: dict[Any, str] = {
    float: Message("it must be a list of numbers"),
    int: Message("it must be a list of whole numbers"),
    bool: Message("it must be a list of yes or no"),
    str: Message("it must be a list of texts"),
}
"""What a value of a type must be, as whole phrases: languages do not glue them as English does."""


@dataclass(frozen=True)
class Declaration:
    """One parameter: everything a form, an option or a validator has to know."""

    name: str
    type: Any
    optional: bool
    depth: int
    default: Any
    required: bool
    info: Info
    within: Within | None
    one_of: OneOf | None
    read: Read | None = None
    part: Part | None = None
    member: Member | None = None
    option: Option = Option()

    @property
    def choices(self) -> tuple[str, ...] | None:
        """The allowed words; None where there are others."""
        return None if self.one_of is None else self.one_of.names

    def check(self, value: Any) -> Any:
        """Return the value as its own type, or raise an error that names the parameter."""
        if value is None and self.optional:
            return None
        if self.read is not None:
            return self._read(value, self.read)
        if self.part is not None or self.member is not None:
            return self._check_params(value)
        return self._check_nested(value, self.depth)

    def _read(self, value: Any, read: Read) -> Any:
        try:
            return read.parse(value)
        except (TypeError, ValueError) as error:
            raise self._error(value, Message.of(str(error))) from None
        except ParameterError as error:
            if not error.field:
                error.field = self.name
            raise

    def _check_params(self, value: Any) -> Any:
        """Nested parameters: an object, its keywords, the name of a member, or yes and no."""
        if isinstance(value, Params):
            return value
        if self.member is not None:
            return self.member.family[str(value)]()
        if value is True:
            return self.type()
        if value is False and self.optional:
            return None
        if self.part is not None and self.part.keys and not isinstance(value, Mapping):
            values = value if isinstance(value, tuple | list) else (value,)
            if len(values) == len(self.part.keys):
                value = dict(zip(self.part.keys, values, strict=True))
        if not isinstance(value, Mapping):
            raise self._error(value, Message("it must be yes, no or parameters by name"))
        return self.type.given(value)

    def parse(self, text: str) -> Any:
        """Read the value from what somebody typed."""
        if self.many:
            items = text.split(",") if text.strip() else []
            return self.check([self._parse_one(item.strip()) for item in items])
        return self.check(self._parse_one(text.strip()))

    @property
    def many(self) -> bool:
        """Whether the parameter is a list of values."""
        return self.depth > 0

    @property
    def are_lists(self) -> bool:
        """Whether each value of the list is a list of its own."""
        return self.depth > 1 and self.read is None

    @property
    def is_spread(self) -> bool:
        """Whether its own parameters are given in its place."""
        return self.member is not None or (self.part is not None and self.part.is_open)

    def _check_nested(self, value: Any, depth: int) -> Any:
        if depth == 0:
            return self._check_one(value)
        if isinstance(value, str) or not hasattr(value, "__iter__"):
            raise self._error(value, _LISTS.get(self.type, _LISTS[str]))
        items = tuple(value)
        if depth == 1 and self._are_good(items):
            return items
        if depth == 1 and self.info.item:
            return tuple(self._check_one(item, place) for place, item in enumerate(items, 1))
        return tuple(self._check_nested(item, depth - 1) for item in items)

    def _are_good(self, items: tuple[Any, ...]) -> bool:
        """Whether items need no closer look: a large matrix has ten thousands of them."""
        plain = self.type is float and self.within is None and self.choices is None
        return plain and set(map(type, items)) == {float}

    def _check_one(self, value: Any, place: int = 0) -> Any:
        if issubclass(self.type, Enum):
            try:
                return self.type(value)
            except ValueError:
                names = ", ".join(str(member.value) for member in self.type)
                raise self._error(
                    value, Message("it must be one of {choices}", choices=names)
                ) from None
        value = self._as_own_type(value)
        if not isinstance(value, self.type) or (self.type is int and isinstance(value, bool)):
            raise self._error(value, _SINGLE.get(self.type, _SINGLE[str]))
        if place and self.within is not None and not self.within.holds(value):
            raise ParameterError.saying(
                "{label} {place} is {value}; {demand}.",
                label=Message(self.info.item),
                place=place,
                value=_shown(value),
                demand=self.within.demand_of(value),
                field=self.name,
            )
        if self.type in (int, float) and _LARGEST[self.type] < abs(value) != math.inf:
            raise self._error(value, Message("it is too large"))
        if self.within is not None and not self.within.holds(value):
            raise self._error(value, self.within.demand_of(value))
        if self.choices is not None and value not in self.choices:
            # An empty choice leaves it to the program; nobody writes it.
            known = ", ".join(filter(None, self.choices))
            raise self._error(value, Message("it must be one of {choices}", choices=known))
        return value

    def _as_own_type(self, value: Any) -> Any:
        # Numbers of numpy and others are numbers, too; a flag is none.
        if isinstance(value, bool) or not isinstance(value, Real):
            return value
        if self.type is float:
            try:
                return float(value)
            except OverflowError:
                raise self._error(value, Message("it is too large")) from None
        if self.type is not int or not (isinstance(value, Integral) or value == value // 1):
            return value
        whole: Any = value  # what has no fraction can be an int, which the stubs do not say
        return int(whole)

    def _parse_one(self, text: str) -> Any:
        if self.type is bool:
            words = {"yes": True, "on": True, "true": True, "1": True}
            words |= {"no": False, "off": False, "false": False, "0": False}
            if text.lower() not in words:
                raise self._error(text, Message("it must be yes or no"))
            return words[text.lower()]
        if self.type in (int, float):
            try:
                return self.type(text)
            except ValueError:
                raise self._error(text, _SINGLE[self.type]) from None
        # A command spells words with dashes.
        dashed = {one.replace("_", "-"): one for one in self.choices or ()}
        return dashed.get(text, text)

    def _error(self, value: Any, demand: str) -> ParameterError:
        return ParameterError.saying(
            "{label} is {value}; {demand}.",
            label=Message(self.info.label if self.many else self.info.item or self.info.label),
            value=self._as_typed(value),
            demand=demand,
            field=self.name,
        )

    def _as_typed(self, value: Any) -> str:
        """A value as somebody gave it: a command lists the words of an option that is repeated."""
        is_listed = self.option.is_repeated and isinstance(value, list)
        if is_listed and value and all(isinstance(one, str) for one in value):
            return Message.joined(map(_shown, value), ", ")
        return _shown(value)


def _shown(value: Any) -> str:
    """A value as it stands in a sentence; a stranger's file may hold one of any length."""
    if isinstance(value, float):
        return Message("{number:g}", number=value)
    if isinstance(value, int) and not isinstance(value, bool):
        if value.bit_length() <= 256:
            return Message("{number}", number=value)
        return Message(
            "a number of about {bit_length:,} digits", bit_length=int(value.bit_length() * 0.30103)
        )
    shown = repr(value)
    if isinstance(value, str) and len(shown) <= 80:
        return Message("{text!r}", text=value)
    return shown if len(shown) <= 80 else f"{shown[:60]}…"


def declarations(cls: type) -> tuple[Declaration, ...]:
    """The declared parameters of a dataclass, in order."""
    key: Hashable = cls
    return _declarations(key)


@cache
def _declarations(cls: Any) -> tuple[Declaration, ...]:
    hints = typing.get_type_hints(cls, include_extras=True)
    found = {
        one.name: _declare(one, hints[one.name]) for one in dataclasses.fields(cls) if one.init
    }
    # The fields of a base class would come first.
    leading = [name for name in getattr(cls, "leading", ()) if name in found]
    return tuple(found[name] for name in dict.fromkeys([*leading, *found]))


def _declare(field: dataclasses.Field[Any], hint: Any) -> Declaration:
    extras: tuple[Any, ...] = ()
    if typing.get_origin(hint) is Annotated:
        hint, *rest = typing.get_args(hint)
        extras = tuple(rest)
    optional = False
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        inner = [arg for arg in typing.get_args(hint) if arg is not type(None)]
        optional = len(inner) < len(typing.get_args(hint))
        hint = inner[0]
    depth = 0
    while typing.get_origin(hint) is tuple:
        hint = typing.get_args(hint)[0]
        depth += 1
    said = {type(extra): extra for extra in extras}
    required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    default = field.default
    if field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    return Declaration(
        name=field.name,
        type=hint,
        optional=optional,
        depth=depth,
        default=None if required else default,
        required=required,
        info=said.get(Info, Info(field.name)),
        within=next((extra for extra in extras if isinstance(extra, Within)), None),
        one_of=said.get(OneOf),
        read=said.get(Read),
        part=said.get(Part),
        member=said.get(Member),
        option=said.get(Option, Option()),
    )


@dataclass(frozen=True)
class Params:
    """Base of frozen parameter sets: an invalid one cannot be constructed."""

    def __post_init__(self) -> None:
        """Check every field against its declaration and store it in its own type."""
        for declaration in declarations(type(self)):
            value = declaration.check(getattr(self, declaration.name))
            object.__setattr__(self, declaration.name, value)

    def to_json(self) -> dict[str, Any]:
        """The parameters as plain JSON values, those that are not set left out."""
        result: dict[str, Any] = {}
        for declaration in declarations(type(self)):
            value = getattr(self, declaration.name)
            if value is None:
                continue
            if declaration.member is not None:
                result[declaration.member.flag] = value.name
                result["parameters"] = value.to_json()
            elif isinstance(value, Params):
                result[declaration.name] = value.to_json()
            elif declaration.read is not None:
                result[declaration.name] = declaration.read.write(value)
            else:
                result[declaration.name] = _as_lists(value)
        return result

    @classmethod
    def given(cls, keywords: Mapping[str, Any]) -> Self:
        """Build from keywords as a call or a command gives them; an unknown one is named."""
        rest, chosen = dict(keywords), {}
        known = list(declarations(cls))
        for one in declarations(cls):
            if one.member is not None:
                kind = _member_kind(one, rest)
                own = {each.name for each in declarations(kind)}
                chosen[one.name] = kind(
                    **{name: rest.pop(name) for name in list(rest) if name in own}
                )
                known += declarations(kind)
            elif one.name in rest:
                chosen[one.name] = rest.pop(one.name)
            elif one.part is not None and one.part.is_open:
                own = {each.name for each in declarations(one.type)} & rest.keys()
                chosen[one.name] = one.type.given({name: rest.pop(name) for name in own})
                known += declarations(one.type)
        if rest:
            raise ParameterError.saying(
                "There is no parameter {name!r}; there are {known}.",
                name=next(iter(rest)),
                known=", ".join(one.name for one in known if not one.is_spread),
                field=next(iter(rest)),
            )
        for one in declarations(cls):
            if one.required and one.name not in chosen:
                raise ParameterError.saying(
                    "{label} is missing.", label=Message(one.info.label), field=one.name
                )
        return cls(**chosen)

    def changed(self) -> dict[str, Any]:
        """The keywords that give these parameters again: those that are not the usual ones."""
        found: dict[str, Any] = {}
        for one in declarations(type(self)):
            value = getattr(self, one.name)
            if one.member is not None:
                if value.name != one.default.name:
                    found[one.member.flag] = value.name
                found |= value.changed()
            elif one.part is not None and one.part.is_open:
                found |= value.changed()
            elif isinstance(value, Params):
                if one.optional or value != one.default:
                    keys = () if one.part is None else one.part.keys
                    told, own = [getattr(value, key) for key in keys], value.changed()
                    whole = dict(zip(keys, told, strict=True)) | own
                    is_short = keys and own.keys() <= set(keys)
                    short = told[0] if len(keys) == 1 else tuple(told)
                    found[one.name] = short if is_short else whole or True
            elif one.required or value != one.default:
                found[one.name] = _as_lists(value) if one.read is None else one.read.write(value)
        return found

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """Build from JSON values; an unknown or missing name is an error that says which."""
        known = {one.name: one for one in declarations(cls)}
        members = {one.member.flag: one for one in known.values() if one.member is not None}
        names = [name for name, one in known.items() if one.member is None]
        names += [*members, *(["parameters"] if members else [])]
        for name in given:
            refuse_unknown_field(name, names)
        for name, one in known.items():
            if one.required and name not in given:
                raise ParameterError.saying("The field {name!r} is missing.", name=name, field=name)
        values = dict(given)
        own = values.pop("parameters", {})
        for flag, one in members.items():
            if flag in values:
                assert one.member is not None  # noqa: S101 (these are the members)
                values[one.name] = one.member.family[values.pop(flag)].from_json(own)
        for name, value in values.items():
            if known[name].part is not None and isinstance(value, Mapping):
                values[name] = known[name].type.from_json(value)
        return cls(**values)


def refuse_unknown_field(name: str, known: Iterable[str]) -> None:
    ParameterError.unless_known(
        "The field {name!r} is unknown; known are {known}.", name, known, field=name
    )


def check_confidence(confidence: float) -> None:
    """Refuse a confidence that no interval has."""
    if not 0 < confidence < 1:
        raise ParameterError.saying(
            "Confidence is {confidence:g}; it must be above 0 and below 1.",
            confidence=confidence,
            field="confidence",
        )


def _member_kind(one: Declaration, given: dict[str, Any]) -> Any:
    """The class of the member that keywords choose, which are used up."""
    assert one.member is not None  # noqa: S101 (who asks has looked)
    chosen = given.pop(one.name, one.default)
    if one.member.flag not in given:
        return type(chosen)
    name = given.pop(one.member.flag)
    if not isinstance(name, str):
        raise ParameterError.saying(
            "{flag} must be a text, not {name!r}.",
            flag=one.member.flag, name=name, field=one.member.flag,
        )  # fmt: skip
    return one.member.family[name]


def _as_lists(value: Any) -> Any:
    return [_as_lists(item) for item in value] if isinstance(value, tuple) else value
