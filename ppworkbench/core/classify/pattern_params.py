"""Parameters that both classifiers by emerging patterns have."""

from __future__ import annotations

from ppworkbench.core.params import Annotated, Info, Within

MinSupport = Annotated[
    float,
    Within(0, 1),
    Info("Minimum support", "Smallest share of a class's records that have a pattern"),
]
Growth = Annotated[
    float, Within(1), Info("Growth rate", "How many times more frequent a pattern is in its class")
]
Jumping = Annotated[
    bool, Info("Jumping only", "Use only patterns that are not frequent outside the class")
]
