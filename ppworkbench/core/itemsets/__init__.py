"""The engine that miners and emerging patterns share: items, supports, candidates by length."""

from ppworkbench.core.itemsets.item import Item
from ppworkbench.core.itemsets.item_data import Graded, ItemData
from ppworkbench.core.itemsets.items import ItemOptions, item_data
from ppworkbench.core.itemsets.itemsets import Itemsets, SetList

__all__ = ["Graded", "Item", "ItemData", "ItemOptions", "Itemsets", "SetList", "item_data"]
