"""The questionnaire of the city survey: names, kinds, answers and question texts."""

from __future__ import annotations

from ppworkbench.core.data.attribute import Attribute, Kind

DISTRICTS = (
    "Old Town",
    "Riverside",
    "Harbour",
    "Northfield",
    "Millbrook",
    "Southgate",
    "Garden Hill",
)
EDUCATION = ("primary", "vocational", "secondary", "bachelor", "master or higher")
EMPLOYMENT = (
    "not employed",
    "under 1 year",
    "1-2 years",
    "3-5 years",
    "6-10 years",
    "11-20 years",
    "over 20 years",
)
HOMES = ("owner", "tenant", "council housing", "family home")
SATISFACTION = ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied")
EIGHT_STEPS = tuple("12345678")
NO_YES = ("no", "yes")

AGES = (18, 90)
MOST_CHILDREN = 6
HIGHEST_INCOME = 15_000


def _satisfied(name: str, what: str) -> Attribute:
    label = f"How satisfied are you with {what}?"
    return Attribute(f"satisfaction_{name}", Kind.ORDINAL, SATISFACTION, label=label)


def _yes_no(name: str, label: str) -> Attribute:
    return Attribute(name, Kind.BINARY, NO_YES, label=label)


QUESTIONS = (
    Attribute("district", Kind.NOMINAL, DISTRICTS, label="Which district do you live in?"),
    Attribute("age", Kind.INTEGER, domain=AGES, label="How old are you?"),
    Attribute("sex", Kind.BINARY, ("female", "male"), label="Are you a woman or a man?"),
    Attribute(
        "education", Kind.ORDINAL, EDUCATION, label="What is the highest school you finished?"
    ),
    Attribute(
        "employment_length",
        Kind.ORDINAL,
        EMPLOYMENT,
        label="How long have you worked for your present employer?",
    ),
    Attribute(
        "children",
        Kind.INTEGER,
        domain=(0, MOST_CHILDREN),
        label="How many children under 18 live with you?",
    ),
    Attribute("home", Kind.NOMINAL, HOMES, label="On what terms do you live in your home?"),
    _yes_no("car", "Do you have the use of a car?"),
    Attribute(
        "income",
        Kind.CONTINUOUS,
        domain=(0, HIGHEST_INCOME),
        label="What is your monthly income after tax, in euros?",
    ),
    _satisfied("transport", "buses and trams"),
    _satisfied("safety", "safety in your street"),
    _satisfied("parks", "parks and greenery"),
    _satisfied("health", "doctors and clinics"),
    _satisfied("schools", "the schools near you"),
    Attribute(
        "trust_council",
        Kind.ORDINAL,
        EIGHT_STEPS,
        label="How much do you trust the city council, from 1 (not at all) to 8 (fully)?",
    ),
    Attribute(
        "belonging",
        Kind.ORDINAL,
        EIGHT_STEPS,
        label="How much do you feel at home in the city, from 1 (not at all) to 8 (fully)?",
    ),
    _yes_no("fare_evasion", "Did you ride without a ticket in the last 12 months?"),
    _yes_no("cash_in_hand", "Did you pay or take cash to avoid tax in the last 12 months?"),
    _yes_no("drug_use", "Did you use an illegal drug in the last 12 months?"),
    _yes_no("drink_driving", "Did you drive after drinking in the last 12 months?"),
    _yes_no("supports_school", "Are you for building the new school in Northfield?"),
)
"""All questions in the order in which they are asked; the last one is the class."""
