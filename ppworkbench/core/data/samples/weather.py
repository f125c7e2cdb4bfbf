"""Quinlan's 14 Saturday mornings."""

from __future__ import annotations

from ppworkbench.core.data.generators.weather import weather_table
from ppworkbench.core.data.samples.sample import NoSizes, Sample, add_sample

add_sample(
    Sample(
        "weather",
        "Saturday mornings",
        "14 mornings by outlook, temperature, humidity and wind, and whether they suit a plan.",
        NoSizes,
        lambda _sizes, _seed, _progress: weather_table(),
    )
)
