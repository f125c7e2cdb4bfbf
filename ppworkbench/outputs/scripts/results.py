"""The results of the window as calls of the Python interface."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ppworkbench.core.data.sampling_roles import LEAST_ROWS, POPULATION
from ppworkbench.core.errors import ParameterError
from ppworkbench.outputs.scripts.analysis import Analysis, chosen, sampling_arguments
from ppworkbench.outputs.scripts.python import changed_values
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.analyses.attack import AttackRequest
    from ppworkbench.analyses.classification import ClassifyRequest
    from ppworkbench.analyses.explore.repeats import PartialResult as Repeats
    from ppworkbench.analyses.mining.runs import MiningRequest
    from ppworkbench.analyses.survey.answers import SurveyResult
    from ppworkbench.core.design.budget import DesignBudget
    from ppworkbench.core.experiment import Setting
    from ppworkbench.core.planning.allocation import Aim
    from ppworkbench.core.planning.settings import PlanSettings
    from ppworkbench.core.privacy.utility.noncompliance import NonCompliance
    from ppworkbench.outputs.publication import Accuracies, ReleasePlan
    from ppworkbench.study.plan_choices import PlanChoices


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
        stem, parts = file_stem(study.title), study.reported_parts
        table = f"{stem}-distorted.csv" if parts is None else parts.address
        return cls(table, f"{stem}-design.json", f"{stem}-original.csv", f"{stem}.ppw")


def _engine(study: Study) -> dict[str, object]:
    """Who works on the parts, where the table is a sample of them."""
    parts = study.reported_parts
    return {} if parts is None else {"engine": parts.engine}


def _unused_sampling(study: Study) -> dict[str, object]:
    """That answers count as they are, whoever they stand for."""
    return {"sampling": False} if study.sampling else {}


def survey_analysis(answer: SurveyResult) -> Analysis:
    """What was asked of the answers of a study."""
    study, asked = answer.study, answer.question
    files = ScriptFiles.of(study)
    options = {} if asked.target == POPULATION else {"target": asked.target}
    # Draws of participants have a seed of their own.
    seed = asked.seed if "seed" in answer.kind.takes else study.settings.seed
    survey: dict[str, object] = {"data": files.table, "design": files.design}
    survey |= sampling_arguments(study.sampling, study.design.sampling)
    survey |= chosen({"options": options, "seed": seed or None}) | _engine(study)
    function, arguments = answer.kind.call(answer.result, answer)
    return Analysis(function, chosen(arguments), survey)


def reconstruction_analysis(
    study: Study, name: str, method: str, *, stop: str | int | None, bins: int | None
) -> Analysis:
    """The distribution of one question as an algorithm of Explore finds it."""
    files = ScriptFiles.of(study)
    asked = {
        "data": files.table,
        "design": files.design,
        "attributes": [name],
        "algorithm": method,
        "stop": None if stop is None else str(stop),
        "bins": bins,
        "seed": study.settings.seed or None,
    }
    # Explore looks at the answers as they are, whoever they stand for.
    unused = _unused_sampling(study)
    return Analysis("reconstruct", {**chosen(asked), **unused, **_engine(study)})


def repeats_analysis(study: Study, found: Repeats) -> Analysis:
    """The draws of Explore, as many as there are."""
    from ppworkbench.analyses.explore.repeats import DRAWS, USUAL_FIXED

    files = ScriptFiles.of(study)
    asked = {
        "data": files.original,
        "design": files.design,
        "attribute": found.explored.name,
        "algorithms": list(found.methods),
        "draws": None if found.done == DRAWS else found.done,
        "iterations": None if found.fixed == USUAL_FIXED else found.fixed,
        "bins": found.explored.steps,
        "seed": found.seed or None,
    }
    return Analysis("repeat", chosen(asked))


def mining_analysis(study: Study, request: MiningRequest) -> Analysis:
    """The itemsets and rules of a run of Mine, with their errors where the truth is known."""
    from ppworkbench.analyses.mine import Mine
    from ppworkbench.analyses.mining.runs import available_items

    files, miner = ScriptFiles.of(study), request.miner
    items: dict[str, list[str]] = {}
    for attribute, value in request.items:
        items.setdefault(attribute, []).append(value)
    offered: dict[str, int] = {}
    for attribute, _ in available_items(study).by_key:
        offered[attribute] = offered.get(attribute, 0) + 1
    is_whole = all(len(values) == offered.get(name) for name, values in items.items())
    is_compared = study.original is not None and not study.has_reported_parts
    has_errors = is_compared and not miner.on_original
    source: dict[str, object] = {
        "data": files.original if miner.on_original else files.table,
        "design": files.design,
        "original": files.original if has_errors else None,
        **_engine(study),
    }
    unused = {} if study.sampling is None or miner.uses_weights else {"sampling": False}
    asked = Mine(
        attributes=tuple(items), values=() if is_whole else request.items, miner=miner,
        rules=request.rules,
    )  # fmt: skip
    return Analysis("mine", {**chosen(source), **unused, **asked.changed()})


def classification_analysis(study: Study, request: ClassifyRequest) -> Analysis:
    """The comparison of classifiers of a run of Classify."""
    files = ScriptFiles.of(study)
    asked: dict[str, object] = {"data": files.original, "design": files.design}
    asked |= classifier_arguments(request.settings)
    asked |= {"class_name": request.class_name, "sweep": changed_values(request.sweep)}
    asked |= changed_values(request.plan)
    unused = _unused_sampling(study)
    return Analysis("classify", {**chosen(asked), **unused})


def attack_analysis(request: AttackRequest) -> Analysis:
    """An attack of Explore on the draw of a study."""
    from ppworkbench.core.attacks import attacks

    study = request.study
    files = ScriptFiles.of(study)
    asked: dict[str, object] = {
        "data": files.table,
        "design": files.design,
        "original": files.original,
        "attack": None if request.key == attacks.ranked[0].name else request.key,
        "attribute": request.name,
        "known": list(request.names),
        "seed": study.settings.seed or None,
    }
    return Analysis("attack", chosen(asked))


def gallery_analysis() -> Analysis:
    """The comparison of all published surveys, which come with the program."""
    return Analysis("gallery", {})


def expected_arguments(study: Study, names: Iterable[str]) -> dict[str, object]:
    """Which answers are expected: those of the data, or what somebody drew."""
    choices = {name: study.choice(name) for name in names}
    has_data = any(one.source == "data" for one in choices.values())
    expected: dict[str, object] = {}
    for name, choice in choices.items():
        if choice.source == "drawn" and choice.weights:
            expected[name] = list(choice.weights)
        elif choice.source != "data" and has_data:
            expected[name] = "uniform"
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
    from ppworkbench.analyses.design import noncompliance_of
    from ppworkbench.analyses.trade_off.goals import Goal

    return {
        "n": study.settings.respondents,
        "noncompliance": _noncompliance(noncompliance_of(study)),
        "half_width": Goal.from_json(study.goals).points / 100,
    }


def _pinned_devices(
    study: Study, names: Iterable[str]
) -> dict[str, dict[str, Mapping[str, object]]]:
    """The pins that fit, by letter and question."""
    from ppworkbench.analyses.pins import RESULTS, read_pins

    found: dict[str, dict[str, Mapping[str, object]]] = {}
    for name in names:
        for pin in read_pins(study.results.get(RESULTS), study.design[name].attribute).pins:
            if pin.perturbation is not None:
                found.setdefault(pin.letter, {})[name] = pin.perturbation.to_json()
    return dict(sorted(found.items()))


def trade_off_analysis(study: Study, name: str, measure: str) -> Analysis:
    """Privacy against precision of one question, with its pins and the goals of the study."""
    from ppworkbench.analyses.trade_off.goals import Goal

    goal = Goal.from_json(study.goals)
    pinned = _pinned_devices(study, [name])
    asked: dict[str, object] = {
        "design": ScriptFiles.of(study).design, "attribute": name, "privacy": measure,
        "limit": goal.limit(measure),
        "compare": {letter: devices[name] for letter, devices in pinned.items()},
    }  # fmt: skip
    asked |= _measured_for(study) | expected_arguments(study, [name])
    return Analysis("trade_off", chosen(asked))


def _noncompliance(ignoring: NonCompliance | None) -> dict[str, object] | None:
    return None if ignoring is None or not ignoring.share else changed_values(ignoring)


def plan_analysis(study: Study, compared: str = "") -> Analysis:
    """How many people a survey needs, as Plan says; ``compared`` names a question."""
    from ppworkbench.analyses.plan import PlanBuilder, compared_techniques
    from ppworkbench.core.planning.questionnaire import planned_names

    view = PlanBuilder().build(study)
    settings, choices = view.settings, study.plan
    names = planned_names(study.design)
    asked: dict[str, object] = {"design": ScriptFiles.of(study).design}
    asked |= expected_arguments(study, names)
    asked["n"] = study.settings.respondents
    for limit in ("belief", "epsilon", "half_width"):
        usual = getattr(settings.limits, limit)
        own = {
            name: getattr(one, limit)
            for name, one in settings.own_limits.items()
            if getattr(one, limit) != usual
        }
        asked[limit] = _limit(usual, own)
    asked |= _test_arguments(settings, choices)
    skipped = {
        name: choices.skip_of(name) for name in names if choices.skip_of(name) != choices.skipped
    }
    effect, rate = settings.design_effect, choices.response_rate
    asked |= {
        "bias": settings.underreport,
        "costs": settings.costs,
        "budget": settings.budget,
        "design_effect": None if effect == 1 else effect,
        "noncompliance": _noncompliance(settings.noncompliance),
        "skipped": _limit(choices.skipped or None, skipped),
        "response_rate": None if rate == 1 else rate,
    }
    row = view.row(compared)
    if row is not None and row.has_share:
        asked["compare"] = list(compared_techniques(row))
    told = {} if _can_keep_beliefs(study, settings) else {"strict": False}
    return Analysis("plan", chosen(asked) | told)


def _can_keep_beliefs(study: Study, settings: PlanSettings) -> bool:
    """Whether the function accepts the limits of belief; Plan shows which question breaks one."""
    from ppworkbench.core.planning.questionnaire import check_beliefs, planned_names

    priors = {name: study.prior(name) for name in planned_names(study.design)}
    try:
        check_beliefs(study.design, priors, settings)
    except ParameterError:
        return False
    return True


def solving_analysis(study: Study) -> Analysis:
    """The most accurate parameters of all questions within their limits, as Plan solves them."""
    planned = plan_analysis(study)
    return Analysis("plan", {**planned.arguments, "solve": True})


def budget_analysis(study: Study, budget: DesignBudget) -> Analysis:
    """A total that is shared out among the questions of Design; the design knows the waves."""
    from ppworkbench.analyses.budget import open_questions, question_names

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
    """How the invented answers of a study were made."""
    from ppworkbench.analyses.rehearsal import RehearsalSettings

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


def _limit(usual: float | None, own: Mapping[str, float | None]) -> object:
    """A number for all questions, or by question where some have their own."""
    if not own:
        return usual
    return {**({} if usual is None else {"": usual}), **own}


def _test_arguments(settings: PlanSettings, choices: PlanChoices) -> dict[str, object]:
    test = settings.test
    if test is None:
        return {}
    powers: dict[str, float | None] = {}
    values: dict[str, float | None] = {}
    for name, limits in settings.own_limits.items():
        if name in settings.untested:
            continue
        if limits.power is not None:
            powers[name] = limits.power
        if limits.against is not None and test.against is not None:
            values[name] = limits.against
    powers |= dict.fromkeys(sorted(settings.untested))
    asked: dict[str, object] = {
        "power": _limit(test.power, powers), "alpha": test.alpha, "sides": test.sides,
    }  # fmt: skip
    if test.against is None:
        return {**asked, "difference": tuple(choices.groups)}
    return {**asked, "against": _limit(test.against, values)}


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
