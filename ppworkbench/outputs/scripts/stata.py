"""Stata scripts: shares of one question and logistic regressions by Jann's rrlogit."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ppworkbench.core.design.design import Design
from ppworkbench.core.message import Message
from ppworkbench.core.models.formula import Formula
from ppworkbench.core.survey.conditions.condition import Comparison, Condition, Operator
from ppworkbench.core.survey.conditions.regions import ValueRegion
from ppworkbench.outputs.scripts import STATA
from ppworkbench.outputs.scripts.analysis import Analysis, Origin
from ppworkbench.outputs.scripts.limits import (
    NoScriptError,
    Writer,
    check_files,
    condition_regions,
    is_randomised,
    limited_script,
    number_text,
)
from ppworkbench.outputs.scripts.python import comments
from ppworkbench.outputs.scripts.r import check_logistic

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,27}")
"""A name that Stata keeps, with room for a suffix."""
_NOT_THERE = Message("The command rrlogit is for one question with two answers.")


def stata_script(analysis: Analysis, design: Design | None, origin: Origin) -> str:
    write = _WRITERS.get(analysis.function)
    return limited_script(STATA, write, (analysis, design, origin), _comments, _NOT_THERE)


def _comments(paragraphs: Iterable[str]) -> list[str]:
    """Comments in which nothing opens another one or goes on in the next line."""
    return comments([re.sub(r"/(?=[/*])", "/ ", one) for one in paragraphs], "*")


def _share(analysis: Analysis, design: Design, origin: Origin) -> list[str]:
    given = analysis.arguments
    what = given.get("what", given.get("where"))
    if isinstance(what, str) and what in design:
        (value,) = design[what].attribute.sensitive
        test = Comparison(what, Operator.EQUAL, value)
    else:
        condition, _ = condition_regions(what, design)
        test = _single(condition)
    among = {"where": given["where"]} if "what" in given and "where" in given else {}
    formula = Formula(test.attribute, test.value, ())
    asked = Analysis("regress", {"formula": formula, **among}, analysis.survey)
    said = Message("The share is the inverse logit of the constant.")
    return [
        *_regress(asked, design, origin),
        *_comments([origin.say(said)]),
        "nlcom (share: invlogit(_b[_cons]))",
    ]


def _single(condition: Condition) -> Comparison:
    test = condition.tests[0] if len(condition.tests) == 1 else None
    if not isinstance(test, Comparison) or test.operator is not Operator.EQUAL:
        raise NoScriptError(_NOT_THERE)
    return test


def _regress(analysis: Analysis, design: Design, origin: Origin) -> list[str]:
    formula, lost, gained, swapped = check_logistic(analysis, design)
    _, regions = condition_regions(analysis.arguments.get("where"), design)
    for name in (*formula.attributes, *regions):
        _check_name(name)
    for term in formula.terms:
        if len(term.variables) > 1 or any(one.function or one.power > 1 for one in term.variables):
            raise NoScriptError.saying(
                "Interactions and functions of predictors are not written out for Stata."
            )
    sign = "!=" if swapped else "=="
    outcome = formula.outcome
    lines = [
        f"import delimited {_text(check_files(analysis))}, varnames(1) case(preserve) ///",
        '    stringcols(_all) encoding("UTF-8") clear',
        f'generate byte outcome_ = ({outcome} {sign} {_text(formula.value)}) if {outcome} != ""',
    ]
    predictors: list[str] = []
    for name in formula.predictors:
        written, columns = _predictor(design, formula, name)
        lines += written
        predictors += columns
    tests = [_region(design, name, region) for name, region in regions.items()]
    numbers = [name for name in regions if not design[name].attribute.kind.is_categorical]
    lines += [f"destring {name}, replace" for name in numbers if name not in formula.predictors]
    words = ["rrlogit outcome_", *predictors]
    words += ["if", " & ".join(tests)] if tests else []
    said = Message("The command comes by: ssc install rrlogit")
    lines += [
        *_comments([origin.say(said)]),
        f"{' '.join(words)}, pyes({number_text(gained)}) pno({number_text(lost)})"
        + ("" if formula.intercept else " noconstant"),
    ]
    return lines


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise NoScriptError.saying(
            "Stata would change the name of the column {name}; rename it.", name=name
        )


def _predictor(design: Design, formula: Formula, name: str) -> tuple[list[str], list[str]]:
    attribute = design[name].attribute
    if not attribute.kind.is_categorical:
        return [f"destring {name}, replace"], [name]
    chosen = (one.reference for term in formula.terms for one in term.variables if one.name == name)
    reference = next((one for one in chosen if one), attribute.values[0])
    lines, columns = [], []
    for place, value in enumerate(attribute.values):
        if value != reference:
            column = f"{name}_{place + 1}"
            lines.append(f'generate byte {column} = ({name} == {_text(value)}) if {name} != ""')
            columns.append(column)
    return lines, columns


def _region(design: Design, name: str, region: object) -> str:
    if is_randomised(design, name):
        raise NoScriptError.saying("The condition asks randomised answers.")
    if isinstance(region, ValueRegion):
        pairs = zip(region.attribute.values, region.inside, strict=True)
        listed = ", ".join(_text(value) for value, inside in pairs if inside)
        return f"inlist({name}, {listed})"
    spans: Iterable[tuple[float, float]] = getattr(region, "spans", ())
    tests = []
    for low, high in spans:
        ends = [f"{name} >= {low!r}"] if low > float("-inf") else []
        ends += [f"{name} < {high!r}"] if high < float("inf") else [f"{name} < ."]
        tests.append(f"({' & '.join(ends)})")
    return f"({' | '.join(tests)})"


def _text(value: str) -> str:
    """A text in Stata's compound quotes where it holds a quote itself."""
    if "`" in value or "$" in value:
        # Stata would take these for the start of a macro.
        raise NoScriptError.saying("Stata cannot write the text {text!r}.", text=value)
    if '"' in value:
        return f'`"{value}"\''
    return f'"{value}"'


_WRITERS: dict[str, Writer] = {"count": _share, "share": _share, "regress": _regress}
