"""Commands on a folder print the same bytes whatever the parts are, and what a single file gives.

Sums over the rows of a single file are rounded in the order of the rows, so that its last digits
may be others; whatever is counted, drawn or said is the same.
"""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from examples import examples, sweep
from hypothesis import given
from hypothesis import strategies as st
from part_files import write_parts

from ppworkbench.api.data import release
from ppworkbench.cli.main import main
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.parts import open_parts
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Identity, Uniform
from ppworkbench.core.design.design_file import read_design, write_design
from ppworkbench.core.design.distort import distort
from ppworkbench.core.progress import Cancelled
from ppworkbench.core.rng import SeededStreams
from tests.regression_surveys import attention_survey

ROWS = 600
PERTURBATIONS = {
    "sex": Uniform(keep=0.8),
    "age": Additive(noise="uniform", range_privacy=30),
    "district": Uniform(keep=0.7),
    "income": Additive(noise="uniform", range_privacy=20),
    "supports_school": Identity(),
}
QUESTIONS = {
    "count": ["count", "--where", "sex = female and district in {'Old Town', Northfield}"],
    "count of a number": ["count", "--where", "sex = female and income < 3000"],
    "mean": ["mean", "--of", "income", "--where", "sex = female"],
    "distribution": ["distribution", "--of", "district", "--where", "sex = female"],
    "distribution of a number": ["distribution", "--of", "age"],
    "crosstab": ["crosstab", "--of", "sex", "--by", "district"],
    "regress": ["regress", "--formula", "supports_school ~ sex + age"],
    "regress a number": ["regress", "--formula", "income ~ sex", "--effects"],
}


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    folder = tmp_path_factory.mktemp("survey")
    original = load_sample("city-survey", rows=ROWS).select(PERTURBATIONS)
    design = Design(
        tuple(DesignedAttribute(original[name].attribute, p) for name, p in PERTURBATIONS.items())
    )
    distorted = distort(original, design, SeededStreams(3))
    write_design(design, folder / "design.json")
    write_table(distorted, folder / "whole.parquet")
    return folder, distorted


def told(capsys, *words) -> str:
    assert main([*map(str, words), "--json"]) == 0
    return capsys.readouterr().out


def refused(capsys, *words) -> str:
    assert main([*map(str, words)]) != 0
    return capsys.readouterr().err


def check_alike(found, expected) -> None:
    """The same but for the rounding of sums."""
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        for key, value in expected.items():
            check_alike(found[key], value)
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            check_alike(one, other)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-7, abs=1e-9)
    else:
        assert found == expected


@pytest.mark.parametrize(
    "question", sweep(QUESTIONS, quick=("count of a number", "crosstab", "regress a number"))
)
def test_that_any_partition_gives_the_same_bytes(question, survey, capsys, tmp_path):
    folder, distorted = survey
    words = [*QUESTIONS[question], "--design", folder / "design.json"]
    expected = told(capsys, words[0], write_parts(tmp_path / "one", distorted), *words[1:])
    single = told(capsys, words[0], folder / "whole.parquet", *words[1:])
    check_alike(json.loads(expected), json.loads(single))
    made = 0

    @examples(0.4)
    @given(st.lists(st.integers(0, ROWS), max_size=5))
    def check(cuts):
        nonlocal made
        made += 1
        parts = write_parts(tmp_path / str(made), distorted, cuts)
        assert told(capsys, words[0], parts, *words[1:]) == expected

    check()


ROLES = ["--weight", "w", "--stratum", "region", "--cluster", "school"]
OF_ROWS = {
    "quantile": ["quantile", "--of", "income", "--where", "sex = female"],
    "quantile of a plain condition": ["quantile", "--of", "age", "--no-sampling"],
    "compare": ["compare", "--of", "supports_school=yes", "--by", "district"],
    "weighted count": ["count", "--where", "sex = female and income < 3000", *ROLES],
    "weighted mean": ["mean", "--of", "income", "--where", "sex = female", *ROLES],
    "weighted distribution": ["distribution", "--of", "district", *ROLES],
    "weighted quantile": ["quantile", "--of", "income", *ROLES],
    "weighted comparison": ["compare", "--of", "income", "--by", "sex", *ROLES],
    "weighted reconstruction": ["reconstruct", "--attribute", "district", *ROLES],
    "weighted regression": ["regress", "--formula", "supports_school ~ sex + age", *ROLES],
}


@pytest.fixture(scope="module")
def drawn(survey, tmp_path_factory):
    """The survey with a weight, a stratum and a cluster, which no design knows."""
    folder, distorted = survey
    frame = distorted.to_frame()
    draw = np.random.default_rng(5)
    frame["w"] = draw.choice([0.5, 1.25, 3.0], ROWS)
    frame["region"] = draw.choice(["north", "south"], ROWS)
    frame["school"] = [f"{one[0]}{place}" for one, place in
                       zip(frame["region"], draw.integers(1, 12, ROWS), strict=True)]  # fmt: skip
    frame.to_parquet(folder / "drawn.parquet")
    return folder, frame


def write_frames(folder, frame, cuts=()):
    folder.mkdir()
    borders = sorted({0, *cuts, len(frame)})
    for place, (start, stop) in enumerate(pairwise(borders)):
        # Texts of a part are coded by a dictionary of its own.
        part = frame.iloc[start:stop].astype({"school": "category"})
        part.to_parquet(folder / f"part.{place}.parquet", index=False)
    return folder


@pytest.mark.parametrize(
    "question",
    sweep(OF_ROWS, quick=("compare", "weighted mean", "weighted reconstruction")),
)
def test_that_rows_of_any_partition_give_the_same_bytes(question, drawn, capsys, tmp_path):
    folder, frame = drawn
    words = [*OF_ROWS[question], "--design", folder / "design.json"]
    expected = told(capsys, words[0], write_frames(tmp_path / "one", frame), *words[1:])
    single = told(capsys, words[0], folder / "drawn.parquet", *words[1:])
    check_alike(json.loads(expected), json.loads(single))
    for place, cuts in enumerate(([1], [250], [17, 18, 599])):
        parts = write_frames(tmp_path / str(place), frame, cuts)
        assert told(capsys, words[0], parts, *words[1:]) == expected


def without_chance(found: dict) -> dict:
    return {name: value for name, value in found.items() if name != "expected_by_chance"}


def test_that_weighted_records_of_any_partition_are_mined_as_the_single_file(
    drawn, capsys, tmp_path
):
    folder, frame = drawn
    items = ["--attribute", "sex", "--attribute", "district", "--min-support", 0.02, "--rules"]
    words = ["--design", folder / "design.json", *items]

    def mined(data, *more):
        found = json.loads(told(capsys, "mine", data, *words, *more))
        found.pop("seconds")
        return found

    weighted = ["--weight", "w"]
    expected = mined(write_frames(tmp_path / "one", frame), *weighted)
    assert any("weight 'w'" in note for note in expected["notes"])
    single = mined(folder / "drawn.parquet", *weighted)
    # What chance brings is shuffled anew where records come in another order.
    check_alike(without_chance(expected), without_chance(single))
    assert single["itemsets"] != mined(folder / "drawn.parquet")["itemsets"]
    parts = write_frames(tmp_path / "three", frame, [17, 250])
    assert mined(parts, *weighted) == expected


@pytest.mark.slow
def test_that_rows_are_put_together_by_several_processes(drawn, capsys, tmp_path):
    folder, frame = drawn
    words = [*OF_ROWS["weighted mean"], "--design", folder / "design.json"]
    expected = told(capsys, words[0], write_frames(tmp_path / "one", frame), *words[1:])
    parts = write_frames(tmp_path / "parts", frame, [100, 350])
    assert told(capsys, words[0], parts, *words[1:], "--engine", "local:2") == expected


def test_that_rows_are_not_put_together_where_they_are_too_many(
    drawn, capsys, tmp_path, monkeypatch
):
    folder, frame = drawn
    parts = write_frames(tmp_path / "parts", frame, [9])
    words = [*OF_ROWS["quantile"], "--design", folder / "design.json"]
    monkeypatch.setattr("ppworkbench.core.survey.parted.MOST_RECORDS", 20)
    assert "more than 20 different" in refused(capsys, words[0], parts, *words[1:])
    monkeypatch.setattr("ppworkbench.core.survey.parted.MOST_ROWS", 599)
    assert "600 rows" in refused(capsys, words[0], parts, *words[1:])
    people = ["participants", parts, "--where", "sex = female", "--design", folder / "design.json"]
    assert "single file" in refused(capsys, *people)


def test_that_a_missing_role_is_named(drawn, capsys, tmp_path):
    folder, frame = drawn
    parts = write_frames(tmp_path / "parts", frame, [9])
    words = [*OF_ROWS["compare"], "--design", folder / "design.json", "--weight", "nothing"]
    assert "'nothing'" in refused(capsys, words[0], parts, *words[1:])


def test_that_the_design_inside_the_parts_is_used(survey, capsys, tmp_path):
    folder, distorted = survey
    question = QUESTIONS["count"]
    one = write_parts(tmp_path / "one", distorted)
    expected = told(capsys, "count", one, *question[1:], "--design", folder / "design.json")
    parts = write_parts(tmp_path / "parts", distorted, [100], read_design(folder / "design.json"))
    assert told(capsys, "count", parts, *question[1:]) == expected


def test_that_processes_and_an_address_of_fsspec_give_the_same(survey, capsys, tmp_path):
    pytest.importorskip("fsspec", reason="ppworkbench[cluster] is not installed")
    folder, distorted = survey
    words = [*QUESTIONS["mean"], "--design", folder / "design.json"]
    expected = told(capsys, words[0], write_parts(tmp_path / "one", distorted), *words[1:])
    parts = write_parts(tmp_path / "parts", distorted, [100, 101, 350])
    assert told(capsys, words[0], f"file://{parts}", *words[1:]) == expected


@pytest.mark.slow
def test_that_several_processes_give_the_same(survey, capsys, tmp_path):
    folder, distorted = survey
    words = [*QUESTIONS["mean"], "--design", folder / "design.json"]
    expected = told(capsys, words[0], write_parts(tmp_path / "one", distorted), *words[1:])
    parts = write_parts(tmp_path / "parts", distorted, [100, 101, 350])
    assert told(capsys, words[0], parts, *words[1:], "--engine", "local:2") == expected


def test_that_part_2_comes_before_part_10(survey, tmp_path):
    _, distorted = survey
    parts = open_parts(str(write_parts(tmp_path / "parts", distorted, range(50, 600, 50))))
    assert [part.first for part in parts.files] == list(range(0, 600, 50))
    assert parts.rows == ROWS


def test_that_bad_folders_and_engines_are_said_in_a_sentence(survey, capsys, tmp_path):
    folder, distorted = survey
    question = [*QUESTIONS["count"][1:], "--design", folder / "design.json"]
    (tmp_path / "empty").mkdir()
    assert "has no part" in refused(capsys, "count", tmp_path / "empty", *question)
    odd = write_parts(tmp_path / "odd", distorted.take(slice(0, 10)), [])
    odd = write_parts(tmp_path / "odd" / "more", distorted.select(["sex"]), [])
    (odd / "part.0.parquet").rename(tmp_path / "odd" / "part.1.parquet")
    assert "has other columns than part.0.parquet" in refused(
        capsys, "count", tmp_path / "odd", *question
    )
    parts = write_parts(tmp_path / "parts", distorted, [9])
    assert "is no engine" in refused(capsys, "count", parts, *question, "--engine", "spark://x:1")
    whole = folder / "whole.parquet"
    assert "give a folder" in refused(capsys, "count", whole, *question, "--engine", "local:2")
    assert "joint method" in refused(capsys, "count", parts, *question, "--method", "sequential")
    assert "single file" in refused(capsys, "count", parts, *question, "--original", whole)


def test_that_an_unknown_scheme_is_said_in_a_sentence(survey, capsys):
    pytest.importorskip("fsspec", reason="ppworkbench[cluster] is not installed")
    folder, _ = survey
    question = [*QUESTIONS["count"][1:], "--design", folder / "design.json"]
    assert "begin with nowhere://" in refused(capsys, "count", "nowhere://a/b", *question)


@pytest.mark.slow
def test_that_a_scheduler_that_does_not_respond_is_said(survey, capsys, tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="ppworkbench[cluster] is not installed")
    monkeypatch.setattr("ppworkbench.core.engines._CONNECT", 0.3)
    folder, distorted = survey
    question = [*QUESTIONS["count"][1:], "--design", folder / "design.json"]
    parts = write_parts(tmp_path / "parts", distorted, [9])
    said = refused(capsys, "count", parts, *question, "--engine", "dask://127.0.0.1:9")
    assert "No cluster responds at tcp://127.0.0.1:9" in said


def test_that_too_many_different_answers_are_refused(survey, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("ppworkbench.core.survey.parted.MOST_RECORDS", 20)
    folder, distorted = survey
    parts = write_parts(tmp_path / "parts", distorted, [9])
    said = refused(capsys, "mean", parts, "--of", "income", "--design", folder / "design.json")
    assert "more than 20 different combinations" in said


@pytest.mark.slow
def test_that_any_partition_is_distorted_and_reconstructed_as_the_single_file(
    survey, capsys, tmp_path
):
    folder, _ = survey
    original = load_sample("city-survey", rows=ROWS).select(PERTURBATIONS)
    write_table(original, tmp_path / "true.parquet")
    design = ["--design", folder / "design.json"]
    out = tmp_path / "reported.parquet"
    told(capsys, "distort", tmp_path / "true.parquet", *design, "--out", out, "--seed", 5)
    expected = read_table(out)
    whole = write_parts(tmp_path / "reported", expected)
    reconstructed = told(capsys, "reconstruct", whole, *design)
    check_alike(json.loads(reconstructed), json.loads(told(capsys, "reconstruct", out, *design)))
    made = 0

    @examples(0.4)
    @given(st.lists(st.integers(0, ROWS), max_size=5))
    def check(cuts):
        nonlocal made
        made += 1
        parts = write_parts(tmp_path / f"true {made}", original, cuts)
        there = tmp_path / f"reported {made}"
        told(capsys, "distort", parts, *design, "--out", there, "--seed", 5)
        schema = [one.distorted for one in read_design(folder / "design.json")]
        opened = open_parts(str(there))
        assert sorted(path.name for path in there.iterdir()) == [
            part.name for part in sorted(opened.files, key=lambda part: part.name)
        ]
        tables = list(opened.tables(0, ROWS, schema))
        for name in expected.names:
            data = np.concatenate([table[name].data for table in tables])
            assert data.tobytes() == expected[name].data.tobytes()
        assert told(capsys, "reconstruct", there, *design) == reconstructed

    check()


def test_that_a_release_of_parts_is_secure_shuffled_and_leaves_nothing_after_an_error(
    survey, capsys, tmp_path
):
    folder, distorted = survey
    original = load_sample("city-survey", rows=ROWS).select(PERTURBATIONS)
    parts = write_parts(tmp_path / "true", original, [100])
    design = ["--design", folder / "design.json"]
    found = json.loads(told(capsys, "distort", parts, *design, "--out", tmp_path / "out"))
    assert (found["rows"], found["secure"], found["shuffled"]) == (ROWS, True, True)
    assert any("within their parts" in note for note in found["notes"])
    # The design of the release stands in the parts, and they are not distorted again.
    told(capsys, "count", tmp_path / "out", "--where", "sex = female")
    said = refused(capsys, "distort", tmp_path / "out", *design, "--out", tmp_path / "again")
    assert "reported answers" in said
    assert "has parts already" in refused(
        capsys, "distort", parts, *design, "--out", tmp_path / "out"
    )
    odd = write_parts(tmp_path / "odd", distorted.select(["sex"]), [])
    assert "no column" in refused(capsys, "distort", odd, *design, "--out", tmp_path / "none")
    assert not (tmp_path / "none").exists()
    broken = write_parts(tmp_path / "broken", original, [100])
    whole = (broken / "part.1.parquet").read_bytes()
    (broken / "part.1.parquet").write_bytes(whole[:4] + bytes(200) + whole[204:])
    assert refused(capsys, "distort", broken, *design, "--out", tmp_path / "half")
    assert not (tmp_path / "half").exists()


@pytest.mark.parametrize("seed", [None, 7])
def test_that_a_stopped_release_leaves_nothing(seed, survey, tmp_path):
    folder, _ = survey
    original = load_sample("city-survey", rows=ROWS).select(PERTURBATIONS)
    parts = write_parts(tmp_path / "true", original, [100, 200, 300])
    told = []

    def stop(done, _message=""):
        told.append(done)
        if done >= 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        release(parts, folder / "design.json", tmp_path / "out", seed=seed, progress=stop)
    assert told == sorted(told)
    assert not (tmp_path / "out").exists()


def test_that_a_seed_and_shuffling_of_parts_are_refused(survey, capsys, tmp_path):
    folder, distorted = survey
    parts = write_parts(tmp_path / "true", distorted, [100])
    words = ["distort", parts, "--design", folder / "design.json", "--seed", 1]
    assert "keep their order" in refused(capsys, *words, "--shuffle", "--out", tmp_path / "out")
    assert "into a folder" in refused(capsys, *words, "--out", tmp_path / "out.parquet")


@pytest.mark.slow
@pytest.mark.parametrize("method", sweep(["shrinkage", "mask", "apriori"], quick=1))
def test_that_any_partition_is_mined_as_the_single_file(method, survey, capsys, tmp_path):
    folder, distorted = survey
    more = ["--design", folder / "design.json", "--method", method, "--min-support", 0.05]
    for name in ("sex", "district", "supports_school"):
        more += ["--attribute", name]
    made = 0

    def mined(path) -> dict:
        found = json.loads(told(capsys, "mine", path, *more, "--rules"))
        assert found.pop("seconds") > 0
        assert found["itemsets"]
        return found

    # Single records, which are shuffled to see what chance brings, never leave their parts.
    expected = without_chance(mined(folder / "whole.parquet"))

    @examples(0.4)
    @given(st.lists(st.integers(0, ROWS), max_size=5))
    def check(cuts):
        nonlocal made
        made += 1
        assert mined(write_parts(tmp_path / str(made), distorted, cuts)) == expected

    check()


def test_that_check_questions_of_parts_correct_as_those_of_the_single_file(capsys, tmp_path):
    table, design = attention_survey(np.random.default_rng(1), 900)
    write_design(design, tmp_path / "design.json")
    write_table(table, tmp_path / "whole.parquet")
    words = ["--design", tmp_path / "design.json", "--formula", "trait=yes ~ x"]
    expected = json.loads(told(capsys, "regress", tmp_path / "whole.parquet", *words))
    assert expected["device"]["trait"]["parameter"] == "attentive"
    parts = write_parts(tmp_path / "parts", table, [17, 400])
    check_alike(json.loads(told(capsys, "regress", parts, *words)), expected)


@pytest.mark.parametrize("method", ["shrinkage", "mask"])
def test_that_parts_with_missing_answers_are_mined_as_the_single_file(
    method, survey, capsys, tmp_path
):
    folder, distorted = survey
    gaps = distorted["district"].data.copy()
    gaps[::7] = -1
    table = distorted.replace(distorted["district"].with_(data=gaps))
    write_table(table, tmp_path / "whole.parquet")
    more = ["--design", folder / "design.json", "--method", method, "--min-support", 0.02]
    for name in ("sex", "district", "supports_school"):
        more += ["--attribute", name]

    def mined(path) -> dict:
        found = json.loads(told(capsys, "mine", path, *more, "--rules"))
        del found["seconds"]
        return found

    expected = mined(write_parts(tmp_path / "one", table))
    assert max(len(one["items"]) for one in expected["itemsets"]) > 1
    whole = mined(tmp_path / "whole.parquet")
    assert (whole["transactions"], whole["left_out"]) == (514, 86)
    assert any("86 of 600 records lack an answer" in note for note in expected["notes"])
    check_alike(expected, without_chance(whole))
    for place, cuts in enumerate([[1], [100, 101, 350], [599]]):
        assert mined(write_parts(tmp_path / str(place), table, cuts)) == expected


def test_that_parts_are_not_mined_record_by_record(survey, capsys, tmp_path):
    folder, distorted = survey
    parts = write_parts(tmp_path / "parts", distorted, [9])
    design = ["--design", folder / "design.json", "--attribute", "sex"]
    assert "give the design" in refused(capsys, "mine", parts)
    said = refused(capsys, "mine", parts, *design, "--method", "mmask")
    assert "looks at single records" in said
    tested = ["--rules", "--false-discovery", 0.05]
    assert "told from single records" in refused(capsys, "mine", parts, *design, *tested)
    said = refused(capsys, "mine", parts, *design, "--transform", "independent")
    assert "mine a single file" in said
