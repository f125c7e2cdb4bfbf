"""Scripts for platforms send the drawn answer and nothing else, and draw it once.

The platforms themselves cannot run here. The pages below have what their documentation promises
and no more: the fields and buttons of LimeSurvey, the calls of Qualtrics, the model of SurveyJS.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from urllib.parse import parse_qs

import numpy as np
import pytest
from kits import question, small

from ppworkbench.core.design import Design, DesignedAttribute, Forced, Uniform
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.fieldwork.kit.kit import KitOptions, write_kit
from ppworkbench.study.questionnaire.document import Answer, Question, Questionnaire

ALWAYS = Forced(p_truth=0.0, forced=(1.0, 0.0))
"""Reports the first answer, whatever is true."""
HARMLESS, SENTINEL = "harmless", "SENTINEL"

QUALTRICS = """<!doctype html><html lang="en"><meta charset="utf-8"><body><div id="box"></div>
<button id="NextButton">next</button><script>
window.stored = {}; window.clicked = 0;
const question = {
  getQuestionContainer: () => document.getElementById("box"),
  hideNextButton: () => { document.getElementById("NextButton").hidden = true; },
  showNextButton: () => { document.getElementById("NextButton").hidden = false; },
  clickNextButton: () => { window.clicked += 1; },
};
window.Qualtrics = { SurveyEngine: {
  addOnReady: (call) => { window.ready = () => call.call(question); call.call(question); },
  setJSEmbeddedData: (name, value) => { window.stored[name] = value; return Promise.resolve(); },
} };
</script><script>SCRIPT</script></body></html>"""

SURVEYJS = """<!doctype html><html><meta charset="utf-8"><body><script>SCRIPT</script><script>
class Model {
  constructor(data) { this.data = data; this.partialSendEnabled = false; this.calls = [];
    this.onCompleting = { add: (call) => this.calls.push(call) }; this.seen = []; }
  doComplete(allow = true) {
    const options = { allow: allow };
    this.calls.forEach((call) => call(this, options));
    if (options.allow) this.seen.push(JSON.parse(JSON.stringify(this.data)));
    return this.seen;
  }
}
window.Model = Model;
</script></body></html>"""


def asked(*names: str) -> tuple[Design, Questionnaire]:
    """Questions whose drawn answer is never the true one that is given."""
    made = [sentinel_question(name) for name in names or ("drug",)]
    design = Design(tuple(DesignedAttribute(one.attribute("en"), ALWAYS) for one in made))
    return design, Questionnaire(("en", "pl"), tuple(made))


def sentinel_question(name: str) -> Question:
    one = question(name)
    answers = (
        Answer("no", {"en": HARMLESS, "pl": HARMLESS}),
        Answer("yes", {"en": SENTINEL, "pl": SENTINEL}),
    )
    return Question(one.name, one.kind, one.text, answers=answers, required=True)


def snippets(folder, source=None):
    design, questionnaire = source or asked()
    options = KitOptions(("snippets",), ("en", "pl"))
    result = write_kit(design, questionnaire, folder / "kit", options)
    assert not result.refused
    return folder / "kit"


def limesurvey_page(kit, address):
    """The survey as LimeSurvey shows it on one page: a text and a field for every question."""
    text = (kit / "snippets-limesurvey.txt").read_bytes().decode("utf-8-sig")
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter="\t")
    listed = [row for row in rows if row["class"] == "Q" and row["language"] == "en"]
    assert all(row["type/scale"] == "S" for row in listed)
    parts = [
        f'<div id="question{place}" class="question-container"><div class="ls-label-question">'
        f'{row["text"]}</div><div class="answer-container"><input type="text" '
        f'name="1X1X{place}" id="answer1X1X{place}"></div></div>'
        for place, row in enumerate(listed)
    ]
    button = '<button type="submit" id="ls-button-submit" value="movesubmit">Submit</button>'
    # The script stands in the text of the last question, before its field.
    form = f'<form id="limesurvey" method="post" action="{address}">{"".join(parts)}{button}</form>'
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><body>{form}</body></html>'


def press(browser, text, place=0):
    browser.run(
        "[...document.querySelectorAll('button')]"
        ".filter((b) => b.textContent === arguments[0])[arguments[1]].click()",
        text,
        place,
    )


def assert_nothing_is_kept(browser):
    """No storage, cookie, history entry, title or name of an input holds the true answer."""
    kept = browser.run(
        "return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, "
        "document.title, location.href, JSON.stringify(history.state), history.length, "
        "[...document.querySelectorAll('input, select, textarea')].map((e) => [e.name, e.value])])"
    )
    assert SENTINEL not in kept


@pytest.mark.slow
def test_that_limesurvey_gets_the_drawn_code_alone(browser, tmp_path, inbox):
    page = limesurvey_page(snippets(tmp_path, asked("drug", "theft")), inbox.address)
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    browser.open(tmp_path / "page.html")
    browser.wait_for("return document.querySelectorAll('[role=radio]').length === 4")
    assert not browser.shows("ls-button-submit")
    assert not browser.shows("answer1X1X0")
    names = browser.run("return [...document.querySelectorAll('[role=radio]')].map((b) => b.name)")
    assert set(names) == {""}
    press(browser, "Done")
    assert "Please answer" in browser.run("return document.body.textContent")
    press(browser, SENTINEL)
    press(browser, SENTINEL, 1)
    press(browser, "Done")
    assert browser.shows("ls-button-submit")
    assert_nothing_is_kept(browser)
    browser.follow(lambda: browser.click("ls-button-submit"))
    (body,) = inbox.bodies
    assert parse_qs(body) == {"1X1X0": ["A1"], "1X1X1": ["A1"]}
    told = json.dumps(browser.traffic())
    assert SENTINEL not in told + body
    assert HARMLESS not in body


@pytest.mark.slow
def test_that_limesurvey_does_not_draw_again_after_going_back(browser, tmp_path, inbox):
    page = limesurvey_page(snippets(tmp_path), inbox.address)
    filled = page.replace('id="answer1X1X0"', 'id="answer1X1X0" value="A1"')
    (tmp_path / "page.html").write_text(filled, encoding="utf-8")
    browser.open(tmp_path / "page.html")
    browser.wait_for("return document.body.textContent.includes('Answered.')")
    assert browser.run("return document.querySelectorAll('[role=radio]').length") == 0
    assert browser.shows("ls-button-submit")


def test_that_no_brace_of_the_limesurvey_script_begins_an_expression(tmp_path):
    text = (snippets(tmp_path) / "snippets-limesurvey.txt").read_text(encoding="utf-8-sig")
    assert "{" in text
    assert all(text[place + 1] == " " for place, letter in enumerate(text) if letter == "{")


def test_that_qualtrics_stores_the_drawn_code_alone(browser, tmp_path):
    kit = snippets(tmp_path)
    form = (kit / "snippets-qualtrics.txt").read_text(encoding="utf-8")
    assert "[[ED:__js_drug]]" in form
    script = (kit / "snippets-qualtrics.js").read_text(encoding="utf-8")
    (tmp_path / "page.html").write_text(QUALTRICS.replace("SCRIPT", script), encoding="utf-8")
    browser.open(tmp_path / "page.html")
    assert not browser.shows("NextButton")
    press(browser, SENTINEL)
    press(browser, "Done")
    browser.wait_for("return window.clicked === 1")
    assert browser.run("return window.stored") == {"drug": "1"}
    assert_nothing_is_kept(browser)
    assert SENTINEL not in browser.run("return document.body.innerText")
    # The page is shown again after a click on Back.
    browser.run("document.getElementById('box').replaceChildren(); window.ready()")
    assert "Answered." in browser.text("box")
    assert browser.run("return window.stored") == {"drug": "1"}
    assert browser.requests() == []


def surveyjs(browser, tmp_path, source=None):
    kit = snippets(tmp_path, source)
    script = (kit / "snippets-surveyjs.js").read_text(encoding="utf-8")
    (tmp_path / "page.html").write_text(SURVEYJS.replace("SCRIPT", script), encoding="utf-8")
    browser.open(tmp_path / "page.html")
    return json.loads((kit / "snippets-surveyjs.json").read_text(encoding="utf-8"))


def test_that_surveyjs_completes_with_drawn_answers(browser, tmp_path):
    survey = surveyjs(browser, tmp_path)
    (element,) = survey["pages"][0]["elements"]
    assert element["type"] == "radiogroup"
    assert [one["text"]["default"] for one in element["choices"]] == [HARMLESS, SENTINEL]
    seen = browser.run(
        "const m = new Model({drug: 2, 'drug-Comment': 'me', other: 'x'});"
        "ppworkbenchRandomise(m); return m.doComplete()"
    )
    assert seen == [{"drug": 1, "other": "x"}]


@pytest.mark.slow
def test_that_surveyjs_draws_once_and_refuses_partial_sending(browser, tmp_path):
    design, questionnaire = asked()
    design = design.with_perturbation("drug", Forced(p_truth=0.5))
    surveyjs(browser, tmp_path, (design, questionnaire))
    again = browser.run(
        "const found = []; for (let i = 0; i < 40; i += 1) { const m = new Model({drug: 2});"
        "ppworkbenchRandomise(m); m.doComplete(); m.doComplete(); found.push(m.seen); }"
        "return found"
    )
    assert all(first == second for first, second in again)
    assert {first["drug"] for first, _ in again} == {1, 2}
    refused = browser.run(
        "const m = new Model({}); m.partialSendEnabled = true;"
        "try { ppworkbenchRandomise(m); return ''; } catch (error) { return error.message; }"
    )
    assert "partialSendEnabled" in refused
    skipped = browser.run(
        "const m = new Model({}); ppworkbenchRandomise(m); return m.doComplete()[0]"
    )
    assert skipped == {}


@pytest.mark.slow
def test_that_ten_thousand_draws_follow_the_design(browser, tmp_path):
    mood = question("mood", ("bad", "fair", "good"))
    pair = (question("first"), question("second"))
    listed = (
        DesignedAttribute(mood.attribute("en"), Uniform(keep=0.6)),
        *(DesignedAttribute(one.attribute("en"), Identity()) for one in pair),
    )
    design = Design(listed, groups=(Group(("first", "second"), "related", 0.7),))
    surveyjs(browser, tmp_path, (design, Questionnaire(("en", "pl"), (mood, *pair))))
    drawn = browser.run(
        "const found = []; for (let i = 0; i < 10000; i += 1) {"
        "const m = new Model({mood: 1, first: 1, second: 2}); ppworkbenchRandomise(m);"
        "const one = m.doComplete()[0]; found.push([one.mood, one.first, one.second]); }"
        "return found"
    )
    counts = Counter(mood for mood, _, _ in drawn)
    wanted = 10000 * np.array([0.6, 0.2, 0.2])
    observed = np.array([counts[code] for code in (1, 2, 3)])
    # Chi-square with 2 degrees of freedom: exceeded once in a million.
    assert float(((observed - wanted) ** 2 / wanted).sum()) < 27.6
    together = Counter((first, second) for _, first, second in drawn)
    assert set(together) == {(1, 2), (2, 1)}
    assert abs(together[1, 2] / 10000 - 0.7) < 5 * (0.21 / 10000) ** 0.5


def test_that_snippets_refuse_what_needs_the_page(tmp_path):
    design, questionnaire = small()
    one = questionnaire.questions[0]
    text = {code: f"{said} {{x" for code, said in one.text.items()}
    changed = Question(one.name, one.kind, text, answers=one.answers)
    questionnaire = Questionnaire(("en", "pl"), (changed, *questionnaire.questions[1:]))
    options = KitOptions(("snippets", "page"), ("en",))
    result = write_kit(design, questionnaire, tmp_path / "kit", options)
    assert [(one.target, one.attribute) for one in result.refused] == [("snippets", "forced")]
