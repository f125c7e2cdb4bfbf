"""Changes of the data that can be undone."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from PySide6.QtCore import QObject, Signal

from ppworkbench.core.data import edits
from ppworkbench.core.data.attribute import Code, Kind, MissingPolicy
from ppworkbench.core.data.numerals import code_text
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress
from ppworkbench.gui.jobs import Job, JobState, Work
from ppworkbench.gui.language import told_error, tr
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.data.view import AT_ONCE, kind_word, known_missing
from ppworkbench.gui.widgets.labels import role_word
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.data_checks import ColumnSummary, summarise_column
from ppworkbench.study.renaming import Renamed, retyped
from ppworkbench.study.sampling import give_role
from ppworkbench.study.study import Study

Refused = Callable[[str], None]
"""Gets why an edit is not possible, as the window says it."""
Naming = Callable[[str], str]
EditText = Callable[[Naming], str]
"""What an edit is called, once it is known what people call the attributes."""


@dataclass(frozen=True)
class DataEdit:
    """A change of the answers, their typing or their sampling roles, as one undo step.

    Parameters
    ----------
    refused
        Gets the reason when the edit is not possible; the window's banner does if None.
    said
        A quiet message when it is done, beside which stands "Undo".
    columns
        How many columns are edited, which tells how long it takes.
    renamed
        Which attribute the edit calls something else.
    resets
        Whether the controls show the study again also where somebody gets the reason.
    """

    text: EditText
    change: Callable[[Study], Study]
    refused: Refused | None = None
    said: str = ""
    columns: int = 1
    renamed: Renamed | None = None
    resets: bool = False

    def attempt(self, study: Study) -> Study | WorkbenchError:
        try:
            return self.change(study)
        except WorkbenchError as error:
            return error


class EditQueue(QObject):
    """Applies edits one after the other, each to the table that the one before it left."""

    settled = Signal()
    """An edit was refused or stopped: controls should show the study again."""

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._store = workbench.store
        self._waiting: deque[DataEdit] = deque()
        self._is_busy = False
        self.opened: Table | None = self._store.study.original
        """The table as it was understood when it was opened."""
        self._store.study_opened.connect(self._on_opened)

    def make(self, edit: DataEdit) -> None:
        self._waiting.append(edit)
        if not self._is_busy:
            self._next()

    def _on_opened(self) -> None:
        self._waiting.clear()
        self.opened = self._store.study.original

    def _next(self) -> None:
        while self._waiting:
            study, change = self._store.study, self._waiting.popleft()
            # A column of few rows takes time all the same.
            if change.columns * max(study.rows, 500) > AT_ONCE:
                self._start(change, study)
                return
            self._finish(change, study, change.attempt(study))
        self._is_busy = False

    def _start(self, change: DataEdit, study: Study) -> None:
        self._is_busy = True
        document = self._store.document

        def work(progress: Progress) -> Study | WorkbenchError:
            progress(0.1)
            return change.attempt(study)

        def done(found: Study | WorkbenchError) -> None:
            if document is self._store.document:
                self._finish(change, study, found)

        job = self._workbench.run(change.text(study.shown), work, done, key="edit")
        job.ended.connect(lambda: self._on_ended(job))

    def _on_ended(self, job: Job) -> None:
        if job.state is not JobState.DONE:
            self.settled.emit()
        self._next()

    def _finish(self, change: DataEdit, before: Study, result: Study | WorkbenchError) -> None:
        if self._store.study is not before:
            # Somebody undid a step meanwhile: what they see now is what has to be edited.
            self._waiting.appendleft(change)
        elif isinstance(result, WorkbenchError):
            if change.resets or change.refused is None:
                self.settled.emit()
            if change.refused is None:
                self._workbench.error_raised.emit(result)
            else:
                change.refused(told_error(result, before))
        else:
            if result is not before:
                self._store.apply(result, change.text(before.shown), renamed=change.renamed)
            if change.said:
                self._workbench.show_toast(change.said, can_undo=True)


class SummaryCache(QObject):
    """Summaries of columns: at once for short ones; for long ones they arrive later, from a job."""

    summary_arrived = Signal(str)
    """The summary of this attribute can be asked for now."""
    missing_counted = Signal()
    """The missing answers of every column are counted."""

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._known: WeakKeyDictionary[Column, ColumnSummary] = WeakKeyDictionary()
        self._asked: WeakSet[Column] = WeakSet()

    def summary(self, column: Column) -> ColumnSummary | None:
        """What is known of a column; None while a job is finding it out."""
        if column in self._known:
            return self._known[column]
        if len(column) <= AT_ONCE:
            self._known[column] = summarise_column(column)
            return self._known[column]
        if column not in self._asked:
            self._find_later(column)
        return None

    def _find_later(self, column: Column) -> None:
        def done(found: ColumnSummary) -> None:
            self._known[column] = found
            self.summary_arrived.emit(column.name)

        self._asked.add(column)
        job = self._run(f"summary of {column.name}", lambda _: summarise_column(column), done)
        # A job that was stopped may be asked for again.
        job.ended.connect(lambda: self._asked.discard(column))

    def count_missing(self, table: Table) -> None:
        """See to it that missing answers are counted; columns keep the count themselves."""
        if table.rows <= AT_ONCE or all(known_missing(c) is not None for c in table):
            return

        def work(progress: Progress) -> None:
            for position, column in enumerate(table):
                progress(position / len(table.columns))
                _ = column.missing_count

        self._run("missing", work, lambda _: self.missing_counted.emit())

    def _run(self, key: str, work: Work, done: Callable[[Any], None]) -> Job:
        name = self.tr("Checking answers")
        return self._workbench.run(name, work, done, key=f"data {key}", quiet=True)


def _typed(
    text: EditText, edit: Callable[[Table], Table], *, renamed: Renamed | None = None, **more: Any
) -> DataEdit:
    """An edit of the original answers; the design follows them."""

    def change(study: Study) -> Study:
        table = study.original
        changed = None if table is None else edit(table)
        if changed is None or changed is table:
            return study
        return retyped(study, changed, renamed)

    return DataEdit(text, change, renamed=renamed, **more)


def _of(text: str, name: str, edit: Callable[..., Table], *given: Any, **more: Any) -> DataEdit:
    """An edit of one attribute, which stands in the text."""
    return _typed(lambda shown: text % shown(name), lambda table: edit(table, name, *given), **more)


def _each(text: str, names: Sequence[str], edit: Callable[..., Table], *given: Any) -> DataEdit:
    """The same edit of several attributes as one step, all of them or none."""

    def edit_all(table: Table) -> Table:
        # Each edit sees only its own column: editing the whole table every time would take
        # as long as the square of the number of attributes.
        class_name = table.class_name
        changed = []
        for name in names:
            own = class_name if class_name == name else None
            alone = edit(Table((table[name],), class_name=own), name, *given)
            changed.append(alone[name])
            class_name = alone.class_name if own else class_name
        return table.replace(*changed).with_(class_name=class_name)

    return _typed(lambda shown: text % _which(names, shown), edit_all, columns=len(names))


def _which(names: Sequence[str], shown: Naming) -> str:
    if len(names) == 1:
        return shown(names[0])
    return tr("%s attributes") % number(len(names))


def set_kind(names: Sequence[str], kind: Kind) -> DataEdit:
    words = tr("Change %s to %s") % ("%s", kind_word(kind))
    return _each(words, names, edits.set_kind, kind)


def take_back(column: Column) -> DataEdit:
    """Return to how an attribute was understood when the file was opened."""
    words = tr("Revert the changes of %s")
    return _of(words, column.name, lambda table, _: table.replace(column))


def reorder(name: str, order: Sequence[str]) -> DataEdit:
    return _of(tr("Reorder the values of %s"), name, edits.reorder_values, order)


def rename_value(name: str, old: str, new: str, refused: Refused) -> DataEdit:
    words = tr("Rename a value of %s")
    return _of(words, name, edits.rename_value, old, new, refused=refused)


def merge(name: str, values: Sequence[str], into: str) -> DataEdit:
    said = tr("Merged %s values into “%s”.") % (number(len(values)), into)
    return _of(tr("Merge values of %s"), name, edits.merge_values, values, into, said=said)


def mark_missing(name: str, codes: Sequence[Code]) -> DataEdit:
    shown = ", ".join(tr("“%s”") % code_text(code) for code in codes[:3])
    said = tr("%s is now missing.") % shown
    return _of(tr("Mark answers of %s as missing"), name, edits.mark_missing, codes, said=said)


def restore_missing(name: str, code: Code) -> DataEdit:
    words = tr("Mark %s of %s as valid") % (code_text(code).replace("%", "%%"), "%s")
    return _of(words, name, edits.restore_missing, code)


def set_domain(name: str, low: float, high: float, refused: Refused) -> DataEdit:
    words = tr("Change the range of %s")
    return _of(words, name, edits.set_domain, low, high, refused=refused)


def fit_domain(name: str, refused: Refused) -> DataEdit:
    """Read the range off the answers, rounded out."""
    return _of(tr("Change the range of %s"), name, edits.fit_domain, refused=refused)


def confirm_domain(name: str) -> DataEdit:
    return _of(tr("Confirm the range of %s"), name, edits.confirm_domain)


def confirm_values(name: str) -> DataEdit:
    return _of(tr("Confirm the answers of %s"), name, edits.confirm_domain)


def set_outside(
    name: str, outside: str, refused: Refused, domain: tuple[float, float] | None = None
) -> DataEdit:
    """Refuse answers outside of the range, or let them take its nearest end.

    ``domain`` is a range that was typed and that needs this.
    """

    def change(table: Table, name: str) -> Table:
        changed = edits.set_outside(table, name, outside)
        return changed if domain is None else edits.set_domain(changed, name, *domain)

    words = tr("Change what becomes of answers of %s outside the range")
    return _of(words, name, change, refused=refused)


def set_policy(names: Sequence[str], policy: MissingPolicy) -> DataEdit:
    words = tr("Change the treatment of missing answers of %s")
    return _each(words, names, edits.set_missing_policy, policy)


def set_class(name: str | None) -> DataEdit:
    return _typed(lambda _: tr("Choose the class"), lambda table: edits.set_class(table, name))


def set_role(
    names: Sequence[str],
    role: str,
    refused: Refused | None = None,
    *,
    method: str = "",
    fay: float = 0.3,
) -> DataEdit:
    """Another sampling role of some columns; empty takes it away."""

    def text(shown: Naming) -> str:
        if role:
            return tr("Use %s as %s") % (_which(names, shown), role_word(role))
        return tr("Remove the sampling role of %s") % _which(names, shown)

    return DataEdit(
        text, lambda study: give_role(study, names, role, method=method, fay=fay), refused,
        columns=1 if role else 0, resets=True,
    )  # fmt: skip


def rename_attribute(name: str, new: str, refused: Refused) -> DataEdit:
    """Call an attribute something else; its design, its pins and the selection go along."""
    renamed = (name, new)
    return _of(tr("Rename %s"), name, edits.rename_attribute, new, refused=refused, renamed=renamed)


def describe_attribute(name: str, label: str, title: str, unit: str) -> DataEdit:
    """Set question, label and unit of an attribute as one step."""

    def edit(table: Table, name: str) -> Table:
        table = edits.set_label(table, name, label)
        return edits.set_unit(edits.set_title(table, name, title), name, unit)

    return _of(tr("Change the description of %s"), name, edit)
