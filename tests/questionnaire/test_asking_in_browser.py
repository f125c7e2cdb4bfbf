"""Split questionnaires and several waves in the hands of respondents, in Chromium."""

from __future__ import annotations

import hashlib
import hmac
import json
import re

import pytest
from designs import YES_NO
from scipy import stats

from ppworkbench.core.design import Design, DesignedAttribute, Group, Identity, Uniform
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.survey.counts import count
from ppworkbench.fieldwork.collected import read_collected
from ppworkbench.fieldwork.collector.rows import RowCodec

NAMES = ("a", "b", "c", "d")
SHOWN = "return [...document.querySelectorAll('fieldset')].map((one) => one.offsetHeight > 0)"
SENT = "return leavingText()"


def make_design(keep: float = 0.5, **budget) -> Design:
    asked = [YES_NO.with_(name=name) for name in NAMES]
    sex = DesignedAttribute(YES_NO.with_(name="sex"), Identity())
    listed = tuple(DesignedAttribute(one, Uniform(keep=keep)) for one in asked)
    return Design((*listed, sex), budget=DesignBudget(**budget))


def review(browser, answers):
    for place, answer in enumerate(answers):
        browser.run(
            f"if (!survey.questions[{place}].omitted)"
            f' document.querySelector(\'[name="q{place}"][value="{answer}"]\').click();'
        )
    browser.driver.find_element("id", "show").click()
    assert browser.run("return !review.hidden")
    sent = json.loads(browser.run(SENT))
    return sent["row"] if "design" in sent else sent


def test_that_a_page_asks_some_questions_and_sends_the_others_empty(browser, page, inbox):
    path = page(make_design(keep=1.0, ask=2), post=inbox.address)
    browser.open(path)
    shown = browser.run(SHOWN)
    assert sum(shown[:4]) == 2
    assert shown[4]
    assert "chooses at random" in browser.run("return document.getElementById('top').textContent")
    progress = browser.run("return document.getElementById('progress').textContent")
    assert progress.startswith("0 of 3")
    row = review(browser, [1] * 5)
    assert [row[name] is not None for name in (*NAMES, "sex")] == shown
    browser.driver.find_element("id", "send").click()
    browser.wait_for("return !done.hidden")
    assert json.loads(inbox.bodies[0])["row"] == row


@pytest.mark.slow
def test_that_every_choice_of_questions_is_equally_likely(browser, page):
    browser.open(page(make_design(ask=2)))
    drawn = browser.run(
        "const met = {};"
        "for (let i = 0; i < 60000; i += 1) {"
        "  const one = askedParts(4, 2).join(); met[one] = (met[one] ?? 0) + 1; }"
        "return met;"
    )
    assert len(drawn) == 6
    assert stats.chisquare(list(drawn.values())).pvalue > 1e-6
    met = set()
    for _ in range(60):
        shown = browser.run(SHOWN)
        browser.driver.refresh()
        assert browser.run(SHOWN) == shown, "a reload does not draw again"
        browser.run("sessionStorage.clear()")
        browser.driver.refresh()
        met.add(tuple(browser.run(SHOWN)))
        if len(met) == 6:
            break
    assert len(met) == 6


@pytest.mark.slow
def test_that_collected_answers_of_a_split_questionnaire_can_be_estimated(browser, page, tmp_path):
    design = make_design(keep=0.8, ask=2)
    browser.open(page(design))
    script = """
      const rows = [];
      for (let i = 0; i < 2000; i += 1) {
        const chosen = askedParts(4, 2);
        const answers = [0, 1, 2, 3].map(
          (place) => chosen.includes(place) ? Number(i % 4 === 0) : null);
        rows.push(rowText(survey, distortAnswers(survey, [...answers, 0], freshDice(survey))));
      }
      return rows.join("");
    """
    lines = tmp_path / "rows.jsonl"
    lines.write_text(browser.run(script), encoding="utf-8")
    table = read_collected([lines], design)
    found = count(table, design, "a = yes")
    assert 850 < found.respondents < 1150
    error = 5 * found.value.standard_error
    assert abs(found.value.estimate - found.respondents / 4) < error


@pytest.mark.slow
def test_that_the_same_true_answer_gives_the_same_report_in_every_wave(browser, page):
    path = page(make_design(ask=3, waves=5, memoise=True))
    browser.open(path)
    browser.run("localStorage.clear()")
    browser.driver.refresh()
    told = browser.run("return document.getElementById('top').textContent")
    assert "This survey is repeated" in told
    assert browser.run("return document.getElementById('nomemory').hidden")
    shown, first = browser.run(SHOWN), review(browser, [1] * 5)
    others = set()
    for _ in range(12):
        browser.driver.refresh()
        # The same questions, and the same reports on them.
        assert browser.run(SHOWN) == shown
        assert review(browser, [1] * 5) == first
    browser.driver.refresh()
    second = review(browser, [0] * 5)
    browser.driver.refresh()
    assert review(browser, [0] * 5) == second
    browser.driver.refresh()
    assert review(browser, [1] * 5) == first
    # Another true answer has a draw of its own: on another device it comes out in all ways.
    for _ in range(40):
        browser.run("localStorage.clear()")
        browser.driver.refresh()
        row = review(browser, [0] * 5)
        others |= {row[name] for name in NAMES}
        if others == {"yes", "no", None}:
            break
    assert others == {"yes", "no", None}


@pytest.mark.slow
def test_that_nothing_that_is_kept_leaves_the_device_and_other_designs_do_not_read_it(
    browser, page, inbox
):
    path = page(make_design(waves=2, memoise=True), post=inbox.address)
    browser.open(path)
    browser.run("localStorage.clear()")
    browser.driver.refresh()
    row = review(browser, [1] * 5)
    browser.driver.find_element("id", "send").click()
    browser.wait_for("return !done.hidden")
    assert json.loads(inbox.bodies[0])["row"] == row
    assert len(inbox.bodies) == 1
    (kept,) = browser.run("return Object.keys(localStorage)")
    browser.open(page(make_design(keep=0.75, waves=2, memoise=True)))
    keys = browser.run("return Object.keys(localStorage)")
    assert len(keys) == 2
    assert kept in keys
    # A design that remembers nothing keeps nothing.
    browser.run("localStorage.clear(); sessionStorage.clear()")
    browser.open(page(make_design(waves=2)))
    review(browser, [1] * 5)
    assert browser.run("return Object.keys(localStorage)") == []


def test_that_a_device_keeps_a_random_key_and_nothing_that_depends_on_an_answer(browser, page):
    design = make_design(waves=2, memoise=True, linked=True)
    browser.open(page(design))
    before = browser.run("return Object.entries(localStorage)")
    [[name, kept]] = before
    assert re.fullmatch('{"key":"[0-9a-f]{64}"}', kept)
    for answer in (1, 0):
        review(browser, [answer] * 5)
        assert browser.run("return Object.entries(localStorage)") == before
        browser.driver.refresh()
    told = browser.run("return document.getElementById('top').textContent")
    assert "a random key on this device and nothing else" in told
    # Pages of before kept reports under the true answers: they go as soon as the page is opened.
    old = {"arm": None, "parts": None, "reports": [["[null,0,[1]]", 0]]}
    browser.run("localStorage.setItem(arguments[0], arguments[1])", name, json.dumps(old))
    browser.driver.refresh()
    [[_, kept]] = browser.run("return Object.entries(localStorage)")
    assert "reports" not in kept
    assert "[1]" not in kept


def test_that_keyed_numbers_are_those_of_hmac_and_uniform(browser, page):
    browser.open(page(make_design()))
    key = "00ff" * 16
    for text in ("", "a", "zażółć", "x" * 119, "y" * 200):
        found = browser.run("return hexDigits(hmac(arguments[0], arguments[1]))", key, text)
        expected = hmac.new(bytes.fromhex(key), text.encode(), hashlib.sha256).hexdigest()
        assert found == expected
    first = browser.run("return keyedUniform(arguments[0], 'a')()", key)
    word = hmac.new(bytes.fromhex(key), b"0 a", hashlib.sha256).digest()[:8]
    high, low = int.from_bytes(word[:4]) >> 5, int.from_bytes(word[4:]) >> 6
    assert first == (high * 2**26 + low) / 2**53
    drawn = browser.run(
        "const next = keyedUniform(arguments[0], 'a');return Array.from({ length: 20000 }, next);",
        key,
    )
    assert len(set(drawn)) == 20000
    assert stats.kstest(drawn, "uniform").pvalue > 1e-6


def test_that_draws_from_keys_follow_the_design_and_share_the_coin_of_a_group(browser, page):
    asked = tuple(DesignedAttribute(YES_NO.with_(name=name), Identity()) for name in NAMES)
    alone = DesignedAttribute(YES_NO.with_(name="e"), Uniform(keep=0.8))
    design = Design((*asked, alone), groups=(Group(("a", "b"), "related", 0.7),))
    browser.open(page(design))
    drawn = browser.run(
        "return Array.from({ length: 4000 }, () => distortAnswers(survey, [1, 0, 1, 0, 1],"
        " keyedDice(survey, freshKey(), [1, 0, 1, 0, 1])));"
    )
    # Both answers of the group are reversed, or none is.
    assert {tuple(one[:4]) for one in drawn} == {(1, 0, 1, 0), (0, 1, 1, 0)}
    for place, keep in ((0, 0.7), (4, 0.8)):
        kept = sum(one[place] == 1 for one in drawn)
        assert stats.binomtest(kept, 4000, keep).pvalue > 1e-6
    # The draws of other questions do not hang on the coin, nor those of one key on each other.
    both = sum(one[0] == one[4] == 1 for one in drawn)
    assert stats.binomtest(both, 4000, 0.56).pvalue > 1e-6
    pairs = browser.run(
        "return Array.from({ length: 4000 }, () => { const key = freshKey();"
        " return [0, 1].map((e) => { const one = [1, 0, 1, 0, e];"
        " return distortAnswers(survey, one, keyedDice(survey, key, one))[4] === e; }); });"
    )
    both = sum(first and second for first, second in pairs)
    assert stats.binomtest(both, 4000, 0.64).pvalue > 1e-6


@pytest.mark.slow
def test_that_linked_waves_send_a_number_that_stays_with_the_device(browser, page, inbox):
    design = make_design(waves=2, memoise=True, linked=True)
    path, persons = page(design, post=inbox.address), []
    browser.open(path)
    for _ in range(3):
        browser.run("localStorage.clear()")
        browser.driver.refresh()
        told = browser.run("return document.getElementById('top').textContent")
        assert "only that the answers of several rounds come from one person" in told
        for answer in (1, 0):
            row = review(browser, [answer] * 5)
            persons.append(row["person"])
            assert RowCodec(design).encode(row) is not None
            browser.driver.refresh()
    assert persons[::2] == persons[1::2]
    assert len(set(persons)) == 3
    # Without links nothing tells whose waves they are.
    browser.open(page(make_design(waves=2, memoise=True)))
    assert "person" not in review(browser, [1] * 5)


@pytest.mark.slow
def test_that_answers_with_one_coin_are_remembered_together(browser, page):
    asked = tuple(DesignedAttribute(YES_NO.with_(name=name), Identity()) for name in NAMES)
    design = Design(
        asked,
        groups=(Group(("a", "b"), "unrelated", 0.5), Group(("c", "d"), "unrelated", 0.5)),
        budget=DesignBudget(waves=2, memoise=True, ask=1),
    )
    browser.open(page(design, language="pl"))
    browser.run("localStorage.clear()")
    browser.driver.refresh()
    shown = browser.run(SHOWN)
    assert shown in ([True, True, False, False], [False, False, True, True])
    first = review(browser, [1, 1, 1, 1])
    browser.driver.refresh()
    assert review(browser, [1, 1, 1, 1]) == first
    browser.run("localStorage.clear()")
