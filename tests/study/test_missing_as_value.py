"""Missing answers that are distorted like any other answer."""

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind, MissingPolicy
from ppworkbench.core.data.edits import set_missing_policy
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.study.study import Study

SMOKES = Attribute("smokes", Kind.BINARY, ("no", "yes"))


def test_that_missing_becomes_a_distorted_answer_when_the_policy_says_so():
    table = Table((Column(SMOKES, np.array([0, 1, -1, -1])),))
    study = Study.of_table(table, "gaps")
    changed = study.with_table(set_missing_policy(table, "smokes", MissingPolicy.VALUE))
    designed = changed.design["smokes"]
    assert designed.missing_is_value
    assert designed.attribute.values == ("no", "yes", "missing")
    np.testing.assert_allclose(changed.prior("smokes").probabilities, [0.25, 0.25, 0.5])
    out = distort(changed.original, changed.design, SeededStreams(1))
    assert (out["smokes"].data >= 0).all()
    again = changed.with_table(set_missing_policy(changed.original, "smokes", MissingPolicy.LEAVE))
    assert again.design["smokes"].attribute.values == ("no", "yes")
