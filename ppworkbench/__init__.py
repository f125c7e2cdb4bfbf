"""Design and analyse randomised surveys.

>>> import ppworkbench as pp
>>> sorted(name for name in pp.__all__ if name[0].islower())[:3]
['allocate', 'budget', 'classify']
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ppworkbench.api.budget import budget
    from ppworkbench.api.data import distort, read, release, sample
    from ppworkbench.api.designs import Design
    from ppworkbench.api.devices import devices
    from ppworkbench.api.experiments import classify
    from ppworkbench.api.mining import mine
    from ppworkbench.api.optimise import optimise
    from ppworkbench.api.plan import allocate, plan
    from ppworkbench.api.privacy import privacy
    from ppworkbench.api.reconstruct import reconstruct
    from ppworkbench.api.result import Result
    from ppworkbench.api.survey import Survey
    from ppworkbench.core.classify import (
        AveragedEnsemble,
        Bagging,
        Boosting,
        DecisionTree,
        EagerPatterns,
        LazyPatterns,
        MetaLearner,
        MrrNaiveBayes,
        NaiveBayes,
        WeightedBayes,
    )
    from ppworkbench.core.data.sampling_roles import Sampling
    from ppworkbench.core.data.table import Table
    from ppworkbench.core.errors import WorkbenchError

__version__ = "0.1.0"

__all__ = [
    "AveragedEnsemble",
    "Bagging",
    "Boosting",
    "DecisionTree",
    "Design",
    "EagerPatterns",
    "LazyPatterns",
    "MetaLearner",
    "MrrNaiveBayes",
    "NaiveBayes",
    "Result",
    "Sampling",
    "Survey",
    "Table",
    "WeightedBayes",
    "WorkbenchError",
    "allocate",
    "budget",
    "classify",
    "devices",
    "distort",
    "mine",
    "optimise",
    "plan",
    "privacy",
    "read",
    "reconstruct",
    "release",
    "sample",
]

_PLACES = {
    "AveragedEnsemble": "ppworkbench.core.classify",
    "Bagging": "ppworkbench.core.classify",
    "Boosting": "ppworkbench.core.classify",
    "DecisionTree": "ppworkbench.core.classify",
    "Design": "ppworkbench.api.designs",
    "EagerPatterns": "ppworkbench.core.classify",
    "LazyPatterns": "ppworkbench.core.classify",
    "MetaLearner": "ppworkbench.core.classify",
    "MrrNaiveBayes": "ppworkbench.core.classify",
    "NaiveBayes": "ppworkbench.core.classify",
    "Result": "ppworkbench.api.result",
    "Sampling": "ppworkbench.core.data.sampling_roles",
    "Survey": "ppworkbench.api.survey",
    "Table": "ppworkbench.core.data.table",
    "WeightedBayes": "ppworkbench.core.classify",
    "WorkbenchError": "ppworkbench.core.errors",
    "allocate": "ppworkbench.api.plan",
    "budget": "ppworkbench.api.budget",
    "classify": "ppworkbench.api.experiments",
    "devices": "ppworkbench.api.devices",
    "distort": "ppworkbench.api.data",
    "mine": "ppworkbench.api.mining",
    "optimise": "ppworkbench.api.optimise",
    "plan": "ppworkbench.api.plan",
    "privacy": "ppworkbench.api.privacy",
    "read": "ppworkbench.api.data",
    "reconstruct": "ppworkbench.api.reconstruct",
    "release": "ppworkbench.api.data",
    "sample": "ppworkbench.api.data",
}
"""Where a public name lives; it is loaded when it is first used, so that commands start fast."""


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module 'ppworkbench' has no attribute {name!r}")
    import importlib

    found: object = getattr(importlib.import_module(_PLACES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
