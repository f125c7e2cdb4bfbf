"""Processes and clusters give the results of this process, and stop when they are asked to."""

from __future__ import annotations

import threading
import time

import pytest
from experiments import make_experiment, make_records
from lost_workers import local_cluster, mortal_cluster
from patience import until

from ppworkbench.core.errors import ParameterError, WorkbenchError
from ppworkbench.core.experiment import ResultsTable, Setting, Sweep, run_experiment
from ppworkbench.core.experiment.engines import DaskCluster, InProcess, LocalProcesses
from ppworkbench.core.progress import Cancelled, StoppableProgress

pytestmark = pytest.mark.thorough


def told(table):
    return {row.task: (row.confusion, row.error) for row in table}


def stop_at_the_first(table, progress):
    """Ask for a stop, from another thread, once a result is there."""

    def wait():
        until(lambda: len(table))
        progress.stop()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


@pytest.fixture(scope="module")
def experiment():
    return make_experiment(folds=2, sweep=Sweep(levels=(0, 100)))


@pytest.fixture(scope="module")
def expected(experiment):
    return told(run_experiment(experiment, engine=InProcess()))


@pytest.mark.slow
def test_that_processes_give_the_results_of_this_process(experiment, expected):
    assert told(run_experiment(experiment, engine=LocalProcesses(workers=2))) == expected


def test_that_a_small_experiment_starts_no_process(experiment, expected, monkeypatch):
    monkeypatch.setattr(
        LocalProcesses, "_run_in_processes", lambda *_: pytest.fail("a process was started")
    )
    assert told(run_experiment(experiment, engine=LocalProcesses(alone=60))) == expected


def test_that_no_task_is_begun_after_the_time_is_up(experiment):
    found = []
    InProcess(seconds=0.0).run(experiment, experiment.tasks, found.append, lambda: None)
    assert len(found) <= 1


def test_that_a_stop_ends_the_processes():
    large = make_experiment(
        (Setting.of("tree", bins=100),), table=make_records(60_000), folds=20, repeats=20
    )
    table = ResultsTable(large.fingerprint)
    progress = StoppableProgress()
    thread = stop_at_the_first(table, progress)
    with pytest.raises(Cancelled):
        run_experiment(large, table, engine=LocalProcesses(workers=2), progress=progress)
    thread.join()
    done = len(table)
    time.sleep(0.1)
    assert len(table) == done < len(large.tasks)


@pytest.mark.parametrize("delay", [0.05, 0.6])
def test_that_a_stop_does_not_wait_for_processes_that_are_being_started(delay):
    large = make_experiment((Setting.of("tree"),), table=make_records(60_000), folds=20)
    progress = StoppableProgress()
    timer = threading.Timer(delay, progress.stop)
    timer.start()
    with pytest.raises(Cancelled):
        run_experiment(large, engine=LocalProcesses(workers=2), progress=progress)
    timer.join()


def test_that_a_process_that_ends_unexpectedly_is_said(experiment, monkeypatch):
    from ppworkbench.core.experiment import engines

    started = engines._Worker.__init__

    def start_and_die(worker):
        started(worker)
        worker._process.terminate()

    monkeypatch.setattr(engines._Worker, "__init__", start_and_die)
    with pytest.raises(WorkbenchError, match="ended unexpectedly"):
        run_experiment(experiment, engine=LocalProcesses(workers=1))


def test_that_a_stop_takes_effect_inside_a_long_task_of_this_process():
    large = make_experiment((Setting.of("tree", bins=100),), table=make_records(200_000), folds=2)
    progress = StoppableProgress()
    timer = threading.Timer(0.02, progress.stop)
    timer.start()
    with pytest.raises(Cancelled):
        run_experiment(large, engine=InProcess(), progress=progress)
    timer.join()


# Dask


@pytest.fixture(scope="module")
def cluster():
    with local_cluster(2) as made:
        yield made


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_that_a_cluster_of_processes_gives_the_results_of_this_process(
    cluster, experiment, expected
):
    engine = DaskCluster(cluster.scheduler_address)
    assert told(run_experiment(experiment, engine=engine)) == expected


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_that_a_stop_reaches_a_cluster(cluster):
    many = make_experiment((Setting.of("tree"),), table=make_records(5_000), repeats=50)
    table = ResultsTable(many.fingerprint)
    progress = StoppableProgress()
    thread = stop_at_the_first(table, progress)
    with pytest.raises(Cancelled):
        run_experiment(
            many, table, engine=DaskCluster(cluster.scheduler_address), progress=progress
        )
    thread.join()
    assert len(table) < len(many.tasks)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_that_a_cluster_that_is_lost_during_an_experiment_is_said(tmp_path):
    many = make_experiment((Setting.of("tree"),), table=make_records(2_000), repeats=50)
    with mortal_cluster(tmp_path) as (scheduler, address):
        lost = f"^The cluster at {address} no longer responds"
        with pytest.raises(WorkbenchError, match=lost):
            DaskCluster(address).run(
                many, many.tasks, lambda _: scheduler.kill(), check=lambda: None
            )


@pytest.mark.slow
def test_that_an_address_where_nobody_answers_is_said(experiment, monkeypatch):
    pytest.importorskip("distributed", reason="ppworkbench[cluster] is not installed")
    monkeypatch.setattr("ppworkbench.core.engines._CONNECT", 0.3)
    with pytest.raises(WorkbenchError, match="No cluster responds"):
        run_experiment(experiment, engine=DaskCluster("tcp://127.0.0.1:9"))


def test_that_an_address_that_is_none_is_said(experiment):
    pytest.importorskip("distributed", reason="ppworkbench[cluster] is not installed")
    with pytest.raises(ParameterError, match="tcp://host:8786"):
        run_experiment(experiment, engine=DaskCluster("what://ever"))


def test_that_a_missing_library_is_said(experiment, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(WorkbenchError, match=r"ppworkbench\[cluster\]"):
        run_experiment(experiment, engine=DaskCluster("tcp://127.0.0.1:9"))
