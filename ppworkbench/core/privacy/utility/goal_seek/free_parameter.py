"""The parameters of a perturbation that can be left free, and the ranges in which they make sense.

Every range goes from the truthful end (the answer is published as it is) to the private end (the
published answer tells as little as possible). A probability of the truth below that of a fair
draw is left out: it lies there with the opposite sign, as private but harder to explain.
"""

from __future__ import annotations

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design.perturbation import FreeParameter, Perturbation
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message

__all__ = ["FreeParameter", "free_parameter", "free_parameters"]


def free_parameters(perturbation: Perturbation, attribute: Attribute) -> tuple[FreeParameter, ...]:
    """All parameters of a perturbation that can be left free.

    Examples
    --------
    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design import Binary
    >>> asked = Attribute("smokes", Kind.BINARY, ("no", "yes"))
    >>> [free.name for free in free_parameters(Binary(), asked)]
    ['keep_one', 'keep_zero']
    """
    return perturbation.free_parameters(attribute)


def free_parameter(perturbation: Perturbation, attribute: Attribute, name: str) -> FreeParameter:
    """The free parameter of that name; an error that lists the others if there is none."""
    known = {free.name: free for free in free_parameters(perturbation, attribute)}
    if name in known:
        return known[name]
    listed = (
        Message("free are {known}", known=", ".join(known))
        if known
        else Message("it has no parameter that could be free")
    )
    raise ParameterError(
        Message(
            "Attribute {attribute!r}: the perturbation {type_name!r} has no free "
            "parameter {name!r}; {listed}.",
            attribute=attribute.name,
            type_name=perturbation.type_name,
            name=name,
            listed=listed,
        ),
        attribute=attribute.name,
        field="parameter",
    )
