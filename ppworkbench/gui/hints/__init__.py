"""Hints for somebody who sees a page for the first time; they can be turned off."""

from ppworkbench.gui.hints.texts import HINTS, Hint
from ppworkbench.gui.hints.trail import Hints

__all__ = ["HINTS", "Hint", "Hints"]
