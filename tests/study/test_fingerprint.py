"""The fingerprint of what a result depends on."""

from __future__ import annotations

import dataclasses

import pytest
from studies import make_study

from ppworkbench.core.data.attribute import MissingPolicy
from ppworkbench.core.data.edits import set_title
from ppworkbench.core.design import Uniform
from ppworkbench.core.design.design_file import design_from_json, design_to_json
from ppworkbench.study.fingerprint import belongs_to, fingerprint
from ppworkbench.study.study import Study


def test_that_an_equal_design_has_the_same_fingerprint():
    study = make_study()
    again = design_from_json(design_to_json(study.design))
    assert fingerprint(study.with_(design=again)) == fingerprint(study)
    assert belongs_to(study, fingerprint(study))


def with_seed(study: Study) -> Study:
    return study.with_(settings=dataclasses.replace(study.settings, seed=7))


def with_policy(study: Study) -> Study:
    column = study.original["mood"]
    changed = dataclasses.replace(column.attribute, missing=MissingPolicy.DROP)
    return study.with_table(study.original.replace(column.with_(attribute=changed)))


@pytest.mark.parametrize(
    "change",
    [
        lambda study: study.with_perturbations({"town": Uniform(keep=0.56)}),
        lambda study: make_study(rows=7),
        with_seed,
        with_policy,
    ],
    ids=["design", "rows", "seed", "missing answers"],
)
def test_that_whatever_changes_a_result_changes_the_fingerprint(change):
    study = make_study()
    changed = change(study)
    assert fingerprint(changed) != fingerprint(study)
    assert not belongs_to(changed, fingerprint(study))


def test_that_a_title_changes_no_fingerprint():
    study = make_study()
    assert fingerprint(make_study(title="other")) == fingerprint(study)
    titled = study.with_table(set_title(study.original, "town", "Home town"))
    assert fingerprint(titled) == fingerprint(study)


@pytest.mark.parametrize("mark", ["6605710f306421fe-c251e47c", "4e4adf35b43661b7"])
def test_that_results_in_studies_of_earlier_versions_still_belong_to_them(mark):
    assert belongs_to(make_study(), mark)
    assert not belongs_to(make_study(rows=7), mark)
