"""The left column: items, method, limits, how sure."""

from __future__ import annotations

import dataclasses
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QButtonGroup,
    QCheckBox,
    QLabel,
    QRadioButton,
    QWidget,
)

from ppworkbench.analyses.mining.runs import (
    CERTAINTIES,
    FREQUENT,
    LIKELY,
    ItemOption,
    kept_shares,
)
from ppworkbench.core.mining import Miner, miners
from ppworkbench.core.params import declarations
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.mine.item_chips import ItemChips
from ppworkbench.gui.pages.mine.texts import (
    certainty_words,
    false_discovery_hint,
    items_hint,
    method_hint,
    method_names,
    short_name,
    why_no_certainty,
    why_no_false_discovery,
    why_no_field,
    why_not,
)
from ppworkbench.gui.pages.mine.view import FALSE_DISCOVERY, MineView, PageSettings
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.card import Card, Section
from ppworkbench.gui.widgets.controls import Button, IconButton, Segmented
from ppworkbench.gui.widgets.form import Field, Form
from ppworkbench.gui.widgets.layout import column, line, named, row, scroll_area, show_words, text
from ppworkbench.gui.widgets.number_fields import SliderRow
from ppworkbench.outputs.help import key_about

_ELSEWHERE = ("min_support", FREQUENT)
"""These have controls of their own on the page."""


class MethodForms(QWidget):
    """One form per method, made when it is first chosen.

    Its own fields are shown here; ``relaxed`` and ``shared`` hold the rest. The fields of
    a form keep working wherever they are put.
    """

    edited = Signal(object)
    """The method with its new parameters."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.relaxed, self.shared = QWidget(), QWidget()
        self.forms: dict[str, Form] = {}
        self.with_own: set[str] = set()
        """Methods with parameters of their own."""
        self._parts: dict[str, tuple[QWidget, ...]] = {}
        self._themes = themes
        self._layouts = [
            column(parent=part, spacing=8) for part in (self, self.relaxed, self.shared)
        ]

    def _make(self, name: str) -> None:
        form = named(Form(self._themes, miners[name]), f"form-{name}")
        form.edited.connect(lambda params, _gesture: self.edited.emit(params))
        self.forms[name] = form
        self._parts[name] = tuple(QWidget() for _ in self._layouts)
        self._share_out(name, form)

    def _share_out(self, name: str, form: Form) -> None:
        common = {d.name for d in declarations(Miner)}
        own: list[Field | QWidget] = []
        relaxed: list[Field | QWidget] = []
        shared: list[Field | QWidget] = []
        for field_name, field in form.fields.items():
            if field_name in _ELSEWHERE:
                field.hide()
            elif field_name in miners[name].relaxation_fields:
                relaxed.append(field)
            elif field_name in common or field_name == LIKELY:
                shared.append(field)
            else:
                own.append(field)
                self.with_own.add(name)
        # What is wrong is said where the rest of the form is: it also holds the hidden fields.
        for part, fields, layout in zip(
            self._parts[name], ([*own, form], relaxed, shared), self._layouts, strict=True
        ):
            column(*fields, parent=part, spacing=8)
            layout.addWidget(part)

    def show_miner(self, miner: Miner) -> None:
        """Show a method with its parameters; the others hide."""
        if miner.name not in self.forms:
            self._make(miner.name)
        for name, parts in self._parts.items():
            for part in parts:
                part.setVisible(name == miner.name)
        self.forms[miner.name].show_params(miner)

    def set_reason(self, method: str, name: str, reason: str) -> None:
        """Grey a field out where it has no effect; empty brings it back."""
        field = self.forms[method].fields.get(name)
        if field is not None:
            field.setEnabled(not reason)
            field.setToolTip(reason or field.declaration.info.help)


WIDTH = 264
_LEAST = 268


class SettingsCard(Card):
    """Shows what is chosen and tells what a person changes."""

    settings_changed = Signal(object)
    """The settings as somebody wants them."""
    choose_requested = Signal()
    help_requested = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._settings = PageSettings()
        self._items: tuple[ItemOption, ...] = ()
        self._make_items()
        self._make_method()
        self._make_limits()
        self._arrange()
        self._connect()

    def _make_items(self) -> None:
        self.item_count = text("", "badge")
        self.choose = Button(self._themes, self.tr("Choose…"), look="link")
        self.choose.setObjectName("chooseItemsButton")
        self.chips = named(ItemChips(self._themes, self.tr("Chosen items")), "itemChips")
        self.item_hint = text("", "captionHint", wrap=True)

    def _make_method(self) -> None:
        choices = [(name, short_name(name)) for name in method_names()]
        self.method = named(Segmented(self._themes, self.tr("Method"), choices), "miningMethod")
        self.help = IconButton(self._themes, "question", self.tr("About the methods"), 15)
        self.help.setObjectName("methodHelp")
        self.method_hint = text("", "captionHint", wrap=True)
        self.forms = MethodForms(self._themes)
        self.relaxation = Section(self._themes, self.tr("Relaxation (MMASK only)"), "relaxation")
        self.relaxation.body.addWidget(self.forms.relaxed)
        self.more = Section(self._themes, self.tr("More options"), "moreOptions")
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
        words = self.tr("Only rules beyond chance")
        self.beyond_chance = named(QCheckBox(words), "beyondChance", words)
        self.support.box.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
        self._group = QButtonGroup(self)
        self.certainties: dict[str, QRadioButton] = {}
        self.readings: dict[str, QLabel] = {}
        for certainty in CERTAINTIES:
            title, reading = certainty_words(certainty, 0.05)
            button = named(QRadioButton(title), f"certainty-{certainty}", title)
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
            self.beyond_chance,
            4,
            text(self.tr("Frequent if"), "label"),
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
        self.chips.removed.connect(self._on_removed)
        self.method.chosen.connect(lambda name: self._change(method=name))
        self.forms.edited.connect(self._on_edited)
        self.support.moved.connect(lambda value, _: self._change(min_support=value / 100))
        self.confidence.moved.connect(lambda value, _: self._change(min_confidence=value / 100))
        self.beyond_chance.clicked.connect(
            lambda on: self._change(false_discovery=FALSE_DISCOVERY if on else None)
        )
        for certainty, button in self.certainties.items():
            button.clicked.connect(lambda *_, c=certainty: self._change(certainty=c))
        self.help.clicked.connect(self._on_help)
        self._themes.theme_changed.connect(self._restyle)
        self._restyle()

    # What is shown

    def set_view(self, view: MineView) -> None:
        """Show what is chosen, and why some of it cannot be."""
        self._settings, self._items = view.settings, view.items
        self._show_items(view)
        self._show_method(view)
        self._show_limits(view.settings)
        reason = why_no_false_discovery(view.study)
        self.beyond_chance.setChecked(view.settings.false_discovery is not None)
        self.beyond_chance.setEnabled(not reason)
        self.beyond_chance.setToolTip(
            reason or false_discovery_hint(view.settings.false_discovery or FALSE_DISCOVERY)
        )
        # A shorter run would make every control flicker.
        locked = self.tr("Locked during the run; cancel to change.")
        self.content.setEnabled(view.progress is None)
        self.content.setToolTip("" if view.progress is None else locked)

    def _show_items(self, view: MineView) -> None:
        offer, items = view.offer, view.items
        self.item_count.setText(
            self.tr("%s of %s") % (number(len(items)), number(len(offer.items)))
        )
        self.chips.show_items([item.words for item in items])
        self.chips.setVisible(bool(items))
        self.choose.setEnabled(bool(offer.items))
        hint = items_hint(kept_shares(view.study.design, items), len(offer.refused))
        show_words(self.item_hint, hint)
        self.item_hint.setToolTip("\n".join(f"{name}: {why}" for name, why in offer.refused[:30]))

    def _show_method(self, view: MineView) -> None:
        miner = view.settings.miner
        self.method.set_current(miner.name)
        self.method.set_disabled(
            {name: why for name in method_names() if (why := why_not(name, view.study))}
        )
        self.method_hint.setText(method_hint(miner.name))
        self.forms.show_miner(miner)
        self.forms.setVisible(miner.name in self.forms.with_own)
        reason = "" if miner.relaxation_fields else self.tr("Only MMASK relaxes the minimum.")
        self.relaxation.set_reason(reason)

    def _show_limits(self, settings: PageSettings) -> None:
        method, certainty = settings.method, settings.possible_certainty
        self.support.set_value(100 * settings.min_support)
        self.confidence.set_value(100 * settings.min_confidence)
        self.certainties[certainty].setChecked(True)
        self.forms.set_reason(method, LIKELY, why_no_field(LIKELY, certainty))
        for name, button in self.certainties.items():
            reason, reading = why_no_certainty(name, method), self.readings[name]
            words = certainty_words(name, settings.min_support, settings.plain_miner)
            reading.setText(words[1])
            for widget in (button, reading):
                widget.setEnabled(not reason)
                widget.setToolTip(reason)

    # What a person does

    def _change(self, **changes: Any) -> None:
        self.settings_changed.emit(dataclasses.replace(self._settings, **changes))

    def _on_edited(self, miner: Miner) -> None:
        self.settings_changed.emit(self._settings.with_miner(miner))

    def _on_removed(self, place: int) -> None:
        items = (*self._items[:place], *self._items[place + 1 :])
        self.settings_changed.emit(self._settings.with_items(items))

    def _on_help(self) -> None:
        topic = key_about("mining method", self.method.current, "mining-methods")
        self.help_requested.emit(topic)

    def _restyle(self) -> None:
        theme = self._themes.theme
        self.keep_at_least(theme.px(_LEAST))
        # Four names have to fit; a font set directly would not survive the style sheet.
        set_rules(self.method, f"font-size: {theme.font('caption').pixelSize()}px;")
