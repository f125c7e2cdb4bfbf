"""The Mine page alone."""

import sys

from ppworkbench.gui.pages.alone import run_page
from ppworkbench.gui.pages.mine import MinePage

sys.exit(run_page(MinePage))
