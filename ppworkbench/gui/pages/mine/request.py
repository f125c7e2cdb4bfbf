"""What a run is asked to do."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.mining import Miner, miners
from ppworkbench.core.params import declarations

Key = tuple[str, str]
"""An item: attribute and value."""

PROBABLY, SURELY, POSSIBLY = "probably", "surely", "possibly"
CERTAINTIES = (PROBABLY, SURELY, POSSIBLY)
FREQUENT, LIKELY = "frequent", "min_probability"
"""Parameters by which a miner knows the certainties: by their name, or by a probability."""


@dataclass(frozen=True)
class Request:
    """Items, method and limits of one run.

    ``certainty`` says when a set counts as frequent: by its estimate, or by an end of its interval.
    """

    items: tuple[Key, ...]
    miner: Miner
    min_confidence: float = 0.5
    certainty: str = PROBABLY

    @property
    def method(self) -> str:
        """The name of the method."""
        return self.miner.name

    @property
    def min_support(self) -> float:
        """The share from which a set is frequent."""
        return self.miner.min_support

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes of the items, in order."""
        return tuple(dict.fromkeys(attribute for attribute, _ in self.items))

    def to_json(self) -> dict[str, Any]:
        """The request as plain values."""
        return {
            "items": [list(key) for key in self.items],
            "method": self.method,
            "parameters": self.miner.to_json(),
            "min_confidence": self.min_confidence,
            "certainty": self.certainty,
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Request:
        """Read a request; one that this program does not understand is an error."""
        try:
            items = tuple((str(attribute), str(value)) for attribute, value in given["items"])
            miner = miners[str(given["method"])].from_json(given["parameters"])
            confidence = float(given["min_confidence"])
            certainty = str(given["certainty"])
        except (KeyError, TypeError, ValueError, WorkbenchError) as error:
            raise DataError("A kept run of the Mine page is damaged.") from error
        if certainty not in CERTAINTIES:
            raise DataError("A kept run of the Mine page is damaged.")
        return cls(items, miner, confidence, certainty)


def knows_certainty(method: str) -> bool:
    """Whether a miner itself looks at the ends of the intervals while it searches."""
    return bool({FREQUENT, LIKELY} & _names(method))


def with_certainty(miner: Miner, certainty: str) -> Miner:
    """The miner that asks for so much certainty; as it is where it knows nothing of it.

    The whole interval reaches the minimum where the set is frequent with the probability of
    everything but the interval's lower tail. What "probably" means, a miner with a probability is
    told by that parameter itself.
    """
    names = _names(miner.name)
    if FREQUENT in names:
        return dataclasses.replace(miner, **{FREQUENT: certainty})
    if LIKELY in names and certainty != PROBABLY:
        tail = (1 - miner.confidence) / 2
        return dataclasses.replace(miner, **{LIKELY: 1 - tail if certainty == SURELY else tail})
    return miner


def _names(method: str) -> set[str]:
    return {declaration.name for declaration in declarations(miners[method])}
