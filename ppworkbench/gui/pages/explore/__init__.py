"""The Explore page: distort, reconstruct, step through iterations, repeat."""

from ppworkbench.gui.pages.explore.page import ExplorePage

__all__ = ["ExplorePage"]
