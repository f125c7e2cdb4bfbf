"""A cluster that loses a worker in the middle gives what this process gives, to the last byte."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest
from part_files import write_parts

from ppworkbench.cli.main import main
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Uniform
from ppworkbench.core.design.design_file import write_design

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]
ROWS = 40_000
PARTS = 40


@pytest.fixture
def cluster():
    distributed = pytest.importorskip("distributed", reason="ppworkbench[cluster] is not installed")
    with distributed.LocalCluster(
        n_workers=4, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as made:
        yield made


@pytest.fixture
def survey(tmp_path):
    original = load_sample("city-survey", rows=ROWS).select(["sex", "district", "income"])
    design = Design((
        DesignedAttribute(original["sex"].attribute, Uniform(keep=0.8)),
        DesignedAttribute(original["district"].attribute, Uniform(keep=0.7)),
        DesignedAttribute(
            original["income"].attribute, Additive(noise="uniform", range_privacy=20)
        ),
    ))  # fmt: skip
    write_design(design, tmp_path / "design.json")
    # Parts begin in the middle of blocks.
    cuts = [place * ROWS // PARTS + 7 * place for place in range(1, PARTS)]
    write_parts(tmp_path / "true", original, cuts)
    return tmp_path


def told(capsys, *words) -> str:
    assert main([*map(str, words), "--json"]) == 0
    return capsys.readouterr().out


def kill_when_busy(cluster, killed: list[int]) -> threading.Thread:
    """Kill the process of a worker that is in the middle of something, once results have come."""
    pids = {worker.pid for worker in cluster.workers.values()}

    def kill() -> None:
        scheduler = cluster.scheduler
        while sum(one.state == "memory" for one in list(scheduler.tasks.values())) < 2:
            time.sleep(0.005)
        busy = [state for state in list(scheduler.workers.values()) if state.processing]
        address = (busy or list(scheduler.workers.values()))[0].address
        pid = next(one.pid for one in cluster.workers.values() if one.worker_address == address)
        assert pid in pids
        os.kill(pid, signal.SIGKILL)
        killed.append(pid)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def test_that_a_killed_worker_changes_no_byte_of_what_is_distorted_and_estimated(
    survey, cluster, capsys
):
    design = ["--design", survey / "design.json"]
    engine = ["--engine", cluster.scheduler_address.replace("tcp", "dask")]
    told(capsys, "distort", survey / "true", *design, "--out", survey / "here", "--seed", 9)
    killed: list[int] = []
    thread = kill_when_busy(cluster, killed)
    told(
        capsys, "distort", survey / "true", *design, "--out", survey / "there", "--seed", 9, *engine
    )
    thread.join()
    assert len(killed) == 1
    here, there = (
        {path.name: path.read_bytes() for path in (survey / name).iterdir()}
        for name in ("here", "there")
    )
    assert len(here) == PARTS
    assert here == there
    questions = [
        ["reconstruct"],
        ["count", "--where", "sex = female and district in {'Old Town', Northfield}"],
        ["mean", "--of", "income", "--where", "sex = female"],
        ["distribution", "--of", "district"],
        ["crosstab", "--of", "sex", "--by", "district"],
        ["regress", "--formula", "sex ~ district"],
    ]
    for place, (name, *more) in enumerate(questions):
        words = [name, survey / "here", *more, *design]
        expected = told(capsys, *words)
        thread = kill_when_busy(cluster, killed) if place == 0 else None
        assert told(capsys, *words, *engine) == expected
        if thread is not None:
            thread.join()
    assert len(killed) == 2
