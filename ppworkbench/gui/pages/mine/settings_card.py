"""The left column: items, method, limits, how sure."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QAbstractSpinBox, QButtonGroup, QRadioButton, QWidget

from ppworkbench.core.mining import Miner
from ppworkbench.gui.pages.mine.fold import Fold
from ppworkbench.gui.pages.mine.item_chips import ItemChips
from ppworkbench.gui.pages.mine.method_form import MethodForms
from ppworkbench.gui.pages.mine.methods import (
    certainty_words,
    method_names,
    short_name,
    why_no_field,
)
from ppworkbench.gui.pages.mine.request import CERTAINTIES, LIKELY
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.icon_button import Button, IconButton
from ppworkbench.gui.widgets.layouts import column, line, row, scroll_area, text
from ppworkbench.gui.widgets.segmented import Segmented
from ppworkbench.gui.widgets.slider_row import SliderRow
from ppworkbench.study.help import key_about

WIDTH = 264
_LEAST = 250


class SettingsCard(Card):
    """Knows no study: it shows what it is given and tells what a person does."""

    choose_requested = Signal()
    item_removed = Signal(int)
    method_chosen = Signal(str)
    miner_edited = Signal(object)
    support_moved = Signal(float)
    confidence_moved = Signal(float)
    certainty_chosen = Signal(str)
    help_requested = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._make_items()
        self._make_method()
        self._make_limits()
        self._arrange()
        self._connect()

    def _make_items(self) -> None:
        self.item_count = text("", "badge")
        self.choose = Button(self._themes, self.tr("Choose…"), look="link")
        self.choose.setObjectName("chooseItemsButton")
        self.chips = ItemChips(self._themes, self.tr("Chosen items"))
        self.chips.setObjectName("itemChips")
        self.item_hint = text("", "captionHint", wrap=True)

    def _make_method(self) -> None:
        choices = [(name, short_name(name)) for name in method_names()]
        self.method = Segmented(self._themes, self.tr("Method"), choices)
        self.method.setObjectName("miningMethod")
        self.help = IconButton(self._themes, "question", self.tr("About the methods"), 15)
        self.help.setObjectName("methodHelp")
        self.method_hint = text("", "captionHint", wrap=True)
        self.forms = MethodForms(self._themes)
        self.relaxation = Fold(self._themes, self.tr("Relaxation (MMASK only)"), "relaxation")
        self.relaxation.body.addWidget(self.forms.relaxed)
        self.more = Fold(self._themes, self.tr("More options"), "moreOptions")
        self.more.body.addWidget(self.forms.shared)

    def _make_limits(self) -> None:
        self.support = SliderRow(
            self.tr("Minimum support"), 0.01, 100.0, decimals=2, logarithmic=True, suffix=" %"
        )
        self.support.set_names("minSupport")
        self.confidence = SliderRow(
            self.tr("Minimum confidence"), 0.0, 100.0, decimals=0, suffix=" %"
        )
        self.confidence.set_names("minConfidence")
        self.support.box.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
        self._group = QButtonGroup(self)
        self.certainties: dict[str, QRadioButton] = {}
        self.readings: dict[str, QWidget] = {}
        for certainty in CERTAINTIES:
            title, reading = certainty_words(certainty, 0.05)
            button = QRadioButton(title)
            button.setObjectName(f"certainty-{certainty}")
            button.setAccessibleName(title)
            label = text(reading, "captionHint")
            label.setContentsMargins(24, 0, 0, 0)
            self._group.addButton(button)
            self.certainties[certainty], self.readings[certainty] = button, label

    def _arrange(self) -> None:
        sure = column(spacing=1)
        for place, certainty in enumerate(CERTAINTIES):
            if place:
                sure.addSpacing(5)
            sure.addWidget(self.certainties[certainty])
            sure.addWidget(self.readings[certainty])
        self.content = QWidget()
        head = row(text(self.tr("Items"), "strong"), self.item_count, None, self.choose)
        layout = column(
            head,
            self.chips,
            self.item_hint,
            line(),
            row(text(self.tr("Method"), "strong"), self.help, None, spacing=4),
            self.method,
            self.method_hint,
            self.forms,
            line(),
            self.support,
            self.confidence,
            4,
            text(self.tr("Count as frequent if it is"), "label"),
            sure,
            2,
            line(),
            self.relaxation,
            self.more,
            None,
            parent=self.content,
            spacing=7,
        )
        layout.setContentsMargins(13, 10, 13, 10)
        self.body.addWidget(scroll_area(self.content), 1)

    def _connect(self) -> None:
        self.choose.clicked.connect(self.choose_requested)
        self.chips.more_requested.connect(self.choose_requested)
        self.chips.removed.connect(self.item_removed)
        self.method.chosen.connect(self.method_chosen)
        self.forms.edited.connect(self.miner_edited)
        self.support.moved.connect(lambda value, _: self.support_moved.emit(value / 100))
        self.confidence.moved.connect(lambda value, _: self.confidence_moved.emit(value / 100))
        for certainty, button in self.certainties.items():
            button.clicked.connect(lambda *_, c=certainty: self.certainty_chosen.emit(c))
        self.help.clicked.connect(self._on_help)
        self._themes.theme_changed.connect(self._restyle)
        self._restyle()

    # What is shown

    def show_items(self, words: list[str], offered: int, hint: str, count: str) -> None:
        """Show the chosen items."""
        self.item_count.setText(count)
        self.chips.show_items(words)
        self.chips.setVisible(bool(words))
        self.choose.setEnabled(offered > 0)
        self.item_hint.setText(hint)
        self.item_hint.setVisible(bool(hint))

    def _on_help(self) -> None:
        topic = key_about("mining method", self.method.current, "mining-methods")
        self.help_requested.emit(topic)

    def show_method(self, miner: Miner, hint: str, refused: dict[str, str], relax: str) -> None:
        """Show the method with its parameters, and why others cannot be used."""
        self.method.set_current(miner.name)
        self.method.set_disabled(refused)
        self.method_hint.setText(hint)
        self.forms.show_miner(miner)
        self.forms.setVisible(self.forms.has_own(miner.name))
        self.relaxation.set_reason(relax)

    def show_limits(
        self,
        miner: Miner,
        plain: Miner,
        confidence: float,
        certainty: str,
        refused: dict[str, str],
    ) -> None:
        """Show minimum support and confidence, and how sure a set has to be frequent.

        ``plain`` is the miner as it would be without a certainty.
        """
        self.support.set_value(100 * miner.min_support)
        self.confidence.set_value(100 * confidence)
        self.certainties[certainty].setChecked(True)
        self.forms.set_reason(miner.name, LIKELY, why_no_field(LIKELY, certainty))
        for name, button in self.certainties.items():
            reason = refused.get(name, "")
            reading = self.readings[name]
            reading.setText(certainty_words(name, miner.min_support, plain)[1])
            for widget in (button, reading):
                widget.setEnabled(not reason)
                widget.setToolTip(reason)

    def set_locked(self, reason: str) -> None:
        """Lock every control while a run needs them as they are; empty unlocks."""
        self.content.setEnabled(not reason)
        self.content.setToolTip(reason)

    def _restyle(self) -> None:
        theme = self._themes.theme
        self.keep_at_least(theme.px(_LEAST))
        # Four names have to fit; a font set directly would not survive the style sheet.
        set_rules(self.method, f"font-size: {theme.font('caption').pixelSize()}px;")
