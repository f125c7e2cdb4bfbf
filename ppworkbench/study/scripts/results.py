"""The results of the window as calls of the Python interface."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ppworkbench.core.data.sampling_roles import POPULATION
from ppworkbench.core.models import RegressionOptions
from ppworkbench.core.survey.conditions.condition import EVERYBODY
from ppworkbench.core.survey.estimates import JOINT
from ppworkbench.core.survey.participants import HIGHEST
from ppworkbench.core.survey.quantiles import QUARTILES
from ppworkbench.study.analyses.survey.questions import (
    COMPARE,
    COMPLIANCE,
    COUNT,
    CROSSTAB,
    LIST,
    PARTICIPANTS,
    QUANTILE,
    REGRESSION,
    Question,
    model_of,
)
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.scripts.analysis import Analysis, chosen, sampling_arguments
from ppworkbench.study.scripts.python import changed_values
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.core.compliance.assess_list import ListInquiry
    from ppworkbench.core.compliance.question import ComplianceQuestion
    from ppworkbench.core.experiment import Setting
    from ppworkbench.study.analyses.regression.questions import ModelQuestion
    from ppworkbench.study.analyses.survey.answers import SurveyResult


@dataclass(frozen=True)
class ScriptFiles:
    """What the files of a study are called beside a script."""

    table: str
    design: str
    original: str

    @classmethod
    def of(cls, study: Study) -> ScriptFiles:
        """Names that follow the title of a study."""
        stem = file_stem(study.title)
        return cls(f"{stem}-distorted.csv", f"{stem}-design.json", f"{stem}-original.csv")


def survey_analysis(answer: SurveyResult) -> Analysis:
    """What was asked of the answers of a study."""
    study, asked = answer.study, answer.question
    files = ScriptFiles.of(study)
    options = {} if asked.target == POPULATION else {"target": asked.target}
    # Draws of participants have a seed of their own.
    seed = asked.seed if asked.statistic == PARTICIPANTS else study.settings.seed
    survey: dict[str, object] = {"data": files.table, "design": files.design}
    survey |= sampling_arguments(study.sampling, study.design.sampling)
    survey |= chosen({"options": options, "seed": seed or None})
    function, arguments = _asked(asked, answer)
    return Analysis(function, arguments, survey)


def _asked(asked: Question, answer: SurveyResult) -> tuple[str, dict[str, object]]:
    from ppworkbench.core.compliance.assess_list import ListResult

    if asked.statistic == REGRESSION:
        return "regress", _model(model_of(asked), asked.arms)
    if asked.statistic == COMPLIANCE and asked.compliance is not None:
        return "compliance", _compliance(asked.compliance)
    if asked.statistic == LIST and isinstance(answer.result, ListResult):
        return "list_item", _list(answer.result.inquiry)
    where = None if asked.condition == EVERYBODY else str(asked.condition)
    given: dict[str, object] = {"of": asked.of, "by": asked.by, "where": where}
    function = asked.statistic
    if function == COUNT:
        function, given = "share", {"what": where}
    elif function == CROSSTAB:
        function, given = "table", {"rows": asked.of, "columns": asked.by, "where": where}
    elif function == COMPARE:
        given["of"] = f"{asked.of}={asked.value}" if asked.value else asked.of
        given["reference"] = asked.reference
    elif function == QUANTILE and asked.at != QUARTILES:
        given["at"] = list(asked.at)
    elif function == PARTICIPANTS:
        given |= {"size": asked.size, "draw": None if asked.draw == HIGHEST else asked.draw}
    given |= {
        "method": None if asked.method == JOINT else asked.method,
        "arms": list(asked.arms),
        "by_arm": asked.by_arm and not answer.no_arms,
    }
    return function, chosen(given)


def _model(model: ModelQuestion, arms: Iterable[str]) -> dict[str, object]:
    usual = RegressionOptions().to_json()
    options = {
        name: value for name, value in model.options.to_json().items() if value != usual[name]
    }
    smaller = model.compare_with
    return chosen(
        {
            "formula": str(model.formula),
            "where": str(model.condition),
            "effects": model.effects,
            "predict": [dict(one) for one in model.predict],
            "compare_with": None if smaller is None else str(smaller),
            "fit": model.fit,
            "arms": list(arms),
            **options,
        }
    )


def _compliance(asked: ComplianceQuestion) -> dict[str, object]:
    anchor = asked.anchor
    return chosen(
        {
            "attribute": asked.attribute,
            "behaviours": list(asked.behaviours),
            "safe": asked.safe,
            "model": asked.model,
            "anchor": None if anchor is None else (anchor.column, anchor.p, anchor.share),
            "share": asked.share,
            "share_error": asked.share_error or None,
            "band": None if asked.band == (0.0, 0.3) else asked.band,
            "reach": asked.reach,
            "arms": list(asked.arms),
        }
    )


def _list(inquiry: ListInquiry) -> dict[str, object]:
    return chosen(
        {
            "attribute": inquiry.attribute,
            "method": inquiry.method,
            "predictors": list(inquiry.predictors),
            "ceiling": inquiry.ceiling,
            "floor": inquiry.floor,
            "second": inquiry.second,
            "direct": inquiry.direct,
        }
    )


def classifier_arguments(settings: Iterable[Setting]) -> dict[str, object]:
    """Classifiers with their parameters, those that learn from true records apart."""
    listed = list(settings)

    def told(setting: Setting) -> object:
        own = changed_values(setting.params)
        return (setting.classifier, own) if own else setting.classifier

    return {
        "classifiers": [told(one) for one in listed if not one.undistorted],
        "undistorted": [told(one) for one in listed if one.undistorted],
    }
