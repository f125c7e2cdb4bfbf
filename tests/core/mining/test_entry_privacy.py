"""Privacy of a single entry after mining, against sums by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Identity, Related, Uniform, Unrelated
from ppworkbench.core.itemsets import ItemOptions, item_data
from ppworkbench.core.mining import Mask, RuleParams, entry_privacy, find_rules, mine

DRUG, THEFT = (Attribute(name, Kind.BINARY, ("no", "yes")) for name in ("drug", "theft"))
SEX = Attribute("sex", Kind.NOMINAL, ("F", "M", "X"))
COIN = Unrelated(theta=0.8, personal=(0.5, 0.5))


def survey(sex_device):
    """People of three sexes, of whom some did both, one or nothing; all sets and all rules."""
    random = np.random.default_rng(5)
    sex = random.integers(0, 3, 9000)
    drug = random.random(9000) < np.array([0.2, 0.5, 0.7])[sex]
    theft = random.random(9000) < np.where(drug, 0.6, 0.1)
    told = [np.where(random.random(9000) < 0.8, one, random.random(9000) < 0.5)
            for one in (drug, theft)]  # fmt: skip
    edges = np.cumsum(sex_device.matrix(3), axis=0)[:2, sex]
    said = (random.random(9000) >= edges).sum(axis=0)
    columns = {DRUG: told[0], THEFT: told[1], SEX: said}
    table = Table(tuple(Column(one, np.asarray(data, np.int32)) for one, data in columns.items()))
    design = Design((
        DesignedAttribute(DRUG, COIN), DesignedAttribute(THEFT, Related(theta=0.9)),
        DesignedAttribute(SEX, sex_device),
    ))  # fmt: skip
    data = item_data(table, design, ("drug", "sex"), ItemOptions(absences=True))
    return mine(data, Mask(min_support=0.001)), data, design


def privacy(result, data, design, least=0.0):
    rules = find_rules(result, data, RuleParams(min_confidence=least))
    found = entry_privacy(result.itemsets, rules, data, design)
    return {one.item: one for one in found}, rules


def support(result, *names):
    sets = result.itemsets
    return sets.raw[next(i for i in range(len(sets)) if set(sets.names(i)) == set(names))]


@pytest.mark.parametrize("device", [Identity(), Uniform(keep=0.7)], ids=["known", "randomised"])
def test_that_rules_that_exclude_each_other_add_up(device):
    result, data, design = survey(device)
    found, _ = privacy(result, data, design)
    yes, share = found["drug=yes"], support(result, "drug=yes")
    sexes = np.array([support(result, f"sex={value}") for value in SEX.values])
    both = np.array([support(result, "drug=yes", f"sex={value}") for value in SEX.values])
    # Everybody has one of the values: all rules together recover the whole share.
    assert yes.known == pytest.approx(both.sum())
    assert yes.known == pytest.approx(share, abs=1e-9)
    # Whoever reports r is of sex o with a probability that the device leaves open.
    joint = device.matrix(3) * sexes
    posterior = joint / joint.sum(axis=1, keepdims=True)
    assert yes.reported == pytest.approx((posterior @ (both / sexes)).max())
    # Pr(yes|yes) = 0.8 + 0.2 / 2, Pr(yes|no) = 0.1.
    seen = share * 0.9 + (1 - share) * 0.1
    wrong = 2 * share * (1 - share) * (0.9 * 0.1 / seen + 0.1 * 0.9 / (1 - seen))
    assert yes.before == pytest.approx(wrong)
    assert yes.after == pytest.approx(wrong - max(yes.known, yes.reported))


def test_that_a_randomised_left_side_recovers_less():
    known, hidden = (
        privacy(*survey(device))[0]["drug=yes"] for device in (Identity(), Uniform(keep=0.5))
    )
    assert hidden.reported < known.reported - 0.1


def test_that_without_rules_nothing_is_recovered():
    result, data, design = survey(Identity())
    found, rules = privacy(result, data, design, least=1.0)
    assert not len(rules)
    for one in found.values():
        assert (one.known, one.reported) == (0, 0)
        assert one.after == one.before


def test_that_only_unrelated_questions_are_told_the_least_private_first():
    _, _, design = survey(Identity())
    data = item_data_of_all(design)
    found, _ = privacy(mine(data, Mask(min_support=0.01)), data, design)
    assert {name.partition("=")[0] for name in found} == {"drug"}
    after = [one.after for one in found.values()]
    assert len(after) == 2
    assert after == sorted(after)


def item_data_of_all(design):
    random = np.random.default_rng(6)
    columns = {DRUG: 2, THEFT: 2, SEX: 3}
    table = Table(tuple(
        Column(one, random.integers(0, k, 500).astype(np.int32)) for one, k in columns.items()
    ))  # fmt: skip
    return item_data(table, design, None, ItemOptions(absences=True))
