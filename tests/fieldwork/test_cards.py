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
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.devices import DEVICES, snap_to
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.design.presets import Crosswise, Kuk, Mangat, Triangular
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.fieldwork.page.cards import (
    card_languages,
    card_words,
    cards_of,
    write_cards,
)
from ppworkbench.study.questionnaire.texts import Texts

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
        write_cards(cards_of(design, (language,)), path)
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
        write_cards(cards_of(design, ("en", "xx")), path)
    assert not path.exists()


def test_that_words_of_strangers_stay_text(tmp_path):
    texts = Texts({"drug": "<script>alert(1)</script>"}, {"drug": {"yes": "<b>", "no": "&"}})
    path = tmp_path / "cards.html"
    design = Design((DesignedAttribute(DRUG, Forced(p_truth=2 / 3)),))
    write_cards(cards_of(design, ("en",), texts), path)
    text = path.read_text(encoding="utf-8")
    assert "<script>" not in text
    assert "&lt;b&gt;" in text
    assert "<b>" not in text


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


def with_arms(**lists):
    members = (
        DesignArm("A", 0.5),
        DesignArm("B", 0.3, perturbations=(("drug", Forced(p_truth=1 / 2)),)),
        DesignArm("direct", 0.2, perturbations=(("drug", Identity()),)),
    )
    listed = (DesignedAttribute(DRUG, Forced(p_truth=2 / 3)),)
    return Design(listed, arms=Arms("version", members), **lists)


def test_that_every_arm_has_its_own_cards():
    cards = cards_of(with_arms(), ("en", "pl"))
    assert [(card.arm, card.language) for card in cards] == [
        ("A", "en"), ("B", "en"), ("A", "pl"), ("B", "pl")
    ]  # fmt: skip
    assert cards[0].steps[-1] == "2, 3, 4 or 5: tick your true answer."
    assert cards[1].steps != cards[0].steps
    assert (cards[1].version, cards[3].version) == ("Version B", "Wersja B")
    (only,) = cards_of(with_arms(), arms=("B",))
    assert only == cards[1]
    with pytest.raises(DesignError, match="No question of the design is randomised by a device"):
        cards_of(with_arms(), arms=("direct",))
    with pytest.raises(ParameterError, match="no arm 'C'"):
        cards_of(with_arms(), arms=("C",))


def test_that_a_list_has_a_card_that_makes_no_promise():
    asked = Attribute("neighbour", Kind.BINARY, ("no", "yes"), title="I would mind it.")
    items = ("I like tea.", "I have a cat.", "I own a car.")
    design = with_arms(lists=(ListQuestion(asked, "y", items, ("A",), ("B",)),))
    short, long = cards_of(design, only=("neighbour",))
    assert (short.arm, long.arm) == ("A", "B")
    assert short.sentences == items
    assert set(long.sentences) == {*items, "I would mind it."}
    assert short.steps == (
        "How many of these sentences are true for you? Say only how many, not which.",
    )
    assert (short.boxes, long.boxes) == (("0", "1", "2", "3"), ("0", "1", "2", "3", "4"))
    assert long.why == ""
    assert "“4”" in long.warnings[0]
    (polish, _) = cards_of(design, ("pl",), only=("neighbour",))
    assert polish.steps == (
        "Ile z tych zdań jest o Tobie prawdziwych? Podaj tylko liczbę, nie mów które.",
    )


def test_that_words_can_be_edited_but_not_the_promise():
    (card,) = cards_of(questions(named(Crosswise(p=0.25)), "birthday-month", nearest=True))
    edited = card.with_words("Your view", ["A: I did.", "", " B: Spring. ", "Tick one box."])
    assert edited.title == "Your view"
    assert (edited.sentences, edited.steps) == (("A: I did.", "B: Spring."), ("Tick one box.",))
    assert (edited.why, edited.boxes) == (card.why, card.boxes)
    assert card.with_words(" ", card.lines) == card


@pytest.mark.parametrize("name", DEVICES)
def test_that_every_device_has_a_picture_of_all_its_outcomes(name):
    kind = DEVICES[name]
    if kind.does_anything:
        return
    (card,) = cards_of(questions(Unrelated(theta=0.9), name, nearest=True))
    svg = card.picture.to_svg()
    assert svg.startswith("<svg")
    assert svg.endswith("</svg>")
    if not kind.is_counted:
        assert len(card.picture.tiles) == len(kind.outcomes)
    assert card.picture.to_svg("dark") != svg
    assert card.picture.width <= 640
