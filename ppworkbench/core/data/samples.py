"""Built-in data sets: made by the program itself, at hand without a network or a file.

The LED display: a digit shown by seven segments that fail, among 17 that mean nothing.

L. Breiman, J. Friedman, R. Olshen and C. Stone, "Classification and Regression Trees", 1984,
section 2.6: every segment shows the opposite of what it should with probability ``noise``,
independently of the others. With a noise of 10 % the best possible classifier is right in 74 %
of cases; 17 coins are added as attributes that say nothing about the digit.

Small tables that are printed in articles.

Saturday mornings are those of J. R. Quinlan, "Induction of decision trees", 1986.

The consultation is the 7-row example of the papers, as people would have answered and as it was
sent: P. Andruszkiewicz, article on privacy preserving deliberative consultations, 2016, tables I
and II; his thesis of 2011 prints the same rows as tables 3.1 and 3.2. Salary was distorted by
adding uniform noise from [-500, 500], Age from [-10, 10]; Sex and Credits status kept their value
with probability 0.6; Children was not distorted. As printed, two ages moved a little further than
the noise allows: row 3 by 10.27 years, row 6 by 10.72. We keep what is printed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import FROM_DATA, Attribute, Kind, rounded_domain
from ppworkbench.core.data.generators.city_survey import city_survey_table
from ppworkbench.core.data.generators.quest import QuestParams, quest_baskets
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.kernels import library_lock
from ppworkbench.core.message import SAMPLE_TEXT, Message
from ppworkbench.core.params import Annotated, Info, Params, Within
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.registry import Registry
from ppworkbench.core.rng import SeededStreams

_WEATHER = (
    Attribute("outlook", Kind.NOMINAL, ("sunny", "overcast", "rain"),
              label="How the sky looks", title=Message("Outlook")),
    Attribute("temperature", Kind.ORDINAL, ("cool", "mild", "hot"),
              label="How warm it is", title=Message("Temperature")),
    Attribute("humidity", Kind.BINARY, ("normal", "high"),
              label="How damp the air is", title=Message("Humidity")),
    Attribute("windy", Kind.BINARY, ("false", "true"),
              label="Whether the wind blows", title=Message("Windy")),
    Attribute("class", Kind.BINARY, ("N", "P"),
              label="Whether the morning suits the activity (P) or not",
              title="Suits the activity"),
)  # fmt: skip

_MORNINGS = """
sunny    hot  high   false N
sunny    hot  high   true  N
overcast hot  high   false P
rain     mild high   false P
rain     cool normal false P
rain     cool normal true  N
overcast cool normal true  P
sunny    mild high   false N
sunny    cool normal false P
rain     mild normal false P
sunny    mild normal true  P
overcast mild high   true  P
overcast hot  normal false P
rain     mild high   true  N
"""

_CONSULTATION = (
    Attribute("Salary", Kind.CONTINUOUS, domain=(0, 6000),
              label="What is your monthly salary?", title="Monthly salary"),
    Attribute("Age", Kind.CONTINUOUS, domain=(18, 65),
              label="How old are you?", unit=Message("years")),
    Attribute("Sex", Kind.BINARY, ("F", "M"), label="Are you a woman (F) or a man (M)?"),
    Attribute("Credits status", Kind.NOMINAL, ("none", "present", "repaid", "overdue"),
              label="Have you taken a credit, and what became of it?", title="Credit status"),
    Attribute("Children", Kind.BINARY, ("N", "Y"),
              label="Do you have children?", title="Has children"),
)  # fmt: skip

_ORIGINAL = """
1000 35 M none    N
1500 37 F overdue Y
5000 41 M present N
3000 44 M repaid  N
4200 50 F repaid  N
2000 28 F none    N
1000 30 M none    Y
"""

_DISTORTED = """
1353.32 33.42 M repaid  N
1611.83 40.64 M overdue Y
5428.27 51.27 M present N
2573.22 39.51 F none    N
4145.89 42.67 M repaid  N
2258.34 38.72 F none    N
1054.03 36.65 M overdue Y
"""


def weather_table() -> Table:
    """The table in Quinlan's order.

    >>> weather_table().rows
    14
    """
    return _table(_WEATHER, _MORNINGS, "class", "weather")


def consultation_table() -> Table:
    """What the seven participants would have answered.

    >>> consultation_table()["Age"].data.tolist()
    [35.0, 37.0, 41.0, 44.0, 50.0, 28.0, 30.0]
    """
    # The attribute that is not distorted is the class; in the thesis it is called Bad credit.
    return _table(_CONSULTATION, _ORIGINAL, "Children", "consultation")


def distorted_consultation_table() -> Table:
    return _table(_CONSULTATION, _DISTORTED, "Children", "consultation-distorted")


def _table(attributes: Sequence[Attribute], text: str, class_name: str, source: str) -> Table:
    cells = zip(*(line.split() for line in text.split("\n") if line), strict=True)
    columns = [
        Column(
            attribute,
            np.array([attribute.values.index(cell) for cell in given])
            if attribute.kind.is_categorical
            else np.array([float(cell) for cell in given]),
        )
        for attribute, given in zip(attributes, cells, strict=True)
    ]
    return Table(tuple(columns), class_name=class_name, source=source)


DIGITS = tuple("0123456789")
IRRELEVANT = 17

SEGMENTS: NDArray[np.int8] = np.array(
    [
        [1, 1, 1, 0, 1, 1, 1],
        [0, 0, 1, 0, 0, 1, 0],
        [1, 0, 1, 1, 1, 0, 1],
        [1, 0, 1, 1, 0, 1, 1],
        [0, 1, 1, 1, 0, 1, 0],
        [1, 1, 0, 1, 0, 1, 1],
        [1, 1, 0, 1, 1, 1, 1],
        [1, 0, 1, 0, 0, 1, 0],
        [1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 0, 1, 1],
    ],
    np.int8,
)
"""Which segments light up for each digit, in the order of the places."""

PLACES = (
    "Top segment",
    "Upper left segment",
    "Upper right segment",
    "Middle segment",
    "Lower left segment",
    "Lower right segment",
    "Bottom segment",
)


def led24_table(rows: int = 3_200, noise: float = 0.1, seed: int = 1) -> Table:
    """A table of 7 noisy segments, 17 irrelevant bits and the class ``digit``.

    Every column has a random stream of its own: a longer table begins with the rows of a
    shorter one.

    >>> led24_table(rows=5).names[6:9]
    ('segment7', 'irrelevant1', 'irrelevant2')
    """
    streams = SeededStreams(seed)
    digit = np.floor(10 * streams.stream("digit").random(rows)).astype(np.int8)
    columns = []
    for number, place in enumerate(PLACES, start=1):
        name = f"segment{number}"
        flipped = streams.stream(name).random(rows) < noise
        words = f"The {place.lower()}", place
        columns.append(_bit(name, *words, SEGMENTS[digit, number - 1] ^ flipped))
    for number in range(1, IRRELEVANT + 1):
        name = f"irrelevant{number}"
        words = (
            "A random bit unrelated to the digit",
            Message("Irrelevant bit {number}", number=number),
        )
        columns.append(_bit(name, *words, streams.stream(name).random(rows) < 0.5))
    shown = Attribute(
        "digit",
        Kind.NOMINAL,
        values=DIGITS,
        label="The digit that was to be shown",
        title=Message("Digit"),
    )
    return Table((*columns, Column(shown, digit)), class_name="digit", source="led24")


def _bit(name: str, label: str, title: str, lit: NDArray[np.generic]) -> Column:
    return Column(Attribute(name, Kind.BINARY, values=("0", "1"), label=label, title=title), lit)


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


@dataclass(frozen=True)
class CitySurveySizes(Params):
    """How many residents answer."""

    rows: Annotated[int, Within(1, 100_000_000), Info("Rows", "Number of residents who answer")] = (
        5_000
    )


@dataclass(frozen=True)
class Led24Sizes(Params):
    """How many displays, and how often a segment fails."""

    rows: Annotated[int, Within(1, 100_000_000), Info("Rows", "Number of displays")] = 3_200
    noise: Annotated[
        float, Within(0, 1), Info("Noise", "Probability that a segment shows the opposite")
    ] = 0.1


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


_TEXTBOOK: dict[str, tuple[str, Sequence[str], str, str]] = {
    "iris": ("load_iris", _IRIS, Message("Species"), "Which species is the flower?"),
    "wine": ("load_wine", _WINE, Message("Grower"), "Which grower made the wine?"),
    "breast-cancer": (
        "load_breast_cancer", _CELLS, Message("Diagnosis"), "Is the tumour malignant or benign?"
    ),
}  # fmt: skip
"""What loads them in scikit-learn, titles of the measurements, the class and its question."""


def _textbook(name: str) -> Table:
    with library_lock:
        from sklearn import datasets

    loader, titles, answer, question = _TEXTBOOK[name]
    return textbook_table(getattr(datasets, loader)(), name, titles, answer, question)


# The order here is the order of every list.
for _sample in (
    Sample(
        "baskets",
        "Baskets",
        "Synthetic shopping baskets; some items are bought together. One attribute per item.",
        QuestParams,
        _baskets,
    ),
    Sample(
        "city-survey",
        "City survey",
        "Synthetic residents of a city: living conditions, opinions, sensitive questions, a new "
        "school.",
        CitySurveySizes,
        lambda sizes, seed, _progress: city_survey_table(sizes.rows, seed),
    ),
    Sample(
        "consultation",
        "Consultation",
        "The 7 participants of the papers' example, with their true answers.",
        NoSizes,
        lambda *_: consultation_table(),
    ),
    Sample(
        "consultation-distorted",
        "Consultation, distorted",
        "The same 7 participants with the distorted answers printed in the papers.",
        NoSizes,
        lambda *_: distorted_consultation_table(),
    ),
    Sample(
        "led24",
        "LED display",
        "A digit shown by 7 unreliable segments, with 17 irrelevant bits.",
        Led24Sizes,
        lambda sizes, seed, _progress: led24_table(sizes.rows, sizes.noise, seed),
    ),
    Sample(
        "iris",
        "Iris",
        "150 flowers of 3 species: length and width of sepals and petals.",
        NoSizes,
        lambda *_: _textbook("iris"),
    ),
    Sample(
        "wine",
        "Wine",
        "178 wines of 3 growers: 13 chemical measurements.",
        NoSizes,
        lambda *_: _textbook("wine"),
    ),
    Sample(
        "breast-cancer",
        "Breast cancer",
        "569 tumours, malignant or benign: 30 measurements of their cells.",
        NoSizes,
        lambda *_: _textbook("breast-cancer"),
    ),
    Sample(
        "weather",
        "Saturday mornings",
        "14 mornings: outlook, temperature, humidity, wind, and whether to play.",
        NoSizes,
        lambda *_: weather_table(),
    ),
):
    samples.register(_sample.name, _sample.label)(_sample)


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
    return table.described_by(
        lambda one: one.with_(title=_own_words(one.title), unit=_own_words(one.unit))
    )


def _own_words(words: str) -> str:
    if not words:
        return ""
    message = Message.of(words)
    return Message(message.template, code=SAMPLE_TEXT, **message.args)
