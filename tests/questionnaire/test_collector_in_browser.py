"""The page and a real collector in a process of its own, from the first code to the end."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from designs import YES_NO
from patience import until

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute, Uniform
from ppworkbench.core.design.design_file import design_digest
from ppworkbench.fieldwork.collector.control import start_collection, start_server, stop_server
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.questionnaire.texts import Texts

SECRET = Attribute("did", Kind.BINARY, ("SENTINEL", "other"))
DESIGN = Design(
    (DesignedAttribute(SECRET, Uniform(keep=0.0)), DesignedAttribute(YES_NO, Uniform(keep=0.0)))
)
ASKED = Questionnaire.of_design(DESIGN, Texts(), "en", "A survey")
SAID = "document.getElementById('problem').textContent"

pytestmark = pytest.mark.slow


@pytest.fixture
def collection(tmp_path):
    place = tmp_path / "answers.sqlite"
    with start_collection(place, DESIGN, ASKED) as made:
        yield made
        assert stop_server(place)


def answer(browser, address):
    browser.open(address)
    fill(browser)


def fill(browser):
    for place in range(2):
        browser.run(f"document.querySelector('[name=q{place}][value=\"0\"]').click()")
    browser.click("show")


def served_digest(browser, address) -> str:
    browser.open(address)
    return browser.run("return survey.digest")


def send(browser):
    browser.click("send")
    browser.wait_for("return !done.hidden")


def test_that_a_page_and_its_collector_understand_each_other(browser, collection):
    code, other, third = collection.make_tokens(3)
    address = start_server(collection.place, ["--port", "0"]).address
    with browser.hurried():
        # A code in the address; the same one again is refused at once, and another one is typed.
        answer(browser, f"{address}#{code}")
        send(browser)
        browser.open(f"{address}#{code}")
        said = "document.getElementById('codeproblem').textContent"
        browser.wait_for(f"return {said}.includes('has been used')")
        field = browser.driver.find_element("id", "code")
        field.clear()
        field.send_keys(other)
        fill(browser)
        # A pause is waited for.
        collection.pause()
        browser.click("send")
        browser.wait_for(f"return {SAID}.includes('collecting is paused')")
        collection.resume()
        browser.wait_for("return !done.hidden")
        assert collection.status().answers == 2
        # The browser complains of refusals by itself, and of nothing else.
        assert all(re.search("status of (403|503)", one) for one in browser.complaints())
        # A new round with another design: the open page is of the old one.
        answer(browser, f"{address}#{third}")
        changed = Design(
            tuple(DesignedAttribute(one.attribute, Uniform(keep=0.6)) for one in DESIGN)
        )
        assert collection.new_round(changed) == 2
        browser.click("send")
        browser.wait_for(f"return {SAID}.includes('Reload the page')")
    # The database knows the new round at once, the page that is served a little later.
    until(lambda: served_digest(browser, f"{address}kiosk") == design_digest(changed))
    # A round after one with codes asks for codes, too, and for new ones.
    answer(browser, f"{address}kiosk#{collection.make_tokens(1)[0]}")
    assert not browser.shows("save")
    collection.close()
    browser.click("send")
    browser.wait_for(f"return {SAID}.includes('This survey is closed')")
    table = collection.table(1)
    assert sorted(table["did"].data.tolist()) == [1, 1]
    for path in Path(collection.place).parent.iterdir():
        # The questionnaire is there, true answers are not.
        assert not re.search(rb'"did": ?"SENTINEL"', path.read_bytes())


def test_that_only_the_first_sending_from_a_tab_counts(browser, tmp_path):
    random = Design(tuple(DesignedAttribute(one.attribute, Uniform(keep=0.5)) for one in DESIGN))
    collection = start_collection(tmp_path / "answers.sqlite", random, ASKED)
    address = start_server(collection.place, ["--port", "0"]).address
    kept = "return JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])"
    with browser.hurried():
        browser.open(address)
        browser.run("sessionStorage.clear(); localStorage.clear()")
        answer(browser, address)
        assert not browser.shows("already")
        # The row has arrived, but nobody heard of it: a reload sends the same row again.
        browser.run("fetch('answers', { method: 'POST', body: leavingText() })")
        until(lambda: collection.status().answers == 1)
        answer(browser, address)
        first = browser.run("return leavingText()")
        send(browser)
        stored = browser.run(kept)
        assert re.fullmatch(r'\[\{"ppworkbench [0-9a-f]{16}":.*given.*\},\{\},""\]', stored)
        assert browser.text("outcome").startswith("The randomised answers were sent")
        assert json.loads(first)["id"] not in stored
        assert collection.status().answers == 1
        # Whoever has sent answers is told before they answer again.
        browser.driver.refresh()
        assert browser.shows("already")
        assert not browser.shows("form")
    # A kiosk is for many people: it keeps nothing, and everybody counts. It is not hurried, as it
    # would be back at its beginning before anybody saw that it had sent something.
    for count in (2, 3):
        answer(browser, f"{address}kiosk")
        assert not browser.shows("already")
        send(browser)
        assert collection.status().answers == count
    assert browser.run(kept) == stored
    assert stop_server(collection.place)
    collection.disconnect()


def test_that_a_crowd_that_is_too_quick_is_told_and_heard_later(browser, collection):
    address = start_server(collection.place, ["--port", "0"]).address
    answer(browser, address)
    # As many as a class, all at once, and more: the page is told to come back.
    flood = """
      const [count, done] = arguments;
      const tries = Array.from({ length: count }, () =>
        fetch("answers", { method: "POST", body: "{}", headers: { "Content-Type": "text/plain" } })
          .then((reply) => reply.status));
      Promise.all(tries).then((all) => done([...new Set(all)].sort()));
    """
    # What one address may send grows with time, so that a slow browser needs more tries.
    assert any(429 in browser.driver.execute_async_script(flood, 200) for _ in range(20))
    browser.click("send")
    browser.wait_for("return !done.hidden")
    assert collection.status().answers == 1
