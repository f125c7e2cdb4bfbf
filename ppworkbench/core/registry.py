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
    """One registered thing, how it is called in the program and where it stands in lists."""

    name: str
    label: str
    item: T
    short: str = ""
    hint: str = ""
    rank: int = 100

    @property
    def title(self) -> str:
        """What it is called where there is little room."""
        return self.short or self.label


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

    def register(
        self, name: str, label: str, *, short: str = "", hint: str = "", rank: int = 100
    ) -> Callable[[T], T]:
        """Register the decorated thing under a name that files and commands use.

        Parameters
        ----------
        short
            What it is called where there is little room; the label if it is not given.
        hint
            What it does, in a few words.
        rank
            Its place in lists that people choose from; those without one come last.
        """

        def add(item: T) -> T:
            if name in self._entries:
                raise ValueError(f"{self.family} {name!r} is registered twice")
            self._entries[name] = Entry(name, label, item, short, hint, rank)
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
        return name in self._entries

    def __iter__(self) -> Iterator[Entry[T]]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def remove(self, name: str) -> None:
        """Forget a member."""
        del self._entries[name]

    @property
    def ranked(self) -> tuple[Entry[T], ...]:
        """The entries in the order in which people choose from them."""
        return tuple(sorted(self._entries.values(), key=lambda entry: entry.rank))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._entries)
