"""What a release protects and what it does not, and a design without some of its attributes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind, MissingPolicy
from ppworkbench.core.data.inference.determined import DeterminedPair, determining_pairs
from ppworkbench.core.data.sampling_roles import without_roles
from ppworkbench.core.data.table import Table, list_attributes
from ppworkbench.core.design import Design, Perturbation
from ppworkbench.core.design.arms import Arms
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.linked_waves import linking_column, without_linking
from ppworkbench.core.design.release import (
    bounds_of_data,
    giveaway,
    giveaway_advice,
    naming_columns,
    values_of_data,
)
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message, attributes_in
from ppworkbench.core.privacy.belief import SensitiveBelief
from ppworkbench.core.privacy.belief import listed as listed_values
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.questionnaire import total_epsilon
from ppworkbench.core.privacy.reading import BOUNDLESS, odds_factor, percent
from ppworkbench.core.privacy.sets import belief_in_report
from ppworkbench.core.privacy.spending import epsilon_of
from ppworkbench.core.sampling.results import about_waves
from ppworkbench.study.language import ENGLISH_TONGUE, Language
from ppworkbench.study.study import Study

IDENTIFICATION_WARNING = (
    "Randomised is not anonymous. Undistorted attributes and rare values can still identify people."
)
CONFIRM_BOUNDS, CONFIRM_VALUES, OPEN_DESIGN = "confirm-bounds", "confirm-values", "open-design"
DESCRIBE = "describe"
"""What a press can do about a point: confirm bounds, change the design, describe the survey."""
_MOST_LISTED = 6
_NEARLY = 1e-6
_NEARLY_SURE = 0.9999
"""Above it a belief is told as "more than 99.99 %"."""
_MARKS = {True: "[x]", False: "[!]", None: "[i]"}


class Topic(IntEnum):
    """What a point is about, in the order in which a checklist tells it."""

    STATE = 1
    PEOPLE = 2
    BUDGET = 3
    ATTRIBUTES = 4
    RARE = 5
    MISSING = 6
    RANGES = 7
    SEED = 8
    DEVICE = 9
    METADATA = 10
    FILES = 11


@dataclass(frozen=True)
class Point:
    """One point: whether it is as it should be (None: so or so), and in words what it is."""

    good: bool | None
    sentence: str
    detail: str = ""
    action: str = ""
    """What a press can do about it, such as ``CONFIRM_BOUNDS``; empty for nothing."""
    topic: Topic = Topic.ATTRIBUTES
    about: str = ""
    """The first attribute that it names, kept when that gets the title that people know."""

    @property
    def is_open(self) -> bool:
        """Whether somebody should still look at it: it is wrong, or something can be added."""
        return self.good is False or (self.good is None and self.action == DESCRIBE)

    def titled(self, study: Study) -> Point:
        said, detail = study.titled(self.sentence), study.titled(self.detail)
        named = (*attributes_in(self.sentence), *attributes_in(self.detail))
        return dataclasses.replace(self, sentence=said, detail=detail, about="".join(named[:1]))

    def line(self, tongue: Language = ENGLISH_TONGUE) -> str:
        return f"{_MARKS[self.good]} {self._said(tongue)}"

    def said(self, tongue: Language = ENGLISH_TONGUE) -> str:
        return f"{self._said(tongue)}."

    def _said(self, tongue: Language) -> str:
        more = f": {tongue.say(self.detail)}" if self.detail else ""
        return f"{tongue.say(self.sentence)}{more}"


def release_points(
    design: Design,
    original: Table | None = None,
    *,
    study: Study | None = None,
    released: Table | None = None,
    has_table: bool = True,
    secure: bool = True,
    shuffled: bool = True,
) -> tuple[Point, ...]:
    """What a release under this design protects and what it does not.

    Parameters
    ----------
    original
        The true answers, for their owner: with them it also says what is left out and which column
        tells another. What is written into a release is made without them.
    study
        Whose expected shares belief starts from; else it starts from the original answers, or from
        equal shares.
    released
        The table as it is released, whose missing answers show.
    has_table
        Without one nothing is said of draws and rows.
    secure, shuffled
        Whether nobody knows a seed of the draws, and whether the rows are in a random order.
    """
    points = [*budget_checklist(design), *_about_belief(design, original, study)]
    if has_table:
        points += about_draw(secure=secure, shuffled=shuffled)
    if secure and any(d.attribute.kind is Kind.CONTINUOUS for d in design):
        detail = "the last digits disclose nothing; the grid is in the design"
        points.append(Point(True, "Numbers are rounded to a grid", detail, topic=Topic.SEED))
    if original is not None:
        points += _about_data(design, original)
    points += _about_missing(design, original if released is None else released)
    points += _about_devices(design)
    return in_order(points)


def in_order(points: Iterable[Point]) -> tuple[Point, ...]:
    """The points by what they are about; those about one thing stay as they are."""
    return tuple(sorted(points, key=lambda point: point.topic))


def about_draw(*, secure: bool = True, shuffled: bool = True) -> tuple[Point, Point]:
    drawn = Point(True, "No seed is saved", "the draws cannot be reproduced", topic=Topic.SEED)
    if not secure:
        drawn = Point(False, "The seed reveals the true answers", topic=Topic.SEED)
    detail = "the row order discloses nothing"
    ordered = Point(True, "The rows are in random order", detail, topic=Topic.SEED)
    if not shuffled:
        detail = "row order can link records to people or to other tables"
        ordered = Point(False, "The rows keep their order", detail, topic=Topic.SEED)
    return drawn, ordered


def _about_devices(design: Design) -> list[Point]:
    """Whether the probabilities of the devices are known, or assumed as those of birthdays are."""
    assumed = [d.name for d in design if d.device is not None and d.device.kind.is_natural]
    if assumed:
        listed = list_attributes(assumed, 4)
        said = Message("The device of {listed} has assumed shares", listed=listed)
        bare = [name for name in assumed if not design.uncertain_shares([name])]
        detail = (
            Message("birthdays and digits are not exact; intervals do not contain their error")
            if bare
            else Message("birthdays and digits are not exact; intervals contain their error")
        )
        return [Point(False if bare else None, said, detail, OPEN_DESIGN, Topic.DEVICE)]
    if len(undistorted(design)) == len(design.names):
        return []
    return [Point(True, "The probabilities of all devices are exact", topic=Topic.DEVICE)]


def budget_checklist(design: Design) -> tuple[Point, ...]:
    """What a release begins with: epsilon of each question and of all, and what weakens it.

    The budget in words, who is asked what, what the reports of several waves disclose together,
    attributes that are not randomised, and values and ranges that may come from the data.
    """
    design = without_linking(design)
    return (
        *_about_epsilon(design),
        *_about_ask(design),
        *_about_waves(design),
        _undistorted(design),
        *_undistorted_in_arms(design),
        *about_sources(design),
    )


def _about_ask(design: Design) -> list[Point]:
    if design.ask is None:
        return []
    said = Message(
        "Each person is asked {ask} of {count} parts", ask=design.ask, count=len(design.parts)
    )
    detail = "which ones is drawn at random and not secret; the cells of the others are empty"
    return [Point(True, said, detail, topic=Topic.BUDGET)]


def _about_waves(design: Design) -> list[Point]:
    budget = design.budget
    if budget is None or budget.waves == 1:
        return []
    linked = (
        Message("The waves of one person are linked")
        if budget.linked
        else Message("The waves of one person are not linked")
    )
    how = (
        Message("by the design")
        if budget.linked
        else Message("nothing in the data tells which reports are of one person")
    )
    points = [Point(None, linked, how, OPEN_DESIGN, Topic.BUDGET)]
    if linking_column(design) is None and about_waves(design, design.sampling):
        said = Message("No column says which records are of one person")
        detail = "intervals from several waves together are then too narrow"
        points.append(Point(None, said, detail, topic=Topic.BUDGET))
    if budget.memoise:
        said = Message(
            "The same true answer gives the same report in all {waves} waves", waves=budget.waves
        )
        points.append(Point(None, said, "a changed report shows a change", topic=Topic.BUDGET))
    else:
        said = Message("Epsilon adds up over {waves} waves", waves=budget.waves)
        points.append(Point(None, said, "every wave has fresh coins", topic=Topic.BUDGET))
    return points


def _about_epsilon(design: Design) -> list[Point]:
    if design.has_arms:
        return _about_epsilon_by_arm(design, design.versions)
    each = {name: epsilon_of(design, name) for name in design.names}
    protected = {name: value for name, value in each.items() if math.isfinite(value)}
    if not protected:
        return []
    shown = _shortened(
        Message("{attribute} {epsilon:.2f}", attribute=name, epsilon=value)
        for name, value in protected.items()
    )
    said = (
        Message("1 attribute is randomised with a bound")
        if len(protected) == 1
        else Message("{count} attributes are randomised with a bound", count=len(protected))
    )
    detail = Message("epsilon of {listed}", listed=shown)
    points = [Point(True, said, detail, topic=Topic.BUDGET)]
    total = total_epsilon(design)
    if math.isfinite(total):
        said = Message("Epsilon is {epsilon:.2f} in total", epsilon=total)
        points.append(Point(True, said, _odds(total), topic=Topic.BUDGET))
    else:
        unbounded = [name for name, value in each.items() if math.isinf(value)]
        listed = list_attributes(unbounded, 4)
        detail = (
            Message("{listed} has no finite epsilon", listed=listed)
            if len(unbounded) == 1
            else Message("{listed} have no finite epsilon", listed=listed)
        )
        said = Message("Epsilon of all answers together has no bound")
        points.append(Point(None, said, detail, OPEN_DESIGN, Topic.BUDGET))
    return [*points, *_about_overspending(design, total)]


def _about_overspending(design: Design, spent: float) -> list[Point]:
    """Whether more is spent than the design wants; nothing where it wants no total."""
    total = None if design.budget is None else design.budget.total
    if total is None or not math.isfinite(spent) or spent <= total * (1 + _NEARLY):
        return []
    said = Message(
        "The privacy budget of {total:g} is exceeded by {over:.2g}", total=total, over=spent - total
    )
    detail = "share it out on the Design page, or raise it"
    return [Point(False, said, detail, OPEN_DESIGN, Topic.BUDGET)]


def _about_epsilon_by_arm(design: Design, arms: Arms) -> list[Point]:
    """Epsilon of what each arm asks, summed over its questions; the largest counts."""
    by_arm = {name: total_epsilon(design.of_arm(name)) for name in arms.names}
    listed = [
        Message("{arm} {epsilon:.2f}", arm=name, epsilon=value)
        if math.isfinite(value)
        else Message("{arm} without a bound", arm=name)
        for name, value in by_arm.items()
    ]
    detail = Message("epsilon by arm: {listed}", listed=_shortened(listed))
    total = max(by_arm.values())
    if math.isinf(total):
        said = Message("Epsilon of all answers together has no bound")
        return [Point(None, said, detail, topic=Topic.BUDGET)]
    said = Message("Epsilon is {epsilon:.2f} in the most exposed arm", epsilon=total)
    return [
        Point(True, said, detail, topic=Topic.BUDGET),
        Point(True, "One person is in one arm only", _odds(total), topic=Topic.BUDGET),
        *_about_overspending(design, total),
    ]


def _odds(epsilon: float) -> Message:
    if epsilon > BOUNDLESS:
        return Message("all answers of one person change the odds without a practical bound")
    more = odds_factor(epsilon)
    return Message("all answers of one person change the odds at most {more}-fold", more=more)


def _shortened(listed: Iterable[Message]) -> tuple[Message, ...]:
    told = tuple(listed)
    return told if len(told) <= _MOST_LISTED else (*told[:_MOST_LISTED], Message("…"))


def devices_of(design: Design, name: str) -> dict[str, Perturbation]:
    """How an attribute is distorted in every arm that asks it; without arms under no name."""
    if design.group_of(name) is not None:
        return {"": design.perturbation(name)}
    return design.versions.devices(name, design[name].perturbation)


def describe_device(name: str, design: Design) -> Message:
    devices = devices_of(design, name)
    if len(set(devices.values())) == 1:
        return _summary(next(iter(devices.values())))
    told = (
        Message("{arm}: {mechanism}", arm=arm, mechanism=_summary(device))
        for arm, device in devices.items()
    )
    return Message("by arm {told}", told=tuple(told))


def describe_devices(names: Sequence[str], design: Design) -> Message:
    listed: Message | None = None
    for name in names:
        how = describe_device(name, design)
        one = Message("{attribute}: {mechanism}", attribute=name, mechanism=how)
        listed = one if listed is None else Message("{before}; {one}", before=listed, one=one)
    return listed or Message("no attribute")


def _summary(device: Perturbation) -> Message:
    return Message("not randomised") if device.is_identity else Message.of(device.summary())


_BEFORE = {
    "data": "{before} before it",
    "drawn": "{before} before it, as expected",
    "uniform": "{before} before it, if all answers are equally likely",
}
"""From where a belief starts, by what the expected shares come from."""


def _about_belief(design: Design, original: Table | None, study: Study | None) -> list[Point]:
    points = []
    for one in design:
        devices = [d for d in devices_of(design, one.name).values() if not d.is_identity]
        if not one.attribute.sensitive or not devices:
            continue
        prior, source = Prior.uniform(one.attribute), "uniform"
        if study is not None:
            prior, source = study.prior(one.name), study.choice(one.name).source
        elif original is not None and one.name in original:
            prior, source = Prior.from_column(original[one.name], one.attribute), "data"
        beliefs = (_belief(device, one.attribute, prior) for device in devices)
        found = max(beliefs, key=lambda belief: belief.after)
        # "At most more than 99.99 %" would be no bound.
        template = (
            "{attribute}: belief in {meant} is at most {after} after a report"
            if found.after < _NEARLY_SURE
            else "{attribute}: belief in {meant} can be {after} after a report"
        )
        said = Message(
            template,
            attribute=one.name,
            meant=listed_values(found.values),
            after=percent(found.after),
        )
        detail = Message(_BEFORE[source], before=percent(found.before))
        points.append(Point(found.after < 0.5 or None, said, detail))
    return points


def _belief(device: Perturbation, attribute: Attribute, prior: Prior) -> SensitiveBelief:
    shares = prior.probabilities
    return belief_in_report(device, attribute, shares)


def undistorted(design: Design) -> tuple[str, ...]:
    """The attributes that would be published as they are; arms and links of waves are no secret."""
    drawn = {linking_column(design), *design.versions.columns}
    return tuple(
        name
        for name in design.names
        if name not in drawn and all(one.is_identity for one in devices_of(design, name).values())
    )


def about_sources(design: Design) -> list[Point]:
    """Whether lists of values and bounds, which stand in the design, tell something of answers."""
    points = []
    values, bounds = values_of_data(design), bounds_of_data(design)
    if values:
        said = Message(
            "The values of {listed} may be read off the data", listed=list_attributes(values, 3)
        )
        detail = (
            "epsilon holds for a public list: a rare value on it shows that somebody gave it; "
            "confirm lists that were known before, merge or remove rare values of others"
        )
        points.append(Point(False, said, detail, CONFIRM_VALUES, Topic.RANGES))
    if bounds:
        said = Message(
            "The bounds of {ranged} are taken from the data", ranged=list_attributes(bounds, 3)
        )
        detail = "rounded bounds are published; confirm them if they are no secret"
        points.append(Point(False, said, detail, CONFIRM_BOUNDS, Topic.RANGES))
    elif any(d.attribute.kind.is_numeric for d in design):
        points.append(Point(True, "All bounds of numbers are public", topic=Topic.RANGES))
    return points


def visibly_missing(design: Design, table: Table) -> tuple[str, ...]:
    """The attributes of which one could see who gave no answer.

    Cells of questions that somebody was not asked are empty too, and tell nothing.
    """
    if design.ask is not None:
        return ()
    silent = design.versions.not_asked(table)
    return tuple(
        column.name
        for column in table
        if column.name in design
        and not design[column.name].missing_is_value
        and column.attribute.missing in (MissingPolicy.LEAVE, MissingPolicy.VALUE)
        and (column.missing & ~silent.get(column.name, np.zeros(table.rows, bool))).any()
    )


def _undistorted(design: Design) -> Point:
    bare = undistorted(design)
    if not bare:
        return Point(True, "Every released attribute is distorted")
    detail = "undistorted attributes together often identify a person"
    return Point(False, published_as_is(bare, 4), detail, OPEN_DESIGN)


def _undistorted_in_arms(design: Design) -> list[Point]:
    bare, points = undistorted(design), []
    for arm in design.versions.choices:
        direct = [
            name
            for name in design.names
            if name not in design.versions.columns
            and name not in bare
            and (device := devices_of(design, name).get(arm)) is not None
            and device.is_identity
        ]
        if direct:
            said = Message(
                "Not randomised in the arm {arm}: {listed}",
                arm=arm,
                listed=list_attributes(direct, 4),
            )
            detail = "undistorted attributes together often identify a person"
            points.append(Point(False, said, detail))
    for column in design.versions.columns:
        told = Message("{column} tells the arm of every row", column=column)
        points.append(Point(None, told, "it is not secret, and estimates need it"))
    for one in design.lists:
        said = Message("{attribute} is asked by a list", attribute=one.name)
        detail = Message(
            "a count of 0 says no and {most} says yes for sure, so epsilon is ∞; one rare and one "
            "common item keep such counts few",
            most=one.size + 1,
        )
        points.append(Point(False, said, detail))
        shown = [item for item in one.items if item in design]
        if shown:
            said = Message(
                "{items} stand beside {column}, which counts them",
                items=list_attributes(shown, 4),
                column=one.count,
            )
            detail = Message(
                "together they can tell {attribute}; take them out of the design",
                attribute=one.name,
            )
            points.append(Point(False, said, detail))
    return points


def published_as_is(names: Sequence[str], most: int) -> str:
    listed = list_attributes(names, most)
    return (
        Message("{listed} is not randomised", listed=listed)
        if len(names) == 1
        else Message("{listed} are not randomised", listed=listed)
    )


def _about_data(design: Design, original: Table) -> list[Point]:
    points = []
    absent = tuple(name for name in original.names if name not in design)
    if absent:
        detail = "the design does not list them"
        said = Message("{absent}: omitted", absent=list_attributes(absent, 4))
        points.append(Point(None, said, detail))
    named = naming_columns(original, design)
    if named:
        detail = "people can be found by identifiers, names and free text; omit it if not needed"
        said = Message(
            "{listed}: perhaps an identifier, a name or free text", listed=list_attributes(named, 4)
        )
        points.append(Point(False, said, detail, OPEN_DESIGN))
    points += [_determined(pair, design) for pair in determining_pairs(original, design.names)]
    return points


def _about_missing(design: Design, table: Table | None) -> list[Point]:
    bare = () if table is None else visibly_missing(design, table)
    if not bare:
        return []
    detail = "a missing answer can itself be sensitive"
    said = Message("Missing answers of {bare} stay missing", bare=list_attributes(bare, 4))
    return [Point(False, said, detail, topic=Topic.MISSING)]


def _determined(pair: DeterminedPair, design: Design) -> Point:
    given_away = giveaway(pair, design)
    if given_away is not None:
        return Point(False, given_away, giveaway_advice(pair, design), OPEN_DESIGN)
    detail = Message(
        "{share} of the true answers agree; randomising one does not protect it if the other "
        "is known",
        share=percent(pair.share),
    )
    said = Message(
        "{attribute} tells {other_attribute}",
        attribute=pair.determining,
        other_attribute=pair.determined,
    )
    return Point(False, said, detail)


def checklist_text(
    title: str,
    contents: Sequence[str],
    points: Sequence[Point],
    digests: Sequence[str] = (),
    tongue: Language = ENGLISH_TONGUE,
) -> str:
    """The text that lies in a bundle: what it holds, what it protects, what it does not.

    ``digests`` are lines that other programs check the files by.
    """
    here = tongue.say("Bundle contents")
    lines = [title, "=" * len(title), "", here, "-" * len(here), *contents, ""]
    for text, kind in (
        ("What is protected", True),
        ("What is not protected", False),
        ("Further notes", None),
    ):
        heading = tongue.say(text)
        chosen = [point.line(tongue) for point in points if point.good is kind]
        if chosen:
            lines += [heading, "-" * len(heading), *chosen, ""]
    if digests:
        heading = tongue.say("Digests of the files (SHA-256)")
        lines += [heading, "-" * len(heading), *digests, ""]
    return "\n".join([*lines, tongue.say(IDENTIFICATION_WARNING), ""])


def without_attributes(design: Design, names: Iterable[str]) -> Design:
    """The design without these attributes; what is left of a group goes on sharing its coin."""
    gone, arms = set(names), design.versions
    for name in gone:
        design[name]
    if gone.intersection(arms.columns):
        raise DesignError.saying(
            "{attribute!r} tells the arm of every row; nothing can be estimated without it.",
            attribute=arms.column,
            field="leave_out",
        )
    shrunk = (_without(group, gone) for group in design.groups)
    return design.among(
        (designed for designed in design if designed.name not in gone),
        groups=tuple(group for group in shrunk if group is not None),
        sampling=without_roles(design.sampling, gone),
        arms=arms.without(gone),
        lists=tuple(one for one in design.lists if one.count not in gone),
    )


def _without(group: Group, gone: set[str]) -> Group | None:
    left = tuple(name for name in group.attributes if name not in gone)
    if not left:
        return None
    personal = tuple(pair for pair in group.personal if pair[0] not in gone)
    return dataclasses.replace(group, attributes=left, personal=personal)
