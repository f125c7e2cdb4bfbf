"""Results as notebooks and matplotlib show them."""

from __future__ import annotations

import json
import pickle
import sys
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from asking import small_study
from examples import sweep
from studies import listed_study, noisy_study
from survey_files import write_survey

import ppworkbench as pp
from ppworkbench.cli.main import main
from ppworkbench.core.attacks import attacks
from ppworkbench.core.design import Identity
from ppworkbench.study.distorted_cache import DistortedCache


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    if plt := sys.modules.get("matplotlib.pyplot"):
        plt.close("all")


def test_that_markup_in_answers_is_escaped() -> None:
    design = {
        "format": "ppworkbench-design",
        "version": 1,
        "attributes": {
            "q": {
                "kind": "binary",
                "values": ["<script>", "b"],
                "perturbation": {"type": "uniform", "keep": 0.8},
            }
        },
    }
    answers = pd.DataFrame({"q": ["<script>", "b"] * 20})
    shown = pp.Survey(answers, design).distribution("q")._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "<script>" not in pp.Design.from_dict(design)._repr_html_()


def test_that_a_notebook_has_no_second_table_in_the_words_of_a_result(answers, design) -> None:
    shown = pp.reconstruct(answers, design, "fare_evasion")._repr_html_()
    words = shown.partition("</p>")[0]
    assert "fare_evasion:" in words
    assert "---" not in words
    assert "low" not in words
    assert "<th>low</th>" in shown


def test_that_a_result_does_not_change(answers, design) -> None:
    found = pp.Survey(answers, design).share("fare_evasion")
    with pytest.raises(AttributeError):
        found.design = None
    document = found.to_dict()
    document["estimate"] = 0
    assert found.to_dict()["estimate"] != 0
    json.dumps(found.to_dict(), allow_nan=False)
    assert str(found) == found.summary()
    assert repr(found).startswith("<ShareResult: ")


def test_that_results_can_be_saved_with_pickle(answers, design) -> None:
    survey = pp.Survey(answers, design)
    made = (survey.share("fare_evasion"), pp.mine(answers, design, min_support=0.3, rules=True))
    for found in made:
        again = pickle.loads(pickle.dumps(found))
        assert again.summary() == found.summary()
        assert again.to_dict() == found.to_dict()


PICTURES = {
    "share": lambda s: s.share("fare_evasion"),
    "mean": lambda s: s.mean("age"),
    "distribution": lambda s: s.distribution("district"),
    "table": lambda s: s.table("sex", "district"),
    "quantile": lambda s: s.quantile("age"),
    "compare": lambda s: s.compare("fare_evasion=yes", "sex"),
    "regress": lambda s: s.regress("fare_evasion=yes ~ sex"),
    "correlate": lambda s: s.correlate("sex=F", "fare_evasion"),
}


@pytest.mark.parametrize("name", sweep(PICTURES, quick=3))
def test_that_a_picture_shows_the_numbers(name: str, answers, design) -> None:
    axes = PICTURES[name](pp.Survey(answers, design)).plot()
    axes.figure.canvas.draw()
    assert axes.has_data()


def test_that_bars_are_as_high_as_the_shares(answers, design) -> None:
    found = pp.Survey(answers, design).distribution("district")
    from matplotlib import pyplot as plt

    _, given = plt.subplots()
    axes = found.plot(given)
    assert axes is given
    heights = [bar.get_height() for bar in axes.patches]
    assert heights == pytest.approx(found.to_frame()["estimate"].tolist())
    assert [one.get_text() for one in axes.get_xticklabels()] == ["north", "east", "south"]


@pytest.mark.slow
def test_that_labels_of_many_bars_do_not_cover_each_other(answers, design) -> None:
    axes = pp.reconstruct(answers, design, "age").plot()
    assert len(axes.patches) == 63
    axes.figure.canvas.draw()
    boxes = [one.get_window_extent() for one in axes.get_xticklabels()]
    assert 5 <= len(boxes) <= 14
    gaps = [right.x0 - left.x0 for left, right in pairwise(boxes)]
    assert min(gaps) > max(box.height for box in boxes) / 2


def test_that_axes_tell_what_they_show(answers, design) -> None:
    survey = pp.Survey(answers, design)
    assert survey.share("fare_evasion").plot().get_xlabel() == "share"
    assert survey.count("fare_evasion = yes").plot().get_xlabel() == "people"
    assert survey.mean("age").plot().get_xlabel() == "mean of age"


def test_that_a_list_of_people_has_no_picture(answers, design) -> None:
    with pytest.raises(pp.WorkbenchError, match="no picture"):
        pp.Survey(answers, design).participants("fare_evasion = yes", size=2).plot()


@pytest.mark.parametrize("kind", attacks.names)
def test_that_an_attack_tells_lists_and_draws_itself(kind: str) -> None:
    study = noisy_study() if kind == "filter" else small_study()
    reported = DistortedCache().of(study).distorted
    asked = {"attribute": "vote"} if attacks[kind].takes_attribute else {}
    asked |= {"known": ["town", "vote"]} if attacks[kind].takes_known else {}
    found = pp.attack(reported, study.design, study.original, attack=kind, **asked)
    frame = found.to_frame()
    assert len(frame) == len(found.found.rows()) > 0
    assert found.summary().startswith(str(found.found.sentence))
    axes = found.plot()
    axes.figure.canvas.draw()
    line, along = axes.lines[0], found.found.along
    drawn = (line.get_xdata() if along is None else line.get_ydata()).tolist()
    assert drawn == pytest.approx([value for _, value, _ in found.found.points()])
    column = {"filter": None, "link": "linked"}.get(kind, "right")
    each = drawn[kind == "guess" :]
    assert column is None or each == pytest.approx(frame[column].dropna().tolist())
    label = axes.get_xlabel() if along is None else axes.get_ylabel()
    assert label.startswith("share of ")


OTHER_PICTURES = {
    "compliance": lambda a, d: pp.Survey(a, d).compliance("fare_evasion"),
    "mine": lambda a, d: pp.mine(a, d, ["sex", "district"], min_support=0.05),
    "budget": lambda _, d: pp.budget(d),
    "publish": lambda a, _: pp.publish(a, "fare_evasion", seed=1, folds=2),
}


@pytest.mark.parametrize("name", sweep(OTHER_PICTURES, quick=2))
def test_that_results_of_other_pages_have_a_picture(name: str, answers, design) -> None:
    found = OTHER_PICTURES[name](answers, design)
    axes = found.plot()
    axes.figure.canvas.draw()
    frame = found.to_frame()
    column = {"mine": "support", "budget": "epsilon", "publish": "deniability"}
    wanted = sorted(frame[column.get(name, "estimate")].replace(np.inf, 0).tolist())
    drawn = (
        [bar.get_width() for bar in axes.patches]
        if axes.patches
        else axes.lines[0].get_xdata().tolist()
    )
    assert sorted(drawn) == pytest.approx(wanted)
    assert len(axes.get_yticklabels()) == len(drawn)


def test_that_privacy_draws_the_belief_before_and_after(true_answers, design) -> None:
    found = pp.privacy(design, true_answers)
    axes = found.plot()
    axes.figure.canvas.draw()
    told = found.to_dict()["attributes"]
    drawn = {line.get_label(): line.get_xdata() for line in axes.lines}
    before, after = drawn["before"], drawn["after a report"]
    names = [one.get_text() for one in axes.get_yticklabels()]
    assert len(names) == len(told) == len(after)
    for place, one in enumerate(told.values()):
        privacy = one["privacy"]
        if "belief" in privacy:
            assert before[place] == pytest.approx(privacy["belief_prior"])
            assert after[place] == pytest.approx(privacy["belief"])
        else:
            assert names[place].endswith(" (guess)")
            assert before[place] == pytest.approx(privacy["prior_guess"])
            assert after[place] == pytest.approx(privacy["attack_success"])
    assert {"belief" in one["privacy"] for one in told.values()} == {True, False}


def test_that_a_plan_draws_the_people_that_its_questions_need(design) -> None:
    found = pp.plan(design, half_width={"fare_evasion": 0.05, "district": 0.05}, n=500)
    axes = found.plot()
    frame = found.to_frame().dropna(subset="respondents")
    assert [bar.get_width() for bar in axes.patches] == pytest.approx(frame["respondents"].tolist())
    assert axes.lines[0].get_xdata()[0] == 500


def test_that_a_plan_draws_the_errors_of_the_techniques_that_it_compares(design) -> None:
    asked = {"attribute": "fare_evasion", "compare": ("direct", "warner=0.7"), "bias": 0.1}
    found = pp.plan(design, share=0.2, **asked)
    axes = found.plot()
    axes.figure.canvas.draw()
    told = found.to_dict()["attributes"]["fare_evasion"]["compare"]
    assert [line.get_label() for line in axes.lines] == [
        "This design",
        "Direct question",
        "Warner 0.70",
    ]
    for line, name in zip(axes.lines, ("design", "direct", "warner=0.7"), strict=True):
        errors = told["techniques"][name]["rmse"]
        assert line.get_xdata().tolist() == told["at"]
        assert line.get_ydata() == pytest.approx([100 * error for error in errors])
    with pytest.raises(pp.WorkbenchError, match="'sex' was not compared"):
        found.plot(attribute="sex")


def test_that_a_plan_of_privacy_alone_has_no_people_to_draw(design) -> None:
    with pytest.raises(pp.WorkbenchError, match="No limit of the plan"):
        pp.plan(design, belief=0.9).plot()


@pytest.mark.slow
def test_that_the_gallery_draws_published_numbers_beside_ours() -> None:
    found = pp.gallery()
    axes = found.plot()
    axes.figure.canvas.draw()
    frame = found.to_frame()
    unit = np.where(frame["unit"] == "%", 1.0, 100 / frame["published"])
    published, ours = (bars.lines[0].get_xdata() for bars in axes.containers)
    assert published == pytest.approx((unit * frame["published"]).tolist())
    assert ours == pytest.approx((unit * frame["estimate"]).dropna().tolist())
    assert len(axes.get_yticks()) == len(frame)
    first = axes.containers[1].lines[2][0].get_segments()[0][:, 0]
    assert first == pytest.approx(frame.loc[0, ["low", "high"]].tolist())


def test_that_a_list_draws_its_estimates() -> None:
    study = listed_study()
    reported = DistortedCache().of(study).distorted
    found = pp.Survey(reported, study.design).list_item("theft")
    axes = found.plot()
    assert axes.lines[0].get_xdata().tolist() == found.to_frame()["estimate"].tolist()


@pytest.mark.slow
def test_that_repeated_draws_are_drawn_and_told_as_the_command_tells_them(
    tmp_path, capsys, monkeypatch
) -> None:
    study = small_study(200)
    write_survey(tmp_path, study.original, study.design)
    monkeypatch.chdir(tmp_path)
    asked = "repeat original.csv --design design.json --attribute town --draws 12 --seed 3"
    found = pp.repeat("original.csv", "design.json", "town", draws=12, seed=3)
    assert main([*asked.split(), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == found.to_dict()
    frame = found.to_frame()
    assert len(frame) == 12 * len(found.losses) == 12 * 5
    first = frame[frame["algorithm"] == "eq"]["loss"]
    assert found.losses[0].mean == pytest.approx(first.mean())
    assert found.losses[0].deviation == pytest.approx(first.std())
    axes = found.plot()
    dots, mean = axes.lines[:2]
    assert dots.get_xdata()[: len(first)].tolist() == pytest.approx(first.tolist())
    assert mean.get_xdata()[:2].tolist() == pytest.approx([first.mean()] * 2)
    assert [one.get_text() for one in axes.get_yticklabels()][:2] == ["eq", "em-as, auto"]
    assert "<th>loss</th>" in found._repr_html_()


@pytest.mark.parametrize(
    ("attribute", "changed", "words"),
    [
        ("town", {"draws": 0}, "Draws is 0; it must lie between 1"),
        ("town", {"iterations": 0}, "Iterations is 0; it must lie between 1"),
        ("town", {"algorithms": ["smooth"]}, "'smooth' cannot reconstruct 'town'; try eq, em-as"),
        ("town", {"algorithms": ["emm"]}, "'emm'; it must be one of eq, em-as"),
        ("pay", {}, "does not randomise 'pay'; choose another attribute"),
        ("nobody", {}, "nobody"),
    ],
)
def test_that_draws_that_cannot_be_repeated_are_refused_in_a_sentence(
    attribute, changed, words
) -> None:
    study = small_study(60).with_perturbations({"pay": Identity()})
    with pytest.raises(pp.WorkbenchError, match=words):
        pp.repeat(study.original, study.design, attribute, **changed)


def test_that_accuracy_curves_are_drawn_and_told_as_the_command_tells_them(
    tmp_path, capsys, monkeypatch
) -> None:
    study = small_study(160)
    write_survey(tmp_path, study.original, study.design)
    monkeypatch.chdir(tmp_path)
    asked = "accuracy-curve original.csv --sensitive vote --minimums 0.1,0.3 --learners tree"
    found = pp.accuracy_curve(
        "original.csv", "vote", minimums=[0.1, 0.3], learners=["tree"], folds=2, seed=1
    )
    assert main([*asked.split(), "--folds", "2", "--seed", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == found.to_dict()
    frame = found.to_frame()
    assert frame["curve"].tolist() == ["predicted", "predicted", "tree", "tree"]
    tree = frame[frame["curve"] == "tree"]
    assert tree["mean"].tolist() == found.to_dict()["curves"]["tree"]["mean"]
    axes = found.plot()
    heights = {one.get_label(): one.lines[0].get_ydata().tolist() for one in axes.containers}
    assert heights["decision tree"] == tree["mean"].tolist()
    assert "<th>minimum</th>" in found._repr_html_()
    assert "The most frequent answer" in found.summary()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            {"min_deniability": 0.2},
            "There is no parameter .min_deniability.; there are sensitive, split_on, minimums",
        ),
        ({"minimums": [2.0]}, "between 0 and 1"),
        ({"learners": ["oak"]}, "must be one of tree"),
        ({"folds": 100}, "folds need at least"),
    ],
)
def test_that_curves_that_cannot_be_measured_are_refused_in_a_sentence(changed, words) -> None:
    with pytest.raises(pp.WorkbenchError, match=words):
        pp.accuracy_curve(small_study(60).original, "vote", **changed)
