"""Designs: how every answer of a questionnaire is randomised."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from ppworkbench.analyses.arguments import check_arguments
from ppworkbench.analyses.inputs import AnswerSource, Data, DesignLike
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import shorten
from ppworkbench.core.design.design import Design as CoreDesign
from ppworkbench.core.design.design_file import (
    as_design,
    design_from_json,
    design_to_json,
    read_design,
    write_design,
)
from ppworkbench.core.design.perturbation import EPSILON, Identity, Perturbation
from ppworkbench.core.design.presets import Preset
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.results.text import aligned, harmless, plain

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.api.mechanisms import Mechanism
    from ppworkbench.core.data.table import Table


class Design(CoreDesign):
    """How each attribute of a survey is randomised, with arms, lists and sampling roles.

    Make one with :func:`design`, :meth:`read`, :meth:`from_dict` or :meth:`starting`. It does not
    change any more; everything that takes a design takes its JSON values or the path of its file
    as well.

    Examples
    --------
    >>> design = Design.from_dict({
    ...     "format": "ppworkbench-design", "version": 1,
    ...     "attributes": {"fare_evasion": {
    ...         "kind": "binary", "values": ["no", "yes"], "sensitive": ["yes"],
    ...         "perturbation": {"type": "uniform", "keep": 0.75}}},
    ... })
    >>> design.names
    ('fare_evasion',)
    >>> print(design.describe())
    attribute     kind    answers     randomised by  epsilon
    ------------  ------  ----------  -------------  -------
    fare_evasion  binary  2: no, yes  keep 0.75        1.099
    """

    def __post_init__(self) -> None:
        """Tell who gives a document or a path where to take it to."""
        given: object = self.attributes
        if isinstance(given, str | os.PathLike | Mapping):
            raise ParameterError(
                "A design is made with Design.from_dict(…), Design.read(…) or Design.starting(…), "
                "not with Design(…).",
                field="attributes",
            )
        super().__post_init__()

    @classmethod
    @check_arguments
    def of(cls, given: DesignLike) -> Self:
        """A design from a design, its JSON values or the path of its file."""
        return cls._of(as_design(given))

    @classmethod
    @check_arguments
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read a design file."""
        return cls._of(read_design(os.fspath(path)))

    @classmethod
    @check_arguments
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Build a design from the JSON values of a design file."""
        return cls._of(design_from_json(document))

    @classmethod
    @check_arguments
    def starting(
        cls,
        data: Data,
        *,
        epsilon: float | None = None,
        total: float | None = None,
        rule: str = "sum",
        sampling: Sampling | Mapping[str, Any] | None = None,
    ) -> Self:
        """A design to start from: the same finite epsilon for every question of some answers.

        Parameters
        ----------
        data
            Answers as a frame, a table or a file; only kinds, values and domains matter.
        epsilon
            What each question may disclose; 1 if neither it nor ``total`` is given.
        total
            What all questions may disclose together.
        rule
            How the total is shared out, as the command ``budget`` knows the rules.
        sampling
            Columns that tell how people were drawn; these are not randomised.
        """
        if isinstance(sampling, Mapping):
            sampling = Sampling.from_json(sampling)
        return cls._of(_starting(AnswerSource(data).whole(), sampling, epsilon, total, rule))

    @classmethod
    def _of(cls, design: CoreDesign) -> Self:
        if isinstance(design, cls):
            return design
        return cls(
            design.attributes, design.class_name, design.groups, design.sampling, design.arms,
            design.lists, design.anchors, design.budget,
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """The JSON values of the design file."""
        document: dict[str, Any] = plain(design_to_json(self))
        return document

    @check_arguments
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a design file; an existing one is replaced as a whole."""
        write_design(self, os.fspath(path))

    def describe(self) -> str:
        """The questions, their answers and how each is randomised, as a text."""
        heads = ["attribute", "kind", "answers", "randomised by", "epsilon"]
        rows = [
            [one["attribute"], one["kind"], one["answers"], one["randomised_by"],
             f"{one['epsilon']:.4g}"]
            for one in self._listed()
        ]  # fmt: skip
        return aligned(heads, rows, right=["epsilon"])

    def to_frame(self) -> pd.DataFrame:
        """One row per attribute: kind, answers, how it is randomised and its epsilon."""
        import pandas as pd

        return pd.DataFrame(self._listed())

    def _listed(self) -> list[dict[str, Any]]:
        from ppworkbench.core.privacy.spending import epsilon_of

        listed = []
        for one in self:
            device = self.perturbation(one.name)
            listed.append(
                {
                    "attribute": one.name,
                    "kind": one.attribute.kind.value,
                    "answers": _answers(one.attribute),
                    "randomised_by": str(device.summary()),
                    "epsilon": epsilon_of(self, one.name),
                }
            )
        return listed

    def _repr_html_(self) -> str:
        """The table of :meth:`to_frame`, for notebooks."""
        return self.to_frame().to_html(index=False, border=0, escape=True)


@check_arguments
def design(
    data: Data,
    mechanisms: Mapping[str, Mechanism] | None = None,
    /,
    *,
    answers: Mapping[str, Sequence[str | float]] | None = None,
    sensitive: Mapping[str, str | Sequence[str]] | None = None,
    sampling: Sampling | Mapping[str, Any] | None = None,
    **more: Mechanism,
) -> Design:
    """A design of some answers: how each question that is named is randomised, the others not.

    Parameters
    ----------
    data
        True or reported answers as a frame, a table or a file; only kinds, values and ranges
        matter. Columns that look like names or free text are left out.
    mechanisms, **more
        The mechanism of each randomised question by its column: ``y=pp.forced(2 / 3)``, or a
        mapping where names are no keywords. Where a design treats both answers differently
        (:func:`mangat`, :func:`kuk`, :func:`triangular`, :func:`binary`), the second value is the
        sensitive one, or "yes".
    answers
        The possible answers of questions where the data do not tell them: a list of values in
        their order, or the lowest and the highest number. Give them for numbers whose reports
        hold noise, which go beyond the true ones.
    sensitive
        The sensitive answer of a question, or several.
    sampling
        Columns that tell how people were drawn.

    Examples
    --------
    >>> import pandas as pd
    >>> import ppworkbench as pp
    >>> reports = pd.DataFrame({"y": ["yes"] * 40 + ["no"] * 60, "age": range(20, 120)})
    >>> made = pp.design(reports, y=pp.forced(2 / 3), sensitive={"y": "yes"})
    >>> made.to_frame()["randomised_by"].tolist()
    ['forced response, truth 0.667', 'not randomised']
    >>> round(pp.Survey(reports, made).share("y").estimate, 3)
    0.35
    """
    from ppworkbench.core.design.starting import answered, open_design

    if isinstance(sampling, Mapping):
        sampling = Sampling.from_json(sampling)
    table = AnswerSource(data).whole()
    named = {**(mechanisms or {}), **more}
    for field, given in (
        ("mechanisms", named), ("answers", answers or {}), ("sensitive", sensitive or {}),
    ):  # fmt: skip
        absent = next((name for name in given if name not in table.names), None)
        if absent is not None:
            raise ParameterError(
                f"The data have no column {absent!r}; they have {shorten(table.names)}.",
                attribute=absent,
                field=field,
            )
    for name, one in named.items():
        if not isinstance(one, Perturbation | Preset):
            raise ParameterError(
                f"{name} must be a mechanism, as in {name}=pp.forced(2 / 3), not {one!r}.",
                attribute=name,
                field=name,
            )
    attributes = tuple(
        _marked(
            _stated(attribute, (answers or {}).get(attribute.name)),
            (sensitive or {}).get(attribute.name),
        )
        for attribute in table.attributes
    )
    filled = {
        attribute.name: _filled(named[attribute.name], answered(attribute))
        for attribute in attributes
        if attribute.name in named
    }
    return Design.of(open_design(attributes, sampling, filled))


def _filled(mechanism: Mechanism, attribute: Attribute) -> Perturbation:
    """The mechanism for the answers of a question, which must be known."""
    name, values = attribute.name, attribute.values
    if attribute.kind.is_categorical and len(values) < 2 and mechanism != Identity():
        held = f"only holds {values[0]!r}" if values else "holds no answer"
        known = (values[0] if values else "no", "yes" if values != ("yes",) else "no")
        raise DesignError(
            f"Column {name!r} {held}, so its possible answers are not known; give them, as in "
            f"answers={{{name!r}: {list(known)}}}.",
            attribute=name,
            field="answers",
        )
    if not isinstance(mechanism, Preset):
        return mechanism
    try:
        return mechanism.perturbation(values)
    except DesignError as error:
        raise DesignError(
            f"Column {name!r}: {error} Choose another mechanism, or give its possible answers "
            f"by answers={{{name!r}: [...]}}.",
            attribute=name,
            field=error.field,
        ) from None


def _stated(attribute: Attribute, answers: Sequence[str | float] | None) -> Attribute:
    """The attribute with answers that a person knows, whatever the data hold."""
    if answers is None:
        return attribute
    if answers and all(isinstance(one, str) for one in answers):
        values = tuple(str(one) for one in answers)
        kind = Kind.ORDINAL if attribute.kind is Kind.ORDINAL else Kind.NOMINAL
        return Attribute(
            attribute.name, Kind.BINARY if len(values) == 2 else kind, values,
            label=attribute.label, title=attribute.title, missing=attribute.missing,
        )  # fmt: skip
    if len(answers) != 2 or any(isinstance(one, str) for one in answers):
        raise ParameterError(
            f"The answers of {attribute.name!r} are a list of texts, or the lowest and the highest "
            "number.",
            attribute=attribute.name,
            field="answers",
        )
    low, high = map(float, answers)
    kind = attribute.kind if attribute.kind.is_numeric else Kind.CONTINUOUS
    return Attribute(
        attribute.name, kind, domain=(low, high),
        label=attribute.label, title=attribute.title, unit=attribute.unit,
    )  # fmt: skip


def _marked(attribute: Attribute, sensitive: str | Sequence[str] | None) -> Attribute:
    if sensitive is None:
        return attribute
    marked = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
    return attribute.with_(sensitive=marked)


def _answers(attribute: Attribute) -> str:
    if attribute.domain is not None:
        low, high = attribute.domain
        return f"{low:g} to {high:g}"
    shown = ", ".join(harmless(value) for value in attribute.values[:6])
    return f"{attribute.k}: {shown}" + (", ..." if attribute.k > 6 else "")


def _starting(
    table: Table,
    sampling: Sampling | None,
    epsilon: float | None,
    total: float | None,
    rule: str,
) -> CoreDesign:
    from ppworkbench.core.design.starting import EPSILON_EACH, starting_design
    from ppworkbench.core.planning.budget import share_design
    from ppworkbench.core.planning.sharing import BudgetSettings

    if epsilon is not None and total is not None:
        raise ParameterError("Give either epsilon or total, not both.", field="total")
    if epsilon is not None and not EPSILON.low <= epsilon <= EPSILON.high:
        raise ParameterError(
            f"epsilon is {epsilon:g}; it must lie between {EPSILON.low:g} and {EPSILON.high:g}.",
            field="epsilon",
        )
    design = starting_design(table, sampling, EPSILON_EACH if epsilon is None else epsilon)
    if total is None:
        return design
    settings = BudgetSettings(total, rule)
    # Which mechanism is best depends on what a question may spend.
    each = total / max(len(design.randomised), 1)
    design = starting_design(table, sampling, min(max(each, EPSILON.low), EPSILON.high))
    # Shares of the data are not used: the design is published and must not depend on them.
    return share_design(design, settings)
