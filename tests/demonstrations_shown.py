"""A demonstration of one's own, and ways to wait for one that is shown."""

from __future__ import annotations

from demonstrating import FORMAT, SMOKERS
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

LEFT = Qt.MouseButton.LeftButton

_STEPS = """
[[step]]
title = "One"
text = "There are {n}."
page = "design"
attribute = "smokes"
design.smokes = {type = "uniform", keep = 0.8}
controls = {respondents = 500}
[[step.look]]
at = "matrix"
text = "Here."
[[step.figure]]
name = "n"
label = "Smokers"
calculate = "share"
with = {attribute = "smokes", value = "yes", of = "expected"}
digits = 0
[[step.try]]
label = "Keep less"
design.smokes = {type = "uniform", keep = 0.6}
[[step]]
title = "Two"
text = "More."
settings = {seed = 7}
controls = {respondents = 900}
"""

OWN = f"""{FORMAT}
title = "My own"
line = "Two steps."
{SMOKERS}
{_STEPS}"""


def arranged(window, qtbot) -> None:
    """Wait until a step is set up."""
    stage = window.stage
    qtbot.waitUntil(lambda: stage.arrangement.is_over)


def settled(window, qtbot) -> None:
    """Wait until nothing is on its way any more."""
    stage = window.stage
    arranged(window, qtbot)
    qtbot.waitUntil(lambda: stage.workbench.jobs.is_idle and not stage.calculator.is_busy)
    QTest.qWait(20)
    stage.badges.follow()
