"""The fields of JSON objects from strangers, taken out one by one with their types checked."""

from __future__ import annotations

import math
from typing import Any, NoReturn

from ppworkbench.core.data.attribute import Code, MissingCode
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message

_DEMANDS = {
    str: Message("the value must be text"),
    int: Message("the value must be a whole number"),
    list: Message("the value must be a list"),
    dict: Message("the value must be an object"),
}


class Fields:
    """The fields of one JSON object, taken out one by one with their types checked."""

    def __init__(self, given: Any, whose: str | None) -> None:
        self.whose = whose
        self.attribute: str | None = None
        if not isinstance(given, dict):
            raise DataError(
                Message(
                    "The codebook is wrong: {whose} must be a JSON object.", whose=whose or "it"
                )
            )
        self.given: dict[str, Any] = given

    def refuse(self, field: str, demand: str) -> NoReturn:
        """Raise the error about a field."""
        where = (
            Message("in the field {field!r} of {whose}", field=field, whose=self.whose)
            if self.whose
            else Message("in the field {field!r}", field=field)
        )
        raise DataError(
            Message("The codebook is wrong: {where}, {demand}.", where=where, demand=demand),
            attribute=self.attribute,
            field=field,
        )

    def take(self, field: str, kind: type, *default: Any) -> Any:
        """A field of that type; without a default it must be there."""
        if field not in self.given or (self.given[field] is None and default == (None,)):
            if default:
                return default[0]
            self.refuse(field, Message("a value is missing"))
        value = self.given[field]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.refuse(field, _DEMANDS[kind])
        return value

    def choice(self, field: str, choices: tuple[str, ...], *default: str) -> str:
        """A field that is one of a few words."""
        value = str(self.take(field, str, *default))
        if value not in choices:
            known = ", ".join(repr(choice) for choice in choices)
            self.refuse(
                field, Message("{value!r} is not one of {known}", value=value[:40], known=known)
            )
        return value

    def texts(self, field: str) -> tuple[str, ...]:
        """A field that is a list of texts."""
        values = self.take(field, list, [])
        if not all(isinstance(value, str) for value in values):
            self.refuse(field, Message("every entry must be text"))
        return tuple(values)

    def number(self, field: str, value: Any) -> float:
        """A finite number, or an infinity written as text."""
        if value in ("inf", "-inf"):
            return float(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.refuse(field, Message("every entry must be a number"))
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self.refuse(field, Message("a number is too large"))
        return number

    def code(self, field: str, value: Any) -> Code:
        """A number or a text."""
        return value if isinstance(value, str) else self.number(field, value)

    def pair(self, field: str, value: Any) -> tuple[float, float]:
        """Two numbers."""
        if not isinstance(value, list) or len(value) != 2:
            self.refuse(field, Message("a lowest and a highest number are needed"))
        return self.number(field, value[0]), self.number(field, value[1])

    def labelled(self, field: str, value: Any) -> tuple[float, str]:
        """A number and its label."""
        if not isinstance(value, list) or len(value) != 2 or not isinstance(value[1], str):
            self.refuse(field, Message("a number and its label are needed"))
        return self.number(field, value[0]), value[1]

    def missing_code(self, value: Any) -> MissingCode:
        """A missing code and its label."""
        if not isinstance(value, dict) or not isinstance(value.get("label", ""), str):
            self.refuse("missing_codes", Message("a code and its label are needed"))
        return MissingCode(self.code("missing_codes", value.get("code")), value.get("label", ""))
