"""What the answers say when they are taken at their word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.survey.answers import Answers, original_answers
from ppworkbench.core.survey.regions import Region


def taken_for_true(name: str, answers: Answers, design: Design) -> NDArray[Any]:
    """Distorted answers as if they were original ones; an interval stands for its middle."""
    data = answers.data[name]
    edges = design.perturbation(name).interval_edges(design[name].attribute)
    if edges is None:
        return data
    return np.asarray(((edges[:-1] + edges[1:]) / 2)[data])


def naive_data(answers: Answers, design: Design) -> dict[str, NDArray[Any]]:
    """All distorted answers as if they were original ones."""
    return {name: taken_for_true(name, answers, design) for name in answers.data}


def true_data(
    original: Table | None, design: Design, names: tuple[str, ...]
) -> dict[str, NDArray[Any]] | None:
    """The original answers of complete records, where there are any."""
    return None if original is None else original_answers(original, design, names).data


def meeting(
    data: Mapping[str, NDArray[Any]], regions: Mapping[str, Region], n: int
) -> NDArray[np.bool_]:
    """Which of n records lie in all regions."""
    rows = len(data[next(iter(regions))]) if regions else n
    inside = np.ones(rows, np.bool_)
    for name, region in regions.items():
        inside &= region.contains(data[name])
    return inside
