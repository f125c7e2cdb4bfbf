"""Lists of items in a design: its file, what it refuses, and counting true answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import (
    design_from_json,
    design_to_json,
    read_design,
    write_design,
)
from ppworkbench.core.design.distort import distort
from ppworkbench.core.design.release import ReleaseOptions, release_file
from ppworkbench.core.errors import DataError, DesignError, ParameterError
from ppworkbench.core.privacy.questionnaire import total_epsilon
from ppworkbench.core.rng import SeededStreams

LIST = {"count": "y", "items": ["gas", "jail", "sport"], "short": ["A"], "long": ["B"]}
SAMPLE: dict[str, Any] = {
    "format": "ppworkbench-design",
    "version": 2,
    "attributes": {"south": {"kind": "binary", "values": ["no", "yes"]}},
    "arms": {"column": "version", "members": {"A": {"share": 0.5}, "B": {"share": 0.5}}},
    "lists": {"neighbour": LIST},
}


def sample(**changes: Any) -> dict[str, Any]:
    """The design with another list."""
    return {**SAMPLE, "lists": {"neighbour": {**LIST, **changes}}}


def people(n: int = 400) -> Table:
    """True answers to every item."""
    random = np.random.default_rng(3)

    def yes_no(name: str, share: float) -> Column:
        attribute = Attribute(name, Kind.BINARY, ("no", "yes"))
        return Column(attribute, (random.random(n) < share).astype(np.int8))

    shares = {"south": 0.4, "gas": 0.9, "jail": 0.1, "sport": 0.5, "neighbour": 0.3}
    return Table(tuple(yes_no(name, share) for name, share in shares.items()))


def test_that_a_design_with_a_list_comes_back_from_its_file_as_version_2(tmp_path: Path) -> None:
    """The question behind the list is no attribute, its count is."""
    design = design_from_json(SAMPLE)
    write_design(design, tmp_path / "design.json")
    assert read_design(tmp_path / "design.json") == design
    assert design_to_json(design)["version"] == 2
    assert design.names == ("south", "y", "version")
    assert design["y"].attribute.domain == (0, 4)
    assert design.list_of("neighbour").sensitive == "yes"
    with pytest.raises(ParameterError, match="its lists ask neighbour"):
        design.list_of("south")


def test_that_the_answers_of_the_question_can_have_other_names() -> None:
    """They stand among the attributes of the file."""
    asked = {"kind": "binary", "values": ["agree", "reject"], "sensitive": ["agree"]}
    given = {**SAMPLE, "attributes": {**SAMPLE["attributes"], "neighbour": asked}}
    design = design_from_json(given)
    assert design.list_of("neighbour").sensitive == "agree"
    assert design_from_json(design_to_json(design)) == design


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"items": ["gas"]}, "a list of 1 harmless items; it needs at least 2"),
        ({"items": ["gas", "gas"]}, "an item that is empty or stands twice"),
        ({"short": ["A", "B"]}, "the arm 'B' hear both the short and the long list"),
        ({"long": []}, "needs an arm that hears the short list"),
        ({"long": ["C"]}, "a list for the arm 'C', which the design lacks"),
        ({"count": "neighbour"}, "need different names"),
        ({"count": "south"}, "must be integer, from 0 to 4"),
        ({"count": ""}, "needs the name of the column"),
        ({"items": "gas"}, "must have 'items' as a list of texts"),
        ({"odd": 1}, "must be a list with count, items, short and long"),
    ],
)
def test_that_impossible_lists_are_refused_in_a_sentence(
    changes: dict[str, Any], words: str
) -> None:
    """Each names what is wrong."""
    with pytest.raises(DesignError, match=words) as caught:
        design_from_json(sample(**changes))
    assert caught.value.field == "lists"


def test_that_a_list_needs_arms_and_a_question_of_its_own() -> None:
    """No arms, arms that leave the count out, and a question that is asked twice."""
    without = {name: value for name, value in SAMPLE.items() if name != "arms"}
    with pytest.raises(DesignError, match="which needs arms"):
        design_from_json(without)
    members = {"A": {"share": 0.5, "omit": ["y"]}, "B": {"share": 0.5}}
    with pytest.raises(DesignError, match="'A', which omits 'y'"):
        design_from_json({**SAMPLE, "arms": {"column": "version", "members": members}})
    forced = {"kind": "binary", "values": ["no", "yes"], "perturbation": {"type": "forced"}}
    with pytest.raises(DesignError, match="cannot be randomised, too"):
        design_from_json({**SAMPLE, "attributes": {"neighbour": forced}})
    with pytest.raises(DesignError, match="Two lists have the same counts"):
        design_from_json({**SAMPLE, "lists": {"neighbour": LIST, "other": LIST}})


def test_that_distorting_counts_the_items_and_publishes_nothing_else_of_them() -> None:
    """In the long list with the sensitive item, in the short one without it."""
    design, table = design_from_json(SAMPLE), people()
    found = distort(table, design, SeededStreams(1))
    assert set(found.names) == {"south", "y", "version"}
    items = sum(table[name].data for name in ("gas", "jail", "sport"))
    is_long = found["version"].data == 1
    expected = np.where(is_long, items + table["neighbour"].data, items)
    assert found["y"].data.tolist() == expected.tolist()
    assert any("counts gas = yes" in note for note in found.notes)


def test_that_counts_which_are_there_are_kept_and_checked() -> None:
    """A number above the list is refused with its row."""
    design = design_from_json(SAMPLE)
    version = Column(design["version"].attribute, np.array([0, 1, 0]))
    south = Column(design["south"].attribute, np.array([0, 1, 0]))

    def counted(*numbers: float) -> Table:
        column = Column(design["y"].attribute, np.array(numbers))
        return distort(Table((south, version, column)), design, SeededStreams(1))

    assert counted(3, 4, 0)["y"].data.tolist() == [3, 4, 0]
    with pytest.raises(DataError, match="Row 3 of 'y' says 4, but its list has 3 items") as caught:
        counted(3, 4, 4)
    assert caught.value.row == 3
    with pytest.raises(DataError, match=r"Row 1 of 'y' says 1\.5"):
        counted(1.5, 4, 4)
    with pytest.raises(DataError, match="none of its item 'gas' to count"):
        distort(Table((south, version)), design, SeededStreams(1))


def test_that_a_file_of_true_answers_is_released_with_counts(tmp_path: Path) -> None:
    """Neither arms nor counts are in it."""
    source, target = tmp_path / "true.csv", tmp_path / "out.csv"
    table = people(50)
    rows = zip(*(table[name].data.tolist() for name in table.names), strict=True)
    lines = [",".join("yes" if cell else "no" for cell in row) for row in rows]
    source.write_text("\n".join([",".join(table.names), *lines]))
    release_file(source, design_from_json(SAMPLE), target, ReleaseOptions(seed=1))
    assert target.read_text().splitlines()[0] == "south,version,y"


def test_that_choosing_arms_keeps_lists_that_have_both_versions() -> None:
    """One version alone tells nothing."""
    members = {name: {"share": 0.25} for name in "ABCD"}
    arms = {"column": "version", "members": members}
    design = design_from_json({**sample(short=["A", "C"]), "arms": arms})
    assert design.of_arms(("A", "B")).lists[0].short == ("A",)
    assert design.of_arms(("A", "C")).lists == ()
    assert isinstance(design.of_arm("B"), Design)
    assert total_epsilon(design) == float("inf")
