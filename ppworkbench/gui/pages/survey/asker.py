"""Runs the questions of the page and keeps their newest answers."""

from __future__ import annotations

from collections import OrderedDict

from PySide6.QtCore import QObject, Signal

from ppworkbench.core.progress import Progress
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.pages.survey.question import Question
from ppworkbench.gui.pages.survey.replies import Refusal, Reply, mark_of, reply_to
from ppworkbench.gui.pages.survey.splits import SplitReply, split_by
from ppworkbench.gui.workbench import Workbench

_KEPT = 8
"""Answers that come back without work."""


class Asker(QObject):
    """What was asked last wins; an older answer never arrives."""

    answered = Signal()
    """There is another answer, or the reason why there is none."""
    split_changed = Signal()
    busy_changed = Signal()
    mark_changed = Signal(str)
    """The mark of the design of now is known."""

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.reply: Reply | None = None
        self.refusal: Refusal | None = None
        self.split: SplitReply | None = None
        self.is_new = False
        """Whether the answer was worked out, not brought back."""
        self._job: Job | None = None
        self._splitting: Job | None = None
        self._asked: Question | None = None
        self._kept: OrderedDict[Question, Reply] = OrderedDict()

    @property
    def is_busy(self) -> bool:
        """Whether an answer is on its way."""
        return self._job is not None

    @property
    def is_splitting(self) -> bool:
        """Whether newer rows of the split are on their way."""
        return self._splitting is not None

    def forget(self) -> None:
        """Drop everything: another study is shown."""
        for job in (self._job, self._splitting):
            if job is not None:
                job.disown()
        self._job = self._splitting = self._asked = None
        self.reply = self.refusal = self.split = None
        self._kept.clear()
        self.busy_changed.emit()

    def ask(self, question: Question) -> None:
        """Ask; a question that was answered for the same study comes back at once."""
        study, asked = self._workbench.store.study, question.essence
        known = self._kept.get(asked)
        if known is not None and known.is_current(study):
            self._end()
            self._take(known, new=False)
            return
        source = self._workbench.answers

        def work(progress: Progress) -> Reply | Refusal:
            return reply_to(asked, study, source, progress)

        self._asked = asked
        job = self._workbench.run(self.tr("Estimating"), work, self._on_answered, key="survey")
        self._job = job
        job.ended.connect(lambda: self._on_ended(job))
        self.busy_changed.emit()

    def ask_again(self) -> None:
        """The study changed while an answer was on its way: it would be too late."""
        if self._job is not None and self._asked is not None:
            self.ask(self._asked)

    def cancel(self) -> None:
        """Stop; the last answer stays."""
        if self._job is not None:
            self._job.cancel()

    def _on_answered(self, found: Reply | Refusal) -> None:
        if isinstance(found, Refusal):
            self.reply, self.refusal, self.split = None, found, None
            self.is_new = False
            self.answered.emit()
            return
        self._kept[found.question] = found
        self._kept.move_to_end(found.question)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        self._take(found, new=True)

    def _take(self, reply: Reply, *, new: bool) -> None:
        if self.reply is not None and self.reply.question != reply.question:
            self.split = None
        self.reply, self.refusal, self.is_new = reply, None, new
        self.mark_changed.emit(reply.mark)
        self.answered.emit()

    def _on_ended(self, job: Job) -> None:
        if job is self._job:
            self._end()

    def _end(self) -> None:
        if self._job is not None and not self._job.state.is_over:
            self._job.disown()
        self._job = self._asked = None
        self.busy_changed.emit()

    # The split

    def ask_split(self, by: str) -> None:
        """Split the answer on the page by an attribute."""
        reply = self.reply
        if reply is None:
            return
        source, study, question = self._workbench.answers, reply.study, reply.question

        def work(progress: Progress) -> SplitReply:
            return split_by(by, question, study, source, progress)

        name = self.tr("Splitting by %s") % by
        job = self._workbench.run(name, work, self._on_split, key="survey split", quiet=True)
        self._splitting = job
        job.ended.connect(lambda: self._on_split_ended(job))

    def drop_split(self) -> None:
        """There is nothing to split any more."""
        if self._splitting is not None:
            self._splitting.disown()
            self._splitting = None
        self.split = None

    def _on_split(self, found: SplitReply) -> None:
        if self.reply is not None and found.question == self.reply.question:
            self.split = found
            self._splitting = None
            self.split_changed.emit()

    def _on_split_ended(self, job: Job) -> None:
        if job is self._splitting:
            self._splitting = None

    # The mark

    def find_mark(self) -> None:
        """Find out which kept answers belong to the design of now."""
        study = self._workbench.store.study
        if study.is_empty:
            return

        def work(progress: Progress) -> str:
            progress(0.0)
            return mark_of(study)

        name = self.tr("Comparing designs")
        self._workbench.run(name, work, self.mark_changed.emit, key="survey mark", quiet=True)
