"""Asking on the command line: the page, the rows that come back, and the estimates from them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ppworkbench.cli.main import main
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Uniform
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.design_file import read_design, write_design
from ppworkbench.core.design.perturbation import Identity

SMOKES = Attribute("smokes", Kind.BINARY, ("no", "yes"))
PAY = Attribute("pay", Kind.CONTINUOUS, domain=(0, 10_000))
DESIGN = Design(
    (
        DesignedAttribute(SMOKES, Uniform(keep=0.75)),
        DesignedAttribute(PAY, Additive(noise="normal", sigma=400.0)),
    )
)


@pytest.fixture(autouse=True)
def _design(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_design(DESIGN, "design.json")


def test_that_a_page_is_written_in_the_language_that_was_asked_for(tmp_path, capsys):
    (tmp_path / "texts.json").write_text('{"questions": {"smokes": "Palisz?"}}', encoding="utf-8")
    words = ["questionnaire", "--design", "design.json", "--out", "page.html", "--json"]
    more = ["--language", "pl", "--title", "Ankieta", "--texts", "texts.json"]
    assert main([*words, *more, "--post", "https://example.org/in"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["questions"] == 2
    assert told["post"] == "https://example.org/in"
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert '<html lang="pl"' in page
    assert "Palisz?" in page
    assert "<title>Ankieta</title>" in page


ASKED = """\
name,text:en,answers:en,text:pl,answers:pl
smokes,Do you smoke?,no; yes*,Palisz?,nie; tak
pay,Your pay?,0 to 10000,{pay},
"""


def test_that_a_questionnaire_gives_the_page_its_words_in_every_whole_language(tmp_path, capsys):
    (tmp_path / "asked.csv").write_text(ASKED.format(pay=""), encoding="utf-8")
    assert main(["questions", "check", "asked.csv", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {"questions": 2, "languages": {"en": [], "pl": ["pay: text"]}, "problems": []}
    words = ["questionnaire", "--design", "design.json", "--out", "page.html", "--language", "pl"]
    assert main([*words, "--questions", "asked.csv"]) == 1
    assert "'pay: text'" in capsys.readouterr().err
    (tmp_path / "asked.csv").write_text(ASKED.format(pay="Pensja?"), encoding="utf-8")
    assert main(["questions", "convert", "asked.csv", "--out", "asked.json"]) == 0
    assert main([*words, "--questions", "asked.json"]) == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Pensja?" in page
    assert "tak" in page
    capsys.readouterr()
    words[words.index("pl")] = "pl,en"
    assert main([*words, "--questions", "asked.json", "--force", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["language"], told["languages"]) == ("pl", ["pl", "en"])
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Your pay?" in page
    assert "Pensja?" in page
    both = ["--questions", "asked.json", "--texts", "asked.json", "--force"]
    assert main([*words, *both]) == 2


def test_that_a_faulty_questionnaire_is_not_converted(tmp_path, capsys):
    (tmp_path / "asked.csv").write_text("name,text,answers\na,A?,x\n", encoding="utf-8")
    assert main(["questions", "check", "asked.csv", "--json"]) == 0
    [problem] = json.loads(capsys.readouterr().out)["problems"]
    assert problem["question"] == "a"
    assert main(["questions", "convert", "asked.csv", "--out", "asked.json"]) == 1
    assert not (tmp_path / "asked.json").exists()


def test_that_a_questionnaire_is_not_written_as_what_it_is_not(tmp_path, capsys):
    (tmp_path / "asked.csv").write_text(ASKED.format(pay=""), encoding="utf-8")
    assert main(["questions", "convert", "asked.csv", "--out", "asked.ods"]) == 1
    assert "choose a name that ends in .json, .csv, .xlsx" in capsys.readouterr().err
    assert not (tmp_path / "asked.ods").exists()


def test_that_the_grid_of_the_page_can_be_had_as_a_design(capsys):
    words = ["questionnaire", "--design", "design.json", "--out", "page.html"]
    assert main([*words, "--design-out", "published.json"]) == 0
    assert read_design("published.json")["pay"].perturbation.grid == 0.1
    assert "it saves a file" in capsys.readouterr().out


def test_that_undistorted_questions_are_named(capsys):
    write_design(Design((DesignedAttribute(SMOKES, Identity()),)), "bare.json")
    assert main(["questionnaire", "--design", "bare.json", "--out", "page.html"]) == 0
    assert "Not randomised: smokes." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--language", "xx"], 1, "choose one of en, pl"),
        (["--post", "nowhere"], 1, "write it as https://host/path"),
        (["--answers", "xml"], 2, "json"),
        (["--texts", "absent.json"], 1, "absent.json cannot be read"),
    ],
)
def test_that_a_wrong_wish_is_one_sentence(capsys, tmp_path, words, status, said):
    start = ["questionnaire", "--design", "design.json", "--out", "page.html"]
    assert main([*start, *words]) == status
    assert said in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()


def test_that_collected_rows_are_joined_and_estimated_without_naming_the_design(tmp_path, capsys):
    source = np.random.default_rng(3)
    true = source.random(4_000) < 0.3
    told = np.where(source.random(4_000) < 0.75, true, ~true)
    rows = [{"smokes": ("no", "yes")[int(one)], "pay": 1234.5} for one in told]
    for part in range(2):
        lines = "".join(f"{json.dumps(row)}\n" for row in rows[part::2])
        (tmp_path / f"{part}.jsonl").write_text(lines + "nonsense\n", encoding="utf-8")
    words = ["collect", "0.jsonl", "1.jsonl", "--design", "design.json", "--out", "rows.csv"]
    assert main([*words, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["rows"] == 4_000
    assert answer["notes"] == ["2 row(s) were excluded: a line is not valid JSON."]
    assert (tmp_path / "rows.codebook.md").exists()
    assert main(["reconstruct", "rows.csv", "--attribute", "smokes", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["attributes"]["smokes"]["probability"]
    # Standard error of the share of yes: sqrt(0.4 * 0.6 / 4000) / 0.5.
    assert abs(found[1] - true.mean()) < 5 * 0.0155
    assert main(["count", "rows.csv", "--where", "smokes = yes", "--json"]) == 0
    assert abs(json.loads(capsys.readouterr().out)["estimate"] - true.sum()) < 5 * 62


def test_that_answers_without_a_design_ask_for_one(tmp_path, capsys):
    (tmp_path / "plain.csv").write_text("smokes\nyes\n", encoding="utf-8")
    assert main(["reconstruct", "plain.csv"]) == 1
    assert "give the design with --design" in capsys.readouterr().err


def test_that_a_page_and_its_rows_may_have_arms(tmp_path, capsys):
    members = (DesignArm("A", 0.5), DesignArm("B", 0.5, omit=("pay",)))
    write_design(Design(DESIGN.attributes, arms=Arms("version", members)), "arms.json")
    assert main(["questionnaire", "--design", "arms.json", "--out", "page.html", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["questions"], told["arms"], told["notes"]) == (2, ["A", "B"], [])
    rows = [
        {"smokes": "yes", "pay": 500, "version": "A"},
        {"smokes": "no", "pay": None, "version": "B"},
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    words = ["collect", "in.jsonl", "--design", "arms.json", "--out", "answers.csv"]
    assert main(words) == 0
    assert "2 distorted rows" in capsys.readouterr().out
