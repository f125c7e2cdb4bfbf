"""What the cards of the page are given to show."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ppworkbench.analyses.classification import (
    ClassifyRun,
    ClassifySettings,
    ResultRow,
    TrainedTree,
)
from ppworkbench.core.experiment import Setting, Summary
from ppworkbench.gui.charts.looks import series_look
from ppworkbench.gui.language import tr
from ppworkbench.gui.pages.classify.texts import (
    how_reconstructed,
    setting_names,
    time_words,
    why_not_run,
)
from ppworkbench.study.fingerprint import belongs_to
from ppworkbench.study.run_history import RunHistory
from ppworkbench.study.study import Study

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
        """Why nothing can be compared; empty if something can."""
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
        """The results of the setting that is looked at."""
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
        """What a run is called."""
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
