"""The left column: items, method, limits, how sure."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QButtonGroup,
    QCheckBox,
    QLabel,
    QRadioButton,
    QSizePolicy,
    QToolTip,
    QWidget,
)

from ppworkbench.analyses.mining.items import ItemOption, kept_shares
from ppworkbench.analyses.mining.runs import CERTAINTIES, FREQUENT, LIKELY
from ppworkbench.core.mining import Miner, miners
from ppworkbench.core.params import declarations
from ppworkbench.gui.numbers import number
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
from ppworkbench.gui.theme import ThemeManager, icon, smooth_painter
from ppworkbench.gui.widgets.card import Card, Section
from ppworkbench.gui.widgets.controls import Button, IconButton, Segmented
from ppworkbench.gui.widgets.form import Field, Form
from ppworkbench.gui.widgets.layout import column, line, named, row, scroll_area, show_words, text
from ppworkbench.gui.widgets.number_fields import SliderRow
from ppworkbench.outputs.help.topic import key_about

_LINES = 4
"""More lines than these would push the method out of sight; the rest is behind one chip."""
_PAD, _GAP, _CROSS = 9, 6, 14


class ItemChips(QWidget):
    """One focus stop: arrows walk from chip to chip, Delete takes one away."""

    removed = Signal(int)
    """The chip at that place was taken away."""
    more_requested = Signal()
    """The chip for those that are not shown was pressed."""

    def __init__(self, themes: ThemeManager, name: str) -> None:
        super().__init__()
        self._themes = themes
        self._words: tuple[str, ...] = ()
        self._chips: list[QRectF] = []
        self._shown = 0
        self._current = 0
        self._hover = -1
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        themes.follow(self._lay_out)

    @property
    def hidden(self) -> int:
        """How many chips are behind the last one."""
        return len(self._words) - self._shown

    def show_items(self, words: Sequence[str]) -> None:
        if tuple(words) != self._words:
            self._words = tuple(words)
            self._current = min(self._current, max(len(self._words) - 1, 0))
            self._lay_out()
            self.setAccessibleDescription(", ".join(self._words[:40]))

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(200, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._lay_out()

    def _height(self) -> float:
        return self._themes.theme.px(22)

    def _lay_out(self) -> None:
        metrics = QFontMetricsF(self._themes.theme.font("caption"))
        height, room = self._height(), max(self.width(), 80)
        digits = 10 ** len(str(len(self._words))) - 1
        more = metrics.horizontalAdvance(self._more(digits)) + 2 * _PAD
        self._chips, self._shown = [], 0
        x, line = 0.0, 0
        for place, words in enumerate(self._words):
            width = min(metrics.horizontalAdvance(words) + 2 * _PAD + 1, room)
            if x > 0 and x + width > room:
                x, line = 0.0, line + 1
            is_last = place + 1 == len(self._words)
            if line == _LINES or (line == _LINES - 1 and not is_last and x + width + more > room):
                if x == 0.0 and line == _LINES:
                    # The line above is full: its last chip makes room.
                    self._make_room(more, room)
                    break
                self._chips.append(QRectF(x, line * (height + _GAP), more, height))
                break
            self._chips.append(QRectF(x, line * (height + _GAP), width, height))
            self._shown += 1
            x += width + _GAP
        lines = round(self._chips[-1].top() / (height + _GAP)) + 1 if self._chips else 1
        self.setFixedHeight(int(lines * (height + _GAP) - _GAP) + 2)
        self.update()

    def _make_room(self, more: float, room: float) -> None:
        last = self._chips[-1]
        if last.right() + _GAP + more > room:
            self._chips.pop()
            self._shown -= 1
            self._chips.append(QRectF(last.left(), last.top(), more, last.height()))
        else:
            self._chips.append(QRectF(last.right() + _GAP, last.top(), more, last.height()))

    def _more(self, count: int) -> str:
        return self.tr("+ %s more") % count

    def _label(self, place: int) -> str:
        return self._words[place] if place < self._shown else self._more(self.hidden)

    def _cross(self, chip: QRectF) -> QRectF:
        return QRectF(chip.right() - _CROSS - 4, chip.center().y() - _CROSS / 2, _CROSS, _CROSS)

    def _at(self, point: QPointF) -> int:
        return next((i for i, chip in enumerate(self._chips) if chip.contains(point)), -1)

    # What a person does

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        place = self._at(event.position())
        if place != self._hover:
            self._hover = place
            is_hand = place >= 0
            self.setCursor(
                Qt.CursorShape.PointingHandCursor if is_hand else Qt.CursorShape.ArrowCursor
            )
            self.update()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        super().leaveEvent(event)
        self._hover = -1
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Take a chip away by its cross; the last one opens the list."""
        place = self._at(event.position())
        if place < 0 or event.button() is not Qt.MouseButton.LeftButton:
            return
        self._current = place
        if place >= self._shown:
            self.more_requested.emit()
        elif self._cross(self._chips[place]).adjusted(-4, -4, 4, 4).contains(event.position()):
            self.removed.emit(place)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Walk with the arrows; Delete takes the current chip away."""
        key, last = event.key(), len(self._chips) - 1
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(key))
        if step is not None:
            self._current = min(max(self._current + step, 0), max(last, 0))
            self.update()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self._current < self._shown:
            self.removed.emit(self._current)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.more_requested.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusInEvent(event)
        self.update()

    def event(self, event: QEvent) -> bool:
        """Tell a name that is cut off, and all that are not shown."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place = self._at(QPointF(event.pos()))
            words = "" if place < 0 else self._label(place)
            if place >= self._shown > 0:
                words = ", ".join(self._words[self._shown : self._shown + 40])
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme = self._themes.theme
        painter = smooth_painter(self)
        painter.setFont(theme.font("caption"))
        metrics = painter.fontMetrics()
        enabled = self.isEnabled()
        for place, chip in enumerate(self._chips):
            is_more = place >= self._shown
            is_current = self.hasFocus() and place == self._current
            edge = theme.colour("focus" if is_current else "border")
            painter.setPen(QPen(edge, 2 if is_current else 1))
            painter.setBrush(theme.colour("surface" if is_more else "sunken"))
            radius = chip.height() / 2
            painter.drawRoundedRect(chip.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
            ink = "accentInk" if is_more else "text"
            painter.setPen(theme.colour(ink if enabled else "textDisabled"))
            shows_cross = place == self._hover and not is_more and enabled
            room = chip.adjusted(_PAD, 0, -(_CROSS + 4) if shows_cross else -_PAD + 2, 0)
            words = metrics.elidedText(
                self._label(place), Qt.TextElideMode.ElideRight, int(room.width()) + 1
            )
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)
            if shows_cross:
                icon("close", theme.colour("text2")).paint(painter, self._cross(chip).toRect())


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
        self.keep_at_least(_LEAST, self._themes)
        # Four names have to fit; a font set directly would not survive the style sheet.
        self._themes.follow_size(self.method)

    # What is shown

    def set_view(self, view: MineView) -> None:
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

    def set_locked(self, is_locked: bool) -> None:
        """Let nobody change anything during a run; a short one would make every control flicker."""
        self.content.setEnabled(not is_locked)
        locked = self.tr("Locked during the run; cancel to change.")
        self.content.setToolTip(locked if is_locked else "")

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
