"""What the core says, with names, numbers and words of its own inside, is said in Polish."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import shorten
from ppworkbench.core.design import (
    Additive,
    Discretise,
    Ordinal,
    Perturbation,
    Retention,
    Uniform,
)
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.files import resource
from ppworkbench.core.privacy import epsilon
from ppworkbench.core.privacy.reading import percent
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.study.language import Catalogue, read_catalogue

AGE = Attribute("age", Kind.INTEGER, domain=(18, 1217))


@pytest.fixture(scope="module")
def polish() -> Catalogue:
    return read_catalogue(resource("languages", "pl"), decimal=",", thousands="\u00a0")


def refusal(attempt: Callable[[], object]) -> str:
    with pytest.raises(WorkbenchError) as refused:
        attempt()
    return refused.value.message


@pytest.mark.parametrize(
    ("say", "english", "said"),
    [
        (lambda: Uniform(keep=0.75).summary(), "keep 0.75", "zachowanie 0,75"),
        (lambda: Additive(noise="normal", sigma=2.5).summary(),
         "normal noise, 2.5", "szum normalny, 2,5"),
        (lambda: Ordinal(weights=(0.5, 0.25), loop=True).summary(),
         "neighbours 0.5, 0.25, loop on", "sąsiedzi 0,5; 0,25, pętla wł."),
        (lambda: Discretise(intervals=2).distorted(AGE).values[1], "618 to 1217",
         "od 618 do 1217"),
        (lambda: Retention(keep=0.25).how_to_undo(),
         "mean = (z − (1 − 0.25) E[g]) / 0.25, g the replacement; EM for shares",
         "średnia = (z − (1 − 0,25) E[g]) / 0,25, g to wartość zastępująca; EM dla udziałów"),
        (lambda: refusal(lambda: Perturbation.page_draw(Uniform(keep=0.75), AGE)),
         "A questionnaire page cannot randomise 'age' by 'uniform'; choose another mechanism.",
         ("Strona z kwestionariuszem nie potrafi randomizować „age” przez „uniform”; wybierz inny "
         "mechanizm.")),
        (lambda: refusal(lambda: Uniform(keep=1.5)), "Keep is 1.5; it must lie between 0 and 1.",
         "Zachowanie: 1,5; musi leżeć między 0 a 1."),
        (lambda: refusal(lambda: Attribute("1.5", Kind.BINARY, values=("x",))),
         "Attribute '1.5': a binary attribute has 2 values, not 1.",
         "Atrybut „1.5”: atrybut binarny ma 2 wartości, a podano ich 1."),
        (lambda: refusal(lambda: parse_condition("age between")),
         "The condition cannot be read at position 12: expected the lowest value, found the end.",
         ("Warunku nie da się odczytać na pozycji 12: oczekiwano najmniejszej wartości, a jest "
         "koniec.")),
        (lambda: epsilon.reading(1.5).sentence,
         ("A reported answer changes the odds between two true answers at most 4.48-fold "
         "(smaller is more private)."),
         ("Podana odpowiedź zmienia szanse między dwiema prawdziwymi najwyżej 4,48-krotnie "
         "(im mniej, tym więcej prywatności).")),
        (lambda: percent(0.0042), "0.4 %", "0,4 %"),
        # Answers are their owner's, even if they are words that the program knows.
        (lambda: shorten(["no", "yes", "2.5"], 2), "no, yes and 1 more", "no, yes i jeszcze 1"),
    ],
)  # fmt: skip
def test_that_values_of_a_message_are_said_as_the_language_does(
    polish: Catalogue, say: Callable[[], str], english: str, said: str
) -> None:
    assert say() == english
    assert polish.sentence(say()) == said
