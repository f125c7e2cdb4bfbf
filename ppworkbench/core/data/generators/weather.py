"""Saturday mornings: the 14-row table of J. R. Quinlan, "Induction of decision trees", 1986."""

from __future__ import annotations

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.generators.draws import table_of_rows
from ppworkbench.core.data.table import Table
from ppworkbench.core.message import Message

_ATTRIBUTES = (
    Attribute(
        "outlook",
        Kind.NOMINAL,
        ("sunny", "overcast", "rain"),
        label="How the sky looks",
        title=Message("Outlook"),
    ),
    Attribute(
        "temperature",
        Kind.ORDINAL,
        ("cool", "mild", "hot"),
        label="How warm it is",
        title=Message("Temperature"),
    ),
    Attribute(
        "humidity",
        Kind.BINARY,
        ("normal", "high"),
        label="How damp the air is",
        title=Message("Humidity"),
    ),
    Attribute(
        "windy",
        Kind.BINARY,
        ("false", "true"),
        label="Whether the wind blows",
        title=Message("Windy"),
    ),
    Attribute(
        "class",
        Kind.BINARY,
        ("N", "P"),
        label="Whether the morning suits the activity (P) or not",
        title="Suits the activity",
    ),
)

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


def weather_table() -> Table:
    """The table in Quinlan's order.

    >>> weather_table().rows
    14
    """
    rows = [line.split() for line in _MORNINGS.split("\n") if line]
    return table_of_rows(_ATTRIBUTES, rows, class_name="class", source="weather")
