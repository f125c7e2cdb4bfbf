"""The statistics of a survey in Python, which are those of the command line."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest
from part_files import write_parts

import ppworkbench as pp
from ppworkbench.cli.main import main

ROLES = ["--weight", "weight", "--cluster", "school"]

QUESTIONS = {
    "count": (
        lambda s: s.count("fare_evasion = yes and sex = F"),
        ["count", "--where", "fare_evasion = yes and sex = F"],
    ),
    "share": (lambda s: s.share("fare_evasion"), ["share", "--where", "fare_evasion = yes"]),
    "share-among": (
        lambda s: s.share("fare_evasion = no", where="sex = F"),
        ["distribution", "--of", "fare_evasion", "--where", "sex = F"],
    ),
    "mean": (lambda s: s.mean("age", "sex = F"), ["mean", "--of", "age", "--where", "sex = F"]),
    "distribution": (
        lambda s: s.distribution("district", confidence=0.9),
        ["distribution", "--of", "district", "--confidence", "0.9"],
    ),
    "table": (
        lambda s: s.table("sex", "fare_evasion"),
        ["crosstab", "--of", "sex", "--by", "fare_evasion"],
    ),
    "compare": (
        lambda s: s.compare("fare_evasion=yes", "sex"),
        ["compare", "--of", "fare_evasion=yes", "--by", "sex"],
    ),
    "compare answers": (
        lambda s: s.compare("fare_evasion=yes", against="sex=F"),
        ["compare", "--of", "fare_evasion=yes", "--against", "sex=F"],
    ),
    "participants": (
        lambda s: s.participants("fare_evasion = yes", size=4),
        ["participants", "--where", "fare_evasion = yes", "--size", "4"],
    ),
    "regress": (
        lambda s: s.regress("fare_evasion=yes ~ sex", effects=True, predict=[{"sex": "F"}]),
        ["regress", "--formula", "fare_evasion=yes ~ sex", "--effects", "--predict", "sex=F"],
    ),
    "correlate": (
        lambda s: s.correlate("sex=F", "fare_evasion"),
        ["correlate", "--of", "sex=F,fare_evasion"],
    ),
}


def run(capsys, *words: str) -> str:
    assert main(list(words)) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", QUESTIONS)
def test_that_a_result_is_the_document_and_the_text_of_the_command(
    name: str, files, answers: pd.DataFrame, capsys
) -> None:
    ask, (command, *options) = QUESTIONS[name]
    result = ask(pp.Survey(answers, "design.json"))
    words = [command, "reported.csv", "--design", "design.json", *options]
    document = json.loads(run(capsys, *words, "--json"))
    # The share of one answer stands before the distribution that it is a part of.
    assert {key: one for key, one in result.to_dict().items() if key in document} == document
    printed = run(capsys, *words).replace("\u202f", " ").rstrip("\n")
    said = result.summary().replace("\u202f", " ")
    assert [one for one in said.split("\n\n") if one in printed.split("\n\n")] == printed.split(
        "\n\n"
    )
    assert name == "share-among" or said == printed


@pytest.mark.parametrize("name", ["count", "mean", "compare", "regress"])
def test_that_weights_and_clusters_are_those_of_the_command(
    name: str, files, answers: pd.DataFrame, capsys
) -> None:
    ask, (command, *options) = QUESTIONS[name]
    result = ask(pp.Survey(answers, "design.json", weights="weight", cluster="school"))
    words = [command, "reported.csv", "--design", "design.json", *options, *ROLES, "--json"]
    assert result.to_dict() == json.loads(run(capsys, *words))


def test_that_a_frame_a_table_and_a_file_give_the_same_number(
    files, answers: pd.DataFrame, design: pp.Design
) -> None:
    table = pp.read("reported.csv")
    sources = (answers, table, table.to_frame(), "reported.csv", files / "reported.csv")
    found = {pp.Survey(one, design).share("fare_evasion").estimate for one in sources}
    assert len(found) == 1


def test_that_a_file_with_its_codebook_brings_its_design(files, true_answers) -> None:
    words = ["distort", "true.csv", "--design", "design.json", "--out", "out.csv", "--seed", "1"]
    assert main(words) == 0
    assert pp.Survey("out.csv").share("fare_evasion").low < 0.3


def test_that_a_share_is_near_the_truth(true_answers: pd.DataFrame, design: pp.Design) -> None:
    many = pd.concat([true_answers] * 30, ignore_index=True)
    survey = pp.Survey(pp.distort(many, design, seed=3), design, original=many)
    found = survey.share("fare_evasion")
    truth = (many["fare_evasion"] == "yes").mean()
    assert abs(found.estimate - truth) < 4 * found.standard_error
    assert found.to_frame()["true"].item() == pytest.approx(truth)
    among = survey.share("fare_evasion", where="sex = F")
    women = many[many["sex"] == "F"]
    assert abs(among.estimate - (women["fare_evasion"] == "yes").mean()) < 4 * among.standard_error
    assert among.low < among.estimate < among.high


def test_that_tables_have_the_unit_of_their_numbers_in_their_heads(tmp_path) -> None:
    pp.write_sample("city-survey", tmp_path / "city.csv", rows=400, seed=2)
    survey = pp.Survey(tmp_path / "city.csv")
    compared, shares = survey.compare("age", "district"), survey.compare("car=yes", "district")
    for found, head in ((compared, "| estimate (years) |"), (shares, "| estimate |")):
        found.save(tmp_path / "groups.md", sheet="groups")
        written = (tmp_path / "groups.md").read_text("utf-8")
        assert head in written
        assert "n = 400; 95 % confidence intervals in brackets." in written


def test_that_the_tidy_table_has_a_row_per_estimate(answers, design) -> None:
    survey = pp.Survey(answers, design)
    table = survey.table("sex", "fare_evasion").to_frame()
    assert table[["row", "column"]].to_numpy().tolist() == [
        ["F", "no"], ["F", "yes"], ["M", "no"], ["M", "yes"],
    ]  # fmt: skip
    assert table["estimate"].sum() == pytest.approx(len(answers))
    compared = survey.compare("age", "district")
    assert compared.to_frame()[["a", "b"]].to_numpy().tolist() == [
        ["east", "north"], ["south", "north"], ["south", "east"],
    ]  # fmt: skip
    groups = compared.groups()
    assert groups["group"].tolist() == ["north", "east", "south"]
    # Everybody may live anywhere, and by the estimate each of them lives somewhere.
    assert set(groups["people"]) == {len(answers)}
    assert groups["size"].sum() == pytest.approx(len(answers))
    north = survey.count("district = north").to_frame()["estimate"].iloc[0]
    assert groups["size"].iloc[0] == pytest.approx(north)
    model = survey.regress("fare_evasion=yes ~ sex", predict=["sex=F", "sex=M"])
    assert model.to_frame()["term"].tolist() == ["(intercept)", "sex"]
    assert model.predictions()["sex"].tolist() == ["F", "M"]
    assert model.to_csv().startswith("label,term")
    assert "tabular" in model.to_latex()


def test_that_roles_of_the_design_can_be_turned_off(answers, design) -> None:
    known = design.to_dict() | {"sampling": {"weight": "weight"}}
    weighted, plain = pp.Survey(answers, known), pp.Survey(answers, known, sampling=False)
    assert weighted.share("fare_evasion").estimate != plain.share("fare_evasion").estimate
    assert plain.share("fare_evasion").remarks[0].startswith("The sampling of the file is not used")


def test_that_the_frame_is_left_as_it_was(answers, design) -> None:
    before = answers.copy()
    pp.Survey(answers, design).share("fare_evasion")
    pd.testing.assert_frame_equal(answers, before)


@pytest.mark.parametrize(
    ("ask", "field", "words"),
    [
        (lambda a, d: pp.Survey(3, d), "data", "not int"),
        (lambda a, d: pp.Survey(a, 3), "design", "not int"),
        (lambda a, d: pp.Survey(a, d).share("district"), "what", "district = north"),
        (lambda a, d: pp.Survey(a, d).share("age < 30", where="sex = F"), "what", "one answer"),
        (lambda a, d: pp.Survey(a, d).share("sex = X", where="sex = F"), "what", "F, M"),
        (lambda a, d: pp.Survey(a, d).count("sex = F", level=1), "level", "'level'"),
        (lambda a, d: pp.Survey(a, d).count("sex = F", arms="A"), "arms", "list of texts"),
        (lambda a, d: pp.Survey(a, d).quantile("age", [2]), "at", "above 0"),
        (lambda a, d: pp.Survey(a, d).correlate("age"), "names", "two"),
        (lambda a, d: pp.Survey(a, d, weights="weight", sampling=False), "sampling", "drop one"),
        (lambda a, d: pp.Survey(a, d, options={"aim": 1}), "aim", "target"),
        (lambda a, d: pp.Survey("x.csv", d, reading={"sep": 1}), "sep", "separator"),
        (lambda a, d: pp.Survey(pa.table({"sex": ["F"]}), d), "data", "pyarrow; convert it with"),
        (lambda a, d: pp.Survey(a, d, strata=a["sex"]), "strata", "strata='region'"),
        (lambda a, d: pp.Survey(a, d).share("sex = F", confidence="0.9"), "confidence", "'0.9'"),
        (lambda a, d: pp.Survey(a, d).mean("age", confidence=[]), "confidence", "a number"),
        (lambda a, d: pp.Survey(a, d).quantile("age", sharpest=[]), "sharpest", "'none'"),
        (lambda a, d: pp.Survey(a, d, original=a[:5]).mean("age"), "original", "5 true answers"),
    ],
)
def test_that_a_wrong_argument_is_told_in_one_sentence(ask, field, words, answers, design) -> None:
    with pytest.raises(pp.WorkbenchError) as told:
        ask(answers, design)
    assert told.value.field == field
    assert words in told.value.message
    assert told.value.message.count("\n") == 0


def test_that_unfit_columns_are_named(answers, design) -> None:
    mixed = answers.assign(sex=[1, "F"] * (len(answers) // 2))
    with pytest.raises(pp.WorkbenchError, match="'sex' mixes"):
        pp.Survey(mixed, design).share("sex = F")
    with pytest.raises(pp.WorkbenchError, match="no column 'fare_evasion'"):
        pp.Survey(answers.drop(columns="fare_evasion"), design).share("fare_evasion")
    twice = pd.concat([answers, answers[["sex"]]], axis=1)
    with pytest.raises(pp.WorkbenchError, match="Two columns are called 'sex'"):
        pp.Survey(twice, design).share("fare_evasion")
    other = answers.assign(fare_evasion="perhaps")
    with pytest.raises(pp.WorkbenchError, match="perhaps"):
        pp.Survey(other, design).share("fare_evasion")


def test_that_missing_answers_and_other_types_are_understood(answers, design) -> None:
    as_objects = answers.astype({"fare_evasion": object})
    as_objects.loc[:9, "fare_evasion"] = None
    found = pp.Survey(as_objects, design).share("fare_evasion")
    assert found.found.respondents == len(answers) - 10
    flags = pp.Design.from_dict(
        {
            "format": "ppworkbench-design",
            "version": 1,
            "attributes": {
                "smokes": {
                    "kind": "binary",
                    "values": ["False", "True"],
                    "perturbation": {"type": "uniform", "keep": 0.9},
                }
            },
        }
    )
    smokers = pd.DataFrame({"smokes": np.arange(100) < 50})
    assert pp.Survey(smokers, flags).share("smokes = True").estimate == pytest.approx(0.5)


def cut_ages(answers: pd.DataFrame) -> pd.Series:
    """Ages in three intervals, of which the first people have none."""
    ages = answers["age"].astype(float)
    return pd.cut(ages.where(ages.index > 2), [0.0, 40.0, 60.0, 200.0])


@pytest.mark.parametrize("is_coded", [True, False])
def test_that_intervals_and_sparse_numbers_of_pandas_are_answers(is_coded, answers) -> None:
    groups = cut_ages(answers)
    expected = [None if pd.isna(one) else str(one) for one in groups]
    if not is_coded:
        groups = groups.astype(groups.cat.categories.dtype)
    numbers = np.arange(len(groups)) % 50 * 1.5
    frame = pd.DataFrame({"group": groups, "number": pd.arrays.SparseArray(numbers)})
    table = pp.inspect(frame).table
    found = table["group"].to_series().astype(object)
    assert found.where(found.notna(), None).tolist() == expected
    assert table["number"].to_series().tolist() == numbers.tolist()


def test_that_intervals_in_a_file_are_refused(answers, tmp_path) -> None:
    pairs = pa.array([{"left": 0, "right": 40}, {"left": 40, "right": 60}])
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pairs)
    pyarrow.feather.write_feather(pa.table({"group": coded}), tmp_path / "cut.feather")
    with pytest.raises(pp.WorkbenchError, match="'group' contains struct"):
        pp.read(tmp_path / "cut.feather")


def test_that_an_absent_role_is_told_with_all_columns(answers, design, files, tmp_path) -> None:
    folder = write_parts(tmp_path / "parts", pp.Survey(answers, design).answers(["sex"]).table)
    for data, there in ((answers, "school"), ("reported.csv", "school"), (folder, "sex")):
        with pytest.raises(pp.WorkbenchError, match=f"no column 'stratum'.* {there}"):
            pp.Survey(data, design, strata="stratum").share("sex = F")


def test_that_a_folder_of_empty_parts_is_told_in_one_sentence(answers, design, tmp_path) -> None:
    answers[["sex", "fare_evasion"]].iloc[:0].to_parquet(tmp_path / "part-0.parquet")
    survey = pp.Survey(tmp_path, design)
    for ask in (lambda: survey.share("sex = F"), lambda: survey.regress("fare_evasion=yes ~ sex")):
        with pytest.raises(pp.WorkbenchError, match="no records"):
            ask()
    with pytest.raises(pp.WorkbenchError, match="such as 'local:4', not 3") as told:
        pp.Survey(tmp_path, design, engine=3)
    assert told.value.field == "engine"


@pytest.mark.parametrize("name", ["a=b", "sex = F", " evasion "])
def test_that_a_name_may_have_equals_signs_and_blanks(name: str, answers, design) -> None:
    document = design.to_dict()
    document["attributes"][name] = document["attributes"].pop("fare_evasion")
    renamed = pp.Survey(answers.rename(columns={"fare_evasion": name}), document)
    plain = pp.Survey(answers, design)
    pd.testing.assert_frame_equal(
        renamed.compare(f"{name}=yes", "sex").to_frame(),
        plain.compare("fare_evasion=yes", "sex").to_frame(),
    )
    found = renamed.correlate(f"{name}=yes", "sex = M").to_frame()
    assert found["estimate"].tolist() == (
        plain.correlate("fare_evasion=yes", "sex = M").to_frame()["estimate"].tolist()
    )


def test_that_a_single_cluster_without_strata_is_called_the_whole_sample(answers, design) -> None:
    survey = pp.Survey(answers.assign(town="Ash"), design, cluster="town")
    remarks = survey.share("fare_evasion").found.remarks
    assert any("single sampled cluster: the whole sample;" in one for one in remarks)


@pytest.mark.parametrize(
    ("formula", "options", "words"),
    [
        ("age ~ sex", {}, "Linear regression. Fitted to 300 records."),
        (
            "age ~ sex",
            {"model": "poisson"},
            "Poisson regression (log link). Fitted to 300 records.",
        ),
        ("fare_evasion=yes ~ sex", {}, "Logistic regression. Fitted to 300 records."),
    ],
)
def test_that_the_summary_of_a_regression_names_its_model(
    formula, options, words, true_answers, design
) -> None:
    document = design.to_dict()
    document["attributes"]["age"]["perturbation"] = {"type": "none"}
    found = pp.Survey(true_answers, document).regress(formula, **options)
    assert found.summary().startswith(words)


@pytest.mark.parametrize("is_coded", [True, False])
def test_that_periods_of_pandas_are_answers(is_coded) -> None:
    months = pd.Series(pd.PeriodIndex(["2026-01", None, "2026-02", "2026-01"], freq="M"))
    frame = pd.DataFrame({"month": months.astype("category") if is_coded else months})
    table = pp.inspect(frame).table
    found = table["month"].to_series().astype(object)
    assert found.where(found.notna(), None).tolist() == ["2026-01", None, "2026-02", "2026-01"]


@pytest.mark.parametrize("ask", [pp.inspect, pp.Design.starting])
def test_that_an_infinite_number_of_a_frame_is_told_with_its_record(ask) -> None:
    with pytest.raises(pp.WorkbenchError, match="'pay': the number in record 3 is infinite"):
        ask(pd.DataFrame({"pay": [1.5, 2.5, -np.inf]}))


@pytest.mark.parametrize("ask", [pp.inspect, pp.Design.starting])
def test_that_a_column_of_a_frame_without_a_name_is_told(ask) -> None:
    with pytest.raises(pp.WorkbenchError, match="Column 2 of the data has no name; give it one"):
        ask(pd.DataFrame({"pay": [1.5, 2.5], " ": ["a", "b"]}))


@pytest.mark.parametrize(
    ("asked", "field", "what"),
    [
        ({}, "by", "groups by the values"),
        ({"by": "sex", "against": "sex=F"}, "by", "groups by the values"),
        ({"against": "age=30"}, "against", "is a number"),
        ({"against": "sex"}, "against", "Name an answer of 'sex'"),
        ({"against": "sex=X"}, "against", "its values are F, M"),
        ({"against": "fare_evasion=yes"}, "against", "with itself"),
        ({"against": "sex=F", "reference": "F"}, "reference", "neither a reference nor bins"),
        ({"against": "sex=F", "sharpest": "none"}, "sharpest", "no parameter 'sharpest'"),
    ],
)
def test_that_a_comparison_of_answers_refuses_what_it_cannot_use(
    answers, design, asked, field, what
) -> None:
    with pytest.raises(pp.WorkbenchError, match=what) as error:
        pp.Survey(answers, design).compare("fare_evasion=yes", **asked)
    assert error.value.field == field


@pytest.mark.parametrize("call", [pp.read, pp.mine, pp.Survey])
def test_that_a_name_that_is_too_long_for_the_system_is_one_sentence(call) -> None:
    with pytest.raises(pp.WorkbenchError, match="cannot be read"):
        call("x" * 300 + ".csv")
