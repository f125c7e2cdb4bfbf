"""Regressions as a study asks, keeps and tells them."""

from __future__ import annotations

import csv
import io
import json
import math
import shlex
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from designs import classic_study

from ppworkbench.analyses.command_line import command_of
from ppworkbench.analyses.regression.regress import Regress, RegressionResult
from ppworkbench.analyses.regression.tables import (
    effect_sentence,
    escape_latex,
    headline,
    model_latex,
    model_methods,
    p_value,
    rounded_rows,
    term_rows,
)
from ppworkbench.analyses.survey.answers import SurveyResult, answer_question
from ppworkbench.analyses.survey.history import history_from_json
from ppworkbench.analyses.survey.questions import REGRESSION, Question
from ppworkbench.cli.main import main
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Identity, Uniform
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.models import RegressionOptions, parse_formula
from ppworkbench.core.models.results import Interval
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.language import tongue_of
from ppworkbench.study.study import Study

ROWS = 3_000


@pytest.fixture(scope="module")
def study() -> Study:
    """A yes or no and a sex that are randomised, and plain columns with labels."""
    source = np.random.default_rng(5)
    age = source.integers(18, 91, ROWS)
    sex = source.integers(0, 2, ROWS)
    town = source.integers(0, 3, ROWS)
    pay = source.uniform(0, 9000, ROWS).round()
    chance = 1 / (1 + np.exp(-(1.5 - 0.05 * age + 0.9 * sex)))
    yes = (source.random(ROWS) < chance).astype(int)
    mood = np.clip((source.normal(size=ROWS) + 0.02 * age).round(), 0, 2).astype(int)
    columns = {
        Attribute("q1", Kind.BINARY, ("no", "yes"), title="Rode without a ticket"): yes,
        Attribute("sex", Kind.BINARY, ("female", "male"), title="Sex"): sex,
        Attribute("town", Kind.NOMINAL, ("Old:Town", "=Hill", "R&D_50%")): town,
        Attribute("mood", Kind.ORDINAL, ("low", "fair", "high"), title="Mood"): mood,
        Attribute("age", Kind.INTEGER, domain=(18, 90), title="Age", unit="years"): age,
        Attribute("pay", Kind.CONTINUOUS, domain=(0, 9000), title="Pay"): pay,
    }
    table = Table(tuple(Column(attribute, data) for attribute, data in columns.items()))
    plain = dict.fromkeys(("town", "mood", "age", "pay"), Identity())
    return classic_study(table, "Small town").with_perturbations(
        {"q1": Uniform(keep=0.7), "sex": Uniform(keep=0.8), **plain}
    )


def asked(formula: str) -> Regress:
    """A question with the usual options."""
    return Regress(formula=parse_formula(formula))


@pytest.fixture(scope="module")
def ask(study: Study):
    """Fit a formula to the study, each once."""
    source = DistortedCache()

    @cache
    def ask(formula: str) -> SurveyResult:
        found = answer_question(Question(REGRESSION, model=asked(formula)), study, source)
        assert isinstance(found, SurveyResult), found
        return found

    return ask


EVERYTHING = Regress(
    formula=parse_formula("q1=yes ~ sex + center(age) + town[ref='R&D_50%'] + sex:town"),
    options=RegressionOptions(
        model="logistic", method="inverse", variance="robust", confidence=0.9
    ),
    effects=True,
    predict=({"sex": "male", "age": "30"}, {"sex": "female"}),
    compare_with=parse_formula("q1=yes ~ center(age)"),
    fit=True,
)
KEPT = {
    "formula": str(EVERYTHING.formula), "condition": "", "options": EVERYTHING.options.to_json(),
    "effects": True, "predict": [{"sex": "male", "age": "30"}, {"sex": "female"}],
    "compare_with": "q1=yes ~ center(age)", "fit": True,
}  # fmt: skip
"""The same as older studies kept it."""


@pytest.mark.parametrize("question", [EVERYTHING, asked("q1 ~ 0 + age"), asked("pay ~ 1")])
def test_that_a_question_comes_back_from_a_file_as_it_was(question: Regress) -> None:
    kept = json.loads(json.dumps(question.to_kept()))
    assert Regress.from_kept(kept) == question


def test_that_a_question_of_an_older_study_is_the_same() -> None:
    assert Regress.from_kept(KEPT) == EVERYTHING


@pytest.mark.parametrize(
    "damage",
    [
        {"formula": "q1 ~"},
        {"formula": 5},
        {"options": {"method": "magic"}},
        {"options": ["ml"]},
        {"condition": "age ="},
        {"predict": ["sex"]},
        {"predict": 3},
        {"compare_with": "~"},
        {"target": "martians"},
    ],
)
def test_that_a_damaged_row_is_left_out_and_the_others_stay(damage: dict[str, object]) -> None:
    row = {
        "statistic": "regression",
        "condition": "18 <= age < 65 and town != 'Old:Town'",
        "target": "respondents",
        "model": KEPT | {"target": "population"},
    }
    good = {"question": row}
    outside = {"condition", "target"} & damage.keys()
    bad = {"question": {**row, **damage} if outside else {**row, "model": row["model"] | damage}}
    others = [None, {"question": 1}, {"question": {"statistic": "count", "condition": ""}}]
    kept = [row.question for row in history_from_json({"asked": [bad, good, *others]})]
    assert [one.model for one in kept if one.model is not None] == [EVERYTHING]
    assert len(kept) == 2


def test_that_terms_carry_labels_values_and_references(study, ask) -> None:
    rows = term_rows(ask("q1=yes ~ sex + age + town[ref='=Hill']").result, study)
    told = [(str(row.label), row.column, row.level, row.reference) for row in rows]
    assert told == [
        ("Constant", "(intercept)", "", ""),
        ("Sex", "sex", "male", "female"),
        ("Age", "age", "", ""),
        ("town", "town", "Old:Town", "=Hill"),
        ("town", "town", "R&D_50%", "=Hill"),
    ]
    assert [row.is_constant for row in rows] == [True, False, False, False, False]


def test_that_products_name_every_value_though_one_has_a_colon(study, ask) -> None:
    rows = term_rows(ask("mood ~ age + town*pay + age^2").result, study)
    labels = [str(row.full_label) for row in rows]
    assert "town × Pay: R&D_50% (reference: Old:Town)" in labels
    assert "Age²" in labels
    assert labels[:2] == ["Threshold: low", "Threshold: fair"]
    products = term_rows(ask("pay ~ mood:town").result, study)
    assert "fair × Old:Town" in [row.level for row in products]
    assert {row.reference for row in products} == {""}


def test_that_numbers_have_two_digits_of_their_error(study, ask) -> None:
    """And the odds ratio as many as its interval can tell."""
    result = ask("q1=yes ~ sex + age")
    age = next(row for row in term_rows(result.result, study) if row.column == "age")
    one = age.coefficient
    decimals = 1 - math.floor(math.log10(one.standard_error))
    assert age.estimate == f"{one.estimate:.{decimals}f}"
    assert len(age.standard_error.lstrip("0.")) == 2
    assert age.interval == f"{one.low:.{decimals}f} to {one.high:.{decimals}f}"
    assert age.p == "< 0.001"
    assert age.odds_ratio.startswith("0.9")
    assert tongue_of("pl").say(age.odds_interval).startswith("od 0,9")


def test_that_what_is_not_known_is_a_dash() -> None:
    assert (p_value(math.nan), p_value(0.0004), p_value(0.05)) == ("–", "< 0.001", "0.050")


def test_that_endless_ratios_are_only_told_to_be_so(study, ask) -> None:
    age = term_rows(ask("q1=yes ~ age").result, study)[-1]
    far = replace(age.coefficient, odds_ratio=Interval(1e6, 1e-9, math.inf), naive=-50.0)
    row = replace(age, coefficient=far)
    assert row.odds_ratio == "> 1,000"
    assert row.odds_interval == "< 0.001 to ∞"
    assert row.uncorrected_odds == "< 0.001"


def test_that_too_few_clusters_leave_no_error_to_be_told(study, ask) -> None:
    age = term_rows(ask("q1=yes ~ age").result, study)[-1]
    row = replace(age, coefficient=replace(age.coefficient, degrees_of_freedom=0.0))
    assert (row.standard_error, row.interval, row.odds_interval) == ("–", "–", "–")
    assert row.odds_ratio == age.odds_ratio


def test_that_the_clearest_effect_is_told_to_people(study, ask) -> None:
    found = ask("q1=yes ~ sex + age").result
    said = headline(found, study)
    age = next(row for row in term_rows(found, study) if row.column == "age")
    assert said == (
        f"With Age higher by 1 (years) the odds of “yes” are {age.odds_ratio} times as high "
        f"(95 % interval {age.odds_interval})."
    )
    sex = next(row for row in term_rows(found, study) if row.column == "sex")
    assert "With Sex = “male” instead of “female” the odds of “yes”" in str(
        effect_sentence(sex, found, study)
    )


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("pay ~ age", "the mean of Pay is"),
        ("mood ~ age", "the odds of a higher Mood are"),
        ("age ~ mood", "the mean of Age is"),
        ("town ~ age", "the odds of “=Hill” instead of “Old:Town” are"),
        ("q1 ~ pay", "With Pay higher by 100 the odds of “yes” are"),
        ("q1 ~ scale(age)", "With Age higher by a standard deviation the odds"),
    ],
)
def test_that_every_model_has_its_sentence(study, ask, formula: str, said: str) -> None:
    found = ask(formula).result
    sentences = [effect_sentence(row, found, study) for row in term_rows(found, study)]
    assert said in " ".join(map(str, sentences))


def test_that_no_sentence_is_told_of_a_term_that_needs_others(study, ask) -> None:
    """An effect in a product holds where the other one is 0 only."""
    found = ask("q1=yes ~ sex*age").result
    rows = term_rows(found, study)
    assert [effect_sentence(row, found, study) for row in rows] == [None] * 4
    assert "Fitted to 3,000 records." in headline(found, study)


def test_that_an_interval_around_nothing_is_called_no_difference(study, ask) -> None:
    found = ask("q1=yes ~ pay").result
    row = term_rows(found, study)[1]
    crosses = row.coefficient.low < 0 < row.coefficient.high
    assert ("so no difference is shown" in str(effect_sentence(row, found, study))) == crosses


def test_that_the_methods_paragraph_says_what_was_done(study, ask) -> None:
    result = ask("q1=yes ~ sex + age")
    said = " ".join(model_methods(result.question.model.options, result.result, study))
    for words in (
        "logistic regression of Rode without a ticket on Sex, Age",
        "3,000 respondents",
        "not randomised",
        "maximise the likelihood",
        "The interval includes",
    ):
        assert words in said, words


def test_that_a_table_for_programs_has_all_digits_and_no_formulas(study, ask) -> None:
    def told(formula: str) -> list[dict[str, str]]:
        request = Regress(formula=parse_formula(formula))
        text = RegressionResult(request, ask(formula).result, study.design).to_csv()
        return list(csv.DictReader(io.StringIO(text)))

    formula = "q1=yes ~ sex + age + town[ref='=Hill']"
    rows, found = told(formula), ask(formula).result
    assert rows[1]["term"] == "sex"
    assert float(rows[2]["estimate"]) == pytest.approx(found.terms[2].estimate, rel=1e-9)
    assert rows[3]["reference"] == "'=Hill"
    assert set(rows[0]) >= {"odds_ratio", "odds_ratio_low", "naive", "true"}
    assert "odds_ratio" not in told("pay ~ age")[0]
    assert all(row["outcome"] for row in told("town ~ age"))


def test_that_latex_is_escaped_and_rounded(study, ask) -> None:
    text = model_latex(ask("q1=yes ~ sex + age + town[ref='=Hill']").result, study)
    lines = text.splitlines()
    assert lines[:3] == [
        r"% \usepackage{booktabs}", r"\begin{tabular}{lrrrrrrrr}", r"\toprule",
    ]  # fmt: skip
    assert lines[-1] == r"\end{tabular}"
    assert r"town: R\&D\_50\% (reference: =Hill)" in text
    assert r"$<$ 0.001" in text
    assert r"95 \% interval" in text
    widths = {line.replace(r"\&", "").count("&") for line in lines if line.endswith(r"\\")}
    assert widths == {8}


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a_b{c}^2~", r"a\_b\{c\}\textasciicircum{}2\textasciitilde{}"),
        ("\\input", r"\textbackslash{}input"),
        ("-0.5 to -0.1", "$-$0.5 to $-$0.1"),
        ("18-30", "18-30"),
        ("two\nlines", "two lines"),
    ],
)
def test_that_nothing_in_a_label_is_a_command(text: str, escaped: str) -> None:
    assert escape_latex(text) == escaped


def test_that_heads_are_said_in_polish(study, ask) -> None:
    say = tongue_of("pl").say
    found = ask("q1=yes ~ sex + age").result
    assert [say(head) for head in rounded_rows(found, study)[0]][:4] == [
        "Składnik", "Iloraz szans", "Przedział 95 %", "Bez korekty",
    ]  # fmt: skip
    assert r"Przedział 95 \%" in model_latex(found, study, say)


def test_that_the_command_line_asks_the_same(study, ask, tmp_path, capsys) -> None:
    """Run word by word, it gives the numbers of the window."""
    answers = DistortedCache().of(study)
    write_table(answers.distorted, tmp_path / "town.csv")
    write_design(study.design, tmp_path / "town.json")
    result = ask("q1=yes ~ sex + age + town[ref='=Hill']")
    files = str(tmp_path / "town.csv"), str(tmp_path / "town.json")
    line = command_of(result.question.request, *files)
    program, *words = shlex.split(line)
    assert program == "ppworkbench"
    assert main([*words, "--json"]) == 0
    terms = json.loads(capsys.readouterr().out)["terms"]
    assert [one["estimate"] for one in terms] == pytest.approx(
        [one.estimate for one in result.result.terms], rel=1e-6
    )


def test_that_every_choice_is_on_the_command_line() -> None:
    asked = replace(EVERYTHING, where=parse_condition("18 <= age < 65 and town != 'Old:Town'"))
    line = command_of(asked, "a b.csv", "d.json", target="respondents")
    words = shlex.split(line)
    assert words[:5] == ["ppworkbench", "regress", "a b.csv", "--design", "d.json"]
    for option, value in (
        ("--formula", str(EVERYTHING.formula)), ("--model", "logistic"), ("--method", "inverse"),
        ("--variance", "robust"), ("--confidence", "0.9"), ("--where", str(asked.where)),
        ("--predict", "sex=male; age=30"), ("--compare-with", "q1=yes ~ center(age)"),
        ("--target", "respondents"),
    ):  # fmt: skip
        assert words[words.index(option) + 1] == value
    assert {"--effects", "--fit"} <= set(words)
