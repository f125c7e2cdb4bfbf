"""The window works on a real cluster: it outlives a lost worker, and says when all is lost."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import signal
from importlib.util import find_spec

import pytest
from lost_workers import local_cluster, losing_a_worker, mortal_cluster
from mining_studies import mining_request, numbers
from part_files import city_answers, write_parts

from ppworkbench.analyses.mining.items import available_items
from ppworkbench.analyses.survey.questions import Question
from ppworkbench.api.data import release
from ppworkbench.core.mining import miners
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.fieldwork.parts_opening import look_at_folder, open_folder

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("distributed") is None, reason="ppworkbench[cluster] is not installed"
    ),
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]


@pytest.fixture
def workbench(new_workbench):
    return new_workbench


ROWS = 160_000
PARTS = 16
QUESTIONS = (
    Question("count", parse_condition("sex = female and district in {'Old Town'}")),
    Question("compare", of="sex", by="district", value="female"),
)
WAIT = 120_000


@pytest.fixture(scope="module")
def reported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reported")
    original, design = city_answers(ROWS)
    cuts = [place * ROWS // PARTS for place in range(1, PARTS)]
    write_parts(folder / "true", original, cuts)
    release(folder / "true", design, folder / "reported", seed=3)
    return folder / "reported"


@pytest.fixture(scope="module")
def cluster():
    with local_cluster(2) as made:
        yield made


def with_engine(study, address: str):
    engine = address.replace("tcp", "dask")
    return study.with_(parts=dataclasses.replace(study.parts, engine=engine))


def ask(window, qtbot, question: Question) -> dict:
    page = window.page("survey")
    page.bring_back(question)
    qtbot.waitUntil(lambda: window.workbench.jobs.is_idle)
    assert page.answer is not None
    assert page.answer.question.statistic == question.statistic
    return page.answer.result.to_json()


def mine(window, qtbot, study) -> list[float]:
    window.show_page("mine")
    items = [key for key in available_items(study).by_key if key[0] != "income"]
    page = window.page("mine")
    page.start(mining_request(tuple(items), miners["shrinkage"](min_support=0.02)))
    qtbot.waitUntil(lambda: window.workbench.jobs.is_idle)
    return numbers(page.current, "support").tolist()


def explore(window, qtbot) -> list[float]:
    window.store.select(["district"])
    window.show_page("explore")
    page = window.page("explore")
    qtbot.waitUntil(lambda: page.result is not None)
    qtbot.waitUntil(lambda: window.workbench.jobs.is_idle)
    return page.result.draw.counted.counts.tolist()


def test_that_a_killed_worker_changes_no_number_of_the_window(
    window, qtbot, reported, cluster, tmp_path
):
    study = open_folder(look_at_folder(str(reported)), 500)
    # What was counted is kept for all engines, so the cluster gets a folder of its own.
    copy = shutil.copytree(reported, tmp_path / "copy")
    there = with_engine(open_folder(look_at_folder(str(copy)), 500), cluster.scheduler_address)
    expected = []
    for one in (study, there):
        window.store.open(one)
        window.show_page("survey")
        qtbot.waitUntil(lambda: window.workbench.jobs.is_idle)
        found = []
        for question in QUESTIONS:
            if one is study:
                found.append(ask(window, qtbot, question))
            else:
                with losing_a_worker(cluster):
                    found.append(ask(window, qtbot, question))
        found += [explore(window, qtbot), mine(window, qtbot, one)]
        expected = expected or found
        assert json.dumps(found) == json.dumps(expected)
    assert not window.banner.isVisible()


def test_that_a_cluster_that_dies_during_the_work_is_said_and_the_window_goes_on(
    window, qtbot, reported, tmp_path
):
    study = open_folder(look_at_folder(str(reported)), 500)
    with mortal_cluster(tmp_path) as (scheduler, address):
        window.store.open(with_engine(study, address))
        window.show_page("survey")
        jobs = window.workbench.jobs
        page = window.page("survey")
        page.bring_back(QUESTIONS[0])
        qtbot.waitUntil(lambda: any(job.done > 0.01 for job in jobs.running))
        os.kill(scheduler.pid, signal.SIGKILL)
        qtbot.waitUntil(lambda: jobs.is_idle)
        assert page.answer is None
        said = page.results.refused.advice.text()
        assert said == (
            f"The cluster at {address} no longer responds; check that its scheduler is running, "
            "and start again."
        )
        # Asked again, it is gone from the start.
        page.bring_back(QUESTIONS[1])
        qtbot.waitUntil(lambda: jobs.is_idle)
        assert f"No cluster responds at {address}" in page.results.refused.advice.text()
    window.store.open(study)
    assert ask(window, qtbot, QUESTIONS[0])["respondents"] == ROWS
