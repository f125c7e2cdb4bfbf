"""The notebooks of the documentation run, and find what they say."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from typing import Any

import pytest
from recipes import PACKAGING

NOTEBOOKS = sorted((PACKAGING / "docs" / "notebooks").glob("*.ipynb"))


@pytest.fixture
def notebook(load):
    """The module that runs notebooks."""
    return load("docs/notebook")


def cells_of(path, kind):
    document = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in document["cells"] if cell["cell_type"] == kind]


def test_that_there_is_a_notebook_for_each_of_five_tasks() -> None:
    assert [path.name[:2] for path in NOTEBOOKS] == ["1-", "2-", "3-", "4-", "5-"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_that_a_notebook_is_stored_without_results(path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in document["cells"]}) == len(document["cells"])
    assert document["cells"][0]["source"][0].startswith("# ")
    for cell in cells_of(path, "code"):
        assert cell["outputs"] == []
        assert cell["execution_count"] is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_that_a_notebook_uses_the_public_interface_only(path) -> None:
    source = "\n".join("".join(cell["source"]) for cell in cells_of(path, "code"))
    tree = ast.parse(source)
    assert [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)] == []
    imported = {
        name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    }
    assert imported <= {"ppworkbench", "pandas"}


def holds_design_trade(names: dict[str, Any]) -> None:
    compared = names["compared"].astype(float)
    assert compared["epsilon"].idxmax() == compared["overall_design_effect"].idxmin()
    assert "die" in compared["epsilon"].idxmax()


def holds_reconstruction(names: dict[str, Any]) -> None:
    truth = names["true"]["education"].value_counts(normalize=True, sort=False)
    found = names["found"].to_frame().set_index("value")["share"]
    assert (found - truth).abs().sum() < (names["shares"]["reported"] - truth).abs().sum() / 3
    assert names["mean"].low < names["true"]["income"].mean() < names["mean"].high


def holds_weights(names: dict[str, Any]) -> None:
    share, truth = names["share"], names["truth"]
    assert share.low < truth < share.high
    assert abs(share.estimate - truth) < abs(names["unweighted"].estimate - truth)


def holds_regression(names: dict[str, Any]) -> None:
    found = names["simple"].to_frame().set_index("term").loc["drug_use"]
    assert found["low"] < found["true"] < found["high"]
    assert found["naive"] < found["low"]


def holds_plan(names: dict[str, Any]) -> None:
    trade = names["trade"]
    assert trade["respondents"].is_monotonic_decreasing
    assert trade["belief"].is_monotonic_increasing
    assert names["best"].to_frame()["belief"].item() <= 0.5 + 1e-9


CLAIMS: list[Callable[[dict[str, Any]], None]] = [
    holds_design_trade, holds_reconstruction, holds_weights, holds_regression, holds_plan,
]  # fmt: skip
"""What every notebook says of its own numbers."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "claim"),
    list(zip(NOTEBOOKS, CLAIMS, strict=True)),
    ids=[path.stem for path in NOTEBOOKS],
)
def test_that_a_notebook_runs_and_finds_what_it_says(notebook, path, claim) -> None:
    done = notebook.run_notebook(path)
    claim(done.names)
    code = [cell for cell in done.cells if cell.kind == "code"]
    shown = [cell for cell in code if cell.printed or cell.html or cell.value or cell.pictures]
    assert len(shown) >= len(code) - 2
    drawing = [cell for cell in code if ".plot()" in cell.source]
    assert all(len(cell.pictures) == 1 for cell in drawing)


def test_that_a_cell_shows_its_last_value_unless_a_semicolon_follows(notebook, tmp_path) -> None:
    path = written(tmp_path, "print('a')\nx = 2\nx + 1", "x;", "x = 5")
    first, second, third = notebook.run_notebook(path).cells
    assert (first.printed, first.value) == ("a\n", "3")
    assert (second.value, third.value) == ("", "")


def test_that_a_cell_that_fails_is_named(notebook, tmp_path) -> None:
    path = written(tmp_path, "x = 1", "x / 0")
    with pytest.raises(notebook.NotebookError, match=r"trial.ipynb, cell 2: ZeroDivisionError"):
        notebook.run_notebook(path)


def written(folder, *sources):
    cells = [{"cell_type": "code", "source": [source]} for source in sources]
    path = folder / "trial.ipynb"
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    return path
