"""Built-in data sets: made by the program itself, at hand without a network or a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import FROM_DATA, Attribute, Kind, rounded_domain
from ppworkbench.core.data.generators.city_survey import city_survey_table
from ppworkbench.core.data.generators.consultation import (
    consultation_table,
    distorted_consultation_table,
)
from ppworkbench.core.data.generators.led24 import led24_table
from ppworkbench.core.data.generators.quest import QuestParams, quest_baskets
from ppworkbench.core.data.generators.weather import weather_table
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.kernels import library_lock
from ppworkbench.core.message import SAMPLE_TEXT, Message
from ppworkbench.core.params import Annotated, Info, Params, Within
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.registry import Registry


@dataclass(frozen=True)
class NoSizes(Params):
    """The table is what it is."""


@dataclass(frozen=True)
class Sample:
    """A built-in data set.

    Parameters
    ----------
    name, label, description
        What commands and people call it, and one sentence on what it holds.
    sizes
        The parameters that it can be made with; the defaults give the shipped table.
    make
        Makes the table of these sizes from a seed; a table that is not random ignores the seed.
    seed
        The seed of the shipped table.
    """

    name: str
    label: str
    description: str
    sizes: type[Params]
    make: Callable[[Any, int, Progress], Table]
    seed: int = 1


samples: Registry[Sample] = Registry("sample")
"""All built-in data sets."""


def add_sample(sample: Sample) -> Sample:
    """Register a sample under its own name."""
    return samples.register(sample.name, sample.label)(sample)


_GOODS = (
    "bread", "milk", "butter", "cheese", "eggs", "coffee", "tea", "sugar", "flour", "rice",
    "pasta", "potatoes", "tomatoes", "onions", "carrots", "apples", "bananas", "oranges",
    "yoghurt", "chicken", "ham", "sausages", "beer", "wine", "juice", "water", "cola",
    "chocolate", "biscuits", "crisps", "fish", "tuna", "oil", "vinegar", "salt", "pepper",
    "mustard", "ketchup", "honey", "jam", "cake", "nuts", "raisins", "muesli", "oats", "cream",
    "margarine", "soup", "pizza", "noodles", "lettuce", "cucumbers", "peppers", "mushrooms",
    "garlic", "beans", "lentils", "bacon", "salmon", "mayonnaise", "cereal", "rolls", "crackers",
    "olives", "pickles", "corn", "peas", "spinach", "broccoli", "cabbage", "celery", "leek",
    "beetroot", "radishes", "plums", "cherries", "strawberries", "melon", "peaches", "avocado",
    "grapes", "lemons", "pears", "parsley", "basil", "cinnamon", "paprika", "curry", "cocoa",
    "popcorn", "sweets", "soap", "shampoo", "toothpaste", "detergent", "tissues", "batteries",
    "candles", "napkins", "matches",
)  # fmt: skip
"""What the first items of the baskets are called; further ones are numbered."""


def _baskets(sizes: QuestParams, seed: int, progress: Progress) -> Table:
    baskets = quest_baskets(sizes, seed, progress)
    goods = _GOODS[: len(baskets.items)]
    named = replace(baskets, items=(*goods, *baskets.items[len(goods) :]))
    return named.to_table(source=str(sizes))


add_sample(
    Sample(
        "baskets",
        "Baskets",
        "Synthetic shopping baskets; some items are bought together. One attribute per item.",
        QuestParams,
        _baskets,
    )
)


@dataclass(frozen=True)
class CitySurveySizes(Params):
    """How many residents answer."""

    rows: Annotated[int, Within(1, 100_000_000), Info("Rows", "Number of residents who answer")] = (
        5_000
    )


add_sample(
    Sample(
        "city-survey",
        "City survey",
        "Synthetic residents of a city: living conditions, opinions, sensitive "
        "questions, a new school.",
        CitySurveySizes,
        lambda sizes, seed, _progress: city_survey_table(sizes.rows, seed),
    )
)


add_sample(
    Sample(
        "consultation",
        "Consultation",
        "The 7 participants of the papers' example, with their true answers.",
        NoSizes,
        lambda _sizes, _seed, _progress: consultation_table(),
    )
)
add_sample(
    Sample(
        "consultation-distorted",
        "Consultation, distorted",
        "The same 7 participants with the distorted answers printed in the papers.",
        NoSizes,
        lambda _sizes, _seed, _progress: distorted_consultation_table(),
    )
)


@dataclass(frozen=True)
class Led24Sizes(Params):
    """How many displays, and how often a segment fails."""

    rows: Annotated[int, Within(1, 100_000_000), Info("Rows", "Number of displays")] = 3_200
    noise: Annotated[
        float, Within(0, 1), Info("Noise", "Probability that a segment shows the opposite")
    ] = 0.1


add_sample(
    Sample(
        "led24",
        "LED display",
        "A digit shown by 7 unreliable segments, with 17 irrelevant bits.",
        Led24Sizes,
        lambda sizes, seed, _progress: led24_table(sizes.rows, sizes.noise, seed),
    )
)


_UNITS = re.compile(r" \((\w+)\)$")
_IRIS = ("Sepal length", "Sepal width", "Petal length", "Petal width")
_WINE = (
    Message("Alcohol"), "Malic acid", Message("Ash"), "Alkalinity of ash", Message("Magnesium"),
    "Total phenols", Message("Flavanoids"), "Other phenols", Message("Proanthocyanins"),
    "Colour intensity", Message("Hue"), "Absorbance ratio 280/315", Message("Proline"),
)  # fmt: skip
_CELLS = (
    "Mean radius", "Mean texture", "Mean perimeter", "Mean area", "Mean smoothness",
    "Mean compactness", "Mean concavity", "Mean concave points", "Mean symmetry",
    "Mean fractal dimension", "Radius error", "Texture error", "Perimeter error", "Area error",
    "Smoothness error", "Compactness error", "Concavity error", "Concave points error",
    "Symmetry error", "Fractal dimension error", "Worst radius", "Worst texture",
    "Worst perimeter", "Worst area", "Worst smoothness", "Worst compactness", "Worst concavity",
    "Worst concave points", "Worst symmetry", "Worst fractal dimension",
)  # fmt: skip
"""What people call the measurements, in the order in which scikit-learn has them."""


def textbook_table(
    bunch: Any, source: str, titles: Sequence[str], answer: str, question: str
) -> Table:
    """A data set of scikit-learn as a table; domains are rounded out from the data."""
    columns = [
        _column(str(feature), title, numbers)
        for feature, title, numbers in zip(bunch.feature_names, titles, bunch.data.T, strict=True)
    ]
    names = tuple(str(name).replace("_", " ") for name in bunch.target_names)
    kind = Kind.BINARY if len(names) == 2 else Kind.NOMINAL
    attribute = Attribute(answer.lower(), kind, names, label=question, title=answer)
    columns.append(Column(attribute, bunch.target))
    return Table(tuple(columns), class_name=attribute.name, source=source)


def _column(feature: str, title: str, numbers: NDArray[np.float64]) -> Column:
    unit = _UNITS.search(feature)
    name = re.sub(r"\W+", "_", _UNITS.sub("", feature))
    label = title + (f" in {unit[1]}" if unit else "")
    whole = bool(np.all(numbers == np.rint(numbers)))
    kind = Kind.INTEGER if whole else Kind.CONTINUOUS
    domain = rounded_domain(numbers.min(), numbers.max())
    told = unit[1] if unit else ""
    attribute = Attribute(
        name, kind, domain=domain, label=label, title=title, unit=told, domain_source=FROM_DATA
    )
    return Column(attribute, numbers)


def _iris() -> Table:
    with library_lock:
        from sklearn.datasets import load_iris

    return textbook_table(
        load_iris(), "iris", _IRIS, Message("Species"), "Which species is the flower?"
    )


def _wine() -> Table:
    with library_lock:
        from sklearn.datasets import load_wine

    return textbook_table(
        load_wine(), "wine", _WINE, Message("Grower"), "Which grower made the wine?"
    )


def _breast_cancer() -> Table:
    with library_lock:
        from sklearn.datasets import load_breast_cancer

    question = "Is the tumour malignant or benign?"
    return textbook_table(
        load_breast_cancer(), "breast-cancer", _CELLS, Message("Diagnosis"), question
    )


add_sample(
    Sample(
        "iris",
        "Iris",
        "150 flowers of 3 species: length and width of sepals and petals.",
        NoSizes,
        lambda _sizes, _seed, _progress: _iris(),
    )
)
add_sample(
    Sample(
        "wine",
        "Wine",
        "178 wines of 3 growers: 13 chemical measurements.",
        NoSizes,
        lambda _sizes, _seed, _progress: _wine(),
    )
)
add_sample(
    Sample(
        "breast-cancer",
        "Breast cancer",
        "569 tumours, malignant or benign: 30 measurements of their cells.",
        NoSizes,
        lambda _sizes, _seed, _progress: _breast_cancer(),
    )
)


add_sample(
    Sample(
        "weather",
        "Saturday mornings",
        "14 mornings: outlook, temperature, humidity, wind, and whether to play.",
        NoSizes,
        lambda _sizes, _seed, _progress: weather_table(),
    )
)


# Importing a module registers its samples; the order here is the order of every list.


def load_sample(
    name: str, *, seed: int | None = None, progress: Progress = silent, **sizes: Any
) -> Table:
    """A built-in data set as a table.

    The table is generated, never read from a file. A name such as ``T10.I8.D100k.N100`` gives
    baskets of these sizes.

    Parameters
    ----------
    name
        One of ``samples.names``, or the name of a basket data set.
    seed
        Another seed than the sample's own.
    sizes
        Fields of the sample's ``sizes``; what is not given has its default.

    >>> load_sample("weather").rows
    14
    >>> load_sample("led24", rows=100).rows
    100
    """
    if name not in samples and QuestParams.names(name):
        sizes = QuestParams.parse(name).to_json() | sizes
        name = "baskets"
    sample = samples[name]
    chosen = sample.sizes.from_json(sizes)
    return _with_own_words(sample.make(chosen, sample.seed if seed is None else seed, progress))


def _with_own_words(table: Table) -> Table:
    """The table with titles and units that can be said in other languages; they are ours."""
    columns = []
    for column in table:
        attribute = column.attribute
        title, unit = (_own_words(words) for words in (attribute.title, attribute.unit))
        columns.append(column.with_(attribute=attribute.with_(title=title, unit=unit)))
    return table.with_(columns=tuple(columns))


def _own_words(words: str) -> str:
    if not words:
        return ""
    message = Message.of(words)
    return Message(message.template, code=SAMPLE_TEXT, **message.args)
