"""The Survey page alone."""

import sys

from ppworkbench.gui.pages.alone import run_page
from ppworkbench.gui.pages.survey import SurveyPage

sys.exit(run_page(SurveyPage))
