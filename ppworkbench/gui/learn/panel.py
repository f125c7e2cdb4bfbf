"""The panel at the right of a demonstration: one idea at a time."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from ppworkbench.gui.keys import add_key
from ppworkbench.gui.learn.numbers import shown
from ppworkbench.gui.learn.panel_parts import FigureTable, LookList, StepsBar
from ppworkbench.gui.learn.step_text import rich
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.icon_button import Button, IconButton, IconLabel
from ppworkbench.gui.widgets.layouts import column, line, row, text
from ppworkbench.study.demonstrations.demonstration import Demonstration, Step, Try

WIDTH = 348
_SHARE = 0.4


class Panel(QFrame):
    """Knows no page: it shows a step and tells what a person wants."""

    next_wanted = Signal()
    back_wanted = Signal()
    end_wanted = Signal()
    try_wanted = Signal(object)
    pointed = Signal(object)
    """The place to look at that the pointer is on, or None."""

    def __init__(self, themes: ThemeManager, demonstration: Demonstration) -> None:
        super().__init__()
        self._themes = themes
        self._demonstration = demonstration
        self._step: Step | None = None
        self._numbers: dict[str, str] = {}
        self.tries: list[Button] = []
        self.setObjectName("learnPanel")
        self.setProperty("look", "learnPanel")
        self.setAccessibleName(self.tr("Demonstration"))
        self._make_head()
        self._make_body()
        self._make_foot()
        self._arrange()
        self._most = WIDTH
        themes.theme_changed.connect(self._restyle)
        self._restyle()

    def _make_head(self) -> None:
        self.title = text(self._demonstration.title, "strong", wrap=True)
        self.close_button = IconButton(self._themes, "close", self.tr("End (Esc)"), 16)
        self.close_button.setObjectName("endDemonstration")
        self.close_button.clicked.connect(self.end_wanted)
        self.head = QFrame()
        self.head.setProperty("look", "learnHead")
        icon = IconLabel(self._themes, "learn", "accentInk", 20)
        layout = row(icon, self.title, self.close_button, parent=self.head, spacing=8)
        layout.setContentsMargins(15, 9, 10, 9)
        layout.setStretch(1, 1)

    def _make_body(self) -> None:
        self.bar = StepsBar(self._themes)
        self.place = text("", "learnPlace")
        self.minutes = text("", "captionHint")
        self.heading = text("", "learnHeading", wrap=True)
        self.words = text("", wrap=True)
        self.words.setTextFormat(Qt.TextFormat.RichText)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.words.setObjectName("learnText")
        self.looks = LookList(self._themes)
        self.looks.pointed.connect(self.pointed)
        self.figures = FigureTable()
        self.figures.setObjectName("learnFigures")
        self.try_title = text(self.tr("Try it yourself"), "strong")
        self._try_list = column(spacing=8)
        self.problem = text("", "warning", wrap=True)
        self.problem.setObjectName("learnProblem")
        self.problem.hide()

    def _make_foot(self) -> None:
        self.back = Button(self._themes, self.tr("Back"), "chevron-left")
        self.back.setObjectName("previousStep")
        self.back.clicked.connect(self.back_wanted)
        self.back.setToolTip(self.tr("The step before (Alt+Left)"))
        self.next = Button(self._themes, self.tr("Next"), "arrow-right", "primary")
        self.next.setObjectName("nextStep")
        self.next.clicked.connect(self.next_wanted)
        # A shortcut of the button itself would be lost with every other text on it.
        add_key(self, "Alt+Left", self.tr("Step before"), self.back.click)
        add_key(self, "Alt+Right", self.tr("Next step"), self.next.click)

    def _arrange(self) -> None:
        inner = QWidget()
        inner.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        body = column(
            self.heading, self.words, self.looks, self.figures, self.try_title, self._try_list,
            self.problem, None, parent=inner, spacing=10,
        )  # fmt: skip
        body.setContentsMargins(15, 2, 15, 8)
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(inner)
        top = column(self.bar, row(self.place, None, self.minutes), spacing=8)
        top.setContentsMargins(15, 14, 15, 4)
        foot = row(self.back, None, self.next)
        foot.setContentsMargins(15, 10, 15, 10)
        rule = row(line())
        rule.setContentsMargins(15, 0, 15, 0)
        layout = column(self.head, top, self.area, rule, foot, parent=self, spacing=0)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setStretch(2, 1)

    def fit(self, window: int) -> None:
        """Leave the page its share of a window that is so wide."""
        self._most = max(round(_SHARE * window), WIDTH)
        self._restyle()

    def _restyle(self) -> None:
        self.setFixedWidth(min(self._themes.theme.px(WIDTH), self._most))

    # What is shown

    def show_step(self, at: int) -> None:
        """Show a step, its numbers still unknown."""
        steps = self._demonstration.steps
        step = steps[at]
        self._step, self._numbers = step, {}
        self.bar.show_step(at, len(steps))
        self.place.setText(self.tr("Step %s of %s") % (at + 1, len(steps)))
        self.minutes.setText(self.tr("about %s minutes in all") % self._demonstration.minutes)
        self.heading.setText(step.title)
        self.looks.show_looks(step.looks)
        self.figures.show_figures(step.figures)
        self._show_tries(step.tries)
        self._show_words()
        self.show_problem("")
        self.back.setEnabled(at > 0)
        last = at + 1 == len(steps)
        self.next.setText(self.tr("Finish") if last else self.tr("Next"))
        self.next.setToolTip(
            self.tr("Back to your own study (Alt+Right)") if last
            else self.tr("The next step (Alt+Right)")
        )  # fmt: skip
        self.area.verticalScrollBar().setValue(0)

    def _show_tries(self, tries: tuple[Try, ...]) -> None:
        for old in self.tries:
            self._try_list.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.tries = []
        for place, one in enumerate(tries, 1):
            button = Button(self._themes, one.label, "play")
            button.setProperty("look", "learnTry")
            button.setObjectName(f"try{place}")
            button.setToolTip(one.label)
            button.clicked.connect(lambda *_, one=one: self.try_wanted.emit(one))
            self._try_list.addWidget(button)
            self.tries.append(button)
        self.try_title.setVisible(bool(tries))

    def show_values(self, values: Mapping[str, float]) -> None:
        """Fill in numbers; those in the text stay as they were first worked out."""
        assert self._step is not None  # noqa: S101 (numbers belong to a step)
        self.figures.show_values(values)
        fresh = {
            figure.name: shown(values[figure.name], figure)
            for figure in self._step.figures
            if figure.name in values and figure.name not in self._numbers
        }
        if fresh:
            self._numbers |= fresh
            self._show_words()

    def _show_words(self) -> None:
        assert self._step is not None  # noqa: S101 (as above)
        self.words.setText(rich(self._step.text, self._numbers))
        for one in self.looks.rows:
            one.show_numbers(self._numbers)

    def show_problem(self, sentence: str) -> None:
        """Say that something of the step could not be set up."""
        self.problem.setText(sentence)
        self.problem.setVisible(bool(sentence))
