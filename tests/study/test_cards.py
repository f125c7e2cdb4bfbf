"""Cards tell a respondent what to do, and promise no more than holds."""

from __future__ import annotations

import re

import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Forced,
    Identity,
    Related,
    Unrelated,
)
from ppworkbench.core.design.devices import DEVICES, snap_to
from ppworkbench.core.design.presets import Crosswise, Kuk, Mangat, Triangular
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.study.questionnaire import Texts
from ppworkbench.study.questionnaire.cards import (
    card_languages,
    card_words,
    cards_of,
    write_cards,
)

DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"), title="Have you ever used drugs?")
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))
WHY = {
    "en": "Nobody can tell from your answer what is true for you. "
    "From many answers together we can work out the share.",
    "pl": "Z Twojej odpowiedzi nikt nie odczyta, jak jest naprawdę. "
    "Z wielu odpowiedzi razem można obliczyć odsetek.",
}


def questions(perturbation, device, nearest=False):
    snapped, made = snap_to(device, perturbation, DRUG, nearest=nearest)
    return Design((DesignedAttribute(DRUG, made, device=snapped.device),))


def named(preset):
    return preset.perturbation(DRUG.values)


SAID = [
    (
        Forced(p_truth=2 / 3),
        "die",
        (
            "Roll the die so that only you see it. 1: tick “Yes”. 6: tick “No”. "
            "2, 3, 4 or 5: tick your true answer."
        ),
        (
            "Rzuć kostką tak, aby nikt poza Tobą nie widział wyniku. 1: zaznacz „Tak”. "
            "6: zaznacz „Nie”. 2, 3, 4 lub 5: zaznacz prawdziwą odpowiedź."
        ),
    ),
    (
        Related(theta=0.7),
        "spinner",
        (
            "Spin. Green: is sentence A true for you? Red: is sentence B (its opposite) true for "
            "you? Say only “true” or “not true”."
        ),
        (
            "Zakręć wskazówką. Zielone: czy zdanie A jest o Tobie prawdziwe? Czerwone: czy "
            "zdanie B (przeciwne) jest o Tobie prawdziwe? Odpowiedz tylko „prawda” albo "
            "„nieprawda”."
        ),
    ),
    (
        Unrelated(theta=0.75),
        "two-coins",
        (
            "Toss two coins. Two heads: answer question B (harmless). Otherwise: answer "
            "question A. Never say which one you answer."
        ),
        (
            "Rzuć dwiema monetami. Dwa orły: odpowiedz na pytanie B (zwykłe). W innym razie: "
            "odpowiedz na pytanie A. Nie mów, na które pytanie odpowiadasz."
        ),
    ),
    (
        named(Crosswise(p=0.25)),
        "birthday-month",
        "Tick: “both true or both false” / “only one is true”.",
        "Zaznacz: „oba prawdziwe albo oba fałszywe” / „tylko jedno prawdziwe”.",
    ),
    (
        named(Triangular(p=0.24)),
        "birthday-month",
        (
            "Tick the circle if both sentences are false for you, the triangle if at least one is "
            "true."
        ),
        (
            "Zaznacz kółko, jeśli oba zdania są o Tobie nieprawdziwe; trójkąt, jeśli choć jedno "
            "jest prawdziwe."
        ),
    ),
]


@pytest.mark.parametrize(("perturbation", "device", "english", "polish"), SAID)
def test_that_a_card_says_what_the_chapter_says(perturbation, device, english, polish):
    design = questions(perturbation, device, nearest=device == "birthday-month")
    for card, said in zip(cards_of(design, ("en", "pl")), (english, polish), strict=True):
        assert " ".join(card.steps) == said
        assert len(card.steps) + len(card.sentences) <= 5
        assert card.title == "Have you ever used drugs?"


def test_that_a_crosswise_card_has_two_sentences():
    design = questions(named(Crosswise(p=0.25)), "birthday-month", nearest=True)
    english, polish = cards_of(design, ("en", "pl"))
    assert english.sentences == (
        "A: My answer to “Have you ever used drugs?” is “Yes”.",
        "B: My mother was born in January, February or March.",
    )
    assert polish.sentences[1] == "B: Moja mama urodziła się w styczniu, lutym lub marcu."
    assert english.boxes == ("both true or both false", "only one is true")


def test_that_kuk_names_the_colour_of_a_card():
    (card,) = cards_of(questions(named(Kuk(red_yes=0.8, red_no=0.2)), "deck"))
    assert card.steps[-1] == (
        "If your answer is “Yes”, name the colour of your left card, if “No”, of your right card."
    )
    assert card.prepare == ("For the surveyor: left deck: red 16 of 20, right deck: red 4 of 20.")


@pytest.mark.parametrize("language", card_languages())
def test_that_the_promise_is_made_only_where_it_holds(language):
    (held,) = cards_of(questions(Forced(p_truth=2 / 3), "die"), (language,))
    assert held.why == WHY[language]
    assert held.warnings == ()
    for preset, device in ((Mangat(p=0.5), "coin"), (Triangular(p=0.25), "card-suit")):
        (broken,) = cards_of(questions(named(preset), device), (language,))
        assert broken.why == ""
        assert len(broken.warnings) == 1


def test_that_a_card_says_which_answer_gives_something_away():
    (card,) = cards_of(questions(named(Triangular(p=0.25)), "card-suit"))
    assert card.warnings == (
        "Careful: the answer “○ circle” shows that “Yes” is not true for you.",
    )
    (card,) = cards_of(questions(named(Mangat(p=0.5)), "coin"), ("pl",))
    assert card.warnings == ("Uwaga: z odpowiedzi „Nie” wynika, że „Tak” nie jest o Tobie prawdą.",)


@pytest.mark.parametrize("name", DEVICES)
@pytest.mark.parametrize("language", card_languages())
def test_that_every_device_has_words_and_a_page(name, language, tmp_path):
    if DEVICES[name].does_anything:
        return
    asked = [Unrelated(theta=0.9)]
    if len(DEVICES[name].outcomes) > 2:
        asked += [Related(theta=0.9), named(Crosswise(p=0.1))]
    for perturbation in asked:
        design = questions(perturbation, name, nearest=True)
        path = tmp_path / "cards.html"
        write_cards(design, path, (language,))
        text = path.read_text(encoding="utf-8")
        assert f'lang="{language}"' in text
        assert "{" not in re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)


def test_that_a_question_without_a_device_gets_the_usual_one():
    (card,) = cards_of(Design((DesignedAttribute(DRUG, Forced(p_truth=2 / 3)),)))
    assert card.steps[0] == "Roll the die so that only you see it."
    with pytest.raises(DesignError, match="no device does its probabilities exactly"):
        cards_of(Design((DesignedAttribute(DRUG, Forced(p_truth=0.123456)),)))


def test_that_only_randomised_values_have_cards():
    listed = (
        DesignedAttribute(DRUG, Forced(p_truth=2 / 3)),
        DesignedAttribute(AGE, Additive(half_width=5)),
        DesignedAttribute(DRUG.with_(name="open"), Identity()),
    )
    assert [card.attribute for card in cards_of(Design(listed))] == ["drug"]
    with pytest.raises(DesignError, match="No question of the design is randomised by a device"):
        cards_of(Design(listed[1:]))


def test_that_a_language_without_words_is_refused(tmp_path):
    design = Design((DesignedAttribute(DRUG, Forced(p_truth=2 / 3)),))
    path = tmp_path / "cards.html"
    with pytest.raises(ParameterError, match="no cards in the language 'xx'; choose of en, pl"):
        write_cards(design, path, ("en", "xx"))
    assert not path.exists()


def test_that_words_of_strangers_stay_text(tmp_path):
    texts = Texts({"drug": "<script>alert(1)</script>"}, {"drug": {"yes": "<b>", "no": "&"}})
    path = tmp_path / "cards.html"
    write_cards(Design((DesignedAttribute(DRUG, Forced(p_truth=2 / 3)),)), path, ("en",), texts)
    text = path.read_text(encoding="utf-8")
    assert "<script>" not in text
    assert "&lt;b&gt;" in text


def test_that_all_languages_have_the_same_words():
    english = card_words("en")
    for language in card_languages():
        words = card_words(language)
        assert set(words) == set(english)
        for key, text in english.items():
            places, expected = (sorted(re.findall(r"\{\w+\}", one)) for one in (words[key], text))
            assert places == expected
            if key in ("months", "colours"):
                assert words[key].count(",") == text.count(",")
