"""Anchors: check questions whose true share is known, which show how many people are attentive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message

_FIELDS = ("column", "p", "share")


@dataclass(frozen=True)
class Anchor:
    """A second crosswise question whose true share is known."""

    column: str
    p: float
    share: float = 0.0

    def __post_init__(self) -> None:
        for field_name, value in (("anchor-p", self.p), ("anchor-share", self.share)):
            if not 0 <= value <= 1 or abs(value - 0.5) < 1e-9:
                raise ParameterError(
                    "The harmless share and the true share of an anchor lie between 0 and 1, and "
                    "are not one half.",
                    field=field_name,
                )


Anchors = tuple[tuple[str, Anchor], ...]
"""Questions, each with its check question."""


def check_anchors(anchors: Anchors, attributes: Iterable[Attribute]) -> None:
    known = {one.name: one for one in attributes}
    for name, anchor in anchors:
        for one in (name, anchor.column):
            if one not in known:
                raise _wrong(
                    name, Message("has an anchor, but the design lacks {column!r}", column=one)
                )
            if not _has_two_answers(known[one]):
                raise _wrong(
                    name, Message("has an anchor, but {column!r} has not two answers", column=one)
                )
        if name == anchor.column:
            raise _wrong(name, Message("cannot be its own anchor"))


def fitting_anchors(anchors: Anchors, attributes: Iterable[Attribute]) -> Anchors:
    known = {one.name for one in attributes if _has_two_answers(one)}
    return tuple(pair for pair in anchors if {pair[0], pair[1].column} <= known)


def renamed_anchors(anchors: Anchors, call: Callable[[str], str]) -> Anchors:
    return tuple((call(name), Anchor(call(one.column), one.p, one.share)) for name, one in anchors)


def anchors_to_json(anchors: Anchors) -> dict[str, Any]:
    return {name: {"column": one.column, "p": one.p, "share": one.share} for name, one in anchors}


def anchors_from_json(given: Any) -> Anchors:
    if not isinstance(given, Mapping):
        raise DesignError("The field 'anchors' must be an object of questions.", field="anchors")
    found = []
    for name, fields in given.items():
        if not isinstance(fields, Mapping) or set(fields) - set(_FIELDS):
            raise _wrong(name, Message("must have an anchor with column, p and share"))
        column, p, share = fields.get("column"), fields.get("p"), fields.get("share", 0.0)
        if not isinstance(column, str) or not column:
            raise _wrong(name, Message("needs the name of the column of its anchor"))
        if not _is_number(p) or not _is_number(share):
            raise _wrong(name, Message("needs p and the share of its anchor as numbers"))
        try:
            found.append((name, Anchor(column, float(p), float(share))))
        except ParameterError as error:
            raise DesignError(error.message, attribute=name, field="anchors") from None
    return tuple(found)


def _is_number(given: Any) -> TypeGuard[float]:
    return isinstance(given, int | float) and not isinstance(given, bool)


def _has_two_answers(attribute: Attribute) -> bool:
    return attribute.kind.is_categorical and attribute.k == 2


def _wrong(name: str, what: str) -> DesignError:
    return DesignError.saying("{attribute!r} {what}.", what=what, attribute=name, field="anchors")
