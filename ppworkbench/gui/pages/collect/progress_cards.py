"""How answers arrive: counts, days, the live estimate, and whether reports fit the design."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QDate, QLocale, Qt, Signal
from PySide6.QtWidgets import QHeaderView

from ppworkbench.analyses.collecting.live import LiveEstimate, LivePoint, LiveTarget
from ppworkbench.analyses.collecting.monitoring import DayCount, Monitoring, QuestionMonitor
from ppworkbench.core.message import Message
from ppworkbench.gui.charts.chart import Entry, Rows
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import counted, in_unit, number, percent, significant, trimmed
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card, MarkedLines
from ppworkbench.gui.widgets.cells import CellDelegate
from ppworkbench.gui.widgets.controls import Button, ChoiceBox
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import (
    column,
    named,
    row,
    set_type,
    show_words,
    text,
    vertical_line,
)
from ppworkbench.gui.widgets.table import TextModel, TextTable
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape
from ppworkbench.results.sheet import Kind
from ppworkbench.study.language import translatable
from ppworkbench.study.study import Study

_MOST_DAYS, _LEAST_DAYS, _MOST_WORDS = 60, 7, 20
"""Days that are shown, for which there is room at least, and over which their number stands."""
_FEW = 8
"""Answers of a day that would make a bar too high."""
_NOTHING = Message("")


def day_text(day: dt.date) -> str:
    """A day as people of the language write it, without the year."""
    form = QLocale().dateFormat(QLocale.FormatType.ShortFormat)
    for year in ("yyyy", "yy"):
        form = form.replace(year, "")
    return QLocale().toString(QDate(day.year, day.month, day.day), form.strip(" ./-,"))


class DayChart(PictureChart):
    """A hatched bar for every day: what arrives is reported answers."""

    def __init__(self, themes: ThemeManager) -> None:
        self.shown: tuple[DayCount, ...] = ()
        super().__init__(themes, tr("Answers per day"), size=(420, 150), least=(180, 96))
        self.rows = self._day_rows

    def show_days(self, days: Sequence[DayCount]) -> None:
        if tuple(days) == self.shown:
            return
        self.shown = tuple(days)
        drawn = self.shown[-_MOST_DAYS:]
        counts = np.array([one.answers for one in drawn], np.float64)
        words = tuple(number(one.answers) for one in drawn) if len(drawn) <= _MOST_WORDS else ()
        bars = Mark(
            Shape.BARS, Role.REPORTED, Message(tr("answers")), np.arange(1.0 * len(drawn)), counts,
            words=words,
        )  # fmt: skip
        labels = [day_text(one.day) for one in drawn]
        labels += [""] * (_LEAST_DAYS - len(labels))
        top = 10.0 if counts.max(initial=0.0) < _FEW else None
        across = Axis(_NOTHING, labels=tuple(labels))
        up = Axis(_NOTHING, kind=Kind.COUNT, low=0.0, high=top)
        title, marks = Message(self.accessibleName()), (bars,) if drawn else ()
        self.set_picture(Picture("days", title, across, up, marks))

    def entries(self, place: int) -> list[Entry]:
        found, drawn = super().entries(place), self.shown[-_MOST_DAYS:]
        more = [("distorted", tr("in sum"), number(one.total)) for one in drawn[place : place + 1]]
        return [*found, *more]

    def _day_rows(self) -> Rows:
        days = [[one.day.isoformat(), str(one.answers), str(one.total)] for one in self.shown]
        return [[tr("day"), tr("answers"), tr("in sum")], *days]


class LiveChart(PictureChart):
    def __init__(self, themes: ThemeManager) -> None:
        self.shown: LiveEstimate | None = None
        self._goal = ""
        name = tr("Estimate by number of answers")
        super().__init__(themes, name, size=(420, 240), least=(180, 130))

    def show_estimate(self, found: LiveEstimate | None, goal: str) -> None:
        if (found, goal) == (self.shown, self._goal):
            return
        self.shown, self._goal = found, goal
        now = None if found is None else found.now
        if found is None or now is None:
            self.set_picture(None)
            return
        is_share = bool(found.target.values)
        self.set_picture(
            live_picture(self.accessibleName(), found, now, goal),
            (lambda value: percent(value, 1)) if is_share else significant,
        )


def live_picture(title: str, found: LiveEstimate, now: LivePoint, goal: str) -> Picture:
    """The steps of an estimate, the band that is expected after it, and where the goal is."""
    last = float(max(now.answers * 1.25, 50))
    if found.needed is not None and found.needed <= 12 * now.answers:
        last = max(last, found.needed * 1.06)
    answers, estimate, low, high = np.array(
        [(one.answers, one.estimate, one.low, one.high) for one in found.points], np.float64
    ).T
    said = Message(tr("estimate"))
    marks = [Mark(Shape.LINE, Role.ESTIMATE, said, answers, estimate, low, high)]
    later, lower, upper = found.band(int(last))
    if len(later):
        said = Message(tr("expected, if nothing changes"))
        none = np.full(len(later), math.nan)
        marks.append(Mark(Shape.BAND, Role.REFERENCE, said, later, none, lower, upper))
    places = [(Role.ESTIMATE, now.answers, now.low, now.high, tr("now, %s") % number(now.answers))]
    if found.needed is not None and now.answers < found.needed <= last:
        bottom, top = (float(np.interp(found.needed, later, end)) for end in (lower, upper))
        words = tr("%s at %s") % (goal, number(found.needed))
        places.append((Role.REFERENCE, found.needed, bottom, top, words))
    for role, at, bottom, top, words in places:
        x, y, below, above = np.array([[at], [now.estimate], [bottom], [top]], np.float64)
        marks.append(Mark(Shape.INTERVALS, role, _NOTHING, x, y, below, above, (words,)))
    across = Axis(Message(tr("answers")), kind=Kind.COUNT, low=0.0, high=last)
    up = _up(found, now)
    return Picture("live", Message(title), across, up, tuple(marks))


def _up(found: LiveEstimate, now: LivePoint) -> Axis:
    # The first intervals of a few answers would flatten all others.
    first = [one for one in found.points if one.half_width <= 2.2 * now.half_width] or [now]
    low, high = min(one.low for one in first), max(one.high for one in first)
    is_share = bool(found.target.values)
    if is_share:
        low, high = min(low, 0.0), max(high, 0.1)
    room = 0.08 * (high - low or 1.0)
    kind = Kind.SHARE if is_share else Kind.NUMBER
    return Axis(_NOTHING, kind=kind, low=low - room, high=high + room)


REASONS = {
    "answers": translatable("answers that the design cannot give"),
    "busy": translatable("database busy"),
    "closed": translatable("after closing"),
    "design": translatable("page of another design"),
    "host": translatable("under a name that is not this computer's"),
    "id": translatable("sent twice with other answers"),
    "often": translatable("too many at once"),
    "origin": translatable("from a foreign page"),
    "paused": translatable("during a pause"),
    "size": translatable("too large"),
    "slow": translatable("not complete in time"),
    "token": translatable("token unknown or used"),
    "type": translatable("no answer at all"),
}
"""Why the collector refuses a request, by its own names."""


def refused_words(refused: Sequence[tuple[str, int]]) -> str:
    return "; ".join(
        f"{number(count)} {tr(REASONS[reason]) if reason in REASONS else reason}"
        for reason, count in refused
    )


class StatusStrip(Card):
    """One line: state, answers and how many are needed, true answers stored, refused."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=12)
        self._is_narrow = False
        self.setObjectName("collectStatus")
        self.chip = named(text("", "collectClosed"), "collectState")
        self.count = named(text("", "number"), "collectCount")
        self.count_words = text("", "secondary")
        zero = text("0", "number")
        self.refused = named(text("", "number"), "collectRefused")
        self.refused_words = text("", "secondary")
        self.total = named(text("", "secondary"), "collectTotal")
        self.note = named(
            text(
                tr("Only the day of each answer is stored: no address, no time, no order."),
                "hint",
                wrap=True,
            ),
            "collectNote",
        )
        self.note.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.take_over = named(Button(themes, tr("Import the answers"), "import"), "takeOver")
        self.closing = named(Button(themes, tr("Closing time…"), look="link"), "changeClosing")
        self._closing_parts = [vertical_line(), self.closing]
        self._refused_parts = [vertical_line(), self.refused, self.refused_words]
        layout = row(
            self.chip, 4, self.count, self.count_words, self.total,
            vertical_line(), zero, text(tr("true answers stored"), "secondary"),
            *self._refused_parts, *self._closing_parts, self.note, None, self.take_over,
            spacing=8,
        )  # fmt: skip
        # It takes a second line where one is not enough; nothing stretches beside it.
        layout.setStretchFactor(self.note, 1000)
        self.body.addLayout(layout)

    def set_narrow(self, is_narrow: bool) -> None:
        self._is_narrow = is_narrow
        self._show_total()

    def _show_total(self) -> None:
        self.total.setVisible(bool(self.total.text()) and not self._is_narrow)
        self.note.setVisible(not self._is_narrow)

    def show_closing(self, words: str, *, is_open: bool) -> None:
        """Say when the collection closes; a press changes it."""
        self.closing.setText(words or tr("Closing time…"))
        for part in self._closing_parts:
            part.setVisible(is_open)

    def show_collection(
        self, state: str, shown: int, found: Monitoring | None, round_: int
    ) -> None:
        words = {
            "open": tr("Open", "collection"),
            "paused": tr("Paused"),
            "stopped": tr("Not running"),
            "closed": tr("Closed", "collection"),
        }.get(state, "")
        if round_ > 1:
            words = tr("%s, round %s") % (words, number(round_))
        kinds = {"open": "collectOpen", "paused": "collectWaits", "stopped": "collectWaits"}
        self.chip.setText(f"●  {words}")
        self.chip.setAccessibleName(words)
        set_type(self.chip, kinds.get(state, "collectClosed"))
        self.count.setText(number(shown))
        self.count_words.setText(tr("answer") if shown == 1 else tr("answers"))
        refused = () if found is None else found.refused
        count = sum(one for _, one in refused)
        self.refused.setText(number(count))
        self.refused_words.setText(tr("refused"))
        for part in self._refused_parts:
            part.setVisible(count > 0)
            part.setToolTip(refused_words(refused))
        self.refused.setAccessibleDescription(refused_words(refused))
        needed = None if found is None else found.needed
        is_known = needed is not None and needed.answers != float("inf")
        words = tr("of %s needed") % number(needed.answers) if needed and is_known else ""
        self.total.setText(words)
        self.total.setToolTip(translate(needed.sentence) if needed and is_known else "")
        self._show_total()


class DaysCard(Card):
    """Answers per day, and when the needed total is reached at this pace."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(tr("Answers per day"))
        self.setObjectName("daysCard")
        self.pace = named(text("", "hint"), "daysPace")
        self.head.addWidget(self.pace)
        self.chart = DayChart(themes)
        self.add(self.chart, 1)

    def show_monitoring(self, found: Monitoring | None, *, is_open: bool) -> None:
        """Show other days; only an open collection has a pace."""
        days = () if found is None else found.days
        self.chart.show_days(days)
        left = None if found is None or not is_open else found.days_to_go
        words = ""
        if left:
            one, many = tr("about 1 more day at this rate"), tr("about %s more days at this rate")
            words = counted(left, one, many)
        elif left == 0:
            words = tr("enough answers")
        self.pace.setText(words)


class EstimateCard(Card):
    """The estimate as answers arrive, in steps, with its interval and what is expected."""

    target_chosen = Signal(object)
    """A :class:`LiveTarget`."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=12)
        self.setObjectName("liveEstimate")
        self._targets: tuple[LiveTarget, ...] = ()
        self.heading = ElidedLabel("strong", "", hugs=True)
        self.live = text(tr("live"), "badge")
        self.choice = named(ChoiceBox(tr("Question to estimate"), []), "liveTarget")
        self.choice.chosen.connect(self._on_chosen)
        self.number = named(text("", "display"), "liveNumber")
        self.half = named(text("", "strong"), "liveHalf")
        self.interval = named(text("", "hint"), "liveInterval")
        self.goal = named(text("", "secondary", wrap=True), "liveGoal")
        self.goal.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.tiny = named(text("", "warning", wrap=True), "liveTiny")
        self.chart = named(LiveChart(themes), "liveChart")
        self.state = named(text("", "captionHint"), "liveState")
        head = row(self.heading, self.live, None, self.choice, spacing=8)
        beside = column(self.half, self.interval, spacing=0)
        numbers = row(self.number, beside, self.goal, spacing=10, stretch=2)
        self.body.addLayout(head)
        self.body.addWidget(self.tiny)
        self.body.addLayout(numbers)
        self.add(self.chart.legend)
        self.add(self.chart, 1)
        self.add(self.state)

    @property
    def target(self) -> LiveTarget | None:
        key = self.choice.current
        return next((one for one in self._targets if _key(one) == key), None)

    def offer(self, study: Study, targets: Sequence[LiveTarget]) -> None:
        """Offer what can be watched; the first is chosen to begin with."""
        if tuple(targets) == self._targets:
            return
        before = self.choice.current
        self._targets = tuple(targets)
        if not targets:
            return
        self.choice.set_choices([(_key(one), _label(study, one)) for one in targets])
        if before in self.choice.keys:
            self.choice.set_current(before)

    def _on_chosen(self, _: str) -> None:
        self.target_chosen.emit(self.target)

    def show_estimate(
        self, study: Study, found: LiveEstimate | None, *, is_open: bool, is_live: bool
    ) -> None:
        now = None if found is None else found.now
        target = self.target
        self.heading.setText("" if target is None else study.shown(target.name))
        self.live.setVisible(is_live)
        self.state.setText(
            tr("reported answers, corrected by the design; moves in steps of 10 answers")
            if is_open
            else tr("reported answers, corrected by the design")
        )
        if found is None or now is None:
            self.number.setText("–")
            self.half.setText("")
            self.interval.setText("")
            self.goal.setText("")
            why = translate(found.why) if found is not None and found.why is not None else ""
            show_words(self.tiny, why or tr("The estimate begins with 10 answers."))
            self.chart.show_estimate(None, "")
            return
        is_share = bool(found.target.values)
        unit = study.unit(found.target.name)

        def said(value: float) -> str:
            return percent(value, 1) if is_share else in_unit(significant(value), unit)

        self.number.setText(said(now.estimate))
        half = (
            tr("± %s points") % number(100 * now.half_width, 1)
            if is_share
            else tr("± %s") % in_unit(significant(now.half_width), unit)
        )
        self.half.setText(half)
        self.interval.setText(tr("95 % interval {0} to {1}").format(said(now.low), said(now.high)))
        wanted = (
            tr("± %s points") % trimmed(100 * found.wanted, 1)
            if is_share
            else tr("± %s") % in_unit(significant(found.wanted), unit)
        )
        if found.needed is None:
            self.goal.setText("")
        elif found.needed <= now.answers:
            self.goal.setText(tr("%s is reached") % wanted)
        else:
            self.goal.setText(tr("%s at about %s answers") % (wanted, number(found.needed)))
        few = tr("Only %s answers: too few for a usable estimate.") % number(now.answers)
        show_words(self.tiny, few if found.is_tiny else "")
        self.chart.show_estimate(found, wanted)


def _key(target: LiveTarget) -> str:
    return "\0".join((target.name, *target.values))


def _label(study: Study, target: LiveTarget) -> str:
    shown = study.shown(target.name)
    if not target.values:
        return tr("%s: mean") % shown
    return f"{shown}: {', '.join(f'“{value}”' for value in target.values)}"


_INDENT = "\u2003"


class MonitoringCard(Card):
    """Reported shares beside what the design would give, skips, refusals, and what is odd."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(tr("Reported answers"), tr("compared with the expected answers"))
        self.setObjectName("monitoringCard")
        self.lines = MarkedLines(themes, 4)
        self.model = TextModel(themes, parent=self)
        self.table = TextTable(themes, "monitoringTable", tr("Reported answers"))
        self.table.setModel(self.model)
        self._delegate = CellDelegate(themes, self.model, pad=TextTable.PAD)
        self.table.setItemDelegate(self._delegate)
        self.body.addLayout(self.lines)
        self.add(self.table, 1)

    def show_monitoring(self, study: Study, found: Monitoring | None) -> None:
        rows: list[tuple[str, ...]] = []
        for one in () if found is None else found.questions:
            rows += _rows(study, one)
        heads = (tr("Question"), tr("Reported"), tr("Expected"), tr("Skipped"))
        self.model.show_rows(heads, rows)
        head = self.table.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        lines = [("doubt", translate(study.titled(one))) for one in found.lines] if found else []
        if found is not None and found.refused:
            lines.append(("info", tr("Refused: %s.") % refused_words(found.refused)))
        if found is not None and not lines and found.questions:
            lines.append(("good", tr("The reported answers fit the design.")))
        self.lines.show_lines(lines)


def _rows(study: Study, one: QuestionMonitor) -> list[tuple[str, ...]]:
    """The question and its skips, then a row for each answer, so that no name is cut."""
    skipped = f"{number(one.skips)} ({percent(one.skipped)})" if one.skips else "0"
    rows: list[tuple[str, ...]] = [(study.shown(one.name), "", "", skipped)]
    for share in one.shares:
        value = share.value
        if share.low is not None and share.high is not None:
            value = tr("%s to %s") % (significant(share.low), significant(share.high))
        expected = "–" if share.expected is None else percent(share.expected, 1)
        rows.append((_INDENT + value, percent(share.share, 1), expected, ""))
    return rows
