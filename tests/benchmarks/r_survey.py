"""Agreement with R's package survey: ``python tests/benchmarks/r_survey.py``.

One row per statistic with the largest relative difference between the workbench and R, and to how
many digits both agree. The rows are made up with a seed; R and its package must be installed.
"""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from clustered_surveys import r_survey
from r_agreement import compared, largest_difference


def main() -> None:
    """Print a row per statistic."""
    if not r_survey():
        sys.exit("R or its package survey is not installed.")
    with tempfile.TemporaryDirectory() as folder:
        found = compared(r_survey(), Path(folder))
    print("statistic                                difference  digits")
    for name, both in found.items():
        apart = largest_difference(*both)
        digits = 15 if apart == 0 else min(15, math.floor(-math.log10(apart)))
        print(f"{name:40s} {apart:10.1e}  {digits:6d}")


if __name__ == "__main__":
    main()
