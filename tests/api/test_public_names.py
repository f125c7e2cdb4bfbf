"""What ``import ppworkbench`` offers, and what it loads."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ppworkbench as pp
from ppworkbench.analyses import QUESTIONS
from ppworkbench.results.result import Result

SOURCE = Path(pp.__file__)


def test_that_every_public_name_is_there() -> None:
    assert {name: getattr(pp, name) is not None for name in pp.__all__} == dict.fromkeys(
        pp.__all__, True
    )
    assert set(pp.__all__) <= set(dir(pp))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        pp.nothing  # noqa: B018 (asked for its error)


def test_that_types_and_places_of_public_names_agree() -> None:
    tree = ast.parse(SOURCE.read_text("utf-8"))
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {
        alias.asname or alias.name: node.module
        for node in guarded.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert typed == pp._PLACES
    assert sorted(typed) == sorted(pp.__all__)


def test_that_the_package_is_typed() -> None:
    assert (SOURCE.parent / "py.typed").is_file()


def test_that_importing_the_package_loads_no_library() -> None:
    code = "import sys, ppworkbench; print([n for n in ('numpy', 'pandas') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_that_every_public_thing_is_documented() -> None:
    lacking = [name for name in pp.__all__ if not getattr(pp, name).__doc__]
    assert lacking == []
    for name in pp.__all__:
        thing = getattr(pp, name)
        if isinstance(thing, type) and issubclass(thing, Result | pp.Survey | pp.Design):
            methods = [m for m in vars(thing) if not m.startswith("_")]
            assert [m for m in methods if not getattr(thing, m).__doc__] == []


def test_that_every_public_function_shows_an_example() -> None:
    functions = [name for name in pp.__all__ if inspect.isfunction(getattr(pp, name))]
    assert [name for name in functions if ">>> " not in getattr(pp, name).__doc__] == []


WRONG = {
    "attack": {"known": "sex"},
    "budget": {"n": -1},
    "classify": {"classifiers": 4},
    "distort": {"seed": -1},
    "plan": {"half_width": "wide"},
    "privacy": {"expected": {"sex": 3}},
    "reconstruct": {"attributes": 5},
    "sample": {"seed": "seven"},
}


@pytest.mark.parametrize("name", WRONG)
def test_that_a_wrong_argument_is_told_in_one_sentence(name: str, answers, design) -> None:
    given = {"data": answers, "design": design, "classifiers": ["tree"], "name": "weather"}
    function = getattr(pp, name)
    known = inspect.signature(function).parameters
    asked = {key: value for key, value in given.items() if key in known}
    ((field, value),) = WRONG[name].items()
    with pytest.raises(pp.WorkbenchError) as told:
        function(**(asked | {field: value}))
    assert told.value.field == field
    # Questions say what it is before they say what it must be.
    label = field.replace("_", "[-_ ]")
    assert re.match(rf"{field} must be |{label} is .*; it must be ", str(told.value), re.IGNORECASE)
    assert str(told.value).count(".") == 1


@pytest.mark.parametrize(
    ("method", "given", "field"),
    [
        ("share", {"what": 3}, "what"),
        ("table", {"rows": ["sex"], "columns": "age"}, "rows"),
        ("participants", {"where": "sex = F", "size": 2.5}, "size"),
        ("regress", {"formula": None}, "formula"),
        ("compliance", {"attribute": "sex", "band": 0.3}, "band"),
        ("mean", {"of": "age", "where": 4}, "where"),
    ],
)
def test_that_a_survey_refuses_wrong_arguments(method, given, field, answers, design) -> None:
    with pytest.raises(pp.WorkbenchError) as told:
        getattr(pp.Survey(answers, design), method)(**given)
    assert told.value.field == field


def test_that_every_function_looks_at_its_arguments() -> None:
    functions = [getattr(pp, name) for name in pp.__all__ if inspect.isfunction(getattr(pp, name))]
    functions += [one for name, one in vars(pp.Survey).items() if name[0] != "_" and callable(one)]
    open_ = {one.__name__ for one in functions if not hasattr(one, "__wrapped__")}
    # Questions check theirs by their declarations.
    assert open_ <= {one.name for one in QUESTIONS}


@pytest.mark.slow
def test_that_numbers_and_lists_of_other_libraries_are_taken(answers, design) -> None:
    few, many = (pp.privacy(design, n=np.int64(n)).to_dict() for n in (500, 5000))
    assert few != many
    survey = pp.Survey(answers, design)
    assert survey.quantile("age", at=np.array([0.25, 0.5])).to_dict()
    assert pp.reconstruct(answers, design, pd.Index(["sex"])).to_dict()["attributes"]
