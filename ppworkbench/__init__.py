"""Design and analyse randomised surveys.

>>> import ppworkbench as pp
>>> pp.warner(0.7)
Warner(p=0.7)
"""

from typing import TYPE_CHECKING

from ppworkbench.version import __version__ as __version__

if TYPE_CHECKING:
    from ppworkbench.api.binarise import binarise
    from ppworkbench.api.data import distort, inspect, read, release, sample, samples, write_sample
    from ppworkbench.api.designs import Design, design
    from ppworkbench.api.devices import devices
    from ppworkbench.api.fieldwork.collecting import add_answers, collect
    from ppworkbench.api.fieldwork.questionnaires import (
        cards,
        check_questions,
        convert_questions,
        kit,
        questionnaire,
    )
    from ppworkbench.api.fieldwork.rehearsal import rehearse
    from ppworkbench.api.fieldwork.serving import serve
    from ppworkbench.api.mechanisms import (
        additive,
        bandwidth,
        binary,
        crosswise,
        custom,
        discretise,
        duchi,
        forced,
        geometric,
        grr,
        hybrid,
        invariant_pram,
        kuk,
        laplace,
        mangat,
        multiplicative,
        ordinal,
        oue,
        piecewise,
        pram,
        retention,
        square_wave,
        subset,
        triangular,
        uniform,
        unrelated,
        warner,
    )
    from ppworkbench.api.questions import (
        accuracy_curve,
        allocate,
        attack,
        budget,
        classify,
        mine,
        optimise,
        plan,
        privacy,
        publish,
        reconstruct,
        repeat,
        trade_off,
    )
    from ppworkbench.api.releases.reports import bundle, gallery, report
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
    from ppworkbench.results.result import Result

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
    "accuracy_curve",
    "add_answers",
    "additive",
    "allocate",
    "attack",
    "bandwidth",
    "binarise",
    "binary",
    "budget",
    "bundle",
    "cards",
    "check_questions",
    "classify",
    "collect",
    "convert_questions",
    "crosswise",
    "custom",
    "design",
    "devices",
    "discretise",
    "distort",
    "duchi",
    "forced",
    "gallery",
    "geometric",
    "grr",
    "hybrid",
    "inspect",
    "invariant_pram",
    "kit",
    "kuk",
    "laplace",
    "mangat",
    "mine",
    "multiplicative",
    "optimise",
    "ordinal",
    "oue",
    "piecewise",
    "plan",
    "pram",
    "privacy",
    "publish",
    "questionnaire",
    "read",
    "reconstruct",
    "rehearse",
    "release",
    "repeat",
    "report",
    "retention",
    "sample",
    "samples",
    "serve",
    "square_wave",
    "subset",
    "trade_off",
    "triangular",
    "uniform",
    "unrelated",
    "warner",
    "write_sample",
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
    "Result": "ppworkbench.results.result",
    "Sampling": "ppworkbench.core.data.sampling_roles",
    "Survey": "ppworkbench.api.survey",
    "Table": "ppworkbench.core.data.table",
    "WeightedBayes": "ppworkbench.core.classify",
    "WorkbenchError": "ppworkbench.core.errors",
    "accuracy_curve": "ppworkbench.api.questions",
    "add_answers": "ppworkbench.api.fieldwork.collecting",
    "additive": "ppworkbench.api.mechanisms",
    "allocate": "ppworkbench.api.questions",
    "attack": "ppworkbench.api.questions",
    "bandwidth": "ppworkbench.api.mechanisms",
    "binarise": "ppworkbench.api.binarise",
    "binary": "ppworkbench.api.mechanisms",
    "budget": "ppworkbench.api.questions",
    "bundle": "ppworkbench.api.releases.reports",
    "cards": "ppworkbench.api.fieldwork.questionnaires",
    "check_questions": "ppworkbench.api.fieldwork.questionnaires",
    "classify": "ppworkbench.api.questions",
    "collect": "ppworkbench.api.fieldwork.collecting",
    "convert_questions": "ppworkbench.api.fieldwork.questionnaires",
    "crosswise": "ppworkbench.api.mechanisms",
    "custom": "ppworkbench.api.mechanisms",
    "design": "ppworkbench.api.designs",
    "devices": "ppworkbench.api.devices",
    "discretise": "ppworkbench.api.mechanisms",
    "distort": "ppworkbench.api.data",
    "duchi": "ppworkbench.api.mechanisms",
    "forced": "ppworkbench.api.mechanisms",
    "gallery": "ppworkbench.api.releases.reports",
    "geometric": "ppworkbench.api.mechanisms",
    "grr": "ppworkbench.api.mechanisms",
    "hybrid": "ppworkbench.api.mechanisms",
    "inspect": "ppworkbench.api.data",
    "invariant_pram": "ppworkbench.api.mechanisms",
    "kit": "ppworkbench.api.fieldwork.questionnaires",
    "kuk": "ppworkbench.api.mechanisms",
    "laplace": "ppworkbench.api.mechanisms",
    "mangat": "ppworkbench.api.mechanisms",
    "mine": "ppworkbench.api.questions",
    "multiplicative": "ppworkbench.api.mechanisms",
    "optimise": "ppworkbench.api.questions",
    "ordinal": "ppworkbench.api.mechanisms",
    "oue": "ppworkbench.api.mechanisms",
    "piecewise": "ppworkbench.api.mechanisms",
    "plan": "ppworkbench.api.questions",
    "pram": "ppworkbench.api.mechanisms",
    "privacy": "ppworkbench.api.questions",
    "publish": "ppworkbench.api.questions",
    "questionnaire": "ppworkbench.api.fieldwork.questionnaires",
    "read": "ppworkbench.api.data",
    "reconstruct": "ppworkbench.api.questions",
    "rehearse": "ppworkbench.api.fieldwork.rehearsal",
    "release": "ppworkbench.api.data",
    "repeat": "ppworkbench.api.questions",
    "report": "ppworkbench.api.releases.reports",
    "retention": "ppworkbench.api.mechanisms",
    "sample": "ppworkbench.api.data",
    "samples": "ppworkbench.api.data",
    "serve": "ppworkbench.api.fieldwork.serving",
    "square_wave": "ppworkbench.api.mechanisms",
    "subset": "ppworkbench.api.mechanisms",
    "trade_off": "ppworkbench.api.questions",
    "triangular": "ppworkbench.api.mechanisms",
    "uniform": "ppworkbench.api.mechanisms",
    "unrelated": "ppworkbench.api.mechanisms",
    "warner": "ppworkbench.api.mechanisms",
    "write_sample": "ppworkbench.api.data",
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
