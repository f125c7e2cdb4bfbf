"""What most classifiers are: blind to all of a number but its interval."""

from __future__ import annotations

from abc import abstractmethod

from ppworkbench.core.classify.classifier import Classifier, Codes, Numbers, P
from ppworkbench.core.classify.reading import original_codes
from ppworkbench.core.data.table import Table
from ppworkbench.core.progress import Progress


class CellClassifier(Classifier[P]):
    """Sees every record as a row of codes: the cells of its answers."""

    @abstractmethod
    def _probabilities(self, records: Codes, progress: Progress) -> Numbers:
        """Class probabilities of original records.

        ``records[i, j]`` is the cell of X of record i in ``predictors_[j]``.
        """

    def _table_probabilities(self, table: Table, progress: Progress) -> Numbers:
        return self._probabilities(original_codes(table, self.predictors_), progress)
