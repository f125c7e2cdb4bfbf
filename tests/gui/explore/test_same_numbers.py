"""Window and command line give the same numbers for the same answers, design and seed."""

from __future__ import annotations

import json

import pytest
from exploring import select, settle, shown_shares
from survey_files import write_survey

from ppworkbench.cli.main import main


@pytest.mark.parametrize(
    "case",
    [
        ("town", "em-as", "published"),
        ("age", "smooth", None),
        pytest.param(("town", "eq", None), marks=pytest.mark.slow),
        pytest.param(("pay", "em", "auto"), marks=pytest.mark.slow),
        pytest.param(("age", "as", "auto"), marks=pytest.mark.slow),
    ],
)
def test_that_a_reconstruction_is_the_one_of_the_command_line(
    qtbot, page, tmp_path, monkeypatch, capsys, case
):
    name, method, rule = case
    study = page.store.study
    seed = study.settings.seed
    monkeypatch.chdir(tmp_path)
    write_survey(tmp_path, study.original, study.design, seed=seed)
    words = ["--attribute", name, "--algorithm", method, "--seed", str(seed)]
    words += ["--original", "original.csv"] + ([] if rule is None else ["--stop", rule])
    main(["reconstruct", "distorted.csv", "--design", "design.json", "--json", *words])
    printed = json.loads(capsys.readouterr().out)["attributes"][name]

    select(qtbot, page, name)
    page.settings_card.methods.rows[method].radio.click()
    settle(qtbot, page)
    if rule is not None:
        page.settings_card.rule.choose(rule)
    view = page.view
    reading = view.readings[method]
    assert view.focus == method
    assert shown_shares(page, "reconstructed") == pytest.approx(printed["probability"], abs=1e-9)
    assert reading.loss == pytest.approx(printed["information_loss"], abs=1e-9)
    if rule is not None:
        assert view.cursor == printed["iterations"]
    else:
        assert list(view.run.raw) == pytest.approx(printed["raw"], abs=1e-9)
        # Intervals of iterations are bootstrapped step by step; closed forms are the same.
        assert list(reading.low) == pytest.approx(printed["low"], abs=1e-9)
        assert list(reading.high) == pytest.approx(printed["high"], abs=1e-9)
