"""What every attack declares, and that nobody types the list of them again."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from new_attack import echo_attack

import ppworkbench as pp
from ppworkbench.cli.main import main
from ppworkbench.core.attacks import attacks
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Uniform
from ppworkbench.outputs.help.topic import topic_about

VOTE = Attribute("vote", Kind.BINARY, ("no", "yes"))
AGE = Attribute("age", Kind.CONTINUOUS, domain=(0, 100))
DESIGN = Design((
    DesignedAttribute(VOTE, Uniform(keep=0.8)), DesignedAttribute(AGE, Additive(half_width=5)),
))  # fmt: skip
TRUE = Table((Column(VOTE, np.array([0, 1, 1], np.int32)), Column(AGE, np.array([20.0, 30, 40]))))
OTHER = Table((Column(Attribute("party", Kind.BINARY, ("a", "b")), np.zeros(3, np.int32)),))


@pytest.mark.parametrize("entry", list(attacks), ids=attacks.names)
def test_that_an_attack_says_what_it_does_and_has_a_page(entry):
    assert entry.label
    assert entry.hint.endswith("?")
    assert entry.item.words
    assert topic_about("attack", entry.name) is not None


def test_that_attacks_are_listed_in_the_order_of_the_window():
    assert [entry.name for entry in attacks.ranked] == ["guess", "repeat", "filter", "link"]


@pytest.mark.parametrize(
    ("name", "attribute", "why"),
    [
        ("guess", "vote", None),
        ("repeat", "", "Choose an attribute"),
        ("guess", "party", "Choose an attribute"),
        ("filter", "", "this design has 1"),
        ("link", "", None),
    ],
)
def test_that_an_attack_says_why_it_does_not_apply(name, attribute, why):
    found = attacks[name].why_not(TRUE, DESIGN, attribute)
    assert found is None if why is None else why in found


def test_that_nothing_can_be_linked_without_a_known_attribute():
    assert "no attribute for linkage" in attacks["link"].why_not(OTHER, DESIGN, "")


def test_that_a_new_attack_is_offered_by_python_and_the_command_line(tmp_path, capsys):
    true = pd.DataFrame({"vote": ["no"] * 6 + ["yes"] * 4})
    told = pd.DataFrame({"vote": ["no"] * 7 + ["yes"] * 3})
    design = pp.Design.from_dict(
        {"format": "ppworkbench-design", "version": 1, "attributes": {"vote": {
            "kind": "binary", "values": ["no", "yes"],
            "perturbation": {"type": "uniform", "keep": 0.8}}}}
    )  # fmt: skip
    for name, frame in {"true.csv": true, "told.csv": told}.items():
        frame.to_csv(tmp_path / name, index=False)
    design.save(tmp_path / "design.json")
    words = ["attack", str(tmp_path / "told.csv"), "--design", str(tmp_path / "design.json"),
             "--original", str(tmp_path / "true.csv"), "--attack", "echo"]  # fmt: skip
    with echo_attack() as name:
        found = pp.attack(told, design, true, attack=name, attribute="vote")
        assert found.found.right.share == pytest.approx(0.9)
        with pytest.raises(pp.WorkbenchError, match="Name the attribute"):
            pp.attack(told, design, true, attack=name)
        assert main([*words, "--attribute", "vote", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["right"]["hits"] == 9
        main(["attack", "--help"])
        assert "|echo}" in "".join(capsys.readouterr().out.split())
    with pytest.raises(pp.WorkbenchError, match="one of guess, repeat, filter, link"):
        pp.attack(told, design, true, attack="echo", attribute="vote")
