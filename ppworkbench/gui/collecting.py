"""The collection of the study in front: started, watched and closed in jobs, never in the window.

The collector is a process of its own. It goes on when the window is closed and is found again by
its database, whose place the study remembers. While a collection is open the design is locked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.answer_state import (
    AnswerState,
    collected_meaning,
    collected_words,
    state_meaning,
    state_words,
)
from ppworkbench.study.parts.study_parts import sample_words
from ppworkbench.study.state import parts_meaning
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.analyses.collecting.live import LiveTarget, Seen, Watch
    from ppworkbench.fieldwork.collector.control import Collection, RunningServer
    from ppworkbench.fieldwork.responses.taken import TakenAnswers

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
    """How to collect.

    ``host`` is the address that others reach this computer by, or its own; ``until`` is when the
    collection closes by itself, as 2026-05-04T18:00, or empty.
    """

    database: str
    host: str = LOCAL
    port: int = PORT
    certificate: str = ""
    key: str = ""
    until: str = ""

    def options(self) -> list[str]:
        """The options of the command ``serve``."""
        words = ["--host", self.host, "--port", str(self.port)]
        if self.certificate or self.key:
            words += ["--cert", self.certificate, "--key", self.key]
        if self.until:
            words += ["--until", self.until]
        return words

    @classmethod
    def from_json(cls, kept: object) -> StartRequest | None:
        """What a study keeps; None if that is nothing of the kind."""
        if not isinstance(kept, Mapping) or not isinstance(kept.get("database"), str):
            return None
        texts = {
            name: str(kept[name])
            for name in ("host", "certificate", "key", "until")
            if isinstance(kept.get(name), str)
        }
        port = kept.get("port")
        return cls(str(kept["database"]), port=port if isinstance(port, int) else PORT, **texts)

    def to_json(self) -> dict[str, Any]:
        return dict(vars(self))


def answer_words(workbench: Workbench) -> tuple[Message, Message]:
    """What the answers of the study are, in a few words and as a sentence.

    A study without answers may have some that are collected but not taken over.
    """
    state = workbench.store.study.state
    collecting = Collecting.find(workbench)
    if state is AnswerState.NONE and collecting is not None and collecting.shown:
        return collected_words(collecting.shown), collected_meaning()
    return state_words(state), state_meaning(state)


def sample_answer_words(workbench: Workbench) -> tuple[Message, Message]:
    """The same, and of how many rows the study shows a sample where its table is one."""
    study = workbench.store.study
    words, meaning = answer_words(workbench)
    if study.parts is None or study.table is None:
        return words, meaning
    said = Message.joined((words, sample_words(study.rows, study.parts)), ", ")
    return said, Message.joined((meaning, parts_meaning(study)), " ")


def _end_server(place: str) -> None:
    """End the collector; called in a job."""
    from ppworkbench.fieldwork.collector.control import stop_server

    if not stop_server(place):
        raise DataError(tr("The collector did not end in time; try again."))


class Collecting(QObject):
    """What the pages and the window ask about the collection, and let it do."""

    changed = Signal()
    """Something else is to be seen."""
    taken = Signal(object)
    """The answers that somebody wants in the study, as :class:`TakenAnswers`."""
    start_refused = Signal(object)
    """Why the collector did not start: a :class:`WorkbenchError`."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self._workbench = workbench
        self._store = workbench.store
        self._collection: Collection | None = None
        self._watch: Watch | None = None
        self._place = ""
        self._looking: Job | None = None
        self._asking: Callable[[RunningServer | None], None] | None = None
        """Who wants to know what runs as soon as nothing is being changed."""
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
        return cls.find(workbench) or cls(workbench)

    @classmethod
    def find(cls, workbench: Workbench) -> Collecting | None:
        found: object = workbench.findChild(cls)
        return found if isinstance(found, cls) else None

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
        return self.state in ("open", "paused")

    @property
    def is_served(self) -> bool:
        return self.seen is not None and self.seen.status.address is not None

    @property
    def shown(self) -> int:
        return 0 if self.seen is None else self.seen.status.shown

    @property
    def until(self) -> str:
        """When the collection closes: as its collector says, or as it was last told to."""
        if self.seen is not None and self.is_served:
            return self.seen.status.until
        return "" if self.request is None else self.request.until

    def find_running(self, found: Callable[[RunningServer | None], None]) -> None:
        """Tell which server runs for the study, also one that is only just being started.

        ``found`` is called at once where nothing is collected.
        """
        if self.is_busy:
            self._asking = found
            return
        request = self.request
        if request is None:
            found(None)
            return

        def work(progress: Progress) -> RunningServer | None:
            from ppworkbench.fieldwork.collector.control import find_server

            progress(0.0)
            try:
                return find_server(request.database)
            except WorkbenchError:
                return None

        self._workbench.run("", work, found, key="running", quiet=True).outlives_study = True

    def watch_closely(self, is_close: bool) -> None:
        self._timer.setInterval(_EVERY if is_close else _SELDOM)
        if is_close:
            self.look()

    def set_target(self, target: LiveTarget | None) -> None:
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

        def work(progress: Progress) -> StartRequest | None:
            from ppworkbench.core.design.design_file import design_digest
            from ppworkbench.fieldwork.collector.control import find_server

            progress(0.0)
            request = StartRequest.from_json(places.get(design_digest(study.asked_design)))
            if request is None or find_server(request.database) is None:
                return None
            return request

        def done(request: StartRequest | None) -> None:
            if request and self._store.document is document and self.request is None:
                self._store.set_results(RESULTS, request.to_json())

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
        from ppworkbench.analyses.collecting.live import Watch
        from ppworkbench.fieldwork.collector.control import open_collection

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
        study = self._store.study

        def work(progress: Progress) -> None:
            from ppworkbench.fieldwork.collector.control import (
                find_server,
                start_collection,
                start_server,
            )

            progress(0.1)
            with start_collection(
                request.database, study.asked_design, study.questionnaire
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
            self._keep(request)

        job = self._do(self.tr("Starting the collector"), work, done)
        if job is not None:
            job.tells_refusal = True
            job.failed.connect(self._on_start_failed)

    def _on_start_failed(self, error: object) -> None:
        if isinstance(error, WorkbenchError):
            self.start_refused.emit(error)

    def set_until(self, until: str) -> None:
        """Close the collection at another time; a running collector restarts to know it."""
        if self.request is None:
            return
        request = replace(self.request, until=until)

        def work(progress: Progress) -> None:
            from ppworkbench.fieldwork.collector.control import find_server, start_server

            progress(0.1)
            if find_server(request.database) is not None:
                _end_server(request.database)
                progress(0.4)
                start_server(request.database, request.options())

        self._do(self.tr("Changing the closing time"), work, lambda: self._keep(request))

    def _keep(self, request: StartRequest) -> None:
        self._store.set_results(RESULTS, request.to_json())

    def pause(self, then: Callable[[], object] | None = None) -> None:
        self._with_collection(self.tr("Pausing"), lambda one: one.pause(), then)

    def resume(self) -> None:
        self._with_collection(self.tr("Resuming"), lambda one: one.resume())

    def close_collection(self) -> None:
        """Take no more answers, mix the rows, and end the collector."""
        place = self._place

        def work(one: Collection) -> None:
            from ppworkbench.fieldwork.collector.control import stop_server

            one.close()
            stop_server(place)

        self._with_collection(self.tr("Closing the collection"), work)

    def begin_round(self) -> None:
        study, before = self._store.study, self.request
        if before is None:
            return
        # The closing time was that of the round before.
        request = replace(before, until="")

        def work(one: Collection) -> None:
            from ppworkbench.fieldwork.collector.control import find_server, start_server

            one.new_round(study.asked_design, study.questionnaire)
            # The page of the old design must not be served any longer.
            if find_server(request.database) is not None:
                _end_server(request.database)
            start_server(request.database, request.options())

        def done() -> None:
            self._remember(study, request)
            self._keep(request)

        self._with_collection(self.tr("Starting a new round"), work, done)

    def make_tokens(self, count: int, path: Path, made: Callable[[], object]) -> None:
        """Make words of which every respondent needs one, and write them into a file."""

        def work(one: Collection) -> None:
            from ppworkbench.fieldwork.collector.tokens import new_tokens, write_tokens

            words = new_tokens(count)
            # First the slips: tokens that nobody can read would keep everybody out.
            write_tokens(words, path)
            one.add_tokens(words)

        self._with_collection(self.tr("Making tokens"), work, made)

    def take_over(self) -> None:
        """Read the answers of this round; they arrive by ``taken``."""
        study = self._store.study
        found: list[TakenAnswers] = []

        def work(one: Collection) -> None:
            from ppworkbench.fieldwork.responses.taken import read_taken

            found.append(read_taken(study, one))

        self._with_collection(
            self.tr("Reading the answers"), work, lambda: self.taken.emit(found[0])
        )

    def stop(self, then: Callable[[], object] | None = None) -> None:
        """End the collector; the collection stays open and can go on later."""
        place = self._place if self.request is None else self.request.database

        def work(progress: Progress) -> None:
            progress(0.0)
            _end_server(place)

        self._do(self.tr("Stopping the collector"), work, then)

    def _with_collection(
        self,
        name: str,
        action: Callable[[Collection], None],
        then: Callable[[], object] | None = None,
    ) -> None:
        collection, request = self._collection, self.request
        if collection is None and request is None:
            return

        def work(progress: Progress) -> None:
            from ppworkbench.fieldwork.collector.control import open_collection

            progress(0.0)
            if collection is not None:
                action(collection)
            elif request is not None:
                # Nobody has looked at it yet.
                with open_collection(request.database) as opened:
                    action(opened)

        self._do(name, work, then)

    def _do(
        self, name: str, work: Callable[[Progress], None], then: Callable[[], object] | None = None
    ) -> Job | None:
        """Change something in a job; what is seen follows. None while another one is under way."""
        if self.is_busy:
            # Buttons are grey only after a moment, in which they may be pressed again.
            return None
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
            asking, self._asking = self._asking, None
            if asking is not None:
                self.find_running(asking)

        job = self._workbench.run(name, work, done)
        job.outlives_study = True
        job.ended.connect(ended)
        return job

    def _remember(self, study: Study, request: StartRequest) -> None:
        from ppworkbench.core.design.design_file import design_digest

        places = self._places()
        digest = design_digest(study.asked_design)
        places.pop(digest, None)
        places[digest] = request.to_json()
        kept = dict(list(places.items())[-_MOST_PLACES:])
        self._workbench.settings.setValue(_PLACES, json.dumps(kept))
        self._workbench.settings.sync()
