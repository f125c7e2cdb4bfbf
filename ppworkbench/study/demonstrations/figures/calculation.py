"""What every number of a demonstration is: declared parameters and a way to work it out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Params
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.registry import Registry
from ppworkbench.study.study import Study


@dataclass(frozen=True)
class Calculation(Params, ABC):
    """A number that follows from a study. ``quick`` ones are worked out again at every change."""

    quick: ClassVar[bool] = True

    @abstractmethod
    def calculate(self, study: Study, progress: Progress = silent) -> float:
        """Work the number out."""


calculations: Registry[type[Calculation]] = Registry("calculation")


def place_of(study: Study, name: str, value: str) -> int:
    """The position of a value of an attribute."""
    values = study.design[name].attribute.values
    if value not in values:
        raise DataError(
            Message(
                "{name!r} has no value {value!r}; its values are {values}.",
                name=name,
                value=value,
                values=", ".join(values),
            ),
            attribute=name,
        )
    return values.index(value)
