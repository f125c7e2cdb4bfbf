"""Arguments of a wrong type are refused in one sentence, before anything is done with them."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from types import UnionType
from typing import ParamSpec, TypeAlias, TypeVar

from ppworkbench.core.errors import ParameterError

StudyPath: TypeAlias = "str | os.PathLike[str]"
"""Where a study or a design lies."""

P = ParamSpec("P")
R = TypeVar("R")

_OWN = frozenset({"Any", "object", "Progress", "Data", "DesignLike", "Engine", "Mechanism", "Told"})
"""Types that are not looked at here: whoever takes them says what is wrong."""
_LEAST = {"seed": 0, "n": 1, "folds": 2}
"""The least of numbers that mean the same in all functions."""
_LONGEST = 60


def check_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function of the interface refuse arguments that are not of their declared types.

    >>> @check_arguments
    ... def ask(n: int, names: Sequence[str] = ()) -> int:
    ...     return n
    >>> ask(3, ["age"])
    3
    >>> ask(3, names="age")
    Traceback (most recent call last):
        ...
    ppworkbench.core.errors.ParameterError: names must be a list of texts, as in ['age'].
    """

    @functools.cache
    def declared() -> tuple[inspect.Signature, Mapping[str, _Kinds]]:
        signature = inspect.signature(function)
        # A module may import an alias for its types alone.
        known = {"StudyPath": StudyPath} | getattr(function, "__globals__", {})
        return signature, {
            name: _Kinds.of(str(one.annotation), known)
            for name, one in signature.parameters.items()
            if one.annotation is not one.empty and one.kind is not one.VAR_KEYWORD
        }

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        signature, kinds = declared()
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:
            # Python itself says that an argument is missing or unknown.
            return function(*args, **kwargs)
        for name, value in given.items():
            several = signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
            for one in value if several else (value,):
                if name in kinds and not kinds[name].holds(one):
                    raise ParameterError(_refusal(name, kinds[name], one), field=name)
            if isinstance(value, Integral) and value < _LEAST.get(name, value):
                raise ParameterError(
                    f"{name} must be at least {_LEAST[name]}, not {value}.", field=name
                )
        return function(*args, **kwargs)

    return call


def _refusal(name: str, kinds: _Kinds, value: object) -> str:
    if kinds.holds([value]):
        return f"{name} must be {kinds.words}, as in [{value!r}]."
    written = repr(value)
    if len(written) > _LONGEST or written.startswith("<"):
        written = f"a value of type {type(value).__name__}"
    return f"{name} must be {kinds.words}, not {written}."


@dataclass(frozen=True)
class _Kind:
    """One of the types that an argument may have."""

    one: str
    """In words, with an article."""
    many: str
    holds: Callable[[object], bool]


@dataclass(frozen=True)
class _Kinds:
    """All types that an argument may have; none for one that is not looked at."""

    kinds: tuple[_Kind, ...] | None
    is_optional: bool = False

    @classmethod
    def of(cls, annotation: str, known: Mapping[str, object]) -> _Kinds:
        """Read an annotation, with the aliases that the module of the function knows."""
        kinds: list[_Kind] = []
        is_optional = False
        for text in _split(annotation, "|"):
            alias = known.get(text)
            if text == "None":
                is_optional = True
            elif text in _OWN or text.startswith("Callable"):
                return cls(None)
            elif isinstance(alias, str | UnionType):
                inner = cls.of(str(alias), known)
                if inner.kinds is None:
                    return inner
                kinds += inner.kinds
                is_optional |= inner.is_optional
            else:
                kinds.append(_kind(text, known))
        return cls(tuple(kinds), is_optional)

    def holds(self, value: object) -> bool:
        """Whether a value has one of the types."""
        if self.kinds is None or (value is None and self.is_optional):
            return True
        return any(one.holds(value) for one in self.kinds)

    @property
    def words(self) -> str:
        """The types for people."""
        return " or ".join(dict.fromkeys(one.one for one in self.kinds or ()))

    @property
    def many(self) -> str:
        """The types in the plural; empty where nothing is known."""
        return " or ".join(dict.fromkeys(one.many for one in self.kinds or ()))


def _kind(text: str, known: Mapping[str, object]) -> _Kind:
    """The type of an annotation without alternatives."""
    head, _, rest = text.partition("[")
    head = head.rpartition(".")[2]
    inside = _split(rest.removesuffix("]"), ",") if rest else []
    if head == "tuple" and inside[-1] != "...":
        parts = [_Kinds.of(one, known) for one in inside]
        words = f"{len(parts)} values ({', '.join(one.words for one in parts)})"
        return _Kind(words, words, lambda value: _are(value, parts))
    if head in ("Sequence", "Iterable", "tuple"):
        each = _Kinds.of(inside[0], known)
        words = f" of {each.many}" if each.many else ""
        return _Kind(f"a list{words}", f"lists{words}", lambda value: _is_list(value, each))
    if head == "Mapping":
        values = _Kinds.of(inside[1], known)
        words = f" of {values.many} by name" if values.many else ""
        return _Kind(
            f"a mapping{words}",
            f"mappings{words}",
            lambda value: isinstance(value, Mapping) and all(map(values.holds, value.values())),
        )
    if head in _PLAIN:
        return _PLAIN[head]
    return _Kind(
        f"a {head}",
        f"objects {head}",
        lambda value: any(one.__name__ == head for one in type(value).__mro__),
    )


def _are(value: object, parts: Sequence[_Kinds]) -> bool:
    """Whether a value is a list of as many values, each of its own types."""
    if not _is_list(value, _Kinds(None)) or not isinstance(value, Collection):
        return False
    return len(value) == len(parts) and all(
        one.holds(found) for one, found in zip(parts, value, strict=True)
    )


def _is_list(value: object, each: _Kinds) -> bool:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return False
    # What can be gone through only once is left alone.
    return not isinstance(value, Collection) or all(map(each.holds, value))


def _is_flag(value: object) -> bool:
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")


_PLAIN = {
    "str": _Kind("a text", "texts", lambda value: isinstance(value, str)),
    "bool": _Kind("True or False", "True or False", _is_flag),
    "int": _Kind(
        "a whole number",
        "whole numbers",
        lambda value: isinstance(value, Integral) and not _is_flag(value),
    ),
    "float": _Kind(
        "a number", "numbers", lambda value: isinstance(value, Real) and not _is_flag(value)
    ),
    "PathLike": _Kind("a path", "paths", lambda value: isinstance(value, os.PathLike)),
}


def _split(text: str, sign: str) -> list[str]:
    """The parts of an annotation between signs that stand in no brackets.

    >>> _split("str | Mapping[str, int | None] | None", "|")
    ['str', 'Mapping[str, int | None]', 'None']
    """
    parts, depth = [""], 0
    for letter in text:
        depth += {"[": 1, "]": -1}.get(letter, 0)
        if letter == sign and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
