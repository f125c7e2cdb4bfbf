"""What the Mine page says of runs and numbers."""

import pytest
from mining_studies import mining_request

from ppworkbench.analyses.mining.mine import length_sheet
from ppworkbench.analyses.mining.runs import PROBABLY, SURELY, with_certainty
from ppworkbench.analyses.runs import Run
from ppworkbench.core.mining import Apriori, Mask
from ppworkbench.gui.pages.mine.texts import errors_sentence, level, seconds, truth_words


def judged(*errors, certainty=PROBABLY, miner=None):
    known = dict(
        zip(("length", "true", "found", "correct"), zip(*errors, strict=True), strict=False)
    )
    miner = with_certainty(miner or Mask(min_support=0.05), certainty)
    sheets = {"lengths": length_sheet(known or {"length": (), "found": ()})}
    return Run(1, mining_request((), miner), sheets=sheets)


def at(*counts):
    return counts


@pytest.mark.parametrize(
    ("errors", "certainty", "expected"),
    [
        ([at(1, 7, 7, 7), at(2, 3, 5, 3)], PROBABLY, "choose “lower limit above minimum”"),
        ([at(1, 7, 7, 7), at(2, 3, 5, 3)], SURELY, "need more respondents"),
        ([at(1, 7, 7, 7), at(2, 6, 3, 3)], PROBABLY, "3 of 6 frequent sets of size 2"),
        ([at(1, 7, 7, 7), at(2, 6, 6, 6)], PROBABLY, "13 of 13 frequent sets are found"),
        ([at(1, 0, 0, 0)], PROBABLY, "No set reaches"),
        ([], PROBABLY, "no original answers"),
    ],
)
def test_that_the_sentence_names_what_is_worst(errors, certainty, expected):
    assert expected in errors_sentence(judged(*errors, certainty=certainty))


def test_that_limits_and_times_are_read_as_people_write_them():
    assert [level(v) for v in (0.05, 0.005, 0.0005, 1.0)] == [
        "5\u202f%", "0.5\u202f%", "0.05\u202f%", "100\u202f%",
    ]  # fmt: skip
    times = [0.0002, 0.0042, 0.043, 12.3, 1200]
    assert [seconds(v) for v in times] == ["< 1 ms", "4 ms", "0.04 s", "12 s", "20 min"]


def test_that_counts_of_original_answers_are_called_the_truth():
    assert "true supports" in truth_words(judged(miner=Apriori()))
