"""Classifiers of scikit-learn for undistorted records, and the largest class: what to compare with.

They know nothing of distortion. On distorted records they show what happens to those who ignore it.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.classify.binning import BinningParams
from ppworkbench.core.classify.classifier import Classifier, classifiers
from ppworkbench.core.classify.inputs import original_codes
from ppworkbench.core.classify.pattern_items import shown_records
from ppworkbench.core.classify.training import Predictor, Training
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.table import Table
from ppworkbench.core.kernels import library_lock
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.progress import Progress

P = TypeVar("P", bound=BinningParams)


class Reference(Classifier[P]):
    """Turns answers into numbers and hands them to an estimator that takes them for the truth.

    Numbers and ordinal answers stand for themselves, other values get a column of 0 and 1 each.
    """

    is_reference: ClassVar[bool] = True

    @abstractmethod
    def _made(self, params: P, rows: int) -> Any:
        """The estimator of scikit-learn, untrained, for that many records."""

    def _fit(self, training: Training, params: P, progress: Progress) -> None:
        progress(0.0, "training")
        columns = [column.data for column in training.columns]
        self.estimator_ = self._made(params, training.rows)
        self.estimator_.fit(_as_numbers(training.predictors, columns), training.classes)

    def _table_probabilities(self, table: Table, progress: Progress) -> Numbers:  # noqa: ARG002
        codes = original_codes(table, self.predictors_)
        columns = []
        for place, predictor in enumerate(self.predictors_):
            data = table[predictor.name].data
            if predictor.is_numeric:
                data = np.where(np.isnan(data), predictor.fill_original, data)
            columns.append(data if predictor.is_numeric else codes[:, place])
        found = self.estimator_.predict_proba(_as_numbers(self.predictors_, columns))
        return np.asarray(found, np.float64)


def _as_numbers(predictors: tuple[Predictor, ...], columns: list[NDArray[Any]]) -> Numbers:
    blocks = []
    for predictor, data in zip(predictors, columns, strict=True):
        kind = predictor.attribute.kind
        if data.dtype.kind == "f" or kind is Kind.ORDINAL or predictor.k <= 2:
            blocks.append(np.asarray(data, np.float64)[:, None])
        else:
            size = max(predictor.k, predictor.z_count)
            blocks.append(np.eye(size)[np.asarray(data, np.intp)])
    return np.concatenate(blocks, axis=1)


@dataclass(frozen=True)
class ReferenceTreeParams(BinningParams):
    min_leaf: Annotated[
        int,
        Within(1, 10_000),
        Info("Minimum leaf size", "Minimum number of training records in a leaf"),
    ] = 2


@classifiers.register(
    "sklearn-tree", "Decision tree of scikit-learn, undistorted data", short="Plain tree"
)
class ReferenceTree(Reference[ReferenceTreeParams]):
    params_type = ReferenceTreeParams
    help_topic = "reference-tree"

    def _made(self, params: ReferenceTreeParams, rows: int) -> Any:  # noqa: ARG002
        with library_lock:
            from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(
            criterion="entropy", min_samples_leaf=params.min_leaf, random_state=_small(self.seed_)
        )


@dataclass(frozen=True)
class ReferenceForestParams(BinningParams):
    trees: Annotated[int, Within(1, 10_000), Info("Trees", "Number of trees")] = 100


@classifiers.register(
    "sklearn-forest", "Random forest of scikit-learn, undistorted data", short="Random forest"
)
class ReferenceForest(Reference[ReferenceForestParams]):
    params_type = ReferenceForestParams
    help_topic = "reference-forest"

    def _made(self, params: ReferenceForestParams, rows: int) -> Any:  # noqa: ARG002
        with library_lock:
            from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(params.trees, random_state=_small(self.seed_), n_jobs=1)


@dataclass(frozen=True)
class ReferenceNeighboursParams(BinningParams):
    neighbours: Annotated[
        int, Within(1, 10_000), Info("Neighbours", "Number of nearest records that vote")
    ] = 5


@classifiers.register(
    "sklearn-knn", "Nearest neighbours of scikit-learn, undistorted data", short="Neighbours"
)
class ReferenceNeighbours(Reference[ReferenceNeighboursParams]):
    """scikit-learn's nearest neighbours on answers scaled to the same variance."""

    params_type = ReferenceNeighboursParams
    help_topic = "reference-neighbours"

    def _made(self, params: ReferenceNeighboursParams, rows: int) -> Any:
        with library_lock:
            from sklearn.neighbors import KNeighborsClassifier
            from sklearn.pipeline import make_pipeline
            from sklearn.preprocessing import StandardScaler

        return make_pipeline(StandardScaler(), KNeighborsClassifier(min(params.neighbours, rows)))


@dataclass(frozen=True)
class ReferenceBayesParams(BinningParams):
    laplace: Annotated[
        float,
        Within(0, open_low=True),
        Info("Laplace", "Records added to every value or bin of every class"),
    ] = 1.0


@classifiers.register(
    "sklearn-bayes", "Naive Bayes of scikit-learn, undistorted data", short="Plain Bayes"
)
class ReferenceBayes(Reference[ReferenceBayesParams]):
    params_type = ReferenceBayesParams
    help_topic = "reference-bayes"

    def _made(self, params: ReferenceBayesParams, rows: int) -> Any:  # noqa: ARG002
        with library_lock:
            from sklearn.naive_bayes import CategoricalNB

        sizes = [predictor.k for predictor in self.predictors_]
        return CategoricalNB(alpha=params.laplace, min_categories=sizes)

    def _fit(self, training: Training, params: ReferenceBayesParams, progress: Progress) -> None:
        progress(0.0, "training")
        self.estimator_ = self._made(params, training.rows).fit(
            shown_records(training), training.classes
        )

    def _table_probabilities(self, table: Table, progress: Progress) -> Numbers:  # noqa: ARG002
        codes = original_codes(table, self.predictors_)
        return np.asarray(self.estimator_.predict_proba(codes), np.float64)


@classifiers.register("majority", "Majority class", short="Majority")
class Majority(Classifier[BinningParams]):
    """Foretells the largest class whatever the record: the least that a classifier must beat."""

    is_reference: ClassVar[bool] = True
    help_topic = "largest-class"

    def _fit(self, training: Training, params: BinningParams, progress: Progress) -> None:  # noqa: ARG002
        self.class_shares_ = training.class_counts / training.rows

    def _table_probabilities(self, table: Table, progress: Progress) -> Numbers:  # noqa: ARG002
        return np.tile(self.class_shares_, (table.rows, 1))


def _small(seed: int) -> int:
    """scikit-learn takes 32 bits."""
    return seed % (1 << 32)
