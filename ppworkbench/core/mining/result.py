"""What a miner hands back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ppworkbench.core.itemsets.item import Item
from ppworkbench.core.itemsets.itemsets import Itemsets
from ppworkbench.core.itemsets.search import Level

if TYPE_CHECKING:
    from ppworkbench.core.mining.miner import Miner


@dataclass(frozen=True, eq=False)
class MiningResult:
    """Frequent itemsets and how they were found.

    Parameters
    ----------
    method
        The name under which the miner is registered.
    miner
        The miner with its parameters.
    transactions
        The number of records that were mined.
    notes
        Sentences that a reader of the result should know.
    """

    method: str
    miner: Miner
    transactions: int
    seconds: float
    itemsets: Itemsets
    levels: tuple[Level, ...]
    notes: tuple[str, ...] = ()

    @property
    def items(self) -> tuple[Item, ...]:
        """All items that could be mined; the sets' members point into them."""
        return self.itemsets.items

    def to_json(self) -> dict[str, Any]:
        """The result as the command line prints it; errors and rules are added there."""
        sets = self.itemsets
        columns = zip(sets.support.tolist(), sets.standard_error.tolist(), strict=True)
        return {
            "method": self.method,
            "parameters": self.miner.to_json(),
            "transactions": self.transactions,
            "seconds": self.seconds,
            "itemsets": [
                {"items": list(sets.names(i)), "support": support, "standard_error": error}
                for i, (support, error) in enumerate(columns)
            ],
            "levels": [{"length": level.length, "found": level.found} for level in self.levels],
            "notes": list(self.notes),
        }
