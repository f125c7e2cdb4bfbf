"""The sizes of a Quest data set and the name that they make."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Params, Within

_NUMBER = r"(\d+(?:\.\d+)?)"
_COUNT = r"(\d+(?:\.\d+)?[kKmM]?)"
_NAME = re.compile(
    rf"T{_NUMBER}\.?I{_NUMBER}\.?D{_COUNT}(?:\.?N{_COUNT})?(?:\.?L{_COUNT})?", re.ASCII
)
_UNITS = {"k": 1_000, "m": 1_000_000}


@dataclass(frozen=True)
class QuestParams(Params):
    """Sizes and tendencies of the baskets; the defaults are those of the article.

    >>> QuestParams.parse("T10.I8.D100k.N100").transactions
    100000
    >>> str(QuestParams(transactions=1500, items=50, length=10, pattern=4))
    'T10.I4.D1500.N50'
    """

    transactions: Annotated[
        int, Within(1, 100_000_000), Info("Transactions", "Number of baskets (D)")
    ] = 1_000
    items: Annotated[int, Within(1, 1_000_000), Info("Items", "Number of items (N)")] = 50
    length: Annotated[
        float, Within(1, 10_000), Info("Length", "Average number of items in a basket (T)")
    ] = 10.0
    pattern: Annotated[
        float,
        Within(1, 1_000),
        Info("Pattern", "Average number of items in a set that is bought together (I)"),
    ] = 4.0
    patterns: Annotated[
        int,
        Within(1, 100_000),
        Info("Patterns", "Number of sets that are bought together (L)"),
    ] = 2_000
    correlation: Annotated[
        float,
        Within(0, 1),
        Info("Correlation", "Average share of items that a pattern has from the one before"),
    ] = 0.5
    corruption: Annotated[
        float,
        Within(0, 1),
        Info("Corruption", "Average probability that one more item of a pattern is left out"),
    ] = 0.5
    corruption_variance: Annotated[
        float, Within(0, 1), Info("Corruption variance", "How much patterns differ in corruption")
    ] = 0.1
    uneven: Annotated[bool, Info("Uneven items", "Some items are more popular than others")] = True

    def __str__(self) -> str:
        """The name of a data set of these sizes; L only where it is not the usual 2,000."""
        name = f"T{_short(self.length)}.I{_short(self.pattern)}"
        name += f".D{_counted(self.transactions)}.N{_counted(self.items)}"
        return name if self.patterns == 2_000 else f"{name}.L{_counted(self.patterns)}"

    @staticmethod
    def names(name: str) -> bool:
        """Whether a text has the form of such a name."""
        return _NAME.fullmatch(name.strip()) is not None

    @classmethod
    def parse(cls, name: str) -> Self:
        """Read the sizes from a name such as ``T10.I8.D100k.N100`` or ``T10I8D100kN100``.

        A name without N means 1,000 items, as in the article; one without L 2,000 patterns.
        """
        found = _NAME.fullmatch(name.strip())
        if found is None:
            raise ParameterError(
                Message(
                    "{name!r} does not name a basket data set; write for example "
                    "T10.I8.D100k.N100.",
                    name=name,
                ),
                field="name",
            )
        length, pattern, transactions, items, patterns = found.groups()
        return cls(
            transactions=_whole(transactions, name),
            items=_whole(items or "1k", name),
            length=float(length),
            pattern=float(pattern),
            patterns=_whole(patterns or "2k", name),
        )


def _short(number: float) -> str:
    return repr(int(number)) if number.is_integer() else repr(number)


def _counted(count: int) -> str:
    for letter, unit in reversed(_UNITS.items()):
        if count % unit == 0:
            return f"{count // unit}{letter}"
    return str(count)


def _whole(text: str, name: str) -> int:
    unit = _UNITS.get(text[-1].lower(), 1)
    number = float(text[:-1] if unit > 1 else text) * unit
    if not number.is_integer():
        raise ParameterError(
            Message(
                "{text} in {name!r} is not a whole number; write for example D1500 or D1.5k.",
                text=text,
                name=name,
            ),
            field="name",
        )
    return int(number)
