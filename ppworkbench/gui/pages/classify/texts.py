"""What the page says about classifiers, settings and runs."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from ppworkbench.analyses.classification import ClassifyRun, ClassifySettings, can_be_class
from ppworkbench.core.classify import classifiers
from ppworkbench.core.experiment import Setting, Summary, variant_parameters
from ppworkbench.core.params import declarations
from ppworkbench.gui.charts.axes import short_number
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import as_typed, number
from ppworkbench.gui.widgets.card import EmptyReason
from ppworkbench.gui.widgets.form import choice_words
from ppworkbench.study.study import Study


def short_name(classifier: str) -> str:
    """A classifier in a few words; the registry's own for one that is new."""
    entry = classifiers.entry(classifier)
    # Some languages shorten even a name that is short in English.
    return tr(entry.title, "short")


def setting_names(settings: Iterable[Setting]) -> dict[str, str]:
    """Settings as tables and curves name them, by key; variants name what differs."""
    settings = tuple(settings)
    differing = variant_parameters(settings)
    names = {}
    for setting in settings:
        labels = {d.name: d.info.label for d in declarations(type(setting.params))}
        details = [
            f"{translate(labels[name]).lower()} {_value_words(value)}"
            for name, value in differing[setting.key].items()
        ]
        names[setting.key] = ", ".join([_plain_name(setting), *details])
    return names


def _plain_name(setting: Setting) -> str:
    name = short_name(setting.classifier)
    if not setting.undistorted or classifiers[setting.classifier].is_reference:
        return name
    if setting.classifier == "tree":
        return tr("Undistorted tree")
    return tr("%s, undistorted") % name


def _value_words(value: object) -> str:
    """A parameter of a variant; numbers in full, because they may differ in any digit."""
    if isinstance(value, list):
        return " + ".join(_value_words(one) for one in value)
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    if isinstance(value, int | float):
        return as_typed(value)
    return choice_words("none" if value is None else str(value))


def how_reconstructed(setting: Setting) -> str:
    """How a setting undoes the distortion, for the table."""
    if setting.undistorted:
        return choice_words("none")
    params = setting.params
    types = getattr(params, "reconstruction", None) or getattr(params, "reconstructions", None)
    if types is None:
        return choice_words("by-class")
    listed = (types,) if isinstance(types, str) else types
    words = [choice_words(one) for one in listed]
    algorithms = getattr(params, "algorithms", ())
    if listed != ("none",):
        words += [algorithms] if isinstance(algorithms, str) else _few(algorithms)
    return ", ".join(words)


def _few(algorithms: tuple[str, ...]) -> list[str]:
    return list(algorithms) if len(algorithms) < 2 else [tr("%s algorithms") % len(algorithms)]


def level_words(level: float | None) -> str:
    """A level of the sweep, or the design as it is."""
    if level is None:
        return tr("current design")
    return tr("range privacy %s\u202f%%") % short_number(level)


def time_words(run: ClassifyRun) -> str:
    """When a run began."""
    return datetime.fromtimestamp(run.when).astimezone().strftime("%H:%M")


def run_note(run: ClassifyRun, summaries: Iterable[Summary], study: Study) -> str:
    """How the results of a run were come by, and what went wrong."""
    plan = run.request.plan
    parts = [
        tr("%s folds × %s repeats; best result on distorted data in bold; test records are "
           "original.") % (number(plan.folds), number(plan.repeats))
    ]  # fmt: skip
    problems = {found.setting: found for found in summaries if found.error}
    names = setting_names(run.request.settings)
    for setting in run.request.settings:
        found = problems.get(setting.key)
        if found is not None:
            words = tr("%s: %s of its folds have no result. %s")
            why = translate(study.titled(found.error))
            parts.append(words % (names[setting.key], number(found.failed), why))
    return " ".join([*parts, *(translate(study.titled(note)) for note in run.notes[:2])])


def why_not_run(study: Study, choices: ClassifySettings) -> str:
    """A sentence, or nothing where a run is possible."""
    if study.original is None:
        return no_original(study)
    if study.design.has_arms:
        return _no_arms()
    why_not = _why_no_class(study, choices)
    if why_not:
        return why_not
    if not choices.ticked:
        return tr("Select at least 1 classifier.")
    if study.rows < choices.folds:
        words = tr("There are %s records; use at most as many folds.")
        return words % number(study.rows)
    return ""


def _no_arms() -> str:
    return tr(
        "Classifiers need one version of the questionnaire for everybody, and this design has "
        "arms. A regression on Survey uses all arms."
    )


def _why_no_class(study: Study, choices: ClassifySettings) -> str:
    name = choices.class_of(study)
    if name is None:
        # The first that can be is enough: there may be thousands.
        if any(can_be_class(study, attribute.name) for attribute in study.attributes):
            return tr("Choose a class.")
        return tr("No attribute can be the class: none has few values.")
    if not any(d.name != name for d in study.design):
        return tr("There is no attribute besides the class.")
    return ""


def no_original(study: Study) -> str:
    """Why a study without original answers has nothing to compare."""
    if study.distorted is not None:
        return tr(
            "An experiment distorts original answers and tests on them. This study has "
            "only distorted answers, so predictions cannot be checked."
        )
    return tr("No answers yet. Open a table or a sample.")


def class_hint(study: Study, name: str | None) -> str:
    """What is odd about the chosen class: it is distorted too."""
    if name is None or name not in study.design:
        return ""
    perturbation = study.design.perturbation(name)
    if perturbation.is_identity:
        return ""
    words = tr(
        "The design distorts the class as well (%s). Training uses the distorted class, the "
        "test the true one."
    )
    return words % translate(perturbation.summary())


def sweep_hint(settings: ClassifySettings) -> str:
    if not settings.sweeps:
        return tr("off: the current design")
    words = tr("range privacy; distorted attributes at %s levels")
    return words % number(len(settings.levels))


def why_no_results(study: Study, settings: ClassifySettings) -> EmptyReason:
    """What is said before there are results."""
    if study.original is None:
        return EmptyReason(tr("There are no original answers"), no_original(study))
    if study.design.has_arms:
        return EmptyReason(tr("A survey with arms cannot be classified"), _no_arms())
    if settings.class_of(study) is None:
        return EmptyReason(
            tr("Choose a class"),
            tr("Choose it under “Predict”, or mark it on the Data page."),
            tr("Choose the class on the Data page"),
        )
    advice = tr("Training folds are distorted; the test fold stays original. Press Run.")
    return EmptyReason(tr("No results yet"), why_not_run(study, settings) or advice)
