"""A deniable table of a study: its plan, its checklist and its bundle."""

from __future__ import annotations

import pytest
from designs import classic_study
from publish_tables import smokers

from ppworkbench.core.data.files import read_table
from ppworkbench.core.errors import DataError
from ppworkbench.core.publish import DeniabilityOptions
from ppworkbench.core.rng import SeededStreams
from ppworkbench.outputs.bundle import BundleOptions, write_bundle
from ppworkbench.outputs.deniable import DenialPlan, deniable_points, deniable_table
from ppworkbench.study.language import tongue_of
from ppworkbench.study.study import Study

PLAN = DenialPlan("smokes", DeniabilityOptions(min_deniability=0.4, cuts=4))


@pytest.fixture
def study():
    return classic_study(smokers(600), "smokers")


def test_that_a_plan_survives_json_and_nonsense_does_not():
    plan = DenialPlan("smokes", PLAN.options, frozenset({"income"}))
    assert DenialPlan.from_json(plan.to_json()) == plan
    for wrong in (None, 3, {}, {"sensitive": 1}, {"sensitive": "a", "excluded": 3, "options": {}},
                  {"sensitive": "a", "excluded": [], "options": {"min_deniability": 7}},
                  {"sensitive": "a", "excluded": [], "options": {"unknown": 7}}):  # fmt: skip
        assert DenialPlan.from_json(wrong) is None


def test_that_a_plan_splits_on_all_but_the_sensitive_and_what_is_excluded(study):
    plan = DenialPlan("smokes", excluded=frozenset({"income", "gone"}))
    assert plan.features(study.original) == ("district", "age")
    published, made = deniable_table(study, plan, SeededStreams(1))
    used = {node.feature.name for node in made.tree if node.feature is not None}
    assert used <= {"district", "age"}
    assert published.table.names == study.original.names


def test_that_the_checklist_says_what_is_protected_and_what_is_not(study):
    published, made = deniable_table(study, PLAN)
    said = {point.sentence: point.good for point in published.points}
    assert said["Every group reaches 40 % deniability"] is True
    assert said["No seed is saved"] is True
    assert said["The rows are in random order"] is True
    assert said["district, age, income are not randomised"] is False
    # Which group is the weakest is not for recipients.
    assert not any(point.detail.startswith("weakest: ") for point in published.points)
    seeded = deniable_points(made.tree, published.table, PLAN, secure=False, shuffled=False)
    said = {point.sentence: point.good for point in seeded}
    assert seeded[0].detail.startswith("weakest: ")
    assert said["The seed reveals the true answers"] is False
    assert said["The rows keep their order"] is False
    bare = PLAN.with_options(min_deniability=0.0, manner="shuffle", smallest_group=1)
    published, _ = deniable_table(study, bare)
    said = {point.sentence: point.good for point in published.points}
    assert said["No minimum deniability is set"] is False
    assert said["The true counts of every group are kept"] is None
    assert any(sentence.startswith("The smallest group has") for sentence in said)


def test_that_the_checklist_names_parts_of_numbers_in_its_language_and_nothing_else(study):
    say = tongue_of("pl").say
    by_age = DenialPlan("smokes", PLAN.options, frozenset({"district", "income"}))
    _, made = deniable_table(study, by_age, SeededStreams(1))
    detail = deniable_points(made.tree, made.table, by_age)[0].detail
    assert detail.startswith("weakest: ")
    assert ", age " in detail
    part = detail.args["whose"].args["shared"][0].args["part"]
    assert say(detail).startswith("najsłabsza: ")
    assert say(detail).endswith(f", age {say(part)}")
    assert say(part) != part
    _, made = deniable_table(study, PLAN.with_options(min_deniability=0.0, smallest_group=600))
    first = deniable_points(made.tree, made.table, PLAN)[0]
    assert first.detail.endswith("all people")
    assert say(first.detail).endswith(say("all people"))


def test_that_a_bundle_of_it_holds_no_original_answer_order_or_design(study, tmp_path):
    published, made = deniable_table(study, PLAN)
    options = BundleOptions(report=False)
    bundle = write_bundle(study, tmp_path / "out", options, published=published)
    assert bundle.rows == 600
    assert bundle.design is None
    back = read_table(tmp_path / "out" / "smokers.csv")
    income = study.original["income"].data.tolist()
    assert back["income"].data.tolist() != income
    assert sorted(back["income"].data.tolist()) == pytest.approx(sorted(income))
    truth = dict(zip(income, study.original["smokes"].data.tolist(), strict=True))
    pairs = zip(back["income"].data.tolist(), back["smokes"].data.tolist(), strict=True)
    assert sum(truth[key] != value for key, value in pairs) == made.changed
    listed = (tmp_path / "out" / "README.txt").read_text(encoding="utf-8")
    assert "exchanged within" in listed
    assert "not randomised" in listed
    text = (tmp_path / "out" / "FOR-ANALYSTS.txt").read_text(encoding="utf-8")
    columns = text[text.index("Columns in order") :].splitlines()
    assert [one for one in columns if one.endswith("exchanged within groups")] == [
        "smokes: binary; no, yes; exchanged within groups"
    ]
    assert sum(one.endswith("; as answered") for one in columns) == 3
    everything = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
    assert b'seed":' not in everything


def test_that_a_study_without_originals_is_refused_in_a_sentence(study):
    distorted = Study.of_distorted(study.original, study.design, "already distorted")
    with pytest.raises(DataError, match="needs original answers"):
        deniable_table(distorted, PLAN)
