"""Versions of a questionnaire for groups of respondents that are drawn at random."""

from ppworkbench.gui.pages.design.arms.page import ArmsPage

__all__ = ["ArmsPage"]
