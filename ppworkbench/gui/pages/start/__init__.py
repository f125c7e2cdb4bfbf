"""The start screen."""

from ppworkbench.gui.pages.start.page import StartPage

__all__ = ["StartPage"]
