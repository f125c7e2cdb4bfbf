"""An experiment: what is compared, on which records, in which folds."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify import BinningParams, Classifier, classifiers
from ppworkbench.core.classify.classifier import ReadsDistorted
from ppworkbench.core.classify.randomised_accuracy import check_estimable
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.missing import apply_missing_policies
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Additive, Design, Identity, Perturbation, Uniform
from ppworkbench.core.design.design_file import design_to_json
from ppworkbench.core.design.fit import check_columns
from ppworkbench.core.design.group import Group
from ppworkbench.core.errors import DataError, DesignError, ParameterError
from ppworkbench.core.experiment.results import Task
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf, Params, Within
from ppworkbench.core.rng import SeededStreams


def stratified_folds(
    classes: NDArray[np.intp], folds: int, generator: np.random.Generator
) -> NDArray[np.intp]:
    """The fold of every record.

    The records of a class are dealt to the folds in turn, beginning where the class before it
    ended; so neither the folds nor the classes within them differ by more than one record. A class
    with fewer records than folds is absent from some.

    >>> dealt = stratified_folds(np.array([0, 0, 0, 0, 1, 1]), 2, np.random.default_rng(1))
    >>> sorted(np.bincount(dealt).tolist()), sorted(dealt[4:].tolist())
    ([3, 3], [0, 1])
    """
    if len(classes) < folds:
        raise DataError.saying(
            "There are {count} records with a class; {folds} folds need at least "
            "{folds}. Use fewer folds.",
            count=len(classes),
            folds=folds,
        )
    shuffled = generator.permutation(len(classes))
    by_class = shuffled[np.argsort(classes[shuffled], kind="stable")]
    found = np.empty(len(classes), np.intp)
    found[by_class] = np.arange(len(classes)) % folds
    # Which fold gets the odd records is a matter of chance too.
    return np.asarray(generator.permutation(folds)[found], np.intp)


def design_at(design: Design, level: float, values: str = "retain") -> Design:
    r"""The design with everything that it distorts brought to one level of privacy.

    With :math:`t = 1 / (1 + L / 100)` for a level of L percent:

    - additive noise gets a range privacy of L % and keeps its form; multiplicative noise and
      mechanisms with an epsilon of their own become normal noise of that range privacy; intervals
      are as wide as L % of the range, at most all of it; retention replacement retains with t;
    - a P-matrix of k values becomes uniform: with ``retain`` the answer stays with t and is else
      drawn from all values, so that :math:`p = t + (1 - t) / k`; with ``keep`` it is
      :math:`p = t`. The second is how published comparisons are read here (0.5, 0.4, 0.33 at 100,
      150, 200 %); it tells nothing at all where :math:`p = 1 / k`, and more again beyond;
    - an unrelated group answers truly with :math:`\theta = t`, a related one with
      :math:`\theta = (1 + t) / 2`.

    What the design does not distort stays undistorted, unless it distorts nothing but perhaps the
    class: then every other attribute is brought to the level, numbers with uniform noise. The class
    is left as it is. Level 0 is no distortion.

    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design import DesignedAttribute
    >>> town = Attribute("town", Kind.NOMINAL, ("a", "b", "c", "d"))
    >>> asked = Design((DesignedAttribute(town, Uniform(keep=0.9)),))
    >>> design_at(asked, 100)["town"].perturbation
    Uniform(keep=0.625)
    >>> design_at(asked, 100, values="keep")["town"].perturbation
    Uniform(keep=0.5)
    """
    retained = 1 / (1 + level / 100)
    grouped = {name for group in design.groups for name in group.attributes}
    others = [d for d in design if d.name != design.class_name]
    touched = [d for d in others if not d.perturbation.is_identity or d.name in grouped]
    chosen = {d.name for d in touched or others} - grouped
    listed = tuple(
        dataclasses.replace(d, perturbation=_at(d.perturbation, d.attribute, level, values))
        if d.name in chosen
        else d
        for d in design
    )
    groups = tuple(_group_at(group, retained) for group in design.groups)
    return dataclasses.replace(design, attributes=listed, groups=groups)


def _at(
    perturbation: Perturbation, attribute: Attribute, level: float, values: str
) -> Perturbation:
    retained = 1 / (1 + level / 100)
    if level == 0:
        return Identity()
    if attribute.kind.is_categorical:
        k = max(attribute.k, 1)
        keep = retained if values == "keep" else retained + (1 - retained) / k
        return Uniform(keep=keep)
    if attribute.width == 0:
        # A single possible number has no range to take percents of, and nothing to hide.
        return Identity()
    noise = "uniform" if perturbation.is_identity else "normal"
    return perturbation.at_level(level) or Additive(noise=noise, range_privacy=level)


def _exchanged(design: Design, sweep: Sweep) -> Iterator[Message]:
    level = max(sweep.levels, default=0.0)
    for one in design if level > 0 else ():
        is_number = one.attribute.kind.is_numeric and one.attribute.width > 0
        is_kept = one.perturbation.is_identity or one.name == design.class_name
        if is_number and not is_kept and one.perturbation.at_level(level) is None:
            yield Message(
                "{attribute}: its mechanism has no range privacy, so at every level normal noise "
                "of that range privacy takes its place.",
                attribute=one.name,
            )


def _group_at(group: Group, retained: float) -> Group:
    theta = retained if group.type == "unrelated" else (1 + retained) / 2
    return dataclasses.replace(group, theta=theta)


@dataclass(frozen=True)
class Setting:
    """A registered classifier, its parameters, and which records it learns from.

    ``undistorted`` settings learn from the records as they are, for comparison; classifiers that
    know nothing of distortion always do.
    """

    classifier: str
    params: BinningParams
    undistorted: bool = False

    def __post_init__(self) -> None:
        kind = classifiers[self.classifier]
        if type(self.params) is not kind.params_type:
            raise ParameterError.saying(
                "The parameters are not those of the classifier {classifier!r}.",
                classifier=self.classifier,
                field="parameters",
            )
        if kind.is_reference:
            object.__setattr__(self, "undistorted", True)

    @classmethod
    def of(cls, classifier: str, *, undistorted: bool = False, **parameters: Any) -> Self:
        kind = classifiers[classifier]
        return cls(classifier, kind.params_type(**parameters), undistorted)

    @property
    def label(self) -> str:
        return classifiers.entry(self.classifier).label

    @cached_property
    def key(self) -> str:
        """A text that two settings share only if they are the same."""
        return json.dumps(self.to_json(), sort_keys=True, ensure_ascii=False)

    def make(self, **more: Any) -> Classifier[Any]:
        given = {name: getattr(self.params, name) for name in self.params.__dataclass_fields__}
        return classifiers[self.classifier](**given, **more)

    def to_json(self) -> dict[str, Any]:
        return {
            "classifier": self.classifier,
            "parameters": self.params.to_json(),
            "undistorted": self.undistorted,
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        if not isinstance(given, Mapping) or not isinstance(given.get("parameters", {}), Mapping):
            raise ParameterError("A setting of an experiment is damaged.", field="settings")
        name = str(given.get("classifier"))
        params = classifiers[name].params_type.from_json(given.get("parameters", {}))
        return cls(name, params, bool(given.get("undistorted")))


def variant_parameters(settings: Iterable[Setting]) -> dict[str, dict[str, Any]]:
    """By key, the parameters in which a setting differs from others of the same classifier.

    >>> few, many = (Setting.of("tree", bins=bins) for bins in (5, 20))
    >>> variant_parameters([few, many, Setting.of("naive-bayes")])[few.key]
    {'bins': 5}
    """
    families: dict[tuple[str, bool], dict[str, dict[str, Any]]] = {}
    for setting in settings:
        family = families.setdefault((setting.classifier, setting.undistorted), {})
        family[setting.key] = setting.params.to_json()
    found: dict[str, dict[str, Any]] = {}
    for family in families.values():
        first, *others = family.values()
        # A parameter that is not set is in no file.
        names = dict.fromkeys(name for one in family.values() for name in one)
        differing = [n for n in names if any(one.get(n) != first.get(n) for one in others)]
        found |= {key: {n: one.get(n) for n in differing} for key, one in family.items()}
    return found


def variant_labels(settings: Iterable[Setting]) -> dict[str, str]:
    """What people call each setting, by key; variants of a classifier name what differs.

    >>> made = [Setting.of("tree", bins=5), Setting.of("tree", bins=20)]
    >>> list(variant_labels(made).values())
    ['Decision tree (bins=5)', 'Decision tree (bins=20)']
    """
    settings = tuple(settings)
    differing = variant_parameters(settings)
    found = {}
    for setting in settings:
        details = ["undistorted"] if setting.undistorted else []
        details += [f"{name}={_as_typed(one)}" for name, one in differing[setting.key].items()]
        found[setting.key] = f"{setting.label} ({', '.join(details)})" if details else setting.label
    return found


def _as_typed(value: Any) -> str:
    if isinstance(value, list):
        return "+".join(_as_typed(one) for one in value)
    return value if isinstance(value, str) else "none" if value is None else json.dumps(value)


@dataclass(frozen=True)
class Folding(Params):
    folds: Annotated[
        int,
        Within(2, 1_000),
        Info("Folds", "Parts of the records; each is the test set once per repeat"),
    ] = 10
    repeats: Annotated[
        int, Within(1, 10_000), Info("Repeats", "Number of repeats with other folds")
    ] = 1
    test_on: Annotated[
        str,
        OneOf(("original", "distorted", "estimated")),
        Info(
            "Test data",
            "Test records: original, or distorted like the others; or distorted, with "
            "the accuracy on original records estimated",
        ),
    ] = "original"


@dataclass(frozen=True)
class Plan(Folding):
    seed: Annotated[int, Within(0, 2**63 - 1), Info("Seed", "Random seed of the experiment")] = 0


@dataclass(frozen=True)
class Sweep(Params):
    """The levels of privacy at which an experiment is repeated; none for the design as it is.

    A level L in percent stands for a whole design, see
    :func:`design_at`.
    """

    levels: Annotated[
        tuple[float, ...], Within(0, 10_000), Info("Levels", "Levels of range privacy", "%")
    ] = ()
    values: Annotated[
        str,
        OneOf(("retain", "keep")),
        Info(
            "Answers",
            "At level L an answer is kept with probability 1/(1+L), otherwise drawn from "
            "all values; or kept with 1/(1+L), otherwise replaced by another value",
        ),
    ] = "retain"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "levels", tuple(sorted(set(self.levels))))


@dataclass(frozen=True, eq=False)
class Experiment:
    """Settings compared by cross-validation; make one with :meth:`of`.

    Parameters
    ----------
    table
        The original records, every one with a class. Answers that are to be imputed are missing.
    design
        How training records are distorted; it names the class.
    settings
        The classifiers with their parameters.
    notes
        What was done to the records beforehand.
    """

    table: Table
    design: Design
    settings: tuple[Setting, ...]
    plan: Plan = dataclasses.field(default_factory=Plan)
    sweep: Sweep = dataclasses.field(default_factory=Sweep)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        table: Table,
        design: Design,
        settings: tuple[Setting, ...],
        *,
        class_name: str | None = None,
        plan: Plan | None = None,
        sweep: Sweep | None = None,
    ) -> Self:
        """Leave out records without a class, and check that all fits.

        Missing answers are dropped or named here, as it is done record by record; they are imputed
        in every fold, from its training records alone.

        Parameters
        ----------
        class_name
            The attribute to be predicted; by default the class of the design or the table.
        """
        class_name = class_name or design.class_name or table.class_name
        if class_name is None:
            raise DataError("No attribute is marked as the class; choose one.")
        if not settings:
            raise ParameterError("No classifier is chosen; choose at least one.")
        _check_class(table, class_name)
        without_class = table[class_name].missing_count
        if without_class:
            table = table.take(~table[class_name].missing)
        prepared = apply_missing_policies(table, impute=False)
        notes = [
            Message("{attribute}: {sentence}", attribute=name, sentence=Message.of(sentence))
            for name, sentence in prepared.sentences.items()
        ]
        if without_class:
            notes.insert(
                0,
                Message(
                    "{without_class:,} records without a class were excluded.",
                    without_class=without_class,
                ),
            )
        records, design = _fitted(prepared.table, design, class_name)
        plan, sweep = plan or Plan(), sweep or Sweep()
        notes += _exchanged(design, sweep)
        made = cls(
            records.with_(notes=()),
            design,
            tuple({setting.key: setting for setting in settings}.values()),
            plan,
            sweep,
            tuple(notes),
        )
        made.check_test()
        if made.table.rows < made.plan.folds:
            made.folds(0)
        return made

    def check_test(self) -> None:
        """Refuse test records that a setting cannot be tested on, before anything is trained."""
        learners = [setting for setting in self.settings if not setting.undistorted]
        if self.plan.test_on == "estimated" and learners:
            for level in self.levels:
                check_estimable(self.design_at(level))
        if self.plan.test_on != "distorted":
            return
        unable = [s for s in learners if not issubclass(classifiers[s.classifier], ReadsDistorted)]
        if unable:
            able = [e.name for e in classifiers.ranked if issubclass(e.item, ReadsDistorted)]
            raise ParameterError.saying(
                "These classifiers cannot be tested on distorted records: {classifiers}. Test "
                "on original records, or choose among {able}.",
                classifiers=", ".join(dict.fromkeys(s.classifier for s in unable)),
                able=", ".join(able),
                field="test_on",
            )

    @property
    def class_name(self) -> str:
        assert self.design.class_name is not None  # noqa: S101 (set by of)
        return self.design.class_name

    @property
    def class_values(self) -> tuple[str, ...]:
        return self.table[self.class_name].attribute.values

    @property
    def classes(self) -> NDArray[np.intp]:
        return self.table[self.class_name].data.astype(np.intp)

    @property
    def larger_class(self) -> float:
        """The accuracy of always foretelling the most frequent class."""
        return float(self.table[self.class_name].counts.max() / max(self.table.rows, 1))

    @property
    def levels(self) -> tuple[float | None, ...]:
        """The levels that distorted settings are run at; only None for the design as it is."""
        return self.sweep.levels or (None,)

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """All that is to be done, in order.

        A repeat is finished before the next begins, in it one level after the other: so a stopped
        experiment has something to say about every setting, and the time left can be foreseen.
        """
        return tuple(self._tasks())

    def _tasks(self) -> Iterator[Task]:
        references = [s for s in self.settings if s.undistorted]
        others = [s for s in self.settings if not s.undistorted]
        for repeat in range(self.plan.repeats):
            groups: list[tuple[float | None, list[Setting]]] = [(None, references)]
            groups += [(level, others) for level in self.levels]
            for level, settings in groups:
                for fold in range(self.plan.folds):
                    for setting in settings:
                        yield Task(setting.key, level, repeat, fold)

    @cached_property
    def _by_key(self) -> dict[str, Setting]:
        return {setting.key: setting for setting in self.settings}

    def setting(self, key: str) -> Setting:
        return self._by_key[key]

    @cached_property
    def labels(self) -> dict[str, str]:
        """What people call each setting, by key: no two the same."""
        return variant_labels(self.settings)

    def design_at(self, level: float | None) -> Design:
        return self.design if level is None else design_at(self.design, level, self.sweep.values)

    def folds(self, repeat: int) -> NDArray[np.intp]:
        generator = SeededStreams(self.plan.seed).generator("experiment", "folds", str(repeat))
        return stratified_folds(self.classes, self.plan.folds, generator)

    @cached_property
    def fingerprint(self) -> str:
        """The same for experiments whose tasks of the same name have the same result."""
        digest = hashlib.blake2b(digest_size=16)
        for column in self.table:
            attribute = column.attribute
            digest.update(repr((attribute.name, attribute.kind, attribute.values)).encode())
            digest.update(np.ascontiguousarray(column.data).tobytes())
            if column.missing_count:
                digest.update(attribute.missing.value.encode())
        plan = [self.plan.folds, self.plan.seed, self.plan.test_on, self.sweep.values]
        told = [design_to_json(self.design, words=False), plan]
        digest.update(json.dumps(told, sort_keys=True).encode())
        return digest.hexdigest()


def _check_class(table: Table, class_name: str) -> None:
    column = table[class_name]
    if not column.is_categorical:
        raise DataError.saying(
            "The class {class_name!r} is {kind}; choose an attribute with few "
            "values, or divide its numbers into bins first.",
            class_name=class_name,
            kind=Message(column.attribute.kind),
            attribute=class_name,
        )
    if column.missing_count == len(column):
        raise DataError.saying(
            "No record has a class: {class_name!r} is always missing.", class_name=class_name
        )


def _fitted(table: Table, design: Design, class_name: str) -> tuple[Table, Design]:
    if class_name not in design:
        raise DesignError.saying(
            "The class {class_name!r} is not in the design; add it there, undistorted.",
            class_name=class_name,
            attribute=class_name,
        )
    check_columns(table, design)
    if len(design.names) < 2:
        raise DesignError("The design has no attribute besides the class.")
    listed = dataclasses.replace(design, class_name=class_name)
    records = table.select([name for name in table.names if name in design])
    return records.with_(class_name=class_name), listed
