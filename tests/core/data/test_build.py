"""Raw columns of any reader into tables, guessed or under a schema."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind, MissingCode
from ppworkbench.core.data.build import build_table
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError

LIKERT = {1.0: "strongly disagree", 2.0: "disagree", 3.0: "neutral", 4.0: "agree"}


def raw(name: str, cells: Any, **fields: Any) -> RawColumn:
    data = cells if isinstance(cells, pa.ChunkedArray) else pa.chunked_array([pa.array(cells)])
    return RawColumn(name, data, **fields)


def built(*columns: RawColumn, schema: Any = None, **options: Any) -> Table:
    return build_table(RawTable(columns, "here"), ReadOptions(**options), schema)


def one(column: RawColumn, **options: Any) -> Column:
    return built(column, **options)[column.name]


# -- labels, measure levels, user-missing codes ---------------------------------------------


def test_that_labels_become_values_in_the_order_of_their_codes() -> None:
    found = one(raw("q", [2.0, 1.0, None, 4.0], value_labels=LIKERT))
    assert found.attribute.kind is Kind.ORDINAL
    assert found.attribute.values == tuple(LIKERT.values())
    assert found.attribute.codes == (1, 2, 3, 4)
    assert found.data.tolist() == [1, 0, -1, 3]


@pytest.mark.parametrize("measure", ["nominal", "ordinal"])
def test_that_the_measure_level_decides(measure: str) -> None:
    labels = {1.0: "red", 2.0: "green", 3.0: "blue"}
    found = one(raw("q", [1.0, 2.0, 3.0], value_labels=labels, measure=measure))
    assert found.attribute.kind == measure


def test_that_labels_without_a_known_order_are_nominal() -> None:
    found = one(raw("q", [1.0, 3.0], value_labels={1.0: "red", 2.0: "green", 3.0: "blue"}))
    assert found.attribute.kind is Kind.NOMINAL
    assert found.attribute.values == ("red", "green", "blue")


def test_that_two_labels_are_binary() -> None:
    assert (
        one(raw("q", [0.0, 1.0], value_labels={0.0: "no", 1.0: "yes"})).attribute.kind == "binary"
    )


def test_that_user_missing_codes_tell_which_one_a_cell_held() -> None:
    codes = (MissingCode(8.0, "don't know"), MissingCode(9.0, "refused"))
    found = one(raw("q", [1.0, 9.0, 2.0, 8.0, None], value_labels=LIKERT, missing_codes=codes))
    assert found.attribute.missing_codes == codes
    assert found.missing.tolist() == [False, True, False, True, True]
    assert found.why_missing is not None
    assert found.why_missing.tolist() == [0, 2, 0, 1, 0]


def test_that_codes_met_in_a_missing_range_are_listed() -> None:
    found = one(raw("age", [30.0, 997.0, 41.0, 999.0], missing_ranges=((990.0, 999.0),)))
    assert found.attribute.domain == (30, 42) or found.attribute.kind is Kind.BINARY
    assert [m.code for m in found.attribute.missing_codes] == [997, 999]
    assert found.why_missing is not None
    assert found.why_missing.tolist() == [0, 1, 0, 2]
    assert found.attribute.missing_ranges == ((990.0, 999.0),)


def test_that_a_label_for_one_number_leaves_a_numeric_attribute() -> None:
    ages = [float(age) for age in range(18, 80)]
    found = one(raw("age", ages, value_labels={98.0: "98 or older"}, measure="scale"))
    assert found.attribute.kind is Kind.INTEGER
    assert found.attribute.number_labels == ((98.0, "98 or older"),)
    assert found.attribute.domain == (0, 80)


def test_that_a_short_scale_with_labelled_ends_is_ordinal() -> None:
    found = one(raw("q", [1.0, 2.0, 3.0, 4.0, 5.0], value_labels={1.0: "bad", 5.0: "good"}))
    assert found.attribute.kind is Kind.ORDINAL
    assert found.attribute.values == ("bad", "2", "3", "4", "good")


def test_that_one_label_of_two_codes_becomes_two_values() -> None:
    labels = {1.0: "other", 2.0: "other", 3.0: "red"}
    found = one(raw("q", [1.0, 2.0, 3.0], value_labels=labels))
    assert found.attribute.values == ("other (1)", "other (2)", "red")


def test_that_text_codes_have_labels() -> None:
    labels = {"m": "male", "f": "female"}
    codes = (MissingCode("x", "refused"),)
    found = one(raw("sex", ["f", "m", "x", None], value_labels=labels, missing_codes=codes))
    assert found.attribute.values == ("male", "female")
    assert found.attribute.codes == ("m", "f")
    assert found.data.tolist() == [1, 0, -1, -1]
    assert found.why_missing is not None
    assert found.why_missing.tolist() == [0, 0, 1, 0]


def test_that_reasons_given_beside_the_data_are_kept() -> None:
    why = np.array([0, 1, 0], np.int16)
    codes = (MissingCode(".a", "refused"),)
    found = one(raw("x", [1.5, None, 7.25], missing_codes=codes, why_missing=why))
    assert found.attribute.missing_codes == codes
    assert found.why_missing is not None
    assert found.why_missing.tolist() == [0, 1, 0]


def test_that_unlabelled_numbers_of_a_nominal_measure_are_nominal() -> None:
    found = one(raw("region", [3.0, 7.0, 12.0, 3.0], measure="nominal"))
    assert found.attribute.kind is Kind.NOMINAL
    assert found.attribute.values == ("3", "7", "12")


# -- declared values and Arrow types ---------------------------------------------------------


def test_that_listed_values_keep_their_order_and_unused_ones() -> None:
    found = one(raw("q", ["b", "a", None], values=("c", "b", "a")))
    assert found.attribute.values == ("c", "b", "a")
    assert found.data.tolist() == [1, 2, -1]
    assert one(raw("q", ["b"], values=("c", "b", "a"), ordered=True)).attribute.kind == "ordinal"


def test_that_an_answer_outside_of_the_list_is_added_and_told() -> None:
    found = built(raw("q", ["b", "z", "?"], values=("a", "b", "c")))
    assert found["q"].attribute.values == ("a", "b", "c", "z")
    assert found["q"].missing_count == 1
    assert "'z'" in found.notes[0]


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        (pa.array([True, False, None]), Kind.BINARY, ("false", "true")),
        (pa.array([1, 2, 3, 3], pa.int8()), Kind.ORDINAL, ("1", "2", "3")),
        (pa.array(["a", "b", "c"]).dictionary_encode(), Kind.NOMINAL, ("a", "b", "c")),
        (pa.nulls(3), Kind.NOMINAL, ()),
        (pa.nulls(3, pa.float64()), Kind.NOMINAL, ()),
        (pa.array([], pa.int64()), Kind.NOMINAL, ()),
        (pa.array([2**60, 1, 2]), Kind.NOMINAL, ("1", "1152921504606846976", "2")),
        (pa.array(["1", "2", "3", "3"]), Kind.NOMINAL, ("1", "2", "3")),
    ],
)
def test_that_arrow_types_are_understood(
    cells: pa.Array, kind: Kind, values: tuple[str, ...]
) -> None:
    found = one(RawColumn("x", pa.chunked_array([cells])))
    assert (found.attribute.kind, found.attribute.values) == (kind, values)


def test_that_a_column_of_lists_is_refused() -> None:
    with pytest.raises(DataError, match="neither text nor a number"):
        one(RawColumn("x", pa.chunked_array([pa.array([[1], [2]])])))


def test_that_a_dictionary_with_a_null_word_is_read() -> None:
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 0]), pa.array(["a", None, "b"]))
    found = one(RawColumn("x", pa.chunked_array([words])))
    assert found.data.tolist() == [0, -1, 1, 0]


def test_that_many_rows_are_built_like_few() -> None:
    rng = np.random.default_rng(1)
    cells = {"n": rng.integers(0, 9, 60_000), "x": rng.normal(size=60_000)}
    few = built(*(raw(name, data[:1000]) for name, data in cells.items()))
    many = built(*(raw(name, data) for name, data in cells.items()))
    assert [a.kind for a in few.attributes] == [a.kind for a in many.attributes]
    assert np.array_equal(few["n"].data, many["n"].data[:1000])


# -- schema ----------------------------------------------------------------------------------

SEX = Attribute("sex", Kind.BINARY, ("F", "M"))
AGE = Attribute("age", Kind.INTEGER, domain=(0, 100))


def test_that_a_schema_types_its_columns_and_others_are_guessed() -> None:
    found = built(raw("x", [1.5, 2.5, 3.0]), raw("sex", ["M", "M", "NA"]), schema=[SEX])
    assert found["sex"].attribute == SEX
    assert found["sex"].data.tolist() == [1, 1, -1]
    assert found["x"].attribute.kind is Kind.CONTINUOUS
    assert found.names == ("x", "sex")


def test_that_a_missing_column_is_named() -> None:
    with pytest.raises(DataError, match=r"no column 'sex'.* there are x") as caught:
        built(raw("x", [1.0]), schema=[SEX])
    assert caught.value.attribute == "sex"


def test_that_values_not_listed_are_named_and_counted() -> None:
    cells = ["M", "X", "f", "X"]
    with pytest.raises(DataError, match=r"3 records .*'X' \(2×\), 'f' \(1×\)") as caught:
        built(raw("sex", cells), schema=[SEX])
    assert caught.value.attribute == "sex"


def test_that_text_among_numbers_is_named_with_its_record() -> None:
    with pytest.raises(DataError, match=r"'abc' in record 3 is not a number") as caught:
        built(raw("age", ["12", "NA", "abc"]), schema=[AGE])
    assert caught.value.row == 3


def test_that_numbers_may_lie_outside_of_the_domain() -> None:
    found = built(raw("age", ["-12", "300.5", ""]), schema=[AGE])["age"]
    assert found.data[:2].tolist() == [-12, 300.5]
    assert found.missing_count == 1


def test_that_a_value_wins_over_a_missing_code() -> None:
    country = Attribute("c", Kind.NOMINAL, ("NA", "", "PL"))
    assert built(raw("c", ["NA", "", "?"]), schema=[country])["c"].data.tolist() == [0, 1, -1]


@pytest.mark.parametrize(
    ("values", "cells", "data"),
    [
        (("1", "2"), [1, 2, 1], [0, 1, 0]),
        (("1", "2"), [1.0, 2.0, None], [0, 1, -1]),
        (("1.0", "2.0"), ["1", "2"], [0, 1]),
        (("1", "1.0", "01"), ["01", "1.0", "1"], [2, 1, 0]),
        (("low", "high"), ["high", "low"], [1, 0]),
        (("=x", "y"), ["'=x", "y"], [0, 1]),
        (("TRUE", "FALSE"), [True, False], [0, 1]),
    ],
)
def test_that_values_are_found_however_the_file_stores_them(
    values: tuple[str, ...], cells: list[Any], data: list[int]
) -> None:
    attribute = Attribute("q", Kind.NOMINAL, values)
    assert built(raw("q", cells), schema=[attribute])["q"].data.tolist() == data


def test_that_a_number_that_two_values_may_be_is_refused() -> None:
    attribute = Attribute("q", Kind.NOMINAL, ("1.0", "1.00"))
    with pytest.raises(DataError, match="outside its list: '1'"):
        built(raw("q", [1.0]), schema=[attribute])


def test_that_codes_of_a_labelled_file_find_their_values() -> None:
    attribute = Attribute("q", Kind.ORDINAL, ("agree", "disagree"), codes=(4.0, 2.0))
    found = built(raw("q", [2.0, 4.0], value_labels=LIKERT), schema=[attribute])
    assert found["q"].data.tolist() == [1, 0]


def test_that_missing_codes_of_the_schema_tell_which_one_a_cell_held() -> None:
    codes = (MissingCode(98.0), MissingCode(99.0))
    age = AGE.with_(missing_codes=codes)
    found = built(raw("age", [30, 99, 98]), schema=[age])["age"]
    assert found.missing.tolist() == [False, True, True]
    assert found.why_missing is not None
    assert found.why_missing.tolist() == [0, 2, 1]


def test_that_named_missing_codes_count_under_a_schema() -> None:
    found = built(raw("sex", ["M", "refused"]), schema=[SEX], missing_codes=("refused",))
    assert found["sex"].data.tolist() == [1, -1]
    found = built(raw("age", ["30", "-5"]), schema=[AGE], missing_codes=("-5",))
    assert found["age"].missing_count == 1


def test_that_the_attributes_of_a_codebook_are_used_unless_a_schema_says_otherwise() -> None:
    table = RawTable((raw("sex", ["F", "M"]),), "here", schema=(SEX,))
    assert build_table(table)["sex"].attribute == SEX
    other = Attribute("sex", Kind.NOMINAL, ("F", "M", "other"))
    assert build_table(table, schema=[other])["sex"].attribute == other
