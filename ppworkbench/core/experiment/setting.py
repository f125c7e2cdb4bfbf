"""One classifier of an experiment with its parameters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from ppworkbench.core.classify import BinningParams, Classifier, classifiers
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message


@dataclass(frozen=True)
class Setting:
    """A registered classifier, its parameters, and which records it learns from.

    ``undistorted`` settings learn from the records as they are, for comparison; classifiers that
    know nothing of distortion always do.
    """

    classifier: str
    params: BinningParams
    undistorted: bool = False

    def __post_init__(self) -> None:
        """Refuse parameters of another classifier."""
        kind = classifiers[self.classifier]
        if type(self.params) is not kind.params_type:
            raise ParameterError(
                Message(
                    "The parameters are not those of the classifier {classifier!r}.",
                    classifier=self.classifier,
                ),
                field="parameters",
            )
        if kind.is_reference:
            object.__setattr__(self, "undistorted", True)

    @classmethod
    def of(cls, classifier: str, *, undistorted: bool = False, **parameters: Any) -> Self:
        """A setting with some parameters changed from their defaults."""
        kind = classifiers[classifier]
        return cls(classifier, kind.params_type(**parameters), undistorted)

    @property
    def label(self) -> str:
        """What people call the classifier."""
        return classifiers.entry(self.classifier).label

    @cached_property
    def key(self) -> str:
        """A text that two settings share only if they are the same."""
        return json.dumps(self.to_json(), sort_keys=True, ensure_ascii=False)

    def make(self, **more: Any) -> Classifier[Any]:
        """The untrained classifier."""
        given = {name: getattr(self.params, name) for name in self.params.__dataclass_fields__}
        return classifiers[self.classifier](**given, **more)

    def to_json(self) -> dict[str, Any]:
        """The setting as plain JSON values."""
        return {
            "classifier": self.classifier,
            "parameters": self.params.to_json(),
            "undistorted": self.undistorted,
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """Read a setting; an unknown classifier or parameter is an error that names it."""
        if not isinstance(given, Mapping) or not isinstance(given.get("parameters", {}), Mapping):
            raise ParameterError("A setting of an experiment is damaged.", field="settings")
        name = str(given.get("classifier"))
        params = classifiers[name].params_type.from_json(given.get("parameters", {}))
        return cls(name, params, bool(given.get("undistorted")))
