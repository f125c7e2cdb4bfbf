"""The survey of a city that does not exist."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.data.generators.city_survey import city_survey_table
from ppworkbench.core.data.samples.sample import Sample, add_sample
from ppworkbench.core.params import Annotated, Info, Params, Within


@dataclass(frozen=True)
class CitySurveySizes(Params):
    """How many residents answer."""

    rows: Annotated[int, Within(1, 100_000_000), Info("Rows", "Number of residents who answer")] = (
        5_000
    )


add_sample(
    Sample(
        "city-survey",
        "City survey",
        "Synthetic residents of a city on their lives, views and secrets, and on a new school.",
        CitySurveySizes,
        lambda sizes, seed, _progress: city_survey_table(sizes.rows, seed),
    )
)
