"""Three small data sets that come with scikit-learn: iris, wine and breast cancer."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.samples.sample import NoSizes, Sample, add_sample
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.library_lock import library_lock

_UNITS = re.compile(r" \((\w+)\)$")


def textbook_table(bunch: Any, source: str, class_name: str, question: str) -> Table:
    """A data set of scikit-learn as a table; the domain of a number is its observed range."""
    columns = [
        _column(str(feature), numbers)
        for feature, numbers in zip(bunch.feature_names, bunch.data.T, strict=True)
    ]
    names = tuple(str(name).replace("_", " ") for name in bunch.target_names)
    kind = Kind.BINARY if len(names) == 2 else Kind.NOMINAL
    answer = Column(Attribute(class_name, kind, names, label=question), bunch.target)
    return Table((*columns, answer), class_name=class_name, source=source)


def _column(feature: str, numbers: NDArray[np.float64]) -> Column:
    unit = _UNITS.search(feature)
    plain = _UNITS.sub("", feature)
    name = re.sub(r"\W+", "_", plain)
    label = plain.replace("_", " ").capitalize() + (f" in {unit[1]}" if unit else "")
    whole = bool(np.all(numbers == np.rint(numbers)))
    kind = Kind.INTEGER if whole else Kind.CONTINUOUS
    domain = (float(numbers.min()), float(numbers.max()))
    return Column(Attribute(name, kind, domain=domain, label=label), numbers)


def _iris() -> Table:
    with library_lock:
        from sklearn.datasets import load_iris

    return textbook_table(load_iris(), "iris", "species", "Which species is the flower?")


def _wine() -> Table:
    with library_lock:
        from sklearn.datasets import load_wine

    return textbook_table(load_wine(), "wine", "grower", "Which grower made the wine?")


def _breast_cancer() -> Table:
    with library_lock:
        from sklearn.datasets import load_breast_cancer

    question = "Is the tumour malignant or benign?"
    return textbook_table(load_breast_cancer(), "breast-cancer", "diagnosis", question)


add_sample(
    Sample(
        "iris",
        "Iris",
        "150 flowers of three species by the lengths and widths of their leaves.",
        NoSizes,
        lambda _sizes, _seed, _progress: _iris(),
    )
)
add_sample(
    Sample(
        "wine",
        "Wine",
        "178 wines of three growers by 13 chemical measurements.",
        NoSizes,
        lambda _sizes, _seed, _progress: _wine(),
    )
)
add_sample(
    Sample(
        "breast-cancer",
        "Breast cancer",
        "569 tumours, malignant or benign, by 30 measurements of their cells.",
        NoSizes,
        lambda _sizes, _seed, _progress: _breast_cancer(),
    )
)
