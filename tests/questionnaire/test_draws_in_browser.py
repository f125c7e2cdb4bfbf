"""What the page draws is distributed as the design says; thousands of answers in real Chromium.

The browser's randomness cannot be seeded, so limits are set where chance alone comes about once in
a million runs.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from math import comb

import numpy as np
import pytest
from designs import (
    AGE,
    COLOURS,
    LIKERT,
    MATRIX_CASES,
    MEAN_CASES,
    NOISE_CASES,
    SALARY,
    SET_CASES,
    YES_NO,
)
from scipy import stats

from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute, Kind
from ppworkbench.core.data.sets import count_named
from ppworkbench.core.design import (
    Design,
    DesignedAttribute,
    Discretise,
    Laplace,
    Subset,
    UnaryEncoding,
    Uniform,
)
from ppworkbench.core.design.design_file import publishable
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.core.reconstruct import reconstruct
from ppworkbench.fieldwork.collected import read_collected

ONE_IN_A_MILLION = 1e-6
PEOPLE = 6_000
MANY = 1_000_000

# The numbers of the browser's own generator, fetched by the block: a million calls for a few bytes
# each would take minutes.
BLOCKS = """
const fetched = crypto.getRandomValues.bind(crypto);
const block = new Uint32Array(16384);
let used = block.length;
crypto.getRandomValues = (wanted) => {
  if (used + wanted.length > block.length) {
    fetched(block);
    used = 0;
  }
  for (let i = 0; i < wanted.length; i += 1) wanted[i] = block[used + i];
  used += wanted.length;
  return wanted;
};
"""

# How often each report is drawn for one true answer: of numbers, how many lie between edges.
COUNT = """
const [place, answer, edges, people] = arguments;
const how = survey.questions[place].mechanism;
const counted = new Map();
const cell = (value) => {
  if (Array.isArray(value)) return value.join("|");
  if (edges === null) return value;
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edges[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
};
for (let i = 0; i < people; i += 1) {
  const found = cell(MECHANISMS[how.type](answer, how, secureUniform));
  counted.set(found, (counted.get(found) || 0) + 1);
}
return JSON.stringify([...counted]);
"""

DRAW = """
const [answers, people] = arguments;
const drawn = survey.questions.map(() => []);
for (let i = 0; i < people; i += 1) {
  const one = answers.map((list) => list[i % list.length]);
  const sent = distortAnswers(survey, one, freshDice(survey));
  sent.forEach((value, place) => drawn[place].push(value));
}
return JSON.stringify(drawn);
"""


def draw(browser, answers, people=PEOPLE):
    """What many people with these answers would send, question by question."""
    return json.loads(browser.run(DRAW, answers, people))


def count(browser, place, answer, people, edges=None):
    """How often each report is drawn; a script may take half a minute only."""
    told = Counter()
    for _ in range(5):
        told.update(dict(json.loads(browser.run(COUNT, place, answer, edges, people // 5))))
    return told


def named(cases):
    """A design of all cases, each attribute under a name of its own."""
    listed = [(a.with_(name=f"{a.name}{i}"), p) for i, (a, p) in enumerate(cases)]
    return Design(tuple(DesignedAttribute(a, p) for a, p in listed))


def chi_square(observed, expected):
    """The probability of a deviation as large as this, cells of rare answers joined."""
    order = np.argsort(-expected)
    observed, expected = observed[order], expected[order]
    rare = expected < 8
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    if expected[-1] < 1e-9:
        assert observed[-1] == 0, "an impossible answer was drawn"
        observed, expected = observed[:-1], expected[:-1]
    if len(expected) < 2:
        return 1.0
    return stats.chisquare(observed, expected * observed.sum() / expected.sum()).pvalue


@pytest.mark.slow
def test_that_every_matrix_is_drawn_as_it_is_designed(browser, page):
    design = named(MATRIX_CASES)
    browser.open(page(design))
    browser.run(BLOCKS)
    for place, designed in enumerate(design):
        k = designed.attribute.k
        matrix = designed.perturbation.matrix(k)
        for true in range(k):
            told = count(browser, place, true, MANY // k)
            observed = np.array([told.get(value, 0) for value in range(k)])
            p = chi_square(observed, matrix[:, true] * observed.sum())
            assert p > ONE_IN_A_MILLION, f"{designed.perturbation}, true answer {true}: p = {p}"


def chances_of_sets(perturbation, k, true):
    """The probability of every set that can be reported, by the places that it names."""
    naming = perturbation.naming(k)
    sizes = range(k + 1) if naming.size is None else [naming.size]
    chances = {}
    for named in (named for size in sizes for named in combinations(range(k), size)):
        if naming.size is None:
            each = [naming.g if v == true else naming.h for v in range(k)]
            chance = np.prod([p if v in named else 1 - p for v, p in enumerate(each)])
        else:
            weight = naming.size * naming.odds + k - naming.size
            chance = (naming.odds if true in named else 1) * k / weight / comb(k, naming.size)
        chances["|".join(map(str, named))] = float(chance)
    assert sum(chances.values()) == pytest.approx(1)
    return chances


@pytest.mark.slow
def test_that_every_set_is_drawn_as_it_is_designed(browser, page):
    design = named(SET_CASES)
    browser.open(page(design))
    browser.run(BLOCKS)
    for place, designed in enumerate(design):
        k = designed.attribute.k
        true = place % k
        told = count(browser, place, true, MANY)
        chances = chances_of_sets(designed.perturbation, k, true)
        assert set(told) <= set(chances)
        observed = np.array([told.get(one, 0) for one in chances])
        p = chi_square(observed, np.array(list(chances.values())) * MANY)
        assert p > ONE_IN_A_MILLION, f"{designed.perturbation}, true answer {true}: p = {p}"


@pytest.mark.slow
def test_that_dice_that_are_slightly_loaded_would_be_found(browser, page):
    design = named(MATRIX_CASES[:1])
    browser.open(page(design))
    loaded = DRAW.replace("freshDice(survey)", "freshDice(survey, () => secureUniform() ** 1.1)")
    sent = np.array(json.loads(browser.run(loaded, [[0]], 60_000))[0])
    told = np.bincount(sent, minlength=4)
    expected = MATRIX_CASES[0][1].matrix(4)[:, 0] * told.sum()
    assert chi_square(told, expected) < ONE_IN_A_MILLION


def edges_of(perturbation, attribute, x, step):
    """Borders of about twelve cells, between the points that can be published."""
    low, high = perturbation.support(attribute)
    z = np.linspace(low, high, 20_001)
    below = perturbation.conditional_cdf(z, np.array(x), attribute)
    inner = np.interp(np.linspace(0, 1, 13)[1:-1], below, z)
    return np.unique((np.rint(inner / step) + 0.5) * step)


@pytest.mark.slow
def test_that_every_noise_is_drawn_as_it_is_designed(browser, page):
    # With few points, discrete noise and rounded noise are told apart.
    few = Attribute("few", Kind.INTEGER, domain=(22, 28))
    ends = ({}, {"inside": True}, {"absorb": True})
    coarse = [(few, Laplace(epsilon=4.0, **one)) for one in ends]
    design = publishable(named([*coarse, *NOISE_CASES, *MEAN_CASES]))
    browser.open(page(design))
    browser.run(BLOCKS)
    # A million of every way in which the script draws, fewer of the same with other parameters.
    ways = browser.run(
        "return survey.questions.map("
        "({ mechanism: m }) => `${m.type} ${m.noise} ${m.truncate} ${m.stays} ${m.absorbs}`)"
    )
    xs = [25.0 if d.attribute.kind is Kind.INTEGER else 1_234.0 for d in design]
    some = draw(browser, [[x] for x in xs], 500)
    for place, (designed, x) in enumerate(zip(design, xs, strict=True)):
        attribute, perturbation = designed.attribute, designed.perturbation
        step = 1.0 if attribute.kind is Kind.INTEGER else getattr(perturbation, "grid", None)
        steps = np.array(some[place]) / step
        assert np.allclose(steps, np.rint(steps), atol=1e-6)
        edges = edges_of(perturbation, attribute, x, step)
        below = perturbation.conditional_cdf(edges, np.array(x), attribute)
        people = MANY if ways[place] not in ways[:place] else MANY // 10
        expected = np.diff(np.concatenate([[0.0], below, [1.0]])) * people
        told = count(browser, place, x, people, edges.tolist())
        observed = np.array([told.get(cell, 0) for cell in range(len(edges) + 1)])
        p = chi_square(observed, expected)
        assert p > ONE_IN_A_MILLION, f"{perturbation}: p = {p}"


def test_that_intervals_and_undistorted_answers_are_sent_as_they_are(browser, page):
    cases = [(SALARY, Discretise(intervals=5)), (AGE, Discretise(edges=(18, 30, 65, 90))),
             (COLOURS, Identity()), (AGE, Identity())]  # fmt: skip
    design = named(cases)
    browser.open(page(design))
    answers = [[100, 2_080, 10_000], [18, 29, 30, 90], [3], [44]]
    sent = draw(browser, answers, 4)
    edges = [d.perturbation.edges_of(d.attribute) for d in list(design)[:2]]
    for told, given, border in zip(sent, answers[:2], edges, strict=False):
        true = np.array((given * 2)[:4])
        place = np.clip(np.searchsorted(border, true, side="right") - 1, 0, len(border) - 2)
        assert told == place.tolist()
    assert sent[2:] == [[3] * 4, [44] * 4]


@pytest.mark.slow
def test_that_a_group_shares_one_coin(browser, page):
    others = [YES_NO.with_(name=name) for name in ("a", "b", "c")]
    designed = tuple(DesignedAttribute(one, Identity()) for one in (*others, COLOURS))
    groups = (Group(("a", "b"), "related", 0.7), Group(("c", "colour"), "unrelated", 0.4))
    browser.open(page(Design(designed, None, groups)))
    a, b, c, colour = (np.array(s) for s in draw(browser, [[0], [1], [1], [2]], 8_000))
    # Reversed together or not at all.
    assert np.array_equal(a, 1 - b)
    assert stats.binomtest(int((a == 0).sum()), 8_000, 0.7).pvalue > ONE_IN_A_MILLION
    both = float(np.mean((c == 1) & (colour == 2)))
    # Both true by the coin, or both by chance: 0.4 + 0.6 / 2 / 4, not the product of the two.
    expected = 0.4 + 0.6 / 8
    assert abs(both - expected) < 5 * np.sqrt(expected * (1 - expected) / 8_000)


def test_that_a_missing_answer_is_a_value_like_any_other(browser, page):
    asked = Attribute("smokes", Kind.NOMINAL, ("no", "yes", MISSING_VALUE))
    design = Design((DesignedAttribute(asked, Uniform(keep=0.6), missing_is_value=True),))
    browser.open(page(design))
    shown = browser.run("return [...document.querySelectorAll('.choice')].map((c) => c.innerText)")
    assert shown == ["no", "yes", "I prefer not to answer"]
    told = np.bincount(draw(browser, [[2]])[0], minlength=3)
    assert chi_square(told, np.array([0.2, 0.2, 0.6]) * PEOPLE) > ONE_IN_A_MILLION


@pytest.mark.slow
def test_that_uniform_numbers_have_53_random_bits(browser, page):
    browser.open(page(named([(YES_NO, Uniform(keep=0.7))])))
    draws = np.array(browser.run("return Array.from({ length: 2000 }, () => secureUniform())"))
    assert draws.min() >= 0
    assert draws.max() < 1
    whole = draws * 2.0**53
    assert np.array_equal(whole, np.rint(whole))
    # The last bit is as even as the first.
    ones = int((whole.astype(np.uint64) & np.uint64(1)).sum())
    assert stats.binomtest(ones, 2000).pvalue > ONE_IN_A_MILLION
    assert stats.kstest(draws, "uniform").pvalue > ONE_IN_A_MILLION


ROWS = """
const [answers, people] = arguments;
let text = "";
for (let i = 0; i < people; i += 1) {
  const one = answers.map((list) => list[i]);
  text += rowText(survey, distortAnswers(survey, one, freshDice(survey)));
}
return text;
"""


@pytest.mark.slow
@pytest.mark.parametrize("form", ["json", "csv"])
def test_that_sent_rows_come_back_and_give_the_truth(browser, page, tmp_path, form):
    likert = LIKERT.with_(values=("bad; worse", 'so "so"', "fine, thanks", "=good", "świetnie"))
    cases = [(likert, MATRIX_CASES[2][1]), (YES_NO, MATRIX_CASES[1][1]), (AGE, NOISE_CASES[3][1])]
    design = Design(tuple(DesignedAttribute(a, p) for a, p in cases))
    source = np.random.default_rng(7)
    true = {
        "mood": source.choice(5, PEOPLE, p=[0.1, 0.2, 0.3, 0.25, 0.15]),
        "smokes": source.choice(2, PEOPLE, p=[0.7, 0.3]),
        "age": np.clip(np.rint(source.normal(45, 12, PEOPLE)), 18, 90),
    }
    browser.open(page(design, answers=form))
    text = browser.run(ROWS, [true[name].tolist() for name in design.names], PEOPLE)
    lines = text.splitlines(keepends=True)
    # Two files, as two places would collect them.
    half = len(lines) // 2
    paths = [tmp_path / f"one.{form}", tmp_path / f"two.{form}"]
    for path, part in zip(paths, (lines[:half], lines[half:]), strict=True):
        path.write_text("".join(part), encoding="utf-8")
    table = read_collected(paths, design)
    assert table.rows == PEOPLE
    assert table.notes == ()
    for name, k in (("mood", 5), ("smokes", 2)):
        found = reconstruct(
            table[name], design[name].attribute, design[name].perturbation, "eq", confidence=None
        )
        share = np.bincount(true[name], minlength=k) / PEOPLE
        wide = reconstruct(
            table[name],
            design[name].attribute,
            design[name].perturbation,
            "eq",
            confidence=0.999999,
        )
        assert np.all(wide.low <= share), (name, found.raw, share)
        assert np.all(share <= wide.high), (name, found.raw, share)
    # Noise of standard deviation 6 leaves the mean where it was.
    error = np.sqrt(6.0**2 + 1 / 12) / np.sqrt(PEOPLE)
    assert abs(table["age"].data.mean() - true["age"].mean()) < 5 * error


@pytest.mark.slow
@pytest.mark.parametrize("form", ["json", "csv"])
def test_that_sent_sets_come_back_and_give_the_truth(browser, page, tmp_path, form):
    colours = COLOURS.with_(values=("red", "a|b", 'so "so", yes', "back\\slash"))
    likert = LIKERT.with_(values=("1", "2", "3", "4", "5"))
    cases = [(colours, Subset(epsilon=2.0)), (likert, UnaryEncoding(epsilon=2.0))]
    design = Design(tuple(DesignedAttribute(a, p) for a, p in cases))
    source = np.random.default_rng(8)
    true = {"colour": source.choice(4, PEOPLE, p=[0.4, 0.3, 0.2, 0.1]),
            "mood": source.choice(5, PEOPLE, p=[0.1, 0.2, 0.3, 0.25, 0.15])}  # fmt: skip
    browser.open(page(design, answers=form))
    text = browser.run(ROWS, [true[name].tolist() for name in design.names], PEOPLE)
    path = tmp_path / f"sets.{form}"
    path.write_text(text, encoding="utf-8")
    table = read_collected([path], design)
    assert (table.rows, table.notes) == (PEOPLE, ())
    for name in design.names:
        attribute, perturbation = design[name].attribute, design[name].perturbation
        naming = perturbation.naming(attribute.k)
        share = np.bincount(true[name], minlength=attribute.k) / PEOPLE
        found = naming.share(count_named(table[name].data, attribute.k) / PEOPLE)
        error = np.sqrt(naming.variance(share) / PEOPLE)
        assert np.all(np.abs(found - share) < 5 * error), (name, found, share)
