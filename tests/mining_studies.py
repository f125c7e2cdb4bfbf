"""Small studies and large tables of itemsets, for tests of mining."""

from __future__ import annotations

from functools import cache

import numpy as np
from designs import classic_study

from ppworkbench.analyses.mining.items import AvailableItems
from ppworkbench.analyses.mining.mine import Mine, itemset_sheet, rule_sheet
from ppworkbench.analyses.mining.runs import MOST_RULES, source_of
from ppworkbench.analyses.runs import Run
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Identity, Uniform
from ppworkbench.core.mining import RuleParams
from ppworkbench.core.progress import Progress, silent
from ppworkbench.gui.pages.mine.view import Listing
from ppworkbench.results.sheet import JoinedTexts
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.fingerprint import fingerprint
from ppworkbench.study.study import Study

PEOPLE = 3000


def survey_table(people: int = PEOPLE) -> Table:
    """Yes-and-no answers that go together, a town, a scale and a number."""
    draw = np.random.default_rng(11)
    busy = draw.random(people) < 0.5

    def answers(when: float, otherwise: float) -> np.ndarray:
        return (draw.random(people) < np.where(busy, when, otherwise)).astype(int)

    columns = [
        Column(Attribute(name, Kind.BINARY, ("no", "yes")), answers(*shares))
        for name, shares in {
            "car": (0.8, 0.3),
            "bike": (0.6, 0.5),
            "pass": (0.2, 0.7),
            "garden": (0.7, 0.4),
        }.items()
    ]
    town = Attribute("town", Kind.NOMINAL, ("Ash", "Beech", "Cedar"))
    mood = Attribute("mood", Kind.ORDINAL, ("low", "middle", "high"))
    pay = Attribute("pay", Kind.CONTINUOUS, domain=(0.0, 100.0))
    vote = Attribute("vote", Kind.BINARY, ("no", "yes"))
    columns += [
        Column(town, draw.choice(3, people, p=(0.5, 0.3, 0.2))),
        Column(mood, draw.choice(3, people)),
        Column(pay, draw.random(people) * 100),
        Column(vote, answers(0.6, 0.4)),
    ]
    return Table(tuple(columns), class_name="vote")


@cache
def survey_study(people: int = PEOPLE, keep: float = 0.9) -> Study:
    """The table under a light design; the class is not distorted."""
    study = classic_study(survey_table(people), "survey")
    names = ("car", "bike", "pass", "garden", "town", "mood")
    changes = dict.fromkeys(names, Uniform(keep=keep))
    return study.with_perturbations(
        {**changes, "pay": Additive(noise="normal", sigma=10.0), "vote": Identity()}
    )


def mining_request(keys, miner, min_confidence=0.5, false_discovery=None) -> Mine:
    """What the Mine page asks for."""
    rules = RuleParams(
        min_confidence=min_confidence, rule_limit=MOST_RULES, false_discovery=false_discovery
    )
    return Mine(values=tuple(keys), miner=miner, rules=rules, uncorrected=True)


def mine_study(study: Study, request: Mine, progress: Progress = silent) -> Run[Mine]:
    """A run of the Mine page, without a window."""
    source = source_of(study, DistortedCache(), request, progress)
    found = request.run(source, progress)
    return Run.of(1, request, fingerprint(study), found, found.facts)


def numbers(run: Run[Mine], column: str, sheet: str = "itemsets") -> np.ndarray:
    """A column of a table of a run."""
    return np.asarray(run.sheet(sheet)[column].values, float)


def listing(words, sides, **numbers: np.ndarray) -> Listing:
    """Made-up itemsets or rules."""
    texts = [JoinedTexts(words, side) for side in sides]
    if len(sides) == 2:
        sheet = rule_sheet(*texts, numbers)
    else:
        sheet = itemset_sheet(texts[0], {"length": texts[0].size, **numbers})
    return Listing(sheet, AvailableItems(), 0.9, is_exact=False)


@cache
def many_sets(rows: int = 100_000, items: int = 60, longest: int = 6) -> Listing:
    """A listing of so many made-up itemsets."""
    draw = np.random.default_rng(3)
    support = draw.random(rows) * 0.4
    return listing(
        tuple(f"item {i:02d}" for i in range(items)), [_members(draw, rows, items, longest)],
        support=support, low=support - 0.01, high=support + 0.01, uncorrected=support + 0.02,
        true=support + draw.normal(0, 0.01, rows),
    )  # fmt: skip


def _members(draw, rows: int, items: int, longest: int) -> np.ndarray:
    steps = draw.integers(1, items // longest, (rows, longest))
    members = (np.cumsum(steps, axis=1) - 1).astype(np.int32)
    members[np.arange(longest) >= draw.integers(1, longest + 1, rows)[:, None]] = -1
    return members


def many_rules(rows: int = 100_000) -> Listing:
    """A listing of so many made-up rules."""
    draw = np.random.default_rng(4)
    members = _members(draw, rows, 60, 3)
    heads = draw.integers(0, 60, (rows, 1)).astype(np.int32)
    confidence = draw.random(rows)
    return listing(
        tuple(f"item {i:02d}" for i in range(60)), [members, heads],
        support=0.4 * draw.random(rows), confidence=confidence, low=confidence - 0.05,
        high=np.minimum(confidence + 0.05, 1.0), lift=2 * confidence,
    )  # fmt: skip


WORDS = ("Bus", "apple", "car", "bus lane")


def small_sets(**more: np.ndarray) -> Listing:
    """Four itemsets; ``more`` are further columns."""
    members = np.array([[0, 1, -1], [2, -1, -1], [0, 2, 3], [1, 3, -1]], np.int32)
    support = np.array([0.2, 0.5, 0.1, 0.2])
    return listing(
        WORDS, [members], support=support, low=support - 0.02, high=support + 0.02,
        uncorrected=support + 0.05, **more,
    )  # fmt: skip
