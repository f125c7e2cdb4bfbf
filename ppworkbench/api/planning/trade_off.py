"""What more privacy of one question costs in precision."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ppworkbench.analyses.arguments import check_arguments
from ppworkbench.analyses.inputs import Data, DesignLike
from ppworkbench.api import RESPONDENTS
from ppworkbench.api.planning.plan import expected_priors
from ppworkbench.api.privacy import device_of, noncompliance_of, read_pilot
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape
from ppworkbench.results.result import Result
from ppworkbench.results.text import aligned, harmless, note_lines

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.analyses.trade_off.assess import TradeOff
    from ppworkbench.analyses.trade_off.goals import Goal
    from ppworkbench.analyses.trade_off.places import TradePlace
    from ppworkbench.core.data.options import ReadOptions
    from ppworkbench.core.privacy.utility.noncompliance import NonCompliance

MEASURES = ("belief", "epsilon", "attack_success")
"""The measures of privacy that can be traded for precision."""
_SHOWN = 12
"""Designs of a curve and of a frontier in a summary; ``to_frame()`` has all."""


@check_arguments
def trade_off(  # noqa: PLR0913 (keywords with defaults)
    design: DesignLike,
    attribute: str,
    *,
    privacy: str | None = None,
    limit: float | None = None,
    half_width: float | None = None,
    compare: Mapping[str, Any] | None = None,
    frontier: bool = True,
    n: int | None = None,
    noncompliance: NonCompliance | Mapping[str, Any] | float | None = None,
    share: float | Mapping[str, float] | None = None,
    expected: Mapping[str, Sequence[float] | str] | None = None,
    data: Data | None = None,
    reading: ReadOptions | Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> TradeOffResult:
    """Find what each value of a mechanism's parameter gives: privacy, and precision for it.

    Parameters
    ----------
    design, attribute
        The design, its JSON values or the path of its file, and the question.
    privacy
        ``belief`` in the sensitive answer, ``epsilon`` or ``attack_success``; of answers belief
        and of numbers attack success if not given.
    limit, half_width
        The goal: the most that the measure may be, and the half-width of the 95 % interval, of a
        number as a share of its domain.
    compare
        Other devices of the question by any name, as a design file writes them.
    frontier
        Whether to search all matrices for the most precise ones at their privacy, which takes
        seconds; numbers and questions with many values have none.
    n
        The number of respondents; the rows of the data, else 1,000.
    noncompliance, share, expected, data, reading, progress
        As for :func:`plan`.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> design = {"format": "ppworkbench-design", "version": 1, "attributes": {"smokes": {
    ...     "kind": "binary", "values": ["no", "yes"], "sensitive": ["yes"],
    ...     "perturbation": {"type": "uniform", "keep": 0.75}}}}
    >>> found = pp.trade_off(design, "smokes", share=0.2, frontier=False)
    >>> place = found.to_dict()["place"]
    >>> round(place["privacy"], 4), round(place["half_width"], 4)
    (0.4286, 0.0591)
    """
    from ppworkbench.analyses.trade_off.assess import assess_trade_off
    from ppworkbench.analyses.trade_off.places import privacy_measures
    from ppworkbench.core.privacy.assess import assess_asked

    chosen = as_design(design)
    chosen.refuse_arms()
    asked = chosen[attribute].attribute
    offered = privacy_measures(asked)
    measure = offered[0] if privacy is None else privacy
    if measure not in offered:
        raise ParameterError(
            f"privacy of {attribute!r} must be one of {', '.join(offered)}, not {measure!r}.",
            field="privacy",
        )
    for name, wanted in (("limit", limit), ("half_width", half_width)):
        if wanted is not None and not (math.isfinite(wanted) and wanted > 0):
            raise ParameterError(f"{name} must be above 0, not {wanted:g}.", field=name)
    devices = {name: device_of(one, asked) for name, one in (compare or {}).items()}
    pilot = read_pilot(chosen, data, reading, progress)
    priors = expected_priors(chosen, pilot.priors, share, expected)
    in_effect = dataclasses.replace(chosen[attribute], perturbation=chosen.usual_device(attribute))
    report = assess_asked(
        chosen, in_effect, priors.get(attribute), n or pilot.rows or RESPONDENTS,
        noncompliance_of(noncompliance),
    )  # fmt: skip
    found = assess_trade_off(report, measure, devices, progress, is_searched=frontier)
    return TradeOffResult(found, limit, half_width, pilot.remarks, pilot.state)


@dataclass(frozen=True, eq=False, repr=False)
class TradeOffResult(Result):
    """The design, others beside it, the curve of its parameter, and the best matrices."""

    found: TradeOff
    limit: float | None = None
    half_width: float | None = None
    remarks: tuple[str, ...] = ()
    state: str = ""

    @property
    def _goal(self) -> Goal | None:
        """What is wanted; a limit that is not given is kept by everything."""
        from ppworkbench.analyses.trade_off.goals import Goal

        if self.limit is None and self.half_width is None:
            return None
        points = math.inf if self.half_width is None else 100 * self.half_width
        limit = math.inf if self.limit is None else self.limit
        return dataclasses.replace(Goal(points=points), **{self.found.measure: limit})

    def _document(self) -> Mapping[str, Any]:
        found = self.found
        curve = found.curve
        document: dict[str, Any] = {
            "attribute": found.question.attribute.name,
            "measure": found.measure,
            "n": found.question.n,
            "perturbation": found.perturbation.to_json(),
            "place": _place(found.place),
            "direct": found.direct,
            "parameter": None if curve is None else curve.free.name,
            "curve": [
                {"value": float(value)} | _place(place) for value, place in self._curve_places()
            ],
            "frontier": [
                _place(one.place) | {"perturbation": one.perturbation.to_json()}
                | ({"certain": one.certain} if one.certain else {})
                for one in found.frontier
            ],
        }  # fmt: skip
        if found.compared:
            document["compare"] = {
                name: _place(place) | {"perturbation": one.to_json()}
                for name, (one, place) in found.compared.items()
            }
        goal = self._goal
        if goal is not None:
            document["goal"] = self._goal_document(goal)
        return document | {"remarks": list(self.remarks)} if self.remarks else document

    def _goal_document(self, goal: Goal) -> dict[str, Any]:
        told: dict[str, Any] = {
            "limit": self.limit, "half_width": self.half_width, "met": self.found.is_met(goal),
            "respondents": self.found.needed(goal),
        }  # fmt: skip
        repair = self.found.repair(goal)
        if repair is None:
            return told
        if repair.perturbation is not None:
            return told | {"repair": {
                "perturbation": repair.perturbation.to_json(), "value": repair.value,
            }}  # fmt: skip
        closest = None if repair.closest is None else _place(repair.closest)
        return told | {"repair": {"closest": closest, "respondents": repair.needed}}

    def summary(self) -> str:
        """The trade-off for people, as the command line prints it."""
        found = self.found
        title = harmless(found.question.attribute.heading)
        lines = [f"{title}: {found.perturbation.summary()}", self._place_text()]
        goal = self._goal
        if goal is not None:
            lines.append(self._goal_text(goal))
        heads = ["design", self._spoken, self._precision]
        return "\n\n".join(
            ["\n".join(lines), aligned(heads, list(self._rows()), right=heads[1:]),
             *note_lines(self.remarks)]
        )  # fmt: skip

    @property
    def _spoken(self) -> str:
        return self.found.measure.replace("_", " ")

    @property
    def _precision(self) -> str:
        unit = self.found.question.attribute.unit
        if self.found.is_share:
            return "± points"
        return harmless(f"± of the mean ({unit})" if unit else "± of the mean")

    def _half(self, half_width: float) -> str:
        if math.isinf(half_width):
            return "∞"
        return f"{100 * half_width:.2f}" if self.found.is_share else f"{half_width:.4g}"

    def _place_text(self) -> str:
        found, half = self.found, self._half(self.found.place.half_width)
        points = " points" if found.is_share else ""
        return (
            f"{self._spoken} {_privacy(found.place.privacy)}, ± {half}{points} with "
            f"{found.question.n:,} respondents; asked directly ± "
            f"{self._half(found.direct)}{points}."
        )

    def _goal_text(self, goal: Goal) -> str:
        found = self.found
        if found.is_met(goal):
            return "The goal is met."
        repair = found.repair(goal)
        if repair is not None and repair.perturbation is not None:
            return f"The goal is missed; {repair.perturbation.summary()} meets it."
        is_private = found.is_met(dataclasses.replace(goal, points=math.inf))
        needed = found.needed(goal) if is_private else math.inf if repair is None else repair.needed
        if math.isinf(needed):
            return "The goal is missed; no design of these and no number of respondents meets it."
        who = "this design" if is_private else "the closest design"
        return f"The goal is missed; {who} meets it with {needed:,} respondents."

    def _curve_places(self) -> Iterator[tuple[float, TradePlace]]:
        curve = self.found.curve
        for i in range(0 if curve is None else len(curve.values)):
            assert curve is not None  # noqa: S101 (it has values)
            yield float(curve.values[i]), curve.place(i)

    def _rows(self) -> Iterator[list[str]]:
        """Some of all designs: a summary has no room for a whole curve."""
        found = self.found

        def row(name: str, place: TradePlace) -> list[str]:
            return [harmless(name), _privacy(place.privacy), self._half(place.half_width)]

        yield row("this design", found.place)
        for name, (one, place) in found.compared.items():
            yield row(f"{name}: {one.summary()}", place)
        for value, place in _some(list(self._curve_places())):
            assert found.curve is not None  # noqa: S101 (it has values)
            yield row(f"{found.curve.free.name} {value:.3g}", place)
        for best in _some(found.frontier):
            yield row(f"frontier: {best.perturbation.summary()}", best.place)

    def to_frame(self) -> pd.DataFrame:
        """One row per design: this one, those beside it, the curve and the frontier."""
        import pandas as pd

        found = self.found
        rows = [_row("design", "", found.place, str(found.perturbation.summary()))]
        rows += [
            _row("compare", name, place, str(one.summary()))
            for name, (one, place) in found.compared.items()
        ]
        for value, place in self._curve_places():
            assert found.curve is not None  # noqa: S101 (it has values)
            words = str(found.curve.put(value).summary())
            rows.append(_row("curve", found.curve.free.name, place, words) | {"value": value})
        rows += [
            _row("frontier", "", one.place, str(one.perturbation.summary()))
            for one in found.frontier
        ]
        columns = ["kind", "name", "value", "privacy", "half_width", "bias", "perturbation"]
        return pd.DataFrame(rows, columns=columns)

    def pictures(self) -> tuple[Picture, ...]:
        """The precision that each design leaves at its privacy, and where the goal lies."""
        import numpy as np

        found, unit = self.found, 100.0 if self.found.is_share else 1.0

        def mark(shape: Shape, role: Role, name: str, places: Sequence[TradePlace]) -> Mark:
            x = np.array([place.privacy for place in places], np.float64)
            y = np.array([unit * place.half_width for place in places], np.float64)
            return Mark(shape, role, Message("{title}", title=harmless(name)), x, y)

        goal = self._goal
        wanted = 0.0 if self.half_width is None or goal is None else goal.half_width(
            found.question.attribute
        )  # fmt: skip
        ends = found.axes(wanted)
        marks = []
        if goal is not None:
            right = ends.high if self.limit is None else self.limit
            top = ends.top if self.half_width is None else wanted
            x, low = np.array([ends.low, right], np.float64), np.zeros(2)
            high = np.full(2, unit * top)
            marks.append(Mark(Shape.BAND, Role.ESTIMATE, Message("goal"), x, low, low, high))
        if found.frontier:
            best = [one.place for one in found.frontier]
            marks.append(mark(Shape.LINE, Role.SERIES, "frontier", best))
        if found.curve is not None:
            curve = [place for _, place in self._curve_places()]
            marks.append(mark(Shape.LINE, Role.ESTIMATE, found.curve.free.name, curve))
        marks.append(mark(Shape.POINTS, Role.ESTIMATE, "this design", [found.place]))
        marks += [
            mark(Shape.POINTS, Role.SERIES, name, [place])
            for name, (_, place) in found.compared.items()
            if place.is_finite
        ]
        direct = np.array([unit * found.direct], np.float64)
        marks.append(Mark(Shape.RULE, Role.REFERENCE, Message("direct"), direct, direct))
        privacy = Axis(Message("{title}", title=self._spoken), low=ends.low, high=ends.high)
        precision = Axis(
            Message("{measure}, 95 %", measure=self._precision), low=0.0, high=unit * ends.top
        )
        title = Message("Privacy and precision")
        return (Picture("trade_off", title, privacy, precision, tuple(marks)),)


def _place(place: TradePlace) -> dict[str, float]:
    return {"privacy": place.privacy, "half_width": place.half_width, "bias": place.bias}


def _row(kind: str, name: str, place: TradePlace, words: str) -> dict[str, Any]:
    return {"kind": kind, "name": name, **_place(place), "perturbation": words}


def _privacy(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:.4f}"


def _some(listed: Sequence[Any]) -> Sequence[Any]:
    """Evenly some of a long list, with both of its ends."""
    if len(listed) <= _SHOWN:
        return listed
    last = len(listed) - 1
    return [listed[round(i * last / (_SHOWN - 1))] for i in range(_SHOWN)]
