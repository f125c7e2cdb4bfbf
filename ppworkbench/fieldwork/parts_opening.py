"""From a folder of parts that is too large to load to a study that holds a sample of it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from ppworkbench.core.data.codebook import Codebook
from ppworkbench.core.data.parts import Parts, is_address, open_parts
from ppworkbench.core.data.parts_sample import draw_sample
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import design_of, read_design
from ppworkbench.core.engines import engine_of
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.fieldwork.opening import labelled
from ppworkbench.study.parts.study_parts import SAMPLE_ROWS, StudyParts
from ppworkbench.study.study import Study

SEED = 2024
"""Where the draw of the sample starts, so that the same folder always shows the same rows."""
_MOST_PEOPLE = 100_000_000
"""The most respondents that the settings of a study allow."""


@dataclass(frozen=True, eq=False)
class PartsFolder:
    """What lies in a folder of parts, before any of it is read.

    Parameters
    ----------
    design
        The design that the answers were randomised with; None for true answers.
    """

    parts: Parts
    codebook: Codebook | None
    design: Design | None

    @property
    def sentence(self) -> Message:
        if self.design is None:
            return Message(
                "{files:,} parts with {rows:,} rows of true answers in {columns:,} columns.",
                files=len(self.parts.files), rows=self.parts.rows, columns=len(self.parts.names),
            )  # fmt: skip
        return Message(
            "{files:,} parts with {rows:,} rows of reported answers and their design.",
            files=len(self.parts.files),
            rows=self.parts.rows,
        )

    @property
    def title(self) -> str:
        return self.parts.address.replace("\\", "/").rsplit("/", 1)[-1] or "parts"


def look_at_folder(address: str, design_file: Path | None = None) -> PartsFolder:
    """Find the parts of a folder; a design beside them says that they hold reported answers."""
    if not address:
        raise DataError("No folder is chosen.")
    if not is_address(address) and Path(address).is_file():
        raise DataError.saying(
            "{file} is a file; choose the folder that holds the parts.", file=address
        )
    parts = open_parts(address)
    parts.filled  # noqa: B018 (refuses a folder without rows)
    codebook = parts.codebook()
    design = design_of(codebook) if design_file is None else read_design(design_file)
    if design is not None:
        parts.check(design.distorted_schema)
    return PartsFolder(parts, codebook, design)


def open_folder(
    folder: PartsFolder,
    rows: int = SAMPLE_ROWS,
    engine: str = "local",
    progress: Progress = silent,
) -> Study:
    """A study of a sample of the folder; its estimates are made from all rows by an engine."""
    parts, design, codebook = folder.parts, folder.design, folder.codebook
    worker = engine_of(engine)
    schema = None if codebook is None else codebook.attributes
    schema = schema if design is None else design.distorted_schema
    sample = draw_sample(parts, rows, worker, schema, seed=SEED, progress=part(progress, 0.0, 0.95))
    if design is None:
        study = Study.of_table(sample, folder.title)
        if codebook is not None and codebook.sampling is not None:
            study = study.with_sampling(codebook.sampling)
    else:
        table = labelled(sample.select(design.names), codebook)
        study = Study.of_distorted(table, design, folder.title)
    address = parts.address
    if not is_address(address):
        # A study is opened from elsewhere later.
        address = str(Path(address).resolve())
    whole = StudyParts(address, len(parts.files), parts.rows, engine)
    # Precision and budget are those of all people, of whom the sample shows some.
    settings = dataclasses.replace(study.settings, respondents=min(parts.rows, _MOST_PEOPLE))
    return study.with_(parts=whole, settings=settings)
