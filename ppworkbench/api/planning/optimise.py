"""The transition matrix that loses least at a level of privacy."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ppworkbench.analyses.arguments import check_arguments
from ppworkbench.analyses.inputs import Data, DesignLike
from ppworkbench.api import POINTS, RESPONDENTS
from ppworkbench.api.privacy import read_pilot
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape
from ppworkbench.results.result import Result
from ppworkbench.results.text import aligned, harmless, note_lines

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.core.data.options import ReadOptions
    from ppworkbench.core.design import Design
    from ppworkbench.core.privacy.optimiser import Frontier, FrontierPoint


@check_arguments
def optimise(  # noqa: PLR0913 (keywords with defaults)
    design: DesignLike,
    attribute: str,
    *,
    privacy: str = "attack_success",
    family: str = "symmetric",
    points: int = POINTS,
    target: float | None = None,
    target_loss: float | None = None,
    n: int | None = None,
    out: str | os.PathLike[str] | None = None,
    data: Data | None = None,
    reading: ReadOptions | Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> OptimiseResult:
    """Find the matrices with the smallest expected loss at each level of privacy, or one of them.

    Parameters
    ----------
    design, attribute
        The design, its JSON values or the path of its file, and the attribute to improve.
    privacy
        ``attack_success``, ``belief``, ``worst_posterior``, ``epsilon`` or ``conditional``.
    family
        The matrices to search: ``symmetric``, ``ordinal``, ``any`` or ``uniform``.
    points
        How many levels of privacy the frontier has.
    target, target_loss
        Find the one matrix with the smallest loss at this privacy, or with the most privacy at
        this loss, in place of the whole frontier.
    n
        The number of respondents; the rows of the data, else 1,000.
    out
        A file for the design with the matrix of the target.
    data, reading, progress
        True answers of a pilot, and how they are read: as for :func:`privacy`.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> design = {
    ...     "format": "ppworkbench-design", "version": 1,
    ...     "attributes": {"smokes": {
    ...         "kind": "binary", "values": ["no", "yes"],
    ...         "perturbation": {"type": "uniform", "keep": 0.9}}},
    ... }
    >>> found = pp.optimise(design, "smokes", target=0.7)
    >>> round(found.design["smokes"].perturbation.keep, 6)
    0.7
    """
    from ppworkbench.core.design.design_file import write_design
    from ppworkbench.core.privacy.optimiser import Frontier, frontier, optimal
    from ppworkbench.core.privacy.utility.goal_seek import Target

    if target is not None and target_loss is not None:
        raise ParameterError("Give target or target_loss, not both.", field="target")
    wanted = None if target is None else Target(privacy, target)
    if target_loss is not None:
        wanted = Target("information_loss", target_loss)
    if out is not None and wanted is None:
        raise ParameterError("out needs target or target_loss.", field="out")
    chosen = as_design(design)
    chosen.refuse_arms()
    asked = chosen[attribute].attribute
    pilot = read_pilot(chosen, data, reading, progress)
    prior, people = pilot.priors.get(attribute), n or pilot.rows or RESPONDENTS
    if wanted is None:
        curve = frontier(asked, prior, people, privacy, family, points, progress)
        return OptimiseResult(curve, chosen, remarks=pilot.remarks, state=pilot.state)
    point = optimal(asked, prior, people, wanted, privacy, family, progress)
    best = chosen.with_perturbation(attribute, point.perturbation)
    if out is not None:
        write_design(best, os.fspath(out))
    return OptimiseResult(
        Frontier(asked, privacy, family, people, (point,)), best, is_one=True,
        file="" if out is None else os.fspath(out), remarks=pilot.remarks,
        state=pilot.state,
    )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class OptimiseResult(Result):
    """A frontier, or its one point for a target; then ``design`` has the matrix of the point."""

    found: Frontier
    design: Design
    is_one: bool = False
    file: str = ""
    remarks: tuple[str, ...] = ()
    state: str = ""

    def _document(self) -> Mapping[str, Any]:
        from ppworkbench.core.privacy.optimiser.frontier import point_to_json

        found = self.found
        document = found.to_json()
        if self.is_one:
            document = {
                "attribute": found.attribute.name, "family": found.family, "n": found.n,
                "measure": found.privacy, **point_to_json(found.points[0]),
            }  # fmt: skip
        if self.file:
            document["file"] = self.file
        return document | {"remarks": list(self.remarks)} if self.remarks else document

    def summary(self) -> str:
        """The frontier or its point for people, as the command line prints it."""
        said = _point_text(self.found, self.file) if self.is_one else _frontier_text(self.found)
        return "\n\n".join([said, *note_lines(self.remarks)])

    def to_frame(self) -> pd.DataFrame:
        """One row per point."""
        import pandas as pd

        return pd.DataFrame(
            {
                "attribute": self.found.attribute.name, "measure": self.found.privacy,
                "privacy": one.privacy, "information_loss": one.information_loss,
                "uniform_information_loss": one.uniform_loss,
                "perturbation": str(one.perturbation.summary()),
            }
            for one in self.found.points
        )  # fmt: skip

    def pictures(self) -> tuple[Picture, ...]:
        """The loss at each level of privacy, beside that of uniform matrices."""
        import numpy as np

        points, family = self.found.points, Message("{title}", title=self.found.family)
        privacy, uniform, least = np.array(
            [[one.privacy, one.uniform_loss, one.information_loss] for one in points], np.float64
        ).T
        marks = (
            Mark(Shape.LINE, Role.REFERENCE, Message("uniform"), privacy, uniform),
            Mark(Shape.LINE, Role.ESTIMATE, family, privacy, least),
        )
        x = Axis(Message("{title}", title=self.found.privacy.replace("_", " ")))
        y = Axis(Message("expected information loss"))
        return (Picture("frontier", Message("Least information loss"), x, y, marks),)


def _frontier_text(found: Frontier) -> str:
    heads = [_spoken(found), "information loss", "uniform loss", "perturbation"]
    table = aligned(heads, [_row(point) for point in found.points], right=heads[:3])
    return (
        f"{harmless(found.attribute.heading)}: smallest expected information loss of "
        f"{found.family} matrices with {found.n:,} respondents\n{table}"
    )


def _row(point: FrontierPoint) -> list[object]:
    numbers = (point.privacy, point.information_loss, point.uniform_loss)
    return [*(f"{number:.4f}" for number in numbers), point.perturbation.summary()]


def _point_text(found: Frontier, file: str) -> str:
    [point] = found.points
    reached = (
        f"{_spoken(found)} {point.privacy:.4f}, expected information loss "
        f"{point.information_loss:.4f} with {found.n:,} respondents "
        f"(uniform matrix: {point.uniform_loss:.4f})."
    )
    lines = [f"{harmless(found.attribute.heading)}: {point.perturbation.summary()}", reached]
    if file:
        lines.append(f"Wrote {harmless(file)}.")
    return "\n".join(lines)


def _spoken(found: Frontier) -> str:
    return found.privacy.replace("_", " ")
