"""What the command line says to people names attributes by their titles, not by their columns."""

import json
import re

import numpy as np
import pytest
from designs import classic_study

from ppworkbench.cli.main import main
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Group, Identity, Uniform
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.study.files.study_file import save_study

COLUMN = re.compile(r"\bv\d\b")
RODE = Attribute("v1", Kind.BINARY, ("no", "yes"), title="Rode without a ticket")
DISTRICT = Attribute("v2", Kind.NOMINAL, ("Harbour", "Hillcrest", "Riverside"), title="District")
CAR = Attribute("v3", Kind.BINARY, ("no", "yes"), title="Owns a car")


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = np.arange(240)
    # Rare in two of the districts, so that groups are split by them.
    codes = np.where(place % 3 == 0, place // 3 % 2, place // 3 % 5 == 0)
    codes = np.where(place % 40 == 3, -1, codes)
    original = Table(
        (Column(RODE, codes), Column(DISTRICT, place % 3), Column(CAR, (place // 2) % 2)), "v3"
    )
    design = Design(
        (
            DesignedAttribute(RODE, Uniform(keep=0.8)),
            DesignedAttribute(DISTRICT, Uniform(keep=0.7)),
            DesignedAttribute(CAR, Identity()),
        ),
        "v3",
    )
    write_table(original, "original.csv")
    write_design(design, "design.json")
    write_design(Design(design.attributes[:1]), "rode.json")
    shared = Design(
        (DesignedAttribute(RODE, Identity()), DesignedAttribute(CAR, Identity())),
        groups=(Group(("v1", "v3"), "unrelated", 0.8),),
    )
    write_design(shared, "group.json")
    write_table(distort(original.select(["v1", "v3"]), shared, SeededStreams(1)), "reports.csv")
    save_study(classic_study(original, "Tickets").with_(design=design), "tickets.ppw")


def said(capsys, *words):
    assert main(list(words)) == 0
    return capsys.readouterr().out


def test_that_notes_of_distorting_name_titles(capsys):
    words = ("distort", "original.csv", "--design", "rode.json", "--out", "distorted.csv")
    text = said(capsys, *words)
    assert "Note: Excluded, not in the design: District (v2), Owns a car (v3)." in text


def test_that_itemsets_and_their_notes_name_titles_and_programs_get_columns(capsys):
    words = ("mine", "reports.csv", "--design", "group.json", "--min-support", "0.1")
    text = said(capsys, *words)
    assert "Note: The answers to 'Rode without a ticket', 'Owns a car' are in one group" in text
    assert "Rode without a ticket=yes" in text
    assert not COLUMN.search(text)
    document = json.loads(said(capsys, *words, "--json"))
    assert ["v1=yes"] in [entry["items"] for entry in document["itemsets"]]


def test_that_the_checklist_of_a_bundle_names_titles(tmp_path, capsys):
    text = said(capsys, "bundle", "tickets.ppw", "--out", "release", "--no-report")
    assert "[!] Owns a car is not randomised" in text
    assert not COLUMN.search(text)
    checklist = (tmp_path / "release" / "README.txt").read_text(encoding="utf-8")
    assert "[!] Owns a car is not randomised" in checklist
    assert not COLUMN.search(checklist)


def test_that_groups_of_a_deniable_table_name_titles(capsys):
    words = ("publish", "original.csv", "--sensitive", "v1", "--out", "published.csv")
    text = said(capsys, *words)
    assert "answers to 'Rode without a ticket' changed" in text
    assert "District: " in text
    assert not COLUMN.search(text)


@pytest.mark.parametrize(
    ("words", "heading"),
    [
        (("plan", "--design", "design.json", "--target-error", "0.05"), "\nDistrict "),
        (("inspect", "original.csv"), "Owns a car (v3) (class)"),
    ],
)
def test_that_lists_of_attributes_lead_with_titles(capsys, words, heading):
    assert heading in said(capsys, *words)


def test_that_a_page_says_by_title_what_it_does_not_randomise(capsys):
    text = said(capsys, "questionnaire", "--design", "design.json", "--out", "page.html")
    assert "Not randomised: Owns a car." in text
