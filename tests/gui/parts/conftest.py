"""Folders of parts as people have them, and the window over them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from part_files import write_parts

from ppworkbench.api.data import release
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Identity, Uniform
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.progress import Cancelled

ROWS = 900
PERTURBATIONS = {
    "sex": Uniform(keep=0.8),
    "age": Additive(noise="uniform", range_privacy=30),
    "district": Uniform(keep=0.7),
    "income": Additive(noise="uniform", range_privacy=20),
    "supports_school": Identity(),
}


@dataclass(frozen=True)
class Folders:
    """A folder of true answers, one of reported answers, and their design."""

    true: Path
    reported: Path
    design: Path


@pytest.fixture
def workbench(kept_workbench):
    """Shared by a module, with its window: each test opens a folder of its own in it."""
    return kept_workbench


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    """Nine hundred answers in four parts."""
    folder = tmp_path_factory.mktemp("parts")
    original = load_sample("city-survey", rows=ROWS).select(PERTURBATIONS)
    design = Design(
        tuple(DesignedAttribute(original[name].attribute, p) for name, p in PERTURBATIONS.items())
    )
    write_design(design, folder / "design.json")
    true = write_parts(folder / "true", original, [200, 410, 700])
    release(true, folder / "design.json", folder / "reported", seed=3)
    return Folders(true, folder / "reported", folder / "design.json")


class SoonStopped:
    """The progress of a job that is cancelled after a few reports."""

    def __init__(self) -> None:
        self.reports: list[float] = []

    def __call__(self, done: float, _message: str = "") -> None:
        """Note a report."""
        self.reports.append(done)
        if len(self.reports) > 3:
            raise Cancelled


@pytest.fixture
def soon_stopped() -> SoonStopped:
    """Progress that stops what reports it."""
    return SoonStopped()
