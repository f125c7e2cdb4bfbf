"""What more privacy of a question costs, from Python."""

from __future__ import annotations

import json

import matplotlib as mpl
import numpy as np
import pytest
from examples import sweep
from matplotlib import pyplot as plt

import ppworkbench as pp
from ppworkbench.cli.main import main

mpl.use("Agg")

NAME = "fare_evasion"


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_that_the_place_of_a_design_follows_from_its_matrix(design) -> None:
    found = pp.trade_off(design, NAME, share=0.2, n=1000, frontier=False).to_dict()
    yes = 0.8 * 0.2 + 0.2 * 0.8
    assert found["place"]["privacy"] == pytest.approx(0.8 * 0.2 / yes)
    error = np.sqrt(yes * (1 - yes) / 1000) / 0.6
    assert found["place"]["half_width"] == pytest.approx(1.959964 * error, rel=1e-6)
    assert found["direct"] == pytest.approx(1.959964 * np.sqrt(0.2 * 0.8 / 1000), rel=1e-6)
    assert found["frontier"] == []
    (now,) = (one for one in found["curve"] if one["value"] == 0.8)
    assert now["half_width"] == pytest.approx(found["place"]["half_width"])


@pytest.mark.parametrize(
    ("keywords", "options"),
    sweep(
        [
            (
                {
                    "privacy": "attack_success",
                    "frontier": False,
                    "noncompliance": 0.1,
                    "share": 0.3,
                },
                "--privacy attack-success --no-frontier --non-compliance 0.1 --share 0.3",
            ),
            (
                {"limit": 0.6, "half_width": 0.05, "data": "true.csv", "n": 900},
                "--limit 0.6 --half-width 0.05 --data true.csv --n 900",
            ),
        ],
        quick=1,
    ),
)
def test_that_a_trade_off_is_that_of_the_command(keywords, options, files, capsys) -> None:
    found = pp.trade_off("design.json", NAME, **keywords)
    words = ["trade-off", "--design", "design.json", "--attribute", NAME, *options.split()]
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == found.to_dict()
    assert main(words) == 0
    assert capsys.readouterr().out.strip() == found.summary().replace("\u202f", " ").strip()


@pytest.mark.slow
def test_that_no_curve_goes_below_the_frontier(design) -> None:
    frame = pp.trade_off(design, NAME, share=0.2).to_frame()
    best = frame[frame["kind"] == "frontier"]
    curve = frame[frame["kind"] == "curve"]
    inside = curve[curve["privacy"].between(best["privacy"].min(), best["privacy"].max())]
    lowest = np.interp(inside["privacy"], best["privacy"], best["half_width"])
    assert (inside["half_width"] >= lowest * (1 - 1e-6)).all()
    assert (np.diff(best["half_width"]) < 0).all()


@pytest.mark.slow
def test_that_a_missed_goal_tells_what_meets_it(design) -> None:
    asked = {"share": 0.2, "n": 3000, "limit": 0.45, "half_width": 0.035}
    found = pp.trade_off(design, NAME, **asked)
    goal = found.to_dict()["goal"]
    assert goal["met"] is False
    better = {"A": goal["repair"]["perturbation"]}
    place = pp.trade_off(design, NAME, compare=better, **asked).to_dict()["compare"]["A"]
    assert place["privacy"] <= 0.45 + 5e-4
    assert place["half_width"] <= 0.035 * 1.0005
    assert "meets it" in found.summary()
    wide = pp.trade_off(design, NAME, share=0.2, half_width=0.2, frontier=False)
    assert wide.to_dict()["goal"] | {"respondents": 0} == {
        "limit": None, "half_width": 0.2, "met": True, "respondents": 0,
    }  # fmt: skip
    assert "The goal is met." in wide.summary()


@pytest.mark.slow
def test_that_a_trade_off_draws_its_curve_its_dot_and_others(design) -> None:
    other = {"A": {"type": "forced", "p_truth": 0.7}}
    found = pp.trade_off(design, NAME, share=0.2, limit=0.6, half_width=0.04, compare=other)
    axes = found.plot()
    axes.figure.canvas.draw()
    frame = found.to_frame()
    lines = {line.get_label(): line for line in axes.lines}
    for label, kind in (("keep", "curve"), ("frontier", "frontier"), ("this design", "design")):
        rows = frame[frame["kind"] == kind]
        assert lines[label].get_xdata() == pytest.approx(rows["privacy"].tolist())
        assert lines[label].get_ydata() == pytest.approx((100 * rows["half_width"]).tolist())
    other = frame[frame["kind"] == "compare"]
    assert lines["A"].get_xdata() == pytest.approx(other["privacy"].tolist())
    assert axes.get_ylabel() == "± points, 95 %"


@pytest.mark.parametrize("name", ["sex", "district", "age", NAME])
def test_that_every_kind_of_question_has_a_trade_off(name, design) -> None:
    found = pp.trade_off(design, name, frontier=False)
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.summary().startswith(f"{name}: ")
    assert found.to_frame().loc[0, "kind"] == "design"
    assert (found.to_dict()["parameter"] is None) is (name == "sex")
    found.plot().figure.canvas.draw()


@pytest.mark.parametrize(
    ("keywords", "field", "words"),
    [
        ({"attribute": "age", "privacy": "belief"}, "privacy", "attack_success, epsilon"),
        ({"limit": 0.0}, "limit", "above 0"),
        ({"half_width": -1.0}, "half_width", "above 0"),
        ({"compare": {"A": "warner"}}, "compare", "as in a design file"),
    ],
)
def test_that_a_trade_off_without_sense_is_told_in_one_sentence(
    keywords, field, words, design
) -> None:
    with pytest.raises(pp.WorkbenchError, match=words) as told:
        pp.trade_off(design, **{"attribute": NAME, "frontier": False} | keywords)
    assert told.value.field == field


def test_that_a_device_that_does_not_fit_is_refused(design) -> None:
    with pytest.raises(pp.WorkbenchError, match=NAME):
        pp.trade_off(design, NAME, frontier=False, compare={"A": {"type": "square_wave"}})
    with pytest.raises(pp.WorkbenchError, match="nothing"):
        pp.privacy(design, compare={"A": {"nothing": {"type": "none"}}})
    with pytest.raises(pp.WorkbenchError, match="above 0"):
        pp.privacy(design, half_width=0.0)


def test_that_compared_devices_are_rows_of_their_own(design) -> None:
    other = {"B": {NAME: {"type": "uniform", "keep": 0.95}}}
    frame = pp.privacy(design, half_width=0.05, compare=other).to_frame()
    assert set(frame["design"]) == {"", "B"}
    needed = frame[(frame["attribute"] == NAME) & (frame["measure"] == "respondents")]
    assert needed["value"].iloc[1] < needed["value"].iloc[0]
    found = pp.privacy(design, half_width=0.05, compare=other)
    axes, beliefs = found.plot(), frame[frame["measure"] == "belief"]
    assert axes.get_yticklabels()[-1].get_text() == f"B: {NAME}"
    after = next(one for one in axes.lines if one.get_label() == "after a report")
    assert after.get_xdata()[-1] == pytest.approx(beliefs["value"].iloc[-1])
    said = found.summary()
    assert f"{needed['value'].iloc[1]:,.0f} respondents reduce" in said
    assert "B, compared\nfare_evasion: keep 0.95" in said


def test_that_a_compared_device_is_read_as_in_a_design() -> None:
    steps = {"type": "geometric", "epsilon": 2}
    asked = {"kind": "integer", "domain": [18, 90], "perturbation": steps}
    design = pp.Design.from_dict(
        {"format": "ppworkbench-design", "version": 2, "attributes": {"age": asked}}
    )
    found = pp.privacy(design, compare={"A": {"age": steps}}).to_dict()
    own, other = found["attributes"]["age"], found["compare"]["A"]["age"]
    assert own["privacy"]["epsilon"] == 2.0
    assert other["privacy"] == own["privacy"]
