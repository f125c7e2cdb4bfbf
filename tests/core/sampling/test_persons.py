"""Waves of the same people: rows of one person vary together, and may repeat one draw."""

from __future__ import annotations

import numpy as np
import pytest
from sampled_answers import twelve_answers

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import (
    RESPONDENTS,
    Sampling,
    SamplingOptions,
    assign_role,
    suggest_roles,
)
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Forced
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.errors import DataError
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.sampling.reconstruction import reconstruct_sample
from ppworkbench.core.sampling.release import RoleTreatment, release_roles
from ppworkbench.core.sampling.results import UNLINKED_WAVES, about_waves
from ppworkbench.core.sampling.sample import SampleReader
from ppworkbench.core.survey.counts import count

pytestmark = pytest.mark.thorough

ANSWER = Attribute("answer", Kind.BINARY, ("no", "yes"))
DEVICE = Forced(p_truth=2 / 3)
PERSONS = Sampling(person="person")
SHARE, WAVES, PEOPLE, SURVEYS = 0.3, 3, 150, 200


def design_of(waves=WAVES, *, memoise=True):
    budget = DesignBudget(waves=waves, memoise=memoise)
    return Design((DesignedAttribute(ANSWER, DEVICE),), budget=budget)


def numbers(name, data):
    high = float(np.nanmax(data)) + 1
    return Column(Attribute(name, Kind.INTEGER, domain=(0, high)), np.asarray(data, float))


def answers(reports, persons, **more):
    columns = [numbers(name, data) for name, data in more.items()]
    return Table((Column(ANSWER, np.asarray(reports)), numbers("person", persons), *columns))


def waves_of(random, people=PEOPLE, changing=0.0):
    """Reports in all waves; the same true answer is reported as it was the first time."""
    matrix = DEVICE.matrix(2)
    truth = (random.random(people) < SHARE).astype(int)
    kept = np.stack([random.random(people) < matrix[1, value] for value in (0, 1)]).astype(int)
    changed = random.random((WAVES, people)) < changing
    true = np.where(changed, 1 - truth, truth)
    reports = np.take_along_axis(kept, true, axis=0)
    return answers(reports.ravel(), np.tile(np.arange(people), WAVES)), true.mean()


def coverage(sampling, target, changing):
    random, design, covered = np.random.default_rng(33), design_of(), 0
    expected = SHARE * (1 - changing) + (1 - SHARE) * changing
    for _ in range(SURVEYS):
        table, true = waves_of(random, changing=changing)
        options = SamplingOptions(target=target)
        share = count(table, design, "answer = yes", sampling=sampling, options=options).share
        wanted = true if target == RESPONDENTS else expected
        covered += share.low <= wanted <= share.high
    return covered / SURVEYS


@pytest.mark.parametrize("target", ["population", RESPONDENTS])
@pytest.mark.parametrize("changing", [0.0, 0.2])
def test_that_intervals_over_waves_cover_with_persons_and_do_not_without(target, changing):
    # The standard error of a coverage of .95 is .015.
    assert coverage(None, target, changing) < 0.88
    assert coverage(PERSONS, target, changing) > 0.95 - 3 * 0.0155


@pytest.mark.parametrize("target", ["population", RESPONDENTS])
def test_that_waves_that_repeat_all_reports_tell_no_more_than_one_wave(target):
    table, _ = waves_of(np.random.default_rng(2))
    once = table.take(np.arange(PEOPLE))
    options = SamplingOptions(target=target)
    mine = count(table, design_of(), "answer = yes", sampling=PERSONS, options=options).share
    one = count(once, design_of(), "answer = yes", sampling=PERSONS, options=options).share
    assert mine.estimate == pytest.approx(one.estimate)
    assert mine.standard_error == pytest.approx(one.standard_error, rel=1e-12)
    assert mine.details.standard_error_device == pytest.approx(one.details.standard_error_device)
    whole = reconstruct_sample(table, design_of(), PERSONS, options)["answer"]
    first = reconstruct_sample(once, design_of(), PERSONS, options)["answer"]
    # About respondents the degrees of freedom count rows.
    assert whole.found.low == pytest.approx(first.found.low, abs=1e-3)
    assert whole.device_errors == pytest.approx(first.device_errors, rel=1e-6)


def test_that_fresh_coins_leave_the_devices_part_as_it_is():
    table, _ = waves_of(np.random.default_rng(2))
    options = SamplingOptions(target=RESPONDENTS)
    fresh, kept = (
        count(table, design_of(memoise=memoise), "answer = yes", sampling=PERSONS, options=options)
        for memoise in (False, True)
    )
    assert kept.share.standard_error == pytest.approx(
        fresh.share.standard_error * np.sqrt(WAVES), rel=1e-12
    )


def test_that_persons_are_the_clusters_unless_these_are_named():
    table, _ = waves_of(np.random.default_rng(4), changing=0.3)
    fresh = design_of(memoise=False)
    persons = count(table, fresh, "answer = yes", sampling=PERSONS).share
    clusters = count(table, fresh, "answer = yes", sampling=Sampling(cluster="person")).share
    assert persons == clusters
    table, design = twelve_answers()
    table = table.with_(columns=(*table.columns, numbers("person", np.arange(12) // 2)))
    roles = Sampling("weight", ("stratum",), "cluster")
    both = assign_role(roles, ["person"], "person")
    # Rows 9 and 10 are in two clusters, as persons of two rows each are not.
    with pytest.raises(DataError, match=r"Row 10 of 'person'.*another cluster or stratum"):
        count(table, design, "z = a", sampling=both)
    own = table.replace(numbers("person", [0, 0, 1, 1, 2, 2, 3, 3, 3, 4, 4, 5]))
    assert (
        count(own, design, "z = a", sampling=both).share
        == count(table, design, "z = a", sampling=roles).share
    )


def test_that_a_person_in_two_strata_is_refused_with_the_row():
    table = answers([0, 1, 1], [1, 2, 1], region=[5, 5, 6])
    roles = Sampling(stratum=("region",), person="person")
    with pytest.raises(DataError, match="Row 3 of 'person'") as refused:
        count(table, design_of(), "answer = yes", sampling=roles)
    assert (refused.value.attribute, refused.value.row) == ("person", 3)


def test_that_persons_who_come_again_in_a_later_chunk_are_known():
    table, _ = waves_of(np.random.default_rng(5), people=40)
    whole, parts = (SampleReader(PERSONS, repeats_draws=True) for _ in range(2))
    clusters = whole.read(table).clusters
    pieces = [parts.read(table.take(rows)).clusters for rows in np.split(np.arange(120), [7, 61])]
    assert np.array_equal(np.concatenate(pieces), clusters)
    assert parts.frame().sizes.tolist() == whole.frame().sizes.tolist() == [40]
    assert parts.frame().draw_effect == pytest.approx(WAVES)


def test_that_a_row_without_a_person_is_refused():
    table = answers([0, 1], [1, np.nan])
    with pytest.raises(DataError, match="Row 2 of 'person' is missing"):
        count(table, design_of(), "answer = yes", sampling=PERSONS)


def test_that_the_role_survives_files_and_renaming():
    roles = Sampling("w", person="who")
    assert Sampling.from_json(roles.to_json()) == roles
    assert roles.renamed(str.upper).person == "WHO"
    assert roles.without(["who"]) == Sampling("w")
    assert roles.role_of("who") == "person"
    assert suggest_roles(["person_id", "age"]) == {"person": ("person_id",)}


def test_that_released_persons_get_random_labels_that_still_link_waves():
    table, _ = waves_of(np.random.default_rng(6), people=50)
    made = release_roles(table, PERSONS, RoleTreatment(("person",)), SeededStreams(1))
    theirs = made.apply(table)
    assert made.sampling == PERSONS
    assert not np.array_equal(theirs["person"].data, table["person"].data)
    mine, released = (
        count(one, design_of(), "answer = yes", sampling=PERSONS).share for one in (table, theirs)
    )
    assert released.standard_error == pytest.approx(mine.standard_error, rel=1e-12)
    dropped = release_roles(table, PERSONS, RoleTreatment(dropped=("person",)), SeededStreams(1))
    assert dropped.sampling is None
    assert "person" not in dropped.apply(table)


def test_that_waves_without_a_person_are_remarked_on():
    codes = [one.code for one in about_waves(design_of(), Sampling("w"))]
    assert codes == [UNLINKED_WAVES]
    assert about_waves(design_of(), PERSONS) == ()
    assert about_waves(design_of(waves=1), None) == ()
    # Clusters hold the rows of a person, but only persons tell whose draws are repeated.
    assert about_waves(design_of(memoise=False), Sampling(cluster="school")) == ()
    assert len(about_waves(design_of(), Sampling(cluster="school"))) == 1


def test_that_answers_of_a_person_role_are_no_people():
    table, _ = waves_of(np.random.default_rng(3))
    found = count(table, design_of(memoise=False), "answer = yes", sampling=PERSONS)
    assert (found.sample.n, found.sample.persons) == (PEOPLE * WAVES, PEOPLE)
    assert f"of {PEOPLE * WAVES} answers meet" in found.sentence
    assert f"{PEOPLE} people were sampled, who gave {PEOPLE * WAVES} answers" in found.sentence
    assert f"Of {PEOPLE * WAVES} answers:" in found.share_sentence
    assert found.to_json()["persons"] == PEOPLE


def test_that_only_those_who_gave_an_answer_are_counted():
    table, _ = waves_of(np.random.default_rng(3))
    reports, persons = (table[name].data.copy() for name in ("answer", "person"))
    reports[persons == 5] = -1
    found = count(answers(reports, persons), design_of(), "answer = yes", sampling=PERSONS)
    assert (found.sample.n, found.sample.persons) == (PEOPLE * WAVES - WAVES, PEOPLE - 1)


def test_that_persons_are_counted_for_those_who_answered_as_well():
    table, _ = waves_of(np.random.default_rng(3))
    target = SamplingOptions(target=RESPONDENTS)
    found = count(table, design_of(), "answer = yes", sampling=PERSONS, options=target)
    assert f"{PEOPLE * WAVES} answers of {PEOPLE} people" in found.sentence


def test_that_people_who_answer_once_are_respondents():
    table = answers([0, 1, 1, 0], [1, 2, 3, 4])
    found = count(table, design_of(), "answer = yes", sampling=PERSONS)
    assert "of 4 respondents meet" in found.sentence


def test_that_reconstructed_shares_count_persons_too():
    table, _ = waves_of(np.random.default_rng(3))
    found = reconstruct_sample(table, design_of(), sampling=PERSONS).attributes["answer"]
    assert found.sample.persons == PEOPLE
