"""The document of the workbench: data, design and settings, never changed in place.

There are two kinds of studies. One has the original answers (teaching, or a release to be made);
the other has only distorted answers with their design, as an analyst receives them. A study may
also have no answers yet: then people draw what they expect.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

from ppworkbench.core.data.attribute import MISSING_VALUE, PUBLIC, Attribute, Kind, titles_of
from ppworkbench.core.data.sampling_roles import (
    LEAST_ROWS,
    MOST_LEAST_ROWS,
    Sampling,
    role_columns,
    without_roles,
)
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Identity, Perturbation
from ppworkbench.core.design.starting import (
    dissolve,
    fitting_arms,
    follow,
    has_sensitive,
    starting_attributes,
    starting_design,
    starting_perturbation,
)
from ppworkbench.core.errors import DesignError, ParameterError, WorkbenchError
from ppworkbench.core.message import Message, titled
from ppworkbench.core.params import Annotated, Info, Params, Within
from ppworkbench.study.answer_state import KEPT, AnswerState, noted
from ppworkbench.study.description import SurveyDescription
from ppworkbench.study.parts.study_parts import StudyParts, WholeTable
from ppworkbench.study.plan_choices import PlanChoices

if TYPE_CHECKING:
    from ppworkbench.core.privacy.prior import Prior
    from ppworkbench.study.questionnaire.document import Questionnaire

Say = Callable[[str], str]
"""Says what the program wrote in the language of a reader."""


@dataclass(frozen=True)
class StudySettings(Params):
    """How many people will answer, where random draws start, and how releases are coarsened.

    The seed belongs to the study, for teaching and experiments; it never goes into a design.
    """

    respondents: Annotated[
        int, Within(1, 100_000_000), Info("Respondents", "Number of respondents")
    ] = 1_000
    seed: Annotated[int, Within(0, 2**63 - 1), Info("Seed", "Random seed of this study")] = 2024
    noncompliance: Annotated[
        float,
        Within(0, 0.9),
        Info("Non-compliance", "Share of respondents not following the instructions"),
    ] = 0.0
    noncompliance_manner: Annotated[
        str, Info("Behaviour", "Answers of those who do not comply")
    ] = "truth"
    least_rows: Annotated[
        int,
        Within(2, MOST_LEAST_ROWS),
        Info("Minimum group size", "Rows that share a coarsened weight or stratum in a release"),
    ] = LEAST_ROWS
    noncompliance_corrected: Annotated[
        bool, Info("Corrected", "Whether estimates are corrected for non-compliance")
    ] = False
    safe_answers: Annotated[
        tuple[tuple[str, ...], ...],
        Info("Safe answers", "Answers of those who do not comply: pairs of attribute and answer"),
    ] = ()

    def safe_answer(self, name: str) -> str | None:
        """The safe answer that was chosen for an attribute; None for the usual one."""
        return next((pair[1] for pair in self.safe_answers if pair[0] == name), None)

    def with_safe_answer(self, name: str, answer: str | None) -> tuple[tuple[str, ...], ...]:
        """All safe answers with another one of this attribute; None chooses the usual one."""
        others = tuple(pair for pair in self.safe_answers if pair[0] != name)
        return others if answer is None else (*others, (name, answer))

    def to_json(self) -> dict[str, Any]:
        result = super().to_json()
        del result["safe_answers"]
        if self.safe_answers:
            result["safe_answers"] = {pair[0]: pair[1] for pair in self.safe_answers}
        return result

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        safe = given.get("safe_answers", {})
        if not isinstance(safe, Mapping):
            raise ParameterError(
                "The safe answers of a study must be answers by attribute.", field="safe_answers"
            )
        return super().from_json({**given, "safe_answers": tuple(safe.items())})


PRIOR_SOURCES = ("data", "drawn", "uniform")


@dataclass(frozen=True)
class PriorChoice:
    """Where the expected distribution of one attribute comes from.

    ``weights`` are what somebody drew, one per value or per equal slice of the domain; they are
    kept while another source is chosen.
    """

    source: str = "data"
    weights: tuple[float, ...] = ()

    @property
    def is_drawn(self) -> bool:
        return self.source == "drawn" and bool(self.weights)


@dataclass(frozen=True, eq=False)
class Study:
    """One immutable state of the document; every change makes a new one.

    Parameters
    ----------
    original
        The true answers, where the study has them.
    distorted
        Distorted answers that came from outside (an analyst's study).
    choices
        Where the expected distribution of an attribute comes from, if not simply from the data.
    goals
        The privacy and precision that questions shall have, by measure; usual ones if empty.
    plan
        What the survey is planned for beside these goals.
    results
        What pages keep of their work, by the page's name: plain JSON values that nobody changes.
    questionnaire
        What people are asked, in which words and languages; None for a table that was imported.
        It follows the design and the data: names, kinds, values and marks are theirs.
    invented
        Whether the answers were made up for a rehearsal.
    parts
        The folder of parts that the table is a sample of; None for a table that is whole.
    description
        Who made the survey, whom it asked and how, for those who are given its answers.
    say
        How titles and units of the program's own samples are said in the language of the reader;
        the data keep them in English.
    """

    title: str = "Untitled"
    original: Table | None = None
    distorted: Table | None = None
    design: Design = field(default_factory=lambda: Design(()))
    settings: StudySettings = field(default_factory=StudySettings)
    choices: Mapping[str, PriorChoice] = field(default_factory=lambda: MappingProxyType({}))
    goals: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    plan: PlanChoices = field(default_factory=PlanChoices)
    results: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    questionnaire: Questionnaire | None = None
    invented: bool = False
    description: SurveyDescription = field(default_factory=SurveyDescription)
    say: Say = str
    parts: StudyParts | None = None

    def __post_init__(self) -> None:
        """Refuse devices that only the command line can use; let the questionnaire follow."""
        if self.questionnaire is not None:
            followed = self.questionnaire.following(
                self.asked_attributes(), _around_lists(self.design)
            )
            object.__setattr__(self, "questionnaire", followed)
        for designed in self.design:
            if designed.perturbation.columns or designed.perturbation.unknown:
                raise DesignError.saying(
                    "The device of {attribute!r} differs from row to row or is not known "
                    "whole, which the pages cannot show; use the command line.",
                    attribute=designed.name,
                    field="perturbation",
                )

    @classmethod
    def of_table(cls, table: Table, title: str, epsilon: float | None = None) -> Self:
        """A study of true answers; with an ``epsilon`` each of them is randomised at that one."""
        settings = StudySettings(respondents=max(table.rows, 1))
        design = starting_design(table, epsilon=epsilon)
        return cls(title, table, design=design, settings=settings)

    @classmethod
    def of_distorted(cls, table: Table, design: Design, title: str) -> Self:
        settings = StudySettings(respondents=max(table.rows, 1))
        return cls(title, distorted=table, design=design, settings=settings)

    @property
    def state(self) -> AnswerState:
        """What the answers are; the place where they were put tells reported from true ones."""
        if self.table is None:
            return AnswerState.NONE
        if self.invented:
            return AnswerState.INVENTED
        return AnswerState.REPORTED if self.original is None else AnswerState.TRUE

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to work on; a questionnaire may have no questions yet."""
        return self.table is None and not self.design.attributes and self.questionnaire is None

    def asked_attributes(self) -> tuple[Attribute, ...]:
        """What people are asked: the design's attributes, as their columns describe them.

        Arms and counts of lists are drawn or made, and weights are nobody's answer.
        """
        unasked = set(self.undistorted_columns)
        return tuple(_as_asked(d, self) for d in self.design if d.name not in unasked)

    @property
    def table(self) -> Table | None:
        """The answers that the study holds: the original ones, else the distorted ones."""
        return self.original if self.original is not None else self.distorted

    @property
    def reported_parts(self) -> StudyParts | None:
        """The parts that estimates are made from instead of the sample; None for true answers."""
        return self.parts if self.original is None else None

    @property
    def all_rows(self) -> StudyParts | WholeTable:
        """Where all rows lie: in the parts that the table is a sample of, or in the table."""
        return self.parts or WholeTable()

    @property
    def reported_rows(self) -> StudyParts | WholeTable:
        """Where the rows lie that estimates are made from."""
        return self.reported_parts or WholeTable()

    @property
    def has_parts(self) -> bool:
        return self.parts is not None

    @property
    def has_reported_parts(self) -> bool:
        return self.reported_parts is not None

    @property
    def rows(self) -> int:
        """The number of records, 0 without data."""
        return 0 if self.table is None else self.table.rows

    @cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        """All attributes: those of the data with their labels, else those of the design.

        Original answers that lack the arm, or the count of a list, get it when distorted.
        """
        if self.original is not None:
            drawn = (one.attribute for one in self.design if one.name not in self.original)
            return (*map(self._worded, self.original.attributes), *drawn)
        told = {} if self.distorted is None else {c.name: c.attribute for c in self.distorted}
        return tuple(self._worded(worded_as(d.attribute, told.get(d.name))) for d in self.design)

    def _worded(self, attribute: Attribute) -> Attribute:
        """An attribute with the wording of its question, where the data come without any.

        Answers of a collector or a platform have no words with them.
        """
        wording = "" if attribute.label else self._wordings.get(attribute.name, "")
        return attribute.with_(label=wording) if wording not in ("", attribute.shown) else attribute

    @cached_property
    def _wordings(self) -> Mapping[str, str]:
        asked = self.questionnaire
        return {} if asked is None else asked.page_texts(asked.language).questions

    @cached_property
    def _by_name(self) -> dict[str, Attribute]:
        return {attribute.name: attribute for attribute in self.attributes}

    def attribute(self, name: str) -> Attribute:
        found = self._by_name.get(name)
        if found is None:
            raise DesignError.saying("The study has no attribute {attribute!r}.", attribute=name)
        return found

    def label(self, name: str) -> str:
        """What people call the attribute: its question if there is one, else its name."""
        return self.attribute(name).label or name

    def shown(self, name: str) -> str:
        """What people read of the attribute in lists and on axes: a few words, else its name."""
        return _own_words(self.say, self._titles.get(name, name))

    def titled(self, sentence: str) -> str:
        """What the core says, with what people call the attributes instead of their columns."""
        return titled(sentence, self.shown)

    def unit(self, name: str) -> str:
        """What the numbers of the attribute count; empty where they count nothing."""
        found = self._by_name.get(name)
        if found is None or found.kind.is_categorical:
            return ""
        return _own_words(self.say, found.unit)

    @cached_property
    def _titles(self) -> dict[str, str]:
        return titles_of(self.attributes)

    def choice(self, name: str) -> PriorChoice:
        chosen = self.choices.get(name, PriorChoice())
        if chosen.source == "data" and self.data_prior(name) is None:
            return dataclasses.replace(chosen, source="drawn" if chosen.weights else "uniform")
        return chosen

    def data_prior(self, name: str) -> Prior | None:
        """The distribution of original answers; invented ones were made from what is expected."""
        if (
            self.original is None
            or self.invented
            or name not in self.original
            or name not in self.design
        ):
            return None
        if name not in self._data_priors:
            found = _prior_of_column(self.original[name], self.design[name].attribute)
            self._data_priors[name] = found
        return self._data_priors[name]

    @cached_property
    def _data_priors(self) -> dict[str, Prior | None]:
        """What was looked up before: a frame of a drag asks a dozen times."""
        return {}

    def prior(self, name: str) -> Prior:
        from ppworkbench.core.privacy.prior import Prior, drawn_prior

        chosen = self.choice(name)
        attribute = self.design.question(name).attribute
        if chosen.source == "data":
            found = self.data_prior(name)
            if found is not None:
                return found
        if chosen.is_drawn:
            return drawn_prior(attribute, chosen.weights)
        return Prior.uniform(attribute)

    def with_(self, **changes: object) -> Self:
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def with_perturbations(self, changes: Mapping[str, Perturbation]) -> Self:
        """The same study with some attributes distorted in another way.

        Columns that tell how people were drawn, or which arm they are in, stay as they are: they
        must not be distorted. An arm's own device goes if it would publish other answers.
        """
        fixed = self.undistorted_columns
        listed = tuple(
            dataclasses.replace(d, perturbation=changes[d.name])
            if d.name in changes and d.name not in fixed
            else d
            for d in self.design
        )
        arms = fitting_arms(self.design.versions, listed)
        return self.with_(design=dataclasses.replace(self.design, attributes=listed, arms=arms))

    @property
    def undistorted_columns(self) -> tuple[str, ...]:
        """The columns of the sampling, the arms and lists, and those that nobody was asked.

        They must not be distorted.
        """
        return (*self.design.roles, *self.design.drawn_columns, *self.kept_columns)

    @property
    def kept_columns(self) -> tuple[str, ...]:
        """Columns that were taken over with the answers, such as a weight, and are no questions."""
        return tuple(name for name in noted(self.results, KEPT) if name in self.design)

    @property
    def asked_design(self) -> Design:
        """The design of what people are asked, without columns that came with their answers."""
        kept = self.kept_columns
        if not kept:
            return self.design
        sampling = without_roles(self.sampling, kept)
        listed = tuple(one for one in self.design if one.name not in kept)
        return dataclasses.replace(self.design, attributes=listed, sampling=sampling)

    def with_sensitive(self, name: str, values: Iterable[str]) -> Self:
        """The same study with other marks on the answers of a question.

        What is marked for the first time before anybody was asked is no longer asked openly.
        """
        marked = tuple(values)

        def mark(one: Attribute) -> Attribute:
            return one.with_(sensitive=marked) if one.name == name else one

        changed = self.with_(design=described_design(self.design, mark))
        if marked and self._is_first_mark(name):
            attribute = changed.design[name].attribute
            single = self.design.class_name is not None
            begun = starting_perturbation(attribute, single=single)
            changed = changed.with_perturbations({name: begun})
        if not self.attribute(name).sensitive:
            changed = changed.expecting_few([name])
        if self.original is None or name not in self.original:
            return changed
        known = self.original[name].attribute.values
        left = tuple(value for value in marked if value in known)
        return changed.with_(original=self.original.described(name, sensitive=left))

    def _is_first_mark(self, name: str) -> bool:
        """Whether a question is asked openly whose answers nobody has given or marked yet."""
        is_planned = self.distorted is None and not self.invented
        return (
            is_planned
            and name in self.design
            and not self.design[name].attribute.sensitive
            and self.design.usual_device(name).is_identity
            and name not in self.undistorted_columns
            and self.design.group_of(name) is None
        )

    @property
    def sampling(self) -> Sampling | None:
        """How people were drawn; it goes along with the design."""
        return self.design.sampling

    def with_sampling(self, sampling: Sampling | None) -> Self:
        """The same study with other roles of columns, which are then not distorted.

        A column that loses its role is distorted as in a design to start from.
        """
        roles = role_columns(sampling)
        alone = self.without_groups_of(roles).design
        if self.original is None:
            listed = {d.name: _plain(d) if d.name in roles else d for d in alone}
        else:
            before = self.design.roles
            changed = {*roles} ^ {*before}
            table = self.original.select(n for n in self.original.names if n in changed)
            known = {d.name: d for d in alone if d.name not in changed}
            single = self.original.class_name is not None
            begun = starting_attributes(
                table.attributes, sampling, single=single,
                is_marked=has_sensitive(self.original.attributes),
            )  # fmt: skip
            known |= {d.name: d for d in begun}
            names = dict.fromkeys([*self.original.names, *known])
            listed = {name: known[name] for name in names if name in known}
        arms = alone.versions
        listed |= {n: _plain(d) for n, d in listed.items() if n in arms.columns}
        arms = fitting_arms(arms.without(roles), tuple(listed.values()))
        return self.with_(design=alone.among(listed.values(), sampling=sampling, arms=arms))

    def with_choice(self, name: str, choice: PriorChoice) -> Self:
        return self.with_(choices=MappingProxyType({**self.choices, name: choice}))

    def with_results(self, name: str, value: object) -> Self:
        """The same study with other results of one page; None takes them away."""
        kept = {page: results for page, results in self.results.items() if page != name}
        if value is not None:
            kept[name] = value
        return self.with_(results=MappingProxyType(kept))

    def with_table(self, table: Table) -> Self:
        """The same study with the data typed in another way; design and drawings follow."""
        design = follow(self.design, table.attributes, table.class_name)
        return self.with_(original=table, design=design, choices=_fitting_choices(self, design))

    def with_attributes(self, attributes: Sequence[Attribute]) -> Self:
        """The same study before there are data, of other questions; design and drawings follow."""
        names = {attribute.name for attribute in attributes}
        class_name = self.design.class_name if self.design.class_name in names else None
        design = follow(self.design, attributes, class_name)
        changed = self.with_(design=design, choices=_fitting_choices(self, design))
        fresh = [name for name in design.names if name not in self.design]
        return changed.expecting_few(fresh)

    def expecting_few(self, names: Iterable[str]) -> Self:
        """Expect few sensitive answers to yes/no questions that begin before there are answers.

        As many as not would be the most harmless thing to expect, and about the least likely.
        """
        begun = {
            name: PriorChoice("drawn", _few_sensitive(self.design[name].attribute))
            for name in names
            if self.table is None
            and name not in self.choices
            and self.design[name].attribute.k == _YES_NO
            and self.design[name].attribute.sensitive
        }
        return self.with_(choices=MappingProxyType({**self.choices, **begun})) if begun else self

    def without_groups_of(self, names: Iterable[str]) -> Self:
        """The same study with the groups of these attributes dissolved.

        Each member goes on being distorted as it was, only without the common coin.
        """
        gone = set(names)
        dissolved = [group for group in self.design.groups if gone & set(group.attributes)]
        return self.with_(design=dissolve(self.design, dissolved))


def have_same_answers(one: Study, other: Study) -> bool:
    """Whether results of one are those of the other: the same tables, design and draw."""
    return (
        one.original is other.original
        and one.distorted is other.distorted
        and one.parts == other.parts
        and one.state is other.state
        and (one.original is None or one.settings.seed == other.settings.seed)
        and (one.design is other.design or one.design == other.design)
    )


def with_public_domains(study: Study, names: Iterable[str]) -> Study:
    """The same study with bounds or lists of values confirmed: they are no secret."""
    confirmed = set(names)

    def confirm(one: Attribute) -> Attribute:
        return one.with_(domain_source=PUBLIC) if one.name in confirmed else one

    changed = study.with_(design=described_design(study.design, confirm))
    if study.original is None:
        return changed
    return changed.with_(original=study.original.described_by(confirm))


def _as_asked(designed: DesignedAttribute, study: Study) -> Attribute:
    if study.original is not None and designed.name in study.original:
        return study.original[designed.name].attribute
    asked = designed.attribute
    if designed.missing_is_value:
        # Nobody is asked to choose "missing"; the question may be skipped.
        left = tuple(value for value in asked.values if value != MISSING_VALUE)
        kind = Kind.BINARY if len(left) == 2 and asked.kind is Kind.NOMINAL else asked.kind
        asked = asked.with_(values=left, kind=kind)
    if study.distorted is None or designed.name not in study.distorted:
        return asked
    return asked.with_(label=study.distorted[designed.name].attribute.label)


def described_design(design: Design, change: Callable[[Attribute], Attribute]) -> Design:
    """The design with its attributes changed."""
    pairs = ((one, change(one.attribute)) for one in design)
    listed = tuple(
        one if one.attribute is new else dataclasses.replace(one, attribute=new)
        for one, new in pairs
    )
    return dataclasses.replace(design, attributes=listed)


def worded_as(designed: Attribute, column: Attribute | None) -> Attribute:
    """The attribute of a design with the words that stand in the data."""
    if column is None:
        return designed.with_(label="")
    return designed.with_(
        label=column.label,
        title=column.title or designed.title,
        unit=column.unit or designed.unit,
    )


def _own_words(say: Say, words: str) -> str:
    """A text of a sample in the language of the reader; what people wrote stays as it is."""
    return say(words) if isinstance(words, Message) else words


def _around_lists(design: Design) -> frozenset[str]:
    """What a questionnaire may word besides the questions: lists, their items and counts."""
    listed = (name for one in design.lists for name in (one.name, one.count, *one.items))
    return frozenset((*listed, *design.roles))


def _fitting_choices(study: Study, design: Design) -> Mapping[str, PriorChoice]:
    """What was drawn over the old values says nothing about new ones."""
    before = study.design
    return MappingProxyType(
        {
            name: choice
            for name, choice in study.choices.items()
            if name in design
            and name in before
            and _is_same(design[name].attribute, before[name].attribute)
        }
    )


_YES_NO = 2
_FEW = 0.2
"""The expected share of a sensitive answer that nobody has said anything about."""


def _few_sensitive(attribute: Attribute) -> tuple[float, ...]:
    return tuple(_FEW if value in attribute.sensitive else 1 - _FEW for value in attribute.values)


def _plain(designed: DesignedAttribute) -> DesignedAttribute:
    return dataclasses.replace(designed, perturbation=Identity())


def _is_same(one: Attribute, other: Attribute) -> bool:
    """Whether two attributes differ in their words at most."""
    return one == other.with_(
        title=one.title, unit=one.unit, domain_source=one.domain_source, outside=one.outside
    )


_priors: WeakKeyDictionary[Column, dict[Attribute, Prior | None]] = WeakKeyDictionary()
"""Worked out once per column, however often a design changes."""


def _prior_of_column(column: Column, attribute: Attribute) -> Prior | None:
    """The distribution of a column in the terms of the design; None where it has no answers."""
    from ppworkbench.core.privacy.prior import Prior

    known = _priors.setdefault(column, {})
    if attribute not in known:
        try:
            known[attribute] = Prior.from_column(column, attribute)
        except WorkbenchError:
            known[attribute] = None
    return known[attribute]
