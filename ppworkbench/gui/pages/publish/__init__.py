"""The Publish page."""

from ppworkbench.gui.pages.publish.page import PublishPage

__all__ = ["PublishPage"]
