"""Arms of a questionnaire: the design, its file, and the drawing of answers."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import ByColumn, Design, Forced, Identity
from ppworkbench.core.design.design_file import (
    design_from_json,
    design_to_json,
    read_design,
    write_design,
)
from ppworkbench.core.design.distort import Distorter, distort
from ppworkbench.core.design.release import ReleaseOptions, release_file
from ppworkbench.core.errors import DataError, DesignError, ParameterError
from ppworkbench.core.rng import SecureStreams, SeededStreams

SAMPLE: dict[str, Any] = {
    "format": "ppworkbench-design",
    "version": 2,
    "attributes": {
        "drug": {
            "kind": "binary",
            "values": ["no", "yes"],
            "perturbation": {"type": "forced", "p_truth": 0.75},
        },
        "income": {
            "kind": "continuous",
            "domain": [0, 100],
            "perturbation": {"type": "additive", "noise": "normal", "sigma": 10},
        },
        "town": {
            "kind": "nominal",
            "values": ["a", "b", "c"],
            "perturbation": {"type": "uniform", "keep": 0.8},
        },
    },
    "arms": {
        "column": "version",
        "members": {
            "A": {"share": 0.45},
            "B": {
                "share": 0.45,
                "perturbations": {"drug": {"type": "forced", "p_truth": 0.5}},
            },
            "direct": {
                "share": 0.10,
                "perturbations": {"drug": {"type": "none"}},
                "omit": ["income"],
            },
        },
    },
}


def sample(**changes: Any) -> dict[str, Any]:
    """The design with other arms."""
    arms = {**SAMPLE["arms"], **changes}
    return {**SAMPLE, "arms": arms}


def people(n: int, seed: int = 1, *, arms: bool = False) -> Table:
    """True answers, with or without a column of arms."""
    random = np.random.default_rng(seed)
    attributes = design_from_json(SAMPLE).original_schema
    by_name = {one.name: one for one in attributes}
    columns = [
        Column(by_name["drug"], (random.random(n) < 0.3).astype(np.int8)),
        Column(by_name["income"], random.uniform(0, 100, n)),
        Column(by_name["town"], random.choice(3, n, p=[0.5, 0.3, 0.2]).astype(np.int8)),
    ]
    if arms:
        columns.append(Column(by_name["version"], random.integers(0, 3, n).astype(np.int8)))
    return Table(tuple(columns))


def test_that_a_design_with_arms_comes_back_from_its_file(tmp_path: Path) -> None:
    design = design_from_json(SAMPLE)
    write_design(design, tmp_path / "design.json")
    assert read_design(tmp_path / "design.json") == design
    written = design_to_json(design)
    assert written["version"] == 2
    assert written["arms"]["members"] == {
        "A": {"share": 0.45},
        "B": {"share": 0.45, "perturbations": {"drug": Forced(p_truth=0.5).to_json()}},
        "direct": {"share": 0.1, "perturbations": {"drug": {"type": "none"}}, "omit": ["income"]},
    }


def test_that_a_design_without_arms_is_still_version_1() -> None:
    plain = design_from_json(SAMPLE).of_arm("A")
    assert design_to_json(plain)["version"] == 1
    assert design_from_json({**design_to_json(plain), "version": 2}) == plain
    with pytest.raises(DesignError, match="newer program"):
        design_from_json({**design_to_json(plain), "version": 3})


def test_that_an_arm_inherits_what_it_does_not_name() -> None:
    design = design_from_json(SAMPLE)
    assert design.of_arm("A").names == ("drug", "income", "town")
    assert design.of_arm("B").perturbation("drug") == Forced(p_truth=0.5)
    assert design.of_arm("B").perturbation("town") == design["town"].perturbation
    direct = design.of_arm("direct")
    assert direct.names == ("drug", "town")
    assert direct.perturbation("drug") == Identity()
    assert direct.arms is None
    two = design.of_arms(["A", "direct"])
    assert two.arms is not None
    assert two.arms.names == ("A", "direct")
    assert sum(arm.share for arm in two.arms.members) == pytest.approx(1)
    assert "income" in two


def test_that_an_attribute_that_arms_change_differs_by_their_column() -> None:
    design = design_from_json(SAMPLE)
    found = design.perturbation("drug")
    assert isinstance(found, ByColumn)
    assert found.columns == ("version",)
    assert dict(found.cases)["direct"] == Identity()
    assert design.perturbation("town").columns == ()
    assert design.needed(["drug"]) == ("drug", "version")


def test_that_a_question_that_no_kept_arm_asks_leaves_the_design() -> None:
    members = {
        "A": {"share": 0.5, "omit": ["income"]},
        "B": {"share": 0.3, "omit": ["income"]},
        "C": {"share": 0.2},
    }
    design = design_from_json(sample(members=members))
    assert "income" not in design.of_arms(["A", "B"])


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"members": {"A": {"share": 0.5}, "B": {"share": 0.4}}},
            "The shares of the arms sum to 0.9; they must sum to 1.",
        ),
        (
            {"members": {"A": {"share": 1, "perturbations": {"age": {"type": "none"}}}}},
            "The arm 'A' names 'age', which is no question of the design.",
        ),
        (
            {"members": {"A": {"share": 0.5}, " ": {"share": 0.5}}},
            "An arm needs a name, which stands in its column.",
        ),
        (
            {"members": {"A": {"share": 1, "omit": ["age"]}}},
            "The arm 'A' names 'age', which is no question of the design.",
        ),
        (
            {
                "members": {
                    "A": {"share": 0.5, "omit": ["drug"]},
                    "B": {"share": 0.5, "omit": ["drug"]},
                }
            },
            "All arms omit 'drug'; remove it from the design, or let an arm ask it.",
        ),
        (
            {"column": "town", "members": {"a": {"share": 1}}},
            "'town' tells the arm of every respondent, so it cannot be randomised.",
        ),
        (
            {
                "members": {
                    "A": {
                        "share": 1,
                        "omit": ["drug"],
                        "perturbations": {"drug": {"type": "none"}},
                    }
                }
            },
            "The arm 'A' both omits 'drug' and has a device for it.",
        ),
        ({"members": {}}, "The field 'arms' needs an object of members."),
        ({"members": {"A": {"share": "half"}}}, "The arm 'A' needs a share between 0 and 1."),
        (
            {"members": {"A": {"share": 1.5}}},
            "The share of the arm 'A' is 1.5; it must be above 0 and at most 1.",
        ),
    ],
)
def test_that_wrong_arms_are_refused_in_one_sentence(
    changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(DesignError) as caught:
        design_from_json(sample(**changes))
    assert str(caught.value.message) == sentence


def test_that_an_arm_cannot_publish_other_answers() -> None:
    members = {
        "A": {"share": 0.5},
        "B": {"share": 0.5, "perturbations": {"income": {"type": "discretise", "intervals": 4}}},
    }
    with pytest.raises(DesignError, match="must publish the same answers"):
        design_from_json(sample(members=members))


def test_that_an_unknown_arm_is_named() -> None:
    with pytest.raises(ParameterError, match="no arm 'Z'; it has A, B, direct"):
        design_from_json(SAMPLE).of_arm("Z")


def test_that_arms_are_drawn_by_their_shares_and_added() -> None:
    design, table = design_from_json(SAMPLE), people(20_000)
    found = distort(table, design, SeededStreams(1))
    shares = np.bincount(found["version"].data, minlength=3) / table.rows
    assert shares == pytest.approx([0.45, 0.45, 0.10], abs=0.011)
    direct = found["version"].data == 2
    assert (found["drug"].data[direct] == table["drug"].data[direct]).all()
    assert np.isnan(found["income"].data[direct]).all()
    assert not np.isnan(found["income"].data[~direct]).any()
    for arm, keeps in ((0, 0.875), (1, 0.75)):
        rows = found["version"].data == arm
        same = (found["drug"].data == table["drug"].data)[rows].mean()
        assert same == pytest.approx(keeps, abs=0.015)
    secure = distort(table, design, SecureStreams())
    assert np.bincount(secure["version"].data, minlength=3)[2] == pytest.approx(2000, abs=220)


@pytest.mark.parametrize("arms", [False, True])
def test_that_pieces_give_the_same_as_the_whole(arms: bool) -> None:
    design, table = design_from_json(SAMPLE), people(3001, arms=arms)
    whole = distort(table, design, SeededStreams(7))
    worker = Distorter(design, SeededStreams(7))
    places = (0, 1, 700, 2999, 3001)
    pieces = [worker.apply(table.take(slice(a, b))) for a, b in itertools.pairwise(places)]
    for column in whole:
        joined = np.concatenate([piece[column.name].data for piece in pieces])
        assert np.array_equal(joined, column.data, equal_nan=column.data.dtype.kind == "f")
    if arms:
        assert (whole["version"].data == table["version"].data).all()


def test_that_the_other_arms_do_not_change_with_one(tmp_path: Path) -> None:
    """Every device has its own random numbers."""
    design, table = design_from_json(SAMPLE), people(500, arms=True)
    first = distort(table, design, SeededStreams(3))
    other = design_from_json(
        sample(
            members={
                **SAMPLE["arms"]["members"],
                "B": {"share": 0.45, "perturbations": {"drug": {"type": "uniform", "keep": 0.6}}},
            }
        )
    )
    second = distort(table, other, SeededStreams(3))
    elsewhere = table["version"].data != 1
    assert (first["drug"].data == second["drug"].data)[elsewhere].all()


def test_that_strange_and_empty_arms_are_refused() -> None:
    design, table = design_from_json(SAMPLE), people(60, arms=True)
    strange = Attribute("version", Kind.NOMINAL, ("A", "B", "direct", "old"))
    data = table["version"].data.copy()
    data[:4] = 3
    with pytest.raises(DataError) as caught:
        distort(table.replace(Column(strange, data)), design, SeededStreams(1))
    assert str(caught.value.message) == (
        "'version' is 'old' in 4 rows, which is no arm of the design; the arms are A, B, direct."
    )
    data[:4] = -1
    with pytest.raises(DataError, match="4 rows have no arm in 'version'"):
        distort(table.replace(Column(strange, data)), design, SeededStreams(1))


def test_that_a_file_gets_its_arms(tmp_path: Path) -> None:
    source = tmp_path / "true.csv"
    lines = ["drug,income,town", *(["no,10.5,a", "yes,70.25,b", "no,33,c"] * 40)]
    source.write_text("\n".join(lines) + "\n")
    out = tmp_path / "out.csv"
    release = release_file(source, design_from_json(SAMPLE), out, ReleaseOptions(seed=4))
    assert any("drawn by the shares" in str(note) for note in release.notes)
    head, *rows = out.read_text().splitlines()
    assert head == "drug,income,town,version"
    assert len(rows) == 120
    assert {row.split(",")[3] for row in rows} == {"A", "B", "direct"}
    assert all(row.split(",")[1] in ("", "?") for row in rows if row.endswith("direct"))


def test_that_a_release_puts_the_noise_of_every_arm_on_a_grid(tmp_path: Path) -> None:
    members = {
        "A": {"share": 0.5},
        "B": {
            "share": 0.5,
            "perturbations": {"income": {"type": "additive", "noise": "normal", "sigma": 20}},
        },
    }
    source = tmp_path / "true.csv"
    source.write_text("drug,income,town\n" + "no,10.5,a\nyes,70,b\n" * 20)
    design = design_from_json(sample(members=members))
    release = release_file(source, design, tmp_path / "out.csv")
    assert isinstance(release.design, Design)
    assert release.design.of_arm("B")["income"].perturbation.published_step is not None
