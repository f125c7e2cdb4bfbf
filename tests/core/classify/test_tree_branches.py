"""Distorted records in a tree: Bayes by hand, and both formulas for retention replacement."""

from __future__ import annotations

import numpy as np
import pytest
from learnable import design_by, distorted, mixed_table, moderate_design, open_design

from ppworkbench.core.classify import DecisionTree
from ppworkbench.core.classify.binning import BinningParams
from ppworkbench.core.classify.training import Predictor, prepare
from ppworkbench.core.classify.tree.node import holding_probability
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Retention, Uniform
from ppworkbench.core.design.perturbation import Perturbation


def predictor_of(attribute: Attribute, perturbation: Perturbation, data: object) -> Predictor:
    table = Table((Column(attribute, np.asarray(data)),))
    design = Design((DesignedAttribute(attribute, perturbation),))
    training = prepare(table, design, np.zeros(table.rows, int), ["x"], BinningParams(bins=4))
    return training.predictors[0]


def test_that_a_test_on_values_holds_by_bayes_rule() -> None:
    colour = Attribute("colour", Kind.NOMINAL, ("red", "green", "blue"))
    predictor = predictor_of(colour, Uniform(keep=0.6), [0, 1, 2])
    held = holding_probability(
        predictor, np.array([True, False, False]), np.array([0.5, 0.3, 0.2]), "bayes"
    )
    # 0.5 * 0.6 / (0.5 * 0.6 + 0.3 * 0.2 + 0.2 * 0.2), and 0.5 * 0.2 over its own sum.
    assert held == pytest.approx([0.3 / 0.4, 0.1 / (0.1 + 0.18 + 0.04), 0.1 / (0.1 + 0.06 + 0.12)])


def test_that_a_kept_number_is_judged_by_bayes_or_by_the_published_formula() -> None:
    number = Attribute("number", Kind.CONTINUOUS, domain=(0, 1))
    predictor = predictor_of(number, Retention(keep=0.6), [0.1, 0.9])
    meets, x = np.array([True, True, False, False]), np.array([0.4, 0.4, 0.1, 0.1])
    bayes = holding_probability(predictor, meets, x, "bayes")
    # A number in a cell with x = 0.4: (0.6 * 0.4 + 0.1 * 0.8) / (0.6 * 0.4 + 0.1).
    assert bayes == pytest.approx([0.32 / 0.34] * 2 + [0.08 / 0.16] * 2)
    published = holding_probability(predictor, meets, x, "published")
    # 0.6 + 0.4 * 0.5 below the threshold, 0.4 * 0.5 above it, whatever x is.
    assert published == pytest.approx([0.8, 0.8, 0.2, 0.2])


def test_that_a_number_the_node_rules_out_tells_no_more_than_the_node() -> None:
    number = Attribute("number", Kind.CONTINUOUS, domain=(0, 1))
    predictor = predictor_of(number, Additive(noise="uniform", half_width=0.1), [0.1, 0.9])
    x = np.array([0.7, 0.3, 0.0, 0.0])
    held = holding_probability(predictor, np.array([True, False, False, False]), x, "bayes")
    highest = predictor.z_codes(np.array([1.05]))
    assert held[highest] == pytest.approx([0.7])
    assert held[predictor.z_codes(np.array([0.0]))] == pytest.approx([1.0])


def test_that_undistorted_records_go_down_one_branch_only() -> None:
    table = mixed_table(300)
    tree = DecisionTree(design=open_design(table)).fit(table)
    assert (tree.predict(table, distorted=True) == tree.predict(table)).all()


def test_that_distorted_records_are_classified_better_by_all_branches_than_by_one() -> None:
    table, fresh = mixed_table(3_000, seed=8), mixed_table(6_000, seed=9)
    design = design_by(
        table,
        lambda a: Uniform(keep=0.55) if a.kind.is_categorical else Additive(range_privacy=100.0),
    )
    tree = DecisionTree(design=design).fit(distorted(table, design))
    answers = distorted(fresh, design, seed=5)
    truth = np.array(fresh["vote"].attribute.values)[fresh["vote"].data]
    by_all = np.mean(tree.predict(answers, distorted=True) == truth)
    by_one = np.mean(tree.predict(answers) == truth)
    # The standard error of the difference on 6,000 records is below 0.01.
    assert by_all > by_one + 0.02


@pytest.mark.parametrize("retention", ["bayes", "published"])
def test_that_probabilities_of_distorted_records_sum_to_one(retention: str) -> None:
    table = mixed_table(300, 3)
    for design in (moderate_design(table), design_by(table, _retained)):
        records = distorted(table, design)
        tree = DecisionTree(design=design, retention=retention).fit(records)
        found = tree.predict_proba(records, distorted=True)
        assert found.min() >= -1e-12
        assert np.allclose(found.sum(axis=1), 1)


def _retained(attribute: Attribute) -> Perturbation:
    return Uniform(keep=0.7) if attribute.kind.is_categorical else Retention(keep=0.5)
