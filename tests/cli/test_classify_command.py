"""Comparing classifiers on the command line."""

from __future__ import annotations

import json

import pytest
from experiments import DESIGN, make_records

from ppworkbench.cli.main import main
from ppworkbench.core.classify import classifiers
from ppworkbench.core.data.files import write_table
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.errors import DesignError


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Original records with a design, in the current folder."""
    monkeypatch.chdir(tmp_path)
    write_table(make_records(60), "records.csv")
    write_design(DESIGN, "design.json")


def answer(capsys, *more, classifier="naive-bayes"):
    words = ["classify", "records.csv", "--design", "design.json", "--workers", "1", "--json"]
    status = main([*words, "--classifier", classifier, "--folds", "2", *more])
    return status, json.loads(capsys.readouterr().out)


def test_that_the_answer_is_the_document_that_is_promised(files, capsys):
    status, document = answer(capsys, "--seed", "3", "--repeats", "2")
    assert status == 0
    (found,) = document["results"]
    assert found["classifier"] == "naive-bayes"
    assert found["parameters"] == classifiers["naive-bayes"].params_type().to_json()
    assert 0.5 < found["accuracy"]["mean"] <= 1
    assert found["accuracy"]["sd"] >= 0
    for name in ("sensitivity", "specificity", "precision", "f1"):
        assert 0 <= found[name] <= 1
        assert 0 <= found["classes"]["yes"][name] <= 1
    assert found["train_seconds"] > 0
    assert found["test_seconds"] > 0
    assert found["folds"] == 4
    assert sum(map(sum, found["confusion"])) == 60


def test_that_the_same_seed_gives_the_same_numbers(files, capsys):
    def told(*more):
        (found,) = answer(capsys, *more)[1]["results"]
        return found["accuracy"], found["confusion"]

    assert told("--seed", "3") == told("--seed", "3")
    assert told("--seed", "3") != told("--seed", "4")


def test_that_parameters_can_be_given_for_all_and_for_one(files, capsys):
    _, document = answer(
        capsys, "--classifier", "naive-bayes:bins=7", "--bins", "5", "--laplace", "2"
    )
    given = [found["parameters"] for found in document["results"]]
    assert [(p["bins"], p["laplace"]) for p in given] == [(5, 2.0), (7, 2.0)]


def test_that_variants_of_a_classifier_are_told_apart(files, capsys):
    more = ["--classifier", "naive-bayes:bins=7", "--classifier", "tree", "--undistorted", "tree"]
    _, document = answer(capsys, *more)
    labels = [found["label"] for found in document["results"]]
    assert set(labels) == {
        "Naive Bayes, reconstructed (bins=20)", "Naive Bayes, reconstructed (bins=7)",
        "Decision tree", "Decision tree (undistorted)",
    }  # fmt: skip
    words = ["classify", "records.csv", "--design", "design.json", "--workers", "1", "--folds", "2"]
    assert main([*words, "--classifier", "naive-bayes", *more]) == 0
    told = capsys.readouterr().out
    assert all(label in told for label in labels)


def test_that_a_sweep_has_a_result_for_every_level_and_one_for_the_reference(files, capsys):
    _, document = answer(capsys, "--levels", "0,100", "--undistorted", "tree")
    places = [(r["classifier"], r.get("level"), r["undistorted"]) for r in document["results"]]
    assert sorted(places, key=str) == [
        ("naive-bayes", 0.0, False), ("naive-bayes", 100.0, False), ("tree", None, True),
    ]  # fmt: skip


def test_that_people_get_a_table_with_the_best_marked(files, capsys):
    words = ["classify", "records.csv", "--design", "design.json", "--workers", "1"]
    assert main([*words, "--classifier", "naive-bayes", "--folds", "2"]) == 0
    told = capsys.readouterr().out
    assert "60 records, class buys, 2 folds x 1" in told
    assert "Naive Bayes" in told
    assert " *" in told


def test_that_a_file_of_results_is_gone_on_with(files, capsys, tmp_path):
    answer(capsys, "--resume", "kept.json")
    rows = json.loads((tmp_path / "kept.json").read_text(encoding="utf-8"))["results"][0]["rows"]
    assert len(rows) == 2
    _, document = answer(capsys, "--resume", "kept.json", "--repeats", "2")
    assert document["results"][0]["folds"] == 4
    after = json.loads((tmp_path / "kept.json").read_text(encoding="utf-8"))
    assert after["results"][0]["rows"][:2] == rows
    status, document = answer(capsys, "--resume", "kept.json", "--seed", "9")
    assert status == 1
    assert "choose another file" in document["error"]
    status, document = answer(capsys, "--resume", "records.csv")
    assert status == 1
    assert document["file"] == "records.csv"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--folds", "99"], "Use fewer folds"),
        (["--class", "age"], "is continuous"),
        (["--classifier", "guesswork"], "no classifier called 'guesswork'"),
        (["--classifier", "tree:wings=2"], "no parameter 'wings'"),
        (["--classifier", "tree:bins=many"], "Intervals is"),
        (["--test-on", "distorted"], "cannot be tested on distorted records: naive-bayes"),
    ],
)
def test_that_what_cannot_be_is_said_in_a_sentence(files, capsys, words, sentence):
    status, document = answer(capsys, *words)
    # A setting that there is not is a matter of usage.
    assert status == (2 if words[0] == "--classifier" else 1)
    assert sentence in document["error"]


def test_that_a_classifier_that_always_fails_is_an_error(files, capsys, monkeypatch):
    def fail(*_):
        raise DesignError("This design cannot be learnt from.")

    monkeypatch.setattr(classifiers["naive-bayes"], "_fit", fail)
    status, document = answer(capsys)
    assert status == 1
    assert document["error"] == "This design cannot be learnt from."


def test_that_wrong_words_are_a_matter_of_usage(files, capsys):
    assert answer(capsys, "--workers", "0")[0] == 2
    assert answer(capsys, "--folds", "1")[0] == 2
    assert main(["classify", "records.csv", "--design", "design.json"]) == 2


def test_that_means_of_fewer_folds_are_told_and_not_called_the_best(files, capsys, monkeypatch):
    whole, calls = classifiers["naive-bayes"]._fit, []

    def fails_once(*given):
        calls.append(1)
        if len(calls) == 1:
            raise DesignError("This fold cannot be learnt from.")
        return whole(*given)

    monkeypatch.setattr(classifiers["naive-bayes"], "_fit", fails_once)
    words = ["classify", "records.csv", "--design", "design.json", "--workers", "1"]
    assert main([*words, "--classifier", "naive-bayes", "--folds", "3"]) == 0
    said = capsys.readouterr().out
    row = next(line for line in said.splitlines() if "of 3" in line)
    assert row.endswith("2 of 3")
    assert "*" not in row
    assert "means of 2 of 3 folds; the others failed. This fold cannot be learnt from." in said
