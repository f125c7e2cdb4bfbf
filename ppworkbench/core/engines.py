"""Where work on the parts of a data set is done: in this process, in several, or on a cluster.

An engine carries out one pure function on every item. It hands the results back in the order of
the items, whatever finished first, so that nothing depends on who did the work. What a lost worker
had begun is done again by another one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from ppworkbench.core.errors import ParameterError, WorkbenchError
from ppworkbench.core.progress import Progress, silent

Item = TypeVar("Item")
Result = TypeVar("Result")
State = TypeVar("State")

LOCAL, DASK = "local", "dask"
_WAIT = 0.02
_AHEAD = 2
"""Items handed out per worker; a result waits in memory for those before it."""
_CONNECT = 10
"""Seconds within which a scheduler must respond."""
_MOST_PROCESSES = 1024


class Engine(Protocol):
    """Carries out a function on items; it must be importable, and depend on nothing else."""

    def map(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        progress: Progress = silent,
    ) -> Iterator[Result]:
        """Yield the results in the order of the items.

        ``progress`` is called often, and may raise to stop: then no further item is begun.
        """

    def chain(
        self,
        function: Callable[[State, Item], tuple[Result, State]],
        state: State,
        items: Sequence[Item],
        progress: Progress = silent,
    ) -> Iterator[Result]:
        """The same one item after the other, each with the state in which the last one ended."""


@dataclass(frozen=True)
class LocalEngine:
    """The own computer: the calling thread, or so many processes."""

    processes: int = 1

    def map(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        progress: Progress = silent,
    ) -> Iterator[Result]:
        if self.processes == 1 or len(items) < 2:
            for done, item in enumerate(items):
                progress(done / len(items))
                yield function(item)
            progress(1.0)
            return
        from joblib.externals.loky import get_reusable_executor
        from joblib.externals.loky.process_executor import BrokenProcessPool

        executor = get_reusable_executor(max_workers=min(self.processes, len(items)))
        try:
            yield from _in_order(
                lambda item: executor.submit(function, item),
                items, self.processes * _AHEAD, progress, _plain_result,
            )  # fmt: skip
        except BrokenProcessPool as error:
            raise WorkbenchError(
                "A process ended unexpectedly, perhaps for lack of memory; use fewer processes."
            ) from error
        finally:
            executor.shutdown(wait=True, kill_workers=True)

    def chain(
        self,
        function: Callable[[State, Item], tuple[Result, State]],
        state: State,
        items: Sequence[Item],
        progress: Progress = silent,
    ) -> Iterator[Result]:
        """Carry out the function in this process: others would only wait for each other."""
        for done, item in enumerate(items):
            progress(done / len(items))
            found, state = function(state, item)
            yield found
        progress(1.0)


@dataclass(frozen=True)
class DaskEngine:
    """The workers of a Dask cluster, which need this program in the same version.

    Parameters
    ----------
    address
        Where the scheduler listens, such as ``tcp://10.0.0.5:8786``.
    """

    address: str

    def map(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        progress: Progress = silent,
    ) -> Iterator[Result]:
        with connect(self.address) as client:
            threads = count_threads(client, self.address)
            # What a lost worker had is given to another one by the scheduler.
            yield from _in_order(
                lambda item: submit(client, self.address, function, item),
                items, threads * _AHEAD, progress, partial(cluster_result, self.address),
            )  # fmt: skip

    def chain(
        self,
        function: Callable[[State, Item], tuple[Result, State]],
        state: State,
        items: Sequence[Item],
        progress: Progress = silent,
    ) -> Iterator[Result]:
        """Carry out the function on the cluster; only the state goes from worker to worker."""
        with connect(self.address) as client:
            count_threads(client, self.address)
            steps = _in_order(
                lambda item: submit(client, self.address, function, state, item),
                items, 1, progress, partial(cluster_result, self.address),
            )  # fmt: skip
            # The next item is handed out when the loop comes round, with the new state.
            for step in steps:
                found, state = step
                yield found


def engine_of(text: str) -> Engine:
    """The engine that somebody named: ``local``, ``local:4`` or ``dask://HOST:PORT``.

    >>> engine_of("local:2"), engine_of("dask://10.0.0.5:8786")
    (LocalEngine(processes=2), DaskEngine(address='tcp://10.0.0.5:8786'))
    """
    kind, _, rest = text.partition(":")
    if kind == LOCAL and not rest and ":" not in text:
        return LocalEngine()
    if kind == LOCAL and rest.isascii() and rest.isdigit() and 1 <= int(rest) <= _MOST_PROCESSES:
        return LocalEngine(int(rest))
    if kind == DASK and rest.startswith("//"):
        host, _, port = rest[2:].rpartition(":")
        if host and port.isascii() and port.isdigit():
            return DaskEngine(f"tcp://{host}:{port}")
    raise ParameterError.saying(
        "{text!r} is no engine; write local, local:4 for 4 processes, or dask://host:8786.",
        text=text,
        field="engine",
    )


def connect(address: str) -> Any:
    """A client of the cluster whose scheduler listens there."""
    try:
        from distributed import Client
    except ImportError:
        raise WorkbenchError(
            "The cluster engine is not installed; install it with "
            "'pip install \"ppworkbench[cluster]\"'."
        ) from None
    try:
        return Client(  # type: ignore[no-untyped-call]
            address, timeout=_CONNECT, set_as_default=False
        )
    except ValueError:
        raise ParameterError.saying(
            "{address!r} is not a cluster address; write it as tcp://host:8786.",
            address=address,
            field="cluster",
        ) from None
    except OSError:
        raise WorkbenchError.saying(
            "No cluster responds at {address}; check that its scheduler is running.",
            address=address,
        ) from None


def count_threads(client: Any, address: str) -> int:
    """How many tasks the workers of a cluster do at once; refuse a cluster without workers."""
    workers = client.scheduler_info(n_workers=-1)["workers"]
    if not workers:
        raise WorkbenchError.saying(
            "The cluster at {address} has no workers; start some with 'dask worker {address}'.",
            address=address,
        )
    return sum(int(worker["nthreads"]) for worker in workers.values())


def _in_order(
    submit: Callable[[Item], Any],
    items: Sequence[Item],
    most: int,
    progress: Progress,
    result_of: Callable[[Any], Result],
) -> Iterator[Result]:
    """Hand out a few items ahead, and yield what came of them in their order."""
    futures: list[Any] = []
    try:
        for done in range(len(items)):
            while len(futures) < min(len(items), done + most):
                futures.append(submit(items[len(futures)]))
            while not futures[done].done():
                progress(done / len(items))
                time.sleep(_WAIT)
            found = result_of(futures[done])
            # The result is the caller's now; holding it here would keep all of them in memory.
            futures[done] = None
            progress((done + 1) / len(items))
            yield found
    finally:
        for future in futures:
            if future is not None:
                future.cancel()


def _plain_result(future: Future[Result]) -> Result:
    return future.result()


def submit(client: Any, address: str, function: Callable[..., Any], *given: Any) -> Any:
    """Hand out work; refuse where the scheduler has been lost since."""
    try:
        return client.submit(function, *given, pure=False)
    except Exception as error:
        if client.status == "running":
            raise
        raise _lost(address) from error


def _lost(address: str) -> WorkbenchError:
    return WorkbenchError.saying(
        "The cluster at {address} no longer responds; check that its scheduler is running, and "
        "start again.",
        address=address,
    )


def cluster_result(address: str, future: Any) -> Any:
    """What a worker found; one sentence where a worker failed or the cluster is gone."""
    try:
        return future.result()
    except WorkbenchError:
        raise
    except Exception as error:
        if future.status != "error":
            # The work did not fail: the scheduler was lost before, or while the result was fetched.
            raise _lost(address) from error
        if type(error).__name__ == "KilledWorker":
            raise WorkbenchError(
                "Several workers of the cluster ended during the same part, perhaps for lack of "
                "memory; give them more memory, or use smaller parts."
            ) from error
        raise WorkbenchError.saying(
            "A worker of the cluster failed ({name}: {error}); check that it has the "
            "same version of ppworkbench.",
            name=type(error).__name__,
            error=error,
        ) from error
