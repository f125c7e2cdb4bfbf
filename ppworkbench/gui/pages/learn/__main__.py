"""The Learn page alone."""

import sys

from ppworkbench.gui.pages.alone import run_page
from ppworkbench.gui.pages.learn import LearnPage

sys.exit(run_page(LearnPage))
