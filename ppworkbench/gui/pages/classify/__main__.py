"""Open the Classify page alone, on the city survey."""

import sys

from ppworkbench.gui.pages.alone import run_page
from ppworkbench.gui.pages.classify import ClassifyPage

sys.exit(run_page(ClassifyPage))
