"""What the core says to people: a template with named places, and what stands there."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from numbers import Integral, Real
from string import Formatter
from types import MappingProxyType
from typing import NamedTuple, Self

Json = str | int | float | list["Json"] | dict[str, "Json"]
_SAFE_SPEC = re.compile(r",?(\.\d\d?)?[defg%]?")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_DEEPEST = 8
_REMEMBERED = 4096
"""More templates than the program has; files may bring any number of others."""
_KEPT = (str, int, float, tuple, Real)
"""What stays as it is; the ones before the last are found faster."""
_NONE: Mapping[str, object] = MappingProxyType({})
ATTRIBUTES = frozenset(
    {
        "attribute", "other_attribute", "attributes", "class_name", "column", "feature", "others",
        "sensitive", "of", "by", "rows_of", "columns_of",
    }
)  # fmt: skip
"""Places that hold names of columns, for which people may have other words."""


SAMPLE_TEXT = "sample"
"""The code of what the program's own samples call their columns and units."""


class Place(NamedTuple):
    """A place of a template, and how its value is written there."""

    name: str
    conversion: str
    spec: str

    def text(self, value: object) -> str:
        """A value as an f-string with this place would write it; a tuple as a list of them."""
        if isinstance(value, tuple):
            return ", ".join(map(self.text, value))
        return format(repr(value) if self.conversion else value, self.spec)


class Message(str):
    """An English text that knows its template and arguments, by which it can be translated.

    It prints, compares and serialises like its text. A template is written like an f-string:
    ``{name!r}`` and ``{share:.3g}`` are allowed. An argument that is a plain text is somebody's
    own, such as the name of an attribute, and the same in every language; a number is written as
    the language writes it; a message is translated itself; a tuple is a list of any of them.
    Without arguments the template is the text. Names of columns stand at the places of
    :data:`ATTRIBUTES`, so that who knows the study can say what people call them.

    >>> said = Message("{name!r} has {share:.1%} of the answers.", name="age", share=0.25)
    >>> said, said.key, said.args["share"]
    ("'age' has 25.0% of the answers.", '{name} has {share} of the answers.', 0.25)
    """

    __slots__ = ("args", "code", "template")
    template: str
    args: Mapping[str, object]
    code: str
    """What programs ask for, because the words may change."""

    def __new__(cls, template: str, /, *, code: str = "", **args: object) -> Self:
        kept, text = _NONE, str(template)
        if args:
            values: dict[str, object] = {}
            pieces = []
            for before, place in split_template(text):
                pieces.append(before)
                if place:
                    values[place.name] = _kept(args[place.name], place)
                    pieces.append(place.text(values[place.name]))
            kept, text = MappingProxyType(values), "".join(pieces)
        message = super().__new__(cls, text)
        message.template, message.args, message.code = str(template), kept, code
        return message

    @classmethod
    def of(cls, text: str) -> Message:
        """A text that is to be translated, whether it is a message already or not."""
        return text if isinstance(text, Message) else cls(text)

    @classmethod
    def joined(cls, parts: Iterable[str], separator: str = " ", *, code: str = "") -> Message:
        """Several texts one after the other; each is translated by itself."""
        named = {f"part{number}": cls.of(part) for number, part in enumerate(parts, 1)}
        return cls(separator.join(f"{{{name}}}" for name in named), code=code, **named)

    def with_(self, **args: object) -> Message:
        """The same message about other values, as far as it and its parts have places for them."""
        known = {
            name: args.get(name, value.with_(**args) if isinstance(value, Message) else value)
            for name, value in self.args.items()
        }
        return _restored(self.template, self.code, known)

    @property
    def key(self) -> str:
        """The template by which translations are found: how numbers are written is left out."""
        return template_key(self.template) if self.args else self.template

    def to_json(self) -> Json:
        """The message for a file of the program's own; a text without places is just a text."""
        if not self.args and not self.code:
            return str(self)
        return _to_json(self)

    @classmethod
    def from_json(cls, given: object) -> Message:
        """What :meth:`to_json` gave, or an older text; ValueError if it is neither."""
        found = _from_json(given, depth=0)
        if isinstance(found, str):
            return cls.of(found)
        raise ValueError("this is no message")

    def __reduce__(self) -> tuple[object, ...]:
        """Let copies and other processes have the template and the arguments as well."""
        return _restored, (self.template, self.code, dict(self.args))


@lru_cache(_REMEMBERED)
def split_template(template: str) -> tuple[tuple[str, Place | None], ...]:
    """Texts of a template, each with the place behind it."""
    return tuple(
        (before, None if name is None else Place(name, conversion or "", spec or ""))
        for before, name, spec, conversion in Formatter().parse(template)
    )


@lru_cache(_REMEMBERED)
def template_key(template: str) -> str:
    """A template with nothing but the names of its places."""
    return "".join(
        before.replace("{", "{{").replace("}", "}}") + (f"{{{place.name}}}" if place else "")
        for before, place in split_template(template)
    )


def _kept(value: object, place: Place) -> object:
    """An argument that stays what it is: a text, a number, a message or a list of them."""
    if isinstance(value, _KEPT) or place.conversion or place.spec:
        return value
    return str(value)


def titled(sentence: str, shown: Callable[[str], str]) -> str:
    """A sentence with what ``shown`` calls its attributes instead of their columns.

    >>> titled(Message("{attribute!r} has no mean.", attribute="v17"), {"v17": "Age"}.get)
    "'Age' has no mean."
    """
    if not isinstance(sentence, Message):
        return sentence
    args = {
        name: _titled(value, shown, is_attribute=name in ATTRIBUTES)
        for name, value in sentence.args.items()
    }
    return sentence if args == sentence.args else _restored(sentence.template, sentence.code, args)


def _titled(value: object, shown: Callable[[str], str], *, is_attribute: bool) -> object:
    if isinstance(value, Message):
        return titled(value, shown)
    if isinstance(value, tuple):
        return tuple(_titled(one, shown, is_attribute=is_attribute) for one in value)
    return shown(value) if is_attribute and isinstance(value, str) else value


def attributes_in(sentence: str) -> tuple[str, ...]:
    """The attributes that a sentence names, in the order of its arguments.

    >>> attributes_in(Message("{attribute!r} has no mean.", attribute="v17"))
    ('v17',)
    """
    found: list[str] = []

    def note(name: str) -> str:
        found.append(name)
        return name

    titled(sentence, note)
    return tuple(found)


def on_one_line(sentence: Message) -> Message:
    r"""A sentence without the line breaks and control characters that came with names of a file.

    >>> on_one_line(Message("There is no {name}.", name="a\nb"))
    'There is no a b.'
    """
    if not _CONTROLS.search(sentence):
        return sentence
    places = (place for _, place in split_template(sentence.template) if place)
    # A name in quotes is written with its escapes.
    plain = {place.name for place in places if not place.conversion}
    args = {name: _flat(v) if name in plain else v for name, v in sentence.args.items()}
    return _restored(sentence.template, sentence.code, args)


def _flat(value: object) -> object:
    if isinstance(value, Message):
        return on_one_line(value)
    if isinstance(value, tuple):
        return tuple(map(_flat, value))
    return _CONTROLS.sub(" ", value) if isinstance(value, str) else value


def _restored(template: str, code: str, args: Mapping[str, object]) -> Message:
    return Message(template, code=code, **args)


def _to_json(value: object) -> Json:
    if isinstance(value, Message):
        # Also where it is just a text: an argument that is one would be somebody's own.
        args = {name: _to_json(one) for name, one in value.args.items()}
        return {"template": value.template, "args": args, "code": value.code}
    if isinstance(value, tuple):
        return [_to_json(one) for one in value]
    if isinstance(value, Real) and math.isfinite(value):
        return int(value) if isinstance(value, Integral) else float(value)
    return str(value)


def _from_json(given: object, depth: int) -> object:
    """An argument or message as a file has it, which may have been written by anybody."""
    if depth > _DEEPEST:
        raise ValueError("this is no message")
    if isinstance(given, str | int | float):
        return given
    if isinstance(given, list):
        return tuple(_from_json(one, depth + 1) for one in given)
    if not isinstance(given, Mapping):
        raise ValueError("this is no message")
    template, args, code = given.get("template"), given.get("args", {}), given.get("code", "")
    if not (isinstance(template, str) and isinstance(args, Mapping) and isinstance(code, str)):
        raise ValueError("this is no message")
    kept = {str(name): _from_json(value, depth + 1) for name, value in args.items()}
    if kept:
        for _, place in split_template(template):
            # A wide enough place would fill the memory.
            if place and not (place.name in kept and _SAFE_SPEC.fullmatch(place.spec)):
                raise ValueError("this is no message")
    try:
        return _restored(template, code, kept)
    except (KeyError, OverflowError, TypeError) as error:
        raise ValueError(str(error)) from None
