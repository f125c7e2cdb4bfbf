"""The real library of SurveyJS takes our surveys, and its handlers see drawn answers only.

The library is not part of the program. ``PPWORKBENCH_SURVEYJS`` names a folder that holds
``survey.core.js``; without it npm is asked for version 3.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from kits import every_procedure, question, small

from ppworkbench.core.design import Additive, Design, DesignedAttribute, Forced
from ppworkbench.fieldwork.kit.kit import KitOptions, write_kit
from ppworkbench.study.questionnaire.document import Answer, Question, Questionnaire

pytestmark = pytest.mark.slow
LIBRARY, PACKAGE = "survey.core.js", "survey-core@3"
ANSWERS_WITHIN, INSTALLS_WITHIN = 10, 90
"""Seconds for the registry to answer, and for npm to install."""
HARMLESS, SENTINEL = "harmless", "SENTINEL"
STRANGE = "<script>window.hacked = 1</script> \"q\" 'a'\tb\nc & ; [[x]] a|b $ zażółć مرحبا =1+1"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>survey</title><body>
<script src="library.js"></script><script src="script.js"></script><script>
window.told = [];
window.make = (json, post) => {
  const survey = new Survey.Model(json);
  if (post) {
    survey.surveyPostId = "post";
    survey.sendResult = () => window.told.push(["post", JSON.stringify(survey.data)]);
  }
  return survey;
};
</script></body></html>"""


def run_npm(folder: Path, seconds: int, *words: str) -> bool:
    """Whether npm did it in time."""
    command = [shutil.which("npm") or "npm", *words]
    try:
        subprocess.run(command, cwd=folder, capture_output=True, check=True, timeout=seconds)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


@pytest.fixture(scope="session")
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the library."""
    named = os.environ.get("PPWORKBENCH_SURVEYJS")
    if named:
        return Path(named) / LIBRARY
    # Runs without pytest's cache install it each time.
    cache = getattr(request.config, "cache", None)
    folder = cache.mkdir("surveyjs") if cache else tmp_path_factory.mktemp("surveyjs")
    found = folder / "node_modules" / "survey-core" / LIBRARY
    quiet = ("--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock")
    if not found.exists() and not (
        shutil.which("npm")
        and run_npm(folder, ANSWERS_WITHIN, "view", PACKAGE, "version")
        and run_npm(folder, INSTALLS_WITHIN, "install", *quiet, "--prefix", str(folder), PACKAGE)
    ):
        pytest.skip("PPWORKBENCH_SURVEYJS names no folder, and npm did not bring the library")
    return found


@pytest.fixture
def load(browser, library, tmp_path):
    """Open a page with the library and the script of a kit, and give its survey."""

    def open_page(design: Design, asked: Questionnaire, file: str = "snippets-surveyjs.json"):
        options = KitOptions(("surveyjs", "snippets"), asked.languages)
        result = write_kit(design, asked, tmp_path / "kit", options)
        assert file in [one.file for one in result.files]
        shutil.copy(library, tmp_path / "library.js")
        script = tmp_path / "kit" / "snippets-surveyjs.js"
        # Texts with marks of Qualtrics have a survey, and no script.
        if script.exists():
            shutil.copy(script, tmp_path / "script.js")
        (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
        browser.open(tmp_path / "page.html")
        return json.loads((tmp_path / "kit" / file).read_text(encoding="utf-8"))

    return open_page


def sentinel_survey(*more: DesignedAttribute) -> tuple[Design, Questionnaire]:
    """A question whose drawn answer is never the true one, and a number that always moves."""
    texts = {"en": "Have you?", "pl": "Czy?"}
    answers = tuple(
        Answer(value, {"en": said, "pl": said})
        for value, said in (("no", HARMLESS), ("yes", SENTINEL))
    )
    drug = Question("drug", question("drug").kind, texts, answers=answers, required=True)
    always = Forced(p_truth=0.0, forced=(1.0, 0.0))
    design = Design((DesignedAttribute(drug.attribute("en"), always), *more))
    return design, Questionnaire(("en", "pl"), (drug,))


@pytest.mark.parametrize("file", ["surveyjs.json", "snippets-surveyjs.json"])
@pytest.mark.parametrize("source", [every_procedure, small])
def test_that_the_library_finds_no_error(browser, load, source, file):
    design, asked = source()
    survey = load(design, asked, file)
    found = browser.run(
        "const m = make(arguments[0]);"
        "const all = () => m.getAllQuestions().filter((one) => one.getType() !== 'html');"
        "const english = all().map((one) => one.processedTitle); m.locale = 'pl';"
        "return [(m.jsonErrors || []).map((one) => one.message), english,"
        "  all().map((one) => one.processedTitle), all().map((one) => one.name)]",
        survey,
    )
    errors, english, polish, names = found
    assert errors == []
    assert len(set(names)) == len(asked.questions)
    for one, in_english, in_polish in zip(asked.questions, english, polish, strict=True):
        # A number names its unit after the question.
        assert in_english.startswith(one.text["en"])
        assert in_polish.startswith(one.text["pl"])
    # The library does name what it does not know, so that an empty list means something.
    wrong = {"elements": [{"type": "text", "name": "a", "wrong": 1}]}
    assert browser.run("return make(arguments[0]).jsonErrors.length", wrong) == 1


def test_that_texts_of_strangers_stay_text_in_the_library(browser, load):
    one = question("strange", text=STRANGE)
    answers = tuple(Answer(each.value, {"en": f"={STRANGE}"}) for each in one.answers)
    asked = Question("strange", one.kind, {"en": STRANGE}, answers=answers)
    design = Design((DesignedAttribute(asked.attribute("en"), Forced(p_truth=2 / 3)),))
    title = {"en": STRANGE}
    survey = load(design, Questionnaire(("en",), (asked,), title), "surveyjs.json")
    title, text, answers, card = browser.run(
        "const m = make(arguments[0]); const one = m.getQuestionByName('strange');"
        "const html = m.getAllQuestions().find((each) => each.getType() === 'html');"
        "document.body.insertAdjacentHTML('beforeend', html.processedHtml);"
        "return [m.processedTitle, one.processedTitle,"
        "  one.visibleChoices.map((each) => each.text), html.processedHtml]",
        survey,
    )
    assert title == text == STRANGE
    assert answers == [f"={STRANGE}"] * 2
    assert "<script" not in card
    assert browser.run("return window.hacked") is None


def test_that_handlers_of_complete_see_drawn_answers_only(browser, load):
    survey = load(*sentinel_survey())
    seen = browser.run(
        """const m = make(arguments[0], true);
        m.onComplete.add((sender) => told.push(["before", JSON.stringify(sender.data)]));
        ppworkbenchRandomise(m);
        m.onCompleting.add((sender) => told.push(["completing", JSON.stringify(sender.data)]));
        m.onComplete.add((sender) => told.push(["after", JSON.stringify(sender.data)]));
        m.getQuestionByName("drug").value = 2;
        m.setValue("other", "x");
        if (!m.completeLastPage()) return null;
        told.push(["left", JSON.stringify([m.data, m.getQuestionByName("drug").value])]);
        return told""",
        survey,
    )
    sent = '{"other":"x","drug":1}'
    assert {moment: json.loads(said) for moment, said in seen if moment != "left"} == dict.fromkeys(
        ("before", "completing", "after", "post"), json.loads(sent)
    )
    assert json.loads(dict(seen)["left"]) == [json.loads(sent), 1]
    kept = browser.run(
        "return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie,"
        " document.title, location.href, history.state, history.length])"
    )
    assert SENTINEL not in kept
    assert browser.requests() == []


def test_that_a_required_answer_is_still_required_and_one_draw_is_kept(browser, load):
    design, asked = sentinel_survey()
    survey = load(design.with_perturbation("drug", Forced(p_truth=0.5)), asked)
    first, pairs = browser.run(
        """const empty = make(arguments[0]); ppworkbenchRandomise(empty);
        const completed = empty.completeLastPage();
        const pairs = [];
        for (let i = 0; i < 40; i += 1) {
          const m = make(arguments[0]); ppworkbenchRandomise(m);
          // The owner's page may refuse the first sending, as a server that is away does.
          let allowed = false;
          m.onCompleting.add((sender, options) => { options.allow = allowed; });
          m.setValue("drug", 2); m.completeLastPage();
          const drawn = m.data.drug; allowed = true;
          m.setValue("drug", 2); m.completeLastPage();
          pairs.push([drawn, m.data.drug, m.state]);
        }
        return [completed, pairs]""",
        survey,
    )
    assert not first
    assert all(one == other for one, other, _ in pairs)
    assert {state for *_, state in pairs} == {"completed"}
    assert {one for one, *_ in pairs} == {1, 2}


@pytest.mark.parametrize("name", ["partialSendEnabled", "sendResultOnPageNext"])
def test_that_partial_sending_is_refused(browser, load, name):
    survey = load(*sentinel_survey())
    said = browser.run(
        "const refused = (call) => { try { call(); return ''; } catch (e) { return e.message; } };"
        "const first = make({ ...arguments[0], [arguments[1]]: true });"
        "const later = make(arguments[0]); ppworkbenchRandomise(later);"
        "later.partialSendEnabled = true; later.setValue('drug', 2);"
        "later.onComplete.add(() => told.push('sent'));"
        "return [refused(() => ppworkbenchRandomise(first)),"
        "  refused(() => later.completeLastPage()), told]",
        survey,
        name,
    )
    assert "partialSendEnabled" in said[0]
    assert "partialSendEnabled" in said[1]
    assert said[2] == []


def test_that_a_number_outside_its_range_is_sent_as_drawn(browser, load):
    design, asked = small()
    kept = [one for one in design if one.name == "age"]
    listed = tuple(DesignedAttribute(one.attribute, Additive(half_width=60)) for one in kept)
    questions = tuple(one for one in asked.questions if one.name == "age")
    survey = load(Design(listed), Questionnaire(asked.languages, questions))
    drawn = browser.run(
        "const found = []; for (let i = 0; i < 60; i += 1) {"
        "const m = make(arguments[0]); ppworkbenchRandomise(m); m.setValue('age', 90);"
        "m.onComplete.add((sender) => found.push(sender.data.age)); m.completeLastPage(); }"
        "return found",
        survey,
    )
    assert len(drawn) == 60
    assert all(30 <= float(one) <= 150 for one in drawn)
    assert any(float(one) > 90 for one in drawn)


def test_that_a_name_in_braces_is_replaced_by_the_library(browser, load):
    """Why a text with a brace is refused: it would show the answer to another question."""
    design, asked = sentinel_survey()
    survey = load(design, asked)
    shown = browser.run(
        "const m = make(arguments[0]); m.setValue('drug', 2);"
        "const one = m.getQuestionByName('drug'); one.title = 'Why {drug}?';"
        "return one.processedTitle",
        survey,
    )
    assert shown != "Why {drug}?"
