"""The right column: what goes into the bundle, how it is drawn, and what to look at."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QSizePolicy, QWidget

from ppworkbench.gui.export_checks import CheckList
from ppworkbench.gui.export_dialog import FORMATS
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card, card_part
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.icon_button import IconLabel
from ppworkbench.gui.widgets.layouts import column, line, row, scroll_area, text
from ppworkbench.study.bundle import BundleOptions
from ppworkbench.study.release_checks import Point

_GAP = 6


class BundleCard(Card):
    """Shows bundle options and announces changes; the rest is said, not chosen."""

    options_changed = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._make_contents()
        self._make_release()
        self._arrange()

    def _make_contents(self) -> None:
        tr = self.tr
        self.table = self._part("partTable", tr("Published table"))
        self.codebook = self._part("partCodebook", tr("Codebook and design"))
        self.report = self._part("partReport", tr("Report"))
        self.questionnaire = self._part("partQuestionnaire", tr("Questionnaire page"))
        for box, why in (
            (self.table, tr("A bundle is about its table.")),
            (self.codebook, tr("Without it nobody could read the table.")),
        ):
            box.setChecked(True)
            box.setEnabled(False)
            box.setToolTip(why)
        self.table_name = ElidedLabel("captionHint")
        self.codebook_words = text("", "captionHint", wrap=True)
        self.report_words = text(
            tr("privacy, accuracy, figures; HTML and PDF"), "captionHint", wrap=True
        )
        self.questionnaire_words = text(
            tr("for the next round; randomises in the browser"), "captionHint", wrap=True
        )

    def _part(self, name: str, label: str) -> QCheckBox:
        box = QCheckBox()
        box.setObjectName(name)
        box.setAccessibleName(label)
        box.setProperty("label", label)
        box.toggled.connect(lambda *_: self.options_changed.emit())
        return box

    def _make_release(self) -> None:
        tr = self.tr
        self.format = QComboBox()
        self.format.setObjectName("publishFormat")
        self.format.setAccessibleName(tr("Format"))
        for suffix, label in FORMATS:
            self.format.addItem(tr(label), suffix)
        self.format.activated.connect(lambda *_: self.options_changed.emit())
        self.randomness = QComboBox()
        self.randomness.setObjectName("publishRandomness")
        self.randomness.setAccessibleName(tr("Randomness"))
        self.randomness.addItem(tr("operating system, no seed"))
        self.randomness.setEnabled(False)
        # It may be cut where the column is narrow; its tooltip and the checklist say the same.
        self.randomness.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.randomness.setMinimumContentsLength(8)
        self.randomness.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        why = tr("A bundle is for release, and whoever learns a seed can undo it. One seeded file "
                 "for a study: File, Export distorted data.")  # fmt: skip
        self.randomness.setToolTip(f"{self.randomness.currentText()}: {why}")
        self.shuffle = QCheckBox(tr("Shuffle the rows"))
        self.shuffle.setObjectName("publishShuffle")
        self.shuffle.setChecked(True)
        self.shuffle.setEnabled(False)
        self.shuffle.setToolTip(tr("The rows of a bundle are always in random order."))
        self.list = CheckList(self._themes)
        self.list.setObjectName("publishChecks")
        self.note = text("", "secondary", wrap=True)
        self.note.setTextFormat(Qt.TextFormat.RichText)

    def _arrange(self) -> None:
        tr = self.tr
        shuffle_words = text(tr("row order links people to other tables"), "captionHint", wrap=True)
        shuffle_words.setContentsMargins(26, 0, 0, 0)
        note = Card(padding=12)
        note.setProperty("look", "note")
        note.add(self.note)
        inner = QWidget()
        layout = column(
            card_part(
                text(tr("What goes into the bundle"), "strong"), 2,
                self._entry(self.table, "data", self.table_name), self._rule(),
                self._entry(self.codebook, "group", self.codebook_words), self._rule(),
                self._entry(self.report, "file", self.report_words), self._rule(),
                self._entry(self.questionnaire, "questionnaire", self.questionnaire_words),
                spacing=_GAP,
            ),
            card_part(
                2, line(), 2,
                row(text(tr("Format"), "label"), None, self.format),
                row(text(tr("Randomness"), "label"), self.randomness, spacing=16),
                column(self.shuffle, shuffle_words, spacing=1),
                2, line(), 2, spacing=_GAP,
            ),
            card_part(
                text(tr("Before you release it"), "strong"), 2, self.list, 4, note, spacing=_GAP,
            ),
            None,
            parent=inner, spacing=_GAP,
        )  # fmt: skip
        layout.setContentsMargins(14, 12, 14, 12)
        self.body.addWidget(scroll_area(inner), 1)

    def _entry(self, box: QCheckBox, icon: str, words: QWidget) -> QWidget:
        holder = QWidget()
        label = text(str(box.property("label")), "label")
        label.setBuddy(box)
        described = column(label, words, spacing=1)
        mark = IconLabel(self._themes, icon, "text2", 18)
        layout = row(box, mark, described, parent=holder, spacing=10)
        layout.setStretch(2, 1)
        box.setProperty("words", label)
        return holder

    def _rule(self) -> QWidget:
        holder = QWidget()
        column(line(), parent=holder).setContentsMargins(26, 0, 0, 0)
        return holder

    # What is shown

    @property
    def options(self) -> BundleOptions:
        """What the controls say."""
        return BundleOptions(
            format=str(self.format.currentData()),
            report=self.report.isChecked(),
            questionnaire=self.questionnaire.isChecked(),
        )

    def show_options(self, options: BundleOptions) -> None:
        """Show options without announcing them."""
        for box, on in (
            (self.report, options.report), (self.questionnaire, options.questionnaire),
        ):  # fmt: skip
            with QSignalBlocker(box):
                box.setChecked(on)
        with QSignalBlocker(self.format):
            self.format.setCurrentIndex(self.format.findData(options.format))

    def show_parts(self, file_name: str, codebook: str, codebook_words: str) -> None:
        """Name the table's file and say what describes it."""
        self.table_name.setText(file_name)
        label = self.codebook.property("words")
        label.setText(codebook)
        self.codebook.setAccessibleName(codebook)
        self.codebook_words.setText(codebook_words)

    def show_questionnaire(self, reason: str) -> None:
        """Offer the questionnaire, or say why there can be none."""
        self.questionnaire.setEnabled(not reason)
        self.questionnaire.setToolTip(reason)

    def show_points(self, points: list[Point], note: str) -> None:
        """Show what is protected and what is not."""
        self.list.say(points)
        strong, _, rest = note.partition(". ")
        self.note.setText(f"<b>{strong}.</b> {rest}")
