"""The Data page alone."""

import sys

from ppworkbench.gui.pages.alone import run_page
from ppworkbench.gui.pages.data import DataPage

sys.exit(run_page(DataPage))
