"""Demonstration files: what is read, what is refused, and the numbers of the shipped ones."""

from __future__ import annotations

import dataclasses
import math
import re
from pathlib import Path

import pytest
from demonstrating import FORMAT, SMOKERS

from ppworkbench.core.design import Related, Uniform
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.outputs.demonstrations.arrange import base_study, make_table, setup_at, with_setup
from ppworkbench.outputs.demonstrations.calculations import calculations
from ppworkbench.outputs.demonstrations.catalogue import read_head, shipped_files
from ppworkbench.outputs.demonstrations.demonstration import OwnData, SampleData, Setup
from ppworkbench.outputs.demonstrations.reader import read_demonstration
from ppworkbench.study.study import Study

_STEPS = """
[[step]]
title = "One"
text = "Text with {n}."
page = "design"
attribute = "smokes"
design.smokes = {type = "related", theta = 0.8}
[[step.figure]]
name = "n"
calculate = "share"
with = {attribute = "smokes", value = "yes"}
[[step]]
title = "Two"
text = "More."
page = "explore"
settings = {seed = 5}
"""
SMALL = f"""{FORMAT}
title = "Mine"
{SMOKERS}
{_STEPS}"""


def make_study(setup: Setup, title: str) -> Study:
    assert setup.data is not None
    return with_setup(base_study(setup.data, title), setup)


@pytest.fixture
def write(tmp_path: Path):
    def write(text: str) -> Path:
        path = tmp_path / "mine.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_that_twelve_demonstrations_come_with_the_program_in_order():
    heads = [read_head(path) for path in shipped_files()]
    assert [head.name.partition("-")[0] for head in heads] == [str(n) for n in range(1, 13)]
    assert all(head.title and head.line and head.minutes for head in heads)


def test_that_a_translated_file_takes_the_place_of_the_english_one(tmp_path, monkeypatch):
    folder = tmp_path / "demonstrations"
    (folder / "pl").mkdir(parents=True)
    for path in (folder / "1-a.toml", folder / "2-b.toml", folder / "pl" / "1-a.toml"):
        path.write_text(SMALL)
    name = "ppworkbench.outputs.demonstrations.catalogue.resource"
    monkeypatch.setattr(name, tmp_path.joinpath)
    assert shipped_files("pl") == (folder / "pl" / "1-a.toml", folder / "2-b.toml")
    assert shipped_files("en") == (folder / "1-a.toml", folder / "2-b.toml")


@pytest.mark.parametrize("path", shipped_files(), ids=lambda path: path.stem)
def test_that_a_shipped_demonstration_has_four_to_eight_steps_and_cites_its_figures(path):
    found = read_demonstration(path)
    assert 4 <= len(found.steps) <= 8
    assert found.sources
    for step in found.steps:
        assert len(step.text) <= 520
        assert step.looks or step.figures
    published = [f for step in found.steps for f in step.figures if f.published is not None]
    # The paper on EQ and that on deniability print few numbers, but each has one.
    assert published
    assert all(figure.source and figure.label for figure in published)


TRANSLATED = tuple(
    (path, folder / path.name)
    for path in shipped_files()
    for folder in sorted(path.parent.iterdir())
    if folder.is_dir()
)


@pytest.mark.parametrize(
    ("english", "other"), TRANSLATED, ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_that_a_translated_demonstration_does_the_same_in_other_words(english, other):
    ours, theirs = read_demonstration(english), read_demonstration(other)
    assert theirs.title != ours.title
    assert (theirs.minutes, theirs.sources) == (ours.minutes, ours.sources)
    for one, two in zip(ours.steps, theirs.steps, strict=True):
        assert deed(two) == deed(one)
        assert set(re.findall(r"{\w+}", two.text)) == set(re.findall(r"{\w+}", one.text))
        assert len(two.text) <= 1.3 * 520


def deed(step):
    """What a step does, without what it says and how its own answers are called."""
    setup = step.setup
    return (
        [(look.at, look.x, look.y) for look in step.looks],
        [(type(f.calculation), f.name, f.published, f.digits, f.unit) for f in step.figures],
        [dataclasses.replace(each.setup, data=None) for each in step.tries],
        dataclasses.replace(setup, data=setup.data if isinstance(setup.data, SampleData) else None),
    )


NEAR = {
    ("1-coin", "error"): 0.01,
    ("2-loop", "privacy"): 0.02,
    ("3-early-stop", "other"): 0,
    ("4-salary", "width"): 0.005,
    ("5-ages", "each"): 1e-9,
    ("5-ages", "ratio"): 1e-9,
    ("6-baskets", "seen"): 1e-9,
    ("8-deniability", "half"): 1e-9,
    ("8-deniability", "all"): 1e-9,
    ("9-respondents", "direct"): 1,
    ("9-respondents", "needed"): 1,
    ("10-regression", "true"): 0.005,
    ("11-compliance", "low"): 1e-6,
    ("12-budget", "error"): 0.006,
    ("12-budget", "two"): 0.006,
    ("12-budget", "one"): 0.006,
    ("12-budget", "all"): 0.006,
}
"""Published figures that follow by a formula, and how far rounding may take them."""
LONG = {"3-early-stop", "4-salary", "6-baskets", "7-accuracy", "10-regression", "11-compliance"}
"""Their figures are searched for, mined, trained and fitted."""


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=pytest.mark.slow if path.stem in LONG else ())
        for path in shipped_files()
    ],
)
def test_that_every_number_of_a_shipped_demonstration_is_finite_and_near_its_formula(path):
    found = read_demonstration(path)
    for place, step in enumerate(found.steps):
        study = make_study(setup_at(found, place), found.title)
        for figure in step.figures:
            value = figure.calculation.calculate(study)
            assert math.isfinite(value), (place + 1, figure.name)
            near = NEAR.get((path.stem, figure.name))
            if near is not None and figure.published is not None:
                assert value == pytest.approx(figure.published, abs=near + 1e-12)
            if path.stem == "2-loop" and figure.name == "loss":
                assert value <= figure.published


def test_that_a_step_keeps_what_earlier_steps_set_up(write):
    found = read_demonstration(write(SMALL))
    setup = setup_at(found, 1)
    assert (setup.page, setup.attribute, setup.settings) == ("explore", "smokes", {"seed": 5})
    study = make_study(setup, "Mine")
    assert study.design.perturbation("smokes") == Related(theta=0.8)
    assert (study.rows, study.settings.seed) == (100, 5)
    assert study.original["smokes"].counts.tolist() == [70, 30]


def test_that_new_data_begin_with_a_design_of_their_own(write):
    other = '\n[[step]]\ntitle = "Three"\ntext = "x"\ndata = {sample = "weather"}\n'
    other += 'design."*" = {type = "uniform", keep = 0.8}\n'
    found = read_demonstration(write(SMALL + other))
    study = make_study(setup_at(found, 2), "Mine")
    assert study.rows == 14
    distorted = {one.name for one in study.design if one.perturbation == Uniform(keep=0.8)}
    assert distorted == {"outlook", "temperature", "humidity", "windy"}


def test_that_numbers_of_a_table_of_ones_own_lie_in_their_domain():
    found = read_demonstration(shipped_files()[4])
    data = found.steps[0].setup.data
    assert isinstance(data, OwnData)
    ages = make_table(data)["age"].data
    assert (ages.min() >= 18, ages.max() <= 90) == (True, True)
    assert (ages == ages.round()).all()
    assert make_table(data).equals(make_table(data))


BAD = [
    ("version = 1", "version = 9", "version 9, made for a newer program"),
    ('format = "ppworkbench-demonstration"', 'format = "x"', "this is not a demonstration"),
    ('title = "Mine"', "title = 5", "'title' is 5; it must be a text"),
    ('title = "Mine"\n', "", "the field 'title' is missing"),
    ('title = "Mine"', 'title = "', "cannot be read"),
    ('page = "design"', 'page = "desing"', "step 1: 'page' is 'desing'; it must be one of"),
    ('page = "design"', 'pgae = "design"', "step 1: there is no field 'pgae'; did you mean 'page'"),
    ("theta = 0.8", "theta = 8", "step 1: attribute 'smokes': "),
    ('type = "related"', 'type = "relatd"', "the mechanism type 'relatd' is unknown"),
    ("{n}", "{m}", "step 1: the text uses {m}, but there is no such figure"),
    ('calculate = "share"', 'calculate = "shar"', "1: there is no calculation called 'shar'"),
    ('value = "yes"', 'valu = "yes"', "step 1, figure 1: the field 'valu' is unknown"),
    ("counts = [70, 30]", "counts = [70]", "needs 'values' and as many 'counts'"),
    ("counts = [70, 30]", 'counts = ["a", 3]', "must be a list of numbers"),
    ('name = "n"', 'name = "n"\npublished = 3', "a published figure needs its 'source'"),
    ("settings = {seed = 5}", "settings = {seed = -5}", "step 2: seed is -5"),
    ("settings = {seed = 5}", "settings = {sede = 5}", "step 2: the field 'sede' is unknown"),
    ("settings = {seed = 5}", "controls = {a = [1]}", "the control 'a' must be set to a text"),
    ("settings = {seed = 5}", 'data = {sample = "wether"}', "did you mean 'weather'?"),
    (
        "settings = {seed = 5}",
        'data = {sample = "led24", sizes = {rows = "x"}}',
        "step 2, the data",
    ),
    ("settings = {seed = 5}", "look = [1]", "write [[look]] over the fields of look 1"),
    ("settings = {seed = 5}", 'look = [{at = "a", text = "b", x = 2}]', "from 0 to 1"),
    ("settings = {seed = 5}", "expected = {smokes = []}", "needs weights"),
    ('page = "design"\n', "", "step 1 needs a page"),
]


@pytest.mark.parametrize(("old", "new", "said"), BAD, ids=[said[:30] for *_, said in BAD])
def test_that_a_mistake_is_told_in_one_sentence_with_its_file(write, old, new, said):
    assert old in SMALL
    path = write(SMALL.replace(old, new, 1))
    with pytest.raises(DataError) as caught:
        read_demonstration(path)
    assert said in caught.value.message
    assert caught.value.message.startswith("mine.toml")
    assert caught.value.file == str(path)
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    ("name", "content"),
    [("none.toml", None), ("large.toml", b"#" * (2**20 + 1)), ("other.toml", b"\xff\xfe")],
)
def test_that_a_file_that_cannot_be_read_is_told_in_one_sentence(tmp_path, name, content):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError):
        read_demonstration(path)


def test_that_a_demonstration_without_steps_or_data_is_refused(write):
    with pytest.raises(DataError, match="has no step"):
        read_demonstration(write(SMALL.split("[data]", maxsplit=1)[0]))
    step = '[[step]]\ntitle = "One"\ntext = "x"\npage = "design"\n'
    with pytest.raises(DataError, match="has no data"):
        read_demonstration(write(SMALL.split("[data]", maxsplit=1)[0] + step))


def test_that_a_design_for_an_attribute_that_is_not_there_is_refused(write):
    found = read_demonstration(write(SMALL.replace("design.smokes", "design.smoke")))
    with pytest.raises(WorkbenchError, match="'smoke'"):
        make_study(setup_at(found, 0), "Mine")


def test_that_every_calculation_is_described_and_says_what_it_lacks(write):
    study = make_study(setup_at(read_demonstration(write(SMALL)), 0), "Mine")
    for entry in calculations:
        assert entry.label
    with pytest.raises(WorkbenchError, match="no value 'maybe'"):
        calculations["share"](attribute="smokes", value="maybe").calculate(study)
    with pytest.raises(WorkbenchError, match="no measure 'entrpy'"):
        calculations["measure"](attribute="smokes", measure="entrpy").calculate(study)
    with pytest.raises(WorkbenchError, match="no noise"):
        calculations["width"](attribute="smokes").calculate(study)
    with pytest.raises(WorkbenchError, match=r"no coefficient of 'age'; it has \(intercept\)"):
        calculations["regression"](formula="smokes=yes ~ 1", term="age").calculate(study)


@pytest.mark.slow
def test_that_the_uncorrected_regression_is_wrong_and_the_corrected_one_near_the_truth():
    """The story of the demonstration, in numbers."""
    path = next(path for path in shipped_files() if path.stem == "10-regression")
    found = read_demonstration(path)
    seen = {}
    for place in (1, 2, 4):
        study = make_study(setup_at(found, place), found.title)
        for figure in found.steps[place].figures:
            seen[place, figure.name] = figure.calculation.calculate(study)
    assert seen[1, "naive"] > seen[2, "naive"]
    assert seen[2, "naive"] < 0.5 * seen[2, "true"]
    for place in (1, 2):
        assert seen[place, "low"] < seen[place, "true"] < seen[place, "high"]
    assert seen[4, "true"] < seen[2, "true"]
    assert seen[4, "estimate"] < seen[2, "estimate"]
