"""What the help and the README show is true: examples run, errors are said as printed."""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from part_files import write_parts

from ppworkbench.cli.main import GROUPS, build_parser, main
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.codebook import FORMAT as CODEBOOK
from ppworkbench.core.data.codebook import Codebook, Stored, attribute_to_json
from ppworkbench.core.data.formats import formats
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.design import Design, Identity, perturbations
from ppworkbench.core.design.design_file import FORMAT, design_from_json, design_to_json
from ppworkbench.core.errors import DesignError
from ppworkbench.core.params import Declaration, declarations
from ppworkbench.study.study import StudySettings

ROOT = Path(__file__).resolve().parents[1]
HELP = ROOT / "resources" / "help"
DESIGN_FILE = (HELP / "design-file.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMAND_LINE = (HELP / "command-line.md").read_text(encoding="utf-8")

_FENCE = re.compile(r"^```(\w*)( wrong)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fences(text: str, language: str, wrong: bool = False) -> list[str]:
    """The blocks of code in a language."""
    return [
        body
        for told, mark, body in _FENCE.findall(text)
        if told == language and bool(mark) is wrong
    ]


def commands(text: str) -> list[list[str]]:
    """The words of every command of a page, as a shell would split them."""
    blocks = [block.replace("\\\n", " ") for block in fences(text, "sh")]
    lines = [line for block in blocks for line in block.splitlines()]
    given = [line for line in lines if line.startswith("ppworkbench")]
    return [shlex.split(line, comments=True)[1:] for line in given]


def as_design(example: str) -> dict[str, Any]:
    """An example as a whole design: some show only one attribute."""
    given = json.loads(example)
    if "format" in given:
        return given
    return {"format": FORMAT, "version": 1, "attributes": {"x": given}}


def section(text: str, title: str) -> str:
    """The text under one heading."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, f"there is no heading {title!r}"
    return found[1]


def rows(text: str) -> dict[str, list[str]]:
    """Rows of tables by the word in backticks that they begin with."""
    split = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    return {cells[0].strip("`"): cells[1:] for cells in split}


# Designs


@pytest.mark.parametrize("example", fences(DESIGN_FILE, "json"))
def test_that_every_example_of_a_design_is_one(example: str) -> None:
    design = design_from_json(as_design(example))
    assert isinstance(design, Design)
    assert design_from_json(design_to_json(design)) == design


def test_that_the_examples_show_every_type_and_both_uses_of_missing_answers() -> None:
    designs = [design_from_json(as_design(example)) for example in fences(DESIGN_FILE, "json")]
    shown = {one.perturbation.type_name for design in designs for one in design}
    assert shown == {*perturbations.names, "by"}
    assert any(one.missing_is_value for design in designs for one in design)
    assert any(design.groups for design in designs)


@pytest.mark.parametrize(
    ("example", "sentence"),
    re.findall(r"^```json wrong\n(.*?)^```\n\n> (.*?)\n$", DESIGN_FILE, re.MULTILINE | re.DOTALL),
)
def test_that_an_error_is_said_as_the_help_prints_it(example: str, sentence: str) -> None:
    with pytest.raises(DesignError) as caught:
        design_from_json(as_design(example))
    assert caught.value.message == sentence


def test_that_no_wrong_example_lacks_its_sentence() -> None:
    told = re.findall(r"^```json wrong\n.*?^```\n\n> ", DESIGN_FILE, re.MULTILINE | re.DOTALL)
    assert len(told) == len(fences(DESIGN_FILE, "json", wrong=True)) >= 5


def field_name(type_name: str, declaration: Declaration) -> str:
    """What a field is called in the file; the rows of a matrix have a better name there."""
    return "matrix" if (type_name, declaration.name) == ("custom", "rows") else declaration.name


@pytest.mark.parametrize("type_name", [name for name in perturbations.names if name != "none"])
def test_that_every_field_of_a_type_is_described_with_its_default(type_name: str) -> None:
    told = rows(section(DESIGN_FILE, f"Type {type_name}"))
    declared = {field_name(type_name, d): d for d in declarations(perturbations[type_name])}
    assert set(told) == set(declared)
    for name, declaration in declared.items():
        default = told[name][-1]
        if declaration.required:
            assert default == "needed"
        elif declaration.default is None:
            assert default == "–"
        else:
            given = declaration.default
            expected = list(given) if isinstance(given, tuple) else given
            assert json.loads(default) == expected, (type_name, name)


def test_that_a_type_without_parameters_is_said_to_have_none() -> None:
    assert declarations(Identity) == ()
    assert "no parameters" in section(DESIGN_FILE, "Type none")


def test_that_the_choices_and_limits_of_fields_are_told() -> None:
    for entry in perturbations:
        if entry.name == "none":
            continue
        told = rows(section(DESIGN_FILE, f"Type {entry.name}"))
        for declaration in declarations(entry.item):
            words = told[field_name(entry.name, declaration)][0]
            for choice in declaration.choices or ():
                assert f'"{choice}"' in words
            within = declaration.within
            if within is not None and within.high == 1:
                assert re.search(r"\b0 to 1\b", words)
            if within is not None and within.open_low:
                assert "above 0" in words


# Codebooks and studies


def test_that_the_example_of_a_codebook_is_one() -> None:
    [example] = fences((HELP / "codebook.md").read_text(encoding="utf-8"), "json")
    codebook = Codebook.from_text(example)
    assert json.loads(example)["format"] == CODEBOOK
    assert codebook.class_name == "supports"
    assert attribute_to_json(codebook.attributes[1])["missing"] == "impute"


def test_that_every_field_of_a_codebook_is_described() -> None:
    text = (HELP / "codebook.md").read_text(encoding="utf-8")
    document = Codebook((), "x", (Stored("x"),), {}, ("x",), Sampling(weight="x")).to_json()
    assert set(rows(section(text, "Fields of a codebook"))) == set(document)
    fields = {one.name for one in dataclasses.fields(Attribute)}
    assert set(rows(section(text, "Attributes in a codebook"))) == fields
    stored = Stored("x", (1.0,), (None,), "x").to_json()
    assert set(rows(section(text, "Stored columns"))) == set(stored)


def test_that_every_setting_of_a_study_is_described_with_its_default() -> None:
    text = (HELP / "study-file.md").read_text(encoding="utf-8")
    told = rows(section(text, "Fields of study.json"))
    for declaration in declarations(StudySettings):
        default = told[declaration.name][1].replace(",", "").split(" or ")[0].strip('`"')
        # What is kept by name is an object in the file.
        assert declaration.parse(default.replace("{}", "")) == declaration.default


# Commands


def command_names(parser: argparse.ArgumentParser) -> set[str]:
    """The commands that a parser knows."""
    [action] = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    return set(action.choices)


def test_that_every_command_has_an_example() -> None:
    shown = {words[0] for words in commands(COMMAND_LINE)}
    assert shown == command_names(build_parser())
    assert len(GROUPS) >= 5


PAGES = sorted([ROOT / "README.md", *HELP.glob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_that_every_command_on_a_page_can_be_given(page: Path) -> None:
    for words in commands(page.read_text(encoding="utf-8")):
        assert build_parser().parse_args(words).run, words


@pytest.mark.slow
def test_that_the_commands_of_the_readme_run_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = commands(README)
    assert len(given) > 5
    for words in given:
        assert main(words) == 0, words


@pytest.mark.slow
def test_that_the_commands_of_the_help_run_and_answer_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    [design] = fences((HELP / "list-experiments.md").read_text(encoding="utf-8"), "json")
    Path("list.json").write_text(design, encoding="utf-8")
    [questions] = fences(COMMAND_LINE, "csv")
    Path("questions.csv").write_text(questions, encoding="utf-8")
    write_parts(Path("answers"), load_sample("city-survey"), [2000])
    for words in commands(COMMAND_LINE):
        # What opens windows, goes on until it is stopped, or needs a cluster of many computers.
        if words[0] in ("tour", "serve") or any(word.startswith("dask:") for word in words):
            continue
        assert main(words) == 0, words
        said = capsys.readouterr()
        if "--json" in words:
            fields = section(COMMAND_LINE, words[0]).partition("**JSON.**")[2]
            for name in json.loads(said.out):
                assert f"`{name}`" in fields, (words, name)


def test_that_the_example_of_a_regression_gives_the_numbers_that_its_page_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (HELP / "regression.md").read_text(encoding="utf-8")
    [design] = fences(page, "json")
    Path("two.json").write_text(design, encoding="utf-8")
    given = commands(page)
    for words in given:
        assert main(words) == 0, words
    capsys.readouterr()
    assert main([*given[-1], "--json", "--force"]) == 0
    term = json.loads(capsys.readouterr().out)["terms"][1]
    odds = [*term["odds_ratio"].values(), math.exp(term["naive"]), math.exp(term["true"])]
    estimate, low, high, naive, true = (f"{one:.2f}" for one in odds)
    told = section(page, "An example of a regression")
    for words in (f"| {naive} |", f"| {estimate}, interval {low} to {high} |", f"| {true} |"):
        assert words in told, words
    assert Path("coefficients.csv").read_text(encoding="utf-8").startswith("label,term,level")
    assert (
        Path("coefficients.tex")
        .read_text(encoding="utf-8")
        .startswith("% \\usepackage{booktabs}\n\\begin{tabular}")
    )


def test_that_every_option_of_reading_a_file_is_described() -> None:
    told = section(COMMAND_LINE, "Options for reading files")
    parser = build_parser()
    inspect = _subparser(parser, "inspect")
    inspect.parse_known_args(["data.csv"])  # Declares its options.
    options = {
        flag
        for action in inspect._actions
        for flag in action.option_strings
        if str(action.dest).startswith("ReadOptions")
    }
    assert options
    for option in options:
        # A switch has no value behind it.
        assert f"`{option} " in told or f"`{option}`" in told


def _subparser(parser: argparse.ArgumentParser, name: str) -> argparse.ArgumentParser:
    [action] = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    return action.choices[name]


# Files


def test_that_every_file_that_a_page_links_to_is_there() -> None:
    pages = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
    texts = "".join((ROOT / page).read_text(encoding="utf-8") for page in pages)
    links = re.findall(r"\[[^\]]+\]\(([^)\s]+)\)", texts)
    files = [link for link in links if not link.startswith("https://")]
    assert len(files) > 5
    assert [file for file in files if not (ROOT / file).exists()] == []


def test_that_the_formats_of_the_readme_are_those_of_the_program() -> None:
    told = section(README, "Data formats")
    for entry in formats:
        line = next(line for line in told.splitlines() if f"`{entry.item.suffixes[0]}`" in line)
        *_, reads, writes = [cell.strip() for cell in line.split("|")[1:-1]]
        assert reads == "yes", line
        assert (writes == "yes") is (entry.item.write is not None), line
