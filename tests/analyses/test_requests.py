"""What holds for every question: its declaration gives keywords, JSON, command, method and stub."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any

import pytest

import ppworkbench as pp
from ppworkbench.analyses import QUESTIONS, Place
from ppworkbench.analyses.command_line import command_of
from ppworkbench.analyses.request import Request
from ppworkbench.api import calls
from ppworkbench.api.calls import function_of, method_of, stub
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
        "attribute": "drug", "behaviours": ("safe", "always=no"), "anchor": ("moon", 0.25, 0.1),
        "share": 0.2, "share_error": 0.1, "band": (0.0, 0.2), "reach": 0.3, "arms": ("a",),
    },
    "list_item": {
        "attribute": "theft", "method": "ml", "predictors": ("sex", "age"), "ceiling": True,
        "second": "theft2", "direct": "asked",
    },
    "correlate": {"names": ("age", "pay")},
    "mine": {
        "attributes": ("car", "job"),
        "method": "mask",
        "min_support": 0.2,
        "privacy": True,
        "items": {"bins": 3},
        "rules": {"min_confidence": 0.6},
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
    assert set(request.leading) <= {one.name for one in declarations(request)}


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
    assert issubclass(calls.result_of(place.load()), Result)


def test_that_the_stub_for_editors_is_that_of_the_declarations() -> None:
    written = Path(calls.__file__).with_name("questions.pyi").read_text("utf-8")
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
        for text in (stub(), written)
    ]
    assert parts[0] == parts[1], "run packaging/dev.py stubs"
