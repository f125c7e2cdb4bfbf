"""Mechanisms by name: ``pp.warner(0.7)``, ``pp.forced(2 / 3)``, ``pp.laplace(1.0)`` and the others.

Each is the declared class of a named design or of a mechanism; signature, parameters and reference
of its documentation are read off the declaration.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeAlias, TypeVar, cast

from ppworkbench.core.design import presets as named
from ppworkbench.core.design.matrices import Binary, Custom, Geometric, Ordinal, Uniform
from ppworkbench.core.design.noises import (
    Additive,
    Discretise,
    Duchi,
    Hybrid,
    Laplace,
    Multiplicative,
    Piecewise,
    Retention,
    SquareWave,
)
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.design.sets import Subset, UnaryEncoding
from ppworkbench.core.params import Declaration, declarations

Mechanism: TypeAlias = "Perturbation | named.Preset"
"""What randomises the answers to one question; a named design is filled in for its answers."""

P = ParamSpec("P")
M = TypeVar("M", bound=Mechanism)


def _constructor(
    name: str, declared: Callable[P, M], *example: P.args, **more: P.kwargs
) -> Callable[P, M]:
    """A public function that makes a mechanism, with an example of its parameters."""
    fields = cast("type[Mechanism]", declared)

    @functools.wraps(declared, updated=())
    def construct(*args: P.args, **kwargs: P.kwargs) -> M:
        return declared(*args, **kwargs)

    shown = [one for one in declarations(fields) if one.name != "named_design"]
    signature = inspect.signature(declared)
    construct.__name__ = construct.__qualname__ = name
    construct.__module__ = __name__
    construct.__annotations__ = {"return": fields.__name__}
    construct.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[
            signature.parameters[one.name].replace(annotation=_type_of(one)) for one in shown
        ],
        return_annotation=fields.__name__,
    )
    given = ", ".join([*map(repr, example), *(f"{key}={value!r}" for key, value in more.items())])
    made = declared(*example, **more)
    reference = getattr(declared, "reference", "")
    parts = [
        (inspect.getdoc(declared) or "").partition("\n\n>>> ")[0],
        "Parameters\n----------\n" + "\n".join(map(_parameter, shown)),
        f"References\n----------\n{reference}" if reference else "",
        f"Examples\n--------\n>>> import ppworkbench as pp\n>>> pp.{name}({given})\n{made!r}",
    ]
    construct.__doc__ = "\n\n".join(filter(None, parts)) + "\n"
    return construct


def _type_of(one: Declaration) -> str:
    written = one.type.__name__
    for _ in range(one.depth):
        written = f"Sequence[{written}]"
    return f"{written} | None" if one.optional else written


def _parameter(one: Declaration) -> str:
    within = "" if one.within is None else f"; {one.within.demand}"
    words = "" if one.choices is None else f": {', '.join(one.choices)}"
    return f"{one.name} : {_type_of(one)}\n    {one.info.help or one.info.label}{words}{within}."


# Named designs of the literature
bandwidth = _constructor("bandwidth", named.Bandwidth, 0.6, bandwidth=2)
crosswise = _constructor("crosswise", named.Crosswise, 0.15)
forced = _constructor("forced", named.ForcedResponse, 0.75, forced=(0.5, 0.5))
grr = _constructor("grr", named.GRR, 1.0)
invariant_pram = _constructor("invariant_pram", named.InvariantPram, 0.8, shares=(0.7, 0.3))
kuk = _constructor("kuk", named.Kuk, 0.8, 0.2)
mangat = _constructor("mangat", named.Mangat, 0.7)
pram = _constructor("pram", named.Pram, 0.8)
triangular = _constructor("triangular", named.Triangular, 0.25)
unrelated = _constructor("unrelated", named.UnrelatedQuestion, 0.7, personal=(0.8, 0.2))
warner = _constructor("warner", named.Warner, 0.7)

# Answers of a list
binary = _constructor("binary", Binary, keep_one=0.9, keep_zero=0.7)
custom = _constructor("custom", Custom, ((0.8, 0.3), (0.2, 0.7)))
geometric = _constructor("geometric", Geometric, 1.0)
ordinal = _constructor("ordinal", Ordinal, (0.6, 0.2))
oue = _constructor("oue", UnaryEncoding, 1.0)
subset = _constructor("subset", Subset, 1.0)
uniform = _constructor("uniform", Uniform, 0.75)

# Numbers
additive = _constructor("additive", Additive, "normal", sigma=5.0)
discretise = _constructor("discretise", Discretise, intervals=4)
duchi = _constructor("duchi", Duchi, 1.0)
hybrid = _constructor("hybrid", Hybrid, 1.0)
laplace = _constructor("laplace", Laplace, 1.0)
multiplicative = _constructor("multiplicative", Multiplicative, sigma=0.3)
piecewise = _constructor("piecewise", Piecewise, 1.0)
retention = _constructor("retention", Retention, 0.5)
square_wave = _constructor("square_wave", SquareWave, 1.0)
