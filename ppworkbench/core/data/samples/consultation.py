"""The papers' 7-row example and its distorted twin."""

from __future__ import annotations

from ppworkbench.core.data.generators.consultation import (
    consultation_table,
    distorted_consultation_table,
)
from ppworkbench.core.data.samples.sample import NoSizes, Sample, add_sample

add_sample(
    Sample(
        "consultation",
        "Consultation",
        "The 7 participants of the papers' example, with their true answers.",
        NoSizes,
        lambda _sizes, _seed, _progress: consultation_table(),
    )
)
add_sample(
    Sample(
        "consultation-distorted",
        "Consultation, distorted",
        "The same 7 participants with the distorted answers that the papers print.",
        NoSizes,
        lambda _sizes, _seed, _progress: distorted_consultation_table(),
    )
)
