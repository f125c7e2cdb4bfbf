"""Mining itemsets and rules on the command line."""

import json

import numpy as np
import pytest
from survey_files import write_survey

from ppworkbench.cli.main import main
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Binary, Design, DesignedAttribute, Unrelated
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.itemsets import item_data
from ppworkbench.core.mining import (
    Apriori,
    Mask,
    entry_privacy,
    find_rules,
    length_errors,
    mine,
    mined_privacy,
    miners,
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shop")
    original = load_sample("baskets", transactions=1500, items=12, length=5, pattern=3, patterns=20)
    design = Design(
        tuple(DesignedAttribute(c.attribute, Binary(keep_one=0.7, keep_zero=0.9)) for c in original)
    )
    return folder, original, design, write_survey(folder, original, design)


@pytest.fixture
def ask(shop, capsys):
    folder = shop[0]

    def ask(*options, file="distorted.csv", design=True):
        argv = ["mine", str(folder / file), "--min-support", "0.1", *options]
        argv += ["--design", str(folder / "design.json")] if design else []
        status = main(argv)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return ask


def document(printed):
    status, out, err = printed
    assert (status, err) == (0, "")
    return json.loads(out)


def test_that_the_document_holds_what_the_core_found(ask, shop):
    _, _, design, distorted = shop
    told = document(ask("--method", "mask", "--json"))
    found = mine(item_data(distorted, design), Mask(min_support=0.1)).itemsets
    assert told["method"] == "mask"
    assert told["transactions"] == 1500
    assert [entry["items"] for entry in told["itemsets"]] == [
        list(found.names(i)) for i in range(len(found))
    ]
    assert [entry["support"] for entry in told["itemsets"]] == pytest.approx(found.support)
    assert told["itemsets"][0]["standard_error"] == pytest.approx(found.standard_error[0])
    assert sum(level["found"] for level in told["levels"]) == len(found)


def test_that_the_original_adds_errors_by_length(ask, shop):
    folder, original, design, distorted = shop
    told = document(ask("--method=mask", "--json", "--original", str(folder / "original.csv")))
    found = mine(item_data(distorted, design), Mask(min_support=0.1)).itemsets
    true = mine(item_data(original), Apriori(min_support=0.1)).itemsets
    expected = length_errors(found, true).to_json()
    assert told["levels"] == expected
    names = {"length", "found", "true", "support_error", "false_negative", "false_positive"}
    assert names | {"correct"} <= set(told["levels"][0])


def test_that_rules_are_found_when_asked_for(ask):
    assert "rules" not in document(ask("--json"))
    told = document(ask("--json", "--rules", "--min-confidence", "0.6"))
    assert told["rules"]
    assert all(rule["confidence"] >= 0.6 for rule in told["rules"])
    assert set(told["rules"][0]) >= {"if", "then", "support", "confidence", "lift"}


@pytest.mark.parametrize("method", miners.names)
def test_that_every_method_answers_in_text(ask, shop, method):
    folder = shop[0]
    status, out, err = ask(
        "--method", method, "--rules", "--original", str(folder / "original.csv")
    )
    assert (status, err) == (0, "")
    assert f"method {method}" in out
    assert "F1" in out
    assert "=>" in out


def test_that_options_belong_to_their_method(ask):
    told = document(ask("--method", "mmask", "--r-threshold", "2", "--relax", "0.1", "--json"))
    assert told["parameters"]["r_threshold"] == 2
    status, out, _ = ask("--method", "mask", "--r-threshold", "2", "--json")
    assert status == 2
    assert "--r-threshold" in json.loads(out)["error"]
    status, _, err = ask("--method", "frob")
    assert status == 2
    assert "frob" in err


def test_that_mmask_prints_no_error_of_sets_counted_in_selected_records(ask):
    options = ("--method", "mmask", "--r-threshold", "1", "--rules")
    told = document(ask(*options, "--json"))
    for one in told["itemsets"]:
        assert (one["standard_error"] is None) == (len(one["items"]) > 1)
    assert all(one["low"] is one["high"] is None for one in told["rules"])
    (reason,) = [note for note in told["notes"] if "no interval" in note]
    _, out, _ = ask(*options)
    assert f"Note: {reason}" in out
    assert "nan" not in out
    assert any(line.split()[-3:] == ["-", "-", "-"] for line in out.splitlines())


def test_that_a_seed_decides_over_the_random_choice(ask):
    def mined(seed):
        told = document(
            ask(
                "--method",
                "mmask",
                "--r-threshold",
                "1",
                "--choice",
                "random",
                "--json",
                "--seed",
                seed,
            )
        )
        return [entry["support"] for entry in told["itemsets"]]

    assert mined("1") == mined("1")
    assert mined("1") != mined("2")


def test_that_answers_without_a_design_are_taken_as_they_are(ask, shop):
    original = shop[1]
    told = document(ask("--method", "apriori", "--json", file="original.csv", design=False))
    true = mine(item_data(original), Apriori(min_support=0.1)).itemsets
    assert [entry["support"] for entry in told["itemsets"]] == pytest.approx(true.raw)


def test_that_attributes_can_be_chosen(ask):
    told = document(ask("--attribute", "bread", "--attribute", "milk", "--json"))
    named = {name.partition("=")[0] for entry in told["itemsets"] for name in entry["items"]}
    assert named == {"bread", "milk"}


def test_that_baskets_are_mined_also_when_nobody_bought_an_item(shop, capsys):
    folder, _, design, distorted = shop
    without = distorted.with_(
        columns=tuple(
            c.with_(data=np.zeros_like(c.data)) if c.name == "potatoes" else c for c in distorted
        )
    )
    path = folder / "distorted.basket"
    with path.open("w", encoding="utf-8") as file:
        for place in range(without.rows):
            file.write(",".join(c.name for c in without if c.data[place]) + "\n")
    assert "potatoes" not in read_table(path)
    argv = [
        "mine",
        str(path),
        "--design",
        str(folder / "design.json"),
        "--method",
        "mask",
        "--json",
    ]
    assert main([*argv, "--min-support", "0.1"]) == 0
    told = json.loads(capsys.readouterr().out)
    found = mine(item_data(without, design), Mask(min_support=0.1)).itemsets
    assert [entry["support"] for entry in told["itemsets"]] == pytest.approx(found.support)


def test_that_an_impossible_support_is_a_usage_error(ask):
    status, _, err = ask("--min-support", "2")
    assert status == 2
    assert "Minimum support is 2" in err


def test_that_chance_and_the_level_of_intervals_are_told(ask):
    told = document(ask("--method", "mask", "--rules", "--json"))
    chance = told["expected_by_chance"]
    assert told["parameters"]["confidence"] == 0.95
    assert 0 <= chance["rules"] < len(told["rules"])
    assert "p" not in told["rules"][0]
    _, out, _ = ask("--method", "mask", "--rules")
    assert "95\u202f% intervals" in out
    assert f"would bring about {chance['itemsets']:,.0f} and {chance['rules']:,.0f}." in out


def test_that_a_false_discovery_rate_keeps_rules_beyond_chance(ask):
    every = document(ask("--method", "mask", "--rules", "--min-confidence", "0.1", "--json"))
    words = ("--rules", "--min-confidence", "0.1", "--false-discovery", "0.05", "--json")
    kept = document(ask("--method", "mask", *words))
    assert 0 < len(kept["rules"]) < len(every["rules"])
    assert all(one["p"] < 0.05 and one["lift"] > 1 for one in kept["rules"])
    assert any(f"of {len(every['rules']):,} rules are kept" in note for note in kept["notes"])
    alone = ("--min-confidence", "0.1", "--false-discovery", "0.05", "--json")
    assert document(ask("--method", "mask", *alone))["rules"] == kept["rules"]
    status, _, err = ask("--rules", "--false-discovery", "2")
    assert status != 0
    assert "False discoveries is 2" in err


def test_that_a_missing_column_is_told(shop, capsys):
    folder = shop[0]
    design = str(folder / "design.json")
    assert main(["mine", str(folder / "other.csv"), "--design", design, "--json"]) == 1
    assert "other.csv" in json.loads(capsys.readouterr().out)["error"]


def test_that_privacy_after_mining_is_told(ask, shop):
    _, _, design, distorted = shop
    told = document(ask("--method", "mask", "--privacy", "--json"))["reinterrogation"]
    data = item_data(distorted, design)
    known = mined_privacy(mine(data, Mask(min_support=0.1)), data)
    assert (told["minimum"], told["mean"]) == pytest.approx((known.minimum, known.mean))
    worst = told["items"][0]
    assert worst["privacy"] == told["minimum"]
    assert worst["item"] in worst["itemset"]
    status, out, _ = ask("--method", "mask", "--privacy")
    assert status == 0
    assert f"an attacker fails to recover “{worst['item']}”" in out
    assert "reinterrogation" not in document(ask("--method", "mask", "--json"))


@pytest.mark.parametrize("options", [("--method", "apriori"), ()])
def test_that_privacy_after_mining_needs_a_design_that_is_used(ask, options):
    status, out, err = ask("--privacy", *options, design=bool(options))
    assert (status, out) == (1, "")
    *_, named = err.strip().rpartition("give a design, and one of the methods ")
    able = named.removesuffix(".").split(", ")
    assert sorted(able) == sorted(one.name for one in miners if not one.item.on_original)


def test_that_privacy_after_mining_names_a_new_method_that_can_be_used(ask):
    miners.register("mask-twin", "MASK twin")(Mask)
    try:
        _, _, err = ask("--privacy", "--method", "apriori", design=True)
    finally:
        miners.remove("mask-twin")
    assert err.strip().endswith(", mask-twin.")


def test_that_rules_tell_what_they_leave_of_the_privacy_of_unrelated_questions(tmp_path, capsys):
    random = np.random.default_rng(2)
    asked = [Attribute(name, Kind.BINARY, ("no", "yes")) for name in ("drug", "theft")]
    coin = Unrelated(theta=0.8, personal=(0.5, 0.5))
    design = Design(tuple(DesignedAttribute(one, coin) for one in asked))
    told = random.integers(0, 2, (2, 400)).astype(np.int32)
    told[1] = np.where(random.random(400) < 0.6, told[0], told[1])
    table = Table(tuple(map(Column, asked, told)))
    write_table(table, tmp_path / "told.csv")
    write_design(design, tmp_path / "design.json")
    words = ["mine", str(tmp_path / "told.csv"), "--design", str(tmp_path / "design.json"),
             "--method", "mask", "--min-support", "0.1", "--privacy"]  # fmt: skip
    assert main([*words, "--rules", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["single_entries"]
    data = item_data(table, design)
    result = mine(data, Mask(min_support=0.1))
    known = entry_privacy(result.itemsets, find_rules(result, data), data, design)
    assert found == [one.to_json() for one in known]
    assert found[0]["recoverability"]["known"] > 0.3
    assert main([*words, "--rules"]) == 0
    out = capsys.readouterr().out
    assert f"the privacy of a single entry “{found[0]['item']}” falls from" in out
    assert main([*words, "--json"]) == 0
    assert "single_entries" not in json.loads(capsys.readouterr().out)
