"""Pictures of every page and dialog, and the states of the window that they show."""

from ppworkbench.gui.tour.pictures import View, open_window, picture, take_tour

__all__ = ["View", "open_window", "picture", "take_tour"]
