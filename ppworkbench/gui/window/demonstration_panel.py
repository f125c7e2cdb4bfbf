"""The panel of a demonstration."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress, part
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.keys import add_key
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.controls import Button, IconButton, IconLabel, ProgressBar
from ppworkbench.gui.widgets.labels import Disc, Frame
from ppworkbench.gui.widgets.layout import clear, column, line, named, row, show_words, text
from ppworkbench.gui.window.places import Place, room_of, scroll_to, show_places
from ppworkbench.gui.workbench import Workbench
from ppworkbench.outputs.demonstrations.demonstration import (
    Demonstration,
    Figure,
    Look,
    Step,
    Try,
)

_EVERY = 150
"""Milliseconds after which a badge has followed a widget that moved."""


class Badge(Disc):
    """The number of a place to look at; clicks go through it."""

    def __init__(self, themes: ThemeManager, number: int, parent: QWidget | None = None) -> None:
        super().__init__(themes, str(number), parent, is_filled=True)
        self.number = number
        self.setObjectName(f"badge{number}")
        self.setAccessibleName(self.tr("Look here, number %s") % number)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)


class Badges(QObject):
    """Puts badges on widgets and keeps them there; ``over`` is what they are drawn on."""

    def __init__(self, themes: ThemeManager, over: QWidget) -> None:
        super().__init__(over)
        self._themes, self._over = themes, over
        self._anchors: list[tuple[Badge, Look, Callable[[], QWidget | None]]] = []
        self.frame = Frame(themes, over)
        self._framed: int | None = None
        self._room: list[object] = []
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY)
        self._timer.timeout.connect(self.follow)
        themes.theme_changed.connect(self.follow)

    @property
    def shown(self) -> tuple[Badge, ...]:
        return tuple(badge for badge, _, _ in self._anchors if not badge.isHidden())

    def show_looks(self, looks: Sequence[Look], find: Callable[[str], QWidget | None]) -> None:
        """Put a badge on each place; ``find`` is asked again whenever they move."""
        self.clear()
        for place, look in enumerate(looks, 1):
            badge = Badge(self._themes, place, self._over)
            badge.hide()
            self._anchors.append((badge, look, partial(find, look.at)))
        self._room = []
        self.follow()
        self.frame_look(self._framed)
        if self._anchors:
            self._timer.start()

    def clear(self) -> None:
        self._timer.stop()
        self.frame.hide()
        for badge, _, _ in self._anchors:
            badge.hide()
            badge.deleteLater()
        self._anchors.clear()

    def frame_look(self, place: int | None) -> None:
        """Draw a line around a place, scrolled to where it is, or around none.

        While a step is still being set up it has no badges; its line is drawn with them.
        """
        self._framed = place
        if place is not None and place < len(self._anchors):
            _, look, find = self._anchors[place]
            widget = find()
            if widget is not None:
                scroll_to([Place(widget, look)])
        self.follow()

    def follow(self) -> None:
        framed = None
        found = [(find(), look) for _, look, find in self._anchors]
        places = [None if widget is None else Place(widget, look) for widget, look in found]
        shown = [one for one in places if one is not None and one.widget.isVisible()]
        # A page that has just come to the front does not know its sizes yet, and results arrive
        # later; at rest it is the user who scrolls.
        if room_of(shown) != self._room:
            show_places(shown, self._over)
            self._room = room_of(shown)
        for place, ((badge, _, _), one) in enumerate(zip(self._anchors, places, strict=True)):
            seen = None if one is None else one.seen_on(self._over)
            if one is None or seen is None:
                badge.hide()
                continue
            half = badge.width() // 2
            spot, over = one.spot_on(self._over), self._over.rect()
            badge.move(
                min(max(spot.x() - half, 2), over.width() - badge.width() - 2),
                min(max(spot.y() - half, 2), over.height() - badge.height() - 2),
            )
            if badge.isHidden():
                badge.show()
            badge.raise_()
            if place == self._framed:
                framed = seen
        self.frame.setVisible(framed is not None)
        if framed is not None:
            self.frame.setGeometry(framed.adjusted(-3, -3, 3, 3))
            self.frame.raise_()


_BOLD = re.compile(r"\*\*(.+?)\*\*")
_NAMED = re.compile(r"\{([^{}]*)\}")


def rich(text: str, numbers: Mapping[str, str]) -> str:
    """Paragraphs with numbers filled in; those that are not known yet are dots.

    >>> rich("**Two** coins, and {n}.", {"n": "5"})
    '<p style="margin:0 0 8px 0"><b>Two</b> coins, and <b>5</b>.</p>'
    """
    parts = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        line = _BOLD.sub(r"<b>\1</b>", html.escape(" ".join(paragraph.split()), quote=False))
        line = _NAMED.sub(lambda found: f"<b>{numbers.get(found[1], '…')}</b>", line)
        parts.append(f'<p style="margin:0 0 8px 0">{line}</p>')
    return "".join(parts)


def plain(text: str, numbers: Mapping[str, str]) -> str:
    """One line of text with numbers filled in."""
    words = _BOLD.sub(r"\1", " ".join(text.split()))
    return _NAMED.sub(lambda found: numbers.get(found[1], "…"), words)


_PAUSE = 350
"""Milliseconds of rest after a change before numbers are worked out again."""

Found = Mapping[str, float]


class FigureCalculator(QObject):
    """Works out figures for the study of now, and the quick ones again when it changes."""

    found = Signal(object)
    """Values by name."""

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._figures: tuple[Figure, ...] = ()
        self._task: PageTask[Found] = PageTask(workbench, "learn numbers", self, quiet=True)
        self._task.finished.connect(self.found)
        self._due = single_shot(self, self._again, _PAUSE)
        store = workbench.store
        for changed in (store.design_changed, store.settings_changed, store.data_changed):
            changed.connect(self._on_changed)

    def work_out(self, figures: Sequence[Figure]) -> None:
        """Work out the figures of another step."""
        self.stop()
        self._figures = tuple(figures)
        self._run(self._figures)

    @property
    def is_busy(self) -> bool:
        """Whether numbers are still on their way."""
        return self._task.is_running or self._due.isActive()

    def stop(self) -> None:
        """Forget the figures; nothing arrives any more."""
        self._due.stop()
        self._figures = ()
        self._task.drop()

    def _on_changed(self) -> None:
        if any(figure.calculation.quick for figure in self._figures):
            self._due.start()

    def _again(self) -> None:
        self._run([figure for figure in self._figures if figure.calculation.quick])

    def _run(self, figures: Sequence[Figure]) -> None:
        if not figures:
            return
        study = self._workbench.store.study

        def work(progress: Progress) -> Found:
            values = {}
            for place, figure in enumerate(figures):
                share = part(progress, place / len(figures), (place + 1) / len(figures))
                values[figure.name] = _value(figure, study, share)
            return values

        is_quick = all(figure.calculation.quick for figure in figures)
        self._task.start(self.tr("Computing"), work, is_listed=not is_quick)


def _value(figure: Figure, study: object, progress: Progress) -> float:
    try:
        return figure.calculation.calculate(study, progress)  # type: ignore[arg-type]
    except WorkbenchError as error:
        what = tr("The figure %s cannot be computed: %s")
        raise WorkbenchError(what % (repr(figure.name), translate(error.message))) from None


def shown(value: float | None, figure: Figure) -> str:
    """A number with its unit; dots while it is not known."""
    if value is None:
        return "…"
    if math.isnan(value):
        return "–"
    unit = f"\u202f{figure.unit}" if figure.unit else ""
    return f"{number(value, figure.digits)}{unit}"


class LookRow(QWidget):
    """A badge with its sentence; pointing at it frames the place on the page."""

    pointed = Signal(bool)

    def __init__(self, themes: ThemeManager, number: int, look: Look) -> None:
        super().__init__()
        self.look = look
        self.label = text(plain(look.text, {}), wrap=True)
        badge = Badge(themes, number)
        layout = row(badge, self.label, parent=self, spacing=10, stretch=1)
        layout.setAlignment(badge, Qt.AlignmentFlag.AlignTop)

    def show_numbers(self, numbers: Mapping[str, str]) -> None:
        self.label.setText(plain(self.look.text, numbers))

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: ARG002, N802
        self.pointed.emit(True)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: ARG002, N802
        self.pointed.emit(False)


class LookList(QFrame):
    pointed = Signal(object)
    """The position of the place that the pointer is on, or None."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.setProperty("look", "sunken")
        self.rows: list[LookRow] = []
        self._list = column(spacing=8)
        layout = column(text(self.tr("Look here"), "strong"), self._list, parent=self, spacing=8)
        layout.setContentsMargins(12, 9, 12, 11)

    def show_looks(self, looks: Sequence[Look]) -> None:
        """Show other places; the pointer is on none of them yet."""
        self.pointed.emit(None)
        clear(self._list)
        self.rows = [LookRow(self._themes, place, look) for place, look in enumerate(looks, 1)]
        for place, made in enumerate(self.rows):
            made.pointed.connect(lambda on, place=place: self.pointed.emit(place if on else None))
            self._list.addWidget(made)
        self.setVisible(bool(looks))


class FigureTable(QWidget):
    """Published numbers beside ours; the source stands below each."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(0, 1)
        self.ours: dict[str, QLabel] = {}
        self._figures: dict[str, Figure] = {}

    def show_figures(self, figures: Sequence[Figure]) -> None:
        """Show other figures, not worked out yet."""
        clear(self._grid)
        named = [figure for figure in figures if figure.label]
        self._figures = {figure.name: figure for figure in named}
        self.ours = {}
        self.setVisible(bool(named))
        if not named:
            return
        compared = any(figure.published is not None for figure in named)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
        self._grid.addWidget(text(self.tr("Computed"), "strong"), 0, 0)
        if compared:
            self._grid.addWidget(text(self.tr("published"), "captionHint"), 0, 1, right)
        self._grid.addWidget(text(self.tr("computed"), "captionHint"), 0, 2, right)
        at = 1
        for figure in named:
            at = self._add(figure, at, right)

    def _add(self, figure: Figure, at: int, right: Qt.AlignmentFlag) -> int:
        self._grid.addWidget(line(), at, 0, 1, 3)
        self._grid.addWidget(text(figure.label, wrap=True), at + 1, 0)
        if figure.published is not None:
            self._grid.addWidget(text(shown(figure.published, figure)), at + 1, 1, right)
        ours = named(text(shown(None, figure), "strong"), f"figure-{figure.name}", figure.label)
        self._grid.addWidget(ours, at + 1, 2, right)
        self.ours[figure.name] = ours
        if figure.source:
            self._grid.addWidget(text(figure.source, "captionHint", wrap=True), at + 2, 0, 1, 3)
        return at + 3

    def show_values(self, values: Mapping[str, float]) -> None:
        """Fill in what was worked out."""
        for name, value in values.items():
            if name in self.ours:
                self.ours[name].setText(shown(value, self._figures[name]))


WIDTH = 348
_SHARE = 0.4


class Panel(QFrame):
    """Knows no page: it shows a step and tells what a person wants."""

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
        themes.follow(self._restyle)

    def _make_head(self) -> None:
        self.title = text(self._demonstration.title, "strong", wrap=True)
        self.close_button = IconButton(self._themes, "close", self.tr("End (Esc)"), 16)
        self.close_button.setObjectName("endDemonstration")
        self.head = QFrame()
        self.head.setProperty("look", "learnHead")
        icon = IconLabel(self._themes, "learn", "accentInk", 20)
        layout = row(icon, self.title, self.close_button, parent=self.head, spacing=8)
        layout.setContentsMargins(15, 9, 10, 9)
        layout.setStretch(1, 1)

    def _make_body(self) -> None:
        self.bar = ProgressBar()
        self.place = text("", "learnPlace")
        self.minutes = text("", "captionHint")
        self.heading = text("", "learnHeading", wrap=True)
        self.words = text("", wrap=True)
        self.words.setTextFormat(Qt.TextFormat.RichText)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.words.setObjectName("learnText")
        self.looks = LookList(self._themes)
        self.looks.pointed.connect(self.pointed)
        self.figures = named(FigureTable(), "learnFigures")
        self.try_title = text(self.tr("Try it yourself"), "strong")
        self._try_list = column(spacing=8)
        self.problem = named(text("", "warning", wrap=True, hidden=True), "learnProblem")

    def _make_foot(self) -> None:
        self.back = named(Button(self._themes, self.tr("Back"), "chevron-left"), "previousStep")
        self.back.setToolTip(self.tr("Back (Page Up or Alt+Left)"))
        self.next = Button(self._themes, self.tr("Next"), "arrow-right", "primary")
        self.next.setObjectName("nextStep")
        # A shortcut of the button itself would be lost with every other text on it.
        # Page Up and Page Down are also the keys of remote controls for presentations.
        for keys in ("PgUp", "Alt+Left"):
            add_key(self, keys, self.tr("Back"), self.back.click)
        for keys in ("PgDown", "Alt+Right"):
            add_key(self, keys, self.tr("Next step"), self.next.click)

    def _arrange(self) -> None:
        inner = QWidget()
        inner.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        column(
            self.heading, self.words, self.looks, self.figures, self.try_title, self._try_list,
            self.problem, None, parent=inner, spacing=10, margin=(15, 2, 15, 8),
        )  # fmt: skip
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(inner)
        top = column(self.bar, row(self.place, None, self.minutes), spacing=8)
        top.setContentsMargins(15, 14, 15, 4)
        foot = row(self.back, None, self.next, margin=(15, 10, 15, 10))
        rule = row(line(), margin=(15, 0, 15, 0))
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
        self.bar.show_share((at + 1) / len(steps))
        self.place.setText(self.tr("Step %s of %s") % (at + 1, len(steps)))
        self.bar.setAccessibleName(self.place.text())
        self.minutes.setText(self.tr("about %s minutes in total") % self._demonstration.minutes)
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
            self.tr("Back to your own study (Page Down or Alt+Right)") if last
            else self.tr("The next step (Page Down or Alt+Right)")
        )  # fmt: skip
        self.area.verticalScrollBar().setValue(0)

    def _show_tries(self, tries: tuple[Try, ...]) -> None:
        clear(self._try_list)
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
        show_words(self.problem, sentence)
