"""A walk through the command line on a sample: ``python -m ppworkbench.cli.demonstration``."""

from __future__ import annotations

import contextlib
import shlex
import sys
import tempfile
from dataclasses import dataclass

from ppworkbench.cli.main import main as run_command


@dataclass(frozen=True)
class Step:
    """One command and why somebody would give it."""

    why: str
    command: str


STEPS = (
    Step("These data sets come with the workbench.", "sample list"),
    Step(
        "Write the survey of a city to a file, without the codebook that tells its kinds.",
        "sample write city-survey city-survey.csv --no-codebook",
    ),
    Step("See what was understood of each question, and why.", "inspect city-survey.csv"),
)


def demonstrate(steps: tuple[Step, ...] = STEPS) -> int:
    """Run the steps in a folder that is deleted afterwards; stop at the first that fails."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for step in steps:
            print(f"{step.why}\n$ ppworkbench {step.command}\n", flush=True)
            status = run_command(shlex.split(step.command))
            if status:
                return status
            print(flush=True)
    print("That was all; the files are deleted again. See ppworkbench --help.")
    return 0


if __name__ == "__main__":
    sys.exit(demonstrate())
