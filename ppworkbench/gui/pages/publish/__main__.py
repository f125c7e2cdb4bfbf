"""Run the page alone: python -m ppworkbench.gui.pages.publish."""

import sys

from ppworkbench.gui.pages.alone import run_page
from ppworkbench.gui.pages.publish import PublishPage

sys.exit(run_page(PublishPage))
