"""The Explore page alone."""

import sys

from ppworkbench.gui.pages.alone import run_page
from ppworkbench.gui.pages.explore import ExplorePage

sys.exit(run_page(ExplorePage))
