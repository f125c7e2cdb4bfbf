"""What is written of true answers is for their owner only, whatever is written and wherever."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ppworkbench as pp
from ppworkbench.core.message import Message
from ppworkbench.results.figure import save_picture
from ppworkbench.results.files import TABLES, write_sheet
from ppworkbench.results.picture import Axis, Picture, Role, lengths
from ppworkbench.results.sheet import Column, Kind, Sheet

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there are no such modes")
ENDINGS = (*(one.suffix for one in TABLES), ".svg", ".png")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(scope="module")
def answers() -> tuple[pd.DataFrame, pd.DataFrame, pp.Design]:
    """True answers, reports to them, and how these were drawn."""
    drawn = np.random.default_rng(1)
    true = pd.DataFrame({"drug": np.where(drawn.random(200) < 0.3, "yes", "no")})
    device = {"type": "uniform", "keep": 0.7}
    asked = {"kind": "binary", "values": ["no", "yes"], "perturbation": device}
    design = pp.Design.from_dict(
        {"format": "ppworkbench-design", "version": 1, "attributes": {"drug": asked}}
    )
    return true, pp.distort(true, design, seed=1), design


def saved(result: object, folder: Path) -> set[int]:
    files = [folder / f"saved{ending}" for ending in ENDINGS]
    for file in files:
        result.save(file)  # type: ignore[attr-defined]
    return {mode(one) for one in files}


def sheet(*true: float | None) -> Sheet:
    values = Column("true", Message("true"), Kind.NUMBER, list(true))
    return Sheet("shares", Message("Shares"), (values,))


@pytest.mark.parametrize("ending", [one.suffix for one in TABLES])
def test_that_a_table_with_true_numbers_is_for_its_owner(tmp_path: Path, ending: str) -> None:
    open_mode = 0o666 & ~_umask()
    for name, written, expected in (
        ("a", sheet(None, 0.4), 0o600),
        ("b", sheet(None, float("nan")), open_mode),
    ):
        path = tmp_path / f"{name}{ending}"
        write_sheet(written, path)
        assert mode(path) == expected


def test_that_a_picture_with_true_numbers_is_for_its_owner(tmp_path: Path) -> None:
    drawn = lengths("a", Message("Shares"), Axis(Message("share")), ["x"], [0.4])
    true: Picture = replace(drawn, marks=(replace(drawn.marks[0], role=Role.TRUE),))
    for name, picture, expected in (
        ("a", drawn, 0o666 & ~_umask()),
        ("b", true, 0o600),
        ("c", replace(drawn, of_truth=True), 0o600),
    ):
        save_picture(picture, tmp_path / f"{name}.svg")
        assert mode(tmp_path / f"{name}.svg") == expected


def _umask() -> int:
    found = os.umask(0)
    os.umask(found)
    return found


def test_that_a_result_is_for_the_owner_where_true_answers_are_behind_it(
    tmp_path: Path, answers: tuple[pd.DataFrame, pd.DataFrame, pp.Design]
) -> None:
    true, reported, design = answers
    alone = pp.Survey(reported, design)
    beside = pp.Survey(reported, design, original=true)
    for number, (found, is_private) in enumerate(
        (
            (alone.distribution("drug"), False),
            (beside.distribution("drug"), True),
            (alone.count("drug=yes"), False),
            (beside.count("drug=yes"), True),
            (pp.mine(reported, design=design), False),
            (pp.mine(true), True),
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert found.is_private is is_private, number
        modes = saved(found, folder)
        assert modes == {0o600} if is_private else 0o600 not in modes, number
