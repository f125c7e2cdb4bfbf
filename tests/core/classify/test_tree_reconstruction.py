"""What a tree learns from distorted records, for every type of reconstruction."""

from __future__ import annotations

import numpy as np
import pytest
from examples import sweep
from learnable import (
    design_by,
    distorted,
    mixed_table,
    moderate_design,
    open_design,
    other_design,
)

from ppworkbench.core.classify import DecisionTree
from ppworkbench.core.classify.tree.params import ALGORITHMS, RECONSTRUCTIONS
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Uniform
from ppworkbench.core.errors import ParameterError

TWO, THREE = mixed_table(500, 2), mixed_table(500, 3)

every_type = pytest.mark.parametrize("reconstruction", RECONSTRUCTIONS)


@every_type
@pytest.mark.parametrize("reuse", sweep([False, True], quick=1))
@pytest.mark.parametrize(
    "table", sweep([TWO, THREE], quick=1), ids=["two classes", "three classes"]
)
def test_that_undistorted_records_give_one_tree_whatever_is_reconstructed(
    reconstruction: str, reuse: bool, table: Table
) -> None:
    design = open_design(table)
    plain = DecisionTree(reconstruction="none", reuse=reuse).fit(table)
    for algorithms in ALGORITHMS:
        tree = DecisionTree(
            design=design, reconstruction=reconstruction, algorithms=algorithms, reuse=reuse
        ).fit(table)
        assert tree.to_text() == plain.to_text()


@every_type
def test_that_a_matrix_that_keeps_everything_is_no_distortion(reconstruction: str) -> None:
    design = design_by(
        TWO, lambda a: Uniform(keep=1.0) if a.kind.is_categorical else Additive(half_width=1.0)
    )
    nominal = TWO.select(["region", "mood", "smokes", "vote"])
    plain = DecisionTree(reconstruction="none").fit(nominal)
    tree = DecisionTree(design=design, reconstruction=reconstruction).fit(nominal)
    assert tree.to_text() == plain.to_text()


@every_type
@pytest.mark.parametrize("reuse", sweep([False, True], quick=1))
def test_that_every_record_reaches_one_leaf(reconstruction: str, reuse: bool) -> None:
    for make in (moderate_design, other_design):
        design = make(THREE)
        tree = DecisionTree(
            design=design, reconstruction=reconstruction, reuse=reuse, prune=False, smallest=20
        ).fit(distorted(THREE, design))
        leaves = [node for node in tree.root_.walk() if node.is_leaf]
        assert sum(node.records for node in leaves) == THREE.rows
        for node in tree.root_.walk():
            if node.yes is not None and node.no is not None:
                both = np.add(node.yes.counts, node.no.counts)
                assert both.tolist() == list(node.counts)


@every_type
def test_that_an_attribute_is_tested_once_on_a_path_unless_reuse_is_on(
    reconstruction: str,
) -> None:
    def repeats(reuse: bool) -> int:
        design = moderate_design(TWO)
        tree = DecisionTree(
            design=design, reconstruction=reconstruction, reuse=reuse, prune=False, smallest=30
        ).fit(distorted(TWO, design))
        codes = np.stack([p.x_codes(TWO[p.name].data) for p in tree.predictors_], axis=1)
        found = 0
        for record in codes[::50]:
            tested = [node.test.attribute for node in tree.root_.path(record) if node.test]
            found += len(tested) - len(set(tested))
        return found

    assert repeats(False) == 0
    assert repeats(True) > 0


def _one_attribute(rows: int) -> Table:
    rng = np.random.default_rng(3)
    x = rng.random(rows)
    y = (x > 0.5).astype(int)
    return Table(
        (
            Column(Attribute("x", Kind.CONTINUOUS, domain=(0, 1)), x),
            Column(Attribute("class", Kind.BINARY, ("low", "high")), y),
        ),
        "class",
    )


@pytest.mark.parametrize("algorithms", ["AS.EA", "EM.EA"])
def test_that_the_right_threshold_is_found_under_noise_as_wide_as_the_domain(
    algorithms: str,
) -> None:
    table = _one_attribute(4_000)
    design = design_by(table, lambda a: Additive(noise="uniform", range_privacy=100.0))
    tree = DecisionTree(design=design, algorithms=algorithms, bins=10).fit(distorted(table, design))
    assert tree.root_.test is not None
    assert tree.root_.test.text == "x < 0.5"
    # Every class is on its own side of the border but for what smoothing spills over it.
    assert tree.score(table) == 1.0


def test_that_reconstruction_by_class_beats_none_where_noise_hides_the_class() -> None:
    table = mixed_table(2_000, seed=5)
    design = design_by(
        table,
        lambda a: Uniform(keep=0.4) if a.kind.is_categorical else Additive(range_privacy=150.0),
    )
    records, fresh = distorted(table, design), mixed_table(4_000, seed=6)
    scores = {
        kind: DecisionTree(design=design, reconstruction=kind).fit(records).score(fresh)
        for kind in ("none", "by-class", "local")
    }
    # The standard error of a score on 4,000 records is below 0.008.
    assert scores["by-class"] > scores["none"] + 0.03
    assert scores["local"] > scores["none"] + 0.03


@pytest.mark.parametrize("stop", ["published", "converged", "12"])
def test_that_every_stop_rule_grows_a_tree(stop: str) -> None:
    design = moderate_design(TWO)
    tree = DecisionTree(design=design, stop=stop).fit(distorted(TWO, design))
    assert tree.score(TWO) > 0.6


def test_that_a_stop_rule_without_an_end_is_refused() -> None:
    with pytest.raises(ParameterError, match="in a tree it must be published, converged"):
        DecisionTree(stop="auto").fit(TWO)
