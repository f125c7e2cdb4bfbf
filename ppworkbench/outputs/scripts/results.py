"""The results of the window as calls of the Python interface."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ppworkbench.core.data.sampling_roles import LEAST_ROWS, POPULATION
from ppworkbench.outputs.scripts.analysis import Analysis, chosen, sampling_arguments
from ppworkbench.outputs.scripts.python import changed_values
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.analyses.experiments.attack import AttackRequest
    from ppworkbench.analyses.experiments.classification import ClassifyRequest
    from ppworkbench.analyses.experiments.repeats import PartialResult as Repeats
    from ppworkbench.analyses.mining.mine import Mine
    from ppworkbench.analyses.request import Request
    from ppworkbench.analyses.survey.answers import SurveyResult
    from ppworkbench.core.design.budget import DesignBudget
    from ppworkbench.core.planning.allocation import Aim
    from ppworkbench.core.privacy.utility.noncompliance import NonCompliance
    from ppworkbench.outputs.publication import Accuracies, ReleasePlan


@dataclass(frozen=True)
class ScriptFiles:
    """What the files of a study are called beside a script."""

    table: str
    design: str
    original: str
    study: str

    @classmethod
    def of(cls, study: Study) -> ScriptFiles:
        """Names that follow the title of a study; parts stay where they are."""
        stem = file_stem(study.title)
        return cls(
            study.reported_rows.place(stem),
            f"{stem}-design.json",
            f"{stem}-original.csv",
            f"{stem}.ppw",
        )


def _engine(study: Study) -> dict[str, object]:
    """Who works on the parts, where the table is a sample of them."""
    return chosen({"engine": study.reported_rows.engine})


def _unused_sampling(study: Study) -> dict[str, object]:
    """That answers count as they are, whoever they stand for."""
    return {"sampling": False} if study.sampling else {}


def survey_analysis(answer: SurveyResult) -> Analysis:
    study, asked = answer.study, answer.question
    files = ScriptFiles.of(study)
    options = {} if asked.target == POPULATION else {"target": asked.target}
    # Draws of participants have a seed of their own.
    seed = asked.seed if "seed" in answer.kind.takes else study.settings.seed
    survey: dict[str, object] = {"data": files.table, "design": files.design}
    survey |= sampling_arguments(study.sampling, study.design.sampling)
    survey |= chosen({"options": options, "seed": seed or None}) | _engine(study)
    request = answer.told.asked()
    if answer.no_arms:
        request = replace(request, by_arm=False)
    return Analysis(request.name, chosen(request.changed()), survey)


def reconstruction_analysis(
    study: Study, name: str, method: str, *, stop: str | int | None, bins: int | None
) -> Analysis:
    """The distribution of one question as an algorithm of Explore finds it."""
    from ppworkbench.analyses.estimates.reconstruct import Reconstruct

    files = ScriptFiles.of(study)
    asked = Reconstruct(
        attributes=(name,), algorithm=method, stop=None if stop is None else str(stop), bins=bins
    )
    source = {"data": files.table, "design": files.design, "seed": study.settings.seed or None}
    # Explore looks at the answers as they are, whoever they stand for.
    shared = {**chosen(source), **_unused_sampling(study), **_engine(study)}
    return Analysis("reconstruct", shared | asked.changed())


def repeats_analysis(study: Study, found: Repeats) -> Analysis:
    from ppworkbench.analyses.experiments.repeat import Repeat

    files = ScriptFiles.of(study)
    asked = Repeat(
        attribute=found.explored.name, algorithms=found.methods, draws=found.done,
        iterations=found.fixed, bins=found.explored.steps,
    )  # fmt: skip
    source = {"data": files.original, "design": files.design, "seed": found.seed or None}
    return Analysis("repeat", chosen(source) | asked.changed())


def request_analysis(
    study: Study, request: Request, *, of_truth: bool = False, with_sampling: bool = True
) -> Analysis:
    """A request that a page asked of the answers of a study, or of the true ones."""
    files = ScriptFiles.of(study)
    is_compared = study.original is not None and not study.has_reported_parts and not of_truth
    source: dict[str, object] = {
        "data": files.original if of_truth else files.table,
        "design": files.design,
        "original": files.original if is_compared else None,
        **_engine(study),
    }
    unused = {} if with_sampling else _unused_sampling(study)
    own = {name: one for name, one in request.changed().items() if name not in request.only_here}
    return Analysis(request.name, {**chosen(source), **unused, **own})


def mining_analysis(study: Study, request: Mine) -> Analysis:
    """The itemsets and rules of a run of Mine, with their errors where the truth is known."""
    from ppworkbench.analyses.mining.items import available_items

    items = Counter(name for name, _ in request.values)
    offered = Counter(name for name, _ in available_items(study).by_key)
    is_whole = all(offered[name] == count for name, count in items.items())
    asked = replace(request, attributes=tuple(items), values=() if is_whole else request.values)
    miner = request.miner
    return request_analysis(
        study, asked, of_truth=miner.on_original, with_sampling=miner.uses_weights
    )


def classification_analysis(study: Study, request: ClassifyRequest) -> Analysis:
    from ppworkbench.analyses.experiments.classify import Classify
    from ppworkbench.core.experiment.experiment import Folding

    files = ScriptFiles.of(study)
    plan = request.plan
    asked = Classify(
        classifiers=tuple(one for one in request.settings if not one.undistorted),
        undistorted=tuple(one for one in request.settings if one.undistorted),
        class_name=request.class_name, sweep=request.sweep,
        folding=Folding(plan.folds, plan.repeats, plan.test_on),
    )  # fmt: skip
    source = {"data": files.original, "design": files.design, "seed": plan.seed or None}
    return Analysis("classify", {**chosen(source), **_unused_sampling(study), **asked.changed()})


def attack_analysis(request: AttackRequest, study: Study) -> Analysis:
    files = ScriptFiles.of(study)
    source = {
        "data": files.table, "design": files.design, "original": files.original,
        "seed": study.settings.seed or None,
    }  # fmt: skip
    return Analysis("attack", chosen(source) | request.changed())


def gallery_analysis() -> Analysis:
    """The comparison of all published surveys, which come with the program."""
    return Analysis("gallery", {})


def expected_arguments(study: Study, names: Iterable[str]) -> dict[str, object]:
    """Which answers are expected: those of the data, or what somebody drew."""
    from ppworkbench.analyses.planning.study_plan import expected_answers

    has_data, expected = expected_answers(study, names)
    data = ScriptFiles.of(study).original if has_data else None
    return chosen({"data": data, "expected": expected})


def privacy_analysis(study: Study) -> Analysis:
    """The measures of all questions of Design, of every arm where there are arms, and the pins."""
    told = study.design.versions.columns
    names = [name for name in study.design.names if name not in told]
    asked: dict[str, object] = {"design": ScriptFiles.of(study).design}
    asked |= expected_arguments(study, names)
    asked |= _measured_for(study)
    if not told:
        # The menu of a pin has the script of the arm in front.
        asked["compare"] = _pinned_devices(study, names)
    return Analysis("privacy", chosen(asked))


def pins_analysis(study: Study, name: str) -> Analysis:
    """The measures of the designs that are pinned for one question, beside those of now."""
    asked: dict[str, object] = {"design": ScriptFiles.of(study).design}
    asked |= expected_arguments(study, study.design.names)
    asked |= _measured_for(study) | {"compare": _pinned_devices(study, [name])}
    return Analysis("privacy", chosen(asked))


def _measured_for(study: Study) -> dict[str, object]:
    """For whom Design measures: how many people, who follow how far, and the precision wanted."""
    from ppworkbench.analyses.designs.design import noncompliance_of
    from ppworkbench.analyses.designs.goals import Goal

    return {
        "n": study.settings.respondents,
        "noncompliance": _noncompliance(noncompliance_of(study)),
        "half_width": Goal.from_json(study.goals).planned_points / 100,
    }


def _pinned_devices(
    study: Study, names: Iterable[str]
) -> dict[str, dict[str, Mapping[str, object]]]:
    from ppworkbench.analyses.designs.pins import RESULTS, read_pins

    found: dict[str, dict[str, Mapping[str, object]]] = {}
    for name in names:
        for pin in read_pins(study.results.get(RESULTS), study.design[name].attribute).pins:
            if pin.perturbation is not None:
                found.setdefault(pin.letter, {})[name] = pin.perturbation.to_json()
    return dict(sorted(found.items()))


def trade_off_analysis(study: Study, name: str, measure: str) -> Analysis:
    """Privacy against precision of one question, with its pins and the goals of the study."""
    from ppworkbench.analyses.designs.goals import Goal

    goal = Goal.from_json(study.goals)
    pinned = _pinned_devices(study, [name])
    asked: dict[str, object] = {
        "design": ScriptFiles.of(study).design, "attribute": name, "privacy": measure,
        "limit": goal.limit(measure) if math.isfinite(goal.limit(measure)) else None,
        "compare": {letter: devices[name] for letter, devices in pinned.items()},
    }  # fmt: skip
    asked |= _measured_for(study) | expected_arguments(study, [name])
    if not math.isfinite(goal.points):
        del asked["half_width"]
    return Analysis("trade_off", chosen(asked))


def _noncompliance(ignoring: NonCompliance | None) -> dict[str, object] | None:
    return None if ignoring is None or not ignoring.share else changed_values(ignoring)


def plan_analysis(study: Study, compared: str = "", *, solve: bool = False) -> Analysis:
    """How many people a survey needs, as Plan says; ``compared`` names a question.

    To solve is to find the most accurate parameters of all questions within their limits.
    """
    from ppworkbench.analyses.planning.study_plan import plan_request

    files, (asked, has_data) = ScriptFiles.of(study), plan_request(study, compared)
    source = {"design": files.design} | ({"data": files.original} if has_data else {})
    return Analysis("plan", {**source, **replace(asked, solve=solve).changed()})


def budget_analysis(study: Study, budget: DesignBudget) -> Analysis:
    """A total that is shared out among the questions of Design; the design knows the waves."""
    from ppworkbench.analyses.designs.design import question_names
    from ppworkbench.analyses.planning.study_budget import open_questions

    design = study.design
    asked: dict[str, object] = {"design": ScriptFiles.of(study).design, "total": budget.total}
    asked |= {
        "rule": budget.rule, "of": budget.of, "weights": dict(budget.weights),
        "locked": list(budget.locked), "ask": budget.ask,
        "leave_open": bool(open_questions(design)), "n": study.settings.respondents,
    }  # fmt: skip
    return Analysis("budget", chosen(asked | expected_arguments(study, question_names(design))))


def allocation_analysis(study: Study, name: str, aim: Aim, costs: Mapping[str, float]) -> Analysis:
    """The best shares of the arms for one question."""
    from ppworkbench.core.planning.allocation import DIFFERENCE, PREVALENCE

    ignoring: dict[str, object] | None = None
    if aim.behaviour is not None:
        ignoring = {"share": aim.ignoring, "behaviour": "random"}
        if aim.behaviour.value is not None:
            values = study.design[name].attribute.values
            ignoring |= {"behaviour": "safe", "safe": values[aim.behaviour.value]}
    asked: dict[str, object] = {
        "design": ScriptFiles.of(study).design,
        "attribute": name,
        "serves": None if aim.serves == PREVALENCE else aim.serves,
        "between": aim.between if aim.serves == DIFFERENCE else None,
        "noncompliance": ignoring,
        "costs": None if set(costs.values()) <= {1.0} else dict(costs),
        "n": study.settings.respondents,
    }
    return Analysis("allocate", chosen(asked | expected_arguments(study, [name])))


def release_analysis(study: Study, plan: ReleasePlan) -> Analysis | None:
    """The release of Publish: the trial of a deniable table, or a distorted one drawn afresh."""
    from ppworkbench.outputs.publication import DENIABLE, QUICK_FOLDS

    files, denial = ScriptFiles.of(study), plan.grouping(study)
    least = study.settings.least_rows
    roles: dict[str, object] = {
        "leave_out": list(plan.omitted(study)), "coarsen": list(plan.coarsened),
        "least_rows": None if least == LEAST_ROWS or not plan.coarsened else least,
    }  # fmt: skip
    if plan.mode != DENIABLE:
        asked = {"study": files.study, "out": f"{file_stem(study.title)}-release", **roles}
        return Analysis("bundle", chosen(asked))
    if denial is None or study.original is None:
        return None
    asked = {
        "data": files.original, "sensitive": denial.sensitive,
        "split_on": list(denial.features(study.original)), "folds": QUICK_FOLDS,
        **roles, **changed_values(denial.options),
        "keep": list(plan.naming(study)) if plan.with_names else [],
    }  # fmt: skip
    return Analysis("publish", {**chosen(asked), "seed": study.settings.seed})


def accuracy_analysis(study: Study, found: Accuracies) -> Analysis | None:
    """The accuracy curves of Publish; None where they cannot be measured in the same way again."""
    from ppworkbench.core.publish.accuracy_curve import LEARNERS, PREDICTED

    plan, told = found.plan, found.found
    if plan is None or study.original is None or not found.can_be_repeated:
        return None
    learners = [name for name in told["curves"] if name != PREDICTED]
    options = changed_values(plan.options)
    # The minimums of the curve take its place.
    options.pop("min_deniability", None)
    asked: dict[str, object] = {
        "data": ScriptFiles.of(study).original, "sensitive": plan.sensitive,
        "split_on": list(plan.features(study.original)),
        "minimums": list(told["curves"][PREDICTED]["minimum"]), "folds": told["folds"],
        "learners": None if tuple(learners) == LEARNERS else learners,
        **options,
    }  # fmt: skip
    return Analysis("accuracy_curve", {**chosen(asked), "seed": told["seed"]})


def rehearsal_analysis(study: Study) -> Analysis:
    from ppworkbench.analyses.collecting.rehearsal import RehearsalSettings

    settings = RehearsalSettings.of(study)
    files = ScriptFiles.of(study)
    asked: dict[str, object] = {
        "study": files.study,
        "out": f"{file_stem(study.title)}-rehearsed.ppw",
        "n": settings.n,
        "strength": {name: str(one) for name, one in settings.strengths.items()},
    }
    return Analysis("rehearse", {**chosen(asked), "seed": study.settings.seed})


def table_analysis(study: Study) -> Analysis | None:
    """What the answers on Data hold, or how they were invented."""
    if study.invented:
        return rehearsal_analysis(study)
    if study.table is None or study.has_parts:
        return None
    files = ScriptFiles.of(study)
    return Analysis("inspect", {"data": files.table if study.original is None else files.original})
