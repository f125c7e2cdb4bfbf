"""What a person can correct on the Data page, each as one step that can be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from ppworkbench.core.data import edits
from ppworkbench.core.data.attribute import Attribute, Code, Kind, MissingPolicy
from ppworkbench.core.data.table import Column, Table
from ppworkbench.gui.pages.data.changes import Changes, Refused
from ppworkbench.gui.pages.data.facts import code_text
from ppworkbench.gui.pages.data.kind_menu import kind_word
from ppworkbench.gui.words import number
from ppworkbench.gui.workbench import Workbench


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
