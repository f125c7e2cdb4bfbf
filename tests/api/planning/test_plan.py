"""Sample sizes in Python, which are those of the command line."""

from __future__ import annotations

import json

import pytest

import ppworkbench as pp
from ppworkbench.cli.main import main
from ppworkbench.core.progress import Cancelled

PLANS = {
    "error": ({"target_error": 0.02}, ["--target-error", "0.02"]),
    "limits": (
        {"half_width": {"": 0.05, "district": 0.1}, "share": {"fare_evasion": 0.2}, "belief": 0.7},
        [
            "--half-width", "0.05", "--half-width", "district=0.1", "--share", "fare_evasion=0.2",
            "--belief", "0.7",
        ],
    ),
    "test": (
        {"against": {"fare_evasion": 0.1}, "power": 0.9, "alpha": 0.01, "sides": 1},
        ["--against", "fare_evasion=0.1", "--power", "0.9", "--alpha", "0.01", "--sides", "1"],
    ),
    "circumstances": (
        {"half_width": 0.05, "skipped": {"": 0.1, "age": 0.2}, "response_rate": 0.5, "n": 500,
         "noncompliance": {"share": 0.1, "behaviour": "random"},
         "expected": {"district": [2, 1, 1]}},
        [
            "--half-width", "0.05", "--skipped", "0.1", "--skipped", "age=0.2",
            "--response-rate", "0.5", "--n", "500", "--non-compliance", "0.1", "--behaviour",
            "random", "--expected", "district=2,1,1",
        ],
    ),
    "pilot": (
        {"half_width": 0.05, "data": "true.csv"},
        ["--half-width", "0.05", "--data", "true.csv"],
    ),
    "techniques": (
        {"attribute": "fare_evasion", "compare": ["direct", "warner=0.7"], "costs": (5, 8)},
        [
            "--attribute", "fare_evasion", "--compare", "direct,warner=0.7", "--cost-direct", "5",
            "--cost-randomised", "8",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANS)
def test_that_a_plan_is_that_of_the_command(name: str, files, capsys) -> None:
    keywords, options = PLANS[name]
    found = pp.plan("design.json", **keywords)
    assert main(["plan", "--design", "design.json", *options, "--json"]) == 0
    assert found.to_dict() == json.loads(capsys.readouterr().out)
    assert main(["plan", "--design", "design.json", *options]) == 0
    printed = capsys.readouterr().out.rstrip("\n").replace("\u202f", " ")
    assert found.summary().replace("\u202f", " ") == printed
    assert "fare_evasion" in found.to_frame()["attribute"].tolist()


def test_that_a_solved_design_can_be_used(files, design) -> None:
    found = pp.plan(
        design, attribute="fare_evasion", epsilon=0.8, half_width=0.1, solve=True, out="s.json"
    )
    solved = pp.Design.read("s.json")
    assert solved == pp.Design.of(found.design)
    kept = solved.to_frame().set_index("attribute")["epsilon"]
    assert kept["fare_evasion"] <= 0.8 + 1e-9


def test_that_arms_are_allocated(files, design) -> None:
    arms = design.to_dict() | {
        "version": 2,
        "arms": {
            "column": "arm",
            "members": {
                "A": {"share": 0.5},
                "B": {
                    "share": 0.5,
                    "perturbations": {"fare_evasion": {"type": "uniform", "keep": 0.2}},
                },
            },
        },
    }
    found = pp.allocate(arms, "fare_evasion", serves="compliance", share=0.2)
    assert found.to_frame()["share"].sum() == pytest.approx(1.0)
    assert found.to_dict()["standard_error"] <= found.to_dict()["standard_error_before"] + 1e-9
    with pytest.raises(pp.WorkbenchError, match="Name the attribute"):
        pp.allocate(arms)
    with pytest.raises(pp.WorkbenchError, match="without arms"):
        pp.plan(arms, target_error=0.1)


@pytest.mark.parametrize(
    ("keywords", "field"),
    [
        ({}, "target_error"),
        ({"alpha": 0.1}, "against"),
        ({"half_width": 0.1, "value": "yes"}, "value"),
        ({"half_width": 0.1, "out": "x.json"}, "out"),
        ({"half_width": 0.1, "expected": {"sex": "even"}}, "expected"),
    ],
)
def test_that_a_plan_without_sense_is_told_in_one_sentence(keywords, field, design) -> None:
    with pytest.raises(pp.WorkbenchError) as told:
        pp.plan(design, **keywords)
    assert told.value.field == field


def test_that_solving_tells_its_progress_and_can_be_stopped(design) -> None:
    seen: list[tuple[float, str]] = []

    def note(done: float, message: str = "") -> None:
        seen.append((done, message))

    pp.plan(design, epsilon=0.8, half_width=0.1, solve=True, progress=note)
    assert [message for _, message in seen][-4:] == list(design.names)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)

    def stop(done: float, message: str = "") -> None:
        if message == "district":
            raise Cancelled

    with pytest.raises(Cancelled):
        pp.plan(design, epsilon=0.8, half_width=0.1, solve=True, progress=stop)


def test_that_a_plan_marks_a_number_of_respondents_only_where_one_was_given(design) -> None:
    from matplotlib.figure import Figure

    found = pp.plan(design, half_width=0.1).plot(Figure().subplots())
    assert found.get_legend() is None
    assert not found.get_lines()
    asked = pp.plan(design, half_width=0.1, n=300).plot(Figure().subplots())
    assert [one.get_text() for one in asked.get_legend().get_texts()] == [
        "respondents needed", "asked",
    ]  # fmt: skip
    assert [one.get_xdata()[0] for one in asked.get_lines()] == [300]
