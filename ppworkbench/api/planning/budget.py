"""What all answers of one person disclose together, and a total shared out among them."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ppworkbench.analyses.arguments import check_arguments
from ppworkbench.analyses.inputs import Data, DesignLike
from ppworkbench.api import RESPONDENTS
from ppworkbench.api.privacy import drawn_priors, read_pilot
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.results.picture import Axis, Picture, lengths
from ppworkbench.results.result import Result
from ppworkbench.results.text import Naming, aligned, cut, harmless, naming, note_lines

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.core.data.options import ReadOptions
    from ppworkbench.core.design import Design
    from ppworkbench.core.planning.budget import Budget, ExpectedShare, QuestionBudget

_VALUES_WIDTH = 30


@check_arguments
def budget(  # noqa: PLR0913 (keywords with defaults)
    design: DesignLike,
    *,
    total: float | None = None,
    belief: float | None = None,
    rule: str | None = None,
    of: str | None = None,
    weights: Mapping[str, float] | None = None,
    locked: Sequence[str] | None = None,
    ask: int | None = None,
    together: Sequence[Sequence[str]] = (),
    leave_open: bool = False,
    expected: Mapping[str, Sequence[float] | str] | None = None,
    n: int | None = None,
    delta: float | None = None,
    out: str | os.PathLike[str] | None = None,
    data: Data | None = None,
    reading: ReadOptions | Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> BudgetResult:
    """Tell the epsilon of all answers of one person, or share out a total.

    Parameters
    ----------
    design
        The design, its JSON values or the path of its file.
    total
        The epsilon to share out; that of the design if it has one and something else is given.
    belief
        Share out the total with which belief in no sensitive answer rises above this, between 0
        and 1.
    rule, of
        How the total is shared out (``sum``, ``max``, ``equal``, ``weights``), and what is made
        small (``width``, ``variance``); as in the design, else the first.
    weights, locked
        Weights of questions (1 where nothing is said), and questions that keep their epsilon.
    ask, together
        How many questions each person is asked, and questions that a person gets all or none of.
    leave_open
        Whether questions that are not randomised stay outside of a total that is shared out;
        nothing bounds what they disclose, and without this they are refused.
    expected
        As for :func:`privacy`.
    n, delta
        Respondents and delta of the bound for shuffled reports.
    out
        A file for the design with this budget.
    data, reading, progress
        True answers of a pilot, and how they are read: as for :func:`privacy`.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> asked = {
    ...     "kind": "binary", "values": ["no", "yes"],
    ...     "perturbation": {"type": "uniform", "keep": 0.75},
    ... }
    >>> design = {
    ...     "format": "ppworkbench-design", "version": 1,
    ...     "attributes": {"smokes": asked, "votes": asked},
    ... }
    >>> round(pp.budget(design).epsilon, 4)
    2.1972
    >>> shared = pp.budget(design, total=1.0)
    >>> [round(one, 6) for one in shared.to_frame()["epsilon"]]
    [0.5, 0.5]
    """
    from ppworkbench.analyses.budget import open_questions, put_back
    from ppworkbench.core.design.design_file import write_design
    from ppworkbench.core.design.release import epsilon_conditions
    from ppworkbench.core.planning.budget import (
        DELTA,
        budget_of,
        share_design,
        sharing_remarks,
        total_for_belief,
    )
    from ppworkbench.core.planning.sharing import BudgetSettings
    from ppworkbench.study.release import without_attributes

    chosen = as_design(design)
    planned = chosen.budget or DesignBudget()
    asks = ask is not None or bool(together)
    is_given = total is not None or belief is not None
    total = planned.total if total is None else total
    changes = rule or of or weights or locked or out is not None
    shares = is_given or (total is not None and changes)
    if changes and not shares and not asks:
        raise ParameterError("Give what to share out: a total or a belief.", field="total")
    pilot = read_pilot(chosen, data, reading, progress)
    priors = pilot.priors | drawn_priors(chosen, expected)
    remarks: tuple[str, ...] = ()
    if asks:
        for name in (name for names in together for name in names):
            chosen[name]  # Refuses a name that is no attribute.
        planned = dataclasses.replace(planned, ask=ask or planned.ask)
        planned = planned.keeping([list(names) for names in together])
        chosen = dataclasses.replace(chosen, budget=planned)
        planned.check_ask(chosen.parts)
    if belief is not None:
        total = total_for_belief(chosen, priors, belief)
    if total is not None and (shares or asks):
        wanted = BudgetSettings(total, rule or planned.rule, of or planned.of)
        outside = open_questions(chosen) if leave_open else ()
        asked = without_attributes(chosen, outside) if outside else chosen
        shared = share_design(
            asked, wanted, priors, dict(planned.weights) | dict(weights or {}), locked or None
        )
        remarks = sharing_remarks(asked, shared, total)
        chosen = put_back(chosen, shared)
    if out is not None:
        write_design(chosen, os.fspath(out))
    people = n or pilot.rows or RESPONDENTS
    found = budget_of(chosen, priors, people, DELTA if delta is None else delta)
    return BudgetResult(
        found, chosen, people, "" if out is None else os.fspath(out),
        (*remarks, *epsilon_conditions(chosen), *pilot.remarks), pilot.state,
    )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class BudgetResult(Result):
    """What each question spends; ``design`` is the one with the shared total if there is one."""

    found: Budget
    design: Design
    n: int
    file: str = ""
    remarks: tuple[str, ...] = ()
    state: str = ""

    @property
    def epsilon(self) -> float:
        """What all answers of one person disclose together."""
        return self.found.total

    @property
    def _shown(self) -> Naming:
        return naming(designed.attribute for designed in self.design)

    def _document(self) -> Mapping[str, Any]:
        document = self.found.to_json()
        if self.file:
            document["file"] = self.file
        if self.remarks:
            document["remarks"] = [*document.get("remarks", ()), *self.remarks]
        return document

    def summary(self) -> str:
        """The budget for people, as the command line prints it."""
        parts = [_text(self.found, self._shown, self.n)]
        if self.file:
            parts.append(f"Wrote {harmless(self.file)}.")
        return "\n\n".join([*parts, *note_lines(self.remarks)])

    def to_frame(self) -> pd.DataFrame:
        """One row per question."""
        import pandas as pd

        return pd.DataFrame(
            {
                "attribute": one.name, "epsilon": one.epsilon, "share": one.share,
                "standard_error": one.error, "expected_share": one.expected.share,
                "expected_mean": one.expected.mean, "expected_origin": one.expected.origin,
            }
            for one in self.found.questions
        )  # fmt: skip

    def pictures(self) -> tuple[Picture, ...]:
        """The epsilon of each question."""
        labels = [harmless(self._shown(one.name)) for one in self.found.questions]
        axis, values = Axis(Message("epsilon")), [one.epsilon for one in self.found.questions]
        return (lengths("budget", Message("Epsilon of the questions"), axis, labels, values),)


def _text(found: Budget, shown: Naming, n: int) -> str:
    heads = ["question", "epsilon", "share of the total", "standard error", "expected"]
    rows = [
        [
            harmless(shown(one.name)),
            _number(one.epsilon),
            _share(one.share),
            _number(one.error),
            _expected(one.expected),
        ]
        for one in found.questions
    ]
    lines = []
    if found.undistorted:
        names = ", ".join(harmless(shown(name)) for name in found.undistorted)
        lines.append(f"Not randomised, and so without any bound: {names}.")
    lines += [aligned(heads, rows, right=heads[1:-1]), _basis(found.questions)]
    lines.append(str(found.sentence))
    lines += [harmless(str(remark)) for remark in found.remarks]
    if found.composed is not None:
        lines.append(
            f"But for a probability of {found.shuffled.delta:g} all answers together disclose no "
            f"more than epsilon {found.composed:.4g}: an aside, the sum above is the promise."
        )
    if found.shuffled.reason is None:
        lines.append(
            f"Shuffled with those of {n:,} people: epsilon {found.shuffled.epsilon:.4g} but for a "
            f"probability of {found.shuffled.delta:g}; by an exact count of clones "
            f"{found.shuffled.by_clones or 0.0:.4g}. This holds only if the rows are shuffled."
        )
    else:
        lines.append(f"Shuffling promises no more. {found.shuffled.reason}")
    return "\n\n".join(lines)


def _expected(expected: ExpectedShare) -> str:
    """The expected share or mean that a standard error rests on."""
    if expected.share is None:
        return f"mean {expected.mean:.4g}"
    values = ", ".join(harmless(value) for value in expected.values)
    return f"{100 * expected.share:.3g} % {cut(values, _VALUES_WIDTH)}"


def _basis(questions: Sequence[QuestionBudget]) -> str:
    """What the standard errors rest on; even answers where nobody expects anything."""
    told = "A standard error is that of the expected share, or of the mean of a number"
    if all(one.expected.origin != "uniform" for one in questions):
        return f"{told}."
    return (
        f"{told}; where nothing is expected, all answers are taken as equally likely ("
        "--expected, or true answers of a pilot, say otherwise)."
    )


def _share(share: float | None) -> str:
    if share is None:
        return "in a group"
    return "–" if math.isnan(share) else f"{100 * share:.3g} %"


def _number(number: float) -> str:
    return "∞" if number == math.inf else f"{number:.4g}"
