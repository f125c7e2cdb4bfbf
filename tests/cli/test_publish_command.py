"""Publishing a deniable table on the command line."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import numpy as np
import pytest
from publish_tables import smokers

import ppworkbench as pp
from ppworkbench.cli import main as cli
from ppworkbench.core.data.files import codebook_of, read_table, write_table
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.publish import DeniabilityOptions
from ppworkbench.core.publish.tree import SLACK
from ppworkbench.outputs.deniable import DenialPlan
from ppworkbench.outputs.publication import (
    QUICK_FOLDS,
    PreparedTable,
    make_groups,
    predict_better,
)


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "smokers.csv"
    write_table(smokers(600), path)
    return str(path)


@pytest.fixture
def out(tmp_path):
    return str(tmp_path / "public.csv")


def answer(capsys, *argv):
    status = cli.main([*argv, "--json"])
    return status, json.loads(capsys.readouterr().out)


def publish(data, out, *more):
    return "publish", data, "--sensitive", "smokes", "--out", out, *more


def test_that_a_deniable_table_is_written_and_its_promise_told(data, out, capsys, tmp_path):
    tree = tmp_path / "tree.json"
    given = ("--min-deniability", "0.3", "--tree", str(tree))
    status, told = answer(capsys, *publish(data, out, *given))
    assert status == 0
    assert told["minimum_deniability"] >= 0.3 - SLACK
    assert told["leaves"] >= 2
    assert 0.5 < told["predicted_accuracy"] < 0.8
    assert told["secure"] is True
    original, published = read_table(data), read_table(out)
    assert published.rows == original.rows == told["rows"]
    # The rows are shuffled: incomes tell who is who.
    income = dict(zip(original["income"].data, original["smokes"].data, strict=True))
    pairs = zip(published["income"].data, published["smokes"].data, strict=True)
    assert sum(income[key] != value for key, value in pairs) == told["changed"] > 0
    assert told["state"] == "true"
    assert published["income"].data.tolist() != original["income"].data.tolist()
    groups = json.loads(tree.read_text(encoding="utf-8"))
    # It tells how many of a group gave which true answer.
    assert os.name == "nt" or stat.S_IMODE(tree.stat().st_mode) == 0o600
    leaves = [n for n in groups["nodes"] if "split_on" not in n and n["people"]]
    assert len(leaves) == told["leaves"]


@pytest.mark.slow
def test_that_a_seed_repeats_the_draws_in_the_order_of_the_rows(data, tmp_path, capsys):
    files = [tmp_path / f"{i}.csv" for i in range(2)]
    for file in files:
        status, told = answer(capsys, *publish(data, str(file), "--seed", "4"))
        assert status == 0
        assert told["secure"] is False
    assert files[0].read_bytes() == files[1].read_bytes()
    original, published = read_table(data), read_table(files[0])
    assert published["income"].data.tolist() == original["income"].data.tolist()


def test_that_command_line_and_window_give_the_same_numbers(data, out, capsys):
    given = ("--min-deniability", "0.3", "--cuts", "4", "--folds", str(QUICK_FOLDS), "--seed", "7")
    status, told = answer(capsys, *publish(data, out, *given))
    assert status == 0
    plan = DenialPlan("smokes", DeniabilityOptions(min_deniability=0.3, cuts=4))
    shown = predict_better(make_groups(PreparedTable().of(read_table(data)), plan, seed=7))
    assert told["leaves"] == len(shown.tree.leaves) > 1
    assert told["minimum_deniability"] == shown.tree.minimum_deniability
    assert told["changed"] == shown.changed > 0
    assert told["predicted_accuracy"] == shown.predicted


def test_that_shuffling_keeps_counts_and_splits_are_restricted(data, out, capsys, tmp_path):
    tree = tmp_path / "tree.json"
    given = ("--manner", "shuffle", "--split-on", "age", "--split-on", "district")
    status, _ = answer(capsys, *publish(data, out, *given, "--tree", str(tree)))
    assert status == 0
    original, published = read_table(data), read_table(out)
    assert published["smokes"].counts.tolist() == original["smokes"].counts.tolist()
    nodes = json.loads(tree.read_text(encoding="utf-8"))["nodes"]
    assert {n["split_on"] for n in nodes if "split_on" in n} <= {"age", "district"}


def test_that_people_read_how_deniable_the_groups_are(data, out, capsys):
    assert cli.main([*publish(data, out, "--min-deniability", "0.5")]) == 0
    text = capsys.readouterr().out
    assert "Groups: " in text
    assert "in 100 people share an answer" in text
    assert "Predicted accuracy" in text
    assert "age: " in text
    assert "Only this attribute is protected" in text


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--min-deniability", "0.9999"), "choose at most"),
        (("--sensitive", "age"), "is a number"),
        (("--sensitive", "mood"), "no attribute 'mood'"),
        (("--split-on", "smokes"), "itself"),
    ],
)
def test_that_what_cannot_be_denied_is_one_sentence(data, out, capsys, given, said, tmp_path):
    status, told = answer(capsys, *publish(data, out, *given))
    assert status == 1
    assert said in told["error"]
    assert not (tmp_path / "public.csv").exists()


def test_that_a_single_row_cannot_deny(tmp_path, capsys, out):
    path = tmp_path / "one.csv"
    write_table(smokers(1), path)
    status, told = answer(capsys, *publish(str(path), out))
    assert status == 1
    assert told["error"].endswith(".")


@pytest.mark.parametrize(
    "given", [("--min-deniability", "2"), ("--folds", "1"), ("--distance", "x")]
)
def test_that_a_wrong_option_is_a_matter_of_usage(data, out, capsys, given):
    assert cli.main([*publish(data, out, *given)]) == 2
    assert capsys.readouterr().err


def test_that_columns_of_the_sampling_are_not_published_without_a_word(data, out, capsys):
    codebook = Path(data).with_suffix(".codebook.json")
    document = json.loads(codebook.read_text(encoding="utf-8"))
    _, told = answer(capsys, *publish(data, out))
    assert not any("can identify people" in note for note in told["notes"])
    document["sampling"] = {"weight": "income", "stratum": ["district"]}
    codebook.write_text(json.dumps(document), encoding="utf-8")
    _, told = answer(capsys, *publish(data, out, "--force"))
    (note,) = [note for note in told["notes"] if "can identify people" in note]
    assert "income, district" in note
    assert any("can be singled out by" in point["sentence"] for point in told["checklist"])


@pytest.fixture
def sampled(data):
    codebook = Path(data).with_suffix(".codebook.json")
    document = json.loads(codebook.read_text(encoding="utf-8"))
    document["sampling"] = {"weight": "income", "stratum": ["district"]}
    codebook.write_text(json.dumps(document), encoding="utf-8")
    return data


def test_that_columns_of_the_sampling_are_coarsened_and_left_out(sampled, out, capsys):
    given = ("--coarsen", "income", "--leave-out", "district", "--least-rows", "50")
    status, told = answer(capsys, *publish(sampled, out, *given))
    assert status == 0
    published = read_table(out)
    assert "district" not in published
    assert np.unique(published["income"].data, return_counts=True)[1].min() >= 50
    assert not any("can identify people" in note for note in told["notes"])
    codebook = codebook_of(out)
    assert codebook.sampling == Sampling("income")
    assert any("at least 50 rows" in note for note in codebook.notes)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (("--coarsen", "age"), "has no sampling role"),
        (("--leave-out", "nothing"), "There is no attribute 'nothing'"),
    ],
)
def test_that_only_columns_of_the_sampling_are_coarsened(sampled, out, capsys, given, why):
    status, told = answer(capsys, *publish(sampled, out, *given))
    assert status == 1
    assert why in told["error"]


def test_that_a_stratum_is_not_exchanged(sampled, out, capsys):
    line = ("publish", sampled, "--sensitive", "district", "--out", out)
    status, told = answer(capsys, *line)
    assert status == 1
    assert "sampling role" in told["error"]


@pytest.mark.skipif(os.name == "nt", reason="there are no such modes")
def test_that_the_groups_are_saved_for_their_owner_only(data, out, tmp_path):
    # Deniability and size of a group tell the shares of its true answers.
    saved = [tmp_path / name for name in ("groups.csv", "groups.tex", "groups.svg")]
    given = [word for one in saved for word in ("--save", str(one))]
    assert cli.main([*publish(data, out, "--folds", "2"), *given]) == 0
    assert {stat.S_IMODE(one.stat().st_mode) for one in saved} == {0o600}
    assert stat.S_IMODE(Path(out).stat().st_mode) != 0o600


def test_that_descriptions_lie_beside_the_table_and_replace_nothing_unasked(
    data, out, capsys, tmp_path
):
    given = publish(data, out, "--folds", "2", "--documents")
    status, told = answer(capsys, *given)
    assert status == 0
    assert told["documents"] == ["public.ddi.xml", "datapackage.json", "FOR-ANALYSTS.txt"]
    package = json.loads((tmp_path / "datapackage.json").read_text(encoding="utf-8"))
    assert package["resources"][0]["path"] == "public.csv"
    text = (tmp_path / "FOR-ANALYSTS.txt").read_text(encoding="utf-8")
    assert "smokes: binary; no, yes; exchanged within groups" in text
    for name in ("district", "age", "income"):
        (line,) = (one for one in text.splitlines() if one.startswith(f"{name}: "))
        assert line.endswith("; as answered")
    assert "Answers of single people" not in text
    fields = package["resources"][0]["schema"]["fields"]
    described = {one["name"]: one["description"] for one in fields}
    assert described.pop("smokes") == "exchanged within groups"
    assert set(described.values()) == {"as answered"}
    ddi = (tmp_path / "public.ddi.xml").read_text(encoding="utf-8")
    assert ddi.count("<concept>exchanged within groups</concept>") == 1
    assert ddi.count("<concept>as answered</concept>") == 3
    assert "may lie outside" not in ddi
    Path(out).unlink()
    Path(out).with_suffix(".codebook.json").unlink(missing_ok=True)
    assert cli.main([*given]) == 1
    assert "public.ddi.xml exists" in capsys.readouterr().err
    assert not Path(out).exists()
    assert cli.main([*given, "--force"]) == 0


def test_that_a_trial_writes_nothing_and_tells_the_checklist_of_a_release(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = pp.sample("city-survey", rows=300, seed=1)
    found = pp.publish(table, "fare_evasion", seed=1, folds=2)
    assert list(tmp_path.iterdir()) == []
    assert found.summary().startswith("Trial: 300 rows")
    assert "Checklist of a release without a seed" in found.summary()
    told = {one["sentence"]: one["good"] for one in found.to_dict()["checklist"]}
    assert told["No seed is saved"] is True
    written = pp.publish(table, "fare_evasion", "out.csv", seed=1, folds=2)
    told = {one["sentence"]: one["good"] for one in written.to_dict()["checklist"]}
    assert told["The seed reveals the true answers"] is False
    with pytest.raises(pp.WorkbenchError, match="give the file"):
        pp.publish(table, "fare_evasion", documents=True)


def test_that_python_writes_nothing_over_the_true_answers(data, tmp_path):
    before, out = Path(data).read_bytes(), tmp_path / "released.csv"
    for given in ({"out": data}, {"out": out, "tree": data}):
        with pytest.raises(pp.WorkbenchError, match="would be lost"):
            pp.publish(data, "smokes", seed=1, folds=2, **given)
        assert Path(data).read_bytes() == before
        assert not out.exists()


@pytest.fixture
def named(tmp_path):
    """People with a number and a name each, as a program without a codebook writes them."""
    path = tmp_path / "named.csv"
    draw = np.random.default_rng(5)
    rows = [
        f"{place},{name}@example.org,{town},{smokes}"
        for place, (name, town, smokes) in enumerate(
            zip(
                (f"person{n}" for n in range(300)),
                draw.choice(["a", "b", "c"], 300),
                draw.choice(["no", "yes"], 300, p=[0.6, 0.4]),
                strict=True,
            ),
            start=1,
        )
    ]
    path.write_text("\n".join(["id,email,town,smokes", *rows]) + "\n", encoding="utf-8")
    return str(path)


def test_that_identifiers_and_names_are_released_only_if_asked_for(named, out, capsys):
    status, told = answer(capsys, *publish(named, out, "--min-deniability", "0.2"))
    assert status == 0
    assert read_table(out).names == ("town", "smokes")
    assert any(point["sentence"] == "id, email: omitted" for point in told["checklist"])
    assert any("Keep a column by its name" in note for note in told["notes"])
    _, told = answer(capsys, *publish(named, out, "--keep", "email", "--force"))
    assert read_table(out).names == ("email", "town", "smokes")
    assert any("id. Keep" in note for note in told["notes"])
    answer(capsys, *publish(named, out, "--leave-out", "town", "--keep", "id", "--force"))
    assert read_table(out).names == ("id", "smokes")
    status, told = answer(capsys, *publish(named, out, "--leave-out", "smokes", "--force"))
    assert status == 1
    assert "protected attribute" in told["error"]
