"""Designs, distorting and reconstructing in Python."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import ppworkbench as pp
from ppworkbench.cli.main import main


def run(capsys, *words: str) -> dict:
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_that_a_design_comes_back_from_its_file(design: pp.Design, tmp_path) -> None:
    design.save(tmp_path / "design.json")
    again = pp.Design.read(tmp_path / "design.json")
    assert again == design
    assert pp.Design.of(design) is design
    assert again.to_dict() == json.loads((tmp_path / "design.json").read_text("utf-8"))
    assert again.to_frame()["attribute"].tolist() == list(design.names)


@pytest.mark.parametrize("given", [{"attributes": {}}, "survey.ppdesign"])
def test_that_a_document_or_a_path_is_led_to_its_reader(given) -> None:
    with pytest.raises(pp.WorkbenchError, match=r"made with Design\.from_dict"):
        pp.Design(given)


def test_that_a_starting_design_spends_what_it_may(true_answers: pd.DataFrame) -> None:
    each = pp.Design.starting(true_answers, epsilon=2.0).to_frame()
    assert each["epsilon"].tolist() == pytest.approx([2.0] * len(each), rel=1e-6)
    total = pp.Design.starting(true_answers, total=2.0).to_frame()
    assert total["epsilon"].sum() <= 2.0 + 1e-6
    with pytest.raises(pp.WorkbenchError, match="not both"):
        pp.Design.starting(true_answers, epsilon=1.0, total=2.0)
    with pytest.raises(pp.WorkbenchError, match="epsilon is -1"):
        pp.Design.starting(true_answers, epsilon=-1.0)


def test_that_distorting_keeps_the_index_and_leaves_out_what_is_not_designed(
    true_answers: pd.DataFrame, design: pp.Design
) -> None:
    named = true_answers.assign(name="x").set_index(np.arange(len(true_answers)) + 1000)
    first, again = (pp.distort(named, design, seed=3) for _ in range(2))
    pd.testing.assert_frame_equal(first, again)
    assert first.index.equals(named.index)
    assert "name" not in first
    assert (first["sex"].astype(str) == named["sex"]).all()
    assert 0.6 < (first["fare_evasion"].astype(str) == named["fare_evasion"]).mean() < 0.95


def test_that_secure_randomness_is_never_the_same_twice(true_answers, design) -> None:
    first, again = (pp.distort(true_answers, design)["district"].tolist() for _ in range(2))
    assert first != again


def test_that_reconstruction_is_that_of_the_command(files, answers, capsys) -> None:
    found = pp.reconstruct(answers, "design.json", ["district", "sex"])
    command = ["reconstruct", "reported.csv", "--design", "design.json"]
    told = run(capsys, *command, "--attribute", "district", "--attribute", "sex")
    assert found.to_dict() == told
    shares = found.to_frame().groupby("attribute")["share"].sum()
    assert shares.tolist() == pytest.approx([1.0, 1.0])


def test_that_privacy_is_that_of_the_command(files, true_answers, capsys) -> None:
    found = pp.privacy("design.json", true_answers, noncompliance=0.1)
    command = ["measure", "--design", "design.json", "--data", "true.csv"]
    assert found.to_dict() == run(capsys, *command, "--non-compliance", "0.1")
    frame = found.to_frame().set_index(["attribute", "measure"])["value"]
    assert frame["fare_evasion", "epsilon"] > 0


def test_that_mining_is_that_of_the_command(files, answers, true_answers, capsys) -> None:
    names = ["sex", "district"]
    found = pp.mine(
        answers, "design.json", names, min_support=0.1, rules={"min_confidence": 0.2},
        original=true_answers,
    )  # fmt: skip
    told = run(
        capsys, "mine", "reported.csv", "--design", "design.json", "--min-support", "0.1",
        "--rules", "--min-confidence", "0.2", "--original", "true.csv", "--attribute", "sex",
        "--attribute", "district",
    )  # fmt: skip
    timed = ("seconds",)
    mined = found.to_dict()
    assert {k: v for k, v in mined.items() if k not in timed} == {
        k: v for k, v in told.items() if k not in timed
    }
    assert len(found.to_frame()) == len(mined["itemsets"]) > 3
    assert len(found.rules()) == len(mined["rules"]) > 0
    with pytest.raises(pp.WorkbenchError, match="'support'"):
        pp.mine(answers, "design.json", names, support=0.1)


def test_that_a_release_is_written_and_told(files, capsys) -> None:
    made = pp.release("true.csv", "design.json", "out.csv", seed=2)
    told = run(
        capsys, "distort", "true.csv", "--design", "design.json", "--out", "o2.csv", "--seed", "2"
    )
    assert made.to_dict() == told | {"file": "out.csv"}
    assert (files / "out.csv").read_bytes() == (files / "o2.csv").read_bytes()
    with pytest.raises(pp.WorkbenchError, match="never randomised again"):
        pp.distort("out.csv", "design.json")


def test_that_a_classifier_takes_a_design_in_any_form(files, answers, design) -> None:
    X, y = answers[["sex", "district"]], answers["fare_evasion"].astype(str)
    forms = (design.to_dict(), "design.json", design)
    found = [pp.NaiveBayes(design=one).fit(X, y).predict(X).tolist() for one in forms]
    assert found[0] == found[1] == found[2]
    with pytest.raises(pp.WorkbenchError, match="not int"):
        pp.NaiveBayes(design=3).fit(X, y)


def test_that_a_comparison_of_classifiers_is_that_of_the_command(
    files, true_answers, capsys
) -> None:
    found = pp.classify(
        true_answers, "design.json", ["naive-bayes"], undistorted=["majority"],
        class_name="fare_evasion", folds=2,
    )  # fmt: skip
    told = run(
        capsys, "classify", "true.csv", "--design", "design.json", "--class", "fare_evasion",
        "--classifier", "naive-bayes", "--undistorted", "majority", "--folds", "2",
    )  # fmt: skip
    mine = found.to_dict()
    for result in (*mine["results"], *told["results"]):
        for timed in [key for key in result if key.endswith("seconds")]:
            del result[timed]
    assert mine == told
    assert found.to_frame()["accuracy"].between(0, 1).all()
    with pytest.raises(pp.WorkbenchError, match="'fold'"):
        pp.classify(true_answers, "design.json", ["tree"], class_name="fare_evasion", fold=2)


@pytest.mark.parametrize("is_open", [False, True])
def test_that_a_summary_tells_the_epsilon_of_the_questionnaire_once(is_open):
    kept = {"type": "uniform", "keep": 0.75}
    asked = {"kind": "binary", "values": ["no", "yes"]}
    attributes = {"a": asked | {"perturbation": kept}, "b": asked | {"perturbation": kept}}
    if is_open:
        attributes["c"] = asked | {"perturbation": {"type": "none"}}
    found = pp.privacy({"format": "ppworkbench-design", "version": 1, "attributes": attributes})
    lines = found.summary().splitlines()
    assert sum(line.startswith("Epsilon of the questionnaire") for line in lines) == 1
    told = [line for line in lines if line.startswith("Epsilon of the randomised answers")]
    assert len(told) == is_open
    assert found.to_dict()["questionnaire"]["epsilon_distorted"] == pytest.approx(2.1972, abs=1e-4)


@pytest.mark.parametrize(
    ("ask", "field"),
    [
        (lambda frame: pp.Design.read(3), "path"),
        (lambda frame: pp.Design.from_dict("design.json"), "document"),
        (lambda frame: pp.Design.starting(frame, epsilon="1"), "epsilon"),
        (lambda frame: pp.Design.starting(frame, sampling="weight"), "sampling"),
        (lambda frame: pp.Design.starting(frame).save(None), "path"),
    ],
)
def test_that_a_design_refuses_wrong_arguments(ask, field, true_answers) -> None:
    with pytest.raises(pp.WorkbenchError) as told:
        ask(true_answers)
    assert told.value.field == field
    assert told.value.message.startswith(f"{field} must be ")


@pytest.mark.parametrize("mechanism", [pp.forced(2 / 3), pp.warner(0.7), pp.uniform(0.8)])
def test_that_a_column_with_one_answer_needs_its_answers(mechanism) -> None:
    reports = pd.DataFrame({"y": ["no"] * 20, "age": range(20, 40)})
    with pytest.raises(pp.WorkbenchError) as caught:
        pp.design(reports, y=mechanism)
    assert caught.value.message == (
        "Column 'y' only holds 'no', so its possible answers are not known; give them, as in "
        "answers={'y': ['no', 'yes']}."
    )
    assert caught.value.attribute == "y"
    made = pp.design(reports, y=mechanism, answers={"y": ["no", "yes"]})
    assert made.to_frame()["attribute"].tolist()[0] == "y"


def test_that_a_design_of_two_answers_names_the_column_with_more() -> None:
    reports = pd.DataFrame({"y": ["no", "yes", "perhaps"] * 20})
    with pytest.raises(pp.WorkbenchError, match=r"Column 'y': .* answers=\{'y'"):
        pp.design(reports, y=pp.warner(0.7))
