"""What the page shows and says, worked out from the study, what was chosen and the result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ppworkbench.analyses.experiments.draws import Draw, ExploredColumn
from ppworkbench.analyses.experiments.iterations import AUTO, CONVERGED, FIXED, PUBLISHED
from ppworkbench.analyses.experiments.repeats import USUAL_FIXED, USUAL_METHODS
from ppworkbench.analyses.experiments.runs import Reading, Result, Run, refusal
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.reconstruct import estimators
from ppworkbench.core.reconstruct.channel import NUMBERS, VALUES
from ppworkbench.core.reconstruct.estimator import IteratedEstimator
from ppworkbench.gui.charts.looks import series_look
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import counted, in_unit, number, percent, significant, with_unit
from ppworkbench.gui.pages.explore.scrubber import Mark
from ppworkbench.gui.widgets.card import EmptyReason
from ppworkbench.study.sampling import UNUSED_SAMPLING
from ppworkbench.study.study import Study


def title_of(name: str) -> str:
    return translate(estimators.entry(name).title)


def rule_words(rule: str) -> str:
    words = {
        AUTO: tr("auto"),
        PUBLISHED: tr("published"),
        CONVERGED: tr("converged"),
        FIXED: tr("fixed"),
    }
    return words[rule]


def sets_words() -> str:
    return tr("Reports are sets: every algorithm runs to its end.")


def iteration_words(run: Run, rule: str, at: int) -> str:
    if not run.iterates:
        if run.freedom is not None:
            return tr("%s degrees of freedom") % number(run.freedom)
        if run.trace.last == 0:
            return tr("solved in one step")
        return tr("%s iterations") % number(run.trace.last)
    if rule == CONVERGED and not run.trace.finished:
        return tr("%s iterations, not converged") % number(at)
    return counted(at, tr("1 iteration"), tr("%s iterations"))


FEW = 30
_MAGNIFIED = 10.0
_CLEARLY, _AT_LEAST = 1.15, 0.004
"""A loss is worse than another when it is so many times larger, and by so much."""


def interpret(result: Result, focus: str, sampling: Sampling | None = None) -> str:
    """What fits the draw and the algorithm in focus, and that this page knows no sampling."""
    words = _interpreted(result, focus)
    if sampling is None:
        return words
    return f"{words} {translate(UNUSED_SAMPLING)}".strip()


def _interpreted(result: Result, focus: str) -> str:
    draw, run = result.draw, result.runs.get(focus)
    rows = draw.counted.rows
    if draw.is_singular:
        return tr(
            "The matrix is singular: different true distributions give the same "
            "distorted one. The chart shows one of them."
        )
    if rows < FEW:
        return _few(rows)
    if draw.condition is not None and draw.condition > _MAGNIFIED and draw.counted.k > 1:
        words = tr(
            "True answers are kept hardly more often than by chance: errors grow "
            "%s-fold. Distort again to see how much the estimate varies."
        )
        return words % number(draw.condition)
    if run is None:
        return ""
    return _negative(result) or _about(run, result)


def _few(rows: int) -> str:
    one = tr("Only 1 answer: too few for a usable estimate.")
    return counted(rows, one, tr("Only %s answers: too few for a usable estimate."))


def _negative(result: Result) -> str:
    run = result.runs.get("eq")
    labels = result.draw.counted.values
    if run is None or labels is None or run.raw.min() >= -1e-9:
        return ""
    place = int(np.argmin(run.raw))
    words = tr(
        "EQ’s unbiased estimate of “%s” is %s; it is shown as 0 and enters sums "
        "unchanged. The algorithms differ for such rare values."
    )
    return words % (labels[place], percent(float(run.raw[place]), 1))


def _about(run: Run, result: Result) -> str:
    if run.freedom is not None:
        return _smoothed(run.freedom, result)
    if result.draw.original is None:
        return _unknown_truth(run)
    if run.iterates:
        return _iterated(run)
    if run.method == "eq":
        return tr(
            "EQ solves the equations in one step. No estimate is negative, so this is "
            "also the maximum likelihood estimate, to which EM/AS converges."
        )
    if result.draw.counted.cells == NUMBERS and run.method == "accelerated":
        return tr(
            "The maximum likelihood estimate, to which EM converges. It follows the "
            "noise and is not the most accurate one."
        )
    words = tr("Information loss of %s: %s, about %s of 100 answers at a wrong value.")
    loss = run.trace.loss_at(run.trace.last) or 0.0
    return words % (title_of(run.method), number(loss, 3), number(100 * loss))


def _smoothed(freedom: float, result: Result) -> str:
    words = tr(
        "Smoothed by a roughness penalty estimated from the answers (degrees of freedom: about "
        "%s; bins: %s). Finer details are not shown; the interval includes the smoothing."
    )
    told = words % (number(freedom), number(result.draw.counted.k))
    if result.draw.original is None:
        return f"{told} {tr('Without true answers the loss is unknown.')}"
    return told


def _unknown_truth(run: Run) -> str:
    if not run.iterates:
        return tr(
            "Without true answers the loss is unknown. The interval shows the possible error."
        )
    return tr(
        "Without true answers only the likelihood is known. It rises at every iteration "
        "and does not show where to stop; “auto” charges it for the freedom of the estimate."
    )


def _iterated(run: Run) -> str:
    trace = run.trace
    losses = {rule: trace.loss_at(at) or 0.0 for rule, at in trace.stops.items()}
    lowest = trace.lowest or 0
    least = trace.loss_at(lowest) or 0.0
    if _is_worse(losses[CONVERGED], min(losses[AUTO], losses[PUBLISHED])):
        # The luckiest iteration of one draw would make any rule look bad.
        words = tr(
            "More iterations raise the likelihood but not the accuracy: after %s the "
            "estimate follows the noise. The loss is smallest at %s."
        )
        near = not _is_worse(losses[AUTO], least)
        tail = (
            tr("“Auto” stops near there without the true answers.")
            if near
            else tr("No rule uses the true answers: “auto” stops at %s here, “published” at %s.")
            % (number(trace.stops[AUTO]), number(trace.stops[PUBLISHED]))
        )
        return f"{words % (number(trace.last), number(lowest))} {tail}"
    for rule, words in (
        (
            PUBLISHED,
            tr(
                "The published rule stops after %s iterations, while the estimate still "
                "depends on its uniform start. Convergence reduces the loss from %s to %s."
            ),
        ),
        (
            AUTO,
            tr(
                "“Auto” stops after %s iterations. Convergence reduces the loss from %s to %s in "
                "this draw; repeated draws show which is better on average."
            ),
        ),
    ):
        if _is_worse(losses[rule], losses[CONVERGED]):
            early, late = (number(losses[one], 3) for one in (rule, CONVERGED))
            return words % (number(trace.stops[rule]), early, late)
    words = tr(
        "All stopping rules give nearly the same estimate: loss %s, about %s of 100 "
        "answers at a wrong value."
    )
    return words % (number(losses[CONVERGED], 3), number(100 * losses[CONVERGED]))


def _is_worse(loss: float, other: float) -> bool:
    return loss > _CLEARLY * other and loss > other + _AT_LEAST


def loss_hint(result: Result) -> str:
    if result.draw.original is None:
        return tr("true answers not known")
    return tr("lower is better")


def likelihood_hint(run: Run) -> str:
    if not run.iterates and run.trace.last == 0:
        return ""
    rises = bool(np.all(np.diff(run.trace.log_likelihood) >= -1e-6))
    return tr("always rises") if rises else tr("relative to the end")


def why_not_explore(
    study: Study,
    name: str | None,
    explored: ExploredColumn | None,
    result: Result | None,
    fault: str,
) -> EmptyReason:
    if explored is None:
        return _no_column(study, name)
    if explored.has_noise_by_arm or fault:
        return _refused(study, explored, fault)
    if not explored.is_distorted:
        missing = tr("“%s” is not distorted.") % study.shown(explored.name)
        advice = tr(
            "Its answers are not randomised, so there is nothing to reconstruct. Choose "
            "a mechanism on the Design page."
        )
        return EmptyReason(missing, advice, tr("Go to Design"))
    if result is None or result.draw.explored != explored:
        return EmptyReason(tr("Distorting…"))
    if result.draw.counted.total <= 0:
        missing = tr("“%s” has no answers.") % study.shown(explored.name)
        return EmptyReason(missing, tr("All of them are missing. Choose another attribute."))
    missing = tr("“%s” has only 1 possible answer.") % study.shown(explored.name)
    return EmptyReason(missing, tr("Its distribution is known in advance."))


def _refused(study: Study, explored: ExploredColumn, fault: str) -> EmptyReason:
    if not explored.has_noise_by_arm:
        missing = tr("This attribute cannot be distorted.")
        return EmptyReason(missing, translate(fault), tr("Go to Design"))
    advice = tr(
        "Its noise differs from arm to arm, so it is estimated in one arm at a time: choose an "
        "arm on Survey."
    )
    missing = tr("“%s” cannot be shown for all arms.") % study.shown(explored.name)
    return EmptyReason(missing, advice)


def _no_column(study: Study, name: str | None) -> EmptyReason:
    if name is None or study.table is None:
        missing = tr("There are no answers to explore.")
        return EmptyReason(missing, tr("Open a table or a sample on the Data page."))
    if name in study.design.drawn_columns:
        missing = tr("“%s” is made when answers are distorted.") % study.shown(name)
        advice = tr("There is nothing to reconstruct; Survey estimates from it.")
        return EmptyReason(missing, advice)
    missing = tr("“%s” is not part of the design.") % study.shown(name)
    return EmptyReason(missing, tr("Choose another attribute on the left."))


def why_not_distort(study: Study, explored: ExploredColumn | None) -> str:
    if study.original is None:
        return tr("The reported answers are already randomised and are not distorted again.")
    if explored is None:
        return tr("Choose an attribute that has answers.")
    if explored.has_noise_by_arm:
        return tr("The noise of this number differs from arm to arm.")
    if not explored.is_distorted:
        return tr("This attribute is not distorted.")
    # Another draw would have nothing to show either.
    return translate(explored.perturbation.numbers.why_only_mean(explored.attribute))


def why_no_loss(study: Study) -> str:
    if study.original is None:
        return tr("Without true answers the loss is unknown.")
    return ""


def why_not_repeat(study: Study, explored: ExploredColumn | None, result: Result | None) -> str:
    why = why_not_distort(study, explored) or why_no_loss(study)
    if why:
        return why
    return "" if result is not None and result.runs else tr("Nothing to repeat.")


def distortion_words(explored: ExploredColumn, unit: str = "") -> str:
    """The distortion in a few words, with the size of the noise in the attribute's own unit."""
    noise = explored.perturbation.numbers.noise_of(explored.attribute)
    if noise is None:
        return translate(explored.perturbation.summary())
    words = {
        "normal": tr("normal noise σ %s"),
        "uniform": tr("uniform noise ± %s"),
        "laplace": tr("Laplace noise, scale %s"),
    }
    size = significant(noise.scale, 3)
    return words[noise.name] % in_unit(size, unit)


_FIRST_FOCUS = {VALUES: "em-as", NUMBERS: "smooth"}
_FIRST_RULE = {VALUES: CONVERGED, NUMBERS: AUTO}


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

    ticked: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: USUAL_METHODS)
    focuses: Mapping[str, str] = field(default_factory=lambda: _FIRST_FOCUS)
    rules: Mapping[str, str] = field(default_factory=lambda: _FIRST_RULE)
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
        ticked = self.with_tick(cells, method, True)
        return replace(ticked, focuses={**self.focuses, cells: method})

    def with_rule(self, cells: str, rule: str) -> PageSettings:
        return replace(self, rules={**self.rules, cells: rule})

    def with_steps(self, name: str, steps: int) -> PageSettings:
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


def summary(explored: ExploredColumn, unit: str, result: Result | None) -> str:
    answers = len(explored.column) if result is None else result.draw.counted.rows
    words = distortion_words(explored, unit)
    not_asked = 0 if result is None else result.draw.not_asked
    if not_asked:
        told = tr("%s answers, %s people not asked, %s")
        return told % (number(answers), number(not_asked), words)
    if answers == 1:
        return tr("1 answer, %s") % words
    return tr("%s answers, %s") % (number(answers), words)


def rule_hint(rule: str, run: Run | None) -> str:
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
        return "reconstructed" if method == self.focus else series_look(self.places[method])

    @property
    def run(self) -> Run:
        return self.result.runs[self.focus]

    @property
    def others(self) -> list[str]:
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
