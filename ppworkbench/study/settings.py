"""Settings of a study that are neither data nor design."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.params import Annotated, Info, Params, Within


@dataclass(frozen=True)
class StudySettings(Params):
    """How many people will answer, and where random draws of this study start.

    The seed belongs to the study, for teaching and experiments; it never goes into a design.
    """

    respondents: Annotated[
        int, Within(1, 100_000_000), Info("Respondents", "Number of people who will answer")
    ] = 1_000
    seed: Annotated[
        int, Within(0, 2**63 - 1), Info("Seed", "Start of the random draws of this study")
    ] = 2024
    noncompliance: Annotated[
        float,
        Within(0, 0.9),
        Info("Ignore the device", "Share of respondents who do not follow the instructions"),
    ] = 0.0
    noncompliance_manner: Annotated[str, Info("How", "What those who ignore the device answer")] = (
        "truth"
    )
