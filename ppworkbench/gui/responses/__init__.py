"""Responses in the window: files, folders and paper become answers of the open study."""

from ppworkbench.gui.responses.actions import ResponseActions

__all__ = ["ResponseActions"]
