"""The collection of the study in front: started, watched and closed in jobs, never in the window.

The collector is a process of its own. It goes on when the window is closed and is found again by
its database, whose place the study remembers. While a collection is open the design is locked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from ppworkbench.core.data.table import Table
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.study.analyses.collecting import LiveTarget, Seen, Watch
    from ppworkbench.study.collector.control import Collection

RESULTS = "collect"
"""Under this name a study keeps where its answers are collected."""
LOCAL = "127.0.0.1"
PORT = 8421
_PLACES = "collect/places"
_MOST_PLACES = 50
_EVERY, _SELDOM = 1_000, 5_000
"""Milliseconds between two looks: while somebody watches, and while nobody does."""


@dataclass(frozen=True)
class StartRequest:
    """How to collect. ``host`` is the address that others reach this computer by, or its own."""

    database: str
    host: str = LOCAL
    port: int = PORT
    certificate: str = ""
    key: str = ""

    def options(self) -> list[str]:
        """The options of the command ``serve``."""
        words = ["--host", self.host, "--port", str(self.port)]
        if self.certificate or self.key:
            words += ["--cert", self.certificate, "--key", self.key]
        return words

    @classmethod
    def from_json(cls, kept: object) -> StartRequest | None:
        """What a study keeps; None if that is nothing of the kind."""
        if not isinstance(kept, Mapping) or not isinstance(kept.get("database"), str):
            return None
        texts = {
            name: str(kept[name])
            for name in ("host", "certificate", "key")
            if isinstance(kept.get(name), str)
        }
        port = kept.get("port")
        return cls(str(kept["database"]), port=port if isinstance(port, int) else PORT, **texts)

    def to_json(self) -> dict[str, Any]:
        """Plain values for the study."""
        return dict(vars(self))


class Collecting(QObject):
    """What the pages and the window ask about the collection, and let it do."""

    changed = Signal()
    """Something else is to be seen."""
    taken = Signal(object)
    """The answers that somebody wants in the study, as a table."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self._workbench = workbench
        self._store = workbench.store
        self._collection: Collection | None = None
        self._watch: Watch | None = None
        self._place = ""
        self._looking: Job | None = None
        self._target: LiveTarget | None = None
        self.seen: Seen | None = None
        """The collection as it was last seen; None if there is none."""
        self.problem = ""
        """Why the database cannot be read now."""
        self.is_busy = False
        """Whether it is being started, closed or otherwise changed."""
        self._timer = QTimer(self)
        self._timer.setInterval(_SELDOM)
        self._timer.timeout.connect(self.look)
        self._store.study_opened.connect(self._on_opened)
        self._store.results_changed.connect(self._on_results)

    @classmethod
    def of(cls, workbench: Workbench) -> Collecting:
        """The one of a window."""
        found = workbench.findChild(cls)
        return found if isinstance(found, cls) else cls(workbench)

    # What is known

    @property
    def request(self) -> StartRequest | None:
        """How the study in front collects; None if it does not."""
        return StartRequest.from_json(self._store.study.results.get(RESULTS))

    @property
    def state(self) -> str:
        """``open``, ``paused`` or ``closed``; empty while there is no collection."""
        return "" if self.seen is None else str(self.seen.status.state.value)

    @property
    def is_open(self) -> bool:
        """Whether answers are taken, or will be again after a pause."""
        return self.state in ("open", "paused")

    @property
    def is_served(self) -> bool:
        """Whether the collector runs."""
        return self.seen is not None and self.seen.status.address is not None

    def watch_closely(self, is_close: bool) -> None:
        """Look more often while somebody watches."""
        self._timer.setInterval(_EVERY if is_close else _SELDOM)
        if is_close:
            self.look()

    def set_target(self, target: LiveTarget | None) -> None:
        """Estimate something else live."""
        if target != self._target:
            self._target = target
            self._looking = None
            self.look()

    # Finding it again

    def _on_opened(self) -> None:
        self._forget()
        if self.request is None:
            self._find_by_design()
        else:
            self.look()

    def _on_results(self, name: str) -> None:
        request = self.request
        if name in ("", RESULTS) and (request.database if request else "") != self._place:
            self._forget()
            self.look()

    def _forget(self) -> None:
        """Let go of the collection of another study; it goes on by itself."""
        before, self._collection, self._watch = self._collection, None, None
        if before is not None:

            def work(progress: Progress) -> None:
                progress(0.0)
                before.disconnect()

            job = self._workbench.jobs.start("", work, quiet=True)
            job.outlives_study = True
        self._place, self.seen, self.problem, self._looking = "", None, "", None
        self._timer.stop()
        self._lock()
        self.changed.emit()

    def _find_by_design(self) -> None:
        """After a crash an unsaved study does not know its database, but these settings do."""
        study, places = self._store.study, self._places()
        if not study.design.attributes or not places:
            return
        document = self._store.document

        def work(progress: Progress) -> str:
            from ppworkbench.core.design.release import design_digest
            from ppworkbench.study.collector.control import find_server

            progress(0.0)
            place = str(places.get(design_digest(study.design), ""))
            return place if place and find_server(place) is not None else ""

        def done(place: str) -> None:
            if place and self._store.document is document and self.request is None:
                self._store.set_results(RESULTS, StartRequest(place).to_json())

        job = self._workbench.run(tr("Looking for the collector"), work, done, quiet=True)
        # The window ends the jobs of the study before only after this one has begun.
        job.outlives_study = True

    def _places(self) -> dict[str, Any]:
        try:
            kept = json.loads(str(self._workbench.settings.value(_PLACES, "{}")))
        except ValueError:
            return {}
        return kept if isinstance(kept, dict) else {}

    # Looking

    def look(self) -> None:
        """Look at the collection in a job, unless one looks already."""
        request = self.request
        if request is None or self.is_busy or (self._looking and not self._looking.state.is_over):
            return
        study, target, place, known = self._store.study, self._target, request.database, self._watch
        self._place = place

        def work(progress: Progress) -> tuple[Watch, Seen] | WorkbenchError:
            progress(0.0)
            try:
                watch = known or self._open(place)
                return watch, watch.look(study, target)
            except WorkbenchError as error:
                return error

        def done(found: tuple[Watch, Seen] | WorkbenchError) -> None:
            # What belongs to another study, or to the time before a change, is not shown.
            if self._looking is job:
                self._on_looked(found)

        job = self._workbench.run("", work, done, key="collecting", quiet=True)
        job.outlives_study = True
        self._looking = job
        if not self._timer.isActive():
            self._timer.start()

    @staticmethod
    def _open(place: str) -> Watch:
        """Open the database; called in a job."""
        from ppworkbench.study.analyses.collecting import Watch
        from ppworkbench.study.collector.control import open_collection

        return Watch(open_collection(place))

    def _on_looked(self, found: tuple[Watch, Seen] | WorkbenchError) -> None:
        if isinstance(found, WorkbenchError):
            # What was seen before stays, and with it the lock of the design.
            self.problem = translate(found.message)
        else:
            self.problem = ""
            self._watch, self.seen = found
            self._collection = self._watch.collection
        self._lock()
        self.changed.emit()

    def _lock(self) -> None:
        words = ""
        if self.is_open:
            words = tr(
                "Answers are being collected for this design, so it is locked. Close the "
                "collection or start a new round to change it."
            )
        self._store.lock_design(words)

    # Doing

    def start(self, request: StartRequest) -> None:
        """Begin to collect, or go on with a database of the same design."""
        study = self._store.study

        def work(progress: Progress) -> None:
            from ppworkbench.study.collector.control import (
                find_server,
                start_collection,
                start_server,
            )

            progress(0.1)
            with start_collection(
                request.database, study.design, study.questionnaire
            ) as collection:
                progress(0.3)
                if find_server(request.database) is not None:
                    return
                try:
                    start_server(request.database, request.options())
                except WorkbenchError:
                    # What cannot be served leaves no database behind.
                    collection.discard()
                    raise

        def done() -> None:
            self._remember(study, request)
            self._store.set_results(RESULTS, request.to_json())

        self._do(self.tr("Starting the collector"), work, done)

    def serve_again(self) -> None:
        """Let the collector of an open collection run again."""
        request = self.request
        if request is not None:
            self.start(request)

    def pause(self) -> None:
        """Take no answers for a while."""
        self._with_collection(self.tr("Pausing"), lambda one: one.pause())

    def resume(self) -> None:
        """Take answers again."""
        self._with_collection(self.tr("Resuming"), lambda one: one.resume())

    def close_collection(self) -> None:
        """Take no more answers, mix the rows, and end the collector."""
        place = self._place

        def work(one: Collection) -> None:
            from ppworkbench.study.collector.control import stop_server

            one.close()
            stop_server(place)

        self._with_collection(self.tr("Closing the collection"), work)

    def begin_round(self) -> None:
        """Close this round and collect for the design as it is now."""
        study, request = self._store.study, self.request
        if request is None:
            return

        def work(one: Collection) -> None:
            from ppworkbench.study.collector.control import find_server, start_server, stop_server

            one.new_round(study.design, study.questionnaire)
            # The page of the old design must not be served any longer.
            if find_server(request.database) is not None:
                stop_server(request.database)
            start_server(request.database, request.options())

        self._with_collection(self.tr("Starting a new round"), work)

    def make_tokens(self, count: int, path: Path, made: Callable[[], object]) -> None:
        """Make words of which every respondent needs one, and write them into a file."""

        def work(one: Collection) -> None:
            from ppworkbench.study.collector.tokens import new_tokens, write_tokens

            words = new_tokens(count)
            # First the slips: tokens that nobody can read would keep everybody out.
            write_tokens(words, path)
            one.add_tokens(words)

        self._with_collection(self.tr("Making tokens"), work, made)

    def take_over(self) -> None:
        """Read the answers of this round; they arrive by ``taken``."""
        found: list[Table] = []

        def work(one: Collection) -> None:
            found.append(one.table())

        self._with_collection(
            self.tr("Reading the answers"), work, lambda: self.taken.emit(found[0])
        )

    def stop(self, then: Callable[[], object]) -> None:
        """End the collector; the collection stays open and can go on later."""
        place = self._place

        def work(progress: Progress) -> None:
            from ppworkbench.study.collector.control import stop_server

            progress(0.0)
            stop_server(place)

        self._do(self.tr("Stopping the collector"), work, then)

    def _with_collection(
        self,
        name: str,
        action: Callable[[Collection], None],
        then: Callable[[], object] | None = None,
    ) -> None:
        collection = self._collection
        if collection is None:
            return

        def work(progress: Progress) -> None:
            progress(0.0)
            action(collection)

        self._do(name, work, then)

    def _do(
        self, name: str, work: Callable[[Progress], None], then: Callable[[], object] | None = None
    ) -> None:
        """Change something in a job; what is seen follows."""
        document = self._store.document
        self.is_busy = True
        self.changed.emit()

        def done(_: object) -> None:
            self.is_busy = False
            if self._store.document is document and then is not None:
                then()

        def ended() -> None:
            self.is_busy = False
            self._looking = None
            self.changed.emit()
            self.look()

        job = self._workbench.run(name, work, done)
        job.outlives_study = True
        job.ended.connect(ended)

    def _remember(self, study: Study, request: StartRequest) -> None:
        from ppworkbench.core.design.release import design_digest

        places = self._places()
        digest = design_digest(study.design)
        places.pop(digest, None)
        places[digest] = str(Path(request.database))
        kept = dict(list(places.items())[-_MOST_PLACES:])
        self._workbench.settings.setValue(_PLACES, json.dumps(kept))
        self._workbench.settings.sync()
