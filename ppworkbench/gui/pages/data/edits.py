"""Changes of the data that can be undone."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu, QWidget

from ppworkbench.core.data import edits
from ppworkbench.core.data.attribute import Attribute, Code, Kind, MissingPolicy
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress
from ppworkbench.gui.icons import icon
from ppworkbench.gui.jobs import Job, JobState, Work
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.data.texts import refusal_text
from ppworkbench.gui.store import Store
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.data_checks import ColumnSummary, code_text, summarise_column
from ppworkbench.study.renaming import Renamed, retyped
from ppworkbench.study.study import Study

AT_ONCE = 50_000
"""So many answers are looked through faster than anybody notices; more of them are a job."""

Edit = Callable[[Table], Table]
Refused = Callable[[WorkbenchError], None]


@dataclass(frozen=True)
class _Change:
    text: str
    edit: Edit
    refused: Refused | None
    done: Callable[[], None] | None
    columns: int
    renamed: Renamed | None


class Changes(QObject):
    """Applies edits one after the other, each to the table that the one before it left."""

    settled = Signal()
    """A change was refused or stopped: controls should show the study again."""

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._store = workbench.store
        self._waiting: deque[_Change] = deque()
        self._is_busy = False
        self._document = 0
        self._opened: Table | None = self._store.study.original
        self._store.study_opened.connect(self._on_opened)

    @property
    def opened(self) -> Table | None:
        """The table as it was understood when it was opened."""
        return self._opened

    def make(
        self,
        text: str,
        edit: Edit,
        refused: Refused | None = None,
        done: Callable[[], None] | None = None,
        columns: int = 1,
        renamed: Renamed | None = None,
    ) -> None:
        """Edit so many columns; a refusal goes to ``refused``, or to the window's banner.

        ``renamed`` tells which attribute the edit calls something else.
        """
        self._waiting.append(_Change(text, edit, refused, done, columns, renamed))
        if not self._is_busy:
            self._next()

    def _on_opened(self) -> None:
        self._waiting.clear()
        self._document += 1
        self._opened = self._store.study.original

    def _next(self) -> None:
        while self._waiting:
            table = self._store.study.original
            if table is None:
                self._waiting.clear()
                break
            change = self._waiting.popleft()
            # A column of few rows takes time all the same.
            if change.columns * max(table.rows, 500) > AT_ONCE:
                self._start(change, table)
                return
            self._finish(change, table, _attempt(change.edit, table))
        self._is_busy = False

    def _start(self, change: _Change, table: Table) -> None:
        self._is_busy = True
        document, study = self._document, self._store.study

        def work(progress: Progress) -> tuple[Table | WorkbenchError, Study | None]:
            progress(0.1)
            result = _attempt(change.edit, table)
            if isinstance(result, WorkbenchError) or result is table:
                return result, None
            progress(0.7)
            # The design follows the table; for very many attributes that takes a while, too.
            return result, retyped(study, result, change.renamed)

        def done(found: tuple[Table | WorkbenchError, Study | None]) -> None:
            if document != self._document:
                return
            if found[1] is not None and self._store.study is study:
                self._store.apply(found[1], change.text, renamed=change.renamed)
                self._tell(change)
            else:
                self._finish(change, table, found[0])

        job = self._workbench.run(change.text, work, done, key="edit")
        job.ended.connect(lambda: self._on_ended(job))

    def _on_ended(self, job: Job) -> None:
        if job.state is not JobState.DONE:
            self.settled.emit()
        self._next()

    def _finish(self, change: _Change, before: Table, result: Table | WorkbenchError) -> None:
        if self._store.study.original is not before:
            # Somebody undid a step meanwhile: what they see now is what has to be edited.
            self._waiting.appendleft(change)
        elif not isinstance(result, WorkbenchError):
            self._store.set_table(result, change.text, change.renamed)
            self._tell(change)
        elif change.refused is not None:
            change.refused(result)
        else:
            self.settled.emit()
            self._workbench.error_raised.emit(result)

    def _tell(self, change: _Change) -> None:
        if change.done is not None:
            change.done()


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

    def missing(self, column: Column) -> int | None:
        """How many answers of a column are missing; None while they are being counted."""
        if len(column) <= AT_ONCE or "missing_count" in vars(column):
            return column.missing_count
        return None

    def count_missing(self, table: Table) -> None:
        """See to it that missing answers are counted; columns keep the count themselves."""
        if table.rows <= AT_ONCE or all(self.missing(c) is not None for c in table):
            return

        def work(progress: Progress) -> None:
            for position, column in enumerate(table):
                progress(position / len(table.columns))
                _ = column.missing_count

        self._run("missing", work, lambda _: self.missing_counted.emit())

    def _run(self, key: str, work: Work, done: Callable[[Any], None]) -> Job:
        name = self.tr("Looking through the answers")
        return self._workbench.run(name, work, done, key=f"data {key}", quiet=True)


def kind_word(kind: Kind) -> str:
    """What people call a kind."""
    words = {
        Kind.BINARY: tr("binary"),
        Kind.NOMINAL: tr("nominal"),
        Kind.ORDINAL: tr("ordinal"),
        Kind.INTEGER: tr("integer"),
        Kind.CONTINUOUS: tr("continuous"),
    }
    return words[kind]


class KindMenu(QMenu):
    """Kinds that are not possible are grey and say why."""

    def __init__(
        self,
        themes: ThemeManager,
        current: Kind | None,
        impossible: Mapping[Kind, str],
        chosen: Callable[[Kind], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("kindMenu")
        self.setAccessibleName(self.tr("Kind"))
        self.setToolTipsVisible(True)
        theme = themes.theme
        for kind in Kind:
            picture = icon(
                f"kind-{kind.value}", theme.colour("text2"), theme.colour("textDisabled")
            )
            action = self.addAction(picture, kind_word(kind))
            action.setObjectName(f"kind-{kind.value}")
            action.setEnabled(kind not in impossible)
            action.setToolTip(impossible.get(kind, ""))
            action.triggered.connect(lambda _=False, kind=kind: chosen(kind))
            if kind is current:
                self.setDefaultAction(action)
                self.setActiveAction(action)


class Corrections(QObject):
    """Names the steps and hands them to the changes; keeps nothing of its own."""

    settled = Signal()
    """A correction was refused or stopped: controls should show the study again."""

    def __init__(
        self, workbench: Workbench, changes: Changes, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._store = workbench.store
        self._changes = changes
        changes.settled.connect(self.settled)

    @property
    def reason_against(self) -> str:
        """Why nothing can be corrected now; empty when it can."""
        if self._store.study.original is not None:
            return ""
        return self.tr("These answers are distorted; their kinds and values come from the design.")

    def opened(self, name: str) -> Column | None:
        """How a column was understood when the file was opened, if it can be taken back."""
        table, first = self._store.study.original, self._changes.opened
        if table is None or first is None or name not in first or first.rows != table.rows:
            return None
        return first[name]

    def set_kind(self, names: Sequence[str], kind: Kind) -> None:
        """Make attributes of another kind, all of them or none."""
        if names:
            text = self.tr("Make %s %s") % (self._which(names), kind_word(kind))
            self._each(text, names, lambda table, name: edits.set_kind(table, name, kind))

    def take_back(self, name: str) -> None:
        """Return to how the attribute was understood when the file was opened."""
        column = self.opened(name)
        if column is not None:
            text = self.tr("Take back the changes of %s") % name
            self._changes.make(text, lambda table: table.replace(column))

    def reorder(self, name: str, order: Sequence[str]) -> None:
        """Put values in another order."""
        text = self.tr("Reorder the values of %s") % name
        self._changes.make(text, lambda table: edits.reorder_values(table, name, order))

    def rename_value(self, name: str, old: str, new: str, refused: Refused) -> None:
        """Call a value something else."""
        text = self.tr("Rename a value of %s") % name
        self._changes.make(text, lambda table: edits.rename_value(table, name, old, new), refused)

    def merge(self, name: str, values: Sequence[str], into: str) -> None:
        """Make one value of several."""
        said = self.tr("%s answers are one now: “%s”.") % (number(len(values)), into)
        self._changes.make(
            self.tr("Merge values of %s") % name,
            lambda table: edits.merge_values(table, name, values, into),
            done=lambda: self._workbench.toast_requested.emit(said, True),
        )

    def mark_missing(self, name: str, codes: Sequence[Code]) -> None:
        """Take some answers for missing ones."""
        shown = ", ".join(self.tr("“%s”") % code_text(code) for code in codes[:3])
        said = self.tr("%s counts as missing now.") % shown
        self._changes.make(
            self.tr("Take answers of %s for missing") % name,
            lambda table: edits.mark_missing(table, name, codes),
            done=lambda: self._workbench.toast_requested.emit(said, True),
        )

    def restore_missing(self, name: str, code: Code) -> None:
        """Take a missing code for an answer after all."""
        text = self.tr("Take %s of %s for an answer") % (code_text(code), name)
        self._changes.make(text, lambda table: edits.restore_missing(table, name, code))

    def set_domain(self, name: str, low: float, high: float, refused: Refused) -> None:
        """Set the lowest and highest possible number."""
        text = self.tr("Change the range of %s") % name
        self._changes.make(text, lambda table: edits.set_domain(table, name, low, high), refused)

    def set_policy(self, names: Sequence[str], policy: MissingPolicy) -> None:
        """Choose what happens to missing answers."""
        text = self.tr("Change what happens to missing answers of %s") % self._which(names)
        self._each(text, names, lambda table, name: edits.set_missing_policy(table, name, policy))

    def set_class(self, name: str | None) -> None:
        """Mark the attribute that classifiers learn."""
        self._changes.make(self.tr("Choose the class"), lambda table: edits.set_class(table, name))

    def rename_attribute(self, name: str, new: str, refused: Refused) -> None:
        """Call an attribute something else; its design, its pins and the selection go along."""
        self._changes.make(
            self.tr("Rename %s") % name,
            lambda table: edits.rename_attribute(table, name, new),
            refused,
            renamed=(name, new),
        )

    def set_label(self, name: str, label: str) -> None:
        """Set the question as it was asked."""
        text = self.tr("Change the question of %s") % name
        self._changes.make(text, lambda table: edits.set_label(table, name, label))

    def _each(self, text: str, names: Sequence[str], edit: Callable[[Table, str], Table]) -> None:
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

        self._changes.make(text, edit_all, columns=len(names))

    def _which(self, names: Sequence[str]) -> str:
        if len(names) == 1:
            return names[0]
        return self.tr("%s attributes") % number(len(names))


def is_same_typing(one: Attribute, two: Attribute) -> bool:
    """Whether two attributes differ at most in why they are what they are."""
    return one.with_(reason="") == two.with_(reason="")


_MOST_LOOKED_AT = 40
"""With more attributes selected than this, a kind is simply tried."""


@dataclass(frozen=True, eq=False)
class Subject:
    """The selected attributes, the current one in detail.

    ``summary`` is None while it is being found out; ``reason_against`` says why nothing can be
    corrected, ``role`` whether the answers are original or distorted.
    """

    table: Table
    names: tuple[str, ...]
    column: Column
    summary: ColumnSummary | None
    impossible: dict[Kind, str]
    reason_against: str
    role: str

    @property
    def attribute(self) -> Attribute:
        """The current attribute."""
        return self.column.attribute

    @property
    def name(self) -> str:
        """The name of the current attribute."""
        return self.column.name

    @property
    def is_single(self) -> bool:
        """Whether only one attribute is selected."""
        return len(self.names) == 1

    @cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        """All selected attributes."""
        return tuple(self.table[name].attribute for name in self.names)


def find_subject(store: Store, keeper: SummaryCache, corrections: Corrections) -> Subject | None:
    """What is selected now; None without answers."""
    table = store.study.table
    if table is None or not table.columns:
        return None
    names = tuple(name for name in store.selected if name in table) or table.names[:1]
    impossible: dict[Kind, str] = {}
    for name in names[:_MOST_LOOKED_AT] if len(names) <= _MOST_LOOKED_AT else names[:1]:
        summary = keeper.summary(table[name])
        for kind, reason in ({} if summary is None else summary.impossible).items():
            words = refusal_text(reason)
            impossible.setdefault(kind, words if len(names) == 1 else f"{name}: {words}")
    return Subject(
        table,
        names,
        table[names[0]],
        keeper.summary(table[names[0]]),
        impossible,
        corrections.reason_against,
        "original" if store.study.original is not None else "distorted",
    )
