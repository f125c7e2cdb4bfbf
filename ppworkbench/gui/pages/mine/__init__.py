"""The Mine page: itemsets and rules from distorted answers."""

from ppworkbench.gui.pages.mine.page import MinePage

__all__ = ["MinePage"]
