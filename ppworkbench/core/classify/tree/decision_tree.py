"""The privacy preserving decision tree."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.classify.classifier import CellClassifier, ReadsDistorted, classifiers
from ppworkbench.core.classify.inputs import Records, original_codes, read_records
from ppworkbench.core.classify.training import Training
from ppworkbench.core.classify.tree.flat import FlatTree
from ppworkbench.core.classify.tree.forest import Forest
from ppworkbench.core.classify.tree.node import (
    Node,
    leaf_class_probabilities,
    nodes_of,
    tree_json,
    tree_text,
)
from ppworkbench.core.classify.tree.params import TreeParams
from ppworkbench.core.data.table import Column
from ppworkbench.core.progress import Progress


@classifiers.register("tree", "Decision tree", short="Decision tree", rank=10)
class DecisionTree(CellClassifier[TreeParams], ReadsDistorted):
    """A binary tree grown by the gini index of reconstructed counts.

    In every node (or once in the root) the distribution of every attribute is reconstructed for
    each class, the best test is chosen from the reconstructed counts, and records go to the child
    that their assigned values choose. Then the tree is pruned by its description length.

    Attributes
    ----------
    tree_
        The tree as arrays.
    root_
        The tree as nodes, for people; with the path of a record, see :meth:`path`.

    References
    ----------
    R. Agrawal and R. Srikant (2000), "Privacy-preserving data mining", SIGMOD;
    P. Andruszkiewicz (2008), "Privacy preserving classification for continuous and nominal
    attributes"; (2011), doctoral thesis, section 3.7 and appendix B;
    J. Shafer, R. Agrawal and M. Mehta (1996), "SPRINT: a scalable parallel classifier", VLDB.
    """

    params_type = TreeParams
    help_topic = "decision-tree"

    tree_: FlatTree

    def _fit(self, training: Training, params: TreeParams, progress: Progress) -> None:
        self.__dict__.pop("root_", None)
        forest = Forest(training, params, self.seed_)
        (self.tree_,) = forest.grow([np.arange(training.rows)], "tree", progress)

    def _probabilities(self, records: Codes, progress: Progress) -> Numbers:
        progress(0.0, "classifying")
        return np.asarray(self.tree_.shares[self.tree_.leaves_of(records)])

    def _distorted_probabilities(self, columns: tuple[Column, ...], progress: Progress) -> Numbers:
        progress(0.0, "classifying")
        pairs = list(zip(self.predictors_, columns, strict=True))
        codes = [predictor.z_codes(column.data) for predictor, column in pairs]
        return leaf_class_probabilities(self.tree_, self.predictors_, codes, self.params.retention)

    @cached_property
    def root_(self) -> Node:
        self._check_fitted()
        if self._single_class:
            return Node(0, 0, (), (1.0,), self.classes_[0])
        return nodes_of(self.tree_, self.predictors_, self.classes_.tolist())

    def path(self, record: Records) -> tuple[Node, ...]:
        codes = original_codes(read_records(record, self.predictors_), self.predictors_)
        return self.root_.path(codes[0])

    def to_text(self) -> str:
        return tree_text(self.root_, self.classes_.tolist())

    def to_json(self) -> dict[str, Any]:
        return tree_json(self.root_, self.classes_.tolist())
