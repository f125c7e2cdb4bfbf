"""Write the shipped samples anew: python packaging/make_samples.py [FOLDER].

Every file is generated with the sample's own sizes and seed, so that a second run changes
nothing. Run it after a generator or a writer has changed.
"""

from __future__ import annotations

import sys
from itertools import compress
from pathlib import Path

from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.data.table import Table

SHIPPED = Path(__file__).resolve().parents[1] / "resources" / "samples"
FILES = {
    "consultation": "consultation.csv",
    "consultation-distorted": "consultation-distorted.csv",
    "city-survey": "city-survey.csv",
    "led24": "led24.csv",
    "baskets": "baskets.basket",
    "weather": "weather.csv",
}


def baskets(table: Table) -> str:
    """A line for every basket, the names of its items between commas."""
    held = zip(*(column.data for column in table), strict=True)
    return "".join(",".join(compress(table.names, basket)) + "\n" for basket in held)


def make_samples(folder: Path) -> None:
    """Write all shipped samples into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, file in FILES.items():
        table = load_sample(name)
        if file.endswith(".basket"):
            (folder / file).write_text(baskets(table), encoding="utf-8", newline="\n")
        else:
            write_table(table, folder / file)
        print(f"{name}: {(folder / file).stat().st_size} bytes")


if __name__ == "__main__":
    make_samples(Path(sys.argv[1]) if len(sys.argv) > 1 else SHIPPED)
