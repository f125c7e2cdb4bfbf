"""How long work without a window takes: stops, frames of a drag, broken files, many columns."""

from __future__ import annotations

import statistics
import threading
import time

import numpy as np
import pytest
from analyses.test_budget import many
from analyses.test_trade_off import drinks
from core.models.test_many_rows import WORK, dense, design_of, right_side, table_of
from experiments import make_experiment, make_records
from lost_workers import local_cluster
from patience import PATIENCE
from shopping import binary_items
from slowness import Stopwatch, milliseconds_of_work
from study.test_release import TOWN

from ppworkbench.analyses.designs.places import BELIEF, curve_key, place_of
from ppworkbench.analyses.planning.study_budget import BudgetBuilder
from ppworkbench.analyses.planning.study_plan import PlanBuilder
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.inference.determined import determining_pairs
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Forced, Geometric, Uniform
from ppworkbench.core.errors import DataError
from ppworkbench.core.experiment import ResultsTable, Setting, run_experiment
from ppworkbench.core.experiment.engines import DaskCluster, InProcess, LocalProcesses
from ppworkbench.core.mining import Apriori, mine
from ppworkbench.core.models import RegressionOptions, regress
from ppworkbench.core.progress import Cancelled, StoppableProgress
from ppworkbench.study.study import Study, StudySettings

STOP = 500
"""Milliseconds within which a stop takes effect."""


class Stopper:
    """Asks for a stop from another thread once something is so, and tells how long it took."""

    def __init__(self, is_time) -> None:
        self.progress = StoppableProgress()
        self._is_time = is_time
        self._thread = threading.Thread(target=self._wait, daemon=True)
        self._thread.start()

    def _wait(self) -> None:
        while not self._is_time():
            time.sleep(0.01)
        self._asked = Stopwatch()
        self.progress.stop()

    def milliseconds(self) -> float:
        """Since the stop was asked for."""
        taken = self._asked.milliseconds
        self._thread.join()
        return taken


def after(milliseconds: float):
    """Tells whether so much time has passed."""
    watch = Stopwatch()
    return lambda: watch.milliseconds > milliseconds


def test_that_a_stop_ends_processes(within):
    large = make_experiment(
        (Setting.of("tree", bins=100),), table=make_records(60_000), folds=20, repeats=20
    )
    table = ResultsTable(large.fingerprint)
    stopper = Stopper(lambda: len(table))
    with pytest.raises(Cancelled):
        run_experiment(large, table, engine=LocalProcesses(workers=2), progress=stopper.progress)
    within({"stop": stopper.milliseconds()}, STOP)


@pytest.mark.parametrize("delay", [50, 600])
def test_that_a_stop_does_not_wait_for_processes_that_are_being_started(within, delay):
    large = make_experiment((Setting.of("tree"),), table=make_records(60_000), folds=20)
    stopper = Stopper(after(delay))
    with pytest.raises(Cancelled):
        run_experiment(large, engine=LocalProcesses(workers=2), progress=stopper.progress)
    within({"stop": stopper.milliseconds()}, STOP)


def test_that_a_stop_takes_effect_inside_a_long_task(within):
    large = make_experiment((Setting.of("tree", bins=100),), table=make_records(200_000), folds=2)
    stopper = Stopper(after(20))
    with pytest.raises(Cancelled):
        run_experiment(large, engine=InProcess(), progress=stopper.progress)
    within({"stop": stopper.milliseconds()}, STOP)


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_that_a_stop_reaches_a_cluster(within):
    many_tasks = make_experiment((Setting.of("tree"),), table=make_records(5_000), repeats=50)
    table = ResultsTable(many_tasks.fingerprint)
    with local_cluster(2) as cluster:
        stopper = Stopper(lambda: len(table))
        engine = DaskCluster(cluster.scheduler_address)
        with pytest.raises(Cancelled):
            run_experiment(many_tasks, table, engine=engine, progress=stopper.progress)
        taken = stopper.milliseconds()
    within({"stop": taken}, STOP)


def test_that_a_flood_of_candidates_is_stopped(within):
    """Every pair of 1,500 items is a candidate, and all of them are frequent."""
    data = binary_items(np.random.default_rng(1).random((1500, 640)) < 0.9)
    asked: list[Stopwatch] = []

    def watch(done, text=""):
        if asked:
            raise Cancelled
        if "Length 3" in text:
            asked.append(Stopwatch())

    with pytest.raises(Cancelled):
        mine(data, Apriori(min_support=0.001), progress=watch)
    within({"stop": asked[0].milliseconds}, STOP)


@pytest.mark.parametrize("name", sorted(WORK))
def test_that_a_long_fit_stops(within, name):
    """In the middle, from another thread."""
    outcome, options, more, devices = WORK[name]
    columns = dense(1_500_000, 4, outcome)
    table, design = table_of(columns), design_of(columns, **devices)
    begun, ended = threading.Event(), threading.Event()
    reports = 0

    def report(_done: float, _message: str) -> None:
        nonlocal reports
        reports += 1
        if reports == 100:
            begun.set()

    progress = StoppableProgress(report)

    def work() -> None:
        try:
            regress(table, design, f"y ~ {right_side(4)}", RegressionOptions(**options),
                    progress=progress, **more)  # fmt: skip
        except Cancelled:
            ended.set()

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(PATIENCE)
    progress.stop()
    watch = Stopwatch()
    assert ended.wait(PATIENCE)
    within({"stop": watch.milliseconds}, STOP)
    thread.join()


@pytest.mark.parametrize("name", sorted(set(WORK) - {"bootstrap"}))
def test_that_no_part_of_a_long_fit_is_silent(within, name):
    """Whenever the stop comes, the next report is near."""
    outcome, options, more, devices = WORK[name]
    columns = dense(1_500_000, 4, outcome)
    table, design = table_of(columns), design_of(columns, **devices)
    last, longest = time.thread_time(), 0.0

    def report(done: float, message: str = "") -> None:
        nonlocal last, longest
        now = time.thread_time()
        longest = max(longest, now - last)
        last = now

    regress(table, design, f"y ~ {right_side(4)}", RegressionOptions(**options), progress=report,
            **more)  # fmt: skip
    report(1.0, "end")
    within({"longest silence": 1000 * longest}, STOP)


def test_that_a_plan_of_forty_questions_follows_n(within):
    asked = [Attribute(f"q{i}", Kind.BINARY, ("no", "yes"), sensitive=("yes",)) for i in range(40)]
    design = Design(tuple(DesignedAttribute(one, Forced(p_truth=0.7)) for one in asked))
    study, builder = Study("many", design=design), PlanBuilder()
    builder.build(study)
    studies = [study.with_(settings=StudySettings(respondents=n)) for n in range(500, 520)]
    work = [milliseconds_of_work(builder.build, one) for one in studies]
    within({"usual frame": statistics.median(work)}, 16)


def test_that_a_budget_of_fifty_questions_follows_a_drag(within):
    builder, study = BudgetBuilder(), many(50)
    builder.build(study.design)
    work = []
    for step in range(10):
        changed = study.with_perturbations({"q7": Geometric(epsilon=1 + step / 10)})
        work.append(milliseconds_of_work(builder.build, changed.design))
    within({"usual frame": statistics.median(work)}, 50)


def test_that_the_place_of_the_dot_is_found(within):
    question = drinks()

    def find(device: Uniform) -> None:
        place_of(question, device, BELIEF)
        curve_key(question, device, BELIEF)

    devices = [Uniform(keep=0.4 + step / 200) for step in range(60)]
    work = [milliseconds_of_work(find, device) for device in devices]
    within({"usual frame": statistics.median(work)}, 8)


def test_that_pairs_are_looked_for_among_many_columns_and_rows(within):
    draws = np.random.default_rng(4)
    columns = (Column(TOWN.with_(name=f"q{i}"), draws.integers(0, 4, 200_000)) for i in range(60))
    table = Table(tuple(columns))
    within({"look": milliseconds_of_work(determining_pairs, table, table.names)}, 1000)
    within({"again": milliseconds_of_work(determining_pairs, table, table.names)}, 10)


BROKEN = {
    "row of blanks": "@attribute a string\n@data\nx" + " " * 50_000 + "y\n",
    "row of quotes": "@attribute a string\n@data\n" + "'" * 50_001 + "\n",
    "open sparse row": "@attribute a string\n@data\n{0 " + " " * 50_000 + "\n",
    "open declaration": "@attribute a {" + "v," * 5000 + "\n@data\n",
    "open quote": "@attribute a {" + "v," * 5000 + "'\n@data\n",
}


@pytest.mark.parametrize("what", BROKEN)
def test_that_a_long_broken_arff_file_is_refused(tmp_path, within, what):
    path = tmp_path / "broken.arff"
    path.write_text(f"@relation s\n{BROKEN[what]}", encoding="utf-8")

    def read() -> None:
        with pytest.raises(DataError):
            read_table(path)

    within({"refuse": milliseconds_of_work(read)}, 500)
