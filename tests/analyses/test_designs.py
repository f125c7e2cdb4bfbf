"""What a design promises: the same in the window as on the command line."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from exploring import small_study
from survey_files import write_survey

from ppworkbench.analyses.designs.design import (
    assess_study,
    belief_of,
    direct_half_width,
    direct_loss,
    direct_respondents,
    report_of,
    sensitive_precision,
    simulated_loss,
)
from ppworkbench.cli.main import main
from ppworkbench.core.progress import Cancelled
from ppworkbench.results.text import plain


@pytest.fixture
def study():
    return small_study()


def without_empty(study):
    """The study without the attribute that nobody answered, which a file cannot measure."""
    kept = tuple(one for one in study.design if one.name != "gone")
    return study.with_(design=replace(study.design, attributes=kept))


def test_that_readouts_are_those_of_the_command_line(study, tmp_path, monkeypatch, capsys):
    study = without_empty(study)
    study = study.with_(settings=replace(study.settings, respondents=850))
    monkeypatch.chdir(tmp_path)
    write_survey(tmp_path, study.original, study.design)
    main(["measure", "--design", "design.json", "--data", "original.csv", "--n", "850", "--json"])
    printed = json.loads(capsys.readouterr().out)
    assert plain(assess_study(study).to_json()) | {"state": "true"} == printed


def test_that_the_whole_says_of_an_attribute_what_its_own_report_says(study):
    study = study.with_(settings=replace(study.settings, noncompliance=0.1))
    whole = {one.name: one for one in assess_study(study).attributes}
    assert whole["town"].to_json() == report_of(study, "town").to_json()
    assert whole["pay"].to_json() == report_of(study, "pay").to_json()


def test_that_an_assessment_can_be_cancelled(study):
    def stop(done, message=""):
        if done > 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        assess_study(study, stop)


def test_that_asking_directly_is_never_worse(study):
    report = report_of(study, "town")
    utility = report.utility
    assert direct_loss(report) < utility.information_loss
    assert direct_half_width(report, utility.worst) < utility.half_width[utility.worst]
    assert direct_respondents(report, 0.03) < 2000


def test_that_belief_and_precision_speak_of_the_marked_answers(study):
    values = study.design["town"].attribute.values
    marked = study.with_sensitive("town", values[:2])
    report = report_of(marked, "town")
    belief, precision = belief_of(report), sensitive_precision(report)
    assert belief.after == pytest.approx(report.privacy["belief"].value)
    assert belief.values == precision.values == values[:2]
    assert belief.before == pytest.approx(precision.share)
    assert 0 < belief.before < belief.after
    # Errors of the two shares partly cancel in their sum.
    assert precision.half_width < report.utility.half_width[:2].sum()
    alone = report_of(study.with_sensitive("town", values[:1]), "town")
    assert sensitive_precision(alone).half_width == pytest.approx(alone.utility.half_width[0])


def test_that_simulated_surveys_lose_about_what_the_formula_says(study):
    report = report_of(study, "town")
    # Estimates are clipped at 0 and 1 in the simulation only, which helps a little.
    assert simulated_loss(report) == pytest.approx(report.utility.information_loss, rel=0.15)
