"""The questionnaire page as a text: nothing foreign in it, everything of the design in it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import unescape

import numpy as np
import pytest
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
    Uniform,
    Unrelated,
)
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.identity import Identity
from ppworkbench.core.errors import DataError, DesignError, ParameterError
from ppworkbench.core.files import resource
from ppworkbench.study.questionnaire import (
    QuestionnaireOptions,
    Texts,
    languages,
    questionnaire_html,
    read_texts,
    texts_of,
    write_questionnaire,
)
from ppworkbench.study.questionnaire.explain import Explainer, words_of


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


@pytest.mark.parametrize(("attribute", "perturbation"), ALL_CASES, ids=case_name)
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
            places = set(re.findall(r"\{\w+\}", sentence))
            assert set(re.findall(r"\{\w+\}", words[key])) == places, (language, key)


def test_that_a_language_without_words_is_refused():
    with pytest.raises(ParameterError, match="choose one of en, pl"):
        QuestionnaireOptions(language="xx")


@pytest.mark.parametrize(
    ("attribute", "perturbation", "sentence"),
    [
        (COLOURS, Uniform(keep=0.55), "In 55 of 100 cases your answer is sent, otherwise another"),
        (YES_NO, Uniform(keep=0.7), "otherwise the opposite. Every answer could have led"),
        (YES_NO, Binary(keep_one=0.5, keep_zero=0.87), "answer is sent in 50 to 87 of 100 cases"),
        (LIKERT, Ordinal(weights=(0.6, 0.2), loop=True), "In about 60 of 100 cases"),
        (
            COLOURS,
            Unrelated(theta=0.7),
            "In 70 of 100 cases your answer is sent. Otherwise a random",
        ),
        (AGE, Additive(noise="uniform", half_width=10, integer="staircase"), "between −10 and 10"),
        (SALARY, Additive(noise="normal", sigma=100.0), "between −200 and 200"),
        (SALARY, Multiplicative(sigma=0.1), "factor. In 95 of 100 cases it is between 0.82 and"),
        (AGE, Retention(keep=0.4), "In 40 of 100 cases your number is sent, otherwise a random"),
        (AGE, Discretise(edges=(18, 30, 65, 90)), "such as 18 to 29."),
        (COLOURS, Identity(), "Not randomised"),
    ],
    ids=case_name,
)
def test_that_a_respondent_is_told_what_happens(attribute, perturbation, sentence):
    assert sentence in Explainer(one(attribute, perturbation), "en").sentence(attribute.name)


def test_that_an_answer_that_rules_others_out_is_not_called_possible_from_all():
    neighbours = one(LIKERT, Ordinal(weights=(0.6, 0.2), loop=False))
    assert "Every answer" not in Explainer(neighbours, "en").sentence("mood")


def test_that_members_of_a_group_carry_its_mark():
    members = tuple(DesignedAttribute(YES_NO.with_(name=n), Identity()) for n in ("a", "b", "c"))
    design = Design(members, None, (Group(("a", "c"), "related", 0.7),))
    html = questionnaire_html(design)
    assert html.count('<span class="group">◆</span>') == 2
    assert "All questions marked ◆ are randomised together" in Explainer(design, "en").sentence("a")


def test_that_answers_are_shown_in_the_words_of_the_respondent_and_sent_in_those_of_the_design():
    texts = Texts({"smokes": "Palisz?"}, {"smokes": {"yes": "tak", "no": "nie"}})
    html = questionnaire_html(one(YES_NO, Uniform(keep=0.7)), texts)
    (question,) = survey_of(html)["questions"]
    assert question["text"] == "Palisz?"
    assert question["drawn"] == ["nie", "tak"]
    assert question["published"] == ["no", "yes"]
    assert "<span>tak</span>" in html


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
    assert "<span>I prefer not to answer</span>" in html


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


def test_that_every_word_of_the_script_is_handed_to_it():
    script = (resource("questionnaire", "page.js")).read_text(encoding="utf-8")
    html = questionnaire_html(one(YES_NO, Uniform(keep=0.7)))
    assert set(re.findall(r"\bwords\.(\w+)", script)) == set(survey_of(html)["words"])
