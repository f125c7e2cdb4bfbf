"""The left column: which attribute, which algorithms, when to stop, how fine, which draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QWidget

from ppworkbench.analyses.experiments.draws import ExploredColumn, most_steps
from ppworkbench.analyses.experiments.iterations import AUTO, CONVERGED, FIXED, PUBLISHED
from ppworkbench.analyses.experiments.runs import Result
from ppworkbench.gui.charts.looks import draw_line_sample, draw_marker, look_colour, series_look
from ppworkbench.gui.language import tr
from ppworkbench.gui.pages.explore.view import (
    Method,
    PageSettings,
    methods_of,
    rule_hint,
    rule_words,
    sets_words,
    summary,
)
from ppworkbench.gui.theme import ThemeManager, smooth_painter
from ppworkbench.gui.widgets.attribute_box import AttributeBox, offer_attributes
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import IconButton, IconLabel, RadioRow, Segmented
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import (
    column,
    line,
    named,
    reserve_width,
    row,
    scroll_area,
    text,
)
from ppworkbench.gui.widgets.number_fields import CountBox, NumberBox
from ppworkbench.study.study import Study


class LineSample(QWidget):
    """A piece of the line by which a plot draws an algorithm."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.look = ""
        self.setFixedSize(28, 16)
        themes.theme_changed.connect(self.update)

    def show_look(self, look: str) -> None:
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

    settings_chosen = Signal(object)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._settings, self._cells, self._current = PageSettings(), "", ""
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
        rules = [(rule, rule_words(rule)) for rule in (AUTO, PUBLISHED, CONVERGED, FIXED)]
        self.rule = named(Segmented(themes, self.tr("Stop"), rules), "stopRule")
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
            row(text(self.tr("Random seed"), "label"), None, self.seed),
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
        self.methods.ticked.connect(lambda name, on: self._choose("tick", name, on))
        self.methods.focused.connect(lambda name: self._choose("focus", name))
        self.rule.chosen.connect(lambda rule: self._choose("rule", rule))
        self.fixed.valueChanged.connect(self._choose_fixed)
        self.steps.valueChanged.connect(self._choose_steps)
        self.keep_at_least(248, self._themes)
        # Four words have to fit; a font set directly would not survive the style sheet.
        self._themes.follow_size(self.rule)
        for box in (self.fixed, self.steps, self.seed):
            reserve_width(box, self._themes, 84)

    def _choose_fixed(self, count: int) -> None:
        self._announce(replace(self._settings, fixed=count))

    def _choose_steps(self, steps: int) -> None:
        if self._current:
            self._announce(self._settings.with_steps(self._current, steps))

    def _choose(self, what: str, *values: Any) -> None:
        """Take other settings of the cells of the attribute."""
        if self._cells:
            self._announce(getattr(self._settings, f"with_{what}")(self._cells, *values))

    def _announce(self, settings: PageSettings) -> None:
        # The next choice may come before the page shows this one.
        self._settings = settings
        self.settings_chosen.emit(settings)

    # What is shown

    def show_study(
        self,
        study: Study,
        current: str | None,
        settings: PageSettings,
        explored: ExploredColumn | None,
        result: Result | None,
    ) -> None:
        """Show what can be chosen and what is; what is not explored leaves the rest as it was."""
        self._settings, self._current = settings, current or ""
        self._cells = "" if explored is None else explored.cells
        table = study.table
        names = [name for name in study.design.names if table is not None and name in table]
        self.attribute.offer(offer_attributes(study, names), current)
        self._show_seed(study)
        self._show_steps(explored)
        if explored is None:
            self.summary.setText("")
            return
        if result is not None and result.draw.explored != explored:
            result = None
        self.summary.setText(summary(explored, study.unit(explored.name), result))
        self._show_algorithms(settings, explored, result)

    def _show_seed(self, study: Study) -> None:
        reason, seed = "", study.settings.seed
        if study.original is None:
            reason = tr("The reported answers are already randomised; nothing is drawn here.")
        with QSignalBlocker(self.seed):
            self.seed.setValue(float(seed))
        self.seed.setEnabled(not reason)
        self.seed.setToolTip(reason or str(seed))

    def _show_steps(self, explored: ExploredColumn | None) -> None:
        steps, most, reason = None, 1, ""
        if explored is not None:
            steps, most = explored.steps, most_steps(explored.attribute)
            if steps is None:
                reason = tr("Categories have no bins.")
            elif most < 2:
                steps, reason = None, tr("Only 1 number is possible.")
        with QSignalBlocker(self.steps):
            self.steps.setRange(1 if steps is None else 2, max(most, 2))
            self.steps.setValue(steps or 1)
            self.steps.setSpecialValueText("–" if steps is None else "")
        self.steps.setEnabled(steps is not None)
        self.steps.setToolTip(reason)
        self.steps_label.setEnabled(steps is not None)

    def _show_algorithms(
        self, settings: PageSettings, explored: ExploredColumn, result: Result | None
    ) -> None:
        cells, usual = explored.cells, methods_of(explored.cells)
        methods = methods_of(cells, None if result is None else result.draw)
        ticked, rule = settings.ticked[cells], settings.rules[cells]
        can = [m.name for m in methods if not m.reason and m.name in ticked]
        focus = settings.focus(cells, can)
        looks = {m.name: series_look(i) for i, m in enumerate(usual)}
        looks = {m.name: looks.get(m.name, series_look(5)) for m in methods}
        looks[focus] = "reconstructed"
        self.methods.show_methods(methods, ticked, focus, looks)
        idle = "" if explored.is_distorted else tr("This attribute is not distorted.")
        for widget in (self.methods, self.rule, self.fixed_row):
            widget.setEnabled(not idle)
            widget.setToolTip(idle)
        iterated, reason, run = {m.name for m in usual if m.iterates}, "", None
        if explored.perturbation.reports_sets:
            reason = sets_words()
        elif not any(name in iterated for name in ticked):
            reason = tr("No selected algorithm iterates.")
        if result is not None:
            runs, shown = result.runs, [focus, *ticked]
            run = next((runs[name] for name in shown if name in iterated and name in runs), None)
        self.rule.set_current(rule)
        self.rule.set_disabled(dict.fromkeys(self.rule.keys, reason) if reason else {})
        with QSignalBlocker(self.fixed):
            self.fixed.setValue(settings.fixed)
        self.fixed_row.setVisible(rule == FIXED)
        self.fixed.setEnabled(not reason)
        self.rule_hint.setText(reason or rule_hint(rule, run))

    def set_locked(self, reason: str) -> None:
        """Lock every control while a run needs them as they are; empty unlocks."""
        self.content.setEnabled(not reason)
        self.content.setToolTip(reason)
