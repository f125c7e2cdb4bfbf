"""What a person may choose about a decision tree."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.classify.binning import BinningParams
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.params import Annotated, Info, OneOf, Within
from ppworkbench.core.reconstruct.stopping import Converged, Fixed, Published, StopRule, stop_rule

NONE, GLOBAL, BY_CLASS, LOCAL, LOCAL_ALL = "none", "global", "by-class", "local", "local-all"
RECONSTRUCTIONS = (NONE, GLOBAL, BY_CLASS, LOCAL, LOCAL_ALL)

ALGORITHMS = ("AS.EA", "EM.EA", "AS.EQ", "EM.EQ")
"""Numbers by AS or EM, values by EM/AS (EA) or EQ."""

BAYES, PUBLISHED = "bayes", "published"

_MOST = 500
"""Iterations after which an estimate of a node is good enough, whatever the rule says."""


@dataclass(frozen=True)
class GrowthParams(BinningParams):
    """How a tree grows, whatever is reconstructed in it."""

    stop: Annotated[
        str,
        Info("Stop", "When iterations stop: published, converged or a number of iterations"),
    ] = PUBLISHED
    prune: Annotated[
        bool, Info("Prune", "Cut branches that cost more to describe than the errors they avoid")
    ] = True
    reuse: Annotated[
        bool, Info("Reuse attributes", "Test an attribute more than once on a path")
    ] = False
    smallest: Annotated[
        int,
        Within(2, 2**31),
        Info("Minimum node size", "Smaller nodes are not split; the papers split all"),
    ] = 10
    depth: Annotated[
        int | None,
        Within(1, 2**31),
        Info("Depth", "Maximum number of tests on a path; no limit if not set"),
    ] = None
    retention: Annotated[
        str,
        OneOf((BAYES, PUBLISHED)),
        Info(
            "Retained numbers",
            "How a number under retention replacement passes a test: by Bayes' rule, or "
            "by the published formula, which ignores the prior of the number",
        ),
    ] = BAYES

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.stop_rule

    @property
    def stop_rule(self) -> StopRule:
        rule = stop_rule(self.stop)
        if isinstance(rule, Published):
            return Published(most=_MOST)
        if isinstance(rule, Converged):
            return Converged(tolerance=1e-4, most=_MOST)
        if isinstance(rule, Fixed):
            return rule
        raise ParameterError.saying(
            "Stop is {stop!r}; in a tree it must be published, converged or a number "
            "of iterations.",
            stop=self.stop,
            field="stop",
        )


@dataclass(frozen=True)
class TreeParams(GrowthParams):
    reconstruction: Annotated[
        str,
        OneOf(RECONSTRUCTIONS),
        Info(
            "Reconstruction",
            "Where distributions are reconstructed: nowhere, in the root (all classes "
            "together or separately), or in every node (classes separately or together)",
        ),
    ] = LOCAL
    algorithms: Annotated[
        str,
        OneOf(ALGORITHMS),
        Info("Algorithms", "For numbers AS or EM, for values EM/AS (EA) or EQ"),
    ] = "AS.EA"
