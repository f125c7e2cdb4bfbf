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
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress
from ppworkbench.gui.jobs import Job, JobState, Work
from ppworkbench.gui.language import told_error, tr
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.data.texts import kind_word
from ppworkbench.gui.pages.data.view import AT_ONCE, known_missing
from ppworkbench.gui.widgets.labels import role_word
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.data_checks import ColumnSummary, code_text, summarise_column
from ppworkbench.study.renaming import Renamed, retyped
from ppworkbench.study.sampling import give_role
from ppworkbench.study.study import Study

Edit = Callable[[Table], Table]
Refused = Callable[[str], None]
"""Gets why an edit is not possible, as the window says it."""
Naming = Callable[[str], str]
EditText = Callable[[Naming], str]
"""What an edit is called, once it is known what people call the attributes."""


@dataclass(frozen=True)
class TableEdit:
    """A change of the answers or their typing, as one undo step.

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
    """

    text: EditText
    edit: Edit
    refused: Refused | None = None
    said: str = ""
    columns: int = 1
    renamed: Renamed | None = None


@dataclass(frozen=True)
class RoleEdit:
    """Another sampling role of some columns, as one undo step; empty takes it away.

    Parameters
    ----------
    method, fay
        How replicate weights were made.
    refused
        Gets the reason when the columns cannot have the role; the window's banner does if None.
    """

    text: EditText
    names: tuple[str, ...]
    role: str
    method: str = ""
    fay: float = 0.3
    refused: Refused | None = None

    def of(self, study: Study) -> Study | WorkbenchError:
        """The study with the role, or why the columns cannot have it."""
        try:
            return give_role(study, self.names, self.role, method=self.method, fay=self.fay)
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
        self._waiting: deque[TableEdit | RoleEdit] = deque()
        self._is_busy = False
        self.opened: Table | None = self._store.study.original
        """The table as it was understood when it was opened."""
        self._store.study_opened.connect(self._on_opened)

    def make(self, edit: TableEdit | RoleEdit) -> None:
        """Edit the table now, or when the edits before this one are done."""
        self._waiting.append(edit)
        if not self._is_busy:
            self._next()

    def _on_opened(self) -> None:
        self._waiting.clear()
        self.opened = self._store.study.original

    def _next(self) -> None:
        while self._waiting:
            study = self._store.study
            change = self._waiting.popleft()
            if isinstance(change, RoleEdit):
                if change.role and study.rows > AT_ONCE:
                    self._check_role(change, study)
                    return
                self._finish_role(change, study, change.of(study))
                continue
            table = study.original
            if table is None:
                continue
            # A column of few rows takes time all the same.
            if change.columns * max(table.rows, 500) > AT_ONCE:
                self._start(change, table)
                return
            self._finish(change, table, _attempt(change.edit, table))
        self._is_busy = False

    def _start(self, change: TableEdit, table: Table) -> None:
        self._is_busy = True
        document, study = self._store.document, self._store.study

        def work(progress: Progress) -> tuple[Table | WorkbenchError, Study | None]:
            progress(0.1)
            result = _attempt(change.edit, table)
            if isinstance(result, WorkbenchError) or result is table:
                return result, None
            progress(0.7)
            # The design follows the table; for very many attributes that takes a while, too.
            return result, retyped(study, result, change.renamed)

        def done(found: tuple[Table | WorkbenchError, Study | None]) -> None:
            if document is not self._store.document:
                return
            if found[1] is not None and self._store.study is study:
                self._store.apply(found[1], change.text(study.shown), renamed=change.renamed)
                self._tell(change)
            else:
                self._finish(change, table, found[0])

        job = self._workbench.run(change.text(study.shown), work, done, key="edit")
        job.ended.connect(lambda: self._on_ended(job))

    def _check_role(self, change: RoleEdit, study: Study) -> None:
        self._is_busy = True
        document = self._store.document

        def work(progress: Progress) -> Study | WorkbenchError:
            progress(0.1)
            return change.of(study)

        def done(found: Study | WorkbenchError) -> None:
            if document is self._store.document:
                self._finish_role(change, study, found)

        job = self._workbench.run(change.text(study.shown), work, done, key="edit")
        job.ended.connect(lambda: self._on_ended(job))

    def _finish_role(self, change: RoleEdit, before: Study, result: Study | WorkbenchError) -> None:
        now = self._store.study
        if now.table is not before.table or now.design is not before.design:
            # Somebody undid a step meanwhile: the role is for what they see now.
            self._waiting.appendleft(change)
        elif isinstance(result, WorkbenchError):
            self.settled.emit()
            self._refuse(change.refused, result)
        elif result is not before:
            self._store.apply(now.with_(design=result.design), change.text(now.shown))

    def _refuse(self, refused: Refused | None, error: WorkbenchError) -> None:
        if refused is not None:
            refused(told_error(error, self._store.study))
        else:
            self._workbench.error_raised.emit(error)

    def _on_ended(self, job: Job) -> None:
        if job.state is not JobState.DONE:
            self.settled.emit()
        self._next()

    def _finish(self, change: TableEdit, before: Table, result: Table | WorkbenchError) -> None:
        if self._store.study.original is not before:
            # Somebody undid a step meanwhile: what they see now is what has to be edited.
            self._waiting.appendleft(change)
        elif not isinstance(result, WorkbenchError):
            text = change.text(self._store.study.shown)
            self._store.set_table(result, text, change.renamed)
            self._tell(change)
        elif change.refused is not None:
            change.refused(told_error(result, self._store.study))
        else:
            self.settled.emit()
            self._workbench.error_raised.emit(result)

    def _tell(self, change: TableEdit) -> None:
        if change.said:
            self._workbench.toast_requested.emit(change.said, True)


def _attempt(edit: Edit, table: Table) -> Table | WorkbenchError:
    try:
        return edit(table)
    except WorkbenchError as error:
        return error


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


def set_kind(names: Sequence[str], kind: Kind) -> TableEdit:
    """Make attributes of another kind, all of them or none."""
    return _each(
        lambda shown: tr("Change %s to %s") % (_which(names, shown), kind_word(kind)),
        names,
        lambda table, name: edits.set_kind(table, name, kind),
    )


def take_back(column: Column) -> TableEdit:
    """Return to how an attribute was understood when the file was opened."""
    return TableEdit(
        lambda shown: tr("Revert the changes of %s") % shown(column.name),
        lambda table: table.replace(column),
    )


def reorder(name: str, order: Sequence[str]) -> TableEdit:
    """Put values in another order."""
    return TableEdit(
        lambda shown: tr("Reorder the values of %s") % shown(name),
        lambda table: edits.reorder_values(table, name, order),
    )


def rename_value(name: str, old: str, new: str, refused: Refused) -> TableEdit:
    """Call a value something else."""
    return TableEdit(
        lambda shown: tr("Rename a value of %s") % shown(name),
        lambda table: edits.rename_value(table, name, old, new),
        refused,
    )


def merge(name: str, values: Sequence[str], into: str) -> TableEdit:
    """Make one value of several."""
    said = tr("Merged %s values into “%s”.") % (number(len(values)), into)
    return TableEdit(
        lambda shown: tr("Merge values of %s") % shown(name),
        lambda table: edits.merge_values(table, name, values, into),
        said=said,
    )


def mark_missing(name: str, codes: Sequence[Code]) -> TableEdit:
    """Take some answers for missing ones."""
    shown = ", ".join(tr("“%s”") % code_text(code) for code in codes[:3])
    said = tr("%s is now missing.") % shown
    return TableEdit(
        lambda shown: tr("Mark answers of %s as missing") % shown(name),
        lambda table: edits.mark_missing(table, name, codes),
        said=said,
    )


def restore_missing(name: str, code: Code) -> TableEdit:
    """Take a missing code for an answer after all."""
    return TableEdit(
        lambda shown: tr("Mark %s of %s as valid") % (code_text(code), shown(name)),
        lambda table: edits.restore_missing(table, name, code),
    )


def set_domain(name: str, low: float, high: float, refused: Refused) -> TableEdit:
    """Set the lowest and highest possible number."""
    return TableEdit(
        lambda shown: tr("Change the range of %s") % shown(name),
        lambda table: edits.set_domain(table, name, low, high),
        refused,
    )


def fit_domain(name: str, refused: Refused) -> TableEdit:
    """Read the range off the answers, rounded out."""
    return TableEdit(
        lambda shown: tr("Change the range of %s") % shown(name),
        lambda table: edits.fit_domain(table, name),
        refused,
    )


def confirm_domain(name: str) -> TableEdit:
    """Say that the range is no secret of those who answered."""
    return TableEdit(
        lambda shown: tr("Confirm the range of %s") % shown(name),
        lambda table: edits.confirm_domain(table, name),
    )


def confirm_values(name: str) -> TableEdit:
    """Say that the list of values is no secret of those who answered."""
    return TableEdit(
        lambda shown: tr("Confirm the answers of %s") % shown(name),
        lambda table: edits.confirm_domain(table, name),
    )


def set_outside(
    name: str, outside: str, refused: Refused, domain: tuple[float, float] | None = None
) -> TableEdit:
    """Refuse answers outside of the range, or let them take its nearest end.

    ``domain`` is a range that was typed and that needs this.
    """

    def change(table: Table) -> Table:
        changed = edits.set_outside(table, name, outside)
        return changed if domain is None else edits.set_domain(changed, name, *domain)

    return TableEdit(
        lambda shown: tr("Change what becomes of answers of %s outside the range") % shown(name),
        change,
        refused,
    )


def set_policy(names: Sequence[str], policy: MissingPolicy) -> TableEdit:
    """Choose what happens to missing answers."""
    words = tr("Change the treatment of missing answers of %s")
    return _each(
        lambda shown: words % _which(names, shown),
        names,
        lambda table, name: edits.set_missing_policy(table, name, policy),
    )


def set_class(name: str | None) -> TableEdit:
    """Mark the attribute that classifiers learn."""
    return TableEdit(lambda _: tr("Choose the class"), lambda table: edits.set_class(table, name))


def set_role(
    names: Sequence[str],
    role: str,
    refused: Refused | None = None,
    *,
    method: str = "",
    fay: float = 0.3,
) -> RoleEdit:
    """Let columns tell how people were drawn, or no longer."""

    def text(shown: Naming) -> str:
        if role:
            return tr("Use %s as %s") % (_which(names, shown), role_word(role))
        return tr("Remove the sampling role of %s") % _which(names, shown)

    return RoleEdit(text, tuple(names), role, method, fay, refused)


def rename_attribute(name: str, new: str, refused: Refused) -> TableEdit:
    """Call an attribute something else; its design, its pins and the selection go along."""
    return TableEdit(
        lambda shown: tr("Rename %s") % shown(name),
        lambda table: edits.rename_attribute(table, name, new),
        refused,
        renamed=(name, new),
    )


def describe_attribute(name: str, label: str, title: str, unit: str) -> TableEdit:
    """Set question, label and unit of an attribute as one step."""

    def edit(table: Table) -> Table:
        table = edits.set_label(table, name, label)
        return edits.set_unit(edits.set_title(table, name, title), name, unit)

    return TableEdit(lambda shown: tr("Change the description of %s") % shown(name), edit)


def _each(text: EditText, names: Sequence[str], edit: Callable[[Table, str], Table]) -> TableEdit:
    """Edit several attributes as one step, all of them or none."""

    def edit_all(table: Table) -> Table:
        # Each edit sees only its own column: editing the whole table every time would take
        # as long as the square of the number of attributes.
        class_name = table.class_name
        changed = []
        for name in names:
            own = class_name if class_name == name else None
            alone = edit(Table((table[name],), class_name=own), name)
            changed.append(alone[name])
            class_name = alone.class_name if own else class_name
        return table.replace(*changed).with_(class_name=class_name)

    return TableEdit(text, edit_all, columns=len(names))


def _which(names: Sequence[str], shown: Naming) -> str:
    if len(names) == 1:
        return shown(names[0])
    return tr("%s attributes") % number(len(names))
