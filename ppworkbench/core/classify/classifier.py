"""What every classifier is: a scikit-learn estimator whose parameters are declared once.

A classifier is one class in one file::

    @dataclass(frozen=True)
    class ExampleParams(BinningParams):
        smoothing: Annotated[float, Within(0), Info("Smoothing", "Records added to …")] = 1.0

    @classifiers.register("example", "Example")
    class Example(CellClassifier[ExampleParams]):
        params_type = ExampleParams
        help_topic = "classification"

        def _fit(self, training: Training, params: ExampleParams, progress: Progress) -> None:
            self.model_ = ...

        def _probabilities(self, records: Codes, progress: Progress) -> Numbers:
            return ...    # one row per record, one column per class of training.class_names

and is imported in ``core/classify/__init__.py``. The base does the rest: ``__init__`` with one
keyword per declared parameter besides ``design`` and ``random_state``, ``get_params`` and
``set_params``, clones, the reading of tables, frames and arrays, missing answers, class labels.
"""

from __future__ import annotations

import inspect
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.classify.binning import BinningParams
from ppworkbench.core.classify.inputs import (
    Records,
    distorted_columns,
    labels_of_table,
    original_codes,
    read_records,
    read_training,
)
from ppworkbench.core.classify.training import Predictor, Training, prepare
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.kernels import library_lock
from ppworkbench.core.message import Message
from ppworkbench.core.params import declarations
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.registry import Registry
from ppworkbench.core.rng import SeededStreams

P = TypeVar("P", bound=BinningParams)

_OWN = ("design", "random_state")


class ReadsDistorted(ABC):
    """A classifier that takes distorted records, too, with ``distorted=True``."""

    @abstractmethod
    def _distorted_probabilities(self, columns: tuple[Column, ...], progress: Progress) -> Numbers:
        """Class probabilities of distorted records, given by their columns, one per predictor."""


class Classifier(ABC, Generic[P]):
    """Learns a class from distorted records and foretells it for original ones.

    Parameters
    ----------
    design
        How the training records were distorted: a design, its JSON values or the path of its file;
        None if they were not.
    random_state
        The seed of whatever is drawn; None for a fresh one.
    **parameters
        What ``params_type`` declares.

    Attributes
    ----------
    design_
        The design of the last fit, read where a file or JSON values were given.
    classes_
        The classes that occurred, in the order of the columns of ``predict_proba``.
    n_features_in_, feature_names_in_
        How many attributes there were, and their names.
    seed_
        The seed of the last fit, for :meth:`_generator`.
    predictors_
        The attributes as the classifier sees them: cells, borders, channels.
    """

    params_type: ClassVar[type[BinningParams]] = BinningParams
    """Declares the parameters."""
    help_topic: ClassVar[str] = "classification"
    """The name of the text in ``resources/help``."""
    is_reference: ClassVar[bool] = False
    """Whether the classifier knows nothing of distortion and belongs on undistorted records."""

    _estimator_type: ClassVar[str] = "classifier"

    design: Design | Mapping[str, Any] | str | os.PathLike[str] | None
    random_state: int | None
    design_: Design | None
    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    predictors_: tuple[Predictor, ...]
    seed_: int

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Show the declared parameters in the signature, where scikit-learn looks for them."""
        super().__init_subclass__(**kwargs)
        keyword = inspect.Parameter.KEYWORD_ONLY
        shown = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
        shown += [inspect.Parameter(n, keyword, default=d) for n, d in cls._defaults().items()]

        def __init__(self: Classifier[P], **parameters: Any) -> None:  # noqa: N807
            Classifier.__init__(self, **parameters)

        __init__.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
        cls.__init__ = __init__  # type: ignore[method-assign]

    def __init__(self, **parameters: Any) -> None:
        defaults = self._defaults()
        self._check_names(parameters)
        # Values are kept as given and checked by fit: a clone must hold the very same objects.
        for name, default in defaults.items():
            setattr(self, name, parameters.get(name, default))

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        declared = {d.name: d.default for d in declarations(cls.params_type)}
        return {**declared, "design": None, "random_state": 0}

    @classmethod
    def _check_names(cls, given: Iterable[str]) -> None:
        known = cls._defaults()
        for name in given:
            if name not in known:
                raise ParameterError.saying(
                    "{classifier} has no parameter {parameter!r}; it has {known}.",
                    classifier=cls.__name__,
                    parameter=name,
                    known=", ".join(known),
                    field=name,
                )

    @property
    def params(self) -> P:
        declared = declarations(self.params_type)
        values = {d.name: getattr(self, d.name) for d in declared}
        return self.params_type(**values)  # type: ignore[return-value]

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 (nothing is nested)
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters; the next fit uses them."""
        self._check_names(parameters)
        for name, value in parameters.items():
            setattr(self, name, value)
        return self

    def fit(self, X: Records, y: Any = None, *, progress: Progress = silent) -> Self:
        """Learn from distorted records.

        Parameters
        ----------
        X
            A :class:`Table`, a DataFrame or a two-dimensional array of distorted records. Columns
            of a table or frame are found by their names, columns of an array by their order in the
            design.
        y
            The class labels; may be left out for a table that has a class column.
        """
        params = self.params
        self.seed_ = _seed(self.random_state)
        self.design_ = None if self.design is None else as_design(self.design)
        table, labels = read_training(X, y, self.design_)
        training = prepare(table, self.design_, labels.codes, labels.names, params)
        self.classes_ = labels.as_array
        self._schema = {column.name: column.attribute for column in table}
        self.n_features_in_ = len(training.predictors)
        self.feature_names_in_ = np.array([p.name for p in training.predictors], object)
        self.predictors_ = training.predictors
        self._single_class = training.n_classes == 1
        if not self._single_class:
            self._fit(training, params, progress)
        progress(1.0, "trained")
        return self

    def predict(
        self, X: Records, *, distorted: bool = False, progress: Progress = silent
    ) -> NDArray[Any]:
        """The most probable class of every record; of equally probable ones the first."""
        found = self.predict_proba(X, distorted=distorted, progress=progress)
        return np.asarray(self.classes_[np.argmax(found, axis=1)])

    def predict_proba(
        self, X: Records, *, distorted: bool = False, progress: Progress = silent
    ) -> Numbers:
        """The probability of every class for every record, one row per record.

        Parameters
        ----------
        distorted
            Whether the records were distorted as the design says; original ones by default.
        """
        self._check_fitted()
        if distorted and not isinstance(self, ReadsDistorted):
            raise ParameterError.saying(
                "{name} needs original test records; do not test on distorted ones.",
                name=type(self).__name__,
                field="distorted",
            )
        table = read_records(X, self.predictors_)
        if self._single_class:
            return np.ones((table.rows, 1))
        if distorted and isinstance(self, ReadsDistorted):
            columns = distorted_columns(table, self.predictors_, self._schema)
            return self._distorted_probabilities(columns, progress)
        return self._table_probabilities(table, progress)

    def score(self, X: Records, y: Any = None) -> float:
        """The share of records whose class is predicted."""
        labels = labels_of_table(X) if y is None else np.asarray(y)
        return float(np.mean(self.predict(X) == labels))

    @abstractmethod
    def _fit(self, training: Training, params: P, progress: Progress) -> None:
        """Learn; there are at least two classes. Call ``progress`` between parts of the work."""

    @abstractmethod
    def _table_probabilities(self, table: Table, progress: Progress) -> Numbers:
        """Class probabilities of original records in a table of the predictors' columns."""

    def _generator(self, *name: str) -> np.random.Generator:
        return SeededStreams(self.seed_).generator(*name)

    def _check_fitted(self) -> None:
        if not hasattr(self, "predictors_"):
            with library_lock:
                from sklearn.exceptions import NotFittedError

            raise NotFittedError(
                Message("This {name} is not trained yet; call fit first.", name=type(self).__name__)
            )

    def __repr__(self) -> str:
        changed = (
            f"{name}={getattr(self, name)!r}"
            for name, default in self._defaults().items()
            if name != "design" and getattr(self, name) != default
        )
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_clone__(self) -> Self:
        return type(self)(**self.get_params())

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "predictors_")

    def __sklearn_tags__(self) -> Any:
        with library_lock:
            from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        inputs = InputTags(string=True, categorical=True, allow_nan=True)
        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=inputs,
        )


def _seed(random_state: Any) -> int:
    """The seed of a fit: the given number, or one drawn from a given generator or from nowhere."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    if hasattr(random_state, "randint"):
        return int(random_state.randint(1 << 31))
    generator = np.random.default_rng(random_state)
    return int(generator.integers(1 << 63))


classifiers: Registry[type[Classifier[Any]]] = Registry("classifier")
"""``classifiers["tree"]`` is the class; ``classifiers.entry("tree").label`` what people read.

The class itself holds the rest: ``params_type`` declares the parameters, ``help_topic`` names the
text in the help, ``is_reference`` tells that it learns from undistorted records only.
"""


class CellClassifier(Classifier[P]):
    """Sees every record as a row of codes: the cells of its answers."""

    @abstractmethod
    def _probabilities(self, records: Codes, progress: Progress) -> Numbers:
        """Class probabilities of original records.

        ``records[i, j]`` is the cell of X of record i in ``predictors_[j]``.
        """

    def _table_probabilities(self, table: Table, progress: Progress) -> Numbers:
        return self._probabilities(original_codes(table, self.predictors_), progress)


_TINY = 1e-300


def from_logarithms(scores: Numbers) -> Numbers:
    """Probabilities in proportion to the exponentials of the scores in each row.

    >>> from_logarithms(np.log([[1.0, 3.0]])).round(2).tolist()
    [[0.25, 0.75]]
    """
    shifted = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True))


def from_shares(scores: Numbers, fallback: Numbers) -> Numbers:
    """Probabilities in proportion to the scores; rows without any score get the fallback.

    A tie is broken by the fallback too: it is added with a weight too small to count otherwise.

    >>> from_shares(np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([0.2, 0.8])).round(2).tolist()
    [[0.5, 0.5], [0.2, 0.8]]
    """
    total = scores.sum(axis=1, keepdims=True)
    shares = np.where(total > 0, scores / np.where(total > 0, total, 1.0), fallback)
    steadied = shares + 1e-9 * fallback
    return np.asarray(steadied / steadied.sum(axis=1, keepdims=True))


def log_of(distribution: Numbers) -> Numbers:
    """Natural logarithms, of zero a number so low that nothing outweighs it."""
    return np.log(np.maximum(distribution, _TINY))


def log_shares(records: Numbers) -> Numbers:
    """Log of the share of each class; one that undoing a distortion left empty keeps a record."""
    kept = np.maximum(records, 1.0)
    return np.asarray(np.log(kept / kept.sum()))
