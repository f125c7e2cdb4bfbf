"""The questionnaire page as a text: nothing foreign in it, everything of the design in it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from arm_studies import arm_design
from designs import AGE, ALL_CASES, COLOURS, LIKERT, SALARY, YES_NO, case_name

from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute, Kind
from ppworkbench.core.data.codebook import Codebook
from ppworkbench.core.design import (
    Additive,
    Binary,
    Design,
    DesignedAttribute,
    Discretise,
    Multiplicative,
    Ordinal,
    Retention,
    SquareWave,
    Uniform,
    Unrelated,
)
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.design_file import design_digest
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.core.errors import DataError, DesignError, ParameterError
from ppworkbench.core.files import resource
from ppworkbench.fieldwork.page.explain import Explainer, languages, words_of
from ppworkbench.fieldwork.page.model import page_model
from ppworkbench.fieldwork.page.page import (
    QuestionnaireOptions,
    missing_words,
    preview_html,
    questionnaire_html,
    served_page,
    write_questionnaire,
)
from ppworkbench.study.questionnaire.document import Answer, Question, Questionnaire
from ppworkbench.study.questionnaire.texts import Texts, read_texts, texts_of

PAGE_CASES = [case for case in ALL_CASES if not case[1].reports_sets]
"""What the script of a page can do."""


def one(attribute, perturbation, **more):
    return Design((DesignedAttribute(attribute, perturbation, **more),))


def survey_of(html):
    """The document that the page's script reads."""
    found = re.search(
        r'<script type="application/json" id="survey">(.*?)</script>', html, re.DOTALL
    )
    return json.loads(found.group(1))


def policy_of(html):
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    return dict(part.split(" ", 1) for part in unescape(found.group(1)).split("; "))


@pytest.mark.parametrize(("attribute", "perturbation"), PAGE_CASES, ids=case_name)
def test_that_every_perturbation_has_a_page_with_plain_numbers(attribute, perturbation):
    survey = survey_of(questionnaire_html(one(attribute, perturbation)))
    (question,) = survey["questions"]
    assert question["name"] == attribute.name
    how = question["mechanism"]
    for steps in [*how.get("steps", []), *how.get("other", [])]:
        assert steps[-1] == 1
        assert np.all(np.diff(steps) >= 0)
    assert "<script" not in json.dumps(question)


def test_that_the_policy_allows_these_very_lines_and_nothing_else():
    html = questionnaire_html(one(YES_NO, Uniform(keep=0.7)))
    policy = policy_of(html)
    assert policy["default-src"] == policy["connect-src"] == policy["img-src"] == "'none'"
    assert policy["form-action"] == policy["base-uri"] == "'none'"
    script = re.search(r"<script>(.*?)</script>", html, re.DOTALL).group(1)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy["script-src"] == f"'sha256-{digest}'"
    assert "unsafe" not in str(policy)


def test_that_the_policy_names_the_one_address_that_is_sent_to():
    options = QuestionnaireOptions(post="https://example.org:8443/in?key=1")
    html = questionnaire_html(one(YES_NO, Uniform(keep=0.7)), options=options)
    assert policy_of(html)["connect-src"] == "https://example.org:8443/in"
    assert survey_of(html)["post"] == "https://example.org:8443/in?key=1"


def test_that_names_and_answers_of_a_design_are_shown_and_never_run():
    nasty = """</script><script>'"&{{ 6 * 7 }}{% raw %}"""
    attribute = Attribute(nasty, Kind.BINARY, (nasty, "b"))
    options = QuestionnaireOptions(title=nasty, introduction=nasty)
    html = questionnaire_html(one(attribute, Uniform(keep=0.7)), options=options)
    (question,) = survey_of(html)["questions"]
    assert question["name"] == question["published"][0] == nasty
    assert html.count("<script") == html.count("</script") == 2
    # In the title, its heading, the introduction, the question and the answer.
    assert unescape(html).count(nasty) == 5


def test_that_a_page_refers_to_nothing_outside_of_itself():
    html = questionnaire_html(one(AGE, Additive(noise="normal", sigma=3.0)))
    for foreign in ("http://", "https://", " src=", "<link", "@import", "url(", "localStorage"):
        assert foreign not in html, foreign
    assert "Math.random" not in html


@pytest.mark.parametrize(
    "post",
    ["ftp://example.org", "example.org/in", "https://", "javascript:alert(1)", "https://a b/c",
     "https://example.org/#x", "https://example.org;script-src *", "https://user:key@example.org/"],
)  # fmt: skip
def test_that_an_address_that_is_none_is_refused(post):
    with pytest.raises(ParameterError, match="is not valid"):
        QuestionnaireOptions(post=post)


def test_that_marks_of_the_policy_in_an_address_cannot_end_it():
    options = QuestionnaireOptions(post="https://example.org/a;b,c'd")
    assert re.fullmatch(r"[^;,' ]+", options.connect)


def test_that_numbers_are_sent_on_the_grid_of_a_release():
    survey = survey_of(questionnaire_html(one(SALARY, Additive(noise="normal", sigma=250.0))))
    assert survey["questions"][0]["mechanism"]["step"] == 0.1


def test_that_a_design_without_attributes_is_refused():
    with pytest.raises(DesignError, match="no attributes to ask about"):
        questionnaire_html(Design(()))


def test_that_all_languages_have_the_same_words():
    english = words_of("en")
    for language in languages():
        words = words_of(language)
        assert set(words) == set(english)
        for key, sentence in english.items():
            places = set(re.findall(r"\{[\w:]+\}", sentence))
            assert set(re.findall(r"\{[\w:]+\}", words[key])) == places, (language, key)


def test_that_a_language_without_words_is_refused():
    with pytest.raises(ParameterError, match="choose one of en, pl"):
        QuestionnaireOptions(language="xx")


@pytest.mark.parametrize(
    ("attribute", "perturbation", "sentence"),
    [
        (COLOURS, Uniform(keep=0.55), "In 55 of 100 cases your answer is sent; otherwise another"),
        (YES_NO, Uniform(keep=0.7), "switched to the opposite. So nobody can tell"),
        (YES_NO, Uniform(keep=0.731), "In about 3 of 4 cases your answer is sent"),
        (YES_NO, Uniform(keep=0.98), "What is sent is a strong hint"),
        (YES_NO, Binary(keep_one=0.5, keep_zero=0.87), "it is sent in 50 to 87 of 100 cases"),
        (LIKERT, Ordinal(weights=(0.6, 0.2), loop=True), "In 3 of 5 cases"),
        (
            COLOURS,
            Unrelated(theta=0.7),
            "In 7 of 10 cases your answer is sent. Otherwise a random",
        ),
        (AGE, Additive(noise="uniform", half_width=10, integer="staircase"), "between −10 and 10"),
        (SALARY, Additive(noise="normal", sigma=100.0), "between −200 and 200"),
        (SALARY, Multiplicative(sigma=0.1), "factor. In 95 of 100 cases it is between 0.82 and"),
        (AGE, Retention(keep=0.4), "In 2 of 5 cases your number is sent; otherwise a random"),
        (AGE, SquareWave(epsilon=1.0), "; otherwise another number between"),
        (AGE, Discretise(edges=(18, 30, 65, 90)), "such as 18 to 29."),
        (COLOURS, Identity(), "Not randomised"),
    ],
    ids=case_name,
)
def test_that_a_respondent_is_told_what_happens(attribute, perturbation, sentence):
    assert sentence in Explainer(one(attribute, perturbation), "en").sentence(attribute.name)


def test_that_an_answer_that_rules_others_out_is_not_called_possible_from_all():
    neighbours = one(LIKERT, Ordinal(weights=(0.6, 0.2), loop=False))
    assert "nobody can tell" not in Explainer(neighbours, "en").sentence("mood")


def test_that_members_of_a_group_carry_its_mark():
    members = tuple(DesignedAttribute(YES_NO.with_(name=n), Identity()) for n in ("a", "b", "c"))
    design = Design(members, None, (Group(("a", "c"), "related", 0.7),))
    html = questionnaire_html(design)
    assert html.count('<span class="group">◆</span>') == 2
    assert "All questions marked ◆ are randomised together" in Explainer(design, "en").sentence("a")


def test_that_answers_are_shown_in_the_words_of_the_respondent_and_sent_in_those_of_the_design():
    texts = Texts({"smokes": "Palisz?"}, {"smokes": {"yes": "tak", "no": "nie"}})
    html = questionnaire_html(one(YES_NO, Uniform(keep=0.7)), texts)
    survey = survey_of(html)
    (question,), (language,) = survey["questions"], survey["languages"]
    assert language["said"]["q0.text"] == "Palisz?"
    assert [language["said"][f"q0.a{i}"] for i in range(2)] == ["nie", "tak"]
    assert question["published"] == ["no", "yes"]
    assert '<span data-text="q0.a1">tak</span>' in html


def test_that_skipping_is_a_choice_only_where_it_is_allowed():
    plain = questionnaire_html(one(YES_NO, Uniform(keep=0.7)))
    allowed = questionnaire_html(
        one(YES_NO, Uniform(keep=0.7)), options=QuestionnaireOptions(skipping=True)
    )
    assert 'value="skip"' not in plain
    assert 'value="skip"' in allowed
    counted = Attribute("smokes", Kind.NOMINAL, ("no", "yes", MISSING_VALUE))
    design = one(counted, Uniform(keep=0.7), missing_is_value=True)
    html = questionnaire_html(design, options=QuestionnaireOptions(skipping=True))
    assert 'value="skip"' not in html
    assert '<span data-text="q0.a2">I prefer not to answer</span>' in html


def test_that_texts_come_from_a_codebook_or_a_plain_file(tmp_path):
    asked = YES_NO.with_(label="Do you smoke?")
    codebook = tmp_path / "x.codebook.json"
    codebook.write_text(Codebook((asked,)).to_text(), encoding="utf-8")
    assert read_texts(codebook) == texts_of([asked])
    plain = tmp_path / "texts.json"
    plain.write_text('{"answers": {"smokes": {"yes": "tak"}}}', encoding="utf-8")
    assert read_texts(plain).answer("smokes", "yes") == "tak"
    assert read_texts(plain).question(Attribute("smokes", Kind.BINARY, ("no", "yes"))) == "smokes"


@pytest.mark.parametrize(
    "text", ["[1]", "{", '{"questions": {"a": 1}}', '{"answers": {"a": "b"}}', "{}", '{"x": {}}']
)
def test_that_texts_that_are_none_are_refused_in_one_sentence(tmp_path, text):
    path = tmp_path / "texts.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"texts\.json"):
        read_texts(path)
    with pytest.raises(DataError, match="cannot be read"):
        read_texts(tmp_path / "absent.json")


def test_that_the_page_is_written_whole(tmp_path):
    write_questionnaire(one(YES_NO, Uniform(keep=0.7)), tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert text.endswith("</html>\n")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_that_every_word_of_the_scripts_is_handed_to_them():
    page, sending = (
        resource("questionnaire", name).read_text(encoding="utf-8")
        for name in ("page.js", "sending.js")
    )
    used = set(re.findall(r"\bwords\.(\w+)", page)) | set(re.findall(r'word: "(\w+)"', sending))
    used |= set(re.findall(r'\d+: "(\w+)"', sending)) | {"not_sent"}
    (language,) = survey_of(questionnaire_html(one(YES_NO, Uniform(keep=0.7))))["languages"]
    assert used == set(language["words"])


def by(**words):
    return words


ASKED = Questionnaire(
    ("de", "pl", "he"),
    (
        Question("age", Kind.INTEGER, by(de="Alter?", pl="Wiek?", he="גיל?"), domain=(18, 90)),
        Question(
            "smokes",
            Kind.BINARY,
            by(de="Rauchst du?", pl="Palisz?", he="מעשן?"),
            by(de="Auch selten.", pl="Nawet rzadko.", he="גם לפעמים."),
            required=True,
            answers=(
                Answer("no", by(de="nein", pl="nie", he="לא")),
                Answer("yes", by(de="ja", pl="tak", he="כן")),
            ),
            page=2,
        ),
    ),
    by(de="Umfrage", pl="Ankieta", he="סקר"),
)
BOTH = Design(
    (
        DesignedAttribute(YES_NO, Uniform(keep=0.7)),
        DesignedAttribute(AGE, Additive(noise="normal", sigma=6, integer="staircase")),
    )
)


def test_that_one_page_speaks_all_languages_of_a_questionnaire():
    html = questionnaire_html(BOTH, ASKED, QuestionnaireOptions(language="de, pl,he"))
    survey = survey_of(html)
    assert '<html lang="de" dir="ltr">' in html
    found = [(one["code"], one["direction"], one["words_code"]) for one in survey["languages"]]
    assert found == [("de", "ltr", "en"), ("pl", "ltr", "pl"), ("he", "rtl", "en")]
    assert [one["said"]["q1.a1"] for one in survey["languages"]] == ["ja", "tak", "כן"]
    notes = [one["said"]["fallback"] for one in survey["languages"]]
    assert notes == ["Buttons and explanations are in English.", "", notes[0]]
    # Questions are asked in the order of the questionnaire; rows have that of the design.
    assert [one["name"] for one in survey["questions"]] == ["age", "smokes"]
    assert [one["page"] for one in survey["questions"]] == [1, 2]
    assert survey["row"] == [1, 0]
    assert survey["digest"] == design_digest(BOTH)


def test_that_words_fall_back_to_the_main_language_before_english():
    texts = replace(ASKED, languages=("pl", "de", "he"))
    model = page_model(BOTH, texts, "de")
    assert model.fallback == "Przyciski i wyjaśnienia są w języku: polski."
    assert missing_words(("pl", "de")).args["languages"] == ("de",)
    assert missing_words(("pl", "en")) is None


def test_that_the_model_of_a_page_has_what_a_telephone_shows():
    first, age, smokes, review, end = page_model(BOTH, ASKED, "pl").screens()
    assert (first.heading, age.heading, smokes.heading) == ("Ankieta", "Wiek?", "Palisz?")
    assert age.answers == ()
    assert age.field == "Liczba całkowita od 18 do 90"
    assert age.skip
    assert smokes.answers == ("nie", "tak")
    assert smokes.text == "Nawet rzadko."
    assert smokes.skip == ""
    assert "W 7 przypadkach na 10" in smokes.instruction
    assert review.button == "Wyślij"
    assert end.heading == "Dziękujemy"
    html = questionnaire_html(BOTH, ASKED, QuestionnaireOptions(language="pl"))
    for screen in (age, smokes):
        for text in (screen.heading, screen.instruction, *screen.answers):
            assert f">{text}<" in html


@pytest.mark.parametrize("language", ["pl", "he"])
def test_that_a_language_with_gaps_is_refused_and_the_gap_named(language):
    (age, smokes) = ASKED.questions
    gap = replace(smokes, help={**smokes.help, language: ""})
    asked = replace(ASKED, questions=(age, gap))
    for export in (
        lambda: questionnaire_html(BOTH, asked, QuestionnaireOptions(language=f"de,{language}")),
        lambda: served_page(BOTH, asked),
    ):
        with pytest.raises(DataError, match="'smokes: help'"):
            export()
    assert served_page(BOTH, asked, ("de",))
    # A preview shows what there is.
    languages_of = survey_of(preview_html(BOTH, asked, language))["languages"]
    assert languages_of[0]["code"] == language
    assert languages_of[0]["said"]["q1.help"] == "Auch selten."


def test_that_languages_that_cannot_be_had_are_refused():
    with pytest.raises(DataError, match="no language 'en'; it has de, pl, he"):
        questionnaire_html(BOTH, ASKED)
    with pytest.raises(ParameterError, match="needs a questionnaire"):
        questionnaire_html(BOTH, None, QuestionnaireOptions(language="en,pl"))
    with pytest.raises(ParameterError, match="choose one of en, pl"):
        questionnaire_html(BOTH, None, QuestionnaireOptions(language="de"))
    with pytest.raises(DataError, match="does not have the question 'smokes'"):
        served_page(Design(BOTH.attributes[1:]), ASKED)


def test_that_a_served_page_may_talk_to_its_own_server_only():
    html, policy = served_page(BOTH, ASKED, codes=True)
    sent = dict(part.split(" ", 1) for part in policy.split("; "))
    assert sent.pop("frame-ancestors") == "'none'"
    assert sent == policy_of(html)
    assert sent["connect-src"] == "'self'"
    survey = survey_of(html)
    assert (survey["post"], survey["codes"], survey["kiosk"]) == ("answers", True, False)
    assert 'id="code"' in html
    assert 'id="save"' in html


def test_that_words_of_every_language_are_shown_and_never_run():
    nasty = """</script><script>'"&{{ 6 * 7 }}{% raw %}"""
    (age, smokes) = ASKED.questions
    both = {"de": nasty, "pl": nasty}
    asked = Questionnaire(
        ("de", "pl"),
        (
            replace(age, text=both, unit=both),
            replace(smokes, help=both, answers=tuple(Answer(v, both) for v in ("no", "yes"))),
        ),
        both,
        both,
        both,
    )
    for html in (served_page(BOTH, asked)[0], preview_html(BOTH, asked, "pl")):
        assert html.count("<script") == html.count("</script") == 2
        said = [one["said"] for one in survey_of(html)["languages"]]
        for place in ("title", "thanks", "q0.text", "q0.unit", "q1.help", "q1.a1"):
            assert {one[place] for one in said} == {nasty}
        # In the title, its heading, introduction, thanks, and the parts of both questions.
        assert unescape(html).count(nasty) == 9


def test_that_no_service_of_the_browser_is_asked_to_read_answers():
    html, _ = served_page(BOTH, replace(ASKED, review=True), codes=True)
    typed = re.findall(r'<input type="text"[^>]*>', html)
    assert len(typed) == 2
    for field in typed:
        assert 'autocomplete="off"' in field
        assert 'spellcheck="false"' in field
    assert re.search(r'<form id="form" autocomplete="off"', html)
    assert re.search(r'<ol [^>]*id="pairs" translate="no"', html)


def test_that_a_kiosk_and_a_preview_have_no_means_to_keep_anything():
    kiosk, _ = served_page(BOTH, ASKED, kiosk=True)
    preview = preview_html(BOTH, ASKED)
    for html in (kiosk, preview):
        assert 'id="save"' not in html
        assert 'id="again"' not in html
        assert "localStorage" not in html
    assert "fetch(" not in preview
    assert policy_of(preview)["connect-src"] == "'none'"
    waves = replace(BOTH, budget=DesignBudget(waves=2, memoise=True))
    assert "localStorage" in served_page(waves, ASKED)[0]
    assert "localStorage" not in preview_html(waves, ASKED)
    with pytest.raises(DesignError, match="used by many people"):
        served_page(waves, ASKED, kiosk=True)


def test_that_a_sheet_is_all_of_one_page_as_the_page_shows_it():
    age, smokes = ASKED.questions
    together = replace(ASKED, questions=(replace(age, page=1), replace(smokes, page=1)))
    model = page_model(BOTH, together, "pl")
    sheet = model.sheet("smokes")
    assert [one.heading for one in sheet.screens] == ["Ankieta", "Wiek?", "Palisz?"]
    assert (sheet.progress, sheet.buttons) == ("Odpowiedzi: 0 z 2", ("Zakończ",))
    assert sheet == model.sheet("age") == model.sheet()
    apart = replace(ASKED, questions=(replace(age, page=1), replace(smokes, page=3)), review=True)
    model = page_model(BOTH, apart, "en")
    assert [one.name for one in model.sheet("age").screens] == ["", "age"]
    assert model.sheet("age").buttons == ("Next",)
    assert [one.name for one in model.sheet("smokes").screens] == ["smokes"]
    assert model.sheet("smokes").buttons == ("Back", "Review and send")
    assert model.sheet("nothing") is None


def test_that_a_sheet_of_arms_is_that_of_the_first():
    model = page_model(arm_design())
    asked = [one.name for one in model.screens() if one.name]
    sheet = model.sheet()
    assert [one.name for one in sheet.screens if one.name] == asked
    assert sheet.progress == f"0 of {len(asked)} answered"
