"""Kinds, values, missing codes and reasons that are guessed."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Kind, MissingCode
from ppworkbench.core.data.build import build_table
from ppworkbench.core.data.delimited.reader import read_csv
from ppworkbench.core.data.inference.numbers import find_codes
from ppworkbench.core.data.inference.plans import summarise_numbers
from ppworkbench.core.data.inference.scales import order_ranges, order_scale
from ppworkbench.core.data.inference.text import similar_values
from ppworkbench.core.data.missing import missing_among_words
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.table import Column, Table


def column_table(folder: Path, cells: list[str], name: str = "q", **options: object) -> Table:
    path = folder / "data.csv"
    # A second column keeps empty cells from being empty lines.
    lines = [f'"{cell}",x' for cell in cells]
    path.write_text("\n".join([f"{name},other", *lines]) + "\n", encoding="utf-8")
    chosen = ReadOptions(**options)  # type: ignore[arg-type]
    return build_table(read_csv(path, chosen), chosen)


def guessed(folder: Path, cells: list[str], name: str = "q", **options: object) -> Column:
    return column_table(folder, cells, name, **options)[name]


def notes(folder: Path, cells: list[str], name: str = "q") -> str:
    return " ".join(column_table(folder, cells, name).notes)


@pytest.mark.parametrize(
    ("cells", "kind", "word"),
    [
        (["yes", "no", "yes"], Kind.BINARY, "Two"),
        (["0", "1", "1"], Kind.BINARY, "Two"),
        (["1.5", "2.5", "1.5"], Kind.BINARY, "Two"),
        (["TRUE", "FALSE"] * 3, Kind.BINARY, "Two"),
        (["1", "2", "3", "4", "5", "3"], Kind.ORDINAL, "scale"),
        ([str(i % 11) for i in range(40)], Kind.ORDINAL, "scale"),
        (["never", "often", "always", "never"], Kind.ORDINAL, "scale"),
        (["18-24", "25-34", "35+"], Kind.ORDINAL, "ranges"),
        (["red", "green", "blue"], Kind.NOMINAL, "no known order"),
        (["12", "40", "33", "12"], Kind.INTEGER, "Whole numbers from 12 to 40"),
        (["12.0", "40.0", "33.0", "12.0"], Kind.INTEGER, "Whole numbers"),
        (["1.5", "2", "7.25"], Kind.CONTINUOUS, "decimals"),
        (["1", "2", "3", "4"], Kind.INTEGER, "Distinct"),
        (["1", "2", "4", "5", "1"], Kind.INTEGER, "Whole numbers"),
        (["2", "3", "4", "2"], Kind.INTEGER, "Whole numbers"),
        (["", "NA", "?"], Kind.NOMINAL, "missing"),
        (["same"] * 3, Kind.NOMINAL, "the same"),
        (["7"] * 3, Kind.NOMINAL, "the same number"),
        (["2020-01-31", "2020-02-01", "2020-02-30"], Kind.NOMINAL, "Dates"),
        (["31.01.2020", "1.2.2020", "3.4.2021"], Kind.NOMINAL, "Dates"),
        (["12:30", "13:05", "01:10"], Kind.NOMINAL, "Dates or times"),
        (["007", "012", "700"], Kind.NOMINAL, "leading zeros"),
        (["9007199254740993", "1", "2"], Kind.NOMINAL, "9007199254740992"),
        ([f"user{i}" for i in range(30)], Kind.NOMINAL, "identifier"),
        ([f"I think that number {i} is best" for i in range(30)], Kind.NOMINAL, "free text"),
        (["12", "14", "15", "abc"], Kind.NOMINAL, "'abc'"),
    ],
)
def test_that_a_kind_is_guessed_with_a_reason(
    cells: list[str], kind: Kind, word: str, tmp_path: Path
) -> None:
    attribute = guessed(tmp_path, cells).attribute
    assert attribute.kind is kind
    assert word in attribute.reason
    assert attribute.reason.endswith(".")
    assert attribute.reason[0] == attribute.reason[0].upper()


@pytest.mark.parametrize(
    ("name", "kind"),
    [("q1", Kind.ORDINAL), ("children", Kind.INTEGER), ("class", Kind.NOMINAL)],
)
def test_that_the_name_tells_scales_from_counts_and_classes(
    name: str, kind: Kind, tmp_path: Path
) -> None:
    assert guessed(tmp_path, ["1", "2", "3", "1"], name).attribute.kind is kind


def test_that_the_domain_is_what_was_observed_rounded_out(tmp_path: Path) -> None:
    assert guessed(tmp_path, ["17", "90", "33", "17"]).attribute.domain == (0, 100)
    assert guessed(tmp_path, ["-0", "1234.5", "2.5"]).attribute.domain == (0, 1400)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["yes", "no"], ("no", "yes")),
        (["tak", "nie"], ("nie", "tak")),
        (["true", "false"], ("false", "true")),
        (["y", "n"], ("n", "y")),
        (["high", "low"], ("low", "high")),
        (["male", "female"], ("female", "male")),
        ([">50K", "<=50K"], ("<=50K", ">50K")),
    ],
)
def test_that_two_values_are_put_in_a_sensible_order(
    cells: list[str], values: tuple[str, ...], tmp_path: Path
) -> None:
    assert guessed(tmp_path, cells).attribute.values == values


# -- missing answers -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    ["", " ", "NA", "?", "N/A", "n/a", "#N/A", "NULL", "NaN", ".", "-", "n/d", "b.d.", "nan"],
)
def test_that_words_among_numbers_are_missing(code: str, tmp_path: Path) -> None:
    found = guessed(tmp_path, ["12", code, "14", "31", code])
    assert found.attribute.kind is Kind.INTEGER
    assert found.missing_count == 2


@pytest.mark.parametrize("code", ["", "  ", "NA", "?", "N/A", "NULL", "NaN", ".", "-", "b.d."])
def test_that_words_among_yes_and_no_are_missing(code: str, tmp_path: Path) -> None:
    found = guessed(tmp_path, ["yes", code, "no", code])
    assert found.attribute.values == ("no", "yes")
    assert found.missing_count == 2


@pytest.mark.parametrize("text", ["nan", "null", "None", "none", "INF", "na"])
def test_that_lower_case_words_among_words_are_answers(text: str, tmp_path: Path) -> None:
    found = guessed(tmp_path, ["yes", text, "no", text])
    assert text in found.attribute.values
    assert found.missing_count == 0


def test_that_namibia_is_a_country(tmp_path: Path) -> None:
    found = guessed(tmp_path, ["NA", "NO", "PL", "NA"])
    assert found.attribute.values == ("NA", "NO", "PL")
    assert guessed(tmp_path, ["NA", "NO", "YES", "NA"]).missing_count == 2


def test_that_minus_beside_plus_is_an_answer() -> None:
    assert missing_among_words(["+", "-"]) == frozenset()
    assert missing_among_words(["a", "b", "-"]) == {"-"}


def test_that_numbers_among_words_are_codes_only_when_no_other_number_is_there() -> None:
    assert missing_among_words(["yes", "no", "99", "-9"]) == {"99", "-9"}
    assert missing_among_words(["1", "2", "more", "99"]) == frozenset()
    assert missing_among_words(["yes", "12"]) == frozenset()


@pytest.mark.parametrize(
    ("numbers", "codes"),
    [
        ([1, 2, 3, 4, 5, 99], {99}),
        ([1, 2, 3, 4, 5, 98, 99], {98, 99}),
        ([0, 1, 2, 5, 10, 77, 88], {77, 88}),
        ([1, 2, 3, -1], {-1}),
        ([1, 2, 3, 4, -9, -8], {-9, -8}),
        ([0, 1, 99], {99}),
        ([1038, 8808, 5000, -9], {-9}),
        ([0, 3, 12, -999, -9], {-999, -9}),
        ([18, 33, 88, 999], {999}),
        ([0.5, 2.25, 9.75, -99], {-99}),
        # possible answers
        ([20, 55, 80, 99], set()),
        ([0, 20, 63, 99], set()),
        ([0, 5000, 41310, 99999], set()),
        ([-2, -1, 0, 1, 2], set()),
        (list(range(-9, 10)), set()),
        ([-1, 0, 1], set()),
        (list(range(1, 100)), set()),
        ([-9, -20, 5, 30], set()),
        ([1, 2, 3, 4, 5, 9], set()),
        ([99, 99, 99], set()),
        ([5, 99], set()),
    ],
)
def test_that_numbers_are_missing_codes_only_where_they_are_no_answers(
    numbers: list[float], codes: set[float]
) -> None:
    found = find_codes(summarise_numbers(np.array(numbers * 3, float)))
    assert {code for code, _ in found.missing} == codes


def test_that_a_code_that_may_be_an_answer_is_pointed_at(tmp_path: Path) -> None:
    assert "declare it as a missing code" in notes(tmp_path, ["20", "55", "80", "99"], "age")


def test_that_an_impossible_number_is_missing_and_told(tmp_path: Path) -> None:
    cells = ["1", "2", "3", "4", "5", "5", "99", "99"]
    found = guessed(tmp_path, cells)
    assert found.attribute.kind is Kind.ORDINAL
    assert found.attribute.values == ("1", "2", "3", "4", "5")
    assert found.attribute.missing_codes == (MissingCode(99.0),)
    assert found.why_missing is not None
    assert found.why_missing.tolist() == [0, 0, 0, 0, 0, 0, 1, 1]
    assert "99 (2×) was read as missing" in notes(tmp_path, cells)


def test_that_named_codes_are_missing_everywhere(tmp_path: Path) -> None:
    named = {"missing_codes": ("refused", "7")}
    assert guessed(tmp_path, ["yes", "no", "refused"], **named).missing_count == 1
    found = guessed(tmp_path, ["1", "2", "3", "7", "7", "1"], **named)
    assert found.missing_count == 2
    assert found.attribute.values == ("1", "2", "3")
    assert guessed(tmp_path, ["12.5", "refused", "7", "3.5"], **named).missing_count == 2


def test_that_words_for_nothing_count_among_very_many_texts(tmp_path: Path) -> None:
    cells = [f"name {i}" for i in range(6000)] + ["NA", "?", " ", "n/d", "refused", "99"]
    found = guessed(tmp_path, cells, missing_codes=("refused",))
    assert found.missing_count == 5
    assert found.attribute.k == 6001


# -- values that similar values, codes with labels ----------------------------------------------


def test_that_values_that_look_alike_stay_apart_and_are_told(tmp_path: Path) -> None:
    cells = [" tak", "tak ", "TAK", "tak", "nie"]
    assert set(guessed(tmp_path, cells).attribute.values) == set(cells)
    assert "similar values" in notes(tmp_path, cells)
    cells = ["1", "1.0", "01", "2"]
    assert set(guessed(tmp_path, cells).attribute.values) == set(cells)
    assert "similar values" in notes(tmp_path, cells)


def test_that_codes_and_codes_with_labels_become_one_answer(tmp_path: Path) -> None:
    cells = ["5 - zdecydowanie tak", "1 - zdecydowanie nie", "3", "5", "99"]
    found = guessed(tmp_path, cells)
    assert found.attribute.kind is Kind.ORDINAL
    assert found.attribute.values == ("1 - zdecydowanie nie", "3", "5 - zdecydowanie tak")
    assert found.attribute.codes == (1, 3, 5)
    assert found.data.tolist() == [2, 0, 1, 2, -1]
    assert "same code" in notes(tmp_path, cells)
    assert "99 (1×) was read as missing" in notes(tmp_path, cells)


def test_that_labels_without_a_scale_are_nominal_in_the_order_of_codes(tmp_path: Path) -> None:
    found = guessed(tmp_path, ["10. Łódź", "2. Kraków", "1. Warszawa", "2. Kraków"])
    assert found.attribute.kind is Kind.NOMINAL
    assert found.attribute.values == ("1. Warszawa", "2. Kraków", "10. Łódź")


def test_that_one_code_with_two_labels_is_not_brought_together(tmp_path: Path) -> None:
    cells = ["1 - yes", "1 - no", "2 - maybe", "1"]
    assert set(guessed(tmp_path, cells).attribute.values) == set(cells)


def test_that_codes_and_labels_in_different_cells_stay_as_they_are(tmp_path: Path) -> None:
    cells = ["5", "1", "trudno powiedzieć", "zdecydowanie tak", "nie dotyczy"]
    assert set(guessed(tmp_path, cells).attribute.values) == set(cells)


# -- summaries -------------------------------------------------------------------------------

PIECES = st.lists(
    st.lists(
        st.sampled_from([1.0, 2.0, 3.0, 2.5, -9.0, 99.0, 1e6, 12.0, np.nan]) | st.floats(-50, 50),
        max_size=20,
    ),
    min_size=1,
    max_size=5,
)


@given(PIECES)
def test_that_summaries_of_pieces_add_up(pieces: list[list[float]]) -> None:
    whole = summarise_numbers(np.array([x for piece in pieces for x in piece], float))
    added = summarise_numbers(np.array(pieces[0], float))
    for piece in pieces[1:]:
        added = added + summarise_numbers(np.array(piece, float))
    assert (added.present, added.missing) == (whole.present, whole.missing)
    assert added.is_whole == whole.is_whole
    assert find_codes(added) == find_codes(whole)
    if whole.distinct is not None and added.distinct is not None:
        assert np.array_equal(added.distinct, whole.distinct)


SCALES = [
    ["zdecydowanie nie", "raczej nie", "trudno powiedzieć", "raczej tak", "zdecydowanie tak"],
    ["Zdec się nie zgadzam", "Nie zgadzam się", "Zgadzam się", "Zdec się zgadzam"],
    ["strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"],
    ["Strongly disagree", "Slightly disagree", "Neutral", "Slightly agree", "Strongly agree"],
    ["never", "rarely", "sometimes", "often", "very often", "always"],
    ["nigdy", "rzadko", "czasami", "często", "zawsze"],
    ["very bad", "bad", "fair", "good", "very good"],
    ["bardzo źle", "źle", "przeciętnie", "dobrze", "bardzo dobrze"],
    ["very poor", "poor", "fair", "good", "very good", "excellent"],
    ["low", "medium", "high"],
    ["niski", "średni", "wysoki"],
    ["very dissatisfied", "dissatisfied", "satisfied", "very satisfied"],
    ["very unlikely", "unlikely", "neutral", "likely", "very likely"],
    ["not at all", "a little", "somewhat", "very"],
    ["primary", "secondary", "bachelor", "master", "phd"],
    ["podstawowe", "zasadnicze zawodowe", "średnie", "wyższe"],
    ["S", "M", "L", "XL"],
    ["extremely liberal", "liberal", "moderate", "conservative", "extremely conservative"],
    ["poor", "rather poor", "average", "good", "very good/mother tongue"],
    ["once a year", "once a month", "once a week", "daily"],
]

RANGES = [
    ["<1", "1-4", ">=4"],
    ["18-24", "25-34", "35-44", "45+"],
    ["none", "1-5", "6-10", "41 or more"],
    ["below 3.00", "3.00 to 3.49", "3.50 to 4.00"],
    ["1985 or before", "1986-1989", "1990-1993"],
    ["<0", "0<=X<200", ">=200"],
    ["None or less than $2,999", "$3,000-$4,999", "$105,000 and over"],
    ["poniżej 20 lat", "20-39 lat", "40-59 lat", "powyżej 60 lat"],
    ["<=50K", ">50K"],
    ["1", "2", "3", "more"],
    ["do 1000 zł", "1000-2000 zł", "powyżej 2000 zł"],
]


@pytest.mark.parametrize("scale", SCALES + RANGES, ids=lambda scale: scale[0])
def test_that_a_scale_is_put_in_order(scale: list[str]) -> None:
    mixed = scale.copy()
    random.Random(3).shuffle(mixed)
    found = order_scale(mixed)
    assert found is not None
    assert list(found.values) == scale


@pytest.mark.parametrize(
    "values",
    [
        ["red", "green", "blue"],
        ["never", "always", "blue"],
        ["good", "GOOD", "bad"],
        ["Warszawa", "Kraków", "Łódź"],
        ["1-4", "2-3", "0-1"],
        ["2:1", "1:0", "0:0"],
        ["agree", "satisfied", "likely"],
        ["never"],
        [],
    ],
)
def test_that_other_values_have_no_order(values: list[str]) -> None:
    assert order_scale(values) is None


def test_that_ranges_that_overlap_have_no_order() -> None:
    assert order_ranges(["1-5", "4-8", "9-12"]) is None
    assert order_ranges(["5-1", "6-7", "8-9"]) is None


def test_that_values_that_look_alike_are_grouped() -> None:
    found = similar_values(["tak", " tak", "TAK", "nie", "1", "1.0", "01", "2"])
    assert found == ((" tak", "TAK", "tak"), ("01", "1", "1.0"))


def test_that_long_whole_numbers_do_not_look_alike() -> None:
    assert similar_values(["9007199254740993", "9007199254740992"]) == ()
