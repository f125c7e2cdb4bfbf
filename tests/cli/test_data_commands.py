"""Looking at files and writing samples on the command line."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from patience import PATIENCE

from ppworkbench.api.data import inspect
from ppworkbench.cli.main import main
from ppworkbench.core.data.attribute import Attribute, Kind, MissingCode
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.samples import samples
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design_file import read_design
from ppworkbench.core.privacy.questionnaire import total_epsilon

SURVEY = """sex,age,town,income
F,31,Oslo,2500.5
M,44,Rome,1800.25
F,?,Oslo,
M,27,Lima,3100.75
"""


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.csv"
    path.write_text(SURVEY, encoding="utf-8")
    return path


@pytest.fixture
def answer(capsys):
    """Run a command with ``--json`` and give its document."""

    def answer(*argv, status=0):
        assert main([*map(str, argv), "--json"]) == status
        said = capsys.readouterr()
        assert said.err == ""
        return json.loads(said.out)

    return answer


def test_that_inspect_tells_kinds_values_domains_and_missing(answer, survey):
    document = answer("inspect", survey)
    assert document["rows"] == 4
    by_name = {attribute["name"]: attribute for attribute in document["attributes"]}
    assert list(by_name) == ["sex", "age", "town", "income"]
    assert by_name["sex"]["kind"] == "binary"
    assert by_name["sex"]["values"] == ["F", "M"]
    assert by_name["town"]["kind"] == "nominal"
    assert by_name["income"]["kind"] == "continuous"
    assert by_name["income"]["domain"] == [1800, 3200]
    assert by_name["income"]["domain_source"] == "data"
    assert [by_name[name]["missing"] for name in by_name] == [0, 1, 0, 1]
    assert all(attribute["reason"] for attribute in by_name.values())
    assert all(("values" in one) != ("domain" in one) for one in by_name.values())
    assert isinstance(document["notes"], list)


def test_that_inspect_lines_its_columns_up_for_people(capsys, survey):
    assert main(["inspect", str(survey)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "4 rows, 4 attributes"
    assert " ".join(lines[2].split()) == "attribute kind values or domain missing reason"
    kinds = ["binary", "nominal", "continuous"]
    starts = {line.index(kind) for line, kind in zip([lines[4], *lines[6:8]], kinds, strict=True)}
    assert starts == {lines[2].index("kind")}


def test_that_read_options_reach_the_reader(answer, tmp_path):
    path = tmp_path / "export.txt"
    rows = ["płeć;wzrost", "kobieta;1,62", "mężczyzna;-9", "kobieta;1,71", "mężczyzna;1,685"]
    path.write_bytes("\n".join(rows).encode("cp1250"))
    document = answer(
        "inspect", path, "--separator", ";", "--decimal", ",", "--encoding", "cp1250",
        "--missing", "-9,-8", "--format", "csv",
    )  # fmt: skip
    sex, height = document["attributes"]
    assert sex["name"] == "płeć"
    assert sex["values"] == ["kobieta", "mężczyzna"]
    assert height["domain"] == [1.62, 1.72]
    assert height["missing"] == 1


def test_that_a_starting_design_can_be_written(answer, survey, tmp_path):
    path = tmp_path / "design.json"
    answer("inspect", survey, "--design-out", path)
    assert read_design(path).names == ("sex", "age", "town", "income")


def test_that_a_file_that_is_not_there_ends_with_1_and_its_name(capsys, tmp_path):
    assert main(["inspect", str(tmp_path / "nowhere.csv")]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "nowhere.csv" in said.err
    assert said.err.count("\n") == 1


def test_that_an_error_in_json_names_the_file(answer, tmp_path):
    path = tmp_path / "empty.csv"
    path.touch()
    document = answer("inspect", path, status=1)
    assert document["file"] == str(path)
    assert document["error"]


@pytest.fixture
def labelled():
    smokes = Attribute(
        "q1",
        Kind.BINARY,
        values=("yes", "no"),
        label="Do you smoke?",
        codes=(1.0, 2.0),
        missing_codes=(MissingCode(9.0, "refused"),),
        reason="two labels",
    )
    age = Attribute("age", Kind.INTEGER, domain=(18, 98), number_labels=((98.0, "98 or older"),))
    columns = (Column(smokes, [0, 1, -1]), Column(age, [20.0, 98.0, 33.0]))
    return Table(columns, class_name="q1", notes=("A note\x1b.",))


def test_that_missing_codes_apply_to_a_file_with_a_codebook(tmp_path, capsys):
    path = tmp_path / "t.csv"
    values = ("no", "yes", "refused")
    attribute = Attribute("smokes", Kind.NOMINAL, values=values)
    write_table(Table((Column(attribute, np.arange(30) % 3),)), path)
    assert main(["inspect", str(path), "--missing", "refused", "--json"]) == 0
    (smokes,) = json.loads(capsys.readouterr().out)["attributes"]
    assert (smokes["missing"], smokes["values"]) == (10, ["no", "yes"])


def test_that_labels_and_missing_codes_are_told(labelled):
    document = inspect(labelled).to_dict()
    smokes, age = document["attributes"]
    assert smokes["label"] == "Do you smoke?"
    assert smokes["value_labels"] == [{"code": 1, "label": "yes"}, {"code": 2, "label": "no"}]
    assert smokes["missing_codes"] == [{"code": 9, "label": "refused"}]
    assert age["domain"] == [18, 98]
    assert age["value_labels"] == [{"code": 98, "label": "98 or older"}]
    assert "missing_codes" not in age
    assert document["class"] == "q1"


def test_that_the_class_and_the_notes_are_shown(labelled):
    text = inspect(labelled).summary()
    assert "q1 (class)" in text
    assert "Note: A note\\x1b." in text
    assert "18 to 98" in text


def test_that_a_long_list_of_values_is_cut(labelled):
    values = tuple(f"answer {i}" for i in range(5000))
    column = Column(Attribute("q", Kind.NOMINAL, values=values), [0, 4999])
    line = inspect(Table((column,))).summary().splitlines()[4]
    assert "5000: answer 0, answer 1" in line
    assert len(line) < 100


def test_that_every_sample_is_listed(answer, capsys):
    listed = answer("sample", "list")["samples"]
    assert [sample["name"] for sample in listed] == list(samples.names)
    assert main(["sample", "list"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in samples.names)


@pytest.mark.parametrize("name", samples.names)
def test_that_every_sample_can_be_written_and_inspected(answer, tmp_path, name):
    path = tmp_path / "sample.csv"
    written = answer("sample", "write", name, path)
    assert written == {"sample": name, "file": str(path), "rows": written["rows"], "notes": []}
    assert answer("inspect", path)["rows"] == written["rows"]


def test_that_sizes_and_seed_make_the_sample(answer, tmp_path):
    def baskets(seed):
        path = tmp_path / f"baskets-{seed}.csv"
        options = ["--transactions", 30, "--items", 12, "--length", 3, "--pattern", 2]
        answer("--seed", seed, "sample", "write", "baskets", path, "--force", *options)
        return path.read_text(encoding="utf-8")

    first = baskets(1)
    assert len(first.splitlines()) == 31
    assert first.splitlines()[0].count(",") == 11
    assert baskets(1) == first
    assert baskets(2) != first


def test_that_baskets_are_known_by_their_sizes_too(answer, tmp_path):
    path = tmp_path / "baskets.csv"
    assert answer("sample", "write", "T3.I2.D40.N15", path)["rows"] == 40
    assert len(answer("inspect", path)["attributes"]) == 15


def test_that_an_unknown_sample_is_a_wrong_command_line(capsys, tmp_path):
    assert main(["sample", "write", "census", str(tmp_path / "x.csv")]) == 2
    assert "city-survey" in capsys.readouterr().err


def test_that_a_size_out_of_range_is_a_wrong_command_line(capsys, tmp_path):
    assert main(["sample", "write", "led24", str(tmp_path / "x.csv"), "--rows", "-3"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_that_a_sample_cannot_be_written_where_nothing_can(capsys, tmp_path):
    assert main(["sample", "write", "weather", str(tmp_path / "no-folder" / "x.csv")]) == 1
    said = capsys.readouterr().err
    assert "x.csv" in said
    assert said.count("\n") == 1


@pytest.mark.slow
def test_that_progress_stays_out_of_pipes(survey):
    done = subprocess.run(
        [sys.executable, "-m", "ppworkbench", "inspect", str(survey), "--json"],
        capture_output=True,
        check=False,
    )
    assert done.stderr == b""
    assert json.loads(done.stdout)["rows"] == 4


@pytest.mark.usefixtures("readstat_here")
def test_that_real_surveys_are_inspected_with_their_labels(answer, shared_data):
    document = answer("inspect", shared_data / "formats/real/gss_intro.sav")
    labelled = [one for one in document["attributes"] if "value_labels" in one]
    assert labelled
    assert all({"code", "label"} == set(pair) for one in labelled for pair in one["value_labels"])


@pytest.mark.slow
def test_that_a_field_of_a_hundred_thousand_letters_is_inspected_at_once(tmp_path):
    path = tmp_path / "comments.csv"
    path.write_text("id,comment\n1," + "a long answer " * 7000 + "\n2,short\n", encoding="utf-8")
    # Cut letter by letter this took half an hour; reading it takes a second.
    done = subprocess.run(
        [sys.executable, "-m", "ppworkbench", "inspect", str(path)],
        capture_output=True,
        check=True,
        timeout=PATIENCE,
    )
    assert b"2: a long answer a long answer" in done.stdout
    assert len(done.stdout) < 2000


@pytest.mark.parametrize(("options", "total"), [((), 4), (("--epsilon", "0.5"), 2)])
def test_that_a_starting_design_spends_the_same_on_every_question(
    answer, survey, tmp_path, options, total
):
    path = tmp_path / "design.json"
    answer("inspect", survey, "--design-out", path, *options)
    assert total_epsilon(read_design(path)) == pytest.approx(total, abs=1e-6)


@pytest.mark.parametrize(("total", "kind"), [("1", "subset"), ("8", "uniform")])
def test_that_a_list_is_long_by_its_part_of_the_total(answer, tmp_path, total, kind):
    data, path = tmp_path / "jobs.csv", tmp_path / "design.json"
    rows = [f"job {place % 30},{'no' if place % 3 else 'yes'},same" for place in range(90)]
    data.write_text("\n".join(["job,drug,ring", *rows]) + "\n", encoding="utf-8")
    answer("inspect", data, "--design-out", path, "--total", total)
    design = read_design(path)
    assert design["job"].perturbation.type_name == kind
    assert total_epsilon(design) == pytest.approx(float(total), abs=1e-6)


@pytest.mark.parametrize("rule", ["sum", "max", "equal"])
def test_that_a_total_is_shared_out_in_a_starting_design(answer, survey, tmp_path, rule):
    path = tmp_path / "design.json"
    answer("inspect", survey, "--design-out", path, "--total", "8", "--rule", rule)
    assert total_epsilon(read_design(path)) == pytest.approx(8, abs=1e-3)


@pytest.mark.parametrize(
    "options",
    [("--epsilon", "1"), ("--rule", "max"), ("--design-out", "d.json", "--epsilon", "0")],
)
def test_that_a_budget_without_a_starting_design_is_refused(survey, options):
    assert main(["inspect", str(survey), *options]) != 0


def test_that_a_release_with_bounds_of_the_data_warns_until_they_are_confirmed(
    capsys, survey, tmp_path
):
    path, out = tmp_path / "design.json", tmp_path / "out.csv"
    assert main(["inspect", str(survey), "--design-out", str(path)]) == 0
    capsys.readouterr()
    words = ["distort", str(survey), "--design", str(path), "--out", str(out), "--force", "--json"]
    assert main(words) == 0
    said = capsys.readouterr()
    assert "taken from the data" in said.err
    assert any("taken from the data" in note for note in json.loads(said.out)["notes"])
    assert "bounds taken from the data" in out.with_suffix(".codebook.md").read_text()
    assert main([*words, "--seed", "1"]) == 0
    assert "taken from the data" not in capsys.readouterr().err
    path.write_text(path.read_text().replace('"domain_source": "data"', '"outside": "clip"'))
    assert main(words) == 0
    left = capsys.readouterr().err
    # Lists of values that nobody has confirmed are told, too.
    assert "taken from the data" not in left
    assert "The values of sex, town may be read off the data" in left
    public = '"kind": "nominal",\n   "domain_source": "public"'
    path.write_text(path.read_text().replace('"kind": "nominal"', public))
    path.write_text(
        path.read_text().replace('"kind": "binary"', public.replace("nominal", "binary"))
    )
    assert main(words) == 0
    assert capsys.readouterr().err == ""


NAMED = ("respondent_id", "name", "comment")


def write_named(path):
    """Answers beside a record number, first names that recur and free text."""
    rows = [
        f"{1000 + i},Ann{i % 274},{i} words about it,{18 + i % 50},{'yes' if i % 2 else 'no'}"
        for i in range(400)
    ]
    path.write_text("\n".join([",".join((*NAMED, "age", "drug")), *rows]) + "\n", "utf-8")


@pytest.mark.parametrize("more", [(), ("--open",), ("--total", "2")], ids=["each", "open", "total"])
def test_that_a_starting_design_leaves_out_what_may_name_people(tmp_path, capsys, more):
    write_named(tmp_path / "a.csv")
    asked = ["inspect", str(tmp_path / "a.csv"), "--design-out", str(tmp_path / "d.json")]
    assert main([*asked, *more, "--json"]) == 0
    found = {one["name"]: one for one in json.loads(capsys.readouterr().out)["attributes"]}
    assert all("perhaps" in found[name]["reason"] for name in NAMED)
    assert list(json.loads((tmp_path / "d.json").read_text("utf-8"))["attributes"]) == [
        "age", "drug",
    ]  # fmt: skip


def test_that_a_record_number_with_a_role_stays_in_a_starting_design(tmp_path):
    write_named(tmp_path / "a.csv")
    asked = ["inspect", str(tmp_path / "a.csv"), "--person", "respondent_id"]
    for more in ((), ("--open",)):
        out = tmp_path / f"design{len(more)}.json"
        assert main([*asked, "--design-out", str(out), *more]) == 0
        assert "respondent_id" in json.loads(out.read_text("utf-8"))["attributes"]


def test_that_a_release_names_the_columns_by_which_people_can_be_found(tmp_path, capsys):
    write_named(tmp_path / "a.csv")
    values = sorted({f"Ann{i % 274}" for i in range(400)})
    kept = {"type": "none"}
    design = {
        "format": "ppworkbench-design", "version": 1,
        "attributes": {
            "respondent_id": {"kind": "integer", "domain": [1000, 1399], "perturbation": kept},
            "name": {"kind": "nominal", "values": values, "perturbation": kept},
            "age": {"kind": "integer", "domain": [18, 67], "perturbation": kept},
        },
    }  # fmt: skip
    (tmp_path / "d.json").write_text(json.dumps(design), "utf-8")
    given = [str(tmp_path / "a.csv"), "--design", str(tmp_path / "d.json")]
    capsys.readouterr()
    assert main(["distort", *given, "--out", str(tmp_path / "told.csv"), "--json"]) == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert any(one.startswith("respondent_id, name: released, and perhaps") for one in notes)
    assert main(["bundle", *given, "--out", str(tmp_path / "b"), "--no-report", "--json"]) == 0
    points = json.loads(capsys.readouterr().out)["checklist"]
    said = "respondent_id, name: perhaps an identifier, a name or free text"
    assert [one["good"] for one in points if one["sentence"] == said] == [False]
