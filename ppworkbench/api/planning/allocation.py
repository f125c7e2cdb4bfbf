"""The best shares of the arms of a design, before anybody is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ppworkbench.analyses.arguments import check_arguments
from ppworkbench.analyses.inputs import Data, DesignLike
from ppworkbench.api import RESPONDENTS
from ppworkbench.api.planning.plan import expected_priors
from ppworkbench.api.privacy import noncompliance_of, read_pilot
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.progress import Progress, silent
from ppworkbench.results.result import Result
from ppworkbench.results.text import aligned, harmless, naming, note_lines

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.core.data.options import ReadOptions
    from ppworkbench.core.design import Design
    from ppworkbench.core.planning.allocation import Allocation
    from ppworkbench.core.privacy.utility.noncompliance import NonCompliance


@check_arguments
def allocate(  # noqa: PLR0913 (keywords with defaults)
    design: DesignLike,
    attribute: str | None = None,
    *,
    serves: str = "prevalence",
    n: int | None = None,
    noncompliance: NonCompliance | Mapping[str, Any] | float | None = None,
    between: tuple[str, str] | None = None,
    costs: tuple[float, float] | Mapping[str, float] | None = None,
    share: float | Mapping[str, float] | None = None,
    expected: Mapping[str, Sequence[float] | str] | None = None,
    data: Data | None = None,
    reading: ReadOptions | Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> AllocationResult:
    """Find the best shares of the arms of a design.

    Parameters
    ----------
    attribute
        The question to serve; may be left out where there is one.
    serves
        ``"prevalence"`` for the sensitive share, ``"compliance"`` for non-compliance,
        ``"difference"`` for that of the sensitive shares of two arms.
    between
        The two arms of a difference.
    costs
        Of an interview that asks directly and of one that randomises, or by arm.
    n, noncompliance, share, expected, data, reading, progress
        As for :func:`plan`.

    Examples
    --------
    >>> kept = {"type": "uniform", "keep": 0.9}
    >>> design = {"format": "ppworkbench-design", "version": 2, "attributes": {"smokes": {
    ...     "kind": "binary", "values": ["no", "yes"], "sensitive": ["yes"],
    ...     "perturbation": {"type": "uniform", "keep": 0.75}}},
    ...     "arms": {"column": "arm", "members": {
    ...         "A": {"share": 0.5},
    ...         "B": {"share": 0.5, "perturbations": {"smokes": kept}}}}}
    >>> found = allocate(design, "smokes", serves="difference", between=("A", "B"), share=0.2)
    >>> found.to_frame()[["arm", "share"]].round(2).values.tolist()
    [['A', 0.64], ['B', 0.36]]
    """
    from ppworkbench.core.compliance.classes import Behaviour
    from ppworkbench.core.planning.allocation import COMPLIANCE, DIFFERENCE, PREVALENCE, Aim
    from ppworkbench.core.planning.allocation import allocate as allocate_arms
    from ppworkbench.core.privacy.utility.noncompliance import usual_safe

    known = (PREVALENCE, COMPLIANCE, DIFFERENCE)
    if serves not in known:
        raise ParameterError(
            f"serves must be one of {', '.join(known)}, not {serves!r}.", field="serves"
        )
    if (serves == DIFFERENCE) is (between is None):
        raise ParameterError("A difference, and nothing else, has two arms.", field="between")
    chosen = as_design(design)
    pilot = read_pilot(chosen, data, reading, progress)
    priors = expected_priors(chosen, pilot.priors, share, expected)
    names = [one for one in chosen.names if one not in chosen.versions.columns]
    if attribute is None and len(names) != 1:
        raise ParameterError("Name the attribute to allocate for.", field="attribute")
    name = names[0] if attribute is None else attribute
    asked, shown = chosen[name].attribute, naming(one.attribute for one in chosen)
    behaviour, ignoring = None, 0.0
    if serves == COMPLIANCE and noncompliance is None:
        noncompliance = 0.0
    ignored = noncompliance_of(noncompliance)
    if ignored is not None:
        ignoring = ignored.share
        if ignored.behaviour == "truth":
            raise ParameterError("An allocation needs behaviour safe or random.", field="behaviour")
        safe = ignored.safe_of(asked) or usual_safe(asked)
        if asked.kind.is_categorical and safe not in asked.values:
            raise ParameterError(f"{safe!r} is no value of {shown(name)!r}.", field="safe")
        is_random = ignored.behaviour == "random" or not asked.kind.is_categorical
        behaviour = Behaviour(None if is_random else asked.values.index(safe))
    people = n or RESPONDENTS
    aim = Aim(serves, behaviour, ignoring, between or ("", ""))
    paid = _paid(chosen, name, costs)
    found = allocate_arms(chosen, name, priors.get(name), aim, people, paid)
    return AllocationResult(
        chosen, name, serves, people, found, pilot.remarks, state=pilot.state
    )  # fmt: skip


def _paid(
    design: Design, name: str, costs: tuple[float, float] | Mapping[str, float] | None
) -> Mapping[str, float] | None:
    """What an interview costs in every arm that asks a question."""
    versions = design.versions
    if isinstance(costs, Mapping):
        for arm in costs:
            if arm not in versions.choices:
                raise ParameterError(f"costs: the design has no arm {arm!r}.", field="costs")
        return costs
    if costs is None:
        return None
    devices = versions.devices(name, design[name].perturbation)
    return {arm: costs[0] if one.is_identity else costs[1] for arm, one in devices.items()}


@dataclass(frozen=True, eq=False, repr=False)
class AllocationResult(Result):
    """The best shares of arms, and the standard error with them."""

    design: Design
    attribute: str
    serves: str
    n: int
    found: Allocation
    remarks: tuple[str, ...] = ()
    state: str = ""

    def _document(self) -> Mapping[str, Any]:
        document: dict[str, Any] = {
            "attribute": self.attribute,
            "serves": self.serves,
            "n": self.n,
            "allocation": dict(self.found.shares),
            "standard_error": self.found.standard_error,
            "standard_error_before": self.found.before,
        }
        return document | {"remarks": list(self.remarks)} if self.remarks else document

    def summary(self) -> str:
        """The shares for people, as the command line prints them."""
        found, shown = self.found, naming(one.attribute for one in self.design)
        rows = [[arm, f"{100 * share:.1f} %"] for arm, share in found.shares.items()]
        error = f"{found.standard_error:.6f} with {self.n:,} respondents"
        told = [
            f"{harmless(shown(self.attribute))}: best shares of the arms for {self.serves}",
            aligned(["arm", "share"], rows, right=["share"]),
            f"Standard error {error}, {found.before:.6f} with the shares of the design.",
        ]
        if found.only is not None:
            told.append(harmless(f"The whole sample belongs in the arm {found.only!r}."))
        return "\n\n".join(["\n".join(told), *note_lines(self.remarks)])

    def to_frame(self) -> pd.DataFrame:
        """One row per arm."""
        import pandas as pd

        rows = [{"arm": arm, "share": share} for arm, share in self.found.shares.items()]
        return pd.DataFrame(rows)
