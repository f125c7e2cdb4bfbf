"""The Learn page."""

from ppworkbench.gui.pages.learn.page import LearnPage

__all__ = ["LearnPage"]
