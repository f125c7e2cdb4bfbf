"""The left column: which attribute, which algorithms, when to stop, how fine, which draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QWidget

from ppworkbench.analyses.explore.iterations import AUTO, CONVERGED, FIXED, PUBLISHED
from ppworkbench.gui.charts.looks import draw_line_sample, draw_marker, look_colour
from ppworkbench.gui.pages.explore.view import AlgorithmsView, Method, SettingsView
from ppworkbench.gui.theme import ThemeManager, set_rules, smooth_painter
from ppworkbench.gui.widgets.attribute_box import AttributeBox
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import IconButton, IconLabel, RadioRow, Segmented
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import column, line, named, row, scroll_area, text
from ppworkbench.gui.widgets.number_fields import CountBox, NumberBox


class LineSample(QWidget):
    """A piece of the line by which a plot draws an algorithm."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.look = ""
        self.setFixedSize(28, 16)
        themes.theme_changed.connect(self.update)

    def show_look(self, look: str) -> None:
        """Show another line; none for an empty look."""
        self.look = look
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(28, 16)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        if not self.look:
            return
        painter = smooth_painter(self)
        box = QRectF(self.rect()).adjusted(1, 0, -1, 0)
        draw_line_sample(painter, self._themes.theme, self.look, box)
        if self.look == "reconstructed":
            ink = look_colour(self._themes.theme, self.look)
            draw_marker(painter, "circle", box.center(), 4.0, ink)


class MethodRow(RadioRow):
    """A checkbox, a hint, the line in the plots, and the radio button of the focus."""

    ticked = Signal(str, bool)
    focused = Signal(str)

    def __init__(self, themes: ThemeManager, method: Method) -> None:
        super().__init__(themes)
        self.method = method
        self.setProperty("helpTopic", method.name)
        self.check = QCheckBox(method.title)
        self.check.setObjectName(f"tick_{method.name}")
        self.check.setAccessibleName(self.tr("Reconstruct with %s") % method.title)
        self.check.setAccessibleDescription(method.reason or method.hint)
        self.hint = ElidedLabel("captionHint")
        self.hint.setText(method.hint)
        self.hint.setContentsMargins(24, 0, 0, 0)
        self.sample = LineSample(themes)
        self.radio.setObjectName(f"focus_{method.name}")
        self.radio.setAccessibleName(self.tr("Focus on %s") % method.title)
        self.radio.setToolTip(self.tr("Focus"))
        words = column(self.check, self.hint, spacing=1)
        layout = row(words, self.sample, self.radio, parent=self, spacing=6)
        layout.setStretch(0, 1)
        layout.setContentsMargins(8, 4, 6, 5)
        for widget in (self.sample, self.radio):
            layout.setAlignment(widget, Qt.AlignmentFlag.AlignVCenter)
        self.check.toggled.connect(lambda on: self.ticked.emit(method.name, on))
        self.radio.clicked.connect(lambda: self.focused.emit(method.name))

    def show_state(self, on: bool, focus: bool, look: str, *, only: bool) -> None:
        """Show whether it is ticked and in focus; the only ticked one cannot be unticked."""
        reason = self.method.reason
        with QSignalBlocker(self.check), QSignalBlocker(self.radio):
            self.check.setChecked(on and not reason)
            self.radio.setChecked(focus)
        self.check.setEnabled(not reason and not only)
        self.radio.setEnabled(not reason)
        self.setToolTip(reason)
        why = self.tr("At least 1 algorithm is shown.") if only else reason
        self.check.setToolTip(why)
        font = self.check.font()
        font.setWeight(self._themes.theme.font("body", "semibold" if focus else "medium").weight())
        self.check.setFont(font)
        self.sample.show_look(look if on and not reason else "")
        self.update()


class MethodList(QWidget):
    """One row per algorithm."""

    ticked = Signal(str, bool)
    focused = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._methods: tuple[Method, ...] = ()
        self._group = QButtonGroup(self)
        self.rows: dict[str, MethodRow] = {}
        self._layout = column(parent=self, spacing=1)

    def show_methods(
        self, methods: Sequence[Method], ticked: Sequence[str], focus: str, looks: Mapping[str, str]
    ) -> None:
        """Show algorithms and their state; rows are only made anew where they differ."""
        if tuple(methods) != self._methods:
            self._rebuild(tuple(methods))
        shown = [m.name for m in methods if m.name in ticked and not m.reason]
        for name, one in self.rows.items():
            only = shown == [name]
            one.show_state(name in ticked, name == focus, looks.get(name, ""), only=only)

    def _rebuild(self, methods: tuple[Method, ...]) -> None:
        for old in self.rows.values():
            self._group.removeButton(old.radio)
            self._layout.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._methods, self.rows = methods, {}
        for method in methods:
            made = MethodRow(self._themes, method)
            made.ticked.connect(self.ticked)
            made.focused.connect(self.focused)
            self._group.addButton(made.radio)
            self._layout.addWidget(made)
            self.rows[method.name] = made


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
        self.methods = named(MethodList(themes), "methods")
        self.help = IconButton(themes, "question", self.tr("About stopping rules"), 15)
        self.help.setObjectName("stopHelp")
        choices = [
            (AUTO, self.tr("auto")),
            (PUBLISHED, self.tr("published")),
            (CONVERGED, self.tr("converged")),
            (FIXED, self.tr("fixed")),
        ]
        self.rule = named(Segmented(themes, self.tr("Stop"), choices), "stopRule")
        self.rule_hint = text("", "captionHint", wrap=True)
        self.rule_hint.setMinimumHeight(30)
        self.rule_hint.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.fixed = CountBox("fixedIterations", self.tr("Number of iterations"))
        self.fixed.setRange(1, 20_000)
        self.fixed_row = QWidget()
        row(text(self.tr("Iterations"), "label"), None, self.fixed, parent=self.fixed_row)
        self.steps = CountBox("steps", self.tr("Bins"))
        self.steps_label = text(self.tr("Bins"), "label")
        self.seed = named(NumberBox(), "seed", self.tr("Random seed"))
        self.seed.setDecimals(0)
        self.seed.setGroupSeparatorShown(False)
        self.seed.setRange(0, _LARGEST_SEED)

    def _arrange(self) -> None:
        self.lock = IconLabel(self._themes, "lock", "text3", 16)
        self.note = text(
            self.tr("The seed stays in this study; a design never contains it."),
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

    def show_view(self, view: SettingsView) -> None:
        """Show what can be chosen and what is."""
        self.attribute.offer(view.attributes, view.current)
        self._show_seed(view)
        self._show_steps(view)
        self.summary.setText(view.summary)
        if view.algorithms is not None:
            self._show_algorithms(view.algorithms)

    def _show_seed(self, view: SettingsView) -> None:
        with QSignalBlocker(self.seed):
            self.seed.setValue(float(view.seed))
        self.seed.setEnabled(not view.seed_reason)
        self.seed.setToolTip(view.seed_reason or str(view.seed))

    def _show_steps(self, view: SettingsView) -> None:
        steps = view.steps
        with QSignalBlocker(self.steps):
            self.steps.setRange(1 if steps is None else 2, max(view.most_steps, 2))
            self.steps.setValue(steps or 1)
            self.steps.setSpecialValueText("–" if steps is None else "")
        self.steps.setEnabled(steps is not None)
        self.steps.setToolTip(view.steps_reason)
        self.steps_label.setEnabled(steps is not None)

    def _show_algorithms(self, view: AlgorithmsView) -> None:
        for widget in (self.methods, self.rule, self.fixed_row):
            widget.setEnabled(not view.idle)
            widget.setToolTip(view.idle)
        self.methods.show_methods(view.methods, view.ticked, view.focus, view.looks)
        self.rule.set_current(view.rule)
        reason = view.rule_reason
        self.rule.set_disabled(dict.fromkeys(self.rule.keys, reason) if reason else {})
        with QSignalBlocker(self.fixed):
            self.fixed.setValue(view.fixed)
        self.fixed_row.setVisible(view.rule == FIXED)
        self.fixed.setEnabled(not reason)
        self.rule_hint.setText(view.rule_hint)

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
