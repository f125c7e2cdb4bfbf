"""The Data page: what was understood of a file, to be checked before anything is randomised."""

from ppworkbench.gui.pages.data.page import DataPage

__all__ = ["DataPage"]
