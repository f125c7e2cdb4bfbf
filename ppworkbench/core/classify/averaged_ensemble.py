"""A panel of classifiers of different kinds whose probabilities are averaged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.classify.binning import BinningParams
from ppworkbench.core.classify.classifier import Classifier, classifiers
from ppworkbench.core.classify.eager_patterns import EagerPatterns
from ppworkbench.core.classify.naive_bayes import NaiveBayes
from ppworkbench.core.classify.pattern_items import POSTERIOR
from ppworkbench.core.classify.resampling import Bagging
from ppworkbench.core.classify.training import Training
from ppworkbench.core.classify.weighted_bayes import WeightedBayes
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf
from ppworkbench.core.progress import Progress, part

_MEMBERS: dict[str, tuple[type[Classifier[Any]], dict[str, Any]]] = {
    "weighted-bayes": (WeightedBayes, {}),
    "naive-bayes": (NaiveBayes, {}),
    # Posteriors vary little; what they miss of the associations, the others know no better.
    "eager-ep": (EagerPatterns, {"estimate": POSTERIOR, "min_support": 0.1}),
    "bagging": (Bagging, {}),
}


@dataclass(frozen=True)
class PanelParams(BinningParams):
    voices: Annotated[
        tuple[str, ...],
        OneOf(tuple(_MEMBERS)),
        Info("Members", "The classifiers whose probabilities are averaged"),
    ] = ("weighted-bayes", "naive-bayes", "eager-ep", "bagging")


@classifiers.register("panel", "Averaged ensemble (Bayes, patterns, trees)", short="Ensemble")
class AveragedEnsemble(Classifier[PanelParams]):
    """The mean of the class probabilities of its members.

    The members err in different places: Bayes sees attributes one by one, patterns and trees see
    them together.

    Attributes
    ----------
    members_
        The trained members.
    """

    params_type = PanelParams
    help_topic = "panel"

    def _fit(self, training: Training, params: PanelParams, progress: Progress) -> None:
        if not params.voices:
            raise ParameterError("An ensemble needs at least 1 member.", field="voices")
        table = Table(tuple(_whole(column) for column in training.columns))
        labels = np.array([str(name) for name in training.class_names], object)[training.classes]
        self._order = np.argsort([str(name) for name in training.class_names], kind="stable")
        trained = []
        for place, name in enumerate(params.voices):
            cls, settings = _MEMBERS[name]
            start, stop = place / len(params.voices), (place + 1) / len(params.voices)
            progress(start, Message("training {name}", name=name))
            member = cls(design=self.design, random_state=self.seed_, **settings)
            trained.append(member.fit(table, labels, progress=part(progress, start, stop)))
        self.members_ = tuple(trained)

    def _table_probabilities(self, table: Table, progress: Progress) -> Numbers:
        total = np.zeros((table.rows, len(self._order)))
        for place, member in enumerate(self.members_):
            progress(place / len(self.members_), "predicting")
            # Members know their classes in the order of the alphabet.
            total[:, self._order] += member.predict_proba(table)
        return total / len(self.members_)


def _whole(column: Column) -> Column:
    """A mean that was filled in for a missing whole number made whole itself."""
    if column.attribute.kind is not Kind.INTEGER:
        return column
    return Column(column.attribute, np.rint(column.data))
