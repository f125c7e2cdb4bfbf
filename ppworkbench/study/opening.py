"""From a file of any kind to a study."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ppworkbench.core.data.files import codebook_of, read_table
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import FORMAT, design_from_json, read_design
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Progress, silent
from ppworkbench.study.study import Study
from ppworkbench.study.study_file import SUFFIX, open_study

_FORMAT = re.compile(r'"format"\s*:\s*"([^"]*)"')


def open_anything(
    paths: Sequence[Path], options: ReadOptions | None = None, progress: Progress = silent
) -> Study:
    """Open a study, a table, a design, or distorted answers together with their design.

    A table whose codebook carries a design was made by an export and holds distorted answers.
    """
    designs = [path for path in paths if is_design(path)]
    others = [path for path in paths if path not in designs]
    if not paths:
        raise DataError("There is no file to open; choose one.")
    if len(designs) > 1 or len(others) > 1:
        raise DataError("Open one table at a time, alone or together with its design.")
    if not others:
        return Study(title=_title(designs[0]), design=read_design(designs[0]))
    path = others[0]
    if path.suffix.lower() == SUFFIX:
        if designs:
            raise DataError("A study has its own design; open the study alone.")
        return open_study(path, progress)
    return _open_table(path, designs[0] if designs else None, options, progress)


def _open_table(
    path: Path, design_path: Path | None, options: ReadOptions | None, progress: Progress
) -> Study:
    options = options or ReadOptions()
    design = _design_in_codebook(path) if design_path is None else read_design(design_path)
    if design is None:
        return Study.of_table(read_table(path, options, progress=progress), _title(path))
    schema = design.distorted_schema
    table = read_table(path, options, schema, progress).select(design.names)
    return Study.of_distorted(table, design, _title(path))


def _design_in_codebook(path: Path) -> Design | None:
    codebook = codebook_of(path)
    return (
        None if codebook is None or codebook.design is None else design_from_json(codebook.design)
    )


def is_design(path: Path) -> bool:
    """Whether a file is a design: JSON that says so at its beginning.

    A codebook may carry a design, but its own format stands first.
    """
    if path.suffix.lower() != ".json":
        return False
    try:
        with path.open(encoding="utf-8-sig") as file:
            head = file.read(4096)
    except (OSError, UnicodeDecodeError):
        return False
    found = _FORMAT.search(head)
    return found is not None and found.group(1) == FORMAT


def _title(path: Path) -> str:
    return path.name.removesuffix(path.suffix)
