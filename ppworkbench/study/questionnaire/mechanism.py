"""Perturbations as the page's script understands them.

The script knows a few elementary draws; every family is brought into one of them with all its
parameters worked out, so that the page and the workbench cannot disagree about a formula. See
``resources/questionnaire/mechanisms.js``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.identity import Identity
from ppworkbench.core.design.matrices import Forced, MatrixPerturbation, Unrelated
from ppworkbench.core.design.noises import Additive, Discretise, Multiplicative, Retention
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.design.sampler import cumulative_steps
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.study.questionnaire.explain import coin_of

Mechanism = dict[str, Any]


def mechanism_of(design: Design, name: str) -> Mechanism:
    """How the script distorts an attribute of a publishable design."""
    group = design.group_of(name)
    attribute = design[name].attribute
    if group is not None:
        return _member(group, design.groups.index(group), attribute)
    perturbation = design[name].perturbation
    if isinstance(perturbation, MatrixPerturbation):
        return _matrix(perturbation, attribute.k)
    return _other(perturbation, attribute)


def _other(perturbation: Perturbation, attribute: Attribute) -> Mechanism:
    if isinstance(perturbation, Identity):
        return {"type": "none"}
    if isinstance(perturbation, Additive):
        return _additive(perturbation, attribute)
    if isinstance(perturbation, Multiplicative):
        return {
            "type": "multiplicative",
            "noise": perturbation.noise,
            "sigma": perturbation.sigma_of(attribute),
            "step": _step(perturbation.grid, attribute),
        }
    if isinstance(perturbation, Retention):
        return _retention(perturbation, attribute)
    if isinstance(perturbation, Discretise):
        return {"type": "discretise", "edges": perturbation.edges_of(attribute).tolist()}
    raise DesignError(
        Message(
            "A questionnaire page cannot distort {attribute!r} by {type_name!r}; "
            "choose another mechanism.",
            attribute=attribute.name,
            type_name=perturbation.type_name,
        ),
        attribute=attribute.name,
        field="type",
    )


def _member(group: Group, place: int, attribute: Attribute) -> Mechanism:
    # With theta 0 the marginal is what happens when the coin says "not the truth".
    personal = tuple(pair for pair in group.personal if pair[0] == attribute.name)
    other = Group((attribute.name,), group.type, 0.0, personal).marginal(attribute.name)
    matrix = other.matrix(attribute.k)
    return {"type": "coin", "theta": group.theta, "group": place, "other": _columns(matrix)}


def _matrix(perturbation: MatrixPerturbation, k: int) -> Mechanism:
    if isinstance(perturbation, Unrelated | Forced):
        # A coin, and one distribution whatever the true answer is.
        theta, given = coin_of(perturbation)
        other = np.full(k, 1 / k) if given is None else np.array(given)
        return {"type": "coin", "theta": theta, "group": None, "other": _columns(other[:, None])}
    return {"type": "matrix", "steps": _columns(perturbation.matrix(k))}


def _columns(matrix: NDArray[np.float64]) -> list[list[float]]:
    """The cumulated distribution of what is sent, one list for each true answer."""
    steps: list[list[float]] = cumulative_steps(matrix).T.tolist()
    return steps


def _additive(perturbation: Additive, attribute: Attribute) -> Mechanism:
    stepped = perturbation.steps_of(attribute)
    assert stepped is not None  # noqa: S101 (a publishable design has a grid)
    return {
        "type": "additive",
        "noise": perturbation.noise,
        "scale": stepped.noise.scale,
        "step": stepped.step,
        "flat": stepped.reach if stepped.flat else None,
        "truncate": perturbation.truncate,
        **_bounds(attribute),
    }


def _retention(perturbation: Retention, attribute: Attribute) -> Mechanism:
    edges, cumulated = perturbation.slices(attribute)
    return {
        "type": "retention",
        "keep": perturbation.keep,
        "edges": edges.tolist(),
        "cumulated": cumulated.tolist(),
        "step": _step(perturbation.grid, attribute),
        **_bounds(attribute),
    }


def _bounds(attribute: Attribute) -> Mechanism:
    assert attribute.domain is not None  # noqa: S101 (numeric attributes have one)
    low, high = attribute.domain
    return {"low": low, "high": high}


def _step(grid: float | None, attribute: Attribute) -> float:
    if attribute.kind is Kind.INTEGER:
        return 1.0
    assert grid is not None  # noqa: S101 (a publishable design has a grid)
    return grid
