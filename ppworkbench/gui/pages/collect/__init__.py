"""The Collect page."""

from ppworkbench.gui.pages.collect.page import CollectPage

__all__ = ["CollectPage"]
