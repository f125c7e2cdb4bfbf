"""Every number of every step is the number that its page shows."""

from __future__ import annotations

import math
import re

import pytest
from demonstrations_shown import settled
from shown_numbers import READERS, ShownPage, one_of, readings

from ppworkbench.gui.window.demonstration_player import find, read
from ppworkbench.outputs.demonstrations.arrange import base_study, setup_at, with_setup
from ppworkbench.outputs.demonstrations.catalogue import shipped_files

NOT_ON_THE_PAGE = {
    "2-loop": {
        *((step, name) for step in (1, 2, 3) for name in ("loss", "privacy")),
        (4, "expected"), (5, "early"), (5, "late"),
    },
    "3-early-stop": {(6, "eq"), (6, "early")},
    "6-baskets": {(2, "privacy"), (5, "mask"), (5, "mmask")},
    "7-accuracy": {(4, "more")},
    "8-deniability": {(1, "half"), (1, "all"), (1, "quarter"), (2, "whole")},
    "10-regression": {(6, "direct")},
    "12-budget": {(2, "before"), (3, "two"), (4, "one")},
}  # fmt: skip
"""Figures by demonstration and step that are told in the panel alone: means of many draws, measures
that have no card, and what another design would give."""

NAMED_ELSEWHERE = {
    ("1-coin", 3): {0.4},  # 0.7 − 0.3
    ("1-coin", 4): {1.96},
    ("1-coin", 6): {7},  # in 10 cases: theta is 0.7
    ("5-ages", 1): {36.81},  # an example
    ("5-ages", 2): {3.5, 4.5},  # where numbers are rounded
    ("6-baskets", 1): {76},  # 4 % of 1,900
    ("6-baskets", 3): {16},  # patterns of 4 items
    ("8-deniability", 3): {8, 12},  # of the authors
    ("10-regression", 2): {8, 10, 95},  # keep is 0.8; the confidence
    ("11-compliance", 1): {43.6, 39.4, 47.9, 21.2, 9.7, 32.7, 2, 2011, 2018, 2022},  # published
    ("11-compliance", 4): {2, 8},  # in 10 cases: truth in 8 and 2 of 10
    ("11-compliance", 5): {2011},
    ("12-budget", 4): {9.51},  # by the formula of its sources
}
"""Numbers by step that its text names and that neither the page nor its settings need to have."""


def unknown_numbers(stage, place: int) -> set[float]:
    """Numbers of the text that neither the page nor what the step sets knows."""
    step, setup = stage.step, setup_at(stage.demonstration, place)
    said = " ".join([step.text, *(look.text for look in step.looks)])
    known = f"{ShownPage(stage).everything()} {setup}"
    shown = {abs(one.value) for one in readings(re.sub("<[^>]*>", " ", known))}
    named = {abs(one.value) for one in readings(re.sub(r"{\w+}", "", said))}
    # A share may be written in percent.
    return {
        one
        for one in named
        if not any(math.isclose(one, factor * two) for two in shown for factor in (1, 100, 0.01))
    }


def check_settings(stage, place: int) -> None:
    """What a step sets is what the page and the study have."""
    setup = setup_at(stage.demonstration, place)
    study = stage.workbench.store.study
    assert stage.shell.current == setup.page
    wanted = with_setup(base_study(setup.data, stage.demonstration.title), setup)
    assert study.design == wanted.design
    assert study.settings == wanted.settings
    for name, value in stage.step.setup.controls.items():
        widget = find(stage._places, name)
        shown = read(widget)
        chosen = getattr(widget, "currentData", lambda: None)()
        assert value in (shown, chosen) or shown == pytest.approx(value), name


def differing(stage, place: int) -> tuple[list[str], set[tuple[int, str]]]:
    """The figures of a step that its page tells otherwise, and those that it does not tell."""
    page = ShownPage(stage)
    wrong, nowhere = [], set()
    for figure in stage.step.figures:
        told = one_of(stage.panel._numbers[figure.name])
        shown = READERS[type(figure.calculation)](page, figure.calculation)
        if shown is None:
            nowhere.add((place + 1, figure.name))
        elif abs(told.value - shown.value) > told.rounding + shown.rounding + 1e-9:
            wrong.append(f"{place + 1} {figure.name}: {told.value}, the page has {shown.value}")
    return wrong, nowhere


@pytest.mark.slow
@pytest.mark.parametrize("path", shipped_files(), ids=lambda path: path.stem)
def test_that_a_page_shows_the_numbers_that_its_steps_tell(window, qtbot, start, path, monkeypatch):
    monkeypatch.setattr("ppworkbench.core.experiment.engines.ALONE", 1_000.0)
    # Large enough that nothing is folded.
    window.resize(1900, 1400)
    stage = start(path)
    wrong, nowhere = [], set()
    for place, step in enumerate(stage.demonstration.steps):
        stage.go(place)
        settled(window, qtbot)
        qtbot.waitUntil(lambda step=step: len(stage.badges.shown) == len(step.looks))
        settled(window, qtbot)
        assert stage.panel.problem.text() == ""
        check_settings(stage, place)
        unknown = unknown_numbers(stage, place)
        assert unknown <= NAMED_ELSEWHERE.get((path.stem, place + 1), set()), place + 1
        other, untold = differing(stage, place)
        wrong += other
        nowhere |= untold
    assert wrong == []
    assert nowhere == NOT_ON_THE_PAGE.get(path.stem, set())
