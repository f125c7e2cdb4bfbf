"""The engine that miners and emerging patterns share: items, supports, candidates by length.

- :func:`item_data` makes items of a table, distorted or not; ``data.take(rows)`` are some records.
- :func:`supports` estimates the supports of given sets; :func:`search` finds sets length by length.
"""

from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.items import ItemOptions, item_data
from ppworkbench.core.itemsets.itemsets import Item, Itemsets, SetList
from ppworkbench.core.itemsets.search import Level, Limits, Verdict, search
from ppworkbench.core.itemsets.supports import supports

__all__ = [
    "Item",
    "ItemData",
    "ItemOptions",
    "Itemsets",
    "Level",
    "Limits",
    "SetList",
    "Verdict",
    "item_data",
    "search",
    "supports",
]
