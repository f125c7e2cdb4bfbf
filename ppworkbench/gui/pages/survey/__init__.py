"""The Survey page: ask distorted answers how many, how much, how distributed, and who."""

from ppworkbench.gui.pages.survey.page import SurveyPage

__all__ = ["SurveyPage"]
