"""What holds for every question: its declaration gives keywords, JSON, command, method and stub."""

from __future__ import annotations

import ast
import inspect
import runpy
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import ppworkbench as pp
from ppworkbench.analyses import QUESTIONS, Place
from ppworkbench.analyses.command_line import command_of
from ppworkbench.analyses.request import Request
from ppworkbench.analyses.source import Source
from ppworkbench.api import calls
from ppworkbench.api.calls import function_of, method_of
from ppworkbench.cli.main import build_parser
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import declarations
from ppworkbench.results.result import Result

WORDS: dict[str, dict[str, Any]] = {
    "share": {"what": "drug = yes", "method": "sequential", "by_arm": True},
    "count": {"where": "drug = yes", "pooling": "mean", "sharpest": "0.5"},
    "mean": {"of": "pay", "where": "sex = F", "confidence": 0.9, "by_arm": True},
    "ratio": {"of": "pay", "by": "age"},
    "quantile": {"of": "pay", "at": (0.1, 0.5), "where": "sex = F", "arms": ("a", "b")},
    "distribution": {"of": "pay", "bins": 4, "method": "sequential", "arms": ("a",)},
    "table": {"rows": "town", "columns": "drug", "test": "adjusted-wald"},
    "compare": {"of": "drug=yes", "by": "town", "reference": "Ash", "bins": 3},
    "participants": {"where": "drug = yes", "size": 3, "draw": "random"},
    "regress": {
        "formula": "drug=yes ~ sex + age", "where": "age < 30", "effects": True, "fit": True,
        "predict": ["sex=F; age=30", "sex=M"], "compare_with": "drug=yes ~ sex",
        "variance": "robust", "arms": ("a",),
    },
    "compliance": {
        "attribute": "drug", "behaviours": ("always=no",), "safe": "no", "share": 0.2,
        "share_error": 0.1, "band": (0.0, 0.2), "reach": 0.3, "arms": ("a",),
    },
    "list_item": {
        "attribute": "theft", "method": "ml", "predictors": ("sex", "age"), "ceiling": True,
        "second": "theft2", "direct": "asked",
    },
    "correlate": {"names": ("age", "pay")},
    "optimise": {
        "attribute": "drug", "privacy": "worst_posterior", "family": "any", "target": 0.5, "n": 90,
        "out": "found.json",
    },
    "reconstruct": {
        "attributes": ("town", "pay"), "algorithm": "em", "stop": "12", "bins": 6,
        "sharpest": "2.5",
        "sets": (("A", "B"), ("C",)), "pooling": "mean",
    },
    "repeat": {"attribute": "town", "algorithms": ("eq", "em-as"), "draws": 7, "bins": 4},
    "classify": {
        "classifiers": ("tree", "naive-bayes"), "undistorted": ("majority",), "class_name": "job",
        "folds": 3, "sweep": {"levels": (20.0, 100.0)}, "workers": 1, "resume": "kept.json",
    },
    "attack": {"attack": "link", "known": ("sex", "town")},
    "privacy": {
        "expected": {"drug": [1.0, 3.0]}, "n": 90, "noncompliance": 0.2, "half_width": 0.05,
    },
    "plan": {
        "half_width": {"": 0.05, "drug": None}, "difference": (0.3, 0.2), "power": 0.9,
        "sides": "1", "n": 90, "noncompliance": 0.1, "skipped": {"drug": 0.1}, "solve": True,
        "costs": (5.0, 8.0), "budget": 900.0, "compare": ("direct", "warner=0.7"), "bias": 0.05,
    },
    "allocate": {
        "attribute": "drug", "serves": "difference", "between": ("a", "b"), "costs": (1.0, 3.0),
        "share": 0.2,
    },
    "budget": {
        "total": 3.0, "rule": "max", "of": "variance", "weights": {"age": 2.0}, "ask": 2,
        "locked": ("town",), "together": (("drug", "age"), ("car", "bike")), "leave_open": True,
        "delta": 1e-8,
    },
    "trade_off": {
        "attribute": "drug", "privacy": "attack_success", "limit": 0.6, "frontier": False, "n": 90,
        "noncompliance": {"share": 0.1, "behaviour": "safe", "own_safe": [["drug", "no"]]},
        "share": {"drug": 0.2}, "expected": {"town": [0.2, 0.3, 0.5], "drug": "uniform"},
    },
    "mine": {
        "attributes": ("car", "job"),
        "method": "mask",
        "min_support": 0.2,
        "privacy": True,
        "items": {"bins": 3},
        "rules": {"min_confidence": 0.6},
    },
    "publish": {
        "sensitive": "drug", "out": "public.csv", "split_on": ("town", "job"), "tree": "tree.json",
        "folds": 3, "shuffle": True, "escape_formulas": False, "documents": True,
        "leave_out": ("age",), "keep": ("name",), "coarsen": ("w",), "confirm": ("drug",),
        "least_rows": 20, "min_deniability": 0.3, "manner": "shuffle", "merge_values": True,
    },
    "accuracy_curve": {
        "sensitive": "drug", "split_on": ("town",), "minimums": (0.1, 0.3), "folds": 3,
        "learners": ("tree",), "most_people": 500, "cuts": 4,
    },
}  # fmt: skip
"""Keywords of each question that are not the usual ones."""


@pytest.fixture(params=QUESTIONS, ids=lambda place: place.name)
def place(request: pytest.FixtureRequest) -> Place:
    found: Place = request.param
    return found


def asked(place: Place) -> Request:
    return place.load().given(WORDS[place.name])


def test_that_a_question_says_what_it_is_called(place: Place) -> None:
    request = place.load()
    assert request.name == place.name
    assert isinstance(request.label, Message)
    own = {one.name for one in declarations(request)}
    assert set(request.leading) <= own | set(inspect.signature(Source.__init__).parameters)


def test_that_a_question_is_given_again_by_what_changed(place: Place) -> None:
    request = place.load()
    assert request.given(asked(place).changed()) == asked(place)
    assert request.from_json(asked(place).to_json()) == asked(place)


def test_that_every_parameter_of_a_question_is_explained(place: Place) -> None:
    assert [one.name for one in declarations(place.load()) if not one.info.help] == []


def test_that_the_command_line_of_a_question_asks_the_same(place: Place) -> None:
    import shlex

    from ppworkbench.cli.questions import _given

    words = shlex.split(command_of(asked(place), "told.csv", "design.json"))
    words += ["--original", "true.csv"] if "original" in place.load().leading else []
    args = build_parser().parse_args(words[1:])
    assert place.load().given(dict(_given(place.load(), args))) == asked(place)


def test_that_an_unknown_keyword_of_a_question_is_named(place: Place) -> None:
    with pytest.raises(ParameterError, match="There is no parameter 'colour'") as caught:
        place.load().given(WORDS[place.name] | {"colour": 1})
    assert caught.value.field == "colour"


def test_that_a_question_is_a_function_or_a_method_with_documentation(place: Place) -> None:
    made = method_of(place) if place.of_survey else function_of(place)
    offered = getattr(pp.Survey if place.of_survey else pp, place.name)
    assert offered is made
    signature = inspect.signature(made)
    named = [one for one in signature.parameters if one not in ("self", "data", "design")]
    assert made.__doc__ is not None
    assert set(WORDS[place.name]) <= set(named) or "parameters" in named
    for section in ("Parameters\n----------", "Examples\n--------", ">>> "):
        assert section in made.__doc__
    assert issubclass(place.load().finds, Result)


def test_that_a_leading_keyword_of_the_source_is_given_by_place_and_by_name() -> None:
    answers = pd.DataFrame({"drug": ["no", "yes"] * 10})
    device = {"kind": "binary", "values": ["no", "yes"], "perturbation": {"type": "none"}}
    design = {"format": "ppworkbench-design", "version": 1, "attributes": {"drug": device}}
    for found in (
        pp.attack(answers, design, answers, attribute="drug"),
        pp.attack(answers, design, original=answers, attribute="drug"),
    ):
        assert found.to_frame()["right"].tolist() == [1.0, 1.0]


def test_that_the_stub_for_editors_is_that_of_the_declarations() -> None:
    place = Path(calls.__file__).with_name("questions.pyi")
    writer = place.parents[2] / "packaging" / "question_stub.py"
    made, written = runpy.run_path(str(writer))["stub"](), place.read_text("utf-8")
    parts = [
        sorted(
            part
            for node in ast.parse(text).body
            for part in (
                [f"{node.module}.{one.name}" for one in node.names]
                if isinstance(node, ast.ImportFrom)
                else [ast.unparse(node)]
            )
        )
        for text in (made, written)
    ]
    assert parts[0] == parts[1], "run packaging/dev.py stubs"
