"""What tests of the help share."""

import pytest

from ppworkbench.gui.help_window import HelpViewer


@pytest.fixture
def viewer(workbench, qtbot) -> HelpViewer:
    """The help window."""
    made = HelpViewer(workbench)
    qtbot.addWidget(made)
    made.show()
    return made
