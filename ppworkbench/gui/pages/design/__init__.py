"""The Design page: how each attribute is randomised, what that protects and costs."""

from ppworkbench.gui.pages.design.page import DesignPage

__all__ = ["DesignPage"]
