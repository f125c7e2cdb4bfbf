"""The left column: which attribute, which algorithms, when to stop, how fine, which draw."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.pages.explore.em_path import AUTO, CONVERGED, FIXED, PUBLISHED
from ppworkbench.gui.pages.explore.method_list import MethodList
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.attribute_box import AttributeBox
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.count_box import CountBox
from ppworkbench.gui.widgets.icon_button import IconButton, IconLabel
from ppworkbench.gui.widgets.layouts import column, line, row, scroll_area, text
from ppworkbench.gui.widgets.segmented import Segmented
from ppworkbench.gui.widgets.slider_row import NumberBox

WIDTH = 264
_LARGEST_SEED = float(2**53)


class SettingsCard(Card):
    """Knows no study: it shows what it is given and tells what a person does."""

    attribute_chosen = Signal(str)
    rule_chosen = Signal(str)
    fixed_chosen = Signal(int)
    steps_chosen = Signal(int)
    seed_chosen = Signal(object)
    help_requested = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._make_controls()
        self._arrange()
        self._connect()

    def _make_controls(self) -> None:
        themes = self._themes
        self.attribute = AttributeBox(themes, "exploreAttribute", self.tr("Attribute"))
        self.summary = text("", "captionHint", wrap=True)
        self.methods = MethodList(themes)
        self.methods.setObjectName("methods")
        self.help = IconButton(themes, "question", self.tr("About stop rules"), 15)
        self.help.setObjectName("stopHelp")
        choices = [
            (AUTO, self.tr("auto")),
            (PUBLISHED, self.tr("published")),
            (CONVERGED, self.tr("converged")),
            (FIXED, self.tr("fixed")),
        ]
        self.rule = Segmented(themes, self.tr("Stop"), choices)
        self.rule.setObjectName("stopRule")
        self.rule_hint = text("", "captionHint", wrap=True)
        self.rule_hint.setMinimumHeight(30)
        self.rule_hint.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.fixed = CountBox("fixedIterations", self.tr("Number of iterations"))
        self.fixed.setRange(1, 20_000)
        self.fixed_row = QWidget()
        row(text(self.tr("Iterations"), "label"), None, self.fixed, parent=self.fixed_row)
        self.steps = CountBox("steps", self.tr("Steps on the scale"))
        self.steps_label = text(self.tr("Steps on the scale"), "label")
        self.seed = NumberBox()
        self.seed.setObjectName("seed")
        self.seed.setAccessibleName(self.tr("Seed of the randomness"))
        self.seed.setDecimals(0)
        self.seed.setGroupSeparatorShown(False)
        self.seed.setRange(0, _LARGEST_SEED)

    def _arrange(self) -> None:
        self.lock = IconLabel(self._themes, "lock", "text3", 16)
        self.note = text(
            self.tr("The seed stays in this study and is never written into a design."),
            "captionHint",
            wrap=True,
        )
        lock_row = row(self.lock, self.note, spacing=8)
        lock_row.setAlignment(self.lock, Qt.AlignmentFlag.AlignTop)
        lock_row.setStretch(1, 1)
        self.focus_word = text(self.tr("focus"), "captionHint")
        head = row(text(self.tr("Reconstruct with"), "strong"), None, self.focus_word)
        head.setContentsMargins(0, 0, 2, 0)
        list_row = row(self.methods)
        list_row.setContentsMargins(-8, 0, -8, 0)
        inner = QWidget()
        layout = column(
            text(self.tr("Attribute"), "strong"),
            self.attribute,
            self.summary,
            2,
            line(),
            2,
            head,
            self.methods,
            2,
            line(),
            row(text(self.tr("Stop"), "strong"), self.help, None, spacing=4),
            self.rule,
            self.fixed_row,
            self.rule_hint,
            line(),
            row(self.steps_label, None, self.steps),
            row(text(self.tr("Randomness, seed"), "label"), None, self.seed),
            2,
            line(),
            lock_row,
            None,
            parent=inner,
            spacing=7,
        )
        layout.setContentsMargins(12, 10, 12, 10)
        self.content = inner
        self.body.addWidget(scroll_area(inner), 1)

    def _connect(self) -> None:
        self.attribute.chosen.connect(self.attribute_chosen)
        self.rule.chosen.connect(self.rule_chosen)
        self.fixed.valueChanged.connect(self.fixed_chosen)
        self.steps.valueChanged.connect(self.steps_chosen)
        self.seed.valueChanged.connect(lambda value: self.seed_chosen.emit(int(value)))
        self.help.clicked.connect(lambda: self.help_requested.emit("stopping-rules"))
        self._themes.theme_changed.connect(self._restyle)
        self._restyle()

    # What is shown

    def show_steps(self, steps: int | None, most: int, reason: str) -> None:
        """Show how fine the scale is; with a reason where it has no steps."""
        with QSignalBlocker(self.steps):
            self.steps.setRange(1 if steps is None else 2, max(most, 2))
            self.steps.setValue(steps or 1)
            self.steps.setSpecialValueText("–" if steps is None else "")
        self.steps.setEnabled(steps is not None)
        self.steps.setToolTip(reason)
        self.steps_label.setEnabled(steps is not None)

    def show_rule(self, rule: str, fixed: int, hint: str, *, applies: bool, reason: str) -> None:
        """Show the stop rule and what it means here."""
        self.rule.set_current(rule)
        self.rule.set_disabled({} if applies else dict.fromkeys(self.rule.keys, reason))
        with QSignalBlocker(self.fixed):
            self.fixed.setValue(fixed)
        self.fixed_row.setVisible(rule == FIXED)
        self.fixed.setEnabled(applies)
        self.rule_hint.setText(hint)

    def show_seed(self, seed: int, reason: str) -> None:
        """Show where the draws begin; with a reason where nothing is drawn."""
        with QSignalBlocker(self.seed):
            self.seed.setValue(float(seed))
        self.seed.setEnabled(not reason)
        self.seed.setToolTip(reason or str(seed))

    def set_idle(self, reason: str) -> None:
        """Grey out what reconstructs where there is nothing to reconstruct; empty undoes it."""
        for widget in (self.methods, self.rule, self.fixed_row):
            widget.setEnabled(not reason)
            widget.setToolTip(reason)

    def set_locked(self, reason: str) -> None:
        """Lock every control while a run needs them as they are; empty unlocks."""
        self.content.setEnabled(not reason)
        self.content.setToolTip(reason)

    def _restyle(self) -> None:
        """Sizes and colours that follow the theme."""
        theme = self._themes.theme
        self.keep_at_least(theme.px(248))
        # Four words have to fit; a font set directly would not survive the style sheet.
        set_rules(self.rule, f"font-size: {theme.font('caption').pixelSize()}px;")
        for box in (self.fixed, self.steps, self.seed):
            box.setFixedWidth(theme.px(84))
