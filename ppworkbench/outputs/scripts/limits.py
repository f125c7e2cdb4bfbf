"""What a script in R or Stata can use of a design, and why it cannot use the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.survey.conditions.condition import Condition, parse_condition
from ppworkbench.core.survey.conditions.regions import NumberRegion, ValueRegion, regions_of
from ppworkbench.outputs.scripts import SCRIPT_NAMES
from ppworkbench.outputs.scripts.analysis import Analysis, Origin, head

_LARGEST = 40
"""A matrix with more values is not written out."""


class NoScriptError(WorkbenchError):
    """A result that a language cannot give again, and why."""


Writer = Callable[[Analysis, Design, Origin], list[str]]
"""Writes the lines of one kind of analysis."""


def limited_script(
    language: str,
    write: Writer | None,
    given: tuple[Analysis, Design | None, Origin],
    comments: Callable[[list[str]], list[str]],
    not_there: Message,
) -> str:
    """The script in a language that has some methods only, or a comment that says why not."""
    analysis, design, origin = given
    try:
        if write is None or design is None:
            raise NoScriptError(not_there)
        body = write(analysis, design, origin)
    except WorkbenchError as error:
        name = SCRIPT_NAMES[language]
        cannot = "{language} cannot give this result again; the Python script does."
        body = comments([origin.say(Message(cannot, language=name)), origin.say(error.message)])
    return "\n".join([*comments(head(analysis, origin, language)), "", *body, ""])


def check_files(analysis: Analysis) -> str:
    """The table of the answers, if other programs read it as text."""
    survey = analysis.survey if analysis.survey is not None else analysis.arguments
    table = str(survey["data"])
    if "engine" in survey:
        raise NoScriptError.saying(
            "The answers are a folder of parts; use the Python script, which reads them."
        )
    if not table.lower().endswith(".csv"):
        # With its folder, as the script names it.
        raise NoScriptError(
            Message("{file} is not CSV; save it as CSV and ask for the script again.", file=table)
        )
    return table


def check_attributes(design: Design, names: Iterable[str]) -> None:
    """Refuse devices whose correction is more than a matrix."""
    if design.has_arms:
        raise NoScriptError.saying(
            "The questionnaire has arms, whose devices differ; use the Python script."
        )
    for name in dict.fromkeys(names):
        one, device = design[name], design.perturbation(name)
        if design.group_of(name) is not None:
            why = Message("{attribute} is randomised together with others.", attribute=name)
        elif one.why_not_single is not None:
            why = Message("Reports of {attribute} are sets of values.", attribute=name)
        elif device.columns or device.unknown:
            why = Message(
                "The device of {attribute} differs from row to row or is estimated.",
                attribute=name,
            )
        elif one.share_spread is not None:
            why = Message("A share of the device of {attribute} is estimated.", attribute=name)
        elif one.missing_is_value:
            why = Message("Missing answers are a value of {attribute}.", attribute=name)
        else:
            continue
        raise NoScriptError(why)


def is_randomised(design: Design, name: str) -> bool:
    """Whether the answers to a question reach the analyst distorted."""
    return not design.perturbation(name).is_identity


def device_matrix(design: Design, name: str) -> Matrix:
    """``P[r, c]``, the probability that the true value c is reported as r."""
    attribute = design[name].attribute
    if not attribute.kind.is_categorical:
        raise NoScriptError.saying(
            "{attribute} is a number under noise, whose distribution takes more than a matrix.",
            attribute=name,
        )
    if attribute.k > _LARGEST:
        raise NoScriptError.saying("{attribute} has too many values.", attribute=name)
    return design.perturbation(name).values.matrix(attribute.k)


def number_text(number: float) -> str:
    """A probability without the digits that binary fractions add.

    >>> number_text(0.1 + 0.2)
    '0.3'
    """
    return repr(float(f"{number:.15g}"))


def unbiased_line(design: Design, name: str) -> tuple[float, float]:
    """Intercept and slope of what makes the mean of a reported number that of the true one."""
    attribute, device = design[name].attribute, design.perturbation(name)
    if device.is_identity:
        return 0.0, 1.0
    low, high = attribute.domain or (0.0, 1.0)
    points = np.array([low, (low + high) / 2, high], np.float64)
    found = device.numbers.unbiased(points, attribute)
    if found is not None:
        slope = float((found[2] - found[0]) / (high - low))
        start = float(found[0] - slope * low)
        if np.isclose(start + slope * points[1], found[1], rtol=1e-9, atol=1e-9):
            return start, slope
    raise NoScriptError.saying(
        "The mean of {attribute} under its device is no linear function of the reports.",
        attribute=name,
    )


def condition_regions(
    where: object, design: Design
) -> tuple[Condition, Mapping[str, ValueRegion | NumberRegion]]:
    condition = where if isinstance(where, Condition) else parse_condition(str(where or ""))
    return condition, regions_of(condition, design)


def roles_of(analysis: Analysis, design: Design) -> Sampling | None:
    survey = analysis.arguments if analysis.survey is None else analysis.survey
    if survey.get("sampling") is False:
        return None
    options = survey.get("options") or {}
    told = options.to_json() if isinstance(options, SamplingOptions) else options
    assert isinstance(told, Mapping)  # noqa: S101 (options are declared or by name)
    usual = SamplingOptions().to_json()
    if any(told.get(name, value) != value for name, value in usual.items()):
        raise NoScriptError.saying("The settings of the sampling are those of ppworkbench alone.")
    names = {
        "weight": "weights", "stratum": "strata", "cluster": "cluster", "person": "person",
        "population": "population", "replicates": "replicates",
    }  # fmt: skip
    given = {role: survey[name] for role, name in names.items() if name in survey}
    roles = Sampling.from_json(given) if given else design.sampling
    if roles is not None and roles.replicates is not None:
        raise NoScriptError.saying("Replicate weights are used as ppworkbench does alone.")
    return roles
