"""The three files of a survey: what people answered, what they told, and how it was distorted."""

from __future__ import annotations

from pathlib import Path

from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams


def write_survey(folder: Path, original: Table, design: Design, seed: int = 1) -> Table:
    """Distort answers and write all there is to know of them; the distorted ones are returned."""
    distorted = distort(original, design, SeededStreams(seed))
    write_table(original, folder / "original.csv")
    write_table(distorted, folder / "distorted.csv")
    write_design(design, folder / "design.json")
    return distorted
