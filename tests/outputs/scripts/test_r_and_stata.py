"""Scripts in R and Stata: R runs them, and they find the numbers of the workbench."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from asking import distorted_study, small_study
from clustered_surveys import clustered_survey
from r_agreement import DESIGN, ROLES
from role_studies import drawn_study
from scripted import MODEL, QUESTIONS, answered
from studies import listed_study

import ppworkbench as pp
from ppworkbench.analyses.estimates.list_item import ListItem
from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.analyses.survey.questions import Question
from ppworkbench.core.compliance.assess_list import DIFFERENCE
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.design import Design, DesignedAttribute, Identity, Laplace, Uniform
from ppworkbench.core.design.anchors import Anchor
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.outputs.scripts import STATA, R
from ppworkbench.outputs.scripts.analysis import Analysis, Origin
from ppworkbench.outputs.scripts.folder import origin_of, write_script, write_script_folder
from ppworkbench.outputs.scripts.results import (
    survey_analysis,
)
from ppworkbench.results.text import plain
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.study import Study

rscript = shutil.which("Rscript")
needs_r = pytest.mark.skipif(rscript is None, reason="R is not installed")


def has_r_package(name: str) -> bool:
    if rscript is None:
        return False
    asked = [rscript, "-e", f'quit(status = !nzchar(system.file(package = "{name}")))']
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


def run_r(folder: Path, code: str | None = None) -> str:
    (script,) = folder.glob("*.R")
    asked = (
        ["-e", f"cat(length(parse({script.name!r}, encoding = 'UTF-8')))"]
        if code == "parse"
        else [script.name]
    )
    done = subprocess.run(
        [rscript or "", *asked], cwd=folder, capture_output=True, encoding="utf-8", timeout=300,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def numbers_of(told: str) -> dict[str, tuple[float, float]]:
    found = {}
    for line in told.splitlines():
        label, _, rest = line.partition(": ")
        if rest.startswith("F = "):
            value, _, error = rest.removeprefix("F = ").partition(", p = ")
        else:
            value, _, error = rest.partition(", standard error ")
        found[label] = (float(value), float(error))
    return found


def r_numbers(folder: Path, answer: SurveyResult) -> dict[str, tuple[float, float]]:
    write_script_folder(folder, R, survey_analysis(answer), answer.study, DistortedCache())
    return numbers_of(run_r(folder))


def assert_close(found: tuple[float, float], estimate: float, error: float) -> None:
    assert found[0] == pytest.approx(estimate, rel=1e-5, abs=1e-9)
    assert found[1] == pytest.approx(error, rel=1e-4)


@needs_r
@pytest.mark.slow
def test_that_r_finds_the_share_of_the_workbench(tmp_path):
    answer = answered(
        Question("count", parse_condition("vote = yes and mood = good")), distorted_study()
    )
    found = r_numbers(tmp_path / "new", answer)
    value, n = answer.result.value, answer.result.respondents
    assert_close(found["share"], value.estimate / n, value.standard_error / n)


@needs_r
@pytest.mark.slow
def test_that_r_finds_the_distribution_the_table_and_the_comparison(tmp_path):
    study = distorted_study()
    answer = answered(Question("distribution", of="town"), study)
    found = r_numbers(tmp_path / "one", answer)
    for label, value in zip(answer.result.labels, answer.result.shares, strict=True):
        assert_close(found[label], value.estimate, value.standard_error)
    answer = answered(QUESTIONS["table"], study)
    found = r_numbers(tmp_path / "two", answer)
    table = answer.result
    for row, cells in zip(table.row_labels, table.cells, strict=True):
        for column, cell in zip(table.column_labels, cells, strict=True):
            assert_close(found[f"{row} | {column}"], cell.estimate, cell.standard_error)
    assert_close(found["independence"], table.independence.f, table.independence.p)
    answer = answered(QUESTIONS["compare"], study)
    found = r_numbers(tmp_path / "three", answer)
    for one in answer.result.differences:
        assert_close(found[f"{one.a} - {one.b}"], one.estimate, one.standard_error)


@needs_r
@pytest.mark.slow
def test_that_r_finds_the_difference_of_a_list(tmp_path):
    inquiry = ListItem("theft", DIFFERENCE)
    answer = answered(Question("list", inquiry=inquiry), listed_study())
    told = answer.result.to_json()
    found = r_numbers(tmp_path / "new", answer)
    assert_close(found["share"], told["difference"], told["standard_error"])


WRITTEN_IN_R = ("share", "mean", "distribution", "table", "compare")
SAMPLES = {
    "clusters": Sampling("pw", ("region",), "village"),
    "a finite population": Sampling("pw", ("region",), "village", population=12),
    "no clusters": Sampling("pw", ("region",), population=300),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_that_the_package_survey_finds_the_numbers_of_a_sample(name, tmp_path):
    if not has_r_package("survey"):
        pytest.skip("the R package survey is not installed")
    study = drawn_study().with_sampling(SAMPLES[name]).with_perturbations({"village": Identity()})
    yes = parse_condition("ticket = yes")
    answer = answered(Question("count", yes), study)
    share = answer.result.share
    assert_close(
        r_numbers(tmp_path / "share", answer)["share"], share.estimate, share.standard_error
    )
    north = parse_condition("region = north")
    answer = answered(Question("distribution", north, of="ticket"), study)
    found = r_numbers(tmp_path / "distribution", answer)
    for label, one in zip(answer.result.labels, answer.result.shares, strict=True):
        assert_close(found[label], one.estimate, one.standard_error)
    answer = answered(Question("mean", yes, of="village"), study)
    one = answer.result.value
    assert_close(r_numbers(tmp_path / "mean", answer)["mean"], one.estimate, one.standard_error)
    answer = answered(Question("compare", of="ticket", value="yes", by="region"), study)
    found = r_numbers(tmp_path / "compare", answer)
    for one in answer.result.differences:
        assert_close(found[f"{one.a} - {one.b}"], one.estimate, one.standard_error)
    answer = answered(Question("crosstab", of="ticket", by="region"), study)
    found, table = r_numbers(tmp_path / "table", answer), answer.result
    for row, cells in zip(table.row_labels, table.cells, strict=True):
        for column, cell in zip(table.column_labels, cells, strict=True):
            assert_close(found[f"{row} | {column}"], cell.estimate, cell.standard_error)
    # Where a population is told, the test needs errors that reports alone do not have.
    assert ("independence" in found) == (SAMPLES[name].population is None)
    if "independence" in found:
        assert_close(found["independence"], table.independence.f, table.independence.p)


@pytest.mark.slow
@pytest.mark.parametrize("where", [None, "urban = yes"])
def test_that_the_package_survey_finds_the_ratio_of_two_numbers(where, tmp_path):
    if not has_r_package("survey"):
        pytest.skip("the R package survey is not installed")
    data, roles = clustered_survey(), ROLES["population"]
    data.to_csv(tmp_path / "data.csv", index=False)
    asked = {"of": "tested", "by": "enrolled"} | ({"where": where} if where else {})
    analysis = Analysis("ratio", asked, {"data": "data.csv", "design": "design.json", **roles})
    survey = pp.Survey(data, DESIGN, **roles)
    script = write_script(R, analysis, survey.design, Origin())
    (tmp_path / "script.R").write_text(script, encoding="utf-8")
    found = survey.ratio("tested", "enrolled", where)
    assert_close(numbers_of(run_r(tmp_path))["ratio"], found.estimate, found.standard_error)


@pytest.mark.slow
def test_that_r_shows_the_error_of_the_device_where_clusters_vary_less(tmp_path):
    if not has_r_package("survey"):
        pytest.skip("the R package survey is not installed")
    answer = answered(Question("count", parse_condition("ticket = yes")), drawn_study())
    details = answer.result.share.details
    assert details.standard_error_sampling == 0
    found = r_numbers(tmp_path / "new", answer)["share"]
    assert found[1] == pytest.approx(details.standard_error_device, rel=1e-5)


@pytest.mark.slow
def test_that_r_counts_a_draw_that_waves_repeat_once(tmp_path):
    if not has_r_package("survey"):
        pytest.skip("the R package survey is not installed")
    study = drawn_study().with_sampling(Sampling("pw", ("region",), person="village"))
    kept = replace(study.design, budget=DesignBudget(waves=3, memoise=True))
    answer = answered(Question("count", parse_condition("ticket = yes")), study.with_(design=kept))
    fresh = answered(Question("count", parse_condition("ticket = yes")), study)
    share = answer.result.share
    # Many rows of one village repeat one draw, so that the device alone is above the sampling.
    assert share.standard_error > 2 * fresh.result.share.standard_error
    found = r_numbers(tmp_path / "new", answer)["share"]
    assert_close(found, share.estimate, share.standard_error)


def test_that_r_does_not_guess_the_error_of_a_number_under_noise_in_a_sample():
    study = drawn_study().with_sampling(SAMPLES["no clusters"])
    study = study.with_perturbations({"village": Laplace(epsilon=1.0)})
    asked = Analysis("mean", {"of": "village"}, {"data": "a.csv", "design": "d.json"})
    told = write_script(R, asked, study.design, origin_of(asked, study))
    assert "whose error in a sample is that of" in told


@needs_r
@pytest.mark.slow
@pytest.mark.parametrize("name", QUESTIONS)
def test_that_r_scripts_parse(name, tmp_path):
    answer = answered(QUESTIONS[name], distorted_study())
    write_script_folder(
        tmp_path / "new", R, survey_analysis(answer), answer.study, DistortedCache()
    )
    # Where R cannot do it, the script is a comment.
    assert (int(run_r(tmp_path / "new", "parse")) > 0) is (name in WRITTEN_IN_R)


def test_that_r_and_stata_say_why_they_cannot():
    answer = answered(QUESTIONS["compliance"], distorted_study())
    analysis = survey_analysis(answer)
    for language in (R, STATA):
        told = write_script(
            language, analysis, answer.study.design, origin_of(analysis, answer.study)
        )
        assert "cannot give this result again" in told
        assert all(line.startswith(("#", "*")) for line in told.splitlines() if line)


def logistic(study: Study) -> Analysis:
    formula = {"formula": "vote=yes ~ mood + age"}
    return Analysis("regress", formula, {"data": "a.csv", "design": "d.json"})


def test_that_a_logistic_regression_of_a_device_is_written_for_rrlog_and_rrlogit():
    study = distorted_study()
    design = study.design.with_perturbation("mood", Identity()).with_perturbation("age", Identity())
    asked = logistic(study)
    told = write_script(R, asked, design, origin_of(asked, study))
    matrix = design.perturbation("vote").matrix(2)
    lost, gained = (f"{float(f'{x:.15g}')!r}" for x in (matrix[0, 1], matrix[1, 0]))
    assert f'model = "FR",\n  p = c({lost}, {gained})' in told
    assert 'factor(answers[["mood"]], levels = c("bad", "fair", "good"))' in told
    told = write_script(STATA, asked, design, origin_of(asked, study))
    assert f"rrlogit outcome_ mood_2 mood_3 age, pyes({gained}) pno({lost})" in told


def test_that_r_and_stata_leave_check_questions_to_python():
    study = distorted_study()
    asked = Analysis("regress", {"formula": "vote=yes ~ 1"}, {"data": "a.csv", "design": "d.json"})
    check = DesignedAttribute(Attribute("check", Kind.BINARY, ("no", "yes")), Identity())
    design = replace(
        study.design, attributes=(*study.design.attributes, check),
        anchors=(("vote", Anchor("check", 0.2)),),
    )  # fmt: skip
    for language in (R, STATA):
        told = write_script(language, asked, design, origin_of(asked, study))
        assert "has a check question" in told


FORCED_RESPONSE = """
RRlog <- function(formula, data, model, p) {
  stopifnot(model == "FR")
  frame <- model.frame(formula, data)
  x <- model.matrix(formula, frame)
  y <- model.response(frame)
  unit <- apply(abs(x), 2, max)
  x <- sweep(x, 2, unit, "/")
  likelihood <- function(b) {
    share <- plogis(x %*% b)
    sum(dbinom(y, 1, share * (1 - p[1]) + (1 - share) * p[2], log = TRUE))
  }
  control <- list(fnscale = -1, reltol = 1e-14, maxit = 500, ndeps = rep(1e-5, ncol(x)))
  best <- optim(rep(0, ncol(x)), likelihood, method = "BFGS", control = control)
  best$par / unit
}
"""
"""The likelihood that RRlog is documented to maximise, for where RRreg is not installed."""


@needs_r
@pytest.mark.slow
@pytest.mark.parametrize("has_package", [False, True])
def test_that_the_model_of_rrlog_has_the_coefficients_of_the_workbench(has_package, tmp_path):
    if has_package and not has_r_package("RRreg"):
        pytest.skip("the R package RRreg is not installed")
    open_ = {"mood": Identity(), "age": Identity()}
    study = small_study(2000).with_perturbations(open_)
    answer = answered(Question("regression", model=MODEL), study)
    script = write_script_folder(
        tmp_path / "new", R, survey_analysis(answer), study, DistortedCache()
    )
    code = script.read_text(encoding="utf-8")
    assert "library(RRreg)" in code
    if not has_package:
        code = code.replace("library(RRreg)", FORCED_RESPONSE)
    told = "cat(if (is.list(found)) coef(found) else found, fill = TRUE)"
    script.write_text(code.replace("summary(found)", told), encoding="utf-8")
    found = [float(one) for one in run_r(tmp_path / "new").split()]
    expected = [one["estimate"] for one in plain(answer.result.to_json())["terms"]]
    assert found == pytest.approx(expected, rel=0.02 if has_package else 1e-3, abs=1e-3)


def test_that_a_randomised_predictor_has_no_script_in_r():
    study = distorted_study()
    asked = logistic(study)
    told = write_script(R, asked, study.design, origin_of(asked, study))
    assert "The predictor mood is randomised." in told


def test_that_no_answer_starts_a_macro_of_stata():
    study = distorted_study()
    asked = Analysis("share", {"what": "vote = '$HOME'"}, {"data": "a.csv", "design": "d.json"})
    vote = study.design["vote"].attribute.with_(values=("no", "$HOME"))
    design = Design((DesignedAttribute(vote, Uniform(keep=0.8)),))
    told = write_script(STATA, asked, design, origin_of(asked, study))
    assert "cannot write the text '$HOME'" in told
