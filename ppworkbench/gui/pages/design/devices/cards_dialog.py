"""Cards for respondents: seen, edited and saved as a page or a PDF."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QWidget,
)

from ppworkbench.analyses.devices import questions_without_device, study_cards
from ppworkbench.core.progress import Progress
from ppworkbench.fieldwork.page.cards import Card, card_languages, card_words, write_cards
from ppworkbench.gui.dialogs import resize_dialog, save_file
from ppworkbench.gui.language import tr
from ppworkbench.gui.pages.design.devices.device_card import PictureView, card_language
from ppworkbench.gui.pdf.report import print_cards
from ppworkbench.gui.theme import set_rules
from ppworkbench.gui.widgets.card import Card as Frame
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.layout import column, named, row, show_words, text
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import Study

Edits = dict[Card, Card]
"""Cards as the design makes them, and as somebody has edited them."""


class CardsDialog(QDialog):
    """A list of cards to tick, and the words of the current one to edit."""

    def __init__(self, workbench: Workbench, study: Study, edits: Edits, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Print cards"))
        self._workbench, self._study, self._edits = workbench, study, edits
        self._cards: list[Card] = []
        self.languages = {
            code: named(QCheckBox(card_words(code)["name"]), f"cardLanguage-{code}")
            for code in card_languages()
        }
        self.languages[card_language()].setChecked(True)
        for box in self.languages.values():
            box.toggled.connect(lambda _: self._fill())
        self.list = named(QListWidget(), "cards", self.tr("Cards"))
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.currentRowChanged.connect(self._show_card)
        self.list.itemChanged.connect(lambda _: self._enable())
        self.title = named(QLineEdit(), "cardTitle", self.tr("Question"))
        self.words = named(QPlainTextEdit(), "cardWords", self.tr("What to do"))
        self.words.setTabChangesFocus(True)
        self.title.textEdited.connect(lambda _: self._on_edited())
        self.words.textChanged.connect(self._on_edited)
        self.reset = named(
            Button(workbench.themes, self.tr("Reset text"), look="link"), "resetCard"
        )
        self.reset.clicked.connect(self._on_reset)
        self.reset.setAutoDefault(False)
        self.picture = PictureView(workbench.themes)
        self.boxes = named(text("", "secondary", wrap=True), "cardBoxes")
        self.why = named(text("", "strong", wrap=True), "cardWhy")
        self.warning = named(text("", "warning", wrap=True), "cardWarning")
        self.missing = named(text("", "warning", wrap=True), "cardsMissing")
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.buttons.rejected.connect(self.reject)
        self.save = named(
            Button(workbench.themes, self.tr("Save cards…"), look="primary"), "saveCards"
        )
        self.save.clicked.connect(self._on_save)
        self._arrange()
        theme = workbench.themes.theme
        chosen = f"background: {theme.hex('accentTint')}; color: {theme.hex('accentInk')};"
        set_rules(
            self.list,
            "QListWidget::item { padding: 4px 6px; border-radius: 6px; }"
            f"QListWidget::item:selected {{ {chosen} }}",
        )
        edge = f"border: 1px solid {theme.hex('outline')}; border-radius: 6px; padding: 4px;"
        set_rules(self.words, f"QPlainTextEdit {{ {edge} }}")
        self._fill()

    def _arrange(self) -> None:
        right = Frame(padding=12)
        for part in (self.title, self.words, self.picture, self.boxes, self.why, self.warning):
            right.body.addWidget(part)
        right.body.setStretchFactor(self.words, 2)
        right.body.setStretchFactor(self.picture, 3)
        right.body.addLayout(row(None, self.reset))
        left = column(row(*self.languages.values(), None, spacing=14), self.list, spacing=8)
        body = row(left, right, spacing=10)
        body.setStretch(0, 4)
        body.setStretch(1, 6)
        hint = text(self.tr("One card is one A4 page. The texts can be edited."), "captionHint")
        layout = column(
            hint, body, self.missing, row(None, self.save, self.buttons),
            parent=self, margin=14, spacing=10,
        )  # fmt: skip
        layout.setStretch(1, 1)
        resize_dialog(self, 920, 580)

    @property
    def chosen(self) -> list[Card]:
        """The cards that are ticked, in the words that were edited."""
        return [
            self._edits.get(card, card)
            for place, card in enumerate(self._cards)
            if self.list.item(place).checkState() == Qt.CheckState.Checked
        ]

    def _fill(self) -> None:
        languages = [code for code, box in self.languages.items() if box.isChecked()]
        self._cards = study_cards(self._study, languages) if languages else []
        kept = max(self.list.currentRow(), 0)
        with QSignalBlocker(self.list):
            self.list.clear()
            for card in self._cards:
                item = QListWidgetItem(self._label(card, len(languages) > 1))
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                item.setCheckState(Qt.CheckState.Checked)
                item.setToolTip(item.text())
                self.list.addItem(item)
        lacking = questions_without_device(self._study)
        listed = ", ".join(self._study.shown(name) for name in lacking)
        words = self.tr("No device chosen that does it exactly, so no card: %s") % listed
        show_words(self.missing, words if lacking else "")
        if self._cards:
            self.list.setCurrentRow(min(kept, len(self._cards) - 1))
        self._show_card()
        self._enable()

    def _label(self, card: Card, with_language: bool) -> str:
        shown = card.attribute
        if card.attribute in self._study.design:
            shown = self._study.shown(card.attribute)
        parts = [shown, card.version, card_words(card.language)["name"] if with_language else ""]
        return " · ".join(part for part in parts if part)

    def _enable(self) -> None:
        self.save.setEnabled(bool(self.chosen))
        self.save.setToolTip("" if self.chosen else self.tr("Tick a card."))

    @property
    def _current(self) -> Card | None:
        place = self.list.currentRow()
        return self._cards[place] if 0 <= place < len(self._cards) else None

    def _show_card(self, _: int = 0) -> None:
        card = self._current
        for part in (self.title, self.words):
            part.setEnabled(card is not None)
        if card is None:
            self.picture.show_picture(None)
            self.reset.hide()
            return
        seen = self._edits.get(card, card)
        with QSignalBlocker(self.title), QSignalBlocker(self.words):
            self.title.setText(seen.title)
            self.words.setPlainText("\n".join(seen.lines))
        self.picture.setHidden(card.picture is None)
        self.picture.show_picture(card.picture)
        self.boxes.setText("   ".join(f"☐ {box}" for box in card.boxes))
        show_words(self.why, card.why)
        show_words(self.warning, " ".join(card.warnings))
        self.reset.setVisible(seen is not card)

    def _on_edited(self) -> None:
        card = self._current
        if card is None:
            return
        edited = card.with_words(self.title.text(), self.words.toPlainText().splitlines())
        if edited == card:
            self._edits.pop(card, None)
        else:
            self._edits[card] = edited
        self.reset.setVisible(card in self._edits)

    def _on_reset(self) -> None:
        card = self._current
        if card is not None:
            self._edits.pop(card, None)
            self._show_card()

    def _on_save(self) -> None:
        folder = Path(str(self._workbench.settings.value("files/folder", "") or Path.home()))
        kinds = ";;".join((self.tr("PDF (*.pdf)"), self.tr("Web pages (*.html)")))
        start = str(folder / "cards.pdf")
        save_file(self, self.tr("Save cards"), start, kinds, self._write)

    def _write(self, path: Path) -> None:
        cards, workbench = tuple(self.chosen), self._workbench

        def work(progress: Progress) -> Path:
            progress(0.0)
            (print_cards if path.suffix.lower() == ".pdf" else write_cards)(cards, path)
            return path

        def done(written: Path) -> None:
            workbench.toast_requested.emit(tr("Cards saved as %s.") % written.name, False)

        workbench.settings.setValue("files/folder", str(path.parent))
        workbench.run(tr("Saving %s") % path.name, work, done)
