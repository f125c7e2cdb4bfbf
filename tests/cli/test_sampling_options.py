"""Weights, strata and clusters on the command line and in files: the numbers of the core."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from sampled_answers import twelve_answers

from ppworkbench.cli.main import main
from ppworkbench.core.data.codebook import Codebook
from ppworkbench.core.data.files import codebook_of, write_table
from ppworkbench.core.data.sampling_roles import ReplicateRole, Sampling
from ppworkbench.core.design import Uniform
from ppworkbench.core.design.design_file import (
    design_from_json,
    design_to_json,
    read_design,
    write_design,
)
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.survey.ratios import ratio
from ppworkbench.fieldwork.opening import open_anything
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.release import without_attributes
from ppworkbench.study.study import Study

ROLES = Sampling(weight="weight", stratum=("stratum",), cluster="cluster")
OPTIONS = ("--weight", "weight", "--stratum", "stratum", "--cluster", "cluster")


@pytest.fixture
def run(tmp_path, capsys):
    """Run a command on the twelve answers; ``sampling`` stands in their design file."""

    def run(command, *options, sampling=None):
        table, design = twelve_answers()
        write_table(table, tmp_path / "told.csv")
        write_design(dataclasses.replace(design, sampling=sampling), tmp_path / "design.json")
        files = [str(tmp_path / "told.csv"), "--design", str(tmp_path / "design.json")]
        status = main([command, *files, *options])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def document(printed):
    status, out, err = printed
    assert (status, err) == (0, "")
    return json.loads(out)


@pytest.mark.parametrize("source", ["options", "design file"])
def test_that_a_share_has_the_numbers_of_the_sampling(run, source):
    given = OPTIONS if source == "options" else ()
    sampling = None if source == "options" else ROLES
    found = document(run("count", "--where", "z = b", "--json", *given, sampling=sampling))
    assert found["target"] == "population"
    assert found["share"]["estimate"] == pytest.approx(0.083333, abs=1e-6)
    assert found["share"]["standard_error"] == pytest.approx(0.342082, abs=1e-6)
    assert found["share"]["degrees_of_freedom"] == 3
    assert found["weights_effect"] == pytest.approx(1.225185, abs=1e-6)
    assert found["contains"]
    assert found["excludes"]


def test_that_options_stand_before_the_file(run):
    found = document(
        run("count", "--where", "z = b", "--json", "--target", "respondents", sampling=ROLES)
    )
    assert found["share"]["estimate"] == pytest.approx(0.125)
    assert found["share"]["standard_error"] == pytest.approx(0.297560, abs=1e-6)
    lone = document(run("mean", "--of", "y", "--json", "--df", "7", "--cluster", "cluster"))
    assert lone["degrees_of_freedom"] == 7


def test_that_the_sampling_of_a_file_can_be_turned_off_and_that_it_is_said(run):
    off = document(run("count", "--where", "z = b", "--json", "--no-sampling", sampling=ROLES))
    plain = document(run("count", "--where", "z = b", "--json"))
    assert off["estimate"] == plain["estimate"]
    assert "weighted_n" not in off
    assert any("not used" in remark for remark in off["remarks"])
    status, _, err = run("count", "--where", "z = b", "--no-sampling", *OPTIONS)
    assert status != 0
    assert "--no-sampling" in err


@pytest.mark.parametrize("command", ["count", "mean", "distribution", "quantile", "compare"])
def test_that_the_text_says_what_the_interval_holds(run, command):
    asked = {
        "count": ("--where", "z = b"),
        "mean": ("--of", "y"),
        "distribution": ("--of", "z"),
        "quantile": ("--of", "y"),
        "compare": ("--of", "y", "--by", "z"),
    }[command]
    status, out, err = run(command, *asked, *OPTIONS)
    assert (status, err) == (0, "")
    (line,) = [line for line in out.splitlines() if line.startswith("The interval includes")]
    assert "leaves out" in line
    assert "180 people" in out


def test_that_quantiles_are_those_of_the_sampling(run):
    found = document(run("quantile", "--of", "y", "--at", "0.5", "--json", *OPTIONS))
    (median,) = found["quantiles"]
    assert (median["at"], median["estimate"], median["low"], median["high"]) == (0.5, 6, 4, 10)
    assert len(document(run("quantile", "--of", "y", "--json"))["quantiles"]) == 3
    status, _, err = run("quantile", "--of", "y", "--at", "0.5,2")
    assert status != 0
    assert "above 0 and below 1" in err


def test_that_groups_are_compared(run):
    found = document(run("compare", "--of", "y", "--by", "z", "--json", *OPTIONS))
    assert [group["group"] for group in found["groups"]] == ["a", "b", "c"]
    (one,) = [d for d in found["differences"] if (d["a"], d["b"]) == ("c", "b")]
    assert one["estimate"] == pytest.approx(5.3)
    assert one["degrees_of_freedom"] == 2
    assert one["p_holm"] >= one["p"]
    shares = document(run("compare", "--of", "z=c", "--by", "stratum", "--json", *OPTIONS))
    assert len(shares["differences"]) == 1
    against = document(
        run("compare", "--of", "y", "--by", "z", "--reference", "a", "--json", *OPTIONS)
    )
    assert [d["b"] for d in against["differences"]] == ["a", "a"]


def test_that_a_cross_table_takes_the_sampling(run):
    found = document(run("crosstab", "--of", "z", "--by", "stratum", "--json", *OPTIONS))
    assert found["weighted_n"] == pytest.approx(180)
    assert found["independence"]["test"] == "rao-scott"
    made = document(
        run("distribution", "--of", "z", "--make-replicates", "jkn", "--json", *OPTIONS)
    )
    assert any("5 replicates made by jkn" in remark for remark in made["remarks"])
    asked = ("crosstab", "--of", "z", "--by", "stratum", "--test", "adjusted-wald", "--json")
    # 12 people are too few for this test, which they are told.
    refused = document(run(*asked, *OPTIONS))
    assert "independence" not in refused
    assert any("The adjusted Wald test needs at least 5" in one for one in refused["remarks"])


def test_that_a_ratio_takes_the_sampling(run):
    found = document(run("ratio", "--of", "y", "--by", "weight", "--json", *OPTIONS))
    table, design = twelve_answers()
    expected = ratio(table, design, "y", "weight", sampling=ROLES)
    assert found["estimate"] == pytest.approx(expected.value.estimate)
    assert found["standard_error"] == pytest.approx(expected.value.standard_error)
    assert (found["of"], found["by"]) == ("y", "weight")


def test_that_a_command_which_cannot_use_the_sampling_refuses(run):
    asked = ("classify", "--classifier", "tree", "--class", "z", "--workers", "1", "--folds", "2")
    status, _, err = run(*asked, sampling=ROLES)
    assert status != 0
    assert "--no-sampling" in err
    learnt = document(run(*asked, "--json", "--no-sampling", sampling=ROLES))
    assert any("not used" in remark for remark in learnt["remarks"])
    status, _, err = run(*asked, "--weight", "weight")
    assert status != 0
    assert "--weight" in err


@pytest.mark.parametrize("source", ["options", "design file"])
def test_that_a_reconstruction_has_the_numbers_of_the_distribution(run, source):
    given = OPTIONS if source == "options" else ()
    sampling = None if source == "options" else ROLES
    found = document(run("reconstruct", "--json", *given, sampling=sampling))["attributes"]
    assert set(found) == {"z", "y"}
    shares = document(run("distribution", "--of", "z", "--json", *OPTIONS))["values"]
    assert found["z"]["raw"] == pytest.approx([share["raw"] for share in shares])
    for name in ("standard_error", "standard_error_device", "sampling_effect", "low", "high"):
        assert found["z"][name] == pytest.approx([share[name] for share in shares]), name
    assert found["z"]["degrees_of_freedom"] == 3
    assert found["z"]["weighted_n"] == 180
    assert found["z"]["excludes"]
    alone = document(run("reconstruct", "--attribute", "cluster", "--json", *OPTIONS))
    assert set(alone["attributes"]) == {"cluster"}


def test_that_a_reconstruction_says_whom_it_is_about(run):
    status, out, err = run("reconstruct", "--attribute", "z", *OPTIONS)
    assert (status, err) == (0, "")
    assert "180 people" in out
    assert "The interval includes" in out
    off = document(run("reconstruct", "--json", "--no-sampling", sampling=ROLES))
    plain = document(run("reconstruct", "--json"))
    assert off["attributes"]["z"] == plain["attributes"]["z"]
    assert any("not used" in remark for remark in off["remarks"])


def test_that_the_prior_of_participants_is_weighted(run):
    asked = ("participants", "--where", "z = b", "--size", "12", "--json")
    weighted = document(run(*asked, *OPTIONS))
    assert weighted["count"]["share"]["standard_error"] == pytest.approx(0.342082, abs=1e-6)
    listed = {one["row"]: one["posterior"] for one in weighted["rows"]}
    plain = {one["row"]: one["posterior"] for one in document(run(*asked))["rows"]}
    # The answer b is rarer among the people than among the respondents: its reports tell less.
    assert all(listed[row] < plain[row] for row in (1, 5, 7))
    off = document(run(*asked, "--no-sampling", sampling=ROLES))
    assert {one["row"]: one["posterior"] for one in off["rows"]} == plain
    assert run(*asked, "--method", "sequential", sampling=ROLES)[0] != 0


@pytest.mark.parametrize("source", ["options", "design file"])
def test_that_supports_are_weighted(run, source):
    given = ("--weight", "weight") if source == "options" else ()
    sampling = None if source == "options" else ROLES
    asked = ("mine", "--method", "mask", "--min-support", "0.001", "--json")
    found = document(run(*asked, *given, sampling=sampling))
    supports = {tuple(one["items"]): one["support"] for one in found["itemsets"]}
    assert supports["z=a",] == pytest.approx(0.444444, abs=1e-6)
    assert not any(name.startswith("weight") for names in supports for name in names)
    assert any("by its weight" in note for note in found["notes"])
    assert any("clusters" in note for note in found["notes"]) == (source == "design file")


def test_that_mining_says_when_the_sampling_is_turned_off(run):
    asked = ("mine", "--method", "mask", "--min-support", "0.001", "--attribute", "z", "--json")
    off = document(run(*asked, "--no-sampling", sampling=ROLES))
    assert off["itemsets"] == document(run(*asked))["itemsets"]
    assert any("not used" in remark for remark in off["remarks"])
    status, _, err = run("mine", "--no-sampling", "--weight", "weight")
    assert status != 0
    assert "--no-sampling" in err
    status, _, err = run("mine", "--method", "mmask", sampling=ROLES)
    assert status != 0
    assert "weights" in err
    status, _, err = run("mine", "--weight", "age")
    assert status != 0
    assert "age" in err


def test_that_priors_of_measures_are_told_to_be_unweighted(tmp_path, capsys):
    table, design = twelve_answers()
    write_table(table, tmp_path / "people.csv")
    for sampling, expected in ((None, False), (ROLES, True)):
        write_design(dataclasses.replace(design, sampling=sampling), tmp_path / "design.json")
        files = ["--design", str(tmp_path / "design.json"), "--data", str(tmp_path / "people.csv")]
        for command in (["measure"], ["plan", "--target-error", "0.05"]):
            assert main([*command, *files, "--json"]) == 0
            found = json.loads(capsys.readouterr().out)
            told = any("everybody counts the same" in one for one in found.get("remarks", ()))
            assert told == expected


def test_that_the_sequential_method_refuses_the_sampling(run):
    status, _, err = run("count", "--where", "z = b", "--method", "sequential", sampling=ROLES)
    assert status != 0
    assert "sampling" in err


def test_that_replicates_are_chosen_by_a_pattern(tmp_path, capsys):
    table, design = twelve_answers()
    weights = np.asarray(table["weight"].data)
    lines = ["z,w,rw1,rw2,rw3"]
    for place, one in enumerate(weights):
        answer = table["z"].attribute.values[int(table["z"].data[place])]
        parts = [0 if place % 3 == k else one * 1.5 for k in range(3)]
        lines.append(",".join([answer, f"{one:g}", *(f"{part:g}" for part in parts)]))
    (tmp_path / "told.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_design(without_attributes(design, set(design.names) - {"z"}), tmp_path / "design.json")
    asked = [
        "count", str(tmp_path / "told.csv"), "--design", str(tmp_path / "design.json"),
        "--where", "z = b", "--json", "--weight", "w", "--replicates", "rw*",
    ]  # fmt: skip
    assert main(asked) != 0
    assert "--replicate-method" in capsys.readouterr().out
    assert main([*asked, "--replicate-method", "jk1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["share"]["degrees_of_freedom"] <= 2
    assert "weights" not in " ".join(found["excludes"])


def test_that_inspect_suggests_roles_and_never_applies_them(tmp_path, capsys):
    table, _ = twelve_answers()
    write_table(table, tmp_path / "people.csv")
    asked = ["inspect", str(tmp_path / "people.csv"), "--json"]
    assert main([*asked, "--design-out", str(tmp_path / "plain.json")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["suggested_sampling"]["weight"] == ["weight"]
    assert found["suggested_sampling"]["cluster"] == ["cluster"]
    plain = read_design(tmp_path / "plain.json")
    assert plain.sampling is None
    assert not plain.perturbation("weight").is_identity
    assert main([*asked, "--design-out", str(tmp_path / "roles.json"), *OPTIONS]) == 0
    assert json.loads(capsys.readouterr().out)["sampling"] == ROLES.to_json()
    roles = read_design(tmp_path / "roles.json")
    assert roles.sampling == ROLES
    assert all(roles.perturbation(name).is_identity for name in ROLES.columns)
    assert not roles.perturbation("z").is_identity


def test_that_a_distorted_copy_takes_the_sampling_along(tmp_path, capsys):
    table, design = twelve_answers()
    write_table(table, tmp_path / "people.csv")
    write_design(dataclasses.replace(design, sampling=ROLES), tmp_path / "design.json")
    files = [str(tmp_path / "people.csv"), "--design", str(tmp_path / "design.json")]
    assert main(["distort", *files, "--out", str(tmp_path / "told.csv"), "--seed", "1"]) == 0
    capsys.readouterr()
    assert codebook_of(tmp_path / "told.csv").design["sampling"] == ROLES.to_json()
    assert main(["mean", str(tmp_path / "told.csv"), "--of", "y", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["estimate"] == pytest.approx(5.705556, abs=1e-6)
    assert found["standard_error"] == pytest.approx(0.888202, abs=1e-6)
    assert open_anything([tmp_path / "told.csv"]).sampling == ROLES


def test_that_files_hold_the_sampling_and_older_ones_stay_readable(tmp_path):
    _, design = twelve_answers()
    drawn = dataclasses.replace(design, sampling=ROLES)
    assert design_from_json(design_to_json(drawn)) == drawn
    assert "sampling" not in design_to_json(design)
    assert design_from_json(design_to_json(design)).sampling is None
    attributes = tuple(designed.attribute for designed in design)
    codebook = Codebook(attributes, sampling=ROLES)
    assert Codebook.from_text(codebook.to_text()) == codebook
    assert Codebook.from_json(Codebook(attributes).to_json()).sampling is None
    with pytest.raises(DataError, match="codebook is wrong"):
        Codebook.from_json(codebook.to_json() | {"sampling": {"wait": "w"}})
    with pytest.raises(DesignError, match="unknown"):
        design_from_json(design_to_json(design) | {"sampling": {"wait": "w"}})


def test_that_a_column_with_a_role_is_not_distorted():
    _, design = twelve_answers()
    with pytest.raises(DesignError, match="sampling role"):
        dataclasses.replace(design, sampling=Sampling(stratum=("z",)))
    study = Study(design=design).with_sampling(Sampling(stratum=("z",)))
    assert study.design.perturbation("z").is_identity
    again = study.with_perturbations({"z": Uniform(keep=0.5)})
    assert again.design.perturbation("z").is_identity
    assert again.with_sampling(None).sampling is None


def test_that_a_study_keeps_its_sampling(tmp_path):
    table, design = twelve_answers()
    study = Study.of_distorted(table.select(design.names), design, "twelve").with_sampling(ROLES)
    save_study(study, tmp_path / "twelve.ppw")
    assert open_study(tmp_path / "twelve.ppw").sampling == ROLES


def test_that_roles_follow_names_and_leave_with_their_columns():
    role = ReplicateRole(("r1", "r2"), "jk1")
    sampling = dataclasses.replace(ROLES, replicates=role)
    assert sampling.renamed(str.upper).columns == ("WEIGHT", "STRATUM", "CLUSTER", "R1", "R2")
    assert sampling.without({"r1"}) == ROLES
    assert ROLES.without(ROLES.columns) is None
