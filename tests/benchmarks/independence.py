"""How often a true independence is rejected: ``python tests/benchmarks/independence.py``.

``[--draws 1000]``. Tables of 4 × 3 with 12 and 30 clusters and without, of true and of randomised
answers (kept with 0.7), at 5 %; ``alike`` is the correlation of answers within a cluster. The goal
is 3 to 7 %. Where people of a cluster are hardly alike, the Rao-Scott test rejects less: its
degrees of freedom come from estimated design effects, which differ more than the true ones.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from clustered_surveys import rejections


def main() -> None:
    """Print a row per kind of survey."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=1000)
    draws = parser.parse_args().draws
    print("clusters  people each  alike  kept  rao-scott  adjusted-wald")
    for alike in (0.1, 0.2, 0.03):
        for clusters, size in ((12, 25), (30, 20), (400, 1), (1000, 1)):
            if size == 1 and alike != 0.1:
                continue
            for keep in (1.0, 0.7):
                found = rejections(draws, clusters, size, keep, alike, seed=clusters)
                told = "  ".join(f"{share:9.3f}" for share in found.values())
                print(f"{clusters:8d}  {size:11d}  {alike:5.2f}  {keep:4.1f}  {told}", flush=True)


if __name__ == "__main__":
    main()
