"""The LED display with 17 irrelevant attributes."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.data.generators.led24 import led24_table
from ppworkbench.core.data.samples.sample import Sample, add_sample
from ppworkbench.core.params import Annotated, Info, Params, Within


@dataclass(frozen=True)
class Led24Sizes(Params):
    """How many displays, and how often a segment fails."""

    rows: Annotated[int, Within(1, 100_000_000), Info("Rows", "Number of displays")] = 3_200
    noise: Annotated[
        float, Within(0, 1), Info("Noise", "Probability that a segment shows the opposite")
    ] = 0.1


add_sample(
    Sample(
        "led24",
        "LED display",
        "A digit shown by 7 segments that fail now and then, among 17 irrelevant bits.",
        Led24Sizes,
        lambda sizes, seed, _progress: led24_table(sizes.rows, sizes.noise, seed),
    )
)
