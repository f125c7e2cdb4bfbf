"""The page in the hands of a respondent: what it sends, keeps and shows, in real Chromium."""

from __future__ import annotations

import json
import re

import pytest
from designs import AGE, COLOURS, LIKERT, SALARY, YES_NO
from patience import until

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Ordinal, Uniform
from ppworkbench.core.design.design_file import design_digest
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.study.questionnaire.texts import Texts

NASTY = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"
TOWNS = Attribute("town", Kind.NOMINAL, tuple(f"town {i}" for i in range(20)))


def make_design():
    """One question of every sort of field."""
    return Design(
        (
            DesignedAttribute(YES_NO, Uniform(keep=0.0)),
            DesignedAttribute(LIKERT, Ordinal(weights=(0.6, 0.2), loop=False)),
            DesignedAttribute(TOWNS, Uniform(keep=0.3)),
            DesignedAttribute(AGE, Additive(noise="normal", sigma=6, integer="staircase")),
            DesignedAttribute(SALARY, Additive(noise="laplace", scale=300, grid=0.1)),
            DesignedAttribute(COLOURS, Identity()),
        )
    )


FILL = """
document.querySelector('[name="q0"][value="1"]').click();
document.querySelector('[name="q1"][value="2"]').click();
form.elements.q2.value = "7";
form.elements.q3.value = "44";
form.elements.q4.value = "1 234,5";
document.querySelector('[name="q5"][value="3"]').click();
form.dispatchEvent(new Event("input"));
"""
STORED = """
const done = arguments[arguments.length - 1];
(async () => {
  const bases = await indexedDB.databases();
  done([localStorage.length, sessionStorage.length, document.cookie, bases.length]);
})();
"""


def fill_and_review(browser):
    browser.run(FILL)
    browser.driver.find_element("id", "show").click()
    assert browser.run("return !review.hidden && form.hidden")
    return browser.run("return leavingText()")


@pytest.mark.slow
def test_that_only_the_distorted_row_is_sent(browser, page, inbox):
    browser.open(page(make_design(), post=inbox.address))
    line = fill_and_review(browser)
    assert browser.requests() == []
    browser.driver.find_element("id", "send").click()
    browser.wait_for("return !done.hidden")
    assert inbox.bodies == [line]
    sent = json.loads(line)
    assert list(sent) == ["id", "design", "row"]
    assert re.fullmatch("[0-9a-f]{32}", sent["id"])
    assert sent["design"] == design_digest(make_design())
    row = sent["row"]
    assert list(row) == ["smokes", "mood", "town", "age", "salary", "colour"]
    # The true answer "yes" is never kept by this design.
    assert row["smokes"] == "no"
    assert row["colour"] == "white"
    assert isinstance(row["age"], int)
    assert round(row["salary"] * 10) == pytest.approx(row["salary"] * 10)
    assert browser.requests() == [inbox.address]
    for name in ("Cookie", "Referer", "Authorization"):
        assert name not in inbox.heads[0]


@pytest.mark.slow
def test_that_the_tab_keeps_a_random_key_and_forgets_it_with_what_was_sent(browser, page, inbox):
    path = page(make_design(), post=inbox.address)
    browser.open(path)
    fill_and_review(browser)
    name = f"ppworkbench {design_digest(make_design())}"
    assert browser.driver.execute_async_script(STORED) == [0, 1, "", 0]
    kept = json.loads(browser.run("return sessionStorage.getItem(arguments[0])", name))
    assert re.fullmatch("[0-9a-f]{64}", kept["key"])
    browser.driver.find_element("id", "send").click()
    browser.wait_for("return !done.hidden")
    assert kept == {"key": kept["key"], "id": json.loads(inbox.bodies[-1])["id"]}
    stored = browser.run("return Object.entries(sessionStorage)")
    assert stored == [[name, '{"given":true}']]
    assert browser.run("return state.key") == ""
    left = "return [...form.elements].some((f) => f.checked || (f.type === 'text' && f.value))"
    assert browser.run(left) is False
    browser.follow(browser.driver.back)
    browser.driver.forward()
    browser.wait_for("return window.form && document.readyState === 'complete'")
    assert browser.run(left) is False


@pytest.mark.slow
def test_that_a_page_without_an_address_saves_a_file_and_asks_nobody(browser, page):
    browser.open(page(make_design(), answers="csv"))
    line = fill_and_review(browser)
    browser.driver.find_element("id", "save").click()
    browser.wait_for("return !done.hidden")
    saved = browser.driver.downloads / "answer.csv"
    until(saved.exists)
    assert saved.read_text(encoding="utf-8") == line
    saved.unlink()
    assert line.startswith("smokes,mood,town,age,salary,colour\nno,")
    assert browser.requests() == []
    assert browser.complaints() == []


def test_that_labels_are_shown_and_never_run(browser, page):
    bad = Attribute(f"name {NASTY}", Kind.NOMINAL, (NASTY, "b", "__proto__"))
    wide = Attribute("__proto__", Kind.NOMINAL, tuple(f"{NASTY} {i}" for i in range(15)))
    design = Design(tuple(DesignedAttribute(a, Uniform(keep=0.5)) for a in (bad, wide)))
    texts = Texts({bad.name: NASTY}, {bad.name: {"b": NASTY + "b"}})
    browser.open(page(design, texts, title=NASTY, introduction=NASTY))
    assert browser.run("return document.title") == NASTY
    assert browser.run("return document.querySelector('h1').textContent") == NASTY
    shown = browser.run(
        "return [...document.querySelectorAll('.choice')].map((c) => c.textContent)"
    )
    assert shown == [NASTY, NASTY + "b", "__proto__"]
    browser.run("document.querySelector('[name=q0]').click(); form.elements.q1.value = '3';")
    browser.driver.find_element("id", "show").click()
    assert browser.run("return !review.hidden")
    row = json.loads(browser.run("return state.text"))
    assert set(row) == {bad.name, "__proto__"}
    assert browser.run("return window.hacked ?? null") is None
    assert browser.run("return document.querySelectorAll('img').length") == 0
    assert browser.complaints() == []


def test_that_the_page_may_talk_to_nobody_else(browser, page, inbox):
    other = inbox.address.replace("/in", "/elsewhere")
    browser.open(page(make_design(), post=inbox.address))
    tried = browser.driver.execute_async_script(
        "const [url, done] = arguments;"
        "const image = new Image(); image.src = url; document.body.append(image);"
        "fetch(url).then(() => done('allowed'), () => done('refused'));",
        other,
    )
    assert tried == "refused"
    assert inbox.bodies == []


@pytest.mark.slow
def test_that_a_failed_send_keeps_the_row_for_another_try(browser, page, inbox):
    inbox.status = 500
    browser.open(page(make_design(), post=inbox.address))
    line = fill_and_review(browser)
    browser.driver.find_element("id", "send").click()
    browser.wait_for("return !document.getElementById('problem').hidden")
    assert browser.run("return !document.getElementById('save').hidden")
    inbox.status = 200
    browser.driver.find_element("id", "send").click()
    browser.wait_for("return !done.hidden")
    assert len(inbox.bodies) >= 2
    assert set(inbox.bodies) == {line}


@pytest.mark.slow
def test_that_going_back_does_not_throw_the_dice_again(browser, page):
    browser.open(page(make_design()))
    first = fill_and_review(browser)
    rows = set()
    for _ in range(3):
        browser.driver.find_element("id", "back").click()
        browser.run('document.querySelector(\'[name="q1"][value="0"]\').click()')
        browser.driver.find_element("id", "show").click()
        browser.driver.find_element("id", "back").click()
        rows.add(fill_and_review(browser))
    assert rows == {first}


@pytest.mark.slow
def test_that_the_form_can_be_filled_with_the_keyboard_alone(browser, page, inbox):
    from selenium.webdriver.common.keys import Keys

    browser.open(page(make_design(), post=inbox.address))

    def press(*keys):
        for key in keys:
            browser.driver.switch_to.active_element.send_keys(key)

    press(Keys.TAB, Keys.SPACE)
    press(Keys.TAB, Keys.SPACE, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    press(Keys.TAB, "town 7")
    press(Keys.TAB, "44", Keys.TAB, "1234.5", Keys.TAB, Keys.SPACE)
    answers = browser.run("return allAnswers()")
    assert answers == [0, 2, 7, 44, 1234.5, 0]
    assert browser.run("return document.getElementById('bar').value") == 6
    press(Keys.TAB)
    assert browser.run("return document.activeElement.id") == "show"
    press(Keys.ENTER)
    assert browser.run("return !review.hidden")
    assert browser.run("return document.activeElement.id") == "reviewTitle"
    for _ in range(6):
        press(Keys.TAB)
        if browser.run("return document.activeElement.id") == "send":
            break
    press(Keys.ENTER)
    browser.wait_for("return !done.hidden")
    assert len(inbox.bodies) == 1


@pytest.mark.slow
def test_that_faults_are_told_beside_their_question(browser, page):
    browser.open(page(make_design(), language="pl"))
    browser.driver.find_element("id", "show").click()
    told = "return [...document.querySelectorAll('.card .error')].map((e) => e.textContent)"
    assert browser.run(told) == ["Proszę odpowiedzieć na to pytanie."] * 6
    assert browser.run("return document.activeElement.name") == "q0"
    assert browser.run("return form.hidden") is False
    browser.run(FILL + "form.elements.q3.value = '44.5'; form.elements.q4.value = '99';")
    browser.driver.find_element("id", "show").click()
    told = browser.run(told)
    assert told[3] == "Proszę wpisać liczbę całkowitą od 18 do 90."
    assert told[4] == "Proszę wpisać liczbę od 100 do 10000."
    assert [i for i, sentence in enumerate(told) if sentence] == [3, 4]
    assert browser.run("return form.elements.q3.getAttribute('aria-invalid')") == "true"


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 1280], ids=["phone", "desk"])
def test_that_nothing_scrolls_sideways(browser, page, inbox, width):
    long = "Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlungsstelle " * 2
    texts = Texts({"smokes": long, "town": long}, {"town": {"town 7": long}, "mood": {"3": long}})
    path = page(make_design(), texts, title=long, post=inbox.address, review=True)
    browser.open(path, width)

    def overflow():
        return browser.run("return document.documentElement.scrollWidth - window.innerWidth")

    assert overflow() <= 0
    fill_and_review(browser)
    browser.run("document.querySelector('details').open = true")
    assert overflow() <= 0
    small = """return [...document.querySelectorAll('button, .choice, select, input[type=text]')]
      .filter((e) => e.offsetHeight && e.offsetHeight < 44).length"""
    assert browser.run(small) == 0
    browser.driver.find_element("id", "send").click()
    browser.wait_for("return !done.hidden")
    assert overflow() <= 0
