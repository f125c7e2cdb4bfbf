"""Studies whose columns tell how people were drawn; in one they give answers away."""

from __future__ import annotations

import numpy as np
from designs import classic_study

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Identity, Uniform
from ppworkbench.study.study import Study

ROLES = Sampling("pw", ("region",), "village")


def drawn_study(people: int = 400, *, telling: bool = False) -> Study:
    """A sensitive answer, its weight, region and village; a telling weight follows the answer."""
    draw = np.random.default_rng(8)
    region = np.sort(draw.integers(0, 3, people))
    village = 10 * region + draw.integers(1, 8, people)
    ticket = (draw.random(people) < 0.3).astype(int)
    weight = np.round(10 + 5 * draw.random(people), 2)
    if telling:
        weight = np.where(ticket == 1, 30.0, 10.0) + draw.integers(0, 3, people)
    attributes = (
        Attribute("ticket", Kind.BINARY, ("no", "yes"), sensitive=("yes",), title="No ticket"),
        Attribute("pw", Kind.CONTINUOUS, domain=(0, 40)),
        Attribute("region", Kind.NOMINAL, ("east", "north", "west")),
        Attribute("village", Kind.INTEGER, domain=(0, 40)),
    )
    data = (ticket, weight, region, village.astype(float))
    columns = (Column(a, d) for a, d in zip(attributes, data, strict=True))
    study = classic_study(Table(tuple(columns)), "drawn").with_sampling(ROLES)
    return study.with_perturbations({"ticket": Uniform(keep=0.8), "pw": Identity()})
