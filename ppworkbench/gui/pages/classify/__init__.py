"""The Classify page: what accuracy does privacy cost?"""

from ppworkbench.gui.pages.classify.page import ClassifyPage

__all__ = ["ClassifyPage"]
