"""The kind of the inspected attribute, why it was guessed, and the way back."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ppworkbench.core.data.attribute import Kind
from ppworkbench.gui.pages.data.concerns import find_doubt
from ppworkbench.gui.pages.data.corrections import Corrections, is_same_typing
from ppworkbench.gui.pages.data.kind_menu import kind_word
from ppworkbench.gui.pages.data.reasons import reason_words
from ppworkbench.gui.pages.data.subject import Subject
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.icon_button import Button
from ppworkbench.gui.widgets.layouts import column, row, text
from ppworkbench.gui.widgets.segmented import Segmented


class KindSection(QWidget):
    """Five segments; those that cannot be are grey and say why."""

    def __init__(self, themes: ThemeManager, corrections: Corrections) -> None:
        super().__init__()
        self._corrections = corrections
        self._subject: Subject | None = None
        self.kind = Segmented(
            themes, self.tr("Kind"), [(kind.value, kind_word(kind)) for kind in Kind]
        )
        self.kind.setObjectName("kind")
        self.kind.chosen.connect(self._on_chosen)
        self.reason = text("", "captionHint", wrap=True)
        self.undo_button = Button(themes, self.tr("Undo"), look="link")
        self.undo_button.setObjectName("undoKind")
        self.undo_button.setToolTip(self.tr("Back to how the file was understood"))
        self.undo_button.clicked.connect(self._on_undo)
        self.keep_button = Button(themes, self.tr("Keep it"), look="link")
        self.keep_button.setObjectName("keepKind")
        self.keep_button.setToolTip(self.tr("The kind is right; do not ask again"))
        self.keep_button.clicked.connect(self._on_keep)
        line = row(self.reason, self.undo_button, self.keep_button, spacing=6)
        line.setStretch(0, 1)
        column(self.kind, line, parent=self, spacing=2)

    def show_subject(self, subject: Subject) -> None:
        """Show the kind of another attribute, or the one that several share."""
        self._subject = subject
        kinds = {attribute.kind for attribute in subject.attributes}
        self.kind.set_current(next(iter(kinds)).value if len(kinds) == 1 else "")
        self.kind.set_disabled({k.value: why for k, why in subject.impossible.items()})
        self.kind.setEnabled(not subject.reason_against)
        self.kind.setToolTip(subject.reason_against)
        opened = self._corrections.opened(subject.name)
        is_changed = opened is not None and not is_same_typing(opened.attribute, subject.attribute)
        is_changed = is_changed and subject.is_single and not subject.reason_against
        doubt = find_doubt(subject.attribute) if subject.is_single else ""
        self.undo_button.setVisible(is_changed)
        # A column without answers to tell apart stays odd whatever its kind is.
        can_keep = doubt not in ("", "none", "one") and bool(subject.attribute.reason)
        self.keep_button.setVisible(can_keep and not subject.reason_against)
        self.reason.setText(self._sentence(subject, is_changed))

    def _sentence(self, subject: Subject, is_changed: bool) -> str:
        if not subject.is_single:
            return self.tr("A choice here holds for all of them.")
        if subject.reason_against:
            return self.tr("The design says so.")
        if is_changed:
            opened = self._corrections.opened(subject.name)
            if opened is not None and opened.attribute.kind is not subject.attribute.kind:
                return self.tr("Changed by you; it was read as %s.") % kind_word(
                    opened.attribute.kind
                )
            return self.tr("Changed by you since the file was opened.")
        if subject.attribute.reason:
            return self.tr("Guessed: %s") % reason_words(subject.attribute.reason)
        return self.tr("Set by hand or by a codebook.")

    def _on_chosen(self, key: str) -> None:
        if self._subject is not None:
            self._corrections.set_kind(self._subject.names, Kind(key))

    def _on_undo(self) -> None:
        if self._subject is not None:
            self._corrections.take_back(self._subject.name)

    def _on_keep(self) -> None:
        if self._subject is not None:
            self._corrections.set_kind([self._subject.name], self._subject.attribute.kind)
