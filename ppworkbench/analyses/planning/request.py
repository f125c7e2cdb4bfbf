"""Questions before anybody is asked: of a design, and of the answers that are expected."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from ppworkbench.analyses.arguments import check_arguments
from ppworkbench.analyses.inputs import (
    AnswerSource,
    Data,
    DesignLike,
    given_options,
    refuse_reported,
)
from ppworkbench.analyses.request import Request
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.sampling_roles import unused_remarks
from ppworkbench.core.design.design_file import as_design, write_design
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Option, Params, Part, Read, Within
from ppworkbench.core.privacy.utility.noncompliance import NonCompliance, check_share
from ppworkbench.core.progress import Progress, silent
from ppworkbench.results.result import Result
from ppworkbench.results.text import TRUE, Naming, naming

if TYPE_CHECKING:
    from ppworkbench.core.data.attribute import Attribute
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.design.perturbation import Perturbation
    from ppworkbench.core.privacy.prior import Prior


@dataclass(frozen=True)
class Pilot:
    """The distributions of true answers, how many rows these have, and what a result says of them.

    Without answers there are no distributions, and a result has no state.
    """

    priors: dict[str, Prior] = field(default_factory=dict)
    rows: int = 0
    remarks: tuple[str, ...] = ()
    state: str = ""


class DesignSource:
    """A design, and true answers that tell which others to expect."""

    @check_arguments
    def __init__(
        self,
        design: DesignLike,
        *,
        data: Data | None = None,
        reading: ReadOptions | Mapping[str, Any] | None = None,
        progress: Progress = silent,
    ) -> None:
        self.design = as_design(design)
        self.progress = progress
        self._data, self._reading = data, given_options(ReadOptions, reading)

    def pilot(self, progress: Progress = silent) -> Pilot:
        """The true answers; their sampling is not used."""
        return read_pilot(self.design, self._data, self._reading, progress)


def read_pilot(
    design: Design,
    data: Data | None,
    reading: ReadOptions | Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> Pilot:
    """The true answers of a pilot; their sampling is not used."""
    from ppworkbench.core.design.release import giveaway_notes
    from ppworkbench.core.privacy.assess import priors_of

    if data is None:
        return Pilot()
    source = AnswerSource(data, given_options(ReadOptions, reading))
    refuse_reported(source.path)
    # Answers of a pilot need not know of arms and lists.
    made = set(design.drawn_columns)
    schema = [one for one in design.original_schema if one.name not in made]
    table = source.whole(schema, progress)
    priors = priors_of(table.select(one for one in table.names if one not in made), design)
    remarks = unused_remarks(design.sampling)
    return Pilot(priors, table.rows, (*remarks, *giveaway_notes(table, design)), TRUE)


def drawn_priors(
    design: Design, expected: Mapping[str, Sequence[float] | str] | None
) -> dict[str, Prior]:
    from ppworkbench.core.privacy.prior import Prior, drawn_prior

    priors = {}
    for name, weights in (expected or {}).items():
        attribute = design.question(name).attribute
        if isinstance(weights, str):
            if weights != "uniform":
                raise ParameterError(
                    f"expected of {name!r} must be weights or 'uniform', not {weights!r}.",
                    field="expected",
                )
            found = Prior.uniform(attribute)
        else:
            found = drawn_prior(attribute, tuple(float(one) for one in weights))
        priors[attribute.name] = found
    return priors


def expected_priors(
    design: Design,
    pilot: Mapping[str, Prior],
    share: Mapping[str, float] | None,
    expected: Mapping[str, Sequence[float] | str] | None,
) -> dict[str, Prior]:
    """Which answers are expected: those of a pilot, weights by attribute, and sensitive shares."""
    from ppworkbench.core.planning.power import expected_prior
    from ppworkbench.core.planning.questionnaire import planned_names

    priors = {**pilot, **drawn_priors(design, expected)}
    for name, number in (share or {}).items():
        for one in map(design.question, (name,) if name else planned_names(design)):
            if name or one.attribute.kind.is_categorical:
                priors[one.name] = expected_prior(one.attribute, number, priors.get(one.name))
    return priors


def checked_noncompliance(ignoring: NonCompliance | None, design: Design) -> NonCompliance | None:
    """Refuse a share that leaves nobody who follows, and safe answers of what is not asked."""
    if ignoring is not None:
        check_share(ignoring.share)
        for name, _ in ignoring.own_safe:
            design.question(name)
    return ignoring


def device_of(given: object, attribute: Attribute) -> Perturbation:
    """A device of a question as a design file writes it, ``{"type": "uniform", "keep": 0.8}``."""
    from ppworkbench.core.design.design import DesignedAttribute
    from ppworkbench.core.design.perturbation import Perturbation, read_perturbation

    if isinstance(given, Perturbation):
        device = given
    elif not isinstance(given, Mapping):
        raise ParameterError(
            f"A device of {attribute.name!r} must be written as in a design file, as in "
            f"{{'type': 'uniform', 'keep': 0.8}}, not {given!r}.",
            field="compare",
        )
    else:
        device = read_perturbation(given, attribute.name)
    return DesignedAttribute(attribute, device).perturbation


def _by_name(given: Any, read: Callable[[Any], Any]) -> dict[str, Any]:
    """Values by name, as a mapping or as the words of a command: ``VALUE`` or ``NAME=VALUE``."""
    if isinstance(given, Mapping):
        return {str(name): read(value) for name, value in given.items()}
    if isinstance(given, list | tuple) and all(isinstance(one, str) for one in given):
        words = (one.rpartition("=") for one in given)
        return {name: read(value) for name, _, value in words}
    return {ALL: read(given)}


def _read_limit(given: Any) -> float | None:
    try:
        return None if given in (None, "none") else _read_number(given)
    except ValueError:
        raise ValueError(Message("it must be a number, NAME=number or NAME=none")) from None


def read_limits(given: Any) -> dict[str, float | None]:
    """Like :func:`read_numbers`; None where a limit does not count."""
    return _by_name(given, _read_limit)


def _read_number(given: Any) -> float:
    try:
        if isinstance(given, bool) or not isinstance(given, Real | str):
            raise ValueError
        return float(given)
    except ValueError:
        raise ValueError(Message("it must be a number or NAME=number")) from None


def read_numbers(given: Any) -> dict[str, float]:
    """A number for all questions, or numbers by question."""
    return _by_name(given, _read_number)


def write_numbers(given: Mapping[str, Any]) -> Any:
    """A number where it is for all questions, else numbers by question."""
    return given[ALL] if given.keys() == {ALL} else dict(given)


def _read_weights(given: Any) -> Any:
    words = given.split(",") if isinstance(given, str) and given != "uniform" else given
    try:
        return words if isinstance(words, str) else [float(one) for one in words]
    except (TypeError, ValueError):
        raise ValueError(
            Message("it must be weights or 'uniform' by name, as in NAME=number,number")
        ) from None


def _read_expected(given: Any) -> dict[str, Any]:
    found = _by_name(given, _read_weights)
    if ALL in found:
        _read_weights(None)
    return found


def read_path(given: Any) -> str:
    """The path of a file; what a command has checked stays what it is."""
    if not isinstance(given, str | os.PathLike):
        raise TypeError(Message("it must be a path"))
    return os.fspath(given)


ALL = ""
"""The key of numbers by question for all that they do not name."""
Expected = Annotated[
    Mapping[str, Any] | None,
    Read(_read_expected, dict, annotation="Mapping[str, Sequence[float] | str]"),
    Option(metavar="NAME=X,...", is_repeated=True),
    Info(
        "Expected",
        "expected answers: a weight per value, or per equal part of a number's domain; "
        "or NAME=uniform",
    ),
]
Share = Annotated[
    Mapping[str, float] | None,
    Read(read_numbers, write_numbers, annotation="float | Mapping[str, float]"),
    Option(metavar="[NAME=]X", is_repeated=True),
    Info("Share", "expected share of the sensitive answer, e.g. 0.2 or drug=0.2"),
]
Ignoring = Annotated[
    NonCompliance | None,
    Part("people who do not follow the instructions", keys=("share",)),
    Info("Non-compliance", "how many do not follow the instructions, and what they do instead"),
]
People = Annotated[
    int | None,
    Within(1),
    Option(metavar="N"),
    Info("n", "number of respondents (default: rows of the data, else 1,000)"),
]
Out = Annotated[
    str | None,
    Read(read_path, annotation="StudyPath"),
    Option(metavar="FILE", is_output=True),
    Info("File", "file for the design that was found"),
]


@dataclass(frozen=True)
class Costs(Params):
    """What interviews cost."""

    direct: Annotated[
        float,
        Within(0, open_low=True),
        Option("cost-direct"),
        Info("Cost of a direct interview", "cost of a direct interview"),
    ] = 1.0
    randomised: Annotated[
        float,
        Within(0, open_low=True),
        Option("cost-randomised"),
        Info("Cost of a randomised interview", "cost of a randomised interview"),
    ] = 1.0


@dataclass(frozen=True, kw_only=True)
class PlanningRequest(Request):
    """A question about a design, before anybody is asked."""

    asked_of: ClassVar[tuple[str, ...]] = ("design",)

    @abstractmethod
    def run(self, source: DesignSource, progress: Progress = silent) -> PlanningResult:
        """Ask it."""

    def write(self, design: Design) -> str:
        """Write the design that was found where that is wanted; return the path."""
        out: str | None = getattr(self, "out", None)
        if out is not None:
            write_design(design, out)
        return out or ""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PlanningResult(Result):
    """What was found about a design; ``design`` is the one that was found, if one was looked for.

    Parameters
    ----------
    file
        Where the design was written.
    """

    design: Design
    file: str = ""
    remarks: tuple[str, ...] = ()
    state: str = ""

    @property
    def shown(self) -> Naming:
        return naming(one.attribute for one in self.design)

    def readings(self) -> tuple[str, ...]:
        return (Message("Wrote {file}.", file=self.file),) if self.file else ()

    @abstractmethod
    def numbers(self) -> Mapping[str, Any]:
        """The document without what all of them have."""

    def _document(self) -> Mapping[str, Any]:
        document = dict(self.numbers())
        if self.file:
            document["file"] = self.file
        if self.remarks:
            document["remarks"] = [*document.get("remarks", ()), *self.remarks]
        return document
