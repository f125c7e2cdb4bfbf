"""The page as a collector serves it: languages, sending, codes, kiosk and preview, in Chromium."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from designs import YES_NO
from examples import sweep

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute, Duchi, Uniform
from ppworkbench.core.design.design_file import design_digest
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.fieldwork.page.model import page_model
from ppworkbench.fieldwork.page.page import preview_html, served_page
from ppworkbench.study.questionnaire.document import Answer, Question, Questionnaire

SECRET = Attribute("did", Kind.BINARY, ("SENTINEL", "other"))
COUNTED = Attribute("how often", Kind.INTEGER, domain=(0, 100))
# Neither a kept answer nor a kept number is possible, so that what is sent is never the truth.
DESIGN = Design(
    (
        DesignedAttribute(COUNTED, Duchi(epsilon=1.0)),
        DesignedAttribute(SECRET, Uniform(keep=0.0)),
        DesignedAttribute(YES_NO, Uniform(keep=0.0)),
    )
)


UNTOUCHED = """
return !form.hidden && document.querySelectorAll(':checked').length === 0
  && form.elements.q2.value === "" && !document.getElementById("pairs")?.textContent
  && !document.getElementById("line")?.textContent && state.text === ""
"""


def by(**words):
    return words


ASKED = Questionnaire(
    ("en", "pl"),
    (
        Question(
            "did",
            Kind.BINARY,
            by(en="Did you?", pl="Czy tak było?"),
            by(en="Only last year.", pl="Tylko w zeszłym roku."),
            answers=(
                Answer("SENTINEL", by(en="SENTINEL yes", pl="SENTINEL tak"), sensitive=True),
                Answer("other", by(en="no, never", pl="nie, nigdy")),
            ),
        ),
        Question(
            "smokes",
            Kind.BINARY,
            by(en="Do you smoke?", pl="Palisz?"),
            answers=(Answer("no", by(en="no", pl="nie")), Answer("yes", by(en="yes", pl="tak"))),
            required=True,
        ),
        Question(
            "how often",
            Kind.INTEGER,
            by(en="How often?", pl="Jak często?"),
            unit=by(en="times", pl="razy"),
            domain=(0, 100),
            page=2,
        ),
    ),
    by(en="A survey", pl="Ankieta"),
    by(en="Two lines.\nOf text.", pl="Dwa wiersze.\nTekstu."),
    by(en="We are grateful.", pl="Jesteśmy wdzięczni."),
)
SHOWING = replace(ASKED, review=True)
"""The same for teaching, with the draw before it is sent."""
NUMBER = "77"


def fill(browser):
    """Answer both pages and look at what will be sent."""
    browser.run("document.querySelector('[name=q0][value=\"0\"]').click()")
    browser.run("document.querySelector('[name=q1][value=\"1\"]').click()")
    browser.click("next")
    browser.driver.find_element("name", "q2").send_keys(NUMBER)
    browser.click("show")
    assert browser.shows("review")


def send(browser):
    browser.click("send")
    browser.wait_for("return !done.hidden")


@pytest.mark.slow
def test_that_a_respondent_chooses_the_language_and_nobody_hears_of_it(browser, inbox):
    browser.open(inbox.serve("/", served_page(DESIGN, SHOWING)), 390)
    assert browser.run("return [document.title, document.documentElement.lang]") == [
        "A survey",
        "en",
    ]
    assert browser.text("legend0") == "Did you?"
    browser.click("next")
    assert browser.text("error0") == "Please answer this question."
    [polish] = browser.driver.find_elements("css selector", "#languages [value=pl]")
    assert polish.text == "polski"
    polish.click()
    assert polish.get_attribute("aria-pressed") == "true"
    assert browser.run("return [document.title, document.documentElement.lang]") == [
        "Ankieta",
        "pl",
    ]
    assert browser.text("error0") == ""
    # What the page says is what the model says, to the letter.
    first = page_model(DESIGN, ASKED, "pl").screens()[1]
    card = browser.driver.find_element("id", "card0").text
    for text in (first.heading, first.text, first.instruction, *first.answers, first.skip):
        assert text in card
    fill(browser)
    assert browser.text("reviewTitle") == "To zostanie wysłane"
    assert "SENTINEL tak" in browser.text("pairs")
    send(browser)
    assert "Jesteśmy wdzięczni." in browser.text("done")
    [sent] = inbox.sent()
    assert sent["row"].keys() == {"how often", "did", "smokes"}
    assert sent["row"]["did"] == "other"
    assert re.fullmatch("[0-9a-f]{32}", sent["id"])
    assert sent["design"] == design_digest(DESIGN)
    assert sent.keys() == {"id", "design", "row"}
    assert inbox.heads[0]["Content-Type"] == "application/json"
    assert not [word for word in ("pl", "polski") if word in inbox.bodies[0]]
    assert browser.complaints() == []


def traces(browser):
    """Whatever a page could leave of an answer, but for what it shows: stored, named, visited."""
    script = """
      const done = arguments[arguments.length - 1];
      (async () => {
        const bases = (await indexedDB.databases()).map((one) => one.name);
        const caches_ = window.caches ? await caches.keys() : [];
        // Of the bar is known how many questions are answered, and that alone.
        const fields = [...document.querySelectorAll(":not(progress)")];
        const names = ["id", "name", "value", "data-text", "title", "for", "href"];
        done({
          stored: [Object.entries(localStorage), Object.entries(sessionStorage), document.cookie,
                   bases, caches_, window.name],
          visited: [location.href, history.length, history.state, document.title],
          named: fields.flatMap((one) => names.map((name) => one.getAttribute(name))),
          attributes: fields.flatMap((one) => [...one.attributes].map((a) => a.name + a.value)),
          fetched: performance.getEntriesByType("resource").map((one) => one.name),
        });
      })();
    """
    found = browser.driver.execute_async_script(script)
    cookies = browser.driver.execute_cdp_cmd("Network.getAllCookies", {})["cookies"]
    entries = browser.driver.execute_cdp_cmd("Page.getNavigationHistory", {})["entries"]
    return found | {"cookies": cookies, "entries": entries}


@pytest.mark.parametrize("kiosk", sweep([False, True], quick=1), ids=["page", "kiosk"])
def test_that_true_answers_leave_no_trace(browser, inbox, kiosk):
    browser.open(inbox.serve("/", served_page(DESIGN, SHOWING, kiosk=kiosk)))
    before = traces(browser)
    fill(browser)
    assert "SENTINEL" in browser.text("pairs")
    assert NUMBER in browser.text("pairs")
    during = traces(browser)
    send(browser)
    after = traces(browser)
    # Nothing is stored but a random number that was there before any answer; then what was done.
    name = f"ppworkbench {inbox.sent()[0]['design']}"
    if not kiosk:
        [[_, first]] = before["stored"][1]
        assert re.fullmatch('{"key":"[0-9a-f]{64}"}', first)
    for found, word in ((during, "shown"), (after, "given")):
        kept = [] if kiosk else [[name, json.dumps({word: True}, separators=(",", ":"))]]
        assert found["stored"] == [[], kept, "", [], [], ""]
    for found in (during, after):
        assert found["cookies"] == []
        # Where the browser has been is as it was before there were answers. Its pages are counted,
        # and a count may happen to be the number that is looked for.
        for place in ("visited", "entries"):
            assert found.pop(place) == before[place]
        told = json.dumps(found, ensure_ascii=False)
        assert "SENTINEL" not in told
        assert not re.search(rf"\b{NUMBER}\b", told)
    # What was made for the review has no names; nothing else was made or renamed.
    assert set(during["named"]) == set(before["named"])
    assert after["named"] == before["named"]
    assert during["fetched"] == []
    assert after["fetched"] == [f"{inbox.host}/answers"]
    traffic = browser.traffic()
    sent = [one for one in traffic if one["params"].get("request", {}).get("method") == "POST"]
    assert len(sent) == len(inbox.bodies) == 1
    assert "SENTINEL" not in json.dumps(traffic)
    row = inbox.sent()[0]["row"]
    assert (row["did"], row["smokes"]) == ("other", "no")
    assert row["how often"] != int(NUMBER)
    shown = browser.run("return document.querySelector('main').innerText")
    assert "SENTINEL" not in shown
    assert NUMBER not in shown
    assert browser.complaints() == []


@pytest.mark.slow
def test_that_a_row_is_kept_and_sent_again_until_it_has_arrived(browser, inbox):
    inbox.replies = [(503, 3), (429, 0), (500, 0), (503, 0), (204, 0)]
    with browser.hurried():
        browser.open(inbox.serve("/", served_page(DESIGN, ASKED)))
        fill(browser)
        line = browser.run("return leavingText()")
        said = []
        browser.run(
            "window.said = []; new MutationObserver(() => said.push("
            "document.getElementById('problem').textContent)).observe("
            "document.getElementById('problem'), {childList: true});"
        )
        send(browser)
        said = browser.run("return said")
    assert inbox.bodies == [line] * 5
    assert not browser.shows("back")
    heard = list(dict.fromkeys(re.sub(r"\d+", "N", one) for one in said if one))
    assert [one.split(". ")[0] for one in heard] == [
        "Sending…",
        "Not sent yet: collecting is paused",
        "Not sent yet: the server is busy",
    ]
    waits = [int(re.search(r"(\d+) s", one)[1]) for one in said if " s." in one]
    # The server asks for 3 s once; otherwise 1, 2, 4, 8 s, told every second.
    assert waits == [3, 2, 1, 2, 1, 4, 3, 2, 1, 8, 7, 6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize(
    ("status", "said", "can_save"),
    [
        (403, "Reload the page", False),
        (409, "Reload the page", False),
        (410, "This survey is closed", False),
        (413, "do not fit its questions", True),
        (415, "do not fit its questions", True),
        (422, "do not fit its questions", True),
        (404, "could not be sent", True),
    ],
)
@pytest.mark.slow
def test_that_a_refused_row_is_not_sent_again(browser, inbox, status, said, can_save):
    inbox.status = status
    with browser.hurried():
        browser.open(inbox.serve("/", served_page(DESIGN, ASKED)))
        fill(browser)
        browser.click("send")
        browser.wait_for("return document.getElementById('problem').textContent.length > 10")
        browser.driver.execute_async_script("setTimeout(arguments[0], 10000)")
    assert said in browser.text("problem")
    assert len(inbox.bodies) == 1
    assert browser.shows("save") is can_save
    assert browser.shows("send") is (status == 404)


@pytest.mark.slow
def test_that_a_row_waits_for_a_network_and_for_a_slow_server(browser, inbox):
    with browser.hurried():
        browser.open(inbox.serve("/", served_page(DESIGN, ASKED)))
        fill(browser)
        with browser.offline():
            browser.click("send")
            browser.wait_for(
                "return document.getElementById('problem').textContent.includes('no connection')"
            )
            assert inbox.bodies == []
            assert browser.shows("save")
            # Longer than a page waits; the server has the row then, and gets it again.
            inbox.replies = [(204, 0, 1.5)]
        browser.wait_for("return !done.hidden")
    first, *others = inbox.sent()
    assert others
    assert all(one == first for one in others)


@pytest.mark.slow
def test_that_a_code_comes_from_the_address_or_from_a_field(browser, inbox):
    address = inbox.serve("/", served_page(DESIGN, ASKED, codes=True))
    browser.open(f"{address}#word-word%20")
    assert browser.run("return location.href") == address
    fill(browser)
    assert not browser.shows("codecard")
    inbox.status = 403
    browser.click("send")
    browser.wait_for("return !document.getElementById('codecard').hidden")
    assert "unknown or has been used" in browser.text("problem")
    browser.click("send")
    assert browser.text("problem") == "Please type your code."
    inbox.status = 204
    browser.driver.find_element("id", "code").send_keys(" other-word")
    send(browser)
    first, second = inbox.sent()
    assert (first.pop("token"), second.pop("token")) == ("word-word", "other-word")
    assert first == second
    assert browser.run("return document.getElementById('code').value") == ""
    visited = browser.driver.execute_cdp_cmd("Page.getNavigationHistory", {})["entries"]
    assert "word-word" not in str([one["url"] for one in visited])


@pytest.mark.parametrize("kiosk", sweep([False, True], quick=1), ids=["page", "kiosk"])
def test_that_a_code_that_was_used_is_refused_before_the_first_question(browser, inbox, kiosk):
    address = inbox.serve("/", served_page(DESIGN, ASKED, kiosk=kiosk, codes=True))
    inbox.spent = {"used-word", "old-word"}
    # One that the address holds is refused at once.
    browser.open(f"{address}#used-word")
    browser.wait_for("return !document.getElementById('codeproblem').hidden")
    assert "unknown or has been used" in browser.text("codeproblem")
    assert browser.shows("codecard")
    assert browser.run("return document.activeElement.id") == "code"
    # One that is typed as soon as it is left, and nobody goes on with it or with none.
    field = browser.driver.find_element("id", "code")
    for typed, said in (("", "Please type your code."), ("old-word", "unknown or has been used")):
        field.clear()
        field.send_keys(typed)
        browser.driver.find_element("css selector", "[name=q0][value='0']").click()
        browser.run("document.querySelector('[name=q1][value=\"1\"]').click()")
        if typed:
            browser.wait_for("return !document.getElementById('codeproblem').hidden")
        browser.click("next")
        assert browser.shows("card0")
        assert said in browser.text("codeproblem")
    field.clear()
    field.send_keys(" New-word")
    fill(browser)
    assert not browser.shows("codecard")
    send(browser)
    (row,) = inbox.sent()
    assert row["token"] == "New-word"
    # Nothing but the code is told before the end.
    assert [json.loads(one) for one in inbox.codes] == [
        {"token": word} for word in ("used-word", "old-word", "New-word")
    ]


@pytest.mark.slow
def test_that_a_row_that_may_have_arrived_is_sent_again_with_its_code(browser, inbox):
    address = inbox.serve("/", served_page(DESIGN, ASKED, codes=True))
    browser.open(f"{address}#word-word")
    fill(browser)
    inbox.status = 500
    browser.click("send")
    browser.wait_for("return !document.getElementById('problem').hidden")
    # It was stored, but nobody heard of it.
    inbox.spent, inbox.status = {"word-word"}, 204
    browser.open(f"{address}#word-word")
    fill(browser)
    send(browser)
    assert len({one["id"] for one in inbox.sent()}) == 1


COINS = Design(
    (
        DesignedAttribute(COUNTED, Duchi(epsilon=0.1)),
        DesignedAttribute(SECRET, Uniform(keep=0.5)),
        DesignedAttribute(YES_NO, Uniform(keep=0.5)),
    )
)
"""Everything is drawn evenly, so that two rows are the same once in eight times."""


def test_that_neither_a_reload_nor_a_changed_answer_draws_again(browser, inbox):
    browser.open(inbox.serve("/", served_page(COINS, ASKED)))
    rows, others = set(), set()
    for place in range(8):
        fill(browser)
        rows.add(browser.run("return leavingText()"))
        browser.driver.refresh()
        assert browser.run("return document.querySelectorAll(':checked').length") == 0
        # Another answer has a draw of its own, which is the same each time, too.
        browser.run("document.querySelector('[name=q0][value=\"1\"]').click()")
        browser.run("document.querySelector('[name=q1][value=\"1\"]').click()")
        browser.click("next")
        browser.driver.find_element("name", "q2").send_keys(str(place))
        browser.click("show")
        others.add(json.loads(browser.run("return leavingText()"))["row"]["how often"])
        browser.driver.refresh()
    assert len(rows) == 1
    assert len(others) == 2
    # What was sent is not answered again: that is said before the first question.
    fill(browser)
    send(browser)
    browser.driver.refresh()
    assert browser.shows("already")
    assert "open the page in a new tab" in browser.text("already")
    assert not browser.shows("form")
    assert inbox.bodies == [*rows]


def test_that_the_draw_is_shown_only_for_teaching_and_then_nothing_can_be_changed(browser, inbox):
    design = Design((*DESIGN.attributes[:2], DesignedAttribute(YES_NO, Identity())))
    browser.open(inbox.serve("/", served_page(design, ASKED)))
    fill(browser)
    shown = browser.driver.find_element("tag name", "main").text
    for word in ("SENTINEL", "other", "no, never", "yes", NUMBER, "Stays here", "Will be sent"):
        assert word not in shown
    assert browser.shows("back")
    browser.open(inbox.serve("/teaching", served_page(design, SHOWING)))
    browser.run("sessionStorage.clear()")
    browser.driver.refresh()
    fill(browser)
    assert browser.driver.find_elements("id", "back") == []
    sides = browser.run(
        "return [...document.querySelectorAll('#pairs li')].map((one) => "
        "[...one.querySelectorAll('dt, dd')].map((part) => part.textContent))"
    )
    assert sides[0] == ["Stays here", "SENTINEL yes", "Will be sent", "no, never"]
    # What is not randomised does not stay here.
    assert sides[1] == ["Will be sent", "yes"]


@pytest.mark.parametrize("leave", ["reload", "back"])
def test_that_nobody_answers_again_after_the_draw_was_shown(browser, inbox, leave):
    address = inbox.serve("/", served_page(COINS, SHOWING))
    browser.open(address)
    browser.run("sessionStorage.clear()")
    browser.driver.refresh()
    fill(browser)
    # Neither key nor report is kept: together they would tell the answer.
    kept = browser.run("return JSON.stringify([{ ...sessionStorage }, { ...localStorage }])")
    assert re.fullmatch(r'\[\{"ppworkbench [0-9a-f]{16}":"\{\\"shown\\":true\}"\},\{\}\]', kept)
    if leave == "reload":
        browser.driver.refresh()
    else:
        browser.driver.get("about:blank")
        browser.follow(browser.driver.back)
        browser.wait_for("return form.hidden && !document.getElementById('seen').hidden")
    assert not browser.shows("form")
    assert not browser.shows("review")
    assert browser.shows("seen")
    assert "can no longer be changed" in browser.text("seen")
    assert inbox.bodies == []
    # Somebody else answers in a tab of their own.
    browser.run("sessionStorage.clear()")
    browser.driver.refresh()
    fill(browser)
    send(browser)
    browser.driver.refresh()
    assert browser.shows("already")
    assert not browser.shows("seen")
    assert len(inbox.bodies) == 1


@pytest.mark.slow
@pytest.mark.parametrize("kiosk", [False, True], ids=["page", "kiosk"])
def test_that_back_shows_nothing_before_and_after_sending(browser, inbox, kiosk):
    address = inbox.serve("/", served_page(DESIGN, ASKED, kiosk=kiosk))
    for is_sent in (False, True):
        browser.open(address)
        fill(browser)
        if is_sent:
            send(browser)
        browser.driver.get("about:blank")
        browser.follow(browser.driver.back)
        if is_sent and not kiosk:
            browser.wait_for("return form.hidden && !document.getElementById('already').hidden")
        else:
            browser.wait_for(UNTOUCHED)
        assert "SENTINEL" not in json.dumps(traces(browser))
    assert len(inbox.bodies) == 1


@pytest.mark.slow
def test_that_a_kiosk_forgets_everybody(browser, inbox):
    address = inbox.serve("/kiosk", served_page(DESIGN, ASKED, kiosk=True))
    with browser.hurried(30):
        browser.open(address)
        length = browser.run("return history.length")
        browser.driver.find_element("css selector", "#languages [value=pl]").click()
        fill(browser)
        assert not browser.shows("save")
        browser.wait_for(UNTOUCHED)
        assert browser.run("return document.documentElement.lang") == "en"
        assert browser.shows("title")
        assert inbox.bodies == []
        browser.run(
            "window.said = []; new MutationObserver(() => said.push("
            "document.getElementById('outcome').textContent)).observe("
            "document.getElementById('outcome'), {childList: true});"
        )
        fill(browser)
        browser.click("send")
        # Thanks are said for a while; nobody need touch anything.
        browser.wait_for(f"return said.length > 1 && (() => {{ {UNTOUCHED} }})()")
        assert browser.run("return said[0]").startswith("The randomised answers were sent.")
        assert browser.run("return history.length") == length
    # Who comes next may be quicker than the page, and has a row of their own.
    with browser.hurried(10):
        browser.open(address)
        fill(browser)
        send(browser)
        browser.click("another")
        assert browser.run(UNTOUCHED)
        browser.run("document.querySelector('[name=q0]').click()")
        # The thanks of before would have ended by now.
        browser.driver.execute_async_script("setTimeout(arguments[0], 12000)")
        assert browser.run("return document.querySelectorAll(':checked').length") == 1
    assert len({one["id"] for one in inbox.sent()}) == len(inbox.bodies) == 2


@pytest.mark.slow
def test_that_a_kiosk_warns_before_it_forgets_and_a_touch_keeps_it(browser, inbox):
    from selenium.webdriver.common.action_chains import ActionChains

    with browser.hurried(8):
        browser.open(inbox.serve("/kiosk", served_page(DESIGN, ASKED, kiosk=True)))
        browser.run("document.querySelector('[name=q0]').click()")
        ActionChains(browser.driver).move_by_offset(5, 5).perform()
        browser.wait_for("return !document.getElementById('idle').hidden")
        assert re.search(r"starts anew in \d+ s", browser.text("idle"))
        ActionChains(browser.driver).move_by_offset(5, 5).perform()
        assert not browser.shows("idle")
        assert browser.run("return document.querySelectorAll(':checked').length") == 1


@pytest.mark.slow
def test_that_a_kiosk_goes_on_sending_what_has_not_arrived(browser, inbox):
    inbox.replies = [(503, 0)] * 3
    with browser.hurried(20):
        browser.open(inbox.serve("/kiosk", served_page(DESIGN, ASKED, kiosk=True)))
        fill(browser)
        browser.click("send")
        inbox.status = 503
        browser.wait_for(UNTOUCHED)
        inbox.status = 204
        browser.wait_for("return true")
        count = len(inbox.bodies)
        browser.driver.execute_async_script("setTimeout(arguments[0], 40000)")
        assert browser.run(UNTOUCHED)
    assert len(inbox.bodies) == count + 1
    assert len(set(inbox.bodies)) == 1


@pytest.mark.slow
def test_that_a_preview_draws_and_sends_nothing(browser, tmp_path):
    gaps = Questionnaire(("en", "pl"), ASKED.questions, {"en": "A survey"})
    path = tmp_path / "preview.html"
    path.write_text(preview_html(DESIGN, gaps, "pl"), encoding="utf-8")
    browser.open(path, 390)
    assert browser.driver.find_element("css selector", ".preview").text.startswith("Podgląd")
    # What has no translation is shown in the main language.
    assert browser.text("title") == "A survey"
    fill(browser)
    assert json.loads(browser.run("return leavingText()"))["did"] == "other"
    assert not browser.shows("save")
    send(browser)
    assert browser.text("outcome") == "Podgląd: nic nie zostało wysłane."
    assert browser.requests() == []
    assert browser.complaints() == []


ARABIC = Questionnaire(
    ("pl", "ar"),
    (
        Question(
            "how often",
            Kind.INTEGER,
            by(pl="Jak często?", ar="كم مرة؟"),
            domain=(0, 100),
        ),
        Question(
            "did",
            Kind.BINARY,
            by(pl="Czy tak było?", ar="هل فعلت ذلك؟"),
            answers=(
                Answer("SENTINEL", by(pl="tak", ar="نعم")),
                Answer("other", by(pl="nie", ar="لا")),
            ),
        ),
    ),
    by(pl="Ankieta", ar="استبيان"),
)


@pytest.mark.slow
def test_that_letters_from_right_to_left_and_their_digits_are_understood(browser, inbox):
    design = Design(DESIGN.attributes[:2])
    browser.open(inbox.serve("/", served_page(design, replace(ARABIC, review=True))), 390)
    [arabic] = browser.driver.find_elements("css selector", "#languages [value=ar]")
    assert arabic.text == "العربية"
    arabic.click()
    assert browser.run("return getComputedStyle(form).direction") == "rtl"
    note = browser.driver.find_element("class name", "fallback")
    assert note.text == "Przyciski i wyjaśnienia są w języku: polski."
    assert note.get_attribute("lang") == "pl"
    assert note.get_attribute("dir") == "ltr"
    browser.driver.find_element("name", "q0").send_keys("٧٧")
    browser.run("document.querySelector('[name=q1][value=\"0\"]').click()")
    assert browser.run("return allAnswers()") == [77, 0]
    assert browser.run("return document.documentElement.scrollWidth - innerWidth") <= 0
    browser.click("show")
    assert "نعم" in browser.text("pairs")
    send(browser)
    assert inbox.sent()[0]["row"]["did"] == "other"


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 820])
@pytest.mark.parametrize("language", ["en", "pl"])
def test_that_a_keyboard_alone_does_at_every_width(browser, inbox, width, language):
    from selenium.webdriver.common.keys import Keys

    browser.open(inbox.serve("/", served_page(DESIGN, ASKED, codes=True)), width)

    def press(*keys):
        for key in keys:
            browser.driver.switch_to.active_element.send_keys(key)

    def reach(name):
        for _ in range(12):
            if browser.run("return document.activeElement.id") == name:
                return
            press(Keys.TAB)
        pytest.fail(f"{name} is not reached by the keyboard")

    press(Keys.TAB)
    if language == "pl":
        press(Keys.TAB)
    press(Keys.ENTER)
    assert browser.run("return document.documentElement.lang") == language
    reach("code")
    press("abc")
    while browser.run("return document.activeElement.name") != "q0":
        press(Keys.TAB)
    press(Keys.SPACE, Keys.TAB, Keys.SPACE)
    reach("next")
    press(Keys.ENTER, Keys.TAB, "5")
    assert browser.run("return document.documentElement.scrollWidth - innerWidth") <= 0
    reach("show")
    press(Keys.ENTER)
    assert browser.run("return document.activeElement.id") == "reviewTitle"
    assert browser.run("return document.documentElement.scrollWidth - innerWidth") <= 0
    reach("send")
    press(Keys.ENTER)
    browser.wait_for("return !done.hidden")
    assert inbox.sent()[0]["token"] == "abc"
    assert browser.run("return document.activeElement.id") == "doneTitle"
    assert browser.complaints() == []
