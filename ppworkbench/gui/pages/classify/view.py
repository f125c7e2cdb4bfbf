"""What the cards of the page are given to show, and what they say about settings and runs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from ppworkbench.analyses.experiments.classification import (
    ClassifyRequest,
    ClassifyRun,
    ClassifySettings,
    ResultRow,
    TrainedTree,
    can_be_class,
)
from ppworkbench.core.classify import classifiers
from ppworkbench.core.experiment import Setting, Summary, variant_parameters
from ppworkbench.core.params import declarations
from ppworkbench.gui.charts.axes import short_number
from ppworkbench.gui.charts.looks import series_look
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import as_typed, number
from ppworkbench.gui.widgets.card import EmptyReason
from ppworkbench.gui.widgets.form import choice_words
from ppworkbench.study.fingerprint import belongs_to
from ppworkbench.study.run_history import RunHistory
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
    if level is None:
        return tr("current design")
    return tr("range privacy %s\u202f%%") % short_number(level)


def time_words(run: ClassifyRun) -> str:
    return datetime.fromtimestamp(run.when).astimezone().strftime("%H:%M")


def run_note(run: ClassifyRun, summaries: Iterable[Summary], study: Study) -> str:
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


def run_hint(request: ClassifyRequest | None, begun: ClassifyRun | None) -> str:
    """What the button does: a run that has been begun is resumed."""
    if request is None:
        return ""
    total = number(request.total)
    if begun is not None and begun.done > 0 and not begun.is_complete:
        return tr("Resume after %s of %s trainings (Ctrl+Enter)") % (number(begun.done), total)
    return tr("Train %s times and compare (Ctrl+Enter)") % total


IDLE, RUNNING, PAUSED = "idle", "running", "paused"
_USUAL = 100.0
"""The level that is looked at first, or the nearest to it."""

Summaries = Mapping[tuple[str, float | None], Summary]


def looks_of(run: ClassifyRun) -> dict[str, str]:
    """How each setting of a run is drawn: distorted ones as series, references dashed."""
    looks, place = {}, 0
    for setting in run.request.settings:
        looks[setting.key] = "dash" if setting.undistorted else series_look(place)
        place += not setting.undistorted
    return looks


def _rows_of(
    study: Study,
    run: ClassifyRun,
    summaries: Summaries,
    level: float | None,
    names: Mapping[str, str],
) -> list[ResultRow]:
    """The settings of a run at a level, and the larger class where it is wanted."""
    looks, rows = looks_of(run), []
    for setting in run.request.settings:
        row = ResultRow(
            setting.key, names[setting.key], how_reconstructed(setting), looks[setting.key],
            math.nan, total=run.request.folds, run=run,
        )  # fmt: skip
        found = summaries.get((setting.key, None if setting.undistorted else level))
        if found is not None:
            row = dataclasses.replace(
                row, mean=found.accuracy.mean, sd=found.accuracy.sd, f1=found.macro["f1"].mean,
                seconds=found.train_seconds.mean, done=found.done, failed=found.failed,
                error=study.titled(found.error),
            )  # fmt: skip
        rows.append(row)
    if run.request.larger_line and math.isfinite(run.larger_class):
        words = tr("Majority")
        rows.append(ResultRow("", words, "–", "dots", run.larger_class, run=run))
    return rows


def _with_best(rows: Sequence[ResultRow]) -> tuple[ResultRow, ...]:
    """The same rows, the best of those that learn from distorted records marked."""
    best = max((row.mean for row in rows if row.may_be_best), default=math.nan)
    return tuple(
        dataclasses.replace(row, is_best=row.may_be_best and row.mean == best) for row in rows
    )


@dataclass(frozen=True)
class Focus:
    """What of the runs is looked at.

    Parameters
    ----------
    level
        A level of the sweep; None for the design as it is.
    key
        A setting; None for the best.
    all_runs
        Whether the table shows the results of all runs.
    """

    level: float | None = None
    key: str | None = None
    all_runs: bool = False

    def on_run(self, run: ClassifyRun | None) -> Focus:
        """The best setting of another run, at its usual level."""
        levels = () if run is None else run.request.sweep.levels
        level = min(levels, key=lambda one: abs(one - _USUAL)) if levels else None
        return dataclasses.replace(self, level=level, key=None)


@dataclass(frozen=True, eq=False)
class ClassifyView:
    """A study, what would be compared, and the runs.

    Parameters
    ----------
    state
        Whether a run is under way or paused: then it is the newest.
    run
        The one that is shown; None where none has results.
    names
        What the settings of that run are called, by key.
    rows
        The table of results.
    tree
        The tree of the setting that is looked at; None while it is being trained.
    tree_problem
        Why that tree cannot be drawn; empty if it can.
    """

    study: Study
    settings: ClassifySettings
    state: str = IDLE
    runs: tuple[ClassifyRun, ...] = ()
    run: ClassifyRun | None = None
    is_stale: bool = False
    focus: Focus = field(default_factory=Focus)
    summaries: Summaries = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    rows: tuple[ResultRow, ...] = ()
    tree: TrainedTree | None = None
    tree_problem: str = ""

    @cached_property
    def why_not_run(self) -> str:
        return why_not_run(self.study, self.settings)

    @property
    def is_running(self) -> bool:
        """Whether the run that is shown is under way or paused."""
        return self.state != IDLE and self.run is not None and self.run is self.runs[-1]

    @property
    def key(self) -> str | None:
        """The setting that is looked at: the best where nobody chose one."""
        if self.focus.key is not None:
            return self.focus.key
        best = next((row.key for row in self.rows if row.is_best), None)
        return best or next((row.key for row in self.rows if math.isfinite(row.mean)), None)

    @property
    def setting(self) -> Setting | None:
        """The setting that is looked at; None for the larger class."""
        listed = () if self.run is None else self.run.request.settings
        return next((setting for setting in listed if setting.key == self.key), None)

    @property
    def summary(self) -> Summary | None:
        setting = self.setting
        return None if setting is None else self.summaries.get((setting.key, self.level(setting)))

    @property
    def tree_setting(self) -> Setting | None:
        """The tree that is drawn: the one that is looked at, else the first."""
        if self.run is None:
            return None
        trees = [one for one in self.run.request.settings if one.classifier == "tree"]
        return next((one for one in trees if one.key == self.key), trees[0] if trees else None)

    def level(self, setting: Setting) -> float | None:
        """The level at which a setting is looked at."""
        return None if setting.undistorted else self.focus.level

    def run_words(self, run: ClassifyRun) -> str:
        return _run_words(run, self.runs)


def _run_words(run: ClassifyRun, runs: tuple[ClassifyRun, ...]) -> str:
    return tr("run %s, %s") % (runs.index(run) + 1, time_words(run))


def build_view(
    study: Study,
    settings: ClassifySettings,
    history: RunHistory[ClassifyRun],
    state: str,
    focus: Focus,
    summaries: Mapping[ClassifyRun, Summaries],
) -> ClassifyView:
    """Put together what is shown; the tree comes later, as it has to be trained."""
    run, runs = history.shown, history.runs
    view = ClassifyView(study, settings, state, runs, focus=focus)
    is_running = state != IDLE and run is history.newest
    if run is None or not (run.done or is_running):
        return view
    # Results of a run that has just come to the front may not have been read yet.
    known = summaries.get(run, {})
    names = setting_names(run.request.settings)
    rows = _rows_of(study, run, known, focus.level, names)
    if focus.all_runs:
        rows = _rows_of_all(study, run, runs, focus.level, summaries)
    return dataclasses.replace(
        view,
        run=run,
        is_stale=not belongs_to(study, run.request.mark),
        summaries=known,
        names=names,
        rows=_with_best(rows),
    )


def _rows_of_all(
    study: Study,
    run: ClassifyRun,
    runs: tuple[ClassifyRun, ...],
    level: float | None,
    summaries: Mapping[ClassifyRun, Summaries],
) -> list[ResultRow]:
    """The results of all runs that foretell the same class at the same level."""
    rows: list[ResultRow] = []
    # Variants of a classifier may be in different runs.
    names = setting_names(setting for one in runs for setting in one.request.settings)
    for one in runs:
        if one.request.class_name != run.request.class_name:
            continue
        at = level if level in one.request.levels else None
        if at is None and one.request.sweep.levels:
            continue
        words = _run_words(one, runs)
        rows += [
            dataclasses.replace(row, how=f"{words}: {row.how}")
            for row in _rows_of(study, one, summaries.get(one, {}), at, names)
        ]
    return rows
