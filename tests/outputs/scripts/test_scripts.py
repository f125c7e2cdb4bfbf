"""What every script has, and scripts of Survey results: with the exported files alone they give the
same numbers."""

from __future__ import annotations

import stat
from dataclasses import replace

import pytest
from asking import distorted_study, small_study
from mining_studies import mining_request
from role_studies import drawn_study
from scripted import (
    QUESTIONS,
    answered,
    assert_same,
    changed_numbers,
    check_python,
    run_python,
)
from studies import listed_study

from ppworkbench.analyses.estimates.list_item import ListItem
from ppworkbench.analyses.mining.items import available_items
from ppworkbench.analyses.survey.questions import Question
from ppworkbench.core.compliance.assess_list import DIFFERENCE
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import resource
from ppworkbench.core.mining import miners
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.outputs.scripts import PYTHON, SCRIPT_NAMES, STATA
from ppworkbench.outputs.scripts.folder import origin_of, write_script, write_script_folder
from ppworkbench.outputs.scripts.python import literal
from ppworkbench.outputs.scripts.results import (
    mining_analysis,
    survey_analysis,
)
from ppworkbench.results.text import plain
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.language import read_catalogue


def document_of(answer):
    """What a script prints: the document of a share has the number of people beside it."""
    found = answer.result.to_json()
    if answer.question.statistic != "count":
        return found
    number = answer.result.value.to_json()
    shared = {name: one for name, one in found.items() if name not in number}
    return {**answer.result.share.to_json(), **shared, "count": number}


@pytest.mark.slow
def test_that_the_python_script_of_a_share_gives_the_same_numbers(tmp_path):
    answer = answered(QUESTIONS["share"], distorted_study())
    told = check_python(
        tmp_path / "new", survey_analysis(answer), answer.study, document_of(answer)
    )
    assert str(answer.result.share_sentence) in told
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [
        "share.py", "told-design.json", "told-distorted.csv",
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("make_study", [distorted_study, small_study])
@pytest.mark.parametrize("name", QUESTIONS)
def test_that_python_scripts_of_survey_results_give_the_same_numbers(name, make_study, tmp_path):
    answer = answered(QUESTIONS[name], make_study())
    script = write_script_folder(
        tmp_path / "new", PYTHON, survey_analysis(answer), answer.study, DistortedCache()
    )
    told, document = run_python(script)
    assert told.strip()
    assert_same(document, plain(document_of(answer)))
    with pytest.raises(AssertionError):
        assert_same(document, plain(changed_numbers(document_of(answer))))


@pytest.mark.slow
@pytest.mark.parametrize("target", ["population", "respondents"])
def test_that_a_python_script_uses_the_sampling(target, tmp_path):
    answer = answered(
        Question("count", parse_condition("ticket = yes"), target=target), drawn_study()
    )
    analysis = survey_analysis(answer)
    assert analysis.survey is not None
    assert "weights" in analysis.survey
    told = check_python(tmp_path / "new", analysis, answer.study, document_of(answer))
    assert str(answer.result.share_sentence) in told


@pytest.mark.slow
@pytest.mark.parametrize("method", ["ml", DIFFERENCE])
def test_that_a_python_script_of_a_list_gives_the_same_numbers(method, tmp_path):
    study = listed_study()
    inquiry = ListItem(study.design.lists[0].name, method)
    answer = answered(Question("list", inquiry=inquiry), study)
    told = check_python(tmp_path / "new", survey_analysis(answer), study, answer.result.to_json())
    assert str(answer.result.sentence) in told


def test_that_a_script_tells_where_it_comes_from():
    answer = answered(QUESTIONS["share"], small_study())
    analysis = survey_analysis(answer)
    for language in SCRIPT_NAMES:
        told = write_script(
            language, analysis, answer.study.design, origin_of(analysis, answer.study)
        )
        for words in ("Study: small.", "reported answers", "ppworkbench 0.", "known seed"):
            assert words in told


def test_that_a_script_speaks_the_language_of_the_reader():
    polish = read_catalogue(resource("languages", "pl"), decimal=",").sentence
    answer = answered(QUESTIONS["share"], distorted_study())
    analysis = survey_analysis(answer)
    for language in SCRIPT_NAMES:
        origin = origin_of(analysis, answer.study, polish)
        told = write_script(language, analysis, answer.study.design, origin)
        assert "Odsetek osób spełniających warunek" in told
        assert "Badanie: told." in told
        assert "Study" not in told


def test_that_no_title_ends_a_comment():
    answer = answered(QUESTIONS["share"], distorted_study())
    study = answer.study.with_(title='x\nimport os\r"""*/ /* ///\u2028print(1)')
    analysis = survey_analysis(replace(answer, study=study))
    for language, mark in (("python", "#"), ("r", "#"), (STATA, "*")):
        told = write_script(language, analysis, study.design, origin_of(analysis, study))
        head = told.split("\n\n")[0]
        assert all(line.startswith(mark) for line in head.splitlines())
        assert language != STATA or "/*" not in head


@pytest.mark.parametrize(
    "value",
    ["plain", 'a "quoted" one', "it's", "back\\slash\n", 'both \' and "', -1.5, True, None, (1,),
     [], {"a": (0.1, float("inf"))}],
)  # fmt: skip
def test_that_values_are_written_as_python_reads_them(value):
    assert eval(literal(value), {"float": float}) == value


def test_that_a_folder_with_something_in_it_is_left_alone(tmp_path):
    answer = answered(QUESTIONS["share"], distorted_study())
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(DataError):
        write_script_folder(
            tmp_path, PYTHON, survey_analysis(answer), answer.study, DistortedCache()
        )
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_that_true_answers_beside_a_script_are_for_their_owner_only(tmp_path):
    study, folder = small_study(), tmp_path / "new"
    keys = [key for key in available_items(study).by_key if key[0] == "town"]
    request = mining_request(tuple(keys), miners["shrinkage"](min_support=0.1), 0.3)
    analysis = mining_analysis(study, request)
    script = write_script_folder(folder, PYTHON, analysis, study, DistortedCache())
    told = " ".join(script.read_text(encoding="utf-8").split("\n# "))
    assert "The script reads true answers. Do not pass them on." in told
    assert "Only the owner can read small-distorted.csv, small-original.csv." in told
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes["small-original.csv"] == modes["small-distorted.csv"] == 0o600
    assert modes["small-design.json"] != 0o600


def test_that_the_script_of_reported_answers_names_no_original():
    study = distorted_study()
    keys = [key for key in available_items(study).by_key if key[0] == "town"]
    request = mining_request(tuple(keys), miners["shrinkage"](min_support=0.1), 0.3)
    assert "original" not in mining_analysis(study, request).arguments
