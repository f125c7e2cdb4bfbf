"""The numbers that demonstrations can show, one family per file."""

from ppworkbench.study.demonstrations.figures.calculation import Calculation, calculations

# Importing a module registers its calculations; the order here is that of the help page.
from ppworkbench.study.demonstrations.figures import (  # isort: skip
    mechanisms as mechanisms,
    measures as measures,
    respondents as respondents,
    shares as shares,
    losses as losses,
    surveys as surveys,
    itemsets as itemsets,
    accuracies as accuracies,
    deniability as deniability,
)

__all__ = ["Calculation", "calculations"]
