"""What the page shows, worked out from the study, what was chosen and the newest result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ppworkbench.analyses.explore.draws import Draw, ExploredColumn, most_steps
from ppworkbench.analyses.explore.iterations import AUTO, CONVERGED, FIXED, PUBLISHED
from ppworkbench.analyses.explore.repeats import USUAL_FIXED, USUAL_METHODS
from ppworkbench.analyses.explore.runs import Reading, Result, Run, refusal
from ppworkbench.core.reconstruct import estimators
from ppworkbench.core.reconstruct.channel import NUMBERS, VALUES
from ppworkbench.core.reconstruct.estimator import IteratedEstimator
from ppworkbench.gui.charts.looks import series_look
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number, with_unit
from ppworkbench.gui.pages.explore.scrubber import Mark
from ppworkbench.gui.pages.explore.texts import (
    distortion_words,
    iteration_words,
    rule_words,
    sets_words,
)
from ppworkbench.gui.widgets.attribute_box import Offered, offer_attributes
from ppworkbench.study.study import Study


def _first_ticked() -> Mapping[str, tuple[str, ...]]:
    return USUAL_METHODS


def _first_focus() -> Mapping[str, str]:
    return {VALUES: "em-as", NUMBERS: "smooth"}


def _first_rule() -> Mapping[str, str]:
    return {VALUES: CONVERGED, NUMBERS: AUTO}


@dataclass(frozen=True)
class PageSettings:
    """Algorithms, focus and stop rule, separately for values and for numbers.

    Parameters
    ----------
    steps
        How many steps the scale of an attribute has, where somebody chose.
    fixed
        The number of iterations of the fixed rule.
    """

    ticked: Mapping[str, tuple[str, ...]] = field(default_factory=_first_ticked)
    focuses: Mapping[str, str] = field(default_factory=_first_focus)
    rules: Mapping[str, str] = field(default_factory=_first_rule)
    steps: Mapping[str, int] = field(default_factory=dict)
    fixed: int = USUAL_FIXED
    side_by_side: bool = False

    def focus(self, cells: str, can: Iterable[str] | None = None) -> str:
        """The algorithm in focus; another ticked one where that cannot be had."""
        wanted = self.focuses[cells]
        possible = list(self.ticked[cells] if can is None else can)
        return wanted if wanted in possible or not possible else possible[0]

    def with_tick(self, cells: str, method: str, on: bool) -> PageSettings:
        """Show or hide an algorithm; the last one stays."""
        now = self.ticked[cells]
        if on == (method in now) or (not on and len(now) == 1):
            return self
        rest = tuple(name for name in now if name != method)
        ticked = {**self.ticked, cells: (*now, method) if on else rest}
        focuses = self.focuses
        if not on and focuses[cells] == method:
            focuses = {**focuses, cells: rest[0]}
        return replace(self, ticked=ticked, focuses=focuses)

    def with_focus(self, cells: str, method: str) -> PageSettings:
        """Bring an algorithm to the front, ticked if it is not."""
        ticked = self.with_tick(cells, method, True)
        return replace(ticked, focuses={**self.focuses, cells: method})

    def with_rule(self, cells: str, rule: str) -> PageSettings:
        """Choose when iterations stop."""
        return replace(self, rules={**self.rules, cells: rule})

    def with_steps(self, name: str, steps: int) -> PageSettings:
        """Cut the scale of an attribute into so many steps."""
        return replace(self, steps={**self.steps, name: steps})

    def needs_work(self, before: PageSettings) -> bool:
        """Whether something must be worked out anew, not only be shown in another way."""
        return (self.ticked, self.steps) != (before.ticked, before.steps)


# The left column


@dataclass(frozen=True)
class Method:
    """An algorithm in the list; ``reason`` says why it cannot be ticked, if it cannot."""

    name: str
    title: str
    hint: str
    iterates: bool
    reason: str = ""


def methods_of(cells: str, draw: Draw | None = None) -> tuple[Method, ...]:
    """The algorithms for values or numbers, those that fit the draw if there is one."""
    found = []
    for entry in estimators.ranked:
        name = entry.name
        if cells not in entry.item.serves:
            continue
        if draw is None and name == "eq" and cells != VALUES:
            continue
        why = "" if draw is None else refusal(name, draw)
        if why in ("cells", "square"):
            continue
        reason = _singular_words(draw) if why == "singular" and draw is not None else ""
        iterates = issubclass(entry.item, IteratedEstimator)
        found.append(Method(name, translate(entry.title), translate(entry.hint), iterates, reason))
    return tuple(found)


def _singular_words(draw: Draw) -> str:
    perturbation, k = draw.explored.perturbation, draw.counted.k
    level = perturbation.values.invertible_above(k)
    if level is not None:
        words = tr("EQ needs an invertible matrix. Raise “keep” above %s.")
        return words % number(level, 2)
    return tr("EQ needs an invertible matrix; this one is singular.")


@dataclass(frozen=True)
class AlgorithmsView:
    """The list of algorithms and the stop rule.

    Parameters
    ----------
    idle
        Why nothing is reconstructed; empty if something is.
    rule_hint, rule_reason
        What the rule means here, and why it means nothing where that is so.
    """

    methods: tuple[Method, ...]
    ticked: tuple[str, ...]
    focus: str
    looks: Mapping[str, str]
    idle: str
    rule: str
    fixed: int
    rule_hint: str
    rule_reason: str


@dataclass(frozen=True)
class SettingsView:
    """The left column. A reason says why a control cannot be used; empty where it can.

    Parameters
    ----------
    attributes
        Name, kind, question and title of each.
    algorithms
        None where no attribute is explored.
    """

    attributes: tuple[Offered, ...]
    current: str | None
    seed: int
    seed_reason: str
    steps: int | None = None
    most_steps: int = 1
    steps_reason: str = ""
    summary: str = ""
    algorithms: AlgorithmsView | None = None


def build_settings_view(
    study: Study,
    current: str | None,
    settings: PageSettings,
    explored: ExploredColumn | None,
    result: Result | None,
) -> SettingsView:
    """The left column for what is explored and what is known about it."""
    table = study.table
    names = [name for name in study.design.names if table is not None and name in table]
    drawn = study.original is not None
    view = SettingsView(
        tuple(offer_attributes(study, names)),
        current,
        study.settings.seed,
        "" if drawn else tr("The reported answers are already randomised; nothing is drawn here."),
    )
    if explored is None:
        return view
    if result is not None and result.draw.explored != explored:
        result = None
    most, reason = most_steps(explored.attribute), ""
    if explored.steps is None:
        reason = tr("Categories have no bins.")
    elif most < 2:
        reason = tr("Only 1 number is possible.")
    return replace(
        view,
        steps=None if reason else explored.steps,
        most_steps=most,
        steps_reason=reason,
        summary=_summary(explored, study.unit(explored.name), result),
        algorithms=_algorithms_view(settings, explored, result),
    )


def _summary(explored: ExploredColumn, unit: str, result: Result | None) -> str:
    answers = len(explored.column) if result is None else result.draw.counted.rows
    words = distortion_words(explored, unit)
    not_asked = 0 if result is None else result.draw.not_asked
    if not_asked:
        told = tr("%s answers, %s people not asked, %s")
        return told % (number(answers), number(not_asked), words)
    if answers == 1:
        return tr("1 answer, %s") % words
    return tr("%s answers, %s") % (number(answers), words)


def _algorithms_view(
    settings: PageSettings, explored: ExploredColumn, result: Result | None
) -> AlgorithmsView:
    cells, usual = explored.cells, methods_of(explored.cells)
    methods = methods_of(cells, None if result is None else result.draw)
    ticked, rule = settings.ticked[cells], settings.rules[cells]
    can = [m.name for m in methods if not m.reason and m.name in ticked]
    focus = settings.focus(cells, can)
    looks = {m.name: series_look(i) for i, m in enumerate(usual)}
    looks = {m.name: looks.get(m.name, series_look(5)) for m in methods}
    looks[focus] = "reconstructed"
    iterated = {m.name for m in usual if m.iterates}
    reason = ""
    if explored.perturbation.reports_sets:
        reason = sets_words()
    elif not any(name in iterated for name in ticked):
        reason = tr("No selected algorithm iterates.")
    run = None
    if result is not None:
        runs, shown = result.runs, [focus, *ticked]
        run = next((runs[name] for name in shown if name in iterated and name in runs), None)
    return AlgorithmsView(
        methods,
        ticked,
        focus,
        looks,
        "" if explored.is_distorted else tr("This attribute is not distorted."),
        rule,
        settings.fixed,
        reason or _rule_hint(rule, run),
        reason,
    )


def _rule_hint(rule: str, run: Run | None) -> str:
    words = {
        AUTO: tr("weighs likelihood against freedom"),
        PUBLISHED: tr("stops when an iteration changes almost nothing at this sample size"),
        CONVERGED: tr("runs to convergence"),
        FIXED: tr("fixed number of iterations"),
    }
    if run is None or rule == FIXED:
        return words[rule]
    at = run.trace.stops[rule]
    if rule == CONVERGED and not run.trace.finished:
        return tr("runs to convergence: not reached after %s iterations") % number(at)
    return f"{words[rule]}: {iteration_words(run, rule, at)}"


# The results


@dataclass(frozen=True)
class ResultView:
    """Which results are shown how.

    Parameters
    ----------
    focus, places
        The algorithm in focus, and every algorithm's place in the list.
    axis
        The title of an axis of numbers: the attribute with its unit.
    cursor, readings
        The iteration that is shown, and the estimate of every algorithm there.
    """

    result: Result
    focus: str
    places: Mapping[str, int]
    axis: str = ""
    rule: str = AUTO
    fixed: int = USUAL_FIXED
    cursor: int = 0
    readings: Mapping[str, Reading] = field(default_factory=dict)

    def look(self, method: str) -> str:
        """How an algorithm is drawn."""
        return "reconstructed" if method == self.focus else series_look(self.places[method])

    @property
    def run(self) -> Run:
        """The run in focus."""
        return self.result.runs[self.focus]

    @property
    def others(self) -> list[str]:
        """The algorithms that are shown besides the one in focus, in the order of the list."""
        names = (name for name in self.result.runs if name != self.focus)
        return sorted(names, key=lambda name: self.places[name])


def build_view(
    study: Study, settings: PageSettings, result: Result | None, cursor: int | None
) -> ResultView | None:
    """The results that are shown; None where there are none.

    While nobody has moved the cursor (None) it follows the stop rule, and every algorithm is shown
    where its own rule stops; after that all are shown at the cursor's iteration.
    """
    if result is None or not result.runs:
        return None
    explored, runs = result.draw.explored, result.runs
    places = {m.name: i for i, m in enumerate(methods_of(explored.cells))}
    places |= {name: len(places) + i for i, name in enumerate(runs) if name not in places}
    focus = settings.focus(explored.cells, runs)
    axis = with_unit(study.shown(explored.name), study.unit(explored.name))
    rule, fixed = settings.rules[explored.cells], settings.fixed
    if cursor is None:
        cursor = runs[focus].stop(rule, fixed)
        readings = {name: run.at(run.stop(rule, fixed)) for name, run in runs.items()}
    else:
        readings = {name: run.at(cursor if run.trace.last else 0) for name, run in runs.items()}
    return ResultView(result, focus, places, axis, rule, fixed, cursor, readings)


def stop_marks(view: ResultView) -> tuple[Mark, ...]:
    """Where the rules stop the algorithm in focus; nowhere if it does not iterate."""
    run, fixed = view.run, view.fixed
    if not run.iterates:
        return ()
    rules = (PUBLISHED, AUTO, CONVERGED) + ((FIXED,) if view.rule == FIXED else ())
    return tuple(
        Mark(_mark_words(rule, run, fixed), run.stop(rule, fixed), rule == view.rule)
        for rule in rules
    )


def _mark_words(rule: str, run: Run, fixed: int) -> str:
    if rule == CONVERGED:
        return rule_words(rule) if run.trace.finished else tr("not converged")
    return f"{rule_words(rule)} {number(run.stop(rule, fixed))}"
