"""What a demonstration is: frozen, and without anything of the window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.outputs.demonstrations.calculations import Calculation
from ppworkbench.outputs.demonstrations.catalogue import DemonstrationInfo

PAGES = ("data", "design", "explore", "survey", "mine", "classify", "publish")
Value = bool | int | float | str


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True)
class SampleData:
    """A built-in data set with its sizes; ``seed`` None is the sample's own."""

    sample: str
    sizes: Mapping[str, Any] = field(default_factory=_nothing)
    seed: int | None = None


@dataclass(frozen=True)
class MixtureComponent:
    """A part of the people whose number lies about a mean."""

    share: float
    mean: float
    sd: float


@dataclass(frozen=True)
class OwnAttribute:
    """An attribute of a table that the file describes: counts of values, or humps of numbers.

    ``counts_by`` has other counts for the people with each value of the attribute ``by``.
    """

    attribute: Attribute
    counts: tuple[float, ...] = ()
    humps: tuple[MixtureComponent, ...] = ()
    by: str = ""
    counts_by: tuple[tuple[str, tuple[float, ...]], ...] = ()


@dataclass(frozen=True)
class OwnData:
    """A table that the file describes; attributes have nothing to do with each other.

    ``reported`` answers are what respondents said with their devices, not the truth.
    """

    people: int
    attributes: tuple[OwnAttribute, ...]
    seed: int = 1
    reported: bool = False


DataSource = SampleData | OwnData


@dataclass(frozen=True)
class Setup:
    """What is set up: data, page, attribute, design, its budget, expected answers, settings and
    controls.

    Empty fields leave things as they are. ``controls`` are widgets of the page by object name;
    ``action`` is an action or a button that is pressed once everything else is there.
    """

    data: DataSource | None = None
    page: str = ""
    attribute: str = ""
    design: Mapping[str, Perturbation] = field(default_factory=_nothing)
    budget: DesignBudget | None = None
    expected: Mapping[str, tuple[float, ...]] = field(default_factory=_nothing)
    settings: Mapping[str, Any] = field(default_factory=_nothing)
    controls: Mapping[str, Value] = field(default_factory=_nothing)
    action: str = ""


@dataclass(frozen=True)
class Look:
    """Where to look: a widget by object name, and a spot of it in shares of its size."""

    at: str
    text: str
    x: float = 0.5
    y: float = 0.0


@dataclass(frozen=True)
class Try:
    """Something to try: a button that sets up some more."""

    label: str
    setup: Setup


@dataclass(frozen=True)
class Figure:
    """A number that is worked out while people look, beside the published one where there is one.

    ``label`` may be empty: then the number only stands in the text, as ``{name}``.
    """

    name: str
    calculation: Calculation
    label: str = ""
    published: float | None = None
    source: str = ""
    digits: int = 3
    unit: str = ""


@dataclass(frozen=True)
class Step:
    """One idea."""

    title: str
    text: str
    setup: Setup
    looks: tuple[Look, ...] = ()
    tries: tuple[Try, ...] = ()
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True)
class Demonstration(DemonstrationInfo):
    steps: tuple[Step, ...]
    sources: tuple[str, ...] = ()
