"""The plan of the survey: which questions keep their limits, how many to ask, what it costs."""

from ppworkbench.gui.pages.design.plan.page import PlanPage

__all__ = ["PlanPage"]
