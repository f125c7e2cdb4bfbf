"""A design without some of its attributes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ppworkbench.core.data.attribute import Kind, MissingPolicy
from ppworkbench.core.data.table import Table, list_attributes
from ppworkbench.core.design import Design, Perturbation
from ppworkbench.core.design.arms import Arms
from ppworkbench.core.design.group import Group
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.belief import listed as listed_values
from ppworkbench.core.privacy.belief import sensitive_belief
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.questionnaire import epsilon_of, total_epsilon
from ppworkbench.core.privacy.reading import percent
from ppworkbench.study.data_checks import DeterminedPair, determining_pairs
from ppworkbench.study.language import ENGLISH_TONGUE, Language
from ppworkbench.study.study import Study

IDENTIFICATION_WARNING = (
    "Randomised is not anonymous. Undistorted attributes and rare values can still identify people."
)
_MOST_LISTED = 6
_MARKS = {True: "[x]", False: "[!]", None: "[i]"}


@dataclass(frozen=True)
class Point:
    """One point: whether it is as it should be (None: so or so), and in words what it is."""

    good: bool | None
    sentence: str
    detail: str = ""

    def titled(self, study: Study) -> Point:
        """The same point with what people call the attributes of a study."""
        said, detail = study.titled(self.sentence), study.titled(self.detail)
        return Point(self.good, said, detail)

    def line(self, tongue: Language = ENGLISH_TONGUE) -> str:
        """The point as a line of a plain text."""
        return f"{_MARKS[self.good]} {self._said(tongue)}"

    def said(self, tongue: Language = ENGLISH_TONGUE) -> str:
        """The point as a sentence."""
        return f"{self._said(tongue)}."

    def _said(self, tongue: Language) -> str:
        more = f": {tongue.say(self.detail)}" if self.detail else ""
        return f"{tongue.say(self.sentence)}{more}"


def release_points(design: Design, original: Table | None = None) -> tuple[Point, ...]:
    """What a release under this design protects and what it does not.

    With the original answers it also says what is left out and whose missing answers show.
    """
    points = [
        *_about_epsilon(design),
        *_about_belief(design, original),
        Point(True, "No seed is saved", "the draws cannot be reproduced"),
        Point(True, "The rows are in random order", "the row order discloses nothing"),
        _undistorted(design),
        *_undistorted_in_arms(design),
    ]
    if has_grid(design):
        detail = "the last digits disclose nothing; the grid is in the design"
        points.append(Point(True, "Numbers are rounded to a grid", detail))
    if original is not None:
        points += _about_data(design, original)
    ranged = with_ranges(design)
    if ranged:
        detail = "a range taken from the data discloses the smallest and the largest answer"
        said = Message(
            "The ranges of {ranged} are part of the design", ranged=list_attributes(ranged, 3)
        )
        points.append(Point(None, said, detail))
    points.append(Point(None, "The number of rows is the true number of respondents"))
    return tuple(points)


def _about_epsilon(design: Design) -> list[Point]:
    """What is protected: epsilon of every randomised question, and of all of them together."""
    if design.arms is not None:
        return _about_epsilon_by_arm(design, design.arms)
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
    points = [Point(True, said, Message("epsilon of {listed}", listed=shown))]
    total = total_epsilon(design)
    if math.isfinite(total):
        said = Message("Epsilon is {epsilon:.2f} in total", epsilon=total)
        points.append(Point(True, said, _odds(total)))
    else:
        unbounded = [name for name, value in each.items() if math.isinf(value)]
        detail = Message("{listed} have no finite epsilon", listed=list_attributes(unbounded, 4))
        points.append(Point(None, "Epsilon of all answers together has no bound", detail))
    return points


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
        return [Point(None, "Epsilon of all answers together has no bound", detail)]
    said = Message("Epsilon is {epsilon:.2f} in the most exposed arm", epsilon=total)
    return [Point(True, said, detail), Point(True, "One person is in one arm only", _odds(total))]


def _odds(epsilon: float) -> Message:
    factor = Message("{factor:,.3g}", factor=math.exp(min(epsilon, 20.0)))
    more = Message("more than {factor}", factor=factor) if epsilon > 20 else factor
    return Message("all answers of one person change the odds at most {more}-fold", more=more)


def _shortened(listed: Iterable[Message]) -> tuple[Message, ...]:
    told = tuple(listed)
    return told if len(told) <= _MOST_LISTED else (*told[:_MOST_LISTED], Message("…"))


def devices_of(design: Design, name: str) -> dict[str, Perturbation]:
    """How an attribute is distorted in every arm that asks it; without arms under no name."""
    if design.arms is None or design.group_of(name) is not None:
        return {"": design.perturbation(name)}
    usual = design[name].perturbation
    found = {arm.name: arm.device(name, usual) for arm in design.arms.members}
    return {arm: device for arm, device in found.items() if device is not None}


def describe_device(name: str, design: Design) -> Message:
    """How an attribute is randomised in a few words, arm by arm where that differs."""
    devices = devices_of(design, name)
    if len(set(devices.values())) == 1:
        return _summary(next(iter(devices.values())))
    told = (
        Message("{arm}: {mechanism}", arm=arm, mechanism=_summary(device))
        for arm, device in devices.items()
    )
    return Message("by arm {told}", told=tuple(told))


def _summary(device: Perturbation) -> Message:
    return Message("not randomised") if device.is_identity else Message.of(device.summary())


def _about_belief(design: Design, original: Table | None) -> list[Point]:
    """How far a report raises belief in the answers that are marked as sensitive."""
    points = []
    for one in design:
        devices = [d for d in devices_of(design, one.name).values() if not d.is_identity]
        if not one.attribute.sensitive or not devices:
            continue
        prior = Prior.uniform(one.attribute)
        if original is not None and one.name in original:
            prior = Prior.from_column(original[one.name], one.attribute)
        beliefs = [
            sensitive_belief(
                Joint.of(device.matrix(one.attribute.k), prior.probabilities), one.attribute
            )
            for device in devices
        ]
        found = max(beliefs, key=lambda belief: belief.after)
        said = Message(
            "{attribute}: belief in {meant} is at most {after} after a report",
            attribute=one.name,
            meant=listed_values(found.values),
            after=percent(found.after),
        )
        detail = Message("{before} before it", before=percent(found.before))
        points.append(Point(found.after < 0.5 or None, said, detail))
    return points


def undistorted(design: Design) -> tuple[str, ...]:
    """The attributes that would be published as they are; which arm one is in is no secret."""
    column = None if design.arms is None else design.arms.column
    return tuple(
        name
        for name in design.names
        if name != column and all(one.is_identity for one in devices_of(design, name).values())
    )


def has_grid(design: Design) -> bool:
    """Whether numbers are published on a grid."""
    return any(d.attribute.kind is Kind.CONTINUOUS for d in design)


def with_ranges(design: Design) -> tuple[str, ...]:
    """The attributes whose ranges stand in the design."""
    return tuple(d.name for d in design if d.attribute.kind.is_numeric)


def left_out(design: Design, table: Table) -> tuple[str, ...]:
    """The attributes of a table that would not be published."""
    return tuple(name for name in table.names if name not in design)


def visibly_missing(design: Design, table: Table) -> tuple[str, ...]:
    """The attributes of which one could see who gave no answer."""
    return tuple(
        column.name
        for column in table
        if column.name in design
        and not design[column.name].missing_is_value
        and column.attribute.missing in (MissingPolicy.LEAVE, MissingPolicy.VALUE)
        and column.missing_count
    )


def _undistorted(design: Design) -> Point:
    bare = undistorted(design)
    if not bare:
        return Point(True, "Every released attribute is distorted")
    detail = "undistorted attributes together often identify a person"
    return Point(False, published_as_is(bare, 4), detail)


def _undistorted_in_arms(design: Design) -> list[Point]:
    """Questions that some arms ask directly."""
    if design.arms is None:
        return []
    bare, points = undistorted(design), []
    for arm in design.arms.names:
        direct = [
            name
            for name in design.names
            if name != design.arms.column
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
    told = Message("{column} tells the arm of every row", column=design.arms.column)
    points.append(Point(None, told, "it is not secret, and estimates need it"))
    for one in design.lists:
        said = Message("{attribute} is asked by a list", attribute=one.name)
        detail = Message.joined((one.disclosure, *one.why_items_leak(design.names)))
        points.append(Point(False, said, detail))
    return points


def published_as_is(names: Sequence[str], most: int) -> str:
    """That some attributes are not protected, of which the first few are named."""
    listed = list_attributes(names, most)
    return (
        Message("{listed} is not randomised", listed=listed)
        if len(names) == 1
        else Message("{listed} are not randomised", listed=listed)
    )


def _about_data(design: Design, original: Table) -> list[Point]:
    points = []
    absent = left_out(design, original)
    if absent:
        detail = "the design does not list them"
        said = Message("{absent}: omitted", absent=list_attributes(absent, 4))
        points.append(Point(None, said, detail))
    points += [_determined(pair) for pair in determining_pairs(original, design.names)]
    bare = visibly_missing(design, original)
    if bare:
        detail = "a missing answer can itself be sensitive"
        said = Message("Missing answers of {bare} stay missing", bare=list_attributes(bare, 4))
        points.append(Point(False, said, detail))
    return points


def _determined(pair: DeterminedPair) -> Point:
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
    title: str, contents: Sequence[str], points: Sequence[Point], tongue: Language = ENGLISH_TONGUE
) -> str:
    """The text that lies in a bundle: what it holds, what it protects, what it does not."""
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
    return "\n".join([*lines, tongue.say(IDENTIFICATION_WARNING), ""])


def without_attributes(design: Design, names: Iterable[str]) -> Design:
    """The design without these attributes; what is left of a group goes on sharing its coin."""
    gone, arms = set(names), design.arms
    for name in gone:
        design[name]
    if arms is not None and arms.column in gone:
        raise DesignError(
            Message(
                "{attribute!r} tells the arm of every row; nothing can be estimated without it.",
                attribute=arms.column,
            ),
            attribute=arms.column,
            field="leave_out",
        )
    shrunk = (_without(group, gone) for group in design.groups)
    left = tuple(designed for designed in design if designed.name not in gone)
    return Design(
        left,
        None if design.class_name in gone else design.class_name,
        tuple(group for group in shrunk if group is not None),
        None if design.sampling is None else design.sampling.without(gone),
        None if arms is None else arms.without(gone),
        tuple(one for one in design.lists if one.count not in gone),
        design.anchors_among(left),
    )


def _without(group: Group, gone: set[str]) -> Group | None:
    left = tuple(name for name in group.attributes if name not in gone)
    if not left:
        return None
    personal = tuple(pair for pair in group.personal if pair[0] not in gone)
    return dataclasses.replace(group, attributes=left, personal=personal)
