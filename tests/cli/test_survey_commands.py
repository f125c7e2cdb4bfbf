"""Statistics of a survey on the command line: those of the core."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from designs import classic_study
from examples import sweep
from survey_files import write_survey

from ppworkbench.analyses.survey.answers import SurveyResult, answer_question
from ppworkbench.analyses.survey.questions import Question
from ppworkbench.cli.main import main
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Identity, Uniform
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.crosstabs import crosstab
from ppworkbench.core.survey.distributions import distribution
from ppworkbench.core.survey.means import mean
from ppworkbench.core.survey.participants import participants
from ppworkbench.study.distorted_cache import DistortedCache

PERTURBATIONS = {
    "sex": Uniform(keep=0.8),
    "age": Additive(noise="uniform", range_privacy=30),
    "district": Uniform(keep=0.7),
    "income": Additive(noise="uniform", range_privacy=20),
    "supports_school": Identity(),
}
WHERE = "sex = female and age <= 40 and district in {'Old Town', Northfield}"
QUICK = "sex = female and district in {'Old Town', Northfield}"
"""The same without a number under noise, whose many values take long together with others."""


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    folder = tmp_path_factory.mktemp("survey")
    original = load_sample("city-survey", rows=1500).select(PERTURBATIONS)
    design = Design(
        tuple(DesignedAttribute(original[name].attribute, p) for name, p in PERTURBATIONS.items())
    )
    return folder, original, design, write_survey(folder, original, design)


@pytest.fixture
def ask(survey, capsys):
    """Run a command on the survey; give its status and what it printed."""
    folder = survey[0]

    def ask(command, *options, original=False):
        argv = [command, str(folder / "distorted.csv"), "--design", str(folder / "design.json")]
        argv += ["--original", str(folder / "original.csv")] if original else []
        status = main([*argv, *options])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return ask


def answer(printed):
    status, out, err = printed
    assert (status, err) == (0, "")
    return json.loads(out)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["joint", "sequential"])
def test_that_count_gives_what_the_core_gives(survey, ask, method):
    _, original, design, distorted = survey
    found = answer(
        ask("count", "--where", WHERE, "--method", method, "--json", "--seed", "3", original=True)
    )
    expected = count(distorted, design, WHERE, method, original=original, seed=3)
    assert found.pop("state") == "reported"
    assert found == json.loads(json.dumps(expected.to_json()))
    agreed = {"estimate", "low", "high", "standard_error", "naive", "true", "method"}
    assert agreed <= set(found)


def test_that_mean_gives_what_the_core_gives(survey, ask):
    _, _, design, distorted = survey
    found = answer(ask("mean", "--of", "income", "--where", "sex = female", "--json"))
    expected = mean(distorted, design, "income", "sex = female").value
    assert found["estimate"] == pytest.approx(expected.estimate)
    assert "true" not in found


def test_that_distribution_gives_an_entry_per_value_or_bin(survey, ask):
    _, _, design, distorted = survey
    found = answer(ask("distribution", "--of", "district", "--where", "sex = female", "--json"))
    expected = distribution(distorted, design, "district", "sex = female")
    assert [entry["value"] for entry in found["values"]] == list(expected.labels)
    assert [entry["estimate"] for entry in found["values"]] == pytest.approx(
        [share.estimate for share in expected.shares]
    )
    binned = answer(ask("distribution", "--of", "age", "--bins", "4", "--json"))
    assert len(binned["values"]) == 4


def test_that_crosstab_gives_an_entry_per_cell(survey, ask):
    _, original, design, distorted = survey
    found = answer(
        ask("crosstab", "--of", "sex", "--by", "supports_school", "--json", original=True)
    )
    expected = crosstab(distorted, design, "sex", "supports_school", original=original)
    assert len(found["cells"]) == 4
    assert found["cells"][1]["estimate"] == pytest.approx(expected.cells[0][1].estimate)
    assert found["cells"][1]["true"] == expected.cells[0][1].true


def test_that_participants_lists_rows_with_posteriors(survey, ask):
    _, _, design, distorted = survey
    found = answer(ask("participants", "--where", QUICK, "--size", "7", "--json"))
    expected = participants(distorted, design, QUICK, size=7)
    assert [entry["row"] for entry in found["rows"]] == expected.rows.tolist()
    assert [entry["posterior"] for entry in found["rows"]] == pytest.approx(
        expected.posterior.tolist()
    )
    drawn = answer(
        ask("participants", "--where", QUICK, "--size", "7", "--draw", "random", "--json")
    )
    assert drawn["rows"] != found["rows"]


@pytest.fixture(scope="module")
def window_study(survey, tmp_path_factory):
    """A study as the window has it, with the files that it comes to."""
    folder, source = tmp_path_factory.mktemp("study"), DistortedCache()
    study = classic_study(survey[1], "city").with_perturbations(PERTURBATIONS)
    study = study.with_(settings=dataclasses.replace(study.settings, seed=7))
    answers = source.of(study)
    write_table(answers.distorted, folder / "distorted.csv")
    write_table(answers.original, folder / "original.csv")
    write_design(study.design, folder / "design.json")
    return study, source, folder


@pytest.mark.parametrize(
    ("statistic", "more", "where"),
    sweep(
        [
            ("count", {"method": "sequential"}, QUICK),
            ("mean", {"of": "income"}, QUICK),
            ("distribution", {"of": "district", "method": "sequential"}, QUICK),
            ("crosstab", {"of": "district", "by": "supports_school"}, QUICK),
            ("participants", {"size": 20, "draw": "random"}, QUICK),
            ("count", {}, WHERE),
            ("mean", {"of": "income", "method": "sequential"}, QUICK),
            ("distribution", {"of": "age"}, "supports_school = yes"),
            ("crosstab", {"of": "district", "by": "supports_school"}, WHERE),
            ("participants", {"size": 20}, WHERE),
            ("participants", {"size": 20, "draw": "random"}, WHERE),
        ],
        quick=5,
    ),
)
def test_that_command_line_and_window_give_the_same_numbers(
    window_study, capsys, statistic, more, where
):
    study, source, folder = window_study
    argv = [statistic, str(folder / "distorted.csv"), "--design", str(folder / "design.json")]
    argv += ["--original", str(folder / "original.csv"), "--seed", "7", "--where", where, "--json"]
    argv += [word for name, value in more.items() for word in (f"--{name}", str(value))]
    assert main(argv) == 0
    printed = json.loads(capsys.readouterr().out)
    question = Question(statistic, parse_condition(where), **more, seed=7)
    found = answer_question(question, study, source)
    assert isinstance(found, SurveyResult)
    assert printed.pop("state") == "reported"
    assert printed == json.loads(json.dumps(found.result.to_json()))


def test_that_people_read_a_sentence_and_a_table(ask):
    status, out, _ = ask("count", "--where", WHERE, original=True)
    assert status == 0
    sentence, heads, _, numbers = [line for line in out.splitlines() if line][:4]
    assert sentence.startswith("About ")
    assert "95\u202f% interval" in sentence
    numbers_of = ["estimate", "low", "high", "standard", "error", "uncorrected", "true"]
    assert heads.split() == ["statistic", *numbers_of]
    assert numbers.split()[0] == "count"
    assert len(numbers.split()) == 7


def test_that_people_read_the_truth_only_where_it_is_given(ask):
    _, out, _ = ask("mean", "--of", "age")
    assert "true" not in out.splitlines()[2]
    _, out, _ = ask("distribution", "--of", "sex")
    assert "female" in out
    _, out, _ = ask("crosstab", "--of", "sex", "--by", "district")
    assert "female  Old Town" in out
    _, out, _ = ask("participants", "--where", WHERE, "--size", "3")
    assert "row (from 0)  probability" in out
    assert "respondents meet sex = female" in out


def test_that_remarks_are_notes(ask):
    _, out, _ = ask("count", "--where", QUICK, "--method", "sequential")
    assert "Note: The sequential method loses the association" in out


def test_that_a_condition_that_cannot_be_read_is_a_usage_error(ask):
    status, out, err = ask("count", "--where", "sex =")
    assert (status, out) == (2, "")
    assert "position 6: expected a value, found the end" in err
    status, out, _ = ask("count", "--where", "sex =", "--json")
    assert status == 2
    assert "position 6" in json.loads(out)["error"]


@pytest.mark.parametrize(
    ("command", "options", "sentence"),
    [
        ("count", ["--where", "sexx = F"], "no attribute 'sexx'; did you mean 'sex'?"),
        ("count", ["--where", "sex = woman"], "has no value 'woman'"),
        ("mean", ["--of", "sex"], "has no mean"),
        ("mean", ["--of", "incom"], "did you mean 'income'?"),
        ("crosstab", ["--of", "sex", "--by", "sex"], "2 different attributes"),
        ("crosstab", ["--of", "sex", "--by", "age", "--method", "sequential"], "no sequential"),
        ("distribution", ["--of", "sex", "--where", "age > 95"], "meet age > 95 is 0"),
    ],
)
def test_that_what_cannot_be_asked_is_one_sentence(ask, command, options, sentence):
    status, out, err = ask(command, *options)
    assert (status, out) == (1, "")
    assert sentence in err
    assert err.count("\n") == 1
    status, out, _ = ask(command, *options, "--json")
    assert status == 1
    assert sentence in json.loads(out)["error"]


@pytest.mark.parametrize(
    ("command", "options", "sentence"),
    [
        ("count", [], "required: --where"),
        ("mean", [], "required: --of"),
        ("crosstab", ["--of", "sex"], "required: --by"),
        ("count", ["--where", "", "--confidence", "2"], "must be above 0 and below 1"),
        ("count", ["--where", "", "--method", "magic"], "must be one of joint, sequential"),
        ("participants", ["--where", "", "--size", "-3"], "must be at least 0"),
    ],
)
def test_that_wrong_options_are_usage_errors(ask, command, options, sentence):
    status, _, err = ask(command, *options)
    assert status == 2
    assert sentence in err


def test_that_only_the_columns_that_are_asked_for_must_be_there(survey, tmp_path, capsys):
    folder, _, _, distorted = survey
    write_table(distorted.select(["sex"]), tmp_path / "sex.csv")
    argv = ["count", str(tmp_path / "sex.csv"), "--design", str(folder / "design.json")]
    assert main([*argv, "--where", "sex = female"]) == 0
    capsys.readouterr()
    assert main([*argv, "--where", "age < 40"]) == 1
    assert "'age'" in capsys.readouterr().err


def test_that_an_unknown_interval_is_inf_for_programs_and_a_dash_for_people(
    survey, tmp_path, capsys
):
    folder, _, _, distorted = survey
    write_table(distorted.take(np.array([0])), tmp_path / "one.csv")
    argv = ["count", str(tmp_path / "one.csv"), "--design", str(folder / "design.json")]
    assert main([*argv, "--where", "sex = female", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["standard_error"] == "inf"
    assert main([*argv, "--where", "sex = female"]) == 0
    assert "1 record gives no interval" in capsys.readouterr().out


def test_that_a_file_that_is_not_there_is_one_sentence(survey, capsys):
    folder = survey[0]
    argv = ["count", "nowhere.csv", "--design", str(folder / "design.json"), "--where", ""]
    assert main(argv) == 1
    assert "nowhere.csv" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("ending", "begins"),
    [
        ("csv", b"group,"), ("tsv", b"group\t"), ("tex", b"% Groups"), ("md", b"**Groups**"),
        ("html", b"<!DOCTYPE html>"), ("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF"),
    ],
)  # fmt: skip
def test_that_the_ending_says_as_what_a_result_is_saved(ask, tmp_path, ending, begins):
    file = tmp_path / f"odd ż; 'name'.{ending}"
    status, _, err = ask("compare", *_GROUPS, "--save", str(file), "--table", "groups")
    assert (status, err) == (0, "")
    assert file.read_bytes().startswith(begins)


_GROUPS = ("--of", "supports_school=yes", "--by", "sex")


def test_that_several_files_are_written_at_once_and_nothing_is_replaced_unasked(ask, tmp_path):
    files = [str(tmp_path / name) for name in ("a.csv", "b.md", "c.svg")]
    options = [part for file in files for part in ("--save", file)]
    assert ask("compare", *_GROUPS, *options)[0] == 0
    assert all(tmp_path.joinpath(name).stat().st_size for name in ("a.csv", "b.md", "c.svg"))
    status, _, err = ask("compare", *_GROUPS, "--save", files[2])
    assert status == 1
    assert "c.svg exists; choose another name" in err
    assert ask("compare", *_GROUPS, "--save", files[2], "--force")[0] == 0


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        (["--save", "a.xlsx"], 2, "as .png, .svg, .pdf; 'a.xlsx' has none of these endings."),
        (["--save", "{file}/a.csv"], 1, "{file}"),
        (["--save", "{file}/a.pdf"], 1, "{file}"),
        (["--save", "{folder}/a.md", "--table", "no"], 1, "This result has no table 'no'; it has"),
        (["--save", "{folder}/a.png", "--picture", "no"], 1, "no picture 'no'; it has groups."),
        (["--save", "{folder}/a.csv", "--script", "python"], 2, "computes nothing"),
    ],
)  # fmt: skip
def test_that_one_sentence_says_why_a_result_is_not_saved(ask, tmp_path, options, status, words):
    file = tmp_path / "file"
    file.write_text("kept", "utf-8")
    given = [one.format(file=file, folder=tmp_path) for one in options]
    found, _, err = ask("compare", *_GROUPS, *given)
    assert (found, err.count("\n")) == (status, 1)
    assert words.format(file=file) in err
    assert file.read_text("utf-8") == "kept"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file"]
