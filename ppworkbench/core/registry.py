"""Named families of algorithms."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message

T = TypeVar("T")


@dataclass(frozen=True)
class Entry(Generic[T]):
    """One registered thing and how it is called in the program."""

    name: str
    label: str
    item: T


class Registry(Generic[T]):
    """The members of one family, in the order in which they were registered.

    >>> shapes: Registry[type] = Registry("shape")
    >>> @shapes.register("round", "Round")
    ... class Round: ...
    >>> shapes["round"] is Round
    True
    """

    def __init__(self, family: str) -> None:
        self.family = family
        self._entries: dict[str, Entry[T]] = {}

    def register(self, name: str, label: str) -> Callable[[T], T]:
        """Register the decorated thing under a name that files and commands use."""

        def add(item: T) -> T:
            if name in self._entries:
                raise ValueError(f"{self.family} {name!r} is registered twice")
            self._entries[name] = Entry(name, label, item)
            return item

        return add

    def __getitem__(self, name: str) -> T:
        """The member of that name; an unknown one is an error that names the known."""
        return self.entry(name).item

    def entry(self, name: str) -> Entry[T]:
        """The member of that name with its label."""
        if name in self._entries:
            return self._entries[name]
        near = difflib.get_close_matches(name, self._entries, 1)
        hint = (
            Message("did you mean {near!r}?", near=near[0])
            if near
            else Message("known are {entries}.", entries=", ".join(self._entries))
        )
        said = Message(
            "There is no {family} called {name!r}; {hint}", family=self.family, name=name, hint=hint
        )
        raise ParameterError(said, field=self.family)

    def __contains__(self, name: object) -> bool:
        """Whether something is registered under that name."""
        return name in self._entries

    def __iter__(self) -> Iterator[Entry[T]]:
        """The entries in the order of registration."""
        return iter(self._entries.values())

    def __len__(self) -> int:
        """How many members the family has."""
        return len(self._entries)

    @property
    def names(self) -> tuple[str, ...]:
        """All registered names."""
        return tuple(self._entries)
