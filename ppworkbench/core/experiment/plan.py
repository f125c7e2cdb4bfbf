"""How an experiment is laid out: folds, repeats, seed and the levels of a privacy sweep."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.params import Annotated, Info, OneOf, Params, Within


@dataclass(frozen=True)
class Folding(Params):
    """Cross-validation, repeated with other folds."""

    folds: Annotated[
        int, Within(2, 1_000), Info("Folds", "Parts of the records; each is tested once a repeat")
    ] = 10
    repeats: Annotated[
        int, Within(1, 10_000), Info("Repeats", "How often everything is done with other folds")
    ] = 1
    test_on: Annotated[
        str,
        OneOf(("original", "distorted", "estimated")),
        Info(
            "Test on",
            "Records that are classified: as they are, or distorted like the others; or distorted, "
            "with the accuracy on original ones estimated from them",
        ),
    ] = "original"


@dataclass(frozen=True)
class Plan(Folding):
    """Cross-validation with the seed of everything that is drawn in it."""

    seed: Annotated[
        int, Within(0, 2**63 - 1), Info("Seed", "Start of the random draws of the experiment")
    ] = 0


@dataclass(frozen=True)
class Sweep(Params):
    """The levels of privacy at which an experiment is repeated; none for the design as it is.

    A level L in percent stands for a whole design, see
    :func:`ppworkbench.core.experiment.levels.design_at`.
    """

    levels: Annotated[
        tuple[float, ...], Within(0, 10_000), Info("Levels", "Levels of range privacy", "%")
    ] = ()
    values: Annotated[
        str,
        OneOf(("retain", "keep")),
        Info(
            "Answers",
            "At level L an answer is retained with 1/(1+L), else drawn from all values; or kept "
            "with 1/(1+L), else changed into another value",
        ),
    ] = "retain"

    def __post_init__(self) -> None:
        """Sort the levels, each once."""
        super().__post_init__()
        object.__setattr__(self, "levels", tuple(sorted(set(self.levels))))
