"""One item: a value of an attribute."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """A value of an attribute, or a thing that a basket may hold.

    ``name`` is what people read: ``attribute=value``, or the attribute alone where the value only
    says that the basket holds it.
    """

    name: str
    attribute: str
    value: str

    def __str__(self) -> str:
        """The name."""
        return self.name
