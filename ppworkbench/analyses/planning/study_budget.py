"""The privacy budget of a questionnaire: what each question spends, and sharing out a total."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from ppworkbench.analyses.designs.design import Z95, question_names
from ppworkbench.core.design import Design, Group, Perturbation, SquareWave, Uniform
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.planning.budget import (
    QuestionBudget,
    budget_of,
    share_design,
    sharing_remarks,
    total_for_belief,
    with_epsilon,
)
from ppworkbench.core.planning.composition import Split, splits
from ppworkbench.core.planning.sharing import BudgetSettings, largest_belief
from ppworkbench.core.privacy.belief import meant_places
from ppworkbench.core.privacy.epsilon import joint_epsilon
from ppworkbench.core.privacy.reading import BOUNDLESS, odds_factor
from ppworkbench.core.privacy.spending import count_answers, distorted_epsilon, epsilon_of
from ppworkbench.core.progress import Progress, silent
from ppworkbench.study.release import devices_of, without_attributes
from ppworkbench.study.study import Study

_SAME = 5e-10
"""Epsilons that nobody tells apart."""


@dataclass(frozen=True)
class Segment:
    """What one question spends, or several that share one coin.

    Parameters
    ----------
    names
        The question; several where one coin decides for all of them.
    kind
        The kind of the (first) question.
    epsilon
        What it spends in all waves; infinite where some answers are ruled out, or where nothing is
        randomised.
    share
        The part of the budget, or of what is spent where there is none; None where that is no
        number.
    """

    names: tuple[str, ...]
    kind: str
    epsilon: float
    share: float | None = None
    is_open: bool = False
    """Whether these are all the questions that are not randomised."""

    @property
    def is_infinite(self) -> bool:
        """Whether there is no bound on what it discloses."""
        return math.isinf(self.epsilon)


@dataclass(frozen=True)
class BudgetView:
    """What the randomised questions spend, in the order of the questionnaire.

    Parameters
    ----------
    undistorted
        Questions that are not randomised.
    spent
        Epsilon of all randomised answers of one person: of the worst that one is asked.
    total
        The epsilon that is wanted; None where none is.
    ask
        How many parts of the questionnaire each person gets; None for all of them.
    """

    segments: tuple[Segment, ...] = ()
    undistorted: tuple[str, ...] = ()
    spent: float = 0.0
    total: float | None = None
    ask: int | None = None
    waves: int = 1

    @property
    def over(self) -> float:
        """By how much the budget is overspent; 0 where it is not."""
        if self.total is None:
            return 0.0
        beyond = self.spent - self.total
        return beyond if beyond > _SAME * max(self.total, 1.0) else 0.0

    @property
    def free(self) -> float:
        return 0.0 if self.total is None else max(self.total - self.spent, 0.0)

    @cached_property
    def shares(self) -> Mapping[str, float]:
        """The share of the budget by question; infinite where there is no bound."""
        return {
            name: one.share if one.share is not None else math.inf
            for one in self.segments
            for name in one.names
            if one.share is not None or one.is_infinite
        }

    @cached_property
    def drawn(self) -> tuple[Segment, ...]:
        """The segments of the bar: first what is not randomised, which nothing bounds."""
        if not self.undistorted:
            return self.segments
        return Segment(self.undistorted, "", math.inf, is_open=True), *self.segments

    def segment_of(self, name: str) -> int | None:
        return next((i for i, one in enumerate(self.drawn) if name in one.names), None)

    @property
    def sentences(self) -> tuple[Message, ...]:
        return tuple(self._told())

    def _told(self) -> Iterator[Message]:
        if self.segments:
            yield _odds(self.spent)
        if self.ask is not None:
            count = len(self.segments)
            yield Message(
                "Each person is asked {ask} of {count}, drawn at random.", ask=self.ask, count=count
            )
        if self.waves > 1:
            yield Message("All {waves} waves together.", waves=self.waves)
        open_ = len(self.undistorted)
        if open_ == 1:
            yield Message("1 question is not randomised.")
        elif open_:
            yield Message("{count} questions are not randomised.", count=open_)


def _odds(spent: float) -> Message:
    if math.isinf(spent):
        return Message("Some answers are ruled out, so the budget is infinite.")
    if spent > BOUNDLESS:
        return Message(
            "Randomised answers of one person: together they give practically no protection."
        )
    return Message(
        "Randomised answers of one person together: odds move at most {factor}-fold.",
        factor=odds_factor(spent),
    )


class BudgetBuilder:
    """Builds the budget of now; a drag asks with every frame, so what was found is remembered."""

    def __init__(self) -> None:
        self._alone: dict[str, tuple[object, Perturbation, float]] = {}
        self._grouped: dict[Group, tuple[tuple[int, ...], float]] = {}
        self._last: tuple[Design, BudgetView] | None = None

    def build(self, design: Design) -> BudgetView:
        """The budget of a design without arms."""
        if self._last is None or self._last[0] is not design:
            self._last = design, self._build(design)
        return self._last[1]

    def _build(self, design: Design) -> BudgetView:
        budget = design.budget or DesignBudget()
        questions = question_names(design)
        known: dict[str, float] = {}
        found: list[Segment] = []
        undistorted = []
        for name in questions:
            attribute = design[name].attribute
            group = design.group_of(name)
            if group is not None:
                if name == group.attributes[0]:
                    found.append(Segment(
                        group.attributes, attribute.kind.value, self._of_group(design, group)
                    ))  # fmt: skip
                continue
            perturbation = design.perturbation(name)
            if perturbation.is_identity:
                undistorted.append(name)
                continue
            known[name] = self._of_question(design, name)
            spent = known[name] * times_of(design, (name,))
            found.append(Segment((name,), attribute.kind.value, spent))
        spent = distorted_epsilon(design, known)
        whole = budget.total if budget.total is not None else spent
        has_share = math.isfinite(whole) and whole > 0
        return BudgetView(
            tuple(
                replace(one, share=one.epsilon / whole)
                if has_share and not one.is_infinite
                else one
                for one in found
            ),
            tuple(undistorted), spent, budget.total, design.ask, budget.waves,
        )  # fmt: skip

    def _of_question(self, design: Design, name: str) -> float:
        one = design[name]
        known = self._alone.get(name)
        if known is None or known[0] is not one.attribute or known[1] != one.perturbation:
            known = one.attribute, one.perturbation, epsilon_of(design, name)
            self._alone[name] = known
        return known[2]

    def _of_group(self, design: Design, group: Group) -> float:
        values = tuple(design[name].attribute.k for name in group.attributes)
        known = self._grouped.get(group)
        if known is None or known[0] != values:
            together = joint_epsilon(group, dict(zip(group.attributes, values, strict=True)))
            known = self._grouped[group] = values, together
        return known[1] * times_of(design, group.attributes)


def times_of(design: Design, names: tuple[str, ...]) -> int:
    """How many reports on one question, or on a group with one coin, may add up over all waves."""
    budget = design.budget or DesignBudget()
    counts = [count_answers(design[name].attribute) for name in names]
    return budget.times(None if None in counts else math.prod(filter(None, counts)))


# Making the budget finite


@dataclass(frozen=True)
class BudgetRepair:
    """A question whose answers are ruled out by some reports, and what makes it finite."""

    names: tuple[str, ...]
    mechanism: str
    study: Study

    @property
    def sentence(self) -> Message:
        return Message(
            "{attributes}: some answers are ruled out, so the budget is infinite. “{mechanism}” "
            "makes it finite.",
            attributes=self.names,
            mechanism=Message(self.mechanism),
        )


def find_budget_repair(study: Study, view: BudgetView) -> BudgetRepair | None:
    """The finite mechanism of the first question without a bound; None where all have one."""
    design = study.design
    endless = next((one for one in view.segments if one.is_infinite), None)
    if endless is None:
        return None
    group = design.group_of(endless.names[0])
    if group is not None:
        if group.type != "related":
            return None
        finite = Group(group.attributes, "unrelated", min(group.theta, 0.9))
        groups = tuple(finite if one == group else one for one in design.groups)
        return BudgetRepair(
            endless.names, "Unrelated", study.with_(design=replace(design, groups=groups))
        )
    name, attribute = endless.names[0], design[endless.names[0]].attribute
    wanted = _fair_part(view)
    start: Perturbation = Uniform() if attribute.kind.is_categorical else SquareWave(epsilon=wanted)
    title = "Uniform" if attribute.kind.is_categorical else "Square wave"
    try:
        start.check(attribute)
        made = with_epsilon(start, attribute, wanted)
        if made is None:
            return None
        changed = study.with_perturbations({name: made})
    except WorkbenchError:
        return None
    return BudgetRepair((name,), title, changed)


def make_finite(study: Study) -> Study:
    """The study with a finite mechanism in place of every one without a bound, as far as known."""
    builder = BudgetBuilder()
    for _ in study.design.names:
        repair = find_budget_repair(study, builder.build(study.design))
        if repair is None:
            break
        study = repair.study
    return study


def _fair_part(view: BudgetView) -> float:
    """The epsilon of one question: its part of a total that is wanted, else 1."""
    if view.total is None:
        return 1.0
    count = view.ask or len(view.segments)
    return min(max(view.total / count / view.waves, 0.01), 20.0)


# Sharing out a total


@dataclass(frozen=True)
class SharingRow:
    """One question before and after.

    ``epsilons`` are of one wave; ``errors`` are half-widths of 95 % intervals: of the share of the
    sensitive (or rarest) answer, or of the mean of a number.
    """

    name: str
    is_number: bool
    in_group: bool
    is_locked: bool
    weight: float
    epsilons: tuple[float, float | None]
    half_widths: tuple[float, float | None]


@dataclass(frozen=True, eq=False)
class SharingPreview:
    """What sharing out a total would change.

    Parameters
    ----------
    study
        The study with the total shared out; None where that is refused.
    spent
        Epsilon of all randomised answers of one person, before and after.
    refusal
        Why the total cannot be shared out.
    """

    rows: tuple[SharingRow, ...]
    budget: DesignBudget
    spent: tuple[float, float | None]
    splits: tuple[Split, ...] = ()
    parts: int = 0
    respondents: int = 1
    undistorted: tuple[str, ...] = ()
    study: Study | None = None
    refusal: str = ""
    remarks: tuple[Message, ...] = ()
    separated: tuple[tuple[str, str], ...] = ()
    """Pairs that were asked about together and that not everybody gets both of."""

    @property
    def asked_both(self) -> float:
        """The share of people who get both of two questions in different parts."""
        ask = self.budget.ask or self.parts
        return ask * (ask - 1) / (self.parts * (self.parts - 1)) if self.parts > 1 else 1.0

    @property
    def left(self) -> float:
        spent = self.spent[1]
        total = self.budget.total
        return 0.0 if spent is None or total is None else max(total - spent, 0.0)


def share_study(study: Study, budget: DesignBudget, progress: Progress = silent) -> SharingPreview:
    """Share out the total of a budget among the randomised questions of a study.

    Questions that are not randomised stay outside: nothing bounds what they disclose.
    """
    design = replace(study.design, budget=budget)
    n = study.settings.respondents
    progress(0.0)
    outside = open_questions(design)
    asked = without_attributes(design, outside) if outside else design
    priors = {name: study.prior(name) for name in asked.names}
    known = budget_of(asked, priors, n)
    before = {one.name: one for one in known.questions}
    progress(0.2)
    after: dict[str, QuestionBudget] = {}
    changed: Study | None = None
    remarks: tuple[Message, ...] = ()
    refusal, spent = "", None
    if budget.total is not None:
        try:
            budget.check_ask(asked.parts)
            settings = BudgetSettings(budget.total, budget.rule, budget.of)
            shared = share_design(asked, settings, priors, dict(budget.weights), budget.locked)
            found = budget_of(shared, priors, n)
            after = {one.name: one for one in found.questions}
            spent = found.distorted
            remarks = sharing_remarks(asked, shared, budget.total)
            changed = study.with_(design=put_back(design, shared))
        except WorkbenchError as error:
            refusal = error.message
    progress(1.0)
    locked = set(budget.locked)
    rows = tuple(
        SharingRow(
            name, design[name].attribute.kind.is_numeric, design.group_of(name) is not None,
            name in locked, budget.weight(name),
            (one.epsilon, after[name].epsilon if name in after else None),
            (Z95 * one.error, Z95 * after[name].error if name in after else None),
        )
        for name, one in before.items()
    )  # fmt: skip
    parts = len(asked.parts)
    return SharingPreview(
        rows, budget, (known.distorted, spent), _splits(budget, parts), parts, n, outside,
        changed, refusal, remarks, () if asked.ask is None else _separated(study, asked),
    )  # fmt: skip


def open_questions(design: Design) -> tuple[str, ...]:
    return tuple(
        name for name in question_names(design)
        if all(one.is_identity for one in devices_of(design, name).values())
    )  # fmt: skip


def needed_pairs(study: Study) -> tuple[tuple[str, str], ...]:
    """Pairs of randomised questions that were asked about together on Survey."""
    from ppworkbench.analyses.survey.history import RESULTS, history_from_json

    found: dict[tuple[str, str], None] = {}
    for past in history_from_json(study.results.get(RESULTS)):
        names = [name for name in study.design.randomised if name in past.question.attributes]
        found |= dict.fromkeys(itertools.combinations(names, 2))
    return tuple(found)


def _separated(study: Study, design: Design) -> tuple[tuple[str, str], ...]:
    """Needed pairs of which both questions are not in one part of the questionnaire."""
    return tuple(
        pair for pair in needed_pairs(study) if not any(set(pair) <= set(p) for p in design.parts)
    )


def _splits(budget: DesignBudget, parts: int) -> tuple[Split, ...]:
    """What asking fewer questions costs at the same total, in one wave."""
    if budget.total is None or parts < 2:
        return ()
    waves = min(budget.waves, 2) if budget.memoise else budget.waves
    return splits(parts, budget.total / waves, 0.5)


def put_back(design: Design, shared: Design) -> Design:
    """The whole design with the mechanisms of a part of it, and its budget."""
    if shared.names == design.names:
        return shared
    made = {one.name: one for one in shared}
    listed = tuple(made.get(one.name, one) for one in design)
    own = {arm.name: arm.perturbations for arm in shared.versions.members}
    arms = replace(design.versions, members=tuple(
        replace(arm, perturbations=(
            *own[arm.name], *(pair for pair in arm.perturbations if pair[0] not in made)
        ))
        for arm in design.versions.members
    ))  # fmt: skip
    return replace(design, attributes=listed, arms=arms, budget=shared.budget)


def with_budget(study: Study, budget: DesignBudget | None) -> Study:
    kept = None if budget is None or budget.is_empty else budget
    return study.with_(design=replace(study.design, budget=kept))


def belief_bounds(study: Study, total: float) -> tuple[float, float] | None:
    """How far belief in a sensitive answer can rise: before any answer, and with all of them.

    Of the answer that comes out highest; None where no answer is marked as sensitive.
    """
    found = []
    for name in question_names(study.design):
        attribute = study.design[name].attribute
        if attribute.sensitive and not study.design.perturbation(name).is_identity:
            shares = study.prior(name).probabilities
            prior = float(shares[meant_places(attribute, shares)].sum())
            if 0 < prior < 1:
                found.append((prior, largest_belief(prior, total)))
    return max(found, key=lambda pair: pair[1], default=None)


def belief_total(study: Study, most: float) -> float:
    """The total with which belief in no sensitive answer rises above a share."""
    design = study.design
    priors = {name: study.prior(name) for name in design.names}
    return total_for_belief(design, priors, most)
