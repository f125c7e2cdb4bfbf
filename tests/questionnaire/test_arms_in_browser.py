"""Arms in the hands of respondents: drawn or named by the address, asked and sent, in Chromium."""

from __future__ import annotations

import json

import numpy as np
import pytest
from designs import AGE, YES_NO
from scipy import stats

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Forced, Uniform
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.core.survey.counts import count
from ppworkbench.fieldwork.collected import read_collected
from ppworkbench.fieldwork.page.page import served_page
from ppworkbench.study.questionnaire.document import Answer, Question, Questionnaire

TOWN = Attribute("town", Kind.NOMINAL, ("north", "south"))
ONE_IN_A_MILLION = 1e-6


def make_design():
    """Three versions: as the design, always the opposite, and direct without the age."""
    members = (
        DesignArm("A", 0.5),
        DesignArm("B", 0.3, perturbations=(("smokes", Uniform(keep=0.0)),)),
        DesignArm("direct", 0.2, perturbations=(("smokes", Identity()),), omit=("age",)),
    )
    version = Attribute("version", Kind.NOMINAL, ("A", "B", "direct"))
    return Design(
        (
            DesignedAttribute(YES_NO, Forced(p_truth=0.5)),
            DesignedAttribute(version, Identity()),
            DesignedAttribute(AGE, Additive(noise="normal", sigma=6, integer="staircase")),
            DesignedAttribute(TOWN, Uniform(keep=0.5)),
        ),
        arms=Arms("version", members),
    )


FILL = """
document.querySelector('[name="q0"][value="1"]').click();
if (!form.elements.q1.disabled && !survey.questions[1].omitted) form.elements.q1.value = "44";
document.querySelector('[name="q2"][value="0"]').click();
form.dispatchEvent(new Event("input"));
"""


def open_arm(browser, path, arm=None):
    browser.resize(1280)
    browser.driver.get("about:blank")
    browser.driver.get_log("performance")
    browser.driver.get(path.as_uri() + ("" if arm is None else f"?arm={arm}"))


def review(browser):
    browser.run(FILL)
    browser.driver.find_element("id", "show").click()
    assert browser.run("return !review.hidden")
    return browser.run("return leavingText()")


@pytest.mark.slow
def test_that_the_address_names_the_arm_and_the_arm_is_sent(browser, page, inbox):
    path = page(make_design(), post=inbox.address)
    open_arm(browser, path, "B")
    line = review(browser)
    browser.driver.find_element("id", "send").click()
    browser.wait_for("return !done.hidden")
    assert inbox.bodies == [line]
    row = json.loads(line)["row"]
    assert list(row) == ["smokes", "version", "age", "town"]
    # This arm never reports the true answer.
    assert (row["smokes"], row["version"]) == ("no", "B")


@pytest.mark.slow
def test_that_an_arm_shows_only_its_questions_with_its_own_words(browser, page):
    path = page(make_design(), answers="csv", review=True)
    open_arm(browser, path, "direct")
    shown = "return [...document.querySelectorAll('fieldset')].map((one) => one.offsetHeight > 0)"
    assert browser.run(shown) == [True, False, True]
    assert browser.run("return document.getElementById('how0').textContent").startswith(
        "Not randomised"
    )
    assert browser.run("return !document.getElementById('bare').hidden")
    assert browser.run("return document.getElementById('progress').textContent").startswith(
        "0 of 2"
    )
    line = review(browser)
    assert line.startswith("smokes,version,age,town\nyes,direct,,")
    assert browser.run("return document.querySelectorAll('#pairs li').length") == 2
    assert "direct" in browser.run("return document.getElementById('version').textContent")
    # Where the draw was shown, the next one begins in a tab of their own.
    browser.driver.switch_to.new_window("tab")
    open_arm(browser, path, "A")
    assert browser.run(shown) == [True, True, True]
    assert browser.run("return document.getElementById('bare').hidden")
    assert "1 of 2 cases" in browser.run("return document.getElementById('how0').textContent")


@pytest.mark.slow
def test_that_an_arm_that_is_not_there_is_told_and_nothing_asked(browser, page):
    path = page(make_design(), language="pl")
    open_arm(browser, path, "C")
    told = browser.run("return document.getElementById('noversion').textContent")
    assert "„C”" in told
    assert browser.run("return form.hidden")
    open_arm(browser, path, "%3Cb%3E")
    assert browser.run("return document.querySelectorAll('#noversion b').length") == 0


@pytest.mark.slow
def test_that_arms_are_drawn_by_their_shares(browser, page):
    open_arm(browser, page(make_design()))
    drawn = browser.run(
        "return Array.from({ length: 6000 }, () => armOf(survey.arms, null))"
        ".reduce((sum, i) => { sum[i] += 1; return sum; }, [0, 0, 0])"
    )
    p = stats.chisquare(drawn, 6000 * np.array([0.5, 0.3, 0.2])).pvalue
    assert p > ONE_IN_A_MILLION
    met = set()
    for _ in range(40):
        # A reload alone does not draw again.
        arm = browser.run("return survey.arm")
        browser.driver.refresh()
        assert browser.run("return survey.arm") == arm
        browser.run("sessionStorage.clear()")
        browser.driver.refresh()
        met.add(browser.run("return survey.arm"))
        if len(met) == 3:
            break
    assert met == {"A", "B", "direct"}


@pytest.mark.slow
def test_that_collected_arms_can_be_estimated(browser, page, tmp_path):
    design = make_design()
    path = page(design)
    script = """
      const rows = [];
      for (let i = 0; i < 1500; i += 1) {
        useArm(survey, armOf(survey.arms, null));
        const answers = [i % 4 === 0 ? 1 : 0, 44, 0].map(
          (one, place) => survey.questions[place].omitted ? null : one);
        rows.push(rowText(survey, distortAnswers(survey, answers, freshDice(survey))));
      }
      return rows.join("");
    """
    open_arm(browser, path)
    lines = tmp_path / "rows.jsonl"
    lines.write_text(browser.run(script), encoding="utf-8")
    table = read_collected([lines], design)
    assert (table.rows, table.notes) == (1500, ())
    found = count(table, design, "smokes = yes").value
    assert found.estimate == pytest.approx(375, abs=5 * found.standard_error)


YES_AND_NO = tuple(Answer(one, {"en": one, "pl": one}) for one in ("no", "yes"))
ITEMS = ("I like tea.", "I have a cat.", "I own a car.")
NEIGHBOUR = Attribute("neighbour", Kind.BINARY, ("no", "yes"), title="I would <mind> it.")


def list_design():
    """One arm hears the short list, one the long one, and a third is not asked."""
    members = tuple(DesignArm(name, 1 / 3) for name in ("A", "B", "C"))
    asked = ListQuestion(NEIGHBOUR, "y", ITEMS, ("A",), ("B",))
    plain = (DesignedAttribute(YES_NO, Uniform(keep=0.7)),)
    return Design(plain, arms=Arms("version", members), lists=(asked,))


SHOWN = "return [...document.querySelectorAll('.items li')].map((one) => one.textContent)"


@pytest.mark.slow
def test_that_a_list_is_shown_in_random_order_and_sends_the_number_alone(browser, page, inbox):
    path = page(list_design(), post=inbox.address)
    orders = set()
    for _ in range(25):
        open_arm(browser, path, "B")
        shown = browser.run(SHOWN)
        assert set(shown) == {*ITEMS, "I would <mind> it."}
        orders.add(tuple(shown))
    assert len(orders) > 3
    # Four of four is possible here, five is not.
    browser.run("document.querySelector('[name=q0]').click(); form.elements.q1.value = '5';")
    browser.driver.find_element("id", "show").click()
    assert browser.run("return document.getElementById('error1').textContent").endswith("0 to 4.")
    browser.run("form.elements.q1.value = '4';")
    browser.driver.find_element("id", "show").click()
    browser.driver.find_element("id", "send").click()
    browser.wait_for("return !done.hidden")
    row = json.loads(inbox.bodies[0])["row"]
    assert set(row) == {"smokes", "version", "y"}
    assert (row["version"], row["y"]) == ("B", 4)


@pytest.mark.slow
def test_that_other_arms_hear_the_short_list_or_none(browser, page, tmp_path):
    design = list_design()
    path = page(design, language="pl")
    open_arm(browser, path, "A")
    assert set(browser.run(SHOWN)) == set(ITEMS)
    assert browser.run("return survey.questions[1].domain") == [0, 3]
    assert browser.run("return document.getElementById('legend1').textContent") == (
        "Ile z tych zdań jest prawdziwych w Pana/Pani przypadku? Proszę podać tylko liczbę, "
        "bez wskazywania które."
    )
    open_arm(browser, path, "C")
    assert browser.run("return document.getElementById('card1').offsetHeight") == 0
    rows = [("A", 3), ("A", 4), ("B", 4), ("C", None), ("C", 1)]
    told = "".join(json.dumps({"smokes": "yes", "version": arm, "y": y}) + "\n" for arm, y in rows)
    (tmp_path / "rows.jsonl").write_text(told, encoding="utf-8")
    table = read_collected([tmp_path / "rows.jsonl"], design)
    assert table.rows == 3
    assert sorted(table["y"].data[~table["y"].missing].tolist()) == [3, 4]


@pytest.mark.slow
def test_that_an_arm_speaks_the_language_that_is_chosen(browser, inbox):
    def by(english, polish):
        return {"en": english, "pl": polish}

    # Items have texts of their own, under their words.
    asked = Questionnaire(
        ("en", "pl"),
        (
            Question(
                "smokes",
                Kind.BINARY,
                by("Do you smoke?", "Palisz?"),
                answers=(Answer("no", by("no", "nie")), Answer("yes", by("yes", "tak"))),
            ),
            *(
                Question(item, Kind.BINARY, by(item, f"{item} pl"), answers=YES_AND_NO)
                for item in ITEMS
            ),
        ),
    )
    address = inbox.serve("/", served_page(list_design(), asked))
    browser.open(f"{address}?arm=A")
    english = browser.run(SHOWN)
    assert set(english) == set(ITEMS)
    browser.driver.find_element("css selector", "#languages [value=pl]").click()
    # The same order in the other language, and the sentences of the arm.
    assert browser.run(SHOWN) == [f"{item} pl" for item in english]
    assert browser.text("how0").startswith("W 7 przypadkach na 10")
    assert browser.text("range1") == "Liczba całkowita od 0 do 3"
    browser.run("document.querySelector('[name=q0]').click(); form.elements.q1.value = '4';")
    browser.click("show")
    assert browser.text("error1") == "Proszę wpisać liczbę całkowitą od 0 do 3."
    browser.run("form.elements.q1.value = '3';")
    browser.click("show")
    browser.click("send")
    browser.wait_for("return !done.hidden")
    assert inbox.sent()[0]["row"]["y"] == 3
